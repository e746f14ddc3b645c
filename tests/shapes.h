/*
 * Many results of one NAME of any input, by every way: each row alone, rows, columns, an axis, segments, ranges of a
 * block. For C and CUDA. kind is ARRAY, ZIP, WITH or ZIP_WITH; of one array Y is anything, and Context is of the last two alone.
 *
 *     DEFINE_SHAPES(kind, NAME, X, Y, Context, who)      void NAME_shapes_who(enum way way, struct shape s,
 *                                                        const struct shaped *of); who is cpu, async or call
 *     DEFINE_RANGES(kind, NAME, X, Y, Context)           void NAME_in_blocks(struct shape s, const struct shaped *of,
 *                                                        dim3 block)
 */
#ifndef SHAPES_H
#define SHAPES_H

#include "reduce_inputs.cuh"
#include "reduce_rows.cuh"

/* So many results of n elements each; along an axis, inner of them lie side by side. pitch is for rows and columns.
   */
struct shape {
    size_t results, n, inner, pitch;
};

enum way { ALONE, ROWS, COLUMNS, AXIS, SEGMENTS, SEGMENTS_32, BLOCKS, WAYS };
static const char *const way_names[] = {"alone", "rows", "columns", "axis", "segments", "segments_32", "blocks"};

/* Where element j of result r lies; of segments their offsets say it. */
static inline size_t place_in_shape(enum way way, struct shape s, size_t r, size_t j)
{
    if (way == COLUMNS) return r + j * s.pitch;
    if (way == AXIS) return (r / s.inner * s.n + j) * s.inner + r % s.inner;
    return r * s.pitch + j;
}

/* The arrays that are reduced, and the place of the results: all where the executor reaches them, except the context. */
struct shaped {
    const void *first, *second, *context;
    const int64_t *offsets;
    const int32_t *offsets_32;
    void *out;
    void *ws; /* a reduce_workspace, for NAME_async */
};

#define SHAPES_FROM_ARRAY(at) x + (at)
#define SHAPES_FROM_ZIP(at) x + (at), y + (at)
#define SHAPES_FROM_WITH(at) x + (at)
#define SHAPES_FROM_ZIP_WITH(at) SHAPES_FROM_ZIP(at)
#define SHAPES_MORE_ARRAY
#define SHAPES_MORE_ZIP
#define SHAPES_MORE_WITH , context
#define SHAPES_MORE_ZIP_WITH , context

#define SHAPES_RUN_cpu(function, ...) function##_cpu(__VA_ARGS__)
#define SHAPES_RUN_async(function, ...) CHECK(function##_async(__VA_ARGS__, (reduce_workspace *)of->ws, 0))
#define SHAPES_RUN_call(function, ...) CHECK(function(__VA_ARGS__))
#define SHAPES_ALONE_cpu(NAME, to, ...) *(to) = NAME##_cpu(__VA_ARGS__)
#define SHAPES_ALONE_async(NAME, to, ...) CHECK(NAME##_async(__VA_ARGS__, to, (reduce_workspace *)of->ws, 0))
#define SHAPES_ALONE_call(NAME, to, ...) CHECK(NAME(__VA_ARGS__, to))

/* x, y, context, out: what is reduced, by the types of NAME. */
#define SHAPES_TYPED(NAME, X, Y, Context)                                                                   \
    const X *x = (const X *)of->first;                                                                      \
    const Y *y = (const Y *)of->second;                                                                     \
    const Context context = *(const Context *)of->context;                                                  \
    NAME##_result *out = (NAME##_result *)of->out;                                                          \
    (void)y, (void)context

#define DEFINE_SHAPES(kind, NAME, X, Y, Context, who)                                                       \
    static void NAME##_shapes_##who(enum way way, struct shape s, const struct shaped *of)                  \
    {                                                                                                       \
        SHAPES_TYPED(NAME, X, Y, Context);                                                                  \
        if (way == ALONE)                                                                                   \
            for (size_t r = 0; r < s.results; r++)                                                          \
                SHAPES_ALONE_##who(NAME, out + r, SHAPES_FROM_##kind(r * s.pitch), s.n SHAPES_MORE_##kind); \
        if (way == ROWS)                                                                                    \
            SHAPES_RUN_##who(NAME##_rows, SHAPES_FROM_##kind(0), s.results, s.n,                            \
                             s.pitch SHAPES_MORE_##kind, out);                                              \
        if (way == COLUMNS)                                                                                 \
            SHAPES_RUN_##who(NAME##_columns, SHAPES_FROM_##kind(0), s.n, s.results,                         \
                             s.pitch SHAPES_MORE_##kind, out);                                              \
        if (way == AXIS)                                                                                    \
            SHAPES_RUN_##who(NAME##_axis, SHAPES_FROM_##kind(0), s.inner == 0 ? 0 : s.results / s.inner,    \
                             s.n, s.inner SHAPES_MORE_##kind, out);                                         \
        if (way == SEGMENTS)                                                                                \
            SHAPES_RUN_##who(NAME##_segments, SHAPES_FROM_##kind(0), of->offsets,                           \
                             s.results SHAPES_MORE_##kind, out);                                            \
        if (way == SEGMENTS_32)                                                                             \
            SHAPES_RUN_##who(NAME##_segments_32, SHAPES_FROM_##kind(0), of->offsets_32,                     \
                             s.results SHAPES_MORE_##kind, out);                                            \
    }

/* One block for each row. The last thread of each has the result. */
#define DEFINE_RANGES(kind, NAME, X, Y, Context)                                                            \
    static __global__ void NAME##_ranges(const X *x, const Y *y, Context context, size_t n, size_t pitch,   \
                                         NAME##_result *out)                                                \
    {                                                                                                       \
        const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);        \
        (void)y, (void)context;                                                                             \
        const NAME##_result result =                                                                        \
            NAME##_block_range(SHAPES_FROM_##kind(blockIdx.x * pitch), n SHAPES_MORE_##kind);               \
        if (thread == blockDim.x * blockDim.y * blockDim.z - 1) out[blockIdx.x] = result;                   \
    }                                                                                                       \
    static void NAME##_in_blocks(struct shape s, const struct shaped *of, dim3 block)                       \
    {                                                                                                       \
        SHAPES_TYPED(NAME, X, Y, Context);                                                                  \
        if (s.results > 0) NAME##_ranges<<<(unsigned)s.results, block>>>(x, y, context, s.n, s.pitch, out); \
    }

#endif
