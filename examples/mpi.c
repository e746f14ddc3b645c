/*
 * mpi.c: each process of an MPI program reduces its part of one array. The result has the bits of one process, for any
 * number of processes. MPI_Allreduce, for comparison, gives other bits for each number.
 *
 *     mpicc -std=c11 -O2 -I../include mpi.c -lm -o mpi && mpirun -n 4 ./mpi
 */
#include "reduce_mpi.h"

#include <stdio.h>

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_MPI(reduce_float_sum)

enum { N = 3000017 };

/* Element i of the array. */
static float element(size_t i)
{
    return ((float)(i * 7919 % 1000003) / 7 - 70000) * (float)(i % 97 + 1);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    /* Each process holds only its part: own.length elements, from index own.begin on. */
    const struct reduce_shard own = reduce_shard(N, sizeof(float), rank, ranks);
    float *const part = (float *)malloc((own.length + 1) * sizeof *part), sum = 0;
    float *const whole = (float *)malloc(N * sizeof *whole); /* the whole array, for comparison */
    if (part == NULL || whole == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (size_t k = 0; k < own.length; k++) part[k] = element(own.begin + k);

    const int error = reduce_float_sum_mpi(part, N, &sum, MPI_COMM_WORLD);

    float usual = reduce_float_sum_cpu(part, own.length);
    MPI_Allreduce(MPI_IN_PLACE, &usual, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);

    for (size_t k = 0; k < N; k++) whole[k] = element(k);
    const float alone = reduce_float_sum_cpu(whole, N);

    int is_right = error == MPI_SUCCESS && memcmp(&sum, &alone, sizeof sum) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d processes: %a; one process: %a; by MPI_Allreduce: %a: %s\n", ranks, (double)sum, (double)alone,
               (double)usual, is_right ? "the same bits" : "WRONG");
    free(part);
    free(whole);
    MPI_Finalize();
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
