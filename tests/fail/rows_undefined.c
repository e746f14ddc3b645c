// first: reduce_float_max, ROWS: reduce_float_max is not defined: define it first
#include "reduce_rows.cuh"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE_ROWS(reduce_float_max)
int main(void) { return 0; }
