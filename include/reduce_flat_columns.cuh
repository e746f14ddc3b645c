/*
 * reduce_flat_columns.cuh: up to 16 columns without gaps, a part of reduce_columns.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce_columns.cuh says how a column is reduced, and includes this file. Words are those of
 * reduce_rows.cuh.
 */
#ifndef REDUCE_COLUMNS_CUH
#include "reduce_rows.cuh"
#elif !defined REDUCE_FLAT_COLUMNS_CUH
#define REDUCE_FLAT_COLUMNS_CUH

/* ---- Columns without gaps ----
 *
 * Flat columns are few, and their rows follow each other without gaps. What a strand owns in one stripe is
 * then as many words as there are columns, aligned even if their number is odd. A block takes the words of
 * some strands, whatever columns they belong to. Each thread has some words, adds those of every stripe in
 * place, and keeps an accumulator for each place (element of a word). In scratch the places then fold to
 * columns. The strands of a block follow each other in the order of leaves; neighbouring threads have
 * neighbouring words.
 */

/* A word of flat columns. Words that do not exist lie behind every chunk. */
struct reduce_flat_ {
    unsigned at_;        /* its first element, counted from the beginning of a stripe */
    unsigned row_;       /* the first row of its strand */
    unsigned in_strand_; /* that element's place in what the strand owns */
};

/* The number, in the order of leaves, of the strand that is number k in memory, of 2^bits strands. */
REDUCE_DEVICE_ unsigned reduce_number_of_strand_(unsigned k, int bits_) {
    const unsigned warp_ = k / REDUCE_WARP, strand_ = k % REDUCE_WARP;
    if (bits_ <= 5) return reduce_reversed_(k, bits_);
    return reduce_reversed_(warp_, bits_ - 5) * REDUCE_WARP + reduce_reversed_(strand_, 5);
}

/* struct reduce_flat_ NAME_flat_of_(...): word k of a block's strands, the first of which begins with leaf
   `leaf`. */
#define REDUCE_FLAT_OF_(NAME)                                                                               \
    REDUCE_DEVICE_ struct reduce_flat_ NAME##_flat_of_(const struct NAME##_columns_here_ *here_,            \
                                                       const struct reduce_column_ *tree_, unsigned leaf_,  \
                                                       unsigned k) {                                        \
        const unsigned columns_ = (unsigned)here_->pitch_, strand_ = k / columns_;                          \
        const unsigned number_ = reduce_number_of_strand_(strand_, reduce_bits_for_(here_->rows_));         \
        struct reduce_flat_ flat_ = {REDUCE_FLAT_END_, 0, 0};                                               \
        if (strand_ >= here_->rows_) return flat_;                                                          \
        flat_.in_strand_ = (k - strand_ * columns_) * NAME##_positions_;                                    \
        flat_.row_ = reduce_leaf_(tree_->leaves_, leaf_ + number_ * NAME##_positions_);                     \
        flat_.at_ = flat_.row_ * columns_ + flat_.in_strand_;                                               \
        return flat_;                                                                                       \
    }

/* unsigned NAME_place_of_(...): where word k's first value lies in scratch. Strands lie there by their
   reversed numbers, so that the upper half folds onto the lower. */
#define REDUCE_PLACE_OF_(NAME)                                                                              \
    REDUCE_DEVICE_ unsigned NAME##_place_of_(const struct NAME##_columns_here_ *here_, unsigned k) {        \
        const unsigned columns_ = (unsigned)here_->pitch_, strand_ = k / columns_;                          \
        const int bits_ = reduce_bits_for_(here_->rows_);                                                   \
        const unsigned place_ = reduce_reversed_(reduce_number_of_strand_(strand_, bits_), bits_);          \
        return (place_ * columns_ + (k - strand_ * columns_)) * NAME##_positions_;                          \
    }

/* void NAME_add_flat_(T *values, ...): adds count elements of a word, which in begins with, to its places.
   i: the index of its strand's first row. Extremes are combined several at once; for other operators this is
   slower here (measured). */
#define REDUCE_ADD_FLAT_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_flat_(NAME##_result *values_, NAME##_input_ in_, unsigned count_,        \
                                         size_t i, unsigned in_strand_, unsigned columns_) {                \
        const bool are_packed_ = NAME##_packed_ > 1 && NAME##_selects_ && count_ == NAME##_positions_;      \
        if (are_packed_) NAME##_combine_words_(values_, in_.in_, NAME##_positions_ * sizeof *values_);      \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            if (p < count_ && !are_packed_)                                                                 \
                values_[p] = NAME##_combine_next_(                                                          \
                    values_[p], NAME##_operand_at_(in_, p, i + (in_strand_ + p) / columns_));               \
    }

/* struct NAME_flat_rows_: the rows of a chunk. */
#define REDUCE_FLAT_ROWS_(NAME)                                                                             \
    struct NAME##_flat_rows_ {                                                                              \
        NAME##_input_ in_; /* begins with the chunk's first row */                                          \
        size_t i;          /* that row's index */                                                           \
        unsigned end_;     /* elements of all rows */                                                       \
        unsigned wide_;    /* as many of them, from the first on, lie in whole words */                     \
        unsigned columns_; /* elements of a row */                                                          \
        unsigned stripe_;  /* rows of a stripe */                                                           \
    };

/* struct NAME_flat_rows_ NAME_flat_rows_of_(...): the chunk that begins with row i, if i is less than n. */
#define REDUCE_FLAT_ROWS_OF_(NAME)                                                                          \
    REDUCE_DEVICE_ struct NAME##_flat_rows_ NAME##_flat_rows_of_(                                           \
        NAME##_input_ in_, size_t columns_, const struct reduce_column_ *tree_, size_t i) {                 \
        const size_t count_ = REDUCE_MIN_(tree_->n - i, tree_->chunk_);                                     \
        struct NAME##_flat_rows_ rows_;                                                                     \
        rows_.in_ = NAME##_input_at_(in_, i * columns_);                                                    \
        rows_.i = i;                                                                                        \
        rows_.columns_ = (unsigned)columns_;                                                                \
        rows_.stripe_ = tree_->stripe_;                                                                     \
        rows_.end_ = (unsigned)count_ * rows_.columns_;                                                     \
        rows_.wide_ = 0;                                                                                    \
        if (NAME##_is_aligned_(rows_.in_)) rows_.wide_ = rows_.end_ - rows_.end_ % NAME##_positions_;       \
        return rows_;                                                                                       \
    }

/* void NAME_add_word_(T *values, ...): adds a word of the stripe that begins with row. Of a word that is
   not whole it loads the elements that exist. */
#define REDUCE_ADD_WORD_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_word_(NAME##_result *values_, const struct NAME##_loaded_ *x,            \
                                         struct reduce_flat_ flat_, const struct NAME##_flat_rows_ *rows_,  \
                                         unsigned row_) {                                                   \
        const unsigned at_ = flat_.at_ + row_ * rows_->columns_;                                            \
        const size_t i = rows_->i + flat_.row_ + row_;                                                      \
        if (at_ < rows_->wide_)                                                                             \
            NAME##_add_flat_(values_, NAME##_loaded_at_(rows_->in_, x), NAME##_positions_, i,               \
                             flat_.in_strand_, rows_->columns_);                                            \
        else if (at_ < rows_->end_)                                                                         \
            NAME##_add_flat_(values_, NAME##_input_at_(rows_->in_, at_), rows_->end_ - at_, i,              \
                             flat_.in_strand_, rows_->columns_);                                            \
    }

/* void NAME_load_word_(struct NAME_loaded_ *x, ...): loads a word, if it is whole. */
#define REDUCE_LOAD_WORD_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_load_word_(struct NAME##_loaded_ *x, struct reduce_flat_ flat_,              \
                                          const struct NAME##_flat_rows_ *rows_, unsigned row_) {           \
        const unsigned at_ = flat_.at_ + row_ * rows_->columns_;                                            \
        const bool is_whole_ = at_ < rows_->wide_;                                                          \
        NAME##_load_(x, NAME##_input_at_(rows_->in_, is_whole_ ? at_ : 0), is_whole_);                      \
    }

/* struct NAME_sweep_: a sweep is a block's way through all stripes of a chunk with the same words in each
   stripe. This is a thread's words, and the values of their places. Only the first `words` of them are in
   use, which is a constant in each call. */
#define REDUCE_SWEEP_(NAME)                                                                                 \
    struct NAME##_sweep_ {                                                                                  \
        struct reduce_flat_ of_[NAME##_flat_words_];                                                        \
        NAME##_result values_[NAME##_flat_words_][NAME##_positions_];                                       \
    };

/* void NAME_begin_sweep_(...): chooses a thread's words of the strands that begin with leaf. */
#define REDUCE_BEGIN_SWEEP_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_begin_sweep_(struct NAME##_sweep_ *sweep_,                                   \
                                            const struct NAME##_columns_here_ *here_,                       \
                                            const struct reduce_column_ *tree_, unsigned leaf_) {           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_flat_words_; s++)                                                   \
            sweep_->of_[s] = NAME##_flat_of_(here_, tree_, leaf_, threadIdx.x + s * blockDim.x);            \
    }

/* void NAME_sweep_stripe_(...): adds the stripe that begins with row. All loads come before the first use. */
#define REDUCE_SWEEP_STRIPE_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_sweep_stripe_(struct NAME##_sweep_ *sweep_,                                  \
                                             const struct NAME##_flat_rows_ *rows_, unsigned row_,          \
                                             unsigned words_) {                                             \
        struct NAME##_loaded_ x[NAME##_flat_words_];                                                        \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < words_; s++)                                                               \
            NAME##_load_word_(&x[s], sweep_->of_[s], rows_, row_);                                          \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < words_; s++)                                                               \
            NAME##_add_word_(sweep_->values_[s], &x[s], sweep_->of_[s], rows_, row_);                       \
    }

/* void NAME_load_stripe_(...): loads a thread's words of a stripe in which all are whole, without
   predicates; for a word that does not exist it loads the first. */
#define REDUCE_LOAD_STRIPE_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_load_stripe_(struct NAME##_loaded_ *x, const struct NAME##_sweep_ *sweep_,   \
                                            const struct NAME##_flat_rows_ *rows_, unsigned row_,           \
                                            unsigned words_) {                                              \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < words_; s++) {                                                             \
            const unsigned at_ = sweep_->of_[s].at_ < REDUCE_FLAT_END_ ? sweep_->of_[s].at_ : 0;            \
            NAME##_load_(&x[s], NAME##_input_at_(rows_->in_, at_ + row_ * rows_->columns_), true);          \
        }                                                                                                   \
    }

/* void NAME_add_stripe_of_words_(...): adds what NAME_load_stripe_ loaded. */
#define REDUCE_ADD_STRIPE_OF_WORDS_(NAME)                                                                   \
    REDUCE_DEVICE_ void NAME##_add_stripe_of_words_(struct NAME##_sweep_ *sweep_,                           \
                                                    const struct NAME##_loaded_ *x,                         \
                                                    const struct NAME##_flat_rows_ *rows_, unsigned row_,   \
                                                    unsigned words_) {                                      \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < words_; s++)                                                               \
            NAME##_add_flat_(sweep_->values_[s], NAME##_loaded_at_(rows_->in_, &x[s]), NAME##_positions_,   \
                             rows_->i + sweep_->of_[s].row_ + row_, sweep_->of_[s].in_strand_,              \
                             rows_->columns_);                                                              \
    }

#define REDUCE_STRIPES_ 4 /* stripes whose words are in flight together at most (measured) */

/* void NAME_sweep_stripes_(...): adds as many stripes as are in flight together, from a row on. */
#define REDUCE_SWEEP_STRIPES_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_sweep_stripes_(struct NAME##_sweep_ *sweep_,                                 \
                                              const struct NAME##_flat_rows_ *rows_, unsigned row_,         \
                                              unsigned words_, unsigned stripes_) {                         \
        struct NAME##_loaded_ x[REDUCE_STRIPES_][NAME##_flat_words_];                                       \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned k = 0; k < stripes_; k++)                                                             \
            NAME##_load_stripe_(x[k], sweep_, rows_, row_ + k * rows_->stripe_, words_);                    \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned k = 0; k < stripes_; k++)                                                             \
            NAME##_add_stripe_of_words_(sweep_, x[k], rows_, row_ + k * rows_->stripe_, words_);            \
    }

/* void NAME_begin_words_(...), NAME_end_words_: NAME_begin_each_ and NAME_end_each_ for the places of a
   thread's words. */
#define REDUCE_BEGIN_WORDS_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_begin_words_(struct NAME##_sweep_ *sweep_,                                   \
                                            const struct NAME##_flat_rows_ *rows_, unsigned words_) {       \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < words_; s++)                                                               \
            NAME##_begin_each_(sweep_->values_[s], NAME##_positions_, rows_->i, rows_->end_ > 0);           \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_end_words_(struct NAME##_sweep_ *sweep_,                                     \
                                          const struct NAME##_flat_rows_ *rows_, unsigned words_) {         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < words_; s++)                                                               \
            NAME##_end_each_(sweep_->values_[s], NAME##_positions_, rows_->i);                              \
    }

/* void NAME_sweep_chunk_(...): adds all stripes of a chunk. */
#define REDUCE_SWEEP_CHUNK_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_sweep_chunk_(struct NAME##_sweep_ *sweep_,                                   \
                                            const struct NAME##_flat_rows_ *rows_, unsigned words_,         \
                                            unsigned stripes_) {                                            \
        const unsigned count_ = rows_->end_ / rows_->columns_, some_ = stripes_ * rows_->stripe_;           \
        unsigned row_ = 0;                                                                                  \
        NAME##_begin_words_(sweep_, rows_, words_);                                                         \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; rows_->wide_ > 0 && row_ + some_ <= count_; row_ += some_)                                   \
            NAME##_sweep_stripes_(sweep_, rows_, row_, words_, stripes_);                                   \
        for (; row_ < count_; row_ += rows_->stripe_) NAME##_sweep_stripe_(sweep_, rows_, row_, words_);    \
        NAME##_end_words_(sweep_, rows_, words_);                                                           \
    }

/* void NAME_put_word_(...): stores a word's values in scratch, by stores of 16 bytes where the values fill
   them: there scratch is a multiple of 16. */
#define REDUCE_PUT_WORD_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_put_word_(NAME##_result *scratch_, const NAME##_result *values_) {           \
        enum { are_wide_ = NAME##_positions_ * sizeof(NAME##_result) % 16 == 0 };                           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_ && !are_wide_; p++) scratch_[p] = values_[p];            \
        REDUCE_UNROLL_                                                                                      \
        for (size_t at_ = 0; at_ < NAME##_positions_ * sizeof *scratch_ && are_wide_; at_ += 16) {          \
            struct reduce_16_bytes_ bytes_;                                                                 \
            memcpy(&bytes_, (const char *)values_ + at_, sizeof bytes_);                                    \
            *(struct reduce_16_bytes_ *)(void *)((char *)scratch_ + at_) = bytes_;                          \
        }                                                                                                   \
    }

/* T NAME_fold_positions_(...): the fold of all positions of one strand and column: pair number k of these. */
#define REDUCE_FOLD_POSITIONS_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_positions_(const NAME##_result *scratch_, unsigned k,          \
                                                        unsigned columns_) {                                \
        const unsigned strand_ = k / columns_, column_ = k - strand_ * columns_;                            \
        NAME##_result values_[NAME##_positions_];                                                           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            values_[p] = scratch_[(strand_ * NAME##_positions_ + p) * columns_ + column_];                  \
        return NAME##_fold_here_(values_, NAME##_positions_);                                               \
    }

/* void NAME_put_words_(...): stores a thread's words in scratch, if they are among the `count` words of
   the block. */
#define REDUCE_PUT_WORDS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_put_words_(NAME##_result *scratch_, const struct NAME##_sweep_ *sweep_,      \
                                          const struct NAME##_columns_here_ *here_, unsigned count_) {      \
        unsigned s, k = threadIdx.x;                                                                        \
        REDUCE_UNROLL_                                                                                      \
        for (s = 0; s < NAME##_flat_words_; s++, k += blockDim.x)                                           \
            if (k < count_) NAME##_put_word_(scratch_ + NAME##_place_of_(here_, k), sweep_->values_[s]);    \
    }

/* void NAME_place_words_(...): all threads store their words in scratch and fold the positions of each
   strand there. */
#define REDUCE_PLACE_WORDS_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_place_words_(NAME##_result *scratch_, const struct NAME##_sweep_ *sweep_,    \
                                            const struct NAME##_columns_here_ *here_, unsigned count_) {    \
        NAME##_result x[NAME##_flat_words_];                                                                \
        unsigned s, k = threadIdx.x;                                                                        \
        NAME##_put_words_(scratch_, sweep_, here_, count_);                                                 \
        __syncthreads();                                                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (s = 0; s < NAME##_flat_words_; s++, k += blockDim.x)                                           \
            if (k < count_) x[s] = NAME##_fold_positions_(scratch_, k, (unsigned)here_->pitch_);            \
        __syncthreads();                                                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (s = 0, k = threadIdx.x; s < NAME##_flat_words_; s++, k += blockDim.x)                          \
            if (k < count_) scratch_[k] = x[s];                                                             \
    }

/* unsigned NAME_fold_quarters_(...): all threads fold strands in scratch, four quarters to one, until less
   than four are left; returns how many are left. */
#define REDUCE_FOLD_QUARTERS_(NAME)                                                                         \
    REDUCE_DEVICE_ unsigned NAME##_fold_quarters_(NAME##_result *scratch_, unsigned strands_,               \
                                                  unsigned columns_) {                                      \
        for (; strands_ >= 4; strands_ /= 4) {                                                              \
            const unsigned some_ = strands_ / 4 * columns_;                                                 \
            __syncthreads();                                                                                \
            for (unsigned k = threadIdx.x; k < some_; k += blockDim.x)                                      \
                scratch_[k] = NAME##_combine(NAME##_combine(scratch_[k], scratch_[k + 2 * some_]),          \
                                             NAME##_combine(scratch_[k + some_], scratch_[k + 3 * some_])); \
        }                                                                                                   \
        __syncthreads();                                                                                    \
        return strands_;                                                                                    \
    }

/* void NAME_fold_words_(T *x, ...): all threads of the block fold all words to columns; x gets the
   thread's columns. */
#define REDUCE_FOLD_WORDS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_fold_words_(NAME##_result *x, const struct NAME##_sweep_ *sweep_,            \
                                           const struct NAME##_columns_here_ *here_) {                      \
        NAME##_result *const scratch_ = here_->scratch_[0];                                                 \
        const unsigned columns_ = (unsigned)here_->pitch_;                                                  \
        NAME##_place_words_(scratch_, sweep_, here_, here_->rows_ * columns_);                              \
        const unsigned left_ = NAME##_fold_quarters_(scratch_, here_->rows_, columns_);                     \
        NAME##_identities_(x);                                                                              \
        for (unsigned l = 0; l < here_->count_; l++) {                                                      \
            const unsigned k = here_->own_ + l * here_->apart_;                                             \
            x[l] = left_ == 1 ? scratch_[k] : NAME##_combine(scratch_[k], scratch_[k + columns_]);          \
        }                                                                                                   \
        __syncthreads();                                                                                    \
    }

/* void NAME_leaves_by_flat_(T *x, ...): a block folds a part's leaves of a chunk. */
#define REDUCE_LEAVES_BY_FLAT_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_leaves_by_flat_(                                                             \
        NAME##_result *x, const struct NAME##_columns_here_ *here_, const struct reduce_column_ *tree_,     \
        size_t begin_, struct reduce_part_ part_) {                                                         \
        NAME##_result levels_[REDUCE_LEVELS_][NAME##_width_];                                               \
        struct NAME##_flat_rows_ rows_ = NAME##_flat_rows_of_(here_->in_, here_->pitch_, tree_, begin_);    \
        const unsigned step_ = here_->rows_ * NAME##_positions_;                                            \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < part_.leaves_; k += step_) {                                               \
            struct NAME##_sweep_ sweep_;                                                                    \
            NAME##_begin_sweep_(&sweep_, here_, tree_, part_.leaf_ + k);                                    \
            NAME##_sweep_chunk_(&sweep_, &rows_, NAME##_flat_words_, REDUCE_STRIPES_);                      \
            NAME##_fold_words_(x, &sweep_, here_);                                                          \
            if (part_.leaves_ > step_) NAME##_join_(x, levels_, k / step_);                                 \
        }                                                                                                   \
    }

#endif /* REDUCE_FLAT_COLUMNS_CUH */
