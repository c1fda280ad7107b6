/* What is done row by row: norms, SwiGLU, copies. Rows are filled up with zeros to a multiple of 8. */
#include "simd.h"

INLINE float inverse_rms(const float *x, int n, float eps) {
  V s = splat(0.f);
  for (int i = 0; i < n; i += 4) s = MADD(load(x + i), load(x + i), s);
  return 1.f / __builtin_sqrtf(hsum(s) / (float)n + eps);
}

/* 1 / √(mean x² + eps) over n values, x filled up to a multiple of 4. */
INLINE float inverse_rms_padded(const float *x, int n, int padded, float eps) {
  V s = splat(0.f);
  for (int i = 0; i < padded; i += 4) s = MADD(load(x + i), load(x + i), s);
  return 1.f / __builtin_sqrtf(hsum(s) / (float)n + eps);
}

/*
 * y[r] = x[index[r]] / rms · w · factor[r]; index and factor may be null: every row, and 1.
 */
void EXPORT(norm_rows)(const float *x, int ldx, const int *index, const float *w, const float *factor,
                       float *y, int ldy, int rows, int n, float eps) {
  int padded = pad8(n);
  for (int r = 0; r < rows; r++, y += ldy) {
    const float *from = x + (index ? index[r] : r) * ldx;
    float s = inverse_rms_padded(from, n, padded, eps);
    V vs = splat(factor ? s * factor[r] : s);
    for (int i = 0; i < padded; i += 4) store(y + i, mul(mul(load(from + i), vs), load(w + i)));
  }
}

/* dx[index[r]] += gradient through norm_rows of dy[r]; where dw is not null, dw += that of w. */
void EXPORT(norm_rows_backward)(const float *x, int ldx, const int *index, const float *w,
                                const float *factor, const float *dy, int ldy, float *dx, int lddx, int rows,
                                int n, float eps, float *dw) {
  int padded = pad8(n);
  for (int r = 0; r < rows; r++, dy += ldy) {
    int at = index ? index[r] : r;
    const float *from = x + at * ldx;
    float *to = dx + at * lddx;
    float inverse = inverse_rms_padded(from, n, padded, eps);
    V s = splat(inverse), dot = splat(0.f), f = splat(factor ? factor[r] : 1.f);
    for (int i = 0; i < padded; i += 4)
      dot = MADD(mul(mul(load(dy + i), f), load(w + i)), mul(load(from + i), s), dot);
    V mean = splat(hsum(dot) / (float)n);
    for (int i = 0; i < padded; i += 4) {
      V xh = mul(load(from + i), s), gw = mul(mul(load(dy + i), f), load(w + i));
      store(to + i, MADD(s, sub(gw, mul(xh, mean)), load(to + i)));
    }
    if (dw)
      for (int i = 0; i < padded; i += 4)
        store(dw + i, MADD(mul(load(dy + i), f), mul(load(from + i), s), load(dw + i)));
  }
}

INLINE V sigmoid(V g) { return wasm_f32x4_div(splat(1.f), add(splat(1.f), exp4(wasm_f32x4_neg(g)))); }

/*
 * Gates are g · sigmoid(z): SiLU with z = g, and GELU in its tanh form with z = 2 √(2/π) (g + 0.044715 g³), since
 * (1 + tanh(z/2)) / 2 = sigmoid(z).
 */
INLINE V gelu_inner(V g) {
  return mul(mul(splat(1.5957691216f), g), MADD(mul(splat(0.044715f), g), g, splat(1.f)));
}

/* h[rows, n] = gate(g) · up for gu[rows, 2n] = g | up. */
INLINE void gated(int gelu, const float *gu, int ldg, float *h, int ldh, int rows, int n) {
  int whole = n & ~3, rest = n & 3;
  for (int r = 0; r < rows; r++, gu += ldg, h += ldh) {
    for (int i = 0; i < whole; i += 4) {
      V g = load(gu + i);
      store(h + i, mul(mul(g, sigmoid(gelu ? gelu_inner(g) : g)), load(gu + n + i)));
    }
    if (rest) {
      V g = load_some(gu + whole, rest);
      store_some(h + whole, mul(mul(g, sigmoid(gelu ? gelu_inner(g) : g)), load_some(gu + n + whole, rest)), rest);
    }
  }
}

void EXPORT(swiglu)(const float *gu, int ldg, float *h, int ldh, int rows, int n) {
  gated(0, gu, ldg, h, ldh, rows, n);
}

void EXPORT(geglu)(const float *gu, int ldg, float *h, int ldh, int rows, int n) {
  gated(1, gu, ldg, h, ldh, rows, n);
}

/* silu' = s (1 + g (1 - s)) */
INLINE V silu_slope(V g, V s) { return mul(s, MADD(g, sub(splat(1.f), s), splat(1.f))); }

/* s (1 + g (1 - s) z') */
INLINE V gelu_slope(V g, V s) {
  V inner = mul(splat(1.5957691216f), MADD(mul(splat(0.134145f), g), g, splat(1.f)));
  return mul(s, MADD(mul(g, inner), sub(splat(1.f), s), splat(1.f)));
}

/* Overwrites gu = g | up with its gradient, given dh[rows, n]. */
INLINE void gated_backward(int gelu, float *gu, int ldg, const float *dh, int ldh, int rows, int n) {
  int whole = n & ~3, rest = n & 3;
  for (int r = 0; r < rows; r++, gu += ldg, dh += ldh) {
    for (int i = 0; i < whole; i += 4) {
      V g = load(gu + i), u = load(gu + n + i), d = load(dh + i), s = sigmoid(gelu ? gelu_inner(g) : g);
      store(gu + i, mul(mul(d, u), gelu ? gelu_slope(g, s) : silu_slope(g, s)));
      store(gu + n + i, mul(d, mul(g, s)));
    }
    if (rest) {
      V g = load_some(gu + whole, rest), u = load_some(gu + n + whole, rest);
      V d = load_some(dh + whole, rest), s = sigmoid(gelu ? gelu_inner(g) : g);
      store_some(gu + whole, mul(mul(d, u), gelu ? gelu_slope(g, s) : silu_slope(g, s)), rest);
      store_some(gu + n + whole, mul(d, mul(g, s)), rest);
    }
  }
}

void EXPORT(swiglu_backward)(float *gu, int ldg, const float *dh, int ldh, int rows, int n) {
  gated_backward(0, gu, ldg, dh, ldh, rows, n);
}

void EXPORT(geglu_backward)(float *gu, int ldg, const float *dh, int ldh, int rows, int n) {
  gated_backward(1, gu, ldg, dh, ldh, rows, n);
}

/* y[r, 0..n) += x[r, 0..n) for any n. */
void EXPORT(add_rows)(float *y, int ldy, const float *x, int ldx, int rows, int n) {
  for (int r = 0; r < rows; r++, y += ldy, x += ldx)
    for (int i = 0; i < n; i++) y[i] += x[i];
}

/* to[ids[r], 0..n) += x[r, 0..n), in the order of r. */
void EXPORT(scatter_rows)(float *to, int ldt, const int *ids, const float *x, int ldx, int rows, int n) {
  for (int r = 0; r < rows; r++, x += ldx)
    for (int i = 0; i < n; i++) to[ids[r] * ldt + i] += x[i];
}

INLINE void turn(const float *from, float *to, const float *c, const float *s, int half, float way) {
  for (int i = 0; i < half; i++) {
    float a = from[i], b = from[half + i], sine = way * s[i];
    to[i] = a * c[i] - b * sine;
    to[half + i] = b * c[i] + a * sine;
  }
}

/*
 * From raw[rows, (H + 2G) D]: queries q[rows, H D], normed (where qw is not null), turned (where cos is not
 * null) and divided by √D; keys and values at the rows' places of a store of P, see attention.c. Rotary pairs
 * are (i, i + D/2); tables are [positions][D/2]. row: 2 D elements of scratch. half: whether the store is
 * binary16.
 */
void EXPORT(heads_forward)(const float *raw, int ldr, const float *qw, const float *kw, float eps,
                           const float *cos, const float *sin, const int *positions, const int *places,
                           float *q, int ldq, void *keys, void *values, int half, int P, int N, int H, int G, int D,
                           float *row) {
  int Dp = pad8(D);
  float scale = 1.f / __builtin_sqrtf((float)D);
  for (int t = 0; t < N; t++, raw += ldr, q += ldq) {
    int place = places[t];
    for (int h = 0; h < H + 2 * G; h++) {
      const float *head = raw + h * D;
      if (h < H + G) {
        const float *w = h < H ? qw : kw;
        if (w) {
          float inv = 0.f;
          if (D % 4 == 0) inv = inverse_rms(head, D, eps);
          else {
            float s = 0.f;
            for (int i = 0; i < D; i++) s += head[i] * head[i];
            inv = 1.f / __builtin_sqrtf(s / (float)D + eps);
          }
          for (int i = 0; i < D; i++) row[i] = head[i] * inv * w[i];
          head = row;
        }
        if (cos) {
          int at = positions[t] * (D / 2);
          turn(head, row + D, cos + at, sin + at, D / 2, 1.f);
          head = row + D;
        }
      }
      if (h < H) for (int i = 0; i < D; i++) q[h * D + i] = head[i] * scale;
      else if (h < H + G) {
        int at = ((h - H) * P + (place & ~7)) * D + (place & 7);
        if (half) for (int i = 0; i < D; i++) ((u16 *)keys)[at + 8 * i] = to_half(head[i]);
        else for (int i = 0; i < D; i++) ((float *)keys)[at + 8 * i] = head[i];
      } else {
        int at = ((h - H - G) * P + place) * Dp;
        if (half) for (int i = 0; i < D; i++) ((u16 *)values)[at + i] = to_half(head[i]);
        else for (int i = 0; i < D; i++) ((float *)values)[at + i] = head[i];
      }
    }
  }
}

/*
 * Gradient of raw where those of q, keys and values are given: writes draw[rows, (H + 2G) D]. Where dqw is
 * not null, dqw and dkw get those of the norms' weights added.
 */
void EXPORT(heads_backward)(const float *raw, int ldr, const float *qw, const float *kw, float eps,
                            const float *cos, const float *sin, const int *positions, const float *dq,
                            int ldq, const float *dk, const float *dv, int ldk, float *draw, int ldd, int N,
                            int H, int G, int D, float *row, float *dqw, float *dkw) {
  float scale = 1.f / __builtin_sqrtf((float)D);
  for (int t = 0; t < N; t++, raw += ldr, dq += ldq, dk += ldk, dv += ldk, draw += ldd)
    for (int h = 0; h < H + 2 * G; h++) {
      float *to = draw + h * D;
      if (h >= H + G) {
        for (int i = 0; i < D; i++) to[i] = dv[(h - H - G) * D + i];
        continue;
      }
      const float *head = raw + h * D, *w = h < H ? qw : kw;
      float *g = row;
      for (int i = 0; i < D; i++) g[i] = h < H ? dq[h * D + i] * scale : dk[(h - H) * D + i];
      if (cos) {
        int at = positions[t] * (D / 2);
        turn(g, row + D, cos + at, sin + at, D / 2, -1.f);
        g = row + D;
      }
      if (!w) {
        for (int i = 0; i < D; i++) to[i] = g[i];
        continue;
      }
      float squares = 0.f, dot = 0.f;
      for (int i = 0; i < D; i++) {
        squares += head[i] * head[i];
        dot += g[i] * w[i] * head[i];
      }
      float inv = 1.f / __builtin_sqrtf(squares / (float)D + eps), mean = dot * inv / (float)D;
      for (int i = 0; i < D; i++) to[i] = inv * (g[i] * w[i] - head[i] * inv * mean);
      float *dw = h < H ? dqw : dkw;
      if (dw) for (int i = 0; i < D; i++) dw[i] += g[i] * head[i] * inv;
    }
}
