/*
 * The executors of a whole array, by number and by name. DEFINE_BY(NAME, In, T) makes its atomic strategies and
 *
 *     cudaError_t NAME_by(enum executor by, const void *in, size_t n, void *out, reduce_workspace *ws,
 *                         cudaStream_t stream)
 *
 * which returns as soon as the executor does. BY_CPU takes in and out in main memory. BY_CALL takes in anywhere,
 * and out in main memory. All others take both where the device reaches them.
 */
#ifndef EXECUTORS_H
#define EXECUTORS_H

#include "reduce.cuh"

/* The first EXACT_EXECUTORS have the same bits for every operator. */
enum executor {
    BY_CPU,
    BY_CALL,
    BY_ASYNC,
    BY_LAST_BLOCK,
    BY_TWO_LAUNCH,
    BY_ATOMIC_WARP,
    BY_ATOMIC_BLOCK,
    EXECUTORS,
    EXACT_EXECUTORS = BY_ATOMIC_WARP
};
static const char *const executors[] = {"cpu",        "call",        "async",       "last_block",
                                        "two_launch", "atomic_warp", "atomic_block"};

typedef cudaError_t executed_by(enum executor by, const void *in, size_t n, void *out, reduce_workspace *ws,
                                cudaStream_t stream);

#define DEFINE_BY(NAME, In, T)                                                                             \
    DEFINE_REDUCE_ATOMIC(NAME)                                                                             \
    static cudaError_t NAME##_by(enum executor by, const void *from, size_t n, void *to,                   \
                                 reduce_workspace *ws, cudaStream_t stream)                                \
    {                                                                                                      \
        const In *in = (const In *)from;                                                                   \
        T *out = (T *)to;                                                                                  \
        switch (by) {                                                                                      \
            case BY_CALL: return NAME(in, n, out);                                                         \
            case BY_ASYNC: return NAME##_async(in, n, out, ws, stream);                                    \
            case BY_LAST_BLOCK: return NAME##_last_block(in, n, out, ws, stream);                          \
            case BY_TWO_LAUNCH: return NAME##_two_launch(in, n, out, ws, stream);                          \
            case BY_ATOMIC_WARP: return NAME##_atomic_warp(in, n, out, ws, stream);                        \
            case BY_ATOMIC_BLOCK: return NAME##_atomic_block(in, n, out, ws, stream);                      \
            default: break;                                                                                \
        }                                                                                                  \
        const T result = NAME##_cpu(in, n);                                                                \
        memcpy(to, &result, sizeof result); /* at any address */                                           \
        return cudaSuccess;                                                                                \
    }

/* The same with the result in main memory; room is on the device, for one result. */
static inline __attribute__((unused)) cudaError_t
execute(executed_by *run, enum executor by, const void *in, size_t n, void *result, size_t size, void *room,
        reduce_workspace *ws)
{
    if (by == BY_CPU || by == BY_CALL) return run(by, in, n, result, ws, 0);
    const cudaError_t status = run(by, in, n, room, ws, 0);
    return status != cudaSuccess ? status : cudaMemcpy(result, room, size, cudaMemcpyDeviceToHost);
}

#endif
