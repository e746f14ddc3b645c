/*
 * The reductions of the tests of reduce_parts.h and reduce_nccl.cuh: inputs of every kind, elements of 1 to 64 bytes, and
 * operators that show any change of the order, as functions of void pointers. Include small_tree.h and the header first.
 */
#ifndef PARTS_H
#define PARTS_H

#include "regions.h"

#include "reduce_inputs.cuh"
#include "reduce_results.cuh"

DEFINE_REDUCE_AS(trace8, u64, 0, traced(a, b))
DEFINE_REDUCE_AS(trace64, words16, no_words16(), trace_words16(a, b))
DEFINE_REDUCE_MAP(trace_bytes, u8, u64, mixed(x + 256 * (u64)i) | 1, 0, traced(a, b))
DEFINE_REDUCE_ZIP(zipped, u32, float, u64, ((u64)x << 8) + (u64)(y > 0) + i + 1, 0, traced(a, b))
DEFINE_REDUCE_WITH(scaled, float, float, float, x *c + (float)(i % 7), 0, a + b)
DEFINE_REDUCE_ZIP_WITH(added, float, float, float, float, (x - c) * (y + (float)(i % 7)), 0, a + b)

DEFINE_TREE_OF(trace8, u64, 0, traced(a, b))
DEFINE_TREE_OF(trace64, words16, no_words16(), trace_words16(a, b))
DEFINE_TREE(trace_bytes, u8, u64, mixed(x + 256 * (u64)i) | 1, 0, traced(a, b))

/* Where tree.h does not evaluate the tree, NAME_cpu is the reference: other tests check it. */
#define zipped_tree zipped_cpu
#define scaled_tree scaled_cpu
#define added_tree added_cpu
#define sum_of_bytes_tree sum_of_bytes_cpu
#define reduce_u32_sum_tree reduce_u32_sum_cpu
#define reduce_u16_argmax_tree reduce_u16_argmax_cpu
#define reduce_float_moments_tree reduce_float_moments_cpu

DEFINE_REDUCE(float, sum)
DEFINE_TREE_FLOATING(float, sum)
#ifndef FEW_TYPES
DEFINE_REDUCE_AS(trace1, u8, 0, (u8)traced(a, b))
DEFINE_REDUCE_AS(trace12, words3, no_words3(), trace_words3(a, b))
DEFINE_REDUCE_MAP(sum_of_bytes, i8, int, x, 0, REDUCE_COMBINE_sum(int, a, b))
DEFINE_REDUCE(u32, sum)
DEFINE_REDUCE(double, max)
DEFINE_REDUCE_ARG(u16, max)
DEFINE_REDUCE_MOMENTS(float)
DEFINE_TREE_OF(trace1, u8, 0, (u8)traced(a, b))
DEFINE_TREE_OF(trace12, words3, no_words3(), trace_words3(a, b))
DEFINE_TREE_FLOATING(double, max)
#endif

/* X(NAME, KIND, size of an element, of which both arrays of a ZIP are, fill) */
#define FEW_PARTS(X)                                                                                         \
    X(trace8, ARRAY, sizeof(u64), fill_bytes)                                                                \
    X(trace64, ARRAY, sizeof(words16), fill_bytes)                                                           \
    X(trace_bytes, ARRAY, sizeof(u8), fill_bytes)                                                            \
    X(reduce_float_sum, ARRAY, sizeof(float), fill_floats)
#define MORE_PARTS(X)                                                                                        \
    X(trace1, ARRAY, sizeof(u8), fill_bytes)                                                                 \
    X(trace12, ARRAY, sizeof(words3), fill_bytes)                                                            \
    X(sum_of_bytes, ARRAY, sizeof(i8), fill_bytes)                                                           \
    X(reduce_u32_sum, ARRAY, sizeof(u32), fill_bytes)                                                        \
    X(reduce_double_max, ARRAY, sizeof(double), fill_bytes) /* there are NaN among them */                   \
    X(reduce_u16_argmax, ARRAY, sizeof(u16), fill_bytes)                                                     \
    X(reduce_float_moments, ARRAY, sizeof(float), fill_floats)
#define PARTS_OF_INPUTS(X)                                                                                   \
    X(zipped, ZIP, sizeof(u32), fill_bytes)                                                                  \
    X(scaled, WITH, sizeof(float), fill_floats)                                                              \
    X(added, ZIP_WITH, sizeof(float), fill_floats)
#ifdef FEW_TYPES
#    define PARTS_OF_ARRAYS(X) FEW_PARTS(X)
#else
#    define PARTS_OF_ARRAYS(X) FEW_PARTS(X) MORE_PARTS(X)
#endif
#define PARTS(X) PARTS_OF_ARRAYS(X) PARTS_OF_INPUTS(X)

/* A call's first arguments, from a pointer p to the elements; and a list's. */
#define PASSED_ARRAY(NAME, p) (const NAME##_element *)(p), n
#define PASSED_ZIP(NAME, p) (const NAME##_first *)(p), (const NAME##_second *)(p), n
#define PASSED_WITH(NAME, p) (const NAME##_element *)(p), n, 0.7f
#define PASSED_ZIP_WITH(NAME, p) PASSED_ZIP(NAME, p), 0.7f
#define LISTED_ARRAY(NAME, p) (const NAME##_element *const *)(p), n
#define LISTED_ZIP(NAME, p) (const NAME##_first *const *)(p), (const NAME##_second *const *)(p), n
#define LISTED_WITH(NAME, p) (const NAME##_element *const *)(p), n, 0.7f
#define LISTED_ZIP_WITH(NAME, p) LISTED_ZIP(NAME, p), 0.7f

struct parted {
    const char *name;
    size_t size, result_size;
    void (*fill)(void *to, size_t bytes);
    void (*tree)(const void *in, size_t n, void *result);
    size_t (*cpu_chunks)(const void *part, size_t n, size_t first, size_t count, void *partials);
    void (*cpu_fold)(const void *partials, size_t n, void *result);
    cudaError_t (*chunks)(const void *part, size_t n, size_t first, size_t count, void *partials, cudaStream_t stream);
    cudaError_t (*fold)(const void *partials, size_t n, void *out, cudaStream_t stream);
};

#define DEFINE_PARTED(NAME, KIND, element_size, fill)                                                        \
    static void NAME##_parted_tree(const void *in, size_t n, void *result)                                   \
    {                                                                                                        \
        const NAME##_result x = NAME##_tree(PASSED_##KIND(NAME, in));                                        \
        memcpy(result, &x, sizeof x);                                                                        \
    }                                                                                                        \
    static size_t NAME##_parted_cpu(const void *in, size_t n, size_t first, size_t count, void *partials)    \
    {                                                                                                        \
        return NAME##_cpu_chunks(PASSED_##KIND(NAME, in), first, count, (NAME##_result *)partials);          \
    }                                                                                                        \
    static void NAME##_parted_cpu_fold(const void *partials, size_t n, void *result)                         \
    {                                                                                                        \
        const NAME##_result x = NAME##_cpu_fold((const NAME##_result *)partials, n);                         \
        memcpy(result, &x, sizeof x);                                                                        \
    }                                                                                                        \
    static cudaError_t NAME##_parted_chunks(const void *in, size_t n, size_t first, size_t count,            \
                                            void *partials, cudaStream_t stream)                             \
    {                                                                                                        \
        return NAME##_chunks_async(PASSED_##KIND(NAME, in), first, count, (NAME##_result *)partials, stream);\
    }                                                                                                        \
    static cudaError_t NAME##_parted_fold(const void *partials, size_t n, void *out, cudaStream_t stream)    \
    {                                                                                                        \
        return NAME##_fold_async((const NAME##_result *)partials, n, (NAME##_result *)out, stream);          \
    }
#define PARTED(NAME, KIND, element_size, fill)                                                               \
    {#NAME, element_size, sizeof(NAME##_result), fill, NAME##_parted_tree, NAME##_parted_cpu,                \
     NAME##_parted_cpu_fold, NAME##_parted_chunks, NAME##_parted_fold}
#define PARTED_OF(NAME, KIND, element_size, fill) PARTED(NAME, KIND, element_size, fill),

/* Ranks among which a size is shared: each number of them comes up, and more than there are chunks. */
HELPER int ranks_of(size_t k, int most)
{
    return (int)(k % (size_t)most) + 1;
}

/* ---- NCCL, for programs that have included reduce_nccl.cuh --------------------------------------------- */

#ifdef REDUCE_NCCL_CUH

struct nccl_subject {
    struct parted parted;
    ncclResult_t (*run)(const void *part, size_t n, void *out, reduce_workspace *ws, ncclComm_t comm, cudaStream_t stream);
    ncclResult_t (*run_all)(int gpus, void *const *parts, size_t n, void *const *outs, reduce_workspace *const *workspaces,
                            const ncclComm_t *comms, const cudaStream_t *streams);
};

#define DEFINE_NCCL(NAME, KIND, size, fill)                                                                  \
    static ncclResult_t NAME##_nccl_run(const void *part, size_t n, void *out, reduce_workspace *ws,         \
                                        ncclComm_t comm, cudaStream_t stream)                                \
    {                                                                                                        \
        return NAME##_nccl_async(PASSED_##KIND(NAME, part), (NAME##_result *)out, ws, comm, stream);         \
    }                                                                                                        \
    static ncclResult_t NAME##_nccl_run_all(int gpus, void *const *parts, size_t n, void *const *outs,       \
                                            reduce_workspace *const *workspaces, const ncclComm_t *comms,    \
                                            const cudaStream_t *streams)                                     \
    {                                                                                                        \
        return NAME##_nccl_all_async(gpus, LISTED_##KIND(NAME, parts), (NAME##_result *const *)outs,         \
                                     workspaces, comms, streams);                                            \
    }
#define NCCL_SUBJECT(NAME, KIND, size, fill)                                                                 \
    {PARTED(NAME, KIND, size, fill), NAME##_nccl_run, NAME##_nccl_run_all},

#endif

#endif
