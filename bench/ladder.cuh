/*
 * ladder.cuh: the steps by which parallel reduction is taught, from the simplest to the fastest, each right on
 * today's GPUs and generated for any type and operator. To be read, run side by side and measured; to reduce
 * arrays in earnest, take the library's NAME_async.
 *
 *     DEFINE_REDUCE(float, max)
 *     DEFINE_LADDER(float, max)          every rung, named reduce_float_max_b1 and so on
 *
 *     LADDER_B1(NAME, T)                 or single rungs, for any NAME that DEFINE_REDUCE or DEFINE_REDUCE_AS
 *                                        has defined over elements of type T, after LADDER_BASE(NAME, T)
 *
 * Three scales: how 32 values become one inside a warp (W), how a block's values become one (B), how the
 * blocks' results meet (G); and the whole trip of an array from main memory and back (H). Kernels are one-
 * dimensional. Each thread first combines every so many elements of the input, a grid's width apart, then the
 * rung begins. W and B rungs leave one result for each warp or block, and are run again on those until one is
 * left; NAME_ladder does that.
 *
 * Every barrier, __syncwarp and fence here is needed: the tests fail when one is taken out.
 */
#ifndef LADDER_CUH
#define LADDER_CUH

#include "reduce.cuh"

#include <cooperative_groups.h>

/* X(ID, name, scale, title): the rungs in the order of this file, as LADDER_ID and NAME_name. */
#define LADDER_RUNGS(X)                                                                                   \
    X(W1, w1, 'W', "volatile, a guard for each step")                                                     \
    X(W2, w2, 'W', "volatile, one guard")                                                                 \
    X(W3, w3, 'W', "volatile, padded, no guard")                                                          \
    X(W4, w4, 'W', "shuffles")                                                                            \
    X(B1, b1, 'B', "interleaved addressing, divergent")                                                   \
    X(B2, b2, 'B', "interleaved addressing, bank conflicts")                                              \
    X(B3, b3, 'B', "sequential addressing")                                                               \
    X(B4, b4, 'B', "sequential down to one warp, then shuffles")                                          \
    X(B5A, b5a, 'B', "the last warp unrolled, volatile array")                                            \
    X(B5P, b5p, 'B', "the last warp unrolled, volatile parameter")                                        \
    X(B6A, b6a, 'B', "completely unrolled, volatile array")                                               \
    X(B6P, b6p, 'B', "completely unrolled, volatile parameter")                                           \
    X(B7V, b7v, 'B', "each warp, then one warp; volatile")                                                \
    X(B7, b7, 'B', "each warp, then one warp; shuffles")                                                  \
    X(G5, g5, 'G', "block sums in place, again and again")                                                \
    X(G1, g1, 'G', "two launches")                                                                        \
    X(G3, g3, 'G', "an atomic for each warp")                                                             \
    X(G4, g4, 'G', "an atomic for each block")                                                            \
    X(G2, g2, 'G', "the last block")                                                                      \
    X(G6, g6, 'G', "cooperative groups")

enum ladder_rung {
#define LADDER_ENUMERATOR_(ID, name, scale, title) LADDER_##ID,
    LADDER_RUNGS(LADDER_ENUMERATOR_) LADDER_COUNT
};

/* ---- What rungs share ---------------------------------------------------------------------------------- */

#define LADDER_HOST_ static inline __attribute__((unused))
#define LADDER_DEVICE_ static __device__ __forceinline__ __attribute__((unused))
#define LADDER_GLOBAL_ static __global__ __attribute__((unused)) void __launch_bounds__(LADDER_THREADS)

enum {
    LADDER_WARP = 32,
    LADDER_THREADS = 1024,             /* in the largest block */
    LADDER_SHARED = 48 * 1024,         /* bytes of shared memory that every block may have */
    LADDER_PADDED = LADDER_WARP * 3 / 2 /* values of a warp that adds without a guard, and what it reads past them */
};

#define LADDER_IS_PLAIN_(T) (!__is_class(T) && !__is_union(T))

#define LADDER_NEEDS_ROOM_(NAME, rung, T, per_warp)                                                       \
    static_assert(sizeof(T) * (per_warp) * (LADDER_THREADS / LADDER_WARP) <= LADDER_SHARED,               \
                  #NAME ": " rung " keeps a value of each thread in shared memory, and 1024 of " #T       \
                        " do not fit 48 KiB: shuffle instead (W4, B7)");

#define LADDER_NEEDS_VOLATILE_(NAME, rung, T)                                                             \
    static_assert(LADDER_IS_PLAIN_(T), #NAME ": " rung " assigns volatile values, and C has no volatile " \
                                             "assignment of structs such as " #T                          \
                                             ": shuffle instead (W4, B7)");

#define LADDER_NEEDS_ATOMIC_(NAME, rung, T)                                                               \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8,                                                       \
                  #NAME ": " rung " needs an atomic operation, and there is none for the size of " #T     \
                        ": only for 4 and 8 bytes. Take turns instead (G2)");

#define LADDER_NEEDS_POWER_(NAME, rung, BLOCK)                                                            \
    static_assert((BLOCK) > 0 && (BLOCK) <= LADDER_THREADS && ((BLOCK) & ((BLOCK) - 1)) == 0,             \
                  #NAME ": " rung " is unrolled for blocks of 1, 2, 4, ... 1024 threads, not " #BLOCK);

LADDER_DEVICE_ unsigned ladder_lane_(void)
{
    return threadIdx.x % LADDER_WARP;
}

/* This warp's number in the grid. */
LADDER_DEVICE_ unsigned ladder_warp_(void)
{
    const unsigned warps_of_block = (blockDim.x + LADDER_WARP - 1) / LADDER_WARP;
    return blockIdx.x * warps_of_block + threadIdx.x / LADDER_WARP;
}

/* The greatest power of two below count: what lies beyond it folds onto what lies before. */
LADDER_DEVICE_ unsigned ladder_half_(unsigned count)
{
    return count > 1 ? 1u << (31 - __clz((int)(count - 1))) : 0;
}

/* T NAME_gather_(const T *in, size_t n): this thread's share of the input, elements a whole grid apart, so that
   neighbouring threads read neighbouring elements. Any n, any grid. */
#define LADDER_GATHER_(NAME, T)                                                                           \
    LADDER_DEVICE_ T NAME##_gather_(const T *in, size_t n)                                                \
    {                                                                                                     \
        const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;                               \
        T x = NAME##_identity();                                                                          \
        for (size_t i = first; i < n; i += (size_t)gridDim.x * blockDim.x) x = NAME##_combine(x, in[i]);  \
        return x;                                                                                         \
    }

/* ---- W: inside one warp ----------------------------------------------------------------------------------
 *
 * The texts rely on the lanes of a warp running in lockstep, and on volatile to keep the compiler from holding
 * values in registers. Since Volta the lanes run apart: __syncwarp has to stand between one lane's write and
 * another's read, and then volatile has nothing left to do. Blocks of whole warps.
 */

/* W1. The warp's values lie in shared memory; strides 16, 8, 4, 2, 1; at each only the lanes below the stride
   work, behind a guard, so that no lane reads what another writes in the same step. Price: five branches; at
   stride 1 one lane works and 31 wait. */
#define LADDER_W1(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "W1", T, LADDER_WARP)                                                        \
    LADDER_GLOBAL_ NAME##_w1(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        extern __shared__ T NAME##_w1_values[];                                                           \
        T *slice = NAME##_w1_values + threadIdx.x / LADDER_WARP * LADDER_WARP;                            \
        slice[ladder_lane_()] = NAME##_gather_(in, n);                                                    \
        const T x = NAME##_warp_volatile(slice);                                                          \
        if (ladder_lane_() == 0) out[ladder_warp_()] = x;                                                 \
    }

/* void NAME_step_(volatile T *mine, int stride, unsigned lanes): one step in which every lane works, wanted or
   not. A lane may write what another reads, so all reads come before all writes, and those before the next
   step. lanes names who calls. */
#define LADDER_STEP_(NAME, T)                                                                             \
    LADDER_DEVICE_ void NAME##_step_(volatile T *mine, int stride, unsigned lanes)                        \
    {                                                                                                     \
        const T x = NAME##_combine(mine[0], mine[stride]);                                                \
        __syncwarp(lanes);                                                                                \
        mine[0] = x;                                                                                      \
        __syncwarp(lanes);                                                                                \
    }

/* W2. One guard around all five steps: fewer branches. The lower half of the warp works to the end; what its
   upper lanes leave in values 1 to 31 is of no use, and does no harm. Price: two __syncwarp a step instead of
   one, whose mask names the lanes inside the guard and no others. */
#define LADDER_W2(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "W2", T, LADDER_WARP)                                                        \
    LADDER_NEEDS_VOLATILE_(NAME, "W2", T)                                                                 \
    LADDER_GLOBAL_ NAME##_w2(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        extern __shared__ volatile T NAME##_w2_values[];                                                  \
        volatile T *mine = NAME##_w2_values + threadIdx.x;                                                \
        mine[0] = NAME##_gather_(in, n);                                                                  \
        __syncwarp();                                                                                     \
        if (ladder_lane_() < 16) {                                                                        \
            for (int stride = 16; stride > 0; stride /= 2) NAME##_step_(mine, stride, 0xffffu);           \
        }                                                                                                 \
        if (ladder_lane_() == 0) out[ladder_warp_()] = mine[0];                                           \
    }

/* W3. No guard at all: the warp's slice is 48 long, and the 16 values that the upper lanes read past its end
   are the identity: 0 for a sum, but -infinity for a max. Price: half as much shared memory again. */
#define LADDER_W3(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "W3", T, LADDER_PADDED)                                                      \
    LADDER_NEEDS_VOLATILE_(NAME, "W3", T)                                                                 \
    LADDER_GLOBAL_ NAME##_w3(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        extern __shared__ volatile T NAME##_w3_values[];                                                  \
        volatile T *slice = NAME##_w3_values + threadIdx.x / LADDER_WARP * LADDER_PADDED;                 \
        volatile T *mine = slice + ladder_lane_();                                                        \
        mine[0] = NAME##_gather_(in, n);                                                                  \
        if (ladder_lane_() < 16) mine[32] = NAME##_identity();                                            \
        __syncwarp();                                                                                     \
        for (int stride = 16; stride > 0; stride /= 2) NAME##_step_(mine, stride, ~0u);                   \
        if (ladder_lane_() == 0) out[ladder_warp_()] = mine[0];                                           \
    }

/* W4. Values stay in registers, and lanes read each other's by shuffles: no shared memory, no __syncwarp, no
   guard. Every lane that executes a shuffle is named in its mask; the shrinking masks of some texts are
   undefined. Price: none. Any block, its last warp partial or not. */
#define LADDER_W4(NAME, T)                                                                                \
    LADDER_GLOBAL_ NAME##_w4(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        const T x = NAME##_warp(NAME##_gather_(in, n));                                                   \
        if (ladder_lane_() == 0) out[ladder_warp_()] = x;                                                 \
    }

/* ---- B: inside one block ---------------------------------------------------------------------------------
 *
 * Each rung is a function, T NAME_ID_fold_(values): blockDim.x values in shared memory become one, for thread
 * 0; and a kernel around it. values[threadIdx.x] is this thread's own, and nothing has synchronised yet.
 */

/* The kernel NAME_ID around such a function; the shared array may be volatile. */
#define LADDER_SHARED_KERNEL_(NAME, id, T, VOLATILE)                                                      \
    LADDER_GLOBAL_ NAME##_##id(const T *in, size_t n, T *out)                                             \
    {                                                                                                     \
        extern __shared__ VOLATILE T NAME##_##id##_values[];                                              \
        NAME##_##id##_values[threadIdx.x] = NAME##_gather_(in, n);                                        \
        const T x = NAME##_##id##_fold_(NAME##_##id##_values);                                            \
        if (threadIdx.x == 0) out[blockIdx.x] = x;                                                        \
    }

/* B1. Neighbours first: strides 1, 2, 4, ...; the thread at every other multiple of the stride adds. Simple,
   and right for any block size. Price: the threads that work are spread over all warps to the end, so each
   warp runs for a few of its lanes (divergence), behind a slow modulo. */
#define LADDER_B1(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "B1", T, LADDER_WARP)                                                        \
    LADDER_DEVICE_ T NAME##_b1_fold_(T *values)                                                           \
    {                                                                                                     \
        const unsigned tid = threadIdx.x;                                                                 \
        for (unsigned s = 1; s < blockDim.x; s *= 2) {                                                    \
            __syncthreads();                                                                              \
            if (tid % (2 * s) == 0 && tid + s < blockDim.x)                                               \
                values[tid] = NAME##_combine(values[tid], values[tid + s]);                               \
        }                                                                                                 \
        return values[0];                                                                                 \
    }                                                                                                     \
    LADDER_SHARED_KERNEL_(NAME, b1, T, )

/* B2. The same tree, but the first threads do the work: those of whole warps, while the others have nothing to
   do; no modulo. Price: neighbouring threads now read values 2s apart, which lie in the same banks of shared
   memory, and wait for each other: 2 ways at s = 1, 32 ways from s = 16 on. */
#define LADDER_B2(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "B2", T, LADDER_WARP)                                                        \
    LADDER_DEVICE_ T NAME##_b2_fold_(T *values)                                                           \
    {                                                                                                     \
        for (unsigned s = 1; s < blockDim.x; s *= 2) {                                                    \
            const unsigned at = 2 * s * threadIdx.x;                                                      \
            __syncthreads();                                                                              \
            if (at + s < blockDim.x) values[at] = NAME##_combine(values[at], values[at + s]);             \
        }                                                                                                 \
        return values[0];                                                                                 \
    }                                                                                                     \
    LADDER_SHARED_KERNEL_(NAME, b2, T, )

/* B3. The upper half onto the lower: strides from half the block down to 1, so that neighbouring threads read
   neighbouring values: no bank conflicts, no divergence above one warp. In a block that is not a power of two
   the first step folds only what lies beyond the greatest power of two below. Price: half of the threads
   never work, and the last six steps, for one warp, each pay a barrier of the whole block. */
#define LADDER_B3(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "B3", T, LADDER_WARP)                                                        \
    LADDER_DEVICE_ T NAME##_b3_fold_(T *values)                                                           \
    {                                                                                                     \
        const unsigned tid = threadIdx.x;                                                                 \
        for (unsigned s = ladder_half_(blockDim.x); s > 0; s /= 2) {                                      \
            __syncthreads();                                                                              \
            if (tid < s && tid + s < blockDim.x) values[tid] = NAME##_combine(values[tid], values[tid + s]); \
        }                                                                                                 \
        return values[0];                                                                                 \
    }                                                                                                     \
    LADDER_SHARED_KERNEL_(NAME, b3, T, )

#endif /* LADDER_CUH */
