// expect: reduce_pair_min: min needs a number: define your own operator
#include "reduce.cuh"
typedef struct { int x, y; } pair;
DEFINE_REDUCE(pair, min)
int main(void) { return 0; }
