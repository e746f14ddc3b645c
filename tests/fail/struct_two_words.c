// first: DEFINE_REDUCE: struct pair is more than one word: give the type a name with typedef
#include "reduce.cuh"
struct pair { float low, high; };
DEFINE_REDUCE(struct pair, max)
int main(void) { return 0; }
