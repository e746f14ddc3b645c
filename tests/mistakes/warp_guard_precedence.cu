// caught: wrong-result, expect: wrong result
/* G3: == binds before &, so that the guard is threadIdx.x & 0 and no warp ever adds its result. */
#include "mistake.h"

DEFINE_REDUCE(int, sum)

static __global__ void sum(const int *in, int *out)
{
    const int x = reduce_int_sum_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
    IF_WRONG(if (threadIdx.x & (warpSize - 1) == 0) atomicAdd(out, x);)
    IF_REPAIRED(if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(out, x);)
}

int main(void)
{
    int *out = (int *)device_room(sizeof *out, 0);
    sum<<<3, 64>>>(numbers(192), out);
    check_sum(out, 192);
    return 0;
}
