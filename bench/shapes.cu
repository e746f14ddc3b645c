/*
 * shapes.cu: times of rows, columns and segments by reductions that need more registers than a sum of numbers: argmax,
 * moments, dot products, and sums of vectors of four floats; beside sums of floats in the same shapes, and beside a floor, a
 * kernel that reads as many bytes and writes as many results. All have as many elements.
 *
 *     shapes [--quick] [--log N] [--rounds N] [--json FILE]
 */
#include "data.cuh"
#include "reduce_results.cuh"
#include "reduce_rows.cuh"

static const char options[] = "--quick --log= --rounds= --json=";

typedef struct { float x, y, z, w; } vector;
static __host__ __device__ vector vector_of(float x, float y, float z, float w)
{
    const vector v = {x, y, z, w};
    return v;
}

/* X(NAME, text, arrays, element) */
#define KINDS(X)                                                                                          \
    X(reduce_float_sum, "sum", ONE, float)                                                                \
    X(reduce_float_argmax, "argmax", ONE, float)                                                          \
    X(reduce_float_moments, "moments", ONE, float)                                                        \
    X(dot, "dot", TWO, float)                                                                             \
    X(vectors, "vectors", ONE, vector)

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_ROWS(reduce_float_sum)
DEFINE_REDUCE_ARG(float, max)
DEFINE_REDUCE_ROWS(reduce_float_argmax)
DEFINE_REDUCE_MOMENTS(float)
DEFINE_REDUCE_ROWS(reduce_float_moments)
DEFINE_REDUCE_ZIP(dot, float, float, float, x *y, 0, a + b)
DEFINE_REDUCE_ZIP_ROWS(dot)
DEFINE_REDUCE_AS(vectors, vector, vector_of(0, 0, 0, 0), vector_of(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w))
DEFINE_REDUCE_ROWS(vectors)

enum { ALL = 1 << 30, CHECKED = 1000 };

/* A matrix of so many rows of n elements; segments are its rows. */
struct work {
    struct data_floor floor;
    size_t rows, n;
    int64_t *offsets;
    reduce_workspace *ws;
};

/* Input i lies in the first half of the buffer if there are two arrays, and its second array as far behind that half. */
static const char *input(const struct work *work, int i, int arrays)
{
    const struct data_reading *reading = &work->floor.reading;
    return reading->buffer + i % reading->inputs * reading->bytes / arrays;
}
#define ONE(element) (const element *)(const void *)input(w, i, 1)
#define TWO(element)                                                                                      \
    (const element *)(const void *)input(w, i, 2), (const element *)(const void *)(input(w, i, 2) + ALL / 2)
#define ONE_CHECKED(element) (const element *)first
#define TWO_CHECKED(element) (const element *)first, (const element *)second
enum { ARRAYS_OF_ONE = 1, ARRAYS_OF_TWO = 2 };

#define DEFINE_CALL(NAME, arrays, element, shape, ...)                                                    \
    static void NAME##_by_##shape(const void *context, int i, cudaStream_t stream)                        \
    {                                                                                                     \
        const struct work *w = (const struct work *)context;                                              \
        NAME##_result *const out = (NAME##_result *)w->floor.out;                                         \
        BENCH_CHECK(NAME##_##shape##_async(arrays(element), __VA_ARGS__, out, w->ws, stream));            \
    }

/* NAME_is_right: of a square matrix, the first row, column and segment have the CPU's bits. */
#define DEFINE_KIND(NAME, text, arrays, element)                                                          \
    DEFINE_CALL(NAME, arrays, element, rows, w->rows, w->n, w->n)                                         \
    DEFINE_CALL(NAME, arrays, element, columns, w->rows, w->n, w->n)                                      \
    DEFINE_CALL(NAME, arrays, element, segments, w->offsets, w->rows)                                     \
    static bool NAME##_is_right(const void *first, const void *second, unsigned char results[][REDUCE_MAX_SIZE])   \
    {                                                                                                     \
        NAME##_result columns[CHECKED];                                                                   \
        const NAME##_result row = NAME##_cpu(arrays##_CHECKED(element), CHECKED);                         \
        NAME##_columns_cpu(arrays##_CHECKED(element), CHECKED, CHECKED, CHECKED, columns);                \
        (void)second;                                                                                     \
        return memcmp(&row, results[ROWS], sizeof row) == 0 &&                                            \
               memcmp(columns, results[COLUMNS], sizeof row) == 0 &&                                      \
               memcmp(&row, results[SEGMENTS], sizeof row) == 0;                                          \
    }
enum { ROWS, COLUMNS, SEGMENTS, SHAPES };
static const char *const shape_names[] = {"rows", "columns", "segments"};
KINDS(DEFINE_KIND)

struct kind {
    const char *text;
    size_t bytes, size; /* of an element, of a result */
    void (*calls[SHAPES])(const void *context, int i, cudaStream_t stream);
    bool (*is_right)(const void *first, const void *second, unsigned char results[][REDUCE_MAX_SIZE]);
};

#define KIND_OF(NAME, text, arrays, element)                                                              \
    {text, ARRAYS_OF_##arrays * sizeof(element), sizeof(NAME##_result),                                   \
     {NAME##_by_rows, NAME##_by_columns, NAME##_by_segments}, NAME##_is_right},
static const struct kind kinds[] = {KINDS(KIND_OF)};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

DATA_GLOBAL_ void fill_offsets_(int64_t *offsets, size_t count, size_t n)
{
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k <= count; k += gridDim.x * blockDim.x)
        offsets[k] = (int64_t)(k * n);
}

static void set_lengths(struct work *work, size_t rows, size_t n, cudaStream_t stream)
{
    work->rows = rows, work->n = n;
    fill_offsets_<<<1024, 256, 0, stream>>>(work->offsets, rows, n);
    BENCH_CHECK(cudaGetLastError());
}

/* Stops unless the GPU gives the CPU's bits. */
static void check(const struct kind *kind, const struct work *work, cudaStream_t stream)
{
    const size_t bytes = CHECKED * CHECKED * sizeof(vector);
    unsigned char results[SHAPES][REDUCE_MAX_SIZE];
    void *const first = bench_malloc(bytes), *const second = bench_malloc(bytes);
    BENCH_CHECK(cudaMemcpy(second, work->floor.reading.buffer + ALL / 2, bytes, cudaMemcpyDeviceToHost));
    for (int k = 0; k < SHAPES; k++) {
        const struct bench_side side = bench_side(kind->calls[k], work);
        data_try(&side, work->floor.reading.buffer, first, bytes, work->floor.out, results[k], kind->size, stream);
    }
    if (!kind->is_right(first, second, results)) bench_fail("%s: wrong", kind->text);
    free(first);
    free(second);
}

/* The same work for elements of a kind, and its floor. */
static struct work work_of(const struct work *all, const struct kind *kind, int shape)
{
    struct work work = *all;
    work.floor.reading.bytes = work.rows * work.n * kind->bytes / 32 * 32;
    work.floor.reading.inputs = data_inputs(ALL, work.floor.reading.bytes);
    work.floor.words = (shape == COLUMNS ? work.n : work.rows) * kind->size / sizeof(unsigned);
    return work;
}

/* Each kind and its floor in turns; then a line of the table. */
static void run(struct bench_json *json, const struct work *all, int shape, int calls, int rounds, cudaStream_t stream)
{
    struct bench_side sides[2 * KIND_COUNT];
    struct work works[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; k++) {
        works[k] = work_of(all, &kinds[k], shape);
        sides[2 * k] = bench_side(kinds[k].calls[shape], &works[k]);
        sides[2 * k + 1] = bench_side(data_floor, &works[k].floor);
    }
    bench_graph(sides, 2 * KIND_COUNT, calls, rounds, stream);
    printf("%-8s %10zu x %-8zu", shape_names[shape], all->rows, all->n);
    for (int k = 0; k < KIND_COUNT; k++) {
        const struct bench_time over = bench_ratio(&sides[2 * k], &sides[2 * k + 1], rounds);
        printf("  %s %8.2f us (%5.2f)", kinds[k].text, sides[2 * k].time.median, over.median);
        bench_json_row(json, "\"kind\": \"%s\", \"shape\": \"%s\", \"rows\": %zu, \"n\": %zu, \"us\": %.4f, \"low\": %.4f, \"high\": %.4f, \"floor_us\": %.4f, \"over_floor\": %.3f",
                       kinds[k].text, shape_names[shape], all->rows, all->n, sides[2 * k].time.median,
                       sides[2 * k].time.low, sides[2 * k].time.high, sides[2 * k + 1].time.median, over.median);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = {3, 7, 16, 31, 64, 100, 256, 1000, 1001, 4096, 10007, 65536, 100003, 1000000};
    enum { COUNT = sizeof lengths / sizeof *lengths };
    struct work work;
    cudaStream_t stream;
    bench_check_options(argc, argv, options);
    const int rounds = bench_rounds(argc, argv, bench_flag(argc, argv, "--quick") ? 3 : 11);
    const int log = atoi(bench_option(argc, argv, "--log", "26"));
    if (log < 10 || log > 26) bench_fail("--log: 10 to 26, for 2^10 to 2^26 floats");
    const size_t count = (size_t)1 << log;
    memset(&work, 0, sizeof work);
    struct bench_json json = bench_json_begin(argc, argv);
    bench_heading("Rows, columns and segments in a graph; in brackets: over the time of a kernel that reads and writes as much");
    BENCH_CHECK(cudaStreamCreate(&stream));
    work.floor.reading = data_reading(ALL);
    BENCH_CHECK(cudaMalloc((void **)&work.floor.out, ALL));
    BENCH_CHECK(cudaMalloc((void **)&work.offsets, (count / 3 + CHECKED + 1) * sizeof *work.offsets));
    BENCH_CHECK(reduce_workspace_create(&work.ws));
    data_fill_float((void *)work.floor.reading.buffer, ALL);
    work.floor.reading.inputs = 1;
    set_lengths(&work, CHECKED, CHECKED, stream);
    for (int k = 0; k < KIND_COUNT; k++) check(&kinds[k], &work, stream);
    work.floor.reading.bytes = count * sizeof(float);
    work.floor.reading.inputs = data_inputs(ALL, work.floor.reading.bytes);
    work.floor.reading.shape = data_best_shape(work.floor.reading, 4, stream);
    for (int l = 0; l < SHAPES * COUNT; l++) {
        bench_progress(l, SHAPES * COUNT, "shapes");
        const size_t n = lengths[l % COUNT], rows = count / n;
        set_lengths(&work, rows, n, stream);
        if (rows > 0) run(&json, &work, l / COUNT, count < (size_t)1 << 24 ? 32 : 4, rounds, stream);
    }
    bench_progress(1, 1, "done");
    bench_json_end(&json, "");
    return 0;
}
