/* For tools/mutate --header reduce_exact.cuh: sums on the CPU, and accumulators, in little time. (test_exact.c has more.) */
#include "reduce_inputs.cuh"

#include "reduce_exact.cuh"

#include "../exact.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(double)
DEFINE_REDUCE_EXACT_MAP(by_index, float, double, (double)x *(i % 3 == 0 ? 0x1p-1000 : 0x1p700))
DEFINE_REDUCE_EXACT_MAP(halved, double, float, (float)(x / 2 + x / 2))
DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x *(double)y)

static void expect(const void *got, const void *expected, size_t size, const char *what, size_t n, uint64_t seed)
{
    if (memcmp(got, expected, size) == 0) return;
    fprintf(stderr, "%s of %zu, seed %d\n", what, n, (int)seed);
    exit(1);
}

/* One array by each function; in three accumulators, merged, and added as words 16,384 times. */
#define DEFINE_EXPECT(T)                                                                                     \
    static void expect_##T(const T *in, size_t n, const char *what, uint64_t seed)                           \
    {                                                                                                        \
        struct reduce_exact_##T sum[3], all;                                                                 \
        struct oracle oracle;                                                                                \
        oracle_clear(&oracle);                                                                               \
        for (size_t i = 0; i < n; i++) oracle_add(&oracle, (double)in[i]);                                   \
        const T expected = oracle_##T(&oracle), by_cpu = reduce_##T##_exact_sum_cpu(in, n);                  \
        expect(&by_cpu, &expected, sizeof(T), what, n, seed);                                                \
        memset(sum, 0x5a, sizeof sum);                                                                       \
        for (int k = 0; k < 3; k++) reduce_exact_##T##_clear(&sum[k]);                                       \
        for (size_t i = 0; i < n / 2; i++) reduce_exact_##T##_add(&sum[i % 2], in[i]);                       \
        reduce_##T##_exact_sum_accumulate_cpu(in + n / 2, n - n / 2, &sum[2]);                               \
        all = sum[0];                                                                                        \
        for (size_t w = 0; w < sizeof all / 8; w++)                                                          \
            ((int64_t *)&all)[w] += ((int64_t *)&sum[1])[w] + ((int64_t *)&sum[2])[w];                       \
        reduce_exact_##T##_merge(&sum[2], &sum[0]);                                                          \
        reduce_exact_##T##_merge(&sum[2], &sum[1]);                                                          \
        const T merged = reduce_exact_##T##_round(&sum[2]), added = reduce_exact_##T##_round(&all);          \
        expect(&merged, &expected, sizeof(T), "merged", n, seed);                                            \
        expect(&added, &expected, sizeof(T), "added", n, seed);                                              \
    }                                                                                                        \
    static void expect_alike_##T(T x, long count)                                                            \
    {                                                                                                        \
        struct reduce_exact_##T sum, other;                                                                  \
        struct oracle oracle;                                                                                \
        oracle_clear(&oracle);                                                                               \
        reduce_exact_##T##_clear(&sum);                                                                      \
        for (long k = 0; k < count; k++) reduce_exact_##T##_add(&sum, x), oracle_add_doubled(&oracle, (double)x, 14); \
        other = sum;                                                                                         \
        for (size_t w = 0; w < sizeof sum / 8; w++) ((int64_t *)&sum)[w] *= 16384;                           \
        T got = reduce_exact_##T##_round(&sum), expected = oracle_##T(&oracle);                              \
        expect(&got, &expected, sizeof(T), "alike", (size_t)count, 0);                                       \
        reduce_exact_##T##_merge(&other, &sum);                                                              \
        for (int k = 0; k < 40; k++) reduce_exact_##T##_merge(&sum, &other);                                 \
        other = sum;                                                                                         \
        for (size_t w = 0; w < sizeof sum / 8; w++) ((int64_t *)&other)[w] *= 16384;                         \
        oracle_clear(&oracle);                                                                               \
        for (long k = 0; k < count; k++) { /* 16,384 * (41 * 16,384 + 40) */                                 \
            for (int j = 0; j < 41; j++) oracle_add_doubled(&oracle, (double)x, 28);                         \
            for (int j = 0; j < 40; j++) oracle_add_doubled(&oracle, (double)x, 14);                         \
        }                                                                                                    \
        got = reduce_exact_##T##_round(&other), expected = oracle_##T(&oracle);                              \
        expect(&got, &expected, sizeof(T), "alike, merged", (size_t)count, 0);                               \
    }
DEFINE_EXPECT(float)
DEFINE_EXPECT(double)

static double room[64 * 4096 + 77];

#define EXPECT_KINDS(T)                                                                                      \
    for (int kind = 0; kind < EXACT_ALL_KINDS; kind++)                                                       \
        for (uint64_t seed = 0; seed < 260; seed++) {                                                        \
            const size_t n = seed < 250 ? exact_mixed(seed) % 40 : (size_t)kind * 100 + seed;                \
            exact_fill(room, n, sizeof(T), (enum exact_kind)kind, seed);                                     \
            expect_##T((T *)room, n, exact_kinds[kind], seed);                                               \
        }                                                                                                    \
    for (size_t k = 0; k < COUNT(sizes); k++) {                                                              \
        exact_fill(room, sizes[k], sizeof(T), k % 2 ? EXACT_anywhere : EXACT_near_, k);                      \
        expect_##T((T *)room, sizes[k], "large", k);                                                         \
    }
#define KNOWN_FLOATS(what, sum, ...)                                                                         \
    {                                                                                                        \
        const float in[] = {__VA_ARGS__}, known = sum, got = reduce_float_exact_sum_cpu(in, COUNT(in));      \
        expect(&got, &known, sizeof got, what, COUNT(in), 0);                                                \
    }
#define KNOWN_DOUBLES(what, sum, ...)                                                                        \
    {                                                                                                        \
        const double in[] = {__VA_ARGS__}, known = sum, got = reduce_double_exact_sum_cpu(in, COUNT(in));    \
        expect(&got, &known, sizeof got, what, COUNT(in), 0);                                                \
    }

int main(void)
{
#ifdef _OPENMP
    omp_set_num_threads(5); /* more than some arrays have parts for */
#endif
    static const size_t sizes[] = {511, 512, 513, 4095, 4096, 4097, 9000, 64 * 4096, 64 * 4096 + 77};
    static float x[9000], y[9000];
    static double both[9000];
    struct oracle sums[3];
    EXACT_FLOATS(KNOWN_FLOATS)
    EXACT_DOUBLES(KNOWN_DOUBLES)
    EXPECT_KINDS(float)
    EXPECT_KINDS(double)
    const long counts[] = {1, 32767, 32768, 32769, 70000};
    for (size_t k = 0; k < COUNT(counts); k++) {
        expect_alike_float(-0x1.fffffep-118f, counts[k]);
        expect_alike_double(0x1.fffffffffffffp-11, counts[k]);
        expect_alike_double(-0x1.fffffffffffffp-991, counts[k]);
    }
    memset(sums, 0, sizeof sums);
    exact_fill(x, 9000, 4, EXACT_anywhere, 1);
    exact_fill(y, 9000, 4, EXACT_near_, 2);
    for (size_t i = 0; i < 9000; i++) {
        both[i] = (double)x[i] * (i % 5 == 0 ? 0x1p-30 : 1);
        oracle_add(&sums[0], (double)x[i] * (i % 3 == 0 ? 0x1p-1000 : 0x1p700));
        oracle_add(&sums[1], (double)(float)both[i]);
        oracle_add(&sums[2], (double)x[i] * (double)y[i]);
    }
    const double got = by_index_cpu(x, 9000), of_two = dot_cpu(x, y, 9000), first = oracle_double(&sums[0]), third = oracle_double(&sums[2]);
    const float narrow = halved_cpu(both, 9000), second = oracle_float(&sums[1]);
    expect(&got, &first, sizeof got, "by_index", 9000, 0);
    expect(&narrow, &second, sizeof narrow, "halved", 9000, 0);
    expect(&of_two, &third, sizeof of_two, "dot", 9000, 0);
    return 0;
}
