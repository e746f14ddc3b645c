// expect: nothing
#include "reduce.cuh"
typedef struct { char bytes[64]; } large;
static __host__ __device__ large first(large a, large b) { return a.bytes[0] ? a : b; }
static __host__ __device__ large none(void) { large b = {{0}}; return b; }
#define REDUCE_IDENTITY_join(T) (T)0
#define REDUCE_COMBINE_join(T, a, b) (T)((a) | (b))
DEFINE_REDUCE(int, join)
DEFINE_REDUCE(unsigned, bxor)
DEFINE_REDUCE(float, fmin)
DEFINE_REDUCE_AS(of_large, large, none(), first(a, b))
DEFINE_REDUCE_MAP(from_large, large, int, x.bytes[0], 0, a + b)
typedef float *pointer;
DEFINE_REDUCE_MAP(pointed_at, pointer, float, *x, 0, a + b)
DEFINE_REDUCE_AS(lowest, pointer, 0, a < b ? a : b)
int main(void) { return 0; }
