// first: reduce_float_sum: define a reduction at file scope, not inside a function
#include "reduce.cuh"
int main(void)
{
    DEFINE_REDUCE(float, sum)
    return 0;
}
