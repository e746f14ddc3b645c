// first: reduce_float_max, PARTS: one of a, b, i, k, l, n, p, s, u, w, x, y and z is a macro: undefine it
#include "reduce_parts.h"
DEFINE_REDUCE(float, max)
#define k 3
DEFINE_REDUCE_PARTS(reduce_float_max)
int main(void) { return 0; }
