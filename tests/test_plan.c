/* reduce_plan and REDUCE_POSITIONS, which every executor follows. */
#include "reduce.cuh"
#include "tree.h"

#include <criterion/criterion.h>

/* Every n from 0 to 70,000; and around every power of two and three times a power of two. */
#define DENSE 70000
#define AROUND 3

static bool covers(size_t n, struct reduce_plan plan)
{
    if (n == 0) return plan.count == 0;
    return plan.count > 0 && plan.chunk > 0 && (plan.count - 1) < n / plan.chunk + (n % plan.chunk != 0) &&
           (plan.count - 1) * plan.chunk < n && n - (plan.count - 1) * plan.chunk <= plan.chunk;
}

/* The first rule that the plan of n elements breaks, or NULL. */
static const char *broken(size_t n, size_t size)
{
    const struct reduce_plan plan = reduce_plan(n, size);
    const size_t stripe = 512 * tree_positions(size), most = size < 32 ? 8 * stripe : 8 / (size / 16) * stripe;
    if (!covers(n, plan)) return "the chunks cover exactly n";
    if (plan.count > REDUCE_MAX_CHUNKS) return "at most REDUCE_MAX_CHUNKS";
    if (plan.count > 1 && plan.chunk % stripe != 0) return "chunks are whole stripes";
    if (n > 0 && n <= most && plan.count != 1) return "up to 64 KiB are one chunk";
    if (n > most && plan.count < 2) return "more than 64 KiB are several chunks";
    if (plan.chunk != tree_chunk(n, size)) return "the chunk of tree.h";
    return NULL;
}

static void expect_plan(size_t n, size_t size)
{
    const char *rule = broken(n, size);
    if (rule == NULL) return;
    cr_expect(false, "reduce_plan(%zu, %zu) = {%zu, %zu}: %s", n, size, reduce_plan(n, size).chunk,
              reduce_plan(n, size).count, rule);
}

/* n around value, without passing the end of the range. */
static void expect_plans_around(size_t value, size_t size)
{
    const size_t most = SIZE_MAX / size;
    const size_t first = value < AROUND ? 0 : value - AROUND;
    for (size_t n = first; n <= most && n - first <= 2 * AROUND; n++) expect_plan(n, size);
}

Test(plan, positions)
{
    for (size_t size = 1; size <= 64; size++)
        cr_expect_eq((size_t)REDUCE_POSITIONS(size), tree_positions(size), "size %zu", size);
    cr_expect_eq(REDUCE_STRANDS, 512);
    cr_expect_eq(REDUCE_WARP, 32);
    cr_expect_eq(REDUCE_MAX_CHUNKS, 4096);
    cr_expect_eq(REDUCE_SLOTS, 4096);
    cr_expect(REDUCE_MAX_ELEMENTS == (size_t)1 << 40);
    cr_expect_eq(REDUCE_TREE_VERSION, 1);
}

Test(plan, covers_every_small_n)
{
    const size_t sizes[] = {1, 2, 3, 4, 8, 12, 64};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t n = 0; n <= DENSE; n++) expect_plan(n, sizes[k]);
}

Test(plan, covers_around_every_boundary)
{
    for (size_t size = 1; size <= 64; size++) {
        const size_t stripe = 512 * tree_positions(size), most = SIZE_MAX / size;
        const size_t weight = size < 32 ? 1 : size / 16; /* units in a stripe: limits are not whole stripes of each */
        for (size_t n = 1; n <= most / 4; n *= 2) {
            expect_plans_around(n, size);
            expect_plans_around(3 * n, size);
        }
        for (size_t height = 1; height <= 1024; height++) {
            expect_plans_around(256 * height * stripe, size);
            expect_plans_around(4096 * height * stripe, size);
            expect_plans_around(height * stripe, size);
            expect_plans_around(256 * height / weight * stripe, size);
            expect_plans_around(4096 * height / weight * stripe, size);
        }
        expect_plans_around(most, size);
        expect_plans_around((size_t)1 << 40, size);
    }
}

/* More elements never make fewer elements in a chunk. */
Test(plan, grows)
{
    for (size_t size = 1; size <= 64; size *= 2) {
        size_t before = 0;
        for (size_t n = 9 * 512 * tree_positions(size); n < SIZE_MAX / 128; n += n / 100) {
            const struct reduce_plan plan = reduce_plan(n, size);
            if (plan.chunk < before)
                cr_expect(false, "reduce_plan(%zu, %zu).chunk is %zu", n, size, plan.chunk);
            before = plan.chunk;
        }
    }
}

/* The plans of version 1 of the tree: a change here is a major release. */
Test(plan, is_that_of_version_1)
{
    static const struct {
        size_t n, size, chunk, count;
    } recorded[] = {
        {0, 1, 0, 0},
        {1, 1, 1, 1},
        {512, 1, 512, 1},
        {8192, 1, 8192, 1},
        {65536, 1, 65536, 1},
        {65537, 1, 16384, 5},
        {100000, 1, 16384, 7},
        {1000000, 1, 16384, 62},
        {5000000, 1, 32768, 153},
        {16777216, 1, 65536, 256},
        {100000000, 1, 131072, 763},
        {1000000000, 1, 245760, 4070},
        {4294967296, 1, 1048576, 4096},
        {4294967297, 1, 1056768, 4065},
        {1099511627776, 1, 268435456, 4096},
        {65536, 2, 8192, 8},
        {65537, 2, 8192, 9},
        {100000, 2, 8192, 13},
        {1000000, 2, 16384, 62},
        {5000000, 2, 20480, 245},
        {16777216, 2, 65536, 256},
        {100000000, 2, 65536, 1526},
        {1000000000, 2, 245760, 4070},
        {4294967296, 2, 1048576, 4096},
        {4294967297, 2, 1052672, 4081},
        {0, 4, 0, 0},
        {1, 4, 1, 1},
        {512, 4, 512, 1},
        {8192, 4, 8192, 1},
        {65536, 4, 4096, 16},
        {65537, 4, 4096, 17},
        {100000, 4, 4096, 25},
        {1000000, 4, 8192, 123},
        {5000000, 4, 20480, 245},
        {16777216, 4, 32768, 512},
        {100000000, 4, 32768, 3052},
        {1000000000, 4, 245760, 4070},
        {4294967296, 4, 1048576, 4096},
        {4294967297, 4, 1050624, 4089},
        {1099511627776, 4, 268435456, 4096},
        {0, 8, 0, 0},
        {1, 8, 1, 1},
        {512, 8, 512, 1},
        {8192, 8, 8192, 1},
        {65536, 8, 2048, 32},
        {65537, 8, 2048, 33},
        {100000, 8, 2048, 49},
        {1000000, 8, 4096, 245},
        {5000000, 8, 16384, 306},
        {16777216, 8, 16384, 1024},
        {100000000, 8, 24576, 4070},
        {1000000000, 8, 244736, 4087},
        {4294967296, 8, 1048576, 4096},
        {4294967297, 8, 1049600, 4093},
        {1099511627776, 8, 268435456, 4096},
        {65536, 16, 1024, 64},
        {65537, 16, 2048, 33},
        {100000, 16, 2048, 49},
        {1000000, 16, 4096, 245},
        {5000000, 16, 8192, 611},
        {16777216, 16, 8192, 2048},
        {100000000, 16, 24576, 4070},
        {1000000000, 16, 244224, 4095},
        {4294967296, 16, 1048576, 4096},
        {4294967297, 16, 1049088, 4095},
        {65536, 64, 512, 128},
        {65537, 64, 512, 129},
        {100000, 64, 512, 196},
        {1000000, 64, 2048, 489},
        {5000000, 64, 2048, 2442},
        {16777216, 64, 4096, 4096},
        {100000000, 64, 24576, 4070},
        {1000000000, 64, 244224, 4095},
        {4294967296, 64, 1048576, 4096},
        {4294967297, 64, 1049088, 4095},
        {SIZE_MAX, 1, 4503599627370496, 4096},
        {SIZE_MAX / 4, 4, 1125899906842624, 4096},
    };
    for (size_t k = 0; k < sizeof recorded / sizeof *recorded; k++) {
        const struct reduce_plan plan = reduce_plan(recorded[k].n, recorded[k].size);
        cr_expect(plan.chunk == recorded[k].chunk && plan.count == recorded[k].count,
                  "reduce_plan(%zu, %zu) = {%zu, %zu}, not {%zu, %zu}", recorded[k].n, recorded[k].size,
                  plan.chunk, plan.count, recorded[k].chunk, recorded[k].count);
    }
}
