/* shapes CLASSES WAY: by the CPU's functions, in plain C. CLASSES: their digits; WAY: alone, rows, columns, axis, segments,
   segments_32. */
#define SHAPES_SUFFIX _cpu
#define SHAPES_END
#define SHAPES_ALONE(NAME, to, ...) *(to) = NAME##_cpu(__VA_ARGS__)
#define SHAPES_DONE(call) call
#define SHAPES_BLOCKS(kind, NAME, X, Y, T)
#define SHAPES_IN_BLOCKS(NAME, kind, s, x, y, out) exit(2)
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
    const struct shapes_memory memory = {give, take, free};
    return argc == 3 && shapes_run(argv[1], argv[2], &memory) ? 0 : 2;
}
