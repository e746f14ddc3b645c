// first: reduce_float_max_block is defined twice: write #define REDUCE_HAVE_reduce_float_max_block after the first definition
#include "reduce_block.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_BLOCK(reduce_float_max)
DEFINE_REDUCE_BLOCK(reduce_float_max)
int main(void) { return 0; }
