/*
 * Products with the model's matrices W [out, in]. They lie in panels of 8 outputs, input by input:
 *   f32   [panels][depth][8] float32           f16   the same in binary16
 *   int8  [panels][depth][8] bytes             int4  [panels][depth / 2][8] bytes, of two neighbouring
 *                                                    inputs the first in the low half, each + 8
 * with scales [panels][depth / 32][8] in binary16. depth is `in` filled up with zeros to a multiple of 8
 * (f32, f16) or 32 (int8, int4); so are the outputs to a multiple of 8.
 */
#include "simd.h"

/* Not 0 where the multiply-add of this build is fused; x is 1 + 2^-12. */
float EXPORT(fused)(float x) {
  V y = splat(x);
  return wasm_f32x4_extract_lane(MADD(y, y, splat(-(x * x))), 0);
}

enum { F32 = 0, F16 = 1, INT8 = 2, INT4 = 3 };
#define BLOCK 256      /* inputs of a panel that are widened at one time */
#define GROUP_PANELS 4 /* panels of it: 32 kB */
#define ROWS 192       /* rows that share what was widened */
#define FLOAT_BLOCK 512
#define FLOAT_ROWS 48 /* rows whose inputs stay in the first cache or near it */

/* Inputs [from, to) of a panel as float32 [to - from][8]. `from` is a multiple of 8. */
INLINE void widen(int type, const u8 *W, const u16 *scales, int depth, int panel, int from, int to,
                  float *out) {
  if (type == F32) {
    const float *w = (const float *)W + (panel * depth + from) * NR;
    for (int i = 0; i < (to - from) * NR; i += 4) store(out + i, load(w + i));
    return;
  }
  if (type == F16) {
    const u16 *w = (const u16 *)W + (panel * depth + from) * NR;
    for (int i = 0; i < (to - from) * NR; i += 4) store(out + i, load_halves(w + i));
    return;
  }
  for (int k = from; k < to;) {
    const u16 *s = scales + (panel * (depth / 32) + k / 32) * NR;
    V s0 = load_halves(s), s1 = load_halves(s + 4);
    int end = min_int(to, (k / 32 + 1) * 32);
    if (type == INT8) {
      const u8 *w = W + (panel * depth + k) * NR;
      for (; k < end; k++, w += NR, out += NR) {
        V x = wasm_i16x8_load8x8(w);
        store(out, mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(x)), s0));
        store(out + 4, mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(x)), s1));
      }
    } else {
      const u8 *w = W + (panel * depth + k) / 2 * NR;
      V mask = wasm_i16x8_const_splat(15), eight = wasm_i16x8_const_splat(8);
      for (; k < end; k += 2, w += NR, out += 2 * NR) {
        V x = wasm_u16x8_load8x8(w);
        V lo = wasm_i16x8_sub(wasm_v128_and(x, mask), eight);
        V hi = wasm_i16x8_sub(wasm_u16x8_shr(x, 4), eight);
        store(out, mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(lo)), s0));
        store(out + 4, mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(lo)), s1));
        store(out + 8, mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(hi)), s0));
        store(out + 12, mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(hi)), s1));
      }
    }
  }
}

/* One input of a panel, widened, times its value of each row. */
#define STEP(x, at)                                                            \
  {                                                                            \
    V b0 = mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(x)), s0);  \
    V b1 = mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(x)), s1); \
    _Pragma("unroll") for (int i = 0; i < rows; i++) {                         \
      V y = wasm_v128_load32_splat(a + i * lda + (at));                        \
      c0[i] = MADD(y, b0, c0[i]);                                              \
      c1[i] = MADD(y, b1, c1[i]);                                              \
    }                                                                          \
  }

/*
 * C[rows, 8] = begin + A Wᵀ for few rows of a packed panel, which is widened in registers: for few rows a trip of each
 * value through memory takes longer than the products. The same values and the same chain of multiply-adds as
 * `widen` and `product`: no bit differs.
 */
INLINE void few(int type, int rows, const float *a, int lda, const u8 *w, const u16 *s, float *c, int ldc, int K,
                int begin, const float *bias) {
  V c0[4], c1[4];
#pragma unroll
  for (int i = 0; i < rows; i++) {
    c0[i] = begin == ADD ? load(c + i * ldc) : begin == BIAS ? load(bias) : splat(0.f);
    c1[i] = begin == ADD ? load(c + i * ldc + 4) : begin == BIAS ? load(bias + 4) : splat(0.f);
  }
  for (int k = 0; k < K; k += 32, s += NR) {
    V s0 = load_halves(s), s1 = load_halves(s + 4);
    int end = min_int(32, K - k);
    if (type == INT8)
      for (int j = 0; j < end; j++, a++, w += NR) {
        V x = wasm_i16x8_load8x8(w);
        STEP(x, 0)
      }
    else {
      V mask = wasm_i16x8_const_splat(15), eight = wasm_i16x8_const_splat(8);
      for (int j = 0; j < end; j += 2, a += 2, w += NR) {
        V x = wasm_u16x8_load8x8(w);
        V lo = wasm_i16x8_sub(wasm_v128_and(x, mask), eight);
        V hi = wasm_i16x8_sub(wasm_u16x8_shr(x, 4), eight);
        STEP(lo, 0)
        STEP(hi, 1)
      }
    }
  }
#pragma unroll
  for (int i = 0; i < rows; i++) {
    store(c + i * ldc, c0[i]);
    store(c + i * ldc + 4, c1[i]);
  }
}

#define PANELS 2
#define LOW_BYTES(a, b) wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_BYTES(a, b) wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_PAIRS(a, b) wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_PAIRS(a, b) wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15)

/* One input of a panel, its codes in float32 with a constant added, times its value of one row. */
#define ONE_STEP(p, y, codes0, codes1)                        \
  {                                                           \
    c0[p] = MADD(y, MADD(codes0, s0[p], less0[p]), c0[p]);    \
    c1[p] = MADD(y, MADD(codes1, s1[p], less1[p]), c1[p]);    \
  }

/*
 * `few` for one row and two panels, `bytes` and `groups` apart; K is a multiple of 32. Codes become float32 by their
 * place in its bits, which takes fewer instructions than conversion: 32768 + 128 + code for int8, 16 + 8 + code for int4.
 * A multiply-add takes the constant away with the scale. That is exact, for int8 where it is fused: no bit differs.
 */
INLINE void one_row(int type, const float *a, const u8 *w, int bytes, const u16 *s, int groups, float *c, int K,
                    int begin, const float *bias) {
  V c0[PANELS], c1[PANELS], s0[PANELS], s1[PANELS], less0[PANELS], less1[PANELS];
  const V none = wasm_i8x16_const_splat(0);
#pragma unroll
  for (int p = 0; p < PANELS; p++) {
    c0[p] = begin == ADD ? load(c + 8 * p) : begin == BIAS ? load(bias + 8 * p) : splat(0.f);
    c1[p] = begin == ADD ? load(c + 8 * p + 4) : begin == BIAS ? load(bias + 8 * p + 4) : splat(0.f);
  }
  for (int k = 0; k < K; k += 32, s += NR) {
    V added = splat(type == INT8 ? -32896.f : -24.f);
#pragma unroll
    for (int p = 0; p < PANELS; p++) {
      s0[p] = load_halves(s + p * groups);
      s1[p] = load_halves(s + p * groups + 4);
      less0[p] = mul(s0[p], added);
      less1[p] = mul(s1[p], added);
    }
    if (type == INT8) {
      V sign = wasm_i8x16_const_splat(-128), high = wasm_i16x8_const_splat(0x4700);
      for (int j = 0; j < 32; j += 2, a += 2, w += 2 * NR) {
        V y0 = wasm_v128_load32_splat(a), y1 = wasm_v128_load32_splat(a + 1);
#pragma unroll
        for (int p = 0; p < PANELS; p++) {
          V x = wasm_v128_xor(wasm_v128_load(w + p * bytes), sign);
          V t = LOW_BYTES(none, x), u = HIGH_BYTES(none, x);
          ONE_STEP(p, y0, LOW_PAIRS(t, high), HIGH_PAIRS(t, high))
          ONE_STEP(p, y1, LOW_PAIRS(u, high), HIGH_PAIRS(u, high))
        }
      }
    } else {
      V code = wasm_i8x16_const_splat(0x78), low = wasm_i8x16_const_splat(-128), high = wasm_i8x16_const_splat(0x41);
      for (int j = 0; j < 32; j += 4, a += 4, w += 2 * NR) {
#pragma unroll
        for (int p = 0; p < PANELS; p++) {
          V x = wasm_v128_load(w + p * bytes);
          V even = wasm_v128_or(wasm_v128_and(wasm_i16x8_shl(x, 3), code), low);
          V odd = wasm_v128_or(wasm_v128_and(wasm_u16x8_shr(x, 1), code), low);
          V t = LOW_BYTES(even, high), u = LOW_BYTES(odd, high);
          ONE_STEP(p, wasm_v128_load32_splat(a), LOW_PAIRS(none, t), HIGH_PAIRS(none, t))
          ONE_STEP(p, wasm_v128_load32_splat(a + 1), LOW_PAIRS(none, u), HIGH_PAIRS(none, u))
          V v = HIGH_BYTES(even, high), z = HIGH_BYTES(odd, high);
          ONE_STEP(p, wasm_v128_load32_splat(a + 2), LOW_PAIRS(none, v), HIGH_PAIRS(none, v))
          ONE_STEP(p, wasm_v128_load32_splat(a + 3), LOW_PAIRS(none, z), HIGH_PAIRS(none, z))
        }
      }
    }
  }
#pragma unroll
  for (int p = 0; p < PANELS; p++) {
    store(c + 8 * p, c0[p]);
    store(c + 8 * p + 4, c1[p]);
  }
}

#ifdef RELAXED
#define ONE_ROW_EXACT(type) 1
#else
#define ONE_ROW_EXACT(type) (type == INT4)
#endif

/* Few rows, four at a time. */
INLINE void few_rows(int type, const float *A, int lda, const u8 *W, const u16 *scales, int depth, float *C, int ldc,
                     int M, int N, int K, int begin, const float *bias) {
  const int bytes = (type == INT8 ? depth : depth / 2) * NR, groups = depth / 32 * NR;
  int n = 0;
  if (M == 1 && K % 32 == 0 && ONE_ROW_EXACT(type))
    for (; n + PANELS * NR <= N; n += PANELS * NR, W += PANELS * bytes, scales += PANELS * groups)
      one_row(type, A, W, bytes, scales, groups, C + n, K, begin, bias + n);
  for (; n < N; n += NR, W += bytes, scales += groups) {
    const float *a = A, *t = bias + n;
    float *c = C + n;
    int m = 0;
    for (; m + 4 <= M; m += 4, a += 4 * lda, c += 4 * ldc)
      few(type, 4, a, lda, W, scales, c, ldc, K, begin, t);
    switch (M - m) {
    case 3: few(type, 3, a, lda, W, scales, c, ldc, K, begin, t); break;
    case 2: few(type, 2, a, lda, W, scales, c, ldc, K, begin, t); break;
    case 1: few(type, 1, a, lda, W, scales, c, ldc, K, begin, t); break;
    default: break;
    }
  }
}
#define FEW_ROWS 8

INLINE void transpose4(const float *from, int lf, float *to, int lt) {
  V a = load(from), b = load(from + lf), c = load(from + 2 * lf), d = load(from + 3 * lf);
  V ab0 = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), ab1 = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
  V cd0 = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), cd1 = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7);
  store(to, wasm_i64x2_shuffle(ab0, cd0, 0, 2));
  store(to + lt, wasm_i64x2_shuffle(ab0, cd0, 1, 3));
  store(to + 2 * lt, wasm_i64x2_shuffle(ab1, cd1, 0, 2));
  store(to + 3 * lt, wasm_i64x2_shuffle(ab1, cd1, 1, 3));
}

INLINE void transpose8(const float *from, float *to) {
  transpose4(from, 8, to, 8);
  transpose4(from + 4, 8, to + 32, 8);
  transpose4(from + 32, 8, to + 4, 8);
  transpose4(from + 36, 8, to + 36, 8);
}

/*
 * C[M, N] = begin + A[M, K] Wᵀ for the N outputs (a multiple of 8) of W, K inputs. scratch: 8192 elements,
 * used by types other than f32.
 */
INLINE void forward(int type, const float *A, int lda, const u8 *W, const u16 *scales, int depth, float *C,
                    int ldc, int M, int N, int K, int begin, const float *bias, float *scratch) {
  const int most = type == F32 ? FLOAT_ROWS : ROWS, block = type == F32 ? FLOAT_BLOCK : BLOCK;
  if (M <= FEW_ROWS && (type == INT8 || (type == INT4 && K % 2 == 0))) {
    few_rows(type, A, lda, W, scales, depth, C, ldc, M, N, K, begin, bias);
    return;
  }
  for (int m = 0; m < M; m += most) {
    int rows = min_int(most, M - m);
    for (int k = 0; k < K; k += block) {
      int inputs = min_int(block, K - k), first = k == 0 ? begin : ADD;
      const float *a = A + m * lda + k;
      if (type == F32) {
        const float *b = (const float *)W + k * NR;
        product(a, lda, b, NR, depth * NR, C + m * ldc, ldc, rows, N, inputs, first, bias);
        continue;
      }
      for (int n = 0; n < N; n += NR * GROUP_PANELS) {
        int panels = min_int(GROUP_PANELS, (N - n) / NR), to = min_int(depth, k + block);
        for (int p = 0; p < panels; p++)
          widen(type, W, scales, depth, n / NR + p, k, to, scratch + p * BLOCK * NR);
        product(a, lda, scratch, NR, BLOCK * NR, C + m * ldc + n, ldc, rows, panels * NR, inputs, first,
                bias + n);
      }
    }
  }
}

void EXPORT(multiply)(int type, const float *A, int lda, const u8 *W, const u16 *scales, int depth, float *C,
                      int ldc, int M, int N, int K, int begin, const float *bias, float *scratch) {
  switch (type) {
  case F32: forward(F32, A, lda, W, scales, depth, C, ldc, M, N, K, begin, bias, scratch); break;
  case F16: forward(F16, A, lda, W, scales, depth, C, ldc, M, N, K, begin, bias, scratch); break;
  case INT8: forward(INT8, A, lda, W, scales, depth, C, ldc, M, N, K, begin, bias, scratch); break;
  default: forward(INT4, A, lda, W, scales, depth, C, ldc, M, N, K, begin, bias, scratch); break;
  }
}

/*
 * C[M, in] (+)= A[M, out] W for `in` inputs and `out` outputs of W. Blocks of W are turned over on the way,
 * which costs little beside many rows, so that no second copy of W exists. scratch: 8192 elements.
 */
INLINE void backward(int type, const float *A, int lda, const u8 *W, const u16 *scales, int depth, float *C,
                     int ldc, int M, int out, int in, int begin, float *scratch) {
  float block[64];
  for (int m = 0; m < M; m += ROWS) {
    int rows = min_int(ROWS, M - m);
    for (int k = 0; k < out; k += BLOCK) {
      int outputs = min_int(BLOCK, out - k), first = k == 0 ? begin : ADD;
      for (int n = 0; n < in; n += NR * GROUP_PANELS) {
        int panels = min_int(GROUP_PANELS, (in - n + NR - 1) / NR);
        for (int o = 0; o < outputs; o += NR)
          for (int p = 0; p < panels; p++) {
            int i = n + p * NR;
            float *to = scratch + (p * BLOCK + o) * NR;
            if (type == F32) transpose8((const float *)W + ((k + o) / NR * depth + i) * NR, to);
            else {
              widen(type, W, scales, depth, (k + o) / NR, i, i + NR, block);
              transpose8(block, to);
            }
          }
        product(A + m * lda + k, lda, scratch, NR, BLOCK * NR, C + m * ldc + n, ldc, rows, panels * NR,
                outputs, first, C);
      }
    }
  }
}

void EXPORT(multiply_back)(int type, const float *A, int lda, const u8 *W, const u16 *scales, int depth,
                           float *C, int ldc, int M, int out, int in, int begin, float *scratch) {
  switch (type) {
  case F32: backward(F32, A, lda, W, scales, depth, C, ldc, M, out, in, begin, scratch); break;
  case F16: backward(F16, A, lda, W, scales, depth, C, ldc, M, out, in, begin, scratch); break;
  case INT8: backward(INT8, A, lda, W, scales, depth, C, ldc, M, out, in, begin, scratch); break;
  default: backward(INT4, A, lda, W, scales, depth, C, ldc, M, out, in, begin, scratch); break;
  }
}

#define TN_DEPTH 128
#define TN_ROWS 48

/*
 * C[M, N] += Aᵀ · B for A[K, M], B[K, N]: the gradient of a factor, K tokens. N is a multiple of 8.
 * scratch: (M + 6 + N) · 128 elements.
 */
void EXPORT(multiply_transposed)(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int M,
                                 int N, int K, float *scratch) {
  float *pb = scratch, *pa = scratch + N * TN_DEPTH;
  for (int k0 = 0; k0 < K; k0 += TN_DEPTH) {
    int depth = min_int(TN_DEPTH, K - k0);
    for (int n = 0; n < N; n += NR)
      for (int k = 0; k < depth; k++) {
        float *to = pb + n * depth + k * NR;
        const float *from = B + (k0 + k) * ldb + n;
        store(to, load(from));
        store(to + 4, load(from + 4));
      }
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
    for (int m0 = 0; m0 < M; m0 += TN_ROWS) {
      int m1 = min_int(M, m0 + TN_ROWS);
      for (int n = 0; n < N; n += NR)
        for (int m = m0; m < m1; m += MR)
          product_transposed(pa + m * depth, MR, pb + n * depth, NR, C + m * ldc + n, ldc,
                             min_int(MR, M - m), NR, depth);
    }
  }
}

/* Outputs [from, from + rows) of float32 W [rows, in] into panels of type f32. */
void EXPORT(place_floats)(const float *W, int in, int from, int rows, int depth, float *panels) {
  for (int r = 0; r < rows; r++, W += in) {
    float *to = panels + (from + r) / NR * depth * NR + (from + r) % NR;
    for (int k = 0; k < in; k++) to[k * NR] = W[k];
  }
}

/* The same of halves [rows, in], into panels of type f16. */
void EXPORT(place_halves)(const u16 *W, int in, int from, int rows, int depth, u16 *panels) {
  for (int r = 0; r < rows; r++, W += in) {
    u16 *to = panels + (from + r) / NR * depth * NR + (from + r) % NR;
    for (int k = 0; k < in; k++) to[k * NR] = W[k];
  }
}

/* The same of codes and scales as `quantise` gives them. `panels` of int4 begin as bytes 0x88. */
void EXPORT(place_codes)(int type, const u8 *codes, const u16 *scales, int from, int rows, int depth,
                         u8 *panels, u16 *to_scales) {
  int groups = depth / 32;
  for (int r = 0; r < rows; r++) {
    int panel = (from + r) / NR, lane = (from + r) % NR;
    for (int g = 0; g < groups; g++) to_scales[(panel * groups + g) * NR + lane] = *scales++;
    if (type == INT8) {
      u8 *to = panels + panel * depth * NR + lane;
      for (int k = 0; k < depth; k++) to[k * NR] = *codes++;
    } else {
      u8 *to = panels + panel * (depth / 2) * NR + lane;
      for (int k = 0; k < depth / 2; k++) to[k * NR] = *codes++;
    }
  }
}

/* x[r] = W[ids[r]]: rows of a matrix as float32, `in` of them. */
void EXPORT(embed)(int type, const u8 *W, const u16 *scales, int depth, const int *ids, float *x, int ldx,
                   int rows, int in, float factor) {
  for (int r = 0; r < rows; r++, x += ldx) {
    int panel = ids[r] / NR, lane = ids[r] % NR;
    for (int k = 0; k < in; k++) {
      int at = (panel * depth + k) * NR + lane;
      if (type == F32) x[k] = ((const float *)W)[at] * factor;
      else if (type == F16) x[k] = wasm_f32x4_extract_lane(from_halves(wasm_i32x4_splat(((const u16 *)W)[at])), 0) * factor;
      else {
        u16 bits = scales[(panel * (depth / 32) + k / 32) * NR + lane];
        float scale = wasm_f32x4_extract_lane(from_halves(wasm_i32x4_splat(bits)), 0);
        if (type == INT8) x[k] = (float)(signed char)W[at] * scale * factor;
        else {
          u8 byte = W[(panel * (depth / 2) + k / 2) * NR + lane];
          x[k] = (float)((k & 1 ? byte >> 4 : byte & 15) - 8) * scale * factor;
        }
      }
    }
  }
}
