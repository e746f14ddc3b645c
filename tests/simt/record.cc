/* The recorder of `simt++ --record`: what each thread of a kernel does, as lines of text in $SIMT_RECORD.
 *
 * Plain loads and stores are seen because the program is compiled as for the thread sanitizer, but linked with this file
 * in its place; branches, because the compiler's coverage calls in at the start of each basic block. The code under test is
 * not changed. warps.py reads the lines:
 *
 *     launch BLOCKS THREADS            a launch begins
 *     BLOCK THREAD b CODE              a basic block; CODE is its place in the program
 *     BLOCK THREAD r SPACE OFFSET SIZE CODE    a load (w: a store, a: an atomic)
 *     BLOCK THREAD m NAME MEETING LANE a collective; who meet share MEETING; LANE is whose value a shuffle takes, or -1
 *     BLOCK THREAD f SCOPE             a fence
 *
 * Lines of one thread are in its order; lines of different threads are in the order in which the simulator ran them. */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>

static FILE *file;
static bool is_open;  /* a kernel runs, and is recorded */
extern "C" char __executable_start;

static unsigned long code_of(const void *return_address) {
  return (unsigned long)((const char *)return_address - &__executable_start);
}

void record_launch(unsigned blocks, unsigned threads) {
  if (!file && getenv("SIMT_RECORD")) {
    file = fopen(getenv("SIMT_RECORD"), "w");
    if (!file) perror("SIMT_RECORD"), exit(2);
  }
  is_open = file != nullptr;
  if (is_open) fprintf(file, "launch %u %u\n", blocks, threads);
}

void record_end() {
  is_open = false;
  if (file) fflush(file);
}

/* Whether the caller is a thread of a recorded kernel; its name begins the line. */
static bool begin_line() {
  uint64_t block;
  unsigned thread;
  if (!is_open || !simt_running(&block, &thread)) return false;
  fprintf(file, "%lu %u ", (unsigned long)block, thread);
  return true;
}

static void access(char kind, const void *p, size_t size, const void *from) {
  simt_place place;
  if (!is_open || !simt_place_of(p, &place) || !begin_line()) return;
  fprintf(file, "%c %c%u %zu %zu %lx\n", kind, place.space, place.number, place.offset, size, code_of(from));
}

void record_meeting(uint64_t block, unsigned thread, const char *name, uint64_t meeting, int lane) {
  if (is_open) fprintf(file, "%lu %u m %s %lu %d\n", (unsigned long)block, thread, name, (unsigned long)meeting, lane);
}
void record_atomic(const void *p, size_t size) { access('a', p, size, &__executable_start); }
void record_fence(int scope) {
  if (begin_line()) fprintf(file, "f %d\n", scope);
}

/* ---- what the compiler calls ---- */

#define FROM __builtin_return_address(0)
#define ACCESSES(size)                                                                                        \
  void __tsan_read##size(void *p) { access('r', p, size, FROM); }                                             \
  void __tsan_write##size(void *p) { access('w', p, size, FROM); }                                            \
  void __tsan_unaligned_read##size(void *p) { access('r', p, size, FROM); }                                   \
  void __tsan_unaligned_write##size(void *p) { access('w', p, size, FROM); }

/* Made by an atomic operation of the simulator, which has told of itself, or by the program's own host code. */
#define ATOMICS(bits)                                                                                         \
  uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *p, int) {                          \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                              \
  }                                                                                                           \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t *p, uint##bits##_t value, int) {                   \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                             \
  }

extern "C" {
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
void __tsan_read_range(void *p, size_t size) { access('r', p, size, FROM); }
void __tsan_write_range(void *p, size_t size) { access('w', p, size, FROM); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_init() {}
void __sanitizer_cov_trace_pc() {
  if (begin_line()) fprintf(file, "b %lx\n", code_of(FROM));
}
}
