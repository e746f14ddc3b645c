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
 * number of GPUs and machines, every type and every operator. NCCL does not reduce. Where GPUs reach each
 * other's memory, their kernels write the chunks' partial results there, at most 4096 T. Elsewhere one
 * all-gather of NCCL carries them. Each GPU folds them as one GPU does.
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon, after the definition of NAME)
 *
 *   DEFINE_REDUCE_NCCL(NAME)          for a NAME of reduce.cuh or reduce_results.cuh
 *   DEFINE_REDUCE_ZIP_NCCL(NAME)      for one of DEFINE_REDUCE_ZIP: NAME_nccl_async(x, y, n, out, ws, ...)
 *   DEFINE_REDUCE_WITH_NCCL(NAME)     for one of DEFINE_REDUCE_WITH: NAME_nccl_async(shard, n, c, out, ...)
 *   DEFINE_REDUCE_ZIP_WITH_NCCL(NAME) for one of DEFINE_REDUCE_ZIP_WITH: NAME_nccl_async(x, y, n, c, ...)
 *
 *   For two of MPI, NCCL and parts on one NAME see reduce_parts.h.
 *
 * THE CALL
 *
 *   A call launches kernels and NCCL's all-gather in the stream. It allocates nothing, does not query the
 *   device and does not synchronise, so a graph can capture it. shard, out and ws are memory that the rank's
 *   device reaches; ws is a workspace of reduce.cuh, which serves one call at a time. A rank without elements
 *   may pass a null shard. All ranks pass the same n: where they do not, the result is undefined and the call
 *   may hang, as with any collective of NCCL. The number of ranks times sizeof(T) may be up to 524,288.
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
 *   with an entry in each list for each of these ranks, at most 64. A stream is one of its rank's device. The
 *   call makes each communicator's device current in turn, and in the end the caller's again. It calls
 *   ncclGroupStart and ncclGroupEnd itself. With ZIP there is a second list of arrays. With WITH the context,
 *   which serves all ranks, follows n.
 *
 * GPUS THAT REACH EACH OTHER'S MEMORY  (NVLink, or PCIe if it carries atomics)
 *
 *   A call is then one kernel for each rank. The kernels wait for each other, and NCCL takes no part. Up to
 *   1 MiB on each GPU this takes 0.45 to 0.7 times as long as NCCL's smallest collective alone (two H200). It
 *   needs at most 8 ranks, each with a GPU of its own, and every two GPUs must be peers. NAME_nccl_all_async
 *   does so by itself if it is given all ranks of a communicator. Its first call makes the devices peers
 *   (cudaDeviceEnablePeerAccess). Later calls rely on it: make them peers again after cudaDeviceReset or
 *   cudaDeviceDisablePeerAccess. Ranks of several threads or processes must be connected first:
 *
 *     ncclResult_t reduce_nccl_connect(reduce_workspace *ws, ncclComm_t comm, cudaStream_t stream)
 *         All ranks of comm call it, each with its device current. It allocates, uses NCCL and synchronises.
 *         From then on NAME_nccl_async with this ws and this comm runs as one kernel, for every NAME. Where
 *         some ranks do not reach each other's memory, no rank is connected, which is no error.
 *     bool reduce_nccl_is_connected(const reduce_workspace *ws, ncclComm_t comm)
 *         The same on all ranks.
 *     ncclResult_t reduce_nccl_disconnect(reduce_workspace *ws, ncclComm_t comm)
 *         All ranks call it after the last call has ended on all of them, and before one of them destroys its
 *         workspace or communicator.
 *
 *   A rank's kernel writes to all of these workspaces. So they meet each other only: before a workspace meets
 *   others, and before it is reset or destroyed, all calls must have ended on all ranks. NAME_async and other
 *   calls of one GPU may use it between two calls, in stream order.
 *
 *   Kernels that wait for each other must all be able to run. CUDA_LAUNCH_BLOCKING, and tools that let one
 *   kernel run at a time, make them wait for ever. With REDUCE_NO_WAITING before the include, in all ranks,
 *   calls go through NCCL.
 *
 * ERRORS
 *
 *   All functions return ncclSuccess, the error of the NCCL call that failed, or
 *     ncclInvalidArgument      where NAME_async returns cudaErrorInvalidValue or cudaErrorMisalignedAddress,
 *                              for a null communicator or workspace, for too many ranks, and for a workspace
 *                              that is connected already with this communicator
 *     ncclUnhandledCudaError   a CUDA call failed: cudaPeekAtLastError tells which error it was
 *     ncclSystemError          reduce_nccl_connect: main memory is short
 *   They return ncclInvalidArgument before they launch anything. NAME_nccl_all_async first checks all ranks.
 *
 *   If a rank's call returns an error, the other ranks' calls wait where they go through NCCL, as in any
 *   collective of NCCL, until ncclCommAbort. Where kernels meet, they end, and leave *out as it was; so do
 *   earlier calls that have not ended yet. After any error, wait for the streams of all ranks, call
 *   reduce_workspace_reset for the workspaces of all, and wait again.
 */
#ifndef REDUCE_NCCL_CUH
#define REDUCE_NCCL_CUH

#include "reduce_parts.h"

#ifdef __CUDACC__
#ifndef NCCL_MAJOR
#include <nccl.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- The exchange -------------------------------------------------------------------------------------- */

/* A rank's place in a call. The partial results lie in the memory of the workspace's slots, with places for
   most_ results of each rank. A rank uses as many as its shard has chunks. */
struct reduce_nccl_ {
    struct reduce_shard_ shard_;
    struct reduce_layout_ layout_;
    size_t rank_, ranks_, count_, most_; /* count_: the chunks of all ranks */
    int device_;                         /* of the rank; NAME_nccl_async does not set it */
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

/* ncclResult_t NAME_nccl_begin_(NAME_input_ in, n, nccl, ws, stream): launches the kernel that makes this
   rank's partial results. */
#define REDUCE_NCCL_BEGIN_(NAME)                                                                            \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_begin_(NAME##_input_ in_, size_t n,                             \
                                                   const struct reduce_nccl_ *nccl_, reduce_workspace *ws_, \
                                                   cudaStream_t stream_) {                                  \
        NAME##_result *const all_ = (NAME##_result *)(void *)ws_->slots_;                                   \
        return reduce_nccl_error_(NAME##_launch_parts_(in_, n, nccl_->shard_.first_, nccl_->shard_.count_,  \
                                                       all_ + nccl_->rank_ * nccl_->most_, stream_));       \
    }

/* ncclResult_t NAME_nccl_end_(nccl, T *out, ws, stream): launches the fold, which clears the workspace. */
#define REDUCE_NCCL_END_(NAME)                                                                              \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_end_(const struct reduce_nccl_ *nccl_, NAME##_result *out_,     \
                                                 reduce_workspace *ws_, cudaStream_t stream_) {             \
        NAME##_result *const all_ = (NAME##_result *)(void *)ws_->slots_;                                   \
        const size_t bytes_ = nccl_->ranks_ * nccl_->most_ * sizeof(NAME##_result);                         \
        return reduce_nccl_error_(NAME##_launch_fold_parts_(all_, (unsigned)nccl_->count_, nccl_->layout_,  \
                                                            (unsigned)reduce_divide_up_(bytes_, 16), out_,  \
                                                            stream_));                                      \
    }

/* ---- GPUs that reach each other's memory ------------------------------------------------------------------
 *
 * Where every two GPUs are peers, a call is one kernel on each GPU. Each block reduces its chunk, and writes
 * the partial result into the chunk's slot in the workspace of every rank. The last block of a kernel waits
 * until all slots of its own workspace are full, empties and folds them.
 *
 * A rank may begin the next call while another one still uses its workspace. So a kernel that begins adds 1
 * to its rank's counter in every other workspace. A kernel that ends takes 1 from all counters in its own.
 * Blocks write to a rank only when its counter is not 0. A rank is at most one call ahead of another, because
 * it needs the other's partial results.
 *
 *     rank 0   tells 1   writes to 1   collects, ready[1] = 0   next call: tells 1   ready[1] == 0: waits
 *     rank 1   tells 0            is late: writes to 0          collects, ready[0] = 2 - 1        tells 0
 */

/* What the kernel of a rank knows of all ranks. */
struct reduce_meet_ {
    reduce_workspace *all_[REDUCE_PEERS_], *own_; /* of each rank, and of this one */
    unsigned rank_, ranks_;
    unsigned first_, count_;                      /* this rank's first chunk; the chunks of all ranks */
    bool has_chunks_;                             /* this rank */
};

/* The workspace of a rank. An index that only the device knows would put the array into local memory. */
REDUCE_DEVICE_ reduce_workspace *reduce_workspace_of_(struct reduce_meet_ meet_, unsigned rank_) {
    reduce_workspace *const low_ = rank_ < 2 ? (rank_ < 1 ? meet_.all_[0] : meet_.all_[1])
                                             : (rank_ < 3 ? meet_.all_[2] : meet_.all_[3]);
    reduce_workspace *const high_ = rank_ < 6 ? (rank_ < 5 ? meet_.all_[4] : meet_.all_[5])
                                              : (rank_ < 7 ? meet_.all_[6] : meet_.all_[7]);
    return rank_ < 4 ? low_ : high_;
}

/* Whether a rank takes part besides this one. */
REDUCE_DEVICE_ bool reduce_is_other_(struct reduce_meet_ meet_, unsigned rank_) {
    return rank_ < meet_.ranks_ && rank_ != meet_.rank_;
}

REDUCE_DEVICE_ unsigned reduce_load_counter_(unsigned *counter_) {
#ifdef __CUDA_ARCH__
    unsigned value_;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value_) : "l"(counter_) : "memory");
    return value_;
#else
    return atomicAdd_system(counter_, 0u);
#endif
}

/* Tells a rank that this one has begun: all that used this rank's workspace before, in stream order, has
   ended and has no effect any more. */
REDUCE_DEVICE_ void reduce_tell_(struct reduce_meet_ meet_, unsigned rank_) {
    if (!reduce_is_other_(meet_, rank_)) return;
    atomicAdd_system(&reduce_workspace_of_(meet_, rank_)->ready_[meet_.rank_], 1u);
}

/* Whether a rank, or this one, has begun. */
REDUCE_DEVICE_ bool reduce_is_ready_(struct reduce_meet_ meet_, unsigned rank_) {
    return !reduce_is_other_(meet_, rank_) || reduce_load_counter_(&meet_.own_->ready_[rank_]) != 0;
}

/* The first warp: waits until all ranks have begun, or until some will not come. Thread k waits for rank k;
   it has found out before whether that is ready. What it writes to the rank later depends on this branch, so
   it cannot come before. */
REDUCE_DEVICE_ void reduce_await_(struct reduce_meet_ meet_, unsigned rank_, bool is_ready_) {
    while (!is_ready_ && !reduce_load_counter_(&meet_.own_->is_refused_))
        is_ready_ = reduce_is_ready_(meet_, rank_);
    __syncwarp();
}

/* void NAME_give_all_(T x, meet, at, bool is_ready): the first warp of a block gives all ranks thread 0's
   partial result. Its own rank gets it only when all ranks are ready: the block that collects it may then end
   the call. */
#define REDUCE_GIVE_ALL_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_give_all_(NAME##_result x, struct reduce_meet_ meet_,                        \
                                         struct reduce_place_ at_, bool is_ready_) {                        \
        reduce_workspace *const to_ = reduce_workspace_of_(meet_, at_.thread_);                             \
        reduce_shuffle_(&x, sizeof x, 0, 0);                                                                \
        reduce_await_(meet_, at_.thread_, is_ready_);                                                       \
        if (meet_.has_chunks_ && at_.thread_ < meet_.ranks_)                                                \
            reduce_publish_(to_->slots_ + meet_.first_ + at_.block_, &x, sizeof x, 1);                      \
    }

/* bool NAME_see_some_(T *values, slots, unsigned k, unsigned count, at): loads the partial results of slot k
   and every at.threads further, as many as are loaded at once. Returns true if all of them are there. */
#define REDUCE_SEE_SOME_(NAME)                                                                              \
    enum { NAME##_taken_at_once_ = sizeof(NAME##_result) <= 8 ? REDUCE_LOADS_ : 1 };                        \
    REDUCE_DEVICE_ bool NAME##_see_some_(NAME##_result *values_, reduce_slot_ *slots_, unsigned k,          \
                                         unsigned count_, struct reduce_place_ at_) {                       \
        bool are_there_ = true;                                                                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_taken_at_once_; s++, k += at_.threads_)                             \
            if (k < count_) are_there_ &= reduce_look_(&values_[s], sizeof *values_, slots_ + k, 1);        \
        return are_there_;                                                                                  \
    }

/* bool NAME_take_some_(T *x, ...): combines *x with these partial results, and empties their slots. Returns
   false, and does nothing, if some of them are not there. */
#define REDUCE_TAKE_SOME_(NAME)                                                                             \
    REDUCE_DEVICE_ bool NAME##_take_some_(NAME##_result *x, reduce_slot_ *slots_, unsigned k,               \
                                          unsigned count_, struct reduce_place_ at_) {                      \
        NAME##_result values_[NAME##_taken_at_once_];                                                       \
        const bool are_there_ = NAME##_see_some_(values_, slots_, k, count_, at_);                          \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_taken_at_once_; s++, k += at_.threads_) {                           \
            if (!are_there_ || k >= count_) continue;                                                       \
            reduce_empty_(slots_ + k, sizeof *x);                                                           \
            *x = NAME##_combine(*x, values_[s]);                                                            \
        }                                                                                                   \
        return are_there_;                                                                                  \
    }

/* T NAME_take_all_(meet, at, bool *is_refused): a block collects all partial results from its own workspace;
   each thread gets its share of them. Sets *is_refused if some will not come. */
#define REDUCE_TAKE_ALL_(NAME)                                                                              \
    REDUCE_DEVICE_ NAME##_result NAME##_take_all_(struct reduce_meet_ meet_, struct reduce_place_ at_,      \
                                                  bool *is_refused_) {                                      \
        NAME##_result x = NAME##_identity();                                                                \
        unsigned k = at_.thread_;                                                                           \
        REDUCE_NO_UNROLL_                                                                                   \
        while (k < meet_.count_ && !*is_refused_)                                                           \
            if (NAME##_take_some_(&x, meet_.own_->slots_, k, meet_.count_, at_))                            \
                k += NAME##_taken_at_once_ * at_.threads_;                                                  \
            else                                                                                            \
                *is_refused_ = reduce_load_counter_(&meet_.own_->is_refused_) != 0;                         \
        return x;                                                                                           \
    }

/* void NAME_meet_end_(meet, at, T *out): the last block of a kernel folds all partial results, unless some
   will not come, and tells the other ranks that its workspace is empty. */
#define REDUCE_MEET_END_(NAME)                                                                              \
    REDUCE_DEVICE_ void NAME##_meet_end_(struct reduce_meet_ meet_, struct reduce_place_ at_,               \
                                         NAME##_result *out_) {                                             \
        bool is_refused_ = false;                                                                           \
        NAME##_result x = NAME##_take_all_(meet_, at_, &is_refused_);                                       \
        if (__syncthreads_or(is_refused_)) return;                                                          \
        x = NAME##_first_of_block_(x, at_);                                                                 \
        if (at_.thread_ == 0) *out_ = NAME##_final_(x);                                                     \
        if (reduce_is_other_(meet_, at_.thread_)) atomicAdd_system(&meet_.own_->ready_[at_.thread_], ~0u);  \
    }

/* NAME_meet_kernel_: see above. A rank without chunks has one block. */
#define REDUCE_MEET_KERNEL_(NAME)                                                                           \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, REDUCE_BLOCKS_(NAME))                             \
        NAME##_meet_kernel_(NAME##_input_ in_, struct reduce_stretch_ stretch_, struct reduce_meet_ meet_,  \
                            NAME##_result *out_) {                                                          \
        const struct reduce_place_ at_ = reduce_place_along_x_();                                           \
        bool is_ready_;                                                                                     \
        NAME##_result x;                                                                                    \
        if (at_.block_ == 0) reduce_tell_(meet_, at_.thread_);                                              \
        x = NAME##_walk_part_(in_, stretch_, at_);                                                          \
        is_ready_ = reduce_is_ready_(meet_, at_.thread_);                                                   \
        x = NAME##_first_of_block_(x, at_);                                                                 \
        if (at_.thread_ < REDUCE_WARP) NAME##_give_all_(x, meet_, at_, is_ready_);                          \
        if (at_.block_ == at_.blocks_ - 1) NAME##_meet_end_(meet_, at_, out_);                              \
    }

#ifdef REDUCE_NO_WAITING
#define REDUCE_MAY_WAIT_ 0
#else
#define REDUCE_MAY_WAIT_ 1
#endif

/* Makes a device write to another one's memory, if it can, and if it can add to it. That it can already is no
   error. */
REDUCE_FRAME_ cudaError_t reduce_nccl_make_peer_(int device_, int other_, int *is_peer_) {
    cudaError_t status_ = cudaSetDevice(device_);
    if (status_ == cudaSuccess) status_ = cudaDeviceCanAccessPeer(is_peer_, device_, other_);
    if (status_ == cudaSuccess && *is_peer_)
        status_ = cudaDeviceGetP2PAttribute(is_peer_, cudaDevP2PAttrNativeAtomicSupported, device_, other_);
    if (status_ != cudaSuccess || !*is_peer_) return status_;
    status_ = cudaDeviceEnablePeerAccess(other_, 0);
    if (status_ == cudaErrorTooManyPeers) *is_peer_ = 0;
    if (status_ != cudaErrorTooManyPeers && status_ != cudaErrorPeerAccessAlreadyEnabled) return status_;
    (void)cudaGetLastError();
    return cudaSuccess;
}

/* Loads a kernel for devices: one that waits for others must not wait until CUDA has loaded those. Remembers
   in `loaded` for which it has. A capture does not allow this, unless it is told that it is not concerned. */
REDUCE_FRAME_ cudaError_t reduce_nccl_load_(const void *kernel_, uint64_t devices_, uint64_t *loaded_) {
    enum cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
    struct cudaFuncAttributes attributes_;
    int home_ = 0;
    const uint64_t missing_ = devices_ & ~__atomic_load_n(loaded_, __ATOMIC_ACQUIRE);
    if (missing_ == 0) return cudaSuccess;
    cudaError_t status_ = cudaGetDevice(&home_);
    if (status_ == cudaSuccess) status_ = cudaThreadExchangeStreamCaptureMode(&mode_);
    if (status_ != cudaSuccess) return status_;
    for (int k = 0; k < 64 && missing_ >> k != 0 && status_ == cudaSuccess; k++) {
        if (!(missing_ >> k & 1)) continue;
        status_ = cudaSetDevice(k);
        if (status_ == cudaSuccess) status_ = cudaFuncGetAttributes(&attributes_, kernel_);
    }
    const cudaError_t exchanged_ = cudaThreadExchangeStreamCaptureMode(&mode_);
    const cudaError_t returned_ = cudaSetDevice(home_);
    status_ = reduce_first_error_(status_, reduce_first_error_(exchanged_, returned_));
    if (status_ == cudaSuccess) __atomic_fetch_or(loaded_, missing_, __ATOMIC_ACQ_REL);
    return status_;
}

/* Kernels will not come: tells those that wait for them. The copies need no SM, because the kernels that wait
   may take all. */
REDUCE_FRAME_ void reduce_nccl_refuse_(reduce_workspace *const *workspaces_, int count_) {
    static const unsigned yes_ = 1;
    cudaStream_t stream_;
    if (count_ == 0 || cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess) return;
    for (int k = 0; k < count_; k++)
        (void)cudaMemcpyAsync(&workspaces_[k]->is_refused_, &yes_, sizeof yes_, cudaMemcpyDefault, stream_);
    (void)cudaStreamDestroy(stream_);
}

/* ncclResult_t NAME_nccl_load_(uint64_t devices): loads the kernel for these devices. */
#define REDUCE_NCCL_LOAD_(NAME)                                                                             \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_load_(uint64_t devices_) {                                      \
        static uint64_t loaded_; /* atomic */                                                               \
        const void *const kernel_ = (const void *)NAME##_meet_kernel_;                                      \
        return reduce_nccl_error_(reduce_nccl_load_(kernel_, devices_, &loaded_));                          \
    }

/* The workspaces of all ranks, from the place of one rank. */
REDUCE_FRAME_ struct reduce_meet_ reduce_meet_of_(struct reduce_meet_ meet_,
                                                  const struct reduce_nccl_ *nccl_) {
    meet_.own_ = meet_.all_[nccl_->rank_];
    meet_.rank_ = (unsigned)nccl_->rank_;
    meet_.first_ = (unsigned)nccl_->shard_.first_;
    meet_.count_ = (unsigned)nccl_->count_;
    meet_.has_chunks_ = nccl_->shard_.count_ > 0;
    return meet_;
}

/* ncclResult_t NAME_nccl_launch_meet_(NAME_input_ in, n, nccl, struct reduce_meet_ meet, T *out, stream):
   launches a rank's kernel. meet: the workspaces of all ranks, and their number. */
#define REDUCE_NCCL_LAUNCH_MEET_(NAME)                                                                      \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_launch_meet_(                                                   \
        NAME##_input_ in_, size_t n, const struct reduce_nccl_ *nccl_, struct reduce_meet_ meet_,           \
        NAME##_result *out_, cudaStream_t stream_) {                                                        \
        const struct reduce_shard_ own_ = nccl_->shard_;                                                    \
        const unsigned threads_ = reduce_block_size_(n, NAME##_size_, NAME##_is_dense_);                    \
        const unsigned blocks_ = own_.count_ > 0 ? (unsigned)own_.count_ : 1;                               \
        struct reduce_stretch_ stretch_ = reduce_stretch_(reduce_cut_called_(n, NAME##_size_), own_);       \
        void *arguments_[] = {&in_, &stretch_, &meet_, &out_};                                              \
        meet_ = reduce_meet_of_(meet_, nccl_);                                                              \
        return reduce_nccl_error_(REDUCE_CUDA_LAUNCH_(NAME##_meet_kernel_, dim3(blocks_),                   \
                                                      dim3(threads_), arguments_, 0, stream_));             \
    }

/* ---- Ranks of several threads or processes ---------------------------------------------------------------
 *
 * reduce_nccl_connect finds the workspaces of all ranks, and remembers them for NAME_nccl_async. Workspaces
 * of other processes are mapped into this one.
 */

/* What is known of a workspace that is connected. A list of these grows, and entries are used again. */
struct reduce_nccl_link_ {
    struct reduce_nccl_link_ *next_;
    unsigned is_taken_;        /* atomic */
    reduce_workspace *ws_;     /* atomic; null while the entry is not ready */
    ncclComm_t comm_;
    uint64_t devices_;         /* of the ranks in this process, as a mask */
    struct reduce_meet_ meet_;
    void *mapped_[REDUCE_PEERS_];
};

/* All files of a program share this list, hence "weak". It is atomic. */
__attribute__((__weak__)) struct reduce_nccl_link_ *reduce_nccl_links_;

/* The entry of a workspace and a communicator, or null. */
REDUCE_FRAME_ struct reduce_nccl_link_ *reduce_nccl_find_link_(const reduce_workspace *ws_,
                                                               ncclComm_t comm_) {
    struct reduce_nccl_link_ *link_ = __atomic_load_n(&reduce_nccl_links_, __ATOMIC_ACQUIRE);
    while (link_ != NULL && (__atomic_load_n(&link_->ws_, __ATOMIC_ACQUIRE) != ws_ || link_->comm_ != comm_))
        link_ = link_->next_;
    return REDUCE_MAY_WAIT_ && ws_ != NULL ? link_ : NULL;
}

/* An entry that is not taken, or a new one; null if there is no memory. */
REDUCE_FRAME_ struct reduce_nccl_link_ *reduce_nccl_take_link_(void) {
    struct reduce_nccl_link_ *link_ = __atomic_load_n(&reduce_nccl_links_, __ATOMIC_ACQUIRE);
    while (link_ != NULL && __atomic_exchange_n(&link_->is_taken_, 1, __ATOMIC_ACQ_REL)) link_ = link_->next_;
    if (link_ != NULL) return link_;
    link_ = (struct reduce_nccl_link_ *)calloc(1, sizeof *link_);
    if (link_ == NULL) return NULL;
    link_->is_taken_ = 1;
    link_->next_ = __atomic_load_n(&reduce_nccl_links_, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&reduce_nccl_links_, &link_->next_, link_, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        continue;
    return link_;
}

/* Unmaps the workspaces of an entry, and gives it back. */
REDUCE_FRAME_ cudaError_t reduce_nccl_drop_link_(struct reduce_nccl_link_ *link_) {
    cudaError_t status_ = cudaSuccess;
    __atomic_store_n(&link_->ws_, NULL, __ATOMIC_RELEASE);
    for (int k = 0; k < REDUCE_PEERS_; k++) {
        const cudaError_t closed_ = link_->mapped_[k] != NULL ? cudaIpcCloseMemHandle(link_->mapped_[k])
                                                              : cudaSuccess;
        status_ = reduce_first_error_(status_, closed_);
        link_->mapped_[k] = NULL;
    }
    __atomic_store_n(&link_->is_taken_, 0, __ATOMIC_RELEASE);
    return status_;
}

/* What a rank tells the others of itself. */
struct reduce_nccl_card_ {
    uint64_t machine_, process_; /* numbers that tell them apart */
    reduce_workspace *ws_;       /* in that process */
    int device_;                 /* as that process counts devices */
    char bus_[32];               /* where the device is in the machine */
    int is_well_;                /* no call has failed so far */
    cudaIpcMemHandle_t handle_;
};

/* Mixes bytes into a number. */
REDUCE_FRAME_ uint64_t reduce_nccl_mix_(uint64_t number_, const void *bytes_, size_t size_) {
    for (size_t k = 0; k < size_; k++)
        number_ = (number_ ^ ((const unsigned char *)bytes_)[k]) * 0x100000001b3u + (number_ >> 47);
    return number_;
}

/* Reads the beginning of a file, if there is such a file. */
REDUCE_FRAME_ void reduce_nccl_read_(const char *path_, void *to_, size_t size_) {
    FILE *const file_ = fopen(path_, "r");
    if (file_ == NULL) return;
    (void)!fread(to_, 1, size_, file_);
    (void)fclose(file_);
}

REDUCE_FRAME_ uint64_t reduce_nccl_machine_(void) {
    char text_[512] = {0};
    (void)gethostname(text_, 256);
    reduce_nccl_read_("/proc/sys/kernel/random/boot_id", text_ + 256, 64);
    return reduce_nccl_mix_(1, text_, sizeof text_);
}

/* A random number, the same for all files of a program. It is atomic. */
__attribute__((__weak__)) uint64_t reduce_nccl_seed_;

REDUCE_FRAME_ uint64_t reduce_nccl_process_(void) {
    const pid_t pid_ = getpid();
    uint64_t seed_ = 1, none_ = 0;
    reduce_nccl_read_("/dev/urandom", &seed_, sizeof seed_);
    (void)__atomic_compare_exchange_n(&reduce_nccl_seed_, &none_, seed_, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE);
    return reduce_nccl_mix_(__atomic_load_n(&reduce_nccl_seed_, __ATOMIC_ACQUIRE), &pid_, sizeof pid_);
}

#ifndef REDUCE_NCCL_PROCESS_ /* tests let threads pass for processes */
#define REDUCE_NCCL_PROCESS_ reduce_nccl_process_()
#endif

/* A rank's card. Writes the number of the process to the workspace too, where no call leaves anything. */
REDUCE_FRAME_ cudaError_t reduce_nccl_own_card_(struct reduce_nccl_card_ *card_, reduce_workspace *ws_,
                                                int device_, cudaStream_t stream_) {
    memset(card_, 0, sizeof *card_);
    card_->machine_ = reduce_nccl_machine_();
    card_->process_ = REDUCE_NCCL_PROCESS_;
    card_->ws_ = ws_;
    card_->device_ = device_;
    cudaError_t status_ = cudaIpcGetMemHandle(&card_->handle_, ws_);
    if (status_ != cudaSuccess) (void)cudaGetLastError(); /* other processes cannot map it */
    status_ = cudaDeviceGetPCIBusId(card_->bus_, sizeof card_->bus_, device_);
    if (status_ == cudaSuccess)
        status_ = cudaMemcpyAsync(ws_->cell_ + REDUCE_MAX_SIZE / 2, &card_->process_,
                                  sizeof card_->process_, cudaMemcpyHostToDevice, stream_);
    if (status_ == cudaSuccess) status_ = cudaStreamSynchronize(stream_);
    card_->is_well_ = status_ == cudaSuccess;
    return status_;
}

/* Every rank gets the cards of all. buffer: memory on the device for all of them. */
REDUCE_FRAME_ ncclResult_t reduce_nccl_exchange_(struct reduce_nccl_card_ *cards_,
                                                 const struct reduce_nccl_ *nccl_, char *buffer_,
                                                 ncclComm_t comm_, cudaStream_t stream_) {
    const size_t size_ = sizeof *cards_, rank_ = nccl_->rank_;
    char *const own_ = buffer_ + rank_ * size_;
    cudaError_t status_ = cudaMemcpyAsync(own_, &cards_[rank_], size_, cudaMemcpyHostToDevice, stream_);
    if (status_ != cudaSuccess) return reduce_nccl_error_(status_);
    const ncclResult_t result_ = ncclAllGather(own_, buffer_, size_, ncclUint8, comm_, stream_);
    if (result_ != ncclSuccess) return result_;
    status_ = cudaMemcpyAsync(cards_, buffer_, nccl_->ranks_ * size_, cudaMemcpyDeviceToHost, stream_);
    if (status_ == cudaSuccess) status_ = cudaStreamSynchronize(stream_);
    return reduce_nccl_error_(status_);
}

/* Maps a workspace of another process. *ws stays null if that cannot be, or if this device cannot add to the
   other one's memory; this is no error. */
REDUCE_FRAME_ cudaError_t reduce_nccl_map_(const struct reduce_nccl_card_ *card_, int device_, void **mapped_,
                                           reduce_workspace **ws_) {
    int other_ = device_, adds_ = 0;
    if (cudaDeviceGetByPCIBusId(&other_, card_->bus_) != cudaSuccess || other_ == device_)
        return (void)cudaGetLastError(), cudaSuccess;
    const cudaError_t status_ =
        cudaDeviceGetP2PAttribute(&adds_, cudaDevP2PAttrNativeAtomicSupported, device_, other_);
    if (status_ != cudaSuccess || !adds_) return status_;
    if (cudaIpcOpenMemHandle(mapped_, card_->handle_, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
        *mapped_ = NULL;
        (void)cudaGetLastError();
    }
    *ws_ = (reduce_workspace *)*mapped_;
    return cudaSuccess;
}

/* Finds another rank's workspace: *ws stays null if this device cannot write to it. */
REDUCE_FRAME_ cudaError_t reduce_nccl_reach_(const struct reduce_nccl_card_ *own_,
                                             const struct reduce_nccl_card_ *other_, void **mapped_,
                                             reduce_workspace **ws_) {
    int is_peer_ = 0;
    uint64_t found_ = 0;
    cudaError_t status_ = cudaSuccess;
    if (!other_->is_well_ || other_->machine_ != own_->machine_) return status_;
    if (other_->process_ != own_->process_) status_ = reduce_nccl_map_(other_, own_->device_, mapped_, ws_);
    else if (other_->device_ != own_->device_)
        status_ = reduce_nccl_make_peer_(own_->device_, other_->device_, &is_peer_);
    if (is_peer_) *ws_ = other_->ws_;
    if (*ws_ == NULL || status_ != cudaSuccess) return status_;
    status_ = cudaMemcpy(&found_, (*ws_)->cell_ + REDUCE_MAX_SIZE / 2, sizeof found_, cudaMemcpyDefault);
    if (found_ != other_->process_) *ws_ = NULL;
    return status_;
}

/* Finds the workspaces of all ranks, for the entry. Returns whether there are all. */
REDUCE_FRAME_ bool reduce_nccl_reach_all_(struct reduce_nccl_link_ *link_,
                                          const struct reduce_nccl_card_ *cards_,
                                          const struct reduce_nccl_ *nccl_, cudaError_t *status_) {
    const struct reduce_nccl_card_ *const own_ = &cards_[nccl_->rank_];
    bool are_there_ = true;
    link_->meet_.ranks_ = (unsigned)nccl_->ranks_;
    link_->meet_.all_[nccl_->rank_] = own_->ws_;
    link_->devices_ = 0;
    for (size_t k = 0; k < nccl_->ranks_ && *status_ == cudaSuccess; k++) {
        if (cards_[k].machine_ == own_->machine_ && cards_[k].process_ == own_->process_)
            link_->devices_ |= (uint64_t)1 << cards_[k].device_ % 64;
        are_there_ = are_there_ && cards_[k].device_ < 64;
        if (k == nccl_->rank_) continue;
        link_->meet_.all_[k] = NULL;
        *status_ = reduce_nccl_reach_(own_, &cards_[k], &link_->mapped_[k], &link_->meet_.all_[k]);
        are_there_ = are_there_ && link_->meet_.all_[k] != NULL;
    }
    return are_there_ && *status_ == cudaSuccess;
}

/* Exchanges cards, finds all workspaces, and exchanges whether all ranks have. Keeps the entry if so. */
REDUCE_FRAME_ ncclResult_t reduce_nccl_connect_link_(struct reduce_nccl_link_ *link_,
                                                     const struct reduce_nccl_ *nccl_, reduce_workspace *ws_,
                                                     char *buffer_, ncclComm_t comm_, cudaStream_t stream_) {
    struct reduce_nccl_card_ cards_[REDUCE_PEERS_], *const own_ = &cards_[nccl_->rank_];
    cudaError_t status_ = reduce_nccl_own_card_(own_, ws_, nccl_->device_, stream_);
    ncclResult_t result_ = reduce_nccl_exchange_(cards_, nccl_, buffer_, comm_, stream_);
    if (result_ != ncclSuccess) return result_;
    own_->is_well_ = reduce_nccl_reach_all_(link_, cards_, nccl_, &status_);
    result_ = reduce_nccl_exchange_(cards_, nccl_, buffer_, comm_, stream_);
    bool are_well_ = result_ == ncclSuccess;
    for (size_t k = 0; k < nccl_->ranks_; k++) are_well_ = are_well_ && cards_[k].is_well_;
    link_->comm_ = comm_;
    if (are_well_) __atomic_store_n(&link_->ws_, ws_, __ATOMIC_RELEASE);
    return result_ != ncclSuccess ? result_ : reduce_nccl_error_(status_);
}

/* ncclResult_t reduce_nccl_connect(reduce_workspace *ws, ncclComm_t comm, cudaStream_t stream) */
REDUCE_FRAME_ ncclResult_t reduce_nccl_connect(reduce_workspace *ws_, ncclComm_t comm_,
                                               cudaStream_t stream_) {
    struct reduce_nccl_ nccl_;
    char *buffer_ = NULL;
    ncclResult_t result_ = ws_ == NULL ? ncclInvalidArgument : reduce_nccl_find_(&nccl_, comm_, 0, 1, 1);
    if (result_ == ncclSuccess) result_ = ncclCommCuDevice(comm_, &nccl_.device_);
    if (result_ == ncclSuccess && reduce_nccl_find_link_(ws_, comm_) != NULL) result_ = ncclInvalidArgument;
    if (result_ != ncclSuccess || nccl_.ranks_ > REDUCE_PEERS_ || !REDUCE_MAY_WAIT_) return result_;
    struct reduce_nccl_link_ *const link_ = reduce_nccl_take_link_();
    if (link_ == NULL) return ncclSystemError;
    result_ = reduce_nccl_error_(
        cudaMalloc((void **)&buffer_, nccl_.ranks_ * sizeof(struct reduce_nccl_card_)));
    if (result_ == ncclSuccess)
        result_ = reduce_nccl_connect_link_(link_, &nccl_, ws_, buffer_, comm_, stream_);
    const ncclResult_t freed_ = reduce_nccl_error_(cudaFree(buffer_));
    if (result_ == ncclSuccess) result_ = freed_;
    if (link_->ws_ == NULL) (void)reduce_nccl_drop_link_(link_);
    return result_;
}

/* ncclResult_t reduce_nccl_disconnect(reduce_workspace *ws, ncclComm_t comm) */
REDUCE_FRAME_ ncclResult_t reduce_nccl_disconnect(reduce_workspace *ws_, ncclComm_t comm_) {
    struct reduce_nccl_link_ *const link_ = reduce_nccl_find_link_(ws_, comm_);
    return link_ != NULL ? reduce_nccl_error_(reduce_nccl_drop_link_(link_)) : ncclSuccess;
}

/* bool reduce_nccl_is_connected(const reduce_workspace *ws, ncclComm_t comm) */
REDUCE_HOST_ bool reduce_nccl_is_connected(const reduce_workspace *ws_, ncclComm_t comm_) {
    return reduce_nccl_find_link_(ws_, comm_) != NULL;
}

/* ncclResult_t NAME_nccl_meet_(NAME_input_ in, n, nccl, link, T *out, stream): does a rank's part of a call
   where ranks are connected. */
#define REDUCE_NCCL_MEET_(NAME)                                                                             \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_meet_(                                                          \
        NAME##_input_ in_, size_t n, const struct reduce_nccl_ *nccl_,                                      \
        const struct reduce_nccl_link_ *link_, NAME##_result *out_, cudaStream_t stream_) {                 \
        const ncclResult_t result_ = NAME##_nccl_load_(link_->devices_);                                    \
        if (result_ != ncclSuccess) return result_;                                                         \
        return NAME##_nccl_launch_meet_(in_, n, nccl_, link_->meet_, out_, stream_);                        \
    }

/* ncclResult_t NAME_nccl_gather_(NAME_input_ in, n, nccl, T *out, ws, comm, stream): does it by NCCL. */
#define REDUCE_NCCL_GATHER_(NAME)                                                                           \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_gather_(                                                        \
        NAME##_input_ in_, size_t n, const struct reduce_nccl_ *nccl_, NAME##_result *out_,                 \
        reduce_workspace *ws_, ncclComm_t comm_, cudaStream_t stream_) {                                    \
        ncclResult_t result_ = NAME##_nccl_begin_(in_, n, nccl_, ws_, stream_);                             \
        if (result_ == ncclSuccess)                                                                         \
            result_ = reduce_nccl_gather_(nccl_, ws_, sizeof(NAME##_result), comm_, stream_);               \
        if (result_ == ncclSuccess) result_ = NAME##_nccl_end_(nccl_, out_, ws_, stream_);                  \
        return result_;                                                                                     \
    }

/* ncclResult_t NAME_nccl_async(const In *shard, size_t n, T *out, reduce_workspace *ws, comm, stream) */
#define REDUCE_NCCL_ASYNC_(NAME, KIND)                                                                      \
    REDUCE_HOST_ ncclResult_t NAME##_nccl_async(REDUCE_GIVEN_(NAME, KIND), NAME##_result *out_,             \
                                                reduce_workspace *ws_, ncclComm_t comm_,                    \
                                                cudaStream_t stream_) {                                     \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        const struct reduce_nccl_link_ *const link_ = reduce_nccl_find_link_(ws_, comm_);                   \
        struct reduce_nccl_ nccl_;                                                                          \
        ncclResult_t result_ = NAME##_nccl_check_(input_, n, out_, ws_, comm_, &nccl_);                     \
        if (result_ == ncclSuccess && link_ == NULL)                                                        \
            return NAME##_nccl_gather_(input_, n, &nccl_, out_, ws_, comm_, stream_);                       \
        if (result_ == ncclSuccess)                                                                         \
            result_ = NAME##_nccl_meet_(input_, n, &nccl_, link_, out_, stream_);                           \
        if (result_ != ncclSuccess && link_ != NULL)                                                        \
            reduce_nccl_refuse_(link_->meet_.all_, (int)link_->meet_.ranks_);                               \
        return result_;                                                                                     \
    }

/* ---- One thread with several GPUs ---------------------------------------------------------------------- */

/* Lists of arrays of some KIND. LISTS: parameters. HAS: whether no list is null. PASSED: arguments that pass
   the lists, n and the context on. INPUT: initializer of rank k's NAME_input_. */
#define REDUCE_NCCL_LISTS_ARRAY_(NAME) const NAME##_element *const *in_
#define REDUCE_NCCL_LISTS_WITH_ REDUCE_NCCL_LISTS_ARRAY_
#define REDUCE_NCCL_LISTS_ZIP_(NAME) const NAME##_first *const *x, const NAME##_second *const *y
#define REDUCE_NCCL_LISTS_ZIP_WITH_ REDUCE_NCCL_LISTS_ZIP_
#define REDUCE_NCCL_HAS_ARRAY_ (in_ != NULL)
#define REDUCE_NCCL_HAS_WITH_ (in_ != NULL)
#define REDUCE_NCCL_HAS_ZIP_ (x != NULL && y != NULL)
#define REDUCE_NCCL_HAS_ZIP_WITH_ REDUCE_NCCL_HAS_ZIP_
#define REDUCE_NCCL_PASSED_ARRAY_ in_, n
#define REDUCE_NCCL_PASSED_WITH_ in_, n, c_
#define REDUCE_NCCL_PASSED_ZIP_ x, y, n
#define REDUCE_NCCL_PASSED_ZIP_WITH_ x, y, n, c_
#define REDUCE_NCCL_INPUT_ARRAY_(k) {in_[k]}
#define REDUCE_NCCL_INPUT_WITH_(k) {in_[k], c_}
#define REDUCE_NCCL_INPUT_ZIP_(k) {x[k], y[k]}
#define REDUCE_NCCL_INPUT_ZIP_WITH_(k) {x[k], y[k], c_}

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
                result_ = NAME##_nccl_end_(&nccl_[k], outs_[k], workspaces_[k], streams_[k]);               \
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
                result_ = NAME##_nccl_begin_(input_, n, &nccl_[k], workspaces_[k], streams_[k]);            \
        }                                                                                                   \
        return result_;                                                                                     \
    }

/* Makes all devices peers of each other, also while a stream is captured. */
REDUCE_FRAME_ cudaError_t reduce_nccl_make_peers_(int gpus_, const struct reduce_nccl_ *nccl_,
                                                  int *are_peers_) {
    enum cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
    cudaError_t status_ = cudaThreadExchangeStreamCaptureMode(&mode_);
    if (status_ != cudaSuccess) return status_;
    *are_peers_ = 1;
    for (int k = 0; k < gpus_ * gpus_ && *are_peers_ && status_ == cudaSuccess; k++)
        if (k / gpus_ != k % gpus_)
            status_ = reduce_nccl_make_peer_(nccl_[k / gpus_].device_, nccl_[k % gpus_].device_, are_peers_);
    const cudaError_t exchanged_ = cudaThreadExchangeStreamCaptureMode(&mode_);
    return reduce_first_error_(status_, exchanged_);
}

/* The devices of all ranks, as a mask; 0 if this call does not serve all ranks of a communicator, or if some
   share a device, or if they are too many. */
REDUCE_FRAME_ uint64_t reduce_nccl_devices_(int gpus_, const struct reduce_nccl_ *nccl_) {
    uint64_t devices_ = 0, ranks_ = 0;
    for (int k = 0; k < gpus_; k++) {
        const uint64_t device_ = (uint64_t)1 << nccl_[k].device_ % 64;
        const uint64_t rank_ = (uint64_t)1 << nccl_[k].rank_ % 64;
        const bool is_one_of_few_ = gpus_ <= REDUCE_PEERS_ && nccl_[k].device_ < 64;
        if (!is_one_of_few_ || nccl_[k].ranks_ != (size_t)gpus_ || (devices_ & device_) || (ranks_ & rank_))
            return 0;
        devices_ |= device_;
        ranks_ |= rank_;
    }
    return devices_;
}

/* What is remembered of devices: some that are peers, and some that are not. Both masks are atomic. */
struct reduce_nccl_known_ { uint64_t peers_, strangers_; };

/* Finds out whether the kernels of these ranks can meet. It asks CUDA in the first call only, but not if an
   error waits for cudaGetLastError, which could be lost. */
REDUCE_FRAME_ cudaError_t reduce_nccl_find_peers_(int gpus_, const struct reduce_nccl_ *nccl_,
                                                  int *are_peers_) {
    static struct reduce_nccl_known_ known_;
    const uint64_t devices_ = REDUCE_MAY_WAIT_ ? reduce_nccl_devices_(gpus_, nccl_) : 0;
    *are_peers_ = devices_ != 0 && devices_ == __atomic_load_n(&known_.peers_, __ATOMIC_ACQUIRE);
    if (*are_peers_ || devices_ == __atomic_load_n(&known_.strangers_, __ATOMIC_ACQUIRE)) return cudaSuccess;
    if (devices_ == 0 || cudaPeekAtLastError() != cudaSuccess) return cudaSuccess;
    const cudaError_t status_ = reduce_nccl_make_peers_(gpus_, nccl_, are_peers_);
    if (status_ == cudaSuccess)
        __atomic_store_n(*are_peers_ ? &known_.peers_ : &known_.strangers_, devices_, __ATOMIC_RELEASE);
    return status_;
}

/* ncclResult_t NAME_nccl_find_out_(int gpus, nccl, int *can_meet): whether the kernels of a call can meet;
   prepares them. */
#define REDUCE_NCCL_FIND_OUT_(NAME)                                                                         \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_find_out_(int gpus_, const struct reduce_nccl_ *nccl_,          \
                                                      int *can_meet_) {                                     \
        const ncclResult_t result_ = reduce_nccl_error_(reduce_nccl_find_peers_(gpus_, nccl_, can_meet_));  \
        if (result_ != ncclSuccess || !*can_meet_) return result_;                                          \
        return NAME##_nccl_load_(reduce_nccl_devices_(gpus_, nccl_));                                       \
    }

/* What all kernels of a call know. */
REDUCE_FRAME_ struct reduce_meet_ reduce_nccl_meet_(int gpus_, const struct reduce_nccl_ *nccl_,
                                                    reduce_workspace *const *workspaces_) {
    struct reduce_meet_ meet_;
    memset(&meet_, 0, sizeof meet_);
    for (int k = 0; k < gpus_; k++) meet_.all_[nccl_[k].rank_] = workspaces_[k];
    meet_.ranks_ = (unsigned)gpus_;
    return meet_;
}

/* ncclResult_t NAME_nccl_meet_all_(...): launches all ranks' kernels. */
#define REDUCE_NCCL_MEET_ALL_(NAME, KIND)                                                                   \
    REDUCE_HOST_ ncclResult_t NAME##_nccl_meet_all_(                                                        \
        REDUCE_NCCL_GIVEN_(NAME, KIND), const struct reduce_nccl_ *nccl_, NAME##_result *const *outs_,      \
        reduce_workspace *const *workspaces_, const cudaStream_t *streams_) {                               \
        const struct reduce_meet_ meet_ = reduce_nccl_meet_(gpus_, nccl_, workspaces_);                     \
        ncclResult_t result_ = ncclSuccess;                                                                 \
        for (int k = 0; k < gpus_ && result_ == ncclSuccess; k++) {                                         \
            const NAME##_input_ input_ = REDUCE_NCCL_INPUT_##KIND(k);                                       \
            result_ = reduce_nccl_error_(cudaSetDevice(nccl_[k].device_));                                  \
            if (result_ == ncclSuccess)                                                                     \
                result_ = NAME##_nccl_launch_meet_(input_, n, &nccl_[k], meet_, outs_[k], streams_[k]);     \
            if (result_ != ncclSuccess) reduce_nccl_refuse_(workspaces_, k);                                \
        }                                                                                                   \
        return result_;                                                                                     \
    }

/* ncclResult_t NAME_nccl_gather_all_(...): does the call through NCCL. */
#define REDUCE_NCCL_GATHER_ALL_(NAME, KIND)                                                                 \
    REDUCE_HOST_ ncclResult_t NAME##_nccl_gather_all_(                                                      \
        REDUCE_NCCL_GIVEN_(NAME, KIND), const struct reduce_nccl_ *nccl_, NAME##_result *const *outs_,      \
        reduce_workspace *const *workspaces_, const ncclComm_t *comms_, const cudaStream_t *streams_) {     \
        const ncclResult_t result_ = NAME##_nccl_begin_all_(gpus_, REDUCE_NCCL_PASSED_##KIND, nccl_,        \
                                                            workspaces_, streams_);                         \
        if (result_ != ncclSuccess) return result_;                                                         \
        return NAME##_nccl_end_all_(gpus_, nccl_, outs_, workspaces_, comms_, streams_);                    \
    }

/* ncclResult_t NAME_nccl_run_all_(...): checks and launches everything; leaves any rank's device current. */
#define REDUCE_NCCL_RUN_ALL_(NAME, KIND)                                                                    \
    REDUCE_HOST_ ncclResult_t NAME##_nccl_run_all_(                                                         \
        REDUCE_NCCL_GIVEN_(NAME, KIND), NAME##_result *const *outs_, reduce_workspace *const *workspaces_,  \
        const ncclComm_t *comms_, const cudaStream_t *streams_) {                                           \
        struct reduce_nccl_ nccl_[REDUCE_NCCL_GPUS_];                                                       \
        int can_meet_ = 0;                                                                                  \
        ncclResult_t result_ = NAME##_nccl_check_all_(gpus_, REDUCE_NCCL_PASSED_##KIND, outs_, workspaces_, \
                                                      comms_, nccl_);                                       \
        if (result_ == ncclSuccess) result_ = NAME##_nccl_find_out_(gpus_, nccl_, &can_meet_);              \
        if (result_ != ncclSuccess) return result_;                                                         \
        if (!can_meet_)                                                                                     \
            return NAME##_nccl_gather_all_(gpus_, REDUCE_NCCL_PASSED_##KIND, nccl_, outs_, workspaces_,     \
                                           comms_, streams_);                                               \
        return NAME##_nccl_meet_all_(gpus_, REDUCE_NCCL_PASSED_##KIND, nccl_, outs_, workspaces_, streams_);\
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
    REDUCE_EACH_(NAME, REDUCE_GIVE_ALL_, REDUCE_SEE_SOME_, REDUCE_TAKE_SOME_, REDUCE_TAKE_ALL_)             \
    REDUCE_MEET_END_(NAME) REDUCE_LINE_ REDUCE_MEET_KERNEL_(NAME) REDUCE_LINE_                              \
    REDUCE_EACH_(NAME, REDUCE_NCCL_CHECK_, REDUCE_NCCL_BEGIN_, REDUCE_NCCL_END_, REDUCE_NCCL_GATHER_)       \
    REDUCE_EACH_(NAME, REDUCE_NCCL_LOAD_, REDUCE_NCCL_LAUNCH_MEET_, REDUCE_NCCL_MEET_, REDUCE_NCCL_END_ALL_)\
    REDUCE_NCCL_FIND_OUT_(NAME) REDUCE_LINE_                                                                \
    REDUCE_NCCL_ASYNC_(NAME, KIND) REDUCE_LINE_ REDUCE_NCCL_CHECK_ALL_(NAME, KIND) REDUCE_LINE_             \
    REDUCE_NCCL_MEET_ALL_(NAME, KIND) REDUCE_LINE_ REDUCE_NCCL_BEGIN_ALL_(NAME, KIND) REDUCE_LINE_          \
    REDUCE_NCCL_GATHER_ALL_(NAME, KIND) REDUCE_LINE_ REDUCE_NCCL_RUN_ALL_(NAME, KIND) REDUCE_LINE_          \
    REDUCE_NCCL_ALL_ASYNC_(NAME, KIND) REDUCE_LINE_

#else /* without CUDA a definition adds the functions of reduce_parts.h alone */
#define REDUCE_DEFINE_NCCL_(NAME, KIND) REDUCE_CHECK_ONCE_(NAME##_nccl)
#endif

#define REDUCE_NCCL_(NAME, KIND)                                                                            \
    REDUCE_CHECK_ADDED_(NAME, KIND, "NCCL") REDUCE_LINE_ REDUCE_ADD_PARTS_(NAME, KIND) REDUCE_LINE_         \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME##_nccl, REDUCE_DEFINE_NCCL_)(NAME, KIND)

#undef DEFINE_REDUCE_NCCL
#define DEFINE_REDUCE_NCCL(NAME) REDUCE_NCCL_(NAME, ARRAY_)
#undef DEFINE_REDUCE_ZIP_NCCL
#define DEFINE_REDUCE_ZIP_NCCL(NAME) REDUCE_NCCL_(NAME, ZIP_)
#undef DEFINE_REDUCE_WITH_NCCL
#define DEFINE_REDUCE_WITH_NCCL(NAME) REDUCE_NCCL_(NAME, WITH_)
#undef DEFINE_REDUCE_ZIP_WITH_NCCL
#define DEFINE_REDUCE_ZIP_WITH_NCCL(NAME) REDUCE_NCCL_(NAME, ZIP_WITH_)

#endif /* REDUCE_NCCL_CUH */
