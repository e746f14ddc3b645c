/* What a map returns is rounded before the operator uses it, by a compiler that fuses where it may and a
   machine that can. For tools/mutate. */
#define CHECK_ALONE
#include "../check.h"

DEFINE_REDUCE_MAP(squares, float, float, x *x, 0, a + b)

/* What is left of a square when its rounded self is taken away: nothing, but not if it was not rounded. */
static __global__ void rests(const float *x, const float *square, float *rest, float *fused)
{
    *rest = squares_combine(squares_operand_(*x, 0), -*square);
    *fused = squares_combine(squares_map_(*x, 0), -*square);
}

int main(void)
{
    need_gpu();
    float *out = (float *)device_room(2 * sizeof *out, 0), got[2];
    for (int k = 1; k < 100; k++) {
        const volatile float x = 1 + (float)(2 * k + 1) / 4096, square = x * x;
        float both[2] = {x, square}, *in = (float *)to_device(both, sizeof both);
        rests<<<1, 1>>>(in, in + 1, out, out + 1);
        check_launch();
        from_device(got, out, sizeof got);
        cr_expect(got[0] == 0, "%d: not rounded, but %g", k, got[0]);
        cr_expect(got[1] != 0, "%d: nothing is fused here", k);
        CHECK(cudaFree(in));
    }
    return 0;
}
