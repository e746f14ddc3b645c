// expect: reduce_pair_moments: pair is not a number: define your own operator with DEFINE_REDUCE_MAP
#include "reduce_results.cuh"
typedef struct { int a, b; } pair;
DEFINE_REDUCE_MOMENTS(pair)
int main(void) { return 0; }
