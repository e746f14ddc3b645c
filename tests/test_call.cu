/* The simple call: wherever the input is, with and without a GPU, and when a call of CUDA's fails. */
#ifdef SIMT
#    include "count.h"
#endif

#define SHARE_NOT
#include "share.h"

#include "check.h"

#ifdef SIMT
#    include "failing.h"
#endif

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(u64, trace)
DEFINE_REDUCE_MAP(total, int, long long, x, 0, a + b)
DEFINE_REDUCE_AS(words, words3, no_words3(), trace_words3(a, b))

enum { MOST = 100001 };
static const size_t sizes[] = {0, 1, 63, 1000, 8193, 40000, MOST};

/* A result that the call has not written. */
#define UNTOUCHED 0x5a5a5a5a5a5a5a5aull

/* The last error when nothing has failed: where there is no GPU, CUDA itself is one. */
static cudaError_t at_rest = cudaSuccess;

/* ---- Where the input is ----------------------------------------------------------------------------- */

static void expect_sizes(const u64 *in, const u64 *host, const char *where)
{
    for (size_t k = 0; k < COUNT(sizes); k++) {
        u64 got = UNTOUCHED;
        const u64 cpu = reduce_u64_trace_cpu(host, sizes[k]);
        CHECK(reduce_u64_trace(in, sizes[k], &got));
        cr_expect(got == cpu, "%zu elements in %s memory: %s, not %s", sizes[k], where, BITS(got),
                  BITS(cpu));
    }
    cr_expect(cudaPeekAtLastError() == at_rest, "%s memory leaves an error", where);
}

static u64 *new_data(void)
{
    u64 *host = (u64 *)malloc((MOST + 8) * sizeof *host);
    cr_assert(host != NULL, "no memory");
    fill_u64(host, MOST + 8, 1);
    return host;
}

Test(call, takes_every_kind_of_memory, .init = need_gpu)
{
    u64 *host = new_data(), *pinned, *managed, *device = (u64 *)to_device(host, MOST * sizeof *host);
    const size_t bytes = MOST * sizeof *host;
    CHECK(cudaMallocHost((void **)&pinned, bytes));
    CHECK(cudaMallocManaged((void **)&managed, bytes));
    memcpy(pinned, host, bytes);
    memcpy(managed, host, bytes);
    expect_sizes(host, host, "pageable");
    expect_sizes(pinned, host, "pinned");
    expect_sizes(managed, host, "managed");
    expect_sizes(device, host, "device");
    CHECK(cudaFree(device));
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaHostRegister(host, bytes, cudaHostRegisterDefault));
    expect_sizes(host, host, "registered");
    CHECK(cudaHostUnregister(host));
    free(host);
}

/* Inside an allocation, at each element within 16 bytes and more; the device's copy need not be aligned
   as the host's. */
Test(call, takes_every_offset, .init = need_gpu)
{
    u64 *host = new_data(), *device = (u64 *)to_device(host, (MOST + 8) * sizeof *host);
    for (size_t offset = 0; offset < 8; offset++) {
        if (!is_due(offset)) continue;
        expect_sizes(host + offset, host + offset, "misaligned pageable");
        expect_sizes(device + offset, host + offset, "misaligned device");
    }
    CHECK(cudaFree(device));
    free(host);
}

Test(call, takes_structs, .init = need_gpu)
{
    enum { N = 5000 };
    words3 *host = (words3 *)malloc(N * sizeof *host), got;
    cr_assert(host != NULL, "no memory");
    fill_words3(host, N, 3);
    const words3 cpu = words_cpu(host, N);
    CHECK(words(host, N, &got));
    cr_expect(SAME_BITS(got, cpu), "%s, not %s", BITS(got), BITS(cpu));
    CHECK(words(NULL, 0, &got));
    const words3 none = words_identity();
    cr_expect(SAME_BITS(got, none), "nothing: %s", BITS(got));
    free(host);
}

/* The result may be on a device, too, wherever the elements are, and of nothing. */
Test(call, gives_to_the_device, .init = need_gpu)
{
    u64 *host = new_data(), *device = (u64 *)to_device(host, MOST * sizeof *host), *out = (u64 *)device_room(sizeof *out, 0);
    for (size_t k = 0; k < COUNT(sizes); k++) {
        u64 got[2];
        const u64 cpu = reduce_u64_trace_cpu(host, sizes[k]);
        for (int where = 0; where < 2; where++) {
            CHECK(cudaMemset(out, 0x5a, sizeof *out));
            CHECK(reduce_u64_trace(where == 0 ? host : device, sizes[k], out));
            from_device(&got[where], out, sizeof *out);
        }
        cr_expect(got[0] == cpu && got[1] == cpu, "%zu elements: %s and %s, not %s", sizes[k], BITS(got[0]), BITS(got[1]),
                  BITS(cpu));
    }
    cr_expect(cudaPeekAtLastError() == at_rest, "an error stays behind");
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    free(host);
}

/* The result may be anywhere in main memory. */
Test(call, gives_to_any_host_pointer, .init = need_gpu)
{
    static u64 in_data;
    u64 *host = new_data(), *on_heap = (u64 *)malloc(sizeof *on_heap), *pinned;
    CHECK(cudaMallocHost((void **)&pinned, sizeof *pinned));
    const u64 cpu = reduce_u64_trace_cpu(host, 1000);
    CHECK(reduce_u64_trace(host, 1000, &in_data));
    CHECK(reduce_u64_trace(host, 1000, on_heap));
    CHECK(reduce_u64_trace(host, 1000, pinned));
    CHECK(reduce_u64_trace(host, 1000, host + 1000)); /* just past the input */
    cr_expect(in_data == cpu && *on_heap == cpu && *pinned == cpu && host[1000] == cpu,
              "one result is wrong");
    CHECK(cudaFreeHost(pinned));
    free(on_heap), free(host);
}

/* A sum that an int cannot hold. */
Test(call, sums_into_a_wider_type, .init = need_gpu)
{
#ifdef SIMT
    const size_t n = 200000;
#else
    const size_t n = 100000000;
#endif
    int *host = (int *)malloc(n * sizeof *host);
    long long got = 0, loop = 0;
    cr_assert(host != NULL, "no memory");
    for (size_t i = 0; i < n; i++) host[i] = 2000000000 - (int)(i % 1000);
    for (size_t i = 0; i < n; i++) loop += host[i];
    CHECK(total(host, n, &got));
    cr_expect(got == loop, "%lld, not %lld", got, loop);
    cr_expect(total_cpu(host, n) == loop, "the CPU: %lld, not %lld", total_cpu(host, n), loop);
    free(host);
}

/* ---- Errors of the caller's ------------------------------------------------------------------------- */

static void expect_refused(int line, cudaError_t got, cudaError_t expected, u64 result)
{
    cr_expect(got == expected, "line %d: %s, not %s", line, cudaGetErrorName(got),
              cudaGetErrorName(expected));
    cr_expect(result == UNTOUCHED, "line %d: the result is %s", line, BITS(result));
    cr_expect(cudaPeekAtLastError() == at_rest, "line %d: an error stays behind", line);
}

#define REFUSED(in, n, expected)                                                                           \
    do {                                                                                                   \
        result = UNTOUCHED;                                                                                \
        expect_refused(__LINE__, reduce_u64_trace(in, n, &result), expected, result);                      \
    } while (0)

static void expect_all_refused(u64 *host)
{
    u64 result = UNTOUCHED;
    const cudaError_t invalid = cudaErrorInvalidValue, misaligned = cudaErrorMisalignedAddress;
    u64 *const off = (u64 *)(void *)((char *)host + 4);
    REFUSED(NULL, 1, invalid);
    REFUSED(host, SIZE_MAX, invalid);
    REFUSED(host, SIZE_MAX / 8 + 1, invalid);
    REFUSED(off, 10, misaligned);
    expect_refused(__LINE__, reduce_u64_trace(host, 10, NULL), invalid, UNTOUCHED);
    expect_refused(__LINE__, reduce_u64_trace(NULL, 0, NULL), invalid, UNTOUCHED);
    host[0] = host[4] = host[9] = UNTOUCHED;
    expect_refused(__LINE__, reduce_u64_trace(host, 10, host), invalid, host[0]);
    expect_refused(__LINE__, reduce_u64_trace(host, 10, host + 4), invalid, host[4]);
    expect_refused(__LINE__, reduce_u64_trace(host, 10, host + 9), invalid, host[9]);
    expect_refused(__LINE__, reduce_u64_trace(host + 500, 10, off), misaligned, UNTOUCHED);
}

Test(call, refuses, .init = need_gpu)
{
    u64 *host = new_data();
    expect_all_refused(host);
    free(host);
}

/* An error of the caller's own, before the call, is neither reported by it nor forgotten. */
static cudaError_t make_error(void)
{
    char a = 0, b = 0;
    return cudaMemcpy(&a, &b, 1, (enum cudaMemcpyKind)77);
}

Test(call, leaves_an_earlier_error, .init = need_gpu)
{
    u64 *host = new_data(), got = UNTOUCHED;
    const cudaError_t earlier = make_error();
    cr_assert(earlier != cudaSuccess, "this call should have failed");
    CHECK(reduce_u64_trace(host, 1000, &got));
    cr_expect(got == reduce_u64_trace_cpu(host, 1000), "%s", BITS(got));
    cr_expect(cudaGetLastError() == earlier, "the earlier error is gone");
    free(host);
}

Test(call, workspaces, .init = need_gpu)
{
    reduce_workspace *ws = NULL;
    cr_expect(reduce_workspace_create(NULL) == cudaErrorInvalidValue, "a null pointer is refused");
    CHECK(reduce_workspace_destroy(NULL));
    CHECK(reduce_workspace_create(&ws));
    cr_expect(ws != NULL, "no workspace");
    CHECK(reduce_workspace_destroy(ws));
    cr_expect(cudaPeekAtLastError() == cudaSuccess, "an error stays behind");
}

/* ---- Without a GPU ---------------------------------------------------------------------------------- */

/* Hides the GPUs from this test's process, before its first call of CUDA's. */
static void hide_gpus(void)
{
    setenv("SIMT_DEVICES", "0", 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    at_rest = cudaPeekAtLastError();
}

Test(call, runs_on_the_cpu_without_a_gpu, .init = hide_gpus)
{
    int devices = 7;
    u64 *host = new_data();
    expect_sizes(host, host, "main, without a GPU");
    cr_expect(cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0, "there is a GPU");
    (void)cudaGetLastError();
    expect_all_refused(host);
    free(host);
}

Test(call, leaves_an_earlier_error_without_a_gpu, .init = hide_gpus)
{
    u64 *host = new_data(), got = UNTOUCHED;
    void *memory = NULL;
    const cudaError_t earlier = cudaMalloc(&memory, 1);
    cr_assert(earlier != cudaSuccess, "there is a GPU");
    CHECK(reduce_u64_trace(host, 1000, &got));
    cr_expect(got == reduce_u64_trace_cpu(host, 1000), "%s", BITS(got));
    cr_expect(cudaGetLastError() != cudaSuccess, "the earlier error is gone");
    free(host);
}

/* ---- Two GPUs --------------------------------------------------------------------------------------- */

static void need_two_gpus(void)
{
    int devices = 0;
    setenv("SIMT_DEVICES", "2", 1);
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices >= 2) return;
    (void)cudaGetLastError();
    cr_skip_test("no two GPUs here");
}

Test(call, goes_to_the_inputs_gpu_and_back, .init = need_two_gpus)
{
    u64 *host = new_data();
    for (int input = 0; input < 2; input++) {
        CHECK(cudaSetDevice(input));
        u64 *device = (u64 *)to_device(host, MOST * sizeof *host);
        for (int home = 0; home < 2; home++) {
            int now = -1;
            CHECK(cudaSetDevice(home));
            expect_sizes(device, host, "another device's");
            expect_sizes(host, host, "main");
            CHECK(cudaGetDevice(&now));
            cr_expect(now == home, "called on device %d, left on %d", home, now);
        }
        CHECK(cudaFree(device));
    }
    free(host);
}

/* ---- When a call of CUDA's fails -------------------------------------------------------------------- */

#ifdef SIMT
/* One array on both sides: in main memory, and on device 1 while device 0 is current. */
enum { N = 9000 };
static u64 *host, *device, sum_of_all;

static void two_devices(void)
{
    setenv("SIMT_DEVICES", "2", 1);
    host = new_data();
    sum_of_all = reduce_u64_trace_cpu(host, N);
    CHECK(cudaSetDevice(1));
    device = (u64 *)to_device(host, N * sizeof *host);
    CHECK(cudaSetDevice(0));
}

static cudaError_t of_an_array(const struct attempt *self, void *got)
{
    return reduce_u64_trace((const u64 *)self->in, N, (u64 *)got);
}

static cudaError_t two_launches(const struct attempt *self, void *got)
{
    static reduce_workspace *ws;
    static u64 *in, *out;
    if (ws == NULL) {
        CHECK(reduce_workspace_create(&ws));
        in = (u64 *)to_device(self->in, N * sizeof *in);
        out = (u64 *)device_room(sizeof *out, 0);
    }
    const cudaError_t status = reduce_u64_trace_two_launch(in, N, out, ws, 0);
    if (status == cudaSuccess) from_device(got, out, sizeof *out);
    return status;
}

Test(call, survives_failing_calls, .init = two_devices)
{
    static const struct {
        const char *kind;
        int least, at_another; /* at another device, it goes there and back */
    } kinds[] = {{"malloc", 0, 1}, {"memset", 0, 1}, {"memcpy", 0, 1}, {"launch", 0, 1},
                 {"free", 0, 1},   {"sync", 0, 0},   {"device", 5, 5}};
    const struct attempt here = {"from main memory", of_an_array, host, &sum_of_all, sizeof sum_of_all, 0, false, false};
    const struct attempt away = {"from device 1", of_an_array, device, &sum_of_all, sizeof sum_of_all, 0, true, false};
    const struct attempt both = {"two launches", two_launches, host, &sum_of_all, sizeof sum_of_all, 0, false, false};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        expect_clean_failures(&here, kinds[k].kind, kinds[k].least);
        expect_clean_failures(&away, kinds[k].kind, kinds[k].at_another);
    }
    expect_clean_failures(&both, "launch", 2);
}

Test(call, workspaces_survive_failing_calls, .init = two_devices)
{
    const struct attempt attempt = {"a workspace", create_and_destroy, NULL, &sum_of_all, sizeof sum_of_all, 0, false, false};
    expect_clean_failures(&attempt, "malloc", 1);
    expect_clean_failures(&attempt, "memset", 1);
    expect_clean_failures(&attempt, "sync", 1);
    expect_clean_failures(&attempt, "free", 1);
}

/* Nothing stays allocated, wherever the input is and however often. */
Test(call, gives_back_what_it_takes, .init = two_devices)
{
    u64 got = 0;
    reduce_workspace *ws = NULL;
    CHECK(reduce_u64_trace(host, N, &got));
    const size_t live = simt_live_allocations();
    for (int k = 0; k < 3; k++) {
        CHECK(reduce_u64_trace(host, N, &got));
        CHECK(reduce_u64_trace(device, N, &got));
        CHECK(reduce_workspace_create(&ws));
        CHECK(reduce_workspace_destroy(ws));
        cr_expect(reduce_u64_trace(host, N, NULL) != cudaSuccess, "a null pointer is refused");
    }
    cr_expect(simt_live_allocations() == live, "%zu allocations, not %zu", simt_live_allocations(), live);
}

static long copies(const u64 *in)
{
    u64 got = UNTOUCHED;
    const long before = simt_calls("memcpy");
    CHECK(reduce_u64_trace(in, N, &got));
    cr_expect(got == sum_of_all, "%s", BITS(got));
    return simt_calls("memcpy") - before;
}

/* Where the device reads the input in place, the call copies only the result. (Main memory: test_host.cu.) */
Test(call, copies_only_the_result, .init = two_devices)
{
    u64 *managed;
    CHECK(cudaMallocManaged((void **)&managed, N * sizeof *managed));
    memcpy(managed, host, N * sizeof *host);
    cr_expect(copies(device) == 1 && copies(managed) == 1, "%ld and %ld copies", copies(device),
              copies(managed));
    CHECK(cudaFree(managed));
}

/* The result of an array on a device may be there too, and is as it was after an error. */
Test(call, takes_a_result_on_the_device, .init = two_devices)
{
    u64 got = UNTOUCHED, *const out = (u64 *)to_device(&got, sizeof got);
    simt_fail_after("free", 1);
    cr_expect(reduce_u64_trace(device, N, out) != cudaSuccess, "a call that fails");
    simt_clear();
    from_device(&got, out, sizeof got);
    cr_expect(got == UNTOUCHED, "%s", BITS(got));
    CHECK(reduce_u64_trace(device, N, out));
    from_device(&got, out, sizeof got);
    cr_expect(got == sum_of_all, "%s", BITS(got));
    CHECK(cudaFree(out));
}

Test(call, asks_whether_there_is_a_gpu, .init = two_devices)
{
    const struct attempt attempt = {"an array", of_an_array, host, &sum_of_all, sizeof sum_of_all, 0, false, false};
    expect_counts(&attempt);
}
#endif
