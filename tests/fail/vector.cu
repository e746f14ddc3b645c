// first: own: four is an array or a vector: put it into a struct
#include "reduce.cuh"
typedef float four __attribute__((__vector_size__(16)));
DEFINE_REDUCE_AS(own, four, four{}, a + b)
int main(void) { return 0; }
