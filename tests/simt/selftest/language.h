#include <cuda_runtime.h>
static __global__ void header_kernel(int *p, int v) { *p += v; }
static inline void launch_from_header(int *p) { header_kernel<<<1, 1>>>(p, 20000); }
void launch_elsewhere(int *p);
