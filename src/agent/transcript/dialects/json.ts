import { traitsOf } from '../../../recipes/parts/system.ts';
import { type Dialect, PLAIN_TURN, searches, SHORT, tag } from './dialect.ts';
import { numbered } from './tagged.ts';
import { isObjectOrList } from '../../../base/objects.ts';

/** Trained agents that write queries as JSON. Sources: their released prompts and parsers. */

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const queriesIn = (value: unknown): string =>
  (Array.isArray(value) ? value : [value])
    .filter((one): one is string => typeof one === 'string')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .join('; ');

/** `{"query": "…"}`; text that is no JSON is the query itself. */
function queryField(inner: string): string {
  const value = parsed(inner);
  if (value === undefined) return inner.trim();
  return queriesIn(isObjectOrList(value) ? value['query'] : value);
}

/** `{"name": "web_search", "arguments": {"query": ["…"]}}`; several queries with semicolons between them. */
function calledQuery(inner: string): string {
  const call = parsed(inner);
  if (!isObjectOrList(call) || call['name'] !== 'web_search') return '';
  const given = call['arguments'];
  return isObjectOrList(given) ? queriesIn(given['query']) : '';
}

/**
 * s3 (arXiv 2505.14146; code: pat-jj/s3, scripts/data_process, s3/llm_agent/generation_s3.py). Theirs writes
 * `<search_complete>` after a choice, which is read as a thought, and leaves the answer to another model; here the
 * searcher is asked for one, which earns nothing.
 */
export const S3: Dialect = {
  id: 's3',
  marks: [
    tag('think'),
    tag('search', 'query'),
    tag('important', 'important_info'),
    tag('short_answer', 'answer'),
  ],
  ...PLAIN_TURN,
  question: ['<question>\n', '\n</question>\n'],
  result: ['\n\n<information>', '</information>\n\n'],
  passages: numbered,
  query: queryField,
  writeQuery: (query) => JSON.stringify({ query }),
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'You search for a model that answers questions. You see a question and what was found with it between <information> and </information>, and decide whether that is enough.',
      'Where it is not, write a query as JSON, <query> {"query": "words"} </query>; what was found comes back between <information> and </information>.',
      'Behind each result name the passages that matter by their numbers in it, three at most, such as <important_info> [1, 3] </important_info>: only these are given to the model.',
      `Then write <search_complete> False </search_complete> and the next query, or <search_complete> True </search_complete>. You may make ${searches(retrieval.maxSearches)}. You may think inside <think> and </think> at any time.`,
      `Behind True give your own answer within <answer> and </answer>. ${SHORT}`,
    ].join(' '),
};

/**
 * DeepResearcher (arXiv 2504.03160; code: GAIR-NLP/DeepResearcher, scrl/llm_agent/generation.py), with its one tool
 * for a corpus: calls and what comes back are written as Qwen2.5's chat template writes them, in one turn.
 */
export const DEEP_RESEARCHER: Dialect = {
  id: 'deep-researcher',
  marks: [
    tag('think'),
    { kind: 'search', open: '<tool_call>', close: '</tool_call>' },
    tag('short_answer', 'answer'),
  ],
  ...PLAIN_TURN,
  result: ['\n<tool_response>\n', '\n</tool_response>\n'],
  passages: numbered,
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
};
