/*
 * reduce_rows_plan.cuh: the host chooses a way for rows, and shares them among blocks; a part of
 * reduce_rows.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce_rows.cuh lists the ways of rows, and includes this file.
 */
#ifndef REDUCE_ROWS_CUH
#include "reduce_rows.cuh"
#elif !defined REDUCE_ROWS_PLAN_CUH
#define REDUCE_ROWS_PLAN_CUH

/* ---- The plan of rows ---- */

#define REDUCE_MOST_BLOCKS_ ((size_t)0x7fffffff) /* of one launch */
#define REDUCE_MOST_IN_Y_ 65535                  /* in the second dimension of a grid */

/* The elements from the first to the last of rows; SIZE_MAX if rows overlap or are too many. */
REDUCE_HOST_ size_t reduce_extent_(size_t rows_, size_t n, size_t pitch_) {
    if (rows_ == 0 || n == 0) return 0;
    if (rows_ > 1 && pitch_ < n) return SIZE_MAX;
    if (rows_ > 1 && rows_ - 1 > (SIZE_MAX - n) / pitch_) return SIZE_MAX;
    return (rows_ - 1) * pitch_ + n;
}

/* Thresholds of the plan, all measured on one large GPU. Tests define smaller ones. */
#ifndef REDUCE_MANY_WARPS_
#define REDUCE_FEW_BYTES_ ((size_t)1 << 22)       /* bytes of all rows; ways have measured multiples */
#define REDUCE_WAVE_ 256                          /* blocks of REDUCE_STRANDS threads that run at once */
#define REDUCE_SMS_ 132                           /* multiprocessors of that GPU */
#define REDUCE_STRANDS_OF_TWO_ (2 * REDUCE_WARP)  /* strands of a row for TWO_LOAD_ROWS, at most */
#define REDUCE_STRANDS_OF_FOUR_ (4 * REDUCE_WARP) /* the same for FOUR_LOAD_ROWS */
#define REDUCE_MANY_WARPS_ 4096                   /* warps that keep the GPU busy */
#define REDUCE_MANY_BLOCKS_ 2048                  /* blocks; with more items each has several */
#define REDUCE_MANY_LOW_ 512                      /* items for LOW_CHUNKS, at least */
#define REDUCE_MANY_SHORT_ 256                    /* blocks of staged rows; fewer have less scratch */
#endif

/* Slots for values of size bytes, in which parts of a result may wait; none without waiting. */
#ifdef REDUCE_NO_WAITING
#define REDUCE_SLOTS_TO_WAIT_FOR_(size) ((size_t)0)
#else
#define REDUCE_SLOTS_TO_WAIT_FOR_ REDUCE_SLOTS_OF_
#endif

/* The rows of one launch, as many of count as its grid can have blocks for. */
REDUCE_HOST_ struct reduce_rows_ reduce_rows_of_(size_t count_, size_t n, size_t pitch_,
                                                 size_t element_size_, size_t result_size_) {
    const struct reduce_cut_ cut_ = reduce_cut_(n, element_size_);
    struct reduce_rows_ rows_;
    memset(&rows_, 0, sizeof rows_);
    rows_.n = n;
    rows_.pitch_ = pitch_;
    rows_.chunk_ = cut_.chunk_;
    rows_.all_ = pitch_ == n || count_ == 1 ? count_ * n : 0;
    rows_.count_ = (unsigned)(n > 0 ? cut_.count_ : 1);
    rows_.rows_ = REDUCE_MIN_(count_, REDUCE_MOST_BLOCKS_ / rows_.count_);
    rows_.items_ = rows_.rows_ * rows_.count_;
    rows_.regions_ = (unsigned)REDUCE_MIN_(rows_.rows_, REDUCE_SLOTS_OF_(result_size_) / rows_.count_);
    return rows_;
}

/* The ways of rows: see "How this file is organised" in reduce_rows.cuh. Each names kernels of
   REDUCE_ROWS_KERNELS_, in this order. Kernels of little code are those from THREAD_ROWS on; those from
   ONE_LOAD_ROWS on are two for whole words and for others, instead of for aligned rows and others. */
enum reduce_rows_way_ {
    REDUCE_SHORT_ROWS_,
    REDUCE_WARP_ROWS_,
    REDUCE_BLOCK_ROWS_,
    REDUCE_LOW_CHUNKS_,
    REDUCE_TALL_CHUNKS_,
    REDUCE_THREAD_ROWS_,
    REDUCE_WORD_ROWS_,
    REDUCE_ONE_LOAD_ROWS_,
    REDUCE_TWO_LOAD_ROWS_,
    REDUCE_FOUR_LOAD_ROWS_,
    REDUCE_EIGHT_LOAD_ROWS_,
    REDUCE_STRIPE_ROWS_,
    REDUCE_GRID_ROWS_
};

/* What the plan needs to know of a NAME and its input. */
struct reduce_row_facts_ {
    size_t size_;      /* bytes of an element of the tree */
    size_t bytes_;     /* bytes of an element of all arrays */
    size_t at_once_;   /* NAME_at_once_ */
    size_t tiny_;      /* NAME_tiny_ */
    size_t slots_;     /* chunks whose results may wait at once */
    size_t warps_;     /* NAME_resident_warps_ */
    int strand_bits_;  /* NAME_strand_bits_ */
    bool is_dense_;    /* NAME_is_dense_ */
    bool is_costly_;   /* NAME_is_costly_ */
    bool is_large_;    /* NAME_is_large_ */
    bool folds_late_;  /* NAME_folds_late_ */
    bool shows_order_; /* !NAME_is_exact_ */
    bool are_aligned_; /* all rows begin at a multiple of 16 bytes */
    bool is_wide_;     /* strands can be read whole in scratch, if rows are whole words */
    enum reduce_load_by_ by_; /* how lanes load most rows, by the ways from ONE_LOAD_ROWS on */
};

/* Bytes of the elements of all rows. */
REDUCE_HOST_ size_t reduce_bytes_of_rows_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    return rows_->rows_ * rows_->n * facts_.bytes_;
}

/* Tiny rows by THREAD_ROWS or WORD_ROWS; SHORT_ROWS stands for neither. Several threads load rows of a few
   whole words faster, and many rows of 12 bytes are faster by way of shared memory. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_way_of_tiny_(const struct reduce_rows_ *rows_,
                                                       struct reduce_row_facts_ facts_, size_t bytes_) {
    const size_t n = rows_->n, positions_ = REDUCE_POSITIONS(facts_.size_);
    const bool is_power_ = (n & (n - 1)) == 0, follow_ = rows_->all_ > 0;
    const bool are_long_words_ = facts_.by_ == REDUCE_ROW_BY_WORDS_ && n >= 8;
    const bool are_many_ =
        bytes_ > 4 * REDUCE_FEW_BYTES_ && n * facts_.bytes_ == 12 && !facts_.is_large_;
    if (n == 0 || n > facts_.tiny_) return REDUCE_SHORT_ROWS_;
    if (is_power_ && follow_ && n <= positions_ && facts_.is_wide_) return REDUCE_WORD_ROWS_;
    return are_many_ || are_long_words_ ? REDUCE_SHORT_ROWS_ : REDUCE_THREAD_ROWS_;
}

/* The bytes of all rows up to which lanes with a load for each of the tree's warps are faster than SHORT_ROWS
   and WARP_ROWS (measured). Half of a warp's lanes may be idle where loads are of words. Where lanes load
   element by element, costly strands are slower than others, and than aligned ones by other ways. Strands of
   halves that are covered are as fast as words where few lanes are idle. Where results fold late, lanes are
   faster for small elements, but for rows of one misaligned strand a lane, or of just 32 strands. */
REDUCE_HOST_ size_t reduce_most_of_lanes_(struct reduce_row_facts_ facts_, size_t strands_) {
    const size_t few_ = REDUCE_FEW_BYTES_, positions_ = REDUCE_POSITIONS(facts_.size_);
    const bool are_words_ = facts_.by_ == REDUCE_ROW_BY_WORDS_;
    const bool is_one_ = strands_ <= REDUCE_WARP, is_two_ = !is_one_ && strands_ <= REDUCE_STRANDS_OF_TWO_;
    const bool is_short_ = strands_ <= (are_words_ ? REDUCE_WARP : REDUCE_STRANDS_OF_FOUR_);
    const bool is_part_ = 2 * strands_ > REDUCE_WARP && strands_ < REDUCE_WARP;
    const bool are_many_ = !is_one_ || (are_words_ && is_part_);
    if (facts_.is_large_ && is_short_) return 0;
    if (facts_.folds_late_ && positions_ > 4 && are_many_) return SIZE_MAX;
    if (are_words_ && 2 * strands_ >= 3 * REDUCE_WARP) return SIZE_MAX;
    if (are_words_) return (is_one_ || positions_ > 4 ? 4 : 16) * few_;
    if (is_one_) return few_;
    if (facts_.by_ == REDUCE_ROW_BY_COVER_ && 4 * strands_ > 3 * REDUCE_STRANDS_OF_TWO_) return SIZE_MAX;
    if (is_two_) return (facts_.is_costly_ ? 2 : 4) * few_;
    if (positions_ <= 8 && !(facts_.is_costly_ && facts_.are_aligned_)) return SIZE_MAX;
    return strands_ <= REDUCE_STRANDS_OF_FOUR_ ? 8 * few_ : 0;
}

/* The way in which lanes have so many strands of a row. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_way_of_lanes_(size_t strands_) {
    if (strands_ <= REDUCE_WARP) return REDUCE_ONE_LOAD_ROWS_;
    if (strands_ <= REDUCE_STRANDS_OF_TWO_) return REDUCE_TWO_LOAD_ROWS_;
    return strands_ <= REDUCE_STRANDS_OF_FOUR_ ? REDUCE_FOUR_LOAD_ROWS_ : REDUCE_EIGHT_LOAD_ROWS_;
}

/* Rows of at most a stripe by kernels of little code; SHORT_ROWS stands for none. A block for each row is
   faster where rows are few or long, but not for many bytes. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_way_of_few_(const struct reduce_rows_ *rows_,
                                                      struct reduce_row_facts_ facts_) {
    const size_t positions_ = REDUCE_POSITIONS(facts_.size_);
    const size_t strands_ = reduce_divide_up_(rows_->n, positions_);
    const size_t bytes_ = reduce_bytes_of_rows_(rows_, facts_);
    const bool are_small_ = positions_ > 4, are_most_ = strands_ > REDUCE_STRANDS_OF_TWO_;
    const bool are_few_ = are_small_ && are_most_ && rows_->rows_ <= REDUCE_WAVE_;
    const bool are_long_ = strands_ > REDUCE_STRANDS_OF_FOUR_;
    const enum reduce_rows_way_ tiny_ = reduce_way_of_tiny_(rows_, facts_, bytes_);
    if (tiny_ != REDUCE_SHORT_ROWS_ || rows_->n == 0 || facts_.tiny_ == 0) return tiny_;
    if (strands_ > REDUCE_STRANDS) return REDUCE_SHORT_ROWS_;
    if ((are_few_ || are_long_) && bytes_ <= 2 * REDUCE_FEW_BYTES_) return REDUCE_STRIPE_ROWS_;
    if (bytes_ <= reduce_most_of_lanes_(facts_, strands_)) return reduce_way_of_lanes_(strands_);
    return REDUCE_SHORT_ROWS_;
}

/* GRID_ROWS where there are slots for all chunks, else TALL_CHUNKS. Where order shows, GRID_ROWS reads
   misaligned rows by elements, not by words: of rows of one chunk that is faster where a word has more than
   four elements, and for some others. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_way_of_chunks_(const struct reduce_rows_ *rows_,
                                                         struct reduce_row_facts_ facts_) {
    const size_t positions_ = REDUCE_POSITIONS(facts_.size_);
    const bool are_few_ = reduce_bytes_of_rows_(rows_, facts_) <= 4 * REDUCE_FEW_BYTES_;
    const bool is_one_ = rows_->count_ == 1, are_some_ = rows_->items_ > REDUCE_WAVE_;
    const bool by_elements_ = positions_ > 4 || (are_few_ && (positions_ < 4 || are_some_));
    if (rows_->items_ > (is_one_ ? REDUCE_SLOTS : facts_.slots_)) return REDUCE_TALL_CHUNKS_;
    return !is_one_ || facts_.are_aligned_ || by_elements_ ? REDUCE_GRID_ROWS_ : REDUCE_TALL_CHUNKS_;
}

/* Whether chunks are low: of one or two stripes. */
REDUCE_HOST_ bool reduce_have_low_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    return rows_->chunk_ <= 2 * REDUCE_STRIPE_(facts_.size_);
}

/* Whether rows of one chunk are faster by LOW_CHUNKS than by other ways (measured): misaligned ones, but of
   elements of two bytes only those that make one wave of blocks and whose order shows; and others where most
   threads of a block would lack the second of two stripes, or none does. */
REDUCE_HOST_ bool reduce_is_low_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const size_t positions_ = REDUCE_POSITIONS(facts_.size_), stripe_ = REDUCE_STRIPE_(facts_.size_);
    const bool is_low_ = reduce_have_low_(rows_, facts_), is_aligned_ = facts_.are_aligned_;
    const bool has_two_ = 20 * rows_->n > 39 * stripe_, lacks_second_ = 5 * rows_->n < 7 * stripe_;
    if (positions_ > 8) return is_low_ || !is_aligned_;
    if (positions_ < 8 && !is_aligned_) return true;
    if (!is_aligned_ && facts_.shows_order_ && rows_->rows_ <= 8 * REDUCE_SMS_)
        return has_two_ || lacks_second_;
    return is_low_ && (has_two_ || (is_aligned_ && 5 * rows_->n < 6 * stripe_));
}

/* Whether rows of several chunks, not few of them, have too many chunks for a block each: BLOCK_ROWS and
   LOW_CHUNKS give a block some. */
REDUCE_HOST_ bool reduce_are_many_chunks_(const struct reduce_rows_ *rows_) {
    return rows_->items_ > 8 * REDUCE_WAVE_ && rows_->rows_ >= REDUCE_SMS_ / 2;
}

/* Whether few misaligned rows of several chunks, whose order shows, are faster by LOW_CHUNKS, which shifts
   words, than element by element (measured). */
REDUCE_HOST_ bool reduce_are_shifted_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const size_t least_ = REDUCE_POSITIONS(facts_.size_) > 4 ? 5 : 8;
    return rows_->rows_ >= least_ && rows_->chunk_ < 32768;
}

/* Whether chunks are faster by LOW_CHUNKS than each by a block. Each needs a slot then. */
REDUCE_HOST_ bool reduce_are_low_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const size_t items_ = rows_->items_;
    const bool are_enough_ = items_ > (rows_->count_ < 16 ? 3 : 4) * REDUCE_WAVE_;
    const bool are_read_ = facts_.are_aligned_ || REDUCE_POSITIONS(facts_.size_) > 4; /* fast by GRID_ROWS */
    if (items_ < REDUCE_MANY_LOW_ || facts_.is_large_) return false;
    if (rows_->count_ == 1) return reduce_is_low_(rows_, facts_);
    if (items_ > facts_.slots_) return false;
    if (reduce_are_many_chunks_(rows_)) return true;
    if (!facts_.are_aligned_ && facts_.shows_order_) return reduce_are_shifted_(rows_, facts_);
    return reduce_have_low_(rows_, facts_) && (are_enough_ || !are_read_);
}

/* Rows of one chunk for WARP_ROWS, at least (measured). */
REDUCE_HOST_ size_t reduce_enough_warps_(struct reduce_row_facts_ facts_) {
    const size_t many_ = REDUCE_MANY_WARPS_, positions_ = REDUCE_POSITIONS(facts_.size_);
    return positions_ > 8 ? many_ : (positions_ == 8 ? 5 : 9) * many_ / 16;
}

/* As many rows as whole waves take that have `wave` of them each. */
REDUCE_HOST_ size_t reduce_in_waves_(const struct reduce_rows_ *rows_, size_t wave_) {
    return reduce_divide_up_(rows_->rows_, wave_) * wave_;
}

/* The share of the GPU's warps that WARP_ROWS keeps busy, if an SM has so many at once. */
REDUCE_HOST_ double reduce_warp_share_(const struct reduce_rows_ *rows_, size_t warps_) {
    return (double)rows_->rows_ / (double)reduce_in_waves_(rows_, warps_ * REDUCE_SMS_);
}

/* Whether rows of one chunk whose order does not show are faster by GRID_ROWS than by other ways (measured).
   It reads misaligned ones by words, too. */
REDUCE_HOST_ bool reduce_suit_words_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const size_t positions_ = REDUCE_POSITIONS(facts_.size_), stripe_ = REDUCE_STRIPE_(facts_.size_);
    const bool are_some_ = rows_->rows_ < REDUCE_MANY_WARPS_ || 2 * rows_->n <= stripe_;
    const bool suit_all_ = positions_ > 8 ? are_some_ : positions_ == 4 && !facts_.is_costly_;
    const bool are_few_ = reduce_bytes_of_rows_(rows_, facts_) <= 4 * REDUCE_FEW_BYTES_;
    if (facts_.shows_order_ || facts_.is_large_ || rows_->rows_ > REDUCE_MOST_IN_Y_) return false;
    if (suit_all_ || facts_.are_aligned_) return suit_all_;
    if (positions_ == 8) return rows_->n >= 3 * stripe_ && reduce_warp_share_(rows_, 32) < 0.7;
    return are_few_;
}

/* Whether many rows of one chunk are faster by GRID_ROWS than by WARP_ROWS (measured): those of large
   results; and aligned ones that fill the loads of a block's threads, REDUCE_LOADS_ stripes at once, well
   enough. */
REDUCE_HOST_ bool reduce_fill_blocks_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const size_t stripe_ = REDUCE_STRIPE_(facts_.size_), rest_ = rows_->n % (REDUCE_LOADS_ * stripe_);
    if (rows_->rows_ > REDUCE_MOST_IN_Y_) return false;
    if (facts_.is_large_) return rows_->n >= 2 * stripe_;
    if (!facts_.are_aligned_ || REDUCE_POSITIONS(facts_.size_) > 8) return false;
    return 2 * rows_->n >= 5 * stripe_ && (rest_ == 0 || rest_ >= stripe_);
}

/* Whether GRID_ROWS has slots for the chunks of aligned rows, and these are not low; or for several chunks of
   misaligned rows of bytes whose order does not show, which it reads by words. It is then the fastest way,
   however many rows there are. */
REDUCE_HOST_ bool reduce_suit_grid_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const bool are_bytes_ = REDUCE_POSITIONS(facts_.size_) > 8 && !facts_.shows_order_;
    if (rows_->items_ > facts_.slots_) return false;
    if (!facts_.are_aligned_) return are_bytes_ && rows_->count_ > 1;
    return !reduce_have_low_(rows_, facts_);
}

/* The share of the GPU's resident warps that BLOCK_ROWS keeps busy with blocks of so many. Warps are idle
   in the last of a row's rounds, and SMs in the last wave of blocks, which takes half of the time of a whole
   one and more (measured). */
REDUCE_HOST_ double reduce_busy_share_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_,
                                       size_t warps_) {
    const size_t blocks_ = facts_.warps_ / warps_;
    const size_t in_waves_ = reduce_in_waves_(rows_, blocks_ * REDUCE_SMS_);
    const size_t rounds_ = reduce_divide_up_(rows_->count_, warps_);
    return (double)(2 * rows_->items_ * blocks_) /
           (double)(facts_.warps_ * rounds_ * (rows_->rows_ + in_waves_));
}

/* The warps of a block of BLOCK_ROWS: as many as are busy most. There is a thread for each chunk, or strand
   of chunks, at least. */
REDUCE_HOST_ size_t reduce_warps_of_row_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const size_t enough_ = reduce_divide_up_(rows_->count_, REDUCE_WARP);
    size_t warps_ = (REDUCE_WARPS_ + 3) / 4, best_ = REDUCE_WARPS_;
    double most_ = 0;
    if (warps_ < enough_) warps_ = REDUCE_MIN_(enough_, (size_t)REDUCE_WARPS_);
    for (; warps_ <= REDUCE_WARPS_; warps_++) {
        const double share_ = reduce_busy_share_(rows_, facts_, warps_);
        if (share_ > most_) most_ = share_, best_ = warps_;
    }
    return best_;
}

/* The chunks of a block of LOW_CHUNKS: one wave of blocks has all, and a block walks some at once. */
REDUCE_HOST_ size_t reduce_low_span_(const struct reduce_rows_ *rows_) {
    const size_t together_ = REDUCE_WARPS_ / (int)REDUCE_WARPS_OF_LOW_;
    return reduce_divide_up_(rows_->items_, 2 * REDUCE_SMS_ * together_) * together_;
}

/* The share of the GPU's resident warps that LOW_CHUNKS keeps busy. */
REDUCE_HOST_ double reduce_low_share_(const struct reduce_rows_ *rows_) {
    return (double)rows_->items_ / (double)(2 * REDUCE_SMS_ * reduce_low_span_(rows_));
}

/* Whether rows of several chunks are faster by a block for each than by LOW_CHUNKS (measured). That needs a
   slot for each chunk, which shows where there are few, and is slow for misaligned small elements, less so
   where order shows. Without waiting, there are no slots. */
REDUCE_HOST_ bool reduce_are_by_blocks_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const bool are_slow_ = !facts_.are_aligned_ && REDUCE_POSITIONS(facts_.size_) > 4;
    const bool can_choose_ = !are_slow_ && rows_->items_ <= facts_.slots_;
    if (rows_->count_ == 1) return false;
    if (facts_.slots_ == 0) return true;
    if (facts_.is_large_) return false;
    if (!reduce_are_many_chunks_(rows_) || (can_choose_ && !reduce_have_low_(rows_, facts_))) return false;
    const size_t warps_ = reduce_warps_of_row_(rows_, facts_);
    const bool are_few_ = rows_->items_ <= 20 * REDUCE_WAVE_ && rows_->count_ <= warps_;
    const double low_ = reduce_low_share_(rows_), of_slow_ = (facts_.shows_order_ ? 0.78 : 0.65) * low_;
    const double least_ = !can_choose_ ? of_slow_ : are_few_ ? 0.6 * low_ : 0.75;
    return reduce_busy_share_(rows_, facts_, warps_) >= least_;
}

/* Whether misaligned rows of one chunk whose order shows would keep fewer warps busy by WARP_ROWS than by
   LOW_CHUNKS, so few that this is faster (measured). */
REDUCE_HOST_ bool reduce_lack_warps_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const size_t stripe_ = REDUCE_STRIPE_(facts_.size_);
    const bool are_halves_ = REDUCE_POSITIONS(facts_.size_) == 8;
    if (facts_.are_aligned_ || !facts_.shows_order_ || (facts_.is_costly_ && !are_halves_)) return false;
    if (5 * rows_->n < (are_halves_ ? 10 : 7) * stripe_) return false;
    return reduce_low_share_(rows_) > 1.2 * reduce_warp_share_(rows_, are_halves_ ? 24 : 32);
}

/* The way of many rows of one chunk. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_way_of_many_(const struct reduce_rows_ *rows_,
                                                       struct reduce_row_facts_ facts_) {
    if (reduce_fill_blocks_(rows_, facts_)) return REDUCE_GRID_ROWS_;
    return reduce_lack_warps_(rows_, facts_) ? REDUCE_LOW_CHUNKS_ : REDUCE_WARP_ROWS_;
}

/* The way of rows. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_rows_way_(const struct reduce_rows_ *rows_,
                                                    struct reduce_row_facts_ facts_) {
    const size_t strands_ = reduce_divide_up_(rows_->n, REDUCE_POSITIONS(facts_.size_));
    const enum reduce_rows_way_ few_ = reduce_way_of_few_(rows_, facts_);
    if (few_ != REDUCE_SHORT_ROWS_) return few_;
    const size_t loads_ = facts_.are_aligned_ ? facts_.at_once_ : REDUCE_LOADS_;
    if (strands_ <= REDUCE_MIN_(loads_ * REDUCE_WARP, (size_t)REDUCE_STRANDS)) return REDUCE_SHORT_ROWS_;
    if (rows_->count_ == 1 && reduce_suit_words_(rows_, facts_)) return REDUCE_GRID_ROWS_;
    if (rows_->count_ == 1 && rows_->rows_ >= reduce_enough_warps_(facts_))
        return reduce_way_of_many_(rows_, facts_);
    if (reduce_suit_grid_(rows_, facts_)) return REDUCE_GRID_ROWS_;
    if (reduce_are_by_blocks_(rows_, facts_)) return REDUCE_BLOCK_ROWS_;
    return reduce_are_low_(rows_, facts_) ? REDUCE_LOW_CHUNKS_ : reduce_way_of_chunks_(rows_, facts_);
}

/* The chunks of a block. By TALL_CHUNKS these are several where there are many, of no more rows than there
   are regions. */
REDUCE_HOST_ unsigned reduce_span_of_(const struct reduce_rows_ *rows_, enum reduce_rows_way_ way_) {
    const size_t most_ = REDUCE_WARP;
    const size_t share_ = REDUCE_MIN_(rows_->items_ / REDUCE_MANY_BLOCKS_ + 1, most_);
    if (way_ == REDUCE_LOW_CHUNKS_) return (unsigned)reduce_low_span_(rows_);
    if (rows_->count_ == 1) return (unsigned)share_;
    return (unsigned)REDUCE_MIN_(share_, (rows_->regions_ - (size_t)1) * rows_->count_ + 1);
}

/* How many of `most` rows a block takes that has `round` rows at once: fewer, so that the last round is full,
   if that takes less time for a row. What a block does besides takes as long as two rounds (measured). */
REDUCE_HOST_ unsigned reduce_whole_rounds_(unsigned most_, unsigned round_) {
    const size_t rounds_ = round_ == 0 ? 0 : most_ / round_;
    return rounds_ > 0 && (rounds_ + 2) * most_ < (rounds_ + 3) * rounds_ * round_
               ? (unsigned)rounds_ * round_ : most_;
}

/* Whether rows are whole words, if they begin with one. */
REDUCE_HOST_ bool reduce_are_whole_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    return rows_->n * facts_.size_ % 16 == 0;
}

/* Whether short rows go to registers, else to scratch: all are aligned, and most of the 2^bits lanes of a row
   have elements, or rows are few. */
REDUCE_HOST_ bool reduce_suit_registers_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_,
                                         size_t strands_, bool are_few_) {
    const bool has_gaps_ = rows_->all_ == 0;
    const unsigned most_of_8_ = are_few_ ? 1 : has_gaps_ || strands_ > REDUCE_WARP ? 6 : 7;
    return facts_.are_aligned_ && (has_gaps_ || reduce_are_whole_(rows_, facts_)) &&
           8 * strands_ >= most_of_8_ << rows_->bits_;
}

/* How many lanes share each of the tree's warps of a staged row: as few as may fold its strands; but at least
   eight where whole words lie in scratch without gaps, as they have bank conflicts. */
REDUCE_HOST_ void reduce_share_staged_strands_(struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_,
                                               size_t strands_) {
    const bool are_whole_ = reduce_are_whole_(rows_, facts_);
    rows_->warp_bits_ = reduce_bits_for_(reduce_divide_up_(strands_, REDUCE_WARP));
    rows_->is_wide_ = facts_.is_wide_ && are_whole_;
    const int all_ = rows_->bits_ - rows_->warp_bits_, least_ = are_whole_ && !rows_->is_wide_ ? 3 : 0;
    const int rest_ = all_ - facts_.strand_bits_;
    rows_->bits_ = rest_ > least_ ? rest_ : REDUCE_MIN_(least_, all_);
}

/* How many rows a block of so many threads stages: as many as its scratch holds, of which it uses less where
   rows are few, so that there are more blocks. */
REDUCE_HOST_ unsigned reduce_staged_rows_of_block_(const struct reduce_rows_ *rows_,
                                                   struct reduce_row_facts_ facts_, unsigned threads_) {
    const size_t of_row_ = rows_->n * facts_.bytes_;
    size_t scratch_ = threads_ * (size_t)REDUCE_SCRATCH_BYTES_;
    while (scratch_ > threads_ * 16 && rows_->rows_ * of_row_ < scratch_ * REDUCE_MANY_SHORT_) scratch_ /= 2;
    const unsigned most_ = of_row_ == 0 ? threads_ : (unsigned)((scratch_ - 15) / of_row_);
    return reduce_whole_rounds_(most_ > 0 ? most_ : 1, threads_ >> (rows_->bits_ + rows_->warp_bits_));
}

/* Shares short rows among blocks of so many threads, and those of a block among these. */
REDUCE_HOST_ void reduce_share_short_rows_(struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_,
                                           unsigned threads_, bool are_few_) {
    const size_t strands_ = reduce_divide_up_(rows_->n, REDUCE_POSITIONS(facts_.size_));
    rows_->bits_ = reduce_bits_for_(strands_);
    rows_->is_staged_ = !reduce_suit_registers_(rows_, facts_, strands_, are_few_);
    if (rows_->is_staged_) {
        reduce_share_staged_strands_(rows_, facts_, strands_);
        rows_->span_ = reduce_staged_rows_of_block_(rows_, facts_, threads_);
    } else {
        rows_->span_ = (unsigned)(facts_.at_once_ * threads_ >> rows_->bits_);
    }
}

/* The grid of a launch. */
struct reduce_grid_ { unsigned blocks_, threads_; };

/* The grid of the kernels of little code. */
REDUCE_HOST_ struct reduce_grid_ reduce_grid_of_few_(struct reduce_rows_ *rows_, enum reduce_rows_way_ way_,
                                                     struct reduce_row_facts_ facts_) {
    const size_t positions_ = REDUCE_POSITIONS(facts_.size_);
    const size_t strands_ = reduce_divide_up_(rows_->n, positions_);
    struct reduce_grid_ grid_ = {(unsigned)rows_->rows_, REDUCE_ROW_THREADS_};
    size_t threads_ = rows_->rows_;
    rows_->bits_ = strands_ <= REDUCE_WARP ? reduce_bits_for_(strands_) : 5;
    if (way_ == REDUCE_STRIPE_ROWS_) {
        grid_.threads_ = (unsigned)reduce_divide_up_(strands_, REDUCE_WARP) * REDUCE_WARP;
        return grid_;
    }
    if (way_ == REDUCE_GRID_ROWS_) {
        grid_.blocks_ = rows_->count_;
        grid_.threads_ = reduce_block_size_(rows_->n, facts_.size_, facts_.is_dense_);
        return grid_;
    }
    if (way_ == REDUCE_WORD_ROWS_) threads_ = reduce_divide_up_(rows_->rows_, positions_ / rows_->n);
    if (way_ >= REDUCE_ONE_LOAD_ROWS_) threads_ <<= rows_->bits_;
    grid_.blocks_ = (unsigned)reduce_divide_up_(threads_, grid_.threads_);
    return grid_;
}

/* The grid of a way; it completes the plan in rows. */
REDUCE_HOST_ struct reduce_grid_ reduce_grid_of_rows_(struct reduce_rows_ *rows_, enum reduce_rows_way_ way_,
                                                      struct reduce_row_facts_ facts_) {
    const size_t warps_ = REDUCE_ROW_THREADS_ / REDUCE_WARP;
    struct reduce_grid_ grid_ = {(unsigned)rows_->rows_, REDUCE_ROW_THREADS_};
    if (way_ >= REDUCE_THREAD_ROWS_) return reduce_grid_of_few_(rows_, way_, facts_);
    if (way_ == REDUCE_SHORT_ROWS_) {
        const size_t few_ = (size_t)REDUCE_MANY_WARPS_ * REDUCE_WARP * REDUCE_SCRATCH_BYTES_;
        const bool are_few_ = reduce_bytes_of_rows_(rows_, facts_) < few_;
        grid_.threads_ = are_few_ ? 2 * REDUCE_WARP : REDUCE_SHORT_THREADS_;
        reduce_share_short_rows_(rows_, facts_, grid_.threads_, are_few_);
        grid_.blocks_ = (unsigned)reduce_divide_up_(rows_->rows_, rows_->span_);
    } else if (way_ == REDUCE_WARP_ROWS_) {
        grid_.blocks_ = (unsigned)reduce_divide_up_(rows_->rows_, warps_);
    } else if (way_ == REDUCE_BLOCK_ROWS_) {
        grid_.threads_ = (unsigned)reduce_warps_of_row_(rows_, facts_) * REDUCE_WARP;
    } else {
        grid_.threads_ = REDUCE_STRANDS;
        rows_->span_ = reduce_span_of_(rows_, way_);
        grid_.blocks_ = (unsigned)reduce_divide_up_(rows_->items_, rows_->span_);
    }
    return grid_;
}

#endif /* REDUCE_ROWS_PLAN_CUH */
