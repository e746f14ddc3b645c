/* Columns by every way, quickly: of elements of 1 to 48 bytes, from few rows to more than brief columns have, from two columns
   to several tiles, with gaps and without, misaligned, and of several outer indices; each against NAME_cpu of its elements in
   an array of their own. For tools/mutate. */
#define CHECK_ALONE
#include "../small_tree.h"

#include "../check.h"
#include "reduce_rows.cuh"

DEFINE_REDUCE_AS(bytes, u8, 0, (u8)traced(a, b))
DEFINE_REDUCE_AS(fours, u32, 0, (u32)traced(a, b))
DEFINE_REDUCE_AS(eights, u64, 0, traced(a, b))
DEFINE_REDUCE_MAP(places, u16, u32, (u32)mixed(x + 65536 * (u64)i) | 1, 0, (u32)traced(a, b))
DEFINE_REDUCE_AS(broad, words6, no_words6(), trace_words6(a, b))

static reduce_workspace *ws;

/* NAME_check(outer, n, columns, gap, start): columns of n elements, which begin `start` elements into their memory; with
   several outer indices, an axis. */
#define DEFINE_CHECK(NAME, In, T)                                                                                              \
    DEFINE_REDUCE_ROWS(NAME)                                                                                                   \
    static void NAME##_check(size_t outer, size_t n, size_t columns, size_t gap, size_t start)                                 \
    {                                                                                                                          \
        const size_t pitch = columns + gap, all = start + (outer * n - 1) * pitch + columns;                                   \
        In *in = (In *)malloc(all * sizeof(In)), *column = (In *)malloc(n * sizeof(In));                                       \
        for (size_t k = 0; k < all * sizeof(In); k++) ((u8 *)in)[k] = (u8)mixed(k);                                            \
        In *const device = (In *)to_device(in, all * sizeof(In));                                                              \
        T *const out = (T *)device_room(outer * columns * sizeof(T), 1), *got = (T *)malloc(outer * columns * sizeof(T));      \
        CHECK(outer > 1 ? NAME##_axis_async(device + start, outer, n, columns, out, ws, 0)                                     \
                        : NAME##_columns_async(device + start, n, columns, pitch, out, ws, 0));                                \
        check_launch();                                                                                                        \
        from_device(got, out, outer * columns * sizeof(T));                                                                    \
        for (size_t c = 0; c < outer * columns; c++) {                                                                         \
            const In *const from = in + start + c / columns * n * columns + c % columns;                                       \
            for (size_t k = 0; k < n; k++) column[k] = from[k * pitch];                                                        \
            const T expected = NAME##_cpu(column, n);                                                                          \
            cr_assert(SAME_BITS(got[c], expected), "%s, %zu x %zu x %zu, gap %zu, start %zu, result %zu: %s, not %s", #NAME,   \
                      outer, n, columns, gap, start, c, BITS(got[c]), BITS(expected));                                         \
        }                                                                                                                      \
        cr_assert(is_empty_workspace(ws), "%s, %zu x %zu x %zu: the workspace is not empty", #NAME, outer, n, columns);        \
        CHECK(cudaFree(device));                                                                                               \
        CHECK(cudaFree(out));                                                                                                  \
        free(in);                                                                                                              \
        free(column);                                                                                                          \
        free(got);                                                                                                             \
    }
DEFINE_CHECK(bytes, u8, u8)
DEFINE_CHECK(fours, u32, u32)
DEFINE_CHECK(eights, u64, u64)
DEFINE_CHECK(places, u16, u32)
DEFINE_CHECK(broad, words6, words6)

static void check(size_t outer, size_t n, size_t columns, size_t gap, size_t start)
{
    fours_check(outer, n, columns, gap, start);
    eights_check(outer, n, columns, gap, start);
    places_check(outer, n, columns, gap, start);
    if (n % 2 == 0) bytes_check(outer, n, columns, gap, start);
    if (n % 3 == 0 && columns < 40) broad_check(outer, n, columns, gap, start);
}

/* With a small tree a stripe has 256 elements of 4 bytes, a chunk alone three stripes, and others two or four. */
int main(void)
{
    static const size_t ns[] = {3, 9, 16, 17, 33, 70, 130, 256, 259, 700, 769, 1030, 2500, 2700, 6000};
    static const size_t counts[] = {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20, 21, 31, 32, 33, 36, 64, 65, 100, 130, 260};
    enum { NS = sizeof ns / sizeof *ns, COUNTS = sizeof counts / sizeof *counts };
    CHECK(reduce_workspace_create(&ws));
    for (size_t a = 0; a < NS; a++) {
        for (size_t b = 0; b < COUNTS; b++) {
            const size_t n = ns[a], columns = counts[b];
            if (n * columns > 25000 || (n * columns > 8000 && (a + b) % 3 != 0)) continue;
            check(1, n, columns, 0, 0);
            if ((a + b) % 4 == 0) check(1, n, columns, 4 + 4 * (a % 2), 0);
            if ((a + b) % 5 == 1) check(1, n, columns, a % 3, 1);
            if (n * columns < 2500 && (a + b) % 3 == 2) check(2 + b % 3, n, columns, 0, b % 2 * 4);
            if (n * columns < 1500 && n > 128) check(9, n, columns, 0, 0); /* more blocks than run at once */
        }
    }
    /* more columns than there are slots for a block for each strand of chunks, and strands that blocks share unevenly */
    fours_check(1, 6100, 264, 4, 0);
    fours_check(1, 9300, 264, 0, 0);
    eights_check(1, 4650, 140, 0, 0);
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
