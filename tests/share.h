/*
 * Fixes who works on main memory, for programs that count the CUDA calls of the simple call: the machine's speed must not
 * decide. Include it before reduce.cuh, with one of
 *     SHARE_NOT     the CPU works alone
 *     SHARE_WHOLE   the GPU works alone, on a copy
 */
#ifndef SHARE_H
#define SHARE_H

#include <stddef.h>
#include <stdint.h>

#define REDUCE_SHARE_OF_TESTS_
#ifdef SHARE_NOT
#define REDUCE_PINNED_PAYS_ 1e30
#define REDUCE_TRIP_PAYS_(bytes) 1e30
#define REDUCE_WAKING_PAYS_ 1e30
#else
#define REDUCE_PINNED_PAYS_ 1e30 /* read in place: for test_host.cu */
#define REDUCE_TRIP_PAYS_(bytes) 0.
#define REDUCE_WAKING_PAYS_ 0.
#endif
#define REDUCE_COPYING_FACTOR_ 0
#define REDUCE_PROBE_ 1024
#define REDUCE_COSTLY_ 0.
#define REDUCE_GUESS_ 1.
#define REDUCE_WHOLE_ SIZE_MAX
#define REDUCE_BUFFER_ ((size_t)1 << 16)
#define REDUCE_BUFFERS_ ((size_t)1 << 20)
#define REDUCE_FIRST_BATCH_ ((size_t)1 << 16)
#define REDUCE_LONGEST_BATCH_ 1e6
#define REDUCE_SLOWER_ 16
#define REDUCE_HOPE_ 1e6

#endif
