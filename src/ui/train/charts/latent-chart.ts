import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { ChartSpec } from '../../kit/charts/series.ts';
import { line, spec, type Steps } from './chart-parts.ts';

/** HRPO: how much of each token is left in what the policy reads while it thinks; absent without gates. */
export const latent = (steps: Steps, { adapter }: TrainSettings): ChartSpec[] =>
  adapter.gates
    ? [
        spec(
          'gates',
          'Gates: 1 − a',
          'mean over the latent tokens; 0: only the token',
          'share',
          // a weighs the token itself (docs/methods.md, section 10): what rises is what is read besides.
          [line(steps, '1 − a', 0, ({ latent: read }) => read && 1 - read.gate)],
          { include: [0], empty: 'Shows after the first step.' },
        ),
        spec(
          'latent',
          'Latent tokens',
          'tokens that were read as mixtures, a rollout, mean',
          'tokens',
          [line(steps, 'tokens', 0, (step) => step.latent?.tokens)],
          { include: [0] },
        ),
      ]
    : [];
