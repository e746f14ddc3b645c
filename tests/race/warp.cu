/* NAME_warp_volatile under the thread sanitizer: two warps on their own slices, which lanes write just
   before each call and just after it, each time another lane's value. */
#define CHECK_ALONE
#include "../check.h"

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_AS(trace6, words6, no_words6(), trace_words6(a, b))

enum { THREADS = 64, CALLS = 3 };

#define CALLS_IN_A_ROW(NAME, T)                                                                           \
    static __global__ void NAME##_calls(const T *in, T *out)                                              \
    {                                                                                                     \
        __shared__ T slices[THREADS];                                                                     \
        const unsigned first = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;                            \
        for (unsigned call = 0; call < CALLS; call++) {                                                   \
            const unsigned at = first + (lane + 5 * call) % 32;                                           \
            slices[at] = in[call * THREADS + at];                                                         \
            out[call * THREADS + threadIdx.x] = NAME##_warp_volatile(slices + first);                     \
        }                                                                                                 \
        slices[first + (lane ^ 1)] = in[0];                                                               \
    }                                                                                                     \
    static void NAME##_check(void)                                                                        \
    {                                                                                                     \
        T in[CALLS * THREADS], out[CALLS * THREADS];                                                      \
        fill_##T(in, COUNT(in), 1);                                                                       \
        T *in_device = (T *)to_device(in, sizeof in), *out_device = (T *)device_room(sizeof out, 0);      \
        NAME##_calls<<<1, THREADS>>>(in_device, out_device);                                              \
        check_launch();                                                                                   \
        from_device(out, out_device, sizeof out);                                                         \
        for (size_t k = 0; k < COUNT(out); k++) {                                                         \
            const T expected = NAME##_cpu(in + k / 32 * 32, 32);                                          \
            cr_expect(SAME_BITS(out[k], expected) || sizeof(T) < 16, "thread %zu", k);                    \
        }                                                                                                 \
        CHECK(cudaFree(in_device));                                                                       \
        CHECK(cudaFree(out_device));                                                                      \
    }

CALLS_IN_A_ROW(reduce_float_sum, float)
CALLS_IN_A_ROW(trace6, words6)

int main(void)
{
    need_gpu();
    reduce_float_sum_check();
    trace6_check();
    return 0;
}
