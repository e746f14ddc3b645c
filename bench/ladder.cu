/*
 * What each rung of the ladder costs on this machine, beside the figures that the texts published for
 * theirs, the library's default and CUB. Every result is compared with a serial loop's before anything is
 * timed.
 *
 *     ladder [--quick] [--tiny] [--json FILE]
 *
 * --quick takes fewer rounds. --tiny takes a few thousand elements, to see that everything works: in the
 * simulator, too, whose times say nothing.
 */
#define LADDER_B6_SIZES(X, ...) X(64, __VA_ARGS__) X(512, __VA_ARGS__) X(1024, __VA_ARGS__)
#include "ladder.cuh"
#include "timing.h"
#ifndef SIMT
#include "array.h" /* for CUB */
#endif

DEFINE_REDUCE(int, sum)
DEFINE_REDUCE_ATOMIC(reduce_int_sum)
DEFINE_REDUCE_MAP(wide_sum, int, long long, x, 0, a + b)
DEFINE_REDUCE(double, sum)
DEFINE_LADDER(int, sum)
DEFINE_LADDER(double, sum)

/* Sizes and patience, by the options. */
static struct {
    bool is_tiny;
    int rounds, calls, trips;
    unsigned multiprocessors;
} plan = {false, 31, 4, 5, 1};

static size_t elements(size_t n)
{
    return plan.is_tiny ? 5000 : n;
}

static struct ladder_shape shape(unsigned blocks, unsigned threads)
{
    const struct ladder_shape wanted = {blocks, threads}, tiny = {3, 64};
    return plan.is_tiny ? tiny : wanted;
}

/* ---- Published figures ------------------------------------------------------------------------------------
 *
 * Of the texts, from other people's machines: never to be read as ours. Zero: none is known.
 */

static const char footnote[] =
    "* ms, as published, on other people's machines; how many elements they had there is not known to us.\n"
    "  Reduce 6 (G3), 0.5460 ms, is void: its guard, threadIdx.x & (warpSize - 1) == 0, means\n"
    "  threadIdx.x & ((warpSize - 1) == 0), which is never true. No warp adds anything: it is the time of\n"
    "  doing nothing, and its result is 0.\n";

/* "Reduce 1" to "Reduce 7": 512 blocks of 512 threads over int. */
static double published_reduce(enum ladder_rung rung)
{
    switch (rung) {
    case LADDER_B1: return 4.7008;
    case LADDER_B2: return 4.7484;
    case LADDER_B3: return 4.7218;
    case LADDER_B4: return 4.6226;
    case LADDER_B7: return 4.6883;
    case LADDER_G3: return 0.5460;
    case LADDER_G4: return 4.6843;
    default: return 0;
    }
}

/* A figure as JSON has it; good until the next but three. */
static const char *or_null(double figure)
{
    static char texts[4][32];
    static int next;
    char *text = texts[next++ % 4];
    if (figure == 0) return "null";
    snprintf(text, sizeof texts[0], "%.4f", figure);
    return text;
}

/* ---- Who competes -------------------------------------------------------------------------------------- */

typedef cudaError_t int_strategy(const int *in, size_t n, int *out, reduce_workspace *ws,
                                 cudaStream_t stream);

/* A rung, a strategy of the library, or neither: CUB. */
struct contender {
    const char *id, *title;
    int rung; /* or -1 */
    int_strategy *strategy;
    struct ladder_shape shape; /* of a rung's grid; no blocks when it chooses its own */
    double published_ms;
    const char *note;
};

/* What contenders work on; on the device. */
struct arena {
    int *in, *copy; /* G5 spoils its input, so it has the copy */
    size_t n;
    int *out;
    struct ladder_room room;
    reduce_workspace *ws;
    void *cub_room;
    size_t cub_bytes;
};

struct entry {
    struct contender who;
    const struct arena *arena;
    bool is_fold; /* one launch of the rung's kernel, which leaves its results in the room */
};

enum { MOST = LADDER_COUNT + 8 };

static struct contender rung_contender(enum ladder_rung rung, struct ladder_shape shape)
{
    struct contender who = {ladder_id(rung), ladder_title(rung), rung, NULL, shape, 0, ""};
    if (rung == LADDER_G5) who.shape.blocks = 0;
    if (rung == LADDER_G3 || rung == LADDER_G4) who.note = "of floats not reproducible";
    return who;
}

static struct contender strategy_contender(const char *id, const char *title, int_strategy *strategy)
{
    const struct contender who = {id, title, -1, strategy, {0, 0}, 0, ""};
    return who;
}

static void run_cub(const struct arena *arena, cudaStream_t stream)
{
#ifdef SIMT
    (void)arena;
    (void)stream;
#else
    BENCH_CHECK(array_cub_int[ARRAY_SUM].reduce(arena->in, arena->n, arena->out, arena->cub_room,
                                                arena->cub_bytes, stream));
#endif
}

static void run(const void *context, int i, cudaStream_t stream)
{
    const struct entry *entry = (const struct entry *)context;
    const struct arena *arena = entry->arena;
    const struct contender *who = &entry->who;
    (void)i;
    if (who->strategy != NULL)
        BENCH_CHECK(who->strategy(arena->in, arena->n, arena->out, arena->ws, stream));
    else if (who->rung < 0)
        run_cub(arena, stream);
    else if (entry->is_fold)
        BENCH_CHECK(reduce_int_sum_ladder_launch((enum ladder_rung)who->rung, arena->in, arena->n,
                                                 (int *)arena->room.results[0], who->shape, stream));
    else
        BENCH_CHECK(reduce_int_sum_ladder((enum ladder_rung)who->rung,
                                          who->rung == LADDER_G5 ? arena->copy : arena->in, arena->n,
                                          arena->out, &arena->room, who->shape, stream));
}

/* ---- The original of G3 -------------------------------------------------------------------------------- */

/* With the guard as C reads it. It adds nothing, and a compiler that sees this leaves nothing else of it. */
static __global__ void void_g3(const int *in, size_t n, int *out)
{
    const int x = reduce_int_sum_warp(reduce_int_sum_ladder_gather_(in, n));
    if (threadIdx.x & ((warpSize - 1) == 0)) atomicAdd(out, x);
}

static cudaError_t launch_void_g3(const int *in, size_t n, int *out, reduce_workspace *ws,
                                  cudaStream_t stream)
{
    const struct ladder_shape grid = shape(512, 512);
    (void)ws;
    void *begin[] = {&out}, *arguments[] = {&in, &n, &out};
    cudaError_t status = cudaLaunchKernel(reduce_int_sum_ladder_begin_, dim3(1), dim3(1), begin, 0, stream);
    if (status != cudaSuccess) return status;
    return cudaLaunchKernel(void_g3, dim3(grid.blocks), dim3(grid.threads), arguments, 0, stream);
}

/* ---- The arena ----------------------------------------------------------------------------------------- */

/* Element i: of the whole range of int, so that a sum of them overflows one. */
static int sample(size_t i)
{
    return (int)((i + 1) * 0x9e3779b97f4a7c15ull >> 33);
}

static int *samples(size_t n)
{
    int *data = (int *)malloc(n * sizeof *data);
    if (data == NULL) bench_fail("no memory for %zu numbers", n);
    for (size_t i = 0; i < n; i++) data[i] = sample(i);
    return data;
}

static long long serial_sum(const int *data, size_t n)
{
    long long sum = 0;
    for (size_t i = 0; i < n; i++) sum += data[i];
    return sum;
}

static struct arena arena_create(const int *data, size_t n, struct ladder_shape largest)
{
    struct arena arena;
    memset(&arena, 0, sizeof arena);
    arena.n = n;
    BENCH_CHECK(cudaMalloc((void **)&arena.in, n * sizeof(int)));
    BENCH_CHECK(cudaMalloc((void **)&arena.copy, n * sizeof(int)));
    BENCH_CHECK(cudaMalloc((void **)&arena.out, sizeof(int)));
    BENCH_CHECK(cudaMemcpy(arena.in, data, n * sizeof(int), cudaMemcpyHostToDevice));
    BENCH_CHECK(cudaMemcpy(arena.copy, data, n * sizeof(int), cudaMemcpyHostToDevice));
    BENCH_CHECK(ladder_room_create(&arena.room, largest, sizeof(int)));
    BENCH_CHECK(reduce_workspace_create(&arena.ws));
#ifndef SIMT
    arena.cub_bytes = array_cub_int[ARRAY_SUM].room(n);
#endif
    BENCH_CHECK(cudaMalloc(&arena.cub_room, arena.cub_bytes + 1));
    return arena;
}

static void arena_destroy(struct arena *arena)
{
    BENCH_CHECK(cudaFree(arena->in));
    BENCH_CHECK(cudaFree(arena->copy));
    BENCH_CHECK(cudaFree(arena->out));
    BENCH_CHECK(cudaFree(arena->cub_room));
    BENCH_CHECK(ladder_room_destroy(&arena->room));
    BENCH_CHECK(reduce_workspace_destroy(arena->ws));
}

/* Runs a contender once, and stops unless its result is the expected one. */
static void check(const struct entry *entry, int expected)
{
    const int untouched = ~expected;
    int got = untouched;
    BENCH_CHECK(cudaMemcpy(entry->arena->out, &untouched, sizeof untouched, cudaMemcpyHostToDevice));
    run(entry, 0, 0);
    BENCH_CHECK(cudaDeviceSynchronize());
    BENCH_CHECK(cudaMemcpy(&got, entry->arena->out, sizeof got, cudaMemcpyDeviceToHost));
    if (got != expected) bench_fail("%s gives %d, not %d", entry->who.id, got, expected);
}

/* The same for one launch, whose results are added here. */
static void check_fold(const struct entry *entry, int expected)
{
    const unsigned results = ladder_results((enum ladder_rung)entry->who.rung, entry->who.shape);
    int *got = (int *)malloc(results * sizeof *got);
    BENCH_CHECK(cudaMemset(entry->arena->room.results[0], 0xff, results * sizeof *got));
    run(entry, 0, 0);
    BENCH_CHECK(cudaDeviceSynchronize());
    BENCH_CHECK(
        cudaMemcpy(got, entry->arena->room.results[0], results * sizeof *got, cudaMemcpyDeviceToHost));
    if ((int)serial_sum(got, results) != expected) bench_fail("%s: the results' sum is wrong", entry->who.id);
    free(got);
}

/* What is measured together: every contender over the same elements. */
struct setup {
    const char *name, *title;
    size_t n;
    struct ladder_shape shape;
    bool is_published; /* the texts' own set-up */
    bool is_fold;      /* the first launch of W and B rungs and G6 alone: what a fold costs */
};

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void print_published(double ms)
{
    if (ms > 0)
        printf("%12g", ms);
    else
        printf("%12s", "");
}

static void print_row(const struct contender *who, const struct bench_time *time, size_t n)
{
    char grid[32] = "its own";
    if (who->shape.blocks > 0) snprintf(grid, sizeof grid, "%u x %u", who->shape.blocks, who->shape.threads);
    printf("%-13s%-44s%12s%10.4f%7.1f %%%8.0f", who->id, who->title, grid, time->median * 1e-3,
           bench_spread(*time), n * sizeof(int) * 1e-3 / time->median);
    print_published(who->published_ms);
    printf("  %s\n", who->note);
}

static void write_row(struct bench_json *json, const char *setup, const struct contender *who,
                      const struct bench_time *time, size_t n)
{
    bench_json_row(
        json,
        "\"setup\": \"%s\", \"rung\": \"%s\", \"title\": \"%s\", \"type\": \"int\", \"memory\": \"device\", "
        "\"n\": %zu, \"blocks\": %u, \"threads\": %u, \"us\": %.4f, \"low_us\": %.4f, \"high_us\": %.4f, "
        "\"gbs\": %.1f, \"published_ms\": %s, \"note\": \"%s\"",
        setup, who->id, who->title, n, who->shape.blocks, who->shape.threads, time->median, time->low,
        time->high, n * sizeof(int) * 1e-3 / time->median, or_null(who->published_ms), who->note);
}

/* Times all entries in turn. */
static void measure(const struct setup *setup, struct entry *entries, int count, struct bench_json *json)
{
    static struct bench_side sides[MOST];
    for (int k = 0; k < count; k++) {
        sides[k].call = run;
        sides[k].context = &entries[k];
    }
    bench_stream(sides, count, plan.calls, plan.rounds, 0);
    printf("%s: %zu int\n%-57s%12s%10s%9s%8s%12s\n", setup->title, setup->n, "", "grid", "ms", "spread",
           "GB/s", setup->is_published ? "published*" : "");
    for (int k = 0; k < count; k++) {
        print_row(&entries[k].who, &sides[k].time, setup->n);
        write_row(json, setup->name, &entries[k].who, &sides[k].time, setup->n);
    }
    printf("\n");
}

/* ---- Set-ups over int ---------------------------------------------------------------------------------- */

static int add_rungs(struct entry *entries, const struct arena *arena, const struct setup *setup)
{
    int count = 0;
    for (int rung = 0; rung < LADDER_COUNT; rung++) {
        if (setup->is_fold && ladder_scale((enum ladder_rung)rung) == 'G' && rung != LADDER_G6) continue;
        struct contender who = rung_contender((enum ladder_rung)rung, setup->shape);
        if (setup->is_published) who.published_ms = published_reduce((enum ladder_rung)rung);
        if (setup->is_published && rung == LADDER_G3) who.note = "published: void, see below";
        entries[count].who = who;
        entries[count].is_fold = setup->is_fold;
        entries[count++].arena = arena;
    }
    return count;
}

static int add_library(struct entry *entries, const struct arena *arena)
{
    const struct contender library[] = {
        strategy_contender("two_launch", "library: NAME_two_launch", reduce_int_sum_two_launch),
        strategy_contender("last_block", "library: NAME_last_block", reduce_int_sum_last_block),
        strategy_contender("atomic_warp", "library: NAME_atomic_warp", reduce_int_sum_atomic_warp),
        strategy_contender("atomic_block", "library: NAME_atomic_block", reduce_int_sum_atomic_block),
        strategy_contender("async", "library: NAME_async, the default", reduce_int_sum_async),
#ifndef SIMT
        strategy_contender("cub", "CUB: DeviceReduce::Sum", NULL),
#endif
    };
    const int count = (int)(sizeof library / sizeof *library);
    for (int k = 0; k < count; k++) {
        entries[k].who = library[k];
        entries[k].arena = arena;
    }
    return count;
}

/* The contenders of a set-up, each checked. The texts' own ends with their void kernel. */
static int gather_entries(struct entry *entries, const struct arena *arena, const struct setup *setup,
                          int expected)
{
    memset(entries, 0, MOST * sizeof *entries);
    int count = add_rungs(entries, arena, setup);
    if (!setup->is_fold) count += add_library(entries + count, arena);
    for (int k = 0; k < count; k++) {
        bench_progress(k, count, setup->name);
        if (setup->is_fold)
            check_fold(&entries[k], expected);
        else
            check(&entries[k], expected);
    }
    bench_progress(count, count, setup->name);
    if (setup->is_published) {
        entries[count].who =
            strategy_contender("G3 void", "G3 as published: it adds nothing", launch_void_g3);
        entries[count].arena = arena;
        check(&entries[count], 0);
        entries[count].who.shape = setup->shape;
        entries[count++].who.note = "result: 0";
    }
    return count;
}

static void measure_ints(struct setup setup, struct bench_json *json)
{
    static struct entry entries[MOST];
    int *data = samples(setup.n);
    struct arena arena = arena_create(data, setup.n, setup.shape);
    const int count = gather_entries(entries, &arena, &setup, (int)serial_sum(data, setup.n));
    measure(&setup, entries, count, json);
    arena_destroy(&arena);
    free(data);
}

/* ---- Whole trips --------------------------------------------------------------------------------------- */

/* In microseconds; kernels is 0 where they are not told apart. */
struct trip_time {
    struct bench_time total, kernels;
};

/* A trip from main memory and back: by a rung, or by a call of the library. */
struct trip {
    const char *id, *title;
    enum ladder_rung rung;
    enum ladder_memory memory;
    double published_total_ms, published_ms;
    struct trip_time time;
};

static const char *memory_name(enum ladder_memory memory)
{
    return memory == LADDER_MANAGED ? "managed" : memory == LADDER_FROM_MANAGED ? "from managed" : "device";
}

static void print_trip(const struct trip *trip)
{
    char kernels[32] = "";
    if (trip->time.kernels.median > 0)
        snprintf(kernels, sizeof kernels, "%.4f", trip->time.kernels.median * 1e-3);
    printf("%-13s%-56s%10.2f%7.1f %%%10s", trip->id, trip->title, trip->time.total.median * 1e-3,
           bench_spread(trip->time.total), kernels);
    print_published(trip->published_total_ms);
    print_published(trip->published_ms);
    printf("\n");
}

static void write_trip(struct bench_json *json, const char *type, size_t n, const struct trip *trip)
{
    bench_json_row(
        json,
        "\"setup\": \"trips\", \"rung\": \"%s\", \"title\": \"%s\", \"type\": \"%s\", \"memory\": \"%s\", "
        "\"n\": %zu, \"total_us\": %.1f, \"low_total_us\": %.1f, \"high_total_us\": %.1f, \"us\": %s, "
        "\"published_total_ms\": %s, \"published_ms\": %s",
        trip->id, trip->title, type, memory_name(trip->memory), n, trip->time.total.median,
        trip->time.total.low, trip->time.total.high, or_null(trip->time.kernels.median),
        or_null(trip->published_total_ms), or_null(trip->published_ms));
}

static void report_trips(const char *type, size_t n, unsigned threads, const struct trip *trips, int count,
                         struct bench_json *json)
{
    printf("Whole trips from main memory and back, blocks of %u: %zu %s\n%-69s%10s%9s%10s%12s%12s\n", threads,
           n, type, "", "total ms", "spread", "kernels", "published*", "kernels*");
    for (int k = 0; k < count; k++) {
        print_trip(&trips[k]);
        write_trip(json, type, n, &trips[k]);
    }
    printf("\n");
}

/* struct trip_time T_trip_time(...): checks a trip's result, then takes its times. */
#define DEFINE_TRIP_TIME(T)                                                                               \
    static struct trip_time T##_trip_time(const struct trip *trip, const T *data, size_t n, T expected,   \
                                          struct ladder_shape shape)                                      \
    {                                                                                                     \
        double total[BENCH_MAX_ROUNDS], kernels[BENCH_MAX_ROUNDS];                                        \
        for (int k = -1; k < plan.trips; k++) {                                                           \
            T got = -1;                                                                                   \
            float ms = 0;                                                                                 \
            const double begin = bench_now();                                                             \
            BENCH_CHECK(reduce_##T##_sum_ladder_trip(trip->rung, trip->memory, data, n, shape, &got, &ms)); \
            if (got != expected) bench_fail("%s, %s: another sum", trip->id, memory_name(trip->memory));  \
            if (k < 0) continue; /* a first one, to warm up */                                            \
            total[k] = bench_now() - begin;                                                               \
            kernels[k] = ms * 1e3;                                                                        \
        }                                                                                                 \
        const struct trip_time time = {bench_summary(total, plan.trips),                                  \
                                       bench_summary(kernels, plan.trips)};                               \
        return time;                                                                                      \
    }

DEFINE_TRIP_TIME(int)
DEFINE_TRIP_TIME(double)

/* The texts' comparison of G6, total and kernels, over double. */
static void measure_doubles(size_t n, struct ladder_shape shape, struct bench_json *json)
{
    struct trip trips[] = {
        {"B3", "__syncthreads(), device memory from managed", LADDER_B3, LADDER_FROM_MANAGED, 188, 2.28, {}},
        {"G6", "cooperative groups, managed memory", LADDER_G6, LADDER_MANAGED, 220, 2.02, {}},
        {"G6", "cooperative groups, device from managed", LADDER_G6, LADDER_FROM_MANAGED, 189, 2.67, {}},
        {"G6", "cooperative groups, device memory only", LADDER_G6, LADDER_DEVICE, 55, 2.67, {}},
        {"B4", "__syncthreads() and shuffles, device memory only", LADDER_B4, LADDER_DEVICE, 49, 2.27, {}},
        {"B7", "the library's block, two launches, device only", LADDER_B7, LADDER_DEVICE, 0, 0, {}},
        {"G2", "the library's block, the last block, device only", LADDER_G2, LADDER_DEVICE, 0, 0, {}},
    };
    const int count = (int)(sizeof trips / sizeof *trips);
    double *data = (double *)malloc(n * sizeof *data), expected = 0;
    if (data == NULL) bench_fail("no memory for %zu numbers", n);
    for (size_t i = 0; i < n; i++) expected += data[i] = sample(i) % 1000; /* exact in any order */
    for (int k = 0; k < count; k++) {
        bench_progress(k, count, "trips of double");
        trips[k].time = double_trip_time(&trips[k], data, n, expected, shape);
    }
    bench_progress(count, count, "trips of double");
    report_trips("double", n, shape.threads, trips, count, json);
    free(data);
}

/* H1 by the library: NAME(in, n, &result). */
#define DEFINE_CALL_TIME(NAME, T)                                                                         \
    static struct trip_time NAME##_call_time(const int *data, size_t n, T expected)                       \
    {                                                                                                     \
        double total[BENCH_MAX_ROUNDS];                                                                   \
        struct trip_time time;                                                                            \
        memset(&time, 0, sizeof time);                                                                    \
        for (int k = -1; k < plan.trips; k++) {                                                           \
            T got = -1;                                                                                   \
            const double begin = bench_now();                                                             \
            BENCH_CHECK(NAME(data, n, &got));                                                             \
            if (k >= 0) total[k] = bench_now() - begin;                                                   \
            if (got != expected) bench_fail(#NAME ": another sum");                                       \
        }                                                                                                 \
        time.total = bench_summary(total, plan.trips);                                                    \
        return time;                                                                                      \
    }

DEFINE_CALL_TIME(reduce_int_sum, int)
DEFINE_CALL_TIME(wide_sum, long long)

/* H1: the texts' 100,000,000 int in blocks of 1024, in both of its forms, and by the library. */
static void measure_ints_from_main_memory(size_t n, struct ladder_shape shape, struct bench_json *json)
{
    struct trip trips[] = {
        {"H1 by G1", "allocate, copy, two launches, copy back, free", LADDER_G1, LADDER_DEVICE, 0, 0, {}},
        {"H1 by G2", "allocate, copy, the last block, copy back, free", LADDER_G2, LADDER_DEVICE, 0, 0, {}},
        {"H1", "library: NAME(in, n, &result)", LADDER_G2, LADDER_DEVICE, 0, 0, {}},
        {"H1 wide", "the same in a long long: the sum overflows an int", LADDER_G2, LADDER_DEVICE, 0, 0, {}},
    };
    int *data = samples(n);
    const long long sum = serial_sum(data, n);
    bench_progress(0, 4, "trips of int");
    trips[0].time = int_trip_time(&trips[0], data, n, (int)sum, shape);
    trips[1].time = int_trip_time(&trips[1], data, n, (int)sum, shape);
    trips[2].time = reduce_int_sum_call_time(data, n, (int)sum);
    trips[3].time = wide_sum_call_time(data, n, sum);
    bench_progress(4, 4, "trips of int");
    report_trips("int", n, shape.threads, trips, 4, json);
    free(data);
}

int main(int argc, char **argv)
{
    bench_check_options(argc, argv, "--quick --tiny --json=");
    plan.is_tiny = bench_flag(argc, argv, "--tiny");
    if (plan.is_tiny || bench_flag(argc, argv, "--quick")) plan.rounds = 7, plan.trips = 3;
    if (plan.is_tiny) plan.rounds = plan.calls = plan.trips = 1;
    int multiprocessors = 1;
    BENCH_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    plan.multiprocessors = (unsigned)multiprocessors;
    struct bench_json json = bench_json_begin(argc, argv);
    bench_heading("The ladder");
    const size_t n = elements(100000000), folds = elements(1u << 26);
    const struct setup setups[] = {
        {"512x512", "The texts' Reduce 1 to 7, 512 blocks of 512 threads", n, shape(512, 512), true, false},
        {"1024", "The texts' larger blocks, 2 of 1024 threads for each multiprocessor", n,
         shape(2 * plan.multiprocessors, 1024), false, false},
        {"1GiB", "Large, 4 blocks of 512 threads for each multiprocessor", elements(1u << 28),
         shape(4 * plan.multiprocessors, 512), false, false},
        {"folds", "Folds: the first launch alone, one element for each thread", folds,
         shape((unsigned)(folds / 512), 512), false, true},
    };
    for (size_t k = 0; k < sizeof setups / sizeof *setups; k++) measure_ints(setups[k], &json);
    measure_ints_from_main_memory(n, shape(2 * plan.multiprocessors, 1024), &json);
    measure_doubles(n, shape(2 * plan.multiprocessors, 1024), &json);
    fputs(footnote, stdout);
    bench_json_end(&json, "");
    return 0;
}
