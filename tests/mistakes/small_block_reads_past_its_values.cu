// caught: address, expect: out of bounds|AddressSanitizer
/* B5: the six unrolled steps of the last warp, in a block that has no element tid + 32. */
#include "mistake.h"

static __global__ void sum(const int *in, int *out)
{
    extern __shared__ int s[];
    const int tid = (int)threadIdx.x;
    s[tid] = in[tid];
    for (int stride = 32; stride > 0; stride /= 2) {
        __syncwarp();
        const int room = IF_WRONG(64) IF_REPAIRED((int)blockDim.x);
        const int x = s[tid] + (tid + stride < room ? s[tid + stride] : 0);
        __syncwarp();
        s[tid] = x;
    }
    if (tid == 0) *out = s[0];
}

int main(void)
{
    int *out = numbers(1);
    sum<<<1, 32, 32 * sizeof(int)>>>(numbers(32), out);
    check_sum(out, 32);
    return 0;
}
