// first: both is defined twice: write #define REDUCE_HAVE_both after the first definition
#include "reduce_results.cuh"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_PAIR(both, reduce_float_min, reduce_float_max)
DEFINE_REDUCE_PAIR(both, reduce_float_min, reduce_float_max)
int main(void) { return 0; }
