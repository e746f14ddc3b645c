/* The atomic strategies, quickly: results of every size that fits a compare-and-swap into the cell, and of
   every alignment. For tools/mutate. */
#define CHECK_ALONE
#include "../check.h"

#define CELLS(X)                                                                                          \
    X(1, 1)                                                                                               \
    X(2, 2)                                                                                               \
    X(3, 1)                                                                                               \
    X(5, 1)                                                                                               \
    X(6, 2)                                                                                               \
    X(7, 1)                                                                                               \
    X(9, 1)                                                                                               \
    X(48, 16)                                                                                             \
    X(16, 16)
#define DEFINE_CELL(size, alignment)                                                                      \
    struct __attribute__((aligned(alignment))) cell##size {                                               \
        u8 byte[size];                                                                                    \
    };                                                                                                    \
    typedef struct cell##size cell##size;                                                                 \
    HELPER_BOTH cell##size sum##size(cell##size a, cell##size b)                                          \
    {                                                                                                     \
        for (int k = 0; k < size; k++) a.byte[k] = (u8)(a.byte[k] + b.byte[k]);                           \
        return a;                                                                                         \
    }                                                                                                     \
    DEFINE_REDUCE_AS(of_cell##size, cell##size, (cell##size{{0}}), sum##size(a, b))                       \
    DEFINE_REDUCE_ATOMIC(of_cell##size)                                                                   \
    static void check_cell##size(const void *room, const void *device, reduce_workspace *ws)              \
    {                                                                                                     \
        const size_t n = 70;                                                                              \
        const cell##size all = of_cell##size##_cpu((const cell##size *)room, n);                          \
        const cell##size *from = (const cell##size *)device;                                              \
        cell##size got, *out = (cell##size *)device_room(sizeof got, 0);                                  \
        for (int k = 0; k < 4; k++) {                                                                     \
            CHECK((k % 2 == 0 ? of_cell##size##_atomic_warp                                               \
                              : of_cell##size##_atomic_block)(from, n, out, ws, 0));                      \
            from_device(&got, out, sizeof got);                                                           \
            cr_expect(SAME_BITS(got, all), "a cell of %d bytes: %s", size, BITS(got));                    \
        }                                                                                                 \
        CHECK(cudaFree(out));                                                                             \
    }
CELLS(DEFINE_CELL)

/* Small elements into a large result, and the other way round; and the results of both by the lanes of a
   warp. */
HELPER_BOTH cell48 filled48(u8 x)
{
    cell48 cell;
    for (int k = 0; k < 48; k++) cell.byte[k] = (u8)(x + k);
    return cell;
}
DEFINE_REDUCE_MAP(to_cell48, u8, cell48, filled48(x), (cell48{{0}}), sum48(a, b))
DEFINE_REDUCE_MAP(longer, words3, cell16, (cell16{{(u8)x.word[0], 1, (u8)x.word[2]}}), (cell16{{0}}),
                  sum16(a, b))
DEFINE_REDUCE_MAP(from_cell48, cell48, u64, x.byte[0] + 256 * x.byte[47], 0, a + b)
DEFINE_REDUCE_ATOMIC(to_cell48)
DEFINE_REDUCE_ATOMIC(from_cell48)

DEFINE_REDUCE_MAP(narrow, words3, u8, (u8)x.word[0], 0, (u8)(a + b))

/* Elements of 12 bytes into one, up to the last byte of their memory. */
static void check_narrow(const void *room, reduce_workspace *ws)
{
    const size_t n = 70;
    words3 *in = (words3 *)to_device(room, n * sizeof *in);
    u8 got, *out = (u8 *)device_room(1, 0);
    CHECK(narrow_async(in, n, out, ws, 0));
    from_device(&got, out, 1);
    cr_expect(got == narrow_cpu((const words3 *)room, n), "12 bytes into 1: %d", got);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static __global__ void by_warps(const u64 *in, cell48 *large, u64 *small)
{
    __shared__ cell48 large_slice[32];
    __shared__ u64 small_slice[32];
    memset(&large_slice[threadIdx.x], (int)(threadIdx.x + 1), sizeof(cell48));
    small_slice[threadIdx.x] = in[threadIdx.x];
    large[threadIdx.x] = to_cell48_warp_volatile(large_slice);
    small[threadIdx.x] = from_cell48_warp_volatile(small_slice);
}

static void check_mapped(const void *room, const void *device, reduce_workspace *ws)
{
    const size_t n = 70;
    const cell48 large = to_cell48_cpu((const u8 *)room, n);
    const u64 small = from_cell48_cpu((const cell48 *)room, n);
    cell48 got_large[32], *large_out = (cell48 *)device_room(sizeof got_large, 0);
    u64 got_small[32], sum = 0, *small_out = (u64 *)device_room(sizeof got_small, 0);
    for (int k = 0; k < 2; k++) {
        const u8 *const bytes = (const u8 *)device;
        const cell48 *const cells = (const cell48 *)device;
        CHECK((k == 0 ? to_cell48_atomic_warp : to_cell48_atomic_block)(bytes, n, large_out, ws, 0));
        CHECK((k == 0 ? from_cell48_atomic_warp : from_cell48_atomic_block)(cells, n, small_out, ws, 0));
        from_device(got_large, large_out, sizeof *got_large);
        from_device(got_small, small_out, sizeof *got_small);
        cr_expect(SAME_BITS(got_large[0], large), "bytes into a large cell: %s", BITS(got_large[0]));
        cr_expect(got_small[0] == small, "structs into a small cell: %s", BITS(got_small[0]));
    }
    const cell16 of_words = longer_cpu((const words3 *)room, n);
    cell16 got_of_words, *words_out = (cell16 *)(void *)large_out;
    CHECK(longer_async((const words3 *)device, n, words_out, ws, 0));
    from_device(&got_of_words, words_out, sizeof got_of_words);
    cr_expect(SAME_BITS(got_of_words, of_words), "12 bytes into 16: %s", BITS(got_of_words));
    by_warps<<<1, 32>>>((const u64 *)device, large_out, small_out);
    check_launch();
    from_device(got_large, large_out, sizeof got_large);
    from_device(got_small, small_out, sizeof got_small);
    for (int k = 0; k < 32; k++) sum += ((const u64 *)room)[k];
    for (int k = 0; k < 32; k++) {
        cr_expect(got_small[k] == sum, "small, lane %d: %s", k, BITS(got_small[k]));
        for (int b = 0; b < 48; b++) cr_expect(got_large[k].byte[b] == (u8)(32 * 33 / 2), "large, lane %d", k);
    }
    CHECK(cudaFree(large_out));
    CHECK(cudaFree(small_out));
}

static u64 room[70 * 8] __attribute__((aligned(64)));

#define CHECK_CELL(size, alignment) check_cell##size(room, device, ws);

int main(void)
{
    reduce_workspace *ws = NULL;
    need_gpu();
    cr_expect(offsetof(reduce_workspace, cell_) % REDUCE_MAX_SIZE == 0, "a T may be aligned to its size");
    CHECK(reduce_workspace_create(&ws));
    fill_u64(room, COUNT(room), 11);
    void *device = to_device(room, sizeof room);
    CELLS(CHECK_CELL)
    check_mapped(room, device, ws);
    check_narrow(room, ws);
    CHECK(cudaFree(device));
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
