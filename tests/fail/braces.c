// first: sum_of_points: a comma inside braces separates arguments: let a function return the identity
#include "reduce.cuh"
struct point { float x, y; };
DEFINE_REDUCE_AS(sum_of_points, struct point, (struct point){0, 0}, (struct point){a.x + b.x, a.y + b.y})
int main(void) { return 0; }
