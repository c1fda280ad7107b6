import { z } from 'zod';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * RAT (arXiv 2403.05313; code: CraftJarvis/RAT): draft, split, query, revise. The range of gains is from its abstract.
 */
const params = z.strictObject({
  /** Most tokens of a draft, and of a revision. */
  maxTokens: z.int().min(1).max(1024).default(256),
  /** Most claims of one draft. */
  most: z.int().min(1).max(16).default(3),
});
export type Params = z.infer<typeof params>;

export const rat = defineSystem({
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
      'settings.system.most': 'ours',
    },
    expectedEffect:
      'Later revisions also overwrite correct earlier claims; without revisions the draft’s errors stay.',
  },
  params,
  traits: () => ({ way: 'read' }),
  loop: () => import('./loop.ts'),
  settings: promptedLoop('program', { k: 2, maxSearches: 3 }),
  training: [],
});
