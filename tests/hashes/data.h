/*
 * Data for recorded hashes, and the hash. Nothing here depends on anything in the header. For C and CUDA; types and
 * their kinds are those of operators.h.
 */
#ifndef HASHES_DATA_H
#define HASHES_DATA_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../operators.h"

#define HASHES_COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t hashes_mixed(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The last seed has as many bits as a type holds. */
enum { HASHES_SEEDS = 3, HASHES_LARGE = HASHES_SEEDS, HASHES_ROOMS };

/* Integers: odd ones for products, because even ones come to 0. Of char, only values that are the same signed or not. */
static void hashes_fill_integers(void *to, size_t count, size_t size, const char *type, bool for_product,
                                 uint64_t seed)
{
    const uint64_t mask = strcmp(type, "boolean") == 0 ? 1 : strcmp(type, "char") == 0 ? 0x7f : ~(uint64_t)0;
    for (size_t i = 0; i < count; i++) {
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

/* Floats of the last seed: as many bits as a type holds, so that sums round however many there are; for
   products so near one that 2^28 of them neither overflow nor vanish. */
static double hashes_full_float(size_t i, bool for_product)
{
    const uint64_t hash = hashes_mixed(i + ((uint64_t)HASHES_LARGE << 40));
    if (for_product) return 1 + ((double)(hash >> 32) - 2147483648.0) / 8796093022208.0; /* 2^31, 2^43 */
    return ((double)(hash >> 10) / 9007199254740992.0 - 1) * (double)(1 << (hash & 7));
}

/* HASHES_FILL_kind(T, to, bytes, for_product, seed): a statement. */
#define HASHES_FILL_INTEGER(T, to, bytes, for_product, seed)                                              \
    hashes_fill_integers(to, (bytes) / sizeof(T), sizeof(T), #T, for_product, seed)
#define HASHES_FILL_FLOATING(T, to, bytes, for_product, seed)                                             \
    for (size_t i = 0; i < (bytes) / sizeof(T); i++)                                                      \
        ((T *)(to))[i] = (seed) == HASHES_LARGE ? (T)hashes_full_float(i, for_product)                    \
                                                : (T)(float)hashes_float(i, for_product, seed)
#define HASHES_FILL_STRUCT(T, to, bytes, for_product, seed)                                               \
    HASHES_FILL_FLOATING(float, to, bytes, for_product, seed)

static uint64_t hashes_add(uint64_t hash, const void *value, size_t size)
{
    for (size_t k = 0; k < size; k++) hash = (hash ^ ((const unsigned char *)value)[k]) * 0x100000001b3u;
    return hash;
}

/* Gives each NaN in structs of floats one bit pattern. The library leaves the operator's pattern, which depends on the
   machine, and on the order in which a compiler adds two NaNs. */
static uint64_t hashes_add_results(uint64_t hash, unsigned char *results, size_t size, const char *kind)
{
    for (size_t at = 0; strcmp(kind, "STRUCT") == 0 && at < size; at += sizeof(uint32_t)) {
        uint32_t bits;
        memcpy(&bits, results + at, sizeof bits);
        if ((bits & 0x7fffffffu) > 0x7f800000u) bits = 0x7fc00000u;
        memcpy(results + at, &bits, sizeof bits);
    }
    return hashes_add(hash, results, size);
}

#endif
