/* reduce_parts.h: parts of an array on the CPU and on the GPU, of every kind of input, in every region of the code, with a
   small tree. Each part is an allocation of its own, so that what lies beside it is never touched. */
#include "small_tree.h"

#include "reduce_parts.h"

#include "parts.h"

#define ADD_ARRAY(NAME, KIND, size, fill) DEFINE_REDUCE_PARTS(NAME)
PARTS_OF_ARRAYS(ADD_ARRAY)
DEFINE_REDUCE_ZIP_PARTS(zipped)
DEFINE_REDUCE_WITH_PARTS(scaled)
PARTS(DEFINE_PARTED)

static const struct parted subjects[] = {PARTS(PARTED)};

enum { MOST_RANKS = 9, MOST_SIZE = REDUCE_MAX_CHUNKS * REDUCE_MAX_SIZE };

/* Partial results on both sides, side by side. */
struct both {
    unsigned char *host;
    void *device, *out;
};

/* One rank's part by both: its bytes as they are, or one element further, where wide loads cannot take them. */
static void reduce_part(const struct parted *s, const unsigned char *in, size_t n, struct reduce_shard own, struct both to,
                        bool is_askew)
{
    const size_t bytes = own.length * s->size, off = is_askew ? s->size : 0, at = own.first * s->result_size;
    unsigned char *const part = (unsigned char *)malloc(bytes + off + 1);
    if (bytes > 0) memcpy(part + off, in + own.begin * s->size, bytes);
    unsigned char *const device = (unsigned char *)to_device(part, bytes + off);
    memset(to.host + at, 0x5a, own.count * s->result_size);
    const size_t written = s->cpu_chunks(part + off, n, own.first, own.count, to.host + at);
    cr_expect(written == own.count, "%s of %zu: %zu of %zu chunks", s->name, n, written, own.count);
    CHECK(s->chunks(device + off, n, own.first, own.count, (char *)to.device + at, 0));
    check_launch();
    CHECK(cudaFree(device));
    free(part);
}

/* An array in parts, which the CPU and the GPU reduce, and fold what they and what the other has reduced. */
static void check_parts(const struct parted *s, const unsigned char *in, size_t n, int ranks, bool is_askew, struct both to)
{
    static unsigned char mixed_up[MOST_SIZE] __attribute__((aligned(64)));
    unsigned char tree[REDUCE_MAX_SIZE] __attribute__((aligned(64))), got[4][REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    const size_t bytes = reduce_plan(n, s->size).count * s->result_size;
    s->tree(in, n, tree);
    for (int rank = 0; rank < ranks; rank++)
        reduce_part(s, in, n, reduce_shard(n, s->size, rank, ranks), to, is_askew);
    s->cpu_fold(to.host, n, got[0]);
    CHECK(s->fold(to.device, n, to.out, 0));
    from_device(got[1], to.out, s->result_size);
    from_device(mixed_up, to.device, bytes);
    s->cpu_fold(mixed_up, n, got[2]);
    for (size_t k = 0; k < bytes; k += s->result_size)
        if (k / s->result_size % 2 == 0) memcpy(mixed_up + k, to.host + k, s->result_size);
    if (bytes > 0) CHECK(cudaMemcpy(to.device, mixed_up, bytes, cudaMemcpyHostToDevice));
    CHECK(s->fold(to.device, n, to.out, 0));
    from_device(got[3], to.out, s->result_size);
    for (int k = 0; k < 4; k++)
        if (memcmp(got[k], tree, s->result_size) != 0)
            cr_expect(false, "%s of %zu in %d parts, %s: %s, not %s", s->name, n, ranks,
                      k == 0   ? "CPU"
                      : k == 1 ? "GPU"
                      : k == 2 ? "GPU, folded by the CPU"
                               : "both, folded by the GPU",
                      bits_in_hex(got[k], s->result_size), bits_in_hex(tree, s->result_size));
}

static void check_subject(const struct parted *s, size_t number)
{
    static struct drawn drawn[MOST_DRAWN];
    const size_t count = draw_sizes(drawn, s->size);
    const struct both to = {(unsigned char *)aligned_alloc(64, MOST_SIZE), device_room(MOST_SIZE, 0x5a),
                            device_room(REDUCE_MAX_SIZE, 0x5a)};
    size_t most = 0;
    for (size_t k = 0; k < count; k++) most = drawn[k].n > most ? drawn[k].n : most;
    unsigned char *const in = (unsigned char *)aligned_alloc(64, (most * s->size + 127) / 64 * 64);
    s->fill(in, most * s->size);
    for (size_t k = 0; k < count; k++) {
        const bool is_small = drawn[k].n * s->size < 20000;
        if (drawn[k].is_first ? is_due(number + k) : is_small && is_due(number + k + drawn[k].n))
            check_parts(s, in, drawn[k].n, ranks_of(number + k, MOST_RANKS), k % 2 == 1, to);
    }
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) check_parts(s, in, 3 + most / 50, ranks, false, to);
    CHECK(cudaFree(to.device));
    CHECK(cudaFree(to.out));
    free(to.host);
    free(in);
}

TestSuite(parts, .init = need_gpu);

Test(parts, every_region)
{
    list_regions();
    for (size_t k = 0; k < COUNT(subjects); k++) check_subject(&subjects[k], k);
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

#define REFUSED(call, error)                                                                                 \
    do {                                                                                                     \
        const cudaError_t refused_ = (call);                                                                 \
        cr_expect(refused_ == error, "%s: %s", #call, cudaGetErrorName(refused_));                           \
    } while (0)

Test(parts, errors)
{
    enum { N = 5000 };
    const struct reduce_plan plan = reduce_plan(N, sizeof(float));
    float *const in = (float *)device_room((N + 1) * sizeof(float), 0), *const out = (float *)device_room(16, 0x5a);
    float *const partials = (float *)device_room((plan.count + 1) * sizeof(float), 0x5a);
    float *const odd_in = (float *)(void *)((char *)in + 1), *const odd = (float *)(void *)((char *)partials + 2);
    const float *const null = NULL;
    float value;
    cr_assert(plan.count > 3);
    REFUSED(reduce_float_sum_chunks_async(null, N, 0, 1, partials, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_chunks_async(in, N, 0, 1, NULL, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_chunks_async(odd_in, N, 0, 1, partials, 0), cudaErrorMisalignedAddress);
    REFUSED(reduce_float_sum_chunks_async(in, N, 0, 1, odd, 0), cudaErrorMisalignedAddress);
    REFUSED(reduce_float_sum_chunks_async(in, N, 0, plan.count + 1, partials, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_chunks_async(in, N, plan.count, 1, partials, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_chunks_async(in, N, plan.count + 1, 0, partials, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_chunks_async(in, N, 1, SIZE_MAX, partials, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_chunks_async(in, REDUCE_MAX_ELEMENTS + 1, 0, 1, partials, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_chunks_async(in, N, 0, 1, in + 3, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_fold_async(NULL, N, out, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_fold_async(partials, N, NULL, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_fold_async(odd, N, out, 0), cudaErrorMisalignedAddress);
    REFUSED(reduce_float_sum_fold_async(partials, N, odd, 0), cudaErrorMisalignedAddress);
    REFUSED(reduce_float_sum_fold_async(partials, N, partials, 0), cudaErrorInvalidValue);
    REFUSED(reduce_float_sum_fold_async(partials, REDUCE_MAX_ELEMENTS + 1, out, 0), cudaErrorInvalidValue);
    from_device(&value, out, sizeof value);
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    cr_expect(bits == 0x5a5a5a5a, "a refused call has written");

    /* What is fine: no chunks, no elements, and an output directly behind the partial results. */
    REFUSED(reduce_float_sum_chunks_async(NULL, N, 2, 0, NULL, 0), cudaSuccess);
    REFUSED(reduce_float_sum_chunks_async(NULL, N, plan.count, 0, NULL, 0), cudaSuccess);
    REFUSED(reduce_float_sum_chunks_async(NULL, 0, 0, 0, NULL, 0), cudaSuccess);
    REFUSED(reduce_float_sum_chunks_async(in, N, 0, plan.count, partials, 0), cudaSuccess);
    REFUSED(reduce_float_sum_fold_async(partials, N, partials + plan.count, 0), cudaSuccess);
    from_device(&value, partials + plan.count, sizeof value);
    cr_expect(value == 0);
    REFUSED(reduce_float_sum_fold_async(NULL, 0, out, 0), cudaSuccess);
    from_device(&value, out, sizeof value);
    cr_expect(value == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(partials));
}

/* What the functions of the CPU do with chunks that there are not. */
Test(parts, chunks_that_there_are_not)
{
    enum { N = 5000 };
    static float in[N], partials[REDUCE_MAX_CHUNKS];
    const struct reduce_plan plan = reduce_plan(N, sizeof(float));
    for (size_t k = 0; k < REDUCE_MAX_CHUNKS; k++) partials[k] = 1;
    cr_expect(reduce_float_sum_cpu_chunks(in, N, plan.count - 1, 5, partials) == 1);
    cr_expect(partials[0] == 0 && partials[1] == 1);
    cr_expect(reduce_float_sum_cpu_chunks(in, N, plan.count, 5, partials + 1) == 0);
    cr_expect(reduce_float_sum_cpu_chunks(in, N, SIZE_MAX, SIZE_MAX, partials + 1) == 0);
    cr_expect(reduce_float_sum_cpu_chunks(in, N, 0, 0, partials + 1) == 0);
    cr_expect(reduce_float_sum_cpu_chunks(NULL, 0, 0, 1, partials + 1) == 0);
    cr_expect(partials[1] == 1, "nothing is written for them");
    cr_expect(reduce_float_sum_cpu_fold(NULL, 0) == 0);
}

/* Both launches in a graph, which is replayed with other data. */
Test(parts, graph)
{
    enum { N = 5000 };
    const struct reduce_plan plan = reduce_plan(N, sizeof(float));
    static float host[N];
    float *const in = (float *)device_room(sizeof host, 0), *const out = (float *)device_room(sizeof(float), 0x5a);
    float *const partials = (float *)device_room(plan.count * sizeof(float), 0x5a);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    CHECK(cudaDeviceSynchronize()); /* the stream does not wait for what fills memory */
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int rank = 0; rank < 3; rank++) {
        const struct reduce_shard own = reduce_shard(N, sizeof(float), rank, 3);
        CHECK(reduce_float_sum_chunks_async(in + own.begin, N, own.first, own.count, partials + own.first, stream));
    }
    CHECK(reduce_float_sum_fold_async(partials, N, out, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&replay, graph, 0));
    for (u64 seed = 1; seed < 4; seed++) {
        float got;
        fill_float(host, N, seed);
        CHECK(cudaMemcpyAsync(in, host, sizeof host, cudaMemcpyHostToDevice, stream));
        CHECK(cudaGraphLaunch(replay, stream));
        CHECK(cudaStreamSynchronize(stream));
        from_device(&got, out, sizeof got);
        const float expected = reduce_float_sum_tree(host, N);
        cr_expect(SAME_BITS(got, expected), "%s, not %s", BITS(got), BITS(expected));
    }
    CHECK(cudaGraphExecDestroy(replay));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(partials));
}
