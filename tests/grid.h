/*
 * The results that the functions of warps, blocks and grids must give, computed one value after the other. A fold adds the
 * upper half onto the lower, where there is an upper half: first for each warp of a block, then for the warps' results.
 *
 *     DEFINE_FOLDS(NAME, T, IDENTITY, COMBINE)    COMBINE is a function of two values
 *
 *     T NAME_folded(const T *from, int count)                  up to 32 values
 *     T NAME_of_block(const T *from, int threads)              the values of a block
 *     T NAME_of_grid(const T *from, int blocks, int threads)   those of a grid, with TREE_SLOTS slots
 *     T NAME_settled(T x)                                      a result as users get it
 */
#ifndef GRID_H
#define GRID_H

#include "tree.h"

/* The fold of a grid. Each block b but the last combines its result into slot b % TREE_SLOTS, in the order of
   blocks. Thread t of one block takes the slots t, t + threads, ... The thread that would take the next slot takes the
   last block's result. Then the threads fold. */
#define DEFINE_FOLDS(NAME, T, IDENTITY, COMBINE)                                                           \
    TREE_UNUSED T NAME##_folded(const T *from, int count)                                                  \
    {                                                                                                      \
        T x[32];                                                                                           \
        if (count <= 0) return IDENTITY;                                                                   \
        for (int k = 0; k < count; k++) x[k] = COMBINE(IDENTITY, from[k]);                                 \
        for (int half = 16; half >= 1; half /= 2)                                                          \
            for (int k = 0; k < half; k++)                                                                 \
                if (k + half < count) x[k] = COMBINE(x[k], x[k + half]);                                   \
        return x[0];                                                                                       \
    }                                                                                                      \
    TREE_UNUSED T NAME##_of_block(const T *from, int threads)                                              \
    {                                                                                                      \
        T of_warp[32];                                                                                     \
        memset((void *)of_warp, 0, sizeof of_warp); /* compilers do not see that threads > 0 */            \
        for (int w = 0; w * 32 < threads; w++)                                                             \
            of_warp[w] = NAME##_folded(from + w * 32, threads - w * 32 < 32 ? threads - w * 32 : 32);      \
        return NAME##_folded(of_warp, (threads + 31) / 32);                                                \
    }                                                                                                      \
    TREE_UNUSED T NAME##_of_grid(const T *from, int blocks, int threads)                                   \
    {                                                                                                      \
        static T slots[TREE_SLOTS], of_thread[1024];                                                       \
        if (blocks == 1) return NAME##_of_block(from, threads);                                            \
        for (int k = 0; k < TREE_SLOTS; k++) slots[k] = IDENTITY;                                          \
        for (int k = 0; k < threads; k++) of_thread[k] = IDENTITY;                                         \
        for (int b = 0; b < blocks - 1; b++) {                                                             \
            const T x = NAME##_of_block(from + (size_t)b * (size_t)threads, threads);                      \
            slots[b % TREE_SLOTS] = b < TREE_SLOTS ? x : COMBINE(slots[b % TREE_SLOTS], x);                \
        }                                                                                                  \
        const int used = blocks - 1 < TREE_SLOTS ? blocks - 1 : TREE_SLOTS, own = (blocks - 1) % threads;  \
        for (int k = 0; k < used; k++)                                                                     \
            of_thread[k % threads] = COMBINE(of_thread[k % threads], slots[k]);                            \
        const T last = NAME##_of_block(from + (size_t)(blocks - 1) * (size_t)threads, threads);            \
        of_thread[own] = COMBINE(of_thread[own], last);                                                    \
        return NAME##_of_block(of_thread, threads);                                                        \
    }                                                                                                      \
    TREE_UNUSED T NAME##_settled(T x)                                                                      \
    {                                                                                                      \
        tree_canonical(&x, TREE_KIND(T));                                                                  \
        return x;                                                                                          \
    }

#endif
