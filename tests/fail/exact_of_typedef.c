// expect: total: the type of an exact sum must be spelled float or double: map real into one with DEFINE_REDUCE_EXACT_MAP
#include "reduce_exact.cuh"
typedef float real;
DEFINE_REDUCE_EXACT_MAP(total, int, real, x)
int main(void) { return 0; }
