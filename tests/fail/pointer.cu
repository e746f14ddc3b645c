// first: reduce_text_max: max needs a number: define your own operator with DEFINE_REDUCE_AS
#include "reduce.cuh"
typedef char *text;
DEFINE_REDUCE(text, max)
int main(void) { return 0; }
