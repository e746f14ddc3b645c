/*
 * reduce_rows.cuh: many results from one call: of rows, columns, axes and segments.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_rows.cuh"
 *     DEFINE_REDUCE(float, max)
 *     DEFINE_REDUCE_ROWS(reduce_float_max)
 *
 * adds functions to a NAME that exists. Each result has the same bits as NAME_cpu and NAME_async give for its
 * row, column or segment alone: on every GPU, for every number of rows, at every alignment, and on the CPU.
 * Beside it must lie reduce.cuh, reduce_inputs.cuh, and its parts: reduce_short_rows.cuh,
 * reduce_rows_plan.cuh, reduce_columns.cuh, reduce_flat_columns.cuh, reduce_brief_columns.cuh,
 * reduce_columns_plan.cuh, reduce_segments.cuh and reduce_short_segments.cuh.
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon)
 *
 *   DEFINE_REDUCE_ROWS(NAME)          for a NAME of DEFINE_REDUCE, DEFINE_REDUCE_AS or DEFINE_REDUCE_MAP
 *   DEFINE_REDUCE_ZIP_ROWS(NAME)      for a NAME of DEFINE_REDUCE_ZIP (reduce_inputs.cuh): functions take x
 *                                     and y instead of in. Both arrays have the same shape and pitch.
 *   DEFINE_REDUCE_WITH_ROWS(NAME)     for a NAME of DEFINE_REDUCE_WITH: the context c follows the shape, and
 *                                     out follows the context.
 *   DEFINE_REDUCE_ZIP_WITH_ROWS(NAME) for a NAME of DEFINE_REDUCE_ZIP_WITH: both of these
 *
 * WHICH FUNCTION FOR WHICH SHAPE
 *
 *   the data                                                  function          results
 *   --------------------------------------------------------  ----------------  -----------------------------
 *   a matrix in C order, one result for each row              NAME_rows         rows
 *   rows of equal length, with gaps between them              NAME_rows         rows; pitch: from row to row
 *   a matrix in C order, one result for each column           NAME_columns      columns
 *   one array of elements that lie pitch apart                NAME_columns      1 (columns = 1)
 *   any axis of a contiguous tensor                           NAME_axis         outer * inner
 *   rows of different lengths, one after the other            NAME_segments     count; offsets of int64_t
 *                                                             NAME_segments_32  count; offsets of int32_t
 *   a range of elements, inside your own kernel               NAME_block_range  1 for each block that calls
 *
 * WHAT IS GENERATED
 *
 *   cudaError_t NAME_rows_async(const In *in, size_t rows, size_t n, size_t pitch, T *out,
 *                               reduce_workspace *ws, cudaStream_t stream)
 *       out[r] is the result of the n elements from in[r * pitch] on.
 *   cudaError_t NAME_columns_async(const In *in, size_t n, size_t columns, size_t pitch, T *out,
 *                                  reduce_workspace *ws, cudaStream_t stream)
 *       out[c] is the result of the n elements in[c], in[c + pitch], in[c + 2 * pitch], ...
 *   cudaError_t NAME_axis_async(const In *in, size_t outer, size_t n, size_t inner, T *out,
 *                               reduce_workspace *ws, cudaStream_t stream)
 *       The tensor has outer * n * inner elements, and its axis of n is reduced: out[o * inner + k] is the
 *       result of in[(o * n + j) * inner + k] for all j < n.
 *   cudaError_t NAME_segments_async(const In *in, const int64_t *offsets, size_t count, T *out,
 *                                   reduce_workspace *ws, cudaStream_t stream)
 *   cudaError_t NAME_segments_32_async(...)            takes int32_t offsets
 *       out[k] is the result of the elements from in[offsets[k]] up to, but without, in[offsets[k + 1]].
 *       There are count + 1 offsets. They lie where the device reaches them.
 *
 *   NAME_rows, NAME_columns, NAME_axis, NAME_segments, NAME_segments_32: the simple calls have the same
 *       parameters without ws and stream. All arrays, the output too, may be in memory of any kind. Without a
 *       GPU these calls run on the CPU.
 *   NAME_rows_cpu, NAME_columns_cpu, NAME_axis_cpu, NAME_segments_cpu, NAME_segments_32_cpu: the same on the
 *       CPU, in plain C11 too. They return nothing.
 *
 *   T NAME_block_range(const In *in, size_t n)
 *       All threads of a block call it inside a kernel, and every thread gets the result of the n elements
 *       from in on. They lie in global memory (device, managed or pinned), not in shared or local memory;
 *       nothing is checked. Blocks of any shape and size get the same bits. It may be called again at once.
 *       A kernel for blocks of more than 256 threads says so by __launch_bounds__, so that there are
 *       registers for all. It takes 17 T of shared memory.
 *
 *   A map's index i counts within the row, column or segment.
 *
 * WHAT IS ALLOWED
 *
 *   - Zero rows, columns or segments: the call writes nothing. n = 0: each result is the identity.
 *   - Gaps between rows: kernels do not read them. A simple call copies them with the rows.
 *   - Any alignment that the element's type allows, and any pitch.
 *   - Several calls in flight, each with a workspace of its own. An asynchronous call can be captured in a
 *     graph.
 *
 * WHAT IT COSTS
 *
 *   An asynchronous call makes one launch, or several for more than 2^31 results. It allocates nothing and
 *   does not synchronise. Memory, workspaces and errors are as for NAME_async. A simple call allocates its
 *   results on the device, copies what is not there, and returns when the results lie in out. If waiting for
 *   them or giving back memory fails, it returns the error although out may have them. NAME_rows_cpu and the
 *   like take main memory, and check nothing.
 *
 *   Most of the code of a NAME is for segments and columns. To leave parts out, define before the include:
 *       REDUCE_NO_SEGMENTS        there are no functions NAME_segments... and NAME_segments_32...
 *       REDUCE_NO_COLUMNS         there are no functions NAME_columns... and NAME_axis...
 *   With both defined, the file adds about a third of the compile time.
 *
 * WHAT IS REFUSED
 *
 *   A call returns cudaErrorInvalidValue, and changes nothing, if
 *   - rows overlap: pitch must be at least n for several rows, and at least columns for several elements;
 *   - the output lies inside the input or overlaps the offsets, or another rule of NAME_async is broken. (The
 *     asynchronous calls of segments do not know where the input ends: keep output and input apart.)
 *   The simple calls also refuse an array that is pinned in part, a negative first offset and offsets that
 *   decrease. They may read any element before the last offset, even if it is in no segment. The
 *   asynchronous calls and those on the CPU do not look at the offsets: a segment whose end is not after its
 *   beginning has no elements there, and a segment that lies outside the array is undefined behaviour.
 *
 * WHAT IS SLOWER
 *
 *   - Rows and segments that do not begin at a multiple of 16 bytes: words are shifted, or elements loaded
 *     one by one or copied to shared memory first. Rows of 3, 5 and 7 bytes take up to seven times as long
 *     as a kernel that reads and writes as much, other rows of bytes and shorts up to three times.
 *   - Elements whose size is not a power of two, or exceeds 16 bytes, and inputs of two arrays (ZIP): no
 *     single load has the elements of several columns, and no words are shifted but in short segments of two
 *     arrays of elements of 1 or 2 bytes.
 *   - Columns whose number or pitch is no multiple of 4 (of 2 for elements of 8 bytes), unless they are few
 *     and without gaps: no load has several columns. Of elements of 1 and 2 bytes they take up to five times
 *     as long as reading.
 *   - The simple calls on data in main memory: they copy the input to the device first.
 *   - NAME_block_range in blocks of less than 32 threads: one thread does all the work.
 *
 * WAITING
 *
 *   Blocks wait for blocks of lower index where a row is long or columns are few, as in NAME_async. Blocks
 *   that share segments do not wait. With REDUCE_NO_WAITING no block waits: one block reduces each long row,
 *   and columns are not split among blocks. The bits are the same.
 */
#ifndef REDUCE_ROWS_CUH
#define REDUCE_ROWS_CUH

#include "reduce_inputs.cuh"

/* ---- How this file is organised ---------------------------------------------------------------------------
 *
 * Each result has the tree that reduce.cuh describes under "The tree". This file only decides which thread
 * stands for which strand, and how it loads. It has the rows, and includes the files that have rows of at
 * most a stripe and the other shapes: reduce_short_rows.cuh, reduce_columns.cuh and reduce_segments.cuh. The
 * parts follow each other in this order:
 *
 *     On the CPU                                   generators for the CPU
 *     Words and strands, Runs of rows              what all ways of rows share: loads, folds, a row's plan
 *     (reduce_short_rows.cuh)                      ranges in shared memory, and short rows' kernels
 *     A chunk by warps ... Rows of any length      the ways of longer rows, each with its kernels
 *     A range by one block                         NAME_block_range
 *     (reduce_rows_plan.cuh), Launches of rows     the host chooses a way, and launches it
 *     Simple calls, What users write               the rest of the interface
 *
 * Words that these files use for one thing each:
 *
 *     V               positions of a strand: REDUCE_POSITIONS(element size), as many as fill 16 bytes
 *     strand, stripe  as in reduce.cuh: 512 strands of V elements are a stripe
 *     chunk           some stripes, as reduce_plan cuts elements
 *     tree's warp     32 neighbouring strands, whose results fold first
 *     lane, warp      of the GPU. Which lane stands for which strand differs from way to way.
 *     word            16 bytes at a multiple of 16
 *     misaligned      not beginning at a multiple of 16 bytes; skew is by how many bytes
 *     run             neighbouring elements of one row: a chunk or a whole row
 *     item            a chunk with a number, as kernels share chunks out
 *     burst           the loads that a thread has in flight together: all come before the first use
 *     scratch         shared memory in which a function works
 *     own             what belongs to the calling thread, lane or block
 *     apart           how far two neighbours of some kind lie from each other
 *     many            how many of the tree's warps, or how many values, a function handles at a time
 *
 * ROWS. reduce_rows_way_ tries the ways below singles from the top and takes the first that suits; but
 * GRID_ROWS takes many rows whose order does not show before WARP_ROWS (reduce_suit_words_), and aligned rows
 * of tall chunks before BLOCK_ROWS (reduce_suit_grid_). Sizes hold for elements of 1, 2, 4, 8 and 16 bytes.
 *
 *     way              shapes that it takes                         idea
 *     ---------------  -------------------------------------------  -----------------------------------------
 *     singles          n = 1, no gaps, where WORD_ROWS cannot       a thread writes V results for each load
 *     WORD_ROWS        n = 1, 2, 4 ... V, no gaps, aligned array    a thread reduces all rows of a word
 *     THREAD_ROWS      n up to 8, or up to V                        a thread reduces a row
 *     STRIPE_ROWS      129 strands to a stripe, not too many bytes  a block has a row, a strand a thread
 *                      in all; from 65 on in few rows of elements
 *                      of 1 or 2 bytes
 *     ONE_LOAD_ROWS    up to 32 strands, not too many bytes in all  2^bits lanes share a row, a strand each
 *     TWO_LOAD_ROWS,   33 to 64, 128 and 512 strands, many bytes    a warp has a row; a lane has a strand of
 *     FOUR_LOAD_ROWS,  too where loads are of words, or strands     each of the tree's warps, with so many
 *     EIGHT_LOAD_ROWS  are many enough                              loads in flight, in one batch or more
 *     SHORT_ROWS       up to 128 strands: others                    aligned: lanes load from several rows;
 *                                                                   else a block stages rows in shared memory
 *     WARP_ROWS        one chunk, thousands of rows, those that     a warp walks the chunk
 *                      would not fill the blocks of GRID_ROWS
 *     BLOCK_ROWS       low or misaligned chunks, 2,049 and more,    a block has a row, each warp some chunks
 *                      if that keeps most warps of the GPU busy
 *     LOW_CHUNKS       2,049 others with slots; or at least 512     four warps walk a chunk, a block several;
 *                      chunks of 1 or 2 stripes, or misaligned      one wave of blocks has all
 *                      ones: of rows of one chunk, or of some rows
 *                      whose order shows (reduce_are_shifted_);
 *                      many rows of which WARP_ROWS would leave
 *                      warps idle (reduce_lack_warps_)
 *     GRID_ROWS        no more chunks than slots; rows of one       a block walks a chunk, as in NAME_async
 *                      chunk are mostly aligned
 *     TALL_CHUNKS      all others                                   a block walks its chunks one by one
 *
 *     Ways from singles to SHORT_ROWS are in reduce_short_rows.cuh. WARP_ROWS, BLOCK_ROWS and chunks are
 *     under "Rows of one chunk", "Rows of several chunks" and "Rows of any length", GRID_ROWS under the last.
 *
 *     A row of 4-byte elements (V = 4) by strands:
 *
 *         element       0 1 2 3   4 5 6 7   8 ...          ... 2047   2048 2049 ...
 *         strand       |   0    |    1    |  2 ...         ...  511 |    0 ...
 *                       ^------------------ stripe 0 ------------^   ^-- stripe 1 ...
 *
 *         strand 0      x0 x1 x2 x3           an accumulator for each position; each stripe adds to it
 *                        \  \/  /             the positions fold
 *         tree's warp 0   s0  s1 ... s31      the strands of a tree's warp fold
 *         chunk 0           w0 ... w15        the tree's warps fold
 *         row                 c0 c1 ...       the chunks' results fold as strands of a further stripe
 */

/* How many bits the numbers below count have. */
REDUCE_BOTH_ int reduce_bits_for_(size_t count_) {
    int bits_ = 0;
    while (((size_t)1 << bits_) < count_) bits_++;
    return bits_;
}

/* ---- On the CPU ---------------------------------------------------------------------------------------- */

/* void NAME_cpu_rows_(...): many rows are shared among threads, a row each. Threads share the chunks of
   each of a few rows. */
#define REDUCE_CPU_ROWS_(NAME)                                                                              \
    REDUCE_HOST_ void NAME##_cpu_rows_(NAME##_input_ in_, size_t rows_, size_t n, size_t pitch_,            \
                                       NAME##_result *out_) {                                               \
        const ptrdiff_t alone_ = rows_ < REDUCE_WARP ? (ptrdiff_t)rows_ : 0;                                \
        for (ptrdiff_t k = 0; k < alone_; k++)                                                              \
            out_[k] = NAME##_cpu_of_(NAME##_input_at_(in_, (size_t)k * pitch_), n);                         \
        REDUCE_PARALLEL_FOR_                                                                                \
        for (ptrdiff_t k = alone_; k < (ptrdiff_t)rows_; k++)                                               \
            out_[k] = NAME##_cpu_of_(NAME##_input_at_(in_, (size_t)k * pitch_), n);                         \
    }

/* void NAME_rows_cpu(const In *in, size_t rows, size_t n, size_t pitch, T *out) */
#define REDUCE_ROWS_CPU_(NAME, KIND)                                                                        \
    REDUCE_HOST_ void NAME##_rows_cpu(REDUCE_ARRAYS_##KIND(NAME), size_t rows_, size_t n,                   \
                                      size_t pitch_ REDUCE_MORE_##KIND(NAME), NAME##_result *out_) {        \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        NAME##_cpu_rows_(input_, rows_, n, pitch_, out_);                                                   \
    }

#ifdef __CUDACC__

/* ---- Words and strands ------------------------------------------------------------------------------------
 *
 * What several ways use: loads of a strand's elements by words, their addition to accumulators, and folds
 * over lanes.
 *
 * A lane loads the word in which a strand's elements lie, or the two words, and shifts them into place. So it
 * reads up to 15 bytes before and after those elements, but never outside the memory that the call was given.
 * Long rows are walked without shifts. Short rows that are misaligned are reduced in shared memory.
 */

enum { REDUCE_WARPS_ = REDUCE_STRANDS / REDUCE_WARP }; /* tree's warps of a stripe */

/* Copies 16 bytes, which begin skew bytes behind the first of two words. skew is a multiple of step. */
REDUCE_DEVICE_ void reduce_shift_words_(void *to_, const unsigned *words_, unsigned skew_, unsigned step_) {
#ifdef __CUDA_ARCH__
    unsigned x[8];
    memcpy(x, words_, sizeof x);
    REDUCE_UNROLL_
    for (int k = 0; k < 6 && step_ <= 8; k++) x[k] = skew_ & 8 ? x[k + 2] : x[k];
    REDUCE_UNROLL_
    for (int k = 0; k < 5 && step_ <= 4; k++) x[k] = skew_ & 4 ? x[k + 1] : x[k];
    REDUCE_UNROLL_
    for (int k = 0; k < 4 && step_ < 4; k++) x[k] = __funnelshift_r(x[k], x[k + 1], skew_ % 4 * 8);
    memcpy(to_, x, 16);
#else
    (void)step_;
    memcpy(to_, (const char *)words_ + skew_, 16);
#endif
}

/* Loads a word, or zeros if it is not there. Without the zeros nvcc would keep the registers from one
   iteration of a loop to the next. */
REDUCE_DEVICE_ void reduce_load_16_or_zeros_(unsigned *to_, const void *from_, bool is_there_) {
#ifdef __CUDA_ARCH__
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0; "
                 "mov.u32 %3, 0; @p ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "=&r"(to_[0]), "=&r"(to_[1]), "=&r"(to_[2]), "=&r"(to_[3])
                 : "l"(from_), "r"((unsigned)is_there_));
#else
    memset(to_, 0, 16);
    reduce_load_16_(to_, from_, is_there_);
#endif
}

/* REDUCE_LOAD_ONE_: loads element k into position p. REDUCE_SHIFTS_: words can be shifted. That needs one
   array, whose elements of a strand fill 16 bytes and never lie in two words. REDUCE_HAS_WORDS_: each array
   has a load of the elements of a strand. */
#define REDUCE_LOAD_ONE_ARRAY_(to, in, k, p) ((to)->x[p] = (in).in_[k])
#define REDUCE_LOAD_ONE_WITH_ REDUCE_LOAD_ONE_ARRAY_
#define REDUCE_LOAD_ONE_ZIP_(to, in, k, p) ((to)->x[p] = (in).in_[k], (to)->y[p] = (in).second_[k])
#define REDUCE_LOAD_ONE_ZIP_WITH_ REDUCE_LOAD_ONE_ZIP_
#define REDUCE_SHIFTS_ARRAY_(NAME)                                                                          \
    (NAME##_is_wide_ && REDUCE_ALIGNMENT_(NAME##_element) == sizeof(NAME##_element))
#define REDUCE_SHIFTS_WITH_ REDUCE_SHIFTS_ARRAY_
#define REDUCE_SHIFTS_ZIP_(NAME) 0
#define REDUCE_SHIFTS_ZIP_WITH_ REDUCE_SHIFTS_ZIP_
#define REDUCE_HAS_WORDS_ARRAY_ REDUCE_SHIFTS_ARRAY_
#define REDUCE_HAS_WORDS_WITH_ REDUCE_SHIFTS_ARRAY_
#define REDUCE_HAS_WORDS_ZIP_(NAME) (NAME##_first_bytes_ > 0 && NAME##_second_bytes_ > 0)
#define REDUCE_HAS_WORDS_ZIP_WITH_ REDUCE_HAS_WORDS_ZIP_

/* struct NAME_run_: neighbouring elements of one row. */
#define REDUCE_RUN_TYPE_(NAME, KIND)                                                                        \
    enum { NAME##_shifts_ = REDUCE_SHIFTS_##KIND(NAME), NAME##_has_words_ = REDUCE_HAS_WORDS_##KIND(NAME) };\
    struct NAME##_run_ {                                                                                    \
        NAME##_input_ in_; /* begins with the run's first element */                                        \
        size_t i;          /* that element's index */                                                       \
        unsigned count_;   /* elements of the run */                                                        \
        unsigned before_;  /* elements in front of the run that a load may also read */                     \
        unsigned after_;   /* elements behind the run that a load may also read */                          \
        unsigned skew_;    /* bytes from a multiple of 16 to the run's beginning, and to all its strands' */\
    };

/* struct NAME_words_: what was loaded of a strand: words to be shifted if NAME_shifts_, else elements. */
#define REDUCE_WORDS_TYPE_(NAME)                                                                            \
    struct NAME##_words_ {                                                                                  \
        unsigned words_[8] __attribute__((__aligned__(16))); /* two words of 16 bytes */                    \
        struct NAME##_loaded_ x;                                                                            \
        unsigned count_;     /* the strand's elements among them */                                         \
        bool are_elsewhere_; /* nothing was loaded: the words reach beyond what may be read */              \
    };

/* struct NAME_run_ NAME_run_from_(...): the run of count elements from element i on; nothing else may be
   read. */
#define REDUCE_RUN_FROM_(NAME)                                                                              \
    REDUCE_DEVICE_ struct NAME##_run_ NAME##_run_from_(NAME##_input_ in_, size_t i, size_t count_) {        \
        struct NAME##_run_ run_;                                                                            \
        run_.in_ = NAME##_input_at_(in_, i);                                                                \
        run_.i = i;                                                                                         \
        run_.count_ = (unsigned)count_;                                                                     \
        run_.before_ = run_.after_ = 0;                                                                     \
        run_.skew_ = (unsigned)((uintptr_t)(in_.in_ + i) % 16);                                             \
        return run_;                                                                                        \
    }

/* void NAME_load_two_(...): loads the word, or the two words, that hold a strand's elements from k on.
   left: elements of the run from k on. Where the words reach beyond what may be read, are_elsewhere_ says
   that NAME_add_words_ has to load single elements. */
#define REDUCE_LOAD_TWO_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_load_two_(struct NAME##_words_ *to_, const struct NAME##_run_ *run_,         \
                                         unsigned k, unsigned left_, bool is_misaligned_) {                 \
        const unsigned skew_ = is_misaligned_ ? run_->skew_ : 0;                                            \
        const char *const from_ = (const char *)run_->in_.in_ - skew_ + (size_t)k * NAME##_size_;           \
        const bool has_two_ = skew_ + to_->count_ * (unsigned)NAME##_size_ > 16;                            \
        const unsigned until_ = (REDUCE_MIN_(left_, 32u) + run_->after_) * (unsigned)NAME##_size_;          \
        const bool begins_ = k > 0 || skew_ <= run_->before_ * (unsigned)NAME##_size_;                      \
        to_->are_elsewhere_ = left_ > 0 && !(begins_ && (has_two_ ? 32u : 16u) <= skew_ + until_);          \
        const bool are_here_ = left_ > 0 && !to_->are_elsewhere_;                                           \
        if (!is_misaligned_) reduce_load_16_(to_->words_, from_, are_here_);                                \
        if (is_misaligned_) reduce_load_16_or_zeros_(to_->words_, from_, are_here_);                        \
        if (is_misaligned_) reduce_load_16_or_zeros_(to_->words_ + 4, from_ + 16, are_here_ && has_two_);   \
    }

/* void NAME_load_few_(...): loads the elements themselves, where words cannot be shifted. */
#define REDUCE_LOAD_FEW_(NAME, KIND)                                                                        \
    REDUCE_DEVICE_ void NAME##_load_few_(struct NAME##_words_ *to_, const struct NAME##_run_ *run_,         \
                                         unsigned k) {                                                      \
        const NAME##_input_ from_ = NAME##_input_at_(run_->in_, k);                                         \
        const bool is_whole_ = to_->count_ == NAME##_positions_ && NAME##_is_aligned_(from_);               \
        to_->are_elsewhere_ = false;                                                                        \
        NAME##_load_(&to_->x, from_, is_whole_);                                                            \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            if (!is_whole_ && p < to_->count_) REDUCE_LOAD_ONE_##KIND(&to_->x, from_, p, p);                \
    }

/* void NAME_load_words_(...): loads what the run has of a strand's elements from k on, by NAME_load_two_ or
   NAME_load_few_. */
#define REDUCE_LOAD_WORDS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_load_words_(struct NAME##_words_ *to_, const struct NAME##_run_ *run_,       \
                                           unsigned k, bool is_misaligned_) {                               \
        const unsigned left_ = k < run_->count_ ? run_->count_ - k : 0;                                     \
        to_->count_ = REDUCE_MIN_(left_, (unsigned)NAME##_positions_);                                      \
        if (NAME##_shifts_)                                                                                 \
            NAME##_load_two_(to_, run_, k, left_, is_misaligned_);                                          \
        else                                                                                                \
            NAME##_load_few_(to_, run_, k);                                                                 \
    }

/* void NAME_add_few_(T *values, ...): adds the first count elements of a strand, whose indices start with
   i, to its accumulators. */
#define REDUCE_ADD_FEW_(NAME)                                                                               \
    REDUCE_DEVICE_ void NAME##_add_few_(NAME##_result *values_, NAME##_input_ in_, unsigned count_,         \
                                        size_t i) {                                                         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            if (p < count_) NAME##_add_(values_, (int)p, NAME##_operand_at_(in_, p, i + p));                \
    }

/* void NAME_add_words_(T *values, ...): adds a strand's loaded elements from k on to its accumulators. It
   loads now what NAME_load_two_ could not. skew: the run's, or a constant 0 if it is aligned. */
#define REDUCE_ADD_WORDS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_add_words_(NAME##_result *values_, const struct NAME##_words_ *words_,       \
                                          const struct NAME##_run_ *run_, unsigned k, unsigned skew_) {     \
        const size_t i = run_->i + k;                                                                       \
        struct NAME##_loaded_ word_;                                                                        \
        const struct NAME##_loaded_ *const x = NAME##_shifts_ ? &word_ : &words_->x;                        \
        if (words_->are_elsewhere_) {                                                                       \
            NAME##_add_few_(values_, NAME##_input_at_(run_->in_, k), words_->count_, i);                    \
            return;                                                                                         \
        }                                                                                                   \
        if (NAME##_shifts_) reduce_shift_words_(&word_, words_->words_, skew_, NAME##_size_);               \
        if (words_->count_ == NAME##_positions_)                                                            \
            NAME##_add_loaded_(values_, x, run_->in_, i);                                                   \
        else                                                                                                \
            NAME##_add_few_(values_, NAME##_loaded_at_(run_->in_, x), words_->count_, i);                   \
    }

/* Resident blocks of an SM that kernels ask for by __launch_bounds__ (measured): of blocks of
   REDUCE_STRANDS threads; of those whose warps walk misaligned chunks; of those that walk tall chunks as
   NAME_async does; of blocks of REDUCE_ROW_THREADS_ whose warps work alone. With more blocks, values would
   spill to local memory. */
#define REDUCE_RESIDENT_BLOCKS_(NAME) (NAME##_at_once_ > 1 && NAME##_strand_bytes_ <= 32 ? 2 : 1)
#define REDUCE_RESIDENT_MISALIGNED_(NAME)                                                                   \
    (sizeof(NAME##_result) > 8 && NAME##_positions_ <= 4 && !NAME##_realigns_                               \
         ? 1 : REDUCE_RESIDENT_BLOCKS_(NAME))
#define REDUCE_RESIDENT_TALL_(NAME) (sizeof(struct NAME##_loaded_) > 16 ? 1 : 2)
#define REDUCE_RESIDENT_SMALL_(NAME)                                                                        \
    (NAME##_at_once_ == 1 || NAME##_strand_bytes_ > 256 ? 1 : NAME##_strand_bytes_ <= 16 ? 4 : 3)

/* NAME_at_once_: loads of a thread that are in flight together: two of large results, of two arrays, or of
   more than 16 bytes, for which there are registers. NAME_is_large_: results are large and elements are not,
   so that folds take most of the time. Blocks with a strand for each thread are then faster than warps that
   walk many strands (measured). */
#define REDUCE_LOADS_LAYOUT_(NAME)                                                                          \
    enum {                                                                                                  \
        NAME##_is_large_ = sizeof(NAME##_result) > 32 && sizeof(struct NAME##_loaded_) <= 32,               \
        NAME##_at_once_ = sizeof(struct NAME##_loaded_) > 32 ? 1                                            \
                          : NAME##_is_large_ || sizeof(struct NAME##_loaded_) > 16 ? REDUCE_LOADS_ / 2      \
                                                                                   : REDUCE_LOADS_          \
    };

/* void NAME_fold_strands_(T *x, ...): x[s] gets the fold of the accumulators of strand s, for each of
   `many` strands. */
#define REDUCE_FOLD_STRANDS_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_fold_strands_(NAME##_result *x, struct NAME##_strand_ *strands_,             \
                                             unsigned many_) {                                              \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < many_; s++)                                                                \
            x[s] = NAME##_fold_here_(strands_[s].values_, NAME##_accumulators_);                            \
    }

/* T NAME_exchange_(T x, T y, ...): one step of a fold of two values over lanes. Of two lanes that differ
   in the bit half, the lower gets the fold of both x, the upper the fold of both y. */
#define REDUCE_EXCHANGE_(NAME)                                                                              \
    REDUCE_DEVICE_ NAME##_result NAME##_exchange_(NAME##_result x, NAME##_result y, bool is_upper_,         \
                                                  int half_) {                                              \
        const bool swaps_ = !NAME##_is_built_in_ && is_upper_;                                              \
        NAME##_result kept_ = is_upper_ ? y : x, other_ = is_upper_ ? x : y;                                \
        reduce_shuffle_(&other_, sizeof other_, 0, half_);                                                  \
        return NAME##_combine(swaps_ ? other_ : kept_, swaps_ ? kept_ : other_);                            \
    }

/* void NAME_exchange_halves_(T *x, ...): NAME_exchange_ of each of the first count values with that count
   behind it. nvcc does not unroll one loop of all such steps for results of several words. */
#define REDUCE_EXCHANGE_HALVES_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_exchange_halves_(NAME##_result *x, unsigned count_, int lane_, int half_) {  \
        const bool is_upper_ = (lane_ & half_) != 0;                                                        \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < count_; s++)                                                               \
            x[s] = NAME##_exchange_(x[s], x[s + count_], is_upper_, half_);                                 \
    }

/* void NAME_fold_step_(T *x, int half): a step of a fold over lanes, with the lane that is half apart.
   NAME_fold_steps_: all steps from that one on to the last. */
#define REDUCE_FOLD_STEP_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_fold_step_(NAME##_result *x, int half_) {                                    \
        NAME##_result partner_ = *x;                                                                        \
        reduce_shuffle_(&partner_, sizeof partner_, 0, half_);                                              \
        *x = NAME##_combine(*x, partner_);                                                                  \
    }

#define REDUCE_FOLD_STEPS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_fold_steps_(NAME##_result *x, int half_, int last_) {                        \
        for (; half_ >= last_; half_ /= 2) NAME##_fold_step_(x, half_);                                     \
    }

/* void NAME_fold_each_(T *x, int lane, int bits, unsigned many): folds each of `many` values (1, 2 or 4)
   over groups of 2^bits lanes. The lanes share the work: with four values each quarter of the lanes folds
   one, and the first lane of a quarter has the result in x[0]. In groups of fewer lanes than values a lane
   has several results: reduce_held_by_ says which. */
#define REDUCE_FOLD_EACH_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_fold_each_(NAME##_result *x, int lane_, int bits_, unsigned many_) {         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned left_ = NAME##_at_once_; left_ > 1; left_ /= 2) {                                     \
            if (left_ > many_ || bits_ == 0) continue;                                                      \
            bits_--;                                                                                        \
            NAME##_exchange_halves_(x, left_ / 2, lane_, 1 << bits_);                                       \
        }                                                                                                   \
        NAME##_fold_steps_(x, 1 << bits_ >> 1, 1);                                                          \
    }

/* NAME_folds_late_: no order shows, and instructions fold the values of all lanes at once (NAME_fold_late_).
   Then a lane folds its own values first. */
#define REDUCE_FOLDS_LATE_(NAME)                                                                            \
    enum { NAME##_folds_late_ = NAME##_folds_whole_ && NAME##_is_exact_ != 0 };                             \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_late_(NAME##_result x) {                                       \
        (void)NAME##_fold_at_once_(&x, reduce_place_along_x_(), REDUCE_WARP);                               \
        return x;                                                                                           \
    }

/* void NAME_begin_each_(T *values, int count, ...), NAME_end_each_: NAME_begin_at_ and NAME_end_at_ for each
   of count accumulators. */
#define REDUCE_BEGIN_EACH_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_begin_each_(NAME##_result *values_, int count_, size_t i, bool has_any_) {   \
        REDUCE_UNROLL_                                                                                      \
        for (int k = 0; k < count_; k++) values_[k] = NAME##_begin_at_(i, has_any_);                        \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_end_each_(NAME##_result *values_, int count_, size_t i) {                    \
        REDUCE_UNROLL_                                                                                      \
        for (int k = 0; k < count_; k++) values_[k] = NAME##_end_at_(values_[k], i);                        \
    }

/* The results that a lane holds after NAME_fold_each_: `count` of them, from that of value `first` on.
   2^each neighbouring lanes hold the same. */
struct reduce_held_ { unsigned first_, count_; int each_; };

REDUCE_DEVICE_ struct reduce_held_ reduce_held_by_(unsigned lane_, int bits_, unsigned many_) {
    const int most_ = (int)many_ / 2; /* the logarithm of 1, 2 or 4 */
    const int shared_ = REDUCE_MIN_(bits_, most_); /* bits of a lane that say whose value it folds */
    const unsigned count_ = many_ >> shared_;
    const struct reduce_held_ held_ = {(lane_ >> (bits_ - shared_)) * count_, count_, bits_ - shared_};
    return held_;
}

/* ---- Runs of rows -----------------------------------------------------------------------------------------
 *
 * The plan of a launch, which every kernel of rows gets, and the run of an item.
 */

/* The rows of a launch. Item r * count + c is chunk c of row r. */
struct reduce_rows_ {
    size_t rows_;      /* how many rows */
    size_t items_;     /* chunks of all rows */
    size_t n;          /* elements of a row */
    size_t pitch_;     /* elements from the beginning of a row to that of the next */
    size_t chunk_;     /* elements of a chunk; the last chunk of a row may have fewer */
    size_t all_;       /* elements that may be read if rows have no gaps, else 0 */
    unsigned count_;   /* chunks of a row */
    unsigned regions_; /* how many rows may have results of chunks in slots */
    unsigned span_;    /* items of a block; its rows, if these are short */
    int warp_bits_;    /* staged: a short row has 2^warp_bits of the tree's warps */
    int bits_;         /* 2^bits threads have a short row; or, staged, a tree's warp of it */
    bool is_staged_;   /* short rows are copied to scratch */
    bool is_wide_;     /* staged: strands are read whole from scratch */
};

/* How a lane of the ways with `load` in their names loads its strands of a row. */
enum reduce_load_by_ {
    REDUCE_ROW_BY_ELEMENTS_, /* element by element */
    REDUCE_ROW_BY_COVER_,    /* by the words of 4 bytes that cover a strand, wherever it begins */
    REDUCE_ROW_BY_WORDS_     /* by whole words: each strand has V elements, or none */
};

/* The row of an item. */
REDUCE_DEVICE_ size_t reduce_row_of_(const struct reduce_rows_ *rows_, size_t item_) {
    return rows_->count_ == 1 ? item_ : (unsigned)item_ / rows_->count_;
}

/* The parameters of each kernel of rows. */
#define REDUCE_ROWS_PARAMETERS_(NAME)                                                                       \
    NAME##_input_ in_, const struct reduce_rows_ rows_, reduce_workspace *ws_, NAME##_result *out_

/* Threads of a block whose warps work alone, at most (measured). Tests define fewer. */
#ifndef REDUCE_ROW_THREADS_
#define REDUCE_ROW_THREADS_ 256
#endif

/* How many of count readable elements on one side of a run matter: a word has at most 16. */
REDUCE_DEVICE_ unsigned reduce_readable_(size_t count_) { return (unsigned)REDUCE_MIN_(count_, (size_t)16); }

/* struct NAME_run_ NAME_run_of_(...): the elements of an item; none if there is no such item. */
#define REDUCE_RUN_OF_(NAME)                                                                                \
    REDUCE_DEVICE_ struct NAME##_run_ NAME##_run_of_(NAME##_input_ in_, const struct reduce_rows_ *rows_,   \
                                                     size_t item_, bool is_misaligned_) {                   \
        const size_t row_ = reduce_row_of_(rows_, item_);                                                   \
        const size_t i = (item_ - row_ * rows_->count_) * rows_->chunk_;                                    \
        const size_t from_ = row_ * rows_->pitch_ + i, left_ = rows_->n - i;                                \
        const size_t count_ = item_ < rows_->items_ ? REDUCE_MIN_(left_, rows_->chunk_) : 0;                \
        struct NAME##_run_ run_ = NAME##_run_from_(in_, from_, count_);                                     \
        run_.i = i;                                                                                         \
        if (count_ == 0 || !is_misaligned_) return run_;                                                    \
        run_.before_ = reduce_readable_(rows_->all_ > 0 ? from_ : i);                                       \
        run_.after_ = reduce_readable_((rows_->all_ > 0 ? rows_->all_ - from_ : left_) - count_);           \
        return run_;                                                                                        \
    }

#include "reduce_short_rows.cuh"

/* ---- A chunk by warps -------------------------------------------------------------------------------------
 *
 * A warp walks the strands of many of the tree's warps together: each lane stands for one strand of each.
 * Each position of each strand has an accumulator.
 *
 * Words of a misaligned run need no shift for this: lanes load them as they lie. A seat is the place of an
 * element in its word, and each seat has an accumulator. If the run begins `ahead` seats behind the beginning
 * of a word, seat q has the elements of position q - ahead, or else those of position q - ahead + V of the
 * strand before. After the last stripe the accumulators move to their strands, once. The first seats of lane
 * 0 belong to the tree's warp before; lane 0 uses them for the word behind the words of its own tree's warps.
 * Strands of 16 accumulators are an exception: so many moves take longer than shifts. Where the order cannot
 * show, nothing moves, and where that is faster, a run loses the elements before its first whole word first.
 */

/* NAME_many_: how many neighbouring tree's warps a warp walks together: their accumulators fill 64 bytes
   at most. NAME_more_: up to 128 bytes, for kernels with more registers (both measured).
   NAME_warp_elements_: elements of a tree's warp in a stripe. NAME_strand_bytes_: bytes of a strand's
   accumulators in registers. NAME_walks_shifted_: misaligned runs are walked by shifted words.
   NAME_realigns_: from their first whole word on, as the order cannot show (measured: not faster for numbers
   of 4 and 8 bytes, whose chunks then have no whole stripe at their end). NAME_moves_: accumulators move. */
#define REDUCE_MANY_OF_(NAME, bytes)                                                                        \
    REDUCE_MIN_(REDUCE_POWER_((bytes) / NAME##_strand_bytes_),                                              \
                REDUCE_MIN_((int)REDUCE_WARPS_, (int)NAME##_at_once_))
#define REDUCE_WALK_LAYOUT_(NAME)                                                                           \
    enum {                                                                                                  \
        NAME##_strand_bytes_ =                                                                              \
            NAME##_accumulators_ * (sizeof(NAME##_result) < 4 ? 4 : sizeof(NAME##_result)),                 \
        NAME##_many_ = REDUCE_MANY_OF_(NAME, 64), NAME##_more_ = REDUCE_MANY_OF_(NAME, 128),                \
        NAME##_warp_elements_ = NAME##_positions_ * REDUCE_WARP,                                            \
        NAME##_walks_shifted_ = NAME##_shifts_ && NAME##_accumulators_ > 8,                                 \
        NAME##_realigns_ = NAME##_shifts_ && NAME##_is_exact_ != 0 &&                                       \
                           NAME##_positions_ >= (sizeof(NAME##_result) > 8 ? 4 : 8),                        \
        NAME##_moves_ = !NAME##_is_exact_ && !NAME##_walks_shifted_                                         \
    };

/* Whether a burst of some loads, which begins with element k, ends by element end. */
#define REDUCE_IS_WHOLE_BURST_(NAME, k, many, loads, end)                                                   \
    ((k) + ((loads) / (unsigned)(many) - 1) * REDUCE_STRIPE_(NAME##_size_) +                                \
         (unsigned)(many) * NAME##_warp_elements_ <= (end))

/* Where load s of a burst begins, from the lane's first: many loads from each stripe. */
#define REDUCE_LOAD_AT_(NAME, s, many)                                                                      \
    ((s) % (many) * NAME##_warp_elements_ + (s) / (many) * REDUCE_STRIPE_(NAME##_size_))

/* struct NAME_walker_: what a lane needs to walk a run. struct NAME_burst_: a lane's loads. */
#define REDUCE_WALKER_(NAME)                                                                                \
    struct NAME##_walker_ {                                                                                 \
        const struct NAME##_run_ *run_;                                                                     \
        NAME##_input_ in_; /* begins with the word in which the run begins */                               \
        unsigned ahead_;   /* seats of that word before the run */                                          \
        unsigned first_;   /* elements from here on have words that may be read whole, */                   \
        unsigned until_;   /* as far as before this one */                                                  \
        unsigned behind_;  /* elements from a warp's first word to the word behind its words; 0 if none */  \
        unsigned wraps_;   /* lane 0: its first seats have the elements of the word behind; else 0 */       \
        unsigned jump_;    /* elements of the tree's warps that a warp walks together, in a stripe */       \
        unsigned mask_[4]; /* the bits of the seats that wrap */                                            \
    };                                                                                                      \
    struct NAME##_burst_ { struct NAME##_loaded_ x[NAME##_at_once_], behind_[NAME##_at_once_]; };

/* Sets the bits of the first bytes of 16; bytes is a multiple of size. */
REDUCE_DEVICE_ void reduce_mask_(unsigned *mask_, unsigned bytes_, unsigned size_) {
    REDUCE_UNROLL_
    for (unsigned w = 0; w < 4; w++) {
        const unsigned here_ = bytes_ > 4 * w ? bytes_ - 4 * w : 0;
        mask_[w] = here_ == 0 ? 0 : here_ >= 4 || size_ >= 4 ? ~0u : (1u << 8 * here_) - 1;
    }
}

/* Copies those bits of 16 bytes that the mask has. */
REDUCE_DEVICE_ void reduce_put_masked_(void *to_, const void *from_, const unsigned *mask_) {
    unsigned x[4], y[4];
    memcpy(x, to_, 16), memcpy(y, from_, 16);
    REDUCE_UNROLL_
    for (int w = 0; w < 4; w++) x[w] = (x[w] & ~mask_[w]) | (y[w] & mask_[w]);
    memcpy(to_, x, 16);
}

/* unsigned NAME_whole_until_(...): the end of the elements that words may be loaded for, with all seats of
   the last word. */
#define REDUCE_WHOLE_UNTIL_(NAME)                                                                           \
    REDUCE_DEVICE_ unsigned NAME##_whole_until_(const struct NAME##_run_ *run_, unsigned ahead_) {          \
        const unsigned there_ = ahead_ + run_->after_; /* seats of the last word that may be read */        \
        const unsigned missing_ =                                                                           \
            ahead_ == 0 || there_ > NAME##_positions_ ? 0 : (unsigned)NAME##_positions_ - there_;           \
        const bool are_words_ = NAME##_shifts_ || NAME##_is_aligned_(run_->in_);                            \
        return run_->count_ > missing_ && are_words_ ? run_->count_ - missing_ : 0;                         \
    }

/* struct NAME_walker_ NAME_walker_of_(...): the walker of a lane that stands for strands of many tree's
   warps. */
#define REDUCE_WALKER_OF_(NAME)                                                                             \
    REDUCE_DEVICE_ struct NAME##_walker_ NAME##_walker_of_(const struct NAME##_run_ *run_, int lane_,       \
                                                           unsigned many_, bool is_misaligned_) {           \
        const bool is_apart_ = NAME##_shifts_ && is_misaligned_;                                            \
        unsigned ahead_ = 0;                                                                                \
        if (is_apart_) ahead_ = run_->skew_ / (unsigned)NAME##_size_;                                       \
        struct NAME##_walker_ walker_;                                                                      \
        memset((void *)&walker_, 0, sizeof walker_);                                                        \
        walker_.run_ = run_, walker_.in_ = run_->in_, walker_.ahead_ = ahead_;                              \
        walker_.in_.in_ -= ahead_;                                                                          \
        walker_.first_ = ahead_ > run_->before_, walker_.until_ = NAME##_whole_until_(run_, ahead_);        \
        walker_.jump_ = many_ * NAME##_warp_elements_;                                                      \
        if (ahead_ > 0) walker_.behind_ = walker_.jump_;                                                    \
        if (lane_ == 0) walker_.wraps_ = ahead_;                                                            \
        if (is_apart_) reduce_mask_(walker_.mask_, walker_.wraps_ * (unsigned)NAME##_size_, NAME##_size_);  \
        return walker_;                                                                                     \
    }

/* void NAME_load_seats_(...): loads the seats from first to before end of the word from element k - ahead
   on, one by one, as far as the run has elements. */
#define REDUCE_LOAD_SEATS_(NAME, KIND)                                                                      \
    REDUCE_DEVICE_ void NAME##_load_seats_(struct NAME##_loaded_ *to_, const struct NAME##_walker_ *walker_,\
                                           unsigned k, unsigned first_, unsigned end_) {                    \
        const NAME##_input_ from_ = NAME##_input_at_(walker_->in_, k);                                      \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            if (p >= first_ && p < end_ && k - walker_->ahead_ + p < walker_->run_->count_)                 \
                REDUCE_LOAD_ONE_##KIND(to_, from_, p, p);                                                   \
    }

/* void NAME_load_whole_burst_(...): a lane's loads of a burst whose words are all whole. The warp's first
   word begins with element k - ahead, the lane's own elements further. All lanes load the word behind:
   under a predicate nvcc would keep its registers. */
#define REDUCE_LOAD_WHOLE_BURST_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_load_whole_burst_(struct NAME##_burst_ *to_,                                 \
                                                 const struct NAME##_walker_ *walker_,                      \
                                                 unsigned k, unsigned own_, unsigned many_, unsigned loads_,\
                                                 bool is_apart_) {                                          \
        const NAME##_input_ from_ = NAME##_input_at_(walker_->in_, k + own_);                               \
        const NAME##_input_ behind_ = NAME##_input_at_(walker_->in_, k + walker_->behind_);                 \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++) {                                                             \
            const unsigned apart_ = REDUCE_LOAD_AT_(NAME, s, many_);                                        \
            NAME##_load_(&to_->x[s], NAME##_input_at_(from_, apart_), true);                                \
            if (is_apart_ && s % many_ == 0)                                                                \
                NAME##_load_(&to_->behind_[s], NAME##_input_at_(behind_, apart_), true);                    \
        }                                                                                                   \
    }

/* void NAME_load_partial_word_(...): load s of a burst, as far as the run has elements. */
#define REDUCE_LOAD_PARTIAL_WORD_(NAME)                                                                     \
    REDUCE_DEVICE_ void NAME##_load_partial_word_(struct NAME##_burst_ *to_,                                \
                                                  const struct NAME##_walker_ *walker_, unsigned s,         \
                                                  unsigned first_, unsigned from_, bool has_behind_) {      \
        const unsigned wraps_ = has_behind_ ? walker_->wraps_ : 0;                                          \
        if (first_ >= walker_->run_->count_ + walker_->ahead_) return;                                      \
        if (first_ >= walker_->first_ && first_ + NAME##_warp_elements_ <= walker_->until_)                 \
            NAME##_load_(&to_->x[s], NAME##_input_at_(walker_->in_, from_), true);                          \
        else                                                                                                \
            NAME##_load_seats_(&to_->x[s], walker_, from_, wraps_, NAME##_positions_);                      \
        if (has_behind_)                                                                                    \
            NAME##_load_seats_(&to_->behind_[s], walker_, from_ + walker_->jump_, 0, wraps_);               \
    }

/* void NAME_load_partial_burst_(...): the loads of a burst at an end of the run; elements that the run
   does not have are zeros. Without the zeros nvcc would keep the registers from one iteration to the next. */
#define REDUCE_LOAD_PARTIAL_BURST_(NAME)                                                                    \
    REDUCE_DEVICE_ void NAME##_load_partial_burst_(struct NAME##_burst_ *to_,                               \
                                                   const struct NAME##_walker_ *walker_,                    \
                                                   unsigned k, unsigned own_, unsigned many_,               \
                                                   unsigned loads_,                                         \
                                                   bool is_apart_) {                                        \
        memset((void *)to_, 0, sizeof *to_);                                                                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++) {                                                             \
            const unsigned first_ = k + REDUCE_LOAD_AT_(NAME, s, many_);                                    \
            NAME##_load_partial_word_(to_, walker_, s, first_, first_ + own_, is_apart_ && s % many_ == 0); \
        }                                                                                                   \
    }

/* void NAME_add_seats_(T *values, ...): adds the word from element k - ahead on to the seats'
   accumulators, whole or as far as the run has elements. */
#define REDUCE_ADD_SEATS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_add_seats_(NAME##_result *values_, const struct NAME##_loaded_ *x,           \
                                          const struct NAME##_walker_ *walker_, unsigned k,                 \
                                          unsigned wraps_, bool is_whole_) {                                \
        const NAME##_input_ in_ = NAME##_loaded_at_(walker_->in_, x);                                       \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p += is_whole_ ? REDUCE_ADDED_(NAME) : 1) {             \
            const unsigned at_ = k - walker_->ahead_ + p + (p < wraps_ ? walker_->jump_ : 0);               \
            if (is_whole_)                                                                                  \
                NAME##_add_some_(values_, x, walker_->in_, p, walker_->run_->i + at_);                      \
            else if (at_ < walker_->run_->count_)                                                           \
                NAME##_add_(values_, (int)p, NAME##_operand_at_(in_, p, walker_->run_->i + at_));           \
        }                                                                                                   \
    }

/* void NAME_add_seated_(T *values, ...): the same for a word that has the first seats from behind, or not. */
#define REDUCE_ADD_SEATED_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_add_seated_(NAME##_result *values_, const struct NAME##_loaded_ *x,          \
                                           const struct NAME##_walker_ *walker_, unsigned k,                \
                                           bool has_behind_, bool is_whole_) {                              \
        if (is_whole_ && !has_behind_)                                                                      \
            NAME##_add_loaded_(values_, x, walker_->in_, walker_->run_->i + (k - walker_->ahead_));         \
        else                                                                                                \
            NAME##_add_seats_(values_, x, walker_, k, has_behind_ ? walker_->wraps_ : 0, is_whole_);        \
    }

/* void NAME_load_burst_(...): loads a burst, whole or not; the caller passes is_whole as a constant. */
#define REDUCE_LOAD_BURST_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_load_burst_(struct NAME##_burst_ *to_, const struct NAME##_walker_ *walker_, \
                                           unsigned k, unsigned own_, unsigned many_, unsigned loads_,      \
                                           bool is_apart_, bool is_whole_) {                                \
        REDUCE_ANYTHING_(*to_);                                                                             \
        if (is_whole_) NAME##_load_whole_burst_(to_, walker_, k, own_, many_, loads_, is_apart_);           \
        if (!is_whole_) NAME##_load_partial_burst_(to_, walker_, k, own_, many_, loads_, is_apart_);        \
    }

/* void NAME_use_burst_(...): adds a loaded burst to the accumulators of the lane's strands. */
#define REDUCE_USE_BURST_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_use_burst_(struct NAME##_strand_ *strands_, struct NAME##_burst_ *burst_,    \
                                          const struct NAME##_walker_ *walker_, unsigned k, unsigned own_,  \
                                          unsigned many_, unsigned loads_, bool is_apart_, bool is_whole_) {\
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++) {                                                             \
            const unsigned apart_ = REDUCE_LOAD_AT_(NAME, s, many_);                                        \
            const bool has_behind_ = is_apart_ && s % many_ == 0;                                           \
            if (!is_whole_ && k + apart_ >= walker_->run_->count_ + walker_->ahead_) continue;              \
            if (has_behind_) reduce_put_masked_(&burst_->x[s], &burst_->behind_[s], walker_->mask_);        \
            NAME##_add_seated_(strands_[s % many_].values_, &burst_->x[s], walker_, k + own_ + apart_,      \
                               has_behind_, is_whole_);                                                     \
        }                                                                                                   \
    }

/* void NAME_add_burst_(...): loads and adds a burst. All loads come before the first use. */
#define REDUCE_ADD_BURST_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_add_burst_(struct NAME##_strand_ *strands_,                                  \
                                          const struct NAME##_walker_ *walker_,                             \
                                          unsigned k, unsigned own_, unsigned many_, unsigned loads_,       \
                                          bool is_apart_, bool is_whole_) {                                 \
        struct NAME##_burst_ burst_;                                                                        \
        NAME##_load_burst_(&burst_, walker_, k, own_, many_, loads_, is_apart_, is_whole_);                 \
        NAME##_use_burst_(strands_, &burst_, walker_, k, own_, many_, loads_, is_apart_, is_whole_);        \
    }

/* void NAME_move_between_lanes_(...): all lanes of a warp call. Moves the accumulators of the first seats
   to the lane before. From lane 0 they go to the last lane, in the tree's warp before. */
#define REDUCE_MOVE_BETWEEN_LANES_(NAME)                                                                    \
    REDUCE_DEVICE_ void NAME##_move_between_lanes_(struct NAME##_strand_ *strands_, unsigned ahead_,        \
                                                   int lane_, unsigned many_) {                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p + 1 < NAME##_accumulators_; p++) {                                           \
            const NAME##_result first_ = strands_[0].values_[p];                                            \
            if (p >= ahead_) break;                                                                         \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned s = 0; s < many_; s++) {                                                          \
                NAME##_result *const own_ = &strands_[s].values_[p];                                        \
                if (lane_ == 0) *own_ = s + 1 < many_ ? strands_[s + 1].values_[p] : first_;                \
                reduce_shuffle_(own_, sizeof *own_, (lane_ + 1) % REDUCE_WARP, 0);                          \
            }                                                                                               \
        }                                                                                                   \
    }

/* void NAME_move_in_strand_(...): moves a strand's accumulators from their seats to their positions. */
#define REDUCE_MOVE_IN_STRAND_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_move_in_strand_(struct NAME##_strand_ *strand_, unsigned ahead_) {           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned step_ = 1; step_ < NAME##_accumulators_; step_ *= 2) {                                \
            const struct NAME##_strand_ before_ = *strand_;                                                 \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned p = 0; p < NAME##_accumulators_; p++)                                             \
                if (ahead_ & step_)                                                                         \
                    strand_->values_[p] = before_.values_[(p + step_) % NAME##_accumulators_];              \
        }                                                                                                   \
    }

/* void NAME_move_accumulators_(...): all lanes of a warp call, after the last burst, for strands of many
   tree's warps. Within a strand those of built-in operators may stay in their seats: a fold combines seats
   that are half a word apart, then a quarter, and does not show which of two comes first. */
#define REDUCE_MOVE_ACCUMULATORS_(NAME)                                                                     \
    REDUCE_DEVICE_ void NAME##_move_accumulators_(struct NAME##_strand_ *strands_, unsigned ahead_,         \
                                                  int lane_, unsigned many_) {                              \
        NAME##_move_between_lanes_(strands_, ahead_, lane_, many_);                                         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < many_ && !NAME##_is_built_in_; s++)                                        \
            NAME##_move_in_strand_(&strands_[s], ahead_);                                                   \
    }

/* unsigned NAME_add_next_(...): adds the burst from element k on; or if not all of its stripes are whole, the
   first of them. Returns how far the next begins. */
#define REDUCE_ADD_NEXT_(NAME)                                                                              \
    REDUCE_DEVICE_ unsigned NAME##_add_next_(struct NAME##_strand_ *strands_,                               \
                                             const struct NAME##_walker_ *walker_, unsigned k,              \
                                             unsigned own_, unsigned many_, unsigned loads_,                \
                                             bool is_apart_) {                                              \
        const unsigned stripe_ = REDUCE_STRIPE_(NAME##_size_), step_ = loads_ / many_ * stripe_;            \
        const unsigned end_ = step_ - stripe_ + walker_->jump_;                                             \
        const bool begins_ = k >= walker_->first_, is_many_ = k + end_ <= walker_->until_;                  \
        if (begins_ && is_many_)                                                                            \
            NAME##_add_burst_(strands_, walker_, k, own_, many_, loads_, is_apart_, true);                  \
        else if (step_ > stripe_ && begins_ && k + walker_->jump_ <= walker_->until_)                       \
            NAME##_add_burst_(strands_, walker_, k, own_, many_, many_, is_apart_, true);                   \
        else                                                                                                \
            NAME##_add_burst_(strands_, walker_, k, own_, many_, many_, is_apart_, false);                  \
        return begins_ && is_many_ ? step_ : stripe_;                                                       \
    }

/* void NAME_add_bursts_(...): adds all bursts from element k on. */
#define REDUCE_ADD_BURSTS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_add_bursts_(struct NAME##_strand_ *strands_,                                 \
                                           const struct NAME##_walker_ *walker_, int lane_, unsigned k,     \
                                           unsigned many_, unsigned loads_, bool is_apart_) {               \
        const unsigned own_ = (unsigned)(lane_ * NAME##_positions_);                                        \
        REDUCE_NO_UNROLL_                                                                                   \
        while (k < walker_->run_->count_)                                                                   \
            k += NAME##_add_next_(strands_, walker_, k, own_, many_, loads_, is_apart_);                    \
    }

/* void NAME_load_whole_words_(...): NAME_load_words_ where a strand has all elements, and both words may be
   read. */
#define REDUCE_LOAD_WHOLE_WORDS_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_load_whole_words_(struct NAME##_words_ *to_, const struct NAME##_run_ *run_, \
                                                 unsigned k) {                                              \
        const char *const from_ = (const char *)run_->in_.in_ - run_->skew_ + (size_t)k * NAME##_size_;     \
        reduce_load_16_or_zeros_(to_->words_, from_, true);                                                 \
        reduce_load_16_or_zeros_(to_->words_ + 4, from_ + 16, true);                                        \
        to_->count_ = NAME##_positions_;                                                                    \
        to_->are_elsewhere_ = false;                                                                        \
    }

/* void NAME_load_shifted_(...): loads a burst of words that are to be shifted. The warp's first element is k,
   the lane's own further. */
#define REDUCE_LOAD_SHIFTED_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_load_shifted_(struct NAME##_words_ *to_, const struct NAME##_run_ *run_,     \
                                             unsigned k, unsigned many_, unsigned loads_, bool is_whole_) { \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++) {                                                             \
            const unsigned at_ = k + REDUCE_LOAD_AT_(NAME, s, many_);                                       \
            if (is_whole_) NAME##_load_whole_words_(&to_[s], run_, at_);                                    \
            if (!is_whole_) NAME##_load_words_(&to_[s], run_, at_, true);                                   \
        }                                                                                                   \
    }

/* void NAME_add_shifted_burst_(...): NAME_add_burst_ for shifted words. */
#define REDUCE_ADD_SHIFTED_BURST_(NAME)                                                                     \
    REDUCE_DEVICE_ void NAME##_add_shifted_burst_(struct NAME##_strand_ *strands_,                          \
                                                  const struct NAME##_run_ *run_, unsigned k,               \
                                                  unsigned own_, unsigned many_, unsigned loads_,           \
                                                  bool is_whole_) {                                         \
        struct NAME##_words_ words_[NAME##_at_once_];                                                       \
        NAME##_load_shifted_(words_, run_, k + own_, many_, loads_, is_whole_);                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++) {                                                             \
            const unsigned apart_ = REDUCE_LOAD_AT_(NAME, s, many_);                                        \
            if (!is_whole_ && k + apart_ >= run_->count_) continue;                                         \
            NAME##_add_words_(strands_[s % many_].values_, &words_[s], run_, k + own_ + apart_,             \
                              run_->skew_);                                                                 \
        }                                                                                                   \
    }

/* bool NAME_are_both_whole_(...): whether so many loads from element k on are whole, and both words of each
   strand may be read. */
#define REDUCE_ARE_BOTH_WHOLE_(NAME)                                                                        \
    REDUCE_DEVICE_ bool NAME##_are_both_whole_(const struct NAME##_run_ *run_, unsigned k, unsigned many_,  \
                                               unsigned loads_) {                                           \
        const unsigned end_ = run_->count_ + run_->after_;                                                  \
        const bool begins_ = k > 0 || run_->skew_ <= run_->before_ * NAME##_size_;                          \
        return begins_ && REDUCE_IS_WHOLE_BURST_(NAME, k + NAME##_positions_, many_, loads_, end_);         \
    }

/* void NAME_add_shifted_(...): adds all bursts of shifted words from element k on: whole ones, or of half as
   many loads, or what there is of one stripe. */
#define REDUCE_ADD_SHIFTED_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_add_shifted_(struct NAME##_strand_ *strands_, const struct NAME##_run_ *run_,\
                                            int lane_, unsigned k, unsigned many_, unsigned loads_) {       \
        const unsigned own_ = (unsigned)lane_ * NAME##_positions_;                                          \
        const unsigned half_ = loads_ / 2 > many_ ? loads_ / 2 : many_;                                     \
        unsigned added_;                                                                                    \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k < run_->count_; k += added_ / many_ * REDUCE_STRIPE_(NAME##_size_))                        \
            if (NAME##_are_both_whole_(run_, k, many_, added_ = loads_))                                    \
                NAME##_add_shifted_burst_(strands_, run_, k, own_, many_, loads_, true);                    \
            else if (NAME##_are_both_whole_(run_, k, many_, added_ = half_))                                \
                NAME##_add_shifted_burst_(strands_, run_, k, own_, many_, half_, true);                     \
            else                                                                                            \
                NAME##_add_shifted_burst_(strands_, run_, k, own_, many_, added_ = many_, false);           \
    }

/* void NAME_realign_(...): for NAME_realigns_: a run loses the elements before its first whole word. If adds,
   the first lanes add them to a strand. */
#define REDUCE_REALIGN_(NAME)                                                                               \
    REDUCE_DEVICE_ void NAME##_realign_(struct NAME##_run_ *run_, struct NAME##_strand_ *strand_,           \
                                        int lane_, bool adds_) {                                            \
        if (!NAME##_realigns_) return;                                                                      \
        const unsigned before_ = (16 - run_->skew_) % 16 / (unsigned)NAME##_size_, l = (unsigned)lane_;     \
        const unsigned lost_ = REDUCE_MIN_(before_, run_->count_);                                          \
        if (adds_ && l < lost_)                                                                             \
            NAME##_add_(strand_->values_, 0, NAME##_operand_at_(run_->in_, l, run_->i + l));                \
        run_->in_ = NAME##_input_at_(run_->in_, lost_);                                                     \
        run_->i += lost_, run_->count_ -= lost_, run_->before_ += lost_, run_->skew_ = 0;                   \
    }

/* void NAME_add_tree_warps_(...): all lanes of a warp call. Adds the elements of many tree's warps, from
   number first on, to the lanes' strands. loads: the loads of a burst: one of each tree's warp, then those
   of further stripes. */
#define REDUCE_ADD_TREE_WARPS_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_add_tree_warps_(struct NAME##_strand_ *strands_,                             \
                                               const struct NAME##_run_ *run_, int lane_, unsigned first_,  \
                                               unsigned many_, unsigned loads_, bool is_misaligned_) {      \
        const bool is_apart_ = NAME##_shifts_ && is_misaligned_ && !NAME##_realigns_;                       \
        const unsigned k = first_ * NAME##_warp_elements_;                                                  \
        struct NAME##_run_ own_ = *run_;                                                                    \
        if (is_misaligned_) NAME##_realign_(&own_, strands_, lane_, first_ == 0);                           \
        const struct NAME##_walker_ walker_ = NAME##_walker_of_(&own_, lane_, many_, is_apart_);            \
        if (is_apart_ && NAME##_walks_shifted_)                                                             \
            NAME##_add_shifted_(strands_, run_, lane_, k, many_, loads_);                                   \
        else                                                                                                \
            NAME##_add_bursts_(strands_, &walker_, lane_, k, many_, loads_, is_apart_);                     \
        if (is_apart_ && NAME##_moves_) NAME##_move_accumulators_(strands_, walker_.ahead_, lane_, many_);  \
    }

/* ---- Misaligned runs, one by one --------------------------------------------------------------------------
 *
 * In a misaligned run of elements of 2 to 8 bytes, lane t of a warp loads the elements t, t + 32, ... of each
 * tree's warp one by one: neighbouring lanes load neighbours, so that loads are coalesced at any address.
 * Element 32 j + t is position t % V of strand 32 / V * j + t / V. So the low bits of t are a position's; the
 * strand's high bits are j's, and its low bits are the high bits of t. The fold takes the bits in this order.
 * Elements are scattered if they are walked like this.
 */

/* Sets x, of some bits, to what lies at an address, if it is there. */
#define REDUCE_LOAD_BITS_(x, letter, bits, from, is_there)                                                  \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.cs.u" bits " %0, [%1]; }"              \
                 : "+" letter(x)                                                                            \
                 : "l"(from), "r"((unsigned)(is_there)))

/* Loads an element of 2, 4 or 8 bytes, if it is there. */
REDUCE_DEVICE_ void reduce_load_single_(void *to_, const void *from_, size_t size_, bool is_there_) {
#ifdef __CUDA_ARCH__
    unsigned long long long_ = 0;
    unsigned word_ = 0;
    unsigned short short_ = 0;
    if (size_ == 8) memcpy(&long_, to_, 8);
    if (size_ == 4) memcpy(&word_, to_, 4);
    if (size_ == 2) memcpy(&short_, to_, 2);
    if (size_ == 8) REDUCE_LOAD_BITS_(long_, "l", "64", from_, is_there_);
    if (size_ == 4) REDUCE_LOAD_BITS_(word_, "r", "32", from_, is_there_);
    if (size_ == 2) REDUCE_LOAD_BITS_(short_, "h", "16", from_, is_there_);
    if (size_ == 8) memcpy(to_, &long_, 8);
    if (size_ == 4) memcpy(to_, &word_, 4);
    if (size_ == 2) memcpy(to_, &short_, 2);
#else
    if (is_there_) memcpy(to_, from_, size_);
#endif
}

/* NAME_scatters_: misaligned runs of segments are walked by single elements. NAME_scatters_rows_: those of
   rows too; words are faster for them where few accumulators move. (Both measured.) NAME_scattered_loads_:
   loads of a burst, fewer of small elements, as each element takes a register. NAME_fills_scatter_: the
   identity stands for absent elements, so that nvcc need not keep conditions from loads to uses: it has seven
   registers for them, and waits for the first loads before it issues others. struct NAME_scatter_: a lane's
   accumulators: those of the elements j of each of many tree's warps. */
#define REDUCE_SCATTER_(NAME)                                                                               \
    enum {                                                                                                  \
        NAME##_scatters_ = NAME##_shifts_ && !NAME##_realigns_ &&                                           \
                           NAME##_positions_ >= 2 && NAME##_positions_ <= 8,                                \
        NAME##_scatters_rows_ =                                                                             \
            NAME##_scatters_ && (NAME##_positions_ <= 4 || NAME##_strand_bytes_ > 32),                      \
        NAME##_scattered_loads_ = NAME##_at_once_ / (NAME##_scatters_ && NAME##_positions_ > 4 ? 2 : 1),    \
        NAME##_fills_scatter_ = NAME##_is_light_ && !NAME##_is_mapped_                                      \
    };                                                                                                      \
    struct NAME##_scatter_ { NAME##_result values_[(int)NAME##_at_once_ * NAME##_positions_]; };

/* void NAME_fill_scatter_(...): sets a burst's elements to what absent ones are. (Without a value nvcc would
   keep registers from one iteration to the next, which makes segments of some thousand elements up to a third
   slower.) */
#define REDUCE_FILL_SCATTER_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_fill_scatter_(struct NAME##_loaded_ *x, unsigned loads_) {                   \
        const NAME##_result identity_ = NAME##_identity();                                                  \
        memset((void *)x, 0, loads_ * sizeof *x);                                                           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < loads_ * NAME##_positions_ && NAME##_fills_scatter_; p++)                  \
            memcpy((void *)&x[p / NAME##_positions_].x[p % NAME##_positions_], &identity_,                  \
                   REDUCE_MIN_(sizeof x->x[0], sizeof identity_));                                          \
    }

/* void NAME_load_scatter_(...): a lane's loads of a burst, whose first is element k, as far as the run has
   elements. */
#define REDUCE_LOAD_SCATTER_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_load_scatter_(struct NAME##_loaded_ *x, const struct NAME##_run_ *run_,      \
                                             unsigned k, unsigned many_, unsigned loads_, bool is_whole_) { \
        const NAME##_input_ from_ = NAME##_input_at_(run_->in_, k);                                         \
        NAME##_fill_scatter_(x, loads_);                                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++) {                                                             \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned p = 0; p < NAME##_positions_; p++) {                                              \
                const unsigned apart_ = REDUCE_LOAD_AT_(NAME, s, many_) + p * REDUCE_WARP;                  \
                reduce_load_single_((void *)&x[s].x[p], from_.in_ + apart_, sizeof x[s].x[p],               \
                                    is_whole_ || k + apart_ < run_->count_);                                \
            }                                                                                               \
        }                                                                                                   \
    }

/* void NAME_use_scatter_(...): adds a loaded burst to the lane's accumulators. */
#define REDUCE_USE_SCATTER_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_use_scatter_(struct NAME##_scatter_ *to_, const struct NAME##_loaded_ *x,    \
                                            const struct NAME##_run_ *run_, unsigned k, unsigned many_,     \
                                            unsigned loads_, bool is_whole_) {                              \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++) {                                                             \
            const NAME##_input_ in_ = NAME##_loaded_at_(run_->in_, &x[s]);                                  \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned p = 0; p < NAME##_positions_; p++) {                                              \
                const unsigned at_ = k + REDUCE_LOAD_AT_(NAME, s, many_) + p * REDUCE_WARP;                 \
                NAME##_result *const own_ = &to_->values_[s % many_ * NAME##_positions_ + p];               \
                if (is_whole_ || NAME##_fills_scatter_ || at_ < run_->count_)                               \
                    *own_ = NAME##_combine_next_(*own_, NAME##_operand_at_(in_, p, run_->i + at_));         \
            }                                                                                               \
        }                                                                                                   \
    }

/* void NAME_add_scatter_(...): loads and adds a burst. All loads come before the first use. */
#define REDUCE_ADD_SCATTER_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_add_scatter_(struct NAME##_scatter_ *to_, const struct NAME##_run_ *run_,    \
                                            unsigned k, unsigned many_, unsigned loads_,                    \
                                            bool is_whole_) {                                               \
        struct NAME##_loaded_ x[NAME##_at_once_];                                                           \
        REDUCE_ANYTHING_(x);                                                                                \
        NAME##_load_scatter_(x, run_, k, many_, loads_, is_whole_);                                         \
        NAME##_use_scatter_(to_, x, run_, k, many_, loads_, is_whole_);                                     \
    }

/* void NAME_walk_scatter_(...): all lanes of a warp call; NAME_add_tree_warps_ for scattered elements,
   from element k on: by whole bursts, or whole stripes, or what there is of one. Then the accumulators are
   complete. */
#define REDUCE_WALK_SCATTER_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_walk_scatter_(struct NAME##_scatter_ *to_, const struct NAME##_run_ *run_,   \
                                             unsigned lane_, unsigned k, unsigned many_, unsigned loads_) { \
        unsigned added_;                                                                                    \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k < run_->count_; k += added_ / many_ * REDUCE_STRIPE_(NAME##_size_))                        \
            if (REDUCE_IS_WHOLE_BURST_(NAME, k, many_, loads_, run_->count_))                               \
                NAME##_add_scatter_(to_, run_, k + lane_, many_, added_ = loads_, true);                    \
            else if (loads_ > many_ && REDUCE_IS_WHOLE_BURST_(NAME, k, many_, many_, run_->count_))         \
                NAME##_add_scatter_(to_, run_, k + lane_, many_, added_ = many_, true);                     \
            else                                                                                            \
                NAME##_add_scatter_(to_, run_, k + lane_, many_, added_ = many_, false);                    \
        NAME##_end_each_(to_->values_, (int)many_ * NAME##_positions_, run_->i);                            \
    }

/* void NAME_scattered_positions_(T *x, ...): all lanes of a warp call. Folds the positions of each strand;
   afterwards the low bits of a lane's number are those of the position. */
#define REDUCE_SCATTERED_POSITIONS_(NAME)                                                                   \
    REDUCE_DEVICE_ void NAME##_scattered_positions_(NAME##_result *x, struct NAME##_scatter_ *scatter_,     \
                                                    int lane_, unsigned many_) {                            \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < many_; s++) {                                                              \
            NAME##_result *const own_ = scatter_->values_ + s * NAME##_positions_;                          \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned half_ = NAME##_positions_ / 2; half_ > 0; half_ /= 2)                             \
                NAME##_exchange_halves_(own_, half_, lane_, (int)half_);                                    \
            x[s] = own_[0];                                                                                 \
        }                                                                                                   \
    }

/* How far apart lanes are in step b of the fold over strands, highest bit first. */
#define REDUCE_SCATTER_HALF_(NAME, b)                                                                       \
    ((int)NAME##_positions_ >> ((b) + 1) > 0 ? (int)NAME##_positions_ >> ((b) + 1)                          \
                                             : (int)NAME##_positions_ * REDUCE_WARP >> ((b) + 1))

/* int NAME_lane_of_scatter_(...): the lane that is left with the result of tree's warp s of many. */
#define REDUCE_LANE_OF_SCATTER_(NAME)                                                                       \
    REDUCE_DEVICE_ int NAME##_lane_of_scatter_(int s, unsigned many_) {                                     \
        const int first_ = REDUCE_SCATTER_HALF_(NAME, 0), second_ = REDUCE_SCATTER_HALF_(NAME, 1);          \
        return many_ < 4 ? s * first_ : s / 2 * first_ + s % 2 * second_;                                   \
    }

/* void NAME_fold_scatter_(T *x, ...): all lanes of a warp call; leaves the results where NAME_fold_each_
   does. */
#define REDUCE_FOLD_SCATTER_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_fold_scatter_(NAME##_result *x, struct NAME##_scatter_ *scatter_, int lane_, \
                                             unsigned many_) {                                              \
        const int from_ = NAME##_lane_of_scatter_(lane_ / (REDUCE_WARP / (int)many_), many_);               \
        unsigned left_ = many_;                                                                             \
        NAME##_scattered_positions_(x, scatter_, lane_, many_);                                             \
        REDUCE_UNROLL_                                                                                      \
        for (int b = 0; b < 5; b++, left_ = left_ > 1 ? left_ / 2 : 1) {                                    \
            const int half_ = REDUCE_SCATTER_HALF_(NAME, b);                                                \
            if (left_ == 1) NAME##_fold_steps_(x, half_, half_);                                            \
            NAME##_exchange_halves_(x, left_ / 2, lane_, half_);                                            \
        }                                                                                                   \
        reduce_shuffle_(x, sizeof *x, from_, 0);                                                            \
    }

/* void NAME_scatter_warps_(...): NAME_tree_warps_ for scattered elements. */
#define REDUCE_SCATTER_WARPS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_scatter_warps_(NAME##_result *x, const struct NAME##_run_ *run_, int lane_,  \
                                              unsigned first_, unsigned many_, unsigned loads_,             \
                                              bool is_late_) {                                              \
        const int values_ = (int)many_ * NAME##_positions_;                                                 \
        struct NAME##_scatter_ scatter_;                                                                    \
        NAME##_begin_each_(scatter_.values_, values_, run_->i, run_->count_ > 0);                           \
        NAME##_walk_scatter_(&scatter_, run_, (unsigned)lane_, first_ * NAME##_warp_elements_, many_,       \
                             REDUCE_MIN_(loads_, (unsigned)NAME##_scattered_loads_));                       \
        if (is_late_)                                                                                       \
            x[0] = NAME##_fold_here_(scatter_.values_, values_);                                            \
        else                                                                                                \
            NAME##_fold_scatter_(x, &scatter_, lane_, many_);                                               \
    }

/* void NAME_straight_warps_(T *x, ...): NAME_tree_warps_ for elements that words bring. */
#define REDUCE_STRAIGHT_WARPS_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_straight_warps_(NAME##_result *x, const struct NAME##_run_ *run_, int lane_, \
                                               unsigned first_, unsigned many_, unsigned loads_,            \
                                               bool is_misaligned_, bool is_late_) {                        \
        struct NAME##_strand_ strands_[NAME##_at_once_];                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < many_; s++) NAME##_begin_strand_(&strands_[s]);                            \
        NAME##_add_tree_warps_(strands_, run_, lane_, first_, many_, loads_, is_misaligned_);               \
        NAME##_fold_strands_(x, strands_, many_);                                                           \
        if (is_late_)                                                                                       \
            x[0] = NAME##_fold_here_(x, (int)many_);                                                        \
        else                                                                                                \
            NAME##_fold_each_(x, lane_, 5, many_);                                                          \
    }

/* void NAME_tree_warps_(T *x, ...): all lanes of a warp call. Reduces many tree's warps of a chunk, from
   number first on, and leaves the results where NAME_fold_each_ does; or, if is_late, each lane's own in
   x[0]. */
#define REDUCE_TREE_WARPS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_tree_warps_(NAME##_result *x, const struct NAME##_run_ *run_, int lane_,     \
                                           unsigned first_, unsigned many_, unsigned loads_,                \
                                           bool is_misaligned_, bool scatters_, bool is_late_) {            \
        if (is_misaligned_ && scatters_)                                                                    \
            NAME##_scatter_warps_(x, run_, lane_, first_, many_, loads_, is_late_);                         \
        else                                                                                                \
            NAME##_straight_warps_(x, run_, lane_, first_, many_, loads_, is_misaligned_, is_late_);        \
    }

/* void NAME_tree_warps_to_scratch_(...): the same; scratch[w] gets the result of tree's warp w. */
#define REDUCE_TREE_WARPS_TO_SCRATCH_(NAME)                                                                 \
    REDUCE_DEVICE_ void NAME##_tree_warps_to_scratch_(NAME##_result *scratch_,                              \
                                                      const struct NAME##_run_ *run_, int lane_,            \
                                                      unsigned first_, unsigned many_,                      \
                                                      bool is_misaligned_, bool scatters_) {                \
        const int each_ = REDUCE_WARP / (int)many_;                                                         \
        NAME##_result x[NAME##_at_once_];                                                                   \
        NAME##_tree_warps_(x, run_, lane_, first_, many_, NAME##_at_once_, is_misaligned_, scatters_,       \
                           false);                                                                          \
        if (lane_ % each_ == 0) scratch_[first_ + (unsigned)(lane_ / each_)] = x[0];                        \
    }

/* T NAME_by_warp_(...): all lanes of a warp reduce a chunk, many tree's warps at a time. Lane w keeps the
   result of tree's warp w, unless results fold late; lane 0 gets the chunk's. */
#define REDUCE_BY_WARP_(NAME)                                                                               \
    REDUCE_DEVICE_ NAME##_result NAME##_by_warp_(const struct NAME##_run_ *run_, unsigned many_,            \
                                                 unsigned loads_, bool is_misaligned_, bool scatters_) {    \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const unsigned lane_ = (unsigned)at_.lane_, from_ = lane_ % many_ * (REDUCE_WARP / many_);          \
        NAME##_result own_ = NAME##_identity(), x[NAME##_at_once_];                                         \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned w = 0; w < REDUCE_WARPS_ && w * NAME##_warp_elements_ < run_->count_; w += many_) {   \
            NAME##_tree_warps_(x, run_, at_.lane_, w, many_, loads_, is_misaligned_, scatters_,             \
                               NAME##_folds_late_);                                                         \
            if (NAME##_folds_late_) own_ = NAME##_combine(own_, x[0]);                                      \
            if (NAME##_folds_late_) continue;                                                               \
            reduce_shuffle_(x, sizeof *x, (int)from_, 0);                                                   \
            if (lane_ / many_ == w / many_) own_ = x[0];                                                    \
        }                                                                                                   \
        return NAME##_folds_late_ ? NAME##_fold_late_(own_) : NAME##_fold_(own_, at_, REDUCE_WARPS_);       \
    }

/* ---- Chunks that meet -------------------------------------------------------------------------------------
 *
 * Results of chunks that several blocks reduce meet in slots. A row in flight has a region of slots. Rows
 * take turns in the regions: row r has region r % regions in turn r / regions. A slot's tag is 2t + 1 when it
 * is full in turn t, and 2t + 2 when it is free for turn t + 1. So a block waits for the collector of an
 * earlier row. That is an earlier block, because a block's chunks belong to no more rows than there
 * are regions.
 */

/* void NAME_deliver_(T x, ...): one thread hands over the result of an item: to the output, or to its
   slot. */
#define REDUCE_DELIVER_(NAME)                                                                               \
    REDUCE_DEVICE_ void NAME##_deliver_(NAME##_result x, const struct reduce_rows_ *rows_, size_t item_,    \
                                        reduce_workspace *ws_, NAME##_result *out_) {                       \
        if (rows_->count_ == 1) {                                                                           \
            out_[item_] = NAME##_final_(x);                                                                 \
            return;                                                                                         \
        }                                                                                                   \
        const unsigned row_ = (unsigned)item_ / rows_->count_, turn_ = row_ / rows_->regions_;              \
        const unsigned slot_ = (unsigned)item_ - turn_ * rows_->regions_ * rows_->count_;                   \
        reduce_slot_ *const to_ = ws_->slots_ + slot_;                                                      \
        NAME##_result none_;                                                                                \
        while (turn_ > 0 && !reduce_look_(&none_, sizeof none_, to_, 2 * turn_)) continue;                  \
        reduce_publish_(to_, &x, sizeof x, 2 * turn_ + 1);                                                  \
    }

/* T NAME_collect_slots_(...): folds the thread's share of a row's slots, waits for each, and frees it. */
#define REDUCE_COLLECT_SLOTS_(NAME)                                                                         \
    REDUCE_DEVICE_ NAME##_result NAME##_collect_slots_(const struct reduce_rows_ *rows_, unsigned row_,     \
                                                       reduce_slot_ *slots_) {                              \
        const unsigned turn_ = row_ / rows_->regions_, first_ = row_ % rows_->regions_ * rows_->count_;     \
        const unsigned free_ = row_ + rows_->regions_ < rows_->rows_ ? 2 * turn_ + 2 : 0;                   \
        NAME##_result x = NAME##_identity(), value_, none_;                                                 \
        memset(&none_, 0, sizeof none_);                                                                    \
        for (unsigned k = threadIdx.x; k < rows_->count_; k += blockDim.x) {                                \
            reduce_slot_ *const slot_ = slots_ + first_ + k;                                                \
            while (!reduce_look_(&value_, sizeof value_, slot_, 2 * turn_ + 1)) continue;                   \
            x = NAME##_combine(x, value_);                                                                  \
            reduce_publish_(slot_, &none_, sizeof none_, free_);                                            \
        }                                                                                                   \
        return x;                                                                                           \
    }

/* void NAME_collect_rows_(...): all threads of the block write the results of the rows whose last chunk is
   one of the items from first to before end. */
#define REDUCE_COLLECT_ROWS_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_collect_rows_(const struct reduce_rows_ *rows_, size_t first_, size_t end_,  \
                                             reduce_workspace *ws_, NAME##_result *out_) {                  \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const unsigned last_ = (unsigned)(end_ / rows_->count_);                                            \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned row_ = (unsigned)first_ / rows_->count_; row_ < last_; row_++) {                      \
            NAME##_result x = NAME##_collect_slots_(rows_, row_, ws_->slots_);                              \
            __syncthreads();                                                                                \
            x = NAME##_first_of_block_(x, at_);                                                             \
            if (at_.thread_ == 0) out_[row_] = NAME##_final_(x);                                            \
        }                                                                                                   \
    }

/* ---- Rows of one chunk, each by a warp ----------------------------------------------------------------- */

/* The kernel of WARP_ROWS. */
#define REDUCE_WARP_ROWS_KERNEL_(NAME, aligned, is_misaligned, blocks)                                      \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_ROW_THREADS_, blocks)                                      \
        NAME##_warp_rows_##aligned##_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                      \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const size_t row_ = ((size_t)at_.block_ * at_.threads_ + at_.thread_) / REDUCE_WARP;                \
        const struct NAME##_run_ run_ = NAME##_run_of_(in_, &rows_, row_, is_misaligned);                   \
        const bool scatters_ = NAME##_scatters_rows_ && NAME##_positions_ < 4; /* else words are faster */  \
        const NAME##_result x = NAME##_by_warp_(&run_, NAME##_more_, NAME##_at_once_, is_misaligned,        \
                                                scatters_);                                                 \
        (void)ws_;                                                                                          \
        if (at_.lane_ == 0 && row_ < rows_.rows_) out_[row_] = NAME##_final_(x);                            \
    }

/* ---- Rows of several chunks, each by a block ----------------------------------------------------------- */

/* T NAME_row_of_scratch_(const T *scratch, ...): all threads of the block fold the results of the chunks'
   strands. Thread 0 gets the result. */
#define REDUCE_ROW_OF_SCRATCH_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_row_of_scratch_(const NAME##_result *scratch_, unsigned count_,     \
                                                        struct reduce_place_ at_) {                         \
        NAME##_result x = NAME##_identity();                                                                \
        if (at_.thread_ < REDUCE_MIN_(count_, (unsigned)REDUCE_STRANDS)) x = scratch_[at_.thread_];         \
        return NAME##_first_of_block_(x, at_);                                                              \
    }

/* void NAME_row_to_scratch_(...): all threads of the block. Each warp reduces every warps-th chunk of a
   row, and with them all chunks of a strand, which it adds to scratch in order: a row of more chunks than
   strands has a block of REDUCE_STRANDS threads. */
#define REDUCE_ROW_TO_SCRATCH_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_row_to_scratch_(NAME##_result *scratch_, NAME##_input_ in_,                  \
                                               const struct reduce_rows_ *rows_, struct reduce_place_ at_,  \
                                               bool is_misaligned_) {                                       \
        const unsigned warps_ = at_.threads_ / REDUCE_WARP;                                                 \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = at_.thread_ / REDUCE_WARP; k < rows_->count_; k += warps_) {                      \
            const size_t item_ = (size_t)at_.block_ * rows_->count_ + k;                                    \
            const struct NAME##_run_ run_ = NAME##_run_of_(in_, rows_, item_, is_misaligned_);              \
            const NAME##_result x = NAME##_by_warp_(&run_, NAME##_many_, NAME##_at_once_, is_misaligned_,   \
                                                    NAME##_scatters_rows_);                                 \
            NAME##_result *const strand_ = &scratch_[k % REDUCE_STRANDS];                                   \
            if (at_.lane_ == 0)                                                                             \
                *strand_ = NAME##_combine(k < REDUCE_STRANDS ? NAME##_identity() : *strand_, x);            \
        }                                                                                                   \
    }

/* The kernel of BLOCK_ROWS. */
#define REDUCE_BLOCK_ROWS_KERNEL_(NAME, aligned, is_misaligned, blocks)                                     \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, blocks)                                           \
        NAME##_block_rows_##aligned##_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                     \
        __shared__ NAME##_result scratch_[REDUCE_STRANDS];                                                  \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        NAME##_row_to_scratch_(scratch_, in_, &rows_, at_, is_misaligned);                                  \
        __syncthreads();                                                                                    \
        const NAME##_result x = NAME##_row_of_scratch_(scratch_, rows_.count_, at_);                        \
        (void)ws_;                                                                                          \
        if (at_.thread_ == 0) out_[at_.block_] = NAME##_final_(x);                                          \
    }

/* ---- Rows of any length, by several blocks ------------------------------------------------------------- */

/* T NAME_walk_run_(...): all threads of a block walk a chunk as NAME_async does. Each gets the result of
   its strand. */
#define REDUCE_WALK_RUN_(NAME)                                                                              \
    REDUCE_DEVICE_ NAME##_result NAME##_walk_run_(const struct NAME##_run_ *run_,                           \
                                                  struct reduce_place_ at_) {                               \
        struct NAME##_chunk_ chunk_ = NAME##_chunk_at_(run_->in_, 0, run_->count_);                         \
        chunk_.i = run_->i;                                                                                 \
        return NAME##_walk_(chunk_, at_);                                                                   \
    }

/* Chunks that a block walks before it folds the results of their tree's warps: as many as shared memory
   holds, and at most two for each warp. */
#define REDUCE_CHUNKS_TO_MEET_(T)                                                                           \
    (sizeof(T) <= 16 ? 32 : 512 / (int)sizeof(T))
#define REDUCE_TO_MEET_(NAME) enum { NAME##_to_meet_ = REDUCE_CHUNKS_TO_MEET_(NAME##_result) };

/* void NAME_walk_chunk_(T *scratch, ...): all threads of the block reduce an item; scratch gets the
   results of its tree's warps. */
#define REDUCE_WALK_CHUNK_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_walk_chunk_(NAME##_result *scratch_, NAME##_input_ in_,                      \
                                           const struct reduce_rows_ *rows_, size_t item_,                  \
                                           bool is_misaligned_) {                                           \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const struct NAME##_run_ run_ = NAME##_run_of_(in_, rows_, item_, is_misaligned_);                  \
        const unsigned warp_ = at_.thread_ / REDUCE_WARP;                                                   \
        const bool scatters_ = NAME##_scatters_rows_ && NAME##_positions_ <= 4; /* else words are faster */ \
        if (is_misaligned_) {                                                                               \
            NAME##_tree_warps_to_scratch_(scratch_, &run_, at_.lane_, warp_, 1, true, scatters_);           \
            return;                                                                                         \
        }                                                                                                   \
        const NAME##_result x = NAME##_fold_(NAME##_walk_run_(&run_, at_), at_, REDUCE_WARP);               \
        if (at_.lane_ == 0) scratch_[warp_] = x;                                                            \
    }

/* A chunk is low if it has one or two stripes, else tall. Low chunks have too few loads for all threads of
   a block: this number of warps walks one. */
enum { REDUCE_WARPS_OF_LOW_ = REDUCE_WARPS_ < 4 ? REDUCE_WARPS_ : 4 };

/* void NAME_walk_low_(T *scratch, ...): all threads of the block reduce count items from first on, several
   at a time; scratch[k] gets the results of the tree's warps of each. */
#define REDUCE_WALK_LOW_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_walk_low_(NAME##_result (*scratch_)[REDUCE_WARPS_], NAME##_input_ in_,       \
                                         const struct reduce_rows_ *rows_, size_t first_, unsigned count_,  \
                                         bool is_misaligned_) {                                             \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const unsigned warp_ = at_.thread_ / REDUCE_WARP, step_ = REDUCE_WARPS_ / (int)REDUCE_WARPS_OF_LOW_;\
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = warp_ / REDUCE_WARPS_OF_LOW_; k < count_; k += step_) {                           \
            const struct NAME##_run_ run_ = NAME##_run_of_(in_, rows_, first_ + k, is_misaligned_);         \
            REDUCE_NO_UNROLL_                                                                               \
            for (unsigned w = warp_ % REDUCE_WARPS_OF_LOW_ * NAME##_many_; w < REDUCE_WARPS_;               \
                 w += (unsigned)REDUCE_WARPS_OF_LOW_ * NAME##_many_)                                        \
                NAME##_tree_warps_to_scratch_(scratch_[k], &run_, at_.lane_, w, NAME##_many_,               \
                                              is_misaligned_, NAME##_scatters_rows_);                       \
        }                                                                                                   \
    }

/* void NAME_walk_tall_(T *scratch, ...): the same, one item after the other. */
#define REDUCE_WALK_TALL_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_walk_tall_(NAME##_result (*scratch_)[REDUCE_WARPS_], NAME##_input_ in_,      \
                                          const struct reduce_rows_ *rows_, size_t first_,                  \
                                          unsigned count_, bool is_misaligned_) {                           \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < count_; k++)                                                               \
            NAME##_walk_chunk_(scratch_[k], in_, rows_, first_ + k, is_misaligned_);                        \
    }

/* void NAME_chunks_meet_(...): all threads of the block fold the results of the tree's warps of count
   items and hand them over. */
#define REDUCE_CHUNKS_MEET_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_chunks_meet_(NAME##_result (*scratch_)[REDUCE_WARPS_],                       \
                                            const struct reduce_rows_ *rows_, size_t first_,                \
                                            unsigned count_, reduce_workspace *ws_, NAME##_result *out_) {  \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const unsigned k = at_.thread_ / REDUCE_WARPS_, warp_ = at_.thread_ % REDUCE_WARPS_;                \
        NAME##_result x = NAME##_identity();                                                                \
        if (k < count_) x = scratch_[k][warp_];                                                             \
        x = NAME##_fold_(x, at_, REDUCE_WARPS_);                                                            \
        if (warp_ == 0 && k < count_) NAME##_deliver_(x, rows_, first_ + k, ws_, out_);                     \
    }

/* The kernels of LOW_CHUNKS and TALL_CHUNKS. */
#define REDUCE_CHUNKS_KERNEL_(NAME, low, aligned, is_misaligned, blocks)                                    \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, blocks)                                           \
        NAME##_##low##_chunks_##aligned##_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                 \
        __shared__ NAME##_result scratch_[NAME##_to_meet_][REDUCE_WARPS_];                                  \
        const size_t first_ = (size_t)blockIdx.x * rows_.span_;                                             \
        const size_t end_ = REDUCE_MIN_(first_ + rows_.span_, rows_.items_);                                \
        REDUCE_NO_UNROLL_                                                                                   \
        for (size_t k = first_; k < end_; k += NAME##_to_meet_) {                                           \
            const unsigned count_ = (unsigned)REDUCE_MIN_(end_ - k, (size_t)NAME##_to_meet_);               \
            if (k > first_) __syncthreads();                                                                \
            NAME##_walk_##low##_(scratch_, in_, &rows_, k, count_, is_misaligned);                          \
            __syncthreads();                                                                                \
            NAME##_chunks_meet_(scratch_, &rows_, k, count_, ws_, out_);                                    \
        }                                                                                                   \
        if (rows_.count_ > 1) NAME##_collect_rows_(&rows_, first_, end_, ws_, out_);                        \
    }

/* The kernel of GRID_ROWS: a block has a chunk, as in NAME_async: block x of row y. Each row has its slots.
   Code for loose elements takes registers: nvcc is told that three blocks of small numbers are to fit an
   SM, or two of numbers from two arrays. */
#define REDUCE_BLOCKS_OF_GRID_ROWS_(NAME)                                                                   \
    (REDUCE_ARCH_ < 800 || !NAME##_is_built_in_ || sizeof(NAME##_result) > 4 ? REDUCE_BLOCKS_(NAME)         \
     : sizeof(struct NAME##_loaded_) > 16                                    ? 2                            \
                                                                             : 3)
#define REDUCE_GRID_ROWS_KERNEL_(NAME)                                                                      \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, REDUCE_BLOCKS_OF_GRID_ROWS_(NAME))                \
        NAME##_grid_rows_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                                  \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const unsigned chunk_ = (unsigned)rows_.chunk_, missing_ = at_.blocks_ * chunk_ - (unsigned)rows_.n;\
        in_ = NAME##_input_at_(in_, blockIdx.y * rows_.pitch_);                                             \
        NAME##_result x = NAME##_walk_(NAME##_chunk_of_(in_, at_, chunk_, missing_, 0), at_);               \
        reduce_slot_ *slots_ = ws_->slots_ + (at_.blocks_ > 1 ? blockIdx.y * at_.blocks_ : 0);              \
        x = NAME##_first_of_block_(x, at_);                                                                 \
        if (at_.block_ + 1 < at_.blocks_) {                                                                 \
            if (at_.thread_ == 0) NAME##_publish_(x, at_, slots_);                                          \
            return;                                                                                         \
        }                                                                                                   \
        if (at_.block_ > 0) x = NAME##_first_of_block_(NAME##_collect_(x, at_, at_.block_, slots_), at_);   \
        if (at_.thread_ == 0) out_[blockIdx.y] = NAME##_final_(x);                                          \
    }

/* ---- A range by one block ------------------------------------------------------------------------------ */

/* struct NAME_run_ NAME_cut_out_(...): the run of chunk k of n elements. */
#define REDUCE_CUT_OUT_(NAME)                                                                               \
    REDUCE_DEVICE_ struct NAME##_run_ NAME##_cut_out_(NAME##_input_ in_, size_t n,                          \
                                                      struct reduce_cut_ cut_, size_t k) {                  \
        const size_t begin_ = k * cut_.chunk_, count_ = REDUCE_MIN_(n - begin_, cut_.chunk_);               \
        struct NAME##_run_ run_ = NAME##_run_from_(in_, begin_, count_);                                    \
        run_.before_ = reduce_readable_(begin_);                                                            \
        run_.after_ = reduce_readable_(n - begin_ - count_);                                                \
        return run_;                                                                                        \
    }

/* T NAME_fold_scratch_(const T *scratch, ...): all lanes of a warp fold the results of the tree's warps.
   Every lane gets the result. */
#define REDUCE_FOLD_SCRATCH_(NAME)                                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_scratch_(const NAME##_result *scratch_,                        \
                                                      struct reduce_place_ at_) {                           \
        NAME##_result x = NAME##_identity();                                                                \
        if (at_.lane_ < REDUCE_WARPS_) x = scratch_[at_.lane_];                                             \
        x = NAME##_fold_(x, at_, REDUCE_WARPS_);                                                            \
        reduce_shuffle_(&x, sizeof x, 0, 0);                                                                \
        return x;                                                                                           \
    }

/* struct NAME_chunk_strands_: the chunks' results by strands: lane l of one warp has the strands l, l +
   32, ... NAME_add_chunk_strands_ adds the result of a chunk, NAME_fold_chunk_strands_ gives every lane
   the result. */
#define REDUCE_BEGIN_CHUNK_STRANDS_(NAME)                                                                   \
    struct NAME##_chunk_strands_ { NAME##_result values_[REDUCE_WARPS_]; };                                 \
    REDUCE_DEVICE_ void NAME##_begin_chunk_strands_(struct NAME##_chunk_strands_ *strands_) {               \
        REDUCE_NO_UNROLL_                                                                                   \
        for (int k = 0; k < REDUCE_WARPS_; k++) strands_->values_[k] = NAME##_identity();                   \
    }

#define REDUCE_ADD_CHUNK_STRANDS_(NAME)                                                                     \
    REDUCE_DEVICE_ void NAME##_add_chunk_strands_(struct NAME##_chunk_strands_ *strands_, NAME##_result x,  \
                                                  size_t chunk_, struct reduce_place_ at_) {                \
        const int strand_ = (int)(chunk_ % REDUCE_STRANDS);                                                 \
        NAME##_result *const value_ = &strands_->values_[strand_ / REDUCE_WARP];                            \
        if (strand_ % REDUCE_WARP == at_.lane_) *value_ = NAME##_combine(*value_, x);                       \
    }

#define REDUCE_FOLD_CHUNK_STRANDS_(NAME)                                                                    \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_chunk_strands_(const struct NAME##_chunk_strands_ *strands_,   \
                                                            struct reduce_place_ at_) {                     \
        NAME##_result of_warp_ = NAME##_identity();                                                         \
        for (int k = 0; k < REDUCE_WARPS_; k++) {                                                           \
            NAME##_result x = NAME##_fold_(strands_->values_[k], at_, REDUCE_WARP);                         \
            reduce_shuffle_(&x, sizeof x, 0, 0);                                                            \
            if (at_.lane_ == k) of_warp_ = x;                                                               \
        }                                                                                                   \
        of_warp_ = NAME##_fold_(of_warp_, at_, REDUCE_WARPS_);                                              \
        reduce_shuffle_(&of_warp_, sizeof of_warp_, 0, 0);                                                  \
        return of_warp_;                                                                                    \
    }

/* T NAME_thread_range_(const In *in, size_t n): one thread reduces n elements, as the only column, by narrow
   loads and without shared memory. */
#define REDUCE_THREAD_RANGE_(NAME)                                                                          \
    REDUCE_OUT_OF_LINE_ NAME##_result NAME##_thread_range_(NAME##_input_ in_, size_t n) {                   \
        const struct reduce_column_ tree_ = reduce_column_of_(n, NAME##_size_, 1);                          \
        struct NAME##_columns_here_ here_;                                                                  \
        NAME##_result x[NAME##_width_];                                                                     \
        memset((void *)&here_, 0, sizeof here_);                                                            \
        here_.in_ = in_;                                                                                    \
        here_.pitch_ = here_.apart_ = here_.count_ = 1;                                                     \
        here_.rows_ = here_.row_ = 1;                                                                       \
        here_.loads_ = true;                                                                                \
        NAME##_part_by_thread_(x, &here_, &tree_, reduce_part_of_(&tree_, 0, 0));                           \
        return x[0];                                                                                        \
    }

/* void NAME_chunk_to_scratch_(...): all threads of the block; its whole warps reduce a chunk, and scratch
   gets the results of the tree's warps. */
#define REDUCE_CHUNK_TO_SCRATCH_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_chunk_to_scratch_(NAME##_result *scratch_, const struct NAME##_run_ *run_,   \
                                                 struct reduce_place_ at_) {                                \
        const unsigned warps_ = at_.threads_ / REDUCE_WARP, warp_ = at_.thread_ / REDUCE_WARP;              \
        __syncthreads(); /* what was in scratch is no longer needed */                                      \
        for (unsigned w = warp_; warp_ < warps_ && w < REDUCE_WARPS_; w += warps_)                          \
            NAME##_tree_warps_to_scratch_(scratch_, run_, at_.lane_, w, 1, true, NAME##_scatters_rows_);    \
        __syncthreads();                                                                                    \
    }

/* void NAME_add_range_chunk_(...): all threads of the block reduce chunk k of n elements; the first warp adds
   the result to its strand. */
#define REDUCE_ADD_RANGE_CHUNK_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_add_range_chunk_(struct NAME##_chunk_strands_ *strands_, NAME##_input_ in_,  \
                                                size_t n, struct reduce_cut_ cut_, size_t k,                \
                                                NAME##_result *scratch_, struct reduce_place_ at_) {        \
        const struct NAME##_run_ run_ = NAME##_cut_out_(in_, n, cut_, k);                                   \
        NAME##_chunk_to_scratch_(scratch_, &run_, at_);                                                     \
        if (at_.thread_ < REDUCE_WARP)                                                                      \
            NAME##_add_chunk_strands_(strands_, NAME##_fold_scratch_(scratch_, at_), k, at_);               \
    }

/* T NAME_warps_range_(...): all threads of the block; its whole warps reduce n elements. Threads of the first
   warp get the result, others the identity. */
#define REDUCE_WARPS_RANGE_(NAME)                                                                           \
    REDUCE_OUT_OF_LINE_ NAME##_result NAME##_warps_range_(NAME##_input_ in_, size_t n,                      \
                                                          NAME##_result *scratch_) {                        \
        const struct reduce_cut_ cut_ = reduce_cut_(n, NAME##_size_);                                       \
        struct reduce_place_ at_ = reduce_place_();                                                         \
        struct NAME##_chunk_strands_ strands_;                                                              \
        at_.has_whole_warps_ = true; /* of those that work */                                               \
        NAME##_begin_chunk_strands_(&strands_);                                                             \
        REDUCE_NO_UNROLL_                                                                                   \
        for (size_t k = 0; k < cut_.count_; k++)                                                            \
            NAME##_add_range_chunk_(&strands_, in_, n, cut_, k, scratch_, at_);                             \
        return at_.thread_ >= REDUCE_WARP ? NAME##_identity() : NAME##_fold_chunk_strands_(&strands_, at_); \
    }

/* T NAME_block_range(const In *in, size_t n): see the manual. scratch has the tree's warps' results, and
   then the result. */
#define REDUCE_BLOCK_RANGE_(NAME, KIND)                                                                     \
    REDUCE_DEVICE_ NAME##_result NAME##_block_range(REDUCE_GIVEN_(NAME, KIND)) {                            \
        __shared__ NAME##_result scratch_[REDUCE_WARPS_ + 1];                                               \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const struct reduce_place_ at_ = reduce_place_();                                                   \
        __syncthreads();                                                                                    \
        if (at_.threads_ >= REDUCE_WARP) {                                                                  \
            const NAME##_result of_all_ = NAME##_warps_range_(input_, n, scratch_);                         \
            if (at_.thread_ == 0) scratch_[REDUCE_WARPS_] = of_all_;                                        \
        } else if (at_.thread_ == 0) {                                                                      \
            scratch_[REDUCE_WARPS_] = NAME##_thread_range_(input_, n);                                      \
        }                                                                                                   \
        __syncthreads();                                                                                    \
        return NAME##_final_(scratch_[REDUCE_WARPS_]);                                                      \
    }

#include "reduce_rows_plan.cuh"

/* ---- Launches of rows ---- */

/* cudaError_t NAME_launch_singles_(...): launches rows of one element. */
#define REDUCE_LAUNCH_SINGLES_(NAME)                                                                        \
    REDUCE_HOST_ cudaError_t NAME##_launch_singles_(NAME##_input_ in_, size_t count_, NAME##_result *out_,  \
                                                    cudaStream_t stream_) {                                 \
        const size_t most_ = REDUCE_MOST_BLOCKS_ * NAME##_singles_of_block_;                                \
        cudaError_t status_ = cudaSuccess;                                                                  \
        for (size_t now_; count_ > 0 && status_ == cudaSuccess;                                             \
             count_ -= now_, in_ = NAME##_input_at_(in_, now_), out_ += now_) {                             \
            void *arguments_[] = {&in_, &now_, &out_};                                                      \
            now_ = REDUCE_MIN_(count_, most_);                                                              \
            const size_t blocks_ = reduce_divide_up_(now_, NAME##_singles_of_block_);                       \
            status_ = REDUCE_CUDA_LAUNCH_(NAME##_singles_kernel_, dim3((unsigned)blocks_),                  \
                                          dim3(REDUCE_ROW_THREADS_), arguments_, 0, stream_);               \
        }                                                                                                   \
        return status_;                                                                                     \
    }

/* The kernels of each way: for misaligned rows, and for aligned ones. SHORT_ROWS: in scratch, and in
   registers. */
#define REDUCE_ROWS_KERNELS_(NAME)                                                                          \
    {{NAME##_staged_rows_, NAME##_short_rows_},                                                             \
     {NAME##_warp_rows_misaligned_, NAME##_warp_rows_aligned_},                                             \
     {NAME##_block_rows_misaligned_, NAME##_block_rows_aligned_},                                           \
     {NAME##_low_chunks_misaligned_, NAME##_low_chunks_aligned_},                                           \
     {NAME##_tall_chunks_misaligned_, NAME##_tall_chunks_aligned_},                                         \
     {NAME##_thread_rows_, NAME##_thread_rows_},                                                            \
     {NAME##_word_rows_, NAME##_word_rows_},                                                                \
     {NAME##_one_load_rows_misaligned_, NAME##_one_load_rows_aligned_},                                     \
     {NAME##_two_load_rows_misaligned_, NAME##_two_load_rows_aligned_},                                     \
     {NAME##_four_load_rows_misaligned_, NAME##_four_load_rows_aligned_},                                   \
     {NAME##_eight_load_rows_misaligned_, NAME##_eight_load_rows_aligned_},                                 \
     {NAME##_stripe_rows_misaligned_, NAME##_stripe_rows_aligned_},                                         \
     {NAME##_grid_rows_, NAME##_grid_rows_}}

/* bool NAME_are_aligned_(...): whether all rows begin at a multiple of 16 bytes. */
#define REDUCE_ARE_ALIGNED_(NAME)                                                                           \
    REDUCE_HOST_ bool NAME##_are_aligned_(NAME##_input_ in_, const struct reduce_rows_ *rows_) {            \
        return !NAME##_shifts_ || ((uintptr_t)in_.in_ % 16 == 0 &&                                          \
                                   (rows_->rows_ == 1 || rows_->pitch_ * NAME##_size_ % 16 == 0));          \
    }

/* size_t NAME_resident_warps_(bool are_aligned): warps of BLOCK_ROWS for which an SM has registers. ptxas
   gives kernels of one array and small results some 50 for a thread, and others all that they may have. */
#define REDUCE_RESIDENT_WARPS_(NAME)                                                                        \
    REDUCE_HOST_ size_t NAME##_resident_warps_(bool are_aligned_) {                                         \
        const size_t blocks_ =                                                                              \
            are_aligned_ ? REDUCE_RESIDENT_BLOCKS_(NAME) : REDUCE_RESIDENT_MISALIGNED_(NAME);               \
        const size_t warps_ = blocks_ * REDUCE_WARPS_;                                                      \
        const bool is_one_ = (size_t)NAME##_size_ == (size_t)NAME##_in_all_;                                \
        const bool are_some_ = NAME##_positions_ == 8 && are_aligned_ && sizeof(NAME##_result) == 4;        \
        const bool are_few_ = NAME##_positions_ <= 4 && sizeof(NAME##_result) <= 8;                         \
        return is_one_ && (are_few_ || are_some_) ? warps_ * 9 / 8 : warps_;                                \
    }

/* enum reduce_load_by_ NAME_load_by_(...): how lanes load most of these rows. Words cover elements of two
   bytes, without gaps, but not the first row and the last. */
#define REDUCE_LOAD_BY_(NAME)                                                                               \
    REDUCE_HOST_ enum reduce_load_by_ NAME##_load_by_(NAME##_input_ in_, const struct reduce_rows_ *rows_) {\
        const bool are_whole_ = NAME##_has_words_ && rows_->n % NAME##_positions_ == 0;                     \
        const bool are_covered_ =                                                                           \
            NAME##_covers_ && NAME##_size_ > 1 && rows_->all_ > 0 && rows_->rows_ > 2;                      \
        if (are_whole_ && NAME##_is_aligned_(in_) &&                                                        \
            (rows_->rows_ == 1 || NAME##_is_aligned_(NAME##_input_at_(in_, rows_->pitch_))))                \
            return REDUCE_ROW_BY_WORDS_;                                                                    \
        return are_covered_ ? REDUCE_ROW_BY_COVER_ : REDUCE_ROW_BY_ELEMENTS_;                               \
    }

/* struct reduce_row_facts_ NAME_facts_of_all_rows_(void): what is the same for all rows of a NAME. */
#define REDUCE_FACTS_OF_ALL_ROWS_(NAME)                                                                     \
    REDUCE_HOST_ struct reduce_row_facts_ NAME##_facts_of_all_rows_(void) {                                 \
        struct reduce_row_facts_ facts_;                                                                    \
        memset(&facts_, 0, sizeof facts_);                                                                  \
        facts_.size_ = NAME##_size_, facts_.bytes_ = NAME##_in_all_;                                        \
        facts_.at_once_ = NAME##_at_once_;                                                                  \
        facts_.tiny_ = NAME##_tiny_;                                                                        \
        facts_.slots_ = REDUCE_SLOTS_TO_WAIT_FOR_(sizeof(NAME##_result));                                   \
        facts_.strand_bits_ = NAME##_strand_bits_;                                                          \
        facts_.is_dense_ = NAME##_is_dense_;                                                                \
        facts_.is_costly_ = NAME##_is_costly_;                                                              \
        facts_.is_large_ = NAME##_is_large_;                                                                \
        facts_.folds_late_ = NAME##_folds_late_;                                                            \
        facts_.shows_order_ = !NAME##_is_exact_;                                                            \
        return facts_;                                                                                      \
    }

/* struct reduce_row_facts_ NAME_row_facts_(...): the facts for these rows. */
#define REDUCE_ROW_FACTS_(NAME)                                                                             \
    REDUCE_HOST_ struct reduce_row_facts_ NAME##_row_facts_(NAME##_input_ in_,                              \
                                                            const struct reduce_rows_ *rows_) {             \
        struct reduce_row_facts_ facts_ = NAME##_facts_of_all_rows_();                                      \
        facts_.are_aligned_ = NAME##_are_aligned_(in_, rows_);                                              \
        facts_.is_wide_ = NAME##_shifts_ && (rows_->all_ == 0 || (uintptr_t)in_.in_ % 16 == 0);             \
        facts_.by_ = NAME##_load_by_(in_, rows_);                                                           \
        facts_.warps_ = NAME##_resident_warps_(facts_.are_aligned_);                                        \
        return facts_;                                                                                      \
    }

/* cudaError_t NAME_launch_once_(...): plans and launches rows for which one launch suffices. */
#define REDUCE_LAUNCH_ONCE_(NAME)                                                                           \
    REDUCE_HOST_ cudaError_t NAME##_launch_once_(NAME##_input_ in_, struct reduce_rows_ rows_,              \
                                                 NAME##_result *out_, reduce_workspace *ws_,                \
                                                 cudaStream_t stream_) {                                    \
        void (*const kernels_[][2])(REDUCE_ROWS_PARAMETERS_(NAME)) = REDUCE_ROWS_KERNELS_(NAME);            \
        const struct reduce_row_facts_ facts_ = NAME##_row_facts_(in_, &rows_);                             \
        const enum reduce_rows_way_ way_ = reduce_rows_way_(&rows_, facts_);                                \
        const struct reduce_grid_ grid_ = reduce_grid_of_rows_(&rows_, way_, facts_);                       \
        const bool is_second_ =                                                                             \
            way_ >= REDUCE_ONE_LOAD_ROWS_ ? facts_.by_ == REDUCE_ROW_BY_WORDS_                              \
                                          : facts_.are_aligned_ && !rows_.is_staged_;                       \
        const dim3 blocks_(grid_.blocks_, way_ == REDUCE_GRID_ROWS_ ? (unsigned)rows_.rows_ : 1);           \
        void *arguments_[] = {&in_, &rows_, &ws_, &out_};                                                   \
        return REDUCE_CUDA_LAUNCH_(kernels_[way_][is_second_], blocks_, dim3(grid_.threads_),               \
                                   arguments_, 0, stream_);                                                 \
    }

/* cudaError_t NAME_launch_rows_(...): launches rows, more than once if there are too many blocks for one
   launch. */
#define REDUCE_LAUNCH_ROWS_(NAME)                                                                           \
    REDUCE_HOST_ cudaError_t NAME##_launch_rows_(NAME##_input_ in_, size_t count_, size_t n,                \
                                                 size_t pitch_, NAME##_result *out_, reduce_workspace *ws_, \
                                                 cudaStream_t stream_) {                                    \
        cudaError_t status_ = cudaSuccess;                                                                  \
        while (count_ > 0 && status_ == cudaSuccess) {                                                      \
            const struct reduce_rows_ rows_ =                                                               \
                reduce_rows_of_(count_, n, pitch_, NAME##_size_, sizeof *out_);                             \
            status_ = NAME##_launch_once_(in_, rows_, out_, ws_, stream_);                                  \
            count_ -= rows_.rows_;                                                                          \
            in_ = NAME##_input_at_(in_, rows_.rows_ * pitch_);                                              \
            out_ += rows_.rows_;                                                                            \
        }                                                                                                   \
        return status_;                                                                                     \
    }

/* cudaError_t NAME_rows_by_gpu_(...): NAME_rows_async, which the manual describes, for an input of any
   kind. */
#define REDUCE_ROWS_BY_GPU_(NAME)                                                                           \
    REDUCE_HOST_ cudaError_t NAME##_rows_by_gpu_(NAME##_input_ input_, size_t rows_, size_t n,              \
                                                 size_t pitch_, NAME##_result *out_,                        \
                                                 reduce_workspace *ws_, cudaStream_t stream_) {             \
        const cudaError_t status_ = NAME##_check_(input_, reduce_extent_(rows_, n, pitch_),                 \
                                                  REDUCE_RANGE_(out_, rows_, NAME##_result));               \
        if (status_ != cudaSuccess || rows_ == 0) return status_;                                           \
        if (ws_ == NULL) return cudaErrorInvalidValue;                                                      \
        const bool is_word_ = NAME##_shifts_ && NAME##_tiny_ > 0 && (uintptr_t)input_.in_ % 16 == 0;        \
        const bool are_single_ = n == 1 && (pitch_ == 1 || rows_ == 1) && !is_word_;                        \
        if (are_single_) return NAME##_launch_singles_(input_, rows_, out_, stream_);                       \
        return NAME##_launch_rows_(input_, rows_, n, pitch_, out_, ws_, stream_);                           \
    }

/* ---- Simple calls -------------------------------------------------------------------------------------- */

/* A simple call's results and offsets on the device: memory of their own, beside that of
   reduce_simple_begin_. */
struct reduce_extra_ {
    void *memory_; /* one allocation for both; null if there is none */
    void *out_;    /* the results */
    void *more_;   /* the offsets */
};

REDUCE_HOST_ cudaError_t reduce_extra_begin_(struct reduce_extra_ *extra_, size_t out_bytes_,
                                             const void *more_, size_t more_bytes_) {
    const cudaError_t status_ = cudaMalloc(&extra_->memory_, reduce_round_up_(out_bytes_, 256) + more_bytes_);
    if (status_ != cudaSuccess) return status_;
    extra_->out_ = extra_->memory_;
    extra_->more_ = (char *)extra_->memory_ + reduce_round_up_(out_bytes_, 256);
    if (more_bytes_ == 0) return cudaSuccess;
    return cudaMemcpy(extra_->more_, more_, more_bytes_, cudaMemcpyHostToDevice);
}

/* Puts a simple call's arrays on the device, and takes memory for its results and offsets. After an error,
   too, reduce_extra_end_ releases what there is. */
REDUCE_HOST_ cudaError_t reduce_visit_begin_(struct reduce_simple_ *simple_, struct reduce_extra_ *extra_,
                                             void *input_, struct reduce_range_ *arrays_, size_t count_,
                                             size_t out_bytes_, const void *more_, size_t more_bytes_) {
    memset(simple_, 0, sizeof *simple_);
    memset(extra_, 0, sizeof *extra_);
    const cudaError_t status_ = reduce_simple_begin_(simple_, input_, arrays_, count_, true);
    return status_ != cudaSuccess ? status_ : reduce_extra_begin_(extra_, out_bytes_, more_, more_bytes_);
}

/* Copies results to out, in memory of any kind. It releases everything in any case; the first error
   counts. */
REDUCE_HOST_ cudaError_t reduce_extra_end_(struct reduce_extra_ *extra_, struct reduce_simple_ *simple_,
                                           cudaError_t status_, void *out_, size_t out_bytes_) {
    if (status_ == cudaSuccess) status_ = cudaStreamSynchronize(0);
    if (status_ == cudaSuccess) status_ = cudaMemcpy(out_, extra_->out_, out_bytes_, cudaMemcpyDefault);
    if (status_ == cudaSuccess) status_ = cudaStreamSynchronize(0); /* for a copy on the device */
    const cudaError_t freed_ = extra_->memory_ != NULL ? cudaFree(extra_->memory_) : cudaSuccess;
    return reduce_simple_release_(simple_, reduce_first_error_(status_, freed_));
}

/* A shape is what stands between the input and the output: PARAMETERS and ARGUMENTS, in parentheses, which
   REDUCE_OPEN_ takes off. CALL is NAME_rows and so on. */
#define REDUCE_OPEN_(...) __VA_ARGS__

/* cudaError_t CALL_async(...): see the manual. */
#define REDUCE_SHAPE_ASYNC_(NAME, KIND, CALL, PARAMETERS, ARGUMENTS)                                        \
    REDUCE_HOST_ cudaError_t CALL##_async(REDUCE_ARRAYS_##KIND(NAME),                                       \
                                          REDUCE_OPEN_ PARAMETERS REDUCE_MORE_##KIND(NAME),                 \
                                          NAME##_result *out_, reduce_workspace *ws_,                       \
                                          cudaStream_t stream_) {                                           \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        return CALL##_by_gpu_(input_, REDUCE_OPEN_ ARGUMENTS, out_, ws_, stream_);                          \
    }

/* cudaError_t CALL_visit_(...): the simple call, checked, by the GPU. */
#define REDUCE_SHAPE_VISIT_(NAME, KIND, CALL, PARAMETERS, ARGUMENTS, extent, results)                       \
    REDUCE_HOST_ cudaError_t CALL##_visit_(NAME##_input_ input_, REDUCE_OPEN_ PARAMETERS,                   \
                                           NAME##_result *out_) {                                           \
        const size_t extent_ = extent, bytes_ = (results) * sizeof(NAME##_result);                          \
        struct reduce_range_ arrays_[] = REDUCE_RANGES_##KIND(NAME, input_, extent_);                       \
        struct reduce_simple_ simple_;                                                                      \
        struct reduce_extra_ extra_;                                                                        \
        cudaError_t status_ = reduce_visit_begin_(&simple_, &extra_, &input_, arrays_,                      \
                                                  REDUCE_COUNT_(arrays_), bytes_, NULL, 0);                 \
        if (status_ == cudaSuccess)                                                                         \
            status_ = CALL##_by_gpu_(input_, REDUCE_OPEN_ ARGUMENTS,                                        \
                                     (NAME##_result *)extra_.out_, simple_.ws_, 0);                         \
        return reduce_extra_end_(&extra_, &simple_, status_, out_, bytes_);                                 \
    }

/* cudaError_t CALL(...): see the manual. */
#define REDUCE_SHAPE_SIMPLE_(NAME, KIND, CALL, PARAMETERS, ARGUMENTS, extent, results)                      \
    REDUCE_HOST_ cudaError_t CALL(REDUCE_ARRAYS_##KIND(NAME),                                               \
                                  REDUCE_OPEN_ PARAMETERS REDUCE_MORE_##KIND(NAME),                         \
                                  NAME##_result *out_) {                                                    \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const size_t results_ = results;                                                                    \
        cudaError_t status_ = NAME##_check_(input_, extent, REDUCE_RANGE_(out_, results_, NAME##_result));  \
        if (status_ != cudaSuccess || results_ == 0) return status_;                                        \
        if (reduce_has_gpu_(&status_)) return CALL##_visit_(input_, REDUCE_OPEN_ ARGUMENTS, out_);          \
        if (status_ == cudaSuccess)                                                                         \
            CALL##_cpu(REDUCE_NAMES_##KIND, REDUCE_OPEN_ ARGUMENTS REDUCE_LAST_##KIND, out_);               \
        return status_;                                                                                     \
    }

#define REDUCE_SHAPE_CALL_(NAME, KIND, CALL, PARAMETERS, ARGUMENTS, extent, results)                        \
    REDUCE_SHAPE_ASYNC_(NAME, KIND, CALL, PARAMETERS, ARGUMENTS) REDUCE_LINE_                               \
    REDUCE_SHAPE_VISIT_(NAME, KIND, CALL, PARAMETERS, ARGUMENTS, extent, results) REDUCE_LINE_              \
    REDUCE_SHAPE_SIMPLE_(NAME, KIND, CALL, PARAMETERS, ARGUMENTS, extent, results)

/* What a kind of input passes on: its arrays, and what follows the shape. */
#define REDUCE_NAMES_ARRAY_ in_
#define REDUCE_NAMES_WITH_ in_
#define REDUCE_NAMES_ZIP_ x, y
#define REDUCE_NAMES_ZIP_WITH_ x, y
#define REDUCE_LAST_ARRAY_
#define REDUCE_LAST_WITH_ , c_
#define REDUCE_LAST_ZIP_
#define REDUCE_LAST_ZIP_WITH_ , c_

#define REDUCE_ROWS_CALL_(NAME, KIND)                                                                       \
    REDUCE_SHAPE_CALL_(NAME, KIND, NAME##_rows, (size_t rows_, size_t n, size_t pitch_), (rows_, n, pitch_),\
                       reduce_extent_(rows_, n, pitch_), rows_)

#endif /* __CUDACC__ */

/* ---- What users write ---------------------------------------------------------------------------------- */

/* Tables of contents: the generators of each section, in the order in which they need each other. */

#define REDUCE_GENERATE_ROWS_CPU_(NAME, KIND)                                                               \
    REDUCE_CPU_ROWS_(NAME) REDUCE_LINE_ REDUCE_ROWS_CPU_(NAME, KIND) REDUCE_LINE_

#ifdef __CUDACC__

#define REDUCE_GENERATE_LOADS_(NAME, KIND)                                                                  \
    REDUCE_RUN_TYPE_(NAME, KIND) REDUCE_LINE_                                                               \
    REDUCE_EACH_(NAME, REDUCE_WORDS_TYPE_, REDUCE_LOADS_LAYOUT_, REDUCE_RUN_FROM_, REDUCE_LOAD_TWO_)        \
    REDUCE_LOAD_FEW_(NAME, KIND) REDUCE_LINE_                                                               \
    REDUCE_EACH_(NAME, REDUCE_LOAD_WORDS_, REDUCE_ADD_FEW_, REDUCE_ADD_WORDS_, REDUCE_NOTHING_)

#define REDUCE_GENERATE_FOLDS_OF_STRANDS_(NAME)                                                             \
    REDUCE_EACH_(NAME, REDUCE_FOLD_STRANDS_, REDUCE_EXCHANGE_, REDUCE_EXCHANGE_HALVES_, REDUCE_FOLD_STEP_)  \
    REDUCE_EACH_(NAME, REDUCE_FOLD_STEPS_, REDUCE_FOLD_EACH_, REDUCE_FOLDS_LATE_, REDUCE_BEGIN_EACH_)

#define REDUCE_GENERATE_ROWS_IN_SCRATCH_(NAME, KIND)                                                        \
    REDUCE_RANGE_IN_SCRATCH_(NAME) REDUCE_LINE_ REDUCE_READ_STRAND_(NAME, KIND) REDUCE_LINE_                \
    REDUCE_EACH_(NAME, REDUCE_STRAND_IN_SCRATCH_, REDUCE_BEGIN_LOADED_, REDUCE_STRAND_RESULTS_,             \
                 REDUCE_WHOLE_STRAND_)                                                                      \
    REDUCE_ONE_IN_SCRATCH_(NAME) REDUCE_LINE_                                                               \
    REDUCE_SOME_IN_SCRATCH_(NAME, two, one, 1) REDUCE_LINE_                                                 \
    REDUCE_SOME_IN_SCRATCH_(NAME, four, two, 2) REDUCE_LINE_                                                \
    REDUCE_SOME_IN_SCRATCH_(NAME, eight, four, 4) REDUCE_LINE_ REDUCE_IN_SCRATCH_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_SHORT_ROWS_(NAME, KIND)                                                             \
    REDUCE_RUN_OF_(NAME) REDUCE_LINE_ REDUCE_STAGE_##KIND(NAME) REDUCE_LINE_                                \
    REDUCE_EACH_(NAME, REDUCE_ROW_IN_SCRATCH_, REDUCE_ROWS_IN_SCRATCH_, REDUCE_STAGED_ROWS_KERNEL_,         \
                 REDUCE_RUNS_OF_)                                                                           \
    REDUCE_EACH_(NAME, REDUCE_LOAD_ROWS_, REDUCE_ADD_ROWS_, REDUCE_WRITE_ROWS_, REDUCE_SHORT_ROWS_KERNEL_)

#define REDUCE_GENERATE_WALK_LOADS_(NAME, KIND)                                                             \
    REDUCE_EACH_(NAME, REDUCE_WALK_LAYOUT_, REDUCE_WALKER_, REDUCE_WHOLE_UNTIL_, REDUCE_WALKER_OF_)         \
    REDUCE_LOAD_SEATS_(NAME, KIND) REDUCE_LINE_                                                             \
    REDUCE_EACH_(NAME, REDUCE_LOAD_WHOLE_BURST_, REDUCE_LOAD_PARTIAL_WORD_, REDUCE_LOAD_PARTIAL_BURST_,     \
                 REDUCE_ADD_SEATS_)                                                                         \
    REDUCE_ADD_SEATED_(NAME) REDUCE_LINE_ REDUCE_LOAD_BURST_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_WALK_(NAME)                                                                         \
    REDUCE_EACH_(NAME, REDUCE_USE_BURST_, REDUCE_ADD_BURST_, REDUCE_MOVE_BETWEEN_LANES_,                    \
                 REDUCE_MOVE_IN_STRAND_)                                                                    \
    REDUCE_ADD_NEXT_(NAME) REDUCE_LINE_                                                                     \
    REDUCE_EACH_(NAME, REDUCE_MOVE_ACCUMULATORS_, REDUCE_ADD_BURSTS_, REDUCE_LOAD_WHOLE_WORDS_,             \
                 REDUCE_LOAD_SHIFTED_)                                                                      \
    REDUCE_EACH_(NAME, REDUCE_ADD_SHIFTED_BURST_, REDUCE_ARE_BOTH_WHOLE_, REDUCE_ADD_SHIFTED_,              \
                 REDUCE_REALIGN_)                                                                           \
    REDUCE_ADD_TREE_WARPS_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_SCATTER_(NAME)                                                                      \
    REDUCE_EACH_(NAME, REDUCE_SCATTER_, REDUCE_FILL_SCATTER_, REDUCE_LOAD_SCATTER_, REDUCE_USE_SCATTER_)    \
    REDUCE_EACH_(NAME, REDUCE_ADD_SCATTER_, REDUCE_WALK_SCATTER_, REDUCE_SCATTERED_POSITIONS_,              \
                 REDUCE_LANE_OF_SCATTER_)                                                                   \
    REDUCE_FOLD_SCATTER_(NAME) REDUCE_LINE_ REDUCE_SCATTER_WARPS_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_TREE_WARPS_(NAME)                                                                   \
    REDUCE_EACH_(NAME, REDUCE_STRAIGHT_WARPS_, REDUCE_TREE_WARPS_, REDUCE_TREE_WARPS_TO_SCRATCH_,           \
                 REDUCE_BY_WARP_)

#define REDUCE_GENERATE_SINGLES_(NAME)                                                                      \
    REDUCE_EACH_(NAME, REDUCE_WRITE_NEIGHBOURS_, REDUCE_WRITE_SINGLES_, REDUCE_SINGLES_OF_WORDS_,           \
                 REDUCE_RUN_OF_SINGLES_)                                                                    \
    REDUCE_SINGLES_KERNEL_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_TINY_ROWS_(NAME, KIND)                                                              \
    REDUCE_LOAD_LEFT_(NAME, KIND) REDUCE_LINE_                                                              \
    REDUCE_EACH_(NAME, REDUCE_LOAD_STRAND_, REDUCE_STRAND_OF_ROW_, REDUCE_TINY_ROW_,                        \
                 REDUCE_THREAD_ROWS_KERNEL_)                                                                \
    REDUCE_EACH_(NAME, REDUCE_ROWS_OF_WORD_, REDUCE_WORD_OF_ROWS_, REDUCE_WORD_ROWS_KERNEL_,                \
                 REDUCE_NOTHING_)

#define REDUCE_GENERATE_FEW_ROWS_(NAME)                                                                     \
    REDUCE_FOLD_LOADS_(NAME) REDUCE_LINE_ REDUCE_LANES_LAYOUT_(NAME) REDUCE_LINE_                           \
    REDUCE_EACH_(NAME, REDUCE_LOAD_ROW_, REDUCE_STRANDS_OF_ROW_, REDUCE_LOAD_COVERED_,                      \
                 REDUCE_COVERED_ROW_)                                                                       \
    REDUCE_EACH_(NAME, REDUCE_LOADED_ROW_, REDUCE_LOADS_OF_ROW_, REDUCE_BATCH_AT_,                          \
                 REDUCE_BATCHES_OF_ROW_)                                                                    \
    REDUCE_LANES_OF_ROW_(NAME) REDUCE_LINE_                                                                 \
    REDUCE_LANE_ROWS_KERNELS_(NAME, one_load, 1, 1, 1)                                                      \
    REDUCE_LANE_ROWS_KERNELS_(NAME, two_load, 2, 2, 2)                                                      \
    REDUCE_LANE_ROWS_KERNELS_(NAME, four_load, 4, 4, 4)                                                     \
    REDUCE_LANE_ROWS_KERNELS_(NAME, eight_load, REDUCE_WARPS_, REDUCE_MOST_LOADS_, NAME##_singly_)          \
    REDUCE_STRIPE_ROWS_KERNEL_(NAME, aligned, true) REDUCE_LINE_                                            \
    REDUCE_STRIPE_ROWS_KERNEL_(NAME, misaligned, false) REDUCE_LINE_                                        \
    REDUCE_GRID_ROWS_KERNEL_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_WARP_ROWS_(NAME)                                                                    \
    REDUCE_EACH_(NAME, REDUCE_DELIVER_, REDUCE_COLLECT_SLOTS_, REDUCE_COLLECT_ROWS_, REDUCE_NOTHING_)       \
    REDUCE_WARP_ROWS_KERNEL_(NAME, aligned, false, REDUCE_RESIDENT_SMALL_(NAME)) REDUCE_LINE_               \
    REDUCE_WARP_ROWS_KERNEL_(NAME, misaligned, true, REDUCE_RESIDENT_SMALL_(NAME)) REDUCE_LINE_             \
    REDUCE_ROW_OF_SCRATCH_(NAME) REDUCE_LINE_ REDUCE_ROW_TO_SCRATCH_(NAME) REDUCE_LINE_                     \
    REDUCE_BLOCK_ROWS_KERNEL_(NAME, aligned, false, REDUCE_RESIDENT_BLOCKS_(NAME)) REDUCE_LINE_             \
    REDUCE_BLOCK_ROWS_KERNEL_(NAME, misaligned, true, REDUCE_RESIDENT_MISALIGNED_(NAME)) REDUCE_LINE_

#define REDUCE_GENERATE_CHUNKS_(NAME)                                                                       \
    REDUCE_EACH_(NAME, REDUCE_WALK_RUN_, REDUCE_TO_MEET_, REDUCE_WALK_CHUNK_, REDUCE_WALK_LOW_)             \
    REDUCE_WALK_TALL_(NAME) REDUCE_LINE_ REDUCE_CHUNKS_MEET_(NAME) REDUCE_LINE_                             \
    REDUCE_CHUNKS_KERNEL_(NAME, low, aligned, false, REDUCE_RESIDENT_BLOCKS_(NAME)) REDUCE_LINE_            \
    REDUCE_CHUNKS_KERNEL_(NAME, low, misaligned, true, REDUCE_RESIDENT_MISALIGNED_(NAME)) REDUCE_LINE_      \
    REDUCE_CHUNKS_KERNEL_(NAME, tall, aligned, false, REDUCE_RESIDENT_TALL_(NAME)) REDUCE_LINE_             \
    REDUCE_CHUNKS_KERNEL_(NAME, tall, misaligned, true, REDUCE_RESIDENT_BLOCKS_(NAME)) REDUCE_LINE_

#define REDUCE_GENERATE_RANGES_(NAME, KIND)                                                                 \
    REDUCE_EACH_(NAME, REDUCE_CUT_OUT_, REDUCE_FOLD_SCRATCH_, REDUCE_BEGIN_CHUNK_STRANDS_,                  \
                 REDUCE_ADD_CHUNK_STRANDS_)                                                                 \
    REDUCE_EACH_(NAME, REDUCE_FOLD_CHUNK_STRANDS_, REDUCE_THREAD_RANGE_, REDUCE_CHUNK_TO_SCRATCH_,          \
                 REDUCE_ADD_RANGE_CHUNK_)                                                                   \
    REDUCE_WARPS_RANGE_(NAME) REDUCE_LINE_ REDUCE_BLOCK_RANGE_(NAME, KIND) REDUCE_LINE_

#define REDUCE_GENERATE_ROWS_CALLS_(NAME, KIND)                                                             \
    REDUCE_EACH_(NAME, REDUCE_LAUNCH_SINGLES_, REDUCE_ARE_ALIGNED_, REDUCE_RESIDENT_WARPS_,                 \
                 REDUCE_LOAD_BY_)                                                                           \
    REDUCE_EACH_(NAME, REDUCE_FACTS_OF_ALL_ROWS_, REDUCE_ROW_FACTS_, REDUCE_LAUNCH_ONCE_,                   \
                 REDUCE_LAUNCH_ROWS_)                                                                       \
    REDUCE_ROWS_BY_GPU_(NAME) REDUCE_LINE_                                                                  \
    REDUCE_ROWS_CALL_(NAME, KIND) REDUCE_LINE_

#define REDUCE_GENERATE_ALL_ROWS_(NAME, KIND)                                                               \
    REDUCE_GENERATE_LOADS_(NAME, KIND) REDUCE_GENERATE_FOLDS_OF_STRANDS_(NAME)                              \
    REDUCE_GENERATE_ROWS_IN_SCRATCH_(NAME, KIND) REDUCE_GENERATE_SHORT_ROWS_(NAME, KIND)                    \
    REDUCE_GENERATE_WALK_LOADS_(NAME, KIND) REDUCE_GENERATE_WALK_(NAME) REDUCE_GENERATE_SCATTER_(NAME)      \
    REDUCE_GENERATE_TREE_WARPS_(NAME) REDUCE_GENERATE_SINGLES_(NAME) REDUCE_GENERATE_TINY_ROWS_(NAME, KIND) \
    REDUCE_GENERATE_FEW_ROWS_(NAME) REDUCE_GENERATE_WARP_ROWS_(NAME) REDUCE_GENERATE_CHUNKS_(NAME)

/* NAME_block_range stands with the rows: a block of less than a warp reduces its range as a column. */
#define REDUCE_ROWS_ON_GPU_(NAME, KIND)                                                                     \
    REDUCE_GENERATE_ALL_ROWS_(NAME, KIND) REDUCE_GENERATE_LEAVES_OF_COLUMNS_(NAME, KIND)                    \
    REDUCE_GENERATE_RANGES_(NAME, KIND) REDUCE_GENERATE_ROWS_CALLS_(NAME, KIND)

#else
#define REDUCE_ROWS_ON_GPU_(NAME, KIND)
#endif

#include "reduce_columns.cuh"
#ifdef REDUCE_NO_SEGMENTS
#define REDUCE_SEGMENTS_(NAME, KIND)
#else
#include "reduce_segments.cuh"
#endif

#define REDUCE_ROWS_(NAME, KIND)                                                                            \
    REDUCE_CHECK_ONCE_(NAME##_rows) REDUCE_LINE_                                                            \
    REDUCE_GENERATE_ROWS_CPU_(NAME, KIND) REDUCE_ROWS_ON_GPU_(NAME, KIND)                                   \
    REDUCE_COLUMNS_AND_AXES_(NAME, KIND) REDUCE_SEGMENTS_(NAME, KIND)

#undef DEFINE_REDUCE_ROWS
#define DEFINE_REDUCE_ROWS(NAME) REDUCE_ADD_TO_(NAME, ARRAY_, rows, "ROWS", REDUCE_ROWS_)
#undef DEFINE_REDUCE_ZIP_ROWS
#define DEFINE_REDUCE_ZIP_ROWS(NAME) REDUCE_ADD_TO_(NAME, ZIP_, rows, "ROWS", REDUCE_ROWS_)
#undef DEFINE_REDUCE_WITH_ROWS
#define DEFINE_REDUCE_WITH_ROWS(NAME) REDUCE_ADD_TO_(NAME, WITH_, rows, "ROWS", REDUCE_ROWS_)
#undef DEFINE_REDUCE_ZIP_WITH_ROWS
#define DEFINE_REDUCE_ZIP_WITH_ROWS(NAME) REDUCE_ADD_TO_(NAME, ZIP_WITH_, rows, "ROWS", REDUCE_ROWS_)

#endif /* REDUCE_ROWS_CUH */
