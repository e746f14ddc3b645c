// expect: pairs: big is larger than 64 bytes: reduce an index or a pointer instead
// in every language
#include "reduce_inputs.cuh"
typedef struct { char bytes[65]; } big;
DEFINE_REDUCE_ZIP(pairs, big, int, int, x.bytes[0] * y, 0, a + b)
int main(void) { return 0; }
