// expect: reduce_int_fmin: fmin needs a floating-point type: use min or max
#include "reduce.cuh"
DEFINE_REDUCE(int, fmin)
int main(void) { return 0; }
