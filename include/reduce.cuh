/*
 * reduce.cuh: parallel reduction for CUDA and C, in one header, with the same bits everywhere.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce.cuh"
 *     DEFINE_REDUCE(float, max)
 *
 * This line generates functions that reduce with max inside a warp, inside a block, at the end of a kernel,
 * over a whole array on the GPU, and on the CPU. The result of an array has the same bits on every GPU, in
 * every stream, at every alignment, and on the CPU, because the order of combination depends on the number of
 * elements and on the size of an element alone.
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon)
 *
 *   DEFINE_REDUCE(T, op)              NAME is reduce_T_op. T is one word: give "unsigned char" a typedef.
 *   DEFINE_REDUCE_AS(NAME, T, IDENTITY, EXPR_OF_A_B)
 *                                     any operator: DEFINE_REDUCE_AS(gcd, unsigned, 0, my_gcd(a, b))
 *   DEFINE_REDUCE_MAP(NAME, In, T, EXPR_OF_X, IDENTITY, EXPR_OF_A_B)
 *                                     turns each element x of type In, at index i, into a T first:
 *                                     DEFINE_REDUCE_MAP(squares, float, double, (double)x * x, 0, a + b)
 *   DEFINE_REDUCE_ZIP, DEFINE_REDUCE_WITH, DEFINE_REDUCE_ZIP_WITH
 *                                     maps of two arrays, with a context, and of both: see reduce_inputs.cuh
 *   DEFINE_REDUCE_EXACT(T)            sums of floats and doubles that are rounded once: see reduce_exact.cuh
 *   DEFINE_REDUCE_BLOCK(NAME)         adds NAME_block_of, for blocks of whole warps: see reduce_block.cuh
 *   DEFINE_REDUCE_ASYNC_N(NAME)       adds NAME_async_n, which finds n on the device: see reduce_async_n.cuh
 *   Others are in reduce_rows.cuh (ROWS), reduce_results.cuh (ARG, PAIR, MOMENTS), reduce_parts.h (PARTS),
 *   reduce_mpi.h (MPI), reduce_nccl.cuh (NCCL) and reduce_teaching.cuh (ATOMIC). reduce_packed.cuh, beside
 *   this file, makes bools, bytes, shorts and halves faster, with the same bits.
 *
 *   op    A built-in operator: sum prod min max (any number), band bor bxor (integers), land lor (0 or 1, any
 *         number), fmin fmax (floating point). Or your own, named by two macros written as those of the
 *         built-in ones are, below: REDUCE_IDENTITY_op(T) and REDUCE_COMBINE_op(T, a, b).
 *   T     Every C integer and floating type but long double on the GPU, __half and __nv_bfloat16 if their
 *         headers are included first, and any trivial struct or vector type of up to 64 bytes. (A bool must
 *         be 0 or 1: a mask of other bytes is an array of unsigned char. An enumeration of C++ needs a type
 *         of its own that is not bool, as in enum kind : int.) Accumulators are Ts: a sum of halves rounds to
 *         half each time. Map halves into float to sum them in float:
 *         DEFINE_REDUCE_MAP(total, __half, float, __half2float(x), 0, a + b)
 *
 *   An operator must be associative and commutative, up to rounding. A reduction starts from its identity,
 *   which must be neutral, bit for bit, for every value that the operator returns. The functions that an
 *   expression calls must be __host__ __device__. Each expression is evaluated once per pair. Write the
 *   identity of a struct as the call of a function, because the preprocessor splits arguments at the commas
 *   inside braces. A built-in operator keeps its speed under another name or after a map if it is written
 *   letter by letter as its macros with the type's name, or as 0, a + b, or false, a || b, or true, a && b:
 *   DEFINE_REDUCE_MAP(most, char, int, x, REDUCE_IDENTITY_max(int), REDUCE_COMBINE_max(int, a, b)).
 *
 *   A translation unit defines a NAME once. Where two headers need the same one, each adds this line after
 *   its definition, and the second definition generates nothing:
 *       #define REDUCE_HAVE_reduce_float_sum
 *   For what a companion header adds to a NAME, the line ends in _rows, _block, _async_n, _atomic, _parts,
 *   _mpi or _nccl.
 *
 * WHAT IS GENERATED
 *
 *   function or type                                who calls                who gets the result
 *   ----------------------------------------------  -----------------------  --------------------------------
 *   NAME_element, NAME_result                       types: In and T
 *   T NAME_identity(void)                           anyone, host or device   the caller
 *   T NAME_combine(T a, T b)                        anyone, host or device   the caller
 *   T NAME_cpu(const In *in, size_t n)              host, plain C11 too      the caller
 *   T NAME_warp(T x)                                all lanes of a warp      every lane
 *   T NAME_warp_n(T x, int count)                   all lanes of a warp      every lane; of the first count
 *   T NAME_tile(T x, int width)                     all lanes of a warp      every lane, of its own tile of
 *                                                                            width (1, 2, 4, 8, 16, 32) lanes
 *   T NAME_block(T x)                               all threads of a block   every thread
 *   bool reduce_last_block(unsigned *ticket)        all threads of a grid    true in all threads of the last
 *                                                                            block, which sees all writes
 *   bool NAME_grid(T x, reduce_workspace *ws,       all threads of a grid,   *out; true in all threads of the
 *                  T *out)                          once per launch and ws   one block that may read it
 *   cudaError_t NAME_async(const In *in, size_t n,  host; in, out and ws     *out, in stream order
 *       T *out, reduce_workspace *ws, cudaStream_t) where the device reaches
 *   cudaError_t NAME(const In *in, size_t n,        host; in anywhere        *result, on return
 *                    T *result)
 *   cudaError_t reduce_workspace_create(reduce_workspace **ws)
 *   cudaError_t reduce_workspace_reset(reduce_workspace *ws, cudaStream_t stream)
 *   cudaError_t reduce_workspace_destroy(reduce_workspace *ws)
 *   struct reduce_plan reduce_plan(size_t n, size_t element_size)
 *
 *   All threads that the table names make the call: one without a value passes NAME_identity(). A block may
 *   have any 1-, 2- or 3-dimensional shape of 1 to 1024 threads, and its last warp may be partial; blocks of
 *   whole warps are faster. A grid may have any shape of up to 2^32 - 1 blocks. Calls of the functions for
 *   warps and blocks may follow each other directly. A block's result depends on the block's size, a grid's
 *   result also on its shape. NAME_block takes up to 133 T of shared memory, or 37 T if T has more than 16
 *   bytes, and up to 15 bytes for alignment; NAME_grid takes one T and a word more. A kernel of 1024 threads
 *   that reduces a T of more than 24 bytes needs __launch_bounds__, because of its registers. NAME_last_block
 *   is called as NAME_async is and gives the same bits. No block waits in it, and it takes a little longer.
 *   reduce_teaching.cuh has more strategies, for teaching.
 *
 * THE SIMPLE CALL: NAME(in, n, &result)
 *
 *   The input and the result are in ordinary, pinned or managed memory or in that of any GPU; the call finds
 *   out where. (Pin all of an array, or nothing: of its bytes the call asks only for the first and the last.)
 *   The call returns when the result is there and has then released all memory that it allocated. It works in
 *   the default stream. It queries, allocates and waits, also for kernels in other streams, as cudaFree does:
 *   use it once, and NAME_async in a loop. Without a GPU or its driver it runs on the CPU, with the same
 *   bits. The CPU and the GPU share an array in main memory if reduce_host.cuh lies beside this file; its
 *   manual says how. Otherwise the call copies the array to the GPU.
 *
 * THE ASYNCHRONOUS CALL: NAME_async(in, n, out, ws, stream)
 *
 *   It launches one kernel and neither allocates nor queries nor synchronises, so a graph can capture it.
 *   Input and output are in device, managed or pinned memory. A workspace has one size, about 512 KiB, for
 *   every NAME and n. It serves one call at a time: create one for each stream, and keep it until the
 *   stream's last call has ended. Calls leave it ready for the next one. Call reduce_workspace_reset after a
 *   kernel that was aborted, or after a grid of which not all blocks called NAME_grid.
 *
 *   The last block of NAME_async and NAME_grid waits for the blocks of lower index; in grids of more than
 *   4096 blocks other blocks of NAME_grid do too. The H200 and the H100 start blocks in the order of their
 *   indices, and other libraries rely on it, but CUDA does not promise it: on a device that held a block
 *   back until the last one ends, the kernel would never end. For such a device define REDUCE_NO_WAITING
 *   before the include. NAME_async, and NAME_grid with up to 4096 blocks, then let the block that finishes
 *   last collect, with the same bits, as NAME_last_block always does. A grid of thread block clusters starts
 *   one cluster after the other: with more than 4096 blocks, NAME_grid ends only if clusters extend along x
 *   alone.
 *
 * ERRORS
 *
 *   A host function returns cudaSuccess, the error of the CUDA call that failed, or
 *     cudaErrorInvalidValue       a null pointer (null is fine as the input when n is 0, and to destroy),
 *                                 more elements than fit the address space or than 2^40, or an output that
 *                                 lies inside the input
 *     cudaErrorMisalignedAddress  an input or output that is not aligned for its type
 *   A call that returns an error has changed nothing. The header never prints and never exits.
 *
 * VALUES
 *
 *   No elements   give the identity: 0 for sum, 1 for prod, +inf or the greatest integer for min, -inf or
 *                 the least for max, NaN for fmin and fmax, all bits set for band, 1 for land, else 0.
 *   Integers      wrap around by built-in operators, signed ones too: this is defined here. Map into a wider
 *                 type to avoid it. In an expression of your own, 0, a + b too, C's own rules hold.
 *   NaN           min and max return NaN if there is one (IEEE 754-2019 minimum and maximum). fmin and fmax
 *                 return a number if there is one (minimumNumber, maximumNumber). A NaN result has one bit
 *                 pattern: float 0x7fc00000, double 0x7ff8000000000000, half 0x7e00, bfloat16 0x7fc0.
 *   Zeros         -0 is less than +0. A sum starts from +0: the sum of -0 alone is +0.
 *   Subnormals    are kept.
 *   Structs       keep what the operator made of them, NaN and padding included.
 *
 *   The same bits need a compiler and a CPU that keep to IEEE 754: no -ffast-math, no -use_fast_math, no
 *   -ftz=true, and no library that makes the CPU take subnormal numbers for zeros. A compiler may fuse a
 *   product and a sum in your own expression (a * b + c) on one machine and not on another: write
 *   reduce_rounded_float(a * b) + c, or reduce_rounded_double. The library never fuses what your map returns
 *   with your operator.
 *
 * LIMITS
 *
 *   Operators that do not commute, more than 2^40 elements on the GPU, and MSVC are not supported. The
 *   library runs on the H200 and the H100 in its tests; for other GPUs its tests compile it and simulate it.
 */
#ifndef REDUCE_CUH
#define REDUCE_CUH

#define REDUCE_VERSION_MAJOR 0
#define REDUCE_VERSION_MINOR 1
#define REDUCE_VERSION_PATCH 0
#define REDUCE_VERSION (REDUCE_VERSION_MAJOR * 10000 + REDUCE_VERSION_MINOR * 100 + REDUCE_VERSION_PATCH)

#ifdef __CUDACC_RTC__
#error "reduce.cuh: NVRTC is not supported, because it has no host functions: compile by nvcc"
#endif
#if defined __NVCC__ && defined __CUDACC_VER_MAJOR__
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1205
#error "reduce.cuh: this CUDA is too old: before 12.5 ptxas makes wrong code of it"
#endif
#endif
#ifndef __GNUC__
#error "reduce.cuh: this compiler is not supported: use gcc or clang, also as nvcc's host compiler"
#endif
#if defined __cplusplus ? __cplusplus < 201103 : __STDC_VERSION__ + 0 < 201112
#error "reduce.cuh: this language is too old: C11 or C++14 is needed, as by -std=c11 and -std=c++14"
#endif

#if defined a || defined b || defined i || defined k || defined l || defined n || defined p ||              \
    defined s || defined u || defined w || defined x || defined y || defined z
#error "reduce.cuh: one of a, b, i, k, l, n, p, s, u, w, x, y and z is a macro: undefine it before including"
#endif

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Files for the host alone may hold a pointer to one. */
typedef struct reduce_workspace reduce_workspace;

/* ---- Compilers ----------------------------------------------------------------------------------------- */

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define REDUCE_BOTH_ static inline __host__ __device__ __attribute__((__unused__))
#define REDUCE_DEVICE_ static __device__ __forceinline__ __attribute__((__unused__))
#define REDUCE_OUT_OF_LINE_ static __device__ __noinline__ __attribute__((__unused__))
#define REDUCE_GLOBAL_ static __global__ __attribute__((__unused__))
#define REDUCE_NO_INLINE_ __noinline__ /* CUDA defines a macro with the spelling of the attribute */

/* cudaLaunchKernel, which wants a pointer to void before CUDA 13. */
#if CUDART_VERSION < 13000
#define REDUCE_CUDA_LAUNCH_(kernel, ...) cudaLaunchKernel((const void *)(kernel), __VA_ARGS__)
#else
#define REDUCE_CUDA_LAUNCH_ cudaLaunchKernel
#endif
#else
#define REDUCE_NO_INLINE_ __attribute__((__noinline__))
#define REDUCE_BOTH_ static inline __attribute__((__unused__))
#endif
#define REDUCE_HOST_ static inline __attribute__((__unused__))
#define REDUCE_UNUSED_ __attribute__((__unused__)) /* of a parameter: a user's expression may leave it out */
#define REDUCE_ALWAYS_ static inline __attribute__((__unused__, __always_inline__))

#ifdef __clang__
#define REDUCE_WRAPS_ __attribute__((__no_sanitize__("unsigned-integer-overflow"))) /* it is intended */
#define REDUCE_CALLED_ static REDUCE_NO_INLINE_ __attribute__((__unused__)) /* out of line: compiles sooner */
#else
#define REDUCE_WRAPS_
#define REDUCE_CALLED_ static REDUCE_NO_INLINE_ __attribute__((__unused__, __noclone__))
#endif

/* Functions without type and operator take little of the time, and much of the compiler's: gcc optimises them
   less. (Not "O0": then it would keep those that nobody calls.) */
#ifdef __clang__
#define REDUCE_FRAME_ REDUCE_CALLED_
#else
#define REDUCE_FRAME_ REDUCE_CALLED_ __attribute__((__optimize__("Og")))
#endif

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* a function and a struct may share a name, as in C */
#define REDUCE_ASSERT_(condition, message) static_assert(condition, message);
#define REDUCE_ALIGNMENT_(T) alignof(T)
#else
#define REDUCE_ASSERT_(condition, message) _Static_assert(condition, message);
#define REDUCE_ALIGNMENT_(T) _Alignof(T)
#endif

/* REDUCE_ARCH_: the architecture whose instructions the code may use. The simulator's is sm_90 by default.
   REDUCE_COMPUTE_ONCE_: keeps 32 bits in a register, so that nvcc does not compute them anew at each use. */
#ifdef __CUDA_ARCH__
#define REDUCE_ARCH_ __CUDA_ARCH__
#define REDUCE_UNROLL_ _Pragma("unroll")
#define REDUCE_NO_UNROLL_ _Pragma("unroll 1")
#define REDUCE_COMPUTE_ONCE_(word) asm("" : "+r"(word))
#define REDUCE_COMPUTE_POINTER_ONCE_(pointer) asm("" : "+l"(pointer))
#define REDUCE_ANYTHING_(x) (void)0
#define REDUCE_KEEP_ORDER_ asm volatile("" : : : "memory") /* of loads and stores */
#else
#ifndef REDUCE_ARCH_
#define REDUCE_ARCH_ 900
#endif
#define REDUCE_UNROLL_
#define REDUCE_NO_UNROLL_
#define REDUCE_COMPUTE_ONCE_(word) (void)(word)
#define REDUCE_COMPUTE_POINTER_ONCE_(pointer) (void)(pointer)
#define REDUCE_ANYTHING_(x) memset((void *)&(x), 0, sizeof(x)) /* its value does not matter; no warning */
#define REDUCE_KEEP_ORDER_ (void)0
#endif

/* REDUCE_INDEPENDENT_: the steps of the next loop do not depend on each other. gcc -O2 needs to be told. */
#ifdef __clang__
#define REDUCE_INDEPENDENT_
#else
#define REDUCE_INDEPENDENT_ _Pragma("GCC ivdep")
#endif

#ifdef _OPENMP
#define REDUCE_PARALLEL_FOR_ _Pragma("omp parallel for")
#else
#define REDUCE_PARALLEL_FOR_
#endif

/* nvcc's preprocessor puts everything that a macro generates on one line, and nvcc prints this line with each
   diagnostic. A pragma without effect ends the line: it then has 2 KB instead of 50 KB. */
#ifdef __NVCC__
#define REDUCE_LINE_ _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic pop")
#else
#define REDUCE_LINE_
#endif

#define REDUCE_STRING_(...) #__VA_ARGS__
#define REDUCE_EXPANDED_(...) REDUCE_STRING_(__VA_ARGS__)
#define REDUCE_IS_MACRO_(macro) (*REDUCE_EXPANDED_(macro) != '_') /* else its text is its own name */
#define REDUCE_MIN_(a, b) ((a) < (b) ? (a) : (b))
#define REDUCE_COUNT_(array) (sizeof(array) / sizeof *(array))

/* ---- Types --------------------------------------------------------------------------------------------- */

#define REDUCE_MAX_SIZE 64 /* bytes in the largest T and In */

enum reduce_kind_ {
    REDUCE_INTEGER_, REDUCE_FLOAT_, REDUCE_DOUBLE_, REDUCE_LONG_DOUBLE_, REDUCE_HALF_, REDUCE_BFLOAT16_,
    REDUCE_STRUCT_
};

#ifdef __cplusplus
struct __half;
struct __nv_bfloat16;
#ifdef __CUDACC__ /* code that may run on a device must not name long double */
typedef double reduce_long_double_;
#define REDUCE_IS_LONG_DOUBLE_(T) __is_same(T, long double)
#define REDUCE_IS_CPU_LONG_DOUBLE_(T) false
#else
typedef long double reduce_long_double_;
#define REDUCE_IS_LONG_DOUBLE_(T) false
#define REDUCE_IS_CPU_LONG_DOUBLE_(T) __is_same(T, long double)
/* What a T becomes on its way to a long double and back. (Half types have too many conversions for one.) */
#define REDUCE_WIDE_(T) decltype(reduce_wide_((T *)0))
extern "C++" long double reduce_wide_(const long double *);
extern "C++" double reduce_wide_(const void *);
#endif
#ifdef __FLT16_MANT_DIG__
#define REDUCE_IS_FLOAT16_(T) __is_same(T, _Float16)
#else
#define REDUCE_IS_FLOAT16_(T) 0
#endif
#define REDUCE_IS_VOLATILE_(T) __is_same(T, volatile T)
#define REDUCE_IS_CLASS_(T) (__is_class(T) || __is_union(T))
#define REDUCE_IS_COUNTED_(T) (__is_enum(T) || (__is_constructible(T, int) && !REDUCE_IS_CLASS_(T)))
#define REDUCE_IS_POINTER_(T) (__is_constructible(T, decltype(nullptr)) && !REDUCE_IS_CLASS_(T))
#define REDUCE_IS_ARRAY_(T) (!REDUCE_IS_CLASS_(T) && !REDUCE_IS_COUNTED_(T) && !REDUCE_IS_POINTER_(T))
#define REDUCE_IS_COPYABLE_(T) __is_trivially_copyable(T)
#define REDUCE_IS_CONSTRUCTIBLE_(T) __is_trivially_constructible(T)
#define REDUCE_IS_ASSIGNABLE_(T) __is_assignable(T &, const T &)
/* Integers and enumerations: other numbers, as complex ones, __bf16 and std::float32_t, have 8 and 9. */
#define REDUCE_IS_WHOLE_(T) (REDUCE_IS_COUNTED_(T) && __builtin_classify_type(*(T *)0) < 5)
#define REDUCE_IS_A_(T, other) __is_same(const volatile T, const volatile other)
#define REDUCE_KIND_(T)                                                                                     \
    (REDUCE_IS_A_(T, float)        ? REDUCE_FLOAT_                                                          \
     : REDUCE_IS_A_(T, double)     ? REDUCE_DOUBLE_                                                         \
     : __is_same(T, __half)        ? REDUCE_HALF_                                                           \
     : __is_same(T, __nv_bfloat16) ? REDUCE_BFLOAT16_                                                       \
     : REDUCE_IS_CPU_LONG_DOUBLE_(T) ? REDUCE_LONG_DOUBLE_                                                  \
     : REDUCE_IS_WHOLE_(T)         ? REDUCE_INTEGER_ : REDUCE_STRUCT_)
#else
typedef long double reduce_long_double_;
#define REDUCE_IS_LONG_DOUBLE_(T) 0
#define REDUCE_IS_FLOAT16_(T) 0
#define REDUCE_IS_VOLATILE_(T) __builtin_types_compatible_p(T *, volatile T *)
#define REDUCE_IS_ARRAY_(T) 0
#define REDUCE_IS_COPYABLE_(T) 1
#define REDUCE_IS_CONSTRUCTIBLE_(T) 1
#define REDUCE_IS_ASSIGNABLE_(T) (!__builtin_types_compatible_p(T *, const T *))
#define REDUCE_KIND_(T)                                                                                     \
    _Generic(*(T *)0, float: REDUCE_FLOAT_, double: REDUCE_DOUBLE_, long double: REDUCE_LONG_DOUBLE_,       \
        _Bool: REDUCE_INTEGER_, char: REDUCE_INTEGER_, signed char: REDUCE_INTEGER_,                        \
        unsigned char: REDUCE_INTEGER_, short: REDUCE_INTEGER_, unsigned short: REDUCE_INTEGER_,            \
        int: REDUCE_INTEGER_, unsigned: REDUCE_INTEGER_, long: REDUCE_INTEGER_,                             \
        unsigned long: REDUCE_INTEGER_, long long: REDUCE_INTEGER_,                                         \
        unsigned long long: REDUCE_INTEGER_, default: REDUCE_STRUCT_)
#endif

#ifndef REDUCE_WIDE_
#define REDUCE_WIDE_(T) reduce_long_double_
#endif
#define REDUCE_AS_LONG_DOUBLE_(T, x) (reduce_long_double_)(REDUCE_WIDE_(T))(x)
#define REDUCE_IS_INTEGER_(T) (REDUCE_KIND_(T) == REDUCE_INTEGER_)
#define REDUCE_IS_NUMBER_(T) (REDUCE_KIND_(T) != REDUCE_STRUCT_)
#define REDUCE_IS_FLOATING_(T) (REDUCE_IS_NUMBER_(T) && !REDUCE_IS_INTEGER_(T))
#define REDUCE_IS_FLOAT_OR_DOUBLE_(T) (REDUCE_KIND_(T) == REDUCE_FLOAT_ || REDUCE_KIND_(T) == REDUCE_DOUBLE_)
#define REDUCE_IS_SIGNED_(T) ((T) - 1 < (T)1)

/* The greatest and the least value of an integer type. The caller converts them to that type. */
REDUCE_BOTH_ unsigned long long reduce_greatest_(size_t size_, bool is_signed_) {
    return ~0ull >> (64 - 8 * size_ + is_signed_);
}
REDUCE_BOTH_ unsigned long long reduce_least_(size_t size_, bool is_signed_) {
    return is_signed_ ? ~reduce_greatest_(size_, true) : 0;
}

/* Functions, because gcc warns of a constant infinity that is converted to an integer, even in dead code. */
REDUCE_BOTH_ float reduce_infinity_(void) { return INFINITY; }
REDUCE_BOTH_ float reduce_nan_(void) { return NAN; }

/* Replaces a NaN by its one bit pattern. The pattern is hidden from nvcc, which would otherwise compute all
   that follows twice, for the value and for the constant, and select one result in the end. */
#define REDUCE_CANONICAL_AS_(T, word, IS_NAN, pattern, shift)                                               \
    do {                                                                                                    \
        T x;                                                                                                \
        uint32_t nan_ = pattern;                                                                            \
        REDUCE_COMPUTE_ONCE_(nan_);                                                                         \
        const word bits_ = (word)((word)nan_ << shift);                                                     \
        memcpy(&x, value_, sizeof x);                                                                       \
        if (IS_NAN) memcpy(value_, &bits_, sizeof bits_);                                                   \
    } while (0)

REDUCE_BOTH_ void reduce_canonical_(void *value_, enum reduce_kind_ kind_) {
    if (kind_ == REDUCE_FLOAT_) REDUCE_CANONICAL_AS_(float, uint32_t, x != x, 0x7fc00000, 0);
    if (kind_ == REDUCE_DOUBLE_) REDUCE_CANONICAL_AS_(double, uint64_t, x != x, 0x7ff80000, 32);
    if (kind_ == REDUCE_HALF_) REDUCE_CANONICAL_AS_(uint16_t, uint16_t, (x & 0x7fff) > 0x7c00, 0x7e00, 0);
    if (kind_ == REDUCE_BFLOAT16_) REDUCE_CANONICAL_AS_(uint16_t, uint16_t, (x & 0x7fff) > 0x7f80, 0x7fc0, 0);
}

/* ---- Rounding ------------------------------------------------------------------------------------------ */

/* Hides from the compiler how a value was computed, so that it cannot fuse a multiplication with an addition.
   ptxas fuses across a plain move. It does not fuse across a byte permutation, which here changes nothing. */
#ifdef __CUDA_ARCH__
#define REDUCE_HIDE_WORD_(word) asm("prmt.b32 %0, %0, 0, 0x3210;" : "+r"(word))
#else
#define REDUCE_HIDE_WORD_(word) __asm__("" : "+r"(word))
#endif

REDUCE_BOTH_ void reduce_round_(void *value_, size_t size_) {
    REDUCE_UNROLL_
    for (size_t at_ = 0; at_ < size_; at_ += 4) {
        uint32_t word_ = 0;
        const size_t bytes_ = REDUCE_MIN_(size_ - at_, 4);
        memcpy(&word_, (char *)value_ + at_, bytes_);
        REDUCE_HIDE_WORD_(word_);
        memcpy((char *)value_ + at_, &word_, bytes_);
    }
}

/* Returns x rounded to its type: no compiler fuses x with the operation that uses it. */
REDUCE_BOTH_ float reduce_rounded_float(float x) { return reduce_round_(&x, sizeof x), x; }
REDUCE_BOTH_ double reduce_rounded_double(double x) { return reduce_round_(&x, sizeof x), x; }

/* a + b, fused with nothing that made a or b. On a GPU this costs nothing more than a + b. */
#ifdef __CUDA_ARCH__
REDUCE_DEVICE_ float reduce_plus_float_(float a, float b) { return __fadd_rn(a, b); }
REDUCE_DEVICE_ double reduce_plus_double_(double a, double b) { return __dadd_rn(a, b); }
#else
REDUCE_BOTH_ float reduce_plus_float_(float a, float b) {
    return reduce_rounded_float(a) + reduce_rounded_float(b);
}
REDUCE_BOTH_ double reduce_plus_double_(double a, double b) {
    return reduce_rounded_double(a) + reduce_rounded_double(b);
}
#endif

/* ---- Operators --------------------------------------------------------------------------------------------
 *
 * An operator is a pair of macros: its identity, and how it combines a and b. Users add theirs as these are.
 */
#define REDUCE_IDENTITY_band(T) (T)~0ull
#define REDUCE_COMBINE_band(T, a, b) (T)((a) & (b))
#define REDUCE_IDENTITY_bor(T) (T)0
#define REDUCE_COMBINE_bor(T, a, b) (T)((a) | (b))
#define REDUCE_IDENTITY_bxor(T) (T)0
#define REDUCE_COMBINE_bxor(T, a, b) (T)((a) ^ (b))
#define REDUCE_IDENTITY_land(T) (T)1
#define REDUCE_COMBINE_land(T, a, b) (T)((a) != (T)0 && (b) != (T)0)
#define REDUCE_IDENTITY_lor(T) (T)0
#define REDUCE_COMBINE_lor(T, a, b) (T)((a) != (T)0 || (b) != (T)0)

/* Sums and products of integers wrap around: they are computed in the widest unsigned type. */
REDUCE_BOTH_ REDUCE_WRAPS_ unsigned long long reduce_plus_(unsigned long long a, unsigned long long b) {
    return a + b;
}
REDUCE_BOTH_ REDUCE_WRAPS_ unsigned long long reduce_times_(unsigned long long a, unsigned long long b) {
    return a * b;
}

#define REDUCE_WRAP_(T, name, a, b) (T)reduce_##name##_((unsigned long long)(a), (unsigned long long)(b))

#define REDUCE_IDENTITY_sum(T) (T)0
#define REDUCE_COMBINE_sum(T, a, b) (REDUCE_IS_INTEGER_(T) ? REDUCE_WRAP_(T, plus, a, b) : (T)((a) + (b)))
#define REDUCE_IDENTITY_prod(T) (T)1
/* Subtracting 0 changes no value. Without it gcc warns of a product of bools. */
#define REDUCE_COMBINE_prod(T, a, b)                                                                        \
    (REDUCE_IS_INTEGER_(T) ? REDUCE_WRAP_(T, times, a, b) : (T)((a) * (b) - (T)0))

/* ---- Extremes ---------------------------------------------------------------------------------------------
 *
 * min and max are IEEE 754-2019's minimum and maximum: NaN if either operand is NaN, and -0 below +0.
 * fmin and fmax are minimumNumber and maximumNumber: the other operand if one operand is NaN.
 */
#define REDUCE_IDENTITY_min(T)                                                                              \
    (REDUCE_IS_INTEGER_(T) ? (T)reduce_greatest_(sizeof(T), REDUCE_IS_SIGNED_(T)) : (T)reduce_infinity_())
#define REDUCE_COMBINE_min(T, a, b)                                                                         \
    (REDUCE_IS_INTEGER_(T) ? (T)((b) < (a) ? (b) : (a)) : REDUCE_EXTREME_(minimum, T, a, b))
#define REDUCE_IDENTITY_max(T)                                                                              \
    (REDUCE_IS_INTEGER_(T) ? (T)reduce_least_(sizeof(T), REDUCE_IS_SIGNED_(T)) : (T)-reduce_infinity_())
#define REDUCE_COMBINE_max(T, a, b)                                                                         \
    (REDUCE_IS_INTEGER_(T) ? (T)((a) < (b) ? (b) : (a)) : REDUCE_EXTREME_(maximum, T, a, b))

#define REDUCE_IDENTITY_fmin(T) (T)reduce_nan_()
#define REDUCE_COMBINE_fmin(T, a, b) REDUCE_EXTREME_(minimum_number, T, a, b)
#define REDUCE_IDENTITY_fmax(T) (T)reduce_nan_()
#define REDUCE_COMBINE_fmax(T, a, b) REDUCE_EXTREME_(maximum_number, T, a, b)

/* Calls the function for the smallest type that holds every value of T: float for half and bfloat16 too. */
#define REDUCE_EXTREME_(name, T, a, b)                                                                      \
    (REDUCE_KIND_(T) == REDUCE_DOUBLE_        ? (T)reduce_##name##_double_((double)(a), (double)(b))        \
     : REDUCE_KIND_(T) == REDUCE_LONG_DOUBLE_                                                               \
         ? (T)(REDUCE_WIDE_(T))reduce_##name##_long_double_(REDUCE_AS_LONG_DOUBLE_(T, a),                   \
                                                            REDUCE_AS_LONG_DOUBLE_(T, b))                   \
         : (T)reduce_##name##_float_((float)(a), (float)(b)))

/* The rest of this section defines these functions: reduce_minimum_float_, reduce_maximum_number_double_ and
   so on. REDUCE_EXTREMES_ defines them from an expression that need not care for NaN. */
#define REDUCE_LESSER_(a, b) ((a) == (b) ? (__builtin_signbit(a) ? (a) : (b)) : (a) < (b) ? (a) : (b))
#define REDUCE_GREATER_(a, b) ((a) == (b) ? (__builtin_signbit(a) ? (b) : (a)) : (a) > (b) ? (a) : (b))

/* T reduce_FUNCTION_name_(T a, T b): CHOSEN(a, b), or if_nan if an operand is NaN. */
#define REDUCE_EXTREME_OF_(function, name, T, CHOSEN, if_nan)                                               \
    REDUCE_BOTH_ T reduce_##function##_##name(T a, T b) {                                                   \
        const T chosen_ = CHOSEN(a, b);                                                                     \
        return a != a || b != b ? (T)if_nan : chosen_;                                                      \
    }

#define REDUCE_EXTREMES_(numbers, name, T, LESSER, GREATER, if_nan)                                         \
    REDUCE_EXTREME_OF_(minimum##numbers, name, T, LESSER, if_nan)                                           \
    REDUCE_EXTREME_OF_(maximum##numbers, name, T, GREATER, if_nan)

/* The host's functions have no branches, so that compilers vectorise loops of them. Two comparisons select
   the same number, unless an operand is NaN or both are zeros. In these cases a bit operation on both
   selections gives a NaN or the right zero.
   T reduce_FUNCTION_of_both_name_(T a, T b): BITS of the selections a and b. */
#define REDUCE_OF_BOTH_(function, name, T, word, BITS)                                                      \
    REDUCE_BOTH_ T reduce_##function##_of_both_##name(T a, T b) {                                           \
        word x, y;                                                                                          \
        memcpy(&x, &a, sizeof x);                                                                           \
        memcpy(&y, &b, sizeof y);                                                                           \
        x = BITS;                                                                                           \
        memcpy(&a, &x, sizeof a);                                                                           \
        return a;                                                                                           \
    }

/* If an operand is NaN, one of the two comparisons selects it. */
#define REDUCE_EXTREME_BY_BITS_(function, name, T, before)                                                  \
    REDUCE_BOTH_ T reduce_##function##_##name(T a, T b) {                                                   \
        return reduce_##function##_of_both_##name(a before b ? a : b, b before a ? b : a);                  \
    }

/* If a is NaN, both comparisons select b. If b is NaN, the result is a. */
#define REDUCE_EXTREME_NUMBER_BY_BITS_(function, name, T, before)                                           \
    REDUCE_BOTH_ T reduce_##function##_number_##name(T a, T b) {                                            \
        const T x = reduce_##function##_of_both_##name(a before b ? a : b, a before##= b ? a : b);          \
        return b != b ? a : x;                                                                              \
    }

#define REDUCE_EXTREMES_BY_BITS_(name, T, word)                                                             \
    REDUCE_OF_BOTH_(minimum, name, T, word, x | y)                                                          \
    REDUCE_OF_BOTH_(maximum, name, T, word, (x | y) & ~((x ^ y) & ~(~(word)0 >> 1)))                        \
    REDUCE_EXTREME_BY_BITS_(minimum, name, T, <)                                                            \
    REDUCE_EXTREME_BY_BITS_(maximum, name, T, >)                                                            \
    REDUCE_EXTREME_NUMBER_BY_BITS_(minimum, name, T, <)                                                     \
    REDUCE_EXTREME_NUMBER_BY_BITS_(maximum, name, T, >)

#ifndef __CUDA_ARCH__
REDUCE_EXTREMES_BY_BITS_(float_, float, uint32_t)
REDUCE_EXTREMES_BY_BITS_(double_, double, uint64_t)
#else
#if REDUCE_ARCH_ >= 800
#define REDUCE_EXTREME_BY_INSTRUCTION_(name, word)                                                          \
    REDUCE_BOTH_ float reduce_##name##_float_(float a, float b) {                                           \
        asm(word ".NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));                                                \
        return a;                                                                                           \
    }
REDUCE_EXTREME_BY_INSTRUCTION_(minimum, "min")
REDUCE_EXTREME_BY_INSTRUCTION_(maximum, "max")
#else
REDUCE_EXTREMES_(, float_, float, fminf, fmaxf, reduce_nan_())
#endif
REDUCE_EXTREMES_(_number, float_, float, fminf, fmaxf, chosen_) /* fminf and fmaxf ignore a NaN */

/* double reduce_lesser_double_(double a, double b), reduce_greater_double_: these take 5 instructions where
   fmin and fmax take 9. The bits of two doubles, compared as signed integers, have the order of the numbers,
   zeros included, or the opposite order if both are negative. NaN is not handled. */
#define REDUCE_EXTREME_BY_ORDER_(name, order)                                                               \
    REDUCE_BOTH_ double reduce_##name##_double_(double a, double b) {                                       \
        asm("{ .reg .pred negative, first; .reg .b64 x, y; .reg .b32 low, sign, other;"                     \
            " mov.b64 x, %0; mov.b64 y, %1; mov.b64 {low, sign}, x; mov.b64 {low, other}, y;"               \
            " and.b32 sign, sign, other; and.b32 sign, sign, 0x80000000; setp.ne.u32 negative, sign, 0;"    \
            " setp." order ".xor.s64 first, x, y, negative; selp.f64 %0, %0, %1, first; }"                  \
            : "+d"(a) : "d"(b));                                                                            \
        return a;                                                                                           \
    }

REDUCE_EXTREME_BY_ORDER_(lesser, "lt")
REDUCE_EXTREME_BY_ORDER_(greater, "gt")
REDUCE_EXTREMES_(, double_, double, reduce_lesser_double_, reduce_greater_double_, reduce_nan_())
REDUCE_EXTREMES_(_number, double_, double, reduce_lesser_double_, reduce_greater_double_, (a != a ? b : a))
#endif
REDUCE_EXTREMES_(, long_double_, reduce_long_double_, REDUCE_LESSER_, REDUCE_GREATER_, reduce_nan_())
REDUCE_EXTREMES_(_number, long_double_, reduce_long_double_, REDUCE_LESSER_, REDUCE_GREATER_,
                 (a != a ? b : a))

/* ---- Which operator it is ---------------------------------------------------------------------------------
 *
 * A built-in operator has faster ways: instructions for a whole warp, any order where the order cannot show.
 * Which operator a definition uses is known from its text alone: C offers no other way to compare expressions
 * at compile time. It names the operator's macros; or, for numbers, it is "0, a + b", which is the sum,
 * "false, a || b" or "true, a && b"; with or without spaces. A definition that is spelled differently is
 * correct, but takes the general ways.
 */
enum reduce_operator_ {
    REDUCE_CUSTOM_, REDUCE_SUM_, REDUCE_PROD_, REDUCE_MIN_MAX_, REDUCE_FMIN_, REDUCE_FMAX_, REDUCE_BAND_,
    REDUCE_BOR_, REDUCE_BXOR_, REDUCE_LAND_LOR_,
    REDUCE_WRITTEN_PLUS_, REDUCE_WRITTEN_LOGIC_ /* of a text: sum, and land or lor, if operands are numbers */
};

#define REDUCE_READS_(text, other) (__builtin_strcmp(text, other) == 0)

/* The text of a definition that names the macros of operator op. ab: the operands, after a comma. */
#define REDUCE_TEXT_OF_(op, T, ab) "REDUCE_IDENTITY_" op "(" T "), REDUCE_COMBINE_" op "(" T ab ")"
#define REDUCE_IS_TEXT_OF_(text, op, T)                                                                     \
    (REDUCE_READS_(text, REDUCE_TEXT_OF_(op, T, ", a, b")) ||                                               \
     REDUCE_READS_(text, REDUCE_TEXT_OF_(op, T, ",a,b")))
#define REDUCE_IS_NAME_OF_(text, op, T) REDUCE_READS_(text, op)
#define REDUCE_IS_PLUS_FROM_(text, zero)                                                                    \
    (REDUCE_READS_(text, zero ", a + b") || REDUCE_READS_(text, zero ", a+b"))
#define REDUCE_IS_PLUS_(text)                                                                               \
    (REDUCE_IS_PLUS_FROM_(text, "0") || REDUCE_IS_PLUS_FROM_(text, "0.0") ||                                \
     REDUCE_IS_PLUS_FROM_(text, "0.0f"))
#define REDUCE_IS_LOGIC_FROM_(text, no, yes)                                                                \
    (REDUCE_READS_(text, no ", a || b") || REDUCE_READS_(text, no ", a||b") ||                              \
     REDUCE_READS_(text, yes ", a && b") || REDUCE_READS_(text, yes ", a&&b"))
#define REDUCE_IS_LOGIC_(text)                                                                              \
    (REDUCE_IS_LOGIC_FROM_(text, "false", "true") || REDUCE_IS_LOGIC_FROM_(text, "0", "1"))
#define REDUCE_OPERATOR_BY_(IS, text, T)                                                                    \
    (IS(text, "sum", T) ? REDUCE_SUM_ : IS(text, "prod", T) ? REDUCE_PROD_                                  \
     : IS(text, "fmin", T) ? REDUCE_FMIN_ : IS(text, "fmax", T) ? REDUCE_FMAX_                              \
     : IS(text, "band", T) ? REDUCE_BAND_ : IS(text, "bor", T) ? REDUCE_BOR_                                \
     : IS(text, "bxor", T) ? REDUCE_BXOR_ : IS(text, "min", T) || IS(text, "max", T) ? REDUCE_MIN_MAX_      \
     : IS(text, "land", T) || IS(text, "lor", T) ? REDUCE_LAND_LOR_ : REDUCE_CUSTOM_)
#define REDUCE_OPERATOR_OF_(text, T)                                                                        \
    (REDUCE_IS_PLUS_(text)    ? REDUCE_WRITTEN_PLUS_                                                        \
     : REDUCE_IS_LOGIC_(text) ? REDUCE_WRITTEN_LOGIC_                                                       \
                              : REDUCE_OPERATOR_BY_(REDUCE_IS_TEXT_OF_, text, T))
#define REDUCE_OPERATOR_NAMED_(op) REDUCE_OPERATOR_BY_(REDUCE_IS_NAME_OF_, op, )
#define REDUCE_IS_BITWISE_(number) ((number) >= REDUCE_BAND_ && (number) <= REDUCE_BXOR_)
#define REDUCE_IS_FMIN_FMAX_(number) ((number) == REDUCE_FMIN_ || (number) == REDUCE_FMAX_)
#define REDUCE_IS_EXTREME_(number) ((number) >= REDUCE_MIN_MAX_ && (number) <= REDUCE_FMAX_)

/* ---- What definitions must keep to ------------------------------------------------------------------------
 *
 * Each rule that a definition breaks is one sentence in the compiler's message.
 */

/* At file scope __builtin_FUNCTION() is empty. A letter that a macro replaces is no longer in the text. */
#define REDUCE_LETTERS_ a b i k l n p s u w x y z
#define REDUCE_CHECK_PLACE_(name)                                                                           \
    REDUCE_ASSERT_(__builtin_strcmp(__builtin_FUNCTION(), "") == 0,                                         \
                   name ": define a reduction at file scope, not inside a function")                        \
    REDUCE_ASSERT_(__builtin_strcmp(REDUCE_EXPANDED_(REDUCE_LETTERS_), "a b i k l n p s u w x y z") == 0,   \
                   name ": one of a, b, i, k, l, n, p, s, u, w, x, y and z is a macro: undefine it")

/* Whether a text lacks a character, which is given as a text (sign) and as a character: the first that is
   found is then the one that is added at the end. */
#define REDUCE_LACKS_(text, sign, character)                                                                \
    (__builtin_strlen(__builtin_strchr(text sign, character)) == 1)

/* C compilers only warn of an operator without a text. The preprocessor splits arguments at commas, also at
   those inside braces. */
#define REDUCE_CHECK_OPERATOR_IS_GIVEN_(name, identity, text)                                               \
    REDUCE_ASSERT_(REDUCE_LACKS_(identity, "{", '{') == REDUCE_LACKS_(identity, "}", '}'),                  \
                   name ": a comma inside braces separates arguments: let a function return the identity")  \
    REDUCE_ASSERT_(sizeof text > 1,                                                                         \
                   name ": the last two arguments must be the identity and an expression of a and b")

#define REDUCE_CHECK_WORD_(text)                                                                            \
    REDUCE_ASSERT_(REDUCE_LACKS_(text, " ", ' '),                                                           \
                   "DEFINE_REDUCE: " text " is more than one word: give the type a name with typedef")      \
    REDUCE_ASSERT_(REDUCE_LACKS_(text, ":", ':'),                                                           \
                   "DEFINE_REDUCE: " text " is in a namespace: give the type a name with typedef")

/* NAME_once_ is an array of unknown size before the first definition of NAME, and of known size after it. */
#ifdef __cplusplus
#define REDUCE_IS_FIRST_(once) (!__is_same(decltype(once), const char[1]))
#define REDUCE_MAY_REPEAT_
#define REDUCE_NO_REPEAT_
#else
#define REDUCE_IS_FIRST_(once) __builtin_types_compatible_p(__typeof__(once), const char[2])
#define REDUCE_MAY_REPEAT_                                                                                  \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wredundant-decls\"")
#define REDUCE_NO_REPEAT_ _Pragma("GCC diagnostic pop")
#endif
#define REDUCE_CHECK_ONCE_(NAME)                                                                            \
    REDUCE_MAY_REPEAT_                                                                                      \
    extern const char NAME##_once_[] __attribute__((__unused__));                                           \
    REDUCE_ASSERT_(REDUCE_IS_FIRST_(NAME##_once_),                                                          \
                   #NAME " is defined twice: write #define REDUCE_HAVE_" #NAME                              \
                         " after the first definition")                                                     \
    extern const char NAME##_once_[1] __attribute__((__unused__));                                          \
    REDUCE_NO_REPEAT_

#define REDUCE_CHECK_DEFINED_(name, NAME)                                                                   \
    REDUCE_MAY_REPEAT_                                                                                      \
    extern const char NAME##_once_[] __attribute__((__unused__));                                           \
    REDUCE_NO_REPEAT_                                                                                       \
    REDUCE_ASSERT_(!REDUCE_IS_FIRST_(NAME##_once_), name ": " #NAME " is not defined: define it first, "    \
                                                       "and in the same namespace")

/* A NAME's input: the size of NAME_kind_, an array that nobody defines. */
#define REDUCE_KIND_ARRAY_ 1
#define REDUCE_KIND_OWN_ 1 /* loads by itself (reduce_results.cuh) */
#define REDUCE_KIND_ZIP_ 2
#define REDUCE_KIND_WITH_ 3
#define REDUCE_KIND_ZIP_WITH_ 4
#define REDUCE_KIND_EXACT_ 5
#define REDUCE_DECLARE_KIND_(NAME, KIND)                                                                    \
    extern const char NAME##_kind_[REDUCE_KIND_##KIND] __attribute__((__unused__));
#define REDUCE_IS_KIND_(NAME, KIND) (sizeof(NAME##_kind_) == REDUCE_KIND_##KIND)

/* The rules for adding functions to a NAME: at file scope, after its definition, and by the macro that suits
   its input. ADDED: the macro's name without DEFINE_REDUCE_ and the input; as text, because users may have a
   macro of that name. */
#define REDUCE_CHECK_EXISTS_(NAME, ADDED)                                                                   \
    REDUCE_CHECK_PLACE_(#NAME ", " ADDED)                                                                   \
    REDUCE_CHECK_DEFINED_(#NAME ", " ADDED, NAME)                                                           \
    REDUCE_ASSERT_(!REDUCE_IS_KIND_(NAME, EXACT_),                                                          \
                   #NAME ", " ADDED ": " #NAME " is an exact sum, which has no other functions")
#define REDUCE_CHECK_ADDED_(NAME, KIND, ADDED)                                                              \
    REDUCE_CHECK_EXISTS_(NAME, ADDED)                                                                       \
    REDUCE_ASSERT_(!REDUCE_IS_KIND_(NAME, ARRAY_) || REDUCE_KIND_##KIND == REDUCE_KIND_ARRAY_,              \
                   #NAME ", " ADDED ": " #NAME " has one array and no context: use DEFINE_REDUCE_" ADDED)   \
    REDUCE_ASSERT_(!REDUCE_IS_KIND_(NAME, ZIP_) || REDUCE_KIND_##KIND == REDUCE_KIND_ZIP_,                  \
                   #NAME ", " ADDED ": " #NAME " has two arrays: use DEFINE_REDUCE_ZIP_" ADDED)             \
    REDUCE_ASSERT_(!REDUCE_IS_KIND_(NAME, WITH_) || REDUCE_KIND_##KIND == REDUCE_KIND_WITH_,                \
                   #NAME ", " ADDED ": " #NAME " has a context: use DEFINE_REDUCE_WITH_" ADDED)             \
    REDUCE_ASSERT_(!REDUCE_IS_KIND_(NAME, ZIP_WITH_) || REDUCE_KIND_##KIND == REDUCE_KIND_ZIP_WITH_,        \
                   #NAME ", " ADDED ": " #NAME " has two arrays and a context: use DEFINE_REDUCE_ZIP_WITH_" \
                         ADDED)

/* False if text, an expanded macro, still begins with the macro's name: there is no such macro. */
#define REDUCE_IS_DEFINED_(macro, text) (__builtin_strncmp(text, macro "(", sizeof(macro)) != 0)

/* Programs can switch off the operators and conversions of half types, which built-in operators need. */
#ifdef __cplusplus
#define REDUCE_LACKS_HALF_                                                                                  \
    (REDUCE_IS_MACRO_(__CUDA_NO_HALF_OPERATORS__) || REDUCE_IS_MACRO_(__CUDA_NO_HALF_CONVERSIONS__))
#define REDUCE_LACKS_BFLOAT16_                                                                              \
    (REDUCE_IS_MACRO_(__CUDA_NO_BFLOAT16_OPERATORS__) || REDUCE_IS_MACRO_(__CUDA_NO_BFLOAT16_CONVERSIONS__))
#else
#define REDUCE_LACKS_HALF_ 0
#define REDUCE_LACKS_BFLOAT16_ 0
#endif
#define REDUCE_CHECK_SWITCHES_(name, T)                                                                     \
    REDUCE_ASSERT_(REDUCE_KIND_(T) != REDUCE_HALF_ || !REDUCE_LACKS_HALF_,                                  \
                   name ": operators or conversions of __half are switched off: leave out the options "     \
                        "-D__CUDA_NO_HALF_..., or map into float")                                          \
    REDUCE_ASSERT_(REDUCE_KIND_(T) != REDUCE_BFLOAT16_ || !REDUCE_LACKS_BFLOAT16_,                          \
                   name ": operators or conversions of __nv_bfloat16 are switched off: leave out the "      \
                        "options -D__CUDA_NO_BFLOAT16_..., or map into float")

/* Compilers stop at most questions about a type that is volatile, or not defined: ask these first. This file
   declares half types but does not define them. */
#define REDUCE_CHECK_READABLE_(name, T)                                                                     \
    REDUCE_ASSERT_(!REDUCE_IS_VOLATILE_(T), name ": the type is volatile: leave that out")                  \
    REDUCE_CHECK_HEADER_(name, T)
#ifdef __cplusplus
#define REDUCE_CHECK_HEADER_(name, T)                                                                       \
    REDUCE_ASSERT_(!__is_same(T, __half) || REDUCE_IS_MACRO_(__CUDA_FP16_H__),                              \
                   name ": __half is not defined: include cuda_fp16.h first")                               \
    REDUCE_ASSERT_(!__is_same(T, __nv_bfloat16) || REDUCE_IS_MACRO_(__CUDA_BF16_H__),                       \
                   name ": __nv_bfloat16 is not defined: include cuda_bf16.h first")
#else
#define REDUCE_CHECK_HEADER_(name, T)
#endif

/* Names that users take for operators, and what they are. */
#define REDUCE_CHECK_KNOWN_(name, op, is_known)                                                             \
    REDUCE_ASSERT_((is_known) || !(REDUCE_READS_(op, "argmin") || REDUCE_READS_(op, "argmax")),             \
                   name ": use DEFINE_REDUCE_ARG(T, min) or (T, max) of reduce_results.cuh")                \
    REDUCE_ASSERT_((is_known) || !(REDUCE_READS_(op, "mean") || REDUCE_READS_(op, "var")),                  \
                   name ": use DEFINE_REDUCE_MOMENTS(T) of reduce_results.cuh")                             \
    REDUCE_ASSERT_((is_known) || !(REDUCE_READS_(op, "any") || REDUCE_READS_(op, "all")),                   \
                   name ": use lor or land")

#define REDUCE_CHECK_OPERATOR_(name, op, T, identity, combination)                                          \
    REDUCE_CHECK_READABLE_(name, T)                                                                         \
    REDUCE_CHECK_KNOWN_(name, op, REDUCE_IS_DEFINED_("REDUCE_IDENTITY_" op, identity))                      \
    REDUCE_ASSERT_(REDUCE_IS_DEFINED_("REDUCE_IDENTITY_" op, identity) &&                                   \
                       REDUCE_IS_DEFINED_("REDUCE_COMBINE_" op, combination),                               \
                   name ": there is no operator " op ": define REDUCE_IDENTITY_" op "(T) and "              \
                        "REDUCE_COMBINE_" op "(T, a, b), or use DEFINE_REDUCE_AS")                          \
    REDUCE_ASSERT_(REDUCE_OPERATOR_NAMED_(op) == REDUCE_CUSTOM_ || REDUCE_IS_NUMBER_(T),                    \
                   name ": " op " needs a number: define your own operator with DEFINE_REDUCE_AS")          \
    REDUCE_CHECK_SWITCHES_(name, T)                                                                         \
    REDUCE_ASSERT_(!REDUCE_IS_BITWISE_(REDUCE_OPERATOR_NAMED_(op)) || !REDUCE_IS_FLOATING_(T),              \
                   name ": " op " needs an integer type: map into one with DEFINE_REDUCE_MAP")              \
    REDUCE_ASSERT_(!REDUCE_IS_FMIN_FMAX_(REDUCE_OPERATOR_NAMED_(op)) || !REDUCE_IS_INTEGER_(T),             \
                   name ": " op " needs a floating-point type: use min or max")

/* Kernels load numbers as their types allow. An array cannot hold elements that are aligned to more than
   their size. */
#define REDUCE_HAS_USUAL_ALIGNMENT_(T)                                                                      \
    (REDUCE_ALIGNMENT_(T) <= sizeof(T) &&                                                                   \
     (!REDUCE_IS_NUMBER_(T) || REDUCE_ALIGNMENT_(T) >= REDUCE_MIN_(sizeof(T), sizeof(void *))))

#define REDUCE_OR_CAST_                                                                                     \
    ", or cast a pointer to elements to that of a plain struct of the same layout, as float2 is to complex"
#define REDUCE_CHECK_TYPE_(name, T)                                                                         \
    REDUCE_ASSERT_(sizeof(T) <= REDUCE_MAX_SIZE,                                                            \
                   name " is larger than 64 bytes: reduce an index or a pointer instead")                   \
    REDUCE_ASSERT_(!REDUCE_IS_ARRAY_(T), name " is an array or a vector: put it into a struct")             \
    REDUCE_ASSERT_(REDUCE_IS_COPYABLE_(T),                                                                  \
                   name " must be trivially copyable: use a plain struct" REDUCE_OR_CAST_)                  \
    REDUCE_ASSERT_(REDUCE_IS_CONSTRUCTIBLE_(T),                                                             \
                   name " must be trivially constructible: remove its constructors and default "            \
                        "member initializers" REDUCE_OR_CAST_)                                              \
    REDUCE_ASSERT_(REDUCE_IS_ASSIGNABLE_(T), name " is constant: leave out const")                          \
    REDUCE_ASSERT_(!REDUCE_IS_INTEGER_(T) || sizeof(T) <= 8 || REDUCE_IS_LONG_DOUBLE_(T),                   \
                   name " is too large for an integer: put it into a struct")                               \
    REDUCE_ASSERT_(REDUCE_HAS_USUAL_ALIGNMENT_(T),                                                          \
                   name " has an alignment of its own: leave that out, or put it into a struct")            \
    REDUCE_ASSERT_(!REDUCE_IS_FLOAT16_(T), name ": _Float16 is no type of CUDA's: use __half")              \
    REDUCE_ASSERT_(!REDUCE_IS_LONG_DOUBLE_(T), name ": GPUs have no long double: use double")

/* Gives type T a name. Generated code names no other types of the user's, whose names may then be anything.
   where: NAME, as text. */
#define REDUCE_NAME_TYPE_(where, name, T)                                                                   \
    REDUCE_ASSERT_(REDUCE_LACKS_(#T, "<", '<') || !REDUCE_LACKS_(#T, ">", '>'),                             \
                   where ": a comma in " #T "...> separates arguments: give the type a name with typedef")  \
    REDUCE_ASSERT_(REDUCE_LACKS_(#T, "{", '{') || !REDUCE_LACKS_(#T, "}", '}'),                             \
                   where ": a comma in " #T "...} separates arguments: give the type a name with typedef")  \
    typedef T name;                                                                                         \
    REDUCE_CHECK_READABLE_(where ": " #T, name)

/* NAME_name: the type of operands or elements. */
#define REDUCE_TYPE_(NAME, name, T)                                                                         \
    REDUCE_NAME_TYPE_(#NAME, NAME##_##name, T) REDUCE_CHECK_TYPE_(#NAME ": " #T, NAME##_##name)

/* T NAME_identity(void), T NAME_combine(T a, T b): the operator, in the user's own words. */
#define REDUCE_OPERATOR_(NAME, IDENTITY, ...)                                                               \
    REDUCE_BOTH_ NAME##_result NAME##_identity(void) { return IDENTITY; }                                   \
    REDUCE_BOTH_ NAME##_result NAME##_combine(NAME##_result a, NAME##_result b) { return __VA_ARGS__; }

/* T NAME_map_(In x, size_t i): turns element x, at index i, into an operand. NAME_is_mapped_: there is a map.
   NAME_computes_: the map computes, and its result must not be fused with the operator. */
#define REDUCE_MAP_(NAME, IS_MAPPED, EXPR_OF_X, ...)                                                        \
    enum { NAME##_is_mapped_ = IS_MAPPED, NAME##_computes_ = IS_MAPPED };                                   \
    REDUCE_BOTH_ NAME##_result NAME##_map_(__VA_ARGS__, size_t i REDUCE_UNUSED_) { return EXPR_OF_X; }

/* T NAME_final_(T x): what users get for the result x. A NaN has its one bit pattern. */
#define REDUCE_FINAL_(NAME)                                                                                 \
    REDUCE_BOTH_ NAME##_result NAME##_final_(NAME##_result x) {                                             \
        reduce_canonical_(&x, REDUCE_KIND_(NAME##_result));                                                 \
        return x;                                                                                           \
    }

/* True for min and max of doubles, which GPUs reduce by comparisons (NAME_compare_loads_). */
#define REDUCE_BY_COMPARISONS_(NAME)                                                                        \
    (REDUCE_KIND_(NAME##_result) == REDUCE_DOUBLE_ && (int)NAME##_operator_ == REDUCE_MIN_MAX_)

/* True for floating-point sums and products, and for all custom operators of floating-point numbers. */
#define REDUCE_ROUNDS_(NAME)                                                                                \
    (REDUCE_IS_FLOATING_(NAME##_result) && (int)NAME##_operator_ <= REDUCE_PROD_)

/* NAME_converts_     the map is "x": it only converts
   NAME_written_      the operator by the definition's text alone
   NAME_operator_     the operator
   NAME_is_built_in_  it is a built-in one; its result has the same bits with a and b exchanged
   NAME_enough_       accumulators that hide its latency, where their number cannot show
   NAME_is_exact_     its result has the same bits in any order
   NAME_selects_      it returns one of its operands, so that a reduction need not start from the identity
   NAME_is_light_     it takes one or two instructions, and a value fits one or two registers */
#define REDUCE_TRAITS_(NAME, map, OPERATOR)                                                                 \
    enum { NAME##_converts_ = __builtin_strcmp(map, "x") == 0 }; REDUCE_LINE_                               \
    enum { NAME##_written_ = OPERATOR }; REDUCE_LINE_                                                       \
    enum {                                                                                                  \
        NAME##_operator_ = (int)NAME##_written_ < REDUCE_WRITTEN_PLUS_         ? (int)NAME##_written_       \
                           : !REDUCE_IS_NUMBER_(NAME##_result)                 ? REDUCE_CUSTOM_             \
                           : (int)NAME##_written_ == REDUCE_WRITTEN_LOGIC_ ? REDUCE_LAND_LOR_ : REDUCE_SUM_ \
    };                                                                                                      \
    REDUCE_LINE_                                                                                            \
    enum { NAME##_is_built_in_ = (int)NAME##_operator_ != REDUCE_CUSTOM_ };                                 \
    enum { NAME##_enough_ = REDUCE_BY_COMPARISONS_(NAME) ? 1 : REDUCE_ENOUGH_ };                            \
    REDUCE_LINE_ enum { NAME##_is_exact_ = NAME##_is_built_in_ && !REDUCE_ROUNDS_(NAME) &&                  \
                                           REDUCE_KIND_(NAME##_result) != REDUCE_LONG_DOUBLE_ };            \
    REDUCE_LINE_ enum { NAME##_selects_ = REDUCE_IS_EXTREME_((int)NAME##_operator_) };                      \
    REDUCE_LINE_ enum { NAME##_is_light_ = NAME##_is_built_in_ && !(NAME##_is_exact_ &&                     \
                                           REDUCE_KIND_(NAME##_result) == REDUCE_DOUBLE_) };

/* ---- Where operands come from -----------------------------------------------------------------------------
 *
 * Operands come from an input of some KIND: ARRAY_ here, or ZIP_, WITH_ and ZIP_WITH_ of reduce_inputs.cuh,
 * which lists the macros that make a kind.
 */
#define REDUCE_ARRAYS_ARRAY_(NAME) const NAME##_element *in_
#define REDUCE_MORE_ARRAY_(NAME)
#define REDUCE_INPUT_ARRAY_ {in_}
#define REDUCE_MAPPED_ARRAY_(NAME, in, k, i) NAME##_map_((in).in_[k], i)
#define REDUCE_RANGES_ARRAY_(NAME, in, n) {REDUCE_RANGE_((in).in_, n, NAME##_element)}

#define REDUCE_ARRAY_(NAME)                                                                                 \
    enum { NAME##_size_ = sizeof(NAME##_element) };                                                         \
    typedef struct NAME##_input_ { const NAME##_element *in_; } NAME##_input_;                              \
    REDUCE_BOTH_ NAME##_input_ NAME##_input_at_(NAME##_input_ in_, size_t i) {                              \
        in_.in_ += i;                                                                                       \
        return in_;                                                                                         \
    }

#define REDUCE_GIVEN_(NAME, KIND) REDUCE_ARRAYS_##KIND(NAME), size_t n REDUCE_MORE_##KIND(NAME)

/* ---- The tree ---------------------------------------------------------------------------------------------
 *
 * The tree is the contract: it fixes the order in which elements combine, and so the bits of the result.
 * reduce_plan cuts n elements into chunks. REDUCE_STRANDS strands, logical threads, walk a chunk, stripe by
 * stripe. In each stripe a strand owns V neighbours (REDUCE_POSITIONS: as many as fill 16 bytes), and it has
 * V accumulators.
 *
 *     elements   0 1 2 3  4 5 6 7  8 ...       ... 2047      a stripe of floats: V = 4, 512 strands
 *     strand       0        1      2 ...            511
 *               2048 ...                       ... 4095      the next stripe of the same chunk
 *     strand       0        1      2 ...            511      combines it with its accumulators
 *
 *     1. Each accumulator starts from the identity and takes its elements, one of each stripe, in order.
 *     2. The V accumulators of a strand fold into one, then each 32 neighbouring strands, a warp of the tree,
 *        then the warps. The chunk's partial result is left.
 *     3. Partial results are reduced in the same way: chunk k is element k, with V = 1.
 *
 * A fold combines the upper half onto the lower, until one value is left: x[k] = combine(x[k], x[k + half]).
 *
 *     a b c d e f g h  ->  a+e b+f c+g d+h  ->  (a+e)+(c+g) (b+f)+(d+h)  ->  ((a+e)+(c+g)) + ((b+f)+(d+h))
 *
 * A strand without elements holds the identity. Executors may leave it out, and may take any order where the
 * result's bits cannot show it.
 */

/* Tests define smaller constants, all of these, so that short arrays reach every region of the code. */
#ifndef REDUCE_TREE_OF_TESTS_
#define REDUCE_TREE_VERSION 1
#define REDUCE_STRANDS 512
#define REDUCE_MAX_CHUNKS 4096
#define REDUCE_SLOTS 4096                     /* through which blocks hand over their results */
#define REDUCE_MAX_ELEMENTS ((size_t)1 << 40) /* on the GPU */
#define REDUCE_SINGLE_ 8                      /* an array of up to this many stripes is one chunk */
#define REDUCE_LOW_ 128                       /* up to this many stripes, chunks have 2 stripes; then 4 */
#define REDUCE_SPREAD_ 256                    /* where an array has this many chunks, chunks grow ... */
#define REDUCE_TALL_ 16                       /* ... to this many stripes; then there are more chunks */
#endif
#define REDUCE_WARP 32
#define REDUCE_ENOUGH_ 4 /* accumulators that hide an operator's latency, where their number cannot show */

/* The neighbours that a strand owns in a stripe: as many as fill 16 bytes, a power of two. */
#define REDUCE_POSITIONS(size) ((size) > 8 ? 1 : (size) > 4 ? 2 : (size) > 2 ? 4 : (size) > 1 ? 8 : 16)
#define REDUCE_STRIPE_(size) (REDUCE_STRANDS * REDUCE_POSITIONS(size))

/* How n elements are cut: count_ chunks of chunk_ elements; the last chunk may have fewer. */
struct reduce_cut_ { size_t chunk_, count_; };

REDUCE_BOTH_ size_t reduce_divide_up_(size_t a, size_t b) { return a / b + (a % b != 0); }

/* How many small elements a large one stands for. */
REDUCE_BOTH_ size_t reduce_weight_(size_t element_size_) {
    return element_size_ > 16 ? element_size_ / 16 : 1;
}

/* Up to 64 KiB are one chunk. Larger arrays are cut into up to 256 small chunks, so that many blocks share
   the work. Then chunks grow to 128 KiB, to keep partial results few. Then the number of chunks grows to its
   limit, and after that chunks grow again. Heights count stripes of 8 KiB; a stripe of larger elements counts
   as several. */
REDUCE_BOTH_ struct reduce_cut_ reduce_cut_(size_t n, size_t element_size_) {
    const size_t stripe_ = (size_t)REDUCE_STRANDS * REDUCE_POSITIONS(element_size_);
    const size_t weight_ = reduce_weight_(element_size_);
    const size_t heights_ = reduce_divide_up_(n, stripe_) * weight_;
    const size_t for_spread_ = reduce_divide_up_(heights_, REDUCE_SPREAD_);
    const size_t for_all_ = reduce_divide_up_(heights_, REDUCE_MAX_CHUNKS);
    struct reduce_cut_ cut_ = {n, n != 0};
    if (heights_ > REDUCE_SINGLE_) {
        size_t height_ = heights_ <= REDUCE_LOW_ ? 2 : 4;
        if (for_spread_ > height_) height_ = REDUCE_MIN_(for_spread_, REDUCE_TALL_);
        if (for_all_ > height_) height_ = for_all_;
        cut_.chunk_ = reduce_divide_up_(height_, weight_) * stripe_;
        cut_.count_ = reduce_divide_up_(n, cut_.chunk_);
    }
    return cut_;
}
REDUCE_FRAME_ struct reduce_cut_ reduce_cut_called_(size_t n, size_t element_size_) {
    return reduce_cut_(n, element_size_);
}

/* The public form of reduce_cut_. Users may have macros with the names of its members. */
#pragma push_macro("chunk")
#pragma push_macro("count")
#undef chunk
#undef count
struct reduce_plan {
    size_t chunk; /* elements in each chunk but the last, which may have fewer */
    size_t count; /* chunks: 0 for no elements, at most REDUCE_MAX_CHUNKS */
};
#pragma pop_macro("chunk")
#pragma pop_macro("count")

REDUCE_BOTH_ struct reduce_plan reduce_plan(size_t n, size_t element_size_) {
    const struct reduce_cut_ cut_ = reduce_cut_(n, element_size_);
    const struct reduce_plan plan_ = {cut_.chunk_, cut_.count_};
    return plan_;
}

/* ---- On the CPU -------------------------------------------------------------------------------------------
 *
 * The functions that walk the tree know neither type nor operator, so a file compiles them once. They call a
 * NAME's own functions through pointers, for up to 8 KiB of elements at a time.
 */

/* The columns of a stripe that are walked together: their accumulators fill 8 KiB, a quarter of L1. */
#define REDUCE_COLUMNS_(T)                                                                                  \
    (REDUCE_STRANDS * REDUCE_POSITIONS(sizeof(T)) / (sizeof(T) > 32 ? 4 : sizeof(T) > 16 ? 2 : 1))
typedef char reduce_buffer_[REDUCE_STRANDS * 16] __attribute__((__aligned__(64)));

/* The steps of an inner loop. gcc -O2 vectorises a loop only if it knows their number. */
#define REDUCE_RUN_ 64

/* Hides from the compiler how stored values were computed, so that it fuses nothing with them. */
#define REDUCE_HIDE_VALUES_(values) __asm__ volatile("" : : "r"(values) : "memory")

/* What the functions below know of a NAME: the sizes of T and of an element, the number of columns, and
     begin_(x, y, count)      x[k] = combine(identity, y[k])
     begin_two_(x, y, z, count)
                              x[k] = combine(combine(identity, y[k]), z[k]); null if begin_ is null
     onto_(x, y, count)       x[k] = combine(x[k], y[k])
     map_(x, in, i, count)    x[k] = element i + k, mapped; null if elements are operands as they are
     map_onto_(x, in, i, count)
                              x[k] = combine(x[k], element i + k, mapped); null if there is no map, or if a
                              compiler might fuse it with the operator
     walk_(cpu, in, i, end, apart, values, columns)
                              reduces elements i to end, in rows that begin apart elements from each other, to
                              one value for each column
     fold_(to, values, buffer, width, count)
                              folds each of count groups of width neighbours, a power of two, into one of to.
                              Overwrites the values, and a buffer for half of them; the three do not overlap.
                              Null if the result's bits cannot show the order.
   in points to a NAME_input_; x, y, z, values, buffer and to point to Ts. */
struct reduce_cpu_ {
    size_t size_;         /* bytes of a T */
    size_t element_size_; /* bytes of an element */
    size_t columns_;      /* columns that are walked together */
    void (*begin_)(void *__restrict x, const void *__restrict y, size_t count_);
    void (*begin_two_)(void *__restrict x, const void *__restrict y, const void *__restrict z, size_t count_);
    void (*onto_)(void *__restrict x, const void *__restrict y, size_t count_);
    void (*map_)(void *__restrict x, const void *in_, size_t i, size_t count_);
    void (*map_onto_)(void *__restrict x, const void *in_, size_t i, size_t count_);
    void (*walk_)(const struct reduce_cpu_ *cpu_, const void *in_, size_t i, size_t end_, size_t apart_,
                  char *values_, size_t columns_);
    void (*fold_)(void *to_, void *values_, void *buffer_, size_t width_, size_t count_);
    unsigned char identity_[REDUCE_MAX_SIZE];
};

/* Writes count identities: one, then a copy of it, then a copy of both, and so on. */
REDUCE_FRAME_ void reduce_cpu_fill_(const struct reduce_cpu_ *cpu_, char *values_, size_t count_) {
    const size_t bytes_ = count_ * cpu_->size_;
    if (count_ > 0) memcpy(values_, cpu_->identity_, cpu_->size_);
    for (size_t done_ = cpu_->size_; done_ < bytes_; done_ *= 2)
        memcpy(values_ + done_, values_, REDUCE_MIN_(done_, bytes_ - done_));
}

/* Returns count operands from element i on: in buffer if they are mapped, else in place. An input begins with
   the address of its elements. */
REDUCE_HOST_ const char *reduce_cpu_operands_(const struct reduce_cpu_ *cpu_, char *buffer_, const void *in_,
                                              size_t i, size_t count_) {
    const char *elements_;
    if (cpu_->map_ != NULL) return cpu_->map_(buffer_, in_, i, count_), buffer_;
    memcpy(&elements_, in_, sizeof elements_);
    return elements_ + i * cpu_->element_size_;
}

/* Begins the values of count columns with the row from element i on; with two rows, which may end at end, if
   both can be taken at once. Returns where the last row that it has taken begins. */
REDUCE_FRAME_ size_t reduce_cpu_first_rows_(const struct reduce_cpu_ *cpu_, const void *in_, size_t i,
                                            size_t end_, size_t apart_, char *values_, size_t count_) {
    reduce_buffer_ buffer_, second_buffer_;
    const char *const first_ = reduce_cpu_operands_(cpu_, buffer_, in_, i, count_), *second_;
    const bool are_two_ = cpu_->begin_two_ != NULL && end_ - i > apart_;
    const size_t two_ = are_two_ ? REDUCE_MIN_(count_, end_ - i - apart_) : 0, done_ = two_ * cpu_->size_;
    const size_t copied_ = cpu_->begin_ != NULL ? 0 : count_ * cpu_->size_;
    const size_t few_ = copied_ < 128 ? copied_ / 8 * 8 : 0; /* a call of memcpy would take longer */
    if (are_two_) {
        second_ = reduce_cpu_operands_(cpu_, second_buffer_, in_, i + apart_, two_);
        cpu_->begin_two_(values_, first_, second_, two_);
    }
    if (cpu_->begin_ != NULL) cpu_->begin_(values_ + done_, first_ + done_, count_ - two_);
    for (size_t k = 0; k < few_; k += 8) memcpy(values_ + k, first_ + k, 8);
    if (few_ < copied_) memcpy(values_ + few_, first_ + few_, copied_ - few_);
    return are_two_ ? i + apart_ : i;
}

REDUCE_FRAME_ void reduce_cpu_walk_(const struct reduce_cpu_ *cpu_, const void *in_, size_t i, size_t end_,
                                    size_t apart_, char *values_, size_t columns_) {
    reduce_buffer_ buffer_;
    size_t count_ = REDUCE_MIN_(columns_, end_ - i);
    i = reduce_cpu_first_rows_(cpu_, in_, i, end_, apart_, values_, count_);
    reduce_cpu_fill_(cpu_, values_ + count_ * cpu_->size_, columns_ - count_);
    while (end_ - i > apart_) {
        i += apart_;
        count_ = REDUCE_MIN_(columns_, end_ - i);
        if (cpu_->map_onto_ != NULL) cpu_->map_onto_(values_, in_, i, count_);
        else cpu_->onto_(values_, reduce_cpu_operands_(cpu_, buffer_, in_, i, count_), count_);
    }
}

/* Folds count > 0 strands into the first one: warps first, or in any order. The array has whole warps. */
REDUCE_FRAME_ void reduce_cpu_fold_all_(const struct reduce_cpu_ *cpu_, char *strands_, size_t count_) {
    char buffer_[REDUCE_STRANDS / 2 * REDUCE_MAX_SIZE] __attribute__((__aligned__(64)));
    char folded_[REDUCE_STRANDS / REDUCE_WARP * REDUCE_MAX_SIZE] __attribute__((__aligned__(64)));
    while (count_ > 1) {
        const size_t half_ = (count_ + 1) / 2, warps_ = reduce_divide_up_(count_, REDUCE_WARP);
        if (cpu_->fold_ == NULL) {
            cpu_->onto_(strands_, strands_ + half_ * cpu_->size_, count_ - half_);
            count_ = half_;
            continue;
        }
        reduce_cpu_fill_(cpu_, strands_ + count_ * cpu_->size_, warps_ * REDUCE_WARP - count_);
        cpu_->fold_(folded_, strands_, buffer_, REDUCE_WARP, warps_);
        memcpy(strands_, folded_, warps_ * cpu_->size_);
        count_ = warps_;
    }
}

/* Reduces a chunk of at least one element into strands[0], in the order of the tree. */
REDUCE_FRAME_ void reduce_cpu_by_tree_(const struct reduce_cpu_ *cpu_, const void *in_, size_t begin_,
                                       size_t end_, char *strands_) {
    const size_t positions_ = REDUCE_POSITIONS(cpu_->element_size_), most_ = cpu_->columns_ / positions_;
    const size_t used_ = REDUCE_MIN_(reduce_divide_up_(end_ - begin_, positions_), REDUCE_STRANDS);
    reduce_buffer_ values_, buffer_;
    for (size_t strand_ = 0; strand_ < used_; strand_ += most_) {
        const size_t count_ = REDUCE_MIN_(used_ - strand_, most_), i = begin_ + strand_ * positions_;
        cpu_->walk_(cpu_, in_, i, end_, positions_ * REDUCE_STRANDS, values_, count_ * positions_);
        if (positions_ == 1) memcpy(strands_ + strand_ * cpu_->size_, values_, count_ * cpu_->size_);
        else cpu_->fold_(strands_ + strand_ * cpu_->size_, values_, buffer_, positions_, count_);
    }
    reduce_cpu_fold_all_(cpu_, strands_, used_);
}

/* Reduces a chunk into values[0] where the order cannot show: in rows of neighbours. */
REDUCE_FRAME_ void reduce_cpu_any_order_(const struct reduce_cpu_ *cpu_, const void *in_, size_t begin_,
                                         size_t end_, char *values_) {
    size_t columns_ = cpu_->columns_;
    while (columns_ / 2 >= end_ - begin_) columns_ /= 2;
    cpu_->walk_(cpu_, in_, begin_, end_, columns_, values_, columns_);
    reduce_cpu_fold_all_(cpu_, values_, columns_);
}

REDUCE_FRAME_ void reduce_cpu_chunk_(const struct reduce_cpu_ *cpu_, const void *in_, size_t begin_,
                                     size_t end_, void *result_) {
    char strands_[REDUCE_STRANDS * REDUCE_MAX_SIZE] __attribute__((__aligned__(64)));
    if (cpu_->fold_ == NULL) reduce_cpu_any_order_(cpu_, in_, begin_, end_, strands_);
    else reduce_cpu_by_tree_(cpu_, in_, begin_, end_, strands_);
    memcpy(result_, strands_, cpu_->size_);
}

/* Reduces all chunks: strand k takes chunks k, k + REDUCE_STRANDS and so on, and then the strands fold. One
   thread has all chunks of a strand, so that threads meet only once. A user's macro must not change OpenMP's
   words: compilers ignore a pragma that they do not know. */
#pragma push_macro("parallel")
#undef parallel
REDUCE_FRAME_ void reduce_cpu_chunks_(const struct reduce_cpu_ *cpu_, const void *in_, size_t n,
                                      struct reduce_cut_ cut_, void *result_) {
    char strands_[REDUCE_STRANDS * REDUCE_MAX_SIZE] __attribute__((__aligned__(64)));
    const ptrdiff_t used_ = (ptrdiff_t)REDUCE_MIN_(cut_.count_, REDUCE_STRANDS);
    REDUCE_PARALLEL_FOR_
    for (ptrdiff_t k = 0; k < used_; k++) {
        char *const strand_ = strands_ + (size_t)k * cpu_->size_;
        char partial_[REDUCE_MAX_SIZE] __attribute__((__aligned__(64)));
        memcpy(strand_, cpu_->identity_, cpu_->size_);
        for (size_t i = (size_t)k * cut_.chunk_; i < n; i += REDUCE_STRANDS * cut_.chunk_) {
            reduce_cpu_chunk_(cpu_, in_, i, i + REDUCE_MIN_(n - i, cut_.chunk_), partial_);
            cpu_->onto_(strand_, partial_, 1);
        }
    }
    reduce_cpu_fold_all_(cpu_, strands_, (size_t)used_);
    memcpy(result_, strands_, cpu_->size_);
}
#pragma pop_macro("parallel")

/* Reduces the partial results of all chunks, by strands in the same way. */
REDUCE_FRAME_ void reduce_cpu_fold_partials_(const struct reduce_cpu_ *cpu_, const char *partials_,
                                             size_t count_, void *result_) {
    char strands_[REDUCE_STRANDS * REDUCE_MAX_SIZE] __attribute__((__aligned__(64)));
    const size_t used_ = REDUCE_MIN_(count_, REDUCE_STRANDS);
    reduce_cpu_fill_(cpu_, strands_, used_ > 0 ? used_ : 1);
    for (size_t k = 0; k < count_; k += REDUCE_STRANDS)
        cpu_->onto_(strands_, partials_ + k * cpu_->size_, REDUCE_MIN_(count_ - k, REDUCE_STRANDS));
    reduce_cpu_fold_all_(cpu_, strands_, used_);
    memcpy(result_, strands_, cpu_->size_);
}

/* Reduces an input in main memory. */
REDUCE_FRAME_ void reduce_cpu_all_(const struct reduce_cpu_ *cpu_, const void *in_, size_t n, void *result_) {
    struct reduce_cut_ cut_ = reduce_cut_(n, cpu_->element_size_);
    if (cpu_->fold_ == NULL && cut_.count_ > 1) { /* the order cannot show: larger chunks, fewer folds */
        cut_.chunk_ *= 8;
        cut_.count_ = reduce_divide_up_(n, cut_.chunk_);
    }
    if (cut_.count_ == 0) memcpy(result_, cpu_->identity_, cpu_->size_);
    else if (cut_.count_ == 1) reduce_cpu_chunk_(cpu_, in_, 0, n, result_);
    else reduce_cpu_chunks_(cpu_, in_, n, cut_, result_);
}

/* T NAME_cpu_operand_at_(NAME_input_ in, size_t k, size_t i): the operand of element k, whose index is i. */
#define REDUCE_CPU_OPERAND_AT_(NAME, KIND)                                                                  \
    REDUCE_HOST_ NAME##_result NAME##_cpu_operand_at_(NAME##_input_ in_, size_t k, size_t i) {              \
        return REDUCE_MAPPED_##KIND(NAME, in_, k, i);                                                       \
    }

/* False if the target has no instruction that fuses. Pragmas may change the target between two definitions,
   so each definition asks. */
#ifdef __x86_64__
#define REDUCE_CPU_FUSES_                                                                                   \
    (REDUCE_IS_MACRO_(__FMA__) || REDUCE_IS_MACRO_(__FMA4__) || REDUCE_IS_MACRO_(__AVX512F__))
#else
#define REDUCE_CPU_FUSES_ 1
#endif

/* NAME_cpu_map_, NAME_cpu_map_onto_, NAME_cpu_begin_, NAME_cpu_begin_two_, NAME_cpu_onto_,
   NAME_cpu_fold_: see reduce_cpu_. */
#define REDUCE_CPU_MAP_(NAME, map, OPERAND)                                                                 \
    REDUCE_CALLED_ void NAME##_cpu_##map##_(void *__restrict to_, const void *in_, size_t i,                \
                                            size_t count_) {                                                \
        const NAME##_input_ input_ = *(const NAME##_input_ *)in_;                                           \
        NAME##_result *x = (NAME##_result *)to_;                                                            \
        for (; count_ >= REDUCE_RUN_; count_ -= REDUCE_RUN_, x += REDUCE_RUN_, i += REDUCE_RUN_)            \
            REDUCE_INDEPENDENT_                                                                             \
            for (size_t k = 0; k < REDUCE_RUN_; k++) x[k] = OPERAND(NAME, x[k], input_, i + k);             \
        for (size_t k = 0; k < count_; k++) x[k] = OPERAND(NAME, x[k], input_, i + k);                      \
        REDUCE_HIDE_VALUES_(x);                                                                             \
    }
#define REDUCE_CPU_MAPPED_(NAME, x, in, i) NAME##_cpu_operand_at_(in, i, i)
#define REDUCE_CPU_MAPPED_ONTO_(NAME, x, in, i) NAME##_combine(x, NAME##_cpu_operand_at_(in, i, i))

#define REDUCE_CPU_STRIPE_(NAME, begin_or_onto, before)                                                     \
    REDUCE_CALLED_ void NAME##_cpu_##begin_or_onto##_(void *__restrict to_, const void *__restrict from_,   \
                                                      size_t count_) {                                      \
        NAME##_result *__restrict x = (NAME##_result *)to_;                                                 \
        const NAME##_result *__restrict y = (const NAME##_result *)from_;                                   \
        for (; count_ >= REDUCE_RUN_; count_ -= REDUCE_RUN_, x += REDUCE_RUN_, y += REDUCE_RUN_)            \
            for (size_t k = 0; k < REDUCE_RUN_; k++) x[k] = NAME##_combine(before, y[k]);                   \
        for (size_t k = 0; k < count_; k++) x[k] = NAME##_combine(before, y[k]);                            \
    }

/* A compiler that fuses may fuse the two steps. That changes nothing, because a product with the identity is
   exact. */
#define REDUCE_CPU_BEGIN_TWO_(NAME)                                                                         \
    REDUCE_CALLED_ void NAME##_cpu_begin_two_(void *__restrict to_, const void *__restrict first_,          \
                                              const void *__restrict second_, size_t count_) {              \
        NAME##_result *__restrict x = (NAME##_result *)to_;                                                 \
        const NAME##_result *__restrict y = (const NAME##_result *)first_;                                  \
        const NAME##_result *__restrict z = (const NAME##_result *)second_;                                 \
        for (; count_ >= REDUCE_RUN_; count_ -= REDUCE_RUN_, x += REDUCE_RUN_, y += REDUCE_RUN_,            \
                                      z += REDUCE_RUN_)                                                     \
            for (size_t k = 0; k < REDUCE_RUN_; k++)                                                        \
                x[k] = NAME##_combine(NAME##_combine(NAME##_identity(), y[k]), z[k]);                       \
        for (size_t k = 0; k < count_; k++)                                                                 \
            x[k] = NAME##_combine(NAME##_combine(NAME##_identity(), y[k]), z[k]);                           \
    }

/* void NAME_cpu_halve_(T *x, const T *y, size_t half, size_t count): one step of a fold. Compilers vectorise
   loops of constant length: narrow groups are halved 16 at a time, and wide ones in pieces. */
#define REDUCE_CPU_HALVES_(NAME, groups, w)                                                                 \
    for (size_t i = 0; i < groups; i++)                                                                     \
        for (size_t k = 0; k < w; k++)                                                                      \
            x[i * w + k] = NAME##_combine(y[2 * i * w + k], y[(2 * i + 1) * w + k]);
#define REDUCE_CPU_NARROW_HALVES_(NAME, w)                                                                  \
    for (; half_ == w && count_ >= 16; count_ -= 16, x += 16 * w, y += 32 * w)                              \
        REDUCE_CPU_HALVES_(NAME, 16, w)
#define REDUCE_CPU_WIDE_HALVES_(NAME, w)                                                                    \
    for (; half_ % w == 0 && count_ > 0; count_--, y += half_)                                              \
        for (size_t done_ = 0; done_ < half_; done_ += w, x += w, y += w)                                   \
            for (size_t k = 0; k < w; k++) x[k] = NAME##_combine(y[k], y[half_ + k]);
#define REDUCE_CPU_HALVE_(NAME)                                                                             \
    REDUCE_HOST_ void NAME##_cpu_halve_(NAME##_result *__restrict x, const NAME##_result *__restrict y,     \
                                        size_t half_, size_t count_) {                                      \
        REDUCE_CPU_NARROW_HALVES_(NAME, 1)                                                                  \
        REDUCE_CPU_NARROW_HALVES_(NAME, 2)                                                                  \
        REDUCE_CPU_WIDE_HALVES_(NAME, 4)                                                                    \
        for (; count_ > 0; count_--, x += half_, y += 2 * half_)                                            \
            for (size_t k = 0; k < half_; k++) x[k] = NAME##_combine(y[k], y[half_ + k]);                   \
    }

#define REDUCE_CPU_FOLD_(NAME)                                                                              \
    REDUCE_CALLED_ void NAME##_cpu_fold_(void *to_, void *values_, void *buffer_, size_t width_,            \
                                         size_t count_) {                                                   \
        for (size_t half_ = width_ / 2; half_ > 0; half_ /= 2) {                                            \
            void *const halves_ = half_ == 1 ? to_ : buffer_;                                               \
            NAME##_cpu_halve_((NAME##_result *)halves_, (const NAME##_result *)values_, half_, count_);     \
            buffer_ = values_;                                                                              \
            values_ = halves_;                                                                              \
        }                                                                                                   \
    }

/* There is begin_ unless combine(identity, y) is y, or a NaN as y is. There is map_onto_ for a map, unless a
   compiler might fuse it with the operator. */
#define REDUCE_CPU_BEGINS_(NAME) (!NAME##_is_exact_ || (int)NAME##_operator_ == REDUCE_LAND_LOR_)
#define REDUCE_CPU_MAPS_ONTO_(NAME) (NAME##_is_mapped_ && (NAME##_is_exact_ || !REDUCE_CPU_FUSES_))

/* struct reduce_cpu_ NAME_on_cpu_(void) */
#define REDUCE_CPU_WALK_ARRAY_(NAME) reduce_cpu_walk_
#define REDUCE_ON_CPU_(NAME, KIND)                                                                          \
    REDUCE_HOST_ struct reduce_cpu_ NAME##_on_cpu_(void) {                                                  \
        const NAME##_result identity_ = NAME##_identity();                                                  \
        struct reduce_cpu_ cpu_;                                                                            \
        memset(&cpu_, 0, sizeof cpu_);                                                                      \
        cpu_.size_ = sizeof identity_, cpu_.element_size_ = NAME##_size_;                                   \
        cpu_.columns_ = REDUCE_COLUMNS_(NAME##_result);                                                     \
        if (REDUCE_CPU_BEGINS_(NAME))                                                                       \
            cpu_.begin_ = NAME##_cpu_begin_, cpu_.begin_two_ = NAME##_cpu_begin_two_;                       \
        if (NAME##_is_mapped_) cpu_.map_ = NAME##_cpu_map_;                                                 \
        if (REDUCE_CPU_MAPS_ONTO_(NAME)) cpu_.map_onto_ = NAME##_cpu_map_onto_;                             \
        if (!NAME##_is_exact_) cpu_.fold_ = NAME##_cpu_fold_;                                               \
        cpu_.onto_ = NAME##_cpu_onto_, cpu_.walk_ = REDUCE_CPU_WALK_##KIND(NAME);                           \
        memcpy(cpu_.identity_, &identity_, sizeof identity_);                                               \
        return cpu_;                                                                                        \
    }

/* T NAME_cpu_of_(NAME_input_ in, size_t n), T NAME_cpu(...) */
#define REDUCE_CPU_(NAME, KIND)                                                                             \
    REDUCE_CALLED_ NAME##_result NAME##_cpu_of_(NAME##_input_ in_, size_t n) {                              \
        const struct reduce_cpu_ cpu_ = NAME##_on_cpu_();                                                   \
        NAME##_result result_;                                                                              \
        reduce_cpu_all_(&cpu_, &in_, n, &result_);                                                          \
        return NAME##_final_(result_);                                                                      \
    }                                                                                                       \
    REDUCE_HOST_ NAME##_result NAME##_cpu(REDUCE_GIVEN_(NAME, KIND)) {                                      \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        return NAME##_cpu_of_(input_, n);                                                                   \
    }

#ifdef __CUDACC__
/* ---- Where a thread is --------------------------------------------------------------------------------- */

struct reduce_place_ {
    bool has_whole_warps_; /* known of this block: lanes need not ask whether a partner exists */
    bool is_own_launch_;   /* by the library: no more blocks than slots; of several each has 2^k threads */
    int lane_;             /* the lane in its warp */
    int lanes_;            /* threads of the block from this warp's first one on */
    unsigned thread_;      /* the thread in its block */
    unsigned threads_;     /* threads of a block */
    unsigned block_;       /* the block in its grid */
    unsigned blocks_;      /* blocks of the grid */
};

/* In blocks and grids of any shape, of which nothing is known. */
REDUCE_DEVICE_ struct reduce_place_ reduce_place_(void) {
    struct reduce_place_ at_;
    at_.has_whole_warps_ = false;
    at_.is_own_launch_ = false;
    at_.thread_ = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    at_.block_ = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    at_.threads_ = blockDim.x * blockDim.y * blockDim.z;
    at_.blocks_ = gridDim.x * gridDim.y * gridDim.z;
    at_.lane_ = (int)(at_.thread_ % REDUCE_WARP);
    at_.lanes_ = (int)(at_.threads_ - at_.thread_) + at_.lane_;
    return at_;
}

/* In blocks and grids of one dimension, of whole warps: those of the library's own launches. NAME_tile and
   NAME_fold_warp_ use it for a whole warp of any block: folds look at nothing but has_whole_warps_. */
REDUCE_DEVICE_ struct reduce_place_ reduce_place_along_x_(void) {
    struct reduce_place_ at_;
    at_.has_whole_warps_ = true;
    at_.is_own_launch_ = true;
    at_.thread_ = threadIdx.x;
    at_.block_ = blockIdx.x;
    at_.threads_ = blockDim.x;
    at_.blocks_ = gridDim.x;
    at_.lane_ = (int)(threadIdx.x % REDUCE_WARP);
    at_.lanes_ = REDUCE_WARP;
    return at_;
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

/* True where a compiler may fuse a map with the operator. It cannot with a built-in operator of floats and
   doubles: only additions fuse, and NAME_combine_operand_ adds by an instruction that does not. */
#define REDUCE_MAY_FUSE_(NAME)                                                                              \
    (NAME##_computes_ && !REDUCE_IS_INTEGER_(NAME##_result) &&                                              \
     !((int)NAME##_operator_ != REDUCE_CUSTOM_ && REDUCE_IS_FLOAT_OR_DOUBLE_(NAME##_result)))

/* T NAME_operand_at_(NAME_input_ in, size_t k, size_t i): the operand of element k, whose index is i. Only
   NAME_combine_operand_ may combine it. */
#define REDUCE_OPERAND_AT_(NAME, KIND)                                                                      \
    REDUCE_DEVICE_ NAME##_result NAME##_operand_at_(NAME##_input_ in_, size_t k, size_t i) {                \
        NAME##_result operand_ = REDUCE_MAPPED_##KIND(NAME, in_, k, i);                                     \
        if (REDUCE_MAY_FUSE_(NAME)) reduce_round_(&operand_, sizeof operand_);                              \
        return operand_;                                                                                    \
    }

/* *a += *b, floats or doubles. No compiler fuses this addition with what made them. */
REDUCE_DEVICE_ void reduce_add_rounded_(void *a, const void *b, size_t size_) {
    float x[2];
    double y[2];
    if (size_ == sizeof *x) {
        memcpy(x, a, sizeof *x), memcpy(x + 1, b, sizeof *x);
        x[0] = reduce_plus_float_(x[0], x[1]);
        memcpy(a, x, sizeof *x);
    } else {
        memcpy(y, a, sizeof *y), memcpy(y + 1, b, sizeof *y);
        y[0] = reduce_plus_double_(y[0], y[1]);
        memcpy(a, y, sizeof *y);
    }
}

/* T NAME_combine_operand_(T value, T operand): combines an operand, rounded to its type. Extremes of halves
   have instructions for a word of two, which serve for one half too. */
#define REDUCE_COMBINE_OPERAND_(NAME)                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_combine_operand_(NAME##_result value_, NAME##_result operand_) {    \
        const bool adds_ =                                                                                  \
            (int)NAME##_operator_ == REDUCE_SUM_ && REDUCE_IS_FLOAT_OR_DOUBLE_(NAME##_result);              \
        if (REDUCE_HAS_HALF_EXTREMES_(NAME))                                                                \
            NAME##_combine_words_(&value_, &operand_, sizeof value_);                                       \
        else if (adds_ && NAME##_computes_)                                                                 \
            reduce_add_rounded_(&value_, &operand_, sizeof value_);                                         \
        else                                                                                                \
            value_ = NAME##_combine(value_, operand_);                                                      \
        return value_;                                                                                      \
    }

/* void NAME_combine_each_(T *values, const T *operands, int count): NAME_combine_next_ for each of count
   values of one result, which have as many elements each. */
#define REDUCE_COMBINE_EACH_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_combine_each_(NAME##_result *values_, const NAME##_result *operands_,        \
                                             int count_) {                                                  \
        REDUCE_UNROLL_                                                                                      \
        for (int k = 0; k < count_; k++) values_[k] = NAME##_combine_next_(values_[k], operands_[k]);       \
    }

/* Elements of one chunk that meet in the order of their indices. i: the index of the chunk's first element.
     T NAME_begin_at_(size_t i, bool has_any)    the result of no elements; has_any: whether the chunk has any
     T NAME_combine_next_(T value, T operand)    NAME_combine_operand_ for the next element
     T NAME_end_at_(T value, size_t i)           the result of all. Until then the upper 32 bits of an index
                                                 may be wrong */
#define REDUCE_BEGIN_WITHOUT_INDEX_(NAME)                                                                   \
    REDUCE_DEVICE_ NAME##_result NAME##_begin_at_(size_t i, bool has_any_) {                                \
        return (void)i, (void)has_any_, NAME##_identity();                                                  \
    }                                                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_end_at_(NAME##_result value_, size_t i) { return (void)i, value_; }

#define REDUCE_COMBINE_NEXT_ARRAY_(NAME)                                                                    \
    REDUCE_BEGIN_WITHOUT_INDEX_(NAME) REDUCE_LINE_                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_combine_next_(NAME##_result value_, NAME##_result operand_) {       \
        return NAME##_combine_operand_(value_, operand_);                                                   \
    }                                                                                                       \
    REDUCE_COMBINE_EACH_(NAME)

/* ---- One warp ---------------------------------------------------------------------------------------------
 *
 * All masks name all 32 lanes. This is right in a partial warp too: lanes that do not exist need not arrive.
 * But no lane may read from them.
 */

/* Replaces a value by another lane's: that of from_lane, or if mask is not 0, that of the lane whose number
   differs in the bits of mask. All lanes of the warp call it. */
REDUCE_DEVICE_ void reduce_shuffle_(void *value_, size_t size_, int from_lane_, int mask_) {
    REDUCE_UNROLL_
    for (size_t at_ = 0; at_ < size_; at_ += 4) {
        unsigned word_ = 0;
        const size_t bytes_ = REDUCE_MIN_(size_ - at_, 4);
        memcpy(&word_, (char *)value_ + at_, bytes_);
        word_ = mask_ != 0 ? __shfl_xor_sync(~0u, word_, mask_) : __shfl_sync(~0u, word_, from_lane_);
        memcpy((char *)value_ + at_, &word_, bytes_);
    }
}

REDUCE_DEVICE_ unsigned long long reduce_bits_(const void *value_, size_t size_) {
    unsigned long long bits_ = 0;
    memcpy(&bits_, value_, REDUCE_MIN_(size_, sizeof bits_));
    return bits_;
}
REDUCE_DEVICE_ void reduce_set_bits_(void *value_, size_t size_, unsigned long long bits_) {
    memcpy(value_, &bits_, REDUCE_MIN_(size_, sizeof bits_));
}

/* From sm_80 on, an instruction (redux) reduces one word of each lane of a whole warp. A few such
   instructions reduce numbers of any type if the order cannot show. prod has none, and the sum of bools is no
   sum of words. */
#define REDUCE_HAS_INSTRUCTION_(NAME)                                                                       \
    (REDUCE_ARCH_ >= 800 && NAME##_is_exact_ && REDUCE_IS_NUMBER_(NAME##_result) &&                         \
     (int)NAME##_operator_ != REDUCE_PROD_ &&                                                               \
     ((int)NAME##_operator_ != REDUCE_SUM_ || !__is_same(NAME##_result, bool)))

/* Reduces a word of each lane to the sum (SUM), the greatest unsigned word (MIN_MAX), the least or greatest
   signed word (FMIN, FMAX), the exclusive or (BXOR), or by all other operators the inclusive or. All 32 lanes
   call this function and the next ones. */
REDUCE_DEVICE_ unsigned reduce_words_(unsigned word_, enum reduce_operator_ operator_) {
#if REDUCE_ARCH_ >= 800
    if (operator_ == REDUCE_SUM_) return __reduce_add_sync(~0u, word_);
    if (operator_ == REDUCE_FMIN_) return (unsigned)__reduce_min_sync(~0u, (int)word_);
    if (operator_ == REDUCE_FMAX_) return (unsigned)__reduce_max_sync(~0u, (int)word_);
    if (operator_ < REDUCE_BAND_) return __reduce_max_sync(~0u, word_);
    return operator_ == REDUCE_BXOR_ ? __reduce_xor_sync(~0u, word_) : __reduce_or_sync(~0u, word_);
#else
    return (void)operator_, word_;
#endif
}

/* Reduces one or two words of each lane. For the greatest pair: the greatest high word, then the greatest low
   word of the lanes that have this high word. For a sum: parts of 27 bits, as 32 of them fit a word. */
REDUCE_DEVICE_ unsigned long long reduce_all_words_(unsigned long long x, size_t size_,
                                                    enum reduce_operator_ operator_) {
    const int part_ = operator_ == REDUCE_SUM_ ? 27 : 32;
    unsigned long long result_ = 0;
    if (size_ <= 4) return reduce_words_((unsigned)x, operator_);
    if (operator_ == REDUCE_MIN_MAX_) {
        const unsigned own_ = (unsigned)(x >> 32), high_ = reduce_words_(own_, operator_);
        return 1ull * high_ << 32 | reduce_words_(high_ == own_ ? (unsigned)x : 0u, operator_);
    }
    REDUCE_UNROLL_
    for (int at_ = 0; at_ < 64; at_ += part_)
        result_ += 1ull * reduce_words_((unsigned)(x >> at_) & ~0u >> (32 - part_), operator_) << at_;
    return result_;
}

/* How numbers are encoded, so that instructions for words reduce their codes: some bits are flipped, those of
   the identity, or all if the least number is to have the greatest code. */
struct reduce_code_ {
    size_t size_;
    enum reduce_kind_ kind_;
    enum reduce_operator_ operator_; /* of codes, as reduce_words_ has it */
    unsigned long long flips_;
    bool has_order_; /* codes have the order of floating-point numbers */
    bool nan_wins_;  /* a NaN's code is above theirs, else below */
};

/* The identity tells min from max. Signed words are their own codes. */
REDUCE_DEVICE_ struct reduce_code_ reduce_code_(const void *identity_, size_t size_, enum reduce_kind_ kind_,
                                                enum reduce_operator_ operator_) {
    const unsigned long long zero_ = reduce_bits_(identity_, size_), all_ = ~0ull >> (64 - 8 * size_);
    const bool nan_wins_ = operator_ == REDUCE_MIN_MAX_, is_min_ = nan_wins_ && !(zero_ >> (8 * size_ - 1));
    struct reduce_code_ code_;
    code_.size_ = size_;
    code_.kind_ = kind_;
    code_.operator_ = operator_;
    code_.flips_ = zero_;
    code_.has_order_ = false;
    code_.nan_wins_ = nan_wins_;
    if (kind_ == REDUCE_INTEGER_ && nan_wins_ && (zero_ + 1) >> 31 == 1)
        code_.operator_ = is_min_ ? REDUCE_FMIN_ : REDUCE_FMAX_, code_.flips_ = 0;
    if (kind_ == REDUCE_INTEGER_ || operator_ >= REDUCE_BAND_) return code_;
    code_.operator_ = REDUCE_MIN_MAX_, code_.has_order_ = true;
    code_.flips_ = is_min_ || operator_ == REDUCE_FMIN_ ? all_ : 0;
    return code_;
}

/* x ^ this mask is an integer that has the order of the floating-point number x. The mask has all bits if the
   sign is set, else the sign alone. */
#define REDUCE_SIGN_MASK_(x, unused)                                                                        \
    (((unsigned long long)((long long)((x) << (unused)) >> 63) | 1ull << 63) >> (unused))

REDUCE_DEVICE_ unsigned long long reduce_encode_(unsigned long long x, struct reduce_code_ code_) {
    const int unused_ = 64 - 8 * (int)code_.size_;
    const int below_ = code_.kind_ == REDUCE_DOUBLE_ ? 12 : code_.kind_ == REDUCE_HALF_ ? 6 : 9;
    const unsigned long long all_ = ~0ull >> unused_;
    const unsigned long long infinity_ = all_ / 2 - (all_ >> below_); /* below: bits of sign and exponent */
    const unsigned long long number_ = x & (all_ / 2);
    float value_;
    memcpy(&value_, &x, sizeof value_);
    if (!code_.has_order_) return x ^ code_.flips_;
    x ^= REDUCE_SIGN_MASK_(x, unused_) ^ code_.flips_;
    if (code_.kind_ == REDUCE_FLOAT_ ? value_ != value_ : number_ > infinity_) x = code_.nan_wins_ ? all_ : 0;
    return x;
}

REDUCE_DEVICE_ unsigned long long reduce_decode_(unsigned long long x, struct reduce_code_ code_) {
    x ^= code_.flips_;
    return code_.has_order_ ? x ^ REDUCE_SIGN_MASK_(~x, 64 - 8 * (int)code_.size_) : x;
}

/* *value becomes its code, and a code its value. */
REDUCE_DEVICE_ void reduce_encode_value_(void *value_, struct reduce_code_ code_) {
    reduce_set_bits_(value_, code_.size_, reduce_encode_(reduce_bits_(value_, code_.size_), code_));
}
REDUCE_DEVICE_ void reduce_decode_value_(void *value_, struct reduce_code_ code_) {
    reduce_set_bits_(value_, code_.size_, reduce_decode_(reduce_bits_(value_, code_.size_), code_));
}

/* Reduces a code of each lane to *x, in every lane. */
REDUCE_DEVICE_ void reduce_fold_codes_(void *x, struct reduce_code_ code_) {
    const unsigned long long own_ = reduce_bits_(x, code_.size_);
    reduce_set_bits_(x, code_.size_, reduce_all_words_(own_, code_.size_, code_.operator_));
}

/* Combines two codes of one thread to *a. nvcc finds its instruction for the greater of two words in 32 bits
   alone. */
REDUCE_DEVICE_ unsigned reduce_combine_code_words_(unsigned x, unsigned y, enum reduce_operator_ operator_) {
    if (operator_ == REDUCE_SUM_) return x + y;
    if (operator_ == REDUCE_FMIN_) return (int)x < (int)y ? x : y;
    if (operator_ == REDUCE_FMAX_) return (int)x < (int)y ? y : x;
    if (operator_ < REDUCE_BAND_) return x < y ? y : x;
    return operator_ == REDUCE_BXOR_ ? x ^ y : x | y;
}
REDUCE_DEVICE_ unsigned long long reduce_combine_pairs_(unsigned long long x, unsigned long long y,
                                                        enum reduce_operator_ operator_) {
    if (operator_ == REDUCE_SUM_) return x + y;
    if (operator_ < REDUCE_BAND_) return x < y ? y : x;
    return operator_ == REDUCE_BXOR_ ? x ^ y : x | y;
}
REDUCE_DEVICE_ void reduce_combine_codes_(void *a, const void *b, struct reduce_code_ code_) {
    const unsigned long long x = reduce_bits_(a, code_.size_), y = reduce_bits_(b, code_.size_);
    unsigned word_ = 0, other_ = 0;
    memcpy(&word_, a, REDUCE_MIN_(code_.size_, 4)), memcpy(&other_, b, REDUCE_MIN_(code_.size_, 4));
    word_ = reduce_combine_code_words_(word_, other_, code_.operator_);
    if (code_.size_ <= 4) memcpy(a, &word_, code_.size_);
    else reduce_set_bits_(a, code_.size_, reduce_combine_pairs_(x, y, code_.operator_));
}

/* Reduces a value of each lane where REDUCE_HAS_INSTRUCTION_. */
REDUCE_DEVICE_ void reduce_by_instruction_(void *value_, struct reduce_code_ code_) {
    reduce_encode_value_(value_, code_);
    reduce_fold_codes_(value_, code_);
    reduce_decode_value_(value_, code_);
}

#define REDUCE_CODE_(NAME)                                                                                  \
    REDUCE_DEVICE_ struct reduce_code_ NAME##_code_(void) {                                                 \
        const NAME##_result identity_ = NAME##_identity();                                                  \
        return reduce_code_(&identity_, sizeof identity_, REDUCE_KIND_(NAME##_result),                      \
                            (enum reduce_operator_)NAME##_operator_);                                       \
    }

/* bool NAME_fold_at_once_(T *x, at, int width): does what NAME_fold_ does, in few instructions, and returns
   true; returns false if there are none. NAME_folds_whole_: there are such instructions, and they fold 32
   values faster than steps fold 16. */
#define REDUCE_FOLD_AT_ONCE_ARRAY_(NAME)                                                                    \
    enum { NAME##_folds_whole_ = REDUCE_HAS_INSTRUCTION_(NAME) && !NAME##_is_light_ };                      \
    REDUCE_DEVICE_ bool NAME##_fold_at_once_(NAME##_result *x, struct reduce_place_ at_, int width_) {      \
        if (!REDUCE_HAS_INSTRUCTION_(NAME) || width_ != REDUCE_WARP) return (void)at_, false;               \
        reduce_by_instruction_(x, NAME##_code_());                                                          \
        return true;                                                                                        \
    }

/* T NAME_steps_(T x, int width, int least): the steps of a fold between lanes that are less than width and at
   least `least` apart, in a whole warp. */
#define REDUCE_STEPS_(NAME)                                                                                 \
    REDUCE_DEVICE_ NAME##_result NAME##_steps_(NAME##_result x, int width_, int least_) {                   \
        REDUCE_UNROLL_                                                                                      \
        for (int half_ = REDUCE_WARP / 2; half_ >= least_; half_ /= 2) {                                    \
            NAME##_result partner_ = x;                                                                     \
            if (half_ >= width_) continue;                                                                  \
            reduce_shuffle_(&partner_, sizeof x, 0, half_);                                                 \
            x = NAME##_combine(x, partner_);                                                                \
        }                                                                                                   \
        return x;                                                                                           \
    }

/* T NAME_fold_(T x, at, int width): folds each group of width lanes, as far as its lanes exist. The result is
   in the group's first lane, and in all its lanes if the operator is a built-in one. In a partial warp a
   lane's partner is the first lane that holds values which the lane does not have yet. */
#define REDUCE_FOLD_(NAME)                                                                                  \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_(NAME##_result x, struct reduce_place_ at_, int width_) {      \
        const int index_ = at_.lane_ & (width_ - 1), first_ = at_.lane_ - index_;                           \
        if (NAME##_fold_at_once_(&x, at_, width_)) return x;                                                \
        if (at_.has_whole_warps_) return NAME##_steps_(x, width_, 1);                                       \
        REDUCE_UNROLL_                                                                                      \
        for (int half_ = REDUCE_WARP / 2; half_ > 0; half_ /= 2) {                                          \
            const int from_ = (index_ ^ half_) & (2 * half_ - 1);                                           \
            const bool has_partner_ = from_ < width_ && first_ + from_ < at_.lanes_;                        \
            NAME##_result partner_ = x;                                                                     \
            reduce_shuffle_(&partner_, sizeof x, has_partner_ ? first_ + from_ : at_.lane_, 0);             \
            if (has_partner_) x = NAME##_combine(x, partner_);                                              \
        }                                                                                                   \
        return x;                                                                                           \
    }

/* Stops a kernel whose caller breaks a promise, where the simulator debugs. */
#if defined __CUDA_ARCH__ || defined NDEBUG
#define REDUCE_PROMISED_(condition)
#else
#define REDUCE_PROMISED_(condition)                                                                         \
    if (!(condition)) __trap();
#endif

/* T NAME_tile(T x, int width): reduces each group of 1, 2, 4, 8, 16 or 32 lanes, for all its lanes. */
#define REDUCE_TILE_(NAME)                                                                                  \
    REDUCE_DEVICE_ NAME##_result NAME##_tile(NAME##_result x, int width_) {                                 \
        REDUCE_PROMISED_(width_ > 0 && width_ <= REDUCE_WARP && (width_ & (width_ - 1)) == 0)               \
        const bool all_exist_ = (REDUCE_HAS_INSTRUCTION_(NAME) && width_ == REDUCE_WARP) ||                 \
                                blockDim.x * blockDim.y * blockDim.z % REDUCE_WARP == 0;                    \
        if (!NAME##_selects_) x = NAME##_combine(NAME##_identity(), x);                                     \
        x = all_exist_ ? NAME##_fold_(x, reduce_place_along_x_(), width_)                                   \
                       : NAME##_fold_(x, reduce_place_(), width_);                                          \
        if (!NAME##_is_built_in_) reduce_shuffle_(&x, sizeof x, reduce_place_().lane_ & ~(width_ - 1), 0);  \
        return NAME##_final_(x);                                                                            \
    }

/* T NAME_warp(T x), T NAME_warp_n(T x, int count): reduce the values of all lanes, or of the first count
   lanes. All lanes call, and all get the result. */
#define REDUCE_WARP_AND_WARP_N_(NAME)                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_warp(NAME##_result x) { return NAME##_tile(x, REDUCE_WARP); }       \
    REDUCE_DEVICE_ NAME##_result NAME##_warp_n(NAME##_result x, int count_) {                               \
        return NAME##_warp(reduce_place_().lane_ < count_ ? x : NAME##_identity());                         \
    }

/* ---- One block ----------------------------------------------------------------------------------------- */

/* Keeps an address of shared memory in a register. nvcc would compute it anew for each use. */
REDUCE_DEVICE_ void *reduce_keep_shared_(void *memory_) {
#ifdef __CUDA_ARCH__
    unsigned address_ = (unsigned)__cvta_generic_to_shared(memory_);
    REDUCE_COMPUTE_ONCE_(address_);
    memory_ = __cvta_shared_to_generic(address_);
#endif
    return memory_;
}

/* Where the warps of a user's block leave values, `each` of a warp. own: where this thread leaves its value.
   from: where it finds those of the warp that has the thread's number. keeps: these are computed before the
   block's first branch and kept in registers, so that no value waits for them. If the compiler knows the
   block's number of threads, this costs registers and gains nothing. */
struct reduce_room_ {
    void *all_, *own_, *from_;
    unsigned warps_;
};

REDUCE_DEVICE_ struct reduce_room_ reduce_room_(void *memory_, struct reduce_place_ at_, unsigned warps_,
                                                size_t size_, unsigned each_, bool keeps_) {
    char *const all_ = (char *)reduce_keep_shared_(memory_);
    const unsigned own_ = at_.thread_ / REDUCE_WARP * each_ + (unsigned)at_.lane_;
    const unsigned from_ = at_.thread_ < warps_ ? at_.thread_ * each_ : 0;
    struct reduce_room_ room_ = {all_, all_ + own_ * size_, all_ + from_ * size_, warps_};
    if (!keeps_) return room_;
    room_.own_ = reduce_keep_shared_(room_.own_), room_.from_ = reduce_keep_shared_(room_.from_);
    REDUCE_COMPUTE_ONCE_(room_.warps_);
    return room_;
}

/* T NAME_fold_here_(T *values, int count): one thread folds its values: 1, 2, 4, 8 or 16. It is one loop, not
   two, so that compilers unroll it and keep the values in registers. */
#define REDUCE_FOLD_HERE_(NAME)                                                                             \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_here_(NAME##_result *values_, int count_) {                    \
        REDUCE_UNROLL_                                                                                      \
        for (int k = count_ - 1; k > 0; k--) {                                                              \
            const int half_ = k >= 8 ? 8 : k >= 4 ? 4 : k >= 2 ? 2 : 1;                                     \
            values_[k - half_] = NAME##_combine_operand_(values_[k - half_], values_[k]);                   \
        }                                                                                                   \
        return values_[0];                                                                                  \
    }

/* Aligns an array of NAME_results to 16 bytes, or to more if their type asks for that: 16 alone would lower
   its alignment. */
#define REDUCE_IN_WORDS_(NAME)                                                                              \
    __attribute__((__aligned__(REDUCE_ALIGNMENT_(NAME##_result) > 16 ? REDUCE_ALIGNMENT_(NAME##_result)     \
                                                                     : 16)))

typedef uint32_t reduce_word_ __attribute__((__may_alias__));
struct reduce_16_bytes_ { uint32_t words_[4]; } __attribute__((__aligned__(16), __may_alias__));

/* Copies size bytes, in the widest words that divide size: 16, 4 or 1 bytes. The address `from` is a multiple
   of such a word. */
REDUCE_DEVICE_ void reduce_copy_wide_(void *to_, const void *from_, size_t size_) {
    const size_t step_ = size_ % 16 == 0 ? 16 : size_ % 4 == 0 ? 4 : 1;
    REDUCE_UNROLL_
    for (size_t at_ = 0; at_ < size_; at_ += step_) {
        const char *const next_ = (const char *)from_ + at_;
        struct reduce_16_bytes_ bytes_;
        if (step_ == 16) bytes_ = *(const struct reduce_16_bytes_ *)(const void *)next_;
        if (step_ == 4) bytes_.words_[0] = *(const reduce_word_ *)(const void *)next_;
        if (step_ == 1) memcpy(&bytes_, next_, 1);
        memcpy((char *)to_ + at_, &bytes_, step_);
    }
}

/* Copies an object to or from memory that other threads write. It copies volatile words, because C cannot
   assign volatile structs. */
REDUCE_DEVICE_ void reduce_copy_volatile_(volatile void *to_, const volatile void *from_, size_t size_,
                                          size_t align_) {
    const bool by_words_ = size_ % sizeof(reduce_word_) == 0 && align_ % sizeof(reduce_word_) == 0;
    REDUCE_UNROLL_
    for (size_t at_ = 0; at_ < size_; at_ += by_words_ ? sizeof(reduce_word_) : 1)
        if (by_words_)
            ((volatile reduce_word_ *)to_)[at_ / 4] = ((const volatile reduce_word_ *)from_)[at_ / 4];
        else
            ((volatile unsigned char *)to_)[at_] = ((const volatile unsigned char *)from_)[at_];
}

/* T NAME_across_warps_(T x, at): folds the warps' results, which are in the lanes 0; thread 0 gets the
   block's result. All threads of a block of the library's own launches call it. Thread 0 folds alone if the
   operator is light: this is faster. A barrier must follow before the next call. */
#define REDUCE_ACROSS_WARPS_(NAME)                                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_across_warps_(NAME##_result x, struct reduce_place_ at_) {          \
        enum { few_ = NAME##_folds_whole_ ? REDUCE_WARP : 16 }; /* REDUCE_STRANDS are 16 warps at most */   \
        __shared__ NAME##_result of_warps_[REDUCE_WARP] REDUCE_IN_WORDS_(NAME);                             \
        const unsigned warps_ = at_.threads_ / REDUCE_WARP;                                                 \
        NAME##_result values_[few_];                                                                        \
        if (warps_ == 1) return x;                                                                          \
        if (at_.lane_ == 0) of_warps_[at_.thread_ / REDUCE_WARP] = x;                                       \
        if (at_.thread_ >= warps_ && at_.thread_ < REDUCE_WARP) of_warps_[at_.thread_] = NAME##_identity(); \
        __syncthreads();                                                                                    \
        if (at_.thread_ >= REDUCE_WARP) return x;                                                           \
        if (!NAME##_is_light_) return NAME##_fold_(of_warps_[at_.lane_], at_, few_);                        \
        reduce_copy_wide_(values_, of_warps_, sizeof values_);                                              \
        return NAME##_fold_here_(values_, few_);                                                            \
    }

/* T NAME_encode_(T x), T NAME_combine_codes_(T a, T b): where REDUCE_HAS_INSTRUCTION_, users' blocks are
   reduced by codes from the first step to the last. Codes are kept in variables of type T. Elsewhere a value
   is its own code. */
#define REDUCE_DECODE_(NAME, x)                                                                             \
    if (REDUCE_HAS_INSTRUCTION_(NAME)) reduce_decode_value_(&(x), NAME##_code_())
#define REDUCE_CODES_(NAME)                                                                                 \
    REDUCE_DEVICE_ NAME##_result NAME##_encode_(NAME##_result x) {                                          \
        if (REDUCE_HAS_INSTRUCTION_(NAME)) reduce_encode_value_(&x, NAME##_code_());                        \
        return x;                                                                                           \
    }                                                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_combine_codes_(NAME##_result a, NAME##_result b) {                  \
        if (!REDUCE_HAS_INSTRUCTION_(NAME)) return NAME##_combine(a, b);                                    \
        reduce_combine_codes_(&a, &b, NAME##_code_());                                                      \
        return a;                                                                                           \
    }

/* How users' blocks are reduced. REDUCE_IN_ONE_: an instruction folds a whole warp. NAME_per_warp_: in blocks
   of more than 4 warps, each warp leaves as many values, unfolded, to a lane of the first warp, which loads
   them together and folds them alone. REDUCE_MOST_WARPS_: blocks of 5 to as many warps are reduced by the
   fewest branches. (All measured.) */
#define REDUCE_IN_ONE_(NAME) (REDUCE_HAS_INSTRUCTION_(NAME) || NAME##_folds_whole_)
#define REDUCE_MOST_WARPS_(NAME) (REDUCE_IN_ONE_(NAME) ? REDUCE_WARP : sizeof(NAME##_result) > 4 ? 8 : 16)
#define REDUCE_PER_WARP_(NAME)                                                                              \
    enum {                                                                                                  \
        NAME##_per_warp_ = REDUCE_IN_ONE_(NAME) || sizeof(NAME##_result) > 16 ? 1                           \
                           : sizeof(NAME##_result) > 4                        ? 2                           \
                                                                              : 4                           \
    };

/* T NAME_fold_warp_(T x, int width, int least): folds codes of a whole warp, of which the first `width` lanes
   hold values, at once or by the steps of NAME_steps_. */
#define REDUCE_FOLD_WARP_(NAME)                                                                             \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_warp_(NAME##_result x, int width_, int least_) {               \
        if (REDUCE_HAS_INSTRUCTION_(NAME))                                                                  \
            reduce_fold_codes_(&x, NAME##_code_());                                                         \
        else if (!NAME##_fold_at_once_(&x, reduce_place_along_x_(), REDUCE_WARP))                           \
            x = NAME##_steps_(x, width_, least_);                                                           \
        return x;                                                                                           \
    }

/* T NAME_fold_few_warps_(T x, room, at, bool fills): folds up to 4 warps, in every thread. If fills,
   identities stand for absent warps. The first barrier protects the room from the call before. */
#define REDUCE_FOLD_FEW_WARPS_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_few_warps_(NAME##_result x, struct reduce_room_ room_,         \
                                                        struct reduce_place_ at_, bool fills_) {            \
        const NAME##_result none_ = NAME##_encode_(NAME##_identity());                                      \
        const bool is_absent_ = at_.thread_ >= room_.warps_ && at_.thread_ < 4;                             \
        NAME##_result values_[4];                                                                           \
        x = NAME##_fold_warp_(x, REDUCE_WARP, 1);                                                           \
        __syncthreads();                                                                                    \
        if (fills_ && is_absent_) ((NAME##_result *)room_.all_)[at_.thread_] = none_;                       \
        if (at_.lane_ == 0) *(NAME##_result *)room_.own_ = x;                                               \
        __syncthreads();                                                                                    \
        reduce_copy_wide_(values_, room_.all_, sizeof values_);                                             \
        if (fills_ || room_.warps_ > 2) values_[0] = NAME##_combine_codes_(values_[0], values_[2]);         \
        if (fills_ || room_.warps_ > 3) values_[1] = NAME##_combine_codes_(values_[1], values_[3]);         \
        return NAME##_combine_codes_(values_[0], values_[1]);                                               \
    }

/* T NAME_fold_many_warps_(T x, room, at, int each, int width): folds up to width warps, each of which has
   values in its first `each` lanes. The first warp loads and folds them, and leaves the result behind them
   for all threads. A barrier separates each use of the room from the next, in the next call too. */
#define REDUCE_FOLD_MANY_WARPS_(NAME)                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_many_warps_(NAME##_result x, struct reduce_room_ room_,        \
                                                         struct reduce_place_ at_, int each_, int width_) { \
        NAME##_result values_[NAME##_per_warp_];                                                            \
        if (at_.lane_ < each_) *(NAME##_result *)room_.own_ = x;                                            \
        __syncthreads();                                                                                    \
        if (at_.thread_ < REDUCE_WARP) {                                                                    \
            reduce_copy_wide_(values_, room_.from_, sizeof values_);                                        \
            x = NAME##_fold_here_(values_, NAME##_per_warp_);                                               \
            if (at_.thread_ >= room_.warps_) x = NAME##_encode_(NAME##_identity());                         \
            x = NAME##_fold_warp_(x, width_, 1);                                                            \
            if (at_.thread_ == 0) ((NAME##_result *)room_.all_)[REDUCE_WARP * NAME##_per_warp_] = x;        \
        }                                                                                                   \
        __syncthreads();                                                                                    \
        return ((NAME##_result *)room_.all_)[REDUCE_WARP * NAME##_per_warp_];                               \
    }

/* T NAME_fold_any_warps_(T x, room, at, bool whole, int way): folds a block of `way` whole warps, or if way
   is more than 32, a block of one warp or of warps that may be partial. */
#define REDUCE_FOLD_ANY_WARPS_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_any_warps_(NAME##_result x, struct reduce_room_ room_,         \
                                                        struct reduce_place_ at_, bool whole_, int way_) {  \
        enum { each_ = NAME##_per_warp_, all_ = REDUCE_WARP };                                              \
        if (way_ <= all_)                                                                                   \
            return NAME##_fold_many_warps_(NAME##_fold_warp_(x, all_, each_), room_, at_, each_, all_);     \
        x = whole_ ? NAME##_fold_warp_(x, all_, 1) : NAME##_fold_(x, at_, REDUCE_WARP);                     \
        if (at_.threads_ <= REDUCE_WARP) {                                                                  \
            if (!NAME##_is_built_in_) reduce_shuffle_(&x, sizeof x, 0, 0);                                  \
            return x;                                                                                       \
        }                                                                                                   \
        for (int k = 1; k < each_; k++)                                                                     \
            if (at_.lane_ == 0) ((NAME##_result *)room_.own_)[k] = NAME##_identity();                       \
        return NAME##_fold_many_warps_(x, room_, at_, 1, REDUCE_WARP);                                      \
    }

/* T NAME_fold_by_way_(T x, room, at, bool whole, int way, bool known): folds a user's block. way is that of
   NAME_fold_any_warps_. A branch takes as long as a step of a fold. So one test chooses the code for blocks
   of 5 to `most` warps, whose first warp folds `most` values. */
#define REDUCE_FOLD_BY_WAY_(NAME)                                                                           \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_by_way_(NAME##_result x, struct reduce_room_ room_,            \
                                                     struct reduce_place_ at_, bool whole_, int way_,       \
                                                     bool known_) {                                         \
        enum { each_ = NAME##_per_warp_, most_ = REDUCE_MOST_WARPS_(NAME) };                                \
        const bool fills_ = REDUCE_HAS_INSTRUCTION_(NAME) && !known_;                                       \
        if (way_ > 4 && (fills_ || way_ <= most_)) {                                                        \
            x = NAME##_fold_warp_(x, REDUCE_WARP, each_);                                                   \
            return NAME##_fold_many_warps_(x, room_, at_, each_, known_ ? way_ : +most_);                   \
        }                                                                                                   \
        if (way_ <= 4) return NAME##_fold_few_warps_(x, room_, at_, fills_);                                \
        return NAME##_fold_any_warps_(x, room_, at_, whole_, way_);                                         \
    }

/* T NAME_fold_block_(T x, at, bool whole, bool known): folds a user's block; every thread gets the result.
   whole: all warps are whole. known: the compiler knows the number of threads. */
#define REDUCE_FOLD_BLOCK_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_block_(NAME##_result x, struct reduce_place_ at_, bool whole_, \
                                                    bool known_) {                                          \
        __shared__ NAME##_result few_[4] REDUCE_IN_WORDS_(NAME);                                            \
        __shared__ NAME##_result many_[REDUCE_WARP * NAME##_per_warp_ + 1] REDUCE_IN_WORDS_(NAME);          \
        const bool fills_ = REDUCE_HAS_INSTRUCTION_(NAME) && !known_;                                       \
        const int warps_ = (int)(at_.threads_ + REDUCE_WARP - 1) / REDUCE_WARP;                             \
        const int way_ = (fills_ ? at_.threads_ > 3 : whole_ && warps_ > 1) ? warps_ : 2 * REDUCE_WARP;     \
        NAME##_result *const memory_ = way_ <= 4 ? few_ : many_;                                            \
        const unsigned each_ = way_ <= 4 ? 1 : +NAME##_per_warp_;                                           \
        const struct reduce_room_ room_ =                                                                   \
            reduce_room_(memory_, at_, (unsigned)warps_, sizeof x, each_, !known_);                         \
        return NAME##_fold_by_way_(x, room_, at_, whole_, way_, known_);                                    \
    }

/* T NAME_first_of_block_(T x, at): folds a block of the library's own launches; thread 0 gets the result; a
   barrier must follow. NAME_first_of_any_: folds a block of any shape. Its code is long, and no kernel of the
   library needs it. */
#define REDUCE_FIRST_OF_BLOCK_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_first_of_block_(NAME##_result x, struct reduce_place_ at_) {        \
        return NAME##_across_warps_(NAME##_fold_(x, at_, REDUCE_WARP), at_);                                \
    }                                                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_first_of_any_(NAME##_result x, struct reduce_place_ at_) {          \
        x = NAME##_fold_block_(NAME##_encode_(x), at_, REDUCE_HAS_INSTRUCTION_(NAME), false);               \
        REDUCE_DECODE_(NAME, x);                                                                            \
        return x;                                                                                           \
    }

/* T NAME_block(T x): reduces the values of all threads of the block; every thread gets the result. */
#define REDUCE_BLOCK_(NAME)                                                                                 \
    REDUCE_DEVICE_ NAME##_result NAME##_block(NAME##_result x) {                                            \
        const struct reduce_place_ at_ = reduce_place_();                                                   \
        const bool whole_ = REDUCE_HAS_INSTRUCTION_(NAME) || at_.threads_ % REDUCE_WARP == 0;               \
        if (!NAME##_selects_) x = NAME##_combine(NAME##_identity(), x);                                     \
        x = NAME##_fold_block_(NAME##_encode_(x), at_, whole_, false);                                      \
        REDUCE_DECODE_(NAME, x);                                                                            \
        return NAME##_final_(x);                                                                            \
    }

/* ---- Across blocks ------------------------------------------------------------------------------------- */

typedef unsigned long long reduce_slot_; /* one word of a slot: see below */

#define REDUCE_PEERS_ 8 /* GPUs whose kernels may meet: see reduce_nccl.cuh */

/* Device memory for one call at a time. Between calls all of it is zero, except the cell from its 9th byte
   on, and ready_ where another GPU has begun the next call. */
struct reduce_workspace {
    unsigned ticket_;               /* counts the blocks that have finished */
    unsigned lock_;                 /* 1 while a thread holds the cell */
    unsigned cell_is_used_;         /* by a T that is too large for compare-and-swap */
    unsigned is_refused_;           /* another GPU's kernel, for which this one's waits, will not come */
    unsigned ready_[REDUCE_PEERS_]; /* kernels that another GPU has begun, and this one has not ended */
    unsigned char cell_[REDUCE_MAX_SIZE] __attribute__((__aligned__(64)));
    reduce_slot_ slots_[REDUCE_SLOTS * REDUCE_MAX_SIZE / 4] __attribute__((__aligned__(64)));
};

/* All threads of the grid call it. It returns true in all threads of one block, the last one to call, which
   then sees everything that the other blocks wrote before their calls. *ticket is zero before and after. The
   fences are a pair: one publishes what this block wrote, the other makes it visible to the last block. */
REDUCE_OUT_OF_LINE_ bool reduce_last_block(unsigned *ticket_) {
    __shared__ bool is_last_;
    const struct reduce_place_ at_ = reduce_place_();
    __syncthreads();
    if (at_.thread_ == 0) {
        __threadfence();
        is_last_ = atomicInc(ticket_, at_.blocks_ - 1) == at_.blocks_ - 1;
        if (is_last_) __threadfence();
    }
    __syncthreads();
    return is_last_;
}

/* Slots hand values from block to block, without a fence and without a counter. A word of a slot holds 4
   bytes of a value and the number of a turn. It is stored and loaded as a whole: a thread that finds the turn
   it waits for in all words of a slot has the whole value. The first words of all slots lie side by side,
   then all second words, and so on, so that the loads of a warp are coalesced.

   Block b writes slot b % REDUCE_SLOTS in turn b / REDUCE_SLOTS + 1; an empty slot is in turn 0. Only grids
   of more blocks than slots have a second turn. With 4 slots and 7 blocks, of which block 6 collects:

     time        slot 0          slot 1          slot 2          slot 3
      |          0 empty         0 empty         0 empty         0 empty
      |          1 block 0       1 block 1       1 block 2       1 block 3
      |          2 block 0 + 4   2 block 1 + 5                                  4 and 5 waited for turn 1
      v          0 empty         0 empty         0 empty         0 empty        6 took each slot's last turn

   - A block waits only for blocks of lower index, which have started before it (the manual says on what this
     rests). Only the collecting block, the last one, waits for all others. So every wait ends.
   - The collecting block empties the slots, so that the next kernel finds them empty. */

/* Stores and loads a word of a slot as a whole. The block at the other end may run on another GPU
   (reduce_nccl.cuh), hence "sys". */
#ifdef __CUDA_ARCH__
REDUCE_DEVICE_ void reduce_store_word_(reduce_slot_ *to_, unsigned long long word_) {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(to_), "l"(word_) : "memory");
}

REDUCE_DEVICE_ unsigned long long reduce_load_word_(reduce_slot_ *from_) {
    unsigned long long word_;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word_) : "l"(from_) : "memory");
    return word_;
}
#else
REDUCE_DEVICE_ void reduce_store_word_(reduce_slot_ *to_, reduce_slot_ word_) { atomicExch(to_, word_); }
REDUCE_DEVICE_ reduce_slot_ reduce_load_word_(reduce_slot_ *from_) { return atomicAdd(from_, 0ull); }
#endif

/* The number of slots for values of size bytes, and the word of a slot that holds byte `at` of its value. */
#define REDUCE_SLOTS_OF_(size) ((size_t)REDUCE_SLOTS * (REDUCE_MAX_SIZE / 4) / (((size) + 3) / 4))
#define REDUCE_WORD_(slot, at, size) ((slot) + (at) / 4 * REDUCE_SLOTS_OF_(size))

/* Fills a slot: writes a value, and the number of its turn. */
REDUCE_DEVICE_ void reduce_publish_(reduce_slot_ *slot_, const void *value_, size_t size_, unsigned turn_) {
    REDUCE_UNROLL_
    for (size_t at_ = 0; at_ < size_; at_ += 4) {
        uint32_t bits_ = 0;
        memcpy(&bits_, (const char *)value_ + at_, REDUCE_MIN_(size_ - at_, 4));
        reduce_store_word_(REDUCE_WORD_(slot_, at_, size_), (unsigned long long)turn_ << 32 | bits_);
    }
}

/* Loads a slot's value. Returns true if all words are in that turn: only then the value is right. */
REDUCE_DEVICE_ bool reduce_look_(void *value_, size_t size_, reduce_slot_ *slot_, unsigned turn_) {
    unsigned long long words_[REDUCE_MAX_SIZE / 4];
    bool is_there_ = true;
    REDUCE_UNROLL_
    for (size_t k = 0; k < size_; k += 4) words_[k / 4] = reduce_load_word_(REDUCE_WORD_(slot_, k, size_));
    REDUCE_UNROLL_
    for (size_t at_ = 0; at_ < size_; at_ += 4) {
        const uint32_t bits_ = (uint32_t)words_[at_ / 4];
        is_there_ = is_there_ && words_[at_ / 4] >> 32 == turn_;
        memcpy((char *)value_ + at_, &bits_, REDUCE_MIN_(size_ - at_, 4));
    }
    return is_there_;
}

REDUCE_DEVICE_ void reduce_empty_(reduce_slot_ *slot_, size_t size_) {
    REDUCE_UNROLL_
    for (size_t at_ = 0; at_ < size_; at_ += 4) reduce_store_word_(REDUCE_WORD_(slot_, at_, size_), 0);
}

/* void NAME_publish_(T x, at, slots): one thread of a block writes the block's result x to its slot. From the
   second turn on it waits for the turn before and adds x to it. A launch of the library's has one turn. */
#define REDUCE_PUBLISH_(NAME)                                                                               \
    REDUCE_DEVICE_ void NAME##_publish_(NAME##_result x, struct reduce_place_ at_, reduce_slot_ *slots_) {  \
        const unsigned turn_ = at_.is_own_launch_ ? 0 : at_.block_ / REDUCE_SLOTS;                          \
        reduce_slot_ *slot_ = slots_ + (at_.block_ - turn_ * REDUCE_SLOTS);                                 \
        NAME##_result before_ = x;                                                                          \
        if (turn_ > 0) {                                                                                    \
            while (!reduce_look_(&before_, sizeof before_, slot_, turn_)) continue;                         \
            x = NAME##_combine(before_, x);                                                                 \
        }                                                                                                   \
        reduce_publish_(slot_, &x, sizeof x, turn_ + 1);                                                    \
    }

/* How the results of blocks or warps meet. */
enum reduce_way_ {
    REDUCE_BY_SLOTS_,      /* the last block waits for all others and collects their results */
    REDUCE_TO_SLOTS_,      /* no block collects: the first of two launches */
    REDUCE_FROM_SLOTS_,    /* one block collects: the second of two launches */
    REDUCE_BY_LAST_BLOCK_, /* the block that happens to finish last collects */
    REDUCE_BY_ATOMIC_WARP_, REDUCE_BY_ATOMIC_BLOCK_ /* only in reduce_teaching.cuh */
};

struct reduce_meeting_ {
    enum reduce_way_ way_;
    unsigned collector_; /* the block that collects; not a block's index if none is chosen beforehand */
    unsigned handed_in_; /* the number of results that slots receive */
    unsigned first_;     /* the chunk of block 0 */
};

/* The meeting of count > 0 results. REDUCE_BY_SLOTS_: the collector hands in none, it keeps its own. */
REDUCE_BOTH_ struct reduce_meeting_ reduce_meeting_(enum reduce_way_ way_, unsigned count_) {
    struct reduce_meeting_ meeting_ = {way_, count_, count_, 0};
    if (way_ == REDUCE_BY_SLOTS_) meeting_.collector_ = meeting_.handed_in_ = count_ - 1;
    if (way_ == REDUCE_FROM_SLOTS_) meeting_.collector_ = 0;
    return meeting_;
}

/* The way of NAME_async and NAME_grid: see REDUCE_NO_WAITING in the manual. */
REDUCE_BOTH_ enum reduce_way_ reduce_default_way_(unsigned count_) {
#ifdef REDUCE_NO_WAITING
    if (count_ <= REDUCE_SLOTS) return REDUCE_BY_LAST_BLOCK_;
#endif
    (void)count_;
    return REDUCE_BY_SLOTS_;
}

/* bool NAME_look_(T *value, at, unsigned k, unsigned handed_in, slots): loads slot k. Returns true if it is
   in its last turn. */
#define REDUCE_LOOK_(NAME)                                                                                  \
    REDUCE_DEVICE_ bool NAME##_look_(NAME##_result *value_, struct reduce_place_ at_, unsigned k,           \
                                     unsigned handed_in_, reduce_slot_ *slots_) {                           \
        const unsigned turns_ = at_.is_own_launch_ ? 1 : (handed_in_ - k - 1) / REDUCE_SLOTS + 1;           \
        return reduce_look_(value_, sizeof *value_, slots_ + k, turns_);                                    \
    }

/* T NAME_receive_two_(T x, ...): waits for slot k and, if l < all, for slot l. (If a T has more than 8 bytes,
   l is not less.) Combines x with their values and empties them. The loads of both are in flight together. */
#define REDUCE_RECEIVE_TWO_(NAME)                                                                           \
    REDUCE_DEVICE_ NAME##_result NAME##_receive_two_(NAME##_result x, struct reduce_place_ at_, unsigned k, \
                                                     unsigned l, unsigned all_, reduce_slot_ *slots_) {     \
        const unsigned other_ = l < all_ ? l : k;                                                           \
        NAME##_result first_, second_ = x;                                                                  \
        bool is_first_, is_second_ = true;                                                                  \
        do {                                                                                                \
            is_first_ = NAME##_look_(&first_, at_, k, all_, slots_);                                        \
            if (sizeof x <= 8) is_second_ = NAME##_look_(&second_, at_, other_, all_, slots_);              \
        } while (!(is_first_ & is_second_));                                                                \
        reduce_empty_(slots_ + k, sizeof x);                                                                \
        x = NAME##_combine(x, first_);                                                                      \
        if (l >= all_) return x;                                                                            \
        reduce_empty_(slots_ + l, sizeof x);                                                                \
        return NAME##_combine(x, second_);                                                                  \
    }

/* T NAME_receive_many_(...): receives one thread's share of the results: slots at.thread, at.thread +
   at.threads and so on, two at a time unless a T is large. */
#define REDUCE_RECEIVE_MANY_(NAME)                                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_receive_many_(struct reduce_place_ at_, unsigned handed_in_,        \
                                                      reduce_slot_ *slots_) {                               \
        const unsigned used_ = REDUCE_MIN_(handed_in_, REDUCE_SLOTS), step_ = at_.threads_;                 \
        const bool by_twos_ = sizeof(NAME##_result) <= 8;                                                   \
        NAME##_result x = NAME##_identity();                                                                \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = at_.thread_; k < used_; k += by_twos_ ? 2 * step_ : step_) {                      \
            const bool is_second_ = by_twos_ && k + step_ < used_;                                          \
            x = NAME##_receive_two_(x, at_, k, is_second_ ? k + step_ : handed_in_, handed_in_, slots_);    \
        }                                                                                                   \
        return x;                                                                                           \
    }

/* The same out of line, for the library's launches: few have more results than a block has threads. */
#define REDUCE_RECEIVE_MANY_OUT_OF_LINE_(NAME)                                                              \
    REDUCE_OUT_OF_LINE_ NAME##_result NAME##_receive_many_out_of_line_(unsigned handed_in_,                 \
                                                                       reduce_slot_ *slots_) {              \
        return NAME##_receive_many_(reduce_place_along_x_(), handed_in_, slots_);                           \
    }

/* T NAME_receive_(...): receives one thread's share of the results; most often this is one slot or none. */
#define REDUCE_RECEIVE_(NAME)                                                                               \
    REDUCE_DEVICE_ NAME##_result NAME##_receive_(struct reduce_place_ at_, unsigned handed_in_,             \
                                                 reduce_slot_ *slots_) {                                    \
        NAME##_result x = NAME##_identity();                                                                \
        if (handed_in_ > REDUCE_MIN_(at_.threads_, REDUCE_SLOTS))                                           \
            return at_.is_own_launch_ ? NAME##_receive_many_out_of_line_(handed_in_, slots_)                \
                               : NAME##_receive_many_(at_, handed_in_, slots_);                             \
        if (at_.thread_ >= handed_in_) return x;                                                            \
        while (!NAME##_look_(&x, at_, at_.thread_, handed_in_, slots_)) continue;                           \
        reduce_empty_(slots_ + at_.thread_, sizeof x);                                                      \
        return x;                                                                                           \
    }

/* T NAME_collect_(T own, ...): all threads of the collecting block call it; each gets its share of the
   results. The block's own result, in thread 0, comes after all others: it goes to the thread that would
   receive the next slot. In a launch of the library's the remainder is a bit mask: where several blocks hand
   in results, each has a power of two of threads, and a lone block hands in one. */
#define REDUCE_COLLECT_(NAME)                                                                               \
    REDUCE_DEVICE_ NAME##_result NAME##_collect_(NAME##_result own_, struct reduce_place_ at_,              \
                                                 unsigned handed_in_, reduce_slot_ *slots_) {               \
        __shared__ NAME##_result last_;                                                                     \
        const unsigned next_ = at_.is_own_launch_ ? handed_in_ & (at_.threads_ - 1)                         \
            : handed_in_ % at_.threads_;                                                                    \
        NAME##_result x;                                                                                    \
        if (at_.thread_ == 0) last_ = own_;                                                                 \
        x = NAME##_receive_(at_, handed_in_, slots_);                                                       \
        __syncthreads();                                                                                    \
        if (at_.thread_ == next_) x = NAME##_combine(x, last_);                                             \
        return x;                                                                                           \
    }

/* bool NAME_hand_in_(T *x, ...): all threads of a block that does not collect call it; thread 0 hands in the
   block's result *x. Returns true if the block collects nevertheless, as the last one to finish: *x is then
   the identity. */
#define REDUCE_HAND_IN_(NAME)                                                                               \
    REDUCE_DEVICE_ bool NAME##_hand_in_(NAME##_result *x, struct reduce_place_ at_,                         \
                                        struct reduce_meeting_ meeting_, reduce_workspace *ws_) {           \
        if (at_.thread_ == 0) NAME##_publish_(*x, at_, ws_->slots_ + meeting_.first_);                      \
        *x = NAME##_identity();                                                                             \
        return meeting_.way_ == REDUCE_BY_LAST_BLOCK_ && reduce_last_block(&ws_->ticket_);                  \
    }

/* bool NAME_finish_(T x, ...): all threads of the grid call it, each with its value. Each block hands in its
   result. One block collects the results, writes *out and returns true. NAME_finish_along_x_: the same for
   the library's own launches. nvcc makes a predicate of the first if; one branch for a lone block would lead
   far away, and small arrays would take 2 % longer. */
#define REDUCE_FINISH_(NAME, finish, first)                                                                 \
    REDUCE_DEVICE_ bool NAME##_##finish##_(NAME##_result x, struct reduce_place_ at_,                       \
                                           struct reduce_meeting_ meeting_, reduce_workspace *ws_,          \
                                           NAME##_result *out_) {                                           \
        x = NAME##_##first##_(x, at_);                                                                      \
        const bool is_lone_ = meeting_.handed_in_ == 0;                                                     \
        if (is_lone_ && at_.thread_ == 0) *out_ = NAME##_final_(x);                                         \
        if (is_lone_) return true;                                                                          \
        if (at_.block_ != meeting_.collector_ && !NAME##_hand_in_(&x, at_, meeting_, ws_)) return false;    \
        x = NAME##_##first##_(NAME##_collect_(x, at_, meeting_.handed_in_, ws_->slots_), at_);              \
        if (at_.thread_ == 0) *out_ = NAME##_final_(x);                                                     \
        return true;                                                                                        \
    }

/* bool NAME_grid(T x, reduce_workspace *ws, T *out): all threads of the grid call it, once for a launch and a
   workspace. It returns true in all threads of one block, which may read *out at once. */
#define REDUCE_GRID_(NAME)                                                                                  \
    REDUCE_DEVICE_ bool NAME##_grid(NAME##_result x, reduce_workspace *ws_, NAME##_result *out_) {          \
        const struct reduce_place_ at_ = reduce_place_();                                                   \
        const enum reduce_way_ way_ = reduce_default_way_(at_.blocks_);                                     \
        const struct reduce_meeting_ meeting_ = reduce_meeting_(way_, at_.blocks_);                         \
        if (!NAME##_finish_(NAME##_combine(NAME##_identity(), x), at_, meeting_, ws_, out_)) return false;  \
        __syncthreads();                                                                                    \
        return true;                                                                                        \
    }

/* ---- A whole array on the GPU -------------------------------------------------------------------------- */

/* Loads 16 bytes that are read once, from an address that is a multiple of 16, if is_there; else *to is left
   undefined. The load has a predicate: from an if nvcc makes a branch or a copy, and waits there for the
   load. */
REDUCE_DEVICE_ void reduce_load_16_(void *to_, const void *from_, bool is_there_) {
#ifdef __CUDA_ARCH__
    uint4 bytes_;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "=r"(bytes_.x), "=r"(bytes_.y), "=r"(bytes_.z), "=r"(bytes_.w)
                 : "l"(from_), "r"((unsigned)is_there_));
    memcpy(to_, &bytes_, sizeof bytes_);
#else
    if (is_there_) reduce_copy_wide_(to_, from_, 16);
#endif
}

#define REDUCE_LOADS_ 4 /* loads of a strand that are in flight together */

#define REDUCE_IS_SIGNED_BYTE_(In) (__is_same(In, signed char) || (__is_same(In, char) && (char)-1 < 0))
#define REDUCE_IS_BYTE_(T) (__is_same(T, char) || __is_same(T, signed char) || __is_same(T, unsigned char))
#define REDUCE_ADDS_BYTES_(NAME)                                                                            \
    ((int)NAME##_operator_ == REDUCE_SUM_ && NAME##_converts_ && REDUCE_IS_BYTE_(NAME##_element) &&         \
     REDUCE_IS_INTEGER_(NAME##_result) && sizeof(NAME##_result) == 4)

/* NAME_accumulators_  of a strand: one for each position, or fewer where their number cannot show
   NAME_is_dense_      the loads of a warp are neighbours, so that few elements need few warps: possible
                       where the order cannot show
   NAME_step_          elements from one load of a strand to its next */
#define REDUCE_LAYOUT_(NAME)                                                                                \
    enum {                                                                                                  \
        NAME##_positions_ = REDUCE_POSITIONS(NAME##_size_),                                                 \
        NAME##_accumulators_ = REDUCE_MIN_(NAME##_is_exact_ ? (int)NAME##_enough_ : 16, NAME##_positions_), \
        NAME##_is_dense_ = NAME##_is_exact_ && NAME##_size_ >= 4,                                           \
        NAME##_step_ = NAME##_positions_ * (NAME##_is_dense_ ? REDUCE_WARP : REDUCE_STRANDS)                \
    };

/* struct NAME_loaded_: the elements of a strand's positions. NAME_loaded_at_: an input that begins with them.
   NAME_adds_bytes_: an instruction adds four bytes to a sum of 32 bits; 2 if they are signed. NAME_packed_:
   values of which a word combines at once, or 1. */
#define REDUCE_LOADED_(NAME)                                                                                \
    enum {                                                                                                  \
        NAME##_adds_bytes_ = !REDUCE_ADDS_BYTES_(NAME) ? 0 : REDUCE_IS_SIGNED_BYTE_(NAME##_element) ? 2 : 1,\
        NAME##_packed_ = REDUCE_PACKS_(NAME) ? 4 / sizeof(NAME##_result) : 1                                \
    };                                                                                                      \
    struct NAME##_loaded_ { NAME##_element x[NAME##_positions_]; };                                         \
    REDUCE_DEVICE_ NAME##_input_ NAME##_loaded_at_(NAME##_input_ in_, const struct NAME##_loaded_ *x) {     \
        in_.in_ = x->x;                                                                                     \
        return in_;                                                                                         \
    }

/* NAME_is_wide_: one load takes the elements of a strand's positions, which fill 16 bytes. NAME_slides_: such
   loads may begin with the first element at a multiple of 16 bytes, where the array begins elsewhere. */
#define REDUCE_SLIDES_(NAME)                                                                                \
    enum {                                                                                                  \
        NAME##_is_wide_ = sizeof(struct NAME##_loaded_) == 16,                                              \
        NAME##_slides_ = NAME##_is_wide_ && REDUCE_ALIGNMENT_(NAME##_element) == sizeof(NAME##_element) &&  \
                         (NAME##_is_exact_ || sizeof(NAME##_result) * NAME##_positions_ <= 64)              \
    };

/* void NAME_load_(struct NAME_loaded_ *to, NAME_input_ from, bool are_there): loads the elements of a
   strand's positions. bool NAME_is_aligned_(NAME_input_ in): it can load from there. */
#define REDUCE_LOAD_(NAME)                                                                                  \
    REDUCE_BOTH_ bool NAME##_is_aligned_(NAME##_input_ in_) {                                               \
        return !NAME##_is_wide_ || (uintptr_t)in_.in_ % 16 == 0;                                            \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_load_(struct NAME##_loaded_ *to_, NAME##_input_ from_, bool are_there_) {    \
        if (NAME##_is_wide_) {                                                                              \
            reduce_load_16_(to_->x, from_.in_, are_there_);                                                 \
        } else if (are_there_) {                                                                            \
            REDUCE_UNROLL_                                                                                  \
            for (int k = 0; k < NAME##_positions_; k++) to_->x[k] = from_.in_[k];                           \
        }                                                                                                   \
    }

#define REDUCE_WIDE_ARRAY_(NAME)                                                                            \
    REDUCE_LOADED_(NAME) REDUCE_LINE_ REDUCE_SLIDES_(NAME) REDUCE_LINE_ REDUCE_LOAD_(NAME) REDUCE_LINE_

/* struct NAME_chunk_: a chunk's elements. struct NAME_strand_: the accumulators of a strand. */
#define REDUCE_CHUNK_TYPES_(NAME)                                                                           \
    struct NAME##_chunk_ {                                                                                  \
        NAME##_input_ in_; /* begins with the chunk's first element */                                      \
        size_t i;          /* that element's index */                                                       \
        unsigned count_;   /* elements of the chunk */                                                      \
        unsigned head_;    /* the first element of wide loads */                                            \
        unsigned wide_;    /* the element behind their last */                                              \
    };                                                                                                      \
    struct NAME##_strand_ { NAME##_result values_[NAME##_accumulators_]; };

/* Elements at both ends that no wide loads take are loose: NAME_loose_(chunk) is their number, and
   NAME_loose_at_(chunk, k) where the one with number k stands. If the order cannot show, any threads take
   them. Otherwise, or if all are loose, the chunk goes its own way: NAME_is_apart_(chunk). */
#define REDUCE_CHUNK_(NAME)                                                                                 \
    REDUCE_CHUNK_TYPES_(NAME)                                                                               \
    REDUCE_DEVICE_ unsigned NAME##_loose_(struct NAME##_chunk_ chunk_) {                                    \
        return chunk_.count_ - (chunk_.wide_ - chunk_.head_);                                               \
    }                                                                                                       \
    REDUCE_DEVICE_ unsigned NAME##_loose_at_(struct NAME##_chunk_ chunk_, unsigned k) {                     \
        return k < chunk_.head_ ? k : k - chunk_.head_ + chunk_.wide_;                                      \
    }                                                                                                       \
    REDUCE_DEVICE_ bool NAME##_is_apart_(struct NAME##_chunk_ chunk_) {                                     \
        if (NAME##_is_exact_) return !NAME##_slides_ && chunk_.wide_ == 0;                                  \
        return chunk_.wide_ < chunk_.count_;                                                                \
    }

/* void NAME_add_(T *values, int position, T x): adds x to a strand's accumulator for this position. */
#define REDUCE_ADD_(NAME)                                                                                   \
    REDUCE_DEVICE_ void NAME##_add_(NAME##_result *values_, int position_, NAME##_result x) {               \
        NAME##_result *value_ = &values_[position_ % NAME##_accumulators_];                                 \
        *value_ = NAME##_combine_operand_(*value_, x);                                                      \
    }

/* Adds four bytes to a sum of 32 bits. */
REDUCE_DEVICE_ void reduce_add_bytes_(void *sum_, const void *bytes_, bool are_signed_) {
    uint32_t total_, four_;
    memcpy(&total_, sum_, sizeof total_);
    memcpy(&four_, bytes_, sizeof four_);
#ifdef __CUDA_ARCH__
    total_ = are_signed_ ? (uint32_t)__dp4a((int)four_, 0x01010101, (int)total_)
                         : __dp4a(four_, 0x01010101u, total_);
#else
    for (int k = 0; k < 32; k += 8)
        total_ += are_signed_ ? (uint32_t)(int8_t)(four_ >> k) : (uint32_t)(uint8_t)(four_ >> k);
#endif
    memcpy(sum_, &total_, sizeof total_);
}

/* REDUCE_ADDED_: elements that instructions add at once. void NAME_add_some_(T *values, ...): adds as many
   loaded elements, from element p on, whose index is i. */
#define REDUCE_ADDED_(NAME) (NAME##_adds_bytes_ > 0 ? 4 : (int)NAME##_packed_)
#define REDUCE_ADD_SOME_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_some_(NAME##_result *values_, const struct NAME##_loaded_ *x,            \
                                         NAME##_input_ in_, size_t p, size_t i) {                           \
        if (NAME##_packed_ > 1)                                                                             \
            NAME##_combine_words_(&values_[p % NAME##_accumulators_], x->x + p, 4);                         \
        else if (NAME##_adds_bytes_ > 0)                                                                    \
            reduce_add_bytes_(&values_[p / 4], (const char *)x + p, NAME##_adds_bytes_ == 2);               \
        else                                                                                                \
            NAME##_add_(values_, (int)p, NAME##_operand_at_(NAME##_loaded_at_(in_, x), p, i));              \
    }

/* void NAME_add_loaded_(T *values, const struct NAME_loaded_ *x, NAME_input_ in, size_t i): adds loaded
   elements, whose indices begin with i, to a strand's accumulators. */
#define REDUCE_ADD_LOADED_ARRAY_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_add_loaded_(NAME##_result *values_, const struct NAME##_loaded_ *x,          \
                                           NAME##_input_ in_, size_t i) {                                   \
        REDUCE_UNROLL_                                                                                      \
        for (size_t p = 0; p < NAME##_positions_; p += REDUCE_ADDED_(NAME))                                 \
            NAME##_add_some_(values_, x, in_, p, i + p);                                                    \
    }

/* The least or the greatest of doubles takes three instructions a number by comparisons alone, instead of
   eight. What these do not tell is kept beside: whether a number is NaN, and the sign of a zero. If a zero is
   the least, it is -0 if any number has a sign; if it is the greatest, it is -0 if all numbers have one. */
struct reduce_doubles_ {
    bool is_least_, has_nan_;
    double chosen_;
    unsigned long long signs_; /* the sign's bit; the other bits mean nothing */
};

REDUCE_DEVICE_ double reduce_double_of_(unsigned long long bits_) {
    double x;
    memcpy(&x, &bits_, sizeof x);
    return x;
}

/* a unless b is before it, so that a NaN that was chosen stays chosen. */
REDUCE_DEVICE_ double reduce_compared_(double a, double b, bool is_least_) {
    return is_least_ ? (b < a ? b : a) : (a < b ? b : a);
}

/* Begins with one number; adds two numbers; gives the bits of the result. */
REDUCE_DEVICE_ struct reduce_doubles_ reduce_doubles_(unsigned long long x, bool is_least_) {
    const struct reduce_doubles_ doubles_ = {is_least_, false, reduce_double_of_(x), x};
    return doubles_;
}

REDUCE_DEVICE_ void reduce_add_doubles_(struct reduce_doubles_ *to_, unsigned long long x,
                                        unsigned long long y) {
    const double a = reduce_double_of_(x), b = reduce_double_of_(y);
    const double compared_ = reduce_compared_(a, b, to_->is_least_);
    to_->chosen_ = reduce_compared_(to_->chosen_, compared_, to_->is_least_);
    to_->signs_ = to_->is_least_ ? to_->signs_ | x | y : to_->signs_ & x & y;
    to_->has_nan_ |= !(a <= b || b <= a);
}

REDUCE_DEVICE_ unsigned long long reduce_bits_of_doubles_(struct reduce_doubles_ of_) {
    const unsigned long long sign_ = 1ull << 63;
    const unsigned long long chosen_ = reduce_bits_(&of_.chosen_, sizeof of_.chosen_);
    return of_.has_nan_ ? sign_ - 1 : of_.chosen_ != 0 ? chosen_ : of_.signs_ & sign_;
}

/* void NAME_compare_load_(struct reduce_doubles_ *to, const struct NAME_loaded_ *x, NAME_input_ in,
   size_t i): adds loaded elements, whose indices begin with i. */
#define REDUCE_COMPARE_LOAD_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_compare_load_(struct reduce_doubles_ *to_, const struct NAME##_loaded_ *x,   \
                                             NAME##_input_ in_, size_t i) {                                 \
        NAME##_result two_[2];                                                                              \
        REDUCE_UNROLL_                                                                                      \
        for (size_t p = 0; p < NAME##_positions_; p += 2) {                                                 \
            two_[0] = two_[1] = NAME##_operand_at_(NAME##_loaded_at_(in_, x), p, i + p);                    \
            if (p + 1 < NAME##_positions_)                                                                  \
                two_[1] = NAME##_operand_at_(NAME##_loaded_at_(in_, x), p + 1, i + p + 1);                  \
            reduce_add_doubles_(to_, reduce_bits_(&two_[0], sizeof two_[0]),                                \
                                reduce_bits_(&two_[1], sizeof two_[1]));                                    \
        }                                                                                                   \
    }

/* Whether an element has at most 2 bytes; whether loads that are all there are added without branches between
   them, which is faster for short elements and extremes of doubles, slower for others. */
#define REDUCE_IS_SHORT_(NAME) (NAME##_size_ <= 2)
#define REDUCE_BY_GROUPS_(NAME) (REDUCE_BY_COMPARISONS_(NAME) || REDUCE_IS_SHORT_(NAME))

/* Adds REDUCE_LOADS_ loads of a strand, the first from element k on, by ADD. The shape of the branches costs
   up to a tenth of a small array's time: each kind of element has the one that measured best. */
#define REDUCE_ADD_EACH_(NAME, ADD, to)                                                                     \
    if (REDUCE_BY_GROUPS_(NAME) && k + (REDUCE_LOADS_ - 1) * NAME##_step_ < chunk_.wide_) {                 \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_LOADS_; s++)                                                        \
            ADD(to, &x[s], chunk_.in_, chunk_.i + k + s * NAME##_step_);                                    \
    } else {                                                                                                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_LOADS_; s++)                                                        \
            if (k + s * NAME##_step_ < chunk_.wide_)                                                        \
                ADD(to, &x[s], chunk_.in_, chunk_.i + k + s * NAME##_step_);                                \
            else if (REDUCE_IS_SHORT_(NAME))                                                                \
                break;                                                                                      \
    }

/* void NAME_compare_loads_(T *value, const struct NAME_loaded_ *x, struct NAME_chunk_ chunk, unsigned k):
   adds loads to a strand's only accumulator, where REDUCE_BY_COMPARISONS_. */
#define REDUCE_COMPARE_LOADS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_compare_loads_(NAME##_result *value_, const struct NAME##_loaded_ *x,        \
                                              struct NAME##_chunk_ chunk_, unsigned k) {                    \
        const NAME##_result identity_ = NAME##_identity();                                                  \
        struct reduce_doubles_ doubles_ = reduce_doubles_(                                                  \
            reduce_bits_(value_, sizeof *value_), reduce_bits_(&identity_, sizeof identity_) >> 63 == 0);   \
        REDUCE_ADD_EACH_(NAME, NAME##_compare_load_, &doubles_)                                             \
        reduce_set_bits_(value_, sizeof *value_, reduce_bits_of_doubles_(doubles_));                        \
    }

/* void NAME_add_wide_(T *values, struct NAME_chunk_ chunk, unsigned k): adds REDUCE_LOADS_ loads of a strand,
   the first from element k on. A load has all of its elements or none. All loads come before the first use,
   so that they are in flight together. */
#define REDUCE_ADD_WIDE_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_wide_(NAME##_result *values_, struct NAME##_chunk_ chunk_, unsigned k) { \
        const NAME##_input_ own_ = NAME##_input_at_(chunk_.in_, k);                                         \
        struct NAME##_loaded_ x[REDUCE_LOADS_];                                                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_LOADS_; s++)                                                        \
            NAME##_load_(&x[s], NAME##_input_at_(own_, s * NAME##_step_),                                   \
                         k + s * NAME##_step_ < chunk_.wide_);                                              \
        if (REDUCE_BY_COMPARISONS_(NAME)) {                                                                 \
            NAME##_compare_loads_(values_, x, chunk_, k);                                                   \
        } else {                                                                                            \
            REDUCE_ADD_EACH_(NAME, NAME##_add_loaded_, values_)                                             \
        }                                                                                                   \
    }

/* void NAME_begin_strand_(struct NAME_strand_ *strand): all its accumulators hold the identity. */
#define REDUCE_BEGIN_STRAND_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_begin_strand_(struct NAME##_strand_ *strand_) {                              \
        REDUCE_UNROLL_                                                                                      \
        for (int p = 0; p < NAME##_accumulators_; p++) strand_->values_[p] = NAME##_identity();             \
    }

/* void NAME_walk_wide_(T *values, struct NAME_chunk_ chunk, at): adds what wide loads take of this thread's
   strand. All threads make the same number of steps. unsigned NAME_own_element_(at): where the strand begins.
   The further loads of a dense warp take the places between its first ones and the next warp's. */
#define REDUCE_WALK_WIDE_(NAME)                                                                             \
    REDUCE_DEVICE_ unsigned NAME##_own_element_(struct reduce_place_ at_) {                                 \
        enum { gap_ = NAME##_is_dense_ ? (REDUCE_LOADS_ - 1) * REDUCE_WARP : 0 };                           \
        return (at_.thread_ + at_.thread_ / REDUCE_WARP * gap_) * NAME##_positions_;                        \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_walk_wide_(NAME##_result *values_, struct NAME##_chunk_ chunk_,              \
                                          struct reduce_place_ at_) {                                       \
        const unsigned own_ = NAME##_own_element_(at_);                                                     \
        unsigned k = chunk_.head_;                                                                          \
        REDUCE_NO_UNROLL_                                                                                   \
        do {                                                                                                \
            NAME##_add_wide_(values_, chunk_, k + own_);                                                    \
            k += REDUCE_LOADS_ * REDUCE_STRIPE_(NAME##_size_);                                              \
        } while (k < chunk_.wide_);                                                                         \
    }

/* Elements that are loaded one by one come from so many stripes at once. */
#define REDUCE_SINGLY_(NAME) (NAME##_positions_ > 4 || sizeof(NAME##_result) > 8 ? 1 : 2)

/* void NAME_add_singly_(T *values, struct NAME_chunk_ chunk, unsigned k, unsigned stripe): adds the elements
   of a strand's positions from element k on, in some stripes. Beyond the end of the chunk its last element is
   loaded and not added, so that no branch stands between loads. */
#define REDUCE_ADD_SINGLY_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_add_singly_(NAME##_result *values_, struct NAME##_chunk_ chunk_, unsigned k, \
                                           unsigned stripe_) {                                              \
        enum { many_ = REDUCE_SINGLY_(NAME) * NAME##_positions_ };                                          \
        NAME##_result x[many_];                                                                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < many_; s++) {                                                              \
            const unsigned own_ = k + s / NAME##_positions_ * stripe_ + s % NAME##_positions_;              \
            const unsigned there_ = REDUCE_MIN_(own_, chunk_.count_ - 1);                                   \
            x[s] = NAME##_operand_at_(chunk_.in_, there_, chunk_.i + there_);                               \
        }                                                                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < many_; s++)                                                                \
            if (k + s / NAME##_positions_ * stripe_ + s % NAME##_positions_ < chunk_.count_)                \
                NAME##_add_(values_, (int)(s % NAME##_positions_), x[s]);                                   \
    }

/* T NAME_walk_singly_(struct NAME_chunk_ chunk, at): reduces this thread's strand without wide loads. */
#define REDUCE_WALK_SINGLY_(NAME)                                                                           \
    REDUCE_DEVICE_ NAME##_result NAME##_walk_singly_(struct NAME##_chunk_ chunk_,                           \
                                                     struct reduce_place_ at_) {                            \
        const unsigned stripe_ = NAME##_positions_ * (NAME##_is_dense_ ? at_.threads_ : REDUCE_STRANDS);    \
        const unsigned step_ = REDUCE_SINGLY_(NAME) * stripe_;                                              \
        struct NAME##_strand_ strand_;                                                                      \
        NAME##_begin_strand_(&strand_);                                                                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = at_.thread_ * NAME##_positions_; k < chunk_.count_; k += step_)                   \
            NAME##_add_singly_(strand_.values_, chunk_, k, stripe_);                                        \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }

/* T NAME_loose_element_(struct NAME_chunk_ chunk, unsigned k): the operand of loose element k. */
#define REDUCE_LOOSE_ELEMENT_(NAME)                                                                         \
    REDUCE_DEVICE_ NAME##_result NAME##_loose_element_(struct NAME##_chunk_ chunk_, unsigned k) {           \
        const unsigned own_ = NAME##_loose_at_(chunk_, k);                                                  \
        return NAME##_operand_at_(chunk_.in_, own_, chunk_.i + own_);                                       \
    }

/* Where a chunk has a head of h elements, words of wide loads lie h elements behind those of the tree. So a
   thread's word has the last V - h positions of its own strand, and then the first h of the next. While it
   walks, an accumulator stands for a place in the words. At the end all of them move h places up, to their
   positions, and the first h of these go to the thread above. The last thread, which is below the first one,
   begins with the head: in the first strand these elements come first.

   void NAME_add_head_(T *values, struct NAME_chunk_ chunk): begins with the head. */
#define REDUCE_ADD_HEAD_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_head_(NAME##_result *values_, struct NAME##_chunk_ chunk_) {             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 1; p < NAME##_positions_; p++) {                                                  \
            const unsigned k = p + chunk_.head_ - NAME##_positions_;                                        \
            if (k < chunk_.head_)                                                                           \
                NAME##_add_(values_, (int)p, NAME##_operand_at_(chunk_.in_, k, chunk_.i + k));              \
        }                                                                                                   \
    }

/* void NAME_move_up_(T *values, unsigned head): moves the accumulators `head` places up, the last ones to the
   front. */
#define REDUCE_MOVE_UP_(NAME)                                                                               \
    REDUCE_DEVICE_ void NAME##_move_up_(NAME##_result *values_, unsigned head_) {                           \
        NAME##_result x[NAME##_accumulators_];                                                              \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned step_ = 1; step_ < NAME##_accumulators_; step_ *= 2) {                                \
            memcpy(x, values_, sizeof x);                                                                   \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned p = 0; p < NAME##_accumulators_; p++)                                             \
                if (head_ & step_) values_[(p + step_) % NAME##_accumulators_] = x[p];                      \
        }                                                                                                   \
    }

/* void NAME_take_from_below_(struct NAME_strand_ *strand, const struct NAME_strand_ *last, unsigned head,
   lane): the first `head` accumulators become those of the lane below; lane 0 finds them in *last. */
#define REDUCE_TAKE_FROM_BELOW_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_take_from_below_(struct NAME##_strand_ *strand_,                             \
                                                const struct NAME##_strand_ *last_, unsigned head_,         \
                                                int lane_) {                                                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p + 1 < NAME##_accumulators_; p++) {                                           \
            NAME##_result x = strand_->values_[p];                                                          \
            reduce_shuffle_(&x, sizeof x, (lane_ - 1) & (REDUCE_WARP - 1), 0);                              \
            if (lane_ == 0) x = last_->values_[p];                                                          \
            if (p < head_) strand_->values_[p] = x;                                                         \
        }                                                                                                   \
    }

/* struct NAME_strand_ NAME_slide_(struct NAME_strand_ strand, unsigned head): moves accumulators to their
   positions. All threads of a block of REDUCE_STRANDS call it, with a barrier between two calls. It is out of
   line because most arrays are aligned. */
#define REDUCE_SLIDE_(NAME)                                                                                 \
    REDUCE_OUT_OF_LINE_ struct NAME##_strand_ NAME##_slide_(struct NAME##_strand_ strand_, unsigned head_) {\
        enum { warps_ = REDUCE_STRANDS / REDUCE_WARP };                                                     \
        __shared__ struct NAME##_strand_ last_[warps_];                                                     \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const unsigned warp_ = at_.thread_ / REDUCE_WARP, below_ = (warp_ + warps_ - 1) % warps_;           \
        NAME##_move_up_(strand_.values_, head_);                                                            \
        if (at_.lane_ == REDUCE_WARP - 1) last_[warp_] = strand_;                                           \
        __syncthreads();                                                                                    \
        NAME##_take_from_below_(&strand_, &last_[below_], head_, at_.lane_);                                \
        return strand_;                                                                                     \
    }

/* void NAME_add_tail_(T *values, T x, struct NAME_chunk_ chunk, at): adds the elements behind the wide loads
   that belong to this thread's strand. Lane k of each warp has element k of them as x. */
#define REDUCE_ADD_TAIL_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_tail_(NAME##_result *values_, NAME##_result x,                           \
                                         struct NAME##_chunk_ chunk_, struct reduce_place_ at_) {           \
        const unsigned tail_ = chunk_.count_ - chunk_.wide_;                                                \
        const unsigned last_ = chunk_.count_ - 1 - NAME##_own_element_(at_);                                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++) {                                                  \
            const unsigned back_ = (last_ - p) % REDUCE_STRIPE_(NAME##_size_);                              \
            NAME##_result own_ = x;                                                                         \
            reduce_shuffle_(&own_, sizeof own_, (int)((tail_ - 1 - back_) % REDUCE_WARP), 0);               \
            if (back_ < tail_) NAME##_add_(values_, (int)p, own_);                                          \
        }                                                                                                   \
    }

/* void NAME_find_wide_(struct NAME_chunk_ *chunk, NAME_input_ in): which elements wide loads take, in a chunk
   of this input. */
#define REDUCE_FIND_WIDE_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_find_wide_(struct NAME##_chunk_ *chunk_, NAME##_input_ in_) {                \
        const unsigned first_ = (unsigned)((uintptr_t)in_.in_ / sizeof *in_.in_);                           \
        const unsigned head_ = NAME##_slides_ ? (0u - first_) % NAME##_positions_ : 0;                      \
        chunk_->head_ = REDUCE_MIN_(head_, chunk_->count_);                                                 \
        chunk_->wide_ = chunk_->count_ - (chunk_->count_ - chunk_->head_) % NAME##_positions_;              \
    }

/* T NAME_walk_words_(struct NAME_chunk_ chunk, at): reduces this thread's strand by wide loads, and what they
   leave. */
#define REDUCE_WALK_WORDS_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_walk_words_(struct NAME##_chunk_ chunk_, struct reduce_place_ at_) {\
        struct NAME##_strand_ strand_;                                                                      \
        NAME##_result x = NAME##_identity();                                                                \
        NAME##_find_wide_(&chunk_, chunk_.in_);                                                             \
        const bool has_head_ = NAME##_slides_ && chunk_.head_ > 0;                                          \
        NAME##_begin_strand_(&strand_);                                                                     \
        if (at_.lane_ < (int)(chunk_.count_ - chunk_.wide_))                                                \
            x = NAME##_loose_element_(chunk_, chunk_.head_ + (unsigned)at_.lane_);                          \
        if (has_head_ && at_.thread_ == REDUCE_STRANDS - 1) NAME##_add_head_(strand_.values_, chunk_);      \
        NAME##_walk_wide_(strand_.values_, chunk_, at_);                                                    \
        if (has_head_) strand_ = NAME##_slide_(strand_, chunk_.head_);                                      \
        NAME##_add_tail_(strand_.values_, x, chunk_, at_);                                                  \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }

/* T NAME_walk_loose_(struct NAME_chunk_ chunk): as NAME_walk_, if NAME_is_apart_(chunk). Elements of short
   chunks are loaded one by one, which is faster (measured). Out of line, because most chunks are whole. */
#define REDUCE_WALK_LOOSE_(NAME)                                                                            \
    REDUCE_OUT_OF_LINE_ NAME##_result NAME##_walk_loose_(struct NAME##_chunk_ chunk_) {                     \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const bool is_wide_ = chunk_.wide_ > 0, can_be_wide_ = is_wide_ || NAME##_slides_;                  \
        const unsigned few_ = is_wide_ ? 2 * NAME##_positions_ : 24; /* elements of a thread */             \
        if (NAME##_is_exact_ || !can_be_wide_ || chunk_.count_ <= few_ * REDUCE_STRANDS)                    \
            return NAME##_walk_singly_(chunk_, at_);                                                        \
        return NAME##_walk_words_(chunk_, at_);                                                             \
    }

/* T NAME_walk_(struct NAME_chunk_ chunk, at): reduces this thread's strand of a chunk. */
#define REDUCE_WALK_(NAME)                                                                                  \
    REDUCE_DEVICE_ NAME##_result NAME##_walk_(struct NAME##_chunk_ chunk_, struct reduce_place_ at_) {      \
        const bool has_loose_ = NAME##_is_exact_ && at_.thread_ < NAME##_loose_(chunk_);                    \
        struct NAME##_strand_ strand_;                                                                      \
        NAME##_result x;                                                                                    \
        REDUCE_ANYTHING_(x);                                                                                \
        if (NAME##_is_apart_(chunk_)) return NAME##_walk_loose_(chunk_);                                    \
        NAME##_begin_strand_(&strand_);                                                                     \
        if (has_loose_) x = NAME##_loose_element_(chunk_, at_.thread_);                                     \
        NAME##_walk_wide_(strand_.values_, chunk_, at_);                                                    \
        if (has_loose_) NAME##_add_(strand_.values_, 0, x);                                                 \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }

/* struct NAME_chunk_ NAME_chunk_at_(NAME_input_ in, size_t i, unsigned count): count elements of an input,
   from element i on. i is a multiple of V. */
#define REDUCE_CHUNK_AT_(NAME)                                                                              \
    REDUCE_DEVICE_ struct NAME##_chunk_ NAME##_chunk_at_(NAME##_input_ in_, size_t i, unsigned count_) {    \
        struct NAME##_chunk_ chunk_;                                                                        \
        chunk_.in_ = NAME##_input_at_(in_, i);                                                              \
        chunk_.i = i;                                                                                       \
        chunk_.count_ = count_;                                                                             \
        chunk_.head_ = chunk_.wide_ = 0;                                                                    \
        if (NAME##_slides_ != 0 && NAME##_is_exact_ != 0)                                                   \
            NAME##_find_wide_(&chunk_, in_);                                                                \
        else if (NAME##_is_aligned_(in_))                                                                   \
            chunk_.wide_ = count_ / NAME##_positions_ * NAME##_positions_;                                  \
        REDUCE_COMPUTE_ONCE_(chunk_.wide_);                                                                 \
        return chunk_;                                                                                      \
    }

/* struct NAME_chunk_ NAME_chunk_of_(NAME_input_ in, at, chunk, missing, first): the chunk of this thread's
   block, if the input begins with chunk `first`. A chunk has `chunk` elements; the last one has `missing`
   fewer. */
#define REDUCE_CHUNK_OF_(NAME)                                                                              \
    REDUCE_DEVICE_ struct NAME##_chunk_ NAME##_chunk_of_(NAME##_input_ in_, struct reduce_place_ at_,       \
                                                         unsigned chunk_, unsigned missing_,                \
                                                         unsigned first_) {                                 \
        const unsigned count_ = at_.block_ == at_.blocks_ - 1 ? chunk_ - missing_ : chunk_;                 \
        struct NAME##_chunk_ own_ = NAME##_chunk_at_(in_, (size_t)at_.block_ * chunk_, count_);             \
        own_.i += (size_t)first_ * chunk_;                                                                  \
        return own_;                                                                                        \
    }

/* The least number of resident blocks on an SM, for __launch_bounds__. It is given where nvcc would otherwise
   take a few registers too many: three blocks for numbers of 8 bytes, two for results of more than 8 bytes
   and up to 32, or up to 40 with 2 or 4 positions. */
#define REDUCE_THREE_FIT_(NAME)                                                                             \
    (REDUCE_ARCH_ >= 800 && NAME##_is_built_in_ && NAME##_size_ == 8 && sizeof(NAME##_result) == 8 &&       \
     sizeof(struct NAME##_loaded_) == 16)
#define REDUCE_TWO_FIT_(NAME, T) (sizeof(T) > 8 && sizeof(T) <= (NAME##_positions_ & 6 ? 40 : 32))
#define REDUCE_BLOCKS_(NAME) (REDUCE_THREE_FIT_(NAME) ? 3 : REDUCE_TWO_FIT_(NAME, NAME##_result) ? 2 : 1)

/* The one kernel: block b walks chunk b. The last chunk has missing_ fewer elements than chunk_. */
#define REDUCE_KERNEL_(NAME)                                                                                \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, REDUCE_BLOCKS_(NAME))                             \
        NAME##_kernel_(NAME##_input_ in_, unsigned chunk_, unsigned missing_,                               \
                       struct reduce_meeting_ meeting_, reduce_workspace *ws_, NAME##_result *out_) {       \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const struct NAME##_chunk_ own_ = NAME##_chunk_of_(in_, at_, chunk_, missing_, meeting_.first_);    \
        NAME##_finish_along_x_(NAME##_walk_(own_, at_), at_, meeting_, ws_, out_);                          \
    }

/* ---- From the host ------------------------------------------------------------------------------------- */

REDUCE_HOST_ cudaError_t reduce_workspace_destroy(reduce_workspace *ws_) { return cudaFree(ws_); }

REDUCE_FRAME_ cudaError_t reduce_workspace_create(reduce_workspace **ws_) {
    reduce_workspace *memory_ = NULL;
    if (ws_ == NULL) return cudaErrorInvalidValue;
    cudaError_t status_ = cudaMalloc((void **)&memory_, sizeof *memory_);
    if (status_ == cudaSuccess) status_ = cudaMemset(memory_, 0, sizeof *memory_);
    if (status_ == cudaSuccess) status_ = cudaStreamSynchronize(0); /* other streams do not wait for it */
    if (status_ != cudaSuccess) return cudaFree(memory_), status_;
    *ws_ = memory_;
    return status_;
}

/* Makes a workspace ready again, in stream order, after a kernel that did not end as it should. */
REDUCE_HOST_ cudaError_t reduce_workspace_reset(reduce_workspace *ws_, cudaStream_t stream_) {
    return ws_ == NULL ? cudaErrorInvalidValue : cudaMemsetAsync(ws_, 0, sizeof *ws_, stream_);
}

/* Where an array lies. It is all zero until CUDA has been asked. Kernels read managed and device memory in
   place. The CPU does not read these, except where NAME_mpi has a managed array and one in main memory. */
enum reduce_memory_ {
    REDUCE_PAGEABLE_, /* CUDA does not know it */
    REDUCE_UNMAPPED_, /* pinned, but not mapped for the current device */
    REDUCE_PINNED_,
    REDUCE_MANAGED_,
    REDUCE_ON_DEVICE_
};
struct reduce_where_ {
    bool is_known_;
    enum reduce_memory_ memory_;
    int device_;      /* of memory on a device */
    ptrdiff_t shift_; /* from an address of pinned memory to the current device's address of it */
};

/* An array or a result, as far as the rules under ERRORS are concerned, and where it lies. */
struct reduce_range_ {
    uintptr_t address_;
    size_t count_;     /* elements */
    size_t size_;      /* bytes of an element */
    size_t alignment_; /* of an element's type */
    struct reduce_where_ where_;
};

/* The address is a number, because gcc warns of a pointer to a constant of which nothing is written yet. */
REDUCE_FRAME_ struct reduce_range_ reduce_range_(uintptr_t address_, size_t count_, size_t size_,
                                                 size_t alignment_) {
    struct reduce_range_ range_;
    range_.address_ = address_;
    range_.count_ = count_;
    range_.size_ = size_;
    range_.alignment_ = alignment_;
    memset(&range_.where_, 0, sizeof range_.where_);
    return range_;
}

#define REDUCE_RANGE_(address, count, T)                                                                    \
    reduce_range_((uintptr_t)(address), count, sizeof(T), REDUCE_ALIGNMENT_(T))

REDUCE_FRAME_ cudaError_t reduce_check_range_(struct reduce_range_ range_) {
    if (range_.address_ == 0 && range_.count_ > 0) return cudaErrorInvalidValue;
    if (range_.count_ > (UINTPTR_MAX - range_.address_) / range_.size_) return cudaErrorInvalidValue;
    if (range_.count_ > REDUCE_MAX_ELEMENTS) return cudaErrorInvalidValue;
    if (range_.address_ % range_.alignment_ != 0) return cudaErrorMisalignedAddress;
    return cudaSuccess;
}

REDUCE_FRAME_ cudaError_t reduce_check_(struct reduce_range_ in_, struct reduce_range_ out_) {
    cudaError_t status_ = reduce_check_range_(in_);
    if (status_ == cudaSuccess) status_ = reduce_check_range_(out_);
    if (status_ != cudaSuccess) return status_;
    const bool is_apart_ = out_.address_ + out_.count_ * out_.size_ <= in_.address_ ||
                           in_.address_ + in_.count_ * in_.size_ <= out_.address_;
    return is_apart_ ? cudaSuccess : cudaErrorInvalidValue;
}

/* The first error of two steps that both were taken. */
REDUCE_FRAME_ cudaError_t reduce_first_error_(cudaError_t first_, cudaError_t second_) {
    return first_ != cudaSuccess ? first_ : second_;
}

/* The threads of a block: all strands, or if there is one chunk, the strands that have elements. */
REDUCE_FRAME_ unsigned reduce_block_size_(size_t n, size_t element_size_, bool is_dense_) {
    const size_t loads_ = is_dense_ ? REDUCE_LOADS_ : 1;
    const size_t warp_ = (size_t)REDUCE_POSITIONS(element_size_) * REDUCE_WARP * loads_;
    const size_t warps_ = n > 0 ? reduce_divide_up_(n, warp_) : 1;
    return (unsigned)(REDUCE_MIN_(warps_, REDUCE_STRANDS / REDUCE_WARP) * REDUCE_WARP);
}

/* cudaError_t NAME_check_(NAME_input_ in, size_t n, struct reduce_range_ out): checks what ERRORS says. */
#define REDUCE_CHECK_(NAME, KIND)                                                                           \
    REDUCE_FRAME_ cudaError_t NAME##_check_(NAME##_input_ in_, size_t n, struct reduce_range_ out_) {       \
        const struct reduce_range_ arrays_[] = REDUCE_RANGES_##KIND(NAME, in_, n);                          \
        cudaError_t status_ = cudaSuccess;                                                                  \
        for (size_t k = 0; k < REDUCE_COUNT_(arrays_) && status_ == cudaSuccess; k++)                       \
            status_ = reduce_check_(arrays_[k], out_);                                                      \
        return status_;                                                                                     \
    }

/* A launch: how many blocks and threads, and the kernel's arguments that have no type of the user's. */
struct reduce_launch_ {
    unsigned blocks_;
    unsigned threads_; /* of a block */
    unsigned chunk_;   /* elements of a chunk */
    unsigned missing_; /* elements that the last chunk has fewer */
    struct reduce_meeting_ meeting_;
};

/* The launch that reduces n elements. If n is 0, one block without elements gives the identity. */
REDUCE_FRAME_ struct reduce_launch_ reduce_launch_(size_t n, size_t element_size_, bool is_dense_,
                                                   enum reduce_way_ way_) {
    const struct reduce_cut_ cut_ = reduce_cut_called_(n, element_size_);
    const unsigned count_ = n > 0 ? (unsigned)cut_.count_ : 1;
    struct reduce_launch_ launch_;
    launch_.blocks_ = count_;
    launch_.threads_ = reduce_block_size_(n, element_size_, is_dense_);
    launch_.chunk_ = (unsigned)cut_.chunk_;
    launch_.missing_ = (unsigned)(count_ * cut_.chunk_ - n);
    launch_.meeting_ = reduce_meeting_(way_, count_);
    if (way_ != REDUCE_FROM_SLOTS_) return launch_;
    launch_.blocks_ = 1;
    launch_.chunk_ = launch_.missing_ = 0;
    return launch_;
}

/* cudaError_t NAME_kernel_start_(...): launches NAME_kernel_. input points to a NAME_input_, out to a T. */
#define REDUCE_START_(NAME, start, kernel)                                                                  \
    REDUCE_FRAME_ cudaError_t start(const void *input_, struct reduce_launch_ launch_, void *out_,          \
                                    reduce_workspace *ws_, cudaStream_t stream_) {                          \
        const dim3 blocks_(launch_.blocks_), threads_(launch_.threads_);                                    \
        NAME##_input_ in_ = *(const NAME##_input_ *)input_;                                                 \
        NAME##_result *result_ = (NAME##_result *)out_;                                                     \
        void *arguments_[] = {&in_, &launch_.chunk_, &launch_.missing_, &launch_.meeting_, &ws_, &result_}; \
        return REDUCE_CUDA_LAUNCH_(kernel, blocks_, threads_, arguments_, 0, stream_);                      \
    }

/* cudaError_t NAME_launch_(...): checks and launches. */
#define REDUCE_LAUNCH_(NAME, launch, kernel)                                                                \
    REDUCE_START_(NAME, NAME##_##kernel##_start_, NAME##_##kernel##_) REDUCE_LINE_                          \
    REDUCE_FRAME_ cudaError_t NAME##_##launch##_(NAME##_input_ in_, size_t n, NAME##_result *out_,          \
                                                 reduce_workspace *ws_, enum reduce_way_ way_,              \
                                                 cudaStream_t stream_) {                                    \
        const struct reduce_launch_ launch_ = reduce_launch_(n, NAME##_size_, NAME##_is_dense_, way_);      \
        const cudaError_t status_ = NAME##_check_(in_, n, REDUCE_RANGE_(out_, 1, NAME##_result));           \
        if (ws_ == NULL || status_ != cudaSuccess) return ws_ == NULL ? cudaErrorInvalidValue : status_;    \
        return NAME##_##kernel##_start_(&in_, launch_, out_, ws_, stream_);                                 \
    }

/* cudaError_t NAME_strategy(...): NAME_async, or what does the same by another way. */
#define REDUCE_STRATEGY_(NAME, KIND, strategy, launch, way)                                                 \
    REDUCE_HOST_ cudaError_t NAME##_##strategy(REDUCE_GIVEN_(NAME, KIND), NAME##_result *out_,              \
                                               reduce_workspace *ws_, cudaStream_t stream_) {               \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        return NAME##_##launch##_(input_, n, out_, ws_, way, stream_);                                      \
    }

/* What the simple call holds on the device. If all of it is zero, the call holds nothing. */
struct reduce_simple_ {
    bool is_away_; /* the current device is not the caller's, because an array is on another one */
    int home_;     /* the caller's device */
    void *memory_; /* one allocation for the workspace, the result, and copies of arrays */
    reduce_workspace *ws_;
    void *out_;
};

/* a, rounded up to a multiple of b. */
REDUCE_HOST_ size_t reduce_round_up_(size_t a, size_t b) { return reduce_divide_up_(a, b) * b; }

enum { REDUCE_SIMPLE_OUT_ = sizeof(reduce_workspace), REDUCE_SIMPLE_IN_ = REDUCE_SIMPLE_OUT_ + 256 };

/* Whether there are a GPU and a driver. It is no error if they are missing, and the query's own error is then
   cleared. After any other error, which goes to *status, arrays may lie on a GPU: the CPU must not read
   them. */
REDUCE_FRAME_ bool reduce_has_gpu_(cudaError_t *status_) {
    int devices_ = 0;
    const bool had_error_ = cudaPeekAtLastError() != cudaSuccess;
    const cudaError_t counted_ = cudaGetDeviceCount(&devices_);
    const bool are_missing_ = counted_ == cudaErrorNoDevice || counted_ == cudaErrorInsufficientDriver ||
                              counted_ == cudaErrorStubLibrary;
    if (are_missing_ && !had_error_) (void)cudaGetLastError();
    *status_ = are_missing_ ? cudaSuccess : counted_;
    return counted_ == cudaSuccess && devices_ > 0;
}

/* Asks CUDA where an array lies, unless that is known. Users may have macros with the names of CUDA's
   members. */
#pragma push_macro("type")
#pragma push_macro("device")
#pragma push_macro("devicePointer")
#undef type
#undef device
#undef devicePointer
REDUCE_FRAME_ cudaError_t reduce_find_(struct reduce_range_ *array_) {
    struct reduce_where_ *const where_ = &array_->where_;
    struct cudaPointerAttributes found_;
    if (where_->is_known_) return cudaSuccess;
    memset(&found_, 0, sizeof found_);
    const cudaError_t status_ = cudaPointerGetAttributes(&found_, (const void *)array_->address_);
    if (found_.type == cudaMemoryTypeDevice) where_->memory_ = REDUCE_ON_DEVICE_;
    if (found_.type == cudaMemoryTypeManaged) where_->memory_ = REDUCE_MANAGED_;
    if (found_.type == cudaMemoryTypeHost)
        where_->memory_ = found_.devicePointer != NULL ? REDUCE_PINNED_ : REDUCE_UNMAPPED_;
    where_->device_ = found_.device;
    where_->shift_ = (ptrdiff_t)((uintptr_t)found_.devicePointer - array_->address_);
    where_->is_known_ = status_ == cudaSuccess;
    return status_;
}
#pragma pop_macro("type")
#pragma pop_macro("device")
#pragma pop_macro("devicePointer")

/* Finds where an array's last byte lies: arrays may be registered in part. */
REDUCE_FRAME_ cudaError_t reduce_find_end_(const struct reduce_range_ *array_, struct reduce_where_ *where_) {
    const char *const last_ = (const char *)array_->address_ + array_->count_ * array_->size_ - 1;
    struct reduce_range_ end_ = reduce_range_((uintptr_t)last_, 1, 1, 1);
    const cudaError_t status_ = reduce_find_(&end_);
    *where_ = end_.where_;
    return status_;
}

/* Whether kernels, or copies that go on after their call has returned, may write what the CPU reads of arrays
   that were found. They cannot write ordinary memory, unless the device has access to it. A context may point
   anywhere. */
REDUCE_FRAME_ cudaError_t reduce_find_writers_(const struct reduce_range_ *arrays_, size_t count_,
                                               bool has_context_, bool *are_there_) {
    int device_ = 0, has_access_ = 0;
    cudaError_t status_ = cudaSuccess;
    *are_there_ = has_context_;
    for (size_t k = 0; k < count_; k++)
        if (arrays_[k].where_.memory_ != REDUCE_PAGEABLE_) *are_there_ = true;
    if (*are_there_) return cudaSuccess;
    status_ = cudaGetDevice(&device_);
    if (status_ == cudaSuccess)
        status_ = cudaDeviceGetAttribute(&has_access_, cudaDevAttrPageableMemoryAccess, device_);
    *are_there_ = has_access_ != 0;
    for (size_t k = 0; k < count_ && !*are_there_ && status_ == cudaSuccess; k++) {
        struct reduce_where_ end_;
        status_ = reduce_find_end_(&arrays_[k], &end_);
        *are_there_ = end_.memory_ != REDUCE_PAGEABLE_;
    }
    return status_;
}

/* Finds where arrays lie, and makes their device the current one. An array that a kernel reaches needs no
   copy: its count becomes 0. */
REDUCE_FRAME_ cudaError_t reduce_simple_find_(struct reduce_simple_ *simple_, struct reduce_range_ *arrays_,
                                              size_t count_) {
    int device_ = -1; /* none yet */
    cudaError_t status_ = cudaGetDevice(&simple_->home_);
    for (size_t k = 0; k < count_ && status_ == cudaSuccess; k++) {
        const struct reduce_where_ *const where_ = &arrays_[k].where_;
        if (arrays_[k].count_ == 0) continue;
        status_ = reduce_find_(&arrays_[k]);
        if (where_->memory_ >= REDUCE_MANAGED_) arrays_[k].count_ = 0;
        if (where_->memory_ != REDUCE_ON_DEVICE_) continue;
        if (device_ >= 0 && where_->device_ != device_) return cudaErrorInvalidValue;
        device_ = where_->device_;
    }
    simple_->is_away_ = status_ == cudaSuccess && device_ >= 0 && device_ != simple_->home_;
    return simple_->is_away_ ? cudaSetDevice(device_) : status_;
}

/* Allocates, and copies the arrays that a kernel does not reach. The input begins with pointers to the
   arrays, at most two; they then point to the copies. One block by itself needs no clear workspace. */
REDUCE_FRAME_ cudaError_t reduce_simple_begin_(struct reduce_simple_ *simple_, void *input_,
                                               struct reduce_range_ *arrays_, size_t count_, bool clears_) {
    size_t size_ = REDUCE_SIMPLE_IN_, at_[2];
    cudaError_t status_ = reduce_simple_find_(simple_, arrays_, count_);
    for (size_t k = 0; k < count_; k++) {
        at_[k] = size_;
        size_ += reduce_round_up_(arrays_[k].count_ * arrays_[k].size_, 256);
    }
    if (status_ == cudaSuccess) status_ = cudaMalloc(&simple_->memory_, size_);
    if (status_ != cudaSuccess) return status_;
    simple_->ws_ = (reduce_workspace *)simple_->memory_;
    simple_->out_ = (char *)simple_->memory_ + REDUCE_SIMPLE_OUT_;
    for (size_t k = 0; k < count_ && status_ == cudaSuccess; k++) {
        const size_t bytes_ = arrays_[k].count_ * arrays_[k].size_;
        void *const to_ = (char *)simple_->memory_ + at_[k];
        if (bytes_ == 0) continue;
        memcpy((char *)input_ + k * sizeof to_, &to_, sizeof to_);
        status_ = cudaMemcpyAsync(to_, (const void *)arrays_[k].address_, bytes_, cudaMemcpyHostToDevice, 0);
    }
    if (status_ != cudaSuccess || !clears_) return status_;
    return cudaMemsetAsync(simple_->ws_, 0, sizeof *simple_->ws_, 0);
}

/* Releases everything, and makes the caller's device the current one. Returns the first error, status
   included. */
REDUCE_FRAME_ cudaError_t reduce_simple_release_(struct reduce_simple_ *simple_, cudaError_t status_) {
    const cudaError_t freed_ = simple_->memory_ != NULL ? cudaFree(simple_->memory_) : cudaSuccess;
    const cudaError_t returned_ = simple_->is_away_ ? cudaSetDevice(simple_->home_) : cudaSuccess;
    return reduce_first_error_(status_, reduce_first_error_(freed_, returned_));
}

/* Gives the caller a result, wherever it is to lie. CUDA writes to managed memory: on some devices the CPU
   must not touch that while a kernel runs. */
REDUCE_FRAME_ cudaError_t reduce_deliver_(const struct reduce_range_ *to_, const void *from_) {
    if (to_->where_.memory_ < REDUCE_MANAGED_)
        return memcpy((void *)to_->address_, from_, to_->size_), cudaSuccess;
    const cudaError_t status_ = cudaMemcpy((void *)to_->address_, from_, to_->size_, cudaMemcpyHostToDevice);
    return status_ != cudaSuccess ? status_ : cudaStreamSynchronize(0);
}

/* Fetches the result if there was no error so far, and releases everything in any case. Returns the first
   error; the caller's result, which may be on the device, is then unchanged. */
REDUCE_FRAME_ cudaError_t reduce_simple_end_(struct reduce_simple_ *simple_, cudaError_t status_,
                                             void *result_, size_t size_) {
    struct reduce_range_ to_ = reduce_range_((uintptr_t)result_, 1, size_, 1);
    unsigned char fetched_[REDUCE_MAX_SIZE];
    if (status_ == cudaSuccess) status_ = reduce_find_(&to_);
    if (status_ == cudaSuccess) status_ = cudaMemcpy(fetched_, simple_->out_, size_, cudaMemcpyDeviceToHost);
    status_ = reduce_simple_release_(simple_, status_);
    return status_ != cudaSuccess ? status_ : reduce_deliver_(&to_, fetched_);
}

/* cudaError_t NAME(const In *in, size_t n, T *result): the simple call. IS_SHARED(...) is true if the CPU
   took part and has finished the work, or after an error. Without a GPU it is true always. meets: whether
   there are several blocks, which meet in the workspace. */
#define REDUCE_IS_NOT_SHARED_(NAME, input, arrays, n, result, status)                                       \
    (!reduce_has_gpu_(status) &&                                                                            \
     (*(status) != cudaSuccess || (*(result) = NAME##_cpu_of_(input, n), true)))
#define REDUCE_CALL_(NAME, KIND, IS_SHARED, meets)                                                          \
    REDUCE_FRAME_ cudaError_t NAME(REDUCE_GIVEN_(NAME, KIND), NAME##_result *result_) {                     \
        NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                         \
        struct reduce_range_ arrays_[] = REDUCE_RANGES_##KIND(NAME, input_, n);                             \
        struct reduce_simple_ simple_;                                                                      \
        cudaError_t status_ = NAME##_check_(input_, n, REDUCE_RANGE_(result_, 1, NAME##_result));           \
        if (status_ != cudaSuccess) return status_;                                                         \
        if (IS_SHARED(NAME, input_, arrays_, n, result_, &status_)) return status_;                         \
        const enum reduce_way_ way_ = reduce_default_way_(REDUCE_MAX_CHUNKS);                               \
        const bool clears_ = way_ != REDUCE_BY_SLOTS_ || (meets);                                           \
        memset(&simple_, 0, sizeof simple_);                                                                \
        status_ = reduce_simple_begin_(&simple_, &input_, arrays_, REDUCE_COUNT_(arrays_), clears_);        \
        if (status_ == cudaSuccess)                                                                         \
            status_ = NAME##_launch_(input_, n, (NAME##_result *)simple_.out_, simple_.ws_, way_, 0);       \
        return reduce_simple_end_(&simple_, status_, result_, sizeof(NAME##_result));                       \
    }

#endif /* __CUDACC__ */

/* ---- What users write ---------------------------------------------------------------------------------- */

/* Calls four macros with NAME and ends the line after each: see REDUCE_LINE_. */
#define REDUCE_EACH_(NAME, first, second, third, fourth)                                                    \
    first(NAME) REDUCE_LINE_ second(NAME) REDUCE_LINE_ third(NAME) REDUCE_LINE_ fourth(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_CPU_(NAME, KIND)                                                                    \
    REDUCE_CPU_OPERAND_AT_(NAME, KIND) REDUCE_LINE_ REDUCE_CPU_STRIPE_(NAME, onto, x[k]) REDUCE_LINE_       \
    REDUCE_CPU_STRIPE_(NAME, begin, NAME##_identity()) REDUCE_LINE_                                         \
    REDUCE_CPU_MAP_(NAME, map, REDUCE_CPU_MAPPED_) REDUCE_LINE_                                             \
    REDUCE_CPU_MAP_(NAME, map_onto, REDUCE_CPU_MAPPED_ONTO_) REDUCE_LINE_                                   \
    REDUCE_CPU_BEGIN_TWO_(NAME) REDUCE_LINE_                                                                \
    REDUCE_CPU_HALVE_(NAME) REDUCE_LINE_ REDUCE_CPU_FOLD_(NAME) REDUCE_LINE_                                \
    REDUCE_ON_CPU_(NAME, KIND) REDUCE_LINE_ REDUCE_CPU_(NAME, KIND)

#ifdef __CUDACC__

#define REDUCE_GENERATE_WARP_(NAME, KIND)                                                                   \
    REDUCE_COMBINE_WORDS_(NAME) REDUCE_LINE_                                                                \
    REDUCE_COMBINE_OPERAND_(NAME) REDUCE_LINE_ REDUCE_COMBINE_NEXT_##KIND(NAME) REDUCE_LINE_                \
    REDUCE_CODE_(NAME) REDUCE_LINE_ REDUCE_FOLD_AT_ONCE_##KIND(NAME) REDUCE_LINE_                           \
    REDUCE_EACH_(NAME, REDUCE_STEPS_, REDUCE_FOLD_, REDUCE_TILE_, REDUCE_WARP_AND_WARP_N_)

#define REDUCE_GENERATE_BLOCK_(NAME)                                                                        \
    REDUCE_EACH_(NAME, REDUCE_FOLD_HERE_, REDUCE_ACROSS_WARPS_, REDUCE_CODES_, REDUCE_PER_WARP_)            \
    REDUCE_EACH_(NAME, REDUCE_FOLD_WARP_, REDUCE_FOLD_FEW_WARPS_, REDUCE_FOLD_MANY_WARPS_,                  \
                 REDUCE_FOLD_ANY_WARPS_)                                                                    \
    REDUCE_EACH_(NAME, REDUCE_FOLD_BY_WAY_, REDUCE_FOLD_BLOCK_, REDUCE_FIRST_OF_BLOCK_, REDUCE_BLOCK_)

#define REDUCE_GENERATE_GRID_(NAME)                                                                         \
    REDUCE_EACH_(NAME, REDUCE_PUBLISH_, REDUCE_LOOK_, REDUCE_RECEIVE_TWO_, REDUCE_RECEIVE_MANY_)            \
    REDUCE_EACH_(NAME, REDUCE_RECEIVE_MANY_OUT_OF_LINE_, REDUCE_RECEIVE_, REDUCE_COLLECT_, REDUCE_HAND_IN_) \
    REDUCE_FINISH_(NAME, finish_along_x, first_of_block) REDUCE_LINE_                                       \
    REDUCE_FINISH_(NAME, finish, first_of_any) REDUCE_LINE_ REDUCE_GRID_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_KERNEL_(NAME, KIND)                                                                 \
    REDUCE_OPERAND_AT_(NAME, KIND) REDUCE_LINE_ REDUCE_LAYOUT_(NAME) REDUCE_LINE_ REDUCE_WIDE_##KIND(NAME)  \
    REDUCE_CHUNK_(NAME) REDUCE_LINE_ REDUCE_ADD_(NAME) REDUCE_LINE_ REDUCE_ADD_SOME_(NAME) REDUCE_LINE_     \
    REDUCE_ADD_LOADED_##KIND(NAME) REDUCE_LINE_                                                             \
    REDUCE_COMPARE_LOAD_(NAME) REDUCE_LINE_ REDUCE_COMPARE_LOADS_(NAME) REDUCE_LINE_                        \
    REDUCE_EACH_(NAME, REDUCE_ADD_WIDE_, REDUCE_BEGIN_STRAND_, REDUCE_WALK_WIDE_, REDUCE_ADD_SINGLY_)       \
    REDUCE_EACH_(NAME, REDUCE_WALK_SINGLY_, REDUCE_LOOSE_ELEMENT_, REDUCE_ADD_HEAD_, REDUCE_MOVE_UP_)       \
    REDUCE_EACH_(NAME, REDUCE_TAKE_FROM_BELOW_, REDUCE_SLIDE_, REDUCE_ADD_TAIL_, REDUCE_FIND_WIDE_)         \
    REDUCE_EACH_(NAME, REDUCE_WALK_WORDS_, REDUCE_WALK_LOOSE_, REDUCE_WALK_, REDUCE_CHUNK_AT_)              \
    REDUCE_CHUNK_OF_(NAME) REDUCE_LINE_ REDUCE_KERNEL_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_CALLS_(NAME, KIND)                                                                  \
    REDUCE_CHECK_(NAME, KIND) REDUCE_LINE_ REDUCE_LAUNCH_(NAME, launch, kernel) REDUCE_LINE_                \
    REDUCE_STRATEGY_(NAME, KIND, last_block, launch, REDUCE_BY_LAST_BLOCK_) REDUCE_LINE_                    \
    REDUCE_STRATEGY_(NAME, KIND, async, launch, reduce_default_way_(REDUCE_MAX_CHUNKS)) REDUCE_LINE_        \
    REDUCE_SHARED_CALL_(NAME) REDUCE_LINE_                                                                  \
    REDUCE_CALL_(NAME, KIND, REDUCE_IS_SHARED_, reduce_cut_called_(n, NAME##_size_).count_ > 1)             \
    REDUCE_LINE_                                                                                            \
    REDUCE_TEACHING_(NAME, KIND)

#define REDUCE_GENERATE_GPU_(NAME, KIND)                                                                    \
    REDUCE_GENERATE_WARP_(NAME, KIND) REDUCE_GENERATE_BLOCK_(NAME) REDUCE_GENERATE_GRID_(NAME)              \
    REDUCE_GENERATE_KERNEL_(NAME, KIND) REDUCE_GENERATE_CALLS_(NAME, KIND)
#else
#define REDUCE_GENERATE_GPU_(NAME, KIND)
#endif

#define REDUCE_GENERATE_(NAME, KIND)                                                                        \
    REDUCE_DECLARE_KIND_(NAME, KIND) REDUCE_LINE_                                                           \
    REDUCE_GENERATE_CPU_(NAME, KIND) REDUCE_GENERATE_GPU_(NAME, KIND)

/* Gives the macro `define`, or REDUCE_NOTHING_ if the macro REDUCE_HAVE_NAME says that NAME is defined. */
#define REDUCE_UNLESS_(mark, define) REDUCE_UNLESS_MARKED_(mark, define)
#define REDUCE_UNLESS_MARKED_(mark, define) REDUCE_SECOND_(REDUCE_MARKED_##mark, define, )
#define REDUCE_MARKED_ , REDUCE_NOTHING_
#define REDUCE_MARKED_1 , REDUCE_NOTHING_
#define REDUCE_SECOND_(...) REDUCE_SECOND_OF_(__VA_ARGS__)
#define REDUCE_SECOND_OF_(first, second, ...) second
#define REDUCE_NOTHING_(...)

/* Adds functions to a NAME by ADD(NAME, KIND), unless REDUCE_HAVE_NAME_added is defined: it has them. */
#define REDUCE_ADD_TO_(NAME, KIND, added, ADDED, ADD)                                                       \
    REDUCE_CHECK_ADDED_(NAME, KIND, ADDED) REDUCE_LINE_                                                     \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME##_##added, ADD)(NAME, KIND)

#define REDUCE_DEFINE_(NAME, In, T, IS_MAPPED, EXPR_OF_X, map, OPERATOR, IDENTITY, ...)                     \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_ REDUCE_TYPE_(NAME, element, In) REDUCE_LINE_                      \
    REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_ REDUCE_OPERATOR_(NAME, IDENTITY, __VA_ARGS__) REDUCE_LINE_   \
    REDUCE_ARRAY_(NAME) REDUCE_LINE_ REDUCE_FINAL_(NAME) REDUCE_LINE_                                       \
    REDUCE_MAP_(NAME, IS_MAPPED, EXPR_OF_X, NAME##_element x REDUCE_UNUSED_) REDUCE_LINE_                   \
    REDUCE_TRAITS_(NAME, map, OPERATOR) REDUCE_LINE_ REDUCE_GENERATE_(NAME, ARRAY_)

#define DEFINE_REDUCE(T, op)                                                                                \
    REDUCE_CHECK_PLACE_("reduce_" #T "_" #op) REDUCE_LINE_ REDUCE_CHECK_WORD_(#T) REDUCE_LINE_              \
    REDUCE_CHECK_OPERATOR_("reduce_" #T "_" #op, #op, T, REDUCE_EXPANDED_(REDUCE_IDENTITY_##op(T)),         \
                           REDUCE_EXPANDED_(REDUCE_COMBINE_##op(T, a, b))) REDUCE_LINE_                     \
    REDUCE_UNLESS_(REDUCE_HAVE_reduce_##T##_##op, REDUCE_DEFINE_)                                           \
    (reduce_##T##_##op, T, T, 0, x, "x", REDUCE_OPERATOR_NAMED_(#op), REDUCE_IDENTITY_##op(T),              \
     REDUCE_COMBINE_##op(T, a, b))

#define DEFINE_REDUCE_AS(NAME, T, IDENTITY, ...)                                                            \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                                 \
    REDUCE_CHECK_OPERATOR_IS_GIVEN_(#NAME, #IDENTITY, #__VA_ARGS__) REDUCE_LINE_                            \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_)                                                      \
    (NAME, T, T, 0, x, "x", REDUCE_OPERATOR_OF_(#IDENTITY ", " #__VA_ARGS__, #T), IDENTITY, __VA_ARGS__)

#define DEFINE_REDUCE_MAP(NAME, In, T, EXPR_OF_X, IDENTITY, ...)                                            \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                                 \
    REDUCE_CHECK_OPERATOR_IS_GIVEN_(#NAME, #IDENTITY, #__VA_ARGS__) REDUCE_LINE_                            \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_)                                                      \
    (NAME, In, T, 1, EXPR_OF_X, #EXPR_OF_X, REDUCE_OPERATOR_OF_(#IDENTITY ", " #__VA_ARGS__, #T), IDENTITY, \
     __VA_ARGS__)

/* A macro of a companion header says which header, until that one is included and defines it. */
#define REDUCE_ELSEWHERE_(header) REDUCE_ASSERT_(0, "include " header ", which defines this macro")
#define DEFINE_REDUCE_ZIP(...) REDUCE_ELSEWHERE_("reduce_inputs.cuh")
#define DEFINE_REDUCE_WITH(...) REDUCE_ELSEWHERE_("reduce_inputs.cuh")
#define DEFINE_REDUCE_ZIP_WITH(...) REDUCE_ELSEWHERE_("reduce_inputs.cuh")
#define DEFINE_REDUCE_ARG(...) REDUCE_ELSEWHERE_("reduce_results.cuh")
#define DEFINE_REDUCE_PAIR(...) REDUCE_ELSEWHERE_("reduce_results.cuh")
#define DEFINE_REDUCE_MOMENTS(...) REDUCE_ELSEWHERE_("reduce_results.cuh")
#define DEFINE_REDUCE_ROWS(...) REDUCE_ELSEWHERE_("reduce_rows.cuh")
#define DEFINE_REDUCE_ZIP_ROWS(...) REDUCE_ELSEWHERE_("reduce_rows.cuh")
#define DEFINE_REDUCE_WITH_ROWS(...) REDUCE_ELSEWHERE_("reduce_rows.cuh")
#define DEFINE_REDUCE_ZIP_WITH_ROWS(...) REDUCE_ELSEWHERE_("reduce_rows.cuh")
#define DEFINE_REDUCE_EXACT(...) REDUCE_ELSEWHERE_("reduce_exact.cuh")
#define DEFINE_REDUCE_EXACT_MAP(...) REDUCE_ELSEWHERE_("reduce_exact.cuh")
#define DEFINE_REDUCE_EXACT_ZIP(...) REDUCE_ELSEWHERE_("reduce_exact.cuh")
#define DEFINE_REDUCE_BLOCK(...) REDUCE_ELSEWHERE_("reduce_block.cuh")
#define DEFINE_REDUCE_ASYNC_N(...) REDUCE_ELSEWHERE_("reduce_async_n.cuh")
#define DEFINE_REDUCE_ZIP_ASYNC_N(...) REDUCE_ELSEWHERE_("reduce_async_n.cuh")
#define DEFINE_REDUCE_WITH_ASYNC_N(...) REDUCE_ELSEWHERE_("reduce_async_n.cuh")
#define DEFINE_REDUCE_ZIP_WITH_ASYNC_N(...) REDUCE_ELSEWHERE_("reduce_async_n.cuh")
#define DEFINE_REDUCE_PARTS(...) REDUCE_ELSEWHERE_("reduce_parts.h")
#define DEFINE_REDUCE_ZIP_PARTS(...) REDUCE_ELSEWHERE_("reduce_parts.h")
#define DEFINE_REDUCE_WITH_PARTS(...) REDUCE_ELSEWHERE_("reduce_parts.h")
#define DEFINE_REDUCE_ZIP_WITH_PARTS(...) REDUCE_ELSEWHERE_("reduce_parts.h")
#define DEFINE_REDUCE_MPI(...) REDUCE_ELSEWHERE_("reduce_mpi.h")
#define DEFINE_REDUCE_ZIP_MPI(...) REDUCE_ELSEWHERE_("reduce_mpi.h")
#define DEFINE_REDUCE_WITH_MPI(...) REDUCE_ELSEWHERE_("reduce_mpi.h")
#define DEFINE_REDUCE_ZIP_WITH_MPI(...) REDUCE_ELSEWHERE_("reduce_mpi.h")
#define DEFINE_REDUCE_NCCL(...) REDUCE_ELSEWHERE_("reduce_nccl.cuh")
#define DEFINE_REDUCE_ZIP_NCCL(...) REDUCE_ELSEWHERE_("reduce_nccl.cuh")
#define DEFINE_REDUCE_WITH_NCCL(...) REDUCE_ELSEWHERE_("reduce_nccl.cuh")
#define DEFINE_REDUCE_ZIP_WITH_NCCL(...) REDUCE_ELSEWHERE_("reduce_nccl.cuh")

/* If reduce_packed.cuh lies beside this file, small values are combined several at a time. */
#if __has_include("reduce_packed.cuh")
#include "reduce_packed.cuh"
#else
#define REDUCE_HAS_HALF_EXTREMES_(NAME) 0
#define REDUCE_PACKS_(NAME) 0
#define REDUCE_COMBINE_WORDS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_combine_words_(void *a, const void *b, size_t size_) {                       \
        (void)a, (void)b, (void)size_;                                                                      \
    }
#endif

/* If reduce_host.cuh lies beside this file, the CPU and the GPU share the simple call on main memory. */
#if __has_include("reduce_host.cuh")
#include "reduce_host.cuh"
#else
#define REDUCE_SHARED_CALL_(NAME)
#define REDUCE_IS_SHARED_ REDUCE_IS_NOT_SHARED_
#endif

/* If reduce_teaching.cuh lies beside this file, there are more strategies, for teaching. */
#if __has_include("reduce_teaching.cuh")
#include "reduce_teaching.cuh"
#else
#define REDUCE_TEACHING_(NAME, KIND)
#define DEFINE_REDUCE_ATOMIC(...) REDUCE_ELSEWHERE_("reduce_teaching.cuh")
#define DEFINE_REDUCE_ZIP_ATOMIC(...) REDUCE_ELSEWHERE_("reduce_teaching.cuh")
#define DEFINE_REDUCE_WITH_ATOMIC(...) REDUCE_ELSEWHERE_("reduce_teaching.cuh")
#define DEFINE_REDUCE_ZIP_WITH_ATOMIC(...) REDUCE_ELSEWHERE_("reduce_teaching.cuh")
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif /* REDUCE_CUH */
