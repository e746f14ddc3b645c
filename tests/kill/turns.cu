/* NAME_grid with more blocks than slots, and with looks at slots before they are filled, quickly. For
   tools/mutate. The build defines SLOTS: 2 for many turns, 4096 for many slots. */
#ifndef SLOTS
#define SLOTS 2
#endif
#define REDUCE_TREE_OF_TESTS_
#define REDUCE_TREE_VERSION 0
#define REDUCE_STRANDS 64
#define REDUCE_MAX_CHUNKS 2
#define REDUCE_SLOTS SLOTS
#define REDUCE_MAX_ELEMENTS ((size_t)1 << 31)
#define REDUCE_SINGLE_ 2
#define REDUCE_LOW_ 2
#define REDUCE_SPREAD_ 1
#define REDUCE_TALL_ 4
#define CHECK_ALONE
#include "../check.h"
#include "simt.h"

DEFINE_REDUCE(u8, trace)
DEFINE_REDUCE(u16, trace)
DEFINE_REDUCE(u32, trace)
DEFINE_REDUCE(u64, trace)
DEFINE_REDUCE_AS(trace12, words3, no_words3(), trace_words3(a, b))

enum { BLOCKS = SLOTS == 2 ? 600 : SLOTS + 400 };

/* The last block acts whenever it can: it takes what there is, and looks ahead in vain. The others act in
   order. */
static unsigned last_block;
static bool is_asked;
static unsigned last_first(const struct simt_stand *stand, unsigned count)
{
    unsigned chosen = 0;
    for (unsigned k = 0; k < count; k++)
        if (stand[k].block == last_block ||
            (stand[chosen].block != last_block && stand[k].block < stand[chosen].block))
            chosen = k;
    return chosen;
}

/* Blocks of one thread: slot k holds the results of blocks k, k + SLOTS, ... but the last block, which
   takes one slot after the other and then its own. */
#define CHECK_GRID(NAME, T, IDENTITY, COMBINE)                                                            \
    static __global__ void NAME##_in_grid(const T *in, reduce_workspace *ws, T *out)                      \
    {                                                                                                     \
        NAME##_grid(in[blockIdx.x], ws, out);                                                             \
    }                                                                                                     \
    static void NAME##_check(unsigned blocks, reduce_workspace *ws)                                       \
    {                                                                                                     \
        static T in[BLOCKS];                                                                              \
        T got, expected = IDENTITY;                                                                       \
        fill_##T(in, blocks, blocks);                                                                     \
        last_block = blocks - 1;                                                                          \
        if (is_asked) simt_ask(last_first);                                                               \
        for (unsigned k = 0; k < SLOTS && k < blocks - 1; k++) {                                          \
            T slot = in[k];                                                                               \
            for (unsigned b = k + SLOTS; b < blocks - 1; b += SLOTS) slot = COMBINE(slot, in[b]);         \
            expected = COMBINE(expected, slot);                                                           \
        }                                                                                                 \
        expected = COMBINE(expected, in[blocks - 1]);                                                     \
        T *from = (T *)to_device(in, sizeof in), *out = (T *)device_room(sizeof got, 0x5a);               \
        NAME##_in_grid<<<blocks, 1>>>(from, ws, out);                                                     \
        check_launch();                                                                                   \
        from_device(&got, out, sizeof got);                                                               \
        cr_expect(SAME_BITS(got, expected), "%s_grid of %u blocks: %s", #NAME, blocks, BITS(got));        \
        CHECK(cudaFree(from));                                                                            \
        CHECK(cudaFree(out));                                                                             \
    }
#define TRACE_u8(a, b) (u8)traced(a, b)
#define TRACE_u16(a, b) (u16)traced(a, b)
#define TRACE_u32(a, b) (u32)traced(a, b)
CHECK_GRID(reduce_u8_trace, u8, 0, TRACE_u8)
CHECK_GRID(reduce_u16_trace, u16, 0, TRACE_u16)
CHECK_GRID(reduce_u32_trace, u32, 0, TRACE_u32)
CHECK_GRID(reduce_u64_trace, u64, 0, traced)
CHECK_GRID(trace12, words3, no_words3(), trace_words3)

/* A value is in a slot in its own turn and in no other, all of it. */
static __global__ void looks(reduce_slot_ *slot, unsigned *wrong)
{
    const unsigned turns[] = {1, 2, 3, 4, 5, 255, 256, 257, 65536, 65537, 0x1000001, 0x80000001};
    for (size_t size = 1; size <= REDUCE_MAX_SIZE; size += size < 12 ? 1 : 13)
        for (size_t a = 0; a < COUNT(turns); a++)
            for (size_t b = 0; b < COUNT(turns); b++) {
                unsigned char value[REDUCE_MAX_SIZE], got[REDUCE_MAX_SIZE];
                for (size_t k = 0; k < size; k++) value[k] = (unsigned char)(k * 7 + turns[a]);
                reduce_publish_(slot, value, size, turns[a]);
                bool is_right = reduce_look_(got, size, slot, turns[b]) == (a == b);
                for (size_t k = 0; k < size; k++) is_right = is_right && got[k] == value[k];
                reduce_publish_(slot, value, (size - 1) / 4 * 4, turns[b]); /* all but the last word */
                is_right = is_right && reduce_look_(got, size, slot, turns[b]) == (a == b);
                *wrong += !is_right;
            }
}

static void check_looks(reduce_workspace *ws)
{
    unsigned wrong, *count = (unsigned *)device_room(sizeof *count, 0);
    looks<<<1, 1>>>(ws->slots_, count);
    check_launch();
    from_device(&wrong, count, sizeof wrong);
    cr_expect(wrong == 0, "%u looks at a slot", wrong);
    CHECK(cudaFree(count));
    CHECK(reduce_workspace_reset(ws, 0));
}

int main(void)
{
    reduce_workspace *ws = NULL;
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    check_looks(ws);
    for (unsigned seed = 0; seed < 5; seed++) {
        simt_seed(seed);
        is_asked = seed == 4;
        simt_blocks(seed == 3 ? 4 : 64);
        const unsigned first = SLOTS == 2 ? 2 : SLOTS - 400;
        for (unsigned blocks = first; blocks <= BLOCKS; blocks += blocks < 8 ? 1 : SLOTS == 2 ? 592 : 400) {
            reduce_u64_trace_check(blocks, ws);
            reduce_u8_trace_check(blocks, ws);
            if (SLOTS > 2) continue;
            reduce_u16_trace_check(blocks, ws);
            reduce_u32_trace_check(blocks, ws);
            trace12_check(blocks, ws);
        }
    }
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
