// expect: __shfl_down
/* A shuffle from before masks: nvcc has none for a GPU of today. */
#include "../../bench/ladder.cuh"
__global__ void sum(int *x) { x[threadIdx.x] += __shfl_down(x[threadIdx.x], 16); }
int main(void) { return 0; }
