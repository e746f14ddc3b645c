/*
 * For the programs here: each sums small numbers with a kernel that is wrong in one way, as the texts or
 * their readers had it, and with -DREPAIRED with the right one. IF_WRONG and IF_REPAIRED mark what
 * differs.
 */
#ifndef MISTAKE_H
#define MISTAKE_H

#define CHECK_ALONE
#include "../check.h"

#ifdef REPAIRED
#define IF_WRONG(...)
#define IF_REPAIRED(...) __VA_ARGS__
#else
#define IF_WRONG(...) __VA_ARGS__
#define IF_REPAIRED(...)
#endif

/* n numbers on the device: 1, 2, 3 and so on. */
HELPER int *numbers(int n)
{
    int *x = (int *)calloc((size_t)n, sizeof *x);
    for (int k = 0; k < n; k++) x[k] = k + 1;
    int *on_device = (int *)to_device(x, sizeof *x * (size_t)n);
    free(x);
    return on_device;
}

HELPER int sum_of_numbers(int n) { return n * (n + 1) / 2; }

/* Checks that the kernel has left the sum of the first n numbers in *result. */
HELPER void check_sum(const int *result, int n)
{
    int got = 0;
    check_launch();
    from_device(&got, result, sizeof got);
    cr_expect(got == sum_of_numbers(n), "wrong result: %d, not %d", got, sum_of_numbers(n));
}

#endif /* MISTAKE_H */
