// first: above, PARTS: above has a context: use DEFINE_REDUCE_WITH_PARTS
#include "reduce_parts.h"
#include "reduce_inputs.cuh"
DEFINE_REDUCE_WITH(above, float, float, int, x > c, 0, a + b)
DEFINE_REDUCE_PARTS(above)
int main(void) { return 0; }
