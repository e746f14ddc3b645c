// first: above: the context limit must be trivially constructible, and not constant: remove its constructors and const
#include "reduce_inputs.cuh"
struct limit {
    const float most;
};
DEFINE_REDUCE_WITH(above, float, limit, int, x > c.most, 0, a + b)
int main(void) { return 0; }
