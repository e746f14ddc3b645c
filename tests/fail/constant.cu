// first: constants_sum: const float is constant: leave out const
#include "reduce.cuh"
DEFINE_REDUCE_MAP(constants_sum, const float, float, x, 0, a + b)
int main(void) { return 0; }
