// expect: reduce_wide_bor: bor needs an integer type: map into one with DEFINE_REDUCE_MAP
#include "reduce.cuh"
typedef long double wide;
DEFINE_REDUCE(wide, bor)
int main(void) { return 0; }
