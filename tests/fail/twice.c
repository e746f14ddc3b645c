// first: reduce_float_sum is defined twice: write #define REDUCE_HAVE_reduce_float_sum after the first definition
// at most: 125 errors, 120000 bytes
#include "reduce.cuh"
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(float, sum)
int main(void) { return 0; }
