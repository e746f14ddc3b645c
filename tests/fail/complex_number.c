// expect: reduce_complex_sum: sum needs a number: define your own operator
// in every language
#include "reduce.cuh"
typedef _Complex float complex;
DEFINE_REDUCE(complex, sum)
int main(void) { return 0; }
