/*
 * The built-in operators and types, for tables: EACH(kind, T, op) for each operator of a type, where kind is INTEGER or
 * FLOATING; and ALL(EACH, T) for each type of a group, where ALL is one of the lists of operators. For C and CUDA.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

#include <stdbool.h>
#include <stddef.h>

#define INTEGER_OPERATORS(EACH, T)                                                                        \
    EACH(INTEGER, T, sum)                                                                                 \
    EACH(INTEGER, T, min)                                                                                 \
    EACH(INTEGER, T, max)                                                                                 \
    EACH(INTEGER, T, band)                                                                                \
    EACH(INTEGER, T, bor)                                                                                 \
    EACH(INTEGER, T, bxor)                                                                                \
    EACH(INTEGER, T, land)                                                                                \
    EACH(INTEGER, T, lor)                                                                                 \
    EACH(INTEGER, T, prod)

#define FLOATING_OPERATORS(EACH, T)                                                                       \
    EACH(FLOATING, T, sum)                                                                                \
    EACH(FLOATING, T, min)                                                                                \
    EACH(FLOATING, T, max)                                                                                \
    EACH(FLOATING, T, fmin)                                                                               \
    EACH(FLOATING, T, fmax)                                                                               \
    EACH(FLOATING, T, land)                                                                               \
    EACH(FLOATING, T, lor)                                                                                \
    EACH(FLOATING, T, prod)

/* Types in one word. */
typedef bool boolean;
typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_;
typedef unsigned uint_;
typedef unsigned long ulong_;
typedef long long llong;
typedef unsigned long long ullong;

#define INTEGERS_1(ALL, EACH) ALL(EACH, boolean) ALL(EACH, char) ALL(EACH, schar) ALL(EACH, uchar)
#define INTEGERS_2(ALL, EACH) ALL(EACH, short) ALL(EACH, ushort_)
#define INTEGERS_4(ALL, EACH) ALL(EACH, int) ALL(EACH, uint_)
#define INTEGERS_8(ALL, EACH) ALL(EACH, long) ALL(EACH, ulong_) ALL(EACH, llong) ALL(EACH, ullong)
#define FLOATS(ALL, EACH) ALL(EACH, float) ALL(EACH, double)
#define HALVES(ALL, EACH) ALL(EACH, __half) ALL(EACH, __nv_bfloat16)

/* Structs of 12 and 64 bytes whose sums are rounded: T T_zero(void), T T_added(T a, T b). */
#ifdef __CUDACC__
#define OPERATORS_BOTH static inline __attribute__((unused)) __host__ __device__
#else
#define OPERATORS_BOTH static inline __attribute__((unused))
#endif

#define STRUCT_OF_FLOATS(T, count)                                                                        \
    typedef struct {                                                                                      \
        float of[count];                                                                                  \
    } T;                                                                                                  \
    OPERATORS_BOTH T T##_zero(void)                                                                       \
    {                                                                                                     \
        T zero;                                                                                           \
        for (int k = 0; k < (count); k++) zero.of[k] = 0;                                                 \
        return zero;                                                                                      \
    }                                                                                                     \
    OPERATORS_BOTH T T##_added(T a, T b)                                                                  \
    {                                                                                                     \
        for (int k = 0; k < (count); k++) a.of[k] += b.of[k];                                             \
        return a;                                                                                         \
    }
STRUCT_OF_FLOATS(floats3, 3)
STRUCT_OF_FLOATS(floats16, 16)

#endif
