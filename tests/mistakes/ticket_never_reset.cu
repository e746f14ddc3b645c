// caught: wrong-result, expect: wrong result
/* G2: the counter goes on from where the launch before has left it, and no block is the last again. */
#ifndef REPAIRED
#define NEXT_TICKET(ticket) atomicAdd(ticket, 1u)
#endif
#include "last_block.h"

int main(void) { return check_launches(2); }
