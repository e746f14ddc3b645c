// first: reduce_float_max_mpi is defined twice: write #define REDUCE_HAVE_reduce_float_max_mpi after the first definition
#include "reduce_mpi.h"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_MPI(reduce_float_max)
#define REDUCE_HAVE_reduce_float_max_parts
DEFINE_REDUCE_MPI(reduce_float_max)
int main(void) { return 0; }
