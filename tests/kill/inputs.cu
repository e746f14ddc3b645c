/* For tools/mutate --header reduce_inputs.cuh: two arrays of every pair of sizes that loads tell apart, each at several
   alignments and right at the end of its memory, and an array with a context; by each executor, against tree.h. */
#define CHECK_ALONE
#include "../small_tree.h"

#include "../check.h"
#include "../executors.h"
#include "../tree.h"
#include "reduce_inputs.cuh"

typedef struct {
    u8 byte[3];
} bytes3;
typedef struct {
    u16 word[3];
} shorts3;
typedef struct {
    u64 word[2];
} wide2;
typedef struct {
    u8 byte[15];
} bytes15;

HELPER_BOTH u64 bits_of(const void *x, size_t size)
{
    u64 bits = 0;
    for (size_t k = 0; k < size; k++) bits = bits * 257 + ((const u8 *)x)[k];
    return bits;
}

/* Each bit of either element, and the index, show. */
#define MET(x, y) (u32) mixed(bits_of(&x, sizeof x) * 3 + mixed(bits_of(&y, sizeof y)) + i)

static reduce_workspace *ws;
static void *room;

#define EXPECT(what, n)                                                                                     \
    cr_assert(memcmp(&got, &tree, sizeof got) == 0, "%s, %s, %zu elements: %s, not %s", who, what, n,       \
              BITS(got), BITS(tree))

/* The tree is that of an array of elements of the larger size. */
#define TWO(NAME, X, Y, T)                                                                                  \
    DEFINE_REDUCE_ZIP(NAME, X, Y, T, (T)MET(x, y), 0, (T)traced(a, b))                                      \
    typedef struct {                                                                                        \
        u8 of[sizeof(X) > sizeof(Y) ? sizeof(X) : sizeof(Y)];                                               \
    } NAME##_wide;                                                                                          \
    static const X *NAME##_x;                                                                               \
    static const Y *NAME##_y;                                                                               \
    DEFINE_TREE(NAME, NAME##_wide, T, ((void)x, (T)MET(NAME##_x[i], NAME##_y[i])), 0, (T)traced(a, b))      \
    static void NAME##_run(size_t n, size_t at_x, size_t at_y)                                              \
    {                                                                                                       \
        const char *const who = #NAME;                                                                      \
        X *x = (X *)malloc((at_x + n) * sizeof(X) + 1);                                                     \
        Y *y = (Y *)malloc((at_y + n) * sizeof(Y) + 1);                                                     \
        for (size_t k = 0; k < (at_x + n) * sizeof(X); k++) ((u8 *)x)[k] = (u8)mixed(k);                    \
        for (size_t k = 0; k < (at_y + n) * sizeof(Y); k++) ((u8 *)y)[k] = (u8)mixed(k + 1000000);          \
        X *device_x = (X *)to_device(x, (at_x + n) * sizeof(X));                                            \
        Y *device_y = (Y *)to_device(y, (at_y + n) * sizeof(Y));                                            \
        NAME##_wide *none = (NAME##_wide *)calloc(n + 1, sizeof *none);                                     \
        T got, *out = (T *)room;                                                                            \
        NAME##_x = x + at_x, NAME##_y = y + at_y;                                                           \
        const T tree = NAME##_tree(none, n);                                                                \
        got = NAME##_cpu(x + at_x, y + at_y, n);                                                            \
        EXPECT("cpu", n);                                                                                   \
        CHECK(NAME##_async(device_x + at_x, device_y + at_y, n, out, ws, 0));                               \
        from_device(&got, out, sizeof got);                                                                 \
        EXPECT("async", n);                                                                                 \
        if (n % 2 == 0) CHECK(NAME(x + at_x, device_y + at_y, n, &got));                                    \
        else CHECK(NAME(device_x + at_x, y + at_y, n, &got));                                               \
        EXPECT("call", n);                                                                                  \
        CHECK(cudaFree(device_x));                                                                          \
        CHECK(cudaFree(device_y));                                                                          \
        free(x), free(y), free(none);                                                                       \
    }
TWO(bytes_and_bytes, u8, u8, u8)
TWO(byte_and_long, u8, u64, u64)
TWO(short_and_byte, u16, u8, u16)
TWO(byte_and_int, u8, u32, u32)
TWO(ints, u32, int, u32)
TWO(words_and_byte, words3, u8, u32)
TWO(three_and_short, bytes3, u16, u16)
TWO(byte_and_six, u8, shorts3, u8)
TWO(large_and_int, words16, u32, u32)
TWO(short_and_wide, u16, wide2, u64)
TWO(fifteen_and_byte, bytes15, u8, u32)

typedef void run_two(size_t n, size_t at_x, size_t at_y);
static run_two *const runs[] = {bytes_and_bytes_run, byte_and_long_run, short_and_byte_run, byte_and_int_run,
                                ints_run, words_and_byte_run, three_and_short_run, byte_and_six_run,
                                large_and_int_run, short_and_wide_run, fifteen_and_byte_run};
static const size_t sizes[] = {1, 8, 2, 4, 4, 12, 3, 6, 64, 16, 15}; /* of the larger element */

struct context {
    u64 word[8];
};
HELPER_BOTH u32 with_context(u16 x, struct context c, size_t i)
{
    return (u32)mixed(bits_of(&c, sizeof c) + mixed(x) + i);
}
static struct context the_context;
DEFINE_REDUCE_WITH(contextual, u16, struct context, u32, with_context(x, c, i), 0, (u32)traced(a, b))
DEFINE_TREE(contextual, u16, u32, with_context(x, the_context, i), 0, (u32)traced(a, b))

static void run_context(size_t n, size_t at)
{
    const char *const who = "contextual";
    u16 *x = (u16 *)malloc((at + n + 1) * sizeof(u16));
    for (size_t k = 0; k < at + n; k++) x[k] = (u16)mixed(k);
    for (size_t k = 0; k < COUNT(the_context.word); k++) the_context.word[k] = mixed(n + k);
    u16 *device = (u16 *)to_device(x, (at + n) * sizeof(u16));
    const u32 tree = contextual_tree(x + at, n);
    u32 got = contextual_cpu(x + at, n, the_context);
    EXPECT("cpu", n);
    CHECK(contextual_async(device + at, n, the_context, (u32 *)room, ws, 0));
    from_device(&got, room, sizeof got);
    EXPECT("async", n);
    CHECK(contextual(x + at, n, the_context, &got));
    EXPECT("call", n);
    CHECK(cudaFree(device));
    free(x);
}

int main(void)
{
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    room = device_room(64, 0);
    for (size_t k = 0; k < COUNT(runs); k++) {
        const size_t stripe = tree_stripe(sizes[k]), ns[] = {0, 1, 3, stripe / 3 + 1, stripe, 7 * stripe + 5};
        for (size_t d = 0; d < COUNT(ns); d++)
            for (size_t at = 0; at < 16; at++)
                if (at < 3 || (at * 5 + d + k) % 7 == 0) runs[k](ns[d], at % 4, (at + at / 4) % 4);
    }
    for (size_t n = 0; n < 1200; n = 3 * n + 1) run_context(n, n % 9);
    cr_assert(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(cudaFree(room));
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
