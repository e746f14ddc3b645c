/*
 * tools/random-programs fills this in: a type, an operator, a map, a number of elements, shapes. Each program
 * reduces the same data by every executor and in every scale, and compares with a plain evaluation, one value
 * after the other: of tree.h for arrays, of grid.h for warps, blocks and grids. A batch of programs may define the
 * tree's constants and TREE_OF_BATCH first: they are then those of a small tree.
 */
#ifndef RANDOM_H
#define RANDOM_H

#define CHECK_ALONE
#ifdef TREE_OF_BATCH
#include "../small_tree.h"
#endif
#include "../check.h"
#include "../grid.h"

struct random_program {
    unsigned long long seed;
    size_t n, stripes, offset; /* elements, and whole stripes of them more; how many lie before them */
    dim3 grid, block; /* of the kernels that call NAME_block and NAME_grid */
    int width;        /* of NAME_tile */
};

static bool random_is_right = true;

HELPER void random_expect(const void *got, const void *expected, size_t size, const char *what,
                          const struct random_program *p)
{
    if (memcmp(got, expected, size) == 0) return;
    printf("WRONG: seed %llu, %s: %s, not %s\n", p->seed, what, bits_in_hex(got, size),
           bits_in_hex(expected, size));
    random_is_right = false;
}

HELPER void random_fill(void *to, size_t size, u64 seed)
{
    for (size_t k = 0; k < size; k += 8) {
        const u64 bits = mixed(seed + k);
        memcpy((char *)to + k, &bits, size - k < 8 ? size - k : 8);
    }
}

static u64 random_state;

HELPER size_t random_below(size_t end)
{
    random_state = mixed(random_state);
    return end == 0 ? 0 : (size_t)(random_state >> 8) % end;
}

/* Up to so many elements: few of them, about some lanes, within some stripes, about a number of stripes up to the
   highest chunks, or of any magnitude. */
HELPER size_t random_length(size_t element, size_t most)
{
    const size_t stripe = tree_stripe(element), about = random_below(3);
    size_t n = random_below(10);
    switch (random_below(6)) {
        case 0: break;
        case 1: n = (tree_positions(element) << random_below(9)) + about - 1; break;
        case 2: n = random_below(3 * stripe); break;
        case 3: n = stripe * (1 + random_below(3 * TREE_LOW)) + about - 1; break;
        case 4: n = stripe * random_below(2 * TREE_TALL * TREE_MAX_CHUNKS) + random_below(stripe); break;
        default: n = random_below((size_t)1 << random_below(17)); break;
    }
    return n <= most ? n : n % (most + 1);
}

/* Operators on words of any unsigned type; a and b stand for one field of two values. */
HELPER_BOTH u64 random_modular_sum(u64 a, u64 b, u64 modulus)
{
    return (a % modulus + b % modulus) % modulus;
}

HELPER_BOTH u64 random_modular_product(u64 a, u64 b, u64 modulus)
{
    return a % modulus * (b % modulus) % modulus;
}

HELPER_BOTH u64 random_gcd(u64 a, u64 b)
{
    while (b != 0) {
        const u64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The functions of one program, beside those of DEFINE_REDUCE_MAP and DEFINE_TREE: NAME_random(p) runs it. */
#define RANDOM_PROGRAM(NAME, In, T)                                                                         \
    struct NAME##_results {                                                                                 \
        T warp[1024], tile[1024], block[1024], grid;                                                        \
        unsigned seen;                                                                                      \
    };                                                                                                      \
    static __global__ void NAME##_scales(const T *in, int width, reduce_workspace *ws,                      \
                                         struct NAME##_results *out)                                        \
    {                                                                                                       \
        const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);              \
        const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);        \
        const T x = in[block * blockDim.x * blockDim.y * blockDim.z + thread];                              \
        const T warp = NAME##_warp(x), tile = NAME##_tile(x, width), all = NAME##_block(x);                 \
        if (block == 0) {                                                                                   \
            out->warp[thread] = warp;                                                                       \
            out->tile[thread] = tile;                                                                       \
            out->block[thread] = all;                                                                       \
        }                                                                                                   \
        if (NAME##_grid(x, ws, &out->grid)) atomicAdd(&out->seen, 1u);                                      \
    }                                                                                                       \
    DEFINE_FOLDS(NAME, T, NAME##_tree_identity(), NAME##_tree_combine)                                      \
    static void NAME##_random_scales(const struct random_program *p, reduce_workspace *ws)                  \
    {                                                                                                       \
        static struct NAME##_results got;                                                                   \
        const int blocks = (int)(p->grid.x * p->grid.y * p->grid.z);                                        \
        const int threads = (int)(p->block.x * p->block.y * p->block.z);                                    \
        T *in = (T *)malloc(sizeof(T) * (size_t)(blocks * threads));                                        \
        In *elements = (In *)calloc((size_t)(blocks * threads), sizeof(In));                                \
        NAME##_random_fill(elements, (size_t)(blocks * threads), p->seed + 1);                              \
        for (int k = 0; k < blocks * threads; k++) in[k] = NAME##_tree_map(elements[k], (size_t)k);         \
        T *device = (T *)to_device(in, sizeof(T) * (size_t)(blocks * threads));                             \
        struct NAME##_results *out = (struct NAME##_results *)device_room(sizeof got, 0);                   \
        NAME##_scales<<<p->grid, p->block>>>(device, p->width, ws, out);                                    \
        check_launch();                                                                                     \
        from_device(&got, out, sizeof got);                                                                 \
        const T all = NAME##_settled(NAME##_of_block(in, threads));                                         \
        const T grid = NAME##_settled(NAME##_of_grid(in, blocks, threads));                                 \
        for (int k = 0; k < threads; k++) {                                                                 \
            const int first = k / 32 * 32, left = threads - first, start = k / p->width * p->width;         \
            const int in_tile = threads - start < p->width ? threads - start : p->width;                    \
            const T warp = NAME##_settled(NAME##_folded(in + first, left < 32 ? left : 32));                \
            const T tile = NAME##_settled(NAME##_folded(in + start, in_tile));                              \
            random_expect(&got.warp[k], &warp, sizeof(T), "warp", p);                                       \
            random_expect(&got.tile[k], &tile, sizeof(T), "tile", p);                                       \
            random_expect(&got.block[k], &all, sizeof(T), "block", p);                                      \
        }                                                                                                   \
        random_expect(&got.grid, &grid, sizeof(T), "grid", p);                                              \
        if (got.seen != (unsigned)threads) random_expect("a", "b", 1, "threads that see the grid's", p);    \
        CHECK(cudaFree(device));                                                                            \
        CHECK(cudaFree(out));                                                                               \
        free(in);                                                                                           \
        free(elements);                                                                                     \
    }                                                                                                       \
    static void NAME##_random_array(const struct random_program *p, reduce_workspace *ws)               \
    {                                                                                                   \
        const size_t n = p->n + p->stripes * tree_stripe(sizeof(In));                                   \
        In *room = (In *)calloc(p->offset + n + 1, sizeof(In)), *in = room + p->offset;                 \
        NAME##_random_fill(room, p->offset + n + 1, p->seed);                                           \
        In *device = (In *)to_device(room, (p->offset + n + 1) * sizeof(In)) + p->offset;               \
        T *out = (T *)device_room(sizeof(T), 0x5a), got;                                                \
        const T tree = NAME##_tree(in, n);                                                              \
        got = NAME##_cpu(in, n);                                                                        \
        random_expect(&got, &tree, sizeof got, "cpu", p);                                               \
        CHECK(NAME(in, n, &got));                                                                       \
        random_expect(&got, &tree, sizeof got, "call", p);                                              \
        CHECK(NAME##_async(device, n, out, ws, 0));                                                     \
        from_device(&got, out, sizeof got);                                                             \
        random_expect(&got, &tree, sizeof got, "async", p);                                             \
        CHECK(NAME##_last_block(device, n, out, ws, 0));                                                \
        from_device(&got, out, sizeof got);                                                             \
        random_expect(&got, &tree, sizeof got, "last_block", p);                                        \
        CHECK(NAME##_two_launch(device, n, out, ws, 0));                                                \
        from_device(&got, out, sizeof got);                                                             \
        random_expect(&got, &tree, sizeof got, "two_launch", p);                                        \
        CHECK(cudaFree(device - p->offset));                                                            \
        CHECK(cudaFree(out));                                                                           \
        free(room);                                                                                     \
    }                                                                                                   \
    static void NAME##_random(const struct random_program *p, reduce_workspace *ws)                         \
    {                                                                                                       \
        NAME##_random_array(p, ws);                                                                         \
        NAME##_random_scales(p, ws);                                                                        \
    }

/* NAME_random_fill and NAME_random_fill_second, of arrays whose type the caller does not know. */
#define RANDOM_FILLS(NAME, X, Y)                                                                        \
    static void NAME##_random_fill_x(void *to, size_t n, u64 seed)                                      \
    {                                                                                                   \
        NAME##_random_fill((X *)to, n, seed);                                                           \
    }                                                                                                   \
    static void NAME##_random_fill_y(void *to, size_t n, u64 seed)                                      \
    {                                                                                                   \
        NAME##_random_fill_second((Y *)to, n, seed);                                                    \
    }

#endif
