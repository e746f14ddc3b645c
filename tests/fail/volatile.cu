// first: reduce_number_sum: number is volatile: leave that out
#include "reduce.cuh"
typedef volatile float number;
DEFINE_REDUCE(number, sum)
int main(void) { return 0; }
