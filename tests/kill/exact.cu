/* For tools/mutate --header reduce_exact.cuh: all ways of the kernels, in chunks of several portions, blocks, accumulators
   on the device and what is refused, in little time. (test_exact.cu has more.) */
#define CHECK_ALONE
#ifndef REDUCE_STRANDS /* where it is given, the device decides */
#define REDUCE_EXACT_BLOCKS_(processors) ((void)(processors), REDUCE_MAX_CHUNKS)
#endif
#define REDUCE_EXACT_LOW_ 4
#define REDUCE_EXACT_LONE_ 5
#define REDUCE_MAX_CHUNKS 3
#define REDUCE_SPREAD_ 3
#define REDUCE_LOW_ 6
#define REDUCE_SINGLE_ 5
#include "../small_tree.h"

#include "reduce_inputs.cuh"

#define REDUCE_EXACT_BY_DOUBLES_ 1 /* expanded where a NAME is defined */
#include "reduce_exact.cuh"

#include "../check.h"
#include "../exact.h"

DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(double)
DEFINE_REDUCE_EXACT_MAP(bytes, i8, float, (float)x * 0x1p-149f)
DEFINE_REDUCE_EXACT_MAP(by_index, float, double, (double)x * (double)i)
DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x *(double)y)
#undef REDUCE_EXACT_BY_DOUBLES_
#define REDUCE_EXACT_BY_DOUBLES_ 0
DEFINE_REDUCE_EXACT_MAP(floats_by_columns, float, float, x)
DEFINE_REDUCE_EXACT_MAP(doubles_by_columns, double, double, x)

enum { PORTION = REDUCE_STRANDS * 64, MOST = REDUCE_MAX_CHUNKS * 2 * PORTION };
static double room[MOST + 64];
static char *there;
static void *out;
static reduce_workspace *ws;

#define EXPECT(who) \
    cr_assert(SAME_BITS(got, expected), "%s of %zu, %s, seed %d: %s, not %s", who, n, exact_kinds[kind], (int)seed, BITS(got), BITS(expected))

#define DEFINE_EXPECT(NAME, T)                                                                               \
    static void NAME##_expect(size_t n, enum exact_kind kind, u64 seed)                                      \
    {                                                                                                        \
        const T *const in = (const T *)room, *const device = (const T *)there + seed % 3, expected = exact_##T(in, n); \
        T got = 7;                                                                                           \
        struct reduce_exact_##T sum, *const to = (struct reduce_exact_##T *)out;                             \
        CHECK(cudaMemcpy(there + seed % 3 * sizeof(T), in, n * sizeof(T), cudaMemcpyHostToDevice));          \
        CHECK(NAME##_async(device, n, (T *)out, ws, 0));                                                     \
        from_device(&got, out, sizeof got);                                                                  \
        EXPECT(#NAME "_async");                                                                              \
        CHECK(cudaMemset(to, 0, sizeof *to));                                                                \
        CHECK(NAME##_accumulate_async(device + n / 3, n - n / 3, to, ws, 0));                                \
        CHECK(NAME##_accumulate_async(device, n / 3, to, ws, 0));                                            \
        from_device(&sum, to, sizeof sum);                                                                   \
        got = reduce_exact_##T##_round(&sum);                                                                \
        EXPECT(#NAME "_accumulate_async");                                                                   \
    }                                                                                                        \
    static __global__ void NAME##_kernel(const T *in, unsigned n, T *results)                                \
    {                                                                                                        \
        const unsigned k = (threadIdx.y * blockDim.x) + threadIdx.x;                                         \
        results[k] = NAME##_block(in[k]);                                                                    \
        results[n + k] = NAME##_block(k % 3 == 0 ? in[k] : (T)-0.0);                                         \
    }                                                                                                        \
    static void NAME##_in_block(unsigned width, unsigned height, enum exact_kind kind, u64 seed)             \
    {                                                                                                        \
        T results[2 * 1024], *const in = (T *)room;                                                          \
        const size_t n = (size_t)width * height;                                                             \
        exact_fill(room, n, sizeof(T), kind, seed);                                                          \
        CHECK(cudaMemcpy(there, room, n * sizeof(T), cudaMemcpyHostToDevice));                               \
        NAME##_kernel<<<1, dim3(width, height)>>>((const T *)there, (unsigned)n, (T *)(there + 16384));      \
        check_launch();                                                                                      \
        from_device(results, there + 16384, 2 * n * sizeof(T));                                              \
        for (size_t i = 0; i < 2 * n; i++) {                                                                 \
            if (i == n)                                                                                      \
                for (size_t j = 0; j < n; j++) in[j] = j % 3 == 0 ? in[j] : 0;                               \
            const T got = results[i], expected = i % n == 0 ? exact_##T(in, n) : results[i - 1];             \
            EXPECT(#NAME "_block");                                                                          \
        }                                                                                                    \
    }

DEFINE_EXPECT(reduce_float_exact_sum, float)
DEFINE_EXPECT(reduce_double_exact_sum, double)
DEFINE_EXPECT(floats_by_columns, float)
DEFINE_EXPECT(doubles_by_columns, double)

static const struct {
    size_t size;
    void (*expect)(size_t n, enum exact_kind kind, u64 seed);
    void (*in_block)(unsigned width, unsigned height, enum exact_kind kind, u64 seed);
} subjects[] = {{4, reduce_float_exact_sum_expect, reduce_float_exact_sum_in_block},
                {8, reduce_double_exact_sum_expect, reduce_double_exact_sum_in_block},
                {4, floats_by_columns_expect, floats_by_columns_in_block},
                {8, doubles_by_columns_expect, doubles_by_columns_in_block}};

static void expect_maps(void)
{
    const enum exact_kind kind = EXACT_full;
    const u64 seed = 0;
    for (size_t n = 1; n < 9000; n = n * 3 + 1) {
        struct oracle sum, product;
        i8 *const in = (i8 *)room;
        float got, *const x = (float *)room + 4096;
        oracle_clear(&sum);
        oracle_clear(&product);
        exact_fill(x, n, 4, EXACT_anywhere, n);
        for (size_t i = 0; i < n; i++) in[i] = (i8)mixed(i), oracle_add(&sum, in[i] * 0x1p-149), oracle_add(&product, (double)x[i] * (double)x[i]);
        CHECK(cudaMemcpy(there, room, 4096 * 4 + n * 4, cudaMemcpyHostToDevice));
        CHECK(bytes_async((i8 *)there, n, (float *)out, ws, 0));
        from_device(&got, out, sizeof got);
        {
            const float expected = oracle_float(&sum);
            EXPECT("bytes");
        }
        double wide;
        CHECK(dot_async((float *)there + 4096, (float *)there + 4096, n, (double *)out, ws, 0));
        from_device(&wide, out, sizeof wide);
        {
            const double expected = oracle_double(&product), got = wide;
            EXPECT("dot");
        }
    }
}

/* Elements by their indices, near and far apart; and sums of which one digit is 1, where blocks meet. */
static void expect_indices(void)
{
    const size_t n = REDUCE_MAX_CHUNKS * PORTION + 77;
    float *const x = (float *)room;
    for (u64 seed = 0; seed < 4; seed++) {
        const enum exact_kind kind = seed % 2 ? EXACT_anywhere : EXACT_near_;
        struct oracle sum;
        double got;
        oracle_clear(&sum);
        exact_fill(x, n, 4, kind, seed);
        for (size_t i = 0; i < n; i++) oracle_add(&sum, (double)x[i] * (double)i);
        CHECK(cudaMemcpy(there, x, n * 4, cudaMemcpyHostToDevice));
        CHECK(by_index_async((float *)there, n, (double *)out, ws, 0));
        from_device(&got, out, sizeof got);
        const double expected = oracle_double(&sum);
        EXPECT("by index");
    }
    for (u64 seed = 0; seed < 8; seed++) {
        const enum exact_kind kind = EXACT_full;
        float got;
        memset(x, 0, n * 4);
        x[n / 2] = ldexpf(1, 32 * (int)seed - 149);
        const float expected = x[n / 2];
        CHECK(cudaMemcpy(there, x, n * 4, cudaMemcpyHostToDevice));
        CHECK(reduce_float_exact_sum_async((float *)there, n, (float *)out, ws, 0));
        from_device(&got, out, sizeof got);
        EXPECT("one digit is 1");
    }
}

/* Portions of a block whose digits lie apart: higher ones first, and lower ones first. */
static void expect_apart(void)
{
    struct reduce_cut_ cut;
    CHECK(reduce_exact_cut_(MOST, sizeof(float), false, &cut));
    const size_t chunk = cut.chunk_;
    float *const x = (float *)room;
    for (u64 seed = 0; seed < 2; seed++) {
        for (size_t i = 0; i < MOST; i++)
            x[i] = ldexpf(1 + (float)(mixed(i) % 8) / 8, i % chunk / REDUCE_EXACT_PORTION_ % 2 == seed ? -90 : 40);
        reduce_float_exact_sum_expect(MOST, EXACT_full, seed);
    }
}

/* One portion of numbers at the limit among zeros, in whole chunks. */
static void expect_limits(void)
{
    for (size_t k = 0; k < 2; k++)
        for (u64 seed = 0; seed < 64; seed++) {
            const size_t n = REDUCE_MAX_CHUNKS * PORTION, size = subjects[k].size;
            memset(room, 0, sizeof room);
            exact_fill((char *)room + seed % 3 * PORTION * size, PORTION, size, EXACT_limit, seed);
            subjects[k].expect(n, EXACT_limit, seed / 3 * 3);
        }
}

/* Specials in portions of their own; numbers of which 16,384 sums must not overflow. */
static void expect_portions(void)
{
    struct reduce_exact_float sum, *const to = (struct reduce_exact_float *)out;
    const float specials[] = {NAN, INFINITY, -INFINITY, -0x1p-149f};
    float *const in = (float *)room;
    for (u64 seed = 0; seed < 12; seed++) {
        exact_fill(room, MOST, 4, EXACT_near_, seed);
        in[seed % 3] = specials[seed % 3], in[PORTION + 9 * seed] = specials[seed / 3 % 3];
        subjects[seed % 2 * 2].expect(MOST, EXACT_special, seed);
    }
    for (size_t i = 0; i < MOST; i++) in[i] = specials[3];
    CHECK(cudaMemcpy(there, in, MOST * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(to, 0, sizeof *to));
    for (int k = 0; k < 400; k++) CHECK(floats_by_columns_accumulate_async((float *)there, MOST, to, ws, 0));
    from_device(&sum, to, sizeof sum);
    for (size_t k = 0; k < sizeof sum / 8; k++) ((int64_t *)&sum)[k] *= 16384;
    cr_assert(reduce_exact_float_round(&sum) == -0x1p-149f * 400 * MOST * 16384, "%a", (double)reduce_exact_float_round(&sum));
}

static void expect_refusals(void)
{
    float *const in = (float *)there, got = 7;
    struct reduce_exact_float *const to = (struct reduce_exact_float *)out;
    const cudaError_t invalid = cudaErrorInvalidValue, misaligned = cudaErrorMisalignedAddress;
    cr_assert(reduce_float_exact_sum_async(NULL, 1, (float *)out, ws, 0) == invalid, "null");
    cr_assert(reduce_float_exact_sum_async(in, 1, NULL, ws, 0) == invalid, "null");
    cr_assert(reduce_float_exact_sum_async(in, 1, (float *)out, NULL, 0) == invalid, "null");
    cr_assert(reduce_float_exact_sum_async(in, 9, in + 8, ws, 0) == invalid, "overlaps");
    cr_assert(reduce_float_exact_sum_async((float *)(void *)(there + 2), 9, (float *)out, ws, 0) == misaligned, "misaligned");
    cr_assert(reduce_float_exact_sum_async(in, REDUCE_MAX_ELEMENTS + 1, (float *)out, ws, 0) == invalid, "many");
    cr_assert(reduce_float_exact_sum_accumulate_async(in, 1, NULL, ws, 0) == invalid, "null");
    cr_assert(reduce_float_exact_sum_accumulate_async(in, 1, to, NULL, 0) == invalid, "null");
    cr_assert(reduce_float_exact_sum_accumulate_async(in, 9, (struct reduce_exact_float *)(void *)(in + 8), ws, 0) == invalid, "overlaps");
    cr_assert(reduce_float_exact_sum_accumulate_async((float *)to + sizeof *to / 4 - 1, 1, to, ws, 0) == invalid, "overlaps");
    cr_assert(reduce_float_exact_sum_accumulate_async(in, 9, (struct reduce_exact_float *)(void *)(in + 4097), ws, 0) == misaligned, "misaligned");
    cr_assert(reduce_float_exact_sum_async(NULL, 0, (float *)out, ws, 0) == cudaSuccess, "nothing");
    from_device(&got, out, sizeof got);
    cr_assert(got == 0 && !signbit(got), "nothing");
    cr_assert(reduce_float_exact_sum((float *)room, 0, &got) == cudaSuccess && reduce_float_exact_sum(NULL, 3, &got) == invalid, "the call");
}

int main(void)
{
    const size_t sizes[] = {1, 33, 300, 1500, REDUCE_MAX_CHUNKS * PORTION + 700};
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    there = (char *)device_room(sizeof room, 0x5a);
    out = device_room(sizeof(struct reduce_exact_double), 0x5a);
    for (size_t k = 0; k < COUNT(subjects); k++)
        for (size_t j = 0; j < COUNT(sizes); j++)
            for (int kind = 0; kind < EXACT_ALL_KINDS; kind++)
                for (u64 seed = 0; seed < (j < 3 ? 3 : 1); seed++) {
                    exact_fill(room, sizes[j], subjects[k].size, (enum exact_kind)kind, seed + 3 * j);
                    subjects[k].expect(sizes[j], (enum exact_kind)kind, seed + 3 * j);
                }
    for (size_t k = 0; k < COUNT(subjects); k++)
        for (int kind = 0; kind < EXACT_ALL_KINDS; kind++) {
            subjects[k].in_block(kind % 3 == 0 ? 1 : 7, kind % 3 == 1 ? 5 : 13, (enum exact_kind)kind, (u64)kind);
            if (kind % 5 == 2) subjects[k].in_block(256, 4, (enum exact_kind)kind, (u64)kind);
        }
    expect_maps();
    expect_indices();
    expect_apart();
    expect_limits();
    expect_portions();
    expect_refusals();
    CHECK(cudaFree(there));
    CHECK(cudaFree(out));
    cr_assert(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
