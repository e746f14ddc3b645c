// first: reduce_float_argmax: use DEFINE_REDUCE_ARG(T, min) or (T, max) of reduce_results.cuh
#include "reduce.cuh"
DEFINE_REDUCE(float, argmax)
int main(void) { return 0; }
