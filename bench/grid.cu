/*
 * grid.cu: times of a user's kernel that ends in one value: by NAME_grid, and by the usual ways.
 *
 *   grid      the kernel ends in NAME_grid: one launch, the same bits each time
 *   two       the kernel writes a partial result for each block, and a second kernel of one block adds them up
 *   CUB       the same, with cub::DeviceReduce after the kernel
 *   groups    a cooperative launch: the kernel waits for its grid, and its first block adds the partial results up
 *   atomic    a memset, then the kernel ends in an atomicAdd of each block: other bits each time
 *   kernel    the kernel without a reduction
 *
 * The kernel scales an array and adds up its squares, as a step of an iterative solver does. All sides
 * but grid and kernel reduce blocks by cub::BlockReduce.
 */
#include "reduce.cuh"
#include "timing.h"

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_reduce.cuh>

static const char options[] = "--quick --max= --rounds= --json=";

DEFINE_REDUCE(float, sum)

enum { GRID, TWO, CUB, GROUPS, ATOMIC, KERNEL, SIDES };
static const char *const side_names[SIDES] = {"grid", "two", "CUB", "groups", "atomic", "kernel"};
enum { THREADS = 256, MAX_BLOCKS = 1024, MIN_LOG = 10, MAX_LOG = 28, CALLS = 32 };

struct work {
    float *x;
    size_t n;
    unsigned blocks;
    reduce_workspace *ws;
    float *partials, *out;
    void *room;
    size_t room_bytes;
};

/* ---- Kernels ------------------------------------------------------------------------------------------- */

/* A thread's share, in all of them. The factor is 1 where times are taken: the array stays as it is. */
static __device__ float scale(float *x, size_t n, float factor)
{
    float squares = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        x[i] *= factor;
        squares += x[i] * x[i];
    }
    return squares;
}

static __global__ void scale_grid(float *x, size_t n, float factor, reduce_workspace *ws, float *out)
{
    reduce_float_sum_grid(scale(x, n, factor), ws, out);
}

/* By the rivals: the result is in thread 0. */
static __device__ float sum_of_block(float x)
{
    typedef cub::BlockReduce<float, THREADS> Reduce;
    __shared__ Reduce::TempStorage room;
    return Reduce(room).Sum(x);
}

static __global__ void scale_partials(float *x, size_t n, float factor, float *partials)
{
    const float squares = sum_of_block(scale(x, n, factor));
    if (threadIdx.x == 0) partials[blockIdx.x] = squares;
}

static __device__ void add(const float *partials, unsigned count, float *out)
{
    float sum = 0;
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) sum += partials[k];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) *out = sum;
}

static __global__ void add_partials(const float *partials, unsigned count, float *out)
{
    add(partials, count, out);
}

/* The barrier of the grid is one of the block too: shared memory may be used again. */
static __global__ void scale_groups(float *x, size_t n, float factor, float *partials, float *out)
{
    const float squares = sum_of_block(scale(x, n, factor));
    if (threadIdx.x == 0) partials[blockIdx.x] = squares;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0) add(partials, gridDim.x, out);
}

static __global__ void scale_atomic(float *x, size_t n, float factor, float *out)
{
    const float squares = sum_of_block(scale(x, n, factor));
    if (threadIdx.x == 0) atomicAdd(out, squares);
}

/* No sum of squares is below zero. */
static __global__ void scale_alone(float *x, size_t n, float factor, float *out)
{
    const float squares = scale(x, n, factor);
    if (squares < 0) *out = squares;
}

/* ---- Sides --------------------------------------------------------------------------------------------- */

static void by_grid(const void *context, int i, cudaStream_t stream)
{
    const struct work *work = (const struct work *)context;
    (void)i;
    scale_grid<<<work->blocks, THREADS, 0, stream>>>(work->x, work->n, 1, work->ws, work->out);
}

static void by_partials(const struct work *work, cudaStream_t stream)
{
    scale_partials<<<work->blocks, THREADS, 0, stream>>>(work->x, work->n, 1, work->partials);
}

static void by_two(const void *context, int i, cudaStream_t stream)
{
    const struct work *work = (const struct work *)context;
    (void)i;
    by_partials(work, stream);
    add_partials<<<1, THREADS, 0, stream>>>(work->partials, work->blocks, work->out);
}

static void by_cub(const void *context, int i, cudaStream_t stream)
{
    const struct work *work = (const struct work *)context;
    size_t room_bytes = work->room_bytes;
    (void)i;
    by_partials(work, stream);
    BENCH_CHECK(
        cub::DeviceReduce::Sum(work->room, room_bytes, work->partials, work->out, work->blocks, stream));
}

static void by_groups(const void *context, int i, cudaStream_t stream)
{
    struct work work = *(const struct work *)context;
    float factor = 1;
    void *arguments[] = {&work.x, &work.n, &factor, &work.partials, &work.out};
    (void)i;
    BENCH_CHECK(cudaLaunchCooperativeKernel((const void *)scale_groups, dim3(work.blocks), dim3(THREADS),
                                            arguments, 0, stream));
}

static void by_atomic(const void *context, int i, cudaStream_t stream)
{
    const struct work *work = (const struct work *)context;
    (void)i;
    BENCH_CHECK(cudaMemsetAsync(work->out, 0, sizeof *work->out, stream));
    scale_atomic<<<work->blocks, THREADS, 0, stream>>>(work->x, work->n, 1, work->out);
}

static void by_kernel(const void *context, int i, cudaStream_t stream)
{
    const struct work *work = (const struct work *)context;
    (void)i;
    scale_alone<<<work->blocks, THREADS, 0, stream>>>(work->x, work->n, 1, work->out);
}

/* ---- The run ------------------------------------------------------------------------------------------- */

static __global__ void fill(float *x, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = (float)(i % 4) / 2; /* squares add up to 3.5 in each four, without rounding to 2^24 of them */
}

static void check(struct bench_side *side, const struct work *work, const char *name, cudaStream_t stream)
{
    const double expected = 0.875 * work->n;
    float found = -1;
    BENCH_CHECK(cudaMemset(work->out, 0xee, sizeof found));
    side->call(work, 0, stream);
    BENCH_CHECK(cudaStreamSynchronize(stream));
    BENCH_CHECK(cudaMemcpy(&found, work->out, sizeof found, cudaMemcpyDeviceToHost));
    if (fabs(found - expected) > 1e-5 * expected)
        bench_fail("%s, n = %zu: %g, not %g", name, work->n, found, expected);
}

static void report(struct bench_json *json, const struct work *work, const char *mode,
                   const struct bench_side *sides, int rounds)
{
    printf("%11zu %7u %-6s |", work->n, work->blocks, mode);
    for (int s = 0; s < SIDES; s++) printf(" %9.2f", sides[s].time.median);
    printf(" |");
    for (int s = 1; s < SIDES; s++) {
        const struct bench_time ratio = bench_ratio(&sides[s], &sides[GRID], rounds);
        printf(" %8.3f +-%-4.1f", ratio.median, bench_spread(ratio));
    }
    printf("\n");
    fflush(stdout);
    for (int s = 0; s < SIDES; s++)
        bench_json_row(
            json,
            "\"n\": %zu, \"blocks\": %u, \"mode\": \"%s\", \"side\": \"%s\", \"us\": %.4f, \"low\": %.4f, "
            "\"high\": %.4f",
            work->n, work->blocks, mode, side_names[s], sides[s].time.median, sides[s].time.low,
            sides[s].time.high);
}

static void run_size(struct bench_json *json, struct work *work, size_t n, int rounds, cudaStream_t stream)
{
    const size_t blocks = (n + THREADS - 1) / THREADS;
    struct bench_side sides[SIDES] = {bench_side(by_grid, work),   bench_side(by_two, work),
                                      bench_side(by_cub, work),    bench_side(by_groups, work),
                                      bench_side(by_atomic, work), bench_side(by_kernel, work)};
    work->n = n;
    work->blocks = blocks < (size_t)MAX_BLOCKS ? (unsigned)blocks : (unsigned)MAX_BLOCKS;
    for (int s = 0; s < KERNEL; s++) check(&sides[s], work, side_names[s], stream);
    bench_graph(sides, SIDES, CALLS, rounds, stream);
    report(json, work, "graph", sides, rounds);
    bench_stream(sides, SIDES, CALLS, rounds, stream);
    report(json, work, "stream", sides, rounds);
}

static struct work prepare(int max_log)
{
    struct work work;
    memset(&work, 0, sizeof work);
    BENCH_CHECK(cudaMalloc((void **)&work.x, sizeof *work.x << max_log));
    BENCH_CHECK(cudaMalloc((void **)&work.partials, MAX_BLOCKS * sizeof *work.partials));
    BENCH_CHECK(cudaMalloc((void **)&work.out, sizeof *work.out));
    BENCH_CHECK(cub::DeviceReduce::Sum(NULL, work.room_bytes, work.partials, work.out, (unsigned)MAX_BLOCKS));
    BENCH_CHECK(cudaMalloc(&work.room, work.room_bytes));
    BENCH_CHECK(reduce_workspace_create(&work.ws));
    fill<<<MAX_BLOCKS, THREADS>>>(work.x, (size_t)1 << max_log);
    BENCH_CHECK(cudaDeviceSynchronize());
    return work;
}

static void print_columns(void)
{
    printf("%11s %7s %-6s |", "floats", "blocks", "mode");
    for (int s = 0; s < SIDES; s++) printf(" %9s", side_names[s]);
    printf(" |");
    for (int s = 1; s < SIDES; s++) printf(" %8s/grid  ", side_names[s]);
    printf("\n");
}

int main(int argc, char **argv)
{
    cudaStream_t stream;
    bench_check_options(argc, argv, options);
    const int max_log = atoi(bench_option(argc, argv, "--max", "28"));
    const int step = bench_flag(argc, argv, "--quick") ? 4 : 2, rounds = bench_rounds(argc, argv, 21);
    if (max_log < MIN_LOG || max_log > MAX_LOG) bench_fail("--max: 10 to 28, for 2^10 to 2^28 floats");
    struct work work = prepare(max_log);
    struct bench_json json = bench_json_begin(argc, argv);
    BENCH_CHECK(cudaStreamCreate(&stream));
    bench_heading("One value out of a user's kernel: NAME_grid against two launches, CUB, a cooperative launch and "
                  "atomics; us");
    print_columns();
    for (int log = MIN_LOG; log <= max_log; log += step) {
        bench_progress(log, max_log + 1, "2^n floats");
        run_size(&json, &work, (size_t)1 << log, rounds, stream);
    }
    bench_progress(1, 1, "done");
    bench_json_end(&json, "");
    return 0;
}
