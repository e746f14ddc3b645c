// first: above: define a reduction at file scope, not inside a function
#include "reduce_inputs.cuh"
int main(void)
{
    DEFINE_REDUCE_WITH(above, float, float, int, x > c, 0, a + b)
    return 0;
}
