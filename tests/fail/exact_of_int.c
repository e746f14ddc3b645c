// expect: reduce_int_exact_sum: an exact sum is a float or a double, written so: map int into one with DEFINE_REDUCE_EXACT_MAP
// in every language
#include "reduce_exact.cuh"
DEFINE_REDUCE_EXACT(int)
int main(void) { return 0; }
