/*
 * many.cu: times of a sum of floats over all GPUs of a machine: by one thread of one process, or by a process for each GPU,
 * whose workspaces are connected. Each call is made twice: as it is, so that kernels meet where they can, and by an all-gather
 * of NCCL. Beside it stand its parts: the sum of one GPU's elements by that GPU alone, NCCL's all-gather of the same bytes, and
 * NCCL's smallest collectives. The usual way stands beside it too: a sum by each GPU and ncclAllReduce, whose result depends on
 * the number of GPUs.
 *
 *     many [--processes] [--gpus N] [--min 10] [--max 32] [--modes graph,stream] [--quick] [--rounds N] [--json FILE]
 *
 * A cell is the time of a call in microseconds, for 2^min to 2^max bytes on each GPU: in a graph of calls for each GPU, or
 * one after the other in streams. A round times each side once.
 */
#include "reduce_nccl.cuh"

#include "many.h"
#include "timing.h"

#include <sys/wait.h>

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE_NCCL(reduce_float_sum)

enum { MOST_GPUS = 8, SIDES = 7, CHECKED_BYTES = 1 << 26 };

#define CHECK_NCCL(call)                                                                                     \
    do {                                                                                                     \
        const ncclResult_t check_ = (call);                                                                  \
        if (check_ != ncclSuccess) bench_fail("%s: %s", #call, ncclGetErrorString(check_));                  \
    } while (0)

static int gpus;
static int from, to; /* the ranks that this process serves: all, or one */
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

/* By one thread for all GPUs; by a process for one of them. */
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
static void ours_by_nccl_of(int g)
{
    CHECK_NCCL(many_by_nccl_of(parts[g], n, outs[g], workspaces[g], comms[g], streams[g]));
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
    bool is_of_first; /* the other ranks have nothing to do */
} sides[SIDES] = {{"ours", ours, ours_of, false},
                  {"ours_by_nccl", ours_by_nccl, ours_by_nccl_of, false},
                  {"one_gpu", one_gpu, one_gpu_of, true},
                  {"all_gather", gather_same, gather_same_of, false},
                  {"least_all_gather", gather_least, gather_least_of, false},
                  {"least_all_reduce", reduce_least, reduce_of, false},
                  {"usual", usual, usual_of, false}};

/* ---- Times --------------------------------------------------------------------------------------------- */

static cudaGraphExec_t graphs[SIDES][MOST_GPUS];
static cudaEvent_t first, last; /* of the first rank */

static bool uses(int side, int g)
{
    return g == 0 || !sides[side].is_of_first;
}

static void call(int side)
{
    if (to - from == gpus) sides[side].by_one();
    else sides[side].by_each(from);
}

/* All ranks have done all of their work. */
static void settle(void)
{
    for (int g = from; g < to; g++) {
        BENCH_CHECK(cudaSetDevice(g));
        BENCH_CHECK(cudaStreamSynchronize(streams[g]));
    }
    BENCH_CHECK(cudaSetDevice(from));
    if (to - from == gpus) return;
    reduce_of(from);
    BENCH_CHECK(cudaStreamSynchronize(streams[from]));
}

/* A graph of the calls for each GPU. */
static void capture(int side, int calls)
{
    cudaGraph_t captured[MOST_GPUS];
    call(side); /* what is loaded late is loaded now */
    settle();
    for (int g = from; g < to; g++) {
        BENCH_CHECK(cudaSetDevice(g));
        if (uses(side, g)) BENCH_CHECK(cudaStreamBeginCapture(streams[g], cudaStreamCaptureModeThreadLocal));
    }
    BENCH_CHECK(cudaSetDevice(from));
    for (int i = 0; i < calls; i++) call(side);
    for (int g = from; g < to; g++) {
        BENCH_CHECK(cudaSetDevice(g));
        if (uses(side, g)) BENCH_CHECK(cudaStreamEndCapture(streams[g], &captured[g]));
    }
    for (int g = from; g < to; g++) {
        if (!uses(side, g)) continue;
        BENCH_CHECK(cudaSetDevice(g));
        BENCH_CHECK(cudaGraphInstantiate(&graphs[side][g], captured[g], 0));
        BENCH_CHECK(cudaGraphDestroy(captured[g]));
        BENCH_CHECK(cudaGraphUpload(graphs[side][g], streams[g]));
    }
    settle();
}

static double time_once(int side, int calls, bool in_graph)
{
    float milliseconds = 0;
    if (from == 0) BENCH_CHECK(cudaEventRecord(first, streams[0]));
    for (int i = 0; i < calls && !in_graph; i++) call(side);
    for (int g = from; g < to && in_graph; g++) {
        BENCH_CHECK(cudaSetDevice(g));
        if (uses(side, g)) BENCH_CHECK(cudaGraphLaunch(graphs[side][g], streams[g]));
    }
    BENCH_CHECK(cudaSetDevice(from));
    if (from == 0) BENCH_CHECK(cudaEventRecord(last, streams[0]));
    settle();
    if (from == 0) BENCH_CHECK(cudaEventElapsedTime(&milliseconds, first, last));
    return milliseconds * 1e3 / calls;
}

static void time_sides(int calls, int rounds, bool in_graph, struct bench_time *times)
{
    static double samples[SIDES][BENCH_MAX_ROUNDS];
    for (int s = 0; s < SIDES; s++) {
        if (in_graph) capture(s, calls);
        time_once(s, calls, in_graph);
    }
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < SIDES; k++) {
            const int s = r % 2 == 0 ? k : SIDES - 1 - k;
            samples[s][r] = time_once(s, calls, in_graph);
        }
    for (int s = 0; s < SIDES; s++) {
        times[s] = bench_summary(samples[s], rounds);
        for (int g = from; g < to && in_graph; g++)
            if (uses(s, g)) BENCH_CHECK(cudaGraphExecDestroy(graphs[s][g]));
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
        float *const in = (float *)bench_malloc(n * sizeof *in);
        for (size_t i = 0; i < n; i++) in[i] = element(i);
        const float on_cpu = reduce_float_sum_cpu(in, n);
        if (memcmp(&on_cpu, &result, sizeof result) != 0) bench_fail("one GPU and the CPU differ");
        free(in);
    }
    memcpy(&bits, &result, sizeof bits);
    return bits;
}

static void expect(uint32_t expected, const char *how)
{
    for (int g = from; g < to; g++) {
        uint32_t bits;
        BENCH_CHECK(cudaMemcpy(&bits, outs[g], sizeof bits, cudaMemcpyDeviceToHost));
        if (bits != expected) bench_fail("%s: GPU %d has 0x%08x, one GPU 0x%08x, n = %zu", how, g, bits, expected, n);
    }
}

static uint32_t check(void)
{
    uint32_t expected = from == 0 ? expected_bits() : 0;
    for (int g = from; g < to; g++) {
        const struct reduce_shard own = reduce_shard(n, sizeof(float), g, gpus);
        BENCH_CHECK(cudaSetDevice(g));
        if (own.length > 0) fill<<<1024, 256, 0, streams[g]>>>(parts[g], own.begin, own.length);
    }
    BENCH_CHECK(cudaSetDevice(from));
    if (to - from < gpus) { /* the first rank tells the others */
        BENCH_CHECK(cudaMemcpy(outs[from] + 8, &expected, sizeof expected, cudaMemcpyHostToDevice));
        CHECK_NCCL(ncclBroadcast(outs[from] + 8, outs[from] + 8, 1, ncclUint32, 0, comms[from], streams[from]));
        BENCH_CHECK(cudaStreamSynchronize(streams[from]));
        BENCH_CHECK(cudaMemcpy(&expected, outs[from] + 8, sizeof expected, cudaMemcpyDeviceToHost));
    }
    call(0);
    settle();
    expect(expected, "ours");
    call(1);
    settle();
    expect(expected, "ours by NCCL");
    return expected;
}

/* ---- Ranks --------------------------------------------------------------------------------------------- */

/* How many GPUs there are: asked by a process of its own, because a process that has used CUDA cannot fork. */
static int count_gpus(int wanted)
{
    if (fork() == 0) {
        int count = 0;
        _exit(cudaGetDeviceCount(&count) == cudaSuccess ? count : 0);
    }
    int status = 0;
    wait(&status);
    const int count = WEXITSTATUS(status) < wanted ? WEXITSTATUS(status) : wanted;
    return count < MOST_GPUS ? count : MOST_GPUS;
}

/* A process for each rank, which learns NCCL's number through pipes. The first process waits for the others in the end. */
static void begin_processes(void)
{
    int pipes[MOST_GPUS][2];
    ncclUniqueId id;
    for (int g = 1; g < gpus; g++)
        if (pipe(pipes[g]) != 0) bench_fail("no pipe");
    for (from = gpus - 1; from > 0 && fork() != 0; from--) continue;
    to = from + 1;
    BENCH_CHECK(cudaSetDevice(from));
    if (from == 0) CHECK_NCCL(ncclGetUniqueId(&id));
    for (int g = 1; g < gpus; g++) {
        if (from == 0 && write(pipes[g][1], &id, sizeof id) != (ssize_t)sizeof id) bench_fail("a pipe");
        if (from == g && read(pipes[g][0], &id, sizeof id) != (ssize_t)sizeof id) bench_fail("a pipe");
    }
    CHECK_NCCL(ncclCommInitRank(&comms[from], gpus, id, from));
    if (from > 0 && freopen("/dev/null", "w", stdout) == NULL) bench_fail("/dev/null");
}

static void begin_ranks(int most, bool by_processes)
{
    const size_t bytes = ((size_t)1 << most) + ((size_t)1 << 24);
    if (by_processes) {
        begin_processes();
    } else {
        to = gpus;
        CHECK_NCCL(ncclCommInitAll(comms, gpus, NULL));
    }
    for (int g = from; g < to; g++) {
        BENCH_CHECK(cudaSetDevice(g));
        BENCH_CHECK(cudaStreamCreateWithFlags(&streams[g], cudaStreamNonBlocking));
        BENCH_CHECK(reduce_workspace_create(&workspaces[g]));
        BENCH_CHECK(cudaMalloc((void **)&parts[g], bytes));
        BENCH_CHECK(cudaMalloc((void **)&outs[g], 256));
        BENCH_CHECK(cudaMalloc((void **)&gathered[g], 1 << 20));
        BENCH_CHECK(cudaMemset(outs[g], 0, 256));
        BENCH_CHECK(cudaDeviceSynchronize());
    }
    BENCH_CHECK(cudaSetDevice(from));
    if (by_processes) CHECK_NCCL(reduce_nccl_connect(workspaces[from], comms[from], streams[from]));
    if (by_processes && !reduce_nccl_is_connected(workspaces[from], comms[from])) printf("the ranks are not connected\n");
    if (from > 0) return;
    BENCH_CHECK(cudaMalloc((void **)&alone, (size_t)gpus << most));
    BENCH_CHECK(cudaEventCreate(&first));
    BENCH_CHECK(cudaEventCreate(&last));
}

int main(int argc, char **argv)
{
    bench_check_options(argc, argv, "--processes --gpus= --min= --max= --modes= --quick --rounds= --json= ");
    const int least = atoi(bench_option(argc, argv, "--min", "10")), most = atoi(bench_option(argc, argv, "--max", "32"));
    const char *const modes = bench_option(argc, argv, "--modes", "graph,stream");
    const bool by_processes = bench_flag(argc, argv, "--processes");
    const int rounds = bench_rounds(argc, argv, 15);
    if (least < 8 || most > 40 || least > most) bench_fail("--min, --max: 8 to 40, for 2^8 to 2^40 bytes on each GPU");
    gpus = count_gpus(atoi(bench_option(argc, argv, "--gpus", "8")));
    if (gpus < 1) bench_fail("--gpus: there is none, or less than 1 was asked for");
    begin_ranks(most, by_processes);
    struct bench_json json = bench_json_begin(from == 0 ? argc : 0, argv);
    char title[128];
    int version = 0;
    CHECK_NCCL(ncclGetVersion(&version));
    snprintf(title, sizeof title, "many: the sum of floats over %d GPUs by %s, NCCL %d.%d.%d, microseconds a call", gpus,
             by_processes ? "a process for each" : "one thread", version / 10000, version / 100 % 100, version % 100);
    bench_heading(title);
    printf("%-7s %12s  %9s %9s %9s %9s %9s %9s %9s   %9s %9s %9s  %s\n", "mode", "bytes a GPU", "ours", "by NCCL", "one GPU",
           "gather", "least g.", "least r.", "usual", "ours/sum", "- least", "by NCCL", "bits");
    for (int log = least; log <= most; log++) {
        n = (size_t)gpus << (log - 2);
        const uint32_t bits = check();
        for (int m = 0; m < 2; m++) {
            const char *const mode = m == 0 ? "graph" : "stream";
            struct bench_time t[SIDES];
            if (!bench_listed(modes, mode)) continue;
            time_sides(log < 24 ? 32 : log < 29 ? 8 : 3, rounds, m == 0, t);
            const double least_of_nccl = t[4].median < t[5].median ? t[4].median : t[5].median;
            printf("%-7s %12zu ", mode, (size_t)1 << log);
            for (int s = 0; s < SIDES; s++) printf(" %9.2f", t[s].median);
            printf("   %9.3f %9.2f %9.2f  0x%08x\n", t[0].median / (t[2].median + t[3].median),
                   t[0].median - least_of_nccl, t[1].median - least_of_nccl, bits);
            fflush(stdout);
            for (int s = 0; s < SIDES; s++)
                bench_json_row(&json, "\"by\": \"%s\", \"mode\": \"%s\", \"gpus\": %d, \"bytes\": %zu, \"side\": \"%s\", "
                               "\"us\": %.3f, \"low\": %.3f, \"high\": %.3f", by_processes ? "processes" : "one thread", mode,
                               gpus, (size_t)1 << log, sides[s].name, t[s].median, t[s].low, t[s].high);
        }
    }
    bench_json_end(&json, "");
    if (by_processes) CHECK_NCCL(reduce_nccl_disconnect(workspaces[from], comms[from]));
    for (int g = 1; g < gpus && by_processes && from == 0; g++) {
        int status = 1;
        if (wait(&status) < 0 || status != 0) bench_fail("a process failed");
    }
    return 0;
}
