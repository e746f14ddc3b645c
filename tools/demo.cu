/*
 * What tools/demo.sh runs.
 *
 *   demo N               reduces N floats with plain loops and with the library, and times all of them
 *   demo --bits HOW N    prints the bits of the sum of sin(1) to sin(N); HOW says who adds them:
 *                        cpu      reduce_float_sum_cpu, after a loop that OpenMP shares among as many threads
 *                        moved    the same; the array begins 4 bytes after a multiple of 16
 *                        parts    three processes, each of which reduces a part of the array
 *                        kernel   reduce_float_sum_async
 *
 * Exit status 1: the library's results differ in their bits. 2: something failed.
 */
#include "reduce.cuh"
#include "reduce_exact.cuh"
#include "reduce_parts.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_PARTS(reduce_float_sum)

/* What all of these have in common: the loop, the simple call and the asynchronous one. */
typedef float loop_function(const float *in, size_t n);
typedef cudaError_t simple_call(const float *in, size_t n, float *result);
typedef cudaError_t async_call(const float *in, size_t n, float *out, reduce_workspace *ws,
                               cudaStream_t stream);

static void check(cudaError_t error, const char *call) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "demo: %s: %s\n", call, cudaGetErrorString(error));
    exit(2);
}
#define CHECK(call) check(call, #call)

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- The numbers -------------------------------------------------------------------------------------- */

static float *allocate(size_t n) {
    float *memory = n < SIZE_MAX / sizeof *memory ? (float *)malloc((n + 1) * sizeof *memory) : NULL;
    if (memory != NULL) return memory;
    fprintf(stderr, "demo: there is no room for %zu floats\n", n);
    exit(2);
}

/* A number from 0 to 2^24 - 1 that looks random: the same for the same i on every machine. */
static unsigned scramble(size_t i) {
    unsigned x = (unsigned)i;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return (x ^ x >> 16) >> 8;
}

static void fill_randomly(float *in, size_t n) { /* from 0 up to, not including, 1 */
    for (size_t i = 0; i < n; i++) in[i] = (float)scramble(i) / 16777216;
}

/* Positive and negative numbers, whose sum is near 0: what is rounded on the way shows in many of its bits, and
   hardly any other order of additions has the same ones. */
static void fill_with_sines(float *in, size_t n) {
    for (size_t i = 0; i < n; i++) in[i] = (float)sin((double)(i + 1));
}

static unsigned bits(float x) {
    unsigned word;
    memcpy(&word, &x, sizeof word);
    return word;
}

/* ---- The loops that everybody writes ------------------------------------------------------------------ */

static __attribute__((noinline)) float sum_loop(const float *in, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += in[i];
    return sum;
}

static __attribute__((noinline)) float wide_sum_loop(const float *in, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)in[i];
    return (float)sum;
}

static __attribute__((noinline)) float max_loop(const float *in, size_t n) {
    float max = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (in[i] > max) max = in[i];
    return max;
}

/* Its bits depend on the number of threads. From three threads on they may change from run to run. */
static __attribute__((noinline)) float openmp_loop(const float *in, size_t n) {
    float sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += in[i];
    return sum;
}

/* ---- Rows of a table ---------------------------------------------------------------------------------- */

enum { WHO_WIDTH = 42, RESULT_WIDTH = 12 };

/* The code, on a terminal that may show colours. */
static const char *style(const char *code) {
    return isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL ? code : "";
}

static void heading(const char *what, size_t n, const char *result) {
    char number[32], *at = number + sizeof number - 1, title[80];
    *at = '\0';
    for (int digits = 0; n > 0 || digits == 0; n /= 10, digits++) { /* 100000000 as 100,000,000 */
        if (digits > 0 && digits % 3 == 0) *--at = ',';
        *--at = (char)('0' + n % 10);
    }
    snprintf(title, sizeof title, what, at);
    printf("\n%s%-*s%*s   %-10s%13s%s\n", style("\033[1m"), WHO_WIDTH + 2, title, RESULT_WIDTH, result,
           "bits", "time", style("\033[0m"));
    fflush(stdout);
}

static void row(const char *who, float result, double time) {
    printf("  %-*s%*.9g   0x%08x%10.2f ms\n", WHO_WIDTH, who, RESULT_WIDTH, (double)result, bits(result),
           1e3 * time);
    fflush(stdout);
}

/* Points at the digits of a result from the first wrong one on. */
static void mark_wrong(float result, float right) {
    char digits[32], right_digits[32], carets[32] = "";
    const int count = snprintf(digits, sizeof digits, "%.9g", (double)result);
    const int right_count = snprintf(right_digits, sizeof right_digits, "%.9g", (double)right);
    int first = 0;
    while (count == right_count && first < count && digits[first] == right_digits[first]) first++;
    if (first == count) return;
    for (int i = 0; i < count - first; i++) carets[i] = '^';
    printf("%s%*s off by %.9g%s\n", style("\033[31m"), WHO_WIDTH + 2 + RESULT_WIDTH, carets,
           fabs((double)right - (double)result), style("\033[0m"));
}

/* The shortest time of at least five runs. Short runs are repeated more often: other programs disturb them
   more. */
#define TIME(best, ...)                                                                                      \
    do {                                                                                                     \
        const double begin_ = seconds();                                                                     \
        for (int run_ = 0; run_ < 5 || seconds() - begin_ < 0.1; run_++) {                                   \
            const double start_ = seconds();                                                                 \
            __VA_ARGS__;                                                                                     \
            const double taken_ = seconds() - start_;                                                        \
            if (run_ == 0 || taken_ < (best)) (best) = taken_;                                               \
        }                                                                                                    \
    } while (0)

/* Each of these prints one row, and returns the result. */
static float loop_row(const char *who, loop_function *loop, const float *in, size_t n) {
    float result = 0;
    double time = 0;
    TIME(time, result = loop(in, n));
    row(who, result, time);
    return result;
}

static float row_of_threads(const char *name, simple_call *call, const float *in, size_t n, int threads) {
    char who[64];
    float result = 0;
    double time = 0;
    omp_set_num_threads(threads);
    TIME(time, check(call(in, n, &result), name));
    snprintf(who, sizeof who, "%s, %d thread%s", name, threads, threads == 1 ? "" : "s");
    row(who, result, time);
    return result;
}

/* ---- The GPU ------------------------------------------------------------------------------------------ */

struct gpu {
    float *in, *out; /* in its memory: the numbers, and room for one result */
    reduce_workspace *ws;
};

static struct gpu gpu_create(const float *in, size_t n) {
    struct gpu gpu = {NULL, NULL, NULL};
    CHECK(cudaMalloc((void **)&gpu.in, (n + 1) * sizeof *in));
    CHECK(cudaMemcpy(gpu.in, in, n * sizeof *in, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc((void **)&gpu.out, sizeof *gpu.out));
    CHECK(reduce_workspace_create(&gpu.ws));
    return gpu;
}

static void gpu_destroy(struct gpu gpu) {
    CHECK(reduce_workspace_destroy(gpu.ws));
    CHECK(cudaFree(gpu.out));
    CHECK(cudaFree(gpu.in));
}

static float async_result(const char *name, async_call *call, const struct gpu *gpu, size_t n) {
    float result;
    check(call(gpu->in, n, gpu->out, gpu->ws, NULL), name);
    CHECK(cudaMemcpy(&result, gpu->out, sizeof result, cudaMemcpyDeviceToHost)); /* waits for the call */
    return result;
}

static float simple_row(const char *who, simple_call *call, const struct gpu *gpu, size_t n) {
    float result = 0;
    double time = 0;
    TIME(time, check(call(gpu->in, n, &result), who));
    row(who, result, time);
    return result;
}

static float async_row(const char *who, async_call *call, const struct gpu *gpu, size_t n) {
    double time = 0;
    const float result = async_result(who, call, gpu, n);
    TIME(time, check(call(gpu->in, n, gpu->out, gpu->ws, NULL), who); CHECK(cudaStreamSynchronize(NULL)));
    row(who, result, time);
    return result;
}

/* ---- The tables --------------------------------------------------------------------------------------- */

/* Results that all must have the bits of the first. */
struct results {
    float first;
    bool is_same;
};

static void also(struct results *results, float result) {
    results->is_same = results->is_same && bits(result) == bits(results->first);
}

/* gpu is null where there is none. */
static bool sum_table(const float *in, size_t n, int threads, const struct gpu *gpu) {
    struct results exact = {reduce_float_exact_sum_cpu(in, n), true};

    heading("The sum of %s floats from 0 to 1", n, "sum");
    mark_wrong(loop_row("a loop", sum_loop, in, n), exact.first);
    struct results sum = {row_of_threads("reduce_float_sum", reduce_float_sum, in, n, 1), true};
    if (threads > 1) also(&sum, row_of_threads("reduce_float_sum", reduce_float_sum, in, n, threads));
    if (gpu) also(&sum, simple_row("reduce_float_sum, GPU", reduce_float_sum, gpu, n));
    if (gpu) also(&sum, async_row("reduce_float_sum_async, GPU", reduce_float_sum_async, gpu, n));
    mark_wrong(sum.first, exact.first);

    mark_wrong(loop_row("a loop, summing in double", wide_sum_loop, in, n), exact.first);
    also(&exact, row_of_threads("reduce_float_exact_sum", reduce_float_exact_sum, in, n, threads));
    if (gpu)
        also(&exact, async_row("reduce_float_exact_sum_async, GPU", reduce_float_exact_sum_async, gpu, n));
    return sum.is_same && exact.is_same;
}

static bool max_table(const float *in, size_t n, int threads, const struct gpu *gpu) {
    heading("The greatest of them", n, "max");
    struct results max = {loop_row("a loop", max_loop, in, n), true};
    also(&max, row_of_threads("reduce_float_max", reduce_float_max, in, n, 1));
    if (threads > 1) also(&max, row_of_threads("reduce_float_max", reduce_float_max, in, n, threads));
    if (gpu) also(&max, async_row("reduce_float_max_async, GPU", reduce_float_max_async, gpu, n));
    return max.is_same;
}

static bool tables(size_t n) {
    const int threads = omp_get_max_threads();
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;

    float *in = allocate(n);
    fill_randomly(in, n);
    struct gpu gpu = {NULL, NULL, NULL};
    if (devices > 0) gpu = gpu_create(in, n);
    bool is_same = sum_table(in, n, threads, devices > 0 ? &gpu : NULL);
    is_same = max_table(in, n, threads, devices > 0 ? &gpu : NULL) && is_same;
    if (devices > 0) gpu_destroy(gpu);
    free(in);
    return is_same;
}

/* ---- The bits ----------------------------------------------------------------------------------------- */

/* Three processes reduce a part each. Their partial results meet in shared memory, and the parent folds
   them. */
static float sum_of_parts(const float *in, size_t n) {
    enum { PROCESSES = 3 };
    float *partials = (float *)mmap(NULL, REDUCE_MAX_CHUNKS * sizeof *partials, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int process = 0; process < PROCESSES; process++) {
        if (fork() != 0) continue;
        const struct reduce_shard own = reduce_shard(n, sizeof *in, process, PROCESSES);
        reduce_float_sum_cpu_chunks(in + own.begin, n, own.first, own.count, partials + own.first);
        _exit(0);
    }
    while (wait(NULL) > 0) {}
    return reduce_float_sum_cpu_fold(partials, n);
}

static float sum_of_kernel(const float *in, size_t n) {
    const struct gpu gpu = gpu_create(in, n);
    const float sum = async_result("reduce_float_sum_async", reduce_float_sum_async, &gpu, n);
    gpu_destroy(gpu);
    return sum;
}

static bool print_bits(const char *how, size_t n) {
    const bool is_moved = strcmp(how, "moved") == 0, has_loop = is_moved || strcmp(how, "cpu") == 0;
    float *memory = allocate(n), *in = memory + is_moved, sum;
    fill_with_sines(in, n);
    if (has_loop) sum = reduce_float_sum_cpu(in, n);
    else if (strcmp(how, "parts") == 0) sum = sum_of_parts(in, n);
    else if (strcmp(how, "kernel") == 0) sum = sum_of_kernel(in, n);
    else return false;

    if (has_loop) printf("0x%08x", bits(openmp_loop(in, n)));
    printf("%*s0x%08x\n", has_loop ? 8 : 18, "", bits(sum));
    free(memory);
    return true;
}

int main(int count, char **arguments) {
    char *end = NULL;
    const size_t n = count > 1 ? strtoull(arguments[count - 1], &end, 10) : 0;
    if (count == 2 && *end == '\0') return tables(n) ? 0 : 1;
    const bool wants_bits = count == 4 && *end == '\0' && strcmp(arguments[1], "--bits") == 0;
    if (wants_bits && print_bits(arguments[2], n)) return 0;
    fprintf(stderr, "usage: %s N, or %s --bits cpu|moved|parts|kernel N\n", arguments[0], arguments[0]);
    return 2;
}
