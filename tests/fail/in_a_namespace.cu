// expect: DEFINE_REDUCE: std::size_t is in a namespace: give the type a name with typedef
#include "reduce.cuh"
#include <cstddef>
DEFINE_REDUCE(std::size_t, sum)
int main(void) { return 0; }
