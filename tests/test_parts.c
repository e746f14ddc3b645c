/* reduce_parts.h in plain C: shards, and partial results of every type and operator, folded, against the tree of tree.h,
   which is a small one. Each part is an allocation of its own. */
#include "small_tree.h"

#include "reduce_inputs.cuh"
#include "reduce_parts.h"

#include "operators.h"
#include "tree.h"

#include <criterion/criterion.h>

#define DEFINE_PARTED(kind, T, op) DEFINE_WITH_TREE(kind, T, op) DEFINE_REDUCE_PARTS(reduce_##T##_##op)

#define ALL_TYPES(EACH)                                                                                      \
    INTEGERS_1(INTEGER_OPERATORS, EACH)                                                                      \
    INTEGERS_2(INTEGER_OPERATORS, EACH)                                                                      \
    INTEGERS_4(INTEGER_OPERATORS, EACH)                                                                      \
    INTEGERS_8(INTEGER_OPERATORS, EACH)                                                                      \
    FLOATS(FLOATING_OPERATORS, EACH)
#define SOME_TYPES(EACH)                                                                                     \
    INTEGER_OPERATORS(EACH, schar)                                                                           \
    INTEGER_OPERATORS(EACH, ullong)                                                                          \
    FLOATS(FLOATING_OPERATORS, EACH)
#ifdef FEW_TYPES
#    define TYPES SOME_TYPES
#else
#    define TYPES ALL_TYPES
#endif
TYPES(DEFINE_PARTED)
DEFINE_REDUCE_MAP(weighed, signed char, double, (double)x *(double)(i % 1000 + 1), 0, a + b)
DEFINE_REDUCE_PARTS(weighed)
DEFINE_REDUCE_ZIP(dot, float, double, double, x *y * (double)(i % 3 + 1), 0, a + b)
DEFINE_REDUCE_ZIP_PARTS(dot)
DEFINE_REDUCE_WITH(scaled, float, double, double, (x - c) * (double)(i % 3 + 1), 0, a + b)
DEFINE_REDUCE_WITH_PARTS(scaled)
DEFINE_REDUCE_ZIP_WITH(farther, float, double, double, double, (x - c) * y * (double)(i % 3 + 1), 0, a + b)
DEFINE_REDUCE_ZIP_WITH_PARTS(farther)
/* A second header that wants the same. */
#define REDUCE_HAVE_weighed_parts
DEFINE_REDUCE_PARTS(weighed)

enum { MOST = 70000 };
static union {
    unsigned char bytes[8 * MOST];
    float floats[2 * MOST];
    double doubles[MOST];
} numbers, others;

/* Floats of many sizes; as integers they are any bits. Bools are 0 or 1 in a copy of their own. */
static void fill(void)
{
    uint64_t hash = 1;
    for (size_t k = 0; k < MOST; k++) {
        hash = hash * 6364136223846793005u + 1442695040888963407u;
        others.doubles[k] = (double)(int64_t)hash / 1e15;
        const float low = (float)(hash >> 40 & 0xffff) / 7, high = (float)(int32_t)(hash >> 32) / 1e6f;
        numbers.floats[2 * k] = low, numbers.floats[2 * k + 1] = high;
    }
}

/* A part alone: a copy that ends where its memory does, so that a sanitizer sees each step beyond. */
static void *copy_of(const void *from, size_t bytes)
{
    void *const copy = malloc(bytes > 0 ? bytes : 1);
    cr_assert(copy != NULL);
    memcpy(copy, from, bytes);
    return copy;
}

/* In stripes and elements more or less. */
static const int sizes[][2] = {{0, 0}, {0, 1}, {0, 33}, {1, 5}, {3, 0}, {3, 1}, {11, -3}, {30, 1}, {64, 7}};
static const int ranks[] = {1, 2, 3, 5, 8, 200};
#define COUNT(array) (sizeof(array) / sizeof *(array))

#define CHECK_PARTED(kind, T, op)                                                                            \
    for (size_t s = 0; s < COUNT(sizes); s++) {                                                              \
        const size_t n = (size_t)sizes[s][0] * tree_stripe(sizeof(T)) + (size_t)sizes[s][1];                 \
        const int parts = ranks[(s + sizeof(T) + sizeof #op) % COUNT(ranks)];                                \
        static T in[MOST], partials[TREE_MAX_CHUNKS];                                                        \
        T got, tree;                                                                                         \
        cr_assert(n <= COUNT(in), "%s of %zu", #T, n);                                                       \
        for (size_t k = 0; k < n; k++) in[k] = PARTED_##kind(T, k);                                          \
        for (int r = 0; r < parts; r++) {                                                                    \
            const struct reduce_shard own = reduce_shard(n, sizeof(T), r, parts);                            \
            T *const part = (T *)copy_of(in + own.begin, own.length * sizeof(T));                            \
            const size_t written =                                                                           \
                reduce_##T##_##op##_cpu_chunks(part, n, own.first, own.count, partials + own.first);         \
            cr_expect(written == own.count);                                                                 \
            free(part);                                                                                      \
        }                                                                                                    \
        got = reduce_##T##_##op##_cpu_fold(partials, n);                                                     \
        tree = reduce_##T##_##op##_tree(in, n);                                                              \
        cr_expect(memcmp(&got, &tree, sizeof got) == 0, "%s %s of %zu in %d parts", #T, #op, n, parts);      \
    }
/* Odd integers, because their products are not zero; numbers near one for products of floats come by themselves. */
#define PARTED_INTEGER(T, k) (T)(numbers.bytes[8 * (k) + 7] | 1)
#define PARTED_FLOATING(T, k) (T) numbers.floats[k]

Test(parts_in_c, every_type_and_operator, .init = fill)
{
    TYPES(CHECK_PARTED)
}

/* Maps that see the index, two arrays, a context, and both. */
Test(parts_in_c, every_input, .init = fill)
{
    static double partials[4][TREE_MAX_CHUNKS];
    static float first[MOST];
    static const size_t many[] = {1, 64, 1000, 20000, MOST};
    const signed char *const bytes = (const signed char *)numbers.bytes;
    memcpy(first, numbers.floats, sizeof first);
    for (size_t k = 0; k < COUNT(many); k++)
        for (int parts = 1; parts <= 7; parts += 2) {
            const size_t n = many[k];
            for (int r = 0; r < parts; r++) {
                const struct reduce_shard one = reduce_shard(n, 1, r, parts), two = reduce_shard(n, 8, r, parts),
                                          three = reduce_shard(n, 4, r, parts);
                signed char *const chars = (signed char *)copy_of(bytes + one.begin, one.length);
                float *const x = (float *)copy_of(first + two.begin, two.length * sizeof(float));
                double *const y = (double *)copy_of(others.doubles + two.begin, two.length * sizeof(double));
                float *const in = (float *)copy_of(first + three.begin, three.length * sizeof(float));
                weighed_cpu_chunks(chars, n, one.first, one.count, partials[0] + one.first);
                dot_cpu_chunks(x, y, n, two.first, two.count, partials[1] + two.first);
                farther_cpu_chunks(x, y, n, 0.3, two.first, two.count, partials[3] + two.first);
                scaled_cpu_chunks(in, n, 0.3, three.first, three.count, partials[2] + three.first);
                free(chars);
                free(x);
                free(y);
                free(in);
            }
            cr_expect(weighed_cpu_fold(partials[0], n) == weighed_cpu(bytes, n));
            cr_expect(dot_cpu_fold(partials[1], n) == dot_cpu(first, others.doubles, n));
            cr_expect(scaled_cpu_fold(partials[2], n) == scaled_cpu(first, n, 0.3));
            cr_expect(farther_cpu_fold(partials[3], n) == farther_cpu(first, others.doubles, n, 0.3));
        }
}

/* Shards follow one another without a gap, cut at chunks, and differ by one chunk at most. */
Test(parts_in_c, shards)
{
    static const size_t elements[] = {1, 2, 4, 8, 12, 64};
    for (size_t e = 0; e < COUNT(elements); e++)
        for (size_t k = 0; k < 60; k++) {
            const size_t n = k < 40 ? k * k * k * 3 : SIZE_MAX / elements[e] >> (k - 40);
            const struct reduce_plan plan = reduce_plan(n, elements[e]);
            for (int parts = 1; parts < 300; parts = parts * 3 / 2 + 1) {
                size_t begin = 0, first = 0;
                for (int r = 0; r < parts; r++) {
                    const struct reduce_shard own = reduce_shard(n, elements[e], r, parts);
                    const size_t least = plan.count / (size_t)parts;
                    cr_assert(own.begin == begin && own.first == first, "%zu, rank %d of %d", n, r, parts);
                    cr_assert(own.count == least || own.count == least + 1, "%zu, rank %d of %d", n, r, parts);
                    cr_assert(r == 0 || own.count <= reduce_shard(n, elements[e], r - 1, parts).count);
                    cr_assert(own.count == 0 || own.begin == own.first * plan.chunk);
                    cr_assert((own.count == 0) == (own.length == 0));
                    begin += own.length, first += own.count;
                }
                cr_assert(begin == n && first == plan.count, "%zu in %d parts", n, parts);
            }
        }
}

/* Ranks that there are not have nothing. */
Test(parts_in_c, no_such_rank)
{
    static const int none[][2] = {{-1, 3}, {3, 3}, {4, 3}, {0, 0}, {0, -1}, {-2, -1}, {INT32_MAX, 1}};
    for (size_t k = 0; k < COUNT(none); k++) {
        const struct reduce_shard own = reduce_shard(100000, 4, none[k][0], none[k][1]);
        cr_expect(own.length == 0 && own.count == 0, "rank %d of %d", none[k][0], none[k][1]);
    }
    const struct reduce_shard last = reduce_shard(100000, 4, INT32_MAX - 1, INT32_MAX);
    cr_expect(last.length == 0 && last.count == 0 && last.begin == 100000);
}

Test(parts_in_c, chunks_that_there_are_not)
{
    static float in[5000], partials[TREE_MAX_CHUNKS];
    const size_t count = reduce_plan(5000, sizeof(float)).count;
    for (size_t k = 0; k < TREE_MAX_CHUNKS; k++) partials[k] = 1;
    cr_expect(reduce_float_sum_cpu_chunks(in, 5000, count - 1, 5, partials) == 1);
    cr_expect(partials[0] == 0 && partials[1] == 1);
    cr_expect(reduce_float_sum_cpu_chunks(in, 5000, count, 5, partials + 1) == 0);
    cr_expect(reduce_float_sum_cpu_chunks(in, 5000, SIZE_MAX, SIZE_MAX, partials + 1) == 0);
    cr_expect(reduce_float_sum_cpu_chunks(in, 5000, 0, 0, partials + 1) == 0);
    cr_expect(reduce_float_sum_cpu_chunks(NULL, 0, 0, 1, partials + 1) == 0);
    cr_expect(partials[1] == 1);
    cr_expect(reduce_float_sum_cpu_fold(NULL, 0) == 0);
    cr_expect(reduce_schar_min_cpu_fold(NULL, 0) == 127);
}
