/*
 * reduce_segments.cuh: segments of any lengths, a part of reduce_rows.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce_rows.cuh has the manual, and includes this file unless REDUCE_NO_SEGMENTS is defined.
 */
#ifndef REDUCE_SEGMENTS_CUH
#define REDUCE_SEGMENTS_CUH

#include "reduce_rows.cuh"

#include <stdlib.h>

/* ---- How this file is organised ---------------------------------------------------------------------------
 *
 * The tree is each segment's own. Words are those of reduce_rows.cuh, and some more, explained where a
 * section begins. The parts:
 *
 *     On the CPU                                   generators for the CPU
 *     Segments, Even segments                      places on a line, and what the functions below share
 *     (reduce_short_segments.cuh)                  segments of up to some strands
 *     Shares                                       a block's part of the line
 *     Items of long segments ... Segments of       the ways of longer segments
 *     several blocks
 *     The kernel of segments                       a block finds its share, and reduces it
 *     Launches of segments, Simple calls           the host's part
 *     What a NAME gets                             the generators, in their order
 *
 * One kernel; each warp chooses for the segments that it finds.
 *
 *     segments of      idea                                                            section
 *     ---------------  --------------------------------------------------------------  ----------------------
 *     up to V          tiny: a lane has a segment                                      (reduce_short_
 *     up to 128        short: the portions of 32 segments are spread over all lanes,   segments.cuh)
 *     strands          or a batch of them is copied to shared memory
 *     up to one or     middle: a warp has a segment                                    Middle segments
 *     two stripes
 *     more             long: the block's warps share its chunks as tasks               Tasks of long segments
 *     several chunks   shared: each block has the chunks in its own share, the last    Segments of several
 *     in several       block to deliver folds                                          blocks
 *     shares
 *
 *         line      |0|--s0--|1|-s1-|2|s2|3|---------------- s3 ----------------|4|-s4-| ...   |k|: weight of
 *         shares    [      block 0       ][      block 1       ][      block 2       ]          segment k
 *                   s0, s1, s2 are block 0's. s3 is shared: it begins in block 0's share; blocks 0, 1 and 2
 *                   have those of its chunks that begin in their shares.
 */

/* ---- On the CPU ---------------------------------------------------------------------------------------- */

/* void NAME_segments_cpu(const In *in, const int64_t *offsets, size_t count, T *out) */
#define REDUCE_SEGMENTS_CPU_(NAME, KIND, segments, Offset)                                                  \
    REDUCE_HOST_ void NAME##_##segments##_cpu(REDUCE_ARRAYS_##KIND(NAME), const Offset *offsets_,           \
                                              size_t count_ REDUCE_MORE_##KIND(NAME),                       \
                                              NAME##_result *out_) {                                        \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        REDUCE_PARALLEL_FOR_                                                                                \
        for (ptrdiff_t k = 0; k < (ptrdiff_t)count_; k++) {                                                 \
            const Offset begin_ = offsets_[k], end_ = offsets_[k + 1];                                      \
            const size_t n = begin_ < end_ ? (size_t)end_ - (size_t)begin_ : 0;                             \
            out_[k] = NAME##_cpu_of_(NAME##_input_at_(input_, n > 0 ? (size_t)begin_ : 0), n);              \
        }                                                                                                   \
    }

#ifdef __CUDACC__

/* ---- Segments ---------------------------------------------------------------------------------------------
 *
 * Segments have places on a line. A segment's place is the number of elements before it, and a weight for
 * each segment before it. The line is cut into equal shares, one for each block. A block has the segments
 * whose places lie in its share. Its warps take groups of neighbours from it, one group after the other. A
 * warp reduces the segments of its group that are short, and lists the others. Then each warp takes the next
 * listed segment that is middle, until none is left, and all warps together reduce the long ones.
 *
 * The chunks of a segment have places, too. If they lie in several shares, the segment is shared: each block
 * has the chunks in its own share. Their results meet in the slots, and the block that delivers the last of
 * them folds them. So no block waits for another.
 *
 * A segment is tiny if it has up to V elements, short up to NAME_short_ (a quarter of that where segments are
 * few), middle up to two stripes (one where there are fewer segments than warps, or elements of more than 16
 * bytes), and long beyond.
 */

#ifndef REDUCE_SEGMENT_BLOCKS_ /* all measured; tests define smaller ones */
#define REDUCE_SEGMENT_BLOCKS_ (4 * REDUCE_SMS_) /* blocks of the grid */
#define REDUCE_SEGMENT_WEIGHT_ 8 /* weight of a segment, in elements */
/* Bytes that a group of more than 32 segments has on average, at most; size: bytes of an element. */
#define REDUCE_GROUP_BYTES_(size) ((size) == 4 || (size) == 8 ? 16384 : 8192)
/* Portions of a short segment, at most: fewer where folds of results take long, or warps fold late. */
#define REDUCE_SHORT_PORTIONS_(NAME)                                                                        \
    (sizeof(NAME##_result) > 32  ? 16                                                                       \
     : sizeof(NAME##_result) > 8 ? 48                                                                       \
                                 : REDUCE_MIN_(NAME##_folds_late_ ? 64 : 128, REDUCE_STRANDS))
/* Even segments: a block has up to EVEN of them if these have up to EVEN_STRIPES stripes on average, up to
   MANY_EVEN if MANY_EVEN_STRIPES. No block has more than UNEVEN_STRIPES above the average. */
#define REDUCE_EVEN_ 8
#define REDUCE_EVEN_STRIPES_ 16
#define REDUCE_MANY_EVEN_ 16
#define REDUCE_MANY_EVEN_STRIPES_ 5
#define REDUCE_UNEVEN_STRIPES_ 16
#define REDUCE_FEW_LISTED_ 128     /* a warp that finds more listed segments takes no further group */
#define REDUCE_MOST_ITEMS_ 64      /* items that a block reduces together at most */
#endif
enum {
    REDUCE_OWN_SEGMENTS_ = 4, /* segments of a lane in a group, at most (measured) */
    REDUCE_SEGMENT_THREADS_ = REDUCE_STRANDS < 256 ? REDUCE_STRANDS : 256, /* of a block (measured) */
    REDUCE_SEGMENT_WARPS_ = REDUCE_SEGMENT_THREADS_ / REDUCE_WARP,
    REDUCE_OWN_STRANDS_ = REDUCE_STRANDS / REDUCE_SEGMENT_THREADS_, /* strands that a thread stands for */
    REDUCE_GROUP_ = REDUCE_OWN_SEGMENTS_ * REDUCE_WARP, /* segments of a group, at most */
    REDUCE_MIDDLE_STRIPES_ = REDUCE_MIN_(REDUCE_SINGLE_, 2), /* of a middle segment: one chunk */
    REDUCE_LISTED_ = REDUCE_FEW_LISTED_ + REDUCE_SEGMENT_WARPS_ * REDUCE_GROUP_ /* listed segments at most */
};
#ifndef REDUCE_ASKED_BYTES_
#define REDUCE_ASKED_BYTES_ 65536 /* bytes of a share that are prefetched at most (measured) */
#define REDUCE_ASKED_SHORT_BYTES_ 16384 /* the same where segments are short on average */
#endif

struct reduce_segment_ {
    size_t begin_; /* its first element */
    size_t count_; /* its elements */
};

/* nvcc makes "begin < end ? end - begin : 0" the greater of that difference and 0, which is wrong where the
   signed difference overflows: so it is an unsigned one. */
REDUCE_DEVICE_ struct reduce_segment_ reduce_segment_between_(int64_t begin_, int64_t end_) {
    const struct reduce_segment_ segment_ = {begin_ < end_ ? (size_t)begin_ : 0,
                                             begin_ < end_ ? (size_t)end_ - (size_t)begin_ : 0};
    return segment_;
}

/* Offsets of either type. */
struct reduce_offsets_ {
    const void *at_;  /* the first */
    unsigned are_32_; /* not 0 if they are int32_t */
};

REDUCE_DEVICE_ int64_t reduce_offset_(struct reduce_offsets_ offsets_, size_t k) {
    return offsets_.are_32_ ? ((const int32_t *)offsets_.at_)[k] : ((const int64_t *)offsets_.at_)[k];
}

/* The lower 32 bits of offset k. */
REDUCE_DEVICE_ unsigned reduce_low_of_offset_(struct reduce_offsets_ offsets_, size_t k) {
    return *(const reduce_word_ *)((const char *)offsets_.at_ + (k << (offsets_.are_32_ ? 2 : 3)));
}

/* Segment k of all. */
REDUCE_DEVICE_ struct reduce_segment_ reduce_segment_of_(struct reduce_offsets_ offsets_, size_t k) {
    return reduce_segment_between_(reduce_offset_(offsets_, k), reduce_offset_(offsets_, k + 1));
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

/* ---- Even segments ----
 *
 * Few segments of similar lengths need no shares: each block takes as many of them as the others, and reduces
 * them together. A search would take longer than that.
 */

/* The first of a block's segments. */
REDUCE_DEVICE_ unsigned reduce_even_from_(unsigned block_, unsigned count_) {
    return count_ * block_ / REDUCE_SEGMENT_BLOCKS_;
}

/* Whether count segments may be even: they have not too many elements, and on average each has a task, as
   shorter ones are faster by warps, and no more than a chunk. */
REDUCE_DEVICE_ bool reduce_may_be_even_(struct reduce_offsets_ offsets_, unsigned count_, size_t stripe_,
                                        size_t task_) {
    const size_t elements_ =
        reduce_segment_between_(reduce_offset_(offsets_, 0), reduce_offset_(offsets_, count_)).count_;
    const bool are_many_ = count_ > REDUCE_EVEN_ * REDUCE_SEGMENT_BLOCKS_;
    const size_t stripes_ = are_many_ ? REDUCE_MANY_EVEN_STRIPES_ : REDUCE_EVEN_STRIPES_;
    return elements_ <= REDUCE_SEGMENT_BLOCKS_ * stripes_ * stripe_ && elements_ >= count_ * task_ &&
           elements_ <= count_ * REDUCE_SINGLE_ * stripe_;
}

/* All threads of the block, with a barrier: whether no block has many more elements than others. All blocks
   decide alike, as all look at the same offsets. */
REDUCE_DEVICE_ bool reduce_are_even_(struct reduce_offsets_ offsets_, unsigned count_, size_t stripe_) {
    const size_t elements_ =
        reduce_segment_between_(reduce_offset_(offsets_, 0), reduce_offset_(offsets_, count_)).count_;
    const size_t most_ = elements_ / REDUCE_SEGMENT_BLOCKS_ + REDUCE_UNEVEN_STRIPES_ * stripe_;
    bool are_even_ = true;
    REDUCE_UNROLL_
    for (unsigned first_ = 0; first_ < REDUCE_SEGMENT_BLOCKS_; first_ += REDUCE_SEGMENT_THREADS_) {
        const unsigned b = REDUCE_MIN_(first_ + threadIdx.x, REDUCE_SEGMENT_BLOCKS_ - 1u);
        const struct reduce_segment_ of_block_ =
            reduce_segment_between_(reduce_offset_(offsets_, reduce_even_from_(b, count_)),
                                    reduce_offset_(offsets_, reduce_even_from_(b + 1, count_)));
        are_even_ = are_even_ && of_block_.count_ <= most_;
    }
    return __syncthreads_and(are_even_);
}

#include "reduce_short_segments.cuh"

/* ---- Shares ---- */

/* What all blocks know of the line. */
struct reduce_line_ {
    struct reduce_offsets_ offsets_;
    size_t count_;   /* segments */
    int64_t first_;  /* the first offset */
    int64_t share_;  /* places of a block */
    unsigned slots_; /* slots of a block */
    bool is_long_;   /* segments are not short on average */
};

/* The slots of a workspace hold the results of shared segments' chunks. Behind them lies a counter for
   each block: the chunks that are done of the shared segment that begins in the block's share. */
#define REDUCE_SLOT_BYTES_ sizeof(((reduce_workspace *)0)->slots_)
#define REDUCE_DONE_BYTES_ ((sizeof(unsigned) * REDUCE_SEGMENT_BLOCKS_ + 63) / 64 * 64)
REDUCE_ASSERT_(REDUCE_SLOT_BYTES_ >= REDUCE_DONE_BYTES_ + REDUCE_MAX_SIZE,
               "reduce_segments.cuh: what blocks count lies in the slots: define fewer blocks or more slots")

REDUCE_DEVICE_ unsigned *reduce_done_of_(reduce_workspace *ws_, unsigned block_) {
    return (unsigned *)(void *)((char *)ws_->slots_ + (REDUCE_SLOT_BYTES_ - REDUCE_DONE_BYTES_)) + block_;
}

/* The place of segment k, which begins at an offset. It wraps around: empty segments may have any offsets. */
REDUCE_DEVICE_ int64_t reduce_place_after_(const struct reduce_line_ *line_, int64_t offset_, size_t k) {
    return (int64_t)((uint64_t)offset_ - (uint64_t)line_->first_ + (uint64_t)k * REDUCE_SEGMENT_WEIGHT_);
}

REDUCE_DEVICE_ int64_t reduce_place_of_(const struct reduce_line_ *line_, size_t k) {
    return reduce_place_after_(line_, reduce_offset_(line_->offsets_, k), k);
}

/* The line of count segments. result_size: bytes of a T; short: elements of a short segment. */
REDUCE_DEVICE_ struct reduce_line_ reduce_line_of_(struct reduce_offsets_ offsets_, size_t count_,
                                                   size_t result_size_, size_t short_) {
    struct reduce_line_ line_ = {offsets_, count_, reduce_offset_(offsets_, 0), 0, 0, false};
    const int64_t end_ = reduce_offset_(offsets_, count_);
    const size_t elements_ = end_ > line_.first_ ? (size_t)end_ - (size_t)line_.first_ : 0;
    const size_t all_ = elements_ + count_ * REDUCE_SEGMENT_WEIGHT_;
    const size_t slots_ = (REDUCE_SLOT_BYTES_ - REDUCE_DONE_BYTES_) / result_size_;
    line_.share_ = (int64_t)(all_ / REDUCE_SEGMENT_BLOCKS_ + 1);
    line_.slots_ = (unsigned)(slots_ / REDUCE_SEGMENT_BLOCKS_);
    line_.is_long_ = elements_ > count_ * short_;
    return line_;
}

/* The first segments of a block's share and of the next. */
struct reduce_found_ { size_t of_[2]; };

/* How far apart the segments are that a search's first step looks at. A thread can load the offset of its
   segment early. */
REDUCE_DEVICE_ size_t reduce_step_of_(size_t left_) { return left_ / (REDUCE_SEGMENT_THREADS_ + 1) + 1; }

REDUCE_DEVICE_ int64_t reduce_early_offset_(struct reduce_offsets_ offsets_, size_t count_) {
    const size_t k = (threadIdx.x + 1) * reduce_step_of_(count_) - 1;
    return k < count_ ? reduce_offset_(offsets_, k) : 0;
}

/* All threads of the block: finds the first segments of the share that begins at a place, and of the next:
   the first that do not lie before. All searches halve in the same way, so that places in ascending order
   give segments in ascending order, even if offsets decrease. The first share begins with the first segment,
   and the last ends with the last. */
REDUCE_DEVICE_ struct reduce_found_ reduce_find_share_(const struct reduce_line_ *line_, int64_t early_,
                                                 int64_t place_) {
    const int64_t places_[2] = {place_, place_ + line_->share_};
    const int64_t end_ = line_->share_ * REDUCE_SEGMENT_BLOCKS_;
    struct reduce_found_ found_ = {{0, 0}};
    size_t left_[2];
    for (int s = 0; s < 2; s++) {
        left_[s] = places_[s] > 0 && places_[s] < end_ ? line_->count_ : 0;
        if (places_[s] >= end_) found_.of_[s] = line_->count_;
    }
    for (bool is_early_ = true; left_[0] + left_[1] > 0; is_early_ = false) {
        size_t step_[2];
        bool is_before_[2];
        REDUCE_UNROLL_
        for (int s = 0; s < 2; s++) {
            step_[s] = reduce_step_of_(left_[s]);
            const size_t at_ = (threadIdx.x + 1) * step_[s] - 1, k = found_.of_[s] + at_;
            int64_t offset_ = early_;
            if (at_ < left_[s] && !is_early_) offset_ = reduce_offset_(line_->offsets_, k);
            is_before_[s] = at_ < left_[s] && reduce_place_after_(line_, offset_, k) < places_[s];
        }
        REDUCE_UNROLL_
        for (int s = 0; s < 2; s++) {
            const size_t passed_ = (size_t)__syncthreads_count(is_before_[s]) * step_[s];
            found_.of_[s] += passed_;
            left_[s] = REDUCE_MIN_(left_[s] - passed_, step_[s] - 1);
        }
    }
    return found_;
}

/* All threads of the block, whose own search for a place found segment k, or the end. The first place is not
   behind that one, and the last not before it: whether searches for these two find k as well. Only one way
   leads to k, so it is known which segments they look at, and no step waits for the one before. */
REDUCE_DEVICE_ bool reduce_find_alike_(const struct reduce_line_ *line_, size_t k, int64_t first_,
                                       int64_t last_) {
    bool lies_between_ = false;
    size_t found_ = 0;
    for (size_t left_ = line_->count_; left_ > 0;) {
        const size_t step_ = reduce_step_of_(left_), at_ = (threadIdx.x + 1) * step_ - 1;
        const size_t passed_ = (k - found_) / step_ * step_;
        if (at_ < left_) {
            const int64_t place_ = reduce_place_of_(line_, found_ + at_);
            lies_between_ = lies_between_ || (place_ >= first_ && place_ < last_);
        }
        found_ += passed_;
        left_ = REDUCE_MIN_(left_ - passed_, step_ - 1);
    }
    return !__syncthreads_or(lies_between_);
}

/* A shared segment: its chunks lie in the shares of block owner to block last. It has the slots of the blocks
   from owner to before last. */
struct reduce_shared_ {
    size_t k;         /* its number */
    size_t begin_;    /* its first element */
    size_t n;         /* its elements */
    size_t chunk_;    /* elements of a chunk */
    int64_t place_;   /* where it lies in the line */
    unsigned count_;  /* its chunks */
    unsigned owner_;  /* the block in whose share it begins */
    unsigned last_;   /* the block in whose share its last chunk begins */
    unsigned from_;   /* this block's first chunk of it */
    unsigned to_;     /* the chunk after this block's last */
    unsigned first_;  /* the slot of the result of chunk 0 */
    bool is_shared_;  /* there is such a segment */
    bool is_last_;    /* this block delivered the last of its chunks' results */
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
    const int64_t owner_ = reduce_block_of_place_(line_, to_->place_);
    const int64_t last_ =
        reduce_block_of_place_(line_, to_->place_ + (int64_t)((to_->count_ - 1) * to_->chunk_));
    if (last_ >= REDUCE_SEGMENT_BLOCKS_) return;
    to_->owner_ = (unsigned)owner_;
    to_->last_ = (unsigned)last_;
    to_->first_ = to_->owner_ * line_->slots_;
    to_->is_shared_ = to_->last_ > to_->owner_ && to_->count_ <= (to_->last_ - to_->owner_) * line_->slots_;
}

/* The first of a segment's chunks that does not lie before a block's share. */
REDUCE_DEVICE_ unsigned reduce_first_chunk_(const struct reduce_shared_ *shared_, int64_t share_,
                                            unsigned block_, size_t stripe_) {
    const int64_t before_ = share_ * block_ - shared_->place_;
    if (before_ <= 0) return 0;
    if ((size_t)before_ >= shared_->n) return shared_->count_;
    return reduce_chunks_in_((size_t)before_, shared_->chunk_, stripe_);
}

/* All threads: decide whether a segment that may be shared is, and set the chunks of this block. is_own: it
   is one of the block's own segments. It is shared if its owner has it among its own, and all shares behind
   that, up to the last block's, begin with the segment behind it. All these blocks decide alike. If offsets
   decrease, a segment may not lie where its place says; then one block has all of it. */
REDUCE_DEVICE_ void reduce_share_or_not_(struct reduce_shared_ *shared_, const struct reduce_line_ *line_,
                                         bool is_own_, size_t stripe_) {
    if (!shared_->is_shared_) return;
    const int64_t share_ = line_->share_, owner_ = shared_->owner_, last_ = shared_->last_;
    const int64_t here_ = blockIdx.x;
    const bool is_in_place_ = is_own_ ? here_ == owner_ : here_ > owner_ && here_ <= last_;
    const bool is_shared_ =
        is_in_place_ && reduce_find_alike_(line_, shared_->k + 1, (owner_ + 1) * share_, last_ * share_);
    __syncthreads(); /* all threads have read is_shared */
    if (threadIdx.x == 0) shared_->is_shared_ = is_shared_;
    if (threadIdx.x < 2 && is_shared_)
        *(threadIdx.x == 0 ? &shared_->from_ : &shared_->to_) =
            reduce_first_chunk_(shared_, share_, blockIdx.x + threadIdx.x, stripe_);
    __syncthreads();
}

/* What a block knows of its share, in shared memory. */
struct reduce_own_share_ {
    struct reduce_line_ line_;
    size_t first_, end_;              /* its segments: from first to before end */
    unsigned group_;                  /* segments of a group */
    unsigned short_;                  /* elements of a short segment at most */
    unsigned middle_;                 /* elements of a middle segment at most */
    unsigned sets_;                   /* sets of 32 segments that are a batch, if they suit one */
    unsigned groups_;                 /* groups that warps have taken */
    unsigned middle_count_;           /* middle segments in the list */
    unsigned long_count_;             /* long segments in the list */
    unsigned taken_;                  /* middle segments of the list that warps have taken */
    unsigned done_;                   /* shared segments that are done, two, and then long ones of the list */
    unsigned list_[REDUCE_LISTED_];   /* middle ones from the front on, long ones from the back; 0: first_ */
    struct reduce_shared_ shared_[2]; /* the segment that begins before the share; the one that ends behind */
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
    const size_t first_ = (size_t)line_->first_ + (size_t)(before_ > 0 ? before_ : 0);
    const size_t bytes_ = (size_t)line_->share_ * size_;
    const size_t most_ = line_->is_long_ ? REDUCE_ASKED_BYTES_ : REDUCE_ASKED_SHORT_BYTES_;
    if (first_ >= end_) return;
    reduce_ask_(in_ + first_ * size_, REDUCE_MIN_(bytes_, most_), in_ + end_ * size_);
}

/* Whether a share has too few segments for groups: there would be fewer of these than warps, or a warp would
   take longer for its last one than all warps for these segments one by one. strands: of them all. (All
   constants are measured.) */
REDUCE_DEVICE_ bool reduce_are_few_(size_t count_, size_t strands_) {
    return count_ <= REDUCE_WARP * REDUCE_SEGMENT_WARPS_ && count_ * count_ <= strands_ * 2;
}

/* Whether groups of `group` segments are too large: they have many bytes, or warps remain without one. count,
   elements: of the share's segments. */
REDUCE_DEVICE_ bool reduce_are_large_(unsigned group_, size_t count_, size_t elements_, size_t size_) {
    const bool are_few_ = 2 * REDUCE_SEGMENT_WARPS_ * group_ > 3 * count_;
    return elements_ * size_ * group_ > count_ * REDUCE_GROUP_BYTES_(size_) || are_few_;
}

/* The size of groups of up to 32 segments: if warps have up to four groups, all have as many of a share's
   segments; but half of a group's lanes have one. */
REDUCE_DEVICE_ unsigned reduce_even_group_(size_t count_) {
    const unsigned most_ = REDUCE_SEGMENT_WARPS_ * REDUCE_WARP * 8;
    const unsigned of_warp_ =
        ((unsigned)REDUCE_MIN_(count_, most_) + REDUCE_SEGMENT_WARPS_ - 1) / REDUCE_SEGMENT_WARPS_;
    unsigned group_ = REDUCE_WARP;
    REDUCE_UNROLL_
    for (unsigned rounds_ = 4; rounds_ > 0; rounds_--)
        if (of_warp_ <= rounds_ * REDUCE_WARP) group_ = (of_warp_ + rounds_ - 1) / rounds_;
    return group_ < REDUCE_WARP / 2 ? REDUCE_WARP / 2 : group_;
}

/* How many sets of 32 segments a warp's scratch holds on average: 1, 2 or 4. count, elements: of the share's
   segments. */
REDUCE_DEVICE_ unsigned reduce_sets_of_batch_(size_t count_, size_t elements_, size_t size_) {
    unsigned sets_ = REDUCE_OWN_SEGMENTS_;
    while (sets_ > 1 && elements_ * size_ * sets_ * REDUCE_WARP > count_ * REDUCE_SCRATCH_OF_WARP_)
        sets_ /= 2;
    return sets_;
}

/* One thread: sets which segments are the share's, and how warps take them. Groups are so large that all
   lanes of a warp have work where segments are short. (A share's places tell nearly how many elements its
   segments have.) */
REDUCE_DEVICE_ void reduce_set_share_(struct reduce_own_share_ *own_, struct reduce_found_ found_,
                                      size_t element_size_, size_t short_) {
    const size_t count_ = found_.of_[1] - found_.of_[0];
    const int64_t of_segments_ = (int64_t)count_ * REDUCE_SEGMENT_WEIGHT_, share_ = own_->line_.share_;
    const size_t elements_ = share_ > of_segments_ ? (size_t)(share_ - of_segments_) : 0;
    const size_t positions_ = REDUCE_POSITIONS(element_size_);
    own_->first_ = found_.of_[0], own_->end_ = found_.of_[1];
    own_->groups_ = own_->middle_count_ = own_->long_count_ = own_->taken_ = own_->done_ = 0;
    const bool are_few_ = short_ > 4 * positions_ && reduce_are_few_(count_, elements_ / positions_);
    own_->short_ = (unsigned)(are_few_ ? short_ / 4 : short_);
    own_->middle_ = (unsigned)REDUCE_STRIPE_(element_size_); /* more of larger elements is not one chunk */
    if (count_ >= REDUCE_SEGMENT_WARPS_ && element_size_ <= 16) own_->middle_ *= REDUCE_MIDDLE_STRIPES_;
    own_->sets_ = reduce_sets_of_batch_(count_, elements_, element_size_);
    own_->group_ = REDUCE_GROUP_;
    while (own_->group_ > REDUCE_WARP && reduce_are_large_(own_->group_, count_, elements_, element_size_))
        own_->group_ /= 2;
    if (own_->group_ == REDUCE_WARP) own_->group_ = reduce_even_group_(count_);
}

/* All threads of the block, once the line is known: find the share. in: where elements begin; those before
   end may be read. */
REDUCE_DEVICE_ void reduce_begin_share_(struct reduce_own_share_ *own_, int64_t early_, const void *in_,
                                        size_t end_, size_t in_size_, size_t element_size_,
                                        size_t short_) {
    const struct reduce_line_ *const line_ = &own_->line_;
    const int64_t place_ = line_->share_ * (int64_t)blockIdx.x;
    const struct reduce_found_ found_ = reduce_find_share_(line_, early_, place_);
    const unsigned s = threadIdx.x / REDUCE_WARP, another_ = 2 * REDUCE_WARP % REDUCE_SEGMENT_THREADS_;
    if (threadIdx.x == REDUCE_WARP - 1 && !line_->is_long_)
        reduce_ask_for_share_(line_, found_.of_[0], (const char *)in_, in_size_, end_);
    if (threadIdx.x == another_) reduce_set_share_(own_, found_, element_size_, short_);
    if (s < 2 && threadIdx.x % REDUCE_WARP == 0) {
        memset(&own_->shared_[s], 0, sizeof own_->shared_[s]);
        if (found_.of_[s] > (s == 0 ? 0 : found_.of_[0]))
            reduce_look_at_segment_(&own_->shared_[s], line_, found_.of_[s] - 1, element_size_);
    }
    __syncthreads();
    REDUCE_NO_UNROLL_
    for (int l = 0; l < 2; l++)
        reduce_share_or_not_(&own_->shared_[l], line_, l == 1, REDUCE_STRIPE_(element_size_));
}

/* All lanes of a warp call: the next group of the block's share. It is empty if there is none, or if many
   segments are listed. */
REDUCE_DEVICE_ struct reduce_group_ reduce_next_group_(struct reduce_own_share_ *own_) {
    const size_t size_ = own_->group_;
    unsigned k = UINT32_MAX;
    __syncwarp(); /* all lanes have listed their segments of the group before */
    if (threadIdx.x % REDUCE_WARP == 0) {
        const unsigned listed_ = atomicAdd(&own_->middle_count_, 0u) + atomicAdd(&own_->long_count_, 0u);
        if (listed_ <= REDUCE_FEW_LISTED_) k = atomicAdd(&own_->groups_, 1u);
    }
    k = __shfl_sync(~0u, k, 0);
    struct reduce_group_ group_ = {own_->first_ + k * size_, 0, 0};
    if (k != UINT32_MAX && group_.first_ < own_->end_)
        group_.count_ = (unsigned)REDUCE_MIN_(own_->end_ - group_.first_, size_);
    return group_;
}

/* One thread: lists segment k, of n elements, unless it is shared. */
REDUCE_DEVICE_ void reduce_list_(struct reduce_own_share_ *own_, size_t k, size_t n) {
    const unsigned at_ = (unsigned)(k - own_->first_);
    if (own_->shared_[1].is_shared_ && own_->shared_[1].k == k) return;
    if (n <= own_->middle_)
        own_->list_[atomicAdd(&own_->middle_count_, 1u)] = at_;
    else
        own_->list_[REDUCE_LISTED_ - 1 - atomicAdd(&own_->long_count_, 1u)] = at_;
}

/* All lanes of a warp list the segments of a group that are not short. */
REDUCE_OUT_OF_LINE_ void reduce_list_group_(struct reduce_own_share_ *own_, struct reduce_offsets_ offsets_,
                                            struct reduce_group_ group_) {
    REDUCE_NO_UNROLL_
    for (unsigned l = threadIdx.x % REDUCE_WARP; l < group_.count_; l += REDUCE_WARP) {
        const size_t n = reduce_segment_of_(offsets_, group_.first_ + l).count_;
        if (n > own_->short_) reduce_list_(own_, group_.first_ + l, n);
    }
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
    const bool has_more_ = own_->first_ + (size_t)own_->groups_ * own_->group_ < own_->end_;
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

/* An item: neighbouring elements of one segment. */
struct reduce_item_ {
    size_t begin_;   /* the first element */
    size_t i;        /* its index in the segment */
    unsigned count_; /* how many elements */
};

/* Items that a block reduces together at most: as many as shared memory holds results for. */
#define REDUCE_ITEMS_(T) REDUCE_MIN_(REDUCE_MOST_ITEMS_, sizeof(T) <= 8 ? 64 : REDUCE_CHUNKS_TO_MEET_(T) / 2)

/* Chunks of a long segment that a block reduces. */
struct reduce_listed_ {
    size_t k;        /* the segment's number */
    size_t begin_;   /* its first element */
    size_t n;        /* its elements */
    size_t chunk_;   /* elements of a chunk */
    unsigned from_;  /* the first of these chunks */
    unsigned count_; /* how many chunks */
    unsigned at_;    /* the item of the first */
    unsigned slot_;  /* shared: the slot of the result of chunk 0 */
    bool is_shared_; /* other blocks have chunks of the segment too */
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
    struct reduce_listed_ listed_;
    memset(&listed_, 0, sizeof listed_);
    listed_.k = shared_->k;
    listed_.begin_ = shared_->begin_;
    listed_.n = shared_->n;
    listed_.chunk_ = shared_->chunk_;
    listed_.from_ = shared_->from_;
    listed_.count_ = own_ > most_ / 2 ? 0 : own_;
    listed_.slot_ = shared_->first_;
    listed_.is_shared_ = true;
    return listed_;
}

/* Number l of what a block reduces as a whole: the two shared segments, then the listed long ones. */
REDUCE_DEVICE_ struct reduce_listed_ reduce_listed_of_(const struct reduce_own_share_ *own_, unsigned l,
                                                       unsigned most_, size_t element_size_) {
    struct reduce_listed_ listed_;
    memset(&listed_, 0, sizeof listed_);
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
    for (unsigned l = 0; l < listed_->count_; l++) {
        const size_t i = (listed_->from_ + l) * listed_->chunk_, left_ = listed_->n - i;
        const struct reduce_item_ item_ = {listed_->begin_ + i, i,
                                           (unsigned)REDUCE_MIN_(left_, listed_->chunk_)};
        items_[listed_->at_ + l] = item_;
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

/* ---- The call ---- */

/* struct NAME_segments_: what the call was given. */
#define REDUCE_GIVEN_SEGMENTS_(NAME)                                                                        \
    struct NAME##_segments_ {                                                                               \
        NAME##_input_ in_;                                                                                  \
        size_t first_; /* elements from here on may be read, */                                             \
        size_t end_;   /* as far as before this one */                                                      \
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

/* ---- Middle segments ---- */

/* T NAME_segment_by_warp_(...): all lanes of a warp reduce a segment of one chunk. Lane 0 gets the result. */
#define REDUCE_SEGMENT_BY_WARP_(NAME)                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_segment_by_warp_(const struct NAME##_segments_ *call_,              \
                                                         size_t begin_, unsigned count_) {                  \
        const struct NAME##_run_ run_ = NAME##_run_in_(call_, begin_, count_, 0);                           \
        return NAME##_shifts_ && run_.skew_ == 0                                                            \
                   ? NAME##_by_warp_(&run_, NAME##_many_, NAME##_many_, false, false)                       \
                   : NAME##_by_warp_(&run_, NAME##_many_, NAME##_many_, true, NAME##_scatters_);            \
    }

/* ---- Tasks of long segments ---- */

/* A task is one or two of the tree's warps of an item, so that all warps of a block have work where items
   are few. NAME_of_task_: how many. NAME_tasks_: of an item. struct NAME_task_: values of a task whose fold
   over lanes is left, and where the results go (NULL: there are none). */
#define REDUCE_TASK_LAYOUT_(NAME)                                                                           \
    enum {                                                                                                  \
        NAME##_of_task_ = REDUCE_MIN_((int)NAME##_many_, 2),                                                \
        NAME##_tasks_ = REDUCE_WARPS_ / NAME##_of_task_,                                                    \
        NAME##_task_elements_ = NAME##_of_task_ * (int)NAME##_warp_elements_ /* of a stripe */              \
    };                                                                                                      \
    struct NAME##_task_ {                                                                                   \
        NAME##_result x[NAME##_at_once_], *to_;                                                             \
        bool is_scattered_;                                                                                 \
    };

/* Elements from the first of a task's burst of some loads to the next burst's. */
#define REDUCE_BURST_STEP_(NAME, loads) ((unsigned)(loads) / NAME##_of_task_ * REDUCE_STRIPE_(NAME##_size_))

/* How far apart lanes are in step b of that fold. */
#define REDUCE_TASK_HALF_(NAME, b, is_scattered)                                                            \
    ((is_scattered) ? REDUCE_SCATTER_HALF_(NAME, b) : REDUCE_WARP / 2 >> (b))

/* void NAME_end_task_(...): all lanes of a warp make the fold that is left and store its results. The next
   task's loads are in flight meanwhile. */
#define REDUCE_END_TASK_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_end_task_(struct NAME##_task_ *task_, int lane_) {                           \
        const bool is_scattered_ = task_->is_scattered_, has_two_ = NAME##_of_task_ > 1;                    \
        const int first_ = REDUCE_TASK_HALF_(NAME, 0, is_scattered_);                                       \
        if (task_->to_ == NULL) return;                                                                     \
        if (has_two_) NAME##_exchange_halves_(task_->x, 1, lane_, first_);                                  \
        REDUCE_UNROLL_                                                                                      \
        for (int b = has_two_ ? 1 : 0; b < 5; b++)                                                          \
            NAME##_fold_step_(task_->x, REDUCE_TASK_HALF_(NAME, b, is_scattered_));                         \
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
        const bool is_whole_ = REDUCE_IS_WHOLE_BURST_(NAME, k, many_, loads_, walker_->until_);             \
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
   which begins with element k; any task where NAME_realigns_. */
#define REDUCE_STRAIGHT_TASK_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_straight_task_(struct NAME##_task_ *task_, const struct NAME##_run_ *run_,   \
                                              int lane_, unsigned k) {                                      \
        struct NAME##_run_ own_ = *run_;                                                                    \
        struct NAME##_strand_ strands_[NAME##_at_once_];                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < NAME##_of_task_; s++) NAME##_begin_strand_(&strands_[s]);                       \
        NAME##_realign_(&own_, strands_, lane_, k == 0);                                                    \
        const struct NAME##_walker_ walker_ = NAME##_walker_of_(&own_, lane_, NAME##_of_task_, false);      \
        if (NAME##_first_straight_(strands_, task_, &walker_, lane_, k))                                    \
            k += REDUCE_BURST_STEP_(NAME, NAME##_at_once_);                                                 \
        NAME##_add_bursts_(strands_, &walker_, lane_, k, NAME##_of_task_, NAME##_at_once_, false);          \
        NAME##_fold_strands_(task_->x, strands_, NAME##_of_task_);                                          \
    }

/* void NAME_begin_scattered_(...): loads a task's first burst, which is whole, ends the task before, and adds
   the burst. */
#define REDUCE_BEGIN_SCATTERED_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_begin_scattered_(struct NAME##_scatter_ *scatter_,                           \
                                                struct NAME##_task_ *task_,                                 \
                                                const struct NAME##_run_ *run_, int lane_, unsigned k,      \
                                                unsigned loads_) {                                          \
        const unsigned first_ = k + (unsigned)lane_;                                                        \
        struct NAME##_loaded_ x[NAME##_at_once_];                                                           \
        REDUCE_ANYTHING_(x);                                                                                \
        NAME##_load_scatter_(x, run_, first_, NAME##_of_task_, loads_, true);                               \
        NAME##_end_task_(task_, lane_);                                                                     \
        NAME##_use_scatter_(scatter_, x, run_, first_, NAME##_of_task_, loads_, true);                      \
    }

/* unsigned NAME_first_scattered_(...): all lanes of a warp end the task before, and add the first burst of
   this one meanwhile, or the first stripe, if it is whole. Returns how far behind it the next begins. */
#define REDUCE_FIRST_SCATTERED_(NAME)                                                                       \
    REDUCE_DEVICE_ unsigned NAME##_first_scattered_(struct NAME##_scatter_ *scatter_,                       \
                                                    struct NAME##_task_ *task_,                             \
                                                    const struct NAME##_run_ *run_, int lane_, unsigned k) {\
        enum { many_ = NAME##_of_task_, loads_ = NAME##_scattered_loads_ };                                 \
        if (REDUCE_IS_WHOLE_BURST_(NAME, k, many_, loads_, run_->count_)) {                                 \
            NAME##_begin_scattered_(scatter_, task_, run_, lane_, k, loads_);                               \
            return REDUCE_BURST_STEP_(NAME, loads_);                                                        \
        }                                                                                                   \
        if (loads_ > many_ && REDUCE_IS_WHOLE_BURST_(NAME, k, many_, many_, run_->count_)) {                \
            NAME##_begin_scattered_(scatter_, task_, run_, lane_, k, many_);                                \
            return REDUCE_STRIPE_(NAME##_size_);                                                            \
        }                                                                                                   \
        NAME##_end_task_(task_, lane_);                                                                     \
        return 0;                                                                                           \
    }

/* void NAME_scattered_task_(...): NAME_straight_task_ for scattered elements. */
#define REDUCE_SCATTERED_TASK_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_scattered_task_(struct NAME##_task_ *task_, const struct NAME##_run_ *run_,  \
                                               int lane_, unsigned k) {                                     \
        struct NAME##_scatter_ scatter_;                                                                    \
        NAME##_begin_each_(scatter_.values_, (int)NAME##_of_task_ * NAME##_positions_, run_->i,             \
                           run_->count_ > 0);                                                               \
        k += NAME##_first_scattered_(&scatter_, task_, run_, lane_, k);                                     \
        NAME##_walk_scatter_(&scatter_, run_, (unsigned)lane_, k, NAME##_of_task_, NAME##_scattered_loads_);\
        NAME##_scattered_positions_(task_->x, &scatter_, lane_, NAME##_of_task_);                           \
    }

/* void NAME_whole_task_(...): all lanes of a warp end the task before and walk one of which nothing is left
   to fold; of_warps gets its results. It serves where elements are neither aligned nor scattered. */
#define REDUCE_WHOLE_TASK_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_whole_task_(struct NAME##_task_ *task_, const struct NAME##_run_ *run_,      \
                                           int lane_, unsigned first_, NAME##_result *of_warps_) {          \
        NAME##_end_task_(task_, lane_);                                                                     \
        NAME##_tree_warps_to_scratch_(of_warps_, run_, lane_, first_, NAME##_of_task_, true, false);        \
    }

/* void NAME_add_task_(...): if task number u of the block has elements, all lanes of a warp end the task
   before and walk it. A warp takes other tasks of each item, as the first ones have more elements where
   stripes are not whole. */
#define REDUCE_ADD_TASK_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_add_task_(struct NAME##_segments_scratch_ *scratch_,                         \
                                         struct NAME##_task_ *task_, unsigned u, int lane_) {               \
        const unsigned item_ = u / NAME##_tasks_, first_ = (u + item_) % NAME##_tasks_ * NAME##_of_task_;   \
        const struct reduce_item_ own_ = scratch_->items_[item_];                                           \
        const struct NAME##_run_ run_ = NAME##_run_in_(&scratch_->call_, own_.begin_, own_.count_, own_.i); \
        const bool is_straight_ = NAME##_shifts_ && (run_.skew_ == 0 || NAME##_realigns_);                  \
        const bool scatters_ = NAME##_scatters_ != 0;                                                       \
        const unsigned k = first_ * NAME##_warp_elements_;                                                  \
        if (k >= own_.count_) return;                                                                       \
        if (is_straight_) NAME##_straight_task_(task_, &run_, lane_, k);                                    \
        if (!is_straight_ && scatters_) NAME##_scattered_task_(task_, &run_, lane_, k);                     \
        if (!is_straight_ && !scatters_)                                                                    \
            NAME##_whole_task_(task_, &run_, lane_, first_, scratch_->of_warps_[item_]);                    \
        task_->is_scattered_ = scatters_ && !is_straight_;                                                  \
        task_->to_ = is_straight_ || scatters_ ? scratch_->of_warps_[item_] + first_ : NULL;                \
    }

/* void NAME_add_tasks_(...): a warp reduces its part of the tasks of count items. */
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

/* void NAME_reduce_items_(...): all threads of the block, after a barrier, reduce count items; of_chunks gets
   their results. */
#define REDUCE_REDUCE_ITEMS_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_reduce_items_(struct NAME##_segments_scratch_ *scratch_, unsigned count_) {  \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        const unsigned warp_ = at_.thread_ % REDUCE_WARPS_;                                                 \
        NAME##_add_tasks_(scratch_, count_);                                                                \
        __syncthreads();                                                                                    \
        for (unsigned first_ = 0; first_ < count_; first_ += REDUCE_SEGMENT_THREADS_ / (int)REDUCE_WARPS_) {\
            const unsigned k = first_ + at_.thread_ / REDUCE_WARPS_;                                        \
            const unsigned elements_ = k < count_ ? scratch_->items_[k].count_ : 0;                         \
            const bool is_there_ = warp_ * NAME##_warp_elements_ < elements_;                               \
            const NAME##_result x = is_there_ ? scratch_->of_warps_[k][warp_] : NAME##_identity();          \
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
        __syncthreads();                                                                                    \
        NAME##_reduce_items_(scratch_, count_);                                                             \
    }

/* struct NAME_own_strands_: thread t stands for the strands t, t + REDUCE_SEGMENT_THREADS_, ... of a
   segment's chunks. */
#define REDUCE_BEGIN_OWN_STRANDS_(NAME)                                                                     \
    struct NAME##_own_strands_ { NAME##_result values_[REDUCE_OWN_STRANDS_]; };                             \
    REDUCE_DEVICE_ void NAME##_begin_own_strands_(struct NAME##_own_strands_ *strands_) {                   \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < REDUCE_OWN_STRANDS_; s++) strands_->values_[s] = NAME##_identity();             \
    }

/* T NAME_fold_tree_(...): all threads fold all strands; every thread gets the result. A barrier must
   follow before the next call. */
#define REDUCE_FOLD_TREE_(NAME)                                                                             \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_tree_(const struct NAME##_own_strands_ *strands_,              \
                                                   NAME##_result *of_warps_) {                              \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_OWN_STRANDS_; s++) {                                                \
            const NAME##_result x = NAME##_fold_(strands_->values_[s], at_, REDUCE_WARP);                   \
            if (at_.lane_ == 0) of_warps_[s * REDUCE_SEGMENT_WARPS_ + at_.thread_ / REDUCE_WARP] = x;       \
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
        for (unsigned s = 0; s < REDUCE_OWN_STRANDS_; s++) {                                                \
            const unsigned own_ = (threadIdx.x + s * REDUCE_SEGMENT_THREADS_ - k) % REDUCE_STRANDS;         \
            if (own_ < count_) strands_->values_[s] = NAME##_combine(strands_->values_[s],                  \
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
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
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
            for (unsigned l = lane_; l < count_; l += REDUCE_WARP) to_[listed_->from_ + l] = of_chunks_[l]; \
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

/* NAME_even_: how many segments may be even. */
#define REDUCE_EVEN_LAYOUT_(NAME)                                                                           \
    enum {                                                                                                  \
        NAME##_even_ = NAME##_size_ > 16 ? 0                                                                \
                           : REDUCE_SEGMENT_BLOCKS_ * REDUCE_MIN_((int)NAME##_items_, REDUCE_MANY_EVEN_)    \
    };

/* bool NAME_may_be_even_(...): whether count segments may be even. */
#define REDUCE_MAY_BE_EVEN_(NAME)                                                                           \
    REDUCE_DEVICE_ bool NAME##_may_be_even_(struct reduce_offsets_ offsets_, size_t count_) {               \
        return count_ <= NAME##_even_ &&                                                                    \
               reduce_may_be_even_(offsets_, (unsigned)count_, REDUCE_STRIPE_(NAME##_size_),                \
                                   NAME##_task_elements_);                                                  \
    }

/* void NAME_even_long_(...): all threads reduce those of count segments from first on that have several
   chunks. */
#define REDUCE_EVEN_LONG_(NAME)                                                                             \
    REDUCE_OUT_OF_LINE_ void NAME##_even_long_(struct NAME##_segments_scratch_ *scratch_,                   \
                                               struct reduce_offsets_ offsets_, size_t first_,              \
                                               unsigned count_) {                                           \
        struct reduce_listed_ *const listed_ = &scratch_->together_.of_[0];                                 \
        REDUCE_NO_UNROLL_                                                                                   \
        for (size_t k = first_; k < first_ + count_; k++) {                                                 \
            const struct reduce_segment_ segment_ = reduce_segment_of_(offsets_, k);                        \
            if (segment_.count_ <= REDUCE_SINGLE_ * REDUCE_STRIPE_(NAME##_size_)) continue;                 \
            if (threadIdx.x == 0)                                                                           \
                listed_->k = k, listed_->begin_ = segment_.begin_, listed_->n = segment_.count_;            \
            __syncthreads();                                                                                \
            NAME##_segment_alone_(scratch_);                                                                \
        }                                                                                                   \
    }

/* bool NAME_even_segments_(...): all threads, with a barrier: if segments are even, they reduce the block's.
   Out of line, as most segments are not. */
#define REDUCE_EVEN_SEGMENTS_(NAME)                                                                         \
    REDUCE_OUT_OF_LINE_ bool NAME##_even_segments_(struct NAME##_segments_scratch_ *scratch_,               \
                                                   struct reduce_offsets_ offsets_, unsigned count_) {      \
        const size_t stripe_ = REDUCE_STRIPE_(NAME##_size_);                                                \
        const unsigned first_ = reduce_even_from_(blockIdx.x, count_), k = first_ + threadIdx.x;            \
        const unsigned own_ = reduce_even_from_(blockIdx.x + 1, count_) - first_;                           \
        struct reduce_segment_ segment_ = {0, 0};                                                           \
        if (threadIdx.x < own_) segment_ = reduce_segment_of_(offsets_, k);                                 \
        const bool is_single_ = segment_.count_ <= REDUCE_SINGLE_ * stripe_;                                \
        const struct reduce_item_ item_ = {segment_.begin_, 0, is_single_ ? (unsigned)segment_.count_ : 0}; \
        if (threadIdx.x < own_) scratch_->items_[threadIdx.x] = item_;                                      \
        if (!reduce_are_even_(offsets_, count_, stripe_)) return false;                                     \
        const bool has_long_ = __syncthreads_or(!is_single_);                                               \
        NAME##_reduce_items_(scratch_, own_);                                                               \
        if (threadIdx.x < own_) scratch_->call_.out_[k] = NAME##_final_(scratch_->of_chunks_[threadIdx.x]); \
        if (has_long_) NAME##_even_long_(scratch_, offsets_, first_, own_);                                 \
        return true;                                                                                        \
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
        for (unsigned s = 0; s < REDUCE_OWN_STRANDS_; s++) {                                                \
            REDUCE_NO_UNROLL_                                                                               \
            for (unsigned k = threadIdx.x + s * REDUCE_SEGMENT_THREADS_; k < count_; k += REDUCE_STRANDS) { \
                NAME##_move_partial_(&x, partials_ + k);                                                    \
                strands_->values_[s] = NAME##_combine(strands_->values_[s], x);                             \
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

/* void NAME_far_group_(...): all lanes of a warp list the segments of a group that is not near. */
#define REDUCE_FAR_GROUP_(NAME)                                                                             \
    REDUCE_OUT_OF_LINE_ void NAME##_far_group_(struct NAME##_segments_scratch_ *scratch_,                   \
                                               struct reduce_offsets_ offsets_,                             \
                                               struct reduce_group_ group_) {                               \
        const size_t end_ = group_.first_ + group_.count_;                                                  \
        REDUCE_NO_UNROLL_                                                                                   \
        for (size_t k = group_.first_ + threadIdx.x % REDUCE_WARP; k < end_; k += REDUCE_WARP) {            \
            const size_t n = reduce_segment_of_(offsets_, k).count_;                                        \
            if (n > 0)                                                                                      \
                reduce_list_(&scratch_->share_, k, n);                                                      \
            else                                                                                            \
                scratch_->call_.out_[k] = NAME##_final_(NAME##_identity());                                 \
        }                                                                                                   \
    }

/* void NAME_reduce_loaded_(...): all lanes of a warp reduce the segments of a near group, or list them. own:
   the lane's. */
#define REDUCE_REDUCE_LOADED_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_reduce_loaded_(struct NAME##_segments_scratch_ *scratch_,                    \
                                              const struct NAME##_near_group_ *near_,                       \
                                              const struct reduce_near_ *own_) {                            \
        const unsigned most_ = reduce_longest_of_lane_(own_);                                               \
        if (!__any_sync(~0u, most_ > 0)) {                                                                  \
            NAME##_empty_group_(near_->out_, near_->group_.count_);                                         \
            return;                                                                                         \
        }                                                                                                   \
        NAME##_reduce_near_(near_, own_, &scratch_->share_, most_);                                         \
        if (__any_sync(~0u, most_ > scratch_->share_.short_))                                               \
            reduce_list_group_(&scratch_->share_, near_->offsets_, near_->group_);                          \
    }

/* void NAME_reduce_group_(...): all lanes of a warp reduce the segments of a group, or list them. */
#define REDUCE_REDUCE_GROUP_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_reduce_group_(struct NAME##_segments_scratch_ *scratch_, NAME##_input_ in_,  \
                                             struct reduce_offsets_ offsets_, struct reduce_group_ group_,  \
                                             NAME##_result *out_) {                                         \
        struct reduce_near_ own_[REDUCE_OWN_SEGMENTS_];                                                     \
        if (!reduce_load_group_(own_, offsets_, &group_)) {                                                 \
            NAME##_far_group_(scratch_, offsets_, group_);                                                  \
            return;                                                                                         \
        }                                                                                                   \
        const struct NAME##_near_group_ near_ = NAME##_near_of_(scratch_, in_, offsets_, group_, out_);     \
        NAME##_reduce_loaded_(scratch_, &near_, own_);                                                      \
    }

/* void NAME_reduce_share_(...): all threads reduce the segments of the block's share in rounds: groups,
   until many segments are listed, and then the listed ones. */
#define REDUCE_REDUCE_SHARE_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_reduce_share_(struct NAME##_segments_scratch_ *scratch_, NAME##_input_ in_,  \
                                             struct reduce_offsets_ offsets_, NAME##_result *out_) {        \
        struct reduce_own_share_ *const own_ = &scratch_->share_;                                           \
        do {                                                                                                \
            struct reduce_group_ group_ = reduce_next_group_(own_);                                         \
            REDUCE_NO_UNROLL_                                                                               \
            for (; group_.count_ > 0; group_ = reduce_next_group_(own_))                                    \
                NAME##_reduce_group_(scratch_, in_, offsets_, group_, out_);                                \
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
        const int64_t end_ = reduce_offset_(line_->offsets_, line_->count_);                                \
        struct NAME##_segments_ call_;                                                                      \
        call_.in_ = in_;                                                                                    \
        call_.first_ = (size_t)line_->first_;                                                               \
        call_.end_ = (size_t)(end_ > 0 ? end_ : 0);                                                         \
        call_.ws_ = ws_;                                                                                    \
        call_.out_ = out_;                                                                                  \
        return call_;                                                                                       \
    }

/* void NAME_begin_line_(...): one thread sets the line. Where segments are long, it asks at once for the
   elements with which its share would begin if all segments had the same length. */
#define REDUCE_BEGIN_LINE_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_begin_line_(struct NAME##_segments_scratch_ *scratch_, NAME##_input_ in_,    \
                                           struct reduce_offsets_ offsets_, size_t count_,                  \
                                           reduce_workspace *ws_, NAME##_result *out_) {                    \
        struct reduce_line_ *const line_ = &scratch_->share_.line_;                                         \
        *line_ = reduce_line_of_(offsets_, count_, sizeof(NAME##_result), NAME##_short_);                   \
        scratch_->call_ = NAME##_segments_of_(in_, line_, ws_, out_);                                       \
        const size_t k = count_ / REDUCE_SEGMENT_BLOCKS_ * blockIdx.x +                                     \
                         count_ % REDUCE_SEGMENT_BLOCKS_ * blockIdx.x / REDUCE_SEGMENT_BLOCKS_;             \
        if (line_->is_long_)                                                                                \
            reduce_ask_for_share_(line_, k, (const char *)in_.in_, sizeof *in_.in_, scratch_->call_.end_);  \
    }

/* void NAME_share_by_block_(...): all threads, when the share is found: reduce chunks of shared segments that
   are too many to be reduced with others, then the share, and fold shared segments whose last results the
   block delivered. */
#define REDUCE_SHARE_BY_BLOCK_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_share_by_block_(struct NAME##_segments_scratch_ *scratch_, NAME##_input_ in_,\
                                               struct reduce_offsets_ offsets_, NAME##_result *out_) {      \
        const struct reduce_shared_ *const shared_ = scratch_->share_.shared_;                              \
        for (int s = 0; s < 2; s++) NAME##_shared_chunks_(scratch_, &shared_[s]);                           \
        NAME##_reduce_share_(scratch_, in_, offsets_, out_);                                                \
        NAME##_deliver_shared_(scratch_);                                                                   \
        for (int s = 0; s < 2; s++) NAME##_fold_shared_(scratch_, &shared_[s]);                             \
    }

/* The kernel: a block reduces its part of even segments, or finds its share and reduces that. All blocks fit
   the GPU at once; half of them where results are large, as values would spill to local memory (measured). */
#define REDUCE_SEGMENTS_KERNEL_(NAME)                                                                       \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_SEGMENT_THREADS_, sizeof(NAME##_result) > 32 ? 2 : 4)      \
        NAME##_segments_kernel_(NAME##_input_ in_, const struct reduce_offsets_ offsets_, size_t count_,    \
                                reduce_workspace *ws_, NAME##_result *out_) {                               \
        __shared__ struct NAME##_segments_scratch_ scratch_;                                                \
        const int64_t early_ = reduce_early_offset_(offsets_, count_);                                      \
        if (threadIdx.x == 0) NAME##_begin_line_(&scratch_, in_, offsets_, count_, ws_, out_);              \
        if (NAME##_may_be_even_(offsets_, count_) &&                                                        \
            NAME##_even_segments_(&scratch_, offsets_, (unsigned)count_)) return;                           \
        __syncthreads();                                                                                    \
        reduce_begin_share_(&scratch_.share_, early_, in_.in_, scratch_.call_.end_, sizeof *in_.in_,        \
                            NAME##_size_, NAME##_short_);                                                   \
        NAME##_share_by_block_(&scratch_, in_, offsets_, out_);                                             \
    }

/* ---- Launches of segments ---- */

REDUCE_HOST_ cudaError_t reduce_check_offsets_(struct reduce_offsets_ offsets_, size_t count_,
                                               struct reduce_range_ out_) {
    const size_t all_ = count_ + (count_ > 0);
    return reduce_check_(offsets_.are_32_ ? REDUCE_RANGE_(offsets_.at_, all_, int32_t)
                                          : REDUCE_RANGE_(offsets_.at_, all_, int64_t), out_);
}

/* cudaError_t NAME_check_segments_(...): checks a call, but for the elements, of which the offsets tell the
   number. */
#define REDUCE_CHECK_SEGMENTS_(NAME)                                                                        \
    REDUCE_HOST_ cudaError_t NAME##_check_segments_(NAME##_input_ input_, struct reduce_offsets_ offsets_,  \
                                                    size_t count_, NAME##_result *out_) {                   \
        const struct reduce_range_ results_ = REDUCE_RANGE_(out_, count_, NAME##_result);                   \
        const cudaError_t status_ = NAME##_check_(input_, 0, results_);                                     \
        return status_ == cudaSuccess ? reduce_check_offsets_(offsets_, count_, results_) : status_;        \
    }

/* cudaError_t NAME_segments_by_gpu_(...): as NAME_rows_by_gpu_, for offsets of either type. */
#define REDUCE_SEGMENTS_BY_GPU_(NAME)                                                                       \
    REDUCE_HOST_ cudaError_t NAME##_segments_by_gpu_(NAME##_input_ input_, struct reduce_offsets_ offsets_, \
                                                     size_t count_, NAME##_result *out_,                    \
                                                     reduce_workspace *ws_, cudaStream_t stream_) {         \
        const cudaError_t status_ = NAME##_check_segments_(input_, offsets_, count_, out_);                 \
        void *arguments_[] = {&input_, &offsets_, &count_, &ws_, &out_};                                    \
        if (status_ != cudaSuccess || count_ == 0) return status_;                                          \
        if (ws_ == NULL) return cudaErrorInvalidValue;                                                      \
        return REDUCE_CUDA_LAUNCH_(NAME##_segments_kernel_, dim3(REDUCE_SEGMENT_BLOCKS_),                   \
                                   dim3(REDUCE_SEGMENT_THREADS_), arguments_, 0, stream_);                  \
    }

/* ---- Simple calls ---- */

/* Copies a simple call's offsets to main memory; refuses decreasing and negative ones. The caller frees
   *to. has_gpu: whether there is a GPU, which decides how they are copied. */
#define REDUCE_READ_OFFSETS_(Offset, bits)                                                                  \
    REDUCE_HOST_ cudaError_t reduce_read_offsets_##bits##_(const Offset *from_, size_t count_,              \
                                                           bool *has_gpu_, Offset **to_) {                  \
        cudaError_t status_ = cudaSuccess;                                                                  \
        *has_gpu_ = reduce_has_gpu_(&status_);                                                              \
        if (status_ != cudaSuccess) return status_;                                                         \
        *to_ = (Offset *)malloc((count_ + 1) * sizeof **to_);                                               \
        if (*to_ == NULL) return cudaErrorMemoryAllocation;                                                 \
        if (*has_gpu_)                                                                                      \
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
        struct reduce_simple_ simple_;                                                                      \
        struct reduce_extra_ extra_;                                                                        \
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
#define REDUCE_SEGMENTS_ASYNC_(NAME, KIND, segments, Offset)                                                \
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
                                                      bool has_gpu_, NAME##_result *out_) {                 \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const size_t end_ = (size_t)offsets_[count_];                                                       \
        const cudaError_t status_ =                                                                         \
            NAME##_check_(input_, end_, REDUCE_RANGE_(out_, count_, NAME##_result));                        \
        if (status_ != cudaSuccess) return status_;                                                         \
        if (has_gpu_) return NAME##_##segments##_visit_(input_, offsets_, count_, end_, out_);              \
        NAME##_##segments##_cpu(REDUCE_NAMES_##KIND, offsets_, count_ REDUCE_LAST_##KIND, out_);            \
        return cudaSuccess;                                                                                 \
    }

/* cudaError_t NAME_segments(const In *in, const int64_t *offsets, size_t count, T *out) */
#define REDUCE_SEGMENTS_CALL_(NAME, KIND, segments, Offset, bits)                                           \
    REDUCE_HOST_ cudaError_t NAME##_##segments(REDUCE_ARRAYS_##KIND(NAME), const Offset *offsets_,          \
        size_t count_ REDUCE_MORE_##KIND(NAME), NAME##_result *out_) {                                      \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const struct reduce_offsets_ all_ = {offsets_, sizeof *offsets_ == 4};                              \
        Offset *read_ = NULL;                                                                               \
        bool has_gpu_ = false;                                                                              \
        cudaError_t status_ = NAME##_check_segments_(input_, all_, count_, out_);                           \
        if (status_ != cudaSuccess || count_ == 0) return status_;                                          \
        status_ = reduce_read_offsets_##bits##_(offsets_, count_, &has_gpu_, &read_);                       \
        if (status_ == cudaSuccess)                                                                         \
            status_ = NAME##_##segments##_run_(REDUCE_NAMES_##KIND, read_, count_ REDUCE_LAST_##KIND,       \
                                               has_gpu_, out_);                                             \
        free(read_);                                                                                        \
        return status_;                                                                                     \
    }

#endif /* __CUDACC__ */

/* ---- What a NAME gets ---------------------------------------------------------------------------------- */

#define REDUCE_GENERATE_SEGMENTS_CPU_(NAME, KIND)                                                           \
    REDUCE_SEGMENTS_CPU_(NAME, KIND, segments, int64_t) REDUCE_LINE_                                        \
    REDUCE_SEGMENTS_CPU_(NAME, KIND, segments_32, int32_t) REDUCE_LINE_

#ifdef __CUDACC__

#define REDUCE_GENERATE_GIVEN_SEGMENTS_(NAME)                                                               \
    REDUCE_GIVEN_SEGMENTS_(NAME) REDUCE_LINE_ REDUCE_SEGMENTS_SCRATCH_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_MIDDLE_SEGMENTS_(NAME)                                                              \
    REDUCE_RUN_IN_(NAME) REDUCE_LINE_ REDUCE_SEGMENT_BY_WARP_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_TASKS_(NAME)                                                                        \
    REDUCE_TASK_LAYOUT_(NAME) REDUCE_LINE_ REDUCE_END_TASK_(NAME) REDUCE_LINE_                              \
    REDUCE_EACH_(NAME, REDUCE_FIRST_STRAIGHT_, REDUCE_STRAIGHT_TASK_, REDUCE_BEGIN_SCATTERED_,              \
                 REDUCE_FIRST_SCATTERED_)                                                                   \
    REDUCE_EACH_(NAME, REDUCE_SCATTERED_TASK_, REDUCE_WHOLE_TASK_, REDUCE_ADD_TASK_, REDUCE_ADD_TASKS_)     \
    REDUCE_REDUCE_ITEMS_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_LONG_SEGMENTS_(NAME)                                                                \
    REDUCE_EACH_(NAME, REDUCE_FOLD_LISTED_, REDUCE_DELIVER_LISTED_, REDUCE_CHUNKS_TO_SCRATCH_,              \
                 REDUCE_BEGIN_OWN_STRANDS_)                                                                 \
    REDUCE_EACH_(NAME, REDUCE_FOLD_TREE_, REDUCE_ADD_CHUNKS_, REDUCE_SEGMENT_BY_BLOCK_,                     \
                 REDUCE_SEGMENT_ALONE_)                                                                     \
    REDUCE_EVEN_LAYOUT_(NAME) REDUCE_LINE_ REDUCE_MAY_BE_EVEN_(NAME) REDUCE_LINE_                           \
    REDUCE_EACH_(NAME, REDUCE_EVEN_LONG_, REDUCE_EVEN_SEGMENTS_, REDUCE_CHOOSE_TOGETHER_,                   \
                 REDUCE_SEGMENTS_BY_BLOCK_)

#define REDUCE_GENERATE_SHARED_SEGMENTS_(NAME)                                                              \
    REDUCE_EACH_(NAME, REDUCE_SHARED_CHUNKS_, REDUCE_MOVE_PARTIAL_, REDUCE_RECEIVE_PARTIALS_,               \
                 REDUCE_FOLD_FEW_SHARED_)                                                                   \
    REDUCE_DELIVER_SHARED_(NAME) REDUCE_LINE_ REDUCE_FOLD_SHARED_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_SEGMENTS_(NAME)                                                                     \
    REDUCE_EACH_(NAME, REDUCE_LISTED_BY_WARPS_, REDUCE_FAR_GROUP_, REDUCE_REDUCE_LOADED_,                   \
                 REDUCE_REDUCE_GROUP_)                                                                      \
    REDUCE_REDUCE_SHARE_(NAME) REDUCE_LINE_ REDUCE_SEGMENTS_OF_(NAME) REDUCE_LINE_                          \
    REDUCE_BEGIN_LINE_(NAME) REDUCE_LINE_ REDUCE_SHARE_BY_BLOCK_(NAME) REDUCE_LINE_                         \
    REDUCE_SEGMENTS_KERNEL_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_SEGMENTS_CALLS_(NAME, KIND)                                                         \
    REDUCE_CHECK_SEGMENTS_(NAME) REDUCE_LINE_ REDUCE_SEGMENTS_BY_GPU_(NAME) REDUCE_LINE_                    \
    REDUCE_SEGMENTS_ASYNC_(NAME, KIND, segments, int64_t) REDUCE_LINE_                                      \
    REDUCE_SEGMENTS_ASYNC_(NAME, KIND, segments_32, int32_t) REDUCE_LINE_                                   \
    REDUCE_SEGMENTS_VISIT_(NAME, KIND, segments, int64_t) REDUCE_LINE_                                      \
    REDUCE_SEGMENTS_VISIT_(NAME, KIND, segments_32, int32_t) REDUCE_LINE_                                   \
    REDUCE_SEGMENTS_RUN_(NAME, KIND, segments, int64_t) REDUCE_LINE_                                        \
    REDUCE_SEGMENTS_RUN_(NAME, KIND, segments_32, int32_t) REDUCE_LINE_                                     \
    REDUCE_SEGMENTS_CALL_(NAME, KIND, segments, int64_t, 64) REDUCE_LINE_                                   \
    REDUCE_SEGMENTS_CALL_(NAME, KIND, segments_32, int32_t, 32) REDUCE_LINE_

#define REDUCE_GENERATE_ALL_SEGMENTS_(NAME, KIND)                                                           \
    REDUCE_GENERATE_GIVEN_SEGMENTS_(NAME) REDUCE_GENERATE_ALL_SHORT_SEGMENTS_(NAME, KIND)                   \
    REDUCE_GENERATE_MIDDLE_SEGMENTS_(NAME) REDUCE_GENERATE_TASKS_(NAME)                                     \
    REDUCE_GENERATE_LONG_SEGMENTS_(NAME) REDUCE_GENERATE_SHARED_SEGMENTS_(NAME)                             \
    REDUCE_GENERATE_SEGMENTS_(NAME)

#define REDUCE_SEGMENTS_ON_GPU_(NAME, KIND)                                                                 \
    REDUCE_GENERATE_ALL_SEGMENTS_(NAME, KIND) REDUCE_GENERATE_SEGMENTS_CALLS_(NAME, KIND)

#else
#define REDUCE_SEGMENTS_ON_GPU_(NAME, KIND)
#endif

#define REDUCE_SEGMENTS_(NAME, KIND)                                                                        \
    REDUCE_GENERATE_SEGMENTS_CPU_(NAME, KIND) REDUCE_SEGMENTS_ON_GPU_(NAME, KIND)

#endif /* REDUCE_SEGMENTS_CUH */
