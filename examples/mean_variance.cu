/*
 * mean_variance.cu: mean and variance in one pass, with a struct as the accumulator, and the same bits on CPU and GPU.
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

typedef struct {
    double count, mean, squares; /* squares: the sum of the squared distances from the mean */
} moments;

static __host__ __device__ moments moments_of(double count, double mean, double squares)
{
    const moments result = {count, mean, squares};
    return result;
}

/* Merges the moments of two groups. reduce_rounded_double keeps the compiler from fusing a product with the sum
   that it feeds: otherwise the GPU's compiler would fuse them and the CPU's would not. */
static __host__ __device__ moments merge(moments a, moments b)
{
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double count = a.count + b.count, distance = b.mean - a.mean;
    const double shift = reduce_rounded_double(distance * (b.count / count));
    const double spread = reduce_rounded_double(distance * shift * a.count);
    return moments_of(count, a.mean + shift, a.squares + b.squares + spread);
}

/* Each float x becomes a group of one. */
DEFINE_REDUCE_MAP(float_moments, float, moments, moments_of(1, x, 0), moments_of(0, 0, 0), merge(a, b))

int main(void)
{
    enum { N = 50000 };
    static float in[N];
    for (int i = 0; i < N; i++) in[i] = 1000 + (float)i / 7;

    moments result;
    CHECK(float_moments(in, N, &result));
    const moments on_cpu = float_moments_cpu(in, N);
    const bool is_same = memcmp(&result, &on_cpu, sizeof result) == 0;

    double mean = 0, variance = 0; /* in two passes */
    for (int i = 0; i < N; i++) mean += ((double)in[i] - mean) / (i + 1);
    for (int i = 0; i < N; i++) variance += ((double)in[i] - mean) * ((double)in[i] - mean) / N;

    printf("%.0f values: mean %.9f, variance %.9f (%a), %s\n", result.count, result.mean,
           result.squares / result.count, result.squares / result.count,
           is_same ? "the same bits on the CPU" : "NOT THE BITS OF THE CPU");
    const bool is_right = result.count == N && fabs(result.mean - mean) < 1e-9 * mean &&
                          fabs(result.squares / result.count - variance) < 1e-6 * variance;
    return is_right && is_same ? EXIT_SUCCESS : EXIT_FAILURE;
}
