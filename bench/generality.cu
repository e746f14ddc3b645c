/*
 * generality.cu: what generality costs. Sums and other reductions of large arrays of floats, by users' own
 * definitions (expressions, maps, indices, struct accumulators), beside the built-in sum and a kernel that
 * only reads.
 */
#include "data.cuh"
#include "reduce.cuh"

static const char options[] = "--quick --rounds= --json=";

/* ---- Operators ----------------------------------------------------------------------------------------- */

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_AS(expression, float, 0, a + b)
DEFINE_REDUCE_MAP(squares, float, float, x *x, 0, a + b)
DEFINE_REDUCE_MAP(in_double, float, double, x, 0, a + b)
DEFINE_REDUCE_MAP(count_if, float, long long, x > 1.0f, 0, a + b)

typedef struct {
    float value;
    unsigned index;
} candidate;

static __host__ __device__ candidate candidate_at(float value, size_t index)
{
    const candidate result = {value, (unsigned)index};
    return result;
}

static __host__ __device__ bool beats(candidate a, candidate b)
{
    return a.value > b.value || (a.value == b.value && a.index < b.index);
}

DEFINE_REDUCE_MAP(arg_max, float, candidate, candidate_at(x, i), candidate_at(-INFINITY, UINT32_MAX),
                  beats(a, b) ? a : b)

typedef struct {
    float least, greatest;
} range;

static __host__ __device__ range range_of(float least, float greatest)
{
    const range result = {least, greatest};
    return result;
}

DEFINE_REDUCE_MAP(min_max, float, range, range_of(x, x), range_of(INFINITY, -INFINITY),
                  range_of(fminf(a.least, b.least), fmaxf(a.greatest, b.greatest)))

/* Sums of the first two powers: mean and variance, where the data is centred. */
typedef struct {
    double count, sum, squares;
} moments;

static __host__ __device__ moments moments_of(double count, double sum, double squares)
{
    const moments result = {count, sum, squares};
    return result;
}

DEFINE_REDUCE_MAP(power_sums, float, moments, moments_of(1, x, (double)x * x), moments_of(0, 0, 0),
                  moments_of(a.count + b.count, a.sum + b.sum, a.squares + b.squares))

/* X(name, T, text) */
#define KINDS(X)                                                                                          \
    X(reduce_float_sum, float, "built-in sum")                                                            \
    X(reduce_float_max, float, "built-in max")                                                            \
    X(expression, float, "sum by expression")                                                             \
    X(squares, float, "map: sum of squares")                                                              \
    X(in_double, double, "map: sum in double")                                                            \
    X(count_if, long long, "map: count of x > 1")                                                         \
    X(min_max, range, "struct: min and max, 8 bytes")                                                     \
    X(arg_max, candidate, "struct: arg-max, 8 bytes")                                                     \
    X(power_sums, moments, "struct: power sums, 24 bytes")

/* ---- Sides --------------------------------------------------------------------------------------------- */

struct work {
    const char *buffer;
    size_t bytes, inputs;
    void *out;
    reduce_workspace *ws;
};

#define DEFINE_CALL(name, T, text)                                                                        \
    static void name##_call(const void *context, int i, cudaStream_t stream)                              \
    {                                                                                                     \
        const struct work *work = (const struct work *)context;                                           \
        const float *in = (const float *)(work->buffer + i % work->inputs * work->bytes);                 \
        BENCH_CHECK(name##_async(in, work->bytes / sizeof *in, (T *)work->out, work->ws, stream));        \
    }                                                                                                     \
    static bool name##_is_right(const float *elements, size_t n, const void *result)                      \
    {                                                                                                     \
        const T expected = name##_cpu(elements, n);                                                       \
        return memcmp(&expected, result, sizeof expected) == 0;                                           \
    }
KINDS(DEFINE_CALL)

struct kind {
    const char *text;
    size_t size;
    void (*call)(const void *context, int i, cudaStream_t stream);
    bool (*is_right)(const float *elements, size_t n, const void *result);
};

#define KIND_OF(name, T, text) {text, sizeof(T), name##_call, name##_is_right},
static const struct kind kinds[] = {KINDS(KIND_OF)};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds, CHECKED_BYTES = 1 << 22 };

/* ---- The run ------------------------------------------------------------------------------------------- */

/* Stops unless the GPU gives the CPU's bits, on a small array. */
static void check(const struct kind *kind, struct work work, cudaStream_t stream)
{
    static float elements[CHECKED_BYTES / sizeof(float)];
    unsigned char result[REDUCE_MAX_SIZE];
    const struct bench_side side = bench_side(kind->call, &work);
    work.bytes = sizeof elements;
    data_try(&side, work.buffer, elements, sizeof elements, work.out, result, sizeof result, stream);
    if (!kind->is_right(elements, work.bytes / sizeof *elements, result)) bench_fail("%s: wrong", kind->text);
}

static void report(struct bench_json *json, size_t bytes, const struct bench_side *sides, int rounds)
{
    const struct bench_side *read = &sides[KIND_COUNT];
    printf("\n%zu MiB; a kernel that only reads: %.2f us, %.0f GB/s\n", bytes >> 20, read->time.median,
           bytes / read->time.median * 1e-3);
    for (int k = 0; k < KIND_COUNT; k++) {
        const struct bench_time built_in = bench_ratio(&sides[0], &sides[k], rounds);
        const struct bench_time reading = bench_ratio(read, &sides[k], rounds);
        printf("  %-30s %10.2f us %7.0f GB/s %8.1f %% of built-in sum %8.1f %% of reading\n", kinds[k].text,
               sides[k].time.median, bytes / sides[k].time.median * 1e-3, 100 * built_in.median,
               100 * reading.median);
        bench_json_row(json,
                       "\"kind\": \"%s\", \"bytes\": %zu, \"us\": %.4f, \"low\": %.4f, \"high\": %.4f, "
                       "\"gbs\": %.1f, \"built_in_percent\": %.2f, \"read_percent\": %.2f",
                       kinds[k].text, bytes, sides[k].time.median, sides[k].time.low, sides[k].time.high,
                       bytes / sides[k].time.median * 1e-3, 100 * built_in.median, 100 * reading.median);
    }
    fflush(stdout);
}

static void run_size(struct bench_json *json, struct work *work, struct data_reading *reading, int rounds,
                     cudaStream_t stream)
{
    struct bench_side sides[KIND_COUNT + 1];
    const int calls = work->bytes < (size_t)1 << 28 ? 32 : 8;
    reading->shape = data_best_shape(*reading, calls, stream);
    for (int k = 0; k < KIND_COUNT; k++) sides[k] = bench_side(kinds[k].call, work);
    sides[KIND_COUNT] = bench_side(data_read, reading);
    bench_graph(sides, KIND_COUNT + 1, calls, rounds, stream);
    report(json, work->bytes, sides, rounds);
}

int main(int argc, char **argv)
{
    static const int logs[] = {16, 20, 24, 28, 32};
    const bool is_quick = bench_flag(argc, argv, "--quick");
    const size_t all = (size_t)1 << 32;
    struct work work;
    cudaStream_t stream;
    bench_check_options(argc, argv, options);
    const int rounds = bench_rounds(argc, argv, 11);
    struct bench_json json = bench_json_begin(argc, argv);
    bench_heading("The price of generality: arrays of floats, in a graph");
    BENCH_CHECK(cudaStreamCreate(&stream));
    struct data_reading reading = data_reading(all);
    BENCH_CHECK(cudaMalloc(&work.out, REDUCE_MAX_SIZE));
    BENCH_CHECK(reduce_workspace_create(&work.ws));
    data_fill_float((void *)reading.buffer, all);
    work.buffer = reading.buffer;
    work.inputs = 1;
    for (int k = 0; k < KIND_COUNT; k++) check(&kinds[k], work, stream);
    for (size_t l = 0; l < sizeof logs / sizeof *logs - is_quick; l++) {
        bench_progress((int)l, sizeof logs / sizeof *logs, "sizes");
        work.bytes = reading.bytes = (size_t)1 << logs[l];
        work.inputs = reading.inputs = data_inputs(all, work.bytes);
        run_size(&json, &work, &reading, rounds, stream);
    }
    bench_progress(1, 1, "done");
    bench_json_end(&json, "");
    return 0;
}
