/* More than 2^32 elements on the CPU, of pages that nobody has written. For tools/mutate. */
#define _GNU_SOURCE
#include "reduce.cuh"

#include <stdio.h>
#include <sys/mman.h>

typedef unsigned char u8;
typedef unsigned long long u64;

DEFINE_REDUCE_MAP(indices, u8, u64, x + i, REDUCE_IDENTITY_sum(u64), REDUCE_COMBINE_sum(u64, a, b))

int main(void)
{
    const u64 n = (1ull << 32) + (1 << 25) + 12345; /* some chunks begin beyond 2^32 */
    const u8 *in = mmap(NULL, n, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (in == MAP_FAILED) return 0;
    const u64 got = indices_cpu(in, n), expected = (n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n);
    if (got != expected) printf("%llu, not %llu\n", got, expected);
    return got != expected;
}
