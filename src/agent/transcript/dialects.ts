import {
  defineDialect,
  type Dialect,
  PLAIN_TURN,
  searches,
  SHORT,
  tag,
} from '../../recipes/parts/dialect.ts';
import { calledText } from './read-calls.ts';

/** Dialects that are no system's own; `src/systems/index.ts` loads them with those of systems. */

/** Two searches, of which the second needs what the first one found. */
const WORKED_EXAMPLE = [
  'Question: When was the author of Pippi Longstocking born?',
  '<think> First, look up who wrote Pippi Longstocking. </think>',
  '<search> Pippi Longstocking author </search>',
  '<result> Pippi Longstocking : Pippi Longstocking is a series of books for children by the Swedish author Astrid Lindgren. </result>',
  '<think> Astrid Lindgren wrote it. Next, look up when she was born. </think>',
  '<search> Astrid Lindgren born </search>',
  '<result> Astrid Lindgren : Astrid Lindgren (14 November 1907 – 28 January 2002) was a Swedish writer. </result>',
  '<think> The passages say when she was born. </think>',
  '<short_answer> 14 November 1907 </short_answer>',
];

/** Chain of thought (arXiv 2201.11903), IRCoT (2212.10509) and FLARE (2305.06983): sentences, then the answer. */
defineDialect('thoughts', {
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
      'Answer the question by thinking step by step.',
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
});

/** Few-shot prompting for a model that learned no format: the protocol's tags, read leniently, with one question worked out. */
defineDialect('worked-example', {
  marks: [tag('think'), tag('search'), tag('short_answer')],
  question: ['Question:', '\n'],
  result: ['\n<result>', '</result>\n'],
  hint: ['\n<hint>', '</hint>\n'],
  answer: 'text-line',
  instruction: ({ retrieval }) =>
    [
      'You answer a question by searching a collection of passages, one step at a time. Think, write one search, and stop: passages come back between <result> and </result>. When the passages say enough, answer.',
      `You may make ${searches(retrieval.maxSearches)}. ${SHORT} Do it like this:`,
      '',
      ...WORKED_EXAMPLE,
      '',
      'Now answer the next question in the same way.',
    ].join('\n'),
});

/** The checkpoint's own chat template and tool calls. What is around messages is the template's. */
const TURNS = {
  question: ['Question:', ''],
  result: ['Passages:\n', '\n\n'],
  hint: ['', ''],
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
defineDialect('tools', {
  marks: [
    tag('think'),
    { kind: 'search', open: '<tool_call>', close: '</tool_call>' },
    { kind: 'search', open: '[TOOL_CALLS]', close: null },
    { kind: 'search', open: '<|python_tag|>', close: null },
    { kind: 'search', open: '```tool_code', close: '```' },
  ],
  foreign: ['<tool_response>', '[TOOL_RESULTS]', '```tool_output'],
  ...TURNS,
});

/** OpenAI's gpt-oss: channels of one turn. */
export const HARMONY: Dialect = {
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
