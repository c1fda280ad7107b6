import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * RAT (arXiv 2403.05313; code: CraftJarvis/RAT): draft, split, query, revise. The range of gains is from its abstract.
 */
export const rat: Recipe = {
  id: 'rat',
  version: '1',
  title: 'RAT',
  summary:
    'A draft from memory, then per claim a query, passages and a revision of the answer so far.',
  about: {
    paper: '2403.05313',
    kind: 'not trained',
    parts: ['draft as query', 'verify and retry'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Claims are sentences, at most three; the last revision is the recorded answer.',
      'The built-in policy’s draft is its plan: each part is a question about the answer so far, and a revision is the short answer to it.',
      'Passages instead of web pages. A step whose search fails is skipped and its claim not revised, as in the paper after 30 s; the search engine’s own time limit applies.',
    ],
    published: {
      figure: '+13 to +43 % relative',
      benchmark: 'four long-form tasks',
      model: 'GPT-3.5, GPT-4, CodeLlama',
    },
    sources: {
      'settings.method.query.most': 'ours',
    },
    expectedEffect:
      'Later revisions also overwrite correct earlier claims; without revisions the draft’s errors stay.',
  },
  settings: promptedLoop(
    'draft-revise',
    { k: 2, maxSearches: 3 },
    {
      method: { query: { rule: 'claim', maxTokens: 256, most: 3 } },
    },
  ),
  training: [],
};
