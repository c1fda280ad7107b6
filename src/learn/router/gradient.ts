import { routerGradient, type RoutedCall } from '../../agent/router/gradient.ts';
import {
  logitGradient,
  sigmoid,
  webLogit,
  type RouterWeights,
} from '../../agent/router/network.ts';
import { itemAt } from '../../base/items.ts';
import { flatten } from './parameters.ts';

export interface GradientOptions {
  /** b, taken from every reward; 0 is (23) as printed. */
  baseline: number;
  /** Factor of the mean entropy of π(·|s) over the calls, which is taken from the loss. */
  entropy: number;
}

/**
 * Gradient of `−mean (R(a) − b) log π(a|s) − entropy · mean H(π(·|s))`, flat. Equation (23) of arXiv
 * 2506.19466 has neither baseline nor entropy. With `z` the logit of web and `p = σ(z)`,
 * `dH/dz = −z p (1 − p)`.
 */
export function flatGradient(
  weights: RouterWeights,
  calls: readonly RoutedCall[],
  { baseline, entropy }: GradientOptions,
): number[] {
  const centred = calls.map((call) => ({ ...call, reward: call.reward - baseline }));
  const total = flatten(routerGradient(weights, centred));
  if (entropy === 0) return total;
  for (const { x } of calls) {
    const z = webLogit(weights, x);
    const p = sigmoid(z);
    const scale = (entropy * z * p * (1 - p)) / calls.length;
    const gradient = flatten(logitGradient(weights, x));
    total.forEach((so, i) => (total[i] = so + scale * itemAt(gradient, i, 'gradient')));
  }
  return total;
}
