// first: dot: there is a macro a, b, i, k, l, n, p, s, u, w, x, y or z: undefine it
#include "reduce_inputs.cuh"
#define y 3
DEFINE_REDUCE_ZIP(dot, float, float, float, x, 0, a + b)
int main(void) { return 0; }
