/* NAME_grid under the thread sanitizer: a few blocks of several warps, all threads of the last of which
   read *out; and more blocks than there are slots, which share them. */
#define CHECK_ALONE
#include "../check.h"

DEFINE_REDUCE(u64, sum)

/* Thousands of blocks take long here: this instance has only 3 slots. */
#undef REDUCE_MAX_CHUNKS
#define REDUCE_MAX_CHUNKS 3
DEFINE_REDUCE_AS(shared_sum, u64, 0, a + b)

#define ENDS_IN_GRID(NAME)                                                                                \
    static __global__ void NAME##_at_the_end(reduce_workspace *ws, u64 *out, u64 *seen)                   \
    {                                                                                                     \
        if (!NAME##_grid(mixed(blockIdx.x * blockDim.x + threadIdx.x), ws, out)) return;                  \
        seen[threadIdx.x] = *out;                                                                         \
    }                                                                                                     \
    static void NAME##_check(unsigned blocks, unsigned threads)                                           \
    {                                                                                                     \
        reduce_workspace *ws = NULL;                                                                      \
        CHECK(reduce_workspace_create(&ws));                                                              \
        u64 *out = (u64 *)device_room(sizeof(u64) * (1 + threads), 0), got[1 + 64] = {0}, expected = 0;   \
        for (unsigned k = 0; k < blocks * threads; k++) expected += mixed(k);                             \
        NAME##_at_the_end<<<blocks, threads>>>(ws, out, out + 1);                                         \
        check_launch();                                                                                   \
        from_device(got, out, sizeof(u64) * (1 + threads));                                               \
        for (unsigned k = 0; k <= threads; k++)                                                           \
            cr_expect(got[k] == expected, "%s, %u blocks, thread %u", #NAME, blocks, k);                  \
        CHECK(cudaFree(out));                                                                             \
        CHECK(reduce_workspace_destroy(ws));                                                              \
    }

ENDS_IN_GRID(reduce_u64_sum)
ENDS_IN_GRID(shared_sum)

int main(void)
{
    need_gpu();
    reduce_u64_sum_check(1, 40);
    reduce_u64_sum_check(5, 40);
    reduce_u64_sum_check(5, 64);
    shared_sum_check(4, 33);
    shared_sum_check(15, 33);
    return 0;
}
