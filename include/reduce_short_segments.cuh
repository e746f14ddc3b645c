/*
 * reduce_short_segments.cuh: segments of up to some strands, a part of reduce_segments.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce_segments.cuh has the words that are used here, the kernel, and includes this file.
 */
#ifndef REDUCE_SEGMENTS_CUH
#include "reduce_segments.cuh"
#elif !defined REDUCE_SHORT_SEGMENTS_CUH
#define REDUCE_SHORT_SEGMENTS_CUH

/* ---- Groups ---- */

#ifndef REDUCE_NEAR_BITS_ /* of the length of a near group's segment; tests define fewer */
#define REDUCE_NEAR_BITS_ 23
#endif

/* A group: neighbouring segments that a warp takes together. It is near if its offsets do not decrease, and
   each segment has less than 2^REDUCE_NEAR_BITS_ elements: then 32 bits tell where a segment lies. */
struct reduce_group_ {
    size_t first_;   /* the first segment */
    unsigned count_; /* how many; 0 after the last group */
    size_t begin_;   /* the first element, once the group is loaded, if it is near */
};

/* A segment of a near group: its first element, counted from the group's, and how many it has. */
struct reduce_near_ { unsigned begin_, count_; };

/* The segment between two offsets of a group that begins with element first. Sets bits of *far if it is not
   near. */
REDUCE_DEVICE_ struct reduce_near_ reduce_near_between_(int64_t begin_, int64_t end_, int64_t first_,
                                                        unsigned *far_) {
    const uint64_t n = (uint64_t)end_ - (uint64_t)begin_;
    const struct reduce_near_ segment_ = {(unsigned)begin_ - (unsigned)first_, (unsigned)n};
    *far_ |= (unsigned)(n >> REDUCE_NEAR_BITS_) | (unsigned)(n >> 32);
    return segment_;
}

/* All lanes of a warp load a group. Each gets one segment of each 32 neighbours; the group's last one where
   there is none. False if the group is not near. (With conditions for loads, nvcc waits between them.) */
#define REDUCE_LOAD_GROUP_(Offset, bits)                                                                    \
    REDUCE_DEVICE_ bool reduce_load_group_##bits##_(struct reduce_near_ *own_, const Offset *offsets_,      \
                                                    struct reduce_group_ *group_) {                         \
        const Offset *const from_ = offsets_ + group_->first_;                                              \
        const Offset first_ = from_[0];                                                                     \
        Offset begin_[REDUCE_OWN_SEGMENTS_], end_[REDUCE_OWN_SEGMENTS_];                                    \
        unsigned far_ = 0, l = threadIdx.x % REDUCE_WARP;                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++, l += REDUCE_WARP) {                                  \
            const unsigned at_ = REDUCE_MIN_(l, group_->count_ - 1);                                        \
            begin_[s] = from_[at_], end_[s] = from_[at_ + 1];                                               \
        }                                                                                                   \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++)                                                      \
            own_[s] = reduce_near_between_(begin_[s], end_[s], first_, &far_);                              \
        group_->begin_ = (size_t)first_;                                                                    \
        return __all_sync(~0u, far_ == 0) != 0;                                                             \
    }
REDUCE_LOAD_GROUP_(int64_t, 64)
REDUCE_LOAD_GROUP_(int32_t, 32)

REDUCE_DEVICE_ bool reduce_load_group_(struct reduce_near_ *own_, struct reduce_offsets_ offsets_,
                                       struct reduce_group_ *group_) {
    return offsets_.are_32_ ? reduce_load_group_32_(own_, (const int32_t *)offsets_.at_, group_)
                            : reduce_load_group_64_(own_, (const int64_t *)offsets_.at_, group_);
}

/* Where segment l of a near group begins, counted from the group's first element. */
REDUCE_DEVICE_ unsigned reduce_begin_in_(struct reduce_offsets_ offsets_, const struct reduce_group_ *group_,
                                         unsigned l) {
    return reduce_low_of_offset_(offsets_, group_->first_ + l) - (unsigned)group_->begin_;
}

/* Segment l of a near group; an empty one behind its end. */
REDUCE_DEVICE_ struct reduce_near_ reduce_near_in_(struct reduce_offsets_ offsets_,
                                                   const struct reduce_group_ *group_, unsigned l) {
    struct reduce_near_ own_ = {0, 0};
    if (l >= group_->count_) return own_;
    own_.begin_ = reduce_begin_in_(offsets_, group_, l);
    own_.count_ = reduce_begin_in_(offsets_, group_, l + 1) - own_.begin_;
    return own_;
}

/* The elements of the longest of a lane's segments. */
REDUCE_DEVICE_ unsigned reduce_longest_of_lane_(const struct reduce_near_ *own_) {
    unsigned most_ = 0;
    REDUCE_UNROLL_
    for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++) most_ = own_[s].count_ > most_ ? own_[s].count_ : most_;
    return most_;
}

/* The elements that may be read around a near group, counted from its first: from `from` on, to before end.
   15 before it matter at most. */
struct reduce_readable_ { int from_, end_; };

/* begin: the group's first element. first, end: what may be read of the array. */
REDUCE_DEVICE_ struct reduce_readable_ reduce_readable_around_(size_t begin_, size_t first_, size_t end_) {
    const size_t left_ = begin_ < end_ ? end_ - begin_ : 0;
    const struct reduce_readable_ around_ = {-(int)reduce_readable_between_(first_, begin_),
                                             (int)REDUCE_MIN_(left_, (size_t)1 << 30)};
    return around_;
}

/* Whether 15 elements before and behind a segment may be read. */
REDUCE_DEVICE_ bool reduce_is_inside_(struct reduce_near_ own_, struct reduce_readable_ around_) {
    return (int)own_.begin_ - 15 >= around_.from_ && (int)(own_.begin_ + own_.count_) + 15 <= around_.end_;
}

/* ---- Short segments ----
 *
 * A warp reduces 32 neighbouring segments together; each lane has one of them as its own. A portion is what
 * one strand owns of a segment: up to V neighbours. Portions are numbered from segment to segment, and lane l
 * loads the portions l, l + 32, ...: so neighbouring lanes load neighbouring elements, whatever the lengths
 * are. The results of portions lie in the warp's scratch. A piece is as many of the 32 segments as have room
 * there. A unit is the portions of one tree's warp of a segment; one thread folds a unit. If a segment has
 * several units, their results replace the portions' in scratch, and the segment's own lane folds them.
 *
 *         lane          0              1    2            3 ...     each lane's own segment
 *         portions     |p0  p1  p2   |p3  |p4  p5      |p6 ...     numbered through; lane l loads number l
 *         scratch      |r0  r1  r2   |r3  |r4  r5      |r6 ...     each portion's result; the segments whose
 *                                                                  portions fit in scratch are a piece
 *         unit         up to 32 portions of a segment, a tree's warp: one thread folds a unit
 */

/* Bytes of a warp's scratch (measured): a multiple of all alignments, as a block's warps have theirs side by
   side. */
enum { REDUCE_SCRATCH_OF_WARP_ = 55 * REDUCE_MAX_SIZE, REDUCE_BATCH_WORDS_ = REDUCE_SCRATCH_OF_WARP_ / 16 };

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

/* All lanes of a warp call: reduce_owner_ for count things of each lane, 32 apart. */
REDUCE_DEVICE_ void reduce_owners_(unsigned *owners_, unsigned count_, struct reduce_numbered_ own_,
                                   unsigned first_, unsigned *next_) {
    REDUCE_UNROLL_
    for (unsigned s = 0; s < count_; s++)
        owners_[s] = reduce_owner_(own_, first_ + s * REDUCE_WARP, next_);
}

/* A piece: the segments of some neighbouring lanes. */
struct reduce_piece_ {
    unsigned first_;              /* the lane of the first segment */
    unsigned end_;                /* the lane after that of the last */
    unsigned count_;              /* portions of all segments */
    struct reduce_numbered_ own_; /* the portions of the lane's own segment, if it is in the piece */
    bool is_own_;                 /* it is */
};

/* All lanes of a warp call: the piece that begins with the segment of lane first and has no more than
   `most` portions. */
REDUCE_DEVICE_ struct reduce_piece_ reduce_piece_from_(struct reduce_numbered_ portions_, unsigned first_,
                                                       unsigned most_) {
    const bool is_left_ = threadIdx.x % REDUCE_WARP >= first_;
    const unsigned before_ = __shfl_sync(~0u, portions_.first_, (int)first_);
    const unsigned begin_ = portions_.first_ - before_, end_ = begin_ + portions_.count_;
    const unsigned next_ = (unsigned)__ffs((int)__ballot_sync(~0u, is_left_ && end_ > most_));
    const unsigned last_ = next_ == 0 ? REDUCE_WARP - 1 : next_ - 2;
    const bool is_own_ = is_left_ && threadIdx.x % REDUCE_WARP <= last_;
    struct reduce_piece_ piece_;
    piece_.first_ = first_;
    piece_.end_ = last_ + 1;
    piece_.count_ = __shfl_sync(~0u, end_, (int)last_);
    piece_.own_.first_ = is_own_ ? begin_ : ~0u;
    piece_.own_.count_ = is_own_ ? portions_.count_ : 0;
    piece_.is_own_ = is_own_;
    return piece_;
}

/* A lane's segment in a piece, in elements of its group: where it begins and ends, and where the piece's
   portion 0 would begin if it belonged to this segment. */
struct reduce_in_piece_ { int begin_, end_, zero_; };

REDUCE_DEVICE_ struct reduce_in_piece_ reduce_place_in_piece_(const struct reduce_piece_ *piece_,
                                                              struct reduce_near_ own_,
                                                              unsigned positions_) {
    const struct reduce_in_piece_ in_piece_ = {(int)own_.begin_, (int)(own_.begin_ + own_.count_),
                                               (int)(own_.begin_ - piece_->own_.first_ * positions_)};
    return in_piece_;
}

/* ---- Portions and pieces ---- */

/* The elements from the beginning of element k's word to element k, if elements fill words. */
REDUCE_DEVICE_ unsigned reduce_apart_(const void *in_, size_t k, unsigned size_) {
    return 16 % size_ == 0 ? (unsigned)(((uintptr_t)in_ + k * size_) % 16 / size_) : 0;
}

/* REDUCE_SHIFTS_SHORT_: portions are shifted out of whole words, wherever they begin. That is faster than
   loads of single elements if there are many (measured). REDUCE_IS_SHIFTED_: elements of that type never lie
   in two words. */
#define REDUCE_IS_SHIFTED_(T) (REDUCE_LOAD_BYTES_(sizeof(T)) > 0 && REDUCE_ALIGNMENT_(T) == sizeof(T))
#define REDUCE_SHIFTS_SHORT_ARRAY_(NAME) (NAME##_shifts_ && NAME##_positions_ > 4)
#define REDUCE_SHIFTS_SHORT_WITH_ REDUCE_SHIFTS_SHORT_ARRAY_
#define REDUCE_SHIFTS_SHORT_ZIP_(NAME)                                                                      \
    (REDUCE_IS_SHIFTED_(NAME##_first) && REDUCE_IS_SHIFTED_(NAME##_second) && NAME##_positions_ > 4)
#define REDUCE_SHIFTS_SHORT_ZIP_WITH_ REDUCE_SHIFTS_SHORT_ZIP_

/* How many arrays an input has. */
#define REDUCE_ARRAY_COUNT_ARRAY_ 1
#define REDUCE_ARRAY_COUNT_WITH_ 1
#define REDUCE_ARRAY_COUNT_ZIP_ 2
#define REDUCE_ARRAY_COUNT_ZIP_WITH_ 2

/* NAME_scratch_portions_: portions that a warp's scratch holds. NAME_pads_: each segment's begin one place
   further than they must, so that threads that fold neighbouring segments have no bank conflicts.
   NAME_short_: elements of a short segment at most. NAME_has_wide_: portions may be loaded as words.
   NAME_portions_at_once_, NAME_tiny_at_once_: a lane's portions of pieces, and its tiny segments, whose loads
   are in flight together: as many as have registers (measured). */
#define REDUCE_SHORT_LAYOUT_(NAME, KIND)                                                                    \
    enum {                                                                                                  \
        NAME##_places_ = REDUCE_SCRATCH_OF_WARP_ / sizeof(NAME##_result),                                   \
        NAME##_pads_ = (int)NAME##_places_ >= 2 * REDUCE_WARP,                                              \
        NAME##_scratch_portions_ = ((int)NAME##_places_ / REDUCE_WARP - (int)NAME##_pads_) * REDUCE_WARP,   \
        NAME##_short_ = REDUCE_MIN_((int)NAME##_scratch_portions_, REDUCE_SHORT_PORTIONS_(NAME)) *          \
                        NAME##_positions_,                                                                  \
        NAME##_shifts_short_ = REDUCE_SHIFTS_SHORT_##KIND(NAME),                                            \
        NAME##_has_wide_ = NAME##_shifts_ || NAME##_shifts_short_ != 0,                                     \
        NAME##_portions_at_once_ = !NAME##_shifts_short_ ? NAME##_at_once_ : 2 / REDUCE_ARRAY_COUNT_##KIND, \
        NAME##_tiny_at_once_ = REDUCE_ARRAY_COUNT_##KIND > 1 ? 2 : REDUCE_OWN_SEGMENTS_                     \
    };

/* Two words of an array, in which a portion's elements begin skew bytes from the beginning. */
struct reduce_portion_words_ {
    unsigned of_[8] __attribute__((__aligned__(16)));
    unsigned skew_;
};

/* Loads the words of some bytes. Unless they are shifted, they begin with a word, and are one at most. */
REDUCE_DEVICE_ void reduce_load_portion_words_(struct reduce_portion_words_ *to_, const void *from_,
                                               unsigned bytes_, bool are_shifted_) {
    const unsigned skew_ = are_shifted_ ? (unsigned)((uintptr_t)from_ % 16) : 0;
    const char *const words_ = (const char *)from_ - skew_;
    to_->skew_ = skew_;
    reduce_load_16_or_zeros_(to_->of_, words_, bytes_ > 0);
    if (are_shifted_) reduce_load_16_or_zeros_(to_->of_ + 4, words_ + 16, bytes_ > 0 && skew_ + bytes_ > 16);
}

/* Shifts up to 16 bytes of elements of some size out of words. */
REDUCE_DEVICE_ void reduce_shift_portion_words_(void *to_, size_t bytes_,
                                                const struct reduce_portion_words_ *words_, size_t size_) {
    unsigned shifted_[4] = {0};
    reduce_shift_words_(shifted_, words_->of_, words_->skew_, (unsigned)size_);
    memcpy(to_, shifted_, REDUCE_MIN_(bytes_, sizeof shifted_));
}

/* struct NAME_portion_: what was loaded for a portion of count elements, the first of index i: the
   elements, or the words of each array. REDUCE_PORTION_WORDS_: loads the words. REDUCE_SHIFT_WORDS_: shifts
   the elements out of them. */
#define REDUCE_PORTION_(NAME, KIND)                                                                         \
    struct NAME##_portion_ {                                                                                \
        struct NAME##_loaded_ x;                                                                            \
        struct reduce_portion_words_ words_[REDUCE_ARRAY_COUNT_##KIND];                                     \
        int count_, i;                                                                                      \
    };

#define REDUCE_PORTION_WORDS_ARRAY_(NAME, to, from, count)                                                  \
    reduce_load_portion_words_(&(to)->words_[0], (from).in_, (count) * (unsigned)NAME##_size_,              \
                               NAME##_shifts_short_ != 0)
#define REDUCE_PORTION_WORDS_WITH_ REDUCE_PORTION_WORDS_ARRAY_
#define REDUCE_PORTION_WORDS_ZIP_(NAME, to, from, count)                                                    \
    (reduce_load_portion_words_(&(to)->words_[0], (from).in_, (count) * (unsigned)sizeof(NAME##_first),     \
                                true),                                                                      \
     reduce_load_portion_words_(&(to)->words_[1], (from).second_, (count) * (unsigned)sizeof(NAME##_second),\
                                true))
#define REDUCE_PORTION_WORDS_ZIP_WITH_ REDUCE_PORTION_WORDS_ZIP_

#define REDUCE_SHIFT_WORDS_ARRAY_(NAME, to, from)                                                           \
    reduce_shift_words_(to, (from)->words_[0].of_, (from)->words_[0].skew_,                                 \
                        NAME##_shifts_short_ ? NAME##_size_ : 16)
#define REDUCE_SHIFT_WORDS_WITH_ REDUCE_SHIFT_WORDS_ARRAY_
#define REDUCE_SHIFT_WORDS_ZIP_(NAME, to, from)                                                             \
    (reduce_shift_portion_words_((to)->x, sizeof (to)->x, &(from)->words_[0], sizeof(NAME##_first)),        \
     reduce_shift_portion_words_((to)->y, sizeof (to)->y, &(from)->words_[1], sizeof(NAME##_second)))
#define REDUCE_SHIFT_WORDS_ZIP_WITH_ REDUCE_SHIFT_WORDS_ZIP_

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
#define REDUCE_LOAD_PORTION_(NAME, KIND)                                                                    \
    REDUCE_DEVICE_ void NAME##_load_portion_(struct NAME##_portion_ *to_, NAME##_input_ from_, int count_,  \
                                             int i, bool is_wide_) {                                        \
        const unsigned some_ = count_ > 0 ? (unsigned)REDUCE_MIN_(count_, (int)NAME##_positions_) : 0;      \
        to_->count_ = count_, to_->i = i;                                                                   \
        if (is_wide_)                                                                                       \
            REDUCE_PORTION_WORDS_##KIND(NAME, to_, from_, some_);                                           \
        else                                                                                                \
            NAME##_load_each_(&to_->x, from_, count_);                                                      \
    }

/* T NAME_some_of_strand_(...): the result of up to V elements, from k, whose index is i, to before count. A
   light operator takes the identity once, in the end, which gives the same bits. */
#define REDUCE_SOME_OF_STRAND_(NAME)                                                                        \
    REDUCE_DEVICE_ NAME##_result NAME##_some_of_strand_(NAME##_input_ in_, int k, int count_, size_t i) {   \
        const unsigned left_ = k < count_ ? (unsigned)(count_ - k) : 0;                                     \
        struct NAME##_strand_ strand_;                                                                      \
        if (!NAME##_is_light_ || NAME##_packed_ > 1 || NAME##_adds_bytes_ > 0)                              \
            return NAME##_few_of_strand_(NAME##_input_at_(in_, (size_t)k), left_, i);                       \
        NAME##_begin_strand_(&strand_);                                                                     \
        REDUCE_UNROLL_                                                                                      \
        for (int p = 0; p < NAME##_positions_; p++) {                                                       \
            if (k + p >= count_) continue;                                                                  \
            const NAME##_result x = NAME##_operand_at_(in_, (size_t)(k + p), i + (size_t)p);                \
            if (p >= NAME##_accumulators_) NAME##_add_(strand_.values_, p, x);                              \
            if (p < NAME##_accumulators_) strand_.values_[p] = x;                                           \
        }                                                                                                   \
        return NAME##_combine_operand_(NAME##_identity(),                                                   \
                                       NAME##_fold_here_(strand_.values_, NAME##_accumulators_));           \
    }

/* T NAME_of_portion_(...): the result of a portion. If it was loaded one by one, and there is no map, absent
   elements are the identity, and it is whole. */
#define REDUCE_OF_PORTION_(NAME, KIND)                                                                      \
    REDUCE_DEVICE_ NAME##_result NAME##_of_portion_(const struct NAME##_portion_ *x, NAME##_input_ in_,     \
                                                    bool is_wide_) {                                        \
        struct NAME##_loaded_ shifted_;                                                                     \
        const struct NAME##_loaded_ *const loaded_ = is_wide_ && NAME##_has_wide_ ? &shifted_ : &x->x;      \
        const bool is_whole_ = NAME##_shifts_short_ && x->count_ >= NAME##_positions_;                      \
        is_wide_ = is_wide_ && NAME##_has_wide_;                                                            \
        if (is_wide_) REDUCE_SHIFT_WORDS_##KIND(NAME, &shifted_, x);                                        \
        if (is_wide_ ? !is_whole_ : NAME##_is_mapped_ != 0)                                                 \
            return NAME##_some_of_strand_(NAME##_loaded_at_(in_, loaded_), 0, x->count_, (size_t)x->i);     \
        return NAME##_is_light_ ? NAME##_whole_strand_(loaded_, in_, (size_t)x->i)                          \
                                : NAME##_loaded_strand_(loaded_, in_, (size_t)x->i);                        \
    }

/* void NAME_load_numbered_portion_(...): all lanes of a warp call. Each loads portion k, which belongs to
   the segment of lane owner. in: the group's elements. */
#define REDUCE_LOAD_NUMBERED_PORTION_(NAME)                                                                 \
    REDUCE_DEVICE_ void NAME##_load_numbered_portion_(struct NAME##_portion_ *to_, NAME##_input_ in_,       \
                                                      struct reduce_in_piece_ own_, unsigned k,             \
                                                      unsigned owner_,                                      \
                                                      bool is_wide_) {                                      \
        const bool needs_i_ = NAME##_is_mapped_ != 0;                                                       \
        const int at_ = __shfl_sync(~0u, own_.zero_, (int)owner_) + (int)(k * NAME##_positions_);           \
        const int end_ = __shfl_sync(~0u, own_.end_, (int)owner_);                                          \
        const int i = needs_i_ ? at_ - __shfl_sync(~0u, own_.begin_, (int)owner_) : 0;                      \
        NAME##_load_portion_(to_, NAME##_input_at_(in_, (size_t)at_), end_ - at_, i, is_wide_);             \
    }

/* void NAME_load_portions_(...): all lanes of a warp load portions of a piece, from number first on.
   place: where their results go in scratch. next: see reduce_owner_. All owners are found before the loads,
   and more than two loads have a branch each: without, nvcc waits between them. */
#define REDUCE_LOAD_PORTIONS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_load_portions_(struct NAME##_portion_ *x, unsigned *place_,                  \
                                              NAME##_input_ in_, struct reduce_in_piece_ own_,              \
                                              const struct reduce_piece_ *piece_, unsigned first_,          \
                                              unsigned *next_, bool is_wide_) {                             \
        unsigned owner_[NAME##_portions_at_once_];                                                          \
        reduce_owners_(owner_, NAME##_portions_at_once_, piece_->own_, first_, next_);                      \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_portions_at_once_; s++) {                                           \
            const unsigned at_ = first_ + s * REDUCE_WARP, k = at_ + threadIdx.x % REDUCE_WARP;             \
            place_[s] = k + (NAME##_pads_ ? owner_[s] : 0);                                                 \
            memset((void *)&x[s], 0, sizeof x[s]);                                                          \
            if (NAME##_portions_at_once_ <= 2 || at_ < piece_->count_)                                      \
                NAME##_load_numbered_portion_(&x[s], in_, own_, k, owner_[s], is_wide_);                    \
        }                                                                                                   \
    }

/* void NAME_portions_to_scratch_(...): all lanes of a warp load these portions and store their results in
   scratch. */
#define REDUCE_PORTIONS_TO_SCRATCH_(NAME)                                                                   \
    REDUCE_DEVICE_ void NAME##_portions_to_scratch_(NAME##_result *scratch_, NAME##_input_ in_,             \
                                                    struct reduce_in_piece_ own_,                           \
                                                    const struct reduce_piece_ *piece_, unsigned first_,    \
                                                    unsigned *next_, bool is_wide_) {                       \
        struct NAME##_portion_ x[NAME##_portions_at_once_];                                                 \
        unsigned place_[NAME##_portions_at_once_];                                                          \
        NAME##_load_portions_(x, place_, in_, own_, piece_, first_, next_, is_wide_);                       \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_portions_at_once_; s++)                                             \
            if (first_ + s * REDUCE_WARP < piece_->count_)                                                  \
                scratch_[place_[s]] = NAME##_of_portion_(&x[s], in_, is_wide_);                             \
    }

/* bool NAME_suits_(...): whether a segment suits wide loads, if there are any. in: the group's elements. */
#define REDUCE_SUITS_(NAME)                                                                                 \
    REDUCE_DEVICE_ bool NAME##_suits_(NAME##_input_ in_, struct reduce_readable_ around_,                   \
                                      struct reduce_near_ own_) {                                           \
        const unsigned apart_ = reduce_apart_(in_.in_, own_.begin_, NAME##_size_);                          \
        const bool is_aligned_ = NAME##_shifts_short_ || apart_ == 0;                                       \
        return own_.count_ == 0 || (is_aligned_ && reduce_is_inside_(own_, around_));                       \
    }

/* void NAME_piece_to_scratch_(...): all lanes of a warp store the results of all portions of a piece in
   scratch. suits: whether the lane's segment suits wide loads. */
#define REDUCE_PIECE_TO_SCRATCH_(NAME)                                                                      \
    REDUCE_DEVICE_ void NAME##_piece_to_scratch_(NAME##_result *scratch_, NAME##_input_ in_,                \
                                                 struct reduce_near_ segment_, bool suits_,                 \
                                                 const struct reduce_piece_ *piece_) {                      \
        const struct reduce_in_piece_ own_ = reduce_place_in_piece_(piece_, segment_, NAME##_positions_);   \
        const bool is_wide_ = NAME##_has_wide_ && __all_sync(~0u, !piece_->is_own_ || suits_);              \
        unsigned next_ = piece_->first_;                                                                    \
        __syncwarp(); /* what was in scratch is no longer needed */                                         \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned k = 0; k < piece_->count_; k += NAME##_portions_at_once_ * REDUCE_WARP)               \
            if (is_wide_)                                                                                   \
                NAME##_portions_to_scratch_(scratch_, in_, own_, piece_, k, &next_, true);                  \
            else                                                                                            \
                NAME##_portions_to_scratch_(scratch_, in_, own_, piece_, k, &next_, false);                 \
        __syncwarp();                                                                                       \
    }

/* T NAME_fold_eight_(...): one thread folds up to 8 of count neighbours: number k and every apart-th after
   it. */
#define REDUCE_FOLD_EIGHT_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_eight_(const NAME##_result *from_, unsigned count_,            \
                                                    unsigned k, unsigned apart_) {                          \
        const int left_ = (int)count_ - (int)k;                                                             \
        NAME##_result x[8];                                                                                 \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < 8; s++) {                                                                       \
            x[s] = NAME##_identity();                                                                       \
            if (left_ > s * (int)apart_) x[s] = from_[k + (unsigned)s * apart_];                            \
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
 * If each of 32 neighbouring segments, a set, has few elements, which fill words, the segments are a batch:
 * the warp copies their elements to its scratch by whole words, and each lane reduces its own segment there.
 * If all segments of a group are that short, two or four sets are a batch, as many as scratch holds.
 */

/* NAME_batch_portions_, NAME_batch_elements_: portions and elements of a segment in a batch at most.
   NAME_batch_wide_: elements at most where whole words suit it; with more, lanes of a batch read the same
   banks (measured). */
#define REDUCE_BATCH_LAYOUT_(NAME)                                                                          \
    enum {                                                                                                  \
        NAME##_batch_portions_ = 1 << NAME##_strand_bits_,                                                  \
        NAME##_batch_elements_ = (int)NAME##_batch_portions_ * NAME##_positions_,                           \
        NAME##_batch_wide_ = NAME##_size_ > 1 ? 48 / NAME##_size_ : 0                                       \
    };

/* T NAME_fold_batch_(...): one thread reduces a segment that scratch begins with. */
#define REDUCE_FOLD_BATCH_(NAME)                                                                            \
    REDUCE_DEVICE_ NAME##_result NAME##_fold_batch_(NAME##_input_ scratch_, unsigned count_) {              \
        NAME##_result x[NAME##_batch_portions_];                                                            \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < NAME##_batch_portions_; s++) {                                                  \
            x[s] = NAME##_identity();                                                                       \
            if (s * NAME##_positions_ < (int)count_)                                                        \
                x[s] = NAME##_some_of_strand_(scratch_, s * NAME##_positions_, (int)count_,                 \
                                              (size_t)(s * NAME##_positions_));                             \
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
#define REDUCE_BATCH_IN_SCRATCH_ZIP_WITH_ REDUCE_BATCH_IN_SCRATCH_ZIP_
#define REDUCE_BATCH_IN_SCRATCH_ZIP_(NAME)                                                                  \
    REDUCE_DEVICE_ NAME##_input_ NAME##_batch_in_scratch_(NAME##_input_ in_, const void *scratch_) {        \
        (void)scratch_;                                                                                     \
        return in_;                                                                                         \
    }

/* struct NAME_near_group_: what a warp knows of a near group. */
#define REDUCE_NEAR_GROUP_(NAME)                                                                            \
    struct NAME##_near_group_ {                                                                             \
        NAME##_input_ in_;                /* its elements */                                                \
        NAME##_result *out_;              /* its results */                                                 \
        NAME##_result *scratch_;          /* the warp's */                                                  \
        struct reduce_offsets_ offsets_;                                                                    \
        struct reduce_group_ group_;                                                                        \
        struct reduce_readable_ around_;                                                                    \
    };

/* void NAME_batch_results_(...): all lanes of a warp write the results of some sets of 32 segments, whose
   elements are in scratch, from element `from` on. own: the lane's segment of the first set, number l. */
#define REDUCE_BATCH_RESULTS_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_batch_results_(const struct NAME##_near_group_ *near_, unsigned from_,       \
                                              struct reduce_near_ own_, unsigned l, unsigned sets_) {       \
        const NAME##_input_ copy_ = NAME##_batch_in_scratch_(near_->in_, near_->scratch_);                  \
        REDUCE_NO_UNROLL_                                                                                   \
        for (;; own_ = reduce_near_in_(near_->offsets_, &near_->group_, l)) {                               \
            const NAME##_result x =                                                                         \
                NAME##_fold_batch_(NAME##_input_at_(copy_, own_.begin_ - from_), own_.count_);              \
            if (l < near_->group_.count_) near_->out_[l] = NAME##_final_(x);                                \
            if (--sets_ == 0) return;                                                                       \
            l += REDUCE_WARP;                                                                               \
        }                                                                                                   \
    }

/* bool NAME_suits_batch_(...): all lanes of a warp call, each with a segment: whether none of these is too
   long for a batch, and loads of whole words are no faster. apart: how many elements the segment's first word
   has before it. */
#define REDUCE_SUITS_BATCH_(NAME)                                                                           \
    REDUCE_DEVICE_ bool NAME##_suits_batch_(struct reduce_near_ own_, unsigned apart_) {                    \
        const bool is_wide_ = own_.count_ == 0 || (own_.count_ > NAME##_batch_wide_ && apart_ == 0);        \
        return __all_sync(~0u, own_.count_ <= NAME##_batch_elements_) && !__all_sync(~0u, is_wide_);        \
    }

/* bool NAME_by_batch_(...): all lanes of a warp call, each with its segment of the set that begins with
   number first. If this set and those behind it, `sets` in all, are a batch, writes their results. */
#define REDUCE_BY_BATCH_(NAME)                                                                              \
    REDUCE_DEVICE_ bool NAME##_by_batch_(const struct NAME##_near_group_ *near_, struct reduce_near_ own_,  \
                                         unsigned first_, unsigned sets_) {                                 \
        const unsigned next_ = REDUCE_MIN_(first_ + sets_ * REDUCE_WARP, near_->group_.count_);             \
        const unsigned apart_ = reduce_apart_(near_->in_.in_, own_.begin_, NAME##_size_);                   \
        if (!NAME##_suits_batch_(own_, apart_)) return false;                                               \
        const int from_ = (int)__shfl_sync(~0u, own_.begin_ - apart_, 0);                                   \
        const unsigned n = reduce_begin_in_(near_->offsets_, &near_->group_, next_) - (unsigned)from_;      \
        const unsigned words_ = (n + NAME##_positions_ - 1) / NAME##_positions_;                            \
        if (words_ > REDUCE_BATCH_WORDS_ || from_ < near_->around_.from_) return false;                     \
        if (from_ + (int)(words_ * NAME##_positions_) > near_->around_.end_) return false;                  \
        reduce_copy_words_((struct reduce_16_bytes_ *)(void *)near_->scratch_, near_->in_.in_ + from_,      \
                           words_);                                                                         \
        NAME##_batch_results_(near_, (unsigned)from_, own_, first_ + threadIdx.x % REDUCE_WARP, sets_);     \
        return true;                                                                                        \
    }

/* struct reduce_numbered_ NAME_number_portions_(...): all lanes of a warp number the portions of their
   segments. An empty segment has one. */
#define REDUCE_NUMBER_PORTIONS_(NAME)                                                                       \
    REDUCE_DEVICE_ struct reduce_numbered_ NAME##_number_portions_(struct reduce_near_ own_) {              \
        const unsigned portions_ = (own_.count_ + NAME##_positions_ - 1) / NAME##_positions_;               \
        return reduce_number_(portions_ > 0 ? portions_ : 1);                                               \
    }

/* T NAME_short_by_pieces_(...): all lanes of a warp call, each with a short segment, and get its result. */
#define REDUCE_SHORT_BY_PIECES_(NAME)                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_short_by_pieces_(NAME##_input_ in_, NAME##_result *scratch_,        \
                                                         struct reduce_near_ own_, bool suits_) {           \
        const struct reduce_numbered_ all_ = NAME##_number_portions_(own_);                                 \
        NAME##_result x = NAME##_identity();                                                                \
        REDUCE_NO_UNROLL_                                                                                   \
        for (unsigned l = 0; l < REDUCE_WARP;) {                                                            \
            const struct reduce_piece_ piece_ = reduce_piece_from_(all_, l, NAME##_scratch_portions_);      \
            NAME##_piece_to_scratch_(scratch_, in_, own_, suits_, &piece_);                                 \
            const NAME##_result y = NAME##_fold_piece_(scratch_, &piece_);                                  \
            if (piece_.is_own_) x = y;                                                                      \
            l = piece_.end_;                                                                                \
        }                                                                                                   \
        return x;                                                                                           \
    }

/* void NAME_tiny_results_(...): all lanes of a warp write the results of a group of tiny segments. */
#define REDUCE_TINY_RESULTS_(NAME)                                                                          \
    REDUCE_DEVICE_ void NAME##_tiny_results_(NAME##_input_ in_, const struct reduce_near_ *own_,            \
                                             unsigned count_, NAME##_result *out_, bool is_wide_) {         \
        unsigned l = threadIdx.x % REDUCE_WARP;                                                             \
        REDUCE_UNROLL_                                                                                      \
        for (int k = 0; k < REDUCE_OWN_SEGMENTS_; k += NAME##_tiny_at_once_) {                              \
            struct NAME##_portion_ x[NAME##_tiny_at_once_];                                                 \
            REDUCE_UNROLL_                                                                                  \
            for (int s = 0; s < NAME##_tiny_at_once_; s++)                                                  \
                NAME##_load_portion_(&x[s], NAME##_input_at_(in_, own_[k + s].begin_),                      \
                                     (int)own_[k + s].count_, 0, is_wide_);                                 \
            REDUCE_UNROLL_                                                                                  \
            for (int s = 0; s < NAME##_tiny_at_once_; s++, l += REDUCE_WARP)                                \
                if (l < count_) out_[l] = NAME##_final_(NAME##_of_portion_(&x[s], in_, is_wide_));          \
        }                                                                                                   \
    }

/* void NAME_empty_group_(...): all lanes of a warp write the results of a group of empty segments. */
#define REDUCE_EMPTY_GROUP_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_empty_group_(NAME##_result *out_, unsigned count_) {                         \
        const NAME##_result none_ = NAME##_final_(NAME##_identity());                                       \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < REDUCE_OWN_SEGMENTS_; s++) {                                               \
            const unsigned l = threadIdx.x % REDUCE_WARP + s * REDUCE_WARP;                                 \
            if (l < count_) out_[l] = none_;                                                                \
        }                                                                                                   \
    }

/* bool NAME_all_suit_(...): all lanes of a warp call: whether all segments of the group suit wide loads. */
#define REDUCE_ALL_SUIT_(NAME)                                                                              \
    REDUCE_DEVICE_ bool NAME##_all_suit_(NAME##_input_ in_, struct reduce_readable_ around_,                \
                                         const struct reduce_near_ *own_) {                                 \
        bool do_ = true;                                                                                    \
        REDUCE_UNROLL_                                                                                      \
        for (int s = 0; s < REDUCE_OWN_SEGMENTS_; s++) do_ = do_ && NAME##_suits_(in_, around_, own_[s]);   \
        return NAME##_has_wide_ && __all_sync(~0u, do_);                                                    \
    }

/* void NAME_tiny_group_(...): all lanes of a warp reduce a group of tiny segments by the loads that suit
   it. */
#define REDUCE_TINY_GROUP_(NAME)                                                                            \
    REDUCE_DEVICE_ void NAME##_tiny_group_(const struct NAME##_near_group_ *near_,                          \
                                           const struct reduce_near_ *own_) {                               \
        if (NAME##_all_suit_(near_->in_, near_->around_, own_))                                             \
            NAME##_tiny_results_(near_->in_, own_, near_->group_.count_, near_->out_, true);                \
        else                                                                                                \
            NAME##_tiny_results_(near_->in_, own_, near_->group_.count_, near_->out_, false);               \
    }

/* void NAME_set_by_pieces_(...): all lanes of a warp call, each with its segment, number l. Writes the
   results of those that have up to short elements. */
#define REDUCE_SET_BY_PIECES_(NAME)                                                                         \
    REDUCE_DEVICE_ void NAME##_set_by_pieces_(const struct NAME##_near_group_ *near_,                       \
                                              struct reduce_near_ own_, unsigned l, unsigned short_) {      \
        const bool is_short_ = l < near_->group_.count_ && own_.count_ <= short_;                           \
        if (!__any_sync(~0u, is_short_)) return;                                                            \
        if (!is_short_) own_.count_ = 0;                                                                    \
        const bool suits_ = NAME##_suits_(near_->in_, near_->around_, own_);                                \
        const NAME##_result x = NAME##_short_by_pieces_(near_->in_, near_->scratch_, own_, suits_);         \
        if (is_short_) near_->out_[l] = NAME##_final_(x);                                                   \
    }

/* void NAME_short_group_(...): all lanes of a warp reduce the segments of a group that have up to short
   elements. sets: how many sets are a batch. Where they are none, the group's other sets are taken alone. */
#define REDUCE_SHORT_GROUP_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_short_group_(const struct NAME##_near_group_ *near_, unsigned short_,        \
                                            unsigned sets_) {                                               \
        unsigned first_ = 0, done_;                                                                         \
        REDUCE_NO_UNROLL_                                                                                   \
        for (; first_ < near_->group_.count_; first_ += done_ * REDUCE_WARP) {                              \
            const unsigned l = first_ + threadIdx.x % REDUCE_WARP;                                          \
            const struct reduce_near_ own_ = reduce_near_in_(near_->offsets_, &near_->group_, l);           \
            done_ = sets_;                                                                                  \
            if (NAME##_shifts_ && NAME##_by_batch_(near_, own_, first_, sets_)) continue;                   \
            done_ = sets_ == 1;                                                                             \
            if (sets_ == 1) NAME##_set_by_pieces_(near_, own_, l, short_);                                  \
            sets_ = 1;                                                                                      \
        }                                                                                                   \
    }

/* struct NAME_near_group_ NAME_near_of_(...): what a warp knows of a near group, once it is loaded. */
#define REDUCE_NEAR_OF_(NAME)                                                                               \
    REDUCE_DEVICE_ struct NAME##_near_group_ NAME##_near_of_(struct NAME##_segments_scratch_ *scratch_,     \
                                                             NAME##_input_ in_,                             \
                                                             struct reduce_offsets_ offsets_,               \
                                                             struct reduce_group_ group_,                   \
                                                             NAME##_result *out_) {                         \
        const size_t first_ = scratch_->call_.first_, end_ = scratch_->call_.end_;                          \
        struct NAME##_near_group_ near_;                                                                    \
        near_.in_ = NAME##_input_at_(in_, group_.begin_);                                                   \
        REDUCE_COMPUTE_POINTER_ONCE_(near_.in_.in_); /* one register for the loads of all portions */       \
        near_.out_ = out_ + group_.first_;                                                                  \
        near_.scratch_ = (NAME##_result *)(void *)scratch_->of_warp_[threadIdx.x / REDUCE_WARP];            \
        near_.offsets_ = offsets_;                                                                          \
        near_.group_ = group_;                                                                              \
        near_.around_ = reduce_readable_around_(group_.begin_, first_, end_);                               \
        return near_;                                                                                       \
    }

/* void NAME_reduce_near_(...): all lanes of a warp reduce the segments of a near group that have up to short
   elements. own: the lane's; longest: the elements of the longest of these. */
#define REDUCE_REDUCE_NEAR_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_reduce_near_(const struct NAME##_near_group_ *near_,                         \
                                            const struct reduce_near_ *own_,                                \
                                            const struct reduce_own_share_ *share_,                         \
                                            unsigned longest_) {                                            \
        if (__all_sync(~0u, longest_ <= NAME##_positions_)) {                                               \
            NAME##_tiny_group_(near_, own_);                                                                \
            return;                                                                                         \
        }                                                                                                   \
        const bool are_batches_ = __all_sync(~0u, longest_ <= NAME##_batch_elements_);                      \
        NAME##_short_group_(near_, share_->short_, are_batches_ ? share_->sets_ : 1);                       \
    }

/* ---- What a NAME gets ---------------------------------------------------------------------------------- */

#define REDUCE_GENERATE_PORTIONS_(NAME, KIND)                                                               \
    REDUCE_SHORT_LAYOUT_(NAME, KIND) REDUCE_LINE_ REDUCE_PORTION_(NAME, KIND) REDUCE_LINE_                  \
    REDUCE_LOAD_EACH_(NAME, KIND) REDUCE_LINE_ REDUCE_LOAD_PORTION_(NAME, KIND) REDUCE_LINE_                \
    REDUCE_SOME_OF_STRAND_(NAME) REDUCE_LINE_ REDUCE_OF_PORTION_(NAME, KIND) REDUCE_LINE_                   \
    REDUCE_LOAD_NUMBERED_PORTION_(NAME) REDUCE_LINE_                                                        \
    REDUCE_LOAD_PORTIONS_(NAME) REDUCE_LINE_ REDUCE_PORTIONS_TO_SCRATCH_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_PIECES_(NAME)                                                                       \
    REDUCE_SUITS_(NAME) REDUCE_LINE_ REDUCE_PIECE_TO_SCRATCH_(NAME) REDUCE_LINE_                            \
    REDUCE_EACH_(NAME, REDUCE_FOLD_EIGHT_, REDUCE_FOLD_SOME_, REDUCE_FOLD_UNIT_, REDUCE_UNITS_TO_SCRATCH_)  \
    REDUCE_FOLD_UNITS_(NAME) REDUCE_LINE_ REDUCE_FOLD_PIECE_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_BATCHES_(NAME, KIND)                                                                \
    REDUCE_EACH_(NAME, REDUCE_BATCH_LAYOUT_, REDUCE_FOLD_BATCH_, REDUCE_NOTHING_, REDUCE_NOTHING_)          \
    REDUCE_BATCH_IN_SCRATCH_##KIND(NAME) REDUCE_LINE_                                                       \
    REDUCE_NEAR_GROUP_(NAME) REDUCE_LINE_                                                                   \
    REDUCE_EACH_(NAME, REDUCE_BATCH_RESULTS_, REDUCE_SUITS_BATCH_, REDUCE_BY_BATCH_, REDUCE_NOTHING_)

#define REDUCE_GENERATE_SHORT_SEGMENTS_(NAME)                                                               \
    REDUCE_EACH_(NAME, REDUCE_NUMBER_PORTIONS_, REDUCE_SHORT_BY_PIECES_, REDUCE_TINY_RESULTS_,              \
                 REDUCE_ALL_SUIT_)                                                                          \
    REDUCE_EACH_(NAME, REDUCE_EMPTY_GROUP_, REDUCE_TINY_GROUP_, REDUCE_SET_BY_PIECES_, REDUCE_SHORT_GROUP_) \
    REDUCE_NEAR_OF_(NAME) REDUCE_LINE_ REDUCE_REDUCE_NEAR_(NAME) REDUCE_LINE_

#define REDUCE_GENERATE_ALL_SHORT_SEGMENTS_(NAME, KIND)                                                     \
    REDUCE_GENERATE_PORTIONS_(NAME, KIND) REDUCE_GENERATE_PIECES_(NAME)                                     \
    REDUCE_GENERATE_BATCHES_(NAME, KIND) REDUCE_GENERATE_SHORT_SEGMENTS_(NAME)

#endif /* REDUCE_SHORT_SEGMENTS_CUH */
