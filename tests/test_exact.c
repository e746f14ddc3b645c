/* Correctly rounded sums in plain C, on the CPU: numbers of every kind, sizes about each threshold, and accumulators in
   every use, against the oracle of exact.h. (test_exact.cu compares the other executors.) */
#include "reduce_inputs.cuh"

#include "reduce_exact.cuh"

#include "exact.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <stdio.h>

typedef signed char schar;
typedef unsigned char uchar;
struct far {
    float none[2], x;
};
struct large {
    double none[5], x, more[2];
};
typedef struct far far;
typedef struct large large;

DEFINE_REDUCE_EXACT(float)
#define REDUCE_HAVE_reduce_float_exact_sum
DEFINE_REDUCE_EXACT(float) /* nothing */
DEFINE_REDUCE_EXACT(double)
DEFINE_REDUCE_EXACT_MAP(bytes, schar, float, x)
DEFINE_REDUCE_EXACT_MAP(wide, float, double, (double)x)
DEFINE_REDUCE_EXACT_MAP(by_index, uchar, double, (double)x *(i % 3 == 0 ? 0x1p-1074 : -0x1p1000))
#define REDUCE_HAVE_by_index 1
DEFINE_REDUCE_EXACT_MAP(by_index, uchar, float, x)
DEFINE_REDUCE_EXACT_MAP(fars, far, double, (double)x.x)
DEFINE_REDUCE_EXACT_MAP(larges, large, double, x.x)
DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x *(double)y)
DEFINE_REDUCE_EXACT_ZIP(sum_of_two, double, schar, double, x + y)
#define REDUCE_HAVE_dot
DEFINE_REDUCE_EXACT_ZIP(dot, double, double, float, (float)(x + y))

enum { MOST = 64 * 4096 + 77 };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void *room_of(size_t bytes)
{
    void *const room = malloc(bytes);
    cr_assert(room != NULL, "no memory");
    return room;
}

/* The bits of a float or a double. */
static unsigned long long bits_of(const void *x, size_t size)
{
    unsigned long long bits = 0;
    memcpy(&bits, x, size);
    return bits;
}
#define EXPECT_SAME(got, expected, ...)                                                                      \
    do {                                                                                                     \
        if (memcmp(&(got), &(expected), sizeof(got)) == 0) break;                                            \
        char what[200];                                                                                      \
        snprintf(what, sizeof what, __VA_ARGS__);                                                            \
        cr_expect(false, "%s: %llx, not %llx", what, bits_of(&(got), sizeof(got)), bits_of(&(expected), sizeof(expected))); \
    } while (0)

/* ---- Sums ---------------------------------------------------------------------------------------------- */

/* Seeds of an array: fewer where each call asks for threads. */
#ifdef _OPENMP
enum { SEEDS = 40 };
#else
enum { SEEDS = 2000 };
#endif

/* A run of numbers, a part of an array, as many parts as there can be. */
static const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 100, 513, 1023, 1024, 1025, 2049, 8191, 8192, 8193, 3 * 8192 + 1, MOST};

#define EXPECT_SUMS(T)                                                                                       \
    {                                                                                                        \
        T *const in = (T *)room_of((MOST + 1) * sizeof(T));                                                  \
        for (size_t k = 0; k < COUNT(sizes); k++)                                                            \
            for (int kind = 0; kind < EXACT_ALL_KINDS; kind++)                                               \
                for (uint64_t seed = 0; seed < (sizes[k] < 5000 ? (SEEDS > 40 ? 8 : 1) : sizes[k] < 20000 ? 2 : kind % 5 == 0); seed++) { \
                    const size_t n = sizes[k], cut = n == 0 ? 0 : (size_t)exact_mixed(seed + n) % (n + 1);   \
                    exact_fill(in, n, sizeof(T), (enum exact_kind)kind, seed);                               \
                    const T expected = exact_##T(in, n), got = reduce_##T##_exact_sum_cpu(in, n);            \
                    EXPECT_SAME(got, expected, #T ", %s, %zu elements, seed %d", exact_kinds[kind], n, (int)seed); \
                    struct reduce_exact_##T sum = {{0}};                                                     \
                    reduce_##T##_exact_sum_accumulate_cpu(in + cut, n - cut, &sum);                          \
                    reduce_##T##_exact_sum_accumulate_cpu(in, cut, &sum);                                    \
                    const T of_sum = reduce_exact_##T##_round(&sum);                                         \
                    EXPECT_SAME(of_sum, expected, #T ", %s, %zu and %zu elements", exact_kinds[kind], cut, n - cut); \
                }                                                                                            \
        free(in);                                                                                            \
    }

Test(exact, numbers_of_every_kind)
{
    EXPECT_SUMS(float)
    EXPECT_SUMS(double)
}

/* Arrays of a few numbers, of which each bit counts: many seeds. */
#define EXPECT_SMALL(T)                                                                                      \
    for (int kind = 0; kind < EXACT_ALL_KINDS; kind++)                                                       \
        for (uint64_t seed = 0; seed < SEEDS; seed++) {                                                       \
            T in[40];                                                                                        \
            const size_t n = (size_t)exact_mixed(seed) % 40;                                                 \
            exact_fill(in, n, sizeof(T), (enum exact_kind)kind, seed);                                       \
            const T expected = exact_##T(in, n), got = reduce_##T##_exact_sum_cpu(in, n);                    \
            EXPECT_SAME(got, expected, #T ", %s, %zu elements, seed %d", exact_kinds[kind], n, (int)seed);   \
        }

Test(exact, few_numbers)
{
    EXPECT_SMALL(float)
    EXPECT_SMALL(double)
}

/* Runs about the limit of each way that sums doubles; in each rounding mode, and where subnormal doubles count as 0. */
static void set_mode(int mode)
{
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetround(modes[mode % 4]);
#ifdef __SSE2__
    __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0x8040u) | (mode > 3 ? 0x8040u : 0));
#endif
}

#define EXPECT_RUNS(T)                                                                                       \
    for (uint64_t seed = 0; seed < 100 * (uint64_t)SEEDS / 40 + 500; seed++) {                               \
        static T in[8 * 1024 + 40];                                                                          \
        const size_t n = seed % 3 == 0 ? COUNT(in) : 4 * 1024;                                               \
        const int mode = seed % 4 == 0 ? (int)(seed / 4 % 8) : 0;                                            \
        exact_fill_runs(in, n, 1024, exact_type(sizeof(T)), seed);                                           \
        const T expected = exact_##T(in, n);                                                                 \
        set_mode(mode);                                                                                      \
        const T got = reduce_##T##_exact_sum_cpu(in, n);                                                     \
        set_mode(0);                                                                                         \
        EXPECT_SAME(got, expected, #T ", runs of 1024, %zu elements, seed %d, mode %d", n, (int)seed, mode); \
    }

Test(exact, runs_about_the_limits)
{
    EXPECT_RUNS(float)
    EXPECT_RUNS(double)
}

/* Subnormal and other numbers in every mode. */
#define EXPECT_MODES(T)                                                                                      \
    for (int kind = 0; kind < EXACT_ALL_KINDS; kind++)                                                       \
        for (int mode = 0; mode < 8; mode++) {                                                               \
            T in[3000];                                                                                      \
            exact_fill(in, COUNT(in), sizeof(T), (enum exact_kind)kind, (uint64_t)mode);                     \
            const T expected = exact_##T(in, COUNT(in));                                                     \
            struct reduce_exact_##T sum = {{0}};                                                             \
            set_mode(mode);                                                                                  \
            const T got = reduce_##T##_exact_sum_cpu(in, COUNT(in));                                         \
            for (size_t i = 0; i < COUNT(in); i++) reduce_exact_##T##_add(&sum, in[i]);                      \
            const T added = reduce_exact_##T##_round(&sum);                                                  \
            set_mode(0);                                                                                     \
            EXPECT_SAME(got, expected, #T ", %s, mode %d", exact_kinds[kind], mode);                         \
            EXPECT_SAME(added, expected, #T ", %s, one by one, mode %d", exact_kinds[kind], mode);           \
        }

Test(exact, rounding_modes)
{
    EXPECT_MODES(float)
    EXPECT_MODES(double)
}

/* More numbers of one exponent than a bin counts, each run with one that is far away. */
Test(exact, more_than_bins_take)
{
    const size_t n = ((size_t)1 << 21) + ((size_t)1 << 18);
    double *const in = (double *)room_of(n * sizeof(double));
    float *const narrow = (float *)room_of(n * sizeof(float));
    struct oracle sum, of_narrow;
    oracle_clear(&sum);
    oracle_clear(&of_narrow);
    for (size_t i = 0; i < n; i++) {
        in[i] = i % 512 == 7 ? 0x1p-1000 : -0x1.fffffffffffffp3;
        narrow[i] = i % 512 == 7 ? 0x1p-140f : i % 4 == 1 ? 0x1.fffffep90f : -0x1.fffffep3f;
        oracle_add(&sum, in[i]);
        oracle_add(&of_narrow, (double)narrow[i]);
    }
    const double got = reduce_double_exact_sum_cpu(in, n), expected = oracle_double(&sum);
    const float got_narrow = reduce_float_exact_sum_cpu(narrow, n), narrow_expected = oracle_float(&of_narrow);
    EXPECT_SAME(got, expected, "doubles");
    EXPECT_SAME(got_narrow, narrow_expected, "floats");
    free(in);
    free(narrow);
}

#define EXPECT_KNOWN(T, what, sum, ...)                                                                      \
    {                                                                                                        \
        const T elements[] = {__VA_ARGS__}, known = sum;                                                     \
        struct reduce_exact_##T by_one;                                                                      \
        reduce_exact_##T##_clear(&by_one);                                                                   \
        for (size_t k = COUNT(elements); k > 0; k--) reduce_exact_##T##_add(&by_one, elements[k - 1]);       \
        const T of_oracle = exact_##T(elements, COUNT(elements)), rounded = reduce_exact_##T##_round(&by_one); \
        const T got = reduce_##T##_exact_sum_cpu(elements, COUNT(elements));                                 \
        EXPECT_SAME(of_oracle, known, "the oracle, %s", what);                                               \
        EXPECT_SAME(got, known, #T ", %s", what);                                                            \
        EXPECT_SAME(rounded, known, #T ", one by one, %s", what);                                            \
    }
#define KNOWN_FLOATS(...) EXPECT_KNOWN(float, __VA_ARGS__)
#define KNOWN_DOUBLES(...) EXPECT_KNOWN(double, __VA_ARGS__)

Test(exact, sums_that_are_known)
{
    const float nan = NAN, infinity = INFINITY, signalling[] = {1, 2};
    uint32_t bits = 0xffa00001u; /* a signalling NaN with its sign */
    float in[3] = {infinity, 1, -infinity};
    EXACT_FLOATS(KNOWN_FLOATS)
    EXACT_DOUBLES(KNOWN_DOUBLES)
    float got = reduce_float_exact_sum_cpu(in, 3), one_nan = nan;
    uint32_t pattern = 0x7fc00000u;
    memcpy(&one_nan, &pattern, sizeof one_nan);
    EXPECT_SAME(got, one_nan, "both infinities");
    memcpy(in, signalling, sizeof signalling);
    memcpy(&in[2], &bits, sizeof bits);
    got = reduce_float_exact_sum_cpu(in, 3);
    EXPECT_SAME(got, one_nan, "a signalling NaN");
    const double wide_in[3] = {-(double)INFINITY, (double)NAN, 3};
    const double wide_got = reduce_double_exact_sum_cpu(wide_in, 3);
    cr_expect(bits_of(&wide_got, 8) == 0x7ff8000000000000ull, "%llx", bits_of(&wide_got, 8));
    got = reduce_float_exact_sum_cpu(NULL, 0);
    cr_expect(bits_of(&got, 4) == 0, "nothing");
}

/* Every place of a tie: a number, half a unit, and nothing or one bit at each place below, on either side. */
Test(exact, ties_and_bits_far_below)
{
    for (int exponent = -1000; exponent < 1000; exponent += 37)
        for (int odd = 0; odd < 2; odd++)
            for (int below = exponent - 54; below >= -1075; below -= 1 + (exponent - below) / 90) {
                const double bit = below < -1074 ? 0 : ldexp(1, below), half = ldexp(1, exponent - 53);
                const double base = ldexp(1, exponent) + odd * 2 * half;
                const double in[2][3] = {{bit, base, half}, {half, -bit, base}};
                const double up = base + 2 * half, even = odd ? up : base;
                if (half == 0 || (bit != 0 && bit >= half)) continue;
                for (int k = 0; k < 2; k++) {
                    const double got = reduce_double_exact_sum_cpu(in[k], 3), expected = bit == 0 ? even : k == 0 ? up : base;
                    EXPECT_SAME(got, expected, "2^%d and a bit at 2^%d, %d", exponent, below, k);
                    const double minus[3] = {-in[k][2], -in[k][1], -in[k][0]}, of_minus = reduce_double_exact_sum_cpu(minus, 3);
                    cr_expect(of_minus == -expected, "minus 2^%d and a bit at 2^%d, %d: %a", exponent, below, k, of_minus);
                }
            }
}

/* A few digits are rounded by another way than many: both give the same bits, for digits of any size and sign. */
static void compare_ways(int64_t *words, int first, int count, int digits, bool is_double)
{
    double few = 0, many = 0;
    reduce_exact_round_(&few, words, first, first + count, is_double);
    reduce_exact_round_(&many, words, 0, digits, is_double);
    EXPECT_SAME(few, many, "%d digits from %d on: %lld %lld %lld %lld", count, first, (long long)words[first],
                (long long)words[first + 1], (long long)words[first + 2], (long long)words[first + 3]);
}

Test(exact, few_digits_and_many)
{
    const int64_t one = 1, limits[] = {0, 0, 1, 2, (one << 29) - 1, one << 29, (one << 29) + 1, one << 31, (one << 32) - 1, one << 32,
                                       one << 44, one << 53, (one << 62) - 1};
    uint64_t random = 1;
    for (int trial = 0; trial < 400000; trial++) {
        const bool is_double = trial % 2 == 1;
        const int digits = is_double ? REDUCE_EXACT_DOUBLE_ : REDUCE_EXACT_FLOAT_, count = trial / 2 % 6;
        int64_t words[REDUCE_EXACT_DOUBLE_ + REDUCE_EXACT_MORE_] = {0};
        const int first = trial / 12 % (digits - 6);
        for (int k = 0; k < count; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const int64_t limit = limits[(random >> 33) % COUNT(limits)];
            words[first + k] = random >> 62 == 0 ? (int64_t)(random << 2 >> 22) : random >> 63 ? -limit : limit;
        }
        compare_ways(words, first, count, digits, is_double);
    }
}

/* ---- Maps and two arrays ------------------------------------------------------------------------------- */

Test(exact, maps)
{
    static schar small[9000];
    static uchar more[9000];
    static far floats[9000];
    static large doubles[9000];
    static float x[9000], y[9000];
    struct oracle sums[7];
    const size_t n = 9000;
    exact_fill(x, n, 4, EXACT_anywhere, 1);
    exact_fill(y, n, 4, EXACT_near_, 2);
    memset(sums, 0, sizeof sums);
    for (size_t i = 0; i < n; i++) {
        small[i] = (schar)exact_mixed(i), more[i] = (uchar)exact_mixed(i + n);
        floats[i].x = x[i], floats[i].none[0] = floats[i].none[1] = NAN;
        doubles[i].x = ldexp((double)y[i], (int)i % 700), doubles[i].none[4] = doubles[i].more[0] = (double)NAN;
        oracle_add(&sums[0], small[i]);
        oracle_add(&sums[1], (double)x[i]);
        oracle_add(&sums[2], more[i] * (i % 3 == 0 ? 0x1p-1074 : -0x1p1000));
        oracle_add(&sums[3], doubles[i].x);
        oracle_add(&sums[4], (double)x[i] * (double)y[i]);
        oracle_add(&sums[5], doubles[i].x + small[i]);
    }
    const float of_bytes = bytes_cpu(small, n), bytes_expected = oracle_float(&sums[0]);
    EXPECT_SAME(of_bytes, bytes_expected, "bytes");
    double *const plain = (double *)room_of(n * sizeof(double));
    for (size_t i = 0; i < n; i++) plain[i] = doubles[i].x;
    const double got[] = {wide_cpu(x, n), by_index_cpu(more, n), larges_cpu(doubles, n), dot_cpu(x, y, n), sum_of_two_cpu(plain, small, n),
                          fars_cpu(floats, n)};
    const int which[] = {1, 2, 3, 4, 5, 1};
    for (size_t k = 0; k < COUNT(got); k++) {
        const double expected = oracle_double(&sums[which[k]]);
        EXPECT_SAME(got[k], expected, "map %zu", k);
    }
    free(plain);
}

/* ---- Accumulators -------------------------------------------------------------------------------------- */

/* n numbers in so many accumulators, which meet by merging or by the sums of their words, in some order. */
#define EXPECT_PARTS(T)                                                                                      \
    {                                                                                                        \
        const size_t parts[] = {1, 2, 3, 10, 77, 1000};                                                      \
        T in[3000];                                                                                          \
        struct reduce_exact_##T *const sums = (struct reduce_exact_##T *)room_of(1000 * sizeof *sums);       \
        for (int kind = 0; kind < EXACT_ALL_KINDS; kind++)                                                   \
            for (size_t p = 0; p < COUNT(parts); p++) {                                                      \
                exact_fill(in, COUNT(in), sizeof(T), (enum exact_kind)kind, p);                              \
                const T expected = exact_##T(in, COUNT(in));                                                 \
                struct reduce_exact_##T words;                                                               \
                memset(sums, 0, parts[p] * sizeof *sums);                                                    \
                reduce_exact_##T##_clear(&words);                                                            \
                for (size_t i = 0; i < COUNT(in); i++) reduce_exact_##T##_add(&sums[exact_mixed(i) % parts[p]], in[i]); \
                for (size_t k = 0; k < parts[p]; k++)                                                        \
                    for (size_t w = 0; w < sizeof words / 8; w++) ((int64_t *)&words)[w] += ((int64_t *)&sums[k])[w]; \
                for (size_t k = parts[p]; k > 1; k--) /* any two of them */                                  \
                    reduce_exact_##T##_merge(&sums[exact_mixed(k) % (k - 1)], &sums[k - 1]);                 \
                const T merged = reduce_exact_##T##_round(&sums[0]), added = reduce_exact_##T##_round(&words); \
                EXPECT_SAME(merged, expected, #T ", %s, %zu parts merged", exact_kinds[kind], parts[p]);     \
                EXPECT_SAME(added, expected, #T ", %s, %zu parts added", exact_kinds[kind], parts[p]);       \
            }                                                                                                \
        free(sums);                                                                                          \
    }

Test(exact, accumulators_in_parts)
{
    EXPECT_PARTS(float)
    EXPECT_PARTS(double)
}

/* count numbers alike, one by one; then the words of 16,384 such accumulators; then one number more, and a merge of two
   that are full. */
#define EXPECT_ALIKE(T, x, count)                                                                            \
    {                                                                                                        \
        struct reduce_exact_##T sum, other;                                                                  \
        struct oracle oracle;                                                                                \
        oracle_clear(&oracle);                                                                               \
        reduce_exact_##T##_clear(&sum);                                                                      \
        for (long each = 0; each < (count); each++) reduce_exact_##T##_add(&sum, x), oracle_add(&oracle, (double)(x)); \
        T got = reduce_exact_##T##_round(&sum), expected = oracle_##T(&oracle);                              \
        EXPECT_SAME(got, expected, "%ld times %a", (long)(count), (double)(x));                              \
        other = sum;                                                                                         \
        for (size_t w = 0; w < sizeof sum / 8; w++) ((int64_t *)&sum)[w] *= 16384;                           \
        oracle_clear(&oracle);                                                                               \
        for (long each = 0; each < (count); each++) oracle_add_doubled(&oracle, (double)(x), 14);                     \
        got = reduce_exact_##T##_round(&sum), expected = oracle_##T(&oracle);                                \
        EXPECT_SAME(got, expected, "%ld times %a, 16,384 times", (long)(count), (double)(x));                \
        reduce_exact_##T##_merge(&other, &sum);                                                              \
        struct reduce_exact_##T again = other;                                                               \
        struct oracle more;                                                                                  \
        oracle_clear(&more);                                                                                 \
        for (size_t w = 0; w < sizeof again / 8; w++) ((int64_t *)&again)[w] *= 16384;                       \
        for (long each = 0; each < (count); each++)                                                          \
            oracle_add_doubled(&more, (double)(x), 28), oracle_add_doubled(&more, (double)(x), 14);          \
        got = reduce_exact_##T##_round(&again), expected = oracle_##T(&more);                                \
        EXPECT_SAME(got, expected, "%ld times %a, 16,385 times, 16,384 times", (long)(count), (double)(x));  \
        reduce_exact_##T##_merge(&sum, &other);                                                              \
        reduce_exact_##T##_add(&sum, x);                                                                     \
        oracle_add(&oracle, (double)(x));                                                                    \
        for (long each = 0; each < (count); each++) oracle_add_doubled(&oracle, (double)(x), 14), oracle_add(&oracle, (double)(x)); \
        got = reduce_exact_##T##_round(&sum), expected = oracle_##T(&oracle);                                \
        EXPECT_SAME(got, expected, "%ld times %a, and merged", (long)(count), (double)(x));                  \
    }

Test(exact, carries_that_wait)
{
    const long counts[] = {1, 32767, 32768, 32769, 65536, 200000};
    for (size_t k = 0; k < COUNT(counts); k++) {
        EXPECT_ALIKE(float, -0x1.fffffep-118f, counts[k]) /* shifted by 31 in the first digit */
        EXPECT_ALIKE(float, 0x1.fffffep-118f, counts[k])
        EXPECT_ALIKE(float, 0x1p-149f, counts[k])
        EXPECT_ALIKE(float, -0x1.fffffep80f, counts[k])
        EXPECT_ALIKE(double, -0x1.fffffffffffffp-991, counts[k]) /* in three digits */
        EXPECT_ALIKE(double, 0x1.fffffffffffffp-11, counts[k])
        EXPECT_ALIKE(double, -0x1p-1074, counts[k])
    }
}

/* Merging full accumulators over and over: none has more pending than it may, so that 16,384 of any can be added. */
Test(exact, full_accumulators_merged)
{
    const double x = 0x1.fffffffffffffp-11;
    struct reduce_exact_double one, sum;
    struct oracle oracle;
    oracle_clear(&oracle);
    reduce_exact_double_clear(&one);
    reduce_exact_double_clear(&sum);
    for (int k = 0; k < 32767; k++) reduce_exact_double_add(&one, x);
    for (int k = 0; k < 1000; k++) {
        reduce_exact_double_merge(&sum, &one);
        for (int bit = 0; bit < 15; bit++) oracle_add_doubled(&oracle, x, bit); /* 32,767 times */
        const double got = reduce_exact_double_round(&sum), expected = oracle_double(&oracle);
        EXPECT_SAME(got, expected, "%d merged", k + 1);
        if (k % 100 != 99) continue;
        struct reduce_exact_double words = sum;
        struct oracle all = oracle;
        for (size_t w = 0; w < sizeof words / 8; w++) ((int64_t *)&words)[w] *= 16384;
        for (int w = ORACLE_WORDS - 1; w >= 0; w--) all.word[w] = all.word[w] << 14 | (w > 0 ? all.word[w - 1] >> 50 : 0);
        const double of_words = reduce_exact_double_round(&words), of_all = oracle_double(&all);
        EXPECT_SAME(of_words, of_all, "%d merged, 16,384 times", k + 1);
    }
}

/* Merged with itself, and what it is merged from stays as it is. */
Test(exact, merging)
{
    struct reduce_exact_float sum, from, before;
    reduce_exact_float_clear(&sum);
    reduce_exact_float_clear(&from);
    for (int k = 0; k < 40000; k++) reduce_exact_float_add(&from, 0x1.8p-140f);
    before = from;
    reduce_exact_float_add(&sum, 0x1p-130f);
    reduce_exact_float_merge(&sum, &from);
    cr_expect(memcmp(&before, &from, sizeof from) == 0, "what is merged has changed");
    cr_expect(reduce_exact_float_round(&sum) == 40000 * 0x1.8p-140f + 0x1p-130f);
    reduce_exact_float_merge(&from, &from);
    cr_expect(reduce_exact_float_round(&from) == 80000 * 0x1.8p-140f);
    before = from;
    (void)reduce_exact_float_round(&from);
    cr_expect(memcmp(&before, &from, sizeof from) == 0, "what is rounded has changed");
    memset(&from, 0xff, sizeof from);
    reduce_exact_float_clear(&from);
    memset(&before, 0, sizeof before);
    cr_expect(memcmp(&before, &from, sizeof from) == 0, "all zero is empty");
    reduce_exact_float_add(&from, -INFINITY);
    reduce_exact_float_merge(&sum, &from);
    cr_expect(reduce_exact_float_round(&sum) == -INFINITY);
    reduce_exact_float_add(&from, INFINITY);
    cr_expect(isnan(reduce_exact_float_round(&from)));
}
