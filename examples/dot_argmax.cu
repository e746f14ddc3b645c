/*
 * dot_argmax.cu: two maps. A dot product turns pairs into products; an arg-max turns an element and its index into a
 * candidate.
 */
#include "reduce.cuh"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

/* Turns a pair of floats into a double. */
typedef struct {
    float left, right;
} pair;

DEFINE_REDUCE_MAP(dot, pair, double, (double)x.left * (double)x.right, 0, a + b)

/* The place of the greatest float. In a map x is an element and i its index. Of equal elements the first wins; a NaN
   never wins. */
typedef struct {
    float value;
    unsigned index;
} candidate;

static __host__ __device__ candidate candidate_at(float value, size_t index)
{
    const candidate result = {value == value ? value : -INFINITY, (unsigned)index};
    return result;
}

static __host__ __device__ bool beats(candidate a, candidate b)
{
    return a.value > b.value || (a.value == b.value && a.index < b.index);
}

DEFINE_REDUCE_MAP(argmax, float, candidate, candidate_at(x, i), candidate_at(-INFINITY, UINT32_MAX),
                  beats(a, b) ? a : b)

int main(void)
{
    enum { N = 60000 };
    static pair pairs[N];
    static float values[N];
    double expected = 0;
    for (int i = 0; i < N; i++) {
        const pair p = {(float)(i % 127) - 50, (float)(i % 31) / 8};
        pairs[i] = p;
        expected += (double)p.left * (double)p.right; /* exact: small multiples of 1/8 */
        values[i] = (float)(i % 5000);
    }
    values[100] = NAN;

    double product;
    CHECK(dot(pairs, N, &product));
    printf("dot product: %.3f, expected %.3f\n", product, expected);

    candidate winner;
    CHECK(argmax(values, N, &winner));
    printf("greatest: %g at index %u\n", (double)winner.value, winner.index);

    /* An array of NaN alone gives the index of its first element, an empty array the identity. */
    candidate of_nan, of_none;
    CHECK(argmax(&values[100], 1, &of_nan));
    CHECK(argmax(NULL, 0, &of_none));

    const bool is_right = product == expected && winner.value == 4999 && winner.index == 4999 &&
                          of_nan.index == 0 && of_none.index == UINT32_MAX;
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
