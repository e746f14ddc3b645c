/*
 * array.h: the interface between array.cu and the two sides that it compares. Each type of each side is an object
 * file of its own, compiled with -DARRAY_TYPE=float and so on, so that a change of one does not recompile others.
 */
#ifndef BENCH_ARRAY_H
#define BENCH_ARRAY_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>

/* X(name, In, T): elements of type In are reduced in a T. */
#define ARRAY_TYPES(X)                                                                                    \
    X(int, int, int)                                                                                      \
    X(float, float, float)                                                                                \
    X(double, double, double)                                                                             \
    X(half, __half, float)                                                                                \
    X(bfloat16, __nv_bfloat16, float)                                                                     \
    X(schar, signed char, int)

enum array_op { ARRAY_SUM, ARRAY_MAX, ARRAY_OPS };

/* One side's way of reducing n elements of one type by one operator to *out, in stream order. */
struct array_reducer {
    cudaError_t (*reduce)(const void *in, size_t n, void *out, void *room, size_t room_bytes,
                          cudaStream_t stream);
    size_t (*room)(size_t n); /* bytes of device memory that it needs, zero at first */
    void (*on_cpu)(const void *in, size_t n, void *out); /* the same bits in main memory, or null */
};

/* ARRAY_NAME(a_, float) is a_float, and so it is when float comes from -DARRAY_TYPE=float. */
#define ARRAY_PASTE_(prefix, name) prefix##name
#define ARRAY_NAME(prefix, name) ARRAY_PASTE_(prefix, name)

#define ARRAY_DECLARE_(name, In, T)                                                                       \
    typedef In array_in_##name;                                                                           \
    typedef T array_result_##name;                                                                        \
    extern const struct array_reducer array_ours_##name[ARRAY_OPS], array_cub_##name[ARRAY_OPS];
ARRAY_TYPES(ARRAY_DECLARE_)

#ifdef ARRAY_TYPE
typedef ARRAY_NAME(array_in_, ARRAY_TYPE) array_in;
typedef ARRAY_NAME(array_result_, ARRAY_TYPE) array_result;
#endif

#endif /* BENCH_ARRAY_H */
