// first: dot: one of a, b, i, k, l, n, p, s, u, w, x, y and z is a macro: undefine it
#include "reduce_inputs.cuh"
#define y 3
DEFINE_REDUCE_ZIP(dot, float, float, float, x, 0, a + b)
int main(void) { return 0; }
