/* reduce_last_block under the thread sanitizer: every thread of a grid writes, every thread of the last
   block reads all that was written; twice in a kernel, and in several kernels. */
#define CHECK_ALONE
#include "../check.h"

enum { BLOCKS = 6, THREADS = 40, ALL = BLOCKS * THREADS };

static __device__ void write_and_add(u64 *data, u64 *sum, unsigned *ticket)
{
    const unsigned thread = blockIdx.x * THREADS + threadIdx.x;
    data[thread] = mixed(thread) >> 16;
    if (!reduce_last_block(ticket)) return;
    for (int k = 0; k < ALL; k++) sum[threadIdx.x] += data[k];
}

static __global__ void calls(u64 *data, u64 *sum, unsigned *tickets)
{
    write_and_add(data, sum, tickets);
    write_and_add(data + ALL, sum + THREADS, tickets + 1);
}

int main(void)
{
    need_gpu();
    u64 *data = (u64 *)device_room(sizeof(u64) * 2 * ALL, 0);
    u64 *sum = (u64 *)device_room(sizeof(u64) * 2 * THREADS, 0);
    unsigned *tickets = (unsigned *)device_room(2 * sizeof(unsigned), 0);
    u64 expected = 0, got[2 * THREADS] = {0};
    for (u64 k = 0; k < ALL; k++) expected += mixed(k) >> 16;
    for (u64 round = 1; round <= 3; round++) {
        calls<<<BLOCKS, THREADS>>>(data, sum, tickets);
        check_launch();
        from_device(got, sum, sizeof got);
        for (size_t k = 0; k < COUNT(got); k++)
            cr_expect(got[k] == round * expected, "thread %zu in round %d", k, (int)round);
    }
    CHECK(cudaFree(data));
    CHECK(cudaFree(sum));
    CHECK(cudaFree(tickets));
    return 0;
}
