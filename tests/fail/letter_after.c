// first: reduce_float_sum: one of a, b, i, k, l, n, p, s, u, w, x, y and z is a macro: undefine it
#include "reduce.cuh"
#define x 3
DEFINE_REDUCE(float, sum)
int main(void) { return 0; }
