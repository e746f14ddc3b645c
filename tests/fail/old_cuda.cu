// first: reduce.cuh: this CUDA is too old: before 12.5 ptxas makes wrong code of it
#ifndef __NVCC__
#define __NVCC__
#endif
#undef __CUDACC_VER_MAJOR__
#undef __CUDACC_VER_MINOR__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#include "reduce.cuh"
