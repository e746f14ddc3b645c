/*
 * segments.cu: times of sums of floats by segments of one array, which offsets delimit; beside CUB's
 * DeviceSegmentedReduce, which gives each segment one block; beside a kernel that reads as many bytes, those of
 * elements and of offsets; and beside a floor, a kernel that also writes as many results.
 *
 *     segments [--quick] [--rounds N] [--json FILE]
 */
#include "data.cuh"
#include "reduce_rows.cuh"

#include <cub/device/device_segmented_reduce.cuh>

static const char options[] = "--quick --rounds= --json=";

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_ROWS(reduce_float_sum)

struct work {
    const float *in;
    const int64_t *offsets;
    size_t count;
    float *out;
    void *room;
    size_t room_bytes;
    reduce_workspace *ws;
};

static void ours(const void *context, int i, cudaStream_t stream)
{
    const struct work *w = (const struct work *)context;
    (void)i;
    BENCH_CHECK(reduce_float_sum_segments_async(w->in, w->offsets, w->count, w->out, w->ws, stream));
}

static cudaError_t cub_call(const struct work *w, void *room, size_t *bytes, cudaStream_t stream)
{
    return cub::DeviceSegmentedReduce::Sum(room, *bytes, w->in, w->out, (int64_t)w->count, w->offsets, w->offsets + 1, stream);
}

static void theirs(const void *context, int i, cudaStream_t stream)
{
    const struct work *w = (const struct work *)context;
    size_t bytes = w->room_bytes;
    (void)i;
    BENCH_CHECK(cub_call(w, w->room, &bytes, stream));
}

/* ---- Lengths ------------------------------------------------------------------------------------------- */

enum { ALL = 1 << 26, MOST = ALL / 4 }; /* elements; segments */

/* A social graph's degrees: the k-th has about scale / k^0.8 neighbours, in no order. */
static size_t power_law(int64_t *offsets, size_t count)
{
    size_t at = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t rank = k * 2654435761u % count + 1;
        offsets[k] = (int64_t)at;
        at += (size_t)(1500000.0 / pow((double)rank, 0.8)) + 1;
        if (at > ALL) at = ALL;
    }
    offsets[count] = (int64_t)at;
    return count;
}

/* One giant in the middle of nothing. */
static size_t one_giant(int64_t *offsets, size_t count)
{
    for (size_t k = 0; k <= count; k++) offsets[k] = k <= count / 2 ? 0 : ALL;
    return count;
}

static size_t all_equal(int64_t *offsets, size_t length)
{
    const size_t count = ALL / length;
    for (size_t k = 0; k <= count; k++) offsets[k] = (int64_t)(k * length);
    return count;
}

struct shape {
    const char *name;
    size_t (*make)(int64_t *offsets, size_t number);
    size_t number;
};

static const struct shape shapes[] = {
    {"power law, 2^21 segments", power_law, 1 << 21}, {"one giant among 2^20", one_giant, 1 << 20},
    {"all of 4", all_equal, 4},         {"all of 17", all_equal, 17},       {"all of 100", all_equal, 100},
    {"all of 1000", all_equal, 1000},   {"all of 10000", all_equal, 10000}, {"all of 65536", all_equal, 65536},
    {"all of 1000000", all_equal, 1000000}, {"all of 2^25", all_equal, 1 << 25}};

/* Some segments, against the CPU. */
static bool is_right(struct work w, const float *in, const int64_t *offsets, cudaStream_t stream)
{
    float *got = (float *)malloc(w.count * sizeof(float));
    bool is_right = true;
    ours(&w, 0, stream);
    BENCH_CHECK(cudaStreamSynchronize(stream));
    BENCH_CHECK(cudaMemcpy(got, w.out, w.count * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < w.count; k += w.count / 5000 + 1) {
        const float expected = reduce_float_sum_cpu(in + offsets[k], (size_t)(offsets[k + 1] - offsets[k]));
        is_right = is_right && memcmp(&expected, got + k, sizeof expected) == 0;
    }
    free(got);
    return is_right;
}

enum { OURS, CUB, READ, FLOOR, SIDES };

int main(int argc, char **argv)
{
    struct work work;
    cudaStream_t stream;
    bench_check_options(argc, argv, options);
    const int rounds = bench_rounds(argc, argv, 9);
    struct bench_json json = bench_json_begin(argc, argv);
    bench_heading("Segments of 2^26 floats, in a graph");
    memset(&work, 0, sizeof work);
    struct data_reading reading = data_reading((size_t)ALL * sizeof(float) + (size_t)MOST * sizeof(int64_t));
    BENCH_CHECK(cudaStreamCreate(&stream));
    BENCH_CHECK(cudaMalloc((void **)&work.out, (size_t)MOST * sizeof(float)));
    BENCH_CHECK(cudaMalloc((void **)&work.offsets, ((size_t)MOST + 1) * sizeof(int64_t)));
    BENCH_CHECK(reduce_workspace_create(&work.ws));
    work.in = (const float *)reading.buffer;
    data_fill_float((void *)work.in, (size_t)ALL * sizeof(float));
    float *in = (float *)malloc((size_t)ALL * sizeof(float));
    int64_t *offsets = (int64_t *)malloc(((size_t)MOST + 1) * sizeof(int64_t));
    BENCH_CHECK(cudaMemcpy(in, work.in, (size_t)ALL * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct bench_side sides[SIDES];
        work.count = shapes[k].make(offsets, shapes[k].number);
        BENCH_CHECK(cudaMemcpy((void *)work.offsets, offsets, (work.count + 1) * sizeof *offsets, cudaMemcpyHostToDevice));
        if (!is_right(work, in, offsets, stream)) bench_fail("%s: wrong", shapes[k].name);
        work.room_bytes = 0;
        BENCH_CHECK(cub_call(&work, NULL, &work.room_bytes, stream));
        BENCH_CHECK(cudaMalloc(&work.room, work.room_bytes + 1));
        reading.bytes = ((size_t)(offsets[work.count] - offsets[0]) * sizeof(float) + work.count * sizeof *offsets) / 16 * 16;
        reading.inputs = 1;
        reading.shape = data_best_shape(reading, 4, stream);
        const struct data_floor floor = {reading, (unsigned *)work.out, work.count};
        sides[OURS] = bench_side(ours, &work);
        sides[CUB] = bench_side(theirs, &work);
        sides[READ] = bench_side(data_read, &reading);
        sides[FLOOR] = bench_side(data_floor, &floor);
        bench_graph(sides, SIDES, 4, rounds, stream);
        const double us = sides[OURS].time.median, read_us = sides[READ].time.median, floor_us = sides[FLOOR].time.median;
        printf("%-26s %10zu segments %9.2f us  CUB %9.2f us (%6.2f)  %5.1f %% of reading  %5.1f %% of the floor's speed\n",
               shapes[k].name, work.count, us, sides[CUB].time.median, bench_ratio(&sides[CUB], &sides[OURS], rounds).median,
               100 * read_us / us, 100 * floor_us / us);
        bench_json_row(&json,
                       "\"shape\": \"%s\", \"segments\": %zu, \"us\": %.4f, \"cub_us\": %.4f, \"read_us\": %.4f, \"floor_us\": %.4f",
                       shapes[k].name, work.count, us, sides[CUB].time.median, read_us, floor_us);
        fflush(stdout);
        BENCH_CHECK(cudaFree(work.room));
    }
    bench_json_end(&json, "");
    return 0;
}
