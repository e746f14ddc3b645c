/*
 * Load: several threads of the host feed many streams, each with a workspace of its own, with types and sizes
 * mixed; then the program replays graphs while their input changes. It compares every result with the CPU's,
 * bit for bit. The device's free memory must not change.
 *
 *     load [--seconds 60] [--threads 8] [--streams 32] [--replays 100000] [--most ELEMENTS] [--shared 1]
 *
 * --shared 1: another process uses the device too, and its memory is not looked at.
 */
#define CHECK_ALONE
#include "../check.h"
#include "../executors.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

HELPER_BOTH words6 added(words6 a, words6 b)
{
    for (int k = 0; k < 3; k++) a.word[k] += b.word[k];
    return a;
}

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(double, max)
DEFINE_REDUCE(u8, bxor)
DEFINE_REDUCE(u64, trace)
DEFINE_REDUCE_MAP(squares, float, double, reduce_rounded_double((double)x * x), 0, a + b)
DEFINE_REDUCE_AS(sum6, words6, no_words6(), added(a, b))

/* ---- Instances, as functions of void pointers ------------------------------------------------------- */

struct instance {
    const char *name;
    size_t of_in, of_result;
    executed_by *run;
};

#define INSTANCES(X)                                                                                      \
    X(reduce_float_sum, float, float)                                                                     \
    X(reduce_double_max, double, double)                                                                  \
    X(reduce_u8_bxor, u8, u8)                                                                             \
    X(reduce_u64_trace, u64, u64)                                                                         \
    X(squares, float, double)                                                                             \
    X(sum6, words6, words6)
INSTANCES(DEFINE_BY)

#define ROW(NAME, In, T) {#NAME, sizeof(In), sizeof(T), NAME##_by},
static const struct instance instances[] = {INSTANCES(ROW)};

/* ---- Jobs: what is reduced, and what must come out -------------------------------------------------- */

enum { JOBS = 240, RESULT = 64, AT_ONCE = 8, VARIANTS = 16 };

/* CUDA takes device memory in blocks of 2 MiB, and one more or less as threads happen to meet. */
enum { OF_CUDA = 8 << 20 };

struct job {
    const struct instance *what;
    size_t n, first; /* bytes of input before it */
    unsigned char expected[RESULT];
};

static struct job jobs[JOBS];
static unsigned char *input, *host_input;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Numbers that are finite as floats and as doubles, many of them rounding when they are added. */
static void make_input(size_t bytes)
{
    host_input = (unsigned char *)malloc(bytes);
    cr_assert(host_input != NULL, "no memory");
    for (size_t k = 0; k < bytes / 4; k++) ((float *)(void *)host_input)[k] = (float)rough(mixed(k), 20);
    input = (unsigned char *)to_device(host_input, bytes);
}

static void make_jobs(size_t most)
{
    for (size_t k = 0; k < JOBS; k++) {
        struct job *job = &jobs[k];
        job->what = &instances[k % COUNT(instances)];
        job->n = (size_t)exp2((double)(mixed(k) % 1000) / 1000 * log2((double)most)) - 1;
        job->first = mixed(k + JOBS) % 20 * job->what->of_in;
        CHECK(job->what->run(BY_CPU, host_input + job->first, job->n, job->expected, NULL, 0));
    }
}

static void expect_result(const struct job *job, const unsigned char *got)
{
    const size_t size = job->what->of_result;
    cr_expect(memcmp(got, job->expected, size) == 0, "%s of %zu: %s, not %s", job->what->name, job->n,
              bits_in_hex(got, size), bits_in_hex(job->expected, size));
}

/* ---- Streams ---------------------------------------------------------------------------------------- */

struct lane { /* one stream of a thread */
    cudaStream_t stream;
    reduce_workspace *ws;
    unsigned char *out;
    const struct job *job[AT_ONCE];
};

struct worker {
    pthread_t id;
    int lanes;
    double until;
    u64 dice, done;
};

static void open_lane(struct lane *lane)
{
    CHECK(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
    CHECK(reduce_workspace_create(&lane->ws));
    lane->out = (unsigned char *)device_room(AT_ONCE * RESULT, 0x5a);
}

static void close_lane(struct lane *lane)
{
    CHECK(cudaStreamDestroy(lane->stream));
    CHECK(reduce_workspace_destroy(lane->ws));
    CHECK(cudaFree(lane->out));
}

static void feed(struct lane *lane, u64 *dice)
{
    for (int k = 0; k < AT_ONCE; k++) {
        const struct job *job = lane->job[k] = &jobs[(*dice = mixed(*dice)) % JOBS];
        CHECK(job->what->run(BY_ASYNC, input + job->first, job->n, lane->out + k * RESULT, lane->ws,
                             lane->stream));
    }
}

static void expect_results(struct lane *lane)
{
    unsigned char got[AT_ONCE * RESULT];
    CHECK(cudaMemcpyAsync(got, lane->out, sizeof got, cudaMemcpyDeviceToHost, lane->stream));
    CHECK(cudaStreamSynchronize(lane->stream));
    for (int k = 0; k < AT_ONCE; k++) expect_result(lane->job[k], got + k * RESULT);
}

static void *work(void *argument)
{
    struct worker *worker = (struct worker *)argument;
    struct lane lanes[64];
    for (int k = 0; k < worker->lanes; k++) open_lane(&lanes[k]);
    while (now() < worker->until) {
        for (int k = 0; k < worker->lanes; k++) feed(&lanes[k], &worker->dice);
        for (int k = 0; k < worker->lanes; k++) expect_results(&lanes[k]);
        worker->done += (u64)worker->lanes * AT_ONCE;
    }
    for (int k = 0; k < worker->lanes; k++) close_lane(&lanes[k]);
    return NULL;
}

static size_t memory_left(void)
{
    size_t left = 0, all = 0;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemGetInfo(&left, &all));
    return left;
}

/* The threads work for so long; returns how many reductions they have checked. */
static u64 run_threads(int threads, int streams, double seconds)
{
    static struct worker workers[64];
    u64 done = 0;
    for (int k = 0; k < threads; k++) {
        workers[k].lanes = streams / threads;
        workers[k].until = now() + seconds;
        workers[k].dice = mixed((u64)k);
        workers[k].done = 0;
        cr_assert(pthread_create(&workers[k].id, NULL, work, &workers[k]) == 0, "no thread");
    }
    for (int k = 0; k < threads; k++) {
        pthread_join(workers[k].id, NULL);
        done += workers[k].done;
    }
    return done;
}

/* ---- Graphs ----------------------------------------------------------------------------------------- */

static cudaGraphExec_t captured(const struct instance *what, void *in, size_t n, struct lane *lane)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(lane->stream, cudaStreamCaptureModeThreadLocal));
    CHECK(what->run(BY_ASYNC, in, n, lane->out, lane->ws, lane->stream));
    CHECK(what->run(BY_ASYNC, in, n / 3, lane->out + RESULT, lane->ws, lane->stream));
    CHECK(cudaStreamEndCapture(lane->stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

/* Two calls of one instance in a graph, replayed; before each replay another of several inputs is copied
   to where the graph reads, and after it the results to where they wait to be compared. */
static void replay(const struct instance *what, size_t n, u64 replays)
{
    struct lane lane;
    const size_t bytes = n * what->of_in, step = bytes / VARIANTS / 64 * 64;
    unsigned char expected[VARIANTS][2 * RESULT], *got = (unsigned char *)malloc(replays * 2 * RESULT);
    unsigned char *in = (unsigned char *)device_room(bytes, 0);
    unsigned char *results = (unsigned char *)device_room(replays * 2 * RESULT, 0);
    open_lane(&lane);
    for (size_t v = 0; v < VARIANTS; v++) {
        CHECK(what->run(BY_CPU, host_input + v * step, n, expected[v], NULL, 0));
        CHECK(what->run(BY_CPU, host_input + v * step, n / 3, expected[v] + RESULT, NULL, 0));
    }
    cudaGraphExec_t exec = captured(what, in, n, &lane);
    for (u64 r = 0; r < replays; r++) {
        CHECK(cudaMemcpyAsync(in, input + r % VARIANTS * step, bytes, cudaMemcpyDeviceToDevice, lane.stream));
        CHECK(cudaGraphLaunch(exec, lane.stream));
        CHECK(cudaMemcpyAsync(results + r * 2 * RESULT, lane.out, 2 * RESULT, cudaMemcpyDeviceToDevice,
                              lane.stream));
    }
    CHECK(cudaStreamSynchronize(lane.stream));
    from_device(got, results, replays * 2 * RESULT);
    for (u64 r = 0; r < replays; r++)
        for (int k = 0; k < 2; k++)
            cr_expect(memcmp(got + (2 * r + (u64)k) * RESULT, expected[r % VARIANTS] + k * RESULT,
                             what->of_result) == 0, "%s, replay %llu, call %d", what->name, r, k);
    CHECK(cudaGraphExecDestroy(exec));
    close_lane(&lane);
    CHECK(cudaFree(in));
    CHECK(cudaFree(results));
    free(got);
}

static double option(int argc, char **argv, const char *name, double otherwise)
{
    for (int k = 1; k + 1 < argc; k++)
        if (strcmp(argv[k], name) == 0) return atof(argv[k + 1]);
    return otherwise;
}

int main(int argc, char **argv)
{
    const double seconds = option(argc, argv, "--seconds", 60);
    const int threads = (int)option(argc, argv, "--threads", 8),
              streams = (int)option(argc, argv, "--streams", 32);
    const u64 replays = (u64)option(argc, argv, "--replays", 100000);
    const size_t most = (size_t)option(argc, argv, "--most", 3000000);
    need_gpu();
    cr_assert(threads > 0 && threads <= 64 && streams / threads <= 64,
              "up to 64 threads of up to 64 streams");
    make_input((most + 64) * sizeof(words6));
    make_jobs(most);
    run_threads(threads, streams, 0.1); /* whatever the runtime keeps, it has now */
    for (size_t k = 0; k < COUNT(instances); k++) replay(&instances[k], most / 100 + 99, 10);
    const size_t left = memory_left();
    const u64 done = run_threads(threads, streams, seconds);
    printf("%llu reductions by %d threads in %d streams: right\n", done, threads, streams);
    for (size_t k = 0; k < COUNT(instances); k++)
        replay(&instances[k], most / 100 + 99, replays / COUNT(instances) + 1);
    printf("%llu replays of graphs: right\n", (replays / COUNT(instances) + 1) * COUNT(instances));
    const size_t left_now = memory_left();
    if (option(argc, argv, "--shared", 0) == 0) {
        cr_expect(left_now + OF_CUDA >= left, "%zu bytes of device memory are left, not %zu", left_now, left);
        printf("device memory: %.0f MiB less than before\n", ((double)left - (double)left_now) / (1 << 20));
    }
    CHECK(cudaFree(input));
    free(host_input);
    return 0;
}
