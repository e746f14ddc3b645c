/* Whole arrays and grids by every strategy, quickly. For tools/mutate. */
#define CHECK_ALONE
#define SHARE_WHOLE
#include "../share.h"
#include "../check.h"
#include "../grid.h"
#include "simt.h"

#define TRACES(X)                                                                                         \
    X(trace1, u8, u8, x, 0, (u8)traced(a, b))                                                             \
    X(narrow12, words3, u8, (u8)x.word[0], 0, (u8)traced(a, b))                                           \
    X(trace8, u32, u64, x *(u64)(i + 1), 0, traced(a, b))                                                 \
    X(trace24, words6, words6, x, no_words6(), trace_words6(a, b))
#define DEFINE_BOTH(NAME, In, T, map, ...)                                                                \
    DEFINE_REDUCE_MAP(NAME, In, T, map, __VA_ARGS__)                                                      \
    DEFINE_TREE(NAME, In, T, map, __VA_ARGS__)
TRACES(DEFINE_BOTH)
DEFINE_REDUCE_AS(sum24, words6, no_words6(), (words6{{a.word[0] + b.word[0], 0, a.word[2] + b.word[2]}}))
DEFINE_REDUCE(u64, prod)
DEFINE_REDUCE(u16, min)
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_ATOMIC(sum24)
DEFINE_REDUCE_ATOMIC(reduce_u64_prod)
DEFINE_REDUCE_ATOMIC(reduce_u16_min)
DEFINE_REDUCE_ATOMIC(reduce_float_sum)

static void expect_empty(const reduce_workspace *ws)
{
    cr_expect(is_empty_workspace(ws), "the workspace is not empty");
}

static unsigned char room[1 << 20];

static size_t element(size_t stripe, int k)
{
    const size_t sizes[] = {0, 1, 33, stripe - 1, 4 * stripe + 37, 9 * stripe + 5};
    return sizes[k];
}
enum { SIZES = 6 };

typedef cudaError_t call_of_any(const void *in, size_t n, void *out, reduce_workspace *ws, cudaStream_t);

#define CHECK_BY(NAME, strategy)                                                                          \
    do {                                                                                                  \
        CHECK(cudaMemset(out, 0x5a, sizeof got));                                                         \
        CHECK(NAME##_##strategy(from, n, out, ws, 0));                                                    \
        from_device(&got, out, sizeof got);                                                               \
        cr_expect(SAME_BITS(got, tree), "%s_%s of %zu at %zu", #NAME, #strategy, n, (size_t)at);          \
        expect_empty(ws);                                                                                 \
    } while (0)

#define CHECK_TRACE(NAME, In, T, ...)                                                                     \
    static void NAME##_check(const unsigned char *device, reduce_workspace *ws)                           \
    {                                                                                                     \
        T got, *out = (T *)device_room(sizeof got, 0);                                                    \
        for (int k = 0; k < SIZES; k++)                                                                   \
            for (size_t at = 0; at < 2; at++) {                                                           \
                const size_t n = element(REDUCE_STRIPE_(sizeof(In)), k);                                  \
                const In *from = (const In *)device + at;                                                 \
                if ((n + at) * sizeof(In) > sizeof room) break;                                           \
                const T tree = NAME##_tree((const In *)room + at, n);                                     \
                CHECK_BY(NAME, async);                                                                    \
                CHECK_BY(NAME, last_block);                                                               \
                CHECK_BY(NAME, two_launch);                                                               \
            }                                                                                             \
        CHECK(cudaFree(out));                                                                             \
    }
TRACES(CHECK_TRACE)

/* Arrays of whole stripes that end where their memory does, which is at the end of a page. */
static void check_ends(reduce_workspace *ws)
{
    u64 *out = (u64 *)device_room(sizeof *out, 0), got;
    for (size_t stripes = 1; stripes <= 5; stripes += 2) {
        const size_t n = stripes * REDUCE_STRIPE_(sizeof(u32)), at = 0;
        const u64 tree = trace8_tree((const u32 *)room, n);
        u32 *from = (u32 *)to_device(room, n * sizeof *from);
        CHECK_BY(trace8, async);
        CHECK(cudaFree(from));
    }
    CHECK(cudaFree(out));
}

/* At every address; loads of 16 bytes are to be at their multiples only. */
static void check_alignments(const unsigned char *device, reduce_workspace *ws)
{
    u8 got, *out = (u8 *)device_room(sizeof got, 0);
    for (size_t at = 0; at < 18; at++) {
        const size_t n = 100;
        const u8 tree = trace1_tree(room + at, n), *from = device + at;
        CHECK_BY(trace1, async);
    }
    CHECK(cudaFree(out));
}

/* Their order does not show in these: the least of few bits, and a NaN, which has one pattern. */
#define CHECK_ATOMICS(NAME, T)                                                                            \
    do {                                                                                                  \
        T got, *out = (T *)device_room(sizeof got, 0);                                                    \
        const T tree = NAME##_cpu((const T *)room, n), *from = (const T *)device;                         \
        CHECK_BY(NAME, atomic_warp);                                                                      \
        CHECK_BY(NAME, atomic_block);                                                                     \
        CHECK_BY(NAME, async);                                                                            \
        CHECK(cudaFree(out));                                                                             \
    } while (0)

static void check_atomics(const unsigned char *device, reduce_workspace *ws)
{
    const size_t n = 35000, at = 0;
    CHECK_ATOMICS(sum24, words6);
    CHECK_ATOMICS(reduce_u64_prod, u64);
    CHECK_ATOMICS(reduce_u16_min, u16);
    CHECK_ATOMICS(reduce_float_sum, float);
}

/* One device is enough for the simple call, and one byte. */
static void check_call(const unsigned char *device)
{
    u8 byte = 0;
    CHECK(trace1(device, 1, &byte));
    cr_expect(byte == room[0], "the simple call of a byte on the device");
    CHECK(trace1(room + 8, 1, &byte));
    cr_expect(byte == room[8], "the simple call of a byte");
    const long before = simt_calls("launch");
    u64 got;
    CHECK(reduce_u64_prod((const u64 *)(void *)room, 100, &got));
    cr_expect(got == reduce_u64_prod_cpu((const u64 *)(void *)room, 100), "the simple call");
    cr_expect(simt_calls("launch") > before, "the simple call stays on the CPU");
}

/* ---- Grids ------------------------------------------------------------------------------------------- */

static __global__ void of_grid(reduce_workspace *ws, u64 *out, u64 *seen)
{
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
    if (!trace8_grid(mixed(block * 64 + thread) | 1, ws, out)) return;
    atomicAdd(seen, *out != 0);
}

DEFINE_FOLDS(trace8_scale, u64, 0, traced)

static void check_grid(dim3 grid, dim3 block, reduce_workspace *ws)
{
    static u64 x[3 * REDUCE_SLOTS];
    const unsigned blocks = grid.x * grid.y * grid.z, threads = block.x * block.y;
    u64 *out = (u64 *)device_room(2 * sizeof *out, 0), got[2];
    for (unsigned k = 0; k < blocks * threads; k++) x[k] = mixed(k / threads * 64 + k % threads) | 1;
    of_grid<<<grid, block>>>(ws, out, out + 1);
    check_launch();
    from_device(got, out, sizeof got);
    cr_expect(got[0] == trace8_scale_of_grid(x, (int)blocks, (int)threads), "a grid of %u blocks of %u", blocks, threads);
    cr_expect(got[1] == threads, "%u threads have seen the result", (unsigned)got[1]);
    expect_empty(ws);
    CHECK(cudaFree(out));
}

/* Values of the greatest size in all slots there are. */
static __host__ __device__ words16 added(words16 a, words16 b)
{
    for (int k = 0; k < 16; k++) a.word[k] += b.word[k];
    return a;
}
DEFINE_REDUCE_AS(sum64, words16, no_words16(), added(a, b))

static __global__ void of_widest(reduce_workspace *ws, words16 *out)
{
    words16 x;
    for (unsigned k = 0; k < 16; k++) x.word[k] = k + blockIdx.x;
    sum64_grid(x, ws, out);
}

static void check_widest(reduce_workspace *ws)
{
    const unsigned blocks = REDUCE_SLOTS + 2;
    cr_expect(REDUCE_SLOTS >= REDUCE_MAX_CHUNKS, "chunks lack slots");
    words16 *out = (words16 *)device_room(sizeof *out, 0), got;
    of_widest<<<blocks, 1>>>(ws, out);
    check_launch();
    from_device(&got, out, sizeof got);
    for (unsigned k = 0; k < 16; k++)
        cr_expect(got.word[k] == blocks * k + blocks * (blocks - 1) / 2, "word %u of the widest sum", k);
    expect_empty(ws);
    CHECK(cudaFree(out));
}

/* More results than a block has threads, here of chunks of one element each. */
#define CHECK_MANY_RESULTS(NAME, T)                                                                       \
    do {                                                                                                  \
        T got, *out = (T *)device_room(sizeof got, 0), expected = NAME##_identity();                      \
        const T *in = (const T *)(const void *)room, *from = (const T *)(const void *)device;             \
        const NAME##_input_ input = {from};                                                               \
        for (int k = 0; k < 150; k++) expected = NAME##_combine(expected, in[k]);                         \
        NAME##_kernel_<<<150, 64>>>(input, 1u, 0u, reduce_meeting_(REDUCE_BY_SLOTS_, 150), ws, out);      \
        check_launch();                                                                                   \
        from_device(&got, out, sizeof got);                                                               \
        cr_expect(SAME_BITS(got, expected), "%s of 150 chunks", #NAME);                                   \
        expect_empty(ws);                                                                                 \
        CHECK(cudaFree(out));                                                                             \
    } while (0)

int main(void)
{
    need_gpu();
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    fill_u64((u64 *)room, sizeof room / 8, 7);
    for (size_t k = 0; k < sizeof room; k += 8) room[k] |= 1;
    unsigned char *device = (unsigned char *)to_device(room, sizeof room);
    trace1_check(device, ws);
    narrow12_check(device, ws);
    trace8_check(device, ws);
    trace24_check(device, ws);
    check_ends(ws);
    check_alignments(device, ws);
    check_atomics(device, ws);
    check_call(device);
    check_grid(dim3(1), dim3(40), ws);
    check_grid(dim3(5, 3, 7), dim3(33), ws);
    check_grid(dim3(3), dim3(2, 5), ws);
    check_grid(dim3(REDUCE_SLOTS / 8, 3, 3), dim3(2), ws);
    check_widest(ws);
    CHECK_MANY_RESULTS(sum64, words16);
    CHECK_MANY_RESULTS(reduce_u64_prod, u64);
    CHECK(cudaFree(device));
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
