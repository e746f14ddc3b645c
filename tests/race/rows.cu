/* Rows, columns, segments and ranges of blocks, with a small tree, for the thread sanitizer: they share data in
   slots and in shared memory. */
#define CHECK_ALONE
#define REDUCE_WAVE_ 4
#define REDUCE_SMS_ 1 /* so that two blocks share the chunks of rows */
#include "../small_tree.h"

#include "reduce_rows.cuh"

#include "../check.h"

DEFINE_REDUCE_AS(narrow, u32, 0, (u32)traced(a, b))
DEFINE_REDUCE_AS(broad, words16, no_words16(), trace_words16(a, b))

/* NAME_columns_check(in, n, count): columns of n elements. NAME_rows_check(rows, n, start): rows that begin there.
   NAME_check(n): rows and some columns of n elements, segments of up to n, and a range of n. */
#define DEFINE_CHECK(NAME, T)                                                                                \
    DEFINE_REDUCE_ROWS(NAME)                                                                                 \
    static __global__ void NAME##_range_kernel(const T *in, size_t n, T *out)                                \
    {                                                                                                        \
        const T x = NAME##_block_range(in, n);                                                               \
        const T y = NAME##_block_range(in, n);                                                               \
        if (threadIdx.x == 0) out[0] = x, out[1] = y;                                                        \
    }                                                                                                        \
    static void NAME##_expect(const T *device, size_t k, T expected, const char *what)                       \
    {                                                                                                        \
        T got;                                                                                               \
        check_launch();                                                                                      \
        from_device(&got, device + k, sizeof got);                                                           \
        cr_assert(SAME_BITS(got, expected), "%s_%s, result %zu: %s, not %s", #NAME, what, k, BITS(got),      \
                  BITS(expected));                                                                           \
    }                                                                                                        \
    static void NAME##_columns_check(const T *in, size_t outer, size_t n, size_t count, reduce_workspace *ws)\
    {                                                                                                        \
        T *const column = (T *)malloc(n * sizeof(T));                                                        \
        T *const device = (T *)to_device(in, outer * count * n * sizeof(T));                                 \
        T *const out = (T *)device_room(outer * count * sizeof(T), 1);                                       \
        CHECK(NAME##_axis_async(device, outer, n, count, out, ws, 0));                                       \
        for (size_t r = 0; r < outer * count; r++) {                                                         \
            for (size_t k = 0; k < n; k++) column[k] = in[(r / count * n + k) * count + r % count];          \
            NAME##_expect(out, r, NAME##_cpu(column, n), "columns");                                         \
        }                                                                                                    \
        CHECK(cudaFree(device));                                                                             \
        CHECK(cudaFree(out));                                                                                \
        free(column);                                                                                        \
    }                                                                                                        \
    static void NAME##_rows_check(size_t rows, size_t n, size_t start, reduce_workspace *ws)                 \
    {                                                                                                        \
        const size_t all = start + rows * n;                                                                 \
        T *const in = (T *)malloc(all * sizeof(T));                                                          \
        for (size_t k = 0; k < all * sizeof(T); k++) ((u8 *)in)[k] = (u8)mixed(k);                           \
        T *const device = (T *)to_device(in, all * sizeof(T));                                               \
        T *const out = (T *)device_room(rows * sizeof(T), 1);                                                \
        CHECK(NAME##_rows_async(device + start, rows, n, n, out, ws, 0));                                    \
        check_launch(); /* the host's part runs on the stack of the first launch */                          \
        for (size_t r = 0; r < rows; r++) NAME##_expect(out, r, NAME##_cpu(in + start + r * n, n), "rows");  \
        CHECK(cudaFree(device));                                                                             \
        CHECK(cudaFree(out));                                                                                \
        free(in);                                                                                            \
    }                                                                                                        \
    static void NAME##_check(size_t n, reduce_workspace *ws)                                                 \
    {                                                                                                        \
        enum { ROWS = 3 };                                                                                   \
        T *in = (T *)malloc(ROWS * n * sizeof(T));                                                           \
        int64_t offsets[] = {0, 1, (int64_t)n, (int64_t)n + 5, (int64_t)(ROWS * n)};                         \
        for (size_t k = 0; k < ROWS * n * sizeof(T); k++) ((u8 *)in)[k] = (u8)mixed(k);                      \
        T *const device = (T *)to_device(in, ROWS * n * sizeof(T)), *out = (T *)device_room(8 * sizeof(T), 1);\
        int64_t *const device_offsets = (int64_t *)to_device(offsets, sizeof offsets);                       \
        NAME##_rows_check(ROWS, n, 0, ws);                                                                   \
        NAME##_columns_check(in, 1, n, ROWS, ws);                                                             \
        CHECK(NAME##_segments_async(device, device_offsets, 4, out, ws, 0));                                 \
        for (size_t r = 0; r < 4; r++)                                                                       \
            NAME##_expect(out, r, NAME##_cpu(in + offsets[r], (size_t)(offsets[r + 1] - offsets[r])), "segments");\
        NAME##_range_kernel<<<1, 96>>>(device, n, out);                                                      \
        for (size_t r = 0; r < 2; r++) NAME##_expect(out, r, NAME##_cpu(in, n), "block_range");              \
        cr_assert(is_empty_workspace(ws), "%s of %zu: the workspace is not empty", #NAME, n);                \
        CHECK(cudaFree(device));                                                                             \
        CHECK(cudaFree(device_offsets));                                                                     \
        CHECK(cudaFree(out));                                                                                \
        free(in);                                                                                            \
    }

DEFINE_CHECK(narrow, u32)
DEFINE_CHECK(broad, words16)

int main(void)
{
    reduce_workspace *ws = NULL;
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    narrow_check(7, ws);
    narrow_check(300, ws);
    narrow_check(301, ws);
    narrow_check(1500, ws);
    narrow_check(1501, ws);
    broad_check(40, ws);
    broad_check(400, ws);
    narrow_rows_check(9, 2500, 1, ws); /* by blocks */
    broad_rows_check(9, 601, 1, ws);
    narrow_rows_check(1, 101000, 1, ws); /* by blocks that have more chunks than they can fold at once */
    static const size_t counts[] = {3, 5, 8, 9, 21, 40}; /* up to 32 without gaps */
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const size_t count = counts[k];
        u32 *in = (u32 *)malloc(count * 2500 * sizeof *in);
        for (size_t i = 0; i < count * 2500; i++) in[i] = (u32)mixed(i);
        narrow_columns_check(in, 1, 500, count - (count == 40), ws); /* wide, and narrow */
        narrow_columns_check(in, 1, 33, count, ws);
        if (count <= 21) narrow_columns_check(in, 9, 256, count, ws); /* more blocks than run at once */
        free(in);
    }
    enum { MANY = 650 * 33 };
    words16 *const in = (words16 *)malloc(MANY * sizeof *in);
    for (size_t i = 0; i < MANY * sizeof *in; i++) ((u8 *)in)[i] = (u8)mixed(i);
    broad_columns_check(in, 1, 650, 9, ws); /* combs in passes */
    broad_columns_check(in, 11, 650, 3, ws); /* warps of the tree in passes, two to a block */
    free(in);
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
