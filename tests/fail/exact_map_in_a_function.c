// first: total: define a reduction at file scope, not inside a function
#include "reduce_exact.cuh"
int main(void)
{
    DEFINE_REDUCE_EXACT_MAP(total, int, float, x)
    return 0;
}
