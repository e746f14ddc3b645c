/*
 * softmax.cu: a kernel in which each block reduces a range twice: each row of a matrix becomes exp(x) / sum of exp(x).
 * A row's bits depend neither on the rows beside it nor on the size of the block.
 */
#include "reduce_inputs.cuh"
#include "reduce_rows.cuh"

#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ROWS(reduce_float_max)

/* The context c is the row's maximum. */
DEFINE_REDUCE_WITH(sum_of_exp, float, float, float, expf(x - c), 0, a + b)
DEFINE_REDUCE_WITH_ROWS(sum_of_exp)

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

/* One block for each row. All threads of the block call the range functions, and every thread gets the result. */
static __global__ void softmax(float *out, const float *in, size_t columns)
{
    in += blockIdx.x * columns;
    out += blockIdx.x * columns;

    const float greatest = reduce_float_max_block_range(in, columns);
    const float sum = sum_of_exp_block_range(in, columns, greatest);

    for (size_t k = threadIdx.x; k < columns; k += blockDim.x) out[k] = expf(in[k] - greatest) / sum;
}

/* The whole matrix, batch rows in a launch. */
static void softmax_in_batches(float *out, const float *in, int rows, int columns, int batch, int threads)
{
    for (int first = 0; first < rows; first += batch) {
        const size_t at = (size_t)first * (size_t)columns;
        const int left = rows - first;
        softmax<<<left < batch ? left : batch, threads>>>(out + at, in + at, (size_t)columns);
        CHECK(cudaGetLastError());
    }
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
    enum { ROWS = 64, COLUMNS = 2101 }; /* an odd number: the rows begin at addresses of every alignment */
    static const int batches[] = {1, 3, 64}, blocks[] = {128, 512};
    static float in[ROWS * COLUMNS], first[ROWS * COLUMNS], out[ROWS * COLUMNS];
    float *device_in, *device_out;
    int status = EXIT_SUCCESS;
    for (int i = 0; i < ROWS * COLUMNS; i++) in[i] = (float)(i * 37 % 2003) / 200 - 5;

    CHECK(cudaMalloc((void **)&device_in, sizeof in));
    CHECK(cudaMalloc((void **)&device_out, sizeof out));
    CHECK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    for (int k = 0; k < 6; k++) {
        const int batch = batches[k / 2], threads = blocks[k % 2];
        CHECK(cudaMemset(device_out, 0, sizeof out));
        softmax_in_batches(device_out, device_in, ROWS, COLUMNS, batch, threads);
        CHECK(cudaMemcpy(k == 0 ? first : out, device_out, sizeof out, cudaMemcpyDeviceToHost));

        const bool is_same = k == 0 || memcmp(out, first, sizeof out) == 0;
        printf("%2d of %d rows in a launch, blocks of %d: %s\n", batch, ROWS, threads,
               k == 0 ? "each row alone" : is_same ? "the same bits" : "OTHER BITS");
        if (!is_same) status = EXIT_FAILURE;
    }
    CHECK(cudaFree(device_out));
    CHECK(cudaFree(device_in));

    const double error = error_of(first, in, ROWS, COLUMNS);
    printf("soft-max of %d rows of %d: no value is off by more than %.1e\n", ROWS, COLUMNS, error);
    return error < 1e-7 ? status : EXIT_FAILURE;
}
