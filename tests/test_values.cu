/* The manual's section VALUES: NaN, infinities, signed zeros, subnormals, wrap-around and no elements; the same on
   the CPU and on the device. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"
#include "operators.h"

#define FEW_FLOATING(EACH)                                                                                 \
    EACH(float)                                                                                            \
    EACH(__half)
#ifdef FEW_TYPES
#define EVERY_FLOATING FEW_FLOATING
#else
#define EVERY_FLOATING(EACH)                                                                               \
    FEW_FLOATING(EACH)                                                                                     \
    EACH(double)                                                                                           \
    EACH(__nv_bfloat16)
#endif

#define DEFINE_OPERATOR(kind, T, op) DEFINE_REDUCE(T, op)
#define DEFINE_OPERATORS(T) FLOATING_OPERATORS(DEFINE_OPERATOR, T)

EVERY_FLOATING(DEFINE_OPERATORS)
DEFINE_REDUCE(int, sum)
DEFINE_REDUCE(int, prod)
DEFINE_REDUCE(int, min)
DEFINE_REDUCE(int, max)
DEFINE_REDUCE(int, land)
DEFINE_REDUCE(int, lor)
DEFINE_REDUCE(int, band)
DEFINE_REDUCE(i8, sum)
DEFINE_REDUCE(i8, min)
DEFINE_REDUCE(i64, sum)
DEFINE_REDUCE(bool, land)

/* ---- Floating-point values by their bits, for all four types alike ---------------------------------- */

enum op { SUM, MIN, MAX, FMIN, FMAX, PROD, LAND, LOR, OPS };
static const char *const op_names[] = {"sum", "min", "max", "fmin", "fmax", "prod", "land", "lor"};

/* The ways: the CPU; the simple call, which leaves short arrays to the CPU; and the GPU. */
enum way { BY_CPU, BY_CALL, BY_GPU, WAYS };
static const char *const way_names[] = {"_cpu", "", "_async"};

/* What the GPU needs: a copy of the array, a place for the result, and a workspace. */
struct on_device {
    const void *in;
    u64 *out;
    reduce_workspace *ws;
};

/* One type: its special values, and its operators in all ways. */
struct type {
    const char *name;
    size_t size;
    u64 infinity, nan, payload, one, minus; /* a NaN with a payload; minus is the sign alone */
    void (*run)(enum op op, const void *in, size_t n, u64 results[WAYS], struct on_device there);
};

#define RUN_CASE(T, op, OP)                                                                                \
    case OP:                                                                                               \
        *(T *)&results[BY_CPU] = reduce_##T##_##op##_cpu((const T *)in, n);                                \
        CHECK(reduce_##T##_##op((const T *)in, n, (T *)&results[BY_CALL]));                                \
        CHECK(reduce_##T##_##op##_async((const T *)there.in, n, (T *)there.out, there.ws, 0));             \
        return;

#define DEFINE_RUN(T)                                                                                      \
    static void run_##T(enum op op, const void *in, size_t n, u64 results[WAYS], struct on_device there)   \
    {                                                                                                      \
        switch (op) {                                                                                      \
            RUN_CASE(T, sum, SUM)                                                                          \
            RUN_CASE(T, min, MIN)                                                                          \
            RUN_CASE(T, max, MAX)                                                                          \
            RUN_CASE(T, fmin, FMIN)                                                                        \
            RUN_CASE(T, fmax, FMAX)                                                                        \
            RUN_CASE(T, prod, PROD)                                                                        \
            RUN_CASE(T, land, LAND)                                                                        \
            RUN_CASE(T, lor, LOR)                                                                          \
        default:                                                                                           \
            return;                                                                                        \
        }                                                                                                  \
    }
EVERY_FLOATING(DEFINE_RUN)

static const struct type types[] = {
    {"float", 4, 0x7f800000, 0x7fc00000, 0x7f812345, 0x3f800000, 0x80000000, run_float},
    {"half", 2, 0x7c00, 0x7e00, 0x7d23, 0x3c00, 0x8000, run___half},
#ifndef FEW_TYPES
    {"double", 8, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff0000000012345, 0x3ff0000000000000,
     0x8000000000000000, run_double},
    {"bfloat16", 2, 0x7f80, 0x7fc0, 0x7fa3, 0x3f80, 0x8000, run___nv_bfloat16},
#endif
};

/* n elements of one type, all alike but where they are changed. */
struct array {
    const struct type *type;
    unsigned char *bytes;
    size_t n;
};

static void put(struct array *a, size_t i, u64 bits)
{
    memcpy(a->bytes + i * a->type->size, &bits,
           a->type->size); /* little endian, as every machine with a GPU */
}

static struct array filled(const struct type *type, size_t n, u64 bits)
{
    struct array a = {type, (unsigned char *)malloc(n * 8 + 8), n};
    cr_assert(a.bytes != NULL, "no memory");
    for (size_t i = 0; i < n; i++) put(&a, i, bits);
    return a;
}

static void expect_bits(const struct array *a, enum op op, u64 expected, const char *what, u64 where)
{
    const size_t size = a->n * a->type->size;
    void *copy = size > 0 ? to_device(a->bytes, size) : NULL;
    struct on_device there = {copy, (u64 *)device_room(sizeof(u64), 0), NULL};
    u64 results[WAYS] = {0};
    CHECK(reduce_workspace_create(&there.ws));
    a->type->run(op, size > 0 ? a->bytes : NULL, a->n, results, there);
    from_device(&results[BY_GPU], there.out, sizeof(u64));
    for (int way = 0; way < WAYS; way++)
        cr_expect(results[way] == expected, "reduce_%s_%s%s of %zu, %s (%llu): 0x%llx, not 0x%llx",
                  a->type->name, op_names[op], way_names[way], a->n, what, where, results[way], expected);
    CHECK(reduce_workspace_destroy(there.ws));
    CHECK(cudaFree(there.out));
    CHECK(cudaFree(copy));
}

/* Results of all operators, in the order of enum op. */
static void expect_all(const struct array *a, const u64 expected[OPS], const char *what, u64 where)
{
    for (int op = 0; op < OPS; op++) expect_bits(a, (enum op)op, expected[op], what, where);
}

/* A NaN wins for sum, prod, min and max and loses for fmin and fmax; and it is not zero. The rest are
   ones. */
static void expect_nan_at(struct array *a, size_t i, u64 nan)
{
    const struct type *t = a->type;
    put(a, i, nan);
    expect_bits(a, MIN, t->nan, "a NaN at", i);
    expect_bits(a, MAX, t->nan, "a NaN at", i);
    expect_bits(a, SUM, t->nan, "a NaN at", i);
    expect_bits(a, FMIN, t->one, "a NaN at", i);
    expect_bits(a, FMAX, t->one, "a NaN at", i);
    put(a, i, t->one);
}

/* Every 16-byte position of every strand, in turn a little sparse in the simulator. */
#ifdef SIMT
enum { SPARSE = 61, BLOCK_SPARSE = 509 };
#else
enum { SPARSE = 1, BLOCK_SPARSE = 31 };
#endif

Test(values, one_nan_anywhere, .init = need_gpu, .timeout = 240)
{
    for (size_t k = 0; k < COUNT(types); k++) {
        const u64 nans[] = {types[k].nan, types[k].nan | types[k].minus, types[k].payload,
                            types[k].payload | types[k].minus};
        const size_t stripe = 8192 / types[k].size;
        struct array one = filled(&types[k], 600, types[k].one),
                     many = filled(&types[k], 9 * stripe + 3, types[k].one),
                     twice = filled(&types[k], 7 * stripe + 3, types[k].one); /* two groups of loads */
        for (size_t i = 0; i < one.n; i += SPARSE)
            if (is_due(k + i / SPARSE)) expect_nan_at(&one, i, nans[i % 4]);
        for (size_t i = 0; i < many.n; i += stripe - BLOCK_SPARSE)
            if (is_due(k + i / (stripe - BLOCK_SPARSE))) expect_nan_at(&many, i, nans[i % 4]);
        expect_nan_at(&many, many.n - 1, nans[2]);
        expect_nan_at(&twice, 0, nans[0]);
        expect_nan_at(&twice, 4 * stripe, nans[1]);
        free(one.bytes), free(many.bytes), free(twice.bytes);
    }
}

/* A zero at i among numbers of one sign, or among zeros of the other sign. Which zero it is decides. */
static void expect_zero_at(struct array *a, size_t i, u64 rest, u64 zero)
{
    const struct type *t = a->type;
    const bool is_below = rest & t->minus, is_zero = (rest & ~t->minus) == 0;
    const u64 least = is_zero ? t->minus : is_below ? rest : zero;
    const u64 greatest = is_zero ? 0 : is_below ? zero : rest;
    put(a, i, zero);
    expect_bits(a, MIN, least, "a zero at", i);
    expect_bits(a, MAX, greatest, "a zero at", i);
    expect_bits(a, FMIN, least, "a zero at", i);
    expect_bits(a, FMAX, greatest, "a zero at", i);
    put(a, i, rest);
}

/* n elements: whole groups of loads, and three loads of a group. */
static void expect_zero_anywhere(const struct type *t, size_t n, size_t step, u64 rest, u64 zero)
{
    struct array a = filled(t, n, rest);
    for (size_t i = 0; i < n; i += step)
        if (is_due(n + i / step)) expect_zero_at(&a, i, rest, zero);
    expect_zero_at(&a, n - 1, rest, zero);
    free(a.bytes);
}

Test(values, one_zero_anywhere, .init = need_gpu, .timeout = 240)
{
    for (size_t k = 0; k < COUNT(types); k++) {
        const struct type *t = &types[k];
        const u64 rests[] = {t->one, t->one, t->one | t->minus, t->one | t->minus, 0, t->minus};
        const u64 zeros[] = {0, t->minus, 0, t->minus, t->minus, 0};
        const size_t stripe = 8192 / t->size;
        for (size_t r = 0; r < COUNT(rests); r++) {
            expect_zero_anywhere(t, 707, SPARSE, rests[r], zeros[r]);
            expect_zero_anywhere(t, 7 * stripe + 3, stripe - BLOCK_SPARSE, rests[r], zeros[r]);
        }
    }
}

static void expect_all_alike(const struct type *t, size_t n)
{
    const u64 inf = t->infinity, minus = t->minus, nan = t->nan, one = t->one;
    const u64 nans[] = {nan, nan | minus, t->payload, t->payload | minus};
    const u64 of_nan[OPS] = {nan, nan, nan, nan, nan, nan, one, one};
    const u64 of_inf[OPS] = {inf, inf, inf, inf, inf, inf, one, one};
    const u64 of_minus_inf[OPS] = {inf | minus, inf | minus, inf | minus,
                                   inf | minus, inf | minus, n % 2 ? inf | minus : inf,
                                   one,         one};
    const u64 of_minus_zero[OPS] = {0, minus, minus, minus, minus, n % 2 ? minus : 0, 0, 0};
    const u64 of_zero[OPS] = {0};
    for (size_t k = 0; k < COUNT(nans); k++) {
        if (!is_due(n + k)) continue;
        struct array a = filled(t, n, nans[k]);
        expect_all(&a, of_nan, "all NaN", nans[k]);
        free(a.bytes);
    }
    struct array a = filled(t, n, inf), b = filled(t, n, inf | minus), c = filled(t, n, minus),
                 d = filled(t, n, 0);
    expect_all(&a, of_inf, "all +inf", 0);
    expect_all(&b, of_minus_inf, "all -inf", 0);
    expect_all(&c, of_minus_zero, "all -0", 0);
    expect_all(&d, of_zero, "all +0", 0);
    free(a.bytes), free(b.bytes), free(c.bytes), free(d.bytes);
}

Test(values, all_alike, .init = need_gpu)
{
    const size_t sizes[] = {1, 2, 77};
    for (size_t k = 0; k < COUNT(types); k++) {
        for (size_t m = 0; m < COUNT(sizes); m++) expect_all_alike(&types[k], sizes[m]);
        expect_all_alike(&types[k], 9 * 8192 / types[k].size + 3);
    }
}

Test(values, no_elements, .init = need_gpu)
{
    for (size_t k = 0; k < COUNT(types); k++) {
        const struct type *t = &types[k];
        const u64 expected[OPS] = {0, t->infinity, t->infinity | t->minus, t->nan, t->nan, t->one, t->one,
                                   0};
        const struct array a = {t, NULL, 0};
        expect_all(&a, expected, "no elements", 0);
    }
}

/* Minus zeros alone inside a kernel, where too all reductions start from the identity: sums are +0, the least
   is -0. */
enum { PARTS = 5 };

#define REDUCE_ZEROS(NAME)                                                                                 \
    static __global__ void NAME##_of_zeros(float *out, reduce_workspace *ws)                               \
    {                                                                                                      \
        const float x = -0.0f, warp = NAME##_warp(x), warp_n = NAME##_warp_n(x, 3),                        \
                    tile = NAME##_tile(x, 4), block = NAME##_block(x);                                     \
        if (threadIdx.x == 0 && blockIdx.x == 0)                                                           \
            out[0] = warp, out[1] = warp_n, out[2] = tile, out[3] = block;                                 \
        NAME##_grid(x, ws, &out[4]);                                                                       \
    }
REDUCE_ZEROS(reduce_float_sum)
REDUCE_ZEROS(reduce_float_min)

static void expect_zeros(void (*kernel)(float *, reduce_workspace *), unsigned blocks, unsigned threads,
                         bool is_minus)
{
    static const char *const names[PARTS] = {"warp", "warp_n", "tile", "block", "grid"};
    reduce_workspace *ws = NULL;
    float got[PARTS], *device = (float *)device_room(sizeof got, 0xee);
    CHECK(reduce_workspace_create(&ws));
    kernel<<<blocks, threads>>>(device, ws);
    check_launch();
    from_device(got, device, sizeof got);
    for (int k = 0; k < PARTS; k++)
        cr_expect(got[k] == 0 && !!signbit(got[k]) == is_minus, "%s %s of -0 in %u x %u: %g",
                  is_minus ? "min" : "sum", names[k], blocks, threads, got[k]);
    CHECK(cudaFree(device));
    CHECK(reduce_workspace_destroy(ws));
}

Test(values, minus_zeros_in_kernels, .init = need_gpu)
{
    const unsigned shapes[][2] = {{1, 1}, {1, 32}, {1, 33}, {1, 64}, {1, 1000}, {2, 5}, {3, 96}};
    for (size_t k = 0; k < COUNT(shapes); k++) {
        expect_zeros(reduce_float_sum_of_zeros, shapes[k][0], shapes[k][1], false);
        expect_zeros(reduce_float_min_of_zeros, shapes[k][0], shapes[k][1], true);
    }
}

/* Two values at two places among others that are neutral: both orders. */
static void expect_pair(const struct type *t, u64 neutral, u64 x, u64 y, enum op op, u64 expected)
{
    const size_t places[][2] = {{0, 1}, {1, 0}, {0, 599}, {599, 0}, {3, 515}, {515, 3}, {32, 64}, {40, 8}};
    struct array a = filled(t, 600, neutral);
    for (size_t k = 0; k < COUNT(places); k++) {
        put(&a, places[k][0], x);
        put(&a, places[k][1], y);
        expect_bits(&a, op, expected, "pair", k);
        put(&a, places[k][0], neutral);
        put(&a, places[k][1], neutral);
    }
    free(a.bytes);
}

Test(values, pairs, .init = need_gpu)
{
    for (size_t k = 0; k < COUNT(types); k++) {
        const struct type *t = &types[k];
        const u64 minus = t->minus, inf = t->infinity, least = 1; /* the least subnormal */
        expect_pair(t, inf, 0, minus, MIN, minus);
        expect_pair(t, inf, 0, minus, FMIN, minus);
        expect_pair(t, inf | minus, 0, minus, MAX, 0);
        expect_pair(t, inf | minus, 0, minus, FMAX, 0);
        expect_pair(t, minus, 0, minus, SUM, 0);
        expect_pair(t, 0, inf, inf | minus, SUM, t->nan);
        expect_pair(t, t->one, inf, 0, PROD, t->nan);
        expect_pair(t, inf, least, 0, MAX, inf);
        expect_pair(t, 0, least, least, SUM, 2 * least);
        expect_pair(t, 0, least, least, MAX, least);
        expect_pair(t, inf, least, 2 * least, MIN, least);
        expect_pair(t, 0, least | minus, 0, MIN, least | minus);
        expect_pair(t, t->one, least, t->one, PROD, least);
        expect_pair(t, t->nan, inf, t->one, FMIN, t->one);
        expect_pair(t, t->nan, inf | minus, t->one, FMAX, t->one);
        expect_pair(t, t->nan, inf, inf, FMIN, inf);
        expect_pair(t, t->one, t->nan, 0, LAND, 0);
        expect_pair(t, t->one, t->nan, least, LAND, t->one);
        expect_pair(t, 0, minus, 0, LOR, 0);
        expect_pair(t, 0, least, 0, LOR, t->one);
        expect_pair(t, minus, t->nan, 0, LOR, t->one);
    }
}

/* ---- Integers --------------------------------------------------------------------------------------- */

#define EXPECT_INTEGER(NAME, T, in, n, expected)                                                           \
    do {                                                                                                   \
        T got_ = 0;                                                                                        \
        const T cpu_ = NAME##_cpu(in, n), expected_ = expected;                                            \
        CHECK(NAME(in, n, &got_));                                                                         \
        cr_expect(got_ == expected_ && cpu_ == expected_,                                                  \
                  #NAME " of %zu: %lld, on the CPU %lld, not %lld", (size_t)(n), (i64)got_, (i64)cpu_,     \
                  (i64)expected_);                                                                         \
    } while (0)

Test(values, integers_wrap, .init = need_gpu)
{
    enum { N = 10001 };
    static int least[N], most[N], threes[N];
    static i8 bytes[N];
    static i64 wide[N];
    unsigned power = 1;
    for (int i = 0; i < N; i++) {
        least[i] = INT32_MIN, most[i] = INT32_MAX, threes[i] = -3, bytes[i] = 127, wide[i] = INT64_MIN;
        power *= (unsigned)-3;
    }
    EXPECT_INTEGER(reduce_int_sum, int, least, N, INT32_MIN);
    EXPECT_INTEGER(reduce_int_sum, int, least, 2, 0);
    EXPECT_INTEGER(reduce_int_sum, int, most, 2, -2);
    EXPECT_INTEGER(reduce_int_sum, int, most, N, (int)(N * 0x7fffffffu));
    EXPECT_INTEGER(reduce_int_prod, int, least, 2, 0);
    EXPECT_INTEGER(reduce_int_prod, int, threes, N, (int)power);
    EXPECT_INTEGER(reduce_i8_sum, i8, bytes, N, (i8)(127 * N));
    EXPECT_INTEGER(reduce_i64_sum, i64, wide, N, INT64_MIN);
    EXPECT_INTEGER(reduce_int_min, int, most, N, INT32_MAX);
    EXPECT_INTEGER(reduce_int_max, int, least, N, INT32_MIN);
    most[N - 1] = INT32_MIN, least[700] = INT32_MAX;
    EXPECT_INTEGER(reduce_int_min, int, most, N, INT32_MIN);
    EXPECT_INTEGER(reduce_int_max, int, least, N, INT32_MAX);
}

Test(values, truth, .init = need_gpu)
{
    enum { N = 5000 };
    static int in[N];
    static bool all[N];
    const bool no = false;
    for (int i = 0; i < N; i++) in[i] = i - 6000, all[i] = true;
    EXPECT_INTEGER(reduce_int_land, int, in, N, 1);
    EXPECT_INTEGER(reduce_int_lor, int, in, N, 1);
    EXPECT_INTEGER(reduce_int_land, int, in, 1, 1);
    in[4097] = 0;
    EXPECT_INTEGER(reduce_int_land, int, in, N, 0);
    EXPECT_INTEGER(reduce_bool_land, bool, all, N, true);
    all[31] = no;
    EXPECT_INTEGER(reduce_bool_land, bool, all, N, false);
    memset(in, 0, sizeof in);
    EXPECT_INTEGER(reduce_int_lor, int, in, N, 0);
    in[2048] = 256; /* nothing in the low byte */
    EXPECT_INTEGER(reduce_int_lor, int, in, N, 1);
}

Test(values, no_integers, .init = need_gpu)
{
    EXPECT_INTEGER(reduce_int_sum, int, NULL, 0, 0);
    EXPECT_INTEGER(reduce_int_prod, int, NULL, 0, 1);
    EXPECT_INTEGER(reduce_int_min, int, NULL, 0, INT32_MAX);
    EXPECT_INTEGER(reduce_int_max, int, NULL, 0, INT32_MIN);
    EXPECT_INTEGER(reduce_int_land, int, NULL, 0, 1);
    EXPECT_INTEGER(reduce_int_lor, int, NULL, 0, 0);
    EXPECT_INTEGER(reduce_int_band, int, NULL, 0, -1);
    EXPECT_INTEGER(reduce_i8_min, i8, NULL, 0, 127);
    EXPECT_INTEGER(reduce_bool_land, bool, NULL, 0, true);
}
