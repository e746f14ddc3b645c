// expect: reduce_pair_lor: lor needs a number: define your own operator
#include "reduce.cuh"
typedef struct { int x, y; } pair;
DEFINE_REDUCE(pair, lor)
int main(void) { return 0; }
