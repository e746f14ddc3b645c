// first: reduce_float_exact_sum, ROWS: reduce_float_exact_sum is an exact sum, which has no other functions
#include "reduce_exact.cuh"
#include "reduce_rows.cuh"
DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_ROWS(reduce_float_exact_sum)
int main(void) { return 0; }
