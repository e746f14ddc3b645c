// caught: address, expect: out of bounds|AddressSanitizer
/* G2: the last block reads as many partial results as the grid has threads, not blocks. */
#ifndef REPAIRED
#define PARTIALS (BLOCKS * THREADS)
#endif
#include "last_block.h"

int main(void) { return check_launches(1); }
