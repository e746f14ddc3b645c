/* NAME_async: every size and alignment, streams, graphs, its workspace and its errors. */
#include "check.h"
#include "executors.h"
#include "operators.h"
#include "reduce_async_n.cuh"
#include "tree.h"

typedef struct {
    float x, y;
    int z;
} triple; /* 12 bytes */

HELPER_BOTH triple add_triples(triple a, triple b)
{
    const triple sum = {a.x + b.x, a.y + b.y, (int)((unsigned)a.z ^ (unsigned)b.z)};
    return sum;
}

HELPER_BOTH triple no_triple(void)
{
    const triple none = {0, 0, 0};
    return none;
}

/* Every bit of the index counts, so that one of 32 bits would show, and 2^33 of them fit 64 bits. */
#define WEIGHED(x, i) ((x) * (i64)((i) % 1048576 + ((i) >> 20) + 1))

DEFINE_REDUCE(u64, trace)
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(float, prod)
DEFINE_REDUCE(double, sum)
DEFINE_REDUCE(short, sum)
DEFINE_REDUCE_AS(sum_floats3, floats3, floats3_zero(), floats3_added(a, b))
DEFINE_REDUCE_AS(sum_floats16, floats16, floats16_zero(), floats16_added(a, b))
DEFINE_REDUCE_AS(triples, triple, no_triple(), add_triples(a, b))
DEFINE_REDUCE_MAP(trace_bytes, u8, u64, mixed(x + 256 * (u64)i) | 1, 0, traced(a, b))
DEFINE_REDUCE_MAP(weighed, i8, i64, WEIGHED(x, i), 0, a + b)
DEFINE_REDUCE_ATOMIC(triples)
DEFINE_REDUCE_ATOMIC(weighed)
#ifndef SIMT /* see beyond_32_bits */
DEFINE_REDUCE_ASYNC_N(weighed)
#endif

DEFINE_TREE(reduce_u64_trace, u64, u64, x, 0, traced(a, b))
DEFINE_TREE(trace_bytes, u8, u64, mixed(x + 256 * (u64)i) | 1, 0, traced(a, b))

#ifdef SIMT
enum { MOST = 1 << 17, FACTOR = 8, RANDOM_SIZES = 5 };
#else
enum { MOST = 1 << 20, FACTOR = 2, RANDOM_SIZES = 40 };
#endif

static reduce_workspace *new_workspace(void)
{
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    return ws;
}

/* ---- The result ------------------------------------------------------------------------------------- */

/* T result_of_NAME(...): NAME_async's result, after it is there. */
#define RESULT_OF(NAME, In, T)                                                                             \
    HELPER T result_of_##NAME(const In *in, size_t n, T *out, reduce_workspace *ws, cudaStream_t stream)   \
    {                                                                                                      \
        T got;                                                                                             \
        CHECK(NAME##_async(in, n, out, ws, stream));                                                       \
        CHECK(cudaStreamSynchronize(stream));                                                              \
        from_device(&got, out, sizeof got);                                                                \
        return got;                                                                                        \
    }
RESULT_OF(reduce_u64_trace, u64, u64)
RESULT_OF(reduce_float_sum, float, float)
RESULT_OF(reduce_double_sum, double, double)
RESULT_OF(reduce_short_sum, short, short)
RESULT_OF(triples, triple, triple)
RESULT_OF(trace_bytes, u8, u64)

/* One array on both sides, an output and a workspace. */
struct bench {
    unsigned char *host, *device;
    void *out;
    reduce_workspace *ws;
};

static struct bench set_up(size_t bytes)
{
    struct bench b = {(unsigned char *)malloc(bytes), NULL, device_room(REDUCE_MAX_SIZE, 0),
                      new_workspace()};
    cr_assert(b.host != NULL, "no memory");
    for (size_t k = 0; k < bytes; k++) b.host[k] = (unsigned char)mixed(k);
    b.device = (unsigned char *)to_device(b.host, bytes);
    return b;
}

static void take_down(struct bench b)
{
    free(b.host);
    CHECK(cudaFree(b.device));
    CHECK(cudaFree(b.out));
    CHECK(reduce_workspace_destroy(b.ws));
}

/* The first n elements: device, CPU and tree. Zero is the identity of a trace, so it is no datum of
   these. */
#define EXPECT_SIZE(NAME, In, b, n)                                                                        \
    do {                                                                                                   \
        const In *const host_ = (const In *)(void *)(b)->host;                                             \
        const u64 tree_ = NAME##_tree(host_, n), cpu_ = NAME##_cpu(host_, n);                              \
        const u64 got_ =                                                                                   \
            result_of_##NAME((const In *)(void *)(b)->device, n, (u64 *)(b)->out, (b)->ws, 0);             \
        if (got_ != tree_)                                                                                 \
            cr_expect(false, #NAME "_async of %zu: %s, the tree %s", n, BITS(got_), BITS(tree_));          \
        if (cpu_ != tree_)                                                                                 \
            cr_expect(false, #NAME "_cpu of %zu: %s, the tree %s", n, BITS(cpu_), BITS(tree_));            \
    } while (0)

static void expect_size(struct bench *b, size_t n)
{
    EXPECT_SIZE(reduce_u64_trace, u64, b, n);
    EXPECT_SIZE(trace_bytes, u8, b, n);
}

Test(async, every_size, .init = need_gpu)
{
    struct bench b = set_up((size_t)(MOST + 1) * 8);
    expect_size(&b, 0);
    for (size_t power = 1; power <= MOST; power *= power < 4096 ? 2 : FACTOR)
        for (size_t n = power - 1; n <= power + 1; n++) expect_size(&b, n);
    for (u64 k = 0; k < RANDOM_SIZES; k++) expect_size(&b, mixed(k) % MOST);
    take_down(b);
}

/* One chunk that ends in each of its stripes, in and around the wide loads of four. */
Test(async, ends_in_every_stripe, .init = need_gpu)
{
    const int around[] = {-1, 0, 1, 3, 1000};
    struct bench b = set_up(10 * 1024 * 8 + 8192);
    for (size_t stripe = 1; stripe <= 9; stripe++)
        for (size_t k = 0; k < COUNT(around); k++) {
            const size_t n = stripe * 1024 + (size_t)around[k];
            EXPECT_SIZE(reduce_u64_trace, u64, &b, n);
            EXPECT_SIZE(trace_bytes, u8, &b, stripe * 8192 + (size_t)around[k]);
        }
    take_down(b);
}

/* ---- More chunks than strands ------------------------------------------------------------------------- */

DEFINE_BY(reduce_float_sum, float, float)
DEFINE_BY(reduce_float_prod, float, float)
DEFINE_BY(reduce_double_sum, double, double)
DEFINE_BY(sum_floats3, floats3, floats3)
DEFINE_BY(sum_floats16, floats16, floats16)

/* Results that are rounded: any other order has other bits. */
static const struct rounded {
    const char *name;
    executed_by *run;
    size_t size;
    bool is_product;
} rounded[] = {
    {"float sum", reduce_float_sum_by, sizeof(float), false},
    {"double sum", reduce_double_sum_by, sizeof(double), false},
    {"sum of floats3", sum_floats3_by, sizeof(floats3), false},
    {"sum of floats16", sum_floats16_by, sizeof(floats16), false},
    {"float prod", reduce_float_prod_by, sizeof(float), true},
};

/* Floats of any order of size up to 256, two of which are a finite double; for products so near one that they
   neither overflow nor vanish. */
static void fill_rounded(float *to, size_t count, bool is_product)
{
    for (size_t k = 0; k < count; k++) {
        const u32 hash = (u32)(mixed(k) >> 32);
        to[k] = is_product ? 1 + (float)((int)(hash >> 20) - 2048) / (1 << 23)
                           : (float)((int)(hash >> 8) - (1 << 23)) / (1 << 23) * (float)(1 << hash % 8);
    }
}

/* The simulator takes seconds for one: the other executors have small trees there. */
#ifdef SIMT
enum { FIRST_ROUNDED_BY = BY_ASYNC, LAST_ROUNDED_BY = BY_ASYNC };
#else
enum { FIRST_ROUNDED_BY = BY_CALL, LAST_ROUNDED_BY = BY_TWO_LAUNCH };
#endif

/* The CPU and each executor of the device: the same bits. */
static void expect_rounded(const struct rounded *s, const void *in, const void *device, size_t n, void *room,
                           reduce_workspace *ws)
{
    alignas(16) unsigned char cpu[REDUCE_MAX_SIZE], got[REDUCE_MAX_SIZE];
    const u64 zeros = 0;
    CHECK(execute(s->run, BY_CPU, in, n, cpu, s->size, room, ws));
    cr_expect(memcmp(cpu, &zeros, 4) != 0 && isfinite(*(float *)(void *)cpu), "%s of %zu: %s", s->name, n,
              bits_in_hex(cpu, s->size));
    for (int by = FIRST_ROUNDED_BY; by <= LAST_ROUNDED_BY; by++) {
        memset(got, 0x5a, s->size);
        CHECK(execute(s->run, (enum executor)by, device, n, got, s->size, room, ws));
        if (memcmp(got, cpu, s->size) != 0)
            cr_expect(false, "%s of %zu (%zu chunks), %s: %s, the CPU %s", s->name, n,
                      reduce_plan(n, s->size).count, executors[by], bits_in_hex(got, s->size),
                      bits_in_hex(cpu, s->size));
    }
}

/* The sizes at which so many chunks begin and end, in chunks of the greatest number of elements. */
static void expect_rounded_chunks(const struct rounded *s, const void *in, const void *device, size_t most,
                                  void *room, reduce_workspace *ws)
{
    const size_t counts[] = {513, 1025, 1086, 2731, 4095, 4096};
    const size_t chunk = 16 * 512 * tree_positions(s->size) / (s->size > 16 ? s->size / 16 : 1);
    for (size_t k = 0; k < COUNT(counts); k++)
        for (size_t n = counts[k] * chunk - 1; n <= counts[k] * chunk + 1; n++)
            if (n <= most) expect_rounded(s, in, device, n, room, ws);
}

/* One array for all that are products or not. */
static void expect_all_rounded(bool is_product, size_t bytes, const char *only, size_t most)
{
    const size_t sizes[] = {1100000, 5000000, 8000000, 8388609, 33554433, 40000000};
    float *host = (float *)malloc(bytes);
    void *room = device_room(REDUCE_MAX_SIZE, 0);
    reduce_workspace *ws = new_workspace();
    cr_assert(host != NULL, "no memory");
    fill_rounded(host, bytes / sizeof *host, is_product);
    void *device = to_device(host, bytes);
    for (size_t k = 0; k < COUNT(rounded); k++) {
        const struct rounded *s = &rounded[k];
        if (s->is_product != is_product || strstr(s->name, only) == NULL) continue;
        for (size_t i = 0; i < COUNT(sizes); i++)
            if (sizes[i] <= bytes / s->size) expect_rounded(s, host, device, sizes[i], room, ws);
        expect_rounded_chunks(s, host, device, most / s->size, room, ws);
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(room));
    CHECK(reduce_workspace_destroy(ws));
    free(host);
}

/* The simulator takes one size of one, with seed 0; without a sanitizer. Small trees have such arrays with every seed. */
Test(async, more_chunks_than_lanes, .init = need_gpu, .timeout = 300)
{
#if defined(SIMT) && defined(__SANITIZE_ADDRESS__)
    (void)expect_all_rounded;
#elif defined(SIMT)
    if (is_due(0)) expect_all_rounded(false, 1100000 * sizeof(floats16), "floats16", 0);
#else
    const size_t bytes = (size_t)513 << 20; /* 4,096 chunks of 128 KiB, and some */
    expect_all_rounded(false, bytes, "", bytes);
    expect_all_rounded(true, bytes, "", bytes);
#endif
}

/* ---- Very many elements ----------------------------------------------------------------------------- */

#ifndef SIMT
Test(async, large, .init = need_gpu)
{
    const size_t n = 5000000;
    struct bench b = set_up(n * 8);
    expect_size(&b, n);
    expect_size(&b, 4096 * 1024 + 1);
    expect_size(&b, 1025 * 1024 + 1);
    take_down(b);
}

static __global__ void generate(i8 *to, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = (i8)(mixed(i) >> 7);
}

static bool fits(size_t bytes)
{
    size_t available = 0, total = 0;
    CHECK(cudaMemGetInfo(&available, &total));
    return available / 4 * 3 > bytes;
}

/* More elements than 31 and 32 bits can count, and chunks that begin beyond; their number known to the host, and to
   the device alone. */
Test(async, beyond_32_bits, .init = need_gpu, .timeout = 240)
{
    const size_t beyond = ((size_t)1 << 32) + 4097, most = beyond + ((size_t)1 << 24),
                 sizes[] = {((size_t)1 << 31) + 1, ((size_t)1 << 32) - 1, beyond, most};
    i8 *host = (i8 *)malloc(most), *in = NULL;
    reduce_workspace *ws = new_workspace();
    i64 *out = (i64 *)device_room(sizeof *out, 0), got;
    size_t *count = (size_t *)device_room(sizeof *count, 0);
    if (host == NULL || !fits(most)) cr_skip_test("too little memory for 2^32 elements");
    CHECK(cudaMalloc((void **)&in, most));
    generate<<<4096, 256>>>(in, most);
    check_launch();
    from_device(host, in, most);
    i64 loop = 0;
    for (size_t k = 0, i = 0; k < COUNT(sizes); k++) {
        for (; i < sizes[k]; i++) loop += WEIGHED(host[i], i);
        CHECK(weighed_async(in, sizes[k], out, ws, 0));
        from_device(&got, out, sizeof got);
        cr_expect(got == loop, "%zu elements: %lld, a loop %lld", sizes[k], got, loop);
        CHECK(cudaMemcpy(count, &sizes[k], sizeof sizes[k], cudaMemcpyHostToDevice));
        CHECK(weighed_async_n(in, count, most, out, ws, 0));
        from_device(&got, out, sizeof got);
        cr_expect(got == loop, "%zu elements, known to the device: %lld, a loop %lld", sizes[k], got, loop);
    }
    got = weighed_cpu(host, most);
    cr_expect(got == loop, "the CPU: %lld, a loop %lld", got, loop);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(count));
    CHECK(reduce_workspace_destroy(ws));
    free(host);
}
#endif

/* ---- Alignment -------------------------------------------------------------------------------------- */

/* An input that starts at every element within 64 bytes gives the bits of the same input at an aligned
   address. */
#define EXPECT_ALIGNMENTS(NAME, T, n)                                                                      \
    do {                                                                                                   \
        T *const from = (T *)malloc((n) * sizeof(T)), *const to =                                          \
                                                          (T *)device_room(((n) + 64) * sizeof(T), 0);     \
        cr_assert(from != NULL, "no memory");                                                              \
        for (size_t k = 0; k < (n) * sizeof(T) / 4; k++) {                                                 \
            const float x = (float)rough(mixed(k), 10);                                                    \
            memcpy((char *)from + 4 * k, &x, sizeof x);                                                    \
        }                                                                                                  \
        const T cpu = NAME##_cpu(from, n);                                                                 \
        for (size_t offset = 0; offset * sizeof(T) <= 64; offset++) {                                      \
            CHECK(cudaMemcpy(to + offset, from, (n) * sizeof(T), cudaMemcpyHostToDevice));                 \
            const T got = result_of_##NAME(to + offset, n, (T *)out, ws, 0);                               \
            if (!SAME_BITS(got, cpu))                                                                      \
                cr_expect(false, #NAME " of %zu at +%zu: %s, aligned %s", (size_t)(n), offset, BITS(got),  \
                          BITS(cpu));                                                                      \
        }                                                                                                  \
        CHECK(cudaFree(to));                                                                               \
        free(from);                                                                                        \
    } while (0)

Test(async, every_alignment, .init = need_gpu)
{
    reduce_workspace *ws = new_workspace();
    void *out = device_room(REDUCE_MAX_SIZE, 0);
    EXPECT_ALIGNMENTS(reduce_float_sum, float, 20002);
    EXPECT_ALIGNMENTS(reduce_double_sum, double, 9999);
    EXPECT_ALIGNMENTS(reduce_short_sum, short, 40006);
    EXPECT_ALIGNMENTS(triples, triple, 5001);
    EXPECT_ALIGNMENTS(reduce_float_sum, float, 63);
    CHECK(cudaFree(out));
    CHECK(reduce_workspace_destroy(ws));
}

Test(async, bytes_at_every_address, .init = need_gpu)
{
    enum { N = 70001 };
    struct bench b = set_up(N);
    unsigned char *room = (unsigned char *)device_room(N + 64, 0);
    const u64 tree = trace_bytes_tree(b.host, N);
    for (size_t offset = 0; offset <= 16; offset++) {
        CHECK(cudaMemcpy(room + offset, b.host, N, cudaMemcpyHostToDevice));
        const u64 got = result_of_trace_bytes(room + offset, N, (u64 *)b.out, b.ws, 0);
        cr_expect(got == tree, "at +%zu: %s, the tree %s", offset, BITS(got), BITS(tree));
    }
    CHECK(cudaFree(room));
    take_down(b);
}

/* ---- Streams, workspaces, graphs -------------------------------------------------------------------- */

enum { STREAMS = 4, EACH = 40000, ROUNDS = 5 };

Test(async, many_streams, .init = need_gpu)
{
    cudaStream_t streams[STREAMS];
    reduce_workspace *ws[STREAMS];
    struct bench b = set_up(EACH * 8 * STREAMS);
    u64 *outs = (u64 *)device_room(STREAMS * ROUNDS * 8, 0), got[STREAMS * ROUNDS];
    const u64 *in = (const u64 *)(void *)b.device, *host = (const u64 *)(void *)b.host;
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaStreamCreateWithFlags(&streams[s], s % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
        ws[s] = new_workspace();
    }
    for (int k = 0; k < ROUNDS * STREAMS; k++) {
        const int s = k % STREAMS;
        CHECK(reduce_u64_trace_async(in + s * EACH, (size_t)(EACH - k), outs + k, ws[s], streams[s]));
    }
    for (int s = 0; s < STREAMS; s++) CHECK(cudaStreamSynchronize(streams[s]));
    from_device(got, outs, sizeof got);
    for (int k = 0; k < ROUNDS * STREAMS; k++) {
        const u64 tree = reduce_u64_trace_tree(host + k % STREAMS * EACH, (size_t)(EACH - k));
        cr_expect(got[k] == tree, "call %d: %s, the tree %s", k, BITS(got[k]), BITS(tree));
    }
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaStreamDestroy(streams[s]));
        CHECK(reduce_workspace_destroy(ws[s]));
    }
    CHECK(cudaFree(outs));
    take_down(b);
}

/* Everything in the workspace is zero but what a lock guarded, of which the next call takes only the first 8
   bytes without a lock. */
static void expect_ready(const reduce_workspace *ws, const char *after)
{
    static reduce_workspace copy;
    size_t at = 0;
    from_device(&copy, ws, sizeof copy);
    memset(copy.cell_ + 8, 0, sizeof copy.cell_ - 8);
    while (at < sizeof copy && ((unsigned char *)&copy)[at] == 0) at++;
    cr_expect(at == sizeof copy, "byte %zu of the workspace is not zero after %s",
              at, after);
}

#define MIXED_CALL(NAME, In, T, strategy, n)                                                               \
    do {                                                                                                   \
        T got_;                                                                                            \
        const T cpu_ = NAME##_cpu((const In *)(void *)b.host, n);                                          \
        CHECK(NAME##_##strategy((const In *)(void *)b.device, n, (T *)b.out, b.ws, 0));                    \
        from_device(&got_, b.out, sizeof got_);                                                            \
        if (strstr(#strategy, "atomic") == NULL || !strcmp(#NAME, "weighed"))                              \
            cr_expect(SAME_BITS(got_, cpu_), #NAME "_" #strategy " of %d: %s, not %s", n, BITS(got_),      \
                      BITS(cpu_));                                                                         \
        expect_ready(b.ws, #NAME "_" #strategy);                                                           \
    } while (0)

Test(async, one_workspace_for_all, .init = need_gpu)
{
    struct bench b = set_up(800000);
    for (size_t k = 0; k < 200000; k++) {
        const float x = (float)rough(k, 10);
        memcpy(b.host + 4 * k, &x, sizeof x);
    }
    CHECK(cudaMemcpy(b.device, b.host, 800000, cudaMemcpyHostToDevice));
    expect_ready(b.ws, "its creation");
    MIXED_CALL(weighed, i8, i64, async, 90000);
    MIXED_CALL(weighed, i8, i64, atomic_warp, 90000);
    MIXED_CALL(triples, triple, triple, async, 50000);
    MIXED_CALL(triples, triple, triple, atomic_block, 50000);
    MIXED_CALL(reduce_float_sum, float, float, async, 10);
    MIXED_CALL(triples, triple, triple, atomic_warp, 9000);
    MIXED_CALL(reduce_float_sum, float, float, atomic_warp, 30000);
    MIXED_CALL(reduce_double_sum, double, double, two_launch, 70000);
    MIXED_CALL(weighed, i8, i64, atomic_block, 300000);
    MIXED_CALL(weighed, i8, i64, async, 0);
    MIXED_CALL(weighed, i8, i64, atomic_block, 0);
    MIXED_CALL(weighed, i8, i64, two_launch, 0);
    MIXED_CALL(reduce_float_sum, float, float, async, 100000);
    take_down(b);
}

#ifdef SIMT
/* All strategies but the default wait for no block: blocks may start one at a time, from the last to the first. */
Test(async, strategies_that_do_not_wait, .init = need_gpu)
{
    struct bench b = set_up(300000);
    start_blocks_backwards();
    MIXED_CALL(weighed, i8, i64, last_block, 300000);
    MIXED_CALL(weighed, i8, i64, two_launch, 300000);
    MIXED_CALL(weighed, i8, i64, atomic_block, 300000);
    MIXED_CALL(weighed, i8, i64, atomic_warp, 300000);
    MIXED_CALL(triples, triple, triple, last_block, 20000);
    take_down(b);
}
#endif

static cudaGraphExec_t captured(cudaStream_t stream, struct bench *b, size_t n)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(reduce_u64_trace_async((const u64 *)(void *)b->device, n, (u64 *)b->out, b->ws, stream));
    CHECK(reduce_u64_trace_two_launch((const u64 *)(void *)b->device, n, (u64 *)b->out + 1, b->ws, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

Test(async, replayed_from_a_graph, .init = need_gpu)
{
    enum { N = 30001 };
    cudaStream_t stream;
    struct bench b = set_up(N * 8);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaGraphExec_t exec = captured(stream, &b, N);
    for (u64 round = 0; round < 4; round++) {
        fill_u64((u64 *)(void *)b.host, N, round);
        CHECK(cudaMemcpy(b.device, b.host, N * 8, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        u64 got[2];
        from_device(got, b.out, sizeof got);
        const u64 tree = reduce_u64_trace_tree((const u64 *)(void *)b.host, N);
        cr_expect(got[0] == tree && got[1] == tree, "round %llu: %s and %s, the tree %s", round,
                  BITS(got[0]), BITS(got[1]), BITS(tree));
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaStreamDestroy(stream));
    take_down(b);
}

/* ---- Errors ----------------------------------------------------------------------------------------- */

/* A refused call is like none: nothing is launched or written, no error stays behind. */
static void expect_refused(int line, cudaError_t got, cudaError_t expected, const struct bench *b)
{
    static unsigned char now[4096];
    CHECK(cudaDeviceSynchronize());
    from_device(now, b->device, sizeof now);
    cr_expect(got == expected, "line %d: %s, not %s", line, cudaGetErrorName(got),
              cudaGetErrorName(expected));
    cr_expect(memcmp(now, b->host, sizeof now) == 0, "line %d: something was written", line);
    cr_expect(cudaPeekAtLastError() == cudaSuccess, "line %d: an error stays behind", line);
    expect_ready(b->ws, "a refused call");
}

#define REFUSED(in, n, out, ws, expected)                                                                  \
    do {                                                                                                   \
        expect_refused(__LINE__, reduce_float_sum_async(in, n, out, ws, 0), expected, &b);                 \
        expect_refused(__LINE__, reduce_float_sum_two_launch(in, n, out, ws, 0), expected, &b);            \
        expect_refused(__LINE__, reduce_float_sum_atomic_warp(in, n, out, ws, 0), expected, &b);           \
    } while (0)

Test(async, errors, .init = need_gpu)
{
    struct bench b = set_up(4096);
    float *in = (float *)(void *)b.device, *apart = in + 1000, *off = (float *)(void *)(b.device + 2);
    const cudaError_t invalid = cudaErrorInvalidValue, misaligned = cudaErrorMisalignedAddress;
    const size_t most = (UINTPTR_MAX - (uintptr_t)in) / sizeof *in;
    REFUSED(NULL, 1, apart, b.ws, invalid);
    REFUSED(NULL, 0, NULL, b.ws, invalid);
    REFUSED(in, 10, NULL, b.ws, invalid);
    REFUSED(in, 10, apart, NULL, invalid);
    REFUSED(NULL, 0, apart, NULL, invalid);
    REFUSED(off, 10, apart, b.ws, misaligned);
    REFUSED((const float *)(void *)(b.device + 1), 10, apart, b.ws, misaligned);
    REFUSED(in, 10, off + 900, b.ws, misaligned);
    REFUSED(in, SIZE_MAX, apart, b.ws, invalid);
    REFUSED(in, SIZE_MAX / 4 + 2, in - 1, b.ws, invalid);
    REFUSED(in, (size_t)1 << 62, in - 1, b.ws, invalid);
    REFUSED(in, most + 1, in - 1, b.ws, invalid);
    REFUSED((const float *)(UINTPTR_MAX - 15), 4, apart, b.ws, invalid);
    REFUSED((const float *)(UINTPTR_MAX - 15), 5, apart, b.ws, invalid);
    expect_refused(
        __LINE__,
        trace_bytes_async(b.device, REDUCE_MAX_ELEMENTS + 1, (u64 *)(void *)b.device - 1, b.ws, 0), invalid,
        &b);
    REFUSED(in, 10, in, b.ws, invalid);
    REFUSED(in, 10, in + 5, b.ws, invalid);
    REFUSED(in, 10, in + 9, b.ws, invalid);
    take_down(b);
}

/* A result that lies partly in the input; its own type is wider than the elements. */
Test(async, output_beside_the_input, .init = need_gpu)
{
    struct bench b = set_up(4096);
    const i8 *in = (const i8 *)(void *)b.device;
    i64 *at = (i64 *)(void *)b.device, got;
    const cudaError_t invalid = cudaErrorInvalidValue;
    expect_refused(__LINE__, weighed_async(in + 7, 10, at, b.ws, 0), invalid, &b);
    expect_refused(__LINE__, weighed_async(in, 9, at + 1, b.ws, 0), invalid, &b);
    expect_refused(__LINE__, weighed_async(in + 3, 1, at, b.ws, 0), invalid, &b);
    expect_refused(__LINE__, weighed_async(in + 1, 100, at, b.ws, 0), invalid, &b);
    CHECK(weighed_async(in + 8, 10, at, b.ws, 0));
    from_device(&got, at, sizeof got);
    const i64 after = weighed_cpu((const i8 *)(void *)b.host + 8, 10);
    cr_expect(got == after, "just before the input: %lld, not %lld", got, after);
    CHECK(weighed_async(in + 16, 8, at + 3, b.ws, 0));
    from_device(&got, at + 3, sizeof got);
    const i64 before = weighed_cpu((const i8 *)(void *)b.host + 16, 8);
    cr_expect(got == before, "just after the input: %lld, not %lld", got, before);
    take_down(b);
}

/* Pinned and managed memory are as good as the device's own: the result is there after a wait, without a
   copy. */
Test(async, memory_of_the_host, .init = need_gpu)
{
    const size_t n = 100003;
    reduce_workspace *ws = new_workspace();
    u64 *pinned = NULL, *managed = NULL;
    CHECK(cudaMallocHost((void **)&pinned, (n + 1) * sizeof *pinned));
    CHECK(cudaMallocManaged((void **)&managed, (n + 1) * sizeof *managed, cudaMemAttachGlobal));
    for (size_t k = 0; k < n; k++) pinned[k] = managed[k] = mixed(k) | 1;
    CHECK(reduce_u64_trace_async(managed, n, &pinned[n], ws, 0));
    CHECK(cudaStreamSynchronize(0));
    CHECK(reduce_u64_trace_async(pinned, n, &managed[n], ws, 0));
    CHECK(cudaStreamSynchronize(0));
    const u64 expected = reduce_u64_trace_tree(pinned, n);
    cr_expect(pinned[n] == expected, "to pinned memory: %llx, not %llx", pinned[n], expected);
    cr_expect(managed[n] == expected, "to managed memory: %llx, not %llx", managed[n], expected);
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(pinned));
    CHECK(reduce_workspace_destroy(ws));
}

Test(async, nothing_gives_the_identity, .init = need_gpu)
{
    struct bench b = set_up(64);
    const double none = result_of_reduce_double_sum(NULL, 0, (double *)b.out, b.ws, 0);
    const double zero = 0;
    cr_expect(SAME_BITS(none, zero), "%s", BITS(none));
    const u64 no_trace =
        result_of_reduce_u64_trace((const u64 *)(void *)b.device, 0, (u64 *)b.out, b.ws, 0);
    cr_expect(no_trace == 0, "%s", BITS(no_trace));
    take_down(b);
}

/* An error of the caller's own, before the call, is neither reported by it nor forgotten. */
Test(async, leaves_an_earlier_error, .init = need_gpu)
{
    struct bench b = set_up(400);
    void *nothing = NULL;
    const cudaError_t earlier = cudaMemcpy(nothing, b.device, 8, (enum cudaMemcpyKind)77);
    cr_assert(earlier != cudaSuccess, "this call should have failed");
    CHECK(reduce_float_sum_async((const float *)(void *)b.device, 10, (float *)b.out, b.ws, 0));
    cr_expect(cudaGetLastError() == earlier, "the earlier error is gone");
    take_down(b);
}
