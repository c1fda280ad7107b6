import { type Dialect, PLAIN_TURN, searches, SHORT, tag } from './dialect.ts';

/** Agents whose queries stand between tokens of the form <|begin_…|>, inside their thoughts. */

const QUERY = [
  tag('think'),
  { kind: 'search', open: '<|begin_of_query|>', close: '<|end_of_query|>' },
] as const;

const DOCUMENTS = ['\n\n<|begin_of_documents|>\n', '\n<|end_of_documents|>\n\n'] as const;

const asks = (searchCount: string): string =>
  'Whenever you are unsure of a fact, write one query about it with keywords alone, in the form ' +
  '<|begin_of_query|> query <|end_of_query|>, and stop; passages come back in the form ' +
  `<|begin_of_documents|> passages <|end_of_documents|>. You may make ${searchCount}. ` +
  'A query asks for one fact in plain words.';

/** What is said of the length of a query. */
const most = (words: number | undefined): string[] =>
  words === undefined ? [] : [`It has at most ${words} words.`];

/** R1-Searcher (arXiv 2503.05592; code: RUCAIBox/R1-Searcher). */
export const R1_SEARCHER: Dialect = {
  id: 'r1-searcher',
  marks: [...QUERY, tag('short_answer', 'answer')],
  searchesInThought: true,
  ...PLAIN_TURN,
  result: DOCUMENTS,
  // experience_maker.py; what follows a number is a line of the corpus that it was trained on.
  passages: (all) =>
    all.map(({ title, text }, i) => `(${i + 1})Title: ${title} Text: ${text}`).join('\n'),
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'You first think about the reasoning and then give the answer: the reasoning within <think> </think>, the final answer within <answer> </answer>, as in "<think> reasoning </think><answer> final answer </answer>".',
      'While thinking you may search.',
      asks(searches(retrieval.maxSearches)),
      SHORT,
    ].join(' '),
};

/** UR² (arXiv 2508.06165; code: Tsinghua-dhy/UR2). */
export const UR2: Dialect = {
  id: 'ur2',
  marks: QUERY,
  ...PLAIN_TURN,
  result: DOCUMENTS,
  answer: 'boxed-prose',
  phrase: 'the correct answer is:',
  instruction: ({ retrieval }) =>
    [
      'Reason step by step, in few words where the question is easy.',
      ...(retrieval.maxSearches > 0
        ? [asks(searches(retrieval.maxSearches)), ...most(retrieval.queryWords)]
        : ['You cannot search.']),
      `End with the final answer in \\boxed{answer}. ${SHORT}`,
    ].join(' '),
};

/** Search-o1 (arXiv 2501.05366; code: sunnynexus/Search-o1). */
export const SEARCH_O1: Dialect = {
  id: 'search-o1',
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
};
