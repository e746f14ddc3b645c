/* NAME_block and NAME_block_of under the thread sanitizer: calls one after the other, of three operators, the first
   result going into the next call's values; in a block of several warps, the last of them partial, and in one
   of a single warp; NAME_block_of in blocks of one warp, of few and of more. */
#define CHECK_ALONE
#include <cuda_fp16.h>

#include "../check.h"

#include "reduce_block.cuh"

DEFINE_REDUCE(u64, trace)
DEFINE_REDUCE(__half, max)
DEFINE_REDUCE_AS(trace6, words6, no_words6(), trace_words6(a, b))

DEFINE_REDUCE_BLOCK(reduce_u64_trace)
DEFINE_REDUCE_BLOCK(trace6)

static __global__ void calls(u64 *out, words6 *out6)
{
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const __half most = reduce___half_max_block(__float2half((float)thread));
    const u64 x = reduce_u64_trace_block(thread + __half_as_ushort(most));
    const u64 y = reduce_u64_trace_block(x + thread);
    words6 z;
    for (int k = 0; k < 3; k++) z.word[k] = mixed(y + thread);
    z = trace6_block(z);
    z.word[0] ^= reduce_u64_trace_block(z.word[1] + thread);
    out[thread] = y;
    out6[thread] = trace6_block(z);
}

static __global__ void calls_of(u64 *out, words6 *out6)
{
    const int threads = (int)blockDim.x;
    const unsigned thread = threadIdx.x;
    const u64 x = reduce_u64_trace_block_of(thread + 1, threads);
    const u64 y = reduce_u64_trace_block_of(x + thread, threads);
    words6 z;
    for (int k = 0; k < 3; k++) z.word[k] = mixed(y + thread);
    z = trace6_block_of(z, threads);
    z.word[0] ^= reduce_u64_trace_block_of(z.word[1] + thread, threads);
    out[thread] = y;
    out6[thread] = trace6_block_of(z, threads);
}

/* Every thread gets the same. */
static void check(void (*kernel)(u64 *, words6 *), dim3 block)
{
    u64 *out = (u64 *)device_room(sizeof(u64) * 1024, 0), got[1024] = {0};
    words6 *out6 = (words6 *)device_room(sizeof(words6) * 1024, 0), got6[1024] = {{{0}}};
    kernel<<<1, block>>>(out, out6);
    check_launch();
    from_device(got, out, sizeof got);
    from_device(got6, out6, sizeof got6);
    for (unsigned k = 0; k < block.x * block.y * block.z; k++)
        cr_expect(got[k] == got[0] && SAME_BITS(got6[k], got6[0]), "thread %u", k);
    CHECK(cudaFree(out));
    CHECK(cudaFree(out6));
}

int main(void)
{
    need_gpu();
    check(calls, dim3(5, 7, 3));
    check(calls, dim3(31));
    check(calls, dim3(64));
    check(calls_of, dim3(32));
    check(calls_of, dim3(64));
    check(calls_of, dim3(160));
    return 0;
}
