// first: dot, ASYNC_N: dot has two arrays: use DEFINE_REDUCE_ZIP_ASYNC_N
#include "reduce_async_n.cuh"
#include "reduce_inputs.cuh"
DEFINE_REDUCE_ZIP(dot, float, float, float, x * y, 0, a + b)
DEFINE_REDUCE_ASYNC_N(dot)
int main(void) { return 0; }
