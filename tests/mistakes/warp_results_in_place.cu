// caught: race, expect: data race
/* B7: each warp puts its result among the values of the first warp, which may not have read them yet. */
#include "mistake.h"

DEFINE_REDUCE(int, sum)

static __global__ void sum(const int *in, int *out)
{
    __shared__ volatile int s[128];
    IF_REPAIRED(__shared__ volatile int of_warp[4];)
    const int tid = (int)threadIdx.x, warp = tid / 32;
    s[tid] = in[tid];
    const int x = reduce_int_sum_warp_volatile(s + 32 * warp);
    IF_WRONG(volatile int *of_warp = s;)
    if (tid % 32 == 0) of_warp[warp] = x;
    __syncthreads();
    if (tid == 0) *out = of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
}

int main(void)
{
    int *out = numbers(1);
    sum<<<1, 128>>>(numbers(128), out);
    check_sum(out, 128);
    return 0;
}
