/* NAME_grid at the end of a kernel: grids and blocks of every shape, and more blocks than slots for partial
   results. */
#include "fold.h"

TestSuite(grid, .init = need_gpu);

struct launch {
    struct shape grid, block;
};

static const struct launch small[] = {
    {{1, 1, 1}, {1, 1, 1}},   {{1, 1, 1}, {33, 1, 1}},   {{1, 1, 1}, {1024, 1, 1}},
    {{2, 1, 1}, {1, 1, 1}},   {{3, 1, 1}, {256, 1, 1}},  {{3, 1, 1}, {1024, 1, 1}},
    {{31, 1, 1}, {32, 1, 1}}, {{132, 1, 1}, {96, 1, 1}}, {{4, 5, 6}, {4, 3, 5}},
    {{1, 33, 1}, {1, 33, 1}}, {{1, 1, 70}, {2, 2, 8}}};

/* About as many blocks as there are partial results, and more. In the simulator, where a block takes long, test_regions.cu
   has them with fewer slots, and one grid here has more blocks than the header's own slots. */
static const struct launch large[] = {
#ifndef SIMT
    {{1000, 1, 1}, {33, 1, 1}}, {{4095, 1, 1}, {1, 1, 1}},  {{4096, 1, 1}, {3, 1, 1}},
    {{4097, 1, 1}, {1, 1, 1}},  {{9000, 1, 1}, {2, 1, 1}},  {{1, 17, 241}, {5, 1, 1}},
    {{3, 1, 4097}, {1, 1, 1}},
#endif
    {{17, 23, 11}, {7, 1, 5}}};

/* Each thread of the block that may read *out writes what it read. */
#define GRIDS(NAME, T)                                                                                    \
    static __global__ void __launch_bounds__(1024)                                                        \
        NAME##_grids(const T *in, reduce_workspace *ws, T *out, T *seen, unsigned *trues)                 \
    {                                                                                                     \
        const T x = in[block_of_grid() * threads_of_block() + thread_of_block()];                         \
        if (!NAME##_grid(x, ws, out)) return;                                                             \
        seen[thread_of_block()] = *out;                                                                   \
        atomicAdd(trues, 1u);                                                                             \
    }

/* Between calls a workspace is zero. */
static void check_workspace(const reduce_workspace *ws, const char *name, struct launch at)
{
    static unsigned char bytes[sizeof(reduce_workspace)];
    size_t used = 0;
    from_device(bytes, ws, sizeof bytes);
    for (size_t k = 0; k < sizeof bytes; k++) used += bytes[k] != 0;
    cr_expect(used == 0, "%s_grid, grid " SHAPE_FORMAT " of " SHAPE_FORMAT ": leaves %zu bytes of ws set",
              name, SHAPE_VALUES(at.grid), SHAPE_VALUES(at.block), used);
}

/* void NAME_check_grid(...): a launch, with a workspace that others have used before. */
#define CHECK_GRID(NAME, T)                                                                               \
    static void NAME##_check_grid(const T *in_device, struct launch at, reduce_workspace *ws, T expected) \
    {                                                                                                     \
        const int threads = volume(at.block);                                                             \
        T got, seen[1024], *out = (T *)device_room(sizeof seen + sizeof got, 0xa5);                       \
        unsigned trues, *trues_device = (unsigned *)device_room(sizeof trues, 0);                         \
        NAME##_grids<<<DIM3(at.grid), DIM3(at.block)>>>(in_device, ws, out, out + 1, trues_device);       \
        check_launch();                                                                                   \
        from_device(&got, out, sizeof got);                                                               \
        from_device(seen, out + 1, sizeof(T) * (size_t)threads);                                          \
        from_device(&trues, trues_device, sizeof trues);                                                  \
        cr_assert(SAME_BITS(got, expected), "%s_grid, grid " SHAPE_FORMAT " of " SHAPE_FORMAT             \
                  ": %s, not %s", #NAME, SHAPE_VALUES(at.grid), SHAPE_VALUES(at.block), BITS(got),        \
                  BITS(expected));                                                                        \
        cr_expect(trues == (unsigned)threads, "%s_grid: true in %u of %d threads", #NAME, trues, threads);\
        for (int k = 0; k < threads; k++)                                                                 \
            cr_assert(SAME_BITS(seen[k], expected), "%s_grid: thread %d reads %s, not %s", #NAME, k,      \
                      BITS(seen[k]), BITS(expected));                                                     \
        check_workspace(ws, #NAME, at);                                                                   \
        CHECK(cudaFree(trues_device));                                                                    \
        CHECK(cudaFree(out));                                                                             \
    }

#define CHECK_RUNS(NAME, T)                                                                               \
    static void NAME##_check_runs(int runs, struct launch at, reduce_workspace *ws, const T *last)        \
    {                                                                                                     \
        const size_t n = (size_t)volume(at.grid) * (size_t)volume(at.block);                              \
        T *in = (T *)calloc(n, sizeof(T));                                                                \
        fill_##T(in, n, n);                                                                               \
        if (last != NULL) in[n - 1] = *last;                                                              \
        const T expected = NAME##_settled(NAME##_of_grid(in, volume(at.grid), volume(at.block)));         \
        T *in_device = (T *)to_device(in, sizeof(T) * n);                                                 \
        for (int run = 0; run < runs; run++) NAME##_check_grid(in_device, at, ws, expected);              \
        CHECK(cudaFree(in_device));                                                                       \
        free(in);                                                                                         \
    }

#define GRID_CASES(X)                                                                                     \
    X(reduce_int_sum, int)                                                                                \
    X(reduce_float_sum, float)                                                                            \
    X(reduce_double_sum, double)                                                                          \
    X(reduce_double_max, double)                                                                          \
    X(reduce_u8_trace, u8)                                                                                \
    X(reduce_u64_trace, u64)                                                                              \
    X(trace16, words16)

GRID_CASES(GRIDS)
GRID_CASES(CHECK_GRID)
GRID_CASES(CHECK_RUNS)

#define CHECK_SMALL(NAME, T)                                                                              \
    for (size_t k = 0; k < COUNT(small); k++)                                                             \
        if (is_due(k + sizeof(T))) NAME##_check_runs(2, small[k], ws, NULL);
#define CHECK_LARGE(NAME, T)                                                                              \
    for (size_t k = 0; k < COUNT(large); k++)                                                             \
        if (is_due(k + sizeof(T) / 8)) NAME##_check_runs(1, large[k], ws, NULL);

Test(grid, shapes)
{
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    GRID_CASES(CHECK_SMALL)
    CHECK(reduce_workspace_destroy(ws));
}

Test(grid, shared_partial_results)
{
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    CHECK_LARGE(reduce_float_sum, float)
    CHECK_LARGE(reduce_u64_trace, u64)
    CHECK_LARGE(trace16, words16)
    CHECK(reduce_workspace_destroy(ws));
}

/* A NaN in the last thread of the grid: its payload and sign must not show. */
Test(grid, one_nan)
{
    const u32 float_bits = 0xff812345u;
    const u64 double_bits = 0xfff0000000012345ull;
    float float_nan;
    double double_nan;
    memcpy(&float_nan, &float_bits, sizeof float_nan);
    memcpy(&double_nan, &double_bits, sizeof double_nan);
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    for (size_t k = 0; k < COUNT(small); k++) {
        reduce_float_sum_check_runs(1, small[k], ws, &float_nan);
        reduce_double_max_check_runs(1, small[k], ws, &double_nan);
    }
    CHECK(reduce_workspace_destroy(ws));
}
