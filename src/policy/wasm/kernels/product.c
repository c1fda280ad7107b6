/* The register tile that every matrix product is made of. */
#include "simd.h"

/*
 * Register tile: C[rows, 8] = begin + Σ over k of A(row, k) · B(k, 0..7), where A(row, k) is at
 * a[row · am + k · ak] and B's row k at b[k · bk]. Every element is one chain of multiply-adds in the order
 * of k, whatever the tile's shape: how rows are grouped changes no bit.
 */
INLINE void tile(int rows, const float *a, int am, int ak, const float *b, int bk, float *c, int ldc, int K,
                 int begin, const float *bias) {
  V c0[MR], c1[MR];
#pragma unroll
  for (int i = 0; i < rows; i++) {
    c0[i] = begin == ADD ? load(c + i * ldc) : begin == BIAS ? load(bias) : splat(0.f);
    c1[i] = begin == ADD ? load(c + i * ldc + 4) : begin == BIAS ? load(bias + 4) : splat(0.f);
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

/* One step in k of a wide tile. */
#define WIDE_STEP(u)                                             \
  {                                                              \
    V x = wasm_v128_load32_splat(a + u);                         \
    V y = rows == 2 ? wasm_v128_load32_splat(a + am + u) : x;    \
    _Pragma("unroll") for (int p = 0; p < panels; p++) {         \
      V b0 = load(b + p * ps + u * bk);                          \
      c0[p] = MADD(x, b0, c0[p]);                                \
      if (rows == 2) d0[p] = MADD(y, b0, d0[p]);                 \
      V b1 = load(b + p * ps + u * bk + 4);                      \
      c1[p] = MADD(x, b1, c1[p]);                                \
      if (rows == 2) d1[p] = MADD(y, b1, d1[p]);                 \
    }                                                            \
  }

/* The same for one or two rows that lie `am` apart and `panels` panels of 8 columns, `ps` apart. */
INLINE void wide_tile(int rows, int panels, const float *a, int am, const float *b, int bk, int ps, float *c,
                      int ldc, int K, int begin, const float *bias) {
  V c0[4], c1[4], d0[4], d1[4];
#pragma unroll
  for (int p = 0; p < panels; p++) {
    c0[p] = begin == ADD ? load(c + 8 * p) : begin == BIAS ? load(bias + 8 * p) : splat(0.f);
    c1[p] = begin == ADD ? load(c + 8 * p + 4) : begin == BIAS ? load(bias + 8 * p + 4) : splat(0.f);
    if (rows == 1) continue;
    d0[p] = begin == ADD ? load(c + ldc + 8 * p) : begin == BIAS ? load(bias + 8 * p) : splat(0.f);
    d1[p] = begin == ADD ? load(c + ldc + 8 * p + 4) : begin == BIAS ? load(bias + 8 * p + 4) : splat(0.f);
  }
  int k = 0;
  for (; k + 4 <= K; k += 4, a += 4, b += 4 * bk) {
    WIDE_STEP(0) WIDE_STEP(1) WIDE_STEP(2) WIDE_STEP(3)
  }
  for (; k < K; k++, a++, b += bk) WIDE_STEP(0)
#pragma unroll
  for (int p = 0; p < panels; p++) {
    store(c + 8 * p, c0[p]);
    store(c + 8 * p + 4, c1[p]);
    if (rows == 1) continue;
    store(c + ldc + 8 * p, d0[p]);
    store(c + ldc + 8 * p + 4, d1[p]);
  }
}

/*
 * The last one or two rows take several panels at a time, so that enough sums run side by side.
 */
INLINE void panels(const float *A, int am, const float *B, int bk, int ps, float *C, int ldc, int M, int N,
                   int K, int begin, const float *bias) {
  const int ak = 1;
  int rest = M % MR, whole = M - rest;
  if (rest > 2 || whole > 0)
    for (int n = 0, p = 0; n < N; n += NR, p++) {
      const float *b = B + p * ps, *t = bias + n;
      float *c = C + n;
      int m = 0;
      for (; m < whole; m += MR)
        tile(MR, A + m * am, am, ak, b, bk, c + m * ldc, ldc, K, begin, t);
      const float *a = A + m * am;
      c += m * ldc;
      if (rest == 5) tile(5, a, am, ak, b, bk, c, ldc, K, begin, t);
      else if (rest == 4) tile(4, a, am, ak, b, bk, c, ldc, K, begin, t);
      else if (rest == 3) tile(3, a, am, ak, b, bk, c, ldc, K, begin, t);
    }
  if (rest == 0 || rest > 2) return;
  A += whole * am;
  C += whole * ldc;
  int n = 0, p = 0;
  if (rest == 2) {
    for (; n + 16 <= N; n += 16, p += 2)
      wide_tile(2, 2, A, am, B + p * ps, bk, ps, C + n, ldc, K, begin, bias + n);
    if (n < N) tile(2, A, am, ak, B + p * ps, bk, C + n, ldc, K, begin, bias + n);
    return;
  }
  for (; n + 32 <= N; n += 32, p += 4)
    wide_tile(1, 4, A, am, B + p * ps, bk, ps, C + n, ldc, K, begin, bias + n);
  for (; n < N; n += 8, p++) tile(1, A, am, ak, B + p * ps, bk, C + n, ldc, K, begin, bias + n);
}

void product(const float *A, int lda, const float *B, int bk, int ps, float *C, int ldc, int M, int N, int K,
             int begin, const float *bias) {
  if (bk == NR) panels(A, lda, B, NR, ps, C, ldc, M, N, K, begin, bias);
  else if (ps == NR) panels(A, lda, B, bk, NR, C, ldc, M, N, K, begin, bias);
  else panels(A, lda, B, bk, ps, C, ldc, M, N, K, begin, bias);
}

/* Rows of C that stay in the first cache beside a panel of B. */
#define ROWS 48

void product_transposed(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int M, int N,
                        int K) {
  for (int m0 = 0; m0 < M; m0 += ROWS) {
    int m1 = min_int(M, m0 + ROWS);
    for (int n = 0; n < N; n += NR)
      for (int m = m0; m < m1; m += MR) {
        const float *a = A + m, *b = B + n;
        float *c = C + m * ldc + n;
        switch (min_int(MR, m1 - m)) {
        case 6: tile(6, a, 1, lda, b, ldb, c, ldc, K, ADD, c); break;
        case 5: tile(5, a, 1, lda, b, ldb, c, ldc, K, ADD, c); break;
        case 4: tile(4, a, 1, lda, b, ldb, c, ldc, K, ADD, c); break;
        case 3: tile(3, a, 1, lda, b, ldb, c, ldc, K, ADD, c); break;
        case 2: tile(2, a, 1, lda, b, ldb, c, ldc, K, ADD, c); break;
        default: tile(1, a, 1, lda, b, ldb, c, ldc, K, ADD, c); break;
        }
      }
  }
}
