/*
 * rows.cu: times of many results in one call. A matrix with the same number of elements has each shape in turn, and is
 * reduced by rows and by columns; beside CUB's fixed-size segments, which are rows, and beside a floor: a kernel that
 * only reads the same bytes and writes as many results.
 *
 *     rows [--quick] [--rounds N] [--json FILE] [--types float,half] [--logs 26] [--lengths 48,4097] [--stream]
 */
#include "data.cuh"
#include "reduce_rows.cuh"

#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/functional>

static const char options[] = "--quick --stream --rounds= --json= --types= --logs= --lengths=";

/* ---- Kinds --------------------------------------------------------------------------------------------- */

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE(double, sum)
DEFINE_REDUCE(double, max)
DEFINE_REDUCE(int, sum)
DEFINE_REDUCE(int, max)
DEFINE_REDUCE(short, max)
typedef signed char schar;
DEFINE_REDUCE(schar, max)
DEFINE_REDUCE(__half, max)
typedef __nv_bfloat16 bfloat;
DEFINE_REDUCE(bfloat, max)
DEFINE_REDUCE_MAP(half_sum, __half, float, __half2float(x), REDUCE_IDENTITY_sum(float), REDUCE_COMBINE_sum(float, a, b))
DEFINE_REDUCE_MAP(half_max, __half, float, __half2float(x), REDUCE_IDENTITY_max(float), REDUCE_COMBINE_max(float, a, b))

/* CUB's operator for halves: as fast as an operator can be that does not care for NaN. */
struct greater_of {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return __hmax(a, b); }
};

/* X(NAME, In, T, type in data.cuh, CUB's operator, CUB's first value) */
#define KINDS(X)                                                                                          \
    X(reduce_float_sum, float, float, float, cuda::std::plus<float>(), 0.0f)                              \
    X(reduce_float_max, float, float, float, cuda::maximum<float>(), -INFINITY)                           \
    X(reduce_double_sum, double, double, double, cuda::std::plus<double>(), 0.0)                          \
    X(reduce_double_max, double, double, double, cuda::maximum<double>(), -INFINITY)                      \
    X(half_sum, __half, float, half, cuda::std::plus<float>(), 0.0f)                                      \
    X(half_max, __half, float, half, cuda::maximum<float>(), -INFINITY)                                   \
    X(reduce_int_sum, int, int, int, cuda::std::plus<int>(), 0)                                           \
    X(reduce_int_max, int, int, int, cuda::maximum<int>(), INT_MIN)                                       \
    X(reduce_short_max, short, short, schar, cuda::maximum<short>(), -32768)                              \
    X(reduce_schar_max, schar, schar, schar, cuda::maximum<schar>(), -128)                                \
    X(reduce___half_max, __half, __half, half, greater_of(), -INFINITY)                                   \
    X(reduce_bfloat_max, bfloat, bfloat, bfloat16, greater_of(), -INFINITY)

struct work {
    const char *buffer;
    size_t bytes, inputs, rows, n; /* of rows; as many columns as n */
    char *out;
    void *room; /* CUB's */
    size_t room_bytes;
    reduce_workspace *ws;
    struct data_reading reading;
};

static const char *input(const struct work *work, int i)
{
    return work->buffer + i % work->inputs * work->bytes;
}

typedef void call(const void *context, int i, cudaStream_t stream);

struct kind {
    const char *name, *type;
    size_t size, result;
    void (*fill)(void *elements, size_t bytes);
    call *rows, *columns, *cub;
    cudaError_t (*ask)(struct work *work);
    bool (*is_right)(struct work work, cudaStream_t stream);
};

#define DEFINE_KIND(NAME, In, T, type, op, initial)                                                       \
    DEFINE_REDUCE_ROWS(NAME)                                                                              \
    static void NAME##_by_rows(const void *context, int i, cudaStream_t stream)                           \
    {                                                                                                     \
        const struct work *w = (const struct work *)context;                                              \
        BENCH_CHECK(NAME##_rows_async((const In *)input(w, i), w->rows, w->n, w->n, (T *)w->out, w->ws, stream));\
    }                                                                                                     \
    static void NAME##_by_columns(const void *context, int i, cudaStream_t stream)                        \
    {                                                                                                     \
        const struct work *w = (const struct work *)context;                                              \
        BENCH_CHECK(NAME##_columns_async((const In *)input(w, i), w->rows, w->n, w->n, (T *)w->out, w->ws, stream));\
    }                                                                                                     \
    static cudaError_t NAME##_cub(const struct work *w, void *room, size_t *bytes, int i, cudaStream_t stream)\
    {                                                                                                     \
        return cub::DeviceSegmentedReduce::Reduce(room, *bytes, (const In *)input(w, i), (T *)w->out,     \
                                                  (int64_t)w->rows, (int)w->n, op, (T)initial, stream);   \
    }                                                                                                     \
    static void NAME##_by_cub(const void *context, int i, cudaStream_t stream)                            \
    {                                                                                                     \
        const struct work *w = (const struct work *)context;                                              \
        size_t bytes = w->room_bytes;                                                                     \
        BENCH_CHECK(NAME##_cub(w, w->room, &bytes, i, stream));                                           \
    }                                                                                                     \
    static cudaError_t NAME##_ask(struct work *w)                                                         \
    {                                                                                                     \
        return NAME##_cub(w, NULL, &w->room_bytes, 0, 0);                                                 \
    }                                                                                                     \
    /* Some rows and some columns, against the CPU. */                                                    \
    static bool NAME##_is_right(struct work w, cudaStream_t stream)                                       \
    {                                                                                                     \
        In *in = (In *)bench_malloc(w.bytes);                                                             \
        T *const got = (T *)bench_malloc((w.rows + w.n) * sizeof(T)), *const column = got + w.rows;       \
        bool is_right = true;                                                                             \
        BENCH_CHECK(cudaMemcpy(in, w.buffer, w.bytes, cudaMemcpyDeviceToHost));                           \
        NAME##_by_rows(&w, 0, stream);                                                                    \
        BENCH_CHECK(cudaStreamSynchronize(stream));                                                       \
        BENCH_CHECK(cudaMemcpy(got, w.out, w.rows * sizeof(T), cudaMemcpyDeviceToHost));                  \
        NAME##_by_columns(&w, 0, stream);                                                                 \
        BENCH_CHECK(cudaStreamSynchronize(stream));                                                       \
        BENCH_CHECK(cudaMemcpy(column, w.out, w.n * sizeof(T), cudaMemcpyDeviceToHost));                  \
        for (size_t k = 0; k < w.rows; k += w.rows / 61 + 1) {                                            \
            const T expected = NAME##_cpu(in + k * w.n, w.n);                                             \
            is_right = is_right && memcmp(&expected, got + k, sizeof(T)) == 0;                            \
        }                                                                                                 \
        In *const one = (In *)bench_malloc(w.rows * sizeof(In));                                          \
        for (size_t k = 0; k < w.n; k += w.n / 7 + 1) {                                                   \
            for (size_t r = 0; r < w.rows; r++) one[r] = in[r * w.n + k];                                 \
            const T expected = NAME##_cpu(one, w.rows);                                                   \
            is_right = is_right && memcmp(&expected, column + k, sizeof(T)) == 0;                         \
        }                                                                                                 \
        free(one);                                                                                        \
        free(got);                                                                                        \
        free(in);                                                                                         \
        return is_right;                                                                                  \
    }
KINDS(DEFINE_KIND)

#define KIND_OF(NAME, In, T, type, op, initial)                                                           \
    {#NAME, #type, sizeof(In), sizeof(T), data_fill_##type, NAME##_by_rows, NAME##_by_columns,            \
     NAME##_by_cub, NAME##_ask, NAME##_is_right},
static const struct kind kinds[] = {KINDS(KIND_OF)};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* ---- The run ------------------------------------------------------------------------------------------- */

enum { OURS_ROWS, CUB_ROWS, FLOOR_ROWS, OURS_COLUMNS, FLOOR_COLUMNS, SIDES };
enum { MOST_LENGTHS = 256 };

/* What is asked for. */
struct plan {
    const char *types, *logs, *lengths;
    bool is_quick, in_stream;
    int rounds;
};

static void run_shape(struct bench_json *json, const struct kind *kind, struct work *work, int rounds, bool in_stream,
                      cudaStream_t stream)
{
    struct bench_side sides[SIDES];
    struct work cub = *work;
    struct data_floor of_rows = {work->reading, (unsigned *)work->out, work->rows * kind->result / 4}, of_columns = of_rows;
    const int calls = work->bytes < (size_t)1 << 27 ? 32 : 4;
    of_columns.words = work->n * kind->result / 4;
    BENCH_CHECK(kind->ask(&cub));
    BENCH_CHECK(cudaMalloc(&cub.room, cub.room_bytes + 1));
    sides[OURS_ROWS] = bench_side(kind->rows, work);
    sides[CUB_ROWS] = bench_side(kind->cub, &cub);
    sides[FLOOR_ROWS] = bench_side(data_floor, &of_rows);
    sides[OURS_COLUMNS] = bench_side(kind->columns, work);
    sides[FLOOR_COLUMNS] = bench_side(data_floor, &of_columns);
    (in_stream ? bench_stream : bench_graph)(sides, SIDES, calls, rounds, stream);
    const double cub_ratio = bench_ratio(&sides[CUB_ROWS], &sides[OURS_ROWS], rounds).median;
    const double rows_floor = bench_ratio(&sides[OURS_ROWS], &sides[FLOOR_ROWS], rounds).median;
    const double columns_floor = bench_ratio(&sides[OURS_COLUMNS], &sides[FLOOR_COLUMNS], rounds).median;
    printf("%10zu x %-10zu rows %9.2f us  floor %9.2f (%5.2f)  CUB %9.2f (%5.2f)   columns %9.2f us  floor %9.2f (%5.2f)\n",
           work->rows, work->n, sides[OURS_ROWS].time.median, sides[FLOOR_ROWS].time.median, rows_floor,
           sides[CUB_ROWS].time.median, cub_ratio, sides[OURS_COLUMNS].time.median, sides[FLOOR_COLUMNS].time.median,
           columns_floor);
    bench_json_row(json,
                   "\"kind\": \"%s\", \"mode\": \"%s\", \"rows\": %zu, \"n\": %zu, \"rows_us\": %.4f, \"cub_us\": %.4f, "
                   "\"rows_floor_us\": %.4f, \"columns_us\": %.4f, \"columns_floor_us\": %.4f",
                   kind->name, in_stream ? "stream" : "graph", work->rows, work->n, sides[OURS_ROWS].time.median,
                   sides[CUB_ROWS].time.median, sides[FLOOR_ROWS].time.median, sides[OURS_COLUMNS].time.median,
                   sides[FLOOR_COLUMNS].time.median);
    fflush(stdout);
    BENCH_CHECK(cudaFree(cub.room));
}

/* The lengths that are asked for; or powers of two, every second of them in a quick run, and some others. */
static size_t lengths_of(size_t lengths[MOST_LENGTHS], const char *wanted, size_t all, bool is_quick)
{
    static const size_t others[] = {3,   5,    7,    17,   33,   100,   129,   320, 515,
                                    768, 1000, 1023, 1280, 5120, 10007, 100003};
    static const size_t parts[] = {24, 65, 100, 300}; /* columns of so many elements, or one more */
    const int step = is_quick ? 2 : 1;
    size_t count = 0;
    for (const char *at = wanted; *at != 0 && count < MOST_LENGTHS; at += strspn(at, ",")) {
        char *end;
        lengths[count] = strtoull(at, &end, 10);
        if (end == at || lengths[count] == 0 || (*end != 0 && *end != ',')) bench_fail("--lengths: 48,4097 or the like");
        if (lengths[count] <= all) count++;
        at = end;
    }
    if (*wanted != 0) return count;
    for (size_t n = 1; n <= all; n <<= step) lengths[count++] = n;
    for (size_t k = 0; k < sizeof others / sizeof *others; k += step)
        if (others[k] <= all) lengths[count++] = others[k];
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k += step) lengths[count++] = all / parts[k];
    return count;
}

static void run_size(struct bench_json *json, const struct kind *kind, struct work *work, int log, const struct plan *plan,
                     cudaStream_t stream)
{
    const size_t all = (size_t)1 << log;
    size_t lengths[MOST_LENGTHS];
    const size_t count = lengths_of(lengths, plan->lengths, all, plan->is_quick);
    work->bytes = all * kind->size;
    work->inputs = data_inputs((size_t)1 << 31, work->bytes);
    work->reading.bytes = work->bytes;
    work->reading.inputs = work->inputs;
    work->reading.shape = data_best_shape(work->reading, work->bytes < (size_t)1 << 27 ? 32 : 4, stream);
    printf("\n%s, %s: 2^%d elements\n", kind->name, plan->in_stream ? "stream" : "graph", log);
    for (size_t k = 0; k < count; k++) {
        work->n = lengths[k];
        work->rows = all / lengths[k];
        work->bytes = work->rows * work->n * kind->size / 16 * 16;
        run_shape(json, kind, work, plan->rounds, plan->in_stream, stream);
    }
}

int main(int argc, char **argv)
{
    static const int logs[] = {16, 22, 26, 28};
    struct work work;
    cudaStream_t stream;
    bench_check_options(argc, argv, options);
    const struct plan plan = {bench_option(argc, argv, "--types", ""),   bench_option(argc, argv, "--logs", ""),
                              bench_option(argc, argv, "--lengths", ""), bench_flag(argc, argv, "--quick"),
                              bench_flag(argc, argv, "--stream"),        bench_rounds(argc, argv, 9)};
    memset(&work, 0, sizeof work);
    struct bench_json json = bench_json_begin(argc, argv);
    bench_heading("Rows and columns");
    BENCH_CHECK(cudaStreamCreate(&stream));
    BENCH_CHECK(cudaMalloc((void **)&work.out, (size_t)1 << 31));
    BENCH_CHECK(reduce_workspace_create(&work.ws));
    work.reading = data_reading((size_t)1 << 32);
    work.buffer = work.reading.buffer;
    int listed = 0;
    for (int k = 0; k < KIND_COUNT; k++) {
        if (!bench_listed(plan.types, kinds[k].type)) continue;
        listed++;
        kinds[k].fill((void *)work.buffer, (size_t)1 << 32);
        static const size_t checked[][2] = {{1 << 20, 1}, {4099, 257}, {1000, 1024}, {33, 40000}, {3, 333333}, {1, 1 << 20}};
        for (size_t c = 0; c < sizeof checked / sizeof *checked; c++) {
            work.rows = checked[c][0], work.n = checked[c][1], work.inputs = 1;
            work.bytes = work.rows * work.n * kinds[k].size;
            if (!kinds[k].is_right(work, stream)) bench_fail("%s, %zu x %zu: wrong", kinds[k].name, work.rows, work.n);
        }
        for (size_t l = 0; l < sizeof logs / sizeof *logs; l++) {
            char log[8];
            snprintf(log, sizeof log, "%d", logs[l]);
            if (!bench_listed(plan.logs, log) || (plan.is_quick && *plan.logs == 0 && logs[l] == 28)) continue;
            run_size(&json, &kinds[k], &work, logs[l], &plan, stream);
        }
    }
    bench_json_end(&json, "");
    if (listed == 0) bench_fail("--types %s: there are float, double, half, bfloat16, int, schar (short too)", plan.types);
    return 0;
}
