/*
 * reduce_columns.cuh: columns and axes of matrices and tensors, a part of reduce_rows.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce_rows.cuh has the manual, and includes this file. With REDUCE_NO_COLUMNS a NAME still has the
 * functions for leaves: in a block of less than 32 threads NAME_block_range reduces its range as a column.
 */
#ifndef REDUCE_COLUMNS_CUH
#define REDUCE_COLUMNS_CUH

#include "reduce_rows.cuh"

/* ---- How this file is organised ---------------------------------------------------------------------------
 *
 * The tree is each column's own, as reduce.cuh describes it under "The tree". This file decides which thread
 * visits which leaves, and in which order. Words are those of reduce_rows.cuh. The parts:
 *
 *     The order of a column, On the CPU            plain functions, and generators for the CPU
 *     Columns                                      a launch's columns, their parts, and a thread's columns
 *     Cells, Values of columns, Leaves             from an element to the leaves of a part
 *     (reduce_flat_columns.cuh)                    words of columns without gaps
 *     Tiles                                        the kernels of both
 *     (reduce_brief_columns.cuh)                   columns of smaller arrays, with their kernels
 *     (reduce_columns_plan.cuh), Launches of ...   the host chooses a way, and launches it
 *     What a NAME gets                             the generators, in their order
 *
 * NAME_choose_brief_ and NAME_plan_columns_ choose.
 *
 *     way              shapes that it takes                         idea
 *     ---------------  -------------------------------------------  -----------------------------------------
 *     flat             up to 16 columns without gaps, aligned       a block adds the words of some strands in
 *                                                                   place, whatever columns they belong to
 *     of few, of some  up to 8 leaves in one chunk                  a thread has all leaves of its columns
 *     brief            up to 2^23 elements, wide ones up to 2^26    warps take bundles of few leaves
 *                      (REDUCE_BRIEF_..._ELEMENTS_); not many
 *                      that lack leaves (reduce_lack_leaves_)
 *     brief flat,      columns without gaps, aligned: up to 20, or  warps add the words of warps of the tree,
 *     combed           more in 2^20 elements; up to 144, of up to   or of combs, in place
 *                      2^28 elements (reduce_suit_combs_)
 *     wide             addresses suit loads of `width` columns      threads share columns, then leaves, then
 *     narrow           all others                                   chunks; a load has one column in `narrow`
 *
 *     A leaf is one position of one strand. A thread visits the leaves of its columns in the order in which
 *     the tree joins them, and keeps one partial result for each level. For V = 2 and 4 strands:
 *
 *         leaf number      0   1   2   3   4   5   6   7
 *         row in stripe    0   1   4   5   2   3   6   7       (reduce_leaf_)
 *         level 0           \ /     \ /     \ /     \ /        positions
 *         level 1             \     /         \     /          strands 0 and 2, 1 and 3
 *         level 2                \                /            strands 0 and 1
 *
 *     Threads of a block, and blocks, share the columns (across) and the leaves (down, splits):
 *
 *                             columns 0-3   4-7   8-11 ...         a tile: `across` threads with `width` each
 *         row of threads 0        t0        t1     t2  ...         one of 2^down parts of the block's leaves
 *         row of threads 1        t8        t9     t10 ...         another; rows of threads fold by halves
 *         2^splits blocks have the same columns and other parts of the leaves; further blocks, the
 *         collectors, wait for their results and fold them.
 */

/* ---- The order of a column --------------------------------------------------------------------------------
 *
 * The fold of k values first combines those whose indices differ in their highest bit, last those that differ
 * in their lowest. So values meet in the order of indices whose bits are reversed. A thread that visits them
 * in that order needs one partial result for each level, as a binary counter has digits. A leaf is one
 * position of one strand. Its number in this order has the position's bits reversed, then those of the strand
 * in its tree's warp, then those of the tree's warp.
 */

#define REDUCE_LEAVES_ 8 /* leaves that a thread of columns walks together at most */

/* An order of leaves: how many bits of a leaf's number are the number of what. */
struct reduce_order_ {
    int positions_; /* of a position in its strand */
    int strands_;   /* of a strand in its tree's warp */
    int warps_;     /* of the tree's warp */
};

/* The order of the leaves of count strands, each with as many positions. */
REDUCE_BOTH_ struct reduce_order_ reduce_order_of_(size_t count_, int positions_) {
    struct reduce_order_ order_;
    order_.positions_ = reduce_bits_for_((size_t)positions_);
    order_.strands_ = 5;
    order_.warps_ = 0;
    if (count_ <= REDUCE_WARP) order_.strands_ = reduce_bits_for_(count_);
    if (count_ > REDUCE_WARP) order_.warps_ = reduce_bits_for_(reduce_divide_up_(count_, REDUCE_WARP));
    return order_;
}

REDUCE_BOTH_ int reduce_order_bits_(struct reduce_order_ order_) {
    return order_.positions_ + order_.strands_ + order_.warps_;
}

/* k with its lowest bits in reverse order. */
REDUCE_BOTH_ unsigned reduce_reversed_(unsigned k, int bits_) {
    unsigned reversed_ = 0;
#ifdef __CUDA_ARCH__
    reversed_ = (unsigned)(((unsigned long long)__brev(k)) >> (32 - bits_));
#else
    for (int b_ = 0; b_ < bits_; b_++) reversed_ |= (k >> b_ & 1) << (bits_ - 1 - b_);
#endif
    return reversed_;
}

/* The element that is leaf k, counted from the beginning of a stripe. Reversed as a whole, k has the position
   on top, then the strand, then the tree's warp. */
REDUCE_BOTH_ unsigned reduce_leaf_(struct reduce_order_ order_, unsigned k) {
    const unsigned reversed_ = reduce_reversed_(k, reduce_order_bits_(order_));
    const unsigned above_ = reversed_ >> order_.warps_, warp_ = reversed_ & ((1u << order_.warps_) - 1);
    const unsigned position_ = above_ >> order_.strands_, strand_ = above_ & ((1u << order_.strands_) - 1);
    return ((warp_ * REDUCE_WARP + strand_) << order_.positions_) + position_;
}

/* The tree of each column. Of positions that a column of few elements lacks, at most four are leaves: they
   would change nothing. */
struct reduce_column_ {
    size_t n;                        /* elements of a column */
    size_t chunk_;                   /* elements of a chunk */
    size_t count_;                   /* chunks */
    unsigned stripe_;                /* elements of a stripe */
    unsigned apart_[REDUCE_LEAVES_]; /* rows from the first leaf to these; UINT32_MAX if there is none */
    size_t away_[REDUCE_LEAVES_];    /* elements from the first leaf to these, in memory */
    struct reduce_order_ leaves_;    /* the order of the leaves of a chunk */
    struct reduce_order_ chunks_;    /* the order of the chunks' strands */
};

/* Finds the first leaves of the tree's order. */
REDUCE_BOTH_ void reduce_find_leaves_(struct reduce_column_ *column_, size_t pitch_) {
    for (unsigned k = 0; k < REDUCE_LEAVES_; k++) {
        const bool exists_ = k < 1u << reduce_order_bits_(column_->leaves_);
        column_->apart_[k] = exists_ ? reduce_leaf_(column_->leaves_, k) : UINT32_MAX;
        column_->away_[k] = exists_ ? column_->apart_[k] * pitch_ : 0;
    }
}

REDUCE_BOTH_ struct reduce_column_ reduce_column_of_(size_t n, size_t element_size_, size_t pitch_) {
    const struct reduce_cut_ cut_ = reduce_cut_(n, element_size_);
    const int positions_ = REDUCE_POSITIONS(element_size_);
    const size_t strands_ = reduce_divide_up_(cut_.chunk_, (size_t)positions_);
    const size_t used_ = REDUCE_MIN_(n < 4 ? 4 : n, (size_t)positions_);
    struct reduce_column_ column_;
    column_.n = n;
    column_.chunk_ = cut_.chunk_;
    column_.count_ = cut_.count_;
    column_.stripe_ = (unsigned)(REDUCE_STRANDS * positions_);
    column_.leaves_ = reduce_order_of_(REDUCE_MIN_(strands_, (size_t)REDUCE_STRANDS), (int)used_);
    column_.chunks_ = reduce_order_of_(REDUCE_MIN_(cut_.count_, (size_t)REDUCE_STRANDS), 1);
    reduce_find_leaves_(&column_, pitch_);
    return column_;
}

/* Levels of partial results at most: of the leaves of a chunk, and of the chunks' strands. */
#define REDUCE_LEVELS_ 14

/* ---- On the CPU ---------------------------------------------------------------------------------------- */

/* Columns that the CPU reduces together. */
#define REDUCE_TILE_OF_COLUMNS_ ((size_t)64)

/* const T *NAME_cpu_map_row_(...): maps element k of each of some neighbouring columns into the buffer and
   returns it. The first of them is in[i]. */
#define REDUCE_CPU_MAP_ROW_(NAME)                                                                           \
    REDUCE_HOST_ const NAME##_result *NAME##_cpu_map_row_(NAME##_result *buffer_, NAME##_input_ in_,        \
                                                          size_t i, size_t k, size_t columns_) {            \
        for (size_t l = 0; l < columns_; l++) buffer_[l] = NAME##_cpu_operand_at_(in_, i + l, k);           \
        REDUCE_HIDE_VALUES_(buffer_);                                                                       \
        return buffer_;                                                                                     \
    }

/* The same operands, without a copy where elements are the operands. */
#define REDUCE_CPU_ROW_(NAME, buffer, in, i, k, columns)                                                    \
    (NAME##_is_mapped_ ? NAME##_cpu_map_row_(buffer, in, i, k, columns)                                     \
                       : (const NAME##_result *)(const void *)((in).in_ + (i)))

/* void NAME_cpu_leaf_(...): folds element k and every stripe-th element after it, before end, of each
   column into values. */
#define REDUCE_CPU_LEAF_(NAME)                                                                              \
    REDUCE_HOST_ void NAME##_cpu_leaf_(NAME##_result *values_, NAME##_input_ in_, size_t pitch_,            \
                                       size_t k, size_t end_, size_t stripe_, size_t columns_) {            \
        NAME##_result buffer_[REDUCE_TILE_OF_COLUMNS_];                                                     \
        if (k < end_)                                                                                       \
            NAME##_cpu_begin_(values_, REDUCE_CPU_ROW_(NAME, buffer_, in_, k * pitch_, k, columns_),        \
                              columns_);                                                                    \
        else                                                                                                \
            for (size_t l = 0; l < columns_; l++) values_[l] = NAME##_identity();                           \
        for (k += stripe_; k < end_; k += stripe_)                                                          \
            NAME##_cpu_onto_(values_, REDUCE_CPU_ROW_(NAME, buffer_, in_, k * pitch_, k, columns_),         \
                             columns_);                                                                     \
    }

/* void NAME_cpu_join_(...): joins the k-th value of each column, in the order of leaves, with the partial
   results of all levels that are full. After the last of 2^b values, values holds the result. */
#define REDUCE_CPU_JOIN_(NAME)                                                                              \
    REDUCE_HOST_ void NAME##_cpu_join_(NAME##_result *values_,                                              \
                                       NAME##_result (*levels_)[REDUCE_TILE_OF_COLUMNS_], size_t k,         \
                                       size_t columns_) {                                                   \
        int level_ = 0;                                                                                     \
        for (; k & 1; k >>= 1, level_++) {                                                                  \
            NAME##_cpu_onto_(levels_[level_], values_, columns_);                                           \
            memcpy(values_, levels_[level_], columns_ * sizeof *values_);                                   \
        }                                                                                                   \
        memcpy(levels_[level_], values_, columns_ * sizeof *values_);                                       \
    }

/* void NAME_cpu_columns_of_chunk_(...): values gets the results of the chunk from element begin on, of
   neighbouring columns. */
#define REDUCE_CPU_COLUMNS_OF_CHUNK_(NAME)                                                                  \
    REDUCE_HOST_ void NAME##_cpu_columns_of_chunk_(NAME##_result *values_, NAME##_input_ in_,               \
                                                   size_t pitch_, struct reduce_column_ column_,            \
                                                   size_t begin_, size_t columns_) {                        \
        NAME##_result levels_[REDUCE_LEVELS_][REDUCE_TILE_OF_COLUMNS_];                                     \
        const size_t end_ = begin_ + REDUCE_MIN_(column_.n - begin_, column_.chunk_);                       \
        const unsigned leaves_ = 1u << reduce_order_bits_(column_.leaves_);                                 \
        for (unsigned k = 0; k < leaves_; k++) {                                                            \
            const size_t first_ = begin_ + reduce_leaf_(column_.leaves_, k);                                \
            NAME##_cpu_leaf_(values_, in_, pitch_, first_, end_, column_.stripe_, columns_);                \
            NAME##_cpu_join_(values_, levels_, k, columns_);                                                \
        }                                                                                                   \
    }

/* void NAME_cpu_tile_(...): the results of neighbouring columns, at most a tile of them, from all chunks. */
#define REDUCE_CPU_TILE_(NAME)                                                                              \
    REDUCE_HOST_ void NAME##_cpu_tile_(NAME##_input_ in_, size_t pitch_, struct reduce_column_ column_,     \
                                       NAME##_result *out_, size_t columns_) {                              \
        NAME##_result levels_[REDUCE_LEVELS_][REDUCE_TILE_OF_COLUMNS_], values_[REDUCE_TILE_OF_COLUMNS_];   \
        NAME##_result strand_[REDUCE_TILE_OF_COLUMNS_];                                                     \
        const unsigned strands_ = 1u << reduce_order_bits_(column_.chunks_);                                \
        for (unsigned k = 0; k < strands_; k++) {                                                           \
            for (size_t l = 0; l < columns_; l++) strand_[l] = NAME##_identity();                           \
            for (size_t b = reduce_leaf_(column_.chunks_, k); b < column_.count_; b += REDUCE_STRANDS) {    \
                NAME##_cpu_columns_of_chunk_(values_, in_, pitch_, column_, b * column_.chunk_, columns_);  \
                NAME##_cpu_onto_(strand_, values_, columns_);                                               \
            }                                                                                               \
            NAME##_cpu_join_(strand_, levels_, k, columns_);                                                \
        }                                                                                                   \
        for (size_t l = 0; l < columns_; l++) out_[l] = NAME##_final_(strand_[l]);                          \
    }

/* void NAME_cpu_columns_(...): all columns, a tile at a time. */
#define REDUCE_CPU_COLUMNS_(NAME)                                                                           \
    REDUCE_HOST_ void NAME##_cpu_columns_(NAME##_input_ in_, size_t n, size_t columns_, size_t pitch_,      \
                                          NAME##_result *out_) {                                            \
        const struct reduce_column_ column_ = reduce_column_of_(n, NAME##_size_, pitch_);                   \
        const ptrdiff_t tiles_ = (ptrdiff_t)reduce_divide_up_(columns_, REDUCE_TILE_OF_COLUMNS_);           \
        REDUCE_PARALLEL_FOR_                                                                                \
        for (ptrdiff_t k = 0; k < tiles_; k++) {                                                            \
            const size_t first_ = (size_t)k * REDUCE_TILE_OF_COLUMNS_;                                      \
            const size_t count_ = REDUCE_MIN_(columns_ - first_, REDUCE_TILE_OF_COLUMNS_);                  \
            NAME##_cpu_tile_(NAME##_input_at_(in_, first_), pitch_, column_, out_ + first_, count_);        \
        }                                                                                                   \
    }

/* void NAME_columns_cpu(const In *in, size_t n, size_t columns, size_t pitch, T *out) */
#define REDUCE_COLUMNS_CPU_(NAME, KIND)                                                                     \
    REDUCE_HOST_ void NAME##_columns_cpu(REDUCE_ARRAYS_##KIND(NAME), size_t n, size_t columns_,             \
                                         size_t pitch_ REDUCE_MORE_##KIND(NAME), NAME##_result *out_) {     \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        NAME##_cpu_columns_(input_, n, columns_, pitch_, out_);                                             \
    }

/* void NAME_axis_cpu(const In *in, size_t outer, size_t n, size_t inner, T *out) */
#define REDUCE_AXIS_CPU_(NAME, KIND)                                                                        \
    REDUCE_HOST_ void NAME##_axis_cpu(REDUCE_ARRAYS_##KIND(NAME), size_t outer_, size_t n,                  \
                                      size_t inner_ REDUCE_MORE_##KIND(NAME), NAME##_result *out_) {        \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        if (inner_ == 1) NAME##_cpu_rows_(input_, outer_, n, n, out_);                                      \
        for (size_t k = 0; k < outer_ && inner_ != 1; k++)                                                  \
            NAME##_cpu_columns_(NAME##_input_at_(input_, k * n * inner_), n, inner_, inner_,                \
                                out_ + k * inner_);                                                         \
    }

#ifdef __CUDACC__

/* ---- Columns ----------------------------------------------------------------------------------------------
 *
 * A tile is neighbouring columns of one outer index: `across` threads have `width` columns each. A block has
 * some tiles, and one of 2^splits parts of their leaves. Each of the block's 2^down rows of threads has an
 * equal part of that. In the end rows of threads fold by halves; if there are splits, collectors fold those.
 *
 * A cell is one element in one of a thread's columns. Columns are wide if one load takes all cells of a
 * thread in a row of the matrix, and narrow if each cell needs a load. They are full if, besides, no leaf,
 * stripe or column is missing.
 */

enum { REDUCE_COLUMN_THREADS_ = 256 }; /* threads of a block at most (measured) */

enum { REDUCE_COLUMN_BLOCKS_ = 2 }; /* resident blocks of an SM that their kernels ask for (measured) */

/* Levels of partial results of a thread's leaves that lie in shared memory, which is faster than the
   thread's local memory: up to REDUCE_LEVELS_HERE_ (measured), as far as they fit 48 KiB beside a row of
   results for each row of threads. */
#define REDUCE_LEVELS_HERE_ 4
#define REDUCE_LEVELS_OF_(bytes) REDUCE_MIN_(REDUCE_LEVELS_HERE_, 49152 / (bytes) - 1)

/* REDUCE_WIDTH_OF_: how many columns a thread may have: as many as fill 16 bytes, but at most four, whose
   values have registers; one where no load has its bytes; of two arrays at most two. NAME_width_ is the
   lesser of this for elements and this for results. */
#define REDUCE_WIDTH_OF_(size)                                                                              \
    (((size) & ((size) - 1)) != 0 || (size) > 16 ? 1 : (size) <= 2 ? 4 : 16 / (size))
#define REDUCE_WIDTH_OF_ARRAY_(NAME) REDUCE_WIDTH_OF_(NAME##_size_)
#define REDUCE_WIDTH_OF_WITH_ REDUCE_WIDTH_OF_ARRAY_
#define REDUCE_WIDTH_OF_ZIP_WITH_ REDUCE_WIDTH_OF_ZIP_
#define REDUCE_WIDTH_OF_ZIP_(NAME)                                                                          \
    REDUCE_MIN_(2, REDUCE_MIN_(REDUCE_WIDTH_OF_(sizeof(NAME##_first)),                                      \
                               REDUCE_WIDTH_OF_(sizeof(NAME##_second))))

/* REDUCE_TOGETHER_: leaves that a thread walks together: 128 bytes of loads in flight, and at most 256
   bytes of accumulators (measured). REDUCE_POWER_: the power of two up to k, at most REDUCE_LEAVES_. */
#define REDUCE_POWER_(k) ((k) >= REDUCE_LEAVES_ ? REDUCE_LEAVES_ : (k) >= 4 ? 4 : (k) >= 2 ? 2 : 1)
#define REDUCE_TOGETHER_(bytes, width, size)                                                                \
    REDUCE_POWER_(REDUCE_MIN_(128 / (bytes), 256 / ((width) * ((size) < 4 ? 4 : (size)))))

#define REDUCE_FLAT_END_ 0x7fffffffu /* elements of a chunk of all flat columns, at most */

/* NAME_flat_words_: words of a thread in each stripe of flat columns. NAME_is_flat_: accumulators of a word
   fit 64 bytes, so that columns may be flat. NAME_scratch_of_way_: results in the shared memory of each
   kernel, by `width`. */
#define REDUCE_COLUMNS_LAYOUT_(NAME, KIND)                                                                  \
    enum {                                                                                                  \
        NAME##_width_ =                                                                                     \
            REDUCE_MIN_(REDUCE_WIDTH_OF_##KIND(NAME), REDUCE_WIDTH_OF_(sizeof(NAME##_result))),             \
        NAME##_load_bytes_ = NAME##_in_all_ * NAME##_width_,                                                \
        NAME##_together_ = REDUCE_TOGETHER_(NAME##_load_bytes_, NAME##_width_, sizeof(NAME##_result)),      \
        NAME##_is_flat_ = NAME##_positions_ * sizeof(NAME##_result) <= 64,                                  \
        NAME##_flat_words_ = NAME##_positions_ * sizeof(NAME##_result) <= 32 ? 4 : 2,                       \
        NAME##_levels_ =                                                                                    \
            REDUCE_LEVELS_OF_(REDUCE_COLUMN_THREADS_ * NAME##_width_ * (int)sizeof(NAME##_result)),         \
        NAME##_scratch_of_wide_ = REDUCE_COLUMN_THREADS_ * (1 + NAME##_levels_),                            \
        NAME##_scratch_of_narrow_ = NAME##_scratch_of_wide_,                                                \
        NAME##_scratch_of_flat_ =                                                                           \
            !NAME##_is_flat_ ? 1                                                                            \
                : REDUCE_COLUMN_THREADS_ * NAME##_flat_words_ * NAME##_positions_ / NAME##_width_           \
    };

/* The columns of one launch. Neighbouring blocks have the same split of neighbouring tiles. Blocks from
   number `blocks` on are collectors. */
struct reduce_columns_ {
    struct reduce_column_ tree_; /* of each column */
    size_t outer_;               /* outer indices */
    size_t columns_;             /* columns of an outer index */
    size_t pitch_;               /* elements from an element of a column to the next */
    size_t outer_pitch_;         /* elements from an outer index to the next */
    size_t tiles_;               /* tiles of an outer index */
    size_t first_;               /* the launch's first tile */
    unsigned across_;            /* threads in a row of threads of a tile */
    unsigned tile_;              /* columns of a tile */
    unsigned tiles_of_block_;    /* tiles of a block */
    unsigned blocks_;            /* blocks without the collectors */
    int down_;                   /* a block has 2^down rows of threads */
    int splits_;                 /* 2^splits blocks have the same tiles */
    int each_;                   /* a thread of a collector folds 2^each splits */
    bool is_wide_;               /* all addresses suit loads of `width` columns */
    bool is_flat_;               /* columns are flat: the only tile of a block has all of them */
    bool by_block_;              /* rows of threads share the leaves of each chunk, one chunk after the
                                    other; else they share the chunks, then the leaves */
    int few_;                    /* leaves of a column, if a thread walks all of them together; or 0 */
};

/* The split of the calling block. */
REDUCE_DEVICE_ unsigned reduce_own_split_(const struct reduce_columns_ *columns_) {
    return columns_->splits_ == 0 ? 0 : blockIdx.x / (columns_->blocks_ >> columns_->splits_);
}

/* A part of all leaves: some leaves of each chunk of some strands of chunks. */
struct reduce_part_ {
    unsigned chunk_;  /* the first strand of chunks */
    unsigned chunks_; /* how many strands of chunks */
    unsigned leaf_;   /* the first leaf */
    unsigned leaves_; /* how many leaves */
};

/* Part k of 2^bits parts: chunks are parted first, then leaves. */
REDUCE_BOTH_ struct reduce_part_ reduce_part_of_(const struct reduce_column_ *tree_, unsigned k, int bits_) {
    const int chunk_bits_ = reduce_order_bits_(tree_->chunks_);
    const int leaf_bits_ = reduce_order_bits_(tree_->leaves_);
    const int of_chunks_ = REDUCE_MIN_(bits_, chunk_bits_), of_leaves_ = leaf_bits_ - (bits_ - of_chunks_);
    struct reduce_part_ part_;
    part_.chunks_ = 1u << (chunk_bits_ - of_chunks_);
    part_.chunk_ = (k >> (bits_ - of_chunks_)) * part_.chunks_;
    part_.leaves_ = 1u << of_leaves_;
    part_.leaf_ = (k & ((1u << (bits_ - of_chunks_)) - 1)) * part_.leaves_;
    return part_;
}

/* struct NAME_columns_here_: a thread's columns, and where it is among the threads of its block. */
#define REDUCE_COLUMNS_HERE_(NAME)                                                                          \
    struct NAME##_columns_here_ {                                                                           \
        NAME##_input_ in_; /* begins with the tile's first column */                                        \
        size_t pitch_;     /* elements from a row of the matrix to the next */                              \
        size_t result_;    /* the index of the first column's result */                                     \
        unsigned own_;     /* the first column, counted from in */                                          \
        unsigned apart_;   /* columns from one of the thread's to its next */                               \
        unsigned count_;   /* how many columns */                                                           \
        bool is_wide_;     /* one load takes all cells, or there are no columns */                          \
        NAME##_result (*scratch_)[NAME##_width_]; /* a row for each row of threads, and for each level */   \
        unsigned rows_;    /* rows of threads of the block */                                               \
        unsigned row_;     /* threads in a row */                                                           \
        unsigned skip_;    /* another block writes the results of the tile's first columns: so many */      \
        unsigned levels_;  /* levels of partial results that lie in scratch */                              \
        bool has_all_;     /* all columns of the thread's tile exist */                                     \
        bool is_full_;     /* all columns exist, and NAME_fills_wide_ or NAME_fills_narrow_ */              \
        bool loads_;       /* true, but not as a constant: see NAME_load_cells_ */                          \
    };

/* ---- Cells ---- */

/* struct NAME_cells_: the cells of a thread in one row of the matrix. NAME_cells_at_: these as an input. */
#define REDUCE_CELLS_ARRAY_(NAME)                                                                           \
    struct NAME##_cells_ { NAME##_element x[NAME##_width_]; };                                              \
    REDUCE_DEVICE_ NAME##_input_ NAME##_cells_at_(NAME##_input_ in_, const struct NAME##_cells_ *cells_) {  \
        in_.in_ = cells_->x;                                                                                \
        return in_;                                                                                         \
    }
#define REDUCE_CELLS_WITH_ REDUCE_CELLS_ARRAY_
#define REDUCE_CELLS_ZIP_WITH_ REDUCE_CELLS_ZIP_
#define REDUCE_CELLS_ZIP_(NAME)                                                                             \
    struct NAME##_cells_ {                                                                                  \
        NAME##_first x[NAME##_width_];                                                                      \
        NAME##_second y[NAME##_width_];                                                                     \
    };                                                                                                      \
    REDUCE_DEVICE_ NAME##_input_ NAME##_cells_at_(NAME##_input_ in_, const struct NAME##_cells_ *cells_) {  \
        in_.in_ = cells_->x, in_.second_ = cells_->y;                                                       \
        return in_;                                                                                         \
    }

/* Loads an element of type T, under a predicate if a load has its bytes. Without `own`, nvcc keeps what is
   loaded in memory. */
#define REDUCE_CELL_BYTES_(T) (__alignof__(T) < sizeof(T) ? 0 : REDUCE_LOAD_BYTES_(sizeof(T)))
#define REDUCE_LOAD_ELEMENT_(T, to, from, is_there)                                                         \
    do {                                                                                                    \
        T own_;                                                                                             \
        REDUCE_ANYTHING_(own_);                                                                             \
        if (REDUCE_CELL_BYTES_(T) > 0)                                                                      \
            reduce_load_part_(&own_, from, REDUCE_CELL_BYTES_(T), is_there);                                \
        else if (is_there)                                                                                  \
            own_ = *(from);                                                                                 \
        (to) = own_;                                                                                        \
    } while (0)

/* void NAME_load_cell_(...): loads in[at] as cell l. */
#define REDUCE_LOAD_CELL_ARRAY_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_load_cell_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,           \
                                          unsigned l, bool is_there_) {                                     \
        REDUCE_LOAD_ELEMENT_(NAME##_element, x->x[l], in_.in_ + at_, is_there_);                            \
    }
#define REDUCE_LOAD_CELL_WITH_ REDUCE_LOAD_CELL_ARRAY_
#define REDUCE_LOAD_CELL_ZIP_WITH_ REDUCE_LOAD_CELL_ZIP_
#define REDUCE_LOAD_CELL_ZIP_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_load_cell_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,           \
                                          unsigned l, bool is_there_) {                                     \
        REDUCE_LOAD_ELEMENT_(NAME##_first, x->x[l], in_.in_ + at_, is_there_);                              \
        REDUCE_LOAD_ELEMENT_(NAME##_second, x->y[l], in_.second_ + at_, is_there_);                         \
    }

/* void NAME_load_all_cells_(...): loads all cells of a row, by one load from each array. NAME_begins_wide_:
   whether such loads suit the places where arrays begin. */
#define REDUCE_LOAD_ALL_CELLS_ARRAY_(NAME)                                                                  \
    REDUCE_DEVICE_ void NAME##_load_all_cells_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,      \
                                               bool is_there_) {                                            \
        reduce_load_part_(x->x, in_.in_ + at_, sizeof x->x, is_there_);                                     \
    }                                                                                                       \
    REDUCE_HOST_ bool NAME##_begins_wide_(NAME##_input_ in_) {                                              \
        return (uintptr_t)in_.in_ % sizeof(struct NAME##_cells_) == 0;                                      \
    }
#define REDUCE_LOAD_ALL_CELLS_WITH_ REDUCE_LOAD_ALL_CELLS_ARRAY_
#define REDUCE_LOAD_ALL_CELLS_ZIP_WITH_ REDUCE_LOAD_ALL_CELLS_ZIP_
#define REDUCE_LOAD_ALL_CELLS_ZIP_(NAME)                                                                    \
    REDUCE_DEVICE_ void NAME##_load_all_cells_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,      \
                                               bool is_there_) {                                            \
        reduce_load_part_(x->x, in_.in_ + at_, sizeof x->x, is_there_);                                     \
        reduce_load_part_(x->y, in_.second_ + at_, sizeof x->y, is_there_);                                 \
    }                                                                                                       \
    REDUCE_HOST_ bool NAME##_begins_wide_(NAME##_input_ in_) {                                              \
        return (uintptr_t)in_.in_ % (sizeof(NAME##_first) * NAME##_width_) == 0 &&                          \
               (uintptr_t)in_.second_ % (sizeof(NAME##_second) * NAME##_width_) == 0;                       \
    }

/* void NAME_load_cells_(...): loads the cells of a row; the first is in[at]. `loads` gives loads of more
   than 4 bytes predicates of their own. Where sums share them, nvcc runs out of predicates and loads late. */
#define REDUCE_LOAD_CELLS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_load_cells_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,          \
                                           const struct NAME##_columns_here_ *here_, bool is_there_,        \
                                           bool is_wide_) {                                                 \
        const bool loads_ = NAME##_size_ <= 4 || here_->loads_;                                             \
        if (is_wide_) {                                                                                     \
            NAME##_load_all_cells_(x, in_, at_, is_there_ && loads_ && here_->count_ > 0);                  \
        } else {                                                                                            \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned l = 0; l < NAME##_width_; l++)                                                    \
                NAME##_load_cell_(x, in_, at_ + l * here_->apart_, l,                                       \
                                  is_there_ && loads_ && l < here_->count_);                                \
        }                                                                                                   \
    }

/* void NAME_add_cells_(T *values, ...): adds loaded cells, element i of count columns, to the columns'
   values. NAME_packs_cells_: words of a thread's columns combine at once (reduce_packed.cuh), also those of
   absent columns, whose values nobody delivers. */
#define REDUCE_ADD_CELLS_(NAME)                                                                             \
    enum { NAME##_packs_cells_ = NAME##_packed_ > 1 && NAME##_width_ == 4 };                                \
    REDUCE_DEVICE_ void NAME##_add_cells_(NAME##_result *values_, const struct NAME##_cells_ *x,            \
                                          NAME##_input_ in_, size_t i, unsigned count_) {                   \
        if (NAME##_packs_cells_) {                                                                          \
            NAME##_combine_words_(values_, x, sizeof *x);                                                   \
            return;                                                                                         \
        }                                                                                                   \
        const struct NAME##_cells_ own_ = *x;                                                               \
        in_ = NAME##_cells_at_(in_, &own_);                                                                 \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++)                                                        \
            if (l < count_)                                                                                 \
                values_[l] = NAME##_combine_next_(values_[l], NAME##_operand_at_(in_, l, i));               \
    }

/* ---- Values of columns ---- */

/* For each of a thread's columns: NAME_onto_ sets x = combine(x, y), NAME_identities_ x = identity,
   NAME_copy_columns_ x = y. */
#define REDUCE_ONTO_(NAME)                                                                                  \
    REDUCE_DEVICE_ void NAME##_onto_(NAME##_result *x, const NAME##_result *y) {                            \
        if (NAME##_packs_cells_) NAME##_combine_words_(x, y, NAME##_width_ * sizeof *x);                    \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < NAME##_width_ && !NAME##_packs_cells_; l++) x[l] = NAME##_combine(x[l], y[l]);  \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_identities_(NAME##_result *x) {                                              \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < NAME##_width_; l++) x[l] = NAME##_identity();                                   \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_copy_columns_(NAME##_result *x, const NAME##_result *y) {                    \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < NAME##_width_; l++) x[l] = y[l];                                                \
    }

/* void NAME_after_(T *x, const T *earlier): x = combine(earlier, x), for each of a thread's columns. */
#define REDUCE_AFTER_(NAME)                                                                                 \
    REDUCE_DEVICE_ void NAME##_after_(NAME##_result *x, const NAME##_result *earlier_) {                    \
        NAME##_result y[NAME##_width_];                                                                     \
        NAME##_copy_columns_(y, earlier_);                                                                  \
        NAME##_onto_(y, x);                                                                                 \
        NAME##_copy_columns_(x, y);                                                                         \
    }

/* void NAME_join_(T *x, ...): joins the k-th value of a thread's columns with the partial results of all
   levels that are full. After the last of 2^b values, x holds the result. */
#define REDUCE_JOIN_(NAME)                                                                                  \
    REDUCE_DEVICE_ void NAME##_join_(NAME##_result *x, NAME##_result (*levels_)[NAME##_width_],             \
                                     unsigned k) {                                                          \
        int level_ = 0;                                                                                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k & 1; k >>= 1, level_++) NAME##_after_(x, levels_[level_]);                                 \
        NAME##_copy_columns_(levels_[level_], x);                                                           \
    }

/* void NAME_join_one_(T *x, ...): NAME_join_ for one column. */
#define REDUCE_JOIN_ONE_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_join_one_(NAME##_result *x, NAME##_result *levels_, unsigned k) {            \
        int level_ = 0;                                                                                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k & 1; k >>= 1, level_++) *x = NAME##_combine(levels_[level_], *x);                          \
        levels_[level_] = *x;                                                                               \
    }

/* void NAME_join_here_(T *x, ...): NAME_join_ for leaves, whose first levels lie in scratch. */
#define REDUCE_JOIN_HERE_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_join_here_(NAME##_result *x, const struct NAME##_columns_here_ *here_,       \
                                          NAME##_result (*levels_)[NAME##_width_], unsigned k) {            \
        const unsigned most_ = here_->levels_;                                                              \
        unsigned at_ = REDUCE_COLUMN_THREADS_ + threadIdx.x, level_ = 0;                                    \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; (k & 1) && level_ < most_; k >>= 1, level_++, at_ += REDUCE_COLUMN_THREADS_)                 \
            NAME##_after_(x, here_->scratch_[at_]);                                                         \
        if (level_ < most_)                                                                                 \
            NAME##_copy_columns_(here_->scratch_[at_], x);                                                  \
        else                                                                                                \
            NAME##_join_(x, levels_, k);                                                                    \
    }

/* ---- Leaves ---- */

/* NAME_fills_wide_, NAME_fills_narrow_: whether full columns have loads without predicates (measured). nvcc
   would spread most such loads among the sums, so that fewer are in flight. NAME_full_: stripes of which
   NAME_add_full_ has the loads in flight together (measured). NAME_has_costly_cells_: an operand takes
   several instructions, or columns combine several at once: where all leaves and columns exist, narrow loads
   are then faster without a branch for each (measured). */
#define REDUCE_LEAVES_LAYOUT_(NAME)                                                                         \
    enum {                                                                                                  \
        NAME##_fills_wide_ = NAME##_size_ < 4 && NAME##_width_ > 1,                                         \
        NAME##_fills_narrow_ = NAME##_width_ == 1 && NAME##_shifts_ && sizeof(NAME##_result) <= 16 &&       \
                               (NAME##_size_ == 2 || NAME##_size_ == 4),                                    \
        NAME##_full_ = sizeof(NAME##_result) < 4 || NAME##_fills_narrow_ ? 2 : 1,                           \
        NAME##_has_costly_cells_ = !NAME##_is_light_ || NAME##_is_mapped_ || NAME##_packs_cells_            \
    };

/* void NAME_add_full_(...): adds the elements of some stripes, `away` apart in memory, to the values of
   leaves, by loads without predicates. */
#define REDUCE_ADD_FULL_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_full_(NAME##_result (*values_)[NAME##_width_], NAME##_input_ in_,        \
                                         const struct reduce_column_ *tree_, size_t i, size_t away_,        \
                                         int together_, unsigned stripes_) {                                \
        struct NAME##_cells_ x[NAME##_full_][NAME##_together_];                                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned k = 0; k < stripes_; k++)                                                             \
            REDUCE_UNROLL_                                                                                  \
            for (int l = 0; l < together_; l++)                                                             \
                NAME##_load_all_cells_(&x[k][l], in_, tree_->away_[l] + k * away_, true);                   \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned k = 0; k < stripes_; k++, i += tree_->stripe_)                                        \
            REDUCE_UNROLL_                                                                                  \
            for (int l = 0; l < together_; l++)                                                             \
                NAME##_add_cells_(values_[l], &x[k][l], in_, i + tree_->apart_[l], NAME##_width_);          \
    }

/* unsigned NAME_add_rounds_(...): adds stripes from a row on, so many at once, as long as the last of them
   begins before row end. in moves behind them. Returns the next stripe's row. */
#define REDUCE_ADD_ROUNDS_(NAME)                                                                            \
    REDUCE_DEVICE_ unsigned NAME##_add_rounds_(NAME##_result (*values_)[NAME##_width_], NAME##_input_ *in_, \
                                               const struct reduce_column_ *tree_, size_t pitch_,           \
                                               size_t begin_, unsigned row_, unsigned end_,                 \
                                               int together_, unsigned stripes_) {                          \
        const unsigned stripe_ = tree_->stripe_, last_ = (stripes_ - 1) * stripe_;                          \
        const size_t away_ = stripe_ * pitch_;                                                              \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; row_ + last_ < end_; row_ += stripes_ * stripe_) {                                           \
            NAME##_add_full_(values_, *in_, tree_, begin_ + row_, away_, together_, stripes_);              \
            *in_ = NAME##_input_at_(*in_, stripes_ * away_);                                                \
        }                                                                                                   \
        return row_;                                                                                        \
    }

/* unsigned NAME_add_stripes_(...): adds the stripes from a row on that have all leaves, if columns are
   full. in moves behind them. Returns the next stripe's row. */
#define REDUCE_ADD_STRIPES_(NAME)                                                                           \
    REDUCE_DEVICE_ unsigned NAME##_add_stripes_(NAME##_result (*values_)[NAME##_width_],                    \
                                                const struct NAME##_columns_here_ *here_,                   \
                                                NAME##_input_ *in_, const struct reduce_column_ *tree_,     \
                                                size_t begin_, unsigned row_, unsigned rows_,               \
                                                int together_) {                                            \
        const unsigned reach_ = tree_->apart_[together_ - 1];                                               \
        const unsigned end_ = here_->is_full_ && rows_ > reach_ ? rows_ - reach_ : 0;                       \
        row_ = NAME##_add_rounds_(values_, in_, tree_, here_->pitch_, begin_, row_, end_, together_,        \
                                  NAME##_full_);                                                            \
        if (NAME##_full_ == 1) return row_;                                                                 \
        return NAME##_add_rounds_(values_, in_, tree_, here_->pitch_, begin_, row_, end_, together_, 1);    \
    }

/* void NAME_add_all_leaves_(...): adds the loaded cells of leaves to the leaves' values. All leaves and all
   columns exist. */
#define REDUCE_ADD_ALL_LEAVES_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_add_all_leaves_(NAME##_result (*values_)[NAME##_width_],                     \
                                               const struct NAME##_cells_ *x, NAME##_input_ in_,            \
                                               const struct reduce_column_ *tree_, size_t i,                \
                                               int together_) {                                             \
        NAME##_result operands_[NAME##_together_];                                                          \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_; l++)                                                                 \
            if (NAME##_width_ == 1)                                                                         \
                operands_[l] = NAME##_operand_at_(NAME##_cells_at_(in_, &x[l]), 0, i + tree_->apart_[l]);   \
            else                                                                                            \
                NAME##_add_cells_(values_[l], &x[l], in_, i + tree_->apart_[l], NAME##_width_);             \
        if (NAME##_width_ == 1) NAME##_combine_each_(values_[0], operands_, together_);                     \
    }

/* void NAME_load_leaves_(...): loads a stripe's cells of leaves: for leaf l those apart[l] rows from in on,
   if fewer than `left` rows lie before them. */
#define REDUCE_LOAD_LEAVES_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_load_leaves_(struct NAME##_cells_ *x,                                        \
                                            const struct NAME##_columns_here_ *here_, NAME##_input_ in_,    \
                                            const struct reduce_column_ *tree_, unsigned left_,             \
                                            int together_, bool is_wide_) {                                 \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_; l++)                                                                 \
            NAME##_load_cells_(&x[l], in_, tree_->away_[l], here_, tree_->apart_[l] < left_, is_wide_);     \
    }

/* void NAME_add_leaves_(...): adds a stripe's elements of leaves to their values, as far as they exist. All
   loads come before the first use. */
#define REDUCE_ADD_LEAVES_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_add_leaves_(NAME##_result (*values_)[NAME##_width_],                         \
                                           const struct NAME##_columns_here_ *here_, NAME##_input_ in_,     \
                                           const struct reduce_column_ *tree_, size_t i, unsigned left_,    \
                                           int together_, bool is_wide_) {                                  \
        const bool are_all_ = !is_wide_ && NAME##_has_costly_cells_ && here_->has_all_ &&                   \
                              tree_->apart_[together_ - 1] < left_;                                         \
        struct NAME##_cells_ x[NAME##_together_];                                                           \
        NAME##_load_leaves_(x, here_, in_, tree_, left_, together_, is_wide_);                              \
        if (are_all_) NAME##_add_all_leaves_(values_, x, in_, tree_, i, together_);                         \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_ && !are_all_; l++)                                                    \
            if (tree_->apart_[l] < left_)                                                                   \
                NAME##_add_cells_(values_[l], &x[l], in_, i + tree_->apart_[l],                             \
                                  is_wide_ ? (unsigned)NAME##_width_ : here_->count_);                      \
    }

/* void NAME_add_stripe_(...): NAME_add_leaves_ by wide loads or not, which each kernel knows when it is
   compiled. */
#define REDUCE_ADD_STRIPE_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_add_stripe_(NAME##_result (*values_)[NAME##_width_],                         \
                                           const struct NAME##_columns_here_ *here_, NAME##_input_ in_,     \
                                           const struct reduce_column_ *tree_, size_t i, unsigned left_,    \
                                           int together_) {                                                 \
        if (NAME##_width_ > 1 && here_->is_wide_)                                                           \
            NAME##_add_leaves_(values_, here_, in_, tree_, i, left_, together_, true);                      \
        else                                                                                                \
            NAME##_add_leaves_(values_, here_, in_, tree_, i, left_, together_, false);                     \
    }

/* void NAME_walk_leaves_(...): adds all elements of `together` leaves of a chunk of `rows` rows to their
   values. The first is in row `row` of the chunk, with which in begins. */
#define REDUCE_WALK_LEAVES_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_walk_leaves_(NAME##_result (*values_)[NAME##_width_],                        \
                                            const struct NAME##_columns_here_ *here_, NAME##_input_ in_,    \
                                            const struct reduce_column_ *tree_, size_t begin_,              \
                                            unsigned row_, unsigned rows_, int together_) {                 \
        row_ = NAME##_add_stripes_(values_, here_, &in_, tree_, begin_, row_, rows_, together_);            \
        for (; row_ < rows_; row_ += tree_->stripe_) {                                                      \
            NAME##_add_stripe_(values_, here_, in_, tree_, begin_ + row_, rows_ - row_, together_);         \
            in_ = NAME##_input_at_(in_, tree_->stripe_ * here_->pitch_);                                    \
        }                                                                                                   \
    }

/* void NAME_fold_leaves_(T *x, ...): folds the values of `together` neighbouring leaves into x. */
#define REDUCE_FOLD_LEAVES_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_fold_leaves_(NAME##_result *x, NAME##_result (*values_)[NAME##_width_],      \
                                            int together_) {                                                \
        REDUCE_UNROLL_                                                                                      \
        for (int step_ = 1; step_ < NAME##_together_; step_ *= 2)                                           \
            REDUCE_UNROLL_                                                                                  \
            for (int l = 0; l + step_ < together_; l += 2 * step_)                                          \
                NAME##_onto_(values_[l], values_[l + step_]);                                               \
        NAME##_copy_columns_(x, values_[0]);                                                                \
    }

/* void NAME_some_leaves_(T *x, ...): x gets the fold of `together` leaves, from leaf k on, of a chunk of
   `rows` rows. A thread without columns adds none: it has no elements for a user's map or operator. */
#define REDUCE_SOME_LEAVES_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_some_leaves_(NAME##_result *x, const struct NAME##_columns_here_ *here_,     \
                                            const struct reduce_column_ *tree_, size_t begin_,              \
                                            unsigned rows_, unsigned k, int together_) {                    \
        NAME##_result values_[NAME##_together_][NAME##_width_];                                             \
        const unsigned row_ = reduce_leaf_(tree_->leaves_, k);                                              \
        NAME##_input_ in_ = NAME##_input_at_(here_->in_, (begin_ + row_) * here_->pitch_ + here_->own_);    \
        if ((NAME##_is_mapped_ || !NAME##_is_built_in_) && here_->count_ == 0) rows_ = 0;                   \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_; l++)                                                                 \
            NAME##_begin_each_(values_[l], NAME##_width_, begin_, rows_ > 0);                               \
        NAME##_walk_leaves_(values_, here_, in_, tree_, begin_, row_, rows_, together_);                    \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_; l++) NAME##_end_each_(values_[l], NAME##_width_, begin_);            \
        NAME##_fold_leaves_(x, values_, together_);                                                         \
    }

/* void NAME_leaves_by_thread_(T *x, ...): one thread folds a part's leaves of the chunk that starts with
   row begin. */
#define REDUCE_LEAVES_BY_THREAD_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_leaves_by_thread_(                                                           \
        NAME##_result *x, const struct NAME##_columns_here_ *here_, const struct reduce_column_ *tree_,     \
        size_t begin_, struct reduce_part_ part_) {                                                         \
        NAME##_result levels_[REDUCE_LEVELS_][NAME##_width_] REDUCE_IN_WORDS_(NAME);                        \
        const unsigned rows_ = (unsigned)REDUCE_MIN_(tree_->n - begin_, tree_->chunk_);                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < part_.leaves_; k += NAME##_together_) {                                    \
            NAME##_some_leaves_(x, here_, tree_, begin_, rows_, part_.leaf_ + k, NAME##_together_);         \
            if (part_.leaves_ > NAME##_together_)                                                           \
                NAME##_join_here_(x, here_, levels_, k / NAME##_together_);                                 \
        }                                                                                                   \
    }

/* void NAME_fold_halves_(T *x, ...): all threads of the block fold the upper half of the rows of threads
   onto the lower until one is left. Each thread writes to scratch once. */
#define REDUCE_FOLD_HALVES_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_fold_halves_(NAME##_result *x, const struct NAME##_columns_here_ *here_) {   \
        const unsigned thread_ = threadIdx.x;                                                               \
        for (unsigned half_ = here_->rows_ / 2 * here_->row_; half_ >= here_->row_; half_ /= 2) {           \
            if (thread_ >= half_ && thread_ < 2 * half_) NAME##_copy_columns_(here_->scratch_[thread_], x); \
            __syncthreads();                                                                                \
            if (thread_ < half_) NAME##_onto_(x, here_->scratch_[thread_ + half_]);                         \
        }                                                                                                   \
    }

/* void NAME_leaves_by_block_(T *x, ...): all rows of threads fold their parts of one chunk; the first row
   gets the results. */
#define REDUCE_LEAVES_BY_BLOCK_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_leaves_by_block_(                                                            \
        NAME##_result *x, const struct NAME##_columns_here_ *here_, const struct reduce_column_ *tree_,     \
        size_t begin_, struct reduce_part_ part_) {                                                         \
        NAME##_leaves_by_thread_(x, here_, tree_, begin_, part_);                                           \
        __syncthreads();                                                                                    \
        NAME##_fold_halves_(x, here_);                                                                      \
    }

/* void NAME_part_by_way_(T *x, ...): folds a part of the leaves of all chunks. way: thread, block or flat. */
#define REDUCE_PART_BY_(NAME, way)                                                                          \
    REDUCE_DEVICE_ void NAME##_part_by_##way##_(                                                            \
        NAME##_result *x, const struct NAME##_columns_here_ *here_, const struct reduce_column_ *tree_,     \
        struct reduce_part_ part_) {                                                                        \
        NAME##_result levels_[REDUCE_LEVELS_][NAME##_width_], of_chunk_[NAME##_width_];                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < part_.chunks_; k++) {                                                      \
            NAME##_identities_(x);                                                                          \
            size_t b = reduce_leaf_(tree_->chunks_, part_.chunk_ + k);                                      \
            for (; b < tree_->count_; b += REDUCE_STRANDS) {                                                \
                NAME##_leaves_by_##way##_(of_chunk_, here_, tree_, b * tree_->chunk_, part_);               \
                NAME##_onto_(x, of_chunk_);                                                                 \
            }                                                                                               \
            if (part_.chunks_ > 1) NAME##_join_(x, levels_, k);                                             \
        }                                                                                                   \
    }

#include "reduce_flat_columns.cuh"

/* ---- Tiles ---- */

/* A thread's tile. The last tile is as wide as the others: its first columns are the last of the tile
   before. */
struct reduce_tile_at_ {
    size_t outer_;  /* its outer index */
    size_t column_; /* its first column */
    size_t left_;   /* columns from there on; 0 if there is no such tile, or for an idle thread */
    unsigned k;     /* the thread's number in the tile */
    unsigned skip_; /* columns that the tile before has too */
};

REDUCE_DEVICE_ struct reduce_tile_at_ reduce_tile_of_(const struct reduce_columns_ *columns_, unsigned k,
                                                      bool is_idle_) {
    const unsigned of_split_ = columns_->blocks_ >> columns_->splits_;
    const unsigned block_ = blockIdx.x - reduce_own_split_(columns_) * of_split_;
    const size_t first_ = (size_t)block_ * columns_->tiles_of_block_;
    const size_t number_ = columns_->first_ + first_ + k / columns_->across_;
    struct reduce_tile_at_ tile_;
    memset(&tile_, 0, sizeof tile_);
    tile_.k = k % columns_->across_;
    if (number_ >= columns_->tiles_ * columns_->outer_ || is_idle_) return tile_;
    if (columns_->outer_ > 1) tile_.outer_ = number_ / columns_->tiles_;
    tile_.column_ = (number_ - tile_.outer_ * columns_->tiles_) * columns_->tile_;
    tile_.left_ = columns_->columns_ - tile_.column_;
    if (tile_.left_ < columns_->tile_ && columns_->tile_ <= columns_->columns_) {
        tile_.skip_ = columns_->tile_ - (unsigned)tile_.left_;
        tile_.column_ -= tile_.skip_, tile_.left_ = columns_->tile_;
    }
    return tile_;
}

/* void NAME_share_columns_(...): thread k of some threads takes its share of the `left` columns:
   neighbours, or every threads-th. A thread without columns in a full tile takes the last ones, because
   full tiles have no predicates. */
#define REDUCE_SHARE_COLUMNS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_share_columns_(struct NAME##_columns_here_ *here_, unsigned k,               \
                                              unsigned threads_, bool are_neighbours_, size_t left_) {      \
        here_->own_ = are_neighbours_ ? k * NAME##_width_ : k;                                              \
        here_->apart_ = are_neighbours_ ? 1 : threads_;                                                     \
        here_->count_ = 0;                                                                                  \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++)                                                        \
            if (here_->own_ + l * here_->apart_ < left_) here_->count_++;                                   \
        if (here_->is_full_ && here_->count_ == 0) here_->own_ = (unsigned)left_ - NAME##_width_;           \
    }

/* struct NAME_columns_here_ NAME_columns_of_(...): the calling thread's columns in its tile. */
#define REDUCE_COLUMNS_OF_(NAME)                                                                            \
    REDUCE_DEVICE_ struct NAME##_columns_here_ NAME##_columns_of_(NAME##_input_ in_,                        \
        const struct reduce_columns_ *columns_, NAME##_result (*scratch_)[NAME##_width_]) {                 \
        const unsigned row_ = columns_->across_ * columns_->tiles_of_block_;                                \
        const bool is_idle_ = !columns_->is_flat_ && threadIdx.x >= row_ << columns_->down_;                \
        const struct reduce_tile_at_ tile_ = reduce_tile_of_(columns_, threadIdx.x % row_, is_idle_);       \
        struct NAME##_columns_here_ here_;                                                                  \
        here_.in_ = NAME##_input_at_(in_, tile_.outer_ * columns_->outer_pitch_ + tile_.column_);           \
        here_.pitch_ = columns_->pitch_, here_.loads_ = columns_->tree_.n > 0;                              \
        here_.scratch_ = scratch_, here_.rows_ = 1u << columns_->down_, here_.row_ = row_;                  \
        here_.is_wide_ = columns_->is_wide_, here_.skip_ = tile_.skip_, here_.levels_ = 0;                  \
        here_.has_all_ = tile_.left_ >= columns_->tile_;                                                    \
        here_.is_full_ = tile_.left_ > 0 && (columns_->is_wide_ ? NAME##_fills_wide_ != 0                   \
                                                 : NAME##_fills_narrow_ && !columns_->is_flat_);            \
        NAME##_share_columns_(&here_, tile_.k, columns_->across_, columns_->is_wide_, tile_.left_);         \
        here_.result_ = tile_.outer_ * columns_->columns_ + tile_.column_ + here_.own_;                     \
        return here_;                                                                                       \
    }

/* The part of a thread in a row of threads. */
REDUCE_DEVICE_ struct reduce_part_ reduce_own_part_(const struct reduce_columns_ *columns_, unsigned row_) {
    const unsigned split_ = reduce_own_split_(columns_);
    const unsigned down_ = reduce_reversed_(row_ & ((1u << columns_->down_) - 1), columns_->down_);
    struct reduce_part_ part_;
    if (!columns_->by_block_)
        return reduce_part_of_(&columns_->tree_, split_ << columns_->down_ | down_,
                               columns_->splits_ + columns_->down_);
    part_ = reduce_part_of_(&columns_->tree_, split_, columns_->splits_);
    part_.leaves_ >>= columns_->down_;
    part_.leaf_ = down_ * part_.leaves_;
    return part_;
}

/* void NAME_reduce_by_thread_(T *x, ...): all threads of a block fold its part of its tiles. The first row
   gets the results. */
#define REDUCE_REDUCE_BY_THREAD_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_reduce_by_thread_(NAME##_result *x,                                          \
                                                 const struct NAME##_columns_here_ *here_,                  \
                                                 const struct reduce_columns_ *columns_) {                  \
        const struct reduce_part_ part_ = reduce_own_part_(columns_, threadIdx.x / here_->row_);            \
        if (columns_->by_block_) {                                                                          \
            NAME##_part_by_block_(x, here_, &columns_->tree_, part_);                                       \
        } else {                                                                                            \
            if (here_->count_ > 0) NAME##_part_by_thread_(x, here_, &columns_->tree_, part_);               \
            NAME##_fold_halves_(x, here_);                                                                  \
        }                                                                                                   \
    }

/* void NAME_reduce_by_wide_(T *x, ...), NAME_reduce_by_narrow_: the same, compiled for one kind of loads. */
#define REDUCE_REDUCE_BY_(NAME, way, is_wide)                                                               \
    REDUCE_DEVICE_ void NAME##_reduce_by_##way##_(NAME##_result *x,                                         \
                                                  const struct NAME##_columns_here_ *here_,                 \
                                                  const struct reduce_columns_ *columns_) {                 \
        struct NAME##_columns_here_ own_ = *here_;                                                          \
        own_.is_wide_ = is_wide;                                                                            \
        own_.is_full_ = here_->is_full_ && (is_wide ? NAME##_fills_wide_ : NAME##_fills_narrow_);           \
        own_.levels_ = NAME##_levels_;                                                                      \
        NAME##_reduce_by_thread_(x, &own_, columns_);                                                       \
    }

/* void NAME_reduce_by_flat_(T *x, ...): a block folds its part of all columns of one outer index. */
#define REDUCE_REDUCE_BY_FLAT_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_reduce_by_flat_(NAME##_result *x,                                            \
                                               const struct NAME##_columns_here_ *here_,                    \
                                               const struct reduce_columns_ *columns_) {                    \
        const unsigned split_ = reduce_own_split_(columns_);                                                \
        if (!NAME##_is_flat_) return;                                                                       \
        NAME##_part_by_flat_(x, here_, &columns_->tree_,                                                    \
                             reduce_part_of_(&columns_->tree_, split_, columns_->splits_));                 \
    }

/* struct NAME_columns_here_ NAME_collectors_columns_(...): the columns of a thread of a collector. Each
   row of threads folds other splits, by its reversed number. */
#define REDUCE_COLLECTORS_COLUMNS_(NAME)                                                                    \
    REDUCE_DEVICE_ struct NAME##_columns_here_ NAME##_collectors_columns_(                                  \
        const struct reduce_columns_ *columns_, NAME##_result (*scratch_)[NAME##_width_]) {                 \
        const size_t results_ = columns_->outer_ * columns_->columns_;                                      \
        struct NAME##_columns_here_ here_;                                                                  \
        memset(&here_, 0, sizeof here_);                                                                    \
        here_.scratch_ = scratch_, here_.rows_ = 1u << (columns_->splits_ - columns_->each_);               \
        here_.row_ = blockDim.x / here_.rows_;                                                              \
        const size_t first_ = (size_t)(blockIdx.x - columns_->blocks_) * here_.row_ * NAME##_width_;        \
        const bool has_split_ = threadIdx.x < here_.rows_ * here_.row_;                                     \
        NAME##_share_columns_(&here_, threadIdx.x % here_.row_, here_.row_, false,                          \
                              has_split_ ? results_ - first_ : 0);                                          \
        here_.result_ = first_ + here_.own_;                                                                \
        return here_;                                                                                       \
    }

/* reduce_slot_ *NAME_columns_slot_(...): the slot of a split's result of the thread's column l. */
#define REDUCE_COLUMNS_SLOT_(NAME)                                                                          \
    REDUCE_DEVICE_ reduce_slot_ *NAME##_columns_slot_(const struct NAME##_columns_here_ *here_,             \
                                                      const struct reduce_columns_ *columns_,               \
                                                      reduce_workspace *ws_, unsigned split_, unsigned l) { \
        const size_t results_ = columns_->outer_ * columns_->columns_;                                      \
        const size_t k = split_ * results_ + here_->result_ + l * here_->apart_;                            \
        return ws_->slots_ + k;                                                                             \
    }

/* bool NAME_look_at_(T *x, ...): whether a split's result of column l has come; x gets it. */
#define REDUCE_LOOK_AT_(NAME)                                                                               \
    REDUCE_DEVICE_ bool NAME##_look_at_(NAME##_result *x, const struct NAME##_columns_here_ *here_,         \
                                        const struct reduce_columns_ *columns_, reduce_workspace *ws_,      \
                                        unsigned split_, unsigned l) {                                      \
        return reduce_look_(x, sizeof *x, NAME##_columns_slot_(here_, columns_, ws_, split_, l), 1);        \
    }

/* void NAME_wait_for_split_(T *x, ...): waits for a split's results of the thread's columns, and empties
   their slots. */
#define REDUCE_WAIT_FOR_SPLIT_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_wait_for_split_(NAME##_result *x, const struct NAME##_columns_here_ *here_,  \
                                               const struct reduce_columns_ *columns_,                      \
                                               reduce_workspace *ws_, unsigned split_) {                    \
        for (bool are_there_ = false; !are_there_;) {                                                       \
            are_there_ = true;                                                                              \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned l = 0; l < NAME##_width_; l++)                                                    \
                if (l < here_->count_)                                                                      \
                    are_there_ = NAME##_look_at_(&x[l], here_, columns_, ws_, split_, l) && are_there_;     \
        }                                                                                                   \
        for (unsigned l = 0; l < here_->count_; l++)                                                        \
            reduce_empty_(NAME##_columns_slot_(here_, columns_, ws_, split_, l), sizeof *x);                \
    }

/* void NAME_collect_columns_(T *x, ...): all threads of a collector fold the splits. The first row gets
   the results. */
#define REDUCE_COLLECT_COLUMNS_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_collect_columns_(NAME##_result *x, const struct NAME##_columns_here_ *here_, \
                                                const struct reduce_columns_ *columns_,                     \
                                                reduce_workspace *ws_) {                                    \
        NAME##_result levels_[REDUCE_LEVELS_][NAME##_width_];                                               \
        const int bits_ = columns_->splits_ - columns_->each_;                                              \
        const unsigned first_ = reduce_reversed_(threadIdx.x / here_->row_, bits_) << columns_->each_;      \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < 1u << columns_->each_; k++) {                                              \
            NAME##_wait_for_split_(x, here_, columns_, ws_, first_ + k);                                    \
            if (columns_->each_ > 0) NAME##_join_(x, levels_, k);                                           \
        }                                                                                                   \
        NAME##_fold_halves_(x, here_);                                                                      \
    }

/* bool NAME_is_own_(...): whether column l is one of the thread's, and this block writes its result. */
#define REDUCE_IS_OWN_(NAME)                                                                                \
    REDUCE_DEVICE_ bool NAME##_is_own_(const struct NAME##_columns_here_ *here_, unsigned l) {              \
        return l < here_->count_ && here_->own_ + l * here_->apart_ >= here_->skip_;                        \
    }

/* void NAME_deliver_columns_(const T *x, ...): the first row of threads writes results to the output, or a
   split's results to their slots. */
#define REDUCE_DELIVER_COLUMNS_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_deliver_columns_(const NAME##_result *x,                                     \
                                                const struct NAME##_columns_here_ *here_,                   \
                                                const struct reduce_columns_ *columns_,                     \
                                                reduce_workspace *ws_, NAME##_result *out_) {               \
        const unsigned split_ = reduce_own_split_(columns_);                                                \
        const bool are_whole_ = columns_->splits_ == 0 || blockIdx.x >= columns_->blocks_;                  \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++) {                                                      \
            if (threadIdx.x >= here_->row_ || !NAME##_is_own_(here_, l)) continue;                          \
            if (are_whole_)                                                                                 \
                out_[here_->result_ + l * here_->apart_] = NAME##_final_(x[l]);                             \
            else                                                                                            \
                reduce_publish_(NAME##_columns_slot_(here_, columns_, ws_, split_, l), x + l, sizeof *x, 1);\
        }                                                                                                   \
    }

/* Columns of so few rows that a thread walks all leaves of its columns together: NAME_few_ leaves at most,
   for which more blocks are resident, or NAME_some_. Bytes have up to 16 leaves in a strand, which a thread
   walks in two halves if columns are many. NAME_few_fit_, NAME_some_fit_, NAME_narrow_fit_: resident blocks
   of an SM (measured). Maps and custom operators need more registers. */
#define REDUCE_FEW_LEAVES_LAYOUT_(NAME)                                                                     \
    enum {                                                                                                  \
        NAME##_few_ = REDUCE_POWER_(REDUCE_MIN_(REDUCE_MIN_(4, (int)NAME##_together_),                      \
                                                64 / (int)NAME##_load_bytes_)),                             \
        NAME##_some_ = NAME##_together_,                                                                    \
        NAME##_most_leaves_ = NAME##_positions_ == 2 * NAME##_some_ ? 2 * NAME##_some_ : NAME##_some_,      \
        NAME##_have_small_loads_ = NAME##_load_bytes_ <= 8 && sizeof(NAME##_result) >= 4,                   \
        NAME##_few_fit_ = NAME##_some_ * NAME##_width_ * sizeof(NAME##_result) <= 128 ? 4 : 2,              \
        NAME##_is_hungry_ = NAME##_width_ >= 4 && (NAME##_is_mapped_ || !NAME##_is_built_in_),              \
        NAME##_narrow_fit_ = NAME##_few_fit_ == 2 || NAME##_is_hungry_ ? 2 : 3,                             \
        NAME##_some_fit_ = NAME##_have_small_loads_ ? NAME##_few_fit_ : NAME##_narrow_fit_                  \
    };

#ifndef REDUCE_MANY_COLUMNS_
#define REDUCE_MANY_COLUMNS_ ((size_t)1 << 19) /* (measured); tests define fewer */
#endif

/* void NAME_all_leaves_(T *x, ...): a thread folds all leaves of its columns, `together` of them or, if a
   strand has more, twice as many in two halves. */
#define REDUCE_ALL_LEAVES_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_all_leaves_(NAME##_result *x, const struct NAME##_columns_here_ *here_,      \
                                           const struct reduce_columns_ *columns_, int together_) {         \
        const struct reduce_column_ *const tree_ = &columns_->tree_;                                        \
        const bool has_halves_ = NAME##_most_leaves_ > NAME##_some_ && together_ == NAME##_some_;           \
        const unsigned n_ = (unsigned)tree_->n;                                                             \
        NAME##_result rest_[NAME##_width_];                                                                 \
        NAME##_some_leaves_(x, here_, tree_, 0, n_, 0, together_);                                          \
        if (!has_halves_ || columns_->few_ <= together_) return;                                            \
        NAME##_some_leaves_(rest_, here_, tree_, 0, n_, (unsigned)together_, together_);                    \
        NAME##_onto_(x, rest_);                                                                             \
    }

/* void NAME_write_columns_(T *x, ...): writes the results of a thread's columns. It changes x. */
#define REDUCE_WRITE_COLUMNS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_write_columns_(NAME##_result *x, const struct NAME##_columns_here_ *here_,   \
                                              NAME##_result *out_, bool are_neighbours_) {                  \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++)                                                        \
            if (l < here_->count_) x[l] = NAME##_final_(x[l]);                                              \
        if (are_neighbours_) {                                                                              \
            const unsigned count_ = here_->own_ < here_->skip_ ? 0 : here_->count_;                         \
            NAME##_write_neighbours_(out_ + here_->result_, x, count_, NAME##_width_);                      \
            return;                                                                                         \
        }                                                                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++)                                                        \
            if (NAME##_is_own_(here_, l)) out_[here_->result_ + l * here_->apart_] = x[l];                  \
    }

/* The kernel of columns of few or of some leaves. */
#define REDUCE_FEW_LEAVES_KERNEL_(NAME, few, way, is_wide)                                                  \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_COLUMN_THREADS_,                                           \
                                          is_wide ? NAME##_##few##_fit_ : NAME##_narrow_fit_)               \
        NAME##_columns_of_##few##_##way##_kernel_(                                                          \
            NAME##_input_ in_, const struct reduce_columns_ columns_, reduce_workspace *ws_,                \
            NAME##_result *out_) {                                                                          \
        struct NAME##_columns_here_ here_ = NAME##_columns_of_(in_, &columns_, NULL);                       \
        NAME##_result x[NAME##_width_] REDUCE_IN_WORDS_(NAME);                                              \
        here_.is_wide_ = is_wide, here_.is_full_ = false;                                                   \
        NAME##_all_leaves_(x, &here_, &columns_, NAME##_##few##_);                                          \
        NAME##_write_columns_(x, &here_, out_, is_wide);                                                    \
        (void)ws_;                                                                                          \
    }

/* void NAME_columns_by_way_(...): all threads of a block reduce columns or, in a collector, fold splits. */
#define REDUCE_COLUMNS_BY_(NAME, way)                                                                       \
    REDUCE_DEVICE_ void NAME##_columns_by_##way##_(                                                         \
        NAME##_input_ in_, const struct reduce_columns_ *columns_, reduce_workspace *ws_,                   \
        NAME##_result *out_, NAME##_result (*scratch_)[NAME##_width_]) {                                    \
        const bool collects_ = blockIdx.x >= columns_->blocks_;                                             \
        const struct NAME##_columns_here_ here_ = collects_ ? NAME##_collectors_columns_(columns_, scratch_)\
                                                            : NAME##_columns_of_(in_, columns_, scratch_);  \
        NAME##_result x[NAME##_width_];                                                                     \
        NAME##_identities_(x);                                                                              \
        if (collects_)                                                                                      \
            NAME##_collect_columns_(x, &here_, columns_, ws_);                                              \
        else                                                                                                \
            NAME##_reduce_by_##way##_(x, &here_, columns_);                                                 \
        NAME##_deliver_columns_(x, &here_, columns_, ws_, out_);                                            \
    }

/* The kernel of all other columns. way: wide, narrow or flat. */
#define REDUCE_COLUMNS_KERNEL_(NAME, way)                                                                   \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_COLUMN_THREADS_, REDUCE_COLUMN_BLOCKS_)                    \
        NAME##_columns_by_##way##_kernel_(NAME##_input_ in_, const struct reduce_columns_ columns_,         \
                                          reduce_workspace *ws_, NAME##_result *out_) {                     \
        __shared__ NAME##_result scratch_[NAME##_scratch_of_##way##_][NAME##_width_]                        \
            REDUCE_IN_WORDS_(NAME);                                                                         \
        NAME##_columns_by_##way##_(in_, &columns_, ws_, out_, scratch_);                                    \
    }

#include "reduce_brief_columns.cuh"
#include "reduce_columns_plan.cuh"

/* ---- Launches of columns ---- */

/* `count` columns of n elements for each outer index; nothing is planned yet. */
REDUCE_HOST_ struct reduce_columns_ reduce_columns_of_(size_t outer_, size_t n, size_t count_, size_t pitch_,
                                                       size_t element_size_) {
    struct reduce_columns_ columns_;
    memset(&columns_, 0, sizeof columns_);
    columns_.tree_ = reduce_column_of_(n, element_size_, pitch_);
    columns_.outer_ = outer_;
    columns_.columns_ = count_;
    columns_.pitch_ = pitch_;
    columns_.outer_pitch_ = outer_ > 1 ? n * pitch_ : 0;
    return columns_;
}

/* The elements of a tensor; SIZE_MAX if they are too many. */
REDUCE_HOST_ size_t reduce_axis_extent_(size_t outer_, size_t n, size_t inner_) {
    const size_t results_ = reduce_extent_(outer_, inner_, inner_);
    return results_ == SIZE_MAX ? results_ : reduce_extent_(n, results_, results_);
}

/* bool NAME_suit_wide_loads_(...): whether all addresses suit loads of `width` columns. A few columns of two
   arrays are faster by narrow ones (measured). */
#define REDUCE_SUIT_WIDE_LOADS_(NAME)                                                                       \
    REDUCE_HOST_ bool NAME##_suit_wide_loads_(NAME##_input_ in_, const struct reduce_columns_ *columns_) {  \
        const bool are_two_ = (int)NAME##_in_all_ > (int)NAME##_size_;                                      \
        return NAME##_width_ > 1 && NAME##_begins_wide_(in_) && columns_->columns_ > (are_two_ ? 24u : 0) &&\
            columns_->pitch_ % NAME##_width_ == 0 && columns_->columns_ % NAME##_width_ == 0 &&             \
            (columns_->outer_ == 1 || columns_->outer_pitch_ % NAME##_width_ == 0);                         \
    }

/* bool NAME_suit_flat_words_(...): whether columns without gaps may be added by words of 16 bytes. */
#define REDUCE_SUIT_FLAT_WORDS_(NAME)                                                                       \
    REDUCE_HOST_ bool NAME##_suit_flat_words_(NAME##_input_ in_, const struct reduce_columns_ *columns_) {  \
        return NAME##_is_flat_ && (uintptr_t)in_.in_ % 16 == 0 &&                                           \
            columns_->outer_pitch_ % NAME##_positions_ == 0;                                                \
    }

/* void NAME_look_at_columns_(...): whether loads may be wide, and whether leaves are few. */
#define REDUCE_LOOK_AT_COLUMNS_(NAME)                                                                       \
    REDUCE_HOST_ void NAME##_look_at_columns_(NAME##_input_ in_, struct reduce_columns_ *columns_) {        \
        columns_->is_wide_ = NAME##_suit_wide_loads_(in_, columns_);                                        \
        if (NAME##_is_exact_) reduce_thin_leaves_(columns_, NAME##_width_, reduce_bits_for_(NAME##_some_)); \
        columns_->few_ = 1 << reduce_order_bits_(columns_->tree_.leaves_);                                  \
        const size_t results_ = columns_->columns_ * columns_->outer_;                                      \
        const int most_ = results_ < REDUCE_MANY_COLUMNS_ ? (int)NAME##_some_ : (int)NAME##_most_leaves_;   \
        if (columns_->tree_.count_ > 1 || columns_->few_ > most_) columns_->few_ = 0;                       \
    }

/* bool NAME_plan_brief_(...): whether columns are brief, and how they are shared then. A chunk has as many
   leaves as a bundle, at least. */
#define REDUCE_PLAN_BRIEF_(NAME)                                                                            \
    REDUCE_HOST_ bool NAME##_plan_brief_(struct reduce_brief_ *brief_,                                      \
                                         const struct reduce_columns_ *columns_) {                          \
        if (!NAME##_is_brief_ || columns_->few_ > 0) return false;                                          \
        if (!reduce_are_brief_(columns_, NAME##_size_, (size_t)NAME##_size_ * NAME##_width_)) return false; \
        *brief_ = reduce_brief_of_(columns_, NAME##_width_bits_);                                           \
        const int leaves_ = columns_->is_wide_ ? NAME##_brief_wide_ : NAME##_brief_narrow_;                 \
        const int bits_ = brief_->leaf_bits_ - brief_->rows_ - reduce_bits_for_((size_t)leaves_);           \
        const int all_ = bits_ + reduce_order_bits_(brief_->tree_.chunks_);                                 \
        const size_t slots_ = REDUCE_SLOTS_TO_WAIT_FOR_(sizeof(NAME##_result));                             \
        return bits_ >= 0 && reduce_share_bundles_(brief_, all_, slots_);                                   \
    }

/* bool NAME_plan_brief_flat_(...): whether brief columns without gaps are taken by the tree's warps, or by
   combs, and how these are shared. Results that are much larger than elements meet too slowly in shared
   memory (measured). */
#define REDUCE_PLAN_BRIEF_FLAT_(NAME)                                                                       \
    REDUCE_HOST_ bool NAME##_plan_brief_flat_(struct reduce_brief_ *brief_,                                 \
                                              const struct reduce_columns_ *columns_, bool is_combed_) {    \
        const size_t bytes_ = NAME##_positions_ * sizeof(NAME##_result);                                    \
        const unsigned room_ = is_combed_ ? NAME##_of_combs_ : NAME##_shares_;                              \
        if (NAME##_size_ >= 4 && bytes_ > 32) return false;                                                 \
        if (!(is_combed_ ? reduce_suit_combs_(columns_, NAME##_size_)                                       \
                         : reduce_are_brief_flat_(columns_, NAME##_size_, bytes_)))                         \
            return false;                                                                                   \
        *brief_ = reduce_brief_of_(columns_, NAME##_width_bits_);                                           \
        brief_->is_combed_ = is_combed_;                                                                    \
        return reduce_share_combs_(brief_, room_, REDUCE_SLOTS_TO_WAIT_FOR_(sizeof(NAME##_result)));        \
    }

/* NAME_brief_kernel_ *NAME_choose_flat_(...), NAME_choose_brief_: plan brief columns and choose their kernel;
   NULL if columns are not brief. Small elements are better off with combs than without (measured). */
#define REDUCE_CHOOSE_FLAT_(NAME)                                                                           \
    typedef void NAME##_brief_kernel_(NAME##_input_, struct reduce_brief_, reduce_workspace *,              \
                                      NAME##_result *);                                                     \
    REDUCE_HOST_ NAME##_brief_kernel_ *NAME##_choose_flat_(struct reduce_brief_ *brief_, NAME##_input_ in_, \
                                                           const struct reduce_columns_ *columns_) {        \
        const bool by_combs_ = NAME##_size_ < 4;                                                            \
        if (!NAME##_suit_flat_words_(in_, columns_)) return NULL;                                           \
        if (!NAME##_plan_brief_flat_(brief_, columns_, by_combs_) &&                                        \
            !NAME##_plan_brief_flat_(brief_, columns_, !by_combs_))                                         \
            return NULL;                                                                                    \
        return brief_->is_combed_ ? NAME##_brief_combed_kernel_ : NAME##_brief_flat_kernel_;                \
    }
#define REDUCE_CHOOSE_BRIEF_(NAME)                                                                          \
    REDUCE_HOST_ NAME##_brief_kernel_ *NAME##_choose_brief_(struct reduce_brief_ *brief_, NAME##_input_ in_,\
                                                            const struct reduce_columns_ *columns_) {       \
        const bool flat_first_ = reduce_prefer_flat_(columns_, NAME##_size_);                               \
        NAME##_brief_kernel_ *kernel_ = flat_first_ ? NAME##_choose_flat_(brief_, in_, columns_) : NULL;    \
        if (kernel_ == NULL && NAME##_plan_brief_(brief_, columns_))                                        \
            kernel_ = columns_->is_wide_ ? NAME##_brief_wide_kernel_ : NAME##_brief_narrow_kernel_;         \
        return kernel_ != NULL || flat_first_ ? kernel_ : NAME##_choose_flat_(brief_, in_, columns_);       \
    }

/* cudaError_t NAME_launch_brief_(...): launches a kernel of brief columns. */
#define REDUCE_LAUNCH_BRIEF_(NAME)                                                                          \
    REDUCE_HOST_ cudaError_t NAME##_launch_brief_(NAME##_brief_kernel_ *kernel_, NAME##_input_ in_,         \
                                                  struct reduce_brief_ brief_, NAME##_result *out_,         \
                                                  reduce_workspace *ws_, cudaStream_t stream_) {            \
        void *arguments_[] = {&in_, &brief_, &ws_, &out_};                                                  \
        return REDUCE_CUDA_LAUNCH_(kernel_, reduce_brief_grid_(&brief_),                                    \
                                   dim3(REDUCE_WARP * brief_.warps_), arguments_, 0, stream_);              \
    }

/* void NAME_plan_columns_(...): chooses a way, and shares columns among threads. */
#define REDUCE_PLAN_COLUMNS_(NAME)                                                                          \
    REDUCE_HOST_ void NAME##_plan_columns_(NAME##_input_ in_, struct reduce_columns_ *columns_) {           \
        const size_t slots_ = REDUCE_SLOTS_TO_WAIT_FOR_(sizeof(NAME##_result));                             \
        if (NAME##_suit_flat_words_(in_, columns_) && reduce_are_flat_(columns_, NAME##_positions_))        \
            reduce_share_flat_(columns_, NAME##_flat_words_, NAME##_width_, slots_);                        \
        else                                                                                                \
            reduce_share_columns_(columns_, NAME##_width_, reduce_bits_for_(NAME##_together_), slots_);     \
    }

/* cudaError_t NAME_start_columns_(...): makes one launch. */
#define REDUCE_START_COLUMNS_(NAME)                                                                         \
    REDUCE_HOST_ cudaError_t NAME##_start_columns_(const struct reduce_columns_ *columns_,                  \
                                                   struct reduce_grid_ grid_, void **arguments_,            \
                                                   cudaStream_t stream_) {                                  \
        void (*const kernels_[][2])(NAME##_input_, struct reduce_columns_, reduce_workspace *,              \
                                    NAME##_result *) = {                                                    \
            {NAME##_columns_by_narrow_kernel_, NAME##_columns_by_wide_kernel_},                             \
            {NAME##_columns_of_some_narrow_kernel_, NAME##_columns_of_few_wide_kernel_},                    \
            {NAME##_columns_of_some_narrow_kernel_, NAME##_columns_of_some_wide_kernel_},                   \
            {NAME##_columns_by_flat_kernel_, NAME##_columns_by_flat_kernel_}};                              \
        const int way_ = columns_->is_flat_ ? 3 : columns_->few_ > NAME##_few_ ? 2 : columns_->few_ > 0;    \
        return REDUCE_CUDA_LAUNCH_(kernels_[way_][columns_->is_wide_], dim3(grid_.blocks_),                 \
                                   dim3(grid_.threads_), arguments_, 0, stream_);                           \
    }

/* cudaError_t NAME_launch_other_columns_(...): launches columns that are not brief, more than once if there
   are too many blocks for one launch. */
#define REDUCE_LAUNCH_OTHER_COLUMNS_(NAME)                                                                  \
    REDUCE_HOST_ cudaError_t NAME##_launch_other_columns_(                                                  \
        NAME##_input_ in_, struct reduce_columns_ columns_, NAME##_result *out_, reduce_workspace *ws_,     \
        cudaStream_t stream_) {                                                                             \
        void *arguments_[] = {&in_, &columns_, &ws_, &out_};                                                \
        cudaError_t status_ = cudaSuccess;                                                                  \
        NAME##_plan_columns_(in_, &columns_);                                                               \
        const size_t tiles_ = columns_.tiles_ * columns_.outer_;                                            \
        while (columns_.first_ < tiles_ && status_ == cudaSuccess) {                                        \
            const struct reduce_grid_ grid_ = reduce_columns_grid_(&columns_, NAME##_width_);               \
            status_ = NAME##_start_columns_(&columns_, grid_, arguments_, stream_);                         \
            columns_.first_ += (size_t)(columns_.blocks_ >> columns_.splits_) * columns_.tiles_of_block_;   \
        }                                                                                                   \
        return status_;                                                                                     \
    }

/* cudaError_t NAME_launch_columns_(...): launches columns in the way that suits them. */
#define REDUCE_LAUNCH_COLUMNS_(NAME)                                                                        \
    REDUCE_HOST_ cudaError_t NAME##_launch_columns_(NAME##_input_ in_, struct reduce_columns_ columns_,     \
                                                    NAME##_result *out_, reduce_workspace *ws_,             \
                                                    cudaStream_t stream_) {                                 \
        struct reduce_brief_ brief_;                                                                        \
        NAME##_look_at_columns_(in_, &columns_);                                                            \
        NAME##_brief_kernel_ *const kernel_ = NAME##_choose_brief_(&brief_, in_, &columns_);                \
        if (kernel_ != NULL) return NAME##_launch_brief_(kernel_, in_, brief_, out_, ws_, stream_);         \
        return NAME##_launch_other_columns_(in_, columns_, out_, ws_, stream_);                             \
    }

/* cudaError_t NAME_columns_by_gpu_(...), NAME_axis_by_gpu_(...): as NAME_rows_by_gpu_. */
#define REDUCE_COLUMNS_BY_GPU_(NAME)                                                                        \
    REDUCE_HOST_ cudaError_t NAME##_columns_by_gpu_(NAME##_input_ input_, size_t n, size_t count_,          \
                                                    size_t pitch_, NAME##_result *out_,                     \
                                                    reduce_workspace *ws_, cudaStream_t stream_) {          \
        const size_t extent_ = reduce_extent_(n, count_, pitch_);                                           \
        const cudaError_t status_ =                                                                         \
            NAME##_check_(input_, extent_, REDUCE_RANGE_(out_, count_, NAME##_result));                     \
        if (status_ != cudaSuccess || count_ == 0) return status_;                                          \
        if (ws_ == NULL) return cudaErrorInvalidValue;                                                      \
        if (count_ == 1 && pitch_ == 1) return NAME##_launch_rows_(input_, 1, n, n, out_, ws_, stream_);    \
        if (n == 1) return NAME##_launch_singles_(input_, count_, out_, stream_);                           \
        return NAME##_launch_columns_(input_, reduce_columns_of_(1, n, count_, pitch_, NAME##_size_), out_, \
                                      ws_, stream_);                                                        \
    }

#define REDUCE_AXIS_BY_GPU_(NAME)                                                                           \
    REDUCE_HOST_ cudaError_t NAME##_axis_by_gpu_(NAME##_input_ input_, size_t outer_, size_t n,             \
                                                 size_t inner_, NAME##_result *out_,                        \
                                                 reduce_workspace *ws_, cudaStream_t stream_) {             \
        const size_t results_ = reduce_extent_(outer_, inner_, inner_);                                     \
        const size_t extent_ = reduce_axis_extent_(outer_, n, inner_);                                      \
        const cudaError_t status_ =                                                                         \
            NAME##_check_(input_, extent_, REDUCE_RANGE_(out_, results_, NAME##_result));                   \
        if (status_ != cudaSuccess || results_ == 0) return status_;                                        \
        if (ws_ == NULL) return cudaErrorInvalidValue;                                                      \
        if (inner_ == 1) return NAME##_rows_by_gpu_(input_, outer_, n, n, out_, ws_, stream_);              \
        return NAME##_launch_columns_(input_, reduce_columns_of_(outer_, n, inner_, inner_, NAME##_size_),  \
                                      out_, ws_, stream_);                                                  \
    }

#define REDUCE_COLUMNS_CALL_(NAME, KIND)                                                                    \
    REDUCE_SHAPE_CALL_(NAME, KIND, NAME##_columns, (size_t n, size_t columns_, size_t pitch_),              \
                       (n, columns_, pitch_), reduce_extent_(n, columns_, pitch_), columns_)
#define REDUCE_AXIS_CALL_(NAME, KIND)                                                                       \
    REDUCE_SHAPE_CALL_(NAME, KIND, NAME##_axis, (size_t outer_, size_t n, size_t inner_),                   \
                       (outer_, n, inner_),                                                                 \
                       reduce_axis_extent_(outer_, n, inner_), reduce_extent_(outer_, inner_, inner_))

#endif /* __CUDACC__ */

/* ---- What a NAME gets ---------------------------------------------------------------------------------- */

#define REDUCE_GENERATE_COLUMNS_CPU_(NAME, KIND)                                                            \
    REDUCE_EACH_(NAME, REDUCE_CPU_MAP_ROW_, REDUCE_CPU_LEAF_, REDUCE_CPU_JOIN_,                             \
                 REDUCE_CPU_COLUMNS_OF_CHUNK_)                                                              \
    REDUCE_CPU_TILE_(NAME) REDUCE_LINE_ REDUCE_CPU_COLUMNS_(NAME) REDUCE_LINE_                              \
    REDUCE_COLUMNS_CPU_(NAME, KIND) REDUCE_LINE_ REDUCE_AXIS_CPU_(NAME, KIND) REDUCE_LINE_

#ifdef __CUDACC__

#define REDUCE_GENERATE_CELLS_(NAME, KIND)                                                                  \
    REDUCE_COLUMNS_LAYOUT_(NAME, KIND) REDUCE_LINE_ REDUCE_COLUMNS_HERE_(NAME) REDUCE_LINE_                 \
    REDUCE_CELLS_##KIND(NAME) REDUCE_LINE_ REDUCE_LOAD_CELL_##KIND(NAME) REDUCE_LINE_                       \
    REDUCE_LOAD_ALL_CELLS_##KIND(NAME) REDUCE_LINE_ REDUCE_LOAD_CELLS_(NAME) REDUCE_LINE_                   \
    REDUCE_ADD_CELLS_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_LEAVES_(NAME)                                                                       \
    REDUCE_EACH_(NAME, REDUCE_ONTO_, REDUCE_AFTER_, REDUCE_JOIN_, REDUCE_JOIN_ONE_)                         \
    REDUCE_EACH_(NAME, REDUCE_JOIN_HERE_, REDUCE_LEAVES_LAYOUT_, REDUCE_ADD_FULL_, REDUCE_ADD_ROUNDS_)      \
    REDUCE_EACH_(NAME, REDUCE_ADD_STRIPES_, REDUCE_ADD_ALL_LEAVES_, REDUCE_LOAD_LEAVES_,                    \
                 REDUCE_ADD_LEAVES_)                                                                        \
    REDUCE_EACH_(NAME, REDUCE_ADD_STRIPE_, REDUCE_WALK_LEAVES_, REDUCE_FOLD_LEAVES_, REDUCE_SOME_LEAVES_)   \
    REDUCE_LEAVES_BY_THREAD_(NAME) REDUCE_LINE_ REDUCE_PART_BY_(NAME, thread) REDUCE_LINE_                  \
    REDUCE_EACH_(NAME, REDUCE_FOLD_HALVES_, REDUCE_LEAVES_BY_BLOCK_, REDUCE_NOTHING_, REDUCE_NOTHING_)      \
    REDUCE_PART_BY_(NAME, block) REDUCE_LINE_

#define REDUCE_GENERATE_FLAT_LOADS_(NAME)                                                                   \
    REDUCE_EACH_(NAME, REDUCE_FLAT_OF_, REDUCE_ADD_FLAT_, REDUCE_FLAT_ROWS_, REDUCE_FLAT_ROWS_OF_)          \
    REDUCE_EACH_(NAME, REDUCE_ADD_WORD_, REDUCE_LOAD_WORD_, REDUCE_SWEEP_, REDUCE_BEGIN_SWEEP_)             \
    REDUCE_EACH_(NAME, REDUCE_SWEEP_STRIPE_, REDUCE_LOAD_STRIPE_, REDUCE_ADD_STRIPE_OF_WORDS_,              \
                 REDUCE_SWEEP_STRIPES_)

#define REDUCE_GENERATE_FLAT_COLUMNS_(NAME)                                                                 \
    REDUCE_BEGIN_WORDS_(NAME) REDUCE_LINE_                                                                  \
    REDUCE_EACH_(NAME, REDUCE_SWEEP_CHUNK_, REDUCE_PUT_WORD_, REDUCE_PLACE_OF_, REDUCE_FOLD_POSITIONS_)     \
    REDUCE_EACH_(NAME, REDUCE_PUT_WORDS_, REDUCE_PLACE_WORDS_, REDUCE_FOLD_QUARTERS_, REDUCE_FOLD_WORDS_)   \
    REDUCE_LEAVES_BY_FLAT_(NAME) REDUCE_LINE_ REDUCE_PART_BY_(NAME, flat) REDUCE_LINE_

#define REDUCE_GENERATE_COLUMNS_OF_BLOCKS_(NAME)                                                            \
    REDUCE_EACH_(NAME, REDUCE_SHARE_COLUMNS_, REDUCE_COLUMNS_OF_, REDUCE_REDUCE_BY_THREAD_,                 \
                 REDUCE_NOTHING_)                                                                           \
    REDUCE_REDUCE_BY_(NAME, wide, true) REDUCE_LINE_ REDUCE_REDUCE_BY_(NAME, narrow, false) REDUCE_LINE_    \
    REDUCE_EACH_(NAME, REDUCE_REDUCE_BY_FLAT_, REDUCE_COLLECTORS_COLUMNS_, REDUCE_COLUMNS_SLOT_,            \
                 REDUCE_LOOK_AT_)                                                                           \
    REDUCE_EACH_(NAME, REDUCE_WAIT_FOR_SPLIT_, REDUCE_COLLECT_COLUMNS_, REDUCE_IS_OWN_,                     \
                 REDUCE_DELIVER_COLUMNS_)                                                                   \
    REDUCE_WRITE_COLUMNS_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_BRIEF_COLUMNS_(NAME)                                                                \
    REDUCE_EACH_(NAME, REDUCE_BRIEF_LAYOUT_, REDUCE_BRIEF_COLUMNS_, REDUCE_FOLD_ROWS_, REDUCE_BUNDLE_)      \
    REDUCE_EACH_(NAME, REDUCE_FOLD_WARPS_, REDUCE_BRIEF_BUNDLES_, REDUCE_DELIVER_BRIEF_,                    \
                 REDUCE_DELIVER_TILE_)                                                                      \
    REDUCE_EACH_(NAME, REDUCE_BRIEF_TILE_, REDUCE_WAIT_FOR_SLOT_, REDUCE_COLLECT_SPLITS_,                   \
                 REDUCE_COLLECT_BRIEF_)                                                                     \
    REDUCE_BRIEF_KERNEL_(NAME, wide, true, 1) REDUCE_LINE_                                                  \
    REDUCE_BRIEF_KERNEL_(NAME, narrow, false, NAME##_width_) REDUCE_LINE_                                   \
    REDUCE_EACH_(NAME, REDUCE_BRIEF_FLAT_LAYOUT_, REDUCE_FLAT_OF_COMBS_, REDUCE_CHOOSE_WORDS_,              \
                 REDUCE_SWEEP_SHARES_)                                                                      \
    REDUCE_EACH_(NAME, REDUCE_SWEEP_OWN_, REDUCE_FOLD_TEETH_, REDUCE_FOLD_SHARE_, REDUCE_FOLD_SHARES_)      \
    REDUCE_FOLD_PASS_(NAME) REDUCE_LINE_ REDUCE_BRIEF_FLAT_(NAME) REDUCE_LINE_                              \
    REDUCE_BRIEF_FLAT_KERNEL_(NAME, flat, 0, 2 * NAME##_shares_) REDUCE_LINE_                               \
    REDUCE_BRIEF_FLAT_KERNEL_(NAME, combed, REDUCE_COMB_BITS_, NAME##_of_combs_) REDUCE_LINE_

#define REDUCE_GENERATE_COLUMNS_KERNELS_(NAME)                                                              \
    REDUCE_FEW_LEAVES_LAYOUT_(NAME) REDUCE_LINE_ REDUCE_ALL_LEAVES_(NAME) REDUCE_LINE_                      \
    REDUCE_FEW_LEAVES_KERNEL_(NAME, few, wide, true) REDUCE_LINE_                                           \
    REDUCE_FEW_LEAVES_KERNEL_(NAME, some, wide, true) REDUCE_LINE_                                          \
    REDUCE_FEW_LEAVES_KERNEL_(NAME, some, narrow, false) REDUCE_LINE_                                       \
    REDUCE_COLUMNS_BY_(NAME, wide) REDUCE_LINE_ REDUCE_COLUMNS_KERNEL_(NAME, wide) REDUCE_LINE_             \
    REDUCE_COLUMNS_BY_(NAME, narrow) REDUCE_LINE_ REDUCE_COLUMNS_KERNEL_(NAME, narrow) REDUCE_LINE_         \
    REDUCE_COLUMNS_BY_(NAME, flat) REDUCE_LINE_ REDUCE_COLUMNS_KERNEL_(NAME, flat) REDUCE_LINE_

#define REDUCE_GENERATE_COLUMNS_CALLS_(NAME, KIND)                                                          \
    REDUCE_EACH_(NAME, REDUCE_SUIT_WIDE_LOADS_, REDUCE_SUIT_FLAT_WORDS_, REDUCE_LOOK_AT_COLUMNS_,           \
                 REDUCE_PLAN_COLUMNS_)                                                                      \
    REDUCE_EACH_(NAME, REDUCE_START_COLUMNS_, REDUCE_PLAN_BRIEF_, REDUCE_PLAN_BRIEF_FLAT_,                  \
                 REDUCE_CHOOSE_FLAT_)                                                                       \
    REDUCE_CHOOSE_BRIEF_(NAME) REDUCE_LINE_                                                                 \
    REDUCE_EACH_(NAME, REDUCE_LAUNCH_BRIEF_, REDUCE_LAUNCH_OTHER_COLUMNS_, REDUCE_LAUNCH_COLUMNS_,          \
                 REDUCE_NOTHING_)                                                                           \
    REDUCE_COLUMNS_BY_GPU_(NAME) REDUCE_LINE_ REDUCE_COLUMNS_CALL_(NAME, KIND) REDUCE_LINE_                 \
    REDUCE_AXIS_BY_GPU_(NAME) REDUCE_LINE_ REDUCE_AXIS_CALL_(NAME, KIND) REDUCE_LINE_

#define REDUCE_GENERATE_LEAVES_OF_COLUMNS_(NAME, KIND)                                                      \
    REDUCE_GENERATE_CELLS_(NAME, KIND) REDUCE_GENERATE_LEAVES_(NAME)

#define REDUCE_GENERATE_ALL_COLUMNS_(NAME)                                                                  \
    REDUCE_GENERATE_FLAT_LOADS_(NAME) REDUCE_GENERATE_FLAT_COLUMNS_(NAME)                                   \
    REDUCE_GENERATE_COLUMNS_OF_BLOCKS_(NAME) REDUCE_GENERATE_COLUMNS_KERNELS_(NAME)                         \
    REDUCE_GENERATE_BRIEF_COLUMNS_(NAME)

#define REDUCE_COLUMNS_ON_GPU_(NAME, KIND)                                                                  \
    REDUCE_GENERATE_ALL_COLUMNS_(NAME) REDUCE_GENERATE_COLUMNS_CALLS_(NAME, KIND)

#else
#define REDUCE_COLUMNS_ON_GPU_(NAME, KIND)
#endif

#ifdef REDUCE_NO_COLUMNS
#define REDUCE_COLUMNS_AND_AXES_(NAME, KIND)
#else
#define REDUCE_COLUMNS_AND_AXES_(NAME, KIND)                                                                \
    REDUCE_GENERATE_COLUMNS_CPU_(NAME, KIND) REDUCE_COLUMNS_ON_GPU_(NAME, KIND)
#endif

#endif /* REDUCE_COLUMNS_CUH */
