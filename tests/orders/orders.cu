/*
 * Goes through every order in which threads of different blocks can meet, for small grids, and through random
 * orders for larger ones. Two calls follow one another on one workspace, each in that order. Both results must be
 * those of a grid whose blocks run one after the other, and after each call the workspace must be as before.
 * Built with -DREDUCE_SLOTS=1 or 2, it has cases in which blocks share slots instead; with -DREDUCE_SLOTS=3 cases of
 * NAME_async_n, in which some blocks have no elements. -DREDUCE_NO_WAITING makes other cases of these. Blocks of
 * NAME_chunks_async never meet, and NAME_fold_async has one block, so no order of blocks can matter there.
 *
 *     orders                         every order of each case, except those that cannot differ from another
 *     orders --agree N               then also those, where there are no more than N in all: each must
 *                                    be like one of the orders before, and none of these like another
 *     orders --most N                at most so many of each case
 *     orders --random N [--seed S]   N orders at random of each larger case
 *     orders --case NAME --order 0,1,0
 *                                    one order, as a failure prints it
 */
#define CHECK_ALONE
#ifdef REDUCE_SLOTS
#define REDUCE_MAX_CHUNKS REDUCE_SLOTS
#define REDUCE_SPREAD_ REDUCE_SLOTS
#define REDUCE_SINGLE_ 2
#if REDUCE_SLOTS == 3
#define REDUCE_LOW_ 6
#else
#define REDUCE_LOW_ 2
#endif
#include "../small_tree.h"
#endif

#include "../check.h"
#include "../grid.h"
#include "simt.h"
#ifndef REDUCE_TREE_OF_TESTS_
#include "reduce_exact.cuh"
#elif REDUCE_SLOTS == 3
#include "reduce_async_n.cuh"
#endif

DEFINE_REDUCE(u8, trace)
DEFINE_REDUCE(u16, trace)
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
    DEFINE_FOLDS(NAME, T, NAME##_identity(), NAME##_combine)                                              \
    HELPER void NAME##_grid_gives(const void *in, struct grid grid, void *out)                            \
    {                                                                                                     \
        const T x = NAME##_of_grid((const T *)in, (int)grid.blocks, (int)grid.threads);                   \
        memcpy(out, &x, sizeof x);                                                                        \
    }                                                                                                     \
    static void NAME##_pass(const void *in, struct grid grid, reduce_workspace *ws, void *out,            \
                            enum reduce_way_ way)                                                         \
    {                                                                                                     \
        const bool collects_only = way == REDUCE_FROM_SLOTS_;                                             \
        const unsigned chunk = collects_only ? 0 : grid.threads * REDUCE_POSITIONS(sizeof(T));            \
        const NAME##_input_ input = {(const T *)in};                                                      \
        NAME##_kernel_<<<collects_only ? 1 : grid.blocks, grid.threads>>>(                                \
            input, chunk, collects_only ? 0u : 1u, reduce_meeting_(way, grid.blocks), ws, (T *)out);       \
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

CALLS_OF(reduce_u8_trace, u8)
CALLS_OF(reduce_u16_trace, u16)
CALLS_OF(reduce_u32_trace, u32)
CALLS_OF(reduce_u64_trace, u64)
CALLS_OF(sum3, words3)

#ifndef REDUCE_TREE_OF_TESTS_
/* Exact sums: each word of a sum meets on its own, in a word of the workspace. */
DEFINE_REDUCE_EXACT_MAP(exact, u32, float, (float)x)

HELPER void exact_by_words(const void *in, struct grid grid, reduce_workspace *ws, void *out)
{
    const exact_input_ input = {(const u32 *)in};
    exact_kernel_<<<grid.blocks, grid.threads>>>(input, grid.threads * REDUCE_POSITIONS(sizeof(u32)), 1u, true, ws, out);
}
#endif

#if defined REDUCE_TREE_OF_TESTS_ && REDUCE_SLOTS == 3
/* NAME_async_n. Of the grid, blocks is the most elements, for which there are blocks, and threads how many there are. */
static size_t *count;

#define CALLS_WITH_N(NAME, T)                                                                             \
    DEFINE_REDUCE_ASYNC_N(NAME)                                                                           \
    HELPER void NAME##_with_n(const void *in, struct grid grid, reduce_workspace *ws, void *out)          \
    {                                                                                                     \
        const size_t n = grid.threads;                                                                    \
        CHECK(cudaMemcpy(count, &n, sizeof n, cudaMemcpyHostToDevice));                                   \
        CHECK(NAME##_async_n((const T *)in, count, grid.blocks, (T *)out, ws, 0));                        \
    }                                                                                                     \
    HELPER void NAME##_with_n_gives(const void *in, struct grid grid, void *out)                          \
    {                                                                                                     \
        const T x = NAME##_cpu((const T *)in, grid.threads);                                              \
        memcpy(out, &x, sizeof x);                                                                        \
    }

CALLS_WITH_N(reduce_u32_trace, u32)
CALLS_WITH_N(reduce_u64_trace, u64)
CALLS_WITH_N(sum3, words3)
#endif

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

HELPER void by_reduce_last_block(const void *in, struct grid grid, reduce_workspace *ws, void *out)
{
    uses_last_block<<<grid.blocks, grid.threads>>>((const u32 *)in, &ws->ticket_, (u32 *)out);
}

/* ---- Cases ------------------------------------------------------------------------------------------ */

enum extent {
    SMALL, /* goes through every order */
    LARGE, /* through some at random */
    VAST   /* runs in the simulator's own random orders: it is too large for a given one */
};

struct test {
    const char *name;
    void (*call)(const void *in, struct grid grid, reduce_workspace *ws, void *out);
    size_t size;
    struct grid grid;
    enum extent extent;
    void (*gives)(const void *in, struct grid grid, void *out); /* or NULL: the result, one value after the other */
};

/* A grid of so many blocks and threads whose blocks share slots, by results of so many bytes. */
#define SHARED(blocks, threads, bytes, NAME, extent)                                                      \
    {"NAME_grid, " #blocks " blocks of " #threads ", " #bytes " bytes", NAME##_by_grid, bytes,              \
     {blocks, threads}, extent, NAME##_grid_gives}

#if defined REDUCE_TREE_OF_TESTS_ && REDUCE_SLOTS == 1
static const struct test tests[] = {
    SHARED(270, 1, 4, reduce_u32_trace, VAST), /* the first, since the simulator keeps to given orders from then on */
    SHARED(3, 1, 1, reduce_u8_trace, SMALL),
    SHARED(3, 1, 2, reduce_u16_trace, SMALL),
    SHARED(3, 1, 4, reduce_u32_trace, SMALL),
    SHARED(3, 1, 8, reduce_u64_trace, SMALL),
    SHARED(3, 1, 12, sum3, SMALL),
    SHARED(4, 1, 1, reduce_u8_trace, SMALL),
    SHARED(4, 1, 2, reduce_u16_trace, SMALL),
    SHARED(4, 1, 8, reduce_u64_trace, SMALL),
    SHARED(5, 1, 4, reduce_u32_trace, SMALL),
    SHARED(9, 3, 12, sum3, LARGE),
    SHARED(10, 1, 2, reduce_u16_trace, LARGE),
};
#elif defined REDUCE_TREE_OF_TESTS_ && REDUCE_SLOTS == 3
/* So many elements of so many, by results of so many bytes: up to three chunks of two stripes. */
#define WITH_N(n, most, bytes, NAME)                                                                      \
    {"NAME_async_n, " #n " of " #most ", " #bytes " bytes", NAME##_with_n, bytes, {most, n}, SMALL,         \
     NAME##_with_n_gives}
static const struct test tests[] = {
    WITH_N(1536, 1536, 4, reduce_u32_trace), /* three blocks have elements, */
    WITH_N(1025, 1536, 4, reduce_u32_trace),
    WITH_N(1024, 1536, 4, reduce_u32_trace), /* two, */
    WITH_N(513, 1536, 4, reduce_u32_trace),
    WITH_N(513, 1024, 4, reduce_u32_trace),
    WITH_N(300, 1536, 4, reduce_u32_trace), /* one, */
    WITH_N(0, 1536, 4, reduce_u32_trace),   /* or none */
    WITH_N(768, 768, 8, reduce_u64_trace),
    WITH_N(511, 768, 8, reduce_u64_trace),
    WITH_N(1, 768, 8, reduce_u64_trace),
    WITH_N(384, 384, 12, sum3),
    WITH_N(200, 384, 12, sum3),
    WITH_N(100, 384, 12, sum3),
};
#elif defined REDUCE_TREE_OF_TESTS_
static const struct test tests[] = {
    SHARED(4, 1, 1, reduce_u8_trace, SMALL),
    SHARED(4, 1, 2, reduce_u16_trace, SMALL),
    SHARED(4, 2, 4, reduce_u32_trace, SMALL),
    SHARED(4, 1, 8, reduce_u64_trace, SMALL),
    SHARED(4, 1, 12, sum3, SMALL),
    SHARED(5, 1, 2, reduce_u16_trace, SMALL),
    SHARED(5, 2, 8, reduce_u64_trace, LARGE),
    SHARED(7, 1, 12, sum3, LARGE),
    SHARED(12, 3, 1, reduce_u8_trace, LARGE),
};
#else
static const struct test tests[] = {
    {"default, 2 blocks of 32", reduce_u32_trace_by_default, 4, {2, 32}, SMALL, NULL},
    {"default, 3 blocks of 32", reduce_u32_trace_by_default, 4, {3, 32}, SMALL, NULL},
    {"default, 2 blocks of 32, 8 bytes", reduce_u64_trace_by_default, 8, {2, 32}, SMALL, NULL},
    {"default, 3 blocks of 32, 12 bytes", sum3_by_default, 12, {3, 32}, SMALL, NULL},
    {"NAME_grid, 2 blocks of 2", reduce_u32_trace_by_grid, 4, {2, 2}, SMALL, reduce_u32_trace_grid_gives},
    {"NAME_grid, 3 blocks of 2", reduce_u32_trace_by_grid, 4, {3, 2}, SMALL, reduce_u32_trace_grid_gives},
    {"NAME_grid, 2 blocks of 1, 12 bytes", sum3_by_grid, 12, {2, 1}, SMALL, sum3_grid_gives},
    {"NAME_grid, 3 blocks of 1", reduce_u32_trace_by_grid, 4, {3, 1}, SMALL, reduce_u32_trace_grid_gives},
    {"NAME_grid, 3 blocks of 1, 8 bytes", reduce_u64_trace_by_grid, 8, {3, 1}, SMALL, reduce_u64_trace_grid_gives},
    {"NAME_grid, 3 blocks of 1, 12 bytes", sum3_by_grid, 12, {3, 1}, SMALL, sum3_grid_gives},
    {"NAME_grid, 3 blocks of 2, 8 bytes", reduce_u64_trace_by_grid, 8, {3, 2}, SMALL, reduce_u64_trace_grid_gives},
    {"reduce_last_block, 2 blocks of 2", by_reduce_last_block, 4, {2, 2}, SMALL, NULL},
    {"reduce_last_block, 3 blocks of 1", by_reduce_last_block, 4, {3, 1}, SMALL, NULL},
    {"reduce_last_block, 3 blocks of 3", by_reduce_last_block, 4, {3, 3}, SMALL, NULL},
    {"last_block, 2 blocks of 32", reduce_u32_trace_by_last_block, 4, {2, 32}, SMALL, NULL},
    {"last_block, 2 blocks of 32, 12 bytes", sum3_by_last_block, 12, {2, 32}, SMALL, NULL},
    {"last_block, 3 blocks of 32", reduce_u32_trace_by_last_block, 4, {3, 32}, SMALL, NULL},
    {"two_launch, 2 blocks of 32", reduce_u32_trace_by_two_launch, 4, {2, 32}, SMALL, NULL},
    {"two_launch, 3 blocks of 32, 8 bytes", reduce_u64_trace_by_two_launch, 8, {3, 32}, SMALL, NULL},
    {"default, 7 blocks of 64", reduce_u32_trace_by_default, 4, {7, 64}, LARGE, NULL},
    {"default, 12 blocks of 32, 12 bytes", sum3_by_default, 12, {12, 32}, LARGE, NULL},
    {"NAME_grid, 9 blocks of 4, 8 bytes", reduce_u64_trace_by_grid, 8, {9, 4}, LARGE, reduce_u64_trace_grid_gives},
    {"reduce_last_block, 8 blocks of 6", by_reduce_last_block, 4, {8, 6}, LARGE, NULL},
    {"last_block, 6 blocks of 32, 12 bytes", sum3_by_last_block, 12, {6, 32}, LARGE, NULL},
    {"two_launch, 8 blocks of 32", reduce_u32_trace_by_two_launch, 4, {8, 32}, LARGE, NULL},
    {"exact, 3 blocks of 32", exact_by_words, 4, {3, 32}, LARGE, NULL},
    {"exact, 9 blocks of 64", exact_by_words, 4, {9, 64}, LARGE, NULL},
    {"default, 40 blocks of 32, 8 bytes", reduce_u64_trace_by_default, 8, {40, 32}, LARGE, NULL},
    {"default, 70 blocks of 32, 12 bytes", sum3_by_default, 12, {70, 32}, LARGE, NULL},
    {"last_block, 35 blocks of 32, 8 bytes", reduce_u64_trace_by_last_block, 8, {35, 32}, LARGE, NULL},
};
#endif

enum { CALLS = 2, INPUT = 1 << 16, ROOM = 64 };

static unsigned char *input, *output;
static reduce_workspace *ws;
static int call;           /* the one that runs */
static bool is_order_left; /* after the first call: see "All orders" */

/* Between calls all of a workspace is zero, but for what lies behind the first 8 bytes of cell: as far as
   these grids reach. */
static bool is_workspace_empty(void)
{
    static unsigned char bytes[sizeof(reduce_workspace) < 16384 ? sizeof(reduce_workspace) : 16384];
    from_device(bytes, ws, sizeof bytes);
    memset(bytes + offsetof(reduce_workspace, cell_) + 8, 0, REDUCE_MAX_SIZE - 8);
    for (size_t k = 0; k < sizeof bytes; k++)
        if (bytes[k] != 0) return false;
    return true;
}

struct outcome {
    unsigned char result[ROOM];
    bool is_empty; /* the workspace, afterwards */
};

/* The calls, in the order that has been set; how many there were. */
static int run(const struct test *test, struct outcome outcomes[CALLS])
{
    for (call = 0; call < (is_order_left ? 1 : CALLS); call++) {
        CHECK(cudaMemset(output, 0, ROOM));
        test->call(input + call * INPUT / 2, test->grid, ws, output);
        check_launch();
        from_device(outcomes[call].result, output, ROOM);
        outcomes[call].is_empty = is_workspace_empty();
    }
    return call;
}

static const struct test *running;

static __attribute__((noreturn)) void fail(const char *what)
{
    const unsigned char *choices;
    const size_t count = simt_path(&choices);
    fprintf(stderr, "wrong: %s\norders --case '%s' --order ", what, running->name);
    for (size_t k = 0; k < count; k++) fprintf(stderr, "%s%d", k ? "," : "", choices[k]);
    fprintf(stderr, "\n");
    exit(1);
}

static void expect_right(const struct test *test, const struct outcome expected[CALLS])
{
    struct outcome outcomes[CALLS];
    running = test;
    const int calls = run(test, outcomes);
    for (int k = 0; k < calls; k++) {
        if (memcmp(outcomes[k].result, expected[k].result, ROOM) != 0)
            fail(k == 0 ? "the result of call 1" : "the result of call 2");
        if (!outcomes[k].is_empty) fail(k == 0 ? "the workspace after call 1" : "the workspace after call 2");
    }
}

/* One block after the other: a block that waits for blocks of lower index finds them done. */
static void run_serially(const struct test *test, struct outcome outcomes[CALLS])
{
    simt_blocks(1);
    is_order_left = false;
    (void)run(test, outcomes);
    for (int k = 0; k < CALLS && test->gives != NULL; k++) {
        static u64 values[INPUT / 2 / sizeof(u64)];
        unsigned char result[ROOM] = {0};
        from_device(values, input + k * INPUT / 2, sizeof values);
        test->gives(values, test->grid, result);
        cr_expect(memcmp(result, outcomes[k].result, ROOM) == 0, "%s: %s, not %s", test->name,
                  bits_in_hex(outcomes[k].result, test->size), bits_in_hex(result, test->size));
    }
    simt_blocks(300);
}

/* ---- All orders -------------------------------------------------------------------------------------
 *
 * An order is a sequence of acts: each is an atomic of one thread and what its block then does until all
 * threads of it stand before atomics again, wait or have ended. Two acts of different threads commute if
 * they are in different places or if both leave their place as it was: where they follow one another they
 * can be swapped, and still find and do the same. (What is not atomic could only tell by a data race, and
 * there is none: tests/race.) So of all orders that are the same up to such swaps one is enough.
 *
 * Sleep sets give just one of each: where threads A and B can act, and the orders that go on with A have
 * been tried, A sleeps in those that go on with B, until somebody acts who does not commute with what A
 * would do. An order in which all sleep who can act is like one that has been: it is left, after its first
 * call.
 *
 * A thread that polls could go on for ever. If it has looked at a place twice without finding or making a
 * change anywhere, it is in a loop and comes back as it was (the header looks at a slot from two places:
 * ahead, and in the loop); it does not act again before that place has changed. That loses nothing: take
 * what it does from the second look up to the third out of an order, and everybody still finds and does the
 * same. An order in which only such threads could act is left, too.
 *
 * The second call goes in the order of the first. It finds what the first found, an empty workspace, so that
 * each order of the one with each of the other would show nothing else.
 */

enum { MOST_ACTS = 64, MOST_NODES = 1024 };

struct act {
    struct simt_stand by;
    bool has_changed; /* its place: known once it has been tried */
    bool sleeps;
};

struct node {
    struct act act[MOST_ACTS];
    unsigned count, chosen;
};

static struct {
    bool is_full; /* no thread sleeps */
    struct node node[MOST_NODES];
    size_t nodes, at;
    int call;         /* that has come to node `at` */
    struct act *last; /* not known yet whether it has changed its place */
} search;

static bool is_same_thread(const struct act *a, const struct act *b)
{
    return a->by.block == b->by.block && a->by.thread == b->by.thread;
}

static bool commute(const struct act *a, const struct act *b)
{
    const bool is_same_place = (uintptr_t)a->by.at / 8 == (uintptr_t)b->by.at / 8;
    return !is_same_thread(a, b) && (!is_same_place || (!a->has_changed && !b->has_changed));
}

static const struct act *act_at(size_t k)
{
    return &search.node[k].act[search.node[k].chosen];
}

static void see_what_changed(void)
{
    if (search.last != NULL) search.last->has_changed = simt_changed();
    search.last = NULL;
}

/* A thread that slept before the last act, or was tried in its place, sleeps on if its own act commutes with
   that one. */
static void put_to_sleep(struct node *node, const struct node *before)
{
    for (unsigned k = 0; k < node->count; k++)
        for (unsigned j = 0; j < before->count; j++) {
            const struct act *act = &before->act[j];
            if (!act->sleeps || !is_same_thread(act, &node->act[k])) continue;
            node->act[k].sleeps = commute(act, &before->act[before->chosen]);
            node->act[k].has_changed = act->has_changed;
        }
}

static bool choose_awake(struct node *node)
{
    node->chosen = 0;
    while (node->chosen < node->count && node->act[node->chosen].sleeps) node->chosen++;
    return node->chosen < node->count;
}

static bool add_node(const struct simt_stand *stand, unsigned count)
{
    struct node *node = &search.node[search.nodes];
    if (count > MOST_ACTS || search.nodes == MOST_NODES) fail("too large to go through all orders of");
    memset(node, 0, sizeof *node);
    node->count = count;
    for (unsigned k = 0; k < count; k++) node->act[k].by = stand[k];
    if (search.nodes > 0 && !search.is_full) put_to_sleep(node, node - 1);
    if (!choose_awake(node)) return false;
    search.nodes++;
    return true;
}

/* The first call makes the nodes, the second follows them. */
static unsigned choose(const struct simt_stand *stand, unsigned count)
{
    see_what_changed();
    if (call != search.call) search.at = 0;
    search.call = call;
    if (is_order_left) return 0;
    if (call == 0 && (count == 0 || (search.at == search.nodes && !add_node(stand, count)))) {
        is_order_left = true;
        return 0;
    }
    struct node *node = &search.node[search.at++];
    if (search.at > search.nodes || node->count != count) fail("call 2 does not go as call 1 did");
    if (call == 0) search.last = &node->act[node->chosen];
    return node->chosen;
}

/* The next order: as the last one up to its last choice that leaves another. */
static bool next_order(void)
{
    while (search.nodes > 0) {
        struct node *node = &search.node[search.nodes - 1];
        node->act[node->chosen].sleeps = true;
        if (choose_awake(node)) return true;
        search.nodes--;
    }
    return false;
}

/* A number that orders share if they are the same up to swaps of neighbours that commute: it is made of each
   act and of what came before it and does not commute with it. */
static u64 mark_of_order(void)
{
    u64 mark[MOST_NODES], all = 0;
    for (size_t k = 0; k < search.nodes; k++) {
        const struct simt_stand by = act_at(k)->by;
        mark[k] = 1 + by.block * 1024 + by.thread;
        for (size_t j = 0; j < k; j++)
            if (!commute(act_at(j), act_at(k))) mark[k] += mark[j];
        mark[k] = (mark[k] ^ mark[k] >> 29) * 0x9e3779b97f4a7c15ull;
        mark[k] = (mark[k] ^ mark[k] >> 32) * 0xd6e8feb86659fd93ull;
        all += mark[k];
    }
    return all;
}

struct orders {
    u64 *mark; /* of each */
    size_t count, left, room;
};

static void add_order(struct orders *orders)
{
    if (orders->count == orders->room) {
        orders->room = orders->room ? 2 * orders->room : 1024;
        orders->mark = (u64 *)realloc(orders->mark, orders->room * sizeof *orders->mark);
    }
    orders->mark[orders->count++] = mark_of_order();
}

/* False if there are more than most. */
static bool go_through(const struct test *test, bool is_full, size_t most, struct orders *orders)
{
    struct outcome expected[CALLS];
    simt_follow(NULL, 0);
    run_serially(test, expected);
    memset(&search, 0, sizeof search);
    search.is_full = is_full;
    do {
        if (orders->count + orders->left == most) return false;
        search.at = 0;
        search.call = 0;
        is_order_left = false;
        simt_ask(choose);
        expect_right(test, expected);
        if (is_order_left) orders->left++;
        else add_order(orders);
    } while (next_order());
    return true;
}

static int compare_marks(const void *a, const void *b)
{
    const u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

static size_t sort_and_unite(struct orders *orders)
{
    size_t count = 0;
    qsort(orders->mark, orders->count, sizeof *orders->mark, compare_marks);
    for (size_t k = 0; k < orders->count; k++)
        if (k == 0 || orders->mark[k] != orders->mark[k - 1]) orders->mark[count++] = orders->mark[k];
    return count;
}

/* Whether each order is, up to swaps, one of those found, which all differ; how many there are, or 0 if there
   are more than most. */
static size_t expect_agreement(const struct test *test, size_t most, struct orders *found)
{
    struct orders full = {NULL, 0, 0, 0};
    const bool is_all = go_through(test, true, most, &full);
    const size_t count = sort_and_unite(&full);
    const bool is_once = sort_and_unite(found) == found->count;
    if (!is_once) fail("one order is found twice in");
    if (is_all && (count != found->count || memcmp(full.mark, found->mark, count * sizeof(u64)) != 0)) {
        fprintf(stderr, "%zu orders, %zu of them differ, %zu are found\n", full.count, count, found->count);
        fail("an order is not found in");
    }
    free(full.mark);
    return is_all ? full.count : 0;
}

static void run_every_order(const struct test *test, size_t most, size_t most_in_all)
{
    struct orders orders = {NULL, 0, 0, 0};
    const bool is_all = go_through(test, false, most, &orders);
    const size_t in_all = is_all && most_in_all > 0 ? expect_agreement(test, most_in_all, &orders) : 0;
    printf("%-40s %6zu orders, %6zu left", test->name, orders.count, orders.left);
    if (!is_all) printf(", and there are more");
    if (in_all > 0) printf("; they stand for all %zu", in_all);
    printf("\n");
    fflush(stdout);
    free(orders.mark);
}

static void run_random_orders(const struct test *test, size_t count, unsigned seed)
{
    struct outcome expected[CALLS];
    simt_follow(NULL, 0);
    run_serially(test, expected);
    for (size_t k = 0; k < count; k++) {
        simt_wander(seed + (unsigned)k);
        expect_right(test, expected);
    }
    printf("%-40s %8zu orders at random, seeds from %u on\n", test->name, count, seed);
    fflush(stdout);
}

/* In orders of the simulator's own. */
static void run_seeds(const struct test *test, unsigned first, unsigned count)
{
    struct outcome expected[CALLS];
    run_serially(test, expected);
    for (unsigned k = 0; k < count; k++) {
        simt_seed(2 + first + k);
        expect_right(test, expected);
    }
    printf("%-40s %8u seeds\n", test->name, count);
    fflush(stdout);
}

static void run_order(const struct test *test, const char *order)
{
    struct outcome expected[CALLS];
    unsigned char choices[4096];
    size_t count = 0;
    for (const char *at = order; *at && count < COUNT(choices); at += strspn(at, ",")) {
        choices[count++] = (unsigned char)atoi(at);
        at += strcspn(at, ",");
    }
    simt_follow(NULL, 0);
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

static size_t number(int argc, char **argv, const char *name, size_t otherwise)
{
    const char *text = option(argc, argv, name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    const char *name = option(argc, argv, "--case"), *order = option(argc, argv, "--order");
    const size_t most = number(argc, argv, "--most", SIZE_MAX), in_all = number(argc, argv, "--agree", 0);
    const size_t random = number(argc, argv, "--random", 0), seed = number(argc, argv, "--seed", 1);
    u64 *values = (u64 *)malloc(INPUT);
    need_gpu();
    simt_seed(0);
    CHECK(reduce_workspace_create(&ws));
    fill_u64(values, INPUT / 8, 9);
    for (size_t k = 0; k < INPUT / 4; k++) ((u32 *)values)[k] |= 1;
    input = (unsigned char *)to_device(values, INPUT);
    output = (unsigned char *)device_room(ROOM, 0);
#if defined REDUCE_TREE_OF_TESTS_ && REDUCE_SLOTS == 3
    count = (size_t *)device_room(sizeof *count, 0);
#endif
    for (size_t k = 0; k < COUNT(tests); k++) {
        if (name != NULL && strcmp(tests[k].name, name) != 0) continue;
        if (order != NULL) run_order(&tests[k], order);
        else if (random > 0 && tests[k].extent == LARGE) run_random_orders(&tests[k], random, (unsigned)seed);
        else if (random > 0 && tests[k].extent == VAST) run_seeds(&tests[k], (unsigned)seed, (unsigned)random / 20);
        else if (random == 0 && tests[k].extent == SMALL) run_every_order(&tests[k], most, in_all);
    }
    free(values);
    CHECK(cudaFree(input));
    CHECK(cudaFree(output));
#if defined REDUCE_TREE_OF_TESTS_ && REDUCE_SLOTS == 3
    CHECK(cudaFree(count));
#endif
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
