/*
 * reduce_host.cuh: the simple call on main memory, by the CPU and the GPU together; a part of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 * reduce.cuh includes this file where the two lie side by side. The simple call NAME(in, n, &result) on main
 * memory then works as this manual says. The file has no function for users to call.
 *
 * WHO DOES WHAT
 *
 *   The threads of the CPU reduce chunks from the array's front. The GPU reduces chunks from its back, until
 *   the two meet. The tree does not say who reduces a chunk, so the result always has the same bits. How many
 *   chunks each side gets depends on how fast it is in this call. First the caller's thread reduces a few
 *   elements to learn its own speed, which decides whether the GPU takes part. (It leaves this out at arrays
 *   of up to 256 bytes, and at short ones, about 64 KiB, that a built-in operator reduces without a map.)
 *
 *     memory     what the GPU does
 *     pinned     If the CPU alone would be slower, it reads the array in place, over the bus. It works alone
 *                if the CPU would save no time, else together with the CPU.
 *     pageable   It takes part only if the map or the operator is costly: if reducing takes more than three
 *                times as long as copying. A costly array of up to 128 MiB is copied to the GPU as a whole,
 *                and the GPU works alone. A larger one is copied in parts. The threads of the CPU copy them
 *                into pinned buffers, from which the GPU reads. If there is one thread, CUDA copies them.
 *     other      Managed memory and device memory are for the GPU alone: see reduce.cuh.
 *
 *   With OpenMP the CPU works with as many threads as OpenMP gives. Otherwise only the caller's thread works.
 *
 *   A call on ordinary memory does not wake a driver that sleeps: if the program has not used CUDA before,
 *   the CPU works alone, unless it would need more than a second. So a first call creates no context. (The
 *   file asks dlopen whether the driver is awake. With a C library older than glibc 2.34 link with -ldl, as
 *   nvcc does without -cudart shared.)
 *
 * WHAT IT ALLOCATES
 *
 *   Everything is released when the call returns.
 *
 *     on the device   0.5 MiB, so that arrays may be larger than the device's memory. For costly maps of
 *                     pageable memory also the copy: at most 128 MiB as a whole, or 2 buffers of 4 MiB or a
 *                     chunk, at most 256 MiB.
 *     pinned memory   for costly maps of more than 128 MiB of pageable memory, with several threads: 16
 *                     buffers of 0.5 MiB or a chunk, at most 256 MiB
 *     main memory     at most 288 KiB
 *
 * ERRORS
 *
 *   A call returns the error of any CUDA call that fails, also midway, and leaves the result as it was. The
 *   CPU does not redo the GPU's chunks. cudaErrorMemoryAllocation may also mean that main memory is short.
 *   An earlier error that waits for cudaGetLastError stays. The CPU then works alone, because asking the GPU
 *   how far it is could replace that error. A kernel's fault is returned by a call that waits for the kernel:
 *   see ORDER.
 *
 * ORDER
 *
 *   Where the program uses CUDA, the call waits for the work in the default stream, which may write what the
 *   call reads. It does not wait if the CPU alone reduces ordinary memory, which no kernel can write:
 *     - CUDA knows neither the first nor the last byte of any array. (Do not register what lies between.)
 *     - The current device lacks cudaDevAttrPageableMemoryAccess.
 *     - There is no context (DEFINE_REDUCE_WITH), which may point to other memory.
 *   Then only host functions and copies by CUDA can write the elements, and kernels the managed variables
 *   that a map reads. Wait for those before the call, as before a function of C reads them.
 *
 *   Do not make the call while a stream captures: CUDA then refuses the wait, and ends the capture.
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

/* Tests define all of these at once, so that short arrays reach every part of the code. PAYS: the GPU takes
   part if the CPU alone would need more nanoseconds than that. */
#ifndef REDUCE_SHARE_OF_TESTS_
#define REDUCE_ALONE_TAKES_ 28000.            /* nanoseconds: the GPU alone, besides reading pinned memory */
#define REDUCE_TOGETHER_TAKES_ 120000.        /* nanoseconds: both together, likewise */
#define REDUCE_TOGETHER_PAYS_ 150000.         /* with a pinned array */
#define REDUCE_COPYING_PAYS_(bytes) (30000. + 0.1 * (double)(bytes)) /* copying pageable memory to the GPU */
#define REDUCE_WAKING_PAYS_ 1e9               /* waking the driver, which takes 0.2 s */
#define REDUCE_COPYING_FACTOR_ 3              /* reducing is costly above this many times copying */
#define REDUCE_GLANCE_ 256                    /* bytes that are reduced to learn whether that is costly */
#define REDUCE_PROBE_ 2048                    /* bytes that are reduced to learn the CPU's speed */
#define REDUCE_COSTLY_ 2.                     /* nanoseconds a byte: reducing is costly above this */
#define REDUCE_CHEAP_ 0.2                     /* nanoseconds a byte: it is not costly below this */
#define REDUCE_FEW_ REDUCE_GLANCE_            /* bytes in an array too short for a look */
#define REDUCE_PLAIN_TAKES_ (REDUCE_IS_MACRO_(__OPTIMIZE__) ? 0.5 : 10.) /* nanoseconds a byte: at most */
#define REDUCE_GUESS_ 50.                     /* bytes a nanosecond: the GPU's speed until it is measured */
#define REDUCE_WHOLE_ ((size_t)128 << 20)     /* bytes of the largest array that is copied as a whole */
#define REDUCE_CUDA_PART_ ((size_t)4 << 20)   /* bytes that CUDA copies at once; at least one chunk */
#define REDUCE_BUFFER_ ((size_t)1 << 19)      /* bytes in a buffer that threads fill; at least one chunk */
#define REDUCE_BUFFERS_ ((size_t)256 << 20)   /* bytes in all buffers, at most */
#define REDUCE_FIRST_BATCH_ ((size_t)4 << 20) /* bytes in a batch until the GPU's speed is measured */
#define REDUCE_LONGEST_BATCH_ 2e6             /* nanoseconds that a batch takes the GPU, at most */
#define REDUCE_SLOWER_ 16                     /* times: the CPU stops if the GPU is this much faster */
#define REDUCE_HOPE_ 1e6                      /* nanoseconds of GPU work after which its speed is known */
#endif
#define REDUCE_BATCHES_ 16
#define REDUCE_MAX_INPUT_ (2 * sizeof(void *) + REDUCE_MAX_SIZE + 64) /* bytes of a NAME_input_ */

/* ---- One call ------------------------------------------------------------------------------------------ */

/* A call of some NAME. start_ launches the NAME's kernel: see reduce.cuh. */
struct reduce_call_ {
    const struct reduce_cpu_ *cpu_;
    const void *input_;
    size_t input_size_;            /* bytes of the input */
    struct reduce_range_ *arrays_; /* at most two: the input begins with their addresses */
    size_t count_;                 /* how many arrays */
    size_t n;                      /* elements of each */
    bool is_dense_;                /* NAME_is_dense_ */
    bool is_plain_; /* a built-in operator on numbers for which CPUs have instructions, and no map */
    cudaError_t (*start_)(const void *input_, struct reduce_launch_ launch_, void *out_,
                          reduce_workspace *ws_, cudaStream_t stream_);
};

/* A batch: chunks that the GPU reduces in one launch. An empty batch has no chunks. A full one waits for its
   launch. */
enum reduce_state_ { REDUCE_EMPTY_, REDUCE_FILLING_, REDUCE_FULL_, REDUCE_RUNNING_ };
struct reduce_batch_ {
    unsigned state_; /* atomic: any thread fills a batch, the caller's thread launches it */
    unsigned first_, count_;
    char *buffer_;        /* null: the GPU reads the arrays themselves */
    cudaStream_t stream_; /* null until its first launch */
};

/* How the GPU gets at an array in main memory. */
enum reduce_reach_ {
    REDUCE_NOT_AT_ALL_, /* the CPU works alone */
    REDUCE_ALONE_,      /* the GPU works alone, in place or on a copy */
    REDUCE_IN_PLACE_,   /* the GPU reads the array over the bus */
    REDUCE_BY_THREADS_, /* the GPU reads pinned buffers, which threads of the CPU fill */
    REDUCE_BY_CUDA_     /* the GPU reads buffers on the device, which CUDA fills */
};

/* The GPU's side. Only the caller's thread calls CUDA. */
struct reduce_gpu_ {
    enum reduce_reach_ reach_;
    reduce_workspace *ws_;
    char *buffers_;
    size_t capacity_;        /* chunks in a buffer */
    unsigned batches_count_; /* batches that are in use */
    unsigned done_;          /* atomic: chunks that the GPU has reduced */
    uint64_t begin_;         /* atomic: when its first batch was launched */
    unsigned is_ready_;      /* atomic: everything is allocated */
    struct reduce_batch_ batches_[REDUCE_BATCHES_];
};

/* The work of one call. partials has a T for each chunk. */
struct reduce_work_ {
    const struct reduce_call_ *call_;
    struct reduce_cut_ cut_;
    char *partials_;
    uint64_t claimed_; /* atomic: chunks from the front, and in the upper half those from the back */
    uint64_t spent_;   /* atomic: nanoseconds that the CPU's threads have spent on their chunks */
    uint64_t reduced_; /* atomic: how many chunks these were */
    double guess_;     /* nanoseconds for a chunk by one thread, until they are measured */
    double threads_;   /* of the CPU */
    unsigned status_;  /* atomic: the first error of CUDA; then all threads stop */
    struct reduce_gpu_ gpu_;
};

#define REDUCE_ATOMIC_LOAD_(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define REDUCE_ATOMIC_STORE_(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELEASE)
#define REDUCE_ATOMIC_ADD_(place, value) __atomic_fetch_add(&(place), value, __ATOMIC_ACQ_REL)

/* Nanoseconds since some moment. */
REDUCE_FRAME_ uint64_t reduce_now_(void) {
    struct timespec now_;
    clock_gettime(CLOCK_MONOTONIC, &now_);
    return (uint64_t)now_.tv_sec * 1000000000 + (uint64_t)now_.tv_nsec;
}

/* How many chunks nobody has claimed, and how many the GPU has. */
REDUCE_FRAME_ unsigned reduce_left_(const struct reduce_work_ *work_) {
    const uint64_t claimed_ = REDUCE_ATOMIC_LOAD_(work_->claimed_);
    return (unsigned)work_->cut_.count_ - (uint32_t)claimed_ - (uint32_t)(claimed_ >> 32);
}
REDUCE_FRAME_ unsigned reduce_from_back_(const struct reduce_work_ *work_) {
    return (unsigned)(REDUCE_ATOMIC_LOAD_(work_->claimed_) >> 32);
}

/* Claims up to most chunks from the front or the back. Returns how many, and sets the first one's number. */
REDUCE_FRAME_ unsigned reduce_claim_(struct reduce_work_ *work_, unsigned most_, bool from_back_,
                                     unsigned *first_) {
    uint64_t before_ = REDUCE_ATOMIC_LOAD_(work_->claimed_), after_;
    unsigned claimed_;
    do {
        const unsigned front_ = (uint32_t)before_, back_ = (uint32_t)(before_ >> 32);
        const unsigned left_ = (unsigned)work_->cut_.count_ - front_ - back_;
        claimed_ = REDUCE_MIN_(most_, left_);
        after_ = before_ + (from_back_ ? (uint64_t)claimed_ << 32 : claimed_);
        *first_ = from_back_ ? (unsigned)work_->cut_.count_ - back_ - claimed_ : front_;
    } while (claimed_ > 0 && !__atomic_compare_exchange_n(&work_->claimed_, &before_, after_, false,
                                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return claimed_;
}

/* Bytes in all arrays. */
REDUCE_FRAME_ size_t reduce_bytes_(const struct reduce_call_ *call_) {
    size_t bytes_ = 0;
    for (size_t k = 0; k < call_->count_; k++) bytes_ += call_->arrays_[k].size_;
    return bytes_ * call_->n;
}

/* How many elements these chunks have. */
REDUCE_FRAME_ size_t reduce_elements_(const struct reduce_work_ *work_, unsigned first_, unsigned count_) {
    const size_t begin_ = first_ * work_->cut_.chunk_;
    return REDUCE_MIN_(work_->call_->n - begin_, count_ * work_->cut_.chunk_);
}

/* Where a chunk begins in one of the arrays. */
REDUCE_FRAME_ char *reduce_chunk_address_(const struct reduce_work_ *work_, size_t array_,
                                          unsigned first_) {
    const struct reduce_range_ range_ = work_->call_->arrays_[array_];
    return (char *)range_.address_ + first_ * work_->cut_.chunk_ * range_.size_;
}

/* ---- The CPU's side ------------------------------------------------------------------------------------ */

/* Nanoseconds that a thread of the CPU needs for a chunk. */
REDUCE_FRAME_ double reduce_chunk_takes_(const struct reduce_work_ *work_) {
    const uint64_t reduced_ = REDUCE_ATOMIC_LOAD_(work_->reduced_);
    return reduced_ == 0 ? work_->guess_ : (double)REDUCE_ATOMIC_LOAD_(work_->spent_) / (double)reduced_;
}

/* The GPU's speed, in chunks a nanosecond: guessed before the call, and measured in this call. */
REDUCE_FRAME_ double reduce_gpu_guess_(const struct reduce_work_ *work_) {
    return REDUCE_GUESS_ / (double)(work_->cut_.chunk_ * work_->call_->cpu_->element_size_);
}
REDUCE_FRAME_ double reduce_gpu_speed_(const struct reduce_work_ *work_) {
    const unsigned done_ = REDUCE_ATOMIC_LOAD_(work_->gpu_.done_);
    return done_ == 0 ? reduce_gpu_guess_(work_) : done_ / (double)(reduce_now_() - work_->gpu_.begin_ + 1);
}

/* The speed that the GPU may turn out to have: at first not less than the guess, because little is done then
   and much is under way. */
REDUCE_FRAME_ double reduce_gpu_hope_(const struct reduce_work_ *work_) {
    const double speed_ = reduce_gpu_speed_(work_), guess_ = reduce_gpu_guess_(work_);
    const uint64_t begin_ = REDUCE_ATOMIC_LOAD_(work_->gpu_.begin_);
    const bool is_known_ = begin_ != 0 && (double)(reduce_now_() - begin_) > REDUCE_HOPE_;
    return is_known_ || speed_ > guess_ ? speed_ : guess_;
}

/* Whether a thread should reduce a chunk now: it would be done well before the GPU could be done with all
   chunks, and all threads together are not much slower than the GPU. The caller's thread, which launches the
   batches, must also be done before the GPU runs out of work. */
REDUCE_FRAME_ bool reduce_cpu_is_of_use_(const struct reduce_work_ *work_, bool is_caller_) {
    if (work_->gpu_.reach_ == REDUCE_NOT_AT_ALL_) return true;
    const unsigned has_ = reduce_from_back_(work_) - REDUCE_ATOMIC_LOAD_(work_->gpu_.done_);
    const unsigned more_ = is_caller_ && has_ > 0 ? 0 : reduce_left_(work_);
    const double meanwhile_ = reduce_chunk_takes_(work_) * reduce_gpu_hope_(work_); /* the GPU's chunks */
    return 2 * meanwhile_ <= has_ + more_ && meanwhile_ <= REDUCE_SLOWER_ * work_->threads_;
}

/* Reduces one chunk. False if none is left. */
REDUCE_FRAME_ bool reduce_cpu_reduces_(struct reduce_work_ *work_) {
    const struct reduce_cpu_ *const cpu_ = work_->call_->cpu_;
    const uint64_t begin_ = reduce_now_();
    unsigned first_;
    if (reduce_claim_(work_, 1, false, &first_) == 0) return false;
    const size_t i = first_ * work_->cut_.chunk_, end_ = i + reduce_elements_(work_, first_, 1);
    reduce_cpu_chunk_(cpu_, work_->call_->input_, i, end_, work_->partials_ + first_ * cpu_->size_);
    REDUCE_ATOMIC_ADD_(work_->spent_, reduce_now_() - begin_);
    REDUCE_ATOMIC_ADD_(work_->reduced_, 1);
    return true;
}

/* ---- The GPU's side ------------------------------------------------------------------------------------ */

/* Notes a status, if it is the first error. Returns true if it is none. */
REDUCE_FRAME_ bool reduce_note_status_(struct reduce_work_ *work_, cudaError_t status_) {
    if (status_ != cudaSuccess && work_->status_ == cudaSuccess)
        REDUCE_ATOMIC_STORE_(work_->status_, status_);
    return status_ == cudaSuccess;
}

/* Bytes that chunks of one array take in a buffer, where each array begins at a multiple of 256; bytes of all
   arrays. */
REDUCE_FRAME_ size_t reduce_buffer_bytes_(const struct reduce_work_ *work_, size_t array_, size_t chunks_) {
    const size_t bytes_ = work_->call_->arrays_[array_].size_ * work_->cut_.chunk_ * chunks_;
    return reduce_round_up_(bytes_, 256);
}
REDUCE_FRAME_ size_t reduce_buffer_total_(const struct reduce_work_ *work_, size_t chunks_) {
    size_t bytes_ = 0;
    for (size_t k = 0; k < work_->call_->count_; k++) bytes_ += reduce_buffer_bytes_(work_, k, chunks_);
    return bytes_;
}

/* Allocates what the GPU needs. */
REDUCE_FRAME_ cudaError_t reduce_gpu_begin_(struct reduce_work_ *work_) {
    struct reduce_gpu_ *const gpu_ = &work_->gpu_;
    const bool by_cuda_ = gpu_->reach_ == REDUCE_BY_CUDA_;
    const size_t bytes_ = by_cuda_ ? REDUCE_CUDA_PART_ : REDUCE_BUFFER_;
    const size_t in_buffer_ = bytes_ / reduce_buffer_total_(work_, 1);
    gpu_->capacity_ = in_buffer_ > 0 ? in_buffer_ : 1;
    const size_t each_ = reduce_buffer_total_(work_, gpu_->capacity_), fit_ = REDUCE_BUFFERS_ / each_;
    const size_t others_ = gpu_->reach_ == REDUCE_IN_PLACE_ ? 4 : REDUCE_MIN_(REDUCE_BATCHES_, fit_);
    const size_t count_ = by_cuda_ ? 2 : others_;
    cudaError_t status_ = cudaMalloc((void **)&gpu_->ws_, sizeof *gpu_->ws_);
    if (status_ == cudaSuccess && gpu_->reach_ == REDUCE_BY_THREADS_)
        status_ = cudaMallocHost((void **)&gpu_->buffers_, count_ * each_);
    if (status_ == cudaSuccess && by_cuda_)
        status_ = cudaMalloc((void **)&gpu_->buffers_, count_ * each_);
    for (size_t k = 0; k < count_ && gpu_->buffers_ != NULL; k++)
        gpu_->batches_[k].buffer_ = gpu_->buffers_ + k * each_;
    gpu_->batches_count_ = (unsigned)count_;
    REDUCE_ATOMIC_STORE_(gpu_->is_ready_, status_ == cudaSuccess);
    return status_;
}

/* How many chunks the next batch should have so that both sides end together: half of the GPU's fair share of
   what is left, because speeds change, and never a long batch. The first batch is short, but may be the whole
   fair share, because one batch is the fastest for little work. If the CPU is of no use: all that is left. */
REDUCE_FRAME_ unsigned reduce_gpu_wants_(const struct reduce_work_ *work_) {
    const struct reduce_gpu_ *const gpu_ = &work_->gpu_;
    const double left_ = reduce_left_(work_), has_ = reduce_from_back_(work_) - gpu_->done_;
    const double speed_ = reduce_gpu_speed_(work_);
    const double others_ = work_->threads_ / reduce_chunk_takes_(work_);
    const double first_ = (double)REDUCE_FIRST_BATCH_ / (double)reduce_buffer_total_(work_, 1);
    const double most_ = gpu_->done_ > 0 ? REDUCE_LONGEST_BATCH_ * speed_ : first_;
    const double fair_ = (left_ * speed_ - has_ * others_) / (speed_ + others_);
    const bool is_first_ = gpu_->done_ == 0 && has_ == 0;
    double wants_ = is_first_ ? (fair_ > 1 ? fair_ : 1) : fair_ / 2;
    if (!reduce_cpu_is_of_use_(work_, false)) wants_ = left_;
    if (gpu_->reach_ == REDUCE_BY_CUDA_) wants_ = REDUCE_MIN_(wants_, (double)gpu_->capacity_);
    return wants_ < 1 ? 0 : (unsigned)REDUCE_MIN_(wants_, most_ + 1);
}

/* The launch that reduces a batch into slots of the workspace. Its input begins with pointers to the first
   elements of the batch. */
REDUCE_FRAME_ struct reduce_launch_ reduce_batch_as_launch_(const struct reduce_work_ *work_,
                                                            const struct reduce_batch_ *batch_) {
    const struct reduce_call_ *const call_ = work_->call_;
    struct reduce_launch_ launch_ = reduce_launch_(call_->n, call_->cpu_->element_size_, call_->is_dense_,
                                                   REDUCE_TO_SLOTS_);
    if (batch_->first_ + batch_->count_ != launch_.blocks_) launch_.missing_ = 0;
    launch_.blocks_ = batch_->count_;
    launch_.meeting_ = reduce_meeting_(REDUCE_TO_SLOTS_, batch_->count_);
    launch_.meeting_.first_ = batch_->first_;
    return launch_;
}

/* Launches a batch, after its copies where CUDA copies. */
REDUCE_FRAME_ cudaError_t reduce_batch_launch_(const struct reduce_work_ *work_,
                                               struct reduce_batch_ *batch_) {
    const struct reduce_call_ *const call_ = work_->call_;
    char input_[REDUCE_MAX_INPUT_] __attribute__((__aligned__(64)));
    char *buffer_ = batch_->buffer_;
    cudaError_t status_ = cudaSuccess;
    if (batch_->stream_ == NULL)
        status_ = cudaStreamCreateWithFlags(&batch_->stream_, cudaStreamNonBlocking);
    memcpy(input_, call_->input_, call_->input_size_);
    for (size_t k = 0; k < call_->count_ && status_ == cudaSuccess; k++) {
        const struct reduce_range_ array_ = call_->arrays_[k];
        const size_t bytes_ = reduce_elements_(work_, batch_->first_, batch_->count_) * array_.size_;
        char *own_ = reduce_chunk_address_(work_, k, batch_->first_);
        if (work_->gpu_.reach_ == REDUCE_BY_CUDA_)
            status_ = cudaMemcpyAsync(buffer_, own_, bytes_, cudaMemcpyHostToDevice, batch_->stream_);
        own_ = buffer_ != NULL ? buffer_ : own_ + array_.where_.shift_;
        memcpy(input_ + k * sizeof own_, &own_, sizeof own_);
        if (buffer_ != NULL) buffer_ += reduce_buffer_bytes_(work_, k, work_->gpu_.capacity_);
    }
    if (status_ != cudaSuccess) return status_;
    return call_->start_(input_, reduce_batch_as_launch_(work_, batch_), NULL, work_->gpu_.ws_,
                         batch_->stream_);
}

/* cudaErrorNotReady is no error: cudaGetLastError must not return it later. */
REDUCE_FRAME_ cudaError_t reduce_batch_query_(const struct reduce_batch_ *batch_) {
    const cudaError_t status_ = cudaStreamQuery(batch_->stream_);
    if (status_ == cudaErrorNotReady && cudaPeekAtLastError() == cudaErrorNotReady) (void)cudaGetLastError();
    return status_;
}

/* The caller's thread takes one batch as far as it can go now: it notes its end, fills it, launches it. */
REDUCE_FRAME_ cudaError_t reduce_batch_drive_(struct reduce_work_ *work_, struct reduce_batch_ *batch_) {
    unsigned state_ = REDUCE_ATOMIC_LOAD_(batch_->state_);
    if (state_ == REDUCE_RUNNING_) {
        const cudaError_t status_ = reduce_batch_query_(batch_);
        if (status_ != cudaSuccess) return status_ == cudaErrorNotReady ? cudaSuccess : status_;
        REDUCE_ATOMIC_ADD_(work_->gpu_.done_, batch_->count_);
        REDUCE_ATOMIC_STORE_(batch_->state_, state_ = REDUCE_EMPTY_);
    }
    if (state_ == REDUCE_EMPTY_ && work_->gpu_.reach_ != REDUCE_BY_THREADS_) {
        batch_->count_ = reduce_claim_(work_, reduce_gpu_wants_(work_), true, &batch_->first_);
        if (batch_->count_ > 0) state_ = REDUCE_FULL_;
    }
    if (state_ != REDUCE_FULL_) return cudaSuccess;
    if (work_->gpu_.begin_ == 0) REDUCE_ATOMIC_STORE_(work_->gpu_.begin_, reduce_now_());
    REDUCE_ATOMIC_STORE_(batch_->state_, REDUCE_RUNNING_);
    return reduce_batch_launch_(work_, batch_);
}

/* The caller's thread looks after all batches; it calls this between its own chunks. */
REDUCE_FRAME_ void reduce_gpu_drive_(struct reduce_work_ *work_) {
    struct reduce_gpu_ *const gpu_ = &work_->gpu_;
    if (gpu_->reach_ == REDUCE_NOT_AT_ALL_) return;
    if (!gpu_->is_ready_) reduce_note_status_(work_, reduce_gpu_begin_(work_));
    for (unsigned k = 0; k < gpu_->batches_count_ && gpu_->is_ready_; k++)
        if (!reduce_note_status_(work_, reduce_batch_drive_(work_, &gpu_->batches_[k]))) return;
}

/* Claims chunks for a batch of this thread, and copies them into its buffer. False if none is left. */
REDUCE_FRAME_ bool reduce_batch_fill_(struct reduce_work_ *work_, struct reduce_batch_ *batch_) {
    const size_t capacity_ = work_->gpu_.capacity_;
    const unsigned claimed_ = reduce_claim_(work_, (unsigned)capacity_, true, &batch_->first_);
    char *to_ = batch_->buffer_;
    for (size_t k = 0; k < work_->call_->count_ && claimed_ > 0; k++) {
        const struct reduce_range_ array_ = work_->call_->arrays_[k];
        const size_t bytes_ = reduce_elements_(work_, batch_->first_, claimed_) * array_.size_;
        memcpy(to_, reduce_chunk_address_(work_, k, batch_->first_), bytes_);
        to_ += reduce_buffer_bytes_(work_, k, capacity_);
    }
    batch_->count_ = claimed_;
    REDUCE_ATOMIC_STORE_(batch_->state_, claimed_ > 0 ? (unsigned)REDUCE_FULL_ : (unsigned)REDUCE_EMPTY_);
    return claimed_ > 0;
}

/* Any thread: fills the buffer of an empty batch. False if there was nothing to do. */
REDUCE_FRAME_ bool reduce_cpu_copies_(struct reduce_work_ *work_) {
    struct reduce_gpu_ *const gpu_ = &work_->gpu_;
    if (!REDUCE_ATOMIC_LOAD_(gpu_->is_ready_) || gpu_->reach_ != REDUCE_BY_THREADS_) return false;
    for (unsigned k = 0; k < gpu_->batches_count_; k++) {
        unsigned empty_ = REDUCE_EMPTY_;
        if (__atomic_compare_exchange_n(&gpu_->batches_[k].state_, &empty_, (unsigned)REDUCE_FILLING_, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return reduce_batch_fill_(work_, &gpu_->batches_[k]);
    }
    return false;
}

/* Whether some batch waits for its launch, or is being filled. */
REDUCE_FRAME_ bool reduce_gpu_is_fed_(const struct reduce_work_ *work_) {
    bool is_fed_ = false;
    for (unsigned k = 0; k < work_->gpu_.batches_count_; k++) {
        const unsigned state_ = REDUCE_ATOMIC_LOAD_(work_->gpu_.batches_[k].state_);
        is_fed_ = is_fed_ || state_ == REDUCE_FILLING_ || state_ == REDUCE_FULL_;
    }
    return is_fed_;
}

/* ---- Together ------------------------------------------------------------------------------------------ */

/* A thread has nothing to do just now. If it asked again at once it would slow down the caller's thread,
   which launches the batches. */
REDUCE_FRAME_ void reduce_rest_(bool is_caller_) {
    const struct timespec time_ = {0, 20000};
    if (is_caller_) (void)sched_yield();
    else (void)nanosleep(&time_, NULL);
}

/* One thread works until no chunk is left. */
REDUCE_FRAME_ void reduce_thread_works_(struct reduce_work_ *work_, bool is_caller_) {
    while (REDUCE_ATOMIC_LOAD_(work_->status_) == cudaSuccess) {
        if (is_caller_) reduce_gpu_drive_(work_);
        if (reduce_cpu_copies_(work_)) continue;
        if (reduce_cpu_is_of_use_(work_, is_caller_) && reduce_cpu_reduces_(work_)) continue;
        if (reduce_left_(work_) == 0 && !(is_caller_ && reduce_gpu_is_fed_(work_))) break;
        reduce_rest_(is_caller_);
    }
}

/* All threads work, if they are of use. Threads that sleep take long to wake. */
#pragma push_macro("parallel")
#undef parallel
REDUCE_FRAME_ void reduce_work_by_threads_(struct reduce_work_ *work_) {
#ifdef _OPENMP
    const bool are_of_use_ = work_->gpu_.reach_ == REDUCE_BY_THREADS_ || reduce_cpu_is_of_use_(work_, false);
#pragma omp parallel if (are_of_use_)
    reduce_thread_works_(work_, omp_get_thread_num() == 0);
#else
    reduce_thread_works_(work_, true);
#endif
}
#pragma pop_macro("parallel")

/* Waits for all batches. */
REDUCE_FRAME_ cudaError_t reduce_gpu_wait_(const struct reduce_gpu_ *gpu_) {
    cudaError_t status_ = cudaSuccess;
    for (unsigned k = 0; k < gpu_->batches_count_; k++) {
        const cudaStream_t stream_ = gpu_->batches_[k].stream_;
        const cudaError_t waited_ = stream_ != NULL ? cudaStreamSynchronize(stream_) : cudaSuccess;
        status_ = reduce_first_error_(status_, waited_);
    }
    return status_;
}

/* Fetches the results of the GPU's chunks from their slots. A slot's word has a value's bits in its lower
   half. words is memory for a word of each chunk. */
REDUCE_FRAME_ cudaError_t reduce_gpu_fetch_(struct reduce_work_ *work_, reduce_slot_ *words_) {
    const size_t size_ = work_->call_->cpu_->size_, count_ = reduce_from_back_(work_);
    const size_t first_ = work_->cut_.count_ - count_;
    cudaError_t status_ = cudaSuccess;
    for (size_t at_ = 0; at_ < size_ && count_ > 0 && status_ == cudaSuccess; at_ += 4) {
        reduce_slot_ *const from_ = REDUCE_WORD_(work_->gpu_.ws_->slots_ + first_, at_, size_);
        status_ = cudaMemcpy(words_, from_, count_ * sizeof *words_, cudaMemcpyDeviceToHost);
        for (size_t k = 0; k < count_ && status_ == cudaSuccess; k++) {
            const uint32_t bits_ = (uint32_t)words_[k];
            memcpy(work_->partials_ + (first_ + k) * size_ + at_, &bits_, REDUCE_MIN_(size_ - at_, 4));
        }
    }
    return status_;
}

/* Releases what reduce_gpu_begin_ has allocated, and the batches' streams. */
REDUCE_FRAME_ cudaError_t reduce_gpu_end_(struct reduce_gpu_ *gpu_) {
    cudaError_t status_ = cudaSuccess;
    for (unsigned k = 0; k < gpu_->batches_count_; k++) {
        const cudaStream_t stream_ = gpu_->batches_[k].stream_;
        const cudaError_t ended_ = stream_ != NULL ? cudaStreamDestroy(stream_) : cudaSuccess;
        status_ = reduce_first_error_(status_, ended_);
    }
    const cudaError_t freed_ = gpu_->ws_ != NULL ? cudaFree(gpu_->ws_) : cudaSuccess;
    status_ = reduce_first_error_(status_, freed_);
    if (gpu_->buffers_ == NULL) return status_;
    const cudaError_t lost_ = gpu_->reach_ == REDUCE_BY_CUDA_ ? cudaFree(gpu_->buffers_)
                                                              : cudaFreeHost(gpu_->buffers_);
    return reduce_first_error_(status_, lost_);
}

/* How many loads of libraries there were so far. <link.h> has these declarations, and thousands of macros
   of <elf.h>. */
struct dl_phdr_info;
extern "C" int dl_iterate_phdr(int (*)(struct dl_phdr_info *, size_t, void *), void *);
struct reduce_library_ {
    uintptr_t address_;
    const void *name_, *headers_;
    uint16_t headers_count_;
    unsigned long long loads_; /* of the program */
};
REDUCE_CALLED_ int reduce_see_loads_(struct dl_phdr_info *library_, size_t size_, void *loads_) {
    (void)size_;
    *(unsigned long long *)loads_ = ((const struct reduce_library_ *)(const void *)library_)->loads_;
    return 1; /* asks for no other library */
}
REDUCE_FRAME_ unsigned long long reduce_loads_(void) {
    unsigned long long loads_ = 0;
    (void)dl_iterate_phdr(reduce_see_loads_, &loads_);
    return loads_;
}

/* Whether the program has used CUDA: the driver's library is in memory from the first CUDA call on. Asking
   CUDA itself would be such a call. dlopen looks on the disk for a library that is not in memory, which takes
   20 us: it is asked again only after a library has been loaded. */
REDUCE_FRAME_ bool reduce_cuda_is_up_(void) {
    static unsigned is_up_;               /* atomic */
    static unsigned long long asked_for_; /* atomic: how many loads there were when dlopen found nothing */
    if (REDUCE_ATOMIC_LOAD_(is_up_)) return true;
    const unsigned long long loads_ = reduce_loads_();
    if (REDUCE_ATOMIC_LOAD_(asked_for_) == loads_) return false;
    void *const driver_ = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver_ == NULL) {
        REDUCE_ATOMIC_STORE_(asked_for_, loads_);
        return false;
    }
    (void)dlclose(driver_);
    REDUCE_ATOMIC_STORE_(is_up_, true);
    return true;
}

/* Finds where the arrays lie: all in main memory? All pinned? */
REDUCE_FRAME_ cudaError_t reduce_find_arrays_(const struct reduce_call_ *call_, bool *are_in_main_memory_,
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

/* Whether arrays end in the kind of memory in which they begin. */
REDUCE_FRAME_ cudaError_t reduce_find_ends_(const struct reduce_call_ *call_, bool *are_alike_) {
    cudaError_t status_ = cudaSuccess;
    *are_alike_ = true;
    for (size_t k = 0; k < call_->count_ && status_ == cudaSuccess; k++) {
        const struct reduce_where_ *const begin_ = &call_->arrays_[k].where_;
        struct reduce_where_ end_;
        status_ = reduce_find_end_(&call_->arrays_[k], &end_);
        if (end_.memory_ != begin_->memory_) *are_alike_ = false;
        if (end_.memory_ == REDUCE_PINNED_ && end_.shift_ != begin_->shift_) *are_alike_ = false;
    }
    return status_;
}

/* ---- Who works ----------------------------------------------------------------------------------------- */

/* Nanoseconds that this thread needs to reduce count elements from the front. */
REDUCE_FRAME_ double reduce_reducing_takes_(const struct reduce_call_ *call_, size_t count_) {
    char result_[REDUCE_MAX_SIZE] __attribute__((__aligned__(64)));
    const uint64_t begin_ = reduce_now_();
    reduce_cpu_chunk_(call_->cpu_, call_->input_, 0, count_, result_);
    return (double)(reduce_now_() - begin_);
}

/* Nanoseconds that it needs to copy count elements from the back, which are in no cache yet. */
REDUCE_FRAME_ double reduce_copying_takes_(const struct reduce_call_ *call_, size_t count_) {
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

/* Reduces as many bytes, and says how many elements these are and how many nanoseconds that took. What seems
   costly is reduced once more: the first time may include the loading of code. */
struct reduce_probe_ { double count_, takes_; };
REDUCE_FRAME_ struct reduce_probe_ reduce_probe_(const struct reduce_call_ *call_, size_t bytes_) {
    const size_t count_ = REDUCE_MIN_(call_->n, reduce_divide_up_(bytes_, call_->cpu_->element_size_));
    const double costly_ = REDUCE_COSTLY_ * (double)(call_->cpu_->element_size_ * count_);
    const double takes_ = reduce_reducing_takes_(call_, count_);
    const double again_ = takes_ > costly_ ? reduce_reducing_takes_(call_, count_) : takes_;
    const struct reduce_probe_ probe_ = {(double)count_, REDUCE_MIN_(takes_, again_)};
    return probe_;
}

/* How fast the CPU is: nanoseconds for an element by one thread, and whether that is much longer than copying
   it. A short look shows a costly map. A longer probe is more precise, if all takes longer than enough
   nanoseconds an element. The difference of the two leaves out what a call takes for any number of elements:
   where it shows that the map is cheap, this is enough for pageable memory. The longest probe finds its
   elements in the cache, and a copy finds them in memory: the longer time counts. */
struct reduce_pace_ { double each_; bool is_costly_; };
REDUCE_FRAME_ struct reduce_pace_ reduce_pace_(const struct reduce_call_ *call_, double enough_,
                                               bool is_pinned_) {
    const double size_ = (double)call_->cpu_->element_size_;
    const size_t many_ = reduce_divide_up_(8 * REDUCE_PROBE_, call_->cpu_->element_size_);
    const struct reduce_probe_ glance_ = reduce_probe_(call_, REDUCE_GLANCE_);
    struct reduce_probe_ probe_ = glance_;
    struct reduce_pace_ pace_ = {glance_.takes_ / glance_.count_, true};
    if (pace_.each_ > REDUCE_COSTLY_ * size_) return pace_;
    if (pace_.each_ > enough_) probe_ = reduce_probe_(call_, REDUCE_PROBE_);
    pace_.each_ = probe_.takes_ / probe_.count_;
    pace_.is_costly_ = pace_.each_ > REDUCE_COSTLY_ * size_;
    if (pace_.is_costly_ || pace_.each_ <= enough_ || call_->n <= 8 * many_) return pace_;
    const double added_ = (probe_.takes_ - glance_.takes_) / (probe_.count_ - glance_.count_);
    if (!is_pinned_ && added_ < REDUCE_CHEAP_ * size_) return pace_;
    (void)reduce_reducing_takes_(call_, many_);
    const double reducing_ = reduce_reducing_takes_(call_, many_) / (double)many_;
    const double copying_ = reduce_copying_takes_(call_, 2 * many_) / (2 * (double)many_);
    pace_.is_costly_ = reducing_ > REDUCE_COPYING_FACTOR_ * copying_;
    pace_.each_ = reducing_ > copying_ ? reducing_ : copying_;
    return pace_;
}

/* How many threads of the CPU work. */
REDUCE_FRAME_ double reduce_threads_(void) {
#ifdef _OPENMP
    return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
    return 1;
#endif
}

/* What the GPU does with a pinned array, for which the CPU alone needs cpu nanoseconds: what is fastest. */
REDUCE_FRAME_ enum reduce_reach_ reduce_reach_pinned_(const struct reduce_call_ *call_, double cpu_) {
    const double reading_ = (double)reduce_bytes_(call_) / REDUCE_GUESS_;
    const double alone_ = REDUCE_ALONE_TAKES_ + reading_;
    const double together_ = REDUCE_TOGETHER_TAKES_ + 1 / (1 / reading_ + 1 / cpu_);
    if (cpu_ <= REDUCE_TOGETHER_PAYS_) return cpu_ <= alone_ ? REDUCE_NOT_AT_ALL_ : REDUCE_ALONE_;
    return together_ <= alone_ ? REDUCE_IN_PLACE_ : REDUCE_ALONE_;
}

/* What the GPU does with a costly array in pageable memory. */
REDUCE_FRAME_ enum reduce_reach_ reduce_reach_costly_(const struct reduce_work_ *work_) {
    if (reduce_bytes_(work_->call_) <= REDUCE_WHOLE_) return REDUCE_ALONE_;
    if (2 * reduce_buffer_total_(work_, 1) > REDUCE_BUFFERS_) return REDUCE_NOT_AT_ALL_;
    return work_->threads_ > 1 ? REDUCE_BY_THREADS_ : REDUCE_BY_CUDA_;
}

/* Whether there is a GPU, in a program that has not used CUDA. If CUDA fails, the CPU does the work. */
REDUCE_FRAME_ bool reduce_wakes_gpu_(void) {
    cudaError_t failed_;
    const bool has_gpu_ = reduce_has_gpu_(&failed_);
    if (failed_ != cudaSuccess) (void)cudaGetLastError();
    return has_gpu_;
}

/* Decides what the GPU does by the time that the CPU alone would need, where a thread has count elements. No
   speed is measured where none would change the decision. Wakes the driver if that pays. */
REDUCE_FRAME_ enum reduce_reach_ reduce_reach_(struct reduce_work_ *work_, bool is_up_, bool is_pinned_) {
    const struct reduce_call_ *const call_ = work_->call_;
    const double pays_ = is_pinned_ ? REDUCE_MIN_(REDUCE_TOGETHER_PAYS_, REDUCE_ALONE_TAKES_)
                         : is_up_   ? REDUCE_COPYING_PAYS_(reduce_bytes_(call_))
                                    : REDUCE_WAKING_PAYS_;
    const double count_ = (double)call_->n / (work_->cut_.count_ == 1 ? 1 : work_->threads_);
    const size_t size_ = call_->cpu_->element_size_;
    const double plain_ = REDUCE_PLAIN_TAKES_ * (double)size_ * count_;
    if (call_->n * size_ <= REDUCE_FEW_ || (call_->is_plain_ && plain_ < pays_)) return REDUCE_NOT_AT_ALL_;
    const struct reduce_pace_ pace_ = reduce_pace_(call_, pays_ / count_, is_pinned_);
    work_->guess_ = pace_.each_ * (double)work_->cut_.chunk_;
    if (pace_.each_ * count_ <= pays_) return REDUCE_NOT_AT_ALL_;
    if (is_pinned_) return reduce_reach_pinned_(call_, pace_.each_ * count_);
    if (!pace_.is_costly_ || (!is_up_ && !reduce_wakes_gpu_())) return REDUCE_NOT_AT_ALL_;
    return reduce_reach_costly_(work_);
}

/* The GPU can read pinned arrays in place: makes the input begin with the addresses that they have there, so
   that nothing is left to be copied. */
REDUCE_FRAME_ void reduce_read_in_place_(const struct reduce_call_ *call_, void *input_) {
    for (size_t k = 0; k < call_->count_; k++) {
        struct reduce_range_ *const array_ = &call_->arrays_[k];
        char *const there_ = (char *)array_->address_ + array_->where_.shift_;
        memcpy((char *)input_ + k * sizeof there_, &there_, sizeof there_);
        array_->count_ = 0;
    }
}

/* Reduces an array of several chunks by CPU and GPU. */
REDUCE_FRAME_ cudaError_t reduce_work_together_(struct reduce_work_ *work_, void *result_) {
    const struct reduce_cpu_ *const cpu_ = work_->call_->cpu_;
    const size_t partials_ = reduce_round_up_(work_->cut_.count_ * cpu_->size_, 64);
    const size_t words_ = reduce_round_up_(work_->cut_.count_ * sizeof(reduce_slot_), 64);
    char *const memory_ = (char *)aligned_alloc(64, partials_ + words_);
    if (memory_ == NULL) return cudaErrorMemoryAllocation;
    reduce_slot_ *const slots_ = (reduce_slot_ *)(void *)(memory_ + partials_);
    work_->partials_ = memory_;
    reduce_note_status_(work_, cudaStreamSynchronize(0)); /* the GPU works in other streams */
    reduce_work_by_threads_(work_);
    reduce_note_status_(work_, reduce_gpu_wait_(&work_->gpu_));
    if (work_->status_ == cudaSuccess)
        reduce_note_status_(work_, reduce_gpu_fetch_(work_, slots_));
    reduce_note_status_(work_, reduce_gpu_end_(&work_->gpu_));
    if (work_->status_ == cudaSuccess)
        reduce_cpu_fold_partials_(cpu_, memory_, work_->cut_.count_, result_);
    free(memory_);
    return (cudaError_t)work_->status_;
}

/* Does the simple call and returns true, unless the GPU is to work alone: then it returns false, has found
   out where the arrays lie, and may have changed the input. It waits for the default stream before anything
   is read that this may write. */
REDUCE_FRAME_ bool reduce_shared_call_(const struct reduce_call_ *call_, void *input_, void *result_,
                                       cudaError_t *status_) {
    const bool is_up_ = call_->n > 0 && reduce_cuda_is_up_();
    const bool had_error_ = is_up_ && cudaPeekAtLastError() != cudaSuccess;
    const bool has_gpu_ = is_up_ && reduce_has_gpu_(status_);
    const bool has_context_ = call_->input_size_ > call_->count_ * sizeof(void *);
    bool are_in_main_memory_ = true, are_pinned_ = false, waits_ = false;
    struct reduce_work_ work_;
    memset(&work_, 0, sizeof work_);
    work_.call_ = call_;
    work_.cut_ = reduce_cut_called_(call_->n, call_->cpu_->element_size_);
    work_.threads_ = reduce_threads_();
    if (has_gpu_) *status_ = reduce_find_arrays_(call_, &are_in_main_memory_, &are_pinned_);
    if (!are_in_main_memory_ && *status_ == cudaSuccess) return false;
    if (has_gpu_ && *status_ == cudaSuccess)
        *status_ = reduce_find_writers_(call_->arrays_, call_->count_, has_context_, &waits_);
    if (waits_ && *status_ == cudaSuccess) *status_ = cudaStreamSynchronize(0);
    if (*status_ != cudaSuccess) return true;
    if (call_->n > 0 && is_up_ == has_gpu_ && !had_error_)
        work_.gpu_.reach_ = reduce_reach_(&work_, is_up_, are_pinned_);
    if (has_gpu_ && work_.gpu_.reach_ != REDUCE_NOT_AT_ALL_) {
        bool are_alike_; /* else neither a kernel nor a copy takes the array as a whole */
        *status_ = reduce_find_ends_(call_, &are_alike_);
        if (*status_ != cudaSuccess) return true;
        if (!are_alike_) work_.gpu_.reach_ = REDUCE_NOT_AT_ALL_;
    }
    if (work_.gpu_.reach_ == REDUCE_ALONE_ && are_pinned_) reduce_read_in_place_(call_, input_);
    if (work_.gpu_.reach_ == REDUCE_ALONE_) return false;
    if (work_.gpu_.reach_ != REDUCE_NOT_AT_ALL_) *status_ = reduce_work_together_(&work_, result_);
    else reduce_cpu_all_(call_->cpu_, call_->input_, call_->n, result_);
    return true;
}

/* Gives the caller a result that the CPU has computed. A result on the page of this function's own variables
   lies in main memory: CUDA need not be asked. */
REDUCE_FRAME_ cudaError_t reduce_give_result_(void *result_, const void *from_, size_t size_) {
    enum { page_ = 4096 };
    struct reduce_range_ to_ = reduce_range_((uintptr_t)result_, 1, size_, 1);
    const bool is_near_ = ((uintptr_t)&to_ ^ to_.address_) < page_;
    cudaError_t status_ = cudaSuccess;
    if (!is_near_ && reduce_cuda_is_up_() && reduce_has_gpu_(&status_)) status_ = reduce_find_(&to_);
    return status_ != cudaSuccess ? status_ : reduce_deliver_(&to_, from_);
}

#define REDUCE_IS_SHARED_(NAME, input, arrays, n, result, status)                                           \
    NAME##_shared_call_(&(input), arrays, REDUCE_COUNT_(arrays), n, result, status)

/* struct reduce_call_ NAME_call_of_(...): a simple call of `count` arrays of n elements. */
#define REDUCE_CALL_OF_(NAME)                                                                               \
    REDUCE_HOST_ struct reduce_call_ NAME##_call_of_(const struct reduce_cpu_ *cpu_,                        \
                                                     const NAME##_input_ *in_,                              \
                                                     struct reduce_range_ *arrays_, size_t count_,          \
                                                     size_t n) {                                            \
        struct reduce_call_ call_;                                                                          \
        call_.cpu_ = cpu_, call_.start_ = NAME##_kernel_start_;                                             \
        call_.input_ = in_, call_.input_size_ = sizeof *in_;                                                \
        call_.arrays_ = arrays_, call_.count_ = count_, call_.n = n;                                        \
        call_.is_dense_ = NAME##_is_dense_;                                                                 \
        call_.is_plain_ = NAME##_is_built_in_ && !NAME##_is_mapped_ &&                                      \
                          REDUCE_KIND_(NAME##_result) <= REDUCE_DOUBLE_;                                    \
        return call_;                                                                                       \
    }

/* bool NAME_shared_call_(...): does the simple call, or returns false: see reduce_shared_call_. */
#define REDUCE_SHARED_CALL_(NAME)                                                                           \
    REDUCE_CALL_OF_(NAME)                                                                                   \
    REDUCE_HOST_ bool NAME##_shared_call_(NAME##_input_ *in_, struct reduce_range_ *arrays_,                \
                                          size_t count_, size_t n, NAME##_result *result_,                  \
                                          cudaError_t *status_) {                                           \
        const struct reduce_cpu_ cpu_ = NAME##_on_cpu_();                                                   \
        const struct reduce_call_ call_ = NAME##_call_of_(&cpu_, in_, arrays_, count_, n);                  \
        NAME##_result x;                                                                                    \
        const bool is_done_ = reduce_shared_call_(&call_, in_, &x, status_);                                \
        if (!is_done_ || *status_ != cudaSuccess) return is_done_;                                          \
        x = NAME##_final_(x);                                                                               \
        *status_ = reduce_give_result_(result_, &x, sizeof x);                                              \
        return true;                                                                                        \
    }

#endif /* __CUDACC__ */

#endif /* REDUCE_HOST_CUH */
