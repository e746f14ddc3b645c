/* Kernels that are simple enough to be counted by hand. `text` is what warps.py must find in the record. */
#include "case.h"

#define COUNT_CASE(name, text, blocks, threads)                                                               \
  static __global__ void name(int *p);                                                                        \
  CASE(name##_counts, "r", 0, text) {                                                                         \
    int *p = device_array<int>(4096);                                                                         \
    name<<<blocks, threads>>>(p);                                                                             \
    SYNC();                                                                                                   \
  }                                                                                                           \
  static __global__ void name([[maybe_unused]] int *p)

#define SHARED_CASE(name, text, T, at)                                                                        \
  COUNT_CASE(name, text, 1, 32) {                                                                             \
    static __shared__ volatile T s[1024];                                                                     \
    const unsigned t = threadIdx.x;                                                                           \
    s[at] = 1;                                                                                                \
  }
SHARED_CASE(neighbours, "shared=1 conflicts=0 ways=1 lanes=32 warps=1", int, t)
SHARED_CASE(in_reverse, "shared=1 conflicts=0 ways=1", int, 31 - t)
SHARED_CASE(odd_stride, "shared=1 conflicts=0 ways=1", int, 3 * t)
SHARED_CASE(two_ways, "shared=2 conflicts=1 ways=2", int, 2 * t)
SHARED_CASE(eight_ways, "shared=8 conflicts=7 ways=8", int, 8 * t)
SHARED_CASE(all_ways, "shared=32 conflicts=31 ways=32", int, 32 * t)
SHARED_CASE(one_word, "shared=1 conflicts=0 ways=1", int, 0 * t)
SHARED_CASE(pairs_of_lanes, "shared=1 conflicts=0 ways=1", int, t / 2)
SHARED_CASE(bytes, "shared=1 conflicts=0 ways=1", char, t)
SHARED_CASE(doubles, "shared=2 conflicts=0 ways=1", double, t)
SHARED_CASE(doubles_apart, "shared=4 conflicts=2 ways=2", double, 2 * t)

COUNT_CASE(loads_of_doubles, "shared=4 conflicts=2 ways=2 instructions=1", 1, 32) {
  static __shared__ volatile double s[64];
  const double x = s[2 * threadIdx.x];
  (void)x;
}

#define GLOBAL_CASE(name, text, T, at)                                                                        \
  COUNT_CASE(name, text, 1, 32) {                                                                             \
    const unsigned t = threadIdx.x;                                                                           \
    ((volatile T *)p)[at] = 1;                                                                                \
  }
GLOBAL_CASE(coalesced, "requests=1 sectors=4 shared=0", int, t)
GLOBAL_CASE(misaligned, "requests=1 sectors=5", int, t + 1)
GLOBAL_CASE(every_other, "requests=1 sectors=8", int, 2 * t)
GLOBAL_CASE(far_apart, "requests=1 sectors=32", int, 8 * t)
GLOBAL_CASE(one_address, "requests=1 sectors=1", int, 0 * t)
GLOBAL_CASE(global_bytes, "requests=1 sectors=1", char, t)
COUNT_CASE(wide, "requests=2 sectors=32 instructions=2", 1, 32) { ((int4 *)p)[32 + threadIdx.x] = ((int4 *)p)[threadIdx.x]; }

/* The same work for whole warps and for halves of each; and a branch around arithmetic. */
COUNT_CASE(by_halves, "divergent=2 requests=4 warps=2 lanes=64", 1, 64) {
  if (threadIdx.x % 32 < 16) p[threadIdx.x] = 1;
  else p[1024 + 2 * threadIdx.x] = 2;
}
COUNT_CASE(by_warps, "divergent=0 requests=2 warps=2 lanes=64", 1, 64) {
  if (threadIdx.x < 32) p[threadIdx.x] = 1;
  else p[1024 + 2 * threadIdx.x] = 2;
}
COUNT_CASE(one_sided, "divergent=1 requests=2 lanes=32", 1, 32) {
  if (threadIdx.x == 7) p[0] = 1;
  p[1024 + threadIdx.x] = 2;
}
COUNT_CASE(arithmetic, "divergent=0 requests=1", 1, 32) {
  int x = (int)threadIdx.x;
  if (x % 3 == 0) x = x * x / 5;
  p[threadIdx.x] = x;
}
COUNT_CASE(loops_of_different_length, "divergent=3 requests=5 lanes=64 steps=2", 1, 32) {
  for (unsigned i = 0; i <= threadIdx.x / 8; i++) ((volatile int *)p)[i] = 1;
  __syncwarp();
  ((volatile int *)p)[threadIdx.x] = 2;
}

COUNT_CASE(meetings, "barriers=6 syncwarps=4 votes=4 shuffles=4 fences=128 steps=1", 2, 64) {
  __syncthreads();
  __syncwarp();
  int x = __any_sync(~0u, 1);
  __syncthreads();
  x += __shfl_xor_sync(~0u, x, 16);
  __threadfence();
  if (x < 0) p[0] = x;
  __syncthreads();
}
COUNT_CASE(atomics, "atomics=33 requests=0 divergent=1 lanes=32", 1, 32) {
  atomicAdd(p, 1);
  if (threadIdx.x == 0) atomicExch(p + 1, 1);
}

/* A step ends where something that was written is exchanged. Values of two words are one exchange. */
COUNT_CASE(tree, "steps=7 lanes=127 conflicts=0 barriers=6 divergent=5", 1, 64) {
  static __shared__ volatile int s[64];
  s[threadIdx.x] = 1;
  for (unsigned half = 32; half > 1; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + half];
  }
  __syncthreads();
  if (threadIdx.x == 0) *p = s[0] + s[1];
}
COUNT_CASE(read_then_write, "steps=3 syncwarps=5", 1, 32) {
  static __shared__ volatile int s[64];
  s[threadIdx.x] = s[32 + threadIdx.x] = 1;
  __syncwarp();
  for (int half = 2; half > 0; half /= 2) {
    const int x = s[threadIdx.x] + s[threadIdx.x + half];
    __syncwarp();
    s[threadIdx.x] = x;
    __syncwarp();
  }
}
COUNT_CASE(shuffles, "steps=2 shuffles=3 lanes=56", 1, 32) {
  int x = __shfl_down_sync(~0u, (int)threadIdx.x, 8);
  x = __shfl_down_sync(~0u, x, 0) + __shfl_xor_sync(~0u, x, 1);
}
COUNT_CASE(one_value_of_two_words, "steps=1 shuffles=2 lanes=24", 1, 32) {
  const int low = __shfl_down_sync(~0u, (int)threadIdx.x, 8);
  const int high = __shfl_down_sync(~0u, (int)threadIdx.x + 1, 8);
  if (low + high < 0) *p = low;
}
COUNT_CASE(a_warp_without_loads, "steps=2 shuffles=2 slowest=4", 1, 64) {
  int x = (int)threadIdx.x;
  if (x < 32) x = ((volatile int *)p)[x] + ((volatile int *)p)[x + 1];
  x = __shfl_down_sync(~0u, x, 8);
  if (threadIdx.x >= 32) ((volatile int *)p)[threadIdx.x] = x;
}
COUNT_CASE(shuffles_after_a_barrier, "steps=2 shuffles=1 lanes=124", 1, 64) {
  static __shared__ volatile int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x < 32) s[threadIdx.x];
  else __shfl_down_sync(~0u, 1, 4);
}
COUNT_CASE(built_in_variables, "instructions=1 requests=1 shared=0", 1, 32) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = (int)(gridDim.x + blockDim.y);
}
