/* Integers of 64 bits, by every executor. */
#include "array.h"

typedef unsigned long ulong_;

#define EVERY(EACH)                                                                                        \
    INTEGER_SUBJECTS(EACH, ulong_)                                                                         \
    INTEGER_SUBJECTS(EACH, i64)                                                                            \
    INTEGER_SUBJECTS(EACH, u64)                                                                            \
    EACH(INTEGER, size_t, sum)                                                                             \
    EACH(INTEGER, ptrdiff_t, min)

DEFINE_FILL_INTEGER(ulong_)
DEFINE_FILL_INTEGER(i64)
DEFINE_FILL_INTEGER(u64)
DEFINE_FILL_INTEGER(size_t)
DEFINE_FILL_INTEGER(ptrdiff_t)
EVERY(DEFINE_SUBJECT)
static const struct subject subjects[] = {EVERY(SUBJECT)};

Test(array_64, every_executor, .init = need_gpu)
{
    ARRAY_RUN_ALL(subjects);
}
