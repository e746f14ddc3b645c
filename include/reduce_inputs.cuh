/*
 * reduce_inputs.cuh: reductions of two arrays, with or without a context; a companion of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_inputs.cuh"
 *     DEFINE_REDUCE_ZIP(dot, float, float, double, (double)x * y, 0, a + b)
 *
 *     typedef struct { double mean; } centre;
 *     DEFINE_REDUCE_WITH(squared_distance, float, centre, double, (x - c.mean) * (x - c.mean), 0, a + b)
 *
 * generate the functions of DEFINE_REDUCE_MAP for other inputs, with the same promise: the same bits on every
 * GPU and on the CPU. What this manual does not say is as the manual of reduce.cuh says.
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon)
 *
 *   DEFINE_REDUCE_ZIP(NAME, X, Y, T, EXPR_OF_X_Y, IDENTITY, EXPR_OF_A_B)
 *                                     turns x, an element of type X of the first array, and y, the element
 *                                     of type Y of the second array at the same index i, into a T, and
 *                                     reduces these
 *   DEFINE_REDUCE_WITH(NAME, In, Context, T, EXPR_OF_X_C, IDENTITY, EXPR_OF_A_B)
 *                                     turns each element x of type In, at index i, and a Context c, which
 *                                     the caller passes to each call, into a T, and reduces these
 *   DEFINE_REDUCE_ZIP_WITH(NAME, X, Y, Context, T, EXPR_OF_X_Y_C, IDENTITY, EXPR_OF_A_B)
 *                                     both: turns x, y and c into a T, and reduces these
 *
 *   X, Y, In    are types of up to 64 bytes, as T is; X and Y may differ in size.
 *   Context     is a type of up to 64 bytes, copyable byte by byte, without constructors and constant
 *               members: a number, a pointer, a struct of both.
 *
 * WHAT IS GENERATED
 *
 *   All functions of DEFINE_REDUCE_MAP. Functions for warps, blocks and grids have the same arguments. The
 *   others are
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
 *   by DEFINE_REDUCE_ZIP_WITH    the types NAME_first, NAME_second, NAME_context and NAME_result
 *     T NAME_cpu(const X *x, const Y *y, size_t n, Context c)
 *     cudaError_t NAME(const X *x, const Y *y, size_t n, Context c, T *result)
 *     cudaError_t NAME_async(const X *x, const Y *y, size_t n, Context c, T *out, reduce_workspace *ws,
 *                            cudaStream_t)
 *
 *   NAME_last_block, and the strategies of reduce_teaching.cuh, are called as NAME_async is.
 *
 * TWO ARRAYS
 *
 *   Both have n elements. They may overlap or be the same array. The order of combination is that of one
 *   array of n elements of the larger size: reduce_plan(n, the larger of sizeof(X) and sizeof(Y)). It does
 *   not depend on the addresses of the arrays. For full bandwidth both should begin at a multiple of 16
 *   bytes.
 *
 *   The simple call NAME finds out where each array lies. If one lies in main memory and the other on a GPU,
 *   it copies the first there. If the two lie on different GPUs, it returns cudaErrorInvalidValue.
 *
 *   The rules under ERRORS in reduce.cuh hold for each of the two arrays.
 *
 * A CONTEXT
 *
 *   A call copies the context: the caller may change it as soon as the call has returned. A call does not
 *   copy what a pointer in the context points to. That must not change until the result is there, and must
 *   lie where the map runs:
 *     NAME_cpu      main memory
 *     NAME_async    memory that the device reaches
 *     NAME          memory that both the CPU and the device reach, such as managed memory, because either may
 *                   run the map. If the elements lie in device memory: memory that the device reaches. If
 *                   there is no GPU: main memory.
 *
 *   A map is called for elements of the arrays alone, so that it may use them as indices into a table. For
 *   example, the rows of a sparse matrix, whose column numbers are y, times a vector are the segments
 *   (reduce_rows.cuh) of
 *       DEFINE_REDUCE_ZIP_WITH(times_vector, float, int, const float *, float, x * c[y], 0, a + b)
 *
 *   There may be no macro c where DEFINE_REDUCE_WITH or DEFINE_REDUCE_ZIP_WITH stands.
 */
#ifndef REDUCE_INPUTS_CUH
#define REDUCE_INPUTS_CUH

#include "reduce.cuh"

/* A KIND of inputs is ARRAY_ of reduce.cuh, OWN_ of reduce_results.cuh, or ZIP_, WITH_ or ZIP_WITH_ below.
   Generated code knows of it
     NAME_input_      a struct, passed by value: pointers to the arrays, of which in_ is the first, and then
                      what else the map gets
     NAME_size_       the size of an element, of the larger if there are two: it decides the tree
     NAME_input_at_(in, i)                                        the same input from element i on
     NAME_operand_at_(in, k, i), NAME_cpu_operand_at_(in, k, i)   element k, mapped at index i
   and calls these macros of the kind:
     REDUCE_ARRAYS_KIND(NAME)              the parameters of public functions before n: the arrays
     REDUCE_MORE_KIND(NAME)                those that follow n, each after a comma
     REDUCE_INPUT_KIND                     initializer of a NAME_input_ from these parameters
     REDUCE_RANGES_KIND(NAME, in, n)       initializer of a list of struct reduce_range_: the arrays
     REDUCE_MAPPED_KIND(NAME, in, k, i)    a call of NAME_map_
     REDUCE_WIDE_KIND(NAME)                generates struct NAME_loaded_, NAME_loaded_at_, NAME_load_,
                                           NAME_is_aligned_, NAME_slides_, NAME_packed_ and NAME_adds_bytes_
     REDUCE_COMBINE_NEXT_KIND(NAME)        generates NAME_begin_at_, NAME_combine_next_, NAME_end_at_ and
                                           NAME_combine_each_
     REDUCE_ADD_LOADED_KIND(NAME)          generates NAME_add_loaded_
     REDUCE_FOLD_AT_ONCE_KIND(NAME)        generates NAME_fold_at_once_
     REDUCE_CPU_WALK_KIND(NAME)            is walk_ of struct reduce_cpu_
   Companion headers have macros of the kind for what they alone need. */

/* ---- Two arrays ---------------------------------------------------------------------------------------- */

#define REDUCE_ARRAYS_ZIP_(NAME) const NAME##_first *x, const NAME##_second *y
#define REDUCE_MORE_ZIP_(NAME)
#define REDUCE_INPUT_ZIP_ {x, y}
#define REDUCE_MAPPED_ZIP_(NAME, in, k, i) NAME##_map_((in).in_[k], (in).second_[k], i)
#define REDUCE_COMBINE_NEXT_ZIP_ REDUCE_COMBINE_NEXT_ARRAY_
#define REDUCE_ADD_LOADED_ZIP_ REDUCE_ADD_LOADED_ARRAY_
#define REDUCE_CPU_WALK_ZIP_ REDUCE_CPU_WALK_ARRAY_
#define REDUCE_FOLD_AT_ONCE_ZIP_ REDUCE_FOLD_AT_ONCE_ARRAY_
#define REDUCE_RANGES_ZIP_(NAME, in, n)                                                                     \
    {REDUCE_RANGE_((in).in_, n, NAME##_first), REDUCE_RANGE_((in).second_, n, NAME##_second)}

/* Definitions that depend on the input's struct alone; `context` is a member more, or nothing. */
#define REDUCE_ZIP_INPUT_(NAME, context)                                                                    \
    enum {                                                                                                  \
        NAME##_size_ =                                                                                      \
            sizeof(NAME##_first) > sizeof(NAME##_second) ? sizeof(NAME##_first) : sizeof(NAME##_second)     \
    };                                                                                                      \
    typedef struct NAME##_input_ {                                                                          \
        const NAME##_first *in_;                                                                            \
        const NAME##_second *second_;                                                                       \
        context                                                                                             \
    } NAME##_input_;                                                                                        \
    REDUCE_BOTH_ NAME##_input_ NAME##_input_at_(NAME##_input_ in_, size_t i) {                              \
        in_.in_ += i;                                                                                       \
        in_.second_ += i;                                                                                   \
        return in_;                                                                                         \
    }
#define REDUCE_ZIP_(NAME) REDUCE_ZIP_INPUT_(NAME, )

#ifdef __CUDACC__

/* One load of 8, 4, 2 or 1 bytes, as reduce_load_16_ is one of 16. Each case copies size bytes, because nvcc
   splits elements in registers into bytes if any case, even a dead one, copies another size. */
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

/* Loads 16, 8, 4, 2 or 1 bytes from an address that is a multiple of their number. Unless is_there, it loads
   nothing, and *to is undefined. */
REDUCE_DEVICE_ void reduce_load_part_(void *to_, const void *from_, size_t size_, bool is_there_) {
    switch (size_) {
        case 16: reduce_load_16_(to_, from_, is_there_); break;
        case 8: REDUCE_LOAD_PART_(uint64_t, uint64_t, "u64", "=l") break;
        case 4: REDUCE_LOAD_PART_(uint32_t, uint32_t, "u32", "=r") break;
        case 2: REDUCE_LOAD_PART_(uint16_t, uint32_t, "u16", "=r") break;
        default: REDUCE_LOAD_PART_(uint8_t, uint32_t, "u8", "=r") break;
    }
}

/* bytes if one load can load this many, else 0. */
#define REDUCE_LOAD_BYTES_(bytes) ((bytes) <= 16 && ((bytes) & ((bytes) - 1)) == 0 ? (bytes) : 0)

/* void NAME_load_which_(T *to, const T *from, bool are_there): loads the elements of a strand's positions in
   one array, by one load of NAME_which_bytes_ unless that is 0. */
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

/* struct NAME_loaded_: the elements of a strand's positions in both arrays. NAME_loaded_at_: the same as an
   input. void NAME_load_(...): loads them from the beginning of an input. */
#define REDUCE_ZIP_LOADED_(NAME)                                                                            \
    enum { NAME##_adds_bytes_ = 0, NAME##_packed_ = 1, NAME##_slides_ = 0 };                                \
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

/* bool NAME_is_aligned_(NAME_input_ in): whether wide loads can load both arrays from there. An array without
   wide loads has 0 bytes for them. */
#define REDUCE_MODULUS_(bytes) ((bytes) > 0 ? (bytes) : 1)
#define REDUCE_ZIP_IS_ALIGNED_(NAME)                                                                        \
    REDUCE_BOTH_ bool NAME##_is_aligned_(NAME##_input_ in_) {                                               \
        return (uintptr_t)in_.in_ % REDUCE_MODULUS_(NAME##_first_bytes_) == 0 &&                            \
               (uintptr_t)in_.second_ % REDUCE_MODULUS_(NAME##_second_bytes_) == 0;                         \
    }

#define REDUCE_WIDE_ZIP_(NAME)                                                                              \
    REDUCE_ZIP_LOAD_(NAME, first) REDUCE_LINE_ REDUCE_ZIP_LOAD_(NAME, second) REDUCE_LINE_                  \
    REDUCE_ZIP_LOADED_(NAME) REDUCE_LINE_ REDUCE_ZIP_IS_ALIGNED_(NAME) REDUCE_LINE_

#endif /* __CUDACC__ */

#define REDUCE_DEFINE_ZIP_(NAME, X, Y, T, EXPR_OF_X_Y, OPERATOR, IDENTITY, ...)                             \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_                                                                   \
    REDUCE_TYPE_(NAME, first, X) REDUCE_LINE_ REDUCE_TYPE_(NAME, second, Y) REDUCE_LINE_                    \
    REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_                                                              \
    REDUCE_OPERATOR_(NAME, IDENTITY, __VA_ARGS__) REDUCE_LINE_                                              \
    REDUCE_ZIP_(NAME) REDUCE_LINE_ REDUCE_FINAL_(NAME) REDUCE_LINE_                                         \
    REDUCE_MAP_(NAME, 1, EXPR_OF_X_Y, NAME##_first x REDUCE_UNUSED_, NAME##_second y REDUCE_UNUSED_)        \
    REDUCE_LINE_                                                                                            \
    REDUCE_TRAITS_(NAME, "", OPERATOR) REDUCE_LINE_                                                         \
    REDUCE_GENERATE_(NAME, ZIP_)

#undef DEFINE_REDUCE_ZIP
#define DEFINE_REDUCE_ZIP(NAME, X, Y, T, EXPR_OF_X_Y, IDENTITY, ...)                                        \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                                 \
    REDUCE_CHECK_OPERATOR_IS_GIVEN_(#NAME, #IDENTITY, #__VA_ARGS__) REDUCE_LINE_                            \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_ZIP_)                                                  \
    (NAME, X, Y, T, EXPR_OF_X_Y, REDUCE_OPERATOR_OF_(#IDENTITY ", " #__VA_ARGS__, #T), IDENTITY, __VA_ARGS__)

/* ---- An array with a context --------------------------------------------------------------------------- */

#define REDUCE_ARRAYS_WITH_ REDUCE_ARRAYS_ARRAY_
#define REDUCE_MORE_WITH_(NAME) , NAME##_context c_
#define REDUCE_INPUT_WITH_ {in_, c_}
#define REDUCE_MAPPED_WITH_(NAME, in, k, i) NAME##_map_((in).in_[k], (in).c_, i)
#define REDUCE_RANGES_WITH_ REDUCE_RANGES_ARRAY_
#define REDUCE_WIDE_WITH_ REDUCE_WIDE_ARRAY_
#define REDUCE_COMBINE_NEXT_WITH_ REDUCE_COMBINE_NEXT_ARRAY_
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

/* NAME_context: the context's type. */
#define REDUCE_CONTEXT_(NAME, Context)                                                                      \
    REDUCE_NAME_TYPE_(#NAME, NAME##_context, Context)                                                       \
    REDUCE_ASSERT_(sizeof(NAME##_context) <= REDUCE_MAX_SIZE,                                               \
                   #NAME ": the context " #Context " is larger than 64 bytes: pass a pointer to it")        \
    REDUCE_ASSERT_(REDUCE_IS_COPYABLE_(NAME##_context),                                                     \
                   #NAME ": the context " #Context " must be trivially copyable: use a plain struct")       \
    REDUCE_ASSERT_(REDUCE_IS_CONSTRUCTIBLE_(NAME##_context) && REDUCE_IS_ASSIGNABLE_(NAME##_context),       \
                   #NAME ": the context " #Context " must be trivially constructible, and not constant: "   \
                         "remove its constructors and const")                                               \
    REDUCE_ASSERT_(__builtin_strcmp(REDUCE_EXPANDED_(c), "c") == 0,                                         \
                   #NAME ": c is a macro: undefine it")

#define REDUCE_DEFINE_WITH_(NAME, In, Context, T, EXPR_OF_X_C, map, OPERATOR, IDENTITY, ...)                \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_ REDUCE_TYPE_(NAME, element, In) REDUCE_LINE_                      \
    REDUCE_CONTEXT_(NAME, Context) REDUCE_LINE_ REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_                  \
    REDUCE_OPERATOR_(NAME, IDENTITY, __VA_ARGS__) REDUCE_LINE_                                              \
    REDUCE_WITH_(NAME) REDUCE_LINE_ REDUCE_FINAL_(NAME) REDUCE_LINE_                                        \
    REDUCE_MAP_(NAME, 1, EXPR_OF_X_C, NAME##_element x REDUCE_UNUSED_, NAME##_context c REDUCE_UNUSED_)     \
    REDUCE_LINE_                                                                                            \
    REDUCE_TRAITS_(NAME, map, OPERATOR) REDUCE_LINE_                                                        \
    REDUCE_GENERATE_(NAME, WITH_)

#undef DEFINE_REDUCE_WITH
#define DEFINE_REDUCE_WITH(NAME, In, Context, T, EXPR_OF_X_C, IDENTITY, ...)                                \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                                 \
    REDUCE_CHECK_OPERATOR_IS_GIVEN_(#NAME, #IDENTITY, #__VA_ARGS__) REDUCE_LINE_                            \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_WITH_)                                                 \
    (NAME, In, Context, T, EXPR_OF_X_C, #EXPR_OF_X_C, REDUCE_OPERATOR_OF_(#IDENTITY ", " #__VA_ARGS__, #T), \
     IDENTITY, __VA_ARGS__)

/* ---- Two arrays with a context ------------------------------------------------------------------------- */

#define REDUCE_ARRAYS_ZIP_WITH_ REDUCE_ARRAYS_ZIP_
#define REDUCE_MORE_ZIP_WITH_ REDUCE_MORE_WITH_
#define REDUCE_INPUT_ZIP_WITH_ {x, y, c_}
#define REDUCE_MAPPED_ZIP_WITH_(NAME, in, k, i) NAME##_map_((in).in_[k], (in).second_[k], (in).c_, i)
#define REDUCE_RANGES_ZIP_WITH_ REDUCE_RANGES_ZIP_
#define REDUCE_WIDE_ZIP_WITH_ REDUCE_WIDE_ZIP_
#define REDUCE_COMBINE_NEXT_ZIP_WITH_ REDUCE_COMBINE_NEXT_ZIP_
#define REDUCE_ADD_LOADED_ZIP_WITH_ REDUCE_ADD_LOADED_ZIP_
#define REDUCE_CPU_WALK_ZIP_WITH_ REDUCE_CPU_WALK_ZIP_
#define REDUCE_FOLD_AT_ONCE_ZIP_WITH_ REDUCE_FOLD_AT_ONCE_ZIP_

#define REDUCE_ZIP_WITH_(NAME) REDUCE_ZIP_INPUT_(NAME, NAME##_context c_;)

#define REDUCE_DEFINE_ZIP_WITH_(NAME, X, Y, Context, T, EXPR_OF_X_Y_C, OPERATOR, IDENTITY, ...)             \
    REDUCE_CHECK_ONCE_(NAME) REDUCE_LINE_                                                                   \
    REDUCE_TYPE_(NAME, first, X) REDUCE_LINE_ REDUCE_TYPE_(NAME, second, Y) REDUCE_LINE_                    \
    REDUCE_CONTEXT_(NAME, Context) REDUCE_LINE_ REDUCE_TYPE_(NAME, result, T) REDUCE_LINE_                  \
    REDUCE_OPERATOR_(NAME, IDENTITY, __VA_ARGS__) REDUCE_LINE_                                              \
    REDUCE_ZIP_WITH_(NAME) REDUCE_LINE_ REDUCE_FINAL_(NAME) REDUCE_LINE_                                    \
    REDUCE_MAP_(NAME, 1, EXPR_OF_X_Y_C, NAME##_first x REDUCE_UNUSED_, NAME##_second y REDUCE_UNUSED_,      \
                NAME##_context c REDUCE_UNUSED_) REDUCE_LINE_                                               \
    REDUCE_TRAITS_(NAME, "", OPERATOR) REDUCE_LINE_                                                         \
    REDUCE_GENERATE_(NAME, ZIP_WITH_)

#undef DEFINE_REDUCE_ZIP_WITH
#define DEFINE_REDUCE_ZIP_WITH(NAME, X, Y, Context, T, EXPR_OF_X_Y_C, IDENTITY, ...)                        \
    REDUCE_CHECK_PLACE_(#NAME) REDUCE_LINE_                                                                 \
    REDUCE_CHECK_OPERATOR_IS_GIVEN_(#NAME, #IDENTITY, #__VA_ARGS__) REDUCE_LINE_                            \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME, REDUCE_DEFINE_ZIP_WITH_)                                             \
    (NAME, X, Y, Context, T, EXPR_OF_X_Y_C, REDUCE_OPERATOR_OF_(#IDENTITY ", " #__VA_ARGS__, #T), IDENTITY, \
     __VA_ARGS__)

#endif /* REDUCE_INPUTS_CUH */
