// first: dot is defined twice: write #define REDUCE_HAVE_dot after the first definition
// at most: 125 errors, 120000 bytes
#include "reduce_inputs.cuh"
DEFINE_REDUCE_ZIP(dot, float, float, float, x * y, 0, a + b)
DEFINE_REDUCE_ZIP(dot, float, float, float, x * y, 0, a + b)
int main(void) { return 0; }
