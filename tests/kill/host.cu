/* Host functions, quickly: arguments that they refuse, places of the input, failing calls, devices. For
   tools/mutate. */
#define CHECK_ALONE
#include "../count.h"

#define SHARE_WHOLE
#include "../share.h"

#include "../check.h"
#include "../failing.h"

DEFINE_REDUCE(u64, trace)
DEFINE_REDUCE_ATOMIC(reduce_u64_trace)
DEFINE_REDUCE_MAP(wider, u8, u64, x, 0, a + b)
DEFINE_REDUCE_MAP(narrower, u64, u8, (u8)x, 0, (u8)(a + b))
struct words4 {
    u32 word[4];
};
typedef struct words4 words4;
TRACE_WORDS(words4, u32)
DEFINE_REDUCE_MAP(longer, words3, words4, (words4{{x.word[0], x.word[1], x.word[2], 7}}), no_words4(),
                  trace_words4(a, b))

enum { N = 9000, UNTOUCHED = 0x5a };
static u64 host[N + 2], sum, *pinned, *managed, *device[2], *out;
static reduce_workspace *ws;

#define EXPECT_ERROR(call, error)                                                                         \
    do {                                                                                                  \
        const cudaError_t got_error = (call);                                                             \
        cr_expect(got_error == (error), "%s: %s", #call, cudaGetErrorName(got_error));                    \
        cr_expect(cudaPeekAtLastError() == cudaSuccess, "%s leaves an error", #call);                     \
    } while (0)

typedef cudaError_t strategy(const u64 *, size_t, u64 *, reduce_workspace *, cudaStream_t);
static strategy *const strategies[] = {reduce_u64_trace_async, reduce_u64_trace_last_block,
                                       reduce_u64_trace_two_launch};

static void expect_refused(void)
{
    const cudaError_t invalid = cudaErrorInvalidValue, misaligned = cudaErrorMisalignedAddress;
    const size_t most = (size_t)1 << 40; /* as the manual says */
    u64 result = UNTOUCHED, *off = (u64 *)(void *)((char *)host + 1);
    EXPECT_ERROR(reduce_u64_trace(NULL, 1, &result), invalid);
    EXPECT_ERROR(reduce_u64_trace(host, 1, NULL), invalid);
    EXPECT_ERROR(reduce_u64_trace(host, SIZE_MAX / 8, &result), invalid);
    EXPECT_ERROR(reduce_u64_trace(off, 1, &result), misaligned);
    EXPECT_ERROR(reduce_u64_trace(host, 1, off), misaligned);
    EXPECT_ERROR(reduce_u64_trace(host, 10, host), invalid);
    EXPECT_ERROR(reduce_u64_trace(host, 10, host + 9), invalid);
    cr_expect(result == UNTOUCHED, "refused, and written");
    for (size_t k = 0; k < COUNT(strategies); k++) {
        EXPECT_ERROR(strategies[k](NULL, 1, out, ws, 0), invalid);
        EXPECT_ERROR(strategies[k](device[0], 1, NULL, ws, 0), invalid);
        EXPECT_ERROR(strategies[k](device[0], 1, out, NULL, 0), invalid);
        EXPECT_ERROR(strategies[k](device[0], most + 1, out, ws, 0), invalid);
        EXPECT_ERROR(strategies[k](device[0], 10, device[0] + 9, ws, 0), invalid);
        EXPECT_ERROR(strategies[k](NULL, 0, out, ws, 0), cudaSuccess);
        EXPECT_ERROR(
            strategies[k]((u64 *)(void *)8, (size_t)1 << 40, (u64 *)(void *)((8ull << 40) + 4), ws, 0),
            misaligned);
    }
    cr_expect(reduce_block_size_(((size_t)1 << 32) + 1, 4, false) == REDUCE_STRANDS, "threads for 2^32 + 1");
    EXPECT_ERROR(reduce_workspace_create(NULL), invalid);
    EXPECT_ERROR(reduce_workspace_reset(NULL, 0), invalid);
    EXPECT_ERROR(reduce_workspace_destroy(NULL), cudaSuccess);
    EXPECT_ERROR(
        reduce_check_(reduce_range_((void *)8, most, 1, 1), reduce_range_((void *)(8 + most), 1, 8, 8)),
        cudaSuccess);
    EXPECT_ERROR(reduce_check_(reduce_range_((void *)16, 2, 8, 8), reduce_range_((void *)8, 1, 8, 8)),
                 cudaSuccess);
    EXPECT_ERROR(reduce_check_(reduce_range_((void *)16, 2, 8, 8), reduce_range_((void *)9, 1, 8, 1)),
                 invalid);
    EXPECT_ERROR(reduce_check_range_(reduce_range_((void *)8, most, 1, 1)), cudaSuccess);
    EXPECT_ERROR(reduce_check_range_(reduce_range_((void *)8, most + 1, 1, 1)), invalid);
    EXPECT_ERROR(reduce_check_range_(reduce_range_((void *)(UINTPTR_MAX - 15), 2, 8, 1)), invalid);
    EXPECT_ERROR(reduce_check_range_(reduce_range_((void *)(UINTPTR_MAX - 16), 2, 8, 1)), cudaSuccess);
}

/* Input and output each have the alignment of their own type. */
static void expect_alignments(void)
{
    unsigned char *room = (unsigned char *)device_room(64, 0);
    u64 *even = (u64 *)(void *)room, *odd = (u64 *)(void *)(room + 1);
    EXPECT_ERROR(wider_async(room + 17, 3, odd, ws, 0), cudaErrorMisalignedAddress);
    EXPECT_ERROR(wider_async(room + 17, 3, even, ws, 0), cudaSuccess);
    EXPECT_ERROR(narrower_async(odd, 1, room + 17, ws, 0), cudaErrorMisalignedAddress);
    EXPECT_ERROR(narrower_async(even, 1, room + 17, ws, 0), cudaSuccess);
    EXPECT_ERROR(wider_async(room, 8, even + 1, ws, 0), cudaSuccess);
    EXPECT_ERROR(narrower_async(even, 1, room + 8, ws, 0), cudaSuccess);
    EXPECT_ERROR(narrower_async(even, 2, room + 15, ws, 0), cudaErrorInvalidValue);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(room));
}

/* Input and output each have the size of their own type: by both calls, from main memory and to a result that has
   neighbours. */
#define EXPECT_SIZES(NAME, In, T, n)                                                                      \
    do {                                                                                                  \
        static In some[n];                                                                                \
        unsigned char got[3 * sizeof(T)] __attribute__((aligned(16))), expected[sizeof got];              \
        for (size_t k = 0; k < sizeof some; k++) ((unsigned char *)some)[k] = (unsigned char)(k * 7 + 1); \
        memset(got, UNTOUCHED, sizeof got);                                                               \
        memset(expected, UNTOUCHED, sizeof got);                                                          \
        const T on_cpu = NAME##_cpu(some, n);                                                             \
        memcpy(expected + sizeof(T), &on_cpu, sizeof(T));                                                 \
        CHECK(NAME(some, n, (T *)(void *)(got + sizeof(T))));                                             \
        cr_expect(memcmp(got, expected, sizeof got) == 0, "%s, the simple call", #NAME);                  \
        In *from = (In *)to_device(some, sizeof some);                                                    \
        unsigned char *to = (unsigned char *)device_room(sizeof got, UNTOUCHED);                          \
        CHECK(NAME##_async(from, n, (T *)(void *)(to + sizeof(T)), ws, 0));                               \
        from_device(got, to, sizeof got);                                                                 \
        cr_expect(memcmp(got, expected, sizeof got) == 0, "%s, the asynchronous call", #NAME);            \
        CHECK(cudaFree(from));                                                                            \
        CHECK(cudaFree(to));                                                                              \
    } while (0)

static void expect_sizes(void)
{
    EXPECT_SIZES(wider, u8, u64, 5000);
    EXPECT_SIZES(narrower, u64, u8, 5000);
    EXPECT_SIZES(longer, words3, words4, 2000);
}

static void expect_empty(const reduce_workspace *workspace, const char *which)
{
    static unsigned char bytes[sizeof *ws], zeros[sizeof *ws];
    from_device(bytes, workspace, sizeof bytes);
    cr_expect(memcmp(bytes, zeros, sizeof bytes) == 0, "the workspace %s is not empty", which);
}

/* The simple call: an empty array is on no device, whatever is on the stack (here, a device that does not exist).
   It clears the workspace, whose slots could hold anything. */
static __attribute__((noinline)) void litter_stack(void)
{
    volatile int litter[4096];
    for (size_t k = 0; k < COUNT(litter); k++) litter[k] = cudaMemoryTypeDevice;
}

static void expect_beginning(void)
{
    struct reduce_simple_ trip;
    struct reduce_range_ none = REDUCE_RANGE_(NULL, 0, u64);
    const u64 *in = NULL;
    memset(&trip, 0, sizeof trip);
    litter_stack();
    CHECK(reduce_simple_find_(&trip, &none, 1));
    cr_expect(!trip.is_away_, "nothing is somewhere");
    CHECK(reduce_simple_begin_(&trip, &in, &none, 1, true));
    cr_expect(in == NULL, "nothing was copied");
    expect_empty(trip.ws_, "of a call");
    CHECK(cudaFree(trip.memory_));
}

/* Copies that a call makes: one to fetch the result, and one more where the input is copied as a whole. The CPU works alone
   on pinned memory: see share.h. */
static void expect_call(const u64 *in, long copies, const char *where)
{
    const size_t live = simt_live_allocations();
    const long before = simt_calls("memcpy");
    u64 got = UNTOUCHED;
    int now = -1;
    CHECK(reduce_u64_trace(in, N, &got));
    cr_expect(got == sum, "%s memory: %s", where, BITS(got));
    cr_expect(simt_calls("memcpy") - before == copies, "%s memory is copied", where);
    cr_expect(simt_live_allocations() == live, "%s memory: something is lost", where);
    CHECK(cudaGetDevice(&now));
    cr_expect(now == 0, "%s memory: left on device %d", where, now);
    CHECK(reduce_u64_trace(NULL, 0, &got));
    cr_expect(got == 0, "nothing gives %s", BITS(got));
}

/* From either device a call goes to the one that has the input, and back: two calls of CUDA's more. */
static void expect_journeys(void)
{
    long calls[2][2];
    for (int home = 0; home < 2; home++) {
        CHECK(cudaSetDevice(home));
        for (int there = 0; there < 2; there++) {
            u64 got = UNTOUCHED;
            int now = -1;
            const long before = simt_calls("device");
            CHECK(reduce_u64_trace(device[there], N, &got));
            calls[home][there] = simt_calls("device") - before;
            CHECK(cudaGetDevice(&now));
            cr_expect(got == sum && now == home, "from %d to %d, back on %d", home, there, now);
        }
    }
    cr_expect(calls[0][1] == calls[0][0] + 2 && calls[1][0] == calls[1][1] + 2, "it stays at home");
    CHECK(cudaSetDevice(0));
}

static cudaError_t a_call(const struct attempt *self, void *got)
{
    return reduce_u64_trace((const u64 *)self->in, N, (u64 *)got);
}

static cudaError_t launches(const struct attempt *self, void *got)
{
    cudaError_t status = reduce_workspace_reset(ws, 0);
    for (size_t k = 0; k < COUNT(strategies) && status == cudaSuccess; k++)
        status = strategies[k]((const u64 *)self->in, N, out, ws, 0);
    if (status == cudaSuccess) from_device(got, out, sizeof *out);
    return status;
}

/* A workspace serves any stream at once: it is cleared when its creation returns. Its end gives it back. */
static void expect_cleared_workspace(void)
{
    const size_t live = simt_live_allocations();
    reduce_workspace *mine = NULL;
    cudaStream_t stream;
    u64 got = UNTOUCHED;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(reduce_workspace_create(&mine));
    CHECK(reduce_u64_trace_last_block(device[0], N, out, mine, stream));
    CHECK(cudaStreamSynchronize(stream));
    from_device(&got, out, sizeof got);
    cr_expect(got == sum, "in a fresh workspace: %s", BITS(got));
    CHECK(cudaMemset(mine, 0xa7, sizeof *mine));
    CHECK(reduce_workspace_reset(mine, 0));
    expect_empty(mine, "after a reset");
    CHECK(reduce_u64_trace_async(device[0], N, out, mine, 0));
    from_device(&got, out, sizeof got);
    cr_expect(got == sum, "after a reset: %s", BITS(got));
    CHECK(reduce_workspace_destroy(mine));
    cr_expect(simt_live_allocations() == live, "a workspace is lost");
    CHECK(cudaStreamDestroy(stream));
}

/* A reset is a piece of its stream's work: done when that has been waited for, and part of what is captured. */
static void expect_reset_in_stream(void)
{
    reduce_workspace *mine = NULL;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&mine, sizeof *mine));
    memset(mine, 0xa7, sizeof *mine);
    CHECK(reduce_workspace_reset(mine, stream));
    CHECK(cudaStreamSynchronize(stream));
    cr_expect(mine->ticket_ == 0, "the reset is in another stream");
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(reduce_workspace_reset(mine, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&replay, graph, 0));
    memset(mine, 0xa7, sizeof *mine);
    CHECK(cudaGraphLaunch(replay, stream));
    CHECK(cudaStreamSynchronize(stream));
    cr_expect(mine->ticket_ == 0, "the reset is not in the graph");
    CHECK(cudaGraphExecDestroy(replay));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(mine));
}

/* Each strategy launches into its stream alone: no call waits for another stream. */
static void expect_launches_in_stream(void)
{
    cudaStream_t stream;
    u64 *result;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&result, sizeof *result));
    for (size_t k = 0; k < COUNT(strategies); k++) {
        *result = UNTOUCHED;
        CHECK(strategies[k](device[0], N, result, ws, stream));
        CHECK(cudaStreamSynchronize(stream));
        cr_expect(*result == sum, "strategy %d is in another stream", (int)k);
    }
    for (int k = 0; k < 2; k++) {
        *result = UNTOUCHED;
        CHECK((k == 0 ? reduce_u64_trace_atomic_warp : reduce_u64_trace_atomic_block)(device[0], 1, result, ws,
                                                                                     stream));
        CHECK(cudaStreamSynchronize(stream));
        cr_expect(*result == host[0], "atomic strategy %d is in another stream", k);
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(result));
}

/* Each call of CUDA's that an attempt makes fails once. */
static void expect_failures(void)
{
    static const char *const kinds[] = {"malloc", "memset", "memcpy", "launch", "free", "sync", "device"};
    const struct attempt here = {"main memory", a_call, host, &sum, sizeof sum, 0, false, false};
    const struct attempt away = {"another device", a_call, device[1], &sum, sizeof sum, 0, true, false};
    const struct attempt workspace = {"a workspace", create_and_destroy, NULL, &sum, sizeof sum, 0, false, false};
    const struct attempt all = {"launches", launches, device[0], &sum, sizeof sum, 0, false, false};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        expect_clean_failures(&here, kinds[k], 0);
        expect_clean_failures(&away, kinds[k], 0);
        expect_clean_failures(&workspace, kinds[k], 0);
    }
    expect_clean_failures(&all, "launch", 1);
    expect_clean_failures(&all, "memset", 1);
    expect_counts(&here);
}

int main(void)
{
    setenv("SIMT_DEVICES", "2", 1);
    need_gpu();
    fill_u64(host, N, 1);
    sum = reduce_u64_trace_cpu(host, N);
    CHECK(cudaMallocHost((void **)&pinned, sizeof host));
    CHECK(cudaMallocManaged((void **)&managed, sizeof host));
    memcpy(pinned, host, sizeof host);
    memcpy(managed, host, sizeof host);
    for (int d = 1; d >= 0; d--) {
        CHECK(cudaSetDevice(d));
        device[d] = (u64 *)to_device(host, sizeof host);
    }
    out = (u64 *)device_room(sizeof *out, 0);
    CHECK(reduce_workspace_create(&ws));
    expect_refused();
    expect_alignments();
    expect_sizes();
    expect_call(host, 2, "main");
    expect_call(pinned, 0, "pinned");
    expect_call(managed, 1, "managed");
    expect_call(device[0], 1, "device");
    expect_call(device[1], 1, "another device's");
    expect_journeys();
    expect_beginning();
    expect_cleared_workspace();
    expect_reset_in_stream();
    expect_launches_in_stream();
    expect_failures();
    return 0;
}
