/* Blocks of NAME_grid that share a slot, in a moment: each waits for the one before it. For tools/mutate. */
#define CHECK_ALONE
#define REDUCE_SLOTS 2
#define REDUCE_TREE_OF_TESTS_
#define REDUCE_TREE_VERSION 0
#define REDUCE_LANES 64
#define REDUCE_MAX_CHUNKS 2
#define REDUCE_MAX_ELEMENTS ((size_t)1 << 30)
#define REDUCE_SINGLE_ 2
#define REDUCE_LOW_ 2
#define REDUCE_SPREAD_ 2
#define REDUCE_TALL_ 4
#include "../check.h"
#include "simt.h"

enum { MOST = 9 };

/* Blocks of one thread. */
#define DEFINE_TURNS(NAME, T, ...)                                                                        \
    DEFINE_REDUCE_AS(NAME, T, __VA_ARGS__)                                                                \
    static __global__ void NAME##_turns(const T *in, reduce_workspace *ws, T *out)                        \
    {                                                                                                     \
        NAME##_grid(in[blockIdx.x], ws, out);                                                             \
    }                                                                                                     \
    /* A slot gathers the results of its blocks, then the last block gathers slots, then its own. */      \
    static T NAME##_in_turns(const T *in, unsigned blocks)                                                \
    {                                                                                                     \
        T x = NAME##_identity();                                                                          \
        for (unsigned slot = 0; slot < REDUCE_SLOTS && slot < blocks - 1; slot++) {                       \
            T of_slot = NAME##_combine(NAME##_identity(), in[slot]);                                      \
            for (unsigned k = slot + REDUCE_SLOTS; k < blocks - 1; k += REDUCE_SLOTS)                     \
                of_slot = NAME##_combine(of_slot, NAME##_combine(NAME##_identity(), in[k]));              \
            x = NAME##_combine(x, of_slot);                                                               \
        }                                                                                                 \
        return NAME##_combine(x, NAME##_combine(NAME##_identity(), in[blocks - 1]));                      \
    }                                                                                                     \
    static void NAME##_check(reduce_workspace *ws)                                                        \
    {                                                                                                     \
        T in[MOST], got, *out = (T *)device_room(sizeof got, 0);                                          \
        fill_bytes(in, sizeof in);                                                                        \
        T *device = (T *)to_device(in, sizeof in);                                                        \
        for (unsigned blocks = 1; blocks <= MOST; blocks++)                                               \
            for (int again = 0; again < 4; again++) {                                                     \
                const T expected = NAME##_in_turns(in, blocks);                                           \
                NAME##_turns<<<blocks, 1>>>(device, ws, out);                                             \
                check_launch();                                                                           \
                from_device(&got, out, sizeof got);                                                       \
                cr_expect(SAME_BITS(got, expected), "%s, %u blocks: %s", #NAME, blocks, BITS(got));       \
            }                                                                                             \
        CHECK(cudaFree(device));                                                                          \
        CHECK(cudaFree(out));                                                                             \
    }

static void fill_bytes(void *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) ((unsigned char *)bytes)[k] = (unsigned char)mixed(k);
}

DEFINE_TURNS(trace1, u8, 0, (u8)traced(a, b))
DEFINE_TURNS(trace8, u64, 0, traced(a, b))
DEFINE_TURNS(trace24, words6, no_words6(), trace_words6(a, b))

int main(void)
{
    need_gpu();
    simt_blocks(MOST);
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    trace1_check(ws);
    trace8_check(ws);
    trace24_check(ws);
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
