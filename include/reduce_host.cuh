/*
 * reduce_host.cuh: the simple call on main memory, by the CPU and the GPU together; a part of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce.cuh includes this file where it lies beside it. NAME(in, n, &result) on main memory then works as
 * this manual says. Nobody includes it otherwise, and there is nothing to call in it.
 *
 * WHO DOES WHAT
 *
 *   The threads of the CPU take chunks of the array from its front. The GPU takes chunks from its back, until
 *   both meet. The tree does not say who computes a chunk, so the result has the same bits in any case. How
 *   much each of them takes follows from how fast each is in this very call. A few elements, reduced first
 *   and then again with the others, tell whether the GPU is to take part:
 *
 *     memory     what the GPU does
 *     pinned     It reads the array where it is, over the bus, if the CPU alone would need more than 0.15 ms.
 *     pageable   Nothing, unless reducing takes more than three times as long as copying: unless the map or
 *                the operator is costly. A costly array of up to 128 MiB is copied to the GPU as a whole, and
 *                the GPU works alone. A larger one is copied in parts: by the threads of the CPU into pinned
 *                buffers, from which the GPU reads; or by CUDA, if there is one thread.
 *     other      Managed memory, and that of a GPU, is for the GPU alone: see reduce.cuh.
 *
 *   The CPU has as many threads as OpenMP gives, where the program is built with it; else the caller's alone.
 *
 *   A call on ordinary memory does not wake a driver that sleeps: where the program has not used CUDA before,
 *   the CPU works alone, unless it would need more than a second. So a first call creates no context.
 *   (The file asks dlopen. With a C library older than glibc 2.34 link with -ldl, as nvcc does unless it is
 *   told -cudart shared.)
 *
 * WHAT IT TAKES
 *
 *   All of it is given back when the call returns.
 *
 *     on the device   0.5 MiB, so that arrays may be larger than its memory. For costly maps of pageable
 *                     memory also the copy: at most 128 MiB as a whole, or 256 MiB in parts.
 *     pinned memory   for costly maps of pageable memory: 16 buffers of 0.5 MiB or a chunk, at most 256 MiB
 *     main memory     at most 288 KiB
 *
 * ERRORS
 *
 *   The error of any CUDA call that fails is returned, also midway; the result is then left as it was. The
 *   CPU does not redo what the GPU was to do. cudaErrorMemoryAllocation may also say that main memory is
 *   short. An error of an earlier call that waits for cudaGetLastError stays. The CPU then works alone, as
 *   asking the GPU how far it is could replace that error.
 *
 * ORDER
 *
 *   Where the program uses CUDA, the call first waits for the work in the default stream, which may write
 *   what is to be read.
 */
#ifndef REDUCE_HOST_CUH
#define REDUCE_HOST_CUH

#include "reduce.cuh"

#ifdef __CUDACC__

#ifdef _OPENMP
#include <omp.h>
#endif
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* Tests define all of these at once, so that short arrays reach every part of the code. Times are those that
   the CPU would need, in nanoseconds. */
#ifndef REDUCE_SHARE_OF_TESTS_
#define REDUCE_PINNED_PAYS_ 150000.
#define REDUCE_TRIP_PAYS_(bytes) (40000. + 0.12 * (double)(bytes)) /* for pageable memory */
#define REDUCE_WAKING_PAYS_ 1e9      /* the driver: that takes 0.2 s */
#define REDUCE_COPYING_FACTOR_ 3     /* the time of reducing over that of copying */
#define REDUCE_PROBE_ 1024           /* bytes that are reduced to learn the CPU's speed */
#define REDUCE_COSTLY_ 5.            /* nanoseconds a byte that need no comparison with copying */
#define REDUCE_GUESS_ 50.            /* bytes that the GPU takes in a nanosecond, while that is not known */
#define REDUCE_WHOLE_ ((size_t)128 << 20)   /* bytes that are copied as a whole */
#define REDUCE_BUFFER_ ((size_t)1 << 19)    /* bytes, but at least a chunk */
#define REDUCE_BUFFERS_ ((size_t)256 << 20) /* bytes in all of them, at most */
#define REDUCE_FIRST_BATCH_ ((size_t)4 << 20) /* bytes that the GPU takes while its speed is not known */
#define REDUCE_LONGEST_BATCH_ 2e6    /* nanoseconds */
#define REDUCE_SLOWER_ 16            /* times: the CPU is not worth while where it is slower than the GPU */
#define REDUCE_HOPE_ 1e6             /* nanoseconds after which the GPU's speed is known */
#endif
#define REDUCE_BATCHES_ 16
#define REDUCE_MAX_INPUT_ (2 * sizeof(void *) + REDUCE_MAX_SIZE + 64) /* bytes of a NAME_input_ */

/* ---- What is to be done -------------------------------------------------------------------------------- */

/* A call of some NAME. launch_(input, n, first, count, ws, stream) has the GPU reduce chunks first to before
   first + count; the input begins with pointers to the first elements of these. The results go to slots. */
struct reduce_call_ {
    const struct reduce_cpu_ *cpu_;
    const void *input_;
    size_t input_size_;
    struct reduce_range_ *arrays_; /* at most two: the input begins with their addresses */
    size_t count_, n;
    cudaError_t (*launch_)(const void *input_, size_t n, unsigned first_, unsigned count_,
                           reduce_workspace *ws_, cudaStream_t stream_);
};

/* Chunks that the GPU takes at once. An empty one has no work; a full one waits for its launch. */
enum reduce_state_ { REDUCE_EMPTY_, REDUCE_FILLING_, REDUCE_FULL_, REDUCE_RUNNING_ };
struct reduce_batch_ {
    unsigned state_; /* atomic: threads of the CPU fill, the caller launches */
    unsigned first_, count_;
    char *buffer_;        /* null: the GPU reads the arrays themselves */
    cudaStream_t stream_; /* null until its first launch */
};

/* How the GPU gets at an array in main memory. */
enum reduce_reach_ {
    REDUCE_NOT_AT_ALL_, /* the CPU works alone */
    REDUCE_AS_A_WHOLE_, /* on a copy, and works alone */
    REDUCE_IN_PLACE_,
    REDUCE_BY_THREADS_, /* from pinned buffers, which threads of the CPU fill */
    REDUCE_BY_CUDA_     /* from buffers on the device, to which the caller has CUDA copy */
};

/* The GPU's side. Only the caller's thread calls CUDA. */
struct reduce_gpu_ {
    enum reduce_reach_ reach_;
    reduce_workspace *ws_;
    char *buffers_;
    size_t capacity_; /* chunks in a buffer */
    unsigned batches_count_, done_; /* done: chunks, atomic */
    uint64_t begin_;    /* of its first batch; atomic */
    unsigned is_ready_; /* atomic */
    struct reduce_batch_ batches_[REDUCE_BATCHES_];
};

/* One call's work. Chunks are numbered; partials has one T for each. */
struct reduce_joint_ {
    const struct reduce_call_ *call_;
    struct reduce_cut_ cut_;
    char *partials_;
    uint64_t taken_;             /* atomic: chunks from the front, and from the back in the upper half */
    uint64_t spent_, reduced_;   /* atomic: the time of the CPU's threads for their chunks, and how many */
    double guess_, threads_;     /* what a chunk takes a thread, while that is not known; threads */
    unsigned status_;            /* atomic: the first error of CUDA's; then all stop */
    struct reduce_gpu_ gpu_;
};

#define REDUCE_GET_(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define REDUCE_SET_(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELEASE)
#define REDUCE_PLUS_(place, value) __atomic_fetch_add(&(place), value, __ATOMIC_ACQ_REL)

REDUCE_HOST_ uint64_t reduce_now_(void) {
    struct timespec now_;
    clock_gettime(CLOCK_MONOTONIC, &now_);
    return (uint64_t)now_.tv_sec * 1000000000 + (uint64_t)now_.tv_nsec;
}

/* Chunks that nobody has taken, and those that the GPU has. */
REDUCE_HOST_ unsigned reduce_left_(const struct reduce_joint_ *share_) {
    const uint64_t taken_ = REDUCE_GET_(share_->taken_);
    return (unsigned)share_->cut_.count_ - (uint32_t)taken_ - (uint32_t)(taken_ >> 32);
}
REDUCE_HOST_ unsigned reduce_from_back_(const struct reduce_joint_ *share_) {
    return (unsigned)(REDUCE_GET_(share_->taken_) >> 32);
}

/* Takes up to most chunks; returns how many, 0 if none is left, and sets the number of the first one. */
REDUCE_HOST_ unsigned reduce_claim_(struct reduce_joint_ *share_, unsigned most_, bool from_back_,
                                    unsigned *first_) {
    uint64_t before_ = REDUCE_GET_(share_->taken_), after_;
    unsigned took_;
    do {
        const unsigned front_ = (uint32_t)before_, back_ = (uint32_t)(before_ >> 32);
        const unsigned left_ = (unsigned)share_->cut_.count_ - front_ - back_;
        took_ = REDUCE_MIN_(most_, left_);
        after_ = before_ + (from_back_ ? (uint64_t)took_ << 32 : took_);
        *first_ = from_back_ ? (unsigned)share_->cut_.count_ - back_ - took_ : front_;
    } while (took_ > 0 && !__atomic_compare_exchange_n(&share_->taken_, &before_, after_, false,
                                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return took_;
}

REDUCE_HOST_ size_t reduce_elements_(const struct reduce_joint_ *share_, unsigned first_, unsigned count_) {
    const size_t begin_ = first_ * share_->cut_.chunk_;
    return REDUCE_MIN_(share_->call_->n - begin_, count_ * share_->cut_.chunk_);
}

REDUCE_HOST_ char *reduce_chunk_address_(const struct reduce_joint_ *share_, size_t array_,
                                         unsigned first_) {
    const struct reduce_range_ range_ = share_->call_->arrays_[array_];
    return (char *)range_.address_ + first_ * share_->cut_.chunk_ * range_.size_;
}

/* ---- The CPU's side ------------------------------------------------------------------------------------ */

/* Nanoseconds that a chunk takes a thread of the CPU. */
REDUCE_HOST_ double reduce_chunk_takes_(const struct reduce_joint_ *share_) {
    const uint64_t reduced_ = REDUCE_GET_(share_->reduced_);
    return reduced_ == 0 ? share_->guess_ : (double)REDUCE_GET_(share_->spent_) / (double)reduced_;
}

/* The GPU's speed, in chunks a nanosecond: guessed before the call, and measured in this call. */
REDUCE_HOST_ double reduce_gpu_guess_(const struct reduce_joint_ *share_) {
    return REDUCE_GUESS_ / (double)(share_->cut_.chunk_ * share_->call_->cpu_->element_size_);
}
REDUCE_HOST_ double reduce_gpu_speed_(const struct reduce_joint_ *share_) {
    const unsigned done_ = REDUCE_GET_(share_->gpu_.done_);
    return done_ == 0 ? reduce_gpu_guess_(share_) : done_ / (double)(reduce_now_() - share_->gpu_.begin_ + 1);
}

/* The speed that the GPU may turn out to have: at first not less than the guess, because little is done then
   and much is under way. */
REDUCE_HOST_ double reduce_gpu_hope_(const struct reduce_joint_ *share_) {
    const double speed_ = reduce_gpu_speed_(share_), guess_ = reduce_gpu_guess_(share_);
    const uint64_t begin_ = REDUCE_GET_(share_->gpu_.begin_);
    const bool is_known_ = begin_ != 0 && (double)(reduce_now_() - begin_) > REDUCE_HOPE_;
    return is_known_ || speed_ > guess_ ? speed_ : guess_;
}

/* Whether a thread that starts on a chunk now is done well before the GPU could be with everything, and all
   threads are not much slower than the GPU. The caller's thread, which gives the GPU its work, must also be
   done before the GPU has none. */
REDUCE_HOST_ bool reduce_cpu_is_of_use_(const struct reduce_joint_ *share_, bool is_caller_) {
    if (share_->gpu_.reach_ == REDUCE_NOT_AT_ALL_) return true;
    const unsigned has_ = reduce_from_back_(share_) - REDUCE_GET_(share_->gpu_.done_);
    const unsigned more_ = is_caller_ && has_ > 0 ? 0 : reduce_left_(share_);
    const double meanwhile_ = reduce_chunk_takes_(share_) * reduce_gpu_hope_(share_); /* the GPU's chunks */
    return 2 * meanwhile_ <= has_ + more_ && meanwhile_ <= REDUCE_SLOWER_ * share_->threads_;
}

/* Reduces one chunk, if one is left. */
REDUCE_HOST_ bool reduce_share_reduce_(struct reduce_joint_ *share_) {
    const struct reduce_cpu_ *const cpu_ = share_->call_->cpu_;
    const uint64_t begin_ = reduce_now_();
    unsigned first_;
    if (reduce_claim_(share_, 1, false, &first_) == 0) return false;
    const size_t i = first_ * share_->cut_.chunk_, end_ = i + reduce_elements_(share_, first_, 1);
    reduce_cpu_chunk_(cpu_, share_->call_->input_, i, end_, share_->partials_ + first_ * cpu_->size_);
    REDUCE_PLUS_(share_->spent_, reduce_now_() - begin_);
    REDUCE_PLUS_(share_->reduced_, 1);
    return true;
}

/* ---- The GPU's side ------------------------------------------------------------------------------------ */

/* The first error counts. */
REDUCE_HOST_ bool reduce_share_goes_on_(struct reduce_joint_ *share_, cudaError_t status_) {
    if (status_ != cudaSuccess && share_->status_ == cudaSuccess) REDUCE_SET_(share_->status_, status_);
    return status_ == cudaSuccess;
}

/* Bytes of a chunk in a buffer: those of each array, at a multiple of 256. */
REDUCE_HOST_ size_t reduce_buffer_bytes_(const struct reduce_joint_ *share_, size_t array_, size_t chunks_) {
    const size_t bytes_ = share_->call_->arrays_[array_].size_ * share_->cut_.chunk_ * chunks_;
    return reduce_round_up_(bytes_, 256);
}
REDUCE_HOST_ size_t reduce_buffer_total_(const struct reduce_joint_ *share_, size_t chunks_) {
    size_t bytes_ = 0;
    for (size_t k = 0; k < share_->call_->count_; k++) bytes_ += reduce_buffer_bytes_(share_, k, chunks_);
    return bytes_;
}

/* Takes what the GPU needs. */
REDUCE_HOST_ cudaError_t reduce_gpu_begin_(struct reduce_joint_ *share_) {
    struct reduce_gpu_ *const gpu_ = &share_->gpu_;
    const size_t in_buffer_ = REDUCE_BUFFER_ / reduce_buffer_total_(share_, 1);
    gpu_->capacity_ = in_buffer_ > 0 ? in_buffer_ : 1;
    const size_t each_ = reduce_buffer_total_(share_, gpu_->capacity_), fit_ = REDUCE_BUFFERS_ / each_;
    const size_t wanted_ = gpu_->reach_ == REDUCE_BY_THREADS_ ? REDUCE_BATCHES_ : 4;
    const size_t count_ = gpu_->reach_ == REDUCE_IN_PLACE_ ? wanted_ : REDUCE_MIN_(wanted_, fit_);
    cudaError_t status_ = cudaMalloc((void **)&gpu_->ws_, sizeof *gpu_->ws_);
    if (status_ == cudaSuccess && gpu_->reach_ == REDUCE_BY_THREADS_)
        status_ = cudaMallocHost((void **)&gpu_->buffers_, count_ * each_);
    if (status_ == cudaSuccess && gpu_->reach_ == REDUCE_BY_CUDA_)
        status_ = cudaMalloc((void **)&gpu_->buffers_, count_ * each_);
    for (size_t k = 0; k < count_ && gpu_->buffers_ != NULL; k++)
        gpu_->batches_[k].buffer_ = gpu_->buffers_ + k * each_;
    gpu_->batches_count_ = (unsigned)count_;
    REDUCE_SET_(gpu_->is_ready_, status_ == cudaSuccess);
    return status_;
}

/* Chunks that the GPU should take at once so that both sides end together: half of what it may still take,
   as speeds change, and no long batch. The first batch is short, but may be all of it, as little work is done
   soonest in one. All that is left where the CPU is of no use. */
REDUCE_HOST_ unsigned reduce_gpu_wants_(const struct reduce_joint_ *share_) {
    const struct reduce_gpu_ *const gpu_ = &share_->gpu_;
    const double left_ = reduce_left_(share_), has_ = reduce_from_back_(share_) - gpu_->done_;
    const double speed_ = reduce_gpu_speed_(share_);
    const double others_ = share_->threads_ / reduce_chunk_takes_(share_);
    const double first_ = (double)REDUCE_FIRST_BATCH_ / (double)reduce_buffer_total_(share_, 1);
    const double most_ = gpu_->done_ > 0 ? REDUCE_LONGEST_BATCH_ * speed_ : first_;
    const double fair_ = (left_ * speed_ - has_ * others_) / (speed_ + others_);
    const bool is_first_ = gpu_->done_ == 0 && has_ == 0;
    double wants_ = is_first_ ? (fair_ > 1 ? fair_ : 1) : fair_ / 2;
    if (!reduce_cpu_is_of_use_(share_, false)) wants_ = left_;
    if (gpu_->reach_ == REDUCE_BY_CUDA_) wants_ = REDUCE_MIN_(wants_, (double)gpu_->capacity_);
    return wants_ < 1 ? 0 : (unsigned)REDUCE_MIN_(wants_, most_ + 1);
}

/* Launches a batch; where CUDA copies, after its copies. */
REDUCE_HOST_ cudaError_t reduce_batch_launch_(const struct reduce_joint_ *share_,
                                              struct reduce_batch_ *batch_) {
    const struct reduce_call_ *const call_ = share_->call_;
    char input_[REDUCE_MAX_INPUT_] __attribute__((__aligned__(64)));
    char *buffer_ = batch_->buffer_;
    cudaError_t status_ = cudaSuccess;
    if (batch_->stream_ == NULL)
        status_ = cudaStreamCreateWithFlags(&batch_->stream_, cudaStreamNonBlocking);
    memcpy(input_, call_->input_, call_->input_size_);
    for (size_t k = 0; k < call_->count_ && status_ == cudaSuccess; k++) {
        const struct reduce_range_ array_ = call_->arrays_[k];
        const size_t bytes_ = reduce_elements_(share_, batch_->first_, batch_->count_) * array_.size_;
        char *own_ = reduce_chunk_address_(share_, k, batch_->first_);
        if (share_->gpu_.reach_ == REDUCE_BY_CUDA_)
            status_ = cudaMemcpyAsync(buffer_, own_, bytes_, cudaMemcpyHostToDevice, batch_->stream_);
        own_ = buffer_ != NULL ? buffer_ : own_ + array_.where_.shift_;
        memcpy(input_ + k * sizeof own_, &own_, sizeof own_);
        if (buffer_ != NULL) buffer_ += reduce_buffer_bytes_(share_, k, share_->gpu_.capacity_);
    }
    if (status_ != cudaSuccess) return status_;
    return call_->launch_(input_, call_->n, batch_->first_, batch_->count_, share_->gpu_.ws_,
                          batch_->stream_);
}

/* cudaErrorNotReady is no error, and is not to stay behind as one. */
REDUCE_HOST_ cudaError_t reduce_batch_query_(const struct reduce_batch_ *batch_) {
    const cudaError_t status_ = cudaStreamQuery(batch_->stream_);
    if (status_ == cudaErrorNotReady && cudaPeekAtLastError() == cudaErrorNotReady) (void)cudaGetLastError();
    return status_;
}

/* What the caller's thread does for one batch, as far as it can be done now. */
REDUCE_HOST_ cudaError_t reduce_batch_drive_(struct reduce_joint_ *share_, struct reduce_batch_ *batch_) {
    unsigned state_ = REDUCE_GET_(batch_->state_);
    if (state_ == REDUCE_RUNNING_) {
        const cudaError_t status_ = reduce_batch_query_(batch_);
        if (status_ != cudaSuccess) return status_ == cudaErrorNotReady ? cudaSuccess : status_;
        REDUCE_PLUS_(share_->gpu_.done_, batch_->count_);
        REDUCE_SET_(batch_->state_, state_ = REDUCE_EMPTY_);
    }
    if (state_ == REDUCE_EMPTY_ && share_->gpu_.reach_ != REDUCE_BY_THREADS_) {
        batch_->count_ = reduce_claim_(share_, reduce_gpu_wants_(share_), true, &batch_->first_);
        if (batch_->count_ > 0) state_ = REDUCE_FULL_;
    }
    if (state_ != REDUCE_FULL_) return cudaSuccess;
    if (share_->gpu_.begin_ == 0) REDUCE_SET_(share_->gpu_.begin_, reduce_now_());
    REDUCE_SET_(batch_->state_, REDUCE_RUNNING_);
    return reduce_batch_launch_(share_, batch_);
}

/* The caller's thread, now and then. */
REDUCE_HOST_ void reduce_gpu_drive_(struct reduce_joint_ *share_) {
    struct reduce_gpu_ *const gpu_ = &share_->gpu_;
    if (gpu_->reach_ == REDUCE_NOT_AT_ALL_) return;
    if (!gpu_->is_ready_) reduce_share_goes_on_(share_, reduce_gpu_begin_(share_));
    for (unsigned k = 0; k < gpu_->batches_count_ && gpu_->is_ready_; k++)
        if (!reduce_share_goes_on_(share_, reduce_batch_drive_(share_, &gpu_->batches_[k]))) return;
}

/* Copies chunks into the buffer of a batch that is this thread's; false if none is left. */
REDUCE_HOST_ bool reduce_batch_fill_(struct reduce_joint_ *share_, struct reduce_batch_ *batch_) {
    const size_t capacity_ = share_->gpu_.capacity_;
    const unsigned took_ = reduce_claim_(share_, (unsigned)capacity_, true, &batch_->first_);
    char *to_ = batch_->buffer_;
    for (size_t k = 0; k < share_->call_->count_ && took_ > 0; k++) {
        const struct reduce_range_ array_ = share_->call_->arrays_[k];
        const size_t bytes_ = reduce_elements_(share_, batch_->first_, took_) * array_.size_;
        memcpy(to_, reduce_chunk_address_(share_, k, batch_->first_), bytes_);
        to_ += reduce_buffer_bytes_(share_, k, capacity_);
    }
    batch_->count_ = took_;
    REDUCE_SET_(batch_->state_, took_ > 0 ? (unsigned)REDUCE_FULL_ : (unsigned)REDUCE_EMPTY_);
    return took_ > 0;
}

/* Any thread: fills an empty buffer, if there is one. */
REDUCE_HOST_ bool reduce_share_copy_(struct reduce_joint_ *share_) {
    struct reduce_gpu_ *const gpu_ = &share_->gpu_;
    if (!REDUCE_GET_(gpu_->is_ready_) || gpu_->reach_ != REDUCE_BY_THREADS_) return false;
    for (unsigned k = 0; k < gpu_->batches_count_; k++) {
        unsigned empty_ = REDUCE_EMPTY_;
        if (__atomic_compare_exchange_n(&gpu_->batches_[k].state_, &empty_, (unsigned)REDUCE_FILLING_, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return reduce_batch_fill_(share_, &gpu_->batches_[k]);
    }
    return false;
}

/* A batch waits for its launch, or is being filled for it. */
REDUCE_HOST_ bool reduce_gpu_is_fed_(const struct reduce_joint_ *share_) {
    bool is_fed_ = false;
    for (unsigned k = 0; k < share_->gpu_.batches_count_; k++) {
        const unsigned state_ = REDUCE_GET_(share_->gpu_.batches_[k].state_);
        is_fed_ = is_fed_ || state_ == REDUCE_FILLING_ || state_ == REDUCE_FULL_;
    }
    return is_fed_;
}

/* ---- Together ------------------------------------------------------------------------------------------ */

/* Nothing to do just now. Threads that ask again at once would slow down the one that gives the GPU its
   work. */
REDUCE_HOST_ void reduce_rest_(bool is_caller_) {
    const struct timespec time_ = {0, 20000};
    if (is_caller_) (void)sched_yield();
    else (void)nanosleep(&time_, NULL);
}

/* One thread's work, until no chunk is left. */
REDUCE_CALLED_ void reduce_share_work_(struct reduce_joint_ *share_, bool is_caller_) {
    while (REDUCE_GET_(share_->status_) == cudaSuccess) {
        if (is_caller_) reduce_gpu_drive_(share_);
        if (reduce_share_copy_(share_)) continue;
        if (reduce_cpu_is_of_use_(share_, is_caller_) && reduce_share_reduce_(share_)) continue;
        if (reduce_left_(share_) == 0 && !(is_caller_ && reduce_gpu_is_fed_(share_))) break;
        reduce_rest_(is_caller_);
    }
}

REDUCE_HOST_ void reduce_share_by_threads_(struct reduce_joint_ *share_) {
#ifdef _OPENMP
#pragma omp parallel
    {
        bool is_caller_ = false;
#pragma omp master
        is_caller_ = true;
        reduce_share_work_(share_, is_caller_);
    }
#else
    reduce_share_work_(share_, true);
#endif
}

/* Waits for all that the GPU has begun. */
REDUCE_HOST_ cudaError_t reduce_gpu_wait_(const struct reduce_gpu_ *gpu_) {
    cudaError_t status_ = cudaSuccess;
    for (unsigned k = 0; k < gpu_->batches_count_; k++) {
        const cudaStream_t stream_ = gpu_->batches_[k].stream_;
        const cudaError_t waited_ = stream_ != NULL ? cudaStreamSynchronize(stream_) : cudaSuccess;
        if (status_ == cudaSuccess) status_ = waited_;
    }
    return status_;
}

/* Fetches the results of the GPU's chunks. There is room for as many words, which are as slots have them: a
   value's bits in the lower half. */
REDUCE_HOST_ cudaError_t reduce_gpu_fetch_(struct reduce_joint_ *share_, reduce_slot_ *words_) {
    const size_t size_ = share_->call_->cpu_->size_, count_ = reduce_from_back_(share_);
    const size_t first_ = share_->cut_.count_ - count_;
    cudaError_t status_ = cudaSuccess;
    for (size_t at_ = 0; at_ < size_ && count_ > 0 && status_ == cudaSuccess; at_ += 4) {
        reduce_slot_ *const from_ = REDUCE_WORD_(share_->gpu_.ws_->slots_ + first_, at_, size_);
        status_ = cudaMemcpy(words_, from_, count_ * sizeof *words_, cudaMemcpyDeviceToHost);
        for (size_t k = 0; k < count_ && status_ == cudaSuccess; k++) {
            const uint32_t bits_ = (uint32_t)words_[k];
            memcpy(share_->partials_ + (first_ + k) * size_ + at_, &bits_, REDUCE_MIN_(size_ - at_, 4));
        }
    }
    return status_;
}

/* Gives back all that the GPU needed. */
REDUCE_HOST_ cudaError_t reduce_gpu_end_(struct reduce_gpu_ *gpu_) {
    cudaError_t status_ = cudaSuccess;
    for (unsigned k = 0; k < gpu_->batches_count_; k++) {
        const cudaStream_t stream_ = gpu_->batches_[k].stream_;
        const cudaError_t ended_ = stream_ != NULL ? cudaStreamDestroy(stream_) : cudaSuccess;
        if (status_ == cudaSuccess) status_ = ended_;
    }
    const cudaError_t freed_ = gpu_->ws_ != NULL ? cudaFree(gpu_->ws_) : cudaSuccess;
    if (gpu_->buffers_ == NULL) return status_ ? status_ : freed_;
    const cudaError_t lost_ = gpu_->reach_ == REDUCE_BY_CUDA_ ? cudaFree(gpu_->buffers_)
                                                              : cudaFreeHost(gpu_->buffers_);
    return status_ ? status_ : freed_ ? freed_ : lost_;
}

/* The driver's library is in memory from the program's first call of CUDA on. Asking CUDA would be one. */
REDUCE_CALLED_ bool reduce_cuda_is_up_(void) {
    static unsigned is_up_; /* atomic */
    if (REDUCE_GET_(is_up_)) return true;
    void *const driver_ = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver_ != NULL) (void)dlclose(driver_);
    REDUCE_SET_(is_up_, driver_ != NULL);
    return driver_ != NULL;
}

/* Finds where the arrays lie: all in main memory? All pinned? */
REDUCE_HOST_ cudaError_t reduce_find_arrays_(const struct reduce_call_ *call_, bool *are_in_main_memory_,
                                             bool *are_pinned_) {
    cudaError_t status_ = cudaSuccess;
    *are_in_main_memory_ = *are_pinned_ = true;
    for (size_t k = 0; k < call_->count_ && status_ == cudaSuccess; k++) {
        status_ = reduce_find_(&call_->arrays_[k]);
        if (call_->arrays_[k].where_.memory_ >= REDUCE_MANAGED_) *are_in_main_memory_ = false;
        if (call_->arrays_[k].where_.memory_ != REDUCE_PINNED_) *are_pinned_ = false;
    }
    return status_;
}

/* ---- Who is to work ------------------------------------------------------------------------------------ */

/* Nanoseconds that this thread takes for count elements from the front, to reduce them. */
REDUCE_HOST_ double reduce_reducing_takes_(const struct reduce_call_ *call_, size_t count_) {
    char result_[REDUCE_MAX_SIZE] __attribute__((__aligned__(64)));
    const uint64_t begin_ = reduce_now_();
    reduce_cpu_chunk_(call_->cpu_, call_->input_, 0, count_, result_);
    return (double)(reduce_now_() - begin_);
}

/* Nanoseconds that it takes to copy so many from the back, which are in no cache yet. */
REDUCE_HOST_ double reduce_copying_takes_(const struct reduce_call_ *call_, size_t count_) {
    reduce_buffer_ buffer_;
    const uint64_t begin_ = reduce_now_();
    for (size_t k = 0; k < call_->count_; k++) {
        const struct reduce_range_ array_ = call_->arrays_[k];
        const size_t bytes_ = count_ * array_.size_;
        const char *const from_ = (const char *)array_.address_ + call_->n * array_.size_ - bytes_;
        for (size_t at_ = 0; at_ < bytes_; at_ += sizeof buffer_) {
            memcpy(buffer_, from_ + at_, REDUCE_MIN_(bytes_ - at_, sizeof buffer_));
            REDUCE_HIDE_VALUES_(buffer_);
        }
    }
    return (double)(reduce_now_() - begin_);
}

/* How fast the CPU is: nanoseconds for an element, by one thread, and whether that is much more than copying
   it takes. A small probe suffices for a costly map. For others it takes a larger one, which finds its
   elements in the cache, and one that finds them in memory: the longer time counts. */
struct reduce_pace_ { double each_; bool is_costly_; };
REDUCE_HOST_ struct reduce_pace_ reduce_pace_(const struct reduce_call_ *call_) {
    const size_t small_ = reduce_divide_up_(REDUCE_PROBE_, call_->cpu_->element_size_);
    const size_t some_ = REDUCE_MIN_(call_->n, small_), many_ = REDUCE_MIN_(call_->n, 8 * small_);
    const double costly_ = REDUCE_COSTLY_ * (double)call_->cpu_->element_size_;
    struct reduce_pace_ pace_ = {reduce_reducing_takes_(call_, some_) / (double)some_, true};
    if (pace_.each_ > costly_ || call_->n <= 64 * small_) return pace_;
    (void)reduce_reducing_takes_(call_, many_);
    const double reducing_ = reduce_reducing_takes_(call_, many_) / (double)many_;
    const double copying_ = reduce_copying_takes_(call_, 2 * many_) / (2 * (double)many_);
    pace_.is_costly_ = reducing_ > REDUCE_COPYING_FACTOR_ * copying_;
    pace_.each_ = reducing_ > copying_ ? reducing_ : copying_;
    return pace_;
}

REDUCE_HOST_ size_t reduce_bytes_(const struct reduce_call_ *call_) {
    size_t bytes_ = 0;
    for (size_t k = 0; k < call_->count_; k++) bytes_ += call_->arrays_[k].size_;
    return bytes_ * call_->n;
}

REDUCE_HOST_ double reduce_threads_(void) {
#ifdef _OPENMP
    return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
    return 1;
#endif
}

/* What the GPU does, by what the CPU alone would need. A driver that sleeps is woken if that pays. */
REDUCE_HOST_ enum reduce_reach_ reduce_reach_(struct reduce_joint_ *share_, bool is_up_, bool is_pinned_) {
    const struct reduce_pace_ pace_ = reduce_pace_(share_->call_);
    const size_t bytes_ = reduce_bytes_(share_->call_);
    const bool is_one_ = share_->cut_.count_ == 1;
    const double cpu_ = pace_.each_ * (double)share_->call_->n / (is_one_ ? 1 : share_->threads_);
    const double pays_from_ = is_pinned_ ? REDUCE_PINNED_PAYS_ : REDUCE_TRIP_PAYS_(bytes_);
    share_->guess_ = pace_.each_ * (double)share_->cut_.chunk_;
    if (cpu_ <= (is_up_ ? pays_from_ : REDUCE_WAKING_PAYS_)) return REDUCE_NOT_AT_ALL_;
    if (is_pinned_ && !is_one_) return REDUCE_IN_PLACE_;
    if (!pace_.is_costly_ || (!is_up_ && !reduce_has_gpu_())) return REDUCE_NOT_AT_ALL_;
    if (bytes_ <= REDUCE_WHOLE_) return REDUCE_AS_A_WHOLE_;
    if (2 * reduce_buffer_total_(share_, 1) > REDUCE_BUFFERS_) return REDUCE_NOT_AT_ALL_;
    return share_->threads_ > 1 ? REDUCE_BY_THREADS_ : REDUCE_BY_CUDA_;
}

/* The tree by both, over an array of several chunks. */
REDUCE_CALLED_ cudaError_t reduce_share_of_(struct reduce_joint_ *share_, void *result_) {
    const struct reduce_cpu_ *const cpu_ = share_->call_->cpu_;
    const size_t partials_ = reduce_round_up_(share_->cut_.count_ * cpu_->size_, 64);
    const size_t words_ = reduce_round_up_(share_->cut_.count_ * sizeof(reduce_slot_), 64);
    char *const memory_ = (char *)aligned_alloc(64, partials_ + words_);
    reduce_slot_ *const slots_ = (reduce_slot_ *)(void *)(memory_ + partials_);
    if (memory_ == NULL) return cudaErrorMemoryAllocation;
    share_->partials_ = memory_;
    reduce_share_by_threads_(share_);
    reduce_share_goes_on_(share_, reduce_gpu_wait_(&share_->gpu_));
    if (share_->status_ == cudaSuccess)
        reduce_share_goes_on_(share_, reduce_gpu_fetch_(share_, slots_));
    reduce_share_goes_on_(share_, reduce_gpu_end_(&share_->gpu_));
    if (share_->status_ == cudaSuccess)
        reduce_cpu_fold_partials_(cpu_, memory_, share_->cut_.count_, result_);
    free(memory_);
    return (cudaError_t)share_->status_;
}

/* The simple call if all arrays are in main memory and the CPU takes part; else false. */
REDUCE_CALLED_ bool reduce_shared_call_(const struct reduce_call_ *call_, void *result_,
                                        cudaError_t *status_) {
    const bool is_up_ = call_->n > 0 && reduce_cuda_is_up_();
    const bool had_error_ = is_up_ && cudaPeekAtLastError() != cudaSuccess;
    const bool has_gpu_ = is_up_ && reduce_has_gpu_();
    bool are_in_main_memory_ = true, are_pinned_ = false;
    struct reduce_joint_ share_;
    memset(&share_, 0, sizeof share_);
    share_.call_ = call_;
    share_.cut_ = reduce_cut_called_(call_->n, call_->cpu_->element_size_);
    share_.threads_ = reduce_threads_();
    *status_ = cudaSuccess;
    if (has_gpu_) *status_ = reduce_find_arrays_(call_, &are_in_main_memory_, &are_pinned_);
    if (!are_in_main_memory_ && *status_ == cudaSuccess) return false;
    if (has_gpu_ && *status_ == cudaSuccess) *status_ = cudaStreamSynchronize(0);
    if (*status_ != cudaSuccess) return true;
    if (call_->n > 0 && is_up_ == has_gpu_ && !had_error_)
        share_.gpu_.reach_ = reduce_reach_(&share_, is_up_, are_pinned_);
    if (share_.gpu_.reach_ == REDUCE_AS_A_WHOLE_) return false;
    if (share_.gpu_.reach_ != REDUCE_NOT_AT_ALL_) *status_ = reduce_share_of_(&share_, result_);
    else reduce_cpu_of_(call_->cpu_, call_->input_, call_->n, result_);
    return true;
}

/* cudaError_t NAME_launch_part_(...): launch_ of struct reduce_call_. */
#define REDUCE_LAUNCH_PART_(NAME)                                                                           \
    REDUCE_CALLED_ cudaError_t NAME##_launch_part_(const void *input_, size_t n, unsigned first_,           \
                                                   unsigned count_, reduce_workspace *ws_,                  \
                                                   cudaStream_t stream_) {                                  \
        const struct reduce_cut_ cut_ = reduce_cut_called_(n, NAME##_size_);                                \
        const unsigned threads_ = reduce_block_size_(n, NAME##_size_, NAME##_is_dense_);                    \
        const bool ends_ = first_ + count_ == cut_.count_;                                                  \
        NAME##_input_ in_ = *(const NAME##_input_ *)input_;                                                 \
        NAME##_result *out_ = NULL;                                                                         \
        unsigned chunk_ = (unsigned)cut_.chunk_;                                                            \
        unsigned missing_ = (unsigned)(ends_ ? cut_.count_ * cut_.chunk_ - n : 0);                          \
        struct reduce_meeting_ meeting_ = reduce_meeting_(REDUCE_TO_SLOTS_, count_);                        \
        void *arguments_[] = {&in_, &chunk_, &missing_, &meeting_, &ws_, &out_};                            \
        meeting_.first_ = first_;                                                                           \
        return cudaLaunchKernel(NAME##_kernel_, dim3(count_), dim3(threads_), arguments_, 0, stream_);      \
    }

#define REDUCE_IS_SHARED_(NAME, input, arrays, n, result, status)                                           \
    NAME##_joint_call_(input, arrays, REDUCE_COUNT_(arrays), n, result, status)

/* bool NAME_joint_call_(...): the simple call, if it is one on main memory. */
#define REDUCE_SHARE_(NAME)                                                                                 \
    REDUCE_LAUNCH_PART_(NAME)                                                                               \
    REDUCE_HOST_ bool NAME##_joint_call_(NAME##_input_ in_, struct reduce_range_ *arrays_,                  \
                                         size_t count_, size_t n, NAME##_result *result_,                   \
                                         cudaError_t *status_) {                                            \
        const struct reduce_cpu_ cpu_ = NAME##_on_cpu_();                                                   \
        const struct reduce_call_ call_ = {&cpu_, &in_, sizeof in_, arrays_, count_, n,                     \
                                           NAME##_launch_part_};                                            \
        NAME##_result x;                                                                                    \
        const bool is_done_ = reduce_shared_call_(&call_, &x, status_);                                     \
        if (is_done_ && *status_ == cudaSuccess) *result_ = NAME##_final_(x);                               \
        return is_done_;                                                                                    \
    }

#endif /* __CUDACC__ */

#endif /* REDUCE_HOST_CUH */
