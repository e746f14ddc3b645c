// expect: reduce_pair_band: band needs a number: define your own operator
#include "reduce.cuh"
typedef struct { int x, y; } pair;
DEFINE_REDUCE(pair, band)
int main(void) { return 0; }
