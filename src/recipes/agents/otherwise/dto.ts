import { DEFAULT_SETTINGS } from '../../parts/settings.ts';
import type { Recipe } from '../../parts/recipe.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';
import { STORED, supervisedBy } from './shared.ts';

/*
 * DTO (arXiv 2505.21765): a trajectory is cut where its answer would be right, and the cut one is preferred to the whole.
 * α and the number of samples were not available: 0.9 and 8 are ours.
 */
export const dto: Recipe = {
  id: 'dto',
  version: '1',
  title: 'DTO, think wisely',
  summary:
    'Samples its answer behind every result; prefers rollouts cut where they would be right.',
  about: {
    paper: '2505.21765',
    kind: 'trained otherwise',
    parts: ['answers sampled at every turn', 'DPO pairs of stored trajectories'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A boundary is the end of a result, where theirs cuts a thought into patterns; what does not help is not pruned, only what is behind the cut.',
      'DPO, where a review of it names another preference loss.',
      `${STORED} \`lab rollout --recipe dto\` samples eight answers behind each result, and \`lab trajectories --pairs truncated\` cuts.`,
      'Its loop samples these answers in evaluation, too, which costs tokens and changes no answer.',
    ],
    published: {
      figure: 'about 3,000 tokens in place of 5,000, accuracy up to +12 %',
      benchmark: 'sets of mathematics, its abstract',
      model: 'reasoning models of its abstract',
    },
    sources: {
      'settings.stie.candidates': 'ours; not given',
      'dpo.stages.0.loss.beta': 'ours; not given',
    },
    expectedEffect:
      'Searches a question fall without a loss of accuracy; pairs of other lengths at random lose it.',
  },
  settings: {
    ...searchLoop(2, 6),
    stie: {
      ...DEFAULT_SETTINGS.stie,
      mode: 'corrected',
      overQueries: false,
      candidates: 8,
      // Nothing is blocked or stopped: the answers are only looked at.
      maxCount: 1000,
      stop: {
        ...DEFAULT_SETTINGS.stie.stop,
        overlap: 'off',
        confidence: false,
        newInformation: false,
      },
    },
  },
  training: [
    {
      name: 'dpo',
      title: 'DPO on stored pairs of a cut and a whole rollout',
      differences: STORED,
      trajectories: { choice: { weight: 'none', pairs: 'truncated' } },
      settings: supervisedBy({ kind: 'stored-dpo', beta: 0.1, nll: 0, batch: 8 }),
    },
  ],
};
