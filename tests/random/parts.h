/*
 * tools/random-programs --parts fills this in: a reduction of any input. Each program draws numbers of elements and
 * places in memory. It reduces each array in parts, by ranks that draw the CPU or the GPU and call for some of their
 * chunks at a time; with a number of elements that the device alone knows, by launches for more; and by the simple call
 * on main memory, which the CPU and the GPU share in a way that is drawn too. Each result must have the bits of NAME_cpu,
 * and that the bits of a plain evaluation.
 */
#ifndef RANDOM_PARTS_H
#define RANDOM_PARTS_H

#define SHARE_TOLD
#include "../share.h"

#include "random.h"
#include "reduce_async_n.cuh"
#include "reduce_inputs.cuh"
#include "reduce_parts.h"
#include "reduce_results.cuh"

/* ---- One NAME ------------------------------------------------------------------------------------------ */

/* The arrays' first elements; the second array and the context where NAME has them. */
struct random_arrays {
    const void *x, *y, *context;
};

struct random_subject {
    const char *name;
    size_t first, second, element, result; /* sizes; element: what the tree's stripes are of */
    const void *context;
    void (*fill_first)(void *to, size_t n, u64 seed);
    void (*fill_second)(void *to, size_t n, u64 seed);
    void (*expect)(struct random_arrays in, size_t n, void *out);
    void (*cpu)(struct random_arrays in, size_t n, void *out);
    cudaError_t (*call)(struct random_arrays in, size_t n, void *out);
    cudaError_t (*async_n)(struct random_arrays in, const size_t *n, size_t most, void *out, reduce_workspace *ws);
    size_t (*cpu_chunks)(struct random_arrays part, size_t n, size_t first, size_t count, void *partials);
    cudaError_t (*chunks)(struct random_arrays part, size_t n, size_t first, size_t count, void *partials);
    void (*cpu_fold)(const void *partials, size_t n, void *out);
    cudaError_t (*fold)(const void *partials, size_t n, void *out);
};

/* The first arguments of calls, by the kind of the input; n, or of NAME_async_n n and most. */
#define RANDOM_GIVEN_ARRAY(X, Y, Context, in, ...) (const X *)(in).x, __VA_ARGS__
#define RANDOM_GIVEN_ZIP(X, Y, Context, in, ...) (const X *)(in).x, (const Y *)(in).y, __VA_ARGS__
#define RANDOM_GIVEN_WITH(X, Y, Context, in, ...) (const X *)(in).x, __VA_ARGS__, *(const Context *)(in).context
#define RANDOM_GIVEN_ZIP_WITH(X, Y, Context, in, ...)                                                         \
    (const X *)(in).x, (const Y *)(in).y, __VA_ARGS__, *(const Context *)(in).context

/* For a NAME with NAME_random_fill, NAME_random_fill_second and NAME_random_context; and NAME_random_expected, a plain
   evaluation: NAME_random(p, ws) runs it. */
#define RANDOM_PARTS(kind, NAME, X, Y, Context)                                                             \
    RANDOM_FILLS(NAME, X, Y)                                                                                \
    static void NAME##_random_expect(struct random_arrays in, size_t n, void *out)                          \
    {                                                                                                       \
        const NAME##_result result =                                                                        \
            NAME##_random_expected((const X *)in.x, (const Y *)in.y, *(const Context *)in.context, n);      \
        memcpy(out, &result, sizeof result);                                                                \
    }                                                                                                       \
    static void NAME##_random_cpu(struct random_arrays in, size_t n, void *out)                             \
    {                                                                                                       \
        const NAME##_result result = NAME##_cpu(RANDOM_GIVEN_##kind(X, Y, Context, in, n));                 \
        memcpy(out, &result, sizeof result);                                                                \
    }                                                                                                       \
    static cudaError_t NAME##_random_call(struct random_arrays in, size_t n, void *out)                     \
    {                                                                                                       \
        return NAME(RANDOM_GIVEN_##kind(X, Y, Context, in, n), (NAME##_result *)out);                       \
    }                                                                                                       \
    static cudaError_t NAME##_random_async_n(struct random_arrays in, const size_t *n, size_t most,         \
                                             void *out, reduce_workspace *ws)                               \
    {                                                                                                       \
        return NAME##_async_n(RANDOM_GIVEN_##kind(X, Y, Context, in, n, most), (NAME##_result *)out, ws, 0);\
    }                                                                                                       \
    static size_t NAME##_random_cpu_chunks(struct random_arrays in, size_t n, size_t first, size_t count,   \
                                           void *partials)                                                  \
    {                                                                                                       \
        return NAME##_cpu_chunks(RANDOM_GIVEN_##kind(X, Y, Context, in, n), first, count,                   \
                                 (NAME##_result *)partials);                                                \
    }                                                                                                       \
    static cudaError_t NAME##_random_chunks(struct random_arrays in, size_t n, size_t first, size_t count,  \
                                            void *partials)                                                 \
    {                                                                                                       \
        return NAME##_chunks_async(RANDOM_GIVEN_##kind(X, Y, Context, in, n), first, count,                 \
                                   (NAME##_result *)partials, 0);                                           \
    }                                                                                                       \
    static void NAME##_random_cpu_fold(const void *partials, size_t n, void *out)                           \
    {                                                                                                       \
        const NAME##_result result = NAME##_cpu_fold((const NAME##_result *)partials, n);                   \
        memcpy(out, &result, sizeof result);                                                                \
    }                                                                                                       \
    static cudaError_t NAME##_random_fold(const void *partials, size_t n, void *out)                        \
    {                                                                                                       \
        return NAME##_fold_async((const NAME##_result *)partials, n, (NAME##_result *)out, 0);              \
    }                                                                                                       \
    static void NAME##_random(const struct random_program *p, reduce_workspace *ws)                         \
    {                                                                                                       \
        const Context context = NAME##_random_context(p->seed);                                             \
        const struct random_subject s = {#NAME, sizeof(X), sizeof(Y), NAME##_size_, sizeof(NAME##_result),  \
            &context, NAME##_random_fill_x, NAME##_random_fill_y, NAME##_random_expect, NAME##_random_cpu,  \
            NAME##_random_call, NAME##_random_async_n, NAME##_random_cpu_chunks, NAME##_random_chunks,      \
            NAME##_random_cpu_fold, NAME##_random_fold};                                                    \
        random_parts(&s, p, ws);                                                                            \
    }

/* ---- One array ----------------------------------------------------------------------------------------- */

enum { RANDOM_ELEMENTS = 70000, RANDOM_BYTES = 1000000, RANDOM_ARRAYS = 8 };

struct random_try {
    const struct random_subject *s;
    const struct random_program *p;
    size_t n, most;                    /* elements, and the most of a launch */
    size_t start_x, start_y;           /* elements before the first */
    struct random_arrays in;           /* most elements */
    unsigned char expected[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
};

HELPER void random_expect_result(const struct random_try *t, const void *got, const char *what)
{
    if (memcmp(got, t->expected, t->s->result) == 0) return;
    printf("WRONG: seed %llu, %s of %zu, at most %zu, start %zu and %zu, %s: %s, not %s\n", t->p->seed, t->s->name, t->n,
           t->most, t->start_x, t->start_y, what, bits_in_hex(got, t->s->result), bits_in_hex(t->expected, t->s->result));
    random_is_right = false;
}

HELPER struct random_arrays random_from(const struct random_try *t, struct random_arrays in, size_t i)
{
    const struct random_arrays from = {(const char *)in.x + i * t->s->first, (const char *)in.y + i * t->s->second, in.context};
    return from;
}

enum random_memory { RANDOM_PAGEABLE, RANDOM_PINNED, RANDOM_DEVICE };

/* A copy of n elements, in memory that ends with them and has start elements before them. random_release frees it. */

HELPER void *random_room(enum random_memory memory, const void *from, size_t start, size_t n, size_t size)
{
    const size_t before = start * size, bytes = n * size;
    char *room = NULL;
    if (memory == RANDOM_PAGEABLE) room = (char *)malloc(before + bytes + 1);
    if (memory == RANDOM_PINNED) CHECK(cudaMallocHost((void **)&room, before + bytes + 1));
    if (memory == RANDOM_DEVICE) room = (char *)device_room(before + bytes, 0x77);
    if (bytes > 0 && memory == RANDOM_DEVICE) CHECK(cudaMemcpy(room + before, from, bytes, cudaMemcpyHostToDevice));
    if (bytes > 0 && memory != RANDOM_DEVICE) memcpy(room + before, from, bytes);
    return room + before;
}

HELPER void random_release(enum random_memory memory, const void *at, size_t start, size_t size)
{
    char *const room = (char *)(uintptr_t)at - start * size;
    if (memory == RANDOM_PAGEABLE) free(room);
    if (memory == RANDOM_PINNED) CHECK(cudaFreeHost(room));
    if (memory == RANDOM_DEVICE) CHECK(cudaFree(room));
}

HELPER struct random_arrays random_copy(const struct random_try *t, enum random_memory of_x, enum random_memory of_y, size_t i,
                                        size_t n)
{
    const struct random_arrays from = random_from(t, t->in, i);
    const struct random_arrays copy = {random_room(of_x, from.x, t->start_x, n, t->s->first),
                                       random_room(of_y, from.y, t->start_y, n, t->s->second), t->s->context};
    return copy;
}

HELPER void random_drop(const struct random_try *t, enum random_memory of_x, enum random_memory of_y, struct random_arrays copy)
{
    random_release(of_x, copy.x, t->start_x, t->s->first);
    random_release(of_y, copy.y, t->start_y, t->s->second);
}

/* ---- In parts ------------------------------------------------------------------------------------------ */

/* A rank's chunks into partials, which lie in main memory, by calls for some of them at a time, or for none. */
HELPER void random_rank(const struct random_try *t, struct reduce_shard own, struct reduce_plan plan, unsigned char *partials)
{
    const bool by_gpu = random_below(2);
    const enum random_memory memory = by_gpu ? RANDOM_DEVICE : RANDOM_PAGEABLE;
    const struct random_arrays part = random_copy(t, memory, memory, own.begin, own.length);
    const size_t bytes = own.count * t->s->result;
    unsigned char *const to = by_gpu ? (unsigned char *)device_room(bytes, 0x33) : partials;
    for (size_t k = 0, some; k < own.count; k += some) {
        some = random_below(3) ? 1 + random_below(own.count - k) : random_below(3);
        if (some > own.count - k) some = own.count - k;
        const struct random_arrays from = random_from(t, part, k * plan.chunk);
        const size_t first = own.first + k, more = first + some == plan.count ? random_below(3) : 0; /* than there are */
        if (by_gpu) {
            CHECK(t->s->chunks(from, t->n, first, some, to + k * t->s->result));
        } else if (t->s->cpu_chunks(from, t->n, first, some + more, to + k * t->s->result) != some) {
            random_expect("a", "b", 1, "how many chunks", t->p);
        }
    }
    if (by_gpu) from_device(partials, to, bytes);
    if (by_gpu) CHECK(cudaFree(to));
    random_drop(t, memory, memory, part);
}

HELPER void random_in_parts(const struct random_try *t)
{
    const struct reduce_plan plan = reduce_plan(t->n, t->s->element);
    const size_t size = t->s->result, bytes = plan.count * size;
    const bool is_backwards = random_below(2);
    const int ranks = 1 + (int)random_below(random_below(2) ? 12 : plan.count + 3);
    unsigned char *const partials = (unsigned char *)aligned_alloc(64, (bytes + size + 63) / 64 * 64);
    unsigned char got[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    memset(partials, 0x5a, bytes + size);
    for (int k = 0; k < ranks; k++) {
        const int rank = is_backwards ? ranks - 1 - k : k;
        const struct reduce_shard own = reduce_shard(t->n, t->s->element, rank, ranks);
        random_rank(t, own, plan, partials + own.first * size);
    }
    for (size_t k = 0; k < size; k++)
        if (partials[bytes + k] != 0x5a) random_expect("a", "b", 1, "what lies behind partial results", t->p);
    t->s->cpu_fold(partials, t->n, got);
    random_expect_result(t, got, "parts, folded by the CPU");
    unsigned char *const there = (unsigned char *)to_device(partials, bytes), *const out = (unsigned char *)device_room(size, 0x5a);
    CHECK(t->s->fold(there, t->n, out));
    from_device(got, out, size);
    random_expect_result(t, got, "parts, folded by the GPU");
    CHECK(cudaFree(there));
    CHECK(cudaFree(out));
    free(partials);
}

/* ---- With a number of elements on the device ----------------------------------------------------------- */

HELPER void random_with_n(const struct random_try *t, reduce_workspace *ws)
{
    const struct random_arrays there = random_copy(t, RANDOM_DEVICE, RANDOM_DEVICE, 0, t->most);
    const size_t too_many = t->most + 1 + random_below((size_t)1 << random_below(60)), size = t->s->result;
    size_t *const count = (size_t *)to_device(&too_many, sizeof too_many);
    unsigned char *const out = (unsigned char *)device_room(size, 0x5a);
    unsigned char got[REDUCE_MAX_SIZE], untouched[REDUCE_MAX_SIZE];
    memset(untouched, 0x5a, size);
    CHECK(t->s->async_n(there, count, t->most, out, ws));
    from_device(got, out, size);
    random_expect(got, untouched, size, "async_n of more than most", t->p);
    CHECK(cudaMemcpy(count, &t->n, sizeof t->n, cudaMemcpyHostToDevice));
    CHECK(t->s->async_n(there, count, t->most, out, ws));
    from_device(got, out, size);
    random_expect_result(t, got, "async_n");
    CHECK(cudaFree(count));
    CHECK(cudaFree(out));
    random_drop(t, RANDOM_DEVICE, RANDOM_DEVICE, there);
}

/* ---- Shared -------------------------------------------------------------------------------------------- */

/* A GPU of any speed, as it is taken to be and as it is then known or not; buffers for some chunks; batches of some. */
HELPER void random_sharing(void)
{
    const bool is_costly = random_below(6) > 0;
    sharing.copying_pays = sharing.waking_pays = 0;
    sharing.together_pays = random_below(4) ? 0 : 1e30;
    sharing.alone_takes = random_below(2) ? 0 : 1e30;
    sharing.together_takes = random_below(2) ? 0 : 1e30;
    sharing.costly = sharing.copying_factor = is_costly ? 0 : 1e30;
    sharing.guess = 1e-6;
    for (size_t k = random_below(12); k > 0; k--) sharing.guess *= 10;
    sharing.longest_batch = random_below(2) ? 1e6 : 1e3;
    sharing.slower = random_below(2) ? 1e30 : 16;
    sharing.hope = random_below(2) ? 0 : 1e30;
    sharing.whole = random_below(6) ? 0 : SIZE_MAX;
    sharing.buffer = random_below(20000);
    sharing.buffers = 2 * sharing.buffer + ((size_t)512 << random_below(14)); /* two buffers fit, unless a chunk is larger */
    sharing.first_batch = random_below(40000);
}

HELPER void random_shared(const struct random_try *t)
{
    const enum random_memory of_x = random_below(2) ? RANDOM_PINNED : RANDOM_PAGEABLE;
    const enum random_memory of_y = random_below(4) ? of_x : RANDOM_PINNED;
    const struct random_arrays here = random_copy(t, of_x, of_y, 0, t->n);
    unsigned char got[REDUCE_MAX_SIZE] __attribute__((aligned(64)));
    random_sharing();
    CHECK(t->s->call(here, t->n, got));
    random_expect_result(t, got, of_x == RANDOM_PINNED ? "call, pinned" : "call, pageable");
    CHECK(cudaPeekAtLastError());
    random_drop(t, of_x, of_y, here);
}

/* -------------------------------------------------------------------------------------------------------- */

HELPER void random_parts(const struct random_subject *s, const struct random_program *p, reduce_workspace *ws)
{
    const size_t limit = RANDOM_BYTES / s->element < RANDOM_ELEMENTS ? RANDOM_BYTES / s->element : RANDOM_ELEMENTS;
    random_state = p->seed;
    for (int k = 0; k < RANDOM_ARRAYS; k++) {
        unsigned char plain[REDUCE_MAX_SIZE];
        struct random_try t = {s, p, k == 0 ? random_below(2) : random_length(s->element, limit), 0, 0, 0, {0, 0, 0}, {0}};
        t.most = t.n + (random_below(3) ? random_length(s->element, limit) : random_below(3));
        t.start_x = random_below(9), t.start_y = random_below(9);
        void *const x = malloc((t.most + 1) * s->first), *const y = malloc((t.most + 1) * s->second);
        s->fill_first(x, t.most, random_below(1 << 20));
        s->fill_second(y, t.most, random_below(1 << 20));
        t.in.x = x, t.in.y = y, t.in.context = s->context;
        s->cpu(t.in, t.n, t.expected);
        s->expect(t.in, t.n, plain);
        random_expect_result(&t, plain, "a plain evaluation, and NAME_cpu");
        random_in_parts(&t);
        random_with_n(&t, ws);
        for (int calls = 0; calls < 3; calls++) random_shared(&t);
        free(x), free(y);
    }
    if (!is_empty_workspace(ws)) random_expect("a", "b", 1, "the workspace afterwards", p);
}

#endif
