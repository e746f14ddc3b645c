/*
 * What tools/random-programs --companions fills in: a reduction of any input. Each program draws shapes, pitches,
 * offsets and places in memory, and reduces rows, columns, axes, segments and ranges of blocks. Each result must have the bits
 * of NAME_cpu of its elements in an array of their own; and some of those, the bits of a plain evaluation.
 */
#ifndef RANDOM_SHAPES_H
#define RANDOM_SHAPES_H

#include "random.h"
#include "reduce_results.cuh"

#include "../shapes.h"

#ifndef RANDOM_ELEMENTS /* of a shape at most; a GPU has time for more */
#define RANDOM_ELEMENTS 30000
#endif
enum { RANDOM_BYTES = 10 * RANDOM_ELEMENTS, RANDOM_OF_EACH = 8 };

/* ---- Chance -------------------------------------------------------------------------------------------- */

HELPER size_t random_count(size_t most)
{
    static const size_t ends[] = {2, 9, 40, 70, RANDOM_ELEMENTS / 50};
    const size_t count = random_below(ends[random_below(COUNT(ends))]);
    return count <= most ? count : count % (most + 1);
}

HELPER size_t random_gap(size_t size)
{
    const size_t gaps[] = {0, 0, 1, 16 / size, random_below(10)};
    return gaps[random_below(COUNT(gaps))];
}

/* ---- One NAME ------------------------------------------------------------------------------------------ */

struct random_subject {
    const char *name;
    size_t first, second, element, result; /* sizes; element: what the tree's stripes are of */
    void (*fill_first)(void *to, size_t n, u64 seed);
    void (*fill_second)(void *to, size_t n, u64 seed);
    void (*expect)(const void *first, const void *second, const void *context, size_t n, void *out);
    void (*by_cpu)(enum way way, struct shape s, const struct shaped *of);
    void (*by_async)(enum way way, struct shape s, const struct shaped *of);
    void (*by_call)(enum way way, struct shape s, const struct shaped *of);
    void (*in_blocks)(struct shape s, const struct shaped *of, dim3 block);
    const void *context;
};

/* For a NAME with NAME_random_fill, NAME_random_fill_second and NAME_random_context; and NAME_random_expected, a plain
   evaluation: NAME_random(p, ws) runs it. */
#define RANDOM_SHAPES(kind, NAME, X, Y, Context)                                                            \
    DEFINE_SHAPES(kind, NAME, X, Y, Context, cpu)                                                           \
    DEFINE_SHAPES(kind, NAME, X, Y, Context, async)                                                         \
    DEFINE_SHAPES(kind, NAME, X, Y, Context, call)                                                          \
    DEFINE_RANGES(kind, NAME, X, Y, Context)                                                                \
    RANDOM_FILLS(NAME, X, Y)                                                                                \
    static void NAME##_random_expect(const void *x, const void *y, const void *c, size_t n, void *out)      \
    {                                                                                                       \
        const NAME##_result result =                                                                        \
            NAME##_random_expected((const X *)x, (const Y *)y, *(const Context *)c, n);                     \
        memcpy(out, &result, sizeof result);                                                                \
    }                                                                                                       \
    static void NAME##_random(const struct random_program *p, reduce_workspace *ws)                         \
    {                                                                                                       \
        const Context context = NAME##_random_context(p->seed);                                             \
        const struct random_subject s = {#NAME, sizeof(X), sizeof(Y), NAME##_size_, sizeof(NAME##_result),  \
            NAME##_random_fill_x, NAME##_random_fill_y, NAME##_random_expect, NAME##_shapes_cpu,            \
            NAME##_shapes_async, NAME##_shapes_call, NAME##_in_blocks, &context};                           \
        random_shapes(&s, p, ws);                                                                           \
    }

/* ---- One shape ----------------------------------------------------------------------------------------- */

/* A shape, drawn. Of segments: where each begins and ends. start: elements before the first, in each array. */
struct random_shape {
    struct shape s;
    int64_t *offsets;
    int32_t *offsets_32;
    size_t start_first, start_second, extent;
    bool falls; /* some offset is less than the one before */
    dim3 block;
};

/* Many empty and tiny ones, few that may be huge. */
HELPER size_t random_segment(size_t element, size_t left, size_t kinds)
{
    const size_t kind = random_below(kinds);
    const size_t n = kind < 3 ? 0 : kind < 12 ? random_below(8) : kind < 15 ? random_below(100) : random_length(element, left);
    return n <= left ? n : 0;
}

HELPER void random_offsets(struct random_shape *drawn, size_t element, size_t most)
{
    const size_t count = random_count(RANDOM_ELEMENTS / 50), kinds = 12 + random_below(5);
    const bool may_fall = random_below(4) == 0;
    int64_t at = (int64_t)random_below(20);
    drawn->s.results = count;
    drawn->offsets = (int64_t *)malloc((count + 1) * sizeof(int64_t));
    drawn->offsets_32 = (int32_t *)malloc((count + 1) * sizeof(int32_t));
    for (size_t k = 0; k <= count; k++) {
        drawn->offsets[k] = at;
        drawn->offsets_32[k] = (int32_t)at;
        if ((size_t)at > drawn->extent) drawn->extent = (size_t)at;
        if (k > 0 && drawn->offsets[k] < drawn->offsets[k - 1]) drawn->falls = true;
        const size_t n = random_segment(element, most > (size_t)at ? most - (size_t)at : 0, kinds);
        at = may_fall && random_below(10) == 0 ? at - (int64_t)random_below((size_t)at + 1) : at + (int64_t)n;
    }
}

HELPER struct random_shape random_shape(const struct random_subject *s, enum way way)
{
    const size_t most = RANDOM_BYTES / s->element < RANDOM_ELEMENTS ? RANDOM_BYTES / s->element : RANDOM_ELEMENTS;
    struct random_shape drawn;
    memset(&drawn, 0, sizeof drawn);
    drawn.start_first = random_below(9);
    drawn.start_second = random_below(9);
    drawn.s.inner = 1;
    if (way == SEGMENTS || way == SEGMENTS_32) {
        random_offsets(&drawn, s->element, most);
        return drawn;
    }
    drawn.s.n = random_length(s->element, way == BLOCKS ? most / 4 : most);
    drawn.s.results = random_count(way == BLOCKS ? 3 : most / (drawn.s.n + 1) + 1);
    if (way == AXIS) drawn.s.inner = random_count(drawn.s.results), drawn.s.results -= drawn.s.inner == 0 ? 0 : drawn.s.results % drawn.s.inner;
    if (way == AXIS && drawn.s.inner == 0) drawn.s.results = 0;
    drawn.s.pitch = (way == COLUMNS ? drawn.s.results : drawn.s.n) + random_gap(s->first);
    const unsigned x = 1 + (unsigned)random_below(random_below(2) ? 40 : 256), y = 1 + (unsigned)random_below(256 / x);
    drawn.block = dim3(x, y, 1 + (unsigned)random_below(256 / (x * y) < 60 ? 256 / (x * y) : 60));
    if (drawn.s.results > 0 && drawn.s.n > 0)
        drawn.extent = place_in_shape(way, drawn.s, drawn.s.results - 1, drawn.s.n - 1) + 1;
    return drawn;
}

HELPER void random_expect_results(const struct random_subject *s, const struct random_program *p, enum way way,
                                  const char *who, const struct random_shape *d, const unsigned char *got,
                                  const unsigned char *expected)
{
    for (size_t r = 0; r <= d->s.results; r++) {
        const size_t n = d->offsets == NULL || r == d->s.results ? d->s.n : (size_t)(d->offsets[r + 1] - d->offsets[r]);
        if (memcmp(got + r * s->result, expected + r * s->result, s->result) == 0) continue;
        printf("WRONG: seed %llu, %s: %s, %s: result %zu of %zu, of %zu elements, pitch %zu, inner %zu, start %zu and %zu, "
               "block %u, %u, %u: %s, not %s\n", p->seed, s->name, way_names[way], who, r, d->s.results, n, d->s.pitch,
               d->s.inner, d->start_first, d->start_second, d->block.x, d->block.y, d->block.z,
               bits_in_hex(got + r * s->result, s->result), bits_in_hex(expected + r * s->result, s->result));
        random_is_right = false;
        return;
    }
}

/* The row of each result in arrays of its own, by NAME_cpu; the first two and the last by the plain evaluation too. */
HELPER void random_alone(const struct random_subject *s, const struct random_program *p, enum way way,
                         const struct random_shape *d, const unsigned char *x, const unsigned char *y, unsigned char *out)
{
    for (size_t r = 0; r < d->s.results; r++) {
        const bool is_empty = d->offsets != NULL && d->offsets[r + 1] <= d->offsets[r];
        const size_t n = d->offsets == NULL ? d->s.n : is_empty ? 0 : (size_t)(d->offsets[r + 1] - d->offsets[r]);
        unsigned char *row_x = (unsigned char *)malloc((n + 1) * s->first), *row_y = (unsigned char *)malloc((n + 1) * s->second);
        unsigned char plain[REDUCE_MAX_SIZE];
        for (size_t j = 0; j < n; j++) {
            const size_t at = d->offsets == NULL ? place_in_shape(way, d->s, r, j) : (size_t)d->offsets[r] + j;
            memcpy(row_x + j * s->first, x + at * s->first, s->first);
            memcpy(row_y + j * s->second, y + at * s->second, s->second);
        }
        const struct shape alone = {1, n, 1, n};
        const struct shaped of = {row_x, row_y, s->context, NULL, NULL, out + r * s->result, NULL};
        s->by_cpu(ALONE, alone, &of);
        if (r < 2 || r == d->s.results - 1) {
            s->expect(row_x, row_y, s->context, n, plain);
            random_expect(out + r * s->result, plain, s->result, "a row alone, cpu", p);
        }
        free(row_x);
        free(row_y);
    }
}

HELPER void random_try(const struct random_subject *s, const struct random_program *p, enum way way, reduce_workspace *ws)
{
    struct random_shape d = random_shape(s, way);
    const size_t all_x = d.start_first + d.extent + 1, all_y = d.start_second + d.extent + 1;
    const size_t results = (d.s.results + 1) * s->result; /* one more, which no call may write */
    unsigned char *x = (unsigned char *)malloc(all_x * s->first), *y = (unsigned char *)malloc(all_y * s->second);
    unsigned char *expected = (unsigned char *)malloc(results), *got = (unsigned char *)malloc(results);
    memset(expected, 0x5a, results);
    s->fill_first(x, all_x, random_below(1 << 20));
    s->fill_second(y, all_y, random_below(1 << 20));
    unsigned char *const from_x = x + d.start_first * s->first, *const from_y = y + d.start_second * s->second;
    random_alone(s, p, way, &d, from_x, from_y, expected);

    unsigned char *const device_x = (unsigned char *)to_device(x, all_x * s->first);
    unsigned char *const device_y = (unsigned char *)to_device(y, all_y * s->second);
    const size_t count = d.offsets == NULL ? 0 : d.s.results + 1;
    int64_t *const offsets = (int64_t *)to_device(d.offsets, count * sizeof(int64_t));
    int32_t *const offsets_32 = (int32_t *)to_device(d.offsets_32, count * sizeof(int32_t));
    unsigned char *const out = (unsigned char *)device_room(results, 0x5a);
    const struct shaped on_device = {device_x + d.start_first * s->first, device_y + d.start_second * s->second, s->context,
                                     offsets, offsets_32, out, ws};
    if (way == BLOCKS) s->in_blocks(d.s, &on_device, d.block);
    else s->by_async(way, d.s, &on_device);
    check_launch();
    from_device(got, out, results);
    random_expect_results(s, p, way, "on the device", &d, got, expected);

    const struct shaped here = {from_x, from_y, s->context, d.offsets, d.offsets_32, got, NULL};
    memset(got, 0x5a, results);
    if (way != BLOCKS) s->by_cpu(way, d.s, &here);
    if (way != BLOCKS) random_expect_results(s, p, way, "cpu", &d, got, expected);
    memset(got, 0x5a, results);
    if (way != BLOCKS && !d.falls) s->by_call(way, d.s, &here);
    if (way != BLOCKS && !d.falls) random_expect_results(s, p, way, "call", &d, got, expected);
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_y));
    CHECK(cudaFree(offsets));
    CHECK(cudaFree(offsets_32));
    CHECK(cudaFree(out));
    free(x), free(y), free(expected), free(got), free(d.offsets), free(d.offsets_32);
}

HELPER void random_shapes(const struct random_subject *s, const struct random_program *p, reduce_workspace *ws)
{
    random_state = p->seed;
    for (int way = ROWS; way < WAYS; way++)
        for (int k = 0; k < RANDOM_OF_EACH; k++) random_try(s, p, (enum way)way, ws);
    if (!is_empty_workspace(ws)) random_expect("a", "b", 1, "the workspace afterwards", p);
}

#endif
