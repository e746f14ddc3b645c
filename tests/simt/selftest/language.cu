/* The rewriting of simt++, and the language header. The strings and comments hold traps: k<<<1, 1>>>(p); */
#include "case.h"
#include "language.h"

template <class T, int N> static __global__ void add(T *p, T v) { *p += v * N; }
template <int N, class T> static __global__ void deduced(T *p, T v) { *p += v * N; }
namespace some { namespace where {
__global__ void k(int *p, dim3 d, int3 v, const char *) { *p += (int)(d.x * d.y * d.z) + v.x + v.z; }
} }
struct Holder { static __global__ void k(int *p) { *p += 1000; } };
#define LAUNCH(name, grid, ...) name##_kernel<<<grid, 1>>>(__VA_ARGS__)
static __global__ void by_macro_kernel(int *p, int v) { *p += v; }
static __global__ void none() {}
static int f(int a, int b = 1) { return a + b; }
typedef void (*kernel_of_v)(int *, int);
struct Kernels { kernel_of_v list[2][2]; Kernels *next; } kernels;
static kernel_of_v chosen(int) { return by_macro_kernel; }
namespace outer { using some::where::k; }

CASE(launches, "pa", 0, "") {
  int *p = device_array<int>(1);
  add<int, 4><<<1, 1>>>(p, 2);                        // 8
  deduced<3><<<dim3(1, (1 << 1) >> 1), f(0, (1)), 0>>>(p, 5);  // 15 k<<<1,1>>>(p)
  some::where::k<<<
      dim3(1, 1, 1),
      dim3(f(0)), 0, nullptr>>>(p, dim3(2, 3),
                                make_int3(1, 2, 3),   /* <<<>>> */
                                "<<<1, 1>>>(");       // 10
  Holder::k<<<1, 1>>>(p);                             // 1000
  LAUNCH(by_macro, 1, p, f(1, 2));                    // 3
  void (*pointer)(int *, int) = by_macro_kernel;
  pointer<<<1, 1>>>(p, 100);                          // 100
  (f(1) ? pointer : nullptr)<<<1, 1>>>(p, 1 << 3);    // 8
  int v = 7;
  by_macro_kernel<<<1, 1>>>(p, v++);                  // 7
  v = 100;
  if (v) none<<<1, 1>>>();
  else none<<<1, 1>>>();
  launch_from_header(p);                              // 20000
  launch_elsewhere(p);                                // 300000
  for (auto &row : kernels.list) row[0] = row[1] = pointer;
  kernels.next = &kernels;
  kernels.list[f(0)][1]<<<1, 1>>>(p, 1);              // 1
  kernels.next->list[0][0]<<<1, 1>>>(p, 1);           // 1
  if (v) (*kernels.list[0])<<<1, 1>>>(p, 1);          // 1
  else chosen(v)<<<1, 1>>>(p, 1);
  chosen(0)<<<1, 1>>>(p, 1);                          // 1
  deduced<1 << 3><<<1, 1>>>(p, 1);                    // 8
  ::outer::k<<<1, 1>>>(p, dim3(0), make_int3(0, 0, 0), "");
  SYNC();
  CHECK(first_of(p) == 12 + 8 + 15 + 10 + 1000 + 3 + 100 + 8 + 7 + 20000 + 300000);
  CHECK(__LINE__ == 52);
}

extern __shared__ double at_file_scope[];
static __global__ void shared_arrays(double *out) {
  extern __shared__ __align__(16) unsigned char bytes[];
  static __shared__ int counter;
  int *ints = (int *)&at_file_scope[4];
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  atomicAdd(&counter, 1);
  if (threadIdx.x < 4) at_file_scope[threadIdx.x] = threadIdx.x, ints[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = ((double *)bytes)[3] + at_file_scope[2] + ints[3] + counter;
}
CASE(shared, "pat", 0, "") {
  double *out = device_array<double>(2);
  shared_arrays<<<2, 10, 64>>>(out);
  SYNC();
  CHECK(first_of(out) == 16);
}

/* Each block finds garbage in its shared memory, however that is declared. */
struct pair { int x, y; };
template <class T, int N> static __device__ int zeros_in(T (&array)[N]) {
  int zeros = 0;
  for (T &x : array) zeros += !x, x = 0;
  return zeros;
}
template <class T, int N> static __global__ void unwritten(int *bad) {
  static __shared__ T a[N < 3 ? 1 : N], b[2][N];
  __shared__ __align__(32) struct { pair p; } in_struct;
  __shared__ pair pairs[2] __attribute__((__aligned__(64)));
  int __shared__ volatile alone, another;
  __shared__ int (*pointer)[3];
  if (threadIdx.x == 0) pointer = nullptr, atomicAdd(bad, pointer != nullptr);
  if (threadIdx.x == 1) {
    const int zeros = zeros_in(a) + zeros_in(b[0]) + zeros_in(b[1]) + !in_struct.p.y + !pairs[0].x + !pairs[1].y + !alone + !another;
    in_struct.p.y = pairs[0].x = pairs[1].y = 0;
    alone = another = 0;
    atomicAdd(bad, zeros);
  }
  __syncthreads();
  for (int i = 0; i < 2; i++) {  /* it is filled but once */
    __shared__ int kept;
    if (threadIdx.x == 0 && i == 0) kept = 5;
    __syncthreads();
    if (kept != 5) atomicAdd(bad, 100);
  }
}
CASE(shared_garbage, "pat", 0, "") {
  int *bad = device_array<int>(1);
  unwritten<int, 4><<<3, 4>>>(bad);
  unwritten<double, 1><<<3, 4>>>(bad);
  unwritten<int, 4><<<9, 4>>>(bad);
  SYNC();
  CHECK(first_of(bad) == 0);
}
/* Threads that nothing orders come to declarations of their own: that is no race. */
static __global__ void declared_apart(int *out) {
  if (threadIdx.x == 1) {
    __shared__ int a;
    out[0] = a = 1;
  } else if (threadIdx.x == 40) {
    __shared__ int b;
    out[1] = b = 2;
  } else if (threadIdx.x == 70) {
    __shared__ int c, d;
    out[2] = c = d = 3;
  }
}
CASE(shared_declared_apart, "pat", 0, "") {
  int *out = device_array<int>(3);
  for (unsigned seed = 0; seed < 4; seed++) {
    simt_seed(seed);
    declared_apart<<<1, 96>>>(out);
    SYNC();
  }
  CHECK(first_of(out + 2) == 3);
}

static __global__ void bounds_before(int *p);
static __launch_bounds__(64) __global__ void bounds_before(int *p) { *p = 1; }
template <int N> static __global__ void __launch_bounds__(N > 32 ? N : 32, 2) bounds_in_between(int *p) { *p = 2; }
static __global__ void no_bounds(int *p, const pair) { *p = 3; }
CASE(launch_bounds, "pa", 0, "") {
  int *p = device_array<int>(1);
  void *args[] = {&p};
  bounds_before<<<1, dim3(8, 2, 4)>>>(p);
  SYNC();
  CHECK(first_of(p) == 1);
  bounds_in_between<40><<<1, 40>>>(p);
  bounds_before<<<1, 65>>>(p);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue && first_of(p) == 2);
  bounds_in_between<40><<<1, dim3(4, 11)>>>(p);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaLaunchKernel(bounds_in_between<5>, 1, 33, args, 0, 0) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaLaunchKernel(bounds_in_between<5>, 1, 32, args, 0, 0));
  no_bounds<<<1, 100>>>(p, pair{1, 2});
  SYNC();
  CHECK(first_of(p) == 3);
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, bounds_before));
  CHECK(a.maxThreadsPerBlock == 64 && !cudaFuncGetAttributes(&a, bounds_in_between<5>) && a.maxThreadsPerBlock == 32);
  CHECK(!cudaFuncGetAttributes(&a, no_bounds) && a.maxThreadsPerBlock == 1024);
}
static void not_global(int *p) { *p = 1; }
CASE(launch_of_a_host_function, "pa", 86, "a launch of a function that is not __global__") {
  int p;
  not_global<<<1, 1>>>(&p);
}

/* The simulator's own copies of arguments are aligned too; C++14 alone would not align them. */
static unsigned misaligned;
struct alignas(64) wide {
  int v;
  wide(int v) : v(v) {}
  wide(const wide &other) : v(other.v) { misaligned += (uintptr_t)&other % alignof(wide) != 0; }
};
static __global__ void aligned(int *out, wide in, char, wide other) { *out += in.v + other.v; }
CASE(aligned_arguments, "pa", 0, "") {
  int *p = device_array<int>(1);
  wide a = 3, b = 4;
  char c = 0;
  void *args[] = {&p, &a, &c, &b};
  for (int i = 0; i < 10; i++) {
    aligned<<<1, 1>>>(p, b, c, a);
    OK(cudaLaunchKernel(aligned, 1, 1, args, 0, 0));
  }
  SYNC();
  CHECK(first_of(p) == 140 && misaligned == 0);
}

static __constant__ int table[4];
static __device__ int variable;
static __global__ void use_symbols(int *p) { *p = table[2] + variable++; }
CASE(symbols, "pa", 0, "") {
  int *p = device_array<int>(1), values[] = {1, 2, 3, 4}, v = 10;
  OK(cudaMemcpyToSymbol(table, values, sizeof values));
  OK(cudaMemcpyToSymbol(variable, &v, sizeof v));
  use_symbols<<<1, 1>>>(p);
  OK(cudaMemcpyFromSymbol(&v, variable, sizeof v));
  CHECK(first_of(p) == 13 && v == 11);
}

static __device__ __forceinline__ int twice(int x) { return 2 * x; }
static __device__ __noinline__ int thrice(int x) { return 3 * x; }
static __global__ void __launch_bounds__(64, 2) intrinsics(const float *__restrict__ in, int *bad) {
#define EXPECT(e) ((e) ? (void)0 : (printf("not so: %s\n", #e), (void)atomicAdd(bad, 1)))
  float4 v = __ldcs((const float4 *)in);
  uint4 u = __ldg((const uint4 *)in);
  EXPECT(v.x == 0 && v.w == 3 && u.y == __float_as_uint(1.0f) && __ldcg(in + 2) == 2);
  EXPECT(__popc(255u) == 8 && __clz(1) == 31 && __clz(0) == 32 && __ffs(8) == 4 && __brev(1u) == 0x80000000u && __popcll(~0ull) == 64);
  EXPECT(__int_as_float(__float_as_int(1.5f)) == 1.5f && __longlong_as_double(__double_as_longlong(-2.5)) == -2.5);
  EXPECT(max(3, 5) == 5 && min(2.0f, 1.0f) == 1.0f && max(1.0, 2.0f) == 2.0 && min(-1ll, 1ll) == -1 && max(1u, 2u) == 2);
  EXPECT(__fadd_rn(__fmul_rn(3.0f, 2.0f), 1.0f) == 7 && __fmaf_rn(3, 2, 1) == 7 && twice(thrice(1)) == 6 && warpSize == 32);
}
CASE(device_functions, "pa", 0, "") {
  float h[] = {0, 1, 2, 3}, *d = device_array<float>(4);
  int *bad = device_array<int>(1);
  OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyDefault));
  intrinsics<<<1, 1>>>(d, bad);
  SYNC();
  CHECK(first_of(bad) == 0);
  static_assert(alignof(float4) == 16 && alignof(float2) == 8 && alignof(double2) == 16 && alignof(double4) == 16, "");
  static_assert(alignof(float3) == 4 && alignof(char4) == 4 && alignof(ulonglong2) == 16 && sizeof(uchar3) == 3, "");
}
