/*
 * exact_mpi.c: the processes of an MPI program sum one data set exactly, by one MPI_Allreduce of integers. The result has
 * the same bits for any number of processes.
 *
 *     mpicc -std=c11 -O2 -I../include exact_mpi.c -lm -o exact_mpi && mpirun -n 4 ./exact_mpi
 */
#include "reduce_exact.cuh"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE_EXACT(double)

enum { N = 300000 };
static double data[N];

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    /* Large numbers that cancel, and between them N / 3 times 1/8. A real program would read only its part. */
    for (int k = 0; k < N / 3; k++) {
        data[3 * k] = 1e17 / (k + 1);
        data[3 * k + 1] = 0.125;
        data[N - 1 - 3 * k] = -data[3 * k];
    }
    const size_t begin = (size_t)N * (size_t)rank / (size_t)ranks;
    const size_t end = (size_t)N * ((size_t)rank + 1) / (size_t)ranks;

    /* Each process sums its part; the words of the accumulators are added as integers. */
    struct reduce_exact_double sum;
    reduce_exact_double_clear(&sum);
    reduce_double_exact_sum_accumulate_cpu(data + begin, end - begin, &sum);
    MPI_Allreduce(MPI_IN_PLACE, &sum, (int)(sizeof sum / sizeof(int64_t)), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const double exact = reduce_exact_double_round(&sum);

    /* For comparison the usual sum of doubles, whose result depends on the number of processes. */
    double naive = 0;
    for (size_t i = begin; i < end; i++) naive += data[i];
    MPI_Allreduce(MPI_IN_PLACE, &naive, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

    const double alone = reduce_double_exact_sum_cpu(data, N);
    int is_right = exact == 12500 && alone == 12500;
    MPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("processes: %d; exact %g, by one process %g, as doubles %g: %s\n", ranks, exact, alone, naive,
               is_right ? "the same bits" : "WRONG");
    MPI_Finalize();
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
