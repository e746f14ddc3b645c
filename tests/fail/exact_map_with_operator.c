// expect: DEFINE_REDUCE_EXACT_MAP
// in every language
#include "reduce_exact.cuh"
DEFINE_REDUCE_EXACT_MAP(total, int, double, x, 0)
int main(void) { return 0; }
