/*
 * mpi_nccl.cu: one process for each GPU, on one machine or many. MPI starts the processes and sends them NCCL's unique id.
 * The ranks are connected: GPUs that reach each other's memory write the partial results there, and NCCL moves them between
 * others. The result has the bits of one GPU and of the CPU.
 *
 *     nvcc -O3 -arch=native -I../include $(mpicc --showme:compile) mpi_nccl.cu -lnccl $(mpicc --showme:link) -o mpi_nccl
 *     mpirun -n 2 ./mpi_nccl
 */
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "reduce_nccl.cuh"

#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE(double, sum)
DEFINE_REDUCE_NCCL(reduce_double_sum)

#define CHECK(call) check((call) == cudaSuccess, #call)
#define CHECK_NCCL(call) check((call) == ncclSuccess, #call)
static void check(bool is_well, const char *call)
{
    if (is_well) return;
    fprintf(stderr, "failed: %s\n", call);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

enum { N = 5000011 };
static double in[N];

int main(int argc, char **argv)
{
    int rank, ranks, gpus, local;
    MPI_Comm of_machine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    /* The processes of one machine take its GPUs in turn. */
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &of_machine);
    MPI_Comm_rank(of_machine, &local);
    MPI_Comm_free(&of_machine);
    CHECK(cudaGetDeviceCount(&gpus));
    check(local < gpus, "a GPU for each process");
    CHECK(cudaSetDevice(local));

    ncclUniqueId id;
    ncclComm_t comm;
    if (rank == 0) CHECK_NCCL(ncclGetUniqueId(&id));
    MPI_Bcast(&id, (int)sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK_NCCL(ncclCommInitRank(&comm, ranks, id, rank));

    for (int k = 0; k < N; k++) in[k] = (double)(k * 7919LL % 1000003) / 7 - 70000;
    const struct reduce_shard own = reduce_shard(N, sizeof(double), rank, ranks);
    double *part, *out, sum;
    reduce_workspace *ws = NULL;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(reduce_workspace_create(&ws));
    CHECK(cudaMalloc((void **)&part, (own.length + 1) * sizeof *part));
    CHECK(cudaMalloc((void **)&out, sizeof *out));
    CHECK(cudaMemcpy(part, in + own.begin, own.length * sizeof *part, cudaMemcpyHostToDevice));

    CHECK_NCCL(reduce_nccl_connect(ws, comm, stream)); /* once, for all calls with this workspace */
    CHECK_NCCL(reduce_double_sum_nccl_async(part, N, out, ws, comm, stream));
    CHECK(cudaMemcpyAsync(&sum, out, sizeof sum, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));

    const double alone = reduce_double_sum_cpu(in, N);
    int is_right = memcmp(&sum, &alone, sizeof sum) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d processes, a GPU each: %a; the CPU: %a: %s\n", ranks, sum, alone, is_right ? "the same bits" : "WRONG");
    CHECK_NCCL(reduce_nccl_disconnect(ws, comm));
    MPI_Barrier(MPI_COMM_WORLD); /* a workspace is destroyed when no rank is connected to it any more */
    CHECK(cudaFree(part));
    CHECK(cudaFree(out));
    CHECK(reduce_workspace_destroy(ws));
    CHECK(cudaStreamDestroy(stream));
    CHECK_NCCL(ncclCommDestroy(comm));
    MPI_Finalize();
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
