// first: reduce_float_argmin is defined twice: write #define REDUCE_HAVE_reduce_float_argmin after the first definition
#include "reduce_results.cuh"
DEFINE_REDUCE_ARG(float, min)
DEFINE_REDUCE_ARG(float, min)
int main(void) { return 0; }
