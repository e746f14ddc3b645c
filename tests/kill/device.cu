/* Compares code that only a device's compiler sees with the CPU, in a second: extremes of floats by
   instructions, bytes added four at a time, loads of 16 bytes, rounding before a sum, values that travel from
   block to block, shared memory. For tools/mutate --gpu. In the simulator the other side of each #ifdef
   runs. */
#define CHECK_ALONE
#include "../check.h"
#include "../tree.h"

#ifdef SIMT
enum { MANY = 9 * 4096 + 5, GRID = 40, TIMES = 2, LARGE = 1 << 17 };
#else
enum { MANY = 600 * 16 * 1024 + 77, GRID = 5000, TIMES = 40, LARGE = 1 << 22 };
#endif

/* ---- Extremes ---------------------------------------------------------------------------------------- */

static const u32 float_bits[] = {0,          1,          0x007fffff, 0x00800000, 0x3f800000,
                                 0x3f800001, 0x40000000, 0x7f7fffff, 0x7f800000, 0x7f800001,
                                 0x7fc00000, 0x7fffffff, 0x12345678, 0x00000100};
static const u64 double_bits[] = {
    0,                  1,                  0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
    0x3ff0000000000001, 0x3ff0000080000000, 0x3ff00000ffffffff, 0x4000000000000000, 0x7fefffffffffffff,
    0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff, 0x0000000100000000,
    0x0000000080000000};
enum { VALUES = 2 * 16, OPERATORS = 4 };

DEFINE_TREE_FLOATING(float, min)
DEFINE_TREE_FLOATING(float, max)
DEFINE_TREE_FLOATING(float, fmin)
DEFINE_TREE_FLOATING(float, fmax)
DEFINE_TREE_FLOATING(double, min)
DEFINE_TREE_FLOATING(double, max)
DEFINE_TREE_FLOATING(double, fmin)
DEFINE_TREE_FLOATING(double, fmax)

/* Each pair of values, by each operator. */
#define EXTREMES(T)                                                                                       \
    static __global__ void extremes_of_##T(const T *values, T *out)                                       \
    {                                                                                                     \
        const T a = values[threadIdx.x], b = values[blockIdx.x];                                          \
        out += OPERATORS * (threadIdx.x + VALUES * blockIdx.x);                                           \
        out[0] = REDUCE_COMBINE_min(T, a, b);                                                             \
        out[1] = REDUCE_COMBINE_max(T, a, b);                                                             \
        out[2] = REDUCE_COMBINE_fmin(T, a, b);                                                            \
        out[3] = REDUCE_COMBINE_fmax(T, a, b);                                                            \
    }                                                                                                     \
    static void check_extremes_of_##T(const T *values)                                                    \
    {                                                                                                     \
        static T got[VALUES * VALUES][OPERATORS];                                                         \
        T *in = (T *)to_device(values, VALUES * sizeof *in), *out = (T *)device_room(sizeof got, 0);      \
        extremes_of_##T<<<VALUES, VALUES>>>(in, out);                                                     \
        check_launch();                                                                                   \
        from_device(got, out, sizeof got);                                                                \
        for (int k = 0; k < VALUES * VALUES; k++) {                                                       \
            const T a = values[k % VALUES], b = values[k / VALUES];                                       \
            T expected[OPERATORS] = {                                                                     \
                reduce_##T##_min_tree_combine(a, b), reduce_##T##_max_tree_combine(a, b),                 \
                reduce_##T##_fmin_tree_combine(a, b), reduce_##T##_fmax_tree_combine(a, b)};              \
            for (int op = 0; op < OPERATORS; op++) {                                                      \
                tree_canonical(&got[k][op], TREE_KIND(T));                                                \
                tree_canonical(&expected[op], TREE_KIND(T));                                              \
                cr_expect(SAME_BITS(got[k][op], expected[op]), #T ", operator %d of %s and %s: %s", op,   \
                          BITS(a), BITS(b), BITS(got[k][op]));                                            \
            }                                                                                             \
        }                                                                                                 \
        CHECK(cudaFree(in));                                                                              \
        CHECK(cudaFree(out));                                                                             \
    }
EXTREMES(float)
EXTREMES(double)

static void check_extremes(void)
{
    static float floats[VALUES];
    static double doubles[VALUES];
    for (u32 k = 0; k < VALUES; k++) {
        const u32 bits = float_bits[k / 2 % COUNT(float_bits)] | k % 2 << 31;
        const u64 more = double_bits[k / 2] | (u64)(k % 2) << 63;
        memcpy(&floats[k], &bits, sizeof bits);
        memcpy(&doubles[k], &more, sizeof more);
    }
    check_extremes_of_float(floats);
    check_extremes_of_double(doubles);
}

#ifdef EXTREMES_ALONE
int main(void)
{
    need_gpu();
    check_extremes();
    return 0;
}
#else

/* ---- Arrays ------------------------------------------------------------------------------------------ */

struct both {
    float x, w;
    double y;
};
typedef struct both both; /* without padding */
HELPER_BOTH both sum_both(both a, both b)
{
    a.x += b.x, a.w += b.w, a.y += b.y;
    return a;
}
HELPER_BOTH both squared(float x)
{
    const double y = (double)x * (1.0 / 3);
    const both result = {x * x, x * 0.7f, y * y};
    return result;
}

DEFINE_REDUCE(float, max)
DEFINE_REDUCE(double, min)
DEFINE_REDUCE_MAP(of_u8, u8, u32, x, REDUCE_IDENTITY_sum(u32), REDUCE_COMBINE_sum(u32, a, b))
DEFINE_REDUCE_MAP(of_i8, i8, int, x, REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int, a, b))
DEFINE_REDUCE_MAP(of_floats, float, float, x *x, 0, a + b)
DEFINE_REDUCE_MAP(of_doubles, double, double, x *x, 0, a + b)
DEFINE_REDUCE_MAP(of_both, float, both, squared(x), squared(0), sum_both(a, b))
DEFINE_REDUCE_MAP(traces, u64, u64, x *(i + 1), 0, traced(a, b))

static const size_t sizes[] = {1, 5, 100, 4095, 20001, LARGE - 3};
static unsigned char room[LARGE] __attribute__((aligned(16)));

/* At the end of its memory, and from one element further on. */
#define CHECK_ARRAYS(NAME, In, T)                                                                         \
    for (size_t k = 0; k < 2 * COUNT(sizes); k++) {                                                       \
        const size_t at = k % 2, n = (sizes[k / 2] + sizeof(In) - 1) / sizeof(In);                        \
        const In *from = (const In *)(const void *)room;                                                  \
        In *in = (In *)(void *)(device + sizeof room + 16 - ((n + at) * sizeof(In) + 15) / 16 * 16);      \
        T got, tree = NAME##_cpu(from, n);                                                                \
        CHECK(cudaMemcpy(in + at, from, n * sizeof *in, cudaMemcpyHostToDevice));                         \
        CHECK(cudaMemset(out, 0x5a, sizeof got));                                                         \
        CHECK(NAME##_async(in + at, n, (T *)out, ws, 0));                                                 \
        from_device(&got, out, sizeof got);                                                               \
        cr_expect(SAME_BITS(got, tree), "%s of %zu at %zu: %s, not %s", #NAME, n, at, BITS(got),          \
                  BITS(tree));                                                                            \
    }

static void check_arrays(reduce_workspace *ws)
{
    unsigned char *device = (unsigned char *)device_room(sizeof room + 16, 0x5a);
    void *out = device_room(64, 0);
    for (size_t k = 0; k < sizeof room / 8; k++) {
        const double x = rough(mixed(k), 20);
        memcpy(room + 8 * k, &x, sizeof x);
    }
    CHECK_ARRAYS(of_u8, u8, u32)
    CHECK_ARRAYS(of_i8, i8, int)
    CHECK_ARRAYS(reduce_double_min, double, double)
    CHECK_ARRAYS(of_doubles, double, double)
    for (size_t k = 0; k < sizeof room / 4; k++) {
        const float x = (float)rough(mixed(k), 20);
        memcpy(room + 4 * k, &x, sizeof x);
    }
    CHECK_ARRAYS(reduce_float_max, float, float)
    CHECK_ARRAYS(of_floats, float, float)
    CHECK_ARRAYS(of_both, float, both)
    CHECK(cudaFree(out));
    CHECK(cudaFree(device));
}

/* ---- From block to block ----------------------------------------------------------------------------- */

/* More chunks than threads take at once. */
static void check_many(reduce_workspace *ws)
{
    u64 *in = (u64 *)malloc(MANY * sizeof *in), got, *out = (u64 *)device_room(sizeof got, 0);
    cr_assert(in != NULL, "no memory");
    for (size_t k = 0; k < MANY; k++) in[k] = (k + 1) * 0x9e3779b97f4a7c15u;
    const u64 expected = traces_cpu(in, MANY);
    u64 *device = (u64 *)to_device(in, MANY * sizeof *in);
    for (int k = 0; k < TIMES; k++) {
        CHECK(traces_async(device, MANY, out, ws, 0));
        from_device(&got, out, sizeof got);
        cr_expect(got == expected, "many chunks, time %d: %s", k, BITS(got));
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    free(in);
}

static __global__ void grid(const u64 *in, reduce_workspace *ws, u64 *out)
{
    const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
    traces_grid(in[thread + 96 * blockIdx.x], ws, out);
}

/* On a GPU more blocks than there are slots: each time the same bits as the first time. */
static void check_grids(reduce_workspace *ws)
{
    u64 *in = (u64 *)malloc(GRID * 96 * sizeof *in), first = 0, got, *out = (u64 *)device_room(sizeof got, 0);
    cr_assert(in != NULL, "no memory");
    fill_u64(in, GRID * 96, 3);
    u64 *device = (u64 *)to_device(in, GRID * 96 * sizeof *in);
    for (int k = 0; k < TIMES; k++) {
        grid<<<GRID, dim3(48, 2)>>>(device, ws, out);
        check_launch();
        from_device(&got, out, sizeof got);
        if (k == 0) first = got;
        cr_expect(got == first, "a grid, time %d: %s, not %s", k, BITS(got), BITS(first));
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    free(in);
}

/* ---- Blocks and indices ------------------------------------------------------------------------------ */

static __global__ void blocks(float *out, u64 *traced_out)
{
    const unsigned thread = threadIdx.x;
    out[thread] = reduce_float_max_block(thread == 700 ? (float)INFINITY : (float)thread);
    out[thread] += reduce_float_max_block(-(float)thread - 1);
    traced_out[thread] = traces_block(mixed(thread) | 1);
}

static void check_blocks(unsigned threads)
{
    static u64 got[1024];
    static float numbers[1024];
    u64 *out = (u64 *)device_room(sizeof got, 0), x[1024] = {0};
    const struct reduce_cpu_ cpu = traces_on_cpu_();
    float *of_float = (float *)device_room(sizeof numbers, 0);
    for (unsigned k = 0; k < threads; k++) x[k] = mixed(k) | 1;
    reduce_cpu_fold_all_(&cpu, (char *)x, threads);
    const u64 expected = x[0];
    blocks<<<1, threads>>>(of_float, out);
    check_launch();
    from_device(got, out, sizeof got);
    from_device(numbers, of_float, sizeof numbers);
    for (unsigned k = 0; k < threads; k++) {
        const float number = threads > 700 ? INFINITY : (float)(threads - 1) - 1;
        cr_expect(got[k] == expected, "block of %u, thread %u: %s", threads, k, BITS(got[k]));
        cr_expect(numbers[k] == number, "block of %u, thread %u: %g", threads, k, (double)numbers[k]);
    }
    CHECK(cudaFree(out));
    CHECK(cudaFree(of_float));
}

/* A chunk that lies beyond 2^32 elements: the map is told its indices. in_first is where its elements are. */
static __global__ void chunk_far_on(const u64 *in_first, unsigned count, u64 *out)
{
    struct reduce_place_ at = reduce_place_along_x_();
    const unsigned size = 1u << 31;
    at.block_ = 5, at.blocks_ = 6;
    const u64 *in = (const u64 *)((uintptr_t)in_first - (uintptr_t)5 * size * sizeof *in_first);
    const traces_input_ input = {in};
    const u64 x = traces_walk_(traces_chunk_of_(input, at, size, size - count, 0), at);
    const u64 all = traces_first_of_block_(x, at);
    if (at.thread_ == 0) *out = all;
}

static void check_far(void)
{
    enum { COUNT_FAR = 9001 };
    static u64 in[COUNT_FAR + 1];
    fill_u64(in, COUNT_FAR + 1, 9);
    u64 *device = (u64 *)to_device(in, sizeof in), got, *out = (u64 *)device_room(sizeof got, 0);
    for (size_t at = 0; at < 2; at++) {
        const size_t begin = (size_t)5 << 31;
        const u64 *from = (const u64 *)((uintptr_t)(in + at) - begin * sizeof *in);
        chunk_far_on<<<1, REDUCE_STRANDS>>>(device + at, COUNT_FAR, out);
        check_launch();
        from_device(&got, out, sizeof got);
        const traces_input_ input = {from};
        const struct reduce_cpu_ cpu = traces_on_cpu_();
        u64 expected;
        reduce_cpu_chunk_(&cpu, &input, begin, begin + COUNT_FAR, &expected);
        cr_expect(got == expected, "far on, at %zu: %s", at, BITS(got));
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
}

int main(void)
{
    reduce_workspace *ws = NULL;
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    check_extremes();
    check_arrays(ws);
    check_blocks(96);
    check_blocks(1000);
    check_far();
    check_grids(ws);
    check_many(ws);
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
#endif
