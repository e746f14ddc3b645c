// first: reduce_float_max, NCCL: define a reduction at file scope, not inside a function
#include "reduce_nccl.cuh"
DEFINE_REDUCE(float, max)
int main(void)
{
    DEFINE_REDUCE_NCCL(reduce_float_max)
    return 0;
}
