/* One block: NAME_block in blocks of every shape, NAME_block_of in whole warps, and reduce_last_block, which
   guards code that runs after the whole grid. */
#include <cuda_fp16.h>

#include "fold.h"
#include "reduce_block.cuh"

/* Beside what every rung is tested with: a type that has constructors, and one whose size is odd, so that values of
   several warps are copied byte by byte. */
struct bytes5 {
    u8 word[5];
};
typedef struct bytes5 bytes5;
WORDS(bytes5, u8)
TRACE_WORDS(bytes5, u8)
DATA(bytes5, bytes5_of_hash(hash))
DATA(__half, __float2half((float)rough(hash, 8)))

DEFINE_REDUCE(__half, sum)
DEFINE_REDUCE_AS(trace5, bytes5, no_bytes5(), trace_bytes5(a, b))
FOLD(reduce___half_sum, __half)
FOLD(trace5, bytes5)

#define BLOCK_CASES(X)                                                                                    \
    FOLD_CASES(X)                                                                                         \
    X(reduce___half_sum, __half)                                                                          \
    X(trace5, bytes5)

TestSuite(block, .init = need_gpu);

static const struct shape blocks[] = {
    {1, 1, 1},    {7, 1, 1},    {31, 1, 1},   {32, 1, 1}, {33, 1, 1}, {65, 1, 1}, {128, 1, 1}, {511, 1, 1},
    {1000, 1, 1}, {1024, 1, 1}, {8, 8, 1},    {5, 7, 3},  {1, 1, 64}, {2, 1, 33}, {31, 33, 1}, {4, 4, 64},
    {1, 1024, 1}, {96, 1, 1},   {160, 1, 1},  {16, 8, 2}, {3, 32, 4}, {7, 5, 4},  {129, 1, 1},  {64, 3, 3}};

/* Three results at once, with nothing between the calls: of the values; of what each thread makes of that
   result and its value; and, in between, another operator's of the threads' numbers. */
#define BLOCKS(NAME, T)                                                                                   \
    static __global__ void __launch_bounds__(1024)                                                        \
        NAME##_blocks(const T *in, T *once, T *again, u64 *other)                                         \
    {                                                                                                     \
        const int thread = block_of_grid() * threads_of_block() + thread_of_block();                      \
        once[thread] = NAME##_block(in[thread]);                                                          \
        other[thread] = reduce_u64_trace_block((u64)thread + 1);                                          \
        again[thread] = NAME##_block(NAME##_combine(once[thread], in[thread]));                           \
    }

/* void NAME_check_block(...): what the threads of one block have got. */
#define CHECK_BLOCK(NAME, T)                                                                              \
    static void NAME##_check_block(const T *in, const T *once, const T *again, struct shape shape)        \
    {                                                                                                     \
        const int threads = volume(shape);                                                                \
        const T expected = NAME##_settled(NAME##_of_block(in, threads));                                  \
        T next[1024];                                                                                     \
        memset((void *)next, 0, sizeof next);                                                             \
        for (int k = 0; k < threads; k++) next[k] = NAME##_combine(expected, in[k]);                      \
        const T expected_next = NAME##_settled(NAME##_of_block(next, threads));                           \
        for (int k = 0; k < threads; k++) {                                                               \
            cr_assert(SAME_BITS(once[k], expected), "%s_block " SHAPE_FORMAT ", thread %d: %s, not %s",   \
                      #NAME, SHAPE_VALUES(shape), k, BITS(once[k]), BITS(expected));                      \
            cr_assert(SAME_BITS(again[k], expected_next),                                                 \
                      "%s_block " SHAPE_FORMAT ", called again, thread %d: %s, not %s", #NAME,            \
                      SHAPE_VALUES(shape), k, BITS(again[k]), BITS(expected_next));                       \
        }                                                                                                 \
    }

/* The same for the operator in between, whose values are the threads' numbers in the grid from first on. */
static void check_other(const u64 *got, int first, struct shape shape)
{
    u64 numbers[1024] = {0};
    for (int k = 0; k < volume(shape); k++) numbers[k] = (u64)(first + k) + 1;
    const u64 expected = reduce_u64_trace_of_block(numbers, volume(shape));
    for (int k = 0; k < volume(shape); k++)
        cr_assert(got[k] == expected, "between two calls, " SHAPE_FORMAT ", thread %d: %s, not %s",
                  SHAPE_VALUES(shape), k, BITS(got[k]), BITS(expected));
}

/* The same by NAME_block_of: some numbers of threads are constants, others not. */
#define DEFINE_BLOCK(NAME, T) DEFINE_REDUCE_BLOCK(NAME)
BLOCK_CASES(DEFINE_BLOCK)

#define BLOCKS_OF(NAME, T)                                                                                \
    static __device__ __forceinline__ T NAME##_of(T x)                                                    \
    {                                                                                                     \
        switch (blockDim.x) {                                                                             \
        case 32:                                                                                          \
            return NAME##_block_of(x, 32);                                                                \
        case 64:                                                                                          \
            return NAME##_block_of(x, 64);                                                                \
        case 96:                                                                                          \
            return NAME##_block_of(x, 96);                                                                \
        case 256:                                                                                         \
            return NAME##_block_of(x, 256);                                                               \
        default:                                                                                          \
            return NAME##_block_of(x, (int)blockDim.x);                                                   \
        }                                                                                                 \
    }                                                                                                     \
    static __global__ void __launch_bounds__(1024)                                                        \
        NAME##_blocks_of(const T *in, T *once, T *again, u64 *other)                                      \
    {                                                                                                     \
        const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                  \
        once[thread] = NAME##_of(in[thread]);                                                             \
        other[thread] = reduce_u64_trace_block_of((u64)thread + 1, (int)blockDim.x);                      \
        again[thread] = NAME##_of(NAME##_combine(once[thread], in[thread]));                              \
    }
BLOCK_CASES(BLOCKS_OF)

typedef void (*launch_blocks)(dim3 grid, dim3 block, const void *in, void *once, void *again, u64 *other);

#define LAUNCH_BLOCKS(NAME, T, blocks)                                                                    \
    static void NAME##_launch_##blocks(dim3 grid, dim3 block, const void *in, void *once, void *again,    \
                                       u64 *other)                                                        \
    {                                                                                                     \
        NAME##_##blocks<<<grid, block>>>((const T *)in, (T *)once, (T *)again, other);                    \
    }
#define LAUNCHES(NAME, T) LAUNCH_BLOCKS(NAME, T, blocks) LAUNCH_BLOCKS(NAME, T, blocks_of)

/* void NAME_check_blocks(T *in, grid, shape): in has room for a value of every thread. */
#define CHECK_BLOCKS(NAME, T)                                                                             \
    static void NAME##_check_blocks(launch_blocks launch, const T *in, struct shape grid,                 \
                                    struct shape shape)                                                   \
    {                                                                                                     \
        const int threads = volume(shape), all = volume(grid) * threads;                                  \
        const size_t size = sizeof(T) * (size_t)all, other_size = sizeof(u64) * (size_t)all;              \
        T *got = (T *)malloc(2 * size);                                                                   \
        u64 *other = (u64 *)malloc(other_size);                                                           \
        T *in_device = (T *)to_device(in, size), *out_device = (T *)device_room(2 * size, 0xa5);          \
        u64 *other_device = (u64 *)device_room(other_size, 0xa5);                                         \
        launch(DIM3(grid), DIM3(shape), in_device, out_device, out_device + all, other_device);           \
        check_launch();                                                                                   \
        from_device(got, out_device, 2 * size);                                                           \
        from_device(other, other_device, other_size);                                                     \
        for (int first = 0; first < all; first += threads) {                                              \
            NAME##_check_block(in + first, got + first, got + all + first, shape);                        \
            check_other(other + first, first, shape);                                                     \
        }                                                                                                 \
        CHECK(cudaFree(in_device));                                                                       \
        CHECK(cudaFree(out_device));                                                                      \
        CHECK(cudaFree(other_device));                                                                    \
        free(got);                                                                                        \
        free(other);                                                                                      \
    }

BLOCK_CASES(BLOCKS)
BLOCK_CASES(LAUNCHES)
BLOCK_CASES(CHECK_BLOCK)
BLOCK_CASES(CHECK_BLOCKS)

#define CHECK_SHAPES(NAME, T)                                                                             \
    for (size_t k = 0; k < COUNT(blocks); k++) {                                                          \
        T in[1024];                                                                                       \
        fill_##T(in, COUNT(in), k);                                                                       \
        NAME##_check_blocks(NAME##_launch_blocks, in, {1, 1, 1}, blocks[k]);                              \
    }

Test(block, shapes)
{
    BLOCK_CASES(CHECK_SHAPES)
}

static const struct shape rows[] = {{32, 1, 1},  {64, 1, 1},  {96, 1, 1},  {128, 1, 1},
                                    {160, 1, 1}, {256, 1, 1}, {992, 1, 1}, {1024, 1, 1}};

#define CHECK_ROWS(NAME, T)                                                                               \
    for (size_t k = 0; k < COUNT(rows); k++) {                                                            \
        T in[2 * 1024];                                                                                   \
        fill_##T(in, COUNT(in), k);                                                                       \
        NAME##_check_blocks(NAME##_launch_blocks_of, in, {2, 1, 1}, rows[k]);                             \
    }

Test(block, rows_of_warps)
{
    BLOCK_CASES(CHECK_ROWS)
}

/* Minus zeros alone: a sum starts from the identity, so it is +0. */
Test(block, minus_zeros_in_rows)
{
    for (size_t k = 0; k < COUNT(rows); k++) {
        float x[1024];
        __half y[1024];
        for (size_t i = 0; i < COUNT(x); i++) x[i] = -0.0f, y[i] = __float2half(-0.0f);
        reduce_float_sum_check_blocks(reduce_float_sum_launch_blocks_of, x, {1, 1, 1}, rows[k]);
        reduce___half_sum_check_blocks(reduce___half_sum_launch_blocks_of, y, {1, 1, 1}, rows[k]);
    }
}

#ifdef SIMT
static __global__ void blocks_of_64(u64 *out) { *out = reduce_u64_trace_block_of(1, 64); }

/* The simulator stops if a block has not the size that its caller says. */
Test(block, of_another_size, .exit_code = 86)
{
    blocks_of_64<<<1, 96>>>((u64 *)device_room(sizeof(u64), 0));
    check_launch();
}

Test(block, of_two_dimensions, .exit_code = 86)
{
    blocks_of_64<<<1, dim3(64, 2)>>>((u64 *)device_room(sizeof(u64), 0));
    check_launch();
}

Test(block, of_three_dimensions, .exit_code = 86)
{
    blocks_of_64<<<1, dim3(64, 1, 2)>>>((u64 *)device_room(sizeof(u64), 0));
    check_launch();
}
#endif

#define CHECK_GRID(NAME, T)                                                                               \
    {                                                                                                     \
        T in[3 * 2 * 5 * 105];                                                                            \
        fill_##T(in, COUNT(in), 77);                                                                      \
        NAME##_check_blocks(NAME##_launch_blocks, in, {3, 2, 5}, {7, 5, 3});                              \
    }

Test(block, many_blocks)
{
    BLOCK_CASES(CHECK_GRID)
}

/* A NaN in the last lane of the last warp: its payload and sign must not show. */
/* Operators that a GPU's instruction reduces, of each class and size: in blocks of every number of warps the
   bits are those of NAME_cpu. */
typedef signed char s8;
typedef __half half;
#define CODED(X)                                                                                          \
    X(int, min) X(int, bxor) X(int, band) X(s8, min) X(u16, max) X(u32, min) X(i64, sum) X(i64, max)      \
    X(i64, bxor) X(u64, bor) X(half, max) X(float, min) X(float, fmax) X(double, fmin)

#define CODED_KERNELS(T, op)                                                                              \
    DEFINE_REDUCE(T, op)                                                                                  \
    DEFINE_REDUCE_BLOCK(reduce_##T##_##op)                                                                \
    static __global__ void T##_##op##_coded(const T *in, T *out, bool of)                                 \
    {                                                                                                     \
        const T x = in[threadIdx.x];                                                                      \
        out[threadIdx.x] = of ? reduce_##T##_##op##_block_of(x, (int)blockDim.x)                          \
                              : reduce_##T##_##op##_block(x);                                             \
    }                                                                                                     \
    static void T##_##op##_check_coded(const u64 *numbers, int threads, bool of)                          \
    {                                                                                                     \
        const size_t size = sizeof(T) * (size_t)threads;                                                  \
        T got[1024];                                                                                      \
        T *in = (T *)to_device(numbers, size), *out = (T *)device_room(size, 0xa5);                       \
        T##_##op##_coded<<<1, (unsigned)threads>>>(in, out, of);                                          \
        check_launch();                                                                                   \
        from_device(got, out, size);                                                                      \
        const T expected = reduce_##T##_##op##_cpu((const T *)(const void *)numbers, (size_t)threads);    \
        for (int k = 0; k < threads; k++)                                                                 \
            cr_assert(memcmp(&got[k], &expected, sizeof(T)) == 0,                                         \
                      "%s %s of %d threads, %d: thread %d has other bits", #T, #op, threads, of, k);      \
        CHECK(cudaFree(in));                                                                              \
        CHECK(cudaFree(out));                                                                             \
    }
CODED(CODED_KERNELS)

#define CHECK_CODED(T, op)                                                                                \
    T##_##op##_check_coded(numbers, threads[k], false);                                                   \
    if (threads[k] % 32 == 0) T##_##op##_check_coded(numbers, threads[k], true);

Test(block, codes)
{
    static const int threads[] = {1, 2, 3, 4, 31, 33, 64, 80, 96, 128, 160, 500, 512, 544, 1000, 1024};
    u64 numbers[1024];
    for (int round = 0; round < 2; round++) {
        /* In the first round no element has the highest bit of an exponent, so that none is a NaN. */
        for (u64 k = 0; k < COUNT(numbers); k++)
            numbers[k] = mixed(k + 7000 * (u64)round) & (round == 0 ? 0xbfbfbfbfbfbfbfbf : ~(u64)0);
        for (size_t k = 0; k < COUNT(threads); k++) {
            CODED(CHECK_CODED)
        }
    }
}

Test(block, one_nan)
{
    const u32 float_nan = 0xff812345u;
    const u64 double_nan = 0xfff0000000012345ull;
    for (size_t k = 0; k < COUNT(blocks); k++) {
        float x[1024];
        double y[1024];
        fill_float(x, COUNT(x), k);
        fill_double(y, COUNT(y), k);
        memcpy(&x[volume(blocks[k]) - 1], &float_nan, sizeof float_nan);
        memcpy(&y[volume(blocks[k]) - 1], &double_nan, sizeof double_nan);
        reduce_float_max_check_blocks(reduce_float_max_launch_blocks, x, {1, 1, 1}, blocks[k]);
        reduce_double_sum_check_blocks(reduce_double_sum_launch_blocks, y, {1, 1, 1}, blocks[k]);
    }
}

/* The same in rows of warps, for extremes of 8 bytes too. */
Test(block, one_nan_in_rows)
{
    const u64 double_nan = 0xfff0000000012345ull;
    const u32 float_nan = 0xff812345u;
    for (size_t k = 0; k < COUNT(rows); k++) {
        float x[1024];
        double y[1024];
        fill_float(x, COUNT(x), k);
        fill_double(y, COUNT(y), k);
        memcpy(&x[volume(rows[k]) / 2], &float_nan, sizeof float_nan);
        memcpy(&y[volume(rows[k]) - 1], &double_nan, sizeof double_nan);
        reduce_float_sum_check_blocks(reduce_float_sum_launch_blocks_of, x, {1, 1, 1}, rows[k]);
        reduce_double_max_check_blocks(reduce_double_max_launch_blocks_of, y, {1, 1, 1}, rows[k]);
    }
}

/* ---- The last block ------------------------------------------------------------------------------------ */

enum { ROUNDS = 3 };

/* The threads of the last block count these. */
struct verdict {
    unsigned trues;  /* threads that were told that their block is the last */
    unsigned blocks; /* blocks with such a thread 0 */
    unsigned wrong;  /* values that another block wrote and this thread did not see */
};

/* Every thread writes a value before; every thread of the last block looks at all of them. Twice in one
   kernel, each time with its own ticket. */
static __device__ void write_and_look(u64 *data, u64 round, unsigned *ticket, struct verdict *verdict)
{
    const int threads = threads_of_block(), all = threads * (int)(gridDim.x * gridDim.y * gridDim.z);
    const int thread = block_of_grid() * threads + thread_of_block();
    data[thread] = mixed(round) + (u64)thread;
    if (!reduce_last_block(ticket)) return;
    atomicAdd(&verdict->trues, 1u);
    if (thread_of_block() == 0) atomicAdd(&verdict->blocks, 1u);
    for (int k = 0; k < all; k++) {
        const int at = (k + thread) % all;
        if (data[at] != mixed(round) + (u64)at) atomicAdd(&verdict->wrong, 1u);
    }
}

static __global__ void last_blocks(u64 *data, u64 *more, u64 round, unsigned *tickets,
                                   struct verdict *verdicts)
{
    write_and_look(data, round, tickets, verdicts);
    write_and_look(more, round + 1, tickets + 1, verdicts + 1);
}

static void check_verdict(struct verdict verdict, struct shape grid, struct shape block)
{
    const unsigned threads = (unsigned)volume(block);
    cr_expect(verdict.trues == threads && verdict.blocks == 1 && verdict.wrong == 0,
              "reduce_last_block, grid " SHAPE_FORMAT " of " SHAPE_FORMAT
              ": true in %u threads of %u blocks, which missed %u values",
              SHAPE_VALUES(grid), SHAPE_VALUES(block), verdict.trues, verdict.blocks, verdict.wrong);
}

static void check_last_blocks(struct shape grid, struct shape block)
{
    const size_t size = sizeof(u64) * (size_t)(volume(grid) * volume(block));
    u64 *data = (u64 *)device_room(2 * size, 0);
    unsigned tickets[2], *tickets_device = (unsigned *)device_room(sizeof tickets, 0);
    for (u64 round = 0; round < ROUNDS; round++) {
        struct verdict verdicts[2];
        struct verdict *verdicts_device = (struct verdict *)device_room(sizeof verdicts, 0);
        last_blocks<<<DIM3(grid), DIM3(block)>>>(data, data + size / sizeof *data, 3 * round, tickets_device,
                                                 verdicts_device);
        check_launch();
        from_device(verdicts, verdicts_device, sizeof verdicts);
        from_device(tickets, tickets_device, sizeof tickets);
        for (int k = 0; k < 2; k++) check_verdict(verdicts[k], grid, block);
        cr_expect(tickets[0] == 0 && tickets[1] == 0, "after the last block the tickets are %u and %u, not 0",
                  tickets[0], tickets[1]);
        CHECK(cudaFree(verdicts_device));
    }
    CHECK(cudaFree(tickets_device));
    CHECK(cudaFree(data));
}

Test(block, last_block)
{
    const struct shape grids[] = {{1, 1, 1}, {2, 1, 1}, {7, 3, 1}, {2, 3, 4}, {1, 1, 33}};
    const struct shape shapes[] = {{1, 1, 1}, {33, 1, 1}, {8, 8, 1}, {5, 7, 3}};
    for (size_t g = 0; g < COUNT(grids); g++)
        for (size_t b = 0; b < COUNT(shapes); b++) check_last_blocks(grids[g], shapes[b]);
}
