/* One warp: NAME_warp, NAME_warp_n, NAME_tile and NAME_warp_volatile, in whole and in partial warps, and the
   operators that have an instruction. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "fold.h"

TestSuite(warp, .init = need_gpu);

/* Each thread writes: NAME_warp; NAME_warp_n of 0 to 34; NAME_tile of the six widths. */
enum { COUNTS = 35, WIDTHS = 6, RESULTS = 1 + COUNTS + WIDTHS };

static const struct shape shapes[] = {{32, 1, 1}, {1, 1, 1}, {7, 1, 1}, {31, 1, 1}, {33, 1, 1}, {16, 6, 1},
                                      {5, 7, 3}, {1, 2, 21}};

#define RUNGS(NAME, T)                                                                                    \
    static __global__ void NAME##_rungs(const T *in, T *out)                                              \
    {                                                                                                     \
        const T x = in[thread_of_block()];                                                                \
        out += thread_of_block() * RESULTS;                                                               \
        *out++ = NAME##_warp(x);                                                                          \
        for (int count = 0; count < COUNTS; count++) *out++ = NAME##_warp_n(x, count);                    \
        for (int width = 1; width <= 32; width *= 2) *out++ = NAME##_tile(x, width);                      \
    }

/* void NAME_check_group(...): lane of a warp has got the result of the count values from first on. */
#define CHECK_GROUP(NAME, T)                                                                              \
    static void NAME##_check_group(T got, const T *first, int count, int lane, const char *what, int n)   \
    {                                                                                                     \
        const T expected = NAME##_settled(NAME##_folded(first, count));                                   \
        cr_assert(SAME_BITS(got, expected), "%s_%s %d, lane %d: %s, not %s", #NAME, what, n, lane,        \
                  BITS(got), BITS(expected));                                                             \
    }

/* void NAME_check_thread(const T *in, const T *got, int thread, int threads): what one thread has written. */
#define CHECK_THREAD(NAME, T)                                                                             \
    static void NAME##_check_thread(const T *in, const T *got, int thread, int threads)                   \
    {                                                                                                     \
        const int lane = thread % 32, first = thread - lane;                                              \
        const int there = threads - first < 32 ? threads - first : 32;                                    \
        NAME##_check_group(*got++, in + first, there, lane, "warp in a block of", threads);               \
        for (int count = 0; count < COUNTS; count++)                                                      \
            NAME##_check_group(*got++, in + first, count < there ? count : there, lane, "warp_n", count); \
        for (int width = 1; width <= 32; width *= 2) {                                                    \
            const int tile = lane / width * width;                                                        \
            const int left = there - tile < width ? there - tile : width;                                 \
            NAME##_check_group(*got++, in + first + tile, left, lane, "tile", width);                     \
        }                                                                                                 \
    }

#define CHECK_RUNGS(NAME, T)                                                                              \
    static void NAME##_check_rungs(const T *in, struct shape shape)                                       \
    {                                                                                                     \
        const int threads = volume(shape);                                                                \
        const size_t size = sizeof(T) * RESULTS * (size_t)threads;                                        \
        T *got = (T *)malloc(size);                                                                       \
        T *in_device = (T *)to_device(in, sizeof(T) * (size_t)threads);                                   \
        T *out_device = (T *)device_room(size, 0xa5);                                                     \
        NAME##_rungs<<<1, DIM3(shape)>>>(in_device, out_device);                                          \
        check_launch();                                                                                   \
        from_device(got, out_device, size);                                                               \
        for (int thread = 0; thread < threads; thread++)                                                  \
            NAME##_check_thread(in, got + thread * RESULTS, thread, threads);                             \
        CHECK(cudaFree(in_device));                                                                       \
        CHECK(cudaFree(out_device));                                                                      \
        free(got);                                                                                        \
    }

FOLD_CASES(RUNGS)
FOLD_CASES(CHECK_GROUP)
FOLD_CASES(CHECK_THREAD)
FOLD_CASES(CHECK_RUNGS)

#define CHECK_SHAPES(NAME, T)                                                                             \
    for (size_t k = 0; k < COUNT(shapes); k++) {                                                          \
        T in[128];                                                                                        \
        fill_##T(in, COUNT(in), k);                                                                       \
        NAME##_check_rungs(in, shapes[k]);                                                                \
    }

Test(warp, registers)
{
    FOLD_CASES(CHECK_SHAPES)
}

/* NaNs with every bit of their payload, of either sign: in no lane, in one lane at a time, and in all lanes. */
#define CHECK_NANS(NAME, T, UNSIGNED)                                                                     \
    for (int at = 0; at <= 64; at++) {                                                                    \
        const UNSIGNED nan_bits[] = {(UNSIGNED)~(UNSIGNED)0, (UNSIGNED) ~(UNSIGNED)0 >> 1};               \
        T in[64];                                                                                         \
        fill_##T(in, COUNT(in), (u64)at);                                                                 \
        for (int k = 0; k < 64; k++)                                                                      \
            if (k == at || at == 64) memcpy(&in[k], &nan_bits[k % 2], sizeof(T));                         \
        if (at < 33 || at == 64) NAME##_check_rungs(in, {33, 1, 1});                                      \
    }

Test(warp, one_nan)
{
    CHECK_NANS(reduce_float_sum, float, u32)
    CHECK_NANS(reduce_float_max, float, u32)
    CHECK_NANS(reduce_double_sum, double, u64)
    CHECK_NANS(reduce_double_max, double, u64)
}

/* ---- Numbers for which a GPU has an instruction, or keys that have one -------------------------------- */

/* X(T, op, infinity): the bits of infinity, or 0 for integers. */
#define NUMBERS_OF_FLOATING(X, T, infinity)                                                               \
    X(T, min, infinity)                                                                                   \
    X(T, max, infinity)                                                                                   \
    X(T, fmin, infinity)                                                                                  \
    X(T, fmax, infinity)                                                                                  \
    X(T, land, infinity)                                                                                  \
    X(T, lor, infinity)
#define NUMBERS_OF_INTEGER(X, T)                                                                          \
    X(T, sum, 0)                                                                                          \
    X(T, min, 0)                                                                                          \
    X(T, max, 0)                                                                                          \
    X(T, band, 0)                                                                                         \
    X(T, bor, 0)                                                                                          \
    X(T, bxor, 0)                                                                                         \
    X(T, land, 0)                                                                                         \
    X(T, lor, 0)
#define NUMBERS(X)                                                                                        \
    NUMBERS_OF_FLOATING(X, float, 0x7f800000)                                                             \
    NUMBERS_OF_FLOATING(X, double, 0x7ff0000000000000)                                                    \
    NUMBERS_OF_FLOATING(X, __half, 0x7c00)                                                                \
    NUMBERS_OF_FLOATING(X, __nv_bfloat16, 0x7f80)                                                         \
    NUMBERS_OF_INTEGER(X, i64)                                                                            \
    X(u64, min, 0)                                                                                        \
    X(u64, max, 0)                                                                                        \
    X(i8, sum, 0)                                                                                         \
    X(i8, min, 0)                                                                                         \
    X(u16, max, 0)                                                                                        \
    X(i16, sum, 0)                                                                                        \
    X(bool, sum, 0)                                                                                       \
    X(bool, bxor, 0)                                                                                      \
    X(bool, land, 0)                                                                                      \
    X(bool, lor, 0)

#define DEFINE_NUMBER(T, op, infinity) DEFINE_REDUCE(T, op)
#define REDUCE_HAVE_reduce_float_max /* by fold.h */
#define REDUCE_HAVE_reduce_double_max
NUMBERS(DEFINE_NUMBER)

enum { NUMBER_THREADS = 33, NUMBER_ROUNDS = 48 };

/* Few different values in each round, or many: zeros of both signs, NaNs, infinities, the least and the
   greatest numbers, and some that differ in high words or in low ones only. */
static void fill_numbers(void *to, size_t size, u64 infinity, bool is_bool, u64 round)
{
    const u64 sign = 1ull << (8 * size - 1), hash = mixed(round);
    const u64 bits[] = {0,            sign,     infinity,     infinity | sign,   sign - 1, ~0ull,
                        infinity + 1, infinity | sign | 77,   hash,              hash ^ 1, hash ^ 1ull << 40,
                        infinity - 1, (infinity - 2) | sign,  1,                 sign | 1, mixed(hash)};
    for (u64 k = 0; k < NUMBER_THREADS; k++) {
        const u64 one_of = mixed(round) >> (mixed(round ^ k << 32) % 4 * 4) & 15;
        const u64 x = bits[round % 4 == 0 ? mixed(k + round) % 16 : one_of];
        memset((char *)to + k * size, is_bool ? (int)(x & 1) : 0, size);
        if (!is_bool) memcpy((char *)to + k * size, &x, size);
    }
}

#define RUN_NUMBERS(T, op, infinity)                                                                      \
    static __global__ void T##_##op##_numbers(const T *in, T *out)                                        \
    {                                                                                                     \
        const T x = in[threadIdx.x];                                                                      \
        out[3 * threadIdx.x] = reduce_##T##_##op##_warp(x);                                               \
        out[3 * threadIdx.x + 1] = reduce_##T##_##op##_tile(x, 8);                                        \
        out[3 * threadIdx.x + 2] = reduce_##T##_##op##_block(x);                                          \
    }                                                                                                     \
    static void T##_##op##_check_numbers(u64 round)                                                       \
    {                                                                                                     \
        T in[NUMBER_THREADS], got[3 * NUMBER_THREADS];                                                    \
        fill_numbers(in, sizeof(T), infinity, strcmp(#T, "bool") == 0, round);                            \
        T *in_device = (T *)to_device(in, sizeof in), *out_device = (T *)device_room(sizeof got, 0xa5);   \
        T##_##op##_numbers<<<1, NUMBER_THREADS>>>(in_device, out_device);                                 \
        check_launch();                                                                                   \
        from_device(got, out_device, sizeof got);                                                         \
        for (int k = 0; k < NUMBER_THREADS; k++) {                                                        \
            const int warp = k / 32 * 32, tile = k / 8 * 8;                                               \
            const T expected[] = {reduce_##T##_##op##_cpu(in + warp, k < 32 ? 32 : 1),                    \
                                  reduce_##T##_##op##_cpu(in + tile, k < 32 ? 8 : 1),                     \
                                  reduce_##T##_##op##_cpu(in, NUMBER_THREADS)};                           \
            for (int f = 0; f < 3; f++)                                                                   \
                cr_assert(SAME_BITS(got[3 * k + f], expected[f]),                                         \
                          "%s %s, round %d, function %d, lane %d: %s, not %s", #T, #op, (int)round, f, k, \
                          BITS(got[3 * k + f]), BITS(expected[f]));                                       \
        }                                                                                                 \
        CHECK(cudaFree(in_device));                                                                       \
        CHECK(cudaFree(out_device));                                                                      \
    }
NUMBERS(RUN_NUMBERS)

#define CHECK_NUMBERS(T, op, infinity)                                                                    \
    for (u64 round = 0; round < NUMBER_ROUNDS; round++) T##_##op##_check_numbers(round);

Test(warp, numbers)
{
    NUMBERS(CHECK_NUMBERS)
}

/* ---- In shared memory ---------------------------------------------------------------------------------- */

enum { VOLATILE_THREADS = 96, VOLATILE_CALLS = 3 };

/* Each warp on its own slice. It is written just before each call and just after, by other lanes each
   time. */
#define VOLATILES(NAME, T)                                                                                \
    static __global__ void NAME##_volatiles(const T *in, T *out)                                          \
    {                                                                                                     \
        __shared__ T slices[VOLATILE_THREADS];                                                            \
        const int first = thread_of_block() / 32 * 32, lane = thread_of_block() % 32;                     \
        for (int call = 0; call < VOLATILE_CALLS; call++) {                                               \
            const int at = first + (lane + 5 * call) % 32;                                                \
            slices[at] = in[call * VOLATILE_THREADS + at];                                                \
            out[call * VOLATILE_THREADS + first + lane] = NAME##_warp_volatile(slices + first);           \
        }                                                                                                 \
        slices[first + lane] = in[0];                                                                     \
    }

#define CHECK_VOLATILE(NAME, T)                                                                           \
    static void NAME##_check_volatile(u64 seed, const void *nan_bits)                                     \
    {                                                                                                     \
        T in[VOLATILE_CALLS * VOLATILE_THREADS], got[COUNT(in)];                                          \
        fill_##T(in, COUNT(in), seed);                                                                    \
        if (nan_bits != NULL) memcpy(&in[VOLATILE_THREADS + 40 + seed % 24], nan_bits, sizeof(T));        \
        T *in_device = (T *)to_device(in, sizeof in), *out_device = (T *)device_room(sizeof got, 0xa5);   \
        NAME##_volatiles<<<1, dim3(8, 4, 3)>>>(in_device, out_device);                                    \
        check_launch();                                                                                   \
        from_device(got, out_device, sizeof got);                                                         \
        for (size_t k = 0; k < COUNT(in); k++)                                                            \
            NAME##_check_group(got[k], in + k / 32 * 32, 32, (int)k % 32, "warp_volatile, group",         \
                               (int)k / 32);                                                              \
        CHECK(cudaFree(in_device));                                                                       \
        CHECK(cudaFree(out_device));                                                                      \
    }

FOLD_CASES(VOLATILES)
FOLD_CASES(CHECK_VOLATILE)

#define CHECK_VOLATILES(NAME, T)                                                                          \
    for (u64 seed = 0; seed < 4; seed++) NAME##_check_volatile(seed, NULL);

Test(warp, shared_memory)
{
    const u32 float_nan = 0xff812345u;
    const u64 double_nan = 0xfff0000000012345ull;
    FOLD_CASES(CHECK_VOLATILES)
    for (u64 seed = 0; seed < 4; seed++) {
        reduce_float_sum_check_volatile(seed, &float_nan);
        reduce_float_max_check_volatile(seed, &float_nan);
        reduce_double_sum_check_volatile(seed, &double_nan);
        reduce_double_max_check_volatile(seed, &double_nan);
    }
}

#ifdef SIMT
static __global__ void tiles_of(int width, float *out) { *out = reduce_float_sum_tile(1, width); }

/* The simulator stops if a tile has no such width. */
Test(warp, tiles_wider_than_a_warp, .exit_code = 86)
{
    tiles_of<<<1, 64>>>(64, (float *)device_room(sizeof(float), 0));
    check_launch();
}

Test(warp, tiles_of_12, .exit_code = 86)
{
    tiles_of<<<1, 64>>>(12, (float *)device_room(sizeof(float), 0));
    check_launch();
}
#endif
