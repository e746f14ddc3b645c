// first: include reduce_rows.cuh, which defines this macro
#include "reduce.cuh"
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_ROWS(reduce_float_sum)
int main(void) { return 0; }
