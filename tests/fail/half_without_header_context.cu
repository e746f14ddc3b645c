// first: total: __half: __half is not defined: include cuda_fp16.h first
#include "reduce_inputs.cuh"
DEFINE_REDUCE_WITH(total, float, __half, float, x * (float)c, 0, a + b)
int main(void) { return 0; }
