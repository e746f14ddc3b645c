/*
 * NAME_mpi in plain C with a small tree: every type and operator, every kind of input, uneven sizes, processes without
 * elements; and the error that each process returns if one of them fails. For 1 and more processes:
 *
 *     mpicc -std=c11 -I.. -I../../include mpi.c -lm -o mpi && mpirun -n 5 ./mpi
 */
#include "small_tree.h"

#include <stdio.h>
#include <stdlib.h>

/* The next allocation fails, where a test wants it. */
static int calloc_fails;
static void *counted_calloc(size_t count, size_t size)
{
    return calloc_fails-- == 1 ? NULL : calloc(count, size);
}
#define calloc counted_calloc

#include "reduce_inputs.cuh"
#include "reduce_mpi.h"
#include "reduce_results.cuh"

#include "operators.h"
#include "tree.h"

#define DEFINE_WITH_MPI(kind, T, op) DEFINE_WITH_TREE(kind, T, op) DEFINE_REDUCE_MPI(reduce_##T##_##op)
#define TYPES(EACH)                                                                                          \
    INTEGERS_1(INTEGER_OPERATORS, EACH)                                                                      \
    INTEGERS_2(INTEGER_OPERATORS, EACH)                                                                      \
    INTEGERS_4(INTEGER_OPERATORS, EACH)                                                                      \
    INTEGERS_8(INTEGER_OPERATORS, EACH)                                                                      \
    FLOATS(FLOATING_OPERATORS, EACH)
TYPES(DEFINE_WITH_MPI)

/* Neither associative nor commutative: any change of the order shows. */
static inline uint64_t traced(uint64_t a, uint64_t b)
{
    return a == 0 || b == 0 ? a | b : ((a * 3 + (b ^ b >> 29) * 0x9e3779b97f4a7c15ull) ^ a >> 31) | 1;
}
DEFINE_REDUCE_MAP(traces, uint8_t, uint64_t, ((uint64_t)x << 8 | 1) + i * 65537, 0, traced(a, b))
DEFINE_TREE(traces, uint8_t, uint64_t, ((uint64_t)x << 8 | 1) + i * 65537, 0, traced(a, b))
DEFINE_REDUCE_MPI(traces)
DEFINE_REDUCE_AS(structs, floats16, floats16_zero(), floats16_added(a, b))
DEFINE_TREE_OF(structs, floats16, floats16_zero(), floats16_added(a, b))
DEFINE_REDUCE_MPI(structs)
DEFINE_REDUCE_ZIP(dot, float, double, double, x *y, 0, a + b)
DEFINE_REDUCE_ZIP_MPI(dot)
DEFINE_REDUCE_WITH(scaled, float, double, double, (x - c) * (double)(i % 3 + 1), 0, a + b)
DEFINE_REDUCE_WITH_MPI(scaled)
DEFINE_REDUCE_ZIP_WITH(farther, float, double, double, double, (x - c) * y, 0, a + b)
DEFINE_REDUCE_ZIP_WITH_MPI(farther)
DEFINE_REDUCE_ARG(short, min)
DEFINE_REDUCE_MPI(reduce_short_argmin)

static int rank, ranks;

#define EXPECT(condition, ...)                                                                               \
    do {                                                                                                     \
        if (condition) break;                                                                                \
        fprintf(stderr, "rank %d of %d, %s:%d: ", rank, ranks, __FILE__, __LINE__);                          \
        fprintf(stderr, __VA_ARGS__);                                                                        \
        fprintf(stderr, "\n");                                                                               \
        MPI_Abort(MPI_COMM_WORLD, 1);                                                                        \
    } while (0)

/* ---- Every result -------------------------------------------------------------------------------------- */

enum { MOST = 70000 };
static union {
    unsigned char bytes[8 * MOST];
    float floats[2 * MOST];
    double doubles[MOST];
} numbers;

static void fill(void)
{
    uint64_t hash = 1;
    for (size_t k = 0; k < MOST; k++) {
        hash = hash * 6364136223846793005u + 1442695040888963407u;
        const float low = (float)(hash >> 40 & 0xffff) / 7, high = (float)(int32_t)(hash >> 32) / 1e6f;
        numbers.floats[2 * k] = low, numbers.floats[2 * k + 1] = high;
    }
}

/* A process has its part alone: NULL if that is empty. */
static void *part_of(const void *in, size_t begin, size_t length, size_t size)
{
    void *const part = length > 0 ? malloc(length * size) : NULL;
    if (length > 0 && part == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    if (length > 0) memcpy(part, (const char *)in + begin * size, length * size);
    return part;
}

#define CHECK_MPI(NAME, T, Result, in, n)                                                                    \
    do {                                                                                                     \
        const struct reduce_shard own = reduce_shard(n, sizeof(T), rank, ranks);                             \
        T *const part = (T *)part_of(in, own.begin, own.length, sizeof(T));                                  \
        Result got, tree = NAME##_tree(in, n);                                                               \
        memset(&got, 0x5a, sizeof got);                                                                      \
        const int error = NAME##_mpi(part, n, &got, MPI_COMM_WORLD);                                         \
        EXPECT(error == MPI_SUCCESS, "%s of %zu: error %d", #NAME, (size_t)(n), error);                      \
        EXPECT(memcmp(&got, &tree, sizeof got) == 0, "%s of %zu is wrong", #NAME, (size_t)(n));              \
        free(part);                                                                                          \
    } while (0)

/* In stripes, and elements more or less; each type and operator has some of them. */
static const int sizes[][2] = {{0, 0}, {0, 1}, {0, 33}, {1, 5}, {3, 0}, {3, 1}, {11, -3}, {30, 1}, {64, 7}};
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define STRIPES(k, size) ((size_t)sizes[k][0] * tree_stripe(size) + (size_t)sizes[k][1])

#define CHECK_TYPE(kind, T, op)                                                                              \
    for (size_t k = (sizeof(T) + sizeof #op + (unsigned)#op[0]) % 3; k < COUNT(sizes); k += 3) {             \
        static T in[MOST];                                                                                   \
        for (size_t i = 0; i < STRIPES(k, sizeof(T)); i++) in[i] = NUMBER_##kind(T, i);                      \
        CHECK_MPI(reduce_##T##_##op, T, T, in, STRIPES(k, sizeof(T)));                                       \
    }
#define NUMBER_INTEGER(T, k) (T)(numbers.bytes[8 * (k) + 7] | 1)
#define NUMBER_FLOATING(T, k) (T) numbers.floats[k]

static void check_results(void)
{
    TYPES(CHECK_TYPE)
    for (size_t k = 0; k < COUNT(sizes); k++) {
        CHECK_MPI(traces, uint8_t, uint64_t, numbers.bytes, STRIPES(k, 1));
        CHECK_MPI(structs, floats16, floats16, (const floats16 *)(const void *)numbers.floats, STRIPES(k, 64));
    }
}

#define reduce_short_argmin_tree reduce_short_argmin_cpu
static void check_inputs(void)
{
    static float x[MOST];
    const size_t n = 20001;
    const struct reduce_shard two = reduce_shard(n, 8, rank, ranks), one = reduce_shard(n, 4, rank, ranks);
    double result = 0;
    memcpy(x, numbers.floats, sizeof x);
    EXPECT(dot_mpi(x + two.begin, numbers.doubles + two.begin, n, &result, MPI_COMM_WORLD) == MPI_SUCCESS, "dot");
    EXPECT(result == dot_cpu(x, numbers.doubles, n), "dot");
    EXPECT(scaled_mpi(x + one.begin, n, 0.3, &result, MPI_COMM_WORLD) == MPI_SUCCESS, "scaled");
    EXPECT(result == scaled_cpu(x, n, 0.3), "scaled");
    EXPECT(farther_mpi(x + two.begin, numbers.doubles + two.begin, n, 0.3, &result, MPI_COMM_WORLD) == MPI_SUCCESS,
           "farther");
    EXPECT(result == farther_cpu(x, numbers.doubles, n, 0.3), "farther");
    CHECK_MPI(reduce_short_argmin, short, reduce_short_argmin_result, (const short *)(const void *)numbers.bytes, n);
}

/* ---- Failures ------------------------------------------------------------------------------------------ */

/* MPI's functions, of which one fails, or changes what a rank has sent. */
static int rank_fails, size_fails, gather_fails, other_tree;

int MPI_Comm_rank(MPI_Comm comm, int *to)
{
    return rank_fails-- == 1 ? MPI_ERR_INTERN : PMPI_Comm_rank(comm, to);
}
int MPI_Comm_size(MPI_Comm comm, int *to)
{
    return size_fails-- == 1 ? MPI_ERR_INTERN : PMPI_Comm_size(comm, to);
}
int MPI_Allgather(const void *from, int sent, MPI_Datatype of_sent, void *to, int count, MPI_Datatype type, MPI_Comm comm)
{
    if (other_tree-- == 1) ++*(int32_t *)(void *)((char *)to + (size_t)rank * (size_t)count + 12);
    const int result = PMPI_Allgather(from, sent, of_sent, to, count, type, comm);
    return gather_fails-- == 1 ? MPI_ERR_INTERN : result;
}

#define REFUSED(call, error)                                                                                 \
    do {                                                                                                     \
        result = 7;                                                                                          \
        const int got_ = (call);                                                                             \
        EXPECT(got_ == (error), "%s: error %d, not %d", #call, got_, error);                                 \
        EXPECT(result == 7, "%s: the result was changed", #call);                                            \
        EXPECT(reduce_float_sum_mpi(in, n, &result, MPI_COMM_WORLD) == MPI_SUCCESS && result == right, "after that"); \
    } while (0)

/* One process fails, the last; it has elements. All return, and the next call is right. */
static void check_failures(void)
{
    const size_t n = 20000;
    const int last = ranks - 1, is_last = rank == last;
    const int mine = is_last ? MPI_ERR_BUFFER : MPI_ERR_OTHER;
    const struct reduce_shard own = reduce_shard(n, sizeof(float), rank, ranks);
    const float *const in = numbers.floats + own.begin, right = reduce_float_sum_cpu(numbers.floats, n);
    const double *const y = numbers.doubles;
    const float *const odd = (const float *)(const void *)((const char *)in + 1);
    float result = 7, *const odd_result = (float *)(void *)((char *)&result + 1);
    double other = 7;
    REFUSED(reduce_float_sum_mpi(is_last ? NULL : in, n, &result, MPI_COMM_WORLD), mine);
    REFUSED(reduce_float_sum_mpi(is_last ? odd : in, n, &result, MPI_COMM_WORLD), mine);
    REFUSED(reduce_float_sum_mpi(in, n, is_last ? NULL : &result, MPI_COMM_WORLD), mine);
    REFUSED(reduce_float_sum_mpi(in, n, is_last ? odd_result : &result, MPI_COMM_WORLD), mine);
    REFUSED(dot_mpi(is_last ? NULL : in, y, n, &other, MPI_COMM_WORLD), mine);
    REFUSED(dot_mpi(in, is_last ? NULL : y, n, &other, MPI_COMM_WORLD), mine);
    REFUSED(reduce_float_sum_mpi(in, n, &result, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(other == 7, "the result was changed");
    if (ranks > 1)
        REFUSED(reduce_float_sum_mpi(in, is_last ? n + 1 : n, &result, MPI_COMM_WORLD), MPI_ERR_COUNT);
    gather_fails = 1;
    REFUSED(reduce_float_sum_mpi(in, n, &result, MPI_COMM_WORLD), MPI_ERR_INTERN);
    rank_fails = 1;
    REFUSED(reduce_float_sum_mpi(in, n, &result, MPI_COMM_WORLD), MPI_ERR_INTERN);
    size_fails = 1;
    REFUSED(reduce_float_sum_mpi(in, n, &result, MPI_COMM_WORLD), MPI_ERR_INTERN);
    calloc_fails = 1;
    REFUSED(reduce_float_sum_mpi(in, n, &result, MPI_COMM_WORLD), MPI_ERR_NO_MEM);
    other_tree = is_last;
    REFUSED(reduce_float_sum_mpi(in, n, &result, MPI_COMM_WORLD), MPI_ERR_OTHER);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    fill();
    check_results();
    check_inputs();
    check_failures();
    MPI_Finalize();
    return 0;
}
