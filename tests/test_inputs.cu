/* Two arrays, an array with a context, and both: every executor in every region of the code, with a small tree (regions.h);
   each array at an address of its own; what is refused; and the simple call, wherever the arrays are. */
#define SHARE_WHOLE
#include "share.h"

#include "small_tree.h"

#include "reduce_inputs.cuh"

#include "regions.h"

#ifdef SIMT
#    include "failing.h"
#endif

/* ---- What is reduced ----------------------------------------------------------------------------------- */

struct bytes3 {
    u8 word[3];
};
typedef struct bytes3 bytes3;

HELPER_BOTH SWIFT u64 bits_of_float(float x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
HELPER_BOTH SWIFT u64 bits_of_double(double x)
{
    u64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
HELPER_BOTH SWIFT u64 bits_of_words3(words3 x)
{
    return mixed(mixed(x.word[0]) + x.word[1]) + x.word[2];
}
HELPER_BOTH SWIFT u64 bits_of_words16(words16 x)
{
    u64 bits = 0;
    for (int k = 0; k < 16; k++) bits = mixed(bits + x.word[k]);
    return bits;
}
HELPER_BOTH SWIFT u64 bits_of_bytes3(bytes3 x)
{
    return x.word[0] | (u64)x.word[1] << 8 | (u64)x.word[2] << 16;
}

/* Never 0, which is traced()'s identity; another value for another x, y or i. */
HELPER_BOTH SWIFT u64 paired(u64 x, u64 y, u64 i)
{
    return mixed(mixed(x) + 3 * mixed(y + 1) + 7 * i) | 1;
}

/* A struct with all that a context may hold, and one of the largest size. */
struct salted {
    const u64 *table;
    u64 salt;
};
struct many {
    u32 word[16];
};
typedef struct salted salted;
typedef struct many many;
typedef const u64 *table;

/* X(NAME, X, Y, the larger of them, T, EXPR_OF_X_Y, IDENTITY, EXPR_OF_A_B). The loads of a strand's positions are of 16
   bytes and of 16, 8, 4, 2 or 1, or there are none. */
#define TRACED_ZIPS(X)                                                                                       \
    X(i8_double, i8, double, double, u64, paired((u8)x, bits_of_double(y), i), 0, traced(a, b))              \
    X(double_i8, double, i8, double, u64, paired(bits_of_double(x), (u8)y, i), 0, traced(a, b))              \
    X(half_float, u16, float, float, u32, (u32)paired(x, bits_of_float(y), i), 0, (u32)traced(a, b))         \
    X(float_float, float, float, float, u64, paired(bits_of_float(x), bits_of_float(y), i), 0, traced(a, b)) \
    X(float_i8, float, i8, float, u64, paired(bits_of_float(x), (u8)y, i), 0, traced(a, b))                  \
    X(words3_u8, words3, u8, words3, u64, paired(bits_of_words3(x), y, i), 0, traced(a, b))                  \
    X(u8_u8, u8, u8, u8, u16, (u16)paired(x, y, i), 0, (u16)traced(a, b))                                    \
    X(bytes3_u8, bytes3, u8, bytes3, u64, paired(bits_of_bytes3(x), y, i), 0, traced(a, b))                  \
    X(words3_words16, words3, words16, words16, u64, paired(bits_of_words3(x), bits_of_words16(y), i), 0, traced(a, b))\
    X(u8_words16, u8, words16, words16, words3, words_of(x, bits_of_words16(y), i), no_words3(), trace_words3(a, b))
#define ROUNDED_ZIPS(X)                                                                                      \
    X(dot, float, float, float, float, x *y, 0, a + b)                                                       \
    X(dot_doubles, double, float, double, double, x *y, REDUCE_IDENTITY_sum(double), REDUCE_COMBINE_sum(double, a, b))
#define EXACT_ZIPS(X)                                                                                        \
    X(sum_int_i8, int, i8, int, int, (int)((u32)x * (u32)y + (u32)i), REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int, a, b))\
    X(sum_i8_i8, i8, i8, i8, int, x *y, REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int, a, b))             \
    X(most_u64, u64, u64, u64, u64, x ^ y, REDUCE_IDENTITY_max(u64), REDUCE_COMBINE_max(u64, a, b))

/* X(NAME, In, Context, T, EXPR_OF_X_C, IDENTITY, EXPR_OF_A_B) */
#define TRACED_WITHS(X)                                                                                      \
    X(by_table, u8, table, u64, paired(c[x], 0, i), 0, traced(a, b))                                         \
    X(by_salted, float, salted, u64, paired(c.table[bits_of_float(x) & 255], c.salt, i), 0, traced(a, b))    \
    X(by_many, words3, many, u32, (u32)paired(bits_of_words3(x), c.word[i % 16], i), 0, (u32)traced(a, b))
#define ROUNDED_WITHS(X) X(by_mean, float, double, double, ((double)x - c) * ((double)x - c), 0, a + b)
#define EXACT_WITHS(X)                                                                                       \
    X(count_above, double, double, u32, x > c, REDUCE_IDENTITY_sum(u32), REDUCE_COMBINE_sum(u32, a, b))      \
    X(plain, i8, char, int, x + c, REDUCE_IDENTITY_sum(int), REDUCE_COMBINE_sum(int, a, b))

/* X(NAME, X, Y, the larger of them, Context, T, EXPR_OF_X_Y_C, IDENTITY, EXPR_OF_A_B) */
#define TRACED_ZIP_WITHS(X)                                                                                  \
    X(half_float_by_salted, u16, float, float, salted, u64,                                                  \
      paired(c.table[x & 255], c.salt + bits_of_float(y), i), 0, traced(a, b))                               \
    X(words3_u8_by_many, words3, u8, words3, many, u32, (u32)paired(bits_of_words3(x), y + c.word[i % 16], i),\
      0, (u32)traced(a, b))
#define ROUNDED_ZIP_WITHS(X) X(weighed, float, float, float, double, float, (float)(x - c) * y, 0, a + b)

HELPER_BOTH words3 words_of(u64 x, u64 y, u64 i)
{
    const words3 words = {{(u32)paired(x, y, i), (u32)paired(y, x, i), (u32)paired(x, i, y)}};
    return words;
}

/* ---- Each of them, its executors and its tree ---------------------------------------------------------- */

struct arrays {
    const void *first, *second;
};
typedef cudaError_t run_by(enum executor by, struct arrays from, size_t n, void *to, reduce_workspace *ws);
typedef void tree_by(struct arrays from, size_t n, void *to);

#define DEFINE_RUN(NAME, ...)                                                                                \
    static cudaError_t NAME##_run(enum executor by, struct arrays from, size_t n, void *to, reduce_workspace *ws)\
    {                                                                                                        \
        NAME##_result *const out = (NAME##_result *)to;                                                      \
        switch (by) {                                                                                        \
            case BY_CALL: return NAME(__VA_ARGS__, out);                                                     \
            case BY_ASYNC: return NAME##_async(__VA_ARGS__, out, ws, 0);                                     \
            case BY_LAST_BLOCK: return NAME##_last_block(__VA_ARGS__, out, ws, 0);                           \
            case BY_TWO_LAUNCH: return NAME##_two_launch(__VA_ARGS__, out, ws, 0);                           \
            case BY_ATOMIC_WARP: return NAME##_atomic_warp(__VA_ARGS__, out, ws, 0);                         \
            case BY_ATOMIC_BLOCK: return NAME##_atomic_block(__VA_ARGS__, out, ws, 0);                       \
            default: break;                                                                                  \
        }                                                                                                    \
        const NAME##_result result = NAME##_cpu(__VA_ARGS__);                                                \
        memcpy(to, &result, sizeof result);                                                                  \
        return cudaSuccess;                                                                                  \
    }                                                                                                        \
    static void NAME##_tree_of(struct arrays from, size_t n, void *to)                                       \
    {                                                                                                        \
        const NAME##_result result = NAME##_tree((const NAME##_larger *)NAME##_larger_of(from), n);          \
        memcpy(to, &result, sizeof result);                                                                  \
    }

/* The tree of the larger elements, whose map finds both in memory. `context` defines c, if there is one. */
#define DEFINE_TREE_OF_TWO(NAME, X, Y, Larger, context, T, EXPR, ...)                                        \
    typedef Larger NAME##_larger;                                                                            \
    static struct arrays NAME##_from;                                                                        \
    HELPER const void *NAME##_larger_of(struct arrays from)                                                  \
    {                                                                                                        \
        NAME##_from = from;                                                                                  \
        return sizeof(Y) == sizeof(Larger) ? from.second : from.first;                                       \
    }                                                                                                        \
    TREE_APART T NAME##_mapped(Larger, size_t i)                                                             \
    {                                                                                                        \
        const X x = ((const X *)NAME##_from.first)[i];                                                       \
        const Y y = ((const Y *)NAME##_from.second)[i];                                                      \
        context                                                                                              \
        return EXPR;                                                                                         \
    }                                                                                                        \
    DEFINE_TREE(NAME, Larger, T, NAME##_mapped(x, i), __VA_ARGS__)

#define DEFINE_ZIP(NAME, X, Y, Larger, T, EXPR, ...)                                                         \
    DEFINE_REDUCE_ZIP(NAME, X, Y, T, EXPR, __VA_ARGS__)                                                      \
    DEFINE_REDUCE_ZIP_ATOMIC(NAME)                                                                           \
    DEFINE_TREE_OF_TWO(NAME, X, Y, Larger, , T, EXPR, __VA_ARGS__)                                           \
    DEFINE_RUN(NAME, (const X *)from.first, (const Y *)from.second, n)

#define DEFINE_ZIP_WITH(NAME, X, Y, Larger, Context, T, EXPR, ...)                                           \
    DEFINE_REDUCE_ZIP_WITH(NAME, X, Y, Context, T, EXPR, __VA_ARGS__)                                        \
    DEFINE_REDUCE_ZIP_WITH_ATOMIC(NAME)                                                                      \
    static Context NAME##_c;                                                                                 \
    DEFINE_TREE_OF_TWO(NAME, X, Y, Larger, const Context c = NAME##_c;, T, EXPR, __VA_ARGS__)                \
    DEFINE_RUN(NAME, (const X *)from.first, (const Y *)from.second, n, NAME##_c)

#define DEFINE_WITH(NAME, In, Context, T, EXPR, ...)                                                         \
    DEFINE_REDUCE_WITH(NAME, In, Context, T, EXPR, __VA_ARGS__)                                              \
    DEFINE_REDUCE_WITH_ATOMIC(NAME)                                                                          \
    typedef In NAME##_larger;                                                                                \
    static Context NAME##_c;                                                                                 \
    HELPER const void *NAME##_larger_of(struct arrays from)                                                  \
    {                                                                                                        \
        return from.first;                                                                                   \
    }                                                                                                        \
    TREE_APART T NAME##_mapped(In x, size_t i)                                                               \
    {                                                                                                        \
        const Context c = NAME##_c;                                                                          \
        (void)i;                                                                                             \
        return EXPR;                                                                                         \
    }                                                                                                        \
    DEFINE_TREE(NAME, In, T, NAME##_mapped(x, i), __VA_ARGS__)                                               \
    DEFINE_RUN(NAME, (const In *)from.first, n, NAME##_c)

TRACED_ZIPS(DEFINE_ZIP)
ROUNDED_ZIPS(DEFINE_ZIP)
EXACT_ZIPS(DEFINE_ZIP)
TRACED_WITHS(DEFINE_WITH)
ROUNDED_WITHS(DEFINE_WITH)
EXACT_WITHS(DEFINE_WITH)
TRACED_ZIP_WITHS(DEFINE_ZIP_WITH)
ROUNDED_ZIP_WITHS(DEFINE_ZIP_WITH)

/* ---- In every region ----------------------------------------------------------------------------------- */

HELPER void fill_doubles(void *to, size_t bytes)
{
    fill_double((double *)to, bytes / sizeof(double), 2);
}
HELPER SWIFT void fill_others(void *to, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++) ((u8 *)to)[k] = (u8)mixed(k + 12345);
}

typedef void fill_by(void *to, size_t bytes);

/* One input of each kind. The second array of a context's has no elements. */
struct input {
    const char *name;
    size_t size[2], alignment[2], of_result;
    bool is_ordered;
    fill_by *fill[2];
    tree_by *tree;
    run_by *run;
};

#define OF(NAME, X, Y, of_second, is_ordered, fill, other)                                                   \
    {#NAME,      {sizeof(X), of_second}, {REDUCE_ALIGNMENT_(X), REDUCE_ALIGNMENT_(Y)}, sizeof(NAME##_result),\
     is_ordered, {fill, other},          NAME##_tree_of,                               NAME##_run},
#define TRACED_ZIP(NAME, X, Y, ...) OF(NAME, X, Y, sizeof(Y), true, fill_bytes, fill_others)
#define EXACT_ZIP(NAME, X, Y, ...) OF(NAME, X, Y, sizeof(Y), false, fill_bytes, fill_others)
#define TRACED_WITH(NAME, In, ...) OF(NAME, In, In, 0, true, fill_bytes, fill_others)
#define EXACT_WITH(NAME, In, ...) OF(NAME, In, In, 0, false, fill_bytes, fill_others)

static const struct input traced_zips[] = {TRACED_ZIPS(TRACED_ZIP)};
static const struct input exact_zips[] = {EXACT_ZIPS(EXACT_ZIP)};
static const struct input traced_withs[] = {TRACED_WITHS(TRACED_WITH)};
static const struct input traced_zip_withs[] = {TRACED_ZIP_WITHS(TRACED_ZIP)};
static const struct input rounded[] = {
    OF(dot, float, float, sizeof(float), true, fill_floats, fill_floats)
    OF(dot_doubles, double, float, sizeof(float), true, fill_doubles, fill_floats)
    OF(by_mean, float, float, 0, true, fill_floats, fill_floats)
    OF(weighed, float, float, sizeof(float), true, fill_floats, fill_floats)};
static const struct input exact_withs[] = {
    OF(count_above, double, double, 0, false, fill_doubles, fill_floats)
    OF(plain, i8, i8, 0, false, fill_bytes, fill_bytes)};

/* Both arrays in main memory and on the device, each at a multiple of 64 bytes, or one alignment beyond. */
struct room {
    size_t bytes[2];
    u8 *host[2], *device[2], *out;
};

static struct room room_of(const struct input *of, size_t n)
{
    struct room room;
    for (int k = 0; k < 2; k++) {
        room.bytes[k] = n * of->size[k];
        room.host[k] = (u8 *)aligned_alloc(64, (room.bytes[k] + 191) / 64 * 64);
        cr_assert(room.host[k] != NULL, "no memory");
        room.device[k] = (u8 *)device_room(room.bytes[k] + 64, 0);
    }
    room.out = (u8 *)device_room(REDUCE_MAX_SIZE, 0);
    return room;
}

static void free_room(struct room room)
{
    for (int k = 0; k < 2; k++) {
        free(room.host[k]);
        CHECK(cudaFree(room.device[k]));
    }
    CHECK(cudaFree(room.out));
}

/* Bit k of askew: array k is one alignment beyond. */
static struct arrays data_at(const struct input *of, u8 *const *of_arrays, unsigned askew)
{
    const struct arrays data = {of_arrays[0] + (askew & 1 ? of->alignment[0] : 0),
                                of_arrays[1] + (askew & 2 ? of->alignment[1] : 0)};
    return data;
}

static void fill_room(const struct input *of, struct room room, unsigned askew)
{
    const struct arrays host = data_at(of, room.host, askew), device = data_at(of, room.device, askew);
    of->fill[0]((void *)(uintptr_t)host.first, room.bytes[0]);
    of->fill[1]((void *)(uintptr_t)host.second, room.bytes[1]);
    CHECK(cudaMemcpy((void *)(uintptr_t)device.first, host.first, room.bytes[0], cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy((void *)(uintptr_t)device.second, host.second, room.bytes[1], cudaMemcpyHostToDevice));
}

static void check_run(const struct input *of, struct room room, enum executor by, struct array a, unsigned askew,
                      const void *tree, reduce_workspace *ws)
{
    u8 got[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    memset(got, 0x5a, sizeof got);
    if (by == BY_CPU || by == BY_CALL) {
        CHECK(of->run(by, data_at(of, room.host, askew), a.n, got, NULL));
    } else {
        CHECK(cudaMemset(room.out, 0x5a, sizeof got));
        CHECK(of->run(by, data_at(of, room.device, askew), a.n, room.out, ws));
        from_device(got, room.out, of->of_result);
        cr_expect(is_empty_workspace(ws), "%s_%s of %zu: the workspace is not empty", of->name, executors[by], a.n);
    }
    cr_expect(memcmp(got, tree, of->of_result) == 0, "%s_%s of %zu in %zu chunks, askew %u: %s, the tree gives %s",
              of->name, executors[by], a.n, a.count, askew, bits_in_hex(got, of->of_result),
              bits_in_hex(tree, of->of_result));
    visit(by, a);
}

/* Whether an executor takes a size. Many chunks take long in the simulator: they are shared; so are the sizes beside the
   first of a region, on a device. */
static bool takes(const struct input *of, size_t number, enum executor by, struct array a, unsigned askew,
                  struct drawn drawn)
{
    const size_t share = drawn.region + number;
    const bool is_atomic = by == BY_ATOMIC_WARP || by == BY_ATOMIC_BLOCK;
    if (is_atomic && of->is_ordered) return false;
    if (a.count > 8 && a.size < 4 && share_of_seed() == 1) return false; /* very many elements, for a sanitizer */
    if (askew == 0 && by > BY_CALL && !drawn.is_first && !is_due(share + (size_t)by)) return false;
    if (askew != 0 && !is_due(share + askew)) return false;
    if (askew != 0 && by > BY_ASYNC && (is_atomic || !drawn.is_first)) return false;
    if (a.count <= 8) return askew == 0 || drawn.is_first || (share + askew) % 3 == 0;
    if (by == BY_CPU) return askew == 0 || (share + askew) % 4 == 0;
    if (askew != 0 || !drawn.is_first) return false;
    return share % (by == BY_ASYNC ? 2 : is_atomic ? 7 : 5) == 0;
}

static void check_input(const struct input *of, size_t number, reduce_workspace *ws)
{
    static struct drawn drawn[MOST_DRAWN];
    const size_t size = of->size[0] > of->size[1] ? of->size[0] : of->size[1];
    const size_t count = draw_sizes(drawn, size);
    size_t most = 0;
    for (size_t k = 0; k < count; k++) most = drawn[k].n > most ? drawn[k].n : most;
    const struct room room = room_of(of, most);
    for (unsigned askew = 0; askew < (of->size[1] > 0 ? 4u : 2u); askew++) {
        fill_room(of, room, askew);
        for (size_t k = 0; k < count; k++) {
            const struct array a = array_of(drawn[k].n, size, askew == 0);
            u8 tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
            bool is_taken = false;
            for (int by = 0; by < EXECUTORS; by++) {
                if (!takes(of, number, (enum executor)by, a, askew, drawn[k])) continue;
                if (!is_taken) of->tree(data_at(of, room.host, askew), a.n, tree);
                is_taken = true;
                check_run(of, room, (enum executor)by, a, askew, tree, ws);
            }
        }
    }
    free_room(room);
}

static u64 *shared_table;

/* A table where the device and the host reach it; contexts that hold it. */
static void make_contexts(void)
{
    CHECK(cudaMallocManaged((void **)&shared_table, 256 * sizeof *shared_table));
    fill_u64(shared_table, 256, 77);
    by_table_c = shared_table;
    by_salted_c.table = shared_table, by_salted_c.salt = 99;
    for (u32 k = 0; k < 16; k++) by_many_c.word[k] = k * k;
    by_mean_c = 1.7, count_above_c = 0.25, plain_c = 0;
    half_float_by_salted_c = by_salted_c, words3_u8_by_many_c = by_many_c, weighed_c = 1.7;
}

static void check_inputs(const struct input *of, size_t count)
{
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    list_regions();
    make_contexts();
    for (size_t k = 0; k < count; k++) check_input(&of[k], k, ws);
    CHECK(cudaFree(shared_table));
    CHECK(reduce_workspace_destroy(ws));
}

Test(inputs, two_arrays, .init = need_gpu)
{
    static const size_t sizes[] = {1, 3, 4, 8, 12, 64};
    check_inputs(traced_zips, COUNT(traced_zips));
    for (int by = 0; by < EXACT_EXECUTORS; by++) expect_visited_together((enum executor)by, sizes, COUNT(sizes));
}

Test(inputs, two_arrays_in_any_order, .init = need_gpu)
{
    check_inputs(exact_zips, COUNT(exact_zips));
}

Test(inputs, contexts, .init = need_gpu)
{
    check_inputs(traced_withs, COUNT(traced_withs));
    check_inputs(exact_withs, COUNT(exact_withs));
}

Test(inputs, two_arrays_with_contexts, .init = need_gpu)
{
    check_inputs(traced_zip_withs, COUNT(traced_zip_withs));
}

Test(inputs, sums_that_are_rounded, .init = need_gpu)
{
    check_inputs(rounded, COUNT(rounded));
}

/* One array may be both, and arrays may overlap. */
Test(inputs, arrays_may_overlap, .init = need_gpu)
{
    enum { N = 3000 };
    static float in[N + 3];
    fill_floats(in, sizeof in);
    float got = 0, *device = (float *)to_device(in, sizeof in);
    for (size_t off = 0; off < 4; off++) {
        const float cpu = dot_cpu(in, in + off, N);
        CHECK(dot(in, in + off, N, &got));
        cr_expect(SAME_BITS(got, cpu), "main memory, %zu apart: %s, not %s", off, BITS(got), BITS(cpu));
        CHECK(dot(device, device + off, N, &got));
        cr_expect(SAME_BITS(got, cpu), "device memory, %zu apart: %s, not %s", off, BITS(got), BITS(cpu));
    }
    CHECK(cudaFree(device));
}

/* ---- Names and types ----------------------------------------------------------------------------------- */

DEFINE_REDUCE_ZIP(twice, int, float, double, x + (double)y, 0, a + b)
#define REDUCE_HAVE_twice
DEFINE_REDUCE_ZIP(twice, int, float, double, x + (double)y, 0, a + b)
DEFINE_REDUCE_WITH(again, int, float, double, x + (double)c, 0, a + b)
#define REDUCE_HAVE_again 1
DEFINE_REDUCE_WITH(again, int, float, double, x + (double)c, 0, a + b)

static __global__ void blocks(const int *in, double *out)
{
    const double sum = twice_block(in[threadIdx.x]) + again_warp(1);
    if (threadIdx.x == 0) *out = sum;
}

Test(inputs, have_types_and_functions_for_blocks, .init = need_gpu)
{
    static const int in[32] = {1, 2, 3};
    cr_expect(sizeof(i8_double_first) == 1 && sizeof(i8_double_second) == 8 && sizeof(twice_result) == 8, "types");
    cr_expect(sizeof(by_many_context) == 64 && sizeof(by_many_element) == 12, "types");
    double got = 0, *out = (double *)device_room(sizeof got, 0);
    int *device = (int *)to_device(in, sizeof in);
    blocks<<<1, 32>>>(device, out);
    check_launch();
    from_device(&got, out, sizeof got);
    cr_expect(got == 6 + 32, "%g", got);
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

#define REFUSED(expected, by, call)                                                                          \
    do {                                                                                                     \
        const cudaError_t status_of_call = (call);                                                           \
        cr_expect(status_of_call == (expected), "%s by %s: %s, not %s", #call, executors[by],                \
                  cudaGetErrorName(status_of_call), cudaGetErrorName(expected));                             \
        cr_expect(memcmp(room, before, sizeof before) == 0, "%s by %s has changed memory", #call, executors[by]);\
    } while (0)

/* Nothing is launched, so that main memory serves: it is the same for all executors that check. */
Test(inputs, refuse, .init = need_gpu)
{
    static u64 room[300], before[300];
    const cudaError_t invalid = cudaErrorInvalidValue, misaligned = cudaErrorMisalignedAddress;
    double *const y = (double *)room;
    i8 *const x = (i8 *)(room + 100);
    u64 *const out = room + 200;
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    fill_u64(room, 300, 5);
    memcpy(before, room, sizeof before);
    for (int k = BY_CALL; k < EXECUTORS; k++) {
        const enum executor by = (enum executor)k;
        const struct arrays both = {x, y}, no_first = {NULL, y}, no_second = {x, NULL}, none = {NULL, NULL};
        const struct arrays askew = {x, (char *)y + 4}, reversed = {y, x}, askew_first = {(char *)y + 4, x};
        REFUSED(invalid, by, i8_double_run(by, no_first, 1, out, ws));
        REFUSED(invalid, by, i8_double_run(by, no_second, 1, out, ws));
        REFUSED(invalid, by, i8_double_run(by, none, 1, out, ws));
        REFUSED(invalid, by, i8_double_run(by, both, 10, NULL, ws));
        REFUSED(invalid, by, i8_double_run(by, both, SIZE_MAX / 4, out, ws));
        REFUSED(invalid, by, i8_double_run(by, both, REDUCE_MAX_ELEMENTS + 1, out, ws));
        REFUSED(invalid, by, double_i8_run(by, reversed, SIZE_MAX / 4, out, ws));
        REFUSED(misaligned, by, i8_double_run(by, askew, 10, out, ws));
        REFUSED(misaligned, by, double_i8_run(by, askew_first, 10, out, ws));
        REFUSED(misaligned, by, i8_double_run(by, both, 10, (char *)out + 1, ws));
        REFUSED(invalid, by, i8_double_run(by, both, 10, y + 9, ws));
        REFUSED(invalid, by, i8_double_run(by, both, 10, x + 8, ws));
        REFUSED(invalid, by, double_i8_run(by, reversed, 10, y + 9, ws));
        REFUSED(invalid, by, double_i8_run(by, reversed, 10, x + 8, ws));
        REFUSED(invalid, by, by_many_run(by, none, 1, out, ws));
        REFUSED(misaligned, by, by_many_run(by, askew_first, 1, (char *)out + 2, ws));
        REFUSED(invalid, by, by_many_run(by, both, 2, x + 20, ws));
        if (by != BY_CALL) REFUSED(invalid, by, i8_double_run(by, both, 10, out, NULL));
        if (by != BY_CALL) REFUSED(invalid, by, by_many_run(by, both, 10, out, NULL));
    }
    cr_expect(cudaPeekAtLastError() == cudaSuccess, "an error stays behind");
    cr_expect(is_empty_workspace(ws), "the workspace is not empty");
    CHECK(reduce_workspace_destroy(ws));
}

/* No elements: pointers may be null, and the result is the identity. */
Test(inputs, of_nothing, .init = need_gpu)
{
    double got = 5, *out = (double *)device_room(sizeof got, 0x5a);
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    CHECK(twice(NULL, NULL, 0, &got));
    cr_expect(got == 0 && twice_cpu(NULL, NULL, 0) == 0, "%g", got);
    got = 5;
    CHECK(twice_async(NULL, NULL, 0, out, ws, 0));
    from_device(&got, out, sizeof got);
    cr_expect(got == 0, "%g", got);
    CHECK(again(NULL, 0, 3, &got));
    cr_expect(got == 0 && again_cpu(NULL, 0, 3) == 0, "%g", got);
    CHECK(cudaFree(out));
    CHECK(reduce_workspace_destroy(ws));
}

/* ---- The simple call, wherever the arrays are ---------------------------------------------------------- */

enum { N = 7001, PLACES = 4 };
#define UNTOUCHED 0x5a5a5a5a5a5a5a5aull
static const char *const places[] = {"main", "pinned", "managed", "device"};

/* An array's data in each place. */
struct copies {
    void *at[PLACES];
};

static struct copies copies_of(const void *data, size_t bytes)
{
    struct copies copies;
    CHECK(cudaMallocHost(&copies.at[1], bytes));
    CHECK(cudaMallocManaged(&copies.at[2], bytes));
    copies.at[0] = malloc(bytes);
    cr_assert(copies.at[0] != NULL, "no memory");
    for (int k = 0; k < 3; k++) memcpy(copies.at[k], data, bytes);
    copies.at[3] = to_device(data, bytes);
    return copies;
}

static void free_copies(struct copies copies)
{
    free(copies.at[0]);
    CHECK(cudaFreeHost(copies.at[1]));
    CHECK(cudaFree(copies.at[2]));
    CHECK(cudaFree(copies.at[3]));
}

static i8 some_bytes[N];
static double some_doubles[N];

static void fill_both(void)
{
    need_gpu();
    fill_bytes(some_bytes, sizeof some_bytes);
    fill_doubles(some_doubles, sizeof some_doubles);
}

Test(inputs, are_found_wherever_they_are, .init = fill_both)
{
    const struct copies x = copies_of(some_bytes, sizeof some_bytes), y = copies_of(some_doubles, sizeof some_doubles);
    const size_t sizes[] = {0, 1, 255, 256, 257, N};
    for (size_t k = 0; k < COUNT(sizes); k++)
        for (int first = 0; first < PLACES; first++)
            for (int second = 0; second < PLACES; second++) {
                u64 got = UNTOUCHED;
                const u64 cpu = i8_double_cpu(some_bytes, some_doubles, sizes[k]);
                CHECK(i8_double((const i8 *)x.at[first], (const double *)y.at[second], sizes[k], &got));
                cr_expect(got == cpu, "%zu elements in %s and %s memory: %s, not %s", sizes[k], places[first],
                          places[second], BITS(got), BITS(cpu));
            }
    cr_expect(cudaPeekAtLastError() == cudaSuccess, "an error stays behind");
    free_copies(x);
    free_copies(y);
}

static void hide_gpus(void)
{
    setenv("SIMT_DEVICES", "0", 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
}

/* A table in main memory then. */
Test(inputs, run_on_the_cpu_without_a_gpu, .init = hide_gpus)
{
    static u64 host_table[256];
    u64 got = UNTOUCHED;
    fill_bytes(some_bytes, sizeof some_bytes);
    fill_doubles(some_doubles, sizeof some_doubles);
    fill_u64(host_table, 256, 77);
    CHECK(i8_double(some_bytes, some_doubles, N, &got));
    cr_expect(got == i8_double_cpu(some_bytes, some_doubles, N), "%s", BITS(got));
    CHECK(by_table((const u8 *)some_bytes, N, host_table, &got));
    cr_expect(got == by_table_cpu((const u8 *)some_bytes, N, host_table), "%s", BITS(got));
    half_float_by_salted_c.table = host_table;
    CHECK(half_float_by_salted((const u16 *)some_bytes, (const float *)some_doubles, N / 2, half_float_by_salted_c, &got));
    cr_expect(got == half_float_by_salted_cpu((const u16 *)some_bytes, (const float *)some_doubles, N / 2,
                                              half_float_by_salted_c), "%s", BITS(got));
    cr_expect(i8_double(some_bytes, NULL, N, &got) == cudaErrorInvalidValue, "a null pointer is refused");
}

static void need_two_gpus(void)
{
    int devices = 0;
    setenv("SIMT_DEVICES", "2", 1);
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) {
        (void)cudaGetLastError();
        cr_skip_test("no two GPUs here");
    }
    fill_both();
}

/* Where the one array is the other is brought; two devices are an error. */
Test(inputs, go_to_the_gpu_of_either, .init = need_two_gpus)
{
    i8 *x[2];
    double *y[2];
    const u64 cpu = i8_double_cpu(some_bytes, some_doubles, N);
    for (int device = 0; device < 2; device++) {
        CHECK(cudaSetDevice(device));
        x[device] = (i8 *)to_device(some_bytes, sizeof some_bytes);
        y[device] = (double *)to_device(some_doubles, sizeof some_doubles);
    }
    for (int home = 0; home < 2; home++)
        for (int device = 0; device < 2; device++) {
            u64 got[3] = {UNTOUCHED, UNTOUCHED, UNTOUCHED}, other = UNTOUCHED;
            int now = -1;
            CHECK(cudaSetDevice(home));
            CHECK(i8_double(x[device], y[device], N, &got[0]));
            CHECK(i8_double(some_bytes, y[device], N, &got[1]));
            CHECK(i8_double(x[device], some_doubles, N, &got[2]));
            cr_expect(i8_double(x[device], y[!device], N, &other) == cudaErrorInvalidValue, "two devices");
            cr_expect(got[0] == cpu && got[1] == cpu && got[2] == cpu && other == UNTOUCHED, "from %d on %d: %s, %s, %s, %s",
                      home, device, BITS(got[0]), BITS(got[1]), BITS(got[2]), BITS(other));
            CHECK(cudaGetDevice(&now));
            cr_expect(now == home, "called on device %d, left on %d", home, now);
        }
    cr_expect(cudaPeekAtLastError() == cudaSuccess, "an error stays behind");
    for (int device = 0; device < 2; device++) {
        CHECK(cudaFree(x[device]));
        CHECK(cudaFree(y[device]));
    }
}

#ifdef SIMT
static const double *second_of_attempts;

static cudaError_t of_two_arrays(const struct attempt *self, void *got)
{
    return i8_double((const i8 *)self->in, second_of_attempts, N, (u64 *)got);
}

Test(inputs, survive_failing_calls, .init = need_two_gpus)
{
    static const char *const kinds[] = {"malloc", "memset", "memcpy", "launch", "free", "device"};
    CHECK(cudaSetDevice(1));
    double *const away = (double *)to_device(some_doubles, sizeof some_doubles);
    i8 *const away_first = (i8 *)to_device(some_bytes, sizeof some_bytes);
    CHECK(cudaSetDevice(0));
    const u64 expected = i8_double_cpu(some_bytes, some_doubles, N);
    const struct attempt here = {"in main memory", of_two_arrays, some_bytes, &expected, sizeof expected, 0, false, false};
    const struct attempt there = {"one on device 1", of_two_arrays, some_bytes, &expected, sizeof expected, 0, true, false};
    const struct attempt first = {"the first on device 1", of_two_arrays, away_first, &expected, sizeof expected, 0, true, false};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const bool is_device = strcmp(kinds[k], "device") == 0;
        second_of_attempts = some_doubles;
        expect_clean_failures(&here, kinds[k], is_device ? 4 : 1);
        expect_clean_failures(&first, kinds[k], is_device ? 6 : 1); /* there and back */
        second_of_attempts = away;
        expect_clean_failures(&there, kinds[k], is_device ? 6 : 1);
    }
    const size_t live = simt_live_allocations();
    const long copies = simt_calls("memcpy");
    u64 got;
    CHECK(i8_double(some_bytes, some_doubles, N, &got));
    cr_expect(simt_calls("memcpy") - copies == 3, "main memory: %ld copies", simt_calls("memcpy") - copies);
    CHECK(i8_double(some_bytes, away, N, &got));
    cr_expect(simt_calls("memcpy") - copies == 5, "one of them on a device: %ld copies", simt_calls("memcpy") - copies);
    cr_expect(simt_live_allocations() == live, "memory is lost");
    CHECK(cudaFree(away));
    CHECK(cudaFree(away_first));
}
#endif
