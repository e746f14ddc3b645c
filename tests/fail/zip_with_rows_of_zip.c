// first: dot, ROWS: dot has two arrays: use DEFINE_REDUCE_ZIP_ROWS
#include "reduce_rows.cuh"
DEFINE_REDUCE_ZIP(dot, float, float, float, x * y, 0, a + b)
DEFINE_REDUCE_ZIP_WITH_ROWS(dot)
int main(void) { return 0; }
