// first: sum_of_points: a comma inside braces separates arguments: let a function return the identity
#include "reduce.cuh"
struct point { float x, y; };
static struct point none(void) { const struct point p = {0, 0}; return p; }
DEFINE_REDUCE_MAP(sum_of_points, float, struct point, (struct point){x, 0}, none(), a)
int main(void) { return 0; }
