/* Exact sums by bands (reduce_exact.cuh): bands that get as many numbers as they can take, as large as can be, and digits of
   columns that do; windows of exponents from the least binade to the greatest; and numbers that have no band. One block,
   whose threads take whole portions. */
#define CHECK_ALONE
#define REDUCE_STRANDS 64
#define REDUCE_EXACT_PORTION_ (REDUCE_STRANDS * 8192)
#include "../small_tree.h"

#define REDUCE_EXACT_BLOCKS_(processors) ((void)(processors), 1)
#define REDUCE_EXACT_BY_DOUBLES_ 1 /* expanded where a NAME is defined */
#include "reduce_exact.cuh"

#include "../check.h"
#include "../exact.h"

DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(double)
#undef REDUCE_EXACT_BY_DOUBLES_
#define REDUCE_EXACT_BY_DOUBLES_ 0
DEFINE_REDUCE_EXACT_MAP(float_by_columns, float, float, x)
DEFINE_REDUCE_EXACT_MAP(double_by_columns, double, double, x)

enum { MOST = REDUCE_EXACT_PORTION_, SHORT = REDUCE_STRANDS * 1024 };
static double room[MOST + 16];
static char *there;
static void *out;
static reduce_workspace *ws;

#define DEFINE_EXPECT(NAME, T)                                                                               \
    static void expect_##NAME(size_t n, size_t off, const char *what, u64 seed)                                 \
    {                                                                                                        \
        const T expected = exact_##T((const T *)(const void *)room, n);                                      \
        T got = 7;                                                                                           \
        CHECK(cudaMemcpy(there + off * sizeof(T), room, n * sizeof(T), cudaMemcpyHostToDevice));             \
        CHECK(NAME##_async((const T *)(void *)there + off, n, (T *)out, ws, 0));             \
        from_device(&got, out, sizeof got);                                                                  \
        cr_assert(SAME_BITS(got, expected), "%zu by " #NAME ", %s, seed %d: %s, not %s", n, what, (int)seed, BITS(got), BITS(expected)); \
    }
DEFINE_EXPECT(reduce_float_exact_sum, float)
DEFINE_EXPECT(reduce_double_exact_sum, double)
DEFINE_EXPECT(float_by_columns, float)
DEFINE_EXPECT(double_by_columns, double)

static void expect(struct exact_type type, size_t n, size_t off, const char *what, u64 seed)
{
    if (type.size == 4) expect_reduce_float_exact_sum(n, off, what, seed);
    else expect_reduce_double_exact_sum(n, off, what, seed);
}

/* n numbers, the second half of which take away the first in another order, so that every lost bit shows. Exponents lie
   from low to before end; if they are extreme, most are the last of these, and some the first. */
static void fill(struct exact_type type, size_t n, int low, int end, bool are_extreme, u64 seed)
{
    const size_t half = n / 2;
    for (size_t i = 0; i < half; i++) {
        const u64 bits = mixed(seed * 1000003 + i);
        const int any = low + (int)(bits >> 20 & 0xffff) % (end - low), exponent = !are_extreme ? any : bits >> 20 & 31 ? end - 1 : low;
        const u64 number = exact_bits(type, seed % 3 == 0 && bits >> 63, exponent, ~(bits & 7));
        exact_put(room, type, i, number);
        exact_put(room, type, half + i, number ^ (u64)1 << (8 * type.size - 1));
    }
    exact_shuffle((char *)room + half * (size_t)type.size, half, type, seed);
    if (n % 2) exact_put(room, type, n - 1, exact_bits(type, seed & 1, low, mixed(seed)));
}

/* Numbers of one band and some far away. First come as many of one sign as a thread's bands take, and more. */
static void full_bands(struct exact_type type)
{
    const int bands = type.exponents / 16;
    for (int band = 0; band <= bands; band += band < 2 || band > bands - 3 ? 1 : bands / 2)
        for (u64 seed = 1; seed < 3; seed++) {
            const int low = 16 * band, end = REDUCE_MIN_(low + 16, type.exponents), far = type.spans[0] + 2;
            const size_t n = (band == 1 && seed == 1 ? MOST : MOST / 4) - (size_t)seed;
            fill(type, n, low, end, true, seed);
            for (size_t i = 0; i < 2; i++) { /* first, where the choice of bands sees them; they cancel */
                exact_put(room, type, n + i, exact_get(room, type, i));
                exact_put(room, type, i, exact_bits(type, i & 1, end - 1 + (band < bands / 2 ? far : -far), seed));
            }
            expect(type, n + 2, (size_t)seed, "full bands", (u64)band * 10 + seed);
        }
}

/* Numbers of one sign that fill a digit, as far as they are shifted. */
static void full_columns(struct exact_type type)
{
    for (u64 seed = 0; seed < 2; seed++) {
        for (size_t i = 0; i < MOST; i++) exact_put(room, type, i, exact_bits(type, seed & 1, type.size == 4 ? 96 : 520, ~(u64)0));
        if (type.size == 4) expect_float_by_columns(MOST, 0, "full columns", seed);
        else expect_double_by_columns(MOST, 0, "full columns", seed);
    }
}

static void windows(struct exact_type type)
{
    const size_t sizes[] = {40, 300, 2001, 33001, SHORT + 5};
    const int more[] = {1, 2, 9, 16, 25, 41, 57, 74, 199};
    for (u64 seed = 0; seed < 270; seed++) {
        const int span = type.spans[0] + more[seed % 9], hash = (int)(mixed(seed) >> 40);
        const int last = type.exponents - span - 1, lows[] = {0, last, hash % (last > 0 ? last : 1), 16 * (hash % 16), last - 12};
        const int low = REDUCE_MIN_(lows[seed / 9 % 5], last);
        if (low < 0) continue;
        fill(type, sizes[seed / 45 % 5], low, low + span + 1, false, seed);
        expect(type, sizes[seed / 45 % 5], (size_t)seed % 3, "a window", seed);
    }
}

/* One number, or some, without a band, in places that the choice of bands does not look at; alone among zeros, too. */
static void outliers(struct exact_type type)
{
    const size_t places[] = {1, 1025, 33000, SHORT - 1, SHORT + 33};
    const size_t n = SHORT + 1000;
    const int last = type.exponents, below = last / 2 / 16 * 16 - 17; /* the band before the first */
    const int ends[] = {last - 1, 0, last - 13, last / 2 + 80, last / 2 - 20, 0, below};
    for (u64 seed = 0; seed < 80; seed++) {
        const u64 kind = seed % 8, special = (u64)last << type.fraction | seed / 8 % 3, sign = seed & (u64)1;
        const u64 fraction = kind == 5 ? 1 : kind == 6 ? ~(u64)0 : mixed(seed);
        const u64 bits = kind == 7 ? special | sign << (8 * type.size - 1) : exact_bits(type, sign, ends[kind], fraction);
        fill(type, n, last / 2, last / 2 + type.spans[0] + 2, false, seed);
        if (seed % 5 == 4) memset(room, 0, n * (size_t)type.size);
        for (size_t k = 0; k <= seed % 3; k++) { /* what they replace follows at the end: the sum is theirs alone */
            const size_t place = places[(seed + k) % COUNT(places)];
            exact_put(room, type, n + k, exact_get(room, type, place));
            exact_put(room, type, place, bits);
        }
        expect(type, n + seed % 3 + 1, 0, "without a band", seed);
    }
}

/* ---- The choice ---------------------------------------------------------------------------------------- */

struct choice { unsigned threads, first, count; };

static __global__ void choose(struct reduce_exact_range_ range, bool is_double, struct choice *to)
{
    __shared__ struct reduce_exact_scratch_ scratch;
    const struct reduce_exact_bands_ bands = reduce_exact_bands_of_(&scratch, range, is_double);
    const struct reduce_exact_columns_ columns = reduce_exact_columns_of_(&scratch, range, is_double);
    if (threadIdx.x > 0) return;
    const struct choice choices[] = {{bands.threads_, bands.first_, bands.count_}, {columns.threads_, columns.first_, columns.count_}};
    memcpy((void *)to, choices, sizeof choices);
}

static void expect_choice(bool is_double, unsigned low, unsigned high, unsigned threads, unsigned banding, unsigned first_band,
                          unsigned bands, unsigned columns, unsigned first_digit, unsigned digits)
{
    const int fraction = is_double ? 20 : 23;
    const struct reduce_exact_range_ range = {high << fraction, (low << fraction) - 1};
    const struct choice all[2] = {{banding, first_band, bands}, {columns, first_digit, digits}};
    struct choice got[2];
    choose<<<1, threads>>>(range, is_double, (struct choice *)(void *)there);
    check_launch();
    from_device(got, there, sizeof got);
    for (int k = 0; k < 2; k++) {
        cr_assert(memcmp(&got[k], &all[k], sizeof all[k]) == 0,
                  "%u to %u, %s %d: %u threads, %u of them from %u on", low, high, is_double ? "double" : "float", k, got[k].threads,
                  got[k].count, got[k].first);
    }
}

/* As many threads as have room, in blocks of up to 64: room for 1,312 words. A wrong choice would show in no sum, only in
   its speed. */
static void choices(void)
{
    expect_choice(false, 40, 100, 64, 64, 1, 7, 64, 0, 5);
    expect_choice(false, 31, 95, 64, 64, 0, 7, 64, 0, 4);
    expect_choice(false, 32, 96, 64, 64, 1, 7, 64, 0, 5);
    expect_choice(false, 0, 254, 64, 64, 0, 16, 64, 0, 8);
    expect_choice(false, 1, 255, 32, 32, 0, 16, 32, 0, 8);
    expect_choice(false, 240, 255, 64, 64, 14, 2, 64, 6, 2);
    expect_choice(true, 1000, 1100, 64, 64, 61, 9, 64, 18, 6);
    expect_choice(true, 1000, 1143, 64, 32, 61, 12, 64, 18, 6);
    expect_choice(true, 1007, 1300, 64, 0, 61, 22, 64, 18, 10);
    expect_choice(true, 1, 2046, 64, 0, 0, 127, 32, 0, 41);
    expect_choice(true, 2033, 2047, 64, 64, 126, 1, 64, 38, 3);
}

int main(void)
{
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    there = (char *)device_room(sizeof room + 64, 0x5a);
    out = device_room(16, 0x5a);
    choices();
    for (size_t size = 4; size <= 8; size += 4) {
        full_bands(exact_type(size));
        full_columns(exact_type(size));
        windows(exact_type(size));
        outliers(exact_type(size));
    }
    CHECK(cudaFree(there));
    CHECK(cudaFree(out));
    cr_assert(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
