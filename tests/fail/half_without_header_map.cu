// first: total: __half: __half is not defined: include cuda_fp16.h first
#include "reduce.cuh"
DEFINE_REDUCE_MAP(total, __half, float, __half2float(x), 0, a + b)
int main(void) { return 0; }
