import { itemAt } from '../base/items.ts';
import { deriveSeed, uniform } from '../base/random.ts';
import { mean, quantile } from '../base/statistics.ts';

/** Intervals by bootstrap over questions. */

export interface Interval {
  mean: number;
  low: number;
  high: number;
}

export interface BootstrapOptions {
  /** Resamples; 2,000 where absent. */
  resamples?: number;
  /** Level of the interval; 0.95 where absent. */
  level?: number;
  seed?: number;
}

/** Percentile interval of the mean; each value belongs to one question, which is what is resampled. */
export function bootstrapMean(values: readonly number[], options: BootstrapOptions = {}): Interval {
  const { resamples = 2000, level = 0.95, seed = 0 } = options;
  const centre = mean(values);
  if (values.length === 0) return { mean: 0, low: 0, high: 0 };
  const means = Array.from({ length: resamples }, (_, r) => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) {
      const draw = uniform(deriveSeed(seed, r, i));
      sum += itemAt(values, Math.floor(draw * values.length), 'values');
    }
    return sum / values.length;
  }).toSorted((a, b) => a - b);
  const tail = (1 - level) / 2;
  return { mean: centre, low: quantile(means, tail), high: quantile(means, 1 - tail) };
}
