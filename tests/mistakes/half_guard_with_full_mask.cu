// caught: rule, expect: __syncwarp
/* W2: only half of the warp is inside the guard, but the mask there names all of it. */
#include "mistake.h"

static __global__ void sum(const int *in, int *out)
{
    __shared__ volatile int s[32];
    const int lane = (int)threadIdx.x;
    s[lane] = in[lane];
    __syncwarp();
    if (lane < 16)
        for (int stride = 16; stride > 0; stride /= 2) {
            const int x = s[lane] + s[lane + stride];
            IF_WRONG(__syncwarp();)
            IF_REPAIRED(__syncwarp(0xffff);)
            s[lane] = x;
            IF_WRONG(__syncwarp();)
            IF_REPAIRED(__syncwarp(0xffff);)
        }
    __syncthreads();
    if (lane == 0) *out = s[0];
}

int main(void)
{
    int *out = numbers(1);
    sum<<<1, 32>>>(numbers(32), out);
    check_sum(out, 32);
    return 0;
}
