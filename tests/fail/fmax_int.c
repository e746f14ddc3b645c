// expect: reduce_int_fmax: fmax needs a floating-point type: use min or max
#include "reduce.cuh"
DEFINE_REDUCE(int, fmax)
int main(void) { return 0; }
