// expect: to_big: big is too large: reduce an index or a pointer, or at most 64 bytes
#include "reduce.cuh"
typedef struct { char bytes[65]; } big;
static inline big made(int x) { big b = {{(char)x}}; return b; }
DEFINE_REDUCE_MAP(to_big, int, big, made(x), made(0), a.bytes[0] ? a : b)
int main(void) { return 0; }
