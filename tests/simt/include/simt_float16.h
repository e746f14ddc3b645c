/* The two 16-bit floating types, as one template over the widths of exponent and mantissa: conversions round to nearest even,
 * once; subnormals are kept; a NaN result is 0x7fff, as on the device. Functions are friends, so the two do not mix. */
#ifndef SIMT_FLOAT16_H
#define SIMT_FLOAT16_H
#pragma GCC system_header

#include "cuda_runtime.h"

struct __half_raw { unsigned short x; };
struct __nv_bfloat16_raw { unsigned short x; };

/* x, rounded to odd where a double is too narrow, so that rounding it once more is right. */
static inline double simt_widen(unsigned long long x) {
  return x >> 53 ? (double)(x >> 11 | ((x & 2047) != 0)) * 2048.0 : (double)x;
}

template <int EXPONENT, int MANTISSA, class Raw> struct simt_float16 {
  unsigned short simt_x;

  static unsigned short simt_round(double d) {
    uint64_t u = simt_bits(d);
    unsigned sign = (unsigned)(u >> 63) << 15;
    int e = (int)(u >> 52 & 2047) - 1023, bias = (1 << (EXPONENT - 1)) - 1;
    uint64_t m = (u & ((1ull << 52) - 1)) | 1ull << 52;
    if (d != d) return 0x7fff;
    if (e > bias) return (unsigned short)(sign | ((1u << EXPONENT) - 1) << MANTISSA);
    int drop = 52 - MANTISSA + (e < 1 - bias ? 1 - bias - e : 0);
    if (drop > 54) return (unsigned short)sign;
    uint64_t kept = m >> drop, rest = m & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    if (e >= 1 - bias) kept += (uint64_t)(e + bias - 1) << MANTISSA;  /* a carry goes into the exponent, and at the top to infinity */
    return (unsigned short)(sign | (unsigned)kept);
  }
  double simt_value() const {
    int e = simt_x >> MANTISSA & ((1 << EXPONENT) - 1), bias = (1 << (EXPONENT - 1)) - 1;
    uint64_t sign = (uint64_t)(simt_x >> 15) << 63, m = simt_x & ((1u << MANTISSA) - 1);
    if (e == (1 << EXPONENT) - 1) return simt_cast<double>(sign | 0x7ffull << 52 | m << (52 - MANTISSA));
    double d = e ? simt_cast<double>((uint64_t)(e - bias + 1023) << 52 | m << (52 - MANTISSA))
                 : (double)m * simt_cast<double>((uint64_t)(1 - bias - MANTISSA + 1023) << 52);
    return sign ? -d : d;
  }
  static simt_float16 simt_from(double d) {
    simt_float16 h;
    h.simt_x = simt_round(d);
    return h;
  }
  static simt_float16 simt_from_bits(unsigned short x) {
    simt_float16 h;
    h.simt_x = x;
    return h;
  }

  simt_float16() = default;
  simt_float16(const Raw &r) : simt_x(r.x) {}
  simt_float16(float v) : simt_x(simt_round((double)v)) {}
  simt_float16(double v) : simt_x(simt_round(v)) {}
#define SIMT_FROM(T) \
  simt_float16(T v) : simt_x(simt_round(v < 0 ? -simt_widen(0 - (unsigned long long)v) : simt_widen((unsigned long long)v))) {}
#define SIMT_INTEGERS(X) X(short) X(unsigned short) X(int) X(unsigned) X(long) X(unsigned long) X(long long) X(unsigned long long)
  SIMT_INTEGERS(SIMT_FROM)
#undef SIMT_FROM

  operator float() const { return (float)simt_value(); }
  operator bool() const { return (simt_x & 0x7fff) != 0; }
#define SIMT_TO(T)                                                                                            \
  operator T() const {  /* towards zero, to the nearest that T holds; 0 for a NaN */                          \
    const bool is_signed = (T)-1 < (T)1;                                                                      \
    const T high = (T)(~0ull >> (64 - 8 * sizeof(T) + is_signed)), low = (T)(is_signed ? -high - 1 : 0);      \
    double d = simt_value();                                                                                  \
    return d != d ? 0 : d <= (double)low ? low : d >= (double)high ? high : (T)d;                             \
  }
  SIMT_INTEGERS(SIMT_TO)
  SIMT_TO(signed char)
  SIMT_TO(unsigned char)
  SIMT_TO(char)
#undef SIMT_TO
  operator Raw() const { return Raw{simt_x}; }
  operator Raw() const volatile { return Raw{simt_x}; }
  simt_float16 &operator=(const Raw &r) { simt_x = r.x; return *this; }
  void operator=(const Raw &r) volatile { simt_x = r.x; }
#define SIMT_ASSIGN(T) \
  simt_float16 &operator=(T v) { return *this = simt_float16(v); }
  SIMT_ASSIGN(float)
  SIMT_ASSIGN(double)
  SIMT_INTEGERS(SIMT_ASSIGN)
#undef SIMT_ASSIGN

  /* A double holds every product, and is wide enough that a sum or quotient of two, rounded twice, is rounded as if once. */
#define SIMT_ARITHMETIC(OP, NAME)                                                                             \
  friend simt_float16 operator OP(const simt_float16 &a, const simt_float16 &b) { return simt_from(a.simt_value() OP b.simt_value()); } \
  friend simt_float16 &operator OP##=(simt_float16 &a, const simt_float16 &b) { return a = a OP b; }          \
  friend simt_float16 NAME(simt_float16 a, simt_float16 b) { return a OP b; }                                 \
  friend simt_float16 NAME##_rn(simt_float16 a, simt_float16 b) { return a OP b; }
  SIMT_ARITHMETIC(+, __hadd)
  SIMT_ARITHMETIC(-, __hsub)
  SIMT_ARITHMETIC(*, __hmul)
  SIMT_ARITHMETIC(/, __hdiv)
#undef SIMT_ARITHMETIC
#define SIMT_COMPARISON(OP, NAME)                                                                             \
  friend bool operator OP(const simt_float16 &a, const simt_float16 &b) { return a.simt_value() OP b.simt_value(); } \
  friend bool NAME(simt_float16 a, simt_float16 b) { return a OP b; }
  SIMT_COMPARISON(==, __heq)
  SIMT_COMPARISON(<, __hlt)
  SIMT_COMPARISON(<=, __hle)
  SIMT_COMPARISON(>, __hgt)
  SIMT_COMPARISON(>=, __hge)
#undef SIMT_COMPARISON
  friend bool operator!=(const simt_float16 &a, const simt_float16 &b) { return !(a == b); }
  friend bool __hne(simt_float16 a, simt_float16 b) { return !__hisnan(a) && !__hisnan(b) && a != b; }
  friend simt_float16 operator+(const simt_float16 &a) { return a; }
  friend simt_float16 operator-(const simt_float16 &a) { return simt_from_bits(__hisnan(a) ? 0x7fff : a.simt_x ^ 0x8000); }
  friend simt_float16 __hneg(simt_float16 a) { return -a; }
  friend simt_float16 __habs(simt_float16 a) { return simt_from_bits(a.simt_x & 0x7fff); }
  friend bool __hisnan(simt_float16 a) { return (a.simt_x & 0x7fff) > ((1u << EXPONENT) - 1) << MANTISSA; }
  friend int __hisinf(simt_float16 a) { return (a.simt_x & 0x7fff) != ((1u << EXPONENT) - 1) << MANTISSA ? 0 : a.simt_x >> 15 ? -1 : 1; }
  /* One NaN loses to a number, except in the _nan forms; -0 is below +0. */
  friend simt_float16 __hmax(simt_float16 a, simt_float16 b) { return simt_pick(a, b, simt_below(a, b), false); }
  friend simt_float16 __hmin(simt_float16 a, simt_float16 b) { return simt_pick(a, b, simt_below(b, a), false); }
  friend simt_float16 __hmax_nan(simt_float16 a, simt_float16 b) { return simt_pick(a, b, simt_below(a, b), true); }
  friend simt_float16 __hmin_nan(simt_float16 a, simt_float16 b) { return simt_pick(a, b, simt_below(b, a), true); }
  friend simt_float16 __hfma(simt_float16 a, simt_float16 b, simt_float16 c) {
    double x = a.simt_value() * b.simt_value(), y = c.simt_value(), s = x + y, t = s - x, error = (x - (s - t)) + (y - t);
    uint64_t u = simt_bits(s);
    if (error != 0 && error == error && !(u & 1)) u += (error > 0) == (s > 0) ? 1 : ~0ull;  /* round the sum to odd */
    return simt_from(simt_cast<double>(u));
  }

#define SIMT_SHUFFLE16(FN, ARG)                                                                               \
  friend simt_float16 FN(unsigned mask, simt_float16 v, ARG arg, int width = 32 SIMT_AT) {                    \
    return simt_from_bits((unsigned short)FN(mask, (unsigned)v.simt_x, arg, width SIMT_HERE));                \
  }
  SIMT_SHUFFLE16(__shfl_sync, int)
  SIMT_SHUFFLE16(__shfl_up_sync, unsigned)
  SIMT_SHUFFLE16(__shfl_down_sync, unsigned)
  SIMT_SHUFFLE16(__shfl_xor_sync, int)
#undef SIMT_SHUFFLE16
  friend simt_float16 atomicAdd(simt_float16 *p, simt_float16 v SIMT_AT) {
    return simt_from_bits(simt_atomic(&p->simt_x, [v](unsigned short old) { return (simt_from_bits(old) + v).simt_x; } SIMT_HERE));
  }

 private:
  static bool simt_below(simt_float16 a, simt_float16 b) {
    return a < b || (a == b && a.simt_x >> 15 > b.simt_x >> 15);
  }
  static simt_float16 simt_pick(simt_float16 a, simt_float16 b, bool second, bool keep_nan) {
    if (__hisnan(a) || __hisnan(b))
      return keep_nan || (__hisnan(a) && __hisnan(b)) ? simt_from_bits(0x7fff) : __hisnan(a) ? b : a;
    return second ? b : a;
  }
};

template <class Half> struct alignas(4) simt_float16x2 { Half x, y; };
template <class Half> struct simt_loadable<simt_float16x2<Half>> : std::true_type {};

/* A struct of its own, as in CUDA, so that code may name it before the header is included. */
#define SIMT_FLOAT16_TYPE(H, EXPONENT, MANTISSA, Raw)                                                         \
  struct H : simt_float16<EXPONENT, MANTISSA, Raw> {                                                          \
    typedef simt_float16<EXPONENT, MANTISSA, Raw> simt_base;                                                  \
    using simt_base::simt_base;                                                                               \
    using simt_base::operator=;                                                                               \
    H() = default;                                                                                            \
    H(const simt_base &b) : simt_base(b) {}                                                                   \
  };                                                                                                          \
  template <> struct simt_loadable<H> : std::true_type {};

#define SIMT_FLOAT16_FUNCTIONS(H, N, STEM)                                                                    \
  SIMT_FN H __float2##STEM(float v) { return H(v); }                                                          \
  SIMT_FN H __float2##STEM##_rn(float v) { return H(v); }                                                     \
  SIMT_FN H __double2##STEM(double v) { return H(v); }                                                        \
  SIMT_FN H __int2##STEM##_rn(int v) { return H(v); }                                                         \
  SIMT_FN float __##STEM##2float(H v) { return (float)v; }                                                    \
  SIMT_FN unsigned short __##STEM##_as_ushort(H v) { return v.simt_x; }                                       \
  SIMT_FN short __##STEM##_as_short(H v) { return (short)v.simt_x; }                                          \
  SIMT_FN H __ushort_as_##STEM(unsigned short x) { return H::simt_from_bits(x); }                             \
  SIMT_FN H __short_as_##STEM(short x) { return H::simt_from_bits((unsigned short)x); }                       \
  SIMT_FN N __##STEM##s2##N(H x, H y) { return N{x, y}; }                                                     \
  SIMT_FN N __##STEM##2##N(H x) { return N{x, x}; }                                                           \
  SIMT_FN N __hadd2(N a, N b) { return N{a.x + b.x, a.y + b.y}; }                                             \
  SIMT_FN N __hmul2(N a, N b) { return N{a.x * b.x, a.y * b.y}; }                                             \
  SIMT_FN N __hmax2(N a, N b) { return N{__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                               \
  SIMT_FN N __hmin2(N a, N b) { return N{__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                               \
  SIMT_FN H __low2##STEM(N a) { return a.x; }                                                                 \
  SIMT_FN H __high2##STEM(N a) { return a.y; }

#endif
