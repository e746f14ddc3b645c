// first: reduce_text_max: text is neither a number nor a struct: put it into a struct
#include "reduce.cuh"
typedef char *text;
DEFINE_REDUCE(text, max)
int main(void) { return 0; }
