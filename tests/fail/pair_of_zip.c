// first: both: dot has two arrays or a context, or is exact: a pair is of one array
#include "reduce_inputs.cuh"
#include "reduce_results.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ZIP(dot, float, float, float, x * y, 0, a + b)
DEFINE_REDUCE_PAIR(both, reduce_float_max, dot)
int main(void) { return 0; }
