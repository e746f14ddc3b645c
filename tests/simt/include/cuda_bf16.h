#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__
#include "simt_float16.h"

SIMT_FLOAT16_TYPE(__nv_bfloat16, 8, 7, __nv_bfloat16_raw)
typedef simt_float16x2<__nv_bfloat16> __nv_bfloat162;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
SIMT_FLOAT16_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, bfloat16)

#endif
