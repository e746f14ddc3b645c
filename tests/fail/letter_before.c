// first: reduce.cuh: one of a, b, i, k, l, n, p, s, u, w, x, y and z is a macro: undefine it before including
#define k 1
#include "reduce.cuh"
DEFINE_REDUCE(float, sum)
int main(void) { return 0; }
