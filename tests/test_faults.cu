/* Failing calls of CUDA and a caller's mistakes: the right error comes back, nothing is written, nothing is
   lost, and the next call works. (test_call.cu has the failing calls of the simple call.) */
#include "check.h"

#ifdef SIMT
#    include "simt.h"
#endif

DEFINE_REDUCE(u64, sum)
DEFINE_REDUCE_ATOMIC(reduce_u64_sum)
DEFINE_REDUCE_AS(sum6, words6, no_words6(), trace_words6(a, b))

enum { N = 9000 };
#define UNTOUCHED 0x5a5a5a5a5a5a5a5aull

static u64 *host, *device, *out, expected;
static reduce_workspace *ws;

static void set_up(void)
{
    need_gpu();
    host = (u64 *)malloc(N * sizeof *host);
    cr_assert(host != NULL, "no memory");
    fill_u64(host, N, 4);
    expected = reduce_u64_sum_cpu(host, N);
    device = (u64 *)to_device(host, N * sizeof *host);
    out = (u64 *)device_room(sizeof *out, 0x5a);
    CHECK(reduce_workspace_create(&ws));
}

static void tear_down(void)
{
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    CHECK(reduce_workspace_destroy(ws));
    free(host);
}

typedef cudaError_t strategy(const u64 *, size_t, u64 *, reduce_workspace *, cudaStream_t);
static const struct {
    const char *name;
    strategy *call;
} strategies[] = {
    {"async", reduce_u64_sum_async},
    {"last_block", reduce_u64_sum_last_block},
    {"two_launch", reduce_u64_sum_two_launch},
    {"atomic_warp", reduce_u64_sum_atomic_warp},
    {"atomic_block", reduce_u64_sum_atomic_block},
};

static u64 result(void)
{
    u64 got;
    from_device(&got, out, sizeof got);
    return got;
}

static void expect_all_work(const char *after)
{
    for (size_t k = 0; k < COUNT(strategies); k++) {
        CHECK(cudaMemset(out, 0x5a, sizeof *out));
        CHECK(strategies[k].call(device, N, out, ws, 0));
        cr_expect(result() == expected, "%s, after %s: %llu", strategies[k].name, after, result());
    }
}

/* ---- Misuse that is refused ------------------------------------------------------------------------- */

#define REFUSED(call, error)                                                                               \
    do {                                                                                                   \
        const cudaError_t status = (call);                                                                 \
        cr_expect(status == (error), "line %d: %s", __LINE__, cudaGetErrorName(status));                   \
        cr_expect(result() == UNTOUCHED, "line %d: written", __LINE__);                                    \
        cr_expect(cudaPeekAtLastError() == cudaSuccess, "line %d: an error stays behind", __LINE__);       \
    } while (0)

Test(faults, misuse_is_refused, .init = set_up, .fini = tear_down)
{
    const cudaError_t invalid = cudaErrorInvalidValue, misaligned = cudaErrorMisalignedAddress;
    u64 *off = (u64 *)(void *)((char *)device + 4);
    for (size_t k = 0; k < COUNT(strategies); k++) {
        strategy *call = strategies[k].call;
        REFUSED(call(NULL, N, out, ws, 0), invalid);
        REFUSED(call(device, N, NULL, ws, 0), invalid);
        REFUSED(call(device, N, out, NULL, 0), invalid);
        REFUSED(call(device, SIZE_MAX, out, ws, 0), invalid);
        REFUSED(call(device, SIZE_MAX / sizeof *device, out, ws, 0), invalid);
        REFUSED(call(device, REDUCE_MAX_ELEMENTS + 1, out, ws, 0), invalid);
        REFUSED(call(off, 1, out, ws, 0), misaligned);
        REFUSED(call(device, 1, off, ws, 0), misaligned);
        REFUSED(call(device, N, device, ws, 0), invalid);
        REFUSED(call(device, N, device + N - 1, ws, 0), invalid);
    }
    REFUSED(reduce_workspace_create(NULL), invalid);
    REFUSED(reduce_workspace_reset(NULL, 0), invalid);
    expect_all_work("misuse");
}

/* ---- Memory that the shared call takes -------------------------------------------------------------- */

/* By the header's own settings, which the tests of reduce_host.cuh replace: what its manual allows. */
Test(faults, memory_of_the_shared_call)
{
    const size_t mib = (size_t)1 << 20;
    cr_expect(REDUCE_WHOLE_ <= 128 * mib && REDUCE_CUDA_PART_ <= 4 * mib && REDUCE_BUFFERS_ <= 256 * mib, "on the device");
    cr_expect(REDUCE_BATCHES_ <= 16 && REDUCE_BUFFER_ <= mib / 2, "pinned");
}

/* ---- Failures that can be had anywhere -------------------------------------------------------------- */

/* Takes all memory of the device, by halves of what is left. */
static size_t take_all(void **memory, size_t most)
{
    size_t count = 0;
    for (size_t size = (size_t)1 << 40; size >= 512 && count < most; size /= 2)
        while (count < most && cudaMalloc(&memory[count], size) == cudaSuccess) count++;
    (void)cudaGetLastError();
    return count;
}

Test(faults, no_memory_is_left, .init = set_up, .fini = tear_down)
{
    static void *memory[4096];
    u64 got = UNTOUCHED;
#ifdef SIMT
    const size_t count = 0;
    (void)take_all;
    simt_fail_after("malloc", 1);
#else
    const size_t count = take_all(memory, COUNT(memory));
#endif
    const cudaError_t status = reduce_u64_sum(device, N, &got);
    cr_expect(status == cudaErrorMemoryAllocation, "%s", cudaGetErrorName(status));
    cr_expect(got == UNTOUCHED, "written");
    (void)cudaGetLastError();
    for (size_t k = 0; k < count; k++) CHECK(cudaFree(memory[k]));
    CHECK(reduce_u64_sum(host, N, &got));
    cr_expect(got == expected, "the next call: %llu", got);
    expect_all_work("a failing allocation");
}

/* The simple call on ordinary memory, which fails if it waits for the default stream or the GPU takes part. */
static void expect_error_or_result(void)
{
    u64 got = UNTOUCHED;
    const cudaError_t status = reduce_u64_sum(host, N, &got);
    cr_expect(got == (status == cudaSuccess ? expected : UNTOUCHED), "%s: %llu", cudaGetErrorName(status), got);
}

/* While a stream captures, the simple call may neither allocate nor wait for the default stream; the asynchronous one in that stream is
   recorded. */
Test(faults, during_a_capture, .init = set_up, .fini = tear_down)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    u64 got = UNTOUCHED;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(reduce_u64_sum_async(device, N, out, ws, stream));
    expect_error_or_result();
    cr_expect(reduce_u64_sum(device, N, &got) != cudaSuccess, "a capture allows the simple call");
    cr_expect(got == UNTOUCHED, "written");
    cr_expect(cudaStreamEndCapture(stream, &graph) != cudaSuccess || graph != NULL, "no graph and no error");
    if (graph != NULL) CHECK(cudaGraphDestroy(graph));
    (void)cudaGetLastError();
    CHECK(cudaStreamDestroy(stream));
    expect_all_work("a broken capture");
}

/* A workspace that was left as it should not be, as by a kernel that was aborted, is made good by a reset. */
Test(faults, a_reset_makes_a_workspace_good, .init = set_up, .fini = tear_down)
{
    CHECK(cudaMemset(ws, 0xa7, sizeof *ws));
    CHECK(reduce_workspace_reset(ws, 0));
    expect_all_work("a reset");
}

#ifndef SIMT
static __global__ void aborts(void)
{
    __trap();
}

/* After a kernel of anyone's was aborted, every call of the process fails: so must these, and write
   nothing. The CPU alone may do its work. */
Test(faults, a_sticky_error, .init = set_up)
{
    u64 got = UNTOUCHED;
    reduce_workspace *other = NULL;
    aborts<<<1, 1>>>();
    cr_assert(cudaDeviceSynchronize() != cudaSuccess, "the kernel was not aborted");
    expect_error_or_result();
    cr_expect(reduce_u64_sum(device, N, &got) != cudaSuccess && got == UNTOUCHED, "the simple call");
    for (size_t k = 0; k < COUNT(strategies); k++)
        cr_expect(strategies[k].call(device, N, out, ws, 0) != cudaSuccess, "%s", strategies[k].name);
    cr_expect(reduce_workspace_create(&other) != cudaSuccess && other == NULL, "a workspace");
    cr_expect(reduce_workspace_reset(ws, 0) != cudaSuccess, "a reset");
}
#else

/* ---- Failures that the simulator makes -------------------------------------------------------------- */

/* Every call of one kind that an attempt makes fails once. */
static void expect_clean_failures(const char *name, cudaError_t (*attempt)(void), const char *kind, int least)
{
    const long before = simt_calls(kind);
    CHECK(attempt());
    const int calls = (int)(simt_calls(kind) - before);
    cr_expect(calls >= least, "%s makes %d calls of %s", name, calls, kind);
    for (int nth = 1; nth <= calls; nth++) {
        const size_t live = simt_live_allocations();
        CHECK(cudaMemset(out, 0x5a, sizeof *out));
        simt_fail_after(kind, nth);
        const cudaError_t status = attempt();
        simt_clear();
        cr_expect(status != cudaSuccess, "%s: %s %d fails and nobody says so", name, kind, nth);
        cr_expect(result() == UNTOUCHED, "%s: %s %d fails and the result is written", name, kind, nth);
        cr_expect(simt_live_allocations() == live, "%s: %s %d fails and memory is lost", name, kind, nth);
        cr_expect(is_empty_workspace(ws), "%s: %s %d fails and the workspace is not empty", name, kind, nth);
        expect_all_work(name);
    }
}

#define ATTEMPT(strategy)                                                                                  \
    static cudaError_t try_##strategy(void)                                                                \
    {                                                                                                      \
        return reduce_u64_sum_##strategy(device, N, out, ws, 0);                                           \
    }
ATTEMPT(async)
ATTEMPT(last_block)
ATTEMPT(two_launch)
ATTEMPT(atomic_warp)
ATTEMPT(atomic_block)

static cudaError_t try_reset(void)
{
    return reduce_workspace_reset(ws, 0);
}

Test(faults, failing_calls, .init = set_up, .fini = tear_down)
{
    expect_clean_failures("async", try_async, "launch", 1);
    expect_clean_failures("last_block", try_last_block, "launch", 1);
    expect_clean_failures("two_launch", try_two_launch, "launch", 2);
    expect_clean_failures("atomic_warp", try_atomic_warp, "launch", 1);
    expect_clean_failures("atomic_block", try_atomic_block, "launch", 1);
    expect_clean_failures("reset", try_reset, "memset", 1);
}

/* The asynchronous calls make one launch, two for two launches, and no other call of CUDA's: no other can
   fail. */
Test(faults, no_other_calls, .init = set_up, .fini = tear_down)
{
    long before[COUNT(other_kinds)];
    for (size_t k = 0; k < COUNT(other_kinds); k++) before[k] = simt_calls(other_kinds[k]);
    for (size_t k = 0; k < COUNT(strategies); k++) CHECK(strategies[k].call(device, N, out, ws, 0));
    for (size_t k = 0; k < COUNT(other_kinds); k++) {
        const long calls = simt_calls(other_kinds[k]) - before[k];
        cr_expect(calls == 0, "%ld calls of %s", calls, other_kinds[k]);
    }
}

/* ---- A workspace serves one call at a time ---------------------------------------------------------- */

static cudaStream_t streams[2];

static void set_up_streams(void)
{
    set_up();
    for (int k = 0; k < 2; k++) CHECK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
    cr_assert(simt_serves_one(ws) == 0, "no such workspace");
}

Test(faults, one_workspace_in_two_streams_is_detected, .init = set_up_streams, .exit_code = 86)
{
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[0]));
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[1]));
    CHECK(cudaDeviceSynchronize());
}

Test(faults, a_destroyed_workspace_is_detected, .init = set_up_streams, .exit_code = 86)
{
    reduce_workspace *const gone = ws;
    CHECK(reduce_workspace_destroy(ws));
    CHECK(reduce_u64_sum_async(device, N, out, gone, streams[0]));
    CHECK(cudaDeviceSynchronize());
}

/* That one stream is destroyed orders what follows, but not what waited in another one before. */
Test(faults, a_destroyed_stream_orders_nothing_before, .init = set_up_streams, .exit_code = 86)
{
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[1]));
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[0]));
    CHECK(cudaStreamDestroy(streams[0]));
    CHECK(cudaDeviceSynchronize());
}

Test(faults, a_destroyed_stream_orders_what_follows, .init = set_up_streams, .fini = tear_down)
{
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[0]));
    CHECK(cudaEventRecord(event, streams[0]));
    CHECK(cudaStreamDestroy(streams[0]));
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[1]));
    CHECK(cudaStreamWaitEvent(streams[1], event, 0));
    CHECK(cudaEventSynchronize(event));
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[1]));
    CHECK(cudaDeviceSynchronize());
    cr_expect(result() == expected, "%llu", result());
    CHECK(cudaEventDestroy(event));
}

/* Ordered by an event, or by the host, two streams may share one. */
Test(faults, one_workspace_in_two_ordered_streams, .init = set_up_streams, .fini = tear_down)
{
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[0]));
    CHECK(cudaEventRecord(event, streams[0]));
    CHECK(cudaStreamWaitEvent(streams[1], event, 0));
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[1]));
    CHECK(cudaStreamSynchronize(streams[1]));
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[0]));
    CHECK(cudaDeviceSynchronize());
    CHECK(reduce_u64_sum_async(device, N, out, ws, 0));
    cr_expect(result() == expected, "%llu", result());
    CHECK(cudaEventDestroy(event));
}

/* Two streams with a workspace each do not touch each other's, even where one call is given rubbish. */
Test(faults, workspaces_are_apart, .init = set_up_streams, .fini = tear_down)
{
    reduce_workspace *other = NULL;
    words6 got, *out6 = (words6 *)device_room(sizeof got, 0), *none = NULL;
    CHECK(reduce_workspace_create(&other));
    CHECK(cudaMemset(other, 0xa7, sizeof *other));
    CHECK(reduce_u64_sum_async(device, N, out, ws, streams[0]));
    CHECK(sum6_async(none, 0, out6, other, streams[1]));
    CHECK(cudaDeviceSynchronize());
    cr_expect(result() == expected, "%llu", result());
    CHECK(reduce_workspace_destroy(other));
    CHECK(cudaFree(out6));
}
#endif
