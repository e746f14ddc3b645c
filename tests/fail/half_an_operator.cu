// expect: there is no operator join: define REDUCE_IDENTITY_join(T) and REDUCE_COMBINE_join(T, a, b), or use DEFINE_REDUCE_AS
#include "reduce.cuh"
#define REDUCE_IDENTITY_join(T) (T)0
DEFINE_REDUCE(int, join)
int main(void) { return 0; }
