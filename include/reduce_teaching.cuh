/*
 * reduce_teaching.cuh: ways of reducing to study and to measure; a part of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce.cuh includes this file where the two lie side by side. A definition then also generates
 *
 *   T NAME_warp_volatile(volatile T *slice)    All 32 lanes of a warp call it, over 32 values in shared
 *                                              memory, which it overwrites. Every lane gets the result.
 *   cudaError_t NAME_two_launch(...)           A second launch, of one block, reduces the blocks' results.
 *
 * DEFINE_REDUCE_ATOMIC(NAME) adds a kernel and two functions that launch it:
 *
 *   cudaError_t NAME_atomic_block(...)         Each block combines its result with one cell in memory.
 *   cudaError_t NAME_atomic_warp(...)          Each warp does.
 *
 * For a NAME of reduce_inputs.cuh use DEFINE_REDUCE_ZIP_ATOMIC, DEFINE_REDUCE_WITH_ATOMIC or
 * DEFINE_REDUCE_ZIP_WITH_ATOMIC. Host functions have the arguments of NAME_async. A program that calls none
 * of these functions does not need the file.
 *
 *   Bits    NAME_two_launch has the bits of NAME_async. NAME_warp_volatile has the bits of NAME_warp, but
 *           starts from the slice's values: a sum of -0 alone is -0. Atomic operations on a cell come in any
 *           order, so that a sum of floats differs from run to run. For integers, min and max the bits are
 *           those of NAME_async.
 *   Size    The cell holds a result of up to 8 bytes by compare-and-swap. Larger results wait for a lock.
 *   Time    of 100,000,000 ints on an H200 with CUDA 13.0 (bench/ladder):
 *             NAME_atomic_warp     64 ms
 *             NAME_atomic_block     0.87 ms
 *             NAME_two_launch       0.092 ms
 *             NAME_async            0.090 ms
 */
#ifndef REDUCE_TEACHING_CUH
#define REDUCE_TEACHING_CUH

#include "reduce.cuh"

#ifdef __CUDACC__

/* ---- One warp, in shared memory ------------------------------------------------------------------------ */

/* void NAME_volatile_step_(volatile T *slice, int half): one lane combines slice[half] onto slice[0]. */
#define REDUCE_VOLATILE_STEP_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_volatile_step_(volatile NAME##_result *slice_, int half_) {                  \
        NAME##_result x, partner_;                                                                          \
        enum { alignment_ = REDUCE_ALIGNMENT_(NAME##_result) };                                             \
        reduce_copy_volatile_(&x, slice_, sizeof x, alignment_);                                            \
        reduce_copy_volatile_(&partner_, slice_ + half_, sizeof x, alignment_);                             \
        x = NAME##_combine(x, partner_);                                                                    \
        reduce_copy_volatile_(slice_, &x, sizeof x, alignment_);                                            \
    }

/* T NAME_warp_volatile(volatile T *slice): see the manual. The lanes of a warp do not run in lockstep, so
   __syncwarp() stands before each step, for the writes before it, and around the last read, for the caller's
   next write. A step needs no order within it: a lane below half writes only what no other lane reads. */
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

/* cudaError_t NAME_two_launch(...): the end of the first launch is the barrier of the whole grid. */
#define REDUCE_TWO_LAUNCH_(NAME, KIND)                                                                      \
    REDUCE_HOST_ cudaError_t NAME##_two_launch(REDUCE_GIVEN_(NAME, KIND), NAME##_result *out_,              \
                                               reduce_workspace *ws_, cudaStream_t stream_) {               \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        cudaError_t status_ = NAME##_launch_(input_, n, out_, ws_, REDUCE_TO_SLOTS_, stream_);              \
        if (status_ != cudaSuccess) return status_;                                                         \
        status_ = NAME##_launch_(input_, n, out_, ws_, REDUCE_FROM_SLOTS_, stream_);                        \
        if (status_ != cudaSuccess) (void)reduce_workspace_reset(ws_, stream_); /* the slots are full */    \
        return status_;                                                                                     \
    }

/* ---- Atomic operations ------------------------------------------------------------------------------------
 *
 * A cell of up to 8 bytes holds the bits of its value, exclusive-or those of the identity, so that a cleared
 * cell is the identity. For a larger T cell_is_used_ says whether the cell holds a value.
 */

/* void NAME_swap_in_(unsigned long long *cell, T x): any thread, for a T that fits the cell. */
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

/* void NAME_lock_in_(reduce_workspace *ws, T x): one thread of a warp, for a larger T. */
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

/* T NAME_empty_cell_(reduce_workspace *ws): one thread, after all others have merged: returns the cell's
   value, and clears the cell. */
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

/* void NAME_merge_(T x, reduce_workspace *ws): one thread of each block or warp combines x into the cell. */
#define REDUCE_MERGE_(NAME)                                                                                 \
    REDUCE_DEVICE_ void NAME##_merge_(NAME##_result x, reduce_workspace *ws_) {                             \
        if (sizeof(NAME##_result) <= sizeof(unsigned long long))                                            \
            NAME##_swap_in_((unsigned long long *)(void *)ws_->cell_, x);                                   \
        else                                                                                                \
            NAME##_lock_in_(ws_, x);                                                                        \
    }

/* NAME_atomic_kernel_: as NAME_kernel_, but results meet in the cell. The last block writes *out. */
#define REDUCE_ATOMIC_KERNEL_(NAME)                                                                         \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, REDUCE_BLOCKS_(NAME))                             \
        NAME##_atomic_kernel_(NAME##_input_ in_, unsigned chunk_, unsigned missing_,                        \
                              struct reduce_meeting_ meeting_, reduce_workspace *ws_, NAME##_result *out_) {\
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const bool by_warp_ = meeting_.way_ == REDUCE_BY_ATOMIC_WARP_;                                      \
        NAME##_result x = NAME##_walk_(NAME##_chunk_of_(in_, at_, chunk_, missing_, 0), at_);               \
        x = by_warp_ ? NAME##_fold_(x, at_, REDUCE_WARP) : NAME##_first_of_block_(x, at_);                  \
        if (by_warp_ ? at_.lane_ == 0 : at_.thread_ == 0) NAME##_merge_(x, ws_);                            \
        const bool is_last_ = reduce_last_block(&ws_->ticket_);                                             \
        if (is_last_ && at_.thread_ == 0) *out_ = NAME##_final_(NAME##_empty_cell_(ws_));                   \
    }

#define REDUCE_TEACHING_(NAME, KIND)                                                                        \
    REDUCE_VOLATILE_STEP_(NAME) REDUCE_LINE_ REDUCE_WARP_VOLATILE_(NAME) REDUCE_LINE_                       \
    REDUCE_TWO_LAUNCH_(NAME, KIND) REDUCE_LINE_

#define REDUCE_ATOMIC_(NAME, KIND)                                                                          \
    REDUCE_CHECK_ONCE_(NAME##_atomic) REDUCE_LINE_                                                          \
    REDUCE_EACH_(NAME, REDUCE_SWAP_IN_, REDUCE_LOCK_IN_, REDUCE_EMPTY_CELL_, REDUCE_MERGE_)                 \
    REDUCE_ATOMIC_KERNEL_(NAME) REDUCE_LINE_ REDUCE_LAUNCH_(NAME, atomic_launch, atomic_kernel) REDUCE_LINE_\
    REDUCE_STRATEGY_(NAME, KIND, atomic_warp, atomic_launch, REDUCE_BY_ATOMIC_WARP_) REDUCE_LINE_           \
    REDUCE_STRATEGY_(NAME, KIND, atomic_block, atomic_launch, REDUCE_BY_ATOMIC_BLOCK_) REDUCE_LINE_

#else
#define REDUCE_ATOMIC_(NAME, KIND) REDUCE_CHECK_ONCE_(NAME##_atomic)
#endif

#define DEFINE_REDUCE_ATOMIC(NAME) REDUCE_ADD_TO_(NAME, ARRAY_, atomic, "ATOMIC", REDUCE_ATOMIC_)
#define DEFINE_REDUCE_ZIP_ATOMIC(NAME) REDUCE_ADD_TO_(NAME, ZIP_, atomic, "ATOMIC", REDUCE_ATOMIC_)
#define DEFINE_REDUCE_WITH_ATOMIC(NAME) REDUCE_ADD_TO_(NAME, WITH_, atomic, "ATOMIC", REDUCE_ATOMIC_)
#define DEFINE_REDUCE_ZIP_WITH_ATOMIC(NAME) REDUCE_ADD_TO_(NAME, ZIP_WITH_, atomic, "ATOMIC", REDUCE_ATOMIC_)

#endif /* REDUCE_TEACHING_CUH */
