import { calledText } from '../calls/read-calls.ts';
import { type Dialect, SHORT, searches, tag } from './dialect.ts';

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
export const TOOLS: Dialect = {
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
