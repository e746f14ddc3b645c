/* bool, and integers of 16 bits, by every executor. */
#include "array.h"

#define EVERY(EACH)                                                                                        \
    INTEGER_SUBJECTS(EACH, bool)                                                                           \
    INTEGER_SUBJECTS(EACH, i16)                                                                            \
    INTEGER_SUBJECTS(EACH, u16)

DEFINE_FILL_INTEGER(bool)
DEFINE_FILL_INTEGER(i16)
DEFINE_FILL_INTEGER(u16)
EVERY(DEFINE_SUBJECT)
static const struct subject subjects[] = {EVERY(SUBJECT)};

Test(array_16, every_executor, .init = need_gpu)
{
    ARRAY_RUN_ALL(subjects);
}
