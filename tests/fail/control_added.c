// expect: nothing
// in every language
#include "reduce_async_n.cuh"
#include "reduce_block.cuh"
#include "reduce_nccl.cuh"
#include "reduce_results.cuh"
#include "reduce_rows.cuh"
// Users may have macros of these names.
#define ROWS 1, 2
#define ASYNC_N 1, 2
#define BLOCK 16, 16
#define ATOMIC 1, 2
#define PARTS 1, 2
#define NCCL 1, 2
#define rows 1, 2
#define block 1, 2
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ARG(float, max)
DEFINE_REDUCE_MOMENTS(float)
DEFINE_REDUCE_PAIR(both, reduce_float_max, reduce_float_max)
DEFINE_REDUCE_ZIP(dot, float, double, double, x * y, 0, a + b)
DEFINE_REDUCE_WITH(above, int, float, int, x > c, 0, a + b)
DEFINE_REDUCE_ZIP_WITH(product, float, int, const float *, float, x * c[y], 0, a + b)
#define ADD_ALL(kind, NAME)                                                                                                    \
    DEFINE_REDUCE##kind##_ROWS(NAME) DEFINE_REDUCE##kind##_ASYNC_N(NAME) DEFINE_REDUCE_BLOCK(NAME)                             \
    DEFINE_REDUCE##kind##_ATOMIC(NAME) DEFINE_REDUCE##kind##_NCCL(NAME)
ADD_ALL(, reduce_float_max)
ADD_ALL(, reduce_float_argmax)
ADD_ALL(, reduce_float_moments)
ADD_ALL(, both)
ADD_ALL(_ZIP, dot)
ADD_ALL(_WITH, above)
ADD_ALL(_ZIP_WITH, product)
#define REDUCE_HAVE_dot_rows
#define REDUCE_HAVE_dot_async_n
#define REDUCE_HAVE_dot_block 1
#define REDUCE_HAVE_dot_atomic
#define REDUCE_HAVE_dot_parts
#define REDUCE_HAVE_dot_nccl
ADD_ALL(_ZIP, dot)
int main(void) { return 0; }
