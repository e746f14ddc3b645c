// first: both: reduce_float_max is not defined: define it first
#include "reduce_results.cuh"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE_PAIR(both, reduce_float_min, reduce_float_max)
int main(void) { return 0; }
