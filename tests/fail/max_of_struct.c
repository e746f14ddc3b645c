// expect: reduce_pair_max: max needs a number: define your own operator
#include "reduce.cuh"
typedef struct { int x, y; } pair;
DEFINE_REDUCE(pair, max)
int main(void) { return 0; }
