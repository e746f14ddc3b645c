/*
 * The results that the functions of warps, blocks and grids must give, computed one value after the
 * other: the upper half onto the lower, where there is an upper half; the warps of a block first, then
 * their results in the same way.
 */
#ifndef FOLD_H
#define FOLD_H

#include "check.h"

/* The instances that every rung is tested with: X(NAME, T). */
#define FOLD_CASES(X)                                                                                     \
    X(reduce_int_sum, int)                                                                                \
    X(reduce_int_max, int)                                                                                \
    X(reduce_float_sum, float)                                                                            \
    X(reduce_float_max, float)                                                                            \
    X(reduce_double_sum, double)                                                                          \
    X(reduce_double_max, double)                                                                          \
    X(reduce_u8_trace, u8)                                                                                \
    X(reduce_u16_trace, u16)                                                                              \
    X(reduce_u64_trace, u64)                                                                              \
    X(trace3, words3)                                                                                     \
    X(trace6, words6)                                                                                     \
    X(trace16, words16)

DEFINE_REDUCE(int, sum)
DEFINE_REDUCE(int, max)
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE(double, sum)
DEFINE_REDUCE(double, max)
DEFINE_REDUCE(u8, trace)
DEFINE_REDUCE(u16, trace)
DEFINE_REDUCE(u64, trace)
DEFINE_REDUCE_AS(trace3, words3, no_words3(), trace_words3(a, b))
DEFINE_REDUCE_AS(trace6, words6, no_words6(), trace_words6(a, b))
DEFINE_REDUCE_AS(trace16, words16, no_words16(), trace_words16(a, b))

/* What a NaN of a result looks like; other values and types stay. */
HELPER void settle_nan(void *value, const char *type)
{
    const u32 bits = 0x7fc00000u;
    const u64 long_bits = 0x7ff8000000000000ull;
    float number = 0;
    double long_number = 0;
    if (strcmp(type, "float") == 0) memcpy(&number, value, sizeof number);
    if (strcmp(type, "double") == 0) memcpy(&long_number, value, sizeof long_number);
    if (number != number) memcpy(value, &bits, sizeof bits);
    if (long_number != long_number) memcpy(value, &long_bits, sizeof long_bits);
}

/* T NAME_folded(const T *from, int count): up to 32 values. T NAME_of_block(const T *from, int threads):
   the values of a block. T NAME_settled(T x): a result as users get it. */
#define FOLD(NAME, T)                                                                                     \
    HELPER T NAME##_folded(const T *from, int count)                                                      \
    {                                                                                                     \
        T x[32];                                                                                          \
        if (count <= 0) return NAME##_identity();                                                         \
        memcpy(x, from, sizeof(T) * (size_t)count);                                                       \
        for (int stride = 16; stride >= 1; stride /= 2)                                                   \
            for (int k = 0; k < stride; k++)                                                              \
                if (k + stride < count) x[k] = NAME##_combine(x[k], x[k + stride]);                       \
        return x[0];                                                                                      \
    }                                                                                                     \
    HELPER T NAME##_of_block(const T *from, int threads)                                                  \
    {                                                                                                     \
        T of_warp[32];                                                                                    \
        int warps = 0;                                                                                    \
        memset(of_warp, 0, sizeof of_warp);                                                               \
        for (; warps * 32 < threads; warps++) {                                                           \
            const int left = threads - warps * 32;                                                        \
            of_warp[warps] = NAME##_folded(from + warps * 32, left < 32 ? left : 32);                     \
        }                                                                                                 \
        return NAME##_folded(of_warp, warps);                                                             \
    }                                                                                                     \
    HELPER T NAME##_settled(T x)                                                                          \
    {                                                                                                     \
        settle_nan(&x, #T);                                                                               \
        return x;                                                                                         \
    }

FOLD_CASES(FOLD)

/* ---- Where a thread is, in the tests' own words -------------------------------------------------------- */

static __device__ __forceinline__ int thread_of_block(void)
{
    return (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int threads_of_block(void)
{
    return (int)(blockDim.x * blockDim.y * blockDim.z);
}

static __device__ __forceinline__ int block_of_grid(void)
{
    return (int)((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
}

/* A shape of a block or a grid, as tables of shapes hold it. */
struct shape {
    unsigned x, y, z;
};

HELPER int volume(struct shape shape)
{
    return (int)(shape.x * shape.y * shape.z);
}

#define SHAPE_FORMAT "(%u, %u, %u)"
#define SHAPE_VALUES(shape) (shape).x, (shape).y, (shape).z
#define DIM3(shape) dim3((shape).x, (shape).y, (shape).z)

#endif /* FOLD_H */
