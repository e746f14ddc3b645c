/*
 * cpu.c: times of NAME_cpu beside a serial loop, std::reduce and NumPy, by size and number of threads.
 *
 * The serial loop is what a user would write, and is compiled with the same options as this file. With -O3
 * compilers vectorise it for integers; they may not vectorise a sum of floats, whose order the loop fixes. The
 * loop and std::reduce do not order zeros, and may lose a NaN.
 */
#define _POSIX_C_SOURCE 200809L
#include "cpu.h"
#include "reduce.cuh"
#include "timing.h"

#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_max_threads() 1
#define omp_set_num_threads(threads) (void)(threads)
#endif

static const char options[] = "--quick --types= --ops= --min= --max= --rounds= --numpy= --json=";

enum { MIN_LOG = 14, MAX_LOG = 30, MAX_THREAD_COUNTS = 9 };

/* ---- Sides --------------------------------------------------------------------------------------------- */

#define SERIAL_sum(a, b) (a) + (b)
#define SERIAL_prod(a, b) (a) * (b)
#define SERIAL_min(a, b) (b) < (a) ? (b) : (a)
#define SERIAL_max(a, b) (a) < (b) ? (b) : (a)
#define SERIAL_fmin(a, b) _Generic(a, float: fminf, default: fmin)(a, b)
#define SERIAL_fmax(a, b) _Generic(a, float: fmaxf, default: fmax)(a, b)
#define SERIAL_band(a, b) (a) & (b)
#define SERIAL_bor(a, b) (a) | (b)
#define SERIAL_bxor(a, b) (a) ^ (b)
#define SERIAL_land(a, b) (a) && (b)
#define SERIAL_lor(a, b) (a) || (b)

/* An element from a whole number between -64 and 63: products neither overflow nor vanish, and no loop for
   land or lor can stop early. */
#define ELEMENT_of_any(i) (i)
#define ELEMENT_of_one(i) ((i) % 2 == 0 ? 1 : -1)
#define ELEMENT_of_zero(i) (0 * (i))
#define ELEMENT_sum ELEMENT_of_any
#define ELEMENT_prod ELEMENT_of_one
#define ELEMENT_min ELEMENT_of_any
#define ELEMENT_max ELEMENT_of_any
#define ELEMENT_fmin ELEMENT_of_any
#define ELEMENT_fmax ELEMENT_of_any
#define ELEMENT_band ELEMENT_of_any
#define ELEMENT_bor ELEMENT_of_any
#define ELEMENT_bxor ELEMENT_of_any
#define ELEMENT_land ELEMENT_of_one
#define ELEMENT_lor ELEMENT_of_zero

/* What a result is checked in: it has the sums of floats exactly, and integers wrap around as they are. */
#define EXACT_TYPE(T) __typeof__(_Generic((T)0, float: 0.0, default: (T)0))

/* long double NAME(const void *in, size_t n): function, with its result in a type that holds all values. */
#define DEFINE_SIDE(NAME, T, function)                                                                    \
    static long double NAME(const void *in, size_t n)                                                     \
    {                                                                                                     \
        return (long double)function((const T *)in, n);                                                   \
    }

/* T NAME(const T *in, size_t n): the serial loop, in type A. */
#define DEFINE_LOOP(NAME, T, A, op)                                                                       \
    static __attribute__((noinline)) A NAME(const T *in, size_t n)                                        \
    {                                                                                                     \
        A result = (A)reduce_##T##_##op##_identity();                                                     \
        for (size_t i = 0; i < n; i++) result = (A)(SERIAL_##op(result, (A)in[i]));                       \
        return result;                                                                                    \
    }

#define DEFINE_SIDES(T, op)                                                                               \
    DEFINE_REDUCE(T, op)                                                                                  \
    DEFINE_LOOP(serial_##T##_##op, T, T, op)                                                              \
    DEFINE_LOOP(exact_##T##_##op, T, EXACT_TYPE(T), op)                                                   \
    DEFINE_SIDE(call_serial_##T##_##op, T, serial_##T##_##op)                                             \
    DEFINE_SIDE(call_exact_##T##_##op, T, exact_##T##_##op)                                               \
    DEFINE_SIDE(call_std_##T##_##op, T, cpu_std_##T##_##op)                                               \
    DEFINE_SIDE(call_ours_##T##_##op, T, reduce_##T##_##op##_cpu)                                         \
    static void fill_##T##_##op(void *elements, size_t n)                                                 \
    {                                                                                                     \
        uint32_t bits = 1;                                                                                \
        for (size_t i = 0; i < n; i++) {                                                                  \
            bits = bits * 1664525u + 1013904223u;                                                         \
            ((T *)elements)[i] = (T)ELEMENT_##op((int)(bits >> 25) - 64);                                 \
        }                                                                                                 \
    }
CPU_KINDS(DEFINE_SIDES)

typedef long double reduction(const void *in, size_t n);

struct kind {
    const char *type, *op;
    size_t size;
    void (*fill)(void *elements, size_t n);
    reduction *exact, *serial, *std, *ours;
};

#define KIND_OF(T, op)                                                                                    \
    {#T, #op, sizeof(T), fill_##T##_##op, call_exact_##T##_##op, call_serial_##T##_##op,                  \
     call_std_##T##_##op, call_ours_##T##_##op},
static const struct kind kinds[] = {CPU_KINDS(KIND_OF)};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* ---- Cells --------------------------------------------------------------------------------------------- */

struct work {
    reduction *reduce;
    const void *in;
    size_t n;
    int threads;
};

static volatile long double sink;

static void call(const void *context, int i, cudaStream_t stream)
{
    const struct work *work = (const struct work *)context;
    (void)i;
    (void)stream;
    omp_set_num_threads(work->threads);
    sink = work->reduce(work->in, work->n);
}

/* Small whole numbers have exact sums, of floats too while they are below 2^24. */
static void check(const struct kind *kind, const struct work *work, const char *name)
{
    const long double expected = kind->exact(work->in, work->n), found = work->reduce(work->in, work->n);
    const bool is_rounded = strcmp(kind->type, "float") == 0 && strcmp(kind->op, "sum") == 0;
    if (fabsl(found - expected) > (is_rounded ? 1e-5L * 32 * (long double)work->n : 0))
        bench_fail("%s %s, n = %zu, %s: %.20Lg, not %.20Lg", kind->type, kind->op, work->n, name, found,
                   expected);
}

/* 1, 2, 4 ... and as many as there are. */
static int thread_counts(int *counts)
{
    const int most = omp_get_max_threads();
    int count = 0;
    for (int threads = 1; threads < most && count < MAX_THREAD_COUNTS - 1; threads *= 2)
        counts[count++] = threads;
    counts[count++] = most;
    return count;
}

/* NumPy's time for this cell, in microseconds, or NaN: from a process of its own, with the same rounds. */
static double numpy_time(const char *script, const struct kind *kind, size_t n, int calls, int rounds)
{
    char command[512];
    double time = NAN;
    if (*script == 0) return NAN;
    snprintf(command, sizeof command, "python3 '%s' %s %s %zu %d %d", script, kind->type, kind->op, n, calls,
             rounds);
    FILE *output = popen(command, "r");
    if (output == NULL || fscanf(output, "%lf", &time) != 1) time = NAN;
    if (output != NULL) pclose(output);
    return time;
}

static void write_row(struct bench_json *json, const struct kind *kind, size_t bytes, const char *side,
                      int threads, struct bench_time time)
{
    bench_json_row(json,
                   "\"type\": \"%s\", \"op\": \"%s\", \"bytes\": %zu, \"side\": \"%s\", \"threads\": %d, "
                   "\"us\": %.4f, \"low\": %.4f, \"high\": %.4f, \"gbs\": %.3f",
                   kind->type, kind->op, bytes, side, threads, time.median, time.low, time.high,
                   (double)bytes / time.median * 1e-3);
}

static void run_size(struct bench_json *json, const struct kind *kind, const void *in, int log, int rounds,
                     const char *numpy)
{
    const size_t bytes = (size_t)1 << log, n = bytes / kind->size;
    const int calls = log < 23 ? 1 << (23 - log) : 1;
    int threads[MAX_THREAD_COUNTS];
    const int counts = thread_counts(threads), sides = 2 + counts;
    struct work works[2 + MAX_THREAD_COUNTS] = {{kind->serial, in, n, 1}, {kind->std, in, n, 1}};
    struct bench_side timed[2 + MAX_THREAD_COUNTS];
    for (int s = 0; s < sides; s++) {
        if (s >= 2) works[s] = (struct work){kind->ours, in, n, threads[s - 2]};
        check(kind, &works[s], s == 0 ? "serial" : s == 1 ? "std::reduce" : "ours");
        timed[s] = bench_side(call, &works[s]);
    }
    /* One thread first: a change in their number would disturb what is timed next. */
    bench_host(timed, 3, calls, rounds, NULL);
    for (int s = 3; s < sides; s++) bench_host(&timed[s], 1, calls, rounds, NULL);
    const double by_numpy = numpy_time(numpy, kind, n, calls, rounds);
    printf("%11zu |", bytes);
    for (int s = 0; s < 2; s++) printf(" %8.2f", (double)bytes / timed[s].time.median * 1e-3);
    if (isnan(by_numpy))
        printf(" %8s |", "-");
    else
        printf(" %8.2f |", (double)bytes / by_numpy * 1e-3);
    for (int s = 2; s < sides; s++) printf(" %8.2f", (double)bytes / timed[s].time.median * 1e-3);
    printf(" | %8.2f\n", bench_ratio(&timed[0], &timed[2], rounds).median);
    fflush(stdout);
    for (int s = 0; s < sides; s++)
        write_row(json, kind, bytes, s == 0 ? "serial" : s == 1 ? "std::reduce" : "ours", works[s].threads,
                  timed[s].time);
    if (!isnan(by_numpy))
        write_row(json, kind, bytes, "numpy", 1, (struct bench_time){by_numpy, by_numpy, by_numpy});
}

static void print_columns(const struct kind *kind)
{
    int threads[MAX_THREAD_COUNTS];
    const int counts = thread_counts(threads);
    printf("\n%s %s, GB/s\n%11s | %8s %8s %8s |", kind->type, kind->op, "bytes", "serial", "std", "NumPy");
    for (int t = 0; t < counts; t++) printf(" %5d th.", threads[t]);
    printf(" | 1 thread against serial\n");
}

int main(int argc, char **argv)
{
    bench_check_options(argc, argv, options);
    const bool is_quick = bench_flag(argc, argv, "--quick");
    const char *types = bench_option(argc, argv, "--types", ""), *ops = bench_option(argc, argv, "--ops", "");
    const char *numpy = bench_option(argc, argv, "--numpy", "");
    const int min_log = atoi(bench_option(argc, argv, "--min", "14"));
    const int max_log = atoi(bench_option(argc, argv, "--max", is_quick ? "26" : "28"));
    const int rounds = bench_rounds(argc, argv, 9);
    if (min_log < MIN_LOG || max_log > MAX_LOG || min_log > max_log)
        bench_fail("--min, --max: 14 to 30, for 2^14 to 2^30 bytes");
    struct bench_json json = bench_json_begin(argc, argv);
    void *elements = aligned_alloc(64, (size_t)1 << max_log);
    if (elements == NULL) bench_fail("no memory");
    bench_heading("On the CPU: NAME_cpu against the serial loop, std::reduce and NumPy");
    for (int k = 0; k < KIND_COUNT; k++) {
        if (!bench_listed(types, kinds[k].type) || !bench_listed(ops, kinds[k].op)) continue;
        bench_progress(k, KIND_COUNT, kinds[k].type);
        kinds[k].fill(elements, ((size_t)1 << max_log) / kinds[k].size);
        print_columns(&kinds[k]);
        for (int log = min_log; log <= max_log; log += is_quick ? 4 : 2)
            run_size(&json, &kinds[k], elements, log, rounds, numpy);
    }
    bench_progress(KIND_COUNT, KIND_COUNT, "done");
    bench_json_end(&json, "");
    free(elements);
    return 0;
}
