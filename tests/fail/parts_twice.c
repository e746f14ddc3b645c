// first: reduce_float_max_parts is defined twice: write #define REDUCE_HAVE_reduce_float_max_parts after the first definition
#include "reduce_parts.h"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_PARTS(reduce_float_max)
DEFINE_REDUCE_PARTS(reduce_float_max)
int main(void) { return 0; }
