// first: dot is defined twice: write #define REDUCE_HAVE_dot after the first definition
#include "reduce_inputs.cuh"
#include "reduce_exact.cuh"
DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x * y)
DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x * y)
int main(void) { return 0; }
