import type { Recipe } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE } from '../../recipes/parts/training-base.ts';
import { UNTRUNCATED, UR2_SETTINGS, UR2_TRAINING } from '../ur2/system.ts';

/*
 * UR² as in its code (Tsinghua-dhy/UR2), where that differs from the paper (../ur2.ts):
 * - A query is a fault from 21 words, not from 20 (reward_server_*.py).
 * - Stage 1 pays +3 and +4 for opening tags of queries, not for valid queries; more than four queries are a
 *   violation. Stage 2 pays 2·F1 for the answer (reward.ts has the rest).
 * - REINFORCE++-baseline without division by the group's deviation, and clip 0.2 in force, because a batch
 *   is split into four updates (1,024 rollouts by 256).
 * - The loss divides by each rollout's own tokens, as (1) does.
 *
 * The code masks only text between the document tags, so the hint after a fallback is trained on
 * as if the policy had written it. That fault is not reproduced: only the policy's own tokens are trained.
 * The other differences are those of `ur2`.
 */
export const ur2Released: Recipe = {
  id: 'ur2-released',
  version: '1',
  title: 'UR², as released',
  summary: 'UR² with the rewards and the loss of its released code, which differ from the paper’s.',
  settings: {
    ...UR2_SETTINGS,
    retrieval: { ...UR2_SETTINGS.retrieval, queryWords: 20 },
  },
  training: [
    {
      name: 'two-stages',
      title: 'two stages, as in its released code',
      differences: UNTRUNCATED,
      settings: {
        ...UR2_TRAINING,
        updates: 4,
        stages: [
          { steps: 10, reward: 'ur2-stage-1-released', weights: {} },
          { steps: 90, reward: 'ur2-stage-2-released', weights: {} },
        ],
        objective: { ...OBJECTIVE, estimator: 'reinforce++-baseline' },
      },
    },
  ],
};
