// expect: unsigned int is more than one word: give the type a name with typedef
#include "reduce_results.cuh"
DEFINE_REDUCE_ARG(unsigned int, min)
int main(void) { return 0; }
