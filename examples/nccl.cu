/*
 * nccl.cu: one process reduces an array on all GPUs of a machine, each GPU a part of it. The result has the bits of one GPU
 * and of the CPU. Where the GPUs reach each other's memory, each runs one kernel, and the kernels meet without NCCL.
 * (mpi_nccl.cu does it with a process for each GPU.)
 *
 *     nvcc -O3 -arch=native -I../include nccl.cu -lnccl -o nccl
 */
#include "reduce_nccl.cuh"

#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_NCCL(reduce_float_sum)

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

#define CHECK_NCCL(call) check_nccl(call, #call)
static void check_nccl(ncclResult_t result, const char *call)
{
    if (result == ncclSuccess) return;
    fprintf(stderr, "%s: %s\n", call, ncclGetErrorString(result));
    exit(EXIT_FAILURE);
}

static bool show(const char *who, float sum, float expected)
{
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    printf("%-14s %.1f   0x%08x\n", who, (double)sum, bits);
    return memcmp(&sum, &expected, sizeof sum) == 0;
}

enum { N = 10000019, MOST_GPUS = 64 };

static float in[N];

int main(void)
{
    for (int k = 0; k < N; k++) in[k] = (float)(k * 7919LL % 1000003) / 100 - 4000;

    int count;
    ncclComm_t comms[MOST_GPUS];
    CHECK(cudaGetDeviceCount(&count));
    if (count > MOST_GPUS) count = MOST_GPUS;
    CHECK_NCCL(ncclCommInitAll(comms, count, NULL));

    /* Each GPU gets its part of the array, a workspace, and room for the result. */
    float *parts[MOST_GPUS], *sums[MOST_GPUS];
    reduce_workspace *workspaces[MOST_GPUS];
    cudaStream_t streams[MOST_GPUS];
    for (int g = 0; g < count; g++) {
        const struct reduce_shard own = reduce_shard(N, sizeof(float), g, count);
        CHECK(cudaSetDevice(g));
        CHECK(cudaStreamCreate(&streams[g]));
        CHECK(reduce_workspace_create(&workspaces[g]));
        CHECK(cudaMalloc((void **)&parts[g], own.length * sizeof(float)));
        CHECK(cudaMalloc((void **)&sums[g], sizeof(float)));
        CHECK(cudaMemcpy(parts[g], in + own.begin, own.length * sizeof(float), cudaMemcpyHostToDevice));
    }

    CHECK_NCCL(reduce_float_sum_nccl_all_async(count, parts, N, sums, workspaces, comms, streams));

    const float on_cpu = reduce_float_sum_cpu(in, N);
    float on_one, sum;
    CHECK(cudaSetDevice(0));
    CHECK(reduce_float_sum(in, N, &on_one));
    bool is_right = show("on the CPU", on_cpu, on_cpu);
    is_right = show("on one GPU", on_one, on_cpu) && is_right;
    for (int g = 0; g < count; g++) { /* every GPU has the result */
        char who[32];
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemcpyAsync(&sum, sums[g], sizeof sum, cudaMemcpyDeviceToHost, streams[g]));
        CHECK(cudaStreamSynchronize(streams[g]));
        snprintf(who, sizeof who, "GPU %d of %d", g, count);
        is_right = show(who, sum, on_cpu) && is_right;
    }
    for (int g = 0; g < count; g++) { /* a workspace is destroyed when the call has ended on all GPUs */
        CHECK(cudaSetDevice(g));
        CHECK(cudaFree(parts[g]));
        CHECK(cudaFree(sums[g]));
        CHECK(reduce_workspace_destroy(workspaces[g]));
        CHECK(cudaStreamDestroy(streams[g]));
        CHECK_NCCL(ncclCommDestroy(comms[g]));
    }
    puts(is_right ? "the same bits" : "WRONG");
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
