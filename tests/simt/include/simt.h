/* What a test may ask of the simulator beyond CUDA. */
#ifndef SIMT_H
#define SIMT_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order of threads from the next kernel on: 0 forward, 1 reverse, others random (the environment's SIMT_SEED). */
void simt_seed(unsigned seed);

/* How many blocks are in flight at once, 1 to 64 (SIMT_BLOCKS; 4 unless told). */
void simt_blocks(int blocks);

/* The `nth` call of this kind from now on fails, once; 0 cancels; -1 is returned for an unknown kind (SIMT_FAIL=malloc:2,sync:1).
 * Kinds: malloc, free, memcpy, memset, launch, stream, event, sync, graph, device (queries of devices and pointers). */
int simt_fail_after(const char *kind, int nth);

/* Calls of this kind so far, failed ones included; so a test can count the calls, then fail each in turn. */
long simt_calls(const char *kind);

/* Allocations of the runtime that have not been freed, all kinds together. */
size_t simt_live_allocations(void);
size_t simt_live_bytes(void);

/* From now on, kernels that use this allocation by atomics must be ordered, by their stream, by events or by the host's
 * waiting; two that are not stop the program. 0, or -1 where p is in no allocation. */
int simt_serves_one(void *p);

/* A given order of blocks, from the next kernel on: before every atomic and every fence, and where a block ends, one of
 * the blocks in flight goes on: that of the number `choices` says, counted from 0 in the order of their indices, or the
 * first when there are no more choices. A thread that looks at the same place again and again while no atomic changes
 * anything is not among them until one does. Threads of a block go in order. */
void simt_follow(const unsigned char *choices, size_t count);

/* The same with choices at random. */
void simt_wander(unsigned seed);

/* The choices made since then, and among how many each; returns their number. Good until the next kernel. */
size_t simt_path(const unsigned char **choices, const unsigned char **options);

/* Forgets this host thread's last error and all pending failures. */
void simt_clear(void);

#ifdef __cplusplus
}
#endif
#endif
