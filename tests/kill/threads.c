/* The CPU's function by several threads, under the thread sanitizer: what one thread works on is no other's. For
   tools/mutate, which builds it with gcc's OpenMP. The sanitizer does not know how the threads of libgomp wait for each
   other; those of this program it does. */
#include "reduce.cuh"
#include "../tree.h"

#include <pthread.h>

#ifndef _OPENMP
#error "this program is about OpenMP"
#endif

/* ---- What gcc calls for "omp parallel for schedule(static)" --------------------------------------------- */

enum { THREADS = 3 };
static _Thread_local int number;
static void (*work)(void *);
static void *work_on;

int omp_get_num_threads(void)
{
    return THREADS;
}

int omp_get_thread_num(void)
{
    return number;
}

static void *worker(void *its_number)
{
    number = (int)(intptr_t)its_number;
    work(work_on);
    return NULL;
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
    pthread_t thread[THREADS];
    (void)threads, (void)flags;
    work = function, work_on = data;
    for (intptr_t k = 0; k < THREADS; k++)
        if (pthread_create(&thread[k], NULL, worker, (void *)k) != 0) exit(1);
    for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
}

/* ---- Reductions ------------------------------------------------------------------------------------------- */

typedef unsigned char u8;
typedef unsigned long long u64;

static u64 traced(u64 a, u64 b)
{
    if (a == 0 || b == 0) return a | b;
    return ((a * 3 + (b ^ b >> 29) * 0xbf58476d1ce4e5b9u) ^ a >> 31) | 1;
}

/* One whose order shows and one whose order does not, which go through different functions; both map. */
#define EACH(X)                                                                                           \
    X(trace, u64, u64, x *(i + 1), 0, traced(a, b))                                                       \
    X(total, u8, u64, x *(u64)(i + 1), REDUCE_IDENTITY_sum(u64), REDUCE_COMBINE_sum(u64, a, b))
#define DEFINE_BOTH(NAME, In, T, map, ...)                                                                \
    DEFINE_REDUCE_MAP(NAME, In, T, map, __VA_ARGS__)                                                      \
    DEFINE_TREE(NAME, In, T, map, __VA_ARGS__)
EACH(DEFINE_BOTH)

enum { N = 40 * 2048 + 77 };
static u64 in[N];

#define CHECK(NAME, In, ...)                                                                              \
    do {                                                                                                  \
        const In *from = (const In *)(const void *)in;                                                    \
        const size_t n = sizeof in / sizeof *from - 5;                                                    \
        const u64 got = NAME##_cpu(from, n), tree = NAME##_tree(from, n);                                 \
        if (got == tree) break;                                                                           \
        printf("%s of %zu: %llx, not %llx\n", #NAME, n, got, tree);                                       \
        return 1;                                                                                         \
    } while (0);

int main(void)
{
    for (size_t k = 0; k < N; k++) in[k] = (k + 1) * 0x9e3779b97f4a7c15u;
    EACH(CHECK)
    return 0;
}
