// first: total: four is an array or a vector: put it into a struct
#include "reduce.cuh"
typedef float four[4];
DEFINE_REDUCE_MAP(total, four, float, x[0], 0, a + b)
int main(void) { return 0; }
