/**
 * The router's policy network π(a|s), a ∈ {local, web}: one logit for `web`,
 * `z = b + u·x + Σ_h v_h tanh(c_h + W_h·x)`, `π(web) = σ(z)`.
 */

export interface RouterWeights {
  /** Where the weights come from, in words; shown to the user. */
  origin: string;
  bias: number;
  /** u, [features]. */
  linear: number[];
  /** c, [hidden]. */
  hiddenBias: number[];
  /** W, [hidden][features]. */
  hidden: number[][];
  /** v, [hidden]. */
  output: number[];
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((total, value, i) => total + value * (b[i] ?? 0), 0);

export const sigmoid = (z: number): number =>
  z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z));

/** The logit of `web`. */
export function webLogit(weights: RouterWeights, x: readonly number[]): number {
  const hidden = weights.hidden.map((row, h) =>
    Math.tanh((weights.hiddenBias[h] ?? 0) + dot(row, x)),
  );
  return weights.bias + dot(weights.linear, x) + dot(weights.output, hidden);
}

// (tanh(c + a) − tanh(c)) / a, with its limit at a = 0.
function secant(c: number, a: number): number {
  if (Math.abs(a) < 1e-6) return 1 - Math.tanh(c) ** 2;
  return (Math.tanh(c + a) - Math.tanh(c)) / a;
}

/**
 * What each feature adds to the logit, against all features at 0: integrated gradients along the
 * straight line, which have this closed form here. They sum to `z(x) − z(0)` exactly.
 */
export function contributions(weights: RouterWeights, x: readonly number[]): number[] {
  const scales = weights.hidden.map((row, h) => {
    const c = weights.hiddenBias[h] ?? 0;
    return (weights.output[h] ?? 0) * secant(c, dot(row, x));
  });
  return x.map((value, i) => {
    const through = weights.hidden.reduce(
      (sum, row, h) => sum + (scales[h] ?? 0) * (row[i] ?? 0),
      0,
    );
    return value * ((weights.linear[i] ?? 0) + through);
  });
}

/** ∂z/∂weights at x, in the shape of the weights (`origin` aside). */
export type RouterGradient = Omit<RouterWeights, 'origin'>;

export function logitGradient(weights: RouterWeights, x: readonly number[]): RouterGradient {
  const act = weights.hidden.map((row, h) => Math.tanh((weights.hiddenBias[h] ?? 0) + dot(row, x)));
  const inner = act.map((a, h) => (weights.output[h] ?? 0) * (1 - a * a));
  return {
    bias: 1,
    linear: [...x],
    hiddenBias: inner,
    hidden: inner.map((g) => x.map((value) => g * value)),
    output: act,
  };
}
