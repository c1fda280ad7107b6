import type { SourceName } from '../../../src/records/hits.ts';
import { webLogit, type RouterWeights } from '../../../src/agent/router/network.ts';

/** log π(a|s), computed so that neither tail overflows. */
export function logProbability(
  weights: RouterWeights,
  x: readonly number[],
  action: SourceName,
): number {
  const z = webLogit(weights, x) * (action === 'web' ? 1 : -1);
  return z >= 0 ? -Math.log1p(Math.exp(-z)) : z - Math.log1p(Math.exp(z));
}
