// expect: _Float16
#include "reduce.cuh"
DEFINE_REDUCE(_Float16, sum)
int main(void) { return 0; }
