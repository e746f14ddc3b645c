// first: dot: define a reduction at file scope, not inside a function
#include "reduce_inputs.cuh"
int main(void)
{
    DEFINE_REDUCE_ZIP(dot, float, float, float, x * y, 0, a + b)
    return 0;
}
