/*
 * The tree of the contract (reduce.cuh, "The tree"), evaluated literally: one strand after the other, with or
 * without elements. It leaves nothing out, and shares nothing with the header. For C and CUDA. The constants are
 * those of the contract, unless small_tree.h came first.
 *
 *     DEFINE_TREE(NAME, In, T, EXPR_OF_X, IDENTITY, EXPR_OF_A_B)   T NAME_tree(const In *in, size_t n)
 *     DEFINE_TREE_INTEGER(T, op), DEFINE_TREE_FLOATING(T, op)     T reduce_T_op_tree(const T *in, size_t n)
 *     DEFINE_WITH_TREE(kind, T, op)     the same, INTEGER or FLOATING, and DEFINE_REDUCE(T, op)
 *
 * This file defines the built-in operators itself. In the end a NaN result gets its pattern.
 */
#ifndef TREE_H
#define TREE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TREE_UNUSED static inline __attribute__((unused))
#define TREE_APART static __attribute__((unused, noinline)) /* the compiler fuses nothing across its calls */

/* ---- The plan --------------------------------------------------------------------------------------- */

#ifndef TREE_STRANDS
#    define TREE_STRANDS 512
#    define TREE_MAX_CHUNKS 4096
#    define TREE_SLOTS 4096 /* for the results of a grid's blocks: grid.h */
#    define TREE_SINGLE 8
#    define TREE_LOW 128
#    define TREE_SPREAD 256
#    define TREE_TALL 16
#endif

/* Neighbours of a strand: the greatest power of two that fits 16 bytes, or one. */
TREE_UNUSED size_t tree_positions(size_t size)
{
    size_t positions = 16;
    while (positions > 1 && positions * size > 16) positions /= 2;
    return positions;
}

TREE_UNUSED size_t tree_divide_up(size_t a, size_t b)
{
    return a == 0 ? 0 : (a - 1) / b + 1;
}

/* Elements of a stripe. */
TREE_UNUSED size_t tree_stripe(size_t size)
{
    return TREE_STRANDS * tree_positions(size);
}

/* n elements in units of a stripe of elements of 16 bytes. */
TREE_UNUSED size_t tree_units(size_t n, size_t size)
{
    return tree_divide_up(n, tree_stripe(size)) * (size < 32 ? 1 : size / 16);
}

/* Units in a chunk, of several: up to 128 units go into chunks of 2, up to 4 * 256 into chunks of 4, up to
   16 * 256 into 256 chunks, up to 16 * 4096 into chunks of 16, more into 4096 chunks. */
TREE_UNUSED size_t tree_height(size_t units)
{
    return units <= TREE_LOW                      ? 2
           : units <= 4 * TREE_SPREAD             ? 4
           : units <= TREE_TALL * TREE_SPREAD     ? tree_divide_up(units, TREE_SPREAD)
           : units <= TREE_TALL * TREE_MAX_CHUNKS ? TREE_TALL
                                                  : tree_divide_up(units, TREE_MAX_CHUNKS);
}

/* Elements in a chunk: up to 8 units are one. */
TREE_UNUSED size_t tree_chunk(size_t n, size_t size)
{
    const size_t units = tree_units(n, size), of_stripe = size < 32 ? 1 : size / 16;
    return units <= TREE_SINGLE ? n : tree_divide_up(tree_height(units), of_stripe) * tree_stripe(size);
}

/* ---- The evaluation --------------------------------------------------------------------------------- */

TREE_UNUSED size_t tree_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

#define DEFINE_TREE(NAME, In, T, EXPR_OF_X, IDENTITY, ...)                                                 \
    TREE_APART T NAME##_tree_map(In x, size_t i)                                                           \
    {                                                                                                      \
        (void)i;                                                                                           \
        return EXPR_OF_X;                                                                                  \
    }                                                                                                      \
    TREE_APART T NAME##_tree_identity(void)                                                                \
    {                                                                                                      \
        return IDENTITY;                                                                                   \
    }                                                                                                      \
    TREE_APART T NAME##_tree_combine(T a, T b)                                                             \
    {                                                                                                      \
        return __VA_ARGS__;                                                                                \
    }                                                                                                      \
    /* count values, a power of two: the upper half onto the lower, until one is left */                   \
    TREE_APART T NAME##_tree_halve(T *x, size_t count)                                                     \
    {                                                                                                      \
        for (size_t half = count / 2; half > 0; half /= 2)                                                 \
            for (size_t k = 0; k < half; k++) x[k] = NAME##_tree_combine(x[k], x[k + half]);               \
        return x[0];                                                                                       \
    }                                                                                                      \
    /* all strands: each warp's, then the warps */                                                         \
    TREE_APART T NAME##_tree_strands(T *strands)                                                           \
    {                                                                                                      \
        T warps[TREE_STRANDS / 32];                                                                        \
        for (int w = 0; w < TREE_STRANDS / 32; w++) warps[w] = NAME##_tree_halve(strands + 32 * w, 32);    \
        return NAME##_tree_halve(warps, TREE_STRANDS / 32);                                                \
    }                                                                                                      \
    TREE_APART T NAME##_tree_chunk(const In *in, size_t begin, size_t end)                                 \
    {                                                                                                      \
        const size_t positions = tree_positions(sizeof(In));                                               \
        T strands[TREE_STRANDS];                                                                           \
        for (size_t strand = 0; strand < TREE_STRANDS; strand++) {                                         \
            T of_position[16];                                                                             \
            for (size_t p = 0; p < positions; p++) {                                                       \
                of_position[p] = NAME##_tree_identity();                                                   \
                for (size_t i = begin + strand * positions + p; i < end; i += TREE_STRANDS * positions)    \
                    of_position[p] = NAME##_tree_combine(of_position[p], NAME##_tree_map(in[i], i));       \
            }                                                                                              \
            strands[strand] = NAME##_tree_halve(of_position, positions);                                   \
        }                                                                                                  \
        return NAME##_tree_strands(strands);                                                               \
    }                                                                                                      \
    TREE_APART T NAME##_tree(const In *in, size_t n)                                                       \
    {                                                                                                      \
        const size_t chunk = tree_chunk(n, sizeof(In));                                                    \
        T strands[TREE_STRANDS];                                                                           \
        for (size_t k = 0; k < TREE_STRANDS; k++) strands[k] = NAME##_tree_identity();                     \
        for (size_t k = 0, at = 0; at < n; k++, at += chunk) {                                             \
            const T partial = NAME##_tree_chunk(in, at, at + tree_least(chunk, n - at));                   \
            strands[k % TREE_STRANDS] = NAME##_tree_combine(strands[k % TREE_STRANDS], partial);           \
        }                                                                                                  \
        T result = NAME##_tree_strands(strands);                                                           \
        tree_canonical(&result, TREE_KIND(T));                                                             \
        return result;                                                                                     \
    }

/* ---- Values ----------------------------------------------------------------------------------------- */

/* 'f', 'd', 'h' (half), 'b' (bfloat16), or 0 for a type without a pattern for NaN */
#ifdef __cplusplus
static inline char tree_kind(const void *)
{
    return 0;
}
static inline char tree_kind(const float *)
{
    return 'f';
}
static inline char tree_kind(const double *)
{
    return 'd';
}
#    ifdef __CUDA_FP16_TYPES_EXIST__
static inline char tree_kind(const __half *)
{
    return 'h';
}
#    endif
#    ifdef __CUDA_BF16_TYPES_EXIST__
static inline char tree_kind(const __nv_bfloat16 *)
{
    return 'b';
}
#    endif
#    define TREE_KIND(T) tree_kind((const T *)0)
#else
#    define TREE_KIND(T) _Generic(*(T *)0, float : 'f', double : 'd', default : 0)
#endif

/* The pattern of a NaN, by kind. */
TREE_UNUSED uint64_t tree_nan(char kind)
{
    return kind == 'f'   ? 0x7fc00000u
           : kind == 'd' ? 0x7ff8000000000000ull
           : kind == 'h' ? 0x7e00u
                         : 0x7fc0u;
}

TREE_UNUSED uint64_t tree_infinity(char kind)
{
    return kind == 'f'   ? 0x7f800000u
           : kind == 'd' ? 0x7ff0000000000000ull
           : kind == 'h' ? 0x7c00u
                         : 0x7f80u;
}

TREE_UNUSED void tree_canonical(void *value, char kind)
{
    const size_t size = kind == 'f' ? 4 : kind == 'd' ? 8 : 2;
    uint64_t bits = 0;
    if (kind == 0) return;
    memcpy(&bits, value, size);
    if ((bits & ~(1ull << (8 * size - 1))) > tree_infinity(kind)) bits = tree_nan(kind);
    memcpy(value, &bits, size);
}

/* ---- Built-in operators ----------------------------------------------------------------------------- */

/* Functions, because compilers suspect numbers and products that become a bool. */
TREE_UNUSED unsigned long long tree_greatest(size_t size, int is_unsigned)
{
    return is_unsigned ? ~0ull : (1ull << (8 * size - 1)) - 1;
}

TREE_UNUSED unsigned long long tree_least_integer(size_t size, int is_unsigned)
{
    return is_unsigned ? 0 : 1ull << (8 * size - 1);
}

TREE_UNUSED unsigned long long tree_product(unsigned long long a, unsigned long long b)
{
    return a * b;
}

#define TREE_IS_UNSIGNED(T) ((T)-1 > (T)0)
#define TREE_GREATEST(T) (T) tree_greatest(sizeof(T), TREE_IS_UNSIGNED(T))
#define TREE_LEAST(T) (T) tree_least_integer(sizeof(T), TREE_IS_UNSIGNED(T))
#define TREE_BITS(a) ((unsigned long long)(a))

#define TREE_INTEGER_sum(T) (T)0, (T)(TREE_BITS(a) + TREE_BITS(b))
#define TREE_INTEGER_prod(T) (T)1, (T)tree_product(TREE_BITS(a), TREE_BITS(b))
#define TREE_INTEGER_min(T) TREE_GREATEST(T), a < b ? a : b
#define TREE_INTEGER_max(T) TREE_LEAST(T), a > b ? a : b
#define TREE_INTEGER_band(T) (T) ~0ull, (T)(a & b)
#define TREE_INTEGER_bor(T) (T)0, (T)(a | b)
#define TREE_INTEGER_bxor(T) (T)0, (T)(a ^ b)
#define TREE_INTEGER_land(T) (T)1, (T)(a ? b ? 1 : 0 : 0)
#define TREE_INTEGER_lor(T) (T)0, (T)(a ? 1 : b ? 1 : 0)

/* Floating point, by way of a type that holds every value of T: a NaN loses or wins, and -0 is below +0. */
#define TREE_IS_NAN(a) ((a) != (a))
#define TREE_IS_ZERO(T, a) ((a) == (T)0)
#define TREE_IS_MINUS(a) (signbit((float)(a)) != 0)
#define TREE_LESS(T, a, b) ((a) < (b) || (TREE_IS_ZERO(T, a) && TREE_IS_ZERO(T, b) && TREE_IS_MINUS(a)))

#define TREE_FLOATING_sum(T) (T)0, (T)(a + b)
#define TREE_FLOATING_prod(T) (T)1, (T)(a * b)
#define TREE_FLOATING_min(T)                                                                               \
    (T) INFINITY, TREE_IS_NAN(a) ? a : TREE_IS_NAN(b) ? b : TREE_LESS(T, a, b) ? a : b
#define TREE_FLOATING_max(T)                                                                               \
    (T)(-INFINITY), TREE_IS_NAN(a) ? a : TREE_IS_NAN(b) ? b : TREE_LESS(T, a, b) ? b : a
#define TREE_FLOATING_fmin(T) (T) NAN, TREE_IS_NAN(a) ? b : TREE_IS_NAN(b) ? a : TREE_LESS(T, a, b) ? a : b
#define TREE_FLOATING_fmax(T) (T) NAN, TREE_IS_NAN(a) ? b : TREE_IS_NAN(b) ? a : TREE_LESS(T, a, b) ? b : a
#define TREE_FLOATING_land(T) (T)1, (T)(a != (T)0 ? b != (T)0 ? 1 : 0 : 0)
#define TREE_FLOATING_lor(T) (T)0, (T)(a != (T)0 ? 1 : b != (T)0 ? 1 : 0)

#define DEFINE_TREE_OF(NAME, T, ...) DEFINE_TREE(NAME, T, T, x, __VA_ARGS__)
#define DEFINE_TREE_INTEGER(T, op) DEFINE_TREE_OF(reduce_##T##_##op, T, TREE_INTEGER_##op(T))
#define DEFINE_TREE_FLOATING(T, op) DEFINE_TREE_OF(reduce_##T##_##op, T, TREE_FLOATING_##op(T))
#define DEFINE_WITH_TREE(kind, T, op) DEFINE_REDUCE(T, op) DEFINE_TREE_##kind(T, op)

#endif
