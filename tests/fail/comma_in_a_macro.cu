// first: mean: a comma in std::pair<float...> separates arguments: give the type a name with typedef
#include "reduce_inputs.cuh"
#include <utility>
#define weight std::pair<float, int>
DEFINE_REDUCE_ZIP_WITH(mean, float, int, weight, float, x * y * c.first, 0, a + b)
int main(void) { return 0; }
