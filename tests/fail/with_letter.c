// first: above: c is a macro: undefine it
#include "reduce_inputs.cuh"
#define c 3
DEFINE_REDUCE_WITH(above, float, float, int, x > 3, 0, a + b)
int main(void) { return 0; }
