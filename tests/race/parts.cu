/* Parts of an array with a small tree, by ranks of the stand-in for NCCL that share a device, and by ranks whose kernels meet,
   for the thread sanitizer. Blocks leave data to the fold, a rank leaves data to another, and a call leaves the workspace to the
   next. */
#define CHECK_ALONE
#define REDUCE_MAX_CHUNKS 70
#define REDUCE_SPREAD_ 3
#define REDUCE_LOW_ 6
#include "../small_tree.h"

#include "../stand_in/nccl.h"

#include "reduce_nccl.cuh"

#include "../check.h"
#include "../tree.h"

DEFINE_REDUCE_AS(trace8, u64, 0, traced(a, b))
DEFINE_TREE_OF(trace8, u64, 0, traced(a, b))
DEFINE_REDUCE_NCCL(trace8)
DEFINE_REDUCE_AS(trace64, words16, no_words16(), trace_words16(a, b))
DEFINE_TREE_OF(trace64, words16, no_words16(), trace_words16(a, b))
DEFINE_REDUCE_NCCL(trace64)

enum { RANKS = 2 };

/* NAME_check(n, calls, ...): so many calls in the same streams, with nothing between them. */
#define DEFINE_CHECK(NAME, T)                                                                                \
    static void NAME##_check(size_t n, int calls, reduce_workspace *const *workspaces,                       \
                             const ncclComm_t *comms, const cudaStream_t *streams)                           \
    {                                                                                                        \
        T *const in = (T *)malloc(n * sizeof(T)), *parts[RANKS], *outs[RANKS], got;                          \
        fill_##T(in, n, n);                                                                                  \
        const T expected = NAME##_tree(in, n);                                                               \
        for (int r = 0; r < RANKS; r++) {                                                                    \
            const struct reduce_shard own = reduce_shard(n, sizeof(T), r, RANKS);                            \
            parts[r] = (T *)to_device(in + own.begin, own.length * sizeof(T));                               \
            outs[r] = (T *)device_room(sizeof(T), 0x5a);                                                     \
        }                                                                                                    \
        CHECK(cudaDeviceSynchronize());                                                                      \
        for (int k = 0; k < calls; k++)                                                                      \
            cr_assert(NAME##_nccl_all_async(RANKS, parts, n, outs, workspaces, comms, streams) == ncclSuccess, \
                      "%s", #NAME);                                                                          \
        for (int r = 0; r < RANKS; r++) CHECK(cudaStreamSynchronize(streams[r]));                            \
        for (int r = 0; r < RANKS; r++) {                                                                    \
            from_device(&got, outs[r], sizeof got);                                                          \
            cr_assert(SAME_BITS(got, expected), "%s of %zu, rank %d: %s", #NAME, n, r, BITS(got));           \
            cr_assert(is_empty_workspace(workspaces[r]), "%s of %zu, rank %d", #NAME, n, r);                 \
            CHECK(cudaFree(parts[r]));                                                                       \
            CHECK(cudaFree(outs[r]));                                                                        \
        }                                                                                                    \
        free(in);                                                                                            \
    }
DEFINE_CHECK(trace8, u64)
DEFINE_CHECK(trace64, words16)

static void check_on(const int *devices)
{
    reduce_workspace *workspaces[RANKS];
    ncclComm_t comms[RANKS];
    cudaStream_t streams[RANKS];
    cr_assert(ncclCommInitAll(comms, RANKS, devices) == ncclSuccess, "ranks");
    for (int r = 0; r < RANKS; r++) {
        CHECK(cudaSetDevice(devices[r]));
        CHECK(reduce_workspace_create(&workspaces[r]));
        CHECK(cudaStreamCreateWithFlags(&streams[r], cudaStreamNonBlocking));
    }
    trace8_check(50, 2, workspaces, comms, streams);
    trace8_check(1000, 2, workspaces, comms, streams);
    trace64_check(250, 1, workspaces, comms, streams);
    trace8_check(REDUCE_STRANDS * 2 * 6 * (REDUCE_STRANDS + 2), 1, workspaces, comms, streams); /* more chunks than lanes */
    for (int r = 0; r < RANKS; r++) {
        CHECK(reduce_workspace_destroy(workspaces[r]));
        CHECK(cudaStreamDestroy(streams[r]));
        cr_assert(ncclCommDestroy(comms[r]) == ncclSuccess, "ranks");
    }
}

int main(void)
{
    static const int one[RANKS] = {0, 0}, two[RANKS] = {0, 1};
    int devices;
#ifdef SIMT
    setenv("SIMT_DEVICES", "2", 1);
#endif
    need_gpu();
    CHECK(cudaGetDeviceCount(&devices));
    check_on(one);
    cr_assert(stand_in_calls(STAND_IN_ALL_GATHER) > 0, "ranks that share a device met");
    if (devices < 2) return 0;
    const long gathers = stand_in_calls(STAND_IN_ALL_GATHER);
    check_on(two);
    cr_assert(stand_in_calls(STAND_IN_ALL_GATHER) == gathers, "ranks did not meet");
    return 0;
}
