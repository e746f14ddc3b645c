/*
 * reduce_atomic.cuh: two strategies for teaching, in which results meet by atomic operations.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_atomic.cuh"
 *     DEFINE_REDUCE(float, sum)
 *     DEFINE_REDUCE_ATOMIC(reduce_float_sum)
 *
 * adds two functions to a NAME that exists:
 *
 *   cudaError_t NAME_atomic_warp     each warp combines its result with one cell in memory
 *   cudaError_t NAME_atomic_block    each block does
 *
 * They are called as NAME_async is. DEFINE_REDUCE_ZIP_ATOMIC and DEFINE_REDUCE_WITH_ATOMIC add them to a NAME
 * of reduce_inputs.cuh.
 *
 * They exist to be studied and measured. Operations on one cell go one after the other, in any order:
 *
 *   Bits    A sum of floats differs from run to run. Integers, and min and max, have the bits of NAME_async.
 *   Time    100,000,000 ints on an H200, CUDA 13.0: 62 ms by NAME_atomic_warp, 0.88 by NAME_atomic_block, and
 *           0.09 by NAME_async (bench/ladder).
 *
 * A result of up to 8 bytes goes into the cell by compare-and-swap. A larger one waits for a lock.
 */
#ifndef REDUCE_ATOMIC_CUH
#define REDUCE_ATOMIC_CUH

#include "reduce.cuh"

#ifdef __CUDACC__

/* A cell of zero bits stands for the identity, so that it needs no setting up. */

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
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_LANES, REDUCE_BLOCKS_(NAME))                               \
        NAME##_atomic_kernel_(NAME##_input_ in_, unsigned size_, unsigned lack_,                            \
                              struct reduce_meeting_ meeting_, reduce_workspace *ws_, NAME##_result *out_) {\
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const bool by_warp_ = meeting_.way_ == REDUCE_BY_ATOMIC_WARP_;                                      \
        NAME##_result x = NAME##_walk_(NAME##_chunk_of_(in_, at_, size_, lack_), at_);                      \
        x = NAME##_fold_(x, at_, REDUCE_WARP);                                                              \
        if (!by_warp_) x = NAME##_across_warps_(x, at_);                                                    \
        if (by_warp_ ? at_.lane_ == 0 : at_.thread_ == 0) NAME##_merge_(x, ws_);                            \
        const bool is_last_ = reduce_last_block(&ws_->ticket_);                                             \
        if (is_last_ && at_.thread_ == 0) *out_ = NAME##_final_(NAME##_empty_cell_(ws_));                   \
    }

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

#endif /* REDUCE_ATOMIC_CUH */
