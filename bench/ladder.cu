/*
 * ladder.cu: times of each rung of the ladder on this machine, beside the figures that the texts published for
 * their rungs, the library's default and CUB. Every result is compared with a serial loop's before anything is
 * timed.
 *
 *     ladder [--quick] [--tiny] [--only SET-UPS] [--json FILE]
 *
 * --quick takes fewer rounds. --tiny takes a few thousand elements, to check that everything works; it also runs
 * in the simulator, whose times mean nothing. --only 1GiB,folds runs only these set-ups, out of: 512x512, 1024,
 * 1GiB, folds, floats, lone, meetings, grids, latencies, managed, trips. main explains them where it lists them.
 * ladder_counters prints what a profiler counts in the folds.
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
DEFINE_REDUCE(float, sum)
DEFINE_LADDER(float, sum)
#include "ladder_why.cuh"

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

typedef void int_kernel(const int *in, size_t n, int *out);
typedef void float_kernel(const float *in, size_t n, float *out);
typedef void int_guard_kernel(const int *in, size_t n, int *results, unsigned *ticket, int *out);

/* A rung, a strategy of the library, a kernel of ladder_why.cuh, or none of these: CUB. */
struct contender {
    const char *id, *title;
    int rung; /* or -1 */
    int_strategy *strategy;
    struct ladder_shape shape; /* of a rung's grid; no blocks when it chooses its own */
    double published_ms;
    const char *published_as; /* the text's own name for it */
    const char *note;
    int_kernel *fold;         /* alone, one launch of it */
    size_t shared;            /* bytes of dynamic shared memory for it */
    int_guard_kernel *guard;
    float_kernel *float_fold;
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
};

enum { MOST = BENCH_MAX_SIDES };

static struct contender rung_contender(enum ladder_rung rung, struct ladder_shape shape)
{
    struct contender who = {
        ladder_id(rung), ladder_title(rung), rung, NULL, shape, 0, "", "", NULL, 0, NULL, NULL};
    if (rung == LADDER_G5) who.shape.blocks = 0;
    if (rung == LADDER_G3 || rung == LADDER_G4) who.note = "of floats not reproducible";
    return who;
}

static struct contender strategy_contender(const char *id, const char *title, int_strategy *strategy)
{
    const struct contender who = {id, title, -1, strategy, {0, 0}, 0, "", "", NULL, 0, NULL, NULL};
    return who;
}

/* One launch of a kernel that leaves a result for each block or warp. */
static struct contender fold_contender(const char *id, const char *title, int_kernel *kernel, size_t shared,
                                       struct ladder_shape shape)
{
    const struct contender who = {id, title, -1, NULL, shape, 0, "", "", kernel, shared, NULL, NULL};
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

static void run_fold(const struct contender *who, const struct arena *arena, cudaStream_t stream)
{
    int *results = (int *)arena->room.results[0];
    void *arguments[] = {(void *)&arena->in, (void *)&arena->n, &results};
    const dim3 blocks(who->shape.blocks), threads(who->shape.threads);
    if (who->fold != NULL)
        BENCH_CHECK(REDUCE_CUDA_LAUNCH_(who->fold, blocks, threads, arguments, who->shared, stream));
    else
        BENCH_CHECK(REDUCE_CUDA_LAUNCH_(who->float_fold, blocks, threads, arguments, who->shared, stream));
}

static void run_guard(const struct contender *who, const struct arena *arena, cudaStream_t stream)
{
    int *results = (int *)arena->room.results[0];
    void *arguments[] = {(void *)&arena->in, (void *)&arena->n, &results, (void *)&arena->room.ticket,
                         (void *)&arena->out};
    BENCH_CHECK(REDUCE_CUDA_LAUNCH_(who->guard, dim3(who->shape.blocks), dim3(who->shape.threads), arguments, 0,
                                    stream));
}

static void run(const void *context, int i, cudaStream_t stream)
{
    const struct entry *entry = (const struct entry *)context;
    const struct arena *arena = entry->arena;
    const struct contender *who = &entry->who;
    (void)i;
    if (who->strategy != NULL)
        BENCH_CHECK(who->strategy(arena->in, arena->n, arena->out, arena->ws, stream));
    else if (who->fold != NULL || who->float_fold != NULL)
        run_fold(who, arena, stream);
    else if (who->guard != NULL)
        run_guard(who, arena, stream);
    else if (who->rung < 0)
        run_cub(arena, stream);
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
    cudaError_t status = REDUCE_CUDA_LAUNCH_(reduce_int_sum_ladder_begin_, dim3(1), dim3(1), begin, 0, stream);
    if (status != cudaSuccess) return status;
    return REDUCE_CUDA_LAUNCH_(void_g3, dim3(grid.blocks), dim3(grid.threads), arguments, 0, stream);
}

/* ---- The arena ----------------------------------------------------------------------------------------- */

/* Element i: of the whole range of int, so that a sum of them overflows one. */
static int sample(size_t i)
{
    return (int)((i + 1) * 0x9e3779b97f4a7c15ull >> 33);
}

static int *samples(size_t n)
{
    int *data = (int *)bench_malloc(n * sizeof *data);
    for (size_t i = 0; i < n; i++) data[i] = sample(i);
    return data;
}

static long long serial_sum(const int *data, size_t n)
{
    long long sum = 0;
    for (size_t i = 0; i < n; i++) sum += data[i];
    return sum;
}

/* Turns each number into the bits of a small whole one as a float: a block's sum of them is exact. */
static void turn_to_floats(int *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float x = (float)(data[i] & 7);
        memcpy(&data[i], &x, sizeof x);
    }
}

static double sum_of_floats(const int *data, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        float x;
        memcpy(&x, &data[i], sizeof x);
        sum += x;
    }
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
    const struct contender *who = &entry->who;
    const unsigned of_block = who->id[0] == 'W' ? ladder_warps(who->shape.threads) : 1;
    const unsigned results = who->shape.blocks * of_block;
    int *got = (int *)bench_malloc(results * sizeof *got);
    BENCH_CHECK(cudaMemset(entry->arena->room.results[0], 0xff, results * sizeof *got));
    run(entry, 0, 0);
    BENCH_CHECK(cudaDeviceSynchronize());
    BENCH_CHECK(
        cudaMemcpy(got, entry->arena->room.results[0], results * sizeof *got, cudaMemcpyDeviceToHost));
    const int sum = who->fold != NULL ? (int)serial_sum(got, results) : (int)sum_of_floats(got, results);
    if (sum != expected && strcmp(who->id, "load") != 0) bench_fail("%s: the results' sum is wrong", who->id);
    free(got);
}

/* What is measured together: every contender over the same elements. */
enum what {
    WHOLE,     /* every rung and the library, from the array to one result */
    PUBLISHED, /* the same in the texts' own set-up */
    FOLDS,     /* the first launch of B and W rungs and G6 alone: what a fold costs */
    FLOATS,    /* the same over floats, whose warps have no instruction for a sum */
    LONE_FOLDS, /* the same when a multiprocessor has one block at a time */
    MEETINGS,  /* of an array that is in the cache: how the blocks' results meet */
    GRIDS      /* more and more blocks */
};

struct setup {
    const char *name, *title;
    size_t n;
    struct ladder_shape shape;
    enum what what;
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
        "\"setup\": \"%s\", \"rung\": \"%s\", \"title\": \"%s\", \"type\": \"%s\", \"memory\": \"device\", "
        "\"n\": %zu, \"blocks\": %u, \"threads\": %u, \"us\": %.4f, \"low_us\": %.4f, \"high_us\": %.4f, "
        "\"gbs\": %.1f, \"published_ms\": %s, \"published_as\": \"%s\", \"note\": \"%s\"",
        setup, who->id, who->title, who->float_fold != NULL ? "float" : "int", n, who->shape.blocks,
        who->shape.threads, time->median, time->low, time->high, n * sizeof(int) * 1e-3 / time->median, or_null(who->published_ms), who->published_as,
        who->note);
}

/* Times all entries in turn. */
static void measure(const struct setup *setup, struct entry *entries, int count, struct bench_json *json)
{
    static struct bench_side sides[MOST];
    for (int k = 0; k < count; k++) {
        sides[k].call = run;
        sides[k].context = &entries[k];
    }
    cudaStream_t stream;
    BENCH_CHECK(cudaStreamCreate(&stream));
    if (setup->what == MEETINGS)
        bench_graph(sides, count, 8 * plan.calls, plan.rounds, stream);
    else
        bench_stream(sides, count, plan.calls, plan.rounds, 0);
    BENCH_CHECK(cudaStreamDestroy(stream));
    printf("%s: %zu %s\n%-57s%12s%10s%9s%8s%12s\n", setup->title, setup->n,
           setup->what == FLOATS ? "float" : "int", "", "grid", "ms", "spread",
           "GB/s", setup->what == PUBLISHED ? "published*" : "");
    for (int k = 0; k < count; k++) {
        print_row(&entries[k].who, &sides[k].time, setup->n);
        write_row(json, setup->name, &entries[k].who, &sides[k].time, setup->n);
    }
    printf("\n");
}

/* ---- Set-ups over int ---------------------------------------------------------------------------------- */

/* "Reduce 1" to "Reduce 7", as the texts call them. */
static const char *published_name(enum ladder_rung rung)
{
    switch (rung) {
    case LADDER_B1: return "Reduce 1";
    case LADDER_B2: return "Reduce 2";
    case LADDER_B3: return "Reduce 3";
    case LADDER_B4: return "Reduce 4";
    case LADDER_B7: return "Reduce 5";
    case LADDER_G3: return "Reduce 6";
    case LADDER_G4: return "Reduce 7";
    default: return "";
    }
}

static int add_rungs(struct entry *entries, const struct setup *setup)
{
    int count = 0;
    for (int rung = 0; rung < LADDER_COUNT; rung++) {
        struct contender who = rung_contender((enum ladder_rung)rung, setup->shape);
        if (setup->what == PUBLISHED) {
            who.published_ms = published_reduce((enum ladder_rung)rung);
            who.published_as = published_name((enum ladder_rung)rung);
            if (rung == LADDER_G3) who.note = "published: void, see below";
        }
        entries[count++].who = who;
    }
    return count;
}

/* Dynamic shared memory by which a multiprocessor has room for one block. */
static size_t shared_of_lone_block(void)
{
    int bytes = 0;
    BENCH_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    return plan.is_tiny ? 0 : (size_t)bytes / 2 + 1024;
}

static int add_folds(struct entry *entries, const struct setup *setup)
{
    const unsigned threads = setup->shape.threads;
    const size_t all = threads * sizeof(int);
    const struct contender changed[] = {
        fold_contender("load", "a load, and no fold", why_load, 0, setup->shape),
        fold_contender("B1 mask", "B1 with a mask in place of the modulo", why_b1_mask, all, setup->shape),
        fold_contender("B3 power", "B3 for powers of two alone", why_b3_power, all, setup->shape),
        fold_contender("B4 to 64", "B4 whose loop ends at 64 values", why_b4_to_64, all, setup->shape),
        fold_contender("B6 shuffles", "B6 whose last warp shuffles", why_b6_shuffles, 0, setup->shape),
        fold_contender("B7 first", "B7 for thread 0 alone, one barrier", why_b7_first, 0, setup->shape),
        fold_contender("B7 shuffles", "the same, five shuffles for each warp", why_b7_shuffles, 0,
                       setup->shape),
        fold_contender("W1 selects", "W1, all lanes load and store", why_w1_selects, all, setup->shape),
        fold_contender("W4 shuffles", "W4, five shuffles", why_w4_shuffles, 0, setup->shape),
    };
    int count = 0;
    for (int rung = 0; rung < LADDER_COUNT; rung++) {
        const enum ladder_rung r = (enum ladder_rung)rung;
        if (ladder_scale(r) == 'G' && rung != LADDER_G6) continue;
        if (!ladder_serves(r, threads)) continue;
        entries[count++].who =
            fold_contender(ladder_id(r), ladder_title(r), reduce_int_sum_ladder_kernel_of_(r, threads),
                           ladder_shared(r, threads, sizeof(int)), setup->shape);
    }
    for (size_t k = 0; k < sizeof changed / sizeof *changed; k++)
        if (!plan.is_tiny || strncmp(changed[k].id, "B6", 2) != 0) entries[count++].who = changed[k];
    for (int k = 0; k < count && setup->what == LONE_FOLDS; k++) {
        struct contender *who = &entries[k].who;
        who->shared = LADDER_MAX_(who->shared, shared_of_lone_block());
        BENCH_CHECK(cudaFuncSetAttribute(who->fold, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         (int)who->shared));
    }
    return count;
}

static int add_float_folds(struct entry *entries, const struct setup *setup)
{
    const unsigned threads = setup->shape.threads;
    int count = 0;
    for (int rung = 0; rung < LADDER_COUNT; rung++) {
        const enum ladder_rung r = (enum ladder_rung)rung;
        if (ladder_scale(r) == 'G' && rung != LADDER_G6) continue;
        struct contender who = fold_contender(ladder_id(r), ladder_title(r), NULL,
                                              ladder_shared(r, threads, sizeof(float)), setup->shape);
        who.float_fold = reduce_float_sum_ladder_kernel_of_(r, threads);
        entries[count++].who = who;
    }
    const size_t all = threads * sizeof(float);
    struct contender changed[] = {
        fold_contender("B4 to 64", "B4 whose loop ends at 64 values", NULL, all, setup->shape),
        fold_contender("B6 shuffles", "B6 whose last warp shuffles", NULL, 0, setup->shape),
        fold_contender("B7 first", "B7 for thread 0 alone, one barrier", NULL, 0, setup->shape),
    };
    changed[0].float_fold = why_b4_to_64_of_floats;
    changed[1].float_fold = why_b6_shuffles_of_floats;
    changed[2].float_fold = why_b7_first_of_floats;
    for (size_t k = 0; k < sizeof changed / sizeof *changed; k++)
        if (!plan.is_tiny || strncmp(changed[k].id, "B6", 2) != 0) entries[count++].who = changed[k];
    return count;
}

/* Every grid's way for results to meet, and two guards of the last block. */
static int add_meetings(struct entry *entries, const struct setup *setup)
{
    int count = 0;
    for (int rung = LADDER_G1; rung < LADDER_COUNT; rung++)
        entries[count++].who = rung_contender((enum ladder_rung)rung, setup->shape);
    struct contender guard = strategy_contender("G2 flag", "G2, its guard in line, by a shared flag", NULL);
    guard.shape = setup->shape;
    guard.guard = why_g2_flag;
    entries[count++].who = guard;
    guard.id = "G2 or";
    guard.title = "the same by __syncthreads_or";
    guard.guard = why_g2_or;
    entries[count++].who = guard;
    return count;
}

/* 1, 2, 4 ... 256 blocks for each multiprocessor. */
static int add_grids(struct entry *entries, const struct setup *setup)
{
    const enum ladder_rung rungs[] = {LADDER_G1, LADDER_G4, LADDER_G8};
    int count = 0;
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
        for (unsigned each = 1; each <= 256; each *= 2) {
            const struct ladder_shape grid = {plan.is_tiny ? each : plan.multiprocessors * each,
                                              setup->shape.threads};
            entries[count++].who = rung_contender(rungs[r], grid);
        }
    return count;
}

static int add_library(struct entry *entries)
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
    for (int k = 0; k < count; k++) entries[k].who = library[k];
    return count;
}

static int add_entries(struct entry *entries, const struct setup *setup)
{
    switch (setup->what) {
    case FOLDS:
    case LONE_FOLDS: return add_folds(entries, setup);
    case FLOATS: return add_float_folds(entries, setup);
    case GRIDS: return add_grids(entries, setup);
    case MEETINGS: {
        const int count = add_meetings(entries, setup);
        return count + add_library(entries + count);
    }
    default: {
        const int count = add_rungs(entries, setup);
        return count + add_library(entries + count);
    }
    }
}

/* The contenders of a set-up, each checked. The texts' own ends with their void kernel. */
static int gather_entries(struct entry *entries, const struct arena *arena, const struct setup *setup,
                          int expected)
{
    memset(entries, 0, MOST * sizeof *entries);
    int count = add_entries(entries, setup);
    for (int k = 0; k < count; k++) {
        bench_progress(k, count, setup->name);
        entries[k].arena = arena;
        if (entries[k].who.fold != NULL || entries[k].who.float_fold != NULL)
            check_fold(&entries[k], expected);
        else
            check(&entries[k], expected);
    }
    bench_progress(count, count, setup->name);
    if (setup->what == PUBLISHED) {
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
    if (setup.what == FLOATS) turn_to_floats(data, setup.n);
    const struct ladder_shape largest = {LADDER_MAX_(setup.shape.blocks, 256 * plan.multiprocessors),
                                         setup.shape.threads};
    struct arena arena = arena_create(data, setup.n, largest);
    const int expected =
        setup.what == FLOATS ? (int)sum_of_floats(data, setup.n) : (int)serial_sum(data, setup.n);
    const int count = gather_entries(entries, &arena, &setup, expected);
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
    const char *published_as; /* what the text says of it, and no more */
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
        "\"published_total_ms\": %s, \"published_ms\": %s, \"published_as\": \"%s\"",
        trip->id, trip->title, type, memory_name(trip->memory), n, trip->time.total.median,
        trip->time.total.low, trip->time.total.high, or_null(trip->time.kernels.median),
        or_null(trip->published_total_ms), or_null(trip->published_ms), trip->published_as);
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
        {"B3", "__syncthreads(), device memory from managed", LADDER_B3, LADDER_FROM_MANAGED, 188, 2.28,
         "__syncthreads()", {}},
        {"G6", "cooperative groups, managed memory", LADDER_G6, LADDER_MANAGED, 220, 2.02,
         "cooperative groups, managed", {}},
        {"G6", "cooperative groups, device from managed", LADDER_G6, LADDER_FROM_MANAGED, 189, 2.67,
         "cooperative groups, unmanaged", {}},
        {"G6", "cooperative groups, device memory only", LADDER_G6, LADDER_DEVICE, 55, 2.67,
         "cooperative groups, device array only", {}},
        {"B4", "__syncthreads() and shuffles, device memory only", LADDER_B4, LADDER_DEVICE, 49, 2.27,
         "__syncthreads() with shfl_down", {}},
        {"B7", "the library's block, two launches, device only", LADDER_B7, LADDER_DEVICE, 0, 0, "", {}},
        {"G2", "the library's block, the last block, device only", LADDER_G2, LADDER_DEVICE, 0, 0, "", {}},
        {"G9", "wide loads in flight and slots, device only", LADDER_G9, LADDER_DEVICE, 0, 0, "", {}},
    };
    const int count = (int)(sizeof trips / sizeof *trips);
    double *data = (double *)bench_malloc(n * sizeof *data), expected = 0;
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
        {"H1 by G1", "allocate, copy, two launches, copy back, free", LADDER_G1, LADDER_DEVICE, 0, 0, "", {}},
        {"H1 by G2", "allocate, copy, the last block, copy back, free", LADDER_G2, LADDER_DEVICE, 0, 0, "",
         {}},
        {"H1", "library: NAME(in, n, &result)", LADDER_G2, LADDER_DEVICE, 0, 0, "", {}},
        {"H1 wide", "the same in a long long: the sum overflows an int", LADDER_G2, LADDER_DEVICE, 0, 0, "",
         {}},
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

/* ---- Managed memory --------------------------------------------------------------------------------------
 *
 * What the first launch over managed memory waits for: pages move to the GPU when a thread touches them.
 */

struct managed_times {
    double first[BENCH_MAX_ROUNDS], second[BENCH_MAX_ROUNDS], copy[BENCH_MAX_ROUNDS],
        prefetch[BENCH_MAX_ROUNDS], after[BENCH_MAX_ROUNDS];
};

static double g6_time(double *in, size_t n, double *out, const struct ladder_room *room,
                      struct ladder_shape shape, struct bench_events events)
{
    BENCH_CHECK(cudaEventRecord(events.begin, 0));
    BENCH_CHECK(reduce_double_sum_ladder(LADDER_G6, in, n, out, room, shape, 0));
    BENCH_CHECK(cudaEventRecord(events.end, 0));
    return bench_elapsed(events);
}

static double prefetch_time(double *in, size_t bytes, struct bench_events events)
{
    BENCH_CHECK(cudaEventRecord(events.begin, 0));
#ifdef SIMT
    BENCH_CHECK(cudaMemPrefetchAsync(in, bytes, 0, 0));
#else
    struct cudaMemLocation device;
    memset(&device, 0, sizeof device);
    device.type = cudaMemLocationTypeDevice;
    BENCH_CHECK(cudaMemPrefetchAsync(in, bytes, device, 0, 0));
#endif
    BENCH_CHECK(cudaEventRecord(events.end, 0));
    return bench_elapsed(events);
}

static double copy_time(void *to, const void *from, size_t bytes, struct bench_events events)
{
    BENCH_CHECK(cudaEventRecord(events.begin, 0));
    BENCH_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, 0));
    BENCH_CHECK(cudaEventRecord(events.end, 0));
    return bench_elapsed(events);
}

static void report_managed(const char *title, size_t n, double *samples, struct bench_json *json)
{
    const struct bench_time time = bench_summary(samples, plan.trips);
    printf("%-69s%10.4f%7.1f %%\n", title, time.median * 1e-3, bench_spread(time));
    bench_json_row(json,
                   "\"setup\": \"managed\", \"rung\": \"G6\", \"title\": \"%s\", \"type\": \"double\", "
                   "\"n\": %zu, \"us\": %.2f, \"low_us\": %.2f, \"high_us\": %.2f, \"gbs\": %.1f",
                   title, n, time.median, time.low, time.high, n * sizeof(double) * 1e-3 / time.median);
}

static void measure_managed(size_t n, struct ladder_shape shape, struct bench_json *json)
{
    static struct managed_times times;
    const size_t bytes = n * sizeof(double);
    const struct bench_events events = bench_events_create();
    struct ladder_room room;
    double *in = NULL, *on_device = NULL, *out = NULL;
    BENCH_CHECK(cudaMallocManaged((void **)&in, bytes));
    BENCH_CHECK(cudaMalloc((void **)&on_device, bytes));
    BENCH_CHECK(cudaMalloc((void **)&out, sizeof *out));
    BENCH_CHECK(ladder_room_create(&room, shape, sizeof *out));
    for (int k = -1; k < plan.trips; k++) { /* a first one, to warm up */
        const int at = k < 0 ? 0 : k;
        for (size_t i = 0; i < n; i++) in[i] = sample(i) % 1000; /* its pages are in main memory now */
        times.first[at] = g6_time(in, n, out, &room, shape, events);
        times.second[at] = g6_time(in, n, out, &room, shape, events);
        for (size_t i = 0; i < n; i++) in[i] = sample(i) % 1000;
        times.copy[at] = copy_time(on_device, in, bytes, events);
        for (size_t i = 0; i < n; i++) in[i] = sample(i) % 1000;
        times.prefetch[at] = prefetch_time(in, bytes, events);
        times.after[at] = g6_time(in, n, out, &room, shape, events);
        bench_progress(k + 1, plan.trips, "managed memory");
    }
    printf("Managed memory, filled by the host, G6 over it: %zu double\n%-69s%10s%9s\n", n, "", "ms",
           "spread");
    report_managed("the first launch: its threads' page faults move the array", n, times.first, json);
    report_managed("a second launch: the pages are there", n, times.second, json);
    report_managed("cudaMemPrefetchAsync to the device", n, times.prefetch, json);
    report_managed("the first launch after it", n, times.after, json);
    report_managed("cudaMemcpy to device memory", n, times.copy, json);
    printf("\n");
    bench_events_destroy(events);
    BENCH_CHECK(ladder_room_destroy(&room));
    BENCH_CHECK(cudaFree(in));
    BENCH_CHECK(cudaFree(on_device));
    BENCH_CHECK(cudaFree(out));
}

/* ---- Latencies ----------------------------------------------------------------------------------------- */

enum { NEAR = 1024 + 32, FAR = 32 * 1024, FLUSHED = 256 << 20 };

struct chain {
    const char *title;
    void (*kernel)(unsigned *memory, long long *cycles);
    unsigned threads, stride; /* stride: of a chain through memory, or 0 */
    bool is_flushed;
};

static const struct chain chains[] = {
    {"a shuffle and an addition", why_chain_shuffle, 32, 0, false},
    {"one instruction for the sum of a warp's ints", why_chain_redux, 32, 0, false},
    {"a load from shared memory", why_chain_shared, 32, 0, false},
    {"shared memory: a store, __syncwarp, a load, __syncwarp", why_chain_exchange, 32, 0, false},
    {"__syncthreads of 512 threads", why_chain_barrier, 512, 0, false},
    {"a load from the first-level cache", why_chain_l1, 1, 0, false},
    {"a load from the second-level cache", why_chain_l2, 1, NEAR, false},
    {"a load from device memory", why_chain_l2, 1, FAR, true},
    {"an atomic addition whose old value is wanted", why_chain_atomic, 1, 0, false},
    {"a store and a __threadfence", why_chain_fence, 1, 0, false},
};

static double chain_cycles(const struct chain *chain, unsigned *memory, unsigned *other, long long *out)
{
    long long cycles = 0;
    BENCH_CHECK(cudaMemset(memory, 0, 4096));
    if (chain->stride > 0)
        why_chain_fill<<<8, 32>>>(memory, (size_t)WHY_STEPS * chain->stride, chain->stride);
    if (chain->is_flushed && !plan.is_tiny) BENCH_CHECK(cudaMemset(other, 1, FLUSHED));
    chain->kernel<<<1, chain->threads>>>(memory, out);
    BENCH_CHECK(cudaMemcpy(&cycles, out, sizeof cycles, cudaMemcpyDeviceToHost));
    return (double)cycles / WHY_STEPS;
}

static void measure_latencies(struct bench_json *json)
{
    unsigned *memory = NULL, *other = NULL;
    long long *out = NULL;
    BENCH_CHECK(cudaMalloc((void **)&memory, sizeof *memory * WHY_STEPS * FAR));
    BENCH_CHECK(cudaMalloc((void **)&other, plan.is_tiny ? 4 : FLUSHED));
    BENCH_CHECK(cudaMalloc((void **)&out, sizeof *out));
    printf("Latencies: from one result to the next that needs it\n%-69s%10s%9s\n", "", "cycles", "spread");
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
        double samples[BENCH_MAX_ROUNDS];
        for (int r = -1; r < plan.rounds; r++)
            samples[r < 0 ? 0 : r] = chain_cycles(&chains[k], memory, other, out);
        const struct bench_time time = bench_summary(samples, plan.rounds);
        printf("%-69s%10.1f%7.1f %%\n", chains[k].title, time.median, bench_spread(time));
        bench_json_row(json,
                       "\"setup\": \"latencies\", \"rung\": \"\", \"title\": \"%s\", \"threads\": %u, "
                       "\"cycles\": %.1f, \"low_cycles\": %.1f, \"high_cycles\": %.1f",
                       chains[k].title, chains[k].threads, time.median, time.low, time.high);
    }
    printf("\n");
    BENCH_CHECK(cudaFree(memory));
    BENCH_CHECK(cudaFree(other));
    BENCH_CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
    bench_check_options(argc, argv, "--quick --tiny --only= --json=");
    const char *only = bench_option(argc, argv, "--only", "");
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
        {"512x512", "The texts' Reduce 1 to 7, 512 blocks of 512 threads", n, shape(512, 512), PUBLISHED},
        {"1024", "The texts' larger blocks, 2 of 1024 threads for each multiprocessor", n,
         shape(2 * plan.multiprocessors, 1024), WHOLE},
        {"1GiB", "Large, 4 blocks of 512 threads for each multiprocessor", elements(1u << 28),
         shape(4 * plan.multiprocessors, 512), WHOLE},
        {"folds", "Folds: the first launch alone, one element for each thread", folds,
         shape((unsigned)(folds / 512), 512), FOLDS},
        {"floats", "Folds of floats", folds, shape((unsigned)(folds / 512), 512), FLOATS},
        {"lone", "Folds, one block at a time on each multiprocessor", elements(1u << 22),
         shape((1u << 22) / 512, 512), LONE_FOLDS},
        {"meetings", "In the cache: 2 blocks of 512 threads for each multiprocessor, in a graph",
         elements(1u << 20), shape(2 * plan.multiprocessors, 512), MEETINGS},
        {"grids", "More and more blocks of 512 threads", elements(1u << 28),
         shape(4 * plan.multiprocessors, 512), GRIDS},
    };
    for (size_t k = 0; k < sizeof setups / sizeof *setups; k++)
        if (bench_listed(only, setups[k].name)) measure_ints(setups[k], &json);
    if (bench_listed(only, "latencies")) measure_latencies(&json);
    if (bench_listed(only, "managed")) measure_managed(n, shape(2 * plan.multiprocessors, 1024), &json);
    if (bench_listed(only, "trips")) {
        measure_ints_from_main_memory(n, shape(2 * plan.multiprocessors, 1024), &json);
        measure_doubles(n, shape(2 * plan.multiprocessors, 1024), &json);
    }
    fputs(footnote, stdout);
    bench_json_end(&json, "");
    return 0;
}
