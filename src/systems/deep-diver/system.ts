import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * DeepDiver (Pangu, arXiv 2505.24332; no code): at most 7 rounds of 2 passages per query; graded loosely first and
 * strictly after 30 % of the steps (paper: 80 steps). A search may hold five queries.
 */
export const deepDiver = defineSystem({
  id: 'deep-diver',
  version: '1',
  title: 'DeepDiver',
  summary:
    'Up to seven searches; correct rollouts that searched get a bonus if none was correct without searching.',
  about: {
    paper: '2505.24332',
    kind: 'trained by RL',
    parts: [
      'turns: several queries',
      'conditional bonus: group rule',
      'stages: loose, then strict',
    ],
    differences: [
      ...SHARED_DIFFERENCES,
      'A round has up to five queries, separated by semicolons; each counts as a search (at most 7; the paper counts rounds). The built-in policy writes one.',
      'Loose is F1 of 0.6 or every token of a gold answer, strict is exact match; the paper grades with a language model.',
      'Groups of 8 in place of 14.',
    ],
    published: {
      figure: '37.6 (cold start 27.9)',
      benchmark: 'WebPuzzle',
      model: 'Qwen2.5-7B-instruct',
    },
    sources: {
      'settings.retrieval.k': 'paper: two results a query',
      'settings.retrieval.maxSearches': 'paper: seven rounds',
      'settings.system.queries': 'paper: one to five queries a round',
      'grpo.groupSize': 'ours; paper: 14',
      'grpo.objective.kl.coefficient': 'paper',
      'grpo.stages.0.steps': 'ours, 30 % of the steps; paper: 80',
      'reward.deep-diver': 'paper',
      'reward.deep-diver-loose': 'ours, for the paper’s grade of 6 of 10 by a model',
    },
    expectedEffect:
      'The share of groups with the bonus falls, and rounds rise with difficulty; strict grading from the start scores lower.',
  },
  params: z.strictObject({ queries: z.int().min(1).max(10).default(5) }),
  traits: ({ queries }) => ({ queries }),
  settings: searchLoop(2, 7),
  training: [
    {
      name: 'grpo',
      title: 'GRPO, loose then strict, bonus for needed searches',
      settings: {
        ...TRAINING,
        stages: [
          { steps: Math.round(0.3 * TRAINING.steps), reward: 'deep-diver-loose', weights: {} },
          { steps: Math.round(0.7 * TRAINING.steps), reward: 'deep-diver', weights: {} },
        ],
        objective: { ...OBJECTIVE, kl: { form: 'k3', place: 'loss', coefficient: 1e-3 } },
      },
    },
  ],
});
