// first: total: the last two arguments must be the identity and an expression of a and b
#include "reduce.cuh"
DEFINE_REDUCE_AS(total, int, a + b)
int main(void) { return 0; }
