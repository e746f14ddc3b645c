/*
 * many.cu: times of a sum of floats over all GPUs of a machine, by one process. One thread that serves all GPUs makes the
 * call twice: as it is, where the kernels of peers meet, and by an all-gather of NCCL. Beside it stand its parts: the sum of
 * one GPU's elements by that GPU alone, NCCL's all-gather of the same bytes, and NCCL's smallest collectives. The usual way
 * stands beside it too: a sum by each GPU and ncclAllReduce, whose result depends on the number of GPUs.
 *
 *     many [--gpus N] [--min 10] [--max 32] [--modes graph,stream,threads] [--quick] [--rounds N] [--json FILE]
 *
 * A cell is the time of a call in microseconds, for 2^min to 2^max bytes on each GPU. A round times each side once.
 *   graph, stream   one thread serves all GPUs: a graph of calls for each GPU, or the calls one after the other in streams
 *   threads         each GPU has a thread, which calls in a stream
 */
#include "reduce_nccl.cuh"

#include "many.h"
#include "timing.h"

#include <pthread.h>

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_NCCL(reduce_float_sum)

enum { MOST_GPUS = 8, SIDES = 7, CHECKED_BYTES = 1 << 26 };

#define CHECK_NCCL(call)                                                                                     \
    do {                                                                                                     \
        const ncclResult_t check_ = (call);                                                                  \
        if (check_ != ncclSuccess) bench_fail("%s: %s", #call, ncclGetErrorString(check_));                  \
    } while (0)

static int gpus;
static ncclComm_t comms[MOST_GPUS];
static cudaStream_t streams[MOST_GPUS];
static reduce_workspace *workspaces[MOST_GPUS];
static float *parts[MOST_GPUS], *outs[MOST_GPUS], *alone;
static char *gathered[MOST_GPUS];
static size_t n; /* of the whole array */

/* ---- Sides --------------------------------------------------------------------------------------------- */

static size_t length_of(int g)
{
    return reduce_shard(n, sizeof(float), g, gpus).length;
}

/* By one thread for all GPUs; by a thread for each, whose device is current. */
static void ours(void)
{
    CHECK_NCCL(reduce_float_sum_nccl_all_async(gpus, (const float *const *)parts, n, outs, workspaces, comms, streams));
}
static void ours_of(int g)
{
    CHECK_NCCL(reduce_float_sum_nccl_async(parts[g], n, outs[g], workspaces[g], comms[g], streams[g]));
}

static void ours_by_nccl(void)
{
    CHECK_NCCL(many_by_nccl(gpus, (const float *const *)parts, n, outs, workspaces, comms, streams));
}

static void sum_of(int g)
{
    BENCH_CHECK(reduce_float_sum_async(parts[g], length_of(g), outs[g] + 2, workspaces[g], streams[g]));
}
static void one_gpu_of(int g)
{
    if (g == 0) sum_of(0);
}
static void one_gpu(void)
{
    one_gpu_of(0);
}

static void gather_of(int g, size_t bytes)
{
    CHECK_NCCL(ncclAllGather(gathered[g] + g * bytes, gathered[g], bytes, ncclUint8, comms[g], streams[g]));
}
static void gather_same_of(int g)
{
    gather_of(g, reduce_divide_up_(reduce_plan(n, sizeof(float)).count, (size_t)gpus) * sizeof(float));
}
static void gather_least_of(int g)
{
    gather_of(g, sizeof(float));
}
static void reduce_of(int g)
{
    CHECK_NCCL(ncclAllReduce(outs[g] + 2, outs[g] + 3, 1, ncclFloat, ncclSum, comms[g], streams[g]));
}

static void group(void (*call)(int))
{
    CHECK_NCCL(ncclGroupStart());
    for (int g = 0; g < gpus; g++) call(g);
    CHECK_NCCL(ncclGroupEnd());
}
static void gather_same(void)
{
    group(gather_same_of);
}
static void gather_least(void)
{
    group(gather_least_of);
}
static void reduce_least(void)
{
    group(reduce_of);
}

static void usual_of(int g)
{
    sum_of(g);
    reduce_of(g);
}
static void usual(void)
{
    for (int g = 0; g < gpus; g++) {
        BENCH_CHECK(cudaSetDevice(g));
        sum_of(g);
    }
    group(reduce_of);
}

static const struct {
    const char *name;
    void (*by_one)(void);
    void (*by_each)(int g);
    int streams; /* that it uses: the first, or all */
} sides[SIDES] = {{"ours", ours, ours_of, 0},
                  {"ours_by_nccl", ours_by_nccl, ours_of, 0},
                  {"one_gpu", one_gpu, one_gpu_of, 1},
                  {"all_gather", gather_same, gather_same_of, 0},
                  {"least_all_gather", gather_least, gather_least_of, 0},
                  {"least_all_reduce", reduce_least, reduce_of, 0},
                  {"usual", usual, usual_of, 0}};

/* ---- Times --------------------------------------------------------------------------------------------- */

static cudaGraphExec_t graphs[SIDES][MOST_GPUS];
static cudaEvent_t first, last;

static int used(int side)
{
    return sides[side].streams > 0 ? sides[side].streams : gpus;
}

static void settle(void)
{
    for (int g = 0; g < gpus; g++) {
        BENCH_CHECK(cudaSetDevice(g));
        BENCH_CHECK(cudaStreamSynchronize(streams[g]));
    }
    BENCH_CHECK(cudaSetDevice(0));
}

/* A graph of the calls for each GPU. */
static void capture(int side, int calls)
{
    cudaGraph_t captured[MOST_GPUS];
    sides[side].by_one(); /* what is loaded late is loaded now */
    settle();
    for (int g = 0; g < used(side); g++) {
        BENCH_CHECK(cudaSetDevice(g));
        BENCH_CHECK(cudaStreamBeginCapture(streams[g], cudaStreamCaptureModeThreadLocal));
    }
    BENCH_CHECK(cudaSetDevice(0));
    for (int i = 0; i < calls; i++) sides[side].by_one();
    for (int g = 0; g < used(side); g++) {
        BENCH_CHECK(cudaSetDevice(g));
        BENCH_CHECK(cudaStreamEndCapture(streams[g], &captured[g]));
    }
    for (int g = 0; g < used(side); g++) {
        BENCH_CHECK(cudaSetDevice(g));
        BENCH_CHECK(cudaGraphInstantiate(&graphs[side][g], captured[g], 0));
        BENCH_CHECK(cudaGraphDestroy(captured[g]));
        BENCH_CHECK(cudaGraphUpload(graphs[side][g], streams[g]));
    }
    settle();
}

/* A thread for each GPU; all begin and end a round together. */
static pthread_barrier_t begins, ends;
static int job_side, job_calls;

static void *serve(void *of_gpu)
{
    const int g = (int)(intptr_t)of_gpu;
    BENCH_CHECK(cudaSetDevice(g));
    while (true) {
        pthread_barrier_wait(&begins);
        if (job_calls == 0) return NULL;
        if (g == 0) BENCH_CHECK(cudaEventRecord(first, streams[0]));
        for (int i = 0; i < job_calls; i++) sides[job_side].by_each(g);
        if (g == 0) BENCH_CHECK(cudaEventRecord(last, streams[0]));
        pthread_barrier_wait(&ends);
    }
}

static double time_once(int side, int calls, const char *mode)
{
    float milliseconds;
    if (strcmp(mode, "threads") == 0) {
        job_side = side, job_calls = calls;
        pthread_barrier_wait(&begins);
        pthread_barrier_wait(&ends);
    } else {
        const bool in_graph = strcmp(mode, "graph") == 0;
        BENCH_CHECK(cudaEventRecord(first, streams[0]));
        for (int i = 0; i < calls && !in_graph; i++) sides[side].by_one();
        for (int g = 0; g < used(side) && in_graph; g++) {
            BENCH_CHECK(cudaSetDevice(g));
            BENCH_CHECK(cudaGraphLaunch(graphs[side][g], streams[g]));
        }
        BENCH_CHECK(cudaSetDevice(0));
        BENCH_CHECK(cudaEventRecord(last, streams[0]));
    }
    settle();
    BENCH_CHECK(cudaEventElapsedTime(&milliseconds, first, last));
    return milliseconds * 1e3 / calls;
}

static void time_sides(int calls, int rounds, const char *mode, struct bench_time *times)
{
    static double samples[SIDES][BENCH_MAX_ROUNDS];
    const bool in_graph = strcmp(mode, "graph") == 0;
    for (int s = 0; s < SIDES; s++) {
        if (in_graph) capture(s, calls);
        time_once(s, calls, mode);
    }
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < SIDES; k++) {
            const int s = r % 2 == 0 ? k : SIDES - 1 - k;
            samples[s][r] = time_once(s, calls, mode);
        }
    for (int s = 0; s < SIDES; s++) {
        times[s] = bench_summary(samples[s], rounds);
        for (int g = 0; in_graph && g < used(s); g++) BENCH_CHECK(cudaGraphExecDestroy(graphs[s][g]));
    }
}

/* ---- Data and results ---------------------------------------------------------------------------------- */

static __host__ __device__ float element(size_t i)
{
    unsigned long long x = i + 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return ((float)(x >> 40) - 8388608.0f) * (1 + (x >> 20) % 1000) * 1e-9f;
}

static __global__ void fill(float *to, size_t begin, size_t length)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < length; k += gridDim.x * (size_t)blockDim.x)
        to[k] = element(begin + k);
}

/* The bits of one GPU that has the whole array, and up to 64 MiB of the CPU. */
static uint32_t expected_bits(void)
{
    float result;
    uint32_t bits;
    BENCH_CHECK(cudaSetDevice(0));
    fill<<<1024, 256, 0, streams[0]>>>(alone, 0, n);
    BENCH_CHECK(reduce_float_sum_async(alone, n, outs[0], workspaces[0], streams[0]));
    BENCH_CHECK(cudaStreamSynchronize(streams[0]));
    BENCH_CHECK(cudaMemcpy(&result, outs[0], sizeof result, cudaMemcpyDeviceToHost));
    if (n * sizeof(float) <= CHECKED_BYTES) {
        float *const in = (float *)malloc(n * sizeof *in);
        for (size_t i = 0; i < n; i++) in[i] = element(i);
        const float on_cpu = reduce_float_sum_cpu(in, n);
        if (memcmp(&on_cpu, &result, sizeof result) != 0) bench_fail("one GPU and the CPU differ");
        free(in);
    }
    memcpy(&bits, &result, sizeof bits);
    return bits;
}

static uint32_t check(void)
{
    const uint32_t expected = expected_bits();
    for (int g = 0; g < gpus; g++) {
        const struct reduce_shard own = reduce_shard(n, sizeof(float), g, gpus);
        BENCH_CHECK(cudaSetDevice(g));
        if (own.length > 0) fill<<<1024, 256, 0, streams[g]>>>(parts[g], own.begin, own.length);
    }
    BENCH_CHECK(cudaSetDevice(0));
    for (int k = 0; k < 2; k++) {
        k == 0 ? ours() : ours_by_nccl();
        settle();
        for (int g = 0; g < gpus; g++) {
            uint32_t bits;
            BENCH_CHECK(cudaMemcpy(&bits, outs[g], sizeof bits, cudaMemcpyDeviceToHost));
            if (bits != expected) bench_fail("GPU %d has 0x%08x, one GPU 0x%08x, n = %zu", g, bits, expected, n);
        }
    }
    return expected;
}

int main(int argc, char **argv)
{
    bench_check_options(argc, argv, "--gpus= --min= --max= --modes= --quick --rounds= --json= ");
    const int least = atoi(bench_option(argc, argv, "--min", "10")), most = atoi(bench_option(argc, argv, "--max", "32"));
    const char *const modes = bench_option(argc, argv, "--modes", "graph,stream,threads");
    const int rounds = bench_rounds(argc, argv, 15), wanted = atoi(bench_option(argc, argv, "--gpus", "8"));
    BENCH_CHECK(cudaGetDeviceCount(&gpus));
    if (gpus > wanted) gpus = wanted;
    if (gpus > MOST_GPUS) gpus = MOST_GPUS;
    CHECK_NCCL(ncclCommInitAll(comms, gpus, NULL));
    const size_t bytes = ((size_t)1 << most) + ((size_t)1 << 24);
    for (int g = 0; g < gpus; g++) {
        BENCH_CHECK(cudaSetDevice(g));
        BENCH_CHECK(cudaStreamCreateWithFlags(&streams[g], cudaStreamNonBlocking));
        BENCH_CHECK(reduce_workspace_create(&workspaces[g]));
        BENCH_CHECK(cudaMalloc((void **)&parts[g], bytes));
        BENCH_CHECK(cudaMalloc((void **)&outs[g], 256));
        BENCH_CHECK(cudaMalloc((void **)&gathered[g], 1 << 20));
        BENCH_CHECK(cudaMemset(outs[g], 0, 256));
        BENCH_CHECK(cudaDeviceSynchronize());
    }
    BENCH_CHECK(cudaSetDevice(0));
    BENCH_CHECK(cudaMalloc((void **)&alone, (size_t)gpus << most));
    BENCH_CHECK(cudaEventCreate(&first));
    BENCH_CHECK(cudaEventCreate(&last));
    pthread_t threads[MOST_GPUS];
    pthread_barrier_init(&begins, NULL, (unsigned)gpus + 1);
    pthread_barrier_init(&ends, NULL, (unsigned)gpus + 1);
    for (int g = 0; g < gpus; g++)
        if (pthread_create(&threads[g], NULL, serve, (void *)(intptr_t)g) != 0) bench_fail("no thread");
    struct bench_json json = bench_json_begin(argc, argv);
    char title[96];
    int version = 0;
    CHECK_NCCL(ncclGetVersion(&version));
    snprintf(title, sizeof title, "many: the sum of floats over %d GPUs, NCCL %d.%d.%d, microseconds a call", gpus,
             version / 10000, version / 100 % 100, version % 100);
    bench_heading(title);
    printf("%-7s %12s  %9s %9s %9s %9s %9s %9s %9s   %9s %9s %9s  %s\n", "mode", "bytes a GPU", "ours", "by NCCL", "one GPU", "gather",
           "least g.", "least r.", "usual", "ours/sum", "- least", "NCCL's", "bits");
    for (int log = least; log <= most; log++) {
        n = (size_t)gpus << (log - 2);
        const uint32_t bits = check();
        for (int m = 0; m < 3; m++) {
            const char *const mode = m == 0 ? "graph" : m == 1 ? "stream" : "threads";
            struct bench_time t[SIDES];
            if (!bench_listed(modes, mode)) continue;
            time_sides(log < 24 ? 32 : log < 29 ? 8 : 3, rounds, mode, t);
            const double least_of_nccl = t[4].median < t[5].median ? t[4].median : t[5].median;
            printf("%-7s %12zu ", mode, (size_t)1 << log);
            for (int s = 0; s < SIDES; s++) printf(" %9.2f", t[s].median);
            printf("   %9.3f %9.2f %9.2f  0x%08x\n", t[0].median / (t[2].median + t[3].median),
                   t[0].median - least_of_nccl, t[1].median - least_of_nccl, bits);
            fflush(stdout);
            for (int s = 0; s < SIDES; s++)
                bench_json_row(&json, "\"mode\": \"%s\", \"gpus\": %d, \"bytes\": %zu, \"side\": \"%s\", \"us\": %.3f, "
                               "\"low\": %.3f, \"high\": %.3f", mode, gpus, (size_t)1 << log, sides[s].name,
                               t[s].median, t[s].low, t[s].high);
        }
    }
    bench_json_end(&json, "");
    job_calls = 0;
    pthread_barrier_wait(&begins);
    for (int g = 0; g < gpus; g++) pthread_join(threads[g], NULL);
    return 0;
}
