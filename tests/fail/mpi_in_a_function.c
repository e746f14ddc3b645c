// first: reduce_float_max, MPI: define a reduction at file scope, not inside a function
#include "reduce_mpi.h"
DEFINE_REDUCE(float, max)
int main(void)
{
    DEFINE_REDUCE_MPI(reduce_float_max)
    return 0;
}
