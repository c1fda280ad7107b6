import type { RenderPassages } from '../../../records/protocol.ts';
import { type Dialect, PLAIN_TURN, searches, SHORT, tag } from './dialect.ts';

/** Trained agents whose every action stands between tags. Sources: their released prompts and parsers. */

/** Their corpus has titles between quotation marks (search_r1/llm_agent/generation.py, `_passages2string`). */
export const numbered: RenderPassages = (passages) =>
  passages.map(({ title, text }, i) => `Doc ${i + 1}(Title: "${title}") ${text}`).join('\n');

/** Search-R1 (arXiv 2503.09516; code: PeterGriffinJin/Search-R1), and those that were built on its code. */
export const SEARCH_R1: Dialect = {
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
export const quoted: RenderPassages = (passages) =>
  passages.map(({ title, text }) => `"${title}"\n${text}`).join('\n\n');

/** ReSearch (arXiv 2503.19470; code: Agent-RL/ReSearch). */
export const RESEARCH: Dialect = {
  id: 'research',
  marks: [tag('think'), tag('search'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: [' <result>\n', '\n</result>'],
  passages: quoted,
  answer: 'boxed-block',
  instruction: ({ retrieval }) =>
    [
      'You solve the question step by step with the help of a Wikipedia search tool. First think about the reasoning and then give the answer.',
      'While thinking you may search for facts about one topic at a time. Reasoning stands within <think> </think>, a query within <search> </search>, what came back within <result> </result>, the answer within <answer> </answer>.',
      'For example: <think> this is the reasoning . </think> <search> query </search> <result> what was found </result> <think> this is the reasoning . </think> <answer> The final answer is \\boxed{answer here} </answer>.',
      `You may make ${searches(retrieval.maxSearches)}. In the answer, the exact answer alone stands in \\boxed{}. ${SHORT}`,
    ].join(' '),
};
