// first: reduce_float_max_async_n is defined twice: write #define REDUCE_HAVE_reduce_float_max_async_n after the first definition
#include "reduce_async_n.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ASYNC_N(reduce_float_max)
DEFINE_REDUCE_ASYNC_N(reduce_float_max)
int main(void) { return 0; }
