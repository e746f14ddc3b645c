/* Complex numbers of CUDA: a part (x) and an imaginary part (y). */
#ifndef CUCOMPLEX_H
#define CUCOMPLEX_H
#pragma GCC system_header

#include "cuda_runtime.h"

#include <math.h>

typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;

/* Functions for one precision; f is the end of their names and of those of C. */
#define CUCOMPLEX(Complex, Real, make, f)                                                                                \
  static __host__ __device__ inline Complex make(Real r, Real i) { return {r, i}; }                                      \
  static __host__ __device__ inline Real cuCreal##f(Complex a) { return a.x; }                                           \
  static __host__ __device__ inline Real cuCimag##f(Complex a) { return a.y; }                                           \
  static __host__ __device__ inline Complex cuConj##f(Complex a) { return make(a.x, -a.y); }                             \
  static __host__ __device__ inline Complex cuCadd##f(Complex a, Complex b) { return make(a.x + b.x, a.y + b.y); }       \
  static __host__ __device__ inline Complex cuCsub##f(Complex a, Complex b) { return make(a.x - b.x, a.y - b.y); }       \
  static __host__ __device__ inline Complex cuCmul##f(Complex a, Complex b) {                                            \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                                           \
  }                                                                                                                      \
  static __host__ __device__ inline Complex cuCdiv##f(Complex a, Complex b) {                                            \
    Real s = fabs##f(b.x) + fabs##f(b.y);                                                                                \
    Complex p = make(a.x / s, a.y / s), q = make(b.x / s, b.y / s);                                                      \
    Real n = q.x * q.x + q.y * q.y;                                                                                      \
    return make((p.x * q.x + p.y * q.y) / n, (p.y * q.x - p.x * q.y) / n);                                               \
  }                                                                                                                      \
  static __host__ __device__ inline Real cuCabs##f(Complex a) { return hypot##f(a.x, a.y); }                             \
  static __host__ __device__ inline Complex cuCfma##f(Complex a, Complex b, Complex c) { return cuCadd##f(cuCmul##f(a, b), c); }
CUCOMPLEX(cuFloatComplex, float, make_cuFloatComplex, f)
CUCOMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, )
#undef CUCOMPLEX

static __host__ __device__ inline cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
static __host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return make_cuDoubleComplex(a.x, a.y); }
static __host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_cuFloatComplex((float)a.x, (float)a.y);
}

#endif
