// first: reduce.cuh: there is a macro a, b, i, k, l, n, p, s, u, w, x, y or z: undefine it before this header
#define k 1
#include "reduce.cuh"
DEFINE_REDUCE(float, sum)
int main(void) { return 0; }
