/* Rows, columns, axes and segments: each result has the bits of NAME_cpu of the same elements in an array of their own.
   With a small tree, so that short rows reach every region of the code, and operators in which any change of the
   order shows. Sizes come from the table of regions. */
#include "small_tree.h"

#include "reduce_rows.cuh"

#include "regions.h"

/* ---- What is reduced ----------------------------------------------------------------------------------- */

/* X(NAME, In, T, how to fill it) */
#define OF_ONE_TYPE(X)                                                                                       \
    X(trace1, u8, u8, fill_bytes)                                                                            \
    X(trace2, u16, u16, fill_bytes)                                                                          \
    X(trace4, u32, u32, fill_bytes)                                                                          \
    X(trace8, u64, u64, fill_bytes)                                                                          \
    X(trace12, words3, words3, fill_bytes)                                                                   \
    X(trace64, words16, words16, fill_bytes)
#define OTHERS(X)                                                                                            \
    X(reduce_float_sum, float, float, fill_floats)                                                           \
    X(reduce_u32_max, u32, u32, fill_bytes)                                                                  \
    X(bytes, i8, int, fill_bytes)                                                                            \
    X(places, u8, u64, fill_bytes)                                                                           \
    X(wider, float, double, fill_floats)
#define EVERY(X) OF_ONE_TYPE(X) OTHERS(X)

DEFINE_REDUCE_AS(trace1, u8, 0, (u8)traced(a, b))
DEFINE_REDUCE_AS(trace2, u16, 0, (u16)traced(a, b))
DEFINE_REDUCE_AS(trace4, u32, 0, (u32)traced(a, b))
DEFINE_REDUCE_AS(trace8, u64, 0, traced(a, b))
DEFINE_REDUCE_AS(trace12, words3, no_words3(), trace_words3(a, b))
DEFINE_REDUCE_AS(trace64, words16, no_words16(), trace_words16(a, b))
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(u32, max)
DEFINE_REDUCE_MAP(bytes, i8, int, x, REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int, a, b))
DEFINE_REDUCE_MAP(places, u8, u64, traced(x + 1u, i), 0, traced(a, b)) /* the index in the row shows */
DEFINE_REDUCE_MAP(wider, float, double, (double)x * x, 0, a + b)

#define DEFINE_ROWS(NAME, In, T, fill) DEFINE_REDUCE_ROWS(NAME)
EVERY(DEFINE_ROWS)

/* ---- Shapes -------------------------------------------------------------------------------------------- */

/* Element j of result r is in[start + r / inner * outer_pitch + r % inner * apart + j * pitch]. */
struct shape {
    size_t results, n, inner, outer_pitch, apart, pitch, start;
};

static size_t first_of(struct shape s, size_t r)
{
    return s.start + r / s.inner * s.outer_pitch + r % s.inner * s.apart;
}

static size_t extent_of(struct shape s)
{
    size_t extent = s.start + 1;
    for (size_t r = 0; r < s.results && s.n > 0; r++) {
        const size_t end = first_of(s, r) + (s.n - 1) * s.pitch + 1;
        if (end > extent) extent = end;
    }
    return extent;
}

enum way { ROWS, COLUMNS, AXIS, WAYS };
static const char *const ways[] = {"rows", "columns", "axis"};

struct reducer {
    const char *name;
    size_t in, out; /* sizes */
    void (*fill)(void *to, size_t bytes);
    void (*expect)(struct shape s, const void *in, void *out);
    cudaError_t (*async)(enum way way, struct shape s, const void *in, void *out, reduce_workspace *ws);
    cudaError_t (*call)(enum way way, struct shape s, const void *in, void *out);
    void (*cpu)(enum way way, struct shape s, const void *in, void *out);
};

#define BY_WAY(NAME, SUFFIX, In, T, ...)                                                                     \
    const In *const from = (const In *)in + s.start;                                                         \
    T *const to = (T *)out;                                                                                  \
    switch (way) {                                                                                           \
        case ROWS: RETURNS NAME##_rows##SUFFIX(from, s.results, s.n, s.apart, to __VA_ARGS__);               \
        case COLUMNS: RETURNS NAME##_columns##SUFFIX(from, s.n, s.results, s.pitch, to __VA_ARGS__);         \
        default: RETURNS NAME##_axis##SUFFIX(from, s.results / s.inner, s.n, s.inner, to __VA_ARGS__);       \
    }

#define COMMA ,
#define RETURNS return
#define DEFINE_SHAPES(NAME, In, T, fill)                                                                     \
    static void NAME##_expect(struct shape s, const void *in, void *out)                                     \
    {                                                                                                        \
        In *const row = (In *)malloc((s.n + 1) * sizeof(In));                                                \
        for (size_t r = 0; r < s.results; r++) {                                                             \
            for (size_t j = 0; j < s.n; j++) row[j] = ((const In *)in)[first_of(s, r) + j * s.pitch];        \
            ((T *)out)[r] = NAME##_cpu(row, s.n);                                                            \
        }                                                                                                    \
        free(row);                                                                                           \
    }                                                                                                        \
    static cudaError_t NAME##_by_async(enum way way, struct shape s, const void *in, void *out,              \
                                       reduce_workspace *ws)                                                 \
    {                                                                                                        \
        BY_WAY(NAME, _async, In, T, COMMA ws COMMA 0)                                                        \
    }                                                                                                        \
    static void NAME##_by_cpu(enum way way, struct shape s, const void *in, void *out)                       \
    {                                                                                                        \
        BY_WAY(NAME, _cpu, In, T)                                                                            \
    }
EVERY(DEFINE_SHAPES)

#define SUBJECT_OF(NAME, In, T, fill)                                                                        \
    {#NAME, sizeof(In), sizeof(T), fill, NAME##_expect, NAME##_by_async, NULL, NAME##_by_cpu},
static const struct reducer reducers[] = {EVERY(SUBJECT_OF)};

static void expect_results(const struct reducer *s, enum way way, const char *who, struct shape shape, const void *got,
                           const void *expected)
{
    for (size_t r = 0; r < shape.results; r++) {
        const unsigned char *a = (const unsigned char *)got + r * s->out, *b = (const unsigned char *)expected + r * s->out;
        if (memcmp(a, b, s->out) != 0)
            cr_assert(false, "%s_%s%s, result %zu of %zu of %zu elements, inner %zu, pitch %zu, start %zu: %s, not %s", s->name,
                      ways[way], who, r, shape.results, shape.n, shape.inner, shape.pitch, shape.start,
                      bits_in_hex(a, s->out), bits_in_hex(b, s->out));
    }
}

static void check_shape(const struct reducer *s, enum way way, struct shape shape, reduce_workspace *ws)
{
    const size_t bytes = extent_of(shape) * s->in, results = (shape.results + 1) * s->out;
    unsigned char *in = (unsigned char *)malloc(bytes), *expected = (unsigned char *)malloc(results);
    unsigned char *got = (unsigned char *)malloc(results);
    s->fill(in, bytes);
    memset(expected, 0x5a, results);
    s->expect(shape, in, expected);
    void *device = to_device(in, bytes), *out = device_room(results, 0x5a);
    CHECK(s->async(way, shape, device, out, ws));
    check_launch();
    from_device(got, out, results);
    expect_results(s, way, "_async", shape, got, expected);
    cr_assert(memcmp(got + results - s->out, expected + results - s->out, s->out) == 0, "%s_%s: writes too far", s->name, ways[way]);
    memset(got, 0x5a, results);
    s->cpu(way, shape, in, got);
    expect_results(s, way, "_cpu", shape, got, expected);
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    free(in);
    free(expected);
    free(got);
}

static struct shape rows_of(size_t rows, size_t n, size_t pitch, size_t start)
{
    const struct shape s = {rows, n, rows + (rows == 0), 0, pitch, 1, start};
    return s;
}

static struct shape columns_of(size_t n, size_t columns, size_t pitch, size_t start)
{
    const struct shape s = {columns, n, columns + (columns == 0), 0, 1, pitch, start};
    return s;
}

static struct shape axis_of(size_t outer, size_t n, size_t inner, size_t start)
{
    const struct shape s = {outer * inner, n, inner + (inner == 0), n * inner, 1, inner, start};
    return s;
}

static const struct reducer *reducer_of(size_t k)
{
    return &reducers[k % COUNT(reducers)];
}

TestSuite(rows, .init = need_gpu);

/* Every threshold of the plan, by every subject; few rows of them, as they may be long. */
static void check_thresholds(size_t first, size_t end)
{
    static struct drawn drawn[MOST_DRAWN];
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    list_regions();
    for (size_t k = first; k < end && k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t count = draw_sizes(drawn, s->in);
        for (size_t d = 0; d < count; d++) {
            const size_t n = drawn[d].n;
            const size_t most = tree_stripe(s->in);
            if (n > most && (d + k) % 3 != 0) continue;
            const size_t rows = n <= most ? 5 : 2 + d % 3;
            check_shape(s, ROWS, rows_of(rows, n, n + d % 2 * 16 / s->in, d % 5 == 4), ws);
            check_shape(s, COLUMNS, columns_of(n, 1 + d % 4, 1 + d % 4 + d / 4 % 2 * 4, d % 5 == 4), ws);
        }
    }
    cr_expect(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
}

Test(rows, thresholds_of_small_elements)
{
    check_thresholds(0, 4);
}

Test(rows, thresholds_of_others)
{
    check_thresholds(4, 64);
}

/* Many results of few elements, of each number of lanes; every width of columns. */
Test(rows, many_results)
{
    static const size_t ns[] = {0, 1, 2, 3, 5, 16, 31, 33, 64, 129, 300};
    static const size_t counts[] = {0, 1, 2, 7, 31, 33, 64, 129, 517};
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    for (size_t k = 0; k < COUNT(reducers); k++)
        for (size_t a = 0; a < COUNT(ns); a++)
            for (size_t b = 0; b < COUNT(counts); b++) {
                const struct reducer *s = reducer_of(k);
                const size_t n = ns[a], count = counts[b], gap = (a + b + k) % 3;
                if (n * count > 20000) continue;
                check_shape(s, ROWS, rows_of(count, n, n + gap, (a + b) % 2), ws);
                check_shape(s, COLUMNS, columns_of(n, count, count + gap * 8, (a + b) % 4 == 3), ws);
                check_shape(s, AXIS, axis_of(1 + gap, n, count, (a + b) % 4 == 3), ws);
            }
    cr_expect(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
}

/* More rows of several chunks than have slots together: regions are taken in turns. */
Test(rows, turns)
{
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    for (size_t k = 0; k < COUNT(reducers); k += 3) {
        const struct reducer *s = reducer_of(k);
        const size_t n = tree_stripe(s->in) * 11;
        check_shape(s, ROWS, rows_of(3 * (REDUCE_SLOTS / tree_divide_up(n, tree_chunk(n, s->in))) + 1, n, n, 0), ws);
    }
    cr_expect(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
}
