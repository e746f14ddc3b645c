// first: reduce_float_exact_sum: define a reduction at file scope, not inside a function
#include "reduce_exact.cuh"
int main(void)
{
    DEFINE_REDUCE_EXACT(float)
    return 0;
}
