import type { Recipe } from '../parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../parts/training-base.ts';
import { searchLoop, SHARED_DEPARTURES } from './loop.ts';

/*
 * DeepResearcher (arXiv 2504.03160; code: GAIR-NLP/DeepResearcher): at most 10 turns. Theirs searches the web
 * for snippets and opens pages with a reading agent; here a search brings the passages themselves.
 */
export const deepResearcher: Recipe = {
  id: 'deep-researcher',
  version: '2',
  title: 'DeepResearcher',
  summary: 'Up to ten searches; trained on F1 over sets of words, −1 for a broken format.',
  about: {
    paper: '2504.03160',
    kind: 'trained by RL',
    parts: ['outcome and format ladder'],
    departures: [
      ...SHARED_DEPARTURES,
      'A search brings passages; there is no second tool that opens a page, and no reading agent.',
      'Groups of 8 in place of 16.',
    ],
    published: {
      figure: 'up to +28.9 points over prompting, +7.2 over agents trained by RL on RAG',
      benchmark: 'open-domain sets of its abstract',
      model: 'Qwen2.5-7B-instruct',
    },
    sources: {
      'settings.retrieval.maxSearches': 'code: 10 turns',
      'settings.retrieval.k': 'ours; code: 10 web results',
      'grpo.objective.kl.coefficient': 'code: its GRPO',
      'grpo.groupSize': 'ours; code: 16',
      'reward.deep-researcher': 'code: reward_score/format_and_f1.py',
    },
    signature:
      'Broken formats vanish within the first steps; searches that check a first answer appear.',
  },
  settings: { ...searchLoop(3, 10), dialect: 'deep-researcher' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, set F1',
      settings: {
        ...TRAINING,
        stages: [{ steps: TRAINING.steps, reward: 'deep-researcher', weights: {} }],
        objective: { ...OBJECTIVE, kl: { form: 'k3', place: 'loss', coefficient: 1e-3 } },
      },
    },
  ],
};
