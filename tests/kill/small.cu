/* Arrays by built-in operators, quickly: on integers of up to 32 bits, for which warps may have an
   instruction; on floats, whose order may show or not; and elements of odd sizes. For tools/mutate. */
#define CHECK_ALONE
#include "../check.h"
#include "../operators.h"
#include "../tree.h"

#define EVERY(X)                                                                                          \
    INTEGER_OPERATORS(X, i8)                                                                              \
    INTEGER_OPERATORS(X, u32)                                                                             \
    X(INTEGER, u16, min)                                                                                  \
    X(INTEGER, int, max)                                                                                  \
    X(INTEGER, bool, sum)                                                                                 \
    X(FLOATING, float, sum)                                                                               \
    X(FLOATING, float, prod)                                                                              \
    X(FLOATING, float, max)                                                                               \
    X(FLOATING, double, fmin)
EVERY(DEFINE_WITH_TREE)

/* Sums of bytes in wider integers, which may be added four at a time; and one that does not add its bytes. */
#define WIDER(X)                                                                                          \
    X(of_i8, i8, int, x, int)                                                                             \
    X(of_u8, u8, u32, x, u32)                                                                             \
    X(of_u8_signed, u8, int, x, int)                                                                      \
    X(of_char, char, int, x, int)                                                                         \
    X(of_i8_wide, i8, i64, x, i64)                                                                        \
    X(of_i16, i16, int, x, int)                                                                           \
    X(of_squares, i8, int, x *x, int)                                                                     \
    X(of_float, i8, float, x, float)
#define DEFINE_WIDER(NAME, In, T, map, type)                                                              \
    DEFINE_REDUCE_MAP(NAME, In, T, map, REDUCE_IDENTITY_sum(type), REDUCE_COMBINE_sum(type, a, b))        \
    DEFINE_TREE(NAME, In, T, map, (T)0, (T)(a + b))
WIDER(DEFINE_WIDER)
DEFINE_REDUCE_MAP(least_of_i8, i8, int, x, REDUCE_IDENTITY_min(int), REDUCE_COMBINE_min(int, a, b))
DEFINE_TREE(least_of_i8, i8, int, x, TREE_GREATEST(int), a < b ? a : b)

/* A byte more and a byte less than a load takes; mapped, so that they are rounded. */
#define ODD(X)                                                                                            \
    X(15)                                                                                                 \
    X(17)
#define DEFINE_ODD(size)                                                                                  \
    struct bytes##size {                                                                                  \
        u8 word[size];                                                                                    \
    };                                                                                                    \
    typedef struct bytes##size bytes##size;                                                               \
    TRACE_WORDS(bytes##size, u8)                                                                          \
    DEFINE_REDUCE_MAP(trace##size, bytes##size, bytes##size, x, no_bytes##size(), trace_bytes##size(a, b))\
    DEFINE_TREE(trace##size, bytes##size, bytes##size, x, no_bytes##size(), trace_bytes##size(a, b))
ODD(DEFINE_ODD)

enum { MOST = 10000 };
static u64 bits[MOST * 3], ones[MOST];
static float numbers[MOST * 2]; /* near 1, so that products are numbers too; as doubles they are numbers */

#define CHECK_NAMED(NAME, In, T, data)                                                                    \
    do {                                                                                                  \
        const size_t at = (n / 2 + 2) % 4; /* 0 for some short arrays and some long ones */               \
        const In *from = (const In *)(void *)data;                                                        \
        In *in = (In *)to_device(from, (at + n) * sizeof *in);                                            \
        T got, *out = (T *)device_room(sizeof got, 0x5a);                                                 \
        const T tree = NAME##_tree(from + at, n);                                                         \
        CHECK(NAME##_async(in + at, n, out, ws, 0));                                                      \
        from_device(&got, out, sizeof got);                                                               \
        cr_expect(SAME_BITS(got, tree), "%s of %zu: %s", #NAME, n, BITS(got));                            \
        CHECK(cudaFree(in));                                                                              \
        CHECK(cudaFree(out));                                                                             \
    } while (0);
#define DATA_FOR_INTEGER(T) ((T)2 == (T)1 ? ones : bits) /* a bool is 0 or 1 */
#define DATA_FOR_FLOATING(T) numbers
#define CHECK_OPERATOR(kind, T, op) CHECK_NAMED(reduce_##T##_##op, T, T, DATA_FOR_##kind(T))
#define CHECK_WIDER(NAME, In, T, ...) CHECK_NAMED(NAME, In, T, bits)
#define CHECK_ODD(size) CHECK_NAMED(trace##size, bytes##size, bytes##size, bits)

/* From one element, where all other strands bring the identity, to several chunks. */
int main(void)
{
    need_gpu();
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    fill_u64(bits, COUNT(bits), 7);
    for (size_t k = 0; k < COUNT(numbers); k++) numbers[k] = 1 + (float)(mixed(k) % 1001 - 500.0) / 10000;
    memset(ones, 1, sizeof ones);
    for (size_t n = 1; n < MOST; n = 3 * n + 7) {
        EVERY(CHECK_OPERATOR)
        WIDER(CHECK_WIDER)
        CHECK_NAMED(least_of_i8, i8, int, bits)
        ODD(CHECK_ODD)
    }
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
