/* hashes [CLASSES [RANKS [TYPE]]]: by the CPU's function, in plain C. CLASSES: their digits; all, unless told. RANKS: so
   many ranks reduce each array in parts; 0: none. TYPE: this type alone. */
#include "reduce_parts.h"

static int ranks;

/* The last rank comes first. A chunk that no rank reduces leaves a partial result that no array has. */
#define COMPUTER(NAME, T)                                                                                 \
    DEFINE_REDUCE_PARTS(NAME)                                                                             \
    static T NAME##_by_ranks(const T *in, size_t n)                                                       \
    {                                                                                                     \
        static T partials[REDUCE_MAX_CHUNKS];                                                             \
        memset(partials, 0xa5, reduce_plan(n, sizeof(T)).count * sizeof(T));                              \
        for (int rank = ranks; rank-- > 0;) {                                                             \
            const struct reduce_shard own = reduce_shard(n, sizeof(T), rank, ranks);                      \
            (void)NAME##_cpu_chunks(in + own.begin, n, own.first, own.count, partials + own.first);       \
        }                                                                                                 \
        return NAME##_cpu_fold(partials, n);                                                              \
    }
#define COMPUTE(NAME, T, in, n, out) *(out) = ranks > 0 ? NAME##_by_ranks(in, n) : NAME##_cpu(in, n)
#include "hashes.h"

static const unsigned char *to_place(int seed, const unsigned char *data, size_t bytes)
{
    (void)seed, (void)bytes;
    return data;
}

int main(int argc, char **argv)
{
    if (argc > 2) ranks = atoi(argv[2]);
    if (argc > 3) hashes_only = argv[3];
    hashes_run(argc > 1 ? argv[1] : "0123456", to_place);
    return 0;
}
