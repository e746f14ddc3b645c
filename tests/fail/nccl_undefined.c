// first: reduce_float_max, NCCL: reduce_float_max is not defined: define it first
#include "reduce_nccl.cuh"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE_NCCL(reduce_float_max)
int main(void) { return 0; }
