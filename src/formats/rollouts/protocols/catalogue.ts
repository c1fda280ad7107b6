import { HARMONY } from './harmony.ts';
import { PROSE_PROTOCOLS } from './prose.ts';
import type { BlockRule, Protocol } from './protocol.ts';
import { REACT } from './react.ts';
import { DEEPSEEK_CALL, queryField, TOOL_CALL } from './tool-call.ts';

/*
 * Tag protocols of published systems. Only tags are here: what a system does with them is its
 * recipe's business. ZeroSearch, StepSearch and others write Search-R1's tags, so that text
 * alone cannot tell them apart.
 */

const tag = (
  name: string,
  role: BlockRule['role'],
  source: BlockRule['source'] = 'policy',
): BlockRule => ({ open: `<${name}>`, close: `</${name}>`, role, source });

const THINK = tag('think', 'think');
const SEARCH = tag('search', 'search');
const ANSWER = tag('answer', 'answer');

const QUERY_TOKENS: readonly BlockRule[] = [
  { open: '<|begin_of_query|>', close: '<|end_of_query|>', role: 'search', source: 'policy' },
  {
    open: '<|begin_of_documents|>',
    close: '<|end_of_documents|>',
    role: 'result',
    source: 'environment',
  },
];

const SEARCH_TOKENS: readonly BlockRule[] = ['search', 'click'].flatMap((kind): BlockRule[] => [
  {
    open: `<|begin_${kind === 'click' ? 'click_link' : 'search_query'}|>`,
    close: `<|end_${kind === 'click' ? 'click_link' : 'search_query'}|>`,
    role: 'search',
    source: 'policy',
  },
  {
    open: `<|begin_${kind}_result|>`,
    close: `<|end_${kind}_result|>`,
    role: 'result',
    source: 'environment',
  },
]);

/** In order of precedence where a text fits several equally well. */
export const PROTOCOLS: readonly Protocol[] = [
  {
    id: 'think-answer',
    name: 'think and answer, no search',
    blocks: [THINK, ANSWER],
    prose: 'other',
    answer: 'block',
  },
  {
    id: 'forage',
    name: 'KunLunBaizeRAG, Forage',
    blocks: [
      tag('background', 'background', 'environment'),
      tag('question', 'question', 'prompt'),
      THINK,
      SEARCH,
      tag('local_search', 'search'),
      tag('web_search', 'search'),
      tag('result', 'result', 'environment'),
      tag('hint', 'hint', 'environment'),
      tag('short_answer', 'answer'),
      tag('long_answer', 'answer'),
    ],
    prose: 'other',
    answer: 'boxed-block',
  },
  {
    id: 'search-r1',
    name: 'Search-R1, ZeroSearch, StepSearch',
    blocks: [THINK, SEARCH, tag('information', 'result', 'environment'), ANSWER],
    prose: 'other',
    answer: 'block',
  },
  {
    id: 'autorefine',
    name: 'AutoRefine',
    blocks: [
      THINK,
      SEARCH,
      tag('documents', 'result', 'environment'),
      tag('refine', 'refine'),
      ANSWER,
    ],
    prose: 'other',
    answer: 'block',
  },
  {
    id: 'r-search',
    name: 'R-Search',
    blocks: [
      THINK,
      SEARCH,
      tag('observation', 'result', 'environment'),
      tag('original_evidence', 'evidence'),
      ANSWER,
    ],
    prose: 'think',
    answer: 'block',
  },
  {
    id: 're-seek',
    name: 'ReSeek',
    blocks: [
      THINK,
      SEARCH,
      tag('information', 'result', 'environment'),
      tag('judge', 'other'),
      ANSWER,
    ],
    prose: 'other',
    answer: 'block',
  },
  {
    id: 'in-forage',
    name: 'InForage',
    blocks: [THINK, SEARCH, tag('evidence', 'result', 'environment'), ANSWER],
    prose: 'other',
    answer: 'block',
  },
  {
    id: 's3',
    name: 's3',
    blocks: [
      THINK,
      tag('query', 'search'),
      tag('information', 'result', 'environment'),
      tag('important_info', 'other'),
      tag('search_complete', 'other'),
      ANSWER,
    ],
    prose: 'other',
    answer: 'block',
    query: queryField,
  },
  {
    id: 'arena',
    name: 'ARENA',
    blocks: [
      tag('references', 'result', 'environment'),
      tag('relevance', 'other'),
      tag('analysis', 'think'),
      ANSWER,
    ],
    prose: 'other',
    answer: 'block',
  },
  {
    id: 'tool-star',
    name: 'Tool-Star, ARPO',
    blocks: [
      THINK,
      SEARCH,
      { ...tag('python', 'other'), acts: true },
      tag('result', 'result', 'environment'),
      ANSWER,
    ],
    prose: 'other',
    answer: 'box-or-block',
  },
  {
    id: 'research',
    name: 'ReSearch',
    blocks: [THINK, SEARCH, tag('result', 'result', 'environment'), ANSWER],
    prose: 'other',
    answer: 'box-or-block',
  },
  {
    id: 'r1-searcher',
    name: 'R1-Searcher',
    blocks: [...QUERY_TOKENS, THINK, ANSWER],
    prose: 'think',
    answer: 'block',
  },
  {
    id: 'ur2',
    name: 'UR²',
    blocks: [...QUERY_TOKENS, THINK],
    prose: 'think',
    answer: 'boxed-prose',
  },
  TOOL_CALL,
  DEEPSEEK_CALL,
  HARMONY,
  {
    id: 'search-o1',
    name: 'Search-o1, WebThinker',
    blocks: [...SEARCH_TOKENS, THINK],
    prose: 'think',
    answer: 'any',
  },
  REACT,
  ...PROSE_PROTOCOLS,
];

export const protocolById = (id: string | null | undefined): Protocol | null =>
  PROTOCOLS.find((protocol) => protocol.id === id) ?? null;
