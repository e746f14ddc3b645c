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
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon)
 *
 *   DEFINE_REDUCE_ROWS(NAME)          for a NAME of DEFINE_REDUCE, DEFINE_REDUCE_AS or DEFINE_REDUCE_MAP
 *   DEFINE_REDUCE_ZIP_ROWS(NAME)      for a NAME of DEFINE_REDUCE_ZIP (reduce_inputs.cuh): functions take x
 *                                     and y instead of in. Both arrays have the same shape and pitch.
 *   DEFINE_REDUCE_WITH_ROWS(NAME)     for a NAME of DEFINE_REDUCE_WITH: the context c follows the shape, and
 *                                     out follows the context.
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
 *       from in on. Blocks of any shape and size get the same bits. It may be called again at once. A kernel
 *       for blocks of more than 256 threads says so by __launch_bounds__, so that there are registers for
 *       all.
 *
 *   A map's index i counts within the row, column or segment.
 *
 * WHAT IS ALLOWED
 *
 *   - Zero rows, columns or segments: the call writes nothing. n = 0: each result is the identity.
 *   - Gaps between rows: they are not read.
 *   - Any alignment that the element's type allows, and any pitch.
 *   - Several calls in flight, each with a workspace of its own. An asynchronous call can be captured in a
 *     graph.
 *
 * WHAT IT COSTS
 *
 *   An asynchronous call makes one launch, or several for more than 2^31 results. It allocates nothing and
 *   does not synchronise. Memory, workspaces and errors are as for NAME_async. A simple call allocates its
 *   results on the device, copies what is not there, and returns when the results lie in out.
 *
 *   Most of the code of a NAME is for segments and columns. Who needs less defines, before the include,
 *       REDUCE_NO_SEGMENTS        there are no functions NAME_segments... and NAME_segments_32...
 *       REDUCE_NO_COLUMNS         there are no functions NAME_columns... and NAME_axis...
 *   With both, the file adds a third of the time to compile that it adds without.
 *
 * WHAT IS REFUSED
 *
 *   A call returns cudaErrorInvalidValue, and changes nothing, if
 *   - rows overlap: pitch must be at least n for several rows, and at least columns for several elements;
 *   - the output lies inside the input, or another rule of NAME_async is broken.
 *   The simple calls also refuse a negative first offset and offsets that decrease. The asynchronous calls
 *   and those on the CPU do not look at the offsets: a segment whose end is not after its beginning has no
 *   elements there, and a segment that lies outside the array is undefined behaviour.
 *
 * WHAT IS SLOWER
 *
 *   - Rows and segments that do not begin at a multiple of 16 bytes: words are shifted, or copied to shared
 *     memory first.
 *   - Elements whose size is not a power of two, or exceeds 16 bytes, and inputs of two arrays (ZIP): no
 *     single load has the elements of several columns, and no words are shifted.
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

#include <stdlib.h>

/* ---- How this file is organised ---------------------------------------------------------------------------
 *
 * Each result has the tree that reduce.cuh describes under "The tree". This file only decides which thread
 * stands for which strand, and how it loads. The parts follow each other in this order:
 *
 *     The order of a column, On the CPU            plain functions, and generators for the CPU
 *     Words and strands, Runs of rows              what all ways of rows share: loads, folds, a row's plan
 *     In shared memory ... Rows of few elements    the ways of rows, each with its kernels
 *     Columns, Columns without gaps                the ways of columns
 *     A range by one block                         NAME_block_range
 *     Segments ... The kernel of segments          the ways of segments
 *     The plan of rows ... Launches of segments    the host chooses a way, and launches it
 *     Simple calls, What users write               the rest of the interface
 *
 * Words that this file uses for one thing each:
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
 * ROWS. reduce_rows_way_ tries these ways from the top and takes the first that suits. Sizes hold for
 * elements of 1, 2, 4, 8 and 16 bytes.
 *
 *     way              shapes that it takes                         idea
 *     ---------------  -------------------------------------------  -----------------------------------------
 *     singles          n = 1, no gaps, where WORD_ROWS cannot       a thread writes V results for each load
 *     WORD_ROWS        n = 1, 2, 4 ... V, no gaps, aligned array    a thread reduces all rows of a word
 *     THREAD_ROWS      n up to 8, or up to V                        a thread reduces a row
 *     ONE_LOAD_ROWS    up to 32 strands, not too many bytes in all  2^bits lanes share a row, a strand each
 *     FOUR_LOAD_ROWS   up to 128 strands, likewise                  a warp has a row, four strands a lane
 *     STRIPE_ROWS      up to a stripe, likewise                     a block has a row, a strand a thread
 *     SHORT_ROWS       up to 128 strands: many rows                 aligned: lanes load from several rows;
 *                                                                   else a block stages rows in shared memory
 *     WARP_ROWS        one chunk, at least 4,096 rows               a warp walks the chunk
 *     BLOCK_ROWS       several chunks: 256 rows, over 2,048 chunks  a block has a row, each warp some chunks
 *     LOW_CHUNKS       chunks of 1 or 2 stripes, at least 512       four warps walk a chunk, a block several
 *     GRID_ROWS        no more chunks than slots, mostly aligned    a block walks a chunk, as in NAME_async
 *     TALL_CHUNKS      all others                                   a block walks its chunks one by one
 *
 *     SHORT_ROWS is under "Short rows ...", WARP_ROWS, BLOCK_ROWS and chunks under "Rows of one chunk", "Rows
 *     of several chunks" and "Rows of any length", singles under "Rows of one element", the others under
 *     "Rows of few elements".
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
 *
 * COLUMNS. NAME_plan_columns_ chooses.
 *
 *     way              shapes that it takes                         idea
 *     ---------------  -------------------------------------------  -----------------------------------------
 *     flat             up to 16 columns without gaps, aligned       a block adds the words of some strands in
 *                                                                   place, whatever columns they belong to
 *     of few, of some  up to 8 leaves in one chunk                  a thread has all leaves of its columns
 *     wide             addresses suit loads of `width` columns      threads share columns, then leaves, then
 *     narrow           all others                                   chunks; a load has one column in `narrow`
 *
 *     A leaf is one position of one strand. A thread visits the leaves of its columns in the order in which
 *     the tree joins them, and keeps one partial result for each level. For V = 2 and 4 strands:
 *
 *         leaf number      0   1   2   3   4   5   6   7
 *         row in stripe    0   1   4   5   2   3   6   7       (reduce_leaf_)
 *         level 0           \ /     \ /     \ /     \ /        positions
 *         level 1             \     /         \     /          strands 0 and 2, 1 and 3
 *         level 2                \                /            strands 0 and 1
 *
 *     Threads of a block, and blocks, share the columns (across) and the leaves (down, splits):
 *
 *                             columns 0-3   4-7   8-11 ...         a tile: `across` threads with `width` each
 *         row of threads 0        t0        t1     t2  ...         one of 2^down parts of the block's leaves
 *         row of threads 1        t8        t9     t10 ...         another; rows of threads fold by halves
 *         2^splits blocks have the same columns and other parts of the leaves; further blocks, the
 *         collectors, wait for their results and fold them.
 *
 * SEGMENTS. One kernel; each warp chooses for the segments that it finds.
 *
 *     segments of      idea                                                            section
 *     ---------------  --------------------------------------------------------------  ----------------------
 *     up to V          tiny: a lane has a segment                                      Portions and pieces
 *     up to 128        short: the portions of 32 segments are spread over all lanes,   Portions and pieces,
 *     strands          or a batch of them is copied to shared memory                   ... in batches
 *     up to a stripe   middle: a warp has a segment                                    Middle segments
 *     more             long: the block's warps share its chunks as tasks               Tasks of long segments
 *     several chunks   shared: each block has the chunks in its own share, the last    Segments of several
 *     in several       block to deliver folds                                          blocks
 *     shares
 *
 *         line      |0|--s0--|1|-s1-|2|s2|3|---------------- s3 ----------------|4|-s4-| ...   |k|: weight of
 *         shares    [      block 0       ][      block 1       ][      block 2       ]          segment k
 *                   s0, s1, s2 are block 0's. s3 is shared: it begins in block 0's share; blocks 0, 1 and 2
 *                   have those of its chunks that begin in their shares.
 *
 *         lane          0              1    2            3 ...     each lane's own segment
 *         portions     |p0  p1  p2   |p3  |p4  p5      |p6 ...     numbered through; lane l loads number l
 *         scratch      |r0  r1  r2   |r3  |r4  r5      |r6 ...     each portion's result; the segments whose
 *                                                                  portions fit in scratch are a piece
 *         unit         up to 32 portions of a segment, a tree's warp: one thread folds a unit
 */

/* ---- The order of a column --------------------------------------------------------------------------------
 *
 * The fold of k values first combines those whose indices differ in their highest bit, last those that differ
 * in their lowest. So values meet in the order of indices whose bits are reversed. A thread that visits them
 * in that order needs one partial result for each level, as a binary counter has digits. A leaf is one
 * position of one strand. Its number in this order has the position's bits reversed, then those of the strand
 * in its tree's warp, then those of the tree's warp.
 */

#define REDUCE_LEAVES_ 8 /* leaves that a thread of columns walks together at most */

struct reduce_order_ { int positions_, strands_, warps_; }; /* bits of a number in each */

/* The bits of the numbers below count. */
REDUCE_BOTH_ int reduce_bits_for_(size_t count_) {
    int bits_ = 0;
    while (((size_t)1 << bits_) < count_) bits_++;
    return bits_;
}

/* The order of the leaves of count strands, each with as many positions. */
REDUCE_BOTH_ struct reduce_order_ reduce_order_of_(size_t count_, int positions_) {
    struct reduce_order_ order_ = {reduce_bits_for_((size_t)positions_), 5, 0};
    if (count_ <= REDUCE_WARP) order_.strands_ = reduce_bits_for_(count_);
    if (count_ > REDUCE_WARP) order_.warps_ = reduce_bits_for_(reduce_divide_up_(count_, REDUCE_WARP));
    return order_;
}

REDUCE_BOTH_ int reduce_order_bits_(struct reduce_order_ order_) {
    return order_.positions_ + order_.strands_ + order_.warps_;
}

/* k with its lowest bits in reverse order. */
REDUCE_BOTH_ unsigned reduce_reversed_(unsigned k, int bits_) {
    unsigned reversed_ = 0;
#ifdef __CUDA_ARCH__
    reversed_ = (unsigned)(((unsigned long long)__brev(k)) >> (32 - bits_));
#else
    for (int b_ = 0; b_ < bits_; b_++) reversed_ |= (k >> b_ & 1) << (bits_ - 1 - b_);
#endif
    return reversed_;
}

/* The element that is leaf k, counted from the beginning of a stripe. */
REDUCE_BOTH_ unsigned reduce_leaf_(struct reduce_order_ order_, unsigned k) {
    const unsigned position_ = reduce_reversed_(k & ((1u << order_.positions_) - 1), order_.positions_);
    const unsigned l = k >> order_.positions_;
    const unsigned strand_ = reduce_reversed_(l & ((1u << order_.strands_) - 1), order_.strands_);
    const unsigned warp_ = reduce_reversed_(l >> order_.strands_, order_.warps_);
    return ((warp_ * REDUCE_WARP + strand_) << order_.positions_) + position_;
}

/* The tree of each column: its cut, the order of the leaves of a chunk, and that of the chunks' strands. */
struct reduce_column_ {
    size_t n, chunk_, count_;
    unsigned stripe_, apart_[REDUCE_LEAVES_]; /* elements of the first leaves; UINT32_MAX if none */
    size_t away_[REDUCE_LEAVES_];             /* elements from the first leaf to these, in memory */
    struct reduce_order_ leaves_, chunks_;
};

REDUCE_BOTH_ struct reduce_column_ reduce_column_of_(size_t n, size_t element_size_) {
    const struct reduce_cut_ cut_ = reduce_cut_(n, element_size_);
    const int positions_ = REDUCE_POSITIONS(element_size_);
    const size_t strands_ = reduce_divide_up_(cut_.chunk_, (size_t)positions_);
    struct reduce_column_ column_;
    column_.n = n;
    column_.chunk_ = cut_.chunk_;
    column_.count_ = cut_.count_;
    column_.stripe_ = (unsigned)(REDUCE_STRANDS * positions_);
    column_.leaves_ = reduce_order_of_(REDUCE_MIN_(strands_, (size_t)REDUCE_STRANDS), positions_);
    column_.chunks_ = reduce_order_of_(REDUCE_MIN_(cut_.count_, (size_t)REDUCE_STRANDS), 1);
    for (unsigned k = 0; k < REDUCE_LEAVES_; k++) {
        const bool exists_ = k < 1u << reduce_order_bits_(column_.leaves_);
        column_.apart_[k] = exists_ ? reduce_leaf_(column_.leaves_, k) : UINT32_MAX;
        column_.away_[k] = exists_ ? column_.apart_[k] : 0;
    }
    return column_;
}

/* Levels of partial results at most: of the leaves of a chunk, and of the chunks' strands. */
#define REDUCE_LEVELS_ 14

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

/* Columns that the CPU reduces together. */
#define REDUCE_TILE_OF_COLUMNS_ ((size_t)64)

/* const T *NAME_cpu_map_row_(...): maps element k of each of some neighbouring columns into the buffer and
   returns it. The first of them is in[i]. */
#define REDUCE_CPU_MAP_ROW_(NAME)                                                                           \
    REDUCE_HOST_ const NAME##_result *NAME##_cpu_map_row_(NAME##_result *buffer_, NAME##_input_ in_,        \
                                                          size_t i, size_t k, size_t columns_) {            \
        for (size_t l = 0; l < columns_; l++) buffer_[l] = NAME##_cpu_operand_at_(in_, i + l, k);           \
        REDUCE_HIDE_VALUES_(buffer_);                                                                       \
        return buffer_;                                                                                     \
    }

/* The same operands, without a copy where elements are the operands. */
#define REDUCE_CPU_ROW_(NAME, buffer, in, i, k, columns)                                                    \
    (NAME##_is_mapped_ ? NAME##_cpu_map_row_(buffer, in, i, k, columns)                                     \
                       : (const NAME##_result *)(const void *)((in).in_ + (i)))

/* void NAME_cpu_leaf_(...): folds element k and every stripe-th element after it, before end, of each
   column into values. */
#define REDUCE_CPU_LEAF_(NAME)                                                                              \
    REDUCE_HOST_ void NAME##_cpu_leaf_(NAME##_result *values_, NAME##_input_ in_, size_t pitch_,            \
                                       size_t k, size_t end_, size_t stripe_, size_t columns_) {            \
        NAME##_result buffer_[REDUCE_TILE_OF_COLUMNS_];                                                     \
        if (k < end_)                                                                                       \
            NAME##_cpu_begin_(values_, REDUCE_CPU_ROW_(NAME, buffer_, in_, k * pitch_, k, columns_),        \
                              columns_);                                                                    \
        else                                                                                                \
            for (size_t l = 0; l < columns_; l++) values_[l] = NAME##_identity();                           \
        for (k += stripe_; k < end_; k += stripe_)                                                          \
            NAME##_cpu_onto_(values_, REDUCE_CPU_ROW_(NAME, buffer_, in_, k * pitch_, k, columns_),         \
                             columns_);                                                                     \
    }

/* void NAME_cpu_join_(...): joins the k-th value of each column, in the order of leaves, with the partial
   results of all levels that are full. After the last of 2^b values, values holds the result. */
#define REDUCE_CPU_JOIN_(NAME)                                                                              \
    REDUCE_HOST_ void NAME##_cpu_join_(NAME##_result *values_,                                              \
                                       NAME##_result (*levels_)[REDUCE_TILE_OF_COLUMNS_], size_t k,         \
                                       size_t columns_) {                                                   \
        int level_ = 0;                                                                                     \
        for (; k & 1; k >>= 1, level_++) {                                                                  \
            NAME##_cpu_onto_(levels_[level_], values_, columns_);                                           \
            memcpy(values_, levels_[level_], columns_ * sizeof *values_);                                   \
        }                                                                                                   \
        memcpy(levels_[level_], values_, columns_ * sizeof *values_);                                       \
    }

/* void NAME_cpu_columns_of_chunk_(...): values gets the results of the chunk from element begin on, of
   neighbouring columns. */
#define REDUCE_CPU_COLUMNS_OF_CHUNK_(NAME)                                                                  \
    REDUCE_HOST_ void NAME##_cpu_columns_of_chunk_(NAME##_result *values_, NAME##_input_ in_,               \
                                                   size_t pitch_, struct reduce_column_ column_,            \
                                                   size_t begin_, size_t columns_) {                        \
        NAME##_result levels_[REDUCE_LEVELS_][REDUCE_TILE_OF_COLUMNS_];                                     \
        const size_t end_ = begin_ + REDUCE_MIN_(column_.n - begin_, column_.chunk_);                       \
        const unsigned leaves_ = 1u << reduce_order_bits_(column_.leaves_);                                 \
        for (unsigned k = 0; k < leaves_; k++) {                                                            \
            const size_t first_ = begin_ + reduce_leaf_(column_.leaves_, k);                                \
            NAME##_cpu_leaf_(values_, in_, pitch_, first_, end_, column_.stripe_, columns_);                \
            NAME##_cpu_join_(values_, levels_, k, columns_);                                                \
        }                                                                                                   \
    }

/* void NAME_cpu_tile_(...): the results of neighbouring columns, at most a tile of them, from all chunks. */
#define REDUCE_CPU_TILE_(NAME)                                                                              \
    REDUCE_HOST_ void NAME##_cpu_tile_(NAME##_input_ in_, size_t pitch_, struct reduce_column_ column_,     \
                                       NAME##_result *out_, size_t columns_) {                              \
        NAME##_result levels_[REDUCE_LEVELS_][REDUCE_TILE_OF_COLUMNS_], values_[REDUCE_TILE_OF_COLUMNS_];   \
        NAME##_result strand_[REDUCE_TILE_OF_COLUMNS_];                                                     \
        const unsigned strands_ = 1u << reduce_order_bits_(column_.chunks_);                                \
        for (unsigned k = 0; k < strands_; k++) {                                                           \
            for (size_t l = 0; l < columns_; l++) strand_[l] = NAME##_identity();                           \
            for (size_t b = reduce_leaf_(column_.chunks_, k); b < column_.count_; b += REDUCE_STRANDS) {    \
                NAME##_cpu_columns_of_chunk_(values_, in_, pitch_, column_, b * column_.chunk_, columns_);  \
                NAME##_cpu_onto_(strand_, values_, columns_);                                               \
            }                                                                                               \
            NAME##_cpu_join_(strand_, levels_, k, columns_);                                                \
        }                                                                                                   \
        for (size_t l = 0; l < columns_; l++) out_[l] = NAME##_final_(strand_[l]);                          \
    }

/* void NAME_cpu_columns_(...): all columns, a tile at a time. */
#define REDUCE_CPU_COLUMNS_(NAME)                                                                           \
    REDUCE_HOST_ void NAME##_cpu_columns_(NAME##_input_ in_, size_t n, size_t columns_, size_t pitch_,      \
                                          NAME##_result *out_) {                                            \
        const struct reduce_column_ column_ = reduce_column_of_(n, NAME##_size_);                           \
        const ptrdiff_t tiles_ = (ptrdiff_t)reduce_divide_up_(columns_, REDUCE_TILE_OF_COLUMNS_);           \
        REDUCE_PARALLEL_FOR_                                                                                \
        for (ptrdiff_t k = 0; k < tiles_; k++) {                                                            \
            const size_t first_ = (size_t)k * REDUCE_TILE_OF_COLUMNS_;                                      \
            const size_t count_ = REDUCE_MIN_(columns_ - first_, REDUCE_TILE_OF_COLUMNS_);                  \
            NAME##_cpu_tile_(NAME##_input_at_(in_, first_), pitch_, column_, out_ + first_, count_);        \
        }                                                                                                   \
    }

/* void NAME_columns_cpu(const In *in, size_t n, size_t columns, size_t pitch, T *out) */
#define REDUCE_COLUMNS_CPU_(NAME, KIND)                                                                     \
    REDUCE_HOST_ void NAME##_columns_cpu(REDUCE_ARRAYS_##KIND(NAME), size_t n, size_t columns_,             \
                                         size_t pitch_ REDUCE_MORE_##KIND(NAME), NAME##_result *out_) {     \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        NAME##_cpu_columns_(input_, n, columns_, pitch_, out_);                                             \
    }

/* void NAME_axis_cpu(const In *in, size_t outer, size_t n, size_t inner, T *out) */
#define REDUCE_AXIS_CPU_(NAME, KIND)                                                                        \
    REDUCE_HOST_ void NAME##_axis_cpu(REDUCE_ARRAYS_##KIND(NAME), size_t outer_, size_t n,                  \
                                      size_t inner_ REDUCE_MORE_##KIND(NAME), NAME##_result *out_) {        \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        if (inner_ == 1) NAME##_cpu_rows_(input_, outer_, n, n, out_);                                      \
        for (size_t k = 0; k < outer_ && inner_ != 1; k++)                                                  \
            NAME##_cpu_columns_(NAME##_input_at_(input_, k * n * inner_), n, inner_, inner_,                \
                                out_ + k * inner_);                                                         \
    }

/* void NAME_segments_cpu(const In *in, const int64_t *offsets, size_t count, T *out) */
#define REDUCE_SEGMENTS_CPU_(NAME, KIND, segments, Offset)                                                  \
    REDUCE_HOST_ void NAME##_##segments##_cpu(REDUCE_ARRAYS_##KIND(NAME), const Offset *offsets_,           \
                                              size_t count_ REDUCE_MORE_##KIND(NAME),                       \
                                              NAME##_result *out_) {                                        \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        REDUCE_PARALLEL_FOR_                                                                                \
        for (ptrdiff_t k = 0; k < (ptrdiff_t)count_; k++) {                                                 \
            const Offset begin_ = offsets_[k], end_ = offsets_[k + 1];                                      \
            const size_t n = begin_ < end_ ? (size_t)(end_ - begin_) : 0;                                   \
            out_[k] = NAME##_cpu_of_(NAME##_input_at_(input_, n > 0 ? (size_t)begin_ : 0), n);              \
        }                                                                                                   \
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

/* Gives a variable any value: the simulator's compiler warns of variables without one. */
#ifdef __CUDA_ARCH__
#define REDUCE_ANYTHING_(x)
#else
#define REDUCE_ANYTHING_(x) memset((void *)&(x), 0, sizeof(x))
#endif

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
REDUCE_DEVICE_ void reduce_load_word_(unsigned *to_, const void *from_, bool is_there_) {
#ifdef __CUDA_ARCH__
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0; "
                 "mov.u32 %3, 0; @p ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "=&r"(to_[0]), "=&r"(to_[1]), "=&r"(to_[2]), "=&r"(to_[3])
                 : "l"(from_), "r"((unsigned)is_there_));
#else
    reduce_load_16_(to_, from_, is_there_);
#endif
}

/* REDUCE_LOAD_ONE_: loads element k into position p. REDUCE_SHIFTS_: words can be shifted. That needs one
   array, whose elements of a strand fill 16 bytes and never lie in two words. */
#define REDUCE_LOAD_ONE_ARRAY_(to, in, k, p) ((to)->x[p] = (in).in_[k])
#define REDUCE_LOAD_ONE_WITH_ REDUCE_LOAD_ONE_ARRAY_
#define REDUCE_LOAD_ONE_ZIP_(to, in, k, p) ((to)->x[p] = (in).in_[k], (to)->y[p] = (in).second_[k])
#define REDUCE_SHIFTS_ARRAY_(NAME)                                                                          \
    (NAME##_is_wide_ && REDUCE_ALIGNMENT_(NAME##_element) == sizeof(NAME##_element))
#define REDUCE_SHIFTS_WITH_ REDUCE_SHIFTS_ARRAY_
#define REDUCE_SHIFTS_ZIP_(NAME) 0

/* struct NAME_run_: `count` elements from in on, whose indices start with i. A load may also read `before`
   elements in front of them, and `after` elements behind. skew: by how many bytes they, and all their
   strands, begin behind a multiple of 16. struct NAME_words_: what was loaded for `count` elements of a
   strand: words to be shifted, or elements. */
#define REDUCE_RUN_TYPES_(NAME, KIND)                                                                       \
    enum { NAME##_shifts_ = REDUCE_SHIFTS_##KIND(NAME) };                                                   \
    struct NAME##_run_ {                                                                                    \
        NAME##_input_ in_;                                                                                  \
        size_t i;                                                                                           \
        unsigned count_, before_, after_, skew_;                                                            \
    };                                                                                                      \
    struct NAME##_words_ {                                                                                  \
        unsigned words_[8] __attribute__((__aligned__(16)));                                                \
        struct NAME##_loaded_ x;                                                                            \
        unsigned count_;                                                                                    \
        bool are_elsewhere_;                                                                                \
    };

/* struct NAME_run_ NAME_run_from_(...): the run of count elements from element i on; nothing else may be
   read. */
#define REDUCE_RUN_FROM_(NAME)                                                                              \
    REDUCE_DEVICE_ struct NAME##_run_ NAME##_run_from_(NAME##_input_ in_, size_t i, size_t count_) {        \
        const struct NAME##_run_ run_ = {NAME##_input_at_(in_, i), i, (unsigned)count_, 0, 0,               \
                                         (unsigned)((uintptr_t)(in_.in_ + i) % 16)};                        \
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
        if (is_misaligned_) reduce_load_word_(to_->words_, from_, are_here_);                               \
        if (is_misaligned_) reduce_load_word_(to_->words_ + 4, from_ + 16, are_here_ && has_two_);          \
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

/* void NAME_load_words_(...): loads what the run has of a strand's elements from k on, by either of the
   two. */
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

/* void NAME_add_words_(T *values, ...): adds a strand's elements from k on, loaded from an aligned run, to
   its accumulators. It loads now what NAME_load_two_ could not. */
#define REDUCE_ADD_WORDS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_add_words_(NAME##_result *values_, const struct NAME##_words_ *words_,       \
                                          const struct NAME##_run_ *run_, unsigned k) {                     \
        const size_t i = run_->i + k;                                                                       \
        struct NAME##_loaded_ word_;                                                                        \
        const struct NAME##_loaded_ *const x = NAME##_shifts_ ? &word_ : &words_->x;                        \
        if (words_->are_elsewhere_) {                                                                       \
            NAME##_add_few_(values_, NAME##_input_at_(run_->in_, k), words_->count_, i);                    \
            return;                                                                                         \
        }                                                                                                   \
        if (NAME##_shifts_) reduce_shift_words_(&word_, words_->words_, 0, NAME##_size_);                   \
        if (words_->count_ == NAME##_positions_)                                                            \
            NAME##_add_loaded_(values_, x, run_->in_, i);                                                   \
        else                                                                                                \
            NAME##_add_few_(values_, NAME##_loaded_at_(run_->in_, x), words_->count_, i);                   \
    }

/* void NAME_begin_strand_(...): all accumulators of a strand hold the identity. */
#define REDUCE_BEGIN_STRAND_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_begin_strand_(struct NAME##_strand_ *strand_) {                              \
        REDUCE_UNROLL_                                                                                      \
        for (int p = 0; p < NAME##_accumulators_; p++) strand_->values_[p] = NAME##_identity();             \
    }

/* Resident blocks of an SM that kernels ask for by __launch_bounds__ (measured): of blocks of
   REDUCE_STRANDS threads; of those that walk tall chunks; of blocks of REDUCE_ROW_THREADS_ whose warps
   work alone. Results of many words would spill. */
#define REDUCE_RESIDENT_BLOCKS_(NAME) (NAME##_at_once_ > 1 && NAME##_strand_bytes_ <= 32 ? 2 : 1)
#define REDUCE_RESIDENT_TALL_(NAME)                                                                         \
    ((NAME##_at_once_ > 1 && NAME##_positions_ <= 4 ? 2 : 1) + (REDUCE_ARCH_ >= 800))
#define REDUCE_RESIDENT_SMALL_(NAME) (NAME##_at_once_ == 1 ? 1 : NAME##_strand_bytes_ <= 16 ? 4 : 3)

/* NAME_at_once_: loads of a thread that are in flight together. */
#define REDUCE_AT_ONCE_(NAME)                                                                               \
    enum {                                                                                                  \
        NAME##_at_once_ =                                                                                   \
            sizeof(struct NAME##_loaded_) <= 32 && sizeof(NAME##_result) <= 32 ? (int)REDUCE_LOADS_ : 1     \
    };

/* void NAME_fold_strands_(T *x, ...): x[s] gets the fold of the accumulators of strand s, for each of
   `many` strands. */
#define REDUCE_FOLD_STRANDS_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_fold_strands_(NAME##_result *x, struct NAME##_strand_ *strands_, int many_) {\
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < many_; s++)                                                                     \
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

/* void NAME_fold_steps_(T *x, int half, int last): steps of a fold over lanes: first with the lane that is
   half apart, last with the one that is last apart. */
#define REDUCE_FOLD_STEPS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_fold_steps_(NAME##_result *x, int half_, int last_) {                        \
        for (; half_ >= last_; half_ /= 2) {                                                                \
            NAME##_result partner_ = *x;                                                                    \
            reduce_shuffle_(&partner_, sizeof partner_, 0, half_);                                          \
            *x = NAME##_combine(*x, partner_);                                                              \
        }                                                                                                   \
    }

/* void NAME_fold_each_(T *x, unsigned lane, int bits, int many): folds each of `many` values (1, 2 or 4)
   over groups of 2^bits lanes. The lanes share the work: with four values each quarter of the lanes folds
   one, and the first lane of a quarter has the result in x[0]. In groups of fewer lanes than values a lane
   has several results: reduce_held_by_ says which. */
#define REDUCE_FOLD_EACH_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_fold_each_(NAME##_result *x, unsigned lane_, int bits_, int many_) {         \
        REDUCE_UNROLL_                                                                                      \
        for (int left_ = NAME##_at_once_; left_ > 1; left_ /= 2) {                                          \
            if (left_ > many_ || bits_ == 0) continue;                                                      \
            bits_--;                                                                                        \
            REDUCE_UNROLL_                                                                                  \
            for (int s = 0; s < left_ / 2; s++)                                                             \
                x[s] = NAME##_exchange_(x[s], x[s + left_ / 2], (lane_ >> bits_ & 1) != 0, 1 << bits_);     \
        }                                                                                                   \
        NAME##_fold_steps_(x, 1 << bits_ >> 1, 1);                                                          \
    }

/* The results that a lane holds after NAME_fold_each_: `count` of them, from that of value `first` on.
   2^each neighbouring lanes hold the same. */
struct reduce_held_ { unsigned first_, count_; int each_; };

REDUCE_DEVICE_ struct reduce_held_ reduce_held_by_(unsigned lane_, int bits_, int many_) {
    const int shared_ = REDUCE_MIN_(bits_, many_ / 2); /* bits of a lane that say whose value it folds */
    const unsigned count_ = (unsigned)many_ >> shared_;
    const struct reduce_held_ held_ = {(lane_ >> (bits_ - shared_)) * count_, count_, bits_ - shared_};
    return held_;
}

/* ---- Runs of rows -----------------------------------------------------------------------------------------
 *
 * The plan of a launch, which every kernel of rows gets, and the run of an item.
 */

/* Rows of n elements, pitch apart, each cut into `count` chunks of `size` elements. Item r * count + c is
   chunk c of row r. regions: how many rows may have results of chunks in slots. span: items of a block, or
   its rows if these are short. */
struct reduce_rows_ {
    size_t rows_, items_, n, pitch_, size_;
    size_t all_;   /* elements that may be read if rows have no gaps, else 0 */
    unsigned count_, regions_, span_;
    int warp_bits_, bits_; /* 2^bits threads have a short row; or, staged, a tree's warp of it */
    bool is_staged_, is_wide_; /* short rows are copied to scratch; strands are read whole there */
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
        const size_t i = (item_ - row_ * rows_->count_) * rows_->size_;                                     \
        const size_t from_ = row_ * rows_->pitch_ + i, left_ = rows_->n - i;                                \
        const size_t count_ = item_ < rows_->items_ ? REDUCE_MIN_(left_, rows_->size_) : 0;                 \
        struct NAME##_run_ run_ = NAME##_run_from_(in_, from_, count_);                                     \
        run_.i = i;                                                                                         \
        if (count_ == 0 || !is_misaligned_) return run_;                                                    \
        run_.before_ = reduce_readable_(rows_->all_ > 0 ? from_ : i);                                       \
        run_.after_ = reduce_readable_((rows_->all_ > 0 ? rows_->all_ - from_ : left_) - count_);           \
        return run_;                                                                                        \
    }

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

/* struct NAME_range_: count elements from first on of an input in scratch, whose indices start with i.
   NAME_strand_bits_: a thread folds up to 2^strand_bits strands of a range. */
#define REDUCE_RANGE_IN_SCRATCH_(NAME)                                                                      \
    enum { NAME##_strand_bits_ = NAME##_positions_ <= 8 && sizeof(NAME##_result) <= 16 ? 3 : 2 };           \
    struct NAME##_range_ {                                                                                  \
        NAME##_input_ in_;                                                                                  \
        size_t i;                                                                                           \
        unsigned first_, count_;                                                                            \
        bool is_wide_; /* strands are read whole */                                                         \
    };

/* Copies 16 bytes from any address in shared memory, from a multiple of 16 if is_wide. It may read up to 3
   bytes beyond. */
REDUCE_DEVICE_ void reduce_read_16_(void *to_, const void *from_, bool is_wide_) {
#ifdef __CUDA_ARCH__
    const unsigned skew_ = (unsigned)((uintptr_t)from_ % 4);
    const unsigned *const words_ = (const unsigned *)(const void *)((const char *)from_ - skew_);
    unsigned x[4];
    REDUCE_UNROLL_
    for (int k = 0; k < 4 && !is_wide_; k++)
        x[k] = __funnelshift_r(words_[k], words_[k + 1], skew_ * 8);
    if (is_wide_) reduce_copy_wide_(x, from_, sizeof x);
    memcpy(to_, x, sizeof x);
#else
    (void)is_wide_;
    memcpy(to_, from_, 16);
#endif
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

/* T NAME_one_in_scratch_(...): the result of strand l of a range, which has an element at least. */
#define REDUCE_ONE_IN_SCRATCH_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_one_in_scratch_(const struct NAME##_range_ *range_, unsigned l,     \
                                                        unsigned far_) {                                    \
        const unsigned k = l * NAME##_positions_, left_ = range_->count_ - k;                               \
        const NAME##_input_ in_ = NAME##_strand_in_scratch_(range_, l);                                     \
        struct NAME##_loaded_ x;                                                                            \
        struct NAME##_strand_ strand_;                                                                      \
        NAME##_begin_strand_(&strand_);                                                                     \
        if (NAME##_positions_ > 1 && !range_->is_wide_ && left_ < NAME##_positions_) {                      \
            NAME##_add_few_(strand_.values_, in_, left_, range_->i + k);                                    \
        } else {                                                                                            \
            NAME##_read_strand_(&x, in_, range_->is_wide_);                                                 \
            NAME##_add_loaded_(strand_.values_, &x, in_, range_->i + k);                                    \
        }                                                                                                   \
        return (void)far_, NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                        \
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

/* Threads of a block (measured); bytes of rows in scratch for each thread; words of scratch. */
enum { REDUCE_SHORT_THREADS_ = REDUCE_ROW_THREADS_ < 128 ? REDUCE_ROW_THREADS_ : 128 };
enum { REDUCE_SCRATCH_BYTES_ = 16 * REDUCE_LOADS_ };
enum { REDUCE_SCRATCH_WORDS_ = REDUCE_IN_BANKS_(REDUCE_SHORT_THREADS_ * REDUCE_LOADS_ + 4) };

/* All threads of the block: copies neighbouring bytes to scratch, where they have the same skew, and
   returns where. It copies whole words, except at the beginning of the first block's bytes and at the end
   of the last block's. */
REDUCE_DEVICE_ const void *reduce_stage_(struct reduce_16_bytes_ *scratch_, const char *from_,
                                         unsigned bytes_, bool is_wide_) {
    const unsigned skew_ = (unsigned)((uintptr_t)from_ % 16), words_ = (skew_ + bytes_ + 15) / 16;
    const char *const first_ = from_ - skew_;
    const unsigned low_ = blockIdx.x == 0 && skew_ > 0;
    const unsigned high_ = words_ - (blockIdx.x + 1 == gridDim.x && (skew_ + bytes_) % 16 > 0);
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

/* All threads: copies rows that lie pitch bytes apart, each by loads of size bytes. In scratch they follow
   each other. */
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
                memcpy(__builtin_assume_aligned((char *)scratch_ + at_ + gaps_, size_), &x[s], size_);
        }
    }
}

/* All threads: copies count rows from row first on, by either of the two. size, aligned: of an element, in
   bytes. */
REDUCE_DEVICE_ const void *reduce_stage_rows_(struct reduce_16_bytes_ *scratch_, const void *in_,
                                              const struct reduce_rows_ *rows_, size_t first_,
                                              unsigned count_, size_t size_, unsigned aligned_) {
    const size_t pitch_ = rows_->pitch_ * size_, of_row_ = rows_->n * size_;
    const char *const from_ = (const char *)in_ + first_ * pitch_;
    const unsigned bytes_ = (unsigned)of_row_, all_ = (unsigned)((uintptr_t)in_ | pitch_ | of_row_);
    if (rows_->all_ > 0) return reduce_stage_(scratch_, from_, count_ * bytes_, rows_->is_wide_);
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
#define REDUCE_STAGE_ARRAY_(NAME)                                                                           \
    enum { NAME##_in_all_ = NAME##_size_ };                                                                 \
    REDUCE_DEVICE_ NAME##_input_ NAME##_stage_(struct reduce_16_bytes_ *scratch_, NAME##_input_ in_,        \
                                               const struct reduce_rows_ *rows_, size_t first_,             \
                                               unsigned count_) {                                           \
        in_.in_ = (const NAME##_element *)reduce_stage_rows_(                                               \
            scratch_, in_.in_, rows_, first_, count_, sizeof *in_.in_,                                      \
                REDUCE_LARGEST_LOAD_(NAME##_element));                                                      \
        return in_;                                                                                         \
    }
#define REDUCE_STAGE_WITH_ REDUCE_STAGE_ARRAY_
#define REDUCE_STAGE_ZIP_(NAME)                                                                             \
    enum { NAME##_in_all_ = sizeof(NAME##_first) + sizeof(NAME##_second) };                                 \
    REDUCE_DEVICE_ NAME##_input_ NAME##_stage_(struct reduce_16_bytes_ *scratch_, NAME##_input_ in_,        \
                                               const struct reduce_rows_ *rows_, size_t first_,             \
                                               unsigned count_) {                                           \
        struct reduce_16_bytes_ *const second_ = scratch_ + (count_ * rows_->n * sizeof *in_.in_ + 30) / 16;\
        in_.in_ = (const NAME##_first *)reduce_stage_rows_(scratch_, in_.in_, rows_, first_, count_,        \
                                                           sizeof *in_.in_,                                 \
                                                               REDUCE_LARGEST_LOAD_(NAME##_first));         \
        in_.second_ = (const NAME##_second *)reduce_stage_rows_(                                            \
            second_, in_.second_, rows_, first_, count_, sizeof *in_.second_,                               \
                REDUCE_LARGEST_LOAD_(NAME##_second));                                                       \
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
        const struct NAME##_range_ range_ = {in_, i, row_ * n + i, left_, is_wide_};                        \
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
        __shared__ struct reduce_16_bytes_ scratch_[REDUCE_SCRATCH_WORDS_];                                 \
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

/* A lane's rows: the first, the distance to the next, and how many rows there are from the first on. lane:
   its number among the 2^bits lanes of a row. */
struct reduce_short_place_ {
    size_t first_;
    unsigned apart_, left_, lane_;
    int warp_bits_, bits_; /* 2^bits lanes for each row in a load */
};

REDUCE_DEVICE_ struct reduce_short_place_ reduce_short_place_of_(const struct reduce_rows_ *rows_,
                                                                 unsigned at_once_) {
    const struct reduce_place_ at_ = reduce_place_in_row_();
    const size_t warp_ = ((size_t)at_.block_ * at_.threads_ + at_.thread_) / REDUCE_WARP;
    const int bits_ = REDUCE_MIN_(rows_->bits_, 5), warp_bits_ = rows_->bits_ - bits_;
    const unsigned apart_ = REDUCE_WARP >> bits_, lane_ = (unsigned)at_.lane_, most_ = apart_ * at_once_;
    const size_t first_ = warp_ * (most_ >> warp_bits_) + (lane_ >> bits_);
    const size_t left_ = rows_->rows_ - REDUCE_MIN_(first_, rows_->rows_);
    const struct reduce_short_place_ place_ = {first_, apart_, (unsigned)REDUCE_MIN_(left_, (size_t)most_),
                                         lane_ & ((1u << bits_) - 1), warp_bits_, bits_};
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
            NAME##_add_words_(strand_.values_, &words_[s], &runs_[s], k);                                   \
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

/* A warp's rows are neighbours, so that its stores are coalesced. */
#define REDUCE_SHORT_ROWS_KERNEL_(NAME)                                                                     \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_ROW_THREADS_)                                              \
        NAME##_short_rows_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                                 \
        const struct reduce_short_place_ place_ = reduce_short_place_of_(&rows_, NAME##_at_once_);          \
        struct NAME##_run_ runs_[NAME##_at_once_];                                                          \
        NAME##_result x[NAME##_at_once_];                                                                   \
        NAME##_runs_of_(runs_, in_, &rows_, place_);                                                        \
        NAME##_add_rows_(x, runs_, place_);                                                                 \
        NAME##_fold_each_(x, place_.lane_, place_.bits_, NAME##_at_once_);                                  \
        NAME##_write_rows_(x, place_, out_ + place_.first_);                                                \
        (void)ws_;                                                                                          \
    }

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
 */

/* NAME_many_: how many neighbouring tree's warps a warp walks together: their accumulators fill 64 bytes
   at most. NAME_more_: up to 128 bytes, for kernels with more registers (both measured).
   NAME_warp_elements_: elements of a tree's warp in a stripe. NAME_strand_bytes_: bytes of a strand's
   accumulators in registers. */
#define REDUCE_MANY_OF_(NAME, bytes)                                                                        \
    REDUCE_MIN_(REDUCE_POWER_((bytes) / NAME##_strand_bytes_),                                              \
                REDUCE_MIN_((int)REDUCE_WARPS_, (int)NAME##_at_once_))
#define REDUCE_MANY_(NAME)                                                                                  \
    enum {                                                                                                  \
        NAME##_strand_bytes_ =                                                                              \
            NAME##_accumulators_ * (sizeof(NAME##_result) < 4 ? 4 : sizeof(NAME##_result)),                 \
        NAME##_many_ = REDUCE_MANY_OF_(NAME, 64), NAME##_more_ = REDUCE_MANY_OF_(NAME, 128),                \
        NAME##_warp_elements_ = NAME##_positions_ * REDUCE_WARP                                             \
    };

/* Where load s of a burst begins, from the lane's first: many loads from each stripe. */
#define REDUCE_LOAD_AT_(NAME, s, many)                                                                      \
    ((s) % (many) * NAME##_warp_elements_ + (s) / (many) * REDUCE_STRIPE_(NAME##_size_))

/* struct NAME_walker_: what a lane needs to walk a run. in: begins with the word in which the run begins.
   Elements from first to before until have words that may be read whole. In lane 0 the first wraps seats
   have elements that are jump further, and mask has their bits; behind: how far the word behind lies.
   struct NAME_burst_: a lane's loads. */
#define REDUCE_WALKER_(NAME)                                                                                \
    struct NAME##_walker_ {                                                                                 \
        const struct NAME##_run_ *run_;                                                                     \
        NAME##_input_ in_;                                                                                  \
        unsigned ahead_, first_, until_, behind_, wraps_, jump_, mask_[4];                                  \
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
                                                           int many_, bool is_misaligned_) {                \
        const bool is_apart_ = NAME##_shifts_ && is_misaligned_;                                            \
        unsigned ahead_ = 0;                                                                                \
        if (is_apart_) ahead_ = run_->skew_ / (unsigned)NAME##_size_;                                       \
        struct NAME##_walker_ walker_ = {run_, run_->in_, ahead_, ahead_ > run_->before_, 0, 0, 0, 0, {0}}; \
        walker_.in_.in_ -= ahead_;                                                                          \
        walker_.until_ = NAME##_whole_until_(run_, ahead_);                                                 \
        walker_.jump_ = (unsigned)many_ * NAME##_warp_elements_;                                            \
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
        for (unsigned q = 0; q < NAME##_positions_; q++)                                                    \
            if (q >= first_ && q < end_ && k - walker_->ahead_ + q < walker_->run_->count_)                 \
                REDUCE_LOAD_ONE_##KIND(to_, from_, q, q);                                                   \
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
        const bool are_bytes_ = NAME##_adds_bytes_ && is_whole_;                                            \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned q = 0; q < NAME##_positions_; q += are_bytes_ ? 4 : 1) {                              \
            const unsigned at_ = k - walker_->ahead_ + q + (q < wraps_ ? walker_->jump_ : 0);               \
            if (are_bytes_)                                                                                 \
                reduce_add_bytes_(&values_[q / 4], (const char *)x + q, NAME##_are_signed_);                \
            else if (is_whole_ || at_ < walker_->run_->count_)                                              \
                NAME##_add_(values_, (int)q, NAME##_operand_at_(in_, q, walker_->run_->i + at_));           \
        }                                                                                                   \
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
            NAME##_add_seats_(strands_[s % many_].values_, &burst_->x[s], walker_, k + own_ + apart_,       \
                              has_behind_ ? walker_->wraps_ : 0, is_whole_);                                \
        }                                                                                                   \
    }

/* void NAME_add_burst_(...): both; all loads come before the first use. */
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
                                                   int lane_,                                               \
                                                   int many_) {                                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned q = 0; q + 1 < NAME##_accumulators_; q++) {                                           \
            const NAME##_result first_ = strands_[0].values_[q];                                            \
            if (q >= ahead_) break;                                                                         \
            REDUCE_UNROLL_                                                                                  \
            for (int s = 0; s < many_; s++) {                                                               \
                NAME##_result *const own_ = &strands_[s].values_[q];                                        \
                if (lane_ == 0) *own_ = s + 1 < many_ ? strands_[s + 1].values_[q] : first_;                \
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
   tree's warps. */
#define REDUCE_MOVE_ACCUMULATORS_(NAME)                                                                     \
    REDUCE_DEVICE_ void NAME##_move_accumulators_(struct NAME##_strand_ *strands_, unsigned ahead_,         \
                                                  int lane_,                                                \
                                                  int many_) {                                              \
        NAME##_move_between_lanes_(strands_, ahead_, lane_, many_);                                         \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < many_; s++) NAME##_move_in_strand_(&strands_[s], ahead_);                       \
    }

/* void NAME_add_bursts_(...): adds all bursts from element k on. */
#define REDUCE_ADD_BURSTS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_add_bursts_(struct NAME##_strand_ *strands_,                                 \
                                           const struct NAME##_walker_ *walker_, int lane_, unsigned k,     \
                                           int many_, int loads_, bool is_apart_) {                         \
        const unsigned warps_ = (unsigned)many_, at_once_ = (unsigned)loads_;                               \
        const unsigned stripe_ = REDUCE_STRIPE_(NAME##_size_), step_ = at_once_ / warps_ * stripe_;         \
        const unsigned own_ = (unsigned)(lane_ * NAME##_positions_);                                        \
        const unsigned end_ = step_ - stripe_ + walker_->jump_;                                             \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k < walker_->run_->count_; k += step_)                                                       \
            if (k >= walker_->first_ && k + end_ <= walker_->until_)                                        \
                NAME##_add_burst_(strands_, walker_, k, own_, warps_, at_once_, is_apart_, true);           \
            else                                                                                            \
                NAME##_add_burst_(strands_, walker_, k, own_, warps_, at_once_, is_apart_, false);          \
    }

/* void NAME_add_tree_warps_(...): all lanes of a warp call. Adds the elements of many tree's warps, from
   number first on, to the lanes' strands. loads: the loads of a burst: one of each tree's warp, then those
   of further stripes. */
#define REDUCE_ADD_TREE_WARPS_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_add_tree_warps_(struct NAME##_strand_ *strands_,                             \
                                               const struct NAME##_run_ *run_,                              \
                                               int lane_, unsigned first_, int many_, int loads_,           \
                                               bool is_misaligned_) {                                       \
        const struct NAME##_walker_ walker_ = NAME##_walker_of_(run_, lane_, many_, is_misaligned_);        \
        const bool is_apart_ = NAME##_shifts_ && is_misaligned_;                                            \
        NAME##_add_bursts_(strands_, &walker_, lane_, first_ * NAME##_warp_elements_, many_, loads_,        \
                           is_apart_);                                                                      \
        if (is_apart_ && !NAME##_is_exact_) NAME##_move_accumulators_(strands_, walker_.ahead_, lane_,      \
                                                                      many_);                               \
    }

/* ---- Misaligned runs, one by one --------------------------------------------------------------------------
 *
 * In a misaligned run of elements of 4 or 8 bytes, lane t of a warp loads the elements t, t + 32, ... of each
 * tree's warp one by one: neighbouring lanes load neighbours, so that loads are coalesced at any address.
 * Element 32 j + t is position t % V of strand 32 / V * j + t / V. So the low bits of t are a position's; the
 * strand's high bits are j's, and its low bits are the high bits of t. The fold takes the bits in this order.
 * Elements are scattered if they are walked like this.
 */

/* Loads an element of 4 or 8 bytes; zeros if it is not there. */
REDUCE_DEVICE_ void reduce_load_single_(void *to_, const void *from_, size_t size_, bool is_there_) {
#ifdef __CUDA_ARCH__
    unsigned long long long_ = 0;
    unsigned word_ = 0;
    if (size_ == 8)
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.u64 %0, 0; @p ld.global.cs.u64 %0, [%1]; }"
                     : "=&l"(long_)
                     : "l"(from_), "r"((unsigned)is_there_));
    else
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.u32 %0, 0; @p ld.global.cs.u32 %0, [%1]; }"
                     : "=&r"(word_)
                     : "l"(from_), "r"((unsigned)is_there_));
    if (size_ == 8) memcpy(to_, &long_, 8);
    if (size_ != 8) memcpy(to_, &word_, REDUCE_MIN_(size_, 4));
#else
    memset(to_, 0, size_);
    if (is_there_) memcpy(to_, from_, size_);
#endif
}

/* NAME_scatters_: misaligned runs are walked by single elements. struct NAME_scatter_: a lane's
   accumulators: those of the elements j of each of many tree's warps. */
#define REDUCE_SCATTER_(NAME)                                                                               \
    enum { NAME##_scatters_ = NAME##_shifts_ && (NAME##_positions_ == 2 || NAME##_positions_ == 4) };       \
    struct NAME##_scatter_ { NAME##_result values_[NAME##_at_once_ * NAME##_positions_]; };

/* void NAME_load_scatter_(...): a lane's loads of a burst, whose first is element k, as far as the run has
   elements. */
#define REDUCE_LOAD_SCATTER_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_load_scatter_(struct NAME##_loaded_ *x, const struct NAME##_run_ *run_,      \
                                             unsigned k, unsigned many_, unsigned loads_, bool is_whole_) { \
        const NAME##_input_ from_ = NAME##_input_at_(run_->in_, k);                                         \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < loads_; s++) {                                                             \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned j = 0; j < NAME##_positions_; j++) {                                              \
                const unsigned apart_ = REDUCE_LOAD_AT_(NAME, s, many_) + j * REDUCE_WARP;                  \
                reduce_load_single_((void *)&x[s].x[j], from_.in_ + apart_, sizeof x[s].x[j],               \
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
            for (unsigned j = 0; j < NAME##_positions_; j++) {                                              \
                const unsigned at_ = k + REDUCE_LOAD_AT_(NAME, s, many_) + j * REDUCE_WARP;                 \
                NAME##_result *const own_ = &to_->values_[s % many_ * NAME##_positions_ + j];               \
                if (is_whole_ || at_ < run_->count_)                                                        \
                    *own_ = NAME##_combine(*own_, NAME##_operand_at_(in_, j, run_->i + at_));               \
            }                                                                                               \
        }                                                                                                   \
    }

/* void NAME_add_scatter_(...): both; all loads come before the first use. */
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
   from element k on. */
#define REDUCE_WALK_SCATTER_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_walk_scatter_(struct NAME##_scatter_ *to_, const struct NAME##_run_ *run_,   \
                                             int lane_, unsigned k, int many_, int loads_) {                \
        const unsigned warps_ = (unsigned)many_, at_once_ = (unsigned)loads_, own_ = (unsigned)lane_;       \
        const unsigned stripe_ = REDUCE_STRIPE_(NAME##_size_), step_ = at_once_ / warps_ * stripe_;         \
        const unsigned end_ = step_ - stripe_ + warps_ * NAME##_warp_elements_;                             \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k < run_->count_; k += step_)                                                                \
            if (k + end_ <= run_->count_)                                                                   \
                NAME##_add_scatter_(to_, run_, k + own_, warps_, at_once_, true);                           \
            else                                                                                            \
                NAME##_add_scatter_(to_, run_, k + own_, warps_, at_once_, false);                          \
    }

/* void NAME_begin_scatter_(...): all accumulators of many tree's warps hold the identity. */
#define REDUCE_BEGIN_SCATTER_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_begin_scatter_(struct NAME##_scatter_ *scatter_, int many_) {                \
        REDUCE_UNROLL_                                                                                      \
        for (int v = 0; v < many_ * NAME##_positions_; v++) scatter_->values_[v] = NAME##_identity();       \
    }

/* void NAME_scattered_positions_(T *x, ...): all lanes of a warp call. Folds the positions of each strand;
   afterwards the low bits of a lane's number are j's. */
#define REDUCE_SCATTERED_POSITIONS_(NAME)                                                                   \
    REDUCE_DEVICE_ void NAME##_scattered_positions_(NAME##_result *x, struct NAME##_scatter_ *scatter_,     \
                                                    int lane_, int many_) {                                 \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < many_; s++) {                                                                   \
            NAME##_result *const own_ = scatter_->values_ + s * NAME##_positions_;                          \
            REDUCE_UNROLL_                                                                                  \
            for (int half_ = NAME##_positions_ / 2; half_ > 0; half_ /= 2) {                                \
                REDUCE_UNROLL_                                                                              \
                for (int j = 0; j < half_; j++)                                                             \
                    own_[j] = NAME##_exchange_(own_[j], own_[j + half_], (lane_ & half_) != 0, half_);      \
            }                                                                                               \
            x[s] = own_[0];                                                                                 \
        }                                                                                                   \
    }

/* How far apart lanes are in step b of the fold over strands, highest bit first. */
#define REDUCE_SCATTER_HALF_(NAME, b)                                                                       \
    ((int)NAME##_positions_ >> ((b) + 1) > 0 ? (int)NAME##_positions_ >> ((b) + 1)                          \
                                             : (int)NAME##_positions_ * REDUCE_WARP >> ((b) + 1))

/* int NAME_lane_of_scatter_(...): the lane that is left with the result of tree's warp s of many. */
#define REDUCE_LANE_OF_SCATTER_(NAME)                                                                       \
    REDUCE_DEVICE_ int NAME##_lane_of_scatter_(int s, int many_) {                                          \
        const int first_ = REDUCE_SCATTER_HALF_(NAME, 0), second_ = REDUCE_SCATTER_HALF_(NAME, 1);          \
        return many_ < 4 ? s * first_ : s / 2 * first_ + s % 2 * second_;                                   \
    }

/* void NAME_fold_scatter_(T *x, ...): all lanes of a warp call; leaves the results where NAME_fold_each_
   does. */
#define REDUCE_FOLD_SCATTER_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_fold_scatter_(NAME##_result *x, struct NAME##_scatter_ *scatter_, int lane_, \
                                             int many_) {                                                   \
        const int from_ = NAME##_lane_of_scatter_(lane_ / (REDUCE_WARP / many_), many_);                    \
        int left_ = many_;                                                                                  \
        NAME##_scattered_positions_(x, scatter_, lane_, many_);                                             \
        REDUCE_UNROLL_                                                                                      \
        for (int b = 0; b < 5; b++, left_ = left_ > 1 ? left_ / 2 : 1) {                                    \
            const int half_ = REDUCE_SCATTER_HALF_(NAME, b);                                                \
            if (left_ == 1) NAME##_fold_steps_(x, half_, half_);                                            \
            REDUCE_UNROLL_                                                                                  \
            for (int s = 0; s < left_ / 2; s++)                                                             \
                x[s] = NAME##_exchange_(x[s], x[s + left_ / 2], (lane_ & half_) != 0, half_);               \
        }                                                                                                   \
        reduce_shuffle_(x, sizeof *x, from_, 0);                                                            \
    }

/* void NAME_scatter_warps_(...): NAME_tree_warps_ for scattered elements. */
#define REDUCE_SCATTER_WARPS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_scatter_warps_(NAME##_result *x, const struct NAME##_run_ *run_, int lane_,  \
                                              unsigned first_, int many_, int loads_) {                     \
        struct NAME##_scatter_ scatter_;                                                                    \
        NAME##_begin_scatter_(&scatter_, many_);                                                            \
        NAME##_walk_scatter_(&scatter_, run_, lane_, first_ * NAME##_warp_elements_, many_, loads_);        \
        NAME##_fold_scatter_(x, &scatter_, lane_, many_);                                                   \
    }

/* void NAME_tree_warps_(T *x, ...): all lanes of a warp call. Reduces many tree's warps of a chunk, from
   number first on, and leaves the results where NAME_fold_each_ does. */
#define REDUCE_TREE_WARPS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_tree_warps_(NAME##_result *x, const struct NAME##_run_ *run_, int lane_,     \
                                           unsigned first_, int many_, int loads_, bool is_misaligned_,     \
                                           bool scatters_) {                                                \
        struct NAME##_strand_ strands_[NAME##_at_once_];                                                    \
        if (is_misaligned_ && scatters_ && NAME##_scatters_) {                                              \
            NAME##_scatter_warps_(x, run_, lane_, first_, many_, loads_);                                   \
            return;                                                                                         \
        }                                                                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < many_; s++) NAME##_begin_strand_(&strands_[s]);                                 \
        NAME##_add_tree_warps_(strands_, run_, lane_, first_, many_, loads_, is_misaligned_);               \
        NAME##_fold_strands_(x, strands_, many_);                                                           \
        NAME##_fold_each_(x, (unsigned)lane_, 5, many_);                                                    \
    }

/* void NAME_tree_warps_to_scratch_(...): the same; scratch[w] gets the result of tree's warp w. */
#define REDUCE_TREE_WARPS_TO_SCRATCH_(NAME)                                                                 \
    REDUCE_DEVICE_ void NAME##_tree_warps_to_scratch_(const struct NAME##_run_ *run_, int lane_,            \
                                                      unsigned first_,                                      \
                                                      int many_, bool is_misaligned_,                       \
                                                      NAME##_result *scratch_) {                            \
        const int each_ = REDUCE_WARP / many_;                                                              \
        NAME##_result x[NAME##_at_once_];                                                                   \
        NAME##_tree_warps_(x, run_, lane_, first_, many_, NAME##_at_once_, is_misaligned_, true);           \
        if (lane_ % each_ == 0) scratch_[first_ + (unsigned)(lane_ / each_)] = x[0];                        \
    }

/* T NAME_by_warp_(...): all lanes of a warp reduce a chunk, many tree's warps at a time. Lane w keeps the
   result of tree's warp w; lane 0 gets the chunk's. */
#define REDUCE_BY_WARP_(NAME)                                                                               \
    REDUCE_DEVICE_ NAME##_result NAME##_by_warp_(const struct NAME##_run_ *run_, int many_,                 \
                                                 int loads_, bool is_misaligned_, bool scatters_) {         \
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const int from_ = at_.lane_ % many_ * (REDUCE_WARP / many_);                                        \
        NAME##_result own_ = NAME##_identity(), x[NAME##_at_once_];                                         \
        REDUCE_NO_UNROLL_                                                                                   \
        for (int w = 0; w < REDUCE_WARPS_ && (unsigned)(w * NAME##_warp_elements_) < run_->count_;          \
             w += many_) {                                                                                  \
            NAME##_tree_warps_(x, run_, at_.lane_, (unsigned)w, many_, loads_, is_misaligned_, scatters_);  \
            reduce_shuffle_(x, sizeof *x, from_, 0);                                                        \
            if (at_.lane_ / many_ == w / many_) own_ = x[0];                                                \
        }                                                                                                   \
        return NAME##_fold_(own_, at_, REDUCE_WARPS_);                                                      \
    }

/* ---- Chunks that meet -------------------------------------------------------------------------------------
 *
 * Results of chunks that several blocks reduce meet in slots. A row in flight has a region of slots. Rows
 * take turns in the regions: row r has region r % regions in turn r / regions. A slot's tag is 2t + 1 when it
 * is full in turn t, and 2t + 2 when it is free for turn t + 1. So a block waits for the collector of an
 * earlier row. That is an earlier block, because a block's chunks belong to fewer rows than there are
 * regions.
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
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
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
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const size_t row_ = ((size_t)at_.block_ * at_.threads_ + at_.thread_) / REDUCE_WARP;                \
        const struct NAME##_run_ run_ = NAME##_run_of_(in_, &rows_, row_, is_misaligned);                   \
        const bool scatters_ = NAME##_positions_ < 4; /* else words are faster: accumulators move once */   \
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
   row, and with them all chunks of a strand, which it adds to scratch in order. */
#define REDUCE_ROW_TO_SCRATCH_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_row_to_scratch_(NAME##_result *scratch_, NAME##_input_ in_,                  \
                                               const struct reduce_rows_ *rows_, struct reduce_place_ at_,  \
                                               bool is_misaligned_) {                                       \
        const unsigned warps_ = at_.threads_ / REDUCE_WARP;                                                 \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = at_.thread_ / REDUCE_WARP; k < rows_->count_; k += warps_) {                      \
            const size_t item_ = (size_t)at_.block_ * rows_->count_ + k;                                    \
            const struct NAME##_run_ run_ = NAME##_run_of_(in_, rows_, item_, is_misaligned_);              \
            const NAME##_result x =                                                                         \
                NAME##_by_warp_(&run_, NAME##_many_, NAME##_at_once_, is_misaligned_, true);                \
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
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
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
        struct NAME##_chunk_ chunk_ = {run_->in_, run_->i, run_->count_, 0};                                \
        if (NAME##_is_aligned_(run_->in_))                                                                  \
            chunk_.wide_ = run_->count_ / NAME##_positions_ * NAME##_positions_;                            \
        REDUCE_COMPUTE_ONCE_(chunk_.wide_);                                                                 \
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
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const struct NAME##_run_ run_ = NAME##_run_of_(in_, rows_, item_, is_misaligned_);                  \
        const unsigned warp_ = at_.thread_ / REDUCE_WARP;                                                   \
        if (is_misaligned_) {                                                                               \
            NAME##_tree_warps_to_scratch_(&run_, at_.lane_, warp_, 1, true, scratch_);                      \
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
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const unsigned warp_ = at_.thread_ / REDUCE_WARP, step_ = REDUCE_WARPS_ / REDUCE_WARPS_OF_LOW_;     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = warp_ / REDUCE_WARPS_OF_LOW_; k < count_; k += step_) {                           \
            const struct NAME##_run_ run_ = NAME##_run_of_(in_, rows_, first_ + k, is_misaligned_);         \
            REDUCE_NO_UNROLL_                                                                               \
            for (unsigned w = warp_ % REDUCE_WARPS_OF_LOW_ * NAME##_many_; w < REDUCE_WARPS_;               \
                 w += REDUCE_WARPS_OF_LOW_ * NAME##_many_)                                                  \
                NAME##_tree_warps_to_scratch_(&run_, at_.lane_, w, NAME##_many_, is_misaligned_,            \
                                              scratch_[k]);                                                 \
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
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const unsigned k = at_.thread_ / REDUCE_WARPS_, warp_ = at_.thread_ % REDUCE_WARPS_;                \
        NAME##_result x = NAME##_identity();                                                                \
        if (k < count_) x = scratch_[k][warp_];                                                             \
        x = NAME##_fold_(x, at_, REDUCE_WARPS_);                                                            \
        if (warp_ == 0 && k < count_) NAME##_deliver_(x, rows_, first_ + k, ws_, out_);                     \
    }

/* The kernel, for low and for tall chunks. */
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

/* ---- Rows of one element ------------------------------------------------------------------------------- */

/* void NAME_write_neighbours_(...): one thread writes count of most results, by stores of 16 bytes if it
   has all. */
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
        NAME##_result x[NAME##_positions_] __attribute__((__aligned__(16)));                                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            if (p < count_)                                                                                 \
                x[p] = NAME##_final_(NAME##_combine(NAME##_identity(), NAME##_operand_at_(in_, p, 0)));     \
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

/* The kernel, for rows without gaps. */
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
 * 2^bits lanes of a warp have a row, with one load each, or one load for each of up to four tree's warps; or
 * a block has a row of at most a stripe, or a chunk.
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

/* T NAME_strand_of_row_(...): the result of a strand that was loaded, whose indices start with i. */
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
        enum { step_ = NAME##_positions_, strands_ = NAME##_tiny_ > 0 ? NAME##_tiny_ / step_ : 1 };         \
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

/* The kernel in which each thread has a row. */
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
        NAME##_result x[NAME##_positions_] __attribute__((__aligned__(16)));                                \
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

/* The kernel in which each thread has a word, for rows without gaps whose length is a power of two. */
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

/* T NAME_loads_of_row_(...): all lanes of a warp call. Load s is of the lane's strand in tree's warp s; i:
   its first element. The first of 2^bits lanes gets the row's result. */
#define REDUCE_LOADS_OF_ROW_(NAME)                                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_loads_of_row_(NAME##_input_ in_, unsigned i, unsigned left_,        \
                                                      int bits_, int loads_, bool are_words_) {             \
        struct NAME##_loaded_ x[NAME##_at_once_];                                                           \
        NAME##_result of_warp_[NAME##_at_once_];                                                            \
        REDUCE_ANYTHING_(x);                                                                                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0, k = 0; s < (unsigned)loads_; s++, k += NAME##_warp_elements_)                  \
            NAME##_load_strand_(&x[s], NAME##_input_at_(in_, k), k < left_ ? left_ - k : 0, are_words_);    \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0, k = 0; s < (unsigned)loads_; s++, k += NAME##_warp_elements_)                  \
            of_warp_[s] = NAME##_strand_of_row_(&x[s], in_, k < left_ ? left_ - k : 0, i + k, are_words_);  \
        return NAME##_fold_loads_(of_warp_, bits_, loads_);                                                 \
    }

/* T NAME_fold_loads_(T *x, ...): folds one value over 2^bits lanes, or several values over a warp and then
   together. */
#define REDUCE_FOLD_LOADS_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_loads_(NAME##_result *x, int bits_, int loads_) {              \
        if (loads_ > 1) {                                                                                   \
            NAME##_fold_each_(x, threadIdx.x % REDUCE_WARP, 5, loads_);                                     \
            NAME##_fold_steps_(x, REDUCE_WARP / 2, REDUCE_WARP / loads_);                                   \
            return x[0];                                                                                    \
        }                                                                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (int half_ = REDUCE_WARP / 2; half_ > 0; half_ /= 2)                                            \
            if (half_ >> bits_ == 0) NAME##_fold_steps_(x, half_, half_);                                   \
        return x[0];                                                                                        \
    }

/* The kernel in which some lanes have a row. Numbers of elements and threads fit in 32 bits. */
#define REDUCE_LANE_ROWS_KERNEL_(NAME, some, loads, aligned, are_words)                                     \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_ROW_THREADS_)                                              \
        NAME##_##some##_rows_##aligned##_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                  \
        const int bits_ = (loads) > 1 ? 5 : rows_.bits_;                                                    \
        const unsigned own_ = (unsigned)reduce_own_number_(), lane_ = own_ & ((1u << bits_) - 1);           \
        const unsigned row_ = own_ >> bits_, i = lane_ * NAME##_positions_;                                 \
        const bool is_there_ = row_ < (unsigned)rows_.rows_;                                                \
        const unsigned left_ = is_there_ && i < (unsigned)rows_.n ? (unsigned)rows_.n - i : 0;              \
        in_ = NAME##_input_at_(in_, row_ * (unsigned)rows_.pitch_ + i);                                     \
        const NAME##_result x = NAME##_loads_of_row_(in_, i, left_, bits_, loads, are_words);               \
        (void)ws_;                                                                                          \
        if (lane_ == 0 && is_there_) out_[row_] = NAME##_final_(x);                                         \
    }

/* The kernel in which a block has a row of at most a stripe, and each thread a strand. */
#define REDUCE_STRIPE_ROWS_KERNEL_(NAME, aligned, are_words)                                                \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS)                                                   \
        NAME##_stripe_rows_##aligned##_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                    \
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
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

/* The kernel in which a block has a chunk, as in NAME_async: block x of row y. Each row has its own slots. */
#define REDUCE_GRID_ROWS_KERNEL_(NAME)                                                                      \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, REDUCE_BLOCKS_(NAME))                             \
        NAME##_grid_rows_(REDUCE_ROWS_PARAMETERS_(NAME)) {                                                  \
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const unsigned size_ = (unsigned)rows_.size_, missing_ = at_.blocks_ * size_ - (unsigned)rows_.n;   \
        in_ = NAME##_input_at_(in_, blockIdx.y * rows_.pitch_);                                             \
        NAME##_result x = NAME##_walk_(NAME##_chunk_of_(in_, at_, size_, missing_, 0), at_);                \
        reduce_slot_ *slots_ = ws_->slots_ + blockIdx.y * at_.blocks_;                                      \
        x = NAME##_first_of_block_(x, at_);                                                                 \
        if (at_.block_ + 1 < at_.blocks_) {                                                                 \
            if (at_.thread_ == 0) NAME##_publish_(x, at_, slots_);                                          \
            return;                                                                                         \
        }                                                                                                   \
        if (at_.block_ > 0) x = NAME##_first_of_block_(NAME##_collect_(x, at_, at_.block_, slots_), at_);   \
        if (at_.thread_ == 0) out_[blockIdx.y] = NAME##_final_(x);                                          \
    }

/* ---- Columns ----------------------------------------------------------------------------------------------
 *
 * A tile is neighbouring columns of one outer index: `across` threads have `width` columns each. A block has
 * some tiles, and one of 2^splits parts of their leaves. Each of the block's 2^down rows of threads has an
 * equal part of that. In the end rows of threads fold by halves; if there are splits, collectors fold those.
 *
 * A cell is one element in one of a thread's columns. Columns are wide if one load takes all cells of a
 * thread in a row of the matrix, and narrow if each cell needs a load. They are full if, besides, no leaf,
 * stripe or column is missing.
 */

enum { REDUCE_COLUMN_THREADS_ = 256 }; /* threads of a block at most (measured) */

/* Resident blocks of an SM that each columns' kernel asks for (measured). */
#define REDUCE_BLOCKS_BY_wide_(NAME) 2
#define REDUCE_BLOCKS_BY_narrow_(NAME) 2
#define REDUCE_BLOCKS_BY_flat_(NAME) 2

/* Levels of partial results of a thread's leaves that lie in shared memory, which is faster than the
   thread's local memory: up to REDUCE_LEVELS_HERE_ (measured), as far as they fit 48 KiB beside a row of
   results for each row of threads. */
#define REDUCE_LEVELS_HERE_ 4
#define REDUCE_LEVELS_OF_(bytes) REDUCE_MIN_(REDUCE_LEVELS_HERE_, 49152 / (bytes) - 1)

/* REDUCE_WIDTH_OF_: columns of a thread: as many as fill 16 bytes of elements and of results; one where no
   load has their bytes. */
#define REDUCE_WIDTH_OF_(size)                                                                              \
    (((size) & ((size) - 1)) != 0 || (size) > 16 ? 1 : (size) == 1 ? 8 : 16 / (size))
#define REDUCE_MOST_WIDTH_ARRAY_(width) (width)
#define REDUCE_MOST_WIDTH_WITH_(width) (width)
#define REDUCE_MOST_WIDTH_ZIP_(width) 1

/* REDUCE_TOGETHER_: leaves that a thread walks together: 128 bytes of loads in flight, and at most 256
   bytes of accumulators (measured). REDUCE_POWER_: the power of two up to k, at most REDUCE_LEAVES_. */
#define REDUCE_POWER_(k) ((k) >= REDUCE_LEAVES_ ? REDUCE_LEAVES_ : (k) >= 4 ? 4 : (k) >= 2 ? 2 : 1)
#define REDUCE_TOGETHER_(bytes, width, size)                                                                \
    REDUCE_POWER_(REDUCE_MIN_(128 / (bytes), 256 / ((width) * ((size) < 4 ? 4 : (size)))))

#define REDUCE_FLAT_END_ 0x7fffffffu /* elements of a chunk of all flat columns, at most */

/* NAME_words_: words of a thread in each stripe of flat columns. NAME_is_flat_: accumulators of a word fit
   64 bytes, so that columns may be flat. NAME_scratch_of_way_: results in the shared memory of each
   kernel, by `width`. */
#define REDUCE_COLUMNS_LAYOUT_(NAME, KIND)                                                                  \
    enum {                                                                                                  \
        NAME##_width_ = REDUCE_MOST_WIDTH_##KIND(REDUCE_MIN_(REDUCE_WIDTH_OF_(NAME##_size_),                \
                                                             REDUCE_WIDTH_OF_(sizeof(NAME##_result)))),     \
        NAME##_load_bytes_ = NAME##_size_ * NAME##_width_,                                                  \
        NAME##_together_ = REDUCE_TOGETHER_(NAME##_load_bytes_, NAME##_width_, sizeof(NAME##_result)),      \
        NAME##_is_flat_ = NAME##_positions_ * sizeof(NAME##_result) <= 64,                                  \
        NAME##_words_ = NAME##_positions_ * sizeof(NAME##_result) <= 32 ? 4 : 2,                            \
        NAME##_levels_ =                                                                                    \
            REDUCE_LEVELS_OF_(REDUCE_COLUMN_THREADS_ * NAME##_width_ * (int)sizeof(NAME##_result)),         \
        NAME##_scratch_of_wide_ = REDUCE_COLUMN_THREADS_ * (1 + NAME##_levels_),                            \
        NAME##_scratch_of_narrow_ = NAME##_scratch_of_wide_,                                                \
        NAME##_scratch_of_flat_ =                                                                           \
            NAME##_is_flat_ ? REDUCE_COLUMN_THREADS_ * NAME##_words_ * NAME##_positions_ / NAME##_width_ : 1\
    };

/* The columns of one launch. Neighbouring blocks have the same split of neighbouring tiles. is_flat: one
   tile of a block has all columns. Blocks from number `blocks` on are collectors; each of their threads
   folds 2^each splits. */
struct reduce_columns_ {
    struct reduce_column_ tree_;
    size_t outer_, columns_, pitch_, outer_pitch_;
    size_t tiles_, first_; /* tiles of one outer index; the launch's first tile */
    unsigned across_, tile_, tiles_of_block_, blocks_;
    int down_, splits_, each_;
    bool is_wide_, is_flat_; /* all addresses suit loads of width columns; columns are flat */
    int few_;                /* leaves of a column, if a thread walks all of them together; or 0 */
};

/* The split of the calling block. */
REDUCE_DEVICE_ unsigned reduce_own_split_(const struct reduce_columns_ *columns_) {
    return columns_->splits_ == 0 ? 0 : blockIdx.x / (columns_->blocks_ >> columns_->splits_);
}

/* A part: `leaves` leaves from number leaf on, in `chunks` strands of chunks from number chunk on. */
struct reduce_part_ { unsigned chunk_, chunks_, leaf_, leaves_; };

/* Part k of 2^bits parts: chunks are parted first, then leaves. */
REDUCE_BOTH_ struct reduce_part_ reduce_part_of_(const struct reduce_column_ *tree_, unsigned k, int bits_) {
    const int chunk_bits_ = reduce_order_bits_(tree_->chunks_);
    const int leaf_bits_ = reduce_order_bits_(tree_->leaves_);
    const int of_chunks_ = REDUCE_MIN_(bits_, chunk_bits_), of_leaves_ = leaf_bits_ - (bits_ - of_chunks_);
    struct reduce_part_ part_;
    part_.chunks_ = 1u << (chunk_bits_ - of_chunks_);
    part_.chunk_ = (k >> (bits_ - of_chunks_)) * part_.chunks_;
    part_.leaves_ = 1u << of_leaves_;
    part_.leaf_ = (k & ((1u << (bits_ - of_chunks_)) - 1)) * part_.leaves_;
    return part_;
}

/* struct NAME_columns_here_: a thread's columns: `count` of them, apart from each other. own: the first,
   counted from in; result: the index of its result. Another block writes the results of the first skip
   columns of the tile. scratch: the block's, with a row of results for each row of threads and for each of
   `levels` levels. rows: how many rows of threads; row: threads in each. */
#define REDUCE_COLUMNS_HERE_(NAME)                                                                          \
    struct NAME##_columns_here_ {                                                                           \
        NAME##_input_ in_;                                                                                  \
        size_t pitch_, result_;                                                                             \
        unsigned own_, apart_, count_;                                                                      \
        bool is_wide_; /* one load takes all cells, or there are no columns */                              \
        NAME##_result (*scratch_)[NAME##_width_];                                                           \
        unsigned rows_, row_, skip_, levels_;                                                               \
        bool is_full_; /* all columns exist, loads are wide, and elements have less than 4 bytes */         \
        bool loads_;   /* true, but not as a constant: see NAME_load_cells_ */                              \
    };

/* struct NAME_cells_: the cells of a thread in one row of the matrix. NAME_cells_at_: these as an input. */
#define REDUCE_CELLS_ARRAY_(NAME)                                                                           \
    struct NAME##_cells_ { NAME##_element x[NAME##_width_]; };                                              \
    REDUCE_DEVICE_ NAME##_input_ NAME##_cells_at_(NAME##_input_ in_, const struct NAME##_cells_ *cells_) {  \
        in_.in_ = cells_->x;                                                                                \
        return in_;                                                                                         \
    }
#define REDUCE_CELLS_WITH_ REDUCE_CELLS_ARRAY_
#define REDUCE_CELLS_ZIP_(NAME)                                                                             \
    struct NAME##_cells_ {                                                                                  \
        NAME##_first x[1];                                                                                  \
        NAME##_second y[1];                                                                                 \
    };                                                                                                      \
    REDUCE_DEVICE_ NAME##_input_ NAME##_cells_at_(NAME##_input_ in_, const struct NAME##_cells_ *cells_) {  \
        in_.in_ = cells_->x, in_.second_ = cells_->y;                                                       \
        return in_;                                                                                         \
    }

/* void NAME_load_cell_(...): loads in[at] as cell l, under a predicate if a load has its bytes.
   NAME_cell_bytes_: the bytes of that load; 0 if there is none. */
#define REDUCE_LOAD_CELL_ARRAY_(NAME)                                                                       \
    enum {                                                                                                  \
        NAME##_cell_bytes_ =                                                                                \
            __alignof__(NAME##_element) < sizeof(NAME##_element) ? 0 : REDUCE_LOAD_BYTES_(NAME##_size_)     \
    };                                                                                                      \
    REDUCE_DEVICE_ void NAME##_load_cell_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,           \
                                          unsigned l, bool is_there_) {                                     \
        NAME##_element own_; /* without it, nvcc keeps x in memory */                                       \
        REDUCE_ANYTHING_(own_);                                                                             \
        if (NAME##_cell_bytes_ > 0)                                                                         \
            reduce_load_part_(&own_, in_.in_ + at_, NAME##_cell_bytes_, is_there_);                         \
        else if (is_there_)                                                                                 \
            own_ = in_.in_[at_];                                                                            \
        x->x[l] = own_;                                                                                     \
    }
#define REDUCE_LOAD_CELL_WITH_ REDUCE_LOAD_CELL_ARRAY_
#define REDUCE_LOAD_CELL_ZIP_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_load_cell_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,           \
                                          unsigned l, bool is_there_) {                                     \
        if (is_there_) REDUCE_LOAD_ONE_ZIP_(x, in_, at_, l);                                                \
    }

/* void NAME_load_all_cells_(...): loads all cells of a row by one load. Inputs of two arrays have one
   column a thread. */
#define REDUCE_LOAD_ALL_CELLS_ARRAY_(NAME)                                                                  \
    REDUCE_DEVICE_ void NAME##_load_all_cells_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,      \
                                               bool is_there_) {                                            \
        reduce_load_part_(x->x, in_.in_ + at_, NAME##_load_bytes_, is_there_);                              \
    }
#define REDUCE_LOAD_ALL_CELLS_WITH_ REDUCE_LOAD_ALL_CELLS_ARRAY_
#define REDUCE_LOAD_ALL_CELLS_ZIP_(NAME)                                                                    \
    REDUCE_DEVICE_ void NAME##_load_all_cells_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,      \
                                               bool is_there_) {                                            \
        NAME##_load_cell_(x, in_, at_, 0, is_there_);                                                       \
    }

/* void NAME_load_cells_(...): loads the cells of a row; the first is in[at]. `loads` gives loads of more
   than 4 bytes predicates of their own. Where sums share them, nvcc runs out of predicates and loads late. */
#define REDUCE_LOAD_CELLS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_load_cells_(struct NAME##_cells_ *x, NAME##_input_ in_, size_t at_,          \
                                           const struct NAME##_columns_here_ *here_, bool is_there_,        \
                                           bool is_wide_) {                                                 \
        const bool loads_ = NAME##_size_ <= 4 || here_->loads_;                                             \
        if (is_wide_) {                                                                                     \
            NAME##_load_all_cells_(x, in_, at_, is_there_ && loads_ && here_->count_ > 0);                  \
        } else {                                                                                            \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned l = 0; l < NAME##_width_; l++)                                                    \
                NAME##_load_cell_(x, in_, at_ + l * here_->apart_, l,                                       \
                                  is_there_ && loads_ && l < here_->count_);                                \
        }                                                                                                   \
    }

/* void NAME_add_full_(...): adds a stripe's elements of leaves to their values, by wide loads without
   predicates. It is for elements of less than 4 bytes, whose instructions take longer than their loads.
   For others, and for narrow columns, nvcc would spread such loads among the sums, so that fewer are in
   flight. */
#define REDUCE_ADD_FULL_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_full_(NAME##_result (*values_)[NAME##_width_], NAME##_input_ in_,        \
                                         const struct reduce_column_ *tree_, size_t i, int together_) {     \
        struct NAME##_cells_ x[NAME##_together_];                                                           \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_; l++)                                                                 \
            NAME##_load_all_cells_(&x[l], in_, tree_->away_[l], true);                                      \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_; l++)                                                                 \
            NAME##_add_cells_(values_[l], &x[l], in_, i + tree_->apart_[l], NAME##_width_);                 \
    }

/* void NAME_add_leaves_(...): adds a stripe's elements of leaves to their values: for leaf l the element
   apart[l] rows from in on, if fewer than `left` rows lie before it. All loads come before the first use. */
#define REDUCE_ADD_LEAVES_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_add_leaves_(NAME##_result (*values_)[NAME##_width_],                         \
                                           const struct NAME##_columns_here_ *here_, NAME##_input_ in_,     \
                                           const struct reduce_column_ *tree_, size_t i, unsigned left_,    \
                                           int together_, bool is_wide_) {                                  \
        struct NAME##_cells_ x[NAME##_together_];                                                           \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_; l++)                                                                 \
            NAME##_load_cells_(&x[l], in_, tree_->away_[l], here_, tree_->apart_[l] < left_, is_wide_);     \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_; l++)                                                                 \
            if (tree_->apart_[l] < left_)                                                                   \
                NAME##_add_cells_(values_[l], &x[l], in_, i + tree_->apart_[l],                             \
                                  is_wide_ ? (unsigned)NAME##_width_ : here_->count_);                      \
    }

/* void NAME_add_cells_(T *values, ...): adds loaded cells, element i of count columns, to the columns'
   values. */
#define REDUCE_ADD_CELLS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_add_cells_(NAME##_result *values_, const struct NAME##_cells_ *x,            \
                                          NAME##_input_ in_, size_t i, unsigned count_) {                   \
        const struct NAME##_cells_ own_ = *x;                                                               \
        in_ = NAME##_cells_at_(in_, &own_);                                                                 \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++)                                                        \
            if (l < count_) values_[l] = NAME##_combine(values_[l], NAME##_operand_at_(in_, l, i));         \
    }

/* For each of a thread's columns: NAME_onto_ sets x = combine(x, y), NAME_identities_ x = identity,
   NAME_copy_columns_ x = y. */
#define REDUCE_ONTO_(NAME)                                                                                  \
    REDUCE_DEVICE_ void NAME##_onto_(NAME##_result *x, const NAME##_result *y) {                            \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < NAME##_width_; l++) x[l] = NAME##_combine(x[l], y[l]);                          \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_identities_(NAME##_result *x) {                                              \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < NAME##_width_; l++) x[l] = NAME##_identity();                                   \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_copy_columns_(NAME##_result *x, const NAME##_result *y) {                    \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < NAME##_width_; l++) x[l] = y[l];                                                \
    }

/* void NAME_after_(T *x, const T *earlier): x = combine(earlier, x), for each of a thread's columns. */
#define REDUCE_AFTER_(NAME)                                                                                 \
    REDUCE_DEVICE_ void NAME##_after_(NAME##_result *x, const NAME##_result *earlier_) {                    \
        NAME##_result y[NAME##_width_];                                                                     \
        NAME##_copy_columns_(y, earlier_);                                                                  \
        NAME##_onto_(y, x);                                                                                 \
        NAME##_copy_columns_(x, y);                                                                         \
    }

/* void NAME_join_(T *x, ...): joins the k-th value of a thread's columns with the partial results of all
   levels that are full. After the last of 2^b values, x holds the result. */
#define REDUCE_JOIN_(NAME)                                                                                  \
    REDUCE_DEVICE_ void NAME##_join_(NAME##_result *x, NAME##_result (*levels_)[NAME##_width_],             \
                                     unsigned k) {                                                          \
        int level_ = 0;                                                                                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k & 1; k >>= 1, level_++) NAME##_after_(x, levels_[level_]);                                 \
        NAME##_copy_columns_(levels_[level_], x);                                                           \
    }

/* void NAME_join_here_(T *x, ...): NAME_join_ for leaves, whose first levels lie in scratch. */
#define REDUCE_JOIN_HERE_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_join_here_(NAME##_result *x, const struct NAME##_columns_here_ *here_,       \
                                          NAME##_result (*levels_)[NAME##_width_], unsigned k) {            \
        const unsigned most_ = here_->levels_;                                                              \
        unsigned at_ = REDUCE_COLUMN_THREADS_ + threadIdx.x, level_ = 0;                                    \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; (k & 1) && level_ < most_; k >>= 1, level_++, at_ += REDUCE_COLUMN_THREADS_)                 \
            NAME##_after_(x, here_->scratch_[at_]);                                                         \
        if (level_ < most_)                                                                                 \
            NAME##_copy_columns_(here_->scratch_[at_], x);                                                  \
        else                                                                                                \
            NAME##_join_(x, levels_, k);                                                                    \
    }

/* void NAME_add_stripe_(...): NAME_add_leaves_ by wide loads or not, which each kernel knows when it is
   compiled. */
#define REDUCE_ADD_STRIPE_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_add_stripe_(NAME##_result (*values_)[NAME##_width_],                         \
                                           const struct NAME##_columns_here_ *here_, NAME##_input_ in_,     \
                                           const struct reduce_column_ *tree_, size_t i, unsigned left_,    \
                                           int together_) {                                                 \
        if (NAME##_width_ > 1 && here_->is_wide_)                                                           \
            NAME##_add_leaves_(values_, here_, in_, tree_, i, left_, together_, true);                      \
        else                                                                                                \
            NAME##_add_leaves_(values_, here_, in_, tree_, i, left_, together_, false);                     \
    }

/* unsigned NAME_add_stripes_(...): adds the stripes from a row on that have all leaves, if columns are
   full. in moves behind them. Returns the next stripe's row. */
#define REDUCE_ADD_STRIPES_(NAME)                                                                           \
    REDUCE_DEVICE_ unsigned NAME##_add_stripes_(NAME##_result (*values_)[NAME##_width_],                    \
                                                const struct NAME##_columns_here_ *here_,                   \
                                                NAME##_input_ *in_, const struct reduce_column_ *tree_,     \
                                                size_t begin_, unsigned row_, unsigned size_,               \
                                                int together_) {                                            \
        const unsigned reach_ = tree_->apart_[together_ - 1];                                               \
        const bool are_there_ = here_->is_full_ && size_ > reach_;                                          \
        const unsigned end_ = are_there_ ? size_ - reach_ : 0;                                              \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; row_ < end_; row_ += tree_->stripe_) {                                                       \
            NAME##_add_full_(values_, *in_, tree_, begin_ + row_, together_);                               \
            *in_ = NAME##_input_at_(*in_, tree_->stripe_ * here_->pitch_);                                  \
        }                                                                                                   \
        return row_;                                                                                        \
    }

/* void NAME_some_leaves_(T *x, ...): x gets the fold of `together` leaves, from leaf k on, of a chunk of
   size rows. */
#define REDUCE_SOME_LEAVES_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_some_leaves_(NAME##_result *x, const struct NAME##_columns_here_ *here_,     \
                                            const struct reduce_column_ *tree_, size_t begin_,              \
                                            unsigned size_, unsigned k, int together_) {                    \
        NAME##_result values_[NAME##_together_][NAME##_width_];                                             \
        unsigned row_ = reduce_leaf_(tree_->leaves_, k);                                                    \
        NAME##_input_ in_ = NAME##_input_at_(here_->in_, (begin_ + row_) * here_->pitch_ + here_->own_);    \
        REDUCE_UNROLL_                                                                                      \
        for (int l = 0; l < together_; l++) NAME##_identities_(values_[l]);                                 \
        row_ = NAME##_add_stripes_(values_, here_, &in_, tree_, begin_, row_, size_, together_);            \
        for (; row_ < size_; row_ += tree_->stripe_) {                                                      \
            NAME##_add_stripe_(values_, here_, in_, tree_, begin_ + row_, size_ - row_, together_);         \
            in_ = NAME##_input_at_(in_, tree_->stripe_ * here_->pitch_);                                    \
        }                                                                                                   \
        NAME##_fold_leaves_(x, values_, together_);                                                         \
    }

/* void NAME_fold_leaves_(T *x, ...): folds the values of `together` neighbouring leaves into x. */
#define REDUCE_FOLD_LEAVES_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_fold_leaves_(NAME##_result *x, NAME##_result (*values_)[NAME##_width_],      \
                                            int together_) {                                                \
        REDUCE_UNROLL_                                                                                      \
        for (int step_ = 1; step_ < NAME##_together_; step_ *= 2)                                           \
            REDUCE_UNROLL_                                                                                  \
            for (int l = 0; l + step_ < together_; l += 2 * step_)                                          \
                NAME##_onto_(values_[l], values_[l + step_]);                                               \
        NAME##_copy_columns_(x, values_[0]);                                                                \
    }

/* void NAME_leaves_by_thread_(T *x, ...): one thread folds a part's leaves of the chunk that starts with
   row begin. */
#define REDUCE_LEAVES_BY_THREAD_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_leaves_by_thread_(                                                           \
        NAME##_result *x, const struct NAME##_columns_here_ *here_, const struct reduce_column_ *tree_,     \
        size_t begin_, struct reduce_part_ part_) {                                                         \
        NAME##_result levels_[REDUCE_LEVELS_][NAME##_width_] __attribute__((__aligned__(16)));              \
        const unsigned size_ = (unsigned)REDUCE_MIN_(tree_->n - begin_, tree_->chunk_);                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < part_.leaves_; k += NAME##_together_) {                                    \
            NAME##_some_leaves_(x, here_, tree_, begin_, size_, part_.leaf_ + k, NAME##_together_);         \
            if (part_.leaves_ > NAME##_together_)                                                           \
                NAME##_join_here_(x, here_, levels_, k / NAME##_together_);                                 \
        }                                                                                                   \
    }

/* void NAME_fold_halves_(T *x, ...): all threads of the block fold the upper half of the rows of threads
   onto the lower until one is left. Each thread writes to scratch once. */
#define REDUCE_FOLD_HALVES_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_fold_halves_(NAME##_result *x, const struct NAME##_columns_here_ *here_) {   \
        const unsigned thread_ = threadIdx.x;                                                               \
        for (unsigned half_ = here_->rows_ / 2 * here_->row_; half_ >= here_->row_; half_ /= 2) {           \
            if (thread_ >= half_ && thread_ < 2 * half_) NAME##_copy_columns_(here_->scratch_[thread_], x); \
            __syncthreads();                                                                                \
            if (thread_ < half_) NAME##_onto_(x, here_->scratch_[thread_ + half_]);                         \
        }                                                                                                   \
    }

/* void NAME_leaves_by_block_(T *x, ...): all rows of threads fold their parts of one chunk; the first row
   gets the results. */
#define REDUCE_LEAVES_BY_BLOCK_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_leaves_by_block_(                                                            \
        NAME##_result *x, const struct NAME##_columns_here_ *here_, const struct reduce_column_ *tree_,     \
        size_t begin_, struct reduce_part_ part_) {                                                         \
        NAME##_leaves_by_thread_(x, here_, tree_, begin_, part_);                                           \
        __syncthreads();                                                                                    \
        NAME##_fold_halves_(x, here_);                                                                      \
    }

/* void NAME_part_by_way_(T *x, ...): folds a part of the leaves of all chunks. way: thread, block or flat. */
#define REDUCE_PART_(NAME, way)                                                                             \
    REDUCE_DEVICE_ void NAME##_part_by_##way##_(                                                            \
        NAME##_result *x, const struct NAME##_columns_here_ *here_, const struct reduce_column_ *tree_,     \
        struct reduce_part_ part_) {                                                                        \
        NAME##_result levels_[REDUCE_LEVELS_][NAME##_width_], of_chunk_[NAME##_width_];                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < part_.chunks_; k++) {                                                      \
            NAME##_identities_(x);                                                                          \
            size_t b = reduce_leaf_(tree_->chunks_, part_.chunk_ + k);                                      \
            for (; b < tree_->count_; b += REDUCE_STRANDS) {                                                \
                NAME##_leaves_by_##way##_(of_chunk_, here_, tree_, b * tree_->chunk_, part_);               \
                NAME##_onto_(x, of_chunk_);                                                                 \
            }                                                                                               \
            if (part_.chunks_ > 1) NAME##_join_(x, levels_, k);                                             \
        }                                                                                                   \
    }

/* ---- Columns without gaps ----
 *
 * Flat columns are few, and their rows follow each other without gaps. What a strand owns in one stripe is
 * then as many words as there are columns, aligned even if their number is odd. A block takes the words of
 * some strands, whatever columns they belong to. Each thread has some words, adds those of every stripe in
 * place, and keeps an accumulator for each place (element of a word). In scratch the places then fold to
 * columns. The strands of a block follow each other in the order of leaves; neighbouring threads have
 * neighbouring words.
 */

/* A word: at: its first element, counted from the beginning of a stripe; row: the first row of its strand;
   in_strand: the element's place in what the strand owns. Words that do not exist lie behind every chunk. */
struct reduce_flat_ { unsigned at_, row_, in_strand_; };

/* The number, in the order of leaves, of the strand that is number k in memory, of 2^bits strands. */
REDUCE_DEVICE_ unsigned reduce_number_of_strand_(unsigned k, int bits_) {
    const unsigned warp_ = k / REDUCE_WARP, strand_ = k % REDUCE_WARP;
    if (bits_ <= 5) return reduce_reversed_(k, bits_);
    return reduce_reversed_(warp_, bits_ - 5) * REDUCE_WARP + reduce_reversed_(strand_, 5);
}

/* struct reduce_flat_ NAME_flat_of_(...): word k of a block's strands, the first of which begins with leaf
   `leaf`. */
#define REDUCE_FLAT_OF_(NAME)                                                                               \
    REDUCE_DEVICE_ struct reduce_flat_ NAME##_flat_of_(const struct NAME##_columns_here_ *here_,            \
                                                       const struct reduce_column_ *tree_, unsigned leaf_,  \
                                                       unsigned k) {                                        \
        const unsigned columns_ = (unsigned)here_->pitch_, strand_ = k / columns_;                          \
        const unsigned number_ = reduce_number_of_strand_(strand_, reduce_bits_for_(here_->rows_));         \
        struct reduce_flat_ flat_ = {REDUCE_FLAT_END_, 0, 0};                                               \
        if (strand_ >= here_->rows_) return flat_;                                                          \
        flat_.in_strand_ = (k - strand_ * columns_) * NAME##_positions_;                                    \
        flat_.row_ = reduce_leaf_(tree_->leaves_, leaf_ + number_ * NAME##_positions_);                     \
        flat_.at_ = flat_.row_ * columns_ + flat_.in_strand_;                                               \
        return flat_;                                                                                       \
    }

/* unsigned NAME_place_of_(...): where word k's first value lies in scratch. Strands lie there by their
   reversed numbers, so that the upper half folds onto the lower. */
#define REDUCE_PLACE_OF_(NAME)                                                                              \
    REDUCE_DEVICE_ unsigned NAME##_place_of_(const struct NAME##_columns_here_ *here_, unsigned k) {        \
        const unsigned columns_ = (unsigned)here_->pitch_, strand_ = k / columns_;                          \
        const int bits_ = reduce_bits_for_(here_->rows_);                                                   \
        const unsigned place_ = reduce_reversed_(reduce_number_of_strand_(strand_, bits_), bits_);          \
        return (place_ * columns_ + (k - strand_ * columns_)) * NAME##_positions_;                          \
    }

/* void NAME_add_flat_(T *values, ...): adds count elements of a word, which in begins with, to its places.
   i: the index of its strand's first row. */
#define REDUCE_ADD_FLAT_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_flat_(NAME##_result *values_, NAME##_input_ in_, unsigned count_,        \
                                         size_t i, unsigned in_strand_, unsigned columns_) {                \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            if (p < count_)                                                                                 \
                values_[p] = NAME##_combine(values_[p],                                                     \
                                            NAME##_operand_at_(in_, p, i + (in_strand_ + p) / columns_));   \
    }

/* struct NAME_flat_rows_: a chunk: `end` elements from in on, the first of them in row i. Whole words have
   the first `wide` of them. */
#define REDUCE_FLAT_ROWS_(NAME)                                                                             \
    struct NAME##_flat_rows_ {                                                                              \
        NAME##_input_ in_;                                                                                  \
        size_t i;                                                                                           \
        unsigned end_, wide_, columns_, stripe_;                                                            \
    };

#define REDUCE_FLAT_ROWS_OF_(NAME)                                                                          \
    REDUCE_DEVICE_ struct NAME##_flat_rows_ NAME##_flat_rows_of_(                                           \
        const struct NAME##_columns_here_ *here_, const struct reduce_column_ *tree_, size_t i) {           \
        const size_t size_ = REDUCE_MIN_(tree_->n - i, tree_->chunk_);                                      \
        struct NAME##_flat_rows_ rows_;                                                                     \
        rows_.in_ = NAME##_input_at_(here_->in_, i * here_->pitch_), rows_.i = i;                           \
        rows_.columns_ = (unsigned)here_->pitch_, rows_.stripe_ = tree_->stripe_, rows_.wide_ = 0;          \
        rows_.end_ = (unsigned)size_ * rows_.columns_;                                                      \
        if (NAME##_is_aligned_(rows_.in_)) rows_.wide_ = rows_.end_ - rows_.end_ % NAME##_positions_;       \
        return rows_;                                                                                       \
    }

/* void NAME_add_word_(T *values, ...): adds a word of the stripe that begins with row. Of a word that is
   not whole it loads the elements that exist. */
#define REDUCE_ADD_WORD_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_word_(NAME##_result *values_, const struct NAME##_loaded_ *x,            \
                                         struct reduce_flat_ flat_, const struct NAME##_flat_rows_ *rows_,  \
                                         unsigned row_) {                                                   \
        const unsigned at_ = flat_.at_ + row_ * rows_->columns_;                                            \
        const size_t i = rows_->i + flat_.row_ + row_;                                                      \
        if (at_ < rows_->wide_)                                                                             \
            NAME##_add_flat_(values_, NAME##_loaded_at_(rows_->in_, x), NAME##_positions_, i,               \
                             flat_.in_strand_, rows_->columns_);                                            \
        else if (at_ < rows_->end_)                                                                         \
            NAME##_add_flat_(values_, NAME##_input_at_(rows_->in_, at_), rows_->end_ - at_, i,              \
                             flat_.in_strand_, rows_->columns_);                                            \
    }

/* void NAME_load_word_(struct NAME_loaded_ *x, ...): loads a word, if it is whole. */
#define REDUCE_LOAD_WORD_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_load_word_(struct NAME##_loaded_ *x, struct reduce_flat_ flat_,              \
                                          const struct NAME##_flat_rows_ *rows_, unsigned row_) {           \
        const unsigned at_ = flat_.at_ + row_ * rows_->columns_;                                            \
        const bool is_whole_ = at_ < rows_->wide_;                                                          \
        NAME##_load_(x, NAME##_input_at_(rows_->in_, is_whole_ ? at_ : 0), is_whole_);                      \
    }

/* struct NAME_sweep_: a sweep is a block's way through all stripes of a chunk with the same words in each
   stripe. This is a thread's words, and the values of their places. */
#define REDUCE_SWEEP_(NAME)                                                                                 \
    struct NAME##_sweep_ {                                                                                  \
        struct reduce_flat_ of_[NAME##_words_];                                                             \
        NAME##_result values_[NAME##_words_][NAME##_positions_];                                            \
    };

/* void NAME_begin_sweep_(...): chooses a thread's words of the strands that begin with leaf; all places
   hold the identity. */
#define REDUCE_BEGIN_SWEEP_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_begin_sweep_(struct NAME##_sweep_ *sweep_,                                   \
                                            const struct NAME##_columns_here_ *here_,                       \
                                            const struct reduce_column_ *tree_, unsigned leaf_) {           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_words_; s++) {                                                      \
            sweep_->of_[s] = NAME##_flat_of_(here_, tree_, leaf_, threadIdx.x + s * blockDim.x);            \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned p = 0; p < NAME##_positions_; p++) sweep_->values_[s][p] = NAME##_identity();     \
        }                                                                                                   \
    }

/* void NAME_sweep_stripe_(...): adds the stripe that begins with row. All loads come before the first use. */
#define REDUCE_SWEEP_STRIPE_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_sweep_stripe_(struct NAME##_sweep_ *sweep_,                                  \
                                             const struct NAME##_flat_rows_ *rows_, unsigned row_) {        \
        struct NAME##_loaded_ x[NAME##_words_];                                                             \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < NAME##_words_; s++) NAME##_load_word_(&x[s], sweep_->of_[s], rows_, row_);      \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < NAME##_words_; s++)                                                             \
            NAME##_add_word_(sweep_->values_[s], &x[s], sweep_->of_[s], rows_, row_);                       \
    }

/* void NAME_load_stripe_(...): loads a thread's words of a stripe in which all are whole, without
   predicates; for a word that does not exist it loads the first. */
#define REDUCE_LOAD_STRIPE_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_load_stripe_(struct NAME##_loaded_ *x, const struct NAME##_sweep_ *sweep_,   \
                                            const struct NAME##_flat_rows_ *rows_, unsigned row_) {         \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < NAME##_words_; s++) {                                                           \
            const unsigned at_ = sweep_->of_[s].at_ < REDUCE_FLAT_END_ ? sweep_->of_[s].at_ : 0;            \
            NAME##_load_(&x[s], NAME##_input_at_(rows_->in_, at_ + row_ * rows_->columns_), true);          \
        }                                                                                                   \
    }

/* void NAME_add_stripe_of_words_(...): adds what NAME_load_stripe_ loaded. */
#define REDUCE_ADD_STRIPE_OF_WORDS_(NAME)                                                                   \
    REDUCE_DEVICE_ void NAME##_add_stripe_of_words_(struct NAME##_sweep_ *sweep_,                           \
                                                    const struct NAME##_loaded_ *x,                         \
                                                    const struct NAME##_flat_rows_ *rows_, unsigned row_) { \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < NAME##_words_; s++)                                                             \
            NAME##_add_flat_(sweep_->values_[s], NAME##_loaded_at_(rows_->in_, &x[s]), NAME##_positions_,   \
                             rows_->i + sweep_->of_[s].row_ + row_, sweep_->of_[s].in_strand_,              \
                             rows_->columns_);                                                              \
    }

#define REDUCE_STRIPES_ 4 /* stripes whose words are in flight together (measured) */

/* void NAME_sweep_stripes_(...): adds REDUCE_STRIPES_ stripes from a row on. */
#define REDUCE_SWEEP_STRIPES_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_sweep_stripes_(struct NAME##_sweep_ *sweep_,                                 \
                                              const struct NAME##_flat_rows_ *rows_, unsigned row_) {       \
        struct NAME##_loaded_ x[REDUCE_STRIPES_][NAME##_words_];                                            \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned k = 0; k < REDUCE_STRIPES_; k++)                                                      \
            NAME##_load_stripe_(x[k], sweep_, rows_, row_ + k * rows_->stripe_);                            \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned k = 0; k < REDUCE_STRIPES_; k++)                                                      \
            NAME##_add_stripe_of_words_(sweep_, x[k], rows_, row_ + k * rows_->stripe_);                    \
    }

/* void NAME_sweep_chunk_(...): adds all stripes of a chunk. */
#define REDUCE_SWEEP_CHUNK_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_sweep_chunk_(struct NAME##_sweep_ *sweep_,                                   \
                                            const struct NAME##_flat_rows_ *rows_) {                        \
        const unsigned size_ = rows_->end_ / rows_->columns_, some_ = REDUCE_STRIPES_ * rows_->stripe_;     \
        unsigned row_ = 0;                                                                                  \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; rows_->wide_ > 0 && row_ + some_ <= size_; row_ += some_)                                    \
            NAME##_sweep_stripes_(sweep_, rows_, row_);                                                     \
        for (; row_ < size_; row_ += rows_->stripe_) NAME##_sweep_stripe_(sweep_, rows_, row_);             \
    }

/* void NAME_put_word_(...): stores a word's values in scratch, by stores of 16 bytes where the values fill
   them. */
#define REDUCE_PUT_WORD_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_put_word_(NAME##_result *scratch_, const NAME##_result *values_) {           \
        enum { are_wide_ = NAME##_positions_ * sizeof(NAME##_result) % 16 == 0 };                           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_ && !are_wide_; p++) scratch_[p] = values_[p];            \
        REDUCE_UNROLL_                                                                                      \
        for (size_t at_ = 0; at_ < NAME##_positions_ * sizeof *scratch_ && are_wide_; at_ += 16) {          \
            struct reduce_16_bytes_ bytes_;                                                                 \
            memcpy(&bytes_, (const char *)values_ + at_, sizeof bytes_);                                    \
            *(struct reduce_16_bytes_ *)(void *)((char *)scratch_ + at_) = bytes_;                          \
        }                                                                                                   \
    }

/* T NAME_fold_positions_(...): the fold of all positions of one strand and column: pair number k of these. */
#define REDUCE_FOLD_POSITIONS_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_positions_(const NAME##_result *scratch_, unsigned k,          \
                                                        unsigned columns_) {                                \
        const unsigned strand_ = k / columns_, column_ = k - strand_ * columns_;                            \
        NAME##_result values_[NAME##_positions_];                                                           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned p = 0; p < NAME##_positions_; p++)                                                    \
            values_[p] = scratch_[(strand_ * NAME##_positions_ + p) * columns_ + column_];                  \
        return NAME##_fold_here_(values_, NAME##_positions_);                                               \
    }

/* void NAME_put_words_(...): stores a thread's words in scratch, if they are among the `count` words of
   the block. */
#define REDUCE_PUT_WORDS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_put_words_(const struct NAME##_sweep_ *sweep_, NAME##_result *scratch_,      \
                                          const struct NAME##_columns_here_ *here_, unsigned count_) {      \
        unsigned s, k = threadIdx.x;                                                                        \
        REDUCE_UNROLL_                                                                                      \
        for (s = 0; s < NAME##_words_; s++, k += blockDim.x)                                                \
            if (k < count_) NAME##_put_word_(scratch_ + NAME##_place_of_(here_, k), sweep_->values_[s]);    \
    }

/* void NAME_place_words_(...): all threads store their words in scratch and fold the positions of each
   strand there. */
#define REDUCE_PLACE_WORDS_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_place_words_(const struct NAME##_sweep_ *sweep_, NAME##_result *scratch_,    \
                                            const struct NAME##_columns_here_ *here_, unsigned count_) {    \
        NAME##_result x[NAME##_words_];                                                                     \
        unsigned s, k = threadIdx.x;                                                                        \
        NAME##_put_words_(sweep_, scratch_, here_, count_);                                                 \
        __syncthreads();                                                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (s = 0; s < NAME##_words_; s++, k += blockDim.x)                                                \
            if (k < count_) x[s] = NAME##_fold_positions_(scratch_, k, (unsigned)here_->pitch_);            \
        __syncthreads();                                                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (s = 0, k = threadIdx.x; s < NAME##_words_; s++, k += blockDim.x)                               \
            if (k < count_) scratch_[k] = x[s];                                                             \
    }

/* unsigned NAME_fold_quarters_(...): all threads fold strands in scratch, four quarters to one, until less
   than four are left; returns how many are left. */
#define REDUCE_FOLD_QUARTERS_(NAME)                                                                         \
    REDUCE_DEVICE_ unsigned NAME##_fold_quarters_(NAME##_result *scratch_, unsigned strands_,               \
                                                  unsigned columns_) {                                      \
        for (; strands_ >= 4; strands_ /= 4) {                                                              \
            const unsigned some_ = strands_ / 4 * columns_;                                                 \
            __syncthreads();                                                                                \
            for (unsigned k = threadIdx.x; k < some_; k += blockDim.x)                                      \
                scratch_[k] = NAME##_combine(NAME##_combine(scratch_[k], scratch_[k + 2 * some_]),          \
                                             NAME##_combine(scratch_[k + some_], scratch_[k + 3 * some_])); \
        }                                                                                                   \
        __syncthreads();                                                                                    \
        return strands_;                                                                                    \
    }

/* void NAME_fold_words_(T *x, ...): all threads of the block fold all words to columns; x gets the
   thread's columns. */
#define REDUCE_FOLD_WORDS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_fold_words_(NAME##_result *x, const struct NAME##_sweep_ *sweep_,            \
                                           const struct NAME##_columns_here_ *here_) {                      \
        NAME##_result *const scratch_ = here_->scratch_[0];                                                 \
        const unsigned columns_ = (unsigned)here_->pitch_;                                                  \
        NAME##_place_words_(sweep_, scratch_, here_, here_->rows_ * columns_);                              \
        const unsigned left_ = NAME##_fold_quarters_(scratch_, here_->rows_, columns_);                     \
        NAME##_identities_(x);                                                                              \
        for (unsigned l = 0; l < here_->count_; l++) {                                                      \
            const unsigned k = here_->own_ + l * here_->apart_;                                             \
            x[l] = left_ == 1 ? scratch_[k] : NAME##_combine(scratch_[k], scratch_[k + columns_]);          \
        }                                                                                                   \
        __syncthreads();                                                                                    \
    }

/* void NAME_leaves_by_flat_(T *x, ...): a block folds a part's leaves of a chunk. */
#define REDUCE_LEAVES_BY_FLAT_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_leaves_by_flat_(                                                             \
        NAME##_result *x, const struct NAME##_columns_here_ *here_, const struct reduce_column_ *tree_,     \
        size_t begin_, struct reduce_part_ part_) {                                                         \
        NAME##_result levels_[REDUCE_LEVELS_][NAME##_width_];                                               \
        const struct NAME##_flat_rows_ rows_ = NAME##_flat_rows_of_(here_, tree_, begin_);                  \
        const unsigned step_ = here_->rows_ * NAME##_positions_;                                            \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < part_.leaves_; k += step_) {                                               \
            struct NAME##_sweep_ sweep_;                                                                    \
            NAME##_begin_sweep_(&sweep_, here_, tree_, part_.leaf_ + k);                                    \
            NAME##_sweep_chunk_(&sweep_, &rows_);                                                           \
            NAME##_fold_words_(x, &sweep_, here_);                                                          \
            if (part_.leaves_ > step_) NAME##_join_(x, levels_, k / step_);                                 \
        }                                                                                                   \
    }

/* A block's tile: its outer index, its first column, and how many columns are left from there on (none if
   it does not exist, or for an idle thread). k: the thread's number in the tile. The last tile is as wide
   as the others: its first skip columns are the last of the tile before. */
struct reduce_tile_at_ { size_t outer_, column_, left_; unsigned k, skip_; };

REDUCE_DEVICE_ struct reduce_tile_at_ reduce_tile_of_(const struct reduce_columns_ *columns_, unsigned k,
                                                      bool is_idle_) {
    const unsigned of_split_ = columns_->blocks_ >> columns_->splits_;
    const unsigned block_ = blockIdx.x - reduce_own_split_(columns_) * of_split_;
    const size_t first_ = (size_t)block_ * columns_->tiles_of_block_;
    const size_t number_ = columns_->first_ + first_ + k / columns_->across_;
    struct reduce_tile_at_ tile_ = {0, 0, 0, k % columns_->across_, 0};
    if (number_ >= columns_->tiles_ * columns_->outer_ || is_idle_) return tile_;
    if (columns_->outer_ > 1) tile_.outer_ = number_ / columns_->tiles_;
    tile_.column_ = (number_ - tile_.outer_ * columns_->tiles_) * columns_->tile_;
    tile_.left_ = columns_->columns_ - tile_.column_;
    if (tile_.left_ < columns_->tile_ && columns_->tile_ <= columns_->columns_) {
        tile_.skip_ = columns_->tile_ - (unsigned)tile_.left_;
        tile_.column_ -= tile_.skip_, tile_.left_ = columns_->tile_;
    }
    return tile_;
}

/* struct NAME_columns_here_ NAME_columns_of_(...): the calling thread's columns in its tile. */
#define REDUCE_COLUMNS_OF_(NAME)                                                                            \
    REDUCE_DEVICE_ struct NAME##_columns_here_ NAME##_columns_of_(NAME##_input_ in_,                        \
        const struct reduce_columns_ *columns_, NAME##_result (*scratch_)[NAME##_width_]) {                 \
        const unsigned row_ = columns_->across_ * columns_->tiles_of_block_;                                \
        const bool is_idle_ = !columns_->is_flat_ && threadIdx.x >= row_ << columns_->down_;                \
        const struct reduce_tile_at_ tile_ = reduce_tile_of_(columns_, threadIdx.x % row_, is_idle_);       \
        struct NAME##_columns_here_ here_;                                                                  \
        here_.in_ = NAME##_input_at_(in_, tile_.outer_ * columns_->outer_pitch_ + tile_.column_);           \
        here_.pitch_ = columns_->pitch_, here_.loads_ = columns_->tree_.n > 0;                              \
        here_.scratch_ = scratch_, here_.rows_ = 1u << columns_->down_, here_.row_ = row_;                  \
        here_.is_wide_ = columns_->is_wide_, here_.skip_ = tile_.skip_, here_.levels_ = 0;                  \
        here_.is_full_ = NAME##_size_ < 4 && columns_->is_wide_ && tile_.left_ > 0;                         \
        NAME##_share_columns_(&here_, tile_.k, columns_->across_, columns_->is_wide_, tile_.left_);         \
        here_.result_ = tile_.outer_ * columns_->columns_ + tile_.column_ + here_.own_;                     \
        return here_;                                                                                       \
    }

/* void NAME_share_columns_(...): thread k of some threads takes its share of the `left` columns:
   neighbours, or every threads-th. A thread without columns in a full tile takes the last ones, because
   full tiles have no predicates. */
#define REDUCE_SHARE_COLUMNS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_share_columns_(struct NAME##_columns_here_ *here_, unsigned k,               \
                                              unsigned threads_, bool are_neighbours_, size_t left_) {      \
        here_->own_ = are_neighbours_ ? k * NAME##_width_ : k;                                              \
        here_->apart_ = are_neighbours_ ? 1 : threads_;                                                     \
        here_->count_ = 0;                                                                                  \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++)                                                        \
            if (here_->own_ + l * here_->apart_ < left_) here_->count_++;                                   \
        if (here_->is_full_ && here_->count_ == 0) here_->own_ = (unsigned)left_ - NAME##_width_;           \
    }

/* The part of a thread in a row of threads. Where a strand has several chunks, all rows share the leaves
   of each chunk. */
REDUCE_DEVICE_ struct reduce_part_ reduce_own_part_(const struct reduce_columns_ *columns_, unsigned row_) {
    const unsigned split_ = reduce_own_split_(columns_);
    const unsigned down_ = reduce_reversed_(row_ & ((1u << columns_->down_) - 1), columns_->down_);
    struct reduce_part_ part_;
    if (columns_->tree_.count_ <= REDUCE_STRANDS)
        return reduce_part_of_(&columns_->tree_, split_ << columns_->down_ | down_,
                               columns_->splits_ + columns_->down_);
    part_ = reduce_part_of_(&columns_->tree_, split_, columns_->splits_);
    part_.leaves_ >>= columns_->down_;
    part_.leaf_ = down_ * part_.leaves_;
    return part_;
}

/* void NAME_reduce_by_thread_(T *x, ...): all threads of a block fold its part of its tiles. The first row
   gets the results. */
#define REDUCE_REDUCE_BY_THREAD_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_reduce_by_thread_(NAME##_result *x,                                          \
                                                 const struct NAME##_columns_here_ *here_,                  \
                                                 const struct reduce_columns_ *columns_) {                  \
        const struct reduce_part_ part_ = reduce_own_part_(columns_, threadIdx.x / here_->row_);            \
        if (columns_->tree_.count_ > REDUCE_STRANDS) {                                                      \
            NAME##_part_by_block_(x, here_, &columns_->tree_, part_);                                       \
        } else {                                                                                            \
            if (here_->count_ > 0) NAME##_part_by_thread_(x, here_, &columns_->tree_, part_);               \
            NAME##_fold_halves_(x, here_);                                                                  \
        }                                                                                                   \
    }

/* void NAME_reduce_by_wide_(T *x, ...), NAME_reduce_by_narrow_: the same, compiled for one kind of loads. */
#define REDUCE_REDUCE_BY_(NAME, way, is_wide)                                                               \
    REDUCE_DEVICE_ void NAME##_reduce_by_##way##_(NAME##_result *x,                                         \
                                                  const struct NAME##_columns_here_ *here_,                 \
                                                  const struct reduce_columns_ *columns_) {                 \
        struct NAME##_columns_here_ own_ = *here_;                                                          \
        own_.is_wide_ = is_wide, own_.levels_ = NAME##_levels_;                                             \
        NAME##_reduce_by_thread_(x, &own_, columns_);                                                       \
    }

/* void NAME_reduce_by_flat_(T *x, ...): a block folds its part of all columns of one outer index. */
#define REDUCE_REDUCE_BY_FLAT_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_reduce_by_flat_(NAME##_result *x,                                            \
                                               const struct NAME##_columns_here_ *here_,                    \
                                               const struct reduce_columns_ *columns_) {                    \
        const unsigned split_ = reduce_own_split_(columns_);                                                \
        if (!NAME##_is_flat_) return;                                                                       \
        NAME##_part_by_flat_(x, here_, &columns_->tree_,                                                    \
                             reduce_part_of_(&columns_->tree_, split_, columns_->splits_));                 \
    }

/* struct NAME_columns_here_ NAME_collectors_columns_(...): the columns of a thread of a collector. Each
   row of threads folds other splits, by its reversed number. */
#define REDUCE_COLLECTORS_COLUMNS_(NAME)                                                                    \
    REDUCE_DEVICE_ struct NAME##_columns_here_ NAME##_collectors_columns_(                                  \
        const struct reduce_columns_ *columns_, NAME##_result (*scratch_)[NAME##_width_]) {                 \
        const size_t results_ = columns_->outer_ * columns_->columns_;                                      \
        struct NAME##_columns_here_ here_;                                                                  \
        memset(&here_, 0, sizeof here_);                                                                    \
        here_.scratch_ = scratch_, here_.rows_ = 1u << (columns_->splits_ - columns_->each_);               \
        here_.row_ = blockDim.x / here_.rows_;                                                              \
        const size_t first_ = (size_t)(blockIdx.x - columns_->blocks_) * here_.row_ * NAME##_width_;        \
        const bool has_split_ = threadIdx.x < here_.rows_ * here_.row_;                                     \
        NAME##_share_columns_(&here_, threadIdx.x % here_.row_, here_.row_, false,                          \
                              has_split_ ? results_ - first_ : 0);                                          \
        here_.result_ = first_ + here_.own_;                                                                \
        return here_;                                                                                       \
    }

/* reduce_slot_ *NAME_columns_slot_(...): the slot of a split's result of the thread's column l. */
#define REDUCE_COLUMNS_SLOT_(NAME)                                                                          \
    REDUCE_DEVICE_ reduce_slot_ *NAME##_columns_slot_(const struct NAME##_columns_here_ *here_,             \
                                                      const struct reduce_columns_ *columns_,               \
                                                      reduce_workspace *ws_, unsigned split_, unsigned l) { \
        const size_t results_ = columns_->outer_ * columns_->columns_;                                      \
        const size_t k = split_ * results_ + here_->result_ + l * here_->apart_;                            \
        return ws_->slots_ + k;                                                                             \
    }

/* bool NAME_look_at_(T *x, ...): whether a split's result of column l has come; x gets it. */
#define REDUCE_LOOK_AT_(NAME)                                                                               \
    REDUCE_DEVICE_ bool NAME##_look_at_(NAME##_result *x, const struct NAME##_columns_here_ *here_,         \
                                        const struct reduce_columns_ *columns_, reduce_workspace *ws_,      \
                                        unsigned split_, unsigned l) {                                      \
        return reduce_look_(x, sizeof *x, NAME##_columns_slot_(here_, columns_, ws_, split_, l), 1);        \
    }

/* void NAME_wait_for_split_(T *x, ...): waits for a split's results of the thread's columns, and empties
   their slots. */
#define REDUCE_WAIT_FOR_SPLIT_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_wait_for_split_(NAME##_result *x, const struct NAME##_columns_here_ *here_,  \
                                               const struct reduce_columns_ *columns_,                      \
                                               reduce_workspace *ws_, unsigned split_) {                    \
        for (bool are_there_ = false; !are_there_;) {                                                       \
            are_there_ = true;                                                                              \
            REDUCE_UNROLL_                                                                                  \
            for (unsigned l = 0; l < NAME##_width_; l++)                                                    \
                if (l < here_->count_)                                                                      \
                    are_there_ = NAME##_look_at_(&x[l], here_, columns_, ws_, split_, l) && are_there_;     \
        }                                                                                                   \
        for (unsigned l = 0; l < here_->count_; l++)                                                        \
            reduce_empty_(NAME##_columns_slot_(here_, columns_, ws_, split_, l), sizeof *x);                \
    }

/* void NAME_collect_columns_(T *x, ...): all threads of a collector fold the splits. The first row gets
   the results. */
#define REDUCE_COLLECT_COLUMNS_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_collect_columns_(NAME##_result *x, const struct NAME##_columns_here_ *here_, \
                                                const struct reduce_columns_ *columns_,                     \
                                                reduce_workspace *ws_) {                                    \
        NAME##_result levels_[REDUCE_LEVELS_][NAME##_width_];                                               \
        const int bits_ = columns_->splits_ - columns_->each_;                                              \
        const unsigned first_ = reduce_reversed_(threadIdx.x / here_->row_, bits_) << columns_->each_;      \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < 1u << columns_->each_; k++) {                                              \
            NAME##_wait_for_split_(x, here_, columns_, ws_, first_ + k);                                    \
            if (columns_->each_ > 0) NAME##_join_(x, levels_, k);                                           \
        }                                                                                                   \
        NAME##_fold_halves_(x, here_);                                                                      \
    }

/* bool NAME_is_own_(...): whether column l is one of the thread's, and this block writes its result. */
#define REDUCE_IS_OWN_(NAME)                                                                                \
    REDUCE_DEVICE_ bool NAME##_is_own_(const struct NAME##_columns_here_ *here_, unsigned l) {              \
        return l < here_->count_ && here_->own_ + l * here_->apart_ >= here_->skip_;                        \
    }

/* void NAME_deliver_columns_(const T *x, ...): the first row of threads writes results to the output, or a
   split's results to their slots. */
#define REDUCE_DELIVER_COLUMNS_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_deliver_columns_(const NAME##_result *x,                                     \
                                                const struct NAME##_columns_here_ *here_,                   \
                                                const struct reduce_columns_ *columns_,                     \
                                                reduce_workspace *ws_, NAME##_result *out_) {               \
        const unsigned split_ = reduce_own_split_(columns_);                                                \
        const bool are_whole_ = columns_->splits_ == 0 || blockIdx.x >= columns_->blocks_;                  \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++) {                                                      \
            if (threadIdx.x >= here_->row_ || !NAME##_is_own_(here_, l)) continue;                          \
            if (are_whole_)                                                                                 \
                out_[here_->result_ + l * here_->apart_] = NAME##_final_(x[l]);                             \
            else                                                                                            \
                reduce_publish_(NAME##_columns_slot_(here_, columns_, ws_, split_, l), x + l, sizeof *x, 1);\
        }                                                                                                   \
    }

/* Columns of so few rows that a thread walks all leaves of its columns together: NAME_few_ leaves at most,
   for which more blocks are resident, or NAME_some_. NAME_few_fit_, NAME_some_fit_: resident blocks of an
   SM (measured). */
#define REDUCE_FEW_ROWS_(NAME)                                                                              \
    enum {                                                                                                  \
        NAME##_few_ = REDUCE_MIN_((int)NAME##_together_, REDUCE_POWER_(64 / (int)NAME##_load_bytes_)),      \
        NAME##_some_ = NAME##_together_,                                                                    \
        NAME##_some_fit_ = NAME##_some_ * NAME##_width_ * sizeof(NAME##_result) <= 128 ? 3 : 2,             \
        NAME##_few_fit_ = NAME##_some_fit_ == 3 ? 4 : 2                                                     \
    };

/* The kernel of columns of few or of some leaves. */
#define REDUCE_FEW_ROWS_KERNEL_(NAME, few, way, is_wide)                                                    \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_COLUMN_THREADS_, NAME##_##few##_fit_)                      \
        NAME##_columns_of_##few##_##way##_kernel_(                                                          \
            NAME##_input_ in_, const struct reduce_columns_ columns_, reduce_workspace *ws_,                \
            NAME##_result *out_) {                                                                          \
        struct NAME##_columns_here_ here_ = NAME##_columns_of_(in_, &columns_, NULL);                       \
        const struct reduce_column_ *const tree_ = &columns_.tree_;                                         \
        NAME##_result x[NAME##_width_] __attribute__((__aligned__(16)));                                    \
        here_.is_wide_ = is_wide, here_.is_full_ = false;                                                   \
        NAME##_some_leaves_(x, &here_, tree_, 0, (unsigned)tree_->n, 0, NAME##_##few##_);                   \
        NAME##_write_columns_(x, &here_, out_, is_wide);                                                    \
        (void)ws_;                                                                                          \
    }

/* void NAME_write_columns_(T *x, ...): writes the results of a thread's columns. It changes x. */
#define REDUCE_WRITE_COLUMNS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_write_columns_(NAME##_result *x, const struct NAME##_columns_here_ *here_,   \
                                              NAME##_result *out_, bool are_neighbours_) {                  \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++)                                                        \
            if (l < here_->count_) x[l] = NAME##_final_(x[l]);                                              \
        if (are_neighbours_) {                                                                              \
            const unsigned count_ = here_->own_ < here_->skip_ ? 0 : here_->count_;                         \
            NAME##_write_neighbours_(out_ + here_->result_, x, count_, NAME##_width_);                      \
            return;                                                                                         \
        }                                                                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned l = 0; l < NAME##_width_; l++)                                                        \
            if (NAME##_is_own_(here_, l)) out_[here_->result_ + l * here_->apart_] = x[l];                  \
    }

/* void NAME_columns_by_way_(...): all threads of a block reduce columns or, in a collector, fold splits. */
#define REDUCE_COLUMNS_BY_(NAME, way)                                                                       \
    REDUCE_DEVICE_ void NAME##_columns_by_##way##_(                                                         \
        NAME##_input_ in_, const struct reduce_columns_ *columns_, reduce_workspace *ws_,                   \
        NAME##_result *out_, NAME##_result (*scratch_)[NAME##_width_]) {                                    \
        const bool collects_ = blockIdx.x >= columns_->blocks_;                                             \
        const struct NAME##_columns_here_ here_ = collects_ ? NAME##_collectors_columns_(columns_, scratch_)\
                                                            : NAME##_columns_of_(in_, columns_, scratch_);  \
        NAME##_result x[NAME##_width_];                                                                     \
        NAME##_identities_(x);                                                                              \
        if (collects_)                                                                                      \
            NAME##_collect_columns_(x, &here_, columns_, ws_);                                              \
        else                                                                                                \
            NAME##_reduce_by_##way##_(x, &here_, columns_);                                                 \
        NAME##_deliver_columns_(x, &here_, columns_, ws_, out_);                                            \
    }

/* The kernel of all other columns. way: wide, narrow or flat. */
#define REDUCE_COLUMNS_KERNEL_(NAME, way)                                                                   \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_COLUMN_THREADS_, REDUCE_BLOCKS_BY_##way##_(NAME))          \
        NAME##_columns_by_##way##_kernel_(NAME##_input_ in_, const struct reduce_columns_ columns_,         \
                                          reduce_workspace *ws_, NAME##_result *out_) {                     \
        __shared__ NAME##_result scratch_[NAME##_scratch_of_##way##_][NAME##_width_]                        \
            __attribute__((__aligned__(16)));                                                               \
        NAME##_columns_by_##way##_(in_, &columns_, ws_, out_, scratch_);                                    \
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
   32, ... NAME_chunk_strands_add_ adds the result of a chunk, NAME_chunk_strands_fold_ gives every lane
   the result. */
#define REDUCE_CHUNK_STRANDS_(NAME)                                                                         \
    struct NAME##_chunk_strands_ { NAME##_result values_[REDUCE_WARPS_]; };                                 \
    REDUCE_DEVICE_ void NAME##_chunk_strands_begin_(struct NAME##_chunk_strands_ *strands_) {               \
        REDUCE_NO_UNROLL_                                                                                   \
        for (int k = 0; k < REDUCE_WARPS_; k++) strands_->values_[k] = NAME##_identity();                   \
    }

#define REDUCE_ADD_CHUNK_STRANDS_(NAME)                                                                     \
    REDUCE_DEVICE_ void NAME##_chunk_strands_add_(struct NAME##_chunk_strands_ *strands_, NAME##_result x,  \
                                                  size_t chunk_, struct reduce_place_ at_) {                \
        const int strand_ = (int)(chunk_ % REDUCE_STRANDS);                                                 \
        NAME##_result *const value_ = &strands_->values_[strand_ / REDUCE_WARP];                            \
        if (strand_ % REDUCE_WARP == at_.lane_) *value_ = NAME##_combine(*value_, x);                       \
    }

#define REDUCE_FOLD_CHUNK_STRANDS_(NAME)                                                                    \
    REDUCE_DEVICE_ NAME##_result NAME##_chunk_strands_fold_(const struct NAME##_chunk_strands_ *strands_,   \
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

/* T NAME_thread_range_(const In *in, size_t n): one thread reduces n elements, as a column. */
#define REDUCE_THREAD_RANGE_(NAME)                                                                          \
    REDUCE_OUT_OF_LINE_ NAME##_result NAME##_thread_range_(NAME##_input_ in_, size_t n) {                   \
        const struct reduce_column_ tree_ = reduce_column_of_(n, NAME##_size_);                             \
        const struct NAME##_columns_here_ here_ =                                                           \
            {in_, 1, 0, 0, 1, 1, false, NULL, 1, 1, 0, 0, false, true};                                     \
        NAME##_result x[NAME##_width_];                                                                     \
        NAME##_part_by_thread_(x, &here_, &tree_, reduce_part_of_(&tree_, 0, 0));                           \
        return x[0];                                                                                        \
    }

/* void NAME_chunk_to_scratch_(...): all threads of the block; its whole warps reduce a chunk, and scratch
   gets the results of the tree's warps. */
#define REDUCE_CHUNK_TO_SCRATCH_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_chunk_to_scratch_(const struct NAME##_run_ *run_, NAME##_result *scratch_,   \
                                                 struct reduce_place_ at_) {                                \
        const unsigned warps_ = at_.threads_ / REDUCE_WARP, warp_ = at_.thread_ / REDUCE_WARP;              \
        __syncthreads(); /* what was in scratch is no longer needed */                                      \
        for (unsigned w = warp_; warp_ < warps_ && w < REDUCE_WARPS_; w += warps_)                          \
            NAME##_tree_warps_to_scratch_(run_, at_.lane_, w, 1, true, scratch_);                           \
        __syncthreads();                                                                                    \
    }

/* void NAME_add_range_chunk_(...): all threads of the block reduce chunk k of n elements; the first warp adds
   the result to its strand. */
#define REDUCE_ADD_RANGE_CHUNK_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_add_range_chunk_(struct NAME##_chunk_strands_ *strands_, NAME##_input_ in_,  \
                                                size_t n, struct reduce_cut_ cut_, size_t k,                \
                                                NAME##_result *scratch_, struct reduce_place_ at_) {        \
        const struct NAME##_run_ run_ = NAME##_cut_out_(in_, n, cut_, k);                                   \
        NAME##_chunk_to_scratch_(&run_, scratch_, at_);                                                     \
        if (at_.thread_ < REDUCE_WARP)                                                                      \
            NAME##_chunk_strands_add_(strands_, NAME##_fold_scratch_(scratch_, at_), k, at_);               \
    }

/* T NAME_block_range_(...): all threads of the block; its whole warps reduce n elements. Threads of the first
   warp get the result, others the identity. */
#define REDUCE_BLOCK_RANGE_OF_WARPS_(NAME)                                                                  \
    REDUCE_OUT_OF_LINE_ NAME##_result NAME##_block_range_(NAME##_input_ in_, size_t n,                      \
                                                          NAME##_result *scratch_) {                        \
        const struct reduce_cut_ cut_ = reduce_cut_(n, NAME##_size_);                                       \
        struct reduce_place_ at_ = reduce_place_();                                                         \
        struct NAME##_chunk_strands_ strands_;                                                              \
        at_.has_whole_warps_ = at_.is_own_launch_ = true;                                                   \
        NAME##_chunk_strands_begin_(&strands_);                                                             \
        REDUCE_NO_UNROLL_                                                                                   \
        for (size_t k = 0; k < cut_.count_; k++)                                                            \
            NAME##_add_range_chunk_(&strands_, in_, n, cut_, k, scratch_, at_);                             \
        return at_.thread_ >= REDUCE_WARP ? NAME##_identity() : NAME##_chunk_strands_fold_(&strands_, at_); \
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
            const NAME##_result of_all_ = NAME##_block_range_(input_, n, scratch_);                         \
            if (at_.thread_ == 0) scratch_[REDUCE_WARPS_] = of_all_;                                        \
        } else if (at_.thread_ == 0) {                                                                      \
            scratch_[REDUCE_WARPS_] = NAME##_thread_range_(input_, n);                                      \
        }                                                                                                   \
        __syncthreads();                                                                                    \
        return NAME##_final_(scratch_[REDUCE_WARPS_]);                                                      \
    }

/* ---- Segments ---------------------------------------------------------------------------------------------
 *
 * Segments have places on a line. A segment's place is the number of elements before it, and a weight for
 * each segment before it. The line is cut into equal shares, one for each block. A block has the segments
 * whose places lie in its share. Its warps take groups of neighbours from it, one group after the other. A
 * warp reduces the segments of its group that have up to a stripe, and lists longer ones for the whole block.
 *
 * The chunks of a segment have places, too. If they lie in several shares, the segment is shared: each block
 * has the chunks in its own share. Their results meet in the slots, and the block that delivers the last of
 * them folds them. So no block waits for another.
 *
 * A segment is tiny if it has up to V elements, short up to NAME_short_, middle up to a stripe, and long
 * beyond.
 */

enum {
    REDUCE_OWN_SEGMENTS_ = 4, /* segments of a lane in a group, at most (measured) */
    REDUCE_SEGMENT_THREADS_ = REDUCE_STRANDS < 256 ? REDUCE_STRANDS : 256, /* of a block (measured) */
    REDUCE_SEGMENT_WARPS_ = REDUCE_SEGMENT_THREADS_ / REDUCE_WARP,
    REDUCE_OWN_STRANDS_ = REDUCE_STRANDS / REDUCE_SEGMENT_THREADS_, /* strands that a thread stands for */
    REDUCE_GROUP_ = REDUCE_OWN_SEGMENTS_ * REDUCE_WARP, /* segments of a group, at most */
    REDUCE_FEW_LISTED_ = 128, /* a warp that finds more listed segments takes no further group (measured) */
    REDUCE_LISTED_ = REDUCE_FEW_LISTED_ + REDUCE_SEGMENT_WARPS_ * REDUCE_GROUP_ /* listed segments at most */
};
#ifndef REDUCE_SEGMENT_BLOCKS_ /* all measured; tests define smaller ones */
#define REDUCE_SEGMENT_BLOCKS_ 528 /* blocks of the grid: four for each of 132 SMs */
#define REDUCE_SEGMENT_WEIGHT_ 8   /* weight of a segment, in elements */
#define REDUCE_GROUP_BYTES_ 16384  /* bytes that a group of more than 32 segments has on average, at most */
#define REDUCE_MOST_ITEMS_ 64      /* items that a block reduces together at most */
#endif
#ifndef REDUCE_ASKED_BYTES_
#define REDUCE_ASKED_BYTES_ 65536 /* bytes of a share that are prefetched at most */
#endif

struct reduce_segment_ { size_t begin_, count_; };

REDUCE_DEVICE_ struct reduce_segment_ reduce_segment_between_(int64_t begin_, int64_t end_) {
    const struct reduce_segment_ segment_ = {begin_ < end_ ? (size_t)begin_ : 0,
                                             begin_ < end_ ? (size_t)(end_ - begin_) : 0};
    return segment_;
}

/* Offsets of either type. */
struct reduce_offsets_ {
    const void *at_;
    unsigned are_32_;
};

REDUCE_DEVICE_ int64_t reduce_offset_(struct reduce_offsets_ offsets_, size_t k) {
    return offsets_.are_32_ ? ((const int32_t *)offsets_.at_)[k] : ((const int64_t *)offsets_.at_)[k];
}

/* A lane's segments of a group: one of each 32 neighbours. */
struct reduce_segments_ { struct reduce_segment_ of_[REDUCE_OWN_SEGMENTS_]; };

#define REDUCE_LOAD_GROUP_(Offset, bits)                                                                    \
    REDUCE_DEVICE_ struct reduce_segments_ reduce_load_group_##bits##_(const void *offsets_, size_t first_, \
                                                                       unsigned count_) {                   \
        struct reduce_segments_ own_;                                                                       \
        const Offset *const from_ = (const Offset *)offsets_ + first_;                                      \
        Offset begin_[REDUCE_OWN_SEGMENTS_] = {0}, end_[REDUCE_OWN_SEGMENTS_] = {0};                        \
        unsigned l = threadIdx.x % REDUCE_WARP;                                                             \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++, l += REDUCE_WARP)                                    \
            if (l < count_) begin_[s] = from_[l], end_[s] = from_[l + 1];                                   \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++)                                                      \
            own_.of_[s] = reduce_segment_between_(begin_[s], end_[s]);                                      \
        return own_;                                                                                        \
    }
REDUCE_LOAD_GROUP_(int64_t, 64)
REDUCE_LOAD_GROUP_(int32_t, 32)

/* A group: neighbouring segments that a warp takes together. */
struct reduce_group_ {
    size_t first_;
    unsigned count_;
};

REDUCE_DEVICE_ struct reduce_segments_ reduce_load_group_(struct reduce_offsets_ offsets_,
                                                          struct reduce_group_ group_) {
    return offsets_.are_32_ ? reduce_load_group_32_(offsets_.at_, group_.first_, group_.count_)
                            : reduce_load_group_64_(offsets_.at_, group_.first_, group_.count_);
}

/* Segment k of all. */
REDUCE_DEVICE_ struct reduce_segment_ reduce_segment_of_(struct reduce_offsets_ offsets_, size_t k) {
    return reduce_segment_between_(reduce_offset_(offsets_, k), reduce_offset_(offsets_, k + 1));
}

/* Segment l of a group; an empty one behind its end. */
REDUCE_DEVICE_ struct reduce_segment_ reduce_segment_in_(struct reduce_offsets_ offsets_,
                                                         struct reduce_group_ group_, unsigned l) {
    if (l >= group_.count_) return reduce_segment_between_(0, 0);
    return reduce_segment_of_(offsets_, group_.first_ + l);
}

/* The elements of the longest of a lane's segments. */
REDUCE_DEVICE_ size_t reduce_longest_of_lane_(const struct reduce_segments_ *own_) {
    size_t most_ = 0;
    REDUCE_UNROLL_
    for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++)
        most_ = own_->of_[s].count_ > most_ ? own_->of_[s].count_ : most_;
    return most_;
}

/* How many elements between two offsets matter for a load that reads beyond its own: 15 at most. */
REDUCE_DEVICE_ unsigned reduce_readable_between_(size_t from_, size_t to_) {
    return from_ < to_ ? (unsigned)REDUCE_MIN_(to_ - from_, (size_t)15) : 0;
}

/* All lanes of a warp call. The sum of count over the lanes before the caller's; only the first `lanes`
   lanes have counts. */
REDUCE_DEVICE_ unsigned reduce_counts_before_(unsigned count_, unsigned lanes_) {
    const unsigned lane_ = threadIdx.x % REDUCE_WARP;
    unsigned end_ = count_;
    REDUCE_UNROLL_
    for (unsigned apart_ = 1; apart_ < lanes_; apart_ *= 2) {
        const unsigned before_ = __shfl_up_sync(~0u, end_, apart_);
        if (lane_ >= apart_) end_ += before_;
    }
    return end_ - count_;
}

/* Whether 15 elements before and behind a segment lie between first and end. */
REDUCE_DEVICE_ bool reduce_is_inside_(struct reduce_segment_ segment_, size_t first_, size_t end_) {
    return segment_.begin_ >= first_ + 15 && segment_.begin_ + segment_.count_ + 15 <= end_;
}

/* ---- Short segments ----
 *
 * A warp reduces 32 neighbouring segments together; each lane has one of them as its own. A portion is what
 * one strand owns of a segment: up to V neighbours. Portions are numbered from segment to segment, and lane l
 * loads the portions l, l + 32, ...: so neighbouring lanes load neighbouring elements, whatever the lengths
 * are. The results of portions lie in the warp's scratch. A piece is as many of the 32 segments as have room
 * there. A unit is the portions of one tree's warp of a segment; one thread folds a unit. If a segment has
 * several units, their results replace the portions' in scratch, and the segment's own lane folds them.
 */

enum { REDUCE_SCRATCH_OF_WARP_ = 2816 }; /* bytes (measured) */
enum { REDUCE_BATCH_WORDS_ = REDUCE_SCRATCH_OF_WARP_ / 16 };

/* Things of the lanes (portions or units) that are numbered from lane to lane, from 0 on: this lane has
   count things, at least one, from number first on. A lane that does not take part has a first that no
   thing has. */
struct reduce_numbered_ { unsigned first_, count_; };

/* All lanes of a warp call: numbers count things of each lane. */
REDUCE_DEVICE_ struct reduce_numbered_ reduce_number_(unsigned count_) {
    const struct reduce_numbered_ own_ = {reduce_counts_before_(count_, REDUCE_WARP), count_};
    return own_;
}

/* All lanes of a warp call: the bits that any lane has set. */
REDUCE_DEVICE_ unsigned reduce_any_bits_(unsigned bits_) {
#if REDUCE_ARCH_ >= 800
    return __reduce_or_sync(~0u, bits_);
#else
    REDUCE_UNROLL_
    for (int half_ = REDUCE_WARP / 2; half_ > 0; half_ /= 2) bits_ |= __shfl_xor_sync(~0u, bits_, half_);
    return bits_;
#endif
}

/* All lanes of a warp call: lane l gets the lane that has thing first + l, or the last lane if there is no
   such thing. Lanes before next have only things before first; next is moved on. */
REDUCE_DEVICE_ unsigned reduce_owner_(struct reduce_numbered_ own_, unsigned first_, unsigned *next_) {
    const unsigned at_ = own_.first_ - first_, lane_ = threadIdx.x % REDUCE_WARP;
    const unsigned begin_ = reduce_any_bits_(at_ < REDUCE_WARP ? 1u << at_ : 0);
    const unsigned owner_ = *next_ + (unsigned)__popc(begin_ & ((2u << lane_) - 1)) - 1;
    *next_ += (unsigned)__popc(begin_);
    return owner_;
}

/* A piece: the segments of the lanes from first to before end, with `count` portions in all. base: the
   first element of the first segment that has any. own: the portions of the lane's own segment, if it is
   in the piece. */
struct reduce_piece_ {
    size_t base_;
    unsigned first_, end_, count_;
    struct reduce_numbered_ own_;
    bool is_own_;
};

#ifndef REDUCE_REACH_ /* elements among which all segments of a piece begin; tests define fewer */
#define REDUCE_REACH_ ((size_t)1 << 30)
#endif

/* All lanes of a warp call: the piece that begins with the segment of lane first and has no more than
   `most` portions. */
REDUCE_DEVICE_ struct reduce_piece_ reduce_piece_from_(struct reduce_segment_ own_,
                                                       struct reduce_numbered_ portions_, unsigned first_,
                                                       unsigned most_) {
    const bool is_left_ = threadIdx.x % REDUCE_WARP >= first_, has_any_ = own_.count_ > 0;
    const unsigned before_ = __shfl_sync(~0u, portions_.first_, (int)first_);
    const unsigned begin_ = portions_.first_ - before_, end_ = begin_ + portions_.count_;
    size_t base_ = own_.begin_;
    reduce_shuffle_(&base_, sizeof base_, __ffs((int)__ballot_sync(~0u, is_left_ && has_any_)) - 1, 0);
    const bool fits_ = end_ <= most_ && (!has_any_ || own_.begin_ - base_ < REDUCE_REACH_);
    const unsigned next_ = (unsigned)__ffs((int)__ballot_sync(~0u, is_left_ && !fits_));
    const unsigned last_ = next_ == 0 ? REDUCE_WARP - 1 : next_ - 2;
    const bool is_own_ = is_left_ && threadIdx.x % REDUCE_WARP <= last_;
    const struct reduce_piece_ piece_ = {base_, first_, last_ + 1, __shfl_sync(~0u, end_, (int)last_),
                                         {is_own_ ? begin_ : ~0u, is_own_ ? portions_.count_ : 0}, is_own_};
    return piece_;
}

/* A lane's segment in a piece, in elements from base on: where it begins and ends, and where the piece's
   portion 0 would begin if it belonged to this segment. */
struct reduce_in_piece_ { int begin_, end_, zero_; };

REDUCE_DEVICE_ struct reduce_in_piece_ reduce_place_in_piece_(const struct reduce_piece_ *piece_,
                                                              struct reduce_segment_ own_,
                                                              unsigned positions_) {
    const int begin_ = own_.count_ > 0 ? (int)(own_.begin_ - piece_->base_) : 0;
    const struct reduce_in_piece_ in_piece_ = {begin_, begin_ + (int)own_.count_,
                                               begin_ - (int)(piece_->own_.first_ * positions_)};
    return in_piece_;
}

/* ---- Shares ---- */

/* What all blocks know of the line. share: places of a block. A slot stands for 2^slot_bits places. group:
   segments of a group. */
struct reduce_line_ {
    struct reduce_offsets_ offsets_;
    size_t count_;
    int64_t first_, share_;
    int slot_bits_;
    unsigned group_;
    bool lists_; /* segments are not short on average: a warp lists all that are not short */
};

/* The slots of a workspace hold the results of shared segments' chunks. Behind them lies a counter for
   each block: the chunks that are done of the shared segment that begins in the block's share. */
#define REDUCE_SLOT_BYTES_ sizeof(((reduce_workspace *)0)->slots_)
#define REDUCE_DONE_BYTES_ ((sizeof(unsigned) * REDUCE_SEGMENT_BLOCKS_ + 63) / 64 * 64)
REDUCE_ASSERT_(REDUCE_SLOT_BYTES_ >= REDUCE_DONE_BYTES_ + REDUCE_MAX_SIZE,
               "reduce_rows.cuh: what blocks count lies in the slots: define fewer blocks or more slots")

REDUCE_DEVICE_ unsigned *reduce_done_of_(reduce_workspace *ws_, unsigned block_) {
    return (unsigned *)(void *)((char *)ws_->slots_ + (REDUCE_SLOT_BYTES_ - REDUCE_DONE_BYTES_)) + block_;
}

/* The place of segment k, which begins at an offset. */
REDUCE_DEVICE_ int64_t reduce_place_after_(const struct reduce_line_ *line_, int64_t offset_, size_t k) {
    return offset_ - line_->first_ + (int64_t)k * REDUCE_SEGMENT_WEIGHT_;
}

REDUCE_DEVICE_ int64_t reduce_place_of_(const struct reduce_line_ *line_, size_t k) {
    return reduce_place_after_(line_, reduce_offset_(line_->offsets_, k), k);
}

/* The line of count segments. result_size: bytes of a T; short: elements of a short segment. Groups are so
   large that all lanes of a warp have work where segments are short. */
REDUCE_DEVICE_ struct reduce_line_ reduce_line_of_(struct reduce_offsets_ offsets_, size_t count_,
                                                   size_t element_size_, size_t result_size_,
                                                   size_t short_) {
    struct reduce_line_ line_ = {offsets_, count_, reduce_offset_(offsets_, 0), 0, 0, REDUCE_GROUP_, false};
    const int64_t end_ = reduce_offset_(offsets_, count_);
    const size_t elements_ = end_ > line_.first_ ? (size_t)(end_ - line_.first_) : 0;
    const size_t all_ = elements_ + count_ * REDUCE_SEGMENT_WEIGHT_;
    const size_t slots_ = (REDUCE_SLOT_BYTES_ - REDUCE_DONE_BYTES_) / result_size_;
    line_.share_ = (int64_t)(all_ / REDUCE_SEGMENT_BLOCKS_ + 1);
    while (all_ >> line_.slot_bits_ >= slots_) line_.slot_bits_++;
    line_.lists_ = elements_ > count_ * short_;
    while (line_.group_ > REDUCE_WARP &&
           elements_ * element_size_ * line_.group_ > count_ * REDUCE_GROUP_BYTES_)
        line_.group_ /= 2;
    return line_;
}

/* The results of reduce_find_. */
struct reduce_found_ { size_t of_[3]; };

/* How far apart the segments are that a search's first step looks at. A thread can load the offset of its
   segment early. */
REDUCE_DEVICE_ size_t reduce_step_of_(size_t left_) { return left_ / (REDUCE_SEGMENT_THREADS_ + 1) + 1; }

REDUCE_DEVICE_ int64_t reduce_early_offset_(struct reduce_offsets_ offsets_, size_t count_) {
    const size_t k = (threadIdx.x + 1) * reduce_step_of_(count_) - 1;
    return k < count_ ? reduce_offset_(offsets_, k) : 0;
}

/* All threads of the block: for each of three places, finds the first segment that does not lie before. All
   searches halve in the same way, so that places in ascending order give segments in ascending order, even if
   offsets decrease. The first share begins with the first segment, and the last ends with the last. */
REDUCE_DEVICE_ struct reduce_found_ reduce_find_(const struct reduce_line_ *line_, int64_t early_,
                                                 int64_t first_, int64_t second_, int64_t third_) {
    const int64_t places_[3] = {first_, second_, third_};
    const int64_t end_ = line_->share_ * REDUCE_SEGMENT_BLOCKS_;
    struct reduce_found_ found_ = {{0, 0, 0}};
    size_t left_[3];
    for (int s = 0; s < 3; s++) {
        left_[s] = places_[s] > 0 && places_[s] < end_ ? line_->count_ : 0;
        if (places_[s] >= end_) found_.of_[s] = line_->count_;
    }
    for (bool is_early_ = true; left_[0] + left_[1] + left_[2] > 0; is_early_ = false) {
        size_t step_[3];
        bool is_before_[3];
        REDUCE_UNROLL_
        for (int s = 0; s < 3; s++) {
            step_[s] = reduce_step_of_(left_[s]);
            const size_t at_ = (threadIdx.x + 1) * step_[s] - 1, k = found_.of_[s] + at_;
            int64_t offset_ = early_;
            if (at_ < left_[s] && !is_early_) offset_ = reduce_offset_(line_->offsets_, k);
            is_before_[s] = at_ < left_[s] && reduce_place_after_(line_, offset_, k) < places_[s];
        }
        REDUCE_UNROLL_
        for (int s = 0; s < 3; s++) {
            const size_t passed_ = (size_t)__syncthreads_count(is_before_[s]) * step_[s];
            found_.of_[s] += passed_;
            left_[s] = REDUCE_MIN_(left_[s] - passed_, step_[s] - 1);
        }
    }
    return found_;
}

/* A shared segment: its chunks lie in the shares of block owner to block last. This block has the chunks
   from number from to before number to. The result of chunk 0 goes to slot first. */
struct reduce_shared_ {
    size_t k, begin_, n, chunk_;
    int64_t place_;
    unsigned count_; /* of its chunks */
    unsigned owner_, last_, from_, to_, first_;
    bool is_shared_, is_last_; /* is_last: this block delivered the last of its chunks' results */
};

/* The block in whose share a place lies. Most places are near the caller's share, and a division takes
   long. */
REDUCE_DEVICE_ int64_t reduce_block_of_place_(const struct reduce_line_ *line_, int64_t place_) {
    const int64_t here_ = blockIdx.x, apart_ = place_ - here_ * line_->share_, share_ = line_->share_;
    if (apart_ >= 0 && apart_ < 2 * share_) return apart_ < share_ ? here_ : here_ + 1;
    return apart_ < 0 && apart_ >= -share_ ? here_ - 1 : place_ / share_;
}

/* The number of chunks of n elements. */
REDUCE_DEVICE_ unsigned reduce_chunks_in_(size_t n, size_t chunk_, size_t stripe_) {
    return ((unsigned)reduce_divide_up_(n, stripe_) - 1) / (unsigned)(chunk_ / stripe_) + 1;
}

/* One thread: describes segment k. It may be shared if it has several chunks, these lie in several shares,
   and there are slots for their results. */
REDUCE_DEVICE_ void reduce_look_at_segment_(struct reduce_shared_ *to_, const struct reduce_line_ *line_,
                                            size_t k, size_t element_size_) {
    const struct reduce_segment_ segment_ = reduce_segment_of_(line_->offsets_, k);
    to_->k = k;
    to_->begin_ = segment_.begin_;
    to_->n = segment_.count_;
    to_->chunk_ = reduce_cut_(to_->n, element_size_).chunk_;
    to_->place_ = reduce_place_of_(line_, k);
    if (to_->chunk_ == to_->n || to_->place_ < 0) return;
    to_->count_ = reduce_chunks_in_(to_->n, to_->chunk_, REDUCE_STRIPE_(element_size_));
    const int64_t last_ = to_->place_ + (int64_t)((to_->count_ - 1) * to_->chunk_);
    const int64_t first_ = (to_->place_ + ((int64_t)1 << line_->slot_bits_) - 1) >> line_->slot_bits_;
    const int64_t until_ = (to_->place_ + (int64_t)to_->n) >> line_->slot_bits_;
    const int64_t of_last_ = reduce_block_of_place_(line_, last_);
    if (of_last_ >= REDUCE_SEGMENT_BLOCKS_) return;
    to_->owner_ = (unsigned)reduce_block_of_place_(line_, to_->place_);
    to_->last_ = (unsigned)of_last_;
    to_->first_ = (unsigned)first_;
    to_->is_shared_ = to_->last_ > to_->owner_ && first_ + to_->count_ <= until_;
}

/* The first of a segment's chunks that does not lie before a block's share. */
REDUCE_DEVICE_ unsigned reduce_first_chunk_(const struct reduce_shared_ *shared_, int64_t share_,
                                            unsigned block_, size_t stripe_) {
    const int64_t before_ = share_ * block_ - shared_->place_;
    if (before_ <= 0) return 0;
    if ((size_t)before_ >= shared_->n) return shared_->count_;
    return reduce_chunks_in_((size_t)before_, shared_->chunk_, stripe_);
}

/* One thread: decides whether a segment is shared, and sets the chunks of this block. firsts: the first
   segments of the shares of the owner, of the block after it and of the last block. If offsets decrease, a
   segment may not lie where its place says; then one block has all of it. */
REDUCE_DEVICE_ void reduce_share_segment_(struct reduce_shared_ *shared_, const struct reduce_line_ *line_,
                                          const size_t *firsts_, size_t stripe_) {
    const size_t k = shared_->k;
    shared_->is_shared_ = firsts_[0] <= k && firsts_[1] == k + 1 && firsts_[2] == k + 1 &&
                          reduce_place_of_(line_, firsts_[0]) <= shared_->place_;
    if (!shared_->is_shared_) return;
    shared_->from_ = reduce_first_chunk_(shared_, line_->share_, blockIdx.x, stripe_);
    shared_->to_ = reduce_first_chunk_(shared_, line_->share_, blockIdx.x + 1, stripe_);
}

/* All threads: the same for a segment that may be shared. found: the first segments of the shares of the
   block before, of this one and of the next. */
REDUCE_DEVICE_ void reduce_share_or_not_(struct reduce_shared_ *shared_, const struct reduce_line_ *line_,
                                         const struct reduce_found_ *found_, size_t stripe_) {
    if (!shared_->is_shared_) return;
    const int64_t share_ = line_->share_, owner_ = shared_->owner_, last_ = shared_->last_;
    const int64_t here_ = blockIdx.x;
    struct reduce_found_ firsts_;
    if (owner_ + 1 >= here_ && last_ <= here_ + 1) {
        firsts_.of_[0] = found_->of_[owner_ + 1 == here_ ? 0 : 1];
        firsts_.of_[1] = found_->of_[owner_ + 1 == here_ ? 1 : 2];
        firsts_.of_[2] = found_->of_[last_ == here_ ? 1 : 2];
    } else {
        const int64_t early_ = reduce_early_offset_(line_->offsets_, line_->count_);
        firsts_ = reduce_find_(line_, early_, owner_ * share_, (owner_ + 1) * share_, last_ * share_);
    }
    __syncthreads(); /* all threads have read is_shared */
    if (threadIdx.x == 0) reduce_share_segment_(shared_, line_, firsts_.of_, stripe_);
    __syncthreads();
}

/* What a block knows of its share, in shared memory: its segments, from first to before end, and how many
   groups of them are taken. list: the middle segments that warps leave, at the front, and the long ones,
   at the back, each counted from first; taken: the middle ones that warps have taken; done: the long ones
   that are done, after two for the shared ones. shared: the segment that began before the share, and the
   one that ends after it. */
struct reduce_own_share_ {
    struct reduce_line_ line_;
    size_t first_, end_;
    unsigned groups_, middle_count_, long_count_, taken_;
    unsigned done_;
    unsigned list_[REDUCE_LISTED_];
    struct reduce_shared_ shared_[2];
};

/* One thread: asks for some bytes, as far as they lie before the end, to be prefetched into the L2 cache. */
REDUCE_DEVICE_ void reduce_ask_(const char *from_, size_t bytes_, const char *end_) {
#if defined __CUDA_ARCH__ && REDUCE_ARCH_ >= 900
    const char *const first_ = from_ + (16 - (uintptr_t)from_ % 16) % 16;
    const size_t left_ = first_ < end_ ? (size_t)(end_ - first_) : 0;
    const unsigned some_ = (unsigned)REDUCE_MIN_(REDUCE_MIN_(bytes_, left_), (size_t)65536) / 16 * 16;
    if (some_ > 0)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                     :
                     : "l"(__cvta_generic_to_global(first_)), "r"(some_));
#else
    (void)from_, (void)bytes_, (void)end_;
#endif
}

/* One thread: asks for the first elements of its block's share, which begins before segment k. Elements
   before end may be read. */
REDUCE_DEVICE_ void reduce_ask_for_share_(const struct reduce_line_ *line_, size_t k, const char *in_,
                                          size_t size_, size_t end_) {
    const int64_t before_ = line_->share_ * (int64_t)blockIdx.x - (int64_t)k * REDUCE_SEGMENT_WEIGHT_;
    const size_t first_ = (size_t)(line_->first_ + (before_ > 0 ? before_ : 0));
    const size_t bytes_ = (size_t)line_->share_ * size_;
    reduce_ask_(in_ + first_ * size_, REDUCE_MIN_(bytes_, (size_t)REDUCE_ASKED_BYTES_), in_ + end_ * size_);
}

/* All threads of the block, once the line is known: find the share. in: where elements begin; those before
   end may be read. */
REDUCE_DEVICE_ void reduce_begin_share_(struct reduce_own_share_ *own_, int64_t early_, const void *in_,
                                        size_t end_, size_t in_size_, size_t element_size_) {
    const struct reduce_line_ *const line_ = &own_->line_;
    const int64_t place_ = line_->share_ * (int64_t)blockIdx.x;
    const struct reduce_found_ found_ =
        reduce_find_(line_, early_, place_ - line_->share_, place_, place_ + line_->share_);
    const unsigned s = threadIdx.x / REDUCE_WARP;
    if (threadIdx.x == REDUCE_WARP - 1 && !line_->lists_)
        reduce_ask_for_share_(line_, found_.of_[1], (const char *)in_, in_size_, end_);
    if (threadIdx.x == 0) {
        own_->first_ = found_.of_[1], own_->end_ = found_.of_[2];
        own_->groups_ = own_->middle_count_ = own_->long_count_ = own_->taken_ = own_->done_ = 0;
    }
    if (s < 2 && threadIdx.x % REDUCE_WARP == 0) {
        memset(&own_->shared_[s], 0, sizeof own_->shared_[s]);
        if (found_.of_[1 + s] > (s == 0 ? 0 : found_.of_[1]))
            reduce_look_at_segment_(&own_->shared_[s], line_, found_.of_[1 + s] - 1, element_size_);
    }
    __syncthreads();
    REDUCE_NO_UNROLL_
    for (int l = 0; l < 2; l++)
        reduce_share_or_not_(&own_->shared_[l], line_, &found_, REDUCE_STRIPE_(element_size_));
}

/* All lanes of a warp call: the next group of the block's share. It is empty if there is none, or if many
   segments are listed. */
REDUCE_DEVICE_ struct reduce_group_ reduce_next_group_(struct reduce_own_share_ *own_) {
    const size_t size_ = own_->line_.group_;
    unsigned k = UINT32_MAX;
    if (threadIdx.x % REDUCE_WARP == 0) {
        const unsigned listed_ = atomicAdd(&own_->middle_count_, 0u) + atomicAdd(&own_->long_count_, 0u);
        if (listed_ <= REDUCE_FEW_LISTED_) k = atomicAdd(&own_->groups_, 1u);
    }
    k = __shfl_sync(~0u, k, 0);
    struct reduce_group_ group_ = {own_->first_ + k * size_, 0};
    if (k != UINT32_MAX && group_.first_ < own_->end_)
        group_.count_ = (unsigned)REDUCE_MIN_(own_->end_ - group_.first_, size_);
    return group_;
}

/* One thread: lists segment k, of n elements, unless it is shared. (nvcc orders code by the names of
   functions out of line: another name gives other machine code.) */
REDUCE_OUT_OF_LINE_ void reduce_list_long_(struct reduce_own_share_ *own_, size_t k, size_t n,
                                           size_t stripe_) {
    const unsigned at_ = (unsigned)(k - own_->first_);
    if (own_->shared_[1].is_shared_ && own_->shared_[1].k == k) return;
    if (n <= stripe_)
        own_->list_[atomicAdd(&own_->middle_count_, 1u)] = at_;
    else
        own_->list_[REDUCE_LISTED_ - 1 - atomicAdd(&own_->long_count_, 1u)] = at_;
}

/* All lanes of a warp call: the next listed middle segment; SIZE_MAX if there is none. */
REDUCE_DEVICE_ size_t reduce_next_middle_(struct reduce_own_share_ *own_) {
    unsigned l = 0;
    if (threadIdx.x % REDUCE_WARP == 0) l = atomicAdd(&own_->taken_, 1u);
    l = __shfl_sync(~0u, l, 0);
    return l < own_->middle_count_ ? own_->first_ + own_->list_[l] : SIZE_MAX;
}

/* All threads, when all listed segments are done: empties the list. True if there are groups left. */
REDUCE_DEVICE_ bool reduce_end_round_(struct reduce_own_share_ *own_) {
    const bool has_more_ = own_->first_ + (size_t)own_->groups_ * own_->line_.group_ < own_->end_;
    __syncthreads();
    if (threadIdx.x == 0) own_->middle_count_ = own_->long_count_ = own_->taken_ = 0, own_->done_ = 2;
    __syncthreads();
    return has_more_;
}

/* All lanes of a warp call, when the block's results of a shared segment lie in their slots: whether they
   were the last. */
REDUCE_DEVICE_ bool reduce_were_last_(const struct reduce_shared_ *shared_, reduce_workspace *ws_) {
    const unsigned own_ = shared_->to_ - shared_->from_;
    unsigned *const done_ = reduce_done_of_(ws_, shared_->owner_);
    bool are_last_ = false;
    if (threadIdx.x % REDUCE_WARP == 0) {
        __threadfence();
        are_last_ = atomicAdd(done_, own_) + own_ == shared_->count_;
        if (are_last_) atomicExch(done_, 0u);
        __threadfence();
    }
    __syncwarp();
    return __shfl_sync(~0u, are_last_, 0) != 0;
}

/* ---- Items of long segments ----
 *
 * A block reduces the chunks of several long segments together: these are its items. Each warp takes tasks of
 * them, which are one or two tree's warps of an item.
 */

/* An item: count elements from begin on, whose indices in their segment start with i. */
struct reduce_item_ {
    size_t begin_, i;
    unsigned count_;
};

/* Items that a block reduces together at most: as many as shared memory holds results for. */
#define REDUCE_ITEMS_(T) REDUCE_MIN_(REDUCE_MOST_ITEMS_, sizeof(T) <= 8 ? 64 : REDUCE_CHUNKS_TO_MEET_(T) / 2)

/* Chunks of a long segment: count of them from number from on; the first is item at. slot: of chunk 0 of a
   shared segment. */
struct reduce_listed_ {
    size_t k, begin_, n, chunk_;
    unsigned from_, count_, at_, slot_;
    bool is_shared_;
};

/* The segments whose items a block reduces together; none if the first has too many chunks. */
struct reduce_together_ {
    struct reduce_listed_ of_[REDUCE_WARP];
    unsigned segments_, items_;
};

/* A block's chunks of a shared segment; none if they are too many to be reduced together with others. */
REDUCE_DEVICE_ struct reduce_listed_ reduce_listed_shared_(const struct reduce_shared_ *shared_,
                                                           unsigned most_) {
    const unsigned own_ = shared_->to_ - shared_->from_;
    const struct reduce_listed_ listed_ = {shared_->k,     shared_->begin_,          shared_->n,
                                           shared_->chunk_, shared_->from_, own_ > most_ / 2 ? 0 : own_,
                                           0,              shared_->first_,          true};
    return listed_;
}

/* Number l of what a block reduces as a whole: the two shared segments, then the listed long ones. */
REDUCE_DEVICE_ struct reduce_listed_ reduce_listed_of_(const struct reduce_own_share_ *own_, unsigned l,
                                                       unsigned most_, size_t element_size_) {
    struct reduce_listed_ listed_ = {0, 0, 0, 0, 0, 0, 0, 0, false};
    if (l < 2) return reduce_listed_shared_(&own_->shared_[l], most_);
    l -= 2;
    if (l >= own_->long_count_) return listed_;
    listed_.k = own_->first_ + own_->list_[REDUCE_LISTED_ - 1 - l];
    const struct reduce_segment_ segment_ = reduce_segment_of_(own_->line_.offsets_, listed_.k);
    listed_.begin_ = segment_.begin_;
    listed_.n = segment_.count_;
    listed_.chunk_ = reduce_cut_(segment_.count_, element_size_).chunk_;
    listed_.count_ = 1;
    if (listed_.chunk_ < listed_.n)
        listed_.count_ = reduce_chunks_in_(listed_.n, listed_.chunk_, REDUCE_STRIPE_(element_size_));
    return listed_;
}

/* Whether some of these are left. */
REDUCE_DEVICE_ bool reduce_has_listed_(const struct reduce_own_share_ *own_) {
    const unsigned shared_ = own_->shared_[0].to_ + own_->shared_[1].to_ > 0 ? 2 : 0;
    return own_->done_ < (own_->long_count_ > 0 ? own_->long_count_ + 2 : shared_);
}

/* One lane: sets the items of a listed segment's chunks. */
REDUCE_DEVICE_ void reduce_items_of_(struct reduce_item_ *items_, const struct reduce_listed_ *listed_) {
    for (unsigned c = 0; c < listed_->count_; c++) {
        const size_t i = (listed_->from_ + c) * listed_->chunk_, left_ = listed_->n - i;
        const struct reduce_item_ item_ = {listed_->begin_ + i, i,
                                           (unsigned)REDUCE_MIN_(left_, listed_->chunk_)};
        items_[listed_->at_ + c] = item_;
    }
}

/* All lanes of the first warp: choose the next segments that the block reduces together, with no more
   than `most` items. */
REDUCE_DEVICE_ void reduce_choose_together_(struct reduce_own_share_ *own_, struct reduce_together_ *to_,
                                            struct reduce_item_ *items_, unsigned most_,
                                            size_t element_size_) {
    const unsigned lane_ = threadIdx.x % REDUCE_WARP;
    struct reduce_listed_ listed_ = reduce_listed_of_(own_, own_->done_ + lane_, most_, element_size_);
    listed_.at_ = reduce_counts_before_(listed_.count_, REDUCE_WARP);
    const unsigned fit_ = __ballot_sync(~0u, listed_.at_ + listed_.count_ <= most_);
    const unsigned taken_ = fit_ == ~0u ? REDUCE_WARP : (unsigned)__ffs((int)~fit_) - 1;
    if (lane_ <= taken_) to_->of_[lane_] = listed_;
    if (lane_ < taken_) reduce_items_of_(items_, &listed_);
    if (lane_ + 1 == taken_) to_->items_ = listed_.at_ + listed_.count_;
    if (lane_ == 0) to_->segments_ = taken_;
    __syncwarp();
    if (lane_ == 0) own_->done_ += taken_ > 0 ? taken_ : 1;
}

/* ---- Portions and pieces ---- */

/* struct NAME_segments_: the call. Elements from first to before end may be read. */
#define REDUCE_GIVEN_SEGMENTS_(NAME)                                                                        \
    struct NAME##_segments_ {                                                                               \
        NAME##_input_ in_;                                                                                  \
        size_t first_, end_;                                                                                \
        reduce_workspace *ws_;                                                                              \
        NAME##_result *out_;                                                                                \
    };

/* struct NAME_segments_scratch_: the shared memory of a block. of_warp: each warp's scratch. of_warps,
   of_chunks: the results of the tree's warps of each item, and of the items. */
#define REDUCE_SEGMENTS_SCRATCH_(NAME)                                                                      \
    enum { NAME##_items_ = REDUCE_ITEMS_(NAME##_result) };                                                  \
    struct NAME##_segments_scratch_ {                                                                       \
        struct reduce_16_bytes_ of_warp_[REDUCE_SEGMENT_WARPS_][REDUCE_BATCH_WORDS_]                        \
            __attribute__((__aligned__(64)));                                                               \
        struct NAME##_segments_ call_;                                                                      \
        struct reduce_own_share_ share_;                                                                    \
        struct reduce_together_ together_;                                                                  \
        NAME##_result of_warps_[NAME##_items_][REDUCE_WARPS_], of_chunks_[NAME##_items_];                   \
        struct reduce_item_ items_[NAME##_items_];                                                          \
    };

/* struct NAME_run_ NAME_run_in_(...): the run of count elements from begin on, whose indices start with i. */
#define REDUCE_RUN_IN_(NAME)                                                                                \
    REDUCE_DEVICE_ struct NAME##_run_ NAME##_run_in_(const struct NAME##_segments_ *call_, size_t begin_,   \
                                                     unsigned count_, size_t i) {                           \
        struct NAME##_run_ run_ = NAME##_run_from_(call_->in_, begin_, count_);                             \
        run_.i = i;                                                                                         \
        run_.before_ = reduce_readable_between_(call_->first_, begin_);                                     \
        run_.after_ = reduce_readable_between_(begin_ + count_, call_->end_);                               \
        return run_;                                                                                        \
    }

/* NAME_scratch_portions_: portions that a warp's scratch holds. NAME_pads_: each segment's begin one place
   further than they must, so that threads that fold neighbouring segments have no bank conflicts.
   NAME_short_: elements of a short segment at most. REDUCE_SHORT_PORTIONS_: its portions at most
   (measured: a warp is faster beyond). */
#define REDUCE_SHORT_PORTIONS_ REDUCE_MIN_(4 * REDUCE_WARP, REDUCE_STRANDS)
#define REDUCE_SHORT_LAYOUT_(NAME)                                                                          \
    enum {                                                                                                  \
        NAME##_places_ = REDUCE_SCRATCH_OF_WARP_ / sizeof(NAME##_result),                                   \
        NAME##_pads_ = (int)NAME##_places_ >= 2 * REDUCE_WARP,                                              \
        NAME##_scratch_portions_ = ((int)NAME##_places_ / REDUCE_WARP - (int)NAME##_pads_) * REDUCE_WARP,   \
        NAME##_short_ = REDUCE_MIN_((int)NAME##_scratch_portions_,                                          \
                                    REDUCE_SHORT_PORTIONS_) * NAME##_positions_,                            \
        NAME##_shifts_short_ = NAME##_shifts_ && NAME##_positions_ > 4                                      \
    };

/* struct NAME_portion_: what was loaded for a portion of count elements, the first of index i: the
   elements, or two words in which they begin skew bytes from the beginning. */
#define REDUCE_PORTION_(NAME)                                                                               \
    struct NAME##_portion_ {                                                                                \
        struct NAME##_loaded_ x;                                                                            \
        unsigned words_[8] __attribute__((__aligned__(16)));                                                \
        unsigned skew_;                                                                                     \
        int count_, i;                                                                                      \
    };

/* void NAME_load_each_(...): loads count elements from the beginning of an input. The others are the
   identity, if elements are operands, or zeros. Without a value nvcc would keep the registers from one
   iteration to the next. */
#define REDUCE_LOAD_EACH_(NAME, KIND)                                                                       \
    REDUCE_DEVICE_ void NAME##_load_each_(struct NAME##_loaded_ *to_, NAME##_input_ from_, int count_) {    \
        const NAME##_result identity_ = NAME##_identity();                                                  \
        memset((void *)to_, 0, sizeof *to_);                                                                \
        REDUCE_UNROLL_                                                                                      \
        for (int p = 0; p < NAME##_positions_; p++) {                                                       \
            if (!NAME##_is_mapped_)                                                                         \
                memcpy((void *)&to_->x[p], &identity_, REDUCE_MIN_(sizeof to_->x[p], sizeof identity_));    \
            if (p < count_) REDUCE_LOAD_ONE_##KIND(to_, from_, p, p);                                       \
        }                                                                                                   \
    }

/* void NAME_load_portion_(...): loads a portion from the beginning of an input. is_wide: whole words may
   be read; if no words are shifted, the input begins with one. */
#define REDUCE_LOAD_PORTION_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_load_portion_(struct NAME##_portion_ *to_, NAME##_input_ from_, int count_,  \
                                             int i, bool is_wide_) {                                        \
        const unsigned skew_ = NAME##_shifts_short_ ? (unsigned)((uintptr_t)from_.in_ % 16) : 0;            \
        const char *const words_ = (const char *)from_.in_ - skew_;                                         \
        to_->count_ = count_, to_->i = i, to_->skew_ = skew_;                                               \
        if (!is_wide_) {                                                                                    \
            NAME##_load_each_(&to_->x, from_, count_);                                                      \
            return;                                                                                         \
        }                                                                                                   \
        const int some_ = REDUCE_MIN_(count_, (int)NAME##_positions_);                                      \
        const bool has_two_ = skew_ + (unsigned)some_ * (unsigned)NAME##_size_ > 16;                        \
        reduce_load_word_(to_->words_, words_, count_ > 0);                                                 \
        if (NAME##_shifts_short_) reduce_load_word_(to_->words_ + 4, words_ + 16, count_ > 0 && has_two_);  \
    }

/* void NAME_shift_portion_(...): shifts a portion's elements out of its words. */
#define REDUCE_SHIFT_PORTION_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_shift_portion_(struct NAME##_loaded_ *to_, const struct NAME##_portion_ *x) {\
        reduce_shift_words_(to_, x->words_, x->skew_, NAME##_shifts_short_ ? NAME##_size_ : 16);            \
    }

/* T NAME_of_portion_(...): the result of a portion. */
#define REDUCE_OF_PORTION_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_of_portion_(const struct NAME##_portion_ *x, NAME##_input_ in_,     \
                                                    bool is_wide_) {                                        \
        struct NAME##_loaded_ shifted_;                                                                     \
        struct NAME##_strand_ strand_;                                                                      \
        const unsigned count_ = x->count_ > 0 ? (unsigned)x->count_ : 0;                                    \
        is_wide_ = is_wide_ && NAME##_shifts_;                                                              \
        NAME##_begin_strand_(&strand_);                                                                     \
        if (is_wide_) NAME##_shift_portion_(&shifted_, x);                                                  \
        if (is_wide_ ? NAME##_shifts_short_ && count_ >= NAME##_positions_ : !NAME##_is_mapped_)            \
            NAME##_add_loaded_(strand_.values_, is_wide_ ? &shifted_ : &x->x, in_, (size_t)x->i);           \
        else                                                                                                \
            NAME##_add_few_(strand_.values_, NAME##_loaded_at_(in_, is_wide_ ? &shifted_ : &x->x), count_,  \
                            (size_t)x->i);                                                                  \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }

/* void NAME_load_numbered_portion_(...): all lanes of a warp call. Each loads portion k, which belongs to
   the segment of lane owner. base: the piece's first element. */
#define REDUCE_LOAD_NUMBERED_PORTION_(NAME)                                                                 \
    REDUCE_DEVICE_ void NAME##_load_numbered_portion_(struct NAME##_portion_ *to_, NAME##_input_ base_,     \
                                                      struct reduce_in_piece_ own_, unsigned k,             \
                                                      unsigned owner_,                                      \
                                                      bool is_wide_) {                                      \
        const bool needs_i_ = NAME##_is_mapped_ != 0;                                                       \
        const int at_ = __shfl_sync(~0u, own_.zero_, (int)owner_) + (int)(k * NAME##_positions_);           \
        const int end_ = __shfl_sync(~0u, own_.end_, (int)owner_);                                          \
        const int i = needs_i_ ? at_ - __shfl_sync(~0u, own_.begin_, (int)owner_) : 0;                      \
        NAME##_load_portion_(to_, NAME##_input_at_(base_, (size_t)at_), end_ - at_, i, is_wide_);           \
    }

/* void NAME_load_portions_(...): all lanes of a warp load portions of a piece, from number first on.
   place: where their results go in scratch. next: see reduce_owner_. */
#define REDUCE_LOAD_PORTIONS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_load_portions_(struct NAME##_portion_ *x, unsigned *place_,                  \
                                              NAME##_input_ base_, struct reduce_in_piece_ own_,            \
                                              const struct reduce_piece_ *piece_, unsigned first_,          \
                                              unsigned *next_, bool is_wide_) {                             \
        unsigned k = first_ + threadIdx.x % REDUCE_WARP;                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_at_once_; s++, first_ += REDUCE_WARP, k += REDUCE_WARP) {           \
            memset((void *)&x[s], 0, sizeof x[s]), place_[s] = 0;                                           \
            if (first_ >= piece_->count_) continue;                                                         \
            const unsigned owner_ = reduce_owner_(piece_->own_, first_, next_);                             \
            place_[s] = k + (NAME##_pads_ ? owner_ : 0);                                                    \
            NAME##_load_numbered_portion_(&x[s], base_, own_, k, owner_, is_wide_);                         \
        }                                                                                                   \
    }

/* void NAME_portions_to_scratch_(...): all lanes of a warp load these portions and store their results in
   scratch. */
#define REDUCE_PORTIONS_TO_SCRATCH_(NAME)                                                                   \
    REDUCE_DEVICE_ void NAME##_portions_to_scratch_(NAME##_result *scratch_, NAME##_input_ base_,           \
                                                    struct reduce_in_piece_ own_,                           \
                                                    const struct reduce_piece_ *piece_, unsigned first_,    \
                                                    unsigned *next_, bool is_wide_) {                       \
        struct NAME##_portion_ x[NAME##_at_once_];                                                          \
        unsigned place_[NAME##_at_once_];                                                                   \
        NAME##_load_portions_(x, place_, base_, own_, piece_, first_, next_, is_wide_);                     \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_at_once_; s++)                                                      \
            if (first_ + s * REDUCE_WARP < piece_->count_)                                                  \
                scratch_[place_[s]] = NAME##_of_portion_(&x[s], base_, is_wide_);                           \
    }

/* void NAME_piece_to_scratch_(...): all lanes of a warp store the results of all portions of a piece in
   scratch. */
#define REDUCE_PIECE_TO_SCRATCH_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_piece_to_scratch_(const struct NAME##_segments_ *call_, NAME##_input_ in_,   \
                                                 NAME##_result *scratch_, struct reduce_segment_ segment_,  \
                                                 const struct reduce_piece_ *piece_) {                      \
        const struct reduce_in_piece_ own_ = reduce_place_in_piece_(piece_, segment_, NAME##_positions_);   \
        const NAME##_input_ base_ = NAME##_input_at_(in_, piece_->base_);                                   \
        const bool is_wide_ = __all_sync(~0u, !piece_->is_own_ || NAME##_suits_(call_, in_, segment_));     \
        __syncwarp(); /* what was in scratch is no longer needed */                                         \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0, next_ = piece_->first_; k < piece_->count_; k += NAME##_at_once_ * REDUCE_WARP)\
            if (is_wide_)                                                                                   \
                NAME##_portions_to_scratch_(scratch_, base_, own_, piece_, k, &next_, true);                \
            else                                                                                            \
                NAME##_portions_to_scratch_(scratch_, base_, own_, piece_, k, &next_, false);               \
        __syncwarp();                                                                                       \
    }

/* bool NAME_suits_(...): whether a segment suits wide loads. */
#define REDUCE_SUITS_(NAME)                                                                                 \
    REDUCE_DEVICE_ bool NAME##_suits_(const struct NAME##_segments_ *call_, NAME##_input_ in_,              \
                                      struct reduce_segment_ own_) {                                        \
        const bool is_inside_ = reduce_is_inside_(own_, call_->first_, call_->end_);                        \
        const bool is_aligned_ = NAME##_shifts_short_ || (uintptr_t)(in_.in_ + own_.begin_) % 16 == 0;      \
        return NAME##_shifts_ && (own_.count_ == 0 || (is_inside_ && is_aligned_));                         \
    }

/* T NAME_fold_eight_(...): one thread folds up to 8 of count neighbours: number k and every apart-th after
   it. */
#define REDUCE_FOLD_EIGHT_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_eight_(const NAME##_result *from_, unsigned count_,            \
                                                    unsigned k, unsigned apart_) {                          \
        NAME##_result x[8];                                                                                 \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < 8; s++, k += apart_) {                                                          \
            x[s] = NAME##_identity();                                                                       \
            if (k < count_) x[s] = from_[k];                                                                \
        }                                                                                                   \
        return NAME##_fold_here_(x, 8);                                                                     \
    }

/* T NAME_fold_some_(...): one thread folds count neighbours, at most 8 * apart, as lanes of a warp do.
   apart: 1, 2 or 4. */
#define REDUCE_FOLD_SOME_(NAME)                                                                             \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_some_(const NAME##_result *from_, unsigned count_,             \
                                                   unsigned apart_) {                                       \
        if (apart_ == 1) return NAME##_fold_eight_(from_, count_, 0, 1);                                    \
        if (apart_ == 2)                                                                                    \
            return NAME##_combine(NAME##_fold_eight_(from_, count_, 0, 2),                                  \
                                  NAME##_fold_eight_(from_, count_, 1, 2));                                 \
        NAME##_result x = NAME##_identity();                                                                \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < 2; k++) {                                                                  \
            const NAME##_result y = NAME##_fold_eight_(from_, count_, k, 4);                                \
            const NAME##_result z = NAME##_combine(y, NAME##_fold_eight_(from_, count_, k + 2, 4));         \
            x = k == 0 ? z : NAME##_combine(x, z);                                                          \
        }                                                                                                   \
        return x;                                                                                           \
    }

/* T NAME_fold_unit_(...): all lanes of a warp call. Each folds unit k, which belongs to the segment of
   lane owner. */
#define REDUCE_FOLD_UNIT_(NAME)                                                                             \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_unit_(const NAME##_result *scratch_,                           \
                                                   struct reduce_numbered_ portions_,                       \
                                                   struct reduce_numbered_ units_, unsigned k,              \
                                                   unsigned owner_) {                                       \
        unsigned packed_ = portions_.first_ << 16 | portions_.count_;                                       \
        reduce_shuffle_(&packed_, sizeof packed_, (int)owner_, 0);                                          \
        reduce_shuffle_(&units_.first_, sizeof units_.first_, (int)owner_, 0);                              \
        const unsigned before_ = (k - units_.first_) * REDUCE_WARP, count_ = packed_ & 0xffff;              \
        const unsigned left_ = before_ < count_ ? count_ - before_ : 0;                                     \
        scratch_ += (packed_ >> 16) + before_ + (NAME##_pads_ ? owner_ : 0);                                \
        return NAME##_fold_some_(scratch_, REDUCE_MIN_(left_, (unsigned)REDUCE_WARP), 4);                   \
    }

/* void NAME_units_to_scratch_(...): all lanes of a warp replace the portions of a piece in scratch by the
   results of its units, which have the numbers up to before end. */
#define REDUCE_UNITS_TO_SCRATCH_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_units_to_scratch_(NAME##_result *scratch_,                                   \
                                                 const struct reduce_piece_ *piece_,                        \
                                                 struct reduce_numbered_ units_, unsigned end_) {           \
        const unsigned lane_ = threadIdx.x % REDUCE_WARP;                                                   \
        unsigned next_ = piece_->first_;                                                                    \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < end_; k += REDUCE_WARP) {                                                  \
            const unsigned owner_ = reduce_owner_(units_, k, &next_);                                       \
            const NAME##_result x = NAME##_fold_unit_(scratch_, piece_->own_, units_, k + lane_, owner_);   \
            __syncwarp(); /* all lanes have read: a unit replaces a portion that was read before */         \
            scratch_[k + lane_ + (NAME##_pads_ ? owner_ : 0)] = x;                                          \
            __syncwarp();                                                                                   \
        }                                                                                                   \
    }

/* T NAME_fold_units_(...): NAME_fold_piece_ for segments of several units. */
#define REDUCE_FOLD_UNITS_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_units_(NAME##_result *scratch_,                                \
                                                    const struct reduce_piece_ *piece_) {                   \
        const unsigned pad_ = NAME##_pads_ ? threadIdx.x % REDUCE_WARP : 0;                                 \
        struct reduce_numbered_ units_ = reduce_number_((piece_->own_.count_ + 31) / REDUCE_WARP);          \
        const unsigned end_ = __shfl_sync(~0u, units_.first_ + units_.count_, REDUCE_WARP - 1);             \
        const NAME##_result *const own_ = scratch_ + units_.first_ + pad_;                                  \
        if (!piece_->is_own_) units_.first_ = ~0u;                                                          \
        NAME##_units_to_scratch_(scratch_, piece_, units_, end_);                                           \
        return NAME##_fold_some_(own_, units_.count_, 2);                                                   \
    }

/* T NAME_fold_piece_(...): all lanes of a warp call, with a piece's portions in scratch. Each lane gets
   the result of its own segment, if that is in the piece. */
#define REDUCE_FOLD_PIECE_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_piece_(NAME##_result *scratch_,                                \
                                                    const struct reduce_piece_ *piece_) {                   \
        const struct reduce_numbered_ own_ = piece_->own_;                                                  \
        const unsigned place_ = own_.first_ + (NAME##_pads_ ? threadIdx.x % REDUCE_WARP : 0);               \
        if (__any_sync(~0u, own_.count_ > REDUCE_WARP)) return NAME##_fold_units_(scratch_, piece_);        \
        if (__any_sync(~0u, own_.count_ > 16)) return NAME##_fold_some_(scratch_ + place_, own_.count_, 4); \
        return NAME##_fold_some_(scratch_ + place_, own_.count_, __any_sync(~0u, own_.count_ > 8) ? 2 : 1); \
    }

/* All lanes of a warp call: the greatest value of any lane. */
REDUCE_DEVICE_ unsigned reduce_most_(unsigned x) {
#if REDUCE_ARCH_ >= 800
    return __reduce_max_sync(~0u, x);
#else
    REDUCE_UNROLL_
    for (int half_ = REDUCE_WARP / 2; half_ > 0; half_ /= 2) {
        const unsigned partner_ = __shfl_xor_sync(~0u, x, half_);
        if (partner_ > x) x = partner_;
    }
    return x;
#endif
}

/* The elements from the beginning of element k's word to element k, if elements fill words. */
REDUCE_DEVICE_ unsigned reduce_apart_(const void *in_, size_t k, unsigned size_) {
    return 16 % size_ == 0 ? (unsigned)(((uintptr_t)in_ + k * size_) % 16 / size_) : 0;
}

/* Copies 16 bytes from global to shared memory. They are there when the thread has called
   reduce_await_words_. */
REDUCE_DEVICE_ void reduce_copy_word_(struct reduce_16_bytes_ *to_, const struct reduce_16_bytes_ *from_) {
#if defined __CUDA_ARCH__ && REDUCE_ARCH_ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to_)), "l"(__cvta_generic_to_global(from_))
                 : "memory");
#else
    *to_ = *from_;
#endif
}

REDUCE_DEVICE_ void reduce_await_words_(void) {
#if defined __CUDA_ARCH__ && REDUCE_ARCH_ >= 800
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/* All lanes of a warp copy up to REDUCE_BATCH_WORDS_ words to shared memory. */
REDUCE_DEVICE_ void reduce_copy_words_(struct reduce_16_bytes_ *to_, const void *from_, unsigned words_) {
    const unsigned lane_ = threadIdx.x % REDUCE_WARP;
    const struct reduce_16_bytes_ *const in_ = (const struct reduce_16_bytes_ *)from_;
    __syncwarp(); /* what was in scratch is no longer needed */
    REDUCE_UNROLL_
    for (unsigned k = 0; k < REDUCE_BATCH_WORDS_; k += REDUCE_WARP)
        if (k + lane_ < words_) reduce_copy_word_(to_ + k + lane_, in_ + k + lane_);
    reduce_await_words_();
    __syncwarp();
}

/* ---- Short segments in batches ----
 *
 * If each of 32 neighbouring segments has few elements, of 4 bytes or more, the segments are a batch: the
 * warp copies their elements to its scratch by whole words, and each lane reduces its own segment there.
 */

/* NAME_batch_: elements that fit in scratch. NAME_batch_portions_: portions of a segment in a batch at
   most. */
#define REDUCE_BATCH_LAYOUT_(NAME)                                                                          \
    enum {                                                                                                  \
        NAME##_has_batches_ = NAME##_shifts_ && NAME##_positions_ <= 4,                                     \
        NAME##_batch_ = REDUCE_BATCH_WORDS_ * NAME##_positions_,                                            \
        NAME##_batch_portions_ = 1 << NAME##_strand_bits_                                                   \
    };

/* T NAME_batch_portion_(...): the result of the portion from element k on. scratch begins with its segment
   of count elements. */
#define REDUCE_BATCH_PORTION_(NAME)                                                                         \
    REDUCE_DEVICE_ NAME##_result NAME##_batch_portion_(NAME##_input_ scratch_, unsigned count_,             \
                                                       unsigned k) {                                        \
        struct NAME##_strand_ strand_;                                                                      \
        NAME##_begin_strand_(&strand_);                                                                     \
        NAME##_add_few_(strand_.values_, NAME##_input_at_(scratch_, k), count_ - k, k);                     \
        return NAME##_fold_here_(strand_.values_, NAME##_accumulators_);                                    \
    }

/* T NAME_fold_batch_(...): one thread reduces a segment that scratch begins with. */
#define REDUCE_FOLD_BATCH_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_batch_(NAME##_input_ scratch_, unsigned count_) {              \
        NAME##_result x[NAME##_batch_portions_];                                                            \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < NAME##_batch_portions_; s++) {                                                  \
            x[s] = NAME##_identity();                                                                       \
            if (s * NAME##_positions_ < (int)count_)                                                        \
                x[s] = NAME##_batch_portion_(scratch_, count_, (unsigned)(s * NAME##_positions_));          \
        }                                                                                                   \
        return NAME##_fold_here_(x, NAME##_batch_portions_);                                                \
    }

/* NAME_input_ NAME_batch_in_scratch_(...): a warp's scratch as an input. Batches are of one array. */
#define REDUCE_BATCH_IN_SCRATCH_ARRAY_(NAME)                                                                \
    REDUCE_DEVICE_ NAME##_input_ NAME##_batch_in_scratch_(NAME##_input_ in_, const void *scratch_) {        \
        in_.in_ = (const NAME##_element *)scratch_;                                                         \
        return in_;                                                                                         \
    }
#define REDUCE_BATCH_IN_SCRATCH_WITH_ REDUCE_BATCH_IN_SCRATCH_ARRAY_
#define REDUCE_BATCH_IN_SCRATCH_ZIP_(NAME)                                                                  \
    REDUCE_DEVICE_ NAME##_input_ NAME##_batch_in_scratch_(NAME##_input_ in_, const void *scratch_) {        \
        (void)scratch_;                                                                                     \
        return in_;                                                                                         \
    }

/* size_t NAME_batch_base_(...): all lanes of a warp call, each with a segment: the first element of the
   word that the first of all elements lies in. */
#define REDUCE_BATCH_BASE_(NAME)                                                                            \
    REDUCE_DEVICE_ size_t NAME##_batch_base_(NAME##_input_ in_, struct reduce_segment_ own_) {              \
        const unsigned have_ = __ballot_sync(~0u, own_.count_ > 0);                                         \
        size_t base_ = own_.begin_;                                                                         \
        reduce_shuffle_(&base_, sizeof base_, have_ == 0 ? 0 : __ffs((int)have_) - 1, 0);                   \
        return base_ - reduce_apart_(in_.in_, base_, NAME##_size_);                                         \
    }

/* T NAME_batch_results_(...): all lanes of a warp copy the batch's words, from base on, to scratch; each
   lane gets its segment's result. */
#define REDUCE_BATCH_RESULTS_(NAME)                                                                         \
    REDUCE_DEVICE_ NAME##_result NAME##_batch_results_(NAME##_input_ in_, void *scratch_, size_t base_,     \
                                                       unsigned words_, unsigned begin_, unsigned n) {      \
        reduce_copy_words_((struct reduce_16_bytes_ *)scratch_, in_.in_ + base_, words_);                   \
        return NAME##_fold_batch_(NAME##_input_at_(NAME##_batch_in_scratch_(in_, scratch_), begin_), n);    \
    }

/* bool NAME_short_by_batch_(T *x, ...): all lanes of a warp call, each with a short segment. x gets its
   result if the segments are a batch. False if they are not, or if whole words suit all of them. */
#define REDUCE_SHORT_BY_BATCH_(NAME)                                                                        \
    REDUCE_DEVICE_ bool NAME##_short_by_batch_(NAME##_result *x, const struct NAME##_segments_ *call_,      \
                                               NAME##_input_ in_, void *scratch_,                           \
                                               struct reduce_segment_ own_) {                               \
        const size_t base_ = NAME##_batch_base_(in_, own_);                                                 \
        const unsigned n = (unsigned)own_.count_;                                                           \
        const unsigned begin_ = n == 0 ? 0 : (unsigned)REDUCE_MIN_(own_.begin_ - base_, (size_t)1 << 30);   \
        const unsigned words_ = (reduce_most_(begin_ + n) + NAME##_positions_ - 1) / NAME##_positions_;     \
        const bool is_wide_ = NAME##_shifts_ && (uintptr_t)(in_.in_ + own_.begin_) % 16 == 0;               \
        const bool fits_ = words_ <= REDUCE_BATCH_WORDS_ && n <= NAME##_batch_portions_ * NAME##_positions_;\
        if (!__all_sync(~0u, fits_)) return false;                                                          \
        if (__all_sync(~0u, n == 0 || is_wide_) || base_ < call_->first_) return false;                     \
        if (base_ + words_ * NAME##_positions_ > call_->end_) return false;                                 \
        *x = NAME##_batch_results_(in_, scratch_, base_, words_, begin_, n);                                \
        return true;                                                                                        \
    }

/* struct reduce_numbered_ NAME_number_portions_(...): all lanes of a warp number the portions of their
   segments. An empty segment has one. */
#define REDUCE_NUMBER_PORTIONS_(NAME)                                                                       \
    REDUCE_DEVICE_ struct reduce_numbered_ NAME##_number_portions_(struct reduce_segment_ own_) {           \
        const unsigned portions_ = ((unsigned)own_.count_ + NAME##_positions_ - 1) / NAME##_positions_;     \
        return reduce_number_(portions_ > 0 ? portions_ : 1);                                               \
    }

/* T NAME_short_by_pieces_(...): all lanes of a warp call, each with a short segment, and get its result. */
#define REDUCE_SHORT_BY_PIECES_(NAME)                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_short_by_pieces_(const struct NAME##_segments_ *call_,              \
                                                         NAME##_input_ in_, NAME##_result *scratch_,        \
                                                         struct reduce_segment_ own_) {                     \
        const struct reduce_numbered_ all_ = NAME##_number_portions_(own_);                                 \
        NAME##_result x = NAME##_identity();                                                                \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned l = 0; l < REDUCE_WARP;) {                                                            \
            const struct reduce_piece_ piece_ = reduce_piece_from_(own_, all_, l, NAME##_scratch_portions_);\
            NAME##_piece_to_scratch_(call_, in_, scratch_, own_, &piece_);                                  \
            const NAME##_result y = NAME##_fold_piece_(scratch_, &piece_);                                  \
            if (piece_.is_own_) x = y;                                                                      \
            l = piece_.end_;                                                                                \
        }                                                                                                   \
        return x;                                                                                           \
    }

/* void NAME_tiny_results_(...): all lanes of a warp write the results of a group of tiny segments. */
#define REDUCE_TINY_RESULTS_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_tiny_results_(NAME##_input_ in_, const struct reduce_segments_ *own_,        \
                                             unsigned count_, NAME##_result *out_, bool is_wide_) {         \
        struct NAME##_portion_ x[REDUCE_OWN_SEGMENTS_];                                                     \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++)                                                      \
            NAME##_load_portion_(&x[s], NAME##_input_at_(in_, own_->of_[s].begin_),                         \
                                 (int)own_->of_[s].count_, 0, is_wide_);                                    \
        unsigned l = threadIdx.x % REDUCE_WARP;                                                             \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++, l += REDUCE_WARP)                                    \
            if (l < count_) out_[l] = NAME##_final_(NAME##_of_portion_(&x[s], in_, is_wide_));              \
    }

/* bool NAME_all_suit_(...): all lanes of a warp call: whether all segments of the group suit wide loads. */
#define REDUCE_ALL_SUIT_(NAME)                                                                              \
    REDUCE_DEVICE_ bool NAME##_all_suit_(const struct NAME##_segments_ *call_, NAME##_input_ in_,           \
                                         const struct reduce_segments_ *own_) {                             \
        bool do_ = true;                                                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++)                                                      \
            do_ = do_ && NAME##_suits_(call_, in_, own_->of_[s]);                                           \
        return __all_sync(~0u, do_) != 0;                                                                   \
    }

/* void NAME_tiny_group_(...): all lanes of a warp reduce a group of tiny segments by the loads that suit
   it. */
#define REDUCE_TINY_GROUP_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_tiny_group_(const struct NAME##_segments_ *call_, NAME##_input_ in_,         \
                                           const struct reduce_segments_ *own_,                             \
                                           struct reduce_group_ group_) {                                   \
        if (NAME##_all_suit_(call_, in_, own_))                                                             \
            NAME##_tiny_results_(in_, own_, group_.count_, call_->out_ + group_.first_, true);              \
        else                                                                                                \
            NAME##_tiny_results_(in_, own_, group_.count_, call_->out_ + group_.first_, false);             \
    }

/* T NAME_short_results_(...): all lanes of a warp call, each with a short segment, and get its result by
   either way. */
#define REDUCE_SHORT_RESULTS_(NAME)                                                                         \
    REDUCE_DEVICE_ NAME##_result NAME##_short_results_(const struct NAME##_segments_ *call_,                \
                                                       NAME##_input_ in_, NAME##_result *scratch_,          \
                                                       struct reduce_segment_ own_) {                       \
        NAME##_result x;                                                                                    \
        if (NAME##_has_batches_ && NAME##_short_by_batch_(&x, call_, in_, scratch_, own_)) return x;        \
        return NAME##_short_by_pieces_(call_, in_, scratch_, own_);                                         \
    }

/* void NAME_short_group_(...): all lanes of a warp reduce the short segments of a group. */
#define REDUCE_SHORT_GROUP_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_short_group_(const struct NAME##_segments_ *call_, NAME##_input_ in_,        \
                                            struct reduce_offsets_ offsets_, struct reduce_group_ group_,   \
                                            NAME##_result *scratch_) {                                      \
        const unsigned lane_ = threadIdx.x % REDUCE_WARP;                                                   \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned l = lane_; l - lane_ < group_.count_; l += REDUCE_WARP) {                             \
            struct reduce_segment_ own_ = reduce_segment_in_(offsets_, group_, l);                          \
            const bool is_short_ = l < group_.count_ && own_.count_ <= NAME##_short_;                       \
            if (!__any_sync(~0u, is_short_)) continue;                                                      \
            if (!is_short_) own_.count_ = 0;                                                                \
            const NAME##_result x = NAME##_short_results_(call_, in_, scratch_, own_);                      \
            if (is_short_) call_->out_[group_.first_ + l] = NAME##_final_(x);                               \
        }                                                                                                   \
    }

/* ---- Middle segments ---- */

/* T NAME_segment_by_warp_(...): all lanes of a warp reduce a segment of up to a stripe. Lane 0 gets the
   result. */
#define REDUCE_SEGMENT_BY_WARP_(NAME)                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_segment_by_warp_(const struct NAME##_segments_ *call_,              \
                                                         size_t begin_, unsigned count_) {                  \
        const struct NAME##_run_ run_ = NAME##_run_in_(call_, begin_, count_, 0);                           \
        return NAME##_shifts_ && run_.skew_ == 0                                                            \
                   ? NAME##_by_warp_(&run_, NAME##_many_, NAME##_many_, false, false)                       \
                   : NAME##_by_warp_(&run_, NAME##_many_, NAME##_many_, true, true);                        \
    }

/* void NAME_segments_by_warp_(...): all lanes of a warp call, each with a segment. The warp reduces those
   that are not short and have no more than `most` elements. out: where the result of lane 0's segment
   goes. */
#define REDUCE_SEGMENTS_BY_WARP_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_segments_by_warp_(const struct NAME##_segments_ *call_,                      \
                                                 struct reduce_segment_ own_, size_t most_,                 \
                                                 NAME##_result *out_) {                                     \
        const bool is_own_ = own_.count_ > NAME##_short_ && own_.count_ <= most_;                           \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned left_ = __ballot_sync(~0u, is_own_); left_ != 0; left_ &= left_ - 1) {                \
            const int owner_ = __ffs((int)left_) - 1;                                                       \
            struct reduce_segment_ segment_ = own_;                                                         \
            reduce_shuffle_(&segment_, sizeof segment_, owner_, 0);                                         \
            const NAME##_result x =                                                                         \
                NAME##_segment_by_warp_(call_, segment_.begin_, (unsigned)segment_.count_);                 \
            if (threadIdx.x % REDUCE_WARP == 0) out_[owner_] = NAME##_final_(x);                            \
        }                                                                                                   \
    }

/* ---- Tasks of long segments ---- */

/* A task is one or two of the tree's warps of an item, so that all warps of a block have work where items
   are few. NAME_of_task_: how many. NAME_tasks_: of an item. NAME_burst_elements_: from a burst's first
   element to the next burst's. NAME_burst_reach_: from its first element to its last. struct NAME_task_:
   values of a task whose fold over lanes is left, and where the results go (NULL: there are none). */
#define REDUCE_TASK_LAYOUT_(NAME)                                                                           \
    enum {                                                                                                  \
        NAME##_of_task_ = REDUCE_MIN_((int)NAME##_many_, 2),                                                \
        NAME##_tasks_ = REDUCE_WARPS_ / NAME##_of_task_,                                                    \
        NAME##_burst_elements_ = NAME##_at_once_ / NAME##_of_task_ * REDUCE_STRIPE_(NAME##_size_),          \
        NAME##_burst_reach_ =                                                                               \
            NAME##_burst_elements_ - REDUCE_STRIPE_(NAME##_size_) + NAME##_of_task_ * NAME##_warp_elements_ \
    };                                                                                                      \
    struct NAME##_task_ {                                                                                   \
        NAME##_result x[NAME##_at_once_], *to_;                                                             \
        bool is_scattered_;                                                                                 \
    };

/* How far apart lanes are in step b of that fold. */
#define REDUCE_TASK_HALF_(NAME, b, is_scattered)                                                            \
    ((is_scattered) ? REDUCE_SCATTER_HALF_(NAME, b) : REDUCE_WARP / 2 >> (b))

/* void NAME_fold_with_(T *x, T *other, ...): folds x with the other of the lane that is apart away. */
#define REDUCE_FOLD_WITH_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_fold_with_(NAME##_result *x, NAME##_result *other_, int apart_,              \
                                          bool is_upper_) {                                                 \
        const bool swaps_ = !NAME##_is_built_in_ && is_upper_;                                              \
        reduce_shuffle_(other_, sizeof *other_, 0, apart_);                                                 \
        *x = NAME##_combine(swaps_ ? *other_ : *x, swaps_ ? *x : *other_);                                  \
    }

/* void NAME_halve_task_(...): the first step of the fold of two values: each half of the lanes takes one. */
#define REDUCE_HALVE_TASK_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_halve_task_(struct NAME##_task_ *task_, int lane_, int apart_) {             \
        const bool is_upper_ = (lane_ & apart_) != 0;                                                       \
        NAME##_result own_ = is_upper_ ? task_->x[1] : task_->x[0];                                         \
        NAME##_result other_ = is_upper_ ? task_->x[0] : task_->x[1];                                       \
        NAME##_fold_with_(&own_, &other_, apart_, is_upper_);                                               \
        task_->x[0] = own_;                                                                                 \
    }

/* void NAME_end_task_(...): all lanes of a warp make the fold that is left and store its results. The next
   task's loads are in flight meanwhile. */
#define REDUCE_END_TASK_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_end_task_(struct NAME##_task_ *task_, int lane_) {                           \
        const bool is_scattered_ = task_->is_scattered_, has_two_ = NAME##_of_task_ > 1;                    \
        const int first_ = REDUCE_TASK_HALF_(NAME, 0, is_scattered_);                                       \
        if (task_->to_ == NULL) return;                                                                     \
        if (has_two_) NAME##_halve_task_(task_, lane_, first_);                                             \
        REDUCE_UNROLL_                                                                                      \
        for (int b = has_two_ ? 1 : 0; b < 5; b++) {                                                        \
            NAME##_result other_ = task_->x[0];                                                             \
            NAME##_fold_with_(task_->x, &other_, REDUCE_TASK_HALF_(NAME, b, is_scattered_), false);         \
        }                                                                                                   \
        if (lane_ == 0) task_->to_[0] = task_->x[0];                                                        \
        if (has_two_ && lane_ == first_) task_->to_[1] = task_->x[0];                                       \
    }

/* bool NAME_first_straight_(...): all lanes of a warp. Loads the first burst of a task, ends the task
   before, and adds the burst. If the burst is not whole, it only ends the task before. Returns whether the
   burst is whole. */
#define REDUCE_FIRST_STRAIGHT_(NAME)                                                                        \
    REDUCE_DEVICE_ bool NAME##_first_straight_(struct NAME##_strand_ *strands_, struct NAME##_task_ *task_, \
                                               const struct NAME##_walker_ *walker_, int lane_,             \
                                               unsigned k) {                                                \
        enum { many_ = NAME##_of_task_, loads_ = NAME##_at_once_ };                                         \
        const unsigned own_ = (unsigned)lane_ * NAME##_positions_;                                          \
        const bool is_whole_ = k + NAME##_burst_reach_ <= walker_->until_;                                  \
        struct NAME##_burst_ burst_;                                                                        \
        if (is_whole_) {                                                                                    \
            NAME##_load_burst_(&burst_, walker_, k, own_, many_, loads_, false, true);                      \
            NAME##_end_task_(task_, lane_);                                                                 \
            NAME##_use_burst_(strands_, &burst_, walker_, k, own_, many_, loads_, false, true);             \
        }                                                                                                   \
        if (!is_whole_) NAME##_end_task_(task_, lane_);                                                     \
        return is_whole_;                                                                                   \
    }

/* void NAME_straight_task_(...): all lanes of a warp end the task before and walk a task of aligned words,
   which begins with element k. */
#define REDUCE_STRAIGHT_TASK_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_straight_task_(struct NAME##_task_ *task_, const struct NAME##_run_ *run_,   \
                                              int lane_, unsigned k) {                                      \
        const struct NAME##_walker_ walker_ = NAME##_walker_of_(run_, lane_, NAME##_of_task_, false);       \
        struct NAME##_strand_ strands_[NAME##_at_once_];                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < NAME##_of_task_; s++) NAME##_begin_strand_(&strands_[s]);                       \
        if (NAME##_first_straight_(strands_, task_, &walker_, lane_, k)) k += NAME##_burst_elements_;       \
        NAME##_add_bursts_(strands_, &walker_, lane_, k, NAME##_of_task_, NAME##_at_once_, false);          \
        NAME##_fold_strands_(task_->x, strands_, NAME##_of_task_);                                          \
    }

/* bool NAME_first_scattered_(...): NAME_first_straight_ for scattered elements. */
#define REDUCE_FIRST_SCATTERED_(NAME)                                                                       \
    REDUCE_DEVICE_ bool NAME##_first_scattered_(struct NAME##_scatter_ *scatter_,                           \
                                                struct NAME##_task_ *task_,                                 \
                                                const struct NAME##_run_ *run_, int lane_, unsigned k) {    \
        enum { many_ = NAME##_of_task_, loads_ = NAME##_at_once_ };                                         \
        const bool is_whole_ = k + NAME##_burst_reach_ <= run_->count_;                                     \
        struct NAME##_loaded_ x[NAME##_at_once_];                                                           \
        REDUCE_ANYTHING_(x);                                                                                \
        if (is_whole_) {                                                                                    \
            NAME##_load_scatter_(x, run_, k + (unsigned)lane_, many_, loads_, true);                        \
            NAME##_end_task_(task_, lane_);                                                                 \
            NAME##_use_scatter_(scatter_, x, run_, k + (unsigned)lane_, many_, loads_, true);               \
        }                                                                                                   \
        if (!is_whole_) NAME##_end_task_(task_, lane_);                                                     \
        return is_whole_;                                                                                   \
    }

/* void NAME_scattered_task_(...): NAME_straight_task_ for scattered elements. */
#define REDUCE_SCATTERED_TASK_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_scattered_task_(struct NAME##_task_ *task_, const struct NAME##_run_ *run_,  \
                                               int lane_, unsigned k) {                                     \
        struct NAME##_scatter_ scatter_;                                                                    \
        NAME##_begin_scatter_(&scatter_, NAME##_of_task_);                                                  \
        if (NAME##_first_scattered_(&scatter_, task_, run_, lane_, k)) k += NAME##_burst_elements_;         \
        NAME##_walk_scatter_(&scatter_, run_, lane_, k, NAME##_of_task_, NAME##_at_once_);                  \
        NAME##_scattered_positions_(task_->x, &scatter_, lane_, NAME##_of_task_);                           \
    }

/* void NAME_whole_task_(...): all lanes of a warp end the task before and walk one of which nothing is left
   to fold; of_warps gets its results. It serves where elements are neither aligned nor scattered. */
#define REDUCE_WHOLE_TASK_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_whole_task_(struct NAME##_task_ *task_, const struct NAME##_run_ *run_,      \
                                           int lane_, unsigned first_, NAME##_result *of_warps_) {          \
        NAME##_end_task_(task_, lane_);                                                                     \
        NAME##_tree_warps_to_scratch_(run_, lane_, first_, NAME##_of_task_, true, of_warps_);               \
    }

/* void NAME_add_task_(...): all lanes of a warp end the task before and walk task number u of the block. */
#define REDUCE_ADD_TASK_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_task_(struct NAME##_segments_scratch_ *scratch_,                         \
                                         struct NAME##_task_ *task_, unsigned u, int lane_) {               \
        const unsigned item_ = u / NAME##_tasks_, first_ = u % NAME##_tasks_ * NAME##_of_task_;             \
        const struct reduce_item_ own_ = scratch_->items_[item_];                                           \
        const struct NAME##_run_ run_ = NAME##_run_in_(&scratch_->call_, own_.begin_, own_.count_, own_.i); \
        const bool is_straight_ = NAME##_shifts_ && run_.skew_ == 0, scatters_ = NAME##_scatters_ != 0;     \
        const unsigned k = first_ * NAME##_warp_elements_;                                                  \
        if (is_straight_) NAME##_straight_task_(task_, &run_, lane_, k);                                    \
        if (!is_straight_ && scatters_) NAME##_scattered_task_(task_, &run_, lane_, k);                     \
        if (!is_straight_ && !scatters_)                                                                    \
            NAME##_whole_task_(task_, &run_, lane_, first_, scratch_->of_warps_[item_]);                    \
        task_->is_scattered_ = scatters_ && !is_straight_;                                                  \
        task_->to_ = is_straight_ || scatters_ ? scratch_->of_warps_[item_] + first_ : NULL;                \
    }

/* void NAME_add_tasks_(...): a warp reduces its share of the tasks of count items. */
#define REDUCE_ADD_TASKS_(NAME)                                                                             \
    REDUCE_DEVICE_ void NAME##_add_tasks_(struct NAME##_segments_scratch_ *scratch_, unsigned count_) {     \
        const int lane_ = (int)(threadIdx.x % REDUCE_WARP);                                                 \
        struct NAME##_task_ task_;                                                                          \
        memset((void *)&task_, 0, sizeof task_);                                                            \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned u = threadIdx.x / REDUCE_WARP; u < count_ * NAME##_tasks_; u += REDUCE_SEGMENT_WARPS_)\
            NAME##_add_task_(scratch_, &task_, u, lane_);                                                   \
        NAME##_end_task_(&task_, lane_);                                                                    \
    }

/* void NAME_reduce_items_(...): all threads of the block reduce count items; of_chunks gets their results. */
#define REDUCE_REDUCE_ITEMS_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_reduce_items_(struct NAME##_segments_scratch_ *scratch_, unsigned count_) {  \
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const unsigned warp_ = at_.thread_ % REDUCE_WARPS_;                                                 \
        __syncthreads();                                                                                    \
        NAME##_add_tasks_(scratch_, count_);                                                                \
        __syncthreads();                                                                                    \
        for (unsigned first_ = 0; first_ < count_; first_ += REDUCE_SEGMENT_THREADS_ / REDUCE_WARPS_) {     \
            const unsigned k = first_ + at_.thread_ / REDUCE_WARPS_;                                        \
            const NAME##_result x = k < count_ ? scratch_->of_warps_[k][warp_] : NAME##_identity();         \
            const NAME##_result of_item_ = NAME##_fold_(x, at_, REDUCE_WARPS_);                             \
            if (k < count_ && warp_ == 0) scratch_->of_chunks_[k] = of_item_;                               \
        }                                                                                                   \
        __syncthreads();                                                                                    \
    }

/* void NAME_chunks_to_scratch_(...): all threads reduce count chunks of a segment, from chunk k on;
   of_chunks gets their results. */
#define REDUCE_CHUNKS_TO_SCRATCH_(NAME)                                                                     \
    REDUCE_DEVICE_ void NAME##_chunks_to_scratch_(struct NAME##_segments_scratch_ *scratch_, size_t begin_, \
                                                  size_t n,                                                 \
                                                  size_t chunk_, size_t k, unsigned count_) {               \
        if (threadIdx.x < count_) {                                                                         \
            const size_t i = (k + threadIdx.x) * chunk_;                                                    \
            const struct reduce_item_ item_ = {begin_ + i, i, (unsigned)REDUCE_MIN_(n - i, chunk_)};        \
            scratch_->items_[threadIdx.x] = item_;                                                          \
        }                                                                                                   \
        NAME##_reduce_items_(scratch_, count_);                                                             \
    }

/* struct NAME_own_strands_: thread t stands for the strands t, t + REDUCE_SEGMENT_THREADS_, ... of a
   segment's chunks. */
#define REDUCE_OWN_TREE_(NAME)                                                                              \
    struct NAME##_own_strands_ { NAME##_result values_[REDUCE_OWN_STRANDS_]; };                             \
    REDUCE_DEVICE_ void NAME##_begin_own_strands_(struct NAME##_own_strands_ *strands_) {                   \
        REDUCE_UNROLL_                                                                                      \
        for (int h = 0; h < REDUCE_OWN_STRANDS_; h++) strands_->values_[h] = NAME##_identity();             \
    }

/* T NAME_fold_tree_(...): all threads fold all strands; every thread gets the result. A barrier must
   follow before the next call. */
#define REDUCE_FOLD_TREE_(NAME)                                                                             \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_tree_(const struct NAME##_own_strands_ *strands_,              \
                                                   NAME##_result *of_warps_) {                              \
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned h = 0; h < REDUCE_OWN_STRANDS_; h++) {                                                \
            const NAME##_result x = NAME##_fold_(strands_->values_[h], at_, REDUCE_WARP);                   \
            if (at_.lane_ == 0) of_warps_[h * REDUCE_SEGMENT_WARPS_ + at_.thread_ / REDUCE_WARP] = x;       \
        }                                                                                                   \
        __syncthreads();                                                                                    \
        return NAME##_fold_scratch_(of_warps_, at_);                                                        \
    }

/* void NAME_add_chunks_(...): adds the results of count chunks from k on to the thread's strands, as far
   as they belong to these. */
#define REDUCE_ADD_CHUNKS_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_add_chunks_(struct NAME##_own_strands_ *strands_,                            \
                                           const NAME##_result *of_chunks_, unsigned k, unsigned count_) {  \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned h = 0; h < REDUCE_OWN_STRANDS_; h++) {                                                \
            const unsigned own_ = (threadIdx.x + h * REDUCE_SEGMENT_THREADS_ - k) % REDUCE_STRANDS;         \
            if (own_ < count_) strands_->values_[h] = NAME##_combine(strands_->values_[h],                  \
                                                                     of_chunks_[own_]);                     \
        }                                                                                                   \
    }

/* T NAME_segment_by_block_(...): all threads reduce n elements from begin on, in several chunks; every
   thread gets the result. */
#define REDUCE_SEGMENT_BY_BLOCK_(NAME)                                                                      \
    REDUCE_DEVICE_ NAME##_result NAME##_segment_by_block_(struct NAME##_segments_scratch_ *scratch_,        \
                                                          size_t begin_, size_t n) {                        \
        const struct reduce_cut_ cut_ = reduce_cut_(n, NAME##_size_);                                       \
        struct NAME##_own_strands_ strands_;                                                                \
        NAME##_begin_own_strands_(&strands_);                                                               \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < cut_.count_; k += NAME##_items_) {                                         \
            const unsigned count_ = REDUCE_MIN_((unsigned)cut_.count_ - k, (unsigned)NAME##_items_);        \
            NAME##_chunks_to_scratch_(scratch_, begin_, n, cut_.chunk_, k, count_);                         \
            NAME##_add_chunks_(&strands_, scratch_->of_chunks_, k, count_);                                 \
        }                                                                                                   \
        return NAME##_fold_tree_(&strands_, scratch_->of_warps_[0]);                                        \
    }

/* T NAME_fold_listed_(...): all lanes of a warp fold the results of all chunks of a segment; lane 0 gets
   the result. */
#define REDUCE_FOLD_LISTED_(NAME)                                                                           \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_listed_(const NAME##_result *of_chunks_, unsigned count_) {    \
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        const unsigned lane_ = threadIdx.x % REDUCE_WARP;                                                   \
        NAME##_result own_ = NAME##_identity();                                                             \
        if (count_ == 1) return of_chunks_[0];                                                              \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned w = 0; w * REDUCE_WARP < count_; w++) {                                               \
            NAME##_result x = NAME##_identity();                                                            \
            if (w * REDUCE_WARP + lane_ < count_) x = of_chunks_[w * REDUCE_WARP + lane_];                  \
            x = NAME##_fold_(x, at_, REDUCE_WARP);                                                          \
            reduce_shuffle_(&x, sizeof x, 0, 0);                                                            \
            if (lane_ == w) own_ = x;                                                                       \
        }                                                                                                   \
        return NAME##_fold_(own_, at_, REDUCE_WARPS_);                                                      \
    }

/* void NAME_deliver_listed_(...): all lanes of a warp hand over the results of a segment's chunks: folded
   to the output, or to the slots of a shared segment. */
#define REDUCE_DELIVER_LISTED_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_deliver_listed_(struct NAME##_segments_scratch_ *scratch_,                   \
                                               const struct reduce_listed_ *listed_) {                      \
        const NAME##_result *const of_chunks_ = scratch_->of_chunks_ + listed_->at_;                        \
        const unsigned lane_ = threadIdx.x % REDUCE_WARP, count_ = listed_->count_;                         \
        NAME##_result *const to_ = (NAME##_result *)(void *)scratch_->call_.ws_->slots_ + listed_->slot_;   \
        if (listed_->is_shared_) {                                                                          \
            for (unsigned c = lane_; c < count_; c += REDUCE_WARP) to_[listed_->from_ + c] = of_chunks_[c]; \
        } else if (count_ > 0) {                                                                            \
            const NAME##_result x = NAME##_fold_listed_(of_chunks_, count_);                                \
            if (lane_ == 0) scratch_->call_.out_[listed_->k] = NAME##_final_(x);                            \
        }                                                                                                   \
    }

/* void NAME_segment_alone_(...): all threads reduce a segment that has more chunks than a block reduces
   together. */
#define REDUCE_SEGMENT_ALONE_(NAME)                                                                         \
    REDUCE_OUT_OF_LINE_ void NAME##_segment_alone_(struct NAME##_segments_scratch_ *scratch_) {             \
        const struct reduce_listed_ *const listed_ = &scratch_->together_.of_[0];                           \
        const NAME##_result x = NAME##_segment_by_block_(scratch_, listed_->begin_, listed_->n);            \
        if (threadIdx.x == 0) scratch_->call_.out_[listed_->k] = NAME##_final_(x);                          \
        __syncthreads();                                                                                    \
    }

/* void NAME_choose_together_(...): all threads call; chooses the next long segments that the block reduces
   together. */
#define REDUCE_CHOOSE_TOGETHER_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_choose_together_(struct NAME##_segments_scratch_ *scratch_) {                \
        __syncthreads(); /* what was in scratch is no longer needed */                                      \
        if (threadIdx.x < REDUCE_WARP)                                                                      \
            reduce_choose_together_(&scratch_->share_, &scratch_->together_, scratch_->items_,              \
                                    NAME##_items_,                                                          \
                                    NAME##_size_);                                                          \
        __syncthreads();                                                                                    \
    }

/* void NAME_segments_by_block_(...): all threads reduce the shared and the listed long segments, many at a
   time. */
#define REDUCE_SEGMENTS_BY_BLOCK_(NAME)                                                                     \
    REDUCE_DEVICE_ void NAME##_segments_by_block_(struct NAME##_segments_scratch_ *scratch_) {              \
        const struct reduce_together_ *const together_ = &scratch_->together_;                              \
        REDUCE_NO_UNROLL_                                                                                   \
        while (reduce_has_listed_(&scratch_->share_)) {                                                     \
            NAME##_choose_together_(scratch_);                                                              \
            const unsigned segments_ = together_->segments_, warp_ = threadIdx.x / REDUCE_WARP;             \
            if (segments_ == 0) NAME##_segment_alone_(scratch_);                                            \
            if (segments_ > 0) NAME##_reduce_items_(scratch_, together_->items_);                           \
            REDUCE_NO_UNROLL_                                                                               \
            for (unsigned l = warp_; l < segments_; l += REDUCE_SEGMENT_WARPS_)                             \
                NAME##_deliver_listed_(scratch_, &together_->of_[l]);                                       \
        }                                                                                                   \
    }

/* ---- Segments of several blocks ---- */

/* void NAME_shared_chunks_(...): all threads reduce the block's chunks of a shared segment to their slots,
   if they are too many to be reduced together with others. */
#define REDUCE_SHARED_CHUNKS_(NAME)                                                                         \
    REDUCE_OUT_OF_LINE_ void NAME##_shared_chunks_(struct NAME##_segments_scratch_ *scratch_,               \
                                                   const struct reduce_shared_ *shared_) {                  \
        NAME##_result *const to_ = (NAME##_result *)(void *)scratch_->call_.ws_->slots_ + shared_->first_;  \
        const size_t chunk_ = shared_->chunk_;                                                              \
        if (shared_->to_ - shared_->from_ <= NAME##_items_ / 2) return;                                     \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = shared_->from_; k < shared_->to_; k += NAME##_items_) {                           \
            const unsigned count_ = REDUCE_MIN_(shared_->to_ - k, (unsigned)NAME##_items_);                 \
            NAME##_chunks_to_scratch_(scratch_, shared_->begin_, shared_->n, chunk_, k, count_);            \
            if (threadIdx.x < count_) to_[k + threadIdx.x] = scratch_->of_chunks_[threadIdx.x];             \
        }                                                                                                   \
    }

/* void NAME_move_partial_(...): moves a chunk's result out of its slot, and clears the slot. */
#define REDUCE_MOVE_PARTIAL_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_move_partial_(NAME##_result *to_, volatile NAME##_result *from_) {           \
        NAME##_result none_;                                                                                \
        memset((void *)&none_, 0, sizeof none_);                                                            \
        reduce_copy_volatile_(to_, from_, sizeof *to_, REDUCE_ALIGNMENT_(NAME##_result));                   \
        reduce_copy_volatile_(from_, &none_, sizeof none_, REDUCE_ALIGNMENT_(NAME##_result));               \
    }

/* void NAME_receive_partials_(...): a thread moves the results that belong to its strands out of the slots
   and adds them. */
#define REDUCE_RECEIVE_PARTIALS_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_receive_partials_(struct NAME##_own_strands_ *strands_,                      \
                                                 volatile NAME##_result *partials_, unsigned count_) {      \
        NAME##_result x;                                                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned h = 0; h < REDUCE_OWN_STRANDS_; h++) {                                                \
            REDUCE_NO_UNROLL_                                                                               \
            for (unsigned k = threadIdx.x + h * REDUCE_SEGMENT_THREADS_; k < count_; k += REDUCE_STRANDS) { \
                NAME##_move_partial_(&x, partials_ + k);                                                    \
                strands_->values_[h] = NAME##_combine(strands_->values_[h], x);                             \
            }                                                                                               \
        }                                                                                                   \
    }

/* void NAME_fold_few_shared_(...): all lanes of a warp write the result of a shared segment of few chunks,
   the last of which this block delivered. */
#define REDUCE_FOLD_FEW_SHARED_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_fold_few_shared_(const struct NAME##_segments_ *call_,                       \
                                                NAME##_result *scratch_,                                    \
                                                const struct reduce_shared_ *shared_) {                     \
        NAME##_result *const from_ = (NAME##_result *)(void *)call_->ws_->slots_ + shared_->first_;         \
        const unsigned lane_ = threadIdx.x % REDUCE_WARP;                                                   \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = lane_; k < shared_->count_; k += REDUCE_WARP)                                     \
            NAME##_move_partial_(scratch_ + k, from_ + k);                                                  \
        __syncwarp();                                                                                       \
        const NAME##_result x = NAME##_fold_listed_(scratch_, shared_->count_);                             \
        if (lane_ == 0) call_->out_[shared_->k] = NAME##_final_(x);                                         \
    }

/* void NAME_deliver_shared_(...): all threads, when the block's results of shared segments lie in their
   slots. For each segment of which they are the last, a warp folds few chunks at once; many are left to
   NAME_fold_shared_. */
#define REDUCE_DELIVER_SHARED_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_deliver_shared_(struct NAME##_segments_scratch_ *scratch_) {                 \
        enum { few_ = REDUCE_MIN_(sizeof scratch_->of_warps_ / sizeof(NAME##_result) / 2, REDUCE_STRANDS) };\
        const unsigned s = threadIdx.x / REDUCE_WARP;                                                       \
        __syncthreads();                                                                                    \
        if (s < 2 && scratch_->share_.shared_[s].to_ > scratch_->share_.shared_[s].from_) {                 \
            struct reduce_shared_ *const shared_ = &scratch_->share_.shared_[s];                            \
            const bool are_last_ = reduce_were_last_(shared_, scratch_->call_.ws_);                         \
            const bool are_few_ = shared_->count_ <= few_;                                                  \
            NAME##_result *const to_ = scratch_->of_warps_[0] + s * few_;                                   \
            if (are_last_ && are_few_) NAME##_fold_few_shared_(&scratch_->call_, to_, shared_);             \
            if (threadIdx.x % REDUCE_WARP == 0) shared_->is_last_ = are_last_ && !are_few_;                 \
        }                                                                                                   \
        __syncthreads();                                                                                    \
    }

/* void NAME_fold_shared_(...): all threads write the result of a shared segment of many chunks, if this
   block delivered the last. */
#define REDUCE_FOLD_SHARED_(NAME)                                                                           \
    REDUCE_OUT_OF_LINE_ void NAME##_fold_shared_(struct NAME##_segments_scratch_ *scratch_,                 \
                                                 const struct reduce_shared_ *shared_) {                    \
        NAME##_result *const partials_ = (NAME##_result *)(void *)scratch_->call_.ws_->slots_;              \
        struct NAME##_own_strands_ strands_;                                                                \
        if (!shared_->is_last_) return;                                                                     \
        NAME##_begin_own_strands_(&strands_);                                                               \
        NAME##_receive_partials_(&strands_, partials_ + shared_->first_, shared_->count_);                  \
        const NAME##_result x = NAME##_fold_tree_(&strands_, scratch_->of_warps_[0]);                       \
        if (threadIdx.x == 0) scratch_->call_.out_[shared_->k] = NAME##_final_(x);                          \
        __syncthreads();                                                                                    \
    }

/* ---- The kernel of segments ---- */

/* void NAME_long_share_(...): all lanes of a warp reduce or list the segments of a group that are not
   short. (Its name is kept for the order of nvcc's code, as that of reduce_list_long_.) */
#define REDUCE_LONG_GROUP_(NAME)                                                                            \
    REDUCE_OUT_OF_LINE_ void NAME##_long_share_(struct NAME##_segments_scratch_ *scratch_,                  \
        struct reduce_offsets_ offsets_, struct reduce_group_ group_) {                                     \
        const unsigned lane_ = threadIdx.x % REDUCE_WARP;                                                   \
        const size_t stripe_ = REDUCE_STRIPE_(NAME##_size_);                                                \
        const size_t most_ = scratch_->share_.line_.lists_ ? (size_t)NAME##_short_ : stripe_;               \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned l = 0; l < group_.count_; l += REDUCE_WARP) {                                         \
            const struct reduce_segment_ own_ = reduce_segment_in_(offsets_, group_, l + lane_);            \
            const size_t k = group_.first_ + l + lane_;                                                     \
            if (own_.count_ > most_) reduce_list_long_(&scratch_->share_, k, own_.count_, stripe_);         \
            __syncwarp();                                                                                   \
            NAME##_segments_by_warp_(&scratch_->call_, own_, most_, scratch_->call_.out_ + group_.first_    \
                                     + l);                                                                  \
        }                                                                                                   \
    }

/* void NAME_listed_by_warps_(...): all threads; each warp reduces listed middle segments until none is
   left. */
#define REDUCE_LISTED_BY_WARPS_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_listed_by_warps_(struct NAME##_segments_scratch_ *scratch_,                  \
                                                struct reduce_offsets_ offsets_) {                          \
        const struct NAME##_segments_ *const call_ = &scratch_->call_;                                      \
        size_t k = reduce_next_middle_(&scratch_->share_);                                                  \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; k != SIZE_MAX; k = reduce_next_middle_(&scratch_->share_)) {                                 \
            const struct reduce_segment_ own_ = reduce_segment_of_(offsets_, k);                            \
            const bool is_first_ = threadIdx.x % REDUCE_WARP == 0;                                          \
            const NAME##_result x = NAME##_segment_by_warp_(call_, own_.begin_, (unsigned)own_.count_);     \
            if (is_first_) call_->out_[k] = NAME##_final_(x);                                               \
        }                                                                                                   \
    }

/* void NAME_reduce_group_(...): all lanes of a warp reduce the segments of a group, or list them. */
#define REDUCE_REDUCE_GROUP_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_reduce_group_(struct NAME##_segments_scratch_ *scratch_, NAME##_input_ in_,  \
                                             struct reduce_offsets_ offsets_, struct reduce_group_ group_) {\
        void *const own_scratch_ = scratch_->of_warp_[threadIdx.x / REDUCE_WARP];                           \
        const struct reduce_segments_ own_ = reduce_load_group_(offsets_, group_);                          \
        const size_t most_ = reduce_longest_of_lane_(&own_);                                                \
        const bool has_long_ = __any_sync(~0u, most_ > NAME##_short_);                                      \
        if (!__any_sync(~0u, most_ > NAME##_positions_))                                                    \
            NAME##_tiny_group_(&scratch_->call_, in_, &own_, group_);                                       \
        else                                                                                                \
            NAME##_short_group_(&scratch_->call_, in_, offsets_, group_, (NAME##_result *)own_scratch_);    \
        if (has_long_) NAME##_long_share_(scratch_, offsets_, group_);                                      \
    }

/* void NAME_reduce_share_(...): all threads reduce the segments of the block's share in rounds: groups,
   until many segments are listed, and then the listed ones. */
#define REDUCE_REDUCE_SHARE_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_reduce_share_(struct NAME##_segments_scratch_ *scratch_, NAME##_input_ in_,  \
                                             struct reduce_offsets_ offsets_) {                             \
        struct reduce_own_share_ *const own_ = &scratch_->share_;                                           \
        do {                                                                                                \
            struct reduce_group_ group_ = reduce_next_group_(own_);                                         \
            REDUCE_NO_UNROLL_                                                                               \
            for (; group_.count_ > 0; group_ = reduce_next_group_(own_))                                    \
                NAME##_reduce_group_(scratch_, in_, offsets_, group_);                                      \
            __syncthreads();                                                                                \
            if (own_->middle_count_ > 0) NAME##_listed_by_warps_(scratch_, offsets_);                       \
            NAME##_segments_by_block_(scratch_);                                                            \
        } while (reduce_end_round_(own_));                                                                  \
    }

/* struct NAME_segments_ NAME_segments_of_(...): the call, from its line. */
#define REDUCE_SEGMENTS_OF_(NAME)                                                                           \
    REDUCE_DEVICE_ struct NAME##_segments_ NAME##_segments_of_(NAME##_input_ in_,                           \
                                                               const struct reduce_line_ *line_,            \
                                                               reduce_workspace *ws_,                       \
                                                               NAME##_result *out_) {                       \
        const size_t end_ = (size_t)reduce_offset_(line_->offsets_, line_->count_);                         \
        const struct NAME##_segments_ call_ = {in_, (size_t)line_->first_, end_, ws_, out_};                \
        return call_;                                                                                       \
    }

/* void NAME_begin_line_(...): one thread sets the line. Where segments are long, it asks at once for the
   elements with which its share would begin if all segments had the same length. */
#define REDUCE_BEGIN_LINE_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_begin_line_(struct NAME##_segments_scratch_ *scratch_, NAME##_input_ in_,    \
                                           struct reduce_offsets_ offsets_, size_t count_,                  \
                                           reduce_workspace *ws_, NAME##_result *out_) {                    \
        struct reduce_line_ *const line_ = &scratch_->share_.line_;                                         \
        *line_ = reduce_line_of_(offsets_, count_, NAME##_size_, sizeof(NAME##_result), NAME##_short_);     \
        scratch_->call_ = NAME##_segments_of_(in_, line_, ws_, out_);                                       \
        const size_t k = count_ / REDUCE_SEGMENT_BLOCKS_ * blockIdx.x +                                     \
                         count_ % REDUCE_SEGMENT_BLOCKS_ * blockIdx.x / REDUCE_SEGMENT_BLOCKS_;             \
        if (line_->lists_)                                                                                  \
            reduce_ask_for_share_(line_, k, (const char *)in_.in_, sizeof *in_.in_, scratch_->call_.end_);  \
    }

/* The kernel: a block finds its share, reduces chunks of shared segments that are too many to be reduced with
   others, then its share, and folds shared segments whose last results it delivered. */
#define REDUCE_SEGMENTS_KERNEL_(NAME)                                                                       \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_SEGMENT_THREADS_, sizeof(NAME##_result) > 8 ? 1 : 4)       \
        NAME##_segments_kernel_(NAME##_input_ in_, const struct reduce_offsets_ offsets_, size_t count_,    \
                                reduce_workspace *ws_, NAME##_result *out_) {                               \
        __shared__ struct NAME##_segments_scratch_ scratch_;                                                \
        struct reduce_own_share_ *const own_ = &scratch_.share_;                                            \
        const int64_t early_ = reduce_early_offset_(offsets_, count_);                                      \
        if (threadIdx.x == 0) NAME##_begin_line_(&scratch_, in_, offsets_, count_, ws_, out_);              \
        __syncthreads();                                                                                    \
        reduce_begin_share_(own_, early_, in_.in_, scratch_.call_.end_, sizeof *in_.in_, NAME##_size_);     \
        for (int s = 0; s < 2; s++) NAME##_shared_chunks_(&scratch_, &own_->shared_[s]);                    \
        NAME##_reduce_share_(&scratch_, in_, offsets_);                                                     \
        NAME##_deliver_shared_(&scratch_);                                                                  \
        for (int s = 0; s < 2; s++) NAME##_fold_shared_(&scratch_, &own_->shared_[s]);                      \
    }

/* ---- The plan of rows ---- */

#define REDUCE_MOST_BLOCKS_ ((size_t)0x7fffffff) /* of one launch */

/* The elements from the first to the last of rows; SIZE_MAX if rows overlap or are too many. */
REDUCE_HOST_ size_t reduce_extent_(size_t rows_, size_t n, size_t pitch_) {
    if (rows_ == 0 || n == 0) return 0;
    if (rows_ > 1 && pitch_ < n) return SIZE_MAX;
    if (rows_ > 1 && rows_ - 1 > (SIZE_MAX - n) / pitch_) return SIZE_MAX;
    return (rows_ - 1) * pitch_ + n;
}

REDUCE_HOST_ size_t reduce_axis_extent_(size_t outer_, size_t n, size_t inner_) {
    const size_t results_ = reduce_extent_(outer_, inner_, inner_);
    return results_ == SIZE_MAX ? results_ : reduce_extent_(n, results_, results_);
}

/* Thresholds of the plan, all measured on one large GPU. Tests define smaller ones. */
#ifndef REDUCE_MANY_WARPS_
#define REDUCE_FEW_BYTES_ ((size_t)1 << 22)       /* bytes of all rows; ways have measured multiples */
#define REDUCE_WAVE_ 256                          /* blocks of REDUCE_STRANDS threads that run at once */
#define REDUCE_STRANDS_BY_WARP_ (4 * REDUCE_WARP) /* strands of a row for FOUR_LOAD_ROWS, at most */
#define REDUCE_MANY_WARPS_ 4096                   /* warps that keep the GPU busy: rows for WARP_ROWS */
#define REDUCE_MANY_BLOCKS_ 2048                  /* blocks; with more items each has several */
#define REDUCE_MANY_LOW_ 512                      /* items for LOW_CHUNKS, at least */
#define REDUCE_MANY_SHORT_ 256                    /* blocks of staged rows; fewer have less scratch */
#endif

/* Rows of several chunks for BLOCK_ROWS, at least (measured). Without waiting, all of them. */
#ifdef REDUCE_NO_WAITING
#define REDUCE_ENOUGH_ROWS_ 1
#elif !defined REDUCE_ENOUGH_ROWS_
#define REDUCE_ENOUGH_ROWS_ 256
#endif

/* The rows of one launch, as many of count as its grid can have blocks for. */
REDUCE_HOST_ struct reduce_rows_ reduce_rows_of_(size_t count_, size_t n, size_t pitch_,
                                                 size_t element_size_) {
    const struct reduce_cut_ cut_ = reduce_cut_(n, element_size_);
    struct reduce_rows_ rows_;
    memset(&rows_, 0, sizeof rows_);
    rows_.n = n;
    rows_.pitch_ = pitch_;
    rows_.size_ = cut_.chunk_;
    rows_.all_ = pitch_ == n || count_ == 1 ? count_ * n : 0;
    rows_.count_ = (unsigned)(n > 0 ? cut_.count_ : 1);
    rows_.rows_ = REDUCE_MIN_(count_, REDUCE_MOST_BLOCKS_ / rows_.count_);
    rows_.items_ = rows_.rows_ * rows_.count_;
    rows_.regions_ = (unsigned)REDUCE_MIN_(rows_.rows_, (size_t)(REDUCE_SLOTS / rows_.count_));
    return rows_;
}

/* The ways of rows: see "How this file is organised". Each names kernels of REDUCE_ROWS_KERNELS_. */
enum reduce_rows_way_ {
    REDUCE_SHORT_ROWS_,
    REDUCE_WARP_ROWS_,
    REDUCE_BLOCK_ROWS_,
    REDUCE_LOW_CHUNKS_,
    REDUCE_TALL_CHUNKS_,
    REDUCE_THREAD_ROWS_,
    REDUCE_WORD_ROWS_,
    REDUCE_ONE_LOAD_ROWS_,
    REDUCE_FOUR_LOAD_ROWS_,
    REDUCE_STRIPE_ROWS_,
    REDUCE_GRID_ROWS_
};

/* What the plan needs to know of a NAME and its input: bytes of an element of the tree, and of an element
   of all arrays; NAME_at_once_, NAME_tiny_ and NAME_strand_bits_; are_aligned: all rows begin at a
   multiple of 16 bytes; is_wide: strands can be read whole in scratch, if rows are whole words; are_words:
   each strand has V elements or none; NAME_is_dense_. */
struct reduce_row_facts_ {
    size_t size_, bytes_, at_once_, tiny_;
    int strand_bits_;
    bool are_aligned_, is_wide_, are_words_, is_dense_;
};

/* Tiny rows by THREAD_ROWS or WORD_ROWS; SHORT_ROWS stands for neither. Several threads load rows of a few
   whole words faster, and many rows of 12 bytes are faster by way of shared memory. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_way_of_tiny_(const struct reduce_rows_ *rows_,
                                                       struct reduce_row_facts_ facts_, size_t bytes_) {
    const size_t n = rows_->n, positions_ = REDUCE_POSITIONS(facts_.size_);
    const bool is_power_ = (n & (n - 1)) == 0, follow_ = rows_->all_ > 0;
    const bool are_many_ = bytes_ > 4 * REDUCE_FEW_BYTES_ && n * facts_.bytes_ == 12;
    if (n == 0 || n > facts_.tiny_) return REDUCE_SHORT_ROWS_;
    if (is_power_ && follow_ && n <= positions_ && facts_.is_wide_) return REDUCE_WORD_ROWS_;
    return are_many_ || (n >= 8 && facts_.are_words_) ? REDUCE_SHORT_ROWS_ : REDUCE_THREAD_ROWS_;
}

/* Rows by ONE_LOAD_ROWS or FOUR_LOAD_ROWS, whose elements and threads have numbers of 32 bits; SHORT_ROWS
   stands for neither. These ways stay faster for more bytes where lanes load whole words, and where most
   lanes have several loads. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_way_of_lanes_(const struct reduce_rows_ *rows_,
                                                        struct reduce_row_facts_ facts_, size_t strands_,
                                                        size_t bytes_) {
    const size_t reach_ = rows_->rows_ * (rows_->n < rows_->pitch_ ? rows_->pitch_ : rows_->n);
    const bool is_one_ = strands_ <= REDUCE_WARP, are_most_ = strands_ > 2 * REDUCE_WARP;
    const bool are_small_ = REDUCE_POSITIONS(facts_.size_) > 4;
    const size_t words_ = is_one_ || (are_small_ && !are_most_) ? 4 : 16, others_ = are_most_ ? 8 : 1;
    if (reach_ > UINT32_MAX / REDUCE_WARP) return REDUCE_SHORT_ROWS_;
    if (bytes_ > (facts_.are_words_ ? words_ : others_) * REDUCE_FEW_BYTES_) return REDUCE_SHORT_ROWS_;
    return is_one_ ? REDUCE_ONE_LOAD_ROWS_ : REDUCE_FOUR_LOAD_ROWS_;
}

/* Rows by kernels of little code, where running code for the first time takes most of the time; SHORT_ROWS
   stands for none. As long as there are blocks for all rows, one load for each thread is faster than four
   of a lane for strands of many elements. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_way_of_few_(const struct reduce_rows_ *rows_,
                                                      struct reduce_row_facts_ facts_) {
    const size_t positions_ = REDUCE_POSITIONS(facts_.size_);
    const size_t strands_ = reduce_divide_up_(rows_->n, positions_);
    const size_t bytes_ = rows_->rows_ * rows_->n * facts_.bytes_;
    const bool are_large_ = positions_ > 4 && strands_ > 2 * REDUCE_WARP && rows_->rows_ <= REDUCE_WAVE_;
    const enum reduce_rows_way_ tiny_ = reduce_way_of_tiny_(rows_, facts_, bytes_);
    if (tiny_ != REDUCE_SHORT_ROWS_ || rows_->n == 0 || facts_.tiny_ == 0) return tiny_;
    if (strands_ <= REDUCE_STRANDS_BY_WARP_ && !are_large_)
        return reduce_way_of_lanes_(rows_, facts_, strands_, bytes_);
    if (strands_ > REDUCE_STRANDS || bytes_ > 2 * REDUCE_FEW_BYTES_) return REDUCE_SHORT_ROWS_;
    return REDUCE_STRIPE_ROWS_;
}

/* GRID_ROWS where there are slots for all chunks, else TALL_CHUNKS. GRID_ROWS reads misaligned rows by
   elements, not by words: that is faster where a word has more than four elements, and for some other
   rows. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_way_of_chunks_(const struct reduce_rows_ *rows_,
                                                         struct reduce_row_facts_ facts_) {
    const size_t positions_ = REDUCE_POSITIONS(facts_.size_);
    const bool are_few_ = rows_->rows_ * rows_->n * facts_.bytes_ <= 4 * REDUCE_FEW_BYTES_;
    const bool are_whole_ = rows_->count_ == 1 && rows_->items_ > REDUCE_WAVE_;
    const bool by_elements_ = positions_ > 4 || (are_few_ && (positions_ < 4 || are_whole_));
    if (rows_->items_ > REDUCE_SLOTS) return REDUCE_TALL_CHUNKS_;
    return facts_.are_aligned_ || by_elements_ ? REDUCE_GRID_ROWS_ : REDUCE_TALL_CHUNKS_;
}

/* Whether low chunks are faster by LOW_CHUNKS than each by a block. */
REDUCE_HOST_ bool reduce_are_low_(const struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_) {
    const size_t items_ = rows_->items_;
    const bool are_many_ = rows_->count_ == 1 || items_ > (rows_->count_ < 16 ? 3 : 4) * REDUCE_WAVE_;
    const bool are_read_ = facts_.are_aligned_ || REDUCE_POSITIONS(facts_.size_) > 4; /* fast by GRID_ROWS */
    return rows_->size_ <= 2 * REDUCE_STRIPE_(facts_.size_) && items_ >= REDUCE_MANY_LOW_ &&
           (are_many_ || !are_read_);
}

/* The way of rows. */
REDUCE_HOST_ enum reduce_rows_way_ reduce_rows_way_(const struct reduce_rows_ *rows_,
                                                    struct reduce_row_facts_ facts_) {
    const size_t strands_ = reduce_divide_up_(rows_->n, REDUCE_POSITIONS(facts_.size_));
    const bool are_one_wave_ = REDUCE_ENOUGH_ROWS_ > 1 && rows_->items_ <= 8 * REDUCE_WAVE_;
    const enum reduce_rows_way_ few_ = reduce_way_of_few_(rows_, facts_);
    if (few_ != REDUCE_SHORT_ROWS_) return few_;
    if (strands_ <= REDUCE_MIN_(facts_.at_once_ * REDUCE_WARP, (size_t)REDUCE_STRANDS))
        return REDUCE_SHORT_ROWS_;
    if (rows_->count_ == 1 && rows_->rows_ >= REDUCE_MANY_WARPS_) return REDUCE_WARP_ROWS_;
    if (rows_->count_ > 1 && rows_->rows_ >= REDUCE_ENOUGH_ROWS_ && !are_one_wave_) return REDUCE_BLOCK_ROWS_;
    return reduce_are_low_(rows_, facts_) ? REDUCE_LOW_CHUNKS_ : reduce_way_of_chunks_(rows_, facts_);
}

/* The chunks of a block. It is several where there are many chunks, and where chunks are low: then one
   wave of blocks has all. They belong to fewer rows than there are regions. */
REDUCE_HOST_ unsigned reduce_span_of_(const struct reduce_rows_ *rows_, enum reduce_rows_way_ way_) {
    const bool are_low_ = way_ == REDUCE_LOW_CHUNKS_, are_one_wave_ = rows_->items_ <= 16 * REDUCE_WAVE_;
    const size_t together_ = are_low_ ? REDUCE_WARPS_ / REDUCE_WARPS_OF_LOW_ : 1, most_ = REDUCE_WARP;
    const size_t regions_ = rows_->regions_;
    size_t share_ = rows_->items_ / REDUCE_MANY_BLOCKS_ + 1;
    if (are_low_ && are_one_wave_) share_ = (rows_->items_ / REDUCE_WAVE_ + 1) / together_ * together_;
    size_t span_ = REDUCE_MIN_(share_, most_);
    span_ = reduce_divide_up_(span_ + (span_ == 0), together_) * together_;
    if (rows_->count_ > 1) span_ = REDUCE_MIN_(span_, (regions_ - 1) * rows_->count_ + 1);
    return (unsigned)span_;
}

/* Shares short rows among threads. True where rows go to registers: all are aligned, and most of 2^bits
   lanes have elements or rows are few. False where they go to scratch; blocks have less of it where rows
   are few. */
REDUCE_HOST_ bool reduce_share_short_rows_(struct reduce_rows_ *rows_, struct reduce_row_facts_ facts_,
                                           unsigned threads_, bool are_few_) {
    const size_t of_row_ = rows_->n * facts_.bytes_;
    const size_t strands_ = reduce_divide_up_(rows_->n, REDUCE_POSITIONS(facts_.size_));
    const bool are_whole_ = rows_->n * facts_.size_ % 16 == 0, has_gaps_ = rows_->all_ == 0;
    const unsigned most_of_8_ = are_few_ ? 1 : has_gaps_ || strands_ > REDUCE_WARP ? 6 : 7;
    size_t scratch_ = threads_ * (size_t)REDUCE_SCRATCH_BYTES_;
    rows_->bits_ = reduce_bits_for_(strands_);
    if (facts_.are_aligned_ && (has_gaps_ || are_whole_) && 8 * strands_ >= most_of_8_ << rows_->bits_)
        return true;
    rows_->is_staged_ = true;
    rows_->warp_bits_ = reduce_bits_for_(reduce_divide_up_(strands_, REDUCE_WARP));
    rows_->is_wide_ = facts_.is_wide_ && are_whole_;
    const int all_ = rows_->bits_ - rows_->warp_bits_, least_ = are_whole_ && !rows_->is_wide_ ? 3 : 0;
    const int rest_ = all_ - facts_.strand_bits_;
    rows_->bits_ = rest_ > least_ ? rest_ : REDUCE_MIN_(least_, all_);
    while (scratch_ > threads_ * 16 && rows_->rows_ * of_row_ < scratch_ * REDUCE_MANY_SHORT_) scratch_ /= 2;
    rows_->span_ = of_row_ == 0 ? threads_ : (unsigned)((scratch_ - 15) / of_row_);
    if (rows_->span_ == 0) rows_->span_ = 1;
    return false;
}

/* The grid of a launch. */
struct reduce_grid_ { unsigned blocks_, threads_; };

/* The grid of the kernels of little code. */
REDUCE_HOST_ struct reduce_grid_ reduce_grid_of_few_(struct reduce_rows_ *rows_, enum reduce_rows_way_ way_,
                                                     struct reduce_row_facts_ facts_) {
    const size_t positions_ = REDUCE_POSITIONS(facts_.size_);
    const size_t strands_ = reduce_divide_up_(rows_->n, positions_);
    struct reduce_grid_ grid_ = {(unsigned)rows_->rows_, REDUCE_ROW_THREADS_};
    size_t threads_ = rows_->rows_;
    rows_->bits_ = strands_ <= REDUCE_WARP ? reduce_bits_for_(strands_) : 5;
    if (way_ == REDUCE_STRIPE_ROWS_) {
        grid_.threads_ = (unsigned)reduce_divide_up_(strands_, REDUCE_WARP) * REDUCE_WARP;
        return grid_;
    }
    if (way_ == REDUCE_GRID_ROWS_) {
        grid_.blocks_ = rows_->count_;
        grid_.threads_ = reduce_block_size_(rows_->n, facts_.size_, facts_.is_dense_);
        return grid_;
    }
    if (way_ == REDUCE_WORD_ROWS_) threads_ = reduce_divide_up_(rows_->rows_, positions_ / rows_->n);
    if (way_ >= REDUCE_ONE_LOAD_ROWS_) threads_ <<= rows_->bits_;
    grid_.blocks_ = (unsigned)reduce_divide_up_(threads_, grid_.threads_);
    return grid_;
}

/* The grid of a way; it completes the plan in rows. */
REDUCE_HOST_ struct reduce_grid_ reduce_grid_of_rows_(struct reduce_rows_ *rows_, enum reduce_rows_way_ way_,
                                                      struct reduce_row_facts_ facts_) {
    const size_t warps_ = REDUCE_ROW_THREADS_ / REDUCE_WARP;
    struct reduce_grid_ grid_ = {(unsigned)rows_->rows_, REDUCE_ROW_THREADS_};
    if (way_ >= REDUCE_THREAD_ROWS_) return reduce_grid_of_few_(rows_, way_, facts_);
    if (way_ == REDUCE_SHORT_ROWS_) {
        const size_t few_ = (size_t)REDUCE_MANY_WARPS_ * REDUCE_WARP * REDUCE_SCRATCH_BYTES_;
        const bool are_few_ = rows_->rows_ * rows_->n * facts_.bytes_ < few_;
        grid_.threads_ = are_few_ ? 2 * REDUCE_WARP : REDUCE_SHORT_THREADS_;
        if (reduce_share_short_rows_(rows_, facts_, grid_.threads_, are_few_))
            rows_->span_ = (unsigned)(facts_.at_once_ * grid_.threads_ >> rows_->bits_);
        grid_.blocks_ = (unsigned)reduce_divide_up_(rows_->rows_, rows_->span_);
    } else if (way_ == REDUCE_WARP_ROWS_) {
        grid_.blocks_ = (unsigned)reduce_divide_up_(rows_->rows_, warps_);
    } else if (way_ != REDUCE_BLOCK_ROWS_ || rows_->count_ > warps_) {
        grid_.threads_ = REDUCE_STRANDS;
    }
    if (way_ >= REDUCE_LOW_CHUNKS_) {
        rows_->span_ = reduce_span_of_(rows_, way_);
        grid_.blocks_ = (unsigned)reduce_divide_up_(rows_->items_, rows_->span_);
    }
    return grid_;
}

/* ---- Launches of rows ---- */

/* cudaError_t NAME_singles_(...): launches rows of one element. */
#define REDUCE_LAUNCH_SINGLES_(NAME)                                                                        \
    REDUCE_HOST_ cudaError_t NAME##_singles_(NAME##_input_ in_, size_t count_, NAME##_result *out_,         \
                                             cudaStream_t stream_) {                                        \
        const size_t most_ = REDUCE_MOST_BLOCKS_ * NAME##_singles_of_block_;                                \
        cudaError_t status_ = cudaSuccess;                                                                  \
        for (size_t now_; count_ > 0 && status_ == cudaSuccess;                                             \
             count_ -= now_, in_ = NAME##_input_at_(in_, now_), out_ += now_) {                             \
            void *arguments_[] = {&in_, &now_, &out_};                                                      \
            now_ = REDUCE_MIN_(count_, most_);                                                              \
            const size_t blocks_ = reduce_divide_up_(now_, NAME##_singles_of_block_);                       \
            status_ = cudaLaunchKernel(NAME##_singles_kernel_, dim3((unsigned)blocks_),                     \
                                       dim3(REDUCE_ROW_THREADS_), arguments_, 0, stream_);                  \
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
     {NAME##_four_load_rows_misaligned_, NAME##_four_load_rows_aligned_},                                   \
     {NAME##_stripe_rows_misaligned_, NAME##_stripe_rows_aligned_},                                         \
     {NAME##_grid_rows_, NAME##_grid_rows_}}

/* bool NAME_are_aligned_(...): whether all rows begin at a multiple of 16 bytes. */
#define REDUCE_ARE_ALIGNED_(NAME)                                                                           \
    REDUCE_HOST_ bool NAME##_are_aligned_(NAME##_input_ in_, const struct reduce_rows_ *rows_) {            \
        return !NAME##_shifts_ || ((uintptr_t)in_.in_ % 16 == 0 &&                                          \
                                   (rows_->rows_ == 1 || rows_->pitch_ * NAME##_size_ % 16 == 0));          \
    }

/* struct reduce_row_facts_ NAME_row_facts_(...): the facts for these rows. */
#define REDUCE_ROW_FACTS_(NAME)                                                                             \
    REDUCE_HOST_ struct reduce_row_facts_ NAME##_row_facts_(NAME##_input_ in_,                              \
                                                            const struct reduce_rows_ *rows_) {             \
        const bool are_aligned_ = NAME##_are_aligned_(in_, rows_);                                          \
        const bool is_wide_ = NAME##_shifts_ && (rows_->all_ == 0 || (uintptr_t)in_.in_ % 16 == 0);         \
        const bool are_words_ = NAME##_shifts_ && are_aligned_ && rows_->n % NAME##_positions_ == 0;        \
        const struct reduce_row_facts_ facts_ = {                                                           \
            NAME##_size_, NAME##_in_all_, NAME##_at_once_, NAME##_tiny_, NAME##_strand_bits_,               \
            are_aligned_, is_wide_, are_words_, NAME##_is_dense_};                                          \
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
            way_ >= REDUCE_ONE_LOAD_ROWS_ ? facts_.are_words_ : facts_.are_aligned_ && !rows_.is_staged_;   \
        const dim3 blocks_(grid_.blocks_, way_ == REDUCE_GRID_ROWS_ ? (unsigned)rows_.rows_ : 1);           \
        void *arguments_[] = {&in_, &rows_, &ws_, &out_};                                                   \
        return cudaLaunchKernel(kernels_[way_][is_second_], blocks_, dim3(grid_.threads_), arguments_, 0,   \
                                stream_);                                                                   \
    }

/* cudaError_t NAME_launch_rows_(...): launches rows, more than once if there are too many blocks for one
   launch. */
#define REDUCE_LAUNCH_ROWS_(NAME)                                                                           \
    REDUCE_HOST_ cudaError_t NAME##_launch_rows_(NAME##_input_ in_, size_t count_, size_t n,                \
                                                 size_t pitch_, NAME##_result *out_, reduce_workspace *ws_, \
                                                 cudaStream_t stream_) {                                    \
        cudaError_t status_ = cudaSuccess;                                                                  \
        while (count_ > 0 && status_ == cudaSuccess) {                                                      \
            const struct reduce_rows_ rows_ = reduce_rows_of_(count_, n, pitch_, NAME##_size_);             \
            status_ = NAME##_launch_once_(in_, rows_, out_, ws_, stream_);                                  \
            count_ -= rows_.rows_;                                                                          \
            in_ = NAME##_input_at_(in_, rows_.rows_ * pitch_);                                              \
            out_ += rows_.rows_;                                                                            \
        }                                                                                                   \
        return status_;                                                                                     \
    }

/* cudaError_t NAME_rows_by_gpu_(...): NAME_rows_async, which the manual describes, for an input of any
   kind. */
#define REDUCE_ROWS_ASYNC_(NAME)                                                                            \
    REDUCE_HOST_ cudaError_t NAME##_rows_by_gpu_(NAME##_input_ input_, size_t rows_, size_t n,              \
                                                 size_t pitch_, NAME##_result *out_,                        \
                                                 reduce_workspace *ws_, cudaStream_t stream_) {             \
        const cudaError_t status_ = NAME##_check_(input_, reduce_extent_(rows_, n, pitch_),                 \
                                                  REDUCE_RANGE_(out_, rows_, NAME##_result));               \
        if (status_ != cudaSuccess || rows_ == 0) return status_;                                           \
        if (ws_ == NULL) return cudaErrorInvalidValue;                                                      \
        const bool is_word_ = NAME##_shifts_ && NAME##_tiny_ > 0 && (uintptr_t)input_.in_ % 16 == 0;        \
        const bool are_single_ = n == 1 && (pitch_ == 1 || rows_ == 1) && !is_word_;                        \
        if (are_single_) return NAME##_singles_(input_, rows_, out_, stream_);                              \
        return NAME##_launch_rows_(input_, rows_, n, pitch_, out_, ws_, stream_);                           \
    }

/* ---- The plan of columns ---- */

/* Thresholds of the plan, measured on one large GPU. Columns are split into more parts until they have
   this much work. */
#define REDUCE_ENOUGH_BLOCKS_ 256                /* blocks of flat columns: all run at once */
#define REDUCE_ENOUGH_THREADS_ ((size_t)1 << 17) /* threads of other columns */
#ifndef REDUCE_COLUMN_WAVE_
#define REDUCE_COLUMN_WAVE_ 264 /* blocks of columns that run at once; tests define fewer */
#endif

/* Splits that the threads of a collector fold at a time. Tests define fewer. */
#ifndef REDUCE_SPLITS_OF_BLOCK_
#define REDUCE_SPLITS_OF_BLOCK_ REDUCE_COLUMN_THREADS_
#endif

/* Cuts the leaves into parts: first as many as a block has rows of threads, then splits among blocks, as
   long as there are slots. Each thread has at least as many leaves as it walks together. */
REDUCE_HOST_ void reduce_part_columns_(struct reduce_columns_ *columns_, int leaf_bits_, size_t enough_,
                                       size_t slots_) {
    const int chunk_bits_ = reduce_order_bits_(columns_->tree_.chunks_);
    const bool follow_ = columns_->tree_.count_ > REDUCE_STRANDS; /* a strand has several chunks */
    const size_t all_ = columns_->tiles_ * columns_->outer_ * columns_->across_;
    const size_t results_ = columns_->columns_ * columns_->outer_;
    int parts_ = 0, rows_ = 0;
    const size_t strands_ = (size_t)1 << chunk_bits_, used_ = REDUCE_MIN_(columns_->tree_.count_, strands_);
    while (parts_ < chunk_bits_ + leaf_bits_ && (all_ * used_ << parts_) / strands_ < enough_)
        parts_++;
    while (columns_->across_ << (rows_ + 1) <= REDUCE_COLUMN_THREADS_) rows_++;
    columns_->down_ = REDUCE_MIN_(REDUCE_MIN_(parts_, rows_), follow_ ? leaf_bits_ : parts_);
    columns_->splits_ = REDUCE_MIN_(parts_ - columns_->down_, follow_ ? chunk_bits_ : parts_);
    while (columns_->splits_ > 0 && (results_ << columns_->splits_ > slots_ ||
                                     REDUCE_COLUMN_THREADS_ < 1u << columns_->splits_))
        columns_->splits_--;
}

/* Shares columns in tiles of no more than `most` threads. */
REDUCE_HOST_ void reduce_share_tiles_(struct reduce_columns_ *columns_, unsigned most_, unsigned width_,
                                      int together_, size_t enough_, size_t slots_) {
    const int leaf_bits_ = reduce_order_bits_(columns_->tree_.leaves_) - together_;
    const size_t tiles_ = reduce_divide_up_(columns_->columns_, most_ * width_);
    columns_->across_ = (unsigned)reduce_divide_up_(columns_->columns_, tiles_ * width_);
    columns_->tile_ = columns_->across_ * width_;
    columns_->tiles_ = reduce_divide_up_(columns_->columns_, columns_->tile_);
    reduce_part_columns_(columns_, leaf_bits_ > 0 ? leaf_bits_ : 0, enough_, slots_);
    const size_t of_block_ = REDUCE_COLUMN_THREADS_ / (columns_->across_ << columns_->down_);
    columns_->tiles_of_block_ = (unsigned)REDUCE_MIN_(of_block_, columns_->tiles_ * columns_->outer_);
}

/* Whether the second wave of blocks would be far from full. Blocks without a chunk do not count. */
REDUCE_HOST_ bool reduce_leaves_few_blocks_(const struct reduce_columns_ *columns_) {
    const struct reduce_column_ *const tree_ = &columns_->tree_;
    const size_t all_ = columns_->tiles_ * columns_->outer_ / columns_->tiles_of_block_;
    const size_t strands_ = (size_t)1 << reduce_order_bits_(tree_->chunks_);
    if (tree_->n == 0 || all_ >= 2 * REDUCE_COLUMN_WAVE_) return false;
    const size_t chunks_ = (tree_->n + tree_->chunk_ * 3 / 4) / tree_->chunk_; /* but for a small last one */
    const size_t blocks_ = ((all_ << columns_->splits_) * REDUCE_MIN_(chunks_, strands_)) / strands_;
    return blocks_ > REDUCE_COLUMN_WAVE_ && blocks_ < REDUCE_COLUMN_WAVE_ * 5 / 3;
}

/* Shares columns that are not flat. */
REDUCE_HOST_ void reduce_share_columns_(struct reduce_columns_ *columns_, unsigned width_, int together_,
                                        size_t slots_) {
    reduce_share_tiles_(columns_, REDUCE_WARP, width_, together_, REDUCE_ENOUGH_THREADS_, slots_);
    if (reduce_leaves_few_blocks_(columns_))
        reduce_share_tiles_(columns_, REDUCE_WARP / 2, width_, together_, 2 * REDUCE_ENOUGH_THREADS_, slots_);
    for (int l = 0; l < REDUCE_LEAVES_; l++)
        columns_->tree_.away_[l] = columns_->tree_.apart_[l] * columns_->pitch_;
}

/* Blocks for flat columns: more where some blocks would have three chunks and others two, or a few two and
   the others one. */
REDUCE_HOST_ size_t reduce_enough_blocks_(const struct reduce_columns_ *columns_) {
    const size_t chunks_ = columns_->tree_.count_ * columns_->outer_, some_ = REDUCE_ENOUGH_BLOCKS_;
    if (chunks_ > 2 * some_ && chunks_ < 3 * some_) return 2 * some_;
    return chunks_ > some_ && chunks_ <= some_ * 11 / 8 ? 4 * some_ : some_;
}

/* Shares flat columns. A thread has `words` words of a stripe, and results of `width` columns. */
REDUCE_HOST_ void reduce_share_flat_(struct reduce_columns_ *columns_, size_t words_, size_t width_,
                                     size_t slots_) {
    const int chunk_bits_ = reduce_order_bits_(columns_->tree_.chunks_);
    const int strand_bits_ = reduce_order_bits_(columns_->tree_.leaves_) - columns_->tree_.leaves_.positions_;
    const int most_ = columns_->tree_.count_ > REDUCE_STRANDS ? chunk_bits_ : chunk_bits_ + strand_bits_;
    const size_t results_ = columns_->columns_ * columns_->outer_;
    columns_->tiles_ = columns_->tiles_of_block_ = 1;
    columns_->tile_ = (unsigned)columns_->columns_;
    columns_->is_flat_ = true, columns_->is_wide_ = false;
    size_t split_ = 2, enough_ = reduce_enough_blocks_(columns_); /* split_: the splits to try next */
    while (columns_->splits_ < most_ && columns_->outer_ * split_ <= enough_ &&
           results_ * split_ <= slots_ &&
           (results_ << (chunk_bits_ + strand_bits_)) / split_ >= REDUCE_COLUMN_THREADS_ / 4)
        columns_->splits_++, split_ *= 2;
    const int own_ = strand_bits_ - (columns_->splits_ > chunk_bits_ ? columns_->splits_ - chunk_bits_ : 0);
    const size_t most_words_ = REDUCE_COLUMN_THREADS_ * words_;
    while (columns_->down_ < own_ && columns_->columns_ << (columns_->down_ + 1) <= most_words_)
        columns_->down_++;
    const size_t threads_ = reduce_divide_up_(columns_->columns_ << columns_->down_, words_);
    const size_t least_ = reduce_divide_up_(columns_->columns_, width_);
    columns_->across_ = (unsigned)reduce_divide_up_(threads_ < least_ ? least_ : threads_, REDUCE_WARP);
    columns_->across_ *= REDUCE_WARP;
}

/* Whether the flat way is faster: columns are few and without gaps, and no load takes several of them
   whole. */
REDUCE_HOST_ bool reduce_are_flat_(const struct reduce_columns_ *columns_, unsigned positions_) {
    return columns_->pitch_ == columns_->columns_ && columns_->columns_ <= 16 &&
           columns_->tree_.chunk_ <= REDUCE_FLAT_END_ / columns_->columns_ &&
           (!columns_->is_wide_ || columns_->columns_ <= (positions_ == 2 ? 8 : 4)) &&
           columns_->tree_.n * columns_->columns_ >= (size_t)REDUCE_COLUMN_THREADS_ * positions_;
}

/* Slots for values of size bytes, in which splits may meet; none without waiting. */
#ifdef REDUCE_NO_WAITING
#define REDUCE_SLOTS_TO_WAIT_FOR_(size) ((size_t)0)
#else
#define REDUCE_SLOTS_TO_WAIT_FOR_ REDUCE_SLOTS_OF_
#endif

/* The grid of the next launch; columns->blocks gets its blocks without the collectors. */
REDUCE_HOST_ struct reduce_grid_ reduce_columns_grid_(struct reduce_columns_ *columns_, unsigned width_) {
    const size_t tiles_ = columns_->tiles_ * columns_->outer_ - columns_->first_;
    const size_t blocks_ = reduce_divide_up_(tiles_, columns_->tiles_of_block_);
    const size_t results_ = columns_->columns_ * columns_->outer_;
    struct reduce_grid_ grid_;
    grid_.threads_ = columns_->tiles_of_block_ * columns_->across_;
    if (!columns_->is_flat_) grid_.threads_ <<= columns_->down_;
    while (1u << (columns_->splits_ - columns_->each_) > REDUCE_SPLITS_OF_BLOCK_) columns_->each_++;
    const int rows_ = columns_->splits_ - columns_->each_; /* rows of threads of a collector, as bits */
    if (grid_.threads_ < 1u << rows_) grid_.threads_ = 1u << rows_;
    columns_->blocks_ = (unsigned)REDUCE_MIN_(blocks_, REDUCE_MOST_BLOCKS_ >> columns_->splits_)
                        << columns_->splits_;
    grid_.blocks_ = columns_->blocks_;
    const size_t of_collector_ = (grid_.threads_ >> rows_) * width_;
    if (columns_->splits_ > 0) grid_.blocks_ += (unsigned)reduce_divide_up_(results_, of_collector_);
    return grid_;
}

/* ---- Launches of columns and segments ---- */

/* bool NAME_suit_wide_loads_(...): whether all addresses suit loads of `width` columns. */
#define REDUCE_SUIT_WIDE_LOADS_(NAME)                                                                       \
    REDUCE_HOST_ bool NAME##_suit_wide_loads_(NAME##_input_ in_, const struct reduce_columns_ *columns_) {  \
        return NAME##_width_ > 1 && (uintptr_t)in_.in_ % NAME##_load_bytes_ == 0 &&                         \
            columns_->pitch_ % NAME##_width_ == 0 && columns_->columns_ % NAME##_width_ == 0 &&             \
            (columns_->outer_ == 1 || columns_->outer_pitch_ % NAME##_width_ == 0);                         \
    }

/* void NAME_plan_columns_(...): chooses a way and shares columns among threads. */
#define REDUCE_PLAN_COLUMNS_(NAME)                                                                          \
    REDUCE_HOST_ void NAME##_plan_columns_(NAME##_input_ in_, struct reduce_columns_ *columns_) {           \
        const size_t slots_ = REDUCE_SLOTS_TO_WAIT_FOR_(sizeof(NAME##_result));                             \
        const bool is_aligned_ =                                                                            \
            (uintptr_t)in_.in_ % 16 == 0 && columns_->outer_pitch_ % NAME##_positions_ == 0;                \
        columns_->is_wide_ = NAME##_suit_wide_loads_(in_, columns_);                                        \
        if (NAME##_is_flat_ && is_aligned_ && reduce_are_flat_(columns_, NAME##_positions_))                \
            reduce_share_flat_(columns_, NAME##_words_, NAME##_width_, slots_);                             \
        else                                                                                                \
            reduce_share_columns_(columns_, NAME##_width_, reduce_bits_for_(NAME##_together_), slots_);     \
        columns_->few_ = 1 << reduce_order_bits_(columns_->tree_.leaves_);                                  \
        if (columns_->tree_.count_ > 1 || columns_->few_ > NAME##_together_) columns_->few_ = 0;            \
    }

/* cudaError_t NAME_start_columns_(...): makes one launch. */
#define REDUCE_START_COLUMNS_(NAME)                                                                         \
    REDUCE_HOST_ cudaError_t NAME##_start_columns_(const struct reduce_columns_ *columns_,                  \
                                                   struct reduce_grid_ grid_, void **arguments_,            \
                                                   cudaStream_t stream_) {                                  \
        void (*const kernels_[][2])(NAME##_input_, struct reduce_columns_, reduce_workspace *,              \
                                    NAME##_result *) = {                                                    \
            {NAME##_columns_by_narrow_kernel_, NAME##_columns_by_wide_kernel_},                             \
            {NAME##_columns_of_some_narrow_kernel_, NAME##_columns_of_few_wide_kernel_},                    \
            {NAME##_columns_of_some_narrow_kernel_, NAME##_columns_of_some_wide_kernel_},                   \
            {NAME##_columns_by_flat_kernel_, NAME##_columns_by_flat_kernel_}};                              \
        const int way_ = columns_->is_flat_ ? 3 : columns_->few_ > NAME##_few_ ? 2 : columns_->few_ > 0;    \
        return cudaLaunchKernel(kernels_[way_][columns_->is_wide_], dim3(grid_.blocks_),                    \
                                dim3(grid_.threads_), arguments_, 0, stream_);                              \
    }

/* cudaError_t NAME_launch_columns_(...): launches columns, more than once if there are too many blocks for
   one launch. */
#define REDUCE_LAUNCH_COLUMNS_(NAME)                                                                        \
    REDUCE_HOST_ cudaError_t NAME##_launch_columns_(NAME##_input_ in_, struct reduce_columns_ columns_,     \
                                                    NAME##_result *out_, reduce_workspace *ws_,             \
                                                    cudaStream_t stream_) {                                 \
        void *arguments_[] = {&in_, &columns_, &ws_, &out_};                                                \
        cudaError_t status_ = cudaSuccess;                                                                  \
        NAME##_plan_columns_(in_, &columns_);                                                               \
        const size_t tiles_ = columns_.tiles_ * columns_.outer_;                                            \
        while (columns_.first_ < tiles_ && status_ == cudaSuccess) {                                        \
            const struct reduce_grid_ grid_ = reduce_columns_grid_(&columns_, NAME##_width_);               \
            status_ = NAME##_start_columns_(&columns_, grid_, arguments_, stream_);                         \
            columns_.first_ += (size_t)(columns_.blocks_ >> columns_.splits_) * columns_.tiles_of_block_;   \
        }                                                                                                   \
        return status_;                                                                                     \
    }

/* `count` columns of n elements for each outer index; nothing is planned yet. */
REDUCE_HOST_ struct reduce_columns_ reduce_columns_of_(size_t outer_, size_t n, size_t count_, size_t pitch_,
                                                       size_t element_size_) {
    struct reduce_columns_ columns_;
    memset(&columns_, 0, sizeof columns_);
    columns_.tree_ = reduce_column_of_(n, element_size_);
    columns_.outer_ = outer_;
    columns_.columns_ = count_;
    columns_.pitch_ = pitch_;
    columns_.outer_pitch_ = outer_ > 1 ? n * pitch_ : 0;
    return columns_;
}

/* cudaError_t NAME_columns_by_gpu_(...), NAME_axis_by_gpu_(...), NAME_segments_by_gpu_(...): as
   NAME_rows_by_gpu_. */
#define REDUCE_COLUMNS_ASYNC_(NAME)                                                                         \
    REDUCE_HOST_ cudaError_t NAME##_columns_by_gpu_(NAME##_input_ input_, size_t n, size_t count_,          \
                                                    size_t pitch_, NAME##_result *out_,                     \
                                                    reduce_workspace *ws_, cudaStream_t stream_) {          \
        const size_t extent_ = reduce_extent_(n, count_, pitch_);                                           \
        const cudaError_t status_ =                                                                         \
            NAME##_check_(input_, extent_, REDUCE_RANGE_(out_, count_, NAME##_result));                     \
        if (status_ != cudaSuccess || count_ == 0) return status_;                                          \
        if (ws_ == NULL) return cudaErrorInvalidValue;                                                      \
        if (count_ == 1 && pitch_ == 1) return NAME##_launch_rows_(input_, 1, n, n, out_, ws_, stream_);    \
        if (n == 1) return NAME##_singles_(input_, count_, out_, stream_);                                  \
        return NAME##_launch_columns_(input_, reduce_columns_of_(1, n, count_, pitch_, NAME##_size_), out_, \
                                      ws_, stream_);                                                        \
    }

#define REDUCE_AXIS_ASYNC_(NAME)                                                                            \
    REDUCE_HOST_ cudaError_t NAME##_axis_by_gpu_(NAME##_input_ input_, size_t outer_, size_t n,             \
                                                 size_t inner_, NAME##_result *out_,                        \
                                                 reduce_workspace *ws_, cudaStream_t stream_) {             \
        const size_t results_ = reduce_extent_(outer_, inner_, inner_);                                     \
        const size_t extent_ = reduce_axis_extent_(outer_, n, inner_);                                      \
        const cudaError_t status_ =                                                                         \
            NAME##_check_(input_, extent_, REDUCE_RANGE_(out_, results_, NAME##_result));                   \
        if (status_ != cudaSuccess || results_ == 0) return status_;                                        \
        if (ws_ == NULL) return cudaErrorInvalidValue;                                                      \
        if (inner_ == 1) return NAME##_rows_by_gpu_(input_, outer_, n, n, out_, ws_, stream_);              \
        return NAME##_launch_columns_(input_, reduce_columns_of_(outer_, n, inner_, inner_, NAME##_size_),  \
                                      out_, ws_, stream_);                                                  \
    }

REDUCE_HOST_ cudaError_t reduce_check_offsets_(struct reduce_offsets_ offsets_, size_t count_) {
    const size_t all_ = count_ + (count_ > 0);
    return reduce_check_range_(offsets_.are_32_ ? REDUCE_RANGE_(offsets_.at_, all_, int32_t)
                                                : REDUCE_RANGE_(offsets_.at_, all_, int64_t));
}

#define REDUCE_SEGMENTS_ASYNC_(NAME)                                                                        \
    REDUCE_HOST_ cudaError_t NAME##_segments_by_gpu_(NAME##_input_ input_, struct reduce_offsets_ offsets_, \
                                                     size_t count_, NAME##_result *out_,                    \
                                                     reduce_workspace *ws_, cudaStream_t stream_) {         \
        cudaError_t status_ = NAME##_check_(input_, 0, REDUCE_RANGE_(out_, count_, NAME##_result));         \
        void *arguments_[] = {&input_, &offsets_, &count_, &ws_, &out_};                                    \
        if (status_ == cudaSuccess) status_ = reduce_check_offsets_(offsets_, count_);                      \
        if (status_ != cudaSuccess || count_ == 0) return status_;                                          \
        if (ws_ == NULL) return cudaErrorInvalidValue;                                                      \
        return cudaLaunchKernel(NAME##_segments_kernel_, dim3(REDUCE_SEGMENT_BLOCKS_),                      \
                                dim3(REDUCE_SEGMENT_THREADS_), arguments_, 0, stream_);                     \
    }

/* ---- Simple calls -------------------------------------------------------------------------------------- */

/* A simple call's results and offsets on the device: memory of their own, beside that of
   reduce_simple_begin_. */
struct reduce_extra_ { void *memory_, *out_, *more_; };

REDUCE_HOST_ cudaError_t reduce_extra_begin_(struct reduce_extra_ *extra_, size_t out_bytes_,
                                             const void *more_, size_t more_bytes_) {
    const cudaError_t status_ = cudaMalloc(&extra_->memory_, reduce_round_up_(out_bytes_, 256) + more_bytes_);
    if (status_ != cudaSuccess) return status_;
    extra_->out_ = extra_->memory_;
    extra_->more_ = (char *)extra_->memory_ + reduce_round_up_(out_bytes_, 256);
    if (more_bytes_ == 0) return cudaSuccess;
    return cudaMemcpy(extra_->more_, more_, more_bytes_, cudaMemcpyHostToDevice);
}

/* Puts a simple call's arrays on the device, and takes memory for its results and offsets. */
REDUCE_HOST_ cudaError_t reduce_visit_begin_(struct reduce_simple_ *simple_, struct reduce_extra_ *extra_,
                                             void *input_, struct reduce_range_ *arrays_, size_t count_,
                                             size_t out_bytes_, const void *more_, size_t more_bytes_) {
    const cudaError_t status_ = reduce_simple_begin_(simple_, input_, arrays_, count_, true);
    return status_ != cudaSuccess ? status_ : reduce_extra_begin_(extra_, out_bytes_, more_, more_bytes_);
}

/* Copies results to out, in memory of any kind. It releases everything in any case; the first error
   counts. */
REDUCE_HOST_ cudaError_t reduce_extra_end_(struct reduce_extra_ *extra_, struct reduce_simple_ *simple_,
                                           cudaError_t status_, void *out_, size_t out_bytes_) {
    unsigned char none_;
    if (status_ == cudaSuccess) status_ = cudaStreamSynchronize(0);
    if (status_ == cudaSuccess) status_ = cudaMemcpy(out_, extra_->out_, out_bytes_, cudaMemcpyDefault);
    const cudaError_t freed_ = extra_->memory_ != NULL ? cudaFree(extra_->memory_) : cudaSuccess;
    return reduce_simple_end_(simple_, status_ != cudaSuccess ? status_ : freed_, &none_, 0);
}

/* A shape is what stands between the input and the output: PARAMETERS and ARGUMENTS, in parentheses. CALL is
   NAME_rows and so on.
   cudaError_t CALL_async(...): see the manual. */
#define REDUCE_OPEN_(...) __VA_ARGS__
#define REDUCE_SHAPE_ASYNC_(NAME, CALL, KIND, PARAMETERS, ARGUMENTS)                                        \
    REDUCE_HOST_ cudaError_t CALL##_async(REDUCE_ARRAYS_##KIND(NAME),                                       \
                                          REDUCE_OPEN_ PARAMETERS REDUCE_MORE_##KIND(NAME),                 \
                                          NAME##_result *out_, reduce_workspace *ws_,                       \
                                          cudaStream_t stream_) {                                           \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        return CALL##_by_gpu_(input_, REDUCE_OPEN_ ARGUMENTS, out_, ws_, stream_);                          \
    }

/* cudaError_t CALL_visit_(...): the simple call, checked, by the GPU. */
#define REDUCE_SHAPE_VISIT_(NAME, CALL, KIND, PARAMETERS, ARGUMENTS, extent, results)                       \
    REDUCE_HOST_ cudaError_t CALL##_visit_(NAME##_input_ input_, REDUCE_OPEN_ PARAMETERS,                   \
                                           NAME##_result *out_) {                                           \
        const size_t extent_ = extent, bytes_ = (results) * sizeof(NAME##_result);                          \
        struct reduce_range_ arrays_[] = REDUCE_RANGES_##KIND(NAME, input_, extent_);                       \
        struct reduce_simple_ simple_ = {false, 0, NULL, NULL, NULL};                                       \
        struct reduce_extra_ extra_ = {NULL, NULL, NULL};                                                   \
        cudaError_t status_ = reduce_visit_begin_(&simple_, &extra_, &input_, arrays_,                      \
                                                  REDUCE_COUNT_(arrays_), bytes_, NULL, 0);                 \
        if (status_ == cudaSuccess)                                                                         \
            status_ = CALL##_by_gpu_(input_, REDUCE_OPEN_ ARGUMENTS,                                        \
                                     (NAME##_result *)extra_.out_, simple_.ws_, 0);                         \
        return reduce_extra_end_(&extra_, &simple_, status_, out_, bytes_);                                 \
    }

/* cudaError_t CALL(...): see the manual. */
#define REDUCE_SHAPE_SIMPLE_(NAME, CALL, KIND, PARAMETERS, ARGUMENTS, extent, results)                      \
    REDUCE_HOST_ cudaError_t CALL(REDUCE_ARRAYS_##KIND(NAME),                                               \
                                  REDUCE_OPEN_ PARAMETERS REDUCE_MORE_##KIND(NAME),                         \
                                  NAME##_result *out_) {                                                    \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const size_t results_ = results;                                                                    \
        const cudaError_t status_ =                                                                         \
            NAME##_check_(input_, extent, REDUCE_RANGE_(out_, results_, NAME##_result));                    \
        if (status_ != cudaSuccess || results_ == 0) return status_;                                        \
        if (reduce_has_gpu_()) return CALL##_visit_(input_, REDUCE_OPEN_ ARGUMENTS, out_);                  \
        CALL##_cpu(REDUCE_NAMES_##KIND, REDUCE_OPEN_ ARGUMENTS REDUCE_LAST_##KIND, out_);                   \
        return cudaSuccess;                                                                                 \
    }

#define REDUCE_SHAPE_CALL_(NAME, CALL, KIND, PARAMETERS, ARGUMENTS, extent, results)                        \
    REDUCE_SHAPE_ASYNC_(NAME, CALL, KIND, PARAMETERS, ARGUMENTS) REDUCE_LINE_                               \
    REDUCE_SHAPE_VISIT_(NAME, CALL, KIND, PARAMETERS, ARGUMENTS, extent, results) REDUCE_LINE_              \
    REDUCE_SHAPE_SIMPLE_(NAME, CALL, KIND, PARAMETERS, ARGUMENTS, extent, results)

/* What a kind of input passes on: its arrays, and what follows the shape. */
#define REDUCE_NAMES_ARRAY_ in_
#define REDUCE_NAMES_WITH_ in_
#define REDUCE_NAMES_ZIP_ x, y
#define REDUCE_LAST_ARRAY_
#define REDUCE_LAST_WITH_ , c_
#define REDUCE_LAST_ZIP_

#define REDUCE_ROWS_CALL_(NAME, KIND)                                                                       \
    REDUCE_SHAPE_CALL_(NAME, NAME##_rows, KIND, (size_t rows_, size_t n, size_t pitch_), (rows_, n, pitch_),\
                       reduce_extent_(rows_, n, pitch_), rows_)
#define REDUCE_COLUMNS_CALL_(NAME, KIND)                                                                    \
    REDUCE_SHAPE_CALL_(NAME, NAME##_columns, KIND, (size_t n, size_t columns_, size_t pitch_),              \
                       (n, columns_, pitch_), reduce_extent_(n, columns_, pitch_), columns_)
#define REDUCE_AXIS_CALL_(NAME, KIND)                                                                       \
    REDUCE_SHAPE_CALL_(NAME, NAME##_axis, KIND, (size_t outer_, size_t n, size_t inner_),                   \
                       (outer_, n, inner_),                                                                 \
                       reduce_axis_extent_(outer_, n, inner_), reduce_extent_(outer_, inner_, inner_))

/* Copies a simple call's offsets to main memory; refuses decreasing and negative ones. The caller frees
   *to. */
#define REDUCE_READ_OFFSETS_(Offset, offsets)                                                               \
    REDUCE_HOST_ cudaError_t reduce_read_offsets_##offsets##_(const Offset *from_, size_t count_,           \
                                                              Offset **to_) {                               \
        cudaError_t status_ = cudaSuccess;                                                                  \
        *to_ = (Offset *)malloc((count_ + 1) * sizeof **to_);                                               \
        if (*to_ == NULL) return cudaErrorMemoryAllocation;                                                 \
        if (reduce_has_gpu_())                                                                              \
            status_ = cudaMemcpy(*to_, from_, (count_ + 1) * sizeof **to_, cudaMemcpyDefault);              \
        else                                                                                                \
            memcpy(*to_, from_, (count_ + 1) * sizeof **to_);                                               \
        for (size_t k = 0; k < count_ && status_ == cudaSuccess; k++)                                       \
            if ((*to_)[k] < 0 || (*to_)[k + 1] < (*to_)[k]) status_ = cudaErrorInvalidValue;                \
        return status_;                                                                                     \
    }
REDUCE_READ_OFFSETS_(int64_t, 64)
REDUCE_READ_OFFSETS_(int32_t, 32)

/* cudaError_t NAME_segments_visit_(...): the simple call by the GPU, with offsets in main memory. */
#define REDUCE_SEGMENTS_VISIT_(NAME, KIND, segments, Offset)                                                \
    REDUCE_HOST_ cudaError_t NAME##_##segments##_visit_(NAME##_input_ input_, const Offset *offsets_,       \
                                                        size_t count_, size_t end_, NAME##_result *out_) {  \
        struct reduce_range_ arrays_[] = REDUCE_RANGES_##KIND(NAME, input_, end_);                          \
        struct reduce_simple_ simple_ = {false, 0, NULL, NULL, NULL};                                       \
        struct reduce_extra_ extra_ = {NULL, NULL, NULL};                                                   \
        const size_t bytes_ = count_ * sizeof(NAME##_result);                                               \
        cudaError_t status_ = reduce_visit_begin_(&simple_, &extra_, &input_, arrays_,                      \
                                                  REDUCE_COUNT_(arrays_), bytes_, offsets_,                 \
                                                  (count_ + 1) * sizeof(Offset));                           \
        const struct reduce_offsets_ on_device_ = {extra_.more_, sizeof(Offset) == 4};                      \
        if (status_ == cudaSuccess)                                                                         \
            status_ = NAME##_segments_by_gpu_(input_, on_device_, count_, (NAME##_result *)extra_.out_,     \
                                              simple_.ws_, 0);                                              \
        return reduce_extra_end_(&extra_, &simple_, status_, out_, bytes_);                                 \
    }

/* cudaError_t NAME_segments_async(...): see the manual. */
#define REDUCE_SEGMENTS_ASYNC_CALL_(NAME, KIND, segments, Offset)                                           \
    REDUCE_HOST_ cudaError_t NAME##_##segments##_async(REDUCE_ARRAYS_##KIND(NAME), const Offset *offsets_,  \
                                                       size_t count_ REDUCE_MORE_##KIND(NAME),              \
                                                       NAME##_result *out_, reduce_workspace *ws_,          \
                                                       cudaStream_t stream_) {                              \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const struct reduce_offsets_ all_ = {offsets_, sizeof *offsets_ == 4};                              \
        return NAME##_segments_by_gpu_(input_, all_, count_, out_, ws_, stream_);                           \
    }

/* cudaError_t NAME_segments_run_(...): the simple call by the GPU or the CPU, with offsets in main memory. */
#define REDUCE_SEGMENTS_RUN_(NAME, KIND, segments, Offset)                                                  \
    REDUCE_HOST_ cudaError_t NAME##_##segments##_run_(REDUCE_ARRAYS_##KIND(NAME), const Offset *offsets_,   \
                                                      size_t count_ REDUCE_MORE_##KIND(NAME),               \
                                                      NAME##_result *out_) {                                \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const size_t end_ = (size_t)offsets_[count_];                                                       \
        const cudaError_t status_ =                                                                         \
            NAME##_check_(input_, end_, REDUCE_RANGE_(out_, count_, NAME##_result));                        \
        if (status_ != cudaSuccess) return status_;                                                         \
        if (reduce_has_gpu_()) return NAME##_##segments##_visit_(input_, offsets_, count_, end_, out_);     \
        NAME##_##segments##_cpu(REDUCE_NAMES_##KIND, offsets_, count_ REDUCE_LAST_##KIND, out_);            \
        return cudaSuccess;                                                                                 \
    }

/* cudaError_t NAME_segments(const In *in, const int64_t *offsets, size_t count, T *out) */
#define REDUCE_SEGMENTS_CALL_(NAME, KIND, segments, Offset, offsets)                                        \
    REDUCE_HOST_ cudaError_t NAME##_##segments(REDUCE_ARRAYS_##KIND(NAME), const Offset *offsets_,          \
                                               size_t count_ REDUCE_MORE_##KIND(NAME),                      \
                                               NAME##_result *out_) {                                       \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        Offset *read_ = NULL;                                                                               \
        cudaError_t status_ = NAME##_check_(input_, 0, REDUCE_RANGE_(out_, count_, NAME##_result));         \
        if (status_ == cudaSuccess)                                                                         \
            status_ = reduce_check_range_(REDUCE_RANGE_(offsets_, count_ + (count_ > 0), Offset));          \
        if (status_ != cudaSuccess || count_ == 0) return status_;                                          \
        status_ = reduce_read_offsets_##offsets##_(offsets_, count_, &read_);                               \
        if (status_ == cudaSuccess)                                                                         \
            status_ = NAME##_##segments##_run_(REDUCE_NAMES_##KIND, read_, count_ REDUCE_LAST_##KIND, out_);\
        free(read_);                                                                                        \
        return status_;                                                                                     \
    }

#endif /* __CUDACC__ */

/* ---- What users write ---------------------------------------------------------------------------------- */

/* Tables of contents: the generators of each section, in the order in which they need each other. */

#define REDUCE_GENERATE_ROWS_CPU_(NAME, KIND)                                                               \
    REDUCE_CPU_ROWS_(NAME) REDUCE_LINE_ REDUCE_ROWS_CPU_(NAME, KIND) REDUCE_LINE_

#define REDUCE_GENERATE_COLUMNS_CPU_(NAME, KIND)                                                            \
    REDUCE_EACH_(NAME, REDUCE_CPU_MAP_ROW_, REDUCE_CPU_LEAF_, REDUCE_CPU_JOIN_,                             \
                 REDUCE_CPU_COLUMNS_OF_CHUNK_)                                                              \
    REDUCE_CPU_TILE_(NAME) REDUCE_LINE_ REDUCE_CPU_COLUMNS_(NAME) REDUCE_LINE_                              \
    REDUCE_COLUMNS_CPU_(NAME, KIND) REDUCE_LINE_ REDUCE_AXIS_CPU_(NAME, KIND) REDUCE_LINE_

#define REDUCE_GENERATE_SEGMENTS_CPU_(NAME, KIND)                                                           \
    REDUCE_SEGMENTS_CPU_(NAME, KIND, segments, int64_t) REDUCE_LINE_                                        \
    REDUCE_SEGMENTS_CPU_(NAME, KIND, segments_32, int32_t) REDUCE_LINE_

#ifdef __CUDACC__

#define REDUCE_GENERATE_LOADS_(NAME, KIND)                                                                  \
    REDUCE_RUN_TYPES_(NAME, KIND) REDUCE_LINE_                                                              \
    REDUCE_EACH_(NAME, REDUCE_AT_ONCE_, REDUCE_RUN_FROM_, REDUCE_LOAD_TWO_, REDUCE_NOTHING_)                \
    REDUCE_LOAD_FEW_(NAME, KIND) REDUCE_LINE_                                                               \
    REDUCE_EACH_(NAME, REDUCE_LOAD_WORDS_, REDUCE_ADD_FEW_, REDUCE_ADD_WORDS_, REDUCE_NOTHING_)

#define REDUCE_GENERATE_FOLDS_OF_STRANDS_(NAME)                                                             \
    REDUCE_EACH_(NAME, REDUCE_BEGIN_STRAND_, REDUCE_FOLD_STRANDS_, REDUCE_EXCHANGE_, REDUCE_FOLD_STEPS_)    \
    REDUCE_FOLD_EACH_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_ROWS_IN_SCRATCH_(NAME, KIND)                                                        \
    REDUCE_RANGE_IN_SCRATCH_(NAME) REDUCE_LINE_ REDUCE_READ_STRAND_(NAME, KIND) REDUCE_LINE_                \
    REDUCE_STRAND_IN_SCRATCH_(NAME) REDUCE_LINE_ REDUCE_ONE_IN_SCRATCH_(NAME) REDUCE_LINE_                  \
    REDUCE_SOME_IN_SCRATCH_(NAME, two, one, 1) REDUCE_LINE_                                                 \
    REDUCE_SOME_IN_SCRATCH_(NAME, four, two, 2) REDUCE_LINE_                                                \
    REDUCE_SOME_IN_SCRATCH_(NAME, eight, four, 4) REDUCE_LINE_ REDUCE_IN_SCRATCH_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_SHORT_ROWS_(NAME, KIND)                                                             \
    REDUCE_RUN_OF_(NAME) REDUCE_LINE_ REDUCE_STAGE_##KIND(NAME) REDUCE_LINE_                                \
    REDUCE_EACH_(NAME, REDUCE_ROW_IN_SCRATCH_, REDUCE_ROWS_IN_SCRATCH_, REDUCE_STAGED_ROWS_KERNEL_,         \
                 REDUCE_RUNS_OF_)                                                                           \
    REDUCE_EACH_(NAME, REDUCE_LOAD_ROWS_, REDUCE_ADD_ROWS_, REDUCE_WRITE_ROWS_, REDUCE_SHORT_ROWS_KERNEL_)

#define REDUCE_GENERATE_WALK_LOADS_(NAME, KIND)                                                             \
    REDUCE_EACH_(NAME, REDUCE_MANY_, REDUCE_WALKER_, REDUCE_WHOLE_UNTIL_, REDUCE_WALKER_OF_)                \
    REDUCE_LOAD_SEATS_(NAME, KIND) REDUCE_LINE_                                                             \
    REDUCE_EACH_(NAME, REDUCE_LOAD_WHOLE_BURST_, REDUCE_LOAD_PARTIAL_WORD_, REDUCE_LOAD_PARTIAL_BURST_,     \
                 REDUCE_ADD_SEATS_)                                                                         \
    REDUCE_LOAD_BURST_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_WALK_(NAME)                                                                         \
    REDUCE_EACH_(NAME, REDUCE_USE_BURST_, REDUCE_ADD_BURST_, REDUCE_MOVE_BETWEEN_LANES_,                    \
                 REDUCE_MOVE_IN_STRAND_)                                                                    \
    REDUCE_EACH_(NAME, REDUCE_MOVE_ACCUMULATORS_, REDUCE_ADD_BURSTS_, REDUCE_ADD_TREE_WARPS_,               \
                 REDUCE_NOTHING_)

#define REDUCE_GENERATE_SCATTER_(NAME)                                                                      \
    REDUCE_EACH_(NAME, REDUCE_SCATTER_, REDUCE_LOAD_SCATTER_, REDUCE_USE_SCATTER_, REDUCE_ADD_SCATTER_)     \
    REDUCE_EACH_(NAME, REDUCE_BEGIN_SCATTER_, REDUCE_WALK_SCATTER_, REDUCE_SCATTERED_POSITIONS_,            \
                 REDUCE_LANE_OF_SCATTER_)                                                                   \
    REDUCE_FOLD_SCATTER_(NAME) REDUCE_LINE_ REDUCE_SCATTER_WARPS_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_TREE_WARPS_(NAME)                                                                   \
    REDUCE_EACH_(NAME, REDUCE_TREE_WARPS_, REDUCE_TREE_WARPS_TO_SCRATCH_, REDUCE_BY_WARP_, REDUCE_NOTHING_)

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
    REDUCE_FOLD_LOADS_(NAME) REDUCE_LINE_ REDUCE_LOADS_OF_ROW_(NAME) REDUCE_LINE_                           \
    REDUCE_LANE_ROWS_KERNEL_(NAME, one_load, 1, aligned, true) REDUCE_LINE_                                 \
    REDUCE_LANE_ROWS_KERNEL_(NAME, one_load, 1, misaligned, false) REDUCE_LINE_                             \
    REDUCE_LANE_ROWS_KERNEL_(NAME, four_load, NAME##_at_once_, aligned, true) REDUCE_LINE_                  \
    REDUCE_LANE_ROWS_KERNEL_(NAME, four_load, NAME##_at_once_, misaligned, false) REDUCE_LINE_              \
    REDUCE_STRIPE_ROWS_KERNEL_(NAME, aligned, true) REDUCE_LINE_                                            \
    REDUCE_STRIPE_ROWS_KERNEL_(NAME, misaligned, false) REDUCE_LINE_                                        \
    REDUCE_GRID_ROWS_KERNEL_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_WARP_ROWS_(NAME)                                                                    \
    REDUCE_EACH_(NAME, REDUCE_DELIVER_, REDUCE_COLLECT_SLOTS_, REDUCE_COLLECT_ROWS_, REDUCE_NOTHING_)       \
    REDUCE_WARP_ROWS_KERNEL_(NAME, aligned, false, REDUCE_RESIDENT_SMALL_(NAME)) REDUCE_LINE_               \
    REDUCE_WARP_ROWS_KERNEL_(NAME, misaligned, true, REDUCE_RESIDENT_SMALL_(NAME)) REDUCE_LINE_             \
    REDUCE_ROW_OF_SCRATCH_(NAME) REDUCE_LINE_ REDUCE_ROW_TO_SCRATCH_(NAME) REDUCE_LINE_                     \
    REDUCE_BLOCK_ROWS_KERNEL_(NAME, aligned, false, REDUCE_RESIDENT_BLOCKS_(NAME)) REDUCE_LINE_             \
    REDUCE_BLOCK_ROWS_KERNEL_(NAME, misaligned, true, REDUCE_RESIDENT_BLOCKS_(NAME)) REDUCE_LINE_

#define REDUCE_GENERATE_CHUNKS_(NAME)                                                                       \
    REDUCE_EACH_(NAME, REDUCE_WALK_RUN_, REDUCE_TO_MEET_, REDUCE_WALK_CHUNK_, REDUCE_WALK_LOW_)             \
    REDUCE_WALK_TALL_(NAME) REDUCE_LINE_ REDUCE_CHUNKS_MEET_(NAME) REDUCE_LINE_                             \
    REDUCE_CHUNKS_KERNEL_(NAME, low, aligned, false, REDUCE_RESIDENT_BLOCKS_(NAME)) REDUCE_LINE_            \
    REDUCE_CHUNKS_KERNEL_(NAME, low, misaligned, true, REDUCE_RESIDENT_BLOCKS_(NAME)) REDUCE_LINE_          \
    REDUCE_CHUNKS_KERNEL_(NAME, tall, aligned, false, REDUCE_RESIDENT_TALL_(NAME)) REDUCE_LINE_             \
    REDUCE_CHUNKS_KERNEL_(NAME, tall, misaligned, true, REDUCE_RESIDENT_BLOCKS_(NAME)) REDUCE_LINE_

#define REDUCE_GENERATE_CELLS_(NAME, KIND)                                                                  \
    REDUCE_COLUMNS_LAYOUT_(NAME, KIND) REDUCE_LINE_ REDUCE_COLUMNS_HERE_(NAME) REDUCE_LINE_                 \
    REDUCE_CELLS_##KIND(NAME) REDUCE_LINE_ REDUCE_LOAD_CELL_##KIND(NAME) REDUCE_LINE_                       \
    REDUCE_LOAD_ALL_CELLS_##KIND(NAME) REDUCE_LINE_ REDUCE_LOAD_CELLS_(NAME) REDUCE_LINE_                   \
    REDUCE_ADD_CELLS_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_LEAVES_(NAME)                                                                       \
    REDUCE_EACH_(NAME, REDUCE_ADD_FULL_, REDUCE_ADD_LEAVES_, REDUCE_ONTO_, REDUCE_AFTER_)                   \
    REDUCE_EACH_(NAME, REDUCE_JOIN_, REDUCE_JOIN_HERE_, REDUCE_FOLD_LEAVES_, REDUCE_ADD_STRIPE_)            \
    REDUCE_EACH_(NAME, REDUCE_ADD_STRIPES_, REDUCE_SOME_LEAVES_, REDUCE_FOLD_HALVES_,                       \
                 REDUCE_LEAVES_BY_THREAD_)                                                                  \
    REDUCE_LEAVES_BY_BLOCK_(NAME) REDUCE_LINE_ REDUCE_PART_(NAME, thread) REDUCE_LINE_                      \
    REDUCE_PART_(NAME, block) REDUCE_LINE_

#define REDUCE_GENERATE_FLAT_LOADS_(NAME)                                                                   \
    REDUCE_EACH_(NAME, REDUCE_FLAT_OF_, REDUCE_ADD_FLAT_, REDUCE_FLAT_ROWS_, REDUCE_FLAT_ROWS_OF_)          \
    REDUCE_EACH_(NAME, REDUCE_ADD_WORD_, REDUCE_LOAD_WORD_, REDUCE_SWEEP_, REDUCE_BEGIN_SWEEP_)             \
    REDUCE_EACH_(NAME, REDUCE_SWEEP_STRIPE_, REDUCE_LOAD_STRIPE_, REDUCE_ADD_STRIPE_OF_WORDS_,              \
                 REDUCE_SWEEP_STRIPES_)

#define REDUCE_GENERATE_FLAT_COLUMNS_(NAME)                                                                 \
    REDUCE_EACH_(NAME, REDUCE_SWEEP_CHUNK_, REDUCE_PUT_WORD_, REDUCE_PLACE_OF_, REDUCE_FOLD_POSITIONS_)     \
    REDUCE_EACH_(NAME, REDUCE_PUT_WORDS_, REDUCE_PLACE_WORDS_, REDUCE_FOLD_QUARTERS_, REDUCE_FOLD_WORDS_)   \
    REDUCE_LEAVES_BY_FLAT_(NAME) REDUCE_LINE_ REDUCE_PART_(NAME, flat) REDUCE_LINE_

#define REDUCE_GENERATE_COLUMNS_OF_BLOCKS_(NAME)                                                            \
    REDUCE_EACH_(NAME, REDUCE_SHARE_COLUMNS_, REDUCE_COLUMNS_OF_, REDUCE_REDUCE_BY_THREAD_,                 \
                 REDUCE_NOTHING_)                                                                           \
    REDUCE_REDUCE_BY_(NAME, wide, true) REDUCE_LINE_ REDUCE_REDUCE_BY_(NAME, narrow, false) REDUCE_LINE_    \
    REDUCE_EACH_(NAME, REDUCE_REDUCE_BY_FLAT_, REDUCE_COLLECTORS_COLUMNS_, REDUCE_COLUMNS_SLOT_,            \
                 REDUCE_LOOK_AT_)                                                                           \
    REDUCE_EACH_(NAME, REDUCE_WAIT_FOR_SPLIT_, REDUCE_COLLECT_COLUMNS_, REDUCE_IS_OWN_,                     \
                 REDUCE_DELIVER_COLUMNS_)                                                                   \
    REDUCE_WRITE_COLUMNS_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_COLUMNS_KERNELS_(NAME)                                                              \
    REDUCE_FEW_ROWS_(NAME) REDUCE_LINE_ REDUCE_FEW_ROWS_KERNEL_(NAME, few, wide, true) REDUCE_LINE_         \
    REDUCE_FEW_ROWS_KERNEL_(NAME, some, wide, true) REDUCE_LINE_                                            \
    REDUCE_FEW_ROWS_KERNEL_(NAME, some, narrow, false) REDUCE_LINE_                                         \
    REDUCE_COLUMNS_BY_(NAME, wide) REDUCE_LINE_ REDUCE_COLUMNS_KERNEL_(NAME, wide) REDUCE_LINE_             \
    REDUCE_COLUMNS_BY_(NAME, narrow) REDUCE_LINE_ REDUCE_COLUMNS_KERNEL_(NAME, narrow) REDUCE_LINE_         \
    REDUCE_COLUMNS_BY_(NAME, flat) REDUCE_LINE_ REDUCE_COLUMNS_KERNEL_(NAME, flat) REDUCE_LINE_

#define REDUCE_GENERATE_RANGES_(NAME, KIND)                                                                 \
    REDUCE_EACH_(NAME, REDUCE_CUT_OUT_, REDUCE_FOLD_SCRATCH_, REDUCE_CHUNK_STRANDS_,                        \
                 REDUCE_ADD_CHUNK_STRANDS_)                                                                 \
    REDUCE_EACH_(NAME, REDUCE_FOLD_CHUNK_STRANDS_, REDUCE_THREAD_RANGE_, REDUCE_CHUNK_TO_SCRATCH_,          \
                 REDUCE_ADD_RANGE_CHUNK_)                                                                   \
    REDUCE_BLOCK_RANGE_OF_WARPS_(NAME) REDUCE_LINE_ REDUCE_BLOCK_RANGE_(NAME, KIND) REDUCE_LINE_

#define REDUCE_GENERATE_PORTIONS_(NAME, KIND)                                                               \
    REDUCE_EACH_(NAME, REDUCE_GIVEN_SEGMENTS_, REDUCE_SEGMENTS_SCRATCH_, REDUCE_SHORT_LAYOUT_,              \
                 REDUCE_PORTION_)                                                                           \
    REDUCE_LOAD_EACH_(NAME, KIND) REDUCE_LINE_                                                              \
    REDUCE_EACH_(NAME, REDUCE_LOAD_PORTION_, REDUCE_SHIFT_PORTION_, REDUCE_OF_PORTION_,                     \
                 REDUCE_LOAD_NUMBERED_PORTION_)                                                             \
    REDUCE_LOAD_PORTIONS_(NAME) REDUCE_LINE_ REDUCE_PORTIONS_TO_SCRATCH_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_PIECES_(NAME)                                                                       \
    REDUCE_EACH_(NAME, REDUCE_SUITS_, REDUCE_PIECE_TO_SCRATCH_, REDUCE_FOLD_EIGHT_, REDUCE_FOLD_SOME_)      \
    REDUCE_EACH_(NAME, REDUCE_FOLD_UNIT_, REDUCE_UNITS_TO_SCRATCH_, REDUCE_FOLD_UNITS_, REDUCE_FOLD_PIECE_)

#define REDUCE_GENERATE_BATCHES_(NAME, KIND)                                                                \
    REDUCE_EACH_(NAME, REDUCE_BATCH_LAYOUT_, REDUCE_BATCH_PORTION_, REDUCE_FOLD_BATCH_, REDUCE_NOTHING_)    \
    REDUCE_BATCH_IN_SCRATCH_##KIND(NAME) REDUCE_LINE_                                                       \
    REDUCE_EACH_(NAME, REDUCE_BATCH_BASE_, REDUCE_BATCH_RESULTS_, REDUCE_SHORT_BY_BATCH_, REDUCE_NOTHING_)

#define REDUCE_GENERATE_SHORT_SEGMENTS_(NAME)                                                               \
    REDUCE_EACH_(NAME, REDUCE_NUMBER_PORTIONS_, REDUCE_SHORT_BY_PIECES_, REDUCE_TINY_RESULTS_,              \
                 REDUCE_ALL_SUIT_)                                                                          \
    REDUCE_EACH_(NAME, REDUCE_TINY_GROUP_, REDUCE_SHORT_RESULTS_, REDUCE_SHORT_GROUP_, REDUCE_RUN_IN_)      \
    REDUCE_SEGMENT_BY_WARP_(NAME) REDUCE_LINE_ REDUCE_SEGMENTS_BY_WARP_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_TASKS_(NAME)                                                                        \
    REDUCE_EACH_(NAME, REDUCE_TASK_LAYOUT_, REDUCE_FOLD_WITH_, REDUCE_HALVE_TASK_, REDUCE_END_TASK_)        \
    REDUCE_EACH_(NAME, REDUCE_FIRST_STRAIGHT_, REDUCE_STRAIGHT_TASK_, REDUCE_FIRST_SCATTERED_,              \
                 REDUCE_SCATTERED_TASK_)                                                                    \
    REDUCE_EACH_(NAME, REDUCE_WHOLE_TASK_, REDUCE_ADD_TASK_, REDUCE_ADD_TASKS_, REDUCE_REDUCE_ITEMS_)

#define REDUCE_GENERATE_LONG_SEGMENTS_(NAME)                                                                \
    REDUCE_EACH_(NAME, REDUCE_FOLD_LISTED_, REDUCE_DELIVER_LISTED_, REDUCE_CHUNKS_TO_SCRATCH_,              \
                 REDUCE_OWN_TREE_)                                                                          \
    REDUCE_EACH_(NAME, REDUCE_FOLD_TREE_, REDUCE_ADD_CHUNKS_, REDUCE_SEGMENT_BY_BLOCK_,                     \
                 REDUCE_SEGMENT_ALONE_)                                                                     \
    REDUCE_CHOOSE_TOGETHER_(NAME) REDUCE_LINE_ REDUCE_SEGMENTS_BY_BLOCK_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_SHARED_SEGMENTS_(NAME)                                                              \
    REDUCE_EACH_(NAME, REDUCE_SHARED_CHUNKS_, REDUCE_MOVE_PARTIAL_, REDUCE_RECEIVE_PARTIALS_,               \
                 REDUCE_FOLD_FEW_SHARED_)                                                                   \
    REDUCE_DELIVER_SHARED_(NAME) REDUCE_LINE_ REDUCE_FOLD_SHARED_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_SEGMENTS_(NAME)                                                                     \
    REDUCE_EACH_(NAME, REDUCE_LONG_GROUP_, REDUCE_LISTED_BY_WARPS_, REDUCE_REDUCE_GROUP_,                   \
                 REDUCE_REDUCE_SHARE_)                                                                      \
    REDUCE_EACH_(NAME, REDUCE_SEGMENTS_OF_, REDUCE_BEGIN_LINE_, REDUCE_SEGMENTS_KERNEL_, REDUCE_NOTHING_)

#define REDUCE_GENERATE_ROWS_CALLS_(NAME, KIND)                                                             \
    REDUCE_EACH_(NAME, REDUCE_LAUNCH_SINGLES_, REDUCE_ARE_ALIGNED_, REDUCE_ROW_FACTS_, REDUCE_LAUNCH_ONCE_) \
    REDUCE_LAUNCH_ROWS_(NAME) REDUCE_LINE_ REDUCE_ROWS_ASYNC_(NAME) REDUCE_LINE_                            \
    REDUCE_ROWS_CALL_(NAME, KIND) REDUCE_LINE_

#define REDUCE_GENERATE_COLUMNS_CALLS_(NAME, KIND)                                                          \
    REDUCE_EACH_(NAME, REDUCE_SUIT_WIDE_LOADS_, REDUCE_PLAN_COLUMNS_, REDUCE_START_COLUMNS_,                \
                 REDUCE_LAUNCH_COLUMNS_)                                                                    \
    REDUCE_COLUMNS_ASYNC_(NAME) REDUCE_LINE_ REDUCE_COLUMNS_CALL_(NAME, KIND) REDUCE_LINE_                  \
    REDUCE_AXIS_ASYNC_(NAME) REDUCE_LINE_ REDUCE_AXIS_CALL_(NAME, KIND) REDUCE_LINE_

#define REDUCE_GENERATE_SEGMENTS_CALLS_(NAME, KIND)                                                         \
    REDUCE_SEGMENTS_ASYNC_(NAME) REDUCE_LINE_                                                               \
    REDUCE_SEGMENTS_ASYNC_CALL_(NAME, KIND, segments, int64_t) REDUCE_LINE_                                 \
    REDUCE_SEGMENTS_ASYNC_CALL_(NAME, KIND, segments_32, int32_t) REDUCE_LINE_                              \
    REDUCE_SEGMENTS_VISIT_(NAME, KIND, segments, int64_t) REDUCE_LINE_                                      \
    REDUCE_SEGMENTS_VISIT_(NAME, KIND, segments_32, int32_t) REDUCE_LINE_                                   \
    REDUCE_SEGMENTS_RUN_(NAME, KIND, segments, int64_t) REDUCE_LINE_                                        \
    REDUCE_SEGMENTS_RUN_(NAME, KIND, segments_32, int32_t) REDUCE_LINE_                                     \
    REDUCE_SEGMENTS_CALL_(NAME, KIND, segments, int64_t, 64) REDUCE_LINE_                                   \
    REDUCE_SEGMENTS_CALL_(NAME, KIND, segments_32, int32_t, 32) REDUCE_LINE_

#define REDUCE_GENERATE_ALL_ROWS_(NAME, KIND)                                                               \
    REDUCE_GENERATE_LOADS_(NAME, KIND) REDUCE_GENERATE_FOLDS_OF_STRANDS_(NAME)                              \
    REDUCE_GENERATE_ROWS_IN_SCRATCH_(NAME, KIND) REDUCE_GENERATE_SHORT_ROWS_(NAME, KIND)                    \
    REDUCE_GENERATE_WALK_LOADS_(NAME, KIND) REDUCE_GENERATE_WALK_(NAME) REDUCE_GENERATE_SCATTER_(NAME)      \
    REDUCE_GENERATE_TREE_WARPS_(NAME) REDUCE_GENERATE_SINGLES_(NAME) REDUCE_GENERATE_TINY_ROWS_(NAME, KIND) \
    REDUCE_GENERATE_FEW_ROWS_(NAME) REDUCE_GENERATE_WARP_ROWS_(NAME) REDUCE_GENERATE_CHUNKS_(NAME)

#define REDUCE_GENERATE_LEAVES_OF_COLUMNS_(NAME, KIND)                                                      \
    REDUCE_GENERATE_CELLS_(NAME, KIND) REDUCE_GENERATE_LEAVES_(NAME)

#define REDUCE_GENERATE_ALL_COLUMNS_(NAME)                                                                  \
    REDUCE_GENERATE_FLAT_LOADS_(NAME) REDUCE_GENERATE_FLAT_COLUMNS_(NAME)                                   \
    REDUCE_GENERATE_COLUMNS_OF_BLOCKS_(NAME) REDUCE_GENERATE_COLUMNS_KERNELS_(NAME)

#define REDUCE_GENERATE_ALL_SEGMENTS_(NAME, KIND)                                                           \
    REDUCE_GENERATE_PORTIONS_(NAME, KIND) REDUCE_GENERATE_PIECES_(NAME) REDUCE_GENERATE_BATCHES_(NAME, KIND)\
    REDUCE_GENERATE_SHORT_SEGMENTS_(NAME) REDUCE_GENERATE_TASKS_(NAME) REDUCE_GENERATE_LONG_SEGMENTS_(NAME) \
    REDUCE_GENERATE_SHARED_SEGMENTS_(NAME) REDUCE_GENERATE_SEGMENTS_(NAME)

/* NAME_block_range stands with the rows: a block of less than a warp reduces its range as a column. */
#define REDUCE_ROWS_ON_GPU_(NAME, KIND)                                                                     \
    REDUCE_GENERATE_ALL_ROWS_(NAME, KIND) REDUCE_GENERATE_LEAVES_OF_COLUMNS_(NAME, KIND)                    \
    REDUCE_GENERATE_RANGES_(NAME, KIND) REDUCE_GENERATE_ROWS_CALLS_(NAME, KIND)
#define REDUCE_COLUMNS_ON_GPU_(NAME, KIND)                                                                  \
    REDUCE_GENERATE_ALL_COLUMNS_(NAME) REDUCE_GENERATE_COLUMNS_CALLS_(NAME, KIND)
#define REDUCE_SEGMENTS_ON_GPU_(NAME, KIND)                                                                 \
    REDUCE_GENERATE_ALL_SEGMENTS_(NAME, KIND) REDUCE_GENERATE_SEGMENTS_CALLS_(NAME, KIND)

#else
#define REDUCE_ROWS_ON_GPU_(NAME, KIND)
#define REDUCE_COLUMNS_ON_GPU_(NAME, KIND)
#define REDUCE_SEGMENTS_ON_GPU_(NAME, KIND)
#endif

#ifdef REDUCE_NO_COLUMNS
#define REDUCE_COLUMNS_AND_AXES_(NAME, KIND)
#else
#define REDUCE_COLUMNS_AND_AXES_(NAME, KIND)                                                                \
    REDUCE_GENERATE_COLUMNS_CPU_(NAME, KIND) REDUCE_COLUMNS_ON_GPU_(NAME, KIND)
#endif

#ifdef REDUCE_NO_SEGMENTS
#define REDUCE_SEGMENTS_(NAME, KIND)
#else
#define REDUCE_SEGMENTS_(NAME, KIND)                                                                        \
    REDUCE_GENERATE_SEGMENTS_CPU_(NAME, KIND) REDUCE_SEGMENTS_ON_GPU_(NAME, KIND)
#endif

#define REDUCE_ROWS_(NAME, KIND)                                                                            \
    REDUCE_CHECK_ONCE_(NAME##_rows) REDUCE_LINE_                                                            \
    REDUCE_GENERATE_ROWS_CPU_(NAME, KIND) REDUCE_ROWS_ON_GPU_(NAME, KIND)                                   \
    REDUCE_COLUMNS_AND_AXES_(NAME, KIND) REDUCE_SEGMENTS_(NAME, KIND)

#define DEFINE_REDUCE_ROWS(NAME) REDUCE_ADD_TO_(NAME, ARRAY_, rows, "ROWS", REDUCE_ROWS_)
#define DEFINE_REDUCE_ZIP_ROWS(NAME) REDUCE_ADD_TO_(NAME, ZIP_, rows, "ROWS", REDUCE_ROWS_)
#define DEFINE_REDUCE_WITH_ROWS(NAME) REDUCE_ADD_TO_(NAME, WITH_, rows, "ROWS", REDUCE_ROWS_)

#endif /* REDUCE_ROWS_CUH */
