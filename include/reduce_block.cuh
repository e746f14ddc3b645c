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
 * It has the bits of NAME_block and may be called again at once. It is faster where threads is a constant:
 * the code for other sizes is left out. In a simulator a block of another shape stops the kernel, unless
 * NDEBUG is defined.
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

/* T NAME_block_of(T x, int threads) */
#define REDUCE_BLOCK_OF_(NAME)                                                                              \
    REDUCE_DEVICE_ NAME##_result NAME##_block_of(NAME##_result x, int threads_) {                           \
        REDUCE_CHECK_BLOCK_(threads_)                                                                       \
        struct reduce_place_ at_ = reduce_place_in_row_();                                                  \
        at_.threads_ = (unsigned)threads_;                                                                  \
        if (!NAME##_selects_) x = NAME##_combine(NAME##_identity(), x);                                     \
        return NAME##_final_(NAME##_fold_block_(x, at_, true, true));                                       \
    }

#define DEFINE_REDUCE_BLOCK(NAME)                                                                           \
    REDUCE_CHECK_PLACE_(#NAME ", block") REDUCE_LINE_ REDUCE_BLOCK_OF_(NAME) REDUCE_LINE_

#else
#define DEFINE_REDUCE_BLOCK(NAME) REDUCE_CHECK_PLACE_(#NAME ", block")
#endif

#endif /* REDUCE_BLOCK_CUH */
