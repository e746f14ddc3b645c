/* Every region of the code, by every executor, with a small tree (regions.h): operators in which any change of the
   order shows, with elements of every weight; sums of floats; and exact operators, for the atomic strategies too. */
#include "small_tree.h"

#include "regions.h"

/* Results of one and two bytes as well as larger ones; and elements of each weight, of 1 to 64 bytes. */
#define TRACES(X)                                                                                            \
    X(trace1, u8, 0, (u8)traced(a, b))                                                                       \
    X(trace2, u16, 0, (u16)traced(a, b))                                                                     \
    X(trace4, u32, 0, (u32)traced(a, b))                                                                     \
    X(trace8, u64, 0, traced(a, b))                                                                          \
    X(trace12, words3, no_words3(), trace_words3(a, b))                                                      \
    X(trace16, words4, no_words4(), trace_words4(a, b))                                                      \
    X(trace24, words6, no_words6(), trace_words6(a, b))                                                      \
    X(trace32, words8, no_words8(), trace_words8(a, b))                                                      \
    X(trace48, words12, no_words12(), trace_words12(a, b))                                                   \
    X(trace64, words16, no_words16(), trace_words16(a, b))

#define STRUCTS(X)                                                                                           \
    X(bytes5, u8)                                                                                            \
    X(bytes6, u16)                                                                                           \
    X(bytes7, u8)                                                                                            \
    X(words3, u32)                                                                                           \
    X(words4, u32)                                                                                           \
    X(words6, u64)                                                                                           \
    X(words8, u32)                                                                                           \
    X(words12, u32)                                                                                          \
    X(words16, u32)                                                                                          \
    X(line, u64)

#define BUILT_IN(X)                                                                                          \
    X(INTEGER, u8, bxor)                                                                                     \
    X(INTEGER, u16, min)                                                                                     \
    X(INTEGER, u32, sum)                                                                                     \
    X(INTEGER, u64, bxor)

#define DEFINE_TRACE(NAME, T, ...)                                                                           \
    DEFINE_REDUCE_AS(NAME, T, __VA_ARGS__)                                                                   \
    DEFINE_TREE_OF(NAME, T, __VA_ARGS__)                                                                     \
    DEFINE_SUBJECT(NAME, T)
#define DEFINE_STRUCT(T, WORD)                                                                               \
    ADD_WORDS(T, WORD)                                                                                       \
    DEFINE_REDUCE_AS(sum_##T, T, zero_##T(), add_##T(a, b))                                                  \
    DEFINE_TREE_OF(sum_##T, T, zero_##T(), add_##T(a, b))                                                    \
    DEFINE_SUBJECT(sum_##T, T)
#define DEFINE_BUILT_IN(kind, T, op)                                                                         \
    DEFINE_WITH_TREE(kind, T, op)                                                                            \
    DEFINE_SUBJECT(reduce_##T##_##op, T)

TRACES(DEFINE_TRACE)
STRUCTS(DEFINE_STRUCT)
BUILT_IN(DEFINE_BUILT_IN)
DEFINE_BUILT_IN(FLOATING, float, sum)

#define TRACE(NAME, T, ...) SUBJECT(NAME, T, true, fill_bytes),
#define STRUCT(T, WORD) SUBJECT(sum_##T, T, false, fill_bytes),
#define INTEGER(kind, T, op) SUBJECT(reduce_##T##_##op, T, false, fill_bytes),

static const struct subject traces[] = {TRACES(TRACE)};
static const struct subject exact[] = {BUILT_IN(INTEGER) STRUCTS(STRUCT)};
/* The sizes of elements that come in each way. */
static const size_t of_traces[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
static const size_t of_exact[] = {1, 2, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64};
static const struct subject floats[] = {SUBJECT(reduce_float_sum, float, true, fill_floats)};

/* Whether an executor takes a size. Many chunks take long in the simulator. NAME_async takes each threshold with
   elements of each size, and some of what lies beside; other executors and other operators share the thresholds. */
static bool takes(const struct subject *s, size_t number, enum executor by, struct array a, struct drawn drawn)
{
    const bool is_atomic = by == BY_ATOMIC_WARP || by == BY_ATOMIC_BLOCK;
    const size_t share = drawn.region + number;
    if (is_atomic && s->is_ordered) return false;
    if (a.count <= 8 || (by == BY_CPU && s->is_ordered)) return true;
    if (!a.is_aligned) return false;
    if (!s->is_ordered) return drawn.is_first && share % (is_atomic ? 7 : 13) == 0;
    if (by == BY_ASYNC) return drawn.is_first || (share + drawn.n) % (s->size > 8 ? 6 : 3) == 0;
    return drawn.is_first && (by == BY_CALL ? share % 3 == 0 : (share + by) % 2 == 0);
}

static void check_subject(const struct subject *s, size_t number, reduce_workspace *ws)
{
    static struct drawn drawn[MOST_DRAWN];
    const size_t count = draw_sizes(drawn, s->size);
    size_t most = 0;
    check_plans(s->size);
    for (size_t k = 0; k < count; k++) most = drawn[k].n > most ? drawn[k].n : most;
    const struct stage stage = stage_of(s, most, ws);
    for (int askew = 0; askew < 2; askew++) {
        fill_stage(stage, !askew);
        for (size_t k = 0; k < count; k++) {
            const struct array a = array_of(drawn[k].n, s->size, !askew);
            unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
            bool is_taken = false;
            for (int by = 0; by < EXECUTORS; by++) {
                if ((askew && !a.is_wide) || !takes(s, number, (enum executor)by, a, drawn[k])) continue;
                if (!is_taken) s->tree(data_of(stage, a.is_aligned), a.n, tree);
                is_taken = true;
                check_call(stage, (enum executor)by, a, tree);
            }
        }
    }
    free_stage(stage);
}

static void check_subjects(const struct subject *s, size_t count)
{
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    list_regions();
    for (size_t k = 0; k < count; k++) check_subject(&s[k], k, ws);
    CHECK(reduce_workspace_destroy(ws));
}

static void check_ordered(size_t first, size_t count)
{
    check_subjects(traces + first, count);
    for (size_t k = first; k < first + count; k++) {
        expect_visited(BY_CPU, traces[k].size);
        expect_visited(BY_ASYNC, traces[k].size);
    }
    expect_visited_together(BY_CALL, of_traces + first, count);
    expect_visited_together(BY_LAST_BLOCK, of_traces + first, count);
    expect_visited_together(BY_TWO_LAUNCH, of_traces + first, count);
}

TestSuite(regions, .init = need_gpu);

Test(regions, arrays_of_small_elements)
{
    check_ordered(0, 5);
}

Test(regions, arrays_of_large_elements)
{
    check_ordered(5, 5);
    check_subjects(floats, COUNT(floats));
}

/* Order does not show: all executors alike, the atomic ones among them. */
Test(regions, arrays_in_any_order)
{
    check_subjects(exact, COUNT(exact));
    for (int by = 0; by < EXECUTORS; by++) expect_visited_together((enum executor)by, of_exact, COUNT(of_exact));
    expect_reached(of_exact, COUNT(of_exact));
}

/* ---- Grids --------------------------------------------------------------------------------------------- */

DEFINE_GRID(trace1, u8, fill_bytes)
DEFINE_GRID(trace2, u16, fill_bytes)
DEFINE_GRID(trace4, u32, fill_bytes)
DEFINE_GRID(trace8, u64, fill_bytes)
DEFINE_GRID(trace12, words3, fill_bytes)
DEFINE_GRID(trace64, words16, fill_bytes)
DEFINE_GRID(reduce_float_sum, float, fill_floats)

/* Threads of a grid take long in the simulator: there the turns that 8 bits do not count are left to tests/orders. */
#ifdef SIMT
enum { MOST_THREADS = 3100 };
#else
enum { MOST_THREADS = MOST_TURNS * TREE_SLOTS + 2 };
#endif

Test(regions, grids)
{
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    trace1_check_grids(MOST_THREADS, ws);
    trace2_check_grids(MOST_THREADS, ws);
    trace4_check_grids(MOST_THREADS, ws);
    trace8_check_grids(MOST_THREADS, ws);
    trace12_check_grids(MOST_THREADS, ws);
    trace64_check_grids(MOST_THREADS, ws);
    reduce_float_sum_check_grids(MOST_THREADS, ws);
    CHECK(reduce_workspace_destroy(ws));
}
