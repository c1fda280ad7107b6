import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { Recipe, Variant } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { defineCurriculum } from '../parts/define.ts';

/*
 * The empirical study of search agents (arXiv 2505.15117; code: PeterGriffinJin/Search-R1, scripts v0.3): Search-R1
 * along three axes. One variant per point: the reward, and the engine in training; the held-out score
 * always uses the real engine. Values are from the code; the paper's for the retrieval reward are not known.
 */
const params = z.strictObject({
  engine: z
    .enum(['random', 'noisy'])
    .default('noisy')
    .meta({
      title: 'Engine in training',
      choices: { random: 'random passages', noisy: 'some passages are noise' },
    }),
  /** Half where absent. */
  noise: z.number().min(0).max(1).optional().meta({
    title: 'Noise',
    description: 'Share of the passages that is replaced',
  }),
});
export type Params = z.infer<typeof params>;

defineCurriculum('empirical', {
  draws: 'as they come, with a worse engine (empirical study)',
  params,
  load: () => import('./curriculum.ts'),
});

const point = (
  name: string,
  title: string,
  reward: string,
  system?: { id: string; engine?: Params['engine'] },
): Variant => ({
  name,
  title,
  settings: trainedOn(reward, {
    curriculum: { ...(system && { system }) },
    objective: verlObjective(8),
  }),
});

const FORMAT = 'search-r1-format';

export const empirical: Recipe = {
  id: 'empirical',
  version: '2',
  title: 'Empirical study, axes of Search-R1',
  summary:
    'Search-R1 with and without a format or retrieval reward, trained with better and worse engines.',
  about: {
    paper: '2505.15117',
    kind: 'trained by RL',
    parts: ['outcome and format ladder', 'process reward: gold string', 'engine'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The axis of starting models is the choice of a run’s checkpoint.',
      'The random engine returns the passages for another question’s text.',
    ],
    sources: {
      'settings.retrieval.maxSearches': 'code: scripts/nq_hotpotqa/v0.3',
      'reward.search-r1-format': 'code: reward_score/qa_em_format.py',
    },
    expectedEffect:
      'Trained with a random engine, the policy searches less at the end; with a noisy one, less than with the real one.',
  },
  settings: { ...searchLoop(3, 4), dialect: 'search-r1' },
  training: [
    point('format', 'GRPO, format reward', FORMAT),
    point('outcome', 'GRPO, exact match only', 'search-r1'),
    point('retrieval', 'GRPO, format and retrieval reward', 'search-r1-format-retrieval'),
    point('random', 'GRPO, trained with a random engine', FORMAT, {
      id: 'empirical',
      engine: 'random',
    }),
    point('noisy', 'GRPO, trained with a noisy engine', FORMAT, {
      id: 'empirical',
      engine: 'noisy',
    }),
    point('simulated', 'GRPO, trained with a simulated engine', FORMAT, { id: 'zero-search' }),
  ],
};
