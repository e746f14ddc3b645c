/* Ready-made results (reduce_results.cuh): every executor against loops that share nothing with the header, bit for
   bit, padding included. The small tree lets a few thousand elements reach several chunks. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "small_tree.h"

#include "reduce_results.cuh"
#include "reduce_rows.cuh"

#include "check.h"
#include "executors.h"
#include "operators.h"
#include "tree.h"

#include <float.h>

/* The stripes that an array has, and elements more: up to several chunks. */
static const int sizes[][2] = {{0, 0}, {0, 1}, {0, 37}, {1, 5}, {7, -3}, {3, 0}, {14, 1}};
enum { ARG_SIZES = 5 }; /* for the many types and operators */

static size_t size_of(size_t k, size_t element)
{
    return (size_t)sizes[k][0] * tree_stripe(element) + (size_t)sizes[k][1];
}

/* ---- Where the extreme is: subjects ------------------------------------------------------------------ */

#define EXTREMES(EACH, T) EACH(INTEGER, T, min) EACH(INTEGER, T, max)
#define EXTREME_NUMBERS(EACH, T)                                                                           \
    EACH(FLOATING, T, min) EACH(FLOATING, T, max) EACH(FLOATING, T, fmin) EACH(FLOATING, T, fmax)
#ifdef FEW_TYPES
#    define EVERY_ARG(EACH)                                                                                \
        EXTREME_NUMBERS(EACH, float)                                                                       \
        EACH(FLOATING, double, max)                                                                        \
        EACH(FLOATING, __half, fmin)                                                                       \
        EACH(INTEGER, schar, min)                                                                          \
        EACH(INTEGER, ullong, max)
#else
#    define EVERY_ARG(EACH)                                                                                \
        INTEGERS_1(EXTREMES, EACH)                                                                         \
        INTEGERS_2(EXTREMES, EACH)                                                                         \
        INTEGERS_4(EXTREMES, EACH)                                                                         \
        INTEGERS_8(EXTREMES, EACH) FLOATS(EXTREME_NUMBERS, EACH) HALVES(EXTREME_NUMBERS, EACH)
#endif

/* Whether x, further back, displaces best. */
#define IS_BETTER_INTEGER_min(x, best) ((x) < (best))
#define IS_BETTER_INTEGER_max(x, best) ((x) > (best))
#define IS_BETTER_FLOATING_min(x, best) (!isnan(best) && (isnan(x) || (x) < (best)))
#define IS_BETTER_FLOATING_max(x, best) (!isnan(best) && (isnan(x) || (x) > (best)))
#define IS_BETTER_FLOATING_fmin(x, best) (!isnan(x) && (isnan(best) || (x) < (best)))
#define IS_BETTER_FLOATING_fmax(x, best) (!isnan(x) && (isnan(best) || (x) > (best)))
#define WIDE_INTEGER(T) T
#define WIDE_FLOATING(T) double

#define FIRST_OF(...) FIRST_OF_LIST(__VA_ARGS__, )
#define FIRST_OF_LIST(first, ...) first

/* A result as its bytes: the value in the first of two words of 8 bytes, the index in the second. */
struct found {
    u64 value;
    i64 index;
};

#define DEFINE_ARG(kind, T, op)                                                                            \
    DEFINE_REDUCE_ARG(T, op)                                                                               \
    DEFINE_BY(reduce_##T##_arg##op, T, reduce_##T##_arg##op##_result)                                      \
    static struct found loop_##T##_arg##op(const void *from, size_t n)                                     \
    {                                                                                                      \
        const T *in = (const T *)from;                                                                     \
        struct found found = {0, -1};                                                                      \
        T value = FIRST_OF(TREE_##kind##_##op(T));                                                         \
        for (size_t i = 0; i < n; i++) {                                                                   \
            const WIDE_##kind(T) x = (WIDE_##kind(T))in[i], best = (WIDE_##kind(T))value;                  \
            if (found.index >= 0 && !IS_BETTER_##kind##_##op(x, best)) continue;                           \
            found.index = (i64)i;                                                                          \
            value = in[i];                                                                                 \
        }                                                                                                  \
        tree_canonical(&value, TREE_KIND(T));                                                              \
        memcpy(&found.value, &value, sizeof value);                                                        \
        return found;                                                                                      \
    }
EVERY_ARG(DEFINE_ARG)

struct subject {
    const char *name;
    size_t size, result_size;
    char kind; /* tree_kind */
    bool is_signed;
    executed_by *run;
    struct found (*loop)(const void *in, size_t n);
};

#define SUBJECT(kind, T, op)                                                                               \
    {"reduce_" #T "_arg" #op, sizeof(T), sizeof(reduce_##T##_arg##op##_result), TREE_KIND(T), (T)-1 < (T)1, \
     reduce_##T##_arg##op##_by, loop_##T##_arg##op},
static const struct subject subjects[] = {EVERY_ARG(SUBJECT)};

/* ---- Where the extreme is: data ---------------------------------------------------------------------- */

/* Elements by their bits. Integers have neither infinities nor NaN: there the greatest and the least stand for the
   infinities, and numbers for the rest. */
enum what { LESS, ZERO, MINUS_ZERO, MORE, TOP, BOTTOM, A_NAN, OTHER_NAN };

static u64 bits_of(const struct subject *s, enum what what)
{
    const unsigned width = (unsigned)(8 * s->size);
    const u64 minus = 1ull << (width - 1), infinity = s->kind ? tree_infinity(s->kind) : 0;
    const u64 one = s->kind == 'h' ? 0x3c00 : s->kind == 'b' ? 0x3f80 : s->kind == 'f' ? 0x3f800000 : 0x3ff0000000000000;
    if (strstr(s->name, "boolean")) return what == ZERO || what == LESS || what == BOTTOM || what == A_NAN ? 0 : 1;
    if (s->kind == 0) {
        const u64 greatest = s->is_signed ? minus - 1 : ~0ull >> (64 - width);
        const u64 of_integers[] = {2, 3, 3, 4, greatest, s->is_signed ? minus : 0, 5, 1};
        return of_integers[what];
    }
    const u64 of_floats[] = {minus | one, 0,        minus,        one, infinity, minus | infinity,
                             infinity | 1, minus | infinity | infinity >> 1 | 2};
    return of_floats[what];
}

struct array {
    const struct subject *subject;
    unsigned char *bytes, *on_device;
    size_t n;
    void *room;
    reduce_workspace *ws;
};

static void put(struct array *a, size_t i, enum what what)
{
    const u64 bits = bits_of(a->subject, what);
    memcpy(a->bytes + i * a->subject->size, &bits, a->subject->size);
}

static void put_all(struct array *a, enum what what)
{
    for (size_t i = 0; i < a->n; i++) put(a, i, what);
}

/* Each element one of a few. */
static void put_some(struct array *a, const enum what *whats, size_t count, u64 seed)
{
    for (size_t i = 0; i < a->n; i++) put(a, i, whats[mixed(seed + i) % count]);
}

static void expect_found_by(const struct array *a, enum executor by, const char *what, size_t where)
{
    const struct subject *s = a->subject;
    const struct found expected = s->loop(a->bytes, a->n);
    struct found got;
    memset(&got, 0x5a, sizeof got);
    CHECK(execute(s->run, by, by <= BY_CALL ? a->bytes : a->on_device, a->n, &got, s->result_size, a->room, a->ws));
    if (memcmp(&got, &expected, sizeof got) != 0)
        cr_expect(false, "%s_%s of %zu, %s (%zu): %s at %lld, not %s at %lld", s->name, executors[by], a->n, what, where,
                  BITS(got.value), got.index, BITS(expected.value), expected.index);
}

static void expect_found(const struct array *a, const char *what, size_t where)
{
    CHECK(cudaMemcpy(a->on_device, a->bytes, a->n * a->subject->size, cudaMemcpyHostToDevice));
    for (int by = 0; by < EXECUTORS; by++) expect_found_by(a, (enum executor)by, what, where);
}

/* ---- Where the extreme is: cases --------------------------------------------------------------------- */

static void expect_few_kinds(struct array *a)
{
    static const enum what ties[] = {LESS, ZERO, MORE}, zeros[] = {ZERO, MINUS_ZERO}, above[] = {ZERO, MINUS_ZERO, MORE},
                           below[] = {MINUS_ZERO, ZERO, LESS}, nans[] = {A_NAN, OTHER_NAN},
                           mostly_nan[] = {A_NAN, OTHER_NAN, A_NAN, TOP, BOTTOM, A_NAN, OTHER_NAN, A_NAN},
                           nan_and_top[] = {A_NAN, TOP}, nan_and_bottom[] = {OTHER_NAN, BOTTOM}, ends[] = {TOP, BOTTOM};
    size_t k = a->n;
#define FEW(whats) if (is_due(k++)) put_some(a, whats, COUNT(whats), 7), expect_found(a, #whats, 0)
    FEW(ties);
    FEW(zeros);
    FEW(above);
    FEW(below);
    FEW(nans);
    FEW(mostly_nan);
    FEW(nan_and_top);
    FEW(nan_and_bottom);
    FEW(ends);
#undef FEW
    for (int what = LESS; what <= OTHER_NAN; what++) {
        if (!is_due(k++)) continue;
        put_all(a, (enum what)what);
        expect_found(a, "all alike", (size_t)what);
    }
}

/* At k one element that differs, and at every further place of the list the same once more. */
static void expect_repeated(struct array *a, size_t k, size_t again, enum what what, enum what rest)
{
    put_all(a, rest);
    put(a, k, what);
    put(a, again, what);
    expect_found(a, what == A_NAN ? "NaN at" : "from", k);
}

/* The seams of the tree: of lanes, warps, stripes, chunks. */
static void expect_at_seams(struct array *a)
{
    const size_t positions = tree_positions(a->subject->size), stripe = tree_stripe(a->subject->size);
    const size_t chunk = tree_chunk(a->n, a->subject->size);
    const size_t seams[] = {0, positions, 32 * positions, stripe, chunk, a->n / chunk * chunk, a->n - 1};
    for (size_t k = 0; k < COUNT(seams); k++) {
        const size_t seam = seams[k], again = seams[(k + 1) % COUNT(seams)];
        if (seam >= a->n || again >= a->n || !is_due(k + a->n)) continue;
        expect_repeated(a, seam, again, LESS, ZERO);
        expect_repeated(a, seam > 0 ? seam - 1 : 0, again, MORE, ZERO);
        expect_repeated(a, seam, again, A_NAN, k % 2 ? TOP : BOTTOM);
        expect_repeated(a, seam, again, k % 2 ? TOP : BOTTOM, A_NAN);
    }
}

/* At a place of a word that one load takes, and once more: behind it in the word, in the words that the same strand
   takes before and after it, and in the next strand's. */
static void expect_in_word(struct array *a, size_t place, enum what what, enum what rest)
{
    const size_t positions = tree_positions(a->subject->size), stripe = tree_stripe(a->subject->size);
    const size_t word = stripe + 7 * positions, at = word + place;
    const size_t again[] = {word + mixed(place) % positions, word + positions - 1, at - stripe, at + stripe - 1,
                            at + positions, word + positions};
    for (size_t k = 0; k < COUNT(again); k++) {
        put_all(a, rest);
        put(a, at, what);
        put(a, again[k], what);
        CHECK(cudaMemcpy(a->on_device, a->bytes, a->n * a->subject->size, cudaMemcpyHostToDevice));
        expect_found_by(a, BY_ASYNC, "in a word, with", again[k]);
    }
}

static void expect_in_words(struct array *a)
{
    a->n = 2 * tree_stripe(a->subject->size) + 9 * tree_positions(a->subject->size);
    for (size_t place = 0; place < tree_positions(a->subject->size); place++) {
        expect_in_word(a, place, LESS, ZERO);
        expect_in_word(a, place, MORE, MINUS_ZERO);
        if (is_due(place)) expect_in_word(a, place, A_NAN, TOP);
        if (is_due(place)) expect_in_word(a, place, BOTTOM, OTHER_NAN);
        if (is_due(place)) expect_in_word(a, place, MINUS_ZERO, ZERO);
    }
}

static void expect_anything(struct array *a)
{
    for (size_t i = 0; i < a->n; i++) {
        u64 bits = mixed(i + a->n);
        if (strstr(a->subject->name, "boolean")) bits &= 1;
        memcpy(a->bytes + i * a->subject->size, &bits, a->subject->size);
    }
    expect_found(a, "any bits", 0);
}

static void run_subject(const struct subject *s, reduce_workspace *ws)
{
    const size_t most = size_of(ARG_SIZES - 1, s->size) * s->size;
    struct array a = {s, (unsigned char *)malloc(most), (unsigned char *)device_room(most, 0), 0, device_room(16, 0), ws};
    cr_assert(a.bytes != NULL, "no memory");
    cr_assert(s->result_size == sizeof(struct found), "%s has %zu bytes", s->name, s->result_size);
    for (size_t k = 0; k < ARG_SIZES; k++) {
        a.n = size_of(k, s->size);
        expect_anything(&a);
        expect_few_kinds(&a);
        if (k == ARG_SIZES - 1) expect_at_seams(&a);
    }
    expect_in_words(&a);
    CHECK(cudaFree(a.room));
    CHECK(cudaFree(a.on_device));
    free(a.bytes);
}

Test(arg, every_executor, .init = need_gpu)
{
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    for (size_t k = 0; k < COUNT(subjects); k++) run_subject(&subjects[k], ws);
    CHECK(reduce_workspace_destroy(ws));
}

/* A NaN at every place of an array of several chunks. */
Test(arg, a_nan_anywhere, .init = need_gpu)
{
    enum { N = 1100 };
    static float in[N];
    for (size_t k = 0; k < N; k++) {
        for (size_t i = 0; i < N; i++) in[i] = (float)(i % 7);
        in[k] = NAN;
        in[(k + N - 3) % N] = NAN;
        const i64 first = (i64)(k < 3 ? k : k - 3);
        const reduce_float_argmin_result cpu = reduce_float_argmin_cpu(in, N);
        const reduce_float_argfmax_result number = reduce_float_argfmax_cpu(in, N);
        const i64 six = k == 6 || k == 9 ? 13 : 6;
        cr_expect(cpu.index == first && isnan(cpu.value), "argmin, NaN at %zu: %lld", k, (i64)cpu.index);
        cr_expect(number.index == six && number.value == 6, "argfmax, NaN at %zu: %lld", k, (i64)number.index);
        if (k % 37 != 0) continue;
        reduce_float_argmax_result gpu;
        CHECK(reduce_float_argmax(in, N, &gpu));
        cr_expect(gpu.index == first && isnan(gpu.value), "argmax, NaN at %zu: %lld", k, (i64)gpu.index);
    }
}

/* Any order, and the identity on either side, for operands of one's own. */
Test(arg, operands)
{
    const float values[] = {NAN, -INFINITY, -0.0f, 0.0f, 2, 2, INFINITY, INFINITY, NAN};
    const reduce_float_argmax_result none = reduce_float_argmax_identity();
    const reduce_float_argmin_result most = reduce_float_argmin_identity();
    cr_expect(none.index == -1 && none.value == -INFINITY && most.index == -1 && most.value == INFINITY);
    for (size_t k = 0; k < COUNT(values); k++)
        for (size_t l = 0; l < COUNT(values); l++) {
            const reduce_float_argmax_result x = reduce_float_argmax_of(values[k], k), y = reduce_float_argmax_of(values[l], l);
            const reduce_float_argmax_result xy = reduce_float_argmax_combine(x, y), yx = reduce_float_argmax_combine(y, x);
            const reduce_float_argmax_result left = reduce_float_argmax_combine(none, x);
            const reduce_float_argmax_result right = reduce_float_argmax_combine(x, none);
            cr_expect(SAME_BITS(xy, yx), "%g at %zu, %g at %zu: %s, %s", values[k], k, values[l], l, BITS(xy), BITS(yx));
            cr_expect(SAME_BITS(left, x) && SAME_BITS(right, x), "%g: %s, %s", values[k], BITS(left), BITS(right));
            cr_expect(x.index == (i64)k && memcmp(&x.value, &values[k], sizeof x.value) == 0);
        }
    const reduce_float_argmax_result twice = reduce_float_argmax_combine(none, none);
    cr_expect(SAME_BITS(twice, none));
}

/* Lanes of a whole warp, as a kernel of arrays folds them: equals whose indices differ in either half of 64 bits,
   beside better and worse values. */
enum { FAR_CASES = 6 };

HELPER_BOTH u64 far_index(int which, unsigned lane)
{
    const u64 far[FAR_CASES] = {0xffffffffull + lane % 3, ((u64)(31 - lane) << 32) | (lane * 5), 0x7fffffffull + 31 - lane,
                                lane == 9 ? 0xffffffffull : (1ull << 32) + lane, 1ull << (lane + 1), 0x100000000ull + (lane ^ 21)};
    return far[which] * 32 + lane;
}

HELPER_BOTH float far_value(int which, unsigned lane)
{
    const float values[] = {1, lane % 2 ? 0.0f : -0.0f, lane % 4 == 1 ? 2.0f : 1.0f, NAN, -INFINITY, lane == 17 ? 3.0f : 2.0f};
    return values[which];
}

static __global__ void far_lanes(reduce_float_argmax_result *floats, reduce_schar_argmin_result *bytes)
{
    const struct reduce_place_ at = reduce_place_along_x_();
    for (int k = 0; k < FAR_CASES * FAR_CASES; k++) {
        const u64 i = far_index(k / FAR_CASES, threadIdx.x);
        const float x = far_value(k % FAR_CASES, threadIdx.x);
        const reduce_float_argmax_result a = reduce_float_argmax_fold_(reduce_float_argmax_of(x, i), at, 32);
        const reduce_schar_argmin_result b = reduce_schar_argmin_fold_(reduce_schar_argmin_of((schar)(x > 1 ? -5 : 5), i), at, 32);
        floats[k * 32 + threadIdx.x] = a;
        bytes[k * 32 + threadIdx.x] = b;
    }
}

Test(arg, far_indices, .init = need_gpu)
{
    enum { ALL_LANES = FAR_CASES * FAR_CASES * 32 };
    static reduce_float_argmax_result floats[ALL_LANES];
    static reduce_schar_argmin_result bytes[ALL_LANES];
    reduce_float_argmax_result *floats_there = (reduce_float_argmax_result *)device_room(sizeof floats, 0x5a);
    reduce_schar_argmin_result *bytes_there = (reduce_schar_argmin_result *)device_room(sizeof bytes, 0x5a);
    far_lanes<<<1, 32>>>(floats_there, bytes_there);
    check_launch();
    from_device(floats, floats_there, sizeof floats);
    from_device(bytes, bytes_there, sizeof bytes);
    for (int k = 0; k < ALL_LANES; k++) {
        reduce_float_argmax_result a = reduce_float_argmax_identity();
        reduce_schar_argmin_result b = reduce_schar_argmin_identity();
        for (unsigned l = 0; l < 32; l++) {
            const u64 i = far_index(k / 32 / FAR_CASES, l);
            const float x = far_value(k / 32 % FAR_CASES, l);
            a = reduce_float_argmax_combine(a, reduce_float_argmax_of(x, i));
            b = reduce_schar_argmin_combine(b, reduce_schar_argmin_of((schar)(x > 1 ? -5 : 5), i));
        }
        cr_expect(SAME_BITS(floats[k], a), "floats, case %d: %s, not %s", k / 32, BITS(floats[k]), BITS(a));
        cr_expect(SAME_BITS(bytes[k], b), "bytes, case %d: %s, not %s", k / 32, BITS(bytes[k]), BITS(b));
    }
    CHECK(cudaFree(floats_there));
    CHECK(cudaFree(bytes_there));
}

/* ---- Two results in one pass ------------------------------------------------------------------------- */

HELPER_BOTH double of_two(double x)
{
    return x * x;
}

DEFINE_REDUCE(float, min)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE(float, fmax)
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_MAP(rounded, float, float, reduce_rounded_float(x * 1.1f) + x, 0, a + b)
DEFINE_REDUCE_MAP(squares, float, double, of_two(x), 0, a + b)
DEFINE_REDUCE_MAP(bytes, float, u8, ((void)x, (u8)(i % 251)), 0, (u8)(a + b))
DEFINE_REDUCE_MAP(traces, float, u64, ((void)x, (u64)i + 1), 0, traced(a, b))
DEFINE_REDUCE_MOMENTS(float)
DEFINE_REDUCE_PAIR(extent, reduce_float_min, reduce_float_max)
#define REDUCE_HAVE_extent
DEFINE_REDUCE_PAIR(extent, reduce_float_sum, squares) /* nothing */
DEFINE_REDUCE_PAIR(sums, rounded, squares)
DEFINE_REDUCE_PAIR(padded, bytes, traces)
DEFINE_REDUCE_PAIR(padded_behind, traces, bytes)
DEFINE_REDUCE_PAIR(nested, extent, padded)
DEFINE_REDUCE_PAIR(places, reduce_float_argmin, reduce_float_argfmax)
DEFINE_REDUCE_PAIR(deeply, nested, places)
DEFINE_REDUCE_PAIR(with_moments, reduce_float_moments, reduce_float_argmax)
DEFINE_REDUCE_MAP(any_is, float, int, ((void)x, (int)(i % 7 + 2)), REDUCE_IDENTITY_lor(int), REDUCE_COMBINE_lor(int, a, b))
DEFINE_REDUCE_PAIR(truth, any_is, reduce_float_max) /* 2 alone becomes 1 */
DEFINE_REDUCE_PAIR(truth_inside, reduce_float_argmin, truth)

/* Whether order can be seen in neither half. */
#define EVERY_PAIR(EACH)                                                                                   \
    EACH(extent, reduce_float_min, reduce_float_max, true)                                                 \
    EACH(sums, rounded, squares, false)                                                                    \
    EACH(padded, bytes, traces, false)                                                                     \
    EACH(padded_behind, traces, bytes, false)                                                              \
    EACH(nested, extent, padded, false)                                                                    \
    EACH(places, reduce_float_argmin, reduce_float_argfmax, true)                                          \
    EACH(deeply, nested, places, false)                                                                    \
    EACH(with_moments, reduce_float_moments, reduce_float_argmax, false)                                   \
    EACH(truth, any_is, reduce_float_max, true)                                                            \
    EACH(truth_inside, reduce_float_argmin, truth, true)

/* Both halves by themselves, where a pair has them, and zeros in between. */
#define DEFINE_PAIR(NAME, FIRST, SECOND, IS_EXACT)                                                         \
    DEFINE_BY(NAME, float, NAME##_result)                                                                  \
    static void alone_##NAME(executed_by *first, executed_by *second, const float *in, size_t n, void *to) \
    {                                                                                                      \
        unsigned char *bytes = (unsigned char *)to;                                                        \
        memset(bytes, 0, sizeof(NAME##_result));                                                           \
        CHECK(first(BY_CPU, in, n, bytes + offsetof(NAME##_result, first), NULL, 0));                      \
        CHECK(second(BY_CPU, in, n, bytes + offsetof(NAME##_result, second), NULL, 0));                    \
    }
DEFINE_BY(reduce_float_min, float, float)
DEFINE_BY(reduce_float_max, float, float)
DEFINE_BY(rounded, float, float)
DEFINE_BY(squares, float, double)
DEFINE_BY(bytes, float, u8)
DEFINE_BY(traces, float, u64)
DEFINE_BY(reduce_float_moments, float, struct reduce_moments)
DEFINE_BY(any_is, float, int)
EVERY_PAIR(DEFINE_PAIR)

struct pair {
    const char *name;
    size_t size;
    bool is_exact;
    executed_by *run, *first, *second;
    void (*alone)(executed_by *first, executed_by *second, const float *in, size_t n, void *to);
};
#define PAIR(NAME, FIRST, SECOND, IS_EXACT)                                                                \
    {#NAME, sizeof(NAME##_result), IS_EXACT, NAME##_by, FIRST##_by, SECOND##_by, alone_##NAME},
static const struct pair pairs[] = {EVERY_PAIR(PAIR)};

/* Rough numbers; a NaN with a payload among them, or nothing else. */
static void fill_for(float *in, size_t n, int variant)
{
    const u32 payload = 0xff812345;
    fill_float(in, n, 3);
    if (variant == 1 && n > 0) memcpy(&in[n * 2 / 3], &payload, sizeof payload);
    for (size_t i = 0; variant == 2 && i < n; i++) memcpy(&in[i], &payload, sizeof payload);
}

static void expect_pair(const struct pair *p, const float *in, const float *on_device, size_t n, void *room,
                        reduce_workspace *ws)
{
    unsigned char expected[REDUCE_MAX_SIZE], got[REDUCE_MAX_SIZE];
    p->alone(p->first, p->second, in, n, expected);
    for (int by = 0; by < (p->is_exact ? EXECUTORS : EXACT_EXECUTORS); by++) {
        memset(got, 0x5a, sizeof got);
        CHECK(execute(p->run, (enum executor)by, by <= BY_CALL ? in : on_device, n, got, p->size, room, ws));
        if (memcmp(got, expected, p->size) != 0)
            cr_expect(false, "%s_%s of %zu: %s, alone %s", p->name, executors[by], n, bits_in_hex(got, p->size),
                      bits_in_hex(expected, p->size));
    }
}

Test(pair, every_executor, .init = need_gpu)
{
    static float in[14 * 256 + 1];
    void *room = device_room(REDUCE_MAX_SIZE, 0);
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    for (int variant = 0; variant < 3; variant++) {
        fill_for(in, COUNT(in), variant);
        float *on_device = (float *)to_device(in, sizeof in);
        for (size_t k = 0; k < COUNT(sizes); k++)
            for (size_t l = 0; l < COUNT(pairs); l++)
                if (is_due(k + l)) expect_pair(&pairs[l], in, on_device, size_of(k, sizeof *in), room, ws);
        CHECK(cudaFree(on_device));
    }
    CHECK(cudaFree(room));
    CHECK(reduce_workspace_destroy(ws));
}

Test(pair, sizes)
{
    cr_expect(sizeof(extent_result) == 8 && sizeof(padded_result) == 16 && sizeof(padded_behind_result) == 16);
    cr_expect(sizeof(nested_result) == 24 && sizeof(deeply_result) == 56 && sizeof(with_moments_result) == 56);
    cr_expect(offsetof(padded_result, second) == 8 && offsetof(padded_behind_result, second) == 8);
    cr_expect(extent_is_exact_ && places_is_exact_ && !sums_is_exact_ && !deeply_is_exact_);
}

/* ---- Moments ----------------------------------------------------------------------------------------- */

DEFINE_REDUCE_MOMENTS(double)
#ifndef FEW_TYPES
DEFINE_REDUCE_MOMENTS(i16)
DEFINE_REDUCE_MOMENTS(u64)
DEFINE_REDUCE_MOMENTS(__half)
DEFINE_REDUCE_MOMENTS(__nv_bfloat16)
#    define EVERY_MOMENTS(EACH) EACH(float) EACH(double) EACH(i16) EACH(u64) EACH(__half) EACH(__nv_bfloat16)
#else
#    define EVERY_MOMENTS(EACH) EACH(float) EACH(double)
#endif

#define DEFINE_MOMENTS(T)                                                                                  \
    DEFINE_TREE(reduce_##T##_moments, T, struct reduce_moments, reduce_##T##_moments_of(x, i),             \
                reduce_##T##_moments_identity(), reduce_##T##_moments_combine(a, b))                       \
    static struct reduce_moments moments_tree_##T(const void *in, size_t n)                                \
    {                                                                                                      \
        return reduce_##T##_moments_tree((const T *)in, n);                                                \
    }                                                                                                      \
    static void moments_fill_##T(void *to, size_t n)                                                       \
    {                                                                                                      \
        for (size_t i = 0; i < n; i++) ((T *)to)[i] = (T)(float)(1000 + rough(mixed(i), 10));              \
    }                                                                                                      \
    static long double moments_at_##T(const void *in, size_t i)                                            \
    {                                                                                                      \
        return (long double)(double)((const T *)in)[i];                                                    \
    }
DEFINE_BY(reduce_double_moments, double, struct reduce_moments)
#ifndef FEW_TYPES
DEFINE_BY(reduce_i16_moments, i16, struct reduce_moments)
DEFINE_BY(reduce_u64_moments, u64, struct reduce_moments)
DEFINE_BY(reduce___half_moments, __half, struct reduce_moments)
DEFINE_BY(reduce___nv_bfloat16_moments, __nv_bfloat16, struct reduce_moments)
#endif
EVERY_MOMENTS(DEFINE_MOMENTS)

struct moments {
    const char *name;
    size_t size;
    executed_by *run;
    struct reduce_moments (*tree)(const void *in, size_t n);
    void (*fill)(void *to, size_t n);
    long double (*at)(const void *in, size_t i);
};
#define MOMENTS(T)                                                                                         \
    {"reduce_" #T "_moments", sizeof(T), reduce_##T##_moments_by, moments_tree_##T, moments_fill_##T, moments_at_##T},
static const struct moments all_moments[] = {EVERY_MOMENTS(MOMENTS)};

/* Two passes in long double. A mean is as good as a few roundings of the greatest element; a merge squares the
   difference of two means. The sum of squares by itself would be off by as much as n * greatest^2 * epsilon. */
static void expect_near(const struct moments *t, struct reduce_moments m, const void *in, size_t n)
{
    long double sum = 0, squares = 0, greatest = 0, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        const long double x = t->at(in, i);
        sum += x;
        least = x < least ? x : least;
        most = x > most ? x : most;
        greatest = fabsl(x) > greatest ? fabsl(x) : greatest;
    }
    const long double mean = n > 0 ? sum / (long double)n : 0, epsilon = 20 * DBL_EPSILON;
    for (size_t i = 0; i < n; i++) squares += (t->at(in, i) - mean) * (t->at(in, i) - mean);
    const long double off = epsilon * greatest, all = (long double)n;
    const long double bound = epsilon * squares + 2 * off * sqrtl(all * squares) + all * off * off;
    cr_expect(m.count == (double)n && m.min == (double)least && m.max == (double)most, "%s of %zu", t->name, n);
    cr_expect(fabsl(m.mean - mean) <= off, "%s of %zu: mean %.17g, not %.17Lg", t->name, n, m.mean, mean);
    cr_expect(fabsl(m.squares - squares) <= bound, "%s of %zu: squares %.17g, not %.17Lg", t->name, n, m.squares, squares);
}

static void run_moments(const struct moments *t, void *room, reduce_workspace *ws)
{
    const size_t most = size_of(COUNT(sizes) - 1, t->size);
    void *in = malloc(most * t->size);
    cr_assert(in != NULL, "no memory");
    t->fill(in, most);
    void *on_device = to_device(in, most * t->size);
    for (size_t k = 0; k < COUNT(sizes); k++) {
        const size_t n = size_of(k, t->size);
        if (!is_due(k + t->size)) continue;
        const struct reduce_moments tree = t->tree(in, n);
        for (int by = 0; by < EXECUTORS; by++) {
            struct reduce_moments m;
            CHECK(execute(t->run, (enum executor)by, by <= BY_CALL ? in : on_device, n, &m, sizeof m, room, ws));
            expect_near(t, m, in, n);
            if (by < EXACT_EXECUTORS)
                cr_expect(SAME_BITS(m, tree), "%s_%s of %zu: %s, not %s", t->name, executors[by], n, BITS(m), BITS(tree));
        }
    }
    CHECK(cudaFree(on_device));
    free(in);
}

Test(moments, every_executor, .init = need_gpu)
{
    void *room = device_room(sizeof(struct reduce_moments), 0);
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    for (size_t k = 0; k < COUNT(all_moments); k++) run_moments(&all_moments[k], room, ws);
    CHECK(cudaFree(room));
    CHECK(reduce_workspace_destroy(ws));
}

/* Whole words, and whole rows on the CPU, beside single merges in the order of the tree, where means are too far apart
   to subtract, infinite or no numbers: at a place of the first word of a strand, or of a later one. */
static void expect_odd_words(const char *what, const double *in, double *on_device, size_t n, void *room, reduce_workspace *ws)
{
    struct reduce_moments tree = reduce_double_moments_tree(in, n), m;
    tree_canonical(&tree.mean, 'd');
    tree_canonical(&tree.squares, 'd');
    tree_canonical(&tree.min, 'd');
    tree_canonical(&tree.max, 'd');
    CHECK(cudaMemcpy(on_device, in, n * sizeof *in, cudaMemcpyHostToDevice));
    for (int by = BY_CPU; by <= BY_ASYNC; by++) {
        const void *from = by <= BY_CALL ? in : on_device;
        CHECK(execute(reduce_double_moments_by, (enum executor)by, from, n, &m, sizeof m, room, ws));
        cr_expect(SAME_BITS(m, tree), "%s, %s: %s, not %s", what, executors[by], BITS(m), BITS(tree));
    }
}

Test(moments, odd_words, .init = need_gpu)
{
    enum { STRIPE = 64 * 2, N = 5 * STRIPE + 6 };
    static const double odd[] = {INFINITY, -INFINITY, NAN, 1.7e308, -1.7e308, -0.0, 5e-324};
    static double in[N];
    double *on_device = (double *)device_room(sizeof in, 0);
    void *room = device_room(sizeof(struct reduce_moments), 0);
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    for (size_t k = 0; k < COUNT(odd); k++)
        for (size_t row = 0; row < 3; row++) {
            for (size_t i = 0; i < N; i++) in[i] = k < 3 ? rough(mixed(i), 10) : i % 2 ? 1e308 : -1e308;
            in[row * STRIPE + 10 + k] = odd[k];
            expect_odd_words("one", in, on_device, N, room, ws);
            in[row * STRIPE + 10 + k + STRIPE] = -odd[k];
            expect_odd_words("two", in, on_device, N, room, ws);
        }
    for (size_t k = 0; k < COUNT(odd); k++) {
        for (size_t i = 0; i < N; i++) in[i] = odd[k];
        expect_odd_words("all", in, on_device, N, room, ws);
    }
    CHECK(cudaFree(room));
    CHECK(cudaFree(on_device));
    CHECK(reduce_workspace_destroy(ws));
}

/* NaN, infinities and means too far apart to subtract: {values, mean, squares, min, max}. */
Test(moments, values, .init = need_gpu)
{
    static const struct {
        double in[4];
        size_t n;
        double mean, squares, min, max;
    } cases[] = {
        {{0}, 0, 0, 0, INFINITY, -INFINITY},
        {{-0.0}, 1, -0.0, 0, -0.0, -0.0},
        {{3, 5}, 2, 4, 2, 3, 5},
        {{1, NAN, 3}, 3, NAN, NAN, NAN, NAN},
        {{NAN}, 1, NAN, NAN, NAN, NAN},
        {{INFINITY}, 1, INFINITY, NAN, INFINITY, INFINITY},
        {{INFINITY, 1}, 2, INFINITY, NAN, 1, INFINITY},
        {{1, INFINITY, 2, INFINITY}, 4, INFINITY, NAN, 1, INFINITY},
        {{-INFINITY, 7, -INFINITY}, 3, -INFINITY, NAN, -INFINITY, 7},
        {{-INFINITY, INFINITY}, 2, NAN, NAN, -INFINITY, INFINITY},
        {{1.7e308, -1.7e308}, 2, 0, INFINITY, -1.7e308, 1.7e308},
        {{5e-324, 5e-324}, 2, 5e-324, 0, 5e-324, 5e-324},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        struct reduce_moments expected = {(double)cases[k].n, cases[k].mean, cases[k].squares, cases[k].min, cases[k].max};
        struct reduce_moments gpu, cpu = reduce_double_moments_cpu(cases[k].in, cases[k].n);
        CHECK(reduce_double_moments(cases[k].in, cases[k].n, &gpu));
        tree_canonical(&expected.mean, 'd');
        tree_canonical(&expected.squares, 'd');
        tree_canonical(&expected.min, 'd');
        tree_canonical(&expected.max, 'd');
        cr_expect(SAME_BITS(cpu, expected), "case %zu: %s, not %s", k, BITS(cpu), BITS(expected));
        cr_expect(SAME_BITS(gpu, expected), "case %zu on the device: %s, not %s", k, BITS(gpu), BITS(expected));
    }
}

/* One NaN with a payload, which no merge has touched. */
Test(moments, payload, .init = need_gpu)
{
    const u64 bits = 0xfff8000000012345, nan = 0x7ff8000000000000;
    double in;
    struct reduce_moments m[2];
    memcpy(&in, &bits, sizeof in);
    m[0] = reduce_double_moments_cpu(&in, 1);
    CHECK(reduce_double_moments(&in, 1, &m[1]));
    for (int k = 0; k < 2; k++)
        cr_expect(m[k].count == 1 && SAME_BITS(m[k].mean, nan) && SAME_BITS(m[k].squares, nan) &&
                  SAME_BITS(m[k].min, nan) && SAME_BITS(m[k].max, nan), "%s", BITS(m[k]));
}

/* The identity leaves every bit of the other side as it is, those of a NaN too. */
Test(moments, identity)
{
    const struct reduce_moments none = reduce_double_moments_identity();
    u64 words[5] = {0x4008000000000000, 0x8000000000000000, 0x7ff8000000000123, 0xfff0000000000000, 0x8000000000000000};
    struct reduce_moments m;
    memcpy(&m, words, sizeof m);
    const struct reduce_moments left = reduce_double_moments_combine(none, m);
    const struct reduce_moments right = reduce_double_moments_combine(m, none);
    const struct reduce_moments twice = reduce_double_moments_combine(none, none);
    cr_expect(SAME_BITS(left, m) && SAME_BITS(right, m) && SAME_BITS(twice, none), "%s, %s", BITS(left), BITS(right));
}

Test(moments, variance)
{
    const double in[] = {2, 4, 4, 4, 5, 5, 7, 9};
    const struct reduce_moments m = reduce_double_moments_cpu(in, COUNT(in)), one = reduce_double_moments_cpu(in, 1),
                                none = reduce_double_moments_cpu(in, 0);
    const double of_none = reduce_moments_variance(none), of_one = reduce_moments_sample_variance(one);
    const u64 nan = 0x7ff8000000000000;
    cr_expect(m.mean == 5 && reduce_moments_variance(m) == 4 && reduce_moments_sample_variance(m) == 32.0 / 7);
    cr_expect(reduce_moments_variance(one) == 0 && isnan(reduce_moments_sample_variance(none)));
    cr_expect(SAME_BITS(of_none, nan) && SAME_BITS(of_one, nan), "%s, %s", BITS(of_none), BITS(of_one));
}

/* ---- Of rows, columns and segments ------------------------------------------------------------------- */

DEFINE_REDUCE_ROWS(reduce_schar_argmin)
DEFINE_REDUCE_ROWS(reduce_float_argmax)
DEFINE_REDUCE_ROWS(reduce___half_argfmin)
DEFINE_REDUCE_ROWS(reduce_float_moments)

enum { ROOM = 9000, RESULTS = 64 };

/* Draws lengths, and where the first begins. Every other time there are many columns. */
struct drawn {
    size_t n, count, pitch, offset;
};

static struct drawn drawn(size_t k)
{
    const size_t most[] = {40, 300, 3000};
    struct drawn d = {k % 12 == 7 ? 0 : 1 + mixed(4 * k) % most[k % 3], 1 + mixed(4 * k + 1) % (k / 3 % 2 ? 3 : RESULTS - 2), 0,
                      mixed(4 * k + 2) % 16};
    d.pitch = d.n + mixed(4 * k + 3) % 3;
    while (d.offset + d.count * d.pitch > ROOM) d.count--;
    return d;
}

/* Each as alone by NAME_cpu, whose results the tests above compare with loops. */
#define DEFINE_SHAPES(NAME, In)                                                                            \
    static void shapes_of_##NAME(const In *in, struct drawn d, In *on_device, NAME##_result *room,         \
                                 int64_t *offsets, reduce_workspace *ws)                                   \
    {                                                                                                      \
        NAME##_result rows[RESULTS], columns[RESULTS], segments[RESULTS];                                  \
        const In *const begin = in + d.offset;                                                             \
        int64_t ends[RESULTS];                                                                             \
        static In column[ROOM];                                                                            \
        for (size_t k = 0; k <= d.count; k++) ends[k] = (int64_t)(k * d.n);                                \
        CHECK(cudaMemcpy(on_device, in, ROOM * sizeof *in, cudaMemcpyHostToDevice));                       \
        CHECK(cudaMemcpy(offsets, ends, sizeof ends, cudaMemcpyHostToDevice));                             \
        CHECK(NAME##_rows_async(on_device + d.offset, d.count, d.n, d.pitch, room, ws, 0));                \
        from_device(rows, room, d.count * sizeof *rows);                                                   \
        CHECK(NAME##_columns_async(on_device + d.offset, d.n, d.count, d.count, room, ws, 0));             \
        from_device(columns, room, d.count * sizeof *columns);                                             \
        CHECK(NAME##_segments_async(on_device + d.offset, offsets, d.count, room, ws, 0));                 \
        from_device(segments, room, d.count * sizeof *segments);                                           \
        for (size_t k = 0; k < d.count; k++) {                                                             \
            const NAME##_result row = NAME##_cpu(begin + k * d.pitch, d.n);                                \
            const NAME##_result segment = NAME##_cpu(begin + k * d.n, d.n);                                \
            for (size_t i = 0; i < d.n; i++) column[i] = begin[i * d.count + k];                           \
            const NAME##_result of_column = NAME##_cpu(column, d.n);                                       \
            cr_expect(SAME_BITS(rows[k], row), "row %zu of %zu, %zu further: %s, not %s", k, d.n, d.offset, BITS(rows[k]), BITS(row)); \
            cr_expect(SAME_BITS(segments[k], segment), "segment %zu of %zu", k, d.n);                      \
            cr_expect(SAME_BITS(columns[k], of_column), "column %zu of %zu", k, d.n);                      \
        }                                                                                                  \
    }
DEFINE_SHAPES(reduce_schar_argmin, schar)
DEFINE_SHAPES(reduce_float_argmax, float)
DEFINE_SHAPES(reduce___half_argfmin, __half)
DEFINE_SHAPES(reduce_float_moments, float)

/* By turns: the identity of argmax alone, or NaN alone; few values, so that the first of several equals counts; these, and
   NaNs; what one comparison in a thousand tells from the identity. */
HELPER float drawn_number(size_t k, size_t i)
{
    const u64 hash = mixed(i + 131 * k);
    const float few = (float)(hash / 7 % 5) - 2;
    const float by_turns[] = {k % 8 < 4 ? -INFINITY : NAN, few, hash % 300 == 0 ? NAN : few, hash % 1000 == 0 ? few : -INFINITY};
    return by_turns[k % 4];
}

Test(results, shapes, .init = need_gpu)
{
    static schar bytes[ROOM];
    static float floats[ROOM], numbers[ROOM];
    static __half halves[ROOM];
    void *const on_device = device_room(sizeof floats, 0), *const room = device_room(RESULTS * REDUCE_MAX_SIZE, 0);
    int64_t *const offsets = (int64_t *)device_room(RESULTS * sizeof *offsets, 0);
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    fill_float(floats, ROOM, 5);
    for (size_t k = 0; k < 72; k++) {
        for (size_t i = 0; i < ROOM; i++) bytes[i] = (schar)(k % 2 ? 3 : mixed(i) % 9 - 4);
        for (size_t i = 0; i < ROOM; i++) numbers[i] = drawn_number(k, i), halves[i] = __float2half(-numbers[i]);
        shapes_of_reduce_schar_argmin(bytes, drawn(k), (schar *)on_device, (reduce_schar_argmin_result *)room, offsets, ws);
        shapes_of_reduce_float_argmax(numbers, drawn(k), (float *)on_device, (reduce_float_argmax_result *)room, offsets, ws);
        shapes_of_reduce___half_argfmin(halves, drawn(k), (__half *)on_device, (reduce___half_argfmin_result *)room, offsets, ws);
        if (is_due(k))
            shapes_of_reduce_float_moments(floats, drawn(k), (float *)on_device, (struct reduce_moments *)room, offsets, ws);
    }
    CHECK(cudaFree(offsets));
    CHECK(cudaFree(room));
    CHECK(cudaFree(on_device));
    CHECK(reduce_workspace_destroy(ws));
}

/* ---- In kernels -------------------------------------------------------------------------------------- */

enum { THREADS = 96, BLOCKS = 3, ALL = THREADS * BLOCKS };

/* Warps, tiles, blocks or grids: each result by every function; pairs and halves side by side. */
struct scales {
    places_result warp, tile, block;
    reduce_float_argmin_result first_of_warp, first_of_tile, first_of_block;
    struct reduce_moments moments, moments_of_warp;
    with_moments_result with_moments, with_moments_of_warp;
};

static __global__ void by_scale(const float *in, struct scales *out, reduce_workspace *ws, places_result *of_grid)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const places_result x = places_of(in[i], i);
    /* of one, two or three elements, so that any other order gives other bits */
    with_moments_result y = with_moments_of((float)rough(mixed(i), 20), i);
    for (unsigned k = 0; k < i % 3; k++)
        y = with_moments_combine(y, with_moments_of((float)rough(mixed(i + 1000 * k), 20), i + 1000 * k));
    out[i].warp = places_warp(x);
    out[i].tile = places_tile(x, 8);
    out[i].block = places_block(x);
    out[i].first_of_warp = reduce_float_argmin_warp(reduce_float_argmin_of(in[i], i));
    out[i].first_of_tile = reduce_float_argmin_tile(reduce_float_argmin_of(in[i], i), 8);
    out[i].first_of_block = reduce_float_argmin_block(reduce_float_argmin_of(in[i], i));
    out[i].moments = reduce_float_moments_block(y.first);
    out[i].with_moments = with_moments_block(y);
    out[i].moments_of_warp = reduce_float_moments_warp(y.first);
    out[i].with_moments_of_warp = with_moments_warp(y);
    places_grid(x, ws, of_grid);
}

/* The extremes of count neighbours from begin on. */
static void expect_scale(const char *what, places_result pair, reduce_float_argmin_result first, const float *in, size_t begin,
                         size_t count)
{
    struct found low = loop_float_argmin(in + begin, count), high = loop_float_argfmax(in + begin, count);
    low.index += (i64)begin;
    high.index += (i64)begin;
    cr_expect(memcmp(&pair.first, &low, sizeof low) == 0 && memcmp(&pair.second, &high, sizeof high) == 0, "%s: %s", what,
              BITS(pair));
    cr_expect(memcmp(&first, &low, sizeof low) == 0, "%s alone: %s", what, BITS(first));
}

Test(results, in_kernels, .init = need_gpu)
{
    float in[ALL];
    static struct scales out[ALL];
    places_result of_grid;
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    for (size_t i = 0; i < ALL; i++) in[i] = i % 41 == 40 ? NAN : (float)(mixed(i) % 5);
    float *on_device = (float *)to_device(in, sizeof in);
    struct scales *room = (struct scales *)device_room(sizeof out, 0x5a);
    places_result *grid = (places_result *)device_room(sizeof *grid, 0x5a);
    by_scale<<<BLOCKS, THREADS>>>(on_device, room, ws, grid);
    check_launch();
    from_device(out, room, sizeof out);
    from_device(&of_grid, grid, sizeof of_grid);
    for (size_t i = 0; i < ALL; i++) {
        expect_scale("a warp", out[i].warp, out[i].first_of_warp, in, i / 32 * 32, 32);
        expect_scale("a tile", out[i].tile, out[i].first_of_tile, in, i / 8 * 8, 8);
        expect_scale("a block", out[i].block, out[i].first_of_block, in, i / THREADS * THREADS, THREADS);
        const struct scales *first = &out[i / 32 * 32];
        cr_expect(SAME_BITS(out[i].moments, out[i].with_moments.first) && out[i].moments.count == 2 * THREADS);
        cr_expect(SAME_BITS(out[i].moments_of_warp, out[i].with_moments_of_warp.first));
        cr_expect(SAME_BITS(out[i].moments_of_warp, first->moments_of_warp));
        cr_expect(SAME_BITS(out[i].with_moments_of_warp, first->with_moments_of_warp));
    }
    expect_scale("the grid", of_grid, of_grid.first, in, 0, ALL);
    CHECK(cudaFree(grid));
    CHECK(cudaFree(room));
    CHECK(cudaFree(on_device));
    CHECK(reduce_workspace_destroy(ws));
}
