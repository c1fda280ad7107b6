import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { ChartSpec } from '../../kit/charts/series.ts';
import { line, spec, type Steps } from './chart-parts.ts';

/** What the KL weighs, where its coefficient changes from step to step; else it is in the settings. */
export const klCoefficient = (steps: Steps, { objective: { kl } }: TrainSettings): ChartSpec[] =>
  (kl.adaptive ?? kl.system)
    ? [
        spec(
          'kl-coefficient',
          'KL coefficient',
          kl.adaptive
            ? `goes after ${kl.form} of ${kl.adaptive.target} nats per token`
            : 'changes from step to step',
          'number',
          [line(steps, 'coefficient', 0, (step) => step.klCoefficient)],
          { include: [0], empty: 'Shows after the first step.' },
        ),
      ]
    : [];
