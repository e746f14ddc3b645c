/* Functions of the simulator for tests, beyond CUDA. */
#ifndef SIMT_H
#define SIMT_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order of threads from the next kernel on: 0 forward, 1 reverse, others random (the environment's SIMT_SEED). */
void simt_seed(unsigned seed);

/* How many blocks are in flight at once, 1 to 320 (SIMT_BLOCKS; 4 unless told). */
void simt_blocks(int blocks);

/* Whether the blocks of a grid start from the last to the first (SIMT_BACKWARDS=1), which CUDA does not forbid. */
void simt_backwards(int on);

/* How long a thread may wait before it is said to wait for ever (SIMT_PATIENCE; 30 seconds unless told). */
void simt_patience(double seconds);

/* The `nth` call of this kind from now on fails, once; 0 cancels; -1 is returned for an unknown kind (SIMT_FAIL=malloc:2,sync:1).
 * Kinds: malloc, free, memcpy, memset, launch, stream, event, sync, graph, device (queries of devices and pointers). */
int simt_fail_after(const char *kind, int nth);

/* Calls of this kind so far, failed ones included; so a test can count the calls, then fail each in turn. */
long simt_calls(const char *kind);

/* The same of the calls of this host thread alone: what the other threads do meanwhile does not matter. */
int simt_fail_own(const char *kind, int nth);
long simt_own_calls(const char *kind);

/* Allocations of the runtime that have not been freed, all kinds together. */
size_t simt_live_allocations(void);
size_t simt_live_bytes(void);

/* From now on, kernels that use this allocation by atomics must be ordered, by their stream, by events or by the host's
 * waiting; two that are not stop the program. 0, or -1 where p is in no allocation. */
int simt_serves_one(void *p);

/* A given order of atomics, from the next kernel on. Threads go on until each of them stands before an atomic, waits or has
 * ended; then one of those that stand acts: the one whose number the next of the `choices` says, counted from 0 in the order of
 * blocks and threads, or the first when there are no more choices. Where only one stands, that is no choice. A thread that
 * has looked at a place twice since it last found or made a change does not count while that place stays as it is.
 * When no others are left, all that stand take turns, until the kernel ends. Fences are no places to stop at. */
void simt_follow(const unsigned char *choices, size_t count);

/* The same with choices at random, of the first 256 that stand (SIMT_WANDER=seed, from the first kernel on). */
void simt_wander(unsigned seed);

/* The same, where a function chooses, also where only one thread stands. With a count of 0 it is told that all will take turns.
 * (Not under the thread sanitizer, to which each call of it comes from another thread.) */
struct simt_stand {
  unsigned block, thread;
  const void *at;
};
typedef unsigned simt_chooser(const struct simt_stand *stand, unsigned count);
void simt_ask(simt_chooser *choose);

/* Whether the last atomic of a given order has changed what it found. */
int simt_changed(void);

/* The choices made since the order was given; returns their number. Good until the next kernel. */
size_t simt_path(const unsigned char **choices);

/* Forgets this host thread's last error and all pending failures but those of other host threads. */
void simt_clear(void);

#ifdef __cplusplus
}
#endif
#endif
