/* Regions of the code under the thread sanitizer, with a small tree: arrays of a few chunks by each strategy and of
   more than lanes, and grids of more than twice as many blocks as slots. Threads take long under the sanitizer:
   test_regions.cu takes every size. */
#define CHECK_ALONE
#include "../small_tree.h"

#include "../regions.h"

DEFINE_REDUCE_AS(trace8, u64, 0, traced(a, b))
DEFINE_TREE_OF(trace8, u64, 0, traced(a, b))
DEFINE_SUBJECT(trace8, u64)
DEFINE_GRID(trace8, u64, fill_bytes)
DEFINE_REDUCE_AS(trace2, u16, 0, (u16)traced(a, b))
DEFINE_TREE_OF(trace2, u16, 0, (u16)traced(a, b))
DEFINE_GRID(trace2, u16, fill_bytes)
DEFINE_REDUCE_AS(trace1, u8, 0, (u8)traced(a, b))
DEFINE_TREE_OF(trace1, u8, 0, (u8)traced(a, b))
DEFINE_SUBJECT(trace1, u8)
#define DEFINE_SUM(T, WORD)                                                                                  \
    ADD_WORDS(T, WORD)                                                                                       \
    DEFINE_REDUCE_AS(sum_##T, T, zero_##T(), add_##T(a, b))                                                  \
    DEFINE_TREE_OF(sum_##T, T, zero_##T(), add_##T(a, b))                                                    \
    DEFINE_SUBJECT(sum_##T, T)
DEFINE_SUM(words6, u64)
DEFINE_SUM(bytes5, u8)
DEFINE_SUM(line, u64)

static const struct subject trace = SUBJECT(trace8, u64, true, fill_bytes);
static const struct subject bytes = SUBJECT(trace1, u8, true, fill_bytes);
static const struct subject sum = SUBJECT(sum_words6, words6, false, fill_bytes);
static const struct subject few_bytes = SUBJECT(sum_bytes5, bytes5, false, fill_bytes);
static const struct subject aligned = SUBJECT(sum_line, line, false, fill_bytes);

/* The least n of so many chunks. */
static size_t least(size_t chunks, size_t size)
{
    size_t n = 0;
    while (array_of(n, size, true).count < chunks) n++;
    return n;
}

static void check(const struct subject *s, enum executor by, size_t n, bool is_aligned, reduce_workspace *ws)
{
    const struct array a = array_of(n, s->size, is_aligned);
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    const struct stage stage = stage_of(s, n, ws);
    fill_stage(stage, is_aligned);
    s->tree(data_of(stage, is_aligned), n, tree);
    check_call(stage, by, a, tree);
    free_stage(stage);
}

int main(void)
{
    need_gpu();
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    list_regions();
    for (size_t size = 1; size <= REDUCE_MAX_SIZE; size++) check_plans(size);
    for (int by = BY_ASYNC; by < EXECUTORS; by++) {
        const bool is_atomic = by == BY_ATOMIC_WARP || by == BY_ATOMIC_BLOCK;
        const struct subject *const s = is_atomic ? &sum : &trace;
        check(s, (enum executor)by, 0, true, ws);
        check(s, (enum executor)by, least(2, s->size) - 1, true, ws);
        check(s, (enum executor)by, least(4, s->size) + 1, is_atomic, ws);
    }
    for (size_t chunks = TREE_STRANDS - 1; chunks <= 2 * TREE_STRANDS + 1; chunks++)
        check(&trace, BY_CPU, least(chunks, 8), true, ws);
    check(&few_bytes, BY_ATOMIC_BLOCK, least(3, sizeof(bytes5)), true, ws);
    check(&aligned, BY_ATOMIC_BLOCK, least(3, sizeof(line)), true, ws);
    check(&trace, BY_ASYNC, least(TREE_STRANDS + 1, 8), true, ws);
    check(&bytes, BY_ASYNC, least(2, 1) - 1, false, ws); /* long enough for accumulators to be moved */
    const struct grid grids[] = {{1, 40}, {7, 33}, {TREE_SLOTS + 2, 2}, {2 * TREE_SLOTS + 3, 1}};
    for (size_t k = 0; k < COUNT(grids); k++) {
        trace8_check_grid(grids[k], ws);
        trace2_check_grid(grids[k], ws);
    }
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
