// expect: pairs: big is too large: reduce an index or a pointer, or at most 64 bytes
// in every language
#include "reduce_inputs.cuh"
typedef struct { char bytes[65]; } big;
DEFINE_REDUCE_ZIP(pairs, int, big, int, y.bytes[0] * x, 0, a + b)
int main(void) { return 0; }
