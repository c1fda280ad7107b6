import { z } from 'zod';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * ActiveRAG (arXiv 2402.13547; code: OpenMatch/ActiveRAG): anchoring, associate, logician and cognition over 5 passages. No
 * figure is given: the published ones choose the best agent per benchmark.
 */
/** Each agent extracts something else from the passages and revises the answer with it (section 3). */
export const ROLES = ['anchoring', 'associate', 'logician', 'cognition'] as const;

const params = z.strictObject({
  /** Whose answer counts: one agent's, as the paper reports each, or what most of them say. */
  answer: z.enum([...ROLES, 'vote']).default('vote'),
});
export type Params = z.infer<typeof params>;

export const activeRag = defineSystem({
  id: 'active-rag',
  version: '1',
  title: 'ActiveRAG',
  summary:
    'A chain-of-thought answer, then four agents that each revise it with a different view of the passages.',
  about: {
    paper: '2402.13547',
    kind: 'not trained',
    parts: ['knowledge extraction', 'vote'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Only chat models: the built-in policy knows no roles and is refused.',
      'The answers are voted on; the paper reports the best agent per benchmark (`system.answer` chooses one).',
    ],
    sources: {
      'settings.retrieval.k': 'code: OpenMatch/ActiveRAG',
      'settings.system.answer': 'ours; paper: the best of four',
    },
    expectedEffect:
      'Each agent is about as good as the vote, and the best of four in hindsight is far above both.',
  },
  needs: 'words',
  params,
  loop: () => import('./loop.ts'),
  settings: promptedLoop('program', { k: 5, maxSearches: 1 }),
  training: [],
});
