/*
 * segments.cu: times of sums by segments of one array, which offsets delimit: floats, and halves summed in float;
 * beside CUB's DeviceSegmentedReduce, which gives each segment one block; beside a kernel that reads as many
 * bytes, those of elements and of offsets; and beside a floor, a kernel that also writes as many results.
 *
 *     segments [--quick] [--rounds N] [--json FILE] [--logs 22,24,26]
 */
#include "data.cuh"
#include "reduce_rows.cuh"

#include <cub/device/device_segmented_reduce.cuh>
#include <cuda_fp16.h>

static const char options[] = "--quick --rounds= --json= --logs=";

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_ROWS(reduce_float_sum)
DEFINE_REDUCE_MAP(half_sum, __half, float, __half2float(x), REDUCE_IDENTITY_sum(float), REDUCE_COMBINE_sum(float, a, b))
DEFINE_REDUCE_ROWS(half_sum)

/* Call i reads copy i of the elements. */
struct work {
    struct data_reading elements;
    const int64_t *offsets;
    size_t count;
    float *out;
    void *room;
    size_t room_bytes;
    reduce_workspace *ws;
};

static const void *copy_of(const struct work *w, int i)
{
    return w->elements.buffer + (size_t)i % w->elements.inputs * w->elements.bytes;
}

struct kind {
    const char *name;
    size_t size;
    void (*ours)(const void *context, int i, cudaStream_t stream), (*theirs)(const void *context, int i, cudaStream_t stream);
    cudaError_t (*cub_call)(const struct work *w, int i, void *room, size_t *bytes, cudaStream_t stream);
    float (*on_cpu)(const void *in, size_t first, size_t end);
    void (*fill)(void *to, size_t bytes);
};

#define DEFINE_KIND(NAME, In)                                                                                         \
    static void ours_##NAME(const void *context, int i, cudaStream_t stream)                                          \
    {                                                                                                                 \
        const struct work *w = (const struct work *)context;                                                          \
        BENCH_CHECK(NAME##_segments_async((const In *)copy_of(w, i), w->offsets, w->count, w->out, w->ws, stream));   \
    }                                                                                                                 \
    static cudaError_t cub_##NAME(const struct work *w, int i, void *room, size_t *bytes, cudaStream_t stream)        \
    {                                                                                                                 \
        return cub::DeviceSegmentedReduce::Reduce(room, *bytes, (const In *)copy_of(w, i), w->out, (int64_t)w->count, \
                                                  w->offsets, w->offsets + 1, cuda::std::plus<float>(), 0.0f, stream);\
    }                                                                                                                 \
    static void theirs_##NAME(const void *context, int i, cudaStream_t stream)                                        \
    {                                                                                                                 \
        const struct work *w = (const struct work *)context;                                                          \
        size_t bytes = w->room_bytes;                                                                                 \
        BENCH_CHECK(cub_##NAME(w, i, w->room, &bytes, stream));                                                       \
    }                                                                                                                 \
    static float cpu_##NAME(const void *in, size_t first, size_t end)                                                 \
    {                                                                                                                 \
        return NAME##_cpu((const In *)in + first, end - first);                                                       \
    }

DEFINE_KIND(reduce_float_sum, float)
DEFINE_KIND(half_sum, __half)

#define KIND(name, NAME, size, fill) {name, size, ours_##NAME, theirs_##NAME, cub_##NAME, cpu_##NAME, fill}
static const struct kind kinds[] = {KIND("floats", reduce_float_sum, 4, data_fill_float), KIND("halves", half_sum, 2, data_fill_half)};

/* ---- Lengths ------------------------------------------------------------------------------------------- */

enum { ALL = 1 << 26, MOST = ALL / 4 }; /* elements; segments; at most */

/* A social graph's degrees: the k-th has about scale / k^0.8 neighbours, in no order. 2^26 elements have so many
   segments. */
static size_t power_law(int64_t *offsets, size_t all, size_t number)
{
    const size_t count = number / (ALL / all);
    const double scale = 1500000.0 / pow((double)(ALL / all), 0.2);
    size_t at = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t rank = k * 2654435761u % count + 1;
        offsets[k] = (int64_t)at;
        at += (size_t)(scale / pow((double)rank, 0.8)) + 1;
        if (at > all) at = all;
    }
    offsets[count] = (int64_t)at;
    return count;
}

/* One giant in the middle of nothing. */
static size_t one_giant(int64_t *offsets, size_t all, size_t count)
{
    for (size_t k = 0; k <= count; k++) offsets[k] = k <= count / 2 ? 0 : (int64_t)all;
    return count;
}

static size_t all_equal(int64_t *offsets, size_t all, size_t length)
{
    const size_t count = all / length;
    for (size_t k = 0; k <= count; k++) offsets[k] = (int64_t)(k * length);
    return count;
}

/* Segments of lengths at random, which length_of makes of 31 random bits. */
static size_t at_random(int64_t *offsets, size_t all, size_t number, size_t (*length_of)(size_t any, size_t number))
{
    uint64_t state = 1;
    size_t count = 0;
    for (size_t at = 0; at < all; count++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const size_t length = length_of((size_t)(state >> 33), number);
        offsets[count] = (int64_t)at;
        at = at + length < all ? at + length : all;
    }
    offsets[count] = (int64_t)all;
    return count;
}

/* Lengths from 0 on, each as likely as another. */
static size_t up_to(size_t any, size_t most) { return any % (most + 1); }

/* Lengths by the exponential law: as of gaps between events that happen at any time. */
static size_t exponential(size_t any, size_t mean)
{
    const double share = ((double)any + 1) / 2147483648.0;
    return (size_t)(-log(share) * (double)mean);
}

/* Mostly a few elements, but a quarter of the segments have up to `most`. */
static size_t quarter_long(size_t any, size_t most) { return any / 64 % (any % 4 == 0 ? most : 20); }

/* Mostly a few elements, but one segment of 64 has as many. */
static size_t seldom_long(size_t any, size_t most) { return any % 64 == 0 ? most : any / 64 % 20; }

struct shape {
    const char *name;
    size_t (*make)(int64_t *offsets, size_t all, size_t number); /* NULL: at random */
    size_t number;
    size_t (*length_of)(size_t any, size_t number); /* at random */
};

static const struct shape shapes[] = {
    {"power law, up to 2^21", power_law, 1 << 21, NULL},
    {"one giant among 2^20", one_giant, 1 << 20, NULL},
    {"all of 4", all_equal, 4, NULL},
    {"all of 8", all_equal, 8, NULL},
    {"all of 17", all_equal, 17, NULL},
    {"all of 33", all_equal, 33, NULL},
    {"all of 100", all_equal, 100, NULL},
    {"all of 300", all_equal, 300, NULL},
    {"all of 500", all_equal, 500, NULL},
    {"all of 1000", all_equal, 1000, NULL},
    {"all of 2000", all_equal, 2000, NULL},
    {"all of 4097", all_equal, 4097, NULL},
    {"all of 10000", all_equal, 10000, NULL},
    {"all of 65536", all_equal, 65536, NULL},
    {"all of 1000000", all_equal, 1000000, NULL},
    {"two halves", all_equal, 0, NULL},
    {"up to 16", NULL, 16, up_to},
    {"up to 64", NULL, 64, up_to},
    {"up to 600", NULL, 600, up_to},
    {"up to 5000", NULL, 5000, up_to},
    {"exponential, mean 300", NULL, 300, exponential},
    {"exponential, mean 1000", NULL, 1000, exponential},
    {"a quarter up to 4000", NULL, 4000, quarter_long},
    {"one of 64 of 8000", NULL, 8000, seldom_long},
};

/* Some segments, against the CPU. */
static bool is_right(const struct kind *kind, const struct work *work, const void *in, const int64_t *offsets, cudaStream_t stream)
{
    float *got = (float *)bench_malloc(work->count * sizeof(float));
    bool is_right = true;
    kind->ours(work, 0, stream);
    BENCH_CHECK(cudaStreamSynchronize(stream));
    BENCH_CHECK(cudaMemcpy(got, work->out, work->count * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < work->count; k += work->count / 5000 + 1) {
        const float expected = kind->on_cpu(in, (size_t)offsets[k], (size_t)offsets[k + 1]);
        is_right = is_right && memcmp(&expected, got + k, sizeof expected) == 0;
    }
    free(got);
    return is_right;
}

enum { OURS, CUB, READ, FLOOR, SIDES };

struct bench {
    struct work work;
    struct data_reading reading;
    int64_t *offsets;
    void *in;
    int rounds;
    struct bench_json json;
    cudaStream_t stream;
};

static void measure(struct bench *b, const struct kind *kind, int log, const struct shape *shape)
{
    const size_t all = (size_t)1 << log, number = shape->number == 0 ? all / 2 : shape->number;
    struct bench_side sides[SIDES];
    struct work *work = &b->work;
    if (shape->make == all_equal && number > all / 2) return;
    work->count = shape->length_of != NULL ? at_random(b->offsets, all, number, shape->length_of)
                                           : shape->make(b->offsets, all, number);
    work->elements.bytes = all * kind->size;
    work->elements.inputs = data_inputs((size_t)ALL * sizeof(float), work->elements.bytes);
    BENCH_CHECK(cudaMemcpy((void *)work->offsets, b->offsets, (work->count + 1) * sizeof *b->offsets, cudaMemcpyHostToDevice));
    if (!is_right(kind, work, b->in, b->offsets, b->stream)) bench_fail("%s, %s: wrong", kind->name, shape->name);
    work->room_bytes = 0;
    BENCH_CHECK(kind->cub_call(work, 0, NULL, &work->room_bytes, b->stream));
    BENCH_CHECK(cudaMalloc(&work->room, work->room_bytes + 1));
    b->reading.bytes = ((size_t)b->offsets[work->count] * kind->size + work->count * sizeof *b->offsets) / 16 * 16;
    b->reading.inputs = data_inputs((size_t)ALL * sizeof(float), b->reading.bytes);
    b->reading.shape = data_best_shape(b->reading, 4, b->stream);
    const struct data_floor floor = {b->reading, (unsigned *)work->out, work->count};
    sides[OURS] = bench_side(kind->ours, work);
    sides[CUB] = bench_side(kind->theirs, work);
    sides[READ] = bench_side(data_read, &b->reading);
    sides[FLOOR] = bench_side(data_floor, &floor);
    bench_graph(sides, SIDES, log < 25 ? 16 : 4, b->rounds, b->stream);
    const double us = sides[OURS].time.median, read_us = sides[READ].time.median, floor_us = sides[FLOOR].time.median;
    printf("%-22s %9zu segments %9.2f us  CUB %9.2f us (%6.2f)  %5.1f %% of reading  %5.1f %% of the floor's speed\n",
           shape->name, work->count, us, sides[CUB].time.median,
           bench_ratio(&sides[CUB], &sides[OURS], b->rounds).median, 100 * read_us / us, 100 * floor_us / us);
    bench_json_row(&b->json,
                   "\"type\": \"%s\", \"log\": %d, \"shape\": \"%s\", \"segments\": %zu, \"us\": %.4f, \"cub_us\": %.4f, "
                   "\"read_us\": %.4f, \"floor_us\": %.4f",
                   kind->name, log, shape->name, work->count, us, sides[CUB].time.median, read_us, floor_us);
    fflush(stdout);
    BENCH_CHECK(cudaFree(work->room));
}

int main(int argc, char **argv)
{
    const size_t bytes = (size_t)ALL * sizeof(float);
    const char *logs = bench_option(argc, argv, "--logs", "");
    struct bench b;
    bench_check_options(argc, argv, options);
    memset(&b, 0, sizeof b);
    b.rounds = bench_rounds(argc, argv, 9);
    b.json = bench_json_begin(argc, argv);
    bench_heading("Sums by segments, in a graph");
    b.reading = data_reading(bytes + (size_t)MOST * sizeof(int64_t));
    b.work.elements.buffer = b.reading.buffer;
    b.offsets = (int64_t *)bench_malloc(((size_t)MOST + 1) * sizeof(int64_t));
    b.in = bench_malloc(bytes);
    BENCH_CHECK(cudaStreamCreate(&b.stream));
    BENCH_CHECK(cudaMalloc((void **)&b.work.out, (size_t)MOST * sizeof(float)));
    BENCH_CHECK(cudaMalloc((void **)&b.work.offsets, ((size_t)MOST + 1) * sizeof(int64_t)));
    BENCH_CHECK(reduce_workspace_create(&b.work.ws));
    for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++) {
        kinds[t].fill((void *)b.reading.buffer, bytes);
        BENCH_CHECK(cudaMemcpy(b.in, b.reading.buffer, bytes, cudaMemcpyDeviceToHost));
        for (int log = 22; log <= 26; log += 2) {
            char text[8];
            snprintf(text, sizeof text, "%d", log);
            if (!bench_listed(logs, text)) continue;
            printf("\n2^%d %s\n", log, kinds[t].name);
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) measure(&b, &kinds[t], log, &shapes[k]);
        }
    }
    bench_json_end(&b.json, "");
    return 0;
}
