/* Every rung of the ladder under the thread sanitizer, in the smallest grid that needs all of its barriers,
   and blocks that leave some threads of a step without work. */
#define CHECK_ALONE
#define LADDER_B6_SIZES(X, ...) X(128, __VA_ARGS__)
#include "../check.h"
#include "../../bench/ladder.cuh"

DEFINE_REDUCE(int, sum)
DEFINE_LADDER(int, sum)

enum { N = 100 };

static struct ladder_shape shape_for(enum ladder_rung rung)
{
    static const struct ladder_shape one_warp = {1, 32}, two_warps = {1, 64}, partial_warps = {1, 40},
                                     many_warps = {1, 128}, blocks = {2, 40};
    switch (rung) {
    case LADDER_B5A:
    case LADDER_B5P:
    case LADDER_B6A:
    case LADDER_B6P: return many_warps; /* one step before the last warp's */
    case LADDER_B7V: return two_warps;
    default: return ladder_scale(rung) == 'W' ? one_warp : ladder_scale(rung) == 'B' ? partial_warps : blocks;
    }
}

static int sum(enum ladder_rung rung, int *in)
{
    const struct ladder_shape shape = shape_for(rung);
    struct ladder_room room = {NULL, {NULL, NULL}, NULL};
    int got = -1, *out = (int *)device_room(sizeof *out, 0);
    CHECK(ladder_room_create(&room, shape, sizeof *out));
    CHECK(reduce_int_sum_ladder(rung, in, N, out, &room, shape, 0));
    check_launch();
    from_device(&got, out, sizeof got);
    CHECK(ladder_room_destroy(&room));
    CHECK(cudaFree(out));
    return got;
}

int main(void)
{
    int data[N], expected = 0;
    need_gpu();
    for (int k = 0; k < N; k++) expected += data[k] = (int)(mixed((u64)k) % 1000);
    for (int rung = 0; rung < LADDER_COUNT; rung++) {
        int *in = (int *)to_device(data, sizeof data);
        const int got = sum((enum ladder_rung)rung, in);
        cr_expect(got == expected, "%s: %d, not %d", ladder_id((enum ladder_rung)rung), got, expected);
        CHECK(cudaFree(in));
    }
    return 0;
}
