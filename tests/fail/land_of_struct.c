// expect: reduce_pair_land: land needs a number: define your own operator
#include "reduce.cuh"
typedef struct { int x, y; } pair;
DEFINE_REDUCE(pair, land)
int main(void) { return 0; }
