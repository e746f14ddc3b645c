// first: reduce_float_max, ROWS: define a reduction at file scope, not inside a function
#include "reduce_rows.cuh"
DEFINE_REDUCE(float, max)
int main(void)
{
    DEFINE_REDUCE_ROWS(reduce_float_max)
    return 0;
}
