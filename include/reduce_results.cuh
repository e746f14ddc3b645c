/*
 * reduce_results.cuh: argmin and argmax, two results in one pass, and moments; a companion of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_results.cuh"
 *     DEFINE_REDUCE_ARG(float, max)                              generates reduce_float_argmax
 *     DEFINE_REDUCE_MOMENTS(float)                               generates reduce_float_moments
 *     DEFINE_REDUCE(float, min)
 *     DEFINE_REDUCE(float, max)
 *     DEFINE_REDUCE_PAIR(extent, reduce_float_min, reduce_float_max)
 *
 *     reduce_float_argmax_result best;
 *     cudaError_t status = reduce_float_argmax(scores, n, &best);       scores[best.index] is best.value
 *
 * Each definition generates every function of DEFINE_REDUCE_MAP: NAME, NAME_async, NAME_cpu, NAME_block and
 * all others, with the same promise of the same bits everywhere. The manual of reduce.cuh holds for them too:
 * definitions stand at file scope, without a semicolon, and where REDUCE_HAVE_NAME is defined a second
 * definition generates nothing. All bytes of a result are determined, so memcmp may compare results, except
 * those of a pair with a user's struct that has padding.
 *
 * Each definition generates one more function:
 *
 *   NAME_result NAME_of(In x, size_t i)    returns element x, at index i, as an operand. Functions for warps,
 *                                          blocks and grids take operands, not elements:
 *                                          reduce_float_argmax_block(reduce_float_argmax_of(x, i))
 *
 * DEFINE_REDUCE_ARG(T, op)                 NAME is reduce_T_argop; op is min, max, fmin or fmax
 *
 *   T              is any integer or floating type of DEFINE_REDUCE; for fmin and fmax a floating type.
 *   NAME_result    has the members T value and int64_t index: the extreme element and its index.
 *   Ties           The lowest index wins. -0 and +0 are equal, as in NumPy's argmin and argmax; value is the
 *                  zero at that index. (For the core's min and max -0 is less than +0.)
 *   NaN            min and max find the first NaN, as NumPy's argmin and argmax do. fmin and fmax find a
 *                  number if there is one, as nanargmin and nanargmax do, else the first NaN. A NaN value has
 *                  the one bit pattern of reduce.cuh.
 *   No elements    give index -1, and as value the identity of op.
 *
 *   Operands must have different indices, and none may be negative. If two operands have the same index, the
 *   order of combination decides which one wins.
 *
 * DEFINE_REDUCE_PAIR(NAME, FIRST, SECOND)  two reductions of the same element type in one pass
 *
 *   FIRST, SECOND  are names of reductions that are already defined, in any way, also as pairs.
 *   NAME_result    has the members FIRST_result first and SECOND_result second, with the bits that FIRST and
 *                  SECOND give alone. It has at most 64 bytes.
 *
 * DEFINE_REDUCE_MOMENTS(T)                 NAME is reduce_T_moments
 *
 *   T              is any integer or floating type of DEFINE_REDUCE. Elements are converted to double.
 *   NAME_result    is struct reduce_moments for every T. Its members are doubles: count, mean, squares (the
 *                  sum of the squared deviations from the mean), min and max.
 *   Method         The formulas of Chan, Golub and LeVeque merge two parts. They stay accurate where
 *                  deviations are small compared with the mean.
 *   NaN            A NaN among the elements makes mean, squares, min and max NaN. An infinite element makes
 *                  squares NaN, and mean infinite, or NaN if there are infinities of both signs.
 *   No elements    give {0, 0, 0, +inf, -inf}.
 *   Compile time   with DEFINE_REDUCE_ROWS is mostly for segments. REDUCE_NO_SEGMENTS leaves them out.
 *
 *   double reduce_moments_variance(struct reduce_moments m)
 *                  returns squares / count, which is NumPy's var. NaN if count is 0.
 *   double reduce_moments_sample_variance(struct reduce_moments m)
 *                  returns squares / (count - 1), NumPy's var with ddof=1. NaN if count is 0 or 1.
 *
 * On the CPU alone T may also be long double. Its padding bytes are not determined.
 */
#ifndef REDUCE_RESULTS_CUH
#define REDUCE_RESULTS_CUH

#include "reduce.cuh"

/* ---- For all definitions ------------------------------------------------------------------------------- */

/* No macro may have the name of a result's member. */
#define REDUCE_CHECK_MEMBER_(name, member)                                                                  \
    REDUCE_ASSERT_(__builtin_strcmp(REDUCE_EXPANDED_(member), #member) == 0,                                \
                   name ": the result has a member " #member ", which is also a macro: undefine the macro")

/* Inputs of the kind OWN_: an array whose elements a definition adds by functions of its own:
     void NAME_add_own_(T *values, const In *x, size_t i)
         on the device: adds the elements of a strand's positions, the first of which has index i, to the
         strand's accumulators. A strand calls it in the order of indices, and before it adds single elements.
     void NAME_cpu_walk_own_(T *values, size_t columns, const In *in, size_t i, size_t end, size_t apart)
         on the CPU: does what walk_ of struct reduce_cpu_ does
     T NAME_begin_at_(size_t i, bool has_any)
     T NAME_combine_next_(T value, T operand)
     T NAME_end_at_(T value, size_t i)
     void NAME_combine_each_(T *values, const T *operands, int count)
     bool NAME_fold_at_once_(T *x, at, int width), NAME_folds_whole_
         on the device: as in reduce.cuh
   NAME_map_ and NAME_combine add single elements, at the ends of arrays, as in other definitions. What else
   the kind has is that of ARRAY_. */
#define REDUCE_ARRAYS_OWN_ REDUCE_ARRAYS_ARRAY_
#define REDUCE_MORE_OWN_ REDUCE_MORE_ARRAY_
#define REDUCE_INPUT_OWN_ REDUCE_INPUT_ARRAY_
#define REDUCE_MAPPED_OWN_ REDUCE_MAPPED_ARRAY_
#define REDUCE_RANGES_OWN_ REDUCE_RANGES_ARRAY_
#define REDUCE_WIDE_OWN_ REDUCE_WIDE_ARRAY_
#define REDUCE_FOLD_AT_ONCE_OWN_(NAME)
#define REDUCE_COMBINE_NEXT_OWN_(NAME)
#define REDUCE_ADD_LOADED_OWN_(NAME)                                                                        \
    REDUCE_DEVICE_ void NAME##_add_loaded_(NAME##_result *values_, const struct NAME##_loaded_ *x,          \
                                           NAME##_input_ in_, size_t i) {                                   \
        (void)in_;                                                                                          \
        NAME##_add_own_(values_, x->x, i);                                                                  \
    }

#define REDUCE_CPU_WALK_OWN_(NAME) NAME##_cpu_walk_
#define REDUCE_WALK_OWN_(NAME)                                                                              \
    REDUCE_HOST_ void NAME##_cpu_walk_(const struct reduce_cpu_ *cpu_, const void *in_, size_t i,           \
                                       size_t end_, size_t apart_, char *values_, size_t columns_) {        \
        const NAME##_input_ *const input_ = (const NAME##_input_ *)in_;                                     \
        (void)cpu_;                                                                                         \
        NAME##_cpu_walk_own_((NAME##_result *)(void *)values_, columns_, input_->in_, i, end_, apart_);     \
    }

#define REDUCE_CHECK_NUMBER_(name, T)                                                                       \
    REDUCE_CHECK_READABLE_(name, T)                                                                         \
    REDUCE_ASSERT_(REDUCE_IS_NUMBER_(T), name ": " #T " is not a number: define your own operator with "    \
                                              "DEFINE_REDUCE_MAP")                                          \
    REDUCE_CHECK_SWITCHES_(name, T)

/* As REDUCE_TRAITS_, for an operator that is not built in. */
#define REDUCE_TRAITS_OF_RESULT_(NAME, OPERATOR, COMMUTES, IS_EXACT, ENOUGH, IS_LIGHT)                      \
    enum {                                                                                                  \
        NAME##_converts_ = 0,                                                                               \
        NAME##_operator_ = OPERATOR,                                                                        \
        NAME##_is_built_in_ = COMMUTES,                                                                     \
        NAME##_is_exact_ = IS_EXACT,                                                                        \
        NAME##_enough_ = ENOUGH,                                                                            \
        NAME##_selects_ = false,                                                                            \
        NAME##_is_light_ = IS_LIGHT                                                                         \
    };

/* NAME_result NAME_of(In x, size_t i) */
#define REDUCE_OF_(NAME)                                                                                    \
    REDUCE_BOTH_ NAME##_result NAME##_of(NAME##_element x, size_t i) {                                      \
        return NAME##_map_(x, i);                                                                           \
    }

/* ---- Argmin and argmax --------------------------------------------------------------------------------- */

/* bool reduce_beats_op_type_(b, a): whether b wins against a, whatever their indices are. If neither beats
   the other, the lower index wins. */
#define REDUCE_BEATS_INTEGER_(op, name, T, before)                                                          \
    REDUCE_BOTH_ bool reduce_beats_##op##_##name(T b, T a) { return b before a; }

/* number: the operand that must not be a NaN if b wins. For min and max that is a: a NaN stays. For fmin and
   fmax it is b: a NaN never wins. */
#define REDUCE_BEATS_FLOATING_(op, name, T, before, number)                                                 \
    REDUCE_BOTH_ bool reduce_beats_##op##_##name(T b, T a) {                                                \
        return !(a before##= b) && number == number;                                                        \
    }

/* The same for halves and bfloat16, given as bits, where a GPU compares them without a conversion: b wins if
   `relation` holds between a and b. */
#ifdef __CUDA_ARCH__
#if REDUCE_ARCH_ >= 900
/* The bits of a value of two bytes. */
REDUCE_DEVICE_ uint16_t reduce_bits_of_half_(const void *x) {
    uint16_t bits_;
    memcpy(&bits_, x, sizeof bits_);
    return bits_;
}

#define REDUCE_COMPARES_HALVES_(T) (REDUCE_KIND_(T) == REDUCE_HALF_ || REDUCE_KIND_(T) == REDUCE_BFLOAT16_)
#define REDUCE_BEATS_HALF_(op, name, type, relation, number)                                                \
    REDUCE_DEVICE_ bool reduce_beats_##op##_##name(uint16_t b, uint16_t a) {                                \
        unsigned beats_;                                                                                    \
        asm("{ .reg .pred p; setp." relation type " p, %2, %1; setp.eq.and" type " p, %3, %3, p;"           \
            " selp.u32 %0, 1, 0, p; }" : "=r"(beats_) : "h"(b), "h"(a), "h"(number));                       \
        return beats_ != 0;                                                                                 \
    }
#define REDUCE_BEATS_HALVES_(beats, T, b, a)                                                                \
    (REDUCE_KIND_(T) == REDUCE_HALF_ ? beats##half_(reduce_bits_of_half_(&b), reduce_bits_of_half_(&a))     \
                                     : beats##bfloat16_(reduce_bits_of_half_(&b), reduce_bits_of_half_(&a)))
#endif
#endif
#ifndef REDUCE_COMPARES_HALVES_
#define REDUCE_COMPARES_HALVES_(T) false
#define REDUCE_BEATS_HALF_(op, name, type, relation, number)
#define REDUCE_BEATS_HALVES_(beats, T, b, a) false
#endif

#define REDUCE_BEATS_(op, before, relation, number)                                                         \
    REDUCE_BEATS_HALF_(op, half_, ".f16", relation, number)                                                 \
    REDUCE_BEATS_HALF_(op, bfloat16_, ".bf16", relation, number)                                            \
    REDUCE_BEATS_INTEGER_(op, small_, int, before)                                                          \
    REDUCE_BEATS_INTEGER_(op, signed_, long long, before)                                                   \
    REDUCE_BEATS_INTEGER_(op, unsigned_, unsigned long long, before)                                        \
    REDUCE_BEATS_FLOATING_(op, float_, float, before, number)                                               \
    REDUCE_BEATS_FLOATING_(op, double_, double, before, number)                                             \
    REDUCE_BEATS_FLOATING_(op, long_double_, reduce_long_double_, before, number)

#pragma push_macro("min")
#pragma push_macro("max")
#pragma push_macro("fmin")
#pragma push_macro("fmax")
#undef min
#undef max
#undef fmin
#undef fmax
REDUCE_BEATS_(min, <, "gtu", a)
REDUCE_BEATS_(max, >, "ltu", a)
REDUCE_BEATS_(fmin, <, "gtu", b)
REDUCE_BEATS_(fmax, >, "ltu", b)
#pragma pop_macro("min")
#pragma pop_macro("max")
#pragma pop_macro("fmin")
#pragma pop_macro("fmax")

/* Calls the function for the kind of T. Halves are compared as floats, integers of up to 2 bytes as int. */
#define REDUCE_BY_KIND_(function, T, b, a)                                                                  \
    (REDUCE_KIND_(T) == REDUCE_DOUBLE_        ? function##double_((double)(b), (double)(a))                 \
     : REDUCE_KIND_(T) == REDUCE_LONG_DOUBLE_ ? function##long_double_(REDUCE_AS_LONG_DOUBLE_(T, b),        \
                                                                       REDUCE_AS_LONG_DOUBLE_(T, a))        \
     : !REDUCE_IS_INTEGER_(T)                 ? function##float_((float)(b), (float)(a))                    \
     : sizeof(T) < 4                          ? function##small_((int)(b), (int)(a))                        \
     : REDUCE_IS_SIGNED_(T)                   ? function##signed_((long long)(b), (long long)(a))           \
                            : function##unsigned_((unsigned long long)(b), (unsigned long long)(a)))

/* NAME_element, NAME_result. The value shares a union with whole words, so that the struct has no padding. */
#define REDUCE_ARG_TYPES_(NAME, T)                                                                          \
    typedef T NAME##_value_;                                                                                \
    struct NAME##_found_ {                                                                                  \
        union {                                                                                             \
            NAME##_value_ value;                                                                            \
            uint64_t words_[(sizeof(NAME##_value_) + 7) / 8];                                               \
        };                                                                                                  \
        int64_t index;                                                                                      \
    };                                                                                                      \
    REDUCE_TYPE_(NAME, element, NAME##_value_)                                                              \
    REDUCE_TYPE_(NAME, result, struct NAME##_found_)                                                        \
    REDUCE_ARRAY_(NAME)

/* NAME_result NAME_found_at_(In x, uint64_t index): the result that is x at index. */
#define REDUCE_ARG_FOUND_AT_(NAME)                                                                          \
    REDUCE_BOTH_ NAME##_result NAME##_found_at_(NAME##_element x, uint64_t index_) {                        \
        NAME##_result found_;                                                                               \
        memset(&found_, 0, sizeof found_);                                                                  \
        memcpy(&found_, &x, sizeof x);                                                                      \
        found_.index = (int64_t)index_;                                                                     \
        return found_;                                                                                      \
    }

/* bool NAME_beats_(In b, In a) */
#define REDUCE_ARG_BEATS_(NAME, beats)                                                                      \
    REDUCE_BOTH_ bool NAME##_beats_(NAME##_element b, NAME##_element a) {                                   \
        if (REDUCE_COMPARES_HALVES_(NAME##_element))                                                        \
            return REDUCE_BEATS_HALVES_(beats, NAME##_element, b, a);                                       \
        return REDUCE_BY_KIND_(beats, NAME##_element, b, a);                                                \
    }

#define REDUCE_ARG_MAP_(NAME)                                                                               \
    enum { NAME##_is_mapped_ = 1, NAME##_computes_ = 0 };                                                   \
    REDUCE_BOTH_ NAME##_result NAME##_map_(NAME##_element x, size_t i) { return NAME##_found_at_(x, i); }

/* The identity has index -1, which is the greatest unsigned index: every element wins a tie with it. */
#define REDUCE_ARG_OPERATOR_(NAME, IDENTITY)                                                                \
    REDUCE_BOTH_ NAME##_result NAME##_identity(void) {                                                      \
        return NAME##_found_at_(IDENTITY, ~(uint64_t)0);                                                    \
    }                                                                                                       \
    REDUCE_BOTH_ NAME##_result NAME##_combine(NAME##_result a, NAME##_result b) {                           \
        const bool is_lower_ = (uint64_t)b.index < (uint64_t)a.index;                                       \
        const bool is_better_ = NAME##_beats_(b.value, a.value);                                            \
        const bool is_worse_ = NAME##_beats_(a.value, b.value);                                             \
        const bool is_b_ = is_better_ | (is_lower_ & !is_worse_);                                           \
        a.value = is_b_ ? b.value : a.value;                                                                \
        a.index = is_b_ ? b.index : a.index;                                                                \
        return a;                                                                                           \
    }

/* In NAME_cpu_extreme_(const In *x, size_t count): the best of count > 0 elements. Compilers vectorise its
   loops. */
#define REDUCE_ARG_CPU_EXTREME_(NAME, COMBINE)                                                              \
    REDUCE_HOST_ NAME##_element NAME##_cpu_extreme_(const NAME##_element *x, size_t count_) {               \
        NAME##_element best_[REDUCE_RUN_];                                                                  \
        for (size_t k = 0; k < REDUCE_RUN_; k++) best_[k] = x[k < count_ ? k : 0];                          \
        for (; count_ >= REDUCE_RUN_; count_ -= REDUCE_RUN_, x += REDUCE_RUN_)                              \
            for (size_t k = 0; k < REDUCE_RUN_; k++) best_[k] = COMBINE(NAME##_element, best_[k], x[k]);    \
        for (size_t k = 0; k < count_; k++) best_[k] = COMBINE(NAME##_element, best_[k], x[k]);             \
        for (size_t half_ = REDUCE_RUN_ / 2; half_ > 0; half_ /= 2)                                         \
            for (size_t k = 0; k < half_; k++)                                                              \
                best_[k] = COMBINE(NAME##_element, best_[k], best_[k + half_]);                             \
        return best_[0];                                                                                    \
    }

/* NAME_cpu_walk_own_: puts everything into the first accumulator, as no order shows. It looks for the index
   of a row's best only if that beats all rows before. */
#define REDUCE_ARG_CPU_WALK_OWN_(NAME)                                                                      \
    REDUCE_HOST_ void NAME##_cpu_walk_own_(NAME##_result *values_, size_t columns_,                         \
                                           const NAME##_element *in_, size_t i, size_t end_,                \
                                           size_t apart_) {                                                 \
        for (size_t k = 0; k < columns_; k++) values_[k] = NAME##_identity();                               \
        while (i < end_) {                                                                                  \
            const NAME##_element x = NAME##_cpu_extreme_(in_ + i, REDUCE_MIN_(columns_, end_ - i));         \
            if (values_->index < 0 || NAME##_beats_(x, values_->value)) {                                   \
                size_t k = i;                                                                               \
                while (NAME##_beats_(x, in_[k])) k++;                                                       \
                *values_ = NAME##_found_at_(in_[k], k);                                                     \
            }                                                                                               \
            i = end_ - i > apart_ ? i + apart_ : end_;                                                      \
        }                                                                                                   \
    }

#ifdef __CUDACC__

/* The greater of the upper halves, and the greater of the lower halves. */
REDUCE_DEVICE_ uint32_t reduce_greater_halves_(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
    return __vmaxu2(a, b);
#else
    const uint32_t low_ = a % 65536 > b % 65536 ? a % 65536 : b % 65536;
    return (a >> 16 > b >> 16 ? a >> 16 : b >> 16) << 16 | low_;
#endif
}

/* Two keys of 16 bits: the word's bytes 1 and 3 (is_odd), or 0 and 2, each above the low byte of a half of
   places. */
REDUCE_DEVICE_ uint32_t reduce_keys_(uint32_t word_, uint32_t places_, bool is_odd_) {
#ifdef __CUDA_ARCH__
    return __byte_perm(word_, places_, is_odd_ ? 0x3614 : 0x2604);
#else
    return ((is_odd_ ? word_ : word_ << 8) & 0xff00ff00) | places_;
#endif
}

/* The first of the greatest of 16 bytes in four words: its value << 8, and 15 minus its place below. */
REDUCE_DEVICE_ uint32_t reduce_greatest_byte_(const uint32_t *words_) {
    uint32_t best_ = 0;
    REDUCE_UNROLL_
    for (uint32_t w = 0; w < 4; w++) {
        const uint32_t even_ = reduce_keys_(words_[w], 0xd000f - w * 0x40004, false);
        const uint32_t odd_ = reduce_keys_(words_[w], 0xc000e - w * 0x40004, true);
        best_ = reduce_greater_halves_(best_, reduce_greater_halves_(even_, odd_));
    }
    return reduce_greater_halves_(best_, best_ >> 16) & 0xffff;
}

/* The first of the greatest of eight numbers of 16 bits: its value << 16, and 7 minus its place below. */
REDUCE_DEVICE_ uint32_t reduce_greatest_short_(const uint32_t *words_) {
    uint32_t best_ = 0;
    REDUCE_UNROLL_
    for (uint32_t w = 0; w < 4; w++) {
        const uint32_t even_ = words_[w] << 16 | (7 - 2 * w), odd_ = (words_[w] & 0xffff0000) | (6 - 2 * w);
        const uint32_t greater_ = even_ > odd_ ? even_ : odd_;
        best_ = greater_ > best_ ? greater_ : best_;
    }
    return best_;
}

/* The place of the best of 16 bytes of integers of 1 or 2 bytes, of several the first; *x becomes its value.
   Exclusive-or with the identity turns the operator's order into that of unsigned integers. */
REDUCE_DEVICE_ unsigned reduce_place_of_small_(void *x, const void *identity_, size_t size_) {
    const uint32_t last_ = 16 / (uint32_t)size_ - 1;
    uint32_t words_[4], zero_ = 0;
    memcpy(words_, x, sizeof words_);
    memcpy(&zero_, identity_, size_);
    REDUCE_UNROLL_
    for (int w = 0; w < 4; w++) words_[w] ^= zero_ * (size_ == 1 ? 0x01010101u : 0x00010001u);
    const uint32_t best_ = size_ == 1 ? reduce_greatest_byte_(words_) : reduce_greatest_short_(words_);
    zero_ ^= best_ >> 8 * size_;
    memcpy(x, &zero_, size_);
    return last_ - (best_ & last_);
}

/* void NAME_meet_(In *x, unsigned *places, int k, int l): x[k] becomes the better of x[k] and x[l], and
   places[k] its place. */
#define REDUCE_ARG_MEET_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_meet_(NAME##_element *x, unsigned *places_, int k, int l) {                  \
        const bool beats_ = NAME##_beats_(x[l], x[k]);                                                      \
        x[k] = beats_ ? x[l] : x[k];                                                                        \
        places_[k] = beats_ ? places_[l] : places_[k];                                                      \
    }

/* unsigned NAME_place_(In *x): the place of the best element of one load, of several the first; x[0] becomes
   the best. Neighbours meet first and the earlier of two equals stays, so x[k] always comes from a lower
   place than what lies behind it. */
#define REDUCE_ARG_PLACE_(NAME)                                                                             \
    enum { NAME##_in_load_ = REDUCE_POSITIONS(sizeof(NAME##_element)) };                                    \
    enum { NAME##_is_small_ = REDUCE_IS_INTEGER_(NAME##_element) && sizeof(NAME##_element) <= 2 };          \
    REDUCE_DEVICE_ unsigned NAME##_place_(NAME##_element *x) {                                              \
        const NAME##_element identity_ = NAME##_identity().value;                                           \
        unsigned places_[NAME##_in_load_];                                                                  \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned k = 0; k < NAME##_in_load_; k++) places_[k] = k;                                      \
        if (NAME##_is_small_) places_[0] = reduce_place_of_small_(x, &identity_, sizeof identity_);         \
        REDUCE_UNROLL_                                                                                      \
        for (int apart_ = NAME##_is_small_ ? NAME##_in_load_ : 1; apart_ < NAME##_in_load_; apart_ *= 2) {  \
            REDUCE_UNROLL_                                                                                  \
            for (int k = 0; k < NAME##_in_load_; k += 2 * apart_) NAME##_meet_(x, places_, k, k + apart_);  \
        }                                                                                                   \
        return places_[0];                                                                                  \
    }

/* What begins stands for the chunk's first element, with the identity's value: if no element of the chunk
   beats it, all of them have that value. No operand has a lower index, so it must beat the value. Only the
   lower 32 bits of the index follow; a chunk has less than 2^32 elements. */
#define REDUCE_ARG_BEGIN_AND_END_(NAME)                                                                     \
    REDUCE_DEVICE_ NAME##_result NAME##_begin_at_(size_t i, bool has_any_) {                                \
        NAME##_result begun_ = NAME##_identity();                                                           \
        if (has_any_) begun_.index = (int64_t)i;                                                            \
        return begun_;                                                                                      \
    }                                                                                                       \
    REDUCE_DEVICE_ NAME##_result NAME##_end_at_(NAME##_result value_, size_t i) {                           \
        const uint32_t behind_ = (uint32_t)value_.index - (uint32_t)i;                                      \
        if (value_.index >= 0) value_.index = (int64_t)(i + behind_);                                       \
        return value_;                                                                                      \
    }

#define REDUCE_ARG_COMBINE_NEXT_(NAME)                                                                      \
    REDUCE_DEVICE_ NAME##_result NAME##_combine_next_(NAME##_result value_, NAME##_result operand_) {       \
        const bool beats_ = NAME##_beats_(operand_.value, value_.value);                                    \
        const uint32_t low_ = (uint32_t)(beats_ ? operand_.index : value_.index);                           \
        value_.value = beats_ ? operand_.value : value_.value;                                              \
        value_.index = (int64_t)((uint64_t)value_.index >> 32 << 32 | low_);                                \
        return value_;                                                                                      \
    }

/* NAME_add_own_: the best element of a load must beat the value, unless there is none. */
#define REDUCE_ARG_ADD_OWN_(NAME)                                                                           \
    REDUCE_DEVICE_ void NAME##_add_own_(NAME##_result *best_, const NAME##_element *from_, size_t i) {      \
        NAME##_element x[NAME##_in_load_];                                                                  \
        memcpy((void *)x, from_, sizeof x);                                                                 \
        const unsigned place_ = NAME##_place_(x);                                                           \
        const bool is_taken_ = NAME##_beats_(x[0], best_->value) || best_->index < 0;                       \
        best_->value = is_taken_ ? x[0] : best_->value;                                                     \
        best_->index = is_taken_ ? (int64_t)(i + place_) : best_->index;                                    \
    }

/* All lanes of a warp: whether this lane's index is the lowest of the lanes that are in. Before sm_80
   no code calls it. */
REDUCE_DEVICE_ bool reduce_is_lowest_(uint64_t index_, bool is_in_) {
#if REDUCE_ARCH_ >= 800
    const unsigned high_ = is_in_ ? (unsigned)(index_ >> 32) : ~0u;
    is_in_ = high_ == __reduce_min_sync(~0u, high_) && is_in_;
    const unsigned low_ = is_in_ ? (unsigned)index_ : ~0u;
    return low_ == __reduce_min_sync(~0u, low_) && is_in_;
#else
    (void)index_;
    return is_in_;
#endif
}

/* void NAME_best_of_warp_(In *x): all lanes of a whole warp: *x becomes the best value, in every lane. */
#define REDUCE_ARG_BEST_OF_WARP_(NAME, COMBINE)                                                             \
    REDUCE_DEVICE_ void NAME##_best_of_warp_(NAME##_element *x) {                                           \
        const NAME##_element identity_ = NAME##_identity().value;                                           \
        const bool at_once_ = REDUCE_ARCH_ >= 800 && REDUCE_IS_INTEGER_(NAME##_element);                    \
        if (at_once_)                                                                                       \
            reduce_by_instruction_(                                                                         \
                x, reduce_code_(&identity_, sizeof *x, REDUCE_INTEGER_, REDUCE_MIN_MAX_));                  \
        REDUCE_UNROLL_                                                                                      \
        for (int half_ = at_once_ ? 0 : REDUCE_WARP / 2; half_ > 0; half_ /= 2) {                           \
            NAME##_element other_ = *x;                                                                     \
            reduce_shuffle_(&other_, sizeof other_, 0, half_);                                              \
            *x = COMBINE(NAME##_element, *x, other_);                                                       \
        }                                                                                                   \
    }

/* NAME_fold_at_once_: finds the best value, then the lane that has it: of several lanes the one with the
   lowest index. */
#define REDUCE_ARG_FOLD_AT_ONCE_(NAME)                                                                      \
    enum { NAME##_folds_whole_ = REDUCE_ARCH_ >= 800 };                                                     \
    REDUCE_DEVICE_ bool NAME##_fold_at_once_(NAME##_result *x, struct reduce_place_ at_, int width_) {      \
        NAME##_element best_ = x->value;                                                                    \
        if (!NAME##_folds_whole_ || !at_.has_whole_warps_ || width_ != REDUCE_WARP) return false;           \
        NAME##_best_of_warp_(&best_);                                                                       \
        const bool is_best_ = !NAME##_beats_(best_, x->value);                                              \
        unsigned lanes_ = __ballot_sync(~0u, is_best_);                                                     \
        if ((lanes_ & (lanes_ - 1)) != 0)                                                                   \
            lanes_ = __ballot_sync(~0u, reduce_is_lowest_((uint64_t)x->index, is_best_));                   \
        reduce_shuffle_(x, sizeof *x, __ffs((int)lanes_) - 1, 0);                                           \
        return true;                                                                                        \
    }

#define REDUCE_ARG_ON_GPU_(NAME, COMBINE)                                                                   \
    REDUCE_ARG_BEST_OF_WARP_(NAME, COMBINE) REDUCE_LINE_ REDUCE_ARG_FOLD_AT_ONCE_(NAME) REDUCE_LINE_        \
    REDUCE_ARG_MEET_(NAME) REDUCE_LINE_ REDUCE_ARG_PLACE_(NAME) REDUCE_LINE_                                \
    REDUCE_ARG_BEGIN_AND_END_(NAME) REDUCE_LINE_ REDUCE_ARG_COMBINE_NEXT_(NAME) REDUCE_LINE_                \
    REDUCE_COMBINE_EACH_(NAME) REDUCE_LINE_ REDUCE_ARG_ADD_OWN_(NAME) REDUCE_LINE_
#else
#define REDUCE_ARG_ON_GPU_(NAME, COMBINE)
#endif

#define REDUCE_ARG_FINAL_(NAME)                                                                             \
    REDUCE_BOTH_ NAME##_result NAME##_final_(NAME##_result x) {                                             \
        NAME##_element value_ = x.value;                                                                    \
        reduce_canonical_(&value_, REDUCE_KIND_(NAME##_element));                                           \
        return NAME##_found_at_(value_, (uint64_t)x.index);                                                 \
    }

#define REDUCE_CHECK_ARG_(name, op, T)                                                                      \
    REDUCE_CHECK_MEMBER_(name, value)                                                                       \
    REDUCE_CHECK_MEMBER_(name, index)                                                                       \
    REDUCE_ASSERT_(REDUCE_OPERATOR_NAMED_(op) == REDUCE_MIN_MAX_ ||                                         \
                       REDUCE_IS_FMIN_FMAX_(REDUCE_OPERATOR_NAMED_(op)),                                    \
                   name ": there is no arg" op ": use min, max, fmin or fmax")                              \
    REDUCE_CHECK_NUMBER_(name, T)                                                                           \
    REDUCE_ASSERT_(!REDUCE_IS_FMIN_FMAX_(REDUCE_OPERATOR_NAMED_(op)) || !REDUCE_IS_INTEGER_(T),             \
                   name ": arg" op " needs a floating-point type: use min or max")

#define REDUCE_DEFINE_ARG_(NAME, T, IDENTITY, COMBINE, beats)                                               \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_                                                                   \
    REDUCE_ARG_TYPES_(NAME, T) REDUCE_LINE_                                                                 \
    REDUCE_ARG_FOUND_AT_(NAME) REDUCE_LINE_                                                                 \
    REDUCE_ARG_MAP_(NAME) REDUCE_LINE_                                                                      \
    REDUCE_ARG_BEATS_(NAME, beats) REDUCE_LINE_                                                             \
    REDUCE_ARG_OPERATOR_(NAME, IDENTITY) REDUCE_LINE_                                                       \
    REDUCE_ARG_FINAL_(NAME) REDUCE_LINE_                                                                    \
    REDUCE_ARG_CPU_EXTREME_(NAME, COMBINE) REDUCE_LINE_ REDUCE_ARG_CPU_WALK_OWN_(NAME) REDUCE_LINE_         \
    REDUCE_WALK_OWN_(NAME) REDUCE_LINE_ REDUCE_OF_(NAME) REDUCE_LINE_                                       \
    REDUCE_TRAITS_OF_RESULT_(NAME, REDUCE_CUSTOM_, 1,                                                       \
                             REDUCE_KIND_(NAME##_element) != REDUCE_LONG_DOUBLE_, 1, 0)                     \
    REDUCE_LINE_ REDUCE_ARG_ON_GPU_(NAME, COMBINE) REDUCE_GENERATE_(NAME, OWN_)

#undef DEFINE_REDUCE_ARG
#define DEFINE_REDUCE_ARG(T, op)                                                                            \
    REDUCE_CHECK_PLACE_("reduce_" #T "_arg" #op) REDUCE_LINE_                                               \
    REDUCE_CHECK_WORD_(#T) REDUCE_LINE_                                                                     \
    REDUCE_CHECK_ARG_("reduce_" #T "_arg" #op, #op, T) REDUCE_LINE_                                         \
    REDUCE_UNLESS_(REDUCE_HAVE_reduce_##T##_arg##op, REDUCE_DEFINE_ARG_)                                    \
    (reduce_##T##_arg##op, T, REDUCE_IDENTITY_##op(T), REDUCE_COMBINE_##op, reduce_beats_##op##_)

/* ---- Two results in one pass --------------------------------------------------------------------------- */

#ifdef __cplusplus
#define REDUCE_IS_SAME_(T, other) __is_same(T, other)
#else
#define REDUCE_IS_SAME_(T, other) __builtin_types_compatible_p(T, other)
#endif

/* The size of a T rounded up to the alignment of another type: so neither has padding before or behind it. */
#define REDUCE_PADDED_(T, other)                                                                            \
    ((sizeof(T) + REDUCE_ALIGNMENT_(other) - 1) / REDUCE_ALIGNMENT_(other) * REDUCE_ALIGNMENT_(other))

/* A pair's halves read one array, without a context, and are no exact sums. */
#define REDUCE_CHECK_HALF_(name, HALF)                                                                      \
    REDUCE_CHECK_DEFINED_(name, HALF)                                                                       \
    REDUCE_ASSERT_(REDUCE_IS_KIND_(HALF, ARRAY_),                                                           \
                   name ": " #HALF " has two arrays or a context, or is exact: a pair is of one array")

#define REDUCE_CHECK_PAIR_(name, FIRST, SECOND)                                                             \
    REDUCE_CHECK_MEMBER_(name, first)                                                                       \
    REDUCE_CHECK_MEMBER_(name, second)                                                                      \
    REDUCE_CHECK_HALF_(name, FIRST)                                                                         \
    REDUCE_CHECK_HALF_(name, SECOND)                                                                        \
    REDUCE_ASSERT_(REDUCE_IS_SAME_(FIRST##_element, SECOND##_element),                                      \
                   name ": " #FIRST " and " #SECOND " reduce elements of different types")                  \
    REDUCE_ASSERT_(REDUCE_PADDED_(FIRST##_result, SECOND##_result) +                                        \
                   REDUCE_PADDED_(SECOND##_result, FIRST##_result) <= REDUCE_MAX_SIZE,                      \
                   name ": together the results of " #FIRST " and " #SECOND " are larger than 64 bytes")

#define REDUCE_PAIR_TYPES_(NAME, FIRST, SECOND)                                                             \
    struct NAME##_pair_ {                                                                                   \
        union {                                                                                             \
            FIRST##_result first;                                                                           \
            unsigned char first_padded_[REDUCE_PADDED_(FIRST##_result, SECOND##_result)];                   \
        };                                                                                                  \
        union {                                                                                             \
            SECOND##_result second;                                                                         \
            unsigned char second_padded_[REDUCE_PADDED_(SECOND##_result, FIRST##_result)];                  \
        };                                                                                                  \
    };                                                                                                      \
    REDUCE_TYPE_(NAME, element, FIRST##_element)                                                            \
    REDUCE_TYPE_(NAME, result, struct NAME##_pair_)                                                         \
    REDUCE_ARRAY_(NAME)

/* NAME_result NAME_joined_(FIRST_result a, SECOND_result b): the pair, with all other bytes 0. */
#define REDUCE_PAIR_JOINED_(NAME, FIRST, SECOND)                                                            \
    REDUCE_BOTH_ NAME##_result NAME##_joined_(FIRST##_result a, SECOND##_result b) {                        \
        NAME##_result x;                                                                                    \
        memset(&x, 0, sizeof x);                                                                            \
        memcpy(x.first_padded_, &a, sizeof a);                                                              \
        memcpy(x.second_padded_, &b, sizeof b);                                                             \
        return x;                                                                                           \
    }

/* NAME_map_: each half's operand, rounded where NAME_operand_at_ of that half rounds it. Without CUDA the
   half need not be rounded, because the CPU stores operands between map and operator. */
#ifdef __CUDACC__
#define REDUCE_ROUND_HALF_(half) reduce_round_(&(half), sizeof(half))
#else
#define REDUCE_ROUND_HALF_(half) (void)0
#endif

#define REDUCE_PAIR_MAP_(NAME, FIRST, SECOND)                                                               \
    enum { NAME##_is_mapped_ = 1, NAME##_computes_ = 0 };                                                   \
    REDUCE_BOTH_ NAME##_result NAME##_map_(NAME##_element x, size_t i) {                                    \
        FIRST##_result first_ = FIRST##_map_(x, i);                                                         \
        SECOND##_result second_ = SECOND##_map_(x, i);                                                      \
        if (FIRST##_computes_ && !REDUCE_IS_INTEGER_(FIRST##_result)) REDUCE_ROUND_HALF_(first_);           \
        if (SECOND##_computes_ && !REDUCE_IS_INTEGER_(SECOND##_result)) REDUCE_ROUND_HALF_(second_);        \
        return NAME##_joined_(first_, second_);                                                             \
    }

#define REDUCE_PAIR_OPERATOR_(NAME, FIRST, SECOND)                                                          \
    REDUCE_BOTH_ NAME##_result NAME##_identity(void) {                                                      \
        return NAME##_joined_(FIRST##_identity(), SECOND##_identity());                                     \
    }                                                                                                       \
    REDUCE_BOTH_ NAME##_result NAME##_combine(NAME##_result a, NAME##_result b) {                           \
        return NAME##_joined_(FIRST##_combine(a.first, b.first), SECOND##_combine(a.second, b.second));     \
    }                                                                                                       \
    REDUCE_BOTH_ NAME##_result NAME##_final_(NAME##_result x) {                                             \
        return NAME##_joined_(FIRST##_final_(x.first), SECOND##_final_(x.second));                          \
    }

#define REDUCE_ARE_BOTH_(FIRST, SECOND, trait) ((int)FIRST##_##trait != 0 && (int)SECOND##_##trait != 0)

/* The operator of a pair: only land and lor matter, which change a value that is alone. */
#define REDUCE_IS_LAND_LOR_(NAME) ((int)NAME##_operator_ == REDUCE_LAND_LOR_)
#define REDUCE_OPERATOR_OF_BOTH_(FIRST, SECOND)                                                             \
    (REDUCE_IS_LAND_LOR_(FIRST) || REDUCE_IS_LAND_LOR_(SECOND) ? REDUCE_LAND_LOR_ : REDUCE_CUSTOM_)

#define REDUCE_DEFINE_PAIR_(NAME, FIRST, SECOND)                                                            \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_                                                                   \
    REDUCE_PAIR_TYPES_(NAME, FIRST, SECOND) REDUCE_LINE_                                                    \
    REDUCE_PAIR_JOINED_(NAME, FIRST, SECOND) REDUCE_LINE_                                                   \
    REDUCE_PAIR_MAP_(NAME, FIRST, SECOND) REDUCE_LINE_                                                      \
    REDUCE_PAIR_OPERATOR_(NAME, FIRST, SECOND) REDUCE_LINE_                                                 \
    REDUCE_OF_(NAME) REDUCE_LINE_                                                                           \
    REDUCE_TRAITS_OF_RESULT_(NAME, REDUCE_OPERATOR_OF_BOTH_(FIRST, SECOND),                                 \
                             REDUCE_ARE_BOTH_(FIRST, SECOND, is_built_in_),                                 \
                             REDUCE_ARE_BOTH_(FIRST, SECOND, is_exact_), REDUCE_ENOUGH_,                    \
                             REDUCE_ARE_BOTH_(FIRST, SECOND, is_light_) && sizeof(NAME##_result) <= 8)      \
    REDUCE_LINE_                                                                                            \
    REDUCE_GENERATE_(NAME, ARRAY_)

#undef DEFINE_REDUCE_PAIR
#define DEFINE_REDUCE_PAIR(NAME, FIRST, SECOND)                                                             \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                                 \
    REDUCE_CHECK_PAIR_(#NAME, FIRST, SECOND) REDUCE_LINE_                                                   \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_PAIR_)                                                 \
    (NAME, FIRST, SECOND)

/* ---- Moments ------------------------------------------------------------------------------------------- */

/* Users may have macros of the members' names. */
#pragma push_macro("count")
#pragma push_macro("mean")
#pragma push_macro("squares")
#pragma push_macro("min")
#pragma push_macro("max")
#undef count
#undef mean
#undef squares
#undef min
#undef max

struct reduce_moments {
    double count;    /* of elements: a whole number */
    double mean;     /* sum / count */
    double squares;  /* the sum of the squared deviations from the mean */
    double min, max; /* as the core's min and max */
};

REDUCE_BOTH_ struct reduce_moments reduce_no_moments_(void) {
    const struct reduce_moments none_ = {0, 0, 0, (double)reduce_infinity_(), -(double)reduce_infinity_()};
    return none_;
}

/* The moments of one element. x - x is NaN if x is infinite or a NaN. */
REDUCE_BOTH_ struct reduce_moments reduce_moments_of_(double x) {
    const struct reduce_moments one_ = {1, x, x - x, x, x};
    return one_;
}

/* A product that the compiler cannot fuse with a sum. */
REDUCE_BOTH_ double reduce_product_(double a, double b) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return reduce_rounded_double(a * b);
#endif
}

/* Merges a mean and squares into an accumulator. w is the weight of that mean, and share is w times the
   number of elements in the accumulator. If the difference of the means overflows or is a NaN, the mean is
   the sum of both means times their weights. Every product is rounded before it is added. */
REDUCE_BOTH_ void reduce_weigh_(struct reduce_moments *into_, double mean_, double squares_, double w,
                                double share_) {
    const double apart_ = mean_ - into_->mean, square_ = reduce_product_(apart_ * apart_, share_);
    if (__builtin_fabs(apart_) < (double)reduce_infinity_())
        into_->mean += reduce_product_(apart_, w);
    else
        into_->mean = reduce_product_(into_->mean, 1 - w) + reduce_product_(mean_, w);
    into_->squares = into_->squares + squares_ + square_;
}

/* Most merges of a fold are of equal counts, and need no division. Most accumulators of a strand have no
   extremes: see reduce_add_numbers_. */
REDUCE_BOTH_ struct reduce_moments reduce_merged_moments_(struct reduce_moments a, struct reduce_moments b) {
    double w = 0.5;
    if (a.count != b.count) {
        if (a.count == 0) return b;
        if (b.count == 0) return a;
        w = b.count / (a.count + b.count);
    }
    reduce_weigh_(&a, b.mean, b.squares, w, a.count * w);
    a.count += b.count;
    if (!(b.min > b.max)) {
        a.min = reduce_minimum_double_(a.min, b.min);
        a.max = reduce_maximum_double_(a.max, b.max);
    }
    return a;
}

#ifdef __CUDACC__

/* Adds each of count elements to an accumulator of its own; low and high are their extremes. All accumulators
   have the same count, so that one division serves all. The first accumulator gets all extremes, as their
   order does not show. */
REDUCE_DEVICE_ void reduce_add_numbers_(struct reduce_moments *values_, const double *x, int count_,
                                        double low_, double high_) {
    const double before_ = values_[0].count, all_ = before_ + 1, w = 1 / all_, share_ = before_ * w;
    double apart_[16];
    bool are_near_ = true;
    REDUCE_UNROLL_
    for (int k = 0; k < count_; k++) {
        apart_[k] = x[k] - values_[k].mean;
        are_near_ = are_near_ && __builtin_fabs(apart_[k]) < (double)reduce_infinity_();
        values_[k].count = all_;
    }
    if (before_ == 0) {
        REDUCE_UNROLL_
        for (int k = 0; k < count_; k++) values_[k].mean = x[k], values_[k].squares = x[k] - x[k];
    } else if (are_near_) { /* and finite: x - x is 0 */
        REDUCE_UNROLL_
        for (int k = 0; k < count_; k++) {
            values_[k].squares += reduce_product_(apart_[k] * apart_[k], share_);
            values_[k].mean += reduce_product_(apart_[k], w);
        }
    } else {
        REDUCE_UNROLL_
        for (int k = 0; k < count_; k++) reduce_weigh_(&values_[k], x[k], x[k] - x[k], w, share_);
    }
    values_[0].min = reduce_minimum_double_(values_[0].min, low_);
    values_[0].max = reduce_maximum_double_(values_[0].max, high_);
}

/* The extremes of count numbers. are_floats: they are floats, whose extremes take fewer instructions. */
REDUCE_DEVICE_ void reduce_extremes_(double *low_, double *high_, const double *x, int count_,
                                     bool are_floats_) {
    float least_ = (float)x[0], most_ = (float)x[0];
    *low_ = *high_ = x[0];
    REDUCE_UNROLL_
    for (int k = 1; k < count_; k++) {
        if (are_floats_) {
            least_ = REDUCE_COMBINE_min(float, least_, (float)x[k]);
            most_ = REDUCE_COMBINE_max(float, most_, (float)x[k]);
        } else {
            *low_ = reduce_minimum_double_(*low_, x[k]);
            *high_ = reduce_maximum_double_(*high_, x[k]);
        }
    }
    if (are_floats_) *low_ = (double)least_, *high_ = (double)most_;
}

/* The same as reduce_add_numbers_ for the moments of single numbers. */
REDUCE_DEVICE_ void reduce_add_each_(struct reduce_moments *values_, const struct reduce_moments *operands_,
                                     int count_, bool are_floats_) {
    double x[16], low_, high_;
    REDUCE_UNROLL_
    for (int k = 0; k < count_; k++) x[k] = operands_[k].mean;
    reduce_extremes_(&low_, &high_, x, count_, are_floats_);
    reduce_add_numbers_(values_, x, count_, low_, high_);
}

#endif /* __CUDACC__ */

/* The accumulators of the columns that the CPU walks together. They have the same count. */
struct reduce_many_moments_ {
    double mean_[REDUCE_COLUMNS_(struct reduce_moments)], squares_[REDUCE_COLUMNS_(struct reduce_moments)],
        min_[REDUCE_COLUMNS_(struct reduce_moments)], max_[REDUCE_COLUMNS_(struct reduce_moments)];
};

REDUCE_HOST_ struct reduce_moments reduce_moments_at_(const struct reduce_many_moments_ *columns_, size_t k,
                                                      double count_) {
    const struct reduce_moments m_ = {count_, columns_->mean_[k], columns_->squares_[k], columns_->min_[k],
                                      columns_->max_[k]};
    return m_;
}

/* Adds one element to each of count columns from k on, at most REDUCE_RUN_. Each column has before > 0
   elements, so that one division serves all. The bits are those of reduce_merged_moments_. */
REDUCE_HOST_ void reduce_merge_many_(struct reduce_many_moments_ *columns_, const double *x, size_t k,
                                     size_t count_, double before_) {
    double steps_[REDUCE_RUN_], squares_[REDUCE_RUN_], w = 1 / (before_ + 1), share_ = before_ * w;
    double *const mean_ = columns_->mean_ + k, *const sum_ = columns_->squares_ + k;
    int far_ = 0;
    for (size_t l = 0; l < count_; l++) {
        const double apart_ = x[l] - mean_[l];
        steps_[l] = apart_ * w;
        squares_[l] = apart_ * apart_ * share_;
        far_ |= !(__builtin_fabs(apart_) < (double)reduce_infinity_());
    }
    REDUCE_HIDE_VALUES_(steps_);
    REDUCE_HIDE_VALUES_(squares_);
    for (size_t l = 0; l < count_ && far_; l++) {
        const struct reduce_moments before_it_ = reduce_moments_at_(columns_, k + l, before_);
        const struct reduce_moments merged_ = reduce_merged_moments_(before_it_, reduce_moments_of_(x[l]));
        mean_[l] = merged_.mean, sum_[l] = merged_.squares;
    }
    for (size_t l = 0; l < count_ && !far_; l++) mean_[l] += steps_[l], sum_[l] += squares_[l];
}

/* Adds a row: an element to each of the first count columns, which have before elements each. */
REDUCE_HOST_ void reduce_merge_row_(struct reduce_many_moments_ *columns_, const double *x, size_t count_,
                                    double before_) {
    for (size_t k = 0; k < count_; k++) {
        columns_->min_[k] = reduce_minimum_double_(columns_->min_[k], x[k]);
        columns_->max_[k] = reduce_maximum_double_(columns_->max_[k], x[k]);
    }
    for (size_t k = 0; k < count_ && before_ == 0; k++)
        columns_->mean_[k] = x[k], columns_->squares_[k] = x[k] - x[k];
    for (size_t k = 0; k < count_ && before_ > 0; k += REDUCE_RUN_)
        reduce_merge_many_(columns_, x + k, k, REDUCE_MIN_(count_ - k, REDUCE_RUN_), before_);
}

REDUCE_HOST_ void reduce_begin_many_(struct reduce_many_moments_ *columns_) {
    const struct reduce_moments none_ = reduce_no_moments_();
    for (size_t k = 0; k < REDUCE_COUNT_(columns_->mean_); k++) {
        columns_->mean_[k] = none_.mean, columns_->squares_[k] = none_.squares;
        columns_->min_[k] = none_.min, columns_->max_[k] = none_.max;
    }
}

REDUCE_BOTH_ struct reduce_moments reduce_final_moments_(struct reduce_moments x) {
    reduce_canonical_(&x.mean, REDUCE_DOUBLE_);
    reduce_canonical_(&x.squares, REDUCE_DOUBLE_);
    reduce_canonical_(&x.min, REDUCE_DOUBLE_);
    reduce_canonical_(&x.max, REDUCE_DOUBLE_);
    return x;
}

/* squares / divisor, or NaN unless the divisor is positive. */
REDUCE_BOTH_ double reduce_moments_quotient_(double squares_, double divisor_) {
    double x = divisor_ > 0 ? squares_ / divisor_ : (double)reduce_nan_();
    reduce_canonical_(&x, REDUCE_DOUBLE_);
    return x;
}

/* The mean squared deviation from the mean: NumPy's var. It is NaN without elements. */
REDUCE_BOTH_ double reduce_moments_variance(struct reduce_moments m_) {
    return reduce_moments_quotient_(m_.squares, m_.count);
}

/* An unbiased estimate from a sample: NumPy's var with ddof=1. It is NaN with fewer than two elements. */
REDUCE_BOTH_ double reduce_moments_sample_variance(struct reduce_moments m_) {
    return reduce_moments_quotient_(m_.squares, m_.count - 1);
}

#pragma pop_macro("count")
#pragma pop_macro("mean")
#pragma pop_macro("squares")
#pragma pop_macro("min")
#pragma pop_macro("max")

#define REDUCE_MOMENTS_OPERATOR_(NAME)                                                                      \
    enum { NAME##_is_mapped_ = 1, NAME##_computes_ = 0 };                                                   \
    REDUCE_BOTH_ NAME##_result NAME##_map_(NAME##_element x, size_t i) {                                    \
        (void)i;                                                                                            \
        return reduce_moments_of_((double)x);                                                               \
    }                                                                                                       \
    REDUCE_BOTH_ NAME##_result NAME##_identity(void) { return reduce_no_moments_(); }                       \
    REDUCE_BOTH_ NAME##_result NAME##_combine(NAME##_result a, NAME##_result b) {                           \
        return reduce_merged_moments_(a, b);                                                                \
    }                                                                                                       \
    REDUCE_BOTH_ NAME##_result NAME##_final_(NAME##_result x) { return reduce_final_moments_(x); }

#define REDUCE_MOMENTS_CPU_WALK_OWN_(NAME)                                                                  \
    REDUCE_HOST_ void NAME##_cpu_walk_own_(NAME##_result *values_, size_t many_, const NAME##_element *in_, \
                                           size_t i, size_t end_, size_t apart_) {                          \
        struct reduce_many_moments_ columns_;                                                               \
        double x[REDUCE_COLUMNS_(NAME##_result)];                                                           \
        size_t rows_ = 0, last_ = 0;                                                                        \
        reduce_begin_many_(&columns_);                                                                      \
        for (; i < end_; i = end_ - i > apart_ ? i + apart_ : end_) {                                       \
            last_ = REDUCE_MIN_(many_, end_ - i);                                                           \
            for (size_t k = 0; k < last_; k++) x[k] = (double)in_[i + k];                                   \
            reduce_merge_row_(&columns_, x, last_, (double)rows_++);                                        \
        }                                                                                                   \
        for (size_t k = 0; k < many_; k++)                                                                  \
            values_[k] = reduce_moments_at_(&columns_, k, (double)(k < last_ ? rows_ : rows_ - 1));         \
    }

#ifdef __CUDACC__
#define REDUCE_MOMENTS_FOLD_AT_ONCE_(NAME)                                                                  \
    enum { NAME##_folds_whole_ = 0 };                                                                       \
    REDUCE_DEVICE_ bool NAME##_fold_at_once_(NAME##_result *x, struct reduce_place_ at_, int width_) {      \
        return (void)x, (void)at_, (void)width_, false;                                                     \
    }

#define REDUCE_MOMENTS_COMBINE_NEXT_(NAME)                                                                  \
    REDUCE_BEGIN_WITHOUT_INDEX_(NAME) REDUCE_LINE_                                                          \
    REDUCE_DEVICE_ NAME##_result NAME##_combine_next_(NAME##_result value_, NAME##_result operand_) {       \
        return NAME##_combine(value_, operand_);                                                            \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_combine_each_(NAME##_result *values_, const NAME##_result *operands_,        \
                                             int count_) {                                                  \
        const bool are_floats_ = !REDUCE_IS_INTEGER_(NAME##_element) && sizeof(NAME##_element) <= 4;        \
        reduce_add_each_(values_, operands_, count_, are_floats_);                                          \
    }

#define REDUCE_MOMENTS_ADD_OWN_(NAME)                                                                       \
    REDUCE_DEVICE_ void NAME##_add_own_(NAME##_result *values_, const NAME##_element *x, size_t i) {        \
        enum { count_ = REDUCE_POSITIONS(sizeof(NAME##_element)) };                                         \
        double numbers_[count_];                                                                            \
        NAME##_element low_ = x[0], high_ = x[0];                                                           \
        REDUCE_UNROLL_                                                                                      \
        for (int k = 0; k < count_; k++) {                                                                  \
            numbers_[k] = (double)x[k];                                                                     \
            low_ = REDUCE_COMBINE_min(NAME##_element, low_, x[k]);                                          \
            high_ = REDUCE_COMBINE_max(NAME##_element, high_, x[k]);                                        \
        }                                                                                                   \
        (void)i;                                                                                            \
        reduce_add_numbers_(values_, numbers_, count_, (double)low_, (double)high_);                        \
    }
#else
#define REDUCE_MOMENTS_FOLD_AT_ONCE_(NAME)
#define REDUCE_MOMENTS_COMBINE_NEXT_(NAME)
#define REDUCE_MOMENTS_ADD_OWN_(NAME)
#endif

#define REDUCE_DEFINE_MOMENTS_(NAME, T)                                                                     \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_                                                                   \
    REDUCE_TYPE_(NAME, element, T) REDUCE_LINE_ REDUCE_TYPE_(NAME, result, struct reduce_moments)           \
    REDUCE_LINE_ REDUCE_ARRAY_(NAME) REDUCE_LINE_                                                           \
    REDUCE_MOMENTS_OPERATOR_(NAME) REDUCE_LINE_                                                             \
    REDUCE_OF_(NAME) REDUCE_LINE_                                                                           \
    REDUCE_TRAITS_OF_RESULT_(NAME, REDUCE_CUSTOM_, 0, 0, 1, 0) REDUCE_LINE_                                 \
    REDUCE_MOMENTS_CPU_WALK_OWN_(NAME) REDUCE_LINE_ REDUCE_WALK_OWN_(NAME) REDUCE_LINE_                     \
    REDUCE_MOMENTS_FOLD_AT_ONCE_(NAME) REDUCE_LINE_                                                         \
    REDUCE_MOMENTS_COMBINE_NEXT_(NAME) REDUCE_LINE_ REDUCE_MOMENTS_ADD_OWN_(NAME) REDUCE_LINE_              \
    REDUCE_GENERATE_(NAME, OWN_)

#undef DEFINE_REDUCE_MOMENTS
#define DEFINE_REDUCE_MOMENTS(T)                                                                            \
    REDUCE_CHECK_PLACE_("reduce_" #T "_moments") REDUCE_LINE_                                               \
    REDUCE_CHECK_WORD_(#T) REDUCE_LINE_                                                                     \
    REDUCE_CHECK_NUMBER_("reduce_" #T "_moments", T) REDUCE_LINE_                                           \
    REDUCE_UNLESS_(REDUCE_HAVE_reduce_##T##_moments, REDUCE_DEFINE_MOMENTS_)                                \
    (reduce_##T##_moments, T)

#endif /* REDUCE_RESULTS_CUH */
