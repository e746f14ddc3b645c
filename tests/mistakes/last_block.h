/* The last-block guard of G2, with room for what is wrong in each of the programs that include it. */
#ifndef LAST_BLOCK_H
#define LAST_BLOCK_H

#include "mistake.h"

enum { BLOCKS = 6, THREADS = 40 };

#ifndef RELEASE
#define RELEASE __threadfence();
#endif
#ifndef ACQUIRE
#define ACQUIRE __threadfence();
#endif
#ifndef NEXT_TICKET
#define NEXT_TICKET(ticket) atomicInc(ticket, BLOCKS - 1)
#endif
#ifndef PARTIALS
#define PARTIALS BLOCKS
#endif

/* Thread 0 of each block adds up its numbers: how a block reduces is not the point here. */
static __device__ int sum_of_block(const int *in)
{
    int sum = 0;
    for (int k = 0; k < THREADS; k++) sum += in[blockIdx.x * THREADS + k];
    return sum;
}

static __global__ void sum(const int *in, int *partials, unsigned *ticket, int *out)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum_of_block(in);
        RELEASE
        is_last = NEXT_TICKET(ticket) == BLOCKS - 1;
        ACQUIRE
    }
    __syncthreads();
    if (!is_last) return;
    int mine = 0;
    for (int k = (int)threadIdx.x; k < PARTIALS; k += THREADS) mine += partials[k];
    atomicAdd(out, mine);
}

/* Several launches, one after the other, with one ticket. */
static int check_launches(int launches)
{
    int *in = numbers(BLOCKS * THREADS), *partials = (int *)device_room(sizeof(int) * BLOCKS, 0);
    unsigned *ticket = (unsigned *)device_room(sizeof *ticket, 0);
    for (int k = 0; k < launches; k++) {
        int *out = (int *)device_room(sizeof *out, 0);
        sum<<<BLOCKS, THREADS>>>(in, partials, ticket, out);
        check_sum(out, BLOCKS * THREADS);
    }
    return 0;
}

#endif /* LAST_BLOCK_H */
