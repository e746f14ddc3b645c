/* What is rounded is not fused, by a compiler that fuses where it may and a machine that can; and the bytes of
   a value of any size stay what they are. For tools/mutate. */
#include "reduce.cuh"

#include <stdio.h>
#include <stdlib.h>

static void expect(bool is_right, const char *what, int k)
{
    if (is_right) return;
    printf("%s, %d: wrong\n", what, k);
    exit(1);
}

/* What is left of a square when its rounded self is taken away: nothing, but not if it was not rounded. */
#define REST(T)                                                                                           \
    static __attribute__((noinline)) T rest_of_##T(T x, T square)                                         \
    {                                                                                                     \
        return x * x - square;                                                                            \
    }                                                                                                     \
    static __attribute__((noinline)) T rest_of_rounded_##T(T x, T square)                                 \
    {                                                                                                     \
        return reduce_rounded_##T(x * x) - square;                                                        \
    }
REST(float)
REST(double)

/* Of two, the second. */
static __attribute__((noinline)) float rest_of_second(float x, float square)
{
    float both[2] = {x * x, x * x};
    reduce_round_(both, sizeof both);
    return both[1] - square;
}

static void check_products(int k)
{
    const volatile float x = 1 + (float)(2 * k + 1) / 4096, square = x * x;
    const volatile double y = 1 + (double)(2 * k + 1) / (1 << 27), double_square = y * y;
    expect(rest_of_float(x, square) != 0 && rest_of_double(y, double_square) != 0, "nothing is fused here", k);
    expect(rest_of_rounded_float(x, square) == 0, "float", k);
    expect(rest_of_second(x, square) == 0, "the second of two", k);
    expect(rest_of_rounded_double(y, double_square) == 0, "double", k);
}

static void check_bytes(size_t size)
{
    unsigned char bytes[80], as_they_were[80];
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = as_they_were[k] = (unsigned char)(k * 37 + size);
    reduce_round_(bytes + 3, size);
    expect(memcmp(bytes, as_they_were, sizeof bytes) == 0, "bytes", (int)size);
}

int main(void)
{
    for (int k = 1; k < 1000; k++) check_products(k);
    for (size_t size = 1; size <= REDUCE_MAX_SIZE; size++) check_bytes(size);
    return 0;
}
