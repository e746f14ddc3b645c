/* Arrays that begin or end between the words of wide loads: at every address and with every length about each threshold,
   of elements of 1 to 8 bytes, by operators in whose results the order shows and by others, each against NAME_cpu. The
   memory ends with the array. For tools/mutate. */
#define CHECK_ALONE
#define REDUCE_STRANDS 128 /* four warps */
#define REDUCE_MAX_CHUNKS 263
#define REDUCE_SLOTS 263
#define REDUCE_SINGLE_ 13 /* one chunk is long enough for a slide of doubles, and has several groups of loads */
#define REDUCE_LOW_ 16
#define REDUCE_SPREAD_ 8
#include "../small_tree.h"

#include "../check.h"
#include "reduce_async_n.cuh"
#include "reduce_inputs.cuh"

typedef signed char schar;
typedef struct { u32 low, high; } halves; /* aligned to less than its size */

struct weight { u64 factor; };
static const struct weight the_weight = {0x9e3779b97f4a7c15};

/* The order shows. Sixteen accumulators of u64 are too many to be moved. */
DEFINE_REDUCE_AS(bytes, u8, 0, (u8)traced(a, b))
DEFINE_REDUCE_MAP(wide_bytes, u8, u64, mixed(x + 256 * (u64)i) | 1, 0, traced(a, b))
DEFINE_REDUCE_MAP(places, u16, u32, (u32)mixed(x + 65536 * (u64)i) | 1, 0, (u32)traced(a, b))
DEFINE_REDUCE_MAP(fours, u32, u64, mixed(x + ((u64)i << 32)) | 1, 0, traced(a, b))
DEFINE_REDUCE_AS(eights, u64, 0, traced(a, b))
DEFINE_REDUCE_MAP(apart, halves, u64, (x.low + ((u64)x.high << 32)) | 1, 0, traced(a, b))
DEFINE_REDUCE_ZIP(two, u32, u16, u64, mixed(x + ((u64)y << 32) + i) | 1, 0, traced(a, b))
DEFINE_REDUCE_WITH(weighed, u16, struct weight, u32, (u32)mixed(x * c.factor + i) | 1, 0, (u32)traced(a, b))
DEFINE_REDUCE(float, sum)

/* It does not. */
DEFINE_REDUCE(u32, sum)
DEFINE_REDUCE(u16, min)
DEFINE_REDUCE(u64, bxor)
DEFINE_REDUCE(double, max)
DEFINE_REDUCE_MAP(sum_of_bytes, schar, int, x, 0, a + b)
DEFINE_REDUCE_MAP(sum_of_places, u8, u64, x *(u64)(i + 1), REDUCE_IDENTITY_sum(u64), REDUCE_COMBINE_sum(u64, a, b))
DEFINE_REDUCE_ZIP(sum_of_two, u32, u16, u64, x *(u64)y + i, REDUCE_IDENTITY_sum(u64), REDUCE_COMBINE_sum(u64, a, b))

#define OF_ONE(x, y, n) x, n
#define OF_TWO(x, y, n) x, y, n
#define NO_MORE
#define WEIGHT , the_weight

/* X(NAME, DEFINE_..._ASYNC_N, first array's elements, second array's, T, ARGUMENTS, those behind the number) */
#define SUBJECTS(X)                                                                                        \
    X(bytes, DEFINE_REDUCE_ASYNC_N, u8, u8, u8, OF_ONE, NO_MORE)                                           \
    X(wide_bytes, DEFINE_REDUCE_ASYNC_N, u8, u8, u64, OF_ONE, NO_MORE)                                     \
    X(places, DEFINE_REDUCE_ASYNC_N, u16, u8, u32, OF_ONE, NO_MORE)                                        \
    X(fours, DEFINE_REDUCE_ASYNC_N, u32, u8, u64, OF_ONE, NO_MORE)                                         \
    X(eights, DEFINE_REDUCE_ASYNC_N, u64, u8, u64, OF_ONE, NO_MORE)                                        \
    X(apart, DEFINE_REDUCE_ASYNC_N, halves, u8, u64, OF_ONE, NO_MORE)                                      \
    X(two, DEFINE_REDUCE_ZIP_ASYNC_N, u32, u16, u64, OF_TWO, NO_MORE)                                      \
    X(weighed, DEFINE_REDUCE_WITH_ASYNC_N, u16, u8, u32, OF_ONE, WEIGHT)                                   \
    X(reduce_float_sum, DEFINE_REDUCE_ASYNC_N, float, u8, float, OF_ONE, NO_MORE)                          \
    X(reduce_u32_sum, DEFINE_REDUCE_ASYNC_N, u32, u8, u32, OF_ONE, NO_MORE)                                \
    X(reduce_u16_min, DEFINE_REDUCE_ASYNC_N, u16, u8, u16, OF_ONE, NO_MORE)                                \
    X(reduce_u64_bxor, DEFINE_REDUCE_ASYNC_N, u64, u8, u64, OF_ONE, NO_MORE)                               \
    X(reduce_double_max, DEFINE_REDUCE_ASYNC_N, double, u8, double, OF_ONE, NO_MORE)                       \
    X(sum_of_bytes, DEFINE_REDUCE_ASYNC_N, schar, u8, int, OF_ONE, NO_MORE)                                \
    X(sum_of_places, DEFINE_REDUCE_ASYNC_N, u8, u8, u64, OF_ONE, NO_MORE)                                  \
    X(sum_of_two, DEFINE_REDUCE_ZIP_ASYNC_N, u32, u16, u64, OF_TWO, NO_MORE)

static reduce_workspace *ws;
static size_t *number;

/* Random bits; floating-point numbers with some of them, so that none is NaN. */
#define FILL(kind) for (size_t k = 0; k < n; k++) x[k] = (kind)(int)(mixed(k) >> 40) / 4096
static void fill_x(float *x, size_t n) { FILL(float); }
static void fill_x(double *x, size_t n) { FILL(double); }
template <typename In> static void fill_x(In *x, size_t n)
{
    for (size_t k = 0; k < n * sizeof *x; k++) ((u8 *)x)[k] = (u8)mixed(k);
}

#define EXPECT_RESULT(NAME, what)                                                                          \
    from_device(&got, out, sizeof got);                                                                    \
    cr_assert(SAME_BITS(got, expected), "%s%s of %zu at +%zu: %s, not %s", #NAME, what, n, at, BITS(got),  \
              BITS(expected))

/* NAME_check_call(n, at, most): n elements that begin `at` elements into their memory, in which there is room for most. By
   NAME_async, unless more than n are possible, and by NAME_async_n. */
#define DEFINE_CHECK(NAME, DEFINE, X, Y, T, ARGUMENTS, MORE)                                               \
    DEFINE(NAME)                                                                                           \
    static void NAME##_check_call(size_t n, size_t at, size_t most)                                        \
    {                                                                                                      \
        X *const x = (X *)malloc((at + most) * sizeof(X) + 1);                                             \
        Y *const y = (Y *)malloc((at + most) * sizeof(Y) + 1);                                             \
        fill_x(x, at + most);                                                                              \
        fill_x(y, at + most);                                                                              \
        X *const device_x = (X *)to_device(x, (at + most) * sizeof(X));                                    \
        Y *const device_y = (Y *)to_device(y, (at + most) * sizeof(Y));                                    \
        T got, *const out = (T *)device_room(sizeof got, 1);                                               \
        const T expected = NAME##_cpu(ARGUMENTS(x + at, y + at, n) MORE);                                  \
        if (most == n) {                                                                                   \
            CHECK(NAME##_async(ARGUMENTS(device_x + at, device_y + at, n) MORE, out, ws, 0));              \
            EXPECT_RESULT(NAME, "");                                                                       \
        }                                                                                                  \
        CHECK(cudaMemcpy(number, &n, sizeof n, cudaMemcpyHostToDevice));                                   \
        CHECK(NAME##_async_n(ARGUMENTS(device_x + at, device_y + at, number), most MORE, out, ws, 0));     \
        EXPECT_RESULT(NAME, ", a number on the device,");                                                  \
        CHECK(cudaFree(device_x));                                                                         \
        CHECK(cudaFree(device_y));                                                                         \
        CHECK(cudaFree(out));                                                                              \
        free(x);                                                                                           \
        free(y);                                                                                           \
    }                                                                                                      \
    static void NAME##_check(void)                                                                         \
    {                                                                                                      \
        const size_t positions = NAME##_positions_, stripe = REDUCE_STRIPE_(NAME##_size_);                 \
        const size_t about[] = {0,          positions,  32 * positions,      stripe,      2 * stripe,      \
                                3 * stripe, 5 * stripe, 24 * REDUCE_STRANDS, 13 * stripe, 15 * stripe};    \
        const size_t starts[] = {0, 1 % positions, positions / 2, positions - 1};                          \
        for (size_t a = 0; a < COUNT(starts); a++)                                                         \
            for (size_t k = 0; k < COUNT(about); k++)                                                      \
                for (size_t more = 0; more <= 2 * positions + 2; more += positions > 4 ? 3 : 1) {          \
                    const size_t n = about[k] + more - positions - 1;                                      \
                    if (about[k] + more < positions + 1) continue;                                         \
                    NAME##_check_call(n, starts[a], n);                                                    \
                    if (more % 4 == 0) NAME##_check_call(n, starts[a], 2 * n + 70);                        \
                }                                                                                          \
    }
SUBJECTS(DEFINE_CHECK)

#define CHECK_SUBJECT(NAME, ...) NAME##_check();

int main(void)
{
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    CHECK(cudaMalloc((void **)&number, sizeof *number));
    SUBJECTS(CHECK_SUBJECT)
    CHECK(cudaFree(number));
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
