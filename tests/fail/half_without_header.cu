// first: reduce___half_max: __half is not defined: include cuda_fp16.h first
#include "reduce.cuh"
DEFINE_REDUCE(__half, max)
int main(void) { return 0; }
