/* Every rule, broken on purpose. */
#include "case.h"

#define DEVICE_CASE(name, text, blocks, threads, shared)                                                      \
  static __global__ void name(int *p);                                                                        \
  CASE(name##_rule, "pa", 86, text) {                                                                        \
    int *p = device_array<int>(1024);                                                                         \
    name<<<blocks, threads, shared>>>(p);                                                                     \
    SYNC();                                                                                                   \
  }                                                                                                           \
  static __global__ void name(int *p)

DEVICE_CASE(own_mask, "must be named in its own mask: __shfl_sync at ", 1, 32, 0) {
  if (threadIdx.x < 16) *p = __shfl_sync(0xffu, 1, 0);
}
DEVICE_CASE(own_mask_line, "rules.cu:18", 1, 32, 0) {
  if (threadIdx.x == 3)
    __syncwarp(
        1);
  *p = 0;
}
DEVICE_CASE(shrinking_masks, "does not take part", 1, 32, 0) {
  int x = (int)threadIdx.x;  /* an old text has this mask, which shrinks with the stride */
  if (threadIdx.x < 16) x += __shfl_down_sync(0xffffu, x, 16);
  *p = x;
}
DEVICE_CASE(different_masks, "must pass the same mask", 1, 32, 0) {
  __syncwarp(threadIdx.x == 5 ? ~0u : ~0u & ~(1u << 9 & -(threadIdx.x == 7)));
  *p = 0;
}
DEVICE_CASE(different_calls, "must execute the same call: ", 1, 32, 0) {
  if (threadIdx.x & 1) __syncwarp();
  else *p = __shfl_sync(~0u, 1, 0);
}
DEVICE_CASE(different_sites, "must execute the same call: ", 1, 32, 0) {
  if (threadIdx.x & 1) *p = __shfl_sync(~0u, 1, 0);
  else *p = __shfl_sync(~0u, 1, 0);
}
DEVICE_CASE(deadlock, "deadlock, a lane named in a mask never comes: __ballot_sync at", 1, 64, 0) {
  if (threadIdx.x != 3) *p = (int)__ballot_sync(~0u, 1);
  __syncthreads();
}
DEVICE_CASE(chain_of_waits, "which waits in __syncwarp at", 1, 32, 0) {
  unsigned lane = threadIdx.x;
  if (lane < 3) __syncwarp(1u << lane | 1u << (lane + 1) % 3);
  *p = 0;
}
DEVICE_CASE(shuffle_from_absent, "reads lane 24, which does not exist", 1, 24, 0) { *p = __shfl_down_sync(~0u, 1, 16); }
DEVICE_CASE(shuffle_from_gone, "has left the kernel", 1, 32, 0) {
  if (threadIdx.x == 31) return;
  *p = __shfl_sync(~0u, 1, 31);
}
DEVICE_CASE(shuffle_outside_mask, "its mask does not name", 1, 32, 0) {
  if (threadIdx.x < 16) *p = __shfl_sync(0xffffu, 1, 20);
}
DEVICE_CASE(shuffle_width, "power of two", 1, 32, 0) { *p = __shfl_sync(~0u, 1, 0, 12); }
DEVICE_CASE(barrier_after_exit, "every thread of the block must reach", 1, 64, 0) {
  if (threadIdx.x == 40) return;
  __syncthreads();
  *p = 0;
}
DEVICE_CASE(barrier_elsewhere, "every thread of the block must reach", 1, 64, 0) {
  if (threadIdx.x < 32) __syncthreads();
  else __syncthreads();
  *p = 0;
}
DEVICE_CASE(barrier_kinds, "__syncthreads_or", 1, 64, 0) {
  if (threadIdx.x < 32) __syncthreads();
  else *p = __syncthreads_or(1);
}
DEVICE_CASE(misaligned_load, "misaligned", 1, 1, 0) { *p = (int)__ldcs((const uint4 *)(p + 1)).x; }
DEVICE_CASE(misaligned_atomic, "misaligned", 1, 1, 0) { atomicAdd((int *)((char *)p + 2), 1); }
DEVICE_CASE(trap, "__trap at ", 1, 1, 0) {
  *p = 0;
  __trap();
}
DEVICE_CASE(assertion, "assertion failed in a kernel: *p == 1", 1, 1, 0) { assert(*p == 1); }
DEVICE_CASE(host_call, "a kernel calls a host function: cudaMalloc [", 1, 1, 0) { cudaMalloc(&p, 4); }
DEVICE_CASE(who, "[block (2,0,0) thread (1,2,0), lane 9]", 3, dim3(4, 8), 0) {
  *p = 0;
  if (blockIdx.x == 2 && threadIdx.x == 1 && threadIdx.y == 2) __trap();
}
DEVICE_CASE(spin, "has waited 0.25 seconds", 2, 32, 0) {
  if (threadIdx.x) *p = 0;
  else while (!atomicAdd(p + 1, 0)) {}
}
DEVICE_CASE(plain_spin, "has waited 0.25 seconds", 1, 32, 0) {
  if (threadIdx.x == 31) *p = 1;
  else if (threadIdx.x == 0) while (!((volatile int *)p)[1]) {}
}
static __global__ void lopsided() {
  if (threadIdx.x < 40) __syncthreads();
}
CASE(any_sanitizer, "pat", 86, "every thread of the block must reach") {
  lopsided<<<1, 64>>>();
  SYNC();
}
CASE(outside_a_kernel, "pat", 86, "outside a kernel: __syncthreads at") { __syncthreads(); }

/* Memory: ASan gives its own report, and exits with 1. */
#define MEMORY_CASE(name, plain_text, asan_text, n, shared)                                                   \
  static __global__ void name(int *p, int i);                                                                 \
  static void name##_run() {                                                                                  \
    int *p = device_array<int>(n);                                                                            \
    name<<<1, 1, shared>>>(p, n);                                                                             \
    SYNC();                                                                                                   \
    OK(cudaFree(p));                                                                                          \
  }                                                                                                           \
  CASE(name##_rule, "p", 86, plain_text) { name##_run(); }                                                   \
  CASE(name##_asan, "a", asan_text[0] == 's' ? 86 : 1, asan_text) { name##_run(); }                           \
  static __global__ void name(int *p, int i)

MEMORY_CASE(write_past_end, "past the end of 400 bytes", "AddressSanitizer: use-after-poison", 100, 0) { p[i] = 1; }
MEMORY_CASE(write_far_past_end, "bytes past the end of 400 bytes", "simt: an access outside an allocation", 100, 0) { p[i + 64] = 1; }
MEMORY_CASE(read_past_end, "3 bytes past the end", "simt: an access outside an allocation", 64, 0) {
  p[0] = ((char *)p)[4 * i + 2];
}
MEMORY_CASE(write_before, "4 bytes before the start", "AddressSanitizer: use-after-poison", 64, 0) { p[-1] = i; }
MEMORY_CASE(read_far_before, "bytes before 256 bytes", "simt: an access outside an allocation", 64, 0) { p[0] = p[-2000 - i]; }
MEMORY_CASE(null_pointer, "a null pointer", "null pointer", 64, 0) { 
  volatile uintptr_t zero = 0;
  *(volatile int *)zero = i + *p;
 }
MEMORY_CASE(dynamic_shared, "outside dynamic shared memory", "AddressSanitizer: use-after-poison", 64, 40) {
  extern __shared__ int s[];
  s[10 + (p == nullptr)] = i;
}
static __device__ __noinline__ int deep(int n) {
  volatile int a[1000];
  a[n % 1000] = n;
  return n ? a[n % 1000] + deep(n - 1) : 0;
}
MEMORY_CASE(stack_overflow, "the stack of a thread overflows", "simt: the stack of a thread overflows", 64, 0) { p[0] = deep(i * 10000); }

static __global__ void write_one(int *p) { *p = 1; }
CASE(use_after_free, "pat", 86, "a use after free") {
  int *p = device_array<int>(10);
  OK(cudaFree(p));
  write_one<<<1, 1>>>(p);
  SYNC();
}
CASE(host_touches_device, "pat", 86, "host code touches device memory") { *(volatile int *)device_array<int>(10) = 1; }
static __global__ void overflow(int *p) { *p = *p + 2147483647; }
CASE(undefined_behaviour, "a", 1, "signed integer overflow") {
  int *p = device_array<int>(1);
  OK(cudaMemset(p, 1, 4));
  overflow<<<1, 1>>>(p);
  SYNC();
}

static __global__ void waits_for_ever(unsigned *flag) {
  while (atomicAdd(flag, 0u) == 0) continue;
}
CASE(wait_in_a_given_order, "pat", 86, "every block waits for another") {
  unsigned *flag = device_array<unsigned>(1);
  simt_follow(nullptr, 0);
  waits_for_ever<<<2, 2>>>(flag);
  SYNC();
}
