// first: total: the last two arguments must be the identity and an expression of a and b
#include "reduce_inputs.cuh"
DEFINE_REDUCE_ZIP_WITH(total, int, int, int, int, x * y * c, a + b)
int main(void) { return 0; }
