// first: sum_of_celsius: celsius must be trivially constructible: remove its constructors and default member initializers
#include "reduce.cuh"
struct celsius {
    float degrees;
    __host__ __device__ celsius(float given) : degrees(given) {}
};
DEFINE_REDUCE_AS(sum_of_celsius, celsius, celsius(0), celsius(a.degrees + b.degrees))
int main(void) { return 0; }
