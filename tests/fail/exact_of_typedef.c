// expect: total: an exact sum is a float or a double, written so: map real into one with DEFINE_REDUCE_EXACT_MAP
#include "reduce_exact.cuh"
typedef float real;
DEFINE_REDUCE_EXACT_MAP(total, int, real, x)
int main(void) { return 0; }
