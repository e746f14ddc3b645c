// expect: reduce_float_bxor: bxor needs an integer type: map into one with DEFINE_REDUCE_MAP
#include "reduce.cuh"
DEFINE_REDUCE(float, bxor)
int main(void) { return 0; }
