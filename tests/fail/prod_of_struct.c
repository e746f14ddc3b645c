// expect: reduce_pair_prod: prod needs a number: define your own operator
#include "reduce.cuh"
typedef struct { int x, y; } pair;
DEFINE_REDUCE(pair, prod)
int main(void) { return 0; }
