/* hashes [CLASSES [EXECUTOR [TYPE]]]: by the GPU or the simulator. CLASSES: their digits. EXECUTOR: one of the table below;
   async, unless told. TYPE: this type alone. */
#ifdef HASHES_16_BITS
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define HASHES_GROUP GROUP_5
#endif
#define CHECK_ALONE
#define SHARE_TOLD
#include "../share.h"
#include "../check.h"
#include "../executors.h"
#include "reduce_async_n.cuh"
#include "reduce_parts.h"

#ifdef SIMT
#    include "simt.h"
#endif

/* How an executor computes, and where its arrays are. */
enum way { DIRECTLY, IN_PARTS, WITH_N, SHARED };
enum memory { PAGEABLE, PINNED, DEVICE };
static const struct executed {
    const char *name;
    enum way way;
    enum memory memory;
    enum executor executor; /* of executors.h */
    int ranks;
} table[] = {
    {"async", DIRECTLY, DEVICE, BY_ASYNC, 0},
    {"call", DIRECTLY, DEVICE, BY_CALL, 0},
    {"last_block", DIRECTLY, DEVICE, BY_LAST_BLOCK, 0},
    {"two_launch", DIRECTLY, DEVICE, BY_TWO_LAUNCH, 0},
    {"cpu", DIRECTLY, PAGEABLE, BY_CPU, 0},
    {"parts_1", IN_PARTS, DEVICE, BY_ASYNC, 1},
    {"parts_3", IN_PARTS, DEVICE, BY_ASYNC, 3},
    {"parts_7", IN_PARTS, DEVICE, BY_ASYNC, 7},
    {"async_n", WITH_N, DEVICE, BY_ASYNC, 0},
    {"host_pinned", SHARED, PINNED, BY_CALL, 0},     /* the CPU and the GPU share the array: the GPU in place, */
    {"host_pageable", SHARED, PAGEABLE, BY_CALL, 0}, /* or by buffers */
};
static const struct executed *by = table;
static reduce_workspace *ws;
static void *on_device, *partials;
static size_t *count;
static const unsigned char *room[4], *room_end[4]; /* of each seed */

/* More elements than there are, by another number each time, as far as the array has memory for them. */
static size_t most_of(const void *in, size_t n, size_t size)
{
    static size_t calls;
    const unsigned char *const from = (const unsigned char *)in;
    const size_t most = n + n * (calls++ % 4) / 2;
    for (size_t k = 0; k < COUNT(room); k++) {
        if (from < room[k] || from >= room_end[k]) continue; /* one room may begin where another ends */
        const size_t fit = (size_t)(room_end[k] - from) / size;
        return most < fit ? most : fit;
    }
    return n;
}

/* How fast the GPU is taken to be at first: slow, so that it takes one chunk and the CPU many, and as fast as a CPU. */
static void next_guess(void)
{
    static const double guesses[] = {1e-6, 0.1, 1};
    static size_t calls;
    sharing.guess = guesses[calls++ % COUNT(guesses)];
}

/* The simulator counts launches. The GPU must take part in a shared call wherever there are two chunks. */
static long launches(void)
{
#ifdef SIMT
    return simt_calls("launch");
#else
    return -1;
#endif
}

/* The last rank comes first. A chunk that no rank reduces leaves a partial result that no array has. */
#define COMPUTER(NAME, T)                                                                                 \
    DEFINE_BY(NAME, T, T)                                                                                 \
    DEFINE_REDUCE_PARTS(NAME)                                                                             \
    DEFINE_REDUCE_ASYNC_N(NAME)                                                                           \
    static void NAME##_in_parts(const T *in, size_t n, T *out)                                            \
    {                                                                                                     \
        T *const to = (T *)partials;                                                                      \
        CHECK(cudaMemset(to, 0xa5, reduce_plan(n, sizeof(T)).count * sizeof(T)));                         \
        for (int rank = by->ranks; rank-- > 0;) {                                                         \
            const struct reduce_shard own = reduce_shard(n, sizeof(T), rank, by->ranks);                  \
            CHECK(NAME##_chunks_async(in + own.begin, n, own.first, own.count, to + own.first, 0));       \
        }                                                                                                 \
        CHECK(NAME##_fold_async(to, n, (T *)on_device, 0));                                               \
        from_device(out, on_device, sizeof(T));                                                           \
    }                                                                                                     \
    static void NAME##_with_n(const T *in, size_t n, T *out)                                              \
    {                                                                                                     \
        CHECK(cudaMemcpy(count, &n, sizeof n, cudaMemcpyHostToDevice));                                   \
        CHECK(NAME##_async_n(in, count, most_of(in, n, sizeof(T)), (T *)on_device, ws, 0));               \
        from_device(out, on_device, sizeof(T));                                                           \
    }                                                                                                     \
    static void NAME##_shared(const T *in, size_t n, T *out)                                              \
    {                                                                                                     \
        next_guess();                                                                                     \
        const bool is_many = reduce_plan(n, sizeof(T)).count > 1;                                         \
        const long before = launches();                                                                   \
        CHECK(NAME(in, n, out));                                                                          \
        cr_assert(!is_many || before < 0 || launches() > before, "%zu elements without the GPU", n);      \
    }
#define COMPUTE(NAME, T, in, n, out)                                                                      \
    switch (by->way) {                                                                                    \
        case IN_PARTS: NAME##_in_parts(in, n, out); break;                                                \
        case WITH_N: NAME##_with_n(in, n, out); break;                                                    \
        case SHARED: NAME##_shared(in, n, out); break;                                                    \
        default: CHECK(execute(NAME##_by, by->executor, in, n, out, sizeof(T), on_device, ws));           \
    }
#include "hashes.h"

static const unsigned char *to_place(int seed, const unsigned char *data, size_t bytes)
{
    static unsigned char *own[HASHES_ROOMS];
    if (by->memory == DEVICE) {
        CHECK(cudaFree(own[seed]));
        own[seed] = (unsigned char *)to_device(data, bytes);
    } else if (by->memory == PINNED) {
        CHECK(cudaFreeHost(own[seed]));
        CHECK(cudaMallocHost((void **)&own[seed], bytes));
        memcpy(own[seed], data, bytes);
    }
    room[seed] = by->memory == PAGEABLE ? data : own[seed];
    room_end[seed] = room[seed] + bytes;
    return room[seed];
}

int main(int argc, char **argv)
{
    const struct executed *const end = table + COUNT(table);
    while (argc > 2 && by < end && strcmp(argv[2], by->name) != 0) by++;
    if (by == end) return 2;
    if (argc > 3) hashes_only = argv[3];
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    on_device = device_room(16, 0);
    partials = device_room(REDUCE_MAX_CHUNKS * 16, 0);
    count = (size_t *)device_room(sizeof *count, 0);
    hashes_run(argc > 1 ? argv[1] : "01234", to_place);
    CHECK(cudaFree(on_device));
    CHECK(cudaFree(partials));
    CHECK(cudaFree(count));
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
