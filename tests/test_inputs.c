/* NAME_cpu of two arrays, of an array with a context, and of both, in plain C: against the tree of tree.h, which is a small one. */
#include "small_tree.h"

#include "reduce_inputs.cuh"
#include "tree.h"

#include <criterion/criterion.h>

typedef signed char i8;
typedef unsigned char u8;
typedef unsigned short u16;
typedef uint64_t u64;
typedef struct {
    uint32_t word[3];
} words3;
typedef struct {
    const float *table;
    float scale;
} scaled;

/* Products that a compiler may fuse with the sums, if the library lets it. The last is an operator that shows any change
   of the order. */
static inline u64 traced(u64 a, u64 b)
{
    return a == 0 || b == 0 ? a | b : ((a * 3 + (b ^ b >> 29) * 0x9e3779b97f4a7c15ull) ^ a >> 31) | 1;
}

/* X(NAME, X, Y, the larger of them, its array, T, EXPR_OF_X_Y, IDENTITY, EXPR_OF_A_B) */
#define ZIPS(EACH)                                                                                           \
    EACH(dot, float, float, float, 0, float, x *y, 0, a + b)                                                 \
    EACH(weighed, i8, double, double, 1, double, x *y * (double)(i % 7), 0, a + b)                           \
    EACH(halves, float, u16, float, 0, float, x *y, 0, a + b)                                                \
    EACH(words, words3, u8, words3, 0, u64, (x.word[2] * (u64)(y + 1) + i) | 1, 0, traced(a, b))             \
    EACH(bytes, u8, u8, u8, 0, u64, ((u64)x << 8 | y) + i + 1, 0, traced(a, b))
/* X(NAME, In, Context, T, EXPR_OF_X_C, IDENTITY, EXPR_OF_A_B) */
#define WITHS(EACH)                                                                                          \
    EACH(distance, float, double, double, (x - c) * (x - c), 0, a + b)                                       \
    EACH(looked_up, u8, scaled, float, c.table[x] * c.scale, 0, a + b)

/* X(NAME, X, Y, the larger of them, its array, Context, T, EXPR_OF_X_Y_C, IDENTITY, EXPR_OF_A_B) */
#define ZIP_WITHS(EACH)                                                                                      \
    EACH(weighed_distance, float, double, double, 1, double, double, (x - c) * (x - c) * y, 0, a + b)        \
    EACH(looked_up_times, float, u8, float, 0, scaled, float, x *c.table[y] * c.scale, 0, a + b)

#define DEFINE_ZIP(NAME, X, Y, Larger, which, T, EXPR, ...)                                                  \
    DEFINE_REDUCE_ZIP(NAME, X, Y, T, EXPR, __VA_ARGS__)                                                      \
    static const X *NAME##_x;                                                                                \
    static const Y *NAME##_y;                                                                                \
    TREE_APART T NAME##_mapped(size_t i)                                                                     \
    {                                                                                                        \
        const X x = NAME##_x[i];                                                                             \
        const Y y = NAME##_y[i];                                                                             \
        return EXPR;                                                                                         \
    }                                                                                                        \
    DEFINE_TREE(NAME, Larger, T, ((void)x, NAME##_mapped(i)), __VA_ARGS__)
#define DEFINE_WITH(NAME, In, Context, T, EXPR, ...)                                                         \
    DEFINE_REDUCE_WITH(NAME, In, Context, T, EXPR, __VA_ARGS__)                                              \
    static Context NAME##_c;                                                                                 \
    TREE_APART T NAME##_mapped(In x)                                                                         \
    {                                                                                                        \
        const Context c = NAME##_c;                                                                          \
        return EXPR;                                                                                         \
    }                                                                                                        \
    DEFINE_TREE(NAME, In, T, NAME##_mapped(x), __VA_ARGS__)

#define DEFINE_ZIP_WITH(NAME, X, Y, Larger, which, Context, T, EXPR, ...)                                    \
    DEFINE_REDUCE_ZIP_WITH(NAME, X, Y, Context, T, EXPR, __VA_ARGS__)                                        \
    static const X *NAME##_x;                                                                                \
    static const Y *NAME##_y;                                                                                \
    static Context NAME##_c;                                                                                 \
    TREE_APART T NAME##_mapped(size_t i)                                                                     \
    {                                                                                                        \
        const X x = NAME##_x[i];                                                                             \
        const Y y = NAME##_y[i];                                                                             \
        const Context c = NAME##_c;                                                                          \
        return EXPR;                                                                                         \
    }                                                                                                        \
    DEFINE_TREE(NAME, Larger, T, ((void)x, NAME##_mapped(i)), __VA_ARGS__)

ZIPS(DEFINE_ZIP)
WITHS(DEFINE_WITH)
ZIP_WITHS(DEFINE_ZIP_WITH)

enum { MOST = 150000, ASKEW = 3 };
static union {
    u8 bytes[16 * (MOST + 16)];
    float floats[4 * (MOST + 16)];
    double doubles[2 * (MOST + 16)];
} first, second;

static void fill(void)
{
    u64 hash = 1;
    for (size_t k = 0; k < sizeof first; k++) {
        hash = hash * 6364136223846793005ull + 1442695040888963407ull;
        first.bytes[k] = (u8)(hash >> 56), second.bytes[k] = (u8)(hash >> 48);
    }
}

static const size_t sizes[] = {0, 1, 2, 7, 16, 63, 64, 65, 255, 256, 257, 1000, 1024, 3072, 3073, 4097, 20000, 70001, MOST};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Floats are made of bytes, so that all are numbers. */
static void to_floats(void)
{
    for (size_t k = 0; k < COUNT(first.floats); k++) {
        first.floats[k] = (float)first.bytes[4 * k] / 7 - 17;
        second.floats[k] = (float)second.bytes[4 * k] / 3 - 40;
    }
}

#define CHECK_OF_TWO(NAME, X, Y, Larger, which, T, ...)                                                      \
    for (size_t k = 0; k < COUNT(sizes); k++)                                                                \
        for (size_t off = 0; off < ASKEW; off++) {                                                           \
            NAME##_x = (const X *)(const void *)first.bytes + off;                                           \
            NAME##_y = (const Y *)(const void *)second.bytes + (off == 2 ? 1 : 0);                           \
            const Larger *const larger = (const Larger *)(which ? (const void *)NAME##_y : (const void *)NAME##_x);\
            const T tree = NAME##_tree(larger, sizes[k]), got = NAME##_cpu(__VA_ARGS__);                     \
            cr_expect(memcmp(&tree, &got, sizeof(T)) == 0, "%s of %zu elements, %zu askew", #NAME, sizes[k], off);\
        }
#define CHECK_ZIP(NAME, X, Y, Larger, which, T, ...)                                                         \
    CHECK_OF_TWO(NAME, X, Y, Larger, which, T, NAME##_x, NAME##_y, sizes[k])
#define CHECK_ZIP_WITH(NAME, X, Y, Larger, which, Context, T, ...)                                           \
    CHECK_OF_TWO(NAME, X, Y, Larger, which, T, NAME##_x, NAME##_y, sizes[k], NAME##_c)
#define CHECK_WITH(NAME, In, Context, T, ...)                                                                \
    for (size_t k = 0; k < COUNT(sizes); k++) {                                                              \
        const In *const in = (const In *)(const void *)first.bytes + 1;                                      \
        const T tree = NAME##_tree(in, sizes[k]), got = NAME##_cpu(in, sizes[k], NAME##_c);                  \
        cr_expect(memcmp(&tree, &got, sizeof(T)) == 0, "%s of %zu elements", #NAME, sizes[k]);               \
    }

static void fill_numbers(void)
{
    fill();
    to_floats();
    for (size_t k = 0; k < COUNT(second.doubles); k++) second.doubles[k] = (double)(k * 2654435761u % 1000) / 7;
}

Test(inputs_in_c, two_arrays, .init = fill_numbers)
{
    ZIPS(CHECK_ZIP)
}

Test(inputs_in_c, contexts, .init = fill_numbers)
{
    static float table[256];
    for (int k = 0; k < 256; k++) table[k] = (float)k / 3 - 11;
    looked_up_c.table = table, looked_up_c.scale = 0.7f;
    distance_c = 1.0 / 3;
    WITHS(CHECK_WITH)
    looked_up_times_c = looked_up_c, weighed_distance_c = 1.0 / 3;
    ZIP_WITHS(CHECK_ZIP_WITH)
}
