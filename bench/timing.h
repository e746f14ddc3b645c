/*
 * timing.h: how the programs of bench/ take times and report them.
 *
 * A side is one of the things that are compared: a function that starts call number i. Sides are timed in turn,
 * round after round, so that a drift of the clock or of the machine affects all of them alike. A round gives one
 * time per call, in microseconds; a cell is the median of its rounds, with the quartiles as its spread.
 *
 *   bench_graph    replays one graph of all calls: the device's own time
 *   bench_stream   launches the calls one after the other in a stream: the host's launches show
 *   bench_host     waits for each call: a round trip
 *
 * Without nvcc only the parts that need no GPU are there: bench_host, options, JSON.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#else
typedef void *cudaStream_t;
#endif

#define BENCH_FUNCTION static inline __attribute__((unused))

enum { BENCH_MAX_ROUNDS = 101, BENCH_MAX_SIDES = 32 };

/* ---- Failure ------------------------------------------------------------------------------------------- */

BENCH_FUNCTION void bench_fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fflush(stdout);
    fputs("\nbench: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(1);
}

BENCH_FUNCTION void *bench_malloc(size_t bytes)
{
    void *room = malloc(bytes);
    if (room == NULL) bench_fail("no memory for %zu bytes", bytes);
    return room;
}

#ifdef __CUDACC__
#define BENCH_CHECK(call) bench_check_(call, #call, __FILE__, __LINE__)

BENCH_FUNCTION void bench_check_(cudaError_t status, const char *call, const char *file, int line)
{
    if (status != cudaSuccess) bench_fail("%s:%d: %s: %s", file, line, call, cudaGetErrorString(status));
}
#endif

/* ---- Samples ------------------------------------------------------------------------------------------- */

struct bench_time {
    double median, low, high; /* low and high: the quartiles */
};

BENCH_FUNCTION int bench_compare_(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

BENCH_FUNCTION struct bench_time bench_summary(const double *samples, int count)
{
    double sorted[BENCH_MAX_ROUNDS];
    memcpy(sorted, samples, count * sizeof *samples);
    qsort(sorted, count, sizeof *sorted, bench_compare_);
    const struct bench_time time = {sorted[count / 2], sorted[count / 4], sorted[count - 1 - count / 4]};
    return time;
}

/* Half the distance of the quartiles, in per cent of the median. */
BENCH_FUNCTION double bench_spread(struct bench_time time)
{
    return 50 * (time.high - time.low) / time.median;
}

/* ---- Sides --------------------------------------------------------------------------------------------- */

struct bench_side {
    void (*call)(const void *context, int i, cudaStream_t stream);
    const void *context;
    double samples[BENCH_MAX_ROUNDS];
    struct bench_time time;
};

BENCH_FUNCTION struct bench_side bench_side(void (*call)(const void *, int, cudaStream_t),
                                            const void *context)
{
    struct bench_side side;
    memset(&side, 0, sizeof side);
    side.call = call;
    side.context = context;
    return side;
}

/* How many times as long one side takes as another, round by round. */
BENCH_FUNCTION struct bench_time bench_ratio(const struct bench_side *slow, const struct bench_side *fast,
                                             int rounds)
{
    double ratios[BENCH_MAX_ROUNDS];
    for (int r = 0; r < rounds; r++) ratios[r] = slow->samples[r] / fast->samples[r];
    return bench_summary(ratios, rounds);
}

BENCH_FUNCTION void bench_summaries_(struct bench_side *sides, int count, int rounds)
{
    for (int s = 0; s < count; s++) sides[s].time = bench_summary(sides[s].samples, rounds);
}

BENCH_FUNCTION double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec * 1e-3;
}

/* Each second round goes through the sides backwards, so that no side always follows the same other one. */
BENCH_FUNCTION int bench_turn_(int r, int s, int count)
{
    return r % 2 == 0 ? s : count - 1 - s;
}

/* One round trip after the other: a side's call returns when its result is there. */
BENCH_FUNCTION void bench_host(struct bench_side *sides, int count, int calls, int rounds,
                               cudaStream_t stream)
{
    for (int s = 0; s < count; s++) sides[s].call(sides[s].context, 0, stream);
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < count; k++) {
            const int s = bench_turn_(r, k, count);
            const double begin = bench_now();
            for (int i = 0; i < calls; i++) sides[s].call(sides[s].context, i, stream);
            sides[s].samples[r] = (bench_now() - begin) / calls;
        }
    }
    bench_summaries_(sides, count, rounds);
}

#ifdef __CUDACC__

struct bench_events {
    cudaEvent_t begin, end;
};

BENCH_FUNCTION struct bench_events bench_events_create(void)
{
    struct bench_events events;
    BENCH_CHECK(cudaEventCreate(&events.begin));
    BENCH_CHECK(cudaEventCreate(&events.end));
    return events;
}

BENCH_FUNCTION void bench_events_destroy(struct bench_events events)
{
    BENCH_CHECK(cudaEventDestroy(events.begin));
    BENCH_CHECK(cudaEventDestroy(events.end));
}

/* Microseconds between the two, once the second has happened. */
BENCH_FUNCTION double bench_elapsed(struct bench_events events)
{
    float milliseconds;
    BENCH_CHECK(cudaEventSynchronize(events.end));
    BENCH_CHECK(cudaEventElapsedTime(&milliseconds, events.begin, events.end));
    return milliseconds * 1e3;
}

BENCH_FUNCTION void bench_calls_(const struct bench_side *side, int calls, cudaStream_t stream)
{
    for (int i = 0; i < calls; i++) side->call(side->context, i, stream);
}

/* The calls back to back. */
BENCH_FUNCTION void bench_stream(struct bench_side *sides, int count, int calls, int rounds,
                                 cudaStream_t stream)
{
    const struct bench_events events = bench_events_create();
    for (int s = 0; s < count; s++) bench_calls_(&sides[s], calls, stream);
    BENCH_CHECK(cudaStreamSynchronize(stream));
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < count; k++) {
            const int s = bench_turn_(r, k, count);
            BENCH_CHECK(cudaEventRecord(events.begin, stream));
            bench_calls_(&sides[s], calls, stream);
            BENCH_CHECK(cudaEventRecord(events.end, stream));
            sides[s].samples[r] = bench_elapsed(events) / calls;
        }
    }
    bench_events_destroy(events);
    bench_summaries_(sides, count, rounds);
}

BENCH_FUNCTION cudaGraphExec_t bench_capture_(const struct bench_side *side, int calls, cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    bench_calls_(side, 1, stream); /* what is loaded late is loaded now */
    BENCH_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    bench_calls_(side, calls, stream);
    BENCH_CHECK(cudaStreamEndCapture(stream, &graph));
    BENCH_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    BENCH_CHECK(cudaGraphDestroy(graph));
    BENCH_CHECK(cudaGraphLaunch(executable, stream));
    return executable;
}

/* The calls as the nodes of a graph, one after the other. */
BENCH_FUNCTION void bench_graph(struct bench_side *sides, int count, int calls, int rounds,
                                cudaStream_t stream)
{
    const struct bench_events events = bench_events_create();
    cudaGraphExec_t graphs[BENCH_MAX_SIDES];
    for (int s = 0; s < count; s++) graphs[s] = bench_capture_(&sides[s], calls, stream);
    BENCH_CHECK(cudaStreamSynchronize(stream));
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < count; k++) {
            const int s = bench_turn_(r, k, count);
            BENCH_CHECK(cudaEventRecord(events.begin, stream));
            BENCH_CHECK(cudaGraphLaunch(graphs[s], stream));
            BENCH_CHECK(cudaEventRecord(events.end, stream));
            sides[s].samples[r] = bench_elapsed(events) / calls;
        }
    }
    for (int s = 0; s < count; s++) BENCH_CHECK(cudaGraphExecDestroy(graphs[s]));
    bench_events_destroy(events);
    bench_summaries_(sides, count, rounds);
}

#endif /* __CUDACC__ */

/* ---- Progress ------------------------------------------------------------------------------------------ */

/* One line on a terminal, overwritten each time; elsewhere a line every ten seconds. */
BENCH_FUNCTION void bench_progress(int done, int all, const char *what)
{
    static double shown = -1e9, begin;
    const bool is_terminal = isatty(2);
    const double now = bench_now();
    if (begin == 0) begin = now;
    if (now - shown < (is_terminal ? 1e5 : 1e7) && done < all) return;
    shown = now;
    fprintf(stderr, is_terminal ? "\r\033[K%d of %d, %.0f s  %s" : "%d of %d, %.0f s  %s\n", done, all,
            (now - begin) * 1e-6, what);
    if (is_terminal && done == all) fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* ---- Options ------------------------------------------------------------------------------------------- */

/* The value of an option "--name VALUE", or otherwise. */
BENCH_FUNCTION const char *bench_option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    return otherwise;
}

BENCH_FUNCTION bool bench_flag(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return true;
    return false;
}

/* What follows an option in a list such as "--types= --quick": '=', ' ' or the end; 'x' if it is not in the list. */
BENCH_FUNCTION char bench_after_(const char *options, const char *option)
{
    const size_t length = strlen(option);
    for (const char *at = strstr(options, option); at != NULL && length > 0; at = strstr(at + 1, option))
        if ((at == options || at[-1] == ' ') && (at[length] == '=' || at[length] == ' ' || at[length] == 0))
            return at[length];
    return 'x';
}

/* Stops with the usage unless every argument is one of the options, such as "--types= --quick": those with "="
   take a value. */
BENCH_FUNCTION void bench_check_options(int argc, char **argv, const char *options)
{
    for (int i = 1; i < argc; i++) {
        const char after = bench_after_(options, argv[i]);
        const bool takes_value = after == '=';
        if (after == 'x' || (takes_value && i + 1 == argc)) bench_fail("usage: %s [%s]", argv[0], options);
        i += takes_value;
    }
}

/* --rounds N, or fewer than usual under --quick. */
BENCH_FUNCTION int bench_rounds(int argc, char **argv, int usual)
{
    const int otherwise = bench_flag(argc, argv, "--quick") ? (usual + 1) / 2 : usual;
    const char *given = bench_option(argc, argv, "--rounds", "");
    const int rounds = *given == 0 ? otherwise : atoi(given);
    if (rounds < 1 || rounds > BENCH_MAX_ROUNDS) bench_fail("--rounds: 1 to %d", BENCH_MAX_ROUNDS);
    return rounds;
}

/* True if word is in a list such as "int,float", or the list is empty. */
BENCH_FUNCTION bool bench_listed(const char *list, const char *word)
{
    const size_t length = strlen(word);
    if (*list == 0) return true;
    for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ',') && (at[length] == 0 || at[length] == ',')) return true;
    return false;
}

/* ---- JSON ----------------------------------------------------------------------------------------------
 *
 * {"program": ..., "device": ..., "date": ..., "command": ..., "rows": [{...}, ...], "summary": {...}}
 * A null file is fine: nothing is written.
 */

struct bench_json {
    FILE *file;
    int rows;
};

BENCH_FUNCTION void bench_date(char *text, size_t size)
{
    const time_t now = time(NULL);
    strftime(text, size, "%Y-%m-%d", gmtime(&now));
}

/* What the times were taken on. */
BENCH_FUNCTION void bench_device(char *text, size_t size)
{
#ifdef __CUDACC__
    struct cudaDeviceProp device;
    int runtime = 0;
    BENCH_CHECK(cudaGetDeviceProperties(&device, 0));
    BENCH_CHECK(cudaRuntimeGetVersion(&runtime));
    snprintf(text, size, "%.99s, %d SMs, CUDA %d.%d", device.name, device.multiProcessorCount, runtime / 1000,
             runtime % 1000 / 10);
#else
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(text, size, "an unknown CPU");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *name = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || name == NULL) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(text, size, "%s, %ld threads", name + 2, sysconf(_SC_NPROCESSORS_ONLN));
        break;
    }
    if (file != NULL) fclose(file);
#endif
}

BENCH_FUNCTION const char *bench_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

BENCH_FUNCTION struct bench_json bench_json_begin(int argc, char **argv)
{
    const char *path = bench_option(argc, argv, "--json", "");
    struct bench_json json = {NULL, 0};
    char device[256], date[32];
    if (*path == 0) return json;
    json.file = fopen(path, "w");
    if (json.file == NULL) bench_fail("cannot write %s", path);
    bench_device(device, sizeof device);
    bench_date(date, sizeof date);
    fprintf(json.file, "{\"program\": \"%s\", \"device\": \"%s\", \"date\": \"%s\", \"command\": \"%s",
            bench_base_name(argv[0]), device, date, bench_base_name(argv[0]));
    for (int i = 1; i < argc; i++) fprintf(json.file, " %s", bench_base_name(argv[i]));
    fputs("\", \"rows\": [", json.file);
    return json;
}

/* One row, from what stands between its braces. */
BENCH_FUNCTION void bench_json_row(struct bench_json *json, const char *format, ...)
{
    va_list values;
    const bool is_first = json->rows++ == 0;
    if (json->file == NULL) return;
    va_start(values, format);
    fputs(is_first ? "\n  {" : ",\n  {", json->file);
    vfprintf(json->file, format, values);
    fputc('}', json->file);
    va_end(values);
}

/* Ends the file, with further members after the rows: empty, or text that starts with a comma. Stops if there
   are no rows. */
BENCH_FUNCTION void bench_json_end(struct bench_json *json, const char *more)
{
    if (json->rows == 0) bench_fail("nothing was measured: no name in an option is known");
    if (json->file == NULL) return;
    fprintf(json->file, "\n]%s}\n", more);
    if (fclose(json->file) != 0) bench_fail("the JSON file could not be written");
    json->file = NULL;
}

/* Who, when, with what: the first lines of every table. */
BENCH_FUNCTION void bench_heading(const char *title)
{
    char device[256], date[32];
    bench_device(device, sizeof device);
    bench_date(date, sizeof date);
    printf("%s\n%s, %s\n\n", title, device, date);
}

#endif /* BENCH_TIMING_H */
