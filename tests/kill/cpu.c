/* Compares the plan, the CPU's function and the operators with tree.h, in plain C and quickly. For
   tools/mutate. */
#include "reduce.cuh"
#include "../operators.h"
#include "../tree.h"

typedef unsigned char u8;
typedef unsigned short u16;
typedef long long i64;
typedef unsigned long long u64;
typedef struct {
    uint32_t word[3];
} words3;
typedef struct {
    double word[8];
} words8;

static u64 traced(u64 a, u64 b)
{
    if (a == 0 || b == 0) return a | b;
    return ((a * 3 + (b ^ b >> 29) * 0xbf58476d1ce4e5b9u) ^ a >> 31) | 1;
}

#define TRACE(T)                                                                                          \
    static T no_##T(void)                                                                                 \
    {                                                                                                     \
        return (T){{0}};                                                                                  \
    }                                                                                                     \
    static T trace_##T(T a, T b)                                                                          \
    {                                                                                                     \
        for (size_t k = 0; k < sizeof a.word / sizeof *a.word; k++)                                       \
            a.word[k] = (uint32_t)traced((u64)a.word[k], (u64)b.word[k]);                                 \
        return a;                                                                                         \
    }
TRACE(words3)
TRACE(words8)

/* X(NAME, In, T, map, identity, operator) */
#define TRACES(X)                                                                                         \
    X(trace1, u8, u8, x, 0, (u8)traced(a, b))                                                             \
    X(trace2, u16, u64, x *(u64)(i + 1), 0, traced(a, b))                                                 \
    X(narrow, u64, u8, (u8)(x ^ x >> 32), 0, (u8)traced(a, b))                                            \
    X(trace8, u64, u64, x, 0, traced(a, b))                                                               \
    X(trace12, words3, words3, x, no_words3(), trace_words3(a, b))                                        \
    X(trace64, words8, words8, x, no_words8(), trace_words8(a, b))                                        \
    X(squares, float, float, x *x, 0, a + b)
#define DEFINE_BOTH(NAME, In, T, map, ...)                                                                \
    DEFINE_REDUCE_MAP(NAME, In, T, map, __VA_ARGS__)                                                      \
    DEFINE_TREE(NAME, In, T, map, __VA_ARGS__)
TRACES(DEFINE_BOTH)

DEFINE_REDUCE_AS(plain12, words3, no_words3(), trace_words3(a, b))

typedef long double extended;
#define EVERY(X)                                                                                          \
    X(INTEGER, boolean, min)                                                                              \
    X(INTEGER, boolean, max)                                                                              \
    X(INTEGER, u64, min)                                                                                  \
    X(INTEGER, short, min)                                                                                \
    X(INTEGER, short, max)                                                                                \
    INTEGER_OPERATORS(X, u8)                                                                              \
    INTEGER_OPERATORS(X, i64)                                                                             \
    FLOATING_OPERATORS(X, float)                                                                          \
    FLOATING_OPERATORS(X, double)                                                                         \
    FLOATING_OPERATORS(X, extended)
EVERY(DEFINE_WITH_TREE)

/* Here In and T differ in size, and in what the header knows of the operator. */
DEFINE_REDUCE_MAP(narrow_sum, u64, u8, (u8)x, REDUCE_IDENTITY_sum(u8), REDUCE_COMBINE_sum(u8, a, b))
DEFINE_TREE(narrow_sum, u64, u8, (u8)x, 0, (u8)(a + b))
DEFINE_REDUCE_MAP(wide_sum, u16, u64, x, REDUCE_IDENTITY_sum(u64), REDUCE_COMBINE_sum(u64, a, b))
DEFINE_TREE(wide_sum, u16, u64, x, 0, a + b)
DEFINE_REDUCE_MAP(floats_of_i64, i64, float, x, REDUCE_IDENTITY_sum(float), REDUCE_COMBINE_sum(float, a, b))
DEFINE_REDUCE_MAP(i64s_of_float, float, i64, (i64)x, REDUCE_IDENTITY_sum(i64), REDUCE_COMBINE_sum(i64, a, b))
DEFINE_REDUCE_MAP(extendeds, float, extended, x, REDUCE_IDENTITY_max(extended),
                  REDUCE_COMBINE_max(extended, a, b))
REDUCE_ASSERT_(narrow_sum_is_exact_ && i64s_of_float_is_exact_, "any")
REDUCE_ASSERT_(!floats_of_i64_is_exact_ && !extendeds_is_exact_, "one")

/* The order of these does not show: only the time would tell. */
REDUCE_ASSERT_(reduce_u8_sum_is_exact_ && reduce_double_max_is_exact_ && reduce_float_fmin_is_exact_, "any")
REDUCE_ASSERT_(!reduce_float_sum_is_exact_ && !reduce_double_prod_is_exact_ && !plain12_is_exact_, "one")
REDUCE_ASSERT_(!reduce_extended_max_is_exact_, "the bits of a long double's NaN are not made one")

static void expect(bool is_right, const char *what, size_t n)
{
    if (is_right) return;
    printf("%s of %zu is wrong\n", what, n);
    exit(1);
}

/* An x86 long double does not use its last 6 bytes, and the bits of its NaN are not promised. */
static bool are_same(const void *a, const void *b, size_t size)
{
    long double x, y;
    if (size != sizeof x || size == sizeof(double)) return memcmp(a, b, size) == 0;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x != x && y != y) || (x == y && !signbit(x) == !signbit(y));
}

static void check_plans(size_t size)
{
    static const size_t heights[] = {0, 1, 7, 8, 9, 31, 127, 128, 129, 256, 511, 512, 513, 2047, 2048, 2049,
                                     4096, 8191, 8192, 8193, 32768, 524288, 524289, 8388608, 8388609,
                                     99999999};
    for (size_t k = 0; k < sizeof heights / sizeof *heights; k++)
        for (size_t more = 0; more < 3; more++) {
            const size_t n = heights[k] * 512 * tree_positions(size) + more;
            const struct reduce_plan plan = reduce_plan(n, size);
            expect(plan.chunk == tree_chunk(n, size) && plan.count == tree_divide_up(n, n ? plan.chunk : 1),
                   "the plan", n);
            expect((size_t)REDUCE_POSITIONS(size) == tree_positions(size), "a lane's share", size);
        }
}

static size_t sizes(size_t k, size_t element)
{
    static const size_t few[] = {0, 1, 2, 3, 5, 16, 17, 31, 33, 63, 511, 513, 1000};
    const size_t of_few = sizeof few / sizeof *few, stripe = 512 * tree_positions(element);
    if (k == of_few) return stripe - 1; /* a lane's last place lacks its element */
    return k < of_few ? few[k] : (k - of_few) * stripe * 3 + (k * 7 + stripe - 13) % stripe;
}
enum { SIZES = 18, MOST = 17 * 8192 };

static void fill(void *to, size_t bytes)
{
    u64 state = 88172645463325252u;
    for (size_t k = 0; k + 8 <= bytes; k += 8) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        memcpy((char *)to + k, &state, 8);
    }
}

static u64 room[MOST];

#define CHECK_TRACE(NAME, In, T, ...)                                                                     \
    for (size_t k = 0; k < SIZES && sizes(k, sizeof(In)) * sizeof(In) < sizeof room; k++) {               \
        const In *in = (const In *)(const void *)room;                                                    \
        const T got = NAME##_cpu(in, sizes(k, sizeof(In))), tree = NAME##_tree(in, sizes(k, sizeof(In))); \
        expect(memcmp(&got, &tree, sizeof got) == 0, #NAME, sizes(k, sizeof(In)));                        \
    }

/* Each pair of these, then numbers like the first of them. */
static const double of_FLOATING[] = {1, NAN, -INFINITY, -2, -1, -0.0, 0.0, 1.5, 2, INFINITY, 0.1, 7};
static const i64 of_INTEGER[] = {5, 0, 1, -1, 2, -2, 127, 128, 255, -32768, INT64_MAX, INT64_MIN};
enum { VALUES = 12 };

#define CHECK_OPERATOR(kind, T, op)                                                                       \
    for (int a = 0; a < VALUES * VALUES; a++) {                                                           \
        T in[64] = {(T)of_##kind[a / VALUES], (T)of_##kind[a % VALUES]};                                  \
        for (int k = 2; k < 64; k++) in[k] = (T)(of_##kind[0] + (T)k / 4);                                \
        for (size_t n = 0; n < 64; n += n < 3 ? 1 : 30) {                                                 \
            const T got = reduce_##T##_##op##_cpu(in, n), tree = reduce_##T##_##op##_tree(in, n);         \
            expect(are_same(&got, &tree, sizeof got), #T " " #op, n);                                     \
        }                                                                                                 \
    }

/* A kind's infinity, its pattern of NaN, and its sign. */
static void check_nans(enum reduce_kind_ kind, size_t size, u64 infinity, u64 nan)
{
    const u64 sign = 1ull << (8 * size - 1);
    const u64 bits[] = {infinity, infinity + 1, infinity | sign, (infinity + 1) | sign, nan, nan | sign, 0,
                        sign, sign - 1, infinity - 1, sign + 1, 1, sign | (sign - 1)};
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++) {
        const u64 expected = (bits[k] & ~sign) > infinity ? nan : bits[k];
        u64 got = bits[k];
        reduce_canonical_(&got, kind);
        expect(got == expected, "the pattern of a NaN", size);
    }
}

/* More chunks than lanes, of which some then have two; in this operator their order shows. */
static void check_many_chunks(void)
{
    const size_t n = 8300 * 1024 + 77;
    u64 *in = malloc(n * sizeof *in);
    fill(in, n * sizeof *in);
    expect(reduce_plan(n, sizeof *in).count > 512, "the number of chunks", n);
    expect(trace8_cpu(in, n) == trace8_tree(in, n), "many chunks", n);
    free(in);
}

/* No elements have a result too, as one chunk and several have. */
DEFINE_REDUCE_AS(odd_nan, float, -NAN, a != a ? b : b != b ? a : a + b)
DEFINE_REDUCE_MAP(nan_of_u8, u8, float, x == 0 ? -NAN : 1, -NAN, a != a ? b : b != b ? a : a + b)

static void check_results_nan(void)
{
    static float in[20000];
    static const size_t counts[] = {0, 1, 100, 20000};
    for (size_t k = 0; k < sizeof in / sizeof *in; k++) in[k] = -NAN;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const float got = odd_nan_cpu(in, counts[k]);
        uint32_t bits;
        memcpy(&bits, &got, sizeof bits);
        expect(bits == 0x7fc00000u, "the NaN", counts[k]);
        static const u8 zeros[20000];
        const float of_zeros = nan_of_u8_cpu(zeros, counts[k]);
        memcpy(&bits, &of_zeros, sizeof bits);
        expect(bits == 0x7fc00000u, "the NaN of integers", counts[k]);
    }
}

/* Conditions of DEFINE_REDUCE on the type, by operator; tests/fail has the sentences. */
#define EXPECT_RULES(op, is_built_in, is_bitwise, is_of_floats)                                           \
    expect((REDUCE_OPERATOR_NAMED_(op) != REDUCE_CUSTOM_) == (is_built_in), op, 1);                       \
    expect(REDUCE_IS_BITWISE_(REDUCE_OPERATOR_NAMED_(op)) == (is_bitwise), op, 2);                        \
    expect(REDUCE_IS_FMIN_FMAX_(REDUCE_OPERATOR_NAMED_(op)) == (is_of_floats), op, 3)

static void check_rules(void)
{
    EXPECT_RULES("sum", true, false, false);
    EXPECT_RULES("prod", true, false, false);
    EXPECT_RULES("min", true, false, false);
    EXPECT_RULES("max", true, false, false);
    EXPECT_RULES("land", true, false, false);
    EXPECT_RULES("lor", true, false, false);
    EXPECT_RULES("band", true, true, false);
    EXPECT_RULES("bor", true, true, false);
    EXPECT_RULES("bxor", true, true, false);
    EXPECT_RULES("fmin", true, false, true);
    EXPECT_RULES("fmax", true, false, true);
    EXPECT_RULES("mine", false, false, false);
}

int main(void)
{
    check_rules();
    check_results_nan();
    check_nans(REDUCE_FLOAT_, 4, 0x7f800000u, 0x7fc00000u);
    check_nans(REDUCE_DOUBLE_, 8, 0x7ff0000000000000u, 0x7ff8000000000000u);
    check_nans(REDUCE_HALF_, 2, 0x7c00u, 0x7e00u);
    check_nans(REDUCE_BFLOAT16_, 2, 0x7f80u, 0x7fc0u);
    fill(room, sizeof room);
    for (size_t size = 1; size <= REDUCE_MAX_SIZE; size++) check_plans(size);
    for (size_t k = 0; k < MOST / 2; k++) ((float *)room)[k] = (float)(room[k] % 1000003) / 1000;
    TRACES(CHECK_TRACE)
    CHECK_TRACE(narrow_sum, u64, u8, x)
    CHECK_TRACE(wide_sum, u16, u64, x)
    EVERY(CHECK_OPERATOR)
    const words3 a = plain12_cpu((const words3 *)(const void *)room, 5000);
    const words3 b = trace12_cpu((const words3 *)(const void *)room, 5000);
    expect(memcmp(&a, &b, sizeof a) == 0, "an operator without a map", 5000);
    check_many_chunks();
    return 0;
}
