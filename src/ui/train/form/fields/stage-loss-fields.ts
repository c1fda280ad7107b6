import type { TrainSettings } from '../../../../recipes/parts/training.ts';

/** The fields of what a stage learns by, kind by kind. */

export type Loss = NonNullable<TrainSettings['stages'][number]['loss']>;

/** As the form holds it: a number may be unfinished. */
export type DraftLoss = Readonly<Record<string, unknown>> & { readonly kind: Loss['kind'] };

/** A constant of a loss as a field; the equations are in docs/methods.md, section 4. */
export type LossField = {
  name: string;
  label: string;
  title: string;
} & (
  | {
      of: 'number';
      min?: number;
      max?: number;
      /** Whole numbers alone where absent. */
      step?: number;
      /** What holds where it is empty; it may not be where this is absent. */
      absent?: string;
    }
  | { of: 'choice'; choices: Readonly<Record<string, string>>; absent?: string }
  | { of: 'switch' }
);

const BETA: LossField = {
  of: 'number',
  name: 'beta',
  label: 'β',
  title: 'Factor of the difference of the two log-likelihood ratios (DPO, equation 7); above 0',
  min: 0,
  step: 0.05,
};

const NLL: LossField = {
  of: 'number',
  name: 'nll',
  label: 'Likelihood ×',
  title: 'Factor of the better one’s own likelihood in the loss, a mean over its tokens; 0: none',
  min: 0,
  step: 0.1,
};

const BATCH: LossField = {
  of: 'number',
  name: 'batch',
  label: 'An update',
  title: 'Stored trajectories, or pairs, that an update takes',
  min: 1,
  max: 1024,
};

/** How pairs are learned from, whichever they are. */
const LEARNING: readonly LossField[] = [
  {
    of: 'number',
    name: 'rounds',
    label: 'Rounds',
    title: 'The reference is the model with which each round begins; none: the checkpoint',
    min: 1,
    max: 1000,
    absent: 'none',
  },
];

const PASSES: readonly LossField[] = [
  {
    of: 'number',
    name: 'passes',
    label: 'Passes',
    title: 'How often the pairs of a step are learned from',
    min: 1,
    max: 64,
    absent: '1',
  },
  {
    of: 'number',
    name: 'pairsAnUpdate',
    label: 'Pairs per update',
    title: 'A pass over more is several updates; all: a pass is one',
    min: 1,
    max: 1024,
    absent: 'all',
  },
];

/** In the order of the form. */
export const LOSS_FIELDS: Readonly<Record<Loss['kind'], readonly LossField[]>> = {
  sft: [
    {
      of: 'choice',
      name: 'weight',
      label: 'Weighed by',
      title: 'What each rollout of a question counts in the likelihood',
      choices: {
        right: 'right ones alike',
        first: 'only the first right one',
        likelihood: 'how likely it makes the gold answer',
        best: 'the one with the likeliest gold answer',
        uniform: 'all alike',
        released: '−log p of the gold answer, as ExSearch’s code',
      },
    },
    {
      of: 'switch',
      name: 'gold',
      label: 'Gold in place of its answer',
      title: 'The gold answer replaces the model’s own',
    },
  ],
  dpo: [
    BETA,
    NLL,
    {
      of: 'number',
      name: 'high',
      label: 'Better from',
      title: 'A rollout is the better one of a pair where its reward is at least this',
      step: 0.05,
    },
    {
      of: 'number',
      name: 'low',
      label: 'Worse up to',
      title: 'A rollout is the worse one of a pair where its reward is at most this',
      step: 0.05,
    },
    ...LEARNING,
  ],
  'efficient-dpo': [
    BETA,
    NLL,
    {
      of: 'number',
      name: 'gamma',
      label: 'Length ratio',
      title: 'The longer one is more than this many times as long',
      min: 1,
      step: 0.1,
    },
    ...LEARNING,
    ...PASSES,
  ],
  'action-dpo': [BETA, NLL, ...LEARNING],
  'stored-sft': [BATCH],
  'stored-dpo': [BETA, NLL, BATCH],
};
