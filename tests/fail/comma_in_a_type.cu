// first: best: a comma in std::pair<float...> separates arguments: give the type a name with typedef
#include "reduce.cuh"
#include <utility>
DEFINE_REDUCE_AS(best, std::pair<float, int>, std::make_pair(0.f, 0), a.first > b.first ? a : b)
int main(void) { return 0; }
