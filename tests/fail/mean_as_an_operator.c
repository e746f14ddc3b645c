// first: reduce_float_mean: use DEFINE_REDUCE_MOMENTS(T) of reduce_results.cuh
#include "reduce.cuh"
DEFINE_REDUCE(float, mean)
int main(void) { return 0; }
