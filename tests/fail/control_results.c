// expect: nothing
// in every language
#include "reduce_results.cuh"
DEFINE_REDUCE_ARG(float, min)
DEFINE_REDUCE_ARG(float, fmax)
DEFINE_REDUCE_MOMENTS(float)
DEFINE_REDUCE_MOMENTS(int)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_PAIR(both, reduce_float_argmin, reduce_float_max)
DEFINE_REDUCE_PAIR(most, both, reduce_float_moments)
#define REDUCE_HAVE_most 1
DEFINE_REDUCE_PAIR(most, both, reduce_float_moments)
int main(void) { return 0; }
