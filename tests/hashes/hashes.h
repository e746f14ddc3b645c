/*
 * For every built-in type and operator, and for a struct of three floats: the hash of the results of some hundreds
 * of sizes and three seeds. A line is the type, the operator, the class of sizes and the hash; table.txt holds the
 * expected lines. Sizes and data depend on nothing in the header. For C and CUDA. The including file computes by
 *
 *     COMPUTE(NAME, T, in, n, out)     a statement: the result of n elements
 *     COMPUTER(NAME, T)                its declarations at file scope, once for each NAME
 */
#ifndef HASHES_H
#define HASHES_H

#include "data.h"

/* HASHES_GROUP is one of these, so that each can be compiled on its own; or all types that C has. */
#define GROUP_1(X) INTEGERS_1(INTEGER_OPERATORS, X)
#define GROUP_2(X) INTEGERS_2(INTEGER_OPERATORS, X) INTEGERS_4(INTEGER_OPERATORS, X)
#define GROUP_3(X) INTEGERS_8(INTEGER_OPERATORS, X)
#define GROUP_4(X) FLOATS(FLOATING_OPERATORS, X) X(STRUCT, floats3, sum)
#define GROUP_5(X) HALVES(FLOATING_OPERATORS, X)
#define GROUP_FEW(X)                                                                                      \
    X(INTEGER, uchar, sum)                                                                                \
    X(INTEGER, short, bxor)                                                                               \
    X(INTEGER, int, min)                                                                                  \
    X(FLOATING, float, sum)                                                                               \
    X(FLOATING, float, fmax)                                                                              \
    X(FLOATING, double, sum)                                                                              \
    X(STRUCT, floats3, sum)
#ifndef HASHES_GROUP
#define HASHES_GROUP(X) GROUP_1(X) GROUP_2(X) GROUP_3(X) GROUP_4(X)
#endif

#define HASHES_DEFINE_INTEGER(T, op) DEFINE_REDUCE(T, op)
#define HASHES_DEFINE_FLOATING(T, op) DEFINE_REDUCE(T, op)
#define HASHES_DEFINE_STRUCT(T, op) DEFINE_REDUCE_AS(reduce_##T##_##op, T, T##_zero(), T##_added(a, b))
#define HASHES_DEFINE(kind, T, op) HASHES_DEFINE_##kind(T, op)
HASHES_GROUP(HASHES_DEFINE)

/* The large classes have data of their own, the last seed's. */
enum { HASHES_CLASSES = 7, HASHES_FIRST_LARGE = 5 };

/* ---- Sizes --------------------------------------------------------------------------------------------- */

/* Sizes in stripes, and elements more or less. A stripe is 8 KiB if its elements fill 16 bytes. First, each
   threshold of the plan up to 512 chunks and one more, which is as many as the tree has lanes; then the numbers of
   chunks up to the greatest, 4,096, which then grow: 576 MiB. 16,384 stripes and one element are 33,554,433 floats;
   19,531 and 512 are 40,000,000. */
static const int hashes_threshold_sizes[][2] = {
    {8, 0},    {8, 1},    {128, 0},  {128, 1},  {1024, 0},  {1024, 1},
    {2049, 5}, {4096, 0}, {4096, 1}, {8192, 0}, {8192, 1},  {8208, 0},
};
static const int hashes_large_sizes[][2] = {
    {9765, 320},  {15625, 0},   {16384, 0},  {16384, 1},  {17376, -1}, {19531, 512}, {43696, -1},
    {65519, 100}, {65520, 0},   {65520, 1},  {65536, -1}, {65536, 0},  {65536, 1},   {69632, 0},
    {69632, 1},   {73728, 1},
};

/* Sizes of a class: up to 64 elements; 8 KiB; 64 KiB; 512 KiB; 9.4 MiB; 64.1 MiB; 576 MiB. */
static size_t hashes_count(int class_)
{
    static const size_t counts[HASHES_CLASSES] = {
        65, 60, 40, 24, 6, HASHES_COUNT(hashes_threshold_sizes), HASHES_COUNT(hashes_large_sizes)};
    return counts[class_];
}

static size_t hashes_size(int class_, size_t k, size_t element)
{
    const size_t unit = 8192 / element, hash = (size_t)(hashes_mixed(k + 1000 * (size_t)class_) >> 20);
    if (class_ == 0) return k;
    if (class_ == 1) return k < 3 ? unit - 1 + k : 65 + hash % unit;
    if (class_ == 2) return k < 16 ? unit * (k / 2 + 1) + k % 2 : hash % (8 * unit);
    if (class_ == 3) return 8 * unit + hash % (56 * unit);
    if (class_ == 4) return (k + 1) * 200 * unit + hash % unit;
    const int *size = class_ == 5 ? hashes_threshold_sizes[k] : hashes_large_sizes[k];
    const size_t stripe = element > 8 ? 512 : 512 * (16 / element);
    return (size_t)size[0] * stripe + (size_t)size[1];
}

/* Bytes that the classes up to this one take, with the four elements by which a size's first is moved. */
static size_t hashes_room(int class_, size_t element)
{
    if (class_ < HASHES_FIRST_LARGE) return class_ < 4 ? 600 << 10 : 10 << 20;
    return (hashes_size(class_, hashes_count(class_) - 1, element) + 4) * element;
}

/* ---- One type and operator ----------------------------------------------------------------------------- */

struct hashes_subject {
    const char *kind, *type, *op;
    size_t size;
    void (*fill)(void *to, size_t bytes, bool for_product, uint64_t seed);
    void (*compute)(const void *in, size_t n, void *out);
};

#define HASHES_SUBJECT_FUNCTIONS(kind, T, op)                                                             \
    COMPUTER(reduce_##T##_##op, T)                                                                        \
    static void hashes_fill_##T##_##op(void *to, size_t bytes, bool for_product, uint64_t seed)           \
    {                                                                                                     \
        HASHES_FILL_##kind(T, to, bytes, for_product, seed);                                              \
    }                                                                                                     \
    static void hashes_compute_##T##_##op(const void *in, size_t n, void *out)                            \
    {                                                                                                     \
        COMPUTE(reduce_##T##_##op, T, (const T *)in, n, (T *)out);                                        \
    }
HASHES_GROUP(HASHES_SUBJECT_FUNCTIONS)

#define HASHES_SUBJECT(kind, T, op)                                                                       \
    {#kind, #T, #op, sizeof(T), hashes_fill_##T##_##op, hashes_compute_##T##_##op},
static const struct hashes_subject hashes_subjects[] = {HASHES_GROUP(HASHES_SUBJECT)};
enum { HASHES_SUBJECTS = HASHES_COUNT(hashes_subjects) };

static const char *hashes_only; /* a type, or all */

static bool hashes_is_product(const struct hashes_subject *s)
{
    return strcmp(s->op, "prod") == 0;
}

/* Sums and products that are rounded, of which every bit tells the order, have large classes too. */
static bool hashes_has_class(const struct hashes_subject *s, int class_)
{
    const bool is_rounded = strcmp(s->kind, "INTEGER") != 0 && s->size > 2 &&
                            (hashes_is_product(s) || strcmp(s->op, "sum") == 0);
    return class_ < HASHES_FIRST_LARGE || is_rounded;
}

/* One class, one seed after the other. An empty array of char has an identity that differs between
   machines. */
static void hashes_run_class(const struct hashes_subject *s, int class_, const unsigned char *const *room)
{
    uint64_t hash = 0xcbf29ce484222325u;
    const size_t first = class_ == 0 && strcmp(s->type, "char") == 0;
    const int begin = class_ < HASHES_FIRST_LARGE ? 0 : HASHES_LARGE;
    const int end = class_ < 4 ? HASHES_SEEDS : begin + 1;
    for (int seed = begin; seed < end; seed++)
        for (size_t k = first; k < hashes_count(class_); k++) {
            unsigned char result[16];
            s->compute(room[seed] + k % 5 * s->size, hashes_size(class_, k, s->size), result);
            hash = hashes_add_results(hash, result, s->size, s->kind);
        }
    printf("%s %s %d %016llx\n", s->type, s->op, class_, (unsigned long long)hash);
    fflush(stdout);
}

static bool hashes_has_data(const struct hashes_subject *s, const struct hashes_subject *last)
{
    return last != NULL && strcmp(last->type, s->type) == 0 && hashes_is_product(last) == hashes_is_product(s);
}

/* The classes whose digits stand in the text, of every subject. to_place: where a seed's data is to lie for
   COMPUTE. */
static void hashes_run(const char *classes,
                       const unsigned char *(*to_place)(int seed, const unsigned char *data, size_t bytes))
{
    const struct hashes_subject *last = NULL;
    unsigned char *data[HASHES_ROOMS] = {NULL};
    const unsigned char *room[HASHES_ROOMS] = {NULL};
    for (int k = 0; k < HASHES_SUBJECTS; k++) {
        const struct hashes_subject *s = &hashes_subjects[k];
        int most = 0;
        if (hashes_only != NULL && strcmp(s->type, hashes_only) != 0) continue;
        for (int class_ = 0; class_ < HASHES_CLASSES; class_++)
            if (strchr(classes, '0' + class_) != NULL && hashes_has_class(s, class_)) most = class_;
        for (int seed = 0; seed < HASHES_ROOMS; seed++) {
            const int class_ = seed == HASHES_LARGE || most < HASHES_FIRST_LARGE ? most : 4;
            const size_t bytes = hashes_room(class_, s->size);
            if (seed == HASHES_LARGE ? most < HASHES_FIRST_LARGE : hashes_has_data(s, last)) continue;
            data[seed] = (unsigned char *)realloc(data[seed], bytes);
            s->fill(data[seed], bytes, hashes_is_product(s), (uint64_t)seed);
            room[seed] = to_place(seed, data[seed], bytes);
        }
        last = s;
        for (int class_ = 0; class_ < HASHES_CLASSES; class_++)
            if (strchr(classes, '0' + class_) != NULL && hashes_has_class(s, class_))
                hashes_run_class(s, class_, room);
    }
    for (int seed = 0; seed < HASHES_ROOMS; seed++) free(data[seed]);
}

#endif
