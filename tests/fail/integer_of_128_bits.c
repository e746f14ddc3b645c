// expect: reduce_int128_sum: sum needs a number: define your own operator
#include "reduce.cuh"
typedef __int128 int128;
DEFINE_REDUCE(int128, sum)
int main(void) { return 0; }
