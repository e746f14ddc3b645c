// first: reduce_float_max_nccl is defined twice: write #define REDUCE_HAVE_reduce_float_max_nccl after the first definition
#include "reduce_nccl.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_NCCL(reduce_float_max)
#define REDUCE_HAVE_reduce_float_max_parts
DEFINE_REDUCE_NCCL(reduce_float_max)
int main(void) { return 0; }
