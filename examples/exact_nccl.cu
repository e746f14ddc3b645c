/*
 * exact_nccl.cu: each GPU of a machine sums its part of one array exactly, and one ncclAllReduce of integers merges the
 * sums. The result has the bits of one GPU and of the CPU.
 *
 *     nvcc -O3 -arch=native -I../include exact_nccl.cu -lnccl -o exact_nccl
 */
#include "reduce_exact.cuh"

#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE_EXACT(float)

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

#define CHECK_NCCL(call) check_nccl(call, #call)
static void check_nccl(ncclResult_t result, const char *call)
{
    if (result == ncclSuccess) return;
    fprintf(stderr, "%s: %s\n", call, ncclGetErrorString(result));
    exit(EXIT_FAILURE);
}

enum { N = 3000000, MOST_GPUS = 64 };

struct gpu {
    float *in;
    struct reduce_exact_float *sum;
    reduce_workspace *ws;
    cudaStream_t stream;
};

static float in[N];
static struct gpu gpus[MOST_GPUS];
static ncclComm_t comms[MOST_GPUS];

static bool show(const char *who, float sum, float expected)
{
    uint32_t bits, expected_bits;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&expected_bits, &expected, sizeof expected_bits);
    printf("%-14s %g   0x%08x\n", who, (double)sum, bits);
    return bits == expected_bits;
}

int main(void)
{
    /* Large numbers that cancel, and between them N / 3 times 1/8: the true sum is 125000. */
    for (int k = 0; k < N / 3; k++) {
        in[3 * k] = 1e10f / (float)(k + 1);
        in[3 * k + 1] = 0.125f;
        in[N - 1 - 3 * k] = -in[3 * k];
    }

    int count;
    CHECK(cudaGetDeviceCount(&count));
    if (count > MOST_GPUS) count = MOST_GPUS;
    CHECK_NCCL(ncclCommInitAll(comms, count, NULL));

    for (int g = 0; g < count; g++) { /* each GPU sums its part */
        struct gpu *gpu = &gpus[g];
        const size_t begin = (size_t)N * (size_t)g / (size_t)count, end = (size_t)N * (size_t)(g + 1) / (size_t)count;
        const size_t bytes = (end - begin) * sizeof(float);
        CHECK(cudaSetDevice(g));
        CHECK(cudaStreamCreate(&gpu->stream));
        CHECK(reduce_workspace_create(&gpu->ws));
        CHECK(cudaMalloc((void **)&gpu->in, bytes));
        CHECK(cudaMalloc((void **)&gpu->sum, sizeof *gpu->sum));
        CHECK(cudaMemcpyAsync(gpu->in, in + begin, bytes, cudaMemcpyHostToDevice, gpu->stream));
        CHECK(cudaMemsetAsync(gpu->sum, 0, sizeof *gpu->sum, gpu->stream)); /* an empty sum */
        CHECK(reduce_float_exact_sum_accumulate_async(gpu->in, end - begin, gpu->sum, gpu->ws, gpu->stream));
    }

    CHECK_NCCL(ncclGroupStart()); /* the words of the accumulators are added as integers */
    for (int g = 0; g < count; g++)
        CHECK_NCCL(ncclAllReduce(gpus[g].sum, gpus[g].sum, sizeof *gpus[g].sum / sizeof(int64_t), ncclInt64, ncclSum,
                                 comms[g], gpus[g].stream));
    CHECK_NCCL(ncclGroupEnd());

    const float on_cpu = reduce_float_exact_sum_cpu(in, N);
    float on_one;
    CHECK(cudaSetDevice(0));
    CHECK(reduce_float_exact_sum(in, N, &on_one));
    bool is_right = show("on the CPU", on_cpu, 125000);
    is_right = show("on one GPU", on_one, 125000) && is_right;

    for (int g = 0; g < count; g++) { /* every GPU has the sum of all */
        struct gpu *gpu = &gpus[g];
        struct reduce_exact_float sum;
        char who[32];
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemcpyAsync(&sum, gpu->sum, sizeof sum, cudaMemcpyDeviceToHost, gpu->stream));
        CHECK(cudaStreamSynchronize(gpu->stream));
        snprintf(who, sizeof who, "GPU %d of %d", g, count);
        is_right = show(who, reduce_exact_float_round(&sum), 125000) && is_right;
        CHECK(cudaFree(gpu->sum));
        CHECK(cudaFree(gpu->in));
        CHECK(reduce_workspace_destroy(gpu->ws));
        CHECK(cudaStreamDestroy(gpu->stream));
        CHECK_NCCL(ncclCommDestroy(comms[g]));
    }
    puts(is_right ? "the same bits" : "WRONG");
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
