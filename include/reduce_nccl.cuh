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

/* ---- GPUs that reach each other's memory ------------------------------------------------------------------
 *
 * If one thread serves all ranks, and every two of their GPUs are peers, a call is one kernel on each GPU.
 * Each block reduces its chunk, and writes the partial result into the chunk's slot in the workspace of every
 * rank. The last block of a kernel waits until all slots of its own workspace are full, empties and folds them.
 *
 * A rank may begin the next call while another one still uses its workspace. So a kernel that begins adds 1 to
 * its rank's counter in every other workspace, and a kernel that ends takes 1 from all counters in its own.
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

/* Tells a rank that this one has begun: all that used this rank's workspace before, in stream order, has ended
   and has no effect any more. */
REDUCE_DEVICE_ void reduce_tell_(struct reduce_meet_ meet_, unsigned rank_) {
    if (!reduce_is_other_(meet_, rank_)) return;
    atomicAdd_system(&reduce_workspace_of_(meet_, rank_)->ready_[meet_.rank_], 1u);
}

/* Whether a rank, or this one, has begun. */
REDUCE_DEVICE_ bool reduce_is_ready_(struct reduce_meet_ meet_, unsigned rank_) {
    return !reduce_is_other_(meet_, rank_) || reduce_load_counter_(&meet_.own_->ready_[rank_]) != 0;
}

/* The first warp: waits until all ranks have begun, or until some will not come. Thread k waits for rank k; it
   has found out before whether that is ready. What it writes to the rank later depends on this branch, so it
   cannot come before. */
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
        reduce_slot_ *const slots_ = reduce_workspace_of_(meet_, at_.thread_)->slots_;                      \
        reduce_shuffle_(&x, sizeof x, 0, 0);                                                                \
        reduce_await_(meet_, at_.thread_, is_ready_);                                                       \
        if (meet_.has_chunks_ && at_.thread_ < meet_.ranks_)                                                \
            reduce_publish_(slots_ + meet_.first_ + at_.block_, &x, sizeof x, 1);                           \
    }

/* bool NAME_take_some_(T *x, slots, unsigned k, unsigned count, at): combines *x with the partial results of
   slot k and every at.threads further, as many as are loaded at once, and empties the slots. Returns false, and
   does nothing, if some of the results are not there. */
#define REDUCE_TAKE_SOME_(NAME)                                                                             \
    enum { NAME##_taken_at_once_ = sizeof(NAME##_result) <= 8 ? REDUCE_LOADS_ : 1 };                        \
    REDUCE_DEVICE_ bool NAME##_take_some_(NAME##_result *x, reduce_slot_ *slots_, unsigned k,               \
                                          unsigned count_, struct reduce_place_ at_) {                      \
        NAME##_result values_[NAME##_taken_at_once_];                                                       \
        bool are_there_ = true;                                                                             \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_taken_at_once_; s++)                                                \
            if (k + s * at_.threads_ < count_)                                                              \
                are_there_ &= reduce_look_(&values_[s], sizeof *x, slots_ + k + s * at_.threads_, 1);       \
        REDUCE_UNROLL_                                                                                      \
        for (unsigned s = 0; s < NAME##_taken_at_once_; s++) {                                              \
            if (!are_there_ || k + s * at_.threads_ >= count_) continue;                                    \
            reduce_empty_(slots_ + k + s * at_.threads_, sizeof *x);                                        \
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

/* NAME_meet_kernel_: see above. A rank without chunks has one block. */
#define REDUCE_MEET_KERNEL_(NAME)                                                                           \
    REDUCE_GLOBAL_ void __launch_bounds__(REDUCE_STRANDS, REDUCE_BLOCKS_(NAME))                             \
        NAME##_meet_kernel_(NAME##_input_ in_, struct reduce_part_ part_, struct reduce_meet_ meet_,        \
                            NAME##_result *out_) {                                                          \
        const struct reduce_place_ at_ = reduce_place_in_row_();                                            \
        bool is_ready_, is_refused_ = false;                                                                \
        NAME##_result x;                                                                                    \
        if (at_.block_ == 0) reduce_tell_(meet_, at_.thread_);                                              \
        x = NAME##_walk_part_(in_, part_, at_);                                                             \
        is_ready_ = reduce_is_ready_(meet_, at_.thread_);                                                   \
        x = NAME##_first_of_block_(x, at_);                                                                 \
        if (at_.thread_ < REDUCE_WARP) NAME##_give_all_(x, meet_, at_, is_ready_);                          \
        if (at_.block_ != at_.blocks_ - 1) return;                                                          \
        x = NAME##_take_all_(meet_, at_, &is_refused_);                                                     \
        if (__syncthreads_or(is_refused_)) return;                                                          \
        x = NAME##_first_of_block_(x, at_);                                                                 \
        if (at_.thread_ == 0) *out_ = NAME##_final_(x);                                                     \
        if (reduce_is_other_(meet_, at_.thread_)) atomicAdd_system(&meet_.own_->ready_[at_.thread_], ~0u);  \
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

/* Makes all devices peers of each other, and loads the kernel on each of them: a kernel that waits for others
   must not wait until CUDA has loaded them. */
REDUCE_FRAME_ cudaError_t reduce_nccl_prepare_(int gpus_, const struct reduce_nccl_ *nccl_,
                                               const void *kernel_, int *can_meet_) {
    struct cudaFuncAttributes attributes_;
    cudaError_t status_ = cudaSuccess;
    *can_meet_ = 1;
    for (int k = 0; k < gpus_ * gpus_ && *can_meet_ && status_ == cudaSuccess; k++)
        if (k / gpus_ != k % gpus_)
            status_ = reduce_nccl_make_peer_(nccl_[k / gpus_].device_, nccl_[k % gpus_].device_, can_meet_);
    for (int k = 0; k < gpus_ && *can_meet_ && status_ == cudaSuccess; k++) {
        status_ = cudaSetDevice(nccl_[k].device_);
        if (status_ == cudaSuccess) status_ = cudaFuncGetAttributes(&attributes_, kernel_);
    }
    return status_;
}

/* The devices of all ranks, as a mask; 0 if this call does not serve all ranks of a communicator, or if some
   share a device, or if they are too many. */
REDUCE_FRAME_ uint64_t reduce_nccl_devices_(int gpus_, const struct reduce_nccl_ *nccl_) {
    uint64_t devices_ = 0, ranks_ = 0;
    for (int k = 0; k < gpus_; k++) {
        const uint64_t device_ = (uint64_t)1 << nccl_[k].device_ % 64, rank_ = (uint64_t)1 << nccl_[k].rank_ % 64;
        const bool is_one_of_few_ = gpus_ <= REDUCE_PEERS_ && nccl_[k].device_ < 64;
        if (!is_one_of_few_ || nccl_[k].ranks_ != (size_t)gpus_ || (devices_ & device_) || (ranks_ & rank_))
            return 0;
        devices_ |= device_;
        ranks_ |= rank_;
    }
    return devices_;
}

#ifdef REDUCE_NO_WAITING
#define REDUCE_MAY_WAIT_ 0
#else
#define REDUCE_MAY_WAIT_ 1
#endif

/* What a NAME remembers: devices whose kernels can meet, and devices whose kernels cannot. Both are atomic. */
struct reduce_nccl_known_ { uint64_t can_, cannot_; };

/* Finds out whether kernels of these ranks can meet, and prepares them. It asks CUDA in the first call only,
   also while a stream is captured; but not if an error waits for cudaGetLastError, which could be lost. */
REDUCE_FRAME_ cudaError_t reduce_nccl_find_out_(int gpus_, const struct reduce_nccl_ *nccl_,
                                                const void *kernel_, struct reduce_nccl_known_ *known_,
                                                int *can_meet_) {
    const uint64_t devices_ = REDUCE_MAY_WAIT_ ? reduce_nccl_devices_(gpus_, nccl_) : 0;
    enum cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
    *can_meet_ = devices_ != 0 && devices_ == __atomic_load_n(&known_->can_, __ATOMIC_ACQUIRE);
    if (*can_meet_ || devices_ == __atomic_load_n(&known_->cannot_, __ATOMIC_ACQUIRE)) return cudaSuccess;
    if (devices_ == 0 || cudaPeekAtLastError() != cudaSuccess) return cudaSuccess;
    cudaError_t status_ = cudaThreadExchangeStreamCaptureMode(&mode_);
    if (status_ != cudaSuccess) return status_;
    status_ = reduce_nccl_prepare_(gpus_, nccl_, kernel_, can_meet_);
    const cudaError_t exchanged_ = cudaThreadExchangeStreamCaptureMode(&mode_);
    if (status_ == cudaSuccess) status_ = exchanged_;
    if (status_ == cudaSuccess)
        __atomic_store_n(*can_meet_ ? &known_->can_ : &known_->cannot_, devices_, __ATOMIC_RELEASE);
    return status_;
}

/* What all kernels of a call know. */
REDUCE_FRAME_ struct reduce_meet_ reduce_nccl_meet_(int gpus_, const struct reduce_nccl_ *nccl_,
                                                    reduce_workspace *const *workspaces_) {
    struct reduce_meet_ meet_;
    memset(&meet_, 0, sizeof meet_);
    for (int k = 0; k < gpus_; k++) meet_.all_[nccl_[k].rank_] = workspaces_[k];
    meet_.ranks_ = (unsigned)gpus_;
    meet_.count_ = (unsigned)nccl_[0].count_;
    return meet_;
}

/* After a failed launch: tells the kernels of the ranks before that they wait in vain. The copy needs no SM,
   because these kernels may take all. */
REDUCE_FRAME_ void reduce_nccl_refuse_(int launched_, const struct reduce_nccl_ *nccl_,
                                       reduce_workspace *const *workspaces_) {
    static const unsigned yes_ = 1;
    cudaStream_t stream_;
    for (int k = 0; k < launched_; k++) {
        if (cudaSetDevice(nccl_[k].device_) != cudaSuccess) continue;
        if (cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess) continue;
        (void)cudaMemcpyAsync(&workspaces_[k]->is_refused_, &yes_, sizeof yes_, cudaMemcpyHostToDevice, stream_);
        (void)cudaStreamDestroy(stream_);
    }
}

/* ncclResult_t NAME_nccl_launch_meet_(NAME_input_ in, n, nccl, meet, T *out, stream): launches a rank's kernel. */
#define REDUCE_NCCL_LAUNCH_MEET_(NAME)                                                                      \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_launch_meet_(                                                   \
        NAME##_input_ in_, size_t n, const struct reduce_nccl_ *nccl_, struct reduce_meet_ meet_,           \
        NAME##_result *out_, cudaStream_t stream_) {                                                        \
        const struct reduce_shard_ own_ = nccl_->shard_;                                                    \
        const unsigned threads_ = reduce_block_size_(n, NAME##_size_, NAME##_is_dense_);                    \
        const unsigned blocks_ = own_.count_ > 0 ? (unsigned)own_.count_ : 1;                               \
        struct reduce_part_ part_ = reduce_part_(reduce_cut_called_(n, NAME##_size_), own_);                \
        void *arguments_[] = {&in_, &part_, &meet_, &out_};                                                 \
        meet_.own_ = meet_.all_[nccl_->rank_];                                                              \
        meet_.rank_ = (unsigned)nccl_->rank_;                                                               \
        meet_.first_ = (unsigned)own_.first_;                                                               \
        meet_.has_chunks_ = own_.count_ > 0;                                                                \
        return reduce_nccl_error_(cudaLaunchKernel(NAME##_meet_kernel_, dim3(blocks_), dim3(threads_),      \
                                                   arguments_, 0, stream_));                                \
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
            if (result_ != ncclSuccess) reduce_nccl_refuse_(k, nccl_, workspaces_);                         \
        }                                                                                                   \
        return result_;                                                                                     \
    }

/* ncclResult_t NAME_nccl_find_out_(int gpus, nccl, int *can_meet): whether the kernels of a call can meet. */
#define REDUCE_NCCL_FIND_OUT_(NAME)                                                                         \
    REDUCE_CALLED_ ncclResult_t NAME##_nccl_find_out_(int gpus_, const struct reduce_nccl_ *nccl_,          \
                                                      int *can_meet_) {                                     \
        static struct reduce_nccl_known_ known_;                                                            \
        const void *const kernel_ = (const void *)NAME##_meet_kernel_;                                      \
        return reduce_nccl_error_(reduce_nccl_find_out_(gpus_, nccl_, kernel_, &known_, can_meet_));        \
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
    REDUCE_EACH_(NAME, REDUCE_NCCL_CHECK_, REDUCE_NCCL_BEGIN_, REDUCE_NCCL_END_, REDUCE_NCCL_END_ALL_)      \
    REDUCE_NCCL_ASYNC_(NAME, KIND) REDUCE_LINE_ REDUCE_NCCL_CHECK_ALL_(NAME, KIND) REDUCE_LINE_             \
    REDUCE_EACH_(NAME, REDUCE_GIVE_ALL_, REDUCE_TAKE_SOME_, REDUCE_TAKE_ALL_, REDUCE_MEET_KERNEL_)                \
    REDUCE_NCCL_FIND_OUT_(NAME) REDUCE_LINE_ REDUCE_NCCL_LAUNCH_MEET_(NAME) REDUCE_LINE_                    \
    REDUCE_NCCL_MEET_ALL_(NAME, KIND) REDUCE_LINE_ REDUCE_NCCL_BEGIN_ALL_(NAME, KIND) REDUCE_LINE_          \
    REDUCE_NCCL_GATHER_ALL_(NAME, KIND) REDUCE_LINE_ REDUCE_NCCL_RUN_ALL_(NAME, KIND) REDUCE_LINE_          \
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
