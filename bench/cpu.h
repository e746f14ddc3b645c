/* cpu.h: what cpu.c and cpu_std.cc share. */
#ifndef BENCH_CPU_H
#define BENCH_CPU_H

#include <stddef.h>

typedef signed char schar;

/* X(T, op) */
#define CPU_KINDS(X)                                                                                      \
    X(float, sum)                                                                                         \
    X(float, max)                                                                                         \
    X(double, sum)                                                                                        \
    X(double, max)                                                                                        \
    X(int, sum)                                                                                           \
    X(int, max)                                                                                           \
    X(short, max)                                                                                         \
    X(schar, max)

/* std::reduce, in one thread: T cpu_std_T_op(const T *in, size_t n). */
#ifdef __cplusplus
extern "C" {
#endif
#define CPU_DECLARE_STD_(T, op) T cpu_std_##T##_##op(const T *in, size_t n);
CPU_KINDS(CPU_DECLARE_STD_)
#ifdef __cplusplus
}
#endif

#endif /* BENCH_CPU_H */
