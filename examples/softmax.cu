/*
 * softmax.cu: a kernel of one's own with two block reductions: each row of a matrix becomes exp(x) / sum of exp(x).
 */
#include "reduce.cuh"

#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE(float, max)
DEFINE_REDUCE(float, sum)

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

/* One block for each row. All threads of the block call the block functions, those without elements too, and
   every thread gets the result. */
static __global__ void softmax(float *out, const float *in, int columns)
{
    const int first = (int)threadIdx.x, threads = (int)blockDim.x;
    in += (size_t)blockIdx.x * (size_t)columns;
    out += (size_t)blockIdx.x * (size_t)columns;

    float greatest = reduce_float_max_identity();
    for (int k = first; k < columns; k += threads) greatest = reduce_float_max_combine(greatest, in[k]);
    greatest = reduce_float_max_block(greatest);

    float sum = 0;
    for (int k = first; k < columns; k += threads) sum += out[k] = expf(in[k] - greatest);
    sum = reduce_float_sum_block(sum);

    for (int k = first; k < columns; k += threads) out[k] /= sum;
}

/* The greatest difference from the same computation in double, one row at a time. */
static double error_of(const float *out, const float *in, int rows, int columns)
{
    double worst = 0;
    for (int row = 0; row < rows; row++, in += columns, out += columns) {
        double sum = 0;
        for (int k = 0; k < columns; k++) sum += exp((double)in[k]);
        for (int k = 0; k < columns; k++) {
            const double error = fabs(exp((double)in[k]) / sum - (double)out[k]);
            if (!(error <= worst)) worst = error; /* NaN is an error too */
        }
    }
    return worst;
}

int main(void)
{
    enum { ROWS = 24, COLUMNS = 1000, THREADS = 160 };
    static float in[ROWS * COLUMNS], out[ROWS * COLUMNS];
    float *device_in, *device_out;
    for (int i = 0; i < ROWS * COLUMNS; i++) in[i] = (float)(i * 37 % 2003) / 200 - 5;

    CHECK(cudaMalloc((void **)&device_in, sizeof in));
    CHECK(cudaMalloc((void **)&device_out, sizeof out));
    CHECK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    softmax<<<ROWS, THREADS>>>(device_out, device_in, COLUMNS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_out));
    CHECK(cudaFree(device_in));

    const double error = error_of(out, in, ROWS, COLUMNS);
    printf("soft-max of %d rows of %d: no value is off by more than %.1e\n", ROWS, COLUMNS, error);
    return error < 1e-7 ? EXIT_SUCCESS : EXIT_FAILURE;
}
