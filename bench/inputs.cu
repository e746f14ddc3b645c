/*
 * inputs.cu: times of reductions of two arrays, with contexts, and of ready-made results: large arrays by
 * reduce_inputs.cuh and reduce_results.cuh, beside a kernel that only reads as many bytes, cuBLAS's dot product and
 * CUB's argmax, all in one run.
 *
 *     inputs [--quick] [--rounds N] [--json FILE]
 */
#include "data.cuh"
#include "reduce_inputs.cuh"
#include "reduce_results.cuh"

#include <cub/device/device_reduce.cuh>
#include <dlfcn.h>

static const char options[] = "--quick --rounds= --json=";

/* ---- Kinds --------------------------------------------------------------------------------------------- */

typedef signed char schar;

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(float, min)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ZIP(dot, float, float, float, x *y, 0, a + b)
DEFINE_REDUCE_ZIP(dot_double, double, double, double, x *y, 0, a + b)
DEFINE_REDUCE_ZIP(dot_half, __half, __half, float, __half2float(x) * __half2float(y), 0, a + b)
DEFINE_REDUCE_ZIP(weighted, float, schar, float, x *(float)y, 0, a + b)
DEFINE_REDUCE_ZIP(distance, float, float, float, (x - y) * (x - y), 0, a + b)
DEFINE_REDUCE_WITH(deviations, float, float, float, (x - c) * (x - c), 0, a + b)
DEFINE_REDUCE_ARG(float, max)
DEFINE_REDUCE_ARG(double, max)
DEFINE_REDUCE_ARG(int, max)
DEFINE_REDUCE_ARG(schar, max)
DEFINE_REDUCE_ARG(short, max)
DEFINE_REDUCE_ARG(__half, max)
DEFINE_REDUCE_ARG(float, fmin)
DEFINE_REDUCE_PAIR(extent, reduce_float_min, reduce_float_max)
DEFINE_REDUCE_MOMENTS(float)
DEFINE_REDUCE_MOMENTS(double)

/* X(NAME, kind of input, its first and second element, text). One array has no second. */
#define KINDS(X)                                                                                          \
    X(reduce_float_sum, ARRAY, float, float, "sum of floats")                                             \
    X(dot, ZIP, float, float, "dot product of floats")                                                    \
    X(dot_double, ZIP, double, double, "dot product of doubles")                                          \
    X(dot_half, ZIP, __half, __half, "dot product of halves, in float")                                   \
    X(weighted, ZIP, float, schar, "floats by signed chars")                                              \
    X(distance, ZIP, float, float, "squared distance of floats")                                          \
    X(deviations, WITH, float, float, "squared deviations of floats from a number")                       \
    X(reduce_float_argmax, ARRAY, float, float, "argmax of floats")                                       \
    X(reduce_double_argmax, ARRAY, double, double, "argmax of doubles")                                   \
    X(reduce_int_argmax, ARRAY, int, int, "argmax of ints")                                               \
    X(reduce_schar_argmax, ARRAY, schar, schar, "argmax of signed chars")                                 \
    X(reduce_short_argmax, ARRAY, short, short, "argmax of shorts")                                       \
    X(reduce___half_argmax, ARRAY, __half, __half, "argmax of halves")                                    \
    X(reduce_float_argfmin, ARRAY, float, float, "argfmin of floats")                                     \
    X(extent, ARRAY, float, float, "pair: min and max of floats")                                         \
    X(reduce_float_moments, ARRAY, float, float, "moments of floats")                                     \
    X(reduce_double_moments, ARRAY, double, double, "moments of doubles")

struct work {
    const char *buffer;
    size_t bytes, inputs;
    void *out;
    reduce_workspace *ws;
    void *blas; /* cuBLAS's handle, and what is called */
    int (*sdot)(void *, int, const float *, int, const float *, int, float *);
    int (*set_stream)(void *, cudaStream_t);
    void *room; /* CUB's */
    size_t room_bytes;
};

static const char *input(const struct work *work, int i)
{
    return work->buffer + i % work->inputs * work->bytes;
}

#define COUNT_ARRAY(X, Y, bytes) ((bytes) / sizeof(X))
#define COUNT_WITH COUNT_ARRAY
#define COUNT_ZIP(X, Y, bytes) ((bytes) / (sizeof(X) + sizeof(Y)))
#define OPERANDS_ARRAY(X, Y, in, n) (const X *)(in), n
#define OPERANDS_WITH(X, Y, in, n) (const X *)(in), n, (X)0.25
#define OPERANDS_ZIP(X, Y, in, n) (const X *)(in), (const Y *)((in) + (n) * sizeof(X)), n

#define DEFINE_KIND(NAME, KIND, X, Y, text)                                                               \
    static void NAME##_call(const void *context, int i, cudaStream_t stream)                              \
    {                                                                                                     \
        const struct work *work = (const struct work *)context;                                           \
        const char *const in = input(work, i);                                                            \
        const size_t n = COUNT_##KIND(X, Y, work->bytes);                                                 \
        BENCH_CHECK(NAME##_async(OPERANDS_##KIND(X, Y, in, n), (NAME##_result *)work->out, work->ws, stream)); \
    }                                                                                                     \
    static bool NAME##_is_right(const char *in, size_t bytes, const void *result)                         \
    {                                                                                                     \
        const size_t n = COUNT_##KIND(X, Y, bytes);                                                       \
        const NAME##_result expected = NAME##_cpu(OPERANDS_##KIND(X, Y, in, n));                          \
        return memcmp(&expected, result, sizeof expected) == 0;                                           \
    }
KINDS(DEFINE_KIND)

struct kind {
    const char *text;
    void (*call)(const void *context, int i, cudaStream_t stream);
    bool (*is_right)(const char *in, size_t bytes, const void *result);
};

#define KIND_OF(NAME, KIND, X, Y, text) {text, NAME##_call, NAME##_is_right},
static const struct kind kinds[] = {KINDS(KIND_OF)};

/* ---- Rivals -------------------------------------------------------------------------------------------- */

static void blas_call(const void *context, int i, cudaStream_t stream)
{
    const struct work *work = (const struct work *)context;
    const float *const in = (const float *)input(work, i);
    const size_t n = work->bytes / 2 / sizeof *in;
    if (work->set_stream(work->blas, stream) != 0 ||
        work->sdot(work->blas, (int)n, in, 1, in + n, 1, (float *)work->out) != 0)
        bench_fail("cublasSdot");
}

static void cub_call(const void *context, int i, cudaStream_t stream)
{
    const struct work *work = (const struct work *)context;
    size_t bytes = work->room_bytes;
    float *const value = (float *)work->out;
    BENCH_CHECK(cub::DeviceReduce::ArgMax(work->room, bytes, (const float *)input(work, i), value,
                                          (int64_t *)(void *)(value + 2), (int64_t)(work->bytes / 4), stream));
}

/* cuBLAS is loaded where it is, without its header; without it that row is missing. */
static bool load_blas(struct work *work)
{
    enum { ROOM = 32 << 20, RESULTS_ON_DEVICE = 1 };
    void *const library = dlopen("libcublas.so.13", RTLD_NOW), *room;
    if (library == NULL) return false;
    int (*const create)(void **) = (int (*)(void **))dlsym(library, "cublasCreate_v2");
    int (*const mode)(void *, int) = (int (*)(void *, int))dlsym(library, "cublasSetPointerMode_v2");
    int (*const give)(void *, void *, size_t) = (int (*)(void *, void *, size_t))dlsym(library, "cublasSetWorkspace_v2");
    *(void **)(void *)&work->sdot = dlsym(library, "cublasSdot_v2");
    *(void **)(void *)&work->set_stream = dlsym(library, "cublasSetStream_v2");
    if (create == NULL || create(&work->blas) != 0) return false;
    BENCH_CHECK(cudaMalloc(&room, ROOM));
    return mode(work->blas, RESULTS_ON_DEVICE) == 0 && give(work->blas, room, ROOM) == 0;
}

/* ---- The run ------------------------------------------------------------------------------------------- */

enum { KIND_COUNT = sizeof kinds / sizeof *kinds, READ = KIND_COUNT, CUB, BLAS, SIDES, CHECKED_BYTES = 9 << 19 };

/* Stops unless the GPU gives the CPU's bits, on a small array. */
static void check(const struct kind *kind, struct work work, cudaStream_t stream)
{
    static char elements[CHECKED_BYTES] __attribute__((aligned(16)));
    unsigned char result[REDUCE_MAX_SIZE];
    const struct bench_side side = bench_side(kind->call, &work);
    work.bytes = sizeof elements;
    data_try(&side, work.buffer, elements, sizeof elements, work.out, result, sizeof result, stream);
    if (!kind->is_right(elements, work.bytes, result)) bench_fail("%s: wrong", kind->text);
}

static void report(struct bench_json *json, size_t bytes, const struct bench_side *sides, int count, int rounds)
{
    printf("\n%zu MiB; a kernel that only reads: %.2f us, %.0f GB/s\n", bytes >> 20, sides[READ].time.median,
           bytes / sides[READ].time.median * 1e-3);
    for (int k = 0; k < count; k++) {
        const char *const text = k < KIND_COUNT ? kinds[k].text : k == CUB ? "CUB: argmax of floats" : "cuBLAS: dot product of floats";
        const struct bench_time reading = bench_ratio(&sides[READ], &sides[k], rounds);
        if (k == READ) continue;
        printf("  %-46s %10.2f us %7.0f GB/s %8.1f %% of reading\n", text, sides[k].time.median,
               bytes / sides[k].time.median * 1e-3, 100 * reading.median);
        bench_json_row(json, "\"kind\": \"%s\", \"bytes\": %zu, \"us\": %.4f, \"low\": %.4f, \"high\": %.4f, \"read_percent\": %.2f",
                       text, bytes, sides[k].time.median, sides[k].time.low, sides[k].time.high, 100 * reading.median);
    }
    fflush(stdout);
}

static void run_size(struct bench_json *json, struct work *work, struct data_reading *reading, int rounds,
                     cudaStream_t stream)
{
    struct bench_side sides[SIDES];
    const int calls = work->bytes < (size_t)1 << 28 ? 32 : 4, count = work->blas == NULL ? BLAS : SIDES;
    float *const none = NULL;
    reading->shape = data_best_shape(*reading, calls, stream);
    BENCH_CHECK(cub::DeviceReduce::ArgMax(NULL, work->room_bytes, (const float *)none, none, (int64_t *)none,
                                          (int64_t)(work->bytes / 4), stream));
    BENCH_CHECK(cudaMalloc(&work->room, work->room_bytes));
    for (int k = 0; k < KIND_COUNT; k++) sides[k] = bench_side(kinds[k].call, work);
    sides[READ] = bench_side(data_read, reading);
    sides[CUB] = bench_side(cub_call, work);
    if (count > BLAS) sides[BLAS] = bench_side(blas_call, work);
    bench_graph(sides, count, calls, rounds, stream);
    report(json, work->bytes, sides, count, rounds);
    BENCH_CHECK(cudaFree(work->room));
}

int main(int argc, char **argv)
{
    static const int logs[] = {20, 24, 28, 30, 31};
    const bool is_quick = bench_flag(argc, argv, "--quick");
    const size_t all = (size_t)1 << 32;
    struct work work;
    cudaStream_t stream;
    bench_check_options(argc, argv, options);
    const int rounds = bench_rounds(argc, argv, 11);
    memset(&work, 0, sizeof work);
    struct bench_json json = bench_json_begin(argc, argv);
    bench_heading("Two arrays, contexts and ready-made results, in a graph");
    BENCH_CHECK(cudaStreamCreate(&stream));
    struct data_reading reading = data_reading(all);
    BENCH_CHECK(cudaMalloc(&work.out, REDUCE_MAX_SIZE));
    BENCH_CHECK(reduce_workspace_create(&work.ws));
    data_fill_float((void *)reading.buffer, all);
    work.buffer = reading.buffer;
    work.inputs = 1;
    if (!load_blas(&work)) work.blas = NULL, printf("cuBLAS is not here\n");
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
