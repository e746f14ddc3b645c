/*
 * For the recorder: runs one rung of the ladder once, over the numbers 1, 2, 3 and so on. They are floats,
 * because the library leaves a warp of integers to one instruction, and then there is nothing to see.
 *
 *     record                             the rungs, each with its title
 *     record RUNG BLOCKS THREADS N       N numbers in a grid of this shape
 */
#include "ladder.cuh"

#include <stdio.h>
#include <stdlib.h>

DEFINE_REDUCE(float, sum)
DEFINE_LADDER(float, sum)

#define CHECK(call) check(call, #call)

static void check(cudaError_t status, const char *call)
{
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorName(status));
    exit(1);
}

static void run(enum ladder_rung rung, struct ladder_shape shape, int n)
{
    const size_t bytes = sizeof(float) * (size_t)n;
    float *numbers = (float *)malloc(bytes), *in = NULL, *out = NULL, result = 0;
    struct ladder_room room = {NULL, {NULL, NULL}, NULL};
    for (int k = 0; k < n; k++) numbers[k] = (float)(k + 1);
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemcpy(in, numbers, bytes, cudaMemcpyHostToDevice));
    CHECK(ladder_room_create(&room, shape, sizeof *in));
    CHECK(reduce_float_sum_ladder(rung, in, (size_t)n, out, &room, shape, 0));
    CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
    if (result != (float)(n * (n + 1) / 2)) {
        fprintf(stderr, "%s: %g, not %d\n", ladder_id(rung), result, n * (n + 1) / 2);
        exit(1);
    }
    CHECK(ladder_room_destroy(&room));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    free(numbers);
}

int main(int argc, char **argv)
{
    for (int k = 0; k < LADDER_COUNT; k++) {
        const enum ladder_rung rung = (enum ladder_rung)k;
        if (argc < 5) {
            printf("%s %s\n", ladder_id(rung), ladder_title(rung));
        } else if (strcmp(argv[1], ladder_id(rung)) == 0) {
            const struct ladder_shape shape = {(unsigned)atoi(argv[2]), (unsigned)atoi(argv[3])};
            run(rung, shape, atoi(argv[4]));
        }
    }
    return 0;
}
