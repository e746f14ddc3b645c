/* User-defined operators, maps and types: defined in each of the ways, of every size and alignment. */
#include <criterion/criterion.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define max(a, b) ((a) > (b) ? (a) : (b)) /* what users' own headers do */
#define min(a, b) ((a) < (b) ? (a) : (b))
#define sum total_of_mine

#include "check.h"
#include "tree.h"

enum { N = 20011, FEW = 5003 };

/* ---- Ways to define --------------------------------------------------------------------------------- */

HELPER_BOTH unsigned common(unsigned a, unsigned b)
{
    while (b != 0) {
        const unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#define BOTH(NAME, T, ...)                                                                                 \
    DEFINE_REDUCE_AS(NAME, T, __VA_ARGS__)                                                                 \
    DEFINE_TREE(NAME, T, T, x, __VA_ARGS__)
#define BOTH_MAP(NAME, In, T, EXPR, ...)                                                                   \
    DEFINE_REDUCE_MAP(NAME, In, T, EXPR, __VA_ARGS__)                                                      \
    DEFINE_TREE(NAME, In, T, EXPR, __VA_ARGS__)

/* By pair. */
#define REDUCE_IDENTITY_gcd(T) (T)0
#define REDUCE_COMBINE_gcd(T, a, b) common(a, b)
DEFINE_REDUCE(unsigned, gcd)
DEFINE_TREE(reduce_unsigned_gcd, unsigned, unsigned, x, 0, common(a, b))

/* The built-in ones under a user's macros of the same names. */
DEFINE_REDUCE(float, max)
DEFINE_REDUCE(float, min)
DEFINE_TREE_FLOATING(float, max)
DEFINE_TREE_FLOATING(float, min)
#undef max
#undef min
#undef sum

/* By function, by expression, by one with a comma outside of parentheses; names that begin like words of
   the language. */
BOTH(int_, unsigned, 0, common(a, b))
BOTH(reduce, unsigned, 0, a | b)
BOTH(for_each_of, unsigned, ~0u, a < b ? a : b)
DEFINE_REDUCE_AS(with_comma, float2, make_float2(0, 0), float2{a.x + b.x, a.y + b.y})
DEFINE_TREE(with_comma, float2, float2, x, make_float2(0, 0), make_float2(a.x + b.x, a.y + b.y))
BOTH(by_two_steps, u64, 0, (void)(a ^ b), a + b)

/* ---- Maps ------------------------------------------------------------------------------------------- */

/* Built-in operators named by their own macros, which the header recognises; and what only begins like one. */
#define NAMED(NAME, In, T, op, IDENTITY, EXPR)                                                             \
    DEFINE_REDUCE_MAP(NAME, In, T, x, REDUCE_IDENTITY_##op(T), REDUCE_COMBINE_##op(T, a, b))               \
    DEFINE_TREE(NAME, In, T, x, IDENTITY, EXPR)
NAMED(total_of_bytes, i8, int, sum, 0, a + b)
NAMED(total_of_chars, char, u32, sum, 0, a + b)
NAMED(total_of_u8, u8, u32, sum, 0, a + b)
NAMED(most_of_bytes, i8, int, max, INT32_MIN, a < b ? b : a)
NAMED(least_of_shorts, i16, int, min, INT32_MAX, a < b ? a : b)
NAMED(total_of_floats, float, double, sum, 0, a + b)
/* The same without spaces, and the sum as most people write it; and one that is spelled differently. */
#define PLAIN(NAME, In, T, IDENTITY, ...)                                                                  \
    DEFINE_REDUCE_MAP(NAME, In, T, x, IDENTITY, __VA_ARGS__) DEFINE_TREE(NAME, In, T, x, 0, a + b)
// clang-format off
DEFINE_REDUCE_MAP(bytes_without_spaces, i8, int, x, REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int,a,b))
DEFINE_TREE(bytes_without_spaces, i8, int, x, 0, a + b)
PLAIN(bytes_by_plus, i8, int, 0, a + b)
PLAIN(shorts_by_plus, u16, u64, 0, a+b)
DEFINE_REDUCE_MAP(none_is_0, u16, bool, x != 0, true, a&&b)
// clang-format on
PLAIN(floats_by_plus, float, float, 0.0f, a + b)
PLAIN(floats_by_sum, float, float, 0.0f, (a + b))
DEFINE_TREE(none_is_0, u16, bool, x != 0, true, a && b)
DEFINE_REDUCE_MAP(some_are_7, i8, int, x == 7, 0, a || b)
DEFINE_TREE(some_are_7, i8, int, x == 7, 0, a || b)
DEFINE_REDUCE_AS(sum_of_rests, unsigned, REDUCE_IDENTITY_sum(unsigned),
                 REDUCE_COMBINE_sum(unsigned, a, b) % 1000003u)
DEFINE_TREE(sum_of_rests, unsigned, unsigned, x, 0, (a + b) % 1000003u)
/* Not the identity of max, but neutral for what is reduced: it is not to be taken for that. */
DEFINE_REDUCE_MAP(most_from_0, u8, int, x - 256, -256, REDUCE_COMBINE_max(int, a, b))
DEFINE_TREE(most_from_0, u8, int, x - 256, -256, a < b ? b : a)
static_assert(total_of_bytes_is_built_in_ && most_of_bytes_is_built_in_ && least_of_shorts_is_built_in_ &&
                  total_of_floats_is_built_in_ && bytes_without_spaces_is_built_in_ && bytes_by_plus_is_exact_ &&
                  shorts_by_plus_is_exact_ && floats_by_plus_is_built_in_ && none_is_0_is_exact_ && some_are_7_is_exact_,
              "recognised");
static_assert(!floats_by_sum_is_built_in_ && !sum_of_rests_is_built_in_ && !most_from_0_is_built_in_, "not recognised");

/* Bytes are added four at a time, unless there is more to do with each. */
DEFINE_REDUCE_MAP(twice_the_bytes, i8, int, 2 * x, REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int, a, b))
DEFINE_TREE(twice_the_bytes, i8, int, 2 * x, 0, a + b)
static_assert(total_of_bytes_adds_bytes_ > 0 && total_of_chars_adds_bytes_ > 0 && total_of_u8_adds_bytes_ > 0, "four");
static_assert(twice_the_bytes_adds_bytes_ == 0 && most_of_bytes_adds_bytes_ == 0, "one");

BOTH_MAP(squares, float, double, (double)x *x, 0, a + b)
BOTH_MAP(float_squares, float, float, x *x, 0, a + b)
BOTH_MAP(double_squares, double, double, x *x, 0, a + b)
BOTH_MAP(count_positive, float, u64, x > 0, 0, a + b)
BOTH_MAP(halves, __half, float, __half2float(x), 0, a + b)
BOTH_MAP(bfloats, __nv_bfloat16, float, __bfloat162float(x), 0, a + b)
BOTH_MAP(products_of_two, float, float, reduce_rounded_float(x * 3.7f) + reduce_rounded_float(x * x), 0,
         a + b)
BOTH_MAP(indices, u8, u64, mixed(i) | (x & 1), 0, traced(a, b))

typedef struct {
    float value;
    u32 index;
} best;

HELPER_BOTH best best_of(float value, size_t index)
{
    const best b = {value, (u32)index};
    return b;
}

HELPER_BOTH best better(best a, best b)
{
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}
BOTH_MAP(arg_max, float, best, best_of(x, i), best_of(-INFINITY, UINT32_MAX), better(a, b))

BOTH_MAP(dot, float2, float, x.x *x.y, 0, a + b)

/* ---- Structs ---------------------------------------------------------------------------------------- */

/* Mean and variance in one pass: Chan's way to merge. */
typedef struct {
    double count, mean, squares;
} moments;

HELPER_BOTH moments moments_of(double count, double mean)
{
    const moments m = {count, mean, 0};
    return m;
}

HELPER_BOTH moments merge(moments a, moments b)
{
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double count = a.count + b.count, delta = b.mean - a.mean, part = b.count / count;
    const double step = reduce_rounded_double(delta * part), square = reduce_rounded_double(delta * delta);
    const moments m = {count, a.mean + step,
                       a.squares + b.squares +
                           reduce_rounded_double(reduce_rounded_double(square * a.count) * part)};
    return m;
}
BOTH_MAP(moments_in, float, moments, moments_of(1, x), moments_of(0, 0), merge(a, b))

typedef struct {
    float least, greatest, total;
} range;

HELPER_BOTH range range_of(float least, float greatest, float total)
{
    const range r = {least, greatest, total};
    return r;
}

HELPER_BOTH range widen(range a, range b)
{
    return range_of(fminf(a.least, b.least), fmaxf(a.greatest, b.greatest), a.total + b.total);
}
BOTH_MAP(range_in, float, range, range_of(x, x, x), range_of(INFINITY, -INFINITY, 0), widen(a, b))

/* Plain structs of words: every size, through every path that copies, shuffles and loads. */
#define DEFINE_STRUCT(NAME, Word, words, attribute)                                                        \
    typedef struct attribute {                                                                             \
        Word w[words];                                                                                     \
    } NAME;                                                                                                \
    HELPER_BOTH NAME no_##NAME(void)                                                                       \
    {                                                                                                      \
        NAME x;                                                                                            \
        memset(&x, 0, sizeof x);                                                                           \
        return x;                                                                                          \
    }                                                                                                      \
    HELPER_BOTH NAME add_##NAME(NAME a, NAME b)                                                            \
    {                                                                                                      \
        for (int k = 0; k < words; k++) a.w[k] = (Word)(a.w[k] + b.w[k]);                                  \
        return a;                                                                                          \
    }                                                                                                      \
    BOTH(sum_##NAME, NAME, no_##NAME(), add_##NAME(a, b))

DEFINE_STRUCT(bytes1, u8, 1, )
DEFINE_STRUCT(bytes2, u8, 2, )
DEFINE_STRUCT(bytes3, u8, 3, )
DEFINE_STRUCT(bytes5, u8, 5, )
DEFINE_STRUCT(bytes6, u16, 3, )
DEFINE_STRUCT(floats3, float, 3, )
DEFINE_STRUCT(doubles2, double, 2, )
DEFINE_STRUCT(doubles3, double, 3, )
DEFINE_STRUCT(doubles6, double, 6, )
DEFINE_STRUCT(doubles8, double, 8, )
DEFINE_STRUCT(aligned16, u64, 2, __attribute__((aligned(16))))
DEFINE_STRUCT(aligned32, float, 8, __attribute__((aligned(32))))

/* ---- Vector types ----------------------------------------------------------------------------------- */

BOTH(sum_float4, float4, make_float4(0, 0, 0, 0), make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w))
BOTH(xor_int4, int4, make_int4(0, 0, 0, 0), make_int4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w))
BOTH(sum_double2, double2, make_double2(0, 0), make_double2(a.x + b.x, a.y + b.y))

/* ---- Every one of them, in every way ---------------------------------------------------------------- */

struct room {
    unsigned char *host, *device;
    void *out;
    reduce_workspace *ws;
};

/* floats of many sizes, which are as good bytes and integers as any */
static struct room set_up(void)
{
    const size_t bytes = (size_t)N * 8 > (size_t)FEW * 64 ? (size_t)N * 8 : (size_t)FEW * 64;
    struct room r = {(unsigned char *)aligned_alloc(64, (bytes + 63) / 64 * 64), NULL,
                     device_room(REDUCE_MAX_SIZE, 0), NULL};
    cr_assert(r.host != NULL, "no memory");
    for (size_t k = 0; k < bytes / 4; k++) {
        const float x = (float)rough(mixed(k), 8);
        memcpy(r.host + 4 * k, &x, sizeof x);
    }
    r.device = (unsigned char *)to_device(r.host, bytes);
    CHECK(reduce_workspace_create(&r.ws));
    return r;
}

static void take_down(struct room r)
{
    CHECK(cudaFree(r.device));
    CHECK(cudaFree(r.out));
    CHECK(reduce_workspace_destroy(r.ws));
    free(r.host);
}

/* As doubles; as halves, whose bits of a float are too wild. */
static void fill_with(struct room *r, size_t kind)
{
    for (size_t k = 0; k < N; k++) {
        const double x = rough(mixed(k), 8);
        const __half half = __float2half((float)x);
        if (kind == sizeof(double)) memcpy(r->host + 8 * k, &x, 8);
        if (kind == sizeof(__half)) memcpy(r->host + 2 * k, &half, 2);
    }
    CHECK(cudaMemcpy(r->device, r->host, (size_t)N * 8, cudaMemcpyHostToDevice));
}

static void expect_same(const char *name, const char *who, size_t n, const void *got, const void *tree,
                        size_t size)
{
    if (memcmp(got, tree, size) == 0) return;
    cr_expect(false, "%s%s of %zu: %s, the tree %s", name, who, n, bits_in_hex(got, size),
              bits_in_hex(tree, size));
}

/* The device's result, after a call that must have succeeded. */
static void expect_given(const char *name, const char *who, size_t n, cudaError_t status,
                         const struct room *r, const void *tree, size_t size)
{
    unsigned char got[REDUCE_MAX_SIZE];
    cr_expect(status == cudaSuccess, "%s%s of %zu: %s", name, who, n, cudaGetErrorName(status));
    from_device(got, r->out, size);
    expect_same(name, who, n, got, tree, size);
}

#define EXPECT_TREE(NAME, In, T, most)                                                                     \
    for (size_t sizes_[] = {1, 77, 1025, most}, k_ = 0; k_ < COUNT(sizes_); k_++) {                        \
        const In *const host_ = (const In *)(void *)r.host, *const device_ = (const In *)(void *)r.device; \
        const size_t n_ = sizes_[k_];                                                                      \
        const T tree_ = NAME##_tree(host_, n_), cpu_ = NAME##_cpu(host_, n_);                              \
        T called_;                                                                                         \
        cudaError_t status_ = NAME##_async(device_, n_, (T *)r.out, r.ws, 0);                              \
        expect_given(#NAME, "_async", n_, status_, &r, &tree_, sizeof tree_);                              \
        status_ = NAME##_two_launch(device_, n_, (T *)r.out, r.ws, 0);                                     \
        expect_given(#NAME, "_two_launch", n_, status_, &r, &tree_, sizeof tree_);                         \
        CHECK(NAME(host_, n_, &called_));                                                                  \
        expect_same(#NAME, "", n_, &called_, &tree_, sizeof tree_);                                        \
        expect_same(#NAME, "_cpu", n_, &cpu_, &tree_, sizeof tree_);                                       \
    }

Test(custom, ways_to_define, .init = need_gpu)
{
    struct room r = set_up();
    EXPECT_TREE(reduce_unsigned_gcd, unsigned, unsigned, N);
    EXPECT_TREE(int_, unsigned, unsigned, N);
    EXPECT_TREE(reduce, unsigned, unsigned, N);
    EXPECT_TREE(for_each_of, unsigned, unsigned, N);
    EXPECT_TREE(with_comma, float2, float2, N);
    EXPECT_TREE(by_two_steps, u64, u64, N);
    EXPECT_TREE(reduce_float_max, float, float, N);
    EXPECT_TREE(reduce_float_min, float, float, N);
    take_down(r);
}

Test(custom, maps, .init = need_gpu)
{
    struct room r = set_up();
    EXPECT_TREE(total_of_bytes, i8, int, 8 * N);
    EXPECT_TREE(total_of_chars, char, u32, 8 * N);
    EXPECT_TREE(total_of_u8, u8, u32, 8 * N);
    EXPECT_TREE(bytes_without_spaces, i8, int, 8 * N);
    EXPECT_TREE(bytes_by_plus, i8, int, 8 * N);
    EXPECT_TREE(shorts_by_plus, u16, u64, 4 * N);
    EXPECT_TREE(floats_by_plus, float, float, 2 * N);
    EXPECT_TREE(floats_by_sum, float, float, 2 * N);
    EXPECT_TREE(none_is_0, u16, bool, 4 * N);
    EXPECT_TREE(some_are_7, i8, int, 8 * N);
    EXPECT_TREE(twice_the_bytes, i8, int, N);
    EXPECT_TREE(most_of_bytes, i8, int, N);
    EXPECT_TREE(least_of_shorts, i16, int, N);
    EXPECT_TREE(total_of_floats, float, double, N);
    EXPECT_TREE(sum_of_rests, unsigned, unsigned, N);
    EXPECT_TREE(most_from_0, u8, int, N);
    EXPECT_TREE(squares, float, double, N);
    EXPECT_TREE(float_squares, float, float, N);
    EXPECT_TREE(count_positive, float, u64, N);
    EXPECT_TREE(products_of_two, float, float, N);
    EXPECT_TREE(indices, u8, u64, 8 * N);
    EXPECT_TREE(dot, float2, float, N);
    EXPECT_TREE(arg_max, float, best, N);
    EXPECT_TREE(moments_in, float, moments, N);
    EXPECT_TREE(range_in, float, range, N);
    fill_with(&r, sizeof(double));
    EXPECT_TREE(double_squares, double, double, N);
    fill_with(&r, sizeof(__half));
    EXPECT_TREE(halves, __half, float, N);
    EXPECT_TREE(bfloats, __nv_bfloat16, float, N);
    take_down(r);
}

Test(custom, structs, .init = need_gpu)
{
    struct room r = set_up();
    EXPECT_TREE(sum_bytes1, bytes1, bytes1, 8 * N);
    EXPECT_TREE(sum_bytes2, bytes2, bytes2, 4 * N);
    EXPECT_TREE(sum_bytes3, bytes3, bytes3, 2 * N);
    EXPECT_TREE(sum_bytes5, bytes5, bytes5, N);
    EXPECT_TREE(sum_bytes6, bytes6, bytes6, N);
    EXPECT_TREE(sum_floats3, floats3, floats3, FEW);
    EXPECT_TREE(sum_aligned32, aligned32, aligned32, FEW);
    EXPECT_TREE(sum_float4, float4, float4, FEW);
    EXPECT_TREE(xor_int4, int4, int4, FEW);
    EXPECT_TREE(sum_aligned16, aligned16, aligned16, FEW);
    for (size_t k = 0; k < (size_t)FEW * 8; k++) {
        const double x = rough(mixed(k), 20);
        memcpy(r.host + 8 * k, &x, sizeof x);
    }
    CHECK(cudaMemcpy(r.device, r.host, (size_t)FEW * 64, cudaMemcpyHostToDevice));
    EXPECT_TREE(sum_doubles2, doubles2, doubles2, FEW);
    EXPECT_TREE(sum_doubles3, doubles3, doubles3, FEW);
    EXPECT_TREE(sum_doubles6, doubles6, doubles6, FEW);
    EXPECT_TREE(sum_doubles8, doubles8, doubles8, FEW);
    EXPECT_TREE(sum_double2, double2, double2, FEW);
    take_down(r);
}

/* ---- Meanings --------------------------------------------------------------------------------------- */

/* The first of equal values counts, wherever in the array they are. */
Test(custom, ties, .init = need_gpu)
{
    const size_t ties[][2] = {{0, 1},      {3, 4},        {17, 2065},     {31, 32},
                              {511, 2048}, {4096, 20000}, {19999, 20010}, {127, 128}};
    float *in = (float *)calloc(N, sizeof *in);
    cr_assert(in != NULL, "no memory");
    for (size_t k = 0; k < COUNT(ties); k++) {
        best got;
        in[ties[k][0]] = in[ties[k][1]] = 1;
        CHECK(arg_max(in, N, &got));
        cr_expect(got.index == ties[k][0] && got.value == 1, "%zu and %zu: %u", ties[k][0], ties[k][1],
                  got.index);
        in[ties[k][0]] = in[ties[k][1]] = 0;
    }
    best got;
    CHECK(arg_max(in, N, &got));
    cr_expect(got.index == 0, "all alike: %u", got.index);
    free(in);
}

Test(custom, moments_are_right, .init = need_gpu)
{
    float *in = (float *)malloc(N * sizeof *in);
    long double mean = 0, squares = 0;
    moments got;
    cr_assert(in != NULL, "no memory");
    for (int i = 0; i < N; i++) mean += (in[i] = (float)rough(mixed((u64)i), 6)) / (long double)N;
    for (int i = 0; i < N; i++) squares += (in[i] - mean) * (in[i] - mean);
    CHECK(moments_in(in, N, &got));
    cr_expect(got.count == N && fabsl(got.mean - mean) < 1e-12L &&
                  fabsl(got.squares / squares - 1) < 1e-12L,
              "%g elements, mean %.17g, squares %.17g", got.count, got.mean, got.squares);
    free(in);
}

/* Each operand is evaluated once, by the operator and by the map. */
#ifdef SIMT
static int combined, mapped;

static int counted(int *counter, int value)
{
    ++*counter;
    return value;
}

DEFINE_REDUCE_MAP(counting, int, int, counted(&mapped, x), 0, counted(&combined, a) + b)
#    define REDUCE_IDENTITY_careful(T) (T)0
#    define REDUCE_COMBINE_careful(T, a, b) (counted(&combined, a) + (b))
DEFINE_REDUCE(int, careful)

Test(custom, evaluates_once)
{
    int in[1000] = {0};
    combined = mapped = 0;
    cr_expect(counting_combine(1, 2) == 3 && combined == 1, "one pair: %d evaluations", combined);
    combined = 0;
    (void)counting_cpu(in, 1000);
    cr_expect(mapped == 1000, "the map: %d evaluations", mapped);
    cr_expect(combined >= 999 && combined < 4000, "the operator: %d evaluations", combined);
    combined = 0;
    (void)reduce_int_careful_combine(1, 2);
    cr_expect(combined == 1, "by pair: %d evaluations", combined);
}
#endif
