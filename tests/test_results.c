/* Ready-made results in plain C, on the CPU: the header compiles, and each result is right. (test_results.cu
   compares every executor, for every type.) */
#include "reduce_results.cuh"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

typedef long double ldouble;
typedef unsigned char uchar;
typedef long long llong;
typedef unsigned long long ullong;

DEFINE_REDUCE_ARG(bool, max)
DEFINE_REDUCE_ARG(uchar, min)
DEFINE_REDUCE_ARG(int, max)
DEFINE_REDUCE_ARG(float, min)
DEFINE_REDUCE_ARG(double, fmax)
DEFINE_REDUCE_ARG(ldouble, min)
DEFINE_REDUCE_ARG(uchar, max)
DEFINE_REDUCE_ARG(llong, min)
DEFINE_REDUCE_ARG(ullong, max)
DEFINE_REDUCE_ARG(float, fmin)
DEFINE_REDUCE_ARG(double, max)
DEFINE_REDUCE_ARG(ldouble, fmax)
DEFINE_REDUCE(double, min)
DEFINE_REDUCE_MAP(squares, double, double, x *x, 0, a + b)
DEFINE_REDUCE_PAIR(both, reduce_double_min, squares)
DEFINE_REDUCE_PAIR(all, both, reduce_double_argfmax)
#define REDUCE_HAVE_all
DEFINE_REDUCE_PAIR(all, squares, both)
DEFINE_REDUCE_PAIR(mirrored, reduce_double_argfmax, both)
DEFINE_REDUCE_PAIR(widest, all, mirrored) /* 64 bytes */
DEFINE_REDUCE(uchar, max)
DEFINE_REDUCE_MAP(sum_of_bytes, uchar, double, x, 0, a + b)
DEFINE_REDUCE_PAIR(apart, reduce_uchar_max, sum_of_bytes)
DEFINE_REDUCE_MOMENTS(double)
DEFINE_REDUCE_MOMENTS(ldouble)
DEFINE_REDUCE_MOMENTS(bool)

enum { N = 100003 };
static double in[N];

static void fill(void)
{
    for (size_t i = 0; i < N; i++) in[i] = (double)((i * 7919) % 10007) / 16;
    in[5] = (double)NAN;
}

Test(results, arg)
{
    static float floats[N];
    static uchar bytes[N];
    static int ints[N];
    static bool bools[N];
    static ldouble wide[N];
    fill();
    for (size_t i = 0; i < N; i++) {
        floats[i] = i == 70001 || i == 90000 ? NAN : (float)(i % 1000);
        bytes[i] = (uchar)(i < 99 ? 255 : 200 - i % 150);
        ints[i] = i % 50000 == 49999 ? 7 : -7;
        bools[i] = i > 98765;
        wide[i] = -(ldouble)(i % 60000);
    }
    cr_expect(reduce_float_argmin_cpu(floats, N).index == 70001);
    cr_expect(isnan(reduce_float_argmin_cpu(floats, N).value));
    cr_expect(reduce_float_argmin_cpu(floats + 1, 70000).index == 999);
    cr_expect(reduce_uchar_argmin_cpu(bytes, N).index == 149 && reduce_uchar_argmin_cpu(bytes, N).value == 51);
    cr_expect(reduce_int_argmax_cpu(ints, N).index == 49999 && reduce_int_argmax_cpu(ints, N).value == 7);
    cr_expect(reduce_bool_argmax_cpu(bools, N).index == 98766 && reduce_bool_argmax_cpu(bools, N).value);
    cr_expect(reduce_ldouble_argmin_cpu(wide, N).index == 59999);
    wide[70001] = wide[90000] = (ldouble)NAN;
    cr_expect(reduce_ldouble_argmin_cpu(wide, N).index == 70001 && isnan(reduce_ldouble_argmin_cpu(wide, N).value));
    cr_expect(reduce_double_argfmax_cpu(in, N).value == 10006.0 / 16);
    cr_expect(reduce_int_argmax_cpu(NULL, 0).index == -1 && reduce_int_argmax_cpu(NULL, 0).value == INT32_MIN);
}

/* Against a loop: few values, so that many are equal, or many; with a NaN here and there, or only NaNs. least: so great
   that a narrower type cannot tell them apart. */
#define EXPECT_AS_LOOP(T, op, before, keeps_nan, is_floating, least)                                        \
    for (size_t n = 1; n < 9999; n = n * 3 + 1)                                                             \
        for (unsigned values = 3; values < 4000000000u; values *= 999) {                                    \
            T *const x = (T *)malloc(n * sizeof(T));                                                        \
            size_t at = 0;                                                                                  \
            for (size_t i = 0; i < n; i++) {                                                                \
                const unsigned hash = (unsigned)(i * 2654435761u + values) * 2246822519u >> 7;              \
                x[i] = (T)((least) + (T)(hash % values));                                                   \
                if (is_floating && (hash % 11 == 3 || n == 13)) x[i] = (T)-(double)NAN;                     \
                const bool is_nan = x[i] != x[i], had_nan = x[at] != x[at];                                 \
                if (keeps_nan ? !had_nan && (is_nan || x[i] before x[at])                                   \
                              : !is_nan && (had_nan || x[i] before x[at]))                                  \
                    at = i;                                                                                 \
            }                                                                                               \
            const reduce_##T##_arg##op##_result got = reduce_##T##_arg##op##_cpu(x, n);                     \
            cr_expect((size_t)got.index == at, "arg" #op " of %zu " #T ", values %u: %d, not %zu", n,       \
                      values, (int)got.index, at);                                                          \
            const unsigned char *byte = (const unsigned char *)&got + sizeof(T); /* then zeros */           \
            for (; byte < (const unsigned char *)&got.index; byte++) cr_expect(*byte == 0);                 \
            cr_expect(x[at] != x[at] ? got.value != got.value : got.value == x[at]);                        \
            cr_expect(sizeof(T) > 8 || x[at] == x[at] || !signbit((double)got.value)); /* the one NaN */    \
            free(x);                                                                                        \
        }

Test(results, arg_as_a_loop)
{
    EXPECT_AS_LOOP(uchar, min, <, true, false, 0)
    EXPECT_AS_LOOP(uchar, max, >, true, false, 0)
    EXPECT_AS_LOOP(llong, min, <, true, false, -((llong)1 << 60))
    EXPECT_AS_LOOP(ullong, max, >, true, false, (ullong)1 << 63)
    EXPECT_AS_LOOP(int, max, >, true, false, -5)
    EXPECT_AS_LOOP(float, min, <, true, true, 16000000.0f)
    EXPECT_AS_LOOP(float, fmin, <, false, true, 16000000.0f)
    EXPECT_AS_LOOP(double, max, >, true, true, 1099511627776.0)
    EXPECT_AS_LOOP(double, fmax, >, false, true, 1099511627776.0)
    EXPECT_AS_LOOP(ldouble, min, <, true, true, 1152921504606846976.0L)
    EXPECT_AS_LOOP(ldouble, fmax, >, false, true, 1152921504606846976.0L)
}

/* An operand as a user's kernel holds it: no mark of the map is left, and indices have 64 bits. */
Test(results, of)
{
    const size_t far = (size_t)1 << 33 | 5;
    const reduce_int_argmax_result one = reduce_int_argmax_of(7, far), none = reduce_int_argmax_identity();
    const all_result three = all_of(2.5, far);
    const struct reduce_moments m = reduce_double_moments_of(2.5, far);
    cr_expect(sizeof one == 16 && sizeof(reduce_double_argmax_result) == 16 && sizeof(reduce_uchar_argmin_result) == 16);
    cr_expect(one.value == 7 && one.index == (int64_t)far);
    cr_expect(reduce_int_argmax_combine(none, one).index == (int64_t)far);
    cr_expect(reduce_int_argmax_combine(one, none).index == (int64_t)far);
    cr_expect(three.first.first == 2.5 && three.first.second == 6.25 && three.second.value == 2.5);
    cr_expect(three.second.index == (int64_t)far);
    cr_expect(m.count == 1 && m.mean == 2.5 && m.squares == 0 && m.min == 2.5 && m.max == 2.5);
}

Test(results, pair)
{
    fill();
    const all_result result = all_cpu(in, N);
    const double first = reduce_double_min_cpu(in, N), second = squares_cpu(in, N);
    const reduce_double_argfmax_result third = reduce_double_argfmax_cpu(in, N);
    cr_expect(memcmp(&result.first.first, &first, sizeof first) == 0);
    cr_expect(memcmp(&result.first.second, &second, sizeof second) == 0);
    cr_expect(memcmp(&result.second, &third, sizeof third) == 0);
    const widest_result wide = widest_cpu(in, N);
    cr_expect(sizeof wide == 64 && memcmp(&wide.first, &result, sizeof result) == 0);
    cr_expect(memcmp(&wide.second.first, &third, sizeof third) == 0);
    const uchar bytes[3] = {1, 200, 3};
    const apart_result both_of = apart_cpu(bytes, 3);
    cr_expect(sizeof both_of == 16 && both_of.first == 200 && both_of.second == 204);
    for (size_t k = 1; k < 8; k++) cr_expect(((const unsigned char *)&both_of)[k] == 0, "byte %zu", k);
}

Test(results, moments)
{
    static bool bools[N];
    fill();
    in[5] = 0;
    for (size_t i = 0; i < N; i++) bools[i] = i % 4 == 0;
    double sum = 0, squared = 0;
    for (size_t i = 0; i < N; i++) sum += in[i];
    for (size_t i = 0; i < N; i++) squared += (in[i] - sum / N) * (in[i] - sum / N);
    const struct reduce_moments m = reduce_double_moments_cpu(in, N), b = reduce_bool_moments_cpu(bools, N);
    cr_expect(m.count == N && fabs(m.mean - sum / N) < 1e-9 && m.min == 0 && m.max == 10006.0 / 16);
    cr_expect(fabs(reduce_moments_variance(m) - squared / N) < 1e-7);
    cr_expect(fabs(reduce_moments_sample_variance(m) - squared / (N - 1)) < 1e-7);
    cr_expect(isnan(reduce_moments_variance(reduce_double_moments_cpu(NULL, 0))));
    cr_expect(reduce_moments_variance(reduce_double_moments_cpu(in, 1)) == 0);
    cr_expect(isnan(reduce_moments_sample_variance(reduce_double_moments_cpu(in, 1))));
    cr_expect(b.count == N && fabs(b.mean - 25001.0 / N) < 1e-12 && b.min == 0 && b.max == 1);
}
