/*
 * reduce_block.cuh: reductions of blocks that are whole warps in a row; a companion of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_block.cuh"
 *     DEFINE_REDUCE(float, sum)
 *     DEFINE_REDUCE_BLOCK(reduce_float_sum)
 *
 * adds a function to a NAME that exists:
 *
 *   T NAME_block_of(T x, int threads)     All threads of a one-dimensional block call it. The block has this
 *                                         many threads, a multiple of 32. Every thread gets the result.
 *
 * It returns the bits of NAME_block and may be called again at once. It is faster than NAME_block if threads
 * is a constant, because the compiler then leaves out the code for other sizes. On a GPU a wrong number is
 * undefined; the simulator stops a kernel whose block has another shape, unless NDEBUG is defined.
 *
 * Shared memory for a constant number of threads:
 *   32              none
 *   64 to 128       4 T
 *   160 to 1024     33 T if a GPU has an instruction for the operator or T has more than 16 bytes;
 *                   else 65 T if T has more than 4 bytes, else 129 T
 * For a number that is not a constant it is the sum of the last two.
 */
#ifndef REDUCE_BLOCK_CUH
#define REDUCE_BLOCK_CUH

#include "reduce.cuh"

#ifdef __CUDACC__

/* Whether the block is what its caller says. */
#define REDUCE_IS_BLOCK_OF_(threads)                                                                        \
    ((threads) % REDUCE_WARP == 0 && blockDim.x == (unsigned)(threads) && blockDim.y * blockDim.z == 1)

/* T NAME_block_of(T x, int threads) */
#define REDUCE_BLOCK_OF_(NAME)                                                                              \
    REDUCE_DEVICE_ NAME##_result NAME##_block_of(NAME##_result x, int threads_) {                           \
        REDUCE_PROMISED_(REDUCE_IS_BLOCK_OF_(threads_))                                                     \
        struct reduce_place_ at_ = reduce_place_along_x_();                                                 \
        at_.threads_ = (unsigned)threads_;                                                                  \
        if (!NAME##_selects_) x = NAME##_combine(NAME##_identity(), x);                                     \
        x = NAME##_fold_block_(NAME##_encode_(x), at_, true, true);                                         \
        REDUCE_DECODE_(NAME, x);                                                                            \
        return NAME##_final_(x);                                                                            \
    }

#define REDUCE_ADD_BLOCK_(NAME)                                                                             \
    REDUCE_CHECK_ONCE_(NAME##_block) REDUCE_LINE_ REDUCE_BLOCK_OF_(NAME) REDUCE_LINE_

#else
#define REDUCE_ADD_BLOCK_(NAME) REDUCE_CHECK_ONCE_(NAME##_block)
#endif

#undef DEFINE_REDUCE_BLOCK
#define DEFINE_REDUCE_BLOCK(NAME)                                                                           \
    REDUCE_CHECK_EXISTS_(NAME, "BLOCK") REDUCE_LINE_                                                        \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME##_block, REDUCE_ADD_BLOCK_)(NAME)

#endif /* REDUCE_BLOCK_CUH */
