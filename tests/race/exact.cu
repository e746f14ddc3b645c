/* Correctly rounded sums with a small tree, for the thread sanitizer: they share data in shared memory, portion by portion
   and in all ways, in the workspace, and in blocks. */
#define CHECK_ALONE
#define REDUCE_STRANDS 128 /* more than the columns of doubles */
#define REDUCE_MAX_CHUNKS 3
#define REDUCE_SPREAD_ 3
#define REDUCE_LOW_ 6
#include "../small_tree.h"

#define REDUCE_EXACT_BLOCKS_(processors) ((void)(processors), 2)
#define REDUCE_EXACT_LOW_ 0
#define REDUCE_EXACT_LONE_ 0
#define REDUCE_EXACT_BY_DOUBLES_ 1 /* expanded where a NAME is defined */
#include "reduce_exact.cuh"

#include "../check.h"
#include "../exact.h"

DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(double)
#undef REDUCE_EXACT_BY_DOUBLES_
#define REDUCE_EXACT_BY_DOUBLES_ 0
DEFINE_REDUCE_EXACT_MAP(floats_by_columns, float, float, x)
DEFINE_REDUCE_EXACT_MAP(doubles_by_columns, double, double, x)

/* NAME_check(kind, n): an array, added to an accumulator twice and rounded; NAME_blocks(): two blocks after each other. */
#define DEFINE_CHECK(NAME, T)                                                                                \
    static void NAME##_check(enum exact_kind kind, size_t n, reduce_workspace *ws)                           \
    {                                                                                                        \
        T *const in = (T *)malloc(n * sizeof(T)), *const twice = (T *)malloc(2 * n * sizeof(T)), got;        \
        exact_fill(in, n, sizeof(T), kind, n);                                                               \
        memcpy(twice, in, n * sizeof(T));                                                                    \
        memcpy(twice + n, in, n * sizeof(T));                                                                \
        T *const device = (T *)to_device(in, n * sizeof(T)), *const out = (T *)device_room(sizeof(T), 0x5a); \
        struct reduce_exact_##T sum, *const to = (struct reduce_exact_##T *)device_room(sizeof sum, 0);      \
        CHECK(NAME##_async(device, n, out, ws, 0));                                                          \
        check_launch(); /* the host's part runs on the stack of the first launch */                          \
        CHECK(NAME##_accumulate_async(device, n, to, ws, 0));                                                \
        check_launch();                                                                                      \
        CHECK(NAME##_accumulate_async(device, n, to, ws, 0));                                                \
        check_launch();                                                                                      \
        from_device(&got, out, sizeof got);                                                                  \
        from_device(&sum, to, sizeof sum);                                                                   \
        const T expected = exact_##T(in, n), of_two = exact_##T(twice, 2 * n), of_sum = reduce_exact_##T##_round(&sum); \
        cr_assert(SAME_BITS(got, expected), "%s of %zu, %s: %s, not %s", #NAME, n, exact_kinds[kind], BITS(got), BITS(expected)); \
        cr_assert(SAME_BITS(of_sum, of_two), "%s of twice %zu, %s: %s, not %s", #NAME, n, exact_kinds[kind], BITS(of_sum), \
                  BITS(of_two));                                                                             \
        cr_assert(is_empty_workspace(ws), "%s of %zu: the workspace is not empty", #NAME, n);                \
        CHECK(cudaFree(device));                                                                             \
        CHECK(cudaFree(out));                                                                                \
        CHECK(cudaFree(to));                                                                                 \
        free(in);                                                                                            \
        free(twice);                                                                                         \
    }                                                                                                        \
    static __global__ void NAME##_kernel(const T *in, T *out)                                                \
    {                                                                                                        \
        const T first = NAME##_block(in[threadIdx.x]);                                                       \
        out[threadIdx.x] = NAME##_block(-in[threadIdx.x]);                                                   \
        out[blockDim.x + threadIdx.x] = first;                                                               \
    }                                                                                                        \
    static void NAME##_blocks(enum exact_kind kind, unsigned n)                                              \
    {                                                                                                        \
        enum { MOST = 100 };                                                                                 \
        T in[MOST], got[2 * MOST];                                                                           \
        exact_fill(in, n, sizeof(T), kind, n);                                                               \
        T *const device = (T *)to_device(in, sizeof in), *const out = (T *)device_room(sizeof got, 0x5a);    \
        NAME##_kernel<<<1, n>>>(device, out);                                                                \
        check_launch();                                                                                      \
        from_device(got, out, 2 * n * sizeof(T));                                                            \
        const T expected = exact_##T(in, n);                                                                 \
        for (size_t i = 0; i < n; i++) in[i] = -in[i];                                                       \
        const T of_minus = exact_##T(in, n);                                                                 \
        for (size_t i = 0; i < 2 * n; i++)                                                                   \
            cr_assert(i < n ? SAME_BITS(got[i], of_minus) : SAME_BITS(got[i], expected), "%s in a block of %u: %s", #NAME, n, BITS(got[i])); \
        CHECK(cudaFree(device));                                                                             \
        CHECK(cudaFree(out));                                                                                \
    }

DEFINE_CHECK(reduce_float_exact_sum, float)
DEFINE_CHECK(reduce_double_exact_sum, double)
DEFINE_CHECK(floats_by_columns, float)
DEFINE_CHECK(doubles_by_columns, double)

int main(void)
{
    /* One block of one warp, of all; two blocks; more than columns take at a time. */
    const size_t sizes[] = {50, 700, 3000, 2 * 3 * 16384 + 700};
    reduce_workspace *ws = NULL;
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    for (size_t k = 0; k < COUNT(sizes); k++) {
        reduce_float_exact_sum_check(EXACT_rising, sizes[k], ws);
        reduce_double_exact_sum_check(EXACT_near_, sizes[k], ws);
        reduce_float_exact_sum_check(EXACT_anywhere, sizes[k], ws);
        floats_by_columns_check(EXACT_anywhere, sizes[k], ws);
        doubles_by_columns_check(EXACT_anywhere, sizes[k], ws);
    }
    for (size_t n = 200; n < 500; n += 50) { /* one block of several warps, whose words are rounded at once */
        reduce_float_exact_sum_check(EXACT_words, n, ws);
        reduce_double_exact_sum_check(EXACT_words, n / 2, ws);
    }
    reduce_float_exact_sum_check(EXACT_special, 9000, ws);
    reduce_double_exact_sum_check(EXACT_special, 9000, ws);
    reduce_float_exact_sum_check(EXACT_rising, 128 * 1024 * 2 + 3000, ws); /* more than sums of doubles take at a time */
    reduce_double_exact_sum_check(EXACT_rising, 128 * 1024 * 2 + 3000, ws);
    reduce_float_exact_sum_blocks(EXACT_anywhere, 100);
    reduce_double_exact_sum_blocks(EXACT_special, 65);
    floats_by_columns_blocks(EXACT_near_, 31);
    doubles_by_columns_blocks(EXACT_anywhere, 96);
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
