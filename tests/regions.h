/*
 * The regions of the code, in one table for arrays and one for grids; the sizes at which each begins; and the record of
 * who has been where. For test_regions.cu and race/regions.cu, which include small_tree.h first.
 *
 * A region begins where the plan of tree.h says: the tests search for the place, take the size there, one element less
 * and one more, and mark what they run. A region that an executor has not been in is an error.
 */
#ifndef REGIONS_H
#define REGIONS_H

#include "check.h"
#include "executors.h"
#include "grid.h"

/* ---- The regions of arrays ----------------------------------------------------------------------------- */

struct array {
    size_t n, size;
    bool is_aligned;
    size_t positions, chunk, count; /* of the plan */
    size_t height;                  /* of several chunks, in units of the plan */
    size_t last, warps, stripes;    /* elements in the last chunk, the warps and stripes that they fill or begin */
    bool is_wide;                   /* one load of 16 bytes takes all positions of a strand */
};

HELPER struct array array_of(size_t n, size_t size, bool is_aligned)
{
    struct array a;
    a.n = n, a.size = size, a.is_aligned = is_aligned;
    a.positions = tree_positions(size);
    a.chunk = tree_chunk(n, size);
    a.count = n == 0 ? 0 : tree_divide_up(n, a.chunk);
    a.height = a.count > 1 ? tree_height(tree_units(n, size)) : 0;
    a.last = n == 0 ? 0 : n - (a.count - 1) * a.chunk;
    a.warps = tree_divide_up(a.last, 32 * a.positions);
    a.stripes = tree_divide_up(a.last, tree_stripe(size));
    a.is_wide = size * a.positions == 16;
    return a;
}

/* X(name, what it is, first k, last k, whether a is in it). */
#define ARRAY_REGIONS(X)                                                                                     \
    X(is_empty, "no elements", 0, 0, a.n == 0)                                                               \
    X(is_part, "a part of a warp", 0, 0, a.count == 1 && a.last < 32 * a.positions)                          \
    X(has_warps, "one chunk of %zu warps", 1, TREE_STRANDS / 32, a.count == 1 && a.warps == k)               \
    X(has_stripes, "one chunk of %zu stripes", 1, TREE_SINGLE, a.count == 1 && a.stripes == k)               \
    X(is_full, "one chunk, as long as one can be", 0, 0,                                                     \
      a.count == 1 && tree_chunk(a.n + 1, a.size) < a.n + 1)                                                 \
    X(is_low, "chunks of height %zu", 2, 2, a.height == k)                                                   \
    X(is_high, "chunks of height %zu", 4, TREE_TALL, a.height == k)                                          \
    X(is_higher, "chunks of height %zu, as there are no more of them", TREE_TALL + 1, TREE_TALL + 1, a.height == k)\
    X(has_few, "chunks: %zu", 1, 2, a.count == k)                                                            \
    X(has_strands, "chunks: %zu, about one a strand", TREE_STRANDS - 1, TREE_STRANDS + 1, a.count == k)        \
    X(has_twice, "chunks: %zu, about two a strand", 2 * TREE_STRANDS - 1, 2 * TREE_STRANDS + 1, a.count == k)\
    X(has_most, "chunks: %zu, about the limit", TREE_MAX_CHUNKS - 1, TREE_MAX_CHUNKS, a.count == k)          \
    X(ends_full, "several chunks, the last full", 0, 0, a.count > 1 && a.last == a.chunk)                    \
    X(ends_short, "several chunks, the last short", 0, 0, a.count > 1 && a.last < a.chunk)                   \
    X(has_rest, "one chunk of which wide loads leave a rest", 0, 0,                                          \
      a.is_wide && a.is_aligned && a.count == 1 && a.last > a.positions && a.last % a.positions > 0)         \
    X(have_rest, "several chunks of which wide loads leave a rest", 0, 0,                                    \
      a.is_wide && a.is_aligned && a.count > 1 && a.last % a.positions > 0)                                  \
    X(has_no_rest, "one chunk of which wide loads leave no rest", 0, 0,                                      \
      a.is_wide && a.is_aligned && a.count == 1 && a.last % a.positions == 0)                                \
    X(have_no_rest, "several chunks of which wide loads leave no rest", 0, 0,                                \
      a.is_wide && a.is_aligned && a.count > 1 && a.last % a.positions == 0)                                 \
    X(is_askew, "one chunk at an address that wide loads cannot take", 0, 0,                                 \
      a.is_wide && !a.is_aligned && a.count == 1)                                                            \
    X(are_askew, "several chunks at an address that wide loads cannot take", 0, 0,                           \
      a.is_wide && !a.is_aligned && a.count > 1)                                                             \
    X(is_odd, "one chunk of elements that wide loads cannot take", 0, 0, !a.is_wide && a.count == 1)         \
    X(are_odd, "several chunks of elements that wide loads cannot take", 0, 0, !a.is_wide && a.count > 1)

#define REGION_TEST(name, what, first, last, condition)                                                      \
    static bool name(struct array a, size_t k)                                                               \
    {                                                                                                        \
        (void)k;                                                                                             \
        return condition;                                                                                    \
    }
ARRAY_REGIONS(REGION_TEST)

struct region {
    const char *what;
    size_t k;
    bool (*has)(struct array a, size_t k);
};

enum { MOST_REGIONS = 64 };
static struct region regions[MOST_REGIONS];
static size_t region_count;

HELPER void list_regions(void)
{
    region_count = 0;
#define REGION_LIST(name, what, first, last, condition)                                                      \
    for (size_t k = first; k <= (last); k++) {                                                               \
        const struct region region = {what, k, name};                                                        \
        cr_assert(region_count < MOST_REGIONS, "too many regions");                                          \
        regions[region_count++] = region;                                                                    \
    }
    ARRAY_REGIONS(REGION_LIST)
}

/* The j-th size at which a region can begin: each in the first stripe, then whole stripes and one element more. */
HELPER size_t candidate(size_t j, size_t size)
{
    const size_t stripe = tree_stripe(size);
    return j <= stripe ? j : stripe + (j - stripe) / 2 * stripe + (j - stripe) % 2;
}

/* The least n in a region, or SIZE_MAX: arrays of elements of this size do not come there. */
HELPER size_t first_of_region(const struct region *region, size_t size, bool is_aligned)
{
    const size_t most = tree_stripe(size) * (TREE_TALL + 1) * TREE_MAX_CHUNKS;
    for (size_t j = 0; candidate(j, size) <= most; j++)
        if (region->has(array_of(candidate(j, size), size, is_aligned), region->k)) return candidate(j, size);
    return SIZE_MAX;
}

/* The header's plan is that of tree.h wherever a region can begin. */
HELPER void check_plans(size_t size)
{
    const size_t most = tree_stripe(size) * (TREE_TALL + 1) * TREE_MAX_CHUNKS;
    for (size_t j = 0; candidate(j, size) <= most; j++) {
        const struct array a = array_of(candidate(j, size), size, true);
        const struct reduce_plan plan = reduce_plan(a.n, size);
        cr_assert(plan.chunk == a.chunk && plan.count == a.count, "reduce_plan(%zu, %zu) = {%zu, %zu}, not {%zu, %zu}",
                  a.n, size, plan.chunk, plan.count, a.chunk, a.count);
    }
}

/* ---- Who has been where -------------------------------------------------------------------------------- */

static bool visited[EXECUTORS][REDUCE_MAX_SIZE + 1][MOST_REGIONS]; /* by elements of each size */

HELPER void visit(enum executor by, struct array a)
{
    for (size_t r = 0; r < region_count; r++)
        if (regions[r].has(a, regions[r].k)) visited[by][a.size][r] = true;
}

/* The region's number in its sentence; good until the next call. */
HELPER const char *region_text(size_t r)
{
    static char text[128];
    snprintf(text, sizeof text, regions[r].what, regions[r].k);
    return text;
}

HELPER bool is_reached(size_t r, size_t size)
{
    return first_of_region(&regions[r], size, true) != SIZE_MAX || first_of_region(&regions[r], size, false) != SIZE_MAX;
}

/* Elements of a size have been, by one executor, in every region to which they come. */
HELPER void expect_visited(enum executor by, size_t size)
{
    for (size_t r = 0; r < region_count; r++)
        cr_expect(!is_reached(r, size) || visited[by][size][r], "NAME_%s has not been run with %s, of %zu bytes",
                  executors[by], region_text(r), size);
}

/* With elements of these sizes taken together. */
HELPER void expect_visited_together(enum executor by, const size_t *sizes, size_t count)
{
    for (size_t r = 0; r < region_count; r++) {
        bool exists = false, has_been = false;
        for (size_t k = 0; k < count; k++) {
            exists = exists || is_reached(r, sizes[k]);
            has_been = has_been || visited[by][sizes[k]][r];
        }
        cr_expect(!exists || has_been, "NAME_%s has not been run with %s", executors[by], region_text(r));
    }
}

/* The table is of one tree: elements of some size come to each region. */
HELPER void expect_reached(const size_t *sizes, size_t count)
{
    for (size_t r = 0; r < region_count; r++) {
        bool exists = false;
        for (size_t k = 0; k < count; k++) exists = exists || is_reached(r, sizes[k]);
        cr_expect(exists, "no array is %s", region_text(r));
    }
}

/* ---- Sizes --------------------------------------------------------------------------------------------- */

/* A size, whether a region begins there, and the number of one that it stands for. */
struct drawn {
    size_t n, region;
    bool is_first;
};

enum { MOST_DRAWN = 3 * MOST_REGIONS };

HELPER size_t draw(struct drawn *to, size_t count, struct drawn one)
{
    for (size_t k = 0; k < count; k++)
        if (to[k].n == one.n) {
            to[k].is_first = to[k].is_first || one.is_first;
            return count;
        }
    to[count] = one;
    return count + 1;
}

/* Where each region begins, and one element less and more; how many there are. */
HELPER size_t draw_sizes(struct drawn *to, size_t size)
{
    size_t count = 0;
    for (size_t r = 0; r < region_count; r++) {
        const size_t aligned = first_of_region(&regions[r], size, true);
        const size_t n = aligned != SIZE_MAX ? aligned : first_of_region(&regions[r], size, false);
        if (n == SIZE_MAX) continue;
        const struct drawn first = {n, r, true}, less = {n - 1, r, false}, more = {n + 1, r, false};
        count = draw(to, count, first);
        if (n > 0) count = draw(to, count, less);
        count = draw(to, count, more);
    }
    return count;
}

/* ---- Types --------------------------------------------------------------------------------------------- */

/* Structs without padding, of other weights than those of check.h, of a few bytes, and of a wide alignment. */
struct words4 {
    u32 word[4];
};
struct words8 {
    u32 word[8];
};
struct words12 {
    u32 word[12];
};
struct bytes5 {
    u8 word[5];
};
struct bytes6 {
    u16 word[3];
};
struct bytes7 {
    u8 word[7];
};
struct line {
    u64 word[8];
} __attribute__((aligned(64)));
typedef struct words4 words4;
typedef struct words8 words8;
typedef struct words12 words12;
typedef struct bytes5 bytes5;
typedef struct bytes6 bytes6;
typedef struct bytes7 bytes7;
typedef struct line line;

TRACE_WORDS(words4, u32)
TRACE_WORDS(words8, u32)
TRACE_WORDS(words12, u32)

/* An operator whose order does not show. A lost, doubled or shortened element does. */
#define ADD_WORDS(T, WORD)                                                                                   \
    HELPER_BOTH T zero_##T(void)                                                                             \
    {                                                                                                        \
        T x;                                                                                                 \
        memset(&x, 0, sizeof x);                                                                             \
        return x;                                                                                            \
    }                                                                                                        \
    HELPER_BOTH T add_##T(T a, T b)                                                                          \
    {                                                                                                        \
        const size_t words = sizeof a.word / sizeof *a.word;                                                 \
        for (size_t k = 0; k < words; k++) a.word[k] = (WORD)(a.word[k] + b.word[k]);                        \
        return a;                                                                                            \
    }

HELPER void fill_bytes(void *to, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 8) {
        const u64 hash = mixed(k);
        memcpy((char *)to + k, &hash, bytes - k < 8 ? bytes - k : 8);
    }
}

HELPER void fill_floats(void *to, size_t bytes)
{
    fill_float((float *)to, bytes / sizeof(float), 1);
}

/* ---- A subject ----------------------------------------------------------------------------------------- */

struct subject {
    const char *name;
    size_t size, alignment;
    bool is_ordered; /* its order shows: not for the atomic strategies */
    void (*fill)(void *to, size_t bytes);
    void (*tree)(const void *in, size_t n, void *result);
    executed_by *run;
};

#define DEFINE_SUBJECT(NAME, T)                                                                              \
    DEFINE_BY(NAME, T, T)                                                                                    \
    static void NAME##_tree_of(const void *in, size_t n, void *result)                                       \
    {                                                                                                        \
        const T tree = NAME##_tree((const T *)in, n);                                                        \
        memcpy(result, &tree, sizeof tree);                                                                  \
    }
#define SUBJECT(NAME, T, is_ordered, fill)                                                                   \
    {#NAME, sizeof(T), REDUCE_ALIGNMENT_(T), is_ordered, fill, NAME##_tree_of, NAME##_by}

/* The subject's data, in main memory and on the device, at an address that wide loads take or at one that they do not
   take; a workspace; and room for a result. */
struct stage {
    const struct subject *s;
    size_t bytes;
    unsigned char *host, *device, *out;
    reduce_workspace *ws;
};

HELPER struct stage stage_of(const struct subject *s, size_t n, reduce_workspace *ws)
{
    struct stage stage;
    stage.s = s, stage.ws = ws;
    stage.bytes = (n + 1) * s->size;
    stage.host = (unsigned char *)malloc(stage.bytes + 64 + s->alignment);
    cr_assert(stage.host != NULL, "no memory");
    stage.device = (unsigned char *)device_room(stage.bytes + s->alignment, 0);
    stage.out = (unsigned char *)device_room(REDUCE_MAX_SIZE, 0);
    return stage;
}

HELPER void free_stage(struct stage stage)
{
    CHECK(cudaFree(stage.out));
    CHECK(cudaFree(stage.device));
    free(stage.host);
}

/* The address of the data in main memory, and whether it is a multiple of 16 there and on the device. */
HELPER unsigned char *data_of(struct stage stage, bool is_aligned)
{
    unsigned char *const at = stage.host + (64 - (uintptr_t)stage.host % 64) % 64;
    return is_aligned ? at : at + stage.s->alignment;
}

HELPER void fill_stage(struct stage stage, bool is_aligned)
{
    stage.s->fill(data_of(stage, is_aligned), stage.bytes);
    CHECK(cudaMemcpy(stage.device + (is_aligned ? 0 : stage.s->alignment), data_of(stage, is_aligned), stage.bytes,
                     cudaMemcpyHostToDevice));
}

/* One call by one executor. */
HELPER void check_call(struct stage stage, enum executor by, struct array a, const void *tree)
{
    const struct subject *const s = stage.s;
    const bool is_on_device = by != BY_CPU && by != BY_CALL;
    unsigned char got[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    memset(got, 0x5a, sizeof got);
    if (is_on_device) {
        CHECK(cudaMemset(stage.out, 0x5a, sizeof got));
        CHECK(s->run(by, stage.device + (a.is_aligned ? 0 : s->alignment), a.n, stage.out, stage.ws, 0));
        from_device(got, stage.out, s->size);
        cr_expect(is_empty_workspace(stage.ws), "%s_%s of %zu in %zu chunks: the workspace is not empty", s->name,
                  executors[by], a.n, a.count);
    } else {
        CHECK(s->run(by, data_of(stage, a.is_aligned), a.n, got, NULL, 0));
    }
    cr_expect(memcmp(got, tree, s->size) == 0, "%s_%s of %zu in %zu chunks%s: %s, the tree gives %s", s->name,
              executors[by], a.n, a.count, a.is_aligned ? "" : ", askew", bits_in_hex(got, s->size),
              bits_in_hex(tree, s->size));
    visit(by, a);
}

/* ---- The regions of grids ------------------------------------------------------------------------------ */

struct grid {
    unsigned blocks, threads;
};

/* Results that wait in slots: of all blocks but the last. */
#define WAITING (g.blocks - 1)

/* X(name, what it is, whether g is in it). */
#define GRID_REGIONS(X)                                                                                      \
    X(is_alone, "one block", g.blocks == 1)                                                                  \
    X(has_less, "fewer results than threads", WAITING > 0 && WAITING < g.threads)                            \
    X(has_as_many, "as many results as threads", WAITING == g.threads)                                       \
    X(has_more, "more results than threads", WAITING > g.threads)                                            \
    X(lacks_one, "as many blocks as slots", g.blocks == TREE_SLOTS)                                          \
    X(has_all, "as many results as slots", WAITING == TREE_SLOTS)                                            \
    X(shares_one, "one more result than slots", WAITING == TREE_SLOTS + 1)                                   \
    X(shares_all, "twice as many results as slots", WAITING == 2 * TREE_SLOTS)                               \
    X(turns_again, "one more result than that", WAITING == 2 * TREE_SLOTS + 1)                               \
    X(turns_on, "more than that", WAITING > 2 * TREE_SLOTS + 1)                                              \
    X(goes_first, "the last block's result goes to the first thread", WAITING > 0 && WAITING % g.threads == 0)\
    X(goes_last, "the last block's result goes to the last thread",                                          \
      WAITING > 0 && g.threads > 1 && WAITING % g.threads == g.threads - 1)                                  \
    X(is_of_one, "blocks of one thread", g.threads == 1)                                                     \
    X(is_of_part, "blocks of less than a warp", g.threads > 1 && g.threads < 32)                             \
    X(is_of_warp, "blocks of a warp", g.threads == 32)                                                       \
    X(ends_partial, "blocks whose last warp is partial", g.threads > 32 && g.threads % 32 > 0)               \
    X(is_of_few, "several warps, which one thread can fold", g.threads > 32 && g.threads <= 512)             \
    X(is_of_many, "more warps than one thread folds", g.threads > 512)                                       \
    X(is_of_most, "blocks of 1024 threads", g.threads == 1024)                                               \
    X(is_deep, "more turns than 8 bits count", WAITING > 256 * TREE_SLOTS)

enum { MOST_TURNS = 257 }; /* how far the table reaches, in multiples of the slots */

#define GRID_TEST(name, what, condition)                                                                     \
    static bool name(struct grid g)                                                                          \
    {                                                                                                        \
        return condition;                                                                                    \
    }
GRID_REGIONS(GRID_TEST)

struct grid_region {
    const char *what;
    bool (*has)(struct grid g);
};
#define GRID_ROW(name, what, condition) {what, name},
static const struct grid_region grid_regions[] = {GRID_REGIONS(GRID_ROW)};

enum { GRID_REGIONS_COUNT = sizeof grid_regions / sizeof *grid_regions, MOST_GRIDS = 512 };

static bool visited_by_grid[GRID_REGIONS_COUNT];

HELPER void visit_by_grid(struct grid g)
{
    for (size_t r = 0; r < GRID_REGIONS_COUNT; r++)
        if (grid_regions[r].has(g)) visited_by_grid[r] = true;
}

/* All regions that grids of so many threads reach. Each instance begins anew. */
HELPER void expect_visited_by_grid(const char *name, unsigned most_threads)
{
    for (size_t r = 0; r < GRID_REGIONS_COUNT; r++) {
        bool exists = false;
        for (unsigned threads = 1; threads <= 1024; threads++)
            for (unsigned blocks = 1; !exists && blocks * threads <= most_threads; blocks++) {
                const struct grid g = {blocks, threads};
                exists = grid_regions[r].has(g);
            }
        cr_expect(!exists || visited_by_grid[r], "%s_grid has not been run with %s", name, grid_regions[r].what);
    }
    memset(visited_by_grid, 0, sizeof visited_by_grid);
}

HELPER size_t draw_grid(struct grid *to, size_t count, struct grid one, unsigned most_threads)
{
    if (one.blocks == 0 || one.blocks * one.threads > most_threads) return count;
    for (size_t k = 0; k < count; k++)
        if (to[k].blocks == one.blocks && to[k].threads == one.threads) return count;
    cr_assert(count < MOST_GRIDS, "too many grids");
    to[count] = one;
    return count + 1;
}

/* For blocks of some sizes: where each region begins, and one block less and more, if no grid has more than
   most_threads. */
HELPER size_t draw_grids(struct grid *to, unsigned most_threads)
{
    static const unsigned sizes[] = {1, 7, 32, 33, 64, 513, 1024};
    size_t count = 0;
    for (size_t r = 0; r < GRID_REGIONS_COUNT; r++)
        for (size_t k = 0; k < COUNT(sizes); k++) {
            struct grid first = {1, sizes[k]};
            while (first.blocks * first.threads <= most_threads && !grid_regions[r].has(first)) first.blocks++;
            const struct grid less = {first.blocks - 1, sizes[k]}, more = {first.blocks + 1, sizes[k]};
            if (first.blocks * first.threads > most_threads) continue;
            count = draw_grid(to, count, first, most_threads);
            count = draw_grid(to, count, less, most_threads);
            count = draw_grid(to, count, more, most_threads);
        }
    return count;
}

/* void NAME_check_grid(g, ws): each thread of the block that may read *out writes what it read. */
#define DEFINE_GRID(NAME, T, FILL)                                                                           \
    DEFINE_FOLDS(NAME, T, NAME##_tree_identity(), NAME##_tree_combine)                                       \
    static __global__ void __launch_bounds__(1024)                                                           \
        NAME##_ends_in_grid(const T *in, reduce_workspace *ws, T *out)                                       \
    {                                                                                                        \
        if (NAME##_grid(in[blockIdx.x * blockDim.x + threadIdx.x], ws, out)) out[1 + threadIdx.x] = *out;    \
    }                                                                                                        \
    static void NAME##_check_grid(struct grid g, reduce_workspace *ws)                                       \
    {                                                                                                        \
        static T got[1025];                                                                                  \
        const size_t n = (size_t)g.blocks * g.threads;                                                       \
        T *in = (T *)malloc(n * sizeof(T)), *out = (T *)device_room(sizeof got, 0x5a);                       \
        FILL(in, n * sizeof(T));                                                                             \
        const T expected = NAME##_settled(NAME##_of_grid(in, (int)g.blocks, (int)g.threads));                \
        T *const device = (T *)to_device(in, n * sizeof(T));                                                 \
        NAME##_ends_in_grid<<<g.blocks, g.threads>>>(device, ws, out);                                       \
        check_launch();                                                                                      \
        from_device(got, out, sizeof got);                                                                   \
        for (unsigned k = 0; k <= g.threads; k++)                                                            \
            cr_assert(SAME_BITS(got[k], expected), "%s_grid, %u blocks of %u, %u: %s, not %s", #NAME,        \
                      g.blocks, g.threads, k, BITS(got[k]), BITS(expected));                                 \
        cr_expect(is_empty_workspace(ws), "%s_grid, %u blocks of %u: the workspace is not empty", #NAME,     \
                  g.blocks, g.threads);                                                                      \
        visit_by_grid(g);                                                                                    \
        CHECK(cudaFree(device));                                                                             \
        CHECK(cudaFree(out));                                                                                \
        free(in);                                                                                            \
    }                                                                                                        \
    HELPER void NAME##_check_grids(unsigned most_threads, reduce_workspace *ws)                              \
    {                                                                                                        \
        static struct grid grids[MOST_GRIDS];                                                                \
        const size_t count = draw_grids(grids, most_threads);                                                \
        for (size_t k = 0; k < count; k++) NAME##_check_grid(grids[k], ws);                                  \
        expect_visited_by_grid(#NAME, most_threads);                                                         \
    }

#endif
