/*
 * Helpers of all tests: checked CUDA calls, memory on the device, values compared and printed by their
 * bits, and data that shows every element that is lost, doubled or moved.
 *
 * Criterion runs the tests. Where Criterion cannot start, a program defines CHECK_ALONE and has its own main.
 * The same macros then print what is wrong and end the program with status 1.
 */
#ifndef CHECK_H
#define CHECK_H

#include "reduce.cuh"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef CHECK_ALONE
#define cr_assert(condition, ...)                                                                         \
    do {                                                                                                  \
        if (condition) break;                                                                             \
        fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #condition);                           \
        fprintf(stderr, __VA_ARGS__);                                                                     \
        fprintf(stderr, "\n");                                                                            \
        exit(1);                                                                                          \
    } while (0)
#define cr_expect cr_assert
#else
#include <criterion/criterion.h>
#endif

/* Without optimisation, the functions that make data and operators take a large part of a test's time. */
#if defined __GNUC__ && !defined __clang__ && (defined SIMT || !defined __CUDACC__)
#define SWIFT __attribute__((__optimize__("O2"), __no_sanitize__("address", "undefined")))
#else
#define SWIFT
#endif

/* Programs may set the tree's constants (small_tree.h). The header relies on these properties of them. */
REDUCE_ASSERT_(REDUCE_STRANDS >= 64 && REDUCE_STRANDS <= 512 && (REDUCE_STRANDS & (REDUCE_STRANDS - 1)) == 0,
               "lanes fill whole warps, at most 16 of them, a power of two")
REDUCE_ASSERT_(REDUCE_MAX_CHUNKS <= REDUCE_SLOTS, "each chunk has a slot")
REDUCE_ASSERT_(REDUCE_MAX_ELEMENTS / REDUCE_MAX_CHUNKS <= UINT32_MAX / 2, "positions in a chunk have 32 bits")
REDUCE_ASSERT_(REDUCE_SINGLE_ >= 2 && REDUCE_SINGLE_ <= REDUCE_LOW_ && REDUCE_LOW_ <= 2 * REDUCE_SPREAD_ &&
                   REDUCE_SPREAD_ <= REDUCE_MAX_CHUNKS && REDUCE_TALL_ >= 4,
               "chunks grow with the number of elements")

#define HELPER static inline __attribute__((unused))
#define HELPER_BOTH static inline __host__ __device__ __attribute__((unused))
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What a call is not given it does not read: under the address sanitizer it may not. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
HELPER void forbid(const void *from, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION(from, bytes / 8 * 8);
}
HELPER void allow(const void *from, size_t bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(from, bytes);
}
#else
HELPER void forbid(const void *from, size_t bytes)
{
    (void)from, (void)bytes;
}
#define allow forbid
#endif

/* ---- Calls and launches -------------------------------------------------------------------------------- */

#define CHECK(call)                                                                                       \
    do {                                                                                                  \
        const cudaError_t check_status_ = (call);                                                         \
        cr_assert(check_status_ == cudaSuccess, "%s: %s: %s", #call, cudaGetErrorName(check_status_),     \
                  cudaGetErrorString(check_status_));                                                     \
    } while (0)

/* After a launch: checks that it succeeded, and that the kernel ran to its end. */
HELPER void check_launch(void)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

/* Zeros in main memory, of which CUDA knows the first half. bytes: an even number of pages. */
HELPER void *half_pinned(size_t bytes)
{
    void *const memory = aligned_alloc(4096, bytes);
    cr_assert(memory != NULL, "no memory");
    memset(memory, 0, bytes);
    CHECK(cudaHostRegister(memory, bytes / 2, cudaHostRegisterDefault));
    return memory;
}

HELPER void free_half_pinned(void *memory)
{
    CHECK(cudaHostUnregister(memory));
    free(memory);
}

/* One block after the other, from the last to the first, in the simulator. */
#ifdef SIMT
#include "simt.h"
HELPER void start_blocks_backwards(void)
{
    simt_blocks(1);
    simt_backwards(1);
}

/* The kinds of CUDA's calls that simt_calls counts, but for "launch". */
static const char *const other_kinds[] __attribute__((unused)) = {"malloc", "free", "memcpy", "memset", "stream",
                                                                  "event",  "sync", "graph",  "device"};
#else
HELPER void start_blocks_backwards(void) {}
#endif

/* For .init of a test or a test suite: without a GPU (and without the simulator) there is nothing to test. */
HELPER void need_gpu(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return;
    (void)cudaGetLastError();
#ifdef CHECK_ALONE
    fprintf(stderr, "skipped: no GPU here\n");
    exit(77);
#else
    cr_skip_test("no GPU here");
#endif
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* size bytes on the device, each of the value fill; cudaFree releases them. */
HELPER void *device_room(size_t size, int fill)
{
    void *room = NULL;
    CHECK(cudaMalloc(&room, size + (size == 0)));
    CHECK(cudaMemset(room, fill, size + (size == 0)));
    return room;
}

HELPER void *to_device(const void *from, size_t size)
{
    void *room = device_room(size, 0);
    if (size > 0) CHECK(cudaMemcpy(room, from, size, cudaMemcpyHostToDevice));
    return room;
}

HELPER void from_device(void *to, const void *from, size_t size)
{
    if (size > 0) CHECK(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost));
}

/* Between calls a workspace is zero, except for the bytes of cell after its first 8. */
HELPER bool is_empty_workspace(const reduce_workspace *ws)
{
    static unsigned char bytes[sizeof(reduce_workspace)];
    from_device(bytes, ws, sizeof bytes);
    memset(bytes + offsetof(reduce_workspace, cell_) + 8, 0, REDUCE_MAX_SIZE - 8);
    for (size_t k = 0; k < sizeof bytes; k++)
        if (bytes[k] != 0) return false;
    return true;
}

/* ---- Bits ---------------------------------------------------------------------------------------------- */

/* Two values of one type that has no padding. */
#define SAME_BITS(a, b) (sizeof(a) == sizeof(b) && memcmp(&(a), &(b), sizeof(a)) == 0)

/* The value's bits in hexadecimal, the highest first; good until the eighth call from now. */
#define BITS(value) bits_in_hex(&(value), sizeof(value))

HELPER const char *bits_in_hex(const void *value, size_t size)
{
    static char texts[8][2 * REDUCE_MAX_SIZE + 3];
    static unsigned next;
    char *text = texts[next++ % COUNT(texts)];
    size_t at = (size_t)sprintf(text, "0x");
    for (size_t k = size; k > 0 && k <= REDUCE_MAX_SIZE; k--)
        at += (size_t)sprintf(text + at, "%02x", ((const unsigned char *)value)[k - 1]);
    return text;
}

/* ---- Types --------------------------------------------------------------------------------------------- */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;

/* Structs without padding, of 12, 24 and 64 bytes. */
struct words3 {
    u32 word[3];
};
struct words6 {
    u64 word[3];
};
struct words16 {
    u32 word[16];
};
typedef struct words3 words3;
typedef struct words6 words6;
typedef struct words16 words16;

/* ---- Data ---------------------------------------------------------------------------------------------- */

/* 64 bits each of which depends on every bit of x. */
HELPER_BOTH SWIFT u64 mixed(u64 x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* A number of either sign and many magnitudes, with few spare bits: another order of addition gives other
   bits. */
HELPER_BOTH SWIFT double rough(u64 hash, int exponents)
{
    const double size = (double)(1ull << hash % (u64)exponents) / 64;
    const double value = (1 + (double)(hash >> 12) / 4503599627370496.0) * size;
    return hash >> 9 & 1 ? -value : value;
}

/* T sample_T(u64 i): element i of the type's data. void fill_T(T *to, size_t n, u64 seed): n elements of
   it. */
#define DATA(T, EXPR_OF_HASH)                                                                             \
    HELPER SWIFT T sample_##T(u64 i)                                                                      \
    {                                                                                                     \
        const u64 hash = mixed(i);                                                                        \
        return EXPR_OF_HASH;                                                                              \
    }                                                                                                     \
    HELPER SWIFT void fill_##T(T *to, size_t n, u64 seed)                                                 \
    {                                                                                                     \
        for (size_t i = 0; i < n; i++) to[i] = sample_##T(mixed(seed) + i);                               \
    }

#define WORDS(T, WORD)                                                                                    \
    HELPER SWIFT T T##_of_hash(u64 hash)                                                                  \
    {                                                                                                     \
        T x;                                                                                              \
        for (size_t k = 0; k < COUNT(x.word); k++) x.word[k] = (WORD)(hash = mixed(hash));                \
        return x;                                                                                         \
    }

WORDS(words3, u32)
WORDS(words6, u64)
WORDS(words16, u32)

DATA(i8, (i8)hash)
DATA(u8, (u8)hash)
DATA(i16, (i16)hash)
DATA(u16, (u16)hash)
DATA(int, (int)hash)
DATA(u32, (u32)hash)
DATA(i64, (i64)hash)
DATA(u64, hash)
DATA(float, (float)rough(hash, 20))
DATA(double, rough(hash, 40))
DATA(words3, words3_of_hash(hash))
DATA(words6, words6_of_hash(hash))
DATA(words16, words16_of_hash(hash))

/* Where types take long to compile, a few stand for all: under the address sanitizer, and for nvcc where no GPU runs the
   program (the build then defines FEW_TYPES). */
#ifdef __SANITIZE_ADDRESS__
#    define FEW_TYPES
#endif

/* ---- Shares of the seeds ------------------------------------------------------------------------------ */

/* The seed's share of the cases, 0 to 2; -1, which is all, without a seed or on a device. */
HELPER int share_of_seed(void)
{
#ifdef SIMT
    const char *const seed = getenv("SIMT_SEED");
    return seed != NULL ? atoi(seed) % 3 : -1;
#else
    return -1;
#endif
}

/* Whether case k is tried. In the simulator all cases would take long: seed 2, which the suite runs, tries one of three;
   seed 0, which the thorough suite adds, tries the others; seed 1, which the sanitizers take, tries one of seven. Seeds 3
   to 5 are as 0 to 2, and so on. */
HELPER bool is_due(size_t k)
{
    const int share = share_of_seed();
    return share < 0 || (share == 1 ? k % 7 == 0 : (k % 3 == 1) == (share == 2));
}

/* The same where a seventh or a third of the cases would not reach enough: seeds 0 and 2 try half of them each. */
HELPER bool is_due_of_few(size_t k)
{
    const int share = share_of_seed();
    return share < 0 || share == 1 || k % 2 == (size_t)share / 2;
}

/* ---- An operator that tells the whole tree ------------------------------------------------------------- */

/* An operator that is neither associative nor commutative: another shape of the tree, or two swapped operands,
   give another result. Its identity, 0, is neutral, and no result of two other values is 0. */
HELPER_BOTH SWIFT u64 traced(u64 a, u64 b)
{
    if (a == 0 || b == 0) return a | b;
    return mixed(a * 3 + mixed(b)) | 1;
}

#define REDUCE_IDENTITY_trace(T) (T)0
#define REDUCE_COMBINE_trace(T, a, b) (T)traced((u64)(a), (u64)(b))

/* The same for structs, word by word: DEFINE_REDUCE_AS(NAME, words3, no_words3(), trace_words3(a, b)). */
#define TRACE_WORDS(T, WORD)                                                                              \
    HELPER_BOTH T no_##T(void)                                                                            \
    {                                                                                                     \
        T x;                                                                                              \
        memset(&x, 0, sizeof x);                                                                          \
        return x;                                                                                         \
    }                                                                                                     \
    HELPER_BOTH SWIFT T trace_##T(T a, T b)                                                               \
    {                                                                                                     \
        const size_t words = sizeof a.word / sizeof *a.word;                                              \
        for (size_t k = 0; k < words; k++) a.word[k] = (WORD)traced(a.word[k], b.word[k]);                \
        return a;                                                                                         \
    }

TRACE_WORDS(words3, u32)
TRACE_WORDS(words6, u64)
TRACE_WORDS(words16, u32)

#endif /* CHECK_H */
