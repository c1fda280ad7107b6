import { type Dialect, PLAIN_TURN, searches, SHORT, tag } from './dialect.ts';
import { numbered, quoted } from './tagged.ts';

/** Trained agents that write blocks of their own beside thoughts and queries. Sources: their released prompts and parsers. */

/** AutoRefine (arXiv 2505.11277; code: syr-cn/AutoRefine). */
export const AUTO_REFINE: Dialect = {
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
export const RE_SEEK: Dialect = {
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
export const R_SEARCH: Dialect = {
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
export const IN_FORAGE: Dialect = {
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
export const TOOL_STAR: Dialect = {
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
export const ARENA: Dialect = {
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
