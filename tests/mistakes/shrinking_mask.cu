// caught: rule, expect: a lane must be named in its own mask
/* W4: the mask shrinks with the stride, although all lanes execute the shuffle. */
#include "mistake.h"

static __global__ void sum(const int *in, int *out)
{
    int x = in[threadIdx.x];
    for (int stride = 16; stride > 0; stride /= 2) {
        const unsigned mask = IF_WRONG(~0u >> (32 - stride)) IF_REPAIRED(~0u);
        x += __shfl_down_sync(mask, x, (unsigned)stride);
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
