/* Rows of several chunks: given to blocks of each number of warps that the plan knows, and to a wave of blocks that have
   more chunks than they can fold at once; of as many strands as the contract's tree has; aligned and not, of elements of
   2 to 16 bytes and of two arrays; each against NAME_cpu of the row. For tools/mutate. */
#define REDUCE_STRANDS 512
#define REDUCE_MAX_CHUNKS 1031
#define REDUCE_SLOTS 1031
#define REDUCE_LOW_ 140 /* chunks of two stripes, up to 70 */
#define REDUCE_SPREAD_ 70
#define REDUCE_WAVE_ 1
#define REDUCE_SMS_ 2
#include "rows.h"

struct launch {
    enum reduce_rows_way_ way;
    unsigned warps, span;
};

/* Whether a launch is as wanted, with as large a span at least. */
static bool is_as(struct launch launch, struct launch wanted)
{
    return launch.way == wanted.way && launch.warps == wanted.warps && launch.span >= wanted.span;
}

#define DEFINE_CHECK(NAME, X, Y, T, DEFINE, ARGUMENTS)                                                                         \
    DEFINE_CHECK_OF_ROWS(NAME, X, Y, T, DEFINE, ARGUMENTS)                                                                     \
                                                                                                                               \
    /* The launch that is planned for rows. */                                                                                 \
    static struct launch NAME##_launch_of(size_t count, size_t n, size_t pitch)                                                \
    {                                                                                                                          \
        struct reduce_rows_ rows = reduce_rows_of_(count, n, pitch, sizeof(X), sizeof(T));                                     \
        NAME##_input_ none;                                                                                                    \
        memset(&none, 0, sizeof none);                                                                                         \
        const struct reduce_row_facts_ facts = NAME##_row_facts_(none, &rows);                                                 \
        const enum reduce_rows_way_ way = reduce_rows_way_(&rows, facts);                                                      \
        const struct reduce_grid_ grid = reduce_grid_of_rows_(&rows, way, facts);                                              \
        const struct launch launch = {way, grid.threads_ / REDUCE_WARP, rows.span_};                                           \
        return launch;                                                                                                         \
    }                                                                                                                          \
                                                                                                                               \
    /* Checks the rows of fewest chunks, each of `least` and more, that are launched so, with a last chunk of 1, of some and of\
       all elements. */                                                                                                        \
    static bool NAME##_check_launch(struct launch wanted, size_t least, size_t gap)                                            \
    {                                                                                                                          \
        const size_t stripe = REDUCE_STRIPE_(sizeof(X)), chunk = 2 * stripe;                                                   \
        size_t rows = 0, chunks = 0;                                                                                           \
        for (size_t r = 1; r <= 40; r++)                                                                                       \
            for (size_t k = least; 2 * k <= REDUCE_LOW_ && (rows == 0 || r * k < rows * chunks); k++)                          \
                if (is_as(NAME##_launch_of(r, k * chunk, k * chunk + gap), wanted)) rows = r, chunks = k;                      \
        if (rows == 0) return false;                                                                                           \
        NAME##_check(rows, chunks * chunk, chunks * chunk + gap, 0);                                                           \
        NAME##_check(rows, (chunks - 1) * chunk + 1, (chunks - 1) * chunk + 16 + gap, gap);                                    \
        NAME##_check(rows, (chunks - 1) * chunk + stripe * 5 / 4, (chunks - 1) * chunk + 2 * stripe + gap, gap);               \
        return true;                                                                                                           \
    }                                                                                                                          \
                                                                                                                               \
    /* Launches by blocks of each number of warps, with a chunk for each warp or more, and by a wave of blocks of many chunks. \
       Returns how many of them. */                                                                                            \
    static int NAME##_check_launches(size_t gap)                                                                               \
    {                                                                                                                          \
        struct launch launch = {REDUCE_BLOCK_ROWS_, REDUCE_WARPS_ / 4, 0};                                                     \
        int found = 0;                                                                                                         \
        for (; launch.warps <= REDUCE_WARPS_; launch.warps++)                                                                  \
            found += NAME##_check_launch(launch, launch.warps % 2 == gap ? launch.warps + 1 : 2, gap);                         \
        launch.way = REDUCE_LOW_CHUNKS_, launch.warps = REDUCE_WARPS_, launch.span = REDUCE_WARP + 1;                          \
        return found + NAME##_check_launch(launch, 2, gap);                                                                    \
    }
DEFINE_CHECK(fours, u32, u8, u32, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(eights, u64, u8, u64, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(pairs, pair, u8, pair, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(places, u16, u8, u32, DEFINE_REDUCE_ROWS, ARGUMENTS_OF_ONE)
DEFINE_CHECK(two, u32, u16, u64, DEFINE_REDUCE_ZIP_ROWS, ARGUMENTS_OF_TWO)

/* A block of BLOCK_ROWS has a thread for each chunk of its row, or for each strand of chunks. */
static void check_threads(void)
{
    for (size_t n = 1; n < REDUCE_STRIPE_(sizeof(u32)) * REDUCE_MAX_CHUNKS * 6; n += REDUCE_STRIPE_(sizeof(u32)))
        for (size_t rows = 1; rows <= 40; rows += 3) {
            const struct launch launch = fours_launch_of(rows, n, n);
            const size_t count = reduce_cut_(n, sizeof(u32)).count_, least = REDUCE_MIN_(count, (size_t)REDUCE_STRANDS);
            if (launch.way == REDUCE_BLOCK_ROWS_)
                cr_assert(launch.warps * REDUCE_WARP >= least, "%zu rows of %zu chunks: %u warps", rows, count, launch.warps);
        }
}

int main(void)
{
    const size_t tall = REDUCE_STRIPE_(sizeof(u32)) * (REDUCE_LOW_ + 1);
    check_threads();
    CHECK(reduce_workspace_create(&ws));
    const int found[] = {fours_check_launches(0), fours_check_launches(1),  eights_check_launches(1), pairs_check_launches(0),
                         places_check_launches(0), places_check_launches(1), two_check_launches(0),    two_check_launches(1)};
    for (size_t k = 0; k < COUNT(found); k++) cr_assert(found[k] >= 13, "%zu: only %d of 14 launches", k, found[k]);
    /* Misaligned rows of tall chunks, too few for a block each. */
    fours_check(1, tall, 1, 1);
    fours_check(2, tall, tall + 1, 0);
    cr_assert(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
