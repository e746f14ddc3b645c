// first: reduce_float_max, PARTS: reduce_float_max is not defined: define it first
#include "reduce_parts.h"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE_PARTS(reduce_float_max)
int main(void) { return 0; }
