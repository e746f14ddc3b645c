// expect: reduce_int_argfmin: argfmin needs a floating-point type: use min or max
// in every language
#include "reduce_results.cuh"
DEFINE_REDUCE_ARG(int, fmin)
int main(void) { return 0; }
