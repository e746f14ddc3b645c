// expect: wide_sum: W1 keeps one value per thread in shared memory, and 1024 values of type wide do not fit
// expect: wide_sum: W3 keeps one value per thread in shared memory
// expect: wide_sum: B1 keeps one value per thread in shared memory
// expect: wide_sum: B2 keeps one value per thread in shared memory
// expect: wide_sum: B3 keeps one value per thread in shared memory
// expect: wide_sum: B4 keeps one value per thread in shared memory
// expect: wide_sum: B7V keeps one value per thread in shared memory
// expect: wide_sum: G6 keeps one value per thread in shared memory
// expect: wide_sum: W2 assigns volatile values, and a volatile struct such as wide cannot be assigned: shuffle instead
// expect: wide_sum: W3 assigns volatile values
// expect: wide_sum: B5 assigns volatile values
// expect: wide_sum: B6 assigns volatile values
// expect: wide_sum: G3 and G4 need an atomic operation on a wide, and GPUs have them for 4 and 8 bytes: take turns
// expect: reduce_int_sum: B6 is unrolled for a block of 1, 2, 4, ... or 1024 threads, not 96
#define LADDER_B6_SIZES(X, ...) X(96, __VA_ARGS__)
#include "../../bench/ladder.cuh"
typedef struct { char bytes[64]; } wide;
static __host__ __device__ wide none(void) { wide x = {{0}}; return x; }
static __host__ __device__ wide add(wide a, wide b) { a.bytes[0] = (char)(a.bytes[0] + b.bytes[0]); return a; }
DEFINE_REDUCE_AS(wide_sum, wide, none(), add(a, b))
DEFINE_LADDER_AS(wide_sum, wide, wide_sum_ladder_swap)
DEFINE_REDUCE(int, sum)
LADDER_BASE(reduce_int_sum, int)
LADDER_STEP(reduce_int_sum, int)
LADDER_LAST_WARP(reduce_int_sum, int)
LADDER_B6A(reduce_int_sum, int)
int main(void) { return 0; }
