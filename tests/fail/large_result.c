// expect: of_big: big is too large: reduce an index or a pointer, or at most 64 bytes
#include "reduce.cuh"
typedef struct { char bytes[65]; } big;
static inline big none(void) { big b = {{0}}; return b; }
DEFINE_REDUCE_AS(of_big, big, none(), a.bytes[0] ? a : b)
int main(void) { return 0; }
