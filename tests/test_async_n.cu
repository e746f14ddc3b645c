/* NAME_async_n has the bits of NAME_async for the number that the kernel finds on the device: in every region of the
   tree, with any launch that is large enough. With a smaller launch it writes nothing. */
#include "small_tree.h"
#include "check.h"
#include "reduce_async_n.cuh"
#include "edges.h"

#ifdef SIMT
#    include "simt.h"
#endif

DEFINE_REDUCE_ASYNC_N(reduce_float_sum)
DEFINE_REDUCE_ASYNC_N(reduce_int_max)
DEFINE_REDUCE_ASYNC_N(reduce_u64_trace)
DEFINE_REDUCE_ASYNC_N(trace6)
DEFINE_REDUCE_ASYNC_N(at)
DEFINE_REDUCE_ZIP_ASYNC_N(both)
DEFINE_REDUCE_WITH_ASYNC_N(from)
DEFINE_REDUCE_ZIP_WITH_ASYNC_N(both_from)

TestSuite(async_n, .init = need_gpu);

enum { MOST_BYTES = 900000 };

static void *elements, *on_device, *out;
static size_t *count;
static reduce_workspace *ws;

static void set_up(void)
{
    elements = malloc(MOST_BYTES + 64);
    cr_assert(elements != NULL, "no memory");
    fill_u64((u64 *)elements, MOST_BYTES / 8, 7);
    on_device = to_device(elements, MOST_BYTES);
    out = device_room(REDUCE_MAX_SIZE, 0x5a);
    count = (size_t *)device_room(sizeof *count, 0);
    CHECK(reduce_workspace_create(&ws));
}

static void tear_down(void)
{
    CHECK(cudaFree(on_device));
    CHECK(cudaFree(out));
    CHECK(cudaFree(count));
    CHECK(reduce_workspace_destroy(ws));
    free(elements);
}

static void set_count(size_t n)
{
    CHECK(cudaMemcpy(count, &n, sizeof n, cudaMemcpyHostToDevice));
}

#define EXPECT_SAME(NAME, T, CALL_OF_MOST, CPU, n, most)                                                  \
    do {                                                                                                  \
        T got;                                                                                            \
        const T cpu = CPU;                                                                                \
        set_count(n);                                                                                     \
        CHECK(CALL_OF_MOST);                                                                              \
        from_device(&got, out, sizeof got);                                                               \
        cr_expect(SAME_BITS(got, cpu), #NAME " of %zu, at most %zu: %s, not %s", n, most, BITS(got), BITS(cpu)); \
    } while (0)

/* Each number with launches for just as many, one more, and each larger edge. */
#define FOR_EDGES(size, n, most, BODY)                                                                    \
    do {                                                                                                  \
        size_t numbers[32];                                                                               \
        const size_t found = edges(size, MOST_BYTES, numbers);                                            \
        cr_assert(found > 3, "no regions");                                                               \
        for (size_t k = 0; k < found; k++) {                                                              \
            for (size_t l = k; l < found; l++) {                                                          \
                const size_t n = numbers[k], most = numbers[l];                                           \
                if ((l == k || l == found - 1 || is_due(k + l)) && n <= most) BODY;                       \
            }                                                                                             \
        }                                                                                                 \
        cr_expect(is_empty_workspace(ws), "the workspace is not empty");                                  \
    } while (0)

#define TEST_OF(NAME, In, T)                                                                              \
    Test(async_n, NAME, .init = set_up, .fini = tear_down)                                                \
    {                                                                                                     \
        const In *const host = (const In *)elements, *const in = (const In *)on_device;                   \
        FOR_EDGES(sizeof(In), n, most,                                                                    \
                  EXPECT_SAME(NAME, T, NAME##_async_n(in, count, most, (T *)out, ws, 0), NAME##_cpu(host, n), n, most)); \
    }

TEST_OF(reduce_int_max, int, int)
TEST_OF(reduce_u64_trace, u64, u64)
TEST_OF(trace6, words6, words6)
TEST_OF(at, u8, u64)

Test(async_n, reduce_float_sum, .init = set_up, .fini = tear_down)
{
    float *const host = (float *)elements, *const in = (float *)on_device;
    fill_float(host, MOST_BYTES / sizeof *host, 3);
    CHECK(cudaMemcpy(in, host, MOST_BYTES, cudaMemcpyHostToDevice));
    FOR_EDGES(sizeof *host, n, most,
              EXPECT_SAME(reduce_float_sum, float, reduce_float_sum_async_n(in, count, most, (float *)out, ws, 0),
                          reduce_float_sum_cpu(host, n), n, most));
}

Test(async_n, both, .init = set_up, .fini = tear_down)
{
    const u8 *const x = (const u8 *)elements, *const x_there = (const u8 *)on_device;
    const u32 *const y = (const u32 *)elements, *const y_there = (const u32 *)on_device;
    FOR_EDGES(sizeof *y, n, most,
              EXPECT_SAME(both, u64, both_async_n(x_there, y_there, count, most, (u64 *)out, ws, 0), both_cpu(x, y, n),
                          n, most));
}

Test(async_n, from, .init = set_up, .fini = tear_down)
{
    const u16 *const host = (const u16 *)elements, *const in = (const u16 *)on_device;
    const centre c = {77};
    FOR_EDGES(sizeof *host, n, most,
              EXPECT_SAME(from, u64, from_async_n(in, count, most, c, (u64 *)out, ws, 0), from_cpu(host, n, c), n, most));
}

Test(async_n, both_from, .init = set_up, .fini = tear_down)
{
    const u8 *const x = (const u8 *)elements, *const x_there = (const u8 *)on_device;
    const u32 *const y = (const u32 *)elements, *const y_there = (const u32 *)on_device;
    const centre c = {77};
    FOR_EDGES(sizeof *y, n, most,
              EXPECT_SAME(both_from, u64, both_from_async_n(x_there, y_there, count, most, c, (u64 *)out, ws, 0),
                          both_from_cpu(x, y, n, c), n, most));
}

/* At addresses that no wide load takes. */
Test(async_n, misaligned, .init = set_up, .fini = tear_down)
{
    const u8 *const host = (const u8 *)elements + 3, *const in = (const u8 *)on_device + 3;
    FOR_EDGES(sizeof *in, n, most,
              if (most <= MOST_BYTES - 3) EXPECT_SAME(at, u64, at_async_n(in, count, most, (u64 *)out, ws, 0), at_cpu(host, n), n, most));
}

/* No number of elements has more chunks than the launch has blocks; and the launch has few more. */
Test(async_n, has_blocks_for_all)
{
    static const size_t sizes[] = {1, 2, 4, 8, 12, 16, 24, 30, 40, 47, 48, 62, 64};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const size_t stripe = REDUCE_STRANDS * REDUCE_POSITIONS(sizes[s]), step = stripe / 2 + 1;
        size_t most_chunks = 0;
        for (size_t n = 0; n < stripe * 2000; n += step) {
            const size_t chunks = reduce_plan(n, sizes[s]).count, blocks = reduce_most_chunks_(n, sizes[s]);
            most_chunks = chunks > most_chunks ? chunks : most_chunks;
            cr_expect(most_chunks <= blocks, "%zu of %zu bytes: %zu blocks for %zu chunks", n, sizes[s], blocks,
                      most_chunks);
            cr_expect(blocks <= REDUCE_MAX_CHUNKS, "%zu blocks", blocks);
            const struct reduce_known_ known = reduce_known_of_(n, sizes[s]);
            for (size_t m = known.above_ + 1; m <= n && blocks > 1; m += n / 7 + 1)
                cr_expect(reduce_plan(m, sizes[s]).chunk == known.chunk_, "%zu of %zu, at most %zu", m, sizes[s], n);
            cr_expect(blocks > 1 || (known.above_ == 0 && known.chunk_ == n), "one chunk of %zu", n);
            cr_expect(known.above_ < n || n == 0 || reduce_plan(n, sizes[s]).count < 3 || known.above_ - n < 2 * stripe,
                      "%zu: not above %zu", n, known.above_);
        }
    }
}

/* More than most: nothing is written, and the next call works. */
Test(async_n, more_than_most, .init = set_up, .fini = tear_down)
{
    const u64 *const host = (const u64 *)elements, *const in = (const u64 *)on_device;
    static const size_t numbers[] = {0, 100, 20001, 90001};
    for (size_t k = 0; k < COUNT(numbers); k++) {
        u64 got;
        const size_t most = numbers[k];
        set_count(most + 1);
        CHECK(cudaMemset(out, 0x5a, sizeof got));
        CHECK(reduce_u64_trace_async_n(in, count, most, (u64 *)out, ws, 0));
        from_device(&got, out, sizeof got);
        cr_expect(got == UNTOUCHED, "%zu of %zu: %s", most + 1, most, BITS(got));
        set_count(SIZE_MAX);
        CHECK(reduce_u64_trace_async_n(in, count, most, (u64 *)out, ws, 0));
        from_device(&got, out, sizeof got);
        cr_expect(got == UNTOUCHED, "all of %zu: %s", most, BITS(got));
        EXPECT_SAME(reduce_u64_trace, u64, reduce_u64_trace_async_n(in, count, most, (u64 *)out, ws, 0),
                    reduce_u64_trace_cpu(host, most), most, most);
    }
}

/* A graph that was made once takes the number that it finds each time. */
Test(async_n, in_a_graph, .init = set_up, .fini = tear_down)
{
    const u64 *const host = (const u64 *)elements, *const in = (const u64 *)on_device;
    static const size_t numbers[] = {90001, 0, 1, 5000, 90000};
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(reduce_u64_trace_async_n(in, count, 90001, (u64 *)out, ws, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (size_t k = 0; k < COUNT(numbers); k++) {
        u64 got;
        set_count(numbers[k]);
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaStreamSynchronize(stream));
        from_device(&got, out, sizeof got);
        cr_expect(got == reduce_u64_trace_cpu(host, numbers[k]), "%zu: %s", numbers[k], BITS(got));
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

#define REFUSED(call, error)                                                                              \
    do {                                                                                                  \
        u64 got;                                                                                          \
        const cudaError_t status = (call);                                                                \
        from_device(&got, out, sizeof got);                                                               \
        cr_expect(status == (error), "line %d: %s", __LINE__, cudaGetErrorName(status));                  \
        cr_expect(got == UNTOUCHED, "line %d: written", __LINE__);                                        \
    } while (0)

Test(async_n, refuses, .init = set_up, .fini = tear_down)
{
    const u64 *const in = (const u64 *)on_device, *const off = (const u64 *)(const void *)((const char *)in + 4);
    u64 *const to = (u64 *)out;
    const size_t *const odd = (const size_t *)(const void *)((const char *)count + 4);
    const cudaError_t invalid = cudaErrorInvalidValue, misaligned = cudaErrorMisalignedAddress;
    REFUSED(reduce_u64_trace_async_n(NULL, count, 10, to, ws, 0), invalid);
    REFUSED(reduce_u64_trace_async_n(in, NULL, 10, to, ws, 0), invalid);
    REFUSED(reduce_u64_trace_async_n(in, count, 10, NULL, ws, 0), invalid);
    REFUSED(reduce_u64_trace_async_n(in, count, 10, to, NULL, 0), invalid);
    REFUSED(reduce_u64_trace_async_n(in, count, SIZE_MAX, to, ws, 0), invalid);
    REFUSED(reduce_u64_trace_async_n(in, count, REDUCE_MAX_ELEMENTS + 1, to, ws, 0), invalid);
    REFUSED(reduce_u64_trace_async_n(off, count, 10, to, ws, 0), misaligned);
    REFUSED(reduce_u64_trace_async_n(in, odd, 10, to, ws, 0), misaligned);
    REFUSED(reduce_u64_trace_async_n((const u64 *)out, count, 1, to, ws, 0), invalid);
    REFUSED(reduce_u64_trace_async_n(in, count, 10, (u64 *)count, ws, 0), invalid);
#ifdef SIMT
    simt_fail_after("launch", 1);
    REFUSED(reduce_u64_trace_async_n(in, count, 10, to, ws, 0), cudaErrorLaunchOutOfResources);
    (void)cudaGetLastError();
#endif
}
