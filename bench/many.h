/* The sum of many.cu through NCCL also where the kernels of peers could meet: a file of its own, because
   REDUCE_NO_WAITING is one for a whole file. */
#ifndef MANY_H
#define MANY_H

#include <nccl.h>

#include "reduce.cuh"

ncclResult_t many_by_nccl(int gpus, const float *const *parts, size_t n, float *const *outs,
                          reduce_workspace *const *workspaces, const ncclComm_t *comms, const cudaStream_t *streams);

#endif
