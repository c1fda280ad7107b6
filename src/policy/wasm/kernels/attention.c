/*
 * Attention over a store of P places: keys in panels of 8 of them [G][P / 8][D][8], so that the scores of a
 * row are a product without packing; values [G][P][ceil8(D)]. Those of a context and a key head are
 * neighbours, as they are read. A context begins at a panel's first place.
 */
#include "simd.h"

#define AROWS 36 /* queries of a head that share a block of scores: a multiple of MR */

/*
 * The scores of positions from `from` up to `valid` become exponentials, those before and up to `limit` zero.
 * Returns 1 / their sum, which is over the panels that they are in.
 */
INLINE float softmax_row(float *s, int from, int valid, int limit, float *lse) {
  int padded = pad8(valid), begin = from & ~7;
  for (int j = begin; j < from; j++) s[j] = -1e30f;
  for (int j = valid; j < padded; j++) s[j] = -1e30f;
  V m = splat(-1e30f);
  for (int j = begin; j < padded; j += 4) m = wasm_f32x4_pmax(m, load(s + j));
  float top = hmax(m);
  V vt = splat(top), total = splat(0.f), other = splat(0.f);
  for (int j = begin; j < padded; j += 8) {
    V e = exp4(sub(load(s + j), vt)), f = exp4(sub(load(s + j + 4), vt));
    store(s + j, e);
    store(s + j + 4, f);
    total = add(total, e);
    other = add(other, f);
  }
  for (int j = 0; j < from; j++) s[j] = 0.f;
  for (int j = valid; j < limit; j++) s[j] = 0.f;
  float sum = hsum(add(total, other));
  *lse = top + log1(sum);
  return 1.f / sum;
}

/* Halves as float32. */
INLINE void widen(const u16 *from, float *to, int count) {
  for (int i = 0; i < count; i += 4) store(to + i, load_halves(from + i));
}

/* out[i, 0..D) = s[i] · (W V)[i] for weights W [rows, keys]. wide: rows · ceil8(D) scratch. */
INLINE void mix(const float *W, int ldw, const float *V_, const float *s, float *out, int ldo,
                int rows, int D, int keys, float *wide) {
  int Dp = pad8(D), exact = Dp == D;
  float *to = exact ? out : wide;
  int ldt = exact ? ldo : Dp;
  product(W, ldw, V_, Dp, NR, to, ldt, rows, Dp, keys, ZERO, to);
  for (int i = 0; i < rows; i++) {
    V f = splat(s[i]);
    if (exact)
      for (int j = 0; j < D; j += 4) store(out + i * ldo + j, mul(load(out + i * ldo + j), f));
    else
      for (int j = 0; j < D; j++) out[i * ldo + j] = wide[i * Dp + j] * s[i];
  }
}

/* The first position that a row sees. */
INLINE int first_seen(int position, int window) { return position < window ? 0 : position - window + 1; }

/*
 * The tokens of one run, `rows` from `position` of the context at place `start`: out[rows, H D] and, where
 * not null, lse[rows, H]. A row attends to the last `window` positions at most. A single token takes the query heads
 * of a key head together.
 * scratch: 48 · (ceil8(position + rows) + ceil8(D) + 1), and for halves ceil8(position + rows) · 2 ceil8(D).
 */
void EXPORT(attend)(const float *q, int ldq, const void *keys, const void *values, int half, int P, int start,
                    int position, int rows, int window, int H, int G, int D, float *out, int ldo, float *lse,
                    int ldl, float *scratch) {
  /* Everything is counted from the first panel that the first row sees. */
  int Dp = pad8(D), skipped = first_seen(position, window) & ~7, group = H / G;
  start += skipped, position -= skipped;
  int places = pad8(position + rows);
  float *s = scratch, *wide = s + 48 * places, *inverse = wide + 48 * Dp;
  float *kf = inverse + 48, *vf = kf + places * Dp, sink;
  for (int g = 0; g < G; g++) {
    int at = g * P + start;
    const float *k = (const float *)keys + at * D, *v = (const float *)values + at * Dp;
    if (half) {
      widen((const u16 *)keys + at * D, kf, places * D);
      widen((const u16 *)values + at * Dp, vf, places * Dp);
      k = kf, v = vf;
    }
    if (rows == 1)
      for (int h0 = 0; h0 < group; h0 += AROWS) {
        int h = g * group + h0, n = min_int(AROWS, group - h0), valid = position + 1;
        product(q + h * D, D, k, 8, 8 * D, s, places, n, pad8(valid), D, ZERO, s);
        for (int i = 0; i < n; i++)
          inverse[i] = softmax_row(s + i * places, first_seen(position, window), valid, valid,
                                   lse ? lse + h + i : &sink);
        mix(s, places, v, inverse, out + h * D, D, n, D, valid, wide);
      }
    else
      for (int h = g * group; h < (g + 1) * group; h++)
        for (int r = 0; r < rows; r += AROWS) {
          int first = first_seen(position + r, window) & ~7;
          int n = min_int(AROWS, rows - r), most = position + r + n - first;
          product(q + r * ldq + h * D, ldq, k + first * D, 8, 8 * D, s, places, n, pad8(most), D, ZERO, s);
          for (int i = 0; i < n; i++)
            inverse[i] = softmax_row(s + i * places, first_seen(position + r + i, window) - first,
                                     position + r + i + 1 - first, most, lse ? lse + (r + i) * ldl + h : &sink);
          mix(s, places, v + first * Dp, inverse, out + r * ldo + h * D, ldo, n, D, most, wide);
        }
  }
}

/* [places][D] rows of panels [places / 8][D][8]; columns up to Dp are zero. */
INLINE void unpack(const float *panels, float *rows, int places, int D) {
  int Dp = pad8(D);
  for (int p = 0; p < places; p += 8, panels += 8 * D)
    for (int j = 0; j < 8; j++) {
      float *to = rows + (p + j) * Dp;
      for (int i = 0; i < D; i++) to[i] = panels[8 * i + j];
      for (int i = D; i < Dp; i++) to[i] = 0.f;
    }
}

/* Panels [places / 8][D][8] of rows. */
INLINE void pack(const float *rows, float *panels, int places, int D) {
  for (int p = 0; p < places; p += 8, panels += 8 * D)
    for (int i = 0; i < D; i++)
      for (int j = 0; j < 8; j++) panels[8 * i + j] = rows[(p + j) * pad8(D) + i];
}

/* Adds D columns of every row to rows[r] of `to`. */
INLINE void add_to_rows(const float *from, int ldf, float *to, int ldt, const int *rows, int count, int D) {
  for (int r = 0; r < count; r++)
    for (int i = 0; i < D; i++) to[rows[r] * ldt + i] += from[r * ldf + i];
}

/* Copies D columns of every row. */
INLINE void copy_columns(const float *from, int ldf, float *to, int ldt, int rows, int D) {
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < D; i++) to[r * ldt + i] = from[r * ldf + i];
}

/*
 * The way back of T tokens from `position` of one context, that see `window` positions at most: dq[T, H D] is written;
 * the gradients of position j's key and value are added to row rowof[j] of dk and dv[rows, G D].
 * scratch, with N = position + T: ceil8(N) · (72 + 4 ceil8(D)) + 36 ceil8(D), and for halves ceil8(N) · 2 ceil8(D).
 */
void EXPORT(attend_backward)(const float *q, int ldq, const void *keys, const void *values, int half,
                             int P, int start, int position, int T, int window, int H, int G, int D, const float *out,
                             const float *dout, int ldo, const float *lse, int ldl, float *dq, float *dk, float *dv,
                             int ldk, const int *rowof, float *scratch) {
  int Dp = pad8(D), N = position + T, Tp = pad8(N), group = H / G;
  float *p = scratch, *ds = p + AROWS * Tp, *kr = ds + AROWS * Tp, *vt = kr + Tp * Dp;
  float *gk = vt + Tp * Dp, *gv = gk + Tp * Dp, *wide = gv + Tp * Dp, *kf = wide + AROWS * Dp;
  float *vf = kf + Tp * Dp;
  for (int g = 0; g < G; g++) {
    int at = g * P + start;
    const float *k = (const float *)keys + at * D, *v = (const float *)values + at * Dp;
    if (half) {
      widen((const u16 *)keys + at * D, kf, Tp * D);
      widen((const u16 *)values + at * Dp, vf, Tp * Dp);
      k = kf, v = vf;
    }
    unpack(k, kr, Tp, D);
    pack(v, vt, Tp, D);
    for (int i = 0; i < N * Dp; i++) gk[i] = gv[i] = 0.f;
    for (int h = g * group; h < (g + 1) * group; h++)
      for (int r = 0; r < T; r += AROWS) {
        int first = first_seen(position + r, window) & ~7;
        int rows = min_int(AROWS, T - r), most = position + r + rows - first, limit = pad8(most);
        const float *qh = q + r * ldq + h * D, *dh = dout + r * ldo + h * D, *oh = out + r * ldo + h * D;
        product(qh, ldq, k + first * D, 8, 8 * D, p, Tp, rows, limit, D, ZERO, p);
        product(dh, ldo, vt + first * D, 8, 8 * D, ds, Tp, rows, limit, D, ZERO, ds);
        for (int i = 0; i < rows; i++) {
          float *pi = p + i * Tp, *di = ds + i * Tp, delta = 0.f;
          int from = first_seen(position + r + i, window) - first, valid = position + r + i + 1 - first;
          for (int j = 0; j < D; j++) delta += oh[i * ldo + j] * dh[i * ldo + j];
          V shift = splat(lse[(r + i) * ldl + h]), vd = splat(delta);
          for (int j = valid; j < pad8(valid); j++) pi[j] = -1e30f;
          for (int j = 0; j < pad8(valid); j += 4) store(pi + j, exp4(sub(load(pi + j), shift)));
          for (int j = 0; j < from; j++) pi[j] = di[j] = 0.f;
          for (int j = valid; j < limit; j++) pi[j] = di[j] = 0.f;
          for (int j = 0; j < limit; j += 4) store(di + j, mul(load(pi + j), sub(load(di + j), vd)));
          for (int j = valid; j < limit; j++) di[j] = 0.f;
        }
        float *to = Dp == D ? dq + r * ldq + h * D : wide;
        product(ds, Tp, kr + first * Dp, Dp, NR, to, Dp == D ? ldq : Dp, rows, Dp, most, ZERO, to);
        if (Dp != D) copy_columns(wide, Dp, dq + r * ldq + h * D, ldq, rows, D);
        product_transposed(ds, Tp, qh, ldq, gk + first * Dp, Dp, most, Dp, rows);
        product_transposed(p, Tp, dh, ldo, gv + first * Dp, Dp, most, Dp, rows);
      }
    add_to_rows(gk, Dp, dk + g * D, ldk, rowof, N, D);
    add_to_rows(gv, Dp, dv + g * D, ldk, rowof, N, D);
  }
}
