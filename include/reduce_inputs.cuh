/*
 * reduce_inputs.cuh: reductions of two arrays, and of an array with a context; a companion of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_inputs.cuh"
 *     DEFINE_REDUCE_ZIP(dot, float, float, double, (double)x * y, 0, a + b)
 *
 *     typedef struct { double mean; } centre;
 *     DEFINE_REDUCE_WITH(squared_distance, float, centre, double, (x - c.mean) * (x - c.mean), 0, a + b)
 *
 * generate what DEFINE_REDUCE_MAP does, for other inputs, and with the same promise: the same bits on every
 * GPU and on the CPU. Whatever is not said here is as the manual of reduce.cuh says.
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon)
 *
 *   DEFINE_REDUCE_ZIP(NAME, X, Y, T, EXPR_OF_X_Y, IDENTITY, EXPR_OF_A_B)
 *                                     turns x, an element of type X of the first array, and y, the element
 *                                     of type Y of the second array at the same index i, into a T first.
 *   DEFINE_REDUCE_WITH(NAME, In, Context, T, EXPR_OF_X_C, IDENTITY, EXPR_OF_A_B)
 *                                     turns each element x of type In, at index i, into a T first, with the
 *                                     help of c: a Context, which each call is given.
 *
 *   X, Y, In    are types of up to 64 bytes, as T is; X and Y may differ in size.
 *   Context     is any trivially copyable type of up to 64 bytes: a number, a pointer, a struct of both.
 *
 * WHAT IS GENERATED
 *
 *   All functions of DEFINE_REDUCE_MAP. Those for warps, blocks and grids are the same ones. The others are
 *
 *   by DEFINE_REDUCE_ZIP    the types NAME_first, NAME_second and NAME_result: X, Y and T
 *     T NAME_cpu(const X *x, const Y *y, size_t n)
 *     cudaError_t NAME(const X *x, const Y *y, size_t n, T *result)
 *     cudaError_t NAME_async(const X *x, const Y *y, size_t n, T *out, reduce_workspace *ws, cudaStream_t)
 *
 *   by DEFINE_REDUCE_WITH   the types NAME_element, NAME_context and NAME_result: In, Context and T
 *     T NAME_cpu(const In *in, size_t n, Context c)
 *     cudaError_t NAME(const In *in, size_t n, Context c, T *result)
 *     cudaError_t NAME_async(const In *in, size_t n, Context c, T *out, reduce_workspace *ws, cudaStream_t)
 *
 *   NAME_last_block, and the strategies of reduce_teaching.cuh, are called as NAME_async is.
 *
 * TWO ARRAYS
 *
 *   Both have n elements. They may overlap or be the same array. The order of combination is that of one
 *   array of n elements of the larger size: reduce_plan(n, the larger of sizeof(X) and sizeof(Y)). It does
 *   not depend on the addresses of the arrays. For full speed both should begin at a multiple of 16 bytes.
 *
 *   The simple call NAME finds out for each array where it is, and copies what a kernel does not reach. If
 *   the two are in the device memory of different GPUs, it returns cudaErrorInvalidValue.
 *
 *   The rules under ERRORS in reduce.cuh hold for each of the two arrays.
 *
 * A CONTEXT
 *
 *   A call copies the context: the caller may change it as soon as the call has returned. A pointer in it is
 *   handed on as it is, by the simple call too: what it points to must be where the map runs. That is the
 *   GPU's or managed memory for NAME and NAME_async, and main memory for NAME_cpu and, where there is no GPU,
 *   for NAME. What it points to must not change until the result is there.
 *
 *   There may be no macro c where DEFINE_REDUCE_WITH stands.
 */
#ifndef REDUCE_INPUTS_CUH
#define REDUCE_INPUTS_CUH

#include "reduce.cuh"

/* A KIND of inputs, ARRAY_ of reduce.cuh or one of these. All that reduces knows of an input
     NAME_input_      a struct, passed by value: pointers to arrays, the first is in_; then what the map takes
     NAME_size_       the size of an element, of the largest if there are several: it decides the tree
     NAME_input_at_(in, i)                                        the same input from element i on
     NAME_operand_at_(in, k, i), NAME_cpu_operand_at_(in, k, i)   element k, mapped at index i
   and these macros of its kind:
     REDUCE_ARRAYS_KIND(NAME), REDUCE_MORE_KIND(NAME)     parameters of public functions: arrays; what follows
                                                          the number of elements, each after a comma
     REDUCE_INPUT_KIND, REDUCE_RANGES_KIND(NAME, in, n)   initializers: of NAME_input_ by these; of its arrays
     REDUCE_MAPPED_KIND(NAME, in, k, i)                   calls NAME_map_
     REDUCE_WIDE_KIND(NAME), REDUCE_ADD_, REDUCE_FOLD_AT_ONCE_                   generate NAME_load_ etc.
     REDUCE_CPU_WALK_KIND(NAME)                           is walk_ of struct reduce_cpu_ */

/* ---- Two arrays ---------------------------------------------------------------------------------------- */

#define REDUCE_ARRAYS_ZIP_(NAME) const NAME##_first *x, const NAME##_second *y
#define REDUCE_MORE_ZIP_(NAME)
#define REDUCE_INPUT_ZIP_ {x, y}
#define REDUCE_MAPPED_ZIP_(NAME, in, k, i) NAME##_map_((in).in_[k], (in).second_[k], i)
#define REDUCE_ADD_LOADED_ZIP_ REDUCE_ADD_LOADED_ARRAY_
#define REDUCE_CPU_WALK_ZIP_ REDUCE_CPU_WALK_ARRAY_
#define REDUCE_FOLD_AT_ONCE_ZIP_ REDUCE_FOLD_AT_ONCE_ARRAY_
#define REDUCE_RANGES_ZIP_(NAME, in, n)                                                                     \
    {REDUCE_RANGE_((in).in_, n, NAME##_first), REDUCE_RANGE_((in).second_, n, NAME##_second)}

#define REDUCE_ZIP_(NAME)                                                                                   \
    enum {                                                                                                  \
        NAME##_size_ =                                                                                      \
            sizeof(NAME##_first) > sizeof(NAME##_second) ? sizeof(NAME##_first) : sizeof(NAME##_second)     \
    };                                                                                                      \
    typedef struct NAME##_input_ {                                                                          \
        const NAME##_first *in_;                                                                            \
        const NAME##_second *second_;                                                                       \
    } NAME##_input_;                                                                                        \
    REDUCE_BOTH_ NAME##_input_ NAME##_input_at_(NAME##_input_ in_, size_t i) {                              \
        in_.in_ += i;                                                                                       \
        in_.second_ += i;                                                                                   \
        return in_;                                                                                         \
    }

#ifdef __CUDACC__

/* One load of 8, 4, 2 or 1 bytes, as reduce_load_16_ is of 16. Each case copies size bytes: copies of other
   sizes, even in cases that are not taken, would part the elements in registers into bytes. */
#ifdef __CUDA_ARCH__
#define REDUCE_LOAD_PART_(word, in_register, type, constraint)                                              \
    {                                                                                                       \
        in_register bits_[4];                                                                               \
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.cs." type " %0, [%1]; }"           \
                     : constraint(bits_[0])                                                                 \
                     : "l"(from_), "r"((unsigned)is_there_));                                               \
        memcpy(to_, bits_, size_);                                                                          \
    }
#else
#define REDUCE_LOAD_PART_(word, in_register, type, constraint)                                              \
    if (is_there_) {                                                                                        \
        typedef word word_ __attribute__((__may_alias__));                                                  \
        const word_ bits_ = *(const word_ *)from_;                                                          \
        memcpy(to_, &bits_, sizeof bits_);                                                                  \
    }
#endif

/* 16, 8, 4, 2 or 1 bytes, at an address that is a multiple of so many. If not is_there, *to is anything. */
REDUCE_DEVICE_ void reduce_load_part_(void *to_, const void *from_, size_t size_, bool is_there_) {
    switch (size_) {
        case 16: reduce_load_16_(to_, from_, is_there_); break;
        case 8: REDUCE_LOAD_PART_(uint64_t, uint64_t, "u64", "=l") break;
        case 4: REDUCE_LOAD_PART_(uint32_t, uint32_t, "u32", "=r") break;
        case 2: REDUCE_LOAD_PART_(uint16_t, uint32_t, "u16", "=r") break;
        default: REDUCE_LOAD_PART_(uint8_t, uint32_t, "u8", "=r") break;
    }
}

/* Bytes that one load takes: all of so many, or none if there is no such load. */
#define REDUCE_LOAD_BYTES_(bytes) ((bytes) <= 16 && ((bytes) & ((bytes) - 1)) == 0 ? (bytes) : 0)

/* void NAME_load_which_(T *to, const T *from, bool are_there): the elements of a lane's positions in one of
   the arrays, by one load of NAME_which_bytes_ if that is not 0. */
#define REDUCE_ZIP_LOAD_(NAME, which)                                                                       \
    enum { NAME##_##which##_bytes_ = REDUCE_LOAD_BYTES_(sizeof(NAME##_##which) * NAME##_positions_) };      \
    REDUCE_DEVICE_ void NAME##_load_##which##_(NAME##_##which *to_, const NAME##_##which *from_,            \
                                               bool are_there_) {                                           \
        if (NAME##_##which##_bytes_ > 0) {                                                                  \
            reduce_load_part_(to_, from_, NAME##_##which##_bytes_, are_there_);                             \
        } else if (are_there_) {                                                                            \
            REDUCE_UNROLL_                                                                                  \
            for (int k = 0; k < NAME##_positions_; k++) to_[k] = from_[k];                                  \
        }                                                                                                   \
    }

/* struct NAME_loaded_: the elements of a lane's positions, in both arrays. NAME_loaded_at_: they as an input.
   void NAME_load_(...): loads them from the beginning of an input. */
#define REDUCE_ZIP_LOADED_(NAME)                                                                            \
    enum { NAME##_adds_bytes_ = 0, NAME##_are_signed_ = 0 };                                                \
    struct NAME##_loaded_ {                                                                                 \
        NAME##_first x[NAME##_positions_];                                                                  \
        NAME##_second y[NAME##_positions_];                                                                 \
    };                                                                                                      \
    REDUCE_DEVICE_ NAME##_input_ NAME##_loaded_at_(NAME##_input_ in_, const struct NAME##_loaded_ *x) {     \
        in_.in_ = x->x, in_.second_ = x->y;                                                                 \
        return in_;                                                                                         \
    }                                                                                                       \
    REDUCE_DEVICE_ void NAME##_load_(struct NAME##_loaded_ *to_, NAME##_input_ from_, bool are_there_) {    \
        NAME##_load_first_(to_->x, from_.in_, are_there_);                                                  \
        NAME##_load_second_(to_->y, from_.second_, are_there_);                                             \
    }

/* bool NAME_is_aligned_(NAME_input_ in): wide loads can take both arrays. */
#define REDUCE_ZIP_IS_ALIGNED_(NAME)                                                                        \
    REDUCE_DEVICE_ bool NAME##_is_aligned_(NAME##_input_ in_) {                                             \
        return (NAME##_first_bytes_ == 0 || (uintptr_t)in_.in_ % NAME##_first_bytes_ == 0) &&               \
               (NAME##_second_bytes_ == 0 || (uintptr_t)in_.second_ % NAME##_second_bytes_ == 0);           \
    }

#define REDUCE_WIDE_ZIP_(NAME)                                                                              \
    REDUCE_ZIP_LOAD_(NAME, first) REDUCE_LINE_ REDUCE_ZIP_LOAD_(NAME, second) REDUCE_LINE_                  \
    REDUCE_ZIP_LOADED_(NAME) REDUCE_LINE_ REDUCE_ZIP_IS_ALIGNED_(NAME) REDUCE_LINE_

#endif /* __CUDACC__ */

#define REDUCE_DEFINE_ZIP_(NAME, X, Y, T, type, EXPR_OF_X_Y, text, IDENTITY, ...)                           \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_                                                                   \
    REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_                                                              \
    REDUCE_TYPE_(NAME, first, X) REDUCE_LINE_ REDUCE_TYPE_(NAME, second, Y) REDUCE_LINE_                    \
    REDUCE_OPERATOR_(NAME, IDENTITY, __VA_ARGS__) REDUCE_LINE_                                              \
    REDUCE_ZIP_(NAME) REDUCE_LINE_ REDUCE_FINAL_(NAME) REDUCE_LINE_                                         \
    REDUCE_MAP_(NAME, 1, EXPR_OF_X_Y, NAME##_first x, NAME##_second y) REDUCE_LINE_                         \
    REDUCE_TRAITS_(NAME, "", REDUCE_OPERATOR_OF_(text, type)) REDUCE_LINE_                                  \
    REDUCE_GENERATE_(NAME, ZIP_)

#define DEFINE_REDUCE_ZIP(NAME, X, Y, T, EXPR_OF_X_Y, IDENTITY, ...)                                        \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                                 \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_ZIP_)                                                  \
    (NAME, X, Y, T, #T, EXPR_OF_X_Y, #IDENTITY ", " #__VA_ARGS__, IDENTITY, __VA_ARGS__)

/* ---- An array with a context --------------------------------------------------------------------------- */

#define REDUCE_ARRAYS_WITH_ REDUCE_ARRAYS_ARRAY_
#define REDUCE_MORE_WITH_(NAME) , NAME##_context c_
#define REDUCE_INPUT_WITH_ {in_, c_}
#define REDUCE_MAPPED_WITH_(NAME, in, k, i) NAME##_map_((in).in_[k], (in).c_, i)
#define REDUCE_RANGES_WITH_ REDUCE_RANGES_ARRAY_
#define REDUCE_WIDE_WITH_ REDUCE_WIDE_ARRAY_
#define REDUCE_ADD_LOADED_WITH_ REDUCE_ADD_LOADED_ARRAY_
#define REDUCE_CPU_WALK_WITH_ REDUCE_CPU_WALK_ARRAY_
#define REDUCE_FOLD_AT_ONCE_WITH_ REDUCE_FOLD_AT_ONCE_ARRAY_

#define REDUCE_WITH_(NAME)                                                                                  \
    enum { NAME##_size_ = sizeof(NAME##_element) };                                                         \
    typedef struct NAME##_input_ {                                                                          \
        const NAME##_element *in_;                                                                          \
        NAME##_context c_;                                                                                  \
    } NAME##_input_;                                                                                        \
    REDUCE_BOTH_ NAME##_input_ NAME##_input_at_(NAME##_input_ in_, size_t i) {                              \
        in_.in_ += i;                                                                                       \
        return in_;                                                                                         \
    }

#define REDUCE_CHECK_CONTEXT_(NAME, C)                                                                      \
    REDUCE_ASSERT_(sizeof(NAME##_context) <= REDUCE_MAX_SIZE,                                               \
                   #NAME ": the context " #C " is too large: give a pointer to it, or at most 64 bytes")    \
    REDUCE_ASSERT_(REDUCE_IS_COPYABLE_(NAME##_context),                                                     \
                   #NAME ": the context " #C " must be trivially copyable: use a plain struct")             \
    REDUCE_ASSERT_(__builtin_strcmp(REDUCE_EXPANDED_(c), "c") == 0,                                         \
                   #NAME ": there is a macro c: undefine it")

#define REDUCE_DEFINE_WITH_(NAME, In, C, T, type, EXPR_OF_X_C, map, text, IDENTITY, ...)                    \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_                                                                   \
    REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_ REDUCE_TYPE_(NAME, element, In) REDUCE_LINE_                 \
    typedef C NAME##_context;                                                                               \
    REDUCE_CHECK_CONTEXT_(NAME, C) REDUCE_LINE_                                                             \
    REDUCE_OPERATOR_(NAME, IDENTITY, __VA_ARGS__) REDUCE_LINE_                                              \
    REDUCE_WITH_(NAME) REDUCE_LINE_ REDUCE_FINAL_(NAME) REDUCE_LINE_                                        \
    REDUCE_MAP_(NAME, 1, EXPR_OF_X_C, NAME##_element x, NAME##_context c) REDUCE_LINE_                      \
    REDUCE_TRAITS_(NAME, map, REDUCE_OPERATOR_OF_(text, type)) REDUCE_LINE_                                 \
    REDUCE_GENERATE_(NAME, WITH_)

#define DEFINE_REDUCE_WITH(NAME, In, Context, T, EXPR_OF_X_C, IDENTITY, ...)                                \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                                 \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_WITH_)                                                 \
    (NAME, In, Context, T, #T, EXPR_OF_X_C, #EXPR_OF_X_C, #IDENTITY ", " #__VA_ARGS__, IDENTITY, __VA_ARGS__)

#endif /* REDUCE_INPUTS_CUH */
