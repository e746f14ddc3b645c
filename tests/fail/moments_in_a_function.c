// first: reduce_float_moments: define a reduction at file scope, not inside a function
#include "reduce_results.cuh"
int main(void)
{
    DEFINE_REDUCE_MOMENTS(float)
    return 0;
}
