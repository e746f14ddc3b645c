// first: both: reduce_float_min and reduce_double_max reduce elements of different types
#include "reduce_results.cuh"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE(double, max)
DEFINE_REDUCE_PAIR(both, reduce_float_min, reduce_double_max)
int main(void) { return 0; }
