/*
 * data.cuh: the inputs of the programs of bench/, the results that they must give, and the bandwidth of reading.
 */
#ifndef BENCH_DATA_CUH
#define BENCH_DATA_CUH

#include "timing.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define DATA_GLOBAL_ static __global__ __attribute__((unused))
#define DATA_DEVICE_ static __device__ __attribute__((unused))

/* Random bits for element i. */
DATA_DEVICE_ uint64_t data_bits(uint64_t i)
{
    uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ bits >> 29) * 0xd6e8feb86659fd93ull;
    return bits ^ bits >> 32;
}

/* From random bits, a number in [0, 2) with as many random bits as it has room for: a sum that lacks one
   element in a hundred thousand is seen to be wrong. */
DATA_DEVICE_ float data_float(uint64_t bits)
{
    return (float)(bits >> 40) * 0x1p-23f;
}

DATA_DEVICE_ double data_double(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-52;
}

/* The sum and the maximum of n elements, computed in the simplest way: exact for integers, which wrap around;
   for floating-point numbers in double. Numbers are not below zero, so that their bits are ordered as they
   are. */
struct data_reference {
    unsigned long long wrapped;
    double sum;
    long long greatest; /* of integers */
    long long greatest_bits;
};

DATA_DEVICE_ void data_refer_integer(struct data_reference *total, long long sum, long long greatest)
{
    atomicAdd(&total->wrapped, (unsigned long long)sum);
    atomicMax(&total->greatest, greatest);
}

DATA_DEVICE_ void data_refer_floating(struct data_reference *total, double sum, double greatest)
{
    atomicAdd(&total->sum, sum);
    atomicMax(&total->greatest_bits, __double_as_longlong(greatest));
}

#define DATA_LEAST -0x7fffffffffll /* less than every int, and than every other number */

enum { DATA_BLOCKS = 1024, DATA_THREADS = 256 };

#define DATA_EACH_(i, n)                                                                                  \
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (n);                               \
         i += (size_t)gridDim.x * blockDim.x)

/* Functions for elements of type In, which the expression makes from random bits. They are referred to in a
   Wide, to which they come by way of a Near. */
#define DATA_DEFINE(name, In, EXPR_OF_BITS, Near, kind, Wide)                                             \
    DATA_GLOBAL_ void data_fill_##name##_(In *elements, size_t n)                                         \
    {                                                                                                     \
        DATA_EACH_(i, n)                                                                                  \
        {                                                                                                 \
            const uint64_t bits = data_bits(i);                                                           \
            elements[i] = EXPR_OF_BITS;                                                                   \
        }                                                                                                 \
    }                                                                                                     \
    DATA_GLOBAL_ void data_refer_##name##_(const In *elements, size_t n, struct data_reference *total)    \
    {                                                                                                     \
        Wide sum = 0, greatest = DATA_LEAST;                                                              \
        DATA_EACH_(i, n)                                                                                  \
        {                                                                                                 \
            const Wide x = (Near)elements[i];                                                             \
            sum += x;                                                                                     \
            greatest = greatest < x ? x : greatest;                                                       \
        }                                                                                                 \
        data_refer_##kind(total, sum, greatest);                                                          \
    }                                                                                                     \
    BENCH_FUNCTION void data_fill_##name(void *elements, size_t bytes)                                    \
    {                                                                                                     \
        data_fill_##name##_<<<DATA_BLOCKS, DATA_THREADS>>>((In *)elements, bytes / sizeof(In));           \
        BENCH_CHECK(cudaDeviceSynchronize());                                                             \
    }                                                                                                     \
    BENCH_FUNCTION void data_refer_##name(const void *elements, size_t n, struct data_reference *total)   \
    {                                                                                                     \
        data_refer_##name##_<<<DATA_BLOCKS, DATA_THREADS>>>((const In *)elements, n, total);              \
    }

DATA_DEFINE(int, int, (int)bits, int, integer, long long)
DATA_DEFINE(schar, signed char, (signed char)bits, int, integer, long long)
DATA_DEFINE(float, float, data_float(bits), float, floating, double)
DATA_DEFINE(double, double, data_double(bits), double, floating, double)
DATA_DEFINE(half, __half, __float2half(data_float(bits)), float, floating, double)
DATA_DEFINE(bfloat16, __nv_bfloat16, __float2bfloat16(data_float(bits)), float, floating, double)

/* A type's name, its element, its result, and what a sum of n such elements may be off by, relative to it. */
struct data_type {
    const char *name;
    size_t size, result_size;
    bool is_integer;
    double tolerance;
    void (*fill)(void *elements, size_t bytes);
    void (*refer)(const void *elements, size_t n, struct data_reference *total);
};

static const struct data_type data_types[] = {
    {"int", sizeof(int), sizeof(int), true, 0, data_fill_int, data_refer_int},
    {"float", sizeof(float), sizeof(float), false, 1e-5, data_fill_float, data_refer_float},
    {"double", sizeof(double), sizeof(double), false, 1e-13, data_fill_double, data_refer_double},
    {"half", sizeof(__half), sizeof(float), false, 1e-5, data_fill_half, data_refer_half},
    {"bfloat16", sizeof(__nv_bfloat16), sizeof(float), false, 1e-5, data_fill_bfloat16, data_refer_bfloat16},
    {"schar", sizeof(signed char), sizeof(int), true, 0, data_fill_schar, data_refer_schar},
};

enum { DATA_TYPES = sizeof data_types / sizeof *data_types };

BENCH_FUNCTION struct data_reference data_reference(const struct data_type *type, const void *elements,
                                                    size_t n)
{
    struct data_reference total = {0, 0, DATA_LEAST, 0}, *on_device;
    BENCH_CHECK(cudaMalloc((void **)&on_device, sizeof total));
    BENCH_CHECK(cudaMemcpy(on_device, &total, sizeof total, cudaMemcpyHostToDevice));
    type->refer(elements, n, on_device);
    BENCH_CHECK(cudaMemcpy(&total, on_device, sizeof total, cudaMemcpyDeviceToHost));
    BENCH_CHECK(cudaFree(on_device));
    return total;
}

/* A result as a double: every int and float is one. */
BENCH_FUNCTION double data_result(const struct data_type *type, const void *result)
{
    int integer;
    float single;
    double number;
    memcpy(&integer, result, sizeof integer);
    memcpy(&single, result, sizeof single);
    if (type->is_integer) return integer;
    if (type->result_size == sizeof single) return single;
    memcpy(&number, result, sizeof number);
    return number;
}

BENCH_FUNCTION bool data_is_sum(const struct data_type *type, const void *result, struct data_reference total)
{
    const double found = data_result(type, result);
    if (type->is_integer) return found == (int)total.wrapped;
    return fabs(found - total.sum) <= type->tolerance * total.sum;
}

BENCH_FUNCTION bool data_is_max(const struct data_type *type, const void *result, struct data_reference total)
{
    double greatest;
    memcpy(&greatest, &total.greatest_bits, sizeof greatest);
    return data_result(type, result) == (type->is_integer ? (double)total.greatest : greatest);
}

/* One call on the first bytes of a buffer, as its context says. They come to `elements`, and what the call wrote
   comes from out to `result`. */
BENCH_FUNCTION void data_try(const struct bench_side *side, const void *buffer, void *elements, size_t bytes,
                             void *out, void *result, size_t most, cudaStream_t stream)
{
    BENCH_CHECK(cudaMemcpy(elements, buffer, bytes, cudaMemcpyDeviceToHost));
    BENCH_CHECK(cudaMemset(out, 0xee, most));
    side->call(side->context, 0, stream);
    BENCH_CHECK(cudaStreamSynchronize(stream));
    BENCH_CHECK(cudaMemcpy(result, out, most, cudaMemcpyDeviceToHost));
}

/* ---- The read ceiling ----------------------------------------------------------------------------------
 *
 * A kernel that reads and does next to nothing else, in the best of many shapes for each size.
 */

struct data_shape {
    int loads, threads;
    size_t chunk; /* bytes for each block */
};

struct data_reading {
    const char *buffer;
    size_t bytes, inputs; /* of one input; how many there are to rotate through */
    struct data_shape shape;
    unsigned *sink;
};

/* A buffer of so many bytes, and where its reader writes. */
BENCH_FUNCTION struct data_reading data_reading(size_t bytes)
{
    struct data_reading reading;
    memset(&reading, 0, sizeof reading);
    BENCH_CHECK(cudaMalloc((void **)&reading.buffer, bytes));
    BENCH_CHECK(cudaMalloc((void **)&reading.sink, sizeof *reading.sink));
    return reading;
}

/* How many inputs of so many bytes to rotate through, at most 64. */
BENCH_FUNCTION size_t data_inputs(size_t all, size_t bytes)
{
    return all / bytes > 64 ? 64 : all / bytes > 0 ? all / bytes : 1;
}

/* Loads come in groups that are in flight together; past the end, a group reads its first place again. */
#define DATA_READ_(loads)                                                                                 \
    DATA_GLOBAL_ void data_read_##loads##_(const uint4 *in, size_t count, size_t chunk, unsigned *sink)   \
    {                                                                                                     \
        const size_t begin = blockIdx.x * chunk, end = begin + chunk < count ? begin + chunk : count;     \
        unsigned all = 0;                                                                                 \
        for (size_t k = begin + threadIdx.x; k < end; k += loads * blockDim.x) {                          \
            uint4 x[loads];                                                                               \
            _Pragma("unroll") for (int s = 0; s < loads; s++)                                             \
                x[s] = __ldcs(in + (k + s * blockDim.x < end ? k + s * blockDim.x : k));                  \
            _Pragma("unroll") for (int s = 0; s < loads; s++)                                             \
                all |= x[s].x & x[s].y & x[s].z & x[s].w;                                                 \
        }                                                                                                 \
        if (all == 1) *sink = all; /* needs what was read; all but never true */                          \
    }

DATA_READ_(4)
DATA_READ_(8)

BENCH_FUNCTION void data_read(const void *context, int i, cudaStream_t stream)
{
    const struct data_reading *reading = (const struct data_reading *)context;
    const struct data_shape shape = reading->shape;
    const uint4 *in = (const uint4 *)(reading->buffer + i % reading->inputs * reading->bytes);
    const unsigned blocks = (unsigned)((reading->bytes + shape.chunk - 1) / shape.chunk);
    const size_t count = reading->bytes / sizeof *in, chunk = shape.chunk / sizeof *in;
    if (shape.loads == 4)
        data_read_4_<<<blocks, shape.threads, 0, stream>>>(in, count, chunk, reading->sink);
    else
        data_read_8_<<<blocks, shape.threads, 0, stream>>>(in, count, chunk, reading->sink);
}

/* What a reduction to many results is compared with: the same reading, and so many words of results. */
struct data_floor {
    struct data_reading reading;
    unsigned *out;
    size_t words;
};

/* Every block reads its share and writes its share of the results. */
DATA_GLOBAL_ void data_floor_(const uint4 *in, size_t count, size_t chunk, unsigned *out, size_t words)
{
    const size_t begin = blockIdx.x * chunk, end = begin + chunk < count ? begin + chunk : count;
    unsigned all = 0;
    for (size_t k = begin + threadIdx.x; k < end; k += 4 * blockDim.x) {
        uint4 x[4];
        _Pragma("unroll") for (int s = 0; s < 4; s++) x[s] = __ldcs(in + (k + s * blockDim.x < end ? k + s * blockDim.x : k));
        _Pragma("unroll") for (int s = 0; s < 4; s++) all |= x[s].x & x[s].y & x[s].z & x[s].w;
    }
    const size_t share = (words + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
    for (size_t k = threadIdx.x; k < share; k += blockDim.x)
        if (first + k < words) out[first + k] = all;
    if (words == 0 && all == 1) *out = all;
}

BENCH_FUNCTION void data_floor(const void *context, int i, cudaStream_t stream)
{
    const struct data_floor *f = (const struct data_floor *)context;
    const struct data_shape shape = f->reading.shape;
    const char *in = f->reading.buffer + i % f->reading.inputs * f->reading.bytes;
    const unsigned blocks = (unsigned)((f->reading.bytes + shape.chunk - 1) / shape.chunk);
    data_floor_<<<blocks, shape.threads, 0, stream>>>((const uint4 *)in, f->reading.bytes / sizeof(uint4),
                                                      shape.chunk / sizeof(uint4), f->out, f->words);
}

/* The time of one shape. */
BENCH_FUNCTION double data_try_shape_(struct data_reading reading, struct data_shape shape, int calls,
                                      cudaStream_t stream)
{
    struct bench_side side = bench_side(data_read, &reading);
    reading.shape = shape;
    bench_graph(&side, 1, calls, 5, stream);
    return side.time.median;
}

/* The fastest shape for inputs of this size. */
BENCH_FUNCTION struct data_shape data_best_shape(struct data_reading reading, int calls, cudaStream_t stream)
{
    struct data_shape best = {4, 128, 8 << 10};
    double least = data_try_shape_(reading, best, calls, stream);
    for (int threads = 128; threads <= 1024; threads *= 2) {
        for (int loads = 4; loads <= 8; loads *= 2) {
            const size_t group = (size_t)threads * loads * sizeof(uint4);
            for (size_t chunk = group; chunk <= 16 * group && chunk < 2 * reading.bytes; chunk *= 2) {
                const struct data_shape shape = {loads, threads, chunk};
                const double time = data_try_shape_(reading, shape, calls, stream);
                if (time >= least) continue;
                least = time;
                best = shape;
            }
        }
    }
    return best;
}

#endif /* BENCH_DATA_CUH */
