import type {
  Normalisation,
  MaskChoice,
  WhatIfSettings,
} from '../../evaluate/inspect/what-if/index.ts';

/** GRPO as published, with the clip that most frameworks begin with; the file itself names no settings. */
export const DEFAULT_SETTINGS: WhatIfSettings = {
  objective: {
    estimator: 'grpo',
    clip: { low: 0.2, high: 0.2 },
    dualClip: null,
    logRatioClamp: 20,
    aggregation: 'sequence-mean',
    constantLength: 1024,
    kl: { form: 'k3', place: 'off', coefficient: 0.001 },
  },
  normalisation: 'estimator',
  mask: 'stored',
};

export const NORMALISATIONS: Record<Normalisation, string> = {
  estimator: 'as the estimator is published',
  none: 'none: reward less baseline',
  group: 'by the group’s deviation',
  batch: 'whitened over the tokens at hand',
  'group-and-batch': 'both',
};

export const MASKS: Record<MaskChoice, string> = {
  stored: 'as the file says',
  policy: 'what the policy wrote',
  response: 'everything but the prompt',
  'all-but-documents': 'everything but documents',
};

/** "GRPO, sequence-mean, clip 0.2 … 0.2, no KL": what the computed numbers stand on. */
export const settingsWords = ({ objective, normalisation, mask }: WhatIfSettings): string => {
  const { estimator, aggregation, clip, kl } = objective;
  return [
    estimator,
    aggregation,
    clip ? `clip −${clip.low} … +${clip.high}` : 'no clip',
    kl.place === 'off' ? 'no KL' : `KL ${kl.form} × ${kl.coefficient} in the ${kl.place}`,
    normalisation === 'estimator' ? null : `normalised: ${NORMALISATIONS[normalisation]}`,
    mask === 'stored' ? null : `mask: ${MASKS[mask]}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
};
