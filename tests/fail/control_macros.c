// expect: nothing
// in every language
#define sum 1
#define min 2
#include "reduce.cuh"
#define max 3
#define band 4
#define land
#define fmin (
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(float, min)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE(int, band)
DEFINE_REDUCE(int, land)
DEFINE_REDUCE(double, fmin)
int main(void) { return 0; }
