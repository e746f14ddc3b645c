// expect: of_big: big is larger than 64 bytes: reduce an index or a pointer instead
#include "reduce.cuh"
typedef struct { char bytes[65]; } big;
static inline big none(void) { big b = {{0}}; return b; }
DEFINE_REDUCE_AS(of_big, big, none(), a.bytes[0] ? a : b)
int main(void) { return 0; }
