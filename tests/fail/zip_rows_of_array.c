// first: reduce_float_max, ROWS: reduce_float_max has one array and no context: use DEFINE_REDUCE_ROWS
#include "reduce_rows.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ZIP_ROWS(reduce_float_max)
int main(void) { return 0; }
