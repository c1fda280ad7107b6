import { itemAt } from '../../base/items.ts';
import type { SourceName } from '../../records/hits.ts';
import {
  logitGradient,
  sigmoid,
  webLogit,
  type RouterGradient,
  type RouterWeights,
} from './network.ts';

/** Equation (23) of arXiv 2506.19466: the policy gradient of the router's loss. */

export interface RoutedCall {
  /** Features in the order of FEATURE_NAMES. */
  x: readonly number[];
  action: SourceName;
  reward: number;
}

const addScaled = (into: number[], from: readonly number[], scale: number): void => {
  into.forEach((value, i) => (into[i] = value + scale * itemAt(from, i, 'gradient')));
};

/** ∇L of (23): `−mean R(a) ∇log π(a|s)`, with `∇log π(a|s) = ([a = web] − π(web|s)) ∇z`. */
export function routerGradient(
  weights: RouterWeights,
  calls: readonly RoutedCall[],
): RouterGradient {
  const total: RouterGradient = {
    bias: 0,
    linear: weights.linear.map(() => 0),
    hiddenBias: weights.hiddenBias.map(() => 0),
    hidden: weights.hidden.map((row) => row.map(() => 0)),
    output: weights.output.map(() => 0),
  };
  for (const call of calls) {
    const gradient = logitGradient(weights, call.x);
    const error = Number(call.action === 'web') - sigmoid(webLogit(weights, call.x));
    const scale = (-call.reward * error) / calls.length;
    total.bias += scale * gradient.bias;
    addScaled(total.linear, gradient.linear, scale);
    addScaled(total.hiddenBias, gradient.hiddenBias, scale);
    addScaled(total.output, gradient.output, scale);
    total.hidden.forEach((row, h) => addScaled(row, itemAt(gradient.hidden, h, 'gradient'), scale));
  }
  return total;
}
