/*
 * array.cu: times of a whole array on the GPU, the library's beside CUB's and those of a kernel that only reads.
 *
 * Inputs rotate through one buffer of up to 4 GiB, so that data beyond the cache's size comes from memory.
 * Both results of a cell are checked before it is timed. Sizes are powers of two; with --odd, arrays are of an odd number
 * of elements between two such sizes, and each size is also timed at an address that is no multiple of 16 bytes.
 * bench/README.md says how to build, run and read it.
 */
#include "array.h"
#include "data.cuh"

static const char options[] = "--quick --odd --types= --ops= --modes= --min= --max= --rounds= --json=";

enum mode { GRAPH, STREAM, HOST, MODES };
static const char *const mode_names[MODES] = {"graph", "stream", "host"};
static const char *const op_names[ARRAY_OPS] = {"sum", "max"};

enum { LEAST_LOG = 8, GREATEST_LOG = 32, ROOM_BYTES = 32 << 20 };
enum { OURS, CUB, READ, SIDES };

/* The tables of both sides, in the order of data_types. */
#define SIDES_OF_(name, In, T) {array_ours_##name, array_cub_##name},
static const struct array_reducer *const reducers[DATA_TYPES][2] = {ARRAY_TYPES(SIDES_OF_)};

/* What is asked for, and what it is done with. */
struct bench {
    const char *types, *ops, *modes;
    bool is_odd;
    int min_log, max_log, step, rounds;
    size_t buffer_bytes;
    char *buffer;
    void *room[2], *out[2], *pinned;
    unsigned *sink;
    cudaStream_t stream;
    struct data_shape shapes[GREATEST_LOG + 1]; /* the best for reading, once found */
    struct bench_json json;
};

/* n elements of so many bytes, from 2^log on, the first `askew` elements behind a multiple of 16 bytes. */
struct array_size {
    int log;
    size_t n, bytes, askew;
};

struct cell {
    int type, op;
    struct array_size size;
    enum mode mode;
    struct bench_time time[SIDES], ratio; /* ratio: CUB's time over ours, in the same round */
};

/* By --odd: hundredths of 2^log bytes. The first stands for an element more than these. */
static const size_t parts[] = {100, 137, 175};
enum { PARTS = sizeof parts / sizeof *parts };

static struct cell cells[DATA_TYPES * ARRAY_OPS * (GREATEST_LOG - LEAST_LOG + 1) * 2 * PARTS * MODES];
static int cell_count;

/* ---- Calls --------------------------------------------------------------------------------------------- */

struct caller {
    const struct array_reducer *reducer;
    const struct bench *bench;
    int side;
    struct array_size size;
    size_t askew, apart, inputs; /* in bytes: where an input begins, behind a multiple of `apart` */
    void *out;                   /* on the device, or pinned */
};

static void call(const void *context, int i, cudaStream_t stream)
{
    const struct caller *caller = (const struct caller *)context;
    const struct bench *bench = caller->bench;
    const char *in = bench->buffer + i % caller->inputs * caller->apart + caller->askew;
    BENCH_CHECK(caller->reducer->reduce(in, caller->size.n, caller->out, bench->room[caller->side], ROOM_BYTES,
                                        stream));
}

/* The value in hand: the device has written it to pinned memory, which spares a copy. */
static void call_and_wait(const void *context, int i, cudaStream_t stream)
{
    call(context, i, stream);
    BENCH_CHECK(cudaStreamSynchronize(stream));
}

static size_t inputs_of(const struct bench *bench, size_t apart)
{
    const size_t inputs = bench->buffer_bytes / apart;
    return inputs < 64 ? inputs : 64;
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

static void check_bits(const struct caller *caller, const struct data_type *type, const char *what)
{
    double bits[1] = {0};
    void *elements = bench_malloc(caller->size.bytes);
    BENCH_CHECK(cudaMemcpy(elements, caller->bench->buffer + caller->askew, caller->size.bytes, cudaMemcpyDeviceToHost));
    caller->reducer->on_cpu(elements, caller->size.n, bits);
    if (memcmp(bits, caller->bench->pinned, type->result_size) != 0)
        bench_fail("%s: not the CPU's bits", what);
    free(elements);
}

/* Stops unless a side gives the right result, and where it can be known quickly the right bits. */
static void check_side(const struct caller *caller, const struct data_type *type, int op,
                       struct data_reference reference)
{
    const struct bench *bench = caller->bench;
    char what[64];
    snprintf(what, sizeof what, "%s %s %s, %zu bytes", caller->side == CUB ? "CUB" : "the library",
             type->name, op_names[op], caller->size.bytes);
    if (caller->reducer->room(caller->size.n) > ROOM_BYTES) bench_fail("%s: more room is needed", what);
    memset(bench->pinned, 0xee, sizeof(double));
    call_and_wait(caller, 0, bench->stream);
    if (!(op == ARRAY_SUM ? data_is_sum : data_is_max)(type, bench->pinned, reference))
        bench_fail("%s: wrong: %.17g", what, data_result(type, bench->pinned));
    if (caller->reducer->on_cpu != NULL && caller->size.bytes <= 4 << 20) check_bits(caller, type, what);
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

/* Calls in a graph or in a row, and rounds: fewer where one call is long. */
static int calls_of(int log, enum mode mode)
{
    if (mode == HOST) return log < 24 ? 10 : log < 29 ? 4 : 1;
    return log < 27 ? 64 : log < 31 ? 16 : 8;
}

static int rounds_of(const struct bench *bench, int log)
{
    return log < 27 || bench->rounds < 11 ? bench->rounds : 11;
}

static void measure(struct bench *bench, struct cell *cell, struct caller callers[2],
                    const struct data_reading *reading)
{
    const int calls = calls_of(cell->size.log, cell->mode), rounds = rounds_of(bench, cell->size.log);
    for (int s = 0; s < 2; s++) callers[s].out = cell->mode == HOST ? bench->pinned : bench->out[s];
    struct bench_side sides[SIDES] = {bench_side(call, &callers[OURS]), bench_side(call, &callers[CUB]),
                                      bench_side(data_read, reading)};
    if (cell->mode == GRAPH) {
        bench_graph(sides, SIDES, calls, rounds, bench->stream);
    } else if (cell->mode == STREAM) {
        bench_stream(sides, SIDES, calls, rounds, bench->stream);
    } else {
        sides[OURS].call = sides[CUB].call = call_and_wait;
        bench_host(sides, 2, calls, rounds, bench->stream);
    }
    for (int s = 0; s < SIDES; s++) cell->time[s] = sides[s].time;
    cell->ratio = bench_ratio(&sides[CUB], &sides[OURS], rounds);
}

static double gigabytes_per_second(const struct cell *cell, int side)
{
    return (double)cell->size.bytes / cell->time[side].median * 1e-3;
}

static double percent_of_read(const struct cell *cell)
{
    return 100 * cell->time[READ].median / cell->time[OURS].median;
}

static void write_row(struct bench *bench, const struct cell *cell)
{
    char read[96] = "null, \"read_percent\": null";
    if (cell->mode != HOST)
        snprintf(read, sizeof read, "%.4f, \"read_percent\": %.2f", cell->time[READ].median,
                 percent_of_read(cell));
    bench_json_row(&bench->json,
                   "\"type\": \"%s\", \"op\": \"%s\", \"bytes\": %zu, \"askew\": %zu, \"mode\": \"%s\", "
                   "\"ours_us\": %.4f, \"ours_low\": %.4f, \"ours_high\": %.4f, "
                   "\"cub_us\": %.4f, \"cub_low\": %.4f, \"cub_high\": %.4f, "
                   "\"ratio\": %.4f, \"ratio_low\": %.4f, \"ratio_high\": %.4f, "
                   "\"ours_gbs\": %.2f, \"cub_gbs\": %.2f, \"read_us\": %s",
                   data_types[cell->type].name, op_names[cell->op], cell->size.bytes, cell->size.askew,
                   mode_names[cell->mode], cell->time[OURS].median, cell->time[OURS].low,
                   cell->time[OURS].high, cell->time[CUB].median, cell->time[CUB].low, cell->time[CUB].high,
                   cell->ratio.median, cell->ratio.low, cell->ratio.high, gigabytes_per_second(cell, OURS),
                   gigabytes_per_second(cell, CUB), read);
}

static void print_columns(const struct bench *bench, int type, int op)
{
    printf("\n%s %s\n%14s", data_types[type].name, op_names[op], "");
    for (int mode = 0; mode < MODES; mode++)
        if (bench_listed(bench->modes, mode_names[mode])) printf(" | %-32s", mode_names[mode]);
    printf("\n%14s", bench->is_odd ? "bytes, askew" : "bytes");
    for (int mode = 0; mode < MODES; mode++)
        if (bench_listed(bench->modes, mode_names[mode]))
            printf(" | %9s %9s %7s %4s", "ours, us", "CUB, us", "ratio", "+-%");
    printf(" | %6s %8s\n", "GB/s", "% of read");
}

static void print_row(const struct cell *row, int count)
{
    printf("%11zu %s", row->size.bytes, row->size.askew > 0 ? "+1" : "  ");
    for (int k = 0; k < count; k++)
        printf(" | %9.2f %9.2f %7.3f %4.1f", row[k].time[OURS].median, row[k].time[CUB].median,
               row[k].ratio.median, bench_spread(row[k].ratio));
    printf(" | %6.0f", gigabytes_per_second(row, OURS));
    if (row->mode != HOST) printf(" %8.1f", percent_of_read(row));
    printf("\n");
    fflush(stdout);
}

/* One size of one type and operator, in every mode. */
static void run_size(struct bench *bench, int type, int op, struct array_size size)
{
    const struct data_type *what = &data_types[type];
    const size_t askew = size.askew * what->size, apart = bench->is_odd ? (size.bytes + 512) / 256 * 256 : size.bytes;
    const size_t inputs = inputs_of(bench, apart);
    struct data_reading reading = {bench->buffer, size.bytes / 16 * 16, inputs, bench->shapes[size.log], bench->sink};
    struct caller callers[2] = {
        {&reducers[type][OURS][op], bench, OURS, size, askew, apart, inputs, bench->pinned},
        {&reducers[type][CUB][op], bench, CUB, size, askew, apart, inputs, bench->pinned}};
    const struct data_reference reference = data_reference(what, bench->buffer + askew, size.n);
    const int first = cell_count;
    for (int s = 0; s < 2; s++) check_side(&callers[s], what, op, reference);
    if (reading.shape.loads == 0)
        reading.shape = bench->shapes[size.log] = data_best_shape(reading, calls_of(size.log, GRAPH), bench->stream);
    for (int mode = 0; mode < MODES; mode++) {
        struct cell *cell = &cells[cell_count];
        if (!bench_listed(bench->modes, mode_names[mode])) continue;
        cell->type = type;
        cell->op = op;
        cell->size = size;
        cell->mode = (enum mode)mode;
        measure(bench, cell, callers, &reading);
        write_row(bench, cell);
        cell_count++;
    }
    print_row(&cells[first], cell_count - first);
}

/* All sizes from 2^log bytes on, before the next power of two. */
static void run_sizes(struct bench *bench, int type, int op, int log)
{
    const size_t bytes = (size_t)1 << log, element = data_types[type].size;
    struct array_size size = {log, bytes / element, bytes, 0};
    if (!bench->is_odd) {
        run_size(bench, type, op, size);
        return;
    }
    for (int k = 0; k < 2 * PARTS; k++) {
        size.n = (bytes / 100 * parts[k / 2] + bytes % 100 * parts[k / 2] / 100) / element | 1;
        size.bytes = size.n * element;
        size.askew = k % 2;
        run_size(bench, type, op, size);
    }
}

/* ---- The summary --------------------------------------------------------------------------------------- */

enum measure { MEAN_RATIO, LEAST_RATIO, LEAST_READ };

struct goal {
    const char *text;
    enum mode mode;
    int min_log, max_log;
    enum measure measure;
    double at_least;
    const char *types;
};

static const struct goal goals[] = {
    {"graph, all sizes: geometric mean of CUB/ours", GRAPH, 8, 32, MEAN_RATIO, 1.15, ""},
    {"stream, to 16 KiB: geometric mean", STREAM, 8, 14, MEAN_RATIO, 1.1, ""},
    {"stream, 32 KiB to 1 MiB: geometric mean", STREAM, 15, 20, MEAN_RATIO, 1.9, ""},
    {"stream, 2 and 4 MiB: geometric mean", STREAM, 21, 22, MEAN_RATIO, 1.5, ""},
    {"stream, 8 to 64 MiB: geometric mean", STREAM, 23, 26, MEAN_RATIO, 1.1, ""},
    {"graph, from 1 GiB: least per cent of pure read", GRAPH, 30, 32, LEAST_READ, 99, ""},
    {"graph, half and bfloat16 from 256 MiB: least CUB/ours", GRAPH, 28, 32, LEAST_RATIO, 1.09,
     "half,bfloat16"},
};

enum { GOALS = sizeof goals / sizeof *goals };

static bool is_in_goal(const struct cell *cell, const struct goal *goal)
{
    return cell->mode == goal->mode && cell->size.log >= goal->min_log && cell->size.log <= goal->max_log &&
           bench_listed(goal->types, data_types[cell->type].name);
}

/* What was reached, or NaN where nothing was measured. */
static double reached(const struct goal *goal)
{
    double least = INFINITY, logarithms = 0;
    int count = 0;
    for (int c = 0; c < cell_count; c++) {
        const double value = goal->measure == LEAST_READ ? percent_of_read(&cells[c]) : cells[c].ratio.median;
        if (!is_in_goal(&cells[c], goal)) continue;
        least = value < least ? value : least;
        logarithms += log(value);
        count++;
    }
    return count == 0 ? NAN : goal->measure == MEAN_RATIO ? exp(logarithms / count) : least;
}

static bool is_slower(const struct cell *cell)
{
    return cell->ratio.high < 1; /* in three rounds of four */
}

static void print_slower(enum mode mode)
{
    int slower = 0, all = 0;
    for (int c = 0; c < cell_count; c++) {
        all += cells[c].mode == mode;
        slower += cells[c].mode == mode && is_slower(&cells[c]);
    }
    if (all == 0) return;
    printf("  %-6s %d of %d\n", mode_names[mode], slower, all);
    for (int c = 0; c < cell_count; c++)
        if (cells[c].mode == mode && is_slower(&cells[c]))
            printf("    %-8s %s %11zu bytes%s: %.3f (%.3f to %.3f)\n", data_types[cells[c].type].name,
                   op_names[cells[c].op], cells[c].size.bytes, cells[c].size.askew > 0 ? ", askew" : "",
                   cells[c].ratio.median, cells[c].ratio.low, cells[c].ratio.high);
}

/* The geometric mean of CUB/ours for each type, by mode and size. */
static void print_means(void)
{
    static const int limits[] = {8, 15, 21, 23, 27, 33};
    printf("\nGeometric mean of CUB/ours%13s%10s%10s%10s%10s\n", "to 16 KiB", "1 MiB", "4 MiB", "64 MiB",
           "4 GiB");
    for (int type = 0; type < DATA_TYPES; type++) {
        for (int mode = 0; mode < MODES; mode++) {
            double means[5];
            bool is_any = false;
            for (int k = 0; k < 5; k++) {
                const struct goal range = {"", (enum mode)mode, limits[k], limits[k + 1] - 1, MEAN_RATIO, 0,
                                           data_types[type].name};
                means[k] = reached(&range);
                is_any = is_any || !isnan(means[k]);
            }
            if (!is_any) continue;
            printf("  %-10s %-13s", data_types[type].name, mode_names[mode]);
            for (int k = 0; k < 5; k++) isnan(means[k]) ? printf("%10s", "-") : printf("%10.3f", means[k]);
            printf("\n");
        }
    }
}

static void print_summary(struct bench *bench)
{
    char text[4096] = ",\n\"summary\": [";
    print_means();
    printf("\nSlower than CUB in at least three rounds of four\n");
    for (int mode = 0; mode < MODES; mode++) print_slower((enum mode)mode);
    printf("\nGoals\n");
    for (int g = 0; g < GOALS; g++) {
        const double found = reached(&goals[g]);
        if (isnan(found)) continue;
        printf("  %-55s %7.3f  (at least %.2f) %s\n", goals[g].text, found, goals[g].at_least,
               found >= goals[g].at_least ? "reached" : "MISSED");
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s\n  {\"goal\": \"%s\", \"at_least\": %.2f, \"found\": %.4f}",
                 text[strlen(text) - 1] == '[' ? "" : ",", goals[g].text, goals[g].at_least, found);
    }
    strcat(text, "\n]");
    bench_json_end(&bench->json, text);
}

/* ---- The run ------------------------------------------------------------------------------------------- */

static __global__ void empty_kernel(void)
{
}

static void empty(const void *context, int i, cudaStream_t stream)
{
    (void)context;
    (void)i;
    empty_kernel<<<1, 32, 0, stream>>>();
}

/* What a launch costs that does nothing: no time below it can be reached. */
static void print_floor(const struct bench *bench)
{
    struct bench_side side = bench_side(empty, NULL);
    bench_graph(&side, 1, 64, 21, bench->stream);
    printf("An empty kernel: %.2f us as a node of a graph, ", side.time.median);
    bench_stream(&side, 1, 64, 21, bench->stream);
    printf("%.2f us in a stream.\n", side.time.median);
    printf("ratio: CUB's time over ours, the median of rounds; +-%%: half the distance of its quartiles.\n");
}

static int log_option(int argc, char **argv, const char *name, int otherwise)
{
    const int log = atoi(bench_option(argc, argv, name, "0"));
    if (log == 0) return otherwise;
    if (log < LEAST_LOG || log > GREATEST_LOG) bench_fail("%s: 8 to 32, for 2^8 to 2^32 bytes", name);
    return log;
}

/* The largest power of two that leaves a fifth of the device's free memory to others. */
static int fitting_log(void)
{
    size_t available, all;
    int log = LEAST_LOG;
    BENCH_CHECK(cudaMemGetInfo(&available, &all));
    while (log < GREATEST_LOG && (size_t)2 << log <= available / 5 * 4) log++;
    return log;
}

static struct bench prepare(int argc, char **argv)
{
    const bool is_quick = bench_flag(argc, argv, "--quick");
    struct bench bench;
    memset(&bench, 0, sizeof bench);
    bench_check_options(argc, argv, options);
    bench.types = bench_option(argc, argv, "--types", "");
    bench.ops = bench_option(argc, argv, "--ops", "");
    bench.modes = bench_option(argc, argv, "--modes", "");
    bench.min_log = log_option(argc, argv, "--min", LEAST_LOG);
    bench.is_odd = bench_flag(argc, argv, "--odd");
    bench.max_log = log_option(argc, argv, "--max", fitting_log() - bench.is_odd);
    bench.buffer_bytes = (size_t)1 << (bench.max_log + bench.is_odd); /* odd sizes lie behind the last power of two */
    bench.step = is_quick ? 2 : 1;
    bench.rounds = bench_rounds(argc, argv, 21);
    bench.json = bench_json_begin(argc, argv);
    BENCH_CHECK(cudaStreamCreate(&bench.stream));
    BENCH_CHECK(cudaMalloc((void **)&bench.buffer, bench.buffer_bytes));
    BENCH_CHECK(cudaMalloc((void **)&bench.sink, sizeof *bench.sink));
    BENCH_CHECK(cudaMallocHost(&bench.pinned, sizeof(double)));
    for (int s = 0; s < 2; s++) {
        BENCH_CHECK(cudaMalloc(&bench.room[s], ROOM_BYTES));
        BENCH_CHECK(cudaMemset(bench.room[s], 0, ROOM_BYTES));
        BENCH_CHECK(cudaMalloc(&bench.out[s], sizeof(double)));
    }
    BENCH_CHECK(cudaDeviceSynchronize());
    return bench;
}

static int count_listed(const char *list, const char *const *names, int count)
{
    int listed = 0;
    for (int k = 0; k < count; k++) listed += bench_listed(list, names[k]);
    return listed;
}

static void run(struct bench *bench)
{
    const char *type_names[DATA_TYPES];
    for (int type = 0; type < DATA_TYPES; type++) type_names[type] = data_types[type].name;
    const int sizes = (bench->max_log - bench->min_log) / bench->step + 1;
    const int all = count_listed(bench->types, type_names, DATA_TYPES) * sizes *
                    count_listed(bench->ops, op_names, ARRAY_OPS);
    int done = 0;
    for (int type = 0; type < DATA_TYPES; type++) {
        if (!bench_listed(bench->types, data_types[type].name)) continue;
        data_types[type].fill(bench->buffer, bench->buffer_bytes);
        for (int op = 0; op < ARRAY_OPS; op++) {
            if (!bench_listed(bench->ops, op_names[op])) continue;
            print_columns(bench, type, op);
            for (int log = bench->min_log; log <= bench->max_log; log += bench->step) {
                bench_progress(done++, all, data_types[type].name);
                run_sizes(bench, type, op, log);
            }
        }
    }
    bench_progress(all, all, "done");
}

int main(int argc, char **argv)
{
    struct bench bench = prepare(argc, argv);
    bench_heading("A whole array on the GPU: reduce.cuh against cub::DeviceReduce");
    print_floor(&bench);
    run(&bench);
    print_summary(&bench);
    return 0;
}
