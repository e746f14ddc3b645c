/*
 * For the companions: the hash of the results of many rows, for reductions of one array or two, with a context or not,
 * argmin and argmax, pairs and moments. A line is the NAME, the class of lengths and the hash; shapes.txt
 * holds the expected lines. Every way must give the same hashes: the rows alone by NAME_cpu, one by one; as the rows
 * and as the columns of a matrix, along the middle axis of a tensor, and as segments. Lengths and data depend on nothing
 * in the headers. For C and CUDA. The including file computes by
 *
 *     COMPUTER(kind, NAME, X, Y, Context)      void NAME_compute(enum way way, struct shape s, const struct shaped *of)
 */
#ifndef HASHES_SHAPES_H
#define HASHES_SHAPES_H

#include "reduce_results.cuh"

#include "../shapes.h"
#include "data.h"

/* ---- What is reduced ----------------------------------------------------------------------------------- */

typedef struct {
    float centre;
    int factor;
} shapes_context;

OPERATORS_BOTH uint64_t shapes_traced(uint64_t x, size_t i)
{
    x = (x + i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 27;
}

/* X(kind, NAME, X, how to fill it, Y, how to fill it). Of one array the second is as the first. */
#define SHAPES_FEW(X)                                                                                       \
    X(ARRAY, reduce_float_sum, float, FLOATING, float, FLOATING)                                            \
    X(ZIP, shapes_dot, short, INTEGER, float, FLOATING)                                                     \
    X(WITH, shapes_near, float, FLOATING, float, FLOATING)
#define SHAPES_OF_ONE_ARRAY(X)                                                                              \
    X(ARRAY, reduce_uchar_sum, uchar, INTEGER, uchar, INTEGER)                                              \
    X(ARRAY, reduce_schar_max, schar, INTEGER, schar, INTEGER)                                              \
    X(ARRAY, reduce_short_bxor, short, INTEGER, short, INTEGER)                                             \
    X(ARRAY, reduce_int_min, int, INTEGER, int, INTEGER)                                                    \
    X(ARRAY, reduce_ullong_sum, ullong, INTEGER, ullong, INTEGER)                                           \
    X(ARRAY, reduce_float_fmax, float, FLOATING, float, FLOATING)                                           \
    X(ARRAY, reduce_double_sum, double, FLOATING, double, FLOATING)                                         \
    X(ARRAY, shapes_floats3, floats3, STRUCT, floats3, STRUCT)                                              \
    X(ARRAY, shapes_floats16, floats16, STRUCT, floats16, STRUCT)                                           \
    X(ARRAY, shapes_squares, float, FLOATING, float, FLOATING)                                              \
    X(ARRAY, shapes_places, uchar, INTEGER, uchar, INTEGER)
#define SHAPES_OF_OTHER_INPUTS(X)                                                                           \
    X(ZIP, shapes_distance, double, FLOATING, float, FLOATING)                                              \
    X(ZIP, shapes_apart, uchar, INTEGER, ullong, INTEGER)                                                   \
    X(WITH, shapes_scaled, short, INTEGER, short, INTEGER)                                                  \
    X(ZIP_WITH, shapes_weighed, short, INTEGER, float, FLOATING)
#define SHAPES_OF_RESULTS(X)                                                                                \
    X(ARRAY, reduce_schar_argmin, schar, INTEGER, schar, INTEGER)                                           \
    X(ARRAY, reduce_int_argmax, int, INTEGER, int, INTEGER)                                                 \
    X(ARRAY, reduce_float_argmax, float, FLOATING, float, FLOATING)                                         \
    X(ARRAY, reduce_float_argfmin, float, FLOATING, float, FLOATING)                                        \
    X(ARRAY, reduce_double_argmin, double, FLOATING, double, FLOATING)                                      \
    X(ARRAY, shapes_pair, float, FLOATING, float, FLOATING)                                                 \
    X(ARRAY, shapes_bytes_pair, uchar, INTEGER, uchar, INTEGER)                                             \
    X(ARRAY, reduce_float_moments, float, FLOATING, float, FLOATING)                                        \
    X(ARRAY, reduce_int_moments, int, INTEGER, int, INTEGER)
#ifndef SHAPES_GROUP
#define SHAPES_GROUP(X) SHAPES_FEW(X) SHAPES_OF_ONE_ARRAY(X) SHAPES_OF_OTHER_INPUTS(X) SHAPES_OF_RESULTS(X)
#endif

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(uchar, sum)
DEFINE_REDUCE(schar, max)
DEFINE_REDUCE(short, bxor)
DEFINE_REDUCE(int, min)
DEFINE_REDUCE(ullong, sum)
DEFINE_REDUCE(float, fmax)
DEFINE_REDUCE(double, sum)
DEFINE_REDUCE_AS(shapes_floats3, floats3, floats3_zero(), floats3_added(a, b))
DEFINE_REDUCE_AS(shapes_floats16, floats16, floats16_zero(), floats16_added(a, b))
DEFINE_REDUCE_MAP(shapes_squares, float, double, (double)x *x, 0, a + b)
DEFINE_REDUCE_MAP(shapes_places, uchar, ullong, shapes_traced(x, i), 0, a + b)
DEFINE_REDUCE_ZIP(shapes_dot, short, float, float, x *y, 0, a + b)
DEFINE_REDUCE_ZIP(shapes_distance, double, float, double, (x - y) * (x - y), 0, a + b)
DEFINE_REDUCE_ZIP(shapes_apart, uchar, ullong, ullong, shapes_traced(x ^ y, i), 0, a ^ b)
DEFINE_REDUCE_WITH(shapes_near, float, shapes_context, float, (x - c.centre) * (x - c.centre), 0, a + b)
DEFINE_REDUCE_WITH(shapes_scaled, short, shapes_context, ullong, shapes_traced((ullong)(x * c.factor), i), 0, a + b)
DEFINE_REDUCE_ZIP_WITH(shapes_weighed, short, float, shapes_context, float, (y - c.centre) * (float)(x * c.factor), 0, a + b)
DEFINE_REDUCE_ARG(schar, min)
DEFINE_REDUCE_ARG(int, max)
DEFINE_REDUCE_ARG(float, max)
DEFINE_REDUCE_ARG(float, fmin)
DEFINE_REDUCE_ARG(double, min)
DEFINE_REDUCE_PAIR(shapes_pair, reduce_float_sum, shapes_squares)
DEFINE_REDUCE_PAIR(shapes_bytes_pair, shapes_places, reduce_uchar_sum)
DEFINE_REDUCE_MOMENTS(float)
DEFINE_REDUCE_MOMENTS(int)

#define SHAPES_DEFINE_ARRAY(NAME) DEFINE_REDUCE_ROWS(NAME)
#define SHAPES_DEFINE_ZIP(NAME) DEFINE_REDUCE_ZIP_ROWS(NAME)
#define SHAPES_DEFINE_WITH(NAME) DEFINE_REDUCE_WITH_ROWS(NAME)
#define SHAPES_DEFINE_ZIP_WITH(NAME) DEFINE_REDUCE_ZIP_WITH_ROWS(NAME)
#define SHAPES_DEFINE(kind, NAME, X, fill_x, Y, fill_y) SHAPES_DEFINE_##kind(NAME)
SHAPES_GROUP(SHAPES_DEFINE)

/* ---- Shapes -------------------------------------------------------------------------------------------- */

/* Lengths of each class in stripes and elements, or, of the first class and the second, in lanes and elements: up to
   a lane of 16 elements; a warp and four of them; a stripe; a chunk of 8 and several; 128 stripes, and more, of
   which chunks are higher. The last has more chunks than the tree has lanes. */
enum { SHAPES_CLASSES = 6, SHAPES_LENGTHS = 12, SHAPES_IN_LANES = 2 };
static const int shapes_lengths[SHAPES_CLASSES][SHAPES_LENGTHS][2] = {
    {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 7}, {0, 8}, {0, 9}, {0, 15}, {0, 16}, {0, 17}},
    {{0, 31}, {0, 32}, {0, 33}, {0, 127}, {0, 128}, {0, 129}, {32, -1}, {32, 0}, {32, 1}, {128, 0}, {128, 1}, {0, 600}},
    {{1, -1}, {1, 0}, {1, 1}, {2, 0}, {2, 3}, {0, 100}},
    {{8, 0}, {8, 1}, {9, 7}, {0, 5}},
    {{40, 77}, {128, 1}, {0, 0}},
    {{8208, 0}, {8208, 1}},
};
static const size_t shapes_counts[SHAPES_CLASSES] = {12, 12, 6, 4, 3, 2}; /* of lengths */
static const size_t shapes_results[SHAPES_CLASSES] = {36, 12, 6, 3, 3, 1}; /* of each length */

static struct shape shapes_shape(int class_, size_t k, size_t element)
{
    const size_t positions = element > 8 ? 1 : 16 / element, unit = class_ < SHAPES_IN_LANES ? positions : 512 * positions;
    const int *length = shapes_lengths[class_][k];
    struct shape s = {shapes_results[class_], (size_t)length[0] * unit + (size_t)length[1], 1, 0};
    if (s.results % 3 == 0) s.inner = 3;
    return s;
}

static uint64_t shapes_seed(int class_)
{
    return class_ == 0 ? 1 : class_ == 1 ? 2 : HASHES_LARGE;
}

/* ---- One NAME ------------------------------------------------------------------------------------------ */

struct shapes_subject {
    const char *name, *kind;
    bool has_second, is_rounded;
    size_t first, second, result; /* sizes */
    void (*fill_first)(void *to, size_t bytes, uint64_t seed);
    void (*fill_second)(void *to, size_t bytes, uint64_t seed);
    void (*compute)(enum way way, struct shape s, const struct shaped *of);
};

static const shapes_context shapes_the_context = {0.75f, 77};

#define SHAPES_FUNCTIONS(kind, NAME, X, fill_x, Y, fill_y)                                                  \
    COMPUTER(kind, NAME, X, Y, shapes_context)                                                              \
    static void NAME##_fill_first(void *to, size_t bytes, uint64_t seed)                                    \
    {                                                                                                       \
        HASHES_FILL_##fill_x(X, to, bytes, false, seed);                                                    \
    }                                                                                                       \
    static void NAME##_fill_second(void *to, size_t bytes, uint64_t seed)                                   \
    {                                                                                                       \
        HASHES_FILL_##fill_y(Y, to, bytes, false, seed);                                                    \
    }
SHAPES_GROUP(SHAPES_FUNCTIONS)

#define SHAPES_HAS_SECOND_ARRAY false
#define SHAPES_HAS_SECOND_ZIP true
#define SHAPES_HAS_SECOND_WITH false
#define SHAPES_HAS_SECOND_ZIP_WITH true
#define SHAPES_IS_ROUNDED_INTEGER false
#define SHAPES_IS_ROUNDED_FLOATING true
#define SHAPES_IS_ROUNDED_STRUCT true
#define SHAPES_SUBJECT(kind, NAME, X, fill_x, Y, fill_y)                                                    \
    {#NAME, #fill_y, SHAPES_HAS_SECOND_##kind, SHAPES_IS_ROUNDED_##fill_y, sizeof(X), sizeof(Y),            \
     sizeof(NAME##_result), NAME##_fill_first, NAME##_fill_second, NAME##_compute},
static const struct shapes_subject shapes_subjects[] = {SHAPES_GROUP(SHAPES_SUBJECT)};

/* ---- One class ----------------------------------------------------------------------------------------- */

/* Where arrays are to lie for what computes, and results to come from. */
struct shapes_memory {
    void *(*give)(const void *data, size_t bytes); /* a copy of the data there */
    void (*take)(void *to, const void *from, size_t bytes);
    void (*release)(void *room);
    void *ws;
};

/* The elements of a shape, which follow each other in data, as a way wants them. A few elements lie before the
   first and in the gaps. */
static void *shapes_arranged(enum way way, struct shape s, const unsigned char *data, size_t size,
                             size_t before, const struct shapes_memory *memory)
{
    const size_t last = s.results > 0 && s.n > 0 ? place_in_shape(way, s, s.results - 1, s.n - 1) : 0;
    const size_t bytes = (before + last + 1) * size;
    unsigned char *room = (unsigned char *)malloc(bytes);
    memset(room, 0x77, bytes);
    for (size_t r = 0; r < s.results; r++)
        for (size_t j = 0; j < s.n; j++)
            memcpy(room + (before + place_in_shape(way, s, r, j)) * size, data + (r * s.n + j) * size, size);
    void *const arranged = memory->give(room, bytes);
    free(room);
    return arranged;
}

static uint64_t shapes_of_one(const struct shapes_subject *s, enum way way, struct shape shape, size_t k,
                              const unsigned char *first, const unsigned char *second, uint64_t hash,
                              const struct shapes_memory *memory)
{
    const size_t before_first = k % 5, before_second = k % 3;
    shape.pitch = (way == COLUMNS ? shape.results : shape.n) + k % 4;
    unsigned char *x = (unsigned char *)shapes_arranged(way, shape, first, s->first, before_first, memory);
    unsigned char *y = (unsigned char *)shapes_arranged(way, shape, second, s->second, before_second, memory);
    unsigned char *got = (unsigned char *)calloc(shape.results, s->result);
    unsigned char *out = (unsigned char *)memory->give(got, shape.results * s->result);
    const struct shaped of = {x + before_first * s->first, y + before_second * s->second, &shapes_the_context, NULL, NULL,
                              out, memory->ws};
    s->compute(way, shape, &of);
    memory->take(got, out, shape.results * s->result);
    hash = hashes_add_results(hash, got, shape.results * s->result, s->kind);
    memory->release(x), memory->release(y), memory->release(out);
    free(got);
    return hash;
}

/* All lengths of a class in one call: they follow each other as their data does. */
static uint64_t shapes_of_segments(const struct shapes_subject *s, enum way way, int class_, size_t element,
                                   const unsigned char *first, const unsigned char *second, uint64_t hash,
                                   const struct shapes_memory *memory)
{
    int64_t offsets[SHAPES_LENGTHS * 36 + 1] = {0};
    int32_t offsets_32[SHAPES_LENGTHS * 36 + 1] = {0};
    struct shape all = {0, 0, 1, 0};
    for (size_t k = 0; k < shapes_counts[class_]; k++) {
        const struct shape shape = shapes_shape(class_, k, element);
        for (size_t r = 0; r < shape.results; r++, all.results++) {
            offsets[all.results + 1] = offsets[all.results] + (int64_t)shape.n;
            offsets_32[all.results + 1] = (int32_t)offsets[all.results + 1];
        }
    }
    const size_t elements = (size_t)offsets[all.results];
    unsigned char *got = (unsigned char *)calloc(all.results, s->result);
    void *x = memory->give(first, elements * s->first), *y = memory->give(second, elements * s->second);
    void *at = memory->give(offsets, sizeof offsets), *at_32 = memory->give(offsets_32, sizeof offsets_32);
    void *out = memory->give(got, all.results * s->result);
    const struct shaped of = {x, y, &shapes_the_context, (int64_t *)at, (int32_t *)at_32, out, memory->ws};
    s->compute(way, all, &of);
    memory->take(got, out, all.results * s->result);
    hash = hashes_add_results(hash, got, all.results * s->result, s->kind);
    memory->release(x), memory->release(y), memory->release(out), memory->release(at), memory->release(at_32);
    free(got);
    return hash;
}

static void shapes_run_class(const struct shapes_subject *s, enum way way, int class_,
                             const struct shapes_memory *memory)
{
    const size_t element = s->has_second && s->second > s->first ? s->second : s->first;
    size_t elements = 0, at = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t k = 0; k < shapes_counts[class_]; k++) {
        const struct shape shape = shapes_shape(class_, k, element);
        elements += shape.results * shape.n;
    }
    unsigned char *first = (unsigned char *)malloc(elements * s->first);
    unsigned char *second = (unsigned char *)malloc(elements * s->second);
    s->fill_first(first, elements * s->first, shapes_seed(class_));
    s->fill_second(second, elements * s->second, shapes_seed(class_));
    if (way == SEGMENTS || way == SEGMENTS_32)
        hash = shapes_of_segments(s, way, class_, element, first, second, hash, memory);
    else
        for (size_t k = 0; k < shapes_counts[class_]; k++) {
            const struct shape shape = shapes_shape(class_, k, element);
            hash = shapes_of_one(s, way, shape, k, first + at * s->first, second + at * s->second, hash, memory);
            at += shape.results * shape.n;
        }
    printf("%s %d %016llx\n", s->name, class_, (unsigned long long)hash);
    fflush(stdout);
    free(first);
    free(second);
}

/* The classes whose digits stand in the text, of every NAME, by the way of this name; of integers not the last class.
   False if there is no such way. */
static bool shapes_run(const char *classes, const char *name, const struct shapes_memory *memory)
{
    int way = 0;
    while (way < WAYS && strcmp(way_names[way], name) != 0) way++;
    for (size_t k = 0; k < HASHES_COUNT(shapes_subjects) && way < WAYS; k++)
        for (int class_ = 0; class_ < SHAPES_CLASSES; class_++)
            if (strchr(classes, '0' + class_) != NULL && (class_ < SHAPES_CLASSES - 1 || shapes_subjects[k].is_rounded))
                shapes_run_class(&shapes_subjects[k], (enum way)way, class_, memory);
    return way < WAYS;
}

#endif
