// first: mean: a comma in std::pair<float...> separates arguments: give the type a name with typedef
#include "reduce_inputs.cuh"
#include <utility>
DEFINE_REDUCE_WITH(mean, float, std::pair<float, int>, float, x * c.first, 0, a + b)
int main(void) { return 0; }
