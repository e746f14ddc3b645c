// caught: wrong-result, expect: wrong result
/* W3: no guard at all, and the padding holds 0, which is the identity of a sum, but not of a maximum. */
#include "mistake.h"

#include <limits.h>

static __global__ void greatest(const int *in, int *out)
{
    __shared__ volatile int s[48];
    const int lane = (int)threadIdx.x;
    s[lane] = -in[lane];
    if (lane < 16) s[lane + 32] = IF_WRONG(0) IF_REPAIRED(INT_MIN);
    for (int stride = 16; stride > 0; stride /= 2) {
        __syncwarp();
        const int x = s[lane] < s[lane + stride] ? s[lane + stride] : s[lane];
        __syncwarp();
        s[lane] = x;
    }
    if (lane == 31) *out = -s[lane];
}

/* The last lane looks at itself and at the padding alone. */
int main(void)
{
    int *out = numbers(1), got = 0;
    greatest<<<1, 32>>>(numbers(32), out);
    check_launch();
    from_device(&got, out, sizeof got);
    cr_expect(got == 32, "wrong result: %d, not 32", got);
    return 0;
}
