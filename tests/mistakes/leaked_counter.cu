// caught: wrong-result, expect: allocations more
/* H1: each call allocates the counter of G2, and no call frees it. */
#include "mistake.h"
#include "simt.h"

static __global__ void sum(const int *in, unsigned *ticket, int *out)
{
    atomicAdd(out, in[blockIdx.x]);
    (void)atomicInc(ticket, gridDim.x - 1);
}

static void sum_on_device(const int *in, int n, int *out)
{
    unsigned *ticket = NULL;
    CHECK(cudaMalloc((void **)&ticket, sizeof *ticket));
    CHECK(cudaMemset(ticket, 0, sizeof *ticket));
    sum<<<n, 1>>>(in, ticket, out);
    CHECK(cudaDeviceSynchronize());
    IF_REPAIRED(CHECK(cudaFree(ticket));)
}

int main(void)
{
    int *in = numbers(10);
    const size_t before = simt_live_allocations();
    for (int call = 0; call < 3; call++) {
        int *out = (int *)device_room(sizeof *out, 0);
        sum_on_device(in, 10, out);
        check_sum(out, 10);
        CHECK(cudaFree(out));
    }
    const int more = (int)(simt_live_allocations() - before);
    cr_expect(more == 0, "wrong result: %d allocations more than before", more);
    return 0;
}
