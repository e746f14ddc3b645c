/*
 * shapes.cu: times of rows and columns of floats by results of more than a number: argmax and moments, beside sums of
 * the same matrix; and beside a floor, a kernel that reads as many bytes and writes as many results.
 *
 *     shapes [--quick] [--log N] [--rounds N] [--json FILE]
 */
#include "data.cuh"
#include "reduce_results.cuh"
#include "reduce_rows.cuh"

static const char options[] = "--quick --log= --rounds= --json=";

/* X(NAME, text) */
#define KINDS(X)                                                                                          \
    X(reduce_float_sum, "sum")                                                                            \
    X(reduce_float_argmax, "argmax")                                                                      \
    X(reduce_float_moments, "moments")

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_ARG(float, max)
DEFINE_REDUCE_MOMENTS(float)
#define DEFINE_ROWS(NAME, text) DEFINE_REDUCE_ROWS(NAME)
KINDS(DEFINE_ROWS)

/* A matrix of so many rows of n elements. */
struct work {
    struct data_floor floor;
    size_t rows, n;
    reduce_workspace *ws;
};

static const float *input(const struct work *work, int i)
{
    const struct data_reading *reading = &work->floor.reading;
    return (const float *)(const void *)(reading->buffer + i % reading->inputs * reading->bytes);
}

#define DEFINE_CALL(NAME, shape)                                                                          \
    static void NAME##_by_##shape(const void *context, int i, cudaStream_t stream)                        \
    {                                                                                                     \
        const struct work *w = (const struct work *)context;                                              \
        NAME##_result *const out = (NAME##_result *)w->floor.out;                                         \
        BENCH_CHECK(NAME##_##shape##_async(input(w, i), w->rows, w->n, w->n, out, w->ws, stream));        \
    }

/* NAME_is_right: of a square matrix, the first row and the first column have the CPU's bits. */
#define DEFINE_KIND(NAME, text)                                                                           \
    DEFINE_CALL(NAME, rows)                                                                               \
    DEFINE_CALL(NAME, columns)                                                                            \
    static bool NAME##_is_right(const float *matrix, const void *of_row, const void *of_column)           \
    {                                                                                                     \
        NAME##_result columns[CHECKED];                                                                   \
        const NAME##_result row = NAME##_cpu(matrix, CHECKED);                                            \
        NAME##_columns_cpu(matrix, CHECKED, CHECKED, CHECKED, columns);                                   \
        return memcmp(&row, of_row, sizeof row) == 0 && memcmp(columns, of_column, sizeof *columns) == 0; \
    }
enum { CHECKED = 1000 };
KINDS(DEFINE_KIND)

struct kind {
    const char *text;
    size_t size;
    void (*calls[2])(const void *context, int i, cudaStream_t stream); /* rows, columns */
    bool (*is_right)(const float *matrix, const void *of_row, const void *of_column);
};

#define KIND_OF(NAME, text) {text, sizeof(NAME##_result), {NAME##_by_rows, NAME##_by_columns}, NAME##_is_right},
static const struct kind kinds[] = {KINDS(KIND_OF)};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* Stops unless the GPU gives the CPU's bits. */
static void check(const struct kind *kind, struct work work, cudaStream_t stream)
{
    static float matrix[CHECKED * CHECKED];
    unsigned char results[2][REDUCE_MAX_SIZE];
    work.rows = work.n = CHECKED;
    for (int k = 0; k < 2; k++) {
        const struct bench_side side = bench_side(kind->calls[k], &work);
        data_try(&side, work.floor.reading.buffer, matrix, sizeof matrix, work.floor.out, results[k], kind->size, stream);
    }
    if (!kind->is_right(matrix, results[0], results[1])) bench_fail("%s: wrong", kind->text);
}

/* Each kind and its floor in turns; then a line of the table. */
static void run(struct bench_json *json, const struct work *work, bool by_columns, int calls, int rounds, cudaStream_t stream)
{
    struct bench_side sides[2 * KIND_COUNT];
    struct work floors[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; k++) {
        floors[k] = *work;
        floors[k].floor.words = (by_columns ? work->n : work->rows) * kinds[k].size / sizeof(unsigned);
        sides[2 * k] = bench_side(kinds[k].calls[by_columns], work);
        sides[2 * k + 1] = bench_side(data_floor, &floors[k].floor);
    }
    bench_graph(sides, 2 * KIND_COUNT, calls, rounds, stream);
    printf("%-7s %10zu x %-8zu", by_columns ? "columns" : "rows", work->rows, work->n);
    for (int k = 0; k < KIND_COUNT; k++) {
        const struct bench_time over = bench_ratio(&sides[2 * k], &sides[2 * k + 1], rounds);
        printf("  %s %8.2f us (%5.2f)", kinds[k].text, sides[2 * k].time.median, over.median);
        bench_json_row(json, "\"kind\": \"%s\", \"shape\": \"%s\", \"rows\": %zu, \"n\": %zu, \"us\": %.4f, \"low\": %.4f, \"high\": %.4f, \"floor_us\": %.4f, \"over_floor\": %.3f",
                       kinds[k].text, by_columns ? "columns" : "rows", work->rows, work->n, sides[2 * k].time.median,
                       sides[2 * k].time.low, sides[2 * k].time.high, sides[2 * k + 1].time.median, over.median);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = {3, 7, 16, 31, 64, 100, 256, 1000, 1001, 4096, 10007, 65536, 100003, 1000000};
    enum { COUNT = sizeof lengths / sizeof *lengths };
    const size_t all = (size_t)1 << 30;
    struct work work;
    cudaStream_t stream;
    bench_check_options(argc, argv, options);
    const int rounds = bench_rounds(argc, argv, bench_flag(argc, argv, "--quick") ? 3 : 11);
    const size_t count = (size_t)1 << atoi(bench_option(argc, argv, "--log", "26"));
    memset(&work, 0, sizeof work);
    struct bench_json json = bench_json_begin(argc, argv);
    bench_heading("Rows and columns of floats, in a graph; in brackets: over the time of a kernel that reads and writes as much");
    BENCH_CHECK(cudaStreamCreate(&stream));
    work.floor.reading = data_reading(all);
    BENCH_CHECK(cudaMalloc((void **)&work.floor.out, all));
    BENCH_CHECK(reduce_workspace_create(&work.ws));
    data_fill_float((void *)work.floor.reading.buffer, all);
    work.floor.reading.inputs = 1;
    for (int k = 0; k < KIND_COUNT; k++) check(&kinds[k], work, stream);
    for (int l = 0; l < 2 * COUNT; l++) {
        bench_progress(l, 2 * COUNT, "shapes");
        work.n = lengths[l % COUNT], work.rows = count / work.n;
        work.floor.reading.bytes = work.rows * work.n * sizeof(float) / 16 * 16;
        work.floor.reading.inputs = data_inputs(all, work.floor.reading.bytes);
        if (l == 0) work.floor.reading.shape = data_best_shape(work.floor.reading, 4, stream);
        if (work.rows > 0) run(&json, &work, l >= COUNT, count < (size_t)1 << 24 ? 32 : 4, rounds, stream);
    }
    bench_progress(1, 1, "done");
    bench_json_end(&json, "");
    return 0;
}
