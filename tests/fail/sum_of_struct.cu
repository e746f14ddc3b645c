// expect: reduce_float2_sum: sum needs a number: define your own operator
#include "reduce.cuh"
DEFINE_REDUCE(float2, sum)
int main(void) { return 0; }
