/* The operator uses a map's value only after it is rounded: floats, doubles, and the members of a struct. For
   a compiler that fuses where it may, and a machine that can. For tools/mutate. */
#define CHECK_ALONE
#include "../check.h"

struct both {
    float x, w;
    double y;
};
typedef struct both both;
HELPER_BOTH both products(float x)
{
    const both result = {x * x, x * 0.7f, (double)x * (1.0 / 3)};
    return result;
}
HELPER_BOTH both sums(both a, both b)
{
    a.x += b.x, a.w += b.w, a.y += b.y;
    return a;
}
HELPER_BOTH both minus(both a)
{
    a.x = -a.x, a.w = -a.w, a.y = -a.y;
    return a;
}

DEFINE_REDUCE_MAP(of_float, float, float, x *x, 0, a + b)
DEFINE_REDUCE_MAP(of_int, int, float, (float)x * 0.7f, 0, a + b)
DEFINE_REDUCE_MAP(of_double, double, double, x *x, 0, a + b)
DEFINE_REDUCE_MAP(of_floats, float, float, x *x, REDUCE_IDENTITY_sum(float), REDUCE_COMBINE_sum(float, a, b))
DEFINE_REDUCE_MAP(of_doubles, double, double, x *x, REDUCE_IDENTITY_sum(double), REDUCE_COMBINE_sum(double, a, b))
DEFINE_REDUCE_MAP(of_both, float, both, products(x), products(0), sums(a, b))

/* A product minus its rounded value: 0, unless the compiler fused the product. */
struct rests {
    float of_float, fused_float, of_int, fused_int, of_floats, first_of_floats;
    double of_double, fused_double, of_doubles, first_of_doubles;
    both of_both, fused_both;
};

static __global__ void rests(const float *x, const double *z, const struct rests *product, struct rests *out)
{
    const int number = (int)(*x * 4096);
    const of_float_input_ of_x = {x};
    const of_int_input_ of_number = {&number};
    const of_double_input_ of_z = {z};
    const of_both_input_ of_both_x = {x};
    const of_floats_input_ of_xs = {x};
    const of_doubles_input_ of_zs = {z};
    out->of_float = of_float_combine(of_float_operand_at_(of_x, 0, 0), -product->of_float);
    out->fused_float = of_float_combine(of_float_map_(*x, 0), -product->of_float);
    out->of_int = of_int_combine(of_int_operand_at_(of_number, 0, 0), -product->of_int);
    out->fused_int = of_int_combine(of_int_map_((int)(*x * 4096), 0), -product->of_int);
    out->of_double = of_double_combine(of_double_operand_at_(of_z, 0, 0), -product->of_double);
    out->fused_double = of_double_combine(of_double_map_(*z, 0), -product->of_double);
    /* Built-in sums round in the operator, whichever of its arguments is an operand. */
    out->of_floats = of_floats_combine_operand_(-product->of_float, of_floats_operand_at_(of_xs, 0, 0));
    out->first_of_floats = of_floats_combine_operand_(of_floats_operand_at_(of_xs, 0, 0), -product->of_float);
    out->of_doubles = of_doubles_combine_operand_(-product->of_double, of_doubles_operand_at_(of_zs, 0, 0));
    out->first_of_doubles = of_doubles_combine_operand_(of_doubles_operand_at_(of_zs, 0, 0), -product->of_double);
    out->of_both = of_both_combine(of_both_operand_at_(of_both_x, 0, 0), minus(product->of_both));
    out->fused_both = of_both_combine(of_both_map_(*x, 0), minus(product->of_both));
}

int main(void)
{
    need_gpu();
    struct rests *out = (struct rests *)device_room(sizeof *out, 0), got;
    int fused = 0, fused_ints = 0;
    for (int k = 1; k < 100; k++) {
        const volatile float x = 1 + (float)(2 * k + 1) / 4096, square = x * x, part = x * 0.7f;
        const volatile double z = 1 + (double)(2 * k + 1) / (1 << 27), z_square = z * z;
        const volatile double third = x * (1.0 / 3);
        const volatile float part_of_int = (float)(int)(x * 4096) * 0.7f;
        const float x_now = x;
        const double z_now = z;
        struct rests product;
        memset(&product, 0, sizeof product);
        product.of_int = part_of_int;
        product.of_float = square, product.of_double = z_square;
        product.of_both.x = square, product.of_both.w = part, product.of_both.y = third;
        float *in = (float *)to_device(&x_now, sizeof x_now);
        double *z_in = (double *)to_device(&z_now, sizeof z_now);
        struct rests *from = (struct rests *)to_device(&product, sizeof product);
        rests<<<1, 1>>>(in, z_in, from, out);
        check_launch();
        from_device(&got, out, sizeof got);
        const both rest = got.of_both;
        cr_expect(got.of_float == 0, "%d, float: not rounded, but %g", k, (double)got.of_float);
        cr_expect(got.of_int == 0, "%d, int: not rounded, but %g", k, (double)got.of_int);
        cr_expect(got.of_floats == 0 && got.first_of_floats == 0, "%d, floats: not rounded, but %g and %g", k,
                  (double)got.of_floats, (double)got.first_of_floats);
        cr_expect(got.of_doubles == 0 && got.first_of_doubles == 0, "%d, doubles: not rounded, but %g and %g", k,
                  got.of_doubles, got.first_of_doubles);
        cr_expect(got.of_double == 0, "%d, double: not rounded, but %g", k, got.of_double);
        cr_expect(rest.x == 0 && rest.w == 0 && rest.y == 0, "%d, struct: not rounded, but %g, %g, %g", k,
                  (double)rest.x, (double)rest.w, rest.y);
        cr_expect(got.fused_float != 0 && got.fused_double != 0, "%d: nothing is fused here", k);
        fused_ints += got.fused_int != 0;
        fused += got.fused_both.x != 0 && got.fused_both.w != 0 && got.fused_both.y != 0;
        CHECK(cudaFree(in));
        CHECK(cudaFree(z_in));
        CHECK(cudaFree(from));
    }
    cr_expect(fused_ints > 50, "ints: fused only %d times", fused_ints);
    cr_expect(fused > 50, "structs: fused only %d times", fused);
    return 0;
}
