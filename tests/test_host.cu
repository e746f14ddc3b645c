/* The simple call on main memory: the same bits, whether the CPU or the GPU works and however the GPU reaches the array;
   no call of CUDA where none is needed; and the right error, whichever call fails. */
#include "small_tree.h"

/* When the GPU takes part, and how: each test says. */
#define SHARE_TOLD
#include "share.h"

#include <cuda_fp16.h>

#include <stdlib.h>
#include <time.h>

/* Main memory that is short, when a test says so. */
static bool memory_is_short;
static inline void *memory_unless_short(size_t alignment, size_t size)
{
    if (memory_is_short) return NULL;
    return aligned_alloc(alignment, size);
}
#define aligned_alloc memory_unless_short

#define master 0 /* a user's macro, which must not change a pragma of OpenMP's */

/* Where memory lies; when a test says so, pinned memory is mapped for no device. */
static bool nothing_is_mapped;
static inline cudaError_t attributes_of_tests(struct cudaPointerAttributes *found, const void *at)
{
    const cudaError_t status = cudaPointerGetAttributes(found, at);
    if (nothing_is_mapped) found->devicePointer = NULL;
    return status;
}
#define cudaPointerGetAttributes attributes_of_tests

/* How often the driver is looked for. */
#ifdef SIMT
static int looks;
static inline void *dlopen_of_tests(const char *file, int mode)
{
    looks++;
    return dlopen(file, mode);
}
#    undef dlopen
#    define dlopen dlopen_of_tests
#endif

/* The clock; or, when a test says so, one of which each step is longer than the one before, or one that a test moves. */
static bool clock_slows_down, clock_is_moved;
static long long steps, readings;
static inline int clock_of_tests(clockid_t clock, struct timespec *now)
{
    static int shift;
    readings++;
    if (!clock_slows_down && !clock_is_moved) return clock_gettime(clock, now);
    if (clock_slows_down) steps += 1ll << (shift++ % 40);
    now->tv_sec = (time_t)(steps / 1000000000), now->tv_nsec = (long)(steps % 1000000000);
    return 0;
}
#define clock_gettime clock_of_tests

#include "check.h"
#include "edges.h"

#ifdef SIMT
#    include "failing.h"
#endif

DEFINE_REDUCE_AS(trace16, words16, no_words16(), trace_words16(a, b))
DEFINE_REDUCE_MAP(of_3, words3, u8, (u8)x.word[0], 0, (u8)traced(a, b))
DEFINE_REDUCE(__half, sum)
DEFINE_REDUCE_MAP(low_bits, int, int, x & 7, REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int, a, b))

/* Reductions that read more than their elements. */
static __managed__ u64 shift;
typedef const u64 *table;
DEFINE_REDUCE_MAP(shifted, u64, u64, x + shift, 0, traced(a, b))
DEFINE_REDUCE_WITH(looked_up, u64, table, u64, x + c[i % 1000], 0, traced(a, b))

enum { MOST_BYTES = 400000 };

/* ---- The ways --------------------------------------------------------------------------------------- */

enum memory { PAGEABLE, PINNED };
static const struct way {
    const char *name;
    enum memory memory;
    bool is_alone, is_whole; /* the CPU works alone; the GPU does, in place or on a copy */
    double guess;            /* of the GPU's speed: the CPU is of no use beside a fast one; 0: the map is not costly */
} ways[] = {
    {"the CPU alone", PAGEABLE, true, false, 1},
    {"the CPU alone, pinned", PINNED, true, false, 1},
    {"an ordinary map", PAGEABLE, true, false, 0},
    {"in place, alone", PINNED, false, true, 1},
    {"in place, slow", PINNED, false, false, 1e-6},
    {"in place, fast", PINNED, false, false, 1e9},
    {"as a whole", PAGEABLE, false, true, 1},
    {"in parts, slow", PAGEABLE, false, false, 1e-6},
    {"in parts, fast", PAGEABLE, false, false, 1e9},
};

static void go(const struct way *way)
{
    sharing.copying_pays = sharing.waking_pays = way->is_alone && way->guess > 0 ? 1e30 : 0;
    sharing.together_pays = sharing.copying_pays;
    sharing.alone_takes = way->is_whole ? 0 : 1e30;
    sharing.together_takes = way->is_whole ? 1e30 : 0;
    sharing.copying_factor = sharing.costly = way->guess > 0 ? 0 : 1e30;
    sharing.guess = way->guess;
    sharing.longest_batch = 1e6;
    sharing.hope = way->guess < 1 ? 0 : 1e30; /* a slow GPU is known to be, a fast one is taken to stay so */
    sharing.whole = way->is_whole ? SIZE_MAX : 0;
    sharing.buffer = 5000;
    sharing.buffers = 1 << 20;
    sharing.first_batch = 9000;
}

HELPER const struct way *way_of(const char *name)
{
    const struct way *way = ways;
    while (strcmp(way->name, name) != 0) way++;
    return way;
}

static void *pageable, *pinned;

static void set_up(void)
{
    need_gpu();
    CHECK(cudaFree(NULL)); /* the program uses CUDA */
    pageable = malloc(MOST_BYTES);
    cr_assert(pageable != NULL, "no memory");
    fill_u64((u64 *)pageable, MOST_BYTES / 8, 9);
    CHECK(cudaMallocHost(&pinned, MOST_BYTES));
    memcpy(pinned, pageable, MOST_BYTES);
}

static void tear_down(void)
{
    CHECK(cudaFreeHost(pinned));
    free(pageable);
}

TestSuite(host, .init = set_up, .fini = tear_down);

/* ---- Bits ------------------------------------------------------------------------------------------- */

#define EXPECT_SAME(NAME, T, CALL_OF_RESULT, CPU, n)                                                      \
    do {                                                                                                  \
        T got;                                                                                            \
        const T cpu = CPU;                                                                                \
        memset(&got, 0x5a, sizeof got);                                                                   \
        CHECK(CALL_OF_RESULT);                                                                            \
        cr_expect(SAME_BITS(got, cpu), #NAME " of %zu, %s: %s, not %s", n, ways[w].name, BITS(got), BITS(cpu)); \
        cr_expect(cudaPeekAtLastError() == cudaSuccess, "%s leaves an error", ways[w].name);              \
    } while (0)

#define FOR_WAYS(size, n, BODY)                                                                           \
    do {                                                                                                  \
        size_t numbers[MOST_EDGES];                                                                       \
        const size_t found = edges(size, MOST_BYTES, numbers);                                            \
        cr_assert(found > 3, "no regions");                                                               \
        for (size_t w = 0; w < COUNT(ways); w++) {                                                        \
            const void *const memory = ways[w].memory == PINNED ? pinned : pageable;                      \
            go(&ways[w]);                                                                                 \
            for (size_t k = 0; k < found; k++) {                                                          \
                const size_t n = numbers[k];                                                              \
                if (is_due(k + w) || k >= found - 1) BODY;                                                \
            }                                                                                             \
        }                                                                                                 \
    } while (0)

#define TEST_OF(NAME, In, T)                                                                              \
    Test(host, NAME)                                                                                      \
    {                                                                                                     \
        FOR_WAYS(sizeof(In), n,                                                                           \
                 EXPECT_SAME(NAME, T, NAME((const In *)memory, n, &got), NAME##_cpu((const In *)memory, n), n)); \
    }

TEST_OF(reduce_int_max, int, int)
TEST_OF(reduce_u64_trace, u64, u64)
TEST_OF(trace6, words6, words6)
TEST_OF(at, u8, u64)
TEST_OF(of_3, words3, u8)
#ifndef FEW_TYPES
TEST_OF(trace16, words16, words16)
#endif

Test(host, reduce_float_sum)
{
    fill_float((float *)pageable, MOST_BYTES / sizeof(float), 3);
    memcpy(pinned, pageable, MOST_BYTES);
    FOR_WAYS(sizeof(float), n,
             EXPECT_SAME(reduce_float_sum, float, reduce_float_sum((const float *)memory, n, &got),
                         reduce_float_sum_cpu((const float *)memory, n), n));
}

Test(host, both)
{
    FOR_WAYS(sizeof(u32), n,
             EXPECT_SAME(both, u64, both((const u8 *)memory + 3, (const u32 *)memory, n, &got),
                         both_cpu((const u8 *)memory + 3, (const u32 *)memory, n), n));
}

Test(host, from)
{
    const centre c = {55};
    FOR_WAYS(sizeof(u16), n,
             EXPECT_SAME(from, u64, from((const u16 *)memory + 1, n, c, &got), from_cpu((const u16 *)memory + 1, n, c), n));
}

/* One array in pinned memory, the other in pageable memory; or one on the device. */
Test(host, arrays_in_two_kinds_of_memory)
{
    const size_t n = 50001;
    const u8 *const x = (const u8 *)pageable, *const x_pinned = (const u8 *)pinned;
    const u32 *const y = (const u32 *)pageable;
    u32 *const y_there = (u32 *)to_device(pageable, n * sizeof *y);
    for (size_t w = 0; w < COUNT(ways); w++) {
        go(&ways[w]);
        EXPECT_SAME(both, u64, both(x_pinned, y, n, &got), both_cpu(x, y, n), n);
        EXPECT_SAME(both, u64, both(x, y_there, n, &got), both_cpu(x, y, n), n);
        EXPECT_SAME(both, u64, both(x_pinned, y_there, n, &got), both_cpu(x, y, n), n);
    }
    CHECK(cudaFree(y_there));
}

/* An array whose first half is registered is reduced by the CPU; with both halves registered the GPU reaches it. */
Test(host, registered_in_part)
{
    enum { FIRST = 50 * 4096, SECOND = 52 * 4096, BEFORE = 150000, FEW = 100000 };
    const size_t n = MOST_BYTES / sizeof(u64);
    char *const array = (char *)aligned_alloc(4096, FIRST + SECOND);
    cr_assert(array != NULL, "no memory");
    memcpy(array, pageable, MOST_BYTES);
    CHECK(cudaHostRegister(array, FIRST, cudaHostRegisterDefault));
    for (int halves = 1; halves <= 2; halves++) {
        if (halves == 2) CHECK(cudaHostRegister(array + FIRST, SECOND, cudaHostRegisterDefault));
        for (size_t w = 0; w < COUNT(ways); w++) {
            if (ways[w].memory != PINNED) continue;
            go(&ways[w]);
#ifdef SIMT
            const long launches = simt_calls("launch");
#endif
            EXPECT_SAME(reduce_u64_trace, u64, reduce_u64_trace((const u64 *)(void *)array, n, &got),
                        reduce_u64_trace_cpu((const u64 *)pageable, n), n);
            EXPECT_SAME(both, u64, both((const u8 *)array + BEFORE, (const u32 *)pinned, FEW, &got),
                        both_cpu((const u8 *)pageable + BEFORE, (const u32 *)pageable, FEW), (size_t)FEW);
#ifdef SIMT
            cr_expect(halves == 2 || simt_calls("launch") == launches, "%s: the GPU works", ways[w].name);
#endif
        }
    }
    /* Now the second part alone. */
    CHECK(cudaHostUnregister(array));
    for (size_t w = 0; w < COUNT(ways); w++) {
        if (ways[w].memory != PAGEABLE) continue;
        go(&ways[w]);
        EXPECT_SAME(reduce_u64_trace, u64, reduce_u64_trace((const u64 *)(void *)array, n, &got),
                    reduce_u64_trace_cpu((const u64 *)pageable, n), n);
    }
    CHECK(cudaHostUnregister(array + FIRST));
    free(array);
}

/* The CPU's part of the work in the loops of threads, here with a thread that is not the caller's. */
Test(host, a_caller_that_is_late)
{
    const size_t n = MOST_BYTES / sizeof(u64);
    u64 got = 0;
    char partials[REDUCE_MAX_CHUNKS * sizeof got] __attribute__((aligned(64)));
    struct reduce_work_ share;
    const struct reduce_cpu_ cpu = reduce_u64_trace_on_cpu_();
    const reduce_u64_trace_input_ in = {(const u64 *)pageable};
    struct reduce_range_ array = REDUCE_RANGE_(pageable, n, u64);
    const struct reduce_call_ call = {&cpu, &in, sizeof in, &array, 1, n,
                                      reduce_u64_trace_is_dense_, false, reduce_u64_trace_kernel_start_};
    memset(&share, 0, sizeof share);
    share.call_ = &call;
    share.cut_ = reduce_cut_(n, sizeof(u64));
    share.partials_ = partials;
    reduce_thread_works_(&share, false);
    reduce_thread_works_(&share, true);
    reduce_cpu_fold_partials_(&cpu, partials, share.cut_.count_, &got);
    cr_expect(got == reduce_u64_trace_cpu((const u64 *)pageable, n), "%s", BITS(got));
    cr_expect(share.reduced_ == share.cut_.count_, "%llu chunks", (u64)share.reduced_);
}

/* Main memory is short: an error, and nothing else. */
Test(host, memory_is_short)
{
    go(way_of("in place, slow"));
    u64 got = UNTOUCHED;
    memory_is_short = true;
    const cudaError_t status = reduce_u64_trace((const u64 *)pinned, 40000, &got);
    cr_expect(status == cudaErrorMemoryAllocation, "%s", cudaGetErrorName(status));
    cr_expect(got == UNTOUCHED, "%s", BITS(got));
    memory_is_short = false;
    CHECK(reduce_u64_trace((const u64 *)pinned, 40000, &got));
    cr_expect(got == reduce_u64_trace_cpu((const u64 *)pinned, 40000), "%s", BITS(got));
}

/* A chunk that does not fit the buffers: the CPU works alone. */
Test(host, chunks_that_fit_no_buffer)
{
    const size_t n = MOST_BYTES / sizeof(u64);
    u64 got = 0;
    go(way_of("in parts, slow"));
    sharing.buffers = 2 * 256;
    CHECK(reduce_u64_trace((const u64 *)pageable, n, &got));
    cr_expect(got == reduce_u64_trace_cpu((const u64 *)pageable, n), "%s", BITS(got));
}

/* Buffers for few batches; a GPU that turns out to be faster than the guess; a CPU that is of no use, however few chunks the
   GPU would be done with meanwhile; copying that takes longer than reducing. */
static void expect_trace(const char *what, const void *in)
{
    const size_t n = MOST_BYTES / sizeof(u64);
    u64 got = 0;
    CHECK(reduce_u64_trace((const u64 *)in, n, &got));
    cr_expect(got == reduce_u64_trace_cpu((const u64 *)in, n), "%s: %s", what, BITS(got));
}

Test(host, other_settings)
{
    go(way_of("in parts, slow"));
    sharing.buffers = 15000;
    expect_trace("buffers for two batches", pageable);
    go(way_of("in place, slow"));
    sharing.hope = 1e30;
    expect_trace("faster than the guess", pinned);
    go(way_of("in place, slow"));
    sharing.slower = 0;
    expect_trace("a slow CPU", pinned);
    sharing.slower = 1e30;
    go(way_of("an ordinary map"));
    clock_slows_down = true;
    expect_trace("slow copies", pageable);
}

/* A pinned array goes the way that should take the shortest time. */
Test(host, the_shortest_way)
{
    static const struct { double cpu, together_pays, alone_takes, together_takes; enum reduce_reach_ way; } cases[] = {
        {99, 200, 80, 0, REDUCE_NOT_AT_ALL_},   {101, 200, 80, 0, REDUCE_ALONE_},      {200, 200, 80, 0, REDUCE_ALONE_},
        {201, 200, 80, 0, REDUCE_IN_PLACE_},    {201, 200, 80, 120, REDUCE_ALONE_},    {380, 200, 80, 81, REDUCE_IN_PLACE_},
        {20, 10, 80, 89, REDUCE_IN_PLACE_},     {20, 10, 80, 91, REDUCE_ALONE_},
    };
    const u64 elements[25] = {0};
    struct reduce_range_ array = REDUCE_RANGE_(elements, 25, u64);
    struct reduce_call_ call;
    memset(&call, 0, sizeof call);
    call.arrays_ = &array, call.count_ = 1, call.n = 25;
    sharing.guess = 10; /* 200 bytes take 20 */
    for (size_t k = 0; k < COUNT(cases); k++) {
        sharing.together_pays = cases[k].together_pays;
        sharing.alone_takes = cases[k].alone_takes;
        sharing.together_takes = cases[k].together_takes;
        const enum reduce_reach_ way = reduce_reach_pinned_(&call, cases[k].cpu);
        cr_expect(way == cases[k].way, "case %zu: way %d", k, (int)way);
    }
}

/* What the caller's thread learns of its own speed, where reducing takes some nanoseconds for each call and for each element, and
   how many elements it reduces for that. Elements have 8 bytes, so a glance is at 8 of them, a probe at 128, the longest at 1024
   twice. Copying takes no time here. */
static long long takes_a_call, takes_an_element, walked;
static void walk_by_clock(const struct reduce_cpu_ *, const void *, size_t begin, size_t end, size_t, char *, size_t)
{
    steps += takes_a_call + takes_an_element * (long long)(end - begin);
    walked += (long long)(end - begin);
}

Test(host, the_pace)
{
    enum { MANY = MOST_BYTES / 8 };
    static const struct {
        long long call, element;
        size_t n;
        double enough, costly, cheap;
        bool is_pinned, is_costly;
        double each;
        long long walked;
    } cases[] = {
        {0, 90, MANY, 0, 10, 0, false, true, 90, 16},              /* costly at a glance, and once more */
        {0, 70, MANY, 80, 10, 0, false, false, 70, 8},             /* fast enough at a glance */
        {560, 10, MANY, 20, 10, 0, false, false, 14.375, 136},     /* fast enough by a probe */
        {40, 70, MANY, 0, 10, 8.78, false, false, 70.3125, 136},   /* cheap by the difference, 70, not by the probe */
        {40, 70, MANY, 0, 10, 8.74, false, true, 70.0390625, 2184}, /* not cheap */
        {40, 70, MANY, 0, 10, 8.78, true, true, 70.0390625, 2184}, /* cheap, but pinned */
        {40, 70, 8 * 1024, 0, 10, 0, false, false, 70.3125, 136},  /* too short for more */
        {40, 70, 8 * 1024 + 1, 0, 10, 0, false, true, 70.0390625, 2184},
    };
    struct reduce_cpu_ cpu = reduce_u64_trace_on_cpu_();
    struct reduce_call_ call;
    struct reduce_range_ array = REDUCE_RANGE_(pageable, MOST_BYTES / 8, u64);
    memset(&call, 0, sizeof call);
    cpu.walk_ = walk_by_clock;
    cpu.fold_ = NULL;
    call.cpu_ = &cpu, call.arrays_ = &array, call.count_ = 1;
    sharing.copying_factor = 1;
    clock_is_moved = true;
    for (size_t k = 0; k < COUNT(cases); k++) {
        call.n = cases[k].n;
        walked = 0;
        takes_a_call = cases[k].call, takes_an_element = cases[k].element;
        sharing.costly = cases[k].costly, sharing.cheap = cases[k].cheap;
        const struct reduce_pace_ pace = reduce_pace_(&call, cases[k].enough, cases[k].is_pinned);
        cr_expect(pace.each_ == cases[k].each && pace.is_costly_ == cases[k].is_costly && walked == cases[k].walked,
                  "case %zu: %f, %d, %lld", k, pace.each_, pace.is_costly_, walked);
    }
}

/* The GPU is to be given work as long as a batch is being filled or waits for its launch. */
Test(host, is_fed)
{
    static const unsigned states[][3] = {{REDUCE_EMPTY_, REDUCE_RUNNING_, false}, {REDUCE_FILLING_, REDUCE_RUNNING_, true},
                                         {REDUCE_RUNNING_, REDUCE_FULL_, true}, {REDUCE_EMPTY_, REDUCE_EMPTY_, false}};
    struct reduce_work_ share;
    memset(&share, 0, sizeof share);
    share.gpu_.batches_count_ = 2;
    for (size_t k = 0; k < COUNT(states); k++) {
        for (size_t b = 0; b < 2; b++) share.gpu_.batches_[b].state_ = states[k][b];
        cr_expect(reduce_gpu_is_fed_(&share) == states[k][2], "states %zu", k);
    }
}

#ifdef _OPENMP
/* Threads claim chunks at the same time, from both ends: each chunk comes to one. */
Test(host, claims)
{
    enum { CHUNKS = 1 << 22 };
    static unsigned char claims[CHUNKS];
    struct reduce_work_ share;
    memset(&share, 0, sizeof share);
    share.cut_.count_ = CHUNKS;
#pragma omp parallel num_threads(2)
    {
        const bool from_back = omp_get_thread_num() == 1;
        unsigned first, some;
#pragma omp barrier
        while ((some = reduce_claim_(&share, 1 + from_back, from_back, &first)) > 0)
            for (unsigned c = 0; c < some; c++) claims[first + c]++;
    }
    for (size_t k = 0; k < CHUNKS; k++) cr_assert(claims[k] == 1, "chunk %zu: %d times", k, claims[k]);
}

/* Calls by threads of OpenMP: each is one thread. */
Test(host, in_a_parallel_region)
{
    const size_t n = MOST_BYTES / sizeof(u64);
    const u64 expected = reduce_u64_trace_cpu((const u64 *)pageable, n);
    for (size_t w = 0; w < COUNT(ways); w++) {
        u64 got[2] = {0, 0};
        go(&ways[w]);
#pragma omp parallel for num_threads(2)
        for (int k = 0; k < 2; k++)
            if (reduce_u64_trace((const u64 *)(ways[w].memory == PINNED ? pinned : pageable), n, &got[k]) != cudaSuccess)
                got[k] = UNTOUCHED;
        for (int k = 0; k < 2; k++) cr_expect(got[k] == expected, "%s, thread %d: %s", ways[w].name, k, BITS(got[k]));
    }
}
#endif

/* The default stream's work is done before the array is read. */
static __global__ void overwrites(u64 *to, size_t n)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) to[i] = i * i + 1;
}

Test(host, waits_for_the_default_stream)
{
    enum { N = 30000 };
    u64 *const in = (u64 *)pinned;
    u64 *const expected = (u64 *)pageable;
    for (size_t i = 0; i < N; i++) expected[i] = i * i + 1;
    for (size_t w = 0; w < COUNT(ways); w++) {
        u64 got = 0;
        if (ways[w].memory != PINNED) continue;
        go(&ways[w]);
        memset(in, 0, N * sizeof *in);
        overwrites<<<1, 32>>>(in, N);
        CHECK(reduce_u64_trace(in, N, &got));
        cr_expect(got == reduce_u64_trace_cpu(expected, N), "%s: %s", ways[w].name, BITS(got));
    }
}

/* The same where one of two arrays is pinned, or an array's end or its beginning, where no device can reach what is pinned, and
   where a context points to it. */
Test(host, waits_for_all_that_is_read)
{
    enum { N = 30000, HALF = 16384 };
    u64 *const in = (u64 *)pageable, *const written = (u64 *)pinned;
    u64 *const array = (u64 *)aligned_alloc(4096, 3 * HALF * sizeof *array);
    cr_assert(array != NULL, "no memory");
    for (size_t i = 0; i < N; i++) in[i] = i * i + 1;
    for (size_t k = 0; k < 3; k++) memcpy(array + k * HALF, in, HALF * sizeof *array);
    const u64 of_both = both_cpu((u8 *)in, (u32 *)(void *)in, HALF);
    const u64 of_end = reduce_u64_trace_cpu(array, 2 * HALF), of_beginning = reduce_u64_trace_cpu(array + HALF, HALF + 1);
    const u64 expected[] = {of_both, of_both, of_end, of_beginning, reduce_u64_trace_cpu(in, HALF), looked_up_cpu(in, N, in),
                            at_cpu((u8 *)array, HALF * sizeof *array + 1)};
    CHECK(cudaHostRegister(array + HALF, HALF * sizeof *array, cudaHostRegisterDefault));
    for (size_t w = 0; w < COUNT(ways); w++) {
        for (size_t read = 0; read < COUNT(expected); read++) {
            u64 got = 0, *const to = read == 2 || read == 3 || read == 6 ? array + HALF : written;
            const u8 *const bytes = (const u8 *)(read == 0 ? written : in);
            const u32 *const words = (const u32 *)(void *)(read == 1 ? written : in);
            memset(to, 0, HALF * sizeof *to);
            go(&ways[w]);
            overwrites<<<1, 32>>>(to, HALF);
            nothing_is_mapped = read == 4;
            switch (read) {
                case 2: CHECK(reduce_u64_trace(array, 2 * HALF, &got)); break;
                case 3: CHECK(reduce_u64_trace(array + HALF, HALF + 1, &got)); break;
                case 4: CHECK(reduce_u64_trace(written, HALF, &got)); break;
                case 5: CHECK(looked_up(in, N, written, &got)); break;
                case 6: CHECK(at((u8 *)array, HALF * sizeof *array + 1, &got)); break; /* its last byte */
                default: CHECK(both(bytes, words, HALF, &got));
            }
            nothing_is_mapped = false;
            cr_expect(got == expected[read], "%s, case %zu: %s", ways[w].name, read, BITS(got));
        }
    }
    CHECK(cudaHostUnregister(array + HALF));
    free(array);
}

/* Where the GPU takes part in ordinary memory, its kernels come after those of the default stream. */
static __global__ void sets(u64 *to, u64 value) { *to = value; }

Test(host, takes_part_after_the_default_stream)
{
    enum { N = 30000 };
    const u64 *const in = (const u64 *)pageable;
    for (size_t w = 0; w < COUNT(ways); w++) {
        u64 got = 0;
        if (ways[w].memory == PINNED || ways[w].is_alone || ways[w].guess == 0) continue;
        shift = 0;
        go(&ways[w]);
        sets<<<1, 1>>>(&shift, 7);
        CHECK(shifted(in, N, &got));
        cr_expect(shift == 7 && got == shifted_cpu(in, N), "%s: %s", ways[w].name, BITS(got));
    }
}

/* A device that has access to ordinary memory may write it. */
static void set_up_access(void)
{
    setenv("SIMT_PAGEABLE", "1", 1);
    set_up();
}

Test(host_access, waits_for_the_default_stream, .init = set_up_access, .fini = tear_down)
{
    enum { N = 30000 };
    u64 *const in = (u64 *)pageable, *const expected = (u64 *)pinned;
    int has_access = 0;
    CHECK(cudaDeviceGetAttribute(&has_access, cudaDevAttrPageableMemoryAccess, 0));
    for (size_t i = 0; i < N; i++) expected[i] = i * i + 1;
    for (size_t w = 0; w < COUNT(ways) && has_access; w++) {
        u64 got = 0;
        if (ways[w].memory == PINNED) continue;
        go(&ways[w]);
        memset(in, 0, N * sizeof *in);
        overwrites<<<1, 32>>>(in, N);
        CHECK(reduce_u64_trace(in, N, &got));
        cr_expect(got == reduce_u64_trace_cpu(expected, N), "%s: %s", ways[w].name, BITS(got));
    }
}

/* No look at the CPU's speed where it would change nothing: at few elements, and at plain reductions that the CPU ends before
   the GPU would pay, with as many elements as a thread has. */
Test(host, the_look_is_left_out)
{
    static const struct { size_t n; double plain_takes, pays; size_t few; bool is_plain, looks; } cases[] = {
        {2000, 1, 16001, 0, true, false},  {2000, 1, 16000, 0, true, true},     {2000, 1, 16001, 0, false, true},
        {2000, 1, 0, 16000, false, false}, {2000, 1, 0, 15999, false, true},    {2000, 2, 16001, 0, true, true},
    };
    struct reduce_cpu_ cpu = reduce_u64_trace_on_cpu_();
    struct reduce_range_ array = REDUCE_RANGE_(pageable, 2000, u64);
    struct reduce_call_ call;
    struct reduce_work_ work;
    memset(&call, 0, sizeof call);
    memset(&work, 0, sizeof work);
    cpu.walk_ = walk_by_clock;
    cpu.fold_ = NULL;
    call.cpu_ = &cpu, call.arrays_ = &array, call.count_ = 1;
    work.call_ = &call, work.threads_ = 1, work.cut_.chunk_ = 1;
    sharing.costly = 1e30;
    clock_is_moved = true;
    for (size_t k = 0; k < COUNT(cases); k++) {
        call.n = cases[k].n, call.is_plain_ = cases[k].is_plain;
        sharing.plain_takes = cases[k].plain_takes, sharing.copying_pays = cases[k].pays, sharing.few = cases[k].few;
        walked = 0;
        const enum reduce_reach_ reach = reduce_reach_(&work, true, false);
        cr_expect(reach == REDUCE_NOT_AT_ALL_ && (walked > 0) == cases[k].looks, "case %zu: way %d, %lld", k, (int)reach, walked);
    }
    work.cut_.count_ = 2, work.threads_ = 4; /* 500 elements */
    call.is_plain_ = true, sharing.plain_takes = 1, sharing.copying_pays = 4001, sharing.few = 0, walked = 0;
    (void)reduce_reach_(&work, true, false);
    cr_expect(walked == 0, "a look, for few elements of a thread");
}

/* Plain: a built-in operator on numbers that the CPU computes, and no map. */
#define EXPECT_PLAIN(NAME, In, T, is_plain)                                                               \
    do {                                                                                                  \
        T got;                                                                                            \
        readings = 0;                                                                                     \
        CHECK(NAME((const In *)pageable, 1000, &got));                                                    \
        cr_expect((readings == 0) == is_plain, "%s reads the clock %lld times", #NAME, readings);         \
    } while (0)

Test(host, plain_reductions)
{
    go(way_of("the CPU alone"));
    sharing.plain_takes = 1;
    EXPECT_PLAIN(reduce_float_sum, float, float, true);
    EXPECT_PLAIN(reduce_int_max, int, int, true);
    EXPECT_PLAIN(reduce___half_sum, __half, __half, false);
    EXPECT_PLAIN(low_bits, int, int, false);
    EXPECT_PLAIN(reduce_u64_trace, u64, u64, false);
    EXPECT_PLAIN(trace6, words6, words6, false);
}

#ifndef SIMT
/* Hardly any memory is left on the device: arrays of more than that are no different. */
Test(host, more_than_the_device_has_room_for)
{
    enum { TAKEN = 4096 };
    static void *taken[TAKEN];
    const size_t size = (size_t)256 << 20, n = size / sizeof(u64);
    size_t count = 0, left, all;
    u64 *const large = (u64 *)malloc(size), *large_pinned;
    cr_assert(large != NULL, "no memory");
    fill_u64(large, n, 8);
    CHECK(cudaMallocHost((void **)&large_pinned, size));
    memcpy(large_pinned, large, size);
    const u64 expected = reduce_u64_trace_cpu(large, n);
    for (size_t room = (size_t)1 << 40; room >= (size_t)1 << 24; room /= 2)
        while (count < TAKEN && cudaMalloc(&taken[count], room) == cudaSuccess) count++;
    (void)cudaGetLastError();
    CHECK(cudaFree(taken[--count]));
    CHECK(cudaMemGetInfo(&left, &all));
    cr_expect(left < size, "%zu bytes are left", left);
    for (size_t w = 0; w < COUNT(ways); w++) {
        if (ways[w].is_whole) continue;
        go(&ways[w]);
        EXPECT_SAME(reduce_u64_trace, u64,
                    reduce_u64_trace(ways[w].memory == PINNED ? large_pinned : large, n, &got), expected, n);
    }
    while (count > 0) CHECK(cudaFree(taken[--count]));
    CHECK(cudaFreeHost(large_pinned));
    free(large);
}
#endif

/* ---- Calls of CUDA's -------------------------------------------------------------------------------- */

#ifdef SIMT
static const char *const kinds[] = {"malloc", "free", "memcpy", "memset", "launch", "stream", "event", "sync", "graph", "device"};
enum { N = 40000 };

static u64 call_on(const struct way *way, u64 *got)
{
    go(way);
    *got = UNTOUCHED;
    return (u64)reduce_u64_trace((const u64 *)(way->memory == PINNED ? pinned : pageable), N, got);
}

/* Which calls each way makes: that it is the way it is said to be. (Several threads may be done with all before the GPU is
   asked.) */
#ifndef _OPENMP
Test(host, ways_are_taken)
{
    for (size_t w = 0; w < COUNT(ways); w++) {
        long before[COUNT(kinds)], made[COUNT(kinds)];
        u64 got;
        for (size_t k = 0; k < COUNT(kinds); k++) before[k] = simt_calls(kinds[k]);
        cr_expect(call_on(&ways[w], &got) == cudaSuccess, "%s fails", ways[w].name);
        for (size_t k = 0; k < COUNT(kinds); k++) made[k] = simt_calls(kinds[k]) - before[k];
        const long copies = made[2], launches = made[4], streams = made[5];
        cr_expect(made[3] == ways[w].is_whole, "%s: %ld times memory is set", ways[w].name, made[3]);
        if (ways[w].is_alone) cr_expect(launches == 0 && made[0] == 0, "%s: %ld launches", ways[w].name, launches);
        else if (ways[w].is_whole) cr_expect(launches == 1 && streams == 0, "%s: %ld launches", ways[w].name, launches);
        else cr_expect(launches >= 1 && streams >= 2, "%s: %ld launches, %ld of streams", ways[w].name, launches, streams);
        if (ways[w].is_whole) /* the result, and what is not read in place */
            cr_expect(copies == (ways[w].memory == PINNED ? 1 : 2), "%s: %ld copies", ways[w].name, copies);
        else if (ways[w].memory == PINNED && !ways[w].is_alone) /* each word of the partial results */
            cr_expect(copies == 2, "%s: %ld copies", ways[w].name, copies);
    }
}
#endif

/* The CPU alone reduces ordinary memory while the default stream has work to do. */
Test(host, does_not_wait_for_the_default_stream)
{
    u64 *const written = (u64 *)pinned;
    for (size_t w = 0; w < COUNT(ways); w++) {
        u64 got;
        if (ways[w].memory == PINNED) continue;
        const bool waits = !ways[w].is_alone && ways[w].guess > 0;
        written[1] = 0;
        overwrites<<<1, 32>>>(written, 2);
        cr_expect(call_on(&ways[w], &got) == cudaSuccess, "%s fails", ways[w].name);
        cr_expect(got == reduce_u64_trace_cpu((const u64 *)pageable, N), "%s: %s", ways[w].name, BITS(got));
        cr_expect((written[1] != 0) == waits, "%s: the default stream's work is %sdone", ways[w].name, waits ? "not " : "");
        CHECK(cudaDeviceSynchronize());
        cr_expect(written[1] == 2, "the kernel has not run");
    }
}

/* So it may do that while a stream captures. */
Test(host, a_capture_goes_on)
{
    u64 got;
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_expect(call_on(way_of("the CPU alone"), &got) == cudaSuccess, "a capture disturbs the CPU");
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

/* Whether it waits depends on the current device. */
static void set_up_two(void)
{
    setenv("SIMT_DEVICES", "2", 1);
    setenv("SIMT_PAGEABLE", "2", 1);
    set_up();
}

Test(host_access, of_the_current_device, .init = set_up_two, .fini = tear_down)
{
    for (int device = 0; device < 2; device++) {
        u64 got;
        const long syncs = simt_calls("sync");
        CHECK(cudaSetDevice(device));
        cr_expect(call_on(way_of("the CPU alone"), &got) == cudaSuccess, "device %d: fails", device);
        cr_expect(simt_calls("sync") - syncs == device, "device %d: %ld waits", device, simt_calls("sync") - syncs);
    }
    CHECK(cudaSetDevice(0));
}

static cudaError_t by_a_way(const struct attempt *self, void *got)
{
    go(&ways[self->number]);
    return reduce_u64_trace((const u64 *)self->in, N, (u64 *)got);
}

Test(host, survives_failing_calls)
{
    const u64 expected = reduce_u64_trace_cpu((const u64 *)pageable, N);
    for (size_t w = 0; w < COUNT(ways); w++) {
        const void *const in = ways[w].memory == PINNED ? pinned : pageable;
        const struct attempt attempt = {ways[w].name, by_a_way, in, &expected, sizeof expected, (int)w, false, false};
        for (size_t k = 0; k < COUNT(kinds); k++) expect_clean_failures(&attempt, kinds[k], 0);
    }
}

/* Of two calls that fail the first one's error is returned. (A launch is sure to be made by one thread alone.) */
#ifndef _OPENMP
Test(host, returns_the_first_error)
{
    u64 got;
    simt_fail_after("launch", 1);
    simt_fail_after("free", 1);
    const u64 status = call_on(way_of("in place, slow"), &got);
    simt_clear();
    cr_expect(status == cudaErrorLaunchOutOfResources && got == UNTOUCHED, "%s", cudaGetErrorName((cudaError_t)status));
}
#endif

/* CUDA does not say where an array lies: the first of two, or the second while the first is on the device. */
Test(host, does_not_find_an_array)
{
    const size_t n = 20000;
    const u8 *const x = (const u8 *)pageable, *const x_there = (const u8 *)to_device(pageable, n);
    const u32 *const y = (const u32 *)pageable;
    go(way_of("in parts, slow"));
    for (int second = 0; second < 2; second++) {
        u64 got = UNTOUCHED;
        CHECK(both(second ? x_there : x, y, n, &got));
        cr_expect(got == both_cpu(x, y, n), "%s", BITS(got));
        got = UNTOUCHED;
        simt_fail_after("device", 2 + second); /* the first call asks for GPUs */
        const cudaError_t status = both(second ? x_there : x, y, n, &got);
        simt_clear();
        cr_expect(status != cudaSuccess && got == UNTOUCHED, "array %d: %s", second, cudaGetErrorName(status));
    }
    CHECK(cudaFree((void *)(uintptr_t)x_there));
}

/* An error that waits for the user stays, and the CPU works alone. */
Test(host, leaves_an_earlier_error)
{
    for (size_t w = 0; w < COUNT(ways); w++) {
        u64 got;
        char a = 0, b = 0;
        const cudaError_t earlier = cudaMemcpy(&a, &b, 1, (enum cudaMemcpyKind)77);
        const long launches = simt_calls("launch");
        cr_expect(call_on(&ways[w], &got) == cudaSuccess, "%s fails", ways[w].name);
        cr_expect(got == reduce_u64_trace_cpu((const u64 *)pageable, N), "%s: %s", ways[w].name, BITS(got));
        cr_expect(simt_calls("launch") == launches, "%s: the GPU works", ways[w].name);
        cr_expect(cudaGetLastError() == earlier, "%s: the error is gone", ways[w].name);
    }
}

static long all_calls(void)
{
    long calls = 0;
    for (size_t k = 0; k < COUNT(kinds); k++) calls += simt_calls(kinds[k]);
    return calls;
}

/* A program that has not used CUDA: the call does not wake the driver, unless much is to be done. */
static void asleep(void)
{
    pageable = malloc(MOST_BYTES);
    cr_assert(pageable != NULL, "no memory");
    fill_u64((u64 *)pageable, MOST_BYTES / 8, 9);
}

Test(asleep, no_call_is_made, .init = asleep)
{
    u64 got = 0;
    go(way_of("in parts, slow"));
    sharing.waking_pays = 1e30;
    CHECK(reduce_u64_trace((const u64 *)pageable, N, &got));
    cr_expect(got == reduce_u64_trace_cpu((const u64 *)pageable, N), "%s", BITS(got));
    cr_expect(all_calls() == 0, "%ld calls", all_calls());
}

/* The driver is looked for in the first call, and again when the program has loaded a library. */
Test(asleep, the_driver_is_looked_for, .init = asleep)
{
    u64 got = 0;
    int devices = 0;
    go(way_of("the CPU alone"));
    for (int call = 0; call < 3; call++) CHECK(reduce_u64_trace((const u64 *)pageable, N, &got));
    cr_expect(looks == 1 && all_calls() == 0, "%d looks, %ld calls", looks, all_calls());
    CHECK(cudaGetDeviceCount(&devices));
    for (int call = 0; call < 3; call++) CHECK(reduce_u64_trace((const u64 *)pageable, N, &got));
    cr_expect(looks == 2 && all_calls() > 1, "%d looks, %ld calls", looks, all_calls());
    cr_expect(got == reduce_u64_trace_cpu((const u64 *)pageable, N), "%s", BITS(got));
}

Test(asleep, much_to_be_done, .init = asleep)
{
    u64 got = 0;
    go(way_of("in parts, fast"));
    CHECK(reduce_u64_trace((const u64 *)pageable, N, &got));
    cr_expect(got == reduce_u64_trace_cpu((const u64 *)pageable, N), "%s", BITS(got));
    cr_expect(simt_calls("launch") > 0, "the GPU sleeps");
}

/* The GPU would help, but CUDA fails when it is woken: the CPU works alone, and no error stays. */
Test(asleep, does_not_wake, .init = asleep)
{
    u64 got = 0;
    go(way_of("in parts, fast"));
    simt_fail_after("device", 1);
    CHECK(reduce_u64_trace((const u64 *)pageable, N, &got));
    cr_expect(got == reduce_u64_trace_cpu((const u64 *)pageable, N), "%s", BITS(got));
    cr_expect(cudaGetLastError() == cudaSuccess && simt_calls("launch") == 0, "an error stays behind");
}

Test(asleep, without_a_gpu, .init = asleep)
{
    setenv("SIMT_DEVICES", "0", 1);
    for (size_t w = 0; w < COUNT(ways); w++) {
        u64 got = 0;
        if (ways[w].memory == PINNED) continue;
        go(&ways[w]);
        CHECK(reduce_u64_trace((const u64 *)pageable, N, &got));
        cr_expect(got == reduce_u64_trace_cpu((const u64 *)pageable, N), "%s: %s", ways[w].name, BITS(got));
    }
}
#endif
