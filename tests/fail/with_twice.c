// first: above is defined twice: write #define REDUCE_HAVE_above after the first definition
// at most: 125 errors, 120000 bytes
#include "reduce_inputs.cuh"
DEFINE_REDUCE_WITH(above, float, float, int, x > c, 0, a + b)
DEFINE_REDUCE_WITH(above, float, float, int, x > c, 0, a + b)
int main(void) { return 0; }
