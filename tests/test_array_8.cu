/* Integers of one byte, by every executor. */
#include "array.h"

#define EVERY(EACH) INTEGERS_1(INTEGER_SUBJECTS, EACH)

INTEGERS_1(DEFINE_FILL_INTEGER, )
ARRAY_TEST(array_8)
