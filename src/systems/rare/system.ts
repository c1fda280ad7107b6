import type { Recipe } from '../../recipes/parts/recipe.ts';
import { searchLoop, SHARED_DIFFERENCES, supervisedBy } from '../../recipes/parts/loops.ts';

/*
 * RARE (arXiv 2503.23513; code: Open-DataFlow/RARE): three passages are given with the question; up to eight attempts of a
 * teacher, SFT on the first correct one, after the passages.
 */
export const rare: Recipe = {
  id: 'rare',
  version: '1',
  title: 'RARE',
  summary: 'One retrieval; learns to reason over given passages from the first correct attempt.',
  about: {
    paper: '2503.23513',
    kind: 'trained otherwise',
    parts: ['one retrieval, then a thought', 'rejection-sampling SFT'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The policy is its own teacher (paper: QwQ-32B); attempts after the first correct one are sampled but not used.',
      'Attempts are sampled in every step, at temperature 0.95 without top-p 0.7 and top-k 50.',
      'In an invented world nothing can be recalled from pre-training, so the gain over recall cannot be seen here; the optional KTO is left out.',
      'Facts are swapped by asking in worlds that no policy was trained on, where every fact differs; which old fact an answer gives cannot be determined there.',
    ],
    published: {
      figure: '76.8 (GPT-4 with RAG 75.2)',
      benchmark: 'PubMedQA',
      model: 'Llama-3.1-8B',
    },
    sources: {
      'settings.retrieval.k': 'code: Open-DataFlow/RARE',
      'sft.temperature': 'code: Open-DataFlow/RARE',
      'sft.groupSize': 'code: up to 8 attempts',
    },
    expectedEffect:
      'Answers follow swapped passages; a policy trained without passages gives the old fact.',
  },
  settings: { ...searchLoop(3, 1), loop: 'rationale' },
  training: [
    {
      name: 'sft',
      title: 'SFT on the first correct attempt of eight',
      settings: supervisedBy({ kind: 'sft', weight: 'first', gold: false }, { temperature: 0.95 }),
    },
  ],
};
