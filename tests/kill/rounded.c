/* Rounded values are not fused, by a compiler that fuses where it may and on a machine that can. Rounding
   keeps the bytes of a value of any size. The CPU's function adds a map's value only after it is rounded. For
   tools/mutate. */
#include "reduce.cuh"
#include "../tree.h"

#include <stdio.h>
#include <stdlib.h>

static void expect(bool is_right, const char *what, int k)
{
    if (is_right) return;
    printf("%s, %d: wrong\n", what, k);
    exit(1);
}

/* A square minus its rounded value: 0, unless the compiler fused the square. */
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

/* Returns the second of two operands. */
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

/* The tree's map and operator are functions that are called, between which nothing is fused. */
typedef struct {
    float x, w;
    double y;
} both;

static inline both products(float x)
{
    return (both){x * x, x * 0.7f, (double)x * (1.0 / 3)};
}

static inline both sums(both a, both b)
{
    return (both){a.x + b.x, a.w + b.w, a.y + b.y};
}

#define EACH(X)                                                                                           \
    X(of_float, float, float, x *x, 0, a + b)                                                             \
    X(of_double, double, double, x *x, 0, a + b)                                                          \
    X(of_both, float, both, products(x), products(0), sums(a, b))
#define DEFINE_BOTH(NAME, In, T, map, ...)                                                                \
    DEFINE_REDUCE_MAP(NAME, In, T, map, __VA_ARGS__)                                                      \
    DEFINE_TREE(NAME, In, T, map, __VA_ARGS__)
EACH(DEFINE_BOTH)

#define CHECK_CPU(NAME, In, T, ...)                                                                       \
    do {                                                                                                  \
        static In in[9999];                                                                               \
        for (size_t k = 0; k < 9999; k++) in[k] = (In)(1 + (double)(k * 7919 % 9973) / 9973);             \
        for (size_t n = 2; n < 9999; n = 2 * n + 1) {                                                     \
            const T got = NAME##_cpu(in, n), tree = NAME##_tree(in, n);                                   \
            expect(memcmp(&got, &tree, sizeof got) == 0, #NAME, (int)n);                                  \
        }                                                                                                 \
    } while (0);

int main(void)
{
    EACH(CHECK_CPU)
    for (int k = 1; k < 1000; k++) check_products(k);
    for (size_t size = 1; size <= REDUCE_MAX_SIZE; size++) check_bytes(size);
    return 0;
}
