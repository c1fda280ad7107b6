/** One tensor's parameters, gradient and moments. */
export interface TensorState {
  values: Float32Array;
  gradient: Float32Array;
  first: Float32Array;
  second: Float32Array;
}

/** One update of AdamW. */
export interface AdamWOptions {
  lr: number;
  beta1: number;
  beta2: number;
  eps: number;
  /** Number of this update, from 1. */
  step: number;
  /** Factor on all gradients: the share that clipping leaves. */
  gradientScale: number;
}

/** Moments of an adapter's updates. PyTorch's β2 of 0.999 remembers a thousand updates, longer than most runs here. */
export const ADAPTER_MOMENTS = { beta1: 0.9, beta2: 0.99, eps: 1e-8 } as const;

/** AdamW (Loshchilov and Hutter, 2019) on one tensor, in place; each step also takes `lr · decay` of every value. */
export function adamW(t: TensorState, o: AdamWOptions, decay: number): void {
  const { values, gradient, first, second } = t;
  const { beta1, beta2, eps, gradientScale } = o;
  const rate = o.lr / (1 - beta1 ** o.step);
  const correction = 1 / Math.sqrt(1 - beta2 ** o.step);
  const keep = 1 - o.lr * decay;
  for (let i = 0; i < values.length; i++) {
    const g = (gradient[i] ?? 0) * gradientScale;
    const m = beta1 * (first[i] ?? 0) + (1 - beta1) * g;
    const v = beta2 * (second[i] ?? 0) + (1 - beta2) * g * g;
    first[i] = m;
    second[i] = v;
    values[i] = keep * (values[i] ?? 0) - (rate * m) / (Math.sqrt(v) * correction + eps);
  }
}

/** Euclidean norm over all parameters, in double precision. */
export function globalNorm(gradient: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < gradient.length; i++) sum += (gradient[i] ?? 0) * (gradient[i] ?? 0);
  return Math.sqrt(sum);
}

/** What to multiply gradients by so that their norm is at most `limit`; 0 means no limit. */
export const clipScale = (norm: number, limit: number): number =>
  limit > 0 && norm > limit ? limit / norm : 1;
