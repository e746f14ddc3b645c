// first: both: together the results of reduce_float_moments and four are larger than 64 bytes
#include "reduce_results.cuh"
DEFINE_REDUCE_ARG(float, min)
DEFINE_REDUCE_ARG(float, max)
DEFINE_REDUCE_MOMENTS(float)
DEFINE_REDUCE_PAIR(four, reduce_float_argmin, reduce_float_argmax)
DEFINE_REDUCE_PAIR(both, reduce_float_moments, four)
int main(void) { return 0; }
