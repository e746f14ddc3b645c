/* Exact sums by bands (reduce_exact.cuh): bands that get as many numbers as they can take, as large as can be; windows of
   exponents from the least binade to the greatest; and numbers that have no band. One block, whose threads take whole
   portions. */
#define CHECK_ALONE
#define REDUCE_STRANDS 64
#define REDUCE_EXACT_PORTION_ (REDUCE_STRANDS * 1024)
#include "../small_tree.h"

#define REDUCE_EXACT_BLOCKS_ 1
#define REDUCE_EXACT_BY_DOUBLES_ 1 /* expanded where a NAME is defined */
#include "reduce_exact.cuh"

#include "../check.h"
#include "../exact.h"

DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(double)

enum { MOST = 2 * REDUCE_EXACT_PORTION_ };
static double room[MOST];
static char *there;
static void *out;
static reduce_workspace *ws;

#define DEFINE_EXPECT(T)                                                                                     \
    static void expect_##T(size_t n, size_t off, const char *what, u64 seed)                                 \
    {                                                                                                        \
        const T expected = exact_##T((const T *)(const void *)room, n);                                      \
        T got = 7;                                                                                           \
        CHECK(cudaMemcpy(there + off * sizeof(T), room, n * sizeof(T), cudaMemcpyHostToDevice));             \
        CHECK(reduce_##T##_exact_sum_async((const T *)(void *)there + off, n, (T *)out, ws, 0));             \
        from_device(&got, out, sizeof got);                                                                  \
        cr_assert(SAME_BITS(got, expected), "%zu of " #T ", %s, seed %d: %s, not %s", n, what, (int)seed, BITS(got), BITS(expected)); \
    }
DEFINE_EXPECT(float)
DEFINE_EXPECT(double)

static void expect(struct exact_type type, size_t n, size_t off, const char *what, u64 seed)
{
    if (type.size == 4) expect_float(n, off, what, seed);
    else expect_double(n, off, what, seed);
}

/* n numbers, the second half of which take away the first in another order, so that every lost bit shows. Exponents lie
   from low to before end. */
static void fill(struct exact_type type, size_t n, int low, int end, u64 seed)
{
    const size_t half = n / 2;
    for (size_t i = 0; i < half; i++) {
        const u64 bits = mixed(seed * 1000003 + i);
        const u64 number = exact_bits(type, seed % 3 == 0 && bits >> 63, low + (int)(bits >> 20 & 0xffff) % (end - low), ~(bits & 7));
        exact_put(room, type, i, number);
        exact_put(room, type, half + i, number ^ (u64)1 << (8 * type.size - 1));
    }
    exact_shuffle((char *)room + half * (size_t)type.size, half, type, seed);
    if (n % 2) exact_put(room, type, n - 1, exact_bits(type, seed & 1, low, mixed(seed)));
}

/* The number of numbers that fill a thread's bands of either half: 1,024 for each of 64 threads, or of 32. */
static void full_bands(struct exact_type type)
{
    const int bands = type.exponents / 16;
    for (int band = 0; band <= bands; band += band < 2 || band > bands - 3 ? 1 : bands / 3)
        for (u64 seed = 0; seed < 3; seed++) {
            const int top = REDUCE_MIN_(16 * band + 16, type.exponents), far = type.spans[0] + 2;
            const size_t n = (type.size == 4 ? MOST : MOST / 2) - (size_t)seed;
            fill(type, n, top - 1, top, seed);
            for (size_t i = 0; i < 4 * seed + 1; i++) exact_put(room, type, 97 * i, exact_bits(type, i & 1, top - 1 + (band < bands / 2 ? far : -far), i));
            expect(type, n, (size_t)seed, "full bands", (u64)band * 10 + seed);
        }
}

static void windows(struct exact_type type)
{
    const size_t sizes[] = {40, 300, 2001, 33001, REDUCE_EXACT_PORTION_ + 5};
    const int more[] = {1, 2, 9, 16, 25, 41, 57, 74, 199};
    for (u64 seed = 0; seed < 270; seed++) {
        const int span = type.spans[0] + more[seed % 9], hash = (int)(mixed(seed) >> 40);
        const int last = type.exponents - span - 1, lows[] = {0, last, hash % (last > 0 ? last : 1), 16 * (hash % 16), last - 12};
        const int low = REDUCE_MIN_(lows[seed / 9 % 5], last);
        if (low >= 0) fill(type, sizes[seed / 45 % 5], low, low + span + 1, seed);
        if (low >= 0) expect(type, sizes[seed / 45 % 5], (size_t)seed % 3, "a window", seed);
    }
}

/* One number, or some, without a band, in places that the choice of bands does not look at; alone among zeros, too. */
static void outliers(struct exact_type type)
{
    const size_t places[] = {1, 1025, 33000, REDUCE_EXACT_PORTION_ - 1, REDUCE_EXACT_PORTION_ + 33};
    const size_t n = REDUCE_EXACT_PORTION_ + 1000;
    for (u64 seed = 0; seed < 60; seed++) {
        const int last = type.exponents, ends[] = {last, last - 1, 0, last - 13, last / 2 + 80, last / 2 - 20};
        const u64 number = exact_bits(type, seed & 1, ends[seed % 6], seed % 6 == 0 ? seed / 6 % 3 == 0 : mixed(seed));
        const u64 bits = seed % 6 == 0 ? (number & (u64)1 << (8 * type.size - 1)) | (u64)last << type.fraction | seed / 6 % 3 : number;
        fill(type, n, last / 2, last / 2 + type.spans[0] + 2, seed);
        if (seed % 5 == 4) memset(room, 0, n * (size_t)type.size);
        for (size_t k = 0; k <= seed % 3; k++) exact_put(room, type, places[(seed + k) % COUNT(places)], bits);
        expect(type, n, 0, "without a band", seed);
    }
}

int main(void)
{
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    there = (char *)device_room(sizeof room + 64, 0x5a);
    out = device_room(16, 0x5a);
    for (size_t size = 4; size <= 8; size += 4) {
        full_bands(exact_type(size));
        windows(exact_type(size));
        outliers(exact_type(size));
    }
    CHECK(cudaFree(there));
    CHECK(cudaFree(out));
    cr_assert(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
