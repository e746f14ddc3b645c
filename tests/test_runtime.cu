/* What CUDA answers. The simulator must answer as a GPU does, because users try their handling of errors and their captures
   there: what is expected here has been seen on a GPU. No function of the library is called. */
#include "check.h"

#include <pthread.h>

static int *memory;
static cudaStream_t stream, other, unblocking; /* `unblocking` does not wait for the default stream */
static cudaEvent_t event, past;                /* `past` has been recorded, and its work is done */

static void set_up(void)
{
    need_gpu();
    memory = (int *)device_room(64 * sizeof *memory, 0);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaStreamCreateWithFlags(&unblocking, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventCreate(&past));
    CHECK(cudaEventRecord(past, other));
    CHECK(cudaDeviceSynchronize());
}

static void tear_down(void)
{
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(past));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(unblocking));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(memory));
}

TestSuite(runtime, .init = set_up, .fini = tear_down);

#define EXPECT(call, error)                                                                               \
    do {                                                                                                  \
        const cudaError_t got_ = (call);                                                                  \
        cr_expect(got_ == (error), "%s: %s, not %s", #call, cudaGetErrorName(got_),                       \
                  cudaGetErrorName(error));                                                               \
        (void)cudaGetLastError();                                                                         \
    } while (0)

/* ---- Launches ---------------------------------------------------------------------------------------- */

static __global__ void unbounded(int *p) { *p += 1; }
static __global__ void __launch_bounds__(128) up_to_128(int *p) { *p += 1; }
static __global__ void __launch_bounds__(1024) up_to_1024(int *p) { *p += 1; }

Test(runtime, launches)
{
    const struct {
        void (*kernel)(int *);
        dim3 grid, block;
        size_t shared;
        cudaError_t expected;
    } launches[] = {
        {unbounded, dim3(1), dim3(1024), 0, cudaSuccess},
        {unbounded, dim3(1), dim3(1025), 0, cudaErrorInvalidValue},
        {unbounded, dim3(1), dim3(0), 0, cudaErrorInvalidValue},
        {unbounded, dim3(0), dim3(1), 0, cudaErrorInvalidValue},
        {unbounded, dim3(1), dim3(32, 33), 0, cudaErrorInvalidValue},
        {unbounded, dim3(1), dim3(1, 1, 64), 0, cudaSuccess},
        {unbounded, dim3(1), dim3(1, 1, 65), 0, cudaErrorInvalidValue},
        {unbounded, dim3(1, 65536), dim3(1), 0, cudaErrorInvalidValue},
        {unbounded, dim3(1), dim3(1), 48 << 10, cudaSuccess},
        {unbounded, dim3(1), dim3(1), (48 << 10) + 1, cudaErrorInvalidValue},
        {up_to_128, dim3(1), dim3(128), 0, cudaSuccess},
        {up_to_128, dim3(1), dim3(129), 0, cudaErrorInvalidValue},
        {up_to_128, dim3(1), dim3(2048), 0, cudaErrorInvalidValue},
        {up_to_128, dim3(1), dim3(0), 0, cudaErrorInvalidValue},
        {up_to_128, dim3(1, 65536), dim3(129), 0, cudaErrorInvalidValue},
        {up_to_128, dim3(1), dim3(1, 1, 65), 0, cudaErrorInvalidValue},
        {up_to_128, dim3(1), dim3(1, 1, 129), 0, cudaErrorInvalidValue},
        {up_to_1024, dim3(1), dim3(1024), 0, cudaSuccess},
        {up_to_1024, dim3(1), dim3(1025), 0, cudaErrorInvalidValue},
    };
    for (size_t k = 0; k < COUNT(launches); k++) {
        void *arguments[] = {&memory};
        launches[k].kernel<<<launches[k].grid, launches[k].block, launches[k].shared, stream>>>(memory);
        const cudaError_t peeked = cudaPeekAtLastError(), last = cudaGetLastError();
        const cudaError_t called = cudaLaunchKernel(launches[k].kernel, launches[k].grid, launches[k].block, arguments,
                                                    launches[k].shared, stream);
        cr_expect(peeked == launches[k].expected, "launch %zu: %s, not %s", k, cudaGetErrorName(peeked),
                  cudaGetErrorName(launches[k].expected));
        cr_expect(last == peeked && called == peeked && cudaGetLastError() == peeked &&
                      cudaGetLastError() == cudaSuccess,
                  "launch %zu: one error by all ways, which is then forgotten", k);
    }
    CHECK(cudaDeviceSynchronize());
}

Test(runtime, bounds_of_kernels)
{
    struct cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, up_to_128));
    cr_expect(attributes.maxThreadsPerBlock == 128, "%d", attributes.maxThreadsPerBlock);
    CHECK(cudaFuncGetAttributes(&attributes, unbounded));
    cr_expect(attributes.maxThreadsPerBlock == 1024, "%d", attributes.maxThreadsPerBlock);
}

Test(runtime, dynamic_shared_memory)
{
    const struct {
        int allowed;
        size_t asked;
        cudaError_t to_allow, to_launch;
    } cases[] = {
        {100 << 10, 100 << 10, cudaSuccess, cudaSuccess},
        {100 << 10, (100 << 10) + 1, cudaSuccess, cudaErrorInvalidValue},
        {227 << 10, 227 << 10, cudaSuccess, cudaSuccess},
        {(227 << 10) + 1, 0, cudaErrorInvalidValue, cudaSuccess},
        {-1, 0, cudaErrorInvalidValue, cudaSuccess},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        EXPECT(cudaFuncSetAttribute(unbounded, cudaFuncAttributeMaxDynamicSharedMemorySize, cases[k].allowed),
               cases[k].to_allow);
        unbounded<<<1, 1, cases[k].asked, stream>>>(memory);
        EXPECT(cudaGetLastError(), cases[k].to_launch);
    }
    CHECK(cudaDeviceSynchronize());
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

static enum cudaMemoryType type_of(const void *p)
{
    cudaPointerAttributes where;
    CHECK(cudaPointerGetAttributes(&where, p));
    return where.type;
}

Test(runtime, kinds_of_memory)
{
    void *pinned, *managed, *const plain = aligned_alloc(4096, 4096);
    CHECK(cudaMallocHost(&pinned, 64));
    CHECK(cudaMallocManaged(&managed, 64));
    cr_expect(type_of(plain) == cudaMemoryTypeUnregistered, "plain memory");
    cr_expect(type_of(memory + 63) == cudaMemoryTypeDevice, "the device's memory");
    cr_expect(type_of((char *)pinned + 63) == cudaMemoryTypeHost, "pinned memory");
    cr_expect(type_of((char *)managed + 63) == cudaMemoryTypeManaged, "managed memory");
    EXPECT(cudaHostUnregister(plain), cudaErrorHostMemoryNotRegistered);
    CHECK(cudaHostRegister(plain, 4096, cudaHostRegisterDefault));
    EXPECT(cudaHostRegister(plain, 4096, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
    cr_expect(type_of(plain) == cudaMemoryTypeHost, "registered memory");
    CHECK(cudaHostUnregister(plain));
    cr_expect(type_of(plain) == cudaMemoryTypeUnregistered, "no longer registered");
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(managed));
    free(plain);
}

Test(runtime, errors_of_memory)
{
    int host[64] = {0};
    void *p;
    EXPECT(cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
    EXPECT(cudaMalloc(&p, SIZE_MAX), cudaErrorMemoryAllocation);
    EXPECT(cudaMalloc((void **)NULL, 4), cudaErrorInvalidValue);
    EXPECT(cudaFree(NULL), cudaSuccess);
    EXPECT(cudaFree(memory + 1), cudaErrorInvalidValue);
    EXPECT(cudaFree(host), cudaErrorInvalidValue);
    EXPECT(cudaFreeHost(NULL), cudaSuccess);
    EXPECT(cudaFreeHost(memory), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(host, NULL, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(NULL, memory, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(NULL, NULL, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT(cudaMemcpy(memory, host, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(host, memory, 4, (enum cudaMemcpyKind)5), cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaMemcpy(host, memory, 256, cudaMemcpyDefault), cudaSuccess);
    EXPECT(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
    EXPECT(cudaMemset(NULL, 0, 0), cudaSuccess);
    EXPECT(cudaMemset(NULL, 0, 4), cudaErrorInvalidValue);
}

/* ---- What a capture refuses -------------------------------------------------------------------------- */

static void expect_end(const char *what, cudaStream_t of, cudaError_t error)
{
    cudaGraph_t graph = NULL;
    const cudaError_t got = cudaStreamEndCapture(of, &graph);
    cr_expect(got == error, "the end of a capture, %s: %s, not %s", what, cudaGetErrorName(got), cudaGetErrorName(error));
    cr_expect((graph != NULL) == (error == cudaSuccess), "the end of a capture, %s: a graph, or none", what);
    if (graph != NULL) CHECK(cudaGraphDestroy(graph));
    (void)cudaGetLastError();
}

static cudaError_t launch_on(cudaStream_t on)
{
    unbounded<<<1, 1, 0, on>>>(memory);
    return cudaPeekAtLastError();
}

/* Calls of a thread while `stream` captures. */
static cudaError_t query_stream(void) { return cudaStreamQuery(other); }
static cudaError_t wait_for_stream(void) { return cudaStreamSynchronize(other); }
static cudaError_t query_event(void) { return cudaEventQuery(past); }
static cudaError_t wait_for_event(void) { return cudaEventSynchronize(past); }
static cudaError_t query_own(void) { return cudaStreamQuery(stream); }
static cudaError_t wait_for_own(void) { return cudaStreamSynchronize(stream); }
static cudaError_t wait_for_device(void) { return cudaDeviceSynchronize(); }
static cudaError_t query_default(void) { return cudaStreamQuery(0); }
static cudaError_t wait_for_default(void) { return cudaStreamSynchronize(0); }
static cudaError_t launch_default(void) { return launch_on(0); }
static cudaError_t launch_other(void) { return launch_on(unblocking); }
static cudaError_t set_default(void) { return cudaMemset(memory, 0, sizeof *memory); }
static cudaError_t set_other(void) { return cudaMemsetAsync(memory, 0, sizeof *memory, unblocking); }
static cudaError_t copy_default(void)
{
    int to;
    return cudaMemcpy(&to, memory, sizeof to, cudaMemcpyDeviceToHost);
}
static cudaError_t allocate(void)
{
    void *more = NULL;
    const cudaError_t error = cudaMalloc(&more, 4);
    if (error == cudaSuccess) CHECK(cudaFree(more));
    return error;
}
static cudaError_t allocate_pinned(void)
{
    void *more = NULL;
    const cudaError_t error = cudaMallocHost(&more, 4);
    if (error == cudaSuccess) CHECK(cudaFreeHost(more));
    return error;
}
static cudaError_t elapsed(void)
{
    float ms;
    return cudaEventElapsedTime(&ms, past, past);
}
static cudaError_t harmless(void)
{
    cudaPointerAttributes where;
    cudaStream_t more;
    cudaEvent_t another;
    int device;
    CHECK(cudaPointerGetAttributes(&where, memory));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaSetDevice(device));
    CHECK(cudaEventCreate(&another));
    CHECK(cudaEventDestroy(another));
    CHECK(cudaStreamCreate(&more));
    return cudaStreamDestroy(more);
}

typedef cudaError_t call_of_cuda(void);
#define UNSUPPORTED cudaErrorStreamCaptureUnsupported
#define IMPLICIT cudaErrorStreamCaptureImplicit
static const struct {
    const char *name;
    call_of_cuda *call;
    cudaError_t expected[3]; /* in a capture of mode global, thread-local, relaxed */
} calls[] = {
    {"query_stream", query_stream, {UNSUPPORTED, UNSUPPORTED, cudaSuccess}},
    {"wait_for_stream", wait_for_stream, {UNSUPPORTED, UNSUPPORTED, cudaSuccess}},
    {"query_event", query_event, {UNSUPPORTED, UNSUPPORTED, cudaSuccess}},
    {"wait_for_event", wait_for_event, {UNSUPPORTED, UNSUPPORTED, cudaSuccess}},
    {"query_own", query_own, {UNSUPPORTED, UNSUPPORTED, UNSUPPORTED}},
    {"wait_for_own", wait_for_own, {UNSUPPORTED, UNSUPPORTED, UNSUPPORTED}},
    {"wait_for_device", wait_for_device, {UNSUPPORTED, UNSUPPORTED, UNSUPPORTED}},
    {"query_default", query_default, {IMPLICIT, IMPLICIT, IMPLICIT}},
    {"wait_for_default", wait_for_default, {IMPLICIT, IMPLICIT, IMPLICIT}},
    {"launch_default", launch_default, {IMPLICIT, IMPLICIT, IMPLICIT}},
    {"launch_other", launch_other, {cudaSuccess, cudaSuccess, cudaSuccess}},
    {"set_default", set_default, {IMPLICIT, IMPLICIT, IMPLICIT}},
    {"set_other", set_other, {cudaSuccess, cudaSuccess, cudaSuccess}},
    {"copy_default", copy_default, {IMPLICIT, IMPLICIT, IMPLICIT}},
    {"allocate", allocate, {UNSUPPORTED, UNSUPPORTED, cudaSuccess}},
    {"allocate_pinned", allocate_pinned, {UNSUPPORTED, UNSUPPORTED, cudaSuccess}},
    {"elapsed", elapsed, {cudaSuccess, cudaSuccess, cudaSuccess}},
    {"harmless", harmless, {cudaSuccess, cudaSuccess, cudaSuccess}},
};

Test(runtime, calls_during_a_capture)
{
    for (size_t k = 0; k < COUNT(calls); k++)
        for (int mode = 0; mode < 3; mode++) {
            const cudaError_t expected = calls[k].expected[mode];
            CHECK(cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)mode));
            const cudaError_t got = calls[k].call();
            cr_expect(got == expected, "%s in a capture of mode %d: %s, not %s", calls[k].name, mode,
                      cudaGetErrorName(got), cudaGetErrorName(expected));
            expect_end(calls[k].name, stream, expected == cudaSuccess ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
        }
}

/* Neither of the default stream and `unblocking` waits for the other. */
Test(runtime, default_stream_during_another_capture)
{
    CHECK(cudaStreamBeginCapture(unblocking, cudaStreamCaptureModeGlobal));
    EXPECT(launch_on(0), cudaSuccess);
    expect_end("a launch", unblocking, cudaSuccess);
    CHECK(cudaStreamBeginCapture(unblocking, cudaStreamCaptureModeGlobal));
    EXPECT(cudaStreamSynchronize(0), UNSUPPORTED);
    expect_end("a wait", unblocking, cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamBeginCapture(unblocking, cudaStreamCaptureModeRelaxed));
    EXPECT(cudaMemset(memory, 0, sizeof *memory), cudaSuccess);
    EXPECT(cudaStreamSynchronize(0), cudaSuccess);
    expect_end("the default stream in use", unblocking, cudaSuccess);
}

/* ---- Other threads ----------------------------------------------------------------------------------- */

struct task {
    cudaStreamCaptureMode own; /* the mode that the thread exchanges its own for */
    cudaError_t got;
};

static void *allocate_there(void *to)
{
    struct task *const task = (struct task *)to;
    cudaStreamCaptureMode mode = task->own;
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    cr_expect(mode == cudaStreamCaptureModeGlobal, "a thread begins with the global mode");
    task->got = allocate();
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    cr_expect(mode == task->own, "the mode that was set");
    return NULL;
}
static void *end_there(void *to)
{
    cudaGraph_t graph = NULL;
    *(cudaError_t *)to = cudaStreamEndCapture(stream, &graph);
    if (graph != NULL) CHECK(cudaGraphDestroy(graph));
    return NULL;
}
static void by_thread(void *(*function)(void *), void *argument, bool is_new)
{
    pthread_t thread;
    if (!is_new) {
        (void)function(argument);
        return;
    }
    cr_assert(pthread_create(&thread, NULL, function, argument) == 0 && pthread_join(thread, NULL) == 0, "no thread");
}

Test(runtime, modes_of_threads)
{
    static const bool refuses[2][3][3] = {/* by [another thread][capture's mode][thread's mode] */
                                          {{true, true, false}, {true, true, false}, {false, false, false}},
                                          {{true, false, false}, {false, false, false}, {false, false, false}}};
    for (int is_new = 0; is_new < 2; is_new++)
        for (int mode = 0; mode < 3; mode++)
            for (int own = 0; own < 3; own++) {
                const bool fails = refuses[is_new][mode][own];
                struct task task = {(cudaStreamCaptureMode)own, cudaSuccess};
                CHECK(cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)mode));
                by_thread(allocate_there, &task, is_new);
                cr_expect(task.got == (fails ? UNSUPPORTED : cudaSuccess), "%d, %d, %d: %s", is_new, mode, own,
                          cudaGetErrorName(task.got));
                expect_end("cudaMalloc", stream, fails ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
            }
}

Test(runtime, another_thread_ends_a_capture)
{
    for (int mode = 0; mode < 3; mode++) {
        const cudaError_t expected = mode == cudaStreamCaptureModeRelaxed ? cudaSuccess : cudaErrorStreamCaptureWrongThread;
        cudaError_t got = cudaErrorUnknown;
        CHECK(cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)mode));
        by_thread(end_there, &got, true);
        cr_expect(got == expected, "mode %d: %s", mode, cudaGetErrorName(got));
        expect_end("that has ended", stream, cudaErrorIllegalState);
    }
}

/* ---- Streams that join a capture --------------------------------------------------------------------- */

static void begin(cudaStream_t on) { CHECK(cudaStreamBeginCapture(on, cudaStreamCaptureModeRelaxed)); }
static void begin_with_event(void)
{
    begin(stream);
    CHECK(cudaEventRecord(event, stream));
}
static void follow(cudaStream_t to, cudaStream_t from) /* `to` waits for the work of `from` */
{
    CHECK(cudaEventRecord(event, from));
    CHECK(cudaStreamWaitEvent(to, event, 0));
}
static void begin_with_other(void)
{
    begin(stream);
    follow(other, stream);
}

Test(runtime, beginning_and_ending)
{
    EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed), UNSUPPORTED);
    begin(stream);
    EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaErrorIllegalState);
    expect_end("begun twice", stream, cudaSuccess);
    expect_end("never begun", stream, cudaErrorIllegalState);
}

Test(runtime, joining)
{
    begin_with_other();
    expect_end("another stream without work", stream, cudaSuccess);
    expect_end("of the other", other, cudaErrorIllegalState);

    begin_with_other();
    CHECK(launch_on(other));
    expect_end("another stream's work", stream, cudaErrorStreamCaptureUnjoined);

    begin_with_other();
    CHECK(launch_on(other));
    follow(stream, other);
    CHECK(launch_on(other));
    expect_end("work after the join", stream, cudaErrorStreamCaptureUnjoined);

    begin_with_other();
    CHECK(launch_on(other));
    follow(stream, other);
    expect_end("joined", stream, cudaSuccess);
}

Test(runtime, another_stream_ends_a_capture)
{
    begin_with_other();
    expect_end("by another stream", other, cudaErrorStreamCaptureUnmatched);
    expect_end("ended by another stream", stream, cudaErrorStreamCaptureInvalidated);
    expect_end("of the other", other, cudaErrorIllegalState);
}

Test(runtime, captures_that_meet)
{
    begin(stream);
    begin(other);
    CHECK(cudaEventRecord(event, stream));
    EXPECT(cudaStreamWaitEvent(other, event, 0), cudaErrorStreamCaptureMerge);
    expect_end("merged", stream, cudaErrorStreamCaptureInvalidated);
    expect_end("merged", other, cudaErrorStreamCaptureInvalidated);

    begin_with_event();
    EXPECT(cudaStreamWaitEvent(0, event, 0), IMPLICIT);
    expect_end("the default stream joins", stream, cudaErrorStreamCaptureInvalidated);
}

/* ---- Events ------------------------------------------------------------------------------------------ */

Test(runtime, events_from_outside)
{
    cudaEvent_t never;
    CHECK(cudaEventCreate(&never));
    begin(stream);
    EXPECT(cudaStreamWaitEvent(stream, never, 0), cudaSuccess);
    expect_end("never recorded", stream, cudaSuccess);
    CHECK(cudaEventDestroy(never));

    begin(stream);
    EXPECT(cudaStreamWaitEvent(stream, past, 0), cudaErrorStreamCaptureIsolation);
    EXPECT(cudaEventRecord(event, stream), cudaErrorStreamCaptureInvalidated);
    EXPECT(launch_on(stream), cudaErrorStreamCaptureInvalidated);
    expect_end("an event from outside", stream, cudaErrorStreamCaptureInvalidated);

    begin_with_event();
    EXPECT(cudaStreamWaitEvent(stream, past, 0), cudaErrorStreamCaptureIsolation);
    EXPECT(cudaStreamWaitEvent(other, event, 0), cudaErrorInvalidValue);
    expect_end("spoilt", stream, cudaErrorStreamCaptureInvalidated);
}

Test(runtime, events_of_a_capture)
{
    float ms;
    begin_with_event();
    EXPECT(cudaEventQuery(event), cudaErrorCapturedEvent);
    expect_end("an event queried", stream, cudaErrorStreamCaptureInvalidated);
    begin_with_event();
    EXPECT(cudaEventSynchronize(event), cudaErrorCapturedEvent);
    expect_end("an event waited for", stream, cudaErrorStreamCaptureInvalidated);
    begin_with_event();
    EXPECT(cudaEventElapsedTime(&ms, past, event), cudaErrorCapturedEvent);
    expect_end("an event's time", stream, cudaSuccess);
}

Test(runtime, events_of_a_capture_that_has_ended)
{
    float ms;
    begin_with_event();
    expect_end("of an event", stream, cudaSuccess);
    EXPECT(cudaEventQuery(event), cudaErrorInvalidValue);
    EXPECT(cudaEventSynchronize(event), cudaErrorInvalidValue);
    EXPECT(cudaEventElapsedTime(&ms, past, event), cudaErrorInvalidValue);
    EXPECT(cudaStreamWaitEvent(other, event, 0), cudaErrorInvalidValue);
    begin(stream);
    EXPECT(cudaStreamWaitEvent(stream, event, 0), cudaErrorInvalidValue);
    expect_end("an event of the last one", stream, cudaErrorStreamCaptureInvalidated);
    CHECK(cudaEventRecord(event, stream)); /* it is an event again */
    CHECK(cudaStreamWaitEvent(other, event, 0));
    CHECK(cudaEventSynchronize(event));
}

/* ---- Functions of cudaLaunchHostFunc, and what is no error ------------------------------------------- */

static void CUDART_CB call_cuda(void *to)
{
    cudaError_t *const got = (cudaError_t *)to;
    void *more;
    int device;
    got[0] = cudaMalloc(&more, 4);
    got[1] = cudaStreamQuery(0);
    got[2] = launch_on(other);
    got[3] = cudaGetDevice(&device);
}

Test(runtime, host_functions)
{
    cudaError_t got[4];
    CHECK(cudaLaunchHostFunc(stream, call_cuda, got));
    CHECK(cudaStreamSynchronize(stream));
    for (size_t k = 0; k < COUNT(got); k++)
        cr_expect(got[k] == cudaErrorNotPermitted, "call %zu: %s", k, cudaGetErrorName(got[k]));
    CHECK(cudaGetLastError());
}

static void CUDART_CB wait_for_word(void *word)
{
    while (__atomic_load_n((int *)word, __ATOMIC_ACQUIRE) == 0) continue;
}

/* In the simulator, which runs work when a thread waits for it or asks, the word is set before. */
Test(runtime, work_that_is_not_done)
{
    int word = 0;
#ifdef SIMT
    word = 1;
#endif
    CHECK(cudaLaunchHostFunc(stream, wait_for_word, &word));
    CHECK(cudaEventRecord(event, stream));
    cr_expect(cudaStreamQuery(stream) == cudaErrorNotReady, "the work is not done");
    CHECK(cudaGetLastError()); /* which is not an error */
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventQuery(event));
    CHECK(cudaStreamQuery(stream));
}
