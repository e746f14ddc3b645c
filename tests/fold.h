/* The instances with which warps, blocks, grids and every rung are tested, each with its expected result (grid.h). */
#ifndef FOLD_H
#define FOLD_H

#include "check.h"
#include "grid.h"

/* The instances that every rung is tested with: X(NAME, T). */
#define FOLD_FEW(X)                                                                                       \
    X(reduce_int_sum, int)                                                                                \
    X(reduce_float_sum, float)                                                                            \
    X(reduce_float_max, float)                                                                            \
    X(reduce_double_sum, double)                                                                          \
    X(reduce_double_max, double)                                                                          \
    X(reduce_u8_trace, u8)                                                                                \
    X(reduce_u64_trace, u64)                                                                              \
    X(trace3, words3)                                                                                     \
    X(trace16, words16)
#ifdef FEW_TYPES
#define FOLD_CASES FOLD_FEW
#else
#define FOLD_CASES(X)                                                                                     \
    FOLD_FEW(X)                                                                                           \
    X(reduce_int_max, int)                                                                                \
    X(reduce_u16_trace, u16)                                                                              \
    X(trace6, words6)
#endif

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

#define FOLD(NAME, T) DEFINE_FOLDS(NAME, T, NAME##_identity(), NAME##_combine)
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
