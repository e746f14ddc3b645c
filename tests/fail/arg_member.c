// expect: reduce_float_argmin: the result has a member index, which is also a macro: undefine the macro
#include "reduce_results.cuh"
#define index 3
DEFINE_REDUCE_ARG(float, min)
int main(void) { return 0; }
