/* The side of cpu.c that only C++ has. */
#include "cpu.h"

#include <cmath>
#include <functional>
#include <numeric>

template <typename T> static T lesser_of(T a, T b)
{
    return b < a ? b : a;
}

template <typename T> static T greater_of(T a, T b)
{
    return a < b ? b : a;
}

template <typename T> static T lesser_number(T a, T b)
{
    return std::fmin(a, b);
}

template <typename T> static T greater_number(T a, T b)
{
    return std::fmax(a, b);
}

#define COMBINE_sum(T) std::plus<T>()
#define COMBINE_prod(T) std::multiplies<T>()
#define COMBINE_min(T) lesser_of<T>
#define COMBINE_max(T) greater_of<T>
#define COMBINE_fmin(T) lesser_number<T>
#define COMBINE_fmax(T) greater_number<T>
#define COMBINE_band(T) std::bit_and<T>()
#define COMBINE_bor(T) std::bit_or<T>()
#define COMBINE_bxor(T) std::bit_xor<T>()
#define COMBINE_land(T) std::logical_and<T>()
#define COMBINE_lor(T) std::logical_or<T>()

#define DEFINE_STD(T, op)                                                                                 \
    T cpu_std_##T##_##op(const T *in, size_t n)                                                           \
    {                                                                                                     \
        return std::reduce(in + 1, in + n, *in, COMBINE_##op(T));                                         \
    }
CPU_KINDS(DEFINE_STD)
