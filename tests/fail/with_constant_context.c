// first: the context const factor must be trivially constructible, and not constant
#include "reduce_inputs.cuh"
typedef struct { float by; } factor;
DEFINE_REDUCE_WITH(scaled, float, const factor, float, x * c.by, 0, a + b)
int main(void) { return 0; }
