/* Small values, of which instructions combine several at once (reduce_packed.cuh): rows, columns and segments of each kind
   of them have the bits of NAME_cpu, wherever they begin; among them NaNs, infinities, and zeros of both signs; and so has
   the place of their extreme. With a small tree, so that small matrices reach every way; but its stripe has eight warps, so
   that lanes have several strands of a row. Arrays of all types are those of test_array_8 and test_array_16. */
#define REDUCE_STRANDS 256
#define REDUCE_MAX_CHUNKS 515
#define REDUCE_SLOTS 515
#define REDUCE_STRANDS_OF_TWO_ 64
#define REDUCE_STRANDS_OF_FOUR_ 128
#define REDUCE_MOST_LOADS_ 4
#include "small_tree.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "operators.h"
#include "reduce_results.cuh"
#include "reduce_rows.cuh"

#include "check.h"

/* ---- What is reduced ----------------------------------------------------------------------------------- */

typedef __nv_bfloat16 bfloat;

/* X(T, op, how to fill it) */
#define FEW(X)                                                                                               \
    X(schar, max, fill_any)                                                                                  \
    X(uchar, bor, fill_sparsely)                                                                             \
    X(__half, max, fill_halves)
#ifdef FEW_TYPES
#    define SUBJECTS FEW
#else
#    define SUBJECTS(X)                                                                                      \
        FEW(X)                                                                                               \
        X(uchar, min, fill_any)                                                                              \
        X(short, min, fill_any)                                                                              \
        X(short, bxor, fill_any)                                                                             \
        X(char, band, fill_densely)                                                                          \
        X(bool, lor, fill_false)                                                                             \
        X(bool, land, fill_true)                                                                             \
        X(ushort_, max, fill_any)                                                                            \
        X(__half, fmin, fill_halves)                                                                         \
        X(__half, sum, fill_halves)                                                                          \
        X(bfloat, min, fill_halves)                                                                          \
        X(bfloat, fmax, fill_halves)
#endif

/* One in 64 bits is set. */
HELPER void fill_sparsely(void *to, size_t bytes, u64 seed)
{
    for (size_t k = 0; k < bytes; k++) {
        const u64 hash = mixed(k + seed);
        ((u8 *)to)[k] = hash % 8 == 0 ? (u8)(1u << (hash >> 8) % 8) : 0;
    }
}

/* One in 64 bits is not set. */
HELPER void fill_densely(void *to, size_t bytes, u64 seed)
{
    fill_sparsely(to, bytes, seed);
    for (size_t k = 0; k < bytes; k++) ((u8 *)to)[k] ^= 0xff;
}

HELPER void fill_any(void *to, size_t bytes, u64 seed)
{
    for (size_t k = 0; k < bytes; k++) ((u8 *)to)[k] = (u8)mixed(k + seed);
}

/* By turns: any bits; zeros and few other numbers, so that a zero may be the extreme; numbers about 1; zeros, and NaNs of
   many payloads; NaNs alone. 0x3c00 and 0x3f80 are 1 in half and in bfloat16. */
HELPER void fill_halves(void *to, size_t bytes, u64 seed)
{
    static const u16 zeros[] = {0, 0x8000, 0x8000, 0x8000, 0, 0x8001, 0xbc00, 0x3c00};
    for (size_t k = 0; k < bytes / 2; k++) {
        const u64 hash = mixed(k + seed);
        const u16 any = (u16)(hash >> 16), nan = (u16)(any | 0x7fc1);
        const u16 by_turns[] = {any, zeros[hash % (seed / 5 % 2 == 0 ? 4 : 8)], (u16)(0x3c00 + any % 0x400),
                                hash % 64 == 0 ? nan : zeros[hash / 64 % 4], nan};
        memcpy((u8 *)to + 2 * k, &by_turns[seed % 5], 2);
    }
}

/* One in 150 bools is true. */
HELPER void fill_false(void *to, size_t bytes, u64 seed)
{
    for (size_t k = 0; k < bytes; k++) ((u8 *)to)[k] = mixed(k + seed) % 150 == 0;
}

/* One in 150 is not. */
HELPER void fill_true(void *to, size_t bytes, u64 seed)
{
    fill_false(to, bytes, seed);
    for (size_t k = 0; k < bytes; k++) ((u8 *)to)[k] ^= 1;
}

#define DEFINE_SUBJECT(T, op, fill)                                                                          \
    DEFINE_REDUCE(T, op)                                                                                     \
    DEFINE_REDUCE_ROWS(reduce_##T##_##op)
SUBJECTS(DEFINE_SUBJECT)

/* A map, after which halves combine one by one; the index in the row shows. */
HELPER_BOTH __half without_sign(__half x, size_t i)
{
    u16 bits;
    memcpy(&bits, (const void *)&x, sizeof bits);
    bits = i % 7 < 5 ? bits & 0x7fff : 0;
    memcpy((void *)&x, &bits, sizeof x);
    return x;
}
DEFINE_REDUCE_MAP(largest, __half, __half, without_sign(x, i), REDUCE_IDENTITY_max(__half), REDUCE_COMBINE_max(__half, a, b))
DEFINE_REDUCE_ROWS(largest)

/* Elements of another type than the results, which may not lie in one word with them. */
DEFINE_REDUCE_MAP(widened, schar, ushort_, x, REDUCE_IDENTITY_max(ushort_), REDUCE_COMBINE_max(ushort_, a, b))
DEFINE_REDUCE_ROWS(widened)

/* Maps onto bools, as people write them. */
DEFINE_REDUCE_MAP(any_seven, schar, bool, x == 7, false, a || b)
DEFINE_REDUCE_ROWS(any_seven)

/* Lanes fold their own values first, and then the warp at once. */
DEFINE_REDUCE_ARG(__half, max)
DEFINE_REDUCE_ROWS(reduce___half_argmax)
DEFINE_REDUCE_ARG(schar, min)
DEFINE_REDUCE_ROWS(reduce_schar_argmin)

/* ---- Matrices ------------------------------------------------------------------------------------------ */

/* The calls of a subject: rows, columns, and segments, of a matrix or of some elements. */
struct subject {
    const char *name;
    size_t in, out; /* sizes */
    void (*fill)(void *to, size_t bytes, u64 seed);
    void (*alone)(const void *in, size_t at, size_t n, size_t pitch, void *out);
    cudaError_t (*rows)(const void *in, size_t at, size_t rows, size_t n, size_t pitch, void *out, reduce_workspace *ws);
    cudaError_t (*columns)(const void *in, size_t at, size_t n, size_t columns, void *out, reduce_workspace *ws);
    cudaError_t (*segments)(const void *in, size_t at, const int64_t *offsets, size_t count, void *out,
                            reduce_workspace *ws);
};

#define DEFINE_CALLS(NAME, In, T)                                                                            \
    static void NAME##_alone(const void *in, size_t at, size_t n, size_t pitch, void *out)                   \
    {                                                                                                        \
        In *const row = (In *)malloc((n + 1) * sizeof *row);                                                 \
        for (size_t k = 0; k < n; k++) row[k] = ((const In *)in)[at + k * pitch];                            \
        *(T *)out = NAME##_cpu(row, n);                                                                      \
        free(row);                                                                                           \
    }                                                                                                        \
    static cudaError_t NAME##_by_rows(const void *in, size_t at, size_t rows, size_t n, size_t pitch,        \
                                      void *out, reduce_workspace *ws)                                       \
    {                                                                                                        \
        return NAME##_rows_async((const In *)in + at, rows, n, pitch, (T *)out, ws, 0);                      \
    }                                                                                                        \
    static cudaError_t NAME##_by_columns(const void *in, size_t at, size_t n, size_t columns, void *out,     \
                                         reduce_workspace *ws)                                               \
    {                                                                                                        \
        return NAME##_columns_async((const In *)in + at, n, columns, columns, (T *)out, ws, 0);              \
    }                                                                                                        \
    static cudaError_t NAME##_by_segments(const void *in, size_t at, const int64_t *offsets, size_t count,   \
                                          void *out, reduce_workspace *ws)                                   \
    {                                                                                                        \
        return NAME##_segments_async((const In *)in + at, offsets, count, (T *)out, ws, 0);                  \
    }
#define DEFINE_CALLS_OF(T, op, fill) DEFINE_CALLS(reduce_##T##_##op, T, T)
SUBJECTS(DEFINE_CALLS_OF)
DEFINE_CALLS(largest, __half, __half)
DEFINE_CALLS(widened, schar, ushort_)
DEFINE_CALLS(any_seven, schar, bool)
DEFINE_CALLS(reduce___half_argmax, __half, reduce___half_argmax_result)
DEFINE_CALLS(reduce_schar_argmin, schar, reduce_schar_argmin_result)

#define SUBJECT(NAME, In, T, fill)                                                                           \
    {#NAME, sizeof(In), sizeof(T), fill, NAME##_alone, NAME##_by_rows, NAME##_by_columns, NAME##_by_segments},
#define SUBJECT_OF(T, op, fill) SUBJECT(reduce_##T##_##op, T, T, fill)
static const struct subject subjects[] = {SUBJECTS(SUBJECT_OF) SUBJECT(largest, __half, __half, fill_halves)
                                              SUBJECT(widened, schar, ushort_, fill_any)
                                                  SUBJECT(any_seven, schar, bool, fill_any)
                                                      SUBJECT(reduce___half_argmax, __half, reduce___half_argmax_result, fill_halves)
                                                          SUBJECT(reduce_schar_argmin, schar, reduce_schar_argmin_result, fill_any)};

/* A matrix, which begins with element `at` of the memory; and its copy on the device. */
struct matrix {
    const struct subject *s;
    size_t rows, n, at;
    unsigned char *in, *device, *out;
    reduce_workspace *ws;
};

/* Checks results of n elements each, the next element `pitch` and the next result `apart` away. */
static void check_results(struct matrix m, const char *way, size_t results, size_t n, size_t pitch, size_t apart)
{
    unsigned char *const got = (unsigned char *)malloc(results * m.s->out), expected[16] = {0};
    check_launch();
    from_device(got, m.out, results * m.s->out);
    for (size_t k = 0; k < results; k++) {
        m.s->alone(m.in, m.at + k * apart, n, pitch, expected);
        cr_assert(memcmp(got + k * m.s->out, expected, m.s->out) == 0, "%s_%s, %zu x %zu at %zu, result %zu: %s, not %s",
                  m.s->name, way, m.rows, m.n, m.at, k, bits_in_hex(got + k * m.s->out, m.s->out),
                  bits_in_hex(expected, m.s->out));
    }
    free(got);
}

static void check_segments(struct matrix m)
{
    int64_t *const offsets = (int64_t *)malloc((m.rows + 1) * sizeof *offsets);
    for (size_t k = 0; k <= m.rows; k++) offsets[k] = (int64_t)(k * m.n);
    void *const device = to_device(offsets, (m.rows + 1) * sizeof *offsets);
    CHECK(m.s->segments(m.device, m.at, (const int64_t *)device, m.rows, m.out, m.ws));
    check_results(m, "segments", m.rows, m.n, 1, m.n);
    CHECK(cudaFree(device));
    free(offsets);
}

static struct matrix matrix_of(const struct subject *s, size_t rows, size_t n, size_t pitch, size_t at, u64 seed,
                               reduce_workspace *ws)
{
    const size_t bytes = (at + rows * pitch) * s->in;
    struct matrix m = {s, rows, n, at, (unsigned char *)malloc(bytes), NULL, NULL, ws};
    s->fill(m.in, bytes, seed);
    m.device = (unsigned char *)to_device(m.in, bytes);
    m.out = (unsigned char *)device_room((rows > n ? rows : n) * s->out, 0x5a);
    return m;
}

static void free_matrix(struct matrix m)
{
    CHECK(cudaFree(m.device));
    CHECK(cudaFree(m.out));
    free(m.in);
}

static void check_matrix(const struct subject *s, size_t rows, size_t n, size_t at, u64 seed, reduce_workspace *ws)
{
    const struct matrix m = matrix_of(s, rows, n, n, at, seed, ws);
    CHECK(s->rows(m.device, at, rows, n, n, m.out, ws));
    check_results(m, "rows", rows, n, 1, n);
    CHECK(s->columns(m.device, at, rows, n, m.out, ws));
    check_results(m, "columns", n, rows, n, 1);
    check_segments(m);
    free_matrix(m);
}

/* Numbers around those of a word of 16 bytes, of a warp's, and of a stripe's. */
static const size_t rows_of[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 64, 130, 500, 513, 2100};
static const size_t lengths[] = {1, 2, 3, 4, 5, 8, 12, 15, 16, 20, 31, 64, 100, 129, 132, 259, 513, 516, 1031, 2048, 4100, 9000};

Test(packed, rows_columns_and_segments)
{
    reduce_workspace *ws;
    size_t k = 0;
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    for (size_t r = 0; r < COUNT(rows_of); r++)
        for (size_t l = 0; l < COUNT(lengths); l++)
            for (size_t s = 0; s < COUNT(subjects) && rows_of[r] * lengths[l] <= 40000; s++, k++)
                if (is_due(k + k / 7)) check_matrix(&subjects[s], rows_of[r], lengths[l], k % 3 == 0 ? k / 3 % 5 : 0, k, ws);
    CHECK(reduce_workspace_destroy(ws));
}

/* Kernels read nothing between rows, though words that cover a row's ends would be faster. */
Test(packed, gaps_are_not_read)
{
    static const size_t few[] = {17, 100, 259, 301, 519, 700, 1031, 2050};
    enum { GAP = 48, ROWS = 5 };
    reduce_workspace *ws;
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    for (size_t l = 0; l < COUNT(few); l++)
        for (size_t s = 0; s < COUNT(subjects); s++) {
            const struct subject *const of = &subjects[s];
            const size_t n = few[l], pitch = n + GAP + l % 2;
            const struct matrix m = matrix_of(of, ROWS, n, pitch, 0, l + s, ws);
            for (size_t r = 0; r < ROWS; r++) forbid(m.device + (r * pitch + n) * of->in, (pitch - n) * of->in);
            CHECK(of->rows(m.device, 0, ROWS, n, pitch, m.out, ws));
            check_results(m, "rows", ROWS, n, 1, pitch);
            for (size_t r = 0; r < ROWS; r++) allow(m.device + (r * pitch + n) * of->in, (pitch - n) * of->in);
            free_matrix(m);
        }
    CHECK(reduce_workspace_destroy(ws));
}
