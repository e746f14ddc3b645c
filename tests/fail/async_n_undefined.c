// first: reduce_float_max, ASYNC_N: reduce_float_max is not defined: define it first
#include "reduce_async_n.cuh"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE_ASYNC_N(reduce_float_max)
int main(void) { return 0; }
