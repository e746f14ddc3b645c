// expect: nothing
// in every language
#include "reduce.cuh"
DEFINE_REDUCE(float, sum)
#define REDUCE_HAVE_reduce_float_sum
DEFINE_REDUCE_AS(total, int, 0, a + b)
#define REDUCE_HAVE_total 1
DEFINE_REDUCE_MAP(squares, float, double, (double)x * x, 0, a + b)
#define REDUCE_HAVE_squares

/* Another header wants the same. */
DEFINE_REDUCE(float, sum)
#define REDUCE_HAVE_reduce_float_sum
DEFINE_REDUCE_AS(total, int, 0, a + b)
DEFINE_REDUCE_MAP(squares, float, double, (double)x * x, 0, a + b)
int main(void)
{
    const float in[2] = {1, 2};
    return reduce_float_sum_cpu(in, 2) == 3 && squares_cpu(in, 2) == 5 ? 0 : 1;
}
