// first: reduce___nv_bfloat16_moments: __nv_bfloat16 is not defined: include cuda_bf16.h first
#include "reduce_results.cuh"
DEFINE_REDUCE_MOMENTS(__nv_bfloat16)
int main(void) { return 0; }
