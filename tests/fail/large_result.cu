// expect: of_big: big is larger than 64 bytes: reduce an index or a pointer instead
#include "reduce.cuh"
typedef struct { char bytes[65]; } big;
static __host__ __device__ big first(big a, big b) { return a.bytes[0] ? a : b; }
static __host__ __device__ big none(void) { big b = {{0}}; return b; }
DEFINE_REDUCE_AS(of_big, big, none(), first(a, b))
int main(void) { return 0; }
