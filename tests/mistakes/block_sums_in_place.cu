// caught: race, expect: data race
/* G5: each block's sum goes into the front of the array that other blocks still read. */
#include "mistake.h"

DEFINE_REDUCE(int, sum)

static __global__ void sums(const int *in, int *out)
{
    const int x = reduce_int_sum_block(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) out[blockIdx.x] = x;
}

int main(void)
{
    int *x = numbers(8 * 64), *y = IF_WRONG(x) IF_REPAIRED(numbers(8)), *z = numbers(1);
    sums<<<8, 64>>>(x, y);
    sums<<<1, 8>>>(y, z);
    check_sum(z, 8 * 64);
    return 0;
}
