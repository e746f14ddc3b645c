// first: total: the last two arguments must be the identity and an expression of a and b
#include "reduce_inputs.cuh"
DEFINE_REDUCE_ZIP(total, int, int, int, x * y, a + b)
int main(void) { return 0; }
