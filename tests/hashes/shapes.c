/* shapes CLASSES WAY: by the CPU's functions, in plain C. CLASSES: their digits; WAY: alone, rows, columns, axis, segments,
   segments_32. */
#define COMPUTER(kind, NAME, X, Y, Context)                                                                 \
    DEFINE_SHAPES(kind, NAME, X, Y, Context, cpu)                                                           \
    static void NAME##_compute(enum way way, struct shape s, const struct shaped *of)                       \
    {                                                                                                       \
        NAME##_shapes_cpu(way, s, of);                                                                      \
    }
#include "shapes.h"

static void *give(const void *data, size_t bytes)
{
    return memcpy(malloc(bytes + 1), data, bytes);
}

static void take(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

int main(int argc, char **argv)
{
    const struct shapes_memory memory = {give, take, free, NULL};
    return argc == 3 && strcmp(argv[2], way_names[BLOCKS]) != 0 && shapes_run(argv[1], argv[2], &memory) ? 0 : 2;
}
