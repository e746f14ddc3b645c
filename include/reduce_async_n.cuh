/*
 * reduce_async_n.cuh: reductions whose number of elements only the device knows; a companion of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_async_n.cuh"
 *     DEFINE_REDUCE(float, sum)
 *     DEFINE_REDUCE_ASYNC_N(reduce_float_sum)
 *
 * adds a function to a NAME that exists:
 *
 *   cudaError_t NAME_async_n(const In *in, const size_t *n, size_t most, T *out, reduce_workspace *ws,
 *                            cudaStream_t stream)
 *
 * It is NAME_async, with the same bits, but the kernel reads the number of elements from *n when it runs: for
 * example the number that a filter has left. The host makes no round trip, and a graph may be replayed with
 * other numbers. Everything else is as for NAME_async in reduce.cuh.
 *
 * For a NAME of reduce_inputs.cuh use
 *   DEFINE_REDUCE_ZIP_ASYNC_N     NAME_async_n(const X *x, const Y *y, n, most, T *out, ws, stream)
 *   DEFINE_REDUCE_WITH_ASYNC_N    NAME_async_n(const In *in, n, most, Context c, T *out, ws, stream)
 *   DEFINE_REDUCE_ZIP_WITH_ASYNC_N    both: NAME_async_n(x, y, n, most, c, out, ws, stream)
 *
 *   most    is the largest number of elements that *n may hold. The arrays must have memory for this many,
 *           because the kernel loads elements while *n is on its way; it then uses only the first *n. The
 *           launch has blocks for this many. If out lies within this memory, or on *n, the call returns
 *           cudaErrorInvalidValue.
 *   *n      lies in device, managed or pinned memory. Every block reads it, in stream order, so nothing may
 *           change it before the kernel has ended. 0 gives the identity.
 *           If *n is more than most, the kernel leaves *out and the workspace as they were. The host is not
 *           told: a caller who wants to know first sets *out to a value that is no result.
 *   Time    on an H200, in a graph, compared with NAME_async:
 *             up to 256 KiB, *n near most     0.04 to 0.22 us more
 *             more, *n near most              at most 0.4 us more
 *             *n half of most                 up to 3.0 us more than NAME_async of *n elements
 */
#ifndef REDUCE_ASYNC_N_CUH
#define REDUCE_ASYNC_N_CUH

#include "reduce.cuh"

#ifdef __CUDACC__

/* The height of n elements: stripes times weight, as in reduce_cut_. */
REDUCE_HOST_ size_t reduce_heights_(size_t n, size_t element_size_) {
    return reduce_divide_up_(n, REDUCE_STRIPE_(element_size_)) * reduce_weight_(element_size_);
}

/* The most chunks that any number of elements up to most may have. more: by low and middle heights of
   reduce_cut_; tall: by tall chunks. */
REDUCE_HOST_ unsigned reduce_most_chunks_(size_t most_, size_t element_size_) {
    const size_t heights_ = reduce_heights_(most_, element_size_);
    const size_t low_ = reduce_divide_up_(REDUCE_MIN_(heights_, REDUCE_LOW_), 2);
    const size_t fours_ = REDUCE_MIN_(reduce_divide_up_(heights_, 4), REDUCE_SPREAD_);
    const size_t middle_ = heights_ > REDUCE_LOW_ ? fours_ : 1;
    const size_t tall_ = REDUCE_MIN_(reduce_divide_up_(heights_, REDUCE_TALL_), REDUCE_MAX_CHUNKS);
    const size_t more_ = low_ > middle_ ? low_ : middle_;
    return heights_ <= REDUCE_SINGLE_ ? 1 : (unsigned)(more_ > tall_ ? more_ : tall_);
}

/* What the host knows: the most elements, their chunks' size, and above how many elements chunks have this
   size. */
struct reduce_known_ { size_t most_, chunk_, above_; };

REDUCE_HOST_ struct reduce_known_ reduce_known_of_(size_t most_, size_t element_size_) {
    const size_t heights_ = reduce_heights_(most_, element_size_), stripe_ = REDUCE_STRIPE_(element_size_);
    const size_t for_spread_ = reduce_divide_up_(heights_, REDUCE_SPREAD_);
    const size_t for_all_ = reduce_divide_up_(heights_, REDUCE_MAX_CHUNKS);
    size_t above_ = heights_ <= REDUCE_LOW_ ? REDUCE_SINGLE_ : REDUCE_LOW_;
    if (for_spread_ > 4) above_ = (REDUCE_MIN_(for_spread_, REDUCE_TALL_) - 1) * REDUCE_SPREAD_;
    if (for_all_ > REDUCE_TALL_) above_ = (for_all_ - 1) * REDUCE_MAX_CHUNKS;
    above_ = heights_ <= REDUCE_SINGLE_ ? 0 : above_ / reduce_weight_(element_size_) * stripe_ + stripe_;
    const struct reduce_known_ known_ = {most_, reduce_cut_(most_, element_size_).chunk_, above_};
    return known_;
}

/* Out of line: rarely needed, because *n is usually near most. */
REDUCE_OUT_OF_LINE_ size_t reduce_chunk_out_of_line_(size_t n, size_t element_size_) {
    return reduce_cut_(n, element_size_).chunk_;
}

/* Loads the number of elements, before all loads that follow. */
REDUCE_DEVICE_ size_t reduce_load_n_(const size_t *from_) {
#ifdef __CUDA_ARCH__
    size_t n;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(n) : "l"(from_) : "memory");
    return n;
#else
    return *from_;
#endif
}

/* How many blocks load ahead: more than are resident at once. Later blocks start beside blocks that keep
   memory busy, and their loads would be wasted if *n is far below most. */
#ifndef REDUCE_AHEAD_
#define REDUCE_AHEAD_ 512
#endif

/* Whether a block of a grid waits for others: see REDUCE_NO_WAITING in the manual of reduce.cuh. */
REDUCE_DEVICE_ bool reduce_parts_wait_(unsigned blocks_) {
    return reduce_default_way_(blocks_) == REDUCE_BY_SLOTS_;
}

/* The part of n elements that a block reduces: a chunk, the last chunk, or nothing. An idle block hands
   nothing in. */
struct reduce_block_part_ {
    size_t begin_;   /* the first element; n if there is none */
    unsigned count_; /* how many elements */
    bool is_last_;   /* it is the last chunk */
    bool is_idle_;   /* the block has nothing to do, and no block counts on its result */
};

REDUCE_DEVICE_ struct reduce_block_part_ reduce_part_of_block_(size_t n, struct reduce_known_ known_,
                                                              size_t element_size_,
                                                              struct reduce_place_ at_) {
    const size_t chunk_ = n > known_.above_ ? known_.chunk_ : reduce_chunk_out_of_line_(n, element_size_);
    const size_t begin_ = at_.block_ * chunk_;
    const bool has_some_ = begin_ < n, is_last_ = begin_ + chunk_ >= n && (has_some_ || at_.block_ == 0);
    struct reduce_block_part_ part_;
    part_.begin_ = has_some_ ? begin_ : n;
    part_.count_ = has_some_ ? (unsigned)REDUCE_MIN_(n - begin_, chunk_) : 0;
    part_.is_last_ = is_last_;
    part_.is_idle_ = !has_some_ && !is_last_ && reduce_parts_wait_(at_.blocks_);
    return part_;
}

/* How the blocks' results meet: the block with the last chunk waits for all others. If no block may wait, all
   blocks hand in a result: blocks without elements hand in the identity. */
REDUCE_DEVICE_ struct reduce_meeting_ reduce_part_meets_(struct reduce_block_part_ part_,
                                                         struct reduce_place_ at_) {
    struct reduce_meeting_ meeting_;
    meeting_.way_ = REDUCE_BY_SLOTS_;
    meeting_.collector_ = at_.block_ + !part_.is_last_;
    meeting_.handed_in_ = part_.is_last_ ? at_.block_ : 1;
    meeting_.first_ = 0;
    return reduce_parts_wait_(at_.blocks_) ? meeting_ : reduce_meeting_(REDUCE_BY_LAST_BLOCK_, at_.blocks_);
}

/* struct NAME_ahead_: a strand's first loads. void NAME_load_ahead_(...): loads them while *n is on its way,
   as if *n were near most. The kernel ignores elements beyond *n. */
#define REDUCE_LOAD_AHEAD_(NAME)                                                                            \
    struct NAME##_ahead_ { struct NAME##_loaded_ x[REDUCE_LOADS_]; };                                       \
    REDUCE_DEVICE_ void NAME##_load_ahead_(struct NAME##_ahead_ *ahead_, NAME##_input_ in_,                 \
                                           struct reduce_known_ known_, unsigned block_, unsigned own_) {   \
        const size_t begin_ = block_ * known_.chunk_ + own_;                                                \
        const bool is_due_ = block_ < REDUCE_AHEAD_ && NAME##_is_aligned_(in_);                             \
        REDUCE_UNROLL_                                                                                      \
        for (size_t s = 0; s < REDUCE_LOADS_; s++) {                                                        \
            const size_t k = begin_ + s * NAME##_step_;                                                     \
            NAME##_load_(&ahead_->x[s], NAME##_input_at_(in_, k),                                           \
                         is_due_ && k + NAME##_positions_ <= known_.most_);                                 \
        }                                                                                                   \
    }

/* void NAME_add_ahead_(T *values, ...): adds a strand's first loads, if they are there. The strand begins at
   element own of the chunk. */
#define REDUCE_ADD_AHEAD_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_add_ahead_(NAME##_result *values_, struct NAME##_chunk_ chunk_,              \
                                          unsigned own_, const struct NAME##_ahead_ *ahead_,                \
                                          bool is_there_) {                                                 \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_LOADS_; s++)                                                        \
            if (is_there_ && own_ + s * NAME##_step_ < chunk_.wide_)                                        \
                NAME##_add_loaded_(values_, &ahead_->x[s], chunk_.in_, chunk_.i + own_ + s * NAME##_step_); \
    }

/* T NAME_load_loose_(chunk, at): the operand of the loose element that this thread loads early, or the
   identity. */
#define REDUCE_LOAD_LOOSE_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_load_loose_(struct NAME##_chunk_ chunk_,                            \
                                                    struct reduce_place_ at_) {                             \
        const unsigned k = NAME##_is_exact_ ? at_.thread_ : (unsigned)at_.lane_;                            \
        NAME##_result x = NAME##_identity();                                                                \
        if (k < NAME##_loose_(chunk_)) x = NAME##_loose_element_(chunk_, k);                                \
        return x;                                                                                           \
    }

/* void NAME_add_loose_(T *values, T x, chunk, at): adds loose elements, of which this thread has loaded x. */
#define REDUCE_ADD_LOOSE_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_add_loose_(NAME##_result *values_, NAME##_result x,                          \
                                          struct NAME##_chunk_ chunk_, struct reduce_place_ at_) {          \
        if (NAME##_is_exact_)                                                                               \
            NAME##_add_(values_, 0, x);                                                                     \
        else if (NAME##_is_apart_(chunk_))                                                                  \
            NAME##_add_tail_(values_, x, chunk_, at_);                                                      \
    }

/* T NAME_walk_ahead_(...): as NAME_walk_. The chunk's first loads are there, unless is_there is false. */
#define REDUCE_WALK_AHEAD_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_walk_ahead_(struct NAME##_chunk_ chunk_, struct reduce_place_ at_,  \
                                                    const struct NAME##_ahead_ *ahead_, bool is_there_) {   \
        const unsigned step_ = REDUCE_LOADS_ * REDUCE_STRIPE_(NAME##_size_);                                \
        const unsigned own_ = NAME##_own_element_(at_);                                                     \
        struct NAME##_strand_ strand_;                                                                      \
        if (!is_there_ && NAME##_is_apart_(chunk_)) return NAME##_walk_loose_(chunk_);                      \
        NAME##_begin_strand_(&strand_);                                                                     \
        const NAME##_result x = NAME##_load_loose_(chunk_, at_);                                            \
        NAME##_add_ahead_(strand_.values_, chunk_, own_, ahead_, is_there_);                                \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = chunk_.head_ + (is_there_ ? step_ : 0); k < chunk_.wide_; k += step_)             \
            NAME##_add_wide_(strand_.values_, chunk_, k + own_);                                            \
        NAME##_add_loose_(strand_.values_, x, chunk_, at_);                                                 \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }

/* NAME_kernel_n_: as NAME_kernel_, for *n elements. */
#define REDUCE_KERNEL_N_(NAME)                                                                              \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, REDUCE_BLOCKS_(NAME))                             \
        NAME##_kernel_n_(NAME##_input_ in_, const size_t *n_, struct reduce_known_ known_,                  \
                         reduce_workspace *ws_, NAME##_result *out_) {                                      \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const unsigned own_ = NAME##_own_element_(at_);                                                     \
        struct NAME##_ahead_ ahead_;                                                                        \
        const size_t n = reduce_load_n_(n_);                                                                \
        NAME##_load_ahead_(&ahead_, in_, known_, at_.block_, own_);                                         \
        const struct reduce_block_part_ part_ = reduce_part_of_block_(n, known_, NAME##_size_, at_);        \
        const struct NAME##_chunk_ chunk_ = NAME##_chunk_at_(in_, part_.begin_, part_.count_);              \
        if (n > known_.most_ || part_.is_idle_) return;                                                     \
        const bool is_there_ = n > known_.above_ && at_.block_ < REDUCE_AHEAD_ && NAME##_is_aligned_(in_);  \
        const NAME##_result x = NAME##_walk_ahead_(chunk_, at_, &ahead_, is_there_);                        \
        NAME##_finish_along_x_(x, at_, reduce_part_meets_(part_, at_), ws_, out_);                          \
    }

/* cudaError_t NAME_async_n(...): see the manual. */
#define REDUCE_ASYNC_N_CALL_(NAME, KIND)                                                                    \
    REDUCE_HOST_ cudaError_t NAME##_async_n(REDUCE_ARRAYS_##KIND(NAME), const size_t *n, size_t most_       \
                                            REDUCE_MORE_##KIND(NAME), NAME##_result *out_,                  \
                                            reduce_workspace *ws_, cudaStream_t stream_) {                  \
        NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                         \
        const unsigned threads_ = reduce_block_size_(most_, NAME##_size_, NAME##_is_dense_);                \
        const unsigned blocks_ = reduce_most_chunks_(most_, NAME##_size_);                                  \
        struct reduce_known_ known_ = reduce_known_of_(most_, NAME##_size_);                                \
        void *arguments_[] = {&input_, &n, &known_, &ws_, &out_};                                           \
        cudaError_t status_ = NAME##_check_(input_, most_, REDUCE_RANGE_(out_, 1, NAME##_result));          \
        if (status_ == cudaSuccess)                                                                         \
            status_ = reduce_check_(REDUCE_RANGE_(n, 1, size_t), REDUCE_RANGE_(out_, 1, NAME##_result));    \
        if (ws_ == NULL || status_ != cudaSuccess) return ws_ == NULL ? cudaErrorInvalidValue : status_;    \
        return REDUCE_CUDA_LAUNCH_(NAME##_kernel_n_, dim3(blocks_), dim3(threads_), arguments_, 0, stream_);\
    }

#define REDUCE_ASYNC_N_(NAME, KIND)                                                                         \
    REDUCE_CHECK_ONCE_(NAME##_async_n) REDUCE_LINE_                                                         \
    REDUCE_EACH_(NAME, REDUCE_LOAD_AHEAD_, REDUCE_ADD_AHEAD_, REDUCE_LOAD_LOOSE_, REDUCE_ADD_LOOSE_)        \
    REDUCE_WALK_AHEAD_(NAME) REDUCE_LINE_ REDUCE_KERNEL_N_(NAME) REDUCE_LINE_                               \
    REDUCE_ASYNC_N_CALL_(NAME, KIND) REDUCE_LINE_

#else
#define REDUCE_ASYNC_N_(NAME, KIND) REDUCE_CHECK_ONCE_(NAME##_async_n)
#endif

#undef DEFINE_REDUCE_ASYNC_N
#define DEFINE_REDUCE_ASYNC_N(NAME) REDUCE_ADD_TO_(NAME, ARRAY_, async_n, "ASYNC_N", REDUCE_ASYNC_N_)
#undef DEFINE_REDUCE_ZIP_ASYNC_N
#define DEFINE_REDUCE_ZIP_ASYNC_N(NAME) REDUCE_ADD_TO_(NAME, ZIP_, async_n, "ASYNC_N", REDUCE_ASYNC_N_)
#undef DEFINE_REDUCE_WITH_ASYNC_N
#define DEFINE_REDUCE_WITH_ASYNC_N(NAME) REDUCE_ADD_TO_(NAME, WITH_, async_n, "ASYNC_N", REDUCE_ASYNC_N_)
#undef DEFINE_REDUCE_ZIP_WITH_ASYNC_N
#define DEFINE_REDUCE_ZIP_WITH_ASYNC_N(NAME)                                                                \
    REDUCE_ADD_TO_(NAME, ZIP_WITH_, async_n, "ASYNC_N", REDUCE_ASYNC_N_)

#endif /* REDUCE_ASYNC_N_CUH */
