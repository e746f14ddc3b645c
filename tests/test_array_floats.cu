/* Floating-point types, by every executor. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "array.h"

#define EVERY(EACH) FLOATS(FLOATING_SUBJECTS, EACH) HALVES(FLOATING_SUBJECTS, EACH)

FLOATS(DEFINE_FILL_FLOATING, )
HALVES(DEFINE_FILL_FLOATING, )
ARRAY_TEST(array_floats)
