/*
 * reduce.cuh: parallel reduction for CUDA and C, in one header, with the same bits everywhere.
 *
 *     #include "reduce.cuh"
 *     DEFINE_REDUCE(float, max)
 *
 * generates functions that reduce with max inside a warp, inside a block, at the end of a kernel, over a
 * whole array on the GPU, and on the CPU. The result of an array has the same bits on every GPU, in every
 * stream, at every alignment, and on the CPU: the order of combination depends on the number of elements and
 * on their size, and on nothing else.
 *
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon)
 *
 *   DEFINE_REDUCE(T, op)              NAME is reduce_T_op. T is one word: give "unsigned char" a typedef.
 *   DEFINE_REDUCE_AS(NAME, T, IDENTITY, EXPR_OF_A_B)
 *                                     any operator: DEFINE_REDUCE_AS(gcd, unsigned, 0, my_gcd(a, b))
 *   DEFINE_REDUCE_MAP(NAME, In, T, EXPR_OF_X, IDENTITY, EXPR_OF_A_B)
 *                                     each element x of type In, at index i, is first turned into a T:
 *                                     DEFINE_REDUCE_MAP(squares, float, double, (double)x * x, 0, a + b)
 *
 *   op    built in: sum prod min max (any number), band bor bxor (integers), land lor (0 or 1, any number),
 *         fmin fmax (floating point); or yours, named by two macros written as the built-in ones below are:
 *         REDUCE_IDENTITY_op(T) and REDUCE_COMBINE_op(T, a, b).
 *   T     every C integer and floating type but long double on the GPU, __half and __nv_bfloat16 when their
 *         headers are included, and any trivially copyable struct or vector type of up to 64 bytes.
 *
 *   An operator must be associative and commutative (up to rounding), and its identity neutral, bit for bit,
 *   for every value that the operator returns: reductions start from the identity. The expressions are
 *   evaluated once per pair, in a function for host and device: functions of yours that they call are
 *   __host__ __device__. The identity of a struct comes from such a function too, as macros break braces at
 *   their commas. A built-in operator under another name or after a map is as fast as itself when its own
 *   macros are named, letter by letter:
 *   DEFINE_REDUCE_MAP(total, char, int, x, REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int, a, b)).
 *
 *
 * WHAT IS GENERATED
 *
 *   function                                        who calls                who gets the result
 *   ----------------------------------------------  -----------------------  --------------------------------
 *   T NAME_identity(void)                           anyone, host or device   the caller
 *   T NAME_combine(T a, T b)                        anyone, host or device   the caller
 *   T NAME_cpu(const In *in, size_t n)              host, plain C11 too      the caller
 *   T NAME_warp(T x)                                all lanes of a warp      every lane
 *   T NAME_warp_n(T x, int count)                   all lanes of a warp      every lane; of the first count
 *   T NAME_tile(T x, int width)                     all lanes of a warp      every lane, of its own tile of
 *                                                                            width (1, 2, 4, 8, 16, 32) lanes
 *   T NAME_warp_volatile(volatile T *slice)         a warp of 32 lanes       every lane; slice, 32 values in
 *                                                                            shared memory, is overwritten
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
 *   Blocks may have any 1-, 2- or 3-dimensional shape of 1 to 1024 threads and grids any shape; the last warp
 *   of a block may be partial (but NAME_warp_volatile wants 32 lanes). All functions for warps and blocks may
 *   be called again at once. For teaching and measuring there are also NAME_last_block and NAME_two_launch
 *   (the same bits as NAME_async), NAME_atomic_warp and NAME_atomic_block (float results differ from run to
 *   run), all called as NAME_async is. A block's result depends on the block's size, a grid's on its shape
 *   too.
 *
 *
 * THE SIMPLE CALL: NAME(in, n, &result)
 *
 *   The input may be ordinary or pinned main memory, managed memory or device memory of any GPU; the call
 *   finds out which. It returns when the result is there and has then released everything that it took. It
 *   works in the default stream. Without a GPU it runs on the CPU, with the same bits.
 *
 *
 * THE ASYNCHRONOUS CALL: NAME_async(in, n, out, ws, stream)
 *
 *   One launch; no allocation, no query, no synchronisation: it can be captured in a graph. Input and output
 *   are in device, managed or pinned memory; an output in pinned memory spares the copy. A workspace has a
 *   fixed size, serves every NAME and n, needs no clearing between calls, and serves one call at a time: give
 *   each stream its own. If a kernel that used it was aborted, or not all blocks of a grid called NAME_grid,
 *   reduce_workspace_reset makes it ready again, in stream order.
 *
 *
 * ERRORS
 *
 *   Host functions return cudaSuccess, the error of the CUDA call that failed, or
 *     cudaErrorInvalidValue       a null pointer (a null input is fine when n is 0), more elements than fit
 *                                 the address space or than 2^40, or an output that lies inside the input
 *     cudaErrorMisalignedAddress  an input or output not aligned for its type
 *   and change nothing then. The header never prints and never exits.
 *
 *
 * VALUES
 *
 *   No elements     give the identity: 0 for sum, 1 for prod, +inf or the greatest integer for min, -inf or
 *                   the least for max, NaN for fmin and fmax, all bits set for band, 1 for land, 0 for the
 *                   others.
 *   Integers        wrap around, signed ones too: that is defined behaviour here. For a sum that needs more
 *                   room, map into a wider type: DEFINE_REDUCE_MAP(total, int, long long, x, 0, a + b).
 *   NaN             min and max return NaN if there is one (IEEE 754-2019 minimum and maximum), fmin and fmax
 *                   return a number if there is one (minimumNumber, maximumNumber). A NaN result has one bit
 *                   pattern: float 0x7fc00000, double 0x7ff8000000000000, half 0x7e00, bfloat16 0x7fc0.
 *   Signed zeros    -0 is less than +0. The sum of -0 alone is +0, as it starts from that (but in
 *                   NAME_warp_volatile, which starts from the slice's own values).
 *   Structs         are left as the operator made them, NaN and padding included.
 *   Subnormals      are kept.
 *
 *   The promise of the same bits covers all of this as long as the compiler keeps to IEEE 754: not under
 *   -ffast-math or nvcc's -use_fast_math. Compilers may fuse a product and a sum of your own code (a * b + c)
 *   on one machine and not on another: write reduce_rounded_float(a * b) + c, or _double, where that matters.
 *   What your map returns is never fused with what your operator does.
 *
 *
 * TO READ ON
 *
 *   The file goes from the smallest scale to the largest. Functions that know neither T nor the operator are
 *   plain functions; what depends on them is generated by one small macro per function, with its contract
 *   above it. Names that end in an underscore are private. Licence: MIT, at the end.
 */
#ifndef REDUCE_CUH
#define REDUCE_CUH

#define REDUCE_VERSION_MAJOR 0
#define REDUCE_VERSION_MINOR 1
#define REDUCE_VERSION_PATCH 0
#define REDUCE_VERSION (REDUCE_VERSION_MAJOR * 10000 + REDUCE_VERSION_MINOR * 100 + REDUCE_VERSION_PATCH)

#if defined a || defined b || defined i || defined k || defined l || defined n || defined p || defined s || \
    defined u || defined w || defined x || defined y || defined z
#error "reduce.cuh: there is a macro a, b, i, k, l, n, p, s, u, w, x, y or z: undefine it before this header"
#endif

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* functions have the names of structs, as C allows */
#endif

/* ---- Compilers ----------------------------------------------------------------------------------------- */

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define REDUCE_BOTH_ static inline __host__ __device__ __attribute__((unused))
#define REDUCE_DEVICE_ static __device__ __forceinline__ __attribute__((unused))
#define REDUCE_ASIDE_ static __device__ __noinline__ __attribute__((unused))
#define REDUCE_GLOBAL_ static __global__ __attribute__((unused))
#else
#define REDUCE_BOTH_ static inline __attribute__((unused))
#endif
#define REDUCE_HOST_ static inline __attribute__((unused))
#define REDUCE_ALWAYS_ static inline __attribute__((unused, always_inline))

/* clang's sanitizers can stop where an unsigned integer wraps: here that is meant. */
#ifdef __clang__
#define REDUCE_WRAPS_ __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define REDUCE_WRAPS_
#endif

#ifdef __cplusplus
#define REDUCE_ASSERT_(condition, message) static_assert(condition, message);
#define REDUCE_ALIGNMENT_(T) alignof(T)
#else
#define REDUCE_ASSERT_(condition, message) _Static_assert(condition, message);
#define REDUCE_ALIGNMENT_(T) _Alignof(T)
#endif

/* What code may use: of a device what it has; elsewhere, as in a simulator, of the newest unless told. */
#ifdef __CUDA_ARCH__
#define REDUCE_ARCH_ __CUDA_ARCH__
#elif !defined REDUCE_ARCH_
#define REDUCE_ARCH_ 900
#endif

#ifdef __CUDA_ARCH__
#define REDUCE_UNROLL_ _Pragma("unroll")
#define REDUCE_NO_UNROLL_ _Pragma("unroll 1")
#define REDUCE_KEEP_(word) asm volatile("" : "+r"(word)) /* in a register: not computed anew for each use */
#else
#define REDUCE_UNROLL_
#define REDUCE_NO_UNROLL_
#define REDUCE_KEEP_(word) (void)(word)
#endif

#ifdef _OPENMP
#define REDUCE_PARALLEL_FOR_ _Pragma("omp parallel for schedule(static)")
#else
#define REDUCE_PARALLEL_FOR_
#endif

/* A pragma that does nothing ends the line on which nvcc's preprocessor puts all that a macro generates. nvcc
   prints the whole line with each diagnostic: 2 KB now, 50 KB without. */
#ifdef __NVCC__
#define REDUCE_LINE_ _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic pop")
#else
#define REDUCE_LINE_
#endif

#define REDUCE_STRING_(...) #__VA_ARGS__
#define REDUCE_MIN_(a, b) ((a) < (b) ? (a) : (b))

/* ---- Types --------------------------------------------------------------------------------------------- */

#define REDUCE_MAX_SIZE 64 /* bytes in the largest T and In */

enum reduce_kind_ {
    REDUCE_INTEGER_,
    REDUCE_FLOAT_,
    REDUCE_DOUBLE_,
    REDUCE_LONG_DOUBLE_,
    REDUCE_HALF_,
    REDUCE_BFLOAT16_,
    REDUCE_STRUCT_
};

#ifdef __cplusplus
struct __half;
struct __nv_bfloat16;
typedef double reduce_long_double_; /* in C++ nothing is to name long double where a device might run it */
#define REDUCE_IS_LONG_DOUBLE_(T) __is_same(T, long double)
#define REDUCE_IS_COPYABLE_(T) __is_trivially_copyable(T)
#define REDUCE_IS_CONSTRUCTIBLE_(T) __is_trivially_constructible(T)
#define REDUCE_KIND_(T)                                                                                   \
    (__is_same(T, float)           ? REDUCE_FLOAT_                                                        \
     : __is_same(T, double)        ? REDUCE_DOUBLE_                                                       \
     : __is_same(T, __half)        ? REDUCE_HALF_                                                         \
     : __is_same(T, __nv_bfloat16) ? REDUCE_BFLOAT16_                                                     \
     : __is_class(T)               ? REDUCE_STRUCT_                                                       \
     : __is_union(T)               ? REDUCE_STRUCT_                                                       \
                                   : REDUCE_INTEGER_)
#else
typedef long double reduce_long_double_;
#define REDUCE_IS_LONG_DOUBLE_(T) 0
#define REDUCE_IS_COPYABLE_(T) 1
#define REDUCE_IS_CONSTRUCTIBLE_(T) 1
#define REDUCE_KIND_(T)                                                                                   \
    _Generic(*(T *)0, float: REDUCE_FLOAT_, double: REDUCE_DOUBLE_, long double: REDUCE_LONG_DOUBLE_,     \
        _Bool: REDUCE_INTEGER_, char: REDUCE_INTEGER_, signed char: REDUCE_INTEGER_,                      \
        unsigned char: REDUCE_INTEGER_, short: REDUCE_INTEGER_, unsigned short: REDUCE_INTEGER_,          \
        int: REDUCE_INTEGER_, unsigned: REDUCE_INTEGER_, long: REDUCE_INTEGER_,                           \
        unsigned long: REDUCE_INTEGER_, long long: REDUCE_INTEGER_,                                       \
        unsigned long long: REDUCE_INTEGER_, default: REDUCE_STRUCT_)
#endif

#define REDUCE_IS_INTEGER_(T) (REDUCE_KIND_(T) == REDUCE_INTEGER_)
#define REDUCE_IS_NUMBER_(T) (REDUCE_KIND_(T) != REDUCE_STRUCT_)
#define REDUCE_IS_FLOATING_(T) (REDUCE_IS_NUMBER_(T) && !REDUCE_IS_INTEGER_(T))
#define REDUCE_IS_SIGNED_(T) ((T) - 1 < (T)1)

/* The greatest and the least value of an integer type, to be converted to that type. */
REDUCE_BOTH_ unsigned long long reduce_greatest_(size_t size, bool is_signed)
{
    return ~0ull >> (64 - 8 * size + is_signed);
}

REDUCE_BOTH_ unsigned long long reduce_least_(size_t size, bool is_signed)
{
    return is_signed ? ~reduce_greatest_(size, true) : 0;
}

/* Functions, so that converting the value to an integer type in code that never runs gives no warning. */
REDUCE_BOTH_ float reduce_infinity_(void)
{
    return INFINITY;
}

REDUCE_BOTH_ float reduce_nan_(void)
{
    return NAN;
}

/* Gives a NaN its one bit pattern; leaves every other value as it is. */
REDUCE_BOTH_ void reduce_canonical_(void *value, enum reduce_kind_ kind)
{
    if (kind == REDUCE_FLOAT_) {
        uint32_t bits;
        memcpy(&bits, value, sizeof bits);
        if ((bits & 0x7fffffffu) > 0x7f800000u) bits = 0x7fc00000u;
        memcpy(value, &bits, sizeof bits);
    } else if (kind == REDUCE_DOUBLE_) {
        uint64_t bits;
        memcpy(&bits, value, sizeof bits);
        if ((bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull) bits = 0x7ff8000000000000ull;
        memcpy(value, &bits, sizeof bits);
    } else if (kind == REDUCE_HALF_ || kind == REDUCE_BFLOAT16_) {
        const unsigned infinity = kind == REDUCE_HALF_ ? 0x7c00u : 0x7f80u;
        uint16_t bits;
        memcpy(&bits, value, sizeof bits);
        if ((bits & 0x7fffu) > infinity) bits = kind == REDUCE_HALF_ ? 0x7e00u : 0x7fc0u;
        memcpy(value, &bits, sizeof bits);
    }
}

/* ---- Exact arithmetic ---------------------------------------------------------------------------------- */

/* Makes the compiler forget how a value on the device was computed, so that the product in it is rounded
   before it is used. The assembler fuses across a plain move; a byte permutation that changes nothing stops
   it. */
#ifdef __CUDA_ARCH__
#define REDUCE_FORGET_WORD_(word) asm("prmt.b32 %0, %0, 0, 0x3210;" : "+r"(word))
#else
#define REDUCE_FORGET_WORD_(word) __asm__("" : "+r"(word))
#endif

REDUCE_BOTH_ void reduce_round_(void *value, size_t size)
{
    REDUCE_UNROLL_
    for (size_t at = 0; at < size; at += 4) {
        uint32_t word = 0;
        const size_t bytes = REDUCE_MIN_(size - at, 4);
        memcpy(&word, (char *)value + at, bytes);
        REDUCE_FORGET_WORD_(word);
        memcpy((char *)value + at, &word, bytes);
    }
}

/* x, rounded to its type: never fused with the operation that uses it. */
REDUCE_BOTH_ float reduce_rounded_float(float x)
{
    reduce_round_(&x, sizeof x);
    return x;
}

REDUCE_BOTH_ double reduce_rounded_double(double x)
{
    reduce_round_(&x, sizeof x);
    return x;
}

/* ---- Operators --------------------------------------------------------------------------------------------
 *
 * minimum and maximum: NaN if either operand is, and -0 below +0.
 * minimumNumber and maximumNumber: the other operand if one is NaN.
 * The device's own instructions for floats order zeros and pass over a NaN in the same way.
 */
#define REDUCE_LESSER_(a, b) ((a) == (b) ? (__builtin_signbit(a) ? (a) : (b)) : (a) < (b) ? (a) : (b))
#define REDUCE_GREATER_(a, b) ((a) == (b) ? (__builtin_signbit(a) ? (b) : (a)) : (a) > (b) ? (a) : (b))

/* T reduce_FUNCTION_name_(T a, T b): the chosen operand, or if_nan where one is a NaN. */
#define REDUCE_EXTREME_OF_(function, name, T, CHOSEN, if_nan)                                             \
    REDUCE_BOTH_ T reduce_##function##_##name##_(T a, T b)                                                \
    {                                                                                                     \
        const T chosen = CHOSEN(a, b);                                                                    \
        return a != a || b != b ? (T)if_nan : chosen;                                                     \
    }

#define REDUCE_EXTREMES_(name, T, LESSER, GREATER)                                                        \
    REDUCE_EXTREME_OF_(minimum, name, T, LESSER, reduce_nan_())                                           \
    REDUCE_EXTREME_OF_(maximum, name, T, GREATER, reduce_nan_())

#define REDUCE_EXTREME_NUMBERS_(name, T, LESSER, GREATER, number)                                         \
    REDUCE_EXTREME_OF_(minimum_number, name, T, LESSER, number)                                           \
    REDUCE_EXTREME_OF_(maximum_number, name, T, GREATER, number)

/* The host has no branches here, so that compilers vectorise loops: two comparisons find the same number,
   unless one operand is NaN or both are zeros, and then the bits of what they find are united. */

/* T reduce_FUNCTION_of_both_name_(T a, T b): of the same number twice, that number; of any NaN, a NaN; of
   zeros, the extreme one. */
#define REDUCE_OF_BOTH_(function, name, T, word, BITS)                                                    \
    REDUCE_BOTH_ T reduce_##function##_of_both_##name##_(T a, T b)                                        \
    {                                                                                                     \
        word x, y;                                                                                        \
        memcpy(&x, &a, sizeof x);                                                                         \
        memcpy(&y, &b, sizeof y);                                                                         \
        x = BITS;                                                                                         \
        memcpy(&a, &x, sizeof a);                                                                         \
        return a;                                                                                         \
    }

/* A NaN is found by one comparison of the two. */
#define REDUCE_EXTREME_BY_BITS_(function, name, T, before)                                                \
    REDUCE_BOTH_ T reduce_##function##_##name##_(T a, T b)                                                \
    {                                                                                                     \
        return reduce_##function##_of_both_##name##_(a before b ? a : b, b before a ? b : a);             \
    }

/* If a is a NaN both comparisons find b; if b is, the result is a. */
#define REDUCE_EXTREME_NUMBER_BY_BITS_(function, name, T, before)                                         \
    REDUCE_BOTH_ T reduce_##function##_number_##name##_(T a, T b)                                         \
    {                                                                                                     \
        const T x = reduce_##function##_of_both_##name##_(a before b ? a : b, a before##= b ? a : b);     \
        return b != b ? a : x;                                                                            \
    }

#define REDUCE_EXTREMES_BY_BITS_(name, T, word)                                                           \
    REDUCE_OF_BOTH_(minimum, name, T, word, x | y)                                                        \
    REDUCE_OF_BOTH_(maximum, name, T, word, (x | y) & ~((x ^ y) & ~(~(word)0 >> 1)))                      \
    REDUCE_EXTREME_BY_BITS_(minimum, name, T, <)                                                          \
    REDUCE_EXTREME_BY_BITS_(maximum, name, T, >)                                                          \
    REDUCE_EXTREME_NUMBER_BY_BITS_(minimum, name, T, <)                                                   \
    REDUCE_EXTREME_NUMBER_BY_BITS_(maximum, name, T, >)

#ifndef __CUDA_ARCH__
REDUCE_EXTREMES_BY_BITS_(float, float, uint32_t)
REDUCE_EXTREMES_BY_BITS_(double, double, uint64_t)
#else
#if REDUCE_ARCH_ >= 800
REDUCE_BOTH_ float reduce_minimum_float_(float a, float b)
{
    asm("min.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    return a;
}

REDUCE_BOTH_ float reduce_maximum_float_(float a, float b)
{
    asm("max.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    return a;
}
#else
REDUCE_EXTREMES_(float, float, fminf, fmaxf)
#endif
REDUCE_EXTREME_NUMBERS_(float, float, fminf, fmaxf, chosen) /* passes over the NaN */

/* double reduce_lesser_double_(double a, double b), greater: 5 instructions where fmin and fmax take 9. As
   integers, doubles have the order of numbers, zeros too, and the opposite one where both are negative. A NaN
   has no place in it. */
#define REDUCE_BY_ORDER_(name, order)                                                                     \
    REDUCE_BOTH_ double reduce_##name##_double_(double a, double b)                                       \
    {                                                                                                     \
        asm("{ .reg .pred negative, first; .reg .b64 x, y; .reg .b32 low, sign, other;"                   \
            " mov.b64 x, %0; mov.b64 y, %1; mov.b64 {low, sign}, x; mov.b64 {low, other}, y;"             \
            " and.b32 sign, sign, other; and.b32 sign, sign, 0x80000000; setp.ne.u32 negative, sign, 0;"  \
            " setp." order ".xor.s64 first, x, y, negative; selp.f64 %0, %0, %1, first; }"                \
            : "+d"(a) : "d"(b));                                                                          \
        return a;                                                                                         \
    }

REDUCE_BY_ORDER_(lesser, "lt")
REDUCE_BY_ORDER_(greater, "gt")
REDUCE_EXTREMES_(double, double, reduce_lesser_double_, reduce_greater_double_)
REDUCE_EXTREME_NUMBERS_(double, double, reduce_lesser_double_, reduce_greater_double_, (a != a ? b : a))
#endif
REDUCE_EXTREMES_(long_double, reduce_long_double_, REDUCE_LESSER_, REDUCE_GREATER_)
REDUCE_EXTREME_NUMBERS_(long_double, reduce_long_double_, REDUCE_LESSER_, REDUCE_GREATER_, (a != a ? b : a))

/* The extreme of two floating-point values, computed in a type that holds every value of T. */
#define REDUCE_EXTREME_(name, T, a, b)                                                                    \
    (REDUCE_KIND_(T) == REDUCE_DOUBLE_        ? (T)reduce_##name##_double_((double)(a), (double)(b))      \
     : REDUCE_KIND_(T) == REDUCE_LONG_DOUBLE_ ? (T)reduce_##name##_long_double_((a), (b))                 \
                                              : (T)reduce_##name##_float_((float)(a), (float)(b)))

/* Integers, of any type up to the widest, wrap around. */
REDUCE_WRAPS_ REDUCE_BOTH_ unsigned long long reduce_plus_(unsigned long long a, unsigned long long b)
{
    return a + b;
}

REDUCE_WRAPS_ REDUCE_BOTH_ unsigned long long reduce_times_(unsigned long long a, unsigned long long b)
{
    return a * b;
}

#define REDUCE_WRAP_(T, function, a, b)                                                                   \
    (T)reduce_##function##_((unsigned long long)(a), (unsigned long long)(b))

#define REDUCE_IDENTITY_sum(T) (T)0
#define REDUCE_COMBINE_sum(T, a, b) (REDUCE_IS_INTEGER_(T) ? REDUCE_WRAP_(T, plus, a, b) : (T)((a) + (b)))

#define REDUCE_IDENTITY_prod(T) (T)1
/* - (T)0 changes no value; without it gcc warns of a product in a bool. */
#define REDUCE_COMBINE_prod(T, a, b)                                                                      \
    (REDUCE_IS_INTEGER_(T) ? REDUCE_WRAP_(T, times, a, b) : (T)((a) * (b) - (T)0))

#define REDUCE_IDENTITY_min(T)                                                                            \
    (REDUCE_IS_INTEGER_(T) ? (T)reduce_greatest_(sizeof(T), REDUCE_IS_SIGNED_(T)) : (T)reduce_infinity_())
#define REDUCE_COMBINE_min(T, a, b)                                                                       \
    (REDUCE_IS_INTEGER_(T) ? (T)((b) < (a) ? (b) : (a)) : REDUCE_EXTREME_(minimum, T, a, b))

#define REDUCE_IDENTITY_max(T)                                                                            \
    (REDUCE_IS_INTEGER_(T) ? (T)reduce_least_(sizeof(T), REDUCE_IS_SIGNED_(T)) : (T)-reduce_infinity_())
#define REDUCE_COMBINE_max(T, a, b)                                                                       \
    (REDUCE_IS_INTEGER_(T) ? (T)((a) < (b) ? (b) : (a)) : REDUCE_EXTREME_(maximum, T, a, b))

#define REDUCE_IDENTITY_fmin(T) (T)reduce_nan_()
#define REDUCE_COMBINE_fmin(T, a, b) REDUCE_EXTREME_(minimum_number, T, a, b)

#define REDUCE_IDENTITY_fmax(T) (T)reduce_nan_()
#define REDUCE_COMBINE_fmax(T, a, b) REDUCE_EXTREME_(maximum_number, T, a, b)

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

/* The rules for DEFINE_REDUCE, each a sentence in the compiler's message. */

/* A function has a name. Letters that a user's macro replaces no longer read as they are written. */
#define REDUCE_LETTERS_ a b i k l n p s u w x y z
#define REDUCE_CHECK_PLACE_(name)                                                                         \
    REDUCE_ASSERT_(__builtin_strcmp(__builtin_FUNCTION(), "") == 0,                                       \
                   name ": define a reduction at file scope, not inside a function")                      \
    REDUCE_ASSERT_(__builtin_strcmp(REDUCE_EXPANDED_(REDUCE_LETTERS_), "a b i k l n p s u w x y z") == 0, \
                   name ": there is a macro a, b, i, k, l, n, p, s, u, w, x, y or z: undefine it")

/* text, after which a space stands, has no space before that one. */
#define REDUCE_CHECK_WORD_(text)                                                                          \
    REDUCE_ASSERT_(__builtin_strlen(__builtin_strchr(text " ", ' ')) == 1,                                \
                   "DEFINE_REDUCE: " text " is more than one word: give the type a name with typedef")

/* NAME_once_ has no size before the first definition of NAME, and one afterwards. */
#ifdef __cplusplus
#define REDUCE_IS_FIRST_(once) (!__is_same(decltype(once), const char[1]))
#define REDUCE_MAY_REPEAT_
#define REDUCE_NO_REPEAT_
#else
#define REDUCE_IS_FIRST_(once) __builtin_types_compatible_p(__typeof__(once), const char[2])
#define REDUCE_MAY_REPEAT_                                                                                \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wredundant-decls\"")
#define REDUCE_NO_REPEAT_ _Pragma("GCC diagnostic pop")
#endif
#define REDUCE_CHECK_ONCE_(NAME, name)                                                                    \
    REDUCE_MAY_REPEAT_                                                                                    \
    extern const char NAME##_once_[];                                                                     \
    REDUCE_ASSERT_(REDUCE_IS_FIRST_(NAME##_once_),                                                        \
                   name " is defined twice: write #define REDUCE_HAVE_" name " after the first time")     \
    extern const char NAME##_once_[1];                                                                    \
    REDUCE_NO_REPEAT_

#define REDUCE_NAMED_(op, name) (__builtin_strcmp(op, name) == 0)
#define REDUCE_NEEDS_INTEGER_(op)                                                                         \
    (REDUCE_NAMED_(op, "band") || REDUCE_NAMED_(op, "bor") || REDUCE_NAMED_(op, "bxor"))
#define REDUCE_NEEDS_FLOATING_(op) (REDUCE_NAMED_(op, "fmin") || REDUCE_NAMED_(op, "fmax"))
#define REDUCE_NEEDS_NUMBER_(op)                                                                          \
    (REDUCE_NAMED_(op, "sum") || REDUCE_NAMED_(op, "prod") || REDUCE_NAMED_(op, "min") ||                 \
     REDUCE_NAMED_(op, "max") || REDUCE_NAMED_(op, "land") || REDUCE_NAMED_(op, "lor") ||                 \
     REDUCE_NEEDS_INTEGER_(op) || REDUCE_NEEDS_FLOATING_(op))

/* True unless text still begins with the name of the macro that should have been expanded. */
#define REDUCE_IS_DEFINED_(macro, text) (__builtin_strncmp(text, macro "(", sizeof(macro)) != 0)
#define REDUCE_EXPANDED_(...) REDUCE_STRING_(__VA_ARGS__)

#define REDUCE_CHECK_OPERATOR_(name, T, op, identity, combined)                                            \
    REDUCE_ASSERT_(REDUCE_IS_DEFINED_("REDUCE_IDENTITY_" op, identity) &&                                 \
                       REDUCE_IS_DEFINED_("REDUCE_COMBINE_" op, combined),                                \
                   name ": there is no operator " op ": define REDUCE_IDENTITY_" op                       \
                        "(T) and REDUCE_COMBINE_" op "(T, a, b), or use DEFINE_REDUCE_AS")                \
    REDUCE_ASSERT_(!REDUCE_NEEDS_NUMBER_(op) || REDUCE_IS_NUMBER_(T),                                     \
                   name ": " op " needs a number: define an operator with DEFINE_REDUCE_AS")              \
    REDUCE_ASSERT_(!REDUCE_NEEDS_INTEGER_(op) || !REDUCE_IS_FLOATING_(T),                                 \
                   name ": " op " needs an integer type: map into one with DEFINE_REDUCE_MAP")            \
    REDUCE_ASSERT_(!REDUCE_NEEDS_FLOATING_(op) || !REDUCE_IS_INTEGER_(T),                                 \
                   name ": " op " needs a floating-point type: use min or max")

#define REDUCE_CHECK_TYPE_(NAME, T)                                                                       \
    REDUCE_ASSERT_(sizeof(T) <= REDUCE_MAX_SIZE,                                                          \
                   #NAME ": " #T " is too large: reduce an index or a pointer, or at most 64 bytes")      \
    REDUCE_ASSERT_(REDUCE_IS_COPYABLE_(T),                                                                \
                   #NAME ": " #T " must be trivially copyable: use a plain struct")                       \
    REDUCE_ASSERT_(REDUCE_IS_CONSTRUCTIBLE_(T),                                                           \
                   #NAME ": " #T " must be trivially constructible: give it neither constructors nor "    \
                         "initial values of members")                                                     \
    REDUCE_ASSERT_(!REDUCE_IS_INTEGER_(T) || sizeof(T) <= 8 || REDUCE_IS_LONG_DOUBLE_(T),                 \
                   #NAME ": " #T " is too large for an integer: put it into a struct")                    \
    REDUCE_ASSERT_(!REDUCE_IS_LONG_DOUBLE_(T), #NAME ": GPUs have no long double: use double")

/* T NAME_identity(void), T NAME_combine(T a, T b): the operator, from the user's own words. */
#define REDUCE_OPERATOR_(NAME, T, IDENTITY, ...)                                                          \
    REDUCE_BOTH_ T NAME##_identity(void)                                                                  \
    {                                                                                                     \
        return IDENTITY;                                                                                  \
    }                                                                                                     \
    REDUCE_BOTH_ T NAME##_combine(T a, T b)                                                               \
    {                                                                                                     \
        return __VA_ARGS__;                                                                               \
    }

/* T NAME_map_(In x, size_t i): element x, at index i, as an operand. NAME_is_mapped_: that is more than x. */
#define REDUCE_MAP_(NAME, In, T, IS_MAPPED, EXPR_OF_X)                                                    \
    enum { NAME##_is_mapped_ = IS_MAPPED };                                                               \
    REDUCE_BOTH_ T NAME##_map_(In x, size_t i)                                                            \
    {                                                                                                     \
        (void)i;                                                                                          \
        return EXPR_OF_X;                                                                                 \
    }

/* T NAME_final_(T x): a result as users get it. */
#define REDUCE_FINAL_(NAME, T)                                                                            \
    REDUCE_BOTH_ T NAME##_final_(T x)                                                                     \
    {                                                                                                     \
        reduce_canonical_(&x, REDUCE_KIND_(T));                                                           \
        return x;                                                                                         \
    }

/* The built-in operators by number, for what is known of them alone. */
enum reduce_operator_ {
    REDUCE_OWN_, /* none of them */
    REDUCE_SUM_,
    REDUCE_PROD_,
    REDUCE_MIN_MAX_,
    REDUCE_FMIN_FMAX_,
    REDUCE_BAND_,
    REDUCE_BOR_,
    REDUCE_BXOR_,
    REDUCE_LAND_LOR_
};

/* What stands in a definition that takes identity and expression from operator op. */
#define REDUCE_TEXT_OF_(op, T) "REDUCE_IDENTITY_" op "(" T "), REDUCE_COMBINE_" op "(" T ", a, b)"
#define REDUCE_IS_TEXT_OF_(text, op, T) (__builtin_strcmp(text, REDUCE_TEXT_OF_(op, T)) == 0)
#define REDUCE_IS_TEXT_OF_EITHER_(text, op, other, T)                                                     \
    (REDUCE_IS_TEXT_OF_(text, op, T) || REDUCE_IS_TEXT_OF_(text, other, T))

#define REDUCE_OPERATOR_OF_(text, T)                                                                      \
    (REDUCE_IS_TEXT_OF_(text, "sum", T)                       ? REDUCE_SUM_                               \
     : REDUCE_IS_TEXT_OF_(text, "prod", T)                    ? REDUCE_PROD_                              \
     : REDUCE_IS_TEXT_OF_EITHER_(text, "min", "max", T)       ? REDUCE_MIN_MAX_                           \
     : REDUCE_IS_TEXT_OF_EITHER_(text, "fmin", "fmax", T)     ? REDUCE_FMIN_FMAX_                         \
     : REDUCE_IS_TEXT_OF_(text, "band", T)                    ? REDUCE_BAND_                              \
     : REDUCE_IS_TEXT_OF_(text, "bor", T)                     ? REDUCE_BOR_                               \
     : REDUCE_IS_TEXT_OF_(text, "bxor", T)                    ? REDUCE_BXOR_                              \
     : REDUCE_IS_TEXT_OF_EITHER_(text, "land", "lor", T)      ? REDUCE_LAND_LOR_                          \
                                                              : REDUCE_OWN_)

/* NAME_converts_: the map is "x". NAME_operator_, from the text of its definition: "IDENTITY, EXPR_OF_A_B".
   NAME_commutes_: it gives the same bits either way round. NAME_is_exact_: it gives the same bits in any
   order. NAME_is_light_: it takes an instruction or two, and values fit a register or two. */
#define REDUCE_TRAITS_(NAME, T, map, text)                                                                \
    enum {                                                                                                \
        NAME##_converts_ = __builtin_strcmp(map, "x") == 0,                                               \
        NAME##_operator_ = REDUCE_OPERATOR_OF_(text, #T),                                                 \
        NAME##_commutes_ = (int)NAME##_operator_ != REDUCE_OWN_,                                          \
        NAME##_rounds_ = REDUCE_IS_FLOATING_(T) && (int)NAME##_operator_ <= REDUCE_PROD_,                 \
        NAME##_is_exact_ = NAME##_commutes_ && !NAME##_rounds_ && REDUCE_KIND_(T) != REDUCE_LONG_DOUBLE_, \
        NAME##_is_light_ = NAME##_commutes_ && !(NAME##_is_exact_ && REDUCE_KIND_(T) == REDUCE_DOUBLE_)   \
    };

/* ---- The tree ---------------------------------------------------------------------------------------------
 *
 * The contract. n elements are cut into chunks (reduce_plan). Each chunk is walked by REDUCE_LANES logical
 * lanes in stripes of REDUCE_LANES * V elements, V = REDUCE_POSITIONS(element size): lane l owns the V
 * neighbours from l * V on in every stripe and keeps one accumulator for each, which starts from the identity
 * and takes its elements in the order of stripes. Then accumulators fold, always the upper half onto the
 * lower, x[k] = combine(x[k], x[k + half]), until one is left: first the V positions of a lane, then the 32
 * lanes of a warp, then the warps of the chunk. The partial results of several chunks are reduced in the same
 * way, as one stripe after the other with V = 1. Lanes without elements hold the identity; executors may
 * leave them out, and take any order where none can be seen.
 */

/* Tests define all of these at once, smaller, so that short arrays reach every region of the code. */
#ifndef REDUCE_TREE_OF_TESTS_
#define REDUCE_TREE_VERSION 1
#define REDUCE_LANES 512
#define REDUCE_MAX_CHUNKS 4096
#define REDUCE_SLOTS 4096 /* for the results of blocks in flight */
#define REDUCE_MAX_ELEMENTS ((size_t)1 << 40)
#define REDUCE_SINGLE_ 8  /* stripes that are one chunk */
#define REDUCE_LOW_ 128   /* stripes that are cut into chunks of two */
#define REDUCE_SPREAD_ 256 /* chunks that share the work before they grow */
#define REDUCE_TALL_ 16   /* stripes in a chunk, up to the greatest number of chunks */
#endif
#define REDUCE_WARP 32

REDUCE_ASSERT_(REDUCE_LANES >= 64 && REDUCE_LANES <= 512 && (REDUCE_LANES & (REDUCE_LANES - 1)) == 0,
               "reduce.cuh: lanes fill whole warps, and at most 16 of them")
REDUCE_ASSERT_(REDUCE_MAX_CHUNKS <= REDUCE_SLOTS, "reduce.cuh: each chunk has a slot")
REDUCE_ASSERT_(REDUCE_MAX_ELEMENTS / REDUCE_MAX_CHUNKS <= UINT32_MAX / 2,
               "reduce.cuh: positions in a chunk have 32 bits")
REDUCE_ASSERT_(REDUCE_SINGLE_ >= 2 && REDUCE_SINGLE_ <= REDUCE_LOW_ && REDUCE_LOW_ <= 2 * REDUCE_SPREAD_ &&
                   REDUCE_SPREAD_ <= REDUCE_MAX_CHUNKS && REDUCE_TALL_ >= 4,
               "reduce.cuh: chunks grow with the number of elements")

/* How many neighbours a lane owns: as many as fill 16 bytes, a power of two. */
#define REDUCE_POSITIONS(size) ((size) > 8 ? 1 : (size) > 4 ? 2 : (size) > 2 ? 4 : (size) > 1 ? 8 : 16)
#define REDUCE_STRIPE_(In) (REDUCE_LANES * REDUCE_POSITIONS(sizeof(In)))

struct reduce_plan {
    size_t chunk; /* elements in each chunk but the last, which may have fewer */
    size_t count; /* chunks: 0 for no elements, at most REDUCE_MAX_CHUNKS */
};

REDUCE_BOTH_ size_t reduce_divide_up_(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* Up to 64 KiB are one chunk. From there on chunks are small until there are 256 of them, so that many blocks
   share the work; then they grow to 128 KiB, for there to be few partial results; then their number grows to
   its limit. Heights are in stripes of elements of up to 16 bytes: 8 KiB. */
REDUCE_BOTH_ struct reduce_plan reduce_plan(size_t n, size_t element_size)
{
    const size_t stripe = (size_t)REDUCE_LANES * REDUCE_POSITIONS(element_size);
    const size_t weight = element_size > 16 ? element_size / 16 : 1;
    const size_t heights = reduce_divide_up_(n, stripe) * weight;
    const size_t for_spread = reduce_divide_up_(heights, REDUCE_SPREAD_);
    const size_t for_all = reduce_divide_up_(heights, REDUCE_MAX_CHUNKS);
    struct reduce_plan plan = {n, n != 0};
    if (heights > REDUCE_SINGLE_) {
        size_t height = heights <= REDUCE_LOW_ ? 2 : 4;
        if (for_spread > height) height = REDUCE_MIN_(for_spread, REDUCE_TALL_);
        if (for_all > height) height = for_all;
        plan.chunk = reduce_divide_up_(height, weight) * stripe;
        plan.count = reduce_divide_up_(n, plan.chunk);
    }
    return plan;
}

/* ---- On the CPU ---------------------------------------------------------------------------------------- */

/* Columns of a stripe that are walked together: their accumulators fill 8 KiB, a quarter of the nearest
   cache. */
#define REDUCE_COLUMNS_(T)                                                                                \
    (REDUCE_LANES * REDUCE_POSITIONS(sizeof(T)) / (sizeof(T) > 32 ? 4 : sizeof(T) > 16 ? 2 : 1))

/* gcc -O2 vectorises loops only where it knows the number of steps: so many are taken at once. */
#define REDUCE_RUN_ 64

/* Makes the compiler store what it has computed into values, and forget it: nothing is fused across. */
#define REDUCE_SETTLE_(values) __asm__ volatile("" : : "r"(values) : "memory")

/* Parts count pairs of blocks: all first ones into lower, all second ones into upper. */
REDUCE_ALWAYS_ void reduce_split_by_(char *__restrict lower, char *__restrict upper,
                                     const char *__restrict pairs, size_t block, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        memcpy(lower + k * block, pairs + 2 * k * block, block);
        memcpy(upper + k * block, pairs + (2 * k + 1) * block, block);
    }
}

/* The same; blocks of the sizes of words are moved as words. */
REDUCE_HOST_ void reduce_split_(void *lower, void *upper, const void *pairs, size_t block, size_t count)
{
    char *const l = (char *)lower, *const u = (char *)upper;
    const char *const p = (const char *)pairs;
    switch (block) {
        case 1: reduce_split_by_(l, u, p, 1, count); break;
        case 2: reduce_split_by_(l, u, p, 2, count); break;
        case 4: reduce_split_by_(l, u, p, 4, count); break;
        case 8: reduce_split_by_(l, u, p, 8, count); break;
        default: reduce_split_by_(l, u, p, block, count); break;
    }
}

/* const T *NAME_cpu_map_(T *room, const In *in, size_t i, size_t count): elements i and on, as operands. */
#define REDUCE_CPU_MAP_(NAME, In, T)                                                                      \
    REDUCE_HOST_ const T *NAME##_cpu_map_(T *room, const In *in, size_t i, size_t count)                  \
    {                                                                                                     \
        for (size_t k = 0; k < count; k++) room[k] = NAME##_map_(in[i + k], i + k);                       \
        REDUCE_SETTLE_(room);                                                                             \
        return room;                                                                                      \
    }

/* The same, or the elements where they are if they are the operands. */
#define REDUCE_CPU_OPERANDS_(NAME, T, room, in, i, count)                                                 \
    (NAME##_is_mapped_ ? NAME##_cpu_map_(room, in, i, count) : (const T *)(const void *)((in) + (i)))

/* void NAME_cpu_begin_(T *x, const T *y, size_t count): x[k] = combine(identity, y[k])
   void NAME_cpu_onto_(T *x, const T *y, size_t count): x[k] = combine(x[k], y[k]) */
#define REDUCE_CPU_STRIPE_(NAME, T, begin_or_onto, before)                                                \
    REDUCE_HOST_ void NAME##_cpu_##begin_or_onto##_(T *__restrict x, const T *__restrict y, size_t count) \
    {                                                                                                     \
        for (; count >= REDUCE_RUN_; count -= REDUCE_RUN_, x += REDUCE_RUN_, y += REDUCE_RUN_)            \
            for (size_t k = 0; k < REDUCE_RUN_; k++) x[k] = NAME##_combine(before, y[k]);                 \
        for (size_t k = 0; k < count; k++) x[k] = NAME##_combine(before, y[k]);                           \
    }

/* Walks columns from element i < end on, row by row, into one accumulator a column. Rows begin so many
   elements apart. */
#define REDUCE_CPU_WALK_(NAME, In, T)                                                                     \
    REDUCE_HOST_ void NAME##_cpu_walk_(const In *in, size_t i, size_t end, size_t apart, T *values,       \
                                       size_t columns)                                                    \
    {                                                                                                     \
        T room[REDUCE_COLUMNS_(T)];                                                                       \
        size_t count = REDUCE_MIN_(columns, end - i);                                                     \
        NAME##_cpu_begin_(values, REDUCE_CPU_OPERANDS_(NAME, T, room, in, i, count), count);              \
        for (size_t k = count; k < columns; k++) values[k] = NAME##_identity();                           \
        while (end - i > apart) {                                                                         \
            i += apart;                                                                                   \
            count = REDUCE_MIN_(columns, end - i);                                                        \
            NAME##_cpu_onto_(values, REDUCE_CPU_OPERANDS_(NAME, T, room, in, i, count), count);           \
        }                                                                                                 \
    }

/* T *NAME_cpu_fold_groups_(T *values, size_t width, size_t count, T *room): each of count groups of width
   neighbours, a power of two, into one value. The results are where it says: in values or in room. */
#define REDUCE_CPU_FOLD_GROUPS_(NAME, T)                                                                  \
    REDUCE_HOST_ T *NAME##_cpu_fold_groups_(T *values, size_t width, size_t count, T *room)               \
    {                                                                                                     \
        T upper[REDUCE_COLUMNS_(T) / 2];                                                                  \
        for (size_t half = width / 2; half > 0; half /= 2) {                                              \
            T *const lower = room;                                                                        \
            reduce_split_(lower, upper, values, half * sizeof(T), count);                                 \
            NAME##_cpu_onto_(lower, upper, half * count);                                                 \
            room = values;                                                                                \
            values = lower;                                                                               \
        }                                                                                                 \
        return values;                                                                                    \
    }

/* T NAME_cpu_fold_halves_(T *values, size_t count): a power of two of them, the upper half onto the lower
   until one is left. */
#define REDUCE_CPU_FOLD_HALVES_(NAME, T)                                                                  \
    REDUCE_HOST_ T NAME##_cpu_fold_halves_(T *values, size_t count)                                       \
    {                                                                                                     \
        for (size_t half = count / 2; half > 0; half /= 2) NAME##_cpu_onto_(values, values + half, half); \
        return values[0];                                                                                 \
    }

/* T NAME_cpu_fold_(T *lanes, size_t count): count > 0 lanes, warps first. There is room for whole warps. */
#define REDUCE_CPU_FOLD_(NAME, T)                                                                         \
    REDUCE_HOST_ T NAME##_cpu_fold_(T *lanes, size_t count)                                               \
    {                                                                                                     \
        while (count > 1) {                                                                               \
            const size_t warps = reduce_divide_up_(count, REDUCE_WARP);                                   \
            for (size_t k = count; k < warps * REDUCE_WARP; k++) lanes[k] = NAME##_identity();            \
            for (size_t k = 0; k < warps; k++)                                                            \
                lanes[k] = NAME##_cpu_fold_halves_(lanes + k * REDUCE_WARP, REDUCE_WARP);                 \
            count = warps;                                                                                \
        }                                                                                                 \
        return lanes[0];                                                                                  \
    }

/* T NAME_cpu_by_tree_(const In *in, size_t begin, size_t end): one chunk, which has elements. */
#define REDUCE_CPU_BY_TREE_(NAME, In, T)                                                                  \
    REDUCE_HOST_ T NAME##_cpu_by_tree_(const In *in, size_t begin, size_t end)                            \
    {                                                                                                     \
        const size_t positions = REDUCE_POSITIONS(sizeof(In)), most = REDUCE_COLUMNS_(T) / positions;     \
        const size_t used = REDUCE_MIN_(reduce_divide_up_(end - begin, positions), REDUCE_LANES);         \
        T lanes[REDUCE_LANES], values[REDUCE_COLUMNS_(T)], room[REDUCE_COLUMNS_(T) / 2];                  \
        lanes[0] = NAME##_identity(); /* compilers cannot see that used > 0 */                            \
        for (size_t lane = 0; lane < used; lane += most) {                                                \
            const size_t count = REDUCE_MIN_(used - lane, most);                                          \
            const size_t i = begin + lane * positions;                                                    \
            NAME##_cpu_walk_(in, i, end, REDUCE_STRIPE_(In), values, count * positions);                  \
            const T *folded = NAME##_cpu_fold_groups_(values, positions, count, room);                    \
            memcpy(lanes + lane, folded, count * sizeof(T));                                              \
        }                                                                                                 \
        return NAME##_cpu_fold_(lanes, used);                                                             \
    }

/* T NAME_cpu_any_order_(const In *in, size_t begin, size_t end): the same where the order cannot be seen: in
   rows of neighbours. */
#define REDUCE_CPU_ANY_ORDER_(NAME, In, T)                                                                \
    REDUCE_HOST_ T NAME##_cpu_any_order_(const In *in, size_t begin, size_t end)                          \
    {                                                                                                     \
        T values[REDUCE_COLUMNS_(T)];                                                                     \
        size_t columns = REDUCE_COLUMNS_(T);                                                              \
        while (columns / 2 >= end - begin) columns /= 2;                                                  \
        NAME##_cpu_walk_(in, begin, end, columns, values, columns);                                       \
        return NAME##_cpu_fold_halves_(values, columns);                                                  \
    }

/* T NAME_cpu_chunk_(const In *in, size_t begin, size_t end): the better of the two. */
#define REDUCE_CPU_CHUNK_(NAME, In, T)                                                                    \
    REDUCE_HOST_ T NAME##_cpu_chunk_(const In *in, size_t begin, size_t end)                              \
    {                                                                                                     \
        if (NAME##_is_exact_) return NAME##_cpu_any_order_(in, begin, end);                               \
        return NAME##_cpu_by_tree_(in, begin, end);                                                       \
    }

/* void NAME_cpu_lanes_(...): the partial results of chunks into one lane each, and again from the first lane
   on. A lane is one thread's from its beginning to its end, so that threads meet once. */
#define REDUCE_CPU_LANES_(NAME, In, T)                                                                    \
    REDUCE_HOST_ void NAME##_cpu_lanes_(const In *in, size_t n, struct reduce_plan plan, T *lanes,        \
                                        ptrdiff_t count)                                                  \
    {                                                                                                     \
        REDUCE_PARALLEL_FOR_                                                                              \
        for (ptrdiff_t lane = 0; lane < count; lane++) {                                                  \
            lanes[lane] = NAME##_identity();                                                              \
            for (size_t k = (size_t)lane; k < plan.count; k += REDUCE_LANES) {                            \
                const size_t begin = k * plan.chunk, end = begin + REDUCE_MIN_(n - begin, plan.chunk);    \
                lanes[lane] = NAME##_combine(lanes[lane], NAME##_cpu_chunk_(in, begin, end));             \
            }                                                                                             \
        }                                                                                                 \
    }

/* The tree's plan, or where its order cannot be seen, chunks that cost fewer folds. */
REDUCE_HOST_ struct reduce_plan reduce_cpu_plan_(size_t n, size_t element_size, bool is_exact)
{
    struct reduce_plan plan = reduce_plan(n, element_size);
    if (is_exact && plan.count > 1) {
        plan.chunk *= 8;
        plan.count = reduce_divide_up_(n, plan.chunk);
    }
    return plan;
}

/* T NAME_cpu(const In *in, size_t n): the tree over an array in main memory. */
#define REDUCE_CPU_(NAME, In, T)                                                                          \
    REDUCE_HOST_ T NAME##_cpu(const In *in, size_t n)                                                     \
    {                                                                                                     \
        const struct reduce_plan plan = reduce_cpu_plan_(n, sizeof(In), NAME##_is_exact_);                \
        const size_t used = REDUCE_MIN_(plan.count, REDUCE_LANES);                                        \
        T lanes[REDUCE_LANES];                                                                            \
        if (plan.count == 0) return NAME##_final_(NAME##_identity());                                     \
        if (plan.count == 1) return NAME##_final_(NAME##_cpu_chunk_(in, 0, n));                           \
        NAME##_cpu_lanes_(in, n, plan, lanes, (ptrdiff_t)used);                                           \
        return NAME##_final_(NAME##_cpu_fold_(lanes, used));                                              \
    }

#ifdef __CUDACC__

/* ---- Where a thread is --------------------------------------------------------------------------------- */

struct reduce_place_ {
    bool in_row;     /* one dimension, no more blocks than slots; a power of two of whole warps if several */
    int lane, lanes; /* lanes: of the block, from the first of this warp on */
    unsigned thread, threads, block, blocks;
};

/* In blocks and grids of any shape. */
REDUCE_DEVICE_ struct reduce_place_ reduce_place_(void)
{
    struct reduce_place_ at;
    at.in_row = false;
    at.thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    at.threads = blockDim.x * blockDim.y * blockDim.z;
    at.block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    at.blocks = gridDim.x * gridDim.y * gridDim.z;
    at.lane = (int)(at.thread % REDUCE_WARP);
    at.lanes = (int)(at.threads - at.thread / REDUCE_WARP * REDUCE_WARP);
    return at;
}

/* In the library's own launches: the same, in fewer instructions. */
REDUCE_DEVICE_ struct reduce_place_ reduce_place_in_row_(void)
{
    const struct reduce_place_ at = {
        true, (int)(threadIdx.x % REDUCE_WARP), REDUCE_WARP, threadIdx.x, blockDim.x, blockIdx.x, gridDim.x};
    return at;
}

/* ---- One warp ---------------------------------------------------------------------------------------------
 *
 * A mask that names all 32 lanes is right in a partial warp too: lanes that do not exist need not arrive. But
 * no lane may read from them.
 */

/* Replaces a value by that of another lane: of from_lane, or if mask is not 0, of the lane whose number
   differs in those bits. All lanes of the warp call it. */
REDUCE_DEVICE_ void reduce_shuffle_(void *value, size_t size, int from_lane, int mask)
{
    REDUCE_UNROLL_
    for (size_t at = 0; at < size; at += 4) {
        unsigned word = 0;
        const size_t bytes = REDUCE_MIN_(size - at, 4);
        memcpy(&word, (char *)value + at, bytes);
        word = mask != 0 ? __shfl_xor_sync(~0u, word, mask) : __shfl_sync(~0u, word, from_lane);
        memcpy((char *)value + at, &word, bytes);
    }
}

/* From sm_80 on one instruction reduces 32-bit words over a whole warp. */
#define REDUCE_HAS_INSTRUCTION_(T) (REDUCE_IS_INTEGER_(T) && sizeof(T) <= 4 && !__is_same(T, bool))

/* All 32 lanes of the warp, each with an integer of up to 32 bits. True if there was such an instruction. For
   min and max: the greatest word, as unsigned, of bits that differ from the identity. */
REDUCE_DEVICE_ bool reduce_by_instruction_(void *value, const void *identity, size_t size,
                                           enum reduce_operator_ operator_)
{
#if REDUCE_ARCH_ >= 800
    unsigned word = 0, zero = 0;
    memcpy(&word, value, REDUCE_MIN_(size, 4));
    memcpy(&zero, identity, REDUCE_MIN_(size, 4));
    switch (operator_) {
        case REDUCE_SUM_: word = __reduce_add_sync(~0u, word); break;
        case REDUCE_MIN_MAX_: word = __reduce_max_sync(~0u, word ^ zero) ^ zero; break;
        case REDUCE_BAND_: word = __reduce_and_sync(~0u, word); break;
        case REDUCE_BOR_: word = __reduce_or_sync(~0u, word); break;
        case REDUCE_BXOR_: word = __reduce_xor_sync(~0u, word); break;
        default: return false;
    }
    memcpy(value, &word, REDUCE_MIN_(size, 4));
    return true;
#else
    (void)value, (void)identity, (void)size, (void)operator_;
    return false;
#endif
}

/* bool NAME_fold_at_once_(T *x, int width): NAME_fold_ by one instruction; false if there is none. */
#define REDUCE_FOLD_AT_ONCE_(NAME, T)                                                                     \
    REDUCE_DEVICE_ bool NAME##_fold_at_once_(T *x, int width)                                             \
    {                                                                                                     \
        const enum reduce_operator_ operator_ = (enum reduce_operator_)NAME##_operator_;                  \
        const T identity = NAME##_identity();                                                             \
        if (!REDUCE_HAS_INSTRUCTION_(T) || width != REDUCE_WARP) return false;                            \
        return reduce_by_instruction_(x, &identity, sizeof identity, operator_);                          \
    }

/* T NAME_fold_(T x, struct reduce_place_ at, int width): each group of width neighbouring lanes by itself, as
   far as its lanes exist. The result is in the first lane of a group, and in all of them if the operator
   commutes: a lane's partner is the first that has what it lacks, or in a row, where all exist, any. */
#define REDUCE_FOLD_(NAME, T)                                                                             \
    REDUCE_DEVICE_ T NAME##_fold_(T x, struct reduce_place_ at, int width)                                \
    {                                                                                                     \
        const int index = at.lane & (width - 1), first = at.lane - index;                                 \
        if (NAME##_fold_at_once_(&x, width)) return x;                                                    \
        REDUCE_UNROLL_                                                                                    \
        for (int half = (at.in_row ? width : REDUCE_WARP) / 2; half > 0; half /= 2) {                     \
            const int from = (index ^ half) & (2 * half - 1);                                             \
            const bool has_partner = at.in_row || (from < width && first + from < at.lanes);              \
            T partner = x;                                                                                \
            reduce_shuffle_(&partner, sizeof x, has_partner ? first + from : at.lane, at.in_row ? half : 0);\
            if (has_partner) x = NAME##_combine(x, partner);                                              \
        }                                                                                                 \
        return x;                                                                                         \
    }

/* T NAME_tile(T x, int width): each group of width = 1, 2, 4, 8, 16 or 32 neighbouring lanes by itself; the
   result in every lane. */
#define REDUCE_TILE_(NAME, T)                                                                             \
    REDUCE_DEVICE_ T NAME##_tile(T x, int width)                                                          \
    {                                                                                                     \
        const struct reduce_place_ at = reduce_place_();                                                  \
        x = NAME##_fold_(NAME##_combine(NAME##_identity(), x), at, width);                                \
        if (!NAME##_commutes_) reduce_shuffle_(&x, sizeof x, at.lane & ~(width - 1), 0);                  \
        return NAME##_final_(x);                                                                          \
    }

/* T NAME_warp(T x): all lanes of the warp; the result in every lane. */
#define REDUCE_WARP_ALL_(NAME, T)                                                                         \
    REDUCE_DEVICE_ T NAME##_warp(T x)                                                                     \
    {                                                                                                     \
        return NAME##_tile(x, REDUCE_WARP);                                                               \
    }

/* T NAME_warp_n(T x, int count): the first count lanes of the warp; all of its lanes call. */
#define REDUCE_WARP_N_(NAME, T)                                                                           \
    REDUCE_DEVICE_ T NAME##_warp_n(T x, int count)                                                        \
    {                                                                                                     \
        return NAME##_warp(reduce_place_().lane < count ? x : NAME##_identity());                         \
    }

/* Copies an object to or from shared memory that other lanes of the warp write: by volatile words, because C
   has no assignment between volatile structs. */
typedef uint32_t reduce_word_ __attribute__((may_alias));

REDUCE_DEVICE_ void reduce_copy_volatile_(volatile void *to, const volatile void *from, size_t size,
                                          size_t align)
{
    if (size % sizeof(reduce_word_) == 0 && align % sizeof(reduce_word_) == 0) {
        REDUCE_UNROLL_
        for (size_t at = 0; at < size / sizeof(reduce_word_); at++)
            ((volatile reduce_word_ *)to)[at] = ((const volatile reduce_word_ *)from)[at];
    } else {
        REDUCE_UNROLL_
        for (size_t at = 0; at < size; at++)
            ((volatile unsigned char *)to)[at] = ((const volatile unsigned char *)from)[at];
    }
}

/* void NAME_volatile_step_(volatile T *slice, int half): one lane's part of a step. */
#define REDUCE_VOLATILE_STEP_(NAME, T)                                                                    \
    REDUCE_DEVICE_ void NAME##_volatile_step_(volatile T *slice, int half)                                \
    {                                                                                                     \
        T x, partner;                                                                                     \
        reduce_copy_volatile_(&x, slice, sizeof(T), REDUCE_ALIGNMENT_(T));                                \
        reduce_copy_volatile_(&partner, slice + half, sizeof(T), REDUCE_ALIGNMENT_(T));                   \
        x = NAME##_combine(x, partner);                                                                   \
        reduce_copy_volatile_(slice, &x, sizeof(T), REDUCE_ALIGNMENT_(T));                                \
    }

/* T NAME_warp_volatile(volatile T *slice): 32 lanes over 32 values in shared memory; the result in every
   lane. The lanes of a warp do not run in lockstep: each step's writes must be seen before the next step's
   reads, the caller's writes before the first step, and the last read before the caller's next write. Within
   a step nothing is to be ordered: a lane below half writes only what no other lane reads. */
#define REDUCE_WARP_VOLATILE_(NAME, T)                                                                    \
    REDUCE_DEVICE_ T NAME##_warp_volatile(volatile T *slice)                                              \
    {                                                                                                     \
        const int lane = reduce_place_().lane;                                                            \
        T x;                                                                                              \
        for (int half = REDUCE_WARP / 2; half > 0; half /= 2) {                                           \
            __syncwarp();                                                                                 \
            if (lane < half) NAME##_volatile_step_(slice + lane, half);                                   \
        }                                                                                                 \
        __syncwarp();                                                                                     \
        reduce_copy_volatile_(&x, slice, sizeof(T), REDUCE_ALIGNMENT_(T));                                \
        __syncwarp();                                                                                     \
        return NAME##_final_(x);                                                                          \
    }

/* ---- One block ----------------------------------------------------------------------------------------- */

/* The address of shared memory, kept in a register: nvcc finds it anew for each use otherwise, which takes
   longer than the use. */
REDUCE_DEVICE_ void *reduce_shared_(void *memory)
{
#ifdef __CUDA_ARCH__
    unsigned address = (unsigned)__cvta_generic_to_shared(memory);
    asm("" : "+r"(address));
    memory = __cvta_shared_to_generic(address);
#endif
    return memory;
}

/* T NAME_fold_here_(T *values, int count): up to 16 values, a power of two of them, in one thread: the upper
   half onto the lower until one is left. One loop, which compilers unroll to the end: values stay in
   registers. */
#define REDUCE_FOLD_HERE_(NAME, T)                                                                        \
    REDUCE_DEVICE_ T NAME##_fold_here_(T *values, int count)                                              \
    {                                                                                                     \
        REDUCE_UNROLL_                                                                                    \
        for (int k = count - 1; k > 0; k--) {                                                             \
            const int half = k >= 8 ? 8 : k >= 4 ? 4 : k >= 2 ? 2 : 1;                                    \
            values[k - half] = NAME##_combine(values[k - half], values[k]);                               \
        }                                                                                                 \
        return values[0];                                                                                 \
    }

/* Copies size bytes, a multiple of 16, from an address that is one. */
struct reduce_16_bytes_ {
    uint32_t words[4];
} __attribute__((aligned(16), may_alias));

REDUCE_DEVICE_ void reduce_copy_wide_(void *to, const void *from, size_t size)
{
    REDUCE_UNROLL_
    for (size_t at = 0; at < size; at += 16) {
        const struct reduce_16_bytes_ bytes = *(const struct reduce_16_bytes_ *)((const char *)from + at);
        memcpy((char *)to + at, &bytes, sizeof bytes);
    }
}

/* T NAME_fold_warps_(const T *of_warp, ...): all threads of the first warp, which is whole. The results of
   all warps, and of those that do not exist the identity; the result in thread 0. It finds that by itself if
   the operator is light and warps are few: that is faster. */
#define REDUCE_FOLD_WARPS_(NAME, T)                                                                       \
    REDUCE_DEVICE_ T NAME##_fold_warps_(const T *of_warp, unsigned warps, struct reduce_place_ at)        \
    {                                                                                                     \
        enum { few = 16 }; /* in REDUCE_LANES at most */                                                     \
        const bool are_few = at.in_row || warps <= few;                                                   \
        T values[few];                                                                                    \
        at.lanes = REDUCE_WARP;                                                                           \
        if (!NAME##_is_light_ || !are_few)                                                                \
            return NAME##_fold_(of_warp[at.lane], at, at.in_row ? few : REDUCE_WARP);                     \
        reduce_copy_wide_(values, of_warp, sizeof values);                                                \
        return NAME##_fold_here_(values, few);                                                            \
    }

/* T NAME_across_warps_(T x, ...): all threads of the block, each warp with its result in lane 0; the block's
   in thread 0. A barrier must follow before the next call. */
#define REDUCE_ACROSS_WARPS_(NAME, T)                                                                     \
    REDUCE_DEVICE_ T NAME##_across_warps_(T x, struct reduce_place_ at)                                   \
    {                                                                                                     \
        __shared__ T room[REDUCE_WARP] __attribute__((aligned(16)));                                      \
        T *const of_warp = at.in_row ? room : (T *)reduce_shared_(room);                                  \
        const unsigned warps = (at.threads + REDUCE_WARP - 1) / REDUCE_WARP;                              \
        if (warps == 1) return x;                                                                         \
        if (at.lane == 0) of_warp[at.thread / REDUCE_WARP] = x;                                           \
        if (at.thread >= warps && at.thread < REDUCE_WARP) of_warp[at.thread] = NAME##_identity();        \
        __syncthreads();                                                                                  \
        return at.thread < REDUCE_WARP ? NAME##_fold_warps_(of_warp, warps, at) : x;                      \
    }

/* T NAME_first_of_block_(T x, ...): all threads of the block; the result in thread 0. A barrier must follow
   before the next call. */
#define REDUCE_FIRST_OF_BLOCK_(NAME, T)                                                                   \
    REDUCE_DEVICE_ T NAME##_first_of_block_(T x, struct reduce_place_ at)                                 \
    {                                                                                                     \
        return NAME##_across_warps_(NAME##_fold_(x, at, REDUCE_WARP), at);                                \
    }

/* T NAME_block(T x): all threads of the block; the result in every thread. May be called again at once: one
   barrier lies between each use of the shared memory and its next. */
#define REDUCE_BLOCK_(NAME, T)                                                                            \
    REDUCE_DEVICE_ T NAME##_block(T x)                                                                    \
    {                                                                                                     \
        __shared__ T room;                                                                                \
        T *const of_block = (T *)reduce_shared_(&room);                                                   \
        const struct reduce_place_ at = reduce_place_();                                                  \
        x = NAME##_first_of_block_(NAME##_combine(NAME##_identity(), x), at);                             \
        if (at.threads > REDUCE_WARP) {                                                                   \
            if (at.thread == 0) *of_block = x;                                                            \
            __syncthreads();                                                                              \
            x = *of_block;                                                                                \
        } else if (!NAME##_commutes_) {                                                                   \
            reduce_shuffle_(&x, sizeof x, 0, 0);                                                          \
        }                                                                                                 \
        return NAME##_final_(x);                                                                          \
    }

/* ---- Across blocks ------------------------------------------------------------------------------------- */

/* Memory on the device for one call at a time. Between calls all of it is zero, but for what lies behind the
   first 8 bytes of cell. */
typedef struct reduce_workspace {
    unsigned ticket;       /* blocks that are done */
    unsigned lock;         /* 1 while a thread holds cell */
    unsigned cell_is_used; /* for a T too large for compare-and-swap */
    unsigned char cell[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    unsigned long long slots[REDUCE_SLOTS * REDUCE_MAX_SIZE / 4] __attribute__((aligned(64)));
} reduce_workspace;

/* All threads of the grid: true in all threads of one block, the last to come here, which then sees what
   every other block wrote before. *ticket is zero before the first block comes and again after the last. The
   fences belong together: one publishes what this block wrote, the other lets the last block see what others
   did. */
REDUCE_ASIDE_ bool reduce_last_block(unsigned *ticket)
{
    __shared__ bool is_last;
    const struct reduce_place_ at = reduce_place_();
    __syncthreads();
    if (at.thread == 0) {
        __threadfence();
        is_last = atomicInc(ticket, at.blocks - 1) == at.blocks - 1;
        if (is_last) __threadfence();
    }
    __syncthreads();
    return is_last;
}

/* Slots hand values from block to block without a fence and without a counter. Every 4 bytes of a value
   travel with the number of a turn in one word, which is stored and loaded whole: who finds the turn in all
   words of a slot has the value.
     - Turn t of slot k, t = 1, 2, ..., is that of block k + (t - 1) * REDUCE_SLOTS, which publishes once.
       Only grids of more blocks than there are slots have a second turn.
     - A thread waits only for blocks of lower index than its own. They have started before it, and only the
       last block waits for all: every wait ends.
     - Whoever takes the last turn out of a slot empties it. So the next kernel finds it empty.
   A kernel that was aborted leaves slots that are not: see reduce_workspace_reset. */

#ifdef __CUDA_ARCH__
REDUCE_DEVICE_ void reduce_store_word_(unsigned long long *to, unsigned long long word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(to), "l"(word) : "memory");
}

REDUCE_DEVICE_ unsigned long long reduce_load_word_(unsigned long long *from)
{
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
}
#else
REDUCE_DEVICE_ void reduce_store_word_(unsigned long long *to, unsigned long long word)
{
    atomicExch(to, word);
}

REDUCE_DEVICE_ unsigned long long reduce_load_word_(unsigned long long *from)
{
    return atomicAdd(from, 0ull);
}
#endif

REDUCE_DEVICE_ unsigned long long *reduce_slot_(reduce_workspace *ws, unsigned k, size_t size)
{
    return ws->slots + k * ((size + 3) / 4);
}

REDUCE_DEVICE_ void reduce_publish_(unsigned long long *slot, const void *value, size_t size, unsigned turn)
{
    REDUCE_UNROLL_
    for (size_t at = 0; at < size; at += 4) {
        uint32_t bits = 0;
        memcpy(&bits, (const char *)value + at, REDUCE_MIN_(size - at, 4));
        reduce_store_word_(slot + at / 4, (unsigned long long)turn << 32 | bits);
    }
}

/* Loads a slot; true if all of it is of that turn. */
REDUCE_DEVICE_ bool reduce_look_(void *value, size_t size, unsigned long long *slot, unsigned turn)
{
    unsigned long long words[REDUCE_MAX_SIZE / 4];
    bool is_there = true;
    REDUCE_UNROLL_
    for (size_t at = 0; at < size; at += 4) words[at / 4] = reduce_load_word_(slot + at / 4);
    REDUCE_UNROLL_
    for (size_t at = 0; at < size; at += 4) {
        const uint32_t bits = (uint32_t)words[at / 4];
        is_there = is_there && words[at / 4] >> 32 == turn;
        memcpy((char *)value + at, &bits, REDUCE_MIN_(size - at, 4));
    }
    return is_there;
}

REDUCE_DEVICE_ void reduce_empty_(unsigned long long *slot, size_t size)
{
    REDUCE_UNROLL_
    for (size_t at = 0; at < size; at += 4) reduce_store_word_(slot + at / 4, 0);
}

/* void NAME_publish_(T x, ...): one thread of a block; after those blocks that share its slot. */
#define REDUCE_PUBLISH_(NAME, T)                                                                          \
    REDUCE_DEVICE_ void NAME##_publish_(T x, struct reduce_place_ at, reduce_workspace *ws)               \
    {                                                                                                     \
        const unsigned turn = at.in_row ? 0 : at.block / REDUCE_SLOTS;                                    \
        unsigned long long *slot = reduce_slot_(ws, at.block - turn * REDUCE_SLOTS, sizeof(T));           \
        T before = x;                                                                                     \
        if (turn > 0) {                                                                                   \
            while (!reduce_look_(&before, sizeof before, slot, turn)) continue;                           \
            x = NAME##_combine(before, x);                                                                \
        }                                                                                                 \
        reduce_publish_(slot, &x, sizeof x, turn + 1);                                                    \
    }

/* The atomic strategies combine all results into one cell. Which comes first differs from run to run, and so
   do the bits of a float sum. A cell of zero bits stands for the identity, so that it needs no setting up. */

REDUCE_DEVICE_ unsigned long long reduce_bits_(const void *value, size_t size)
{
    unsigned long long bits = 0;
    memcpy(&bits, value, REDUCE_MIN_(size, sizeof bits));
    return bits;
}

REDUCE_DEVICE_ void reduce_set_bits_(void *value, size_t size, unsigned long long bits)
{
    memcpy(value, &bits, REDUCE_MIN_(size, sizeof bits));
}

/* void NAME_swap_in_(unsigned long long *cell, T x): for a T that fits the cell; any thread. */
#define REDUCE_SWAP_IN_(NAME, T)                                                                          \
    REDUCE_DEVICE_ void NAME##_swap_in_(unsigned long long *cell, T x)                                    \
    {                                                                                                     \
        T value = NAME##_identity();                                                                      \
        const unsigned long long zero = reduce_bits_(&value, sizeof value);                               \
        unsigned long long seen, found = 0;                                                               \
        do {                                                                                              \
            seen = found;                                                                                 \
            reduce_set_bits_(&value, sizeof value, seen ^ zero);                                          \
            value = NAME##_combine(value, x);                                                             \
            found = atomicCAS(cell, seen, reduce_bits_(&value, sizeof value) ^ zero);                     \
        } while (found != seen);                                                                          \
    }

/* void NAME_lock_in_(reduce_workspace *ws, T x): for a larger T; any one thread of a warp. */
#define REDUCE_LOCK_IN_(NAME, T)                                                                          \
    REDUCE_DEVICE_ void NAME##_lock_in_(reduce_workspace *ws, T x)                                        \
    {                                                                                                     \
        T *cell = (T *)(void *)ws->cell;                                                                  \
        while (atomicCAS(&ws->lock, 0u, 1u) != 0) continue;                                               \
        __threadfence();                                                                                  \
        *cell = ws->cell_is_used ? NAME##_combine(*cell, x) : x;                                          \
        ws->cell_is_used = 1;                                                                             \
        __threadfence();                                                                                  \
        atomicExch(&ws->lock, 0u);                                                                        \
    }

/* T NAME_empty_cell_(reduce_workspace *ws): what is in the cell; one thread, after all others have merged. */
#define REDUCE_EMPTY_CELL_(NAME, T)                                                                       \
    REDUCE_DEVICE_ T NAME##_empty_cell_(reduce_workspace *ws)                                             \
    {                                                                                                     \
        T x = NAME##_identity();                                                                          \
        const unsigned long long zero = reduce_bits_(&x, sizeof x);                                       \
        unsigned long long *bits = (unsigned long long *)(void *)ws->cell;                                \
        if (sizeof(T) > sizeof *bits) {                                                                   \
            if (ws->cell_is_used) x = *(const T *)(const void *)ws->cell;                                 \
            ws->cell_is_used = 0;                                                                         \
        } else {                                                                                          \
            reduce_set_bits_(&x, sizeof x, *bits ^ zero);                                                 \
        }                                                                                                 \
        *bits = 0;                                                                                        \
        return x;                                                                                         \
    }

/* void NAME_merge_(T x, reduce_workspace *ws): one thread of each block or warp. */
#define REDUCE_MERGE_(NAME, T)                                                                            \
    REDUCE_DEVICE_ void NAME##_merge_(T x, reduce_workspace *ws)                                          \
    {                                                                                                     \
        if (sizeof(T) <= sizeof(unsigned long long))                                                      \
            NAME##_swap_in_((unsigned long long *)(void *)ws->cell, x);                                   \
        else                                                                                              \
            NAME##_lock_in_(ws, x);                                                                       \
    }

/* How the results of blocks or warps meet. */
enum reduce_way_ {
    REDUCE_BY_SLOTS_,      /* the last block waits for all others */
    REDUCE_TO_SLOTS_,      /* no block collects: the first of two launches */
    REDUCE_FROM_SLOTS_,    /* the second */
    REDUCE_BY_LAST_BLOCK_, /* the block that happens to finish last collects */
    REDUCE_BY_ATOMIC_WARP_,
    REDUCE_BY_ATOMIC_BLOCK_
};

struct reduce_meeting_ {
    enum reduce_way_ way;
    unsigned collector; /* the block that collects; a number that no block has if none is chosen beforehand */
    unsigned handed_in; /* results in slots when all are there */
};

/* Of count > 0 results. By slots, the collector keeps its own. */
REDUCE_BOTH_ struct reduce_meeting_ reduce_meeting_(enum reduce_way_ way, unsigned count)
{
    struct reduce_meeting_ meeting = {way, count, count};
    if (way == REDUCE_BY_SLOTS_) meeting.collector = meeting.handed_in = count - 1;
    if (way == REDUCE_FROM_SLOTS_) meeting.collector = 0;
    return meeting;
}

/* void NAME_meet_in_cell_(T of_warp, T of_block, ...): all threads of the grid, with the result of a warp in
   lane 0 and that of a block in thread 0. The last block writes *out. Not inlined: it is not to be in the way
   of the rest. */
#define REDUCE_MEET_IN_CELL_(NAME, T)                                                                     \
    REDUCE_ASIDE_ void NAME##_meet_in_cell_(T of_warp, T of_block, enum reduce_way_ way,                  \
                                            reduce_workspace *ws, T *out)                                 \
    {                                                                                                     \
        const struct reduce_place_ at = reduce_place_();                                                  \
        if (way == REDUCE_BY_ATOMIC_WARP_ && at.lane == 0) NAME##_merge_(of_warp, ws);                    \
        if (way == REDUCE_BY_ATOMIC_BLOCK_ && at.thread == 0) NAME##_merge_(of_block, ws);                \
        const bool is_last = reduce_last_block(&ws->ticket);                                              \
        if (is_last && at.thread == 0) *out = NAME##_final_(NAME##_empty_cell_(ws));                      \
    }

/* bool NAME_look_(T *value, ...): at slot k, for its last turn. */
#define REDUCE_LOOK_(NAME, T)                                                                             \
    REDUCE_DEVICE_ bool NAME##_look_(T *value, struct reduce_place_ at, unsigned k, unsigned handed_in,   \
                                     reduce_workspace *ws)                                                \
    {                                                                                                     \
        const unsigned turns = at.in_row ? 1 : (handed_in - k - 1) / REDUCE_SLOTS + 1;                    \
        return reduce_look_(value, sizeof(T), reduce_slot_(ws, k, sizeof(T)), turns);                     \
    }

/* void NAME_take_slot_(T *value, bool is_there, ...): waits for slot k, unless *value is there already, and
   empties it. */
#define REDUCE_TAKE_SLOT_(NAME, T)                                                                        \
    REDUCE_DEVICE_ void NAME##_take_slot_(T *value, bool is_there, struct reduce_place_ at, unsigned k,   \
                                          unsigned handed_in, reduce_workspace *ws)                       \
    {                                                                                                     \
        while (!is_there) is_there = NAME##_look_(value, at, k, handed_in, ws);                           \
        reduce_empty_(reduce_slot_(ws, k, sizeof(T)), sizeof(T));                                         \
    }

/* T NAME_take_many_(...): one thread's share of the results in slots: those in slot at.thread and every
   at.threads further. Where a T is small the next slot is loaded before this one is waited for. */
#define REDUCE_TAKE_MANY_(NAME, T)                                                                        \
    REDUCE_DEVICE_ T NAME##_take_many_(struct reduce_place_ at, unsigned handed_in, reduce_workspace *ws) \
    {                                                                                                     \
        const unsigned used = REDUCE_MIN_(handed_in, REDUCE_SLOTS);                                       \
        T x = NAME##_identity(), value = x, next = x;                                                     \
        bool is_there = false, is_next_there = false;                                                     \
        REDUCE_NO_UNROLL_                                                                                 \
        for (unsigned k = at.thread; k < used; k += at.threads) {                                         \
            if (sizeof(T) <= 8 && k + at.threads < used)                                                  \
                is_next_there = NAME##_look_(&next, at, k + at.threads, handed_in, ws);                   \
            NAME##_take_slot_(&value, is_there, at, k, handed_in, ws);                                    \
            x = NAME##_combine(x, value);                                                                 \
            value = next, is_there = is_next_there, is_next_there = false;                                \
        }                                                                                                 \
        return x;                                                                                         \
    }

/* The same, not inlined: most arrays have no more results than a block has threads. */
#define REDUCE_TAKE_MANY_ASIDE_(NAME, T)                                                                  \
    REDUCE_ASIDE_ T NAME##_take_many_aside_(unsigned handed_in, reduce_workspace *ws)                     \
    {                                                                                                     \
        return NAME##_take_many_(reduce_place_in_row_(), handed_in, ws);                                  \
    }

/* T NAME_take_slots_(...): the same; of one slot in little code. */
#define REDUCE_TAKE_SLOTS_(NAME, T)                                                                       \
    REDUCE_DEVICE_ T NAME##_take_slots_(struct reduce_place_ at, unsigned handed_in, reduce_workspace *ws)\
    {                                                                                                     \
        T x = NAME##_identity();                                                                          \
        if (!at.in_row) return NAME##_take_many_(at, handed_in, ws);                                      \
        if (handed_in > at.threads) return NAME##_take_many_aside_(handed_in, ws);                        \
        if (at.thread >= handed_in) return x;                                                             \
        NAME##_take_slot_(&x, false, at, at.thread, handed_in, ws);                                       \
        return x;                                                                                         \
    }

/* T NAME_collect_(T own, ...): all threads of the block that collects; each gets its share of the results in
   slots. The block's own result follows the others: it goes to the thread whose turn is next. */
#define REDUCE_COLLECT_(NAME, T)                                                                          \
    REDUCE_DEVICE_ T NAME##_collect_(T own, struct reduce_place_ at, unsigned handed_in,                  \
                                     reduce_workspace *ws)                                                \
    {                                                                                                     \
        __shared__ T last;                                                                                \
        const unsigned next = at.in_row ? handed_in & (at.threads - 1) : handed_in % at.threads;          \
        T x;                                                                                              \
        if (at.thread == 0) last = own;                                                                   \
        x = NAME##_take_slots_(at, handed_in, ws);                                                        \
        __syncthreads();                                                                                  \
        if (at.thread == next) x = NAME##_combine(x, last);                                               \
        return x;                                                                                         \
    }

/* bool NAME_hand_in_(T *x, ...): all threads of a block that is not chosen to collect; its result is in
   thread 0. True if it collects after all: then it has no result of its own. */
#define REDUCE_HAND_IN_(NAME, T)                                                                          \
    REDUCE_DEVICE_ bool NAME##_hand_in_(T *x, struct reduce_place_ at, enum reduce_way_ way,              \
                                        reduce_workspace *ws)                                             \
    {                                                                                                     \
        if (at.thread == 0) NAME##_publish_(*x, at, ws);                                                  \
        *x = NAME##_identity();                                                                           \
        return way == REDUCE_BY_LAST_BLOCK_ && reduce_last_block(&ws->ticket);                            \
    }

/* bool NAME_conclude_(T x, ...): all threads of the grid, each with its value. Each block hands in its
   result; one collects them, writes *out and returns true. None does if they meet in the cell. */
#define REDUCE_CONCLUDE_(NAME, T)                                                                         \
    REDUCE_DEVICE_ bool NAME##_conclude_(T x, struct reduce_place_ at, struct reduce_meeting_ meeting,    \
                                         reduce_workspace *ws, T *out)                                    \
    {                                                                                                     \
        const T of_warp = NAME##_fold_(x, at, REDUCE_WARP);                                               \
        x = NAME##_across_warps_(of_warp, at);                                                            \
        if (meeting.handed_in > 0) {                                                                      \
            const enum reduce_way_ way = meeting.way;                                                     \
            if (way >= REDUCE_BY_ATOMIC_WARP_) return NAME##_meet_in_cell_(of_warp, x, way, ws, out), false;\
            if (at.block != meeting.collector && !NAME##_hand_in_(&x, at, way, ws)) return false;         \
            x = NAME##_first_of_block_(NAME##_collect_(x, at, meeting.handed_in, ws), at);                \
        }                                                                                                 \
        if (at.thread == 0) *out = NAME##_final_(x);                                                      \
        return true;                                                                                      \
    }

/* bool NAME_grid(T x, reduce_workspace *ws, T *out): all threads of the grid; true in all threads of one
   block, which may read *out. The same bits for the same shape of grid and blocks. A workspace serves one
   call in a kernel. */
#define REDUCE_GRID_(NAME, T)                                                                             \
    REDUCE_DEVICE_ bool NAME##_grid(T x, reduce_workspace *ws, T *out)                                    \
    {                                                                                                     \
        const struct reduce_place_ at = reduce_place_();                                                  \
        const struct reduce_meeting_ meeting = reduce_meeting_(REDUCE_BY_SLOTS_, at.blocks);              \
        if (!NAME##_conclude_(NAME##_combine(NAME##_identity(), x), at, meeting, ws, out)) return false;  \
        __syncthreads();                                                                                  \
        return true;                                                                                      \
    }

/* ---- A whole array on the GPU -------------------------------------------------------------------------- */

/* 16 bytes that are read once, at an address that is a multiple of 16. If not is_there, none: then *to is
   anything. The device loads under a predicate: nvcc makes a branch or a copy of an if, and waits there. */
#ifdef __CUDA_ARCH__
REDUCE_DEVICE_ void reduce_load_16_(void *to, const void *from, bool is_there)
{
    uint4 bytes;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "=r"(bytes.x), "=r"(bytes.y), "=r"(bytes.z), "=r"(bytes.w)
                 : "l"(from), "r"((unsigned)is_there));
    memcpy(to, &bytes, sizeof bytes);
}
#else
REDUCE_DEVICE_ void reduce_load_16_(void *to, const void *from, bool is_there)
{
    if (is_there) reduce_copy_wide_(to, from, 16);
}
#endif

/* T NAME_operand_(In x, size_t i): element x, at index i, as an operand, rounded where the map computes. */
#define REDUCE_OPERAND_(NAME, In, T)                                                                      \
    REDUCE_DEVICE_ T NAME##_operand_(In x, size_t i)                                                      \
    {                                                                                                     \
        T operand = NAME##_map_(x, i);                                                                    \
        if (NAME##_is_mapped_ && !REDUCE_IS_INTEGER_(T)) reduce_round_(&operand, sizeof operand);         \
        return operand;                                                                                   \
    }

#define REDUCE_LOADS_ 4 /* of a lane that are in flight together */

#define REDUCE_IS_SIGNED_BYTE_(In) (__is_same(In, signed char) || (__is_same(In, char) && (char)-1 < 0))
#define REDUCE_IS_BYTE_(In)                                                                               \
    (__is_same(In, char) || __is_same(In, signed char) || __is_same(In, unsigned char))
#define REDUCE_ADDS_BYTES_(NAME, In, T)                                                                   \
    ((int)NAME##_operator_ == REDUCE_SUM_ && NAME##_converts_ && REDUCE_IS_BYTE_(In) &&                   \
     REDUCE_IS_INTEGER_(T) && sizeof(T) == 4)

/* NAME_is_wide_: one load of 16 bytes takes all positions of a lane. NAME_accumulators_ of a lane: one for
   each position, or fewer where the order cannot be seen. NAME_packs_: there a warp's loads can be neighbours
   too, so that few elements need few warps. NAME_step_: elements from one load of a lane to its next.
   NAME_between_: lanes' places for a warp's other loads, between its first and the next warp's.
   NAME_adds_bytes_: bytes are summed in 32 bits, for which there is an instruction. */
#define REDUCE_LAYOUT_(NAME, In, T)                                                                       \
    enum {                                                                                                \
        NAME##_positions_ = REDUCE_POSITIONS(sizeof(In)),                                                 \
        NAME##_is_wide_ = sizeof(In) * NAME##_positions_ == 16,                                           \
        NAME##_accumulators_ = NAME##_is_exact_ && NAME##_positions_ > 4 ? 4 : NAME##_positions_,         \
        NAME##_packs_ = NAME##_is_exact_ && sizeof(In) >= 4,                                              \
        NAME##_step_ = NAME##_positions_ * (NAME##_packs_ ? REDUCE_WARP : REDUCE_LANES),                  \
        NAME##_between_ = NAME##_packs_ ? (REDUCE_LOADS_ - 1) * REDUCE_WARP : 0,                          \
        NAME##_adds_bytes_ = REDUCE_ADDS_BYTES_(NAME, In, T)                                              \
    };

/* void NAME_load_(In *to, const In *from, bool are_there): the elements of a lane's positions, by one load
   where they fill it. */
#define REDUCE_LOAD_(NAME, In)                                                                            \
    REDUCE_DEVICE_ void NAME##_load_(In *to, const In *from, bool are_there)                              \
    {                                                                                                     \
        if (NAME##_is_wide_) {                                                                            \
            reduce_load_16_(to, from, are_there);                                                         \
        } else if (are_there) {                                                                           \
            REDUCE_UNROLL_                                                                                \
            for (int k = 0; k < NAME##_positions_; k++) to[k] = from[k];                                  \
        }                                                                                                 \
    }

/* struct NAME_chunk_: count elements from in on, whose indices start with i; wide loads take the first wide
   of them. struct NAME_lane_: the accumulators of a lane. */
#define REDUCE_CHUNK_(NAME, In, T)                                                                        \
    struct NAME##_chunk_ {                                                                                \
        const In *in;                                                                                     \
        size_t i;                                                                                         \
        unsigned count, wide;                                                                             \
    };                                                                                                    \
    struct NAME##_lane_ {                                                                                 \
        T values[NAME##_accumulators_];                                                                   \
    };

/* void NAME_add_(T *values, int position, T x): to a lane's accumulators. */
#define REDUCE_ADD_(NAME, In, T)                                                                          \
    REDUCE_DEVICE_ void NAME##_add_(T *values, int position, T x)                                         \
    {                                                                                                     \
        T *value = &values[position % NAME##_accumulators_];                                              \
        *value = NAME##_combine(*value, x);                                                               \
    }

/* Adds four bytes to a sum of 32 bits. */
REDUCE_DEVICE_ void reduce_add_bytes_(void *sum, const void *bytes, bool are_signed)
{
    uint32_t total, four;
    memcpy(&total, sum, sizeof total);
    memcpy(&four, bytes, sizeof four);
#ifdef __CUDA_ARCH__
    if (are_signed)
        total = (uint32_t)__dp4a((int)four, 0x01010101, (int)total);
    else
        total = __dp4a(four, 0x01010101u, total);
#else
    for (int k = 0; k < 32; k += 8)
        total += are_signed ? (uint32_t)(int8_t)(four >> k) : (uint32_t)(uint8_t)(four >> k);
#endif
    memcpy(sum, &total, sizeof total);
}

/* void NAME_take_(T *values, const In *x, size_t i): loaded elements, from index i on. */
#define REDUCE_TAKE_ONE_(NAME, In, T)                                                                     \
    REDUCE_DEVICE_ void NAME##_take_(T *values, const In *x, size_t i)                                    \
    {                                                                                                     \
        REDUCE_UNROLL_                                                                                    \
        for (int p = 0; p < NAME##_positions_; p += NAME##_adds_bytes_ ? 4 : 1)                           \
            if (NAME##_adds_bytes_)                                                                       \
                reduce_add_bytes_(&values[p / 4], x + p, REDUCE_IS_SIGNED_BYTE_(In));                     \
            else                                                                                          \
                NAME##_add_(values, p, NAME##_operand_(x[p], i + (size_t)p));                             \
    }

/* void NAME_take_wide_(T *values, struct NAME_chunk_ chunk, unsigned k): a lane's loads, from element k on;
   each has all of its elements or none. All loads come before the first use, so that they are in flight
   together. */
#define REDUCE_TAKE_WIDE_(NAME, In, T)                                                                    \
    REDUCE_DEVICE_ void NAME##_take_wide_(T *values, struct NAME##_chunk_ chunk, unsigned k)              \
    {                                                                                                     \
        In x[REDUCE_LOADS_][NAME##_positions_];                                                           \
        REDUCE_UNROLL_                                                                                    \
        for (unsigned s = 0; s < REDUCE_LOADS_; s++)                                                      \
            NAME##_load_(x[s], chunk.in + k + s * NAME##_step_, k + s * NAME##_step_ < chunk.wide);       \
        REDUCE_UNROLL_                                                                                    \
        for (unsigned s = 0; s < REDUCE_LOADS_; s++)                                                      \
            if (k + s * NAME##_step_ < chunk.wide)                                                        \
                NAME##_take_(values, x[s], chunk.i + k + s * NAME##_step_);                               \
    }

/* void NAME_take_some_(T *values, struct NAME_chunk_ chunk, unsigned k): as many of a lane's elements from k
   on as there are, at any address. */
#define REDUCE_TAKE_SOME_(NAME, In, T)                                                                    \
    REDUCE_DEVICE_ void NAME##_take_some_(T *values, struct NAME##_chunk_ chunk, unsigned k)              \
    {                                                                                                     \
        REDUCE_UNROLL_                                                                                    \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                  \
            if (k + p < chunk.count)                                                                      \
                NAME##_add_(values, (int)p, NAME##_operand_(chunk.in[k + p], chunk.i + k + p));           \
    }

/* struct NAME_lane_ NAME_walk_rest_(struct NAME_lane_ lane, struct NAME_chunk_ chunk): what wide loads have
   left. Not inlined: most chunks have nothing there, and are not to run past it. */
#define REDUCE_WALK_REST_(NAME, In, T)                                                                    \
    REDUCE_ASIDE_ struct NAME##_lane_ NAME##_walk_rest_(struct NAME##_lane_ lane, struct NAME##_chunk_ chunk)\
    {                                                                                                     \
        const struct reduce_place_ at = reduce_place_in_row_();                                           \
        const unsigned stripe = NAME##_positions_ * (NAME##_packs_ ? at.threads : REDUCE_LANES);          \
        const unsigned first = chunk.wide - chunk.wide % stripe;                                          \
        REDUCE_NO_UNROLL_                                                                                 \
        for (unsigned k = first + at.thread * NAME##_positions_; k < chunk.count; k += stripe)            \
            if (k >= chunk.wide) NAME##_take_some_(lane.values, chunk, k);                                \
        return lane;                                                                                      \
    }

/* T NAME_walk_(struct NAME_chunk_ chunk, at): this thread's lane. The loops are the same in all threads, with
   elements in them or not. */
#define REDUCE_WALK_(NAME, In, T)                                                                         \
    REDUCE_DEVICE_ T NAME##_walk_(struct NAME##_chunk_ chunk, struct reduce_place_ at)                    \
    {                                                                                                     \
        const unsigned own = (at.thread + at.thread / REDUCE_WARP * NAME##_between_) * NAME##_positions_; \
        unsigned k = 0;                                                                                   \
        struct NAME##_lane_ lane;                                                                         \
        REDUCE_UNROLL_                                                                                    \
        for (int p = 0; p < NAME##_accumulators_; p++) lane.values[p] = NAME##_identity();                \
        REDUCE_NO_UNROLL_                                                                                 \
        do {                                                                                              \
            NAME##_take_wide_(lane.values, chunk, k + own);                                               \
            k += REDUCE_LOADS_ * REDUCE_STRIPE_(In);                                                      \
        } while (k < chunk.wide);                                                                         \
        if (chunk.wide < chunk.count) lane = NAME##_walk_rest_(lane, chunk);                              \
        return NAME##_fold_here_(lane.values, NAME##_accumulators_);                                      \
    }

/* struct NAME_chunk_ NAME_chunk_of_(...): that of this thread's block. Wide loads take all but the last few
   elements, or none at an address that they cannot take. */
#define REDUCE_CHUNK_OF_(NAME, In)                                                                        \
    REDUCE_DEVICE_ struct NAME##_chunk_ NAME##_chunk_of_(const In *in, struct reduce_place_ at,           \
                                                         unsigned size, unsigned lack)                    \
    {                                                                                                     \
        const bool is_aligned = !NAME##_is_wide_ || (uintptr_t)in % 16 == 0;                              \
        struct NAME##_chunk_ chunk = {in, (size_t)at.block * size, size, 0};                              \
        chunk.in += chunk.i;                                                                              \
        if (at.block == at.blocks - 1) chunk.count -= lack;                                               \
        if (is_aligned) chunk.wide = chunk.count / NAME##_positions_ * NAME##_positions_;                 \
        REDUCE_KEEP_(chunk.wide);                                                                         \
        return chunk;                                                                                     \
    }

/* Blocks that are to fit a multiprocessor at least, where kernels take just more registers than so many leave
   each other: three for numbers of 8 bytes, where there is room for as many threads, two for results of some
   size. The smallest fit anyway, and the largest would spill. */
#define REDUCE_THREE_FIT_(NAME, In, T)                                                                    \
    (REDUCE_ARCH_ >= 800 && NAME##_commutes_ && sizeof(In) == 8 && sizeof(T) == 8)
#define REDUCE_TWO_FIT_(T) (sizeof(T) > 8 && sizeof(T) <= 32)
#define REDUCE_BLOCKS_(NAME, In, T) (REDUCE_THREE_FIT_(NAME, In, T) ? 3 : REDUCE_TWO_FIT_(T) ? 2 : 1)

/* The one kernel: block b walks chunk b; the last one lacks as many elements. */
#define REDUCE_KERNEL_(NAME, In, T)                                                                       \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_LANES, REDUCE_BLOCKS_(NAME, In, T))                      \
        NAME##_kernel_(const In *in, unsigned size, unsigned lack, struct reduce_meeting_ meeting,        \
                       reduce_workspace *ws, T *out)                                                      \
    {                                                                                                     \
        const struct reduce_place_ at = reduce_place_in_row_();                                           \
        const T x = NAME##_walk_(NAME##_chunk_of_(in, at, size, lack), at);                               \
        NAME##_conclude_(x, at, meeting, ws, out);                                                        \
    }

/* ---- From the host ------------------------------------------------------------------------------------- */

REDUCE_HOST_ cudaError_t reduce_workspace_destroy(reduce_workspace *ws)
{
    return cudaFree(ws);
}

REDUCE_HOST_ cudaError_t reduce_workspace_create(reduce_workspace **ws)
{
    reduce_workspace *memory = NULL;
    if (ws == NULL) return cudaErrorInvalidValue;
    cudaError_t status = cudaMalloc((void **)&memory, sizeof *memory);
    if (status == cudaSuccess) status = cudaMemset(memory, 0, sizeof *memory);
    if (status == cudaSuccess) status = cudaStreamSynchronize(0); /* cleared for every stream */
    if (status == cudaSuccess)
        *ws = memory;
    else
        cudaFree(memory);
    return status;
}

/* In stream order: makes a workspace ready again after a kernel that was aborted, or whose blocks did not all
   call NAME_grid. */
REDUCE_HOST_ cudaError_t reduce_workspace_reset(reduce_workspace *ws, cudaStream_t stream)
{
    return ws == NULL ? cudaErrorInvalidValue : cudaMemsetAsync(ws, 0, sizeof *ws, stream);
}

/* An array or a result, as the rules under ERRORS see it. */
struct reduce_range_ {
    uintptr_t address;
    size_t count, size, alignment;
};

REDUCE_HOST_ struct reduce_range_ reduce_range_(const void *address, size_t count, size_t size,
                                                size_t alignment)
{
    const struct reduce_range_ range = {(uintptr_t)address, count, size, alignment};
    return range;
}

#define REDUCE_RANGE_(address, count, T) reduce_range_(address, count, sizeof(T), REDUCE_ALIGNMENT_(T))

REDUCE_HOST_ cudaError_t reduce_check_range_(struct reduce_range_ range)
{
    if (range.address == 0 && range.count > 0) return cudaErrorInvalidValue;
    if (range.count > (UINTPTR_MAX - range.address) / range.size) return cudaErrorInvalidValue;
    if (range.count > REDUCE_MAX_ELEMENTS) return cudaErrorInvalidValue;
    if (range.address % range.alignment != 0) return cudaErrorMisalignedAddress;
    return cudaSuccess;
}

REDUCE_HOST_ cudaError_t reduce_check_(struct reduce_range_ in, struct reduce_range_ out)
{
    cudaError_t status = reduce_check_range_(in);
    if (status == cudaSuccess) status = reduce_check_range_(out);
    if (status != cudaSuccess) return status;
    const bool is_apart =
        out.address + out.size <= in.address || in.address + in.count * in.size <= out.address;
    return is_apart ? cudaSuccess : cudaErrorInvalidValue;
}

/* Threads in each block: only the lanes that have elements, when there is one chunk. */
REDUCE_HOST_ unsigned reduce_block_size_(size_t n, size_t element_size, bool packs)
{
    const size_t warp = (size_t)REDUCE_POSITIONS(element_size) * REDUCE_WARP * (packs ? REDUCE_LOADS_ : 1);
    const size_t warps = n > 0 ? reduce_divide_up_(n, warp) : 1;
    return (unsigned)(REDUCE_MIN_(warps, REDUCE_LANES / REDUCE_WARP) * REDUCE_WARP);
}

/* cudaError_t NAME_launch_(...): one launch. Without elements, one block hands in the identity. */
#define REDUCE_LAUNCH_(NAME, In, T)                                                                       \
    REDUCE_HOST_ cudaError_t NAME##_launch_(const In *in, size_t n, T *out, reduce_workspace *ws,         \
                                            enum reduce_way_ way, cudaStream_t stream)                    \
    {                                                                                                     \
        const struct reduce_plan plan = reduce_plan(n, sizeof(In));                                       \
        const bool collects_only = way == REDUCE_FROM_SLOTS_;                                             \
        const unsigned count = (unsigned)(n > 0 ? plan.count : 1), blocks = collects_only ? 1 : count;    \
        unsigned chunk = collects_only ? 0 : (unsigned)plan.chunk;                                        \
        const unsigned threads = reduce_block_size_(n, sizeof(In), NAME##_packs_);                        \
        unsigned lack = collects_only ? 0 : (unsigned)(count * plan.chunk - n);                           \
        struct reduce_meeting_ meeting = reduce_meeting_(way, count);                                     \
        void *arguments[] = {&in, &chunk, &lack, &meeting, &ws, &out};                                    \
        cudaError_t status = reduce_check_(REDUCE_RANGE_(in, n, In), REDUCE_RANGE_(out, 1, T));           \
        if (status != cudaSuccess || ws == NULL) return ws == NULL ? cudaErrorInvalidValue : status;      \
        return cudaLaunchKernel(NAME##_kernel_, dim3(blocks), dim3(threads), arguments, 0, stream);       \
    }

/* cudaError_t NAME_strategy(...): as NAME_async, by the strategy's one launch. */
#define REDUCE_STRATEGY_(NAME, In, T, strategy, way)                                                      \
    REDUCE_HOST_ cudaError_t NAME##_##strategy(const In *in, size_t n, T *out, reduce_workspace *ws,      \
                                               cudaStream_t stream)                                       \
    {                                                                                                     \
        return NAME##_launch_(in, n, out, ws, way, stream);                                               \
    }

/* cudaError_t NAME_two_launch(...): the end of the first launch is the barrier that the grid lacks. */
#define REDUCE_TWO_LAUNCH_(NAME, In, T)                                                                   \
    REDUCE_HOST_ cudaError_t NAME##_two_launch(const In *in, size_t n, T *out, reduce_workspace *ws,      \
                                               cudaStream_t stream)                                       \
    {                                                                                                     \
        cudaError_t status = NAME##_launch_(in, n, out, ws, REDUCE_TO_SLOTS_, stream);                    \
        if (status != cudaSuccess) return status;                                                         \
        return NAME##_launch_(in, n, out, ws, REDUCE_FROM_SLOTS_, stream);                                \
    }

/* What the simple call takes on the device, and where its input is. All zero: nothing is taken. */
struct reduce_trip_ {
    bool is_on_cpu; /* there is no GPU */
    bool is_away;   /* the input is on another device than the caller */
    int home;       /* the caller's device */
    void *memory;   /* one allocation: the workspace, the result, and the input if it had to be copied */
    reduce_workspace *ws;
    void *out;
    const void *in;
};

enum { REDUCE_TRIP_OUT_ = sizeof(reduce_workspace), REDUCE_TRIP_IN_ = REDUCE_TRIP_OUT_ + 256 };

/* A machine without a GPU or without a driver is no error, and leaves none behind. */
REDUCE_HOST_ bool reduce_has_gpu_(void)
{
    int devices = 0;
    const bool had_error = cudaPeekAtLastError() != cudaSuccess;
    const bool has_gpu = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
    if (!has_gpu && !had_error) (void)cudaGetLastError();
    return has_gpu;
}

/* Goes to the device that has the input, if it is on one. */
REDUCE_HOST_ cudaError_t reduce_trip_to_(struct reduce_trip_ *trip, struct cudaPointerAttributes where)
{
    cudaError_t status = cudaGetDevice(&trip->home);
    trip->is_away = status == cudaSuccess && where.type == cudaMemoryTypeDevice && where.device != trip->home;
    return trip->is_away ? cudaSetDevice(where.device) : status;
}

REDUCE_HOST_ cudaError_t reduce_trip_begin_(struct reduce_trip_ *trip, const void *in, size_t bytes)
{
    struct cudaPointerAttributes where;
    memset(&where, 0, sizeof where);
    trip->is_on_cpu = !reduce_has_gpu_();
    if (trip->is_on_cpu) return cudaSuccess;
    cudaError_t status = bytes > 0 ? cudaPointerGetAttributes(&where, in) : cudaSuccess;
    if (status == cudaSuccess) status = reduce_trip_to_(trip, where);
    const bool is_near = where.type == cudaMemoryTypeDevice || where.type == cudaMemoryTypeManaged;
    if (status == cudaSuccess) status = cudaMalloc(&trip->memory, REDUCE_TRIP_IN_ + (is_near ? 0 : bytes));
    if (status != cudaSuccess) return status;
    trip->ws = (reduce_workspace *)trip->memory;
    trip->out = (char *)trip->memory + REDUCE_TRIP_OUT_;
    trip->in = is_near ? in : (char *)trip->memory + REDUCE_TRIP_IN_;
    status = cudaMemset(trip->ws, 0, sizeof *trip->ws);
    if (status != cudaSuccess || is_near || bytes == 0) return status;
    return cudaMemcpy((char *)trip->memory + REDUCE_TRIP_IN_, in, bytes, cudaMemcpyHostToDevice);
}

/* Fetches the result if all went well so far; gives back everything in any case. The first error counts, and
   leaves the caller's result as it was. */
REDUCE_HOST_ cudaError_t reduce_trip_end_(struct reduce_trip_ *trip, cudaError_t status, void *result,
                                          size_t size)
{
    unsigned char fetched[REDUCE_MAX_SIZE];
    if (status == cudaSuccess) status = cudaMemcpy(fetched, trip->out, size, cudaMemcpyDeviceToHost);
    const cudaError_t freed = trip->memory != NULL ? cudaFree(trip->memory) : cudaSuccess;
    const cudaError_t returned = trip->is_away ? cudaSetDevice(trip->home) : cudaSuccess;
    if (status == cudaSuccess) status = freed;
    if (status == cudaSuccess) status = returned;
    if (status == cudaSuccess) memcpy(result, fetched, size);
    return status;
}

/* cudaError_t NAME(const In *in, size_t n, T *result): the simple call. */
#define REDUCE_CALL_(NAME, In, T)                                                                         \
    REDUCE_HOST_ cudaError_t NAME(const In *in, size_t n, T *result)                                      \
    {                                                                                                     \
        struct reduce_trip_ trip;                                                                         \
        memset(&trip, 0, sizeof trip);                                                                    \
        cudaError_t status = reduce_check_(REDUCE_RANGE_(in, n, In), REDUCE_RANGE_(result, 1, T));        \
        if (status != cudaSuccess) return status;                                                         \
        status = reduce_trip_begin_(&trip, in, n * sizeof(In));                                           \
        if (trip.is_on_cpu) return *result = NAME##_cpu(in, n), cudaSuccess;                              \
        if (status == cudaSuccess)                                                                        \
            status = NAME##_async((const In *)trip.in, n, (T *)trip.out, trip.ws, 0);                     \
        return reduce_trip_end_(&trip, status, result, sizeof(T));                                        \
    }

#endif /* __CUDACC__ */

/* ---- What users write ---------------------------------------------------------------------------------- */

#define REDUCE_GENERATE_CPU_(NAME, In, T)                                                                 \
    REDUCE_CHECK_TYPE_(NAME, T) REDUCE_LINE_                                                              \
    REDUCE_CHECK_TYPE_(NAME, In) REDUCE_LINE_                                                             \
    REDUCE_FINAL_(NAME, T) REDUCE_LINE_                                                                   \
    REDUCE_CPU_MAP_(NAME, In, T) REDUCE_LINE_                                                             \
    REDUCE_CPU_STRIPE_(NAME, T, begin, NAME##_identity()) REDUCE_LINE_                                    \
    REDUCE_CPU_STRIPE_(NAME, T, onto, x[k]) REDUCE_LINE_                                                  \
    REDUCE_CPU_WALK_(NAME, In, T) REDUCE_LINE_                                                            \
    REDUCE_CPU_FOLD_GROUPS_(NAME, T) REDUCE_LINE_                                                         \
    REDUCE_CPU_FOLD_HALVES_(NAME, T) REDUCE_LINE_                                                         \
    REDUCE_CPU_FOLD_(NAME, T) REDUCE_LINE_                                                                \
    REDUCE_CPU_BY_TREE_(NAME, In, T) REDUCE_LINE_                                                         \
    REDUCE_CPU_ANY_ORDER_(NAME, In, T) REDUCE_LINE_                                                       \
    REDUCE_CPU_CHUNK_(NAME, In, T) REDUCE_LINE_                                                           \
    REDUCE_CPU_LANES_(NAME, In, T) REDUCE_LINE_                                                           \
    REDUCE_CPU_(NAME, In, T) REDUCE_LINE_

#ifdef __CUDACC__

#define REDUCE_GENERATE_WARP_(NAME, T)                                                                    \
    REDUCE_FOLD_AT_ONCE_(NAME, T) REDUCE_LINE_                                                            \
    REDUCE_FOLD_(NAME, T) REDUCE_LINE_                                                                    \
    REDUCE_TILE_(NAME, T) REDUCE_LINE_                                                                    \
    REDUCE_WARP_ALL_(NAME, T) REDUCE_LINE_                                                                \
    REDUCE_WARP_N_(NAME, T) REDUCE_LINE_                                                                  \
    REDUCE_VOLATILE_STEP_(NAME, T) REDUCE_LINE_                                                           \
    REDUCE_WARP_VOLATILE_(NAME, T) REDUCE_LINE_

#define REDUCE_GENERATE_BLOCK_(NAME, T)                                                                   \
    REDUCE_FOLD_HERE_(NAME, T) REDUCE_LINE_                                                               \
    REDUCE_FOLD_WARPS_(NAME, T) REDUCE_LINE_                                                              \
    REDUCE_ACROSS_WARPS_(NAME, T) REDUCE_LINE_                                                            \
    REDUCE_FIRST_OF_BLOCK_(NAME, T) REDUCE_LINE_                                                          \
    REDUCE_BLOCK_(NAME, T) REDUCE_LINE_

#define REDUCE_GENERATE_GRID_(NAME, T)                                                                    \
    REDUCE_PUBLISH_(NAME, T) REDUCE_LINE_                                                                 \
    REDUCE_SWAP_IN_(NAME, T) REDUCE_LINE_                                                                 \
    REDUCE_LOCK_IN_(NAME, T) REDUCE_LINE_                                                                 \
    REDUCE_EMPTY_CELL_(NAME, T) REDUCE_LINE_                                                              \
    REDUCE_MERGE_(NAME, T) REDUCE_LINE_                                                                   \
    REDUCE_MEET_IN_CELL_(NAME, T) REDUCE_LINE_                                                            \
    REDUCE_LOOK_(NAME, T) REDUCE_LINE_                                                                    \
    REDUCE_TAKE_SLOT_(NAME, T) REDUCE_LINE_                                                               \
    REDUCE_TAKE_MANY_(NAME, T) REDUCE_LINE_                                                               \
    REDUCE_TAKE_MANY_ASIDE_(NAME, T) REDUCE_LINE_                                                         \
    REDUCE_TAKE_SLOTS_(NAME, T) REDUCE_LINE_                                                              \
    REDUCE_COLLECT_(NAME, T) REDUCE_LINE_                                                                 \
    REDUCE_HAND_IN_(NAME, T) REDUCE_LINE_                                                                 \
    REDUCE_CONCLUDE_(NAME, T) REDUCE_LINE_                                                                \
    REDUCE_GRID_(NAME, T) REDUCE_LINE_

#define REDUCE_GENERATE_KERNEL_(NAME, In, T)                                                              \
    REDUCE_OPERAND_(NAME, In, T) REDUCE_LINE_                                                             \
    REDUCE_LAYOUT_(NAME, In, T) REDUCE_LINE_                                                              \
    REDUCE_LOAD_(NAME, In) REDUCE_LINE_                                                                   \
    REDUCE_CHUNK_(NAME, In, T) REDUCE_LINE_                                                               \
    REDUCE_ADD_(NAME, In, T) REDUCE_LINE_                                                                 \
    REDUCE_TAKE_ONE_(NAME, In, T) REDUCE_LINE_                                                            \
    REDUCE_TAKE_WIDE_(NAME, In, T) REDUCE_LINE_                                                           \
    REDUCE_TAKE_SOME_(NAME, In, T) REDUCE_LINE_                                                           \
    REDUCE_WALK_REST_(NAME, In, T) REDUCE_LINE_                                                           \
    REDUCE_WALK_(NAME, In, T) REDUCE_LINE_                                                                \
    REDUCE_CHUNK_OF_(NAME, In) REDUCE_LINE_                                                               \
    REDUCE_KERNEL_(NAME, In, T) REDUCE_LINE_

#define REDUCE_GENERATE_CALLS_(NAME, In, T)                                                               \
    REDUCE_LAUNCH_(NAME, In, T) REDUCE_LINE_                                                              \
    REDUCE_STRATEGY_(NAME, In, T, last_block, REDUCE_BY_LAST_BLOCK_) REDUCE_LINE_                         \
    REDUCE_STRATEGY_(NAME, In, T, atomic_warp, REDUCE_BY_ATOMIC_WARP_) REDUCE_LINE_                       \
    REDUCE_STRATEGY_(NAME, In, T, atomic_block, REDUCE_BY_ATOMIC_BLOCK_) REDUCE_LINE_                     \
    REDUCE_STRATEGY_(NAME, In, T, async, REDUCE_BY_SLOTS_) REDUCE_LINE_                                   \
    REDUCE_TWO_LAUNCH_(NAME, In, T) REDUCE_LINE_                                                          \
    REDUCE_CALL_(NAME, In, T) REDUCE_LINE_

#define REDUCE_GENERATE_GPU_(NAME, In, T)                                                                 \
    REDUCE_GENERATE_WARP_(NAME, T) REDUCE_LINE_                                                           \
    REDUCE_GENERATE_BLOCK_(NAME, T) REDUCE_LINE_                                                          \
    REDUCE_GENERATE_GRID_(NAME, T) REDUCE_LINE_                                                           \
    REDUCE_GENERATE_KERNEL_(NAME, In, T) REDUCE_LINE_                                                     \
    REDUCE_GENERATE_CALLS_(NAME, In, T) REDUCE_LINE_

#else
#define REDUCE_GENERATE_GPU_(NAME, In, T)
#endif

#define REDUCE_GENERATE_(NAME, In, T)                                                                     \
    REDUCE_GENERATE_CPU_(NAME, In, T)                                                                     \
    REDUCE_GENERATE_GPU_(NAME, In, T)

/* REDUCE_DEFINE_ to define NAME, or REDUCE_NOTHING_ where the macro REDUCE_HAVE_NAME says that it is done. */
#define REDUCE_UNLESS_(mark) REDUCE_UNLESS_MARKED_(mark)
#define REDUCE_UNLESS_MARKED_(mark) REDUCE_SECOND_(REDUCE_MARKED_##mark, REDUCE_DEFINE_, )
#define REDUCE_MARKED_ , REDUCE_NOTHING_
#define REDUCE_MARKED_1 , REDUCE_NOTHING_
#define REDUCE_SECOND_(...) REDUCE_SECOND_OF_(__VA_ARGS__)
#define REDUCE_SECOND_OF_(first, second, ...) second
#define REDUCE_NOTHING_(...)

#define REDUCE_DEFINE_(NAME, In, T, IS_MAPPED, EXPR_OF_X, map, text, IDENTITY, ...)                       \
    REDUCE_CHECK_ONCE_(NAME, #NAME) REDUCE_LINE_                                                          \
    REDUCE_OPERATOR_(NAME, T, IDENTITY, __VA_ARGS__) REDUCE_LINE_                                         \
    REDUCE_MAP_(NAME, In, T, IS_MAPPED, EXPR_OF_X) REDUCE_LINE_                                           \
    REDUCE_TRAITS_(NAME, T, map, text) REDUCE_LINE_                                                       \
    REDUCE_GENERATE_(NAME, In, T)

#define DEFINE_REDUCE(T, op)                                                                              \
    REDUCE_CHECK_PLACE_("reduce_" #T "_" #op) REDUCE_LINE_                                                \
    REDUCE_CHECK_WORD_(#T) REDUCE_LINE_                                                                   \
    REDUCE_CHECK_OPERATOR_("reduce_" #T "_" #op, T, #op, REDUCE_EXPANDED_(REDUCE_IDENTITY_##op(T)),       \
                           REDUCE_EXPANDED_(REDUCE_COMBINE_##op(T, a, b))) REDUCE_LINE_                   \
    REDUCE_UNLESS_(REDUCE_HAVE_reduce_##T##_##op)                                                         \
    (reduce_##T##_##op, T, T, 0, x, "x", REDUCE_TEXT_OF_(#op, #T), REDUCE_IDENTITY_##op(T),               \
     REDUCE_COMBINE_##op(T, a, b))

#define DEFINE_REDUCE_AS(NAME, T, IDENTITY, ...)                                                          \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                               \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME)                                                                    \
    (NAME, T, T, 0, x, "x", #IDENTITY ", " #__VA_ARGS__, IDENTITY, __VA_ARGS__)

#define DEFINE_REDUCE_MAP(NAME, In, T, EXPR_OF_X, IDENTITY, ...)                                          \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                               \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME)                                                                    \
    (NAME, In, T, 1, EXPR_OF_X, #EXPR_OF_X, #IDENTITY ", " #__VA_ARGS__, IDENTITY, __VA_ARGS__)

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif /* REDUCE_CUH */

/*
 * MIT License. Copyright (c) 2026 the reduce.cuh authors.
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
 * associated documentation files (the "Software"), to deal in the Software without restriction, including
 * without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
 * following conditions: The above copyright notice and this permission notice shall be included in all copies
 * or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
 * EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A
 * PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
 * ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
