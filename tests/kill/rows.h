/* Rows against NAME_cpu of each. For programs that set the tree's constants before they include this. */
#ifndef KILL_ROWS_H
#define KILL_ROWS_H

#define CHECK_ALONE
#include "../small_tree.h"

#include "../check.h"
#include "reduce_rows.cuh"

typedef struct pair { u64 low, high; } pair;
REDUCE_BOTH_ pair paired(u64 low, u64 high)
{
    const pair x = {low, high};
    return x;
}
REDUCE_BOTH_ pair trace_pair(pair a, pair b)
{
    return paired(traced(a.low, b.low), traced(a.high, b.high));
}

DEFINE_REDUCE_AS(fours, u32, 0, (u32)traced(a, b))
DEFINE_REDUCE_AS(eights, u64, 0, traced(a, b))
DEFINE_REDUCE_AS(pairs, pair, paired(0, 0), trace_pair(a, b))
DEFINE_REDUCE_MAP(places, u16, u32, (u32)mixed(x + 65536 * (u64)i) | 1, 0, (u32)traced(a, b))
DEFINE_REDUCE_ZIP(two, u32, u16, u64, mixed(x + ((u64)y << 32) + i) | 1, 0, traced(a, b))

static reduce_workspace *ws;

#define ARGUMENTS_OF_ONE(x, y) x
#define ARGUMENTS_OF_TWO(x, y) x, y

/* NAME_check(rows, n, pitch, start): rows of n elements, which begin `start` elements into their memory. */
#define DEFINE_CHECK_OF_ROWS(NAME, X, Y, T, DEFINE, ARGUMENTS)                                                                 \
    DEFINE(NAME)                                                                                                               \
    static void NAME##_check(size_t rows, size_t n, size_t pitch, size_t start)                                                \
    {                                                                                                                          \
        const size_t all = start + (rows - 1) * pitch + n;                                                                     \
        X *const x = (X *)malloc(all * sizeof(X));                                                                             \
        Y *const y = (Y *)malloc(all * sizeof(Y));                                                                             \
        for (size_t k = 0; k < all * sizeof(X); k++) ((u8 *)x)[k] = (u8)mixed(k);                                              \
        for (size_t k = 0; k < all * sizeof(Y); k++) ((u8 *)y)[k] = (u8)mixed(k + 12345);                                      \
        X *const device_x = (X *)to_device(x, all * sizeof(X));                                                                \
        Y *const device_y = (Y *)to_device(y, all * sizeof(Y));                                                                \
        T *const out = (T *)device_room(rows * sizeof(T), 1), *const got = (T *)malloc(rows * sizeof(T));                      \
        CHECK(NAME##_rows_async(ARGUMENTS(device_x + start, device_y + start), rows, n, pitch, out, ws, 0));                   \
        check_launch();                                                                                                        \
        from_device(got, out, rows * sizeof(T));                                                                               \
        for (size_t r = 0; r < rows; r++) {                                                                                    \
            const T expected = NAME##_cpu(ARGUMENTS(x + start + r * pitch, y + start + r * pitch), n);                         \
            cr_assert(SAME_BITS(got[r], expected), "%s, %zu x %zu, pitch %zu, start %zu, result %zu: %s, not %s", #NAME,       \
                      rows, n, pitch, start, r, BITS(got[r]), BITS(expected));                                                 \
        }                                                                                                                      \
        CHECK(cudaFree(device_x));                                                                                             \
        CHECK(cudaFree(device_y));                                                                                             \
        CHECK(cudaFree(out));                                                                                                  \
        free(x);                                                                                                               \
        free(y);                                                                                                               \
        free(got);                                                                                                             \
    }

#endif
