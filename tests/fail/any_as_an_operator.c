// first: reduce_int_any: use lor or land
#include "reduce.cuh"
DEFINE_REDUCE(int, any)
int main(void) { return 0; }
