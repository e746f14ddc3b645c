// first: reduce_float_max, ATOMIC: reduce_float_max is not defined: define it first
#include "reduce.cuh"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE_ATOMIC(reduce_float_max)
int main(void) { return 0; }
