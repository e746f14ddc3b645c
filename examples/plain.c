/*
 * plain.c: a plain C program, with no CUDA anywhere.
 *
 *     gcc -std=c11 -O2 -I../include plain.c -o plain
 */
#include "reduce.cuh"

#include <math.h>
#include <stdio.h>

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(int, max)

enum { N = 1000000, BATCH = 4096 };

static float tenths[N];
static int marks[N];

/* The usual loop rounds a million times, while the sum grows. */
static float loop_sum(const float *in, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += in[i];
    return sum;
}

/* The maximum of an array that arrives in batches: starts from the identity and combines once for each batch. */
static int greatest_in_batches(const int *in, size_t n)
{
    int greatest = reduce_int_max_identity();
    for (size_t i = 0; i < n; i += BATCH) {
        const size_t count = n - i < BATCH ? n - i : BATCH;
        greatest = reduce_int_max_combine(greatest, reduce_int_max_cpu(in + i, count));
    }
    return greatest;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        tenths[i] = 0.1f;
        marks[i] = (int)(i * 7919LL % 1000003) - 500000;
    }

    const float sum = reduce_float_sum_cpu(tenths, N);
    const double exact = (double)0.1f * N;
    printf("a million times 0.1: %.4f exactly, %.4f by the tree, %.4f by a loop\n", exact, (double)sum,
           (double)loop_sum(tenths, N));

    const int greatest = reduce_int_max_cpu(marks, N);
    printf("greatest: %d at once, %d in batches\n", greatest, greatest_in_batches(marks, N));

    /* The tree cuts the array in the same way on every machine: each OpenMP thread or GPU block takes a chunk. */
    const struct reduce_plan plan = reduce_plan(N, sizeof(float));
    printf("the tree: %zu chunks of %zu floats\n", plan.count, plan.chunk);

    const bool sum_is_right = fabs((double)sum - exact) < 0.01;
    const bool greatest_is_right = greatest == greatest_in_batches(marks, N) && greatest == 500002;
    const bool plan_is_right = (plan.count - 1) * plan.chunk < N && N <= plan.count * plan.chunk;
    return sum_is_right && greatest_is_right && plan_is_right ? 0 : 1;
}
