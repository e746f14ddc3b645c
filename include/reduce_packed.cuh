/*
 * reduce_packed.cuh: small values, several at a time, a part of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce.cuh includes this file where it lies beside it, and has the manual. Results are the same without it.
 *
 * Small numbers lie side by side in words of 32 bits: four of one byte, or two of two bytes. Instructions
 * combine all values of a word at once, each with its neighbour in another word:
 *
 *     operator                 values                       from
 *     -----------------------  ---------------------------  -----
 *     band, bor, bxor          integers                     sm_75
 *     land, lor                bool                         sm_75
 *     min, max                 integers                     sm_90
 *     min, max, fmin, fmax     half and bfloat16            sm_80
 *     sum                      half                         sm_75
 *
 * The simulator combines bytes and shorts by the same steps, and halves one by one.
 */
#ifndef REDUCE_PACKED_CUH
#define REDUCE_PACKED_CUH

#include "reduce.cuh"

#ifdef __CUDACC__

/* True for min, max, fmin and fmax of half and bfloat16, where a GPU has instructions for them. */
#define REDUCE_HAS_HALF_EXTREMES_(NAME)                                                                     \
    (REDUCE_ARCH_ >= 800 && REDUCE_IS_EXTREME_((int)NAME##_operator_) &&                                    \
     (REDUCE_KIND_(NAME##_result) == REDUCE_HALF_ || REDUCE_KIND_(NAME##_result) == REDUCE_BFLOAT16_))

/* land and lor of bools, which are 0 or 1, are bit operations. */
#define REDUCE_JOINS_BOOLS_(NAME)                                                                           \
    ((int)NAME##_operator_ == REDUCE_LAND_LOR_ && __is_same(NAME##_result, bool))

#define REDUCE_PACKS_INTEGERS_(NAME)                                                                        \
    (REDUCE_IS_INTEGER_(NAME##_result) &&                                                                   \
     (REDUCE_IS_BITWISE_((int)NAME##_operator_) || REDUCE_JOINS_BOOLS_(NAME) ||                             \
      ((int)NAME##_operator_ == REDUCE_MIN_MAX_ && REDUCE_ARCH_ >= 900)))
#define REDUCE_PACKS_HALVES_(NAME)                                                                          \
    (REDUCE_HAS_HALF_EXTREMES_(NAME) ||                                                                     \
     (REDUCE_KIND_(NAME##_result) == REDUCE_HALF_ && (int)NAME##_operator_ == REDUCE_SUM_))

/* Whether words of elements, which are the operands, combine at once. */
#define REDUCE_PACKS_(NAME)                                                                                 \
    (sizeof(NAME##_result) <= 2 && __is_same(NAME##_element, NAME##_result) &&                              \
     (!NAME##_is_mapped_ || NAME##_converts_) && (REDUCE_PACKS_INTEGERS_(NAME) || REDUCE_PACKS_HALVES_(NAME)))

/* What the values of a word are, and how they combine. */
struct reduce_packed_ {
    size_t size_;
    enum reduce_kind_ kind_;
    enum reduce_operator_ operator_;
    bool is_min_;     /* the operator takes the lesser value, else the greater */
    bool are_signed_; /* values are signed integers */
};

/* The identity tells min from max, and signed integers from unsigned ones: it is the greatest value for min,
   whose lowest bit is set, and the least for max. The highest bit of +infinity is not set. Of bools land is
   the min. */
REDUCE_DEVICE_ struct reduce_packed_ reduce_packed_of_(const void *identity_, size_t size_,
                                                       enum reduce_kind_ kind_,
                                                       enum reduce_operator_ operator_) {
    const unsigned long long bits_ = reduce_bits_(identity_, size_);
    const bool is_lowest_set_ = bits_ & 1, is_highest_set_ = bits_ >> (8 * REDUCE_MIN_(size_, 2) - 1) & 1;
    struct reduce_packed_ of_;
    of_.size_ = size_;
    of_.kind_ = kind_;
    of_.operator_ = operator_;
    of_.is_min_ = is_lowest_set_;
    of_.are_signed_ = is_lowest_set_ != is_highest_set_;
    if (kind_ != REDUCE_INTEGER_)
        of_.is_min_ = operator_ == REDUCE_MIN_MAX_ ? !is_highest_set_ : operator_ == REDUCE_FMIN_;
    return of_;
}

/* The lesser or the greater of x and y, as words of 16 bits. */
REDUCE_DEVICE_ uint16_t reduce_extreme_of_shorts_(uint16_t x, uint16_t y, struct reduce_packed_ of_) {
    const bool is_less_ = of_.are_signed_ ? (int16_t)x < (int16_t)y : x < y;
    return is_less_ == of_.is_min_ ? x : y;
}

/* The same for both halves of a word. */
REDUCE_DEVICE_ uint32_t reduce_two_extremes_(uint32_t x, uint32_t y, struct reduce_packed_ of_) {
#ifdef __CUDA_ARCH__
    if (of_.are_signed_) return of_.is_min_ ? __vmins2(x, y) : __vmaxs2(x, y);
    return of_.is_min_ ? __vminu2(x, y) : __vmaxu2(x, y);
#else
    const uint32_t upper_ = reduce_extreme_of_shorts_((uint16_t)(x >> 16), (uint16_t)(y >> 16), of_);
    return upper_ << 16 | reduce_extreme_of_shorts_((uint16_t)x, (uint16_t)y, of_);
#endif
}

/* The same for four bytes. Each is the upper byte of 16 bits once; the lower byte cannot change which of two
   upper bytes comes out. */
REDUCE_DEVICE_ uint32_t reduce_four_extremes_(uint32_t x, uint32_t y, struct reduce_packed_ of_) {
    const uint32_t odd_ = reduce_two_extremes_(x, y, of_), even_ = reduce_two_extremes_(x << 8, y << 8, of_);
#ifdef __CUDA_ARCH__
    return __byte_perm(even_, odd_, 0x7351);
#else
    return (odd_ & 0xff00ff00) | (even_ >> 8 & 0xff00ff);
#endif
}

REDUCE_DEVICE_ uint32_t reduce_combine_integers_(uint32_t x, uint32_t y, struct reduce_packed_ of_) {
    if (of_.operator_ == REDUCE_BAND_) return x & y;
    if (of_.operator_ == REDUCE_BOR_) return x | y;
    if (of_.operator_ == REDUCE_BXOR_) return x ^ y;
    if (of_.operator_ == REDUCE_LAND_LOR_) return of_.is_min_ ? x & y : x | y;
    return of_.size_ == 1 ? reduce_four_extremes_(x, y, of_) : reduce_two_extremes_(x, y, of_);
}

#ifdef __CUDA_ARCH__

#define REDUCE_COMBINE_AT_ONCE_(x, y, instruction) asm(instruction " %0, %0, %1;" : "+r"(x) : "r"(y))
#define REDUCE_EXTREMES_AT_ONCE_(x, y, is_min, type)                                                        \
    do {                                                                                                    \
        if (is_min) REDUCE_COMBINE_AT_ONCE_(x, y, "min" type);                                              \
        if (!is_min) REDUCE_COMBINE_AT_ONCE_(x, y, "max" type);                                             \
    } while (0)

/* The extremes of two halves. min and max give NaN if an operand is NaN; fmin and fmax the other operand. */
REDUCE_DEVICE_ uint32_t reduce_half_extremes_(uint32_t x, uint32_t y, struct reduce_packed_ of_) {
#if REDUCE_ARCH_ >= 800
    const bool is_half_ = of_.kind_ == REDUCE_HALF_, nan_wins_ = of_.operator_ == REDUCE_MIN_MAX_;
    if (is_half_ && nan_wins_) REDUCE_EXTREMES_AT_ONCE_(x, y, of_.is_min_, ".NaN.f16x2");
    if (is_half_ && !nan_wins_) REDUCE_EXTREMES_AT_ONCE_(x, y, of_.is_min_, ".f16x2");
    if (!is_half_ && nan_wins_) REDUCE_EXTREMES_AT_ONCE_(x, y, of_.is_min_, ".NaN.bf16x2");
    if (!is_half_ && !nan_wins_) REDUCE_EXTREMES_AT_ONCE_(x, y, of_.is_min_, ".bf16x2");
#endif
    return (void)y, (void)of_, x;
}

REDUCE_DEVICE_ uint32_t reduce_combine_halves_(uint32_t x, uint32_t y, struct reduce_packed_ of_) {
    if (of_.operator_ != REDUCE_SUM_) return reduce_half_extremes_(x, y, of_);
    REDUCE_COMBINE_AT_ONCE_(x, y, "add.rn.f16x2");
    return x;
}

REDUCE_DEVICE_ uint32_t reduce_combine_word_(uint32_t x, uint32_t y, struct reduce_packed_ of_) {
    if (of_.kind_ == REDUCE_INTEGER_) return reduce_combine_integers_(x, y, of_);
    return reduce_combine_halves_(x, y, of_);
}
#define REDUCE_BY_WORDS_(NAME) true

#else

REDUCE_DEVICE_ uint32_t reduce_combine_word_(uint32_t x, uint32_t y, struct reduce_packed_ of_) {
    return reduce_combine_integers_(x, y, of_);
}
#define REDUCE_BY_WORDS_(NAME) REDUCE_IS_INTEGER_(NAME##_result)

#endif

/* Combines the values in `size` bytes with as many others, word by word. The last word may have less than
   four bytes. */
REDUCE_DEVICE_ void reduce_combine_packed_(void *a, const void *b, size_t size_, struct reduce_packed_ of_) {
    REDUCE_UNROLL_
    for (size_t at_ = 0; at_ < size_; at_ += 4) {
        const size_t bytes_ = REDUCE_MIN_(size_ - at_, 4);
        uint32_t x = 0, y = 0;
        memcpy(&x, (const char *)a + at_, bytes_);
        memcpy(&y, (const char *)b + at_, bytes_);
        x = reduce_combine_word_(x, y, of_);
        memcpy((char *)a + at_, &x, bytes_);
    }
}

/* void NAME_combine_words_(void *a, const void *b, size_t size): the same for values of NAME; one by one
   where not REDUCE_BY_WORDS_. */
#define REDUCE_COMBINE_WORDS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_combine_words_(void *a, const void *b, size_t size_) {                       \
        const NAME##_result identity_ = NAME##_identity(), *const y = (const NAME##_result *)b;             \
        const enum reduce_operator_ operator_ = (enum reduce_operator_)NAME##_operator_;                    \
        const struct reduce_packed_ of_ =                                                                   \
            reduce_packed_of_(&identity_, sizeof identity_, REDUCE_KIND_(NAME##_result), operator_);        \
        NAME##_result *const x = (NAME##_result *)a;                                                        \
        if (REDUCE_BY_WORDS_(NAME)) reduce_combine_packed_(a, b, size_, of_);                               \
        for (size_t k = 0; k < size_ / sizeof *x && !REDUCE_BY_WORDS_(NAME); k++)                           \
            x[k] = NAME##_combine(x[k], y[k]);                                                              \
    }

#endif /* __CUDACC__ */

#endif /* REDUCE_PACKED_CUH */
