/*
 * A call in which each of CUDA's calls fails once. The simulator makes them fail.
 */
#ifndef FAILING_H
#define FAILING_H

#include "check.h"
#include "simt.h"

/* A call to try. It returns its status, and writes size bytes to *got or leaves them as they are. */
struct attempt {
    const char *name;
    cudaError_t (*call)(const struct attempt *self, void *got);
    const void *in, *expected; /* in and number are for the call alone */
    size_t size;
    int number;
    bool returns;      /* its last call about devices goes back to the caller's */
    bool writes_first; /* it writes the result before it gives back what it took: the result may be there if that fails */
};

/* The error of a call of this kind that fails. */
HELPER cudaError_t error_of(const char *kind)
{
    static const char *const of_values[] = {"free", "memcpy", "memset"};
    for (size_t k = 0; k < COUNT(of_values); k++)
        if (strcmp(kind, of_values[k]) == 0) return cudaErrorInvalidValue;
    return strcmp(kind, "launch") == 0   ? cudaErrorLaunchOutOfResources
           : strcmp(kind, "sync") == 0   ? cudaErrorLaunchFailure
           : strcmp(kind, "device") == 0 ? cudaErrorInitializationError
                                         : cudaErrorMemoryAllocation;
}

HELPER void expect_success(const struct attempt *attempt, const char *kind, int nth)
{
    char got[1024];
    cr_assert(attempt->size <= sizeof got, "%s has no room", attempt->name);
    CHECK(attempt->call(attempt, got));
    const bool is_right = memcmp(got, attempt->expected, attempt->size) == 0;
    cr_expect(is_right, "%s, after %s %d failed: a wrong result", attempt->name, kind, nth);
}

/* An attempt to create a workspace and to give it back. A creation that fails frees a null pointer. */
HELPER cudaError_t create_and_destroy(const struct attempt *self, void *got)
{
    reduce_workspace *const before = (reduce_workspace *)got, *ws = before;
    cudaError_t status = reduce_workspace_create(&ws);
    cr_expect(status == cudaSuccess || ws == before, "a failing creation changed the pointer");
    if (status == cudaSuccess) status = reduce_workspace_destroy(ws);
    if (status == cudaSuccess) memcpy(got, self->expected, self->size);
    return status;
}

/* The nth call of a kind fails: its error is returned, the result is as it was, nothing is lost, the caller's device is
   current, and the next attempt works. What cannot be given back is lost. is_last: no call of the kind follows. False if so
   many calls are not made. */
HELPER bool expect_clean_failure(const struct attempt *attempt, const char *kind, int nth, bool is_last)
{
    const size_t live = simt_live_allocations();
    const long calls = simt_calls(kind), taken = simt_calls("malloc"), given = simt_calls("free");
    const bool takes = strcmp(kind, "malloc") == 0, gives = strcmp(kind, "free") == 0;
    const bool is_return = attempt->returns && is_last && strcmp(kind, "device") == 0;
    const bool may_be_there = attempt->writes_first && (is_return || gives || (is_last && strcmp(kind, "sync") == 0));
    char got[1024], untouched[1024];
    int device = -1;
    memset(got, 0x5a, sizeof got);
    memset(untouched, 0x5a, sizeof untouched);
    simt_fail_after(kind, nth);
    const cudaError_t status = attempt->call(attempt, got);
    simt_clear();
    if (simt_calls(kind) - calls < nth) return false;
    const long lost = simt_calls("malloc") - taken - takes - (simt_calls("free") - given);
    cr_expect(status == error_of(kind), "%s: %s %d fails: %s", attempt->name, kind, nth, cudaGetErrorName(status));
    cr_expect(memcmp(got, untouched, sizeof got) == 0 || may_be_there, "%s: %s %d fails and the result is written", attempt->name,
              kind, nth);
    cr_expect(lost == 0 || (lost < 0 && attempt->call == create_and_destroy), "%s: %s %d fails, and %ld are not given back",
              attempt->name, kind, nth, lost);
    cr_expect(gives || simt_live_allocations() == live, "%s: %s %d fails and memory is lost", attempt->name, kind, nth);
    CHECK(cudaGetDevice(&device));
    cr_expect(device == 0 || is_return, "%s: %s %d fails and the device is %d", attempt->name, kind, nth, device);
    CHECK(cudaSetDevice(0));
    expect_success(attempt, kind, nth);
    return true;
}

/* Each call of a kind fails once. */
HELPER void expect_clean_failures(const struct attempt *attempt, const char *kind, int at_least)
{
    expect_success(attempt, "nothing", 0);
    const long before = simt_calls(kind);
    expect_success(attempt, "nothing", 0);
    const int calls = (int)(simt_calls(kind) - before);
    cr_expect(calls >= at_least, "%s makes %d calls of %s", attempt->name, calls, kind);
    for (int nth = 1; nth <= calls; nth++)
        if (!expect_clean_failure(attempt, kind, nth, nth == calls)) return;
}

#ifdef COUNT_H
/* CUDA counts the GPUs in each way of counts (count.h), with and without an earlier error. A missing GPU leaves no error
   behind, and an earlier error stays. */
HELPER void expect_counts(const struct attempt *attempt)
{
    char got[1024], untouched[1024], a = 0, b = 0;
    memset(untouched, 0x5a, sizeof untouched);
    for (size_t k = 0; k < 2 * COUNT(counts); k++) {
        const struct count count = counts[k / 2];
        const bool had_error = k % 2 != 0;
        const long launches = simt_calls("launch");
        const size_t live = simt_live_allocations();
        memcpy(got, untouched, sizeof got);
        if (had_error) (void)cudaMemcpy(&a, &b, 1, (enum cudaMemcpyKind)77);
        counting.is_told = true, counting.count = count;
        const cudaError_t status = attempt->call(attempt, got), left = cudaGetLastError();
        counting.is_told = false;
        const void *const expected = count.status == cudaSuccess ? attempt->expected : untouched;
        cr_expect(status == count.status, "%s, count %zu: %s", attempt->name, k, cudaGetErrorName(status));
        cr_expect(memcmp(got, expected, attempt->size) == 0, "%s, count %zu: a wrong result", attempt->name, k);
        const bool is_clean = count.status == cudaSuccess && !had_error;
        cr_expect((left == cudaSuccess) == is_clean, "%s, count %zu leaves %s", attempt->name, k, cudaGetErrorName(left));
        cr_expect(simt_live_allocations() == live, "%s, count %zu: memory is lost", attempt->name, k);
        cr_expect(simt_calls("launch") == launches, "%s, count %zu: the GPU works", attempt->name, k);
    }
}
#endif

#endif
