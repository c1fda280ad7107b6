/*
 * The compute kernels of the trainable transformer on the CPU, for 128-bit WebAssembly SIMD.
 * Built by build.sh into kernels.wasm.ts, once with fused multiply-add (relaxed SIMD) and once
 * without. All arrays are float32, row-major; all sizes are in elements. There is no allocation and
 * no global state: the caller passes every buffer, so that a call is a pure function of memory.
 */
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name))) name
#define INLINE static inline __attribute__((always_inline))
#define MR 6 /* rows of the register tile */
#define NR 8 /* columns of the register tile: two vectors; 12 accumulators + 2 + 1 fit 16 registers */

#ifdef RELAXED
#define MADD(a, b, c) __builtin_wasm_relaxed_madd_f32x4(a, b, c)
#else
#define MADD(a, b, c) wasm_f32x4_add(wasm_f32x4_mul(a, b), c)
#endif

typedef v128_t V;
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

/*
 * Register tile: C[rows, 8] (+)= sum over k of A(row, k) · B(k, 0..7), where A(row, k) stands at
 * a[row * am + k * ak] and B's row k at b[k * bk].
 */
INLINE void tile(int rows, const float *a, int am, int ak, const float *b, int bk, float *c, int ldc,
                 int K, int accumulate) {
  V c0[MR], c1[MR];
#pragma unroll
  for (int i = 0; i < rows; i++) {
    c0[i] = accumulate ? load(c + i * ldc) : splat(0.f);
    c1[i] = accumulate ? load(c + i * ldc + 4) : splat(0.f);
  }
  int k = 0;
  /* Steps of four where A's row is contiguous: one pointer increment serves four loads. */
  if (ak == 1)
    for (; k + 4 <= K; k += 4) {
#pragma unroll
      for (int u = 0; u < 4; u++) {
        V b0 = load(b + u * bk), b1 = load(b + u * bk + 4);
#pragma unroll
        for (int i = 0; i < rows; i++) {
          V x = wasm_v128_load32_splat(a + i * am + u);
          c0[i] = MADD(x, b0, c0[i]);
          c1[i] = MADD(x, b1, c1[i]);
        }
      }
      a += 4;
      b += 4 * bk;
    }
  for (; k < K; k++) {
    V b0 = load(b), b1 = load(b + 4);
#pragma unroll
    for (int i = 0; i < rows; i++) {
      V x = wasm_v128_load32_splat(a + i * am);
      c0[i] = MADD(x, b0, c0[i]);
      c1[i] = MADD(x, b1, c1[i]);
    }
    a += ak;
    b += bk;
  }
#pragma unroll
  for (int i = 0; i < rows; i++) {
    store(c + i * ldc, c0[i]);
    store(c + i * ldc + 4, c1[i]);
  }
}

INLINE void tile_rows(int rows, const float *a, int am, int ak, const float *b, int bk, float *c,
                      int ldc, int K, int accumulate) {
  switch (rows) {
  case 6: tile(6, a, am, ak, b, bk, c, ldc, K, accumulate); break;
  case 5: tile(5, a, am, ak, b, bk, c, ldc, K, accumulate); break;
  case 4: tile(4, a, am, ak, b, bk, c, ldc, K, accumulate); break;
  case 3: tile(3, a, am, ak, b, bk, c, ldc, K, accumulate); break;
  case 2: tile(2, a, am, ak, b, bk, c, ldc, K, accumulate); break;
  default: tile(1, a, am, ak, b, bk, c, ldc, K, accumulate); break;
  }
}

/* Panels of B[K, N] (row stride ldb): out[N/8][K][8]. N is a multiple of 8. */
void EXPORT(pack)(const float *B, int ldb, int K, int N, float *out) {
  for (int n = 0; n < N; n += NR)
    for (int k = 0; k < K; k++, out += NR) {
      store(out, load(B + k * ldb + n));
      store(out + 4, load(B + k * ldb + n + 4));
    }
}

/* Panels of the transpose of W[N, K] (row stride ldw), rows beyond N taken as zero. */
void EXPORT(pack_transposed)(const float *W, int ldw, int K, int N, float *out) {
  for (int n = 0; n < N; n += NR) {
    for (int j = 0; j < NR; j++) {
      float *to = out + j;
      if (n + j < N) {
        const float *from = W + (n + j) * ldw;
        for (int k = 0; k < K; k++) to[k * NR] = from[k];
      } else {
        for (int k = 0; k < K; k++) to[k * NR] = 0.f;
      }
    }
    out += K * NR;
  }
}

#define GEMM_ROWS 48

/* C[M, N] (+)= A[M, K] · B with B in panels `panel` elements apart. N is a multiple of 8. */
void EXPORT(gemm)(const float *A, int lda, const float *B, int panel, float *C, int ldc, int M, int N,
                  int K, int accumulate) {
  for (int m0 = 0; m0 < M; m0 += GEMM_ROWS) {
    int m1 = min_int(M, m0 + GEMM_ROWS);
    const float *b = B;
    for (int n = 0; n < N; n += NR, b += panel) {
      int m = m0;
      if (accumulate) {
        for (; m + MR <= m1; m += MR)
          tile(MR, A + m * lda, lda, 1, b, NR, C + m * ldc + n, ldc, K, 1);
        if (m < m1) tile_rows(m1 - m, A + m * lda, lda, 1, b, NR, C + m * ldc + n, ldc, K, 1);
      } else {
        for (; m + MR <= m1; m += MR)
          tile(MR, A + m * lda, lda, 1, b, NR, C + m * ldc + n, ldc, K, 0);
        if (m < m1) tile_rows(m1 - m, A + m * lda, lda, 1, b, NR, C + m * ldc + n, ldc, K, 0);
      }
    }
  }
}

#define TN_DEPTH 128

/*
 * C[M, N] += Aᵀ · B for A[K, M], B[K, N]: the gradient of a weight matrix, K tokens. N and M are
 * multiples of 8 and 2. scratch: (M + 6 + N) · 128 elements.
 */
void EXPORT(gemm_transposed)(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int M,
                             int N, int K, float *scratch) {
  float *pb = scratch, *pa = scratch + N * TN_DEPTH;
  for (int k0 = 0; k0 < K; k0 += TN_DEPTH) {
    int depth = min_int(TN_DEPTH, K - k0);
    pack(B + k0 * ldb, ldb, depth, N, pb);
    for (int m = 0; m < M; m += MR) {
      int rows = min_int(MR, M - m);
      float *to = pa + m * depth;
      const float *from = A + k0 * lda + m;
      if (rows == MR)
        for (int k = 0; k < depth; k++, to += MR, from += lda) {
          store(to, load(from));
          wasm_v128_store64_lane(to + 4, wasm_v128_load64_zero(from + 4), 0);
        }
      else
        for (int k = 0; k < depth; k++, to += MR, from += lda)
          for (int i = 0; i < rows; i++) to[i] = from[i];
    }
    for (int m0 = 0; m0 < M; m0 += GEMM_ROWS) {
      int m1 = min_int(M, m0 + GEMM_ROWS);
      for (int n = 0; n < N; n += NR)
        for (int m = m0; m < m1; m += MR) {
          int rows = min_int(MR, M - m);
          const float *a = pa + m * depth, *b = pb + n * depth;
          if (rows == MR) tile(MR, a, 1, MR, b, NR, C + m * ldc + n, ldc, depth, 1);
          else tile_rows(rows, a, 1, MR, b, NR, C + m * ldc + n, ldc, depth, 1);
        }
    }
  }
}

/* C[M, N] += A[:K, :M]ᵀ · B[:K, :N] without packing, for few rows K. */
INLINE void small_transposed(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int M,
                             int N, int K) {
  for (int m = 0; m < M; m += MR) {
    int rows = min_int(MR, M - m);
    for (int n = 0; n < N; n += NR) {
      if (rows == MR) tile(MR, A + m, 1, lda, B + n, ldb, C + m * ldc + n, ldc, K, 1);
      else tile_rows(rows, A + m, 1, lda, B + n, ldb, C + m * ldc + n, ldc, K, 1);
    }
  }
}

INLINE float sum_squares(const float *x, int n) {
  V s = splat(0.f);
  for (int i = 0; i < n; i += 4) s = MADD(load(x + i), load(x + i), s);
  return hsum(s);
}

INLINE float inverse_rms(const float *x, int n, float eps) {
  return 1.f / __builtin_sqrtf(sum_squares(x, n) / (float)n + eps);
}

/* y = x / rms(x) · w, row by row; inverse[row] = 1 / rms. */
void EXPORT(rms_norm)(const float *x, const float *w, float *y, float *inverse, int rows, int n,
                      float eps) {
  for (int r = 0; r < rows; r++, x += n, y += n) {
    float s = inverse_rms(x, n, eps);
    inverse[r] = s;
    V vs = splat(s);
    for (int i = 0; i < n; i += 4) store(y + i, mul(mul(load(x + i), vs), load(w + i)));
  }
}

/* dx += gradient through rms_norm; dw += its gradient of w. */
void EXPORT(rms_norm_backward)(const float *x, const float *w, const float *inverse, const float *dy,
                               float *dx, float *dw, int rows, int n) {
  for (int r = 0; r < rows; r++, x += n, dy += n, dx += n) {
    V s = splat(inverse[r]), dot = splat(0.f);
    for (int i = 0; i < n; i += 4) {
      V xh = mul(load(x + i), s), g = load(dy + i);
      store(dw + i, MADD(g, xh, load(dw + i)));
      dot = MADD(mul(g, load(w + i)), xh, dot);
    }
    V mean = splat(hsum(dot) / (float)n);
    for (int i = 0; i < n; i += 4) {
      V xh = mul(load(x + i), s), gw = mul(load(dy + i), load(w + i));
      store(dx + i, MADD(s, sub(gw, mul(xh, mean)), load(dx + i)));
    }
  }
}

/*
 * From qkv[N, (H + 2G) D]: normed and rotated queries q[H][N][D] and keys k[G][N][D], values
 * v[G][N][D]; inverse[N][H + G] keeps 1 / rms. Rotary pairs are (i, i + D/2); cos and sin are
 * [positions][D/2].
 */
void EXPORT(heads_forward)(const float *qkv, const float *qw, const float *kw, const float *cos,
                           const float *sin, const int *positions, float *q, float *k, float *v,
                           float *inverse, int N, int H, int G, int D, float eps) {
  int half = D / 2;
  for (int t = 0; t < N; t++) {
    const float *c = cos + positions[t] * half, *s = sin + positions[t] * half;
    for (int h = 0; h < H + G; h++, qkv += D) {
      const float *w = h < H ? qw : kw;
      float *to = (h < H ? q + h * N * D : k + (h - H) * N * D) + t * D;
      float inv = inverse_rms(qkv, D, eps);
      *inverse++ = inv;
      V vi = splat(inv);
      for (int i = 0; i < half; i += 4) {
        V a = mul(mul(load(qkv + i), vi), load(w + i));
        V b = mul(mul(load(qkv + half + i), vi), load(w + half + i));
        V ci = load(c + i), si = load(s + i);
        store(to + i, sub(mul(a, ci), mul(b, si)));
        store(to + half + i, add(mul(b, ci), mul(a, si)));
      }
    }
    for (int g = 0; g < G; g++, qkv += D)
      for (int i = 0; i < D; i += 4) store(v + (g * N + t) * D + i, load(qkv + i));
  }
}

/* Gradient through heads_forward: writes dqkv[N, (H + 2G) D], adds to dqw and dkw. row: D scratch. */
void EXPORT(heads_backward)(const float *qkv, const float *qw, const float *kw, const float *cos,
                            const float *sin, const int *positions, const float *inverse,
                            const float *dq, const float *dk, const float *dv, float *dqkv, float *dqw,
                            float *dkw, float *row, int N, int H, int G, int D) {
  int half = D / 2;
  for (int t = 0; t < N; t++) {
    const float *c = cos + positions[t] * half, *s = sin + positions[t] * half;
    for (int h = 0; h < H + G; h++, qkv += D, dqkv += D) {
      const float *w = h < H ? qw : kw;
      float *dw = h < H ? dqw : dkw;
      const float *g = (h < H ? dq + h * N * D : dk + (h - H) * N * D) + t * D;
      V vi = splat(*inverse++), dot = splat(0.f);
      for (int i = 0; i < half; i += 4) {
        V ga = load(g + i), gb = load(g + half + i), ci = load(c + i), si = load(s + i);
        store(row + i, add(mul(ga, ci), mul(gb, si)));
        store(row + half + i, sub(mul(gb, ci), mul(ga, si)));
      }
      for (int i = 0; i < D; i += 4) {
        V xh = mul(load(qkv + i), vi), gi = load(row + i);
        store(dw + i, MADD(gi, xh, load(dw + i)));
        dot = MADD(mul(gi, load(w + i)), xh, dot);
      }
      V mean = splat(hsum(dot) / (float)D);
      for (int i = 0; i < D; i += 4) {
        V xh = mul(load(qkv + i), vi), gw = mul(load(row + i), load(w + i));
        store(dqkv + i, mul(vi, sub(gw, mul(xh, mean))));
      }
    }
    for (int g = 0; g < G; g++, qkv += D, dqkv += D)
      for (int i = 0; i < D; i += 4) store(dqkv + i, load(dv + (g * N + t) * D + i));
  }
}

#define ATTENTION_ROWS 36

/* Keys 0..row of a score row become probabilities, the rest up to `limit` zero. Returns log-sum-exp. */
INLINE float softmax_row(float *s, int valid, int limit, float scale) {
  for (int j = valid; j < limit; j++) s[j] = -1e30f;
  V m = splat(-1e30f);
  for (int j = 0; j < limit; j += 4) m = wasm_f32x4_pmax(m, load(s + j));
  float top = hmax(m);
  V vt = splat(top * scale), vs = splat(scale), total = splat(0.f);
  for (int j = 0; j < limit; j += 4) {
    V e = exp4(sub(mul(load(s + j), vs), vt));
    store(s + j, e);
    total = add(total, e);
  }
  for (int j = valid; j < limit; j++) s[j] = 0.f;
  float sum = hsum(total);
  V inv = splat(1.f / sum);
  for (int j = 0; j < limit; j += 4) store(s + j, mul(load(s + j), inv));
  return top * scale + log1(sum);
}

/*
 * Causal attention of one head over one sequence of T tokens: q, k, v [T, D] contiguous,
 * out[T, D] with row stride ldo, lse[T]. scratch: (36 + 2 D) · ceil8(T) elements.
 */
void EXPORT(attention_forward)(const float *q, const float *k, const float *v, float *out, int ldo,
                               float *lse, int T, int D, float scale, float *scratch) {
  int Tp = (T + 7) & ~7;
  float *kt = scratch, *vp = kt + D * Tp, *s = vp + D * Tp;
  pack_transposed(k, D, D, T, kt);
  pack(v, D, T, D, vp);
  for (int r = 0; r < T; r += ATTENTION_ROWS) {
    int rows = min_int(ATTENTION_ROWS, T - r), keys = r + rows, limit = (keys + 7) & ~7;
    gemm(q + r * D, D, kt, D * NR, s, Tp, rows, limit, D, 0);
    for (int i = 0; i < rows; i++) lse[r + i] = softmax_row(s + i * Tp, r + i + 1, limit, scale);
    gemm(s, Tp, vp, T * NR, out + r * ldo, ldo, rows, D, keys, 0);
  }
}

/*
 * Gradient of attention_forward: writes dq[T, D], adds to dk and dv (shared by the query heads of a
 * group). out and dout have row stride ldo. scratch: (72 + 3 D) · ceil8(T) elements.
 */
void EXPORT(attention_backward)(const float *q, const float *k, const float *v, const float *out,
                                const float *dout, int ldo, const float *lse, float *dq, float *dk,
                                float *dv, int T, int D, float scale, float *scratch) {
  int Tp = (T + 7) & ~7;
  float *kt = scratch, *vt = kt + D * Tp, *kp = vt + D * Tp;
  float *p = kp + D * Tp, *ds = p + ATTENTION_ROWS * Tp;
  pack_transposed(k, D, D, T, kt);
  pack_transposed(v, D, D, T, vt);
  pack(k, D, T, D, kp);
  for (int r = 0; r < T; r += ATTENTION_ROWS) {
    int rows = min_int(ATTENTION_ROWS, T - r), keys = r + rows, limit = (keys + 7) & ~7;
    gemm(q + r * D, D, kt, D * NR, p, Tp, rows, limit, D, 0);
    gemm(dout + r * ldo, ldo, vt, D * NR, ds, Tp, rows, limit, D, 0);
    for (int i = 0; i < rows; i++) {
      float *pi = p + i * Tp, *di = ds + i * Tp;
      V dot = splat(0.f);
      for (int j = 0; j < D; j += 4)
        dot = MADD(load(out + (r + i) * ldo + j), load(dout + (r + i) * ldo + j), dot);
      V delta = splat(hsum(dot)), vs = splat(scale), shift = splat(lse[r + i]);
      for (int j = r + i + 1; j < limit; j++) pi[j] = -1e30f;
      for (int j = 0; j < limit; j += 4) store(pi + j, exp4(sub(mul(load(pi + j), vs), shift)));
      for (int j = r + i + 1; j < limit; j++) pi[j] = 0.f;
      for (int j = 0; j < limit; j += 4)
        store(di + j, mul(mul(load(pi + j), sub(load(di + j), delta)), vs));
    }
    gemm(ds, Tp, kp, T * NR, dq + r * D, D, rows, D, keys, 0);
    small_transposed(ds, Tp, q + r * D, D, dk, D, keys, D, rows);
    small_transposed(p, Tp, dout + r * ldo, ldo, dv, D, keys, D, rows);
  }
}

/* h[rows, n] = silu(gate) · up for gu[rows, 2n] = gate | up. */
void EXPORT(swiglu)(const float *gu, float *h, int rows, int n) {
  V one = splat(1.f);
  for (int r = 0; r < rows; r++, gu += 2 * n, h += n)
    for (int i = 0; i < n; i += 4) {
      V g = load(gu + i);
      V s = wasm_f32x4_div(one, add(one, exp4(wasm_f32x4_neg(g))));
      store(h + i, mul(mul(g, s), load(gu + n + i)));
    }
}

/* Overwrites gu = gate | up with its gradient, given dh[rows, n]. */
void EXPORT(swiglu_backward)(float *gu, const float *dh, int rows, int n) {
  V one = splat(1.f);
  for (int r = 0; r < rows; r++, gu += 2 * n, dh += n)
    for (int i = 0; i < n; i += 4) {
      V g = load(gu + i), u = load(gu + n + i), d = load(dh + i);
      V s = wasm_f32x4_div(one, add(one, exp4(wasm_f32x4_neg(g))));
      V silu = mul(g, s);
      /* silu' = s (1 + g (1 - s)) */
      V slope = mul(s, MADD(g, sub(one, s), one));
      store(gu + i, mul(mul(d, u), slope));
      store(gu + n + i, mul(d, silu));
    }
}

/*
 * Cross-entropy of rows of logits[rows, vocab], overwritten with weight · (softmax - onehot).
 * nll[row] is the negative log-probability of target[row], best[row] the most probable id.
 */
void EXPORT(cross_entropy)(float *logits, const int *target, const float *weight, float *nll, int *best,
                           int rows, int vocab) {
  for (int r = 0; r < rows; r++, logits += vocab) {
    V m = splat(-3e38f);
    for (int i = 0; i < vocab; i += 4) m = wasm_f32x4_pmax(m, load(logits + i));
    float top = hmax(m), wanted = logits[target[r]];
    int at = 0;
    while (at < vocab - 1 && logits[at] != top) at++;
    best[r] = at;
    V vt = splat(top), total = splat(0.f);
    for (int i = 0; i < vocab; i += 4) {
      V e = exp4(sub(load(logits + i), vt));
      store(logits + i, e);
      total = add(total, e);
    }
    float sum = hsum(total);
    nll[r] = log1(sum) + top - wanted;
    V f = splat(weight[r] / sum);
    for (int i = 0; i < vocab; i += 4) store(logits + i, mul(load(logits + i), f));
    logits[target[r]] -= weight[r];
  }
}

/*
 * Negative log-probability of target[row] and entropy (nats) of the softmax of each row of
 * logits[rows, vocab], which stay as they are: H = lse - sum p · logit.
 */
void EXPORT(softmax_scores)(const float *logits, const int *target, float *nll, float *entropy, int rows,
                            int vocab) {
  for (int r = 0; r < rows; r++, logits += vocab) {
    V m = splat(-3e38f);
    for (int i = 0; i < vocab; i += 4) m = wasm_f32x4_pmax(m, load(logits + i));
    float top = hmax(m);
    V vt = splat(top), total = splat(0.f), weighted = splat(0.f);
    for (int i = 0; i < vocab; i += 4) {
      V shifted = sub(load(logits + i), vt);
      V e = exp4(shifted);
      total = add(total, e);
      weighted = MADD(e, shifted, weighted);
    }
    float sum = hsum(total), log_sum = log1(sum);
    nll[r] = log_sum + top - logits[target[r]];
    entropy[r] = log_sum - hsum(weighted) / sum;
  }
}

/* y[i] += x[i] */
void EXPORT(add_to)(float *y, const float *x, int n) {
  for (int i = 0; i < n; i += 4) store(y + i, add(load(y + i), load(x + i)));
}

/* out[r] = table[index[r]] for rows of n. */
void EXPORT(gather)(const float *table, const int *index, float *out, int rows, int n) {
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < n; i += 4) store(out + r * n + i, load(table + index[r] * n + i));
}

/* table[index[r]] += x[r] for rows of n, in the order of r. */
void EXPORT(scatter_add)(float *table, const int *index, const float *x, int rows, int n) {
  for (int r = 0; r < rows; r++) {
    float *to = table + index[r] * n;
    for (int i = 0; i < n; i += 4) store(to + i, add(load(to + i), load(x + r * n + i)));
  }
}
