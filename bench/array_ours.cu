/* The library's side of array.cu, for one type: nvcc -DARRAY_TYPE=float. */
#include "array.h"
#include "reduce.cuh"

/* Narrow types are reduced in a wider one. */
#define DEFINE_WIDE(name, In, T, EXPR_OF_X)                                                               \
    DEFINE_REDUCE_MAP(reduce_##name##_sum, In, T, EXPR_OF_X, REDUCE_IDENTITY_sum(T),                      \
                      REDUCE_COMBINE_sum(T, a, b))                                                        \
    DEFINE_REDUCE_MAP(reduce_##name##_max, In, T, EXPR_OF_X, REDUCE_IDENTITY_max(T),                      \
                      REDUCE_COMBINE_max(T, a, b))

#define DEFINE_int DEFINE_REDUCE(int, sum) DEFINE_REDUCE(int, max)
#define DEFINE_float DEFINE_REDUCE(float, sum) DEFINE_REDUCE(float, max)
#define DEFINE_double DEFINE_REDUCE(double, sum) DEFINE_REDUCE(double, max)
#define DEFINE_half DEFINE_WIDE(half, __half, float, __half2float(x))
#define DEFINE_bfloat16 DEFINE_WIDE(bfloat16, __nv_bfloat16, float, __bfloat162float(x))
#define DEFINE_schar DEFINE_WIDE(schar, array_in, int, x)

ARRAY_NAME(DEFINE_, ARRAY_TYPE)

static size_t workspace(size_t n)
{
    (void)n;
    return sizeof(reduce_workspace);
}

#define DEFINE_SIDE_(NAME)                                                                                \
    static cudaError_t NAME##_side(const void *in, size_t n, void *out, void *room, size_t room_bytes,    \
                                   cudaStream_t stream)                                                   \
    {                                                                                                     \
        (void)room_bytes;                                                                                 \
        return NAME##_async((const array_in *)in, n, (array_result *)out, (reduce_workspace *)room,       \
                            stream);                                                                      \
    }                                                                                                     \
    static void NAME##_on_cpu(const void *in, size_t n, void *out)                                        \
    {                                                                                                     \
        *(array_result *)out = NAME##_cpu((const array_in *)in, n);                                       \
    }
#define DEFINE_SIDES_(name)                                                                               \
    DEFINE_SIDE_(reduce_##name##_sum)                                                                     \
    DEFINE_SIDE_(reduce_##name##_max)                                                                     \
    extern const struct array_reducer array_ours_##name[ARRAY_OPS] = {                                    \
        {reduce_##name##_sum_side, workspace, reduce_##name##_sum_on_cpu},                                \
        {reduce_##name##_max_side, workspace, reduce_##name##_max_on_cpu},                                \
    };
#define DEFINE_SIDES(name) DEFINE_SIDES_(name)

DEFINE_SIDES(ARRAY_TYPE)
