/*
 * A stand-in for NCCL: the few calls that reduce_nccl.cuh makes, over ranks that are threads of one process, or that one
 * thread serves in a group. It needs CUDA or the simulator, but neither NCCL nor several GPUs: ranks may share a device.
 *
 * As in NCCL, a collective is work in the stream of each rank, and the call waits until all ranks have called. Cases that
 * NCCL leaves undefined are errors here: ranks that send different amounts, and a rank that waits ten seconds for others.
 *
 *     stand_in_fail(call, nth)     the nth call of this kind from now on fails; 0 cancels
 *     stand_in_calls(call)         how many there have been
 */
#ifndef STAND_IN_NCCL_H
#define STAND_IN_NCCL_H

#include <cuda_runtime.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#define NCCL_MAJOR 2
#define NCCL_MINOR 0

#define STAND_IN static __attribute__((unused))

typedef enum {
    ncclSuccess,
    ncclUnhandledCudaError,
    ncclSystemError,
    ncclInternalError,
    ncclInvalidArgument,
    ncclInvalidUsage,
    ncclRemoteError
} ncclResult_t;
typedef enum { ncclInt8, ncclChar = ncclInt8, ncclUint8 } ncclDataType_t;

enum { STAND_IN_MOST_RANKS = 8 };
enum stand_in_call {
    STAND_IN_RANK,
    STAND_IN_COUNT,
    STAND_IN_DEVICE,
    STAND_IN_ALL_GATHER,
    STAND_IN_GROUP_START,
    STAND_IN_GROUP_END,
    STAND_IN_CALLS
};

/* A rank's request. */
struct stand_in_gather {
    const char *from;
    char *to;
    size_t bytes;
    cudaStream_t stream;
};

struct stand_in_world {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int ranks, alive, arrived;
    unsigned turn; /* collectives so far */
    ncclResult_t result; /* of the last one */
    struct stand_in_gather gathers[STAND_IN_MOST_RANKS];
    cudaEvent_t ready[STAND_IN_MOST_RANKS], done[STAND_IN_MOST_RANKS];
};
struct ncclComm {
    struct stand_in_world *world;
    int rank, device;
};
typedef struct ncclComm *ncclComm_t;

static pthread_mutex_t stand_in_lock = PTHREAD_MUTEX_INITIALIZER;
static long stand_in_counts[STAND_IN_CALLS], stand_in_fails_at[STAND_IN_CALLS];

/* The group of this thread: how deep, what is put off, and the first error in it. */
static __thread int stand_in_depth, stand_in_waiting;
static __thread ncclResult_t stand_in_error;
static __thread struct {
    ncclComm_t comm;
    struct stand_in_gather gather;
    unsigned turn;
} stand_in_put_off[STAND_IN_MOST_RANKS];

STAND_IN void stand_in_fail(enum stand_in_call call, long nth)
{
    pthread_mutex_lock(&stand_in_lock);
    stand_in_fails_at[call] = nth > 0 ? stand_in_counts[call] + nth : 0;
    pthread_mutex_unlock(&stand_in_lock);
}

STAND_IN long stand_in_calls(enum stand_in_call call)
{
    pthread_mutex_lock(&stand_in_lock);
    const long count = stand_in_counts[call];
    pthread_mutex_unlock(&stand_in_lock);
    return count;
}

STAND_IN ncclResult_t stand_in_count(enum stand_in_call call)
{
    pthread_mutex_lock(&stand_in_lock);
    const int fails = ++stand_in_counts[call] == stand_in_fails_at[call];
    pthread_mutex_unlock(&stand_in_lock);
    if (fails && stand_in_depth > 0) stand_in_error = ncclSystemError;
    return fails ? ncclSystemError : ncclSuccess;
}

#define STAND_IN_CUDA(call)                                                                                  \
    if ((call) != cudaSuccess) return ncclUnhandledCudaError

/* All ranks have arrived. Each stream waits for all ranks' data, copies, and waits until all have copied. */
STAND_IN ncclResult_t stand_in_perform(struct stand_in_world *world)
{
    const struct stand_in_gather *const g = world->gathers;
    for (int r = 0; r < world->ranks; r++)
        if (g[r].bytes != g[0].bytes) return ncclInvalidUsage;
    for (int r = 0; r < world->ranks; r++) STAND_IN_CUDA(cudaEventRecord(world->ready[r], g[r].stream));
    for (int r = 0; r < world->ranks; r++) {
        for (int q = 0; q < world->ranks; q++) {
            char *const to = g[r].to + (size_t)q * g[q].bytes;
            if (q != r) STAND_IN_CUDA(cudaStreamWaitEvent(g[r].stream, world->ready[q], 0));
            if (to != g[q].from)
                STAND_IN_CUDA(cudaMemcpyAsync(to, g[q].from, g[q].bytes, cudaMemcpyDeviceToDevice, g[r].stream));
        }
        STAND_IN_CUDA(cudaEventRecord(world->done[r], g[r].stream));
    }
    for (int r = 0; r < world->ranks; r++)
        for (int q = 0; q < world->ranks; q++)
            if (q != r) STAND_IN_CUDA(cudaStreamWaitEvent(g[r].stream, world->done[q], 0));
    return ncclSuccess;
}

/* The turn in which this rank's collective takes place. The last to arrive performs it. */
STAND_IN unsigned stand_in_arrive(ncclComm_t comm, struct stand_in_gather gather)
{
    struct stand_in_world *const world = comm->world;
    pthread_mutex_lock(&world->lock);
    const unsigned turn = world->turn;
    world->gathers[comm->rank] = gather;
    if (++world->arrived == world->ranks) {
        world->result = stand_in_perform(world);
        world->arrived = 0;
        world->turn++;
        pthread_cond_broadcast(&world->changed);
    }
    pthread_mutex_unlock(&world->lock);
    return turn;
}

STAND_IN ncclResult_t stand_in_wait(ncclComm_t comm, unsigned turn)
{
    struct stand_in_world *const world = comm->world;
    struct timespec until;
    int waited = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&world->lock);
    while (world->turn == turn && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&world->changed, &world->lock, &until);
    const ncclResult_t result = world->turn == turn ? ncclRemoteError : world->result;
    pthread_mutex_unlock(&world->lock);
    return result;
}

STAND_IN ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ranks, const int *devices)
{
    int count = 1;
    if (ranks < 1 || ranks > STAND_IN_MOST_RANKS) return ncclInvalidArgument;
    struct stand_in_world *const world = (struct stand_in_world *)calloc(1, sizeof *world);
    STAND_IN_CUDA(cudaGetDeviceCount(&count));
    world->ranks = world->alive = ranks;
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->changed, NULL);
    int home = 0;
    STAND_IN_CUDA(cudaGetDevice(&home));
    for (int r = 0; r < ranks; r++) {
        comms[r] = (ncclComm_t)calloc(1, sizeof *comms[r]);
        comms[r]->world = world;
        comms[r]->rank = r;
        comms[r]->device = devices != NULL ? devices[r] : r % count;
        STAND_IN_CUDA(cudaSetDevice(comms[r]->device));
        STAND_IN_CUDA(cudaEventCreateWithFlags(&world->ready[r], cudaEventDisableTiming));
        STAND_IN_CUDA(cudaEventCreateWithFlags(&world->done[r], cudaEventDisableTiming));
    }
    STAND_IN_CUDA(cudaSetDevice(home));
    return ncclSuccess;
}

STAND_IN ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    struct stand_in_world *const world = comm->world;
    STAND_IN_CUDA(cudaEventDestroy(world->ready[comm->rank]));
    STAND_IN_CUDA(cudaEventDestroy(world->done[comm->rank]));
    free(comm);
    if (--world->alive > 0) return ncclSuccess;
    pthread_mutex_destroy(&world->lock);
    pthread_cond_destroy(&world->changed);
    free(world);
    return ncclSuccess;
}

STAND_IN ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank)
{
    *rank = comm->rank;
    return stand_in_count(STAND_IN_RANK);
}

STAND_IN ncclResult_t ncclCommCount(ncclComm_t comm, int *ranks)
{
    *ranks = comm->world->ranks;
    return stand_in_count(STAND_IN_COUNT);
}

STAND_IN ncclResult_t ncclCommCuDevice(ncclComm_t comm, int *device)
{
    *device = comm->device;
    return stand_in_count(STAND_IN_DEVICE);
}

STAND_IN ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t, ncclComm_t comm,
                                    cudaStream_t stream)
{
    const struct stand_in_gather gather = {(const char *)from, (char *)to, count, stream};
    const ncclResult_t result = stand_in_count(STAND_IN_ALL_GATHER);
    if (result != ncclSuccess) return result;
    if (stand_in_depth == 0) return stand_in_wait(comm, stand_in_arrive(comm, gather));
    if (stand_in_waiting == STAND_IN_MOST_RANKS) return ncclInvalidUsage;
    stand_in_put_off[stand_in_waiting].comm = comm;
    stand_in_put_off[stand_in_waiting++].gather = gather;
    return ncclSuccess;
}

STAND_IN ncclResult_t ncclGroupStart(void)
{
    const ncclResult_t result = stand_in_count(STAND_IN_GROUP_START);
    if (result == ncclSuccess) stand_in_depth++;
    return result;
}

/* After an error nothing of the group takes place. */
STAND_IN ncclResult_t ncclGroupEnd(void)
{
    if (stand_in_depth == 0) return ncclInvalidUsage;
    (void)stand_in_count(STAND_IN_GROUP_END);
    if (--stand_in_depth > 0) return stand_in_error;
    const int count = stand_in_waiting;
    ncclResult_t result = stand_in_error;
    stand_in_waiting = 0;
    stand_in_error = ncclSuccess;
    if (result != ncclSuccess) return result;
    for (int k = 0; k < count; k++)
        stand_in_put_off[k].turn = stand_in_arrive(stand_in_put_off[k].comm, stand_in_put_off[k].gather);
    for (int k = 0; k < count && result == ncclSuccess; k++)
        result = stand_in_wait(stand_in_put_off[k].comm, stand_in_put_off[k].turn);
    return result;
}

STAND_IN const char *ncclGetErrorString(ncclResult_t result)
{
    return result == ncclSuccess ? "no error" : "an error";
}

#endif
