/* Warps, tiles and blocks of every kind of shape, quickly. For tools/mutate. */
#define CHECK_ALONE
#include "../check.h"
#include "../tree.h"

DEFINE_REDUCE_AS(trace6, words6, no_words6(), trace_words6(a, b))
DEFINE_REDUCE(u8, trace)
DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(u32, sum)

/* Two words long, but aligned to half a word, unlike its elements. */
struct shorts4 {
    u16 word[4];
};
typedef struct shorts4 shorts4;
TRACE_WORDS(shorts4, u16)
DEFINE_REDUCE_MAP(trace8, u32, shorts4, ((void)x, no_shorts4()), no_shorts4(), trace_shorts4(a, b))

/* words6 of up to 32 lanes, and the results of up to 32 warps: the upper half onto the lower. */
static words6 folded(const words6 *from, int count)
{
    words6 x[32] = {{{0}}};
    for (int k = 0; k < count; k++) x[k] = from[k];
    for (int half = 16; half > 0; half /= 2)
        for (int k = 0; k < half; k++) x[k] = trace_words6(x[k], x[k + half]);
    return x[0];
}

/* The same of bytes, of any number of warps. */
static u8 folded_bytes(const words6 *from, int count)
{
    u8 x[1024] = {0}, warps[32] = {0};
    for (int k = 0; k < count; k++) x[k] = (u8)(from[k].word[0] | 1);
    for (int w = 0; w < 32; w++) {
        for (int half = 16; half > 0; half /= 2)
            for (int k = 0; k < half; k++) x[32 * w + k] = (u8)traced(x[32 * w + k], x[32 * w + k + half]);
        warps[w] = x[32 * w];
    }
    for (int half = 16; half > 0; half /= 2)
        for (int k = 0; k < half; k++) warps[k] = (u8)traced(warps[k], warps[k + half]);
    return warps[0];
}

enum { MOST = 1024, RUNS = 4 };
struct results {
    words6 x[RUNS][MOST];
    u8 small[MOST];
    float number[MOST];
};

static __global__ void calls(const words6 *in, int count, int width, struct results *out)
{
    __shared__ words6 slices[MOST];
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    out->x[0][thread] = trace6_warp(in[thread]);
    out->x[1][thread] = trace6_warp_n(in[thread], count);
    out->x[2][thread] = trace6_tile(in[thread], width);
    out->x[3][thread] = trace6_block(in[thread]);
    out->small[thread] = reduce_u8_trace_block((u8)(in[thread].word[0] | 1));
    out->number[thread] = reduce_float_sum_block(thread == 0 ? -NAN : 1.0f);
    if (threads % 32 != 0) return;
    slices[thread] = in[thread];
    const words6 again = trace6_warp_volatile(slices + thread / 32 * 32);
    if (!(again.word[0] == out->x[0][thread].word[0])) out->x[0][thread].word[0] = 0;
}

/* Operators known to commute; every lane is to have the result, and a NaN's pattern. */
static __global__ void known(int width, u32 *number, float *of_float, u32 *nan)
{
    __shared__ float slice[32];
    float x = reduce_float_sum_tile(threadIdx.x == 0 ? -NAN : 1.0f, 32);
    slice[threadIdx.x] = -NAN;
    float y = reduce_float_sum_warp_volatile(slice);
    number[threadIdx.x] = reduce_u32_sum_tile(threadIdx.x, width);
    of_float[threadIdx.x] = reduce_float_sum_tile((float)threadIdx.x, width);
    memcpy(nan + threadIdx.x, &x, sizeof x);
    memcpy(nan + 32 + threadIdx.x, &y, sizeof y);
}

static void check_known(unsigned width)
{
    u32 *room = (u32 *)device_room(4 * 32 * sizeof *room, 0), got[4][32];
    known<<<1, 32>>>((int)width, room, (float *)(void *)(room + 32), room + 64);
    check_launch();
    from_device(got, room, sizeof got);
    for (unsigned k = 0; k < 32; k++) {
        const unsigned first = k / width * width, sum = width * first + width * (width - 1) / 2;
        const float number = (float)sum;
        cr_expect(got[0][k] == sum && memcmp(&got[1][k], &number, sizeof number) == 0, "sum of lane %u", k);
        cr_expect(got[2][k] == 0x7fc00000u && got[3][k] == 0x7fc00000u, "NaN of lane %u", k);
    }
    CHECK(cudaFree(room));
}

/* slice begins between two words */
static __global__ void of_odd_slice(const u16 *in, shorts4 *out)
{
    __shared__ __align__(4) u16 words[2 + 4 * 32];
    shorts4 *slice = (shorts4 *)(void *)(words + 1);
    memcpy(slice + threadIdx.x, in + 4 * threadIdx.x, sizeof *slice);
    out[threadIdx.x] = trace8_warp_volatile(slice);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void check(dim3 block, int count, int width)
{
    static words6 in[MOST], warps[32];
    static struct results got;
    const int threads = (int)(block.x * block.y * block.z);
    fill_words6(in, MOST, 3);
    words6 *in_device = (words6 *)to_device(in, sizeof in);
    struct results *out = (struct results *)device_room(sizeof got, 0);
    calls<<<1, block>>>(in_device, count, width, out);
    check_launch();
    from_device(&got, out, sizeof got);
    for (int w = 0; w * 32 < threads; w++) warps[w] = folded(in + 32 * w, least(threads - 32 * w, 32));
    const words6 all = folded(warps, (threads + 31) / 32);
    const u8 small = folded_bytes(in, threads);
    for (int k = 0; k < threads; k++) {
        const int first = k / 32 * 32, lanes = least(threads - first, 32), tile = k / width * width;
        const words6 some = folded(in + first, count < 0 ? 0 : least(count, lanes));
        const words6 tiled = folded(in + tile, least(width, first + lanes - tile));
        u32 bits;
        memcpy(&bits, &got.number[k], sizeof bits);
        cr_expect(SAME_BITS(got.x[0][k], warps[k / 32]), "warp, thread %d of %d", k, threads);
        cr_expect(SAME_BITS(got.x[1][k], some), "warp_n, thread %d of %d", k, threads);
        cr_expect(SAME_BITS(got.x[2][k], tiled), "tile of %d, thread %d of %d", width, k, threads);
        cr_expect(SAME_BITS(got.x[3][k], all), "block, thread %d of %d", k, threads);
        cr_expect(got.small[k] == small && bits == 0x7fc00000u, "u8 or NaN, thread %d", k);
    }
    CHECK(cudaFree(in_device));
    CHECK(cudaFree(out));
}

static void check_odd_slice(void)
{
    shorts4 x[32], got[32];
    fill_u16(x[0].word, 4 * 32, 5);
    u16 *in = (u16 *)to_device(x, sizeof x);
    shorts4 *out = (shorts4 *)device_room(sizeof got, 0);
    of_odd_slice<<<1, 32>>>(in, out);
    check_launch();
    from_device(got, out, sizeof got);
    for (int half = 16; half > 0; half /= 2)
        for (int k = 0; k < half; k++) x[k] = trace_shorts4(x[k], x[k + half]);
    for (int k = 0; k < 32; k++) cr_expect(SAME_BITS(got[k], x[0]), "warp_volatile of shorts, lane %d", k);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

/* Results of one byte, in every lane; what lies behind the slice is left alone. */
struct of_bytes {
    u8 warp[32], slice[32], behind[32];
};

static __global__ void bytes(const u8 *in, struct of_bytes *out)
{
    __shared__ u8 slice[64];
    slice[threadIdx.x] = in[threadIdx.x], slice[32 + threadIdx.x] = 0x5a;
    out->warp[threadIdx.x] = reduce_u8_trace_tile(in[threadIdx.x], 32);
    out->slice[threadIdx.x] = reduce_u8_trace_warp_volatile(slice);
    out->behind[threadIdx.x] = slice[32 + threadIdx.x];
}

static void check_bytes(void)
{
    u8 x[32];
    struct of_bytes got, *out = (struct of_bytes *)device_room(sizeof got, 0);
    fill_u8(x, 32, 6);
    u8 *in = (u8 *)to_device(x, sizeof x);
    bytes<<<1, 32>>>(in, out);
    check_launch();
    from_device(&got, out, sizeof got);
    for (int half = 16; half > 0; half /= 2)
        for (int k = 0; k < half; k++) x[k] = (u8)traced(x[k], x[k + half]);
    for (int k = 0; k < 32; k++)
        cr_expect(got.warp[k] == x[0] && got.slice[k] == x[0] && got.behind[k] == 0x5a, "bytes, lane %d", k);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

/* More warps than one thread folds by itself, the last of them partial, and just as many. */
static __global__ void sums(float *out)
{
    out[threadIdx.x] = reduce_float_sum_block((float)threadIdx.x + 1);
}

static void check_sums(unsigned threads)
{
    const float expected = (float)(threads * (threads + 1) / 2);
    float got[1024], *out = (float *)device_room(sizeof got, 0);
    sums<<<1, threads>>>(out);
    check_launch();
    from_device(got, out, sizeof got);
    for (unsigned k = 0; k < threads; k++)
        cr_expect(got[k] == expected, "block of %u, thread %u: %g", threads, k, got[k]);
    CHECK(cudaFree(out));
}

int main(void)
{
    need_gpu();
    check_odd_slice();
    check_bytes();
    for (unsigned width = 1; width <= 32; width *= 2) check_known(width);
    check(dim3(1), 1, 1);
    check(dim3(31), 40, 2);
    check(dim3(8, 4), -1, 4);
    check(dim3(33), 0, 8);
    check(dim3(5, 7, 3), 17, 16);
    check(dim3(16, 2, 32), 32, 32);
    check_sums(512);
    check_sums(513);
    check_sums(1000);
    return 0;
}
