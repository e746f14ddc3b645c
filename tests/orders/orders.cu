/*
 * Every order of what blocks do to each other, for grids small enough; orders at random for larger ones. For
 * each order two calls follow one another on one workspace: both results must be those of a grid whose blocks
 * run one after the other, and the workspace must be as it was.
 *
 *     orders [--most N]              every order of each case; at most N of it (all, unless told)
 *     orders --random N [--seed S]   N orders at random of each larger case
 *     orders --case NAME --order 0,1,0
 *                                    one order, as a failure prints it
 */
#define CHECK_ALONE
#include "../check.h"
#include "simt.h"

DEFINE_REDUCE(u32, trace)
DEFINE_REDUCE(u64, trace)
DEFINE_REDUCE_AS(sum3, words3, no_words3(), trace_words3(a, b))

/* ---- Calls: a grid of so many blocks and threads, in one of these ways ------------------------------ */

struct grid {
    unsigned blocks, threads;
};

#define CALLS_OF(NAME, T)                                                                                 \
    static __global__ void NAME##_ends_in_grid(const T *in, reduce_workspace *ws, T *out)                 \
    {                                                                                                     \
        NAME##_grid(in[blockIdx.x * blockDim.x + threadIdx.x], ws, out);                                  \
    }                                                                                                     \
    HELPER void NAME##_by_grid(const void *in, struct grid grid, reduce_workspace *ws, void *out)         \
    {                                                                                                     \
        NAME##_ends_in_grid<<<grid.blocks, grid.threads>>>((const T *)in, ws, (T *)out);                  \
    }                                                                                                     \
    static void NAME##_pass(const void *in, struct grid grid, reduce_workspace *ws, void *out,            \
                            enum reduce_way_ way)                                                         \
    {                                                                                                     \
        const unsigned chunk = 2 * grid.threads * REDUCE_POSITIONS(sizeof(T)), last = chunk - 1;          \
        const unsigned blocks = way == REDUCE_FROM_SLOTS_ ? 1 : grid.blocks;                              \
        NAME##_kernel_<<<blocks, grid.threads>>>((const T *)in, chunk, way == REDUCE_FROM_SLOTS_ ? 0u : last,\
                                                 reduce_meeting_(way, grid.blocks), ws, (T *)out);        \
    }                                                                                                     \
    HELPER void NAME##_by_default(const void *in, struct grid grid, reduce_workspace *ws, void *out)      \
    {                                                                                                     \
        NAME##_pass(in, grid, ws, out, REDUCE_BY_SLOTS_);                                                 \
    }                                                                                                     \
    HELPER void NAME##_by_last_block(const void *in, struct grid grid, reduce_workspace *ws, void *out)   \
    {                                                                                                     \
        NAME##_pass(in, grid, ws, out, REDUCE_BY_LAST_BLOCK_);                                            \
    }                                                                                                     \
    HELPER void NAME##_by_two_launch(const void *in, struct grid grid, reduce_workspace *ws, void *out)   \
    {                                                                                                     \
        NAME##_pass(in, grid, ws, out, REDUCE_TO_SLOTS_);                                                 \
        NAME##_pass(in, grid, ws, out, REDUCE_FROM_SLOTS_);                                               \
    }

CALLS_OF(reduce_u32_trace, u32)
CALLS_OF(reduce_u64_trace, u64)
CALLS_OF(sum3, words3)

/* A user's kernel: every thread of a block writes, every thread of the last block reads what all wrote. */
static __device__ u32 written[64 * 64];

static __global__ void uses_last_block(const u32 *in, unsigned *ticket, u32 *out)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    u32 sum = 0;
    written[thread] = in[thread];
    if (!reduce_last_block(ticket)) return;
    for (unsigned k = 0; k < all; k++) sum = (u32)traced(sum, written[k]);
    written[thread % all] = 0;
    if (threadIdx.x == 0) *out = sum;
}

static void by_reduce_last_block(const void *in, struct grid grid, reduce_workspace *ws, void *out)
{
    uses_last_block<<<grid.blocks, grid.threads>>>((const u32 *)in, &ws->ticket, (u32 *)out);
}

/* ---- Cases ------------------------------------------------------------------------------------------ */

struct test {
    const char *name;
    void (*call)(const void *in, struct grid grid, reduce_workspace *ws, void *out);
    size_t size;
    struct grid grid;
    bool is_large;
};

static const struct test tests[] = {
    {"default, 2 blocks of 32", reduce_u32_trace_by_default, 4, {2, 32}, false},
    {"default, 3 blocks of 32", reduce_u32_trace_by_default, 4, {3, 32}, false},
    {"default, 2 blocks of 32, 8 bytes", reduce_u64_trace_by_default, 8, {2, 32}, false},
    {"default, 3 blocks of 32, 12 bytes", sum3_by_default, 12, {3, 32}, false},
    {"NAME_grid, 2 blocks of 2", reduce_u32_trace_by_grid, 4, {2, 2}, false},
    {"NAME_grid, 3 blocks of 2", reduce_u32_trace_by_grid, 4, {3, 2}, false},
    {"NAME_grid, 2 blocks of 1, 12 bytes", sum3_by_grid, 12, {2, 1}, false},
    {"reduce_last_block, 2 blocks of 2", by_reduce_last_block, 4, {2, 2}, false},
    {"reduce_last_block, 3 blocks of 3", by_reduce_last_block, 4, {3, 3}, false},
    {"last_block, 2 blocks of 32", reduce_u32_trace_by_last_block, 4, {2, 32}, false},
    {"last_block, 3 blocks of 32", reduce_u32_trace_by_last_block, 4, {3, 32}, false},
    {"two_launch, 2 blocks of 32", reduce_u32_trace_by_two_launch, 4, {2, 32}, false},
    {"two_launch, 3 blocks of 32, 8 bytes", reduce_u64_trace_by_two_launch, 8, {3, 32}, false},
    {"default, 7 blocks of 64", reduce_u32_trace_by_default, 4, {7, 64}, true},
    {"default, 12 blocks of 32, 12 bytes", sum3_by_default, 12, {12, 32}, true},
    {"NAME_grid, 9 blocks of 4, 8 bytes", reduce_u64_trace_by_grid, 8, {9, 4}, true},
    {"reduce_last_block, 8 blocks of 6", by_reduce_last_block, 4, {8, 6}, true},
    {"last_block, 6 blocks of 32, 12 bytes", sum3_by_last_block, 12, {6, 32}, true},
    {"two_launch, 8 blocks of 32", reduce_u32_trace_by_two_launch, 4, {8, 32}, true},
};

enum { CALLS = 2, INPUT = 1 << 16, ROOM = 64 };

static unsigned char *input, *output;
static reduce_workspace *ws;
static size_t first_ends; /* so many choices are made in the first call */

/* Both calls, in the order that has been set; what they give goes to results. */
static void run(const struct test *test, unsigned char results[CALLS][ROOM])
{
    for (int call = 0; call < CALLS; call++) {
        const unsigned char *choices, *options;
        CHECK(cudaMemset(output, 0, ROOM));
        test->call(input + call * INPUT / 2, test->grid, ws, output);
        check_launch();
        from_device(results[call], output, ROOM);
        if (call == 0) first_ends = simt_path(&choices, &options);
    }
}

/* Between calls all of a workspace is zero, but for what lies behind the first 8 bytes of cell: as far as
   these grids reach. */
static bool is_workspace_empty(void)
{
    static unsigned char bytes[16384];
    from_device(bytes, ws, sizeof bytes);
    memset(bytes + offsetof(reduce_workspace, cell) + 8, 0, REDUCE_MAX_SIZE - 8);
    for (size_t k = 0; k < sizeof bytes; k++)
        if (bytes[k] != 0) return false;
    return true;
}

static void print_order(void)
{
    const unsigned char *choices, *options;
    const size_t count = simt_path(&choices, &options);
    for (size_t k = 0; k < count; k++) fprintf(stderr, "%s%d", k ? "," : "", choices[k]);
    fprintf(stderr, "\n");
}

static void expect_right(const struct test *test, unsigned char expected[CALLS][ROOM])
{
    unsigned char results[CALLS][ROOM];
    run(test, results);
    for (int call = 0; call < CALLS; call++) {
        const bool is_right = memcmp(results[call], expected[call], ROOM) == 0;
        if (is_right && is_workspace_empty()) continue;
        fprintf(stderr, "wrong: %s call %d\norders --case '%s' --order ",
                is_right ? "the workspace is not empty after" : "the result of", call + 1, test->name);
        print_order();
        exit(1);
    }
}

/* One block after the other: whoever waits for blocks of lower index finds them done. */
static void run_serially(const struct test *test, unsigned char results[CALLS][ROOM])
{
    simt_blocks(1);
    run(test, results);
    simt_blocks(64);
}

/* The next order: as the last one up to its last choice that can still be raised, of those in [from, to). */
static bool next_order(size_t from, size_t to)
{
    const unsigned char *choices, *options;
    const size_t count = simt_path(&choices, &options);
    unsigned char *next = (unsigned char *)malloc(count + 1);
    size_t k = to < count ? to : count;
    memcpy(next, choices, count);
    while (k > from && choices[k - 1] + 1 == options[k - 1]) k--;
    if (k > from) {
        next[k - 1]++;
        simt_follow(next, k);
    }
    free(next);
    return k > from;
}

/* All orders of the first call, each before a second one; then those of the second, after the first order of
   the first. Each call leaves the workspace as it found it, so that this is all there is. */
static void run_every_order(const struct test *test, size_t most)
{
    unsigned char expected[CALLS][ROOM];
    size_t of_first = 0, of_second = 0;
    run_serially(test, expected);
    simt_follow(NULL, 0);
    do {
        expect_right(test, expected);
        of_first++;
    } while (next_order(0, first_ends) && of_first < most);
    simt_follow(NULL, 0);
    do {
        expect_right(test, expected);
        of_second++;
    } while (next_order(first_ends, SIZE_MAX) && of_second < most);
    printf("%-40s %8zu + %zu orders%s\n", test->name, of_first, of_second,
           of_first == most || of_second == most ? ", and there are more" : ": all");
    fflush(stdout);
}

static void run_random_orders(const struct test *test, size_t count, unsigned seed)
{
    unsigned char expected[CALLS][ROOM];
    run_serially(test, expected);
    for (size_t k = 0; k < count; k++) {
        simt_wander(seed + (unsigned)k);
        expect_right(test, expected);
    }
    printf("%-40s %8zu orders at random, seeds from %u on\n", test->name, count, seed);
    fflush(stdout);
}

static void run_order(const struct test *test, const char *order)
{
    unsigned char expected[CALLS][ROOM], choices[4096];
    size_t count = 0;
    for (const char *at = order; *at && count < COUNT(choices); at += strspn(at, ",")) {
        choices[count++] = (unsigned char)atoi(at);
        at += strcspn(at, ",");
    }
    run_serially(test, expected);
    simt_follow(choices, count);
    expect_right(test, expected);
    printf("%s: this order is right\n", test->name);
}

static const char *option(int argc, char **argv, const char *name)
{
    for (int k = 1; k + 1 < argc; k++)
        if (strcmp(argv[k], name) == 0) return argv[k + 1];
    return NULL;
}

int main(int argc, char **argv)
{
    const char *most = option(argc, argv, "--most"), *random = option(argc, argv, "--random");
    const char *name = option(argc, argv, "--case"), *order = option(argc, argv, "--order");
    const char *seed = option(argc, argv, "--seed");
    u64 *values = (u64 *)malloc(INPUT);
    need_gpu();
    simt_seed(0);
    CHECK(reduce_workspace_create(&ws));
    fill_u64(values, INPUT / 8, 9);
    for (size_t k = 0; k < INPUT / 4; k++) ((u32 *)values)[k] |= 1;
    input = (unsigned char *)to_device(values, INPUT);
    output = (unsigned char *)device_room(ROOM, 0);
    for (size_t k = 0; k < COUNT(tests); k++) {
        if (name != NULL && strcmp(tests[k].name, name) != 0) continue;
        if (order != NULL) run_order(&tests[k], order);
        else if (random != NULL && tests[k].is_large)
            run_random_orders(&tests[k], strtoull(random, NULL, 10), seed ? (unsigned)atoi(seed) : 1);
        else if (random == NULL && !tests[k].is_large)
            run_every_order(&tests[k], most ? strtoull(most, NULL, 10) : SIZE_MAX);
    }
    free(values);
    CHECK(cudaFree(input));
    CHECK(cudaFree(output));
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
