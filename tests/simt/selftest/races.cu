/* Data races that the thread sanitizer must report, whatever the sum was, and their repaired forms, of which it says nothing. */
#include "case.h"

enum { N = 64 };

#define PAIR(name)                                                                                            \
  template <bool SYNCED> static __global__ void name(int *p, int *q);                                         \
  static void name##_run(bool synced) {                                                                       \
    int *p = device_array<int>(4096), *q = device_array<int>(16);                                             \
    simt_blocks(2);                                                                                           \
    if (synced) name<true><<<3, N>>>(p, q);                                                                   \
    else name<false><<<3, N>>>(p, q);                                                                         \
    SYNC();                                                                                                   \
  }                                                                                                           \
  CASE(name##_race, "t", 66, "data race") { name##_run(false); }                                              \
  CASE(name##_repaired, "t", 0, "") { name##_run(true); }                                                     \
  template <bool SYNCED> static __global__ void name(int *p, int *q)

PAIR(volatile_warp) {
  __shared__ volatile int s[N];
  unsigned lane = threadIdx.x % 32, t = threadIdx.x;
  s[t] = (int)t;
  __syncwarp();
  for (unsigned d = 16; d; d /= 2) {
    int x = lane < d ? s[t] + s[t + d] : 0;
    __syncwarp();
    if (lane < d) s[t] = x;
    if (SYNCED || d == 1) __syncwarp();
  }
  if (lane == 0) p[blockIdx.x * 2 + t / 32] = s[t] + (q == nullptr);
}
PAIR(half_warp) {  /* the barrier of one half orders nothing in the other */
  __shared__ int s[N];
  unsigned lane = threadIdx.x;
  if (lane >= 32) return;
  s[lane] = (int)lane;
  if (SYNCED) __syncwarp();
  else __syncwarp(lane < 16 ? 0xffffu : 0xffff0000u);
  p[blockIdx.x * N + lane] = s[lane ^ 16] + (q == nullptr);
}
PAIR(next_barrier) {  /* what is written after a barrier is not ordered by it */
  __shared__ int s[N];
  unsigned t = threadIdx.x;
  __syncthreads();
  s[t] = (int)t;
  if (SYNCED) __syncthreads();
  p[blockIdx.x * N + t] = s[t ^ 33] + (q == nullptr);
  __syncthreads();
}
PAIR(shuffle_orders_nothing) {
  __shared__ int s[N];
  unsigned t = threadIdx.x;
  s[t] = (int)t;
  int x = __shfl_xor_sync(~0u, 1, 1);
  if (SYNCED) __syncwarp();
  p[blockIdx.x * N + t] = x + s[t ^ 1] + (q == nullptr);
}
PAIR(across_blocks) {
  if (threadIdx.x == 0) {
    if (SYNCED) atomicAdd(q, 1);
    else *q = *q + p[0];
  }
}
PAIR(atomic_and_plain) {
  if (threadIdx.x == 0) {
    atomicAdd(q, 1);
    p[blockIdx.x] = SYNCED ? atomicAdd(q, 0) : *q;
  }
}

/* The last block: all write, then one ticket for each block, then the last reads all. */
template <bool RELEASE, bool ACQUIRE> static __device__ void last_block(int *p, unsigned *ticket) {
  __shared__ bool last;
  p[blockIdx.x * N + threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (RELEASE) __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    if (ACQUIRE) __threadfence();
  }
  __syncthreads();
  if (!last) return;
  int sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x * N; i += N) sum += p[i];
  atomicAdd((int *)ticket + 1, sum);
}
PAIR(release_fence) { last_block<SYNCED, true>(p, (unsigned *)q); }
PAIR(acquire_fence) { last_block<true, SYNCED>(p, (unsigned *)q); }
PAIR(late_release) {  /* what is written after the fence is not published by it */
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (SYNCED) p[1] = 1;
    __threadfence();
    if (!SYNCED) p[1] = 1;
    atomicExch(q, 1);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (!atomicAdd(q, 0)) {}
    __threadfence();
    p[0] = p[1];
  }
}
PAIR(plain_flag) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    p[1] = 1;
    __threadfence();
    if (SYNCED) atomicExch(q, 1);
    else *(volatile int *)q = 1;
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (!(SYNCED ? atomicAdd(q, 0) : *(volatile int *)q)) __nanosleep(10);
    __threadfence();
    p[0] = p[1];
  }
}
PAIR(block_fence) {  /* a fence of the block's scope does not publish to other blocks */
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    p[1] = 1;
    if (SYNCED) __threadfence();
    else __threadfence_block();
    atomicExch(q, 1);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (!atomicAdd(q, 0)) {}
    __threadfence();
    p[0] = p[1];
  }
}
PAIR(fence_within_block) {
  if (threadIdx.x == 0) {
    p[blockIdx.x] = 1;
    if (SYNCED) __threadfence_block();
    atomicExch(q + blockIdx.x, 1);
  }
  if (threadIdx.x == 40) {
    while (!atomicAdd(q + blockIdx.x, 0)) {}
    __threadfence_block();
    p[64 + blockIdx.x] = p[blockIdx.x];
  }
}
PAIR(vector_load) {
  if (threadIdx.x == 0) p[4 * blockIdx.x + 1] = 1;
  if (SYNCED) __syncthreads();
  if (threadIdx.x == 1) p[1024 + blockIdx.x] = (int)__ldcs((const uint4 *)p + blockIdx.x).y + (q == nullptr);
}
PAIR(dynamic_reuse) {  /* the shared memory of successive blocks is not the same memory */
  __shared__ int s[N];
  s[threadIdx.x] = 1;
  if (SYNCED || blockIdx.x != 2) __syncthreads();
  p[blockIdx.x * N + threadIdx.x] = s[N - 1 - threadIdx.x] + (q == nullptr);
}

/* The host and streams. */
static __global__ void store(int *p, int v) { *p = v; }
CASE(host_reads_early, "t", 66, "data race") {
  int *p;
  cudaStream_t s;
  OK(cudaMallocManaged(&p, 4));
  OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  store<<<1, 1, 0, s>>>(p, 1);
  *p = 2;
  OK(cudaStreamSynchronize(s));
}
CASE(host_reads_late, "t", 0, "") {
  int *p;
  cudaStream_t s;
  OK(cudaMallocManaged(&p, 4));
  OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  *p = 2;
  store<<<1, 1, 0, s>>>(p, 1);
  OK(cudaStreamSynchronize(s));
  CHECK(*p == 1);
}
static void two_streams(bool ordered) {
  int *p = device_array<int>(2);
  cudaStream_t s, t;
  cudaEvent_t e;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaEventCreate(&e));
  store<<<1, 1, 0, s>>>(p, 1);
  OK(cudaEventRecord(e, s));
  if (ordered) OK(cudaStreamWaitEvent(t, e, 0));
  store<<<1, 1, 0, t>>>(p + 1, 2);
  store<<<1, 1, 0, t>>>(p, 2);
  OK(cudaStreamSynchronize(s));
  OK(cudaStreamSynchronize(t));
  OK(cudaFree(p));
}
CASE(two_streams_race, "t", 66, "data race") { two_streams(false); }
CASE(two_streams_ordered, "t", 0, "") { two_streams(true); }

/* Between devices: a kernel leaves data to one that runs at the same time on another device. */
static __global__ void leave(int *data, int *flag, bool synced) {
  *data = 1;
  if (synced) __threadfence_system();
  atomicAdd_system(flag, 1);
}
static __global__ void take(int *data, int *flag, int *out, bool synced) {
  while (atomicAdd_system(flag, 0) == 0) continue;
  if (synced) __threadfence_system();
  *out = *data;
}
static void across_devices_run(bool synced) {
  cudaStream_t s[2];
  int *p = nullptr;
  setenv("SIMT_DEVICES", "2", 1);
  for (int d = 0; d < 2; d++) {
    OK(cudaSetDevice(d));
    OK(cudaStreamCreateWithFlags(&s[d], cudaStreamNonBlocking));
    if (d == 0) p = device_array<int>(3);
    OK(cudaDeviceSynchronize());
  }
  take<<<1, 1, 0, s[1]>>>(p, p + 1, p + 2, synced);
  OK(cudaSetDevice(0));
  leave<<<1, 1, 0, s[0]>>>(p, p + 1, synced);
  OK(cudaGetLastError());
  OK(cudaStreamSynchronize(s[1]));
  OK(cudaStreamSynchronize(s[0]));
  CHECK(first_of(p + 2) == 1);
}
CASE(across_devices_race, "t", 66, "data race") { across_devices_run(false); }
CASE(across_devices_repaired, "t", 0, "") { across_devices_run(true); }
