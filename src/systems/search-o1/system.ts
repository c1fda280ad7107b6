import { z } from 'zod';
import { defineDialect, PLAIN_TURN, searches, SHORT, tag } from '../../recipes/parts/dialect.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * Search-o1 (arXiv 2501.05366; code: sunnynexus/Search-o1): at most 10 searches, k of 10. The extraction sees the
 * reasoning as cut by its code: the first step, the last four and all steps that search.
 */
/**
 * Knowledge extraction: what the policy reads in place of passages is written for its query by someone who sees
 * its reasoning so far (Search-o1's reason-in-documents, arXiv 2501.05366, equation (4)).
 */
export const extractionSchema = z.strictObject({
  /** Most tokens of one extract. */
  maxTokens: z.int().min(1).max(2048),
  /** Whether the reasoning before the search is seen; the other arm sees the query alone. */
  reasoning: z.boolean().default(true),
});
export type Extraction = z.infer<typeof extractionSchema>;

const params = z.strictObject({
  extraction: extractionSchema.optional(),
  /** `notice`, as the released code: a repeated query gets a notice instead of passages. Absent: it is searched again. */
  repeats: z.literal('notice').optional(),
});
export type Params = z.infer<typeof params>;

/** Search-o1 (arXiv 2501.05366; code: sunnynexus/Search-o1). */
defineDialect('search-o1', {
  marks: [
    tag('think'),
    { kind: 'search', open: '<|begin_search_query|>', close: '<|end_search_query|>' },
  ],
  ...PLAIN_TURN,
  result: ['\n\n<|begin_search_result|>', '<|end_search_result|>\n\n'],
  answer: 'boxed-prose',
  instruction: ({ retrieval }) =>
    [
      'You reason step by step and can search to answer the question well.',
      'To search, write <|begin_search_query|> your query <|end_search_query|>. What matters of the pages found comes back in the form <|begin_search_result|> results <|end_search_result|>.',
      `Search again where something is missing; you may make ${searches(retrieval.maxSearches)}. Then go on with the reasoning.`,
      `Give the final answer in the form \\boxed{answer}. ${SHORT}`,
    ].join(' '),
});

export const searchO1 = defineSystem({
  id: 'search-o1',
  version: '1',
  title: 'Search-o1',
  summary:
    'Think and search; the model reads an extract of each result, written in view of the reasoning.',
  about: {
    paper: '2501.05366',
    kind: 'not trained',
    parts: ['turns', 'knowledge extraction'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'With the built-in policy the extract is whole sentences selected by the query and the last thought; it cannot be asked for one.',
      'Ten passages instead of ten web pages of 3000 characters.',
      'A repeated query is searched again; with `system.repeats=notice` it gets a notice instead of passages and is not counted, as in the released code.',
    ],
    published: {
      figure: 'GPQA 67.2, GAIA 39.8, WebWalkerQA 34.1',
      benchmark: 'GPQA, GAIA, WebWalkerQA',
      model: 'QwQ-32B, rerun by WebThinker',
    },
    sources: {
      'settings.retrieval.k': 'code',
      'settings.retrieval.maxSearches': 'code: 10 for multi-hop questions, otherwise 5',
      'settings.system.extraction.maxTokens': 'ours',
    },
    expectedEffect:
      'Tokens inserted per search fall five- to tenfold at equal accuracy; with noisy results accuracy is above that with whole passages.',
  },
  params,
  loop: () => import('./loop.ts'),
  values: { extraction: { maxTokens: 96, reasoning: true } },
  settings: promptedLoop('agent', { k: 10, maxSearches: 10 }, { dialect: 'search-o1' }),
  training: [],
});
