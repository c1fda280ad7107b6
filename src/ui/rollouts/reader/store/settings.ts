import { aggregationWords } from '../../../../recipes/parts/training.ts';
import type { LossSettings } from '../../../../evaluate/rollouts/what-if/training.ts';
import type { Normalisation } from '../../../../evaluate/rollouts/what-if/advantages.ts';
import type { MaskChoice } from '../../../../evaluate/rollouts/what-if/tokens.ts';
import type { WhatIfSettings } from '../../../../evaluate/rollouts/what-if/what-if.ts';

/** Published GRPO with the usual clip, for files without settings. */
export const DEFAULT_SETTINGS: WhatIfSettings = {
  objective: {
    estimator: 'grpo',
    clip: { low: 0.2, high: 0.2 },
    dualClip: null,
    aggregation: 'sequence-mean',
    kl: { form: 'k3', place: 'off', coefficient: 0.001 },
  },
  normalisation: 'estimator',
  mask: 'stored',
};

/** The settings for computed numbers: those of the training, if known. */
export const settingsFor = (loss: LossSettings | null): WhatIfSettings =>
  loss ? { ...DEFAULT_SETTINGS, objective: loss.objective } : DEFAULT_SETTINGS;

/** The same with another estimator, to start a comparison. */
export const alternativeTo = (settings: WhatIfSettings): WhatIfSettings => {
  const estimator = settings.objective.estimator === 'dr-grpo' ? 'grpo' : 'dr-grpo';
  return { ...settings, objective: { ...settings.objective, estimator } };
};

/** Origin of the settings. */
export const settingsSource = (loss: LossSettings | null): string =>
  loss
    ? `the settings of the run (${loss.preset})`
    : 'default settings: the file does not state its training settings';

/** How advantages are scaled, as text. */
export const NORMALISATIONS: Record<Normalisation, string> = {
  estimator: 'as the estimator is published',
  none: 'none: reward minus baseline',
  group: 'by the group’s deviation',
  batch: 'whitened over the tokens of the group',
  'group-and-batch': 'both',
};

/** Which tokens are trained, as text. */
export const MASKS: Record<MaskChoice, string> = {
  stored: 'as the file says',
  policy: 'what the model wrote',
  response: 'everything but the prompt',
  'all-but-documents': 'everything but documents',
};

/** "GRPO, sequence-mean, clip 0.2 … 0.2, no KL": basis of the computed numbers. */
export const settingsWords = ({ objective, normalisation, mask }: WhatIfSettings): string => {
  const { estimator, aggregation, clip, dualClip, kl } = objective;
  return [
    estimator,
    aggregationWords(aggregation),
    clip ? `clip −${clip.low} … +${clip.high}` : 'no clip',
    dualClip === null ? null : `dual clip ${dualClip}`,
    kl.place === 'off' ? 'no KL' : `KL ${kl.form} × ${kl.coefficient} in the ${kl.place}`,
    normalisation === 'estimator' ? null : `normalised: ${NORMALISATIONS[normalisation]}`,
    mask === 'stored' ? null : `mask: ${MASKS[mask]}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
};
