// expect: of_128: int128 is too large for an integer: put it into a struct
#include "reduce.cuh"
typedef __int128 int128;
DEFINE_REDUCE_AS(of_128, int128, 0, a + b)
int main(void) { return 0; }
