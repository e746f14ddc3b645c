// first: DEFINE_REDUCE: unsigned int is more than one word: give the type a name with typedef
#include "reduce.cuh"
DEFINE_REDUCE(unsigned int, sum)
int main(void) { return 0; }
