// expect: nothing
// in every language
#include "reduce_inputs.cuh"
#include "reduce_inputs.cuh"
typedef struct { char bytes[64]; } large;
DEFINE_REDUCE_ZIP(dot, float, double, double, x * y, 0, a + b)
#define REDUCE_HAVE_dot
DEFINE_REDUCE_ZIP(dot, float, double, double, x * y, 0, a + b)
DEFINE_REDUCE_WITH(of_large, int, large, int, x + c.bytes[0], 0, a + b)
#define REDUCE_HAVE_of_large 1
DEFINE_REDUCE_WITH(of_large, int, large, int, x + c.bytes[0], 0, a + b)
DEFINE_REDUCE_ZIP_WITH(of_both, int, char, large, int, x * y + c.bytes[0], 0, a + b)
#define REDUCE_HAVE_of_both
DEFINE_REDUCE_ZIP_WITH(of_both, int, char, large, int, x * y + c.bytes[0], 0, a + b)
#define c 3
DEFINE_REDUCE_ZIP(pairs, large, large, int, x.bytes[0] * y.bytes[0], 0, a + b)
int main(void) { return 0; }
