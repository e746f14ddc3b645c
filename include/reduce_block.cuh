/*
 * reduce_block.cuh: reductions of blocks that are whole warps in a row.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_block.cuh"
 *     DEFINE_REDUCE(float, sum)
 *     DEFINE_REDUCE_BLOCK(reduce_float_sum)
 *
 * adds a function to a NAME that exists:
 *
 *   T NAME_block_of(T x, int threads)     all threads of a block of one dimension with so many threads, a
 *                                         multiple of 32; every thread gets the result
 *
 * It has the bits of NAME_block and may be called again at once. It is faster, most of all where threads is a
 * constant: then the code for other sizes is left out. In a simulator a block of another shape stops the
 * kernel, unless NDEBUG is defined.
 *
 * Shared memory for a constant number of threads: none for 32, that of 4 T up to 128 threads. For more it is
 * that of 33 T where a GPU has an instruction for the operator or T has more than 16 bytes; else that of 65 T
 * where T has more than 4 bytes, and of 129 T where it has not. A number that is no constant takes both.
 */
#ifndef REDUCE_BLOCK_CUH
#define REDUCE_BLOCK_CUH

#include "reduce.cuh"

#ifdef __CUDACC__

/* Stops the kernel where a block is not what its caller says. */
#if defined __CUDA_ARCH__ || defined NDEBUG
#define REDUCE_CHECK_BLOCK_(threads)
#else
#define REDUCE_CHECK_BLOCK_(threads)                                                                        \
    if ((threads) % REDUCE_WARP != 0 || blockDim.x != (unsigned)(threads) || blockDim.y * blockDim.z != 1)  \
        __trap();
#endif

/* NAME_per_warp_: values that each warp leaves to the first one. If a warp is not folded at once (is_whole),
   its last steps are one lane's work there: that lane loads all values together, and nothing is exchanged.
   NAME_orders_: keys need no identity to start from. */
#define REDUCE_BLOCK_TRAITS_(NAME)                                                                          \
    enum {                                                                                                  \
        NAME##_bytes_ = sizeof(NAME##_result),                                                              \
        NAME##_orders_ = (int)NAME##_operator_ >= REDUCE_MIN_MAX_ && (int)NAME##_operator_ <= REDUCE_FMAX_, \
        NAME##_is_whole_ = REDUCE_HAS_INSTRUCTION_(NAME) || NAME##_folds_whole_,                            \
        NAME##_per_warp_ = NAME##_is_whole_ || NAME##_bytes_ > 16 ? 1 : NAME##_bytes_ > 4 ? 2 : 4           \
    };

/* T NAME_steps_(T x, int most, int least): a whole warp's steps between lanes that are less than most and at
   least least apart. The result of all steps is in lane 0. */
#define REDUCE_BLOCK_STEPS_(NAME)                                                                           \
    REDUCE_DEVICE_ NAME##_result NAME##_steps_(NAME##_result x, int most_, int least_) {                    \
        if (NAME##_fold_at_once_(&x, reduce_place_in_row_(), REDUCE_WARP)) return x;                        \
        REDUCE_UNROLL_                                                                                      \
        for (int half_ = REDUCE_WARP / 2; half_ >= least_; half_ /= 2) {                                    \
            NAME##_result partner_ = x;                                                                     \
            if (half_ >= most_) continue;                                                                   \
            reduce_shuffle_(&partner_, sizeof x, 0, half_);                                                 \
            x = NAME##_combine(x, partner_);                                                                \
        }                                                                                                   \
        return x;                                                                                           \
    }

/* void NAME_read_(T *to, const T *from, int size, int count): count of size values, or all of them at once.
   Where those fill 16 bytes, from is a multiple of 16. */
#define REDUCE_BLOCK_READ_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_read_(NAME##_result *to_, const NAME##_result *from_, int size_,             \
                                     int count_) {                                                          \
        if (size_ * NAME##_bytes_ % 16 == 0) {                                                              \
            reduce_copy_wide_(to_, from_, (size_t)size_ * NAME##_bytes_);                                   \
            return;                                                                                         \
        }                                                                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (int k = 0; k < size_; k++)                                                                     \
            if (k < count_) to_[k] = from_[k];                                                              \
    }

/* T NAME_of_few_(T x, int warps): 2 to 4 warps. Each thread folds their results by itself. The first barrier
   is for the reads of the call before. */
#define REDUCE_BLOCK_OF_FEW_(NAME)                                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_of_few_(NAME##_result x, int warps_) {                              \
        __shared__ NAME##_result room_[4] __attribute__((__aligned__(16)));                                 \
        NAME##_result *const of_warp_ = (NAME##_result *)reduce_shared_(room_), values_[4];                 \
        __syncthreads();                                                                                    \
        x = NAME##_steps_(x, REDUCE_WARP, 1);                                                               \
        if (threadIdx.x % REDUCE_WARP == 0) of_warp_[threadIdx.x / REDUCE_WARP] = x;                        \
        __syncthreads();                                                                                    \
        NAME##_read_(values_, of_warp_, 4, warps_);                                                         \
        if (warps_ > 2) values_[0] = NAME##_combine(values_[0], values_[2]);                                \
        if (warps_ > 3) values_[1] = NAME##_combine(values_[1], values_[3]);                                \
        return NAME##_combine(values_[0], values_[1]);                                                      \
    }

/* T NAME_in_first_(const T *of_warps, int warps): the first warp, from all shares; the result in lane 0. */
#define REDUCE_BLOCK_IN_FIRST_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_in_first_(const NAME##_result *of_warps_, int warps_) {             \
        const bool is_there_ = (int)threadIdx.x < warps_;                                                   \
        NAME##_result values_[NAME##_per_warp_];                                                            \
        of_warps_ += (is_there_ ? threadIdx.x : 0) * NAME##_per_warp_;                                      \
        NAME##_read_(values_, of_warps_, NAME##_per_warp_, NAME##_per_warp_);                               \
        const NAME##_result of_warp_ = NAME##_fold_here_(values_, NAME##_per_warp_);                        \
        return NAME##_steps_(is_there_ ? of_warp_ : NAME##_identity(), warps_, 1);                          \
    }

/* T NAME_of_many_(T x, int warps): any number of warps. A barrier lies between each use of the shared memory
   and its next. */
#define REDUCE_BLOCK_OF_MANY_(NAME)                                                                         \
    REDUCE_DEVICE_ NAME##_result NAME##_of_many_(NAME##_result x, int warps_) {                             \
        enum { shares_ = REDUCE_WARP * NAME##_per_warp_ };                                                  \
        __shared__ NAME##_result room_[shares_ + 1] __attribute__((__aligned__(16)));                       \
        NAME##_result *const of_warps_ = (NAME##_result *)reduce_shared_(room_);                            \
        const unsigned lane_ = threadIdx.x % REDUCE_WARP;                                                   \
        x = NAME##_steps_(x, REDUCE_WARP, NAME##_per_warp_);                                                \
        if (lane_ < NAME##_per_warp_) of_warps_[threadIdx.x / REDUCE_WARP * NAME##_per_warp_ + lane_] = x;  \
        __syncthreads();                                                                                    \
        if (threadIdx.x < REDUCE_WARP) {                                                                    \
            x = NAME##_in_first_(of_warps_, warps_);                                                        \
            if (threadIdx.x == 0) of_warps_[shares_] = x;                                                   \
        }                                                                                                   \
        __syncthreads();                                                                                    \
        return of_warps_[shares_];                                                                          \
    }

/* T NAME_block_of(T x, int threads) */
#define REDUCE_BLOCK_OF_(NAME)                                                                              \
    REDUCE_DEVICE_ NAME##_result NAME##_block_of(NAME##_result x, int threads_) {                           \
        REDUCE_CHECK_BLOCK_(threads_)                                                                       \
        if (!NAME##_orders_) x = NAME##_combine(NAME##_identity(), x);                                      \
        if (threads_ > 4 * REDUCE_WARP) {                                                                   \
            x = NAME##_of_many_(x, threads_ / REDUCE_WARP);                                                 \
        } else if (threads_ > REDUCE_WARP) {                                                                \
            x = NAME##_of_few_(x, threads_ / REDUCE_WARP);                                                  \
        } else {                                                                                            \
            x = NAME##_steps_(x, REDUCE_WARP, 1);                                                           \
            if (!NAME##_commutes_) reduce_shuffle_(&x, sizeof x, 0, 0);                                     \
        }                                                                                                   \
        return NAME##_final_(x);                                                                            \
    }

#define DEFINE_REDUCE_BLOCK(NAME)                                                                           \
    REDUCE_CHECK_PLACE_(#NAME ", block") REDUCE_LINE_ REDUCE_BLOCK_TRAITS_(NAME) REDUCE_LINE_               \
    REDUCE_EACH_(NAME, REDUCE_BLOCK_STEPS_, REDUCE_BLOCK_READ_, REDUCE_BLOCK_OF_FEW_, REDUCE_BLOCK_IN_FIRST_)\
    REDUCE_BLOCK_OF_MANY_(NAME) REDUCE_LINE_ REDUCE_BLOCK_OF_(NAME) REDUCE_LINE_

#else
#define DEFINE_REDUCE_BLOCK(NAME) REDUCE_CHECK_PLACE_(#NAME ", block")
#endif

#endif /* REDUCE_BLOCK_CUH */
