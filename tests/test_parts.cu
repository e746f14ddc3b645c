/* reduce_parts.h and reduce_nccl.cuh with a small tree, of every kind of input, in every region of the code: parts that the
   CPU and the GPU reduce, each an allocation of its own, so that what lies beside it is never touched; and 1 to 8 ranks of
   the stand-in for NCCL, which are threads, or which one thread serves; failures of each call; graphs. (gpus/ has NCCL.) */
#include "small_tree.h"

#include "stand_in/nccl.h"

/* Threads can pass for processes. */
static __thread unsigned long long passes_for;
#define REDUCE_NCCL_PROCESS_ passes_for

#include "reduce_nccl.cuh"

#include "parts.h"

#ifdef SIMT
#include <simt.h>
#endif

#define ADD_ARRAY(NAME, KIND, size, fill) DEFINE_REDUCE_NCCL(NAME)
PARTS_OF_ARRAYS(ADD_ARRAY)
DEFINE_REDUCE_ZIP_NCCL(zipped)
DEFINE_REDUCE_WITH_NCCL(scaled)
DEFINE_REDUCE_ZIP_WITH_NCCL(added)
PARTS(DEFINE_PARTED)

static const struct parted parted[] = {PARTS(PARTED_OF)};

/* Ranks in which parts are reduced, and those of NCCL. */
enum { MOST_PARTS = 9, MOST_SIZE = REDUCE_MAX_CHUNKS * REDUCE_MAX_SIZE, MOST_RANKS = STAND_IN_MOST_RANKS };

/* Partial results on both sides, side by side. */
struct both {
    unsigned char *host;
    void *device, *out;
};

/* One rank's part by both: its bytes as they are, or one element further, where wide loads cannot take them. */
static void reduce_part(const struct parted *s, const unsigned char *in, size_t n, struct reduce_shard own, struct both to,
                        bool is_askew)
{
    const size_t bytes = own.length * s->size, off = is_askew ? s->size : 0, at = own.first * s->result_size;
    unsigned char *const part = (unsigned char *)malloc(bytes + off + 1);
    if (bytes > 0) memcpy(part + off, in + own.begin * s->size, bytes);
    unsigned char *const device = (unsigned char *)to_device(part, bytes + off);
    memset(to.host + at, 0x5a, own.count * s->result_size);
    const size_t written = s->cpu_chunks(part + off, n, own.first, own.count, to.host + at);
    cr_expect(written == own.count, "%s of %zu: %zu of %zu chunks", s->name, n, written, own.count);
    CHECK(s->chunks(device + off, n, own.first, own.count, (char *)to.device + at, 0));
    check_launch();
    CHECK(cudaFree(device));
    free(part);
}

/* An array in parts, which the CPU and the GPU reduce, and fold what they and what the other has reduced. */
static void check_parts(const struct parted *s, const unsigned char *in, size_t n, int ranks, bool is_askew, struct both to)
{
    static unsigned char mixed_up[MOST_SIZE] __attribute__((aligned(64)));
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64))), got[4][REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    const size_t bytes = reduce_plan(n, s->size).count * s->result_size;
    s->tree(in, n, tree);
    for (int rank = 0; rank < ranks; rank++)
        reduce_part(s, in, n, reduce_shard(n, s->size, rank, ranks), to, is_askew);
    s->cpu_fold(to.host, n, got[0]);
    CHECK(s->fold(to.device, n, to.out, 0));
    from_device(got[1], to.out, s->result_size);
    from_device(mixed_up, to.device, bytes);
    s->cpu_fold(mixed_up, n, got[2]);
    for (size_t k = 0; k < bytes; k += s->result_size)
        if (k / s->result_size % 2 == 0) memcpy(mixed_up + k, to.host + k, s->result_size);
    if (bytes > 0) CHECK(cudaMemcpy(to.device, mixed_up, bytes, cudaMemcpyHostToDevice));
    CHECK(s->fold(to.device, n, to.out, 0));
    from_device(got[3], to.out, s->result_size);
    for (int k = 0; k < 4; k++)
        if (memcmp(got[k], tree, s->result_size) != 0)
            cr_expect(false, "%s of %zu in %d parts, %s: %s, not %s", s->name, n, ranks,
                      k == 0   ? "CPU"
                      : k == 1 ? "GPU"
                      : k == 2 ? "GPU, folded by the CPU"
                               : "both, folded by the GPU",
                      bits_in_hex(got[k], s->result_size), bits_in_hex(tree, s->result_size));
}

static void check_parted(const struct parted *s, size_t number)
{
    static struct drawn drawn[MOST_DRAWN];
    const size_t count = draw_sizes(drawn, s->size);
    const struct both to = {(unsigned char *)aligned_alloc(64, MOST_SIZE), device_room(MOST_SIZE, 0x5a),
                            device_room(REDUCE_MAX_SIZE, 0x5a)};
    size_t most = 0;
    for (size_t k = 0; k < count; k++) most = drawn[k].n > most ? drawn[k].n : most;
    unsigned char *const in = (unsigned char *)aligned_alloc(64, (most * s->size + 127) / 64 * 64);
    s->fill(in, most * s->size);
    for (size_t k = 0; k < count; k++) {
        const bool is_small = drawn[k].n * s->size < 20000;
        if (drawn[k].is_first ? is_due(number + k) : is_small && is_due(number + k + drawn[k].n))
            check_parts(s, in, drawn[k].n, ranks_of(number + k, MOST_PARTS), k % 2 == 1, to);
    }
    for (int ranks = 1; ranks <= MOST_PARTS; ranks++) check_parts(s, in, 3 + most / 50, ranks, false, to);
    CHECK(cudaFree(to.device));
    CHECK(cudaFree(to.out));
    free(to.host);
    free(in);
}

TestSuite(parts, .init = need_gpu);

Test(parts, every_region)
{
    list_regions();
    for (size_t k = 0; k < COUNT(parted); k++) check_parted(&parted[k], k);
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

#define REFUSED_BY_CUDA(call, error)                                                                         \
    do {                                                                                                     \
        const cudaError_t refused_ = (call);                                                                 \
        cr_expect(refused_ == error, "%s: %s", #call, cudaGetErrorName(refused_));                           \
    } while (0)

Test(parts, errors)
{
    enum { N = 5000 };
    const struct reduce_plan plan = reduce_plan(N, sizeof(float));
    float *const in = (float *)device_room((N + 1) * sizeof(float), 0), *const out = (float *)device_room(16, 0x5a);
    float *const partials = (float *)device_room((plan.count + 1) * sizeof(float), 0x5a);
    float *const odd_in = (float *)(void *)((char *)in + 1), *const odd = (float *)(void *)((char *)partials + 2);
    const float *const null = NULL;
    float value;
    cr_assert(plan.count > 3);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(null, N, 0, 1, partials, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(in, N, 0, 1, NULL, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(odd_in, N, 0, 1, partials, 0), cudaErrorMisalignedAddress);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(in, N, 0, 1, odd, 0), cudaErrorMisalignedAddress);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(in, N, 0, plan.count + 1, partials, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(in, N, plan.count, 1, partials, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(in, N, plan.count + 1, 0, partials, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(in, N, 1, SIZE_MAX, partials, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(in, REDUCE_MAX_ELEMENTS + 1, 0, 1, partials, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(in, N, 0, 1, in + 3, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_fold_async(NULL, N, out, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_fold_async(partials, N, NULL, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_fold_async(odd, N, out, 0), cudaErrorMisalignedAddress);
    REFUSED_BY_CUDA(reduce_float_sum_fold_async(partials, N, odd, 0), cudaErrorMisalignedAddress);
    REFUSED_BY_CUDA(reduce_float_sum_fold_async(partials, N, partials, 0), cudaErrorInvalidValue);
    REFUSED_BY_CUDA(reduce_float_sum_fold_async(partials, REDUCE_MAX_ELEMENTS + 1, out, 0), cudaErrorInvalidValue);
    from_device(&value, out, sizeof value);
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    cr_expect(bits == 0x5a5a5a5a, "a refused call has written");

    /* Valid calls: no chunks, no elements, and an output directly behind the partial results. */
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(NULL, N, 2, 0, NULL, 0), cudaSuccess);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(NULL, N, plan.count, 0, NULL, 0), cudaSuccess);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(NULL, 0, 0, 0, NULL, 0), cudaSuccess);
    REFUSED_BY_CUDA(reduce_float_sum_chunks_async(in, N, 0, plan.count, partials, 0), cudaSuccess);
    REFUSED_BY_CUDA(reduce_float_sum_fold_async(partials, N, partials + plan.count, 0), cudaSuccess);
    from_device(&value, partials + plan.count, sizeof value);
    cr_expect(value == 0);
    REFUSED_BY_CUDA(reduce_float_sum_fold_async(NULL, 0, out, 0), cudaSuccess);
    from_device(&value, out, sizeof value);
    cr_expect(value == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(partials));
}

/* The CPU's functions on chunks that do not exist. */
Test(parts, chunks_that_there_are_not)
{
    enum { N = 5000 };
    static float in[N], partials[REDUCE_MAX_CHUNKS];
    const struct reduce_plan plan = reduce_plan(N, sizeof(float));
    for (size_t k = 0; k < REDUCE_MAX_CHUNKS; k++) partials[k] = 1;
    cr_expect(reduce_float_sum_cpu_chunks(in, N, plan.count - 1, 5, partials) == 1);
    cr_expect(partials[0] == 0 && partials[1] == 1);
    cr_expect(reduce_float_sum_cpu_chunks(in, N, plan.count, 5, partials + 1) == 0);
    cr_expect(reduce_float_sum_cpu_chunks(in, N, SIZE_MAX, SIZE_MAX, partials + 1) == 0);
    cr_expect(reduce_float_sum_cpu_chunks(in, N, 0, 0, partials + 1) == 0);
    cr_expect(reduce_float_sum_cpu_chunks(NULL, 0, 0, 1, partials + 1) == 0);
    cr_expect(partials[1] == 1, "nothing is written for them");
    static const int none[][2] = {{-1, 3}, {3, 3}, {0, 0}, {0, -1}}; /* ranks that there are not */
    for (size_t k = 0; k < COUNT(none); k++) {
        const struct reduce_shard own = reduce_shard(N, sizeof(float), none[k][0], none[k][1]);
        cr_expect(own.count == 0 && own.length == 0, "rank %d of %d", none[k][0], none[k][1]);
    }
    cr_expect(reduce_float_sum_cpu_fold(NULL, 0) == 0);
}

/* Both launches in a graph, which is replayed with other data. There are more partial results than strands, and no memory
   behind them. */
Test(parts, graph)
{
    enum { N = 150000 };
    const struct reduce_plan plan = reduce_plan(N, sizeof(float));
    static float host[N];
    float *const in = (float *)device_room(sizeof host, 0), *const out = (float *)device_room(sizeof(float), 0x5a);
    float *const partials = (float *)device_room(plan.count * sizeof(float), 0x5a);
    cr_assert(plan.count > REDUCE_STRANDS && plan.count % REDUCE_STRANDS != 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    CHECK(cudaDeviceSynchronize()); /* the stream does not wait for what fills memory */
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int rank = 0; rank < 3; rank++) {
        const struct reduce_shard own = reduce_shard(N, sizeof(float), rank, 3);
        CHECK(reduce_float_sum_chunks_async(in + own.begin, N, own.first, own.count, partials + own.first, stream));
    }
    CHECK(reduce_float_sum_fold_async(partials, N, out, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&replay, graph, 0));
    for (u64 seed = 1; seed < 4; seed++) {
        float got;
        fill_float(host, N, seed);
        CHECK(cudaMemcpyAsync(in, host, sizeof host, cudaMemcpyHostToDevice, stream));
        CHECK(cudaGraphLaunch(replay, stream));
        CHECK(cudaStreamSynchronize(stream));
        from_device(&got, out, sizeof got);
        const float expected = reduce_float_sum_tree(host, N);
        cr_expect(SAME_BITS(got, expected), "%s, not %s", BITS(got), BITS(expected));
    }
    CHECK(cudaGraphExecDestroy(replay));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(partials));
}

/* ---- NCCL ---------------------------------------------------------------------------------------------- */

PARTS(DEFINE_NCCL)
static const struct nccl_subject subjects[] = {PARTS(NCCL_SUBJECT)};

/* ---- Ranks --------------------------------------------------------------------------------------------- */

struct ranks {
    int count, devices;
    ncclComm_t comms[MOST_RANKS];
    cudaStream_t streams[MOST_RANKS];
    reduce_workspace *workspaces[MOST_RANKS];
    void *outs[MOST_RANKS], *parts[MOST_RANKS], *rooms[MOST_RANKS];
};

static struct ranks ranks_begin(int count)
{
    struct ranks ranks;
    memset(&ranks, 0, sizeof ranks);
    CHECK(cudaGetDeviceCount(&ranks.devices));
    ranks.count = count;
    cr_assert(ncclCommInitAll(ranks.comms, count, NULL) == ncclSuccess);
    for (int r = 0; r < count; r++) {
        CHECK(cudaSetDevice(r % ranks.devices));
        CHECK(cudaStreamCreateWithFlags(&ranks.streams[r], cudaStreamNonBlocking));
        CHECK(reduce_workspace_create(&ranks.workspaces[r]));
        ranks.outs[r] = device_room(REDUCE_MAX_SIZE, 0x5a);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaSetDevice(0));
    return ranks;
}

static void ranks_end(struct ranks *ranks)
{
    for (int r = 0; r < ranks->count; r++) {
        CHECK(cudaStreamDestroy(ranks->streams[r]));
        CHECK(reduce_workspace_destroy(ranks->workspaces[r]));
        CHECK(cudaFree(ranks->outs[r]));
        cr_assert(ncclCommDestroy(ranks->comms[r]) == ncclSuccess);
    }
}

/* To each rank its part, in memory of its own; to some of them one element further. */
static void ranks_take(struct ranks *ranks, const struct parted *s, const unsigned char *in, size_t n)
{
    for (int r = 0; r < ranks->count; r++) {
        const struct reduce_shard own = reduce_shard(n, s->size, r, ranks->count);
        const size_t off = r % 3 == 1 ? s->size : 0, bytes = own.length * s->size;
        CHECK(cudaSetDevice(r % ranks->devices));
        ranks->rooms[r] = device_room(off + bytes, 0x5a);
        ranks->parts[r] = own.length > 0 ? (char *)ranks->rooms[r] + off : NULL;
        if (bytes > 0) CHECK(cudaMemcpy(ranks->parts[r], in + own.begin * s->size, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaSetDevice(0));
}

static void ranks_drop(struct ranks *ranks)
{
    for (int r = 0; r < ranks->count; r++) CHECK(cudaFree(ranks->rooms[r]));
}

static void ranks_wait(struct ranks *ranks)
{
    for (int r = 0; r < ranks->count; r++) CHECK(cudaStreamSynchronize(ranks->streams[r]));
}

/* Every rank has the result, and an empty workspace. */
static void ranks_expect(struct ranks *ranks, const struct parted *s, size_t n, const void *expected, const char *how)
{
    unsigned char got[REDUCE_MAX_SIZE];
    int home;
    CHECK(cudaGetDevice(&home));
    ranks_wait(ranks);
    for (int r = 0; r < ranks->count; r++) {
        CHECK(cudaSetDevice(r % ranks->devices));
        from_device(got, ranks->outs[r], s->result_size);
        if (memcmp(got, expected, s->result_size) != 0)
            cr_expect(false, "%s of %zu, %s, rank %d of %d: %s, not %s", s->name, n, how, r, ranks->count,
                      bits_in_hex(got, s->result_size), bits_in_hex(expected, s->result_size));
        cr_expect(is_empty_workspace(ranks->workspaces[r]), "%s of %zu, %s, rank %d of %d: the workspace is not empty",
                  s->name, n, how, r, ranks->count);
        CHECK(cudaMemset(ranks->outs[r], 0x5a, REDUCE_MAX_SIZE));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaSetDevice(home));
}

/* ---- Every result -------------------------------------------------------------------------------------- */

struct job {
    const struct nccl_subject *subject;
    struct ranks *ranks;
    int rank;
    size_t n;
    ncclResult_t result;
};

static void *work(void *of_job)
{
    struct job *const job = (struct job *)of_job;
    struct ranks *const ranks = job->ranks;
    const int r = job->rank;
    CHECK(cudaSetDevice(r % ranks->devices));
    job->result = job->subject->run(ranks->parts[r], job->n, ranks->outs[r], ranks->workspaces[r], ranks->comms[r],
                                    ranks->streams[r]);
    return NULL;
}

static void by_threads(const struct nccl_subject *s, struct ranks *ranks, size_t n)
{
    struct job jobs[MOST_RANKS];
    pthread_t threads[MOST_RANKS];
    for (int r = 0; r < ranks->count; r++) {
        const struct job job = {s, ranks, r, n, ncclSuccess};
        jobs[r] = job;
        cr_assert(pthread_create(&threads[r], NULL, work, &jobs[r]) == 0);
    }
    for (int r = 0; r < ranks->count; r++) {
        pthread_join(threads[r], NULL);
        cr_expect(jobs[r].result == ncclSuccess, "%s of %zu, rank %d of %d: error %d", s->parted.name, n, r, ranks->count,
                  (int)jobs[r].result);
    }
}

static ncclResult_t by_one(const struct nccl_subject *s, struct ranks *ranks, size_t n)
{
    return s->run_all(ranks->count, ranks->parts, n, ranks->outs, ranks->workspaces, ranks->comms, ranks->streams);
}

static void check_array(const struct nccl_subject *s, struct ranks *ranks, bool by_one_alone, const unsigned char *in, size_t n)
{
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    s->parted.tree(in, n, tree);
    ranks_take(ranks, &s->parted, in, n);
    if (n % 3 != 0 || by_one_alone) {
        cr_expect(by_one(s, ranks, n) == ncclSuccess, "%s of %zu, %d ranks", s->parted.name, n, ranks->count);
        ranks_expect(ranks, &s->parted, n, tree, "one thread");
    }
    if (n % 3 != 1 && !by_one_alone) {
        by_threads(s, ranks, n);
        ranks_expect(ranks, &s->parted, n, tree, "threads");
    }
    ranks_drop(ranks);
}

static void check_subject(const struct nccl_subject *s, size_t number, struct ranks *of_count, bool by_one_alone)
{
    static struct drawn drawn[MOST_DRAWN];
    const size_t count = draw_sizes(drawn, s->parted.size), size = s->parted.size;
    size_t most = 0;
    for (size_t k = 0; k < count; k++) most = drawn[k].n > most ? drawn[k].n : most;
    unsigned char *const in = (unsigned char *)aligned_alloc(64, (most * size + 127) / 64 * 64);
    s->parted.fill(in, most * size);
    for (size_t k = 0; k < count; k++)
        if (drawn[k].is_first && is_due(number + k))
            check_array(s, &of_count[ranks_of(number + k, MOST_RANKS) - 1], by_one_alone, in, drawn[k].n);
    for (size_t ranks = 1; ranks <= MOST_RANKS; ranks++) {
        if ((number + ranks) % 4 == 0) check_array(s, &of_count[ranks - 1], by_one_alone, in, 0);
        if (is_due_of_few(number + ranks)) check_array(s, &of_count[ranks - 1], by_one_alone, in, 2 + most / 50);
    }
    free(in);
}

static void check_subjects(bool by_one_alone)
{
    struct ranks of_count[MOST_RANKS];
    list_regions();
    for (int k = 0; k < MOST_RANKS; k++) of_count[k] = ranks_begin(k + 1);
    for (size_t k = 0; k < COUNT(subjects); k++) check_subject(&subjects[k], k, of_count, by_one_alone);
    for (int k = 0; k < MOST_RANKS; k++) ranks_end(&of_count[k]);
}

/* The suite "nccl" goes through NCCL, because its devices are no peers; that of "meeting" are. */
static void with_devices(void)
{
#ifdef SIMT
    setenv("SIMT_DEVICES", "4", 1);
    setenv("SIMT_PEERS", "0", 1);
#endif
    need_gpu();
}

TestSuite(nccl, .init = with_devices);

Test(nccl, every_region)
{
    check_subjects(false);
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

#define REFUSED(call, error)                                                                                 \
    do {                                                                                                     \
        const ncclResult_t refused_ = (call);                                                                \
        cr_expect(refused_ == (error), "%s: %d", #call, (int)refused_);                                      \
    } while (0)

Test(nccl, refused)
{
    enum { N = 5000 };
    struct ranks ranks = ranks_begin(1);
    float *const in = (float *)device_room((N + 1) * sizeof(float), 0), *const out = (float *)ranks.outs[0];
    float *const odd = (float *)(void *)((char *)in + 1);
    reduce_workspace *const ws = ranks.workspaces[0];
    const ncclComm_t comm = ranks.comms[0];
    struct stand_in_world crowd = *comm->world;
    struct ncclComm one_of_many = {&crowd, 3, 0};
    float *const no_float = NULL;
    reduce_workspace *const no_ws = NULL;
    const ncclComm_t no_comm = NULL;
    REFUSED(reduce_float_sum_nccl_async(NULL, N, out, ws, comm, 0), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_async(in, N, NULL, ws, comm, 0), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_async(in, N, out, NULL, comm, 0), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_async(in, N, out, ws, NULL, 0), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_async(odd, N, out, ws, comm, 0), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_async(in, N, odd, ws, comm, 0), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_async(in, N, in + N - 1, ws, comm, 0), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_async(in, REDUCE_MAX_ELEMENTS + 1, out, ws, comm, 0), ncclInvalidArgument);
    crowd.ranks = (int)sizeof ws->slots_ / (int)sizeof(float) + 1;
    REFUSED(reduce_float_sum_nccl_async(in, N, out, ws, &one_of_many, 0), ncclInvalidArgument);

    const float *const ins[] = {in};
    float *const outs[] = {out}, *const no_outs[] = {no_float};
    reduce_workspace *const no_workspaces[] = {no_ws};
    const ncclComm_t *const comms = ranks.comms, no_comms[] = {no_comm};
    const cudaStream_t *const streams = ranks.streams;
    reduce_workspace *const *const workspaces = ranks.workspaces;
    REFUSED(reduce_float_sum_nccl_all_async(0, ins, N, outs, workspaces, comms, streams), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_all_async(1, NULL, N, outs, workspaces, comms, streams), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_all_async(1, ins, N, NULL, workspaces, comms, streams), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_all_async(1, ins, N, outs, NULL, comms, streams), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_all_async(1, ins, N, outs, workspaces, NULL, streams), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_all_async(1, ins, N, outs, workspaces, comms, NULL), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_all_async(1, ins, N, no_outs, workspaces, comms, streams), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_all_async(1, ins, N, outs, no_workspaces, comms, streams), ncclInvalidArgument);
    REFUSED(reduce_float_sum_nccl_all_async(1, ins, N, outs, workspaces, no_comms, streams), ncclInvalidArgument);
    CHECK(cudaDeviceSynchronize());
    cr_expect(is_empty_workspace(ws), "a refused call has launched something");
    cr_expect(stand_in_calls(STAND_IN_ALL_GATHER) == 0);
    REFUSED(reduce_float_sum_nccl_async(in, N, in + N, ws, comm, 0), ncclSuccess);
    CHECK(cudaDeviceSynchronize());

    /* As many ranks as there is room for, though only this one exists: the test sees what it would launch and send. */
    crowd.ranks--;
    stand_in_fail(STAND_IN_ALL_GATHER, 1);
    REFUSED(reduce_float_sum_nccl_async(in, N, out, ws, &one_of_many, 0), ncclSystemError);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    ranks_end(&ranks);
}

/* Each rank finds its own error; the one that is last makes no rank launch anything. */
Test(nccl, one_of_all_is_refused)
{
    enum { N = 5000, RANKS = 3 };
    static unsigned char in[N * sizeof(u64)];
    struct ranks ranks = ranks_begin(RANKS);
    const struct nccl_subject *const s = &subjects[0];
    fill_bytes(in, sizeof in);
    ranks_take(&ranks, &s->parted, in, N);
    void *const kept = ranks.outs[RANKS - 1];
    ranks.outs[RANKS - 1] = NULL;
    CHECK(cudaSetDevice(1 % ranks.devices));
    REFUSED(by_one(s, &ranks, N), ncclInvalidArgument);
    int device;
    CHECK(cudaGetDevice(&device));
    cr_expect(device == 1 % ranks.devices);
    ranks.outs[RANKS - 1] = kept;
    for (int r = 0; r < RANKS; r++) {
        CHECK(cudaStreamSynchronize(ranks.streams[r]));
        cr_expect(is_empty_workspace(ranks.workspaces[r]));
    }
    ranks_drop(&ranks);
    ranks_end(&ranks);
}

/* After a failure all workspaces are reset. A rank may write into the others' workspaces as soon as it begins. */
static void ranks_reset(struct ranks *ranks)
{
    ranks_wait(ranks);
    for (int r = 0; r < ranks->count; r++) CHECK(reduce_workspace_reset(ranks->workspaces[r], ranks->streams[r]));
    ranks_wait(ranks);
}

static void try_again(const struct nccl_subject *s, struct ranks *ranks, size_t n, const void *tree)
{
    ranks_reset(ranks);
    cr_expect(by_one(s, ranks, n) == ncclSuccess);
    ranks_expect(ranks, &s->parted, n, tree, "after a failure");
}

Test(nccl, failures)
{
    enum { N = 5000, RANKS = 3 };
    static unsigned char in[N * sizeof(u64)];
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    struct ranks ranks = ranks_begin(RANKS);
    const struct nccl_subject *const s = &subjects[0];
    fill_bytes(in, sizeof in);
    s->parted.tree(in, N, tree);
    ranks_take(&ranks, &s->parted, in, N);
    CHECK(cudaSetDevice(1 % ranks.devices));
    for (int call = 0; call < STAND_IN_CALLS; call++) {
        long before = stand_in_calls((enum stand_in_call)call);
        cr_expect(by_one(s, &ranks, N) == ncclSuccess);
        const long calls = stand_in_calls((enum stand_in_call)call) - before;
        ranks_expect(&ranks, &s->parted, N, tree, "no failure");
        cr_expect(calls > 0);
        for (long nth = 1; nth <= calls; nth++) {
            int device;
            stand_in_fail((enum stand_in_call)call, nth);
            const ncclResult_t result = by_one(s, &ranks, N);
            cr_expect(result == ncclSystemError, "call %d, %ld: %d", call, nth, (int)result);
            CHECK(cudaGetDevice(&device));
            cr_expect(device == 1 % ranks.devices, "call %d, %ld: device %d", call, nth, device);
            try_again(s, &ranks, N, tree);
        }
    }
    /* One rank alone: each of its calls. */
    const struct nccl_subject *const one = s;
    struct ranks alone = ranks_begin(1);
    ranks_take(&alone, &one->parted, in, N);
    for (int call = STAND_IN_RANK; call <= STAND_IN_ALL_GATHER; call++) {
        if (call == STAND_IN_DEVICE) continue;
        stand_in_fail((enum stand_in_call)call, 1);
        cr_expect(one->run(alone.parts[0], N, alone.outs[0], alone.workspaces[0], alone.comms[0], alone.streams[0]) ==
                  ncclSystemError);
        try_again(one, &alone, N, tree);
    }
#ifdef SIMT
    const char *const kinds[] = {"launch", "device"};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const long before = simt_calls(kinds[k]);
        cr_expect(by_one(s, &ranks, N) == ncclSuccess);
        const int calls = (int)(simt_calls(kinds[k]) - before);
        ranks_expect(&ranks, &s->parted, N, tree, "no failure");
        cr_expect(k > 0 || calls == 2 * RANKS, "%d launches", calls);
        for (int nth = 1; nth <= calls; nth++) {
            simt_fail_after(kinds[k], nth);
            const ncclResult_t result = by_one(s, &ranks, N);
            simt_fail_after(kinds[k], 0);
            cr_expect(result == ncclUnhandledCudaError, "%s %d of %d: %d", kinds[k], nth, calls, (int)result);
            simt_clear();
            CHECK(cudaSetDevice(1 % ranks.devices));
            try_again(s, &ranks, N, tree);
        }
    }
#endif
    ranks_drop(&alone);
    ranks_end(&alone);
    ranks_drop(&ranks);
    ranks_end(&ranks);
}

/* ---- Graphs -------------------------------------------------------------------------------------------- */

static void check_replays(struct ranks *ranks, const struct parted *s, size_t n, const void *tree, int graphs,
                          const cudaGraph_t *captured)
{
    cudaGraphExec_t replays[MOST_RANKS];
    for (int r = 0; r < graphs; r++) CHECK(cudaGraphInstantiate(&replays[r], captured[r], 0));
    for (int k = 0; k < 3; k++) {
        for (int r = 0; r < graphs; r++) {
            CHECK(cudaSetDevice(r % ranks->devices));
            CHECK(cudaGraphLaunch(replays[r], ranks->streams[r]));
        }
        if (k < 1) continue;
        for (int r = 0; r < graphs; r++) CHECK(cudaStreamSynchronize(ranks->streams[r]));
        ranks_expect(ranks, s, n, tree, "a graph");
    }
    for (int r = 0; r < graphs; r++) {
        CHECK(cudaGraphExecDestroy(replays[r]));
        CHECK(cudaGraphDestroy(captured[r]));
    }
    CHECK(cudaSetDevice(0));
}

/* Two calls in one graph of all streams. */
static void check_graph_of_all(struct ranks *ranks, const struct nccl_subject *s, size_t n, const void *tree)
{
    cudaEvent_t fork, joins[MOST_RANKS];
    cudaGraph_t graph;
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaStreamBeginCapture(ranks->streams[0], cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, ranks->streams[0]));
    for (int r = 1; r < ranks->count; r++) CHECK(cudaStreamWaitEvent(ranks->streams[r], fork, 0));
    for (int twice = 0; twice < 2; twice++) cr_assert(by_one(s, ranks, n) == ncclSuccess);
    for (int r = 1; r < ranks->count; r++) {
        CHECK(cudaSetDevice(r % ranks->devices));
        CHECK(cudaEventCreate(&joins[r]));
        CHECK(cudaEventRecord(joins[r], ranks->streams[r]));
        CHECK(cudaStreamWaitEvent(ranks->streams[0], joins[r], 0));
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamEndCapture(ranks->streams[0], &graph));
    check_replays(ranks, &s->parted, n, tree, 1, &graph);
    CHECK(cudaEventDestroy(fork));
    for (int r = 1; r < ranks->count; r++) CHECK(cudaEventDestroy(joins[r]));
}

/* Two calls in a graph for each rank. */
static void check_graph_of_each(struct ranks *ranks, const struct nccl_subject *s, size_t n, const void *tree)
{
    cudaGraph_t graphs[MOST_RANKS];
    for (int r = 0; r < ranks->count; r++) {
        CHECK(cudaSetDevice(r % ranks->devices));
        CHECK(cudaStreamBeginCapture(ranks->streams[r], cudaStreamCaptureModeThreadLocal));
    }
    CHECK(cudaSetDevice(0));
    for (int twice = 0; twice < 2; twice++) cr_assert(by_one(s, ranks, n) == ncclSuccess);
    for (int r = 0; r < ranks->count; r++) {
        CHECK(cudaSetDevice(r % ranks->devices));
        CHECK(cudaStreamEndCapture(ranks->streams[r], &graphs[r]));
    }
    check_replays(ranks, &s->parted, n, tree, ranks->count, graphs);
}

static void check_graphs(bool of_each)
{
    enum { N = 5000, RANKS = 3 };
    static unsigned char in[N * sizeof(u64)];
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    struct ranks ranks = ranks_begin(RANKS);
    const struct nccl_subject *const s = &subjects[0];
    fill_bytes(in, sizeof in);
    s->parted.tree(in, N, tree);
    ranks_take(&ranks, &s->parted, in, N);
    check_graph_of_all(&ranks, s, N, tree);
    if (of_each && ranks.devices >= RANKS) check_graph_of_each(&ranks, s, N, tree);
    ranks_drop(&ranks);
    ranks_end(&ranks);
}

Test(nccl, graph)
{
    check_graphs(false); /* the stand-in does not copy between graphs */
}

/* ---- Kernels of peers meet ----------------------------------------------------------------------------- */

static void with_peers(void)
{
#ifdef SIMT
    setenv("SIMT_DEVICES", "8", 1);
#endif
    need_gpu();
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices == 1) cr_skip_test("one GPU here");
}

TestSuite(meeting, .init = with_peers);

Test(meeting, every_region)
{
    check_subjects(true);
#ifdef SIMT
    cr_expect(stand_in_calls(STAND_IN_ALL_GATHER) == 0);
#endif
}

Test(meeting, graph)
{
    check_graphs(true);
}

/* Calls one behind the other, with other numbers of elements each time, so that some ranks have no chunks. Ranks that are ahead
   do not disturb those that are behind. */
Test(meeting, in_a_row)
{
    enum { RANKS = 3, CALLS = 40, MOST = 9000 };
    static u64 in[MOST];
    u64 *parts[RANKS];
    unsigned char *outs[RANKS];
    void *parts_of_call[RANKS], *outs_of_call[RANKS];
    struct ranks ranks = ranks_begin(RANKS);
    const struct nccl_subject *const s = &subjects[0];
    fill_bytes((unsigned char *)in, sizeof in);
    for (int r = 0; r < RANKS; r++) {
        CHECK(cudaSetDevice(r % ranks.devices));
        parts[r] = (u64 *)to_device(in, sizeof in);
        outs[r] = (unsigned char *)device_room(CALLS * sizeof(u64), 0x5a);
        CHECK(cudaDeviceSynchronize());
    }
    for (int k = 0; k < CALLS; k++) {
        const size_t n = mixed((u64)k) % (k % 4 == 0 ? 3 : k % 4 == 1 ? 500 : MOST);
        for (int r = 0; r < RANKS; r++) {
            parts_of_call[r] = parts[r] + reduce_shard(n, sizeof(u64), r, RANKS).begin;
            outs_of_call[r] = outs[r] + (size_t)k * sizeof(u64);
        }
        cr_assert(s->run_all(RANKS, parts_of_call, n, outs_of_call, ranks.workspaces, ranks.comms, ranks.streams) ==
                  ncclSuccess);
    }
    for (int r = RANKS - 1; r >= 0; r--) CHECK(cudaStreamSynchronize(ranks.streams[r]));
    for (int r = 0; r < RANKS; r++) {
        u64 got[CALLS], tree;
        from_device(got, outs[r], sizeof got);
        for (int k = 0; k < CALLS; k++) {
            const size_t n = mixed((u64)k) % (k % 4 == 0 ? 3 : k % 4 == 1 ? 500 : MOST);
            s->parted.tree(in, n, &tree);
            cr_expect(got[k] == tree, "call %d of %zu, rank %d", k, n, r);
        }
        cr_expect(is_empty_workspace(ranks.workspaces[r]), "rank %d", r);
        CHECK(cudaFree(parts[r]));
        CHECK(cudaFree(outs[r]));
    }
    ranks_end(&ranks);
}

/* A launch fails: the kernels before it end, and the next call after a reset gives the result. The stream of that launch is in a
   capture that has failed. */
Test(meeting, one_is_not_launched)
{
    enum { N = 5000, RANKS = 2 };
    static unsigned char in[N * sizeof(u64)];
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    struct ranks ranks = ranks_begin(RANKS);
    const struct nccl_subject *const s = &subjects[0];
    cudaGraph_t none;
    fill_bytes(in, sizeof in);
    s->parted.tree(in, N, tree);
    ranks_take(&ranks, &s->parted, in, N);
    cr_assert(by_one(s, &ranks, N) == ncclSuccess);
    ranks_wait(&ranks);
    CHECK(cudaMemset(ranks.outs[0], 0x5a, REDUCE_MAX_SIZE));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    CHECK(cudaStreamBeginCapture(ranks.streams[1], cudaStreamCaptureModeRelaxed));
    cr_assert(cudaStreamSynchronize(ranks.streams[1]) != cudaSuccess);
    (void)cudaGetLastError();
    cr_expect(by_one(s, &ranks, N) == ncclUnhandledCudaError);
    (void)cudaGetLastError();
    CHECK(cudaStreamSynchronize(ranks.streams[0]));
    u64 got;
    from_device(&got, ranks.outs[0], sizeof got);
    cr_expect(got == 0x5a5a5a5a5a5a5a5a, "a kernel that waited in vain has written");
    cr_expect(cudaStreamEndCapture(ranks.streams[1], &none) != cudaSuccess);
    (void)cudaGetLastError();
    try_again(s, &ranks, N, tree);
    ranks_drop(&ranks);
    ranks_end(&ranks);
}

/* Ranks do not meet if they share a device, also after one rank alone has met itself there; and as long as an error waits,
   because asking CUDA could replace it. */
Test(meeting, who_does_not)
{
    enum { N = 5000, RANKS = 2 };
    static unsigned char in[N * sizeof(u64)];
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    static const int one_device[RANKS] = {0, 0};
    struct ranks ranks = ranks_begin(RANKS), alone = ranks_begin(1), sharing = ranks_begin(RANKS);
    const struct nccl_subject *const s = &subjects[0];
    void *room;
    fill_bytes(in, sizeof in);
    s->parted.tree(in, N, tree);
    ranks_take(&ranks, &s->parted, in, N);
    cr_assert(cudaMalloc(&room, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    cr_expect(by_one(s, &ranks, N) == ncclSuccess);
    cr_expect(cudaGetLastError() == cudaErrorMemoryAllocation, "the error that waited is lost");
    ranks_expect(&ranks, &s->parted, N, tree, "an error waits");
    cr_expect(stand_in_calls(STAND_IN_ALL_GATHER) == RANKS);
    cr_expect(by_one(s, &ranks, N) == ncclSuccess);
    ranks_expect(&ranks, &s->parted, N, tree, "no error waits");
    ranks_take(&alone, &s->parted, in, N);
    cr_expect(by_one(s, &alone, N) == ncclSuccess);
    ranks_expect(&alone, &s->parted, N, tree, "alone");
    cr_expect(stand_in_calls(STAND_IN_ALL_GATHER) == RANKS, "the kernels did not meet");

    for (int r = 0; r < RANKS; r++) {
        cr_assert(ncclCommDestroy(sharing.comms[r]) == ncclSuccess);
        CHECK(cudaStreamDestroy(sharing.streams[r]));
        CHECK(cudaStreamCreateWithFlags(&sharing.streams[r], cudaStreamNonBlocking));
    }
    cr_assert(ncclCommInitAll(sharing.comms, RANKS, one_device) == ncclSuccess);
    sharing.devices = 1;
    ranks_take(&sharing, &s->parted, in, N);
    cr_expect(by_one(s, &sharing, N) == ncclSuccess);
    ranks_expect(&sharing, &s->parted, N, tree, "one device");
    cr_expect(stand_in_calls(STAND_IN_ALL_GATHER) == 2 * RANKS);
    struct ranks *const all[] = {&ranks, &alone, &sharing};
    for (size_t k = 0; k < COUNT(all); k++) {
        ranks_drop(all[k]);
        ranks_end(all[k]);
    }
}

/* ---- Ranks that are connected -------------------------------------------------------------------------- */

TestSuite(connected, .init = with_peers);

struct joint {
    struct ranks *ranks;
    int rank, processes; /* in which the ranks are */
    const char *fails;   /* the nth call of this kind while it connects; or null */
    int nth;
    bool has_failed;
    ncclResult_t result;
};

static void *join_in(void *of_joint)
{
    struct joint *const joint = (struct joint *)of_joint;
    struct ranks *const ranks = joint->ranks;
    const int r = joint->rank;
    passes_for = 1;
#ifdef SIMT /* CUDA does not map a process's memory into itself */
    passes_for += (unsigned long long)(r % joint->processes);
#endif
    CHECK(cudaSetDevice(r % ranks->devices));
#ifdef SIMT
    const long before = joint->fails != NULL ? simt_own_calls(joint->fails) : 0;
    if (joint->fails != NULL) simt_fail_own(joint->fails, joint->nth);
#endif
    joint->result = reduce_nccl_connect(ranks->workspaces[r], ranks->comms[r], ranks->streams[r]);
#ifdef SIMT
    joint->has_failed = joint->fails != NULL && simt_own_calls(joint->fails) - before >= joint->nth;
#endif
    return NULL;
}

/* All ranks join in, each by a thread. In the one that fails, if any, the nth call of a kind does. Returns how many are
   connected then. */
static int join_ranks(struct joint *joints, struct ranks *ranks, int processes, int failing, const char *kind, int nth)
{
    pthread_t threads[MOST_RANKS];
    int connected = 0;
    for (int r = 0; r < ranks->count; r++) {
        const struct joint joint = {ranks, r, processes, r == failing ? kind : NULL, nth, false, ncclSuccess};
        joints[r] = joint;
        cr_assert(pthread_create(&threads[r], NULL, join_in, &joints[r]) == 0);
    }
    for (int r = 0; r < ranks->count; r++) {
        pthread_join(threads[r], NULL);
        connected += reduce_nccl_is_connected(ranks->workspaces[r], ranks->comms[r]);
    }
    return connected;
}

/* The same of ranks of which none fails; adds the errors to *errors. */
static int connect_ranks(struct ranks *ranks, int processes, int *errors)
{
    struct joint joints[MOST_RANKS];
    const int connected = join_ranks(joints, ranks, processes, -1, NULL, 0);
    for (int r = 0; r < ranks->count; r++) *errors += joints[r].result != ncclSuccess;
    return connected;
}

static void disconnect_ranks(struct ranks *ranks)
{
    ranks_wait(ranks);
    for (int r = 0; r < ranks->count; r++) {
        cr_expect(reduce_nccl_disconnect(ranks->workspaces[r], ranks->comms[r]) == ncclSuccess);
        cr_expect(!reduce_nccl_is_connected(ranks->workspaces[r], ranks->comms[r]));
    }
}

/* Threads of one process; a process for each; processes of two threads. */
Test(connected, every_region)
{
    struct ranks of_count[MOST_RANKS];
    list_regions();
    for (int k = 0; k < MOST_RANKS; k++) {
        int errors = 0;
        of_count[k] = ranks_begin(k + 1);
        const bool can_meet = k < of_count[k].devices;
        const int connected = connect_ranks(&of_count[k], k % 3 == 0 ? 1 : k % 3 == 1 ? k + 1 : (k + 1) / 2, &errors);
        cr_expect(connected == (can_meet ? k + 1 : 0) && errors == 0, "%d ranks: %d", k + 1, connected);
    }
    const long gathers = stand_in_calls(STAND_IN_ALL_GATHER);
    for (size_t k = 0; k < COUNT(subjects); k++) check_subject(&subjects[k], k, of_count, false);
#ifdef SIMT
    cr_expect(stand_in_calls(STAND_IN_ALL_GATHER) == gathers, "ranks did not meet");
#else
    (void)gathers;
#endif
    for (int k = 0; k < MOST_RANKS; k++) {
        disconnect_ranks(&of_count[k]);
        ranks_end(&of_count[k]);
    }
}

/* Who is not connected goes through NCCL, before and after; a workspace is connected once; an entry is used again. */
Test(connected, again)
{
    enum { N = 5000, RANKS = 2 };
    static unsigned char in[N * sizeof(u64)];
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    struct ranks ranks = ranks_begin(RANKS);
    const struct nccl_subject *const s = &subjects[0];
    int errors = 0;
    fill_bytes(in, sizeof in);
    s->parted.tree(in, N, tree);
    ranks_take(&ranks, &s->parted, in, N);
    for (int times = 0; times < 3; times++) {
        long gathers = stand_in_calls(STAND_IN_ALL_GATHER);
        by_threads(s, &ranks, N);
        ranks_expect(&ranks, &s->parted, N, tree, "not connected");
        cr_expect(stand_in_calls(STAND_IN_ALL_GATHER) == gathers + RANKS);
        cr_expect(connect_ranks(&ranks, times + 1, &errors) == RANKS && errors == 0);
        cr_expect(reduce_nccl_connect(ranks.workspaces[0], ranks.comms[0], ranks.streams[0]) == ncclInvalidArgument);
        cr_expect(!reduce_nccl_is_connected(ranks.workspaces[0], ranks.comms[1]));
        gathers = stand_in_calls(STAND_IN_ALL_GATHER);
        by_threads(s, &ranks, N);
        ranks_expect(&ranks, &s->parted, N, tree, "connected");
        cr_expect(stand_in_calls(STAND_IN_ALL_GATHER) == gathers);
        disconnect_ranks(&ranks);
    }
    cr_expect(reduce_nccl_connect(NULL, ranks.comms[0], 0) == ncclInvalidArgument);
    cr_expect(reduce_nccl_connect(ranks.workspaces[0], NULL, 0) == ncclInvalidArgument);
    cr_expect(reduce_nccl_disconnect(ranks.workspaces[0], ranks.comms[0]) == ncclSuccess, "it is not connected");
    ranks_drop(&ranks);
    ranks_end(&ranks);
}

/* A rank's arguments are refused: the kernels of the others end. */
Test(connected, one_is_refused)
{
    enum { N = 5000, RANKS = 2 };
    static unsigned char in[N * sizeof(u64)];
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    struct ranks ranks = ranks_begin(RANKS);
    const struct nccl_subject *const s = &subjects[0];
    int errors = 0;
    fill_bytes(in, sizeof in);
    s->parted.tree(in, N, tree);
    ranks_take(&ranks, &s->parted, in, N);
    cr_expect(connect_ranks(&ranks, 2, &errors) == RANKS && errors == 0);
    CHECK(cudaMemset(ranks.outs[0], 0x5a, REDUCE_MAX_SIZE));
    CHECK(cudaDeviceSynchronize());
    cr_expect(s->run(ranks.parts[0], N, ranks.outs[0], ranks.workspaces[0], ranks.comms[0], ranks.streams[0]) == ncclSuccess);
    CHECK(cudaSetDevice(1));
    cr_expect(s->run(NULL, N, ranks.outs[1], ranks.workspaces[1], ranks.comms[1], ranks.streams[1]) == ncclInvalidArgument);
    CHECK(cudaStreamSynchronize(ranks.streams[0]));
    u64 got;
    from_device(&got, ranks.outs[0], sizeof got);
    cr_expect(got == 0x5a5a5a5a5a5a5a5a, "a kernel that waited in vain has written");
    ranks_reset(&ranks);
    by_threads(s, &ranks, N);
    ranks_expect(&ranks, &s->parted, N, tree, "after a refusal");
    disconnect_ranks(&ranks);
    ranks_drop(&ranks);
    ranks_end(&ranks);
}

#ifdef SIMT
/* Each call of connecting fails once in a rank: only that rank returns an error, all ranks are connected or none, and what was
   mapped is given back. That a workspace cannot be mapped is no error. (Where a call of the exchange fails, the other ranks
   wait, as in any collective.) */
static void check_failures(struct ranks *ranks, int rank, int processes, const char *kind, int first, int expected)
{
    int errors = 0, nth = first;
    for (bool is_made = true; is_made && nth < 30; nth++) {
        struct joint joints[MOST_RANKS];
        const int connected = join_ranks(joints, ranks, processes, rank, kind, nth);
        ranks_wait(ranks);
        is_made = joints[rank].has_failed;
        errors += joints[rank].result != ncclSuccess;
        for (int r = 0; r < ranks->count; r++) {
            cr_expect(r == rank || joints[r].result == ncclSuccess, "%s %d of rank %d: rank %d fails", kind, nth, rank, r);
            cr_expect(reduce_nccl_disconnect(ranks->workspaces[r], ranks->comms[r]) == ncclSuccess);
        }
        cr_expect(connected == 0 || connected == ranks->count, "%s %d of rank %d: %d", kind, nth, rank, connected);
        cr_expect(is_made || connected == ranks->count, "%s %d of rank %d does not fail", kind, nth, rank);
    }
    cr_expect(nth < 30 && errors == expected, "rank %d of %d processes, %s: %d errors", rank, processes, kind, errors);
}

Test(connected, failures)
{
    struct ranks ranks = ranks_begin(2);
    for (int rank = 0; rank < 2; rank++)
        for (int processes = 1; processes <= 2; processes++) {
            check_failures(&ranks, rank, processes, "device", 1, processes == 1 ? 5 : 2);
            check_failures(&ranks, rank, processes, "free", 1, 1);                       /* of the memory for the cards */
            if (processes == 2) check_failures(&ranks, rank, processes, "malloc", 2, 0); /* the first is that memory */
        }
    ranks_end(&ranks);
}
#endif

#ifdef SIMT
/* Each call of CUDA fails once: those that make the devices peers, those that load a NAME's kernel, and those of later calls.
   Where some kernels have been launched, they end. */
Test(meeting, failures)
{
    enum { N = 5000, RANKS = 3, PAIRS = RANKS * (RANKS - 1) };
    static const struct {
        const char *kind;
        size_t subject;
        int calls;
    } fails[] = {{"graph", 0, 2}, {"device", 0, 1 + 4 * PAIRS}, {"device", 1, 3 + 2 * RANKS},
                 {"graph", 2, 2}, {"launch", 0, RANKS}, {"device", 0, 2 + RANKS}};
    struct ranks ranks = ranks_begin(RANKS);
    for (size_t k = 0; k < COUNT(fails); k++) {
        const struct nccl_subject *const s = &subjects[fails[k].subject];
        static unsigned char in[N * REDUCE_MAX_SIZE] __attribute__((aligned(64)));
        unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
        s->parted.fill(in, N * s->parted.size);
        s->parted.tree(in, N, tree);
        ranks_take(&ranks, &s->parted, in, N);
        for (int nth = 1; nth <= fails[k].calls; nth++) {
            simt_fail_after(fails[k].kind, nth);
            const ncclResult_t result = by_one(s, &ranks, N);
            simt_clear();
            cr_expect(result == ncclUnhandledCudaError, "%s %d: %d", fails[k].kind, nth, (int)result);
            ranks_reset(&ranks);
            CHECK(cudaSetDevice(1));
        }
        if (k > 0) { /* after the first, the devices shall not be peers yet */
            const long before = simt_calls(fails[k].kind);
            cr_expect(by_one(s, &ranks, N) == ncclSuccess);
            cr_expect(k < 4 || simt_calls(fails[k].kind) - before == fails[k].calls, "%s: a call did not fail", fails[k].kind);
            ranks_expect(&ranks, &s->parted, N, tree, "after failures");
        }
        ranks_drop(&ranks);
    }
    cr_expect(stand_in_calls(STAND_IN_ALL_GATHER) == 0);
    ranks_end(&ranks);
}
#endif
