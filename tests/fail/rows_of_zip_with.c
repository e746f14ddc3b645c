// first: product, ROWS: product has two arrays and a context: use DEFINE_REDUCE_ZIP_WITH_ROWS
#include "reduce_rows.cuh"
DEFINE_REDUCE_ZIP_WITH(product, float, int, const float *, float, x * c[y], 0, a + b)
DEFINE_REDUCE_ZIP_ROWS(product)
int main(void) { return 0; }
