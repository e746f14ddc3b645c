// expect: reduce_double_band: band needs an integer type: map into one with DEFINE_REDUCE_MAP
#include "reduce.cuh"
DEFINE_REDUCE(double, band)
int main(void) { return 0; }
