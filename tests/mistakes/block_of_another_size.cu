// caught: rule, expect: __trap
/* NAME_block_of is told of fewer threads than the block has. */
#include "mistake.h"
#include "reduce_block.cuh"

DEFINE_REDUCE(int, sum)
DEFINE_REDUCE_BLOCK(reduce_int_sum)

static __global__ void sum(const int *in, int *out)
{
    IF_WRONG(const int result = reduce_int_sum_block_of(in[threadIdx.x], 64);)
    IF_REPAIRED(const int result = reduce_int_sum_block_of(in[threadIdx.x], 96);)
    if (threadIdx.x == 0) *out = result;
}

int main(void)
{
    int *out = numbers(1);
    sum<<<1, 96>>>(numbers(96), out);
    check_sum(out, 96);
    return 0;
}
