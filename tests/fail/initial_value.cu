// first: counts: counted must be trivially constructible: remove its constructors and default member initializers
#include "reduce.cuh"
struct counted { int number = 0; };
static __host__ __device__ counted add(counted a, counted b) { a.number += b.number; return a; }
DEFINE_REDUCE_AS(counts, counted, counted(), add(a, b))
int main(void) { return 0; }
