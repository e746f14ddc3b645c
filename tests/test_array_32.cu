/* Integers of 32 bits, and long, by every executor. */
#include "array.h"

#define EVERY(EACH)                                                                                        \
    INTEGER_SUBJECTS(EACH, int)                                                                            \
    INTEGER_SUBJECTS(EACH, u32)                                                                            \
    INTEGER_SUBJECTS(EACH, long)

DEFINE_FILL_INTEGER(int)
DEFINE_FILL_INTEGER(u32)
DEFINE_FILL_INTEGER(long)
EVERY(DEFINE_SUBJECT)
static const struct subject subjects[] = {EVERY(SUBJECT)};

Test(array_32, every_executor, .init = need_gpu)
{
    ARRAY_RUN_ALL(subjects);
}
