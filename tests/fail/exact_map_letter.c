// first: total: one of a, b, i, k, l, n, p, s, u, w, x, y and z is a macro: undefine it
#include "reduce_exact.cuh"
#define k 3
DEFINE_REDUCE_EXACT_MAP(total, int, double, x)
int main(void) { return 0; }
