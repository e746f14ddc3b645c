/* Correct programs, and what the order of threads does to an incorrect one. */
#include "case.h"
#include <cooperative_groups.h>
#include <cuComplex.h>

static __global__ void collectives(int *bad) {
  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), lane = t % 32, n = blockDim.x * blockDim.y * blockDim.z;
#define EXPECT(e) ((e) ? 0 : atomicAdd(bad, 1), (e) ? 0 : printf("line %d thread %u: %s\n", __LINE__, t, #e))
  unsigned full = n - t / 32 * 32 >= 32 ? ~0u : (1u << (n - t / 32 * 32)) - 1;
  EXPECT(__ballot_sync(full, lane & 1) == (full & 0xaaaaaaaau));
  EXPECT(__any_sync(full, lane == 0) == 1);
  EXPECT(__all_sync(full, lane == 0) == (full == 1));
  EXPECT(__shfl_sync(full, t, 0) == t - lane);
  EXPECT(__shfl_up_sync(full, t, 1) == (lane ? t - 1 : t));
  if (full == ~0u) {
    EXPECT(__shfl_sync(~0u, lane, 37) == 5);
    EXPECT(__shfl_down_sync(~0u, lane, 8) == (lane < 24 ? lane + 8 : lane));
    EXPECT(__shfl_down_sync(~0u, lane, 8, 16) == (lane % 16 < 8 ? lane + 8 : lane));
    EXPECT(__shfl_xor_sync(~0u, (long long)lane << 40, 3) == (long long)(lane ^ 3) << 40);
    EXPECT(__shfl_xor_sync(~0u, lane, 16, 16) == (lane < 16 ? lane : lane - 16));
    EXPECT(__shfl_sync(~0u, (double)lane, 3, 8) == (double)(lane / 8 * 8 + 3));
    EXPECT(__reduce_add_sync(~0u, (int)lane) == 496);
    EXPECT(__reduce_min_sync(~0u, (int)lane - 5) == -5);
    EXPECT(__reduce_max_sync(~0u, lane - 5) == ~0u);
    EXPECT(__match_any_sync(~0u, lane / 4) == 0xfu << lane / 4 * 4);
    int same;
    EXPECT(__match_all_sync(~0u, 1.5f, &same) == ~0u && same);
    EXPECT(__match_all_sync(~0u, lane, &same) == 0 && !same);
  }
  EXPECT(__syncthreads_count(t < 5) == (int)min(n, 5u));
  EXPECT(__syncthreads_or(t == n - 1) == 1);
  EXPECT(__syncthreads_and(t != n - 1) == 0);
  /* lanes may take different ways at different times, each with its own mask */
  if (lane % 3 == 0 && full == ~0u) {
    unsigned third = 0x49249249u;
    EXPECT(__popc(__ballot_sync(third, 1)) == 11);
    __syncwarp(third);
  } else if (full == ~0u) {
    EXPECT(__popc(__ballot_sync(~0x49249249u, 1)) == 21);
  }
}
#undef EXPECT
CASE(collectives_of_any_shape, "pat", 0, "") {
  int *bad = device_array<int>(1);
#ifdef __SANITIZE_THREAD__  /* a thread costs it a millisecond */
  const dim3 shapes[] = {5, 33, dim3(7, 5, 3)};
#else
  const dim3 shapes[] = {1, 5, 32, 33, 64, 100, dim3(8, 8), dim3(7, 5, 3), 1024, dim3(3, 1, 33)};
#endif
  for (dim3 shape : shapes) collectives<<<2, shape>>>(bad);
  SYNC();
  CHECK(first_of(bad) == 0);
}

/* Lanes that have left do not count among the named. */
static __global__ void leavers(int *out) {
  if (threadIdx.x >= 20) return;
  __syncwarp();
  unsigned v = __ballot_sync(~0u, 1);
  if (threadIdx.x == 7) *out = (int)v;
}
CASE(lanes_that_left, "pat", 0, "") {
  int *out = device_array<int>(1);
  leavers<<<1, 32>>>(out);
  SYNC();
  CHECK(first_of(out) == 0xfffff);
}

/* Lanes that have taken another way are not active; those that are may work together. */
static __global__ void active(unsigned *out, int *sum) {
  const unsigned lane = threadIdx.x % 32;
  if (lane % 3 == 1) {
    const unsigned mask = __activemask();
    const int leader = __ffs((int)mask) - 1;
    int first = 0;
    if ((int)lane == leader) first = atomicAdd(sum, __popc(mask));
    first = __shfl_sync(mask, first, leader);
    out[first + __popc(mask & ((1u << lane) - 1))] = mask;
  } else if (lane != 5) {
    __syncwarp(__activemask());
  }
}
CASE(active_lanes, "pat", 0, "") {
  const unsigned third = 0x92492492u;
  unsigned *out = device_array<unsigned>(22);
  int *sum = device_array<int>(1);
  for (unsigned seed = 0; seed < 4; seed++) {
    int alone = 0, all = 0;
    OK(cudaMemset(sum, 0, sizeof *sum));
    simt_seed(seed);
    active<<<1, 64>>>(out, sum);
    SYNC();
    CHECK(first_of(sum) == 22);
    for (int i = 0; i < 22; i++) {
      const unsigned mask = first_of(out + i);
      CHECK(mask && !(mask & ~third));
      alone += !(mask & (mask - 1)), all += mask == third;
    }
    CHECK(seed < 2 ? all == 22 : alone > 0 && alone < 22);
  }
}

/* A sum that relies on lockstep: right in one order of threads, wrong in another. */
static __global__ void lockstep(int *out) {
  __shared__ volatile int s[32];
  unsigned t = threadIdx.x;
  s[t] = 1;
  for (unsigned d = 16; d; d /= 2)
    if (t < d) s[t] = s[t] + s[t + d];
  if (t == 0) *out = s[0];
}
CASE(lockstep_is_found_out, "p", 0, "") {
  int *out = device_array<int>(1), wrong = 0;
  for (unsigned seed = 0; seed < 3; seed++) {
    simt_seed(seed);
    lockstep<<<1, 32>>>(out);
    SYNC();
    wrong += first_of(out) != 32;
  }
  CHECK(wrong > 0);
}

/* The order in which threads and blocks come to an atomic, as one number. */
static __global__ void order(unsigned *at, unsigned *hash) {
  unsigned i = atomicAdd(at, 1u);
  atomicAdd(hash, (i + 1) * 2654435761u * (blockIdx.x * 64 + threadIdx.x + 1));
}
static unsigned order_of(unsigned seed) {
  unsigned *p = device_array<unsigned>(2);
  simt_seed(seed);
  order<<<9, 64>>>(p, p + 1);
  SYNC();
  unsigned h = first_of(p + 1);
  OK(cudaFree(p));
  return h;
}
CASE(same_seed_same_run, "pa", 0, "") {
  for (unsigned seed = 0; seed < 6; seed++) CHECK(order_of(seed) == order_of(seed));
  CHECK(order_of(0) != order_of(1) && order_of(2) != order_of(3));
}

/* A block may wait for blocks of lower index. */
static __global__ void chain(unsigned *p) {
  if (threadIdx.x == 0) {
    while (atomicAdd(p, 0u) != blockIdx.x) {}
    __threadfence();
    p[1] = p[1] * 3 + blockIdx.x;
    __threadfence();
    atomicAdd(p, 1u);
  }
}
CASE(wait_for_lower_blocks, "pat", 0, "") {
  unsigned *p = device_array<unsigned>(2), want = 0;
  chain<<<30, 8>>>(p);
  SYNC();
  for (unsigned i = 0; i < 30; i++) want = want * 3 + i;
  CHECK(first_of(p + 1) == want);
}

template <class T> static __global__ void atomics(T *p) {
  atomicAdd(p, (T)3);
  atomicMin(p + 1, (T)threadIdx.x);
  atomicMax(p + 2, (T)threadIdx.x);
  T old = p[3 + 0 * threadIdx.x] * 0, seen;
  while ((seen = atomicCAS(p + 4, old, (T)(old + 2))) != old) old = seen;
}
CASE(atomics_of_integers, "pa", 0, "") {
  int *i = device_array<int>(8);
  unsigned long long *u = device_array<unsigned long long>(8);
  atomics<<<4, 100>>>(i);
  atomics<<<4, 100>>>(u);
  SYNC();
  CHECK(first_of(i) == 1200 && first_of(i + 2) == 99 && first_of(i + 4) == 800);
  CHECK(first_of(u) == 1200 && first_of(u + 1) == 0 && first_of(u + 4) == 800);
}
static __global__ void more_atomics(unsigned *p, float *f, double *d) {
  atomicInc(p, 6);
  atomicDec(p + 1, 6);
  atomicOr(p + 2, 1u << threadIdx.x % 32);
  atomicXor(p + 3, 1u);
  atomicSub(p + 4, 1u);
  atomicAdd(f, 1.0f);
  atomicAdd(d, 0.5);
}
CASE(atomics_of_others, "pat", 0, "") {
  unsigned *p = device_array<unsigned>(8);
  float *f = device_array<float>(1);
  double *d = device_array<double>(1);
  more_atomics<<<2, 40>>>(p, f, d);
  SYNC();
  CHECK(first_of(p) == 80 % 7 && first_of(p + 1) == (7 - 80 % 7) % 7 && first_of(p + 2) == ~0u && first_of(p + 3) == 0);
  CHECK(first_of(p + 4) == 0u - 80 && first_of(f) == 80 && first_of(d) == 40);
}

/* A block sum with cooperative groups. */
static __global__ void groups(const int *in, int *out) {
  namespace cg = cooperative_groups;
  extern __shared__ int s[];
  cg::thread_block block = cg::this_thread_block();
  s[block.thread_rank()] = in[block.group_index().x * block.size() + block.thread_rank()];
  for (unsigned d = block.size() / 2; d >= 32; d /= 2) {
    block.sync();
    if (block.thread_rank() < d) s[block.thread_rank()] += s[block.thread_rank() + d];
  }
  auto tile = cg::tiled_partition<32>(block);
  if (tile.meta_group_rank() == 0) {
    tile.sync();
    int x = s[tile.thread_rank()];
    for (unsigned d = 16; d; d /= 2) x += tile.shfl_xor(x, d);
    if (tile.thread_rank() == 0) atomicAdd(out, x);
  }
}
CASE(cooperative_groups_sum, "pat", 0, "") {
  int *in, *out = device_array<int>(1);
  OK(cudaMallocManaged(&in, 384 * sizeof *in));
  for (int i = 0; i < 384; i++) in[i] = i;
  groups<<<3, 128, 128 * sizeof(int)>>>(in, out);
  SYNC();
  CHECK(first_of(out) == 383 * 192);
}

static __global__ void barriers(int *out) {
  __shared__ int s[1024];
  for (int i = 0; i < 2; i++) {
    s[threadIdx.x] = i;
    __syncthreads();
  }
  if (!threadIdx.x) out[blockIdx.x] = s[1];
}
CASE(many_small_blocks, "pa", 0, "") {
  int *out = device_array<int>(10000);
  barriers<<<10000, 5>>>(out);
  SYNC();
}
static __global__ void fill(int *p, int n) {
  for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(blockDim.x * gridDim.x)) p[i] = i;
}
CASE(large_blocks, "pat", 0, "") {
  int *out = device_array<int>(100000);
#ifdef __SANITIZE_THREAD__
  barriers<<<1, 320>>>(out);
#else
  barriers<<<1, 1024>>>(out);
#endif
  fill<<<2, 128>>>(out, 100000);
  SYNC();
  CHECK(first_of(out + 99999) == 99999);
}

/* A given order: who comes first; one who looks in vain is passed over; and all of them again by a function. */
static __global__ void comers(unsigned *ticket, unsigned *came) { came[blockIdx.x] = atomicAdd(ticket, 1u); }
static __global__ void waits_for_next(unsigned *flag) {
  if (blockIdx.x == 1) atomicExch(flag, 1u);
  else while (atomicAdd(flag, 0u) == 0) continue;
}
static unsigned asked, most, changes;
static unsigned last_of_all(const simt_stand *stand, unsigned count) {
  changes += asked++ && simt_changed();
  if (count > most) most = count;
  return count == 0 || stand[count - 1].block != count - 1 ? 0 : count - 1;
}
static size_t choices_made() {
  const unsigned char *choices;
  return simt_path(&choices);
}
CASE(given_orders, "pa", 0, "") {
  unsigned *p = device_array<unsigned>(4);
  const unsigned char order[] = {2, 0};
  simt_follow(order, 2);
  comers<<<3, 1>>>(p, p + 1);
  SYNC();
  CHECK(choices_made() == 2 && first_of(p + 3) == 0 && first_of(p + 1) == 1 && first_of(p + 2) == 2);
  OK(cudaMemset(p, 0, 16));
  simt_follow(nullptr, 0);
  waits_for_next<<<2, 1>>>(p);
  SYNC();
  CHECK(choices_made() == 2);  /* two looks while block 1 stands; then it is alone, and so is block 0 */
  OK(cudaMemset(p, 0, 16));
  simt_ask(last_of_all);
  comers<<<3, 1>>>(p, p + 1);
  SYNC();
  CHECK(asked == 3 && most == 3 && changes == 2 && first_of(p + 1) == 2 && first_of(p + 3) == 0);
}

/* Every function of cuComplex.h, on both sides. */
static __host__ __device__ double of_complex(float r, float i) {
  cuFloatComplex a = make_cuFloatComplex(r, i), b = make_cuComplex(1, 2), c = cuCadd(cuComplexFloatToDouble(a), make_cuDoubleComplex(0, 0)).x == r ? a : b;
  c = cuCsubf(cuCfmaf(a, b, cuConjf(c)), cuCaddf(a, b)); /* (3 + 4i)(1 + 2i) + (3 - 4i) - (4 + 6i) = -6 + 0i */
  return cuCrealf(c) + 100 * cuCimagf(c) + 10000 * cuCabsf(a) + cuCimag(cuCdiv(cuCmul(make_cuDoubleComplex(0, 1), make_cuDoubleComplex(2, 0)), make_cuDoubleComplex(4, 0))) +
         cuCrealf(cuComplexDoubleToFloat(cuConj(cuCfma(make_cuDoubleComplex(1, 1), make_cuDoubleComplex(1, 1), cuCsub(make_cuDoubleComplex(0.25, 0), make_cuDoubleComplex(0, 0)))))) +
         cuCabs(cuComplexFloatToDouble(cuCdivf(cuCmulf(a, b), b))) + cuCreal(make_cuDoubleComplex(0, 7));
}
static __global__ void complex_numbers(double *p) { *p = of_complex(3, 4); }
CASE(complex, "pa", 0, "") {
  double *p = device_array<double>(1);
  complex_numbers<<<1, 1>>>(p);
  SYNC();
  CHECK(of_complex(3, 4) == 50000 - 6 + 0.5 + 0.25 + 5 && first_of(p) == of_complex(3, 4));
}
