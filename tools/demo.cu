/*
 * What tools/demo.sh runs.
 *
 *   demo N                sums N floats and N ints with a plain loop and with the library, and times both
 *   demo --bits N WHO     sums N floats with the library, and prints one line: WHO, the sum and its bits
 */
#include "reduce.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

DEFINE_REDUCE(float, sum)
DEFINE_REDUCE(int, sum)
DEFINE_REDUCE_MAP(wide_float_sum, float, double, x, 0, a + b)
DEFINE_REDUCE_MAP(wide_int_sum, int, long long, x, 0, a + b)

static void check(cudaError_t error, const char *call) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "demo: %s: %s\n", call, cudaGetErrorString(error));
    exit(1);
}
#define CHECK(call) check(call, #call)

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory != NULL) return memory;
    fprintf(stderr, "demo: there is no room for %zu bytes\n", bytes);
    exit(1);
}

/* A number from 0 to 2^24 - 1 that looks random: the same for the same i on every machine. */
static unsigned scramble(size_t i) {
    unsigned x = (unsigned)i;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return (x ^ x >> 16) >> 8;
}

static float *floats(size_t n) { /* from 0 up to, not including, 1 */
    float *in = (float *)allocate(n * sizeof *in);
    for (size_t i = 0; i < n; i++) in[i] = (float)scramble(i) / 16777216;
    return in;
}

static int *ints(size_t n) { /* 0 to 9: the sum of a hundred million fits */
    int *in = (int *)allocate(n * sizeof *in);
    for (size_t i = 0; i < n; i++) in[i] = (int)(scramble(i) % 10);
    return in;
}

static unsigned bits(float x) {
    unsigned word;
    memcpy(&word, &x, sizeof word);
    return word;
}

/* The loops that everybody writes. */
static __attribute__((noinline)) float float_loop(const float *in, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += in[i];
    return sum;
}

static __attribute__((noinline)) int int_loop(const int *in, size_t n) {
    int sum = 0;
    for (size_t i = 0; i < n; i++) sum += in[i];
    return sum;
}

static const char *grouped(size_t n) { /* 100000000 as 100,000,000 */
    static char text[32];
    char *at = text + sizeof text - 1;
    for (int digits = 0; n > 0 || digits == 0; n /= 10, digits++) {
        if (digits > 0 && digits % 3 == 0) *--at = ',';
        *--at = (char)('0' + n % 10);
    }
    return at;
}

/* Runs the statement three times; `best` is the shortest time. */
#define TIME(best, statement)                                                                                \
    for (int run_ = 0; run_ < 3; run_++) {                                                                   \
        const double start_ = seconds();                                                                     \
        statement;                                                                                           \
        const double taken_ = seconds() - start_;                                                            \
        if (run_ == 0 || taken_ < (best)) (best) = taken_;                                                   \
    }

static void row(const char *who, double result, unsigned word, double bytes, double time) {
    printf("  %-38s%12.0f   0x%08x%9.2f ms%9.1f GB/s\n", who, result, word, 1e3 * time, 1e-9 * bytes / time);
    fflush(stdout);
}

/* One table: the loop and the library, from main memory and, where there is a GPU, from its own. */
#define DEFINE_TABLE(T, WORD)                                                                                \
    static bool T##_table(size_t n, bool has_gpu) {                                                          \
        T *in = T##s(n), result;                                                                             \
        const T on_cpu = reduce_##T##_sum_cpu(in, n);                                                        \
        const double bytes = (double)(n * sizeof(T));                                                        \
        double time = 0;                                                                                     \
        bool same = true;                                                                                    \
        printf("\n%11s %-28s%12s   %-10s%12s%14s\n", grouped(n), #T "s", "sum", "bits", "time", "speed");    \
                                                                                                             \
        TIME(time, result = T##_loop(in, n))                                                                 \
        row("a plain loop", (double)result, WORD(result), bytes, time);                                      \
                                                                                                             \
        TIME(time, CHECK(reduce_##T##_sum(in, n, &result)))                                                  \
        same = same && WORD(result) == WORD(on_cpu);                                                         \
        row(has_gpu ? "reduce_" #T "_sum, copied to the GPU" : "reduce_" #T "_sum, on the CPU",              \
            (double)result, WORD(result), bytes, time);                                                      \
                                                                                                             \
        if (has_gpu) {                                                                                       \
            T *on_gpu;                                                                                       \
            CHECK(cudaMalloc((void **)&on_gpu, n * sizeof(T)));                                              \
            CHECK(cudaMemcpy(on_gpu, in, n * sizeof(T), cudaMemcpyHostToDevice));                            \
            TIME(time, CHECK(reduce_##T##_sum(on_gpu, n, &result)))                                          \
            same = same && WORD(result) == WORD(on_cpu);                                                     \
            row("reduce_" #T "_sum, in the GPU's memory", (double)result, WORD(result), bytes, time);        \
            CHECK(cudaFree(on_gpu));                                                                         \
                                                                                                             \
            TIME(time, result = reduce_##T##_sum_cpu(in, n))                                                 \
            row("reduce_" #T "_sum_cpu", (double)result, WORD(result), bytes, time);                         \
        }                                                                                                    \
                                                                                                             \
        printf("  %-38s%12.0f\n", "exactly, in a wider type", (double)wide_##T##_sum_cpu(in, n));            \
        free(in);                                                                                            \
        if (!same) puts("  THE BITS DIFFER from those of the CPU.");                                         \
        return same;                                                                                         \
    }
DEFINE_TABLE(float, bits)
DEFINE_TABLE(int, (unsigned))

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "--bits") == 0) {
        size_t n = strtoull(arguments[2], NULL, 10);
        float *in = floats(n), result;
        CHECK(reduce_float_sum(in, n, &result));
        printf("  %-38s%12.0f   0x%08x\n", arguments[3], (double)result, bits(result));
        free(in);
        return 0;
    }
    if (count != 2) {
        fprintf(stderr, "usage: %s N, or %s --bits N WHO\n", arguments[0], arguments[0]);
        return 2;
    }

    size_t n = strtoull(arguments[1], NULL, 10);
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;
    bool same = float_table(n, devices > 0);
    same = int_table(n, devices > 0) && same;
    return !same;
}
