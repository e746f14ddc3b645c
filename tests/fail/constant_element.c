// first: total: const float is constant: leave out const
#include "reduce.cuh"
DEFINE_REDUCE_MAP(total, const float, double, x, 0, a + b)
int main(void) { return 0; }
