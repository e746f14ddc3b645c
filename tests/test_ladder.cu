/* The ladder: every rung over int, float and double, sum and max, in grids and blocks of awkward sizes,
   against a serial loop. All results are exact: the numbers are whole, and few enough for any order of
   addition. */
/* The sizes of B6: less than a warp, a warp, two, and one that takes every step. */
#define LADDER_B6_SIZES(X, ...) X(16, __VA_ARGS__) X(32, __VA_ARGS__) X(64, __VA_ARGS__) X(1024, __VA_ARGS__)
#include "check.h"
#include "../bench/ladder.cuh"
#ifdef SIMT
#include "simt.h"
#endif

TestSuite(ladder, .init = need_gpu);

/* Sanitizers take three times as long to build, and see no difference between the others. */
#ifdef __SANITIZE_ADDRESS__
#define MORE_CASES(X)
#else
#define MORE_CASES(X)                                                                                     \
    X(int, max)                                                                                           \
    X(float, sum)                                                                                         \
    X(double, max)
#endif

#define CASES(X)                                                                                          \
    X(int, sum)                                                                                           \
    X(float, max)                                                                                         \
    X(double, sum)                                                                                        \
    MORE_CASES(X)

#define DEFINE_BOTH(T, op) DEFINE_REDUCE(T, op) DEFINE_LADDER(T, op)
CASES(DEFINE_BOTH)

enum { LARGEST = 5000 };

/* Less, as many, and more elements than threads; blocks below, at and above a warp, two warps and a power of
   two; more results of warps and of blocks than one warp or one block can take at once. */
static const struct {
    struct ladder_shape shape;
    size_t n;
} grids[] = {
    {{1, 1}, 0},      {{1, 1}, 3},      {{3, 1}, 10},      {{2, 2}, 37},      {{3, 7}, 100},
    {{1, 16}, 40},    {{5, 31}, 1000},  {{1, 32}, 0},      {{1, 32}, 31},     {{40, 32}, 5000},
    {{3, 33}, 1},     {{9, 33}, 600},   {{2, 48}, 500},    {{1, 63}, 63},     {{1, 64}, 63},
    {{3, 64}, 1001},  {{7, 96}, 2000},  {{2, 100}, 199},   {{2, 128}, 256},   {{1, 256}, 4999},
    {{3, 512}, 5000}, {{1, 1000}, 999}, {{2, 1000}, 2500}, {{2, 1024}, 4321},
};

/* Element i. Any of them missing or taken twice changes a sum; of a maximum nothing but the greatest counts,
   which is element seed % n, and no identity of another operator is below it. */
static int sample_sum(size_t i, size_t n, unsigned seed)
{
    (void)n;
    return (int)(mixed(i + 10000 * (u64)seed) % 2001) - 1000 + (int)(i == 0);
}

static int sample_max(size_t i, size_t n, unsigned seed)
{
    return i == seed % n ? -5 : -6 - (int)(mixed(i + seed) % 1000);
}

static int add_sum(int a, int b)
{
    return a + b;
}

static int add_max(int a, int b)
{
    return a > b ? a : b;
}

/* void NAME_data(T *data, size_t n, unsigned seed), T NAME_expected(size_t n, unsigned seed): of no elements,
   the identity. */
#define DATA_OF(T, op)                                                                                    \
    static void op##_##T##_data(T *data, size_t n, unsigned seed)                                         \
    {                                                                                                     \
        for (size_t i = 0; i < n; i++) data[i] = (T)sample_##op(i, n, seed);                              \
    }                                                                                                     \
    static T op##_##T##_expected(size_t n, unsigned seed)                                                 \
    {                                                                                                     \
        if (n == 0) return REDUCE_IDENTITY_##op(T);                                                       \
        int x = sample_##op(0, n, seed);                                                                  \
        for (size_t i = 1; i < n; i++) x = add_##op(x, sample_##op(i, n, seed));                          \
        return (T)x;                                                                                      \
    }
CASES(DATA_OF)

/* ---- In every grid ------------------------------------------------------------------------------------- */

/* Memory for NAME_check_ladder: an array on the device and the rungs' room. */
struct bench {
    void *in, *out;
    struct ladder_room room;
};

static struct bench bench_create(struct ladder_shape shape, size_t size)
{
    struct bench bench = {NULL, NULL, {NULL, {NULL, NULL}, NULL}};
    bench.in = device_room(LARGEST * size, 0);
    bench.out = device_room(size, 0);
    CHECK(ladder_room_create(&bench.room, shape, size));
    return bench;
}

static void bench_destroy(struct bench *bench)
{
    CHECK(cudaFree(bench->in));
    CHECK(cudaFree(bench->out));
    CHECK(ladder_room_destroy(&bench->room));
}

/* void op_T_check_rung(...): the rung gives the expected result, or says that the block is not for it; and
   again, with what the first call has left in the room. */
#define CHECK_RUNG(T, op)                                                                                 \
    static void op##_##T##_check_rung(enum ladder_rung rung, const T *data, size_t n, T expected,         \
                                      struct ladder_shape shape, const struct bench *bench)               \
    {                                                                                                     \
        const cudaError_t served = ladder_serves(rung, shape.threads) ? cudaSuccess                       \
                                                                      : cudaErrorInvalidConfiguration;    \
        for (int call = 0; call < 2; call++) {                                                            \
            T got = (T)-123;                                                                              \
            CHECK(cudaMemcpy(bench->in, data, n * sizeof(T), cudaMemcpyHostToDevice));                    \
            const cudaError_t status = reduce_##T##_##op##_ladder(rung, (T *)bench->in, n, (T *)bench->out,\
                                                                  &bench->room, shape, 0);                \
            cr_expect(status == served, "%s, %u threads: %s", ladder_id(rung), shape.threads,             \
                      cudaGetErrorName(status));                                                          \
            if (status != cudaSuccess) return;                                                            \
            check_launch();                                                                               \
            from_device(&got, bench->out, sizeof got);                                                    \
            cr_expect(SAME_BITS(got, expected), "%s " #T " " #op " of %zu by %u x %u: %s, not %s",        \
                      ladder_id(rung), n, shape.blocks, shape.threads, BITS(got), BITS(expected));        \
        }                                                                                                 \
    }

#define CHECK_GRIDS(T, op)                                                                                \
    static void op##_##T##_check_grids(void)                                                              \
    {                                                                                                     \
        static T data[LARGEST];                                                                           \
        for (unsigned k = 0; k < COUNT(grids); k++) {                                                     \
            struct bench bench = bench_create(grids[k].shape, sizeof(T));                                 \
            const T expected = op##_##T##_expected(grids[k].n, k * 37);                                   \
            op##_##T##_data(data, grids[k].n, k * 37);                                                    \
            for (int rung = 0; rung < LADDER_COUNT; rung++)                                               \
                op##_##T##_check_rung((enum ladder_rung)rung, data, grids[k].n, expected, grids[k].shape, \
                                      &bench);                                                            \
            bench_destroy(&bench);                                                                        \
        }                                                                                                 \
    }
CASES(CHECK_RUNG)
CASES(CHECK_GRIDS)

#define CHECK_CASE(T, op) op##_##T##_check_grids();

Test(ladder, every_rung)
{
    CASES(CHECK_CASE)
}

/* The largest of several elements is found wherever it stands. */
Test(ladder, every_place)
{
    enum { THREADS = 64, N = 70 };
    const struct ladder_shape shape = {1, THREADS};
    struct bench bench = bench_create(shape, sizeof(float));
    float data[N];
    for (unsigned at = 0; at < N; at++) {
        max_float_data(data, N, at);
        for (int rung = 0; rung < LADDER_COUNT; rung++)
            max_float_check_rung((enum ladder_rung)rung, data, N, -5.0f, shape, &bench);
    }
    bench_destroy(&bench);
}

/* The values that W2 and W3 leave in each lane, one after the other. The upper lanes have nothing to do in W2, and
   no lane may wait for them; lane 31 reads only padding in W3. */
static __global__ void of_each_lane(const float *in, float *w2, float *w3)
{
    __shared__ float slice[LADDER_PADDED];
    w2[threadIdx.x] = reduce_float_max_w2_fold_(slice, in[threadIdx.x]);
    __syncwarp();
    w3[threadIdx.x] = reduce_float_max_w3_fold_(slice, in[threadIdx.x]);
}

Test(ladder, guard_and_padding)
{
    float data[32], w2[32], w3[32];
    for (int k = 0; k < 32; k++) data[k] = k - 100.0f;
    data[5] = -1;
    float *in = (float *)to_device(data, sizeof data), *out = (float *)device_room(2 * sizeof data, 0);
    of_each_lane<<<1, 32>>>(in, out, out + 32);
    check_launch();
    from_device(w2, out, sizeof w2);
    from_device(w3, out + 32, sizeof w3);
    cr_expect(w2[0] == -1, "%g", w2[0]);
    for (int k = 16; k < 32; k++) cr_expect(w2[k] == data[k], "W2, lane %d: %g", k, w2[k]);
    for (int k = 0; k < 32; k++) cr_expect(w3[k] == (k <= 5 ? -1 : data[31]), "W3, lane %d: %g", k, w3[k]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

/* A rung for blocks of a size that is not what it is unrolled for, or of no size, is refused. */
Test(ladder, refuses_blocks_that_a_rung_does_not_serve)
{
    cr_expect(!ladder_serves(LADDER_W1, 33) && !ladder_serves(LADDER_W2, 16) &&
              !ladder_serves(LADDER_W3, 100));
    cr_expect(!ladder_serves(LADDER_B6A, 96) && !ladder_serves(LADDER_B6P, 1000));
    cr_expect(!ladder_serves(LADDER_B7V, 31) && !ladder_serves(LADDER_G5, 1));
    for (int rung = 0; rung < LADDER_COUNT; rung++) {
        cr_expect(!ladder_serves((enum ladder_rung)rung, 0), "%s", ladder_id((enum ladder_rung)rung));
        cr_expect(!ladder_serves((enum ladder_rung)rung, 1025), "%s", ladder_id((enum ladder_rung)rung));
        cr_expect(ladder_serves((enum ladder_rung)rung, 1024), "%s", ladder_id((enum ladder_rung)rung));
    }
}

/* A grid of more blocks than G9 has slots for, or of none, is refused. */
Test(ladder, refuses_grids_that_a_rung_does_not_serve)
{
    struct ladder_shape shape = {REDUCE_SLOTS + 2, 32};
    struct bench bench = bench_create(shape, sizeof(int));
    cr_expect(ladder_serves_grid(LADDER_G9, REDUCE_SLOTS + 1) && ladder_serves_grid(LADDER_G8, shape.blocks));
    cr_expect(reduce_int_sum_ladder(LADDER_G9, (int *)bench.in, 10, (int *)bench.out, &bench.room, shape,
                                    0) == cudaErrorInvalidConfiguration);
    shape.blocks = 0;
    for (int rung = 0; rung < LADDER_COUNT; rung++)
        cr_expect(rung == LADDER_G5 ||
                  reduce_int_sum_ladder((enum ladder_rung)rung, (int *)bench.in, 10, (int *)bench.out,
                                        &bench.room, shape, 0) == cudaErrorInvalidConfiguration);
    bench_destroy(&bench);
}

/* The greatest number of blocks that G9 serves: each slot is used. */
Test(ladder, a_block_for_each_slot)
{
    static int data[LARGEST];
    const struct ladder_shape shape = {REDUCE_SLOTS + 1, 1};
    struct bench bench = bench_create(shape, sizeof(int));
    sum_int_data(data, LARGEST, 3);
    sum_int_check_rung(LADDER_G9, data, LARGEST, sum_int_expected(LARGEST, 3), shape, &bench);
    bench_destroy(&bench);
}

/* Rungs with wide loads, from every element within 16 bytes on, and of every small number of elements. */
static const enum ladder_rung wide[] = {LADDER_G7, LADDER_G8, LADDER_G9};

#define CHECK_ADDRESSES(T)                                                                                \
    static void check_##T##_addresses(void)                                                               \
    {                                                                                                     \
        enum { THREADS = 32, MOST = 5 * 4 * 16 / sizeof(T) + 3 };                                         \
        const struct ladder_shape shape = {2, THREADS};                                                   \
        struct bench bench = bench_create(shape, sizeof(T));                                              \
        T data[LARGEST];                                                                                  \
        sum_##T##_data(data, LARGEST, 5);                                                                 \
        CHECK(cudaMemcpy(bench.in, data, sizeof data, cudaMemcpyHostToDevice));                           \
        for (size_t k = 0; k < COUNT(wide); k++)                                                          \
            for (size_t first = 0; first < 16 / sizeof(T); first++)                                       \
                for (size_t n = 0; n < MOST; n++) {                                                       \
                    T got = -1, expected = 0;                                                             \
                    for (size_t i = first; i < first + n; i++) expected += data[i];                       \
                    CHECK(reduce_##T##_sum_ladder(wide[k], (T *)bench.in + first, n, (T *)bench.out,      \
                                                  &bench.room, shape, 0));                                \
                    check_launch();                                                                       \
                    from_device(&got, bench.out, sizeof got);                                             \
                    cr_expect(SAME_BITS(got, expected), "%s: %zu from %zu on", ladder_id(wide[k]), n,     \
                              first);                                                                     \
                }                                                                                         \
        bench_destroy(&bench);                                                                            \
    }
CHECK_ADDRESSES(int)
CHECK_ADDRESSES(double)

Test(ladder, wide_loads_from_any_address)
{
    check_int_addresses();
    check_double_addresses();
}

/* ---- Structs ------------------------------------------------------------------------------------------- */

/* Structs: the rungs that do not need a number. */
typedef struct {
    int least, greatest;
} extent;

HELPER_BOTH extent no_extent(void)
{
    const extent none = {INT32_MAX, INT32_MIN};
    return none;
}

HELPER_BOTH extent widest(extent a, extent b)
{
    const extent both = {a.least < b.least ? a.least : b.least,
                         a.greatest > b.greatest ? a.greatest : b.greatest};
    return both;
}

DEFINE_REDUCE_AS(extent_of, extent, no_extent(), widest(a, b))
LADDER_BASE(extent_of, extent)
LADDER_W1(extent_of, extent)
LADDER_W4(extent_of, extent)
LADDER_B3(extent_of, extent)
LADDER_B7V(extent_of, extent)
LADDER_SWAP(extent_of, extent)
LADDER_G4(extent_of, extent, extent_of_ladder_swap)
LADDER_PACKS(extent_of, extent)
LADDER_G7(extent_of, extent)
LADDER_G8(extent_of, extent)
LADDER_G9(extent_of, extent)

typedef void extent_kernel(const extent *in, size_t n, extent *out);

static void check_extent(extent_kernel *kernel, enum ladder_rung rung)
{
    const size_t n = 500;
    extent data[500], got = no_extent(), *in, *out;
    for (int i = 0; i < (int)n; i++) data[i].least = data[i].greatest = (int)(mixed((u64)i) % 100000);
    const extent expected = extent_of_cpu(data, n);
    in = (extent *)to_device(data, sizeof data);
    out = (extent *)to_device(&got, sizeof got);
    void *arguments[] = {&in, (void *)&n, &out};
    const unsigned threads = rung == LADDER_W1 || rung == LADDER_W4 ? 32 : 96;
    CHECK(REDUCE_CUDA_LAUNCH_(kernel, dim3(1), dim3(threads), arguments,
                              ladder_shared(rung, threads, sizeof(extent)), 0));
    check_launch();
    from_device(&got, out, sizeof got);
    cr_expect(SAME_BITS(got, expected), "%s: %d to %d", ladder_id(rung), got.least, got.greatest);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

Test(ladder, structs)
{
    check_extent(extent_of_w1, LADDER_W1);
    check_extent(extent_of_w4, LADDER_W4);
    check_extent(extent_of_b3, LADDER_B3);
    check_extent(extent_of_b7v, LADDER_B7V);
    check_extent(extent_of_g4, LADDER_G4);
}

/* Wide loads and slots of structs, which may lie where no element begins at a multiple of 16. */
static void check_extent_by_slots(const char *address, size_t n, extent expected)
{
    const extent *in = (const extent *)address;
    extent got = no_extent(), *out = (extent *)to_device(&got, sizeof got);
    struct ladder_room room;
    const struct ladder_shape shape = {3, 32};
    CHECK(ladder_room_create(&room, shape, sizeof(extent)));
    reduce_slot_ *slots = room.ws->slots_;
    void *arguments[] = {&in, &n, &slots, &out};
    CHECK(REDUCE_CUDA_LAUNCH_(extent_of_g9, dim3(shape.blocks), dim3(shape.threads), arguments, 0, 0));
    check_launch();
    from_device(&got, out, sizeof got);
    cr_expect(SAME_BITS(got, expected), "%zu from %d on: %d to %d", n, (int)((size_t)address % 16), got.least,
              got.greatest);
    CHECK(ladder_room_destroy(&room));
    CHECK(cudaFree(out));
}

Test(ladder, structs_by_slots)
{
    enum { N = 500 };
    extent data[N + 1];
    for (int i = 0; i <= N; i++) data[i].least = data[i].greatest = (int)(mixed((u64)i) % 100000);
    for (size_t at = 0; at <= 16; at += 4) {
        char *room = (char *)device_room(sizeof data + 16, 0);
        CHECK(cudaMemcpy(room + at, data, sizeof data, cudaMemcpyHostToDevice));
        for (size_t n = N - 3; n <= N; n++) check_extent_by_slots(room + at, n, extent_of_cpu(data, n));
        CHECK(cudaFree(room));
    }
}

/* ---- Whole trips --------------------------------------------------------------------------------------- */

static const enum ladder_memory memories[] = {LADDER_MANAGED, LADDER_FROM_MANAGED, LADDER_DEVICE};
static const enum ladder_rung travellers[] = {LADDER_B3, LADDER_G6, LADDER_G5,
                                              LADDER_G1, LADDER_G4, LADDER_G2, LADDER_G9};

#define CHECK_TRIPS(T, op)                                                                                \
    for (size_t k = 0; k < COUNT(memories); k++)                                                          \
        for (size_t n = 0; n <= LARGEST; n += LARGEST / 2) {                                              \
            static T data[LARGEST];                                                                       \
            const struct ladder_shape shape = {3, 256};                                                   \
            for (size_t r = 0; r < COUNT(travellers); r++) {                                              \
                T got = (T)-123, expected = op##_##T##_expected(n, 7);                                    \
                float ms = -1;                                                                            \
                op##_##T##_data(data, n, 7);                                                              \
                CHECK(reduce_##T##_##op##_ladder_trip(travellers[r], memories[k], data, n, shape, &got,   \
                                                      &ms));                                              \
                cr_expect(SAME_BITS(got, expected) && ms >= 0, "%s, memory %zu: %s, not %s, in %g ms",    \
                          ladder_id(travellers[r]), k, BITS(got), BITS(expected), ms);                    \
            }                                                                                             \
        }

Test(ladder, trips)
{
    CHECK_TRIPS(int, sum)
    CHECK_TRIPS(double, sum)
}

#ifdef SIMT
/* Call number nth of a kind fails, or none if nth is 0; the error comes back, and nothing else happens. */
static void check_failure(const char *kind, int nth, enum ladder_memory memory)
{
    const int data[] = {1, 2, 3};
    const struct ladder_shape shape = {2, 32};
    const size_t live = simt_live_allocations();
    int got = -123;
    float ms;
    simt_fail_after(kind, nth);
    const cudaError_t status = reduce_int_sum_ladder_trip(LADDER_B3, memory, data, 3, shape, &got, &ms);
    simt_clear();
    cr_expect((status == cudaSuccess) == (nth == 0), "%s %d fails and nobody says so", kind, nth);
    cr_expect(got == (nth == 0 ? 6 : -123), "%s %d fails and gives %d", kind, nth, got);
    if (strcmp(kind, "free") != 0)
        cr_expect(simt_live_allocations() == live, "%s %d fails and memory is lost", kind, nth);
}

static void check_failures(const char *kind, enum ladder_memory memory)
{
    const long before = simt_calls(kind);
    check_failure(kind, 0, memory);
    const int releases = strcmp(kind, "event") == 0 ? 2 : 0; /* an event that cannot be destroyed is a leak */
    const int calls = (int)(simt_calls(kind) - before) - releases;
    cr_expect(calls > 0, "no call of %s", kind);
    for (int nth = 1; nth <= calls; nth++) check_failure(kind, nth, memory);
}

Test(ladder, trips_survive_failing_calls)
{
    static const char *const kinds[] = {"malloc", "memset", "memcpy", "launch", "event", "free"};
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t m = 0; m < COUNT(memories); m++) check_failures(kinds[k], memories[m]);
}
#endif
