// first: total: a comma in struct { float x...} separates arguments: give the type a name with typedef
#include "reduce.cuh"
DEFINE_REDUCE_MAP(total, struct { float x, y; }, float, x.x + x.y, 0, a + b)
int main(void) { return 0; }
