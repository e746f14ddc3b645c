// first: reduce_tight_sum: tight has an alignment of its own: leave that out, or put it into a struct
#include "reduce.cuh"
typedef int tight __attribute__((aligned(16)));
DEFINE_REDUCE(tight, sum)
int main(void) { return 0; }
