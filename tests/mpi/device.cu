/*
 * NAME_mpi with a small tree in the simulator: processes have their shards in the memory of a GPU, in managed or in main
 * memory, and each call of CUDA fails in one process. For 1 and more processes:
 *
 *     simt++ -I.. -I../../include $(mpicc --showme:compile) device.cu $(mpicc --showme:link) -o device && mpirun -n 3 ./device
 */
#include "small_tree.h"

#define CHECK_ALONE
#include "check.h"
#include "reduce_inputs.cuh"
#include "reduce_mpi.h"

#include <simt.h>

DEFINE_REDUCE_AS(traces, u64, 0, traced(a, b))
DEFINE_REDUCE_MPI(traces)
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_MPI(reduce_float_sum)
DEFINE_REDUCE_ZIP(dot, float, double, double, x *y, 0, a + b)
DEFINE_REDUCE_ZIP_MPI(dot)
DEFINE_REDUCE_WITH(scaled, float, double, double, (x - c) * (double)(i % 3 + 1), 0, a + b)
DEFINE_REDUCE_WITH_MPI(scaled)
DEFINE_REDUCE_WITH(pointed, float, const float *, double, 0 * x + *c, 0, a + b)
DEFINE_REDUCE_WITH_MPI(pointed)

static int rank, ranks;

enum place { MAIN, PINNED, DEVICE, MANAGED, OTHER_DEVICE, PLACES };

static void *put(enum place place, const void *from, size_t bytes)
{
    void *room = NULL;
    if (bytes == 0) return NULL;
    CHECK(cudaSetDevice(place == OTHER_DEVICE));
    if (place == MAIN) room = malloc(bytes);
    if (place == PINNED) CHECK(cudaMallocHost(&room, bytes));
    if (place == DEVICE || place == OTHER_DEVICE) CHECK(cudaMalloc(&room, bytes));
    if (place == MANAGED) CHECK(cudaMallocManaged(&room, bytes));
    CHECK(cudaMemcpy(room, from, bytes, cudaMemcpyDefault));
    CHECK(cudaSetDevice(0));
    return room;
}

static void drop(enum place place, void *room)
{
    if (place == MAIN) free(room);
    else if (place == PINNED) CHECK(cudaFreeHost(room));
    else CHECK(cudaFree(room));
}

enum { N = 20001 };
static u64 words[N];
static float floats[N];
static double doubles[N];

static void check_places(void)
{
    for (int k = 0; k < PLACES; k++)
        for (size_t n = 5; n <= N; n = n * 10 + 1) {
            const enum place place = (enum place)((k + rank) % PLACES);
            const struct reduce_shard own = reduce_shard(n, sizeof(u64), rank, ranks);
            u64 *const part = (u64 *)put(place, words + own.begin, own.length * sizeof(u64)), expected = traces_cpu(words, n);
            u64 got = 0;
            const size_t before = simt_live_allocations();
            cr_assert(traces_mpi(part, n, &got, MPI_COMM_WORLD) == MPI_SUCCESS, "%zu, place %d", n, place);
            cr_assert(got == expected, "%zu, place %d", n, place);
            cr_assert(simt_live_allocations() == before, "memory is lost");
            int device;
            CHECK(cudaGetDevice(&device));
            cr_assert(device == 0, "the caller's device was not made current again");
            drop(place, part);
        }
}

/* Two arrays, each in any place: some that no processor reaches together. */
static void check_pairs(void)
{
    const size_t n = N;
    const struct reduce_shard own = reduce_shard(n, sizeof(double), rank, ranks);
    const double expected = dot_cpu(floats, doubles, n);
    for (int k = 0; k < PLACES * PLACES; k++) {
        const enum place one = (enum place)(k / PLACES), other = (enum place)(k % PLACES);
        const bool is_away = (one == DEVICE || one == OTHER_DEVICE || other == DEVICE || other == OTHER_DEVICE) &&
                             (one <= PINNED || other <= PINNED || (one != MANAGED && other != MANAGED && one != other));
        float *const x = (float *)put(one, floats + own.begin, own.length * sizeof(float));
        double *const y = (double *)put(other, doubles + own.begin, own.length * sizeof(double));
        double got = 0;
        const int error = dot_mpi(x, y, n, &got, MPI_COMM_WORLD);
        cr_assert(error == (is_away ? MPI_ERR_BUFFER : MPI_SUCCESS), "places %d and %d: %d", one, other, error);
        cr_assert(got == (is_away ? 0 : expected), "places %d and %d", one, other);
        drop(one, x);
        drop(other, y);
    }
}

static void check_context(void)
{
    const struct reduce_shard own = reduce_shard(N, sizeof(float), rank, ranks);
    float *const part = (float *)put(DEVICE, floats + own.begin, own.length * sizeof(float));
    double got = 0;
    cr_assert(scaled_mpi(part, N, 0.3, &got, MPI_COMM_WORLD) == MPI_SUCCESS && got == scaled_cpu(floats, N, 0.3),
              "a context");
    drop(DEVICE, part);
}

static __global__ void write_slowly(float *to, size_t n)
{
    for (volatile int k = 0; k < 1000000; k++) continue;
    for (size_t k = 0; k < n; k++) to[k] = 1;
}

/* The CPU reads what the default stream writes: pinned memory, and managed memory beside main memory. */
static void check_written_before(void)
{
    static const enum place places[] = {PINNED, MANAGED};
    const struct reduce_shard own = reduce_shard(N, sizeof(double), rank, ranks);
    static double ones[N];
    static float zeros[N];
    for (size_t k = 0; k < N; k++) ones[k] = 1;
    for (size_t p = 0; p < COUNT(places); p++) {
        float *const x = (float *)put(places[p], zeros, own.length * sizeof *x);
        double got = 0;
        write_slowly<<<1, 1>>>(x, own.length);
        cr_assert(dot_mpi(x, ones, N, &got, MPI_COMM_WORLD) == MPI_SUCCESS, "place %d", places[p]);
        cr_assert(got == (double)N, "place %d: read before it was written", places[p]);
        drop(places[p], x);
    }
}

/* The same for ordinary memory that is pinned at its end alone, or that the current device has access to. */
static void check_last_written_before(bool has_access)
{
    enum { PAGE = 4096, BYTES = (N * (int)sizeof(float) / PAGE + 1) * PAGE };
    const struct reduce_shard own = reduce_shard(N, sizeof(float), rank, ranks);
    float got = 0, *const x = (float *)aligned_alloc(PAGE, BYTES), *const last = x + own.length - 1;
    char *const page = (char *)((uintptr_t)last / PAGE * PAGE);
    cr_assert(x != NULL && page > (char *)x, "the end lies on the first page");
    memset(x, 0, BYTES);
    CHECK(cudaSetDevice(has_access));
    if (!has_access) CHECK(cudaHostRegister(page, PAGE, cudaHostRegisterDefault));
    write_slowly<<<1, 1>>>(last, 1);
    cr_assert(reduce_float_sum_mpi(x, N, &got, MPI_COMM_WORLD) == MPI_SUCCESS, "ordinary memory");
    cr_assert(got == (float)ranks, "device %d: read before it was written: %g", has_access, (double)got);
    if (!has_access) CHECK(cudaHostUnregister(page));
    CHECK(cudaSetDevice(0));
    free(x);
}

/* The same for what a context points to. */
static void check_context_written_before(void)
{
    const struct reduce_shard own = reduce_shard(N, sizeof(float), rank, ranks);
    float *const factor = (float *)put(PINNED, floats, sizeof *factor);
    double got = 0;
    write_slowly<<<1, 1>>>(factor, 1);
    cr_assert(pointed_mpi(floats + own.begin, N, factor, &got, MPI_COMM_WORLD) == MPI_SUCCESS, "a context that points");
    cr_assert(got == N, "what a context points to was read before it was written: %g", got);
    drop(PINNED, factor);
}

/* Each call of CUDA fails in the last process: all return an error, and nothing is lost. */
static void check_failures(void)
{
    static const char *const kinds[] = {"malloc", "free", "memcpy", "launch", "device"};
    const struct reduce_shard own = reduce_shard(N, sizeof(u64), rank, ranks);
    u64 *const part = (u64 *)put(DEVICE, words + own.begin, own.length * sizeof(u64)), expected = traces_cpu(words, N);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const size_t live = simt_live_allocations(); /* what could not be freed is lost */
        const long before = simt_calls(kinds[k]);
        u64 got = 0;
        cr_assert(traces_mpi(part, N, &got, MPI_COMM_WORLD) == MPI_SUCCESS && got == expected, "%s", kinds[k]);
        int calls = (int)(simt_calls(kinds[k]) - before);
        cr_assert(calls > 0, "%s", kinds[k]);
        for (int nth = 1; nth <= calls; nth++) {
            got = 7;
            if (rank == ranks - 1) simt_fail_after(kinds[k], nth);
            const int error = traces_mpi(part, N, &got, MPI_COMM_WORLD);
            cr_assert(error == (rank == ranks - 1 ? error : MPI_ERR_OTHER) && error != MPI_SUCCESS, "%s %d: %d", kinds[k], nth,
                      error);
            cr_assert(rank < ranks - 1 || strcmp(kinds[k], "device") != 0 || error == MPI_ERR_OTHER, "a query fails: %d", error);
            cr_assert(got == 7, "the result was changed");
            simt_clear();
            CHECK(cudaSetDevice(0));
            if (k != 1) cr_assert(simt_live_allocations() == live, "%s %d: memory is lost", kinds[k], nth);
        }
    }
    const int error = reduce_float_sum_mpi((const float *)part, REDUCE_MAX_ELEMENTS + 1, floats, MPI_COMM_WORLD);
    cr_assert(error == MPI_ERR_COUNT, "more elements than a GPU takes: %d", error);
    drop(DEVICE, part);
}

int main(int argc, char **argv)
{
    setenv("SIMT_DEVICES", "2", 1);
    setenv("SIMT_PAGEABLE", "2", 1); /* device 1 has access to ordinary memory */
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t k = 0; k < N; k++) {
        words[k] = mixed(k);
        floats[k] = sample_float(k), doubles[k] = sample_double(k);
    }
    check_places();
    check_pairs();
    check_context();
    check_written_before();
    check_last_written_before(false);
    check_last_written_before(true);
    check_context_written_before();
    check_failures();
    MPI_Finalize();
    return 0;
}
