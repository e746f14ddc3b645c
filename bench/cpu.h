/* cpu.h: what cpu.c and cpu_std.cc share. */
#ifndef BENCH_CPU_H
#define BENCH_CPU_H

#include <stddef.h>

typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_;
typedef unsigned uint_;
typedef long long llong;
typedef unsigned long long ullong;

#define CPU_NUMBER_OPS_(X, T) X(T, sum) X(T, prod) X(T, min) X(T, max) X(T, land) X(T, lor)
#define CPU_INTEGER_OPS_(X, T) CPU_NUMBER_OPS_(X, T) X(T, band) X(T, bor) X(T, bxor)
#define CPU_FLOATING_OPS_(X, T) CPU_NUMBER_OPS_(X, T) X(T, fmin) X(T, fmax)

/* X(T, op) */
#define CPU_KINDS(X)                                                                                      \
    CPU_FLOATING_OPS_(X, float)                                                                           \
    CPU_FLOATING_OPS_(X, double)                                                                          \
    CPU_INTEGER_OPS_(X, schar)                                                                            \
    CPU_INTEGER_OPS_(X, uchar)                                                                            \
    CPU_INTEGER_OPS_(X, short)                                                                            \
    CPU_INTEGER_OPS_(X, ushort_)                                                                          \
    CPU_INTEGER_OPS_(X, int)                                                                              \
    CPU_INTEGER_OPS_(X, uint_)                                                                            \
    CPU_INTEGER_OPS_(X, llong)                                                                            \
    CPU_INTEGER_OPS_(X, ullong)

/* std::reduce, in one thread, from the first of n > 0 elements on: T cpu_std_T_op(const T *in, size_t n). */
#ifdef __cplusplus
extern "C" {
#endif
#define CPU_DECLARE_STD_(T, op) T cpu_std_##T##_##op(const T *in, size_t n);
CPU_KINDS(CPU_DECLARE_STD_)
#ifdef __cplusplus
}
#endif

#endif /* BENCH_CPU_H */
