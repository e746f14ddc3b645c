// first: total is defined twice: write #define REDUCE_HAVE_total after the first definition
// at most: 125 errors, 120000 bytes
#include "reduce.cuh"
DEFINE_REDUCE_AS(total, int, 0, a + b)
DEFINE_REDUCE_MAP(total, short, int, x, 0, a + b)
int main(void) { return 0; }
