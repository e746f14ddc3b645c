/*
 * exact [CLASSES [EXECUTOR]]: for float and double, hashes of exact sums, of four kinds of numbers and sizes of each class
 * whose digit is named; by cpu, and in CUDA by async, call or accumulate. A line is the type, the kind, the class and the hash;
 * exact.txt holds the expected lines, which exact.py computed by Python's integers.
 */
#include "reduce_exact.cuh"

#include "data.h"

DEFINE_REDUCE_EXACT(float)
DEFINE_REDUCE_EXACT(double)

enum { KINDS = 4, CLASSES = 4, MOST_OFF = 5 };

/* Any finite number, numbers of 40 binades, numbers most of which cancel, and small ones. */
static uint64_t number(size_t size, int kind, size_t i)
{
    const int fraction = size == 4 ? 23 : 52, exponents = size == 4 ? 0xff : 0x7ff;
    const bool is_alone = kind != 2 || i % 97 == 96;
    const uint64_t hash = hashes_mixed((is_alone ? i : i / 2 * 2) + ((uint64_t)kind << 40)), high = hash >> 52;
    const uint64_t exponent = kind == 1 ? (uint64_t)exponents / 2 + high % 40 : kind == 3 ? high % 3 : high % (uint64_t)exponents;
    const uint64_t sign = (hashes_mixed(hash) ^ (is_alone ? 0 : i)) & 1;
    return sign << (8 * size - 1) | exponent << fraction | (hash & (((uint64_t)1 << fraction) - 1));
}

static size_t size_of(int class_, size_t k)
{
    static const size_t large[2][3] = {{70000, 262145, 300001}, {10000000, 0, 0}};
    if (class_ == 0) return k <= 64 ? k : SIZE_MAX;
    if (class_ == 1) return k < 20 ? 65 + (size_t)(hashes_mixed(k + 1000) % 5000) : SIZE_MAX;
    return k < 3 && large[class_ - 2][k] > 0 ? large[class_ - 2][k] : SIZE_MAX;
}

static void *room;
#ifdef __CUDACC__
static void *there;
static reduce_workspace *ws;
#define SUM_ON_DEVICE(T)                                                                                    \
    if (strcmp(executor, "cpu") != 0) {                                                                     \
        const T *const in = (const T *)there + off;                                                         \
        T *const out = (T *)there + (MOST_OFF + most);                                                      \
        struct reduce_exact_##T *const to = (struct reduce_exact_##T *)((char *)there + (most + 10) * 8), sum; \
        cudaError_t status = cudaSuccess;                                                                   \
        if (strcmp(executor, "call") == 0) return reduce_##T##_exact_sum(in, n, &x) == cudaSuccess ? x : -1; \
        if (strcmp(executor, "async") == 0) {                                                               \
            status = reduce_##T##_exact_sum_async(in, n, out, ws, 0);                                       \
            return status == cudaSuccess && cudaMemcpy(&x, out, sizeof x, cudaMemcpyDeviceToHost) == cudaSuccess ? x : -1; \
        }                                                                                                   \
        status = cudaMemset(to, 0, sizeof *to);                                                             \
        if (status == cudaSuccess) status = reduce_##T##_exact_sum_accumulate_async(in, n, to, ws, 0);      \
        if (status == cudaSuccess) status = cudaMemcpy(&sum, to, sizeof sum, cudaMemcpyDeviceToHost);       \
        return status == cudaSuccess ? reduce_exact_##T##_round(&sum) : -1;                                 \
    }
#else
#define SUM_ON_DEVICE(T) (void)executor, (void)most;
#endif

#define DEFINE_SUM(T)                                                                                       \
    static T T##_sum(size_t off, size_t n, size_t most, const char *executor)                               \
    {                                                                                                       \
        T x = -1;                                                                                           \
        SUM_ON_DEVICE(T)                                                                                    \
        x = reduce_##T##_exact_sum_cpu((const T *)room + off, n);                                           \
        return x;                                                                                           \
    }                                                                                                       \
    static void T##_run(int kind, int class_, const char *executor)                                         \
    {                                                                                                       \
        uint64_t hash = 0xcbf29ce484222325u;                                                                \
        size_t most = 0;                                                                                    \
        for (size_t k = 0; size_of(class_, k) != SIZE_MAX; k++) most = size_of(class_, k) > most ? size_of(class_, k) : most; \
        room = malloc((most + 200) * 8);                                                                    \
        if (room == NULL) exit(2);                                                                          \
        for (size_t i = 0; i < most + MOST_OFF; i++) {                                                      \
            const uint64_t bits = number(sizeof(T), kind, i);                                               \
            memcpy((T *)room + i, &bits, sizeof(T));                                                        \
        }                                                                                                   \
        PLACE(T)                                                                                            \
        for (size_t k = 0; size_of(class_, k) != SIZE_MAX; k++) {                                           \
            const T sum = T##_sum(k % MOST_OFF, size_of(class_, k), most, executor);                        \
            hash = hashes_add(hash, (const unsigned char *)&sum, sizeof sum);                               \
        }                                                                                                   \
        printf(#T " %d %d %016llx\n", kind, class_, (unsigned long long)hash);                              \
        free(room);                                                                                         \
        LEAVE                                                                                               \
    }
#ifdef __CUDACC__
#define PLACE(T)                                                                                            \
    if (cudaMalloc(&there, (most + 200) * 8) != cudaSuccess ||                                              \
        cudaMemcpy(there, room, (most + MOST_OFF) * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess)      \
        exit(2);
#define LEAVE cudaFree(there);
#else
#define PLACE(T)
#define LEAVE
#endif
DEFINE_SUM(float)
DEFINE_SUM(double)

int main(int argc, char **argv)
{
    const char *const classes = argc > 1 ? argv[1] : "0123", *const executor = argc > 2 ? argv[2] : "cpu";
#ifdef __CUDACC__
    if (reduce_workspace_create(&ws) != cudaSuccess) return 2;
#endif
    for (int kind = 0; kind < KINDS; kind++)
        for (int class_ = 0; class_ < CLASSES; class_++) {
            if (strchr(classes, '0' + class_) == NULL) continue;
            float_run(kind, class_, executor);
            double_run(kind, class_, executor);
        }
    return 0;
}
