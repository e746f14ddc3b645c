/* hashes [CLASSES]: by the CPU's function, in plain C. CLASSES: their digits; all, unless told. */
#include "reduce.cuh"

#define COMPUTER(NAME, T)
#define COMPUTE(NAME, T, in, n, out) *(out) = NAME##_cpu(in, n)
#include "hashes.h"

static const unsigned char *to_place(int seed, const unsigned char *data, size_t bytes)
{
    (void)seed, (void)bytes;
    return data;
}

int main(int argc, char **argv)
{
    hashes_run(argc > 1 ? argv[1] : "0123456", to_place);
    return 0;
}
