/* What is asked of logits: scores, their gradient, and the weights that a token is drawn by. */
#include "simd.h"

#define SUMMED 1024

/* Logits of a row from `vocab` up to a multiple of 4 become so small that they weigh nothing. */
INLINE float top_of(float *logits, int vocab) {
  V m = splat(-3e38f);
  int whole = vocab & ~3;
  for (int i = 0; i < whole; i += 4) m = wasm_f32x4_pmax(m, load(logits + i));
  float top = hmax(m);
  for (int i = whole; i < vocab; i++) top = logits[i] > top ? logits[i] : top;
  for (int i = vocab; i & 3; i++) logits[i] = top - 87.f;
  return top;
}

/*
 * Log-probability of target[row] and entropy (nats) of the softmax of each row of logits:
 * H = log Σ e^l - Σ p · l; hit[row] where no logit is larger than the target's. Sums are taken by blocks, so that large vocabularies lose no digits.
 */
void EXPORT(scores)(float *logits, int ldl, const int *target, float *logprob, float *entropy, int *hit,
                    int rows, int vocab) {
  for (int r = 0; r < rows; r++, logits += ldl) {
    float top = top_of(logits, vocab);
    V vt = splat(top), total = splat(0.f), weighted = splat(0.f);
    for (int b = 0; b < vocab; b += SUMMED) {
      V t = splat(0.f), w = splat(0.f);
      for (int i = b; i < min_int(vocab, b + SUMMED); i += 4) {
        V shifted = sub(load(logits + i), vt), e = exp4(shifted);
        t = add(t, e);
        w = MADD(e, shifted, w);
      }
      total = add(total, t);
      weighted = add(weighted, w);
    }
    float sum = hsum(total), log_sum = log1(sum);
    logprob[r] = logits[target[r]] - top - log_sum;
    hit[r] = logits[target[r]] == top;
    entropy[r] = log_sum - hsum(weighted) / sum;
  }
}

/* Overwrites logits with weight[row] · (softmax - onehot(target[row])): the gradient of -log p. */
void EXPORT(scores_backward)(float *logits, int ldl, const int *target, const float *weight, int rows,
                             int vocab) {
  for (int r = 0; r < rows; r++, logits += ldl) {
    float top = top_of(logits, vocab);
    V vt = splat(top), total = splat(0.f);
    for (int b = 0; b < vocab; b += SUMMED) {
      V t = splat(0.f);
      for (int i = b; i < min_int(vocab, b + SUMMED); i += 4) {
        V e = exp4(sub(load(logits + i), vt));
        store(logits + i, e);
        t = add(t, e);
      }
      total = add(total, t);
    }
    V f = splat(weight[r] / hsum(total));
    for (int i = 0; i < vocab; i += 4) store(logits + i, mul(load(logits + i), f));
    logits[target[r]] -= weight[r];
  }
}

typedef v128_t D2;
INLINE D2 d(double x) { return wasm_f64x2_splat(x); }

/* e^x for -700 <= x <= 0 as `weightOf` in draw.ts, operation by operation: the same bits. */
INLINE D2 weight2(D2 x) {
  /* Adding 1.5 · 2^52 rounds to an integer, which then is in the last bits. */
  D2 shifted = wasm_f64x2_add(wasm_f64x2_mul(x, d(1.4426950408889634)), d(6755399441055744.));
  D2 n = wasm_f64x2_sub(shifted, d(6755399441055744.));
  D2 r = wasm_f64x2_sub(wasm_f64x2_sub(x, wasm_f64x2_mul(n, d(0.69314718036912381649))),
                        wasm_f64x2_mul(n, d(1.90821492927058770002e-10)));
  D2 p = d(1. / 40320.);
#define STEP(c) p = wasm_f64x2_add(wasm_f64x2_mul(p, r), d(c))
  STEP(1. / 5040.);
  STEP(1. / 720.);
  STEP(1. / 120.);
  STEP(1. / 24.);
  STEP(1. / 6.);
  STEP(0.5);
  STEP(1.);
  STEP(1.);
#undef STEP
  v128_t exponent = wasm_i64x2_shl(wasm_i64x2_add(shifted, wasm_i64x2_splat(1023)), 52);
  return wasm_f64x2_mul(p, exponent);
}

#define LOWEST -700.

/* What `weigh` writes. */
struct Sums {
  double total, weighted, max;
  int id, finite;
};

/*
 * Weights exp((logit - max) / temperature) of a row, and their sums, those of even and of odd ids apart,
 * as draw.ts takes them. Where a logit is not finite, nothing but that is said.
 */
void EXPORT(weigh)(const float *logits, int vocab, double temperature, double *weights, struct Sums *to) {
  V m = splat(-__builtin_inff()), sum = splat(0.f);
  int whole = vocab & ~3;
  for (int i = 0; i < whole; i += 4) {
    V x = load(logits + i);
    m = wasm_f32x4_pmax(m, x);
    /* x - x is 0 for a finite x, else NaN. */
    sum = add(sum, sub(x, x));
  }
  float top = hmax(m), odd = hsum(sum);
  for (int i = whole; i < vocab; i++) {
    top = logits[i] > top ? logits[i] : top;
    odd += logits[i] - logits[i];
  }
  to->finite = odd == 0.f;
  if (!to->finite) return;
  int id = 0;
  while (logits[id] != top) id++;
  to->id = id;
  to->max = (double)top;
  D2 vt = d((double)top), inv = d(temperature), total = d(0.), weighted = d(0.);
  int pairs = vocab & ~1;
  for (int i = 0; i < pairs; i += 2) {
    D2 x = wasm_f64x2_sub(wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(logits + i)), vt);
    if (temperature != 1.) x = wasm_f64x2_div(x, inv);
    D2 near = wasm_f64x2_ge(x, d(LOWEST)), bounded = wasm_f64x2_pmax(x, d(LOWEST));
    D2 w = wasm_v128_and(weight2(bounded), near);
    wasm_v128_store(weights + i, w);
    total = wasm_f64x2_add(total, w);
    weighted = wasm_f64x2_add(weighted, wasm_f64x2_mul(w, bounded));
  }
  double t0 = wasm_f64x2_extract_lane(total, 0), w0 = wasm_f64x2_extract_lane(weighted, 0);
  if (pairs < vocab) {
    D2 x = wasm_f64x2_div(wasm_f64x2_sub(d((double)logits[pairs]), vt), inv);
    D2 near = wasm_f64x2_ge(x, d(LOWEST)), bounded = wasm_f64x2_pmax(x, d(LOWEST));
    weights[pairs] = wasm_f64x2_extract_lane(wasm_v128_and(weight2(bounded), near), 0);
    t0 += weights[pairs];
    w0 += weights[pairs] * wasm_f64x2_extract_lane(bounded, 0);
  }
  to->total = t0 + wasm_f64x2_extract_lane(total, 1);
  to->weighted = w0 + wasm_f64x2_extract_lane(weighted, 1);
}

/* The id at share u of the running sum of the weights; the last one that weighs where rounding ends it. */
int EXPORT(pick)(const double *weights, int vocab, double target) {
  double sum = 0.;
  int last = 0;
  for (int i = 0; i < vocab; i++) {
    if (weights[i] == 0.) continue;
    sum += weights[i];
    last = i;
    if (sum > target) return i;
  }
  return last;
}
