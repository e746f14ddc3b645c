/*
 * reduce_exact.h: the accumulator of exact sums, and these sums on the CPU: reduce_exact.cuh's plain C.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * Programs include reduce_exact.cuh, in plain C too: it has the manual, and includes this file.
 */
#ifndef REDUCE_EXACT_H
#define REDUCE_EXACT_H

#include "reduce.cuh"

#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* functions have the names of structs, as C allows */
#endif

/* ---- The accumulator --------------------------------------------------------------------------------------
 *
 * An accumulator is a long integer, in units of the least subnormal number. It consists of digits: digit k
 * counts 2^(32 * k) units. A digit is a signed word of 64 bits, so that digits may be added in any order, and
 * carries can wait. Four more words follow the digits.
 */
enum {
    REDUCE_EXACT_FLOAT_ = 10,  /* digits: for 277 bits of the largest number and 40 bits of a count */
    REDUCE_EXACT_DOUBLE_ = 67, /* digits: for 2,098 bits and 40 bits */
    REDUCE_EXACT_PENDING_ = 0, /* first word after the digits: no digit is beyond 2^32 times its value */
    REDUCE_EXACT_NAN_ = 1,     /* the words that count NaN and infinities */
    REDUCE_EXACT_INFINITY_ = 2,
    REDUCE_EXACT_MINUS_INFINITY_ = 3,
    REDUCE_EXACT_MORE_ = 4     /* how many words follow the digits */
};

struct reduce_exact_float { int64_t words_[REDUCE_EXACT_FLOAT_ + REDUCE_EXACT_MORE_]; };
struct reduce_exact_double { int64_t words_[REDUCE_EXACT_DOUBLE_ + REDUCE_EXACT_MORE_]; };

#define REDUCE_EXACT_DIGITS_(is_double) ((is_double) ? REDUCE_EXACT_DOUBLE_ : REDUCE_EXACT_FLOAT_)
#define REDUCE_EXACT_CARRY_ ((int64_t)1 << 15) /* carries are made when pending has reached it */

/* A finite number is integer, of at most 53 bits, times 2^place units. */
struct reduce_exact_number_ {
    uint64_t integer_;
    int place_;
    bool is_negative_, is_finite_;
};

REDUCE_BOTH_ struct reduce_exact_number_ reduce_exact_number_(const void *x, bool is_double_) {
    const int fraction_ = is_double_ ? 52 : 23, exponents_ = is_double_ ? 0x7ff : 0xff;
    struct reduce_exact_number_ number_;
    uint64_t bits_ = 0;
    uint32_t word_;
    if (is_double_) memcpy(&bits_, x, sizeof bits_);
    else memcpy(&word_, x, sizeof word_), bits_ = word_;
    const int exponent_ = (int)(bits_ >> fraction_) & exponents_;
    number_.integer_ = (bits_ & (((uint64_t)1 << fraction_) - 1)) | (uint64_t)(exponent_ > 0) << fraction_;
    number_.place_ = exponent_ - (exponent_ > 0);
    number_.is_negative_ = bits_ >> (is_double_ ? 63 : 31) != 0;
    number_.is_finite_ = exponent_ < exponents_;
    return number_;
}

/* Which word after the digits counts this number, which is not finite. */
REDUCE_BOTH_ int reduce_exact_special_(struct reduce_exact_number_ number_, bool is_double_) {
    if (number_.integer_ << (is_double_ ? 12 : 41) != 0) return REDUCE_EXACT_NAN_;
    return number_.is_negative_ ? REDUCE_EXACT_MINUS_INFINITY_ : REDUCE_EXACT_INFINITY_;
}

/* Splits a finite number into three digits with its sign. The first is the digit of its place. */
REDUCE_BOTH_ void reduce_exact_split_(int64_t *three_, struct reduce_exact_number_ number_) {
    const int shift_ = number_.place_ % 32;
    const uint64_t low_ = number_.integer_ << shift_;
    const int64_t all_ = -(int64_t)number_.is_negative_; /* (x ^ all) - all is x or -x */
    three_[0] = ((int64_t)(uint32_t)low_ ^ all_) - all_;
    three_[1] = ((int64_t)(low_ >> 32) ^ all_) - all_;
    three_[2] = ((int64_t)(number_.integer_ >> 1 >> (63 - shift_)) ^ all_) - all_;
}

/* Adds a finite number to digits. */
REDUCE_BOTH_ void reduce_exact_put_(int64_t *digits_, struct reduce_exact_number_ number_) {
    int64_t *const own_ = digits_ + number_.place_ / 32;
    int64_t three_[3];
    reduce_exact_split_(three_, number_);
    own_[0] += three_[0];
    own_[1] += three_[1];
    own_[2] += three_[2];
}

/* Makes all carries: every digit but the last is then 0 to 2^32 - 1. */
REDUCE_BOTH_ void reduce_exact_carry_(int64_t *words_, bool is_double_) {
    const int last_ = REDUCE_EXACT_DIGITS_(is_double_) - 1;
    REDUCE_NO_UNROLL_
    for (int k = 0; k < last_; k++) {
        words_[k + 1] += words_[k] >> 32;
        words_[k] &= 0xffffffff;
    }
    words_[last_ + 1 + REDUCE_EXACT_PENDING_] = 1;
}

/* Adds one number to an accumulator. */
REDUCE_BOTH_ void reduce_exact_add_(int64_t *words_, const void *x, bool is_double_) {
    const struct reduce_exact_number_ number_ = reduce_exact_number_(x, is_double_);
    int64_t *const more_ = words_ + REDUCE_EXACT_DIGITS_(is_double_);
    if (more_[REDUCE_EXACT_PENDING_] >= REDUCE_EXACT_CARRY_) reduce_exact_carry_(words_, is_double_);
    if (!number_.is_finite_) more_[reduce_exact_special_(number_, is_double_)]++;
    else reduce_exact_put_(words_, number_), more_[REDUCE_EXACT_PENDING_]++;
}

/* Adds one accumulator to another. It first makes carries in each of the two that needs them, so *from may
   change. */
REDUCE_BOTH_ void reduce_exact_merge_(int64_t *to_, int64_t *from_, bool is_double_) {
    const int digits_ = REDUCE_EXACT_DIGITS_(is_double_);
    if (to_[digits_] >= REDUCE_EXACT_CARRY_) reduce_exact_carry_(to_, is_double_);
    if (from_[digits_] >= REDUCE_EXACT_CARRY_) reduce_exact_carry_(from_, is_double_);
    REDUCE_NO_UNROLL_
    for (int k = 0; k < digits_ + REDUCE_EXACT_MORE_; k++) to_[k] += from_[k];
}

/* The top of a long integer's magnitude: high * 2^place units. Of what is below, low has the highest bits,
   and is not 0 if that is not. high is 0 if the integer is. */
struct reduce_exact_top_ {
    uint64_t high_, low_;
    int place_;
    bool is_negative_; /* the integer is */
};

/* Whether the integer of these digits has less than 32 * most bits, with its sign. Digits are less than 2^62,
   so that fewer than `most` digits always do. */
REDUCE_BOTH_ bool reduce_exact_are_few_(const int64_t *digits_, int first_, int end_, int most_) {
    const uint64_t bound_ = (uint64_t)1 << 29;
    return end_ - first_ < most_ ||
           (end_ - first_ == most_ && (uint64_t)digits_[end_ - 1] + bound_ < 2 * bound_);
}

/* An integer of 128 bits, of which the highest is its sign, in units of 2^place. */
struct reduce_exact_integer_ {
    uint64_t low_, high_;
    int place_;
};

/* The integer of up to four digits, from first to before end. */
REDUCE_BOTH_ struct reduce_exact_integer_ reduce_exact_few_(const int64_t *digits_, int first_, int end_) {
    int64_t few_[4];
    REDUCE_UNROLL_
    for (int k = 0; k < 4; k++) few_[k] = first_ + k < end_ ? digits_[first_ + k] : 0;
    const uint64_t low_ = (uint64_t)few_[0] + ((uint64_t)few_[1] << 32);
    const uint64_t high_ = (uint64_t)((few_[0] >> 63) + (few_[1] >> 32) + few_[2]) +
                           ((uint64_t)few_[3] << 32) + (low_ < (uint64_t)few_[0]);
    const struct reduce_exact_integer_ integer_ = {low_, high_, 32 * first_};
    return integer_;
}

/* Negates a negative integer, and returns whether it was one. */
REDUCE_BOTH_ bool reduce_exact_make_positive_(struct reduce_exact_integer_ *x) {
    const bool is_negative_ = x->high_ >> 63 != 0;
    if (is_negative_) x->low_ = 0 - x->low_, x->high_ = 0 - x->high_ - (x->low_ > 0);
    return is_negative_;
}

/* The top of an integer of 128 bits. */
REDUCE_BOTH_ struct reduce_exact_top_ reduce_exact_top_of_(struct reduce_exact_integer_ integer_) {
    const bool is_negative_ = reduce_exact_make_positive_(&integer_);
    struct reduce_exact_top_ top_ = {integer_.high_, integer_.low_, integer_.place_ + 64, is_negative_};
    if (top_.high_ == 0) top_.high_ = top_.low_, top_.low_ = 0, top_.place_ -= 64;
    return top_;
}

/* The top of up to six digits. */
REDUCE_BOTH_ struct reduce_exact_top_ reduce_exact_top_of_six_(const int64_t *digits_, int first_, int end_) {
    struct reduce_exact_top_ top_ = {0, 0, 32 * first_ + 128, false};
    uint64_t words_[3] = {0, 0, 0};
    int64_t carry_ = 0;
    REDUCE_UNROLL_
    for (int k = 0; k < 6; k++) {
        carry_ += first_ + k < end_ ? digits_[first_ + k] : 0;
        words_[k / 2] |= (uint64_t)(uint32_t)carry_ << 32 * (k % 2);
        carry_ >>= 32;
    }
    top_.is_negative_ = carry_ < 0;
    bool borrows_ = false;
    REDUCE_UNROLL_
    for (int k = 0; k < 3; k++) {
        if (!top_.is_negative_) continue;
        words_[k] = 0 - words_[k] - borrows_;
        borrows_ = borrows_ || words_[k] != 0;
    }
    REDUCE_UNROLL_
    for (int k = 0; k < 2; k++) {
        if (words_[2] != 0) continue;
        words_[2] = words_[1], words_[1] = words_[0], words_[0] = 0;
        top_.place_ -= 64;
    }
    top_.high_ = words_[2];
    top_.low_ = words_[1] | (words_[0] != 0);
    return top_;
}

/* The top of any digits, or of these digits negated. If the integer is negative, this is no magnitude. */
REDUCE_BOTH_ struct reduce_exact_top_ reduce_exact_top_(const int64_t *digits_, int first_, int end_,
                                                        bool negates_) {
    struct reduce_exact_top_ top_ = {0, 0, 0, false};
    uint64_t below_ = 0; /* two words */
    int64_t carry_ = 0;
    bool more_ = false;
    REDUCE_NO_UNROLL_
    for (int k = first_; k <= end_; k++) {
        const int64_t digit_ = k < end_ ? digits_[k] : 0;
        const uint64_t sum_ = (uint64_t)carry_ + (negates_ ? 0 - (uint64_t)digit_ : (uint64_t)digit_);
        if ((uint32_t)sum_ != 0) {
            top_.high_ = sum_ << 32 | below_ >> 32;
            top_.low_ = below_ << 32 | more_;
            top_.place_ = 32 * (k - 1);
        }
        more_ = more_ || (uint32_t)below_ != 0;
        below_ = sum_ << 32 | below_ >> 32;
        carry_ = (int64_t)sum_ >> 32;
    }
    top_.is_negative_ = carry_ < 0;
    return top_;
}

/* The top of an integer's magnitude. All digits but those from first to before end are 0. */
REDUCE_BOTH_ struct reduce_exact_top_ reduce_exact_magnitude_(const int64_t *digits_, int first_, int end_) {
    if (reduce_exact_are_few_(digits_, first_, end_, 4))
        return reduce_exact_top_of_(reduce_exact_few_(digits_, first_, end_));
    if (reduce_exact_are_few_(digits_, first_, end_, 6))
        return reduce_exact_top_of_six_(digits_, first_, end_);
    struct reduce_exact_top_ top_ = reduce_exact_top_(digits_, first_, end_, false);
    if (!top_.is_negative_) return top_;
    top_ = reduce_exact_top_(digits_, first_, end_, true);
    top_.is_negative_ = true;
    return top_;
}

/* How many leading bits of a number are 0. The number is not 0. */
REDUCE_BOTH_ int reduce_exact_lead_(uint64_t x) {
#ifdef __CUDA_ARCH__
    return __clzll((long long)x);
#else
    return __builtin_clzll(x);
#endif
}

/* The bits of infinity. */
REDUCE_BOTH_ uint64_t reduce_exact_infinity_(bool is_double_) {
    return is_double_ ? (uint64_t)0x7ff << 52 : (uint64_t)0xff << 23;
}

/* x without its last bits, at least two, rounded to nearest; halfway between two integers to the even one. */
REDUCE_BOTH_ uint64_t reduce_exact_drop_(uint64_t x, int bits_) {
    const uint64_t half_ = (uint64_t)1 << (bits_ - 1), integer_ = x >> bits_;
    return integer_ + ((x & (2 * half_ - 1)) + (integer_ & 1) > half_);
}

/* The bits of the float or double nearest to a positive long integer. */
REDUCE_BOTH_ uint64_t reduce_exact_nearest_(struct reduce_exact_top_ top_, bool is_double_) {
    const int kept_ = is_double_ ? 53 : 24, last_place_ = is_double_ ? 2045 : 253;
    if (top_.high_ == 0) return 0;
    const int lead_ = reduce_exact_lead_(top_.high_);
    const uint64_t x = top_.high_ << lead_ | top_.low_ >> 1 >> (63 - lead_) | (top_.low_ << lead_ != 0);
    const int place_ = top_.place_ - lead_, last_ = place_ + 64 - kept_; /* of x, and of the result */
    if (last_ < 0) return x >> -place_; /* a subnormal number: no bit is below a unit */
    if (last_ > last_place_) return reduce_exact_infinity_(is_double_);
    return ((uint64_t)last_ << (kept_ - 1)) + reduce_exact_drop_(x, 64 - kept_); /* may be infinity */
}

/* Writes the float or double of such bits, with a sign. */
REDUCE_BOTH_ void reduce_exact_write_(void *to_, uint64_t bits_, bool is_negative_, bool is_double_) {
    bits_ |= (uint64_t)is_negative_ << (is_double_ ? 63 : 31);
    const uint32_t word_ = (uint32_t)bits_;
    if (is_double_) memcpy(to_, &bits_, sizeof bits_);
    else memcpy(to_, &word_, sizeof word_);
}

/* Rounds a sum and writes the float or double. All digits but those from first to before end are 0. */
REDUCE_BOTH_ void reduce_exact_round_(void *to_, const int64_t *words_, int first_, int end_,
                                      bool is_double_) {
    const int64_t *const more_ = words_ + REDUCE_EXACT_DIGITS_(is_double_);
    const bool rises_ = more_[REDUCE_EXACT_INFINITY_] > 0, falls_ = more_[REDUCE_EXACT_MINUS_INFINITY_] > 0;
    const uint64_t infinity_ = reduce_exact_infinity_(is_double_);
    const struct reduce_exact_top_ top_ = reduce_exact_magnitude_(words_, first_, end_);
    bool is_negative_ = top_.is_negative_;
    uint64_t bits_ = reduce_exact_nearest_(top_, is_double_);
    if (rises_ || falls_) bits_ = infinity_, is_negative_ = falls_;
    if ((rises_ && falls_) || more_[REDUCE_EXACT_NAN_] > 0)
        bits_ = infinity_ + (infinity_ & (0 - infinity_)) / 2, is_negative_ = false;
    reduce_exact_write_(to_, bits_, is_negative_, is_double_);
}

/* The public functions, for float and double. */
#define REDUCE_EXACT_CLEAR_AND_ADD_(T, IS_DOUBLE)                                                           \
    REDUCE_BOTH_ void reduce_exact_##T##_clear(struct reduce_exact_##T *to_) {                              \
        memset(to_, 0, sizeof *to_);                                                                        \
    }                                                                                                       \
    REDUCE_BOTH_ void reduce_exact_##T##_add(struct reduce_exact_##T *to_, T x) {                           \
        reduce_exact_add_(to_->words_, &x, IS_DOUBLE);                                                      \
    }

#define REDUCE_EXACT_MERGE_AND_ROUND_(T, IS_DOUBLE)                                                         \
    REDUCE_BOTH_ void reduce_exact_##T##_merge(struct reduce_exact_##T *to_,                                \
                                               const struct reduce_exact_##T *from_) {                      \
        struct reduce_exact_##T copy_ = *from_;                                                             \
        reduce_exact_merge_(to_->words_, copy_.words_, IS_DOUBLE);                                          \
    }                                                                                                       \
    REDUCE_BOTH_ T reduce_exact_##T##_round(const struct reduce_exact_##T *from_) {                         \
        T x;                                                                                                \
        reduce_exact_round_(&x, from_->words_, 0, REDUCE_EXACT_DIGITS_(IS_DOUBLE), IS_DOUBLE);              \
        return x;                                                                                           \
    }

REDUCE_EXACT_CLEAR_AND_ADD_(float, false)
REDUCE_EXACT_CLEAR_AND_ADD_(double, true)
REDUCE_EXACT_MERGE_AND_ROUND_(float, false)
REDUCE_EXACT_MERGE_AND_ROUND_(double, true)

/* ---- On the CPU -------------------------------------------------------------------------------------------
 *
 * A thread adds up numbers in runs, in one of four ways, and finds the exponents of a run while it adds. If
 * they are too far apart for this way, the thread adds up the run again, in the first way that they allow:
 *
 *   one sum            sums of doubles: floats whose exponents are no more than 18 binades apart
 *   from one anchor    sums of doubles and of their errors: floats, 58 binades; doubles, 29
 *   from two anchors   sums of doubles, of their errors, and of the errors of these: doubles, 69
 *   in bins            sums of integers: all others
 *
 * No bit is lost in the sums. Let m and l be the greatest and the least exponent of a run of 2^r numbers. The
 * numbers are less than 2^(m + 1), and multiples of u: of 2^(l - 23) for floats, 2^(l - 52) for doubles.
 *
 *   One sum: each partial sum is a multiple of u and at most 2^(r + m + 1), which must not exceed 2^53 * u.
 *   From one anchor: sums start at 1.5 * 2^a, where r + m + 3 <= a. They stay between 2^a and 2^(a + 1), and
 *   are multiples of 2^(a - 52). Thus after - before is exact, and so is the error x - (after - before): a
 *   multiple of u and less than 2^(a - 52). The errors go into one sum, as above: it is exact if
 *   2^(r + a - 52) is at most 2^53 * u.
 *   From two anchors: the errors go into sums from 1.5 * 2^b, as above, where b = r + a - 50. The errors of
 *   these are less than 2^(b - 52), and go into one sum.
 *
 * From two anchors, the error of a sum is exact only if the sum was rounded to nearest: otherwise it may have
 * too many bits. The other ways hold in every rounding mode. None of the doubles is subnormal, so that all
 * ways also hold on a processor that replaces subnormal numbers by 0.
 */
enum {
    REDUCE_EXACT_LOG_RUN_ = 10, /* r: a run is still in the first cache when it is added up again */
    REDUCE_EXACT_SLACK_ = 4,    /* binades that an anchor leaves for greater numbers in the next runs */
    REDUCE_EXACT_SKIPS_ = 7,    /* runs that go into bins at once, after one that had to */
    REDUCE_EXACT_FEW_ = 1024,   /* numbers that are added one by one, before bins are worth their cost */
    REDUCE_EXACT_BINNED_ = 1 << 19,     /* numbers in bins before these are emptied: less than 2^20 */
    REDUCE_EXACT_FLOAT_BINS_ = 4 * 512, /* words */
    REDUCE_EXACT_DOUBLE_BINS_ = 4096 * 2
};
#define REDUCE_EXACT_RUN_ ((size_t)1 << REDUCE_EXACT_LOG_RUN_)
#define REDUCE_EXACT_STEP_ ((size_t)16) /* a run has a multiple of this many numbers */

/* The outcome of a run. Its sum is that of the three doubles, if the exponents allow the way. Exponents are
   as in the bits of a float or double: most is the greatest; least is the least of all but zeros, or one
   less. Zeros alone give least > most. Infinities and NaN have the greatest exponent of all. */
struct reduce_exact_run_ {
    double sums_[3];
    int most_, least_;
};

enum reduce_exact_way_ { REDUCE_EXACT_ONE_SUM_, REDUCE_EXACT_ONE_ANCHOR_, REDUCE_EXACT_TWO_ANCHORS_ };

/* One thread's sum. */
struct reduce_exact_thread_ {
    int64_t words_[REDUCE_EXACT_DOUBLE_ + REDUCE_EXACT_MORE_]; /* as in an accumulator */
    bool is_double_, is_to_nearest_;
    enum reduce_exact_way_ way_;               /* the first way for the next run */
    int anchor_;                               /* the exponent a, plus 1023 */
    unsigned skips_;                           /* runs that still go into bins at once */
    unsigned singly_, binned_;                 /* numbers added one by one, and numbers in bins */
    uint64_t bins_[REDUCE_EXACT_DOUBLE_BINS_]; /* undefined while binned is 0 */
};

/* Whether the processor rounds to nearest. Programs may change its rounding mode. */
REDUCE_HOST_ bool reduce_exact_is_to_nearest_(void) {
    const volatile double one_ = 1, little_ = 1e-30;
    return one_ + little_ == 1 && one_ - little_ == 1;
}

REDUCE_HOST_ void reduce_exact_begin_on_cpu_(struct reduce_exact_thread_ *thread_, bool is_double_) {
    memset(thread_->words_, 0, sizeof thread_->words_);
    thread_->is_double_ = is_double_;
    thread_->is_to_nearest_ = reduce_exact_is_to_nearest_();
    thread_->way_ = is_double_ ? REDUCE_EXACT_ONE_ANCHOR_ : REDUCE_EXACT_ONE_SUM_;
    thread_->anchor_ = 1023 + 3 + REDUCE_EXACT_LOG_RUN_ + REDUCE_EXACT_SLACK_; /* good for 1.0 */
    thread_->skips_ = thread_->singly_ = thread_->binned_ = 0;
}

/* Whether doubles are rounded to their own bits, and operations are kept as they are written. If not, all
   numbers go into bins. */
#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || (__FLT_EVAL_METHOD__ + 0) % 16 != 0
#define REDUCE_EXACT_KEEPS_IEEE_ false
#else
#define REDUCE_EXACT_KEEPS_IEEE_ true
#endif

/* Bytes in the longest vector that the compiler may use. */
#ifdef __AVX2__
enum { REDUCE_EXACT_VECTOR_ = 32 };
#else
enum { REDUCE_EXACT_VECTOR_ = 16 };
#endif
typedef double reduce_exact_vector_ __attribute__((__vector_size__(REDUCE_EXACT_VECTOR_)));
typedef uint64_t reduce_exact_vector64_ __attribute__((__vector_size__(REDUCE_EXACT_VECTOR_)));
typedef uint32_t reduce_exact_vector32_ __attribute__((__vector_size__(REDUCE_EXACT_VECTOR_)));
typedef int16_t reduce_exact_vector16_ __attribute__((__vector_size__(REDUCE_EXACT_VECTOR_)));

/* The greater and the lesser of each two integers. gcc does not find the instructions by itself. */
#if defined __AVX2__ && !defined __clang__
#define REDUCE_EXACT_GREATER_(x, y) ((reduce_exact_vector16_)__builtin_ia32_pmaxsw256(x, y))
#define REDUCE_EXACT_LESSER_(x, y) ((reduce_exact_vector16_)__builtin_ia32_pminsw256(x, y))
#elif defined __SSE2__ && !defined __clang__
#define REDUCE_EXACT_GREATER_(x, y) ((reduce_exact_vector16_)__builtin_ia32_pmaxsw128(x, y))
#define REDUCE_EXACT_LESSER_(x, y) ((reduce_exact_vector16_)__builtin_ia32_pminsw128(x, y))
#else
#define REDUCE_EXACT_GREATER_(x, y) (((x) & ((x) > (y))) | ((y) & ~((x) > (y))))
#define REDUCE_EXACT_LESSER_(x, y) (((y) & ((x) > (y))) | ((x) & ~((x) > (y))))
#endif

/* A run's vectors. most and least compare only the upper 16 bits of each number's magnitude, as signed
   integers. least has the magnitude minus 1, so that a zero gives the greatest integer. */
struct reduce_exact_vectors_ {
    reduce_exact_vector_ sums_[4], errors_[2], rests_[2];
    reduce_exact_vector16_ most_, least_;
};

/* The anchors of sums and of errors. */
struct reduce_exact_anchors_ { double of_sums_, of_errors_; };

/* A vector of equal numbers. (In C11, x87 makes a long double of a number in an expression.) */
REDUCE_ALWAYS_ reduce_exact_vector_ reduce_exact_equal_(double x) {
    reduce_exact_vector_ equal_ = {0};
    for (int k = 0; k < REDUCE_EXACT_VECTOR_ / 8; k++) equal_[k] = x;
    return equal_;
}

REDUCE_ALWAYS_ void reduce_exact_vectors_begin_(struct reduce_exact_vectors_ *to_,
                                                struct reduce_exact_anchors_ anchors_) {
    const reduce_exact_vector_ none_ = {0};
    const reduce_exact_vector16_ none16_ = {0};
    to_->sums_[0] = to_->sums_[1] = to_->sums_[2] = to_->sums_[3] = reduce_exact_equal_(anchors_.of_sums_);
    to_->errors_[0] = to_->errors_[1] = reduce_exact_equal_(anchors_.of_errors_);
    to_->rests_[0] = to_->rests_[1] = none_;
    to_->most_ = none16_;
    to_->least_ = none16_ + 0x7fff;
}

/* Puts the exponents of a vector into most and least. */
REDUCE_ALWAYS_ void reduce_exact_look_(struct reduce_exact_vectors_ *to_, const void *x, bool is_double_) {
    const uint64_t all_ = ~(uint64_t)0 >> 1;
    reduce_exact_vector64_ words_;
    reduce_exact_vector16_ size_, less_;
    memcpy(&words_, x, sizeof words_);
    if (is_double_) {
        size_ = (reduce_exact_vector16_)(words_ & all_);
        less_ = (reduce_exact_vector16_)((words_ & all_) + all_);
    } else {
        const reduce_exact_vector32_ sizes_ = (reduce_exact_vector32_)words_ & 0x7fffffff;
        size_ = (reduce_exact_vector16_)sizes_;
        less_ = (reduce_exact_vector16_)(sizes_ + 0x7fffffff);
    }
    to_->most_ = REDUCE_EXACT_GREATER_(size_, to_->most_);
    to_->least_ = REDUCE_EXACT_LESSER_(less_, to_->least_);
}

/* Converts as many floats as a vector has doubles. gcc makes one instruction of an initializer like this. */
REDUCE_ALWAYS_ reduce_exact_vector_ reduce_exact_widened_(const float *x) {
#if defined __AVX2__
    const reduce_exact_vector_ wide_ = {(double)x[0], (double)x[1], (double)x[2], (double)x[3]};
#else
    const reduce_exact_vector_ wide_ = {(double)x[0], (double)x[1]};
#endif
    return wide_;
}

REDUCE_ALWAYS_ reduce_exact_vector_ reduce_exact_loaded_(const double *x) {
    reduce_exact_vector_ loaded_;
    memcpy(&loaded_, x, sizeof loaded_);
    return loaded_;
}

/* Adds a vector to a sum that started at an anchor. Returns the rounding error. */
REDUCE_ALWAYS_ reduce_exact_vector_ reduce_exact_anchored_(reduce_exact_vector_ *sum_,
                                                           reduce_exact_vector_ x) {
    const reduce_exact_vector_ before_ = *sum_, after_ = before_ + x;
    *sum_ = after_;
    return x - (after_ - before_);
}

/* A run's exponents, from those of its vectors. */
REDUCE_ALWAYS_ void reduce_exact_exponents_(struct reduce_exact_run_ *to_,
                                            const struct reduce_exact_vectors_ *from_, bool is_double_) {
    const reduce_exact_vector64_ most_ = (reduce_exact_vector64_)from_->most_;
    const reduce_exact_vector64_ least_ = (reduce_exact_vector64_)from_->least_;
    to_->most_ = 0;
    to_->least_ = 0xffff;
    for (int k = 0; k < REDUCE_EXACT_VECTOR_ / 8; k++)
        for (int bit_ = 48; bit_ >= (is_double_ ? 48 : 16); bit_ -= 32) {
            const int size_ = (int)(most_[k] >> bit_ & 0xffff);
            const int less_ = (int)(least_[k] >> bit_ & 0xffff) ^ 0x8000;
            to_->most_ = size_ > to_->most_ ? size_ : to_->most_;
            to_->least_ = less_ < to_->least_ ? less_ : to_->least_;
        }
    to_->most_ >>= is_double_ ? 4 : 7;
    to_->least_ >>= is_double_ ? 4 : 7;
}

/* The outcome of a run whose sums and errors started at these anchors. */
REDUCE_ALWAYS_ struct reduce_exact_run_ reduce_exact_run_of_(const struct reduce_exact_vectors_ *from_,
                                                             struct reduce_exact_anchors_ anchors_,
                                                             bool is_double_) {
    const reduce_exact_vector_ a = reduce_exact_equal_(anchors_.of_sums_);
    const reduce_exact_vector_ b = reduce_exact_equal_(anchors_.of_errors_);
    const reduce_exact_vector_ sum_ = ((from_->sums_[0] - a) + (from_->sums_[1] - a)) +
                                      ((from_->sums_[2] - a) + (from_->sums_[3] - a));
    const reduce_exact_vector_ error_ = (from_->errors_[0] - b) + (from_->errors_[1] - b);
    const reduce_exact_vector_ rest_ = from_->rests_[0] + from_->rests_[1];
    struct reduce_exact_run_ run_ = {{0, 0, 0}, 0, 0};
    for (int k = 0; k < REDUCE_EXACT_VECTOR_ / 8; k++) {
        run_.sums_[0] += sum_[k];
        run_.sums_[1] += error_[k];
        run_.sums_[2] += rest_[k];
    }
    reduce_exact_exponents_(&run_, from_, is_double_);
    return run_;
}

/* The next functions add up a run, each in one of the ways. count is a multiple of a step. */
REDUCE_CALLED_ struct reduce_exact_run_ reduce_exact_one_sum_(const float *x, size_t count_) {
    const size_t apart_ = REDUCE_EXACT_VECTOR_ / 8;
    const struct reduce_exact_anchors_ none_ = {0, 0};
    struct reduce_exact_vectors_ vectors_;
    reduce_exact_vectors_begin_(&vectors_, none_);
    for (size_t k = 0; k < count_; k += 4 * apart_, x += 4 * apart_) {
        reduce_exact_look_(&vectors_, x, false);
        reduce_exact_look_(&vectors_, x + 2 * apart_, false);
        vectors_.sums_[0] += reduce_exact_widened_(x);
        vectors_.sums_[1] += reduce_exact_widened_(x + apart_);
        vectors_.sums_[2] += reduce_exact_widened_(x + 2 * apart_);
        vectors_.sums_[3] += reduce_exact_widened_(x + 3 * apart_);
    }
    return reduce_exact_run_of_(&vectors_, none_, false);
}

REDUCE_CALLED_ struct reduce_exact_run_ reduce_exact_floats_(struct reduce_exact_anchors_ anchors_,
                                                             const float *x, size_t count_) {
    const size_t apart_ = REDUCE_EXACT_VECTOR_ / 8;
    struct reduce_exact_vectors_ vectors_;
    reduce_exact_vectors_begin_(&vectors_, anchors_);
    for (size_t k = 0; k < count_; k += 2 * apart_, x += 2 * apart_) {
        reduce_exact_look_(&vectors_, x, false);
        vectors_.errors_[0] += reduce_exact_anchored_(&vectors_.sums_[0], reduce_exact_widened_(x));
        vectors_.errors_[1] += reduce_exact_anchored_(&vectors_.sums_[1], reduce_exact_widened_(x + apart_));
    }
    return reduce_exact_run_of_(&vectors_, anchors_, false);
}

REDUCE_ALWAYS_ struct reduce_exact_run_ reduce_exact_doubles_by_(struct reduce_exact_anchors_ anchors_,
                                                                 const double *x, size_t count_,
                                                                 bool has_two_) {
    const size_t apart_ = REDUCE_EXACT_VECTOR_ / 8;
    struct reduce_exact_vectors_ vectors_;
    reduce_exact_vectors_begin_(&vectors_, anchors_);
    for (size_t k = 0; k < count_; k += 2 * apart_, x += 2 * apart_) {
        reduce_exact_look_(&vectors_, x, true);
        reduce_exact_look_(&vectors_, x + apart_, true);
        const reduce_exact_vector_ y = reduce_exact_anchored_(&vectors_.sums_[0], reduce_exact_loaded_(x));
        const reduce_exact_vector_ z =
            reduce_exact_anchored_(&vectors_.sums_[1], reduce_exact_loaded_(x + apart_));
        if (has_two_) {
            vectors_.rests_[0] += reduce_exact_anchored_(&vectors_.errors_[0], y);
            vectors_.rests_[1] += reduce_exact_anchored_(&vectors_.errors_[1], z);
        } else {
            vectors_.errors_[0] += y;
            vectors_.errors_[1] += z;
        }
    }
    return reduce_exact_run_of_(&vectors_, anchors_, true);
}

REDUCE_CALLED_ struct reduce_exact_run_ reduce_exact_one_anchor_(struct reduce_exact_anchors_ anchors_,
                                                                 const double *x, size_t count_) {
    return reduce_exact_doubles_by_(anchors_, x, count_, false);
}

REDUCE_CALLED_ struct reduce_exact_run_ reduce_exact_two_anchors_(struct reduce_exact_anchors_ anchors_,
                                                                  const double *x, size_t count_) {
    return reduce_exact_doubles_by_(anchors_, x, count_, true);
}

/* 1.5 * 2^(exponent - 1023) */
REDUCE_HOST_ double reduce_exact_anchor_(int exponent_) {
    const uint64_t bits_ = (uint64_t)exponent_ << 52 | (uint64_t)1 << 51;
    double anchor_;
    memcpy(&anchor_, &bits_, sizeof anchor_);
    return anchor_;
}

/* Adds up a run in the thread's way, from its anchor. */
REDUCE_HOST_ struct reduce_exact_run_ reduce_exact_try_(const struct reduce_exact_thread_ *thread_,
                                                        const void *x, size_t count_) {
    struct reduce_exact_anchors_ anchors_ = {reduce_exact_anchor_(thread_->anchor_), 0};
    if (thread_->way_ == REDUCE_EXACT_ONE_SUM_) return reduce_exact_one_sum_((const float *)x, count_);
    if (!thread_->is_double_) return reduce_exact_floats_(anchors_, (const float *)x, count_);
    if (thread_->way_ == REDUCE_EXACT_ONE_ANCHOR_)
        return reduce_exact_one_anchor_(anchors_, (const double *)x, count_);
    anchors_.of_errors_ = reduce_exact_anchor_(thread_->anchor_ - 50 + REDUCE_EXACT_LOG_RUN_);
    return reduce_exact_two_anchors_(anchors_, (const double *)x, count_);
}

/* The least and the greatest anchor from which a run with these exponents is exact. If the greatest is less
   than the least, there is no such anchor. */
REDUCE_HOST_ int reduce_exact_least_anchor_(struct reduce_exact_run_ run_, bool is_double_) {
    return run_.most_ + (is_double_ ? 0 : 1023 - 127) + 3 + REDUCE_EXACT_LOG_RUN_;
}

REDUCE_HOST_ int reduce_exact_greatest_anchor_(struct reduce_exact_run_ run_, bool is_double_,
                                               bool has_two_) {
    const int unit_ = run_.least_ + (is_double_ ? -52 : 1023 - 127 - 23);
    const int anchor_ = unit_ + 105 - REDUCE_EXACT_LOG_RUN_ + (has_two_ ? 50 - REDUCE_EXACT_LOG_RUN_ : 0);
    const bool is_normal_ = run_.least_ >= (is_double_ ? 53 : 1) && run_.most_ < (is_double_ ? 0x7ff : 0xff);
    return !is_normal_ ? -1 : anchor_ < 0x7fe ? anchor_ : 0x7fe;
}

/* Whether a run that was added up in the thread's way is exact. */
REDUCE_HOST_ bool reduce_exact_suits_(const struct reduce_exact_thread_ *thread_,
                                      struct reduce_exact_run_ run_) {
    const bool is_double_ = thread_->is_double_, has_two_ = thread_->way_ == REDUCE_EXACT_TWO_ANCHORS_;
    if (thread_->way_ == REDUCE_EXACT_ONE_SUM_)
        return run_.least_ > 0 && run_.most_ < 0xff && run_.most_ - run_.least_ <= 29 - REDUCE_EXACT_LOG_RUN_;
    return reduce_exact_least_anchor_(run_, is_double_) <= thread_->anchor_ &&
           thread_->anchor_ <= reduce_exact_greatest_anchor_(run_, is_double_, has_two_);
}

/* Sets the thread's way and anchor to the first in which a run with these exponents is exact. False if there
   is none. */
REDUCE_HOST_ bool reduce_exact_choose_(struct reduce_exact_thread_ *thread_, struct reduce_exact_run_ run_) {
    const bool is_double_ = thread_->is_double_;
    const int least_ = reduce_exact_least_anchor_(run_, is_double_);
    int greatest_ = reduce_exact_greatest_anchor_(run_, is_double_, false);
    thread_->way_ = REDUCE_EXACT_ONE_SUM_;
    if (!is_double_ && reduce_exact_suits_(thread_, run_)) return true;
    thread_->way_ = REDUCE_EXACT_ONE_ANCHOR_;
    if (greatest_ < least_ && is_double_ && thread_->is_to_nearest_) {
        thread_->way_ = REDUCE_EXACT_TWO_ANCHORS_;
        greatest_ = reduce_exact_greatest_anchor_(run_, true, true);
    }
    if (greatest_ < least_) return false;
    if (thread_->anchor_ < least_ || thread_->anchor_ > greatest_)
        thread_->anchor_ = REDUCE_MIN_(least_ + REDUCE_EXACT_SLACK_, greatest_);
    return true;
}

/* Adds a finite double, which is a multiple of the unit, to a thread's words. */
REDUCE_HOST_ void reduce_exact_put_double_(struct reduce_exact_thread_ *to_, double x) {
    int64_t *const pending_ = to_->words_ + REDUCE_EXACT_DIGITS_(to_->is_double_) + REDUCE_EXACT_PENDING_;
    struct reduce_exact_number_ number_ = reduce_exact_number_(&x, true);
    if (number_.integer_ == 0) return;
    if (!to_->is_double_) number_.place_ -= 1074 - 149;
    if (number_.place_ < 0) number_.integer_ >>= -number_.place_, number_.place_ = 0; /* drops zeros */
    if (*pending_ >= REDUCE_EXACT_CARRY_) reduce_exact_carry_(to_->words_, to_->is_double_);
    reduce_exact_put_(to_->words_, number_);
    ++*pending_;
}

/* Adds a run by sums of doubles. False if its exponents are too far apart. */
REDUCE_HOST_ bool reduce_exact_add_run_(struct reduce_exact_thread_ *to_, const void *x, size_t count_) {
    struct reduce_exact_run_ run_ = reduce_exact_try_(to_, x, count_);
    const bool is_exact_ = reduce_exact_suits_(to_, run_);
    if (run_.least_ > run_.most_) return true; /* zeros */
    if (!reduce_exact_choose_(to_, run_)) return false;
    if (!is_exact_) run_ = reduce_exact_try_(to_, x, count_);
    for (int k = 0; k < 3; k++) reduce_exact_put_double_(to_, run_.sums_[k]);
    return true;
}

/* There is a bin for each sign and exponent. Its lower 44 bits are the sum of fractions, and the bits above
   count the numbers. Floats have four sets of bins, so that neighbours seldom change the same word. */
#define REDUCE_EXACT_ONE_ ((uint64_t)1 << 44)

REDUCE_ALWAYS_ void reduce_exact_bin_float_(uint64_t *bins_, const float *x) {
    uint32_t word_;
    memcpy(&word_, x, sizeof word_);
    bins_[word_ >> 23] += (word_ & 0x7fffff) + REDUCE_EXACT_ONE_;
}

REDUCE_CALLED_ void reduce_exact_bin_floats_(uint64_t *bins_, const float *x, size_t count_) {
    for (size_t k = 0; k < count_; k += 4) {
        reduce_exact_bin_float_(bins_, x + k);
        reduce_exact_bin_float_(bins_ + 512, x + k + 1);
        reduce_exact_bin_float_(bins_ + 2 * 512, x + k + 2);
        reduce_exact_bin_float_(bins_ + 3 * 512, x + k + 3);
    }
}

/* A double's bin has a second word, for the sum of the fractions' lower 32 bits. */
REDUCE_CALLED_ void reduce_exact_bin_doubles_(uint64_t *bins_, const double *x, size_t count_) {
    for (size_t k = 0; k < count_; k++) {
        uint64_t word_;
        memcpy(&word_, x + k, sizeof word_);
        uint64_t *const bin_ = bins_ + 2 * (word_ >> 52);
        bin_[0] += (word_ >> 32 & 0xfffff) + REDUCE_EXACT_ONE_;
        bin_[1] += word_ & 0xffffffff;
    }
}

/* Adds a bin that is not empty to a thread's words. */
REDUCE_HOST_ void reduce_exact_empty_bin_(struct reduce_exact_thread_ *to_, int bin_, uint64_t sum_,
                                          uint64_t low_) {
    const bool is_double_ = to_->is_double_;
    const int last_ = is_double_ ? 0x7ff : 0xff, exponent_ = bin_ & last_;
    const uint64_t fractions_ = sum_ % REDUCE_EXACT_ONE_, count_ = sum_ / REDUCE_EXACT_ONE_;
    const uint64_t leading_ = exponent_ > 0 ? count_ << (is_double_ ? 20 : 23) : 0;
    const struct reduce_exact_number_ number_ = {fractions_ + leading_,
                                                 exponent_ - (exponent_ > 0) + (is_double_ ? 32 : 0),
                                                 bin_ > last_, exponent_ < last_};
    struct reduce_exact_number_ lower_ = number_;
    int64_t *const more_ = to_->words_ + REDUCE_EXACT_DIGITS_(is_double_);
    lower_.integer_ = low_;
    lower_.place_ -= 32;
    if (!number_.is_finite_) {
        const int infinity_ = number_.is_negative_ ? REDUCE_EXACT_MINUS_INFINITY_ : REDUCE_EXACT_INFINITY_;
        more_[(fractions_ | low_) != 0 ? REDUCE_EXACT_NAN_ : infinity_]++;
        return;
    }
    reduce_exact_put_(to_->words_, number_);
    if (low_ != 0) reduce_exact_put_(to_->words_, lower_);
    more_[REDUCE_EXACT_PENDING_] += 2;
}

/* Adds all bins to a thread's words. */
REDUCE_CALLED_ void reduce_exact_empty_(struct reduce_exact_thread_ *to_) {
    const bool is_double_ = to_->is_double_;
    const size_t end_ = is_double_ ? REDUCE_EXACT_DOUBLE_BINS_ : REDUCE_EXACT_FLOAT_BINS_;
    if (to_->binned_ == 0) return;
    reduce_exact_carry_(to_->words_, is_double_);
    for (size_t k = 0; k < end_; k += is_double_ ? 2 : 1)
        if (to_->bins_[k] != 0)
            reduce_exact_empty_bin_(to_, (int)(is_double_ ? k / 2 : k % 512), to_->bins_[k],
                                    is_double_ ? to_->bins_[k + 1] : 0);
    to_->binned_ = 0;
}

REDUCE_ALWAYS_ void reduce_exact_add_singly_(int64_t *words_, const void *x, size_t count_,
                                             bool is_double_) {
    for (size_t k = 0; k < count_; k++)
        reduce_exact_add_(words_, (const char *)x + k * (is_double_ ? 8 : 4), is_double_);
}

/* Adds a run in bins, or one by one while the thread has few numbers. */
REDUCE_CALLED_ void reduce_exact_bin_(struct reduce_exact_thread_ *to_, const void *x, size_t count_) {
    const size_t end_ = to_->is_double_ ? REDUCE_EXACT_DOUBLE_BINS_ : REDUCE_EXACT_FLOAT_BINS_;
    if (to_->singly_ + count_ <= REDUCE_EXACT_FEW_) {
        if (to_->is_double_) reduce_exact_add_singly_(to_->words_, x, count_, true);
        else reduce_exact_add_singly_(to_->words_, x, count_, false);
        to_->singly_ += (unsigned)count_;
        return;
    }
    if (to_->binned_ + count_ > REDUCE_EXACT_BINNED_) reduce_exact_empty_(to_);
    if (to_->binned_ == 0) memset(to_->bins_, 0, end_ * sizeof *to_->bins_);
    if (to_->is_double_) reduce_exact_bin_doubles_(to_->bins_, (const double *)x, count_);
    else reduce_exact_bin_floats_(to_->bins_, (const float *)x, count_);
    to_->binned_ += (unsigned)count_;
}

/* Adds a run. count is a multiple of a step. */
REDUCE_CALLED_ void reduce_exact_add_elements_(struct reduce_exact_thread_ *to_, const void *x,
                                               size_t count_) {
    if (to_->skips_ > 0) to_->skips_--;
    else if (REDUCE_EXACT_KEEPS_IEEE_ && reduce_exact_add_run_(to_, x, count_)) return;
    else to_->skips_ = REDUCE_EXACT_SKIPS_;
    reduce_exact_bin_(to_, x, count_);
}

/* What is known of a NAME. map_ is as in struct reduce_cpu_. */
struct reduce_exact_cpu_ {
    size_t element_size_;
    bool is_double_;
    void (*map_)(void *__restrict x, const void *in_, size_t i, size_t count_);
};

/* The elements from i on, as numbers: mapped into the buffer, or where they are. Fewer than a step are always
   in the buffer, followed by zeros. */
REDUCE_HOST_ const void *reduce_exact_operands_(const struct reduce_exact_cpu_ *cpu_, double *buffer_,
                                                const void *in_, size_t i, size_t count_) {
    const char *elements_;
    memcpy(&elements_, in_, sizeof elements_);
    elements_ += i * cpu_->element_size_;
    if (count_ < REDUCE_EXACT_STEP_) memset(buffer_, 0, REDUCE_EXACT_STEP_ * sizeof *buffer_);
    if (cpu_->map_ != NULL) return cpu_->map_(buffer_, in_, i, count_), buffer_;
    if (count_ >= REDUCE_EXACT_STEP_) return elements_;
    return memcpy(buffer_, elements_, count_ * cpu_->element_size_);
}

/* Adds the elements from begin to before end to a thread's sum. */
REDUCE_CALLED_ void reduce_exact_cpu_part_(const struct reduce_exact_cpu_ *cpu_, const void *in_,
                                           size_t begin_, size_t end_, struct reduce_exact_thread_ *to_) {
    double buffer_[REDUCE_EXACT_RUN_];
    for (size_t i = begin_; i < end_;) {
        const size_t left_ = end_ - i, whole_ = left_ - left_ % REDUCE_EXACT_STEP_;
        const size_t count_ = whole_ == 0 ? left_ : REDUCE_MIN_(whole_, REDUCE_EXACT_RUN_);
        reduce_exact_add_elements_(to_, reduce_exact_operands_(cpu_, buffer_, in_, i, count_),
                                   whole_ == 0 ? REDUCE_EXACT_STEP_ : count_);
        i += count_;
    }
}

#define REDUCE_EXACT_PART_ ((size_t)8192) /* elements in a part; a thread has neighbouring parts */

/* A user's macro must not change OpenMP's words: compilers ignore a pragma that they do not know. */
#pragma push_macro("parallel")
#pragma push_macro("critical")
#undef parallel
#undef critical

REDUCE_CALLED_ void reduce_exact_merge_in_turn_(int64_t *to_, int64_t *from_, bool is_double_) {
#ifdef _OPENMP
#pragma omp critical(reduce_exact_)
#endif
    reduce_exact_merge_(to_, from_, is_double_);
}

/* Thread k of some threads adds its share of the elements to the words of an accumulator. */
REDUCE_CALLED_ void reduce_exact_cpu_share_(const struct reduce_exact_cpu_ *cpu_, const void *in_, size_t n,
                                            size_t k, size_t threads_, int64_t *to_) {
    const size_t each_ = reduce_divide_up_(reduce_divide_up_(n, REDUCE_EXACT_PART_), threads_);
    const size_t begin_ = REDUCE_MIN_(n, k * each_ * REDUCE_EXACT_PART_);
    struct reduce_exact_thread_ thread_;
    reduce_exact_begin_on_cpu_(&thread_, cpu_->is_double_);
    reduce_exact_cpu_part_(cpu_, in_, begin_, begin_ + REDUCE_MIN_(n - begin_, each_ * REDUCE_EXACT_PART_),
                           &thread_);
    reduce_exact_empty_(&thread_);
    if (threads_ > 1) reduce_exact_merge_in_turn_(to_, thread_.words_, cpu_->is_double_);
    else reduce_exact_merge_(to_, thread_.words_, cpu_->is_double_);
}

/* Adds all elements to the words of an accumulator, by several threads if there are several parts. */
REDUCE_CALLED_ void reduce_exact_cpu_all_(const struct reduce_exact_cpu_ *cpu_, const void *in_, size_t n,
                                          int64_t *to_) {
#ifdef _OPENMP
    if (n > REDUCE_EXACT_PART_) {
#pragma omp parallel
        reduce_exact_cpu_share_(cpu_, in_, n, (size_t)omp_get_thread_num(),
                                (size_t)omp_get_num_threads(), to_);
        return;
    }
#endif
    reduce_exact_cpu_share_(cpu_, in_, n, 0, 1, to_);
}

#pragma pop_macro("critical")
#pragma pop_macro("parallel")

REDUCE_HOST_ void reduce_exact_round_on_cpu_(void *to_, const int64_t *words_, bool is_double_) {
    int first_ = 0, end_ = REDUCE_EXACT_DIGITS_(is_double_);
    while (end_ > 0 && words_[end_ - 1] == 0) end_--;
    while (first_ < end_ && words_[first_] == 0) first_++;
    reduce_exact_round_(to_, words_, first_, end_, is_double_);
}

/* void NAME_add_on_cpu_(NAME_input_ in, size_t n, int64_t *to), T NAME_cpu_of_(NAME_input_ in, size_t n) */
#define REDUCE_EXACT_CPU_(NAME, KIND)                                                                       \
    REDUCE_HOST_ void NAME##_add_on_cpu_(NAME##_input_ in_, size_t n, int64_t *to_) {                       \
        const struct reduce_exact_cpu_ cpu_ = {NAME##_size_, NAME##_is_double_,                             \
                                               NAME##_is_mapped_ ? NAME##_cpu_map_ : NULL};                 \
        reduce_exact_cpu_all_(&cpu_, &in_, n, to_);                                                         \
    }                                                                                                       \
    REDUCE_HOST_ NAME##_result NAME##_cpu_of_(NAME##_input_ in_, size_t n) {                                \
        struct reduce_exact_double sum_;                                                                    \
        NAME##_result x;                                                                                    \
        reduce_exact_double_clear(&sum_);                                                                   \
        NAME##_add_on_cpu_(in_, n, sum_.words_);                                                            \
        reduce_exact_round_on_cpu_(&x, sum_.words_, NAME##_is_double_);                                     \
        return x;                                                                                           \
    }

/* T NAME_cpu(...), void NAME_accumulate_cpu(..., A *to): see the manual. */
#define REDUCE_EXACT_CPU_CALLS_(NAME, KIND)                                                                 \
    REDUCE_HOST_ NAME##_result NAME##_cpu(REDUCE_GIVEN_(NAME, KIND)) {                                      \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        return NAME##_cpu_of_(input_, n);                                                                   \
    }                                                                                                       \
    REDUCE_HOST_ void NAME##_accumulate_cpu(REDUCE_GIVEN_(NAME, KIND), NAME##_accumulator *to_) {           \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        NAME##_add_on_cpu_(input_, n, to_->words_);                                                         \
    }

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif /* REDUCE_EXACT_H */
