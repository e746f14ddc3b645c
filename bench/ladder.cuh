/*
 * ladder.cuh: the steps by which parallel reduction is taught, from the simplest to the fastest, each right
 * on today's GPUs and generated for any type and operator. It is made to be read, run side by side and
 * measured; to reduce arrays in a program, use the library's NAME_async.
 *
 *     DEFINE_REDUCE(float, max)
 *     DEFINE_LADDER(float, max)     every rung: kernels, reduce_float_max_b1 and so on, and what launches
 *                                   them, reduce_float_max_ladder: see "From the host"
 *
 *     LADDER_BASE(NAME, T)          single rungs, for any NAME that DEFINE_REDUCE or DEFINE_REDUCE_AS has
 *     LADDER_B1(NAME, T)            defined over elements of type T
 *
 * Three scales: how a block's values become one (B), how the 32 values of a warp become one (W), how the
 * results of all blocks meet (G); and the whole trip of an array from main memory (H). Kernels are
 * one-dimensional. In each, every thread first combines its share of the input; then the rung begins. A B
 * rung leaves a result for each block, a W rung for each warp; launched again on those, it ends with one.
 *
 * Every barrier, __syncwarp and fence here is needed: the tests fail when any one is taken out.
 */
#ifndef LADDER_CUH
#define LADDER_CUH

#include "reduce.cuh"

#include <cooperative_groups.h>

/* X(ID, name, scale, title): the rungs in the order of this file, known as LADDER_ID and NAME_name. */
#define LADDER_RUNGS(X)                                                                                   \
    X(B1, b1, 'B', "interleaved addressing, divergent")                                                   \
    X(B2, b2, 'B', "interleaved addressing, bank conflicts")                                              \
    X(B3, b3, 'B', "sequential addressing")                                                               \
    X(B4, b4, 'B', "sequential down to one warp, then shuffles")                                          \
    X(B5A, b5a, 'B', "last warp unrolled, volatile array")                                                \
    X(B5P, b5p, 'B', "last warp unrolled, volatile parameter")                                            \
    X(B6A, b6a, 'B', "completely unrolled, volatile array")                                               \
    X(B6P, b6p, 'B', "completely unrolled, volatile parameter")                                           \
    X(B7V, b7v, 'B', "each warp, then one warp; volatile")                                                \
    X(B7, b7, 'B', "each warp, then one warp; shuffles")                                                  \
    X(W1, w1, 'W', "volatile, a guard for each step")                                                     \
    X(W2, w2, 'W', "volatile, one guard")                                                                 \
    X(W3, w3, 'W', "volatile, padded, no guard")                                                          \
    X(W4, w4, 'W', "shuffles")                                                                            \
    X(G1, g1, 'G', "two launches")                                                                        \
    X(G2, g2, 'G', "the last block")                                                                      \
    X(G3, g3, 'G', "an atomic for each warp")                                                             \
    X(G4, g4, 'G', "an atomic for each block")                                                            \
    X(G5, g5, 'G', "block results in place, again and again")                                             \
    X(G6, g6, 'G', "two launches, cooperative groups")                                                    \
    X(G7, g7, 'G', "the last block, wide loads")                                                          \
    X(G8, g8, 'G', "the last block, several wide loads in flight")                                        \
    X(G9, g9, 'G', "slots in place of the ticket")

#define LADDER_ENUMERATOR_(ID, name, scale, title) LADDER_##ID,
enum ladder_rung { LADDER_RUNGS(LADDER_ENUMERATOR_) LADDER_COUNT };

/* ---- What rungs share ---------------------------------------------------------------------------------- */

#define LADDER_HOST_ static inline __attribute__((unused))
#define LADDER_DEVICE_ static __device__ __forceinline__ __attribute__((unused))
#define LADDER_GLOBAL_ static __global__ __attribute__((unused)) void
#define LADDER_MAX_(a, b) ((a) > (b) ? (a) : (b))

#define LADDER_WARP 32
#define LADDER_PADDED 48          /* values of a warp, and those that its upper lanes read past them */
#define LADDER_THREADS 1024       /* in the largest block */
#define LADDER_SHARED (48 * 1024) /* bytes of shared memory that every block may have */
#define LADDER_WARPS (LADDER_THREADS / LADDER_WARP)

/* What a rung asks of a type or a block, each in a sentence of the compiler's message. */

#define LADDER_NEEDS_ROOM_(NAME, rung, T, values_of_a_warp)                                               \
    static_assert(sizeof(T) * (values_of_a_warp) * LADDER_WARPS <= LADDER_SHARED,                         \
                  #NAME ": " rung " keeps one value per thread in shared memory, and 1024 values of "     \
                        "type " #T " do not fit 48 KiB: shuffle instead (W4, B7)");

#define LADDER_NEEDS_PLAIN_(NAME, rung, T)                                                                \
    static_assert(!__is_class(T) && !__is_union(T),                                                       \
                  #NAME ": " rung " assigns volatile values, and a volatile struct such as " #T           \
                        " cannot be assigned: shuffle instead (W4, B7)");

#define LADDER_NEEDS_ATOMIC_(NAME, T)                                                                     \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8,                                                       \
                  #NAME ": G3 and G4 need an atomic operation on a " #T ", and GPUs have them for 4 and " \
                        "8 bytes: take turns instead (G1, G2)");

#define LADDER_NEEDS_POWER_(NAME, rung, BLOCK)                                                            \
    static_assert((BLOCK) > 0 && (BLOCK) <= LADDER_THREADS && ((BLOCK) & ((BLOCK)-1)) == 0,               \
                  #NAME ": " rung " is unrolled for a block of 1, 2, 4, ... or 1024 threads, not " #BLOCK);

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

/* The greatest power of two below count, or 0: the values from there on fold onto the first ones. */
LADDER_DEVICE_ unsigned ladder_half_(unsigned count)
{
    return count > 1 ? 1u << (31 - __clz((int)(count - 1))) : 0;
}

/* T NAME_ladder_gather_(const T *in, size_t n): this thread's share of any n elements in any grid. They lie a
   whole grid apart, so that neighbouring threads always read neighbouring elements. */
#define LADDER_BASE(NAME, T)                                                                              \
    LADDER_DEVICE_ T NAME##_ladder_gather_(const T *in, size_t n)                                         \
    {                                                                                                     \
        const size_t threads = (size_t)gridDim.x * blockDim.x;                                            \
        T x = NAME##_identity();                                                                          \
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)               \
            x = NAME##_combine(x, in[i]);                                                                 \
        return x;                                                                                         \
    }

/* void NAME_ladder_step_(volatile T *mine, int stride, unsigned lanes): a step in which every lane works,
   whether its result is wanted or not. A lane may write what another reads, so all reads come before all
   writes, and these before the next step's reads. lanes names all who call. For W2, W3, B5 and B6. */
#define LADDER_STEP(NAME, T)                                                                              \
    LADDER_NEEDS_PLAIN_(NAME, "a volatile step", T)                                                       \
    LADDER_DEVICE_ void NAME##_ladder_step_(volatile T *mine, int stride, unsigned lanes)                 \
    {                                                                                                     \
        const T x = NAME##_combine(mine[0], mine[stride]);                                                \
        __syncwarp(lanes);                                                                                \
        mine[0] = x;                                                                                      \
        __syncwarp(lanes);                                                                                \
    }

/* ---- B: inside one block ---------------------------------------------------------------------------------
 *
 * Blocks of 1 to 1024 threads, unless it is said otherwise. B1 to B5 are functions, void
 * NAME_ID_fold_(values): the values of all threads, in shared memory, become one, values[0], for thread 0.
 * Nothing has synchronised before.
 */

/* The kernel NAME_ID around such a function. The array may be volatile. */
#define LADDER_FOLD_KERNEL_(NAME, id, T, VOLATILE)                                                        \
    LADDER_GLOBAL_ NAME##_##id(const T *in, size_t n, T *out)                                             \
    {                                                                                                     \
        extern __shared__ VOLATILE T NAME##_##id##_values[];                                              \
        NAME##_##id##_values[threadIdx.x] = NAME##_ladder_gather_(in, n);                                 \
        NAME##_##id##_fold_(NAME##_##id##_values);                                                        \
        if (threadIdx.x == 0) out[blockIdx.x] = NAME##_##id##_values[0];                                  \
    }

/* B1. Neighbours first: strides 1, 2, 4, ...; at each the threads at multiples of twice the stride work.
   Simple, for blocks of any size.
   Price: those threads are spread over all warps to the very end, so that each warp runs for a few of its
   lanes (divergence); and the modulo is slow. */
#define LADDER_B1(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "B1", T, LADDER_WARP)                                                        \
    LADDER_DEVICE_ void NAME##_b1_fold_(T *values)                                                        \
    {                                                                                                     \
        const unsigned tid = threadIdx.x;                                                                 \
        for (unsigned s = 1; s < blockDim.x; s *= 2) {                                                    \
            __syncthreads();                                                                              \
            if (tid % (2 * s) == 0 && tid + s < blockDim.x)                                               \
                values[tid] = NAME##_combine(values[tid], values[tid + s]);                               \
        }                                                                                                 \
    }                                                                                                     \
    LADDER_FOLD_KERNEL_(NAME, b1, T, )

/* B2. The same pairs, but the first threads take them: whole warps work and whole warps rest; no modulo.
   Price: neighbouring threads read values 2s apart, which share banks of shared memory, so that they are
   served one after the other: two at a time for s = 1, all 32 of a warp from s = 16 on. */
#define LADDER_B2(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "B2", T, LADDER_WARP)                                                        \
    LADDER_DEVICE_ void NAME##_b2_fold_(T *values)                                                        \
    {                                                                                                     \
        for (unsigned s = 1; s < blockDim.x; s *= 2) {                                                    \
            const unsigned at = 2 * s * threadIdx.x;                                                      \
            __syncthreads();                                                                              \
            if (at + s < blockDim.x) values[at] = NAME##_combine(values[at], values[at + s]);             \
        }                                                                                                 \
    }                                                                                                     \
    LADDER_FOLD_KERNEL_(NAME, b2, T, )

/* B3. The upper half onto the lower: neighbouring threads read neighbouring values, so no bank has two to
   serve. The first stride is the greatest power of two below the block's size; beyond it there may be fewer
   values than before it.
   Price: half of the threads never work; and each of the last five barriers stops the whole block, though it
   orders nothing but the lanes of one warp. */
#define LADDER_B3(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "B3", T, LADDER_WARP)                                                        \
    LADDER_DEVICE_ void NAME##_b3_fold_(T *values)                                                        \
    {                                                                                                     \
        const unsigned tid = threadIdx.x;                                                                 \
        for (unsigned s = ladder_half_(blockDim.x); s > 0; s /= 2) {                                      \
            __syncthreads();                                                                              \
            if (tid < s && tid + s < blockDim.x)                                                          \
                values[tid] = NAME##_combine(values[tid], values[tid + s]);                               \
        }                                                                                                 \
    }                                                                                                     \
    LADDER_FOLD_KERNEL_(NAME, b3, T, )

/* B4. As B3 until 32 values are left, each in the hands of the thread that wrote it; the first warp takes
   them into registers and shuffles: five barriers fewer.
   Price: a second way of adding, with rules of its own. */
#define LADDER_B4(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "B4", T, LADDER_WARP)                                                        \
    LADDER_DEVICE_ void NAME##_b4_fold_(T *values)                                                        \
    {                                                                                                     \
        const unsigned tid = threadIdx.x;                                                                 \
        for (unsigned s = ladder_half_(blockDim.x); s >= LADDER_WARP; s /= 2) {                           \
            __syncthreads();                                                                              \
            if (tid < s && tid + s < blockDim.x)                                                          \
                values[tid] = NAME##_combine(values[tid], values[tid + s]);                               \
        }                                                                                                 \
        if (tid < LADDER_WARP) values[tid] = NAME##_warp(values[tid]);                                    \
    }                                                                                                     \
    LADDER_FOLD_KERNEL_(NAME, b4, T, )

/* void NAME_ladder_last_warp_(volatile T *mine, unsigned count): the steps of one warp over count values, at
   most 64, without a loop and, where count is a constant, without a branch. */
#define LADDER_LAST_WARP(NAME, T)                                                                         \
    LADDER_DEVICE_ void NAME##_ladder_last_warp_(volatile T *mine, unsigned count)                        \
    {                                                                                                     \
        if (count > 32) NAME##_ladder_step_(mine, 32, ~0u);                                               \
        if (count > 16) NAME##_ladder_step_(mine, 16, ~0u);                                               \
        if (count > 8) NAME##_ladder_step_(mine, 8, ~0u);                                                 \
        if (count > 4) NAME##_ladder_step_(mine, 4, ~0u);                                                 \
        if (count > 2) NAME##_ladder_step_(mine, 2, ~0u);                                                 \
        if (count > 1) NAME##_ladder_step_(mine, 1, ~0u);                                                 \
    }                                                                                                     \
    /* void NAME_ladder_pad_(...): what the last warp reads past the values of a small block */           \
    LADDER_DEVICE_ void NAME##_ladder_pad_(volatile T *values)                                            \
    {                                                                                                     \
        for (unsigned k = blockDim.x + threadIdx.x; k < 2 * LADDER_WARP; k += blockDim.x)                 \
            values[k] = NAME##_identity();                                                                \
    }

/* B5. As B3 until 64 values are left; then the first warp does six volatile steps on its own, unrolled: five
   barriers and the rounds of a loop fewer. A block of fewer than 64 threads is padded, or thread tid would
   read a value tid + 32 that nobody has written.
   Price: two __syncwarp a step, since lanes no longer move in lockstep. */
#define LADDER_B5_(NAME, id, T, VOLATILE)                                                                 \
    LADDER_NEEDS_ROOM_(NAME, "B5", T, LADDER_WARP)                                                        \
    LADDER_NEEDS_PLAIN_(NAME, "B5", T)                                                                    \
    LADDER_DEVICE_ void NAME##_##id##_fold_(VOLATILE T *values)                                           \
    {                                                                                                     \
        const unsigned tid = threadIdx.x;                                                                 \
        NAME##_ladder_pad_(values);                                                                       \
        for (unsigned s = ladder_half_(blockDim.x); s > LADDER_WARP; s /= 2) {                            \
            __syncthreads();                                                                              \
            if (tid < s && tid + s < blockDim.x)                                                          \
                values[tid] = NAME##_combine(values[tid], values[tid + s]);                               \
        }                                                                                                 \
        __syncthreads();                                                                                  \
        if (tid < LADDER_WARP) NAME##_ladder_last_warp_(values + tid, 2 * LADDER_WARP);                   \
    }                                                                                                     \
    LADDER_FOLD_KERNEL_(NAME, id, T, VOLATILE)

/* The two forms of the texts. With the array volatile, the steps that barriers already order are volatile
   too; with the parameter alone, only those of the last warp. */
#define LADDER_B5A(NAME, T) LADDER_B5_(NAME, b5a, T, volatile)
#define LADDER_B5P(NAME, T) LADDER_B5_(NAME, b5p, T, )

/* B6. The size of the block is a constant, so that the loop is gone, and every step that a smaller block
   does not have. Where the upper lanes of a small block read past its values there is room, and what they
   make of it reaches no value that counts.
   Price: a kernel for each size, 1, 2, 4, ... 1024, named NAME_b6a_512 and so on. */
#define LADDER_UNROLLED_(NAME, s)                                                                         \
    if (block > (s)) {                                                                                    \
        __syncthreads();                                                                                  \
        if (tid < (s)) values[tid] = NAME##_combine(values[tid], values[tid + (s)]);                      \
    }

#define LADDER_B6_FOLD_(NAME, id, T, VOLATILE)                                                            \
    LADDER_NEEDS_PLAIN_(NAME, "B6", T)                                                                    \
    LADDER_DEVICE_ void NAME##_##id##_fold_(VOLATILE T *values, const unsigned block)                     \
    {                                                                                                     \
        const unsigned tid = threadIdx.x;                                                                 \
        LADDER_UNROLLED_(NAME, 512)                                                                       \
        LADDER_UNROLLED_(NAME, 256)                                                                       \
        LADDER_UNROLLED_(NAME, 128)                                                                       \
        LADDER_UNROLLED_(NAME, 64)                                                                        \
        __syncthreads();                                                                                  \
        if (tid < LADDER_WARP) NAME##_ladder_last_warp_(values + tid, block);                             \
    }

#define LADDER_B6_KERNEL_(BLOCK, NAME, id, T, VOLATILE)                                                   \
    LADDER_NEEDS_POWER_(NAME, "B6", BLOCK)                                                                \
    LADDER_GLOBAL_ NAME##_##id##_##BLOCK(const T *in, size_t n, T *out)                                   \
    {                                                                                                     \
        __shared__ VOLATILE T values[LADDER_MAX_(BLOCK, 2 * LADDER_WARP)];                                \
        values[threadIdx.x] = NAME##_ladder_gather_(in, n);                                               \
        NAME##_##id##_fold_(values, BLOCK);                                                               \
        if (threadIdx.x == 0) out[blockIdx.x] = values[0];                                                \
    }

/* X(BLOCK, ...): the sizes. Define another list before this file is included, if fewer will do. */
#ifndef LADDER_B6_SIZES
#define LADDER_B6_SIZES(X, ...)                                                                           \
    X(1, __VA_ARGS__)                                                                                     \
    X(2, __VA_ARGS__)                                                                                     \
    X(4, __VA_ARGS__)                                                                                     \
    X(8, __VA_ARGS__)                                                                                     \
    X(16, __VA_ARGS__)                                                                                    \
    X(32, __VA_ARGS__)                                                                                    \
    X(64, __VA_ARGS__)                                                                                    \
    X(128, __VA_ARGS__)                                                                                   \
    X(256, __VA_ARGS__)                                                                                   \
    X(512, __VA_ARGS__)                                                                                   \
    X(1024, __VA_ARGS__)
#endif

#define LADDER_B6_(NAME, id, T, VOLATILE)                                                                 \
    LADDER_B6_FOLD_(NAME, id, T, VOLATILE)                                                                \
    LADDER_B6_SIZES(LADDER_B6_KERNEL_, NAME, id, T, VOLATILE)

#define LADDER_B6A(NAME, T) LADDER_B6_(NAME, b6a, T, volatile)
#define LADDER_B6P(NAME, T) LADDER_B6_(NAME, b6p, T, )

/* B7V. Every warp reduces its own slice, at the same time as the others; then the first warp reduces the
   warps' results: one barrier, whatever the block's size. The results have an array of their own: in the
   texts warp w reads value 32w and writes value w of one array, over what another warp has not read yet.
   Price: 32 more values; and blocks of whole warps. */
#define LADDER_B7V(NAME, T)                                                                               \
    LADDER_NEEDS_ROOM_(NAME, "B7V", T, LADDER_WARP + 1)                                                   \
    LADDER_GLOBAL_ NAME##_b7v(const T *in, size_t n, T *out)                                              \
    {                                                                                                     \
        extern __shared__ T NAME##_b7v_values[];                                                          \
        __shared__ T of_warp[LADDER_WARP];                                                                \
        const unsigned tid = threadIdx.x, warp = tid / LADDER_WARP;                                       \
        NAME##_b7v_values[tid] = NAME##_ladder_gather_(in, n);                                            \
        if (tid < LADDER_WARP && tid >= blockDim.x / LADDER_WARP) of_warp[tid] = NAME##_identity();       \
        const T x = NAME##_warp_volatile(NAME##_b7v_values + warp * LADDER_WARP);                         \
        if (ladder_lane_() == 0) of_warp[warp] = x;                                                       \
        __syncthreads();                                                                                  \
        if (tid >= LADDER_WARP) return;                                                                   \
        const T of_block = NAME##_warp_volatile(of_warp);                                                 \
        if (tid == 0) out[blockIdx.x] = of_block;                                                         \
    }

/* B7. The same by shuffles: the library's NAME_block. Shared memory holds one value for each warp.
   Price: none. Any block, its last warp partial or not. */
#define LADDER_B7(NAME, T)                                                                                \
    LADDER_GLOBAL_ NAME##_b7(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        const T x = NAME##_block(NAME##_ladder_gather_(in, n));                                           \
        if (threadIdx.x == 0) out[blockIdx.x] = x;                                                        \
    }

/* ---- W: inside one warp ----------------------------------------------------------------------------------
 *
 * The texts rely on the lanes of a warp moving in lockstep, and on volatile to keep values out of registers.
 * Since Volta lanes move on their own: between one lane's write and another's read there has to be a
 * __syncwarp, and where there is one, volatile has nothing left to do. All but W4 want blocks of whole warps.
 */

/* W1. The values lie in shared memory. Strides 16, 8, 4, 2, 1: at each only the lanes below the stride work,
   behind a guard, and within a step no lane reads what another writes.
   Price: five branches, and ever fewer lanes that do anything. */
#define LADDER_W1(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "W1", T, LADDER_WARP)                                                        \
    LADDER_GLOBAL_ NAME##_w1(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        extern __shared__ T NAME##_w1_values[];                                                           \
        T *slice = NAME##_w1_values + threadIdx.x - ladder_lane_();                                       \
        slice[ladder_lane_()] = NAME##_ladder_gather_(in, n);                                             \
        const T x = NAME##_warp_volatile(slice);                                                          \
        if (ladder_lane_() == 0) out[ladder_warp_()] = x;                                                 \
    }

/* W2. One guard around all five steps: one branch. The lower half of the warp works to the end; what it
   leaves in values 1 to 15 is of no use and does no harm.
   Price: a second __syncwarp in each step. Their mask names the lanes behind the guard and no others. */
#define LADDER_W2(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "W2", T, LADDER_WARP)                                                        \
    LADDER_NEEDS_PLAIN_(NAME, "W2", T)                                                                    \
    LADDER_DEVICE_ T NAME##_w2_fold_(volatile T *slice, T x)                                              \
    {                                                                                                     \
        volatile T *mine = slice + ladder_lane_();                                                        \
        mine[0] = x;                                                                                      \
        __syncwarp();                                                                                     \
        if (ladder_lane_() < 16)                                                                          \
            for (int stride = 16; stride > 0; stride /= 2) NAME##_ladder_step_(mine, stride, 0xffff);     \
        return mine[0];                                                                                   \
    }                                                                                                     \
    LADDER_GLOBAL_ NAME##_w2(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        extern __shared__ volatile T NAME##_w2_values[];                                                  \
        volatile T *slice = NAME##_w2_values + threadIdx.x - ladder_lane_();                              \
        const T x = NAME##_w2_fold_(slice, NAME##_ladder_gather_(in, n));                                 \
        if (ladder_lane_() == 0) out[ladder_warp_()] = x;                                                 \
    }

/* W3. No guard, no branch. The slice is 48 long, and what the upper lanes read past the warp's values is the
   identity: 0 for a sum, but not for every operator. So lane k ends with the result of values k to 31, and
   lane 0 with that of all.
   Price: half as much shared memory again. */
#define LADDER_W3(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "W3", T, LADDER_PADDED)                                                      \
    LADDER_NEEDS_PLAIN_(NAME, "W3", T)                                                                    \
    LADDER_DEVICE_ T NAME##_w3_fold_(volatile T *slice, T x)                                              \
    {                                                                                                     \
        volatile T *mine = slice + ladder_lane_();                                                        \
        mine[0] = x;                                                                                      \
        if (ladder_lane_() < 16) mine[32] = NAME##_identity();                                            \
        __syncwarp();                                                                                     \
        for (int stride = 16; stride > 0; stride /= 2) NAME##_ladder_step_(mine, stride, ~0u);            \
        return mine[0];                                                                                   \
    }                                                                                                     \
    LADDER_GLOBAL_ NAME##_w3(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        extern __shared__ volatile T NAME##_w3_values[];                                                  \
        volatile T *slice = NAME##_w3_values + threadIdx.x / LADDER_WARP * LADDER_PADDED;                 \
        const T x = NAME##_w3_fold_(slice, NAME##_ladder_gather_(in, n));                                 \
        if (ladder_lane_() == 0) out[ladder_warp_()] = x;                                                 \
    }

/* W4. Lanes read each other's registers by shuffles: no shared memory, no __syncwarp. Every lane that
   executes a shuffle is named in its mask; the shrinking masks of some texts are undefined.
   Price: none; and the last warp of a block may be partial. */
#define LADDER_W4(NAME, T)                                                                                \
    LADDER_GLOBAL_ NAME##_w4(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        const T x = NAME##_warp(NAME##_ladder_gather_(in, n));                                            \
        if (ladder_lane_() == 0) out[ladder_warp_()] = x;                                                 \
    }

/* ---- G: across blocks ------------------------------------------------------------------------------------
 *
 * Blocks cannot wait for each other: nobody promises that all of them run at the same time.
 */

/* G1. Two launches: as many blocks as the GPU can hold, each with a long share of the input; then one block,
   on their results. The end of the first launch is the barrier that the grid lacks. Any B rung will do: G1 is
   B7, launched twice.
   Price: a second launch, of a microsecond or more, in which one block works. */

/* G2. One launch, and the same bits each time: every block leaves its result and takes a ticket; the one
   that draws the last ticket reduces the results, gridDim.x of them, in their order. reduce_last_block has a
   fence on both sides of the ticket, and sets it back to zero.
   Price: the fences and the ticket, and that the other blocks' places stand empty meanwhile. */
#define LADDER_G2_(NAME, id, T, GATHER)                                                                   \
    LADDER_GLOBAL_ NAME##_##id(const T *in, size_t n, T *results, unsigned *ticket, T *out)               \
    {                                                                                                     \
        T x = NAME##_block(GATHER(in, n));                                                                \
        if (threadIdx.x == 0) results[blockIdx.x] = x;                                                    \
        if (!reduce_last_block(ticket)) return;                                                           \
        x = NAME##_identity();                                                                            \
        for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x) x = NAME##_combine(x, results[k]); \
        x = NAME##_block(x);                                                                              \
        if (threadIdx.x == 0) *out = x;                                                                   \
    }

#define LADDER_G2(NAME, T) LADDER_G2_(NAME, g2, T, NAME##_ladder_gather_)

/* The atomic operation of a type and an operator, where GPUs have one: ATOMIC(T *cell, T x). (That of a float
   sum takes subnormal numbers for zero.) */
#define LADDER_NATIVE_int_sum ~, atomicAdd
#define LADDER_NATIVE_int_min ~, atomicMin
#define LADDER_NATIVE_int_max ~, atomicMax
#define LADDER_NATIVE_unsigned_sum ~, atomicAdd
#define LADDER_NATIVE_unsigned_min ~, atomicMin
#define LADDER_NATIVE_unsigned_max ~, atomicMax
#define LADDER_NATIVE_float_sum ~, atomicAdd
#define LADDER_NATIVE_double_sum ~, atomicAdd

/* What the table above has for a type and an operator, or else otherwise. */
#define LADDER_SECOND_(a, b, ...) b
#define LADDER_NATIVE_OR_(native, otherwise) LADDER_SECOND_(native, otherwise, ~)
#define LADDER_ATOMIC_(T, op, otherwise) LADDER_NATIVE_OR_(LADDER_NATIVE_##T##_##op, otherwise)

LADDER_DEVICE_ unsigned long long ladder_compare_and_swap_(void *cell, size_t size, unsigned long long seen,
                                                           unsigned long long next)
{
    if (size == sizeof(unsigned)) return atomicCAS((unsigned *)cell, (unsigned)seen, (unsigned)next);
    return atomicCAS((unsigned long long *)cell, seen, next);
}

/* void NAME_ladder_swap(T *cell, T x): for the others, a loop that combines x with what it has seen in the
   cell, and begins again when somebody else was faster. */
#define LADDER_SWAP(NAME, T)                                                                              \
    LADDER_NEEDS_ATOMIC_(NAME, T)                                                                         \
    LADDER_DEVICE_ void NAME##_ladder_swap(T *cell, T x)                                                  \
    {                                                                                                     \
        unsigned long long seen, next = 0, found = 0;                                                     \
        do {                                                                                              \
            T value;                                                                                      \
            seen = found;                                                                                 \
            memcpy(&value, &seen, sizeof value);                                                          \
            value = NAME##_combine(value, x);                                                             \
            memcpy(&next, &value, sizeof value);                                                          \
            found = ladder_compare_and_swap_(cell, sizeof value, seen, next);                             \
        } while (found != seen);                                                                          \
    }

/* G3. One launch: the first lane of every warp combines the warp's result into *out, which holds the
   identity before. The texts' guard, threadIdx.x & (warpSize - 1) == 0, means threadIdx.x & (... == 0): it
   is never true, no warp adds anything, and the famous 0.546 ms are the time of doing nothing.
   Price: atomics on one cell go one after the other; whoever comes first differs from run to run, and so do
   the bits of a float sum. NOT REPRODUCIBLE. */
#define LADDER_G3(NAME, T, ATOMIC)                                                                        \
    LADDER_GLOBAL_ NAME##_g3(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        const T x = NAME##_warp(NAME##_ladder_gather_(in, n));                                            \
        if (ladder_lane_() == 0) ATOMIC(out, x);                                                          \
    }

/* G4. One atomic for each block: up to 32 times fewer.
   Price: the block's barrier. NOT REPRODUCIBLE for floats either. */
#define LADDER_G4(NAME, T, ATOMIC)                                                                        \
    LADDER_GLOBAL_ NAME##_g4(const T *in, size_t n, T *out)                                               \
    {                                                                                                     \
        const T x = NAME##_block(NAME##_ladder_gather_(in, n));                                           \
        if (threadIdx.x == 0) ATOMIC(out, x);                                                             \
    }

/* G5. A thread for each element; block b's result goes into the first of its own elements, and the next
   launch reduces those, count of them, stride apart. No other memory is needed. In the texts the results go
   to the front of the array, where they may overwrite what another block has not read yet.
   Price: the input is lost; a launch for each power of the block's size; blocks of one element a thread,
   whose every warp spends more time on its fold than on reading. */
#define LADDER_G5(NAME, T)                                                                                \
    LADDER_GLOBAL_ NAME##_g5(const T *in, size_t count, size_t stride, T *out)                            \
    {                                                                                                     \
        const size_t first = (size_t)blockIdx.x * blockDim.x, at = first + threadIdx.x;                   \
        const T x = NAME##_block(at < count ? in[at * stride] : NAME##_identity());                       \
        if (threadIdx.x == 0) out[first * stride] = x;                                                    \
    }

/* G6. G1 with the same block reduction as B3, written with cooperative groups: block.sync() is
   __syncthreads(). The texts compare it on three kinds of memory: see NAME_ladder_trip.
   Price: another header, in C++17, that takes longer to compile than all of this file. */
#define LADDER_G6(NAME, T)                                                                                \
    LADDER_NEEDS_ROOM_(NAME, "G6", T, LADDER_WARP)                                                        \
    LADDER_DEVICE_ void NAME##_g6_fold_(T *values)                                                        \
    {                                                                                                     \
        const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();           \
        const unsigned rank = block.thread_rank(), size = (unsigned)block.size();                         \
        for (unsigned s = ladder_half_(size); s > 0; s /= 2) {                                            \
            block.sync();                                                                                 \
            if (rank < s && rank + s < size)                                                              \
                values[rank] = NAME##_combine(values[rank], values[rank + s]);                            \
        }                                                                                                 \
    }                                                                                                     \
    LADDER_FOLD_KERNEL_(NAME, g6, T, )

/* Packs: the neighbouring elements that fill 16 bytes, which one instruction loads. They begin at the first
   element whose address is a multiple of 16; rest is what lies before the first pack or behind the last.
   Elements of another size, or none of which has such an address, are packs of one, or rest.

   size_t NAME_ladder_before_(const T *in, size_t n): how many elements lie before the first pack
   T NAME_ladder_add_(T x, pack): x, with the elements of a pack
   T NAME_ladder_rest_(T x, ...): x, with this thread's share of the elements that are in none of the packs */
#define LADDER_PACKS(NAME, T)                                                                             \
    enum { NAME##_ladder_wide_ = sizeof(T) < 16 && 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1 };            \
    struct alignas(NAME##_ladder_wide_ > 1 ? 16 : alignof(T)) NAME##_ladder_pack_ {                       \
        T x[NAME##_ladder_wide_];                                                                         \
    };                                                                                                    \
    LADDER_DEVICE_ size_t NAME##_ladder_before_(const T *in, size_t n)                                    \
    {                                                                                                     \
        const size_t past = (size_t)in % 16, before = (16 - past) % 16 / sizeof(T);                       \
        if (NAME##_ladder_wide_ == 1) return 0;                                                           \
        return past % sizeof(T) == 0 && before < n ? before : n;                                          \
    }                                                                                                     \
    LADDER_DEVICE_ T NAME##_ladder_add_(T x, struct NAME##_ladder_pack_ pack)                             \
    {                                                                                                     \
        for (int k = 0; k < NAME##_ladder_wide_; k++) x = NAME##_combine(x, pack.x[k]);                   \
        return x;                                                                                         \
    }                                                                                                     \
    LADDER_DEVICE_ T NAME##_ladder_rest_(T x, const T *in, size_t n, size_t before, size_t packs)         \
    {                                                                                                     \
        const size_t packed = packs * NAME##_ladder_wide_, threads = (size_t)gridDim.x * blockDim.x;      \
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n - packed; i += threads)      \
            x = NAME##_combine(x, in[i < before ? i : i + packed]);                                       \
        return x;                                                                                         \
    }

/* G7. G2 with wide loads: a thread asks for 16 bytes at a time, so that as many bytes take fewer instructions
   and more of them are on their way from memory at any moment.
   Price: the elements that are in none of the packs, at both ends, are a case of their own. */
#define LADDER_G7(NAME, T)                                                                                \
    LADDER_DEVICE_ T NAME##_g7_gather_(const T *in, size_t n)                                             \
    {                                                                                                     \
        const size_t before = NAME##_ladder_before_(in, n), count = (n - before) / NAME##_ladder_wide_;   \
        const struct NAME##_ladder_pack_ *packs =                                                         \
            (const struct NAME##_ladder_pack_ *)(const void *)(in + before);                              \
        const size_t threads = (size_t)gridDim.x * blockDim.x;                                            \
        T x = NAME##_identity();                                                                          \
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads)           \
            x = NAME##_ladder_add_(x, packs[i]);                                                          \
        return NAME##_ladder_rest_(x, in, n, before, count);                                              \
    }                                                                                                     \
    LADDER_G2_(NAME, g7, T, NAME##_g7_gather_)

/* G8. Four wide loads in flight: a thread starts four of them before it uses the first, so that it waits for
   memory once where it waited four times.
   Price: registers for four packs. */
#define LADDER_LOADS 4
#define LADDER_G8(NAME, T)                                                                                \
    LADDER_DEVICE_ T NAME##_g8_gather_(const T *in, size_t n)                                             \
    {                                                                                                     \
        const size_t before = NAME##_ladder_before_(in, n), count = (n - before) / NAME##_ladder_wide_;   \
        const struct NAME##_ladder_pack_ *packs =                                                         \
            (const struct NAME##_ladder_pack_ *)(const void *)(in + before);                              \
        const size_t threads = (size_t)gridDim.x * blockDim.x;                                            \
        size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;                                         \
        T x = NAME##_identity();                                                                          \
        for (; i + (LADDER_LOADS - 1) * threads < count; i += LADDER_LOADS * threads) {                   \
            struct NAME##_ladder_pack_ four[LADDER_LOADS];                                                \
            for (int k = 0; k < LADDER_LOADS; k++) four[k] = packs[i + k * threads];                      \
            for (int k = 0; k < LADDER_LOADS; k++) x = NAME##_ladder_add_(x, four[k]);                    \
        }                                                                                                 \
        for (; i < count; i += threads) x = NAME##_ladder_add_(x, packs[i]);                              \
        return NAME##_ladder_rest_(x, in, n, before, count);                                              \
    }                                                                                                     \
    LADDER_G2_(NAME, g8, T, NAME##_g8_gather_)

/* G9. No ticket and no fence: a block stores its result and a mark together, in words that are stored and
   loaded whole, into a slot of its own. The block of the highest index waits for each of the others' slots,
   combines them in a fixed order, and empties them for the next launch. It waits only for blocks that have
   started before it. The library's functions for slots serve any type; NAME_grid and NAME_async use them.
   Price: the grid has at most one block more than there are slots, and one block is known to be the last
   only because GPUs start blocks in the order of their index. */
#define LADDER_G9(NAME, T)                                                                                \
    LADDER_GLOBAL_ NAME##_g9(const T *in, size_t n, reduce_slot_ *slots, T *out)                          \
    {                                                                                                     \
        const unsigned last = gridDim.x - 1;                                                              \
        T x = NAME##_block(NAME##_g8_gather_(in, n));                                                     \
        if (blockIdx.x < last) {                                                                          \
            if (threadIdx.x == 0) reduce_publish_(slots + blockIdx.x, &x, sizeof x, 1);                   \
            return;                                                                                       \
        }                                                                                                 \
        if (threadIdx.x > 0) x = NAME##_identity();                                                       \
        for (unsigned k = threadIdx.x; k < last; k += blockDim.x) {                                       \
            T other;                                                                                      \
            while (!reduce_look_(&other, sizeof other, slots + k, 1)) continue;                           \
            reduce_empty_(slots + k, sizeof other);                                                       \
            x = NAME##_combine(x, other);                                                                 \
        }                                                                                                 \
        x = NAME##_block(x);                                                                              \
        if (threadIdx.x == 0) *out = x;                                                                   \
    }

/* ---- From the host ------------------------------------------------------------------------------------- */

struct ladder_shape {
    unsigned blocks, threads;
};

LADDER_HOST_ const char *ladder_id(enum ladder_rung rung)
{
#define LADDER_ID_(ID, name, scale, title) #ID,
    static const char *const ids[] = {LADDER_RUNGS(LADDER_ID_)};
    return ids[rung];
}

LADDER_HOST_ const char *ladder_title(enum ladder_rung rung)
{
#define LADDER_TITLE_(ID, name, scale, title) title,
    static const char *const titles[] = {LADDER_RUNGS(LADDER_TITLE_)};
    return titles[rung];
}

/* 'W', 'B' or 'G'. */
LADDER_HOST_ char ladder_scale(enum ladder_rung rung)
{
    return ladder_id(rung)[0];
}

LADDER_HOST_ unsigned ladder_warps(unsigned threads)
{
    return (threads + LADDER_WARP - 1) / LADDER_WARP;
}

#define LADDER_B6_IS_(BLOCK, threads) || threads == BLOCK

/* Whether a rung is made for a grid of this many blocks. G5 chooses its own. */
LADDER_HOST_ bool ladder_serves_grid(enum ladder_rung rung, unsigned blocks)
{
    return rung == LADDER_G5 || (blocks > 0 && (rung != LADDER_G9 || blocks <= REDUCE_SLOTS + 1));
}

/* Whether a rung is made for blocks of this many threads. */
LADDER_HOST_ bool ladder_serves(enum ladder_rung rung, unsigned threads)
{
    if (threads == 0 || threads > LADDER_THREADS) return false;
    switch (rung) {
    case LADDER_W1:
    case LADDER_W2:
    case LADDER_W3:
    case LADDER_B7V: return threads % LADDER_WARP == 0;
    case LADDER_B6A:
    case LADDER_B6P: return false LADDER_B6_SIZES(LADDER_B6_IS_, threads);
    case LADDER_G5: return threads > 1; /* or there would be as many results as elements */
    default: return true;
    }
}

/* Bytes of dynamic shared memory for each block. */
LADDER_HOST_ size_t ladder_shared(enum ladder_rung rung, unsigned threads, size_t size)
{
    switch (rung) {
    case LADDER_W1:
    case LADDER_W2:
    case LADDER_B1:
    case LADDER_B2:
    case LADDER_B3:
    case LADDER_B4:
    case LADDER_B7V:
    case LADDER_G6: return threads * size;
    case LADDER_W3: return ladder_warps(threads) * LADDER_PADDED * size;
    case LADDER_B5A:
    case LADDER_B5P: return LADDER_MAX_(threads, 2 * LADDER_WARP) * size;
    default: return 0;
    }
}

/* Results of one launch. */
LADDER_HOST_ unsigned ladder_results(enum ladder_rung rung, struct ladder_shape shape)
{
    return shape.blocks * (ladder_scale(rung) == 'W' ? ladder_warps(shape.threads) : 1);
}

/* The launch that reduces so many results: one block, or one warp when a W rung would not end otherwise. */
LADDER_HOST_ struct ladder_shape ladder_next(enum ladder_rung rung, struct ladder_shape shape,
                                             unsigned results)
{
    const bool is_one_warp = ladder_scale(rung) == 'W' && results <= LADDER_WARP;
    shape.blocks = 1;
    if (is_one_warp) shape.threads = REDUCE_MIN_(shape.threads, LADDER_WARP);
    return shape;
}

/* Memory on the device for one call of NAME_ladder at a time: a ticket, which is zero between calls, results
   of launches, taken in turns, and a workspace of the library for its slots. */
struct ladder_room {
    unsigned *ticket;
    void *results[2];
    reduce_workspace *ws;
};

/* Room for every rung in a grid of this shape. */
LADDER_HOST_ cudaError_t ladder_room_create(struct ladder_room *room, struct ladder_shape shape, size_t size)
{
    const size_t bytes = ((size_t)shape.blocks * ladder_warps(shape.threads) * size + 255) / 256 * 256;
    char *memory = NULL;
    cudaError_t status = cudaMalloc((void **)&memory, 256 + 2 * bytes);
    if (status != cudaSuccess) return status;
    status = cudaMemset(memory, 0, 256);
    if (status == cudaSuccess) status = reduce_workspace_create(&room->ws);
    if (status != cudaSuccess) {
        (void)cudaFree(memory);
        return status;
    }
    room->ticket = (unsigned *)memory;
    room->results[0] = memory + 256;
    room->results[1] = memory + 256 + bytes;
    return cudaSuccess;
}

LADDER_HOST_ cudaError_t ladder_room_destroy(struct ladder_room *room)
{
    const cudaError_t status = cudaFree(room->ticket), of_workspace = reduce_workspace_destroy(room->ws);
    return status != cudaSuccess ? status : of_workspace;
}

/* The kernel of a W or B rung, for blocks of so many threads. G1 is B7, launched twice. */
#define LADDER_KERNEL_OF_(NAME, T)                                                                        \
    typedef void NAME##_ladder_kernel_(const T *in, size_t n, T *out);                                    \
    LADDER_B6_OF_(NAME, b6a)                                                                              \
    LADDER_B6_OF_(NAME, b6p)                                                                              \
    LADDER_HOST_ NAME##_ladder_kernel_ *NAME##_ladder_kernel_of_(enum ladder_rung rung, unsigned threads) \
    {                                                                                                     \
        switch (rung) {                                                                                   \
        case LADDER_W1: return NAME##_w1;                                                                 \
        case LADDER_W2: return NAME##_w2;                                                                 \
        case LADDER_W3: return NAME##_w3;                                                                 \
        case LADDER_W4: return NAME##_w4;                                                                 \
        case LADDER_B1: return NAME##_b1;                                                                 \
        case LADDER_B2: return NAME##_b2;                                                                 \
        case LADDER_B3: return NAME##_b3;                                                                 \
        case LADDER_B4: return NAME##_b4;                                                                 \
        case LADDER_B5A: return NAME##_b5a;                                                               \
        case LADDER_B5P: return NAME##_b5p;                                                               \
        case LADDER_B6A: return NAME##_b6a_of_(threads);                                                  \
        case LADDER_B6P: return NAME##_b6p_of_(threads);                                                  \
        case LADDER_B7V: return NAME##_b7v;                                                               \
        case LADDER_G6: return NAME##_g6;                                                                 \
        case LADDER_G3: return NAME##_g3;                                                                 \
        case LADDER_G4: return NAME##_g4;                                                                 \
        default: return NAME##_b7;                                                                        \
        }                                                                                                 \
    }

#define LADDER_B6_CASE_(BLOCK, NAME, id)                                                                  \
    case BLOCK: return NAME##_##id##_##BLOCK;

#define LADDER_B6_OF_(NAME, id)                                                                           \
    LADDER_HOST_ NAME##_ladder_kernel_ *NAME##_##id##_of_(unsigned threads)                               \
    {                                                                                                     \
        switch (threads) {                                                                                \
            LADDER_B6_SIZES(LADDER_B6_CASE_, NAME, id)                                                    \
        default: return NULL;                                                                             \
        }                                                                                                 \
    }

/* cudaError_t NAME_ladder_launch(...): one launch of the kernel of a W or B rung, of G3, G4 or G6. */
#define LADDER_LAUNCH_(NAME, T)                                                                           \
    LADDER_HOST_ cudaError_t NAME##_ladder_launch(enum ladder_rung rung, const T *in, size_t n, T *out,   \
                                                  struct ladder_shape shape, cudaStream_t stream)         \
    {                                                                                                     \
        void *arguments[] = {&in, &n, &out};                                                              \
        return REDUCE_CUDA_LAUNCH_(NAME##_ladder_kernel_of_(rung, shape.threads), dim3(shape.blocks),     \
                                   dim3(shape.threads), arguments,                                        \
                                   ladder_shared(rung, shape.threads, sizeof(T)), stream);                \
    }

/* cudaError_t NAME_ladder_passes_(...): W and B rungs, launched on their own results until one is left. */
#define LADDER_PASSES_(NAME, T)                                                                           \
    LADDER_HOST_ cudaError_t NAME##_ladder_passes_(enum ladder_rung rung, const T *in, size_t n, T *out,  \
                                                   const struct ladder_room *room,                        \
                                                   struct ladder_shape shape, cudaStream_t stream)        \
    {                                                                                                     \
        for (int turn = 0;; turn = !turn) {                                                               \
            const unsigned results = ladder_results(rung, shape);                                         \
            T *to = results == 1 ? out : (T *)room->results[turn];                                        \
            const cudaError_t status = NAME##_ladder_launch(rung, in, n, to, shape, stream);              \
            if (status != cudaSuccess || results == 1) return status;                                     \
            in = to;                                                                                      \
            n = results;                                                                                  \
            shape = ladder_next(rung, shape, results);                                                    \
        }                                                                                                 \
    }

/* cudaError_t NAME_ladder_in_place_(...): G5. The size is divided by the block's, rounded up, until one block
   is left, which writes the result. */
#define LADDER_IN_PLACE_(NAME, T)                                                                         \
    LADDER_HOST_ cudaError_t NAME##_ladder_in_place_(T *in, size_t n, T *out, unsigned threads,           \
                                                     cudaStream_t stream)                                 \
    {                                                                                                     \
        for (size_t count = n, stride = 1;; stride *= threads) {                                          \
            const size_t blocks = count > threads ? (count + threads - 1) / threads : 1;                  \
            T *to = blocks == 1 ? out : in;                                                               \
            void *arguments[] = {&in, &count, &stride, &to};                                              \
            const cudaError_t status = REDUCE_CUDA_LAUNCH_(NAME##_g5, dim3((unsigned)blocks),             \
                                                           dim3(threads), arguments, 0, stream);          \
            if (status != cudaSuccess || blocks == 1) return status;                                      \
            count = blocks;                                                                               \
        }                                                                                                 \
    }

/* cudaError_t NAME_ladder_atomic_(...): G3 and G4. A kernel of one thread sets *out to the identity first. */
#define LADDER_BY_ATOMICS_(NAME, T)                                                                       \
    LADDER_GLOBAL_ NAME##_ladder_begin_(T *out)                                                           \
    {                                                                                                     \
        *out = NAME##_identity();                                                                         \
    }                                                                                                     \
    LADDER_HOST_ cudaError_t NAME##_ladder_atomic_(enum ladder_rung rung, const T *in, size_t n, T *out,  \
                                                   struct ladder_shape shape, cudaStream_t stream)        \
    {                                                                                                     \
        void *arguments[] = {&out};                                                                       \
        const cudaError_t status =                                                                        \
            REDUCE_CUDA_LAUNCH_(NAME##_ladder_begin_, dim3(1), dim3(1), arguments, 0, stream);            \
        return status != cudaSuccess ? status : NAME##_ladder_launch(rung, in, n, out, shape, stream);    \
    }

/* cudaError_t NAME_ladder_last_block_(...): G2, G7, G8. NAME_ladder_slots_: G9. */
#define LADDER_BY_LAST_BLOCK_(NAME, T)                                                                    \
    LADDER_HOST_ cudaError_t NAME##_ladder_last_block_(enum ladder_rung rung, const T *in, size_t n, T *out,\
                                                       const struct ladder_room *room,                    \
                                                       struct ladder_shape shape, cudaStream_t stream)    \
    {                                                                                                     \
        T *results = (T *)room->results[0];                                                               \
        unsigned *ticket = room->ticket;                                                                  \
        void *arguments[] = {&in, &n, &results, &ticket, &out};                                           \
        void (*const kernel)(const T *, size_t, T *, unsigned *, T *) =                                   \
            rung == LADDER_G2 ? NAME##_g2 : rung == LADDER_G7 ? NAME##_g7 : NAME##_g8;                    \
        return REDUCE_CUDA_LAUNCH_(kernel, dim3(shape.blocks), dim3(shape.threads), arguments, 0, stream);\
    }                                                                                                     \
    LADDER_HOST_ cudaError_t NAME##_ladder_slots_(const T *in, size_t n, T *out,                          \
                                                  const struct ladder_room *room,                         \
                                                  struct ladder_shape shape, cudaStream_t stream)         \
    {                                                                                                     \
        reduce_slot_ *slots = room->ws->slots_;                                                           \
        void *arguments[] = {&in, &n, &slots, &out};                                                      \
        return REDUCE_CUDA_LAUNCH_(NAME##_g9, dim3(shape.blocks), dim3(shape.threads), arguments, 0,      \
                                   stream);                                                               \
    }

/* cudaError_t NAME_ladder(...): n elements on the device to *out on the device by any one rung, in a grid of
   this shape where the rung does not choose its own; in the stream's order. A shape that the rung does not
   serve is cudaErrorInvalidConfiguration. G5 overwrites the input. */
#define LADDER_RUN_(NAME, T)                                                                              \
    LADDER_HOST_ cudaError_t NAME##_ladder(enum ladder_rung rung, T *in, size_t n, T *out,                \
                                           const struct ladder_room *room, struct ladder_shape shape,     \
                                           cudaStream_t stream)                                           \
    {                                                                                                     \
        if (!ladder_serves(rung, shape.threads) || !ladder_serves_grid(rung, shape.blocks))               \
            return cudaErrorInvalidConfiguration;                                                         \
        switch (rung) {                                                                                   \
        case LADDER_G2:                                                                                   \
        case LADDER_G7:                                                                                   \
        case LADDER_G8: return NAME##_ladder_last_block_(rung, in, n, out, room, shape, stream);          \
        case LADDER_G9: return NAME##_ladder_slots_(in, n, out, room, shape, stream);                     \
        case LADDER_G3:                                                                                   \
        case LADDER_G4: return NAME##_ladder_atomic_(rung, in, n, out, shape, stream);                    \
        case LADDER_G5: return NAME##_ladder_in_place_(in, n, out, shape.threads, stream);                \
        default: return NAME##_ladder_passes_(rung, in, n, out, room, shape, stream);                     \
        }                                                                                                 \
    }

/* ---- H: whole trips --------------------------------------------------------------------------------------
 *
 * From an array in main memory to its result there: memory taken, the array copied, reduced, the result
 * copied back, everything released. Every call's error is looked at, and nothing is lost on the way out.
 */

/* What the kernel reads, as the texts compare it for G6. */
enum ladder_memory {
    LADDER_MANAGED,      /* managed memory, filled by the host: pages move when the kernel asks for them */
    LADDER_FROM_MANAGED, /* device memory, filled from managed memory, filled by the host */
    LADDER_DEVICE        /* device memory, filled from the caller's array: H1 */
};

struct ladder_trip_ {
    void *managed, *device, *out;
    void *in; /* managed or device */
    struct ladder_room room;
    cudaEvent_t begin, end;
};

LADDER_HOST_ cudaError_t ladder_trip_fill_(struct ladder_trip_ *trip, enum ladder_memory memory,
                                           const void *from, size_t bytes)
{
    cudaError_t status = cudaSuccess;
    const size_t room = LADDER_MAX_(bytes, 1);
    if (memory != LADDER_DEVICE) {
        status = cudaMallocManaged(&trip->managed, room);
        if (status == cudaSuccess && bytes > 0) memcpy(trip->managed, from, bytes);
        from = trip->in = trip->managed;
    }
    if (memory == LADDER_MANAGED || status != cudaSuccess) return status;
    status = cudaMalloc(&trip->device, room);
    trip->in = trip->device;
    if (status == cudaSuccess && bytes > 0) status = cudaMemcpy(trip->device, from, bytes, cudaMemcpyDefault);
    return status;
}

LADDER_HOST_ cudaError_t ladder_trip_prepare_(struct ladder_trip_ *trip, struct ladder_shape shape,
                                              size_t size)
{
    cudaError_t status = cudaMalloc(&trip->out, size);
    if (status == cudaSuccess) status = ladder_room_create(&trip->room, shape, size);
    if (status == cudaSuccess) status = cudaEventCreate(&trip->begin);
    if (status == cudaSuccess) status = cudaEventCreate(&trip->end);
    return status;
}

/* Releases everything that was taken; the first error counts. */
LADDER_HOST_ cudaError_t ladder_trip_end_(struct ladder_trip_ *trip, cudaError_t status)
{
    const cudaError_t released[] = {
        trip->end != NULL ? cudaEventDestroy(trip->end) : cudaSuccess,
        trip->begin != NULL ? cudaEventDestroy(trip->begin) : cudaSuccess,
        ladder_room_destroy(&trip->room),
        cudaFree(trip->out),
        cudaFree(trip->device),
        cudaFree(trip->managed),
    };
    for (size_t k = 0; k < sizeof released / sizeof *released; k++)
        if (status == cudaSuccess) status = released[k];
    return status;
}

/* cudaError_t NAME_ladder_trip(...): by any rung and through any memory; *ms is how long the kernels took.
   For H1 as the texts have it: G1 or G2, LADDER_DEVICE, blocks of 1024. In the library the trip is NAME(in,
   n, &result), and one for a sum that overflows its elements' type comes from DEFINE_REDUCE_MAP. */
#define LADDER_TRIP_(NAME, T)                                                                             \
    LADDER_HOST_ cudaError_t NAME##_ladder_timed_(enum ladder_rung rung, struct ladder_trip_ *trip,       \
                                                  size_t n, struct ladder_shape shape, float *ms)         \
    {                                                                                                     \
        cudaError_t status = cudaEventRecord(trip->begin, 0);                                             \
        if (status == cudaSuccess)                                                                        \
            status = NAME##_ladder(rung, (T *)trip->in, n, (T *)trip->out, &trip->room, shape, 0);        \
        if (status == cudaSuccess) status = cudaEventRecord(trip->end, 0);                                \
        if (status == cudaSuccess) status = cudaEventSynchronize(trip->end);                              \
        if (status == cudaSuccess) status = cudaEventElapsedTime(ms, trip->begin, trip->end);             \
        return status;                                                                                    \
    }                                                                                                     \
    LADDER_HOST_ cudaError_t NAME##_ladder_trip(enum ladder_rung rung, enum ladder_memory memory,         \
                                                const T *in, size_t n, struct ladder_shape shape,         \
                                                T *result, float *ms)                                     \
    {                                                                                                     \
        struct ladder_trip_ trip;                                                                         \
        T fetched;                                                                                        \
        memset(&trip, 0, sizeof trip);                                                                    \
        cudaError_t status = ladder_trip_fill_(&trip, memory, in, n * sizeof(T));                         \
        if (status == cudaSuccess) status = ladder_trip_prepare_(&trip, shape, sizeof(T));                \
        if (status == cudaSuccess) status = NAME##_ladder_timed_(rung, &trip, n, shape, ms);              \
        if (status == cudaSuccess)                                                                        \
            status = cudaMemcpy(&fetched, trip.out, sizeof fetched, cudaMemcpyDeviceToHost);              \
        status = ladder_trip_end_(&trip, status);                                                         \
        if (status == cudaSuccess) *result = fetched;                                                     \
        return status;                                                                                    \
    }

/* ---- Whole ladders ------------------------------------------------------------------------------------- */

#define LADDER_GENERATE_B_(NAME, T)                                                                       \
    LADDER_B1(NAME, T)                                                                                    \
    LADDER_B2(NAME, T)                                                                                    \
    LADDER_B3(NAME, T)                                                                                    \
    LADDER_B4(NAME, T)                                                                                    \
    LADDER_LAST_WARP(NAME, T)                                                                             \
    LADDER_B5A(NAME, T)                                                                                   \
    LADDER_B5P(NAME, T)                                                                                   \
    LADDER_B6A(NAME, T)                                                                                   \
    LADDER_B6P(NAME, T)                                                                                   \
    LADDER_B7V(NAME, T)                                                                                   \
    LADDER_B7(NAME, T)

#define LADDER_GENERATE_W_(NAME, T)                                                                       \
    LADDER_W1(NAME, T)                                                                                    \
    LADDER_W2(NAME, T)                                                                                    \
    LADDER_W3(NAME, T)                                                                                    \
    LADDER_W4(NAME, T)

#define LADDER_GENERATE_G_(NAME, T, ATOMIC)                                                               \
    LADDER_G2(NAME, T)                                                                                    \
    LADDER_SWAP(NAME, T)                                                                                  \
    LADDER_G3(NAME, T, ATOMIC)                                                                            \
    LADDER_G4(NAME, T, ATOMIC)                                                                            \
    LADDER_G5(NAME, T)                                                                                    \
    LADDER_G6(NAME, T)                                                                                    \
    LADDER_PACKS(NAME, T)                                                                                 \
    LADDER_G7(NAME, T)                                                                                    \
    LADDER_G8(NAME, T)                                                                                    \
    LADDER_G9(NAME, T)

#define LADDER_GENERATE_CALLS_(NAME, T)                                                                   \
    LADDER_KERNEL_OF_(NAME, T)                                                                            \
    LADDER_LAUNCH_(NAME, T)                                                                               \
    LADDER_PASSES_(NAME, T)                                                                               \
    LADDER_IN_PLACE_(NAME, T)                                                                             \
    LADDER_BY_ATOMICS_(NAME, T)                                                                           \
    LADDER_BY_LAST_BLOCK_(NAME, T)                                                                        \
    LADDER_RUN_(NAME, T)                                                                                  \
    LADDER_TRIP_(NAME, T)

/* Every rung of a NAME of DEFINE_REDUCE_AS; ATOMIC(T *cell, T x) is NAME_ladder_swap or a function of CUDA.
   */
#define DEFINE_LADDER_AS(NAME, T, ATOMIC)                                                                 \
    LADDER_BASE(NAME, T)                                                                                  \
    LADDER_STEP(NAME, T)                                                                                  \
    LADDER_GENERATE_B_(NAME, T)                                                                           \
    LADDER_GENERATE_W_(NAME, T)                                                                           \
    LADDER_GENERATE_G_(NAME, T, ATOMIC)                                                                   \
    LADDER_GENERATE_CALLS_(NAME, T)

/* Every rung of DEFINE_REDUCE(T, op). */
#define DEFINE_LADDER(T, op)                                                                              \
    DEFINE_LADDER_AS(reduce_##T##_##op, T, LADDER_ATOMIC_(T, op, reduce_##T##_##op##_ladder_swap))

#endif /* LADDER_CUH */
