// caught: race, expect: data race
/* G2: nothing orders a block's partial result before its ticket. */
#ifndef REPAIRED
#define RELEASE
#endif
#include "last_block.h"

int main(void) { return check_launches(1); }
