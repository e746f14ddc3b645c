/*
 * reduce_columns_plan.cuh: the host shares columns among threads and blocks; a part of reduce_columns.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce_columns.cuh lists the ways of columns, and includes this file. NAME_plan_columns_ and
 * NAME_choose_brief_ there call what is here.
 */
#ifndef REDUCE_COLUMNS_CUH
#include "reduce_rows.cuh"
#elif !defined REDUCE_COLUMNS_PLAN_CUH
#define REDUCE_COLUMNS_PLAN_CUH

/* ---- The plan of columns ---- */

/* Thresholds of the plan, measured on one large GPU. Columns are split into more parts until these make
   enough blocks or threads. */
#define REDUCE_ENOUGH_BLOCKS_ 256                /* blocks of flat columns: all run at once */
#define REDUCE_ENOUGH_THREADS_ ((size_t)1 << 17) /* threads of other columns */
#define REDUCE_MOST_COMBED_ 144                  /* columns of combs, at most */
#ifndef REDUCE_COLUMN_WAVE_
#define REDUCE_COLUMN_WAVE_ (2 * REDUCE_SMS_) /* blocks of columns that run at once; tests define fewer */
#endif

/* Splits that the threads of a collector fold at a time. Tests define fewer. */
#ifndef REDUCE_SPLITS_OF_BLOCK_
#define REDUCE_SPLITS_OF_BLOCK_ REDUCE_COLUMN_THREADS_
#endif

/* Columns of one chunk whose order cannot show get no more leaves than keep enough threads busy, each with
   2^some. In the tree's order many of their leaves have one element or none, and joining them would take most
   of the time. Columns that ways without gaps may take keep the tree's leaves. */
#ifndef REDUCE_THIN_THREADS_
#define REDUCE_THIN_THREADS_ REDUCE_ENOUGH_THREADS_ /* tests define fewer */
#endif
REDUCE_HOST_ void reduce_thin_leaves_(struct reduce_columns_ *columns_, size_t width_, int some_) {
    struct reduce_column_ *const tree_ = &columns_->tree_;
    const size_t threads_ = reduce_divide_up_(columns_->columns_, width_) * columns_->outer_;
    int bits_ = reduce_order_bits_(tree_->leaves_);
    if (tree_->count_ > 1 || columns_->columns_ <= REDUCE_MOST_COMBED_) return;
    while (bits_ > some_ && threads_ << (bits_ - 1 - some_) >= REDUCE_THIN_THREADS_) bits_--;
    if (bits_ == reduce_order_bits_(tree_->leaves_)) return;
    tree_->leaves_ = reduce_order_of_((size_t)1 << bits_, 1);
    tree_->stripe_ = 1u << bits_;
    reduce_find_leaves_(tree_, columns_->pitch_);
}

/* Cuts the leaves into parts: first as many as a block has rows of threads, then splits among blocks, as
   long as there are slots. Each thread has at least as many leaves as it walks together. */
REDUCE_HOST_ void reduce_part_columns_(struct reduce_columns_ *columns_, int leaf_bits_, size_t enough_,
                                       size_t slots_) {
    const int chunk_bits_ = reduce_order_bits_(columns_->tree_.chunks_);
    const bool by_block_ = columns_->by_block_;
    const size_t all_ = columns_->tiles_ * columns_->outer_ * columns_->across_;
    const size_t results_ = columns_->columns_ * columns_->outer_;
    const size_t strands_ = (size_t)1 << chunk_bits_, used_ = REDUCE_MIN_(columns_->tree_.count_, strands_);
    int parts_ = 0, rows_ = 0; /* as bits */
    while (parts_ < chunk_bits_ + leaf_bits_ && (all_ * used_ << parts_) / strands_ < enough_)
        parts_++;
    while (columns_->across_ << (rows_ + 1) <= REDUCE_COLUMN_THREADS_) rows_++;
    columns_->down_ = REDUCE_MIN_(REDUCE_MIN_(parts_, rows_), by_block_ ? leaf_bits_ : parts_);
    columns_->splits_ = REDUCE_MIN_(parts_ - columns_->down_, by_block_ ? chunk_bits_ : parts_);
    while (columns_->splits_ > 0 && (results_ << columns_->splits_ > slots_ ||
                                     REDUCE_COLUMN_THREADS_ < 1u << columns_->splits_))
        columns_->splits_--;
}

/* For columns of one chunk: the most rows that a thread has in a block whose first of the tree's warps is
   number k. The first row of threads has the most of the last stripe. */
REDUCE_HOST_ size_t reduce_rows_from_warp_(const struct reduce_columns_ *columns_, unsigned k) {
    const struct reduce_column_ *const tree_ = &columns_->tree_;
    const int bits_ = columns_->splits_ + columns_->down_;
    const int by_warps_ = REDUCE_MIN_(bits_, tree_->leaves_.warps_);
    const size_t warp_ = (size_t)REDUCE_WARP << tree_->leaves_.positions_, last_ = tree_->n % tree_->stripe_;
    const size_t rest_ = last_ > k * warp_ ? last_ - k * warp_ : 0, apart_ = warp_ << by_warps_;
    const size_t of_last_ = rest_ / apart_ * warp_ + REDUCE_MIN_(rest_ % apart_, warp_);
    return ((tree_->n - last_) >> bits_) + reduce_divide_up_(of_last_, (size_t)1 << (bits_ - by_warps_));
}

/* How long all blocks take, in rows: waves of blocks follow each other, and the longest block ends last. */
REDUCE_HOST_ size_t reduce_time_of_splits_(const struct reduce_columns_ *columns_, size_t waves_) {
    const unsigned splits_ = 1u << REDUCE_MIN_(columns_->splits_, columns_->tree_.leaves_.warps_);
    size_t all_ = 0;
    for (unsigned k = 0; k < splits_; k++) all_ += reduce_rows_from_warp_(columns_, k);
    return reduce_rows_from_warp_(columns_, 0) + (waves_ - 1) * all_ / splits_;
}

/* Halves the number of parts of columns of one chunk as long as blocks nearly fill a wave, and all of them
   together take no longer. For several waves they have to take a tenth less (measured). */
REDUCE_HOST_ void reduce_halve_parts_(struct reduce_columns_ *columns_) {
    const size_t threads_ = columns_->tiles_ * columns_->outer_ * columns_->across_;
    const size_t wave_ = REDUCE_COLUMN_WAVE_ * REDUCE_COLUMN_THREADS_;
    while (columns_->tree_.count_ == 1 && columns_->down_ > 0) {
        struct reduce_columns_ half_ = *columns_;
        if (half_.splits_ > 0)
            half_.splits_--;
        else
            half_.down_--;
        const size_t left_ = threads_ << (half_.splits_ + half_.down_);
        if (left_ < wave_ / 8 * 7) return;
        const size_t few_ = reduce_divide_up_(left_, wave_);
        const size_t own_ = reduce_time_of_splits_(columns_, reduce_divide_up_(2 * left_, wave_));
        const size_t time_ = reduce_time_of_splits_(&half_, few_);
        if ((few_ > 1 ? time_ / 10 * 11 : time_) > own_) return;
        *columns_ = half_;
    }
}

/* Shares columns in tiles of no more than `most` threads. Rows of less than a warp of threads are not cut to
   fit, so that none lies in two warps: the last tile has columns of the one before instead (measured). */
REDUCE_HOST_ void reduce_share_tiles_(struct reduce_columns_ *columns_, unsigned most_, unsigned width_,
                                      int together_, size_t enough_, size_t slots_) {
    const int leaf_bits_ = reduce_order_bits_(columns_->tree_.leaves_) - together_;
    const size_t tiles_ = reduce_divide_up_(columns_->columns_, most_ * width_);
    const bool are_whole_ = most_ < REDUCE_WARP && tiles_ > 1;
    columns_->across_ = are_whole_ ? most_ : (unsigned)reduce_divide_up_(columns_->columns_, tiles_ * width_);
    columns_->tile_ = columns_->across_ * width_;
    columns_->tiles_ = reduce_divide_up_(columns_->columns_, columns_->tile_);
    reduce_part_columns_(columns_, leaf_bits_ > 0 ? leaf_bits_ : 0, enough_, slots_);
    reduce_halve_parts_(columns_);
    const size_t of_block_ = REDUCE_COLUMN_THREADS_ / (columns_->across_ << columns_->down_);
    columns_->tiles_of_block_ = (unsigned)REDUCE_MIN_(of_block_, columns_->tiles_ * columns_->outer_);
}

/* Blocks for all tiles, each with all of their leaves. */
REDUCE_HOST_ size_t reduce_blocks_of_tiles_(const struct reduce_columns_ *columns_) {
    return columns_->tiles_ * columns_->outer_ / columns_->tiles_of_block_;
}

/* Whether the second wave of blocks would be far from full. Blocks without a chunk do not count. */
REDUCE_HOST_ bool reduce_waste_second_wave_(const struct reduce_columns_ *columns_) {
    const struct reduce_column_ *const tree_ = &columns_->tree_;
    const size_t all_ = reduce_blocks_of_tiles_(columns_);
    const size_t strands_ = (size_t)1 << reduce_order_bits_(tree_->chunks_);
    if (tree_->n == 0 || all_ >= 2 * REDUCE_COLUMN_WAVE_) return false;
    const size_t chunks_ = (tree_->n + tree_->chunk_ * 3 / 4) / tree_->chunk_; /* but for a small last one */
    const size_t blocks_ = ((all_ << columns_->splits_) * REDUCE_MIN_(chunks_, strands_)) / strands_;
    return blocks_ > REDUCE_COLUMN_WAVE_ && blocks_ < REDUCE_COLUMN_WAVE_ * 5 / 3;
}

/* Whether each block of a tile has several strands of chunks, and some have one more than others, so that
   rows of threads that share chunks would wait for others (measured). */
REDUCE_HOST_ bool reduce_share_unevenly_(const struct reduce_columns_ *columns_) {
    const struct reduce_column_ *const tree_ = &columns_->tree_;
    const size_t strands_ = (size_t)1 << reduce_order_bits_(tree_->chunks_);
    const size_t parts_ = (size_t)1 << columns_->splits_, count_ = tree_->count_;
    const size_t most_ = reduce_divide_up_(count_, parts_) * parts_; /* if all had as many as the first */
    return parts_ > 1 && parts_ < strands_ && count_ <= REDUCE_STRANDS && 16 * most_ > 17 * count_ &&
           reduce_blocks_of_tiles_(columns_) * parts_ < 4 * REDUCE_COLUMN_WAVE_;
}

/* Whether columns have so few splits, for lack of slots, that blocks fill half of a wave at most. */
REDUCE_HOST_ bool reduce_lack_slots_(const struct reduce_columns_ *columns_, size_t slots_) {
    const size_t blocks_ = reduce_blocks_of_tiles_(columns_) << columns_->splits_;
    return 2 * blocks_ <= REDUCE_COLUMN_WAVE_ &&
           (columns_->columns_ * columns_->outer_) << (columns_->splits_ + 1) > slots_;
}

/* Shares columns that are not flat. Smaller blocks than at first end together more often (measured). */
REDUCE_HOST_ void reduce_share_columns_(struct reduce_columns_ *columns_, unsigned width_, int together_,
                                        size_t slots_) {
    columns_->by_block_ = columns_->tree_.count_ > REDUCE_STRANDS;
    reduce_share_tiles_(columns_, REDUCE_WARP, width_, together_, REDUCE_ENOUGH_THREADS_, slots_);
    const bool is_uneven_ = reduce_share_unevenly_(columns_), has_few_ = reduce_lack_slots_(columns_, slots_);
    if (!is_uneven_ && !has_few_ && !reduce_waste_second_wave_(columns_)) return;
    columns_->by_block_ = columns_->by_block_ || is_uneven_;
    reduce_share_tiles_(columns_, REDUCE_WARP / 2, width_, together_, 2 * REDUCE_ENOUGH_THREADS_, slots_);
}

/* Blocks for flat columns: more where some blocks would have three chunks and others two, or a few two and
   the others one. */
REDUCE_HOST_ size_t reduce_enough_blocks_(const struct reduce_columns_ *columns_) {
    const size_t chunks_ = columns_->tree_.count_ * columns_->outer_, some_ = REDUCE_ENOUGH_BLOCKS_;
    if (chunks_ > 2 * some_ && chunks_ < 3 * some_) return 2 * some_;
    return chunks_ > some_ && chunks_ <= some_ * 11 / 8 ? 4 * some_ : some_;
}

/* Splits of flat columns, as bits: until there are enough blocks, as long as there are slots and a block has
   strands for a quarter of its threads. */
REDUCE_HOST_ int reduce_flat_splits_(const struct reduce_columns_ *columns_, int chunk_bits_,
                                     int strand_bits_, size_t slots_) {
    const int most_ = columns_->tree_.count_ > REDUCE_STRANDS ? chunk_bits_ : chunk_bits_ + strand_bits_;
    const size_t results_ = columns_->columns_ * columns_->outer_, enough_ = reduce_enough_blocks_(columns_);
    const size_t all_ = results_ << (chunk_bits_ + strand_bits_);
    size_t next_ = 2; /* the splits to try next */
    int splits_ = 0;
    while (splits_ < most_ && columns_->outer_ * next_ <= enough_ && results_ * next_ <= slots_ &&
           all_ / next_ >= REDUCE_COLUMN_THREADS_ / 4)
        splits_++, next_ *= 2;
    return splits_;
}

/* Shares flat columns. A thread has `words` words of a stripe, and results of `width` columns. */
REDUCE_HOST_ void reduce_share_flat_(struct reduce_columns_ *columns_, size_t words_, size_t width_,
                                     size_t slots_) {
    const int chunk_bits_ = reduce_order_bits_(columns_->tree_.chunks_);
    const int strand_bits_ = reduce_order_bits_(columns_->tree_.leaves_) - columns_->tree_.leaves_.positions_;
    columns_->tiles_ = columns_->tiles_of_block_ = 1;
    columns_->tile_ = (unsigned)columns_->columns_;
    columns_->is_flat_ = true, columns_->is_wide_ = false;
    columns_->splits_ = reduce_flat_splits_(columns_, chunk_bits_, strand_bits_, slots_);
    const int own_ = strand_bits_ - (columns_->splits_ > chunk_bits_ ? columns_->splits_ - chunk_bits_ : 0);
    const size_t most_words_ = REDUCE_COLUMN_THREADS_ * words_;
    while (columns_->down_ < own_ && columns_->columns_ << (columns_->down_ + 1) <= most_words_)
        columns_->down_++;
    const size_t threads_ = reduce_divide_up_(columns_->columns_ << columns_->down_, words_);
    const size_t least_ = reduce_divide_up_(columns_->columns_, width_);
    columns_->across_ = (unsigned)reduce_divide_up_(threads_ < least_ ? least_ : threads_, REDUCE_WARP);
    columns_->across_ *= REDUCE_WARP;
}

/* Whether the flat way is faster: columns are few and without gaps, and no load takes several of them
   whole. */
REDUCE_HOST_ bool reduce_are_flat_(const struct reduce_columns_ *columns_, unsigned positions_) {
    return columns_->pitch_ == columns_->columns_ && columns_->columns_ <= 16 &&
           columns_->tree_.chunk_ <= REDUCE_FLAT_END_ / columns_->columns_ &&
           (!columns_->is_wide_ || columns_->columns_ <= (positions_ == 2 ? 8 : 4)) &&
           columns_->tree_.n * columns_->columns_ >= (size_t)REDUCE_COLUMN_THREADS_ * positions_;
}

/* Elements of brief columns at most (measured); of those without gaps where FLAT is in the name. Tests define
   fewer. */
#ifndef REDUCE_BRIEF_ELEMENTS_
#define REDUCE_BRIEF_ELEMENTS_ ((size_t)1 << 26)          /* wide of 4 bytes, up to 64 or by loads of 16 */
#define REDUCE_BRIEF_ODD_ELEMENTS_ ((size_t)1 << 24)      /* other wide ones */
#define REDUCE_BRIEF_NARROW_ELEMENTS_ ((size_t)1 << 23)   /* narrow ones */
#define REDUCE_BRIEF_64_ELEMENTS_ ((size_t)3 << 20)       /* narrow ones of 2 or 4 bytes, up to 64 */
#define REDUCE_BRIEF_FLAT_ELEMENTS_ ((size_t)1 << 26)     /* up to 8, whose words have 16 bytes of values */
#define REDUCE_BRIEF_ODD_FLAT_ELEMENTS_ ((size_t)1 << 24) /* up to 8 others */
#define REDUCE_BRIEF_FLAT_9_ELEMENTS_ ((size_t)1 << 26)   /* from 9 columns on */
#define REDUCE_BRIEF_FLAT_21_ELEMENTS_ ((size_t)1 << 20)  /* from 21 columns on */
#define REDUCE_LACKING_ELEMENTS_ ((size_t)3 << 22)        /* from these on few leaves may lack */
#endif
#define REDUCE_FEW_FLAT_ 8 /* columns that are better off without combs (measured) */

/* From how much on combs are faster, and up to how much (measured). Tests define fewer. */
#ifndef REDUCE_COMBED_ELEMENTS_
#define REDUCE_COMBED_ELEMENTS_ ((size_t)1 << 28) /* at most; also of the fewest columns of small elements */
#define REDUCE_COMBED_STRIPES_ 6                  /* stripes of a chunk at least */
#define REDUCE_COMBED_SOME_STRIPES_ 4             /* the same for some columns: reduce_stripes_for_combs_ */
#endif
#define REDUCE_BRIEF_LONE_WAVES_ 64 /* waves of blocks of one warp at most */

#define REDUCE_BRIEF_SPLITS_ 12 /* splits of a tile at most, as bits */
#ifndef REDUCE_COLLECTING_BITS_
#define REDUCE_COLLECTING_BITS_ 9 /* threads of a collector that share a column at most; tests define fewer */
#endif

/* Whether columns have one chunk of more stripes than these (measured), which brief ways would walk with few
   threads. Tests define fewer. */
#ifndef REDUCE_FEW_STRIPES_
#define REDUCE_FEW_STRIPES_ 3
#endif
REDUCE_HOST_ bool reduce_are_lone_(const struct reduce_column_ *tree_) {
    return tree_->count_ == 1 && tree_->n > REDUCE_FEW_STRIPES_ * (size_t)tree_->stripe_;
}

/* Whether brief ways can take columns: up to `most` elements, few outer indices, one chunk to a strand. */
REDUCE_HOST_ bool reduce_fit_brief_(const struct reduce_columns_ *columns_, size_t most_) {
    return columns_->tree_.n <= most_ / columns_->columns_ / columns_->outer_ &&
           columns_->tree_.count_ <= REDUCE_STRANDS && columns_->outer_ <= REDUCE_MOST_IN_Y_;
}

/* Whether columns lack so many of the leaves of a power of two that brief ways, whose warps have these leaves
   in equal parts, are slower than others (measured). */
REDUCE_HOST_ bool reduce_lack_leaves_(const struct reduce_columns_ *columns_, size_t size_) {
    const size_t some_ = size_ < 4 ? REDUCE_LACKING_ELEMENTS_ / 2 : REDUCE_LACKING_ELEMENTS_;
    const size_t many_ = size_ < 4 ? REDUCE_LACKING_ELEMENTS_ : 4 * REDUCE_LACKING_ELEMENTS_;
    const size_t all_ = columns_->tree_.n * columns_->columns_ * columns_->outer_;
    const int bits_ = reduce_order_bits_(columns_->tree_.leaves_);
    const size_t sixteenths_ = all_ < many_ || bits_ > 8 ? 9 : bits_ > 6 ? 13 : 10;
    return all_ >= some_ && columns_->tree_.n * 16 <= sixteenths_ << bits_;
}

/* Whether columns are brief, not too many for numbers of 32 bits, and not few that are narrow or lone. */
REDUCE_HOST_ bool reduce_are_brief_(const struct reduce_columns_ *columns_, size_t size_, size_t load_) {
    const bool are_many_ = size_ == 4 && (load_ == 16 || columns_->columns_ <= 64);
    const bool are_some_ = (size_ == 2 || size_ == 4) && columns_->columns_ <= 2 * REDUCE_WARP;
    const size_t narrow_ = are_some_ ? REDUCE_BRIEF_64_ELEMENTS_ : REDUCE_BRIEF_NARROW_ELEMENTS_;
    const size_t wide_ = are_many_ ? REDUCE_BRIEF_ELEMENTS_ : REDUCE_BRIEF_ODD_ELEMENTS_;
    const size_t most_ = columns_->is_wide_ ? wide_ : narrow_;
    const unsigned few_ = !columns_->is_wide_ ? REDUCE_WARP : reduce_are_lone_(&columns_->tree_) ? 16 : 0;
    return reduce_fit_brief_(columns_, most_) && columns_->pitch_ <= UINT32_MAX &&
           columns_->columns_ > few_ && !(columns_->is_wide_ && reduce_lack_leaves_(columns_, size_));
}

/* Whether columns without gaps lie in chunks of whole warps of strands, and have up to `most` elements. */
REDUCE_HOST_ bool reduce_fit_flat_(const struct reduce_columns_ *columns_, size_t most_) {
    return reduce_fit_brief_(columns_, most_) && columns_->pitch_ == columns_->columns_ &&
           columns_->tree_.n > 0 && columns_->tree_.leaves_.warps_ > 0;
}

/* Whether columns without gaps are brief, if the tree's warps take them. */
REDUCE_HOST_ bool reduce_are_brief_flat_(const struct reduce_columns_ *columns_, size_t size_,
                                         size_t values_size_) {
    const size_t odd_ = columns_->columns_ <= (size_ == 1 ? 6 : 4) ? REDUCE_COMBED_ELEMENTS_
                                                                   : REDUCE_BRIEF_ODD_FLAT_ELEMENTS_;
    const size_t few_ = size_ >= 4 && values_size_ <= 16 ? REDUCE_BRIEF_FLAT_ELEMENTS_ : odd_;
    const size_t some_ = columns_->is_wide_ ? REDUCE_BRIEF_ODD_ELEMENTS_ : REDUCE_BRIEF_FLAT_9_ELEMENTS_;
    return reduce_fit_flat_(columns_, columns_->columns_ > 20 ? REDUCE_BRIEF_FLAT_21_ELEMENTS_
                                      : columns_->columns_ > REDUCE_FEW_FLAT_ ? some_
                                                                              : few_);
}

/* Whether as many wide columns fill rows of threads. */
REDUCE_HOST_ bool reduce_fill_rows_(const struct reduce_columns_ *columns_) {
    return columns_->is_wide_ && (columns_->columns_ & (columns_->columns_ - 1)) == 0;
}

/* The least stripes of a chunk of combs. Some are enough for floats where nearly all strands of chunks have
   one, and one or some for elements of less than 4 bytes. */
REDUCE_HOST_ unsigned reduce_stripes_for_combs_(const struct reduce_columns_ *columns_, size_t size_) {
    const size_t strands_ = (size_t)1 << reduce_order_bits_(columns_->tree_.chunks_);
    const bool are_full_ = columns_->tree_.count_ > strands_ / 8 * 7, is_wide_ = columns_->is_wide_;
    const bool is_one_enough_ = size_ == 1 ? !is_wide_ || columns_->columns_ <= 64
                                           : !is_wide_ && columns_->columns_ <= 40;
    if (size_ == 4 && !is_wide_ && are_full_ && columns_->columns_ <= 72) return REDUCE_COMBED_SOME_STRIPES_;
    if (size_ >= 4 || reduce_fill_rows_(columns_)) return REDUCE_COMBED_STRIPES_;
    return is_one_enough_ ? 1 : REDUCE_COMBED_SOME_STRIPES_;
}

/* Whether combs are to take columns without gaps: more than a few and fewer than many, and of several chunks.
   A chunk is enough for some columns of small elements. */
REDUCE_HOST_ bool reduce_suit_combs_(const struct reduce_columns_ *columns_, size_t size_) {
    const struct reduce_column_ *const tree_ = &columns_->tree_;
    const size_t most_ = size_ > 4 ? 32 : columns_->is_wide_ && size_ > 1 ? 72 : REDUCE_MOST_COMBED_;
    const size_t stripes_ = reduce_divide_up_(tree_->chunk_, (size_t)tree_->stripe_);
    const size_t some_ = size_ > 1 || columns_->is_wide_ ? 20 : 16;
    return columns_->columns_ > REDUCE_FEW_FLAT_ && columns_->columns_ <= most_ &&
           (tree_->count_ > 1 || (size_ < 4 && columns_->columns_ > some_)) &&
           reduce_fit_flat_(columns_, REDUCE_COMBED_ELEMENTS_) &&
           stripes_ >= reduce_stripes_for_combs_(columns_, size_);
}

/* Whether the ways without gaps are tried before those of tiles (measured): for four columns of small
   elements, and for up to 40 columns of bytes. */
REDUCE_HOST_ bool reduce_prefer_flat_(const struct reduce_columns_ *columns_, size_t size_) {
    if (columns_->columns_ <= 4) return size_ < 4;
    return size_ == 1 && columns_->columns_ < 40 && !reduce_fill_rows_(columns_);
}

/* Tiles of brief columns. Wide ones have as many columns as lanes, or fewer if there are fewer; narrow ones
   are alike, and have up to 2^width_bits columns for each lane. */
REDUCE_HOST_ struct reduce_brief_ reduce_brief_of_(const struct reduce_columns_ *columns_, int width_bits_) {
    const size_t all_ = columns_->columns_, most_ = (size_t)REDUCE_WARP << width_bits_;
    const size_t lanes_ = reduce_divide_up_(all_, reduce_divide_up_(all_, most_) * REDUCE_WARP);
    const int bits_ = reduce_bits_for_(REDUCE_MIN_(all_, (size_t)REDUCE_WARP));
    struct reduce_brief_ brief_;
    memset(&brief_, 0, sizeof brief_);
    brief_.tree_ = columns_->tree_;
    brief_.leaf_bits_ = reduce_order_bits_(columns_->tree_.leaves_);
    brief_.columns_ = (unsigned)all_, brief_.results_ = all_ * columns_->outer_;
    brief_.inverse_ = (unsigned)(UINT32_MAX / all_ + 1);
    brief_.pitch_ = (unsigned)columns_->pitch_, brief_.outer_pitch_ = columns_->outer_pitch_;
    brief_.tile_ = columns_->is_wide_ ? 1u << bits_ : (unsigned)lanes_ * REDUCE_WARP;
    brief_.rows_ = columns_->is_wide_ ? 5 + width_bits_ - bits_ : 0;
    return brief_;
}

/* What part of the time of all waves of blocks is work, in per cent, if each of `tiles` tiles has 2^splits
   parts of its chunks or leaves. The last chunk may be short, and the last strands may lack chunks. A chunk
   that is the only one may be short too: a tree of one's own can have such. */
REDUCE_HOST_ size_t reduce_busy_percent_(const struct reduce_column_ *tree_, size_t tiles_, size_t wave_,
                                         int splits_) {
    const int chunk_bits_ = reduce_order_bits_(tree_->chunks_), more_ = splits_ - chunk_bits_;
    const size_t whole_ = tree_->count_ == 1 ? 1 : (tree_->n + tree_->chunk_ * 3 / 4) / tree_->chunk_;
    const size_t chunks_ = REDUCE_MIN_(whole_, (size_t)1 << chunk_bits_);
    const size_t share_ = more_ > 0 ? 1 : reduce_divide_up_(chunks_, (size_t)1 << splits_);
    const size_t work_ = (tiles_ * chunks_) << (more_ > 0 ? more_ : 0);
    const size_t blocks_ = more_ < 0 ? REDUCE_MIN_(tiles_ << splits_, work_) : work_;
    return 100 * work_ / (reduce_divide_up_(blocks_, wave_) * wave_ * share_);
}

/* Splits of each of `tiles` tiles, as bits, up to `most`: so many that three quarters of the time are work,
   or the best that slots allow. */
REDUCE_HOST_ int reduce_brief_splits_(const struct reduce_brief_ *brief_, size_t tiles_, size_t wave_,
                                      int most_, size_t slots_) {
    size_t best_ = 0;
    int splits_ = 0;
    for (int k = 0; k <= most_ && (k == 0 || brief_->results_ <= slots_ >> k) && best_ < 75; k++) {
        const size_t percent_ = reduce_busy_percent_(&brief_->tree_, tiles_, wave_, k);
        if (percent_ > best_) splits_ = k, best_ = percent_;
    }
    return splits_;
}

/* How collectors of 2^bits warps fold splits: 32 columns to a warp, or fewer where so many threads would not
   suffice for the splits. */
REDUCE_HOST_ struct reduce_collectors_ reduce_brief_collectors_(int splits_, int bits_) {
    const int most_ = REDUCE_MIN_(REDUCE_COLLECTING_BITS_, splits_);
    struct reduce_collectors_ of_;
    of_.columns_ = 5; /* 32 columns, one for each lane */
    while (of_.columns_ > 0 && bits_ + 5 - of_.columns_ < most_) of_.columns_--;
    of_.rows_ = REDUCE_MIN_(bits_ + 5 - of_.columns_, most_);
    of_.each_ = splits_ - of_.rows_;
    return of_;
}

/* Shares 2^bits bundles of each tile among the warps of a block, splits, and passes of a warp. Two passes are
   not worth a split. Returns false if other ways are faster. */
REDUCE_HOST_ bool reduce_share_bundles_(struct reduce_brief_ *brief_, int bits_, size_t slots_) {
    const size_t all_ = brief_->results_ / brief_->columns_ *
        reduce_divide_up_(brief_->columns_, (size_t)brief_->tile_);
    const int most_ = reduce_bits_for_(REDUCE_BRIEF_WARPS_);
    brief_->down_ = REDUCE_MIN_(bits_, most_);
    if (brief_->down_ == most_ && all_ >= 2 * REDUCE_COLUMN_WAVE_) brief_->down_--;
    const size_t wave_ = (size_t)REDUCE_COLUMN_WAVE_ << (most_ - brief_->down_);
    brief_->passes_ = bits_ - brief_->down_;
    if (brief_->passes_ > 1)
        brief_->splits_ = reduce_brief_splits_(
            brief_, all_, wave_, REDUCE_MIN_(brief_->passes_, REDUCE_BRIEF_SPLITS_), slots_);
    brief_->passes_ -= brief_->splits_;
    brief_->warps_ = 1u << brief_->down_;
    brief_->collectors_ = reduce_brief_collectors_(brief_->splits_, brief_->down_);
    return brief_->down_ > 0 || all_ < REDUCE_BRIEF_LONE_WAVES_ * REDUCE_COLUMN_WAVE_;
}

/* Blocks of combs at least (measured), as bits, if there are as many combs. Tests define fewer. */
#ifndef REDUCE_BRIEF_FLAT_BITS_
#define REDUCE_BRIEF_FLAT_BITS_ 7
#endif

/* How many combs a block has, as bits. Their columns are at most as many as there is room for. */
REDUCE_HOST_ int reduce_combs_of_block_(const struct reduce_brief_ *brief_, int bits_, unsigned room_) {
    const int warp_bits_ = brief_->tree_.leaves_.warps_, block_bits_ = reduce_bits_for_(REDUCE_BRIEF_WARPS_);
    const int most_ = brief_->is_combed_ ? REDUCE_MIN_(warp_bits_ + REDUCE_COMB_BITS_, block_bits_)
                                         : REDUCE_MIN_(warp_bits_, block_bits_ - 1);
    int down_ = 0;
    while (down_ < most_ && down_ < bits_ - REDUCE_BRIEF_FLAT_BITS_ &&
           brief_->columns_ << (down_ + 1) <= room_)
        down_++;
    return down_;
}

/* Shares of a warp, if there are so many blocks: few where all blocks run at once; else those of one of the
   tree's warps, or if these are many, or combs are no warps, whole rounds of words. */
REDUCE_HOST_ size_t reduce_shares_of_warp_(const struct reduce_brief_ *brief_, size_t blocks_) {
    const size_t rounds_ = reduce_divide_up_(brief_->shares_, REDUCE_SHARES_AT_ONCE_);
    if (blocks_ <= REDUCE_COLUMN_WAVE_) return reduce_divide_up_(brief_->shares_, REDUCE_BRIEF_WARPS_);
    return brief_->columns_ <= REDUCE_FEW_FLAT_ ? brief_->columns_ : rounds_ * REDUCE_BRIEF_WORDS_;
}

/* Makes 2^bits splits of combs, or as many as there are slots for; passes take their place. */
REDUCE_HOST_ void reduce_split_combs_(struct reduce_brief_ *brief_, int bits_, size_t slots_) {
    brief_->splits_ = bits_;
    while (brief_->splits_ > 0 && brief_->results_ > slots_ >> brief_->splits_)
        brief_->splits_--, brief_->passes_++;
}

/* Shares combs. Returns false if a block has no room for a comb, if no block may wait for others and one does
   not suffice, if more than a few columns would need passes over the tree's warps, or if a block has fewer
   threads than there are columns. */
REDUCE_HOST_ bool reduce_share_combs_(struct reduce_brief_ *brief_, unsigned room_, size_t slots_) {
    const struct reduce_column_ *const tree_ = &brief_->tree_;
    const int apart_ = brief_->is_combed_ ? REDUCE_COMB_BITS_ : 0;
    const int comb_bits_ = tree_->leaves_.warps_ + apart_;
    const int bits_ = reduce_order_bits_(tree_->chunks_) + comb_bits_;
    if (brief_->columns_ > room_) return false;
    brief_->down_ = reduce_combs_of_block_(brief_, bits_, room_);
    brief_->shares_ =
        (unsigned)reduce_divide_up_(brief_->columns_ << brief_->down_, (size_t)1 << apart_);
    const size_t outer_ = brief_->results_ / brief_->columns_;
    const size_t blocks_ = (tree_->count_ << (comb_bits_ - brief_->down_)) * outer_;
    brief_->each_ = (unsigned)reduce_shares_of_warp_(brief_, blocks_);
    brief_->warps_ = (unsigned)reduce_divide_up_(brief_->shares_, brief_->each_);
    brief_->tile_ = brief_->columns_;
    if (slots_ == 0 && bits_ > brief_->down_) return false;
    reduce_split_combs_(brief_, bits_ - brief_->down_, slots_);
    brief_->collectors_ =
        reduce_brief_collectors_(brief_->splits_, reduce_bits_for_(brief_->warps_ / 2 + 1));
    return (brief_->passes_ == 0 || brief_->is_combed_ || brief_->columns_ <= REDUCE_FEW_FLAT_) &&
           brief_->columns_ <= brief_->warps_ * REDUCE_WARP;
}

/* The grid of brief columns. */
REDUCE_HOST_ dim3 reduce_brief_grid_(const struct reduce_brief_ *brief_) {
    const size_t tiles_ = reduce_divide_up_(brief_->columns_, brief_->tile_);
    const size_t collectors_ = reduce_divide_up_(brief_->columns_, (size_t)1 << brief_->collectors_.columns_);
    dim3 grid_((unsigned)tiles_, 1u << brief_->splits_, (unsigned)(brief_->results_ / brief_->columns_));
    if (brief_->splits_ > 0) grid_.y += (unsigned)reduce_divide_up_(collectors_, tiles_);
    return grid_;
}

/* The grid of the next launch; columns->blocks gets its blocks without the collectors. */
REDUCE_HOST_ struct reduce_grid_ reduce_columns_grid_(struct reduce_columns_ *columns_, unsigned width_) {
    const size_t tiles_ = columns_->tiles_ * columns_->outer_ - columns_->first_;
    const size_t blocks_ = reduce_divide_up_(tiles_, columns_->tiles_of_block_);
    const size_t results_ = columns_->columns_ * columns_->outer_;
    struct reduce_grid_ grid_;
    grid_.threads_ = columns_->tiles_of_block_ * columns_->across_;
    if (!columns_->is_flat_) grid_.threads_ <<= columns_->down_;
    while (1u << (columns_->splits_ - columns_->each_) > REDUCE_SPLITS_OF_BLOCK_) columns_->each_++;
    const int rows_ = columns_->splits_ - columns_->each_; /* rows of threads of a collector, as bits */
    if (grid_.threads_ < 1u << rows_) grid_.threads_ = 1u << rows_;
    columns_->blocks_ = (unsigned)REDUCE_MIN_(blocks_, REDUCE_MOST_BLOCKS_ >> columns_->splits_)
                        << columns_->splits_;
    grid_.blocks_ = columns_->blocks_;
    const size_t of_collector_ = (grid_.threads_ >> rows_) * width_;
    if (columns_->splits_ > 0) grid_.blocks_ += (unsigned)reduce_divide_up_(results_, of_collector_);
    return grid_;
}

#endif /* REDUCE_COLUMNS_PLAN_CUH */
