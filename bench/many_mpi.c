/*
 * many_mpi.c: times of a sum of floats over the processes of MPI on CPUs, by size of the whole array. Beside it, in turn:
 * the first process alone, with the whole array, while the others sleep; NAME_cpu of each part and MPI_Allreduce, whose
 * result depends on the number of processes; the all-gather alone; the all-reduce alone. faster: the time of one process
 * over that of all, the median of rounds.
 *
 *     mpicc -std=c11 -O3 -I../include many_mpi.c -lm -o many_mpi
 *     mpirun -n 2 ./many_mpi
 */
#define _POSIX_C_SOURCE 200809L

#include "reduce_mpi.h"

#include "timing.h"

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_MPI(reduce_float_sum)

enum { SIDES = 5, ROUNDS = 31 };

static int rank, ranks;
static float *part, result; /* the first process has the whole array, which begins with its part */
static size_t n;
static struct reduce_shard own;

static void ours(void)
{
    if (reduce_float_sum_mpi(part, n, &result, MPI_COMM_WORLD) != MPI_SUCCESS) bench_fail("reduce_float_sum_mpi");
}

static void alone(void)
{
    float sum;
    if (rank > 0) return;
    if (reduce_float_sum_mpi(part, n, &sum, MPI_COMM_SELF) != MPI_SUCCESS) bench_fail("reduce_float_sum_mpi");
}

static void usual(void)
{
    float sum = reduce_float_sum_cpu(part, own.length);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(void)
{
    static char messages[1 << 20];
    const size_t each = reduce_divide_up_(reduce_plan(n, sizeof(float)).count, (size_t)ranks);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, messages, (int)(each * sizeof(float)) + 16, MPI_BYTE, MPI_COMM_WORLD);
}

static void reduce_one(void)
{
    float x = 1;
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void (*const sides[SIDES])(void) = {ours, alone, usual, gather, reduce_one};

/* A barrier at which the processes that wait leave the cores to the others. */
static void wait_asleep(void)
{
    const struct timespec pause = {0, 50000};
    MPI_Request request;
    int is_done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), !is_done) nanosleep(&pause, NULL);
}

static float element(size_t i)
{
    return ((float)(i * 7919 % 1000003) / 7 - 70000) * (float)(i % 97 + 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        char title[96];
        snprintf(title, sizeof title, "many_mpi: the sum of floats by %d processes, microseconds a call", ranks);
        bench_heading(title);
        printf("%12s  %12s %12s %7s  %12s %12s %12s  %s\n", "bytes", "ours", "one process", "faster", "usual",
               "all-gather", "all-reduce", "bits");
    }
    for (int log = 10; log <= 30; log += 2) {
        struct bench_time times[SIDES];
        n = (size_t)1 << (log - 2);
        own = reduce_shard(n, sizeof(float), rank, ranks);
        const size_t kept = rank == 0 ? n : own.length;
        part = (float *)bench_malloc((kept + 1) * sizeof *part);
        for (size_t k = 0; k < kept; k++) part[k] = element(own.begin + k);
        const int calls = log < 20 ? 200 : log < 26 ? 10 : 2;
        double samples[SIDES][ROUNDS], faster[ROUNDS];
        for (int r = -1; r < ROUNDS; r++) {
            for (int s = 0; s < SIDES; s++) {
                MPI_Barrier(MPI_COMM_WORLD);
                const double begin = MPI_Wtime();
                for (int i = 0; i < calls; i++) sides[s]();
                if (r >= 0) samples[s][r] = (MPI_Wtime() - begin) * 1e6 / calls;
                wait_asleep();
            }
            if (r >= 0) faster[r] = samples[1][r] / samples[0][r];
        }
        for (int s = 0; s < SIDES; s++) times[s] = bench_summary(samples[s], ROUNDS);
        ours();
        uint32_t bits;
        memcpy(&bits, &result, sizeof bits);
        if (rank == 0)
            printf("%12zu  %12.2f %12.2f %7.2f  %12.2f %12.2f %12.2f  0x%08x\n", n * sizeof(float), times[0].median,
                   times[1].median, bench_summary(faster, ROUNDS).median, times[2].median, times[3].median,
                   times[4].median, bits);
        free(part);
    }
    MPI_Finalize();
    return 0;
}
