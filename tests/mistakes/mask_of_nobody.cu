// caught: rule, expect: a lane must be named in its own mask
/* W4: a shuffle from before masks, with a mask put in that compiles: 0 names nobody. */
#include "mistake.h"

static __global__ void sum(const int *in, int *out)
{
    int x = in[threadIdx.x];
    for (int stride = 16; stride > 0; stride /= 2) {
        x += __shfl_down_sync(IF_WRONG(0) IF_REPAIRED(~0u), x, (unsigned)stride);
    }
    if (threadIdx.x == 0) *out = x;
}

int main(void)
{
    int *out = numbers(1);
    sum<<<1, 32>>>(numbers(32), out);
    check_sum(out, 32);
    return 0;
}
