/*
 * reduce_exact.cuh: correctly rounded sums; a companion of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_exact.cuh"
 *     DEFINE_REDUCE_EXACT(float)                                 generates reduce_float_exact_sum
 *
 *     float sum;
 *     cudaError_t status = reduce_float_exact_sum(in, n, &sum);
 *
 * The result is the floating-point number nearest to the true sum of the elements. It does not depend on the
 * order of the elements: an array may be permuted, cut into parts or spread over machines.
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon; T is the word float or double)
 *
 *   DEFINE_REDUCE_EXACT(T)            NAME is reduce_T_exact_sum
 *   DEFINE_REDUCE_EXACT_MAP(NAME, In, T, EXPR_OF_X)
 *                                     maps each element x of type In, at index i, to a T and sums these:
 *                                     DEFINE_REDUCE_EXACT_MAP(wide_sum, __half, double, __half2float(x))
 *   DEFINE_REDUCE_EXACT_ZIP(NAME, X, Y, T, EXPR_OF_X_Y)
 *                                     the same for each x and y of two arrays; include reduce_inputs.cuh too.
 *                                     An exact dot product (a product of two floats is exact in a double):
 *                                     DEFINE_REDUCE_EXACT_ZIP(dot, float, float, double, (double)x * y)
 *
 * WHAT IS GENERATED                   (A is NAME_accumulator: struct reduce_exact_float or _double, by T)
 *
 *   cudaError_t NAME(in, n, T *result)                 the simple call
 *   cudaError_t NAME_async(in, n, T *out, ws, stream)  the asynchronous call, as in reduce.cuh: one launch.
 *                                                      Above 32 KiB it asks for the number of SMs first
 *   T NAME_cpu(in, n)                                  on the CPU, in plain C11 too
 *   T NAME_block(T x)                                  all threads of a block of any shape, each with a T, to
 *                                                      which no map is applied; every thread gets the result
 *   cudaError_t NAME_accumulate_async(in, n, A *to, ws, stream)
 *   void NAME_accumulate_cpu(in, n, A *to)             add the sum of the elements to *to, without rounding
 *
 *   The simple call takes memory anywhere, as in reduce.cuh. But where there is a GPU, it copies an array in
 *   main memory to it as a whole, whatever its size: for such an array NAME_cpu may be faster.
 *
 *   For NAME_accumulate_async *to lies in device, managed or pinned memory. *to is an accumulator that is
 *   clear or holds a sum. Calls that add to one accumulator must be ordered, for example by one stream.
 *
 * THE ACCUMULATOR
 *
 *   struct reduce_exact_float and struct reduce_exact_double hold a sum of floats or of doubles exactly. Host
 *   and device call these functions, and those for double likewise:
 *
 *   void  reduce_exact_float_clear(struct reduce_exact_float *to)                 an empty sum
 *   void  reduce_exact_float_add(struct reduce_exact_float *to, float x)
 *   void  reduce_exact_float_merge(struct reduce_exact_float *to, const struct reduce_exact_float *from)
 *   float reduce_exact_float_round(const struct reduce_exact_float *from)         the nearest float
 *
 *   They are not atomic: two threads must not add to one accumulator at once.
 *   An accumulator whose bytes are all 0 is empty: memset and cudaMemset clear it. It consists of 14 (float)
 *   or 71 (double) int64_t. Corresponding words of up to 16,384 accumulators may be added, by a loop,
 *   ncclAllReduce or MPI_Allreduce: the sums are an accumulator of all their elements. Merge it into an empty
 *   accumulator before you add its words to others again. Accumulators of the same sum may have different
 *   words: compare the rounded results.
 *
 * ERRORS
 *
 *   The errors are those of reduce.cuh. The accumulator to which a call adds counts as its output. The simple
 *   call returns cudaErrorInvalidValue for an array that is pinned in part.
 *
 * VALUES
 *
 *   Rounding      The sum is rounded once, at the end; halfway between two numbers, to the even one. Sums in
 *                 between cannot overflow: 1e308 + 1e308 - 1e308 is 1e308. A sum of finite elements is
 *                 infinite only if the true sum rounds to infinity. The map may round its own results.
 *   Zeros         A sum that is zero is +0, also of no elements and of -0 alone.
 *   Subnormals    are added like all other numbers.
 *   Infinities    An infinity makes the sum infinite. Infinities of both signs, or a NaN, make it NaN, with
 *                 the one bit pattern of reduce.cuh.
 *   Elements      An accumulator holds up to 2^40, of all calls together. Nothing checks this across calls.
 *
 *   Exceptions    Ignore the CPU's floating-point exception flags: discarded attempts may raise any of them.
 *                 Do not enable traps.
 *   Maps          may run more than once for an element, and must give the same number each time.
 *
 *   The functions need a compiler that keeps to IEEE 754: no -ffast-math, -funsafe-math-optimizations,
 *   -fassociative-math, -use_fast_math or -ftz=true.
 *
 * TIME
 *
 *   On GPUs     A GPU that is fast at doubles (compute capability 8.0, 9.0, 10.0) sums at about memory
 *               bandwidth if the exponents of each 524,288 neighbours are at most 56 binades apart (70 for
 *               double). Other numbers, and all numbers on other GPUs, are added up in shared memory by their
 *               exponents, which takes 1.4 to 2.6 times as long as reduce_T_sum on an H200 (256 MiB).
 *               NAME_async uses 47 KB of shared memory, NAME_block 124 bytes for float and 584 for double.
 *   On CPUs     A CPU reaches half the speed of reduce_T_sum_cpu, or more, if the exponents of each 1,024
 *               neighbours are at most 18 binades apart (29 for double). Each thread uses 80 KB of stack.
 */
#ifndef REDUCE_EXACT_CUH
#define REDUCE_EXACT_CUH

#include "reduce_exact.h"

/* ---- How this file is organised ---------------------------------------------------------------------------
 *
 * docs/exact.md explains the method, draws the accumulator's digits, and says why no bit is lost.
 *
 *   reduce_exact.h                   the accumulator's words, and what host and device do with them: add,
 *                                    merge, round. NAME_cpu: runs of numbers, as sums of doubles or in bins
 *   On the device: near exponents    one thread's sums of doubles
 *   A block's shared memory          the block's total, its bands and its columns
 *   By doubles; By bands; By columns the three ways in which a block adds a portion of its chunk to its total
 *   One result                       how the blocks' totals meet, and the result
 *   A whole array                    the generators: the kernel, what it calls, and the host functions
 *   In a user's block                NAME_block
 *   What users write                 the public macros
 *
 * A block works on one chunk of the array. On a GPU that is fast at doubles it takes it in portions of up to
 * 524,288 elements and tries sums of doubles, but not for three portions after one whose exponents were far
 * apart.
 *
 *                                 a portion
 *                                     |
 *                         is the GPU fast at doubles? --------------------- no ---------------------.
 *                                     | yes                                                         |
 *                           does it try doubles? ------------ no -----------.                       |
 *                                     | yes                                 |                       |
 *       NAME_walk_: each thread adds its elements in two or three doubles   |                       |
 *                                     |                                     v                       |
 *                           are all exponents near? ---- no ----> have all numbers bands? -- no --. |
 *                                     | yes                                 | yes                 v v
 *       reduce_exact_add_doubles_: the doubles           NAME_by_bands_: some          NAME_by_columns_: each
 *       become digits, and warps add these up            threads add elements to       thread adds elements
 *                                     |                  doubles by exponent           to a column of digits
 *                                     |                                     |                     |
 *                                     '-------------------------> the block's total <-------------'
 *                                                                   |  word by word, by atomicAdd
 *                                                         the workspace's slots
 *                                                                   |  one block
 *                                                *out, rounded, or *to, without rounding
 */

#ifdef __CUDACC__

/* ---- On the device: near exponents ------------------------------------------------------------------------
 *
 * A thread adds its numbers in one double. It adds the rounding errors in a second double, and for doubles
 * the rounding errors of those in a third. No bit is lost if there are at most 2,048 numbers and their
 * exponents span at most the binades below. Let every number be a multiple of u and less than 2^s * u. Then
 * all sums and errors are multiples of u, and each
 *
 *   sum of numbers is less than    2^(s + 11) * u        its error less than    2^(s + 11 - 53) * u
 *   sum of errors                  2^(s + 22 - 53) * u                          2^(s + 22 - 106) * u
 *   sum of their errors            2^(s + 33 - 106) * u
 *
 * The last sum is exact while it is less than 2^53 * u. s is the span plus the bits of a number. For floats
 * the sum of errors is the last, and 56 + 24 + 22 - 53 is 49. For doubles 70 + 53 + 33 - 106 is 50.
 */
enum { REDUCE_EXACT_SPAN_FLOAT_ = 56, REDUCE_EXACT_SPAN_DOUBLE_ = 70 };

/* Whether the GPU is fast at doubles. */
#ifndef REDUCE_EXACT_BY_DOUBLES_
#define REDUCE_EXACT_BY_DOUBLES_                                                                            \
    (REDUCE_ARCH_ == 600 || REDUCE_ARCH_ == 700 || REDUCE_ARCH_ == 800 || REDUCE_ARCH_ == 900 ||            \
     REDUCE_ARCH_ == 1000)
#endif

/* Adds x to *sum, and leaves the rounding error in x. */
REDUCE_DEVICE_ double reduce_exact_two_sum_(double *sum_, double x) {
    const double before_ = *sum_, after_ = before_ + x, added_ = after_ - before_;
    *sum_ = after_;
    return (before_ - (after_ - added_)) + (x - added_);
}

/* The word of a number that holds its exponent, without the sign. A greater exponent gives a greater word,
   and only zero gives 0. */
REDUCE_DEVICE_ uint32_t reduce_exact_size_of_(const void *x, bool is_double_) {
    uint64_t bits_;
    uint32_t word_;
    if (!is_double_) return memcpy(&word_, x, sizeof word_), word_ & 0x7fffffff;
    memcpy(&bits_, x, sizeof bits_);
    return ((uint32_t)(bits_ >> 32) & 0x7fffffff) | ((uint32_t)bits_ != 0);
}

/* The exponents of some numbers: the greatest of these words; and the least that is not 0, minus 1. */
struct reduce_exact_range_ { uint32_t most_, least_; };

/* The number of the binade of such a word, of the lowest one and of the highest one, from 0 on. The number of
   binades between these two. */
REDUCE_DEVICE_ uint32_t reduce_exact_binade_(uint32_t size_, bool is_double_) {
    return size_ >> (is_double_ ? 20 : 23);
}
REDUCE_DEVICE_ uint32_t reduce_exact_lowest_(struct reduce_exact_range_ range_, bool is_double_) {
    return reduce_exact_binade_(range_.least_ + 1, is_double_);
}
REDUCE_DEVICE_ uint32_t reduce_exact_highest_(struct reduce_exact_range_ range_, bool is_double_) {
    return reduce_exact_binade_(range_.most_, is_double_);
}
REDUCE_DEVICE_ uint32_t reduce_exact_span_(struct reduce_exact_range_ range_, bool is_double_) {
    const uint32_t highest_ = reduce_exact_highest_(range_, is_double_);
    return range_.most_ == 0 ? 0 : highest_ - reduce_exact_lowest_(range_, is_double_);
}

/* Whether the exponents are near: sums of doubles lose no bit and do not overflow. */
REDUCE_DEVICE_ bool reduce_exact_is_narrow_(struct reduce_exact_range_ range_, bool is_double_) {
    const uint32_t most_ = is_double_ ? REDUCE_EXACT_SPAN_DOUBLE_ : REDUCE_EXACT_SPAN_FLOAT_;
    const uint32_t end_ = is_double_ ? (uint32_t)(0x7ff - 12) << 20 : (uint32_t)0xff << 23;
    return reduce_exact_span_(range_, is_double_) <= most_ && range_.most_ < end_;
}

/* The range of both ranges' numbers. The range of one number. */
REDUCE_DEVICE_ struct reduce_exact_range_ reduce_exact_of_both_(struct reduce_exact_range_ a,
                                                              struct reduce_exact_range_ b) {
    if (b.most_ > a.most_) a.most_ = b.most_;
    if (b.least_ < a.least_) a.least_ = b.least_;
    return a;
}
REDUCE_DEVICE_ struct reduce_exact_range_ reduce_exact_range_of_one_(const void *x, bool is_double_) {
    const uint32_t size_ = reduce_exact_size_of_(x, is_double_);
    const struct reduce_exact_range_ range_ = {size_, size_ - 1};
    return range_;
}

/* A thread's sum. The sum of floats is scaled by 2^-896. */
struct reduce_exact_doubles_ {
    double sums_[3];
    struct reduce_exact_range_ range_;
};

REDUCE_DEVICE_ void reduce_exact_doubles_add_(struct reduce_exact_doubles_ *to_, double x, bool is_double_) {
    x = reduce_exact_two_sum_(&to_->sums_[0], x);
    if (is_double_) x = reduce_exact_two_sum_(&to_->sums_[1], x);
    to_->sums_[2] += x;
}

/* A finite float times 2^-896: moving its bits to their places in a double gives this, also for subnormal
   numbers. The instruction that converts a float is slower. */
REDUCE_DEVICE_ double reduce_exact_lowered_(const float *x) {
    int32_t word_;
    memcpy(&word_, x, sizeof word_);
    const uint64_t bits_ = (uint64_t)((uint32_t)(word_ >> 3) & 0x8fffffff) << 32 | (uint32_t)word_ << 29;
    double wide_;
    memcpy(&wide_, &bits_, sizeof wide_);
    return wide_;
}

/* Adds up to four floats. If they span at most 26 binades, one double holds their sum exactly. */
REDUCE_DEVICE_ void reduce_exact_doubles_add_floats_(struct reduce_exact_doubles_ *to_, const float *x,
                                                     int count_) {
    struct reduce_exact_range_ range_ = reduce_exact_range_of_one_(&x[0], false);
    double sum_ = reduce_exact_lowered_(&x[0]);
    REDUCE_UNROLL_
    for (int k = 1; k < count_; k++) {
        range_ = reduce_exact_of_both_(range_, reduce_exact_range_of_one_(&x[k], false));
        sum_ += reduce_exact_lowered_(&x[k]);
    }
    to_->range_ = reduce_exact_of_both_(to_->range_, range_);
    if (reduce_exact_span_(range_, false) <= 26) {
        reduce_exact_doubles_add_(to_, sum_, false);
        return;
    }
    REDUCE_UNROLL_
    for (int k = 0; k < count_; k++) reduce_exact_doubles_add_(to_, reduce_exact_lowered_(&x[k]), false);
}

/* Adds up to four numbers. */
REDUCE_DEVICE_ void reduce_exact_doubles_add_all_(struct reduce_exact_doubles_ *to_, const void *x,
                                                  int count_, bool is_double_) {
    if (!is_double_) reduce_exact_doubles_add_floats_(to_, (const float *)x, count_);
    REDUCE_UNROLL_
    for (int k = 0; k < count_ && is_double_; k++) {
        const double *const own_ = (const double *)x + k;
        to_->range_ = reduce_exact_of_both_(to_->range_, reduce_exact_range_of_one_(own_, true));
        reduce_exact_doubles_add_(to_, *own_, true);
    }
}

/* ---- A block's shared memory --------------------------------------------------------------------------- */

enum {
    REDUCE_EXACT_WARPS_ = REDUCE_STRANDS / REDUCE_WARP,
    REDUCE_EXACT_WINDOW_ = 6,   /* most digits that a sum of doubles has */
    REDUCE_EXACT_BINADES_ = 16, /* of a band */
    REDUCE_EXACT_BANDING_ = REDUCE_STRANDS / 4, /* threads with bands at least: columns are then faster */
    REDUCE_EXACT_NARROW_ = 8,   /* digits of all floats in a column */
    REDUCE_EXACT_WIDE_ = 41,    /* digits of all doubles */
    REDUCE_EXACT_LATER_ = 1,    /* loads ahead, for which bands and columns ask early (measured) */
    REDUCE_EXACT_RETRY_ = 3,    /* portions that do not try doubles, after one with far exponents */
    REDUCE_EXACT_WORDS_ = REDUCE_EXACT_DOUBLE_ + REDUCE_EXACT_MORE_
};
/* Words of all threads' bands or columns: 44 KiB, so that all of the scratch fits in 48, and columns of all
   digits for a warp. */
#define REDUCE_EXACT_ROOM_                                                                                  \
    (REDUCE_STRANDS * 11 > REDUCE_WARP * REDUCE_EXACT_WIDE_ ? REDUCE_STRANDS * 11                           \
                                                            : REDUCE_WARP * REDUCE_EXACT_WIDE_)

#ifndef REDUCE_EXACT_BANDED_ /* numbers that a thread adds to its bands at most; tests define fewer */
#define REDUCE_EXACT_BANDED_ 1024
#endif

struct reduce_exact_scratch_ {
    int64_t total_[REDUCE_EXACT_WORDS_];   /* the block's sum: the words of an accumulator */
    int64_t sums_[REDUCE_EXACT_WARPS_][8]; /* the digits of each warp's sum */
    struct reduce_exact_range_ ranges_[REDUCE_EXACT_WARPS_];
    union {
        double bands_[REDUCE_EXACT_ROOM_];
        int64_t columns_[REDUCE_EXACT_ROOM_];
    } room_ __attribute__((__aligned__(16)));
};

/* How many threads of the block have room for so many words: whole warps; many are shared evenly by the four
   parts of an SM. */
REDUCE_DEVICE_ unsigned reduce_exact_threads_(unsigned words_) {
    const unsigned most_ = REDUCE_MIN_(REDUCE_EXACT_ROOM_ / words_, blockDim.x);
    const unsigned even_ = most_ < 8 * REDUCE_WARP ? REDUCE_WARP : 4 * REDUCE_WARP;
    return most_ / even_ * even_;
}

/* Asks for an element to be brought to the L2 cache. */
REDUCE_DEVICE_ void reduce_exact_ask_(const void *element_) {
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" : : "l"(element_));
#else
    (void)element_;
#endif
}

/* All digits of a total but those from first to before end are 0. end is 0 while the words are not cleared
   yet. */
struct reduce_exact_bounds_ { int first_, end_; };

/* A sum: words[0] + words[1] * 2^44, in units of 2^place of the total's. */
enum { REDUCE_EXACT_LOW_BITS_ = 44 };
struct reduce_exact_words_ {
    int64_t words_[2];
    int place_;
};

/* The state of a block's sum between portions. */
struct reduce_exact_state_ {
    struct reduce_exact_bounds_ bounds_;
    int skips_;    /* portions that still do not try doubles */
    bool is_lone_; /* one portion's sum is the result, and a thread writes it at once */
};

/* ---- By doubles ---------------------------------------------------------------------------------------- */

/* All lanes of a warp: the sum of their numbers. It has 32 bits if parts is 1; the numbers have 53 bits and a
   sign if parts is 2, and 64 bits if it is 3. The result is in lane 0; in every lane of a whole warp. */
REDUCE_DEVICE_ int64_t reduce_exact_of_warp_(int64_t x, int parts_, struct reduce_place_ at_) {
#if REDUCE_ARCH_ >= 800
    const int64_t upper_ = parts_ == 1 ? x : x >> 27;
    if (parts_ == 3) return (void)at_, (int64_t)reduce_all_words_((unsigned long long)x, 8, REDUCE_SUM_);
    const int64_t high_ = (int)reduce_words_((unsigned)upper_, REDUCE_SUM_);
    return parts_ == 1 ? high_ : high_ * (1 << 27) + reduce_words_((unsigned)x & 0x7ffffff, REDUCE_SUM_);
#else
    REDUCE_UNROLL_
    for (int half_ = REDUCE_WARP / 2; half_ > 0; half_ /= 2) {
        const bool has_partner_ = (at_.lane_ ^ half_) < at_.lanes_;
        int64_t other_ = x;
        reduce_shuffle_(&other_, parts_ == 1 ? 4 : 8, has_partner_ ? at_.lane_ ^ half_ : at_.lane_, 0);
        if (has_partner_) x = parts_ == 1 ? (int)x + (int)other_ : x + other_;
    }
    return x;
#endif
}

/* The greatest unsigned word of all 32 lanes, in each. */
REDUCE_DEVICE_ unsigned reduce_exact_greatest_of_warp_(unsigned x) {
#if REDUCE_ARCH_ >= 800
    return reduce_words_(x, REDUCE_MIN_MAX_);
#else
    REDUCE_UNROLL_
    for (int half_ = REDUCE_WARP / 2; half_ > 0; half_ /= 2) {
        const unsigned other_ = __shfl_xor_sync(~0u, x, half_);
        x = other_ > x ? other_ : x;
    }
    return x;
#endif
}

/* All lanes of a warp, and all threads of a block: the exponents of all their numbers. */
REDUCE_DEVICE_ struct reduce_exact_range_ reduce_exact_of_warp_range_(struct reduce_exact_range_ range_) {
    range_.most_ = reduce_exact_greatest_of_warp_(range_.most_);
    range_.least_ = ~reduce_exact_greatest_of_warp_(~range_.least_);
    return range_;
}
REDUCE_DEVICE_ struct reduce_exact_range_ reduce_exact_of_block_range_(struct reduce_exact_range_ *ranges_,
                                                                      struct reduce_exact_range_ range_) {
    const unsigned lane_ = threadIdx.x % REDUCE_WARP;
    range_ = reduce_exact_of_warp_range_(range_);
    if (lane_ == 0) ranges_[threadIdx.x / REDUCE_WARP] = range_;
    __syncthreads();
    if (lane_ < blockDim.x / REDUCE_WARP) range_ = ranges_[lane_];
    return reduce_exact_of_warp_range_(range_);
}

/* Numbers of such a range are integers of so many bits, in units of their lowest bit, which is 2^place units
   of the total. */
REDUCE_DEVICE_ int reduce_exact_bits_of_(struct reduce_exact_range_ range_, bool is_double_) {
    return (int)reduce_exact_span_(range_, is_double_) + (is_double_ ? 53 : 24);
}
REDUCE_DEVICE_ int reduce_exact_place_of_(struct reduce_exact_range_ range_, bool is_double_) {
    const int lowest_ = (int)reduce_exact_lowest_(range_, is_double_);
    return lowest_ - (lowest_ > 0);
}

/* The digits that hold any thread's or warp's sum of such numbers, from the digit of the lowest bit on. */
struct reduce_exact_digits_ { int first_, count_; };

REDUCE_DEVICE_ struct reduce_exact_digits_ reduce_exact_digits_of_(struct reduce_exact_range_ range_,
                                                                  bool is_double_) {
    const int bits_of_sum_ = reduce_exact_bits_of_(range_, is_double_) + 11;
    const int place_ = reduce_exact_place_of_(range_, is_double_);
    const struct reduce_exact_digits_ digits_ = {place_ / 32, (bits_of_sum_ + 31) / 32 + 1};
    return digits_;
}

/* x times 2^exponent. */
REDUCE_DEVICE_ double reduce_exact_scaled_(double x, int exponent_) {
    const int half_ = exponent_ / 2;
    const uint64_t bits_[2] = {(uint64_t)(1023 + half_) << 52, (uint64_t)(1023 + exponent_ - half_) << 52};
    double powers_[2];
    memcpy(powers_, bits_, sizeof powers_);
    return reduce_rounded_double(x * powers_[0] * powers_[1]); /* else ptxas would fuse it */
}

/* Takes the nearest integer away from *x, which is less than 2^51, and returns it. zero is 1.5 * 2^52 units:
   adding it rounds x to an integer of units, in the sum's lowest bits. */
#define REDUCE_EXACT_ZERO_ 6755399441055744.0
REDUCE_DEVICE_ int64_t reduce_exact_take_(double *x, double zero_) {
    const double sum_ = *x + zero_;
    int64_t bits_[2];
    memcpy(&bits_[0], &zero_, sizeof zero_);
    memcpy(&bits_[1], &sum_, sizeof sum_);
    *x -= sum_ - zero_;
    return bits_[1] - bits_[0];
}

/* Takes a double apart into count digits, the highest first, and adds each to two halves of 16 bits. x is in
   units of the highest digit. */
REDUCE_DEVICE_ void reduce_exact_take_apart_(int *halves_, int count_, double x) {
    double zero_ = REDUCE_EXACT_ZERO_;
    REDUCE_UNROLL_
    for (int k = 0; k < REDUCE_EXACT_WINDOW_ && k < count_; k++, zero_ /= 4294967296.0) {
        const int64_t digit_ = reduce_exact_take_(&x, zero_);
        halves_[2 * k] += (int)digit_ & 0xffff;
        halves_[2 * k + 1] += (int)(digit_ >> 16);
    }
}

/* All lanes of a warp, each with a sum: writes the digits of the warp's sum. */
REDUCE_DEVICE_ void reduce_exact_sum_up_(int64_t *to_, const struct reduce_exact_doubles_ *from_,
                                         struct reduce_exact_digits_ digits_, bool is_double_) {
    const struct reduce_place_ at_ = reduce_place_along_x_();
    const int scale_ = (is_double_ ? 1074 : 149 + 896) - 32 * (digits_.first_ + digits_.count_ - 1);
    const double *const sums_ = from_->sums_;
    int halves_[2 * REDUCE_EXACT_WINDOW_] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    REDUCE_UNROLL_
    for (int k = 0; k < 3; k++) {
        if (k == 1 && !is_double_) continue;
        if (k < 2 || __any_sync(~0u, sums_[k] != 0))
            reduce_exact_take_apart_(halves_, digits_.count_, reduce_exact_scaled_(sums_[k], scale_));
    }
    REDUCE_UNROLL_
    for (int k = 0; k < REDUCE_EXACT_WINDOW_ && k < digits_.count_; k++) {
        const int64_t low_ = reduce_exact_of_warp_(halves_[2 * k], 1, at_);
        const int64_t high_ = reduce_exact_of_warp_(halves_[2 * k + 1], 1, at_);
        if (at_.lane_ == 0) to_[digits_.count_ - 1 - k] = low_ + high_ * 65536;
    }
}

/* All lanes of the first warp, after a barrier: adds the warps' sums to the total. Four lanes share a digit.
   A digit of the total is the sum of at most 2^9 portions' digits, each less than 2^44: nothing overflows. */
REDUCE_DEVICE_ void reduce_exact_collect_(struct reduce_exact_scratch_ *scratch_,
                                          struct reduce_exact_digits_ digits_) {
    const int lane_ = (int)threadIdx.x, k = lane_ % 8, warps_ = (int)(blockDim.x / REDUCE_WARP);
    int64_t sum_ = 0;
    REDUCE_UNROLL_
    for (int w = lane_ / 8; w < REDUCE_EXACT_WARPS_; w += 4)
        if (w < warps_ && k < digits_.count_) sum_ += scratch_->sums_[w][k];
    REDUCE_UNROLL_
    for (int mask_ = 16; mask_ >= 8; mask_ /= 2) {
        int64_t other_ = sum_;
        reduce_shuffle_(&other_, sizeof other_, 0, mask_);
        sum_ += other_;
    }
    if (lane_ < digits_.count_) scratch_->total_[digits_.first_ + k] += sum_;
}

/* All threads: whether all exponents are near. Then to->range has those of the whole block. */
REDUCE_DEVICE_ bool reduce_exact_is_narrow_block_(struct reduce_exact_scratch_ *scratch_,
                                                  struct reduce_exact_doubles_ *to_, bool is_double_) {
    to_->range_ = reduce_exact_of_block_range_(scratch_->ranges_, to_->range_);
    return reduce_exact_is_narrow_(to_->range_, is_double_);
}

/* All threads: adds their sums, whose range is the block's, to the total. */
REDUCE_DEVICE_ void reduce_exact_add_doubles_(struct reduce_exact_scratch_ *scratch_,
                                              const struct reduce_exact_doubles_ *from_,
                                              struct reduce_exact_bounds_ *bounds_, bool is_double_) {
    const struct reduce_exact_digits_ digits_ = reduce_exact_digits_of_(from_->range_, is_double_);
    const int end_ = digits_.first_ + digits_.count_;
    reduce_exact_sum_up_(scratch_->sums_[threadIdx.x / REDUCE_WARP], from_, digits_, is_double_);
    __syncthreads();
    if (threadIdx.x < REDUCE_WARP) reduce_exact_collect_(scratch_, digits_);
    bounds_->first_ = REDUCE_MIN_(bounds_->first_, digits_.first_);
    if (bounds_->end_ < end_) bounds_->end_ = end_;
}

/* ---- By words --------------------------------------------------------------------------------------------
 *
 * Where few numbers have near exponents, the sum of a block's doubles is an integer of one word (float) or
 * two (double), in units of the lowest bit of them all.
 */

/* Whether the sum of count numbers of such a range fits these words: then the sum of any of them does.
   words[1] has up to 51 bits (see reduce_exact_take_). */
REDUCE_DEVICE_ bool reduce_exact_fits_words_(struct reduce_exact_range_ range_, unsigned count_,
                                             bool is_double_) {
    const int bits_of_count_ = 64 - reduce_exact_lead_(count_ | 1);
    const int bits_of_words_ = is_double_ ? REDUCE_EXACT_LOW_BITS_ + 51 : 63;
    return reduce_exact_bits_of_(range_, is_double_) + bits_of_count_ <= bits_of_words_;
}

/* A thread's sum. */
REDUCE_DEVICE_ struct reduce_exact_words_ reduce_exact_words_of_thread_(
    const struct reduce_exact_doubles_ *from_, bool is_double_) {
    struct reduce_exact_words_ to_ = {{0, 0}, reduce_exact_place_of_(from_->range_, is_double_)};
    const double zero_ = REDUCE_EXACT_ZERO_, low_zero_ = zero_ / ((int64_t)1 << REDUCE_EXACT_LOW_BITS_);
    const int scale_ = (is_double_ ? 1074 - REDUCE_EXACT_LOW_BITS_ : 149 + 896) - to_.place_;
    REDUCE_UNROLL_
    for (int k = 0; k < 3; k++) {
        if ((k == 1 && !is_double_) || (k == 2 && !__any_sync(~0u, from_->sums_[k] != 0))) continue;
        double x = reduce_exact_scaled_(from_->sums_[k], scale_);
        if (is_double_) to_.words_[1] += reduce_exact_take_(&x, zero_);
        to_.words_[0] += is_double_ ? reduce_exact_take_(&x, low_zero_) : (int64_t)x;
    }
    return to_;
}

/* All threads: the sum of theirs, in the first warp. */
REDUCE_DEVICE_ struct reduce_exact_words_ reduce_exact_words_of_block_(
    struct reduce_exact_scratch_ *scratch_, const struct reduce_exact_doubles_ *from_, bool is_double_) {
    const struct reduce_place_ at_ = reduce_place_along_x_();
    const int count_ = is_double_ ? 2 : 1, parts_ = is_double_ ? 2 : 3;
    const int warps_ = (int)(at_.threads_ / REDUCE_WARP);
    struct reduce_exact_words_ sum_ = reduce_exact_words_of_thread_(from_, is_double_);
    for (int w = 0; w < count_; w++) sum_.words_[w] = reduce_exact_of_warp_(sum_.words_[w], parts_, at_);
    if (warps_ == 1) return sum_;
    for (int w = 0; w < count_; w++)
        if (at_.lane_ == 0) scratch_->sums_[at_.thread_ / REDUCE_WARP][w] = sum_.words_[w];
    __syncthreads();
    for (int w = 0; w < count_ && at_.thread_ < REDUCE_WARP; w++)
        sum_.words_[w] =
            reduce_exact_of_warp_(at_.lane_ < warps_ ? scratch_->sums_[at_.lane_][w] : 0, parts_, at_);
    return sum_;
}

/* The sum as one integer. */
REDUCE_DEVICE_ struct reduce_exact_integer_ reduce_exact_integer_of_(struct reduce_exact_words_ from_) {
    const int64_t *const words_ = from_.words_;
    const uint64_t more_ = (uint64_t)words_[1] << REDUCE_EXACT_LOW_BITS_, low_ = (uint64_t)words_[0] + more_;
    const uint64_t high_ = (uint64_t)((words_[0] >> 63) + (words_[1] >> (64 - REDUCE_EXACT_LOW_BITS_))) +
                           (low_ < more_);
    const struct reduce_exact_integer_ integer_ = {low_, high_, from_.place_};
    return integer_;
}

/* All threads: the first warp adds its sum to the total. Its digits have the sum's sign, so that few differ
   from 0. */
REDUCE_DEVICE_ void reduce_exact_add_words_(int64_t *total_, struct reduce_exact_bounds_ *bounds_,
                                            struct reduce_exact_words_ from_, bool is_double_) {
    const int k = (int)threadIdx.x, count_ = is_double_ ? 4 : 3;
    const int first_ = from_.place_ / 32, shift_ = from_.place_ % 32;
    struct reduce_exact_integer_ x = reduce_exact_integer_of_(from_);
    const bool is_negative_ = reduce_exact_make_positive_(&x);
    const uint64_t high_ = x.high_ << shift_ | x.low_ >> 1 >> (63 - shift_);
    const uint64_t half_ = k < 2 ? x.low_ << shift_ : high_;
    const int64_t digit_ = k % 2 == 0 ? (uint32_t)half_ : (int64_t)(half_ >> 32);
    if (k < count_) total_[first_ + k] += is_negative_ ? -digit_ : digit_;
    bounds_->first_ = REDUCE_MIN_(bounds_->first_, first_);
    if (bounds_->end_ < first_ + count_) bounds_->end_ = first_ + count_;
}

/* Rounds the sum and writes it. */
REDUCE_DEVICE_ void reduce_exact_round_words_(void *to_, struct reduce_exact_words_ from_, bool is_double_) {
    const struct reduce_exact_top_ top_ = reduce_exact_top_of_(reduce_exact_integer_of_(from_));
    reduce_exact_write_(to_, reduce_exact_nearest_(top_, is_double_), top_.is_negative_, is_double_);
}

/* All threads: adds their sums of count numbers, whose range is the block's. If these are alone in the array
   and fit words, *out becomes their sum. */
REDUCE_DEVICE_ void reduce_exact_add_near_(struct reduce_exact_scratch_ *scratch_,
                                           const struct reduce_exact_doubles_ *from_,
                                           struct reduce_exact_state_ *state_, unsigned count_, void *out_,
                                           bool is_double_) {
    if (!reduce_exact_fits_words_(from_->range_, count_, is_double_)) {
        state_->is_lone_ = false;
        reduce_exact_add_doubles_(scratch_, from_, &state_->bounds_, is_double_);
        return;
    }
    const struct reduce_exact_words_ sum_ = reduce_exact_words_of_block_(scratch_, from_, is_double_);
    if (threadIdx.x == 0 && state_->is_lone_) reduce_exact_round_words_(out_, sum_, is_double_);
    if (!state_->is_lone_) reduce_exact_add_words_(scratch_->total_, &state_->bounds_, sum_, is_double_);
}

/* Adds x times 2^place units to a total in shared memory. The last digit has none above it for a carry. */
REDUCE_DEVICE_ void reduce_exact_add_shared_(int64_t *total_, int64_t x, int place_, bool is_double_) {
    const int64_t shifted_ = (int64_t)((uint64_t)x << place_ % 32);
    const bool is_last_ = place_ / 32 == REDUCE_EXACT_DIGITS_(is_double_) - 1;
    unsigned long long *const digit_ = (unsigned long long *)total_ + place_ / 32;
    atomicAdd(&digit_[0], (unsigned long long)(is_last_ ? shifted_ : shifted_ & 0xffffffff));
    if (!is_last_) atomicAdd(&digit_[1], (unsigned long long)(shifted_ >> 32));
}

/* ---- By bands --------------------------------------------------------------------------------------------
 *
 * A band is a double that adds up the numbers of 16 neighbouring binades. Some threads of the block have
 * bands, each its own. Let u be the unit of a band's lowest binade. A float is a multiple of u and less than
 * 2^39 * u, so a sum of 1,024 floats is exact. Of a double, the upper 26 bits and the lower 27 bits have a
 * band each: they are less than 2^41 and 2^42 of their units.
 */

/* The calling thread's bands: count of them, from number first on. threads: how many have bands, the first of
   the block. Band k of a thread lies k * threads words, or pairs of words, behind its band 0. */
struct reduce_exact_bands_ {
    double *own_;
    unsigned threads_, first_, count_;
};

/* The parts of a double, or their bands. */
struct reduce_exact_parts_ { double high_, low_; } __attribute__((__aligned__(16)));

/* The bands of all numbers: the highest binades of doubles have none, as their sums might overflow. The words
   of a band. */
#define REDUCE_EXACT_ALL_BANDS_(is_double) ((is_double) ? 127u : 16u)
#define REDUCE_EXACT_BAND_WORDS_(is_double) ((is_double) ? 2u : 1u)

/* Bands for numbers of such a range, and one more on either side; no threads if too few would have them. */
REDUCE_DEVICE_ struct reduce_exact_bands_ reduce_exact_bands_of_(struct reduce_exact_scratch_ *scratch_,
                                                                 struct reduce_exact_range_ range_,
                                                                 bool is_double_) {
    const unsigned lowest_ = reduce_exact_lowest_(range_, is_double_) / REDUCE_EXACT_BINADES_;
    const unsigned highest_ = reduce_exact_highest_(range_, is_double_) / REDUCE_EXACT_BINADES_;
    const unsigned first_ = lowest_ - (lowest_ > 0), words_ = REDUCE_EXACT_BAND_WORDS_(is_double_);
    const unsigned end_ = REDUCE_MIN_(highest_ + 2, REDUCE_EXACT_ALL_BANDS_(is_double_));
    const unsigned count_ = end_ - first_, threads_ = reduce_exact_threads_(count_ * words_);
    const struct reduce_exact_bands_ bands_ = {scratch_->room_.bands_ + threadIdx.x * words_,
                                               threads_ < REDUCE_EXACT_BANDING_ ? 0 : threads_, first_,
                                               count_};
    return bands_;
}

/* Whether the numbers of a range are finite and have bands. */
REDUCE_DEVICE_ bool reduce_exact_are_in_bands_(struct reduce_exact_bands_ bands_,
                                               struct reduce_exact_range_ range_, bool is_double_) {
    const unsigned lowest_ = reduce_exact_lowest_(range_, is_double_);
    const unsigned highest_ = reduce_exact_highest_(range_, is_double_);
    return range_.most_ == 0 ||
           (highest_ < (is_double_ ? 0x7ff : 0xff) && lowest_ / REDUCE_EXACT_BINADES_ >= bands_.first_ &&
            highest_ / REDUCE_EXACT_BINADES_ < bands_.first_ + bands_.count_);
}

/* A thread that has bands: clears them. */
REDUCE_DEVICE_ void reduce_exact_clear_bands_(struct reduce_exact_bands_ bands_, bool is_double_) {
    const unsigned words_ = REDUCE_EXACT_BAND_WORDS_(is_double_);
    REDUCE_NO_UNROLL_
    for (unsigned k = 0; k < bands_.count_; k++)
        for (unsigned w = 0; w < words_; w++) bands_.own_[k * bands_.threads_ * words_ + w] = 0;
}

/* Adds a number to its band, and its exponent to *range. Without a band it goes to the last one, which is
   then of no use. */
REDUCE_DEVICE_ void reduce_exact_put_in_band_(struct reduce_exact_bands_ bands_,
                                              struct reduce_exact_range_ *range_, const void *x,
                                              bool is_double_) {
    const unsigned binade_ = reduce_exact_binade_(reduce_exact_size_of_(x, is_double_), is_double_);
    const unsigned band_ = binade_ / REDUCE_EXACT_BINADES_ - bands_.first_;
    const unsigned words_ = REDUCE_EXACT_BAND_WORDS_(is_double_);
    double *const own_ = bands_.own_ + REDUCE_MIN_(band_, bands_.count_ - 1) * bands_.threads_ * words_;
    struct reduce_exact_parts_ *const parts_ = (struct reduce_exact_parts_ *)(void *)own_;
    *range_ = reduce_exact_of_both_(*range_, reduce_exact_range_of_one_(x, is_double_));
    if (is_double_) {
        struct reduce_exact_parts_ sum_ = *parts_;
        const double all_ = *(const double *)x;
        uint64_t bits_;
        double high_;
        memcpy(&bits_, &all_, sizeof bits_);
        bits_ &= ~(uint64_t)0 << 27;
        memcpy(&high_, &bits_, sizeof high_);
        sum_.high_ += high_;
        sum_.low_ += all_ - high_;
        *parts_ = sum_;
    } else {
        *own_ += reduce_exact_lowered_((const float *)x);
    }
}

/* The unit of a word of the bands: 2^place of the total's units. Band 0 begins with subnormal numbers. */
REDUCE_DEVICE_ int reduce_exact_place_of_band_(struct reduce_exact_bands_ bands_, unsigned word_,
                                              bool is_double_) {
    const unsigned band_ = bands_.first_ + word_ / REDUCE_EXACT_BAND_WORDS_(is_double_);
    const int binade_ = (int)band_ * REDUCE_EXACT_BINADES_;
    return binade_ - (binade_ > 0) + (is_double_ && word_ % 2 == 0 ? 27 : 0);
}

/* All lanes of a whole warp: the sum of a word of their bands, in its units, in every lane. */
REDUCE_DEVICE_ int64_t reduce_exact_sum_of_band_(struct reduce_exact_bands_ bands_, unsigned word_,
                                                bool is_double_) {
    const struct reduce_place_ at_ = reduce_place_along_x_();
    const unsigned words_ = REDUCE_EXACT_BAND_WORDS_(is_double_);
    const unsigned k = word_ / words_ * words_ * bands_.threads_ + word_ % words_;
    const int place_ = reduce_exact_place_of_band_(bands_, word_, is_double_);
    const double own_ = reduce_exact_scaled_(bands_.own_[k], (is_double_ ? 1074 : 149 + 896) - place_);
    return reduce_exact_of_warp_((int64_t)own_, 3, at_);
}

/* All lanes of a warp whose threads have bands: adds their bands to the total, each lane some words. */
REDUCE_DEVICE_ void reduce_exact_empty_bands_(int64_t *total_, struct reduce_exact_bands_ bands_,
                                             bool is_double_) {
    const unsigned words_ = bands_.count_ * REDUCE_EXACT_BAND_WORDS_(is_double_);
    const unsigned lane_ = threadIdx.x % REDUCE_WARP;
    REDUCE_NO_UNROLL_
    for (unsigned first_ = 0; first_ < words_; first_ += REDUCE_WARP) {
        const unsigned end_ = REDUCE_MIN_(words_ - first_, REDUCE_WARP);
        int64_t own_ = 0;
        REDUCE_NO_UNROLL_
        for (unsigned l = 0; l < end_; l++) {
            const int64_t sum_ = reduce_exact_sum_of_band_(bands_, first_ + l, is_double_);
            if (l == lane_) own_ = sum_;
        }
        if (own_ == 0) continue;
        const int place_ = reduce_exact_place_of_band_(bands_, first_ + lane_, is_double_);
        reduce_exact_add_shared_(total_, own_ & 0xffffffff, place_, is_double_);
        reduce_exact_add_shared_(total_, own_ >> 32, place_ + 32, is_double_);
    }
}

/* ---- By columns -------------------------------------------------------------------------------------------
 *
 * A column holds the digits of a thread's sum, of 32 bits (float) or 52 bits (double). A float, shifted by up
 * to 31 bits, is added to one digit, a double to two.
 */
#define REDUCE_EXACT_BITS_(is_double) ((is_double) ? 52u : 32u)
#define REDUCE_EXACT_COLUMNED_(is_double) ((is_double) ? 1024u : 128u) /* numbers that a digit has room for */

/* The calling thread's column: count of its digits, from number first on. threads: how many have columns, the
   first of the block. Each digit lies threads words behind the one before. */
struct reduce_exact_columns_ {
    int64_t *own_;
    unsigned threads_, first_, count_;
};

/* Columns for numbers of such a range, and one digit more on either side. */
REDUCE_DEVICE_ struct reduce_exact_columns_ reduce_exact_columns_of_(struct reduce_exact_scratch_ *scratch_,
                                                                     struct reduce_exact_range_ range_,
                                                                     bool is_double_) {
    const unsigned bits_ = REDUCE_EXACT_BITS_(is_double_);
    const unsigned all_ = is_double_ ? REDUCE_EXACT_WIDE_ : REDUCE_EXACT_NARROW_;
    const unsigned lowest_ = reduce_exact_lowest_(range_, is_double_) / bits_;
    const unsigned highest_ = reduce_exact_highest_(range_, is_double_) / bits_;
    const unsigned first_ = lowest_ - (lowest_ > 0);
    const unsigned end_ = REDUCE_MIN_(highest_ + (is_double_ ? 3 : 2), all_);
    const struct reduce_exact_columns_ columns_ = {scratch_->room_.columns_ + threadIdx.x,
                                                   reduce_exact_threads_(end_ - first_), first_,
                                                   end_ - first_};
    return columns_;
}

/* A thread that has a column: clears it. */
REDUCE_DEVICE_ void reduce_exact_clear_column_(struct reduce_exact_columns_ columns_) {
    REDUCE_NO_UNROLL_
    for (unsigned k = 0; k < columns_.count_; k++) columns_.own_[k * columns_.threads_] = 0;
}

/* Adds a number to a column, and returns true. False if the column lacks its digits. A number that is not
   finite sets the bit of its word in *specials instead. */
REDUCE_DEVICE_ bool reduce_exact_put_in_column_(struct reduce_exact_columns_ columns_, unsigned *specials_,
                                                const void *x, bool is_double_) {
    const struct reduce_exact_number_ number_ = reduce_exact_number_(x, is_double_);
    const unsigned bits_ = REDUCE_EXACT_BITS_(is_double_), shift_ = (unsigned)number_.place_ % bits_;
    const unsigned digit_ = (unsigned)number_.place_ / bits_ - columns_.first_, apart_ = columns_.threads_;
    const int64_t all_ = -(int64_t)number_.is_negative_; /* (x ^ all) - all is x or -x */
    const int64_t low_ = (int64_t)(number_.integer_ << shift_ & ~(uint64_t)0 >> (is_double_ ? 12 : 0));
    const int64_t high_ = (int64_t)(number_.integer_ >> (52 - shift_));
    const bool is_in_ = digit_ < columns_.count_ - (is_double_ ? 1 : 0) || number_.integer_ == 0;
    int64_t *const own_ = columns_.own_ + (digit_ < columns_.count_ ? digit_ : 0) * apart_;
    if (!number_.is_finite_) return *specials_ |= 1u << reduce_exact_special_(number_, is_double_), true;
    if (!is_in_) return false;
    const int64_t first_ = own_[0], second_ = is_double_ ? own_[apart_] : 0;
    own_[0] = first_ + (low_ ^ all_) - all_;
    if (is_double_) own_[apart_] = second_ + (high_ ^ all_) - all_;
    return true;
}

/* All threads: adds the columns to the total. Each 16 bits of a digit are added up on their own, so that
   nothing overflows. */
REDUCE_DEVICE_ void reduce_exact_gather_(struct reduce_exact_scratch_ *scratch_,
                                         struct reduce_exact_columns_ columns_, bool is_double_) {
    const struct reduce_place_ at_ = reduce_place_along_x_();
    const unsigned bits_ = REDUCE_EXACT_BITS_(is_double_);
    REDUCE_NO_UNROLL_
    for (unsigned k = at_.thread_ / REDUCE_WARP; k < columns_.count_; k += at_.threads_ / REDUCE_WARP) {
        const int64_t *const from_ = scratch_->room_.columns_ + k * columns_.threads_;
        int parts_[4] = {0, 0, 0, 0};
        for (unsigned own_ = (unsigned)at_.lane_; own_ < columns_.threads_; own_ += REDUCE_WARP) {
            REDUCE_UNROLL_
            for (int p = 0; p < 3; p++) parts_[p] += (int)(from_[own_] >> (16 * p) & 0xffff);
            parts_[3] += (int)(from_[own_] >> 48);
        }
        REDUCE_UNROLL_
        for (int p = 0; p < 4; p++) {
            const int64_t sum_ = reduce_exact_of_warp_(parts_[p], 1, at_);
            const int place_ = (int)(bits_ * (columns_.first_ + k)) + 16 * p;
            if (at_.lane_ == 0 && sum_ != 0)
                reduce_exact_add_shared_(scratch_->total_, sum_, place_, is_double_);
        }
    }
    __syncthreads();
}

/* All threads: clears a total. */
REDUCE_DEVICE_ void reduce_exact_begin_(int64_t *total_, bool is_double_, struct reduce_place_ at_) {
    const unsigned words_ = REDUCE_EXACT_DIGITS_(is_double_) + REDUCE_EXACT_MORE_;
    for (unsigned k = at_.thread_; k < words_; k += at_.threads_) total_[k] = 0;
}

REDUCE_DEVICE_ void reduce_exact_begin_along_x_(int64_t *total_, bool is_double_) {
    reduce_exact_begin_(total_, is_double_, reduce_place_along_x_());
}

/* After a portion whose exponents were far apart any digit may differ from 0. The next portions do not try
   doubles, unless this one did not. */
REDUCE_DEVICE_ void reduce_exact_after_far_(struct reduce_exact_state_ *state_, bool is_double_) {
    state_->bounds_.first_ = 0;
    state_->bounds_.end_ = REDUCE_EXACT_DIGITS_(is_double_);
    state_->skips_ = state_->skips_ > 0 ? state_->skips_ - 1 : REDUCE_EXACT_RETRY_;
    state_->is_lone_ = false;
}

/* All threads: counts each kind of number that is not finite once for the whole block. */
REDUCE_DEVICE_ void reduce_exact_count_specials_(int64_t *total_, unsigned specials_, bool is_double_) {
    if (!__syncthreads_or((int)specials_)) return;
    for (int k = REDUCE_EXACT_NAN_; k < REDUCE_EXACT_MORE_; k++) {
        const bool is_there_ = __syncthreads_or((int)(specials_ >> k & 1)) != 0;
        if (threadIdx.x == 0) total_[REDUCE_EXACT_DIGITS_(is_double_) + k] += is_there_;
    }
    __syncthreads();
}

/* ---- One result ---------------------------------------------------------------------------------------- */

/* All lanes of a whole warp, after a barrier: finds which digits of a total are not 0. */
REDUCE_DEVICE_ struct reduce_exact_bounds_ reduce_exact_bounds_of_(const int64_t *total_, bool is_double_) {
    struct reduce_exact_bounds_ bounds_ = {0, 0};
    for (int k = 0; k < REDUCE_EXACT_DIGITS_(is_double_); k += REDUCE_WARP) {
        const int own_ = k + (int)(threadIdx.x % REDUCE_WARP);
        const bool is_there_ = own_ < REDUCE_EXACT_DIGITS_(is_double_) && total_[own_] != 0;
        const unsigned mask_ = __ballot_sync(~0u, is_there_);
        if (mask_ == 0) continue;
        if (bounds_.end_ == 0) bounds_.first_ = k + __ffs((int)mask_) - 1;
        bounds_.end_ = k + REDUCE_WARP - __clz((int)mask_);
    }
    return bounds_;
}

/* Blocks' totals meet in the words of the workspace's slots. The lower 50 bits of word k hold the sum of all
   blocks' word k, and the bits above count the blocks: a block adds without waiting, and the block that
   collects waits until all have been counted. Each block also adds 2^34, so that no sum is negative. */
enum { REDUCE_EXACT_COUNT_ = 50, REDUCE_EXACT_BIAS_ = 34 }; /* the bits of one block, and of 2^34 */
REDUCE_ASSERT_(REDUCE_SLOTS * REDUCE_MAX_SIZE / 4 > REDUCE_EXACT_DOUBLE_,
               "reduce_exact.cuh: REDUCE_SLOTS is too small: each digit needs a word of the workspace")

/* What a block adds to word k, less than 2^34: a digit and the carry of the digit below. The word behind the
   last digit has a bit for each kind of number that is not finite. */
REDUCE_DEVICE_ int64_t reduce_exact_share_(const int64_t *total_, int k, bool is_double_) {
    const int digits_ = REDUCE_EXACT_DIGITS_(is_double_);
    if (k < digits_)
        return (k < digits_ - 1 ? total_[k] & 0xffffffff : total_[k]) + (k > 0 ? total_[k - 1] >> 32 : 0);
    return (total_[k + REDUCE_EXACT_NAN_] > 0) | (total_[k + REDUCE_EXACT_INFINITY_] > 0) << 13 |
           (int64_t)(total_[k + REDUCE_EXACT_MINUS_INFINITY_] > 0) << 26;
}

/* All threads, after a barrier: adds the block's total to the slots. */
REDUCE_DEVICE_ void reduce_exact_hand_in_(const int64_t *total_, reduce_slot_ *slots_, bool is_double_) {
    const reduce_slot_ one_ = (reduce_slot_)1 << REDUCE_EXACT_COUNT_ | (reduce_slot_)1 << REDUCE_EXACT_BIAS_;
    for (int k = (int)threadIdx.x; k <= REDUCE_EXACT_DIGITS_(is_double_); k += (int)blockDim.x)
        atomicAdd(&slots_[k], one_ + (reduce_slot_)reduce_exact_share_(total_, k, is_double_));
}

/* One thread: waits until count blocks have added to a word, returns their sum, and clears the word. */
REDUCE_DEVICE_ int64_t reduce_exact_await_(reduce_slot_ *slot_, unsigned count_) {
    reduce_slot_ word_;
    while ((word_ = reduce_load_word_(slot_)) >> REDUCE_EXACT_COUNT_ != count_) continue;
    reduce_store_word_(slot_, 0);
    word_ -= (reduce_slot_)count_ << REDUCE_EXACT_COUNT_;
    return (int64_t)(word_ - ((reduce_slot_)count_ << REDUCE_EXACT_BIAS_));
}

/* All threads: adds the totals of count blocks from the slots to this block's. */
REDUCE_DEVICE_ void reduce_exact_receive_all_(int64_t *total_, reduce_slot_ *slots_, unsigned count_,
                                              bool is_double_) {
    const int digits_ = REDUCE_EXACT_DIGITS_(is_double_);
    for (int k = (int)threadIdx.x; k <= digits_; k += (int)blockDim.x) {
        const int64_t sum_ = reduce_exact_await_(&slots_[k], count_);
        if (k < digits_) total_[k] += sum_;
        for (int s = 0; k == digits_ && s < 3; s++)
            total_[digits_ + REDUCE_EXACT_NAN_ + s] += sum_ >> (13 * s) & 0x1fff;
    }
    __syncthreads();
}

/* All threads of a grid of several blocks, each block with its total: true in one block, which then has the
   total of all. */
REDUCE_DEVICE_ bool reduce_exact_meet_(int64_t *total_, reduce_workspace *ws_, bool is_double_) {
    const bool waits_ = reduce_default_way_(gridDim.x) == REDUCE_BY_SLOTS_;
    __syncthreads();
    if (!waits_ || blockIdx.x < gridDim.x - 1) reduce_exact_hand_in_(total_, ws_->slots_, is_double_);
    if (waits_ ? blockIdx.x < gridDim.x - 1 : !reduce_last_block(&ws_->ticket_)) return false;
    if (!waits_) {
        reduce_exact_begin_along_x_(total_, is_double_);
        __syncthreads();
    }
    reduce_exact_receive_all_(total_, ws_->slots_, gridDim.x - waits_, is_double_);
    return true;
}

/* All lanes of the first warp: rounds the total and writes it to *out, or adds it to the accumulator *out. */
REDUCE_DEVICE_ void reduce_exact_finish_(int64_t *total_, struct reduce_exact_bounds_ bounds_, void *out_,
                                         bool rounds_, bool is_double_) {
    double wide_;
    float narrow_;
    if (gridDim.x > 1) bounds_ = reduce_exact_bounds_of_(total_, is_double_);
    __syncwarp(); /* after the total is complete, and before carries change it */
    if (threadIdx.x > 0) return;
    if (rounds_ && is_double_) {
        reduce_exact_round_(&wide_, total_, bounds_.first_, bounds_.end_, true);
        *(double *)out_ = wide_;
    } else if (rounds_) {
        reduce_exact_round_(&narrow_, total_, bounds_.first_, bounds_.end_, false);
        *(float *)out_ = narrow_;
    } else {
        reduce_exact_carry_(total_, is_double_);
        reduce_exact_merge_((int64_t *)out_, total_, is_double_);
    }
}

/* ---- A whole array ------------------------------------------------------------------------------------- */

/* void NAME_add_loaded_(to, const struct NAME_loaded_ *x, NAME_input_ in, size_t i): as in reduce.cuh, but to
   a struct reduce_exact_doubles_. */
#define REDUCE_EXACT_ADD_LOADED_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_add_loaded_(struct reduce_exact_doubles_ *to_,                               \
                                           const struct NAME##_loaded_ *x,                                  \
                                           NAME##_input_ in_, size_t i) {                                   \
        enum { four_ = REDUCE_MIN_(NAME##_positions_, 4) };                                                 \
        REDUCE_UNROLL_                                                                                      \
        for (size_t p = 0; p < NAME##_positions_; p += four_) {                                             \
            NAME##_result numbers_[four_];                                                                  \
            REDUCE_UNROLL_                                                                                  \
            for (size_t k = 0; k < four_; k++)                                                              \
                numbers_[k] = NAME##_operand_at_(NAME##_loaded_at_(in_, x), p + k, i + p + k);              \
            reduce_exact_doubles_add_all_(to_, numbers_, four_, NAME##_is_double_);                         \
        }                                                                                                   \
    }

/* void NAME_load_next_(struct NAME_loaded_ *to, struct NAME_chunk_ chunk, unsigned k): a thread loads from
   element k on. NAME_ahead_: how many loads are in flight, as registers allow. */
#define REDUCE_EXACT_LOAD_NEXT_(NAME)                                                                       \
    enum { NAME##_is_much_ = sizeof(struct NAME##_loaded_) > 16 || NAME##_positions_ > 4 };                 \
    enum { NAME##_ahead_ = NAME##_is_much_ ? 1 : NAME##_is_double_ ? 2 : 3 };                               \
    REDUCE_DEVICE_ void NAME##_load_next_(struct NAME##_loaded_ *to_, struct NAME##_chunk_ chunk_,          \
                                          unsigned k) {                                                     \
        const unsigned stripe_ = blockDim.x * NAME##_positions_;                                            \
        const NAME##_input_ own_ = NAME##_input_at_(chunk_.in_, k);                                         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_ahead_; s++)                                                        \
            NAME##_load_(&to_[s], NAME##_input_at_(own_, s * stripe_), k + s * stripe_ < chunk_.wide_);     \
    }

/* void NAME_add_loads_(to, const struct NAME_loaded_ *x, struct NAME_chunk_ chunk, unsigned k, are_all): adds
   the loads that lie within the chunk. If all do, no branch stands between the additions. */
#define REDUCE_EXACT_ADD_LOADS_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_add_loads_(struct reduce_exact_doubles_ *to_,                                \
                                          const struct NAME##_loaded_ *x, struct NAME##_chunk_ chunk_,      \
                                          unsigned k, bool are_all_) {                                      \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_ahead_; s++, k += blockDim.x * NAME##_positions_)                   \
            if (are_all_ || k < chunk_.wide_) NAME##_add_loaded_(to_, &x[s], chunk_.in_, chunk_.i + k);     \
    }

/* void NAME_add_next_(to, const struct NAME_loaded_ *x, struct NAME_chunk_ chunk, unsigned k): the same; it
   finds out whether all do. */
#define REDUCE_EXACT_ADD_NEXT_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_add_next_(struct reduce_exact_doubles_ *to_, const struct NAME##_loaded_ *x, \
                                         struct NAME##_chunk_ chunk_, unsigned k) {                         \
        const unsigned stripe_ = blockDim.x * NAME##_positions_;                                            \
        if (k + (NAME##_ahead_ - 1) * stripe_ < chunk_.wide_)                                               \
            NAME##_add_loads_(to_, x, chunk_, k, true);                                                     \
        else                                                                                                \
            NAME##_add_loads_(to_, x, chunk_, k, false);                                                    \
    }

/* void NAME_walk_wide_(struct reduce_exact_doubles_ *to, struct NAME_chunk_ chunk): adds a thread's share of
   the elements for wide loads, until its exponents are too far apart. The next loads are then in flight. */
#define REDUCE_EXACT_WALK_WIDE_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_walk_wide_(struct reduce_exact_doubles_ *to_, struct NAME##_chunk_ chunk_) { \
        const unsigned stripe_ = blockDim.x * NAME##_positions_;                                            \
        unsigned k = chunk_.head_ + threadIdx.x * NAME##_positions_;                                        \
        struct NAME##_loaded_ x[NAME##_ahead_], next_[NAME##_ahead_];                                       \
        NAME##_load_next_(next_, chunk_, k);                                                                \
        REDUCE_NO_UNROLL_                                                                                   \
        while (k < chunk_.wide_ && reduce_exact_is_narrow_(to_->range_, NAME##_is_double_)) {               \
            memcpy(x, next_, sizeof x);                                                                     \
            NAME##_load_next_(next_, chunk_, k + NAME##_ahead_ * stripe_);                                  \
            NAME##_add_next_(to_, x, chunk_, k);                                                            \
            k += NAME##_ahead_ * stripe_;                                                                   \
        }                                                                                                   \
    }

/* void NAME_walk_(...): adds a thread's share of all elements. */
#define REDUCE_EXACT_WALK_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_walk_(struct reduce_exact_doubles_ *to_, struct NAME##_chunk_ chunk_) {      \
        NAME##_walk_wide_(to_, chunk_);                                                                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = threadIdx.x; k < NAME##_loose_(chunk_); k += blockDim.x) {                        \
            const unsigned own_ = NAME##_loose_at_(chunk_, k);                                              \
            const NAME##_result x = NAME##_operand_at_(chunk_.in_, own_, chunk_.i + own_);                  \
            reduce_exact_doubles_add_all_(to_, &x, 1, NAME##_is_double_);                                   \
        }                                                                                                   \
    }

/* struct NAME_chunk_ NAME_part_of_(struct NAME_chunk_ chunk, unsigned k, unsigned most): up to most elements
   of a chunk, from element k on. */
#define REDUCE_EXACT_PART_OF_(NAME)                                                                         \
    REDUCE_DEVICE_ struct NAME##_chunk_ NAME##_part_of_(struct NAME##_chunk_ chunk_, unsigned k,            \
                                                        unsigned most_) {                                   \
        struct NAME##_chunk_ part_ =                                                                        \
            NAME##_chunk_at_(chunk_.in_, k, REDUCE_MIN_(chunk_.count_ - k, most_));                         \
        part_.i += chunk_.i;                                                                                \
        return part_;                                                                                       \
    }

/* void NAME_fetch_(T *to, struct NAME_chunk_ chunk, unsigned k, unsigned threads, bool are_all): loads a
   thread's next numbers, from element k on, of those that as many threads share. Beyond the last element they
   are 0; are_all: no number lies there. NAME_rows_: how many numbers, as registers allow. */
#define REDUCE_EXACT_FETCH_(NAME)                                                                           \
    enum { NAME##_rows_ = NAME##_is_much_ ? 4 : NAME##_is_double_ ? 10 : 14 };                              \
    REDUCE_DEVICE_ void NAME##_fetch_(NAME##_result *to_, struct NAME##_chunk_ chunk_, unsigned k,          \
                                      unsigned threads_, bool are_all_) {                                   \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_rows_; s++) {                                                       \
            const unsigned own_ = k + s * threads_ + threadIdx.x;                                           \
            to_[s] = (NAME##_result)0;                                                                      \
            if (are_all_ || own_ < chunk_.count_)                                                           \
                to_[s] = NAME##_operand_at_(chunk_.in_, own_, chunk_.i + own_);                             \
        }                                                                                                   \
    }

/* void NAME_load_rows_(T *to, struct NAME_chunk_ chunk, unsigned k, unsigned threads): the same, and asks for
   later elements. */
#define REDUCE_EXACT_LOAD_ROWS_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_load_rows_(NAME##_result *to_, struct NAME##_chunk_ chunk_, unsigned k,      \
                                          unsigned threads_) {                                              \
        const unsigned group_ = NAME##_rows_ * threads_;                                                    \
        const unsigned later_ = k + REDUCE_EXACT_LATER_ * group_ + threadIdx.x * NAME##_rows_;              \
        if (later_ < chunk_.count_) reduce_exact_ask_(chunk_.in_.in_ + later_);                             \
        if (group_ <= chunk_.count_ - k)                                                                    \
            NAME##_fetch_(to_, chunk_, k, threads_, true);                                                  \
        else                                                                                                \
            NAME##_fetch_(to_, chunk_, k, threads_, false);                                                 \
        REDUCE_KEEP_ORDER_;                                                                                 \
    }

/* struct reduce_exact_range_ NAME_sample_(struct NAME_chunk_ chunk, scratch): all threads call; the exponents
   of one number of each. */
#define REDUCE_EXACT_SAMPLE_(NAME)                                                                          \
    REDUCE_DEVICE_ struct reduce_exact_range_ NAME##_sample_(struct NAME##_chunk_ chunk_,                   \
                                                             struct reduce_exact_scratch_ *scratch_) {      \
        const unsigned k = (unsigned)((size_t)threadIdx.x * chunk_.count_ / blockDim.x);                    \
        NAME##_result x = 0;                                                                                \
        if (chunk_.count_ > 0) x = NAME##_operand_at_(chunk_.in_, k, chunk_.i + k);                         \
        __syncthreads(); /* other ranges have been read */                                                  \
        return reduce_exact_of_block_range_(scratch_->ranges_,                                              \
                                            reduce_exact_range_of_one_(&x, NAME##_is_double_));             \
    }

/* bool NAME_fill_bands_(struct NAME_chunk_ chunk, bands): a thread adds its numbers to its bands, if it has
   any. False if a number has no band. */
#define REDUCE_EXACT_FILL_BANDS_(NAME)                                                                      \
    REDUCE_DEVICE_ bool NAME##_fill_bands_(struct NAME##_chunk_ chunk_, struct reduce_exact_bands_ bands_) {\
        struct reduce_exact_range_ range_ = {0, ~0u};                                                       \
        NAME##_result x[NAME##_rows_];                                                                      \
        if (threadIdx.x >= bands_.threads_) return true;                                                    \
        reduce_exact_clear_bands_(bands_, NAME##_is_double_);                                               \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < chunk_.count_; k += NAME##_rows_ * bands_.threads_) {                      \
            NAME##_load_rows_(x, chunk_, k, bands_.threads_);                                               \
            REDUCE_UNROLL_                                                                                  \
            for (int s = 0; s < NAME##_rows_; s++)                                                          \
                reduce_exact_put_in_band_(bands_, &range_, &x[s], NAME##_is_double_);                       \
        }                                                                                                   \
        return reduce_exact_are_in_bands_(bands_, range_, NAME##_is_double_);                               \
    }

/* unsigned NAME_by_bands_(struct NAME_chunk_ chunk, scratch, bands): adds the elements of a portion to the
   block's total by bands, up to numbers that have none; returns how many elements these are. */
#define REDUCE_EXACT_BY_BANDS_(NAME)                                                                        \
    REDUCE_DEVICE_ unsigned NAME##_by_bands_(struct NAME##_chunk_ chunk_,                                   \
                                             struct reduce_exact_scratch_ *scratch_,                        \
                                             struct reduce_exact_bands_ bands_) {                           \
        const unsigned step_ = bands_.threads_ * REDUCE_EXACT_BANDED_;                                      \
        unsigned k = 0;                                                                                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k < chunk_.count_ && step_ > 0; k += REDUCE_MIN_(step_, chunk_.count_ - k)) {                \
            if (__syncthreads_or(!NAME##_fill_bands_(NAME##_part_of_(chunk_, k, step_), bands_))) break;    \
            if (threadIdx.x < bands_.threads_)                                                              \
                reduce_exact_empty_bands_(scratch_->total_, bands_, NAME##_is_double_);                     \
        }                                                                                                   \
        __syncthreads();                                                                                    \
        return k;                                                                                           \
    }

/* bool NAME_fill_columns_(struct NAME_chunk_ chunk, columns, unsigned *specials): a thread adds its numbers
   to its column, if it has one. False if the column lacks a number's digits. */
#define REDUCE_EXACT_FILL_COLUMNS_(NAME)                                                                    \
    REDUCE_DEVICE_ bool NAME##_fill_columns_(struct NAME##_chunk_ chunk_,                                   \
                                             struct reduce_exact_columns_ columns_, unsigned *specials_) {  \
        NAME##_result x[NAME##_rows_];                                                                      \
        bool are_in_ = true;                                                                                \
        if (threadIdx.x >= columns_.threads_) return true;                                                  \
        reduce_exact_clear_column_(columns_);                                                               \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < chunk_.count_ && are_in_; k += NAME##_rows_ * columns_.threads_) {         \
            NAME##_load_rows_(x, chunk_, k, columns_.threads_);                                             \
            REDUCE_UNROLL_                                                                                  \
            for (int s = 0; s < NAME##_rows_; s++)                                                          \
                are_in_ &= reduce_exact_put_in_column_(columns_, specials_, &x[s], NAME##_is_double_);      \
        }                                                                                                   \
        return are_in_;                                                                                     \
    }

/* unsigned NAME_by_columns_(struct NAME_chunk_ chunk, scratch, columns): adds the elements of a portion to
   the block's total by columns, up to numbers whose digits they lack; returns how many elements these are. */
#define REDUCE_EXACT_BY_COLUMNS_(NAME)                                                                      \
    REDUCE_DEVICE_ unsigned NAME##_by_columns_(struct NAME##_chunk_ chunk_,                                 \
                                               struct reduce_exact_scratch_ *scratch_,                      \
                                               struct reduce_exact_columns_ columns_) {                     \
        const unsigned step_ = columns_.threads_ * REDUCE_EXACT_COLUMNED_(NAME##_is_double_);               \
        unsigned k = 0, specials_ = 0;                                                                      \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k < chunk_.count_; k += REDUCE_MIN_(step_, chunk_.count_ - k)) {                             \
            const struct NAME##_chunk_ part_ = NAME##_part_of_(chunk_, k, step_);                           \
            if (__syncthreads_or(!NAME##_fill_columns_(part_, columns_, &specials_))) break;                \
            reduce_exact_gather_(scratch_, columns_, NAME##_is_double_);                                    \
        }                                                                                                   \
        reduce_exact_count_specials_(scratch_->total_, specials_, NAME##_is_double_);                       \
        return k;                                                                                           \
    }

/* Inline, so that nvcc knows which loads are of shared memory. For sm_100 it would then keep some values of
   the loop for near exponents in local memory. */
#if REDUCE_ARCH_ >= 1000
#define REDUCE_EXACT_FAR_ REDUCE_OUT_OF_LINE_
#else
#define REDUCE_EXACT_FAR_ REDUCE_DEVICE_
#endif

/* void NAME_add_far_(struct NAME_chunk_ chunk, scratch): adds a portion whose exponents may be far apart to
   the block's total: by bands, then by columns for the exponents that were seen, then by columns for all. */
#define REDUCE_EXACT_ADD_FAR_(NAME)                                                                         \
    REDUCE_EXACT_FAR_ void NAME##_add_far_(struct NAME##_chunk_ chunk_,                                     \
                                           struct reduce_exact_scratch_ *scratch_) {                        \
        struct reduce_exact_range_ range_ = NAME##_sample_(chunk_, scratch_);                               \
        const struct reduce_exact_range_ all_ = {~0u >> 1, 0};                                              \
        unsigned done_ = 0;                                                                                 \
        if (REDUCE_EXACT_BY_DOUBLES_)                                                                       \
            done_ = NAME##_by_bands_(chunk_, scratch_,                                                      \
                                     reduce_exact_bands_of_(scratch_, range_, NAME##_is_double_));          \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; done_ < chunk_.count_; range_ = all_)                                                        \
            done_ += NAME##_by_columns_(NAME##_part_of_(chunk_, done_, chunk_.count_), scratch_,            \
                                        reduce_exact_columns_of_(scratch_, range_, NAME##_is_double_));     \
    }

/* void NAME_add_portion_(struct NAME_chunk_ chunk, scratch, state, out): adds a portion to the block's total,
   by doubles if exponents are near, else by bands or columns. A lone portion's sum may go to *out instead:
   see reduce_exact_add_near_. */
#define REDUCE_EXACT_ADD_PORTION_(NAME)                                                                     \
    REDUCE_DEVICE_ void NAME##_add_portion_(struct NAME##_chunk_ chunk_,                                    \
                                            struct reduce_exact_scratch_ *scratch_,                         \
                                            struct reduce_exact_state_ *state_, void *out_) {               \
        const bool tries_ = REDUCE_EXACT_BY_DOUBLES_ && state_->skips_ == 0;                                \
        struct reduce_exact_doubles_ doubles_ = {{0, 0, 0}, {0, ~0u}};                                      \
        if (tries_) NAME##_walk_(&doubles_, chunk_);                                                        \
        if (state_->bounds_.end_ == 0) reduce_exact_begin_along_x_(scratch_->total_, NAME##_is_double_);    \
        if (tries_ && reduce_exact_is_narrow_block_(scratch_, &doubles_, NAME##_is_double_)) {              \
            reduce_exact_add_near_(scratch_, &doubles_, state_, chunk_.count_, out_, NAME##_is_double_);    \
        } else {                                                                                            \
            NAME##_add_far_(chunk_, scratch_);                                                              \
            reduce_exact_after_far_(state_, NAME##_is_double_);                                             \
        }                                                                                                   \
    }

#ifndef REDUCE_EXACT_PORTION_ /* tests define a small one */
#define REDUCE_EXACT_PORTION_ (REDUCE_STRANDS * 1024)
#endif

/* NAME_kernel_: block b adds up chunk b, in portions. A thread's share of a portion is 1,024 elements, and a
   few that wide loads leave. */
#define REDUCE_EXACT_KERNEL_(NAME)                                                                          \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, 2)                                                \
        NAME##_kernel_(NAME##_input_ in_, unsigned chunk_, unsigned missing_, bool rounds_,                 \
                       reduce_workspace *ws_, void *out_) {                                                 \
        __shared__ struct reduce_exact_scratch_ scratch_;                                                   \
        const unsigned portion_ = REDUCE_EXACT_BY_DOUBLES_ ? REDUCE_EXACT_PORTION_ : ~0u;                   \
        struct NAME##_chunk_ own_ = NAME##_chunk_of_(in_, reduce_place_along_x_(), chunk_, missing_, 0);    \
        const bool is_lone_ = rounds_ && gridDim.x == 1 && own_.count_ <= portion_;                         \
        struct reduce_exact_state_ state_ = {{REDUCE_EXACT_DIGITS_(NAME##_is_double_), 0}, 0, is_lone_};    \
        for (unsigned k = 0; k == 0 || k < own_.count_; k += portion_)                                      \
            NAME##_add_portion_(NAME##_part_of_(own_, k, portion_), &scratch_, &state_, out_);              \
        if (state_.is_lone_) return;                                                                        \
        if (gridDim.x > 1 && !reduce_exact_meet_(scratch_.total_, ws_, NAME##_is_double_)) return;          \
        if (threadIdx.x < REDUCE_WARP)                                                                      \
            reduce_exact_finish_(scratch_.total_, state_.bounds_, out_, rounds_, NAME##_is_double_);        \
    }

/* How many blocks are resident at once (half as many on sm_75). A large array is cut into that many chunks,
   as no result shows how it is cut. Tests define other numbers. */
#ifndef REDUCE_EXACT_BLOCKS_
#define REDUCE_EXACT_BLOCKS_(processors) (2 * (size_t)(processors))
#endif
REDUCE_CALLED_ cudaError_t reduce_exact_blocks_(size_t *blocks_) {
    int device_ = 0, processors_ = 0;
    cudaError_t status_ = cudaGetDevice(&device_);
    if (status_ == cudaSuccess)
        status_ = cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_);
    *blocks_ = REDUCE_EXACT_BLOCKS_(processors_);
    return status_;
}

/* Whether an array is one chunk: up to 4 stripes. */
REDUCE_CALLED_ bool reduce_exact_is_one_chunk_(size_t n, size_t element_size_) {
    const size_t stripes_ = reduce_divide_up_(n, REDUCE_STRIPE_(element_size_));
    return stripes_ * reduce_weight_(element_size_) <= REDUCE_SINGLE_ / 2;
}

/* How an array is cut, in stripes (measured). In several chunks, each has at least 2. Tests define smaller
   limits. The device is asked for its blocks only where there are several chunks. */
#ifndef REDUCE_EXACT_LOW_
#define REDUCE_EXACT_LOW_ 128   /* up to here chunks of floats, which have few digits, have at least 1 */
#define REDUCE_EXACT_LONE_ 1024 /* up to here an SM has one block: the ends of two would delay each other */
#endif
REDUCE_CALLED_ cudaError_t reduce_exact_cut_(size_t n, size_t element_size_, bool is_double_,
                                             struct reduce_cut_ *cut_) {
    const size_t stripe_ = REDUCE_STRIPE_(element_size_), stripes_ = reduce_divide_up_(n, stripe_);
    const size_t weight_ = reduce_weight_(element_size_), all_ = stripes_ * weight_;
    const bool is_low_ = !is_double_ && all_ <= REDUCE_EXACT_LOW_;
    const size_t least_ = weight_ > 2 || is_low_ ? 1 : 2 / weight_;
    const size_t most_ = (size_t)1 << 28; /* elements of a chunk, about */
    size_t count_ = 1;
    cut_->chunk_ = n, cut_->count_ = count_;
    if (reduce_exact_is_one_chunk_(n, element_size_)) return cudaSuccess;
    const cudaError_t status_ = reduce_exact_blocks_(&count_);
    if (status_ != cudaSuccess) return status_;
    if (all_ <= REDUCE_EXACT_LONE_) count_ = reduce_divide_up_(count_, 2);
    count_ = REDUCE_MIN_(count_, reduce_divide_up_(stripes_, least_));
    const size_t needed_ = reduce_divide_up_(n, most_);
    if (count_ < needed_) count_ = needed_;
    cut_->chunk_ = reduce_divide_up_(stripes_, count_) * stripe_;
    cut_->count_ = reduce_divide_up_(n, cut_->chunk_);
    return cudaSuccess;
}

/* cudaError_t NAME_launch_to_(...): checks and launches. Without elements one block adds nothing. */
#define REDUCE_EXACT_LAUNCH_TO_(NAME)                                                                       \
    REDUCE_CALLED_ cudaError_t NAME##_launch_to_(NAME##_input_ in_, size_t n, struct reduce_range_ to_,     \
                                                 bool rounds_, reduce_workspace *ws_,                       \
                                                 cudaStream_t stream_) {                                    \
        cudaError_t status_ = NAME##_check_(in_, n, to_);                                                   \
        struct reduce_cut_ cut_;                                                                            \
        if (ws_ == NULL || status_ != cudaSuccess) return ws_ == NULL ? cudaErrorInvalidValue : status_;    \
        status_ = reduce_exact_cut_(n, NAME##_size_, NAME##_is_double_, &cut_);                             \
        if (status_ != cudaSuccess) return status_;                                                         \
        const unsigned count_ = (unsigned)cut_.count_;                                                      \
        const unsigned threads_ = reduce_block_size_(n, NAME##_size_, false);                               \
        unsigned chunk_ = (unsigned)cut_.chunk_, missing_ = (unsigned)(count_ * cut_.chunk_ - n);           \
        void *out_ = (void *)to_.address_, *arguments_[] = {&in_, &chunk_, &missing_, &rounds_, &ws_,       \
                                                            &out_};                                         \
        return REDUCE_CUDA_LAUNCH_(NAME##_kernel_, dim3(count_), dim3(threads_), arguments_, 0, stream_);   \
    }

/* cudaError_t NAME_launch_(...): as in reduce.cuh, for REDUCE_STRATEGY_ and REDUCE_CALL_. It ignores way. */
#define REDUCE_EXACT_LAUNCH_(NAME)                                                                          \
    REDUCE_HOST_ cudaError_t NAME##_launch_(NAME##_input_ in_, size_t n, NAME##_result *out_,               \
                                            reduce_workspace *ws_, enum reduce_way_ way_,                   \
                                            cudaStream_t stream_) {                                         \
        (void)way_;                                                                                         \
        return NAME##_launch_to_(in_, n, REDUCE_RANGE_(out_, 1, NAME##_result), true, ws_, stream_);        \
    }

/* cudaError_t NAME_accumulate_async(...): see the manual. */
#define REDUCE_EXACT_ACCUMULATE_ASYNC_(NAME, KIND)                                                          \
    REDUCE_HOST_ cudaError_t NAME##_accumulate_async(REDUCE_GIVEN_(NAME, KIND), NAME##_accumulator *to_,    \
                                                     reduce_workspace *ws_, cudaStream_t stream_) {         \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        return NAME##_launch_to_(input_, n, REDUCE_RANGE_(to_, 1, NAME##_accumulator), false, ws_,          \
                                 stream_);                                                                  \
    }

/* ---- In a user's block --------------------------------------------------------------------------------- */

/* Widens the bounds of a total in shared memory. */
REDUCE_DEVICE_ void reduce_exact_widen_(struct reduce_exact_bounds_ *bounds_, int first_, int end_) {
    atomicMin(&bounds_->first_, first_);
    atomicMax(&bounds_->end_, end_);
}

/* All lanes of a warp, each with a number: adds them to a total in shared memory. Lanes with the same lowest
   digit add up their numbers in registers, and lane 0 adds the sum to the total. */
REDUCE_DEVICE_ void reduce_exact_add_all_(int64_t *total_, struct reduce_exact_bounds_ *bounds_,
                                          const void *x, bool is_double_, struct reduce_place_ at_) {
    const struct reduce_exact_number_ number_ = reduce_exact_number_(x, is_double_);
    const int place_ = number_.place_ / 32, words_ = is_double_ ? 3 : 2;
    unsigned long long *const more_ = (unsigned long long *)total_ + REDUCE_EXACT_DIGITS_(is_double_);
    bool waits_ = number_.is_finite_ && number_.integer_ != 0;
    int64_t own_[3];
    reduce_exact_split_(own_, number_);
    if (!number_.is_finite_) atomicAdd(&more_[reduce_exact_special_(number_, is_double_)], 1ull);
    for (unsigned waiting_; (waiting_ = __ballot_sync(~0u, waits_)) != 0;) {
        const int first_ = __shfl_sync(~0u, place_, __ffs((int)waiting_) - 1);
        const bool takes_part_ = waits_ && place_ == first_;
        if (at_.lane_ == 0) reduce_exact_widen_(bounds_, first_, first_ + words_);
        REDUCE_UNROLL_
        for (int k = 0; k < words_; k++) {
            const int64_t sum_ = reduce_exact_of_warp_(takes_part_ ? own_[k] : 0, 3, at_);
            if (at_.lane_ == 0)
                atomicAdd((unsigned long long *)&total_[first_ + k], (unsigned long long)sum_);
        }
        waits_ = waits_ && !takes_part_;
    }
}

/* T NAME_block(T x): see the manual. */
#define REDUCE_EXACT_BLOCK_(NAME)                                                                           \
    REDUCE_DEVICE_ NAME##_result NAME##_block(NAME##_result x) {                                            \
        __shared__ NAME##_accumulator total_;                                                               \
        __shared__ struct reduce_exact_bounds_ bounds_;                                                     \
        __shared__ NAME##_result result_;                                                                   \
        const struct reduce_place_ at_ = reduce_place_();                                                   \
        reduce_exact_begin_(total_.words_, NAME##_is_double_, at_);                                         \
        if (at_.thread_ == 0) bounds_.first_ = REDUCE_EXACT_WORDS_, bounds_.end_ = 0;                       \
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
                   name ": the type of an exact sum must be spelled float or double: map " #T               \
                        " into one with DEFINE_REDUCE_EXACT_MAP")

/* What the generators of reduce.cuh that are used here know of a NAME. They take its order for one that shows
   if the result is a double: its kernel has no register left for wide loads that begin behind a head. */
#define REDUCE_EXACT_TRAITS_(NAME, T)                                                                       \
    typedef struct reduce_exact_##T NAME##_accumulator;                                                     \
    enum {                                                                                                  \
        NAME##_is_double_ = REDUCE_KIND_(T) == REDUCE_DOUBLE_,                                              \
        NAME##_converts_ = 0,                                                                               \
        NAME##_operator_ = REDUCE_CUSTOM_,                                                                  \
        NAME##_is_exact_ = !NAME##_is_double_,                                                              \
        NAME##_enough_ = 1                                                                                  \
    };

#ifdef __CUDACC__
#define REDUCE_EXACT_GENERATE_NEAR_(NAME, KIND)                                                             \
    REDUCE_OPERAND_AT_(NAME, KIND) REDUCE_LINE_ REDUCE_LAYOUT_(NAME) REDUCE_LINE_ REDUCE_WIDE_##KIND(NAME)  \
    REDUCE_EACH_(NAME, REDUCE_CHUNK_, REDUCE_FIND_WIDE_, REDUCE_CHUNK_AT_, REDUCE_CHUNK_OF_)                \
    REDUCE_EACH_(NAME, REDUCE_EXACT_PART_OF_, REDUCE_EXACT_LOAD_NEXT_, REDUCE_EXACT_ADD_LOADED_,            \
                 REDUCE_EXACT_ADD_LOADS_)                                                                   \
    REDUCE_EXACT_ADD_NEXT_(NAME) REDUCE_LINE_                                                               \
    REDUCE_EXACT_WALK_WIDE_(NAME) REDUCE_LINE_ REDUCE_EXACT_WALK_(NAME) REDUCE_LINE_

#define REDUCE_EXACT_GENERATE_FAR_(NAME)                                                                    \
    REDUCE_EACH_(NAME, REDUCE_EXACT_FETCH_, REDUCE_EXACT_LOAD_ROWS_, REDUCE_EXACT_SAMPLE_,                  \
                 REDUCE_EXACT_FILL_BANDS_)                                                                  \
    REDUCE_EACH_(NAME, REDUCE_EXACT_BY_BANDS_, REDUCE_EXACT_FILL_COLUMNS_, REDUCE_EXACT_BY_COLUMNS_,        \
                 REDUCE_EXACT_ADD_FAR_)

#define REDUCE_EXACT_GENERATE_CALLS_(NAME, KIND)                                                            \
    REDUCE_CHECK_(NAME, KIND) REDUCE_LINE_ REDUCE_EXACT_LAUNCH_TO_(NAME) REDUCE_LINE_                       \
    REDUCE_EXACT_LAUNCH_(NAME) REDUCE_LINE_                                                                 \
    REDUCE_STRATEGY_(NAME, KIND, async, launch, REDUCE_BY_LAST_BLOCK_) REDUCE_LINE_                         \
    REDUCE_EXACT_ACCUMULATE_ASYNC_(NAME, KIND) REDUCE_LINE_                                                 \
    REDUCE_CALL_(NAME, KIND, REDUCE_IS_NOT_SHARED_, !reduce_exact_is_one_chunk_(n, NAME##_size_))

#define REDUCE_EXACT_GENERATE_GPU_(NAME, KIND)                                                              \
    REDUCE_EXACT_GENERATE_NEAR_(NAME, KIND) REDUCE_EXACT_GENERATE_FAR_(NAME)                                \
    REDUCE_EACH_(NAME, REDUCE_EXACT_ADD_PORTION_, REDUCE_EXACT_KERNEL_, REDUCE_EXACT_BLOCK_,                \
                 REDUCE_NOTHING_)                                                                           \
    REDUCE_EXACT_GENERATE_CALLS_(NAME, KIND)
#else
#define REDUCE_EXACT_GENERATE_GPU_(NAME, KIND)
#endif

#define REDUCE_EXACT_GENERATE_(NAME, KIND)                                                                  \
    REDUCE_DECLARE_KIND_(NAME, EXACT_) REDUCE_LINE_                                                         \
    REDUCE_CPU_OPERAND_AT_(NAME, KIND) REDUCE_LINE_                                                         \
    REDUCE_CPU_MAP_(NAME, map, REDUCE_CPU_MAPPED_) REDUCE_LINE_                                             \
    REDUCE_EXACT_CPU_(NAME, KIND) REDUCE_LINE_ REDUCE_EXACT_CPU_CALLS_(NAME, KIND) REDUCE_LINE_             \
    REDUCE_EXACT_GENERATE_GPU_(NAME, KIND)

#define REDUCE_DEFINE_EXACT_(NAME, In, T, IS_MAPPED, EXPR_OF_X)                                             \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_ REDUCE_TYPE_(NAME, element, In) REDUCE_LINE_                      \
    REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_ REDUCE_ARRAY_(NAME) REDUCE_LINE_                             \
    REDUCE_MAP_(NAME, IS_MAPPED, EXPR_OF_X, NAME##_element x REDUCE_UNUSED_) REDUCE_LINE_                   \
    REDUCE_EXACT_TRAITS_(NAME, T) REDUCE_LINE_ REDUCE_EXACT_GENERATE_(NAME, ARRAY_)

#undef DEFINE_REDUCE_EXACT
#define DEFINE_REDUCE_EXACT(T)                                                                              \
    REDUCE_CHECK_PLACE_("reduce_" #T "_exact_sum") REDUCE_LINE_                                             \
    REDUCE_EXACT_CHECK_("reduce_" #T "_exact_sum", T) REDUCE_LINE_                                          \
    REDUCE_UNLESS_(REDUCE_HAVE_reduce_##T##_exact_sum, REDUCE_DEFINE_EXACT_)                                \
    (reduce_##T##_exact_sum, T, T, 0, x)

#undef DEFINE_REDUCE_EXACT_MAP
#define DEFINE_REDUCE_EXACT_MAP(NAME, In, T, EXPR_OF_X)                                                     \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_ REDUCE_EXACT_CHECK_(#NAME, T) REDUCE_LINE_                      \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_EXACT_)                                                \
    (NAME, In, T, 1, EXPR_OF_X)

#define REDUCE_DEFINE_EXACT_ZIP_(NAME, X, Y, T, EXPR_OF_X_Y)                                                \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_ REDUCE_TYPE_(NAME, first, X) REDUCE_LINE_                         \
    REDUCE_TYPE_(NAME, second, Y) REDUCE_LINE_ REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_                   \
    REDUCE_ZIP_(NAME) REDUCE_LINE_                                                                          \
    REDUCE_MAP_(NAME, 1, EXPR_OF_X_Y, NAME##_first x REDUCE_UNUSED_, NAME##_second y REDUCE_UNUSED_)        \
    REDUCE_LINE_                                                                                            \
    REDUCE_EXACT_TRAITS_(NAME, T) REDUCE_LINE_ REDUCE_EXACT_GENERATE_(NAME, ZIP_)

#undef DEFINE_REDUCE_EXACT_ZIP
#define DEFINE_REDUCE_EXACT_ZIP(NAME, X, Y, T, EXPR_OF_X_Y)                                                 \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_ REDUCE_EXACT_CHECK_(#NAME, T) REDUCE_LINE_                      \
    REDUCE_ASSERT_(REDUCE_IS_DEFINED_("REDUCE_ZIP_", REDUCE_EXPANDED_(REDUCE_ZIP_(NAME))),                  \
                   #NAME ": include reduce_inputs.cuh for maps of two arrays") REDUCE_LINE_                 \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_EXACT_ZIP_)                                            \
    (NAME, X, Y, T, EXPR_OF_X_Y)

#endif /* REDUCE_EXACT_CUH */
