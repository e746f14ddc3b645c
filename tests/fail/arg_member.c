// expect: reduce_float_argmin: there is a macro index, which the result has a member of: undefine it
#include "reduce_results.cuh"
#define index 3
DEFINE_REDUCE_ARG(float, min)
int main(void) { return 0; }
