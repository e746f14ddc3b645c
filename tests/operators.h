/*
 * The built-in operators, for tables: EACH(kind, T, op) for each that a type has. kind is INTEGER or FLOATING.
 * For C and CUDA.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

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

#endif
