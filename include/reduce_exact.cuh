/*
 * reduce_exact.cuh: sums that are correctly rounded, for reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_exact.cuh"
 *     DEFINE_REDUCE_EXACT(float)                                 generates reduce_float_exact_sum
 *
 *     float sum;
 *     cudaError_t status = reduce_float_exact_sum(in, n, &sum);
 *
 * The result is the floating-point number nearest to the true sum of the elements. It does not depend on any
 * order: an array may be permuted, cut into parts or spread over machines.
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon; T is float or double)
 *
 *   DEFINE_REDUCE_EXACT(T)            NAME is reduce_T_exact_sum
 *   DEFINE_REDUCE_EXACT_MAP(NAME, In, T, EXPR_OF_X)
 *                                     the sum of what the map makes of each element x of type In, at index i:
 *                                     DEFINE_REDUCE_EXACT_MAP(wide_sum, __half, double, __half2float(x))
 *   DEFINE_REDUCE_EXACT_ZIP(NAME, X, Y, T, EXPR_OF_X_Y)
 *                                     of each x and y of two arrays: include reduce_inputs.cuh too.
 *                                     The exact dot product of floats (a product of two fits a double):
 *                                     DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x * y)
 *
 * WHAT IS GENERATED
 *
 *   function                                            as in reduce.cuh
 *   --------------------------------------------------  --------------------------------------------------
 *   cudaError_t NAME(in, n, T *result)                  the simple call
 *   cudaError_t NAME_async(in, n, T *out, ws, stream)   the asynchronous call: one launch
 *   T NAME_cpu(in, n)                                   the CPU's function, plain C11 too
 *   T NAME_block(T x)                                   all threads of a block of any shape; the result in
 *                                                       every thread; may be called again at once
 *   and, with A for struct reduce_exact_float or struct reduce_exact_double:
 *   cudaError_t NAME_accumulate_async(in, n, A *to, ws, stream)     adds the exact sum to *to, which is where
 *                                                                   the device reaches
 *   void NAME_accumulate_cpu(in, n, A *to)                          adds it to *to
 *
 * THE ACCUMULATOR
 *
 *   struct reduce_exact_float and struct reduce_exact_double hold a sum of floats or of doubles exactly. Host
 *   and device call these functions:
 *
 *   void  reduce_exact_float_clear(struct reduce_exact_float *to)                 an empty sum
 *   void  reduce_exact_float_add(struct reduce_exact_float *to, float x)
 *   void  reduce_exact_float_merge(struct reduce_exact_float *to, const struct reduce_exact_float *from)
 *   float reduce_exact_float_round(const struct reduce_exact_float *from)         the nearest float
 *
 *   and likewise for double. An accumulator that is all zero is empty: memset and cudaMemset clear it.
 *   It consists of int64_t alone. The sums of the corresponding words of up to 16,384 accumulators are the
 *   accumulator of all of them: ncclAllReduce or MPI_Allreduce merges them, as integers.
 *
 * VALUES
 *
 *   Rounding      Once, at the end; to even between two neighbours. The result is infinite only if the true
 *                 sum, so rounded, is beyond the largest number: 1e308 + 1e308 - 1e308 is 1e308.
 *   Zeros         A sum that is zero is +0, that of no elements and of -0 alone too.
 *   Subnormals    count as any other number.
 *   Infinities    of one sign win; those of both signs give NaN, and so does a NaN. NaN has the one bit
 *                 pattern that reduce.cuh gives it.
 *   Elements      up to 2^40, in all parts of an accumulator together.
 *
 * TIME
 *
 *   A GPU that is fast at doubles (compute capability 6.0, 7.0, 8.0, 9.0, 10.0) adds numbers whose exponents
 *   are not far apart at the speed of memory. Where those of 32,768 neighbours are more than 64 binades apart
 *   (80 for double), and on all other GPUs, numbers go into long integers in shared memory instead.
 *   A kernel of NAME_async takes 36 KiB of shared memory; NAME_block 130 bytes for float, 590 for double.
 */
#ifndef REDUCE_EXACT_CUH
#define REDUCE_EXACT_CUH

#include "reduce.cuh"

/* ---- The accumulator --------------------------------------------------------------------------------------
 *
 * A long integer, in units of the least subnormal number, in digits: digit k counts 2^(32 * k). Digits have
 * signs, and 64 bits: they meet by addition alone, in any order, and carries wait. Four more words follow.
 */
enum {
    REDUCE_EXACT_FLOAT_ = 10,  /* digits: 277 bits of the largest number, 40 of a count, and more */
    REDUCE_EXACT_DOUBLE_ = 67, /* 2,098 and 40 */
    REDUCE_EXACT_PENDING_ = 0, /* words after the digits: no digit is beyond 2^32 times this number */
    REDUCE_EXACT_NAN_ = 1,     /* how many of these there were */
    REDUCE_EXACT_INFINITY_ = 2,
    REDUCE_EXACT_MINUS_INFINITY_ = 3,
    REDUCE_EXACT_MORE_ = 4
};

struct reduce_exact_float { int64_t words_[REDUCE_EXACT_FLOAT_ + REDUCE_EXACT_MORE_]; };
struct reduce_exact_double { int64_t words_[REDUCE_EXACT_DOUBLE_ + REDUCE_EXACT_MORE_]; };

#define REDUCE_EXACT_DIGITS_(is_double) ((is_double) ? REDUCE_EXACT_DOUBLE_ : REDUCE_EXACT_FLOAT_)
#define REDUCE_EXACT_CARRY_ ((int64_t)1 << 15) /* pending before carries are made */

/* A number: integer, of at most 53 bits, times 2^place units. */
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

/* The same number in units of 2^(32 * digit). Bits below one unit are 0. */
REDUCE_BOTH_ struct reduce_exact_number_ reduce_exact_moved_(struct reduce_exact_number_ number_,
                                                             int digit_) {
    number_.place_ -= 32 * digit_;
    if (number_.place_ < 0) number_.integer_ >>= -number_.place_, number_.place_ = 0;
    return number_;
}

/* The word, after the digits, that counts numbers like this one, which is not finite. */
REDUCE_BOTH_ int reduce_exact_special_(struct reduce_exact_number_ number_, bool is_double_) {
    if (number_.integer_ << (is_double_ ? 12 : 41) != 0) return REDUCE_EXACT_NAN_;
    return number_.is_negative_ ? REDUCE_EXACT_MINUS_INFINITY_ : REDUCE_EXACT_INFINITY_;
}

/* Adds a finite number to digits that are apart apart. */
REDUCE_BOTH_ void reduce_exact_put_(int64_t *digits_, size_t apart_, struct reduce_exact_number_ number_) {
    const int shift_ = number_.place_ % 32;
    const uint64_t low_ = number_.integer_ << shift_;
    const int64_t high_ = (int64_t)(number_.integer_ >> 1 >> (63 - shift_));
    int64_t *const digit_ = digits_ + (size_t)(number_.place_ / 32) * apart_;
    const int64_t sign_ = number_.is_negative_ ? -1 : 1;
    digit_[0] += sign_ * (int64_t)(low_ & 0xffffffff);
    digit_[apart_] += sign_ * (int64_t)(low_ >> 32);
    if (high_ != 0) digit_[2 * apart_] += sign_ * high_;
}

/* Makes every digit but the last one of 0 to 2^32 - 1. */
REDUCE_BOTH_ void reduce_exact_carry_(int64_t *words_, bool is_double_) {
    const int last_ = REDUCE_EXACT_DIGITS_(is_double_) - 1;
    REDUCE_NO_UNROLL_
    for (int k = 0; k < last_; k++) {
        words_[k + 1] += words_[k] >> 32;
        words_[k] &= 0xffffffff;
    }
    words_[last_ + 1 + REDUCE_EXACT_PENDING_] = 1;
}

REDUCE_BOTH_ void reduce_exact_add_(int64_t *words_, const void *x, bool is_double_) {
    const struct reduce_exact_number_ number_ = reduce_exact_number_(x, is_double_);
    int64_t *const more_ = words_ + REDUCE_EXACT_DIGITS_(is_double_);
    if (more_[REDUCE_EXACT_PENDING_] >= REDUCE_EXACT_CARRY_) reduce_exact_carry_(words_, is_double_);
    if (!number_.is_finite_) more_[reduce_exact_special_(number_, is_double_)]++;
    else reduce_exact_put_(words_, 1, number_), more_[REDUCE_EXACT_PENDING_]++;
}

/* Carries are made first in any of the two that needs them: the other one is a copy. */
REDUCE_BOTH_ void reduce_exact_merge_(int64_t *to_, int64_t *from_, bool is_double_) {
    const int digits_ = REDUCE_EXACT_DIGITS_(is_double_);
    if (to_[digits_] >= REDUCE_EXACT_CARRY_) reduce_exact_carry_(to_, is_double_);
    if (from_[digits_] >= REDUCE_EXACT_CARRY_) reduce_exact_carry_(from_, is_double_);
    REDUCE_NO_UNROLL_
    for (int k = 0; k < digits_ + REDUCE_EXACT_MORE_; k++) to_[k] += from_[k];
}

/* The three highest words of a long integer from the first that is not 0 on, and whether more follow. */
struct reduce_exact_top_ {
    uint32_t words_[3];
    bool more_;
    int digit_;       /* that of words[0] */
    int64_t carry_;   /* -1: it is negative, and these are not the words of its magnitude */
};

/* Of digits from first to before end, those beyond being 0, or of their negatives. */
REDUCE_BOTH_ struct reduce_exact_top_ reduce_exact_top_(const int64_t *digits_, int first_, int end_,
                                                        bool negates_) {
    struct reduce_exact_top_ top_ = {{0, 0, 0}, false, 0, 0};
    uint32_t below_[2] = {0, 0};
    bool more_ = false;
    REDUCE_NO_UNROLL_
    for (int k = first_; k < end_ + 2; k++) {
        const int64_t digit_ = k < end_ ? digits_[k] : 0;
        const uint64_t sum_ = (uint64_t)top_.carry_ + (negates_ ? 0 - (uint64_t)digit_ : (uint64_t)digit_);
        const uint32_t word_ = (uint32_t)sum_;
        if (word_ != 0) {
            top_.words_[0] = word_, top_.words_[1] = below_[0], top_.words_[2] = below_[1];
            top_.more_ = more_;
            top_.digit_ = k;
        }
        more_ = more_ || below_[1] != 0;
        below_[1] = below_[0];
        below_[0] = word_;
        top_.carry_ = (int64_t)sum_ >> 32;
    }
    return top_;
}

/* The bits of the number nearest to the top of a positive long integer: to even between two. */
REDUCE_BOTH_ uint64_t reduce_exact_nearest_(struct reduce_exact_top_ top_, bool is_double_) {
    const int kept_ = is_double_ ? 53 : 24, last_place_ = is_double_ ? 2045 : 253;
    const uint64_t infinity_ = is_double_ ? (uint64_t)0x7ff << 52 : (uint64_t)0xff << 23;
    const uint64_t both_ = (uint64_t)top_.words_[0] << 32 | top_.words_[1];
    int lead_ = 0;
    if (both_ == 0) return 0;
    while ((both_ << lead_) >> 63 == 0) lead_++;
    const uint64_t high_ = both_ << lead_ | (uint64_t)top_.words_[2] << lead_ >> 32;
    const bool more_ = top_.more_ || (uint32_t)(top_.words_[2] << lead_) != 0;
    const int place_ = 32 * (top_.digit_ - 1) - lead_; /* of the last of 64 bits */
    const int dropped_ = place_ + 64 - kept_ < 0 ? -place_ : 64 - kept_;
    const uint64_t half_ = (uint64_t)1 << (dropped_ - 1), rest_ = high_ & (2 * half_ - 1);
    const uint64_t integer_ = high_ >> dropped_;
    const bool rises_ = rest_ > half_ || (rest_ == half_ && (more_ || integer_ % 2 == 1));
    if (place_ + dropped_ > last_place_) return infinity_;
    return ((uint64_t)(place_ + dropped_) << (kept_ - 1)) + integer_ + rises_; /* may be infinity */
}

/* Rounds a sum whose digits but those from first to before end are 0; writes the float or double. */
REDUCE_BOTH_ void reduce_exact_round_(void *to_, const int64_t *words_, int first_, int end_,
                                      bool is_double_) {
    const int64_t *const more_ = words_ + REDUCE_EXACT_DIGITS_(is_double_);
    const bool rises_ = more_[REDUCE_EXACT_INFINITY_] > 0, falls_ = more_[REDUCE_EXACT_MINUS_INFINITY_] > 0;
    const uint64_t exponents_ = is_double_ ? (uint64_t)0x7ff << 52 : (uint64_t)0xff << 23;
    struct reduce_exact_top_ top_ = reduce_exact_top_(words_, first_, end_, false);
    bool is_negative_ = top_.carry_ < 0;
    if (is_negative_) top_ = reduce_exact_top_(words_, first_, end_, true);
    uint64_t bits_ = reduce_exact_nearest_(top_, is_double_);
    if (rises_ || falls_) bits_ = exponents_, is_negative_ = falls_;
    if ((rises_ && falls_) || more_[REDUCE_EXACT_NAN_] > 0)
        bits_ = exponents_ + (exponents_ & (0 - exponents_)) / 2, is_negative_ = false;
    bits_ |= (uint64_t)is_negative_ << (is_double_ ? 63 : 31);
    const uint32_t word_ = (uint32_t)bits_;
    if (is_double_) memcpy(to_, &bits_, sizeof bits_);
    else memcpy(to_, &word_, sizeof word_);
}

/* The public functions: plain names for float and double. */
#define REDUCE_EXACT_ACCUMULATOR_(T, IS_DOUBLE)                                                             \
    REDUCE_BOTH_ void reduce_exact_##T##_clear(struct reduce_exact_##T *to_) {                              \
        memset(to_, 0, sizeof *to_);                                                                        \
    }                                                                                                       \
    REDUCE_BOTH_ void reduce_exact_##T##_add(struct reduce_exact_##T *to_, T x) {                           \
        reduce_exact_add_(to_->words_, &x, IS_DOUBLE);                                                      \
    }                                                                                                       \
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

REDUCE_EXACT_ACCUMULATOR_(float, false)
REDUCE_EXACT_ACCUMULATOR_(double, true)

/* ---- Numbers whose exponents are not far apart ------------------------------------------------------------
 *
 * A sum of doubles whose rounding errors are added up in more doubles: two for floats, three for doubles. No
 * bit is lost if the exponents of the numbers, of which there are up to 128, span no more than these binades:
 * let every number be a multiple of u and less than 2^s * u. Each sum of the first double is less than
 * 2^(s + 7) * u, each of its errors than 2^(s + 7 - 53) * u, each sum of errors than 2^(s + 14 - 53) * u, and
 * so on. They are all multiples of u, so the last double is exact while its sums are less than 2^53 * u. For
 * floats, s is the span and 24: 64 + 24 + 14 - 53 is 49. For doubles: 80 + 53 + 21 - 106 is 48.
 */
enum { REDUCE_EXACT_SPAN_FLOAT_ = 64, REDUCE_EXACT_SPAN_DOUBLE_ = 80, REDUCE_EXACT_TERMS_ = 128 };

/* Adds x to *sum, and leaves the rounding error in x. */
REDUCE_BOTH_ double reduce_exact_two_sum_(double *sum_, double x) {
    const double before_ = *sum_, after_ = before_ + x, added_ = after_ - before_;
    *sum_ = after_;
    return (before_ - (after_ - added_)) + (x - added_);
}

/* The word of a number that holds its exponent, without the sign: greater for a greater exponent, and 0 for 0
   alone. */
REDUCE_BOTH_ uint32_t reduce_exact_size_of_(const void *x, bool is_double_) {
    uint64_t bits_;
    uint32_t word_;
    if (!is_double_) return memcpy(&word_, x, sizeof word_), word_ & 0x7fffffff;
    memcpy(&bits_, x, sizeof bits_);
    return ((uint32_t)(bits_ >> 32) & 0x7fffffff) | ((uint32_t)bits_ != 0);
}

/* The exponents of some numbers: the greatest of their words, the least but 0 less 1. */
struct reduce_exact_range_ { uint32_t most_, least_; };

REDUCE_BOTH_ bool reduce_exact_is_narrow_(struct reduce_exact_range_ range_, bool is_double_) {
    const uint32_t fraction_ = is_double_ ? 20 : 23;
    const uint32_t low_ = (range_.least_ + 1) >> fraction_, high_ = range_.most_ >> fraction_;
    return range_.most_ == 0 ||
           (high_ - low_ <= (is_double_ ? REDUCE_EXACT_SPAN_DOUBLE_ : REDUCE_EXACT_SPAN_FLOAT_) &&
            high_ < (is_double_ ? 0x7ff - 8 : 0xff));
}

/* ---- On the CPU ---------------------------------------------------------------------------------------- */

#define REDUCE_EXACT_RUN_ ((size_t)512) /* numbers at a time */

/* The exponents of some floats or doubles. */
REDUCE_HOST_ struct reduce_exact_range_ reduce_exact_range_of_(const char *x, size_t count_,
                                                               bool is_double_) {
    struct reduce_exact_range_ range_ = {0, ~(uint32_t)0};
    for (size_t k = 0; k < count_; k++) {
        const uint32_t size_ = reduce_exact_size_of_(x + k * (is_double_ ? 8 : 4), is_double_);
        range_.most_ = size_ > range_.most_ ? size_ : range_.most_;
        range_.least_ = size_ - 1 < range_.least_ ? size_ - 1 : range_.least_;
    }
    return range_;
}

REDUCE_CALLED_ void reduce_exact_take_(int64_t *words_, const char *x, size_t count_, bool is_double_) {
    for (size_t k = 0; k < count_; k++) reduce_exact_add_(words_, x + k * (is_double_ ? 8 : 4), is_double_);
}

/* What is known of a NAME: sizes of T and of an element, and map_ as in struct reduce_cpu_. */
struct reduce_exact_cpu_ {
    size_t element_size_;
    bool is_double_;
    void (*map_)(void *__restrict x, const void *in_, size_t i, size_t count_);
};

/* Adds elements from begin to before end. */
REDUCE_CALLED_ void reduce_exact_cpu_part_(const struct reduce_exact_cpu_ *cpu_, const void *in_,
                                           size_t begin_, size_t end_, int64_t *words_) {
    double room_[REDUCE_EXACT_RUN_];
    const char *elements_;
    memcpy(&elements_, in_, sizeof elements_);
    for (size_t i = begin_; i < end_;) {
        const size_t count_ = REDUCE_MIN_(end_ - i, REDUCE_EXACT_RUN_);
        if (cpu_->map_ != NULL) cpu_->map_(room_, in_, i, count_);
        reduce_exact_take_(words_, cpu_->map_ ? (const char *)room_ : elements_ + i * cpu_->element_size_,
                           count_, cpu_->is_double_);
        i += count_;
    }
}

/* Parts of an array, each of which one thread adds up. */
#define REDUCE_EXACT_PARTS_ ((size_t)64)
#define REDUCE_EXACT_PART_ ((size_t)4096) /* elements, at least */

REDUCE_CALLED_ void reduce_exact_cpu_of_(const struct reduce_exact_cpu_ *cpu_, const void *in_, size_t n,
                                         int64_t *to_) {
    struct reduce_exact_double parts_[REDUCE_EXACT_PARTS_];
    const size_t least_ = reduce_divide_up_(n, REDUCE_EXACT_PARTS_);
    const size_t part_ = least_ > REDUCE_EXACT_PART_ ? least_ : REDUCE_EXACT_PART_;
    const ptrdiff_t count_ = (ptrdiff_t)reduce_divide_up_(n, part_);
    REDUCE_PARALLEL_FOR_
    for (ptrdiff_t k = 0; k < count_; k++) {
        const size_t begin_ = (size_t)k * part_;
        reduce_exact_double_clear(&parts_[k]);
        reduce_exact_cpu_part_(cpu_, in_, begin_, begin_ + REDUCE_MIN_(n - begin_, part_), parts_[k].words_);
    }
    for (ptrdiff_t k = 0; k < count_; k++) reduce_exact_merge_(to_, parts_[k].words_, cpu_->is_double_);
}

/* void NAME_accumulate_cpu(..., A *to), T NAME_cpu_of_(NAME_input_ in, size_t n), T NAME_cpu(...) */
#define REDUCE_EXACT_CPU_(NAME, KIND)                                                                       \
    REDUCE_HOST_ void NAME##_add_on_cpu_(NAME##_input_ in_, size_t n, int64_t *to_) {                       \
        const struct reduce_exact_cpu_ cpu_ = {NAME##_size_, NAME##_is_double_,                             \
                                               NAME##_is_mapped_ ? NAME##_cpu_map_ : NULL};                 \
        reduce_exact_cpu_of_(&cpu_, &in_, n, to_);                                                          \
    }                                                                                                       \
    REDUCE_HOST_ NAME##_result NAME##_cpu_of_(NAME##_input_ in_, size_t n) {                                \
        struct reduce_exact_double sum_;                                                                    \
        NAME##_result x;                                                                                    \
        reduce_exact_double_clear(&sum_);                                                                   \
        NAME##_add_on_cpu_(in_, n, sum_.words_);                                                            \
        reduce_exact_round_(&x, sum_.words_, 0, REDUCE_EXACT_DIGITS_(NAME##_is_double_),                    \
                            NAME##_is_double_);                                                             \
        return x;                                                                                           \
    }

#define REDUCE_EXACT_CPU_CALLS_(NAME, KIND)                                                                 \
    REDUCE_HOST_ NAME##_result NAME##_cpu(REDUCE_GIVEN_(NAME, KIND)) {                                      \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        return NAME##_cpu_of_(input_, n);                                                                   \
    }                                                                                                       \
    REDUCE_HOST_ void NAME##_accumulate_cpu(REDUCE_GIVEN_(NAME, KIND), NAME##_accumulator *to_) {           \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        NAME##_add_on_cpu_(input_, n, to_->words_);                                                         \
    }

#ifdef __CUDACC__
/* ---- On the device ----------------------------------------------------------------------------------------
 *
 * The threads of a block fill columns of digits in shared memory: each thread has a column of its own, so
 * that there are no atomic operations. Then each digit's columns are added up.
 */

/* Of a GPU that is fast at doubles. */
#ifndef REDUCE_EXACT_BY_DOUBLES_
#define REDUCE_EXACT_BY_DOUBLES_                                                                            \
    (REDUCE_ARCH_ == 600 || REDUCE_ARCH_ == 700 || REDUCE_ARCH_ == 800 || REDUCE_ARCH_ == 900 ||            \
     REDUCE_ARCH_ == 1000)
#endif

enum {
    REDUCE_EXACT_WINDOW_ = 8,    /* digits of a column for each thread; all that one float can reach */
    REDUCE_EXACT_ALL_ = 66,      /* digits that one double can reach; so many columns are less than threads */
    REDUCE_EXACT_COLUMNS_ = REDUCE_MIN_(REDUCE_LANES, 64),
    REDUCE_EXACT_WORDS_ = REDUCE_EXACT_DOUBLE_ + REDUCE_EXACT_MORE_
};

REDUCE_ASSERT_(REDUCE_LANES * REDUCE_EXACT_WINDOW_ <= REDUCE_EXACT_COLUMNS_ * REDUCE_EXACT_ALL_,
               "reduce_exact.cuh: the columns of so many lanes need more room")

/* The digits of a total that are not 0: from first to before end. */
struct reduce_exact_bounds_ { int first_, end_; };

/* A block's shared memory. */
struct reduce_exact_room_ {
    int64_t columns_[REDUCE_EXACT_COLUMNS_ * REDUCE_EXACT_ALL_];
    int64_t low_[REDUCE_EXACT_WORDS_], high_[REDUCE_EXACT_WORDS_]; /* of columns: words of 32 bits */
    int64_t total_[REDUCE_EXACT_WORDS_];                           /* as in an accumulator */
    struct reduce_exact_range_ ranges_[REDUCE_LANES / REDUCE_WARP];
    struct reduce_exact_bounds_ bounds_;
};

/* A thread's sum: see above. */
struct reduce_exact_doubles_ {
    double sums_[3];
    struct reduce_exact_range_ range_;
};

REDUCE_DEVICE_ void reduce_exact_doubles_add_(struct reduce_exact_doubles_ *to_, const void *x,
                                              bool is_double_) {
    const uint32_t size_ = reduce_exact_size_of_(x, is_double_);
    double error_;
    float narrow_;
    if (is_double_) memcpy(&error_, x, sizeof error_);
    else memcpy(&narrow_, x, sizeof narrow_), error_ = (double)narrow_;
    error_ = reduce_exact_two_sum_(&to_->sums_[0], error_);
    if (is_double_) error_ = reduce_exact_two_sum_(&to_->sums_[1], error_);
    to_->sums_[2] += error_;
    to_->range_.most_ = size_ > to_->range_.most_ ? size_ : to_->range_.most_;
    to_->range_.least_ = size_ - 1 < to_->range_.least_ ? size_ - 1 : to_->range_.least_;
}

/* A thread's column, of digits that are apart apart; what it met that is not finite, a bit for each word. */
struct reduce_exact_column_ {
    int64_t *digits_;
    size_t apart_;
    unsigned specials_;
};

/* A float has 24 bits: up to 128 of them, shifted by up to 31, fit a digit. */
REDUCE_DEVICE_ void reduce_exact_column_add_(struct reduce_exact_column_ *to_, const void *x,
                                             bool is_double_) {
    const struct reduce_exact_number_ number_ = reduce_exact_number_(x, is_double_);
    const int64_t shifted_ = (int64_t)(number_.integer_ << number_.place_ % 32);
    if (!number_.is_finite_) to_->specials_ |= 1u << reduce_exact_special_(number_, is_double_);
    else if (is_double_) reduce_exact_put_(to_->digits_, to_->apart_, number_);
    else
        to_->digits_[(size_t)(number_.place_ / 32) * to_->apart_] +=
            number_.is_negative_ ? -shifted_ : shifted_;
}

/* The sum of all lanes of a warp; the result in lane 0. */
REDUCE_DEVICE_ int64_t reduce_exact_of_warp_(int64_t x, struct reduce_place_ at_) {
#if REDUCE_ARCH_ >= 800
    return (void)at_, (int64_t)reduce_all_words_((unsigned long long)x, sizeof x, REDUCE_SUM_);
#else
    REDUCE_UNROLL_
    for (int half_ = REDUCE_WARP / 2; half_ > 0; half_ /= 2) {
        const bool has_partner_ = (at_.lane_ ^ half_) < at_.lanes_;
        int64_t other_ = x;
        reduce_shuffle_(&other_, sizeof other_, has_partner_ ? at_.lane_ ^ half_ : at_.lane_, 0);
        if (has_partner_) x += other_;
    }
    return x;
#endif
}

/* All threads: adds columns of so many digits to the total, from digit first on. It has last digits. */
REDUCE_DEVICE_ void reduce_exact_gather_(struct reduce_exact_room_ *room_, int digits_, unsigned columns_,
                                         int first_, int last_) {
    const unsigned lane_ = threadIdx.x % REDUCE_WARP, warps_ = blockDim.x / REDUCE_WARP;
    __syncthreads();
    for (int k = (int)(threadIdx.x / REDUCE_WARP); k < digits_; k += (int)warps_) {
        int64_t low_ = 0, high_ = 0;
        for (unsigned c = lane_; c < columns_; c += REDUCE_WARP) {
            const int64_t digit_ = room_->columns_[(unsigned)k * columns_ + c];
            low_ += digit_ & 0xffffffff;
            high_ += digit_ >> 32;
        }
        low_ = reduce_exact_of_warp_(low_, reduce_place_in_row_());
        high_ = reduce_exact_of_warp_(high_, reduce_place_in_row_());
        if (lane_ == 0) room_->low_[k] = low_, room_->high_[k] = high_;
    }
    __syncthreads();
    for (int k = (int)threadIdx.x; k <= digits_ && first_ + k < last_; k += (int)blockDim.x)
        room_->total_[first_ + k] += (k < digits_ ? room_->low_[k] : 0) + (k > 0 ? room_->high_[k - 1] : 0);
}

/* All threads: the exponents of all numbers of the block. */
REDUCE_DEVICE_ struct reduce_exact_range_ reduce_exact_of_block_(struct reduce_exact_room_ *room_,
                                                                struct reduce_exact_range_ range_) {
    const unsigned warps_ = blockDim.x / REDUCE_WARP;
    REDUCE_UNROLL_
    for (int half_ = REDUCE_WARP / 2; half_ > 0; half_ /= 2) {
        struct reduce_exact_range_ other_ = range_;
        reduce_shuffle_(&other_, sizeof other_, 0, half_);
        range_.most_ = other_.most_ > range_.most_ ? other_.most_ : range_.most_;
        range_.least_ = other_.least_ < range_.least_ ? other_.least_ : range_.least_;
    }
    if (threadIdx.x % REDUCE_WARP == 0) room_->ranges_[threadIdx.x / REDUCE_WARP] = range_;
    __syncthreads();
    for (unsigned k = 0; k < warps_; k++) {
        const struct reduce_exact_range_ other_ = room_->ranges_[k];
        range_.most_ = other_.most_ > range_.most_ ? other_.most_ : range_.most_;
        range_.least_ = other_.least_ < range_.least_ ? other_.least_ : range_.least_;
    }
    return range_;
}

/* All threads: adds sums of numbers whose exponents are not far apart to the total. A window of digits has
   room for them: it begins with the digit of the lowest bit of all. */
REDUCE_DEVICE_ void reduce_exact_take_doubles_(struct reduce_exact_room_ *room_,
                                               const struct reduce_exact_doubles_ *from_,
                                               struct reduce_exact_range_ range_, bool is_double_) {
    const unsigned exponent_ = (range_.least_ + 1) >> (is_double_ ? 20 : 23);
    const int first_ = (int)(exponent_ > 0 ? exponent_ - 1 : 0) / 32;
    int64_t *const column_ = room_->columns_ + threadIdx.x;
    REDUCE_UNROLL_
    for (int k = 0; k < REDUCE_EXACT_WINDOW_; k++) column_[(unsigned)k * blockDim.x] = 0;
    REDUCE_UNROLL_
    for (int k = 0; k < 3; k++) {
        struct reduce_exact_number_ number_ = reduce_exact_number_(&from_->sums_[k], true);
        if (number_.integer_ == 0) continue;
        if (!is_double_) number_.place_ -= 1074 - 149;
        reduce_exact_put_(column_, blockDim.x, reduce_exact_moved_(number_, first_));
    }
    reduce_exact_gather_(room_, REDUCE_EXACT_WINDOW_, blockDim.x, first_, REDUCE_EXACT_DIGITS_(is_double_));
}

/* All threads: a total that is empty. A barrier must follow. */
REDUCE_DEVICE_ void reduce_exact_begin_(int64_t *total_, struct reduce_exact_bounds_ *bounds_,
                                        bool is_double_, struct reduce_place_ at_) {
    const unsigned words_ = REDUCE_EXACT_DIGITS_(is_double_) + REDUCE_EXACT_MORE_;
    for (unsigned k = at_.thread_; k < words_; k += at_.threads_) total_[k] = 0;
    if (at_.thread_ == 0) bounds_->first_ = REDUCE_EXACT_DIGITS_(is_double_), bounds_->end_ = 0;
}

REDUCE_DEVICE_ void reduce_exact_widen_(struct reduce_exact_bounds_ *bounds_, int first_, int end_) {
    atomicMin(&bounds_->first_, first_);
    atomicMax(&bounds_->end_, end_);
}

/* All threads: how many columns there are; all digits are 0. */
REDUCE_DEVICE_ unsigned reduce_exact_columns_(struct reduce_exact_room_ *room_, bool is_double_) {
    const unsigned most_ = is_double_ ? REDUCE_EXACT_COLUMNS_ : REDUCE_LANES;
    const unsigned columns_ = REDUCE_MIN_(blockDim.x, most_);
    const unsigned digits_ = is_double_ ? REDUCE_EXACT_ALL_ : REDUCE_EXACT_WINDOW_;
    __syncthreads();
    for (unsigned k = threadIdx.x; k < columns_ * digits_; k += blockDim.x) room_->columns_[k] = 0;
    __syncthreads();
    return columns_;
}

/* All threads: adds columns to the total. */
REDUCE_DEVICE_ void reduce_exact_take_columns_(struct reduce_exact_room_ *room_, unsigned columns_,
                                               unsigned specials_, bool is_double_) {
    reduce_exact_gather_(room_, is_double_ ? REDUCE_EXACT_ALL_ : REDUCE_EXACT_WINDOW_, columns_, 0,
                         REDUCE_EXACT_DIGITS_(is_double_));
    if (!__syncthreads_or((int)specials_)) return;
    for (int k = REDUCE_EXACT_NAN_; k < REDUCE_EXACT_MORE_; k++) {
        const bool is_there_ = __syncthreads_or((int)(specials_ >> k & 1)) != 0;
        if (threadIdx.x == 0) room_->total_[REDUCE_EXACT_DIGITS_(is_double_) + k] += is_there_;
    }
}

/* All threads, after a barrier: the bounds of the digits that are not 0. Another barrier must follow. */
REDUCE_DEVICE_ void reduce_exact_bounds_(struct reduce_exact_room_ *room_, bool is_double_) {
    for (int k = (int)threadIdx.x; k < REDUCE_EXACT_DIGITS_(is_double_); k += (int)blockDim.x)
        if (room_->total_[k] != 0) reduce_exact_widen_(&room_->bounds_, k, k + 1);
}

/* All threads of a grid of several blocks, each with its total: true in the block that then has that of all.
   The workspace's slots hold the sum meanwhile. */
REDUCE_DEVICE_ bool reduce_exact_meet_(struct reduce_exact_room_ *room_, reduce_workspace *ws_,
                                       bool is_double_) {
    const unsigned words_ = REDUCE_EXACT_DIGITS_(is_double_) + REDUCE_EXACT_MORE_;
    for (unsigned k = threadIdx.x; k < words_; k += blockDim.x)
        if (room_->total_[k] != 0) atomicAdd(&ws_->slots_[k], (reduce_slot_)room_->total_[k]);
    if (!reduce_last_block(&ws_->ticket_)) return false;
    for (unsigned k = threadIdx.x; k < words_; k += blockDim.x)
        room_->total_[k] = (int64_t)atomicExch(&ws_->slots_[k], 0);
    __syncthreads();
    return true;
}

/* One thread: the result, or adds it to an accumulator. */
REDUCE_DEVICE_ void reduce_exact_finish_(struct reduce_exact_room_ *room_, void *out_, bool rounds_,
                                         bool is_double_) {
    if (rounds_) {
        reduce_exact_round_(out_, room_->total_, room_->bounds_.first_, room_->bounds_.end_, is_double_);
    } else {
        reduce_exact_carry_(room_->total_, is_double_);
        reduce_exact_merge_((int64_t *)out_, room_->total_, is_double_);
    }
}

/* void NAME_WAY_walk_(struct reduce_exact_WAY_ *to, struct NAME_chunk_ chunk, thread, threads): adds a
   thread's share of a chunk. */
#define REDUCE_EXACT_WALK_(NAME, way)                                                                       \
    REDUCE_DEVICE_ void NAME##_##way##_take_(struct reduce_exact_##way##_ *to_, NAME##_result x) {          \
        reduce_exact_##way##_add_(to_, &x, NAME##_is_double_);                                              \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_##way##_wide_(struct reduce_exact_##way##_ *to_,                             \
                                             struct NAME##_chunk_ chunk_, unsigned k,                       \
                                             unsigned stripe_) {                                            \
        struct NAME##_loaded_ x[REDUCE_LOADS_];                                                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_LOADS_; s++)                                                        \
            NAME##_load_(&x[s], NAME##_input_at_(chunk_.in_, k + s * stripe_),                              \
                         k + s * stripe_ < chunk_.wide_);                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_LOADS_; s++)                                                        \
            if (k + s * stripe_ < chunk_.wide_) {                                                           \
                REDUCE_UNROLL_                                                                              \
                for (size_t p = 0; p < NAME##_positions_; p++)                                              \
                    NAME##_##way##_take_(to_, NAME##_operand_at_(NAME##_loaded_at_(chunk_.in_, &x[s]), p,   \
                                                                 chunk_.i + k + s * stripe_ + p));          \
            }                                                                                               \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_##way##_walk_(struct reduce_exact_##way##_ *to_,                             \
                                             struct NAME##_chunk_ chunk_, unsigned thread_,                 \
                                             unsigned threads_) {                                           \
        const unsigned stripe_ = threads_ * NAME##_positions_;                                              \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = thread_ * NAME##_positions_; k < chunk_.wide_; k += REDUCE_LOADS_ * stripe_)      \
            NAME##_##way##_wide_(to_, chunk_, k, stripe_);                                                  \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = chunk_.wide_ + thread_; k < chunk_.count_; k += threads_)                         \
            NAME##_##way##_take_(to_, NAME##_operand_at_(chunk_.in_, k, chunk_.i + k));                     \
    }

/* void NAME_by_columns_(struct NAME_chunk_ chunk, room): adds a chunk to the block's total. Out of line: most
   chunks of most arrays do not need it. */
#define REDUCE_EXACT_BY_COLUMNS_(NAME)                                                                      \
    REDUCE_ASIDE_ void NAME##_by_columns_(struct NAME##_chunk_ chunk_, struct reduce_exact_room_ *room_) {  \
        const unsigned columns_ = reduce_exact_columns_(room_, NAME##_is_double_);                          \
        struct reduce_exact_column_ column_ = {room_->columns_ + threadIdx.x, columns_, 0};                 \
        if (threadIdx.x < columns_) NAME##_column_walk_(&column_, chunk_, threadIdx.x, columns_);           \
        reduce_exact_take_columns_(room_, columns_, column_.specials_, NAME##_is_double_);                  \
    }

/* void NAME_take_chunk_(struct NAME_chunk_ chunk, room): the same, by doubles if the exponents allow it. */
#define REDUCE_EXACT_TAKE_CHUNK_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_take_chunk_(struct NAME##_chunk_ chunk_, struct reduce_exact_room_ *room_) { \
        struct reduce_exact_doubles_ doubles_ = {{0, 0, 0}, {0, ~0u}};                                      \
        struct reduce_exact_range_ range_ = {1, 0};                                                         \
        if (REDUCE_EXACT_BY_DOUBLES_) {                                                                     \
            NAME##_doubles_walk_(&doubles_, chunk_, threadIdx.x, blockDim.x);                               \
            range_ = reduce_exact_of_block_(room_, doubles_.range_);                                        \
        }                                                                                                   \
        if (REDUCE_EXACT_BY_DOUBLES_ && reduce_exact_is_narrow_(range_, NAME##_is_double_))                 \
            reduce_exact_take_doubles_(room_, &doubles_, range_, NAME##_is_double_);                        \
        else                                                                                                \
            NAME##_by_columns_(chunk_, room_);                                                              \
    }

/* The one kernel. Block b takes chunk b, in portions of which a thread takes 64 elements, and some that wide
   loads leave. */
#define REDUCE_EXACT_KERNEL_(NAME)                                                                          \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_LANES)                                                     \
        NAME##_kernel_(NAME##_input_ in_, unsigned size_, unsigned lack_, bool rounds_,                     \
                       reduce_workspace *ws_, void *out_) {                                                 \
        __shared__ struct reduce_exact_room_ room_;                                                         \
        const unsigned portion_ = REDUCE_LANES * 64;                                                        \
        const struct NAME##_chunk_ chunk_ = NAME##_chunk_of_(in_, reduce_place_in_row_(), size_, lack_);    \
        reduce_exact_begin_(room_.total_, &room_.bounds_, NAME##_is_double_, reduce_place_in_row_());       \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < chunk_.count_; k += portion_)                                              \
            NAME##_take_chunk_(                                                                             \
                NAME##_chunk_at_(in_, chunk_.i + k, REDUCE_MIN_(chunk_.count_ - k, portion_)), &room_);     \
        __syncthreads();                                                                                    \
        if (gridDim.x > 1 && !reduce_exact_meet_(&room_, ws_, NAME##_is_double_)) return;                   \
        reduce_exact_bounds_(&room_, NAME##_is_double_);                                                    \
        __syncthreads();                                                                                    \
        if (threadIdx.x == 0) reduce_exact_finish_(&room_, out_, rounds_, NAME##_is_double_);               \
    }

/* cudaError_t NAME_launch_to_(...): launches the kernel. Without elements one block adds nothing. */
#define REDUCE_EXACT_LAUNCH_(NAME)                                                                          \
    REDUCE_CALLED_ cudaError_t NAME##_launch_to_(NAME##_input_ in_, size_t n, struct reduce_range_ to_,     \
                                                 bool rounds_, reduce_workspace *ws_,                       \
                                                 cudaStream_t stream_) {                                    \
        const struct reduce_cut_ cut_ = reduce_cut_(n, NAME##_size_);                                       \
        const unsigned count_ = (unsigned)(n > 0 ? cut_.count_ : 1);                                        \
        const unsigned threads_ = reduce_block_size_(n, NAME##_size_, true);                                \
        unsigned chunk_ = (unsigned)cut_.chunk_, lack_ = (unsigned)(count_ * cut_.chunk_ - n);              \
        void *out_ = (void *)to_.address_, *arguments_[] = {&in_, &chunk_, &lack_, &rounds_, &ws_, &out_};  \
        const cudaError_t status_ = NAME##_check_(in_, n, to_);                                             \
        if (ws_ == NULL || status_ != cudaSuccess) return ws_ == NULL ? cudaErrorInvalidValue : status_;    \
        return cudaLaunchKernel(NAME##_kernel_, dim3(count_), dim3(threads_), arguments_, 0, stream_);      \
    }                                                                                                       \
    REDUCE_HOST_ cudaError_t NAME##_launch_(NAME##_input_ in_, size_t n, NAME##_result *out_,               \
                                            reduce_workspace *ws_, enum reduce_way_ way_,                   \
                                            cudaStream_t stream_) {                                         \
        (void)way_;                                                                                         \
        return NAME##_launch_to_(in_, n, REDUCE_RANGE_(out_, 1, NAME##_result), true, ws_, stream_);        \
    }

/* cudaError_t NAME_accumulate_async(...) */
#define REDUCE_EXACT_ACCUMULATE_(NAME, KIND)                                                                \
    REDUCE_HOST_ cudaError_t NAME##_accumulate_async(REDUCE_GIVEN_(NAME, KIND), NAME##_accumulator *to_,    \
                                                     reduce_workspace *ws_, cudaStream_t stream_) {         \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        return NAME##_launch_to_(input_, n, REDUCE_RANGE_(to_, 1, NAME##_accumulator), false, ws_,          \
                                 stream_);                                                                  \
    }

/* ---- In a user's block --------------------------------------------------------------------------------- */

/* All threads of a warp, each with a number: adds them to a total in shared memory, by instructions for all
   lanes whose lowest digit is the same. */
REDUCE_DEVICE_ void reduce_exact_add_all_(int64_t *total_, struct reduce_exact_bounds_ *bounds_,
                                          const void *x, bool is_double_, struct reduce_place_ at_) {
    const struct reduce_exact_number_ number_ = reduce_exact_number_(x, is_double_);
    const int place_ = number_.place_ / 32, words_ = is_double_ ? 3 : 2;
    unsigned long long *const more_ = (unsigned long long *)total_ + REDUCE_EXACT_DIGITS_(is_double_);
    bool waits_ = number_.is_finite_ && number_.integer_ != 0;
    int64_t own_[3] = {0, 0, 0};
    reduce_exact_put_(own_, 1, reduce_exact_moved_(number_, place_));
    if (!number_.is_finite_) atomicAdd(&more_[reduce_exact_special_(number_, is_double_)], 1ull);
    for (unsigned waiting_; (waiting_ = __ballot_sync(~0u, waits_)) != 0;) {
        const int first_ = __shfl_sync(~0u, place_, __ffs((int)waiting_) - 1);
        const bool takes_part_ = waits_ && place_ == first_;
        if (at_.lane_ == 0) reduce_exact_widen_(bounds_, first_, first_ + words_);
        REDUCE_UNROLL_
        for (int k = 0; k < words_; k++) {
            const int64_t sum_ = reduce_exact_of_warp_(takes_part_ ? own_[k] : 0, at_);
            if (at_.lane_ == 0)
                atomicAdd((unsigned long long *)&total_[first_ + k], (unsigned long long)sum_);
        }
        waits_ = waits_ && !takes_part_;
    }
}

/* T NAME_block(T x) */
#define REDUCE_EXACT_BLOCK_(NAME)                                                                           \
    REDUCE_DEVICE_ NAME##_result NAME##_block(NAME##_result x) {                                            \
        __shared__ NAME##_accumulator total_;                                                               \
        __shared__ struct reduce_exact_bounds_ bounds_;                                                     \
        __shared__ NAME##_result result_;                                                                   \
        const struct reduce_place_ at_ = reduce_place_();                                                   \
        reduce_exact_begin_(total_.words_, &bounds_, NAME##_is_double_, at_);                               \
        __syncthreads();                                                                                    \
        reduce_exact_add_all_(total_.words_, &bounds_, &x, NAME##_is_double_, at_);                         \
        __syncthreads();                                                                                    \
        if (at_.thread_ == 0)                                                                               \
            reduce_exact_round_(&result_, total_.words_, bounds_.first_, bounds_.end_, NAME##_is_double_);  \
        __syncthreads();                                                                                    \
        return result_;                                                                                     \
    }

#endif /* __CUDACC__ */

/* ---- What users write ---------------------------------------------------------------------------------- */

#define REDUCE_EXACT_CHECK_(name, T)                                                                        \
    REDUCE_ASSERT_(__builtin_strcmp(#T, "float") == 0 || __builtin_strcmp(#T, "double") == 0,               \
                   name ": an exact sum is a float or a double, written so: map " #T " into one with "      \
                        "DEFINE_REDUCE_EXACT_MAP")

/* What the parts of reduce.cuh that are used here want to know of a NAME. */
#define REDUCE_EXACT_TRAITS_(NAME, T)                                                                       \
    typedef struct reduce_exact_##T NAME##_accumulator;                                                     \
    enum {                                                                                                  \
        NAME##_is_double_ = REDUCE_KIND_(T) == REDUCE_DOUBLE_,                                              \
        NAME##_converts_ = 0,                                                                               \
        NAME##_operator_ = REDUCE_OWN_,                                                                     \
        NAME##_is_exact_ = 1,                                                                               \
        NAME##_enough_ = 1                                                                                  \
    };

#ifdef __CUDACC__
#define REDUCE_EXACT_GENERATE_GPU_(NAME, KIND)                                                              \
    REDUCE_OPERAND_AT_(NAME, KIND) REDUCE_LINE_ REDUCE_LAYOUT_(NAME) REDUCE_LINE_ REDUCE_WIDE_##KIND(NAME)  \
    REDUCE_CHUNK_(NAME) REDUCE_LINE_ REDUCE_CHUNK_AT_(NAME) REDUCE_LINE_                                    \
    REDUCE_EXACT_WALK_(NAME, doubles) REDUCE_LINE_ REDUCE_EXACT_WALK_(NAME, column) REDUCE_LINE_            \
    REDUCE_EACH_(NAME, REDUCE_EXACT_BY_COLUMNS_, REDUCE_EXACT_TAKE_CHUNK_, REDUCE_EXACT_KERNEL_,            \
                 REDUCE_EXACT_BLOCK_)                                                                       \
    REDUCE_CHECK_(NAME, KIND) REDUCE_LINE_ REDUCE_EXACT_LAUNCH_(NAME) REDUCE_LINE_                          \
    REDUCE_STRATEGY_(NAME, KIND, async, launch, REDUCE_BY_LAST_BLOCK_) REDUCE_LINE_                         \
    REDUCE_EXACT_ACCUMULATE_(NAME, KIND) REDUCE_LINE_ REDUCE_CALL_(NAME, KIND) REDUCE_LINE_
#else
#define REDUCE_EXACT_GENERATE_GPU_(NAME, KIND)
#endif

#define REDUCE_EXACT_GENERATE_(NAME, KIND)                                                                  \
    REDUCE_CPU_OPERAND_AT_(NAME, KIND) REDUCE_LINE_ REDUCE_CPU_MAP_(NAME) REDUCE_LINE_                      \
    REDUCE_EXACT_CPU_(NAME, KIND) REDUCE_LINE_ REDUCE_EXACT_CPU_CALLS_(NAME, KIND) REDUCE_LINE_             \
    REDUCE_EXACT_GENERATE_GPU_(NAME, KIND)

#define REDUCE_DEFINE_EXACT_(NAME, In, T, IS_MAPPED, EXPR_OF_X)                                             \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_ REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_                        \
    REDUCE_TYPE_(NAME, element, In) REDUCE_LINE_ REDUCE_ARRAY_(NAME) REDUCE_LINE_                           \
    REDUCE_MAP_(NAME, IS_MAPPED, EXPR_OF_X, NAME##_element x) REDUCE_LINE_                                  \
    REDUCE_EXACT_TRAITS_(NAME, T) REDUCE_LINE_ REDUCE_EXACT_GENERATE_(NAME, ARRAY_)

#define DEFINE_REDUCE_EXACT(T)                                                                              \
    REDUCE_CHECK_PLACE_("reduce_" #T "_exact_sum") REDUCE_LINE_                                             \
    REDUCE_EXACT_CHECK_("reduce_" #T "_exact_sum", T) REDUCE_LINE_                                          \
    REDUCE_UNLESS_(REDUCE_HAVE_reduce_##T##_exact_sum, REDUCE_DEFINE_EXACT_)                                \
    (reduce_##T##_exact_sum, T, T, 0, x)

#define DEFINE_REDUCE_EXACT_MAP(NAME, In, T, ...)                                                           \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_ REDUCE_EXACT_CHECK_(#NAME, T) REDUCE_LINE_                      \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_EXACT_)                                                \
    (NAME, In, T, 1, (__VA_ARGS__))

#define REDUCE_DEFINE_EXACT_ZIP_(NAME, X, Y, T, EXPR_OF_X_Y)                                                \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_ REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_                        \
    REDUCE_TYPE_(NAME, first, X) REDUCE_LINE_ REDUCE_TYPE_(NAME, second, Y) REDUCE_LINE_                    \
    REDUCE_ZIP_(NAME) REDUCE_LINE_                                                                          \
    REDUCE_MAP_(NAME, 1, EXPR_OF_X_Y, NAME##_first x, NAME##_second y) REDUCE_LINE_                         \
    REDUCE_EXACT_TRAITS_(NAME, T) REDUCE_LINE_ REDUCE_EXACT_GENERATE_(NAME, ZIP_)

#define DEFINE_REDUCE_EXACT_ZIP(NAME, X, Y, T, ...)                                                         \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_ REDUCE_EXACT_CHECK_(#NAME, T) REDUCE_LINE_                      \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_EXACT_ZIP_)                                            \
    (NAME, X, Y, T, (__VA_ARGS__))

#endif /* REDUCE_EXACT_CUH */
