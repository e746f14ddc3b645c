/* Correctly rounded sums (reduce_exact.cuh): every executor, for numbers of every kind and in every region of the code, against
   the oracle of exact.h. With a small tree and few blocks, some thousand elements fill several blocks and several portions
   of each. The program has the ways of both kinds of GPUs: sums of doubles and bands; columns alone. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "small_tree.h"

#include "reduce_inputs.cuh"

#define REDUCE_EXACT_BY_DOUBLES_ 1 /* expanded where a NAME is defined */
static unsigned blocks = 5; /* as many are resident */
#define REDUCE_EXACT_BLOCKS_(processors) ((void)(processors), blocks)
#define REDUCE_EXACT_LOW_ 6
#define REDUCE_EXACT_LONE_ 9
#include "reduce_exact.cuh"

#include "check.h"
#include "exact.h"

#ifdef SIMT
#    include "failing.h"
#endif

/* ---- What is summed ------------------------------------------------------------------------------------ */

struct far {
    float none[2], x;
};
struct large {
    double none[5], x;
    u8 more[16];
};
struct bytes3 {
    u8 byte[3];
};
typedef struct far far;
typedef struct large large;
typedef struct bytes3 bytes3;

HELPER_BOTH double of_bytes3(bytes3 x, size_t i)
{
    const double value = (double)(x.byte[0] | x.byte[1] << 8) * (i % 3 == 0 ? 0x1p-1060 : 0x1p900);
    return x.byte[2] % 2 ? -value : value;
}

DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(double)
DEFINE_REDUCE_EXACT_MAP(halves, __half, float, __half2float(x))
DEFINE_REDUCE_EXACT_MAP(bytes, i8, float, (float)x)
DEFINE_REDUCE_EXACT_MAP(fars, far, double, (double)x.x)
DEFINE_REDUCE_EXACT_MAP(mixed_bytes, bytes3, double, of_bytes3(x, i))
DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x * (double)y)
#undef REDUCE_EXACT_BY_DOUBLES_
#define REDUCE_EXACT_BY_DOUBLES_ 0
DEFINE_REDUCE_EXACT_MAP(floats_by_columns, float, float, x)
DEFINE_REDUCE_EXACT_MAP(doubles_by_columns, double, double, x)
DEFINE_REDUCE_EXACT_MAP(brains, __nv_bfloat16, double, (double)__bfloat162float(x))
DEFINE_REDUCE_EXACT_MAP(bytes_by_columns, i8, double, (double)x * 0x1p-1074)
DEFINE_REDUCE_EXACT_MAP(larges, large, double, x.x)
DEFINE_REDUCE_EXACT_ZIP(dot_by_columns, float, float, double, (double)x * (double)y)

/* ---- Its executors ------------------------------------------------------------------------------------- */

enum executor { BY_CPU, BY_ACCUMULATING_CPU, BY_CALL, BY_ASYNC, BY_ACCUMULATING, EXECUTORS };
static const char *const executors[] = {"cpu", "accumulate_cpu", "call", "async", "accumulate_async"};

/* An array of elements in main memory and on the device. */
struct array {
    const void *host, *device;
    size_t n, cut; /* accumulators take both parts of what is cut there */
    void *room;    /* on the device */
    reduce_workspace *ws;
};

/* cudaError_t NAME_run(by, array, T *result) */
#define DEFINE_RUN(NAME, In, T)                                                                              \
    static cudaError_t NAME##_run(enum executor by, const struct array *a, void *result)                     \
    {                                                                                                        \
        const In *const host = (const In *)a->host, *const device = (const In *)a->device;                   \
        struct reduce_exact_##T sum, *const there = (struct reduce_exact_##T *)a->room;                      \
        T x = 77;                                                                                            \
        cudaError_t status = cudaSuccess;                                                                    \
        reduce_exact_##T##_clear(&sum);                                                                      \
        if (by == BY_CPU) x = NAME##_cpu(host, a->n);                                                        \
        if (by == BY_CALL) status = NAME(a->cut % 2 ? host : device, a->n, &x);                              \
        if (by == BY_ASYNC) {                                                                                \
            status = NAME##_async(device, a->n, (T *)a->room, a->ws, 0);                                     \
            from_device(&x, a->room, sizeof x);                                                              \
        }                                                                                                    \
        if (by == BY_ACCUMULATING) {                                                                         \
            CHECK(cudaMemset(there, 0, sizeof *there));                                                      \
            status = NAME##_accumulate_async(device + a->cut, a->n - a->cut, there, a->ws, 0);               \
            if (status == cudaSuccess) status = NAME##_accumulate_async(device, a->cut, there, a->ws, 0);    \
            from_device(&sum, there, sizeof sum);                                                            \
        }                                                                                                    \
        if (by == BY_ACCUMULATING_CPU) {                                                                     \
            NAME##_accumulate_cpu(host, a->cut, &sum);                                                       \
            NAME##_accumulate_cpu(host + a->cut, a->n - a->cut, &sum);                                       \
        }                                                                                                    \
        if (by == BY_ACCUMULATING || by == BY_ACCUMULATING_CPU) x = reduce_exact_##T##_round(&sum);          \
        memcpy(result, &x, sizeof x);                                                                        \
        return status;                                                                                       \
    }                                                                                                        \
    static void NAME##_oracle(const void *in, size_t n, void *result);                                       \
    static const struct subject NAME##_subject = {#NAME, sizeof(In), sizeof(T), NAME##_run, NAME##_oracle};

struct subject {
    const char *name;
    size_t size, result_size;
    cudaError_t (*run)(enum executor by, const struct array *a, void *result);
    void (*oracle)(const void *in, size_t n, void *result);
};

#define DEFINE_SUBJECT(NAME, In, T, EXPR_OF_X)                                                               \
    DEFINE_RUN(NAME, In, T)                                                                                  \
    static SWIFT void NAME##_oracle(const void *in, size_t n, void *result)                                  \
    {                                                                                                        \
        struct oracle sum;                                                                                   \
        oracle_clear(&sum);                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                     \
            In x;                                                                                            \
            memcpy(&x, (const char *)in + i * sizeof x, sizeof x);                                           \
            oracle_add(&sum, (double)(EXPR_OF_X));                                                           \
        }                                                                                                    \
        const T rounded = oracle_##T(&sum);                                                                  \
        memcpy(result, &rounded, sizeof rounded);                                                            \
    }

DEFINE_SUBJECT(reduce_float_exact_sum, float, float, x)
DEFINE_SUBJECT(reduce_double_exact_sum, double, double, x)
DEFINE_SUBJECT(floats_by_columns, float, float, x)
DEFINE_SUBJECT(doubles_by_columns, double, double, x)
DEFINE_SUBJECT(halves, __half, float, __half2float(x))
DEFINE_SUBJECT(brains, __nv_bfloat16, double, __bfloat162float(x))
DEFINE_SUBJECT(bytes, i8, float, x)
DEFINE_SUBJECT(bytes_by_columns, i8, double, x * 0x1p-1074)
DEFINE_SUBJECT(fars, far, double, x.x)
DEFINE_SUBJECT(larges, large, double, x.x)
DEFINE_SUBJECT(mixed_bytes, bytes3, double, of_bytes3(x, i))

static const struct subject *const plain[] = {&reduce_float_exact_sum_subject, &reduce_double_exact_sum_subject,
                                              &floats_by_columns_subject, &doubles_by_columns_subject};
static const struct subject *const maps[] = {&halves_subject, &brains_subject, &bytes_subject, &bytes_by_columns_subject,
                                             &fars_subject, &larges_subject, &mixed_bytes_subject};

/* ---- Arrays -------------------------------------------------------------------------------------------- */

/* Elements that columns take before they are added up, and that sums of doubles take. */
enum {
    PORTION = REDUCE_STRANDS * 64,
    LONG_PORTION = REDUCE_STRANDS * 1024,
    CHUNKS = 5,
    MOST = CHUNKS * 2 * PORTION + 77,
    LONGEST = 2 * LONG_PORTION * CHUNKS + 777,
    ROOM = LONGEST * 8 + 4096
};
static char *host_room, *device_copy;
static void *out_room;
static reduce_workspace *workspace;

static void set_up(void)
{
    need_gpu();
    CHECK(reduce_workspace_create(&workspace));
    host_room = (char *)malloc(ROOM);
    cr_assert(host_room != NULL, "no memory");
    device_copy = (char *)device_room(ROOM, 0x5a);
    out_room = device_room(sizeof(struct reduce_exact_double), 0x5a);
}

static void tear_down(void)
{
    CHECK(cudaFree(device_copy));
    CHECK(cudaFree(out_room));
    CHECK(reduce_workspace_destroy(workspace));
    free(host_room);
}

/* The n elements of host_room, on the device so many elements behind where it is aligned, by every executor. */
static void expect_sum(const struct subject *s, size_t n, size_t off, const char *what, u64 seed)
{
    u64 expected = 0, got;
    void *const device = device_copy + 256 + off * s->size;
    const size_t cut = n == 0 ? 0 : (size_t)mixed(seed + n) % (n + 1);
    const struct array a = {host_room, device, n, cut - cut % 3, out_room, workspace}; /* of an index, maps see that modulo 3 */
    CHECK(cudaMemcpy(device, host_room, n * s->size, cudaMemcpyHostToDevice));
    s->oracle(host_room, n, &expected);
    for (int by = 0; by < EXECUTORS; by++) {
        got = 0;
        CHECK(s->run((enum executor)by, &a, &got));
        cr_expect(got == expected, "%s by %s of %zu, %s (seed %llu), %zu behind: %s, not %s", s->name, executors[by], n, what, seed,
                  off, BITS(got), BITS(expected));
    }
}

static void expect_empty_workspace(const char *after)
{
    cr_expect(is_empty_workspace(workspace), "after %s the workspace is not empty", after);
}

/* A GPU of one processor: one block takes all portions. */
Test(exact, one_block, .init = set_up, .fini = tear_down)
{
    const enum exact_kind each[] = {EXACT_near_, EXACT_rising, EXACT_words, EXACT_cancelling, EXACT_special};
    blocks = 1;
    for (size_t j = 0; j < COUNT(plain); j++)
        for (u64 seed = 0; seed < 60; seed++) {
            const size_t n = PORTION * (2 + seed % 3) + (size_t)seed, size = plain[j]->size;
            if (!is_due((size_t)seed + j)) continue;
            for (size_t at = 0; at < n; at += PORTION)
                exact_fill(host_room + at * size, REDUCE_MIN_((size_t)PORTION, n - at), size, each[mixed(seed + at) % (seed % 4 ? 3 : 5)],
                           at + seed);
            expect_sum(plain[j], n, (size_t)seed % 2, "portions of one block", seed);
        }
    expect_empty_workspace("one block");
}

/* Elements about each threshold: a warp, a block, a chunk, several, a portion, several in each chunk. */
static size_t size_of(size_t k, size_t size)
{
    const size_t positions = REDUCE_POSITIONS(size), stripe = REDUCE_STRANDS * positions, one = REDUCE_SINGLE_ / 2 * stripe;
    const size_t low = REDUCE_EXACT_LOW_ * stripe, lone = REDUCE_EXACT_LONE_ * stripe;
    const size_t sizes[] = {0, 1, 2, 3, 31, 33, 100, 32 * positions, 32 * positions * 2 + 1, stripe, stripe - 1, one, one + 1,
                            one - positions + 1, low, low + 1, lone, lone + 1, CHUNKS * 2 * stripe - 1, CHUNKS * 4 * stripe + 5, PORTION, PORTION + 1, CHUNKS * PORTION - 3,
                            CHUNKS * PORTION + 2 * stripe, MOST};
    return k < COUNT(sizes) ? sizes[k] : SIZE_MAX;
}

Test(exact, numbers_of_every_kind, .init = set_up, .fini = tear_down)
{
    size_t k = 0;
    for (size_t j = 0; j < COUNT(plain); j++)
        for (size_t at = 0; size_of(at, plain[j]->size) != SIZE_MAX; at++)
            for (int kind = 0; kind < EXACT_ALL_KINDS; kind++) {
                const size_t n = size_of(at, plain[j]->size);
                if (!is_due(k++) || (n > 300 && !is_due(k / 7 + at))) continue;
                for (u64 seed = 0; seed < (n > 3 && n < 500 ? 2 : 1); seed++) {
                    exact_fill(host_room, n, plain[j]->size, (enum exact_kind)kind, seed + 10 * k);
                    expect_sum(plain[j], n, (kind + at) % 4 < 2 ? 0 : (kind + at) % 5, exact_kinds[kind], seed + 10 * k);
                }
            }
    expect_empty_workspace("numbers of every kind");
}

/* Exponents about as far apart as sums of doubles can take, in as many numbers, among zeros. */
Test(exact, exponents_about_the_limit, .init = set_up, .fini = tear_down)
{
    const size_t n = CHUNKS * LONG_PORTION;
    for (size_t j = 0; j < 2; j++)
        for (u64 seed = 0; seed < 128; seed++) {
            if (!is_due((size_t)seed) || (share_of_seed() >= 0 && seed / 16 % 2 != j)) continue;
            const size_t size = plain[j]->size;
            memset(host_room, 0, n * size);
            exact_fill(host_room + seed % CHUNKS * LONG_PORTION * size, LONG_PORTION, size, EXACT_limit, seed);
            u64 expected = 0, got = 0;
            const struct array a = {host_room, device_copy, n, 0, out_room, workspace};
            CHECK(cudaMemcpy(device_copy, host_room, n * size, cudaMemcpyHostToDevice));
            plain[j]->oracle(host_room, n, &expected);
            CHECK(plain[j]->run(BY_ASYNC, &a, &got));
            cr_expect(got == expected, "%s, seed %llu: %s, not %s", plain[j]->name, seed, BITS(got), BITS(expected));
        }
}

/* Sums of about as many bits as a block's words hold, by blocks of one warp and of several, and by several blocks. */
Test(exact, bits_about_the_limit, .init = set_up, .fini = tear_down)
{
    size_t k = 0;
    for (size_t j = 0; j < 2; j++)
        for (size_t at = 0; size_of(at, plain[j]->size) != SIZE_MAX; at++)
            for (u64 seed = 0; seed < 24; seed++) {
                const size_t n = size_of(at, plain[j]->size);
                if (!is_due(k++) || (n > 5000 && seed % 3 > 0)) continue;
                exact_fill(host_room, n, plain[j]->size, EXACT_words, 100 * at + seed);
                expect_sum(plain[j], n, seed % 3, exact_kinds[EXACT_words], 100 * at + seed);
            }
}

/* Portions of which each needs another way, with other digits. */
Test(exact, portions_that_differ, .init = set_up, .fini = tear_down)
{
    for (size_t j = 0; j < COUNT(plain); j++)
        for (u64 seed = 0; seed < 12; seed++) {
            if (!is_due((size_t)seed + j)) continue;
            const bool is_long = seed % 4 == j && (share_of_seed() < 0 || seed % 3 == j % 3);
            const size_t n = (is_long ? LONGEST : CHUNKS * 2 * PORTION) - 5 - (size_t)seed, size = plain[j]->size;
            const size_t part = is_long ? LONG_PORTION / 2 : PORTION / 2;
            for (size_t at = 0; at < n; at += part)
                exact_fill(host_room + at * size, REDUCE_MIN_(part, n - at), size, 
                           (enum exact_kind)(mixed(seed + at) % EXACT_ALL_KINDS), at + seed);
            for (size_t i = 0; seed % 3 > 0 && i < n; i++) /* nothing that hides all else */
                if ((exact_get(host_room, exact_type(size), i) >> (size == 4 ? 23 : 52) & (size == 4 ? 255 : 2047)) ==
                    (size == 4 ? 255 : 2047))
                    exact_put(host_room, exact_type(size), i, i);
            expect_sum(plain[j], n, (size_t)seed % 2, "parts of every kind", seed);
        }
    expect_empty_workspace("portions that differ");
}

static void expect_known(const struct subject *s, const char *what, const void *elements, size_t n, const void *sum)
{
    static size_t cases;
    u64 expected = 0, got = 0;
    memcpy(&expected, sum, s->result_size);
    memcpy(host_room, elements, n * s->size);
    s->oracle(host_room, n, &got);
    cr_expect(got == expected, "the oracle, %s: %s, not %s", what, BITS(got), BITS(expected));
    expect_sum(s, n, 1, what, 0);
    if (!is_due(cases++)) return;
    memset(host_room + n * s->size, 0, PORTION * s->size); /* and zeros, in several chunks */
    expect_sum(s, n + PORTION, 0, what, 1);
}

Test(exact, sums_that_are_known, .init = set_up, .fini = tear_down)
{
#define KNOWN_FLOATS(what, sum, ...)                                                                         \
    {                                                                                                        \
        const float elements[] = {__VA_ARGS__}, known = sum;                                                 \
        expect_known(plain[0], what, elements, COUNT(elements), &known);                                     \
        expect_known(plain[2], what, elements, COUNT(elements), &known);                                     \
    }
    EXACT_FLOATS(KNOWN_FLOATS)
#define KNOWN_DOUBLES(what, sum, ...)                                                                        \
    {                                                                                                        \
        const double elements[] = {__VA_ARGS__}, known = sum;                                                \
        expect_known(plain[1], what, elements, COUNT(elements), &known);                                     \
        expect_known(plain[3], what, elements, COUNT(elements), &known);                                     \
    }
    EXACT_DOUBLES(KNOWN_DOUBLES)
}

/* Two that are not finite, each in a chunk, a portion and a thread of its own or of the other's. */
Test(exact, specials_apart, .init = set_up, .fini = tear_down)
{
    const size_t n = CHUNKS * 2 * PORTION, places[] = {0, 1, REDUCE_STRANDS * 4, PORTION, PORTION + 5, 2 * PORTION, 5 * PORTION + 3, n - 1};
    const float values[] = {INFINITY, -INFINITY, NAN};
    for (size_t k = 0; k < COUNT(places) * COUNT(places) * 9; k++) {
        const size_t first = places[k % COUNT(places)], second = places[k / COUNT(places) % COUNT(places)], which = k / 64;
        if (first == second || !is_due(k) || (share_of_seed() >= 0 && k % 5 != 0)) continue;
        exact_fill(host_room, n, 4, k % 2 ? EXACT_near_ : EXACT_zero, k);
        memcpy(host_room + 4 * first, &values[which % 3], 4);
        memcpy(host_room + 4 * second, &values[which / 3], 4);
        expect_sum(plain[k / 2 % 2 * 2], n, 0, "two that are not finite", k);
    }
    for (size_t k = 0; k < 9; k++) { /* in one chunk, but not among what sums of doubles take at a time */
        if (!is_due(k)) continue;
        exact_fill(host_room, LONGEST, 4, EXACT_near_, 2);
        memcpy(host_room + 4 * k, &values[k % 3], 4);
        memcpy(host_room + 4 * (LONG_PORTION + 100 * k), &values[k / 3], 4);
        expect_sum(plain[0], LONGEST, 0, "two that are not finite, far apart", k);
    }
}

/* An array in any order has the sum that it had. */
Test(exact, any_order, .init = set_up, .fini = tear_down)
{
    const enum exact_kind kinds[] = {EXACT_anywhere, EXACT_tied, EXACT_limit, EXACT_near_};
    for (size_t k = 0; k < COUNT(plain) * COUNT(kinds); k++) {
        const struct subject *const s = plain[k / COUNT(kinds)];
        const size_t n = 5000;
        u64 first = 0, got = 0;
        const struct array a = {host_room, device_copy, n, 0, out_room, workspace};
        if (!is_due(k)) continue;
        exact_fill(host_room, n, s->size, kinds[k % COUNT(kinds)], k);
        CHECK(s->run(BY_CPU, &a, &first));
        for (u64 seed = 0; seed < 5; seed++) {
            exact_shuffle(host_room, n, exact_type(s->size), seed);
            CHECK(cudaMemcpy(device_copy, host_room, n * s->size, cudaMemcpyHostToDevice));
            CHECK(s->run(BY_ASYNC, &a, &got));
            cr_expect(got == first, "%s, %s: %s, not %s", s->name, exact_kinds[k % COUNT(kinds)], BITS(got), BITS(first));
        }
    }
}

/* ---- Maps, and two arrays ------------------------------------------------------------------------------ */

/* Elements of any bytes but for numbers in structs, which are of some kind. */
static void fill_elements(const struct subject *s, size_t n, u64 seed)
{
    for (size_t k = 0; k < n * s->size; k++) host_room[k] = (char)mixed(seed + k);
    for (size_t i = 0; i < n && s->size == 2; i++) host_room[2 * i + 1] &= seed % 3 ? (char)0xbb : (char)0xff; /* finite */
    for (size_t i = 0; i < n && s == &fars_subject; i++) {
        const float x = (float)rough(mixed(seed + i), 40);
        memcpy(host_room + i * s->size + offsetof(far, x), &x, sizeof x);
    }
    for (size_t i = 0; i < n && s == &larges_subject; i++) {
        const double x = ldexp(rough(mixed(seed + i), 40), (int)(mixed(i) % 1800) - 900);
        memcpy(host_room + i * s->size + offsetof(large, x), &x, sizeof x);
    }
}

Test(exact, maps, .init = set_up, .fini = tear_down)
{
    size_t k = 0;
    for (size_t j = 0; j < COUNT(maps); j++)
        for (size_t at = 0; size_of(at, maps[j]->size) != SIZE_MAX; at++)
            for (size_t off = 0; off < 3; off++) {
                const size_t n = REDUCE_MIN_(size_of(at, maps[j]->size), ROOM / maps[j]->size - 64);
                if (!is_due(k++ + j)) continue;
                fill_elements(maps[j], n, k);
                expect_sum(maps[j], n, off == 0 ? 0 : (size_t)mixed(k) % 16, "any bytes", k);
            }
    expect_empty_workspace("maps");
}

#define EXPECT_DOT(NAME, n, x, y)                                                                            \
    {                                                                                                        \
        double got[4] = {NAME##_cpu(x, y, n)};                                                               \
        struct reduce_exact_double sum, *const there = (struct reduce_exact_double *)out_room;               \
        reduce_exact_double_clear(&sum);                                                                     \
        NAME##_accumulate_cpu(x, y, n, &sum);                                                                \
        got[1] = reduce_exact_double_round(&sum);                                                            \
        CHECK(NAME##_async(device_##x, device_##y, n, (double *)out_room, workspace, 0));                    \
        from_device(&got[2], out_room, sizeof *got);                                                         \
        CHECK(cudaMemset(there, 0, sizeof *there));                                                          \
        CHECK(NAME##_accumulate_async(device_##x, device_##y, n, there, workspace, 0));                      \
        from_device(&sum, there, sizeof sum);                                                                \
        got[3] = reduce_exact_double_round(&sum);                                                            \
        for (int by = 0; by < 4; by++)                                                                       \
            cr_expect(SAME_BITS(got[by], expected), #NAME " of %zu, way %d: %s, not %s", n, by, BITS(got[by]), BITS(expected)); \
        CHECK(NAME(x, device_##y, n, &got[0]));                                                              \
        cr_expect(SAME_BITS(got[0], expected), #NAME " of %zu: %s, not %s", n, BITS(got[0]), BITS(expected));\
    }

Test(exact, dot_products, .init = set_up, .fini = tear_down)
{
    const enum exact_kind kinds[] = {EXACT_near_, EXACT_anywhere, EXACT_special, EXACT_cancelling};
    for (size_t at = 0; size_of(at, 4) != SIZE_MAX; at++) {
        const size_t n = size_of(at, 4), off = at % 3;
        const float *const x = (const float *)host_room, *const y = x + n + 4;
        const float *const device_x = (const float *)device_copy + off, *const device_y = device_x + n + 4;
        struct oracle sum;
        if (!is_due(at)) continue;
        oracle_clear(&sum);
        exact_fill(host_room, n, 4, kinds[at % 4], at);
        exact_fill(host_room + (n + 4) * 4, n, 4, at % 3 == 0 ? EXACT_anywhere : EXACT_near_, at + 1);
        CHECK(cudaMemcpy(device_copy + 4 * off, host_room, (2 * n + 4) * 4, cudaMemcpyHostToDevice));
        for (size_t i = 0; i < n; i++) oracle_add(&sum, (double)x[i] * (double)y[i]);
        const double expected = oracle_double(&sum);
        EXPECT_DOT(dot, n, x, y)
        EXPECT_DOT(dot_by_columns, n, x, y)
    }
    expect_empty_workspace("dot products");
}

/* ---- In a block ---------------------------------------------------------------------------------------- */

/* Each thread's results: of its number, twice at once, and of the other type between them. */
static __global__ void in_blocks(const float *floats, const double *doubles, size_t n, float *of_floats, double *of_doubles)
{
    const size_t threads = (size_t)blockDim.x * blockDim.y * blockDim.z;
    const size_t at = ((size_t)threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const size_t i = at % n;
    of_floats[at] = reduce_float_exact_sum_block(floats[i]);
    of_floats[threads + at] = reduce_float_exact_sum_block(-floats[threads - 1 - at]);
    of_doubles[at] = doubles_by_columns_block(doubles[i]);
    of_doubles[threads + at] = reduce_double_exact_sum_block(at % 2 ? doubles[i] : -0.0);
}

static void expect_block(dim3 shape, enum exact_kind kind, u64 seed)
{
    enum { MOST_THREADS = 1024 };
    static float floats[MOST_THREADS], got_floats[2 * MOST_THREADS], turned[MOST_THREADS];
    static double doubles[MOST_THREADS], got_doubles[2 * MOST_THREADS], half[MOST_THREADS];
    const size_t n = (size_t)shape.x * shape.y * shape.z;
    const float *const device_floats = (const float *)device_copy;
    const double *const device_doubles = (const double *)(device_copy + 4096);
    float *const out_floats = (float *)(device_copy + 16384);
    double *const out_doubles = (double *)(device_copy + 32768);
    exact_fill(floats, n, 4, kind, seed);
    exact_fill(doubles, n, 8, kind, seed);
    for (size_t i = 0; i < n; i++) turned[i] = -floats[i], half[i] = i % 2 ? doubles[i] : -0.0;
    CHECK(cudaMemcpy(device_copy, floats, n * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_copy + 4096, doubles, n * 8, cudaMemcpyHostToDevice));
    in_blocks<<<1, shape>>>(device_floats, device_doubles, n, out_floats, out_doubles);
    check_launch();
    from_device(got_floats, out_floats, 2 * n * sizeof *got_floats);
    from_device(got_doubles, out_doubles, 2 * n * sizeof *got_doubles);
    const float of_floats[2] = {exact_float(floats, n), exact_float(turned, n)};
    const double of_doubles[2] = {exact_double(doubles, n), exact_double(half, n)};
    for (size_t i = 0; i < 2 * n; i++) {
        cr_expect(SAME_BITS(got_floats[i], of_floats[i / n]), "block of (%u, %u, %u) floats, %s (seed %llu), result %zu: %s, not %s",
                  shape.x, shape.y, shape.z, exact_kinds[kind], seed, i, BITS(got_floats[i]), BITS(of_floats[i / n]));
        cr_expect(SAME_BITS(got_doubles[i], of_doubles[i / n]), "block of (%u, %u, %u) doubles, %s (seed %llu), result %zu: %s, not %s",
                  shape.x, shape.y, shape.z, exact_kinds[kind], seed, i, BITS(got_doubles[i]), BITS(of_doubles[i / n]));
    }
}

Test(exact, blocks_of_any_shape, .init = set_up, .fini = tear_down)
{
    static const unsigned shapes[][3] = {{1, 1, 1},  {2, 1, 1}, {31, 1, 1}, {32, 1, 1},   {33, 1, 1},  {1, 5, 1},   {3, 5, 7},
                                         {64, 1, 1}, {8, 8, 2}, {1, 1, 63}, {1000, 1, 1}, {1024, 1, 1}, {16, 16, 4}, {5, 199, 1}};
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (int kind = 0; kind < EXACT_ALL_KINDS; kind++)
            if (is_due(k * EXACT_ALL_KINDS + (size_t)kind))
                expect_block(dim3(shapes[k][0], shapes[k][1], shapes[k][2]), (enum exact_kind)kind, k + (u64)kind);
}

/* ---- Accumulators -------------------------------------------------------------------------------------- */

/* One thread adds each half of an array to its accumulator, and merges them; and rounds. */
#define ON_DEVICE(T)                                                                                         \
    static __global__ void T##_on_device(const T *in, size_t n, struct reduce_exact_##T *sums, T *out)       \
    {                                                                                                        \
        reduce_exact_##T##_clear(&sums[0]);                                                                  \
        reduce_exact_##T##_clear(&sums[1]);                                                                  \
        for (size_t i = 0; i < n; i++) reduce_exact_##T##_add(&sums[i % 2], in[i]);                          \
        reduce_exact_##T##_merge(&sums[0], &sums[1]);                                                        \
        *out = reduce_exact_##T##_round(&sums[0]);                                                           \
    }                                                                                                        \
    static void T##_expect_on_device(size_t n, enum exact_kind kind, u64 seed)                               \
    {                                                                                                        \
        const T *const in = (const T *)host_room;                                                            \
        struct reduce_exact_##T sums[2], sum, *const there = (struct reduce_exact_##T *)(device_copy + 65536); \
        T got;                                                                                               \
        exact_fill(host_room, n, sizeof(T), kind, seed);                                                     \
        CHECK(cudaMemcpy(device_copy, host_room, n * sizeof(T), cudaMemcpyHostToDevice));                    \
        CHECK(cudaMemset(there, 0x5a, 2 * sizeof *there));                                                   \
        T##_on_device<<<1, 1>>>((const T *)device_copy, n, there, (T *)out_room);                            \
        check_launch();                                                                                      \
        from_device(&got, out_room, sizeof got);                                                             \
        from_device(&sum, there, sizeof sum);                                                                \
        const T expected = exact_##T(in, n);                                                                 \
        cr_expect(SAME_BITS(got, expected), #T "s on the device, %s (seed %llu): %s, not %s", exact_kinds[kind], seed, BITS(got), \
                  BITS(expected));                                                                           \
        memset(sums, 0, sizeof sums);                                                                        \
        for (size_t i = 0; i < n; i++) reduce_exact_##T##_add(&sums[i % 2], in[i]);                          \
        reduce_exact_##T##_merge(&sums[0], &sums[1]);                                                        \
        cr_expect(memcmp(&sum, &sums[0], sizeof sum) == 0, #T "s, %s: the words differ", exact_kinds[kind]); \
    }
ON_DEVICE(float)
ON_DEVICE(double)

Test(exact, accumulators_on_the_device, .init = set_up, .fini = tear_down)
{
    for (int kind = 0; kind < EXACT_ALL_KINDS; kind++)
        for (u64 seed = 0; seed < 3; seed++) {
            float_expect_on_device(3 + 40 * (size_t)kind, (enum exact_kind)kind, seed);
            double_expect_on_device(3 + 40 * (size_t)kind, (enum exact_kind)kind, seed);
        }
}

/* Accumulators of device calls can be merged as integers, 16,384 times, and calls can add to the sum again. */
#define EXPECT_MERGED(T, NAME, value, calls)                                                                 \
    {                                                                                                        \
        struct reduce_exact_##T sum, *const there = (struct reduce_exact_##T *)out_room;                     \
        struct oracle oracle;                                                                                \
        const size_t n = 700;                                                                                \
        oracle_clear(&oracle);                                                                               \
        for (size_t i = 0; i < n; i++) {                                                                     \
            ((T *)host_room)[i] = (value);                                                                   \
            for (int k = 0; k < calls; k++) oracle_add_doubled(&oracle, (double)(value), 14);                \
        }                                                                                                    \
        CHECK(cudaMemcpy(device_copy, host_room, n * sizeof(T), cudaMemcpyHostToDevice));                    \
        CHECK(cudaMemset(there, 0, sizeof *there));                                                          \
        for (int k = 0; k < calls; k++) CHECK(NAME##_accumulate_async((T *)device_copy, n, there, workspace, 0)); \
        from_device(&sum, there, sizeof sum);                                                                \
        for (size_t k = 0; k < sizeof sum / 8; k++) ((int64_t *)&sum)[k] *= 16384;                           \
        CHECK(cudaMemcpy(there, &sum, sizeof sum, cudaMemcpyHostToDevice));                                  \
        const T first = reduce_exact_##T##_round(&sum), of_first = oracle_##T(&oracle);                      \
        cr_expect(SAME_BITS(first, of_first), #NAME " of " #value ": %s, not %s", BITS(first), BITS(of_first)); \
        CHECK(NAME##_accumulate_async((T *)device_copy, n, there, workspace, 0));                            \
        for (size_t i = 0; i < n; i++) oracle_add(&oracle, (double)(value));                                 \
        from_device(&sum, there, sizeof sum);                                                                \
        const T second = reduce_exact_##T##_round(&sum), of_second = oracle_##T(&oracle);                    \
        cr_expect(SAME_BITS(second, of_second), #NAME " of " #value ", and more: %s, not %s", BITS(second), BITS(of_second)); \
    }

Test(exact, accumulators_of_many_calls, .init = set_up, .fini = tear_down)
{
    EXPECT_MERGED(float, reduce_float_exact_sum, -0x1.fffffep8f, 3)
    EXPECT_MERGED(float, reduce_float_exact_sum, 0x1.fffffep100f, 1)
    EXPECT_MERGED(float, floats_by_columns, -0x1p-149f, 5)
    EXPECT_MERGED(double, reduce_double_exact_sum, -0x1.fffffffffffffp-11, 3)
    EXPECT_MERGED(double, doubles_by_columns, 0x1.fffffffffffffp990, 2)
    EXPECT_MERGED(double, doubles_by_columns, (i & 1) ? -0x1p-1074 : 0x1p-1073, 2)
}

/* Calls leave an accumulator of which 16,384 can be added as integers: no digit is beyond 2^32 times the word
   pending. */
#define EXPECT_BOUNDED(T, NAME, DIGITS)                                                                      \
    for (u64 seed = 0; seed < 4; seed++) {                                                                   \
        const size_t n = CHUNKS * 2 * PORTION;                                                               \
        struct reduce_exact_##T sum, *const there = (struct reduce_exact_##T *)out_room;                     \
        const T least = -(T)(sizeof(T) == 4 ? 0x1p-149 : 0x1p-1074);                                         \
        if (seed < 2) exact_fill(host_room, n, sizeof(T), seed == 0 ? EXACT_full : EXACT_near_, seed);       \
        for (size_t i = 0; seed >= 2 && i < n; i++) memcpy(host_room + i * sizeof(T), &least, sizeof(T));    \
        CHECK(cudaMemcpy(device_copy, host_room, n * sizeof(T), cudaMemcpyHostToDevice));                    \
        CHECK(cudaMemset(there, 0, sizeof *there));                                                          \
        reduce_exact_##T##_clear(&sum);                                                                      \
        for (int calls = 0; calls < 3; calls++) {                                                            \
            if (seed == 3) NAME##_accumulate_cpu((T *)host_room, n, &sum);                                   \
            else CHECK(NAME##_accumulate_async((T *)device_copy, n, there, workspace, 0));                   \
            if (seed != 3) from_device(&sum, there, sizeof sum);                                             \
            const int64_t pending = sum.words_[DIGITS + REDUCE_EXACT_PENDING_];                              \
            cr_expect(pending > 0 && pending <= 65536, #NAME ": %lld pending", (i64)pending);                \
            for (int k = 0; k < DIGITS; k++)                                                                 \
                cr_expect(llabs(sum.words_[k]) >> 32 <= pending, #NAME ": digit %d is %llx, with %lld pending", k, \
                          (u64)sum.words_[k], (i64)pending);                                                 \
        }                                                                                                    \
    }

Test(exact, accumulators_are_bounded, .init = set_up, .fini = tear_down)
{
    EXPECT_BOUNDED(float, reduce_float_exact_sum, REDUCE_EXACT_FLOAT_)
    EXPECT_BOUNDED(float, floats_by_columns, REDUCE_EXACT_FLOAT_)
    EXPECT_BOUNDED(double, reduce_double_exact_sum, REDUCE_EXACT_DOUBLE_)
    EXPECT_BOUNDED(double, doubles_by_columns, REDUCE_EXACT_DOUBLE_)
}

#ifndef SIMT
/* More elements than 32 bits can count, of which some chunks begin beyond: a map is told their places. */
DEFINE_REDUCE_EXACT_MAP(marked, u8, double, (double)x * (double)i)

static const size_t marks[] = {5, ((size_t)1 << 31) + 2, ((size_t)1 << 32) - 1, ((size_t)1 << 32) + 1,
                               ((size_t)1 << 32) + 4000, ((size_t)1 << 32) + ((size_t)3 << 22)};

Test(exact, elements_beyond_32_bits, .init = set_up, .fini = tear_down, .timeout = 240)
{
    const size_t n = ((size_t)1 << 32) + ((size_t)1 << 24) + 4099;
    const u8 mark = 3;
    double got, sum = 0;
    float got_float, *floats = NULL;
    if (cudaMalloc((void **)&floats, n * sizeof *floats) != cudaSuccess) cr_skip_test("too little memory for 2^32 elements");
    u8 *const in = (u8 *)floats;
    CHECK(cudaMemset(floats, 0, n * sizeof *floats));
    for (size_t k = 0; k < COUNT(marks); k++) {
        CHECK(cudaMemcpy(in + marks[k], &mark, 1, cudaMemcpyHostToDevice));
        sum += (double)mark * (double)marks[k];
    }
    CHECK(marked_async(in, n, (double *)out_room, workspace, 0));
    from_device(&got, out_room, sizeof got);
    cr_expect(got == sum, "a map: %s, not %s", BITS(got), BITS(sum));
    CHECK(cudaMemset(floats, 0, n));
    for (size_t k = 0; k < COUNT(marks); k++) {
        const float one_bit = (float)(1 << k);
        CHECK(cudaMemcpy(floats + marks[k], &one_bit, sizeof one_bit, cudaMemcpyHostToDevice));
    }
    CHECK(reduce_float_exact_sum_async(floats, n, (float *)out_room, workspace, 0));
    from_device(&got_float, out_room, sizeof got_float);
    cr_expect(got_float == (float)((1 << COUNT(marks)) - 1), "floats: %s", BITS(got_float));
    CHECK(cudaFree(floats));
}
#endif

/* ---- Workspaces, streams, graphs ----------------------------------------------------------------------- */

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_AS(trace, u64, 0, traced(a, b))

/* One workspace serves one after the other, of every NAME. */
Test(exact, share_a_workspace, .init = set_up, .fini = tear_down)
{
    const size_t n = CHUNKS * PORTION;
    const float *const in = (const float *)device_copy;
    exact_fill(host_room, n, 4, EXACT_near_, 3);
    CHECK(cudaMemcpy(device_copy, host_room, n * 4, cudaMemcpyHostToDevice));
    const float expected = exact_float((const float *)host_room, n), plain_sum = reduce_float_sum_cpu((const float *)host_room, n);
    const u64 traced_cpu = trace_cpu((const u64 *)host_room, n / 2);
    for (int k = 0; k < 3; k++) {
        float got[4];
        double wide;
        u64 trace_got;
        CHECK(reduce_float_exact_sum_async(in, n, (float *)out_room, workspace, 0));
        from_device(&got[0], out_room, 4);
        CHECK(reduce_float_sum_async(in, n, (float *)out_room, workspace, 0));
        from_device(&got[1], out_room, 4);
        CHECK(dot_async(in, in, 5000, (double *)out_room, workspace, 0));
        from_device(&wide, out_room, 8);
        CHECK(trace_async((const u64 *)in, n / 2, (u64 *)out_room, workspace, 0));
        from_device(&trace_got, out_room, 8);
        CHECK(floats_by_columns_async(in, n, (float *)out_room, workspace, 0));
        from_device(&got[2], out_room, 4);
        cr_expect(SAME_BITS(got[0], expected) && SAME_BITS(got[2], expected), "%s, %s, not %s", BITS(got[0]), BITS(got[2]), BITS(expected));
        cr_expect(SAME_BITS(got[1], plain_sum) && trace_got == traced_cpu, "%s, %s", BITS(got[1]), BITS(trace_got));
        cr_expect(wide == dot_cpu((const float *)host_room, (const float *)host_room, 5000), "%g", wide);
        expect_empty_workspace("each of them");
    }
}

/* Two calls in a graph, which runs again with other elements. */
Test(exact, are_captured, .init = set_up, .fini = tear_down)
{
    enum { N = 3000 };
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    double *const in = (double *)device_copy, got, *const out = (double *)out_room;
    struct reduce_exact_double *const to = (struct reduce_exact_double *)(device_copy + 8 * N + 4096), sum;
    struct oracle oracle;
    oracle_clear(&oracle);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemset(to, 0, sizeof *to));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(reduce_double_exact_sum_async(in, N, out, workspace, stream));
    CHECK(reduce_double_exact_sum_accumulate_async(in, N - 1, to, workspace, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (u64 seed = 0; seed < 4; seed++) {
        exact_fill(host_room, N, 8, seed == 1 ? EXACT_limit : EXACT_anywhere, seed);
        CHECK(cudaMemcpy(in, host_room, N * 8, cudaMemcpyHostToDevice));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (size_t i = 0; i < N - 1; i++) oracle_add(&oracle, ((double *)host_room)[i]);
        const double expected = exact_double((double *)host_room, N), all = oracle_double(&oracle);
        from_device(&got, out, sizeof got);
        from_device(&sum, to, sizeof sum);
        const double of_sum = reduce_exact_double_round(&sum);
        cr_expect(SAME_BITS(got, expected), "replay %llu: %s, not %s", seed, BITS(got), BITS(expected));
        cr_expect(SAME_BITS(of_sum, all), "replay %llu: %s so far, not %s", seed, BITS(of_sum), BITS(all));
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

Test(exact, run_in_several_streams, .init = set_up, .fini = tear_down)
{
    enum { STREAMS = 3, N = 9000 };
    cudaStream_t stream[STREAMS];
    reduce_workspace *ws[STREAMS];
    double got[STREAMS], *const out = (double *)out_room;
    for (int k = 0; k < STREAMS; k++) {
        CHECK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
        CHECK(reduce_workspace_create(&ws[k]));
#ifdef SIMT
        cr_assert(simt_serves_one(ws[k]) == 0, "no such workspace");
#endif
    }
    exact_fill(host_room, STREAMS * N, 8, EXACT_anywhere, 9);
    CHECK(cudaMemcpy(device_copy, host_room, STREAMS * N * 8, cudaMemcpyHostToDevice));
    for (int again = 0; again < 3; again++)
        for (int k = 0; k < STREAMS; k++) {
            const double *const in = (const double *)device_copy + (size_t)k * N;
            CHECK((again == 1 ? doubles_by_columns_async : reduce_double_exact_sum_async)(in, N, out + k, ws[k], stream[k]));
        }
    CHECK(cudaDeviceSynchronize());
    from_device(got, out, sizeof got);
    for (int k = 0; k < STREAMS; k++) {
        const double expected = exact_double((double *)host_room + k * N, N);
        cr_expect(SAME_BITS(got[k], expected), "stream %d: %s, not %s", k, BITS(got[k]), BITS(expected));
        CHECK(reduce_workspace_destroy(ws[k]));
        CHECK(cudaStreamDestroy(stream[k]));
    }
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

#define REFUSED(error, call)                                                                                 \
    do {                                                                                                     \
        const cudaError_t status_of_call = (call);                                                           \
        cr_expect(status_of_call == (error), "%s: %s, not %s", #call, cudaGetErrorName(status_of_call), cudaGetErrorName(error)); \
        cr_expect(memcmp(room, before, sizeof before) == 0, "%s has changed memory", #call);                 \
        cr_expect(cudaPeekAtLastError() == cudaSuccess, "%s: an error stays behind", #call);                 \
    } while (0)

/* Nothing is launched, so that main memory serves. */
Test(exact, refuse, .init = set_up, .fini = tear_down)
{
    static double room[400], before[400];
    const cudaError_t invalid = cudaErrorInvalidValue, misaligned = cudaErrorMisalignedAddress;
    double *const in = room, *const out = room + 200, *const askew = (double *)(void *)((char *)room + 4);
    float *const first = (float *)room, *const second = (float *)(room + 100);
    struct reduce_exact_double *const to = (struct reduce_exact_double *)(room + 300);
    reduce_workspace *const ws = workspace;
    for (size_t i = 0; i < COUNT(room); i++) room[i] = (double)i;
    memcpy(before, room, sizeof before);
    cr_assert(REDUCE_MAX_ELEMENTS < SIZE_MAX / 8, "no room for too many elements");
    REFUSED(invalid, reduce_double_exact_sum(NULL, 1, out));
    REFUSED(invalid, reduce_double_exact_sum(in, 9, NULL));
    REFUSED(invalid, reduce_double_exact_sum(in, SIZE_MAX / 4, out));
    REFUSED(invalid, reduce_double_exact_sum(in, REDUCE_MAX_ELEMENTS + 1, out));
    REFUSED(misaligned, reduce_double_exact_sum(askew, 1, out));
    REFUSED(misaligned, reduce_double_exact_sum(in, 1, askew + 100));
    REFUSED(invalid, reduce_double_exact_sum(in, 9, in + 8));
    REFUSED(invalid, reduce_double_exact_sum_async(NULL, 1, out, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_async(in, 9, NULL, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_async(in, 9, out, NULL, 0));
    REFUSED(invalid, reduce_double_exact_sum_async(in, SIZE_MAX, out, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_async(in, SIZE_MAX / 8, out, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_async(in, REDUCE_MAX_ELEMENTS + 1, out, ws, 0));
    REFUSED(misaligned, reduce_double_exact_sum_async(askew, 1, out, ws, 0));
    REFUSED(misaligned, reduce_double_exact_sum_async(in, 1, askew + 100, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_async(in, 9, in, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_async(in, 9, in + 8, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_accumulate_async(NULL, 1, to, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_accumulate_async(in, 9, NULL, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_accumulate_async(in, 0, NULL, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_accumulate_async(in, 9, to, NULL, 0));
    REFUSED(invalid, reduce_double_exact_sum_accumulate_async(in, REDUCE_MAX_ELEMENTS + 1, to, ws, 0));
    REFUSED(misaligned, reduce_double_exact_sum_accumulate_async(askew, 1, to, ws, 0));
    REFUSED(misaligned, reduce_double_exact_sum_accumulate_async(in, 1, (struct reduce_exact_double *)(void *)(askew + 200), ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_accumulate_async(in, 301, to, ws, 0));
    REFUSED(invalid, reduce_double_exact_sum_accumulate_async((double *)to + sizeof *to / 8 - 1, 1, to, ws, 0));
    REFUSED(invalid, dot(NULL, second, 1, out));
    REFUSED(invalid, dot(first, NULL, 1, out));
    REFUSED(invalid, dot_async(first, NULL, 1, out, ws, 0));
    REFUSED(invalid, dot_async(first, second, 9, in + 4, ws, 0));
    REFUSED(invalid, dot_async(first, second, 9, in + 104, ws, 0));
    REFUSED(invalid, dot_accumulate_async(first, second, 9, (struct reduce_exact_double *)(in + 104), ws, 0));
    expect_empty_workspace("what was refused");
}

/* No elements: pointers may be null, and the sum is +0, or what was there. */
Test(exact, of_nothing, .init = set_up, .fini = tear_down)
{
    const float *const none = NULL;
    struct reduce_exact_float sum, *const there = (struct reduce_exact_float *)out_room;
    const float zero = 0;
    const double wide_zero = 0;
    float got[3] = {5, 5, 5};
    double wide = 5;
    CHECK(reduce_float_exact_sum(none, 0, &got[0]));
    CHECK(reduce_float_exact_sum_async(none, 0, (float *)out_room, workspace, 0));
    from_device(&got[1], out_room, sizeof *got);
    got[2] = reduce_float_exact_sum_cpu(none, 0);
    cr_expect(SAME_BITS(got[0], zero) && SAME_BITS(got[1], zero) && SAME_BITS(got[2], zero), "%g, %g, %g", (double)got[0],
              (double)got[1], (double)got[2]);
    CHECK(floats_by_columns_async(none, 0, (float *)out_room, workspace, 0));
    from_device(&got[0], out_room, sizeof *got);
    cr_expect(SAME_BITS(got[0], zero), "by columns: %g", (double)got[0]);
    CHECK(dot_by_columns_async(none, none, 0, (double *)out_room, workspace, 0));
    from_device(&wide, out_room, sizeof wide);
    cr_expect(SAME_BITS(wide, wide_zero), "two arrays by columns: %g", wide);
    reduce_exact_float_clear(&sum);
    reduce_exact_float_add(&sum, 2.5f);
    reduce_float_exact_sum_accumulate_cpu(none, 0, &sum);
    CHECK(cudaMemcpy(there, &sum, sizeof sum, cudaMemcpyHostToDevice));
    CHECK(reduce_float_exact_sum_accumulate_async(none, 0, there, workspace, 0));
    from_device(&sum, there, sizeof sum);
    cr_expect(reduce_exact_float_round(&sum) == 2.5f);
}

/* The simple call copies an array in main memory: CUDA refuses one that is pinned in part. */
Test(exact, refuse_what_is_pinned_in_part, .init = set_up, .fini = tear_down)
{
    enum { BYTES = 131072 };
    double *const array = (double *)half_pinned(BYTES), got = 5;
    const cudaError_t status = reduce_double_exact_sum(array, BYTES / sizeof *array, &got);
    cr_expect(status == cudaErrorInvalidValue && got == 5, "%s, %g", cudaGetErrorName(status), got);
    (void)cudaGetLastError(); /* of the copy */
    free_half_pinned(array);
}

static void hide_gpus(void)
{
    setenv("SIMT_DEVICES", "0", 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
}

Test(exact, run_on_the_cpu_without_a_gpu, .init = hide_gpus)
{
    static double in[5000];
    double got = 5;
    exact_fill(in, COUNT(in), 8, EXACT_anywhere, 1);
    CHECK(reduce_double_exact_sum(in, COUNT(in), &got));
    cr_expect(got == exact_double(in, COUNT(in)), "%s", BITS(got));
    got = 5;
    cr_expect(reduce_double_exact_sum(NULL, 3, &got) == cudaErrorInvalidValue && got == 5, "a null pointer is refused");
}

#ifdef SIMT
enum { FEW = 3000 };

static cudaError_t a_simple_call(const struct attempt *self, void *got)
{
    return reduce_double_exact_sum((const double *)self->in, FEW, (double *)got);
}

/* Adds to an accumulator of 1. */
static cudaError_t an_accumulation(const struct attempt *self, void *got)
{
    struct reduce_exact_double *const to = (struct reduce_exact_double *)(device_copy + 8 * FEW + 4096), sum, before;
    memset(&before, 0, sizeof before);
    reduce_exact_double_add(&before, 1);
    CHECK(cudaMemcpy(to, &before, sizeof before, cudaMemcpyHostToDevice));
    const cudaError_t status = reduce_double_exact_sum_accumulate_async((const double *)self->in, FEW, to, workspace, 0);
    from_device(&sum, to, sizeof sum);
    const double rounded = reduce_exact_double_round(&sum);
    if (status == cudaSuccess) memcpy(got, &rounded, sizeof rounded);
    else cr_expect(memcmp(&sum, &before, sizeof sum) == 0, "the accumulator is changed");
    return status;
}

Test(exact, survive_failing_calls, .init = set_up, .fini = tear_down)
{
    static const char *const kinds[] = {"launch", "malloc", "memset", "memcpy", "free", "device"};
    double *const in = (double *)host_room;
    exact_fill(host_room, FEW, 8, EXACT_anywhere, 4);
    CHECK(cudaMemcpy(device_copy, in, FEW * sizeof *in, cudaMemcpyHostToDevice));
    const double expected = exact_double(in, FEW);
    in[FEW] = 1;
    const double with_one = exact_double(in, FEW + 1);
    const struct attempt simple = {"the simple call", a_simple_call, in, &expected, sizeof expected, 0, false, false};
    const struct attempt accumulates = {"an accumulation", an_accumulation, device_copy, &with_one, sizeof with_one,
                                        0, false, false};
    expect_clean_failures(&accumulates, "launch", 1);
    expect_clean_failures(&accumulates, "device", 2);
    for (size_t k = 0; k < COUNT(kinds); k++) expect_clean_failures(&simple, kinds[k], 1);
}

/* The asynchronous calls make one launch. Before that, those of more than one chunk ask for the number of SMs. */
Test(exact, are_one_launch, .init = set_up, .fini = tear_down)
{
    const long launches = simt_calls("launch");
    long before[COUNT(other_kinds)];
    for (size_t k = 0; k < COUNT(other_kinds); k++) before[k] = simt_calls(other_kinds[k]);
    CHECK(cudaMemsetAsync(device_copy, 0, 65536, 0));
    CHECK(reduce_float_exact_sum_async((float *)device_copy, 100, (float *)out_room, workspace, 0));
    CHECK(reduce_float_exact_sum_async((float *)device_copy, 9000, (float *)out_room, workspace, 0));
    CHECK(reduce_float_exact_sum_accumulate_async((float *)device_copy, 9000, (struct reduce_exact_float *)out_room, workspace, 0));
    cr_expect(simt_calls("launch") - launches == 3, "%ld launches", simt_calls("launch") - launches);
    for (size_t k = 0; k < COUNT(other_kinds); k++) {
        const long expected = strcmp(other_kinds[k], "memset") == 0 ? 1 : strcmp(other_kinds[k], "device") == 0 ? 4 : 0;
        const long calls = simt_calls(other_kinds[k]) - before[k];
        cr_expect(calls == expected, "%ld calls of %s", calls, other_kinds[k]);
    }
}
#endif
