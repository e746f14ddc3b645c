// first: reduce_float_max, MPI: reduce_float_max is not defined: define it first
#include "reduce_mpi.h"
DEFINE_REDUCE(float, min)
DEFINE_REDUCE_MPI(reduce_float_max)
int main(void) { return 0; }
