/* The second of two files that are linked together. */
#include "language.h"
__device__ int shared_by_files = 300000;
static __global__ void elsewhere(int *p) { *p += shared_by_files; }
void launch_elsewhere(int *p) { elsewhere<<<1, 1>>>(p); }
