// expect: pairs: owner must be trivially copyable: use a plain struct
#include "reduce_inputs.cuh"
struct owner {
    int *data;
    __host__ __device__ owner(int *p) : data(p) {}
    __host__ __device__ owner(const owner &other) : data(other.data) {}
};
DEFINE_REDUCE_ZIP(pairs, int, owner, int, x + *y.data, 0, a + b)
int main(void) { return 0; }
