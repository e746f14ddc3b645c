/* Integers of eight bytes, by every executor; and types of the standard library. */
#include "array.h"

#define EVERY(EACH)                                                                                        \
    INTEGERS_8(INTEGER_SUBJECTS, EACH)                                                                     \
    EACH(INTEGER, size_t, sum)                                                                             \
    EACH(INTEGER, ptrdiff_t, min)

INTEGERS_8(DEFINE_FILL_INTEGER, )
DEFINE_FILL_INTEGER(, size_t)
DEFINE_FILL_INTEGER(, ptrdiff_t)
ARRAY_TEST(array_64)
