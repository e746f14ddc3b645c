// first: dot, NCCL: dot has two arrays: use DEFINE_REDUCE_ZIP_NCCL
#include "reduce_nccl.cuh"
#include "reduce_inputs.cuh"
DEFINE_REDUCE_ZIP(dot, float, float, float, x * y, 0, a + b)
DEFINE_REDUCE_NCCL(dot)
int main(void) { return 0; }
