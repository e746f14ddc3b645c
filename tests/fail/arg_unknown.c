// first: reduce_float_argsum: there is no argsum: use min, max, fmin or fmax
#include "reduce_results.cuh"
DEFINE_REDUCE_ARG(float, sum)
int main(void) { return 0; }
