/*
 * reduce_nccl.cuh: reductions over several GPUs by NCCL, with the bits of one GPU; a companion of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_nccl.cuh"
 *     DEFINE_REDUCE(float, sum)
 *     DEFINE_REDUCE_NCCL(reduce_float_sum)
 *
 * adds to a NAME that exists what DEFINE_REDUCE_PARTS adds (reduce_parts.h), and
 *
 *     ncclResult_t NAME_nccl_async(const In *shard, size_t n, T *out, reduce_workspace *ws, ncclComm_t comm,
 *                                  cudaStream_t stream)
 *
 * which each rank of comm calls once, with its device current. The shards of all ranks together are an array
 * of n elements, and each rank has the elements that reduce_shard gives it:
 *
 *     const struct reduce_shard own = reduce_shard(n, sizeof(float), rank, ranks);
 *     float *shard = ... own.length elements of the array, from index own.begin on, on the device ...
 *     ncclResult_t result = reduce_float_sum_nccl_async(shard, n, out, ws, comm, stream);
 *
 * *out is the same on every rank: it has the bits of NAME_cpu and NAME_async over the whole array, for any
 * number of GPUs and machines, every type and every operator. NCCL does not reduce: one all-gather carries
 * the chunks' partial results, at most 4096 T, and each GPU folds them as one GPU does.
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon, after the definition of NAME)
 *
 *   DEFINE_REDUCE_NCCL(NAME)          for a NAME of reduce.cuh or reduce_results.cuh
 *   DEFINE_REDUCE_ZIP_NCCL(NAME)      for one of DEFINE_REDUCE_ZIP: NAME_nccl_async(x, y, n, out, ws, ...)
 *   DEFINE_REDUCE_WITH_NCCL(NAME)     for one of DEFINE_REDUCE_WITH: NAME_nccl_async(shard, n, c, out, ...)
 *
 *   For two of MPI, NCCL and parts on one NAME see reduce_parts.h.
 *
 * THE CALL
 *
 *   A call is a kernel, one ncclAllGather and a kernel in the stream: no allocation, no query of the device,
 *   no synchronisation. It can be captured in a graph. shard, out and ws are memory that the rank's device
 *   reaches; ws is a workspace of reduce.cuh, which serves one call at a time. A rank without elements may
 *   pass a null shard. All ranks pass the same n: where they do not, the result is undefined and the call may
 *   hang, as with any collective of NCCL. The number of ranks times sizeof(T) may be up to 524,288.
 *
 *   The communicator must be blocking, as communicators are by default.
 *
 * ONE THREAD WITH SEVERAL GPUS         (communicators of ncclCommInitAll)
 *
 *   NAME_nccl_async may not be called between ncclGroupStart and ncclGroupEnd: NCCL delays the all-gather to
 *   the end of the group, and the fold would come before it. A thread that serves several ranks calls
 *
 *     ncclResult_t NAME_nccl_all_async(int gpus, const In *const *shards, size_t n, T *const *outs,
 *                                      reduce_workspace *const *workspaces, const ncclComm_t *comms,
 *                                      const cudaStream_t *streams)
 *
 *   with an entry in each list for each of these ranks, at most 64. The call makes each communicator's device
 *   current in turn, and in the end the caller's again. It calls ncclGroupStart and ncclGroupEnd itself. With
 *   ZIP there is a second list of arrays. With WITH the context, which serves all ranks, follows n.
 *
 * ERRORS
 *
 *   Both return ncclSuccess, the error of the NCCL call that failed, or
 *     ncclInvalidArgument      where NAME_async returns cudaErrorInvalidValue or cudaErrorMisalignedAddress,
 *                              for a null communicator or workspace, and for too many ranks
 *     ncclUnhandledCudaError   a CUDA call failed: cudaPeekAtLastError tells which error it was
 *   Both return ncclInvalidArgument before they launch anything. NAME_nccl_all_async first checks all ranks.
 *
 *   A rank that returns an error has not entered the all-gather, or the all-gather cannot end: the other
 *   ranks wait, as in any collective of NCCL, until ncclCommAbort. After an error of NCCL or CUDA, or an
 *   abort, *out is undefined, and reduce_workspace_reset makes the workspace ready again.
 */
#ifndef REDUCE_NCCL_CUH
#define REDUCE_NCCL_CUH

#include "reduce_parts.h"

#ifdef __CUDACC__
#ifndef NCCL_MAJOR
#include <nccl.h>
#endif

/* ---- The exchange -------------------------------------------------------------------------------------- */

/* A rank's place in a call. The partial results lie in the memory of the workspace's slots, with places for
   most_ results of each rank. A rank uses as many as its shard has chunks. */
struct reduce_nccl_ {
    struct reduce_shard_ shard_;
    struct reduce_layout_ layout_;
    size_t rank_, ranks_, count_, most_; /* count_: the chunks of all ranks */
    int device_;                         /* of the rank; set only where one thread serves several */
};

enum { REDUCE_NCCL_BYTES_ = sizeof(((reduce_workspace *)0)->slots_) };

/* NCCL's error for an error of CUDA. */
REDUCE_HOST_ ncclResult_t reduce_nccl_error_(cudaError_t status_) {
    if (status_ == cudaErrorInvalidValue || status_ == cudaErrorMisalignedAddress) return ncclInvalidArgument;
    return status_ == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

/* Finds out the rank's place, for results of size bytes. */
REDUCE_CALLED_ ncclResult_t reduce_nccl_find_(struct reduce_nccl_ *nccl_, ncclComm_t comm_, size_t n,
                                              size_t element_size_, size_t size_) {
    int rank_ = 0, ranks_ = 0;
    ncclResult_t result_ = comm_ == NULL ? ncclInvalidArgument : ncclCommUserRank(comm_, &rank_);
    if (result_ == ncclSuccess) result_ = ncclCommCount(comm_, &ranks_);
    if (result_ != ncclSuccess) return result_;
    if (n > REDUCE_MAX_ELEMENTS || (size_t)ranks_ > REDUCE_NCCL_BYTES_ / size_) return ncclInvalidArgument;
    nccl_->rank_ = (size_t)rank_, nccl_->ranks_ = (size_t)ranks_;
    nccl_->shard_ = reduce_shard_of_(n, element_size_, rank_, ranks_);
    nccl_->count_ = reduce_cut_called_(n, element_size_).count_;
    nccl_->most_ = reduce_divide_up_(nccl_->count_, nccl_->ranks_);
    nccl_->layout_.full_ = (unsigned)(nccl_->count_ % nccl_->ranks_ * nccl_->most_);
    nccl_->layout_.less_ = nccl_->layout_.full_ > 0 ? (unsigned)(nccl_->most_ - 1) : 0;
    return ncclSuccess;
}

/* Sends all partial results to all ranks. All ranks know n: if it is 0, there are none to send. */
REDUCE_HOST_ ncclResult_t reduce_nccl_gather_(const struct reduce_nccl_ *nccl_, reduce_workspace *ws_,
                                              size_t size_, ncclComm_t comm_, cudaStream_t stream_) {
    const size_t bytes_ = nccl_->most_ * size_;
    char *const all_ = (char *)ws_->slots_;
    if (bytes_ == 0) return ncclSuccess;
    return ncclAllGather(all_ + nccl_->rank_ * bytes_, all_, bytes_, ncclUint8, comm_, stream_);
}

/* ncclResult_t NAME_nccl_check_(NAME_input_ in, n, T *out, ws, comm, nccl): checks this rank's arguments, and
   finds out its place. */
#define REDUCE_NCCL_CHECK_(NAME)                                                                            \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_check_(NAME##_input_ in_, size_t n, NAME##_result *out_,        \
                                                   reduce_workspace *ws_, ncclComm_t comm_,                 \
                                                   struct reduce_nccl_ *nccl_) {                            \
        const ncclResult_t result_ =                                                                        \
            reduce_nccl_find_(nccl_, comm_, n, NAME##_size_, sizeof(NAME##_result));                        \
        if (result_ != ncclSuccess || ws_ == NULL) return ws_ == NULL ? ncclInvalidArgument : result_;      \
        return reduce_nccl_error_(                                                                          \
            NAME##_check_(in_, nccl_->shard_.length_, REDUCE_RANGE_(out_, 1, NAME##_result)));              \
    }

/* ncclResult_t NAME_nccl_begin_(NAME_input_ in, n, ws, nccl, stream): launches the kernel that makes this
   rank's partial results. */
#define REDUCE_NCCL_BEGIN_(NAME)                                                                            \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_begin_(NAME##_input_ in_, size_t n, reduce_workspace *ws_,      \
                                                   const struct reduce_nccl_ *nccl_, cudaStream_t stream_) {\
        NAME##_result *const all_ = (NAME##_result *)(void *)ws_->slots_;                                   \
        return reduce_nccl_error_(NAME##_launch_parts_(in_, n, nccl_->shard_.first_, nccl_->shard_.count_,  \
                                                       all_ + nccl_->rank_ * nccl_->most_, stream_));       \
    }

/* ncclResult_t NAME_nccl_end_(ws, nccl, T *out, stream): launches the fold, which clears the workspace. */
#define REDUCE_NCCL_END_(NAME)                                                                              \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_end_(reduce_workspace *ws_, const struct reduce_nccl_ *nccl_,   \
                                                 NAME##_result *out_, cudaStream_t stream_) {               \
        NAME##_result *const all_ = (NAME##_result *)(void *)ws_->slots_;                                   \
        const size_t bytes_ = nccl_->ranks_ * nccl_->most_ * sizeof(NAME##_result);                         \
        return reduce_nccl_error_(NAME##_launch_fold_parts_(all_, (unsigned)nccl_->count_, nccl_->layout_,  \
                                                            (unsigned)reduce_divide_up_(bytes_, 16), out_,  \
                                                            stream_));                                      \
    }

/* ncclResult_t NAME_nccl_async(const In *shard, size_t n, T *out, reduce_workspace *ws, comm, stream) */
#define REDUCE_NCCL_ASYNC_(NAME, KIND)                                                                      \
    REDUCE_HOST_ ncclResult_t NAME##_nccl_async(REDUCE_GIVEN_(NAME, KIND), NAME##_result *out_,             \
                                                reduce_workspace *ws_, ncclComm_t comm_,                    \
                                                cudaStream_t stream_) {                                     \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        struct reduce_nccl_ nccl_;                                                                          \
        ncclResult_t result_ = NAME##_nccl_check_(input_, n, out_, ws_, comm_, &nccl_);                     \
        if (result_ == ncclSuccess) result_ = NAME##_nccl_begin_(input_, n, ws_, &nccl_, stream_);          \
        if (result_ == ncclSuccess)                                                                         \
            result_ = reduce_nccl_gather_(&nccl_, ws_, sizeof(NAME##_result), comm_, stream_);              \
        if (result_ == ncclSuccess) result_ = NAME##_nccl_end_(ws_, &nccl_, out_, stream_);                 \
        return result_;                                                                                     \
    }

/* ---- One thread with several GPUs ---------------------------------------------------------------------- */

/* Lists of arrays of some KIND. LISTS: parameters. HAS: whether no list is null. PASSED: arguments that pass
   the lists, n and the context on. INPUT: initializer of rank k's NAME_input_. */
#define REDUCE_NCCL_LISTS_ARRAY_(NAME) const NAME##_element *const *in_
#define REDUCE_NCCL_LISTS_WITH_ REDUCE_NCCL_LISTS_ARRAY_
#define REDUCE_NCCL_LISTS_ZIP_(NAME) const NAME##_first *const *x, const NAME##_second *const *y
#define REDUCE_NCCL_HAS_ARRAY_ (in_ != NULL)
#define REDUCE_NCCL_HAS_WITH_ (in_ != NULL)
#define REDUCE_NCCL_HAS_ZIP_ (x != NULL && y != NULL)
#define REDUCE_NCCL_PASSED_ARRAY_ in_, n
#define REDUCE_NCCL_PASSED_WITH_ in_, n, c_
#define REDUCE_NCCL_PASSED_ZIP_ x, y, n
#define REDUCE_NCCL_INPUT_ARRAY_(k) {in_[k]}
#define REDUCE_NCCL_INPUT_WITH_(k) {in_[k], c_}
#define REDUCE_NCCL_INPUT_ZIP_(k) {x[k], y[k]}

enum { REDUCE_NCCL_GPUS_ = 64 }; /* ranks that one thread serves, at most */

/* Starts the all-gathers of several ranks as one group. Returns the first error. */
REDUCE_CALLED_ ncclResult_t reduce_nccl_gather_all_(int gpus_, const struct reduce_nccl_ *nccl_, size_t size_,
                                                    reduce_workspace *const *workspaces_,
                                                    const ncclComm_t *comms_, const cudaStream_t *streams_) {
    ncclResult_t result_ = ncclGroupStart();
    if (result_ != ncclSuccess) return result_;
    for (int k = 0; k < gpus_ && result_ == ncclSuccess; k++)
        result_ = reduce_nccl_gather_(&nccl_[k], workspaces_[k], size_, comms_[k], streams_[k]);
    const ncclResult_t ended_ = ncclGroupEnd();
    return result_ == ncclSuccess ? ended_ : result_;
}

/* ncclResult_t NAME_nccl_end_all_(int gpus, nccl, outs, workspaces, comms, streams): starts all ranks'
   all-gathers, then launches their folds. */
#define REDUCE_NCCL_END_ALL_(NAME)                                                                          \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_end_all_(                                                       \
        int gpus_, const struct reduce_nccl_ *nccl_, NAME##_result *const *outs_,                           \
        reduce_workspace *const *workspaces_, const ncclComm_t *comms_, const cudaStream_t *streams_) {     \
        ncclResult_t result_ = reduce_nccl_gather_all_(gpus_, nccl_, sizeof(NAME##_result), workspaces_,    \
                                                       comms_, streams_);                                   \
        for (int k = 0; k < gpus_ && result_ == ncclSuccess; k++) {                                         \
            result_ = reduce_nccl_error_(cudaSetDevice(nccl_[k].device_));                                  \
            if (result_ == ncclSuccess)                                                                     \
                result_ = NAME##_nccl_end_(workspaces_[k], &nccl_[k], outs_[k], streams_[k]);               \
        }                                                                                                   \
        return result_;                                                                                     \
    }

#define REDUCE_NCCL_GIVEN_(NAME, KIND)                                                                      \
    int gpus_, REDUCE_NCCL_LISTS_##KIND(NAME), size_t n REDUCE_MORE_##KIND(NAME)

/* ncclResult_t NAME_nccl_check_all_(...): NAME_nccl_check_ for all ranks; also finds out their devices. */
#define REDUCE_NCCL_CHECK_ALL_(NAME, KIND)                                                                  \
    REDUCE_HOST_ ncclResult_t NAME##_nccl_check_all_(                                                       \
        REDUCE_NCCL_GIVEN_(NAME, KIND), NAME##_result *const *outs_, reduce_workspace *const *workspaces_,  \
        const ncclComm_t *comms_, struct reduce_nccl_ *nccl_) {                                             \
        ncclResult_t result_ = ncclSuccess;                                                                 \
        for (int k = 0; k < gpus_ && result_ == ncclSuccess; k++) {                                         \
            const NAME##_input_ input_ = REDUCE_NCCL_INPUT_##KIND(k);                                       \
            result_ = NAME##_nccl_check_(input_, n, outs_[k], workspaces_[k], comms_[k], &nccl_[k]);        \
            if (result_ == ncclSuccess) result_ = ncclCommCuDevice(comms_[k], &nccl_[k].device_);           \
        }                                                                                                   \
        return result_;                                                                                     \
    }

/* ncclResult_t NAME_nccl_begin_all_(...): NAME_nccl_begin_ for all ranks. */
#define REDUCE_NCCL_BEGIN_ALL_(NAME, KIND)                                                                  \
    REDUCE_HOST_ ncclResult_t NAME##_nccl_begin_all_(                                                       \
        REDUCE_NCCL_GIVEN_(NAME, KIND), const struct reduce_nccl_ *nccl_,                                   \
        reduce_workspace *const *workspaces_, const cudaStream_t *streams_) {                               \
        ncclResult_t result_ = ncclSuccess;                                                                 \
        for (int k = 0; k < gpus_ && result_ == ncclSuccess; k++) {                                         \
            const NAME##_input_ input_ = REDUCE_NCCL_INPUT_##KIND(k);                                       \
            result_ = reduce_nccl_error_(cudaSetDevice(nccl_[k].device_));                                  \
            if (result_ == ncclSuccess)                                                                     \
                result_ = NAME##_nccl_begin_(input_, n, workspaces_[k], &nccl_[k], streams_[k]);            \
        }                                                                                                   \
        return result_;                                                                                     \
    }

/* ncclResult_t NAME_nccl_run_all_(...): checks and launches everything; leaves any rank's device current. */
#define REDUCE_NCCL_RUN_ALL_(NAME, KIND)                                                                    \
    REDUCE_HOST_ ncclResult_t NAME##_nccl_run_all_(                                                         \
        REDUCE_NCCL_GIVEN_(NAME, KIND), NAME##_result *const *outs_, reduce_workspace *const *workspaces_,  \
        const ncclComm_t *comms_, const cudaStream_t *streams_) {                                           \
        struct reduce_nccl_ nccl_[REDUCE_NCCL_GPUS_];                                                       \
        ncclResult_t result_ = NAME##_nccl_check_all_(gpus_, REDUCE_NCCL_PASSED_##KIND, outs_, workspaces_, \
                                                      comms_, nccl_);                                       \
        if (result_ == ncclSuccess)                                                                         \
            result_ = NAME##_nccl_begin_all_(gpus_, REDUCE_NCCL_PASSED_##KIND, nccl_, workspaces_,          \
                                             streams_);                                                     \
        if (result_ == ncclSuccess)                                                                         \
            result_ = NAME##_nccl_end_all_(gpus_, nccl_, outs_, workspaces_, comms_, streams_);             \
        return result_;                                                                                     \
    }

/* ncclResult_t NAME_nccl_all_async(int gpus, const In *const *shards, n, outs, workspaces, comms, streams) */
#define REDUCE_NCCL_ALL_ASYNC_(NAME, KIND)                                                                  \
    REDUCE_HOST_ ncclResult_t NAME##_nccl_all_async(                                                        \
        REDUCE_NCCL_GIVEN_(NAME, KIND), NAME##_result *const *outs_, reduce_workspace *const *workspaces_,  \
        const ncclComm_t *comms_, const cudaStream_t *streams_) {                                           \
        int home_ = 0;                                                                                      \
        if (gpus_ < 1 || gpus_ > REDUCE_NCCL_GPUS_ || !REDUCE_NCCL_HAS_##KIND || !outs_ || !workspaces_ ||  \
            !comms_ || !streams_)                                                                           \
            return ncclInvalidArgument;                                                                     \
        if (cudaGetDevice(&home_) != cudaSuccess) return ncclUnhandledCudaError;                            \
        const ncclResult_t result_ = NAME##_nccl_run_all_(gpus_, REDUCE_NCCL_PASSED_##KIND, outs_,          \
                                                          workspaces_, comms_, streams_);                   \
        const ncclResult_t returned_ = reduce_nccl_error_(cudaSetDevice(home_));                            \
        return result_ == ncclSuccess ? returned_ : result_;                                                \
    }

/* ---- What users write ---------------------------------------------------------------------------------- */

#define REDUCE_DEFINE_NCCL_(NAME, KIND)                                                                     \
    REDUCE_CHECK_ONCE_(NAME##_nccl) REDUCE_LINE_                                                            \
    REDUCE_EACH_(NAME, REDUCE_NCCL_CHECK_, REDUCE_NCCL_BEGIN_, REDUCE_NCCL_END_, REDUCE_NCCL_END_ALL_)      \
    REDUCE_NCCL_ASYNC_(NAME, KIND) REDUCE_LINE_ REDUCE_NCCL_CHECK_ALL_(NAME, KIND) REDUCE_LINE_             \
    REDUCE_NCCL_BEGIN_ALL_(NAME, KIND) REDUCE_LINE_ REDUCE_NCCL_RUN_ALL_(NAME, KIND) REDUCE_LINE_           \
    REDUCE_NCCL_ALL_ASYNC_(NAME, KIND) REDUCE_LINE_

#else /* without CUDA a definition adds the functions of reduce_parts.h alone */
#define REDUCE_DEFINE_NCCL_(NAME, KIND) REDUCE_CHECK_ONCE_(NAME##_nccl)
#endif

#define REDUCE_NCCL_(NAME, KIND)                                                                            \
    REDUCE_CHECK_ADDED_(NAME, KIND, "NCCL") REDUCE_LINE_ REDUCE_ADD_PARTS_(NAME, KIND) REDUCE_LINE_         \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME##_nccl, REDUCE_DEFINE_NCCL_)(NAME, KIND)

#define DEFINE_REDUCE_NCCL(NAME) REDUCE_NCCL_(NAME, ARRAY_)
#define DEFINE_REDUCE_ZIP_NCCL(NAME) REDUCE_NCCL_(NAME, ZIP_)
#define DEFINE_REDUCE_WITH_NCCL(NAME) REDUCE_NCCL_(NAME, WITH_)

#endif /* REDUCE_NCCL_CUH */
