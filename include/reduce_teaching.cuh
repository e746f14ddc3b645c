/*
 * reduce_teaching.cuh: ways of reducing that exist to be studied and measured.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce.cuh includes this file where it lies beside it. A definition then generates as well:
 *
 *   T NAME_warp_volatile(volatile T *slice)    a warp of 32 lanes, over 32 values in shared memory, which
 *                                              it overwrites; every lane gets the result
 *   cudaError_t NAME_two_launch                a second launch, of one block, reduces the blocks' results
 *
 * DEFINE_REDUCE_ATOMIC(NAME) adds a kernel, to be compiled only where it is asked for:
 *
 *   cudaError_t NAME_atomic_block              each block combines its result with one cell in memory
 *   cudaError_t NAME_atomic_warp               each warp does
 *
 * For a NAME of reduce_inputs.cuh it is DEFINE_REDUCE_ZIP_ATOMIC or DEFINE_REDUCE_WITH_ATOMIC. The last three
 * are called as NAME_async is. A program that calls none of these functions can do without the file.
 *
 *   Bits    NAME_two_launch has those of NAME_async. NAME_warp_volatile has those of NAME_warp, but it
 *           starts from the slice's own values: a sum of -0 alone is -0. Operations on a cell go one after
 *           the other in any order, so that a sum of floats differs from run to run. Integers, and min and
 *           max, have the bits of NAME_async.
 *   Time    100,000,000 ints on an H200, CUDA 13.0: 64 ms by NAME_atomic_warp, 0.87 by NAME_atomic_block,
 *           0.092 by NAME_two_launch, and 0.090 by NAME_async (bench/ladder).
 *
 * A result of up to 8 bytes goes into the cell by compare-and-swap. A larger one waits for a lock.
 */
#ifndef REDUCE_TEACHING_CUH
#define REDUCE_TEACHING_CUH

#include "reduce.cuh"

#ifdef __CUDACC__

/* ---- One warp, in shared memory ------------------------------------------------------------------------ */

/* Copies an object to or from shared memory that other lanes of the warp write: by volatile words, because C
   has no assignment between volatile structs. */
REDUCE_DEVICE_ void reduce_copy_volatile_(volatile void *to_, const volatile void *from_, size_t size_,
                                          size_t align_) {
    const bool by_words_ = size_ % sizeof(reduce_word_) == 0 && align_ % sizeof(reduce_word_) == 0;
    REDUCE_UNROLL_
    for (size_t at_ = 0; at_ < size_; at_ += by_words_ ? sizeof(reduce_word_) : 1)
        if (by_words_)
            ((volatile reduce_word_ *)to_)[at_ / 4] = ((const volatile reduce_word_ *)from_)[at_ / 4];
        else
            ((volatile unsigned char *)to_)[at_] = ((const volatile unsigned char *)from_)[at_];
}

/* void NAME_volatile_step_(volatile T *slice, int half): one lane's part of a step. */
#define REDUCE_VOLATILE_STEP_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_volatile_step_(volatile NAME##_result *slice_, int half_) {                  \
        NAME##_result x, partner_;                                                                          \
        enum { alignment_ = REDUCE_ALIGNMENT_(NAME##_result) };                                             \
        reduce_copy_volatile_(&x, slice_, sizeof x, alignment_);                                            \
        reduce_copy_volatile_(&partner_, slice_ + half_, sizeof x, alignment_);                             \
        x = NAME##_combine(x, partner_);                                                                    \
        reduce_copy_volatile_(slice_, &x, sizeof x, alignment_);                                            \
    }

/* T NAME_warp_volatile(volatile T *slice): 32 lanes over 32 values in shared memory; the result in every
   lane. The lanes of a warp do not run in lockstep: each step's writes must be seen before the next step's
   reads, the caller's writes before the first step, and the last read before the caller's next write. Within
   a step nothing is to be ordered: a lane below half writes only what no other lane reads. */
#define REDUCE_WARP_VOLATILE_(NAME)                                                                         \
    REDUCE_DEVICE_ NAME##_result NAME##_warp_volatile(volatile NAME##_result *slice_) {                     \
        const int lane_ = reduce_place_().lane_;                                                            \
        NAME##_result x;                                                                                    \
        for (int half_ = REDUCE_WARP / 2; half_ > 0; half_ /= 2) {                                          \
            __syncwarp();                                                                                   \
            if (lane_ < half_) NAME##_volatile_step_(slice_ + lane_, half_);                                \
        }                                                                                                   \
        __syncwarp();                                                                                       \
        reduce_copy_volatile_(&x, slice_, sizeof(NAME##_result), REDUCE_ALIGNMENT_(NAME##_result));         \
        __syncwarp();                                                                                       \
        return NAME##_final_(x);                                                                            \
    }

/* ---- Two launches -------------------------------------------------------------------------------------- */

/* cudaError_t NAME_two_launch(...): the end of the first launch is the barrier that the grid lacks. */
#define REDUCE_TWO_LAUNCH_(NAME, KIND)                                                                      \
    REDUCE_HOST_ cudaError_t NAME##_two_launch(REDUCE_GIVEN_(NAME, KIND), NAME##_result *out_,              \
                                               reduce_workspace *ws_, cudaStream_t stream_) {               \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const cudaError_t status_ = NAME##_launch_(input_, n, out_, ws_, REDUCE_TO_SLOTS_, stream_);        \
        return status_ ? status_ : NAME##_launch_(input_, n, out_, ws_, REDUCE_FROM_SLOTS_, stream_);       \
    }

/* ---- Atomic operations ------------------------------------------------------------------------------------
 *
 * A cell of zero bits stands for the identity, so that it needs no setting up.
 */

/* void NAME_swap_in_(unsigned long long *cell, T x): for a T that fits the cell; any thread. */
#define REDUCE_SWAP_IN_(NAME)                                                                               \
    REDUCE_DEVICE_ void NAME##_swap_in_(unsigned long long *cell_, NAME##_result x) {                       \
        NAME##_result value_ = NAME##_identity();                                                           \
        const unsigned long long zero_ = reduce_bits_(&value_, sizeof value_);                              \
        unsigned long long seen_, found_ = 0;                                                               \
        do {                                                                                                \
            seen_ = found_;                                                                                 \
            reduce_set_bits_(&value_, sizeof value_, seen_ ^ zero_);                                        \
            value_ = NAME##_combine(value_, x);                                                             \
            found_ = atomicCAS(cell_, seen_, reduce_bits_(&value_, sizeof value_) ^ zero_);                 \
        } while (found_ != seen_);                                                                          \
    }

/* void NAME_lock_in_(reduce_workspace *ws, T x): for a larger T; any one thread of a warp. */
#define REDUCE_LOCK_IN_(NAME)                                                                               \
    REDUCE_DEVICE_ void NAME##_lock_in_(reduce_workspace *ws_, NAME##_result x) {                           \
        NAME##_result *cell_ = (NAME##_result *)(void *)ws_->cell_;                                         \
        while (atomicCAS(&ws_->lock_, 0u, 1u) != 0) continue;                                               \
        __threadfence();                                                                                    \
        *cell_ = ws_->cell_is_used_ ? NAME##_combine(*cell_, x) : x;                                        \
        ws_->cell_is_used_ = 1;                                                                             \
        __threadfence();                                                                                    \
        atomicExch(&ws_->lock_, 0u);                                                                        \
    }

/* T NAME_empty_cell_(reduce_workspace *ws): what is in the cell; one thread, after all others have merged. */
#define REDUCE_EMPTY_CELL_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_empty_cell_(reduce_workspace *ws_) {                                \
        NAME##_result x = NAME##_identity();                                                                \
        const unsigned long long zero_ = reduce_bits_(&x, sizeof x);                                        \
        unsigned long long *bits_ = (unsigned long long *)(void *)ws_->cell_;                               \
        if (sizeof(NAME##_result) > sizeof *bits_) {                                                        \
            if (ws_->cell_is_used_) x = *(const NAME##_result *)(const void *)ws_->cell_;                   \
            ws_->cell_is_used_ = 0;                                                                         \
        } else {                                                                                            \
            reduce_set_bits_(&x, sizeof x, *bits_ ^ zero_);                                                 \
        }                                                                                                   \
        *bits_ = 0;                                                                                         \
        return x;                                                                                           \
    }

/* void NAME_merge_(T x, reduce_workspace *ws): one thread of each block or warp. */
#define REDUCE_MERGE_(NAME)                                                                                 \
    REDUCE_DEVICE_ void NAME##_merge_(NAME##_result x, reduce_workspace *ws_) {                             \
        if (sizeof(NAME##_result) <= sizeof(unsigned long long))                                            \
            NAME##_swap_in_((unsigned long long *)(void *)ws_->cell_, x);                                   \
        else                                                                                                \
            NAME##_lock_in_(ws_, x);                                                                        \
    }

/* As NAME_kernel_; results meet in the cell. The last block writes *out. */
#define REDUCE_ATOMIC_KERNEL_(NAME)                                                                         \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, REDUCE_BLOCKS_(NAME))                             \
        NAME##_atomic_kernel_(NAME##_input_ in_, unsigned size_, unsigned missing_,                         \
                              struct reduce_meeting_ meeting_, reduce_workspace *ws_, NAME##_result *out_) {\
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const bool by_warp_ = meeting_.way_ == REDUCE_BY_ATOMIC_WARP_;                                      \
        NAME##_result x = NAME##_walk_(NAME##_chunk_of_(in_, at_, size_, missing_, 0), at_);                \
        x = by_warp_ ? NAME##_fold_(x, at_, REDUCE_WARP) : NAME##_first_of_block_(x, at_);                  \
        if (by_warp_ ? at_.lane_ == 0 : at_.thread_ == 0) NAME##_merge_(x, ws_);                            \
        const bool is_last_ = reduce_last_block(&ws_->ticket_);                                             \
        if (is_last_ && at_.thread_ == 0) *out_ = NAME##_final_(NAME##_empty_cell_(ws_));                   \
    }

#define REDUCE_TEACHING_(NAME, KIND)                                                                        \
    REDUCE_VOLATILE_STEP_(NAME) REDUCE_LINE_ REDUCE_WARP_VOLATILE_(NAME) REDUCE_LINE_                       \
    REDUCE_TWO_LAUNCH_(NAME, KIND) REDUCE_LINE_

#define REDUCE_ATOMIC_(NAME, KIND)                                                                          \
    REDUCE_CHECK_PLACE_(#NAME ", atomic") REDUCE_LINE_                                                      \
    REDUCE_EACH_(NAME, REDUCE_SWAP_IN_, REDUCE_LOCK_IN_, REDUCE_EMPTY_CELL_, REDUCE_MERGE_)                 \
    REDUCE_ATOMIC_KERNEL_(NAME) REDUCE_LINE_ REDUCE_LAUNCH_(NAME, atomic_launch, atomic_kernel) REDUCE_LINE_\
    REDUCE_STRATEGY_(NAME, KIND, atomic_warp, atomic_launch, REDUCE_BY_ATOMIC_WARP_) REDUCE_LINE_           \
    REDUCE_STRATEGY_(NAME, KIND, atomic_block, atomic_launch, REDUCE_BY_ATOMIC_BLOCK_) REDUCE_LINE_

#else
#define REDUCE_ATOMIC_(NAME, KIND) REDUCE_CHECK_PLACE_(#NAME ", atomic")
#endif

#define DEFINE_REDUCE_ATOMIC(NAME) REDUCE_ATOMIC_(NAME, ARRAY_)
#define DEFINE_REDUCE_ZIP_ATOMIC(NAME) REDUCE_ATOMIC_(NAME, ZIP_)
#define DEFINE_REDUCE_WITH_ATOMIC(NAME) REDUCE_ATOMIC_(NAME, WITH_)

#endif /* REDUCE_TEACHING_CUH */
