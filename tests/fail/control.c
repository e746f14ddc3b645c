// expect: nothing
#include "reduce.cuh"
typedef struct { char bytes[64]; } large;
typedef long double wide;
static inline large none(void) { large b = {{0}}; return b; }
DEFINE_REDUCE(wide, fmax)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE(int, band)
DEFINE_REDUCE_AS(of_large, large, none(), a.bytes[0] ? a : b)
DEFINE_REDUCE_MAP(from_large, large, int, x.bytes[0], 0, a + b)
int main(void) { return 0; }
