/*
 * reduce_brief_columns.cuh: columns of arrays of up to some 2^26 elements; without gaps, of up to 2^28; a
 * part of reduce_columns.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce_columns.cuh says how a column is reduced, and includes this file. Words are those of
 * reduce_rows.cuh.
 */
#ifndef REDUCE_COLUMNS_CUH
#include "reduce_rows.cuh"
#elif !defined REDUCE_BRIEF_COLUMNS_CUH
#define REDUCE_BRIEF_COLUMNS_CUH

/* ---- Brief columns ----
 *
 * Kernels with little code, whose threads take few leaves each. A warp has a tile, and takes bundles of its
 * leaves: in a bundle each row of its threads has a few leaves. The warps of a block have one tile, and
 * bundles that follow each other. blockIdx.y is the block's split, and blockIdx.z the outer index.
 *
 *     Four floats wide, 32 columns, four leaves:
 *                             columns 0-3   4-7   ...  28-31
 *         row of threads 0        t0        t1    ...   t7      leaves 0 to 3
 *         row of threads 1        t8        t9    ...   t15     leaves 8 to 11, by reversed bits
 *         row of threads 2        t16       t17   ...   t23     leaves 4 to 7
 *         row of threads 3        t24       t25   ...   t31     leaves 12 to 15
 *
 * The rows of wide tiles fold by halves of the warp and share that work, so that a lane gets one column's
 * result. Narrow tiles have one row of threads, whose columns lie a warp apart. A warp joins the results of
 * its bundles. Then the warps of a block meet in shared memory, and splits in slots, where collectors wait.
 */

/* Warps of a block at most (measured); tests define fewer. */
#ifndef REDUCE_BRIEF_WARPS_
#define REDUCE_BRIEF_WARPS_ 16
#endif

/* NAME_brief_wide_, NAME_brief_narrow_: leaves that a thread takes together: 64 bytes of accumulators. Small
   results have a register each, and so have elements that narrow loads bring. Wide loads of bytes are so
   small that twice as many leaves are faster (measured). NAME_is_brief_: whether kernels have the registers
   for them. */
#define REDUCE_BRIEF_LAYOUT_(NAME)                                                                          \
    enum {                                                                                                  \
        NAME##_registers_ = sizeof(NAME##_result) < 4 ? 4 : (int)sizeof(NAME##_result),                     \
        NAME##_brief_narrow_ = REDUCE_POWER_(REDUCE_MIN_((int)NAME##_together_,                             \
                                                         64 / (NAME##_width_ * NAME##_registers_))),        \
        NAME##_brief_wide_ = sizeof(NAME##_result) == 1 ? (int)NAME##_together_ : (int)NAME##_brief_narrow_,\
        NAME##_is_brief_ = sizeof(NAME##_result) <= 16,                                                     \
        NAME##_width_bits_ = NAME##_width_ / 2 /* the logarithm of 1, 2 or 4 */                             \
    };

/* How collectors fold the results of splits. */
struct reduce_collectors_ {
    int columns_; /* 2^columns neighbouring lanes have a column each */
    int rows_;    /* 2^rows threads have the same column */
    int each_;    /* each of them folds 2^each splits */
};

/* Brief columns of a launch. Columns without gaps have one tile. */
struct reduce_brief_ {
    struct reduce_column_ tree_; /* of each column */
    unsigned columns_;           /* columns of an outer index */
    unsigned inverse_;           /* 2^32 / columns, rounded up, of more than one column */
    unsigned tile_;              /* columns of a tile */
    unsigned pitch_;             /* elements from an element of a column to the next */
    size_t outer_pitch_;         /* elements from an outer index to the next */
    size_t results_;             /* columns of all outer indices */
    int rows_;                   /* a warp has 2^rows rows of threads */
    int down_;                   /* a block has 2^down warps; without gaps, 2^down combs in a pass */
    int passes_;                 /* a warp has 2^passes bundles; without gaps, a block 2^passes passes */
    int splits_;                 /* 2^splits blocks have the same tile */
    int leaf_bits_;              /* a chunk has 2^leaf_bits leaves */
    struct reduce_collectors_ collectors_;
    unsigned warps_;             /* warps of a block */
    unsigned shares_;            /* without gaps: shares of all combs of a pass */
    unsigned each_;              /* without gaps: shares of a warp */
    bool is_combed_;             /* without gaps: combs are parts of the tree's warps */
};

/* The first column of a block's tile; the index of a column's result. */
REDUCE_DEVICE_ unsigned reduce_brief_column_(const struct reduce_brief_ *brief_) {
    return blockIdx.x * brief_->tile_;
}

REDUCE_DEVICE_ size_t reduce_brief_result_(const struct reduce_brief_ *brief_, unsigned column_) {
    return blockIdx.z * (size_t)brief_->columns_ + column_;
}

/* How many of a thread's `width` columns exist, from the first on. Neighbours exist all or none; others lie a
   warp apart. */
REDUCE_DEVICE_ unsigned reduce_brief_count_(const struct reduce_brief_ *brief_, unsigned first_,
                                            unsigned width_, bool are_neighbours_) {
    unsigned count_ = are_neighbours_ && first_ < brief_->columns_ ? width_ : 0;
    REDUCE_UNROLL_
    for (unsigned l = 0; l < width_ && !are_neighbours_; l++)
        if (l * REDUCE_WARP < brief_->tile_ && first_ + l * REDUCE_WARP < brief_->columns_) count_++;
    return count_;
}

/* struct NAME_columns_here_ NAME_brief_columns_(...): a thread's columns in the block's tile. */
#define REDUCE_BRIEF_COLUMNS_(NAME)                                                                         \
    REDUCE_DEVICE_ struct NAME##_columns_here_ NAME##_brief_columns_(                                       \
        NAME##_input_ in_, const struct reduce_brief_ *brief_, bool is_wide_) {                             \
        const unsigned across_ = is_wide_ ? REDUCE_WARP >> brief_->rows_ : REDUCE_WARP;                     \
        const unsigned own_ = (threadIdx.x & (across_ - 1)) * (is_wide_ ? NAME##_width_ : 1);               \
        struct NAME##_columns_here_ here_;                                                                  \
        memset(&here_, 0, sizeof here_);                                                                    \
        here_.in_ = NAME##_input_at_(in_, blockIdx.z * brief_->outer_pitch_), here_.pitch_ = brief_->pitch_;\
        here_.own_ = reduce_brief_column_(brief_) + own_, here_.apart_ = is_wide_ ? 1 : REDUCE_WARP;        \
        here_.is_wide_ = is_wide_, here_.loads_ = brief_->columns_ > 0;                                     \
        here_.count_ = reduce_brief_count_(brief_, here_.own_, NAME##_width_, is_wide_);                    \
        here_.has_all_ = reduce_brief_column_(brief_) + brief_->tile_ <= brief_->columns_ &&                \
                         (is_wide_ || brief_->tile_ == NAME##_width_ * REDUCE_WARP);                        \
        return here_;                                                                                       \
    }

/* void NAME_fold_rows_(T *x, across): the rows of threads of a warp, of `across` threads each, fold their
   values of each column. They share the work: of four values each quarter of the rows folds one, and a lane
   gets that of one column, in x[0]. */
#define REDUCE_FOLD_ROWS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_fold_rows_(NAME##_result *x, int across_) {                                  \
        const int lane_ = (int)(threadIdx.x % REDUCE_WARP);                                                 \
        int half_ = REDUCE_WARP / 2;                                                                        \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned left_ = NAME##_width_; left_ > 1; left_ /= 2, half_ /= 2)                             \
            NAME##_exchange_halves_(x, left_ / 2, lane_, half_);                                            \
        NAME##_fold_steps_(x, half_, across_);                                                              \
    }

/* The column that a lane has after NAME_fold_rows_, counted from the tile's first; the tile's width if
   another lane has the same. */
REDUCE_DEVICE_ unsigned reduce_column_of_lane_(const struct reduce_brief_ *brief_, int width_bits_) {
    const unsigned lane_ = threadIdx.x % REDUCE_WARP, across_ = REDUCE_WARP >> brief_->rows_;
    const unsigned value_ = lane_ >> (5 - width_bits_), alike_ = (REDUCE_WARP >> width_bits_) - across_;
    return lane_ & alike_ ? brief_->tile_ : ((lane_ & (across_ - 1)) << width_bits_) + value_;
}

/* void NAME_bundle_(T *x, ...): the thread folds its leaves of bundle k of the tile. */
#define REDUCE_BUNDLE_(NAME)                                                                                \
    REDUCE_DEVICE_ void NAME##_bundle_(NAME##_result *x, const struct NAME##_columns_here_ *here_,          \
                                       const struct reduce_brief_ *brief_, unsigned k) {                    \
        const struct reduce_column_ *const tree_ = &brief_->tree_;                                          \
        const unsigned n_ = (unsigned)tree_->n, chunk_ = (unsigned)tree_->chunk_;                           \
        const unsigned row_ =                                                                               \
            reduce_reversed_(threadIdx.x % REDUCE_WARP >> (5 - brief_->rows_), brief_->rows_);              \
        const int leaves_ = here_->is_wide_ ? NAME##_brief_wide_ : NAME##_brief_narrow_;                    \
        const unsigned leaf_ = ((k << brief_->rows_) + row_) * leaves_;                                     \
        const unsigned begin_ = reduce_leaf_(tree_->chunks_, leaf_ >> brief_->leaf_bits_) * chunk_;         \
        NAME##_some_leaves_(x, here_, tree_, begin_, begin_ < n_ ? REDUCE_MIN_(n_ - begin_, chunk_) : 0,    \
                            leaf_ & ((1u << brief_->leaf_bits_) - 1), leaves_);                             \
    }

/* T NAME_fold_warps_(...): folds 2^bits values of shared memory, `apart` apart. */
#define REDUCE_FOLD_WARPS_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_warps_(const NAME##_result *scratch_, unsigned apart_,         \
                                                    int bits_) {                                            \
        const unsigned count_ = 1u << bits_;                                                                \
        NAME##_result values_[REDUCE_BRIEF_WARPS_];                                                         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_BRIEF_WARPS_; s++)                                                  \
            values_[s] = scratch_[s < count_ ? s * apart_ : 0];                                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned step_ = 1; step_ < REDUCE_BRIEF_WARPS_; step_ *= 2)                                   \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned s = 0; s + step_ < REDUCE_BRIEF_WARPS_; s += 2 * step_)                           \
                if (step_ < count_) values_[s] = NAME##_combine(values_[s], values_[s + step_]);            \
        return values_[0];                                                                                  \
    }

/* void NAME_brief_bundles_(T *x, ...): a warp folds and joins its bundles. A lane gets the result of one
   column of a wide tile, or those of its columns of a narrow one. */
#define REDUCE_BRIEF_BUNDLES_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_brief_bundles_(NAME##_result *x, const struct NAME##_columns_here_ *here_,   \
                                              const struct reduce_brief_ *brief_) {                         \
        NAME##_result levels_[REDUCE_LEVELS_][NAME##_width_];                                               \
        const unsigned warp_ = blockIdx.y << brief_->down_ | threadIdx.x / REDUCE_WARP;                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < 1u << brief_->passes_; k++) {                                              \
            NAME##_bundle_(x, here_, brief_, (warp_ << brief_->passes_) + k);                               \
            if (here_->is_wide_) NAME##_fold_rows_(x, REDUCE_WARP >> brief_->rows_);                        \
            if (brief_->passes_ == 0) continue;                                                             \
            if (here_->is_wide_)                                                                            \
                NAME##_join_one_(x, levels_[0], k);                                                         \
            else                                                                                            \
                NAME##_join_(x, levels_, k);                                                                \
        }                                                                                                   \
    }

/* void NAME_deliver_brief_(...): writes a column's result, or that of the block's split to its slot. */
#define REDUCE_DELIVER_BRIEF_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_deliver_brief_(NAME##_result x, unsigned column_,                            \
                                              const struct reduce_brief_ *brief_, reduce_workspace *ws_,    \
                                              NAME##_result *out_) {                                        \
        const size_t result_ = reduce_brief_result_(brief_, column_);                                       \
        if (brief_->splits_ == 0)                                                                           \
            out_[result_] = NAME##_final_(x);                                                               \
        else                                                                                                \
            reduce_publish_(ws_->slots_ + (blockIdx.y * brief_->results_ + result_), &x, sizeof x, 1);      \
    }

/* void NAME_deliver_tile_(const T *own, ...): the first warp folds the warps' values of a tile, and delivers
   its columns: a lane `held` of them, a warp apart, from column `first` of the tile on. */
#define REDUCE_DELIVER_TILE_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_deliver_tile_(const NAME##_result *own_, unsigned first_, unsigned held_,    \
                                             const struct reduce_brief_ *brief_, reduce_workspace *ws_,     \
                                             NAME##_result *out_) {                                         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < held_; l++) {                                                              \
            const unsigned at_ = first_ + l * REDUCE_WARP, column_ = reduce_brief_column_(brief_) + at_;    \
            const NAME##_result x =                                                                         \
                NAME##_fold_warps_(own_ + l * REDUCE_WARP, held_ * REDUCE_WARP, brief_->down_);             \
            if (at_ < brief_->tile_ && column_ < brief_->columns_)                                          \
                NAME##_deliver_brief_(x, column_, brief_, ws_, out_);                                       \
        }                                                                                                   \
    }

/* void NAME_brief_tile_(...): all threads of a block reduce its part of a tile. */
#define REDUCE_BRIEF_TILE_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_brief_tile_(NAME##_input_ in_, const struct reduce_brief_ *brief_,           \
                                           reduce_workspace *ws_, NAME##_result *out_,                      \
                                           NAME##_result *scratch_, bool is_wide_, unsigned held_) {        \
        const struct NAME##_columns_here_ here_ = NAME##_brief_columns_(in_, brief_, is_wide_);             \
        const unsigned lane_ = threadIdx.x % REDUCE_WARP, all_ = held_ * REDUCE_WARP;                       \
        NAME##_result *const own_ = scratch_ + threadIdx.x / REDUCE_WARP * all_ + lane_;                    \
        const unsigned first_ = is_wide_ ? reduce_column_of_lane_(brief_, NAME##_width_bits_) : lane_;      \
        NAME##_result x[NAME##_width_];                                                                     \
        NAME##_brief_bundles_(x, &here_, brief_);                                                           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < held_; l++) own_[l * REDUCE_WARP] = x[l];                                  \
        __syncthreads();                                                                                    \
        if (threadIdx.x < REDUCE_WARP) NAME##_deliver_tile_(own_, first_, held_, brief_, ws_, out_);        \
    }

/* void NAME_wait_for_slot_(T *x, slot): waits for a split's result, and empties its slot. */
#define REDUCE_WAIT_FOR_SLOT_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_wait_for_slot_(NAME##_result *x, reduce_slot_ *slot_) {                      \
        while (!reduce_look_(x, sizeof *x, slot_, 1)) continue;                                             \
        reduce_empty_(slot_, sizeof *x);                                                                    \
    }

/* The column of a thread of a collector. */
REDUCE_DEVICE_ unsigned reduce_collected_column_(const struct reduce_brief_ *brief_) {
    const int bits_ = brief_->collectors_.columns_;
    const unsigned number_ = (blockIdx.y - (1u << brief_->splits_)) * gridDim.x + blockIdx.x;
    return (number_ << bits_) + (threadIdx.x % REDUCE_WARP & ((1u << bits_) - 1));
}

/* T NAME_collect_splits_(...): a thread of a collector folds its splits of a column; row: its number among
   the threads of the column. */
#define REDUCE_COLLECT_SPLITS_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_collect_splits_(const struct reduce_brief_ *brief_,                 \
                                                        reduce_workspace *ws_, unsigned row_,               \
                                                        unsigned column_) {                                 \
        const int each_ = brief_->collectors_.each_;                                                        \
        const size_t result_ = reduce_brief_result_(brief_, column_);                                       \
        NAME##_result x = NAME##_identity(), levels_[REDUCE_LEVELS_];                                       \
        if (row_ >> brief_->collectors_.rows_ != 0 || column_ >= brief_->columns_) return x;                \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < 1u << each_; k++) {                                                        \
            NAME##_wait_for_slot_(&x, ws_->slots_ + (((row_ << each_) + k) * brief_->results_ + result_));  \
            if (each_ > 0) NAME##_join_one_(&x, levels_, k);                                                \
        }                                                                                                   \
        return x;                                                                                           \
    }

/* void NAME_collect_brief_(...): all threads of a collector fold the splits of its columns. */
#define REDUCE_COLLECT_BRIEF_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_collect_brief_(const struct reduce_brief_ *brief_, reduce_workspace *ws_,    \
                                              NAME##_result *out_, NAME##_result *scratch_) {               \
        const struct reduce_collectors_ of_ = brief_->collectors_;                                          \
        const unsigned lane_ = threadIdx.x % REDUCE_WARP, warp_ = threadIdx.x / REDUCE_WARP;                \
        const unsigned column_ = reduce_collected_column_(brief_);                                          \
        const int bits_ = 5 - of_.columns_; /* 2^bits lanes have the same column */                         \
        const unsigned row_ = (warp_ << bits_) + reduce_reversed_(lane_ >> of_.columns_, bits_);            \
        NAME##_result x = NAME##_collect_splits_(brief_, ws_, row_, column_);                               \
        NAME##_fold_steps_(&x, REDUCE_WARP / 2, 1 << of_.columns_);                                         \
        scratch_[threadIdx.x] = x;                                                                          \
        __syncthreads();                                                                                    \
        if (row_ != 0 || column_ >= brief_->columns_) return;                                               \
        x = NAME##_fold_warps_(scratch_ + lane_, REDUCE_WARP, of_.rows_ - bits_);                           \
        out_[reduce_brief_result_(brief_, column_)] = NAME##_final_(x);                                     \
    }

/* The kernels of brief columns. */
#define REDUCE_BRIEF_KERNEL_(NAME, way, is_wide, held)                                                      \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_BRIEF_WARPS_ * REDUCE_WARP, 2)                             \
        NAME##_brief_##way##_kernel_(NAME##_input_ in_, const struct reduce_brief_ brief_,                  \
                                     reduce_workspace *ws_, NAME##_result *out_) {                          \
        __shared__ NAME##_result scratch_[NAME##_is_brief_ ? REDUCE_BRIEF_WARPS_ * held * REDUCE_WARP : 1]; \
        if (!NAME##_is_brief_) return;                                                                      \
        if (blockIdx.y >> brief_.splits_ == 0)                                                              \
            NAME##_brief_tile_(in_, &brief_, ws_, out_, scratch_, is_wide, held);                           \
        else                                                                                                \
            NAME##_collect_brief_(&brief_, ws_, out_, scratch_);                                            \
    }

/* ---- Brief columns without gaps ---------------------------------------------------------------------------
 *
 * A warp of the tree owns rows that follow each other in memory. Its words are cut into shares of 32: as many
 * shares as there are columns. A block takes the shares of a few of the tree's warps of one chunk, and then,
 * in further passes, those of the next ones. Its warps add the words of their shares in place, as flat
 * columns do, of all stripes. Then all values lie in shared memory, and a warp folds, for each of its shares,
 * a column of a warp of the tree.
 *
 * Combs take the place of the tree's warps where columns are many, or elements have less than 4 bytes. A comb
 * is each 2^apart-th strand of a warp of the tree; these strands are its teeth. It has a share for 2^apart
 * columns. For a share, lanes then read neighbouring columns of few strands, which lie in different banks of
 * shared memory. A warp of the tree is a comb with apart = 0. Combs are numbered in the order in which they
 * meet.
 */

#define REDUCE_BRIEF_WORDS_ 2 /* words of a lane in flight together, of as many stripes (measured) */
#define REDUCE_BRIEF_STRIPES_ 2
#define REDUCE_SHARES_AT_ONCE_ (REDUCE_BRIEF_WARPS_ * REDUCE_BRIEF_WORDS_) /* of a block */
#define REDUCE_COMB_BITS_ 3 /* apart, of combs that are not warps of the tree (measured) */

/* Where value k of a block lies in shared memory. After each 128 bytes there is room for 16, so that few
   values of a column lie in the same bank. NAME_spare_: so many values, or those of a word. */
#define REDUCE_SPACED_(NAME, k) ((k) + (k) / (8 * NAME##_spare_) * NAME##_spare_)

/* NAME_shares_: shares of a block at most, whose values fit 32 KiB of shared memory. NAME_of_combs_: results
   of its combs at most: those of as many shares as it has at once, or what fits 4 KiB. NAME_flat_threads_:
   threads for which an SM has registers twice. With fewer registers for elements of less than 4 bytes values
   spill, and with more for others fewer blocks are resident (measured). An SM of sm_75 has room for 1,024. */
#define REDUCE_FLAT_EIGHTHS_(NAME) (NAME##_size_ < 4 || REDUCE_ARCH_ < 800 ? 8 : 9)
#define REDUCE_BRIEF_FLAT_LAYOUT_(NAME)                                                                     \
    enum {                                                                                                  \
        NAME##_values_of_share_ = REDUCE_WARP * NAME##_positions_,                                          \
        NAME##_shares_ = 32768 / (NAME##_values_of_share_ * (int)sizeof(NAME##_result)),                    \
        NAME##_shares_at_once_ = REDUCE_MIN_((int)NAME##_shares_, REDUCE_SHARES_AT_ONCE_),                  \
        NAME##_of_combs_ =                                                                                  \
            REDUCE_MIN_(NAME##_shares_at_once_ << REDUCE_COMB_BITS_, 4096 / (int)sizeof(NAME##_result)),    \
        NAME##_spare_ = 16 % sizeof(NAME##_result) == 0 ? 16 / (int)sizeof(NAME##_result)                   \
                                                        : (int)NAME##_positions_,                           \
        NAME##_flat_threads_ = REDUCE_BRIEF_WARPS_ * REDUCE_WARP * REDUCE_FLAT_EIGHTHS_(NAME) / 8,          \
        NAME##_values_of_shares_ = REDUCE_SPACED_(NAME, NAME##_shares_ * NAME##_values_of_share_)           \
    };

/* k divided by the number of columns. Both are less than 2^16. */
REDUCE_DEVICE_ unsigned reduce_over_columns_(const struct reduce_brief_ *brief_, unsigned k) {
    return (unsigned)((uint64_t)k * brief_->inverse_ >> 32);
}

/* struct reduce_flat_ NAME_flat_of_combs_(...): word k of the block's combs that begin with this number. A
   comb's first leaf is that of its first strand. */
#define REDUCE_FLAT_OF_COMBS_(NAME)                                                                         \
    REDUCE_DEVICE_ struct reduce_flat_ NAME##_flat_of_combs_(const struct reduce_brief_ *brief_,            \
                                                             int apart_, unsigned number_, unsigned k) {    \
        const unsigned columns_ = brief_->columns_, strand_ = reduce_over_columns_(brief_, k);              \
        const struct reduce_order_ leaves_ = brief_->tree_.leaves_;                                         \
        const int teeth_ = 5 - apart_; /* a comb has 2^teeth of them */                                     \
        const unsigned comb_ = number_ + (strand_ >> teeth_), tooth_ = strand_ & ((1u << teeth_) - 1);      \
        struct reduce_flat_ flat_;                                                                          \
        flat_.in_strand_ = (k - strand_ * columns_) * NAME##_positions_;                                    \
        flat_.row_ = reduce_leaf_(leaves_, comb_ << (teeth_ + leaves_.positions_));                         \
        flat_.row_ += (tooth_ << apart_) * NAME##_positions_;                                               \
        flat_.at_ = flat_.row_ * columns_ + flat_.in_strand_;                                               \
        return flat_;                                                                                       \
    }

/* void NAME_choose_words_(...): a lane chooses its words of some shares, from number `share` on. */
#define REDUCE_CHOOSE_WORDS_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_choose_words_(struct NAME##_sweep_ *sweep_,                                  \
                                             const struct reduce_brief_ *brief_, int apart_,                \
                                             unsigned number_, unsigned share_, unsigned end_) {            \
        const struct reduce_flat_ none_ = {REDUCE_FLAT_END_, 0, 0};                                         \
        const unsigned all_ = brief_->columns_ << (5 - apart_ + brief_->down_);                             \
        const unsigned words_ = REDUCE_MIN_(end_ * REDUCE_WARP, all_);                                      \
        unsigned k = share_ * REDUCE_WARP + threadIdx.x % REDUCE_WARP;                                      \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_BRIEF_WORDS_; s++, k += REDUCE_WARP)                                \
            sweep_->of_[s] = k < words_ ? NAME##_flat_of_combs_(brief_, apart_, number_, k) : none_;        \
    }

/* void NAME_sweep_shares_(T *scratch, ...): a warp adds the words of its shares, and stores their values. */
#define REDUCE_SWEEP_SHARES_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_sweep_shares_(NAME##_result *scratch_, const struct NAME##_flat_rows_ *rows_,\
                                             const struct reduce_brief_ *brief_, int apart_,                \
                                             unsigned number_, unsigned share_, unsigned end_) {            \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; share_ < end_; share_ += REDUCE_BRIEF_WORDS_) {                                              \
            struct NAME##_sweep_ sweep_;                                                                    \
            unsigned k = (share_ * REDUCE_WARP + threadIdx.x % REDUCE_WARP) * NAME##_positions_;            \
            NAME##_choose_words_(&sweep_, brief_, apart_, number_, share_, end_);                           \
            NAME##_sweep_chunk_(&sweep_, rows_, REDUCE_BRIEF_WORDS_, REDUCE_BRIEF_STRIPES_);                \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned s = 0; s < REDUCE_BRIEF_WORDS_; s++, k += NAME##_values_of_share_)                \
                if (share_ + s < end_)                                                                      \
                    NAME##_put_word_(scratch_ + REDUCE_SPACED_(NAME, k), sweep_.values_[s]);                \
        }                                                                                                   \
    }

/* void NAME_sweep_own_(T *scratch, ...): a warp sweeps its shares of the block's combs that begin with this
   number, from number share to before end. */
#define REDUCE_SWEEP_OWN_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_sweep_own_(NAME##_result *scratch_, NAME##_input_ in_,                       \
                                          const struct reduce_brief_ *brief_, int apart_,                   \
                                          unsigned number_, unsigned share_, unsigned end_) {               \
        const struct reduce_column_ *const tree_ = &brief_->tree_;                                          \
        const unsigned chunk_ = number_ >> (tree_->leaves_.warps_ + apart_);                                \
        const size_t i = reduce_leaf_(tree_->chunks_, chunk_) * tree_->chunk_;                              \
        in_ = NAME##_input_at_(in_, blockIdx.z * brief_->outer_pitch_);                                     \
        const struct NAME##_flat_rows_ rows_ =                                                              \
            NAME##_flat_rows_of_(in_, brief_->columns_, tree_, REDUCE_MIN_(i, tree_->n));                   \
        NAME##_sweep_shares_(scratch_, &rows_, brief_, apart_, number_, share_, end_);                      \
    }

/* T NAME_fold_teeth_(...): folds a column of a comb, whose strands have the numbers strand and those
   2^apart lanes further on; the first of these lanes gets the result. */
#define REDUCE_FOLD_TEETH_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_teeth_(const NAME##_result *scratch_, unsigned strand_,        \
                                                    unsigned column_, unsigned columns_, int apart_) {      \
        unsigned k = strand_ * NAME##_positions_ * columns_ + column_;                                      \
        NAME##_result values_[NAME##_positions_];                                                           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++, k += columns_)                                     \
            values_[p] = scratch_[REDUCE_SPACED_(NAME, k)];                                                 \
        values_[0] = NAME##_fold_here_(values_, NAME##_positions_);                                         \
        NAME##_fold_steps_(values_, REDUCE_WARP / 2, 1 << apart_);                                          \
        return values_[0];                                                                                  \
    }

/* void NAME_fold_share_(T *of_shares, ...): a warp folds the columns of a share of the block's combs. */
#define REDUCE_FOLD_SHARE_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_fold_share_(NAME##_result *of_shares_, const NAME##_result *scratch_,        \
                                           const struct reduce_brief_ *brief_, int apart_,                  \
                                           unsigned share_) {                                               \
        const unsigned columns_ = brief_->columns_, lane_ = threadIdx.x % REDUCE_WARP;                      \
        const unsigned own_ = (share_ << apart_) + (lane_ & ((1u << apart_) - 1));                          \
        const bool is_there_ = own_ < columns_ << brief_->down_;                                            \
        const unsigned comb_ = reduce_over_columns_(brief_, own_), tooth_ = lane_ >> apart_;                \
        const unsigned strand_ = is_there_ ? (comb_ << (5 - apart_)) + tooth_ : 0;                          \
        const NAME##_result x =                                                                             \
            NAME##_fold_teeth_(scratch_, strand_, own_ - comb_ * columns_, columns_, apart_);               \
        if (is_there_ && tooth_ == 0) of_shares_[own_] = x;                                                 \
    }

/* void NAME_fold_shares_(T *of_shares, ...): a warp sweeps its shares of the combs that begin with this
   number, and folds as many. */
#define REDUCE_FOLD_SHARES_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_fold_shares_(NAME##_result *of_shares_, NAME##_result *scratch_,             \
                                            NAME##_input_ in_, const struct reduce_brief_ *brief_,          \
                                            int apart_, unsigned number_) {                                 \
        const unsigned first_ = threadIdx.x / REDUCE_WARP * brief_->each_;                                  \
        const unsigned end_ = REDUCE_MIN_(first_ + brief_->each_, brief_->shares_);                         \
        NAME##_sweep_own_(scratch_, in_, brief_, apart_, number_, first_, end_);                            \
        if (apart_ == 0 && brief_->each_ == brief_->columns_)                                               \
            __syncwarp(); /* these are the columns whose words the warp has */                              \
        else                                                                                                \
            __syncthreads();                                                                                \
        for (unsigned k = first_; k < end_; k++)                                                            \
            NAME##_fold_share_(of_shares_, scratch_, brief_, apart_, k);                                    \
    }

/* void NAME_fold_pass_(T *of_shares, ...): all threads of a block fold the shares of pass k. */
#define REDUCE_FOLD_PASS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_fold_pass_(NAME##_result *of_shares_, NAME##_result *scratch_,               \
                                          NAME##_input_ in_, const struct reduce_brief_ *brief_,            \
                                          int apart_, unsigned k) {                                         \
        const unsigned number_ = (blockIdx.y << brief_->passes_ | k) << brief_->down_;                      \
        NAME##_fold_shares_(of_shares_, scratch_, in_, brief_, apart_, number_);                            \
        __syncthreads();                                                                                    \
    }

/* void NAME_brief_flat_(...): all threads of a block fold its passes, and deliver the columns. of_shares has
   room for the results of a pass; of two passes in turn, where warps need not wait for each other. */
#define REDUCE_BRIEF_FLAT_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_brief_flat_(NAME##_input_ in_, const struct reduce_brief_ *brief_,           \
                                           int apart_, reduce_workspace *ws_, NAME##_result *out_,          \
                                           NAME##_result *scratch_, NAME##_result *of_shares_) {            \
        const unsigned room_ = apart_ == 0 ? NAME##_shares_ : 0, own_ = threadIdx.x;                        \
        NAME##_result x = NAME##_identity(), levels_[REDUCE_LEVELS_];                                       \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < 1u << brief_->passes_; k++) {                                              \
            NAME##_result *const of_pass_ = of_shares_ + (k & 1) * room_;                                   \
            NAME##_fold_pass_(of_pass_, scratch_, in_, brief_, apart_, k);                                  \
            if (own_ >= brief_->columns_) continue;                                                         \
            x = NAME##_fold_warps_(of_pass_ + own_, brief_->columns_, brief_->down_);                       \
            if (brief_->passes_ > 0) NAME##_join_one_(&x, levels_, k);                                      \
        }                                                                                                   \
        if (own_ < brief_->columns_) NAME##_deliver_brief_(x, own_, brief_, ws_, out_);                     \
    }

/* The kernels of brief columns without gaps. */
#define REDUCE_BRIEF_FLAT_KERNEL_(NAME, way, apart, room)                                                   \
    REDUCE_GLOBAL_ void __launch_bounds__(NAME##_flat_threads_, 2)                                          \
        NAME##_brief_##way##_kernel_(NAME##_input_ in_, const struct reduce_brief_ brief_,                  \
                                     reduce_workspace *ws_, NAME##_result *out_) {                          \
        __shared__ NAME##_result of_shares_[room];                                                          \
        __shared__ NAME##_result scratch_[NAME##_is_flat_ ? NAME##_values_of_shares_ : 1]                   \
            REDUCE_IN_WORDS_(NAME);                                                                         \
        if (!NAME##_is_flat_) return;                                                                       \
        if (blockIdx.y >> brief_.splits_ == 0)                                                              \
            NAME##_brief_flat_(in_, &brief_, apart, ws_, out_, scratch_, of_shares_);                       \
        else                                                                                                \
            NAME##_collect_brief_(&brief_, ws_, out_, scratch_);                                            \
    }

#endif /* REDUCE_BRIEF_COLUMNS_CUH */
