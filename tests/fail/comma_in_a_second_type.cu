// first: mean: a comma in std::pair<float...> separates arguments: give the type a name with typedef
#include "reduce_inputs.cuh"
#include <utility>
DEFINE_REDUCE_ZIP(mean, float, std::pair<float, int>, float, x * y.first, 0, a + b)
int main(void) { return 0; }
