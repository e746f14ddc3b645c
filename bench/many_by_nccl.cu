/* The sums of many.cu through NCCL: see many.h. */
#define REDUCE_NO_WAITING
#include "reduce_nccl.cuh"

#include "many.h"

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_NCCL(reduce_float_sum)

ncclResult_t many_by_nccl(int gpus, const float *const *parts, size_t n, float *const *outs,
                          reduce_workspace *const *workspaces, const ncclComm_t *comms, const cudaStream_t *streams)
{
    return reduce_float_sum_nccl_all_async(gpus, parts, n, outs, workspaces, comms, streams);
}

ncclResult_t many_by_nccl_of(const float *part, size_t n, float *out, reduce_workspace *ws, ncclComm_t comm,
                             cudaStream_t stream)
{
    return reduce_float_sum_nccl_async(part, n, out, ws, comm, stream);
}
