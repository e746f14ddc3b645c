// expect: to_big: big is larger than 64 bytes: reduce an index or a pointer instead
#include "reduce.cuh"
typedef struct { char bytes[65]; } big;
static inline big made(int x) { big b = {{(char)x}}; return b; }
DEFINE_REDUCE_MAP(to_big, int, big, made(x), made(0), a.bytes[0] ? a : b)
int main(void) { return 0; }
