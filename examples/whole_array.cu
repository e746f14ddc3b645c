/*
 * whole_array.cu: the simple call on an array in main memory, and the asynchronous call on an array on the device.
 */
#include "reduce.cuh"

#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE(float, sum)

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

static bool show(const char *who, float sum, float expected)
{
    unsigned bits, expected_bits;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&expected_bits, &expected, sizeof expected_bits);
    printf("%-32s %.6f   0x%08x\n", who, (double)sum, bits);
    return bits == expected_bits;
}

int main(void)
{
    const size_t n = 100000, bytes = n * sizeof(float);
    float *in = (float *)malloc(bytes);
    if (in == NULL) return EXIT_FAILURE;
    for (size_t i = 0; i < n; i++) in[i] = 1 / (float)(i + 1);

    /* The simple call takes any memory and any n, and returns when the result is there. */
    float simple;
    CHECK(reduce_float_sum(in, n, &simple));

    /* The asynchronous call: input, output and workspace are on the device, and the work joins the stream. The
       workspace serves every later call in this stream. */
    float *device_in, *device_out, from_stream, from_middle;
    reduce_workspace *ws = NULL;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(reduce_workspace_create(&ws));
    CHECK(cudaMalloc((void **)&device_in, bytes));
    CHECK(cudaMalloc((void **)&device_out, 2 * sizeof *device_out));

    CHECK(cudaMemcpyAsync(device_in, in, bytes, cudaMemcpyHostToDevice, stream));
    CHECK(reduce_float_sum_async(device_in, n, &device_out[0], ws, stream));
    CHECK(reduce_float_sum_async(device_in + 1, n - 1, &device_out[1], ws, stream)); /* a misaligned input */
    CHECK(cudaMemcpyAsync(&from_stream, &device_out[0], sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemcpyAsync(&from_middle, &device_out[1], sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));

    const float on_cpu = reduce_float_sum_cpu(in, n);
    bool is_right = show("on the CPU", on_cpu, on_cpu);
    is_right = show("from main memory", simple, on_cpu) && is_right;
    is_right = show("in a stream", from_stream, on_cpu) && is_right;
    is_right = show("from the second element on", from_middle, reduce_float_sum_cpu(in + 1, n - 1)) && is_right;
    is_right = on_cpu > 12.0901f && on_cpu < 12.0902f && is_right;
    puts(is_right ? "the same bits" : "WRONG");

    CHECK(cudaFree(device_out));
    CHECK(cudaFree(device_in));
    CHECK(reduce_workspace_destroy(ws));
    CHECK(cudaStreamDestroy(stream));
    free(in);
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
