// expect: there is no operator average: define REDUCE_IDENTITY_average(T) and REDUCE_COMBINE_average(T, a, b), or use DEFINE_REDUCE_AS
#include "reduce.cuh"
DEFINE_REDUCE(float, average)
int main(void) { return 0; }
