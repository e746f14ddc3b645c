/*
 * CUB's side of array.cu, for one type: nvcc -DARRAY_TYPE=float.
 *
 * It calls Sum and Max where the result has the elements' type, and Sum where CUB widens by itself (signed
 * char into int). Otherwise it calls Reduce, with an operator and an initial value of the wide type. Then CUB
 * accumulates in that type, and still has the plain pointer to the elements. (A converting iterator would be
 * no better: CUB uses wide loads for plain pointers only, and loads half and bfloat16 two bytes at a time even
 * then.) The number of elements has 32 bits where that is enough.
 */
#include "array.h"

#include <cub/device/device_reduce.cuh>
#include <cuda/functional>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <type_traits>

static const bool is_wide = !std::is_same<array_in, array_result>::value;

static array_result least(void)
{
    return std::is_same<array_result, int>::value ? (array_result)INT_MIN : (array_result)-INFINITY;
}

template <typename Count>
static cudaError_t sum(void *room, size_t *room_bytes, const array_in *in, array_result *out, Count n,
                       cudaStream_t stream)
{
    if constexpr (is_wide && !std::is_same<array_result, int>::value)
        return cub::DeviceReduce::Reduce(room, *room_bytes, in, out, n, cuda::std::plus<array_result>(),
                                         (array_result)0, stream);
    else
        return cub::DeviceReduce::Sum(room, *room_bytes, in, out, n, stream);
}

template <typename Count>
static cudaError_t max(void *room, size_t *room_bytes, const array_in *in, array_result *out, Count n,
                       cudaStream_t stream)
{
    if constexpr (is_wide)
        return cub::DeviceReduce::Reduce(room, *room_bytes, in, out, n, cuda::maximum<array_result>(),
                                         least(), stream);
    else
        return cub::DeviceReduce::Max(room, *room_bytes, in, out, n, stream);
}

/* Only the smallest elements can be more than 32 bits can count, in the 4 GiB of array.cu. */
#define DEFINE_SIDE(op)                                                                                   \
    static cudaError_t op##_any(void *room, size_t *room_bytes, const void *in, size_t n, void *out,      \
                                cudaStream_t stream)                                                      \
    {                                                                                                     \
        if constexpr (sizeof(array_in) == 1)                                                              \
            if (n > UINT_MAX)                                                                             \
                return op(room, room_bytes, (const array_in *)in, (array_result *)out, n, stream);        \
        if (n > UINT_MAX) return cudaErrorInvalidValue;                                                   \
        return op(room, room_bytes, (const array_in *)in, (array_result *)out, (unsigned)n, stream);      \
    }                                                                                                     \
    static cudaError_t op##_side(const void *in, size_t n, void *out, void *room, size_t room_bytes,      \
                                 cudaStream_t stream)                                                     \
    {                                                                                                     \
        return op##_any(room, &room_bytes, in, n, out, stream);                                           \
    }                                                                                                     \
    static size_t op##_room(size_t n)                                                                     \
    {                                                                                                     \
        size_t room_bytes = 0;                                                                            \
        return op##_any(NULL, &room_bytes, NULL, n, NULL, 0) == cudaSuccess ? room_bytes : 0;             \
    }

DEFINE_SIDE(sum)
DEFINE_SIDE(max)

extern const struct array_reducer ARRAY_NAME(array_cub_, ARRAY_TYPE)[ARRAY_OPS] = {
    {sum_side, sum_room, NULL},
    {max_side, max_room, NULL},
};
