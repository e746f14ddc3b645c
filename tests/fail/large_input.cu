// expect: from_big: big is too large: reduce an index or a pointer, or at most 64 bytes
#include "reduce.cuh"
typedef struct { char bytes[65]; } big;
DEFINE_REDUCE_MAP(from_big, big, int, x.bytes[0], 0, a + b)
int main(void) { return 0; }
