/*
 * ladder_why.cuh: rungs of the ladder that differ in one thing each, to find the cause of a difference in time.
 * For bench/ladder.cu alone: sums of int, blocks of a power of two of whole warps, no other checks.
 */
#ifndef LADDER_WHY_CUH
#define LADDER_WHY_CUH

#include "ladder.cuh"

/* Kernels that know the block's size when they are compiled: this one. */
enum { WHY_BLOCK = 512 };

#define WHY_KERNEL_ static __global__ __attribute__((unused)) void

/* ---- Folds: one launch, a result for each block -------------------------------------------------------- */

/* Nothing but the load: what every fold waits for. Its results are wrong. */
WHY_KERNEL_ why_load(const int *in, size_t n, int *out)
{
    const int x = reduce_int_sum_ladder_gather_(in, n);
#ifdef __CUDA_ARCH__
    asm volatile("" : : "r"(x)); /* loaded in every thread */
#endif
    if (threadIdx.x == 0) out[blockIdx.x] = x;
}

/* B1 with a mask in place of the modulo. */
WHY_KERNEL_ why_b1_mask(const int *in, size_t n, int *out)
{
    extern __shared__ int why_b1_values[];
    int *values = why_b1_values;
    const unsigned tid = threadIdx.x;
    values[tid] = reduce_int_sum_ladder_gather_(in, n);
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        __syncthreads();
        if ((tid & (2 * s - 1)) == 0 && tid + s < blockDim.x) values[tid] += values[tid + s];
    }
    if (tid == 0) out[blockIdx.x] = values[0];
}

/* B3 for powers of two only: without its second condition, and with half the block as the first stride. */
WHY_KERNEL_ why_b3_power(const int *in, size_t n, int *out)
{
    extern __shared__ int why_b3_values[];
    int *values = why_b3_values;
    const unsigned tid = threadIdx.x;
    values[tid] = reduce_int_sum_ladder_gather_(in, n);
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (tid < s) values[tid] += values[tid + s];
    }
    if (tid == 0) out[blockIdx.x] = values[0];
}

/* B4 whose loop ends at 64 values, as that of B5 does: a lane of the first warp takes two of them. */
#define WHY_B4_TO_64_(name, NAME, T)                                                                      \
    WHY_KERNEL_ name(const T *in, size_t n, T *out)                                                       \
    {                                                                                                     \
        extern __shared__ T name##_values[];                                                              \
        T *values = name##_values;                                                                        \
        const unsigned tid = threadIdx.x;                                                                 \
        values[tid] = NAME##_ladder_gather_(in, n);                                                       \
        for (unsigned s = ladder_half_(blockDim.x); s > LADDER_WARP; s /= 2) {                            \
            __syncthreads();                                                                              \
            if (tid < s && tid + s < blockDim.x) values[tid] += values[tid + s];                          \
        }                                                                                                 \
        __syncthreads();                                                                                  \
        if (tid >= LADDER_WARP) return;                                                                   \
        const T x = NAME##_warp(values[tid] + values[tid + LADDER_WARP]);                                 \
        if (tid == 0) out[blockIdx.x] = x;                                                                \
    }
WHY_B4_TO_64_(why_b4_to_64, reduce_int_sum, int)
WHY_B4_TO_64_(why_b4_to_64_of_floats, reduce_float_sum, float)

/* B6 whose last warp shuffles. */
#define WHY_B6_SHUFFLES_(name, NAME, T)                                                                   \
    WHY_KERNEL_ name(const T *in, size_t n, T *out)                                                       \
    {                                                                                                     \
        __shared__ T values[WHY_BLOCK];                                                                   \
        const unsigned tid = threadIdx.x, block = WHY_BLOCK;                                              \
        values[tid] = NAME##_ladder_gather_(in, n);                                                       \
        LADDER_UNROLLED_(NAME, 512)                                                                       \
        LADDER_UNROLLED_(NAME, 256)                                                                       \
        LADDER_UNROLLED_(NAME, 128)                                                                       \
        LADDER_UNROLLED_(NAME, 64)                                                                        \
        __syncthreads();                                                                                  \
        if (tid >= LADDER_WARP) return;                                                                   \
        const T x = NAME##_warp(values[tid] + values[tid + LADDER_WARP]);                                 \
        if (tid == 0) out[blockIdx.x] = x;                                                                \
    }
WHY_B6_SHUFFLES_(why_b6_shuffles, reduce_int_sum, int)
WHY_B6_SHUFFLES_(why_b6_shuffles_of_floats, reduce_float_sum, float)

/* B7 for whole warps in one dimension, and for thread 0 alone: one barrier. */
#define WHY_B7_FIRST_(name, NAME, T)                                                                      \
    WHY_KERNEL_ name(const T *in, size_t n, T *out)                                                       \
    {                                                                                                     \
        __shared__ T of_warp[LADDER_WARP];                                                                \
        const unsigned tid = threadIdx.x, warps = blockDim.x / LADDER_WARP;                               \
        T x = NAME##_warp(NAME##_ladder_gather_(in, n));                                                  \
        if (ladder_lane_() == 0) of_warp[tid / LADDER_WARP] = x;                                          \
        __syncthreads();                                                                                  \
        if (tid >= LADDER_WARP) return;                                                                   \
        x = NAME##_warp(tid < warps ? of_warp[tid] : 0);                                                  \
        if (tid == 0) out[blockIdx.x] = x;                                                                \
    }
WHY_B7_FIRST_(why_b7_first, reduce_int_sum, int)
WHY_B7_FIRST_(why_b7_first_of_floats, reduce_float_sum, float)

/* The same with five shuffles for each warp where sm_80 has one instruction for ints. */
static __device__ __forceinline__ int why_shuffled(int x)
{
    for (int stride = LADDER_WARP / 2; stride > 0; stride /= 2) x += __shfl_down_sync(~0u, x, stride);
    return x;
}

WHY_KERNEL_ why_b7_shuffles(const int *in, size_t n, int *out)
{
    __shared__ int of_warp[LADDER_WARP];
    const unsigned tid = threadIdx.x, warps = blockDim.x / LADDER_WARP;
    int x = why_shuffled(reduce_int_sum_ladder_gather_(in, n));
    if (ladder_lane_() == 0) of_warp[tid / LADDER_WARP] = x;
    __syncthreads();
    if (tid >= LADDER_WARP) return;
    x = why_shuffled(tid < warps ? of_warp[tid] : 0);
    if (tid == 0) out[blockIdx.x] = x;
}

/* W4 by shuffles, as a float has it. */
WHY_KERNEL_ why_w4_shuffles(const int *in, size_t n, int *out)
{
    const int x = why_shuffled(reduce_int_sum_ladder_gather_(in, n));
    if (ladder_lane_() == 0) out[ladder_warp_()] = x;
}

/* W1 whose guard is around the addition alone: every lane loads and stores. */
WHY_KERNEL_ why_w1_selects(const int *in, size_t n, int *out)
{
    extern __shared__ volatile int why_w1_values[];
    volatile int *mine = why_w1_values + threadIdx.x, *slice = mine - ladder_lane_();
    const unsigned lane = ladder_lane_();
    *mine = reduce_int_sum_ladder_gather_(in, n);
    for (unsigned stride = LADDER_WARP / 2; stride > 0; stride /= 2) {
        __syncwarp();
        const int own = *mine, other = slice[(lane + stride) % LADDER_WARP];
        __syncwarp();
        *mine = lane < stride ? own + other : own;
    }
    if (lane == 0) out[ladder_warp_()] = *mine;
}

/* ---- The guard of the last block ----------------------------------------------------------------------- */

/* G2 whose guard hands thread 0's answer to the block by the barrier itself. */
WHY_KERNEL_ why_g2_or(const int *in, size_t n, int *results, unsigned *ticket, int *out)
{
    int x = reduce_int_sum_block(reduce_int_sum_ladder_gather_(in, n)), is_last = 0;
    if (threadIdx.x == 0) {
        results[blockIdx.x] = x;
        __threadfence();
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    if (!__syncthreads_or(is_last)) return;
    x = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x) x += results[k];
    x = reduce_int_sum_block(x);
    if (threadIdx.x == 0) *out = x;
}

/* The same by a variable in shared memory. */
WHY_KERNEL_ why_g2_flag(const int *in, size_t n, int *results, unsigned *ticket, int *out)
{
    __shared__ bool is_last;
    int x = reduce_int_sum_block(reduce_int_sum_ladder_gather_(in, n));
    if (threadIdx.x == 0) {
        results[blockIdx.x] = x;
        __threadfence();
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    x = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x) x += results[k];
    x = reduce_int_sum_block(x);
    if (threadIdx.x == 0) *out = x;
}

/* ---- Latencies --------------------------------------------------------------------------------------------
 *
 * Cycles from one use of a result to the next: a chain of WHY_STEPS operations, each of which needs the one
 * before. One block; all its threads run the chain, and thread 0 takes the time.
 */
enum { WHY_STEPS = 256 };

#define WHY_CHAIN_(name, room, begin, step)                                                               \
    WHY_KERNEL_ why_chain_##name(unsigned *memory, long long *cycles)                                     \
    {                                                                                                     \
        room;                                                                                             \
        unsigned x = threadIdx.x;                                                                         \
        begin;                                                                                            \
        __syncthreads();                                                                                  \
        const long long first = clock64();                                                                \
        for (int k = 0; k < WHY_STEPS; k++) {                                                             \
            step;                                                                                         \
        }                                                                                                 \
        if (x == ~0u) *memory = x;                                                                        \
        const long long last = clock64();                                                                 \
        if (threadIdx.x == 0) *cycles = last - first;                                                     \
    }

#define WHY_PLACE_ __shared__ unsigned volatile place[1024]
WHY_CHAIN_(shuffle, , , x += __shfl_xor_sync(~0u, x, 1))
WHY_CHAIN_(redux, , , x = __reduce_add_sync(~0u, x) + 1)
WHY_CHAIN_(shared, WHY_PLACE_, place[threadIdx.x] = threadIdx.x, x = place[x])
WHY_CHAIN_(exchange, WHY_PLACE_, , place[threadIdx.x] = x + 1; __syncwarp(); x = place[threadIdx.x ^ 1];
           __syncwarp())
WHY_CHAIN_(barrier, , , __syncthreads())
WHY_CHAIN_(l1, , memory[x] = x, x = memory[x])
WHY_CHAIN_(l2, , , x = __ldcg(memory + x))
WHY_CHAIN_(atomic, , , x = atomicAdd(memory + x / ~0u, 1u))
WHY_CHAIN_(fence, , , memory[threadIdx.x] = x++; __threadfence())

/* Place k of a chain through memory points at the next, stride places on. */
WHY_KERNEL_ why_chain_fill(unsigned *memory, size_t places, unsigned stride)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k * stride < places; k += threads)
        memory[k * stride] = (unsigned)((k + 1) * stride < places ? (k + 1) * stride : 0);
}

#endif /* LADDER_WHY_CUH */
