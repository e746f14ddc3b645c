// caught: race, expect: data race
/* G2: nothing orders the last block's reads after its ticket. */
#ifndef REPAIRED
#define ACQUIRE
#endif
#include "last_block.h"

int main(void) { return check_launches(1); }
