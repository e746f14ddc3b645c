/* The 16-bit types against arithmetic on doubles. */
#include "case.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static unsigned short bits(__half h) { return __half_as_ushort(h); }
static unsigned short bits(__nv_bfloat16 h) { return __bfloat16_as_ushort(h); }
static double value(unsigned x, int e, int m) {
  int exponent = (int)(x >> m & ((1u << e) - 1)), bias = (1 << (e - 1)) - 1;
  double fraction = x & ((1u << m) - 1), d;
  if (exponent == (1 << e) - 1) d = fraction != 0 ? NAN : INFINITY;
  else d = exponent ? ldexp(fraction + (1 << m), exponent - bias - m) : ldexp(fraction, 1 - bias - m);
  return x >> 15 ? -d : d;
}
/* The nearest of H to d, by definition: try the neighbours of a guess. */
template <class H> static bool nearest(H h, double d, int e, int m) {
  unsigned x = bits(h);
  if (d != d) return x == 0x7fff;
  unsigned magnitude = x & 0x7fff, top = ((1u << e) - 1) << m;
  if ((x >> 15 != 0) != (signbit(d) != 0)) return false;
  d = fabs(d);
  double limit = value(top - 1, e, m), half_step = (limit - value(top - 2, e, m)) / 2;
  if (magnitude == top) return d >= limit + half_step;
  if (magnitude > top || d >= limit + half_step) return false;
  double here = fabs(value(magnitude, e, m) - d);
  double up = magnitude + 1 == top ? limit + 2 * half_step - d : value(magnitude + 1, e, m) - d;
  double down = magnitude ? d - value(magnitude - 1, e, m) : INFINITY;
  return here <= fabs(up) && here <= fabs(down) && !((here == fabs(up) || here == fabs(down)) && (magnitude & 1));
}
static uint64_t state = 88172645463325252u;
static uint64_t next() { return state ^= state << 13, state ^= state >> 7, state ^= state << 17; }

template <class H> static void all_of(int e, int m) {
  for (unsigned x = 0; x < 65536; x++) {
    double d = value(x, e, m);
    H h;
    memcpy(&h, &x, 2);
    CHECK(d != d ? __hisnan(h) && (float)h != (float)h : (double)(float)h == d);
    CHECK(bits(H((float)d)) == (d != d ? 0x7fff : x) && bits(H(d)) == (d != d ? 0x7fff : x));
    if (d != d) continue;
    double step = ldexp(1, m + 3);
    for (int i = -12; i <= 12; i++) CHECK(nearest(H(d + d * i / step), d + d * i / step, e, m));
    CHECK((int)h == (d >= INT_MAX ? INT_MAX : d <= INT_MIN ? INT_MIN : (int)d));
    CHECK(bits(__habs(h)) == (x & 0x7fff) && bits(-h) == (x ^ 0x8000));
  }
  for (int i = 0; i < 300000; i++) {
    unsigned x = (unsigned)next() & 65535, y = i & 1 ? (unsigned)(next() & 65535) : (x + (unsigned)next() % 4096) & 65535;
    H a, b;
    memcpy(&a, &x, 2);
    memcpy(&b, &y, 2);
    double p = value(x, e, m), q = value(y, e, m);
    CHECK(nearest(a * b, p * q, e, m) && nearest(a + b, p + q, e, m) && nearest(__hsub(a, b), p - q, e, m));
    CHECK((a < b) == (p < q) && (a == b) == (p == q) && (a != b) == (p != q));
    CHECK(p != p || q != q ? __hisnan(__hmax_nan(a, b)) : value(bits(__hmax_nan(a, b)), e, m) == (p > q ? p : q));
    CHECK(p != p || q != q || value(bits(__hmin(a, b)), e, m) == (p < q ? p : q));
    long long l = (long long)next() >> next() % 64;
    CHECK(llabs(l) >> 53 || nearest(H(l), (double)l, e, m));
  }
  CHECK(bits(__hmax(H(-0.0), H(0.0))) == 0 && bits(__hmin(H(0.0), H(-0.0))) == 0x8000);
  CHECK(bits(__hmax(H(NAN), H(2))) == bits(H(2)) && bits(H(INFINITY) - H(INFINITY)) == 0x7fff);
}
CASE(half_precision, "pa", 0, "") { all_of<__half>(5, 10); }
CASE(bfloat16_precision, "pa", 0, "") {
  all_of<__nv_bfloat16>(8, 7);
  CHECK(bits(__nv_bfloat16((1ll << 62) + (1ll << 54) + 1)) == 0x5e81);  /* rounded once */
}
