import { itemAt } from '../../base/items.ts';

/**
 * The critic's value head: V = w · h / rms(h) + b over the hidden state h after the policy's last layer, from which the
 * next token is predicted. It learns alone: no gradient goes into the policy, where published critics are whole models.
 */

/** w, then b: hidden size + 1 values. AdamW's moments beside them. */
export interface CriticState {
  values: Float32Array;
  first: Float32Array;
  second: Float32Array;
  updates: number;
}

export const initialCritic = (width: number): CriticState => ({
  values: new Float32Array(width + 1),
  first: new Float32Array(width + 1),
  second: new Float32Array(width + 1),
  updates: 0,
});

const EPS = 1e-6;

/** Rows of hidden states, each over its root mean square. @param hidden [rows, width] */
export function normalised(hidden: Float32Array, width: number): Float32Array {
  const out = new Float32Array(hidden.length);
  for (let from = 0; from < hidden.length; from += width) {
    let squares = 0;
    for (let i = from; i < from + width; i++) squares += (hidden[i] ?? 0) ** 2;
    const scale = 1 / Math.sqrt(squares / width + EPS);
    for (let i = from; i < from + width; i++) out[i] = (hidden[i] ?? 0) * scale;
  }
  return out;
}

/** V of each row. @param features [rows, width] @param head width + 1 values */
export function valuesOf(features: Float32Array, head: Float32Array): Float64Array {
  const width = head.length - 1;
  const out = new Float64Array(features.length / width);
  for (let row = 0; row < out.length; row++) {
    let sum = itemAt(head, width);
    for (let i = 0; i < width; i++) sum += (head[i] ?? 0) * (features[row * width + i] ?? 0);
    out[row] = sum;
  }
  return out;
}

/**
 * PPO's value loss as verl has it: ½ mean max((V − R)², (clip(V, V_old ± c) − R)²), and its gradient by the head.
 * @param returns R of each row
 * @param old V of each row before the step
 */
export function valueLoss(
  features: Float32Array,
  head: Float32Array,
  { returns, old, clip }: { returns: Float64Array; old: Float64Array; clip: number },
): { loss: number; gradient: Float64Array } {
  const width = head.length - 1;
  const values = valuesOf(features, head);
  const gradient = new Float64Array(head.length);
  let loss = 0;
  values.forEach((value, row) => {
    const [before, target] = [itemAt(old, row), itemAt(returns, row)];
    const bounded = Math.min(before + clip, Math.max(before - clip, value));
    const [free, held] = [(value - target) ** 2, (bounded - target) ** 2];
    loss += Math.max(free, held) / (2 * values.length);
    // Beyond the clip the bounded value does not move with V.
    if (held > free && bounded !== value) return;
    const slope = (value - target) / values.length;
    for (let i = 0; i < width; i++)
      gradient[i] = (gradient[i] ?? 0) + slope * (features[row * width + i] ?? 0);
    gradient[width] = (gradient[width] ?? 0) + slope;
  });
  return { loss, gradient };
}
