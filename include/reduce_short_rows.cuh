/*
 * reduce_short_rows.cuh: rows of at most a stripe, a part of reduce_rows.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce_rows.cuh has the manual and the words that are used here, and includes this file.
 */
#ifndef REDUCE_ROWS_CUH
#include "reduce_rows.cuh"
#elif !defined REDUCE_SHORT_ROWS_CUH
#define REDUCE_SHORT_ROWS_CUH

/* ---- In shared memory -------------------------------------------------------------------------------------
 *
 * Elements that were copied to shared memory can be read there at any address. 2^bits lanes share a range: up
 * to 32 strands, a tree's warp. Lane l loads and folds the strands l, l + 2^bits, ... by itself, so that few
 * steps of shuffles are left.
 *
 * Words that are read whole lie in scratch with a gap after every 8. So lanes whose ranges are a power of two
 * of words apart have no bank conflicts.
 */

#define REDUCE_IN_BANKS_(k) ((k) + (k) / 8) /* the place of word k, if strands are read whole */

/* struct NAME_range_: neighbouring elements in scratch. NAME_strand_bits_: a thread folds up to 2^strand_bits
   strands of a range. */
#define REDUCE_RANGE_IN_SCRATCH_(NAME)                                                                      \
    enum { NAME##_strand_bits_ = NAME##_positions_ <= 8 && sizeof(NAME##_result) <= 16 ? 3 : 2 };           \
    struct NAME##_range_ {                                                                                  \
        NAME##_input_ in_; /* what was copied to scratch */                                                 \
        size_t i;          /* the index of the range's first element */                                     \
        unsigned first_;   /* that element, counted from in */                                              \
        unsigned count_;   /* elements of the range */                                                      \
        bool is_wide_;     /* strands are read whole */                                                     \
    };

enum { REDUCE_COVER_ = 5 }; /* words of 4 bytes in which 16 bytes lie, wherever these begin */

/* Copies 16 bytes, which begin skew bytes behind the first of those words. */
REDUCE_DEVICE_ void reduce_uncover_(void *to_, const unsigned *words_, unsigned skew_) {
#ifdef __CUDA_ARCH__
    unsigned x[REDUCE_COVER_ - 1];
    REDUCE_UNROLL_
    for (int k = 0; k + 1 < REDUCE_COVER_; k++) x[k] = __funnelshift_r(words_[k], words_[k + 1], skew_ * 8);
    memcpy(to_, x, sizeof x);
#else
    memcpy(to_, (const char *)words_ + skew_, 16);
#endif
}

/* Copies 16 bytes from any address in shared memory, from a multiple of 16 if is_wide. It may read up to 3
   bytes before them and up to 4 beyond. */
REDUCE_DEVICE_ void reduce_read_16_(void *to_, const void *from_, bool is_wide_) {
    const unsigned skew_ = (unsigned)((uintptr_t)from_ % 4);
    if (is_wide_)
        reduce_copy_wide_(to_, from_, 16);
    else
        reduce_uncover_(to_, (const unsigned *)(const void *)((const char *)from_ - skew_), skew_);
}

/* void NAME_read_strand_(...): all elements of a strand, which an input in scratch begins with. */
#define REDUCE_READ_STRAND_(NAME, KIND)                                                                     \
    REDUCE_DEVICE_ void NAME##_read_strand_(struct NAME##_loaded_ *to_, NAME##_input_ from_,                \
                                            bool is_wide_) {                                                \
        if (NAME##_shifts_ && (is_wide_ || NAME##_size_ < 4)) {                                             \
            reduce_read_16_(to_, from_.in_, is_wide_);                                                      \
            return;                                                                                         \
        }                                                                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++) REDUCE_LOAD_ONE_##KIND(to_, from_, p, p);          \
    }

/* NAME_input_ NAME_strand_in_scratch_(...): where strand l of a range begins. */
#define REDUCE_STRAND_IN_SCRATCH_(NAME)                                                                     \
    REDUCE_DEVICE_ NAME##_input_ NAME##_strand_in_scratch_(const struct NAME##_range_ *range_, unsigned l) {\
        const unsigned at_ = range_->first_ + l * NAME##_positions_;                                        \
        const unsigned place_ = REDUCE_IN_BANKS_(at_ / NAME##_positions_) * NAME##_positions_;              \
        return NAME##_input_at_(range_->in_, range_->is_wide_ ? place_ : at_);                              \
    }

/* void NAME_begin_loaded_(T *values, ...): a strand's accumulators begin with the elements that were loaded,
   instead of the identity. */
#define REDUCE_BEGIN_LOADED_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_begin_loaded_(NAME##_result *values_, const struct NAME##_loaded_ *x,        \
                                             NAME##_input_ in_, size_t i) {                                 \
        const NAME##_input_ own_ = NAME##_loaded_at_(in_, x);                                               \
        if (NAME##_packed_ > 1) memcpy((void *)values_, x, NAME##_accumulators_ * sizeof *values_);         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_accumulators_ && NAME##_packed_ == 1; p++)                          \
            values_[p] = NAME##_operand_at_(own_, p, i + p);                                                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = NAME##_accumulators_; p < NAME##_positions_; p += NAME##_packed_)                 \
            NAME##_add_some_(values_, x, in_, p, i + p);                                                    \
    }

/* T NAME_loaded_strand_(...): the result of a strand's loaded elements. T NAME_few_of_strand_(...): that of
   the first count elements of an input. */
#define REDUCE_STRAND_RESULTS_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_loaded_strand_(const struct NAME##_loaded_ *x, NAME##_input_ in_,   \
                                                       size_t i) {                                          \
        struct NAME##_strand_ strand_;                                                                      \
        NAME##_begin_strand_(&strand_);                                                                     \
        NAME##_add_loaded_(strand_.values_, x, in_, i);                                                     \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }                                                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_few_of_strand_(NAME##_input_ in_, unsigned count_, size_t i) {      \
        struct NAME##_strand_ strand_;                                                                      \
        NAME##_begin_strand_(&strand_);                                                                     \
        NAME##_add_few_(strand_.values_, in_, count_, i);                                                   \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }

/* T NAME_whole_strand_(...): the result of a strand of which all elements are loaded. A built-in operator
   takes the identity once, in the end, which gives the same bits; for bytes NAME_add_loaded_ is faster. */
#define REDUCE_WHOLE_STRAND_(NAME)                                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_whole_strand_(const struct NAME##_loaded_ *x, NAME##_input_ in_,    \
                                                      size_t i) {                                           \
        struct NAME##_strand_ strand_;                                                                      \
        if (NAME##_is_built_in_ && NAME##_adds_bytes_ == 0) {                                               \
            NAME##_begin_loaded_(strand_.values_, x, in_, i);                                               \
            return NAME##_combine_operand_(NAME##_identity(),                                               \
                                           NAME##_fold_here_(strand_.values_, NAME##_accumulators_));       \
        }                                                                                                   \
        return NAME##_loaded_strand_(x, in_, i);                                                            \
    }

/* T NAME_one_in_scratch_(...): the result of strand l of a range, which has an element at least. */
#define REDUCE_ONE_IN_SCRATCH_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_one_in_scratch_(const struct NAME##_range_ *range_, unsigned l,     \
                                                        unsigned far_) {                                    \
        const unsigned k = l * NAME##_positions_, left_ = range_->count_ - k;                               \
        const NAME##_input_ in_ = NAME##_strand_in_scratch_(range_, l);                                     \
        struct NAME##_loaded_ x;                                                                            \
        struct NAME##_strand_ strand_;                                                                      \
        (void)far_;                                                                                         \
        if (NAME##_positions_ == 1 || range_->is_wide_ || left_ >= NAME##_positions_) {                     \
            NAME##_read_strand_(&x, in_, range_->is_wide_);                                                 \
            return NAME##_whole_strand_(&x, in_, range_->i + k);                                            \
        }                                                                                                   \
        NAME##_begin_strand_(&strand_);                                                                     \
        NAME##_add_few_(strand_.values_, in_, left_, range_->i + k);                                        \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }

/* T NAME_two_in_scratch_(...), NAME_four_in_scratch_, NAME_eight_in_scratch_: the fold of two, four or
   eight strands from l on, as far as they exist. In the last step they are far / k apart; k is half their
   number. */
#define REDUCE_SOME_IN_SCRATCH_(NAME, some, fewer, k)                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_##some##_in_scratch_(const struct NAME##_range_ *range_, unsigned l,\
                                                             unsigned far_) {                               \
        const NAME##_result x = NAME##_##fewer##_in_scratch_(range_, l, far_);                              \
        l += far_ / k;                                                                                      \
        if (l * NAME##_positions_ >= range_->count_) return x;                                              \
        return NAME##_combine(x, NAME##_##fewer##_in_scratch_(range_, l, far_));                            \
    }

/* T NAME_in_scratch_(...): all lanes of a warp call. 2^bits neighbours share a range; lane: the number
   among them. The first of them gets the range's result. */
#define REDUCE_IN_SCRATCH_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_in_scratch_(const struct NAME##_range_ *range_, unsigned lane_,     \
                                                    int bits_) {                                            \
        NAME##_result x = NAME##_identity();                                                                \
        if (lane_ * NAME##_positions_ < range_->count_)                                                     \
            x = NAME##_strand_bits_ == 3 ? NAME##_eight_in_scratch_(range_, lane_, 4u << bits_)             \
                                       : NAME##_four_in_scratch_(range_, lane_, 2u << bits_);               \
        NAME##_fold_steps_(&x, 1 << bits_ >> 1, 1);                                                         \
        return x;                                                                                           \
    }

/* ---- Short rows at any address ----
 *
 * A block copies its rows to shared memory, with several loads in flight for each thread, and reduces them
 * there: 2^bits threads share each of the 2^warp_bits tree's warps of a row.
 */

enum {
    REDUCE_SHORT_THREADS_ = REDUCE_ROW_THREADS_ < 128 ? REDUCE_ROW_THREADS_ : 128, /* of a block (measured) */
    REDUCE_SCRATCH_BYTES_ = 16 * REDUCE_LOADS_, /* bytes of rows in scratch for each thread */
    REDUCE_SCRATCH_WORDS_ = REDUCE_IN_BANKS_(REDUCE_SHORT_THREADS_ * REDUCE_LOADS_ + 4)
};

/* All threads of the block: copies neighbouring bytes to scratch, where they have the same skew, and
   returns where. It copies whole words, except the one in which the array begins and the one in which it
   ends. */
REDUCE_DEVICE_ const void *reduce_stage_(struct reduce_16_bytes_ *scratch_, const char *from_,
                                         unsigned bytes_, bool is_wide_, const char *array_,
                                         const char *end_) {
    const unsigned skew_ = (unsigned)((uintptr_t)from_ % 16), words_ = (skew_ + bytes_ + 15) / 16;
    const char *const first_ = from_ - skew_;
    const unsigned low_ = first_ < array_, high_ = words_ - (first_ + (size_t)words_ * 16 > end_);
    const unsigned thread_ = threadIdx.x, threads_ = blockDim.x, word_ = thread_ < 16 ? 0 : words_ - 1;
    const unsigned at_ = word_ * 16 + thread_ % 16; /* a byte of the first word or the last */
    REDUCE_NO_UNROLL_
    for (unsigned k = thread_; k < words_; k += REDUCE_LOADS_ * threads_) {
        struct reduce_16_bytes_ x[REDUCE_LOADS_];
        REDUCE_UNROLL_
        for (unsigned s = 0, l = k; s < REDUCE_LOADS_; s++, l += threads_)
            reduce_load_16_(&x[s], first_ + (size_t)l * 16, l >= low_ && l < high_);
        REDUCE_UNROLL_
        for (unsigned s = 0, l = k; s < REDUCE_LOADS_; s++, l += threads_)
            if (l >= low_ && l < high_) scratch_[is_wide_ ? REDUCE_IN_BANKS_(l) : l] = x[s];
    }
    if (thread_ < 32 && (thread_ < 16 ? low_ > 0 : high_ < words_ && high_ >= low_))
        if (at_ >= skew_ && at_ < skew_ + bytes_) ((char *)scratch_)[at_] = first_[at_];
    return (const char *)scratch_ + skew_;
}

/* A pointer that is aligned to some bytes. clang takes constants alone. */
#ifdef __CUDA_ARCH__
#define REDUCE_ALIGNED_(pointer, bytes) __builtin_assume_aligned(pointer, bytes)
#else
#define REDUCE_ALIGNED_(pointer, bytes) (pointer)
#endif

/* All threads: copies rows that lie pitch bytes apart, each by `loads` loads of size bytes. In scratch they
   follow each other. Multiplying by the inverse divides by `loads`. */
REDUCE_DEVICE_ void reduce_stage_strided_(void *scratch_, const char *from_, size_t pitch_, unsigned rows_,
                                          unsigned loads_, unsigned size_, bool is_wide_) {
    const unsigned all_ = rows_ * loads_, inverse_ = (0x7fffffffu + loads_) / (loads_ + (loads_ == 0));
    REDUCE_NO_UNROLL_
    for (unsigned k = threadIdx.x; k < all_; k += REDUCE_LOADS_ * blockDim.x) {
        struct reduce_16_bytes_ x[REDUCE_LOADS_];
        REDUCE_UNROLL_
        for (unsigned s = 0, l = k; s < REDUCE_LOADS_; s++, l += blockDim.x) {
            const unsigned row_ = (unsigned)((uint64_t)(2 * l) * inverse_ >> 32);
            reduce_load_part_(&x[s], from_ + row_ * pitch_ + (l - row_ * loads_) * size_, size_, l < all_);
        }
        REDUCE_UNROLL_
        for (unsigned s = 0, l = k; s < REDUCE_LOADS_; s++, l += blockDim.x) {
            const unsigned at_ = l * size_, gaps_ = is_wide_ ? at_ / 128 * 16 : 0;
            if (l < all_)
                memcpy(REDUCE_ALIGNED_((char *)scratch_ + at_ + gaps_, size_), &x[s], size_);
        }
    }
}

/* All threads: copies count rows from row first on, by reduce_stage_ if they have no gaps, else by
   reduce_stage_strided_. size, aligned: bytes of an element, and of the largest load that suits its type. */
REDUCE_DEVICE_ const void *reduce_stage_rows_(struct reduce_16_bytes_ *scratch_, const void *in_,
                                              const struct reduce_rows_ *rows_, size_t first_,
                                              unsigned count_, size_t size_, unsigned aligned_) {
    const size_t pitch_ = rows_->pitch_ * size_, of_row_ = rows_->n * size_;
    const char *const array_ = (const char *)in_, *const from_ = array_ + first_ * pitch_;
    const unsigned bytes_ = (unsigned)of_row_, all_ = (unsigned)((uintptr_t)in_ | pitch_ | of_row_);
    if (rows_->all_ > 0)
        return reduce_stage_(scratch_, from_, count_ * bytes_, rows_->is_wide_, array_,
                             array_ + rows_->rows_ * of_row_);
    if (all_ % 16 == 0)
        reduce_stage_strided_(scratch_, from_, pitch_, count_, bytes_ / 16, 16, rows_->is_wide_);
    else if (aligned_ < 4 && all_ % 4 == 0)
        reduce_stage_strided_(scratch_, from_, pitch_, count_, bytes_ / 4, 4, rows_->is_wide_);
    else
        reduce_stage_strided_(scratch_, from_, pitch_, count_, bytes_ / aligned_, aligned_, rows_->is_wide_);
    return scratch_;
}

/* NAME_input_ NAME_stage_(...): copies rows of all arrays of an input to scratch, and returns them there
   as an input. NAME_in_all_: bytes of an element of all arrays. */
#define REDUCE_LARGEST_LOAD_(T) (unsigned)REDUCE_MIN_(REDUCE_ALIGNMENT_(T), 16)
#define REDUCE_STAGED_(T, scratch, in)                                                                      \
    (const T *)reduce_stage_rows_(scratch, in, rows_, first_, count_, sizeof(T), REDUCE_LARGEST_LOAD_(T))
#define REDUCE_STAGE_ARRAY_(NAME)                                                                           \
    enum { NAME##_in_all_ = NAME##_size_ };                                                                 \
    REDUCE_DEVICE_ NAME##_input_ NAME##_stage_(struct reduce_16_bytes_ *scratch_, NAME##_input_ in_,        \
                                               const struct reduce_rows_ *rows_, size_t first_,             \
                                               unsigned count_) {                                           \
        in_.in_ = REDUCE_STAGED_(NAME##_element, scratch_, in_.in_);                                        \
        return in_;                                                                                         \
    }
#define REDUCE_STAGE_WITH_ REDUCE_STAGE_ARRAY_
#define REDUCE_STAGE_ZIP_WITH_ REDUCE_STAGE_ZIP_
#define REDUCE_STAGE_ZIP_(NAME)                                                                             \
    enum { NAME##_in_all_ = sizeof(NAME##_first) + sizeof(NAME##_second) };                                 \
    REDUCE_DEVICE_ NAME##_input_ NAME##_stage_(struct reduce_16_bytes_ *scratch_, NAME##_input_ in_,        \
                                               const struct reduce_rows_ *rows_, size_t first_,             \
                                               unsigned count_) {                                           \
        /* at a multiple of 64 bytes, as an element may be aligned to so many */                            \
        struct reduce_16_bytes_ *const second_ =                                                            \
            scratch_ + (count_ * rows_->n * sizeof *in_.in_ + 15 + 63) / 64 * 4;                            \
        in_.in_ = REDUCE_STAGED_(NAME##_first, scratch_, in_.in_);                                          \
        in_.second_ = REDUCE_STAGED_(NAME##_second, second_, in_.second_);                                  \
        return in_;                                                                                         \
    }

/* T NAME_row_in_scratch_(...): all lanes of a warp call, each for a row in scratch, if is_there. own: the
   thread's number in its row; number 0 gets the result. */
#define REDUCE_ROW_IN_SCRATCH_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_row_in_scratch_(NAME##_input_ in_, const struct reduce_rows_ *rows_,\
                                                        unsigned row_, unsigned own_, bool is_there_,       \
                                                        bool is_wide_) {                                    \
        enum { part_ = REDUCE_WARP * NAME##_positions_ };                                                   \
        const int bits_ = rows_->bits_;                                                                     \
        const unsigned n = (unsigned)rows_->n, i = (own_ >> bits_) * part_;                                 \
        const unsigned left_ = is_there_ && i < n ? REDUCE_MIN_(n - i, part_ + 0u) : 0;                     \
        struct NAME##_range_ range_;                                                                        \
        range_.in_ = in_, range_.is_wide_ = is_wide_;                                                       \
        range_.i = i, range_.first_ = row_ * n + i, range_.count_ = left_;                                  \
        NAME##_result x = NAME##_in_scratch_(&range_, own_ & ((1u << bits_) - 1), bits_);                   \
        NAME##_fold_steps_(&x, 1 << (bits_ + rows_->warp_bits_) >> 1, 1 << bits_);                          \
        return x;                                                                                           \
    }

/* void NAME_rows_in_scratch_(...): all threads of the block write the results of count rows. Threads of a
   warp have neighbouring rows, so that the stores are coalesced. */
#define REDUCE_ROWS_IN_SCRATCH_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_rows_in_scratch_(NAME##_input_ in_, const struct reduce_rows_ *rows_,        \
                                                unsigned count_, NAME##_result *out_, bool is_wide_) {      \
        const int all_ = rows_->bits_ + rows_->warp_bits_;                                                  \
        const unsigned own_ = threadIdx.x & ((1u << all_) - 1);                                             \
        unsigned row_ = threadIdx.x >> all_;                                                                \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < count_; k += blockDim.x >> all_, row_ += blockDim.x >> all_) {             \
            const NAME##_result x = NAME##_row_in_scratch_(in_, rows_, row_, own_, row_ < count_, is_wide_);\
            if (own_ == 0 && row_ < count_) out_[row_] = NAME##_final_(x);                                  \
        }                                                                                                   \
    }

/* The kernel of SHORT_ROWS in scratch. */
#define REDUCE_STAGED_ROWS_KERNEL_(NAME)                                                                    \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_SHORT_THREADS_)                                            \
        NAME##_staged_rows_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                                \
        __shared__ struct reduce_16_bytes_ scratch_[REDUCE_SCRATCH_WORDS_] __attribute__((__aligned__(64)));\
        const size_t first_ = (size_t)blockIdx.x * rows_.span_;                                             \
        const unsigned count_ = (unsigned)REDUCE_MIN_(rows_.rows_ - first_, (size_t)rows_.span_);           \
        in_ = NAME##_stage_(scratch_, in_, &rows_, first_, count_);                                         \
        __syncthreads();                                                                                    \
        if (NAME##_shifts_ && rows_.is_wide_)                                                               \
            NAME##_rows_in_scratch_(in_, &rows_, count_, out_ + first_, true);                              \
        else                                                                                                \
            NAME##_rows_in_scratch_(in_, &rows_, count_, out_ + first_, false);                             \
        (void)ws_;                                                                                          \
    }

/* ---- Short rows that are aligned ----
 *
 * A lane has a strand of several rows, or several strands of a row that has 2^warp_bits tree's warps. Load s
 * is of row s >> warp_bits, and there of the tree's warp that the low bits of s name.
 */

/* A lane's rows. */
struct reduce_short_place_ {
    size_t first_;   /* the first row */
    unsigned apart_; /* rows from one of the lane's to its next */
    unsigned left_;  /* rows there are from the first on, as far as the warp's loads reach */
    unsigned lane_;  /* the lane's number among those of a row */
    int warp_bits_;  /* 2^warp_bits loads have a row */
    int bits_;       /* 2^bits lanes have a row in each of these */
};

REDUCE_DEVICE_ struct reduce_short_place_ reduce_short_place_of_(const struct reduce_rows_ *rows_,
                                                                 unsigned at_once_) {
    const struct reduce_place_ at_ = reduce_place_along_x_();
    const size_t warp_ = ((size_t)at_.block_ * at_.threads_ + at_.thread_) / REDUCE_WARP;
    const int bits_ = REDUCE_MIN_(rows_->bits_, 5), warp_bits_ = rows_->bits_ - bits_;
    const unsigned apart_ = REDUCE_WARP >> bits_, lane_ = (unsigned)at_.lane_, most_ = apart_ * at_once_;
    const size_t first_ = warp_ * (most_ >> warp_bits_) + (lane_ >> bits_);
    const size_t left_ = rows_->rows_ - REDUCE_MIN_(first_, rows_->rows_);
    struct reduce_short_place_ place_;
    place_.first_ = first_;
    place_.apart_ = apart_;
    place_.left_ = (unsigned)REDUCE_MIN_(left_, (size_t)most_);
    place_.lane_ = lane_ & ((1u << bits_) - 1);
    place_.warp_bits_ = warp_bits_;
    place_.bits_ = bits_;
    return place_;
}

/* void NAME_runs_of_(...): the run of the row of each of the lane's loads; empty if there is no such row. */
#define REDUCE_RUNS_OF_(NAME)                                                                               \
    REDUCE_DEVICE_ void NAME##_runs_of_(struct NAME##_run_ *runs_, NAME##_input_ in_,                       \
                                        const struct reduce_rows_ *rows_,                                   \
                                        struct reduce_short_place_ place_) {                                \
        in_ = NAME##_input_at_(in_, place_.first_ * rows_->pitch_);                                         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_at_once_; s++) {                                                    \
            const unsigned row_ = (s >> place_.warp_bits_) * place_.apart_;                                 \
            runs_[s] = NAME##_run_from_(in_, row_ * rows_->pitch_, row_ < place_.left_ ? rows_->n : 0);     \
            runs_[s].i = 0;                                                                                 \
        }                                                                                                   \
    }

/* The first element, in its row, of the lane's load s. */
REDUCE_DEVICE_ unsigned reduce_begin_of_(struct reduce_short_place_ place_, unsigned s, unsigned positions_) {
    return (place_.lane_ + (s & ((1u << place_.warp_bits_) - 1)) * REDUCE_WARP) * positions_;
}

/* void NAME_load_rows_(...): issues all loads of the lane. */
#define REDUCE_LOAD_ROWS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_load_rows_(struct NAME##_words_ *words_, const struct NAME##_run_ *runs_,    \
                                          struct reduce_short_place_ place_) {                              \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_at_once_; s++)                                                      \
            NAME##_load_words_(&words_[s], &runs_[s],                                                       \
                               reduce_begin_of_(place_, s, NAME##_positions_), false);                      \
    }

/* void NAME_add_rows_(T *x, ...): loads the lane's strands; x[s] gets the fold of that of load s. */
#define REDUCE_ADD_ROWS_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_rows_(NAME##_result *x, const struct NAME##_run_ *runs_,                 \
                                         struct reduce_short_place_ place_) {                               \
        struct NAME##_words_ words_[NAME##_at_once_];                                                       \
        struct NAME##_strand_ strand_;                                                                      \
        NAME##_load_rows_(words_, runs_, place_);                                                           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_at_once_; s++) {                                                    \
            const unsigned k = reduce_begin_of_(place_, s, NAME##_positions_);                              \
            NAME##_begin_strand_(&strand_);                                                                 \
            NAME##_add_words_(strand_.values_, &words_[s], &runs_[s], k, 0);                                \
            x[s] = NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                \
        }                                                                                                   \
    }

/* void NAME_write_rows_(...): writes the results that the lane holds after NAME_fold_each_, once the
   tree's warps of a row are folded. */
#define REDUCE_WRITE_ROWS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_write_rows_(NAME##_result *x, struct reduce_short_place_ place_,             \
                                           NAME##_result *out_) {                                           \
        const struct reduce_held_ held_ = reduce_held_by_(place_.lane_, place_.bits_, NAME##_at_once_);     \
        const unsigned others_ = (1u << place_.warp_bits_) - 1;                                             \
        const unsigned same_ = (1u << held_.each_) - 1;                                                     \
        const bool has_any_ = (place_.lane_ & same_) == 0 && (held_.first_ & others_) == 0;                 \
        if (others_ > 0) NAME##_fold_steps_(x, 1 << held_.each_ << (place_.warp_bits_ - 1),                 \
                                            1 << held_.each_);                                              \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_at_once_; s++) {                                                    \
            const unsigned row_ = ((held_.first_ + s) >> place_.warp_bits_) * place_.apart_;                \
            if (s < held_.count_ && has_any_ && row_ < place_.left_) out_[row_] = NAME##_final_(x[s]);      \
        }                                                                                                   \
    }

/* The kernel of SHORT_ROWS in registers. A warp's rows are neighbours, so that its stores are coalesced. */
#define REDUCE_SHORT_ROWS_KERNEL_(NAME)                                                                     \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_ROW_THREADS_)                                              \
        NAME##_short_rows_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                                 \
        const struct reduce_short_place_ place_ = reduce_short_place_of_(&rows_, NAME##_at_once_);          \
        struct NAME##_run_ runs_[NAME##_at_once_];                                                          \
        NAME##_result x[NAME##_at_once_];                                                                   \
        NAME##_runs_of_(runs_, in_, &rows_, place_);                                                        \
        NAME##_add_rows_(x, runs_, place_);                                                                 \
        NAME##_fold_each_(x, (int)place_.lane_, place_.bits_, NAME##_at_once_);                             \
        NAME##_write_rows_(x, place_, out_ + place_.first_);                                                \
        (void)ws_;                                                                                          \
    }

/* ---- Rows of one element ------------------------------------------------------------------------------- */

/* void NAME_write_neighbours_(...): one thread writes count of most results, by stores of 16 bytes if it
   has all. x begins at a multiple of 16 bytes; out may begin anywhere. */
#define REDUCE_WRITE_NEIGHBOURS_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_write_neighbours_(NAME##_result *out_, const NAME##_result *x,               \
                                                 unsigned count_, unsigned most_) {                         \
        const size_t bytes_ = most_ * sizeof *x;                                                            \
        const bool is_wide_ = count_ == most_ && bytes_ % 16 == 0 && (uintptr_t)out_ % 16 == 0;             \
        REDUCE_UNROLL_                                                                                      \
        for (size_t at_ = 0; at_ + 16 <= bytes_; at_ += 16)                                                 \
            if (is_wide_)                                                                                   \
                *(struct reduce_16_bytes_ *)(void *)((char *)out_ + at_) =                                  \
                    *(const struct reduce_16_bytes_ *)(const void *)((const char *)x + at_);                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < most_; p++)                                                                \
            if (!is_wide_ && p < count_) out_[p] = x[p];                                                    \
    }

/* void NAME_write_singles_(...): one thread writes the results of count elements from in on, at most V. */
#define REDUCE_WRITE_SINGLES_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_write_singles_(NAME##_result *out_, NAME##_input_ in_, unsigned count_) {    \
        NAME##_result x[NAME##_positions_] REDUCE_IN_WORDS_(NAME);                                          \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            if (p < count_)                                                                                 \
                x[p] = NAME##_final_(                                                                       \
                    NAME##_combine_operand_(NAME##_identity(), NAME##_operand_at_(in_, p, 0)));             \
        NAME##_write_neighbours_(out_, x, count_, NAME##_positions_);                                       \
    }

/* void NAME_singles_of_words_(...): one thread writes the results of V elements from k on, which it has
   loaded. */
#define REDUCE_SINGLES_OF_WORDS_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_singles_of_words_(NAME##_result *out_, const struct NAME##_words_ *words_,   \
                                                 const struct NAME##_run_ *run_, unsigned k) {              \
        struct NAME##_loaded_ shifted_;                                                                     \
        const struct NAME##_loaded_ *const x = NAME##_shifts_ ? &shifted_ : &words_->x;                     \
        if (words_->are_elsewhere_) {                                                                       \
            NAME##_write_singles_(out_ + k, NAME##_input_at_(run_->in_, k), words_->count_);                \
            return;                                                                                         \
        }                                                                                                   \
        if (NAME##_shifts_) reduce_shift_words_(&shifted_, words_->words_, run_->skew_, NAME##_size_);      \
        NAME##_write_singles_(out_ + k, NAME##_loaded_at_(run_->in_, x), words_->count_);                   \
    }

/* struct NAME_run_ NAME_run_of_singles_(...): the run of a block. first: its first element; left: how many
   follow. */
#define REDUCE_RUN_OF_SINGLES_(NAME)                                                                        \
    enum { NAME##_singles_of_block_ = REDUCE_ROW_THREADS_ * NAME##_at_once_ * NAME##_positions_ };          \
    REDUCE_DEVICE_ struct NAME##_run_ NAME##_run_of_singles_(NAME##_input_ in_, size_t first_,              \
                                                             size_t left_) {                                \
        const size_t some_ = REDUCE_MIN_(left_, (size_t)NAME##_singles_of_block_);                          \
        struct NAME##_run_ run_ = NAME##_run_from_(in_, first_, some_);                                     \
        run_.before_ = reduce_readable_(first_), run_.after_ = reduce_readable_(left_ - some_);             \
        return run_;                                                                                        \
    }

/* The kernel of singles: rows of one element, without gaps. */
#define REDUCE_SINGLES_KERNEL_(NAME)                                                                        \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_ROW_THREADS_)                                              \
        NAME##_singles_kernel_(NAME##_input_ in_, size_t count_, NAME##_result *out_) {                     \
        const size_t first_ = (size_t)blockIdx.x * NAME##_singles_of_block_;                                \
        const struct NAME##_run_ run_ = NAME##_run_of_singles_(in_, first_, count_ - first_);               \
        struct NAME##_words_ words_[NAME##_at_once_];                                                       \
        const unsigned own_ = threadIdx.x * NAME##_positions_;                                              \
        const unsigned apart_ = REDUCE_ROW_THREADS_ * NAME##_positions_;                                    \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_at_once_; s++)                                                      \
            NAME##_load_words_(&words_[s], &run_, own_ + s * apart_, true);                                 \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_at_once_; s++)                                                      \
            NAME##_singles_of_words_(out_ + first_, &words_[s], &run_, own_ + s * apart_);                  \
    }

/* ---- Rows of few elements ---------------------------------------------------------------------------------
 *
 * In a launch of little work nothing takes as long as code that runs for the first time. So these kernels are
 * short. Either a thread has a row of up to NAME_tiny_ elements; or a thread has the rows of a word; or
 * 2^bits lanes of a warp have a row, with one load each; or a warp has a row, and a lane a load for each of
 * the tree's warps; or a block has a row of at most a stripe, or a chunk.
 *
 * With all of a row's loads in flight, a warp for each row is also the fastest way for many rows.
 */

/* The number of the calling thread in the grid. */
REDUCE_DEVICE_ size_t reduce_own_number_(void) { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }

/* void NAME_load_left_(...): loads a strand's elements one by one. left: elements of the row from the
   strand's first on. */
#define REDUCE_LOAD_LEFT_(NAME, KIND)                                                                       \
    REDUCE_DEVICE_ void NAME##_load_left_(struct NAME##_loaded_ *to_, NAME##_input_ in_, unsigned left_) {  \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            if (p < left_) REDUCE_LOAD_ONE_##KIND(to_, in_, p, p);                                          \
    }

/* void NAME_load_strand_(...): the same, or by one load if are_words: each strand has V elements or none. */
#define REDUCE_LOAD_STRAND_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_load_strand_(struct NAME##_loaded_ *to_, NAME##_input_ in_, unsigned left_,  \
                                            bool are_words_) {                                              \
        if (are_words_) NAME##_load_(to_, in_, left_ > 0);                                                  \
        if (!are_words_) NAME##_load_left_(to_, in_, left_);                                                \
    }

/* T NAME_strand_of_row_(...): the result of a strand that was loaded, whose indices start with i. are_words:
   it has V elements or none. */
#define REDUCE_STRAND_OF_ROW_(NAME)                                                                         \
    REDUCE_DEVICE_ NAME##_result NAME##_strand_of_row_(const struct NAME##_loaded_ *x, NAME##_input_ in_,   \
                                                       unsigned left_, unsigned i, bool are_words_) {       \
        struct NAME##_strand_ strand_;                                                                      \
        NAME##_begin_strand_(&strand_);                                                                     \
        if (are_words_ && left_ > 0) NAME##_add_loaded_(strand_.values_, x, in_, i);                        \
        if (!are_words_) NAME##_add_few_(strand_.values_, NAME##_loaded_at_(in_, x), left_, i);             \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }

/* T NAME_tiny_row_(...): one thread reduces a row of n elements, at most NAME_tiny_. All loads come before
   the first use. */
#define REDUCE_TINY_ROW_(NAME)                                                                              \
    enum { NAME##_tiny_ = NAME##_at_once_ == 1 ? 0 : NAME##_positions_ > 8 ? (int)NAME##_positions_ : 8 };  \
    REDUCE_DEVICE_ NAME##_result NAME##_tiny_row_(NAME##_input_ in_, unsigned n) {                          \
        enum { step_ = NAME##_positions_, strands_ = NAME##_tiny_ > 0 ? (int)NAME##_tiny_ / step_ : 1 };    \
        struct NAME##_loaded_ x[strands_];                                                                  \
        NAME##_result of_strand_[strands_];                                                                 \
        REDUCE_ANYTHING_(x);                                                                                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0, k = 0; l < strands_; l++, k += step_)                                          \
            NAME##_load_left_(&x[l], NAME##_input_at_(in_, k), k < n ? n - k : 0);                          \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0, k = 0; l < strands_; l++, k += step_)                                          \
            of_strand_[l] = NAME##_strand_of_row_(&x[l], in_, k < n ? n - k : 0, k, false);                 \
        return NAME##_fold_here_(of_strand_, strands_);                                                     \
    }

/* The kernel of THREAD_ROWS. */
#define REDUCE_THREAD_ROWS_KERNEL_(NAME)                                                                    \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_ROW_THREADS_)                                              \
        NAME##_thread_rows_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                                \
        const size_t row_ = reduce_own_number_();                                                           \
        (void)ws_;                                                                                          \
        if (row_ >= rows_.rows_) return;                                                                    \
        in_ = NAME##_input_at_(in_, row_ * rows_.pitch_);                                                   \
        out_[row_] = NAME##_final_(NAME##_tiny_row_(in_, (unsigned)rows_.n));                               \
    }

/* void NAME_rows_of_word_(...): writes the results of the rows of n elements of a word that was loaded. */
#define REDUCE_ROWS_OF_WORD_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_rows_of_word_(NAME##_result *out_, NAME##_input_ in_, unsigned n) {          \
        NAME##_result x[NAME##_positions_] REDUCE_IN_WORDS_(NAME);                                          \
        struct NAME##_strand_ strand_;                                                                      \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++) {                                                  \
            if (p % n == 0) NAME##_begin_strand_(&strand_);                                                 \
            NAME##_add_(strand_.values_, (int)(p % n), NAME##_operand_at_(in_, p, p % n));                  \
            if (p % n == n - 1)                                                                             \
                x[p / n] = NAME##_final_(NAME##_fold_here_(strand_.values_, NAME##_accumulators_));         \
        }                                                                                                   \
        NAME##_write_neighbours_(out_, x, NAME##_positions_ / n, NAME##_positions_ / n);                    \
    }

/* void NAME_word_of_rows_(...): one thread reduces the rows of its word. The last word may be short. */
#define REDUCE_WORD_OF_ROWS_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_word_of_rows_(NAME##_result *out_, NAME##_input_ in_, size_t rows_,          \
                                             unsigned n) {                                                  \
        const unsigned most_ = NAME##_positions_ / n;                                                       \
        size_t row_ = reduce_own_number_() * most_;                                                         \
        struct NAME##_loaded_ x;                                                                            \
        in_ = NAME##_input_at_(in_, row_ * n);                                                              \
        if (row_ + most_ <= rows_) {                                                                        \
            NAME##_load_(&x, in_, true);                                                                    \
            NAME##_rows_of_word_(out_ + row_, NAME##_loaded_at_(in_, &x), n);                               \
            return;                                                                                         \
        }                                                                                                   \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; row_ < rows_; row_++, in_ = NAME##_input_at_(in_, n))                                        \
            out_[row_] = NAME##_final_(NAME##_tiny_row_(in_, n));                                           \
    }

/* The kernel of WORD_ROWS, for rows without gaps whose length is a power of two. */
#define REDUCE_WORD_ROWS_KERNEL_(NAME)                                                                      \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_ROW_THREADS_)                                              \
        NAME##_word_rows_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                                  \
        const unsigned n = (unsigned)rows_.n;                                                               \
        (void)ws_;                                                                                          \
        if (n == 1) NAME##_word_of_rows_(out_, in_, rows_.rows_, 1);                                        \
        if (NAME##_positions_ >= 2 && n == 2) NAME##_word_of_rows_(out_, in_, rows_.rows_, 2);              \
        if (NAME##_positions_ >= 4 && n == 4) NAME##_word_of_rows_(out_, in_, rows_.rows_, 4);              \
        if (NAME##_positions_ >= 8 && n == 8) NAME##_word_of_rows_(out_, in_, rows_.rows_, 8);              \
        if (NAME##_positions_ >= 16 && n == 16) NAME##_word_of_rows_(out_, in_, rows_.rows_, 16);           \
    }

/* Loads of a lane in EIGHT_LOAD_ROWS. Tests define fewer. */
#ifndef REDUCE_MOST_LOADS_
#define REDUCE_MOST_LOADS_ 8
#endif

/* NAME_covers_: where rows begin at any address, a lane loads its strands by words of 4 bytes, which cover
   them. These begin up to 3 bytes before a row, and end as far behind it: the first and the last row of a
   call are loaded element by element; so are lanes that have one strand, or less than four of bytes
   (measured).
   NAME_is_costly_: the work of a strand costs more than a branch (measured). Then kernels in which a lane has
   several strands of a row pass over tree's warps that the row lacks. NAME_singly_: strands that a lane loads
   element by element at a time in EIGHT_LOAD_ROWS; eight of many elements need too many registers. */
#define REDUCE_LANES_LAYOUT_(NAME)                                                                          \
    enum {                                                                                                  \
        NAME##_covers_ = NAME##_shifts_ && NAME##_size_ < 4,                                                \
        NAME##_is_costly_ =                                                                                 \
            NAME##_positions_ > 4 || NAME##_positions_ * sizeof(NAME##_result) > 16,                        \
        NAME##_singly_ = NAME##_positions_ > 4 ? REDUCE_MIN_(REDUCE_MOST_LOADS_, 4) : REDUCE_MOST_LOADS_    \
    };

/* void NAME_load_row_(struct NAME_loaded_ *x, ...): x[s] gets the lane's strand of tree's warp s. in begins
   with that of tree's warp 0. n: elements of the row from the first lane's on; left: from the lane's own
   on. */
#define REDUCE_LOAD_ROW_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_load_row_(struct NAME##_loaded_ *x, NAME##_input_ in_, unsigned n,           \
                                         unsigned left_, unsigned loads_, bool are_words_) {                \
        const bool skips_ = NAME##_is_costly_ && loads_ > 1 && !are_words_;                                 \
        unsigned k = 0;                                                                                     \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++, k += NAME##_warp_elements_)                                   \
            if (!skips_ || k < n)                                                                           \
                NAME##_load_strand_(&x[s], NAME##_input_at_(in_, k), k < left_ ? left_ - k : 0, are_words_);\
    }

/* void NAME_strands_of_row_(T *of_warp, ...): of_warp[s] gets the result of strand x[s]; the indices of the
   first begin with i. */
#define REDUCE_STRANDS_OF_ROW_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_strands_of_row_(NAME##_result *of_warp_, const struct NAME##_loaded_ *x,     \
                                               NAME##_input_ in_, unsigned i, unsigned n, unsigned left_,   \
                                               unsigned loads_, bool are_words_) {                          \
        const bool skips_ = NAME##_is_costly_ && loads_ > 1 && !(are_words_ && NAME##_packed_ > 1);         \
        unsigned k = 0;                                                                                     \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++, k += NAME##_warp_elements_) {                                 \
            of_warp_[s] = NAME##_identity();                                                                \
            if (!skips_ || k < n)                                                                           \
                of_warp_[s] = NAME##_strand_of_row_(&x[s], in_, k < left_ ? left_ - k : 0, i + k,           \
                                                    are_words_);                                            \
        }                                                                                                   \
    }

/* void NAME_load_covered_(...): words[s] gets the words that cover the lane's strand of tree's warp s; these
   begin skew bytes before it. All addresses are one and a constant. */
#define REDUCE_LOAD_COVERED_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_load_covered_(unsigned (*words_)[REDUCE_COVER_], NAME##_input_ in_,          \
                                             unsigned left_, unsigned skew_, unsigned loads_) {             \
        const unsigned bytes_ = left_ > 0 ? left_ * (unsigned)NAME##_size_ + skew_ : 0;                     \
        const char *from_ = (const char *)(const void *)in_.in_ - skew_;                                    \
        REDUCE_COMPUTE_POINTER_ONCE_(from_);                                                                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++)                                                               \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned k = 0; k < REDUCE_COVER_; k++) {                                                  \
                const unsigned at_ = 16 * REDUCE_WARP * s + 4 * k;                                          \
                reduce_load_part_(&words_[s][k], from_ + at_, 4, at_ < bytes_);                             \
            }                                                                                               \
    }

/* void NAME_covered_row_(T *of_warp, ...): of_warp[s] gets the result of the lane's strand of tree's warp s.
   n, left: as for NAME_load_row_. */
#define REDUCE_COVERED_ROW_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_covered_row_(NAME##_result *of_warp_, NAME##_input_ in_, unsigned i,         \
                                            unsigned n, unsigned left_, unsigned loads_) {                  \
        const unsigned skew_ = (unsigned)((uintptr_t)in_.in_ % 4);                                          \
        unsigned words_[8][REDUCE_COVER_], k = 0;                                                           \
        struct NAME##_loaded_ x;                                                                            \
        NAME##_load_covered_(words_, in_, left_, skew_, loads_);                                            \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++, k += NAME##_warp_elements_) {                                 \
            const unsigned own_ = k < left_ ? left_ - k : 0;                                                \
            of_warp_[s] = NAME##_identity();                                                                \
            if (loads_ > 1 && k >= n) continue;                                                             \
            reduce_uncover_(&x, words_[s], skew_);                                                          \
            of_warp_[s] = own_ >= NAME##_positions_ ? NAME##_strand_of_row_(&x, in_, own_, i + k, true)     \
                                                    : NAME##_strand_of_row_(&x, in_, own_, i + k, false);   \
        }                                                                                                   \
    }

/* T NAME_fold_loads_(T *x, ...): folds one value over 2^bits lanes, or each of several over the whole warp:
   of 2^b values those whose numbers differ in their highest bit lie half a warp apart, and so on. */
#define REDUCE_FOLD_LOADS_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_loads_(NAME##_result *x, int bits_, unsigned loads_) {         \
        if (NAME##_folds_late_ && loads_ > 1) return NAME##_fold_here_(x, (int)loads_);                     \
        if (NAME##_folds_late_ && bits_ == 5) return NAME##_fold_late_(x[0]);                               \
        const int lane_ = (int)(threadIdx.x % REDUCE_WARP), last_ = REDUCE_WARP / (int)loads_;              \
        if (loads_ >= 8) NAME##_exchange_halves_(x, 4, lane_, REDUCE_WARP / 2);                             \
        if (loads_ >= 4) NAME##_exchange_halves_(x, 2, lane_, 2 * last_);                                   \
        if (loads_ >= 2) NAME##_exchange_halves_(x, 1, lane_, last_);                                       \
        return NAME##_steps_(x[0], loads_ > 1 ? last_ : 1 << bits_, 1);                                     \
    }

/* void NAME_loaded_row_(T *of_warp, ...): all lanes of a warp call; NAME_covered_row_ for strands that are
   loaded as words or by elements. Without __syncwarp ptxas would move loads behind the branches that pass
   over tree's warps, one after the other. */
#define REDUCE_LOADED_ROW_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_loaded_row_(NAME##_result *of_warp_, NAME##_input_ in_, unsigned i,          \
                                           unsigned n, unsigned left_, unsigned loads_, bool are_words_) {  \
        struct NAME##_loaded_ x[8];                                                                         \
        REDUCE_ANYTHING_(x);                                                                                \
        NAME##_load_row_(x, in_, n, left_, loads_, are_words_);                                             \
        if (NAME##_is_costly_ && are_words_ && loads_ > 4) __syncwarp();                                    \
        NAME##_strands_of_row_(of_warp_, x, in_, i, n, left_, loads_, are_words_);                          \
    }

/* T NAME_loads_of_row_(...): all lanes of a warp call; leaves results where NAME_fold_loads_ does. */
#define REDUCE_LOADS_OF_ROW_(NAME)                                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_loads_of_row_(NAME##_input_ in_, unsigned i, unsigned n,            \
                                                      unsigned left_, int bits_, unsigned loads_,           \
                                                      enum reduce_load_by_ by_) {                           \
        NAME##_result of_warp_[8];                                                                          \
        if (by_ == REDUCE_ROW_BY_COVER_)                                                                    \
            NAME##_covered_row_(of_warp_, in_, i, n, left_, loads_);                                        \
        else                                                                                                \
            NAME##_loaded_row_(of_warp_, in_, i, n, left_, loads_, by_ == REDUCE_ROW_BY_WORDS_);            \
        return NAME##_fold_loads_(of_warp_, bits_, loads_);                                                 \
    }

/* T NAME_batch_at_(...): NAME_loads_of_row_ for the batch from element k of the row on, as below. */
#define REDUCE_BATCH_AT_(NAME)                                                                              \
    REDUCE_DEVICE_ NAME##_result NAME##_batch_at_(NAME##_input_ in_, unsigned i, unsigned n,                \
                                                  unsigned left_, unsigned k, int bits_,                    \
                                                  unsigned loads_, enum reduce_load_by_ by_) {              \
        return NAME##_loads_of_row_(NAME##_input_at_(in_, k), i + k, n - k, k < left_ ? left_ - k : 0,      \
                                    bits_, loads_, by_);                                                    \
    }

/* T NAME_batches_of_row_(...): the first of 2^bits lanes gets the result of a row of n elements. A batch is
   so many of the tree's warps as the lane has loads. Lane by lane, the batches meet as the tree's warps do:
   those half of all batches apart first. left: elements of the row from the lane's first, i, on. */
#define REDUCE_BATCHES_OF_ROW_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_batches_of_row_(NAME##_input_ in_, unsigned i, unsigned n,          \
                                                        unsigned left_, int bits_, unsigned loads_,         \
                                                        unsigned batches_, enum reduce_load_by_ by_) {      \
        NAME##_result x = NAME##_identity(), half_ = x;                                                     \
        if (batches_ == 1) x = NAME##_loads_of_row_(in_, i, n, left_, bits_, loads_, by_);                  \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned b = 0; b < batches_ && batches_ > 1; b++) {                                           \
            const unsigned k = (b / 2 + b % 2 * (batches_ / 2)) * loads_ * NAME##_warp_elements_;           \
            if (k < n)                                                                                      \
                half_ = NAME##_combine(half_, NAME##_batch_at_(in_, i, n, left_, k, bits_, loads_, by_));   \
            if (b % 2 == 1) x = NAME##_combine(x, half_), half_ = NAME##_identity();                        \
        }                                                                                                   \
        if (NAME##_folds_late_ && loads_ > 1) return NAME##_fold_late_(x);                                  \
        return loads_ > 1 ? NAME##_steps_(x, REDUCE_WARP, REDUCE_WARP / (int)loads_) : x;                   \
    }

/* T NAME_lanes_of_row_(...): the first of 2^bits lanes gets the result of a row of up to `warps` of the
   tree's warps, by `loads` loads of a lane at a time, or by `covered` if words cover it. Lanes that have one
   load cover none. */
#define REDUCE_LANES_OF_ROW_(NAME)                                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_lanes_of_row_(NAME##_input_ in_, unsigned i, unsigned n,            \
                                                      unsigned left_, int bits_, unsigned loads_,           \
                                                      unsigned covered_, unsigned warps_,                   \
                                                      enum reduce_load_by_ by_) {                           \
        if (by_ == REDUCE_ROW_BY_COVER_ && loads_ > 1)                                                      \
            return NAME##_batches_of_row_(in_, i, n, left_, bits_, covered_, warps_ / covered_,             \
                                          REDUCE_ROW_BY_COVER_);                                            \
        if (by_ == REDUCE_ROW_BY_COVER_) by_ = REDUCE_ROW_BY_ELEMENTS_;                                     \
        return NAME##_batches_of_row_(in_, i, n, left_, bits_, loads_, warps_ / loads_, by_);               \
    }

/* The kernel of ONE_LOAD_ROWS to EIGHT_LOAD_ROWS: some lanes have a row. */
#define REDUCE_LANE_ROWS_KERNEL_(NAME, kernel, loads, covered, warps, are_words)                            \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_ROW_THREADS_)                                              \
        kernel(REDUCE_ROWS_PARAMETERS_(NAME)) {                                                             \
        const int bits_ = (loads) > 1 ? 5 : rows_.bits_;                                                    \
        const size_t own_ = reduce_own_number_(), row_ = own_ >> bits_;                                     \
        const unsigned lane_ = (unsigned)own_ & ((1u << bits_) - 1), i = lane_ * NAME##_positions_;         \
        const unsigned n = (unsigned)rows_.n, left_ = row_ < rows_.rows_ && i < n ? n - i : 0;              \
        const bool covers_ = NAME##_covers_ && !(are_words) && (covered) >= (NAME##_size_ > 1 ? 2 : 4);     \
        const bool is_covered_ = covers_ && rows_.all_ > 0 && row_ > 0 && row_ + 1 < rows_.rows_;           \
        const enum reduce_load_by_ by_ = (are_words) ? REDUCE_ROW_BY_WORDS_                                 \
                                         : is_covered_ ? REDUCE_ROW_BY_COVER_ : REDUCE_ROW_BY_ELEMENTS_;    \
        in_ = NAME##_input_at_(in_, row_ * rows_.pitch_ + i);                                               \
        const NAME##_result x = NAME##_lanes_of_row_(in_, i, n, left_, bits_, loads, covered, warps, by_);  \
        (void)ws_;                                                                                          \
        if (lane_ == 0 && left_ > 0) out_[row_] = NAME##_final_(x);                                         \
    }

/* The kernels of rows of so many of the tree's warps at most: by `loads` words of a lane at a time; and by
   as many strands that are covered, or `singly` strands one element after the other. Names are made here: a
   user's macro may be called as their parts are. */
#define REDUCE_LANE_ROWS_KERNELS_(NAME, some, warps, loads, singly)                                         \
    REDUCE_LANE_ROWS_KERNEL_(NAME, NAME##_##some##_rows_aligned_, loads, loads, warps, true)                \
    REDUCE_LINE_                                                                                            \
    REDUCE_LANE_ROWS_KERNEL_(NAME, NAME##_##some##_rows_misaligned_, singly, loads, warps, false)           \
    REDUCE_LINE_

/* The kernel of STRIPE_ROWS: a block has a row of at most a stripe, and each thread a strand. */
#define REDUCE_STRIPE_ROWS_KERNEL_(NAME, aligned, are_words)                                                \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS)                                                   \
        NAME##_stripe_rows_##aligned##_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                    \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const unsigned i = at_.thread_ * NAME##_positions_, n = (unsigned)rows_.n;                          \
        const unsigned left_ = i < n ? n - i : 0;                                                           \
        struct NAME##_loaded_ x;                                                                            \
        REDUCE_ANYTHING_(x);                                                                                \
        in_ = NAME##_input_at_(in_, at_.block_ * rows_.pitch_ + i);                                         \
        NAME##_load_strand_(&x, in_, left_, are_words);                                                     \
        const NAME##_result of_strand_ = NAME##_strand_of_row_(&x, in_, left_, i, are_words);               \
        const NAME##_result of_row_ = NAME##_first_of_block_(of_strand_, at_);                              \
        (void)ws_;                                                                                          \
        if (at_.thread_ == 0) out_[at_.block_] = NAME##_final_(of_row_);                                    \
    }

#endif /* REDUCE_SHORT_ROWS_CUH */
