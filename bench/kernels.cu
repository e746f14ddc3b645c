/*
 * kernels.cu: times of users' kernels that reduce each row of a matrix and write the row anew: soft-max and layer norm.
 * All sides run the same kernel with other reductions in it.
 *
 *   ours      NAME_block_of, or NAME_warp
 *   CUB       cub::BlockReduce, after which thread 0 leaves the result in shared memory for all threads; or
 *             cub::WarpReduce and a shuffle
 *   groups    cooperative groups: reduce of a tile that is the block, or a warp
 *   none      no reductions: each thread goes on with its own value, and the result is wrong
 *   copy      a kernel that only reads as many bytes and writes as many
 *
 *   softmax     exp(x - greatest) / sum of those: two reductions
 *   online      the same by one reduction of a pair: the greatest, and a sum that is scaled when a greater one comes
 *   layer_norm  (x - mean) / deviation: two reductions
 *
 * A block or a warp has one row. Each thread keeps its share of the row in registers.
 */
#include "data.cuh"
#include "reduce_block.cuh"

#include <cfloat>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/functional>

static const char options[] = "--quick --kernels= --types= --rounds= --json=";

namespace cg = cooperative_groups;

enum { WARP = 32, WARPS_OF_BLOCK = 8 };
enum { OURS, CUB, GROUPS, NONE, KERNELS, COPY = KERNELS, SIDES };
static const char *const side_names[SIDES] = {"ours", "CUB", "groups", "none", "copy"};

/* ---- Operators ----------------------------------------------------------------------------------------- */

/* A sum of exp(x - greatest), and that greatest x. */
struct scaled {
    float greatest, sum;
};
typedef struct scaled scaled;

static __host__ __device__ scaled scaled_of(float greatest, float sum)
{
    const scaled x = {greatest, sum};
    return x;
}

static __host__ __device__ scaled add_scaled(scaled a, scaled b)
{
    const scaled more = a.greatest < b.greatest ? b : a, less = a.greatest < b.greatest ? a : b;
    return scaled_of(more.greatest, more.sum + less.sum * expf(less.greatest - more.greatest));
}

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_BLOCK(reduce_float_sum)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_BLOCK(reduce_float_max)
DEFINE_REDUCE_AS(reduce_scaled_sum, scaled, scaled_of(-FLT_MAX, 0), add_scaled(a, b))
DEFINE_REDUCE_BLOCK(reduce_scaled_sum)

struct scaled_adder {
    __device__ scaled operator()(scaled a, scaled b) const { return add_scaled(a, b); }
};

/* Each operator as every side has it. */
#define OPERATOR(name, type, NAME, CubOperator, GroupOperator)                                            \
    struct name {                                                                                         \
        typedef type T;                                                                                   \
        typedef CubOperator Cub;                                                                          \
        typedef GroupOperator Group;                                                                      \
        static __device__ T of_warp(T x) { return NAME##_warp(x); }                                       \
        static __device__ T of_block(T x, int threads) { return NAME##_block_of(x, threads); }            \
    };
OPERATOR(sum, float, reduce_float_sum, cuda::std::plus<>, cg::plus<float>)
OPERATOR(greatest, float, reduce_float_max, cuda::maximum<>, cg::greater<float>)
OPERATOR(scaled_sum, scaled, reduce_scaled_sum, scaled_adder, scaled_adder)

/* ---- One reduction, by each side: every thread gets the result ----------------------------------------- */

template <int SIDE, typename Op> static __device__ typename Op::T reduce_warp(typename Op::T x)
{
    if constexpr (SIDE == OURS) {
        x = Op::of_warp(x);
    } else if constexpr (SIDE == CUB) {
        typedef cub::WarpReduce<typename Op::T> Reduce;
        __shared__ typename Reduce::TempStorage room[WARPS_OF_BLOCK];
        x = Reduce(room[threadIdx.x / WARP]).Reduce(x, typename Op::Cub());
        x = cub::ShuffleIndex<WARP>(x, 0, ~0u);
    } else if constexpr (SIDE == GROUPS) {
        x = cg::reduce(cg::tiled_partition<WARP>(cg::this_thread_block()), x, typename Op::Group());
    }
    return x;
}

template <int SIDE, typename Op, int THREADS> static __device__ typename Op::T reduce_block(typename Op::T x)
{
    if constexpr (SIDE == OURS) {
        x = Op::of_block(x, THREADS);
    } else if constexpr (SIDE == CUB) {
        typedef cub::BlockReduce<typename Op::T, THREADS> Reduce;
        __shared__ typename Reduce::TempStorage room;
        __shared__ typename Op::T all;
        x = Reduce(room).Reduce(x, typename Op::Cub());
        if (threadIdx.x == 0) all = x;
        __syncthreads();
        x = all;
    } else if constexpr (SIDE == GROUPS) {
        __shared__ cg::block_tile_memory<THREADS> room;
        const auto group = cg::tiled_partition<THREADS>(cg::this_thread_block(room));
        x = cg::reduce(group, x, typename Op::Group());
    }
    return x;
}

/* THREADS that are a warp are one of several in a block. */
template <int SIDE, typename Op, int THREADS> static __device__ typename Op::T reduce_row(typename Op::T x)
{
    if constexpr (THREADS == WARP)
        return reduce_warp<SIDE, Op>(x);
    else
        return reduce_block<SIDE, Op, THREADS>(x);
}

/* ---- What becomes of a row ------------------------------------------------------------------------------
 *
 * A thread has VALUES of the row's THREADS * VALUES elements, in x.
 */
template <int SIDE, int THREADS, int VALUES> struct softmax {
    static __device__ void of(float *x)
    {
        float most = x[0], total = 0;
        for (int k = 1; k < VALUES; k++) most = fmaxf(most, x[k]);
        most = reduce_row<SIDE, greatest, THREADS>(most);
        for (int k = 0; k < VALUES; k++) total += x[k] = expf(x[k] - most);
        const float scale = 1 / reduce_row<SIDE, sum, THREADS>(total);
        for (int k = 0; k < VALUES; k++) x[k] *= scale;
    }
};

template <int SIDE, int THREADS, int VALUES> struct online {
    static __device__ void of(float *x)
    {
        scaled own = {x[0], 0};
        for (int k = 1; k < VALUES; k++) own.greatest = fmaxf(own.greatest, x[k]);
        for (int k = 0; k < VALUES; k++) own.sum += x[k] = expf(x[k] - own.greatest);
        const scaled all = reduce_row<SIDE, scaled_sum, THREADS>(own);
        const float scale = expf(own.greatest - all.greatest) / all.sum;
        for (int k = 0; k < VALUES; k++) x[k] *= scale;
    }
};

static const float epsilon = 1e-5f;

template <int SIDE, int THREADS, int VALUES> struct layer_norm {
    static __device__ void of(float *x)
    {
        const float part = 1.0f / (THREADS * VALUES);
        float total = 0, squares = 0;
        for (int k = 0; k < VALUES; k++) total += x[k];
        const float mean = reduce_row<SIDE, sum, THREADS>(total) * part;
        for (int k = 0; k < VALUES; k++) {
            x[k] -= mean;
            squares += x[k] * x[k];
        }
        const float scale = rsqrtf(reduce_row<SIDE, sum, THREADS>(squares) * part + epsilon);
        for (int k = 0; k < VALUES; k++) x[k] *= scale;
    }
};

/* ---- Kernels ------------------------------------------------------------------------------------------- */

/* Up to 16 bytes are loaded and stored together. */
template <typename In, int COUNT> struct alignas(sizeof(In) * COUNT) together {
    In x[COUNT];
};

/* Blocks are a row's threads, or WARPS_OF_BLOCK warps. */
template <template <int, int, int> class Kind, int SIDE, typename In, int COLUMNS, int THREADS>
static __global__ void __launch_bounds__(THREADS == WARP ? WARP * WARPS_OF_BLOCK : THREADS)
    kernel(In *out, const In *in, int rows)
{
    enum { VALUES = COLUMNS / THREADS, WIDTH = REDUCE_MIN_(VALUES, 16 / (int)sizeof(In)) };
    typedef together<In, WIDTH> word;
    const int row = THREADS == WARP ? blockIdx.x * WARPS_OF_BLOCK + threadIdx.x / WARP : blockIdx.x;
    if (row >= rows) return; /* with its whole warp */
    const word *from = (const word *)(in + (size_t)row * COLUMNS) + threadIdx.x % THREADS;
    word *to = (word *)(out + (size_t)row * COLUMNS) + threadIdx.x % THREADS;
    float x[VALUES];
    for (int k = 0; k < VALUES / WIDTH; k++) {
        const word loaded = from[k * THREADS];
        for (int p = 0; p < WIDTH; p++) x[k * WIDTH + p] = (float)loaded.x[p];
    }
    Kind<SIDE, THREADS, VALUES>::of(x);
    for (int k = 0; k < VALUES / WIDTH; k++) {
        word stored;
        for (int p = 0; p < WIDTH; p++) stored.x[p] = (In)x[k * WIDTH + p];
        to[k * THREADS] = stored;
    }
}

static __global__ void copy(uint4 *out, const uint4 *in, size_t count)
{
    const size_t first = blockIdx.x * (size_t)blockDim.x * 4 + threadIdx.x;
    uint4 x[4];
    for (int k = 0; k < 4; k++)
        if (first + k * blockDim.x < count) x[k] = in[first + k * blockDim.x];
    for (int k = 0; k < 4; k++)
        if (first + k * blockDim.x < count) out[first + k * blockDim.x] = x[k];
}

struct cell {
    const char *kernel, *type;
    int columns, threads;
    const void *kernels[KERNELS];
};

#define CELL(Kind, In, name, columns, threads)                                                            \
    {#Kind,                                                                                               \
     name,                                                                                                \
     columns,                                                                                             \
     threads,                                                                                             \
     {(const void *)kernel<Kind, OURS, In, columns, threads>, (const void *)kernel<Kind, CUB, In, columns, threads>,\
      (const void *)kernel<Kind, GROUPS, In, columns, threads>,                                           \
      (const void *)kernel<Kind, NONE, In, columns, threads>}},
#define CELLS(Kind, In, name)                                                                             \
    CELL(Kind, In, name, 32, 32)                                                                          \
    CELL(Kind, In, name, 64, 32)                                                                          \
    CELL(Kind, In, name, 128, 32)                                                                         \
    CELL(Kind, In, name, 256, 32)                                                                         \
    CELL(Kind, In, name, 512, 32)                                                                         \
    CELL(Kind, In, name, 1024, 32)                                                                        \
    CELL(Kind, In, name, 512, 64)                                                                         \
    CELL(Kind, In, name, 1024, 128)                                                                       \
    CELL(Kind, In, name, 2048, 256)                                                                       \
    CELL(Kind, In, name, 4096, 512)                                                                       \
    CELL(Kind, In, name, 8192, 1024)                                                                      \
    CELL(Kind, In, name, 16384, 1024)
#define TYPES(Kind) CELLS(Kind, float, "float") CELLS(Kind, __half, "half")

static const struct cell cells[] = {TYPES(softmax) TYPES(online) TYPES(layer_norm)};

enum { CELLS_COUNT = sizeof cells / sizeof *cells, MOST_COLUMNS = 16384, SIZES = 3 };
static const int logs[SIZES] = {16, 24, 26};

/* ---- Sides --------------------------------------------------------------------------------------------- */

/* Calls rotate through as many inputs and outputs as fit. */
struct room {
    char *in, *out;
    size_t bytes; /* of each */
    cudaStream_t stream;
};

struct work {
    const struct cell *cell;
    const struct room *room;
    int side;
    size_t rows, element;
};

static size_t bytes_of(const struct work *work)
{
    return work->rows * work->cell->columns * work->element;
}

/* The rows from one on, by one launch. */
static void launch(const struct work *work, size_t row, size_t rows_left, size_t input, cudaStream_t stream)
{
    const struct cell *cell = work->cell;
    const size_t at = input * bytes_of(work) + row * cell->columns * work->element;
    const int of_block = cell->threads == WARP ? WARPS_OF_BLOCK : 1;
    int rows = (int)rows_left;
    void *out = work->room->out + at;
    const void *in = work->room->in + at;
    void *arguments[] = {&out, &in, &rows};
    BENCH_CHECK(REDUCE_CUDA_LAUNCH_(cell->kernels[work->side], dim3((rows + of_block - 1) / of_block),
                                    dim3(cell->threads * of_block), arguments, 0, stream));
}

static void call(const void *context, int i, cudaStream_t stream)
{
    const struct work *work = (const struct work *)context;
    const size_t bytes = bytes_of(work), input = i % data_inputs(work->room->bytes, bytes);
    const size_t count = bytes / sizeof(uint4);
    if (work->side == COPY)
        copy<<<(unsigned)((count + 1023) / 1024), 256, 0, stream>>>(
            (uint4 *)work->room->out + input * count, (const uint4 *)work->room->in + input * count, count);
    else
        launch(work, 0, work->rows, input, stream);
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

/* Element k of a row of floats or halves. */
static double element_of(const struct work *work, const void *row, int k)
{
    return work->element == 2 ? (double)__half2float(((const __half *)row)[k]) : (double)((const float *)row)[k];
}

/* What a row is to become, in double. */
static void expect(const struct work *work, const void *row, double *expected)
{
    const int n = work->cell->columns;
    double most = 0, total = 0, squares = 0;
    for (int k = 0; k < n; k++) {
        expected[k] = element_of(work, row, k);
        most = fmax(most, expected[k]);
        total += expected[k];
    }
    if (strcmp(work->cell->kernel, "layer_norm") == 0) {
        for (int k = 0; k < n; k++) expected[k] -= total / n;
        for (int k = 0; k < n; k++) squares += expected[k] * expected[k];
        for (int k = 0; k < n; k++) expected[k] /= sqrt(squares / n + (double)epsilon);
    } else {
        total = 0;
        for (int k = 0; k < n; k++) total += expected[k] = exp(expected[k] - most);
        for (int k = 0; k < n; k++) expected[k] /= total;
    }
}

static void fetch(const struct work *work, char *to, const char *from, size_t row)
{
    const size_t bytes = work->cell->columns * work->element;
    BENCH_CHECK(cudaMemcpy(to, from + row * bytes, bytes, cudaMemcpyDeviceToHost));
}

/* Stops unless a row is right, to a few roundings of its type. Small values are less exact: of halves as they have
   fewer digits, of a layer norm as they are differences. */
static void check_row(const struct work *work, const char *in, const char *out, size_t row)
{
    static double expected[MOST_COLUMNS];
    const double tolerance = work->element == 2 ? 2e-3 : 2e-5;
    const double least = strcmp(work->cell->kernel, "layer_norm") == 0 ? 2e-6 : work->element == 2 ? 6e-8 : 2e-9;
    expect(work, in, expected);
    for (int k = 0; k < work->cell->columns; k++) {
        const double found = element_of(work, out, k), error = fabs(found - expected[k]);
        if (!(error <= tolerance * fabs(expected[k]) + least))
            bench_fail("%s %s, rows of %d, %s: row %zu, element %d is %g, not %g", work->cell->kernel,
                       work->cell->type, work->cell->columns, side_names[work->side], row, k, found, expected[k]);
    }
}

/* Some rows, the first and the last among them. Ours have the same bits alone. */
static void check(const struct work *work)
{
    static char in[MOST_COLUMNS * sizeof(float)], out[sizeof in], alone[sizeof in];
    const size_t apart = work->rows > 7 ? work->rows / 7 : 1;
    BENCH_CHECK(cudaMemset(work->room->out, 0xee, bytes_of(work)));
    call(work, 0, work->room->stream);
    BENCH_CHECK(cudaStreamSynchronize(work->room->stream));
    for (size_t row = work->rows - 1;; row -= apart) {
        fetch(work, in, work->room->in, row);
        fetch(work, out, work->room->out, row);
        check_row(work, in, out, row);
        if (work->side == OURS) {
            launch(work, row, 1, 0, work->room->stream);
            BENCH_CHECK(cudaStreamSynchronize(work->room->stream));
            fetch(work, alone, work->room->out, row);
            if (memcmp(out, alone, work->cell->columns * work->element) != 0)
                bench_fail("%s, rows of %d: row %zu has other bits alone", work->cell->kernel,
                           work->cell->columns, row);
        }
        if (row < apart) return;
    }
}

/* ---- The run ------------------------------------------------------------------------------------------- */

static void report(struct bench_json *json, const struct work *work, int log, const struct bench_side *sides,
                   int rounds)
{
    const struct cell *cell = work->cell;
    const char *way = cell->threads == WARP ? "warp" : "block";
    printf("%-10s %-5s %5d %4d 2^%d |", cell->kernel, cell->type, cell->columns, cell->threads, log);
    for (int s = 0; s < SIDES; s++) printf(" %8.2f", sides[s].time.median);
    printf(" |");
    for (int s = CUB; s <= GROUPS; s++) {
        const struct bench_time ratio = bench_ratio(&sides[s], &sides[OURS], rounds);
        printf(" %6.3f +-%-4.1f", ratio.median, bench_spread(ratio));
    }
    printf(" | %6.1f\n", 100 * bench_ratio(&sides[COPY], &sides[OURS], rounds).median);
    fflush(stdout);
    for (int s = 0; s < SIDES; s++)
        bench_json_row(json,
                       "\"kernel\": \"%s\", \"type\": \"%s\", \"columns\": %d, \"by\": \"%s\", \"threads\": %d, "
                       "\"log\": %d, \"side\": \"%s\", \"us\": %.4f, \"low\": %.4f, \"high\": %.4f",
                       cell->kernel, cell->type, cell->columns, way, cell->threads, log, side_names[s],
                       sides[s].time.median, sides[s].time.low, sides[s].time.high);
}

static void run_cell(struct bench_json *json, const struct cell *cell, const struct room *room, int log,
                     int rounds)
{
    struct work works[SIDES];
    struct bench_side sides[SIDES];
    const size_t rows = ((size_t)1 << log) / cell->columns;
    for (int s = 0; s < SIDES; s++) {
        const struct work work = {cell, room, s, rows, strcmp(cell->type, "half") == 0 ? sizeof(__half) : sizeof(float)};
        works[s] = work;
        sides[s] = bench_side(call, &works[s]);
        if (s <= GROUPS) check(&works[s]);
    }
    bench_graph(sides, SIDES, log > 20 ? 8 : 32, rounds, room->stream);
    report(json, &works[OURS], log, sides, rounds);
}

/* All cells of one type, which the room is filled with. */
static void run_type(struct bench_json *json, const char *type, const struct room *room, int argc, char **argv)
{
    const char *kernels = bench_option(argc, argv, "--kernels", "");
    const int rounds = bench_rounds(argc, argv, 21), sizes = bench_flag(argc, argv, "--quick") ? 2 : SIZES;
    for (int k = 0; k < DATA_TYPES; k++)
        if (strcmp(data_types[k].name, type) == 0) data_types[k].fill(room->in, room->bytes);
    for (int c = 0; c < CELLS_COUNT; c++) {
        bench_progress(c, CELLS_COUNT, cells[c].kernel);
        if (strcmp(cells[c].type, type) != 0 || !bench_listed(kernels, cells[c].kernel)) continue;
        for (int k = 0; k < sizes; k++) run_cell(json, &cells[c], room, logs[k], rounds);
    }
}

int main(int argc, char **argv)
{
    static const char *const types[] = {"float", "half"};
    struct room room;
    bench_check_options(argc, argv, options);
    struct bench_json json = bench_json_begin(argc, argv);
    room.bytes = (size_t)1 << 30;
    BENCH_CHECK(cudaStreamCreate(&room.stream));
    BENCH_CHECK(cudaMalloc((void **)&room.in, room.bytes));
    BENCH_CHECK(cudaMalloc((void **)&room.out, room.bytes));
    bench_heading("Soft-max and layer norm, a row to a block or a warp: reduce.cuh against CUB and cooperative groups; us");
    printf("%-10s %-5s %5s %4s %4s |", "kernel", "type", "row", "thr.", "all");
    for (int s = 0; s < SIDES; s++) printf(" %8s", side_names[s]);
    printf(" | %-13s %-13s | %s\n", "CUB/ours", "groups/ours", "copy/ours, %");
    for (int t = 0; t < 2; t++)
        if (bench_listed(bench_option(argc, argv, "--types", ""), types[t]))
            run_type(&json, types[t], &room, argc, argv);
    bench_progress(1, 1, "done");
    bench_json_end(&json, "");
    return 0;
}
