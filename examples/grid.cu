/*
 * grid.cu: a reduction at the end of your own kernel. A gradient step also computes the length of the step, in one pass
 * over the arrays and one launch.
 */
#include "reduce.cuh"

#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE(double, sum)

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

/* All threads of the grid call reduce_double_sum_grid, also those without elements. It returns true in the threads
   of one block, which may use the result at once. */
static __global__ void descend(float *weights, const float *gradient, size_t n, float rate, reduce_workspace *ws,
                               double *length)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    double squares = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const float change = rate * gradient[i];
        weights[i] -= change;
        squares += (double)change * (double)change;
    }
    if (reduce_double_sum_grid(squares, ws, length) && threadIdx.x == 0) *length = sqrt(*length);
}

int main(void)
{
    enum { N = 50000, BLOCKS = 20, THREADS = 128, STEPS = 2 };
    static float weights[N], gradient[N];
    double expected = 0, length[STEPS];
    for (int i = 0; i < N; i++) {
        gradient[i] = (float)(i % 1013) / 64;
        weights[i] = (float)i;
        expected += (double)gradient[i] * (double)gradient[i] / 16;
    }
    expected = sqrt(expected);

    float *device_weights, *device_gradient;
    double *device_length;
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    CHECK(cudaMalloc((void **)&device_weights, sizeof weights));
    CHECK(cudaMalloc((void **)&device_gradient, sizeof gradient));
    CHECK(cudaMalloc((void **)&device_length, sizeof length));
    CHECK(cudaMemcpy(device_weights, weights, sizeof weights, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_gradient, gradient, sizeof gradient, cudaMemcpyHostToDevice));

    for (int step = 0; step < STEPS; step++) { /* each launch leaves the workspace ready for the next */
        descend<<<BLOCKS, THREADS>>>(device_weights, device_gradient, N, 0.25f, ws, &device_length[step]);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(weights, device_weights, sizeof weights, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(length, device_length, sizeof length, cudaMemcpyDeviceToHost));

    bool is_right = memcmp(&length[0], &length[1], sizeof length[0]) == 0; /* the same shape of grid gives the same bits */
    is_right = is_right && fabs(length[0] - expected) < 1e-9 * expected;
    for (int i = 0; i < N; i++) is_right = is_right && weights[i] == (float)i - STEPS * 0.25f * gradient[i];
    printf("two steps of length %.9f and %.9f, expected %.9f\n", length[0], length[1], expected);

    CHECK(cudaFree(device_length));
    CHECK(cudaFree(device_gradient));
    CHECK(cudaFree(device_weights));
    CHECK(reduce_workspace_destroy(ws));
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
