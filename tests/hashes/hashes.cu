/* hashes [CLASSES [EXECUTOR]]: by the GPU or the simulator. EXECUTOR: async (unless told), call, last_block,
   two_launch, cpu. */
#ifdef HASHES_16_BITS
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define HASHES_GROUP GROUP_5
#endif
#define CHECK_ALONE
#include "../check.h"

enum { BY_ASYNC, BY_CALL, BY_LAST_BLOCK, BY_TWO_LAUNCH, BY_CPU, EXECUTORS };
static const char *const executors[EXECUTORS] = {"async", "call", "last_block", "two_launch", "cpu"};
static int executor;
static reduce_workspace *ws;
static void *result;

#define COMPUTE(NAME, T, in, n, out)                                                                      \
    do {                                                                                                  \
        if (executor == BY_CALL) CHECK(NAME(in, n, out));                                                 \
        if (executor == BY_CPU) *(out) = NAME##_cpu(in, n);                                               \
        if (executor == BY_ASYNC) CHECK(NAME##_async(in, n, (T *)result, ws, 0));                         \
        if (executor == BY_LAST_BLOCK) CHECK(NAME##_last_block(in, n, (T *)result, ws, 0));               \
        if (executor == BY_TWO_LAUNCH) CHECK(NAME##_two_launch(in, n, (T *)result, ws, 0));               \
        if (executor != BY_CALL && executor != BY_CPU) from_device(out, result, sizeof(T));               \
    } while (0)
#include "hashes.h"

static unsigned char *to_place(int seed, const unsigned char *data)
{
    static unsigned char *room[HASHES_SEEDS];
    if (room[seed] == NULL && executor == BY_CPU) room[seed] = (unsigned char *)malloc(hashes_room);
    if (room[seed] == NULL) room[seed] = (unsigned char *)device_room(hashes_room, 0);
    if (executor == BY_CPU)
        memcpy(room[seed], data, hashes_room);
    else
        CHECK(cudaMemcpy(room[seed], data, hashes_room, cudaMemcpyHostToDevice));
    return room[seed];
}

int main(int argc, char **argv)
{
    while (argc > 2 && executor < EXECUTORS && strcmp(argv[2], executors[executor]) != 0) executor++;
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    result = device_room(16, 0);
    hashes_run(argc > 1 ? atoi(argv[1]) : HASHES_CLASSES, to_place);
    CHECK(cudaFree(result));
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
