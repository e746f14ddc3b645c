/* More than 2^32 elements on the CPU, in memory of which the program writes few pages. With FAR_INPUTS: two arrays, and an
   array with a context. For tools/mutate. */
#define _GNU_SOURCE
#include "reduce_inputs.cuh"
#include "reduce_rows.cuh"

#include <stdio.h>
#include <sys/mman.h>

typedef unsigned char u8;
typedef unsigned long long u64;

#ifdef FAR_INPUTS
DEFINE_REDUCE_ZIP(both, u8, u8, u64, x + 3 * y, REDUCE_IDENTITY_sum(u64), REDUCE_COMBINE_sum(u64, a, b))
DEFINE_REDUCE_WITH(more, u8, u64, u64, x + c, REDUCE_IDENTITY_sum(u64), REDUCE_COMBINE_sum(u64, a, b))
DEFINE_REDUCE_ZIP_ROWS(both)
DEFINE_REDUCE_WITH_ROWS(more)
#else
DEFINE_REDUCE_MAP(indices, u8, u64, x + i, REDUCE_IDENTITY_sum(u64), REDUCE_COMBINE_sum(u64, a, b))
DEFINE_REDUCE_MAP(in_doubles, u8, double, x, 0, a + b)

/* The last chunk has a stripe and a part of one. What follows the array would change the sum. */
static u64 sum_in_doubles(u8 *in)
{
    const u64 n = (1ull << 32) + (3 << 24), end = n - n % reduce_plan(n, 1).chunk + REDUCE_STRIPE_(1) + 500;
    if (end % reduce_plan(end, 1).chunk != REDUCE_STRIPE_(1) + 500) return 0;
    memset(in + end, 1, REDUCE_STRIPE_(1));
    return (u64)in_doubles_cpu(in, end);
}
#endif

static int differs(u64 got, u64 expected)
{
    if (got != expected) printf("%llu, not %llu\n", got, expected);
    return got != expected;
}

int main(void)
{
    const u64 n = (1ull << 32) + (1 << 25) + 12345; /* some chunks begin beyond 2^32 */
    u8 *in = mmap(NULL, n + (1 << 25), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (in == MAP_FAILED) return 0;
    in[n - 9] = 7;
#ifdef FAR_INPUTS
    u64 rows[4]; /* the second row begins beyond 2^32 */
    both_rows_cpu(in, in, 2, 10, n - 10, rows);
    more_rows_cpu(in, 2, 10, n - 10, 1, rows + 2);
    return differs(both_cpu(in, in, n), 28) | differs(more_cpu(in, n, 1), n + 7) | differs(rows[1], 28) | differs(rows[3], 17);
#else
    return differs(indices_cpu(in, n), 7 + (n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n)) |
           differs(sum_in_doubles(in), 7);
#endif
}
