/*
 * Exact sums that share nothing with the library, and arrays whose sums are hard to round. For C and CUDA.
 *
 * The oracle is one integer in two's complement, in units of the least subnormal double. It adds each number with the
 * carries of schoolbook addition, floats as doubles. frexp takes numbers apart. ldexp makes the result, after one rounding
 * of the bits, one by one.
 */
#ifndef EXACT_H
#define EXACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_HELPER static inline __attribute__((unused))
#ifndef SWIFT
#    if defined __GNUC__ && !defined __clang__ && (defined SIMT || !defined __CUDACC__)
#        define SWIFT __attribute__((__optimize__("O2"), __no_sanitize__("address", "undefined")))
#    else
#        define SWIFT
#    endif
#endif

/* ---- The oracle ---------------------------------------------------------------------------------------- */

enum { ORACLE_WORDS = 36, ORACLE_UNIT = -1074 }; /* 2,304 bits: 2^200 of the largest doubles */

struct oracle {
    uint64_t word[ORACLE_WORDS];
    bool has_nan, rises, falls;
};

EXACT_HELPER void oracle_clear(struct oracle *to)
{
    memset(to, 0, sizeof *to);
}

/* Adds or takes away x times 2^(64 * k). */
EXACT_HELPER SWIFT void oracle_word(struct oracle *to, uint64_t x, int k, bool is_negative)
{
    for (; x != 0 && k < ORACLE_WORDS; k++) {
        const uint64_t before = to->word[k];
        to->word[k] = is_negative ? before - x : before + x;
        x = is_negative ? before < x : to->word[k] < before; /* the carry, or what was borrowed */
    }
}

/* Adds x times 2^doublings. */
EXACT_HELPER SWIFT void oracle_add_doubled(struct oracle *to, double x, int doublings)
{
    int exponent;
    if (x != x) {
        to->has_nan = true;
    } else if (x - x != 0) {
        if (x > 0) to->rises = true;
        else to->falls = true;
    } else if (x != 0) {
        const double fraction = frexp(x < 0 ? -x : x, &exponent);
        uint64_t integer = (uint64_t)ldexp(fraction, 53);
        int place = exponent - 53 - ORACLE_UNIT;
        while (place < 0) integer /= 2, place++; /* a subnormal number: these bits are 0 */
        place += doublings;
        oracle_word(to, integer << place % 64, place / 64, x < 0);
        if (place % 64 > 0) oracle_word(to, integer >> (64 - place % 64), place / 64 + 1, x < 0);
    }
}

EXACT_HELPER void oracle_add(struct oracle *to, double x)
{
    oracle_add_doubled(to, x, 0);
}

EXACT_HELPER int oracle_bit(const struct oracle *of, int k)
{
    return k < 0 ? 0 : (int)(of->word[k / 64] >> k % 64 & 1);
}

/* A number of so many bits, none below 2^unit, or infinity. */
EXACT_HELPER SWIFT double oracle_rounded(const struct oracle *from, int bits, int unit)
{
    struct oracle of = *from;
    const bool is_negative = oracle_bit(&of, 64 * ORACLE_WORDS - 1) == 1;
    int top = 64 * ORACLE_WORDS - 1;
    bool is_odd_below = false;
    double kept = 0;
    if (of.has_nan || (of.rises && of.falls)) return (double)NAN;
    if (of.rises || of.falls) return of.rises ? (double)INFINITY : -(double)INFINITY;
    for (int k = 0; is_negative && k < ORACLE_WORDS; k++) of.word[k] = ~of.word[k];
    if (is_negative) oracle_word(&of, 1, 0, false);
    while (top >= 0 && oracle_bit(&of, top) == 0) top--;
    if (top < 0) return 0;
    const int low = top + 1 - bits > unit - ORACLE_UNIT ? top + 1 - bits : unit - ORACLE_UNIT;
    for (int k = top; k >= low; k--) kept = 2 * kept + oracle_bit(&of, k);
    for (int k = 0; k < low - 1; k++) is_odd_below = is_odd_below || oracle_bit(&of, k) == 1;
    if (oracle_bit(&of, low - 1) == 1 && (is_odd_below || oracle_bit(&of, low) == 1)) kept += 1;
    return (is_negative ? -1 : 1) * ldexp(kept, low + ORACLE_UNIT);
}

/* Gives a NaN its one pattern. */
EXACT_HELPER double oracle_double(const struct oracle *from)
{
    const uint64_t nan = 0x7ff8000000000000u;
    double x = oracle_rounded(from, 53, -1074);
    if (x != x) memcpy(&x, &nan, sizeof x);
    return x;
}

EXACT_HELPER float oracle_float(const struct oracle *from)
{
    const uint32_t nan = 0x7fc00000u;
    const double wide = oracle_rounded(from, 24, -149); /* a float, or as far beyond as 2^128, or NaN */
    float x = wide > 3.4028234663852886e38 ? INFINITY : wide < -3.4028234663852886e38 ? -INFINITY : (float)wide;
    if (wide != wide) memcpy(&x, &nan, sizeof x);
    return x;
}

/* float exact_float(const float *in, size_t n), double exact_double(const double *in, size_t n) */
#define EXACT_SUM(T)                                                                                        \
    EXACT_HELPER SWIFT T exact_##T(const T *in, size_t n)                                                   \
    {                                                                                                       \
        struct oracle sum;                                                                                  \
        oracle_clear(&sum);                                                                                 \
        for (size_t i = 0; i < n; i++) oracle_add(&sum, (double)in[i]);                                     \
        return oracle_##T(&sum);                                                                            \
    }
EXACT_SUM(float)
EXACT_SUM(double)

/* ---- Numbers by their bits ----------------------------------------------------------------------------- */

/* A type's constants: bits of a fraction, the exponent of infinity, how far apart exponents may be in each way of the
   library for near exponents, on the CPU and the GPU, and the bits that a block's words hold. */
struct exact_type {
    int size, fraction, exponents, spans[3], bits_of_words;
};

EXACT_HELPER struct exact_type exact_type(size_t size)
{
    const struct exact_type of_float = {4, 23, 0xff, {56, 18, 58}, 63}, of_double = {8, 52, 0x7ff, {70, 29, 69}, 95};
    return size == 4 ? of_float : of_double;
}

EXACT_HELPER SWIFT uint64_t exact_mixed(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

EXACT_HELPER SWIFT uint64_t exact_bits(struct exact_type type, bool is_negative, int exponent, uint64_t fraction)
{
    const int most = type.exponents - 1, least = exponent < 0 ? 0 : exponent;
    return (uint64_t)is_negative << (8 * type.size - 1) | (uint64_t)(least > most ? most : least) << type.fraction |
           (fraction & (((uint64_t)1 << type.fraction) - 1));
}

/* Element i of an array of floats or doubles. */
EXACT_HELPER SWIFT void exact_put(void *to, struct exact_type type, size_t i, uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    if (type.size == 4) memcpy((char *)to + 4 * i, &word, 4);
    else memcpy((char *)to + 8 * i, &bits, 8);
}

EXACT_HELPER SWIFT uint64_t exact_get(const void *from, struct exact_type type, size_t i)
{
    uint64_t bits = 0;
    uint32_t word;
    if (type.size == 8) return memcpy(&bits, (const char *)from + 8 * i, 8), bits;
    memcpy(&word, (const char *)from + 4 * i, 4);
    return word;
}

EXACT_HELPER SWIFT void exact_swap(void *in, struct exact_type type, size_t i, size_t k)
{
    const uint64_t bits = exact_get(in, type, i);
    exact_put(in, type, i, exact_get(in, type, k));
    exact_put(in, type, k, bits);
}

EXACT_HELPER SWIFT void exact_shuffle(void *in, size_t n, struct exact_type type, uint64_t seed)
{
    for (size_t i = 1; i < n; i++) exact_swap(in, type, i, (size_t)(exact_mixed(seed + i) % (i + 1)));
}

EXACT_HELPER int exact_compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

EXACT_HELPER int exact_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

EXACT_HELPER void exact_sort(void *in, size_t n, struct exact_type type)
{
    qsort(in, n, (size_t)type.size, type.size == 4 ? exact_compare_floats : exact_compare_doubles);
}

/* ---- Arrays -------------------------------------------------------------------------------------------- */

#define EXACT_KINDS(X)                                                                                      \
    X(near_)      /* exponents in a few binades, or a hundred */                                             \
    X(rising)     /* the same, of one sign */                                                               \
    X(anywhere)   /* any finite bits */                                                                     \
    X(cancelling) /* x and -x, shuffled, and what is left */                                                \
    X(alternating) /* the largest number with either sign, and something small */                           \
    X(sorted)     /* any finite bits, from the least to the greatest */                                     \
    X(sorted_down)                                                                                          \
    X(small_one)  /* numbers that are not small, and one subnormal */                                       \
    X(tied)       /* half a unit in the last place, alone or with bits far below */                         \
    X(extreme)    /* fractions of no bits, one bit, all bits */                                             \
    X(subnormal)                                                                                            \
    X(zero)       /* zeros of either sign */                                                                \
    X(special)    /* infinities and NaN among numbers */                                                    \
    X(largest)    /* sums that are about as large as a number can be, and overflow on the way */            \
    X(limit)      /* exponents about as far apart as sums of doubles can take, which make most errors there */ \
    X(full)       /* all bits are one, and all signs minus */                                               \
    X(words)      /* of a sum of about as many bits as a block's words hold */

#define EXACT_ENUM(name) EXACT_##name,
enum exact_kind { EXACT_KINDS(EXACT_ENUM) EXACT_ALL_KINDS };
#define EXACT_NAME(name) #name,
static const char *const exact_kinds[] __attribute__((unused)) = {EXACT_KINDS(EXACT_NAME)};

/* Where exponents lie: at either end, in the middle, or anywhere. */
EXACT_HELPER int exact_middle(struct exact_type type, uint64_t hash)
{
    const int places[] = {1, type.exponents - 14, type.exponents - 2, type.exponents / 2, type.exponents / 2 + 17,
                          (int)(hash >> 8) & (type.exponents - 1)};
    return places[hash % 6];
}

EXACT_HELPER SWIFT void exact_fill_near(void *to, size_t n, struct exact_type type, uint64_t seed, bool has_sign)
{
    const uint64_t hash = exact_mixed(seed);
    const int limit = type.spans[(hash >> 4) % 3], spans[] = {0, 1, 5, 26, 27, limit - 1, limit, limit + 1, limit + 8, 140};
    const int span = spans[hash % 10];
    int low = exact_middle(type, hash >> 8) - span / 2;
    if (low + span > type.exponents - 1) low = type.exponents - 1 - span;
    if (low < 0) low = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = exact_mixed(seed * 1000003 + i);
        const int exponent = i == n / 3 ? low : i == n / 2 ? low + span : low + (int)(bits >> 52) % (span + 1);
        exact_put(to, type, i, exact_bits(type, has_sign ? exact_mixed(bits) % 2 : hash >> 40 & 1, exponent, bits));
    }
}

EXACT_HELPER SWIFT void exact_fill_cancelling(void *to, size_t n, struct exact_type type, uint64_t seed)
{
    const int width = 8 * type.size;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = exact_mixed(seed + i / 2 * 2);
        const bool is_minus = i % 2 == 1, is_last = i + 1 == n && n % 2 == 1;
        const uint64_t x = exact_bits(type, (bits >> width / 2 & 1) != is_minus, (int)(bits >> 53) % type.exponents, bits);
        exact_put(to, type, i, is_last ? exact_bits(type, seed & 1, 0, bits % 8) : x);
    }
    if (n > 3 && seed % 3 != 0) exact_put(to, type, 1, exact_bits(type, seed & 1, (int)(seed % 77), seed));
    exact_shuffle(to, n, type, seed);
}

EXACT_HELPER SWIFT void exact_fill_large(void *to, size_t n, struct exact_type type, uint64_t seed, bool alternates)
{
    const uint64_t most = ~(uint64_t)0, ulp_exponent = (uint64_t)(type.exponents - 2 - type.fraction);
    for (size_t i = 0; i < n; i++) exact_put(to, type, i, exact_bits(type, i % 2, type.exponents - 1, most));
    if (alternates) {
        if (n > 0) exact_put(to, type, n / 2, exact_bits(type, seed & 1, (int)(seed % 40), seed | 1));
        return;
    }
    if (seed % 4 == 1) exact_fill_near(to, n, type, seed, true);
    if (n > 2) exact_put(to, type, 0, exact_bits(type, false, type.exponents - 1, most));
    if (n > 2) exact_put(to, type, 1, exact_bits(type, seed >> 3 & 1, (int)ulp_exponent - (int)(seed >> 2 & 1), 0)); /* half a unit */
    if (n > 3 && seed >> 4 & 1) exact_put(to, type, n - 1, exact_bits(type, seed >> 5 & 1, 0, 1));
    if (n % 2 == 1 && seed % 3 == 0 && n > 4) exact_put(to, type, n - 2, exact_bits(type, true, type.exponents - 1, most));
    if (seed % 5 == 0) exact_sort(to, n, type);
    if (seed % 5 == 1) exact_shuffle(to, n, type, seed);
}

/* b + half a unit, where b is even or odd; and, of some, a bit at some distance below, on either side. The other elements
   are pairs that cancel, or zeros. */
EXACT_HELPER SWIFT void exact_fill_tied(void *to, size_t n, struct exact_type type, uint64_t seed)
{
    const uint64_t hash = exact_mixed(seed);
    const int far = type.fraction + 2 + (int)(hash >> 20) % (type.exponents - type.fraction - 8);
    const int exponent = far + 2 + (int)(hash >> 40) % (type.exponents - far - 4);
    const bool sign = hash >> 1 & 1;
    for (size_t i = 0; i < n; i++)
        exact_put(to, type, i, exact_bits(type, i % 2, seed & 1 ? 0 : exponent - (int)(exact_mixed(i / 2) % 20), seed & 1 ? 0 : i / 2));
    if (n % 2 == 1) exact_put(to, type, n - 1, 0);
    if (n < 6) return;
    exact_put(to, type, 0, exact_bits(type, sign, exponent, hash >> 3));
    exact_put(to, type, 1, exact_bits(type, sign != (hash & 1), exponent - type.fraction - 1, 0));
    exact_put(to, type, 2, hash >> 2 & 1 ? 0 : exact_bits(type, hash >> 3 & 1, exponent - far, 0));
    exact_put(to, type, 3, 0);
    exact_shuffle(to, n, type, seed);
}

/* Numbers as large as they can be; then numbers of which a sum of them takes no bit, just less than half of its last one,
   so that errors are as large as they can be; for doubles, the low bits of these are just less than half of what a sum of
   errors takes; and some of the least. All have one sign, so that errors add up; in most arrays the sign of each thread is
   its neighbour's turned, so that in the end all cancel but the least, and every lost bit shows. Seeds go through how far
   exponents are apart, and through how small the second numbers are. */
EXACT_HELPER SWIFT void exact_fill_limit(void *to, size_t n, struct exact_type type, uint64_t seed)
{
    const int spans[] = {0, -1, 0, 1, 0, -2, 2, 8, 10, 9, 12, 14, 18, 11, 16, 4};
    const uint64_t hash = exact_mixed(seed), all = ~(uint64_t)0;
    const int span = type.spans[seed % 4 == 0 ? hash >> 20 & 1 ? 1 : 2 : 0] + spans[seed % 16], below = 42 + (int)(seed / 16 % 8);
    const int tops[] = {span + 1, span, type.exponents - 13, type.exponents - 14, type.exponents - 8, type.exponents - 2,
                        type.exponents / 2 + span / 2, type.exponents / 2};
    const int top = tops[hash % 8] > span ? tops[hash % 8] : span + 1;
    const size_t positions = (size_t)(16 / type.size), pairs = n / positions / 2, all_pairs = pairs * positions * 2;
    const size_t run = (hash >> 8 & 7) == 0 ? 2 * positions : (hash >> 11 & 1 ? pairs / 2 + 1 : pairs / 16 * 9 + 1) * positions * 2;
    const int low = 3 + (int)(hash >> 15 & 3);
    const bool is_minus = hash >> 12 & 1, turns = (hash >> 13 & 3) > 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_second = i / run % 2 == 1, is_turned = turns && i / positions % 2 == 1;
        const uint64_t bits = exact_mixed(hash + (is_turned ? i - positions : i));
        const bool is_least = is_second && bits % 29 == 0;
        const uint64_t fraction = is_least ? (is_turned ? exact_mixed(bits) : bits) : !is_second ? all << (bits & 1) : all << low | (((uint64_t)1 << (low - 1)) - 1);
        const int exponent = is_least ? top - span : is_second ? top - below : top;
        exact_put(to, type, i, i >= all_pairs ? 0 : exact_bits(type, is_minus != is_turned, exponent < top - span ? top - span : exponent, fraction));
    }
    if (n > 1 && !turns) exact_put(to, type, n - 1, exact_bits(type, is_minus, top - span, 1));
}

/* Numbers whose sum has as many bits as a block's words hold, or one or two more or less, where one block or some share the
   array. It is as large as it can be, or all cancel but the least, or the signs are random. */
EXACT_HELPER SWIFT void exact_fill_words(void *to, size_t n, struct exact_type type, uint64_t seed)
{
    const uint64_t hash = exact_mixed(seed), all = ~(uint64_t)0, way = hash >> 20 & 3;
    const size_t parts[] = {1, 1, 1, 2, 3, 5}, count = n / parts[hash % 6];
    int span = type.bits_of_words - 1 + (int)(hash >> 8 & 3) - type.fraction - 1;
    for (size_t k = count; k > 0; k /= 2) span--;
    if (span < 0) span = 0;
    const int lows[] = {0, 1, 2, 31, 32, 33, 64, type.exponents - 13 - span, type.exponents - 1 - span, type.exponents / 2};
    const int low = lows[(hash >> 24) % 10];
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = exact_mixed(hash + i);
        const bool is_least = i == n / 3 || bits % 64 == 0, is_minus = way < 2 ? way == 1 : way == 2 ? i % 2 == 1 : bits >> 60 & 1;
        exact_put(to, type, i, exact_bits(type, is_minus, is_least ? low : low + span, is_least ? bits | 1 : way < 3 ? all : bits));
    }
}

/* Pairs of runs of so many numbers, the second of which takes away all of the first but the least numbers: what either has
   lost shows. Exponents are about as far apart as some way can take, errors of one sign, and runs grow or shrink slowly. */
EXACT_HELPER SWIFT void exact_fill_runs(void *to, size_t n, size_t run, struct exact_type type, uint64_t seed)
{
    const uint64_t hash = exact_mixed(seed), all = ~(uint64_t)0;
    const int span = type.spans[hash % 3] + (int)(hash >> 8 & 15) - 5, low = 1 + (int)(hash >> 12) % (type.size == 4 ? 9 : 20);
    const int below = (hash >> 20 & 3) == 0 ? span : (int)((hash >> 22) % 50), growth = (int)(hash >> 30) % 4 - 1;
    const int rare = 1 + (int)(hash >> 34) % 40;
    const int tops[] = {span + (type.size == 4 ? 1 : 53), span + (int)(hash >> 40) % 60, type.exponents - 2, type.exponents / 2};
    for (size_t i = 0; i < n; i++) {
        const size_t pair = i / run / 2, twin = i / run % 2 == 1 ? i - run : i;
        const uint64_t bits = exact_mixed(hash + twin);
        const int top = tops[hash >> 50 & 3] + growth * (int)pair, kind = (int)(bits % 64);
        const bool is_least = kind == 0 || (twin % 97 == 5 && kind < 32);
        const uint64_t low_bits = all << low | (((uint64_t)1 << (low - 1)) - 1);
        const int exponent = is_least ? top - span : kind < rare && below < span ? top - below : top;
        exact_put(to, type, i, exact_bits(type, (twin != i) != (hash >> 55 & 1), exponent,
                                          is_least ? exact_mixed(i) | 1 : hash >> 56 & 1 ? low_bits : all));
    }
}

EXACT_HELPER SWIFT void exact_fill_special(void *to, size_t n, struct exact_type type, uint64_t seed)
{
    const uint64_t infinity = (uint64_t)type.exponents << type.fraction, minus = (uint64_t)1 << (8 * type.size - 1);
    const uint64_t quiet = (uint64_t)1 << (type.fraction - 1);
    const uint64_t each[] = {infinity, minus | infinity, infinity | quiet, minus | infinity | quiet, infinity | 1,
                             minus | infinity | (quiet - 1), infinity | seed % quiet | 1};
    exact_fill_near(to, n, type, seed, true);
    const uint64_t first = each[seed % 7], second = seed % 4 == 0 ? first : each[seed / 7 % 7];
    if (n > 0) exact_put(to, type, (size_t)(exact_mixed(seed) % n), first);
    if (n > 1 && seed % 3 != 0) exact_put(to, type, (size_t)(exact_mixed(seed + 1) % n), second);
}

EXACT_HELPER SWIFT void exact_fill_each(void *to, size_t n, struct exact_type type, enum exact_kind kind, uint64_t seed)
{
    const uint64_t fractions[] = {0, 1, ~(uint64_t)0, (uint64_t)1 << (type.fraction - 1)};
    const int middle = exact_middle(type, exact_mixed(seed));
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = exact_mixed(seed * 7919 + i);
        uint64_t bits = exact_bits(type, hash >> 63, (int)(hash >> 52 & 0x7ff) % type.exponents, exact_mixed(hash));
        if (kind == EXACT_extreme) bits = exact_bits(type, hash & 1, middle + (int)(hash >> 8) % 40, fractions[hash >> 1 & 3]);
        if (kind == EXACT_subnormal) bits = exact_bits(type, hash & 1, seed % 3 == 0 ? (int)(hash >> 8 & 1) : 0, hash >> (seed % 4 * 15));
        if (kind == EXACT_zero) bits = exact_bits(type, seed % 3 == 0 || hash & 1, 0, 0);
        if (kind == EXACT_full) bits = exact_bits(type, true, (int)(seed % 3 == 0 ? 32 : seed % 40 + 1), ~(uint64_t)0);
        exact_put(to, type, i, bits);
    }
    if (kind == EXACT_sorted || kind == EXACT_sorted_down) exact_sort(to, n, type);
    for (size_t i = 0; kind == EXACT_sorted_down && i < n / 2; i++) exact_swap(to, type, i, n - 1 - i);
}

/* An array of n floats or doubles of some kind. */
EXACT_HELPER void exact_fill(void *to, size_t n, size_t size, enum exact_kind kind, uint64_t seed)
{
    const struct exact_type type = exact_type(size);
    switch (kind) {
        case EXACT_near_: exact_fill_near(to, n, type, seed, true); break;
        case EXACT_rising: exact_fill_near(to, n, type, seed, false); break;
        case EXACT_cancelling: exact_fill_cancelling(to, n, type, seed); break;
        case EXACT_alternating: exact_fill_large(to, n, type, seed, true); break;
        case EXACT_largest: exact_fill_large(to, n, type, seed, false); break;
        case EXACT_tied: exact_fill_tied(to, n, type, seed); break;
        case EXACT_special: exact_fill_special(to, n, type, seed); break;
        case EXACT_limit: exact_fill_limit(to, n, type, seed); break;
        case EXACT_words: exact_fill_words(to, n, type, seed); break;
        case EXACT_small_one:
            exact_fill_near(to, n, type, seed, seed % 2 == 0);
            for (size_t i = 1; seed % 4 == 0 && i < n; i += 2)
                exact_put(to, type, i, exact_get(to, type, i - 1) ^ (uint64_t)1 << (8 * type.size - 1));
            if (n > 0) exact_put(to, type, (size_t)(exact_mixed(seed) % n), exact_bits(type, seed & 1, 0, 1));
            break;
        default: exact_fill_each(to, n, type, kind, seed); break;
    }
}

/* ---- Sums that are known ------------------------------------------------------------------------------- */

/* X(what, sum, elements...) for floats and for doubles. */
#define EXACT_FLOATS(X)                                                                                     \
    X("nothing but -0", 0.0f, -0.0f)                                                                        \
    X("zeros", 0.0f, -0.0f, 0.0f, -0.0f)                                                                    \
    X("x - x", 0.0f, -1.5f, 1.5f)                                                                           \
    X("overflow on the way", 3e38f, 3e38f, 3e38f, -3e38f)                                                   \
    X("overflow the other way", -3e38f, -3e38f, -3e38f, 3e38f)                                              \
    X("overflow", INFINITY, 3e38f, 3e38f)                                                                   \
    X("minus overflow", -INFINITY, -3e38f, -3e38f)                                                          \
    X("the largest and half a unit", INFINITY, 0x1.fffffep127f, 0x1p103f)                                   \
    X("the largest and less", 0x1.fffffep127f, 0x1p103f, -0x1p-149f, 0x1.fffffep127f)                       \
    X("minus the largest and half a unit", -INFINITY, -0x1p103f, -0x1.fffffep127f)                          \
    X("infinity", INFINITY, 1, INFINITY, INFINITY, -0x1.fffffep127f)                                        \
    X("minus infinity", -INFINITY, 1, -INFINITY)                                                            \
    X("a tie, even below", 0x1p24f, 0x1p24f, 1)                                                             \
    X("a tie, even above", 0x1.000004p24f, 0x1.000002p24f, 1)                                               \
    X("a tie and a little more", 0x1.000002p24f, 0x1p24f, 0x1p-149f, 1)                                     \
    X("a tie and a little less", 0x1.000002p24f, 0x1.000002p24f, -0x1p-149f, 1)                             \
    X("a negative tie", -0x1p24f, -0x1p24f, -1)                                                             \
    X("a negative tie and a little", -0x1.000002p24f, -0x1p24f, -1, -0x1p-149f)                             \
    X("to the next binade", 0x1p25f, 0x1.fffffep24f, 1)                                                     \
    X("subnormals", 0x1p-126f, 0x1.fffffcp-127f, 0x1p-149f)                                                 \
    X("to a subnormal", 0x1p-149f, 0x1.000002p-126f, -0x1p-126f)                                            \
    X("the least and the largest", 0x1p-149f, 0x1.fffffep127f, 0x1p-149f, -0x1.fffffep127f)
#define EXACT_DOUBLES(X)                                                                                    \
    X("nothing but -0", 0.0, -0.0)                                                                          \
    X("zeros", 0.0, -0.0, 0.0, -0.0)                                                                        \
    X("x - x", 0.0, -1.5, 1.5)                                                                              \
    X("overflow on the way", 1e308, 1e308, 1e308, -1e308)                                                   \
    X("overflow the other way", -1e308, -1e308, -1e308, 1e308)                                              \
    X("overflow", (double)INFINITY, 1e308, 1e308)                                                           \
    X("minus overflow", -(double)INFINITY, -1e308, -1e308)                                                  \
    X("the largest and half a unit", (double)INFINITY, 0x1.fffffffffffffp1023, 0x1p970)                     \
    X("the largest and less", 0x1.fffffffffffffp1023, 0x1p970, -0x1p-1074, 0x1.fffffffffffffp1023)          \
    X("minus the largest and half a unit", -(double)INFINITY, -0x1p970, -0x1.fffffffffffffp1023)            \
    X("infinity", (double)INFINITY, 1, (double)INFINITY, (double)INFINITY, -1e308)                          \
    X("minus infinity", -(double)INFINITY, 1, -(double)INFINITY)                                            \
    X("a tie, even below", 0x1p53, 0x1p53, 1)                                                               \
    X("a tie, even above", 0x1.0000000000002p53, 0x1.0000000000001p53, 1)                                   \
    X("a tie and a little more", 0x1.0000000000001p53, 0x1p53, 0x1p-1074, 1)                                \
    X("a tie and a little less", 0x1.0000000000001p53, 0x1.0000000000001p53, -0x1p-1074, 1)                 \
    X("a negative tie", -0x1p53, -0x1p53, -1)                                                               \
    X("a negative tie and a little", -0x1.0000000000001p53, -0x1p53, -1, -0x1p-1074)                        \
    X("to the next binade", 0x1p54, 0x1.fffffffffffffp53, 1)                                                \
    X("subnormals", 0x1p-1022, 0x1.ffffffffffffep-1023, 0x1p-1074)                                          \
    X("to a subnormal", 0x1p-1074, 0x1.0000000000001p-1022, -0x1p-1022)                                     \
    X("the least and the largest", 0x1p-1074, 0x1.fffffffffffffp1023, 0x1p-1074, -0x1.fffffffffffffp1023)

#endif
