// first: total: the last two arguments must be the identity and an expression of a and b
#include "reduce_inputs.cuh"
typedef struct { int y; } context;
DEFINE_REDUCE_WITH(total, int, context, int, x * c.y, a + b)
int main(void) { return 0; }
