/*
 * exact.cu: times of correctly rounded sums of floats and doubles, by the size of the array and by the span of the
 * numbers' exponents; beside the plain sum, CUB's reproducible sum (gpu_to_gpu) and a kernel that only reads.
 *
 *     exact [--quick] [--rounds N] [--json FILE]
 *
 * CUB's sum needs the headers of the package nvidia-cuda-cccl: those of CUDA 13.0 are older. See README.md.
 */
#include "data.cuh"
#include "reduce_exact.cuh"

#include <cub/device/device_reduce.cuh>

static const char options[] = "--quick --rounds= --json=";

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(double, sum)
DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(double)

struct work {
    const char *buffer;
    size_t bytes, inputs;
    void *out;
    reduce_workspace *ws;
    void *room; /* CUB's */
};

static const char *input(const struct work *work, int i)
{
    return work->buffer + i % work->inputs * work->bytes;
}

/* ---- Sides --------------------------------------------------------------------------------------------- */

/* Memory that is there already, for CUB: so that its allocation is not timed. */
struct room {
    void *memory;
    void *allocate(cuda::stream_ref, size_t, size_t) const { return memory; }
    void deallocate(cuda::stream_ref, void *, size_t, size_t) const {}
    void *allocate_sync(size_t, size_t) const { return memory; }
    void deallocate_sync(void *, size_t, size_t) const {}
    bool operator==(const room &other) const { return memory == other.memory; }
    bool operator!=(const room &other) const { return memory != other.memory; }
};

template <typename T> static void cub_sum(const T *in, T *out, size_t n, void *memory, cudaStream_t stream)
{
    using namespace cuda::std::execution;
    const auto how = env{cuda::stream_ref{stream},
                         cuda::execution::require(cuda::execution::determinism::gpu_to_gpu),
                         prop{cuda::mr::__get_memory_resource, room{memory}}};
    BENCH_CHECK(cub::DeviceReduce::Sum(in, out, n, how));
}

#define DEFINE_SIDES(T)                                                                                   \
    static void plain_##T(const void *context, int i, cudaStream_t stream)                                \
    {                                                                                                     \
        const struct work *work = (const struct work *)context;                                           \
        BENCH_CHECK(reduce_##T##_sum_async((const T *)input(work, i), work->bytes / sizeof(T), (T *)work->out, \
                                           work->ws, stream));                                            \
    }                                                                                                     \
    static void exact_##T(const void *context, int i, cudaStream_t stream)                                \
    {                                                                                                     \
        const struct work *work = (const struct work *)context;                                           \
        BENCH_CHECK(reduce_##T##_exact_sum_async((const T *)input(work, i), work->bytes / sizeof(T),      \
                                                 (T *)work->out, work->ws, stream));                      \
    }                                                                                                     \
    static void cub_##T(const void *context, int i, cudaStream_t stream)                                  \
    {                                                                                                     \
        const struct work *work = (const struct work *)context;                                           \
        cub_sum((const T *)input(work, i), (T *)work->out, work->bytes / sizeof(T), work->room, stream);  \
    }                                                                                                     \
    static bool is_right_##T(const char *in, size_t bytes, const void *result)                            \
    {                                                                                                     \
        const T expected = reduce_##T##_exact_sum_cpu((const T *)(const void *)in, bytes / sizeof(T));    \
        return memcmp(&expected, result, sizeof expected) == 0;                                           \
    }
DEFINE_SIDES(float)
DEFINE_SIDES(double)

/* ---- Numbers ------------------------------------------------------------------------------------------- */

/* Numbers of both signs whose exponents lie in a span of so many binades, in the middle of all. */
#define DEFINE_FILL(T, word, fraction, exponents)                                                         \
    static __global__ void fill_##T(T *elements, size_t n, int span)                                      \
    {                                                                                                     \
        DATA_EACH_(i, n)                                                                                  \
        {                                                                                                 \
            const uint64_t bits = data_bits(i), other = data_bits(~i);                                    \
            const word exponent = (word)((exponents) / 2 - span / 2 + (int)(other % (unsigned)(span + 1)));\
            word number = (word)(bits >> (64 - fraction - 1));                                            \
            number = (number >> 1) | (number & 1) << (8 * sizeof(word) - 1) | exponent << fraction;       \
            memcpy(&elements[i], &number, sizeof number);                                                 \
        }                                                                                                 \
    }
DEFINE_FILL(float, uint32_t, 23, 254)
DEFINE_FILL(double, uint64_t, 52, 2046)

static void fill(bool is_double, char *buffer, size_t bytes, int span)
{
    if (is_double) fill_double<<<DATA_BLOCKS, DATA_THREADS>>>((double *)buffer, bytes / 8, span);
    else fill_float<<<DATA_BLOCKS, DATA_THREADS>>>((float *)buffer, bytes / 4, span);
    BENCH_CHECK(cudaGetLastError());
    BENCH_CHECK(cudaDeviceSynchronize());
}

/* ---- The run ------------------------------------------------------------------------------------------- */

enum { PLAIN, EXACT, CUB, READ, SIDES, ORDINARY_SPAN = 20 };
static const char *const names[] = {"float", "double"};

struct type {
    void (*calls[3])(const void *context, int i, cudaStream_t stream);
    bool (*is_right)(const char *in, size_t bytes, const void *result);
};
static const struct type types[] = {{{plain_float, exact_float, cub_float}, is_right_float},
                                    {{plain_double, exact_double, cub_double}, is_right_double}};

/* Stops unless the GPU gives the CPU's bits, on part of the array. */
static void check(const struct type *type, struct work work, cudaStream_t stream)
{
    static char elements[9 << 17] __attribute__((aligned(16)));
    unsigned char result[8];
    const struct bench_side side = bench_side(type->calls[EXACT], &work);
    work.bytes = sizeof elements;
    data_try(&side, work.buffer, elements, sizeof elements, work.out, result, sizeof result, stream);
    if (!type->is_right(elements, work.bytes, result)) bench_fail("wrong");
}

static void run_cell(struct bench_json *json, int t, int span, struct work *work, struct data_reading *reading,
                     int rounds, cudaStream_t stream)
{
    struct bench_side sides[SIDES];
    const int calls = work->bytes < (size_t)1 << 28 ? 32 : 4;
    for (int k = 0; k < READ; k++) sides[k] = bench_side(types[t].calls[k], work);
    sides[READ] = bench_side(data_read, reading);
    bench_graph(sides, SIDES, calls, rounds, stream);
    const struct bench_time plain = bench_ratio(&sides[PLAIN], &sides[EXACT], rounds);
    const struct bench_time cub = bench_ratio(&sides[CUB], &sides[EXACT], rounds);
    const struct bench_time reading_speed = bench_ratio(&sides[READ], &sides[EXACT], rounds);
    printf("%-6s %11zu %5d |%10.2f%10.2f%10.2f%10.2f |%8.3f%8.3f%8.3f\n", names[t], work->bytes, span,
           sides[EXACT].time.median, sides[PLAIN].time.median, sides[CUB].time.median, sides[READ].time.median,
           plain.median, cub.median, reading_speed.median);
    bench_json_row(json, "\"type\": \"%s\", \"bytes\": %zu, \"span\": %d, \"exact_us\": %.4f, \"exact_low\": %.4f, "
                         "\"exact_high\": %.4f, \"plain_us\": %.4f, \"cub_us\": %.4f, \"read_us\": %.4f, "
                         "\"of_plain\": %.4f, \"over_cub\": %.4f, \"of_reading\": %.4f",
                   names[t], work->bytes, span, sides[EXACT].time.median, sides[EXACT].time.low,
                   sides[EXACT].time.high, sides[PLAIN].time.median, sides[CUB].time.median, sides[READ].time.median,
                   plain.median, cub.median, reading_speed.median);
    fflush(stdout);
}

static void run_type(struct bench_json *json, int t, struct work *work, struct data_reading *reading, bool is_quick,
                     int rounds, cudaStream_t stream)
{
    static const int spans[] = {0, 20, 40, 60, 64, 70, 80, 90, 120, 160, 200, 254, 500, 1000, 2045};
    const size_t all = (size_t)1 << 32, wide = (size_t)1 << 28;
    const int most = t == 1 ? 2045 : 254;
    fill(t == 1, (char *)work->buffer, all, ORDINARY_SPAN);
    check(&types[t], *work, stream);
    for (int log = 8; log <= 32; log += is_quick ? (log < 14 ? 3 : 2) : 1) {
        work->bytes = reading->bytes = (size_t)1 << log;
        work->inputs = reading->inputs = data_inputs(all, work->bytes);
        if (log % 2 == 0) reading->shape = data_best_shape(*reading, 4, stream);
        bench_progress(t * 50 + log, 100, "sizes");
        run_cell(json, t, ORDINARY_SPAN, work, reading, rounds, stream);
    }
    work->bytes = reading->bytes = wide;
    work->inputs = reading->inputs = 1;
    reading->shape = data_best_shape(*reading, 4, stream);
    for (size_t k = 0; k < sizeof spans / sizeof *spans && spans[k] <= most; k += is_quick ? 4 : 1) {
        fill(t == 1, (char *)work->buffer, wide, spans[k]);
        check(&types[t], *work, stream);
        run_cell(json, t, spans[k], work, reading, rounds, stream);
    }
}

int main(int argc, char **argv)
{
    const bool is_quick = bench_flag(argc, argv, "--quick");
    struct work work;
    cudaStream_t stream;
    bench_check_options(argc, argv, options);
    const int rounds = bench_rounds(argc, argv, 9);
    struct bench_json json = bench_json_begin(argc, argv);
    memset(&work, 0, sizeof work);
    bench_heading("Exact sums, in a graph: microseconds");
    BENCH_CHECK(cudaStreamCreate(&stream));
    struct data_reading reading = data_reading((size_t)1 << 32);
    BENCH_CHECK(cudaMalloc(&work.out, 16));
    BENCH_CHECK(cudaMalloc(&work.room, (size_t)1 << 28));
    BENCH_CHECK(reduce_workspace_create(&work.ws));
    work.buffer = reading.buffer;
    work.inputs = 1;
    printf("                     span |     exact     plain       CUB   reading | of plain over CUB of reading\n");
    for (int t = 0; t < 2; t++) run_type(&json, t, &work, &reading, is_quick, rounds, stream);
    bench_progress(1, 1, "done");
    bench_json_end(&json, "");
    return 0;
}
