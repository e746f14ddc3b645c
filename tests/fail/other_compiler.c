// first: reduce.cuh: this compiler is not supported: use gcc or clang, also as nvcc's host compiler
// A compiler that is neither gcc nor clang, MSVC for example, does not define this macro.
#undef __GNUC__
#include "reduce.cuh"
