// first: total: there is a macro a, b, i, k, l, n, p, s, u, w, x, y or z: undefine it
#include "reduce_exact.cuh"
#define k 3
DEFINE_REDUCE_EXACT_MAP(total, int, double, x)
int main(void) { return 0; }
