// first: of_big: the context big is larger than 64 bytes: pass a pointer to it
#include "reduce_inputs.cuh"
typedef struct { char bytes[65]; } big;
DEFINE_REDUCE_WITH(of_big, int, big, int, x + c.bytes[0], 0, a + b)
int main(void) { return 0; }
