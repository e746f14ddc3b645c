// first: total: the last two arguments must be the identity and an expression of a and b
// in every language
#include "reduce.cuh"
DEFINE_REDUCE_MAP(total, int, int, x, a + b)
int main(void) { return 0; }
