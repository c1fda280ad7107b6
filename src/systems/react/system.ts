import { z } from 'zod';
import { defineDialect, PLAIN_TURN, SHORT } from '../../recipes/parts/dialect.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * ReAct (arXiv 2210.03629; code: ysymyth/ReAct): 7 steps, the last of them `Finish`; a search shows the first 5 sentences or
 * 5 similar titles.
 */
/** A search opens the page of that name and shows its first sentences, or names similar pages (section 3.1, its wikienv.py). */
const params = z.strictObject({
  /** Sentences of a page that a search shows. */
  sentences: z.int().min(1).max(20),
  /** Titles that are named where there is no such page. */
  similar: z.int().min(1).max(10),
});

export type Params = z.infer<typeof params>;

/** ReAct (arXiv 2210.03629; code: ysymyth/ReAct). */
defineDialect('react', {
  marks: [
    { kind: 'search', open: 'Search[', close: ']' },
    { kind: 'lookup', open: 'Lookup[', close: ']' },
    { kind: 'short_answer', open: 'Finish[', close: ']' },
  ],
  ...PLAIN_TURN,
  thought: ['Thought: ', '\nAction: '],
  result: ['\nObservation:', '\n'],
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'Answer the question in steps of Thought, Action, Observation. A thought reasons about where you are. An action is one of:',
      '(1) Search[entity], which opens the page of that exact name and shows its first sentences, or names similar pages where there is none;',
      '(2) Lookup[text], which shows the next sentence with that text on the page you opened last;',
      '(3) Finish[answer], which gives the answer and ends.',
      '',
      'Write:',
      'Thought: what is missing',
      'Action: Search[entity]',
      '',
      `and stop; the observation comes next. You may take ${retrieval.maxSearches} steps. ${SHORT}`,
    ].join('\n'),
});

export const react = defineSystem({
  id: 'react',
  version: '1',
  title: 'ReAct',
  summary: 'Thought, action, observation: open a page by its name, look a text up on it, finish.',
  about: {
    paper: '2210.03629',
    kind: 'not trained',
    parts: ['page search and look-up'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'A passage is a page: passages are short, so a look-up finds little.',
      'A search opens the page whose title is in the query, among the results of the setup’s method.',
      'The built-in policy writes no look-ups.',
      'An unreadable step is a fault; there is no second call.',
    ],
    published: { figure: 'EM 27.4', benchmark: 'HotpotQA', model: 'PaLM-540B' },
    sources: {
      'settings.retrieval.maxSearches': 'code: 7 steps, the last of them the answer',
      'settings.system.sentences': 'code: ysymyth/ReAct',
      'settings.system.similar': 'code: ysymyth/ReAct',
    },
    expectedEffect:
      'The share of searches that name no page predicts failure; with passages shown instead of the page, it does not.',
  },
  params,
  values: { sentences: 5, similar: 5 },
  traits: () => ({ looksUp: true }),
  loop: () => import('./loop.ts'),
  settings: promptedLoop('agent', { k: 5, maxSearches: 6 }, { dialect: 'react' }),
  training: [],
});
