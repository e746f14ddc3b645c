/*
 * Compares every executor of an array with the tree of tree.h, bit for bit, and with a serial loop: exactly for
 * integers, within a bound for floats. A type and an operator make a subject; one runner serves all subjects.
 *
 *     INTEGER_SUBJECTS(EACH, T)       EACH(kind, T, op) for the operators of an integer type
 *     FLOATING_SUBJECTS(EACH, T)      the same for a floating-point type
 *     ARRAY_TEST(suite)               the test; EVERY(EACH) says EACH(kind, T, op) for all of its subjects
 */
#ifndef ARRAY_H
#define ARRAY_H

#include "check.h"
#include "executors.h"
#include "operators.h"
#include "tree.h"

#include <float.h>

#if defined(FEW_TYPES) && !defined(EVERY_OPERATOR)
#    define INTEGER_SUBJECTS(EACH, T) EACH(INTEGER, T, sum) EACH(INTEGER, T, min) EACH(INTEGER, T, land)
#    define FLOATING_SUBJECTS(EACH, T) EACH(FLOATING, T, sum) EACH(FLOATING, T, min) EACH(FLOATING, T, fmax)
#else
#    define INTEGER_SUBJECTS INTEGER_OPERATORS
#    define FLOATING_SUBJECTS FLOATING_OPERATORS
#endif

/* ---- A serial loop ---------------------------------------------------------------------------------- */

/* Integers, computed in 64 bits and cut to T in the end. */
#define LOOP_INTEGER_sum(T) 0, bits + (u64)x
#define LOOP_INTEGER_prod(T) 1, bits *(u64)x
#define LOOP_INTEGER_min(T) (u64) TREE_GREATEST(T), x < (T)bits ? (u64)x : bits
#define LOOP_INTEGER_max(T) (u64) TREE_LEAST(T), x > (T)bits ? (u64)x : bits
#define LOOP_INTEGER_band(T) ~0ull, bits &(u64)x
#define LOOP_INTEGER_bor(T) 0, bits | (u64)x
#define LOOP_INTEGER_bxor(T) 0, bits ^ (u64)x
#define LOOP_INTEGER_land(T) 1, (u64)(bits != 0 && x != 0)
#define LOOP_INTEGER_lor(T) 0, (u64)(bits != 0 || x != 0)

/* Floats without NaN, in long double. */
#define LOOP_FLOATING_sum(T) 0, bits + x
#define LOOP_FLOATING_prod(T) 1, bits *x
#define LOOP_FLOATING_min(T) INFINITY, x < bits ? x : bits
#define LOOP_FLOATING_max(T) -INFINITY, x > bits ? x : bits
#define LOOP_FLOATING_fmin(T) LOOP_FLOATING_min(T)
#define LOOP_FLOATING_fmax(T) LOOP_FLOATING_max(T)
#define LOOP_FLOATING_land(T) 1, (bits != 0 && x != 0)
#define LOOP_FLOATING_lor(T) 0, (bits != 0 || x != 0)

static inline long double widened(float x)
{
    return x;
}
static inline long double widened(double x)
{
    return x;
}
#ifdef __CUDA_FP16_TYPES_EXIST__
static inline long double widened(__half x)
{
    return __half2float(x);
}
#endif
#ifdef __CUDA_BF16_TYPES_EXIST__
static inline long double widened(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}
#endif

/* The loop's result, and the sum of the operands' magnitudes, for the bound. */
struct loop {
    u64 bits;
    long double value, weight;
    bool is_exact;
};

#define LOOP_BODY(WIDE, WIDEN, START, ...)                                                                 \
    {                                                                                                      \
        WIDE bits = START;                                                                                 \
        for (size_t i = 0; i < n; i++) {                                                                   \
            const auto x = WIDEN(in[i]);                                                                   \
            bits = __VA_ARGS__;                                                                            \
        }                                                                                                  \
        return bits;                                                                                       \
    }
#define LOOP_BODY_(...) LOOP_BODY(__VA_ARGS__)
#define DEFINE_LOOP_INTEGER(T, op)                                                                         \
    static u64 loop_##T##_##op(const T *in, size_t n) LOOP_BODY_(u64, , LOOP_INTEGER_##op(T))
#define DEFINE_LOOP_FLOATING(T, op)                                                                        \
    static long double loop_##T##_##op(const T *in, size_t n)                                              \
        LOOP_BODY_(long double, widened, LOOP_FLOATING_##op(T))

/* ---- Is a result right, by the loop? ---------------------------------------------------------------- */

/* Additions of rounded numbers on the way to a result: at most this many lie one after the other in the
   tree; and with atomics, where one result is added after the other. */
enum { ADDITIONS = 200, ATOMIC_ADDITIONS = 20000 };

#define IS_RIGHT_INTEGER(T, op)                                                                            \
    static bool is_right_##T##_##op(const void *in, size_t n, const void *got, int)                        \
    {                                                                                                      \
        const T exact = (T)loop_##T##_##op((const T *)in, n);                                              \
        return memcmp(&exact, got, sizeof exact) == 0;                                                     \
    }

/* A float's least step at 1. */
static inline long double step_of(char kind)
{
    return kind == 'f' ? FLT_EPSILON : kind == 'd' ? DBL_EPSILON : kind == 'h' ? 1.0L / 1024 : 1.0L / 128;
}

/* Below this a product may underflow on the way. */
static inline long double least_normal(char kind)
{
    return kind == 'd' ? DBL_MIN : kind == 'h' ? 1.0L / 16384 : FLT_MIN;
}

/* How far a rounded result may be from the exact one. */
static inline long double tolerance(const char *op, char kind, long double exact, long double weight,
                                    size_t n, int steps)
{
    if (strcmp(op, "sum") == 0) return steps * step_of(kind) * weight;
    if (strcmp(op, "prod") == 0) return expm1l((long double)n * step_of(kind)) * fabsl(exact) + least_normal(kind);
    return 0;
}

#define IS_RIGHT_FLOATING(T, op)                                                                           \
    static bool is_right_##T##_##op(const void *in, size_t n, const void *got, int steps)                  \
    {                                                                                                      \
        const bool is_nan_right = (strcmp(#op, "fmin") == 0 || strcmp(#op, "fmax") == 0) && n == 0;        \
        const long double exact = loop_##T##_##op((const T *)in, n), value = widened(*(const T *)got);     \
        long double weight = 0;                                                                            \
        for (size_t i = 0; i < n; i++) weight += fabsl(widened(((const T *)in)[i]));                       \
        if (is_nan_right) return value != value;                                                           \
        return value == exact ||                                                                           \
               fabsl(value - exact) <= tolerance(#op, TREE_KIND(T), exact, weight, n, steps);              \
    }

/* ---- A subject -------------------------------------------------------------------------------------- */

struct subject {
    const char *name, *op;
    size_t size;
    bool is_integer;
    void (*fill)(void *to, size_t n, bool for_product);
    void (*tree)(const void *in, size_t n, void *result);
    bool (*is_right)(const void *in, size_t n, const void *got, int steps);
    executed_by *run;
};

#define DEFINE_SUBJECT(kind, T, op)                                                                        \
    DEFINE_WITH_TREE(kind, T, op)                                                                          \
    DEFINE_BY(reduce_##T##_##op, T, T)                                                                     \
    DEFINE_LOOP_##kind(T, op)                                                                              \
    IS_RIGHT_##kind(T, op)                                                                                 \
    static void tree_##T##_##op(const void *in, size_t n, void *result)         \
    {                                                                                                      \
        *(T *)result = reduce_##T##_##op##_tree((const T *)in, n);                                         \
    }

#define IS_INTEGER_INTEGER true
#define IS_INTEGER_FLOATING false
#define SUBJECT(kind, T, op)                                                                               \
    {"reduce_" #T "_" #op, #op,           sizeof(T), IS_INTEGER_##kind, array_fill_##T, tree_##T##_##op,   \
     is_right_##T##_##op,  reduce_##T##_##op##_by},

/* ---- Data ------------------------------------------------------------------------------------------- */

/* Odd integers, because their products are not zero; floats near one, because their products are neither
   zero nor infinite. For the lists of types, which have an argument more. */
#define DEFINE_FILL_INTEGER(EACH, T)                                                                       \
    static void array_fill_##T(void *to, size_t n, bool for_product)                                       \
    {                                                                                                      \
        for (size_t i = 0; i < n; i++) ((T *)to)[i] = (T)(mixed(i) >> 5 | for_product);                    \
    }
#define DEFINE_FILL_FLOATING(EACH, T)                                                                      \
    static void array_fill_##T(void *to, size_t n, bool for_product)                                       \
    {                                                                                                      \
        const int exponents = sizeof(T) == 2 ? 8 : sizeof(T) == 4 ? 20 : 40;                               \
        for (size_t i = 0; i < n; i++)                                                                     \
            ((T *)to)[i] = (T)(float)(for_product ? 1 + rough(mixed(i), 1) : rough(mixed(i), exponents));  \
    }

/* ---- The runner ------------------------------------------------------------------------------------- */

/* Sizes as stripes, and elements more or less than that. */
static const int array_sizes[][2] = {
    {0, 0}, {0, 1}, {0, 37},  {0, 515}, {1, 5},    {3, -2}, {8, 1},
#ifndef SIMT
    {1, 0}, {8, 0}, {21, -3}, {512, 1}, {1025, 7},
#endif
};
enum { ARRAY_SIZES = sizeof array_sizes / sizeof *array_sizes };

static inline size_t array_size(int k, size_t element)
{
    return (size_t)array_sizes[k][0] * 512 * tree_positions(element) + (size_t)array_sizes[k][1];
}

static void array_run_size(const struct subject *s, size_t n, const void *in, const void *device,
                           reduce_workspace *ws)
{
    unsigned char tree[REDUCE_MAX_SIZE], got[REDUCE_MAX_SIZE];
    void *room = device_room(s->size, 0x5a);
    s->tree(in, n, tree);
    for (int by = 0; by < EXECUTORS; by++) {
        const bool is_atomic = by == BY_ATOMIC_WARP || by == BY_ATOMIC_BLOCK;
        memset(got, 0x5a, s->size);
        CHECK(cudaMemset(room, 0x5a, s->size));
        CHECK(execute(s->run, (enum executor)by, by <= BY_CALL ? in : device, n, got, s->size, room, ws));
        const bool is_right = s->is_right(in, n, got, is_atomic ? ATOMIC_ADDITIONS : ADDITIONS);
        if (!is_right)
            cr_expect(false, "%s_%s of %zu is wrong: %s", s->name, executors[by], n,
                      bits_in_hex(got, s->size));
        if (memcmp(got, tree, s->size) != 0 && (!is_atomic || s->is_integer))
            cr_expect(false, "%s_%s of %zu: %s, the tree gives %s", s->name, executors[by], n,
                      bits_in_hex(got, s->size), bits_in_hex(tree, s->size));
    }
    CHECK(cudaFree(room));
}

static void array_run(const struct subject *s, size_t number, reduce_workspace *ws)
{
    const size_t most = array_size(ARRAY_SIZES - 1, s->size);
    void *in = malloc(most * s->size);
    cr_assert(in != NULL, "no memory");
    s->fill(in, most, strcmp(s->op, "prod") == 0);
    void *device = to_device(in, most * s->size);
    for (int k = 0; k < ARRAY_SIZES; k++)
        if (is_due(number + (size_t)k)) array_run_size(s, array_size(k, s->size), in, device, ws);
    CHECK(cudaFree(device));
    free(in);
}

/* The whole of a test program: every subject of EVERY. */
#define ARRAY_TEST(suite)                                                                                  \
    EVERY(DEFINE_SUBJECT)                                                                                  \
    static const struct subject subjects[] = {EVERY(SUBJECT)};                                             \
    Test(suite, every_executor, .init = need_gpu)                                                          \
    {                                                                                                      \
        reduce_workspace *ws = NULL;                                                                       \
        CHECK(reduce_workspace_create(&ws));                                                               \
        for (size_t k = 0; k < COUNT(subjects); k++) array_run(&subjects[k], k, ws);                       \
        CHECK(reduce_workspace_destroy(ws));                                                               \
    }

#endif
