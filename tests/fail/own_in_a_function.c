// first: total: define a reduction at file scope, not inside a function
#include "reduce.cuh"
int main(void)
{
    DEFINE_REDUCE_AS(total, int, 0, a + b)
    return 0;
}
