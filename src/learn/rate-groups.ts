import type { PolicyConfig } from '../policy/checkpoint/config.ts';
import { loraSize } from '../policy/lora/spec.ts';
import type { TrainSettings } from '../recipes/parts/training.ts';

/** Values of an adapter that learn at one rate: [from, to), at `factor` times the adapter's. */
export interface RateGroup {
  readonly from: number;
  readonly to: number;
  readonly factor: number;
}

/** The whole adapter at its own rate. */
export const ONE_RATE: readonly RateGroup[] = [{ from: 0, to: Infinity, factor: 1 }];

/** Factors, weights of gates, Λ: HRPO's groups of parameters (patch.py), which follow one schedule. */
export function rateGroups(
  config: PolicyConfig,
  { adapter, optimizer }: Pick<TrainSettings, 'adapter' | 'optimizer'>,
): readonly RateGroup[] {
  const { gates } = adapter;
  if (!gates) return ONE_RATE;
  const factors = loraSize(config, adapter);
  const { hiddenSize: width } = config;
  const lambda = factors + 2 * (width * width + width);
  const { learningRate } = optimizer;
  return [
    { from: 0, to: factors, factor: 1 },
    { from: factors, to: lambda, factor: gates.learningRate / learningRate },
    { from: lambda, to: Infinity, factor: gates.lambdaLearningRate / learningRate },
  ];
}
