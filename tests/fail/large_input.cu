// expect: from_big: big is larger than 64 bytes: reduce an index or a pointer instead
#include "reduce.cuh"
typedef struct { char bytes[65]; } big;
DEFINE_REDUCE_MAP(from_big, big, int, x.bytes[0], 0, a + b)
int main(void) { return 0; }
