/*
 * Kernels of the cluster retriever for 128-bit WebAssembly SIMD, built by build.sh into
 * kernels.wasm.ts. Float32, row-major, sizes in elements; every buffer is the caller's.
 */
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name))) name
typedef v128_t V;
#define load(p) wasm_v128_load(p)
#define add(a, b) wasm_f32x4_add(a, b)
#define mul(a, b) wasm_f32x4_mul(a, b)

/* Centroids in tiles of eight, coordinate by coordinate; those beyond k are zero. */
void EXPORT(pack)(const float *centroids, int k, int d, float *packed) {
  for (int c = 0; c < k; c += 8)
    for (int j = 0; j < d; j++)
      for (int t = 0; t < 8; t++)
        packed[c * d + j * 8 + t] = c + t < k ? centroids[(c + t) * d + j] : 0.f;
}

#define ROWS 4

/*
 * For each of n points (a multiple of four): the centroid with the greatest x.c - half[c], that
 * value, and the second greatest. half has an entry for every packed centroid; infinite beyond k.
 */
void EXPORT(nearest)(const float *x, int n, int d, const float *packed, const float *half, int k,
                     int *labels, float *best, float *second) {
  for (int p = 0; p < n; p += ROWS) {
    const float *rows = x + p * d;
    V top[ROWS][2], next[ROWS][2], at[ROWS][2];
    for (int i = 0; i < ROWS; i++)
      for (int h = 0; h < 2; h++) {
        top[i][h] = next[i][h] = wasm_f32x4_splat(-__builtin_inff());
        at[i][h] = wasm_i32x4_splat(0);
      }
    for (int c = 0; c < k; c += 8) {
      const float *tile = packed + c * d;
      V acc[ROWS][2];
      for (int i = 0; i < ROWS; i++) acc[i][0] = acc[i][1] = wasm_f32x4_splat(0.f);
      for (int j = 0; j < d; j++) {
        V a = load(tile + 8 * j), b = load(tile + 8 * j + 4);
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
          V v = wasm_v128_load32_splat(rows + i * d + j);
          acc[i][0] = add(acc[i][0], mul(v, a));
          acc[i][1] = add(acc[i][1], mul(v, b));
        }
      }
      for (int h = 0; h < 2; h++) {
        V less = load(half + c + 4 * h), index = wasm_i32x4_splat(c + 4 * h);
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
          V score = wasm_f32x4_sub(acc[i][h], less);
          V greater = wasm_f32x4_gt(score, top[i][h]);
          next[i][h] = wasm_f32x4_pmax(next[i][h], wasm_v128_bitselect(top[i][h], score, greater));
          top[i][h] = wasm_v128_bitselect(score, top[i][h], greater);
          at[i][h] = wasm_v128_bitselect(index, at[i][h], greater);
        }
      }
    }
    for (int i = 0; i < ROWS; i++) {
      float tops[8], nexts[8];
      int ats[8];
      for (int h = 0; h < 2; h++) {
        wasm_v128_store(tops + 4 * h, top[i][h]);
        wasm_v128_store(nexts + 4 * h, next[i][h]);
        wasm_v128_store(ats + 4 * h, at[i][h]);
      }
      float b = tops[0], s = nexts[0];
      int label = ats[0];
      for (int t = 1; t < 8; t++) {
        int index = ats[t] + (t & 3);
        if (tops[t] > b || (tops[t] == b && index < label)) {
          s = s > b ? s : b;
          b = tops[t];
          label = index;
        } else if (tops[t] > s) s = tops[t];
        if (nexts[t] > s) s = nexts[t];
      }
      labels[p + i] = label;
      best[p + i] = b;
      second[p + i] = s;
    }
  }
}

/* Inner products of a query with n rows of d coordinates. */
void EXPORT(dots)(const float *query, const float *rows, int n, int d, float *out) {
  int whole = d & ~15;
  for (int p = 0; p < n; p++, rows += d) {
    V a = wasm_f32x4_splat(0.f), b = a, c = a, e = a;
    int j = 0;
    for (; j < whole; j += 16) {
      a = add(a, mul(load(query + j), load(rows + j)));
      b = add(b, mul(load(query + j + 4), load(rows + j + 4)));
      c = add(c, mul(load(query + j + 8), load(rows + j + 8)));
      e = add(e, mul(load(query + j + 12), load(rows + j + 12)));
    }
    a = add(add(a, b), add(c, e));
    float sum = (wasm_f32x4_extract_lane(a, 0) + wasm_f32x4_extract_lane(a, 1)) +
                (wasm_f32x4_extract_lane(a, 2) + wasm_f32x4_extract_lane(a, 3));
    for (; j < d; j++) sum += query[j] * rows[j];
    out[p] = sum;
  }
}
