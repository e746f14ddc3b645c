/* hashes [CLASSES [EXECUTOR]]: by the GPU or the simulator. CLASSES: their digits; EXECUTOR: async (unless told),
   call, last_block, two_launch, cpu. */
#ifdef HASHES_16_BITS
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define HASHES_GROUP GROUP_5
#endif
#define CHECK_ALONE
#include "../check.h"
#include "../executors.h"

static int executor = BY_ASYNC;
static reduce_workspace *ws;
static void *on_device;

#define COMPUTER(NAME, T) DEFINE_BY(NAME, T, T)
#define COMPUTE(NAME, T, in, n, out)                                                                      \
    CHECK(execute(NAME##_by, (enum executor)executor, in, n, out, sizeof(T), on_device, ws))
#include "hashes.h"

static const unsigned char *to_place(int seed, const unsigned char *data, size_t bytes)
{
    static unsigned char *room[HASHES_ROOMS];
    if (executor == BY_CPU) return data;
    CHECK(cudaFree(room[seed]));
    return room[seed] = (unsigned char *)to_device(data, bytes);
}

int main(int argc, char **argv)
{
    if (argc > 2) executor = 0;
    while (argc > 2 && executor < EXACT_EXECUTORS && strcmp(argv[2], executors[executor]) != 0) executor++;
    if (executor == EXACT_EXECUTORS) return 2;
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    on_device = device_room(16, 0);
    hashes_run(argc > 1 ? argv[1] : "01234", to_place);
    CHECK(cudaFree(on_device));
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
