/* REDUCE_NO_WAITING: NAME_async, NAME_grid, rows, columns, segments and exact sums have the same bits and wait for no other
   block, so that blocks may start in any order. Without it a grid whose blocks start from the last to the first does not end. */
#define REDUCE_NO_WAITING
#include "fold.h"
#include "reduce_async_n.cuh"
#include "reduce_exact.cuh"
#include "reduce_rows.cuh"
#include "tree.h"

TestSuite(no_waiting, .init = need_gpu);

DEFINE_TREE(trace6, words6, words6, x, no_words6(), trace_words6(a, b))
DEFINE_TREE(reduce_float_sum, float, float, x, 0, a + b)
DEFINE_REDUCE_ASYNC_N(trace6)
DEFINE_REDUCE_ROWS(reduce_u64_trace)
DEFINE_REDUCE_EXACT(double)

static reduce_workspace *new_workspace(void)
{
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    return ws;
}

#define EXPECT_TREE(NAME, T, n)                                                                           \
    do {                                                                                                  \
        T *const host = (T *)malloc((n) * sizeof(T)), got;                                                \
        fill_##T(host, n, 5);                                                                             \
        T *const in = (T *)to_device(host, (n) * sizeof(T)), *const out = (T *)device_room(sizeof got, 0);\
        const T tree = NAME##_tree(host, n);                                                              \
        CHECK(NAME##_async(in, n, out, ws, 0));                                                           \
        from_device(&got, out, sizeof got);                                                               \
        cr_expect(SAME_BITS(got, tree), #NAME "_async of %d: %s, the tree %s", n, BITS(got), BITS(tree)); \
        CHECK(NAME(host, n, &got));                                                                       \
        cr_expect(SAME_BITS(got, tree), #NAME " of %d: %s, the tree %s", n, BITS(got), BITS(tree));       \
        CHECK(NAME(in, n, &got));                                                                         \
        cr_expect(SAME_BITS(got, tree), #NAME " of %d there: %s, the tree %s", n, BITS(got), BITS(tree)); \
        CHECK(cudaFree(in));                                                                              \
        CHECK(cudaFree(out));                                                                             \
        free(host);                                                                                       \
    } while (0)

/* The kernel finds the number of elements on the device: blocks without elements wait for no block either. */
Test(no_waiting, numbers_on_the_device)
{
    static const size_t numbers[] = {0, 1, 3000, 20001};
    words6 *const host = (words6 *)malloc(20001 * sizeof *host), got;
    fill_words6(host, 20001, 6);
    words6 *const in = (words6 *)to_device(host, 20001 * sizeof *host), *const out = (words6 *)device_room(sizeof got, 0);
    reduce_workspace *ws = new_workspace();
    start_blocks_backwards();
    for (size_t k = 0; k < COUNT(numbers); k++) {
        size_t *const count = (size_t *)to_device(&numbers[k], sizeof *count);
        const words6 tree = trace6_tree(host, numbers[k]);
        CHECK(trace6_async_n(in, count, 20001, out, ws, 0));
        from_device(&got, out, sizeof got);
        cr_expect(SAME_BITS(got, tree), "of %zu: %s, the tree %s", numbers[k], BITS(got), BITS(tree));
        CHECK(cudaFree(count));
    }
    cr_expect(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    free(host);
}

Test(no_waiting, arrays)
{
    reduce_workspace *ws = new_workspace();
    for (int backwards = 0; backwards < 2; backwards++) {
        if (backwards) start_blocks_backwards();
        EXPECT_TREE(reduce_float_sum, float, 100);
        EXPECT_TREE(reduce_float_sum, float, 100003);
        EXPECT_TREE(trace6, words6, 0);
        EXPECT_TREE(trace6, words6, 20001);
    }
    CHECK(reduce_workspace_destroy(ws));
}

/* out: results on the device. */
static void expect_results(const u64 *out, const u64 *expected, size_t count, const char *of)
{
    u64 *const got = (u64 *)malloc(count * sizeof *got);
    from_device(got, out, count * sizeof *got);
    cr_expect(memcmp(got, expected, count * sizeof *got) == 0, "%zu %s", count, of);
    free(got);
}

/* Long rows, few columns and long segments, whose parts other blocks would collect. */
Test(no_waiting, shapes)
{
    enum { ALL = 60000 };
    static const size_t rows[] = {1, 3, 7, 400, 7500, 20000}; /* as columns, few and many, short and long */
    static const int64_t cuts[] = {0, 1, 1, 50000, 50100, ALL};
    static u64 in[ALL], expected[ALL];
    reduce_workspace *ws = new_workspace();
    fill_u64(in, ALL, 8);
    u64 *const device = (u64 *)to_device(in, sizeof in), *const out = (u64 *)device_room(sizeof expected, 0x5a);
    int64_t *const offsets = (int64_t *)to_device(cuts, sizeof cuts);
    start_blocks_backwards();
    for (size_t k = 0; k < COUNT(rows); k++) {
        const size_t n = ALL / rows[k];
        CHECK(reduce_u64_trace_rows_async(device, rows[k], n, n, out, ws, 0));
        reduce_u64_trace_rows_cpu(in, rows[k], n, n, expected);
        expect_results(out, expected, rows[k], "rows");
        CHECK(reduce_u64_trace_columns_async(device, n, rows[k], rows[k], out, ws, 0));
        reduce_u64_trace_columns_cpu(in, n, rows[k], rows[k], expected);
        expect_results(out, expected, rows[k], "columns");
    }
    CHECK(reduce_u64_trace_segments_async(device, offsets, COUNT(cuts) - 1, out, ws, 0));
    reduce_u64_trace_segments_cpu(in, cuts, COUNT(cuts) - 1, expected);
    expect_results(out, expected, COUNT(cuts) - 1, "segments");
    cr_expect(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    CHECK(cudaFree(offsets));
    CHECK(reduce_workspace_destroy(ws));
}

Test(no_waiting, exact_sums)
{
    enum { N = 60000 };
    static double in[N];
    reduce_workspace *ws = new_workspace();
    fill_double(in, N, 9);
    double *const device = (double *)to_device(in, sizeof in), *const out = (double *)device_room(sizeof *out, 0x5a), got;
    start_blocks_backwards();
    CHECK(reduce_double_exact_sum_async(device, N, out, ws, 0));
    from_device(&got, out, sizeof got);
    const double expected = reduce_double_exact_sum_cpu(in, N);
    cr_expect(SAME_BITS(got, expected), "%s, not %s", BITS(got), BITS(expected));
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    CHECK(reduce_workspace_destroy(ws));
}

static __global__ void of_grid(const u64 *in, reduce_workspace *ws, u64 *out)
{
    reduce_u64_trace_grid(in[blockIdx.x * blockDim.x + threadIdx.x], ws, out);
}

/* Up to as many blocks as slots; one block, and more blocks than threads. */
Test(no_waiting, grids)
{
    enum { MOST = REDUCE_SLOTS };
    static const int blocks[] = {1, 2, 45, MOST};
    static u64 in[2 * MOST];
    reduce_workspace *ws = new_workspace();
    fill_u64(in, 2 * MOST, 3);
    u64 *device = (u64 *)to_device(in, sizeof in), *out = (u64 *)device_room(sizeof *out, 0);
    start_blocks_backwards();
    for (size_t k = 0; k < COUNT(blocks); k++) {
        u64 got, strands[2] = {0, 0};
        of_grid<<<blocks[k], 2>>>(device, ws, out);
        check_launch();
        from_device(&got, out, sizeof got);
        for (int b = 0; b < blocks[k]; b++)
            strands[b % 2] = traced(strands[b % 2], reduce_u64_trace_of_block(in + 2 * b, 2));
        const u64 expected = traced(strands[0], strands[1]);
        cr_expect(got == expected, "%d blocks: %s, not %s", blocks[k], BITS(got), BITS(expected));
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    CHECK(reduce_workspace_destroy(ws));
}

#ifdef SIMT
/* The default, under another name, for blocks that start backwards: the simulator says that it never ends. */
Test(no_waiting, and_what_waits, .exit_code = 86)
{
    enum { N = 100000 };
    float *in = (float *)device_room(N * sizeof *in, 0), *out = (float *)device_room(sizeof *out, 0);
    start_blocks_backwards();
    simt_patience(1);
    const reduce_float_sum_input_ input = {in};
    CHECK(reduce_float_sum_launch_(input, N, out, new_workspace(), REDUCE_BY_SLOTS_, 0));
    check_launch();
}
#endif
