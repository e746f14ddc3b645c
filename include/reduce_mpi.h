/*
 * reduce_mpi.h: reductions over processes by MPI, with the bits of one process; a companion of reduce.cuh.
 * Copyright (c) 2026 the reduce.cuh authors. SPDX-License-Identifier: MIT
 *
 *     #include "reduce_mpi.h"
 *     DEFINE_REDUCE(float, sum)
 *     DEFINE_REDUCE_MPI(reduce_float_sum)
 *
 * adds to a NAME that exists what DEFINE_REDUCE_PARTS adds (reduce_parts.h), and
 *
 *     int NAME_mpi(const In *shard, size_t n, T *result, MPI_Comm comm)
 *
 * which all processes of comm call. Their shards together are an array of n elements. *result, in main
 * memory, is the same in all processes: it has the bits of NAME_cpu over the whole array, for any number of
 * processes, every type and every operator. One MPI_Allgather carries the partial results; MPI does not
 * reduce.
 *
 *     const struct reduce_shard own = reduce_shard(n, sizeof(float), rank, ranks);
 *     float *shard = ... own.length elements of the array, from index own.begin on ...
 *     int error = reduce_float_sum_mpi(shard, n, &result, MPI_COMM_WORLD);
 *
 * WAYS TO DEFINE                      (at file scope, without a semicolon, after the definition of NAME)
 *
 *   DEFINE_REDUCE_MPI(NAME)           for a NAME of reduce.cuh or reduce_results.cuh
 *   DEFINE_REDUCE_ZIP_MPI(NAME)       for one of DEFINE_REDUCE_ZIP: NAME_mpi(x, y, n, &result, comm)
 *   DEFINE_REDUCE_WITH_MPI(NAME)      for one of DEFINE_REDUCE_WITH: NAME_mpi(shard, n, c, &result, comm)
 *   DEFINE_REDUCE_ZIP_WITH_MPI(NAME)  for one of DEFINE_REDUCE_ZIP_WITH: NAME_mpi(x, y, n, c, &result, comm)
 *
 *   The header compiles as C11 and C++. For two of MPI, NCCL and parts on one NAME see reduce_parts.h. In C++
 *   it includes mpi.h without MPI's old C++ bindings; a program that uses them includes mpi.h first.
 *
 * WHERE THE SHARD IS
 *
 *   main memory    The process reduces the shard on its CPU, with OpenMP by several threads. Two arrays, one
 *                  of them in managed memory, are for the CPU too. Where a kernel could write what the CPU is
 *                  to read, the CPU first waits for the default stream: see ORDER in reduce_host.cuh.
 *   device memory  The GPU reduces the shard, in the default stream, and copies its partial results to main
 *   or managed     memory, so that MPI need not know CUDA. This needs a CUDA compiler.
 *
 *   Some processes may have their shards on GPUs and others in main memory. A process without elements may
 *   pass NULL.
 *
 *   The call allocates and releases memory: 16 bytes for each process; the messages, of less than 8192 T, or
 *   of a T for each process if that is more; and up to 4096 partial results. It returns when the result is
 *   there.
 *
 * ERRORS
 *
 *   NAME_mpi returns MPI_SUCCESS, the error of the MPI call that failed, or
 *     MPI_ERR_BUFFER   a null pointer (a null shard is fine for a process without elements), a pointer that
 *                      is not aligned for its type, or two arrays of which one lies on a GPU, and the other
 *                      on another GPU or in main memory
 *     MPI_ERR_COUNT    the processes did not all pass the same n, or a GPU was to reduce more than 2^40
 *     MPI_ERR_NO_MEM   no memory for the partial results
 *     MPI_ERR_COMM     MPI_COMM_NULL
 *     MPI_ERR_OTHER    the GPU or another process failed, or processes have different versions of the tree
 *   and does not change *result after an error. By default MPI itself ends the program if one of its calls
 *   fails: MPI_Comm_set_errhandler tells it not to.
 *
 *   A process that finds an error of its own still sends a message, so that all processes return, each with
 *   an error. There are two exceptions. After MPI_ERR_NO_MEM and MPI_ERR_COMM a process has sent nothing, and
 *   the others wait for it. If two processes pass numbers of elements that differ so much that their messages
 *   have different lengths, MPI must find out: Open MPI returns MPI_ERR_TRUNCATE or waits.
 */
#ifndef REDUCE_MPI_H
#define REDUCE_MPI_H

#ifndef MPI_VERSION
#if defined __cplusplus && !defined OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#if defined __cplusplus && !defined MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#endif
#include "reduce_parts.h"
#include <stdlib.h>

/* ---- The exchange -------------------------------------------------------------------------------------- */

/* Each process sends one message: a note, and behind it its partial results. All messages have one size. */
struct reduce_mpi_note_ { uint64_t n_; int32_t status_, tree_; };

struct reduce_mpi_ {
    int rank_, ranks_;
    size_t n, element_size_, size_; /* elements, bytes in an element, bytes in a T */
    size_t each_;                   /* bytes in a message */
    char *memory_, *messages_;
    char *partials_; /* the partial results of all chunks, side by side, aligned for every T */
};

/* Fills in *mpi and allocates its memory. If this fails, the process has sent nothing. */
REDUCE_CALLED_ int reduce_mpi_begin_(struct reduce_mpi_ *mpi_, size_t n, size_t element_size_, size_t size_,
                                     MPI_Comm comm_) {
    const size_t count_ = reduce_cut_(n, element_size_).count_;
    int status_ = comm_ == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_Comm_rank(comm_, &mpi_->rank_);
    if (status_ == MPI_SUCCESS) status_ = MPI_Comm_size(comm_, &mpi_->ranks_);
    if (status_ != MPI_SUCCESS) return status_;
    mpi_->n = n, mpi_->element_size_ = element_size_, mpi_->size_ = size_;
    mpi_->each_ = sizeof(struct reduce_mpi_note_) + reduce_divide_up_(count_, (size_t)mpi_->ranks_) * size_;
    const size_t received_ = (size_t)mpi_->ranks_ * mpi_->each_;
    mpi_->memory_ = (char *)calloc(received_ + count_ * size_ + REDUCE_MAX_SIZE, 1);
    if (mpi_->memory_ == NULL) return MPI_ERR_NO_MEM;
    mpi_->partials_ = mpi_->memory_ + (REDUCE_MAX_SIZE - (uintptr_t)mpi_->memory_ % REDUCE_MAX_SIZE);
    mpi_->messages_ = mpi_->partials_ + count_ * size_;
    return MPI_SUCCESS;
}

/* Copies a rank's partial results from partials into its message, or back. */
REDUCE_HOST_ void reduce_mpi_copy_(const struct reduce_mpi_ *mpi_, int rank_, bool to_message_) {
    const struct reduce_shard_ shard_ = reduce_shard_of_(mpi_->n, mpi_->element_size_, rank_, mpi_->ranks_);
    char *const message_ = mpi_->messages_ + (size_t)rank_ * mpi_->each_ + sizeof(struct reduce_mpi_note_);
    char *const partials_ = mpi_->partials_ + shard_.first_ * mpi_->size_;
    const size_t bytes_ = shard_.count_ * mpi_->size_;
    memcpy(to_message_ ? message_ : partials_, to_message_ ? partials_ : message_, bytes_);
}

/* The error that a rank's note tells of, or MPI_SUCCESS. */
REDUCE_HOST_ int reduce_mpi_read_(const struct reduce_mpi_ *mpi_, int rank_) {
    struct reduce_mpi_note_ note_;
    memcpy(&note_, mpi_->messages_ + (size_t)rank_ * mpi_->each_, sizeof note_);
    if (note_.n_ != mpi_->n) return MPI_ERR_COUNT;
    return note_.tree_ == REDUCE_TREE_VERSION && note_.status_ == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* Exchanges messages. status is this rank's own. Returns its error if it has one, else the first of other
   ranks. */
REDUCE_CALLED_ int reduce_mpi_exchange_(const struct reduce_mpi_ *mpi_, int status_, MPI_Comm comm_) {
    const struct reduce_mpi_note_ note_ = {mpi_->n, status_, REDUCE_TREE_VERSION};
    memcpy(mpi_->messages_ + (size_t)mpi_->rank_ * mpi_->each_, &note_, sizeof note_);
    reduce_mpi_copy_(mpi_, mpi_->rank_, true);
    const int sent_ = MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mpi_->messages_, (int)mpi_->each_,
                                    MPI_BYTE, comm_);
    if (status_ == MPI_SUCCESS) status_ = sent_;
    for (int rank_ = 0; rank_ < mpi_->ranks_ && status_ == MPI_SUCCESS; rank_++) {
        status_ = reduce_mpi_read_(mpi_, rank_);
        if (status_ == MPI_SUCCESS) reduce_mpi_copy_(mpi_, rank_, false);
    }
    return status_;
}

/* ---- One process's shard ------------------------------------------------------------------------------- */

REDUCE_HOST_ bool reduce_mpi_is_good_(const void *address_, size_t alignment_) {
    return address_ != NULL && (uintptr_t)address_ % alignment_ == 0;
}

/* Whether the arrays of an input of some KIND are there and aligned. */
#define REDUCE_MPI_IS_GOOD_ARRAY_(NAME, in) reduce_mpi_is_good_((in).in_, REDUCE_ALIGNMENT_(NAME##_element))
#define REDUCE_MPI_IS_GOOD_WITH_ REDUCE_MPI_IS_GOOD_ARRAY_
#define REDUCE_MPI_IS_GOOD_ZIP_(NAME, in)                                                                   \
    (reduce_mpi_is_good_((in).in_, REDUCE_ALIGNMENT_(NAME##_first)) &&                                      \
     reduce_mpi_is_good_((in).second_, REDUCE_ALIGNMENT_(NAME##_second)))
#define REDUCE_MPI_IS_GOOD_ZIP_WITH_ REDUCE_MPI_IS_GOOD_ZIP_

#ifdef __CUDACC__
enum { REDUCE_MPI_ON_CPU_ = -1, REDUCE_MPI_NOWHERE_ = -2, REDUCE_MPI_FAILED_ = -3 };

/* The device that is to reduce these arrays, or one of the words above. Arrays in managed memory alone are
   for the caller's device. Before the CPU reads what the default stream may write, it waits for that. */
REDUCE_CALLED_ int reduce_mpi_place_(struct reduce_range_ *arrays_, size_t count_, bool has_context_,
                                     int home_) {
    size_t managed_ = 0, owned_ = 0;
    int device_ = REDUCE_MPI_ON_CPU_;
    bool waits_;
    for (size_t k = 0; k < count_; k++) {
        const struct reduce_where_ *const where_ = &arrays_[k].where_;
        if (reduce_find_(&arrays_[k]) != cudaSuccess) return REDUCE_MPI_FAILED_;
        managed_ += where_->memory_ == REDUCE_MANAGED_;
        if (where_->memory_ != REDUCE_ON_DEVICE_) continue;
        if (owned_++ > 0 && where_->device_ != device_) return REDUCE_MPI_NOWHERE_;
        device_ = where_->device_;
    }
    if (owned_ > 0) return owned_ + managed_ == count_ ? device_ : REDUCE_MPI_NOWHERE_;
    if (managed_ == count_) return home_;
    cudaError_t status_ = reduce_find_writers_(arrays_, count_, has_context_, &waits_);
    if (status_ == cudaSuccess && waits_) status_ = cudaStreamSynchronize(0);
    return status_ == cudaSuccess ? REDUCE_MPI_ON_CPU_ : REDUCE_MPI_FAILED_;
}

/* The same, if there is a GPU. *home becomes the caller's device. */
REDUCE_CALLED_ int reduce_mpi_find_(struct reduce_range_ *arrays_, size_t count_, bool has_context_,
                                    int *home_) {
    cudaError_t status_ = cudaSuccess;
    const bool has_gpu_ = reduce_has_gpu_(&status_);
    if (has_gpu_) status_ = cudaGetDevice(home_);
    if (status_ != cudaSuccess) return REDUCE_MPI_FAILED_;
    return has_gpu_ ? reduce_mpi_place_(arrays_, count_, has_context_, *home_) : (int)REDUCE_MPI_ON_CPU_;
}

/* cudaError_t NAME_mpi_on_gpu_(NAME_input_ in, n, shard, T *partials, device, home): reduces a shard on a
   device, and copies its partial results to main memory. */
#define REDUCE_MPI_ON_GPU_(NAME)                                                                            \
    REDUCE_CALLED_ cudaError_t NAME##_mpi_on_gpu_(NAME##_input_ in_, size_t n, struct reduce_shard_ shard_, \
                                                  NAME##_result *partials_, int device_, int home_) {       \
        const size_t bytes_ = shard_.count_ * sizeof(NAME##_result);                                        \
        NAME##_result *there_ = NULL;                                                                       \
        cudaError_t status_ = cudaSetDevice(device_);                                                       \
        if (status_ == cudaSuccess) status_ = cudaMalloc((void **)&there_, bytes_);                         \
        if (status_ == cudaSuccess)                                                                         \
            status_ = NAME##_launch_parts_(in_, n, shard_.first_, shard_.count_, there_, 0);                \
        if (status_ == cudaSuccess) status_ = cudaMemcpy(partials_, there_, bytes_, cudaMemcpyDeviceToHost);\
        const cudaError_t freed_ = there_ != NULL ? cudaFree(there_) : cudaSuccess;                         \
        const cudaError_t returned_ = device_ != home_ ? cudaSetDevice(home_) : cudaSuccess;                \
        return reduce_first_error_(status_, reduce_first_error_(freed_, returned_));                        \
    }

/* int NAME_mpi_chunks_(NAME_input_ in, n, shard, T *partials): reduces a shard where its arrays lie. */
#define REDUCE_MPI_CHUNKS_(NAME, KIND)                                                                      \
    REDUCE_CALLED_ int NAME##_mpi_chunks_(NAME##_input_ in_, size_t n, struct reduce_shard_ shard_,         \
                                          NAME##_result *partials_) {                                       \
        struct reduce_range_ arrays_[] = REDUCE_RANGES_##KIND(NAME, in_, shard_.length_);                   \
        const bool has_context_ = sizeof in_ > REDUCE_COUNT_(arrays_) * sizeof(void *);                     \
        int home_ = 0;                                                                                      \
        const int device_ = reduce_mpi_find_(arrays_, REDUCE_COUNT_(arrays_), has_context_, &home_);        \
        if (device_ == REDUCE_MPI_FAILED_) return MPI_ERR_OTHER;                                            \
        if (device_ == REDUCE_MPI_NOWHERE_) return MPI_ERR_BUFFER;                                          \
        if (device_ == REDUCE_MPI_ON_CPU_)                                                                  \
            return NAME##_cpu_chunks_of_(in_, n, shard_.first_, shard_.count_, partials_), MPI_SUCCESS;     \
        if (n > REDUCE_MAX_ELEMENTS) return MPI_ERR_COUNT;                                                  \
        return NAME##_mpi_on_gpu_(in_, n, shard_, partials_, device_, home_) ? MPI_ERR_OTHER : MPI_SUCCESS; \
    }
#else
#define REDUCE_MPI_ON_GPU_(NAME)
#define REDUCE_MPI_CHUNKS_(NAME, KIND)                                                                      \
    REDUCE_HOST_ int NAME##_mpi_chunks_(NAME##_input_ in_, size_t n, struct reduce_shard_ shard_,           \
                                        NAME##_result *partials_) {                                         \
        NAME##_cpu_chunks_of_(in_, n, shard_.first_, shard_.count_, partials_);                             \
        return MPI_SUCCESS;                                                                                 \
    }
#endif

/* int NAME_mpi_shard_(NAME_input_ in, mpi, const T *result): checks the pointers and reduces this rank's
   shard. */
#define REDUCE_MPI_SHARD_(NAME, KIND)                                                                       \
    REDUCE_CALLED_ int NAME##_mpi_shard_(NAME##_input_ in_, const struct reduce_mpi_ *mpi_,                 \
                                         const NAME##_result *result_) {                                    \
        const struct reduce_shard_ shard_ =                                                                 \
            reduce_shard_of_(mpi_->n, NAME##_size_, mpi_->rank_, mpi_->ranks_);                             \
        NAME##_result *const partials_ = (NAME##_result *)(void *)mpi_->partials_ + shard_.first_;          \
        if (!reduce_mpi_is_good_(result_, REDUCE_ALIGNMENT_(NAME##_result))) return MPI_ERR_BUFFER;         \
        if (shard_.count_ == 0) return MPI_SUCCESS;                                                         \
        if (!REDUCE_MPI_IS_GOOD_##KIND(NAME, in_)) return MPI_ERR_BUFFER;                                   \
        return NAME##_mpi_chunks_(in_, mpi_->n, shard_, partials_);                                         \
    }

/* int NAME_mpi(const In *shard, size_t n, T *result, MPI_Comm comm) */
#define REDUCE_MPI_CALL_(NAME, KIND)                                                                        \
    REDUCE_HOST_ int NAME##_mpi(REDUCE_GIVEN_(NAME, KIND), NAME##_result *result_, MPI_Comm comm_) {        \
        const NAME##_input_ input_ = REDUCE_INPUT_##KIND;                                                   \
        struct reduce_mpi_ mpi_;                                                                            \
        int status_ = reduce_mpi_begin_(&mpi_, n, NAME##_size_, sizeof(NAME##_result), comm_);              \
        if (status_ != MPI_SUCCESS) return status_;                                                         \
        status_ = reduce_mpi_exchange_(&mpi_, NAME##_mpi_shard_(input_, &mpi_, result_), comm_);            \
        if (status_ == MPI_SUCCESS)                                                                         \
            *result_ = NAME##_cpu_fold((const NAME##_result *)(const void *)mpi_.partials_, n);             \
        free(mpi_.memory_);                                                                                 \
        return status_;                                                                                     \
    }

/* ---- What users write ---------------------------------------------------------------------------------- */

#define REDUCE_DEFINE_MPI_(NAME, KIND)                                                                      \
    REDUCE_CHECK_ONCE_(NAME##_mpi) REDUCE_LINE_ REDUCE_MPI_ON_GPU_(NAME) REDUCE_LINE_                       \
    REDUCE_MPI_CHUNKS_(NAME, KIND) REDUCE_LINE_ REDUCE_MPI_SHARD_(NAME, KIND) REDUCE_LINE_                  \
    REDUCE_MPI_CALL_(NAME, KIND) REDUCE_LINE_

#define REDUCE_MPI_(NAME, KIND)                                                                             \
    REDUCE_CHECK_ADDED_(NAME, KIND, "MPI") REDUCE_LINE_ REDUCE_ADD_PARTS_(NAME, KIND) REDUCE_LINE_          \
    REDUCE_UNLESS_(REDUCE_HAVE_##NAME##_mpi, REDUCE_DEFINE_MPI_)(NAME, KIND)

#undef DEFINE_REDUCE_MPI
#define DEFINE_REDUCE_MPI(NAME) REDUCE_MPI_(NAME, ARRAY_)
#undef DEFINE_REDUCE_ZIP_MPI
#define DEFINE_REDUCE_ZIP_MPI(NAME) REDUCE_MPI_(NAME, ZIP_)
#undef DEFINE_REDUCE_WITH_MPI
#define DEFINE_REDUCE_WITH_MPI(NAME) REDUCE_MPI_(NAME, WITH_)
#undef DEFINE_REDUCE_ZIP_WITH_MPI
#define DEFINE_REDUCE_ZIP_WITH_MPI(NAME) REDUCE_MPI_(NAME, ZIP_WITH_)

#endif /* REDUCE_MPI_H */
