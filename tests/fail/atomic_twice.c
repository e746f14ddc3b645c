// first: reduce_float_max_atomic is defined twice: write #define REDUCE_HAVE_reduce_float_max_atomic after the first definition
#include "reduce.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ATOMIC(reduce_float_max)
DEFINE_REDUCE_ATOMIC(reduce_float_max)
int main(void) { return 0; }
