/*
 * exact_files.c: processes sum parts of one data set, and send their accumulators as bytes. The merged sum has the same
 * bits for any number of parts, which arrive in any order. Plain C with POSIX; no CUDA anywhere.
 *
 *     gcc -std=c11 -O2 -I../include exact_files.c -lm -o exact_files
 */
#define _POSIX_C_SOURCE 200809L

#include "reduce_exact.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT_MAP(sum_of_squares, float, double, (double)x * (double)x)

enum { N = 240000, MOST_PARTS = 64 };

/* The message of a process. It has less than PIPE_BUF bytes, so several processes may write to one pipe. */
struct message {
    int part;
    float loop;                         /* the sum of the part, rounded at each addition */
    struct reduce_exact_float sum;      /* the sum of the part, exactly */
    struct reduce_exact_double squares; /* the sum of its squares: a float's square fits a double */
};

static float data[N];

static void stop(const char *why)
{
    perror(why);
    exit(EXIT_FAILURE);
}

/* Runs in a process of its own. */
static void sum_part(int part, int parts, int to)
{
    const size_t begin = (size_t)N * part / parts, end = (size_t)N * (part + 1) / parts;
    struct message message;
    memset(&message, 0, sizeof message); /* accumulators that are all zero are empty */
    message.part = part;

    reduce_float_exact_sum_accumulate_cpu(data + begin, end - begin, &message.sum);
    for (size_t i = begin; i < end; i++) {
        reduce_exact_double_add(&message.squares, (double)data[i] * (double)data[i]);
        message.loop += data[i];
    }
    if (write(to, &message, sizeof message) != (ssize_t)sizeof message) stop("write");
    _exit(EXIT_SUCCESS);
}

/* An accumulator consists of int64_t words. Adding the words of two accumulators gives the accumulator of both. */
static void add_words(void *to, const void *from, size_t bytes)
{
    int64_t *sums = (int64_t *)to;
    const int64_t *words = (const int64_t *)from;
    for (size_t k = 0; k < bytes / sizeof *sums; k++) sums[k] += words[k];
}

struct totals {
    float loop, by_merge, by_words;
    double squares_by_merge, squares_by_words;
};

static struct totals sum_in_parts(int parts)
{
    struct reduce_exact_float sum, sum_of_words;
    struct reduce_exact_double squares, squares_of_words;
    struct totals totals = {0, 0, 0, 0, 0};
    float loops[MOST_PARTS];
    int ends[2];

    reduce_exact_float_clear(&sum);
    reduce_exact_float_clear(&sum_of_words);
    reduce_exact_double_clear(&squares);
    reduce_exact_double_clear(&squares_of_words);

    if (pipe(ends) != 0) stop("pipe");
    for (int part = 0; part < parts; part++) {
        const pid_t child = fork();
        if (child < 0) stop("fork");
        if (child == 0) sum_part(part, parts, ends[1]);
    }
    close(ends[1]);
    for (int k = 0; k < parts; k++) { /* in the order in which they arrive */
        struct message message;
        if (read(ends[0], &message, sizeof message) != (ssize_t)sizeof message) stop("read");
        reduce_exact_float_merge(&sum, &message.sum);
        reduce_exact_double_merge(&squares, &message.squares);
        add_words(&sum_of_words, &message.sum, sizeof message.sum);
        add_words(&squares_of_words, &message.squares, sizeof message.squares);
        loops[message.part] = message.loop;
    }
    close(ends[0]);
    while (wait(NULL) > 0) continue;

    for (int part = 0; part < parts; part++) totals.loop += loops[part];
    totals.by_merge = reduce_exact_float_round(&sum);
    totals.by_words = reduce_exact_float_round(&sum_of_words);
    totals.squares_by_merge = reduce_exact_double_round(&squares);
    totals.squares_by_words = reduce_exact_double_round(&squares_of_words);
    return totals;
}

int main(void)
{
    /* Large numbers that cancel, and between them N / 3 times 1/8: the true sum is 10000. */
    for (int k = 0; k < N / 3; k++) {
        data[3 * k] = 1e8f / (float)(k + 1);
        data[3 * k + 1] = 0.125f;
        data[N - 1 - 3 * k] = -data[3 * k];
    }

    const int parts[] = {1, 2, 7, 64};
    const double squares = sum_of_squares_cpu(data, N);
    float loop_alone = 0;
    bool is_right = true, loops_differ = false;
    for (int k = 0; k < 4; k++) {
        const struct totals totals = sum_in_parts(parts[k]);
        if (k == 0) loop_alone = totals.loop;
        is_right = is_right && totals.by_merge == 10000 && totals.by_words == 10000 &&
                   totals.squares_by_merge == squares && totals.squares_by_words == squares;
        loops_differ = loops_differ || totals.loop != loop_alone;
        printf("parts: %2d; exact %g, squares %a; a loop %g\n", parts[k], (double)totals.by_merge,
               totals.squares_by_merge, (double)totals.loop);
    }
    puts(is_right ? "the same bits" : "WRONG");
    return is_right && loops_differ ? EXIT_SUCCESS : EXIT_FAILURE;
}
