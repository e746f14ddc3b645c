// first: reduce_loose_sum: loose has an alignment of its own: leave that out, or put it into a struct
#include "reduce.cuh"
typedef int loose __attribute__((aligned(1)));
DEFINE_REDUCE(loose, sum)
int main(void) { return 0; }
