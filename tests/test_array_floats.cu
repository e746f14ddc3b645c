/* Floating-point types, by every executor. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "array.h"

#define EVERY(EACH)                                                                                        \
    FLOATING_SUBJECTS(EACH, float)                                                                         \
    FLOATING_SUBJECTS(EACH, double)                                                                        \
    FLOATING_SUBJECTS(EACH, __half)                                                                        \
    FLOATING_SUBJECTS(EACH, __nv_bfloat16)

DEFINE_FILL_FLOATING(float, 20)
DEFINE_FILL_FLOATING(double, 40)
DEFINE_FILL_FLOATING(__half, 8)
DEFINE_FILL_FLOATING(__nv_bfloat16, 8)
EVERY(DEFINE_SUBJECT)
static const struct subject subjects[] = {EVERY(SUBJECT)};

Test(array_floats, every_executor, .init = need_gpu)
{
    ARRAY_RUN_ALL(subjects);
}
