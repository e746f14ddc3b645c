#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__
#include "simt_float16.h"

SIMT_FLOAT16_TYPE(__half, 5, 10, __half_raw)
typedef simt_float16x2<__half> __half2;
typedef __half half;
typedef __half2 half2;
SIMT_FLOAT16_FUNCTIONS(__half, half2, half)

#endif
