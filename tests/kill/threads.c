/* The CPU's function by several threads, again and again: what one thread works on is no other's. For
   tools/mutate, which builds it with OpenMP. */
#include "reduce.cuh"
#include "../tree.h"

#ifdef _OPENMP
#include <omp.h>
#endif

typedef unsigned char u8;
typedef unsigned long long u64;

static u64 traced(u64 a, u64 b)
{
    if (a == 0 || b == 0) return a | b;
    return ((a * 3 + (b ^ b >> 29) * 0xbf58476d1ce4e5b9u) ^ a >> 31) | 1;
}

DEFINE_REDUCE_MAP(trace, u64, u64, x *(i + 1), 0, traced(a, b))
DEFINE_TREE(trace, u64, u64, x *(i + 1), 0, traced(a, b))
DEFINE_REDUCE_MAP(total, u8, u64, x *(u64)(i + 1), REDUCE_IDENTITY_sum(u64), REDUCE_COMBINE_sum(u64, a, b))
DEFINE_TREE(total, u8, u64, x *(u64)(i + 1), 0, a + b)

enum { N = 40 * 2048 + 77, TIMES = 300 };
static u64 in[N];

#define CHECK_TIMES(NAME, In)                                                                             \
    for (int k = 0; k < TIMES; k++) {                                                                     \
        const In *from = (const In *)(const void *)in;                                                    \
        const u64 got = NAME##_cpu(from, NAME##_n), tree = k == 0 ? NAME##_tree(from, NAME##_n) : NAME##_first; \
        if (k == 0) NAME##_first = tree;                                                                  \
        if (got == tree) continue;                                                                        \
        printf("%s, time %d: %llx, not %llx\n", #NAME, k, got, tree);                                     \
        return 1;                                                                                         \
    }

int main(void)
{
    const size_t trace_n = N, total_n = sizeof in - 5;
    u64 trace_first = 0, total_first = 0;
#ifdef _OPENMP
    omp_set_dynamic(0);
    omp_set_num_threads(4);
#endif
    for (size_t k = 0; k < N; k++) in[k] = (k + 1) * 0x9e3779b97f4a7c15u;
    CHECK_TIMES(trace, u64)
    CHECK_TIMES(total, u8)
    return 0;
}
