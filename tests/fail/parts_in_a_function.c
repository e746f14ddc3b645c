// first: reduce_float_max, PARTS: define a reduction at file scope, not inside a function
#include "reduce_parts.h"
DEFINE_REDUCE(float, max)
int main(void)
{
    DEFINE_REDUCE_PARTS(reduce_float_max)
    return 0;
}
