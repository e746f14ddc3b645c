// first: reduce___half_argmax: __half is not defined: include cuda_fp16.h first
#include "reduce_results.cuh"
DEFINE_REDUCE_ARG(__half, max)
int main(void) { return 0; }
