import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * RAT (arXiv 2403.05313; code: CraftJarvis/RAT): draft, split, query, revise. The range of gains is of its abstract.
 */
export const rat: Recipe = {
  id: 'rat',
  version: '1',
  title: 'RAT',
  summary:
    'A draft from memory, then claim by claim a query, passages and a revision of the answer so far.',
  about: {
    paper: '2403.05313',
    kind: 'not trained',
    parts: ['draft as query', 'verify and retry'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Claims are sentences, at most three; the last revision is the answer that stands in the record.',
      'The built-in policy’s draft is its plan: each part is asked of what stands so far, and a revision is the short answer to that.',
      'Passages in place of web pages. A step whose search fails is skipped, its claim unrevised, as theirs is after 30 s; how long a search may take is the search engine’s limit.',
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
      'Later revisions also overwrite right earlier claims; without revisions the draft’s errors stay.',
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
