import { z } from 'zod';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * FLARE (arXiv 2305.06983; code: jzbjyb/FLARE, its setting for 2WikiMultihopQA: θ 0.8, β 0.4, k of 2). The published figure is from
 * FlashRAG's rerun, with θ = β = 0.2.
 */
const params = z.strictObject({
  /** A token below θ in the sentence that the policy would write next asks for passages (section 3.2). */
  theta: z.number().min(0).max(1),
  /** The query is that sentence without the tokens below β. */
  beta: z.number().min(0).max(1),
  /** Most tokens of one look ahead. */
  lookAhead: z.int().min(1).max(512),
  sentences: z.int().min(1).max(32),
  /** θ = β = 0.2 and at most 5 sentences, as FlashRAG's re-implementation has it: it hardly ever retrieves. */
  asReleased: z.boolean().default(false),
});
export type Params = z.infer<typeof params>;

export const flare = defineSystem({
  id: 'flare',
  version: '1',
  title: 'FLARE',
  summary:
    'Look one sentence ahead; if a token in it is unlikely, retrieve with the rest of it and write it again.',
  about: {
    paper: '2305.06983',
    kind: 'not trained',
    parts: ['confidence-triggered retrieval'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'A sentence is a thought, an answer block or a line; tokens are the policy’s own.',
      'The built-in policy thinks without planning searches; a search that it writes anyway is made.',
      '`system.asReleased` has θ = β = 0.2 and five sentences, as in FlashRAG’s re-implementation.',
    ],
    published: {
      figure: 'F1 28.0, EM 22.5 on NQ',
      benchmark: 'HotpotQA',
      model: 'Llama-3-8B-Instruct, rerun by FlashRAG',
    },
    sources: {
      'settings.retrieval.k': 'code: jzbjyb/FLARE, 2Wiki',
      'settings.system.theta': 'code: jzbjyb/FLARE, 2Wiki',
      'settings.system.beta': 'code: jzbjyb/FLARE, 2Wiki',
      'settings.system.lookAhead': 'code: jzbjyb/FLARE',
      'settings.system.sentences': 'ours',
    },
    expectedEffect:
      'Searches rise with θ and exact match with them, up to the policy’s calibration; at θ = 0.2 it is naive generation.',
  },
  params,
  values: { theta: 0.8, beta: 0.4, lookAhead: 64, sentences: 16 },
  traits: () => ({ way: 'think' }),
  loop: () => import('./loop.ts'),
  settings: promptedLoop('program', { k: 2, maxSearches: 8 }, { dialect: 'thoughts' }),
  training: [],
});
