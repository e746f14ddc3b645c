/*
 * For every built-in type and operator: the hash of the results of some hundreds of sizes and three
 * seeds. A line is the type, the operator, the class of sizes and the hash; table.txt holds what they
 * must be. Sizes and data depend on nothing in the header. For C and CUDA: the includer says who
 * computes, by
 *
 *     COMPUTE(NAME, T, in, n, out)     a statement: the result of n elements
 */
#ifndef HASHES_H
#define HASHES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../operators.h"

typedef bool boolean;
typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_;
typedef unsigned uint_;
typedef unsigned long ulong_;
typedef long long llong;
typedef unsigned long long ullong;

/* HASHES_GROUP is one of these, so that each can be compiled on its own; or all of what C knows. */
#define GROUP_1(X)                                                                                        \
    INTEGER_OPERATORS(X, boolean)                                                                         \
    INTEGER_OPERATORS(X, char)                                                                            \
    INTEGER_OPERATORS(X, schar)                                                                           \
    INTEGER_OPERATORS(X, uchar)
#define GROUP_2(X)                                                                                        \
    INTEGER_OPERATORS(X, short)                                                                           \
    INTEGER_OPERATORS(X, ushort_)                                                                         \
    INTEGER_OPERATORS(X, int)                                                                             \
    INTEGER_OPERATORS(X, uint_)
#define GROUP_3(X)                                                                                        \
    INTEGER_OPERATORS(X, long)                                                                            \
    INTEGER_OPERATORS(X, ulong_)                                                                          \
    INTEGER_OPERATORS(X, llong)                                                                           \
    INTEGER_OPERATORS(X, ullong)
#define GROUP_4(X) FLOATING_OPERATORS(X, float) FLOATING_OPERATORS(X, double)
#define GROUP_5(X) FLOATING_OPERATORS(X, __half) FLOATING_OPERATORS(X, __nv_bfloat16)
#define GROUP_FEW(X)                                                                                      \
    X(INTEGER, uchar, sum)                                                                                \
    X(INTEGER, short, bxor)                                                                               \
    X(INTEGER, int, min)                                                                                  \
    X(FLOATING, float, sum)                                                                               \
    X(FLOATING, float, fmax)                                                                              \
    X(FLOATING, double, sum)
#ifndef HASHES_GROUP
#define HASHES_GROUP(X) GROUP_1(X) GROUP_2(X) GROUP_3(X) GROUP_4(X)
#endif

#define HASHES_DEFINE(kind, T, op) DEFINE_REDUCE(T, op)
HASHES_GROUP(HASHES_DEFINE)

/* ---- Data ---------------------------------------------------------------------------------------------- */

static uint64_t hashes_mixed(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

enum { HASHES_SEEDS = 3, HASHES_CLASSES = 5 };
static size_t hashes_room = 10 << 20; /* bytes */

/* Integers: for products odd ones, as the others come to 0. Of char, only what is the same signed or not. */
static void hashes_fill_integers(void *to, size_t size, const char *type, bool for_product, uint64_t seed)
{
    const uint64_t mask = strcmp(type, "boolean") == 0 ? 1 : strcmp(type, "char") == 0 ? 0x7f : ~(uint64_t)0;
    for (size_t i = 0; i < hashes_room / size; i++) {
        const uint64_t bits = (hashes_mixed(i + (seed << 40)) >> 3 | for_product) & mask;
        memcpy((char *)to + i * size, &bits, size);
    }
}

/* Floats: exact in every type, of many magnitudes, or near one for products. Of the second seed one in
   four is a zero of either sign; of the third one in 999 is infinite or no number, with any bits. */
static double hashes_float(size_t i, bool for_product, uint64_t seed)
{
    const uint64_t hash = hashes_mixed(i + (seed << 40));
    const double some = (double)(int)(hash >> 57) - 63.5;
    if (seed == 1 && hash % 4 == 0) return hash & 4 ? -0.0 : 0.0;
    if (seed == 2 && hash % 999 == 0) return hash & 4096 ? (double)NAN : hash & 8192 ? HUGE_VAL : -HUGE_VAL;
    return for_product ? 1 + some / 2048 * 4 : ldexp(some, (int)(hash >> 20 & 7) - 8);
}

/* ---- Sizes --------------------------------------------------------------------------------------------- */

/* Sizes of a class: up to 64 elements; 8 KiB; 64 KiB; 512 KiB; 9.4 MiB. */
static size_t hashes_count(int class_)
{
    static const size_t counts[HASHES_CLASSES] = {65, 60, 40, 24, 6};
    return counts[class_];
}

static size_t hashes_size(int class_, size_t k, size_t element)
{
    const size_t unit = 8192 / element, hash = (size_t)(hashes_mixed(k + 1000 * (size_t)class_) >> 20);
    if (class_ == 0) return k;
    if (class_ == 1) return k < 3 ? unit - 1 + k : 65 + hash % unit;
    if (class_ == 2) return k < 16 ? unit * (k / 2 + 1) + k % 2 : hash % (8 * unit);
    if (class_ == 3) return 8 * unit + hash % (56 * unit);
    return (k + 1) * 200 * unit + hash % unit;
}

static uint64_t hashes_add(uint64_t hash, const void *value, size_t size)
{
    for (size_t k = 0; k < size; k++) hash = (hash ^ ((const unsigned char *)value)[k]) * 0x100000001b3u;
    return hash;
}

/* ---- One type and operator ----------------------------------------------------------------------------- */

struct hashes_subject {
    const char *type, *op;
    size_t size;
    void (*fill)(void *to, bool for_product, uint64_t seed);
    void (*compute)(const void *in, size_t n, void *out);
};

#define HASHES_SUBJECT_FUNCTIONS(kind, T, op)                                                             \
    static void hashes_fill_##T##_##op(void *to, bool for_product, uint64_t seed)                         \
    {                                                                                                     \
        if (!REDUCE_IS_FLOATING_(T)) {                                                                    \
            hashes_fill_integers(to, sizeof(T), #T, for_product, seed);                                   \
            return;                                                                                       \
        }                                                                                                 \
        for (size_t i = 0; i < hashes_room / sizeof(T); i++)                                              \
            ((T *)to)[i] = (T)(float)hashes_float(i, for_product, seed);                                  \
    }                                                                                                     \
    static void hashes_compute_##T##_##op(const void *in, size_t n, void *out)                            \
    {                                                                                                     \
        COMPUTE(reduce_##T##_##op, T, (const T *)in, n, (T *)out);                                        \
    }
HASHES_GROUP(HASHES_SUBJECT_FUNCTIONS)

#define HASHES_SUBJECT(kind, T, op) {#T, #op, sizeof(T), hashes_fill_##T##_##op, hashes_compute_##T##_##op},
static const struct hashes_subject hashes_subjects[] = {HASHES_GROUP(HASHES_SUBJECT)};
enum { HASHES_SUBJECTS = sizeof hashes_subjects / sizeof *hashes_subjects };

/* One class, one seed after the other. An empty array of char has an identity that differs between
   machines. */
static void hashes_run_class(const struct hashes_subject *s, int class_, unsigned char *room[HASHES_SEEDS])
{
    uint64_t hash = 0xcbf29ce484222325u;
    const size_t first = class_ == 0 && strcmp(s->type, "char") == 0;
    for (int seed = 0; seed < (class_ == 4 ? 1 : HASHES_SEEDS); seed++)
        for (size_t k = first; k < hashes_count(class_); k++) {
            unsigned char result[16];
            s->compute(room[seed] + k % 5 * s->size, hashes_size(class_, k, s->size), result);
            hash = hashes_add(hash, result, s->size);
        }
    printf("%s %s %d %016llx\n", s->type, s->op, class_, (unsigned long long)hash);
    fflush(stdout);
}

static bool hashes_has_data(const struct hashes_subject *s, const struct hashes_subject *last)
{
    const bool is_product = strcmp(s->op, "prod") == 0;
    return last != NULL && strcmp(last->type, s->type) == 0 && (strcmp(last->op, "prod") == 0) == is_product;
}

/* The first so many classes of every subject. to_place: where a seed's data is to lie for COMPUTE. */
static void hashes_run(int classes, unsigned char *(*to_place)(int seed, const unsigned char *data))
{
    const struct hashes_subject *last = NULL;
    if (classes < HASHES_CLASSES) hashes_room = 600 << 10;
    unsigned char *room[HASHES_SEEDS], *data = (unsigned char *)malloc(hashes_room);
    for (int k = 0; k < HASHES_SUBJECTS; k++) {
        const struct hashes_subject *s = &hashes_subjects[k];
        for (int seed = 0; seed < HASHES_SEEDS && !hashes_has_data(s, last); seed++) {
            s->fill(data, strcmp(s->op, "prod") == 0, (uint64_t)seed);
            room[seed] = to_place(seed, data);
        }
        last = s;
        for (int class_ = 0; class_ < classes; class_++) hashes_run_class(s, class_, room);
    }
    free(data);
}

#endif
