// first: reduce___nv_bfloat16_min: operators or conversions of __nv_bfloat16 are switched off
#define __CUDA_BF16_H__
struct __nv_bfloat16 { unsigned short bits; };
#define __CUDA_NO_BFLOAT16_CONVERSIONS__
#include "reduce.cuh"
DEFINE_REDUCE(__nv_bfloat16, min)
int main(void) { return 0; }
