import type { ParameterSlot } from '../checkpoint/weights.ts';

/** Replaces a matrix [rows, columns] in place by (nearly) the closest one with orthonormal rows or columns. */
interface Orthogonalises {
  apply(matrix: Float32Array, rows: number, columns: number): void;
}

/** Hyper-parameters of one update. */
export interface UpdateOptions {
  /** `muon`: Muon for the matrices of the layers, AdamW for the rest; `adamw`: AdamW for all. */
  optimizer: 'muon' | 'adamw';
  /** Learning rate of AdamW. */
  lr: number;
  /** Learning rate of Muon. */
  muonLr: number;
  /** Decoupled: each step takes `lr · weightDecay` off matrices; norms and embeddings are spared. */
  weightDecay: number;
  beta1: number;
  beta2: number;
  eps: number;
  /** Momentum of Muon. */
  momentum: number;
  /** Number of this update, from 1. */
  step: number;
  /** Factor on all gradients: the share that clipping leaves. */
  gradientScale: number;
}

export const DEFAULT_UPDATE: Omit<UpdateOptions, 'step' | 'gradientScale'> = {
  optimizer: 'muon',
  lr: 3e-3,
  muonLr: 0.01,
  weightDecay: 0.01,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-8,
  momentum: 0.95,
};

/** One tensor's parameters, gradient and moments; `second` is not used by Muon. */
export interface TensorState {
  values: Float32Array;
  gradient: Float32Array;
  first: Float32Array;
  second: Float32Array;
}

/** AdamW (Loshchilov and Hutter, 2019) on one tensor, in place. */
export function adamW(t: TensorState, o: UpdateOptions, decay: number): void {
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

/**
 * Muon (Jordan et al., 2024) on one matrix [rows, columns], in place: the Nesterov momentum is
 * orthogonalised by five Newton–Schulz steps and scaled by `sqrt(max(1, rows / columns))`.
 */
export function muon(
  t: TensorState,
  rows: number,
  columns: number,
  o: UpdateOptions,
  orthogonaliser: Orthogonalises,
): void {
  const { values, gradient, first } = t;
  const direction = new Float32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const g = (gradient[i] ?? 0) * o.gradientScale;
    const m = o.momentum * (first[i] ?? 0) + (1 - o.momentum) * g;
    first[i] = m;
    direction[i] = o.momentum * m + (1 - o.momentum) * g;
  }
  orthogonaliser.apply(direction, rows, columns);
  const rate = o.muonLr * Math.sqrt(Math.max(1, rows / columns));
  const keep = 1 - o.muonLr * o.weightDecay;
  for (let i = 0; i < values.length; i++)
    values[i] = keep * (values[i] ?? 0) - rate * (direction[i] ?? 0);
}

/** Whether Muon takes a tensor: a matrix inside a layer. */
export const isMuonSlot = (slot: ParameterSlot): boolean =>
  slot.shape.length === 2 && slot.name.startsWith('model.layers.');

/** Updates one tensor by the rule that its kind asks for. */
export function updateSlot(
  slot: ParameterSlot,
  state: TensorState,
  options: UpdateOptions,
  orthogonaliser: Orthogonalises,
): void {
  const inLayer = isMuonSlot(slot);
  if (inLayer && options.optimizer === 'muon')
    muon(state, slot.shape[0]!, slot.shape[1]!, options, orthogonaliser);
  else adamW(state, options, inLayer ? options.weightDecay : 0);
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

/** Learning-rate factor: linear warm-up, then flat, then linear to 0 (warm-up–stable–decay), or cosine. */
export function scheduleFactor(
  step: number,
  schedule: { kind: 'wsd' | 'cosine'; steps: number; warmUp: number; decayShare: number },
): number {
  const { kind, steps, warmUp, decayShare } = schedule;
  if (step < warmUp) return (step + 1) / warmUp;
  if (kind === 'cosine') {
    const progress = Math.min(1, (step - warmUp) / Math.max(1, steps - warmUp));
    return 0.5 * (1 + Math.cos(Math.PI * progress));
  }
  const decay = Math.max(1, Math.round(steps * decayShare));
  return Math.max(0, Math.min(1, (steps - step) / decay));
}
