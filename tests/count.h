/* The number of GPUs, and what becomes of the question, as a test says. It comes before reduce.cuh. */
#ifndef COUNT_H
#define COUNT_H

#include <cuda_runtime.h>
#include <stdbool.h>

/* A missing GPU or driver is no error. After another error an array may lie on a GPU, and the CPU must not read it. */
struct count { int devices; cudaError_t error, status; };
static const struct count counts[] = {
    {0, cudaSuccess, cudaSuccess},
    {0, cudaErrorNoDevice, cudaSuccess},
    {2, cudaErrorInsufficientDriver, cudaSuccess},
    {0, cudaErrorStubLibrary, cudaSuccess},
    {0, cudaErrorInitializationError, cudaErrorInitializationError},
    {2, cudaErrorUnknown, cudaErrorUnknown},
};

static struct { bool is_told; struct count count; } counting;

static inline cudaError_t count_devices(int *devices)
{
    char a = 0, b = 0;
    if (!counting.is_told) return cudaGetDeviceCount(devices);
    *devices = counting.count.devices;
    if (counting.count.error != cudaSuccess) (void)cudaMemcpy(&a, &b, 1, (enum cudaMemcpyKind)77); /* CUDA remembers an error */
    return counting.count.error;
}
#define cudaGetDeviceCount count_devices

#endif
