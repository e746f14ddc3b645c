/*
 * reduce_parts.h: one array in several places, with the bits of one place; a companion of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_parts.h"
 *     DEFINE_REDUCE(float, sum)
 *     DEFINE_REDUCE_PARTS(reduce_float_sum)
 *
 * adds functions to a NAME that exists. Each process, thread or GPU reduces its part of the array to a few
 * partial results. One of them, or each, then collects the partial results of all and folds them. The result
 * has the bits of NAME_cpu over the whole array:
 *
 *     const struct reduce_shard own = reduce_shard(n, sizeof(float), rank, ranks);
 *     float partials[REDUCE_MAX_CHUNKS];
 *     reduce_float_sum_cpu_chunks(part, n, own.first, own.count, partials);
 *     ... send own.count values, and receive those of all ranks, in the order of ranks ...
 *     result = reduce_float_sum_cpu_fold(all_partials, n);
 *
 * Programs may send the values by any means: files, pipes, sockets, a database. All machines must have the
 * same byte order. reduce_mpi.h sends them by MPI, reduce_nccl.cuh by NCCL. The header compiles as C11; only
 * its functions for the GPU need CUDA.
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon, after the definition of NAME)
 *
 *   DEFINE_REDUCE_PARTS(NAME)         for a NAME of reduce.cuh or reduce_results.cuh
 *   DEFINE_REDUCE_ZIP_PARTS(NAME)     for a NAME of DEFINE_REDUCE_ZIP
 *   DEFINE_REDUCE_WITH_PARTS(NAME)    for a NAME of DEFINE_REDUCE_WITH
 *   DEFINE_REDUCE_ZIP_WITH_PARTS(NAME)    for a NAME of DEFINE_REDUCE_ZIP_WITH
 *
 *   DEFINE_REDUCE_MPI and DEFINE_REDUCE_NCCL generate the same functions, and more. A program that uses two
 *   of the three for one NAME writes after the first
 *       #define REDUCE_HAVE_reduce_float_sum_parts
 *
 *   Exact sums have no partial results: their accumulators merge (reduce_exact.cuh).
 *
 * HOW AN ARRAY IS CUT
 *
 *   reduce_plan(n, element_size) cuts n elements into at most REDUCE_MAX_CHUNKS = 4096 chunks. A part is a
 *   range of neighbouring chunks, and each chunk gives one partial result: at most 4096, whatever n is.
 *
 *   struct reduce_shard reduce_shard(size_t n, size_t element_size, int rank, int ranks)
 *       the part of rank 0, 1 ... ranks - 1:
 *           size_t begin, length     its elements: from index begin on
 *           size_t first, count      its chunks: from chunk first on
 *       Ranks differ by at most one chunk, and lower ranks have more. If there are more ranks than chunks,
 *       the last ranks have none: count and length are 0. For two arrays give the size of the larger element.
 *
 * WHAT IS GENERATED
 *
 *   size_t NAME_cpu_chunks(const In *part, size_t n, size_t first, size_t count, T *partials)
 *       reduces count chunks of an array of n elements, from chunk first on. part points to the first element
 *       of chunk first; the map's index i counts from the beginning of the whole array. Returns how many
 *       partial results it wrote: fewer than count where the array has no such chunks.
 *   T NAME_cpu_fold(const T *partials, size_t n)
 *       returns the result, from the partial results of all chunks, in the order of chunks. Both functions
 *       take main memory, and check nothing; partials has room for count Ts.
 *
 *   cudaError_t NAME_chunks_async(const In *part, size_t n, size_t first, size_t count, T *partials,
 *                                 cudaStream_t stream)
 *   cudaError_t NAME_fold_async(const T *partials, size_t n, T *out, cudaStream_t stream)
 *       do the same on the GPU, with pointers to memory that the device reaches. Each is one launch, without
 *       allocation, query or synchronisation, and can be captured in a graph. They need no workspace.
 *
 *   The first arguments are those of NAME_cpu: two arrays with ZIP, and after n the context with WITH.
 *   A partial result is a T. It is not yet what NAME_cpu would return for the chunk: a NaN may have any bits.
 *   Partial results of a CPU and of a GPU may be folded together.
 *
 * ERRORS
 *
 *   Functions for the GPU return the errors of NAME_async, and cudaErrorInvalidValue for chunks that an array
 *   of n elements does not have. With count 0 NAME_chunks_async launches nothing.
 */
#ifndef REDUCE_PARTS_H
#define REDUCE_PARTS_H

#include "reduce.cuh"

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* functions have the names of structs, as C allows */
#endif

/* ---- How an array is cut ------------------------------------------------------------------------------- */

/* Users may have macros of the members' names. */
#pragma push_macro("begin")
#pragma push_macro("length")
#pragma push_macro("first")
#pragma push_macro("count")
#undef begin
#undef length
#undef first
#undef count
struct reduce_shard {
    size_t begin, length; /* elements */
    size_t first, count;  /* chunks */
};
#pragma pop_macro("begin")
#pragma pop_macro("length")
#pragma pop_macro("first")
#pragma pop_macro("count")

/* A shard as the headers see it: begin_ and length_ in elements, first_ and count_ in chunks. */
struct reduce_shard_ { size_t begin_, length_, first_, count_; };

/* The shard of count chunks from chunk first on, which an array of n elements must have. */
REDUCE_BOTH_ struct reduce_shard_ reduce_shard_(size_t n, struct reduce_cut_ cut_, size_t first_,
                                                size_t count_) {
    const struct reduce_shard_ none_ = {n, 0, cut_.count_, 0};
    const bool has_last_ = first_ + count_ == cut_.count_;
    const size_t begin_ = first_ * cut_.chunk_, length_ = has_last_ ? n - begin_ : count_ * cut_.chunk_;
    const struct reduce_shard_ shard_ = {begin_, length_, first_, count_};
    return count_ > 0 ? shard_ : none_;
}

/* A rank's shard. The first ranks have one chunk more than the others. */
REDUCE_BOTH_ struct reduce_shard_ reduce_shard_of_(size_t n, size_t element_size_, int rank_, int ranks_) {
    const struct reduce_cut_ cut_ = reduce_cut_(n, element_size_);
    const bool is_one_ = rank_ >= 0 && rank_ < ranks_;
    const size_t own_ = is_one_ ? (size_t)rank_ : 0, all_ = is_one_ ? (size_t)ranks_ : 1;
    const size_t each_ = cut_.count_ / all_, more_ = cut_.count_ % all_;
    const size_t count_ = is_one_ ? each_ + (own_ < more_) : 0;
    return reduce_shard_(n, cut_, own_ * each_ + REDUCE_MIN_(own_, more_), count_);
}

REDUCE_BOTH_ struct reduce_shard reduce_shard(size_t n, size_t element_size_, int rank_, int ranks_) {
    const struct reduce_shard_ own_ = reduce_shard_of_(n, element_size_, rank_, ranks_);
    const struct reduce_shard shard_ = {own_.begin_, own_.length_, own_.first_, own_.count_};
    return shard_;
}

/* ---- On the CPU ---------------------------------------------------------------------------------------- */

/* The address that lies bytes before this one: where a whole array would begin. Nobody reads memory there. */
REDUCE_HOST_ const void *reduce_back_(const void *address_, size_t bytes_) {
    return (const void *)((uintptr_t)address_ - bytes_);
}

/* Moves an input of some KIND back by i elements: its element i is then what was its first. */
#define REDUCE_BACK_ARRAY_(NAME, in, i)                                                                     \
    (in).in_ = (const NAME##_element *)reduce_back_((in).in_, (i) * sizeof(NAME##_element))
#define REDUCE_BACK_WITH_ REDUCE_BACK_ARRAY_
#define REDUCE_BACK_ZIP_(NAME, in, i)                                                                       \
    (in).in_ = (const NAME##_first *)reduce_back_((in).in_, (i) * sizeof(NAME##_first)),                    \
    (in).second_ = (const NAME##_second *)reduce_back_((in).second_, (i) * sizeof(NAME##_second))
#define REDUCE_BACK_ZIP_WITH_ REDUCE_BACK_ZIP_

/* Reduces count chunks from chunk first on, each to a partial result. Threads share the chunks. */
#pragma push_macro("parallel")
#undef parallel
REDUCE_CALLED_ void reduce_cpu_partials_(const struct reduce_cpu_ *cpu_, const void *in_, size_t n,
                                         struct reduce_cut_ cut_, size_t first_, size_t count_,
                                         char *partials_) {
    REDUCE_PARALLEL_FOR_
    for (ptrdiff_t k = 0; k < (ptrdiff_t)count_; k++) {
        char *const partial_ = partials_ + (size_t)k * cpu_->size_;
        const size_t i = (first_ + (size_t)k) * cut_.chunk_;
        reduce_cpu_chunk_(cpu_, in_, i, i + REDUCE_MIN_(n - i, cut_.chunk_), partial_);
    }
}
#pragma pop_macro("parallel")

/* size_t NAME_cpu_chunks_of_(NAME_input_ in, n, first, count, T *partials) */
#define REDUCE_CPU_CHUNKS_OF_(NAME, KIND)                                                                   \
    REDUCE_CALLED_ size_t NAME##_cpu_chunks_of_(NAME##_input_ in_, size_t n, size_t first_, size_t count_,  \
                                                NAME##_result *partials_) {                                 \
        const struct reduce_cpu_ cpu_ = NAME##_on_cpu_();                                                   \
        const struct reduce_cut_ cut_ = reduce_cut_(n, NAME##_size_);                                       \
        if (first_ >= cut_.count_) return 0;                                                                \
        count_ = REDUCE_MIN_(count_, cut_.count_ - first_);                                                 \
        REDUCE_BACK_##KIND(NAME, in_, first_ * cut_.chunk_);                                                \
        reduce_cpu_partials_(&cpu_, &in_, n, cut_, first_, count_, (char *)partials_);                      \
        return count_;                                                                                      \
    }

/* size_t NAME_cpu_chunks(const In *part, size_t n, size_t first, size_t count, T *partials) */
#define REDUCE_CPU_CHUNKS_(NAME, KIND)                                                                      \
    REDUCE_HOST_ size_t NAME##_cpu_chunks(REDUCE_GIVEN_(NAME, KIND), size_t first_, size_t count_,          \
                                          NAME##_result *partials_) {                                       \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        return NAME##_cpu_chunks_of_(input_, n, first_, count_, partials_);                                 \
    }

/* T NAME_cpu_fold(const T *partials, size_t n) */
#define REDUCE_CPU_FOLD_PARTIALS_(NAME)                                                                     \
    REDUCE_HOST_ NAME##_result NAME##_cpu_fold(const NAME##_result *partials_, size_t n) {                  \
        const struct reduce_cpu_ cpu_ = NAME##_on_cpu_();                                                   \
        const size_t count_ = reduce_cut_called_(n, NAME##_size_).count_;                                   \
        NAME##_result result_;                                                                              \
        reduce_cpu_fold_partials_(&cpu_, (const char *)partials_, count_, &result_);                        \
        return NAME##_final_(result_);                                                                      \
    }

#ifdef __CUDACC__
/* ---- On the GPU ---------------------------------------------------------------------------------------- */

/* A part for a kernel whose block b reduces chunk b of it: the index of its first element, the elements of a
   chunk, and how many the last chunk lacks. Without chunks all is 0 but i: a block then has no elements. */
struct reduce_stretch_ { size_t i; unsigned chunk_, missing_; };

REDUCE_BOTH_ struct reduce_stretch_ reduce_stretch_(struct reduce_cut_ cut_, struct reduce_shard_ shard_) {
    const unsigned missing_ = (unsigned)(shard_.count_ * cut_.chunk_ - shard_.length_);
    const unsigned chunk_ = shard_.count_ > 0 ? (unsigned)cut_.chunk_ : 0;
    const struct reduce_stretch_ stretch_ = {shard_.begin_, chunk_, missing_};
    return stretch_;
}

/* T NAME_walk_part_(NAME_input_ in, struct reduce_stretch_ stretch, at): reduces this thread's strand of its
   block's chunk. */
#define REDUCE_WALK_PART_(NAME)                                                                             \
    REDUCE_DEVICE_ NAME##_result NAME##_walk_part_(NAME##_input_ in_, struct reduce_stretch_ stretch_,      \
                                                   struct reduce_place_ at_) {                              \
        struct NAME##_chunk_ own_ = NAME##_chunk_of_(in_, at_, stretch_.chunk_, stretch_.missing_, 0);      \
        own_.i += stretch_.i;                                                                               \
        return NAME##_walk_(own_, at_);                                                                     \
    }

/* NAME_parts_kernel_: writes the partial results of a part. */
#define REDUCE_PARTS_KERNEL_(NAME)                                                                          \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, REDUCE_BLOCKS_(NAME))                             \
        NAME##_parts_kernel_(NAME##_input_ in_, struct reduce_stretch_ stretch_, NAME##_result *partials_) {\
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const NAME##_result x = NAME##_first_of_block_(NAME##_walk_part_(in_, stretch_, at_), at_);         \
        if (at_.thread_ == 0) partials_[at_.block_] = x;                                                    \
    }

/* How partial results lie in memory. An all-gather brings the same number from each rank, but higher ranks
   may have one less, so that the place behind theirs is unused. The first full_ results lie side by side.
   From there on an unused place follows every less_ results, unless less_ is 0. */
struct reduce_layout_ { unsigned full_, less_; };

/* The place of partial result k. */
REDUCE_BOTH_ unsigned reduce_position_(unsigned k, struct reduce_layout_ layout_) {
    return k < layout_.full_ || layout_.less_ == 0 ? k : k + (k - layout_.full_) / layout_.less_;
}

/* T NAME_receive_some_(T x, const T *partials, ...): combines x with as many partial results as are loaded at
   once: result k and every at.threads further. */
#define REDUCE_RECEIVE_SOME_(NAME)                                                                          \
    enum { NAME##_parts_at_once_ = sizeof(NAME##_result) <= 16 ? REDUCE_LOADS_ : 1 };                       \
    REDUCE_DEVICE_ NAME##_result NAME##_receive_some_(NAME##_result x, const NAME##_result *partials_,      \
                                                      unsigned k, unsigned count_,                          \
                                                      struct reduce_layout_ layout_,                        \
                                                      struct reduce_place_ at_) {                           \
        NAME##_result values_[NAME##_parts_at_once_];                                                       \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_parts_at_once_; s++)                                                \
            if (k + s * at_.threads_ < count_)                                                              \
                values_[s] = partials_[reduce_position_(k + s * at_.threads_, layout_)];                    \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_parts_at_once_; s++)                                                \
            if (k + s * at_.threads_ < count_) x = NAME##_combine(x, values_[s]);                           \
        return x;                                                                                           \
    }

/* T NAME_receive_parts_(const T *partials, ...): one thread combines its share of the partial results. It
   loads several at once unless T is large. */
#define REDUCE_RECEIVE_PARTS_(NAME)                                                                         \
    REDUCE_DEVICE_ NAME##_result NAME##_receive_parts_(const NAME##_result *partials_, unsigned count_,     \
                                                       struct reduce_layout_ layout_,                       \
                                                       struct reduce_place_ at_) {                          \
        NAME##_result x = NAME##_identity();                                                                \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = at_.thread_; k < count_; k += NAME##_parts_at_once_ * at_.threads_)               \
            x = NAME##_receive_some_(x, partials_, k, count_, layout_, at_);                                \
        return x;                                                                                           \
    }

/* All threads of a block: after all have loaded their partial results, clears count times 16 bytes. If count
   is not 0, memory is a multiple of 16. */
REDUCE_DEVICE_ void reduce_clear_(void *memory_, unsigned count_, struct reduce_place_ at_) {
    struct reduce_16_bytes_ *const to_ = (struct reduce_16_bytes_ *)memory_;
    const struct reduce_16_bytes_ zero_ = {{0, 0, 0, 0}};
    if (count_ == 0) return;
    __syncthreads();
    for (unsigned k = at_.thread_; k < count_; k += at_.threads_) to_[k] = zero_;
}

/* NAME_fold_parts_kernel_: one block folds count partial results, and then clears their memory: cleared times
   16 bytes. */
#define REDUCE_FOLD_PARTS_KERNEL_(NAME)                                                                     \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS)                                                   \
        NAME##_fold_parts_kernel_(NAME##_result *partials_, unsigned count_, struct reduce_layout_ layout_, \
                                  unsigned cleared_, NAME##_result *out_) {                                 \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        NAME##_result x = NAME##_receive_parts_(partials_, count_, layout_, at_);                           \
        x = NAME##_first_of_block_(x, at_);                                                                 \
        if (at_.thread_ == 0) *out_ = NAME##_final_(x);                                                     \
        reduce_clear_(partials_, cleared_, at_);                                                            \
    }

/* cudaError_t NAME_launch_parts_(NAME_input_ in, n, first, count, T *partials, stream) checks nothing. */
#define REDUCE_LAUNCH_PARTS_(NAME)                                                                          \
    REDUCE_CALLED_ cudaError_t NAME##_launch_parts_(NAME##_input_ in_, size_t n, size_t first_,             \
                                                     size_t count_, NAME##_result *partials_,               \
                                                     cudaStream_t stream_) {                                \
        const struct reduce_cut_ cut_ = reduce_cut_called_(n, NAME##_size_);                                \
        const unsigned threads_ = reduce_block_size_(n, NAME##_size_, NAME##_is_dense_);                    \
        struct reduce_stretch_ stretch_ = reduce_stretch_(cut_, reduce_shard_(n, cut_, first_, count_));    \
        void *arguments_[] = {&in_, &stretch_, &partials_};                                                 \
        if (count_ == 0) return cudaSuccess;                                                                \
        return REDUCE_CUDA_LAUNCH_(NAME##_parts_kernel_, dim3((unsigned)count_), dim3(threads_),            \
                                   arguments_, 0, stream_);                                                 \
    }

/* cudaError_t NAME_launch_fold_parts_(T *partials, count, layout, cleared, T *out, stream) checks nothing. */
#define REDUCE_LAUNCH_FOLD_PARTS_(NAME)                                                                     \
    REDUCE_CALLED_ cudaError_t NAME##_launch_fold_parts_(NAME##_result *partials_, unsigned count_,         \
                                                   struct reduce_layout_ layout_, unsigned cleared_,        \
                                                   NAME##_result *out_, cudaStream_t stream_) {             \
        const size_t wanted_ = reduce_round_up_(count_ > 0 ? count_ : 1, REDUCE_WARP);                      \
        const unsigned threads_ = (unsigned)REDUCE_MIN_(wanted_, REDUCE_STRANDS);                           \
        void *arguments_[] = {&partials_, &count_, &layout_, &cleared_, &out_};                             \
        return REDUCE_CUDA_LAUNCH_(NAME##_fold_parts_kernel_, dim3(1), dim3(threads_), arguments_, 0,       \
                                   stream_);                                                                \
    }

/* The rules under ERRORS for chunks: an array of n elements must have them. */
REDUCE_HOST_ cudaError_t reduce_check_chunks_(size_t n, struct reduce_cut_ cut_, size_t first_,
                                              size_t count_) {
    const bool are_there_ = first_ <= cut_.count_ && count_ <= cut_.count_ - first_;
    return n <= REDUCE_MAX_ELEMENTS && are_there_ ? cudaSuccess : cudaErrorInvalidValue;
}

/* cudaError_t NAME_chunks_async(const In *part, size_t n, first, count, T *partials, cudaStream_t stream) */
#define REDUCE_CHUNKS_ASYNC_(NAME, KIND)                                                                    \
    REDUCE_HOST_ cudaError_t NAME##_chunks_async(REDUCE_GIVEN_(NAME, KIND), size_t first_, size_t count_,   \
                                                 NAME##_result *partials_, cudaStream_t stream_) {          \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const struct reduce_cut_ cut_ = reduce_cut_called_(n, NAME##_size_);                                \
        const size_t length_ = reduce_shard_(n, cut_, first_, count_).length_;                              \
        cudaError_t status_ = reduce_check_chunks_(n, cut_, first_, count_);                                \
        if (status_ != cudaSuccess || count_ == 0) return status_;                                          \
        status_ = NAME##_check_(input_, length_, REDUCE_RANGE_(partials_, count_, NAME##_result));          \
        if (status_ != cudaSuccess) return status_;                                                         \
        return NAME##_launch_parts_(input_, n, first_, count_, partials_, stream_);                         \
    }

/* cudaError_t NAME_fold_async(const T *partials, size_t n, T *out, cudaStream_t stream) */
#define REDUCE_FOLD_ASYNC_(NAME)                                                                            \
    REDUCE_HOST_ cudaError_t NAME##_fold_async(const NAME##_result *partials_, size_t n,                    \
                                               NAME##_result *out_, cudaStream_t stream_) {                 \
        const struct reduce_cut_ cut_ = reduce_cut_called_(n, NAME##_size_);                                \
        const struct reduce_layout_ side_by_side_ = {0, 0};                                                 \
        NAME##_result *const from_ = (NAME##_result *)(uintptr_t)partials_; /* nothing writes there */      \
        cudaError_t status_ = reduce_check_chunks_(n, cut_, 0, 0);                                          \
        if (status_ == cudaSuccess)                                                                         \
            status_ = reduce_check_(REDUCE_RANGE_(partials_, cut_.count_, NAME##_result),                   \
                                    REDUCE_RANGE_(out_, 1, NAME##_result));                                 \
        if (status_ != cudaSuccess) return status_;                                                         \
        return NAME##_launch_fold_parts_(from_, (unsigned)cut_.count_, side_by_side_, 0, out_, stream_);    \
    }

#define REDUCE_GENERATE_PARTS_GPU_(NAME, KIND)                                                              \
    REDUCE_WALK_PART_(NAME) REDUCE_LINE_                                                                    \
    REDUCE_EACH_(NAME, REDUCE_PARTS_KERNEL_, REDUCE_RECEIVE_SOME_, REDUCE_RECEIVE_PARTS_,                   \
                 REDUCE_FOLD_PARTS_KERNEL_)                                                                 \
    REDUCE_LAUNCH_PARTS_(NAME) REDUCE_LINE_ REDUCE_LAUNCH_FOLD_PARTS_(NAME) REDUCE_LINE_                    \
    REDUCE_CHUNKS_ASYNC_(NAME, KIND) REDUCE_LINE_                                                           \
    REDUCE_FOLD_ASYNC_(NAME) REDUCE_LINE_
#else
#define REDUCE_GENERATE_PARTS_GPU_(NAME, KIND)
#endif

/* ---- What users write ---------------------------------------------------------------------------------- */

#define REDUCE_PARTS_(NAME, KIND)                                                                           \
    REDUCE_CHECK_ONCE_(NAME##_parts) REDUCE_LINE_                                                           \
    REDUCE_CPU_CHUNKS_OF_(NAME, KIND) REDUCE_LINE_ REDUCE_CPU_CHUNKS_(NAME, KIND) REDUCE_LINE_              \
    REDUCE_CPU_FOLD_PARTIALS_(NAME) REDUCE_LINE_ REDUCE_GENERATE_PARTS_GPU_(NAME, KIND)

/* Other companion headers add parts too, once they have checked NAME. */
#define REDUCE_ADD_PARTS_(NAME, KIND)                                                                       \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME##_parts, REDUCE_PARTS_)(NAME, KIND)

#undef DEFINE_REDUCE_PARTS
#define DEFINE_REDUCE_PARTS(NAME) REDUCE_ADD_TO_(NAME, ARRAY_, parts, "PARTS", REDUCE_PARTS_)
#undef DEFINE_REDUCE_ZIP_PARTS
#define DEFINE_REDUCE_ZIP_PARTS(NAME) REDUCE_ADD_TO_(NAME, ZIP_, parts, "PARTS", REDUCE_PARTS_)
#undef DEFINE_REDUCE_WITH_PARTS
#define DEFINE_REDUCE_WITH_PARTS(NAME) REDUCE_ADD_TO_(NAME, WITH_, parts, "PARTS", REDUCE_PARTS_)
#undef DEFINE_REDUCE_ZIP_WITH_PARTS
#define DEFINE_REDUCE_ZIP_WITH_PARTS(NAME) REDUCE_ADD_TO_(NAME, ZIP_WITH_, parts, "PARTS", REDUCE_PARTS_)

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif /* REDUCE_PARTS_H */
