/* The side of cpu.c that only C++ has. */
#include "cpu.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

template <typename T> static T greater_of(T a, T b)
{
    return a < b ? b : a;
}

#define INITIAL_sum(T) T(0)
#define INITIAL_max(T) std::numeric_limits<T>::lowest()
#define COMBINE_sum(T) std::plus<T>()
#define COMBINE_max(T) greater_of<T>

#define DEFINE_STD(T, op)                                                                                 \
    T cpu_std_##T##_##op(const T *in, size_t n)                                                           \
    {                                                                                                     \
        return std::reduce(in, in + n, INITIAL_##op(T), COMBINE_##op(T));                                 \
    }
CPU_KINDS(DEFINE_STD)
