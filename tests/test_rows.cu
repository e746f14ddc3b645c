/* Rows, columns, axes and segments: each result has the bits of NAME_cpu of the same elements in an array of their own.
   With a small tree, so that short rows reach every region of the code, and operators in which any change of the
   order shows. Sizes come from the table of regions. */
#include "small_tree.h"

#include "reduce_inputs.cuh"
#include "reduce_results.cuh"

#include <stdlib.h>

/* Main memory that is short, when a test says so. */
static bool memory_is_short;
static inline void *malloc_unless_short(size_t size)
{
    return memory_is_short ? NULL : malloc(size);
}
#define malloc(size) malloc_unless_short(size)
#include "reduce_rows.cuh"
#undef malloc

#include "regions.h"
#ifdef SIMT
#include "failing.h"
#endif

/* ---- The workspace ------------------------------------------------------------------------------------- */

/* Each test's; empty again after it. */
static reduce_workspace *ws;

static void begin_test(void)
{
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
}

static void end_test(void)
{
    if (ws == NULL) return;
    cr_expect(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
}

TestSuite(rows, .init = begin_test, .fini = end_test);

/* ---- What is reduced ----------------------------------------------------------------------------------- */

/* X(NAME, In, T, how to fill it) */
#define FEW(X)                                                                                               \
    X(trace1, u8, u8, fill_bytes)                                                                            \
    X(trace12, words3, words3, fill_bytes)                                                                   \
    X(reduce_float_sum, float, float, fill_with_zeros)                                                       \
    X(scaled, u16, float, fill_with_zeros)                                                                   \
    X(places, u8, u64, fill_bytes)                                                                           \
    X(bytes, i8, int, fill_bytes)
#ifdef FEW_TYPES
#    define EVERY FEW
#else
#    define EVERY(X)                                                                                         \
        FEW(X)                                                                                               \
        X(trace64, words16, words16, fill_bytes)                                                             \
        X(trace8, u64, u64, fill_bytes)                                                                      \
        X(trace2, u16, u16, fill_bytes)                                                                      \
        X(trace4, u32, u32, fill_bytes)                                                                      \
        X(reduce_double_max, double, double, fill_doubles)                                                   \
        X(wider, float, double, fill_with_nans)                                                              \
        X(reduce_float_moments, float, struct reduce_moments, fill_with_nans)                                \
        X(reduce_i16_argmax, i16, reduce_i16_argmax_result, fill_with_least)                                 \
        X(reduce_int_max, int, int, fill_with_negative)
#endif

/* Every fourth time all elements are -0, or 0 of integers, which a map may turn into -0: their sum is +0. */
HELPER void fill_with_zeros(void *to, size_t bytes)
{
    static unsigned times;
    const float zero = -0.0f;
    fill_floats(to, bytes);
    if (times++ % 4 != 3) return;
    for (size_t k = 0; k < bytes / sizeof zero; k++) memcpy((char *)to + k * sizeof zero, &zero, sizeof zero);
}

/* Every other time some of the elements are NaNs, of many payloads: their results are NaN, always the same one. */
HELPER void fill_with_nans(void *to, size_t bytes)
{
    static unsigned times;
    fill_floats(to, bytes);
    if (times++ % 2 == 0) return;
    for (size_t k = 0; k < bytes / sizeof(u32); k++) {
        const u64 hash = mixed(k);
        const u32 nan = 0x7f800001u | (u32)(hash >> 32);
        if (hash % 4 == 0) memcpy((char *)to + k * sizeof nan, &nan, sizeof nan);
    }
}

/* Every third time all elements are the least number, which is the identity of max. */
HELPER void fill_with_least(void *to, size_t bytes)
{
    static unsigned times;
    const i16 least = INT16_MIN;
    fill_bytes(to, bytes);
    if (times++ % 3 != 2) return;
    for (size_t k = 0; k < bytes / sizeof least; k++) memcpy((char *)to + k * sizeof least, &least, sizeof least);
}

/* Numbers less than 0, so that a 0 for an absent element would show in their maximum. */
HELPER void fill_with_negative(void *to, size_t bytes)
{
    fill_bytes(to, bytes);
    for (size_t k = 3; k < bytes; k += sizeof(int)) ((unsigned char *)to)[k] |= 0x80;
}

/* Numbers of which the greatest is one of the zeros, and every other time now and then a NaN. */
HELPER void fill_doubles(void *to, size_t bytes)
{
    static unsigned times;
    const double few[] = {-0.0, -1, -INFINITY, -0.0, -2.5, -1e300, times++ % 2 == 0 ? -0.0 : NAN, 0.0};
    for (size_t k = 0; k < bytes / sizeof *few; k++) {
        const u64 hash = mixed(k + times), common = hash >> 8 & 3;
        memcpy((char *)to + k * sizeof *few, &few[hash % 256 == 0 ? 6 : hash % 256 < 4 ? 7 : common], sizeof *few);
    }
}

DEFINE_REDUCE_AS(trace1, u8, 0, (u8)traced(a, b))
DEFINE_REDUCE_AS(trace12, words3, no_words3(), trace_words3(a, b))
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_MAP(bytes, i8, int, x, REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int, a, b))
DEFINE_REDUCE_MAP(scaled, u16, float, (float)(x % 0x8000u) * -0.37f, REDUCE_IDENTITY_sum(float), REDUCE_COMBINE_sum(float, a, b))
DEFINE_REDUCE_MAP(places, u8, u64, traced(x + 1u, i), 0, traced(a, b)) /* the index in the row shows */
#ifndef FEW_TYPES
DEFINE_REDUCE_AS(trace2, u16, 0, (u16)traced(a, b))
DEFINE_REDUCE_AS(trace4, u32, 0, (u32)traced(a, b))
DEFINE_REDUCE_AS(trace8, u64, 0, traced(a, b))
DEFINE_REDUCE_AS(trace64, words16, no_words16(), trace_words16(a, b))
DEFINE_REDUCE_MAP(wider, float, double, (double)x * x, 0, a + b)
DEFINE_REDUCE(double, max)
DEFINE_REDUCE_MOMENTS(float)
DEFINE_REDUCE_ARG(i16, max)
DEFINE_REDUCE(int, max)
#endif

#define DEFINE_ROWS(NAME, In, T, fill) DEFINE_REDUCE_ROWS(NAME)
EVERY(DEFINE_ROWS)

/* ---- Shapes -------------------------------------------------------------------------------------------- */

/* Element j of result r is in[start + r / inner * outer_pitch + r % inner * apart + j * pitch]. */
struct shape {
    size_t results, n, inner, outer_pitch, apart, pitch, start;
};

static __host__ __device__ size_t first_of(struct shape s, size_t r)
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
    void (*in_block)(struct shape s, dim3 block, const void *in, void *out);
    cudaError_t (*by_offsets)(bool is_call, const void *in, const int64_t *offsets, const int32_t *offsets_32, size_t count,
                              void *out, reduce_workspace *ws);
    void (*alone)(const void *in, size_t n, void *out);
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
    static cudaError_t NAME##_by_call(enum way way, struct shape s, const void *in, void *out)               \
    {                                                                                                        \
        BY_WAY(NAME, , In, T)                                                                                \
    }                                                                                                        \
    static void NAME##_by_cpu(enum way way, struct shape s, const void *in, void *out)                       \
    {                                                                                                        \
        BY_WAY(NAME, _cpu, In, T)                                                                            \
    }                                                                                                        \
    static __global__ void __launch_bounds__(1024)                                                           \
    NAME##_ranges(const In *in, struct shape s, T *out)                                                      \
    {                                                                                                        \
        const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);         \
        const T x = NAME##_block_range(in + s.start + blockIdx.x * s.apart, s.n);                            \
        const T y = NAME##_block_range(in + s.start + blockIdx.x * s.apart, s.n);                            \
        const unsigned last = blockDim.x * blockDim.y * blockDim.z - 1;                                      \
        if (thread == last) out[blockIdx.x] = x;                                                             \
        if (thread == 0) out[gridDim.x + blockIdx.x] = y;                                                    \
    }                                                                                                        \
    static void NAME##_in_block(struct shape s, dim3 block, const void *in, void *out)                       \
    {                                                                                                        \
        NAME##_ranges<<<(unsigned)s.results, block>>>((const In *)in, s, (T *)out);                          \
    }                                                                                                        \
    static cudaError_t NAME##_by_offsets(bool is_call, const void *in, const int64_t *offsets,               \
                                         const int32_t *offsets_32, size_t count, void *out,                 \
                                         reduce_workspace *ws)                                               \
    {                                                                                                        \
        const In *const from = (const In *)in;                                                               \
        T *const to = (T *)out;                                                                              \
        if (is_call && offsets_32 != NULL) return NAME##_segments_32(from, offsets_32, count, to);           \
        if (is_call) return NAME##_segments(from, offsets, count, to);                                       \
        if (ws == NULL && offsets_32 != NULL)                                                                \
            return NAME##_segments_32_cpu(from, offsets_32, count, to), cudaSuccess;                         \
        if (ws == NULL) return NAME##_segments_cpu(from, offsets, count, to), cudaSuccess;                   \
        if (offsets_32 != NULL) return NAME##_segments_32_async(from, offsets_32, count, to, ws, 0);         \
        return NAME##_segments_async(from, offsets, count, to, ws, 0);                                       \
    }                                                                                                        \
    static void NAME##_alone(const void *in, size_t n, void *out)                                            \
    {                                                                                                        \
        *(T *)out = NAME##_cpu((const In *)in, n);                                                           \
    }
EVERY(DEFINE_SHAPES)

#define SUBJECT_OF(NAME, In, T, fill)                                                                        \
    {#NAME, sizeof(In), sizeof(T), fill, NAME##_expect, NAME##_by_async, NAME##_by_call,              \
     NAME##_by_cpu, NAME##_in_block, NAME##_by_offsets, NAME##_alone},
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

static void check_shape(const struct reducer *s, enum way way, struct shape shape)
{
    const size_t bytes = extent_of(shape) * s->in, results = (shape.results + 1) * s->out;
    const size_t before = shape.results % 3 == 0 ? s->out : 0; /* results may begin between words of 16 bytes */
    unsigned char *in = (unsigned char *)malloc(bytes), *expected = (unsigned char *)malloc(results);
    unsigned char *got = (unsigned char *)malloc(before + results);
    s->fill(in, bytes);
    memset(expected, 0x5a, results);
    s->expect(shape, in, expected);
    void *device = to_device(in, bytes), *out = device_room(before + results, 0x5a);
    forbid(device, shape.start * s->in);
    CHECK(s->async(way, shape, device, (char *)out + before, ws));
    check_launch();
    allow(device, bytes);
    from_device(got, out, before + results);
    expect_results(s, way, "_async", shape, got + before, expected);
    cr_assert(memcmp(got + before + results - s->out, expected + results - s->out, s->out) == 0, "%s_%s: writes too far",
              s->name, ways[way]);
    for (size_t k = 0; k < before; k++) cr_assert(got[k] == 0x5a, "%s_%s: writes before its results", s->name, ways[way]);
    memset(got, 0x5a, results);
    s->cpu(way, shape, in, got);
    expect_results(s, way, "_cpu", shape, got, expected);
    memset(got, 0x5a, results);
    CHECK(s->call(way, shape, in, got));
    expect_results(s, way, "", shape, got, expected);
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

/* Every threshold of the plan, by every subject of such elements; few rows of them, as they may be long. */
static void check_thresholds(bool are_small)
{
    static struct drawn drawn[MOST_DRAWN];
    list_regions();
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        if ((s->in < 4) != are_small) continue;
        const size_t count = draw_sizes(drawn, s->in);
        for (size_t d = 0; d < count; d++) {
            const size_t n = drawn[d].n;
            const size_t most = tree_stripe(s->in);
            if (n > most && (d / 3 + k) % 3 != 0) continue; /* others take long */
            if (!is_due(d + k)) continue;
            const size_t rows = n <= most ? 5 : 2 + d % 3;
            check_shape(s, ROWS, rows_of(rows, n, n + d % 2 * 16 / s->in, d % 7 == 6));
            check_shape(s, COLUMNS, columns_of(n, 1 + d % 4, 1 + d % 4 + d / 4 % 2 * 4, d % 7 == 6));
        }
    }
}

Test(rows, thresholds_of_small_elements)
{
    check_thresholds(true);
}

Test(rows, thresholds_of_others)
{
    check_thresholds(false);
}

/* Many results of few elements, of each number of strands; every width of columns. */
Test(rows, many_results)
{
    static const size_t ns[] = {0, 1, 2, 3, 5, 16, 31, 33, 64, 129, 300};
    static const size_t counts[] = {0, 1, 2, 7, 31, 33, 64, 129, 517};
    for (size_t k = 0; k < COUNT(reducers); k++)
        for (size_t a = 0; a < COUNT(ns); a++)
            for (size_t b = 0; b < COUNT(counts); b++) {
                const struct reducer *s = reducer_of(k);
                const size_t n = ns[a], count = counts[b], gap = (a + b + k) % 3;
                if (n * count > 20000) continue;
                if (!is_due(a * COUNT(counts) + b + k)) continue;
                check_shape(s, ROWS, rows_of(count, n, n + gap, (a + b) % 2));
                check_shape(s, COLUMNS, columns_of(n, count, count + gap * 8, (a + b) % 4 == 3));
                check_shape(s, AXIS, axis_of(1 + gap, n, count, (a + b) % 4 == 3));
            }
}

/* Columns on both sides of the most rows that a thread takes at once, by wide loads and others. */
Test(rows, columns_of_few_rows)
{
    static const size_t counts[] = {1, 3, 4, 8, 31, 129, 132, 1032};
    for (size_t k = 0; k < COUNT(reducers); k++)
        for (size_t n = 2; n <= 17; n += n < 9 ? 1 : 7)
            for (size_t c = 0; c < COUNT(counts); c++) {
                const struct reducer *s = reducer_of(k);
                const size_t count = counts[c], gap = (c + n) % 3;
                if (!is_due(n + c + k)) continue;
                check_shape(s, COLUMNS, columns_of(n, count, count, n % 3 == 1));
                check_shape(s, COLUMNS, columns_of(n, count, count + (gap == 1 ? 8 : gap), 0));
                check_shape(s, AXIS, axis_of(1 + c % 5, n, count, c % 2));
            }
}

/* Rows that are reduced in shared memory: of each number of the tree's strands at which another number of threads
   shares a row, one less and one more; in one block and in many, with gaps and without, at any address. Whole strands without
   gaps, at a multiple of 16 bytes, are read whole where their number is far from a power of two. */
Test(rows, short_rows)
{
    static const size_t strands[] = {1, 2, 4, 5, 8, 16, 21, 32, 33, 64};
    static const size_t bytes[] = {1, 900, 5000, 30000}; /* of all rows: from one row to several full blocks */
    for (size_t k = 0; k < COUNT(reducers); k++)
        for (size_t a = 0; a < 3 * COUNT(strands); a++)
            for (size_t b = 0; b < COUNT(bytes); b++) {
                const struct reducer *s = reducer_of(k);
                const size_t n = strands[a / 3] * tree_positions(s->in) + a % 3 - 1, rows = bytes[b] / (n * s->in + 1) + 1;
                const size_t wide = s->in < 16 ? 16 / s->in : 1, gaps[] = {0, 1, wide, 0, wide - n % wide};
                if (n == 0 || !is_due(a * COUNT(bytes) + b + k)) continue;
                check_shape(s, ROWS, rows_of(rows, n, n + gaps[(a + b + k) % COUNT(gaps)], (a + k) % 4 % 3));
                if (a % 3 == 1 && b == 1) check_shape(s, ROWS, rows_of(60000 / (n * s->in), n, n, 0));
            }
}

/* Rows of one chunk of more than a stripe, so many that a warp has each and so few that it has not: below, at and above each
   length at which another way takes them, whole words and an element less, aligned and not. */
Test(rows, rows_of_one_chunk)
{
    static const size_t percents[] = {100, 119, 120, 121, 150, 194, 195, 196, 200, 201, 249, 250, 251, 280, 300}; /* of a stripe */
    static const size_t counts[] = {9, 11, 12, 21, 40};
    for (size_t k = 0; k < COUNT(reducers); k++)
        for (size_t a = 0; a < COUNT(percents); a++)
            for (size_t b = 0; b < COUNT(counts); b++) {
                const struct reducer *s = reducer_of(k);
                const size_t positions = tree_positions(s->in), n = percents[a] * REDUCE_STRANDS / 100 * positions;
                if ((a + b + k) % 3 != 0 || !is_due(a * COUNT(counts) + b + k)) continue; /* others take long */
                check_shape(s, ROWS, rows_of(counts[b], n, n, 0));
                if ((a + b) % 2 == 0) check_shape(s, ROWS, rows_of(counts[b], n - 1, n - (b % 2), 0));
                if ((a + k) % 2 == 0) check_shape(s, ROWS, rows_of(counts[b], n, n + positions, 1));
            }
}

/* Columns whose pitch suits wide loads while their number does not, up to the end of the memory. One row, or columns of one
   element: the pitch is of no use then, and may be anything. */
Test(rows, pitches)
{
    static const size_t counts[] = {1, 3, 5, 29, 33, 131};
    for (size_t k = 0; k < COUNT(reducers); k++)
        for (size_t c = 0; c < COUNT(counts); c++) {
            const struct reducer *s = reducer_of(k);
            const size_t count = counts[c], pitch = tree_divide_up(count, 16) * 16;
            if (!is_due(c + k)) continue;
            check_shape(s, COLUMNS, columns_of(2 + c % 4, count, pitch, 0));
            check_shape(s, COLUMNS, columns_of(tree_stripe(s->in) + c, count, pitch, 0));
            check_shape(s, COLUMNS, columns_of(1, count, c % 3, c % 2));
            check_shape(s, ROWS, rows_of(1, count, c % 3, c % 2));
        }
}

/* Columns whose rows follow each other, on both sides of the sizes and numbers from which blocks take them by words:
   of aligned arrays and others, with rows that end in a word, in one chunk and in several. */
Test(rows, columns_by_words)
{
    static const size_t counts[] = {2, 3, 7, 15, 16, 17, 33, 129};
    for (size_t k = 0; k < COUNT(reducers); k++)
        for (size_t c = 0; c < COUNT(counts); c++) {
            const struct reducer *s = reducer_of(k);
            const size_t count = counts[c], least = tree_divide_up(256 * tree_positions(s->in), count);
            const size_t ns[] = {least - 1, least, least + 1, tree_stripe(s->in) * 11 + 3};
#ifdef SIMT /* where threads take long: each number with some of the types */
            if ((c + k) % 3 != 0 || !is_due_of_few(c / 3 + k)) continue;
#endif
            for (size_t a = 0; a < COUNT(ns); a++) {
                if (ns[a] * count * s->in > 200000) continue;
                check_shape(s, COLUMNS, columns_of(ns[a], count, count, (a + c) % 4 == 3));
                check_shape(s, COLUMNS, columns_of(ns[a], count, count + (a + c) % 2 * 8 + (a + c) % 3, 0));
                check_shape(s, AXIS, axis_of(1 + a % 3, ns[a], count, 0));
            }
        }
}

/* Columns without gaps that combs take, and others: on both sides of the numbers of columns, of the stripes of a chunk
   and of the elements that decide about it; of one outer index, and of so many that slots do not suffice without passes. */
Test(rows, combs)
{
    static const size_t counts[] = {2, 4, 5, 3, 8, 9, 12, 16, 20, 21, 25, 31, 32, 33, 40, 41, 63, 64, 65, 72};
    for (size_t k = 0; k < COUNT(reducers); k++)
        for (size_t c = 0; c < COUNT(counts); c++) {
            const struct reducer *s = reducer_of(k);
            const size_t count = counts[c], stripe = tree_stripe(s->in);
            const size_t ns[] = {stripe / 2 + 17, 3 * stripe, 3 * stripe + 1, (REDUCE_LOW_ + 1) * stripe - 1};
#ifdef SIMT /* where threads take long: each number with some of the types */
            if ((c + k) % 4 != 0 || !is_due_of_few(c / 4 + k)) continue;
#endif
            for (size_t a = 0; a < COUNT(ns); a++) {
                const size_t elements = ns[a] * count, bytes = elements * s->in, fit = REDUCE_COMBED_ELEMENTS_ / elements;
                const size_t outer = fit < 40 / (a + 1) ? fit : 40 / (a + 1);
                if (bytes < 700000) check_shape(s, COLUMNS, columns_of(ns[a], count, count, 0));
                if (outer > 0 && bytes * outer < 700000) check_shape(s, AXIS, axis_of(outer, ns[a], count, 0));
            }
        }
}

/* Columns of which no stripe misses leaves, and others, in tiles that are full; the last tile has columns of the one
   before it. */
Test(rows, full_tiles)
{
    static const size_t counts[] = {67, 131, 132, 200, 261, 516};
    for (size_t k = 0; k < COUNT(reducers); k++)
        for (size_t c = 0; c < COUNT(counts); c++) {
            const struct reducer *s = reducer_of(k);
            const size_t count = counts[c], stripe = tree_stripe(s->in), ns[] = {stripe / 2, stripe, 3 * stripe + 5, 9 * stripe};
            for (size_t a = 0; a < COUNT(ns); a++) {
                if (ns[a] * count * s->in > 800000 || !is_due(a + c + k)) continue;
                check_shape(s, COLUMNS, columns_of(ns[a], count, count + (a + c) % 3 * 4, 0));
                check_shape(s, AXIS, axis_of(1 + a % 2, ns[a], count, a % 2));
            }
        }
    for (size_t k = 0; k < COUNT(reducers); k += 5) { /* strands have several chunks */
        const struct reducer *s = reducer_of(k);
        if (!is_due_of_few(k)) continue;
        const size_t n = tree_stripe(s->in) * REDUCE_TALL_ * (REDUCE_STRANDS + 3) + 1;
        if (n * 9 * s->in < 4000000) check_shape(s, COLUMNS, columns_of(n, 9, 9, 0));
    }
}

/* Elements of a row, as few of which `rows` have more than `most` chunks; 0 if they have more than 7 MB. */
static size_t elements_for(const struct reducer *s, size_t rows, size_t most)
{
    for (size_t n = tree_stripe(s->in); rows * n * s->in < 7000000; n += tree_stripe(s->in))
        if (rows * tree_divide_up(n, tree_chunk(n, s->in)) > most) return n;
    return 0;
}

/* More chunks than have slots together, which blocks take in turns: of few rows, and of rows that begin anywhere and
   have many low chunks. */
Test(rows, turns)
{
#ifdef SIMT
    simt_wander(7); /* blocks act in any order */
#endif
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t slots = REDUCE_SLOTS_OF_(s->out), few = 10; /* too few for a block each, which 11 have */
        const size_t low = tree_stripe(s->in) * REDUCE_LOW_ - 1;
        const size_t many = 2 * slots / tree_divide_up(low, tree_chunk(low, s->in)) + 1;
        const size_t twice = elements_for(s, few, 2 * slots), n = twice > 0 ? twice : elements_for(s, few, slots);
        if (!is_due_of_few(k / 2)) continue;
        if (n > 0) check_shape(s, ROWS, rows_of(few, n, n + k % 2, 0));
        if (many * low * s->in < 6000000) check_shape(s, ROWS, rows_of(many, low, low, 0));
    }
    /* As many rows of more chunks than there are strands as are given to one block each. */
    const struct reducer *const s = reducer_of(1);
    const size_t n = 6 * tree_stripe(s->in) * (REDUCE_STRANDS + 3);
    check_shape(s, ROWS, rows_of(11, n, n, 0));
}

/* As many rows of tall chunks as have slots for values of their size, and one more. */
Test(rows, slots)
{
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t n = tree_stripe(s->in) * (REDUCE_LOW_ + 1), chunks = tree_divide_up(n, tree_chunk(n, s->in));
        const size_t rows = REDUCE_SLOTS_OF_(s->out) / chunks;
        if (!is_due_of_few(k / 2) || rows * n * s->in > 4200000) continue;
        check_shape(s, ROWS, rows_of(rows, n, n, 0));
        check_shape(s, ROWS, rows_of(rows + 1, n, n, 0));
    }
}

/* Rows that begin at each place in a word, given to warps, to blocks and to several blocks: whole words and others, at
   the ends of what may be read, and on both sides of a warp's share, of a stripe and of a chunk. */
Test(rows, places_in_words)
{
    static const size_t counts[] = {2, 12, 25};
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t positions = tree_positions(s->in), share = 32 * positions, stripe = tree_stripe(s->in);
        const size_t ns[] = {stripe + 1, stripe + share - 1, stripe + share + 1, 2 * stripe - positions + 1, 2 * stripe,
                             3 * stripe - 1, 3 * stripe + positions, 4 * stripe, 4 * stripe + share + 1, 9 * stripe + 3};
        for (size_t place = 0; place < positions; place++)
            for (size_t a = 0; a < COUNT(ns); a++) {
                const size_t rows = counts[(a + place + k) % COUNT(counts)], n = ns[a];
                if (!is_due(a + place / COUNT(counts) + k)) continue;
                if (s->in == 1 && place % 3 != a % 3) continue; /* there are many */
                check_shape(s, ROWS, rows_of(rows, n, n + (a + place) % 4 / 3 * 5, place));
            }
    }
}

/* Elements that lie in two words: of eight bytes, aligned to four. */
struct halves {
    u32 a, b;
};

static __host__ __device__ struct halves both_halves(struct halves x, struct halves y)
{
    const struct halves both = {(u32)traced(x.a, y.a), (u32)traced(x.b, y.b)};
    return both;
}

static __host__ __device__ struct halves no_halves(void)
{
    const struct halves none = {0, 0};
    return none;
}

DEFINE_REDUCE_AS(across, struct halves, no_halves(), both_halves(a, b))
DEFINE_REDUCE_ROWS(across)

Test(rows, elements_in_two_words)
{
    static const size_t ns[] = {3, 40, 131, 700, 1300};
    for (size_t k = 0; k < COUNT(ns); k++) {
        const size_t n = ns[k], rows = 25, bytes = rows * n * sizeof(struct halves);
        const int64_t offsets[] = {0, (int64_t)n, (int64_t)(3 * n), (int64_t)(rows * n)};
        u32 *const words = (u32 *)malloc(bytes + sizeof(u32));
        fill_bytes(words, bytes + sizeof(u32));
        const struct halves *const in = (struct halves *)(void *)(words + 1);
        u32 *const device = (u32 *)to_device(words, bytes + sizeof(u32));
        struct halves got[25], *const out = (struct halves *)device_room(sizeof got, 0x5a);
        int64_t *const on_device = (int64_t *)to_device(offsets, sizeof offsets);
        CHECK(across_rows_async((struct halves *)(void *)(device + 1), rows, n, n, out, ws, 0));
        from_device(got, out, sizeof got);
        for (size_t r = 0; r < rows; r++) {
            const struct halves expected = across_cpu(in + r * n, n);
            cr_assert(SAME_BITS(got[r], expected), "row %zu of %zu: %s, not %s", r, n, BITS(got[r]), BITS(expected));
        }
        CHECK(across_segments_async((struct halves *)(void *)(device + 1), on_device, 3, out, ws, 0));
        from_device(got, out, sizeof got);
        for (size_t r = 0; r < 3; r++) {
            const struct halves expected = across_cpu(in + offsets[r], (size_t)(offsets[r + 1] - offsets[r]));
            cr_assert(SAME_BITS(got[r], expected), "segment %zu of %zu: %s, not %s", r, n, BITS(got[r]), BITS(expected));
        }
        CHECK(cudaFree(device));
        CHECK(cudaFree(out));
        CHECK(cudaFree(on_device));
        free(words);
    }
}

/* Elements and results that are aligned to more than the 16 bytes of a word. */
struct whole_line {
    u32 word[16];
} __attribute__((__aligned__(64)));

static __host__ __device__ struct whole_line both_lines(struct whole_line x, struct whole_line y)
{
    for (size_t k = 0; k < COUNT(x.word); k++) x.word[k] = (u32)traced(x.word[k], y.word[k]);
    return x;
}

static __host__ __device__ struct whole_line no_line(void)
{
    const struct whole_line none = {{0}};
    return none;
}

DEFINE_REDUCE_AS(lines, struct whole_line, no_line(), both_lines(a, b))
DEFINE_REDUCE_ROWS(lines)

Test(rows, elements_of_great_alignment)
{
    enum { ALL = 1300 };
    static const size_t ns[] = {1, 2, 13, 50, 260, ALL};
    static struct whole_line in[ALL], got[ALL], expected[ALL];
    int64_t offsets[ALL + 1];
    fill_bytes(in, sizeof in);
    for (size_t k = 0; k < COUNT(ns); k++) {
        const size_t n = ns[k], rows = ALL / n;
        for (size_t r = 0; r <= rows; r++) offsets[r] = (int64_t)(r * n);
        lines_rows_cpu(in, rows, n, n, expected);
        CHECK(lines_rows(in, rows, n, n, got));
        cr_expect(memcmp(got, expected, rows * sizeof *got) == 0, "%zu rows", rows);
        CHECK(lines_segments(in, offsets, rows, got));
        cr_expect(memcmp(got, expected, rows * sizeof *got) == 0, "%zu segments", rows);
        lines_columns_cpu(in, n, rows, rows, expected);
        CHECK(lines_columns(in, n, rows, rows, got));
        cr_expect(memcmp(got, expected, rows * sizeof *got) == 0, "%zu columns", rows);
    }
}

/* ---- Ranges in a block --------------------------------------------------------------------------------- */

static void check_ranges(const struct reducer *s, struct shape shape, dim3 block)
{
    const size_t bytes = extent_of(shape) * s->in, results = shape.results * s->out;
    unsigned char *in = (unsigned char *)malloc(bytes), *expected = (unsigned char *)malloc(results);
    unsigned char *got = (unsigned char *)malloc(2 * results);
    s->fill(in, bytes);
    s->expect(shape, in, expected);
    void *device = to_device(in, bytes), *out = device_room(2 * results, 0x5a);
    s->in_block(shape, block, device, out);
    check_launch();
    from_device(got, out, 2 * results);
    expect_results(s, ROWS, " by the last thread", shape, got, expected);
    expect_results(s, ROWS, " by the first thread, again", shape, got + results, expected);
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    free(in);
    free(expected);
    free(got);
}

/* Blocks of less than a warp, of partial warps, of one dimension and several. */
Test(rows, ranges_in_blocks)
{
    static const unsigned blocks[][3] = {{1, 1, 1}, {7, 1, 1}, {32, 1, 1}, {33, 1, 1}, {8, 8, 1}, {5, 5, 5}, {256, 1, 1}, {1024, 1, 1}};
    static struct drawn drawn[MOST_DRAWN];
    list_regions();
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t count = draw_sizes(drawn, s->in);
        for (size_t d = k % 3; d < count; d += 3) {
            if (!is_due(d / 3 + k)) continue;
            const unsigned *b = blocks[(d + k) % COUNT(blocks)];
            if (b[0] < 32 && b[1] == 1 && drawn[d].n > 3 * tree_stripe(s->in)) continue; /* one thread takes long */
            check_ranges(s, rows_of(2, drawn[d].n, drawn[d].n + d % 2, d % 4 == 3), dim3(b[0], b[1], b[2]));
        }
    }
}

/* ---- Segments ------------------------------------------------------------------------------------------ */

struct cut {
    size_t count;
    int64_t *offsets;
    int32_t *offsets_32;
};

static struct cut cut_of(size_t count, const size_t *lengths, size_t kinds)
{
    struct cut cut = {count, (int64_t *)malloc((count + 1) * sizeof(int64_t)), (int32_t *)malloc((count + 1) * sizeof(int32_t))};
    int64_t at = 3;
    for (size_t k = 0; k <= count; k++) {
        cut.offsets[k] = at;
        cut.offsets_32[k] = (int32_t)at;
        at += (int64_t)lengths[mixed(k) % kinds];
    }
    return cut;
}

static void free_cut(struct cut cut)
{
    free(cut.offsets);
    free(cut.offsets_32);
}

static size_t length_of(const int64_t *offsets, size_t k)
{
    return offsets[k] < offsets[k + 1] ? (size_t)(offsets[k + 1] - offsets[k]) : 0;
}

static bool falls(struct cut cut)
{
    for (size_t k = 0; k < cut.count; k++)
        if (cut.offsets[k + 1] < cut.offsets[k]) return true;
    return false;
}

static size_t greatest_of(struct cut cut)
{
    int64_t greatest = 0;
    for (size_t k = 0; k <= cut.count; k++) greatest = cut.offsets[k] > greatest ? cut.offsets[k] : greatest;
    return (size_t)greatest;
}

static void check_segments(const struct reducer *s, struct cut cut, bool is_32)
{
    const size_t bytes = greatest_of(cut) * s->in, results = cut.count * s->out;
    const size_t of_offset = is_32 ? sizeof(int32_t) : sizeof(int64_t), offset_bytes = (cut.count + 1) * of_offset;
    const void *offsets = is_32 ? (const void *)cut.offsets_32 : (const void *)cut.offsets;
    unsigned char *in = (unsigned char *)malloc(bytes), *expected = (unsigned char *)malloc(results);
    unsigned char *got = (unsigned char *)malloc(results);
    s->fill(in, bytes);
    for (size_t k = 0; k < cut.count; k++)
        s->alone(in + (size_t)cut.offsets[k] * s->in, length_of(cut.offsets, k), expected + k * s->out);
    void *device = to_device(in, bytes), *out = device_room(results, 0x5a), *on_device = to_device(offsets, offset_bytes);
    for (int who = 0; who < (falls(cut) ? 2 : 3); who++) { /* the simple call refuses offsets that fall */
        const int64_t *const wide = is_32 ? NULL : (const int64_t *)(who == 0 ? on_device : offsets);
        const int32_t *const narrow = is_32 ? (const int32_t *)(who == 0 ? on_device : offsets) : NULL;
        memset(got, 0x5a, results);
        CHECK(s->by_offsets(who == 2, who == 0 ? device : in, wide, narrow, cut.count, who == 0 ? out : got, who == 0 ? ws : NULL));
        check_launch();
        if (who == 0) from_device(got, out, results);
        for (size_t k = 0; k < cut.count; k++)
            if (memcmp(got + k * s->out, expected + k * s->out, s->out) != 0)
                cr_assert(false, "%s_segments, %s: segment %zu of %zu, of %lld elements from %lld on: %s, not %s", s->name,
                          who == 0 ? "async" : who == 1 ? "cpu" : "call", k, cut.count,
                          (long long)(cut.offsets[k + 1] - cut.offsets[k]), (long long)cut.offsets[k],
                          bits_in_hex(got + k * s->out, s->out), bits_in_hex(expected + k * s->out, s->out));
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    CHECK(cudaFree(on_device));
    free(in);
    free(expected);
    free(got);
}

/* Segments of up to as many strands: all of one, eight, 16 and 32, and one more. Segments that all begin
   at multiples of 16 bytes, but for the first. */
Test(rows, short_segments)
{
    static const size_t strands[][3] = {{0, 0, 0}, {1, 1, 0}, {1, 2, 0}, {7, 8, 8}, {8, 9, 1}, {15, 16, 3}, {16, 17, 9}, {31, 32, 32}, {32, 33, 5}};
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t positions = tree_positions(s->in);
        for (size_t c = 0; c < COUNT(strands); c++) {
            const size_t odd = (c + k) % 2, *l = strands[c];
            if (!is_due_of_few(c / 2 + k)) continue;
            const size_t lengths[] = {l[0] * positions, l[1] * positions - (odd && l[1] > 0), l[2] * positions, l[0] * positions + odd};
            const struct cut cut = cut_of(70 + 40 * odd, lengths, COUNT(lengths));
            check_segments(s, cut, c % 2 == 0);
            free_cut(cut);
        }
    }
}

/* Segments of which 32 fit in a warp's shared memory, or just do not: of up to as many strands as a lane folds, or one element
   more; also of whole words, up to 48 bytes and more. None is empty, but for some in the last. They are so many that a warp has
   32 of them, or 16. */
Test(rows, segments_in_batches)
{
    const size_t full = REDUCE_SEGMENT_BLOCKS_ * (REDUCE_SEGMENT_WARPS_ * REDUCE_WARP - 1);
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t v = tree_positions(s->in), most = v <= 8 ? 8 : 4, room = REDUCE_BATCH_WORDS_ * v;
        const size_t mean = room / REDUCE_WARP, more = room % REDUCE_WARP;
        const size_t lengths[][4] = {{most * v, 1, v, v + 1}, {2 * v + 1, 3 * v, v - 1, 5}, {5 * v + 1, 6 * v, 5 * v, 6 * v - 1},
                                     {8 * v, 7 * v + 1, 6 * v, 8 * v - 1}, {most * v + 1, 1, 2, 1}, {1, 0, 0, 2 * v + 1},
                                     {mean + (more >= 8), mean + (more >= 16), mean + (more >= 24), mean},
                                     {3 * v, 3 * v, v, 2 * v}, {4 * v, 4 * v, 4 * v, 4 * v}, {4 * v, 3 * v, 4 * v, 3 * v},
                                     {4 * v - 1, 3 * v, 3 * v + 1, 4 * v}};
        if (v < 2) continue;
        for (size_t c = 0; c < 2 * COUNT(lengths); c++) {
            if (c >= COUNT(lengths) && !is_due_of_few(c + k)) continue;
            const size_t count = c < COUNT(lengths) ? full : 330 + c;
            const struct cut cut = cut_of(count, lengths[c % COUNT(lengths)], COUNT(*lengths));
            check_segments(s, cut, (c + k) % 2 == 0);
            free_cut(cut);
        }
    }
}

/* Segments of which 64 or 128 fit in a warp's shared memory, or just do not. A group's sets of 32 are alike, or a set has
   too many elements, or too long a segment, or none, so that the sets behind it are reduced alone. */
Test(rows, segments_in_large_batches)
{
    enum { KINDS = 5, PERIOD = 128 };
    size_t lengths[PERIOD];
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t v = tree_positions(s->in), most = (v <= 8 ? 8 : 4) * v, room = REDUCE_BATCH_WORDS_ * v;
        for (size_t c = 0; c < 2 * KINDS; c++) {
            const size_t kind = c / 2, segments = c % 2 == 0 ? 64 : 128, mean = room / segments;
            if (v < 2 || mean < 1 || mean > most || (kind > 0 && !is_due_of_few(c + k))) continue;
            for (size_t l = 0; l < PERIOD; l++) { /* kind 0: as many elements as fit; 1: two more in every second set */
                lengths[l] = mean + (l % segments < room % segments);
                if (kind == 1 && l % 64 == 5) lengths[l] += 2;
                if (kind == 2) lengths[l] = l / 32 == 2 ? mean + mean / 2 + 1 : l % 3 + (l % 9 == 4) * v;
                if (kind == 3) lengths[l] = l == 70 ? most + 1 : l % 2 + (l % 16 == 7) * v;
                if (kind == 4) lengths[l] = l / 32 == 1 ? 0 : l % 2 + (l % 32 == 9) * v;
            }
            struct cut cut = cut_of(REDUCE_SEGMENT_BLOCKS_ * (REDUCE_SEGMENT_WARPS_ * segments - 1), lengths, 1);
            for (size_t l = 0, at = kind == 0 ? 0 : 3; l <= cut.count; at += lengths[l++ % PERIOD])
                cut.offsets[l] = (int64_t)at, cut.offsets_32[l] = (int32_t)at;
            check_segments(s, cut, (c + k) % 2 == 0);
            free_cut(cut);
        }
    }
}

/* Offsets that decrease: such a segment has no elements, and others are as they are. */
Test(rows, falling_offsets)
{
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t lengths[] = {1, 40, 0, 3, 200};
        struct cut cut = cut_of(130, lengths, COUNT(lengths));
        for (size_t l = 5; l < cut.count; l += 11) cut.offsets[l] = cut.offsets[l - 4], cut.offsets_32[l] = cut.offsets_32[l - 4];
        check_segments(s, cut, k % 2 == 0);
        /* and at either end: the first begins behind all others, the last ends before them */
        cut.offsets[0] = cut.offsets_32[0] = cut.offsets_32[cut.count - 1];
        if (k % 2 == 0) cut.offsets[cut.count] = cut.offsets_32[cut.count] = 0;
        check_segments(s, cut, k % 2 == 1);
        free_cut(cut);
    }
}

/* Groups that are listed as a whole, as an offset in each decreases: more than lists hold, if warps took further ones. */
Test(rows, many_listed)
{
    const size_t lengths[] = {1, 2, 1, 3};
    struct cut cut = cut_of(REDUCE_SEGMENT_BLOCKS_ * 6 * REDUCE_GROUP_, lengths, COUNT(lengths));
    for (size_t l = 40; l < cut.count; l += REDUCE_GROUP_ / 2) cut.offsets[l] -= 5, cut.offsets_32[l] -= 5;
    for (size_t k = 0; k < COUNT(reducers); k++)
        if (is_due_of_few(k)) check_segments(reducer_of(k), cut, k % 2 == 0);
    free_cut(cut);
}

/* Empty segments may have any offsets that their type holds. */
Test(rows, far_offsets)
{
    const int64_t far[] = {INT64_MAX, INT64_MAX, 25, 30, 0, 10, INT64_MIN, INT64_MIN};
    const int64_t one_falls[] = {(int64_t)1 << 55, (int64_t)1 << 55, 0, 10, 10, 25, 30, 30}; /* by a power of two */
    const int32_t far_32[] = {INT32_MAX, INT32_MAX, 25, 30, 0, 10, INT32_MIN, INT32_MIN};
    enum { ALL = 30, RESULTS = 7 };
    float in[ALL], got[RESULTS], expected[RESULTS] = {0}, *const out = (float *)device_room(sizeof got, 0);
    fill_floats(in, sizeof in);
    expected[2] = reduce_float_sum_cpu(in + 25, 5), expected[4] = reduce_float_sum_cpu(in, 10);
    float *const device = (float *)to_device(in, sizeof in);
    int64_t *const offsets = (int64_t *)to_device(far, sizeof far);
    int64_t *const falls = (int64_t *)to_device(one_falls, sizeof one_falls);
    int32_t *const offsets_32 = (int32_t *)to_device(far_32, sizeof far_32);
    CHECK(reduce_float_sum_segments_async(device, offsets, RESULTS, out, ws, 0));
    from_device(got, out, sizeof got);
    cr_expect(memcmp(got, expected, sizeof got) == 0, "%g %g %g %g", (double)got[0], (double)got[2], (double)got[4], (double)got[6]);
    CHECK(cudaMemset(out, 0x5a, sizeof got));
    CHECK(reduce_float_sum_segments_32_async(device, offsets_32, RESULTS, out, ws, 0));
    from_device(got, out, sizeof got);
    cr_expect(memcmp(got, expected, sizeof got) == 0, "32: %g %g %g", (double)got[2], (double)got[4], (double)got[6]);
    for (int k = 0; k < RESULTS; k++) {
        const bool is_empty = one_falls[k] >= one_falls[k + 1];
        expected[k] = is_empty ? 0 : reduce_float_sum_cpu(in + one_falls[k], (size_t)(one_falls[k + 1] - one_falls[k]));
    }
    CHECK(reduce_float_sum_segments_async(device, falls, RESULTS, out, ws, 0));
    from_device(got, out, sizeof got);
    cr_expect(memcmp(got, expected, sizeof got) == 0, "one falls: %g %g %g", (double)got[1], (double)got[2], (double)got[4]);
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    CHECK(cudaFree(offsets));
    CHECK(cudaFree(falls));
    CHECK(cudaFree(offsets_32));
}

Test(rows, segments)
{
    static const size_t counts[] = {1, 31, 32, 65, 4400}; /* the last fills the lists of warps */
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t stripe = tree_stripe(s->in), positions = tree_positions(s->in);
        const size_t lengths[] = {0, 1, 2, 3, positions, positions + 1, 5, 17, 31 * positions, 32 * positions,
                                  32 * positions + 1, stripe, stripe + 1, 2 * stripe + 1, 3 * stripe, 0, 1, 2,
                                  3 * stripe + 1, 4 * stripe, 11 * stripe + 3};
        const size_t few[] = {0, 1, 40};
        const size_t large[] = {4 * stripe, 4 * stripe + 1}; /* of several chunks */
        for (size_t c = 0; c < COUNT(counts); c++) {
            if (!is_due_of_few(c / 2 + k)) continue;
            const size_t *const drawn = c == 2 ? large : c % 2 ? lengths : few;
            const size_t kinds = c == 2 ? COUNT(large) : c % 2 ? COUNT(lengths) : COUNT(few);
            const struct cut cut = cut_of(counts[c], drawn, kinds);
            check_segments(s, cut, (c + k) % 2 == 0);
            free_cut(cut);
        }
    }
    for (size_t k = 0; k < COUNT(reducers); k += 3) { /* of more chunks than strands */
        const struct reducer *s = reducer_of(k);
        const size_t lengths[] = {40, 6 * tree_stripe(s->in) * (REDUCE_STRANDS + 3)};
        if (!is_due_of_few(k)) continue;
        const struct cut cut = cut_of(5, lengths, COUNT(lengths));
        check_segments(s, cut, k % 2 == 0);
        free_cut(cut);
    }
}

/* As many segments as blocks take without shares, few and many, and one more: about equally long, some tasks long, or
   one of several chunks among them, or most in one block, or too short. */
Test(rows, even_segments)
{
    static const size_t counts[] = {1, REDUCE_SEGMENT_BLOCKS_ - 1, REDUCE_SEGMENT_BLOCKS_, REDUCE_SEGMENT_BLOCKS_ + 1,
                                    REDUCE_EVEN_ *REDUCE_SEGMENT_BLOCKS_, REDUCE_EVEN_ *REDUCE_SEGMENT_BLOCKS_ + 1,
                                    REDUCE_MANY_EVEN_ *REDUCE_SEGMENT_BLOCKS_, REDUCE_MANY_EVEN_ *REDUCE_SEGMENT_BLOCKS_ + 1};
    for (size_t k = 0; k < COUNT(reducers); k++) {
        const struct reducer *s = reducer_of(k);
        const size_t stripe = tree_stripe(s->in), single = REDUCE_SINGLE_ * stripe;
        const size_t task = 2 * REDUCE_WARP * tree_positions(s->in); /* elements; or more, where values are large */
        const size_t lengths[][4] = {{task, task + 1, task - 1, 2 * task}, {stripe - task, stripe - task + 1, 0, stripe / 2},
                                     {stripe, stripe, stripe + 1, stripe - 1}, {single, 1, 0, stripe}, {single + 1, stripe, stripe, 5},
                                     {single, single, single, single},         {1, 2, 0, 3}};
        for (size_t c = 0; c < COUNT(counts); c++) {
            const struct cut cut = cut_of(counts[c], lengths[(c + k) % COUNT(lengths)], COUNT(*lengths));
            check_segments(s, cut, (c + k) % 2 == 0);
            free_cut(cut);
        }
    }
}

/* ---- Large indices ------------------------------------------------------------------------------------- */

/* Elements that lie beyond 2^32: rows, short and long, and columns, far apart; and segments. Little of the memory
   is touched. */
#define FAR_PITCH (((size_t)1 << 31) + 16)

/* Columns at multiples of 16 bytes, and between them. */
static void check_far_columns(u8 *in, u64 *out, size_t n, size_t pitch)
{
    enum { COLUMNS_HERE = 70, MOST = 65 };
    u8 rows[MOST][COLUMNS_HERE + 1], column[MOST];
    u64 got[COLUMNS_HERE];
    fill_bytes(rows, sizeof rows);
    for (size_t r = 0; r < n; r++) CHECK(cudaMemcpy(in + r * pitch, rows[r], sizeof rows[r], cudaMemcpyHostToDevice));
    for (size_t apart = 0; apart < 2; apart++) {
        CHECK(places_columns_async(in + apart, n, COLUMNS_HERE, pitch, out, ws, 0));
        from_device(got, out, sizeof got);
        for (size_t c = 0; c < COLUMNS_HERE; c++) {
            for (size_t r = 0; r < n; r++) column[r] = rows[r][apart + c];
            cr_expect(got[c] == places_cpu(column, n), "column %zu of %zu", c, n);
        }
    }
}

Test(rows, far_apart)
{
    enum { ROWS_HERE = 3, MOST = 20000 };
    static const size_t ns[] = {1, 2, 40, 300, 1025, 5000, MOST};
    static u8 rows[ROWS_HERE][MOST];
    u8 *in = NULL;
    u64 got[16], *const out = (u64 *)device_room(128 * sizeof *got, 0x5a);
    const int64_t last = 2 * FAR_PITCH, offsets[] = {last, last + 2, last + 2, last + 40, last + 300, last + MOST};
    int64_t *const on_device = (int64_t *)to_device(offsets, sizeof offsets);
    if (cudaMalloc((void **)&in, 2 * FAR_PITCH + MOST) != cudaSuccess) cr_skip_test("too little memory for 2^32 elements");
    fill_bytes(rows, sizeof rows);
    for (size_t r = 0; r < ROWS_HERE; r++) CHECK(cudaMemcpy(in + r * FAR_PITCH, rows[r], MOST, cudaMemcpyHostToDevice));
    for (size_t k = 0; k < COUNT(ns); k++) {
        CHECK(places_rows_async(in, ROWS_HERE, ns[k], FAR_PITCH, out, ws, 0));
        from_device(got, out, ROWS_HERE * sizeof *got);
        for (size_t r = 0; r < ROWS_HERE; r++) cr_expect(got[r] == places_cpu(rows[r], ns[k]), "row %zu of %zu", r, ns[k]);
    }
    CHECK(places_segments_async(in, on_device, COUNT(offsets) - 1, out, ws, 0));
    from_device(got, out, sizeof got);
    for (size_t k = 0; k + 1 < COUNT(offsets); k++)
        cr_expect(got[k] == places_cpu(rows[2] + (offsets[k] - last), length_of(offsets, k)), "segment %zu", k);
    check_far_columns(in, out, ROWS_HERE, FAR_PITCH);
    check_far_columns(in, out, 65, FAR_PITCH / 32);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(on_device));
}

#ifndef SIMT /* threads would take hours */
/* More results than 31 bits can count, of one element and of two: of each way of giving them to threads. */
#define MANY_RESULTS (((size_t)1 << 31) + 5)

static __global__ void fill_many(u8 *in, int64_t *offsets)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k <= MANY_RESULTS; k += (size_t)gridDim.x * blockDim.x) {
        in[k] = (u8)(mixed(k) >> 8);
        in[MANY_RESULTS + 1 + k] = (u8)mixed(k);
        offsets[k] = (int64_t)k;
    }
}

/* The elements of result r are in[r / inner * outer_pitch + r % inner * apart + j * pitch]. */
static __global__ void count_wrong(const u8 *in, struct shape s, const u8 *of_two, const u8 *out, unsigned long long *wrong)
{
    for (size_t r = blockIdx.x * (size_t)blockDim.x + threadIdx.x; r < s.results; r += (size_t)gridDim.x * blockDim.x) {
        const u8 *const first = in + first_of(s, r);
        const u8 expected = s.n == 1 ? of_two[65536 + *first] : of_two[*first * 256 + first[s.pitch]];
        if (out[r] != expected) atomicAdd(wrong, 1ull);
    }
}

/* trace1 of one element and of two. */
static u8 *small_results(void)
{
    static u8 results[65536 + 256];
    for (unsigned k = 0; k < 65536; k++) {
        const u8 in[2] = {(u8)(k >> 8), (u8)k};
        results[k] = trace1_cpu(in, 2);
        if (k < 256) results[65536 + k] = trace1_cpu(in + 1, 1);
    }
    return (u8 *)to_device(results, sizeof results);
}

Test(rows, results_beyond_31_bits, .timeout = 240)
{
    const struct shape shapes[] = {rows_of(MANY_RESULTS, 1, 1, 0),       rows_of(MANY_RESULTS, 2, 2, 0),
                                   columns_of(1, MANY_RESULTS, MANY_RESULTS, 0), columns_of(2, MANY_RESULTS, MANY_RESULTS, 0),
                                   axis_of(MANY_RESULTS / 3, 2, 3, 0),   axis_of(3, 2, MANY_RESULTS / 3, 0)};
    static const enum way how[] = {ROWS, ROWS, COLUMNS, COLUMNS, AXIS, AXIS};
    const u8 *const expected = small_results();
    unsigned long long wrong, *const on_device = (unsigned long long *)device_room(sizeof wrong, 0);
    u8 *in = NULL, *out = NULL;
    int64_t *offsets = NULL;
    if (cudaMalloc((void **)&in, 2 * (MANY_RESULTS + 1)) != cudaSuccess || cudaMalloc((void **)&out, MANY_RESULTS) != cudaSuccess ||
        cudaMalloc((void **)&offsets, (MANY_RESULTS + 1) * sizeof *offsets) != cudaSuccess)
        cr_skip_test("too little memory for 2^31 results");
    fill_many<<<4096, 256>>>(in, offsets);
    for (size_t k = 0; k <= COUNT(shapes); k++) {
        const struct shape s = k < COUNT(shapes) ? shapes[k] : rows_of(MANY_RESULTS, 1, 1, 0);
        CHECK(cudaMemset(out, 0x5a, MANY_RESULTS));
        if (k < COUNT(shapes)) CHECK(trace1_by_async(how[k], s, in, out, ws));
        else CHECK(trace1_segments_async(in, offsets, MANY_RESULTS, out, ws, 0));
        count_wrong<<<4096, 256>>>(in, s, expected, out, on_device);
        check_launch();
        from_device(&wrong, on_device, sizeof wrong);
        cr_assert(wrong == 0, "%s: %llu of %zu results of %zu elements are wrong", k < COUNT(shapes) ? ways[how[k]] : "segments",
                  wrong, s.results, s.n);
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(offsets));
    CHECK(cudaFree(on_device));
    CHECK(cudaFree((void *)expected));
}

/* A row, columns and a segment of more elements than 32 bits can count, of which some chunks begin beyond: maps are
   told their places. */
DEFINE_REDUCE_MAP(marked, u8, u64, x * (u64)i, 0, a + b)
DEFINE_REDUCE_ROWS(marked)
DEFINE_REDUCE_ARG(u8, max)
DEFINE_REDUCE_ROWS(reduce_u8_argmax)
DEFINE_REDUCE_ARG(double, max)
DEFINE_REDUCE_ROWS(reduce_double_argmax)

/* The greatest element is one beyond, in the chunk that begins before. */
static void expect_place_beyond_32_bits(u8 *in, size_t n, reduce_u8_argmax_result *out)
{
    const size_t at = ((size_t)1 << 32) + 3;
    const u8 greatest = 9;
    reduce_u8_argmax_result got[2];
    for (size_t c = 0; c < 2; c++) {
        CHECK(cudaMemcpy(in + 2 * at + c, &greatest, 1, cudaMemcpyHostToDevice));
        CHECK(reduce_u8_argmax_columns_async(in, n, 2, 2, out, ws, 0));
        from_device(got, out, sizeof got);
        cr_expect(got[c].index == (int64_t)at && got[c].value == greatest, "column %zu: %lld", c, (long long)got[c].index);
    }
    CHECK(reduce_u8_argmax_rows_async(in + at, 1, n, n, out, ws, 0));
    from_device(got, out, sizeof *got);
    cr_expect(got[0].index == (int64_t)at, "a row: %lld", (long long)got[0].index);
}

/* The same by single elements of a misaligned segment, of half as many doubles as fit. */
static void expect_double_beyond_32_bits(reduce_double_argmax_result *out)
{
    const size_t n = ((size_t)1 << 32) + ((size_t)1 << 24) + 4099, at = ((size_t)1 << 32) + 3;
    const double greatest = 9;
    const int64_t offsets[] = {1, 1 + (int64_t)n};
    int64_t *const there = (int64_t *)to_device(offsets, sizeof offsets);
    reduce_double_argmax_result got;
    double *in = NULL;
    if (cudaMalloc((void **)&in, (n + 1) * sizeof *in) != cudaSuccess) {
        (void)cudaGetLastError();
        return;
    }
    CHECK(cudaMemset(in, 0, (n + 1) * sizeof *in));
    CHECK(cudaMemcpy(in + 1 + at, &greatest, sizeof greatest, cudaMemcpyHostToDevice));
    CHECK(reduce_double_argmax_segments_async(in, there, 1, out, ws, 0));
    from_device(&got, out, sizeof got);
    cr_expect(got.index == (int64_t)at, "a segment: %lld", (long long)got.index);
    CHECK(reduce_double_argmax_rows_async(in + 1, 1, n, n, out, ws, 0));
    from_device(&got, out, sizeof got);
    cr_expect(got.index == (int64_t)at, "a row: %lld", (long long)got.index);
    CHECK(cudaFree(in));
    CHECK(cudaFree(there));
}

Test(rows, elements_beyond_32_bits, .timeout = 240)
{
    static const size_t marks[] = {5, ((size_t)1 << 31) + 2, ((size_t)1 << 32) - 1, ((size_t)1 << 32) + 1,
                                   ((size_t)1 << 32) + 4000, ((size_t)1 << 32) + ((size_t)3 << 22)};
    const size_t n = ((size_t)1 << 32) + ((size_t)1 << 24) + 4099;
    const u8 mark = 3;
    u64 sum = 0, of_columns[2] = {0, 0}, got[2], *const out = (u64 *)device_room(64, 0x5a);
    const int64_t offsets[] = {1, 1, (int64_t)n}, falling[] = {2000, 0, (int64_t)n};
    int64_t *const on_device = (int64_t *)to_device(offsets, sizeof offsets);
    u8 *in = NULL;
    if (cudaMalloc((void **)&in, 2 * n) != cudaSuccess) cr_skip_test("too little memory for 2^33 elements");
    CHECK(cudaMemset(in, 0, 2 * n));
    for (size_t k = 0; k < COUNT(marks); k++) {
        CHECK(cudaMemcpy(in + marks[k], &mark, 1, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(in + 2 * n - 1 - marks[k], &mark, 1, cudaMemcpyHostToDevice));
        sum += mark * marks[k];
        of_columns[marks[k] % 2] += mark * (marks[k] / 2);
        of_columns[(2 * n - 1 - marks[k]) % 2] += mark * ((2 * n - 1 - marks[k]) / 2);
    }
    CHECK(marked_rows_async(in, 1, n, n, out, ws, 0));
    from_device(got, out, sizeof got);
    cr_expect(got[0] == sum, "a row: %llu, not %llu", (unsigned long long)got[0], (unsigned long long)sum);
    CHECK(marked_columns_async(in, n, 2, 2, out, ws, 0));
    from_device(got, out, sizeof got);
    cr_expect(SAME_BITS(got, of_columns), "columns: %s, not %s", BITS(got), BITS(of_columns));
    CHECK(marked_axis_async(in, 1, n, 2, out, ws, 0));
    from_device(got, out, sizeof got);
    cr_expect(SAME_BITS(got, of_columns), "an axis: %s, not %s", BITS(got), BITS(of_columns));
    CHECK(marked_segments_async(in, on_device, 2, out, ws, 0));
    from_device(got, out, sizeof got);
    sum -= mark * COUNT(marks); /* it begins at element 1 */
    cr_expect(got[0] == 0 && got[1] == sum, "a segment: %llu, not %llu", (unsigned long long)got[1], (unsigned long long)sum);
    sum += mark * COUNT(marks); /* one that begins at element 0, and before the first offset: one block has it */
    CHECK(cudaMemcpy(on_device, falling, sizeof falling, cudaMemcpyHostToDevice));
    CHECK(marked_segments_async(in, on_device, 2, out, ws, 0));
    from_device(got, out, sizeof got);
    cr_expect(got[0] == 0 && got[1] == sum, "by one block: %llu, not %llu", (unsigned long long)got[1], (unsigned long long)sum);
    expect_place_beyond_32_bits(in, n, (reduce_u8_argmax_result *)out);
    CHECK(cudaFree(in));
    expect_double_beyond_32_bits((reduce_double_argmax_result *)out);
    CHECK(cudaFree(out));
    CHECK(cudaFree(on_device));
}
#endif

/* ---- Streams and graphs -------------------------------------------------------------------------------- */

/* All calls in a stream that waits for no other; captured, and launched twice. */
Test(rows, graphs)
{
    enum { ROWS_HERE = 5, N = 1500, RESULTS = 5 * N };
    static const int64_t offsets[] = {0, 3, 3, 700, ROWS_HERE * N};
    static const int32_t offsets_32[] = {0, 3, 3, 700, ROWS_HERE * N};
    float in[ROWS_HERE * N], expected[RESULTS] = {0}, got[RESULTS];
    float *const device = (float *)device_room(sizeof in, 0), *const out = (float *)device_room(sizeof got, 0);
    int64_t *const cut = (int64_t *)to_device(offsets, sizeof offsets);
    int32_t *const cut_32 = (int32_t *)to_device(offsets_32, sizeof offsets_32);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(reduce_float_sum_rows_async(device, ROWS_HERE, N, N, out, ws, stream));
    CHECK(reduce_float_sum_rows_async(device, N, ROWS_HERE, ROWS_HERE, out + 8, ws, stream));
    CHECK(reduce_float_sum_columns_async(device, ROWS_HERE, N, N, out + N + 8, ws, stream));
    CHECK(reduce_float_sum_columns_async(device, N, ROWS_HERE, ROWS_HERE, out + 2 * N + 8, ws, stream));
    CHECK(reduce_float_sum_axis_async(device, 10, 10, N / 20, out + 2 * N + 16, ws, stream));
    CHECK(reduce_float_sum_segments_async(device, cut, COUNT(offsets) - 1, out + 3 * N, ws, stream));
    CHECK(reduce_float_sum_segments_32_async(device, cut_32, COUNT(offsets) - 1, out + 3 * N + 4, ws, stream));
    CHECK(reduce_float_sum_rows_async(device, 100, 1, 1, out + 3 * N + 8, ws, stream));
    CHECK(reduce_float_sum_rows_async(device + 1, 100, 1, 1, out + 4 * N, ws, stream));
    CHECK(reduce_float_sum_columns_async(device, 1, 100, 100, out + 4 * N + 100, ws, stream));
    CHECK(reduce_float_sum_columns_async(device, N, 1, 1, out + 4 * N + 200, ws, stream));
    CHECK(reduce_float_sum_axis_async(device, 100, 30, 1, out + 4 * N + 201, ws, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (u64 k = 0; k < 2; k++) {
        fill_float(in, COUNT(in), k);
        CHECK(cudaMemcpyAsync(device, in, sizeof in, cudaMemcpyHostToDevice, stream));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        from_device(got, out, sizeof got);
        reduce_float_sum_rows_cpu(in, ROWS_HERE, N, N, expected);
        reduce_float_sum_rows_cpu(in, N, ROWS_HERE, ROWS_HERE, expected + 8);
        reduce_float_sum_columns_cpu(in, ROWS_HERE, N, N, expected + N + 8);
        reduce_float_sum_columns_cpu(in, N, ROWS_HERE, ROWS_HERE, expected + 2 * N + 8);
        reduce_float_sum_axis_cpu(in, 10, 10, N / 20, expected + 2 * N + 16);
        reduce_float_sum_segments_cpu(in, offsets, COUNT(offsets) - 1, expected + 3 * N);
        reduce_float_sum_segments_cpu(in, offsets, COUNT(offsets) - 1, expected + 3 * N + 4);
        reduce_float_sum_rows_cpu(in, 100, 1, 1, expected + 3 * N + 8);
        reduce_float_sum_rows_cpu(in + 1, 100, 1, 1, expected + 4 * N);
        reduce_float_sum_columns_cpu(in, 1, 100, 100, expected + 4 * N + 100);
        reduce_float_sum_columns_cpu(in, N, 1, 1, expected + 4 * N + 200);
        reduce_float_sum_axis_cpu(in, 100, 30, 1, expected + 4 * N + 201);
        for (size_t r = 0; r < RESULTS; r++)
            cr_assert(SAME_BITS(got[r], expected[r]), "launch %d, result %zu: %s, not %s", (int)k, r, BITS(got[r]), BITS(expected[r]));
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    CHECK(cudaFree(cut));
    CHECK(cudaFree(cut_32));
}

/* ---- What a call asks of CUDA --------------------------------------------------------------------------- */

#ifdef SIMT
/* How many calls there have been, but for launches. */
static long other_calls(void)
{
    long calls = 0;
    for (size_t k = 0; k < COUNT(other_kinds); k++) calls += simt_calls(other_kinds[k]);
    return calls;
}

#define EXPECT_ONE_LAUNCH(call)                                                                              \
    do {                                                                                                     \
        const long launches_ = simt_calls("launch"), others_ = other_calls();                                \
        CHECK(call);                                                                                         \
        cr_expect(simt_calls("launch") - launches_ == 1, "%s: %ld launches", #call, simt_calls("launch") - launches_); \
        cr_expect(other_calls() == others_, "%s: %ld other calls", #call, other_calls() - others_);          \
    } while (0)

/* The asynchronous calls make one launch, and no other call of CUDA's. */
Test(rows, are_one_launch)
{
    enum { ALL = 60000 };
    static const int64_t cuts[] = {0, 3, 3, 700, ALL};
    static const int32_t cuts_32[] = {0, 3, 3, 700, ALL};
    static const size_t rows[] = {1, 2, 7, 60, 300, 6000, 30000, ALL};
    float *const in = (float *)device_room(ALL * sizeof *in, 0), *const out = (float *)device_room(ALL * sizeof *out, 0);
    int64_t *const offsets = (int64_t *)to_device(cuts, sizeof cuts);
    int32_t *const offsets_32 = (int32_t *)to_device(cuts_32, sizeof cuts_32);
    for (size_t k = 0; k < COUNT(rows); k++) {
        const size_t n = ALL / rows[k];
        EXPECT_ONE_LAUNCH(reduce_float_sum_rows_async(in, rows[k], n, n, out, ws, 0));
        EXPECT_ONE_LAUNCH(reduce_float_sum_rows_async(in + 1, rows[k] - (n == 1), n - (n > 1), n, out, ws, 0));
        EXPECT_ONE_LAUNCH(reduce_float_sum_columns_async(in, n, rows[k], rows[k], out, ws, 0));
        EXPECT_ONE_LAUNCH(reduce_float_sum_axis_async(in, n / 2 + (n < 2), 2, rows[k] / 2 + (rows[k] < 2), out, ws, 0));
    }
    EXPECT_ONE_LAUNCH(reduce_float_sum_segments_async(in, offsets, COUNT(cuts) - 1, out, ws, 0));
    EXPECT_ONE_LAUNCH(reduce_float_sum_segments_32_async(in, offsets_32, COUNT(cuts) - 1, out, ws, 0));
    check_launch();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(offsets));
    CHECK(cudaFree(offsets_32));
}
#endif

/* ---- Without a GPU ------------------------------------------------------------------------------------- */

static void hide_gpus(void)
{
    setenv("SIMT_DEVICES", "0", 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
}

/* The simple calls run on the CPU then, and refuse the same. */
TestSuite(rows_on_the_cpu, .init = hide_gpus);

Test(rows_on_the_cpu, simple_calls)
{
    enum { ROWS_HERE = 7, N = 300 };
    static const int64_t offsets[] = {0, 3, 3, 700, ROWS_HERE * N}, falling[] = {0, 3, 2};
    static const int32_t offsets_32[] = {0, 3, 3, 700, ROWS_HERE * N}, negative[] = {-1, 3};
    const size_t segments = COUNT(offsets) - 1;
    float in[ROWS_HERE * N], expected[N], got[N + 1];
    fill_float(in, COUNT(in), 1);
#define EXPECT_CALL(results, call, ...)                                                                      \
    do {                                                                                                     \
        memset(got, 0x5a, sizeof got);                                                                       \
        CHECK(call(__VA_ARGS__, got));                                                                       \
        call##_cpu(__VA_ARGS__, expected);                                                                   \
        cr_expect(memcmp(got, expected, (results) * sizeof *got) == 0, "%s", #call);                         \
        cr_expect(((u8 *)(got + (results)))[0] == 0x5a, "%s writes too far", #call);                         \
    } while (0)
    EXPECT_CALL(ROWS_HERE, reduce_float_sum_rows, in, ROWS_HERE, N, N);
    EXPECT_CALL(N, reduce_float_sum_columns, in, ROWS_HERE, N, N);
    EXPECT_CALL(30, reduce_float_sum_axis, in, 3, 70, 10);
    EXPECT_CALL(segments, reduce_float_sum_segments, in, offsets, segments);
    EXPECT_CALL(segments, reduce_float_sum_segments_32, in, offsets_32, segments);
    memset(got, 0x5a, sizeof got);
    cr_expect(reduce_float_sum_rows(in, 2, 3, 2, got) == cudaErrorInvalidValue, "rows overlap");
    cr_expect(reduce_float_sum_columns(in, 2, 3, 3, NULL) == cudaErrorInvalidValue, "no output");
    cr_expect(reduce_float_sum_segments(in, falling, 2, got) == cudaErrorInvalidValue, "offsets decrease");
    cr_expect(reduce_float_sum_segments_32(in, negative, 1, got) == cudaErrorInvalidValue, "a negative offset");
    cr_expect(((u8 *)got)[0] == 0x5a, "an error changes the output");
}

/* ---- Two GPUs ------------------------------------------------------------------------------------------ */

enum { CALL_ROWS = 6, CALL_N = 40, CALL_ALL = CALL_ROWS * CALL_N, CALLS = 5 };
static float call_in[CALL_ALL];
static const int64_t call_offsets[] = {0, 3, 3, 70, CALL_ALL};
static const int32_t call_offsets_32[] = {0, 3, 3, 70, CALL_ALL};
static const size_t call_results[CALLS] = {CALL_ROWS, CALL_N, 2 * 10, 4, 4};

static void need_two_gpus(void)
{
    int devices = 0;
    setenv("SIMT_DEVICES", "2", 1);
    fill_float(call_in, CALL_ALL, 3);
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 1) return;
    (void)cudaGetLastError();
    cr_skip_test("no two GPUs here");
}

TestSuite(rows_by_calls, .init = need_two_gpus);

/* Simple call number k, of an array and offsets that lie anywhere. */
static cudaError_t call_of(int k, const float *in, const void *offsets, float *out)
{
    if (k == 0) return reduce_float_sum_rows(in, CALL_ROWS, CALL_N, CALL_N, out);
    if (k == 1) return reduce_float_sum_columns(in, CALL_ROWS, CALL_N, CALL_N, out);
    if (k == 2) return reduce_float_sum_axis(in, 2, CALL_ALL / 20, 10, out);
    if (k == 3) return reduce_float_sum_segments(in, (const int64_t *)offsets, 4, out);
    return reduce_float_sum_segments_32(in, (const int32_t *)offsets, 4, out);
}

static void call_expected(int k, float *out)
{
    if (k == 0) reduce_float_sum_rows_cpu(call_in, CALL_ROWS, CALL_N, CALL_N, out);
    if (k == 1) reduce_float_sum_columns_cpu(call_in, CALL_ROWS, CALL_N, CALL_N, out);
    if (k == 2) reduce_float_sum_axis_cpu(call_in, 2, CALL_ALL / 20, 10, out);
    if (k == 3) reduce_float_sum_segments_cpu(call_in, call_offsets, 4, out);
    if (k == 4) reduce_float_sum_segments_32_cpu(call_in, call_offsets_32, 4, out);
}

static const void *offsets_of_call(int k)
{
    return k == 4 ? (const void *)call_offsets_32 : (const void *)call_offsets;
}

/* The call runs where the array is, and comes back. Results go wherever they shall. */
Test(rows_by_calls, go_to_the_gpu_of_the_array)
{
    for (int k = 0; k < CALLS; k++)
        for (int device = 0; device < 2; device++)
            for (int home = 0; home < 2; home++) {
                float got[CALL_N + 1], expected[CALL_N + 1];
                int now = -1;
                CHECK(cudaSetDevice(device));
                float *const in = (float *)to_device(call_in, sizeof call_in);
                void *const offsets = to_device(offsets_of_call(k), k == 4 ? sizeof call_offsets_32 : sizeof call_offsets);
                CHECK(cudaSetDevice(home));
                float *const out = (float *)device_room(sizeof got, 0);
                float *managed = NULL;
                CHECK(cudaMallocManaged((void **)&managed, sizeof got));
                call_expected(k, expected);
                CHECK(call_of(k, in, offsets, out));
                from_device(got, out, sizeof got);
                cr_expect(memcmp(got, expected, call_results[k] * sizeof *got) == 0, "call %d, results on %d", k, home);
                CHECK(call_of(k, in, offsets, managed));
                cr_expect(memcmp(managed, expected, call_results[k] * sizeof *got) == 0, "call %d, results in managed memory", k);
                CHECK(cudaFree(out));
                CHECK(cudaFree(managed));
                CHECK(call_of(k, in, offsets, got));
                cr_expect(memcmp(got, expected, call_results[k] * sizeof *got) == 0, "call %d, array on %d, from %d", k, device, home);
                CHECK(call_of(k, in, offsets_of_call(k), got));
                cr_expect(memcmp(got, expected, call_results[k] * sizeof *got) == 0, "call %d, from %d, offsets here", k, home);
                CHECK(cudaGetDevice(&now));
                cr_expect(now == home, "called on device %d, left on %d", home, now);
                CHECK(cudaFree(in));
                CHECK(cudaFree(offsets));
            }
    cr_expect(cudaPeekAtLastError() == cudaSuccess, "an error stays behind");
}

#ifdef SIMT
static cudaError_t a_shape(const struct attempt *self, void *got)
{
    return call_of(self->number, (const float *)self->in, offsets_of_call(self->number), (float *)got);
}

Test(rows_by_calls, survive_failing_calls)
{
    static const char *const names[CALLS] = {"rows", "columns", "an axis", "segments", "segments, 32 bits"};
    static const char *const kinds[] = {"malloc", "memset", "memcpy", "launch", "free", "sync", "device"};
    CHECK(cudaSetDevice(1));
    float *const away = (float *)to_device(call_in, sizeof call_in);
    CHECK(cudaSetDevice(0));
    for (int k = 0; k < CALLS; k++) {
        float expected[CALL_N + 1];
        call_expected(k, expected);
        const struct attempt here = {names[k], a_shape, call_in, expected, call_results[k] * sizeof *expected, k, true, true};
        const struct attempt there = {names[k], a_shape, away, expected, call_results[k] * sizeof *expected, k, true, true};
        for (size_t l = 0; l < COUNT(kinds); l++) {
            expect_clean_failures(&here, kinds[l], 1);
            expect_clean_failures(&there, kinds[l], 1);
        }
    }
    const size_t live = simt_live_allocations();
    for (int k = 0; k < CALLS; k++) {
        float got[CALL_N];
        CHECK(call_of(k, call_in, offsets_of_call(k), got));
        cr_expect(call_of(k, call_in, offsets_of_call(k), NULL) != cudaSuccess, "a null pointer is refused");
    }
    cr_expect(simt_live_allocations() == live, "memory is lost");
    CHECK(cudaFree(away));
}
#endif

/* ---- Errors -------------------------------------------------------------------------------------------- */

#define EXPECT_ERROR(error, call)                                                                            \
    do {                                                                                                     \
        const cudaError_t got_ = (call);                                                                     \
        cr_expect(got_ == (error), "%s: %s, not %s", #call, cudaGetErrorName(got_), cudaGetErrorName(error));\
    } while (0)

Test(rows, errors)
{
    const size_t huge = SIZE_MAX / 2;
    float *in = (float *)device_room(4096, 0), *out = (float *)device_room(4096, 0x5a);
    float got[2], host_in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t falling[] = {0, 5, 3}, negative[] = {-1, 2}, fine[] = {0, 2, 5};
    unsigned char bytes[4096];
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_rows_async(NULL, 2, 3, 3, out, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_rows_async(in, 2, 3, 3, NULL, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_rows_async(in, 2, 3, 3, out, NULL, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_rows_async(in, 2, 3, 2, out, ws, 0)); /* rows overlap */
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_rows_async(in, huge, 3, huge, out, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_rows_async(in, 2, 3, 3, in + 5, ws, 0)); /* the second result */
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_rows_async(in + 2, 8, 3, 3, in, ws, 0)); /* of 8 results the third */
    EXPECT_ERROR(cudaErrorMisalignedAddress, reduce_float_sum_rows_async((float *)((char *)in + 1), 2, 3, 3, out, ws, 0));
    EXPECT_ERROR(cudaErrorMisalignedAddress, reduce_float_sum_rows_async(in, 2, 3, 3, (float *)((char *)out + 2), ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_columns_async(NULL, 2, 3, 3, out, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_columns_async(in, 2, 3, 2, out, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_columns_async(in, 2, 3, 3, out, NULL, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_axis_async(in, huge, 3, 4, out, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_axis_async(in, 2, 3, 4, in, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_axis_async(in, 2, 3, 4, out, NULL, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_segments_async(in, NULL, 2, out, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_segments_async(in, (const int64_t *)in, 2, NULL, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_segments_async(in, (const int64_t *)in, 2, out, NULL, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_segments_32_async(in, (const int32_t *)in, 2, out, NULL, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, /* on the offsets */
                 reduce_float_sum_segments_async(in, (const int64_t *)(void *)out, 2, out + 5, ws, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_segments(host_in, falling, 2, got));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_segments(host_in, negative, 1, got));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_segments(NULL, fine, 2, got));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_segments(host_in, fine, 2, host_in));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_rows(host_in, 2, 4, 3, got));
    EXPECT_ERROR(cudaSuccess, reduce_float_sum_rows_async(NULL, 0, 3, 3, NULL, ws, 0)); /* no results */
    EXPECT_ERROR(cudaSuccess, reduce_float_sum_columns(host_in, 3, 0, 0, got));
    EXPECT_ERROR(cudaSuccess, reduce_float_sum_segments(host_in, fine, 0, got));
    EXPECT_ERROR(cudaSuccess, reduce_float_sum_segments_async(in, fine, 0, out, ws, 0));
    memory_is_short = true; /* for a copy of the offsets */
    got[0] = got[1] = 7;
    EXPECT_ERROR(cudaErrorMemoryAllocation, reduce_float_sum_segments(host_in, fine, 2, got));
    EXPECT_ERROR(cudaErrorMemoryAllocation, reduce_float_sum_segments_32(host_in, (const int32_t *)fine, 2, got));
    cr_expect(got[0] == 7 && got[1] == 7, "an error changes the output");
    memory_is_short = false;
    check_launch();
    from_device(bytes, out, sizeof bytes);
    for (size_t k = 0; k < sizeof bytes; k++) cr_assert(bytes[k] == 0x5a, "an error changes the output");
    CHECK(reduce_float_sum_segments(host_in, fine, 2, got));
    cr_expect(got[0] == 3 && got[1] == 12, "segments: %g %g", (double)got[0], (double)got[1]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

/* The simple calls copy an array in main memory: CUDA refuses one that is pinned in part. */
Test(rows, pinned_in_part)
{
    enum { BYTES = 131072, N = BYTES / sizeof(float) };
    const int64_t offsets[] = {0, 5, N};
    float *const array = (float *)half_pinned(BYTES), got[2] = {7, 7};
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_rows(array, 2, N / 2, N / 2, got));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_columns(array, N / 2, 2, 2, got));
    EXPECT_ERROR(cudaErrorInvalidValue, reduce_float_sum_segments(array, offsets, 2, got));
    cr_expect(got[0] == 7 && got[1] == 7, "an error changes the output");
    (void)cudaGetLastError(); /* of the copy */
    free_half_pinned(array);
}

/* ---- Two arrays, and a context ------------------------------------------------------------------------- */

struct table {
    const u32 *at;
    u32 seed;
};

DEFINE_REDUCE_ZIP(two, u8, u32, u32, (u32)traced((u32)traced(x, y), (u32)i), 0, (u32)traced(a, b))
DEFINE_REDUCE_ZIP_ROWS(two)
DEFINE_REDUCE_WITH(tabled, u16, struct table, u32, (u32)traced(c.at[x % 7], c.seed + i), 0, (u32)traced(a, b))
DEFINE_REDUCE_WITH_ROWS(tabled)
DEFINE_REDUCE_ZIP_WITH(two_tabled, u8, u32, struct table, u32, (u32)traced((u32)traced(c.at[x % 7], y), c.seed + i), 0,
                       (u32)traced(a, b))
DEFINE_REDUCE_ZIP_WITH_ROWS(two_tabled)

/* A map that notes a zero. No element is one: a thread has zeros where it loaded nothing, in the simulator always. */
struct notes { u32 *zeros; };
HELPER_BOTH u32 noted(u32 x, struct notes c)
{
    if (x == 0) *c.zeros = 1;
    return x;
}
DEFINE_REDUCE_WITH(met, u16, struct notes, u32, noted(x, c), 0, a + b)
DEFINE_REDUCE_WITH_ROWS(met)
DEFINE_REDUCE_WITH(met_of_4, u32, struct notes, u32, noted(x, c), 0, a + b)
DEFINE_REDUCE_WITH_ROWS(met_of_4)

/* Rows and columns of the next two tests. */
static const size_t met_counts[] = {1, 3, 4, 6, 20, 29, 33, 64, 67, 131, 132, 150, 261, 516};

/* Maps may read tables by their elements, so they are called for elements alone: whatever columns and rows a thread lacks. */
Test(rows, maps_meet_elements_alone)
{
    enum { MOST = 516, ALL = 300000 };
    static u16 small[ALL];
    static u32 large[ALL], got[MOST];
    for (size_t k = 0; k < ALL; k++) small[k] = (u16)(1 + k % 1000), large[k] = (u32)(1 + k % 70000);
    u16 *const device_small = (u16 *)to_device(small, sizeof small);
    u32 *const device_large = (u32 *)to_device(large, sizeof large), *const out = (u32 *)device_room(sizeof got, 0);
    u32 zeros = 0;
    const struct notes on_device = {(u32 *)to_device(&zeros, sizeof zeros)}, here = {&zeros};
    for (size_t k = 0; k < COUNT(met_counts); k++) {
        const size_t count = met_counts[k], ns[] = {1, 3, 9, 70, tree_stripe(2) / 2 + 3, 2 * tree_stripe(2) + 5};
        for (size_t a = 0; a < COUNT(ns) && ns[a] * (count + 4) < ALL; a++) {
            const size_t n = ns[a], pitch = count + (a + k) % 3 * 2;
            CHECK(met_columns_async(device_small + a % 2, n, count, pitch, on_device, out, ws, 0));
            CHECK(met_rows_async(device_small + a % 2, count, n, n + a % 2, on_device, out, ws, 0));
            CHECK(met_of_4_rows_async(device_large + a % 2, count, n, n + a % 2, on_device, out, ws, 0));
            CHECK(met_of_4_columns_async(device_large + a % 2, n, count, pitch, on_device, out, ws, 0));
            from_device(got, out, count * sizeof *got);
            from_device(&zeros, on_device.zeros, sizeof zeros);
            cr_assert(zeros == 0, "%zu columns of %zu elements: a map met none", count, n);
            for (size_t c = 0; c < count; c++) {
                u32 sum = 0;
                for (size_t i = 0; i < n; i++) sum += large[a % 2 + i * pitch + c];
                cr_assert(got[c] == sum, "column %zu of %zu, of %zu elements", c, count, n);
            }
        }
    }
    cr_expect(met_cpu(small, 9, here) == 45 && zeros == 0, "on the CPU");
    CHECK(cudaFree(device_small));
    CHECK(cudaFree(device_large));
    CHECK(cudaFree(on_device.zeros));
    CHECK(cudaFree(out));
}

/* An operator that notes operands which are neither elements nor results: the upper four bits of those are 0xa. */
static __managed__ u32 strangers;
#define DEFINE_MET(NAME, T)                                                                                  \
    HELPER_BOTH T NAME##_of(T a, T b)                                                                        \
    {                                                                                                        \
        const T low = (T)(((T)1 << (8 * sizeof(T) - 4)) - 1), tag = (T)(((T)0xa << (8 * sizeof(T) - 4)));    \
        if ((a & ~low) != tag || (b & ~low) != tag) strangers = 1;                                           \
        return (T)((((a & low) + (b & low)) & low) | tag);                                                   \
    }                                                                                                        \
    DEFINE_REDUCE_AS(NAME, T, (T)((T)0xa << (8 * sizeof(T) - 4)), NAME##_of(a, b))                           \
    DEFINE_REDUCE_ROWS(NAME)
DEFINE_MET(met_bytes, u8)
DEFINE_MET(met_longs, u64)

/* Operators may read tables by their operands, too. */
Test(rows, operators_meet_operands_alone)
{
    enum { MOST = 516, ALL = 300000 };
    static u8 bytes[ALL], got_bytes[MOST];
    static u64 longs[ALL], got_longs[MOST];
    for (size_t k = 0; k < ALL; k++) bytes[k] = (u8)(0xa0 | k % 16), longs[k] = (u64)0xa << 60 | k % 70000;
    u8 *const device_bytes = (u8 *)to_device(bytes, sizeof bytes), *const out_bytes = (u8 *)device_room(MOST, 0);
    u64 *const device_longs = (u64 *)to_device(longs, sizeof longs), *const out_longs = (u64 *)device_room(MOST * 8, 0);
    CHECK(cudaDeviceSynchronize());
    strangers = 0;
    for (size_t k = 0; k < COUNT(met_counts); k++) {
        const size_t count = met_counts[k], ns[] = {1, 3, 9, 70, tree_stripe(8) / 2 + 3, tree_stripe(1) / 2 + 3};
        for (size_t a = 0; a < COUNT(ns) && ns[a] * (count + 4) < ALL; a++) {
            const size_t n = ns[a], pitch = count + (a + k) % 3 * 2;
            CHECK(met_bytes_rows_async(device_bytes + a % 2, count, n, n + a % 2, out_bytes, ws, 0));
            CHECK(met_longs_rows_async(device_longs + a % 2, count, n, n + a % 2, out_longs, ws, 0));
            CHECK(met_bytes_columns_async(device_bytes + a % 2, n, count, pitch, out_bytes, ws, 0));
            CHECK(met_longs_columns_async(device_longs + a % 2, n, count, pitch, out_longs, ws, 0));
            from_device(got_bytes, out_bytes, count);
            from_device(got_longs, out_longs, count * sizeof *got_longs);
            cr_assert(strangers == 0, "%zu columns of %zu elements: an operator met a stranger", count, n);
            for (size_t c = 0; c < count; c++) {
                u64 sum = 0, of_bytes = 0;
                for (size_t i = 0; i < n; i++) sum += (a % 2 + i * pitch + c) % 70000, of_bytes += (a % 2 + i * pitch + c) % 16;
                cr_assert(got_longs[c] == ((u64)0xa << 60 | sum) && got_bytes[c] == (0xa0 | of_bytes % 16),
                          "column %zu of %zu, of %zu elements", c, count, n);
            }
        }
    }
    CHECK(cudaFree(device_bytes));
    CHECK(cudaFree(device_longs));
    CHECK(cudaFree(out_bytes));
    CHECK(cudaFree(out_longs));
}

/* The result of row r, or of column r of as many rows, through all functions between the input and the output. */
#define EXPECT_EACH(name, results, got, expected)                                                            \
    for (size_t r = 0; r < (results); r++) {                                                                 \
        const u32 expected_ = expected;                                                                      \
        cr_assert((got)[r] == expected_, name ", result %zu of %zu: %s, not %s", r, (size_t)(results),       \
                  BITS((got)[r]), BITS(expected_));                                                          \
    }

Test(rows, two_arrays_and_contexts)
{
    static const size_t shapes[][2] = {{3, 5}, {70, 33}, {5, 700}, {5, 701}, {3, 1001}, {2, 5000}, {700, 6}};
    static const u32 numbers[7] = {5, 1, 4, 1, 5, 9, 2};
    for (size_t k = 0; k < COUNT(shapes); k++) {
        const size_t rows = shapes[k][0], n = shapes[k][1], all = rows * n, most = rows > n ? rows : n;
        u8 *x = (u8 *)malloc(all), *column_x = (u8 *)malloc(rows);
        u16 *z = (u16 *)malloc(all * sizeof(u16)), *column_z = (u16 *)malloc(rows * sizeof(u16));
        u32 *y = (u32 *)malloc(all * sizeof(u32)), *column_y = (u32 *)malloc(rows * sizeof(u32));
        u32 *got = (u32 *)malloc(most * sizeof(u32)), *room = (u32 *)device_room(most * sizeof(u32), 0x5a);
        int64_t offsets[] = {1, 1, (int64_t)(all / 2), (int64_t)all};
        fill_bytes(x, all);
        fill_bytes(y, all * sizeof(u32));
        fill_bytes(z, all * sizeof(u16));
        u8 *const device_x = (u8 *)to_device(x, all);
        u16 *const device_z = (u16 *)to_device(z, all * sizeof(u16));
        u32 *const device_y = (u32 *)to_device(y, all * sizeof(u32));
        const struct table on_device = {(u32 *)to_device(numbers, sizeof numbers), 77}, here = {numbers, 77};
        int64_t *const device_offsets = (int64_t *)to_device(offsets, sizeof offsets);

        CHECK(two_rows_async(device_x, device_y, rows, n, n, room, ws, 0));
        from_device(got, room, rows * sizeof(u32));
        EXPECT_EACH("two_rows_async", rows, got, two_cpu(x + r * n, y + r * n, n))
        two_rows_cpu(x, y, rows, n, n, got);
        EXPECT_EACH("two_rows_cpu", rows, got, two_cpu(x + r * n, y + r * n, n))
        CHECK(two_rows(x, device_y, rows, n, n, got));
        EXPECT_EACH("two_rows", rows, got, two_cpu(x + r * n, y + r * n, n))
        CHECK(tabled_rows_async(device_z, rows, n, n, on_device, room, ws, 0));
        from_device(got, room, rows * sizeof(u32));
        EXPECT_EACH("tabled_rows_async", rows, got, tabled_cpu(z + r * n, n, here))
        CHECK(two_tabled_rows_async(device_x, device_y, rows, n, n, on_device, room, ws, 0));
        from_device(got, room, rows * sizeof(u32));
        EXPECT_EACH("two_tabled_rows_async", rows, got, two_tabled_cpu(x + r * n, y + r * n, n, here))
        two_tabled_rows_cpu(x, y, rows, n, n, here, got);
        EXPECT_EACH("two_tabled_rows_cpu", rows, got, two_tabled_cpu(x + r * n, y + r * n, n, here))

        CHECK(two_segments_async(device_x, device_y, device_offsets, 3, room, ws, 0));
        from_device(got, room, 3 * sizeof(u32));
        EXPECT_EACH("two_segments_async", 3, got, two_cpu(x + offsets[r], y + offsets[r], (size_t)(offsets[r + 1] - offsets[r])))
        tabled_segments_cpu(z, offsets, 3, here, got);
        EXPECT_EACH("tabled_segments_cpu", 3, got, tabled_cpu(z + offsets[r], (size_t)(offsets[r + 1] - offsets[r]), here))
        CHECK(two_tabled_segments_async(device_x, device_y, device_offsets, 3, on_device, room, ws, 0));
        from_device(got, room, 3 * sizeof(u32));
        EXPECT_EACH("two_tabled_segments_async", 3, got,
                    two_tabled_cpu(x + offsets[r], y + offsets[r], (size_t)(offsets[r + 1] - offsets[r]), here))

        u32 *const expected = (u32 *)malloc(3 * n * sizeof(u32));
        for (size_t c = 0; c < n; c++) {
            for (size_t r = 0; r < rows; r++)
                column_x[r] = x[r * n + c], column_y[r] = y[r * n + c], column_z[r] = z[r * n + c];
            expected[c] = two_cpu(column_x, column_y, rows);
            expected[n + c] = tabled_cpu(column_z, rows, here);
            expected[2 * n + c] = two_tabled_cpu(column_x, column_y, rows, here);
        }
        CHECK(two_columns_async(device_x, device_y, rows, n, n, room, ws, 0));
        from_device(got, room, n * sizeof(u32));
        EXPECT_EACH("two_columns_async", n, got, expected[r])
        two_columns_cpu(x, y, rows, n, n, got);
        EXPECT_EACH("two_columns_cpu", n, got, expected[r])
        CHECK(tabled_columns_async(device_z, rows, n, n, on_device, room, ws, 0));
        from_device(got, room, n * sizeof(u32));
        EXPECT_EACH("tabled_columns_async", n, got, expected[n + r])
        CHECK(two_tabled_columns_async(device_x, device_y, rows, n, n, on_device, room, ws, 0));
        from_device(got, room, n * sizeof(u32));
        EXPECT_EACH("two_tabled_columns_async", n, got, expected[2 * n + r])
        CHECK(two_tabled_axis_async(device_x, device_y, 1, rows, n, on_device, room, ws, 0));
        from_device(got, room, n * sizeof(u32));
        EXPECT_EACH("two_tabled_axis_async", n, got, expected[2 * n + r])
        tabled_axis_cpu(z, 1, rows, n, here, got);
        EXPECT_EACH("tabled_axis_cpu", n, got, expected[n + r])

        CHECK(cudaFree(device_x));
        CHECK(cudaFree(device_y));
        CHECK(cudaFree(device_z));
        CHECK(cudaFree((void *)on_device.at));
        CHECK(cudaFree(device_offsets));
        CHECK(cudaFree(room));
        free(x), free(y), free(z), free(got), free(expected);
        free(column_x), free(column_y), free(column_z);
    }
}

/* Short segments of two arrays of small elements: whole words of each are shifted, or elements loaded one by one at both
   ends of the arrays, which lie at any multiple of their elements. */
DEFINE_REDUCE_ZIP(two_small, u8, u16, u32, (u32)traced((u32)traced(x + 1, y), (u32)i), 0, (u32)traced(a, b))
DEFINE_REDUCE_ZIP_ROWS(two_small)
Test(rows, segments_of_two_small_arrays)
{
    static const size_t longest[] = {1, 3, 8, 9, 17, 40, 130, 300};
    enum { MOST = 20000, RESULTS = 300 };
    static u8 x[MOST + 16];
    static u16 y[MOST + 16];
    u32 got[RESULTS], *const out = (u32 *)device_room(sizeof got, 0);
    fill_bytes(x, sizeof x);
    fill_bytes(y, sizeof y);
    for (size_t k = 0; k < COUNT(longest); k++) {
        for (size_t apart = 0; apart < 16; apart++) {
            int64_t offsets[RESULTS + 1];
            size_t count = 0, end = (apart * 5 + k) % 16;
            for (; count < RESULTS && end + longest[k] <= MOST; count++) {
                offsets[count] = (int64_t)end;
                end += apart % 2 ? longest[k] : mixed(count + apart) % (longest[k] + 1);
            }
            offsets[count] = (int64_t)end;
            const size_t before_x = apart, before_y = apart * 3 % 8; /* the arrays end with the memory */
            u8 *const device_x = (u8 *)to_device(x, before_x + end);
            u16 *const device_y = (u16 *)to_device(y, (before_y + end) * sizeof *y);
            int64_t *const on_device = (int64_t *)to_device(offsets, (count + 1) * sizeof *offsets);
            CHECK(two_small_segments_async(device_x + before_x, device_y + before_y, on_device, count, out, ws, 0));
            from_device(got, out, count * sizeof *got);
            for (size_t r = 0; r < count; r++) {
                const size_t n = (size_t)(offsets[r + 1] - offsets[r]);
                const u32 expected = two_small_cpu(x + before_x + offsets[r], y + before_y + offsets[r], n);
                cr_assert(got[r] == expected, "segment %zu of %zu, of %zu elements, %zu apart: %s, not %s", r, count, n, apart,
                          BITS(got[r]), BITS(expected));
            }
            CHECK(cudaFree(device_x));
            CHECK(cudaFree(device_y));
            CHECK(cudaFree(on_device));
        }
    }
    CHECK(cudaFree(out));
}

/* Each array begins at any multiple of its elements, and pitches leave gaps or not: loads of several columns suit both arrays,
   one or none; and there are few columns, or more. */
Test(rows, columns_of_two_arrays_anywhere)
{
    static const size_t counts[] = {6, 24, 25, 26, 100};
    enum { N = 70, MOST = 100, ALL = N * (MOST + 1) + 4 };
    static u8 x[ALL];
    static u32 y[ALL], expected[MOST], got[MOST];
    fill_bytes(x, sizeof x);
    fill_bytes(y, sizeof y);
    u8 *const device_x = (u8 *)to_device(x, sizeof x);
    u32 *const device_y = (u32 *)to_device(y, sizeof y), *const room = (u32 *)device_room(sizeof got, 0x5a);
    for (size_t k = 0; k < COUNT(counts) * 3 * 2 * 2 * 2; k++) {
        const size_t count = counts[k % COUNT(counts)], at = k / COUNT(counts);
        const size_t x_at = at % 3, y_at = at / 3 % 2, pitch = count + at / 6 % 2, n = at / 12 == 0 ? 3 : N;
        two_columns_cpu(x + x_at, y + y_at, n, count, pitch, expected);
        CHECK(two_columns_async(device_x + x_at, device_y + y_at, n, count, pitch, room, ws, 0));
        from_device(got, room, count * sizeof *got);
        for (size_t c = 0; c < count; c++)
            cr_assert(got[c] == expected[c], "column %zu of %zu, of %zu elements, from %zu and %zu on, pitch %zu", c, count, n,
                      x_at, y_at, pitch);
    }
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_y));
    CHECK(cudaFree(room));
}

/* The calls read nothing but their arrays, though by whole words: here each array begins or ends where its memory does, or where
   memory is poisoned. */
Test(rows, read_nothing_outside)
{
    enum { N = 9, MOST = 100, ELEMENTS = 909, SEGMENTS = 40, OF_7 = 7 * SEGMENTS, ALL = 70, LONG = (REDUCE_LOW_ + 2) * TREE_STRANDS * 16 - 5 };
    u8 *const x = (u8 *)device_room(ELEMENTS, 0), *const in = (u8 *)device_room(ALL, 1);
    u32 *const y = (u32 *)device_room(ELEMENTS * sizeof *y, 0), *const out = (u32 *)device_room(MOST * sizeof *out, 0);
    float *const floats = (float *)device_room((OF_7 + 2) * sizeof *floats, 0);
    static u8 host_x[ELEMENTS];
    static u32 host_y[ELEMENTS], got[MOST];
    fill_bytes(host_x, sizeof host_x);
    fill_bytes(host_y, sizeof host_y);
    CHECK(cudaMemcpy(x, host_x, sizeof host_x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(y, host_y, sizeof host_y, cudaMemcpyHostToDevice));
    for (size_t rows = 60; rows <= MOST; rows++) { /* of 67 rows the last block has 9 bytes of x, and these end 13 behind a word */
        const size_t start = ELEMENTS - rows * N;
        CHECK(two_rows_async(x + start, y + start, rows, N, N, out, ws, 0));
        from_device(got, out, rows * sizeof *got);
        for (size_t r = 0; r < rows; r++) {
            const u32 expected = two_cpu(host_x + start + r * N, host_y + start + r * N, N);
            cr_assert(got[r] == expected, "row %zu of %zu: %s, not %s", r, rows, BITS(got[r]), BITS(expected));
        }
    }
    /* The last segment is empty, but ends far before all others. */
    const int64_t offsets[] = {0, 40, ALL, -1};
    int64_t *const there = (int64_t *)to_device(offsets, sizeof offsets), sevens[SEGMENTS + 1];
    CHECK(bytes_segments_async((const i8 *)in, there, 3, (int *)out, ws, 0));
    from_device(got, out, 3 * sizeof *got);
    cr_expect(got[0] == 40 && got[1] == ALL - 40 && got[2] == 0, "%u %u %u", got[0], got[1], got[2]);
    /* The first word of a batch would begin before the array. */
    for (int64_t k = 0; k <= SEGMENTS; k++) sevens[k] = 7 * k;
    int64_t *const of_7 = (int64_t *)to_device(sevens, sizeof sevens);
    check_launch();
    forbid(floats, 2 * sizeof *floats);
    CHECK(reduce_float_sum_segments_async(floats + 2, of_7, SEGMENTS, (float *)out, ws, 0));
    check_launch();
    allow(floats, 2 * sizeof *floats);
    /* Small elements whose words are shifted: the first word would begin before the array, the last end behind it. */
    static u8 host_rows[3 * LONG];
    fill_bytes(host_rows, sizeof host_rows);
    u8 *const shifted = (u8 *)device_room(8 + sizeof host_rows, 0);
    CHECK(cudaMemcpy(shifted + 8, host_rows, sizeof host_rows, cudaMemcpyHostToDevice));
    const int64_t thirds[] = {0, LONG, 2 * LONG, 3 * LONG};
    int64_t *const of_long = (int64_t *)to_device(thirds, sizeof thirds);
    forbid(shifted, 8);
    CHECK(trace1_rows_async(shifted + 8, 3, LONG, LONG, (u8 *)out, ws, 0));
    CHECK(trace1_segments_async(shifted + 8, of_long, 3, (u8 *)out + 3, ws, 0));
    check_launch();
    allow(shifted, 8);
    from_device(got, out, 8);
    for (size_t r = 0; r < 6; r++)
        cr_expect(((const u8 *)got)[r] == trace1_cpu(host_rows + r % 3 * LONG, LONG), "%zu", r);
    CHECK(cudaFree(shifted));
    CHECK(cudaFree(of_long));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(floats));
    CHECK(cudaFree(there));
    CHECK(cudaFree(of_7));
}
