// first: both: define a reduction at file scope, not inside a function
#include "reduce_results.cuh"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE(float, max)
int main(void)
{
    DEFINE_REDUCE_PAIR(both, reduce_float_min, reduce_float_max)
    return 0;
}
