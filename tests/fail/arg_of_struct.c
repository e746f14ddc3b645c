// expect: reduce_pair_argmax: pair is not a number: define your own operator with DEFINE_REDUCE_MAP
#include "reduce_results.cuh"
typedef struct { int a, b; } pair;
DEFINE_REDUCE_ARG(pair, max)
int main(void) { return 0; }
