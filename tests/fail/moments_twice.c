// first: reduce_float_moments is defined twice: write #define REDUCE_HAVE_reduce_float_moments after the first definition
#include "reduce_results.cuh"
DEFINE_REDUCE_MOMENTS(float)
DEFINE_REDUCE_MOMENTS(float)
int main(void) { return 0; }
