import { z } from 'zod';
import { jsonOf } from '../../base/fetch-file.ts';
import { isObjectOrList } from '../../base/objects.ts';
import {
  defineDialect,
  numberedPassages,
  PLAIN_TURN,
  queriesOf,
  searches,
  SHORT,
  tag,
} from '../../recipes/parts/dialect.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { VariantSettings } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { traitsOf } from '../../recipes/parts/system.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * DeepResearcher (arXiv 2504.03160; code: GAIR-NLP/DeepResearcher): at most 10 turns. The paper searches the web
 * for snippets and opens pages with a reading agent; here a search returns the passages themselves.
 */
const settings: VariantSettings = trainedOn('deep-researcher', { objective: verlObjective(2) });

const params = z.strictObject({
  /**
   * A search shows the titles of what it finds with their first sentences; a query that is the title of a page opens that page,
   * of which a reader extracts what bears on the question (section 3.2). Absent: passages.
   */
  browse: z
    .strictObject({
      /** Sentences of a page that a search shows. */
      snippet: z.int().min(1).max(5),
      /** Most sentences that are extracted of a page that is opened. */
      extract: z.int().min(1).max(20),
    })
    .optional(),
});
export type Params = z.infer<typeof params>;

const BROWSING =
  'Of each page you see the title and its beginning. A query that is exactly the title of a page opens that page.';

/** `{"name": "web_search", "arguments": {"query": ["…"]}}`; several queries with semicolons between them. */
function calledQuery(inner: string): string {
  const call = jsonOf(inner);
  if (!isObjectOrList(call) || call['name'] !== 'web_search') return '';
  const given = call['arguments'];
  return isObjectOrList(given) ? queriesOf(given['query']) : '';
}

/**
 * DeepResearcher (arXiv 2504.03160; code: GAIR-NLP/DeepResearcher, scrl/llm_agent/generation.py), with its one tool
 * for a corpus: calls and what comes back are written as Qwen2.5's chat template writes them, in one turn.
 */
defineDialect('deep-researcher', {
  marks: [
    tag('think'),
    { kind: 'search', open: '<tool_call>', close: '</tool_call>' },
    tag('short_answer', 'answer'),
  ],
  ...PLAIN_TURN,
  result: ['\n<tool_response>\n', '\n</tool_response>\n'],
  passages: numberedPassages,
  query: calledQuery,
  writeQuery: (query) => JSON.stringify({ name: 'web_search', arguments: { query: [query] } }),
  answer: 'text',
  instruction: (settings) =>
    [
      'You are a research assistant. The question is hard and needs research; think first of a plan, or of what to search next. One tool, web_search, searches for a list of queries.',
      'Write one of these two forms, and nothing else:',
      '<think> your thinking </think> <tool_call> {"name": "web_search", "arguments": {"query": ["a query"]}} </tool_call>',
      '<think> your thinking </think> <answer> your answer, once you know enough </answer>',
      ...(traitsOf(settings).instruction ?? []),
      `What was found comes back between <tool_response> and </tool_response>. You may make ${searches(settings.retrieval.maxSearches)}. Within <answer> stands the answer alone, without reasons. ${SHORT}`,
    ].join('\n'),
});

export const deepResearcher = defineSystem({
  id: 'deep-researcher',
  version: '2',
  title: 'DeepResearcher',
  summary: 'Up to ten searches; trained on F1 over sets of words, −1 for a broken format.',
  about: {
    paper: '2504.03160',
    kind: 'trained by RL',
    parts: ['outcome and format ladder'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A search returns passages; in the paper it returns snippets and a second tool opens pages. `deep-researcher/browse` has that tool: a query that is a title opens the page and shows the sentences that share words with the question and earlier queries; in the paper a model reads the page part by part.',
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
      'grpo.objective.aggregation': 'code: verl/workers/actor/dp_actor.py',
      'grpo.objective.aggregation.microBatch':
        'code: train_grpo.sh, there unless 12,288 tokens hold more',
      'grpo.groupSize': 'ours; code: 16',
      'browse.overrides.system.browse.snippet': 'ours; code: the engine’s snippets',
      'browse.overrides.system.browse.extract': 'ours',
      'reward.deep-researcher': 'code: reward_score/format_and_f1.py',
    },
    expectedEffect:
      'Broken formats vanish within the first steps; searches that check a first answer appear.',
  },
  params,
  traits: ({ browse }) => (browse ? { instruction: [BROWSING] } : {}),
  loop: () => import('./loop.ts'),
  settings: { ...searchLoop(3, 10), dialect: 'deep-researcher' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, set F1',
      settings,
    },
    {
      name: 'browse',
      title: 'The same with snippets and opened pages',
      differences:
        'A search for its title opens a page; the built-in policy saw no snippets in training.',
      settings: { ...settings, overrides: { system: { browse: { snippet: 1, extract: 6 } } } },
    },
  ],
});
