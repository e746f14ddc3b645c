// first: reduce_float_max, BLOCK: reduce_float_max is not defined: define it first
#include "reduce_block.cuh"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE_BLOCK(reduce_float_max)
int main(void) { return 0; }
