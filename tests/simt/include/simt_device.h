/* What the CUDA language adds to C++, for a host compiler: keywords, vector types, and the functions of device code.
 *
 * Device functions carry two hidden parameters at their end, the file and line of the call, for the messages. Whatever has
 * to know about other threads is a call into simt.cc; whatever has to be seen by a sanitizer (loads, stores, atomics) is
 * inline here, so that it is instrumented as part of the user's program. */
#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H
#pragma GCC system_header

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>

#define __host__
#define __device__
#define __constant__
#define __managed__
#define __grid_constant__
#define __global__ __global__  /* these three get their meaning from simt++ */
#define __shared__ __shared__
#define __launch_bounds__(...) __launch_bounds__(__VA_ARGS__)
#ifdef SIMT_RECORD
#define __forceinline__ __inline__ __attribute__((always_inline))  /* the recorder counts what a GPU would run */
#else
#define __forceinline__ __inline__  /* copies would only be compiled again and again */
#endif
#define __align__(n) __attribute__((aligned(n)))
#define SIMT_FN static inline  /* `__noinline__` is left to simt++: the C++ library uses that word itself */

/* ---- vector types, with the alignments of CUDA ---- */

template <class T> struct simt_loadable : std::is_arithmetic<T> {};  /* what __ldg and its kin accept */

#define SIMT_VECTOR(V, T)                                                                                     \
  struct V##1 { T x; };                                                                                       \
  struct alignas(2 * sizeof(T)) V##2 { T x, y; };                                                             \
  struct V##3 { T x, y, z; };                                                                                 \
  struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) V##4 { T x, y, z, w; };                             \
  SIMT_FN V##1 make_##V##1(T x) { return V##1{x}; }                                                           \
  SIMT_FN V##2 make_##V##2(T x, T y) { return V##2{x, y}; }                                                   \
  SIMT_FN V##3 make_##V##3(T x, T y, T z) { return V##3{x, y, z}; }                                           \
  SIMT_FN V##4 make_##V##4(T x, T y, T z, T w) { return V##4{x, y, z, w}; }                                   \
  template <> struct simt_loadable<V##2> : std::true_type {};                                                 \
  template <> struct simt_loadable<V##4> : std::integral_constant<bool, 4 * sizeof(T) <= 16> {};
SIMT_VECTOR(char, signed char)
SIMT_VECTOR(uchar, unsigned char)
SIMT_VECTOR(short, short)
SIMT_VECTOR(ushort, unsigned short)
SIMT_VECTOR(int, int)
SIMT_VECTOR(uint, unsigned)
SIMT_VECTOR(long, long)
SIMT_VECTOR(ulong, unsigned long)
SIMT_VECTOR(longlong, long long)
SIMT_VECTOR(ulonglong, unsigned long long)
SIMT_VECTOR(float, float)
SIMT_VECTOR(double, double)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

#ifndef SIMT_BUILTIN
#define SIMT_BUILTIN const
#endif
extern __thread SIMT_BUILTIN uint3 threadIdx, blockIdx;
extern __thread SIMT_BUILTIN dim3 blockDim, gridDim;
static const int warpSize = 32;

/* ---- the way into the runtime ---- */

#define SIMT_AT , const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE()
#define SIMT_HERE , simt_file, simt_line

enum simt_op {  /* in the order of the names in simt.cc */
  SIMT_BARRIER, SIMT_BARRIER_OR, SIMT_BARRIER_AND, SIMT_BARRIER_COUNT,
  SIMT_SYNCWARP, SIMT_SHFL, SIMT_SHFL_UP, SIMT_SHFL_DOWN, SIMT_SHFL_XOR,
  SIMT_BALLOT, SIMT_ANY, SIMT_ALL, SIMT_MATCH_ANY, SIMT_MATCH_ALL,
  SIMT_REDUCE_ADD, SIMT_REDUCE_MIN, SIMT_REDUCE_MIN_U, SIMT_REDUCE_MAX, SIMT_REDUCE_MAX_U,
  SIMT_REDUCE_AND, SIMT_REDUCE_OR, SIMT_REDUCE_XOR
};
extern "C" {
uint64_t simt_collective(enum simt_op op, unsigned mask, uint64_t value, int arg, int width, const char *file, int line);
void simt_atomic_begin(const void *p, size_t size, const char *file, int line);
void simt_atomic_end(const void *p, size_t size);
void simt_check_aligned(const void *p, size_t size, const char *file, int line);
void simt_fence(int scope);  /* 0: the device, 1: the block */
void simt_poll(int asleep);  /* a place where another thread or block may take over */
void *simt_dynamic_shared(void);
void simt_static_shared(const volatile void *p, size_t size, unsigned long *block);
int simt_asked(int threads);
void simt_trap(const char *file, int line) __attribute__((noreturn));
unsigned simt_active(const char *file, int line);
long long simt_clock(void);
}
template <class T> static inline uint64_t simt_bits(T v) {
  static_assert(sizeof v <= 8, "one register pair");
  uint64_t u = 0;
  memcpy(&u, &v, sizeof v);
  return u;
}
template <class To, class From> static inline To simt_cast(From v) {
  static_assert(sizeof(To) <= sizeof(From), "no invented bits");
  To to;
  memcpy(&to, &v, sizeof to);
  return to;
}

template <class T> struct simt_dynamic {  /* an `extern __shared__ T name[]` at file scope; see simt++ */
  operator T *() const { return (T *)simt_dynamic_shared(); }
};

/* Follows each declaration of static shared memory in a function. */
template <class T, class Declaration>  /* each lambda has a type of its own */
static inline __attribute__((always_inline)) void simt_shared(T &v, Declaration) {
  static thread_local unsigned long block;  /* the last one that has come to it */
  simt_static_shared(&(const volatile char &)v, sizeof v, &block);
}
/* Begins each kernel, with the arguments of its __launch_bounds__: whether the runtime only asks for them. */
template <class... More> static inline bool simt_asks(int threads = 0, More...) { return simt_asked(threads); }

/* ---- barriers, votes, shuffles ---- */

SIMT_FN void __syncthreads(const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE()) {
  simt_collective(SIMT_BARRIER, 0, 0, 0, 32 SIMT_HERE);
}
SIMT_FN int __syncthreads_or(int p SIMT_AT) { return (int)simt_collective(SIMT_BARRIER_OR, 0, p != 0, 0, 32 SIMT_HERE); }
SIMT_FN int __syncthreads_and(int p SIMT_AT) { return (int)simt_collective(SIMT_BARRIER_AND, 0, p != 0, 0, 32 SIMT_HERE); }
SIMT_FN int __syncthreads_count(int p SIMT_AT) { return (int)simt_collective(SIMT_BARRIER_COUNT, 0, p != 0, 0, 32 SIMT_HERE); }
SIMT_FN void __syncwarp(unsigned mask = ~0u SIMT_AT) { simt_collective(SIMT_SYNCWARP, mask, 0, 0, 32 SIMT_HERE); }
SIMT_FN unsigned __ballot_sync(unsigned mask, int p SIMT_AT) { return (unsigned)simt_collective(SIMT_BALLOT, mask, p != 0, 0, 32 SIMT_HERE); }
SIMT_FN int __any_sync(unsigned mask, int p SIMT_AT) { return (int)simt_collective(SIMT_ANY, mask, p != 0, 0, 32 SIMT_HERE); }
SIMT_FN int __all_sync(unsigned mask, int p SIMT_AT) { return (int)simt_collective(SIMT_ALL, mask, p != 0, 0, 32 SIMT_HERE); }
SIMT_FN unsigned __activemask(const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE()) { return simt_active(simt_file, simt_line); }

#define SIMT_SHUFFLE(FN, OP, T, ARG)                                                                          \
  SIMT_FN T FN(unsigned mask, T v, ARG arg, int width = 32 SIMT_AT) {                                         \
    return simt_cast<T>(simt_collective(OP, mask, simt_bits(v), (int)arg, width SIMT_HERE));                  \
  }
#define SIMT_MATCH(T)                                                                                         \
  SIMT_SHUFFLE(__shfl_sync, SIMT_SHFL, T, int)                                                                \
  SIMT_SHUFFLE(__shfl_up_sync, SIMT_SHFL_UP, T, unsigned)                                                     \
  SIMT_SHUFFLE(__shfl_down_sync, SIMT_SHFL_DOWN, T, unsigned)                                                 \
  SIMT_SHUFFLE(__shfl_xor_sync, SIMT_SHFL_XOR, T, int)                                                        \
  SIMT_FN unsigned __match_any_sync(unsigned mask, T v SIMT_AT) {                                             \
    return (unsigned)simt_collective(SIMT_MATCH_ANY, mask, simt_bits(v), 0, 32 SIMT_HERE);                    \
  }                                                                                                           \
  SIMT_FN unsigned __match_all_sync(unsigned mask, T v, int *p SIMT_AT) {                                     \
    unsigned all = (unsigned)simt_collective(SIMT_MATCH_ALL, mask, simt_bits(v), 0, 32 SIMT_HERE);            \
    *p = all != 0;                                                                                            \
    return all;                                                                                               \
  }
SIMT_MATCH(int)
SIMT_MATCH(unsigned)
SIMT_MATCH(long)
SIMT_MATCH(unsigned long)
SIMT_MATCH(long long)
SIMT_MATCH(unsigned long long)
SIMT_MATCH(float)
SIMT_MATCH(double)

#define SIMT_REDUCE(FN, OP, T)                                                                                \
  SIMT_FN T FN(unsigned mask, T v SIMT_AT) { return (T)simt_collective(OP, mask, (uint64_t)v, 0, 32 SIMT_HERE); }
SIMT_REDUCE(__reduce_add_sync, SIMT_REDUCE_ADD, int)
SIMT_REDUCE(__reduce_add_sync, SIMT_REDUCE_ADD, unsigned)
SIMT_REDUCE(__reduce_min_sync, SIMT_REDUCE_MIN, int)
SIMT_REDUCE(__reduce_min_sync, SIMT_REDUCE_MIN_U, unsigned)
SIMT_REDUCE(__reduce_max_sync, SIMT_REDUCE_MAX, int)
SIMT_REDUCE(__reduce_max_sync, SIMT_REDUCE_MAX_U, unsigned)
SIMT_REDUCE(__reduce_and_sync, SIMT_REDUCE_AND, unsigned)
SIMT_REDUCE(__reduce_or_sync, SIMT_REDUCE_OR, unsigned)
SIMT_REDUCE(__reduce_xor_sync, SIMT_REDUCE_XOR, unsigned)

/* ---- fences, loads and stores with a cache hint, atomics ---- */

SIMT_FN void __threadfence(void) { simt_fence(0); }
SIMT_FN void __threadfence_system(void) { simt_fence(0); }
SIMT_FN void __threadfence_block(void) { simt_fence(1); }
SIMT_FN void __nanosleep(unsigned) { simt_poll(1); }

#define SIMT_LOAD(FN, BEFORE)                                                                                 \
  template <class T> static inline T FN(const T *p SIMT_AT) {                                                 \
    static_assert(simt_loadable<T>::value, #FN " takes scalars and vectors of 2 or 4, up to 16 bytes");       \
    simt_check_aligned(p, sizeof(T) SIMT_HERE);                                                               \
    BEFORE;                                                                                                   \
    T v;                                                                                                      \
    __builtin_memcpy(&v, p, sizeof v);  /* a float* cast to a uint4* is no aliasing violation on a GPU */     \
    return v;                                                                                                 \
  }
SIMT_LOAD(__ldg, )
SIMT_LOAD(__ldca, )
SIMT_LOAD(__ldcs, )
SIMT_LOAD(__ldlu, )
SIMT_LOAD(__ldcg, simt_poll(0))
SIMT_LOAD(__ldcv, simt_poll(0))

#define SIMT_STORE(FN)                                                                                        \
  template <class T> static inline void FN(T *p, typename std::common_type<T>::type v SIMT_AT) {              \
    static_assert(simt_loadable<T>::value, #FN " takes scalars and vectors of 2 or 4, up to 16 bytes");       \
    simt_check_aligned(p, sizeof(T) SIMT_HERE);                                                               \
    __builtin_memcpy(p, &v, sizeof v);                                                                        \
  }
SIMT_STORE(__stwb)
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
SIMT_STORE(__stwt)

/* Only one OS thread runs at a time and none is preempted inside, so a relaxed load and a relaxed store are one step. */
template <class T, class Fn> static inline T simt_atomic(T *p, Fn next, const char *file, int line) {
  T old, now;
  simt_atomic_begin(p, sizeof(T), file, line);
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  now = next(old);
  __atomic_store(p, &now, __ATOMIC_RELAXED);
  simt_atomic_end(p, sizeof(T));
  return old;
}
template <class T> static inline T simt_add(T a, T b, std::true_type) {
  typedef typename std::make_unsigned<T>::type Unsigned;
  return (T)(Unsigned)((Unsigned)a + (Unsigned)b);
}
template <class T> static inline T simt_add(T a, T b, std::false_type) { return a + b; }

#define SIMT_RMW_1(FN, T, NEXT)                                                                               \
  SIMT_FN T FN(T *p, T v SIMT_AT) { return simt_atomic(p, [v](T old) -> T { return NEXT; } SIMT_HERE); }
#define SIMT_RMW(FN, T, NEXT) SIMT_RMW_1(FN, T, NEXT) SIMT_RMW_1(FN##_block, T, NEXT) SIMT_RMW_1(FN##_system, T, NEXT)
#define SIMT_RMW_32(FN, NEXT) SIMT_RMW(FN, int, NEXT) SIMT_RMW(FN, unsigned, NEXT)
#define SIMT_RMW_INT(FN, NEXT) SIMT_RMW_32(FN, NEXT) SIMT_RMW(FN, unsigned long long, NEXT)
SIMT_RMW_INT(atomicAdd, simt_add(old, v, std::is_integral<decltype(old)>()))
SIMT_RMW(atomicAdd, float, old + v)
SIMT_RMW(atomicAdd, double, old + v)
SIMT_RMW_32(atomicSub, (decltype(old))((unsigned)old - (unsigned)v))
SIMT_RMW_INT(atomicMin, old < v ? old : v)
SIMT_RMW(atomicMin, long long, old < v ? old : v)
SIMT_RMW_INT(atomicMax, old < v ? v : old)
SIMT_RMW(atomicMax, long long, old < v ? v : old)
SIMT_RMW_INT(atomicAnd, old &v)
SIMT_RMW_INT(atomicOr, old | v)
SIMT_RMW_INT(atomicXor, old ^ v)
SIMT_RMW_INT(atomicExch, ((void)old, v))
SIMT_RMW(atomicExch, float, ((void)old, v))
SIMT_RMW(atomicInc, unsigned, old >= v ? 0 : old + 1)
SIMT_RMW(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)

#define SIMT_CAS_1(FN, T)                                                                                     \
  SIMT_FN T FN(T *p, T expected, T v SIMT_AT) {                                                               \
    return simt_atomic(p, [=](T old) -> T { return old == expected ? v : old; } SIMT_HERE);                   \
  }
#define SIMT_CAS(T) SIMT_CAS_1(atomicCAS, T) SIMT_CAS_1(atomicCAS_block, T) SIMT_CAS_1(atomicCAS_system, T)
SIMT_CAS(int)
SIMT_CAS(unsigned)
SIMT_CAS(unsigned long long)
SIMT_CAS(unsigned short)

/* ---- arithmetic ---- */

SIMT_FN int __popc(unsigned x) { return __builtin_popcount(x); }
SIMT_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
SIMT_FN int __ffs(int x) { return __builtin_ffs(x); }
SIMT_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
SIMT_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
SIMT_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
SIMT_FN unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++) r |= (x >> i & 1u) << (31 - i);
  return r;
}
SIMT_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
SIMT_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return (unsigned)((((uint64_t)hi << 32) | lo) << (n & 31) >> 32); }
SIMT_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return (unsigned)((((uint64_t)hi << 32) | lo) >> (n & 31)); }
SIMT_FN unsigned __float_as_uint(float x) { return simt_cast<unsigned>(x); }
SIMT_FN float __uint_as_float(unsigned x) { return simt_cast<float>(x); }
SIMT_FN int __float_as_int(float x) { return simt_cast<int>(x); }
SIMT_FN float __int_as_float(int x) { return simt_cast<float>(x); }
SIMT_FN long long __double_as_longlong(double x) { return simt_cast<long long>(x); }
SIMT_FN double __longlong_as_double(long long x) { return simt_cast<double>(x); }
SIMT_FN unsigned __isGlobal(const void *) { return 1; }

/* The compiler may not contract across these, as nvcc may not. */
#define SIMT_ROUNDED(FN, T, EXPR) SIMT_FN T FN(T a, T b) { T r = EXPR; __asm__("" : "+m"(r)); return r; }
SIMT_ROUNDED(__fadd_rn, float, a + b)
SIMT_ROUNDED(__fsub_rn, float, a - b)
SIMT_ROUNDED(__fmul_rn, float, a * b)
SIMT_ROUNDED(__fdiv_rn, float, a / b)
SIMT_ROUNDED(__dadd_rn, double, a + b)
SIMT_ROUNDED(__dsub_rn, double, a - b)
SIMT_ROUNDED(__dmul_rn, double, a * b)
SIMT_ROUNDED(__ddiv_rn, double, a / b)
SIMT_FN float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
SIMT_FN double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
SIMT_FN float __fsqrt_rn(float a) { return sqrtf(a); }
SIMT_FN double __dsqrt_rn(double a) { return sqrt(a); }
SIMT_FN float rsqrtf(float a) { return 1 / sqrtf(a); }
SIMT_FN double rsqrt(double a) { return 1 / sqrt(a); }
#define __expf(x) expf(x)  /* glibc declares these names too */
#define __logf(x) logf(x)
SIMT_FN float __fdividef(float a, float b) { return a / b; }
SIMT_FN float __saturatef(float a) { return a > 0 ? a < 1 ? a : 1 : 0; }
SIMT_FN int __float2int_rn(float a) { return (int)rintf(a); }
SIMT_FN int __float2int_rz(float a) { return (int)a; }
SIMT_FN float __int2float_rn(int a) { return (float)a; }
SIMT_FN float __double2float_rn(double a) { return (float)a; }

#define SIMT_MINMAX(R, A, B)                                                                                  \
  SIMT_FN R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                               \
  SIMT_FN R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
#define SIMT_MINMAX_MIXED(Unsigned, S) SIMT_MINMAX(S, S, S) SIMT_MINMAX(Unsigned, Unsigned, Unsigned) SIMT_MINMAX(Unsigned, S, Unsigned) SIMT_MINMAX(Unsigned, Unsigned, S)
SIMT_MINMAX_MIXED(unsigned, int)
SIMT_MINMAX_MIXED(unsigned long, long)
SIMT_MINMAX_MIXED(unsigned long long, long long)
#define SIMT_FMINMAX(R, A, B, Fn)                                                                              \
  SIMT_FN R min(A a, B b) { return fmin##Fn(a, b); }                                                           \
  SIMT_FN R max(A a, B b) { return fmax##Fn(a, b); }
SIMT_FMINMAX(float, float, float, f)
SIMT_FMINMAX(double, double, double, )
SIMT_FMINMAX(double, float, double, )
SIMT_FMINMAX(double, double, float, )

SIMT_FN void __trap(const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE()) { simt_trap(simt_file, simt_line); }
SIMT_FN long long clock64(void) { return simt_clock(); }
SIMT_FN unsigned long long __globaltimer(void) { return (unsigned long long)simt_clock(); }

#endif
