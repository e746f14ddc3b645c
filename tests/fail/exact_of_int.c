// expect: reduce_int_exact_sum: the type of an exact sum must be spelled float or double: map int into one with DEFINE_REDUCE_EXACT_MAP
// in every language
#include "reduce_exact.cuh"
DEFINE_REDUCE_EXACT(int)
int main(void) { return 0; }
