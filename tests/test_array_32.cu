/* Integers of four bytes, by every executor. */
#include "array.h"

#define EVERY(EACH) INTEGERS_4(INTEGER_SUBJECTS, EACH)

INTEGERS_4(DEFINE_FILL_INTEGER, )
ARRAY_TEST(array_32)
