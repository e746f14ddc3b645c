/*
 * exact_dot.cu: the exact dot product of two arrays of floats, rounded once. Computed in floats, the same dot product has
 * no correct digit.
 */
#include "reduce_exact.cuh"
#include "reduce_inputs.cuh"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

/* The product of two floats is exact in a double. */
DEFINE_REDUCE_EXACT_ZIP(exact_dot, float, float, double, (double)x * (double)y)

DEFINE_REDUCE_ZIP(dot, float, float, float, x * y, 0, a + b)

int main(void)
{
    /* Two vectors that are nearly orthogonal: products of up to 1e12 cancel, and N / 3 times 1/16 remains. */
    enum { N = 60000 };
    static float x[N], y[N];
    for (int k = 0; k < N / 3; k++) {
        x[3 * k] = x[N - 1 - 3 * k] = 1e6f / (float)(k + 1);
        y[3 * k] = 1e6f / (float)(k % 100 + 3);
        y[N - 1 - 3 * k] = -y[3 * k];
        x[3 * k + 1] = y[3 * k + 1] = 0.25f;
    }

    float naive;
    double exact;
    CHECK(dot(x, y, N, &naive));
    CHECK(exact_dot(x, y, N, &exact));
    const double on_cpu = exact_dot_cpu(x, y, N);
    const bool is_right = exact == 1250 && on_cpu == 1250 && naive != 1250;
    printf("true dot product 1250: exact %g, on the CPU %g, in floats %g\n", exact, on_cpu, (double)naive);
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
