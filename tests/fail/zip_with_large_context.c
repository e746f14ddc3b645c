// first: of_big: the context big is larger than 64 bytes: pass a pointer to it
#include "reduce_inputs.cuh"
typedef struct { char bytes[65]; } big;
DEFINE_REDUCE_ZIP_WITH(of_big, int, int, big, int, x + y + c.bytes[0], 0, a + b)
int main(void) { return 0; }
