/* The calls between simt.cc and the recorder. Without SIMT_RECORD they do nothing. */
#ifndef SIMT_RECORD_H
#define SIMT_RECORD_H
#include <stddef.h>
#include <stdint.h>

/* Where an access goes, without an address that would differ from run to run: s static and d dynamic shared memory of the
 * thread's block, g device memory (`number`: the how manieth allocation), v variables of the program. */
struct simt_place {
  char space;
  unsigned number;
  size_t offset;
};

#ifdef SIMT_RECORD
bool simt_running(uint64_t *block, unsigned *thread);  /* false on the host */
bool simt_place_of(const void *p, simt_place *place);   /* false for a thread's own memory, and the host's */

void record_launch(unsigned blocks, unsigned threads);
void record_end();
/* One thread's part of a collective; all who meet have the same `meeting`. `lane`: whose value a shuffle takes, or -1. */
void record_meeting(uint64_t block, unsigned thread, const char *name, uint64_t meeting, int lane);
void record_atomic(const void *p, size_t size);
void record_fence(int scope);
#else
static inline void record_launch(unsigned, unsigned) {}
static inline void record_end() {}
static inline void record_meeting(uint64_t, unsigned, const char *, uint64_t, int) {}
static inline void record_atomic(const void *, size_t) {}
static inline void record_fence(int) {}
#endif
#endif
