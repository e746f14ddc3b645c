// first: reduce_double_exact_sum: there is a macro a, b, i, k, l, n, p, s, u, w, x, y or z: undefine it
#include "reduce_exact.cuh"
#define x 3
DEFINE_REDUCE_EXACT(double)
int main(void) { return 0; }
