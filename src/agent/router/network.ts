import { itemAt } from '../../base/items.ts';
import { sum } from '../../base/statistics.ts';

/**
 * The router's policy network π(a|s), a ∈ {local, web}: one logit for `web`,
 * `z = b + u·x + Σ_h v_h tanh(c_h + W_h·x)`, `π(web) = σ(z)`.
 */

export interface RouterWeights {
  /** Where the weights come from, as text; shown to the user. */
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

/** @throws RangeError where `b` is shorter than `a` */
const dot = (a: readonly number[], b: readonly number[]): number =>
  sum(a.map((value, i) => value * itemAt(b, i, 'features')));

export const sigmoid = (z: number): number =>
  z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z));

/** One hidden unit: c_h, W_h and v_h. */
interface Unit {
  bias: number;
  row: readonly number[];
  output: number;
}

const unitsOf = ({ hidden, hiddenBias, output }: RouterWeights): Unit[] =>
  hidden.map((row, h) => ({
    row,
    bias: itemAt(hiddenBias, h, 'biases of hidden units'),
    output: itemAt(output, h, 'output weights of hidden units'),
  }));

const activation = ({ bias, row }: Unit, x: readonly number[]): number =>
  Math.tanh(bias + dot(row, x));

/** The logit of `web`. */
export function webLogit(weights: RouterWeights, x: readonly number[]): number {
  const hidden = sum(unitsOf(weights).map((unit) => unit.output * activation(unit, x)));
  return weights.bias + dot(weights.linear, x) + hidden;
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
  const scaled = unitsOf(weights).map(({ bias, row, output }) => ({
    row,
    scale: output * secant(bias, dot(row, x)),
  }));
  return x.map((value, i) => {
    const through = sum(
      scaled.map(({ row, scale }) => scale * itemAt(row, i, 'weights of a unit')),
    );
    return value * (itemAt(weights.linear, i, 'linear weights') + through);
  });
}

/** ∂z/∂weights at x, in the shape of the weights (`origin` aside). */
export type RouterGradient = Omit<RouterWeights, 'origin'>;

export function logitGradient(weights: RouterWeights, x: readonly number[]): RouterGradient {
  const units = unitsOf(weights).map((unit) => ({ unit, act: activation(unit, x) }));
  const inner = units.map(({ unit, act }) => unit.output * (1 - act * act));
  return {
    bias: 1,
    linear: [...x],
    hiddenBias: inner,
    hidden: inner.map((g) => x.map((value) => g * value)),
    output: units.map(({ act }) => act),
  };
}
