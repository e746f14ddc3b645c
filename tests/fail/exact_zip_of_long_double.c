// expect: dot: the type of an exact sum must be spelled float or double: map long double into one with DEFINE_REDUCE_EXACT_MAP
#include "reduce_inputs.cuh"
#include "reduce_exact.cuh"
DEFINE_REDUCE_EXACT_ZIP(dot, float, float, long double, (long double)x * y)
int main(void) { return 0; }
