import type { Recipe } from '../../parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';

/*
 * Tool-Star (arXiv 2505.16410; code: dongguanting/Tool-Star): search and a second tool, at most 3 calls, F1 with a
 * bonus where both tools led to a right answer.
 */
const stage = { reward: 'tool-star', weights: {} };
const objective = { ...OBJECTIVE, aggregation: 'token-mean' } as const;

export const toolStar: Recipe = {
  id: 'tool-star',
  version: '2',
  title: 'Tool-Star',
  summary: 'Searches and computes; right answers that used both tools earn a little more.',
  about: {
    paper: '2505.16410',
    kind: 'trained by RL',
    parts: [
      'blocks: compute',
      'code tool',
      'conditional bonus: both tools',
      'stages: RL, then DPO',
    ],
    differences: [
      ...SHARED_DIFFERENCES,
      'The second tool is a calculator over retrieved values in place of Python, and only searches are counted against the limit of 3.',
      'Theirs learns both tools from 54,000 trajectories. The shipped policy was shown its blocks in its training.',
      'The DPO behind the reinforcement learning pairs rollouts of 0.75 and more with those of 0 and less; its constants are ours. Its reference is the checkpoint; `tool-star/rounds` takes the policy as a round begins.',
    ],
    sources: {
      'settings.retrieval.k': 'ours; code: 10 web snippets',
      'settings.retrieval.maxSearches': 'code: three calls',
      'grpo.groupSize': 'code: 8',
      'reward.tool-star':
        'code: Tool_Star_RL/src/verl/verl/utils/reward_score/re_search.py, 0.1 for both tools',
    },
    expectedEffect:
      'The share of right rollouts that use both tools rises; without the bonus it does not. Both tools on questions that need one would be farming.',
  },
  settings: { ...searchLoop(3, 3), blocks: ['compute'], dialect: 'tool-star' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO without KL, F1 and a bonus for both tools',
      settings: { ...TRAINING, stages: [{ ...stage, steps: TRAINING.steps }], objective },
    },
    {
      name: 'dpo',
      title: 'GRPO, then DPO on its own rollouts',
      settings: {
        ...TRAINING,
        stages: [
          { ...stage, steps: Math.round(0.8 * TRAINING.steps) },
          {
            ...stage,
            steps: Math.round(0.2 * TRAINING.steps),
            loss: { kind: 'dpo', beta: 0.1, nll: 0, high: 0.75, low: 0 },
          },
        ],
        objective,
      },
    },
    {
      name: 'rounds',
      title: 'GRPO, then two rounds of DPO, each from the policy as it stands',
      differences:
        'The first round’s reference is the policy behind the reinforcement learning. How many rounds theirs has is not confirmed.',
      settings: {
        ...TRAINING,
        stages: [
          { ...stage, steps: Math.round(0.8 * TRAINING.steps) },
          {
            ...stage,
            steps: Math.round(0.2 * TRAINING.steps),
            loss: { kind: 'dpo', beta: 0.1, nll: 0, high: 0.75, low: 0, rounds: 2 },
          },
        ],
        objective,
      },
    },
  ],
};
