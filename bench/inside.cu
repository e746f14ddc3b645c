/*
 * inside.cu: times of reductions inside a kernel, of a warp and of a block: the library, CUB and cooperative
 * groups.
 *
 * In every kernel each thread runs a chain of reductions, each of which takes the result of the one before.
 *   latency      clock cycles from one result to the next, with one block on the GPU
 *   throughput   reductions in a nanosecond, with a GPU full of blocks
 * The library and cooperative groups give the result to every thread. CUB gives it to thread 0. It is timed
 * as it is, and with a step that gives the result to all threads ("to all"). "of" is NAME_block_of, which is
 * told the block's size.
 */
#include <cuda_fp16.h>

#include "reduce_block.cuh"
#include "timing.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/functional>

static const char options[] = "--quick --types= --rounds= --json=";

enum { WARP = 32, WARPS_OF_BLOCK = 8 };
enum { OURS, OF, CUB, CUB_ALL, GROUPS, SIDES };
static const char *const side_names[SIDES] = {"ours", "ours, of", "CUB", "CUB, to all", "groups"};

/* Structs of 8 and of 16 bytes, with an operator by expression. */
struct pair {
    float value;
    int count;
};
struct four {
    float x, y, z, w;
};
typedef struct pair pair;
typedef struct four four;
typedef __half half;
typedef long long integer;

static __host__ __device__ pair pair_of(float value, int count)
{
    const pair x = {value, count};
    return x;
}

static __host__ __device__ four four_of(float x, float y, float z, float w)
{
    const four v = {x, y, z, w};
    return v;
}

struct add_pairs {
    __device__ pair operator()(pair a, pair b) const { return pair_of(a.value + b.value, a.count + b.count); }
};
struct add_fours {
    __device__ four operator()(four a, four b) const
    {
        return four_of(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
};

DEFINE_REDUCE_AS(reduce_pair_sum, pair, pair_of(0, 0), pair_of(a.value + b.value, a.count + b.count))
DEFINE_REDUCE_AS(reduce_four_sum, four, four_of(0, 0, 0, 0),
                 four_of(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w))

/* Any type from a number, and back. */
template <typename T> static __device__ T value_of(int number) { return (T)number; }
template <> __device__ pair value_of<pair>(int number) { return pair_of((float)number, number); }
template <> __device__ four value_of<four>(int number) { return four_of((float)number, 0, 0, 0); }
template <typename T> static __device__ double number_of(T x) { return (double)x; }
template <> __device__ double number_of<half>(half x) { return (double)__half2float(x); }
template <> __device__ double number_of<pair>(pair x) { return (double)x.value; }
template <> __device__ double number_of<four>(four x) { return (double)x.x; }

/* What goes into the next reduction: a result, and what is a thread's own, so that lanes' values differ. */
template <typename T> static __device__ T next_of(T result, T own) { return (T)(result + own); }
template <> __device__ pair next_of<pair>(pair result, pair own) { return add_pairs()(result, own); }
template <> __device__ four next_of<four>(four result, four own) { return add_fours()(result, own); }

/* X(T, op, CUB's operator, cooperative groups' operator, or void where they have none) */
#define NUMBERS(X)                                                                                        \
    X(int, sum, cuda::std::plus<>, cg::plus<int>)                                                         \
    X(int, max, cuda::maximum<>, cg::greater<int>)                                                        \
    X(float, sum, cuda::std::plus<>, cg::plus<float>)                                                     \
    X(float, max, cuda::maximum<>, cg::greater<float>)                                                    \
    X(double, sum, cuda::std::plus<>, cg::plus<double>)                                                   \
    X(double, max, cuda::maximum<>, cg::greater<double>)                                                  \
    X(half, sum, cuda::std::plus<>, void)                                                                 \
    X(integer, sum, cuda::std::plus<>, void)                                                              \
    X(integer, max, cuda::maximum<>, void)
#define KINDS(X)                                                                                          \
    NUMBERS(X)                                                                                            \
    X(pair, sum, add_pairs, void)                                                                         \
    X(four, sum, add_fours, void)

#define DEFINE_OURS(T, op, Cub, Group) DEFINE_REDUCE(T, op)
#define DEFINE_OF(T, op, Cub, Group) DEFINE_REDUCE_BLOCK(reduce_##T##_##op)
NUMBERS(DEFINE_OURS)
KINDS(DEFINE_OF)

/* ---- One reduction, by each side ----------------------------------------------------------------------- */

template <typename T, typename Op> static __device__ T cub_warp(T x)
{
    typedef cub::WarpReduce<T> Reduce;
    __shared__ typename Reduce::TempStorage room[WARPS_OF_BLOCK];
    return Reduce(room[threadIdx.x / WARP]).Reduce(x, Op());
}

template <typename T, typename Op> static __device__ T cub_warp_all(T x)
{
    return cub::ShuffleIndex<WARP>(cub_warp<T, Op>(x), 0, ~0u);
}

/* The barrier lets the room be used again. */
template <typename T, typename Op, int THREADS> static __device__ T cub_block(T x)
{
    typedef cub::BlockReduce<T, THREADS> Reduce;
    __shared__ typename Reduce::TempStorage room;
    x = Reduce(room).Reduce(x, Op());
    __syncthreads();
    return x;
}

template <typename T, typename Op, int THREADS> static __device__ T cub_block_all(T x)
{
    typedef cub::BlockReduce<T, THREADS> Reduce;
    __shared__ typename Reduce::TempStorage room;
    __shared__ T all;
    x = Reduce(room).Reduce(x, Op());
    if (threadIdx.x == 0) all = x;
    __syncthreads();
    return all;
}

/* Groups are made before the chain begins. */
namespace cg = cooperative_groups;

#define WARP_GROUP                                                                                        \
    const cg::thread_block_tile<WARP> group = cg::tiled_partition<WARP>(cg::this_thread_block());
#define BLOCK_GROUP(threads)                                                                              \
    __shared__ cg::block_tile_memory<threads> room;                                                       \
    const auto group = cg::tiled_partition<threads>(cg::this_thread_block(room));

template <typename Group, typename Op, typename T> static __device__ T groups_reduce(const Group &group, T x)
{
    if constexpr (std::is_void<Op>::value)
        return x;
    else
        return cg::reduce(group, x, Op());
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

/* A chain of reductions. The first is over 1, 2, 3, ... in the threads that take part, of halves over 1, 2, 1, 2,
   ...: its result goes to first, and thread 0's cycles for all others to cycles. */
#define CHAIN(name, T, width, SETUP, EXPR_OF_X)                                                           \
    static __global__ void __launch_bounds__(1024) name(int times, double *first, T *last,       \
                                                              long long *cycles)                          \
    {                                                                                                     \
        SETUP                                                                                             \
        const T own = value_of<T>((int)(threadIdx.x % (width) % (sizeof(T) == 2 ? 2 : 1024)) + 1);        \
        T x = own;                                                                                        \
        x = EXPR_OF_X;                                                                                    \
        if (blockIdx.x == 0 && threadIdx.x == 0) *first = number_of(x);                                   \
        x = next_of(x, own);                                                                              \
        const long long begin = clock64();                                                                \
        _Pragma("unroll 1") for (int t = 0; t < times; t++) x = next_of(EXPR_OF_X, own);                  \
        if (threadIdx.x == 0) {                                                                           \
            last[blockIdx.x] = x;                                                                         \
            cycles[blockIdx.x] = clock64() - begin;                                                       \
        }                                                                                                 \
    }

#define CHAINS_OF_BLOCK(T, op, Cub, Group, threads)                                                       \
    CHAIN(T##_##op##_ours_##threads, T, blockDim.x, , reduce_##T##_##op##_block(x))                       \
    CHAIN(T##_##op##_of_##threads, T, blockDim.x, , reduce_##T##_##op##_block_of(x, threads))             \
    CHAIN(T##_##op##_cub_##threads, T, blockDim.x, , (cub_block<T, Cub, threads>(x)))                     \
    CHAIN(T##_##op##_cub_all_##threads, T, blockDim.x, , (cub_block_all<T, Cub, threads>(x)))             \
    CHAIN(T##_##op##_groups_##threads, T, blockDim.x, BLOCK_GROUP(threads),                               \
          (groups_reduce<decltype(group), Group>(group, x)))

#define CHAINS(T, op, Cub, Group)                                                                         \
    CHAIN(T##_##op##_ours_32, T, WARP, , reduce_##T##_##op##_warp(x))                                     \
    CHAIN(T##_##op##_of_32, T, WARP, , reduce_##T##_##op##_warp(x))                                       \
    CHAIN(T##_##op##_cub_32, T, WARP, , (cub_warp<T, Cub>(x)))                                            \
    CHAIN(T##_##op##_cub_all_32, T, WARP, , (cub_warp_all<T, Cub>(x)))                                    \
    CHAIN(T##_##op##_groups_32, T, WARP, WARP_GROUP, (groups_reduce<decltype(group), Group>(group, x)))   \
    CHAINS_OF_BLOCK(T, op, Cub, Group, 64)                                                                \
    CHAINS_OF_BLOCK(T, op, Cub, Group, 128)                                                               \
    CHAINS_OF_BLOCK(T, op, Cub, Group, 256)                                                               \
    CHAINS_OF_BLOCK(T, op, Cub, Group, 512)                                                               \
    CHAINS_OF_BLOCK(T, op, Cub, Group, 1024)

KINDS(CHAINS)

struct chain {
    const char *type, *op;
    int threads; /* that reduce together: WARP, or a block */
    const void *kernels[SIDES];
};

#define ENTRY(T, op, Group, threads)                                                                      \
    {#T,                                                                                                  \
     #op,                                                                                                 \
     threads,                                                                                             \
     {(const void *)T##_##op##_ours_##threads, (const void *)T##_##op##_of_##threads,                     \
      (const void *)T##_##op##_cub_##threads, (const void *)T##_##op##_cub_all_##threads,                 \
      std::is_void<Group>::value ? NULL : (const void *)T##_##op##_groups_##threads}},
#define ENTRIES(T, op, Cub, Group)                                                                        \
    ENTRY(T, op, Group, 32)                                                                               \
    ENTRY(T, op, Group, 64)                                                                               \
    ENTRY(T, op, Group, 128)                                                                              \
    ENTRY(T, op, Group, 256)                                                                              \
    ENTRY(T, op, Group, 512)                                                                              \
    ENTRY(T, op, Group, 1024)

static const struct chain chains[] = {KINDS(ENTRIES)};

enum { CHAINS_COUNT = sizeof chains / sizeof *chains, TIMES = 2000, MAX_BLOCKS = 1 << 16, MAX_SIZE = 16 };

/* ---- Times --------------------------------------------------------------------------------------------- */

struct room {
    double *first;
    void *last;
    long long *cycles;
    cudaStream_t stream;
};

struct launch {
    const struct chain *chain;
    const struct room *room;
    int side;
    unsigned blocks, threads;
};

static void start(const void *context, int i, cudaStream_t stream)
{
    const struct launch *launch = (const struct launch *)context;
    int times = TIMES;
    double *first = launch->room->first;
    void *last = launch->room->last;
    long long *cycles = launch->room->cycles;
    void *arguments[] = {&times, &first, &last, &cycles};
    (void)i;
    BENCH_CHECK(REDUCE_CUDA_LAUNCH_(launch->chain->kernels[launch->side], dim3(launch->blocks),
                                    dim3(launch->threads), arguments, 0, stream));
}

/* Stops unless the first of a chain's reductions is right. */
static void check(const struct launch *launch)
{
    const struct chain *chain = launch->chain;
    const bool is_half = strcmp(chain->type, "half") == 0;
    const int n = chain->threads;
    const double sum = is_half ? 1.5 * n : n * (n + 1) / 2;
    const double expected = strcmp(chain->op, "sum") == 0 ? sum : n;
    double found;
    BENCH_CHECK(cudaMemset(launch->room->first, 0, sizeof(double)));
    start(launch, 0, launch->room->stream);
    BENCH_CHECK(cudaStreamSynchronize(launch->room->stream));
    BENCH_CHECK(cudaMemcpy(&found, launch->room->first, sizeof found, cudaMemcpyDeviceToHost));
    if (found != expected)
        bench_fail("%s %s of %d threads, %s: %g, not %g", chain->type, chain->op, n, side_names[launch->side],
                   found, expected);
}

/* Cycles from one result to the next, in a block alone on the GPU. */
static void measure_latency(struct launch *launches, int count, int rounds, struct bench_time *times)
{
    double samples[SIDES][BENCH_MAX_ROUNDS];
    for (int r = 0; r < rounds; r++) {
        for (int s = 0; s < count; s++) {
            long long cycles;
            launches[s].blocks = 1;
            launches[s].threads = launches[s].chain->threads;
            start(&launches[s], 0, launches[s].room->stream);
            BENCH_CHECK(cudaStreamSynchronize(launches[s].room->stream));
            BENCH_CHECK(cudaMemcpy(&cycles, launches[s].room->cycles, sizeof cycles, cudaMemcpyDeviceToHost));
            samples[s][r] = (double)cycles / TIMES;
        }
    }
    for (int s = 0; s < count; s++) times[s] = bench_summary(samples[s], rounds);
}

/* As many blocks as the GPU holds at once. */
static unsigned filling_blocks(const void *kernel, unsigned threads)
{
    int multiprocessors, blocks;
    BENCH_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    BENCH_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    return (unsigned)REDUCE_MIN_(blocks * multiprocessors, MAX_BLOCKS);
}

/* Reductions in a nanosecond, by a full GPU: the median, and the quartiles. */
static void measure_throughput(struct launch *launches, int count, int rounds, struct bench_time *rates)
{
    struct bench_side sides[SIDES];
    for (int s = 0; s < count; s++) {
        const int together = launches[s].chain->threads;
        launches[s].threads = together == WARP ? WARP * WARPS_OF_BLOCK : together;
        launches[s].blocks = filling_blocks(launches[s].chain->kernels[s], launches[s].threads);
        sides[s] = bench_side(start, &launches[s]);
    }
    bench_graph(sides, count, 4, rounds, launches[0].room->stream);
    for (int s = 0; s < count; s++) {
        const double reductions =
            (double)TIMES * launches[s].blocks * launches[s].threads / launches[s].chain->threads;
        const struct bench_time time = sides[s].time;
        const struct bench_time rate = {reductions / time.median * 1e-3, reductions / time.high * 1e-3,
                                        reductions / time.low * 1e-3};
        rates[s] = rate;
    }
}

/* Cooperative groups are the last side, and not always there. */
static void report(struct bench_json *json, const struct chain *chain, int count,
                   const struct bench_time *latency, const struct bench_time *rate)
{
    printf("%-7s %s %5d |", chain->type, chain->op, chain->threads);
    for (int s = 0; s < SIDES; s++)
        if (s < count) printf(" %11.1f", latency[s].median); else printf(" %11s", "");
    printf(" |");
    for (int s = 0; s < count; s++) printf(" %11.2f", rate[s].median);
    printf("\n");
    fflush(stdout);
    for (int s = 0; s < count; s++)
        bench_json_row(json,
                       "\"type\": \"%s\", \"op\": \"%s\", \"threads\": %d, \"side\": \"%s\", "
                       "\"cycles\": %.2f, \"cycles_low\": %.2f, \"cycles_high\": %.2f, "
                       "\"per_ns\": %.4f, \"per_ns_low\": %.4f, \"per_ns_high\": %.4f",
                       chain->type, chain->op, chain->threads, side_names[s], latency[s].median,
                       latency[s].low, latency[s].high, rate[s].median, rate[s].low, rate[s].high);
}

static void run_chain(const struct chain *chain, const struct room *room, int rounds, struct bench_json *json)
{
    struct launch launches[SIDES];
    struct bench_time latency[SIDES], rate[SIDES];
    const int count = chain->kernels[GROUPS] != NULL ? SIDES : GROUPS;
    for (int s = 0; s < count; s++) {
        const struct launch launch = {chain, room, s, 1, (unsigned)chain->threads};
        launches[s] = launch;
        check(&launches[s]);
    }
    measure_latency(launches, count, rounds, latency);
    measure_throughput(launches, count, rounds, rate);
    report(json, chain, count, latency, rate);
}

static void print_columns(void)
{
    printf("%17s | %-59s | %s\n%-11s %5s |", "", "latency, cycles", "throughput, reductions in a nanosecond",
           "", "threads");
    for (int s = 0; s < SIDES; s++) printf(" %11s", side_names[s]);
    printf(" |");
    for (int s = 0; s < SIDES; s++) printf(" %11s", side_names[s]);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct room room;
    bench_check_options(argc, argv, options);
    const char *types = bench_option(argc, argv, "--types", "");
    const int rounds = bench_rounds(argc, argv, 21);
    struct bench_json json = bench_json_begin(argc, argv);
    BENCH_CHECK(cudaStreamCreate(&room.stream));
    BENCH_CHECK(cudaMalloc((void **)&room.first, sizeof *room.first));
    BENCH_CHECK(cudaMalloc(&room.last, (size_t)MAX_BLOCKS * MAX_SIZE));
    BENCH_CHECK(cudaMalloc((void **)&room.cycles, MAX_BLOCKS * sizeof *room.cycles));
    bench_heading("Inside a kernel: reduce.cuh against CUB and cooperative groups; 32 threads are a warp");
    print_columns();
    for (int c = 0; c < CHAINS_COUNT; c++) {
        bench_progress(c, CHAINS_COUNT, chains[c].type);
        if (bench_listed(types, chains[c].type)) run_chain(&chains[c], &room, rounds, &json);
    }
    bench_progress(CHAINS_COUNT, CHAINS_COUNT, "done");
    bench_json_end(&json, "");
    return 0;
}
