/* digits.c: prints the words of some accumulators, for picture.py: a line for each of some floats, and one for their sum,
   with the float beside them. */
#include "reduce_exact.cuh"

#include <stdio.h>

static void print(float x, const struct reduce_exact_float *sum)
{
    int64_t words[sizeof *sum / sizeof(int64_t)];
    memcpy(words, sum, sizeof words);
    printf("%g", (double)x);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) printf(" %lld", (long long)words[k]);
    puts("");
}

int main(void)
{
    const float numbers[] = {5e10f, 0.001f, 5e10f, -0.002f, 0.007f, -1e11f};
    struct reduce_exact_float sum, alone;
    reduce_exact_float_clear(&sum);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        reduce_exact_float_clear(&alone);
        reduce_exact_float_add(&alone, numbers[k]);
        reduce_exact_float_add(&sum, numbers[k]);
        print(numbers[k], &alone);
    }
    print(reduce_exact_float_round(&sum), &sum);
    return 0;
}
