// first: reduce___half_sum: operators or conversions of __half are switched off
#define __CUDA_FP16_H__
struct __half { unsigned short bits; };
#define __CUDA_NO_HALF_CONVERSIONS__
#include "reduce.cuh"
DEFINE_REDUCE(__half, sum)
int main(void) { return 0; }
