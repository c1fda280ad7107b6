import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { searchLoop, SHARED_DIFFERENCES, STORED, supervisedBy } from '../../recipes/parts/loops.ts';

/*
 * DTO (arXiv 2505.21765): a trajectory is cut where its answer would be correct, and the cut one is preferred to the whole.
 * α and the number of samples were not available: 0.9 and 8 are ours.
 */
export const dto: Recipe = {
  id: 'dto',
  version: '1',
  title: 'DTO, think wisely',
  summary:
    'Samples its answer after every result; prefers rollouts cut where that answer is correct.',
  about: {
    paper: '2505.21765',
    kind: 'trained otherwise',
    parts: ['answers sampled at every turn', 'DPO pairs of stored trajectories'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Cuts are at the end of a result; the paper cuts a thought by patterns. Only what follows the cut is removed; useless parts before it stay.',
      'DPO; a review of the paper names another preference loss.',
      `${STORED} \`lab rollout --recipe dto\` samples eight answers after each result, and \`lab trajectories --pairs truncated\` cuts.`,
      'The loop also samples these answers in evaluation, which costs tokens and changes no answer.',
    ],
    published: {
      figure: 'about 3,000 tokens instead of 5,000, accuracy up to +12 %',
      benchmark: 'sets of mathematics, its abstract',
      model: 'reasoning models of its abstract',
    },
    sources: {
      'settings.stie.candidates': 'ours; not given',
      'dpo.stages.0.loss.beta': 'ours; not given',
    },
    expectedEffect:
      'Searches per question fall without a loss of accuracy; pairs of random lengths lose accuracy.',
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
