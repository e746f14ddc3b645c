// caught: wrong-result, expect: wrong result
/* B3: half of an odd number of values is rounded down, and the last value is dropped. */
#include "mistake.h"

static __global__ void sum(const int *in, int *out)
{
    __shared__ int s[64];
    const unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    IF_WRONG(for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {)
    IF_REPAIRED(for (unsigned stride = 32; stride > 0; stride /= 2) {)
        __syncthreads();
        IF_WRONG(if (tid < stride) s[tid] += s[tid + stride];)
        IF_REPAIRED(if (tid < stride && tid + stride < blockDim.x) s[tid] += s[tid + stride];)
    }
    if (tid == 0) *out = s[0];
}

int main(void)
{
    int *out = numbers(1);
    sum<<<1, 50>>>(numbers(50), out);
    check_sum(out, 50);
    return 0;
}
