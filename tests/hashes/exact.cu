/* The same in CUDA. */
#include "exact.c"
