/* The sums of many.cu through NCCL, also where kernels could meet: in a file of their own, because REDUCE_NO_WAITING holds
   for a whole file. */
#ifndef MANY_H
#define MANY_H

#include <nccl.h>

#include "reduce.cuh"

/* By one thread for all GPUs; for one of them. */
ncclResult_t many_by_nccl(int gpus, const float *const *parts, size_t n, float *const *outs,
                          reduce_workspace *const *workspaces, const ncclComm_t *comms, const cudaStream_t *streams);
ncclResult_t many_by_nccl_of(const float *part, size_t n, float *out, reduce_workspace *ws, ncclComm_t comm,
                             cudaStream_t stream);

#endif
