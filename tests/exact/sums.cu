/* The same in CUDA. */
#include "sums.c"
