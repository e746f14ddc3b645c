// expect: nothing
// in every language
#include "reduce_inputs.cuh"
#include "reduce_exact.cuh"
DEFINE_REDUCE_EXACT(float)
#define REDUCE_HAVE_reduce_float_exact_sum
DEFINE_REDUCE_EXACT_MAP(total, int, double, x)
#define REDUCE_HAVE_total 1
DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x * y)
#define REDUCE_HAVE_dot

/* Another header wants the same. */
DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT_MAP(total, int, double, x)
DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x * y)
int main(void)
{
    const float in[2] = {1, 2};
    const int ints[2] = {3, 4};
    return reduce_float_exact_sum_cpu(in, 2) == 3 && total_cpu(ints, 2) == 7 && dot_cpu(in, in, 2) == 5 ? 0 : 1;
}
