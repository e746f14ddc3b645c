/* The CPU's functions by several threads, under the thread sanitizer: no two threads work on the same memory.
   For tools/mutate, which builds it with gcc's OpenMP. The sanitizer does not know how the threads of libgomp
   wait for each other, so this program brings threads of its own. */
#include "reduce_rows.cuh"
#include "../tree.h"

#include <pthread.h>

#ifndef _OPENMP
#error "this program is about OpenMP"
#endif

/* ---- What gcc calls for "omp parallel for schedule(static)" ------------------------------------------ */

enum { THREADS = 3 };
struct task {
    void (*function)(void *);
    void *data;
    int number;
    pthread_t thread;
};
static _Thread_local int number;

int omp_get_num_threads(void)
{
    return THREADS;
}

int omp_get_thread_num(void)
{
    return number;
}

static void *worker(void *its_task)
{
    const struct task *task = (struct task *)its_task;
    number = task->number;
    task->function(task->data);
    return NULL;
}

static void run(struct task *tasks, int count)
{
    for (int k = 0; k < count; k++)
        if (pthread_create(&tasks[k].thread, NULL, worker, &tasks[k]) != 0) exit(1);
    for (int k = 0; k < count; k++) pthread_join(tasks[k].thread, NULL);
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
    struct task tasks[THREADS];
    (void)threads, (void)flags;
    for (int k = 0; k < THREADS; k++) tasks[k] = (struct task){function, data, k, 0};
    run(tasks, THREADS);
}

/* ---- Reductions ---------------------------------------------------------------------------------------- */

typedef unsigned char u8;
typedef unsigned long long u64;

static u64 traced(u64 a, u64 b)
{
    if (a == 0 || b == 0) return a | b;
    return ((a * 3 + (b ^ b >> 29) * 0xbf58476d1ce4e5b9u) ^ a >> 31) | 1;
}

/* One whose order shows, and one whose order does not: they go through different functions. */
DEFINE_REDUCE_MAP(trace, u64, u64, x *(i + 1), 0, traced(a, b))
DEFINE_TREE(trace, u64, u64, x *(i + 1), 0, traced(a, b))
DEFINE_WITH_TREE(INTEGER, u64, sum)

DEFINE_REDUCE_ROWS(trace)

enum { N = 40 * 2048 + 77, ROWS = 199, OF_ROW = N / ROWS }; /* so many rows and columns that threads share them */
static u64 in[N];
static int64_t offsets[ROWS + 1];

struct got {
    u64 of_n[4], rows[ROWS], columns[ROWS], segments[ROWS];
};

static void calls(void *to)
{
    struct got *got = (struct got *)to;
    got->of_n[0] = trace_cpu(in, N), got->of_n[1] = reduce_u64_sum_cpu(in, N);
    got->of_n[2] = trace_cpu(in, 999), got->of_n[3] = reduce_u64_sum_cpu(in, 999);
    trace_rows_cpu(in, ROWS, OF_ROW, OF_ROW, got->rows);
    trace_columns_cpu(in, OF_ROW, ROWS, ROWS, got->columns);
    trace_segments_cpu(in, offsets, ROWS, got->segments);
}

static void expect(struct got *expected)
{
    expected->of_n[0] = trace_tree(in, N), expected->of_n[1] = reduce_u64_sum_tree(in, N);
    expected->of_n[2] = trace_tree(in, 999), expected->of_n[3] = reduce_u64_sum_tree(in, 999);
    for (size_t r = 0; r < ROWS; r++) {
        u64 column[OF_ROW];
        for (size_t j = 0; j < OF_ROW; j++) column[j] = in[j * ROWS + r];
        expected->rows[r] = trace_tree(in + r * OF_ROW, OF_ROW);
        expected->columns[r] = trace_tree(column, OF_ROW);
        expected->segments[r] = trace_tree(in + offsets[r], (size_t)(offsets[r + 1] - offsets[r]));
    }
}

/* Two threads of a program call at the same time, and each call has its own team. */
int main(void)
{
    static struct got got[2], expected;
    for (size_t k = 0; k < N; k++) in[k] = (k + 1) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < ROWS; k++) offsets[k + 1] = offsets[k] + k % 5 * 200;
    expect(&expected);
    struct task callers[] = {{calls, &got[0], 0, 0}, {calls, &got[1], 0, 0}};
    run(callers, 2);
    if (memcmp(&got[0], &expected, sizeof expected) == 0 && memcmp(&got[1], &expected, sizeof expected) == 0) return 0;
    printf("the results of threads are wrong\n");
    return 1;
}
