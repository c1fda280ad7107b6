import type { Recipe } from './recipe.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import { OBJECTIVE, TRAINING } from './training-base.ts';

/*
 * UR² (arXiv 2508.06165).
 *
 * Loop: think and search in rounds, as the plain search loop has it. Departures: the tags of the
 * built-in policy, both sources in place of one, and passages in place of summaries, which
 * `retrieval.summarize` switches on where there is a summarizer.
 *
 * Training as the paper has it: stage 1 (10 steps) rewards form and retrieval, stage 2 the answer; no
 * clip, no KL. Its difficulty curriculum first scores a pool with the rollouts of 30 steps: 240
 * questions by 8, not by the paper's 20, because the built-in policy finds few questions hard and 0.7 of
 * all draws are. Departure: paper (C.1) and code draw at top-p 0.9 and compute log-probabilities over
 * the whole vocabulary, so that ratio and gradient are of another distribution than was drawn from. Here
 * top-p is 1. The loss divides by each rollout's own tokens (1), as the released code does.
 *
 * Training as the released code has it (Tsinghua-dhy/UR2): 2·F1 for the answer and +3 for opening tags,
 * REINFORCE++-baseline without division by the group's deviation, clip 0.2 in force because a batch is
 * split into four updates (1,024 rollouts by 256), mean over each rollout's tokens first. The code masks
 * only what stands between the document tags, so that its fallback hint is trained as if the policy had
 * written it. That fault is not reproduced: tokens are trained by who wrote them, here as everywhere.
 */

const UNTRUNCATED =
  'Paper and code draw at top-p 0.9 and compute log-probabilities over the whole vocabulary, so that ' +
  'the gradient is of another distribution than was drawn from. Here top-p is 1.';

const curriculum = {
  ...TRAINING.curriculum,
  kind: 'difficulty',
  pool: 240,
  scoringRollouts: 8,
} as const;

export const ur2: Recipe = {
  id: 'ur2',
  version: '1',
  title: 'UR²',
  summary:
    'Think, search, read, repeat, as the plain search loop; trained on hard questions first, in two stages.',
  settings: DEFAULT_SETTINGS,
  training: [
    {
      name: 'paper',
      title: 'two stages, as the paper',
      departures: UNTRUNCATED,
      formerId: 'ur2',
      settings: {
        ...TRAINING,
        curriculum,
        stages: [
          { steps: 10, reward: 'ur2-stage-1', weights: {} },
          { steps: 90, reward: 'ur2-stage-2', weights: {} },
        ],
        objective: { ...OBJECTIVE, estimator: 'ur2', clip: null },
      },
    },
    {
      name: 'released',
      title: 'two stages, as its released code',
      departures: UNTRUNCATED,
      formerId: 'ur2-released',
      settings: {
        ...TRAINING,
        updates: 4,
        curriculum,
        stages: [
          { steps: 10, reward: 'ur2-stage-1-released', weights: {} },
          { steps: 90, reward: 'ur2-stage-2-released', weights: {} },
        ],
        objective: { ...OBJECTIVE, estimator: 'reinforce++-baseline' },
      },
    },
  ],
};
