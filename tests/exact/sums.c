/*
 * sums WAYS: reads arrays and prints their exact sums, for tests/exact/run. A line of input is f or d, the number of
 * elements and their bits in hexadecimal; a line of output the bits of the sum by each way. In plain C, and in CUDA for the
 * simulator or a GPU.
 */
#define REDUCE_EXACT_BY_DOUBLES_ 1 /* expanded where a NAME is defined */
#include "reduce_exact.cuh"

#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(double)

#ifdef __CUDACC__
#    undef REDUCE_EXACT_BY_DOUBLES_
#    define REDUCE_EXACT_BY_DOUBLES_ 0
DEFINE_REDUCE_EXACT_MAP(float_by_columns, float, float, x)
DEFINE_REDUCE_EXACT_MAP(double_by_columns, double, double, x)

static reduce_workspace *workspace;

#    define IN_A_BLOCK(T)                                                                                   \
        static __global__ void T##_in_a_block(const T *in, size_t n, T *out)                                \
        {                                                                                                   \
            const T sum = reduce_##T##_exact_sum_block(threadIdx.x < n ? in[threadIdx.x] : (T)-0.0);        \
            if (threadIdx.x == blockDim.x - 1) *out = sum;                                                  \
        }
IN_A_BLOCK(float)
IN_A_BLOCK(double)

/* By the device: in all ways, an element behind where it is aligned too, in parts, and in one block. */
#    define BY_DEVICE(T)                                                                                    \
        T *device = NULL, *out = NULL, got = 0;                                                             \
        struct reduce_exact_##T *to = NULL;                                                                 \
        cudaMalloc((void **)&device, (n + 1) * sizeof(T));                                                  \
        cudaMalloc((void **)&out, sizeof(T));                                                               \
        cudaMalloc((void **)&to, sizeof *to);                                                               \
        cudaMemset(to, 0, sizeof *to);                                                                      \
        cudaMemcpy(device, in, n * sizeof(T), cudaMemcpyHostToDevice);                                      \
        SHOW(T, reduce_##T##_exact_sum_async(device, n, out, workspace, 0));                                \
        SHOW(T, T##_by_columns_async(device, n, out, workspace, 0));                                        \
        if (n <= 1024) {                                                                                    \
            T##_in_a_block<<<1, (unsigned)(n > 0 ? n : 1)>>>(device, n, out);                               \
            SHOW(T, cudaGetLastError());                                                                    \
        }                                                                                                   \
        if (reduce_##T##_exact_sum_accumulate_async(device + n / 3, n - n / 3, to, workspace, 0) != cudaSuccess || \
            T##_by_columns_accumulate_async(device, n / 3, to, workspace, 0) != cudaSuccess)                \
            exit(2);                                                                                        \
        cudaMemcpy(&sum, to, sizeof sum, cudaMemcpyDeviceToHost);                                           \
        got = reduce_exact_##T##_round(&sum);                                                               \
        show(&got, sizeof got);                                                                             \
        cudaMemcpy(device + 1, in, n * sizeof(T), cudaMemcpyHostToDevice);                                  \
        SHOW(T, reduce_##T##_exact_sum_async(device + 1, n, out, workspace, 0));                            \
        cudaFree(device);                                                                                   \
        cudaFree(out);                                                                                      \
        cudaFree(to);
#    define SHOW(T, call)                                                                                   \
        if ((call) != cudaSuccess || cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) exit(2); \
        show(&got, sizeof got)
#else
#    define BY_DEVICE(T)
#endif

static void show(const void *x, size_t size)
{
    unsigned long long bits = 0;
    memcpy(&bits, x, size);
    printf(" %llx", bits);
}

/* By the CPU, and number by number into two accumulators that are merged. */
#define DEFINE_SUMS(T)                                                                                      \
    static void T##_sums(size_t n)                                                                          \
    {                                                                                                       \
        T *const in = (T *)malloc((n + 1) * sizeof(T));                                                     \
        struct reduce_exact_##T sum, other;                                                                 \
        unsigned long long bits;                                                                            \
        if (in == NULL) exit(2);                                                                            \
        reduce_exact_##T##_clear(&sum);                                                                     \
        reduce_exact_##T##_clear(&other);                                                                   \
        for (size_t i = 0; i < n; i++) {                                                                    \
            if (scanf("%llx", &bits) != 1) exit(2);                                                         \
            memcpy(&in[i], &bits, sizeof *in);                                                              \
            reduce_exact_##T##_add(i % 3 == 0 ? &other : &sum, in[i]);                                      \
        }                                                                                                   \
        reduce_exact_##T##_merge(&sum, &other);                                                             \
        const T merged = reduce_exact_##T##_round(&sum), by_cpu = reduce_##T##_exact_sum_cpu(in, n);        \
        show(&by_cpu, sizeof by_cpu);                                                                       \
        show(&merged, sizeof merged);                                                                       \
        BY_DEVICE(T)                                                                                        \
        printf("\n");                                                                                       \
        free(in);                                                                                           \
    }
DEFINE_SUMS(float)
DEFINE_SUMS(double)

int main(void)
{
    char type;
    size_t n;
#ifdef __CUDACC__
    if (reduce_workspace_create(&workspace) != cudaSuccess) return 2;
#endif
    while (scanf(" %c %zu", &type, &n) == 2) {
        if (type == 'f') float_sums(n);
        else double_sums(n);
    }
#ifdef __CUDACC__
    if (reduce_workspace_destroy(workspace) != cudaSuccess) return 2;
#endif
    return 0;
}
