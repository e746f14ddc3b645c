/* Rows of up to a stripe, and a little more, quickly: of as many strands as the contract's tree has, at each number of
   strands at which another way takes them; aligned and not, with gaps and without, of elements of 1 to 16 bytes, of two
   arrays, and with results of 16 bytes; each against NAME_cpu of the row. For tools/mutate. */
#define REDUCE_STRANDS 512
#define REDUCE_MAX_CHUNKS 1031
#define REDUCE_SLOTS 1031
#define REDUCE_STRANDS_OF_TWO_ (2 * REDUCE_WARP)
#define REDUCE_STRANDS_OF_FOUR_ (4 * REDUCE_WARP)
#define REDUCE_MOST_LOADS_ 8
#include "rows.h"

DEFINE_REDUCE_AS(bytes, u8, 0, (u8)traced(a, b))
/* A built-in operator in which the order shows, and the sum of zeros: it is +0. */
DEFINE_REDUCE_MAP(scaled, u16, float, i < 17 ? -0.0f : (float)x * 0.37f, REDUCE_IDENTITY_sum(float), REDUCE_COMBINE_sum(float, a, b))
DEFINE_REDUCE(u16, bxor) /* in any order, with fewer accumulators than positions; an element that is taken twice shows */
DEFINE_REDUCE_MAP(broad, u32, pair, paired(x, mixed(x + i)), paired(0, 0), trace_pair(a, b))

/* Short rows of two arrays are copied to shared memory, where elements are aligned as their type asks. */
struct aligned32 { u64 word[4]; } __attribute__((__aligned__(32)));
DEFINE_REDUCE_ZIP(zip_aligned, u8, struct aligned32, u64, x ^ y.word[1] ^ mixed(i), 0, traced(a, b))
DEFINE_REDUCE_ZIP_ROWS(zip_aligned)

static void zip_aligned_check(void)
{
    enum { ROWS = 1000, MOST = 7 };
    static u8 x[ROWS * MOST];
    static struct aligned32 y[ROWS * MOST];
    for (size_t k = 0; k < sizeof x; k++) x[k] = (u8)mixed(k), y[k].word[1] = mixed(k + 1);
    for (size_t n = 1; n <= MOST; n++) {
        static u64 got[ROWS];
        CHECK(zip_aligned_rows(x, y, ROWS, n, n, got));
        for (size_t k = 0; k < ROWS; k++)
            cr_assert(got[k] == zip_aligned_cpu(x + k * n, y + k * n, n), "zip_aligned, row %zu of %zu elements", k, n);
    }
}

#define DEFINE_CHECK(NAME, X, Y, T, DEFINE, ARGUMENTS)                                                                         \
    DEFINE_CHECK_OF_ROWS(NAME, X, Y, T, DEFINE, ARGUMENTS)                                                                     \
                                                                                                                               \
    /* Rows of so many strands, the last of which lacks an element or not. */                                                  \
    static void NAME##_check_strands(size_t strands, size_t k)                                                                 \
    {                                                                                                                          \
        const size_t positions = REDUCE_POSITIONS(sizeof(X)), whole = strands * positions;                                     \
        const size_t few = 3, many = 100000 / (whole * sizeof(X)) + 1; /* so many that lanes do not take them, if any */       \
        NAME##_check(few, whole, whole, 0);                                                                                    \
        NAME##_check(few, whole, whole, 1);                                                                                    \
        NAME##_check(few + 5, whole - (positions > 1), whole - (positions > 1), k % 3);                                        \
        NAME##_check(few, whole - k % positions, whole + positions, 0);                                                        \
        NAME##_check(few, whole, whole + 1, 0);                                                                                \
        NAME##_check(1, whole, 1, 0);                                                                                          \
        if (k % 3 == 0) NAME##_check(many, whole - k % 2 * (positions > 1), whole, k % 4 / 2);                                 \
    }
DEFINE_CHECK(bytes, u8, u8, u8, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(fours, u32, u8, u32, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(eights, u64, u8, u64, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(pairs, pair, u8, pair, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(places, u16, u8, u32, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(scaled, u16, u8, float, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(reduce_u16_bxor, u16, u8, u16, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(broad, u32, u8, pair, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(two, u32, u16, u64, DEFINE_REDUCE_ZIP_ROWS, ARGUMENTS_OF_TWO)

int main(void)
{
    static const size_t strands[] = {1,  8,  31, 32, 33, 40,  47,  48,  49,  63,  64,  65,  90,  96,  97,  127,
                                     128, 129, 160, 161, 255, 256, 257, 300, 320, 383, 448, 511, 512, 513, 600};
    CHECK(reduce_workspace_create(&ws));
    zip_aligned_check();
    scaled_check(6000, 16, 16, 1); /* whole strands in shared memory */
    reduce_u16_bxor_check(6000, 16, 16, 1);
    for (size_t k = 0; k < sizeof strands / sizeof *strands; k++) {
        bytes_check_strands(strands[k], k);
        fours_check_strands(strands[k], k);
        eights_check_strands(strands[k], k);
        pairs_check_strands(strands[k], k);
        places_check_strands(strands[k], k);
        scaled_check_strands(strands[k], k);
        reduce_u16_bxor_check_strands(strands[k], k);
        broad_check_strands(strands[k], k);
        two_check_strands(strands[k], k);
    }
    cr_assert(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
