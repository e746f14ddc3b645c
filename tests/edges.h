/*
 * What test_host.cu and test_async_n.cu reduce: a NAME of every kind of input, with operators that show any change of the
 * order; and numbers of elements at the edges of the tree's regions. Include small_tree.h and check.h first.
 */
#ifndef EDGES_H
#define EDGES_H

#include "reduce_inputs.cuh"

#define UNTOUCHED 0x5a5a5a5a5a5a5a5aull

typedef struct {
    u64 mean;
} centre;

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(int, max)
DEFINE_REDUCE(u64, trace)
DEFINE_REDUCE_AS(trace6, words6, no_words6(), trace_words6(a, b))
DEFINE_REDUCE_MAP(at, u8, u64, mixed(i) + x + 1, 0, traced(a, b))
DEFINE_REDUCE_ZIP(both, u8, u32, u64, mixed(x) + mixed(y) + i + 1, 0, traced(a, b))
DEFINE_REDUCE_WITH(from, u16, centre, u64, mixed(x + c.mean), 0, traced(a, b))
DEFINE_REDUCE_ZIP_WITH(both_from, u8, u32, centre, u64, mixed(x + c.mean) + mixed(y) + i, 0, traced(a, b))

enum { MOST_EDGES = 27 };

/* Numbers of elements of size bytes at the edges of the regions: each height, one below and above, as far as the elements
   fit most bytes. Returns how many numbers there are. */
HELPER size_t edges(size_t size, size_t most, size_t *numbers)
{
    static const size_t heights[] = {0, 1, 2, REDUCE_SINGLE_, REDUCE_LOW_, 4 * REDUCE_SPREAD_, REDUCE_TALL_ * REDUCE_SPREAD_,
                                     REDUCE_TALL_ * REDUCE_STRANDS, REDUCE_TALL_ * REDUCE_MAX_CHUNKS};
    const size_t stripe = REDUCE_STRANDS * REDUCE_POSITIONS(size);
    size_t found = 0;
    for (size_t k = 0; k < COUNT(heights); k++) {
        for (size_t d = 0; d < 3; d++) {
            const size_t n = heights[k] * stripe / (size > 16 ? size / 16 : 1) + d;
            if (n > 0 && (n - 1) * size <= most - size) numbers[found++] = n - 1;
        }
    }
    return found;
}

#endif
