#include "cuda_runtime.h"
#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
