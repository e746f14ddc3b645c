/* NAME_grid under the thread sanitizer: a few blocks of several warps, all threads of the last of which
   read *out; and more blocks than there are slots, which share them: there are 3 slots. */
#define CHECK_ALONE
#define REDUCE_SLOTS 3
#define REDUCE_MAX_CHUNKS 3
#define REDUCE_SPREAD_ 3
#define REDUCE_LOW_ 6
#include "../small_tree.h"

#include "../check.h"

DEFINE_REDUCE(u64, sum)

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

int main(void)
{
    need_gpu();
    reduce_u64_sum_check(1, 40);
    reduce_u64_sum_check(5, 40);
    reduce_u64_sum_check(3, 64);
    reduce_u64_sum_check(4, 33);
    reduce_u64_sum_check(15, 33);
    return 0;
}
