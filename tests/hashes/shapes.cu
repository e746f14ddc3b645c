/* shapes CLASSES WAY: by the GPU or the simulator. CLASSES: their digits; WAY: alone (NAME_async), rows, columns, axis,
   segments, segments_32, blocks (NAME_block_range). */
#define CHECK_ALONE
#include "../check.h"

#define COMPUTER(kind, NAME, X, Y, Context)                                                                 \
    DEFINE_SHAPES(kind, NAME, X, Y, Context, async)                                                         \
    DEFINE_RANGES(kind, NAME, X, Y, Context)                                                                \
    static void NAME##_compute(enum way way, struct shape s, const struct shaped *of)                       \
    {                                                                                                       \
        if (way == BLOCKS) NAME##_in_blocks(s, of, dim3(80));                                               \
        NAME##_shapes_async(way, s, of);                                                                    \
    }
#include "shapes.h"

static void *give(const void *data, size_t bytes)
{
    return to_device(data, bytes);
}

static void take(void *to, const void *from, size_t bytes)
{
    check_launch();
    from_device(to, from, bytes);
}

static void release(void *room)
{
    CHECK(cudaFree(room));
}

int main(int argc, char **argv)
{
    struct shapes_memory memory = {give, take, release, NULL};
    need_gpu();
    reduce_workspace *ws = NULL;
    CHECK(reduce_workspace_create(&ws));
    memory.ws = ws;
    const bool is_right = argc == 3 && shapes_run(argv[1], argv[2], &memory);
    CHECK(reduce_workspace_destroy(ws));
    return is_right ? 0 : 2;
}
