/* Integers of 8 bits, by every executor. */
#include "array.h"

#define EVERY(EACH)                                                                                        \
    INTEGER_SUBJECTS(EACH, char)                                                                           \
    INTEGER_SUBJECTS(EACH, i8)                                                                             \
    INTEGER_SUBJECTS(EACH, u8)

DEFINE_FILL_INTEGER(char)
DEFINE_FILL_INTEGER(i8)
DEFINE_FILL_INTEGER(u8)
EVERY(DEFINE_SUBJECT)
static const struct subject subjects[] = {EVERY(SUBJECT)};

Test(array_8, every_executor, .init = need_gpu)
{
    ARRAY_RUN_ALL(subjects);
}
