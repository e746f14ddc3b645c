// expect: nothing
// in every language
#include "reduce_inputs.cuh"
#include "reduce_mpi.h"
#include "reduce_nccl.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_PARTS(reduce_float_max)
#define REDUCE_HAVE_reduce_float_max_parts
DEFINE_REDUCE_PARTS(reduce_float_max)
DEFINE_REDUCE_MPI(reduce_float_max)
DEFINE_REDUCE_NCCL(reduce_float_max)
#define REDUCE_HAVE_reduce_float_max_mpi
#define REDUCE_HAVE_reduce_float_max_nccl 1
DEFINE_REDUCE_MPI(reduce_float_max)
DEFINE_REDUCE_NCCL(reduce_float_max)
DEFINE_REDUCE_ZIP(dot, float, double, double, x * y, 0, a + b)
DEFINE_REDUCE_ZIP_MPI(dot)
#define REDUCE_HAVE_dot_parts 1
DEFINE_REDUCE_ZIP_NCCL(dot)
#define begin 1
#define length 2
#define first 3
#define count 4
DEFINE_REDUCE_WITH(above, float, float, int, x > c, 0, a + b)
DEFINE_REDUCE_WITH_PARTS(above)
int main(void) { return 0; }
