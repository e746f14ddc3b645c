// expect: of_owner: owner must be trivially copyable: use a plain struct, or cast
#include "reduce.cuh"
struct owner {
    int *data;
    __host__ __device__ owner(int *p) : data(p) {}
    __host__ __device__ owner(const owner &other) : data(other.data) {}
};
DEFINE_REDUCE_AS(of_owner, owner, owner(0), a)
int main(void) { return 0; }
