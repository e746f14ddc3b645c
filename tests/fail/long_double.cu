// expect: GPUs have no long double: use double
#include "reduce.cuh"
typedef long double wide_t;
DEFINE_REDUCE_MAP(wide, float, wide_t, x, 0, a + b)
int main(void) { return 0; }
