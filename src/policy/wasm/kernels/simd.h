/*
 * What all kernels share: 128-bit vectors, a fused multiply-add where the build has it, exponential and
 * logarithm, and the products (product.c). All sizes are in elements.
 * There is no allocation and no global state: the caller passes every buffer.
 */
#pragma once
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name))) name
#define INLINE static inline __attribute__((always_inline))
#define MR 6 /* rows of the register tile */
#define NR 8 /* columns of a panel: two vectors; 12 accumulators + 2 + 1 fit 16 registers */

#ifdef RELAXED
#define MADD(a, b, c) __builtin_wasm_relaxed_madd_f32x4(a, b, c)
#else
#define MADD(a, b, c) wasm_f32x4_add(wasm_f32x4_mul(a, b), c)
#endif

typedef v128_t V;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;

INLINE V load(const float *p) { return wasm_v128_load(p); }
INLINE void store(float *p, V v) { wasm_v128_store(p, v); }
INLINE V splat(float x) { return wasm_f32x4_splat(x); }
INLINE V add(V a, V b) { return wasm_f32x4_add(a, b); }
INLINE V sub(V a, V b) { return wasm_f32x4_sub(a, b); }
INLINE V mul(V a, V b) { return wasm_f32x4_mul(a, b); }
INLINE float hsum(V v) {
  return (wasm_f32x4_extract_lane(v, 0) + wasm_f32x4_extract_lane(v, 1)) +
         (wasm_f32x4_extract_lane(v, 2) + wasm_f32x4_extract_lane(v, 3));
}
INLINE float hmax(V v) {
  float a = wasm_f32x4_extract_lane(v, 0), b = wasm_f32x4_extract_lane(v, 1);
  float c = wasm_f32x4_extract_lane(v, 2), d = wasm_f32x4_extract_lane(v, 3);
  a = a > b ? a : b;
  c = c > d ? c : d;
  return a > c ? a : c;
}
INLINE int min_int(int a, int b) { return a < b ? a : b; }
INLINE int pad8(int n) { return (n + 7) & ~7; }

/* The first n < 4 of four values; the others are taken as zero, and not written. */
INLINE V load_some(const float *p, int n) {
  float t[4] = {p[0], n > 1 ? p[1] : 0.f, n > 2 ? p[2] : 0.f, 0.f};
  return load(t);
}
INLINE void store_some(float *p, V v, int n) {
  p[0] = wasm_f32x4_extract_lane(v, 0);
  if (n > 1) p[1] = wasm_f32x4_extract_lane(v, 1);
  if (n > 2) p[2] = wasm_f32x4_extract_lane(v, 2);
}

/* e^x by 2^n · p(r), |r| <= ln2/2, relative error below 2e-7; x below -87 gives about 0. */
INLINE V exp4(V x) {
  x = wasm_f32x4_pmin(wasm_f32x4_pmax(x, splat(-87.f)), splat(88.f));
  V n = wasm_f32x4_nearest(mul(x, splat(1.44269504088896f)));
  V r = MADD(n, splat(-0.693359375f), x);
  r = MADD(n, splat(2.12194440e-4f), r);
  V p = splat(1.9875691500e-4f);
  p = MADD(p, r, splat(1.3981999507e-3f));
  p = MADD(p, r, splat(8.3334519073e-3f));
  p = MADD(p, r, splat(4.1665795894e-2f));
  p = MADD(p, r, splat(1.6666665459e-1f));
  p = MADD(p, r, splat(5.0000001201e-1f));
  p = add(MADD(mul(p, r), r, r), splat(1.f));
  V scale = wasm_i32x4_shl(wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(n), wasm_i32x4_splat(127)), 23);
  return mul(p, scale);
}

/* log x for x > 0 (Cephes logf), for one value. */
INLINE float log1(float x) {
  union { float f; int i; } u = {x};
  int e = ((u.i >> 23) & 255) - 126;
  u.i = (u.i & 0x007fffff) | 0x3f000000;
  float m = u.f;
  if (m < 0.707106781186547524f) { e -= 1; m = m + m; }
  m -= 1.f;
  float z = m * m;
  float y = ((((((((7.0376836292e-2f * m - 1.1514610310e-1f) * m + 1.1676998740e-1f) * m -
      1.2420140846e-1f) * m + 1.4249322787e-1f) * m - 1.6668057665e-1f) * m +
      2.0000714765e-1f) * m - 2.4999993993e-1f) * m + 3.3333331174e-1f) * m * z;
  y += -2.12194440e-4f * (float)e - 0.5f * z;
  return m + y + 0.693359375f * (float)e;
}

/* Binary16 in 32-bit lanes → float32, exact for every finite number: 2^112 mends the exponent. */
INLINE V from_halves(V h) {
  V magnitude = wasm_i32x4_shl(wasm_v128_and(h, wasm_i32x4_const_splat(0x7fff)), 13);
  V sign = wasm_i32x4_shl(wasm_v128_and(h, wasm_i32x4_const_splat(0x8000)), 16);
  return wasm_v128_or(mul(magnitude, splat(5.192296858534828e33f)), sign);
}
INLINE V load_halves(const u16 *p) { return from_halves(wasm_u32x4_load16x4(p)); }

/* Float32 → binary16, to nearest, ties to even. */
INLINE u16 to_half(float x) {
  union { float f; u32 i; } u = {x};
  u32 sign = (u.i >> 16) & 0x8000, m = u.i & 0x7fffffff;
  if (m > 0x7f800000) return sign | 0x7e00;
  if (m >= 0x477ff000) return sign | 0x7c00;
  if (m < 0x38800000) {
    /* Below 2^-14 the spacing is 2^-24: adding 0.5 puts it at the last bit. */
    union { float f; u32 i; } s = {__builtin_fabsf(x) + 0.5f};
    return sign | (u16)(s.i - 0x3f000000);
  }
  m -= 0x38000000;
  return sign | (u16)((m + 0x0fff + ((m >> 13) & 1)) >> 13);
}

/* How a tile begins: from zero, from what C holds, or from a row of biases. */
enum { ZERO = 0, ADD = 1, BIAS = 2 };

/*
 * C[M, N] = begin + A · B over panels of 8 columns `ps` apart, where row k of a panel stands at k · bk. N is
 * a multiple of 8; `bias` is read where `begin` says so.
 */
void product(const float *A, int lda, const float *B, int bk, int ps, float *C, int ldc, int M, int N, int K,
             int begin, const float *bias);

/* C[M, N] += Aᵀ · B for rows k of A at k · lda and of B at k · ldb. N is a multiple of 8. */
void product_transposed(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int M, int N,
                        int K);
