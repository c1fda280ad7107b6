import type { RenderPassages } from '../../records/protocol.ts';
import { type Dialect, PLAIN_TURN, searches, SHORT, tag } from './dialect.ts';
import { traitsOf } from '../../recipes/parts/system.ts';
import { isObjectOrList } from '../../base/objects.ts';
import { calledText } from './read-calls.ts';
import type { DialectId } from '../../recipes/parts/dialect.ts';

/** The formats that published systems speak. */

/** Trained agents whose every action stands between tags. Sources: their released prompts and parsers. */

/** Their corpus has titles between quotation marks (search_r1/llm_agent/generation.py, `_passages2string`). */
const numbered: RenderPassages = (passages) =>
  passages.map(({ title, text }, i) => `Doc ${i + 1}(Title: "${title}") ${text}`).join('\n');

/** Search-R1 (arXiv 2503.09516; code: PeterGriffinJin/Search-R1), and those that were built on its code. */
const SEARCH_R1: Dialect = {
  id: 'search-r1',
  marks: [tag('think'), tag('search'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: ['\n\n<information>', '</information>\n\n'],
  passages: numbered,
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'Answer the question below. Whenever new information arrives, first reason about it inside <think> and </think>.',
      'If you then find that you lack knowledge, call a search engine with <search> query </search>; what it found comes back between <information> and </information>.',
      `You may make ${searches(retrieval.maxSearches)}.`,
      'Once nothing more is needed, give the answer inside <answer> and </answer> without further explanation, for example <answer> Beijing </answer>.',
      SHORT,
    ].join(' '),
};

/** vllm_rollout.py, `search`: the corpus's lines are a title between quotation marks and, below it, the text. */
const quoted: RenderPassages = (passages) =>
  passages.map(({ title, text }) => `"${title}"\n${text}`).join('\n\n');

/** ReSearch (arXiv 2503.19470; code: Agent-RL/ReSearch). */
const RESEARCH: Dialect = {
  id: 'research',
  marks: [tag('think'), tag('search'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: [' <result>\n', '\n</result>'],
  passages: quoted,
  answer: 'boxed-block',
  instruction: ({ retrieval }) =>
    [
      'You solve the question step by step with the help of a Wikipedia search tool. First think about the reasoning and then give the answer.',
      'While thinking you may search for facts about one topic at a time. Reasoning stands within <think> </think>, a query within <search> </search>, its results within <result> </result>, the answer within <answer> </answer>.',
      'For example: <think> this is the reasoning . </think> <search> query </search> <result> what was found </result> <think> this is the reasoning . </think> <answer> The final answer is \\boxed{answer here} </answer>.',
      `You may make ${searches(retrieval.maxSearches)}. In the answer, the exact answer alone stands in \\boxed{}. ${SHORT}`,
    ].join(' '),
};

/** Trained agents that write blocks of their own beside thoughts and queries. Sources: their released prompts and parsers. */

/** AutoRefine (arXiv 2505.11277; code: syr-cn/AutoRefine). */
const AUTO_REFINE: Dialect = {
  id: 'auto-refine',
  marks: [tag('think'), tag('search'), tag('refine'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: ['\n\n<documents>', '</documents>\n\n'],
  passages: numbered,
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'You are good at answering questions with several turns of searching. To solve the question, first reason step by step within <think> and </think>.',
      'If you lack knowledge, call the search engine with <search> query </search>; it returns the best passages within <documents> and </documents>.',
      'After each search, write the useful information of the documents within <refine> and </refine>; it may be repeated with the next search.',
      `You may make ${searches(retrieval.maxSearches)}. At the end give the answer alone within <answer> and </answer>. ${SHORT}`,
    ].join(' '),
};

/** ReSeek (arXiv 2510.00568; code: TencentBAC/ReSeek, utils/preprocess_reseek_dataset.py, search/llm_agent). */
const RE_SEEK: Dialect = {
  id: 're-seek',
  marks: [tag('think'), tag('search'), tag('judge'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: ['\n\n<information>', '</information>\n\n'],
  passages: numbered,
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'Answer the question step by step. Whenever new information arrives, first reason about it inside <think> and </think>.',
      'If you need knowledge that you lack, search with <search> query </search>; what was found comes back between <information> and </information>.',
      'Behind each result say whether it is useful: <judge> Yes </judge> or <judge> No </judge>.',
      'Where it is useful and enough, answer; where it is useful and not enough, search again; where it is not useful, search again and do not answer.',
      `You may make ${searches(retrieval.maxSearches)}.`,
      `At the end give the answer alone within <answer> and </answer>, and write nothing behind it. ${SHORT}`,
    ].join(' '),
};

/** R-Search (arXiv 2506.04185; code: QingFei1/R-Search, scripts/pre_train_data.sh, src/train/generation.py). */
const R_SEARCH: Dialect = {
  id: 'r-search',
  marks: [
    tag('think'),
    tag('search'),
    tag('evidence', 'original_evidence'),
    tag('short_answer', 'answer'),
  ],
  ...PLAIN_TURN,
  result: ['\n\n<observation>', '</observation>\n\n'],
  passages: (all) => all.map(({ title, text }) => `(Title: "${title}") ${text}`).join('\n'),
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'Solve the question step by step. Begin each step with your reasoning.',
      'Where more information is needed, write one exact query within <search> and </search>; the best passages come back within <observation> and </observation>.',
      `You may make ${searches(retrieval.maxSearches)}.`,
      'Once you know the answer, copy everything in the observations that may bear on it, whole and in its own words, within <original_evidence> and </original_evidence>; leave this out where nothing was observed.',
      `Then give the answer alone within <answer> and </answer>. ${SHORT}`,
    ].join(' '),
};

/** InForage (arXiv 2505.09316; code: qhjqhj00/InForage, tasks/construct_rl_training_data.py, tools/llm_agent). */
const IN_FORAGE: Dialect = {
  id: 'in-forage',
  marks: [tag('think'), tag('search'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: ['\n\n<evidence>', '</evidence>\n\n'],
  passages: (all) => all.map(({ title, text }, i) => `Doc ${i + 1} "${title}"\n${text}`).join('\n'),
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'You solve a task by finding knowledge and reasoning step by step. Whenever information arrives, think about it inside <think> and </think>.',
      'If you need more, write a sub-query inside <search> and </search>; what was found comes back between <evidence> and </evidence>.',
      `You may make ${searches(retrieval.maxSearches)}.`,
      `When you have gathered enough, give the answer without reasons inside <answer> and </answer>. ${SHORT}`,
    ].join(' '),
};

/** Tool-Star and ARPO (arXiv 2505.16410, 2507.19849; code: dongguanting/Tool-Star, verl/utils/dataset/template.py). */
const TOOL_STAR: Dialect = {
  id: 'tool-star',
  marks: [tag('think'), tag('search'), tag('compute', 'python'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: [' <result>\n', '\n</result>'],
  passages: quoted,
  answer: 'boxed-block',
  instruction: ({ retrieval }) =>
    [
      'You solve the question step by step with the help of a Wikipedia search tool and a calculator. First think about the reasoning and then give the answer.',
      'Reasoning stands within <think> </think>, a query within <search> </search>, one line of arithmetic or a comparison such as 1931 - 1874 within <python> </python>, what either tool says within <result> </result>, the answer within <answer> </answer>.',
      'For example: <think> reasoning . </think> <search> query </search> <result> what was found </result> <think> reasoning . </think> <python> 1931 - 1874 </python> <result> 57 </result> <think> reasoning . </think> <answer> The final answer is \\boxed{answer here} </answer>.',
      `You may make ${searches(retrieval.maxSearches)}. In the answer, the exact answer alone stands in \\boxed{}. ${SHORT}`,
    ].join(' '),
};

/** ARENA (arXiv 2505.13258; code: ren258/ARENA, src/data_generator.py). */
const ARENA: Dialect = {
  id: 'arena',
  marks: [tag('relevance'), tag('think', 'analysis'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  question: ['<question>\n', '\n</question>\n'],
  result: ['\n<references>\n', '\n</references>\n\n'],
  passages: (all) => all.map(({ title, text }, i) => `[${i + 1}] "${title}"\n${text}`).join('\n'),
  answer: 'text',
  instruction: () =>
    [
      'A question comes between <question> and </question>, and passages with numbers between <references> and </references>. Answer by the passages, in exactly these three blocks:',
      '<relevance> the numbers of the passages that help, between square brackets, such as [1,5] </relevance>',
      '<analysis> how the answer follows from them, and which passage says what </analysis>',
      '<answer> the answer alone </answer>',
      SHORT,
    ].join('\n'),
};

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
const S3: Dialect = {
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
const DEEP_RESEARCHER: Dialect = {
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

/** Systems that are prompted with examples of lines, not with tags. */

/** Self-Ask (arXiv 2210.03350, figure 3). */
const SELF_ASK: Dialect = {
  id: 'self-ask',
  marks: [
    { kind: 'search', open: 'Follow up:', close: 'Intermediate answer:' },
    { kind: 'short_answer', open: 'So the final answer is:', close: null },
  ],
  ...PLAIN_TURN,
  result: ['\nContext:', '\nIntermediate answer:'],
  answer: 'text-line',
  instruction: ({ retrieval }) =>
    [
      'Answer the question by asking simpler questions one after the other. Write in exactly these lines:',
      'Are follow up questions needed here: Yes.',
      'Follow up: one question that asks for one fact',
      'Intermediate answer: its answer in a few words',
      'So the final answer is: the answer',
      '',
      `Stop behind each "Intermediate answer:"; passages for your question come first, then you go on with its answer. Ask at most ${retrieval.maxSearches} of them. ${SHORT}`,
    ].join('\n'),
};

/** ReAct (arXiv 2210.03629; code: ysymyth/ReAct). */
const REACT: Dialect = {
  id: 'react',
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
};

/** HRPO (arXiv 2505.18454; code: Yueeeeeeee/HRPO, hrpo_rag.py). */
const HRPO: Dialect = {
  id: 'hrpo',
  marks: [{ kind: 'short_answer', open: '####', close: null }],
  ...PLAIN_TURN,
  result: ['\nContext:\n', '\n'],
  answer: 'text-line',
  instruction: () =>
    [
      'Answer the question by the passages given with it. First reason step by step, then write a line of the form',
      '#### the answer',
      SHORT,
    ].join('\n'),
};

const WITHOUT = 'Answer the question by thinking step by step.';

/** Chain of thought (arXiv 2201.11903), IRCoT (2212.10509) and FLARE (2305.06983): sentences, then the answer. */
const THOUGHTS: Dialect = {
  id: 'thoughts',
  marks: [
    { kind: 'short_answer', open: 'So the answer is', close: null },
    { kind: 'short_answer', open: 'so the answer is', close: null },
  ],
  thoughtEnd: '\n',
  ...PLAIN_TURN,
  result: ['\nPassages:\n', '\n'],
  answer: 'text-line',
  instruction: ({ loop, retrieval }) =>
    [
      WITHOUT,
      'Write one short sentence a line, each a fact or a conclusion, and at the end a line of the form',
      'So the answer is: the answer',
      ...(loop === 'think' || retrieval.maxSearches === 0
        ? []
        : [
            '',
            'Passages may come between your sentences. Rely on them, and go on with the next sentence; repeat none.',
          ]),
      SHORT,
    ].join('\n'),
};

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
const R1_SEARCHER: Dialect = {
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
const UR2: Dialect = {
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
const SEARCH_O1: Dialect = {
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

/** The checkpoint's own chat template and tool calls. What is around messages is the template's. */

const NOTHING = ['', ''] as const;

const TURNS = {
  question: ['Question:', ''],
  result: ['Passages:\n', '\n\n'],
  hint: NOTHING,
  query: calledText,
  answer: 'message',
  instruction: ({ loop, retrieval, budgets }) =>
    [
      ...(loop === 'agent' && retrieval.maxSearches > 0
        ? [
            'You answer a question with the help of a search tool. Call it with one short query that asks for one fact and names who or what it is about; search again where something is missing.',
            `You may make ${searches(retrieval.maxSearches)} and write up to ${budgets.tokens} tokens in all. Rely on what was found.`,
          ]
        : ['Answer the question.']),
      `Your last message is the answer alone, without reasons. ${SHORT}`,
    ].join('\n'),
} as const satisfies Partial<Dialect>;

/** The formats of Hermes, Qwen and SmolLM2; Mistral; Llama 3, whose calls may also be the whole message; and Gemma. */
const TOOLS: Dialect = {
  id: 'tools',
  marks: [
    tag('think'),
    { kind: 'search', open: '<tool_call>', close: '</tool_call>' },
    { kind: 'search', open: '[TOOL_CALLS]', close: null },
    { kind: 'search', open: '<|python_tag|>', close: null },
    { kind: 'search', open: '```tool_code', close: '```' },
  ],
  foreign: ['<tool_response>', '[TOOL_RESULTS]', '```tool_output'],
  ...TURNS,
};

/** OpenAI's gpt-oss: channels of one turn. */
export const HARMONY: Dialect = {
  id: 'tools',
  marks: [
    { kind: 'think', open: '<|channel|>analysis<|message|>', close: '<|end|>' },
    // Between messages of one turn stand names that say nothing to the loop.
    { kind: 'think', open: '<|start|>assistant', close: null },
    { kind: 'think', open: '<|channel|>commentary', close: null },
    { kind: 'search', open: ' to=functions.', close: null },
    { kind: 'short_answer', open: '<|channel|>final<|message|>', close: null },
  ],
  foreign: ['<|start|>functions', '<|start|>user'],
  ...TURNS,
};

const ALL: Readonly<Record<DialectId, Dialect>> = {
  'search-r1': SEARCH_R1,
  'r1-searcher': R1_SEARCHER,
  research: RESEARCH,
  ur2: UR2,
  'auto-refine': AUTO_REFINE,
  're-seek': RE_SEEK,
  'r-search': R_SEARCH,
  'in-forage': IN_FORAGE,
  'tool-star': TOOL_STAR,
  arena: ARENA,
  s3: S3,
  'deep-researcher': DEEP_RESEARCHER,
  hrpo: HRPO,
  'search-o1': SEARCH_O1,
  'self-ask': SELF_ASK,
  react: REACT,
  thoughts: THOUGHTS,
  tools: TOOLS,
};

export const dialectOf = (id: DialectId): Dialect => ALL[id];
