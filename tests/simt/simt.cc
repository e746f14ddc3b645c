/* The simulator's runtime: fibers, the warp and the block, blocks in flight, the rules, memory, streams and graphs.
 *
 * This file is never instrumented by a sanitizer; it tells the sanitizers what they have to know. Exactly one OS thread runs
 * at any time: the host, or one block in flight. They pass a baton by futex, which the thread sanitizer does not see. */
#define SIMT_BUILTIN  /* here threadIdx and its kin are written */
#include "cuda_runtime.h"
#include "record.h"
#include "simt.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ======== what the sanitizers are told ======== */

#ifdef SIMT_TSAN
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *token);
void __tsan_release(void *token);
}
static const bool TSAN = true;
extern "C" const char *__tsan_default_options() { return "atexit_sleep_ms=0"; }  /* no thread is left by then */
static void *tsan_self() { return __tsan_get_current_fiber(); }
static void *tsan_create() { return __tsan_create_fiber(0); }
static void tsan_destroy(void *f) { if (f) __tsan_destroy_fiber(f); }
static void tsan_switch(void *f) { __tsan_switch_to_fiber(f, 1); }  /* 1: the switch itself orders nothing */
static void tsan_acquire(void *token) { __tsan_acquire(token); }
static void tsan_release(void *token) { __tsan_release(token); }
#else
static const bool TSAN = false;
static void *tsan_self() { return nullptr; }
static void *tsan_create() { return nullptr; }
static void tsan_destroy(void *) {}
static void tsan_switch(void *) {}
static void tsan_acquire(void *) {}
static void tsan_release(void *) {}
#endif

#ifdef SIMT_ASAN
extern "C" {
void __asan_poison_memory_region(void const volatile *p, size_t n);
void __asan_unpoison_memory_region(void const volatile *p, size_t n);
void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size);
}
static const bool ASAN = true;
#ifdef __clang__
extern "C" const char *__asan_default_options() { return "detect_leaks=0"; }  /* clang 14's tracer does not survive fibers */
#endif
static void asan_poison(void *p, size_t n) { __asan_poison_memory_region(p, n); }
static void asan_unpoison(void *p, size_t n) { __asan_unpoison_memory_region(p, n); }
static void asan_leave(void **save, const void *bottom, size_t size) { __sanitizer_start_switch_fiber(save, bottom, size); }
static void asan_arrive(void *save, const void **bottom, size_t *size) { __sanitizer_finish_switch_fiber(save, bottom, size); }
#else
static const bool ASAN = false;
static void asan_poison(void *, size_t) {}
static void asan_unpoison(void *, size_t) {}
static void asan_leave(void **, const void *, size_t) {}
static void asan_arrive(void *, const void **, size_t *) {}
#endif

/* ======== threads, warps, blocks ======== */

enum { PAGE = 4096, GUARD = 64 << 10, STACK = ASAN ? 256 << 10 : 128 << 10, SHARED = 256 << 10, SLOTS = 320, STOPPED = 86 };

static const char *const NAMES[] = {
  "__syncthreads", "__syncthreads_or", "__syncthreads_and", "__syncthreads_count",
  "__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
  "__ballot_sync", "__any_sync", "__all_sync", "__match_any_sync", "__match_all_sync",
  "__reduce_add_sync", "__reduce_min_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_max_sync",
  "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync"
};

struct Call { simt_op op; unsigned mask; int arg, width; const char *file; int line; };

struct Stack {  /* a fiber; runs one CUDA thread after another */
  char *map;  /* a guard page, then STACK bytes */
  bool entered;
  void *jump[5];
  void *fake;  /* ASan's */
  Stack *next;  /* of the idle ones */
};

struct Meeting { unsigned guests; };  /* one instance of a barrier: the thread sanitizer's token */

struct Relay { void *out, *in; };  /* out: what a fence has published; in: what atomics have read, for the next fence */

struct Looks {  /* where a thread has looked since it last found or made a change, what it found, and how often */
  const void *at[32];
  uint64_t found[32];
  unsigned times[32], used;
};

struct Thread {
  unsigned index, lane;
  uint3 at;
  enum { READY, WAITING, GONE } state;
  Call call;
  uint64_t value, result;
  Stack *stack;
  Meeting *meeting;
  void *fiber;
  Relay relay[2];  /* of the device's and the block's scope */
  const void *stands;  /* before an atomic on so many bytes there; see simt_follow */
  size_t stands_size;
  bool gathers;  /* in __activemask */
  Looks *looks;
};

struct Warp {
  unsigned exist, gone, waiting;
  unsigned alike;  /* lanes that wait in one and the same call, with the same mask: the last who came and who is like it */
};

struct Op;
struct Grid {  /* a launch in progress */
  dim3 grid, block;
  size_t shared;
  void (*call)(void *);
  void *closure;
  uint64_t blocks, next;
  unsigned in_air;
  bool is_over;
  char *done;  /* the token of its end, one for each launch */
  cudaStream_t stream;  /* whose work it is */
  const Op *op;
  Grid *outer;  /* the launch that was in progress when this one began, on another device */
};

struct Slot {  /* a place for one block in flight, with an OS thread of its own */
  Grid *grid;  /* none: the place is free */
  bool has_os_thread;
  int turn, cpu;  /* where its OS thread may run */
  uint3 block;
  unsigned threads, live, at_barrier, ready, next, polls;
  unsigned standing;  /* threads that stand before an atomic */
  bool quiet;  /* all that could go on do */
  Thread *now, *first_at_barrier;
  Thread thread[1024];
  Looks looks[1024];  /* of each thread, apart: few runs need them */
  Warp warp[32];
  unsigned short queue[1024], later[1024];  /* this round's, last first, and the next round's */
  Stack stack[1024], *idle;
  unsigned stacks;  /* so many have been used */
  char *region;  /* where they lie */
  void *home[5], *home_fake, *home_fiber;
  const void *home_bottom;
  size_t home_size;
  char *shared;  /* dynamic shared memory, `room` bytes of it accessible */
  size_t room;
  uint64_t *keys;  /* tokens of block scope */
  unsigned long number;  /* of the block, among those of this OS thread, from 1 on */
};

__thread uint3 threadIdx, blockIdx;
__thread dim3 blockDim, gridDim;

static __thread Slot *self;  /* the block that this OS thread runs; none on the host */

static struct {  /* the launches in progress: one, or one on each of several devices */
  Grid *last;  /* the last one to begin; it ends first */
  int host_turn;
  Slot *flying[SLOTS];
  unsigned in_air;
  Slot *volatile holder;
  volatile unsigned long progress;
  unsigned long seen;  /* the progress when a thread polled last */
  unsigned vain;  /* polls since then */
  bool is_alone;  /* no other device has work that could begin */
  int cpu;  /* where its threads run; -1: anywhere */
  bool block_fences;
} launch;

static Slot *slots[SLOTS];
static int in_flight = 4;
static bool is_backwards;  /* blocks start from the last to the first */
static unsigned seed;
static uint64_t dice;
static double patience = 30;

static unsigned roll(unsigned sides) {
  dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
  return (unsigned)((dice >> 32) * sides >> 32);
}

/* ======== the rules ======== */

static void print_path();

static void print_stop(const Slot *s, const Thread *t, const char *format, va_list args) {
  char text[1200];
  int n = snprintf(text, sizeof text, "simt: ");
  n += vsnprintf(text + n, 900, format, args);
  if (n > 906) n = 906;
  if (t)
    n += snprintf(text + n, sizeof text - n, " [block (%u,%u,%u) thread (%u,%u,%u), lane %u]", s->block.x, s->block.y, s->block.z,
                  t->at.x, t->at.y, t->at.z, t->lane);
  text[n++] = '\n';
  fflush(nullptr);
  if (write(2, text, (size_t)n) < 0) {}
  print_path();
  _exit(STOPPED);
}
__attribute__((noreturn, format(printf, 3, 4))) static void stop(const Slot *s, const Thread *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_stop(s, t, format, args);
  va_end(args);
  _exit(STOPPED);
}
#define CALL "%s at %s:%d"
#define CALLED(t) NAMES[(t)->call.op], (t)->call.file, (t)->call.line

/* ======== fibers ======== */

/* The compiler must not know what these do: other fibers run, and use registers, before they return. */
#ifdef __clang__
#define OPAQUE __attribute__((noinline))
#else
#define OPAQUE __attribute__((noipa))
#endif
OPAQUE static void leap(void **to) { __builtin_longjmp(to, 1); }
OPAQUE static void hop(void **from, void **to) {
  if (!__builtin_setjmp(from)) leap(to);
}
OPAQUE static void enter(void **from, ucontext_t *to) {
  if (!__builtin_setjmp(from)) setcontext(to);
}

static void to_home(Slot *s, Stack *stack) {
  tsan_switch(s->home_fiber);
  asan_leave(&stack->fake, s->home_bottom, s->home_size);
  hop(stack->jump, s->home);
  asan_arrive(stack->fake, nullptr, nullptr);
}

static void thread_gone(Slot *s, Thread *t);

static void fiber() {
  Slot *s = self;
  asan_arrive(nullptr, &s->home_bottom, &s->home_size);
  for (;;) {
    Thread *t = s->now;
    s->grid->call(s->grid->closure);
    thread_gone(s, t);
    Stack *stack = t->stack;
    t->stack = nullptr;
    if (!TSAN) {
      stack->next = s->idle;
      s->idle = stack;
    }
    to_home(s, stack);
  }
}

/* Room for the stacks of a block. Under the thread sanitizer they have to be new to it, and made by the one whom all threads
 * follow; otherwise blocks use them again. */
static void make_stacks(Slot *s) {
  if (s->region && !TSAN) return;
  size_t size = (size_t)(PAGE + STACK) * (TSAN && s->region ? s->threads : 1024);
  s->region = (char *)mmap(s->region, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (s->region ? MAP_FIXED : 0), -1, 0);
  if (s->region == MAP_FAILED) stop(nullptr, nullptr, "no memory for the stacks of a block");
  s->idle = nullptr;
  s->stacks = 0;
}
static Stack *a_stack(Slot *s) {
  Stack *stack = s->idle;
  if (stack) return s->idle = stack->next, stack;
  stack = &s->stack[s->stacks];
  stack->map = s->region + (size_t)(PAGE + STACK) * s->stacks++;
  stack->entered = false;
  mprotect(stack->map, PAGE, PROT_NONE);
  return stack;
}

static void resume(Slot *s, Thread *t) {
  if (!t->stack) t->stack = a_stack(s);
  Stack *stack = t->stack;
  s->now = t;
  threadIdx = t->at;
  size_t usable = STACK - s->stacks % 32 * 128;  /* so that the stacks' tops do not share one set of the cache */
  asan_leave(&s->home_fake, stack->map + PAGE, STACK);
  if (stack->entered) {
    tsan_switch(t->fiber);
    hop(s->home, stack->jump);
  } else {
    stack->entered = true;
    ucontext_t c;
    getcontext(&c);
    c.uc_stack.ss_sp = stack->map + PAGE;
    c.uc_stack.ss_size = usable;
    c.uc_link = nullptr;
    makecontext(&c, fiber, 0);
    tsan_switch(t->fiber);
    enter(s->home, &c);
  }
  asan_arrive(s->home_fake, nullptr, nullptr);
}

static void make_ready(Slot *s, Thread *t) {
  t->state = Thread::READY;
  s->later[s->next++] = (unsigned short)t->index;
}

/* The next thread to run; threads run in rounds, and the seed orders each round. */
static Thread *pick(Slot *s) {
  if (!s->ready) {
    unsigned n = s->ready = s->next;
    s->next = 0;
    for (unsigned i = 0; i < n; i++) s->queue[seed == 1 ? i : n - 1 - i] = s->later[i];
    if (seed > 1)
      for (unsigned i = n; i > 1; i--) std::swap(s->queue[i - 1], s->queue[roll(i)]);
  }
  return s->ready ? &s->thread[s->queue[--s->ready]] : nullptr;
}

/* ======== the baton ======== */

static void give(int *turn) {
  __atomic_store_n(turn, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, turn, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}
static void await(int *turn) {
  for (int i = 0; !__atomic_load_n(turn, __ATOMIC_ACQUIRE);)
    if (++i > 100) syscall(SYS_futex, turn, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  __atomic_store_n(turn, 0, __ATOMIC_RELAXED);
}
/* A baton that wakes another CPU each time costs several times what it costs on one. So all OS threads of a launch stay on the
 * CPU where the host is at its start; between launches the host may run anywhere, so that the scheduler can move the program. */
static void stay_on(int cpu) {
  static bool is_known;
  static cpu_set_t all;
  if (!is_known && sched_getaffinity(0, sizeof all, &all)) return;
  is_known = true;
  cpu_set_t one;
  CPU_ZERO(&one);
  if (cpu >= 0) CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof all, cpu >= 0 ? &one : &all);
}

static void fly(Slot *s) {
  launch.holder = s;
  give(&s->turn);
}

static uint64_t index_of(const Slot *s) {
  return s->block.x + s->grid->grid.x * (s->block.y + (uint64_t)s->grid->grid.y * s->block.z);
}

/* The block after `s` in the round of blocks, or any block. */
static Slot *another(Slot *s) {
  unsigned n = launch.in_air, i = 0;
  while (i < n && launch.flying[i] != s) i++;
  return launch.flying[seed < 2 ? (i + 1) % n : roll(n)];
}

/* ======== a given order of atomics (simt_follow) ======== */

static struct {
  bool on, at_random, lost;
  simt_chooser *ask;
  std::vector<unsigned char> given, choices;
  std::vector<Slot *> block;  /* of each thread that may act */
  std::vector<simt_stand> stand;
  uint64_t before;  /* what an atomic has found */
  bool changed;  /* it, by the last one */
  unsigned turns, idle;  /* when all take turns; how many since something changed */
} path;
enum { LOOKS = 2, IDLE = 100 };  /* IDLE: turns of each thread in which nothing changes */

static void print_path() {
  if (!path.on) return;
  fprintf(stderr, "simt: in the order");
  for (size_t k = 0; k < path.choices.size(); k++) fprintf(stderr, "%c%d", k ? ',' : ' ', path.choices[k]);
  fprintf(stderr, "\n");
}

static uint64_t word_at(const void *p, size_t size) {  /* without memcpy, which the thread sanitizer would see */
  uint64_t word = 0;
  while (size--) word = word << 8 | ((const volatile unsigned char *)p)[size];
  return word;
}
static unsigned look_of(const Looks &looks, const void *p) {
  unsigned k = 0;
  while (k < looks.used && looks.at[k] != p) k++;
  return k;
}

/* Whether the thread would look once more at what it has seen often enough. That depends on what it has found itself and on
 * this place alone. */
static bool in_vain(const Thread *t) {
  const Looks &looks = *t->looks;
  unsigned k = look_of(looks, t->stands);
  return k < looks.used && looks.times[k] >= LOOKS && looks.found[k] == word_at(t->stands, t->stands_size);
}

/* After an atomic of `t` at p. */
static void remember(Thread *t, const void *p, size_t size) {
  Looks &looks = *t->looks;
  unsigned k = look_of(looks, p);
  path.changed = path.before != word_at(p, size);
  if (path.changed || k == sizeof looks.at / sizeof *looks.at || (k < looks.used && looks.found[k] != path.before)) k = looks.used = 0;
  if (path.changed) return;
  if (k == looks.used) looks.at[k] = p, looks.found[k] = path.before, looks.times[k] = 0, looks.used++;
  looks.times[k]++;
}

/* All that stand, or only those that do not look in vain; in the order of blocks and threads. */
static void gather(bool all) {
  path.block.clear();
  path.stand.clear();
  for (unsigned i = 0; i < launch.in_air; i++) {
    Slot *s = launch.flying[i];
    for (unsigned k = 0, left = s->standing; left; k++) {
      Thread *t = &s->thread[k];
      if (!t->stands) continue;
      left--;
      if (!all && in_vain(t)) continue;
      path.block.push_back(s);
      path.stand.push_back({(unsigned)index_of(s), k, t->stands});
    }
  }
}

/* The number of the thread that acts. When all look in vain, they take turns until the kernel ends. */
static size_t choose() {
  gather(path.lost);
  if (path.block.empty()) {
    path.lost = true;
    if (path.ask) path.ask(nullptr, 0);
    gather(true);
  }
  size_t n = path.block.size(), at = path.choices.size();
  unsigned choice = 0;
  if (path.lost) {
    path.idle = path.changed ? 0 : path.idle + 1;
    if (path.idle > IDLE * n) stop(path.block[0], &path.block[0]->thread[path.stand[0].thread], "every block waits for another");
    return path.turns++ % n;
  }
  if (n > 256 && path.ask) stop(nullptr, nullptr, "%zu threads stand before atomics: too many for a given order", n);
  if (path.ask) choice = path.ask(path.stand.data(), (unsigned)n);
  else if (n > 1 && at < path.given.size()) choice = path.given[at];
  else if (path.at_random) choice = roll(n < 256 ? (unsigned)n : 256); /* choices are bytes */
  if (choice >= n) stop(nullptr, nullptr, "there is no choice %u at place %zu of this order", choice, at);
  if (n > 1) path.choices.push_back((unsigned char)choice);
  return choice;
}

/* The block that goes on: one in which threads can; when all stand before atomics, that of the thread that acts next. */
static Slot *go_on() {
  for (unsigned i = 0; i < launch.in_air; i++)
    if (!launch.flying[i]->quiet) return launch.flying[i];
  size_t choice = choose();
  Slot *s = path.block[choice];
  Thread *t = &s->thread[path.stand[choice].thread];
  t->stands = nullptr;
  s->standing--;
  s->quiet = false;
  make_ready(s, t);
  return s;
}

/* The thread stops before an atomic at p, until it is chosen. */
static void stand(Slot *s, const void *p, size_t size) {
  Thread *t = s->now;
  t->stands = p;
  t->stands_size = size;
  s->standing++;
  to_home(s, t->stack);
}

/* The next thread of a block to run. */
static Thread *next_thread(Slot *s) {
  for (;;) {
    Thread *t = pick(s);
    if (t || !s->standing) return t;
    s->quiet = true;
    Slot *o = go_on();
    if (o == s) continue;
    fly(o);
    await(&s->turn);
  }
}

static void let_blocks(Slot *s) {
  Slot *o = another(s);
  if (o == s) return;
  fly(o);
  await(&s->turn);
}
static void let_threads(Slot *s) {
  Thread *t = s->now;
  make_ready(s, t);
  to_home(s, t->stack);
}

/* When all threads have looked in vain for long, they may wait for a kernel of another device: the host then lets its work
 * begin. */
enum { VAIN = 1000 };
static void let_devices(Slot *s) {
  if (launch.seen != launch.progress) launch.seen = launch.progress, launch.vain = 0;
  if (launch.is_alone || ++launch.vain < VAIN) return;
  launch.vain = 0;
  give(&launch.host_turn);
  await(&s->turn);
}

void simt_poll(int asleep) {
  Slot *s = self;
  if (!s) return;
  if (path.on) return;
  let_devices(s);
  bool regular = asleep || ++s->polls % 32 == 0;
  bool threads = seed < 2 ? regular : asleep || roll(4) == 0, blocks = seed < 2 ? regular : roll(8) == 0;
  if (blocks) let_blocks(s);
  if (threads) let_threads(s);
}

/* ======== the warp and the block ======== */

static void adjourn(Thread *t) {  /* leaves the barrier that it was in */
  tsan_acquire(t->meeting);
  if (--t->meeting->guests == 0) delete t->meeting;
  t->meeting = nullptr;
}
static void attend(Thread *t, Meeting *meeting) {
  t->meeting = meeting ? meeting : new Meeting{0};
  t->meeting->guests++;
  tsan_release(t->meeting);
}

/* All who meet in one collective are told one after the other, before anything else moves. */
static void record_met(const Slot *s, const Thread *t, int lane) {
  record_meeting(index_of(s), t->index, NAMES[t->call.op], launch.progress, lane);
}

static bool same_call(const Call &a, const Call &b) {
  return a.op == b.op && a.line == b.line && (a.file == b.file || !strcmp(a.file, b.file));
}

static uint64_t reduce(simt_op op, uint64_t a, uint64_t b) {
  switch (op) {
    case SIMT_REDUCE_ADD: return a + b;
    case SIMT_REDUCE_MIN: return (int)b < (int)a ? b : a;
    case SIMT_REDUCE_MAX: return (int)b > (int)a ? b : a;
    case SIMT_REDUCE_MIN_U: return (unsigned)b < (unsigned)a ? b : a;
    case SIMT_REDUCE_MAX_U: return (unsigned)b > (unsigned)a ? b : a;
    case SIMT_REDUCE_AND: return a & b;
    case SIMT_REDUCE_OR: return a | b;
    default: return a ^ b;
  }
}

/* The lane whose value the shuffle gives `t`. */
static unsigned source_of(const Thread *t) {
  unsigned width = (unsigned)t->call.width, lane = t->lane, first = lane & ~(width - 1), arg = (unsigned)t->call.arg;
  switch (t->call.op) {
    case SIMT_SHFL: return first + (arg & (width - 1));
    case SIMT_SHFL_UP: return arg <= lane - first ? lane - arg : lane;
    case SIMT_SHFL_DOWN: return arg < first + width - lane ? lane + arg : lane;
    default: return (lane ^ arg) < first + width ? lane ^ arg : lane;
  }
}
static bool is_shuffle(simt_op op) { return op >= SIMT_SHFL && op <= SIMT_SHFL_XOR; }

/* The value of a shuffle for `t`, when all of `here` have come. */
static uint64_t shuffled(Slot *s, Thread *t, const Warp &w, unsigned here) {
  unsigned lane = t->lane, from = source_of(t);
  if (!(here >> from & 1))
    stop(s, t, "a shuffle reads from a lane that does not take part: " CALL " reads lane %u, which %s", CALLED(t), from,
         !(w.exist >> from & 1) ? "does not exist in this block" : !(t->call.mask >> from & 1) ? "its mask does not name" : "has left the kernel");
  return s->thread[t->index - lane + from].value;
}

/* Completes the collective in which `t` waits, if every named lane that has not exited has come to it. */
static void settle(Slot *s, Thread *t) {
  Warp &w = s->warp[t->index / 32];
  Thread *lanes = &s->thread[t->index - t->lane];
  unsigned here = t->call.mask & w.exist & ~w.gone;
  if (here & ~w.waiting) return;
  for (unsigned m = here; m; m &= m - 1)
    if (lanes[__builtin_ctz(m)].call.mask != t->call.mask) return;

  uint64_t votes = 0, all = t->value;
  bool alike = true;
  for (unsigned m = here; m; m &= m - 1) {
    Thread *o = &lanes[__builtin_ctz(m)];
    votes |= (uint64_t)(o->value != 0) << o->lane;
    alike &= o->value == t->value;
    if (o != t) all = reduce(t->call.op, all, o->value);
  }
  for (unsigned m = here; m; m &= m - 1) {
    Thread *o = &lanes[__builtin_ctz(m)];
    record_met(s, o, is_shuffle(o->call.op) ? (int)source_of(o) : -1);
    switch (o->call.op) {
      case SIMT_SYNCWARP: break;
      case SIMT_SHFL: case SIMT_SHFL_UP: case SIMT_SHFL_DOWN: case SIMT_SHFL_XOR: o->result = shuffled(s, o, w, here); break;
      case SIMT_BALLOT: o->result = votes; break;
      case SIMT_ANY: o->result = votes != 0; break;
      case SIMT_ALL: o->result = votes == here; break;
      case SIMT_MATCH_ALL: o->result = alike ? here : 0; break;
      case SIMT_MATCH_ANY:
        o->result = 0;
        for (unsigned k = here; k; k &= k - 1)
          o->result |= (uint64_t)(lanes[__builtin_ctz(k)].value == o->value) << __builtin_ctz(k);
        break;
      default: o->result = all;
    }
  }
  for (unsigned m = here; m; m &= m - 1) make_ready(s, &lanes[__builtin_ctz(m)]);
  w.waiting &= ~here;
  w.alike &= ~here;
  launch.progress++;
}

static void arrive_warp(Slot *s, Thread *t) {
  Warp &w = s->warp[t->index / 32];
  const Call &c = t->call;
  if (!(c.mask >> t->lane & 1)) stop(s, t, "a lane must be named in its own mask: " CALL " has the mask 0x%08x", CALLED(t), c.mask);
  if (c.width < 1 || c.width > 32 || (c.width & (c.width - 1)))
    stop(s, t, "the width of a shuffle is a power of two up to 32: " CALL " has %d", CALLED(t), c.width);
  Thread *const lanes = &s->thread[t->index - t->lane];
  Thread *const known = w.alike ? &lanes[__builtin_ctz(w.alike)] : nullptr;
  const bool is_like = known && known->call.mask == c.mask && same_call(known->call, c);
  Meeting *meeting = is_like ? known->meeting : nullptr;
  for (unsigned m = c.mask & w.waiting & ~(is_like ? w.alike : 0); m; m &= m - 1) {
    Thread *o = &lanes[__builtin_ctz(m)];
    if (!(o->call.mask >> t->lane & 1)) continue;  /* it waits for others first */
    if (o->call.mask != c.mask)
      stop(s, t, "all lanes of a mask must pass the same mask: " CALL " has 0x%08x, but lane %u has 0x%08x in " CALL, CALLED(t), c.mask,
           o->lane, o->call.mask, CALLED(o));
    if (!same_call(o->call, c))
      stop(s, t, "all lanes of a mask must execute the same call: " CALL " meets lane %u in " CALL, CALLED(t), o->lane, CALLED(o));
    meeting = o->meeting;
  }
  w.waiting |= 1u << t->lane;
  w.alike = (is_like ? w.alike : 0) | 1u << t->lane;
  if (TSAN && c.op == SIMT_SYNCWARP) attend(t, meeting);
  settle(s, t);
}

static const char *const ALL = "every thread of the block must reach the same barrier";

static void arrive_block(Slot *s, Thread *t) {
  if (!s->at_barrier++) s->first_at_barrier = t;
  Thread *first = s->first_at_barrier;
  if (s->live < s->threads) stop(s, t, "%s: " CALL " is reached when %u of %u threads have left the kernel", ALL, CALLED(t), s->threads - s->live, s->threads);
  if (!same_call(first->call, t->call))
    stop(s, t, "%s: " CALL ", while thread (%u,%u,%u) waits in " CALL, ALL, CALLED(t), first->at.x, first->at.y, first->at.z, CALLED(first));
  if (TSAN) attend(t, t == first ? nullptr : first->meeting);
  if (s->at_barrier < s->threads) return;
  unsigned count = 0;
  for (unsigned i = 0; i < s->threads; i++) count += s->thread[i].value != 0;
  uint64_t result = t->call.op == SIMT_BARRIER_OR ? count != 0 : t->call.op == SIMT_BARRIER_AND ? count == s->threads : count;
  for (unsigned i = 0; i < s->threads; i++) {
    record_met(s, &s->thread[i], -1);
    s->thread[i].result = result;
    make_ready(s, &s->thread[i]);
  }
  s->at_barrier = 0;
  launch.progress++;
}

uint64_t simt_collective(simt_op op, unsigned mask, uint64_t value, int arg, int width, const char *file, int line) {
  Slot *s = self;
  if (!s) stop(nullptr, nullptr, "device code is called outside a kernel: " CALL, NAMES[op], file, line);
  Thread *t = s->now;
  t->call = Call{op, mask, arg, width, file, line};
  t->value = value;
  t->state = Thread::WAITING;
  if (op <= SIMT_BARRIER_COUNT) {
    arrive_block(s, t);
    if (seed > 1 && roll(4 * s->threads) == 0) let_blocks(s);  /* atomics let others in more often */
  } else {
    arrive_warp(s, t);
  }
  to_home(s, t->stack);
  if (TSAN && t->meeting) adjourn(t);
  return t->result;
}

static void thread_gone(Slot *s, Thread *t) {
  Warp &w = s->warp[t->index / 32];
  t->state = Thread::GONE;
  s->live--;
  w.gone |= 1u << t->lane;
  launch.progress++;
  tsan_release(s->grid->done);
  if (s->at_barrier)
    stop(s, t, "%s: this thread leaves the kernel, while thread (%u,%u,%u) waits in " CALL, ALL, s->first_at_barrier->at.x,
         s->first_at_barrier->at.y, s->first_at_barrier->at.z, CALLED(s->first_at_barrier));
  for (unsigned m = w.waiting; m; m &= m - 1)
    if (w.waiting >> __builtin_ctz(m) & 1) settle(s, &s->thread[t->index - t->lane + __builtin_ctz(m)]);
}

/* No thread of the block can go on: a named lane never comes. */
static void deadlock(Slot *s) {
  for (unsigned i = 0; i < s->threads; i++) {
    Thread *t = &s->thread[i];
    if (t->state != Thread::WAITING || t->call.op <= SIMT_BARRIER_COUNT) continue;
    const Warp &w = s->warp[i / 32];
    for (unsigned m = t->call.mask & w.exist & ~w.gone; m; m &= m - 1) {
      Thread *o = &s->thread[t->index - t->lane + __builtin_ctz(m)];
      if (o != t && (o->call.op <= SIMT_BARRIER_COUNT || o->call.mask != t->call.mask))
        stop(s, t, "deadlock, a lane named in a mask never comes: " CALL " waits for lane %u, which waits in " CALL, CALLED(t), o->lane, CALLED(o));
    }
  }
  stop(s, &s->thread[0], "deadlock of a block");
}

/* The lanes that come to the same call before any of them goes on; with random seeds often the lane alone, as CUDA allows. */
unsigned simt_active(const char *file, int line) {
  Slot *s = self;
  if (!s) stop(nullptr, nullptr, "device code is called outside a kernel: __activemask at %s:%d", file, line);
  Thread *t = s->now, *lanes = t - t->lane;
  if (seed > 1 && roll(2)) return 1u << t->lane;
  t->call = Call{SIMT_SYNCWARP, 0, 0, 32, file, line};
  t->gathers = true;
  let_threads(s);
  unsigned together = 0;
  for (unsigned m = t->gathers ? s->warp[t->index / 32].exist : 0; m; m &= m - 1) {  /* the first to go on finds all of them */
    Thread *o = &lanes[__builtin_ctz(m)];
    if (o->gathers && same_call(o->call, t->call)) together |= 1u << o->lane;
  }
  for (unsigned m = together; m; m &= m - 1) lanes[__builtin_ctz(m)].gathers = false, lanes[__builtin_ctz(m)].result = together;
  return (unsigned)t->result;
}

/* ======== fences and atomics ======== */

static void *key(const void *p, int scope) {
  return scope ? &self->keys[((uintptr_t)p >> 2) % 256] : const_cast<void *>(p);
}
static void as_fiber(void *fiber, void (*tell)(void *), void *token) {
  void *me = tsan_self();
  tsan_switch(fiber);
  tell(token);
  tsan_switch(me);
}

/* The thread sanitizer clears 800 KB for each fiber that it makes. What they know stays, so only the next launch of the same
 * stream may use them again: all of this one comes before it. */
static struct {
  void *kept[256];  /* idle ones from the start on; those that this launch has used from the end on */
  unsigned idle, used;
  void *stream;
} fibers;
static void keep_fiber(void *fiber) {
  if (!fiber) return;
  if (fibers.idle + fibers.used == 256) return tsan_destroy(fiber);
  fibers.kept[256 - ++fibers.used] = fiber;
}
static void keep_fibers_for(void *stream) {
  while (fibers.used) fibers.kept[fibers.idle++] = fibers.kept[256 - fibers.used--];
  while (fibers.idle && stream != fibers.stream) tsan_destroy(fibers.kept[--fibers.idle]);
  fibers.stream = stream;
}

/* A fiber that knows what its maker knows. */
static void *a_fiber() {
  if (fibers.idle == 0) return tsan_create();
  void *fiber = fibers.kept[--fibers.idle];
  char *token = new char;
  tsan_release(token);
  as_fiber(fiber, tsan_acquire, token);
  delete token;
  return fiber;
}

/* A fence publishes what the thread has done until now, at its next atomics; and takes what its last atomics have read. */
void simt_fence(int scope) {
  record_fence(scope);
  simt_poll(0);
  if (!TSAN || !self) return;
  Thread *t = self->now;
  if (scope) launch.block_fences = true;
  for (; scope <= (int)launch.block_fences; scope++) {
    Relay &r = t->relay[scope];
    if (!r.out) {
      r.out = a_fiber();
    } else {
      tsan_release(&r.out);
      as_fiber(r.out, tsan_acquire, &r.out);
    }
    if (r.in) {
      as_fiber(r.in, tsan_release, &r.in);
      tsan_acquire(&r.in);
    }
  }
}
static unsigned exclusives;
static void check_exclusive(const void *p);
void simt_check_aligned(const void *p, size_t size, const char *file, int line) {
  if ((uintptr_t)p % size)
    stop(self, self ? self->now : nullptr, "a misaligned access: %zu bytes at %p, at %s:%d", size, p, file, line);
}
void simt_atomic_begin(const void *p, size_t size, const char *file, int line) {
  simt_check_aligned(p, size, file, line);
  if (!self) stop(nullptr, nullptr, "device code is called outside a kernel: an atomic at %s:%d", file, line);
  if (exclusives) check_exclusive(p);
  if (path.on) {
    stand(self, p, size);
    path.before = word_at(p, size);
  } else {
    simt_poll(0);
  }
  record_atomic(p, size);
  if (TSAN)
    for (int scope = 0; scope <= (int)launch.block_fences; scope++)
      if (self->now->relay[scope].out) as_fiber(self->now->relay[scope].out, tsan_release, key(p, scope));
}
void simt_atomic_end(const void *p, size_t size) {
  if (path.on) remember(self->now, p, size);
  if (TSAN)
    for (int scope = 0; scope <= (int)launch.block_fences; scope++) {
      Relay &r = self->now->relay[scope];
      if (!r.in) r.in = a_fiber();
      as_fiber(r.in, tsan_acquire, key(p, scope));
    }
}
void simt_trap(const char *file, int line) { stop(self, self ? self->now : nullptr, "__trap at %s:%d", file, line); }
extern "C" void __assert_fail(const char *text, const char *file, unsigned line, const char *function) noexcept {
  if (self) stop(self, self->now, "an assertion failed in a kernel: %s, at %s:%u in %s", text, file, line, function);
  fprintf(stderr, "%s:%u: %s: assertion failed: %s\n", file, line, function, text);
  abort();
}
long long simt_clock() {
  timespec t; /* the thread sanitizer sees clock_gettime write it, and streams' works share the host's stack */
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
void *simt_dynamic_shared() {
  if (!self) stop(nullptr, nullptr, "shared memory is used outside a kernel");
  return self->shared;
}

/* ======== a block, from start to end ======== */

static __thread bool asking;
static __thread int allowed;
int simt_asked(int threads) {
  if (!asking) return false;
  asking = false;
  allowed = threads ? threads : 1024;
  return true;
}
int simt_bounds(void (*call)(void *), void *closure) {
#ifdef SIMT_RECORD  /* the recorder's kernels stay as they are written, and do not answer */
  (void)call, (void)closure;
  return 1024;
#endif
  asking = true;
  call(closure);
  if (asking) stop(nullptr, nullptr, "a launch of a function that is not __global__");
  return allowed;
}

enum { CANARY = 0xE5, GARBAGE = 0xC5 };
typedef volatile uint64_t __attribute__((may_alias)) word;
/* By words, and not by memset, which the sanitizers would look at. */
static void fill(void *p, size_t n, int byte) {
  volatile unsigned char *q = (volatile unsigned char *)p;
  for (; n && (uintptr_t)q % sizeof(word); n--) *q++ = (unsigned char)byte;
  for (; n >= sizeof(word); n -= sizeof(word), q += sizeof(word)) *(word *)q = (unsigned char)byte * 0x0101010101010101u;
  while (n--) *q++ = (unsigned char)byte;
}
/* The length of what has been overwritten: up to the last byte that is not a canary. */
static size_t overwritten(const char *p, size_t n) {
  while (n && (uintptr_t)(p + n) % sizeof(word) && (unsigned char)p[n - 1] == CANARY) n--;
  while (n >= sizeof(word) && *(const word *)(p + n - sizeof(word)) == CANARY * 0x0101010101010101u) n -= sizeof(word);
  while (n && (unsigned char)p[n - 1] == CANARY) n--;
  return n;
}

/* The first thread of a block that comes to a declaration finds garbage. */
void simt_static_shared(const volatile void *p, size_t size, unsigned long *block) {
  if (!self) stop(nullptr, nullptr, "shared memory is used outside a kernel");
  if (*block == self->number) return;
  *block = self->number;
  fill(const_cast<void *>(p), size, GARBAGE);
}

static void start_block(Slot *s, Grid *launched) {
  const dim3 g = launched->grid, b = launched->block;
  const uint64_t nth = launched->next++, index = is_backwards ? launched->blocks - 1 - nth : nth;
  s->grid = launched;
  s->block = uint3{(unsigned)(index % g.x), (unsigned)(index / g.x % g.y), (unsigned)(index / g.x / g.y)};
  s->threads = s->live = b.x * b.y * b.z;
  s->at_barrier = s->ready = s->next = s->polls = s->standing = 0;
  s->quiet = false;
}

static void run_block(Slot *s) {
  blockIdx = s->block;
  const dim3 b = blockDim = s->grid->block;
  gridDim = s->grid->grid;
  const size_t shared = s->grid->shared, room = (shared + PAGE - 1) & ~(size_t)(PAGE - 1), slack = room - shared;
  if (!s->shared) s->shared = (char *)mmap(nullptr, SHARED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (TSAN || room != s->room) {  /* under the thread sanitizer nothing may be older than the block */
    mmap(s->shared, SHARED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    mprotect(s->shared, room, PROT_READ | PROT_WRITE);
    s->room = room;
  }
  asan_unpoison(s->shared, shared);
  fill(s->shared, shared, GARBAGE);
  fill(s->shared + shared, slack, CANARY);
  asan_poison(s->shared + shared, slack);
  make_stacks(s);
  static __thread unsigned long blocks;
  s->number = ++blocks;
  if (TSAN) s->keys = new uint64_t[256];
  for (unsigned i = 0; i < (s->threads + 31) / 32; i++) {
    unsigned n = s->threads - 32 * i;
    s->warp[i] = Warp{n < 32 ? (1u << n) - 1 : ~0u, 0, 0, 0};
  }
  uint3 at = {0, 0, 0};
  for (unsigned i = 0; i < s->threads; i++) {
    Thread *t = &s->thread[i];
    t->index = i, t->lane = i % 32, t->at = at;
    t->stack = nullptr, t->meeting = nullptr;
    t->stands = nullptr, t->looks = &s->looks[i], t->gathers = false;
    if (path.on) t->looks->used = 0;
    t->fiber = a_fiber();
    launch.progress++;
    make_ready(s, t);
    if (++at.x == b.x && (at.x = 0, ++at.y == b.y)) at.y = 0, at.z++;
  }
  while (Thread *t = next_thread(s)) resume(s, t);
  if (s->live) deadlock(s);

  asan_unpoison(s->shared + shared, slack);
  if (size_t n = overwritten(s->shared + shared, slack))
    stop(s, &s->thread[0], "an access outside dynamic shared memory: %zu bytes past the end of %zu", n, shared);
  if (TSAN) {
    for (unsigned i = 0; i < s->threads; i++) {
      keep_fiber(s->thread[i].fiber);
      for (Relay &r : s->thread[i].relay) keep_fiber(r.out), keep_fiber(r.in), r = Relay{nullptr, nullptr};
    }
    delete[] s->keys;
  }
}

/* The slot has no block any more. Returns whether its launch is over. */
static void land(Slot *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < launch.in_air; i++)
    if (launch.flying[i] != s) launch.flying[n++] = launch.flying[i];
  launch.in_air = n;
  s->grid->is_over = --s->grid->in_air == 0;
  s->grid = nullptr;
}

static void alternate_stack() {
  stack_t old, fresh;
  if (sigaltstack(nullptr, &old) || !(old.ss_flags & SS_DISABLE)) return;
  fresh.ss_size = 64 << 10, fresh.ss_flags = 0;
  fresh.ss_sp = mmap(nullptr, fresh.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaltstack(&fresh, nullptr);
}

static void os_thread(Slot *s);
static void *slot_main(void *p) {
  Slot *s = self = (Slot *)p;
  alternate_stack();
  s->home_fiber = tsan_self();
  do {
    await(&s->turn);
    if (s->cpu != launch.cpu) stay_on(s->cpu = launch.cpu);
    run_block(s);
    if (s->grid->next < s->grid->blocks) {
      start_block(s, s->grid);
      if (TSAN) os_thread(s);  /* a new thread, whose shared memory is new to the sanitizer */
      fly(path.on ? go_on() : another(s));
    } else {
      land(s);
      if (TSAN) s->has_os_thread = false;
      if (launch.last->is_over) give(&launch.host_turn);
      else fly(path.on ? go_on() : launch.flying[seed < 2 ? 0 : roll(launch.in_air)]);
    }
  } while (!TSAN);
  stack_t none = {};
  if (sigaltstack(nullptr, &none) == 0 && none.ss_size == 64 << 10 && !ASAN) {
    void *p = none.ss_sp;
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(p, 64 << 10);
  }
  return nullptr;
}
static void os_thread(Slot *s) {
  pthread_t id;
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&a, 16 << 20);
  if (pthread_create(&id, &a, slot_main, s)) stop(nullptr, nullptr, "no OS thread for a block");
  pthread_attr_destroy(&a);
  s->has_os_thread = true;
  s->cpu = launch.cpu;
}

/* Stops a launch in which nothing has moved for a long time. */
static void *watchdog(void *) {
  unsigned long seen = 0;
  double waited = 0;
  for (;;) {
    timespec nap = {0, 50000000};
    nanosleep(&nap, nullptr);
    Slot *s = launch.holder;
    waited = s && launch.progress == seen ? waited + 0.05 : 0;
    seen = launch.progress;
    if (s && waited > patience)
      stop(s, s->now, "a thread has waited %g seconds: no thread of the grid has passed a barrier or ended since; a loop that polls must use atomics, and may wait only for blocks of lower index; a kernel that only is slow needs a larger SIMT_PATIENCE", patience);
  }
}

static void set_running(Grid *launched);
static bool run_elsewhere();

static void run_kernel(dim3 grid, dim3 block, size_t shared, void (*call)(void *), void *closure) {
  static bool watched;
  if (!watched) {
    pthread_t id;
    static sigset_t all, old;  /* for the thread sanitizer the host's own variables lie on this stack */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    watched = !pthread_create(&id, nullptr, watchdog, nullptr) && !pthread_detach(id);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    pthread_atfork(nullptr, nullptr, [] {
      watched = false;
      for (Slot *&s : slots) s = nullptr;
    });
  }
  Grid launched = {grid, block, shared, call, closure, (uint64_t)grid.x * grid.y * grid.z, 0, 0, false, new char, nullptr, nullptr, launch.last};
  set_running(&launched);
  if (TSAN) keep_fibers_for(launch.last ? &launched : tsan_self());
  uint64_t threads = block.x * block.y * block.z, n = std::min<uint64_t>((uint64_t)in_flight, launched.blocks);
  if (TSAN) {  /* it has room for 8128 threads and fibers */
    uint64_t room = 2048;
    for (unsigned i = 0; i < launch.in_air; i++) room -= std::min<uint64_t>(room, launch.flying[i]->threads);
    n = std::max<uint64_t>(1, std::min(n, room / threads));
  }
  record_launch((unsigned)launched.blocks, (unsigned)threads);
  if (!launch.last) stay_on(launch.cpu = sched_getcpu());
  launch.last = &launched;
  launch.is_alone = false;
  launch.vain = 0;
  Slot **place = slots;
  while (launched.next < n) {
    while (*place && (*place)->grid) place++;
    if (place == slots + SLOTS) stop(nullptr, nullptr, "too many blocks in flight");
    Slot *&s = *place;
    if (!s) s = new Slot();
    start_block(s, &launched);
    if (!s->has_os_thread) os_thread(s);
    launch.flying[launch.in_air++] = s;
    launched.in_air++;
  }
  path.lost = false;
  path.turns = path.idle = 0;
  fly(launch.flying[launch.in_air - n]);
  for (await(&launch.host_turn); !launched.is_over; await(&launch.host_turn)) {
    launch.is_alone = !run_elsewhere();
    if (launched.is_over) break;
    fly(launch.flying[0]);
  }
  launch.last = launched.outer;
  if (TSAN && launched.outer) keep_fibers_for(launched.done);  /* of two devices: nobody may use them again */
  if (!launched.outer) stay_on(-1), launch.holder = nullptr;
  tsan_acquire(launched.done);
  delete launched.done;
  record_end();
}

/* ======== memory ======== */

struct Memory {
  char *map, *p;
  size_t mapped, size;
  simt_memory kind;
  int device;
  bool live, registered;  /* registered: the user's own memory */
  unsigned number;  /* of allocations, from 0 */
  unsigned mapped_times;  /* by cudaIpcOpenMemHandle */
  bool exclusive;  /* see simt_serves_one */
  cudaStream_t user;  /* who used it last, and at which place of that stream */
  uint64_t used_at;
};
static std::map<uintptr_t, Memory> memories;  /* by the start of the mapping; with those freed not long ago */
static std::set<Memory *> living;  /* those that are not freed, nor the user's own */
static unsigned numbered;  /* allocations so far */
static std::deque<uintptr_t> freed;
static bool device_open;  /* device memory can be touched: some work of a stream runs */

static char *tail(const Memory &m) { return m.p + m.size; }
static size_t slack(const Memory &m) { return (size_t)(m.map + m.mapped - GUARD - tail(m)); }

static void open_device(bool open) {
  if (device_open == open) return;
  device_open = open;
  for (Memory *m : living)
    if (m->kind == SIMT_DEVICE) mprotect(m->map + GUARD, m->mapped - 2 * GUARD, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static Memory *mapping_of(const void *p) {
  auto it = memories.upper_bound((uintptr_t)p);
  if (it == memories.begin()) return nullptr;
  Memory *m = &(--it)->second;
  return (const char *)p < m->map + m->mapped ? m : nullptr;
}
static Memory *memory_of(const void *p) {
  Memory *m = mapping_of(p);
  return m && m->live && (const char *)p >= m->p && (const char *)p < m->p + m->size ? m : nullptr;
}

static void check_canaries(const Memory &m, const char *when) {
  if (size_t n = overwritten(tail(m), slack(m)))
    stop(nullptr, nullptr, "an access outside an allocation: a write up to %zu bytes past the end of %zu bytes at %p, found %s", n, m.size, (void *)m.p, when);
  for (const char *p = m.map + GUARD; p < m.p; p++)
    if ((unsigned char)*p != CANARY)
      stop(nullptr, nullptr, "an access outside an allocation: a write %zu bytes before the start of %zu bytes at %p, found %s", (size_t)(m.p - p), m.size, (void *)m.p, when);
}

static void *allocate(size_t size, simt_memory kind, int device) {
  size_t room = (size + 255) & ~(size_t)255, pages = (room + PAGE - 1) & ~(size_t)(PAGE - 1);
  if (room < size || pages > (size_t)1 << 40) return nullptr;
  char *map = (char *)mmap(nullptr, pages + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) return nullptr;
  if (mprotect(map + GUARD, pages, PROT_READ | PROT_WRITE)) return munmap(map, pages + 2 * GUARD), nullptr;
  Memory m = {map, map + GUARD + pages - room, pages + 2 * GUARD, size, kind, device, true, false, numbered++, 0, false, nullptr, 0};  /* its end is near the guard */
  fill(map + GUARD, (size_t)(m.p - map - GUARD), CANARY);
  fill(tail(m), slack(m), CANARY);
  if (size <= 16 << 20) fill(m.p, size, GARBAGE);
  asan_poison(map + GUARD, (size_t)(m.p - map - GUARD));
  asan_poison(tail(m), slack(m));
  if (kind == SIMT_DEVICE && !device_open) mprotect(map + GUARD, pages, PROT_NONE);
  living.insert(&(memories[(uintptr_t)map] = m));
  return m.p;
}

static void release(Memory *m) {
  mprotect(m->map + GUARD, m->mapped - 2 * GUARD, PROT_READ | PROT_WRITE);
  check_canaries(*m, "when it was freed");
  asan_unpoison(m->map, m->mapped);
  mmap(m->map, m->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  m->live = false;
  living.erase(m);
  freed.push_back((uintptr_t)m->map);
  if (freed.size() > 4096) {  /* the rest stay, to catch their late use */
    Memory old = memories[freed.front()];
    memories.erase(freed.front());
    freed.pop_front();
    munmap(old.map, old.mapped);
  }
}

#ifdef SIMT_RECORD
bool simt_running(uint64_t *block, unsigned *thread) {
  if (!self) return false;
  *block = index_of(self);
  *thread = self->now->index;
  return true;
}

/* Static shared memory: this OS thread's copy of the program's thread-local variables, which begins at *p. */
static int static_shared(dl_phdr_info *info, size_t, void *range) {
  auto r = (std::pair<const char *, size_t> *)range;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS) *r = {(const char *)info->dlpi_tls_data, info->dlpi_phdr[i].p_memsz};
  return 1;  /* the first is the program */
}
bool simt_place_of(const void *at, simt_place *place) {
  const char *p = (const char *)at;
  extern char __executable_start, end;
  static __thread std::pair<const char *, size_t> shared;
  if (!self) return false;
  if (!shared.first) dl_iterate_phdr(static_shared, &shared);
  if (p >= self->shared && p < self->shared + SHARED) return *place = {'d', 0, (size_t)(p - self->shared)}, true;
  if (p >= shared.first && p < shared.first + shared.second) {
    const void *const built_in[] = {&threadIdx, &blockIdx, &blockDim, &gridDim};  /* each of three words */
    for (const void *b : built_in)
      if ((size_t)(p - (const char *)b) < sizeof threadIdx) return false;
    return *place = {'s', 0, (size_t)(p - shared.first)}, true;
  }
  if (Memory *m = memory_of(p)) return *place = {'g', m->number, (size_t)(p - m->p)}, true;
  return *place = {'v', 0, (size_t)(p - &__executable_start)}, p >= &__executable_start && p < &end;
}
#endif

static struct sigaction before_segv, before_bus;
static void on_fault(int sig, siginfo_t *info, void *) {
  const char *p = (const char *)info->si_addr;
  Slot *s = self;
  Thread *t = s ? s->now : nullptr;
  if (t && t->stack && p >= t->stack->map && p < t->stack->map + PAGE) stop(s, t, "the stack of a thread overflows its %d KiB", STACK >> 10);
  if (s && p >= s->shared && p < s->shared + SHARED) stop(s, t, "an access outside dynamic shared memory");
  if (Memory *m = mapping_of(p)) {
    if (!m->live) stop(s, t, "a use after free: an access to %p, in %zu bytes at %p that have been freed", (void *)p, m->size, (void *)m->p);
    if (p < m->p) stop(s, t, "an access outside an allocation: to %p, %zu bytes before %zu bytes at %p", (void *)p, (size_t)(m->p - p), m->size, (void *)m->p);
    if (p >= tail(*m)) stop(s, t, "an access outside an allocation: to %p, %zu bytes past the end of %zu bytes at %p", (void *)p, (size_t)(p - tail(*m)) + 1, m->size, (void *)m->p);
    stop(s, t, "host code touches device memory: %p, in %zu bytes at %p", (void *)p, m->size, (void *)m->p);
  }
  if (s && !ASAN) stop(s, t, "an access outside an allocation: to %p, %s", (void *)p, (uintptr_t)p < 65536 ? "a null pointer" : "which is nowhere near one");
  sigaction(sig, sig == SIGSEGV ? &before_segv : &before_bus, nullptr);  /* not ours: fault again */
}

/* ======== streams: queues of work that runs when the host waits for it ======== */

typedef std::shared_ptr<std::function<void()>> Work;

typedef std::map<cudaStream_t, uint64_t> Past;  /* how far streams have come before some place */
static void add(Past *to, const Past &from) {
  for (auto &e : from) (*to)[e.first] = std::max((*to)[e.first], e.second);
}

struct Op {
  Work work;
  uint64_t number;  /* in the order in which the host gave them */
  Past before;
  std::vector<std::pair<cudaStream_t, uint64_t>> after;  /* streams, and how far they must have come */
};
/* What a capture has seen: a branch for each stream, each with work in order, some of which waits for other branches. */
struct Node {
  Work work;  /* none: it only waits */
  std::vector<std::pair<size_t, size_t>> after;  /* branches, and how far they must have come */
};
struct Branch {
  int device;
  std::vector<Node> nodes;
};
struct CUgraph_st {
  std::vector<Branch> branches;
  bool spoilt;
  cudaStream_t origin;  /* whose capture it is, begun in this mode by this thread */
  cudaStreamCaptureMode mode;
  const void *thread;
};
static CUgraph_st ended = {{}, true, nullptr, cudaStreamCaptureModeRelaxed, nullptr};  /* each capture that is over, in events */
struct CUgraphExec_st {
  std::vector<Branch> branches;
  std::vector<cudaStream_t> streams;  /* of each branch */
};
struct CUstream_st {
  bool blocking;  /* ordered with the legacy stream */
  int device;
  std::deque<Op *> queue;
  uint64_t queued, done;
  void *fiber;  /* to the thread sanitizer a stream is a thread */
  char token;
  cudaGraph_t capture;
  size_t branch;  /* of the capture */
  Past past;  /* of the end of its queue */
  uint64_t gone_at;  /* not 0: destroyed, and all pieces of work with greater numbers come after it; no past names it */
};
struct CUevent_st {
  int device;
  cudaStream_t stream;
  uint64_t position;
  bool recorded, timed;
  double at;
  cudaGraph_t capture;
  size_t branch;  /* of the capture; position is then a place of this branch */
  Past past;
};

enum { DEVICES = 16 };
static int devices = 1;
static bool are_peers = true;
static long reach_pageable;  /* a bit for each device that accesses pageable memory */
static __thread int device;
static __thread cudaError_t last_error;  /* its address names the host thread */
static __thread cudaStreamCaptureMode capture_mode;
static __thread bool calls_back;  /* a function of cudaLaunchHostFunc runs, which must not call CUDA */
static CUstream_st legacy[DEVICES], per_thread[DEVICES];
static std::set<cudaStream_t> streams;  /* all that live */
static std::set<cudaEvent_t> events;
static std::set<cudaGraph_t> graphs;
static std::set<cudaGraphExec_t> execs;
static std::map<const void *, int> shared_limits;
static size_t shared_limit = 48 << 10;  /* the largest of them, for launches by <<<>>> */

static void advance(cudaStream_t s, uint64_t position);

static struct { cudaStream_t stream; const Op *op; void *host; } running;  /* host: the host thread, to the thread sanitizer */
static void set_running(Grid *launched) { launched->stream = running.stream, launched->op = running.op; }
static Past seen;  /* by the host: what it has waited for */
static uint64_t given;  /* the number of the last piece of work */

static bool comes_before(cudaStream_t s, uint64_t place, const Op *op) {
  auto known = op->before.find(s);
  return (s->gone_at && op->number > s->gone_at) || (known != op->before.end() && known->second >= place);
}
static void check_exclusive(const void *p) {
  Memory *m = memory_of(p);
  if (!m || !m->exclusive) return;
  const Grid *g = self->grid;
  uint64_t place = g->stream->done + 1;
  if (m->user && m->user != g->stream && !comes_before(m->user, m->used_at, g->op))
    stop(self, self->now, "two kernels that nothing orders use memory that serves one at a time: %zu bytes at %p", m->size, (void *)m->p);
  m->user = g->stream, m->used_at = place;
}

static void run_next(cudaStream_t s) {
  Op *op = s->queue.front();
  for (auto &a : op->after) advance(a.first, a.second);
  s->queue.pop_front();
  const auto outer = running;
  void *host = tsan_self();
  running = {s, op, host};
  tsan_switch(s->fiber);
  tsan_acquire(op);
  for (auto &a : op->after) tsan_acquire(&a.first->token);
  open_device(true);
  (*op->work)();
  op->work.reset();
  tsan_release(&s->token);
  tsan_switch(host);
  running = outer;
  delete op;
  s->done++;
}

/* A launch waits: runs the next piece of work of a device that has no launch in progress, if all that comes before it is
 * done. Returns false if there is none. */
static bool run_elsewhere() {
  for (cudaStream_t s : streams) {
    bool can_run = !s->queue.empty();
    for (const Grid *g = launch.last; g; g = g->outer) can_run = can_run && g->stream->device != s->device;
    if (!can_run) continue;
    for (auto &a : s->queue.front()->after) can_run = can_run && a.first->done >= a.second;
    if (!can_run) continue;
    void *launched = tsan_self();
    tsan_switch(running.host);
    run_next(s);
    tsan_switch(launched);
    return true;
  }
  return false;
}
static void advance(cudaStream_t s, uint64_t position) {
  while (s->done < position) run_next(s);
}
static void see(cudaStream_t s, uint64_t position) {
  if (s->gone_at) return;
  seen[s] = std::max(seen[s], position);
  if (position == s->queued) add(&seen, s->past);
}
/* The host waits for the stream, as far as `position`. */
static void wait_for(cudaStream_t s, uint64_t position) {
  advance(s, position);
  see(s, position);
  tsan_acquire(&s->token);
}
static void wait_for_all(int device) {
  for (cudaStream_t s : streams)
    if (s->device == device) wait_for(s, s->queued);
}

static cudaStream_t new_stream(cudaStream_t s, bool blocking, int device) {
  s->blocking = blocking, s->device = device;
  s->fiber = tsan_create();
  streams.insert(s);
  return s;
}

static cudaStream_t stream_of(cudaStream_t s) {
  if (!s || s == cudaStreamLegacy) return &legacy[device];
  if (s == cudaStreamPerThread) return &per_thread[device];
  return streams.count(s) ? s : nullptr;
}

/* The last of s's work waits for another stream's, which has that past. */
static void follows(cudaStream_t s, Op *op, cudaStream_t other, uint64_t position, const Past &past) {
  op->after.push_back({other, position});
  if (!other->gone_at) s->past[other] = std::max(s->past[other], position);
  add(&s->past, past);
  add(&op->before, s->past);
}

static void push(cudaStream_t s, Op *op) {
  tsan_release(op);
  s->queue.push_back(op);
  add(&s->past, seen);
  add(&op->before, s->past);
  s->past[s] = ++s->queued;
}
static Op *new_op(Work work) { return new Op{work, ++given, {}, {}}; }
static void queue_op(cudaStream_t s, Work work) { push(s, new_op(work)); }

static cudaError_t spoil(cudaGraph_t g, cudaError_t e) { return g->spoilt = true, e; }
/* Any use of the legacy stream would wait for the blocking streams of its device, so none of them may be capturing. */
static cudaError_t refused_to_legacy(cudaStream_t s) {
  if (s != &legacy[s->device]) return cudaSuccess;
  for (cudaStream_t o : streams)
    if (o->blocking && o->capture && o->device == s->device) return spoil(o->capture, cudaErrorStreamCaptureImplicit);
  return cudaSuccess;
}

static cudaError_t enqueue(cudaStream_t handle, std::function<void()> f) {
  cudaStream_t s = stream_of(handle);
  if (!s) return cudaErrorInvalidResourceHandle;
  Work work = std::make_shared<std::function<void()>>(std::move(f));
  if (s->capture && s->capture->spoilt) return cudaErrorStreamCaptureInvalidated;
  if (s->capture) return s->capture->branches[s->branch].nodes.push_back({work, {}}), cudaSuccess;
  const cudaError_t refused = refused_to_legacy(s);
  if (refused) return refused;
  Op *op = new_op(work);
  if (s == &legacy[s->device]) {
    for (cudaStream_t o : streams)
      if (o != s && o->blocking && o->device == s->device) follows(s, op, o, o->queued, o->past);
  } else if (s->blocking) {
    follows(s, op, &legacy[s->device], legacy[s->device].queued, legacy[s->device].past);
  }
  push(s, op);
  return cudaSuccess;
}

/* ======== the runtime's functions ======== */

#define KINDS(X)                                                                                              \
  X(malloc, cudaErrorMemoryAllocation) X(free, cudaErrorInvalidValue) X(memcpy, cudaErrorInvalidValue)        \
  X(memset, cudaErrorInvalidValue) X(launch, cudaErrorLaunchOutOfResources) X(stream, cudaErrorMemoryAllocation) \
  X(event, cudaErrorMemoryAllocation) X(sync, cudaErrorLaunchFailure) X(graph, cudaErrorMemoryAllocation)     \
  X(device, cudaErrorInitializationError)
#define KIND_ENUM(name, error) KIND_##name,
#define KIND_ROW(name, error) {#name, error},
enum Kind { KINDS(KIND_ENUM) KIND_COUNT };
static const struct { const char *name; cudaError_t error; } kinds[] = {KINDS(KIND_ROW)};

/* Calls of each kind: those of all host threads, and those of this one. */
struct Calls { int fail_after; long made; };
static Calls all_calls[KIND_COUNT];
static thread_local Calls own_calls[KIND_COUNT];

static bool is_due(Calls *calls) { return calls->fail_after && !--calls->fail_after; }

static std::recursive_mutex everything;

static void start_up();

/* Whether a capture forbids this thread what does not go by a stream; see cudaThreadExchangeStreamCaptureMode. */
static bool forbids(const CUgraph_st *g) {
  if (!g || capture_mode == cudaStreamCaptureModeRelaxed) return false;
  return g->thread == &last_error ? g->mode != cudaStreamCaptureModeRelaxed
                                  : g->mode == cudaStreamCaptureModeGlobal && capture_mode == cudaStreamCaptureModeGlobal;
}
static cudaError_t refused_by_mode() {
  cudaError_t error = cudaSuccess;
  for (cudaStream_t s : streams)
    if (forbids(s->capture)) error = spoil(s->capture, cudaErrorStreamCaptureUnsupported);
  return error;
}
/* Whether a capture forbids to wait for a stream, or to ask for it. */
static cudaError_t refused_of(cudaStream_t s) {
  if (s->capture) return spoil(s->capture, cudaErrorStreamCaptureUnsupported);
  const cudaError_t error = refused_to_legacy(s);
  return error ? error : refused_by_mode();
}

/* Every function of the runtime begins with one of these. */
struct Enter {
  cudaError_t error;
  Enter(const char *name, Kind kind, bool forbidden_in_capture = false) : error(cudaSuccess) {
    if (self) stop(self, self->now, "a kernel calls a host function: %s", name);
    if (calls_back) error = cudaErrorNotPermitted;
    if (error) return;
    everything.lock();
    start_up();
    all_calls[kind].made++, own_calls[kind].made++;
    if (!devices) error = cudaErrorNoDevice;
    else if (is_due(&all_calls[kind]) || is_due(&own_calls[kind])) error = kinds[kind].error;
    if (!error && forbidden_in_capture) error = refused_by_mode();
  }
  ~Enter() {
    if (calls_back) return;
    open_device(false);
    everything.unlock();
  }
};
static cudaError_t result(cudaError_t e) {
  if (e) last_error = e;
  return e;
}
#define ENTER(...) ENTER_AS(__func__, __VA_ARGS__)
#define ENTER_AS(...)           \
  Enter enter_(__VA_ARGS__);    \
  if (enter_.error) return result(enter_.error)

static void start_up() {
  static bool started;
  if (started) return;
  started = true;
  auto number = [](const char *name, long otherwise) { return getenv(name) ? strtol(getenv(name), nullptr, 10) : otherwise; };
  devices = (int)number("SIMT_DEVICES", 1);
  if (devices > DEVICES) devices = DEVICES;
  are_peers = number("SIMT_PEERS", 1) != 0;
  reach_pageable = number("SIMT_PAGEABLE", 0);
  if (const char *seconds = getenv("SIMT_PATIENCE")) patience = strtod(seconds, nullptr);
  simt_seed((unsigned)number("SIMT_SEED", 0));
  simt_blocks((int)number("SIMT_BLOCKS", 4));
  simt_backwards((int)number("SIMT_BACKWARDS", 0));
  if (getenv("SIMT_WANDER")) simt_wander((unsigned)number("SIMT_WANDER", 0));
  for (int i = 0; i < devices; i++) new_stream(&legacy[i], false, i), new_stream(&per_thread[i], true, i);
  char list[256], *rest = list;
  snprintf(list, sizeof list, "%s", getenv("SIMT_FAIL") ? getenv("SIMT_FAIL") : "");
  while (char *item = strtok_r(rest, ",", &rest)) {
    char *colon = strchr(item, ':');
    if (colon) *colon = 0;
    if (simt_fail_after(item, colon ? atoi(colon + 1) : 1)) stop(nullptr, nullptr, "SIMT_FAIL has an unknown kind: %s", item);
  }
  alternate_stack();
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = on_fault;
  a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &a, &before_segv);
  sigaction(SIGBUS, &a, &before_bus);
}

void simt_seed(unsigned n) {
  seed = n;
  dice = n * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du;
  for (int i = 0; i < 8; i++) roll(2);
}
void simt_patience(double seconds) { patience = seconds; }

void simt_backwards(int on) { is_backwards = on != 0; }

void simt_blocks(int n) { in_flight = n < 1 ? 1 : n > SLOTS ? SLOTS : n; }
static Calls *calls_of(Calls *calls, const char *kind) {
  int k = 0;
  while (k < KIND_COUNT && strcmp(kinds[k].name, kind)) k++;
  return k < KIND_COUNT ? calls + k : nullptr;
}
static int fail(Calls *calls, int nth) { return calls ? calls->fail_after = nth, 0 : -1; }
static long made(const Calls *calls) { return calls ? calls->made : -1; }
int simt_fail_after(const char *kind, int nth) { return fail(calls_of(all_calls, kind), nth); }
int simt_fail_own(const char *kind, int nth) { return fail(calls_of(own_calls, kind), nth); }
long simt_calls(const char *kind) { return made(calls_of(all_calls, kind)); }
long simt_own_calls(const char *kind) { return made(calls_of(own_calls, kind)); }
size_t simt_live_allocations() {
  return living.size();
}
size_t simt_live_bytes() {
  size_t n = 0;
  for (const Memory *m : living) n += m->size;
  return n;
}
int simt_serves_one(void *p) {
  Memory *m = memory_of(p);
  if (!m) return -1;
  exclusives++;
  m->exclusive = true;
  return 0;
}
static void new_order(simt_chooser *ask, bool at_random) {
  path.on = true;
  path.at_random = at_random;
  path.ask = ask;
  path.given.clear();
  path.choices.clear();
}
void simt_follow(const unsigned char *choices, size_t count) {
  new_order(nullptr, false);
  path.given.assign(choices, choices + count);
}
void simt_wander(unsigned n) {
  simt_seed(n);
  seed = 0;  /* between atomics, threads go in order */
  new_order(nullptr, true);
}
void simt_ask(simt_chooser *choose) { new_order(choose, false); }
int simt_changed() { return path.changed; }
size_t simt_path(const unsigned char **choices) {
  *choices = path.choices.data();
  return path.choices.size();
}
void simt_clear() {
  last_error = cudaSuccess;
  for (auto *calls : {all_calls, own_calls})
    for (int k = 0; k < KIND_COUNT; k++) calls[k].fail_after = 0;
}

/* The runtime loads the driver in its first call. A handle of the program itself stands for the library. */
static bool driver_is_loaded() {
  bool is_up = false;
  for (const Calls &calls : all_calls) is_up = is_up || calls.made > 0;
  return is_up;
}
#undef dlopen
void *simt_dlopen(const char *file, int mode) {
  if (!file || strcmp(file, "libcuda.so.1")) return dlopen(file, mode);
  return driver_is_loaded() ? dlopen(nullptr, mode) : nullptr;
}
#undef dl_iterate_phdr
int simt_dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data) {
  struct Given { int (*callback)(struct dl_phdr_info *, size_t, void *); void *data; } given = {callback, data};
  return dl_iterate_phdr([](struct dl_phdr_info *info, size_t size, void *of) {
    dl_phdr_info counted = *info;
    counted.dlpi_adds += driver_is_loaded();
    return ((Given *)of)->callback(&counted, size, ((Given *)of)->data);
  }, &given);
}

cudaError_t cudaGetLastError() {
  cudaError_t e = last_error;
  last_error = cudaSuccess;
  return e;
}
cudaError_t cudaPeekAtLastError() { return last_error; }
#define ERROR_TEXT(name, value, text) case name: return text;
#define ERROR_NAME(name, value, text) case name: return #name;
const char *cudaGetErrorString(cudaError_t e) {
  switch (e) { SIMT_ERRORS(ERROR_TEXT) }
  return "unrecognized error code";
}
const char *cudaGetErrorName(cudaError_t e) {
  switch (e) { SIMT_ERRORS(ERROR_NAME) }
  return "unrecognized error code";
}

/* ---- devices ---- */

cudaError_t cudaGetDeviceCount(int *count) {
  if (count) *count = 0;
  ENTER(KIND_device);
  if (!count) return result(cudaErrorInvalidValue);
  *count = devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *d) {
  ENTER(KIND_device);
  *d = device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int d) {
  ENTER(KIND_device);
  if (d < 0 || d >= devices) return result(cudaErrorInvalidDevice);
  device = d;
  return cudaSuccess;
}
#define FILL_FIELD(name, number, field, value) prop->field = value;
#define CASE_VALUE(name, number, field, amount) case name: *value = amount; break;
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int d) {
  ENTER(KIND_device);
  if (d < 0 || d >= devices) return result(cudaErrorInvalidDevice);
  memset(prop, 0, sizeof *prop);
  snprintf(prop->name, sizeof prop->name, "CPU simulator %d", d);
  prop->totalGlobalMem = (size_t)8 << 30;
  SIMT_ATTRIBUTES(FILL_FIELD)
  prop->maxThreadsDim[0] = prop->maxThreadsDim[1] = 1024, prop->maxThreadsDim[2] = 64;
  prop->maxGridSize[0] = INT_MAX, prop->maxGridSize[1] = prop->maxGridSize[2] = 65535;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int d) {
  ENTER(KIND_device);
  if (d < 0 || d >= devices) return result(cudaErrorInvalidDevice);
  switch (attr) {
    SIMT_ATTRIBUTES(CASE_VALUE)
    case cudaDevAttrMaxBlockDimX: case cudaDevAttrMaxBlockDimY: *value = 1024; break;
    case cudaDevAttrMaxBlockDimZ: *value = 64; break;
    case cudaDevAttrMaxGridDimX: *value = INT_MAX; break;
    case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: *value = 65535; break;
    default: return result(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int d, int other) {
  ENTER(KIND_device);
  if (d < 0 || d >= devices || other < 0 || other >= devices) return result(cudaErrorInvalidDevice);
  *can = are_peers && d != other;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int d, int other) {
  (void)attribute;
  return cudaDeviceCanAccessPeer(value, d, other);
}
static const char BUS[] = "0000:%02X:00.0";
cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int d) {
  ENTER(KIND_device);
  if (d < 0 || d >= devices) return result(cudaErrorInvalidDevice);
  return result(snprintf(id, (size_t)size, BUS, d) < size ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGetByPCIBusId(int *d, const char *id) {
  ENTER(KIND_device);
  unsigned bus;
  if (sscanf(id, BUS, &bus) != 1 || bus >= (unsigned)devices) return result(cudaErrorInvalidValue);
  return *d = (int)bus, cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags) {
  static std::set<std::pair<int, int>> enabled;
  ENTER(KIND_device);
  if (other < 0 || other >= devices || other == device || !are_peers) return result(cudaErrorInvalidDevice);
  if (flags) return result(cudaErrorInvalidValue);
  return enabled.insert({device, other}).second ? cudaSuccess : result(cudaErrorPeerAccessAlreadyEnabled);
}
cudaError_t cudaDeviceSynchronize() {
  ENTER(KIND_sync, true);
  for (cudaStream_t s : streams)
    if (s->capture && s->device == device) return result(spoil(s->capture, cudaErrorStreamCaptureUnsupported));
  wait_for_all(device);
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() {
  ENTER(KIND_sync, true);
  wait_for_all(device);
  const std::set<Memory *> those = living;
  for (Memory *m : those)
    if (m->device == device) release(m);
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *v) { return *v = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *v) { return *v = CUDART_VERSION, cudaSuccess; }

/* ---- memory ---- */

cudaError_t simt_malloc(void **p, size_t size, simt_memory kind, cudaStream_t s) {
  ENTER_AS(kind == SIMT_HOST ? "cudaMallocHost" : kind == SIMT_MANAGED ? "cudaMallocManaged" : "cudaMalloc", KIND_malloc, s == nullptr);
  if (!p || !stream_of(s)) return result(cudaErrorInvalidValue);
  *p = nullptr;
  if (size && (size > (size_t)8 << 30 || !(*p = allocate(size, kind, device)))) return result(cudaErrorMemoryAllocation);
  return cudaSuccess;
}
static cudaError_t free_of(void *p, bool host) {
  if (!p) return cudaSuccess;
  Memory *m = memory_of(p);
  if (!m || m->p != p || m->registered || m->mapped_times || (m->kind == SIMT_HOST) != host) return cudaErrorInvalidValue;
  for (int d = 0; d < devices; d++) wait_for_all(d);
  release(m);
  return cudaSuccess;
}
cudaError_t cudaFree(void *p) {
  ENTER(KIND_free, true);
  return result(free_of(p, false));
}
cudaError_t cudaFreeHost(void *p) {
  ENTER(KIND_free, true);
  return result(free_of(p, true));
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t s) {
  ENTER(KIND_free);
  Memory *m = memory_of(p);
  if (!m || m->p != p || m->kind != SIMT_DEVICE) return result(cudaErrorInvalidValue);
  return result(enqueue(s, [p] { if (Memory *m = memory_of(p)) release(m); }));
}
cudaError_t cudaHostRegister(void *p, size_t size, unsigned) {
  ENTER(KIND_malloc);
  if (!p || !size) return result(cudaErrorInvalidValue);
  if (mapping_of(p)) return result(cudaErrorHostMemoryAlreadyRegistered);
  memories[(uintptr_t)p] = Memory{(char *)p, (char *)p, size, size, SIMT_HOST, device, true, true, numbered++, 0, false, nullptr, 0};
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *p) {
  ENTER(KIND_free);
  Memory *m = memory_of(p);
  if (!m || !m->registered || m->p != p) return result(cudaErrorHostMemoryNotRegistered);
  memories.erase((uintptr_t)p);
  return cudaSuccess;
}
/* Within one process: as if another one did it. */
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p) {
  ENTER(KIND_device);
  Memory *m = memory_of(p);
  if (!handle || !m || m->p != p || m->kind != SIMT_DEVICE) return result(cudaErrorInvalidValue);
  memset(handle, 0, sizeof *handle);
  memcpy(handle, &p, sizeof p);
  return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned flags) {
  ENTER(KIND_malloc);
  void *shared;
  memcpy(&shared, &handle, sizeof shared);
  Memory *m = memory_of(shared);
  if (!p || flags != cudaIpcMemLazyEnablePeerAccess || !m || m->p != shared || !are_peers) return result(cudaErrorInvalidValue);
  m->mapped_times++;
  *p = shared;
  return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void *p) {
  ENTER(KIND_free);
  Memory *m = memory_of(p);
  if (!m || m->p != p || !m->mapped_times) return result(cudaErrorInvalidValue);
  m->mapped_times--;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  ENTER(KIND_device);
  *total = (size_t)8 << 30;
  *available = *total - simt_live_bytes();
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p) {
  ENTER(KIND_device);
  Memory *m = memory_of(p);
  *a = cudaPointerAttributes{cudaMemoryTypeUnregistered, -2, nullptr, nullptr};
  if (!m) return a->hostPointer = const_cast<void *>(p), cudaSuccess;
  *a = cudaPointerAttributes{(cudaMemoryType)m->kind, m->device, const_cast<void *>(p), m->kind == SIMT_DEVICE ? nullptr : const_cast<void *>(p)};
  return cudaSuccess;
}

/* Whether `n` bytes at p are on the side that the call says: `__device__` variables are globals of the program. */
static bool lies_on(bool device_side, const void *p, size_t n) {
  extern char __executable_start, end;
  if (Memory *m = memory_of(p)) return (size_t)(tail(*m) - (const char *)p) >= n && (!device_side ? m->kind != SIMT_DEVICE : true);
  if (Memory *m = mapping_of(p)) return m->registered;
  if (Memory *m = memory_of((const char *)p + n - 1)) return !m->registered; /* the user's memory, registered in part */
  return !device_side || ((const char *)p >= &__executable_start && (const char *)p < &end);
}
static cudaError_t copy(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s) {
  if (!n) return cudaSuccess;
  if (!to || !from) return cudaErrorInvalidValue;
  if ((unsigned)kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  auto known = [n](const void *p) {
    Memory *m = memory_of(p);
    return m ? (size_t)(tail(*m) - (const char *)p) >= n : !mapping_of(p);
  };
  if (kind == cudaMemcpyDefault ? !known(to) || !known(from) : !lies_on(to_device, to, n) || !lies_on(from_device, from, n))
    return cudaErrorInvalidValue;
  int other = device; /* in the null stream, a copy between two devices comes after all work of either, and before what follows */
  for (const void *p : {(const void *)to, from})
    if (Memory *m = memory_of(p))
      if (m->kind == SIMT_DEVICE && m->device != device) other = m->device;
  bool is_between = other != device && stream_of(s) == &legacy[device];
  if (is_between) wait_for_all(other);
  cudaError_t e = enqueue(s, [=] { memmove(to, from, n); });
  if (is_between && !e) wait_for(&legacy[device], legacy[device].queued);
  return e;
}
cudaError_t simt_memcpy_async(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s) {
  ENTER_AS("cudaMemcpyAsync", KIND_memcpy);
  return result(copy(to, from, n, kind, s));
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind) {
  ENTER(KIND_memcpy);
  cudaError_t e = refused_of(&legacy[device]);
  if (!e) e = copy(to, from, n, kind, nullptr);
  if (!e) wait_for(&legacy[device], legacy[device].queued);
  return result(e);
}
cudaError_t simt_memset_async(void *p, int value, size_t n, cudaStream_t s) {
  ENTER_AS("cudaMemset", KIND_memset);
  if (!n) return cudaSuccess;
  if (!p || !lies_on(true, p, n)) return result(cudaErrorInvalidValue);
  return result(enqueue(s, [=] { memset(p, value, n); }));
}
cudaError_t cudaMemset(void *p, int value, size_t n) { return simt_memset_async(p, value, n, nullptr); }
cudaError_t simt_prefetch(const void *p, size_t, int d, cudaStream_t s) {
  ENTER_AS("cudaMemPrefetchAsync", KIND_memcpy);
  Memory *m = memory_of(p);
  if (!m || m->kind != SIMT_MANAGED) return result(cudaErrorInvalidValue);
  if (d != cudaCpuDeviceId && (d < 0 || d >= devices)) return result(cudaErrorInvalidDevice);
  return result(enqueue(s, [] {}));
}

/* ---- launches ---- */

cudaError_t simt_launch(dim3 g, dim3 b, size_t shared, cudaStream_t s, const void *kernel, void (*call)(void *), void (*drop)(void *), void *closure) {
  std::shared_ptr<void> arguments(closure, drop);
  ENTER_AS("a launch", KIND_launch);
  uint64_t threads = (uint64_t)b.x * b.y * b.z;
  if (!g.x || !g.y || !g.z || g.x > INT_MAX || g.y > 65535 || g.z > 65535 || b.x > 1024 || b.y > 1024 || b.z > 64 || !threads || threads > 1024)
    return result(cudaErrorInvalidValue);
  if (threads > (uint64_t)simt_bounds(call, closure)) return result(cudaErrorInvalidValue);
  auto limit = shared_limits.find(kernel);
  if (shared > (!kernel ? shared_limit : limit != shared_limits.end() ? (size_t)limit->second : (size_t)48 << 10)) return result(cudaErrorInvalidValue);
  cudaStream_t on = stream_of(s);
  if (!on || on->device != device) return result(cudaErrorInvalidResourceHandle);
  return result(enqueue(s, [=] {
    run_kernel(g, b, shared, call, arguments.get());
    for (const Memory *m : living) check_canaries(*m, "after a kernel");
  }));
}
cudaError_t simt_func_attribute(const void *kernel, cudaFuncAttribute a, int value) {
  ENTER_AS("cudaFuncSetAttribute", KIND_device);
  if (!kernel) return result(cudaErrorInvalidDeviceFunction);
  if (a != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || value > 227 << 10) return result(cudaErrorInvalidValue);
  shared_limits[kernel] = value;
  if ((size_t)value > shared_limit) shared_limit = (size_t)value;
  return cudaSuccess;
}
cudaError_t simt_func_attributes(cudaFuncAttributes *a, const void *kernel, int threads) {
  ENTER_AS("cudaFuncGetAttributes", KIND_device);
  if (!kernel) return result(cudaErrorInvalidDeviceFunction);
  *a = cudaFuncAttributes{0, 0, 0, threads, 32, 90, 90, 0, shared_limits.count(kernel) ? shared_limits[kernel] : 48 << 10};
  return cudaSuccess;
}
cudaError_t simt_occupancy(int *blocks, int threads, size_t shared) {
  ENTER_AS("cudaOccupancyMaxActiveBlocksPerMultiprocessor", KIND_device);
  if (threads < 1 || threads > 1024) return result(cudaErrorInvalidValue);
  *blocks = (int)std::min<size_t>(std::min(2048 / ((threads + 31) / 32 * 32), 32), shared ? (228 << 10) / shared : 32);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *data) {
  ENTER(KIND_launch);
  return result(enqueue(s, [=] {
    const cudaError_t before = last_error;  /* in CUDA a thread of the driver's makes the call */
    open_device(false);
    calls_back = true;
    f(data);
    calls_back = false;
    open_device(true);
    last_error = before;
  }));
}

/* ---- streams and events ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) {
  ENTER(KIND_stream);
  if (!s || flags > cudaStreamNonBlocking) return result(cudaErrorInvalidValue);
  *s = new_stream(new CUstream_st(), flags == cudaStreamDefault, device);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithFlags(s, cudaStreamDefault); }
static void retire(cudaStream_t s) {
  static std::vector<cudaStream_t> *remembered = new std::vector<cudaStream_t>;  /* events may still point to it */
  streams.erase(s);
  tsan_destroy(s->fiber);
  keep_fibers_for(nullptr);
  remembered->push_back(s);
  if (s->queued && (!seen.count(s) || seen[s] < s->queued)) return;  /* destroying a graph is no wait */
  s->gone_at = given;
  seen.erase(s);
  for (cudaStream_t o : streams) o->past.erase(s);
  for (cudaEvent_t e : events) e->past.erase(s);
}
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  ENTER(KIND_stream);
  cudaStream_t s = stream_of(handle);
  if (!s || s != handle) return result(cudaErrorInvalidResourceHandle);
  wait_for(s, s->queued);
  retire(s);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  ENTER(KIND_sync);
  cudaStream_t s = stream_of(handle);
  const cudaError_t refused = s ? refused_of(s) : cudaErrorInvalidResourceHandle;
  if (refused) return result(refused);
  if (s == &legacy[device])
    for (cudaStream_t o : streams)
      if (o->blocking && o->device == device) wait_for(o, o->queued);
  wait_for(s, s->queued);
  return cudaSuccess;
}
/* Each query lets one piece of work happen, so that a loop of queries ends. cudaErrorNotReady is not an error that
 * cudaGetLastError returns. */
static cudaError_t query(cudaStream_t s, uint64_t position) {
  if (s->done >= position) return see(s, position), tsan_acquire(&s->token), cudaSuccess;
  run_next(s);
  return cudaErrorNotReady;
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  ENTER(KIND_sync);
  cudaStream_t s = stream_of(handle);
  const cudaError_t refused = s ? refused_of(s) : cudaErrorInvalidResourceHandle;
  return refused ? result(refused) : query(s, s->queued);
}

cudaError_t simt_event_create(cudaEvent_t *e, unsigned flags) {
  ENTER_AS("cudaEventCreate", KIND_event);
  if (!e || flags > 7) return result(cudaErrorInvalidValue);
  events.insert(*e = new CUevent_st{device, nullptr, 0, false, !(flags & cudaEventDisableTiming), 0, nullptr, 0, {}});
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *e) { return simt_event_create(e, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  ENTER(KIND_event);
  if (!events.count(e)) return result(cudaErrorInvalidResourceHandle);
  if (e->recorded && !e->capture) advance(e->stream, e->position);
  events.erase(e);
  delete e;
  return cudaSuccess;
}
static void begin_branch(cudaStream_t s, cudaGraph_t g) {
  s->capture = g, s->branch = g->branches.size();
  g->branches.push_back({s->device, {}});
}
cudaError_t simt_event_record(cudaEvent_t e, cudaStream_t handle) {
  ENTER_AS("cudaEventRecord", KIND_event);
  cudaStream_t s = stream_of(handle);
  if (!events.count(e) || !s || e->device != s->device) return result(cudaErrorInvalidResourceHandle);
  if (s->capture) {
    if (s->capture->spoilt) return result(cudaErrorStreamCaptureInvalidated);
    e->capture = s->capture, e->branch = s->branch, e->position = s->capture->branches[s->branch].nodes.size(), e->stream = s;
    return cudaSuccess;
  }
  cudaError_t error = enqueue(s, [e] { if (events.count(e)) e->at = (double)simt_clock() / 1e6; });
  if (error) return result(error);
  e->stream = s, e->position = s->queued, e->recorded = true, e->capture = nullptr, e->past = s->past;
  return cudaSuccess;
}
cudaError_t simt_stream_wait(cudaStream_t handle, cudaEvent_t e) {
  ENTER_AS("cudaStreamWaitEvent", KIND_event);
  cudaStream_t s = stream_of(handle);
  if (!events.count(e) || !s) return result(cudaErrorInvalidResourceHandle);
  if (s->capture && e->capture && e->capture != &ended && e->capture != s->capture)
    return result(spoil(s->capture, spoil(e->capture, cudaErrorStreamCaptureMerge)));
  if (e->capture && e->capture->spoilt) return result(s->capture ? spoil(s->capture, cudaErrorInvalidValue) : cudaErrorInvalidValue);
  if (s->capture && !e->capture && e->recorded) return result(spoil(s->capture, cudaErrorStreamCaptureIsolation));
  if (e->capture) {  /* a stream that captures nothing joins the capture */
    if (s == &legacy[s->device]) return result(spoil(e->capture, cudaErrorStreamCaptureImplicit));
    if (!s->capture) begin_branch(s, e->capture);
    s->capture->branches[s->branch].nodes.push_back({nullptr, {{e->branch, e->position}}});
    return cudaSuccess;
  }
  if (!e->recorded || s->capture) return cudaSuccess;
  cudaError_t error = enqueue(s, [] {});
  if (!error) follows(s, s->queue.back(), e->stream, e->position, e->past);
  return result(error);
}
/* What a function returns that is asked for an event of a capture. */
static cudaError_t captured(cudaEvent_t e) { return e->capture == &ended ? cudaErrorInvalidValue : cudaErrorCapturedEvent; }
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  ENTER(KIND_sync, true);
  if (!events.count(e)) return result(cudaErrorInvalidResourceHandle);
  if (e->capture) return result(spoil(e->capture, captured(e)));
  if (e->recorded) wait_for(e->stream, e->position), add(&seen, e->past);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e) {
  ENTER(KIND_sync, true);
  if (!events.count(e)) return result(cudaErrorInvalidResourceHandle);
  if (e->capture) return result(spoil(e->capture, captured(e)));
  return e->recorded ? query(e->stream, e->position) : cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b) {
  ENTER(KIND_event);
  if (!events.count(a) || !events.count(b) || !a->timed || !b->timed) return result(cudaErrorInvalidResourceHandle);
  if (a->capture || b->capture) return result(captured(a->capture ? a : b));
  if (!a->recorded || !b->recorded) return result(cudaErrorInvalidResourceHandle);
  if (a->stream->done < a->position || b->stream->done < b->position) return cudaErrorNotReady;
  *ms = (float)(b->at - a->at);
  return cudaSuccess;
}

/* ---- graphs ---- */

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  ENTER(KIND_graph);
  cudaStream_t s = stream_of(handle);
  if (!s || s == &legacy[device]) return result(s ? cudaErrorStreamCaptureUnsupported : cudaErrorInvalidResourceHandle);
  if (s->capture) return result(cudaErrorIllegalState);
  begin_branch(s, new CUgraph_st{{}, false, s, mode, &last_error});
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  ENTER(KIND_graph);
  if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed) return result(cudaErrorInvalidValue);
  std::swap(capture_mode, *mode);
  return cudaSuccess;
}
/* Whether the end of the first branch, the origin's, comes after all work of the others. */
static bool all_have_joined(const std::vector<Branch> &branches) {
  std::vector<size_t> seen(branches.size());
  std::vector<std::pair<size_t, size_t>> to_see = {{0, branches[0].nodes.size()}};
  while (!to_see.empty()) {
    const auto [b, end] = to_see.back();
    to_see.pop_back();
    for (; seen[b] < end; seen[b]++)
      for (auto &a : branches[b].nodes[seen[b]].after) to_see.push_back(a);
  }
  for (size_t b = 0; b < branches.size(); b++)
    for (size_t k = seen[b]; k < branches[b].nodes.size(); k++)
      if (branches[b].nodes[k].work) return false;
  return true;
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  ENTER(KIND_graph);
  cudaStream_t s = stream_of(handle);
  *graph = nullptr;
  if (!s) return result(cudaErrorInvalidResourceHandle);
  cudaGraph_t g = s->capture;
  if (!g) return result(cudaErrorIllegalState);
  if (s != g->origin) return result(spoil(g, cudaErrorStreamCaptureUnmatched));
  for (cudaStream_t o : streams)
    if (o->capture == g) o->capture = nullptr;
  for (cudaEvent_t e : events)
    if (e->capture == g) e->capture = &ended;
  const bool is_strange = g->mode != cudaStreamCaptureModeRelaxed && g->thread != &last_error;
  const cudaError_t error = is_strange                      ? cudaErrorStreamCaptureWrongThread
                            : g->spoilt                     ? cudaErrorStreamCaptureInvalidated
                            : !all_have_joined(g->branches) ? cudaErrorStreamCaptureUnjoined
                                                            : cudaSuccess;
  if (error) return delete g, result(error);
  graphs.insert(*graph = g);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus *status) {
  ENTER(KIND_graph);
  cudaStream_t s = stream_of(handle);
  if (!s) return result(cudaErrorInvalidResourceHandle);
  *status = !s->capture ? cudaStreamCaptureStatusNone : s->capture->spoilt ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long) {
  ENTER(KIND_graph);
  if (!exec || !graphs.count(graph)) return result(cudaErrorInvalidValue);
  execs.insert(*exec = new CUgraphExec_st{graph->branches, {}});
  for (const Branch &b : graph->branches) (*exec)->streams.push_back(new_stream(new CUstream_st(), false, b.device));
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s) {
  ENTER(KIND_launch);
  if (!execs.count(exec)) return result(cudaErrorInvalidValue);
  cudaStream_t on = stream_of(s);
  if (!on) return result(cudaErrorInvalidResourceHandle);
  if (on->capture) {  /* a child of that graph: its work, in a row */
    for (const Branch &b : exec->branches)
      for (const Node &n : b.nodes)
        if (n.work) on->capture->branches[on->branch].nodes.push_back({n.work, {}});
    return cudaSuccess;
  }
  cudaError_t error = enqueue(s, [] {});  /* the branches begin after it, and the stream goes on after them */
  if (error) return result(error);
  static const Work nothing = std::make_shared<std::function<void()>>([] {});
  const std::vector<cudaStream_t> &to = exec->streams;
  const uint64_t begin = on->queued;
  std::vector<uint64_t> before;
  for (cudaStream_t branch : to) before.push_back(branch->queued + 1);
  for (size_t b = 0; b < to.size(); b++) {
    queue_op(to[b], nothing);
    follows(to[b], to[b]->queue.back(), on, begin, on->past);
  }
  for (size_t b = 0; b < to.size(); b++)
    for (const Node &n : exec->branches[b].nodes) {
      queue_op(to[b], n.work ? n.work : nothing);
      for (auto &a : n.after) follows(to[b], to[b]->queue.back(), to[a.first], before[a.first] + a.second, to[a.first]->past);
    }
  queue_op(on, nothing);
  for (cudaStream_t branch : to) follows(on, on->queue.back(), branch, branch->queued, branch->past);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  ENTER(KIND_graph);
  if (!execs.erase(exec)) return result(cudaErrorInvalidValue);
  for (cudaStream_t s : exec->streams) advance(s, s->queued);
  for (cudaStream_t s : exec->streams) retire(s);
  delete exec;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  ENTER(KIND_graph);
  if (!graphs.erase(graph)) return result(cudaErrorInvalidValue);
  delete graph;
  return cudaSuccess;
}
