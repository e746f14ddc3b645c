/* A whole array under the thread sanitizer, by every strategy, with a T that fits a compare-and-swap and
   one that does not. Threads take long under the sanitizer, so the library's kernel gets chunks of 40 elements,
   each walked by one block of 64 threads, where its plans would have blocks of 512. */
#define CHECK_ALONE
#include "../check.h"

/* Exact in any order; and what a call leaves behind shows in the next. */
static __host__ __device__ words6 added(words6 a, words6 b)
{
    for (int k = 0; k < 3; k++) a.word[k] += b.word[k];
    return a;
}

DEFINE_REDUCE_MAP(product, u64, u64, x | 1, 1, a * b)
DEFINE_REDUCE_AS(sum6, words6, no_words6(), added(a, b))
DEFINE_REDUCE_ATOMIC(product)
DEFINE_REDUCE_ATOMIC(sum6)

enum { CHUNK = 40, CHUNKS = 5, N = CHUNK * CHUNKS - 7 };

/* The ways of each strategy; REDUCE_TO_SLOTS_ is followed by its second launch. */
static const enum reduce_way_ ways[] = {REDUCE_BY_SLOTS_,       REDUCE_TO_SLOTS_,        REDUCE_BY_LAST_BLOCK_,
                                        REDUCE_BY_ATOMIC_WARP_, REDUCE_BY_ATOMIC_BLOCK_, REDUCE_BY_SLOTS_};

#define CHECK_ALL(NAME, T)                                                                                \
    static void NAME##_check_way(const T *in, T expected, enum reduce_way_ way, reduce_workspace *ws)     \
    {                                                                                                     \
        const unsigned chunk = CHUNK, lack = CHUNKS * CHUNK - N;                                          \
        const NAME##_input_ input = {in};                                                                 \
        T got, *out = (T *)device_room(sizeof got, 0);                                                    \
        (way >= REDUCE_BY_ATOMIC_WARP_ ? NAME##_atomic_kernel_ : NAME##_kernel_)                          \
            <<<CHUNKS, 64>>>(input, chunk, lack, reduce_meeting_(way, CHUNKS), ws, out);                  \
        if (way == REDUCE_TO_SLOTS_)                                                                      \
            NAME##_kernel_<<<1, 64>>>(input, 0u, 0u, reduce_meeting_(REDUCE_FROM_SLOTS_, CHUNKS), ws, out);\
        check_launch();                                                                                   \
        from_device(&got, out, sizeof got);                                                               \
        cr_expect(SAME_BITS(got, expected), "%s, way %d: %s", #NAME, (int)way, BITS(got));                \
        CHECK(cudaFree(out));                                                                             \
    }                                                                                                     \
    static void NAME##_check(reduce_workspace *ws)                                                        \
    {                                                                                                     \
        T in[N], *in_device;                                                                              \
        fill_##T(in, N, 5);                                                                               \
        in_device = (T *)to_device(in, sizeof in);                                                        \
        for (size_t k = 0; k < COUNT(ways); k++)                                                          \
            NAME##_check_way(in_device, NAME##_cpu(in, N), ways[k], ws);                                  \
        CHECK(cudaFree(in_device));                                                                       \
    }

CHECK_ALL(product, u64)
CHECK_ALL(sum6, words6)

int main(void)
{
    need_gpu();
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    product_check(ws);
    sum6_check(ws);
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
