// first: reduce_float_exact_sum is defined twice: write #define REDUCE_HAVE_reduce_float_exact_sum after the first definition
#include "reduce_exact.cuh"
DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(float)
int main(void) { return 0; }
