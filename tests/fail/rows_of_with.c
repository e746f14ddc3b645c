// first: above, ROWS: above has a context: use DEFINE_REDUCE_WITH_ROWS
#include "reduce_rows.cuh"
DEFINE_REDUCE_WITH(above, float, float, int, x > c, 0, a + b)
DEFINE_REDUCE_ZIP_ROWS(above)
int main(void) { return 0; }
