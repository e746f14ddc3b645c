/*
 * host.cu: times of the simple call on arrays in main memory, beside the CPU alone and the GPU alone; and of
 * NAME_async_n beside NAME_async.
 *
 *     host [--quick] [--rounds N] [--most MIB] [--json FILE]
 *
 * The first table has arrays in pageable and in pinned memory, all threads of the CPU and one, a sum of floats, and a map
 * with 200 operations an element. Its columns are
 *     NAME      the simple call
 *     CPU       NAME_cpu
 *     copying   a copy of the whole array to device memory that is allocated already, and NAME_async
 *     0.1       the simple call without reduce_host.cuh: as copying, but it allocates and frees in each call
 * The second table is measured in a graph, with elements on the device. NAME_async is given their number by the host;
 * NAME_async_n reads the same number in the kernel: as many as the launch allows, one less, or half of that.
 */
#include "reduce_async_n.cuh"
#include "timing.h"

#include <omp.h>

static const char options[] = "--quick --rounds= --most= --json=";

REDUCE_BOTH_ unsigned mixed(unsigned x)
{
    for (int k = 0; k < 33; k++) x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    return x + 1;
}

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_MAP(costly, unsigned, unsigned, mixed(x), 0, a + b)
DEFINE_REDUCE_ASYNC_N(reduce_float_sum)

struct work {
    const char *in;
    size_t bytes;
    void *device, *out;
    reduce_workspace *ws;
    unsigned char *result;
};

/* ---- Sides --------------------------------------------------------------------------------------------- */

#define DEFINE_SIDES(NAME)                                                                                \
    static void simple_##NAME(const void *context, int i, cudaStream_t stream)                            \
    {                                                                                                     \
        const struct work *work = (const struct work *)context;                                           \
        const NAME##_element *in = (const NAME##_element *)(const void *)work->in;                        \
        (void)i, (void)stream;                                                                            \
        BENCH_CHECK(NAME(in, work->bytes / sizeof *in, (NAME##_result *)(void *)work->result));           \
    }                                                                                                     \
    static void cpu_##NAME(const void *context, int i, cudaStream_t stream)                               \
    {                                                                                                     \
        const struct work *work = (const struct work *)context;                                           \
        const NAME##_element *in = (const NAME##_element *)(const void *)work->in;                        \
        (void)i, (void)stream;                                                                            \
        *(NAME##_result *)(void *)work->result = NAME##_cpu(in, work->bytes / sizeof *in);                \
    }                                                                                                     \
    static void copying_##NAME(const void *context, int i, cudaStream_t stream)                           \
    {                                                                                                     \
        const struct work *work = (const struct work *)context;                                           \
        const NAME##_element *in = (const NAME##_element *)work->device;                                  \
        NAME##_result *out = (NAME##_result *)work->out;                                                  \
        (void)i;                                                                                          \
        BENCH_CHECK(cudaMemcpyAsync(work->device, work->in, work->bytes, cudaMemcpyHostToDevice, stream));\
        BENCH_CHECK(NAME##_async(in, work->bytes / sizeof *in, out, work->ws, stream));                   \
        BENCH_CHECK(cudaMemcpyAsync(work->result, out, sizeof *out, cudaMemcpyDeviceToHost, stream));     \
        BENCH_CHECK(cudaStreamSynchronize(stream));                                                       \
    }                                                                                                     \
    static void first_##NAME(const void *context, int i, cudaStream_t stream)                             \
    {                                                                                                     \
        struct work own = *(const struct work *)context;                                                  \
        (void)i, (void)stream;                                                                            \
        BENCH_CHECK(cudaMalloc(&own.device, sizeof *own.ws + 256 + own.bytes));                           \
        own.ws = (reduce_workspace *)own.device;                                                          \
        own.out = (char *)own.device + sizeof *own.ws;                                                    \
        own.device = (char *)own.out + 256;                                                               \
        BENCH_CHECK(cudaMemset(own.ws, 0, sizeof *own.ws));                                               \
        copying_##NAME(&own, i, 0);                                                                       \
        BENCH_CHECK(cudaFree(own.ws));                                                                    \
    }
DEFINE_SIDES(reduce_float_sum)
DEFINE_SIDES(costly)

/* ---- The run ------------------------------------------------------------------------------------------- */

enum { SIMPLE, CPU, COPYING, FIRST, SIDES };
#define SIDES_OF(NAME) {simple_##NAME, cpu_##NAME, copying_##NAME, first_##NAME}
typedef void side(const void *context, int i, cudaStream_t stream);
static const struct {
    const char *name;
    side *sides[SIDES];
} maps[] = {{"sum", SIDES_OF(reduce_float_sum)}, {"costly", SIDES_OF(costly)}};

struct cell {
    const char *memory;
    int map, threads;
};

static void run_cell(struct bench_json *json, struct cell cell, struct work *work, int rounds, cudaStream_t stream)
{
    struct bench_side sides[SIDES];
    unsigned char results[SIDES][4];
    const size_t weight = work->bytes * (cell.map ? 50 : 1) / (size_t)(cell.threads > 1 ? 4 : 1);
    const int calls = weight < 1 << 20 ? 16 : 1;
    rounds = weight > (size_t)1 << 29 ? (rounds + 2) / 3 : rounds;
    for (int k = 0; k < SIDES; k++) {
        sides[k] = bench_side(maps[cell.map].sides[k], work);
        work->result = results[k];
        sides[k].call(work, 0, stream);
    }
    for (int k = 1; k < SIDES; k++)
        if (memcmp(results[0], results[k], sizeof results[0]) != 0) bench_fail("side %d has other bits", k);
    bench_host(sides, SIDES, calls, rounds, stream);
    const double best = fmin(sides[CPU].time.median, sides[COPYING].time.median), own = sides[SIMPLE].time.median;
    printf("%-8s %-6s %7d %11zu |%12.1f%12.1f%12.1f%12.1f |%8.2f%8.2f%8.1f\n", cell.memory, maps[cell.map].name,
           cell.threads, work->bytes, own, sides[CPU].time.median, sides[COPYING].time.median,
           sides[FIRST].time.median, best / own, sides[FIRST].time.median / own, (double)work->bytes * 1e-3 / own);
    bench_json_row(json, "\"memory\": \"%s\", \"map\": \"%s\", \"threads\": %d, \"bytes\": %zu, \"own_us\": %.3f, "
                         "\"own_low\": %.3f, \"own_high\": %.3f, \"cpu_us\": %.3f, \"copying_us\": %.3f, "
                         "\"first_us\": %.3f",
                   cell.memory, maps[cell.map].name, cell.threads, work->bytes, own, sides[SIMPLE].time.low,
                   sides[SIMPLE].time.high, sides[CPU].time.median, sides[COPYING].time.median,
                   sides[FIRST].time.median);
    fflush(stdout);
}

static void run_cells(struct bench_json *json, struct cell cell, struct work *work, size_t most, bool is_quick,
                      int rounds, cudaStream_t stream)
{
    const int all = omp_get_max_threads();
    for (int k = 0; k < 4; k++) {
        cell.map = k / 2;
        cell.threads = k % 2 == 0 ? all : 1;
        omp_set_num_threads(cell.threads);
        const size_t limit = cell.map == 0 ? most : cell.threads == 1 ? most >> 5 : most >> 2;
        for (work->bytes = 1 << 14; work->bytes <= limit; work->bytes *= is_quick ? 16 : 4)
            run_cell(json, cell, work, rounds, stream);
    }
    omp_set_num_threads(all);
}

/* ---- The number of elements on the device -------------------------------------------------------------- */

struct counted {
    const float *in;
    size_t most, n, *n_there;
    float *out;
    reduce_workspace *ws;
};

static void by_host(const void *context, int i, cudaStream_t stream)
{
    const struct counted *counted = (const struct counted *)context;
    (void)i;
    BENCH_CHECK(reduce_float_sum_async(counted->in, counted->n, counted->out, counted->ws, stream));
}

static void by_device(const void *context, int i, cudaStream_t stream)
{
    const struct counted *c = (const struct counted *)context;
    (void)i;
    BENCH_CHECK(reduce_float_sum_async_n(c->in, c->n_there, c->most, c->out, c->ws, stream));
}

static void run_counted(struct bench_json *json, const struct work *work, size_t most, int rounds, cudaStream_t stream)
{
    enum { NUMBERS = 3 };
    struct counted counted[NUMBERS];
    struct bench_side sides[2 * NUMBERS];
    size_t *there;
    BENCH_CHECK(cudaMalloc((void **)&there, NUMBERS * sizeof *there));
    for (int k = 0; k < NUMBERS; k++) {
        const struct counted one = {(const float *)work->device, 0, 0, there + k, (float *)work->out, work->ws};
        counted[k] = one;
        sides[2 * k] = bench_side(by_host, &counted[k]);
        sides[2 * k + 1] = bench_side(by_device, &counted[k]);
    }
    printf("\nNAME_async and NAME_async_n of the same number of elements, and what the second takes more: us, in a graph\n"
           "         most |        as many as most |          most less one |            half of most\n");
    for (size_t n = 256; n <= most / sizeof(float); n *= 4) {
        const size_t numbers[NUMBERS] = {n, n - 1, n / 2};
        BENCH_CHECK(cudaMemcpy(there, numbers, sizeof numbers, cudaMemcpyHostToDevice));
        for (int k = 0; k < NUMBERS; k++) counted[k].most = n, counted[k].n = numbers[k];
        bench_graph(sides, 2 * NUMBERS, n < 1 << 24 ? 32 : 4, rounds, stream);
        printf("%13zu", n);
        for (int k = 0; k < NUMBERS; k++) {
            const double own = sides[2 * k + 1].time.median, other = sides[2 * k].time.median;
            printf(" |%8.2f%8.2f%7.2f", other, own, own - other);
            bench_json_row(json, "\"most\": %zu, \"n\": %zu, \"async_us\": %.4f, \"async_n_us\": %.4f", n, numbers[k],
                           other, own);
        }
        printf("\n");
    }
    BENCH_CHECK(cudaFree(there));
}

int main(int argc, char **argv)
{
    const bool is_quick = bench_flag(argc, argv, "--quick");
    struct work work;
    cudaStream_t stream;
    bench_check_options(argc, argv, options);
    const int rounds = bench_rounds(argc, argv, 9);
    const int mebibytes = atoi(bench_option(argc, argv, "--most", "1024"));
    if (mebibytes < 1) bench_fail("--most: 1 or more MiB");
    const size_t most = (size_t)mebibytes << 20;
    struct bench_json json = bench_json_begin(argc, argv);
    memset(&work, 0, sizeof work);
    bench_heading("The simple call on main memory: microseconds");
    BENCH_CHECK(cudaStreamCreate(&stream));
    BENCH_CHECK(cudaMalloc(&work.device, most));
    BENCH_CHECK(cudaMalloc(&work.out, 16));
    BENCH_CHECK(reduce_workspace_create(&work.ws));
    float *pageable = (float *)bench_malloc(most), *pinned;
    BENCH_CHECK(cudaMallocHost((void **)&pinned, most));
#pragma omp parallel for
    for (size_t i = 0; i < most / sizeof *pinned; i++) pinned[i] = pageable[i] = (float)(i % 1000) * 0.37f;
    printf("                          bytes |        NAME         CPU     copying         0.1 |"
           " of best  of 0.1    GB/s\n");
    const struct cell of_pageable = {"pageable", 0, 0}, of_pinned = {"pinned", 0, 0};
    work.in = (const char *)pageable;
    run_cells(&json, of_pageable, &work, most, is_quick, rounds, stream);
    work.in = (const char *)pinned;
    run_cells(&json, of_pinned, &work, most, is_quick, rounds, stream);
    run_counted(&json, &work, most, rounds, stream);
    bench_json_end(&json, "");
    return 0;
}
