// first: reduce_double_exact_sum: one of a, b, i, k, l, n, p, s, u, w, x, y and z is a macro: undefine it
#include "reduce_exact.cuh"
#define x 3
DEFINE_REDUCE_EXACT(double)
int main(void) { return 0; }
