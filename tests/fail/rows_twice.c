// first: reduce_float_max_rows is defined twice: write #define REDUCE_HAVE_reduce_float_max_rows after the first definition
#include "reduce_rows.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ROWS(reduce_float_max)
DEFINE_REDUCE_ROWS(reduce_float_max)
int main(void) { return 0; }
