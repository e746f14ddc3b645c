/*
 * custom_operator.cu: user-defined operators, on numbers and on a struct.
 */
#include "reduce.cuh"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

/* The operator calls this function, so it is compiled for the host and the device. */
static __host__ __device__ unsigned long long divisor(unsigned long long a, unsigned long long b)
{
    while (b != 0) {
        const unsigned long long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Defined by an expression: the name, the type, the identity, and how a and b combine. */
DEFINE_REDUCE_AS(gcd, unsigned, 0, (unsigned)divisor(a, b))

/* Defined by a pair of macros, as the built-in operators are: DEFINE_REDUCE then takes it for several types. */
#define REDUCE_IDENTITY_gcd(T) (T)0
#define REDUCE_COMBINE_gcd(T, a, b) (T) divisor(a, b)
DEFINE_REDUCE(unsigned, gcd)
DEFINE_REDUCE(uint64_t, gcd)

/* A struct: the smallest box around points. A function returns the identity, because a macro would split it
   at its commas. */
typedef struct {
    float left, right, bottom, top;
} box;

static __host__ __device__ box no_box(void)
{
    const box empty = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    return empty;
}

static __host__ __device__ box around(box a, box b)
{
    if (b.left < a.left) a.left = b.left;
    if (b.right > a.right) a.right = b.right;
    if (b.bottom < a.bottom) a.bottom = b.bottom;
    if (b.top > a.top) a.top = b.top;
    return a;
}

DEFINE_REDUCE_AS(bounds, box, no_box(), around(a, b))

int main(void)
{
    enum { N = 20000 };
    static unsigned numbers[N];
    static uint64_t large[N];
    static box points[N];
    for (int i = 0; i < N; i++) {
        numbers[i] = 84 * (unsigned)(i % 1000 + 7);
        large[i] = (1ull << 40) * (uint64_t)(i % 1000 + 7);
        const float x = (float)(i % 317 - 100), y = (float)(i % 211) / 2;
        const box point = {x, x, y, y};
        points[i] = point;
    }

    unsigned by_expression, by_pair;
    uint64_t of_large;
    box hull;
    CHECK(gcd(numbers, N, &by_expression));
    CHECK(reduce_unsigned_gcd(numbers, N, &by_pair));
    CHECK(reduce_uint64_t_gcd(large, N, &of_large));
    CHECK(bounds(points, N, &hull));

    printf("greatest common divisors: %u, %u and %llu\n", by_expression, by_pair, (unsigned long long)of_large);
    printf("box around the points: %g to %g, %g to %g\n", (double)hull.left, (double)hull.right,
           (double)hull.bottom, (double)hull.top);

    const bool is_right = by_expression == 84 && by_pair == 84 && of_large == 1ull << 40 && hull.left == -100 &&
                          hull.right == 216 && hull.bottom == 0 && hull.top == 105;
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
