// caught: race, expect: data race
// caught: wrong-result, expect: wrong result
/* W1 as it was before Volta: the lanes of a warp are taken to run in lockstep. */
#include "mistake.h"

static __global__ void sum(const int *in, int *out)
{
    __shared__ volatile int s[32];
    const int lane = (int)threadIdx.x;
    s[lane] = in[lane];
    for (int stride = 16; stride > 0; stride /= 2) {
        IF_REPAIRED(__syncwarp();)
        if (lane < stride) s[lane] = s[lane] + s[lane + stride];
    }
    if (lane == 0) *out = s[0];
}

int main(void)
{
    int *out = numbers(1);
    sum<<<1, 32>>>(numbers(32), out);
    check_sum(out, 32);
    return 0;
}
