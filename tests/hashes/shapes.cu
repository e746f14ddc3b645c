/* shapes CLASSES WAY: by the GPU or the simulator. CLASSES: their digits; WAY: alone (NAME_async), rows, columns, axis,
   segments, segments_32, blocks (NAME_block_range). */
#define CHECK_ALONE
#include "../check.h"

static reduce_workspace *ws;

#define SHAPES_SUFFIX _async
#define SHAPES_END , ws, 0
#define SHAPES_ALONE(NAME, to, ...) CHECK(NAME##_async(__VA_ARGS__, to, ws, 0))
#define SHAPES_DONE(call) CHECK(call)
#define SHAPES_BLOCKS(kind, NAME, X, Y, T)                                                                  \
    static __global__ void NAME##_in_blocks(const X *x, const Y *y, size_t n, size_t pitch, T *out)         \
    {                                                                                                       \
        const shapes_context context = SHAPES_CONTEXT;                                                      \
        (void)y, (void)context;                                                                             \
        const T result = NAME##_block_range(SHAPES_FROM_##kind(blockIdx.x * pitch), n SHAPES_MORE_##kind);  \
        if (threadIdx.x == blockDim.x - 1) out[blockIdx.x] = result;                                        \
    }
#define SHAPES_IN_BLOCKS(NAME, kind, s, x, y, out)                                                          \
    NAME##_in_blocks<<<(unsigned)(s).results, 80>>>(x, y, (s).n, (s).pitch, out)
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
    const struct shapes_memory memory = {give, take, release};
    need_gpu();
    CHECK(reduce_workspace_create(&ws));
    const bool is_right = argc == 3 && shapes_run(argv[1], argv[2], &memory);
    CHECK(reduce_workspace_destroy(ws));
    return is_right ? 0 : 2;
}
