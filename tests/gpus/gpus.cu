/*
 * reduce_nccl.cuh with NCCL itself, on all GPUs of the machine: by a process for each GPU, by a thread for each, and by one
 * thread for all; in streams and in a graph. The bits must be those of the tree of tree.h over the whole array.
 *
 *     nvcc -O2 -arch=native -I.. -I../../include gpus.cu -lnccl -o gpus && ./gpus [GPUS]
 */
#define CHECK_ALONE
#include "reduce_nccl.cuh"

#include "../parts.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADD_ARRAY(NAME, KIND, size, fill) DEFINE_REDUCE_NCCL(NAME)
PARTS_OF_ARRAYS(ADD_ARRAY)
DEFINE_REDUCE_ZIP_NCCL(zipped)
DEFINE_REDUCE_WITH_NCCL(scaled)
DEFINE_REDUCE_ZIP_WITH_NCCL(added)
PARTS(DEFINE_PARTED)

enum { MOST_GPUS = 8 };
#ifdef REDUCE_NO_WAITING
enum { BY_NCCL = 1 };
#else
enum { BY_NCCL = 0 };
#endif

PARTS(DEFINE_NCCL)
static const struct nccl_subject subjects_of_gpus[] = {PARTS(NCCL_SUBJECT)};

#define CHECK_NCCL(call)                                                                                     \
    do {                                                                                                     \
        const ncclResult_t check_nccl_ = (call);                                                             \
        cr_assert(check_nccl_ == ncclSuccess, "%s: %s", #call, ncclGetErrorString(check_nccl_));             \
    } while (0)

/* ---- Arrays and their results, before any process uses CUDA -------------------------------------------- */

static const size_t sizes[] = {0, 1, 2, 31, 1000, 50001, 1000003, 6000001, 20000003};
enum { SUBJECTS = COUNT(subjects_of_gpus), SIZES = COUNT(sizes), MOST_BYTES = 20000003 * 4 };
static unsigned char *arrays[2]; /* of bytes, and of floats */
static unsigned char expected[SUBJECTS][SIZES][REDUCE_MAX_SIZE] __attribute__((aligned(64)));

static const unsigned char *array_for(const struct parted *s)
{
    return arrays[s->fill == fill_floats];
}
static bool is_taken(const struct parted *s, size_t k)
{
    return sizes[k] * s->size <= MOST_BYTES;
}

static void prepare(void)
{
    for (int k = 0; k < 2; k++) arrays[k] = (unsigned char *)aligned_alloc(64, MOST_BYTES / 64 * 64 + 64);
    fill_bytes(arrays[0], MOST_BYTES);
    fill_floats(arrays[1], MOST_BYTES);
    for (size_t s = 0; s < SUBJECTS; s++)
        for (size_t k = 0; k < SIZES; k++) {
            const struct parted *const parted = &subjects_of_gpus[s].parted;
            if (is_taken(parted, k)) parted->tree(array_for(parted), sizes[k], expected[s][k]);
        }
}

/* ---- One rank ------------------------------------------------------------------------------------------ */

struct gpu {
    int rank, ranks;
    bool is_connected;
    ncclComm_t comm;
    cudaStream_t stream;
    reduce_workspace *ws;
    void *room, *part, *out;
};

static void begin(struct gpu *gpu)
{
    CHECK(cudaSetDevice(gpu->rank));
    CHECK(cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking));
    CHECK(reduce_workspace_create(&gpu->ws));
    gpu->room = device_room(MOST_BYTES + REDUCE_MAX_SIZE, 0);
    gpu->out = device_room(REDUCE_MAX_SIZE, 0);
}

static void take(struct gpu *gpu, const struct parted *s, size_t n)
{
    const struct reduce_shard own = reduce_shard(n, s->size, gpu->rank, gpu->ranks);
    CHECK(cudaSetDevice(gpu->rank));
    gpu->part = (char *)gpu->room + (n % 5 == 1 ? s->size : 0);
    if (own.length > 0)
        CHECK(cudaMemcpy(gpu->part, array_for(s) + own.begin * s->size, own.length * s->size, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(gpu->out, 0x5a, REDUCE_MAX_SIZE));
    CHECK(cudaDeviceSynchronize());
}

static void expect(struct gpu *gpu, size_t s, size_t k, const char *how)
{
    const struct parted *const parted = &subjects_of_gpus[s].parted;
    unsigned char got[REDUCE_MAX_SIZE];
    CHECK(cudaSetDevice(gpu->rank));
    CHECK(cudaStreamSynchronize(gpu->stream));
    from_device(got, gpu->out, parted->result_size);
    cr_assert(memcmp(got, expected[s][k], parted->result_size) == 0, "%s of %zu, %s, rank %d of %d: %s, not %s",
              parted->name, sizes[k], how, gpu->rank, gpu->ranks, bits_in_hex(got, parted->result_size),
              bits_in_hex(expected[s][k], parted->result_size));
    if (gpu->is_connected) return; /* another rank may have begun its next call */
    cr_assert(is_empty_workspace(gpu->ws), "%s of %zu, %s: the workspace is not empty", parted->name, sizes[k], how);
}

/* Every subject and size; every third time in a graph of two calls. */
static void run_calls(struct gpu *gpu, const char *how)
{
    for (size_t s = 0; s < SUBJECTS; s++)
        for (size_t k = 0; k < SIZES; k++) {
            const struct nccl_subject *const subject = &subjects_of_gpus[s];
            cudaGraph_t graph;
            cudaGraphExec_t replay;
            if (!is_taken(&subject->parted, k)) continue;
            take(gpu, &subject->parted, sizes[k]);
            if ((s + k) % 3 > 0) {
                CHECK_NCCL(subject->run(gpu->part, sizes[k], gpu->out, gpu->ws, gpu->comm, gpu->stream));
                expect(gpu, s, k, how);
                continue;
            }
            CHECK(cudaStreamBeginCapture(gpu->stream, cudaStreamCaptureModeThreadLocal));
            for (int twice = 0; twice < 2; twice++)
                CHECK_NCCL(subject->run(gpu->part, sizes[k], gpu->out, gpu->ws, gpu->comm, gpu->stream));
            CHECK(cudaStreamEndCapture(gpu->stream, &graph));
            CHECK(cudaGraphInstantiate(&replay, graph, 0));
            for (int times = 0; times < 3; times++) CHECK(cudaGraphLaunch(replay, gpu->stream));
            expect(gpu, s, k, how);
            CHECK(cudaGraphExecDestroy(replay));
            CHECK(cudaGraphDestroy(graph));
        }
}

/* Many calls without waiting between them, by a rank that sleeps now and then, so that ranks are ahead and behind. */
static void run_on(struct gpu *gpu, size_t s, size_t k, const char *how)
{
    const struct nccl_subject *const subject = &subjects_of_gpus[s];
    take(gpu, &subject->parted, sizes[k]);
    for (int calls = 0; calls < 300; calls++) {
        if (calls % 40 == 10 * gpu->rank) usleep(500);
        CHECK_NCCL(subject->run(gpu->part, sizes[k], gpu->out, gpu->ws, gpu->comm, gpu->stream));
    }
    expect(gpu, s, k, how);
}

/* Waits for all ranks. */
static void meet_all(struct gpu *gpu)
{
    CHECK_NCCL(ncclAllReduce(gpu->out, gpu->out, 1, ncclInt, ncclSum, gpu->comm, gpu->stream));
    CHECK(cudaStreamSynchronize(gpu->stream));
}

/* By NCCL, and then connected. */
static void run_rank(struct gpu *gpu, const char *how, const char *how_connected)
{
    begin(gpu);
    run_calls(gpu, how);
    CHECK_NCCL(reduce_nccl_connect(gpu->ws, gpu->comm, gpu->stream));
    gpu->is_connected = reduce_nccl_is_connected(gpu->ws, gpu->comm);
    if (gpu->rank == 0) printf("%s: %s\n", how_connected, gpu->is_connected ? "connected" : "not connected");
    if (!gpu->is_connected) return;
    run_calls(gpu, how_connected);
    for (size_t k = 0; k < SIZES; k++)
        if (is_taken(&subjects_of_gpus[k % SUBJECTS].parted, k)) run_on(gpu, k % SUBJECTS, k, how_connected);
    meet_all(gpu);
    cr_assert(is_empty_workspace(gpu->ws), "%s: the workspace is not empty", how_connected);
    meet_all(gpu);
    CHECK_NCCL(reduce_nccl_disconnect(gpu->ws, gpu->comm));
    gpu->is_connected = false;
}

static void *by_thread(void *of_gpu)
{
    run_rank((struct gpu *)of_gpu, "threads", "connected threads");
    return NULL;
}

/* ---- All ranks ----------------------------------------------------------------------------------------- */

/* Ranks are processes, which learn NCCL's number through pipes. */
static void by_processes(int ranks)
{
    int to_rank[MOST_GPUS][2];
    for (int r = 0; r < ranks; r++) cr_assert(pipe(to_rank[r]) == 0, "pipe");
    for (int r = 0; r < ranks; r++) {
        if (fork() != 0) continue;
        struct gpu gpu;
        ncclUniqueId id;
        memset(&gpu, 0, sizeof gpu);
        gpu.rank = r, gpu.ranks = ranks;
        CHECK(cudaSetDevice(r));
        if (r == 0) {
            CHECK_NCCL(ncclGetUniqueId(&id));
            for (int other = 1; other < ranks; other++)
                cr_assert(write(to_rank[other][1], &id, sizeof id) == (ssize_t)sizeof id, "write");
        } else {
            cr_assert(read(to_rank[r][0], &id, sizeof id) == (ssize_t)sizeof id, "read");
        }
        CHECK_NCCL(ncclCommInitRank(&gpu.comm, ranks, id, r));
        run_rank(&gpu, "processes", "connected processes");
        CHECK_NCCL(ncclCommDestroy(gpu.comm));
        _exit(0);
    }
    for (int r = 0; r < ranks; r++) {
        int status = 1;
        cr_assert(wait(&status) > 0 && status == 0, "a process failed: %d", status);
    }
    printf("%d processes: the same bits\n", ranks);
}

static void by_threads(struct gpu *gpus, int ranks)
{
    pthread_t threads[MOST_GPUS];
    for (int r = 0; r < ranks; r++) cr_assert(pthread_create(&threads[r], NULL, by_thread, &gpus[r]) == 0, "thread");
    for (int r = 0; r < ranks; r++) pthread_join(threads[r], NULL);
    printf("%d threads: the same bits\n", ranks);
}

static ncclResult_t call_all(const struct nccl_subject *s, struct gpu *gpus, int ranks, size_t n)
{
    void *parts[MOST_GPUS], *outs[MOST_GPUS];
    reduce_workspace *workspaces[MOST_GPUS];
    ncclComm_t comms[MOST_GPUS];
    cudaStream_t streams[MOST_GPUS];
    for (int r = 0; r < ranks; r++) {
        parts[r] = gpus[r].part, outs[r] = gpus[r].out, workspaces[r] = gpus[r].ws;
        comms[r] = gpus[r].comm, streams[r] = gpus[r].stream;
    }
    return s->run_all(ranks, parts, n, outs, workspaces, comms, streams);
}

static void run_all(const struct nccl_subject *s, struct gpu *gpus, int ranks, size_t n)
{
    CHECK(cudaSetDevice(ranks - 1));
    CHECK_NCCL(call_all(s, gpus, ranks, n));
    int device;
    CHECK(cudaGetDevice(&device));
    cr_assert(device == ranks - 1, "the caller's device was not made current again");
}

/* All ranks have done all of their work. */
static void wait_all(struct gpu *gpus, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamSynchronize(gpus[r].stream));
    }
}

static void by_one_thread(struct gpu *gpus, int ranks)
{
    for (size_t s = 0; s < SUBJECTS; s++)
        for (size_t k = 0; k < SIZES; k++) {
            if (!is_taken(&subjects_of_gpus[s].parted, k)) continue;
            for (int r = 0; r < ranks; r++) take(&gpus[r], &subjects_of_gpus[s].parted, sizes[k]);
            run_all(&subjects_of_gpus[s], gpus, ranks, sizes[k]);
            wait_all(gpus, ranks);
            for (int r = 0; r < ranks; r++) expect(&gpus[r], s, k, "one thread");
        }
    printf("one thread, %d GPUs: the same bits\n", ranks);
}

/* Many calls by one thread, one behind the other, of all subjects and with other numbers of elements each time: ranks that are
   ahead must not disturb those that are behind. In streams, and in a graph for each GPU, which is replayed. */
enum { IN_A_ROW = 60 };
struct in_a_row {
    size_t subject, n;
};
static struct in_a_row call_in_a_row(int k)
{
    const size_t s = (size_t)k * 7 % SUBJECTS;
    const struct in_a_row call = {s, mixed((u64)k) % (k % 3 == 0 ? 40 : k % 3 == 1 ? 40000 : 700000)};
    return call;
}

static void queue_in_a_row(struct gpu *gpus, int ranks, int k, unsigned char *const *outs)
{
    const struct in_a_row call = call_in_a_row(k);
    const struct parted *const s = &subjects_of_gpus[call.subject].parted;
    for (int r = 0; r < ranks; r++) {
        const struct reduce_shard own = reduce_shard(call.n, s->size, r, ranks);
        gpus[r].part = own.length > 0 ? (char *)gpus[r].room + own.begin * s->size : NULL;
        gpus[r].out = outs[r] + (size_t)k * REDUCE_MAX_SIZE;
    }
    run_all(&subjects_of_gpus[call.subject], gpus, ranks, call.n);
}

static void expect_in_a_row(struct gpu *gpus, int ranks, const unsigned char *const *outs, const char *how)
{
    static unsigned char got[IN_A_ROW * REDUCE_MAX_SIZE];
    wait_all(gpus, ranks);
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        from_device(got, outs[r], sizeof got);
        for (int k = 0; k < IN_A_ROW; k++) {
            const struct in_a_row call = call_in_a_row(k);
            const struct parted *const s = &subjects_of_gpus[call.subject].parted;
            unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
            s->tree(arrays[1], call.n, tree);
            cr_assert(memcmp(got + k * REDUCE_MAX_SIZE, tree, s->result_size) == 0, "%s of %zu, %s, call %d, rank %d",
                      s->name, call.n, how, k, r);
        }
        cr_assert(is_empty_workspace(gpus[r].ws), "%s: the workspace is not empty", how);
    }
}

static void in_a_row(struct gpu *gpus, int ranks)
{
    unsigned char *outs[MOST_GPUS];
    void *kept[MOST_GPUS];
    cudaGraph_t graphs[MOST_GPUS];
    cudaGraphExec_t replays[MOST_GPUS];
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        kept[r] = gpus[r].out;
        outs[r] = (unsigned char *)device_room(IN_A_ROW * REDUCE_MAX_SIZE, 0x5a);
        CHECK(cudaMemcpy(gpus[r].room, arrays[1], MOST_BYTES, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
    }
    for (int k = 0; k < IN_A_ROW; k++) queue_in_a_row(gpus, ranks, k, outs);
    expect_in_a_row(gpus, ranks, outs, "in streams");
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaMemset(outs[r], 0x5a, IN_A_ROW * REDUCE_MAX_SIZE));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaStreamBeginCapture(gpus[r].stream, cudaStreamCaptureModeThreadLocal));
    }
    for (int k = 0; k < IN_A_ROW; k++) queue_in_a_row(gpus, ranks, k, outs);
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamEndCapture(gpus[r].stream, &graphs[r]));
    }
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaGraphInstantiate(&replays[r], graphs[r], 0));
    }
    for (int times = 0; times < 30; times++)
        for (int r = 0; r < ranks; r++) {
            CHECK(cudaSetDevice(r));
            CHECK(cudaGraphLaunch(replays[r], gpus[r].stream));
        }
    expect_in_a_row(gpus, ranks, outs, "in graphs");
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaGraphExecDestroy(replays[r]));
        CHECK(cudaGraphDestroy(graphs[r]));
        CHECK(cudaFree(outs[r]));
        gpus[r].out = kept[r];
    }
    printf("%d calls in a row, in streams and graphs: the same bits\n", IN_A_ROW);
}

/* The last rank's kernel cannot be launched, because its stream is in a capture that has failed. The kernels of the other
   ranks must end nevertheless. */
static void one_is_not_launched(struct gpu *gpus, int ranks)
{
    const size_t s = 0, k = 4;
    for (int r = 0; r < ranks; r++) take(&gpus[r], &subjects_of_gpus[s].parted, sizes[k]);
    const cudaStream_t stream = gpus[ranks - 1].stream;
    cudaGraph_t none;
    CHECK(cudaSetDevice(ranks - 1));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    cr_assert(cudaStreamSynchronize(stream) != cudaSuccess, "a capture");
    (void)cudaGetLastError();
    cr_assert(call_all(&subjects_of_gpus[s], gpus, ranks, sizes[k]) == ncclUnhandledCudaError, "a capture that has failed");
    (void)cudaGetLastError();
    cr_assert(cudaStreamEndCapture(stream, &none) != cudaSuccess, "a capture that has failed");
    (void)cudaGetLastError();
    wait_all(gpus, ranks);
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(reduce_workspace_reset(gpus[r].ws, gpus[r].stream));
    }
    wait_all(gpus, ranks);
    run_all(&subjects_of_gpus[s], gpus, ranks, sizes[k]);
    wait_all(gpus, ranks);
    for (int r = 0; r < ranks; r++) expect(&gpus[r], s, k, "after a failed launch");
    printf("a kernel that is not launched: the others end\n");
}

/* More than 2^32 elements on each GPU, of which those of each 2^20 are alike. */
static __host__ __device__ i8 far_element(size_t i)
{
    return (i8)((i >> 20) % 101);
}
static __global__ void fill_far(i8 *to, size_t begin, size_t length)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < length; k += gridDim.x * (size_t)blockDim.x)
        to[k] = far_element(begin + k);
}

static void far_elements(struct gpu *gpus, int ranks)
{
    const size_t n = (size_t)ranks * (((size_t)1 << 32) + 4097);
    i8 *parts[MOST_GPUS];
    int *outs[MOST_GPUS], got;
    reduce_workspace *workspaces[MOST_GPUS];
    ncclComm_t comms[MOST_GPUS];
    cudaStream_t streams[MOST_GPUS];
    u64 sum = 0;
    for (size_t i = 0; i < n; i += 1 << 20) sum += (n - i < 1 << 20 ? n - i : 1 << 20) * (u64)far_element(i);
    for (int r = 0; r < ranks; r++) {
        const struct reduce_shard own = reduce_shard(n, 1, r, ranks);
        CHECK(cudaSetDevice(r));
        CHECK(cudaMalloc((void **)&parts[r], own.length));
        fill_far<<<1024, 256, 0, gpus[r].stream>>>(parts[r], own.begin, own.length);
        outs[r] = (int *)gpus[r].out, workspaces[r] = gpus[r].ws, comms[r] = gpus[r].comm, streams[r] = gpus[r].stream;
    }
    CHECK_NCCL(sum_of_bytes_nccl_all_async(ranks, parts, n, outs, workspaces, comms, streams));
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamSynchronize(streams[r]));
        from_device(&got, outs[r], sizeof got);
        cr_assert(got == (int)(unsigned)sum, "%zu bytes: %d, not %d", n, got, (int)(unsigned)sum);
        CHECK(cudaFree(parts[r]));
    }
    printf("%zu elements: right\n", n);
}

/* How many there are: asked by a process of its own, because a process that has used CUDA cannot fork. */
static int count_gpus(void)
{
    if (fork() == 0) {
        int count = 0;
        _exit(cudaGetDeviceCount(&count) == cudaSuccess ? count : 0);
    }
    int status = 0;
    wait(&status);
    const int count = WEXITSTATUS(status);
    return count < MOST_GPUS ? count : MOST_GPUS;
}

int main(int argc, char **argv)
{
    const int there = count_gpus(), ranks = argc > 1 && atoi(argv[1]) < there ? atoi(argv[1]) : there;
    ncclComm_t comms[MOST_GPUS];
    static struct gpu gpus[MOST_GPUS];
    if (ranks < 1) {
        printf("skipped: no GPU here\n");
        return 77;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    prepare();
    by_processes(ranks);
    CHECK_NCCL(ncclCommInitAll(comms, ranks, NULL));
    for (int r = 0; r < ranks; r++) gpus[r].rank = r, gpus[r].ranks = ranks, gpus[r].comm = comms[r];
    by_threads(gpus, ranks);
    by_one_thread(gpus, ranks);
    in_a_row(gpus, ranks);
    if (ranks > 1 && !BY_NCCL) one_is_not_launched(gpus, ranks);
    far_elements(gpus, ranks);
    for (int r = 0; r < ranks; r++) CHECK_NCCL(ncclCommDestroy(comms[r]));
    return 0;
}
