// first: dot, MPI: dot has two arrays: use DEFINE_REDUCE_ZIP_MPI
#include "reduce_mpi.h"
#include "reduce_inputs.cuh"
DEFINE_REDUCE_ZIP(dot, float, float, float, x * y, 0, a + b)
DEFINE_REDUCE_WITH_MPI(dot)
int main(void) { return 0; }
