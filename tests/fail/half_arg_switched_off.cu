// first: reduce___half_argmax: operators or conversions of __half are switched off
#define __CUDA_FP16_H__
struct __half { unsigned short bits; };
#define __CUDA_NO_HALF_OPERATORS__ 1
#include "reduce_results.cuh"
DEFINE_REDUCE_ARG(__half, max)
int main(void) { return 0; }
