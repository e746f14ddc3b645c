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

/* Forgets this host thread's last error and all pending failures. */
void simt_clear(void);

#ifdef __cplusplus
}
#endif
#endif
