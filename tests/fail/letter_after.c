// first: reduce_float_sum: there is a macro a, b, i, k, l, n, p, s, u, w, x, y or z: undefine it
#include "reduce.cuh"
#define x 3
DEFINE_REDUCE(float, sum)
int main(void) { return 0; }
