/*
 * Fixes who works on main memory, for programs in which the machine's speed must not decide. Include it before
 * reduce.cuh, with one of
 *     SHARE_NOT     the CPU works alone
 *     SHARE_WHOLE   the GPU works alone, on a copy of pageable memory
 *     SHARE_TOLD    both work; the program changes sharing as it needs
 */
#ifndef SHARE_H
#define SHARE_H

#include <stddef.h>
#include <stdint.h>

static struct {
    double alone_takes, together_takes, together_pays, copying_pays, waking_pays;
    double copying_factor, costly, guess, longest_batch, slower, hope;
    size_t whole, buffer, buffers, first_batch;
    double cheap, plain_takes; /* 0, if a program does not say */
    size_t few;
} sharing =
#if defined SHARE_NOT
    {1e30, 1e30, 1e30, 1e30, 1e30, 0, 0, 1, 1e6, 16, 1e6, SIZE_MAX, (size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 16, 0, 0, 0};
#elif defined SHARE_WHOLE
    {1e30, 1e30, 1e30, 0, 0, 0, 0, 1, 1e6, 16, 1e6, SIZE_MAX, (size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 16, 0, 0, 0};
#elif defined SHARE_TOLD
    {0, 0, 0, 0, 0, 0, 0, 1, 1e6, 1e30, 0, 0, 5000, (size_t)1 << 20, 9000, 0, 0, 0};
#endif

#define REDUCE_SHARE_OF_TESTS_
#define REDUCE_ALONE_TAKES_ sharing.alone_takes
#define REDUCE_TOGETHER_TAKES_ sharing.together_takes
#define REDUCE_TOGETHER_PAYS_ sharing.together_pays
#define REDUCE_COPYING_PAYS_(bytes) sharing.copying_pays
#define REDUCE_WAKING_PAYS_ sharing.waking_pays
#define REDUCE_COPYING_FACTOR_ sharing.copying_factor
#define REDUCE_GLANCE_ 64
#define REDUCE_PROBE_ 1024
#define REDUCE_COSTLY_ sharing.costly
#define REDUCE_CHEAP_ sharing.cheap
#define REDUCE_PLAIN_TAKES_ sharing.plain_takes
#define REDUCE_FEW_ sharing.few
#define REDUCE_GUESS_ sharing.guess
#define REDUCE_WHOLE_ sharing.whole
#define REDUCE_CUDA_PART_ sharing.buffer
#define REDUCE_BUFFER_ sharing.buffer
#define REDUCE_BUFFERS_ sharing.buffers
#define REDUCE_FIRST_BATCH_ sharing.first_batch
#define REDUCE_LONGEST_BATCH_ sharing.longest_batch
#define REDUCE_SLOWER_ sharing.slower
#define REDUCE_HOPE_ sharing.hope

#endif
