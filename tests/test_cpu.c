/* NAME_cpu against the tree of tree.h, for every built-in type and operator, in plain C; and against recorded
   results of version 1 of the tree. With -fopenmp by 1, 2 and 3 threads. */
#include "reduce.cuh"
#include "operators.h"
#include "tree.h"

#include <criterion/criterion.h>
#include <float.h>
#ifdef _OPENMP
#    include <omp.h>
#endif

typedef long double ldouble;

/* EACH(kind, type, op, hash): the hash of the results below, or 0 where a type differs between machines. */
#define INTEGER_OPS(EACH, T, h1, h2, h3, h4, h5, h6, h7)                                                   \
    EACH(INTEGER, T, sum, h1)                                                                              \
    EACH(INTEGER, T, prod, h2)                                                                             \
    EACH(INTEGER, T, min, h3)                                                                              \
    EACH(INTEGER, T, max, h4)                                                                              \
    EACH(INTEGER, T, band, h5)                                                                             \
    EACH(INTEGER, T, bor, h6)                                                                              \
    EACH(INTEGER, T, bxor, h7)                                                                             \
    EACH(INTEGER, T, land, 0)                                                                              \
    EACH(INTEGER, T, lor, 0)
#define FLOATING_OPS(EACH, T, h1, h2, h3, h4, h5, h6)                                                      \
    EACH(FLOATING, T, sum, h1)                                                                             \
    EACH(FLOATING, T, prod, h2)                                                                            \
    EACH(FLOATING, T, min, h3)                                                                             \
    EACH(FLOATING, T, max, h4)                                                                             \
    EACH(FLOATING, T, fmin, h5)                                                                            \
    EACH(FLOATING, T, fmax, h6)                                                                            \
    EACH(FLOATING, T, land, 0)                                                                             \
    EACH(FLOATING, T, lor, 0)

/* clang-format off */
#define FEW(EACH)                                                                                          \
    INTEGER_OPS(EACH, boolean, 0x4ad2d9cb, 0x7ac9b912, 0x30a0b37e,                                         \
        0x4ad2d9cb, 0x30a0b37e, 0x4ad2d9cb, 0xa110de29)                                                    \
    INTEGER_OPS(EACH, schar, 0x0fb95a44, 0x0a9e04c4, 0x80701ef1,                                           \
        0xd25f27a1, 0xb67995ba, 0x6499a494, 0xc5adcd62)                                                    \
    INTEGER_OPS(EACH, ushort_, 0x4995ff8c, 0x441be8cc, 0x71910872,                                         \
        0x1290440b, 0x3db08c10, 0x12e84022, 0xe8d7e13a)                                                    \
    INTEGER_OPS(EACH, uint_, 0xdcdf3148, 0x7f902f85, 0xd3e9010c,                                           \
        0x9a492b5b, 0x1a9cdefe, 0x1b9804cb, 0x0ae707b8)                                                    \
    INTEGER_OPS(EACH, ullong, 0x13ae47fd, 0xcd4c3ea4, 0xbeaef640,                                          \
        0x7e6c1378, 0x6dae6664, 0xb0f457f0, 0x001a6084)                                                    \
    FLOATING_OPS(EACH, float, 0x74bdc0fa, 0xd5143985, 0x6f98c9ea,                                          \
        0xe1df637f, 0x726b953e, 0x6359c68f)                                                                \
    FLOATING_OPS(EACH, double, 0x75a6d768, 0xe4f8c1be, 0x9d0ef9a0,                                         \
        0x3376d5ca, 0xe42302c9, 0xfbc4f714)                                                                \
    FLOATING_OPS(EACH, ldouble, 0, 0, 0, 0, 0, 0)
#ifdef FEW_TYPES
#define EVERY FEW
#else
#define EVERY(EACH)                                                                                        \
    FEW(EACH)                                                                                              \
    INTEGER_OPS(EACH, char, 0, 0, 0, 0, 0, 0, 0)                                                           \
    INTEGER_OPS(EACH, uchar, 0x0fb95a44, 0x0a9e04c4, 0xa1a92c4d,                                           \
        0x27f03c4e, 0xb67995ba, 0x6499a494, 0xc5adcd62)                                                    \
    INTEGER_OPS(EACH, short, 0x4995ff8c, 0x441be8cc, 0xae76565e,                                           \
        0xfe9d6680, 0x3db08c10, 0x12e84022, 0xe8d7e13a)                                                    \
    INTEGER_OPS(EACH, int, 0xdcdf3148, 0x7f902f85, 0xcc0ce5e1,                                             \
        0x15e11a18, 0x1a9cdefe, 0x1b9804cb, 0x0ae707b8)                                                    \
    INTEGER_OPS(EACH, long, 0x13ae47fd, 0xcd4c3ea4, 0x9fcde5df,                                            \
        0x7613d15e, 0x6dae6664, 0xb0f457f0, 0x001a6084)                                                    \
    INTEGER_OPS(EACH, ulong_, 0x13ae47fd, 0xcd4c3ea4, 0xbeaef640,                                          \
        0x7e6c1378, 0x6dae6664, 0xb0f457f0, 0x001a6084)                                                    \
    INTEGER_OPS(EACH, llong, 0x13ae47fd, 0xcd4c3ea4, 0x9fcde5df,                                           \
        0x7613d15e, 0x6dae6664, 0xb0f457f0, 0x001a6084)
#endif

/* clang-format on */

#define DEFINE_BOTH(kind, T, op, hash) DEFINE_WITH_TREE(kind, T, op)
EVERY(DEFINE_BOTH)

/* ---- Data: no two neighbours alike, so that each position shows ------------------------------------- */

static uint64_t hashed(uint64_t i)
{
    i = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return i ^ i >> 31;
}

enum data { FOR_SUM, FOR_PROD, SPECIAL, ZEROS };

/* Sums of these round; products of the second kind neither overflow nor vanish. */
static long double floating_datum(size_t i, enum data data)
{
    const long double unit = (long double)(hashed(i) >> 40) / (1 << 24);
    return data == FOR_PROD ? 1 + (unit - 0.5L) / 64 : ldexpl(unit - 0.5L, (int)(hashed(~i) % 16) - 8);
}

#define DEFINE_FILL(T)                                                                                     \
    static void fill_##T(void *to, size_t n, size_t size, enum data data)                                  \
    {                                                                                                      \
        const T special[] = {(T)NAN, (T)-NAN, (T)INFINITY, (T)-INFINITY,                                   \
                             (T)0,   -(T)0,   (T)1e-45L,   (T)1e-310L};                                    \
        (void)size;                                                                                        \
        for (size_t i = 0; i < n; i++)                                                                     \
            ((T *)to)[i] = data == ZEROS                              ? special[4 + hashed(i) % 2]         \
                           : data == SPECIAL && hashed(i) % 64 < 8    ? special[hashed(i) % 8]             \
                                                                      : (T)floating_datum(i, data);        \
    }
DEFINE_FILL(float)
DEFINE_FILL(double)
DEFINE_FILL(ldouble)

/* Odd numbers have products that are not zero; the others are as random as they come, or mostly zero. */
static void fill_integers(void *to, size_t n, size_t size, enum data data)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = data == FOR_PROD ? hashed(i) | 1 : data >= SPECIAL && i % 3 ? 0 : hashed(i);
        memcpy((char *)to + i * size, &bits, size);
    }
}

static void fill_booleans(void *to, size_t n, size_t size, enum data data)
{
    (void)size;
    for (size_t i = 0; i < n; i++) ((boolean *)to)[i] = data == FOR_PROD || (hashed(i) & 1);
}

#define FILL_INTEGER(T) _Generic(*(T *)0, boolean : fill_booleans, default : fill_integers)
#define FILL_FLOATING(T) fill_##T

/* ---- Comparing -------------------------------------------------------------------------------------- */

/* Bytes of a value: a long double of x86 has six that are not its own. */
static size_t bytes_of(size_t size)
{
    return size == sizeof(long double) && LDBL_MANT_DIG == 64 ? 10 : size;
}

static const char *hex(const void *value, size_t size)
{
    static char text[4][2 * 64 + 1];
    static int turn;
    char *to = text[turn++ % 4];
    for (size_t k = 0; k < size; k++)
        sprintf(to + 2 * k, "%02x", ((const unsigned char *)value)[size - 1 - k]);
    return to;
}

static uint64_t fnv(uint64_t hash, const void *value, size_t size)
{
    for (size_t k = 0; k < size; k++) hash = (hash ^ ((const unsigned char *)value)[k]) * 0x100000001b3u;
    return hash;
}

/* Two NaN are the same where the manual gives no pattern, for long double. */
static void expect_same(const char *what, size_t n, const void *got, const void *tree, size_t size,
                        bool both_nan)
{
    if (memcmp(got, tree, bytes_of(size)) == 0 || (both_nan && bytes_of(size) > 8)) return;
    cr_expect(false, "%s of %zu: %s, the tree gives %s", what, n, hex(got, bytes_of(size)),
              hex(tree, bytes_of(size)));
}

/* ---- Every type and operator ------------------------------------------------------------------------ */

/* Sizes as stripes, and elements more or less than that. */
static const int sizes[][2] = {{0, 0},  {0, 1},  {0, 2},  {0, 3},   {0, 15},   {0, 16},  {0, 17},
                               {0, 31}, {0, 33}, {0, 65}, {0, 511}, {0, 1000}, {1, -17}, {1, -1},
                               {1, 0},  {1, 1},  {2, 5},  {4, -1},  {5, 3},    {8, -1},  {8, 0},
                               {8, 1},  {9, 0},  {10, 7}, {21, -3}};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 21 };

static size_t size_of(const int size[2], size_t element)
{
    return (size_t)size[0] * 512 * tree_positions(element) + (size_t)size[1];
}

/* One type and operator, as functions of void pointers: one runner serves all. */
struct subject {
    const char *name, *op;
    size_t size;
    uint32_t recorded;
    void (*fill)(void *to, size_t n, size_t size, enum data data);
    bool (*both)(const void *in, size_t n, void *got, void *tree); /* true if both are NaN */
};

#define DEFINE_SUBJECT(kind, T, op, recorded)                                                              \
    static bool both_##T##_##op(const void *in, size_t n, void *got, void *tree)                           \
    {                                                                                                      \
        const T a = reduce_##T##_##op##_cpu((const T *)in, n),                                             \
                b = reduce_##T##_##op##_tree((const T *)in, n);                                            \
        memcpy(got, &a, sizeof a);                                                                         \
        memcpy(tree, &b, sizeof b);                                                                        \
        return a != a && b != b;                                                                           \
    }
EVERY(DEFINE_SUBJECT)

#define SUBJECT(kind, T, op, recorded)                                                                     \
    {"reduce_" #T "_" #op, #op, sizeof(T), recorded, FILL_##kind(T), both_##T##_##op},
static const struct subject subjects[] = {EVERY(SUBJECT)};

static void run(const struct subject *s, enum data data)
{
    const size_t room = MOST * 512 * tree_positions(s->size);
    uint64_t hash = 0xcbf29ce484222325u;
    unsigned char *in = malloc(room * s->size), got[16], tree[16];
    cr_assert_not_null(in);
    s->fill(in, room, s->size, data);
    for (int k = 0; k < SIZES; k++) {
        const size_t n = size_of(sizes[k], s->size);
        const bool both_nan = s->both(n > 0 ? in + (room - n) * s->size : NULL, n, got, tree);
        expect_same(s->name, n, got, tree, s->size, both_nan);
        hash = fnv(hash, got, s->size);
    }
    const uint32_t folded = (uint32_t)(hash ^ hash >> 32);
    if (data < SPECIAL && s->recorded != 0)
        cr_expect(folded == s->recorded, "the hash of %s is 0x%08x", s->name, (unsigned)folded);
    free(in);
}

Test(cpu, every_type_and_operator)
{
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        run(&subjects[k], strcmp(subjects[k].op, "prod") == 0 ? FOR_PROD : FOR_SUM);
}

Test(cpu, special_values)
{
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) run(&subjects[k], SPECIAL);
}

Test(cpu, zeros_of_both_signs)
{
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) run(&subjects[k], ZEROS);
}

/* ---- Structs, maps, operators of one's own ---------------------------------------------------------- */

typedef struct {
    float best;
    uint32_t at, copy;
} place; /* 12 bytes */

static inline place better(place a, place b)
{
    return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;
}

static inline place at_index(float x, size_t i)
{
    const place p = {x, (uint32_t)i, ~(uint32_t)i};
    return p;
}

static inline place nowhere(void)
{
    const place p = {-INFINITY, UINT32_MAX, 0};
    return p;
}

typedef struct {
    double sums[8];
} row; /* 64 bytes */

static inline row add_rows(row a, row b)
{
    for (int k = 0; k < 8; k++) a.sums[k] += b.sums[k];
    return a;
}

static inline row no_row(void)
{
    const row r = {{0}};
    return r;
}

static unsigned common(unsigned a, unsigned b)
{
    while (b != 0) {
        const unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#define REDUCE_IDENTITY_gcd(T) (T)0
#define REDUCE_COMBINE_gcd(T, a, b) common(a, b)
DEFINE_REDUCE(uint_, gcd)
DEFINE_TREE(reduce_uint__gcd, uint_, uint_, x, 0, common(a, b))
DEFINE_REDUCE_AS(sum_rows, row, no_row(), add_rows(a, b))
DEFINE_TREE(sum_rows, row, row, x, no_row(), add_rows(a, b))
DEFINE_REDUCE_AS(best_place, place, nowhere(), better(a, b))
DEFINE_TREE(best_place, place, place, x, nowhere(), better(a, b))
DEFINE_REDUCE_MAP(where_max, float, place, at_index(x, i), nowhere(), better(a, b))
DEFINE_TREE(where_max, float, place, at_index(x, i), nowhere(), better(a, b))
DEFINE_REDUCE_MAP(squares, float, float, x *x, 0, a + b)
DEFINE_TREE(squares, float, float, x *x, 0, a + b)
DEFINE_REDUCE_MAP(squares_double, float, double, (double)x *x, 0, a + b)
DEFINE_TREE(squares_double, float, double, (double)x *x, 0, a + b)
DEFINE_REDUCE_MAP(weighted, schar, llong, (llong)x *(llong)(i + 1), 0, a + b)
DEFINE_TREE(weighted, schar, llong, (llong)x *(llong)(i + 1), 0, a + b)
/* 16 and 8 positions in a strand, and sums that round */
DEFINE_REDUCE_MAP(tenths, schar, float, (float)x / 10, 0, a + b)
DEFINE_TREE(tenths, schar, float, (float)x / 10, 0, a + b)
DEFINE_REDUCE_MAP(tenths_of_shorts, short, float, (float)x / 10, 0, a + b)
DEFINE_TREE(tenths_of_shorts, short, float, (float)x / 10, 0, a + b)
DEFINE_REDUCE_MAP(widened, schar, row, ((row){{x, i}}), no_row(), add_rows(a, b))
DEFINE_TREE(widened, schar, row, ((row){{x, i}}), no_row(), add_rows(a, b))

#define EXPECT_TREE(NAME, T, in, n)                                                                        \
    do {                                                                                                   \
        const T got = NAME##_cpu(in, n), tree = NAME##_tree(in, n);                                        \
        expect_same(#NAME, n, &got, &tree, sizeof(T), false);                                              \
    } while (0)

/* Arrays of `count` elements, up to `stripes` stripes of each element's size, from any address. */
static void expect_all_trees(size_t n, float *floats, row *rows, schar *chars)
{
    const size_t of_rows = n < 8000 ? n : 8000;
    EXPECT_TREE(reduce_uint__gcd, uint_, (const uint_ *)(const void *)rows, n);
    EXPECT_TREE(sum_rows, row, rows, of_rows);
    EXPECT_TREE(best_place, place, (const place *)(const void *)rows, of_rows);
    EXPECT_TREE(where_max, place, floats, n);
    EXPECT_TREE(squares, float, floats, n);
    EXPECT_TREE(squares_double, double, floats, n);
    EXPECT_TREE(weighted, llong, chars, n);
    EXPECT_TREE(tenths, float, chars, n);
    EXPECT_TREE(tenths_of_shorts, float, (const short *)(const void *)chars, n / 2);
    EXPECT_TREE(widened, row, chars, n);
}

Test(cpu, own_operators)
{
    enum { MANY = 200000, ROWS = 16384 };
    float *floats = malloc(MANY * sizeof *floats);
    row *rows = malloc(ROWS * sizeof *rows);
    schar *chars = malloc(MANY);
    cr_assert(floats != NULL && rows != NULL && chars != NULL);
    fill_float(floats, MANY, 4, FOR_SUM);
    fill_double(rows, ROWS * 8, 8, FOR_SUM);
    fill_integers(chars, MANY, 1, FOR_SUM);
    for (int k = 0; k < SIZES; k++) expect_all_trees(size_of(sizes[k], 4), floats, rows, chars);
    expect_all_trees(MANY, floats, rows, chars);
    free(floats), free(rows), free(chars);
}

/* ---- Many chunks, by several threads ---------------------------------------------------------------- */

static void set_threads(int threads)
{
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

/* From 1025 stripes on there are more than 512 chunks: strands that take more than one partial result. */
static const int many_sizes[][2] = {{511, 1},  {512, 0},  {513, 0},  {1024, 0},
                                    {1025, 0}, {1026, 1}, {2049, -5}};
enum { MANY_SIZES = sizeof many_sizes / sizeof *many_sizes, MOST_STRIPES = 2049 };

#define EXPECT_MANY(NAME, T, KIND, threads)                                                                \
    do {                                                                                                   \
        const size_t room = MOST_STRIPES * 512 * tree_positions(sizeof(T));                                \
        T *in = malloc(room * sizeof(T));                                                                  \
        cr_assert_not_null(in);                                                                            \
        (FILL_##KIND(T))(in, room, sizeof(T), FOR_SUM);                                                    \
        for (int k = 0; k < MANY_SIZES; k++) {                                                             \
            const size_t n = size_of(many_sizes[k], sizeof(T));                                            \
            const T tree = NAME##_tree(in + room - n, n);                                                  \
            for (int count = 1; count <= threads; count++) {                                               \
                set_threads(count);                                                                        \
                const T got = NAME##_cpu(in + room - n, n);                                                \
                expect_same(#NAME, n, &got, &tree, sizeof(T), false);                                      \
            }                                                                                              \
        }                                                                                                  \
        free(in);                                                                                          \
    } while (0)

Test(cpu, many_chunks)
{
#ifdef _OPENMP
    enum { THREADS = 3 };
#else
    enum { THREADS = 1 };
#endif
    EXPECT_MANY(reduce_float_sum, float, FLOATING, THREADS);
    EXPECT_MANY(reduce_double_sum, double, FLOATING, THREADS);
    EXPECT_MANY(reduce_schar_bxor, schar, INTEGER, THREADS);
    EXPECT_MANY(reduce_uint__sum, uint_, INTEGER, THREADS);
}

/* ---- Very many elements ------------------------------------------------------------------------------ */

DEFINE_REDUCE_MAP(places, uchar, ullong, (i + x) * (i + x), 0, a + b)
DEFINE_TREE(places, uchar, ullong, (i + x) * (i + x), 0, a + b)

/* A map has the whole index of an element. Only the end of an array is there; the chunk before is not read. */
Test(cpu, index_beyond_32_bits)
{
    static uchar end[40000];
    const size_t begins[] = {((size_t)1 << 32) - 20000, (size_t)1 << 32, ((size_t)1 << 40) - sizeof end};
    fill_integers(end, sizeof end, 1, FOR_SUM);
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) {
        const uchar *in = (const uchar *)((uintptr_t)end - begins[k]);
        const ullong tree = places_tree_chunk(in, begins[k], begins[k] + sizeof end);
        const places_input_ input = {in};
        const struct reduce_cpu_ cpu = places_on_cpu_();
        ullong got;
        reduce_cpu_chunk_(&cpu, &input, begins[k], begins[k] + sizeof end, &got);
        cr_expect(got == tree, "from element %zu on: %llx, the tree %llx", begins[k], got, tree);
    }
}
