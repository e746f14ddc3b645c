/* Segments in many shares (reduce_segments.cuh): shares are as small as chunks, so that neighbouring shares have shared
   segments, slots are scarce, and some segments that could be shared find none. With -DREDUCE_SEGMENT_BLOCKS_=3 a block has
   more long segments than it reduces together, and lists so many that it takes several rounds; and segments of half a stripe
   and more are middle. Without it, segments of up to a stripe are even, and so is one of several chunks among them. */
#define CHECK_ALONE
#ifdef REDUCE_SEGMENT_BLOCKS_
#define REDUCE_SHORT_PORTIONS_(NAME) 32
#else
#define REDUCE_SEGMENT_BLOCKS_ 90
#define REDUCE_EVEN_ 2
#define REDUCE_MANY_EVEN_ 3
#define REDUCE_MANY_EVEN_STRIPES_ 3
#define REDUCE_UNEVEN_STRIPES_ (2 * REDUCE_SINGLE_)
#endif
#define REDUCE_MOST_ITEMS_ 64
#include "../small_tree.h"

#define REDUCE_NO_COLUMNS
#include "reduce_rows.cuh"

#include "../check.h"
#include "../tree.h"

DEFINE_REDUCE_AS(narrow, u32, 0, (u32)traced(a, b))
DEFINE_REDUCE_AS(broad, words16, no_words16(), trace_words16(a, b))

/* More segments than the warps of a block look at together, and no more than may be even. */
enum { COUNT_OF_SEGMENTS = 265, EVEN = 4, SEEDS = EVEN + 5 };

/* Makes some offsets decrease, the first and the last too: a segment before them then has no elements, and one behind
   them has more. */
static void let_some_fall(int64_t *offsets, u64 seed)
{
    for (size_t k = 0; k <= COUNT_OF_SEGMENTS; k++) {
        const u64 any = mixed(seed * 1000003 + k);
        if (any % 8 == 0) offsets[k] = offsets[(any >> 8) % COUNT_OF_SEGMENTS];
    }
}

/* NAME_check(seed): segments of a few stripes, and of one more element or less, of both types of offsets. Every other
   seed has some that decrease; every third has many empty segments at both ends. From EVEN on, segments have up to a stripe,
   but for one of several chunks from EVEN + 2 on, which is the last in the last seed. */
#define DEFINE_CHECK(NAME, T)                                                                                \
    DEFINE_REDUCE_ROWS(NAME)                                                                                 \
    static void NAME##_expect(const T *in, const int64_t *offsets, const T *device, const char *what, u64 seed)\
    {                                                                                                        \
        T got[COUNT_OF_SEGMENTS];                                                                            \
        check_launch();                                                                                      \
        from_device(got, device, sizeof got);                                                                \
        for (size_t k = 0; k < COUNT_OF_SEGMENTS; k++) {                                                     \
            const int64_t n = offsets[k + 1] > offsets[k] ? offsets[k + 1] - offsets[k] : 0;                 \
            const T expected = NAME##_cpu(in + offsets[k], (size_t)n);                                       \
            cr_assert(SAME_BITS(got[k], expected), "%s_%s, seed %d, segment %zu of %d elements: %s, not %s", #NAME, what,\
                      (int)seed, k, (int)n, BITS(got[k]), BITS(expected));                                   \
        }                                                                                                    \
    }                                                                                                        \
    static void NAME##_check(u64 seed, reduce_workspace *ws)                                                 \
    {                                                                                                        \
        const int64_t stripe = (int64_t)tree_stripe(sizeof(T));                                              \
        int64_t offsets[COUNT_OF_SEGMENTS + 1] = {0};                                                        \
        int32_t offsets_32[COUNT_OF_SEGMENTS + 1] = {0};                                                     \
        for (size_t k = 0; k < COUNT_OF_SEGMENTS; k++) {                                                     \
            const u64 any = mixed(seed * 1000 + k);                                                          \
            const int64_t stripes[] = {0, 0, 1, 3, 4, 4, 5, any % 16 == 0 ? 40 : 7};                         \
            const bool is_empty = seed % 3 == 2 && k % 150 < 100;                                            \
            const int64_t some = any >> 20 & 1 ? stripe * 5 / 8 + (int64_t)(any >> 24 & 15)                  \
                                               : stripes[any >> 8 & 7] * stripe + (int64_t)(any >> 16 & 1);  \
            const int64_t even = seed >= EVEN + 2 && k == (seed + 1 < SEEDS ? 100 : COUNT_OF_SEGMENTS - 1)   \
                                     ? (REDUCE_SINGLE_ + 1) * stripe : (int64_t)((any >> 8) % (u64)stripe);  \
            const int64_t n = seed >= EVEN ? even : is_empty ? 0 : some;                                     \
            offsets[k + 1] = offsets[k] + n;                                                                 \
        }                                                                                                    \
        const size_t bytes = (size_t)offsets[COUNT_OF_SEGMENTS] * sizeof(T);                                 \
        if (seed % 2 == 1) let_some_fall(offsets, seed);                                                     \
        for (size_t k = 0; k <= COUNT_OF_SEGMENTS; k++) offsets_32[k] = (int32_t)offsets[k];                 \
        T *const in = (T *)malloc(bytes);                                                                    \
        for (size_t k = 0; k < bytes; k++) ((u8 *)in)[k] = (u8)mixed(k);                                     \
        T *const device = (T *)to_device(in, bytes), *out = (T *)device_room(COUNT_OF_SEGMENTS * sizeof(T), 1);\
        int64_t *const by_64 = (int64_t *)to_device(offsets, sizeof offsets);                                \
        int32_t *const by_32 = (int32_t *)to_device(offsets_32, sizeof offsets_32);                          \
        CHECK(NAME##_segments_async(device, by_64, COUNT_OF_SEGMENTS, out, ws, 0));                          \
        NAME##_expect(in, offsets, out, "segments", seed);                                                   \
        CHECK(NAME##_segments_32_async(device, by_32, COUNT_OF_SEGMENTS, out, ws, 0));                       \
        NAME##_expect(in, offsets, out, "segments_32", seed);                                                \
        cr_assert(is_empty_workspace(ws), "%s, seed %d: the workspace is not empty", #NAME, (int)seed);      \
        CHECK(cudaFree(device));                                                                             \
        CHECK(cudaFree(out));                                                                                \
        CHECK(cudaFree(by_64));                                                                              \
        CHECK(cudaFree(by_32));                                                                              \
        free(in);                                                                                            \
    }

DEFINE_CHECK(narrow, u32)
DEFINE_CHECK(broad, words16)

int main(void)
{
    reduce_workspace *ws = NULL;
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    for (u64 seed = 0; seed < SEEDS; seed++) {
        narrow_check(seed, ws);
        broad_check(seed, ws);
    }
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
