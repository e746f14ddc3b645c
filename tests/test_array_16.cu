/* Integers of two bytes, by every executor. */
#include "array.h"

#define EVERY(EACH) INTEGERS_2(INTEGER_SUBJECTS, EACH)

INTEGERS_2(DEFINE_FILL_INTEGER, )
ARRAY_TEST(array_16)
