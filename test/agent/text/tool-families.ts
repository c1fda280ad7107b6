import { readFileSync } from 'node:fs';
import type { PolicyChat, PolicyTokenizer } from '../../../src/policy/policy.ts';
import { ChatTemplate } from '../../../src/policy/open/chat-template.ts';
import { HuggingFaceTokenizer } from '../../../src/policy/open/tokenizer.ts';

/** Published chat templates (test/fixtures/tool-chat/README.md) and how each family's models write calls. */

export interface Call {
  name: string;
  query: string;
}

export interface Family {
  name: string;
  specials: Readonly<Record<string, string>>;
  /** Control tokens. */
  tokens: readonly string[];
  /** What ends a turn with calls, and one with the answer. */
  ends: readonly [calls: string, answer: string];
  write: (calls: readonly Call[]) => string;
  broken: string;
  /** Begins a call whose query never ends. */
  cut: string;
  answer?: (text: string) => string;
  /** Calls before which the model says nothing. */
  silent?: true;
}

const hermes = (calls: readonly Call[]): string =>
  calls
    .map(
      ({ name, query }) =>
        `<tool_call>\n{"name": "${name}", "arguments": {"query": ${JSON.stringify(query)}}}\n</tool_call>`,
    )
    .join('\n');

const HERMES = {
  ends: ['<|im_end|>', '<|im_end|>'],
  write: hermes,
  broken: '<tool_call>\n{"name": "search", "arguments": {"query": "Old Wolf"\n</tool_call>',
  cut: '<tool_call>\n{"name": "search", "arguments": {"query": "',
} as const;

const LLAMA = {
  specials: { bos_token: '<|begin_of_text|>', eos_token: '<|eot_id|>' },
  tokens: [
    '<|begin_of_text|>',
    '<|start_header_id|>',
    '<|end_header_id|>',
    '<|eot_id|>',
    '<|eom_id|>',
    '<|python_tag|>',
  ],
  ends: ['<|eot_id|>', '<|eot_id|>'],
  write: (calls: readonly Call[]) =>
    calls
      .map(
        ({ name, query }) =>
          `{"name": "${name}", "parameters": {"query": ${JSON.stringify(query)}}}`,
      )
      .join('; '),
  broken: '{"name": "search", "parameters": {"query": "Old Wolf"',
  cut: '{"name": "search", "parameters": {"query": "',
  silent: true,
} as const;

export const FAMILIES: readonly Family[] = [
  {
    name: 'qwen2.5',
    specials: { eos_token: '<|im_end|>' },
    tokens: ['<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>'],
    ...HERMES,
  },
  {
    name: 'smollm2',
    specials: { eos_token: '<|im_end|>' },
    tokens: ['<|im_start|>', '<|im_end|>'],
    ...HERMES,
  },
  { name: 'llama3.1', ...LLAMA },
  { name: 'llama3.2', ...LLAMA },
  {
    name: 'mistral',
    specials: { bos_token: '<s>', eos_token: '</s>' },
    tokens: [
      '<s>',
      '</s>',
      '[INST]',
      '[/INST]',
      '[TOOL_CALLS]',
      '[AVAILABLE_TOOLS]',
      '[/AVAILABLE_TOOLS]',
      '[TOOL_RESULTS]',
      '[/TOOL_RESULTS]',
    ],
    ends: ['</s>', '</s>'],
    write: (calls) =>
      `[TOOL_CALLS][${calls
        .map(
          ({ name, query }, i) =>
            `{"name": "${name}", "arguments": {"query": ${JSON.stringify(query)}}, "id": "abcdefgh${i}"}`,
        )
        .join(', ')}]`,
    broken: '[TOOL_CALLS][{"name": "search", "arguments": {"query": "Old Wolf"}]',
    cut: '[TOOL_CALLS][{"name": "search", "arguments": {"query": "',
    silent: true,
  },
  {
    name: 'gemma3',
    specials: { bos_token: '<bos>', eos_token: '<eos>' },
    tokens: ['<bos>', '<eos>', '<start_of_turn>', '<end_of_turn>'],
    ends: ['<end_of_turn>', '<end_of_turn>'],
    write: (calls) =>
      `\`\`\`tool_code\n${calls.map(({ name, query }) => `print(${name}(query=${JSON.stringify(query)}))`).join('\n')}\n\`\`\``,
    broken: '```tool_code\nsearch(query=Old Wolf)\n```',
    cut: '```tool_code\nsearch(query="',
  },
  {
    name: 'harmony',
    specials: { bos_token: '<|startoftext|>', eos_token: '<|return|>' },
    tokens: [
      '<|startoftext|>',
      '<|start|>',
      '<|message|>',
      '<|end|>',
      '<|channel|>',
      '<|constrain|>',
      '<|call|>',
      '<|return|>',
    ],
    ends: ['<|call|>', '<|return|>'],
    // One message holds one call.
    write: ([call]) =>
      `<|channel|>commentary to=functions.${call?.name} <|constrain|>json<|message|>{"query": ${JSON.stringify(call?.query)}}`,
    broken: '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": ',
    cut: '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "',
    answer: (text) =>
      `<|channel|>analysis<|message|>done<|end|><|start|>assistant<|channel|>final<|message|>${text}`,
    silent: true,
  },
];

const url = (path: string): URL => new URL(`../../../${path}`, import.meta.url);

/** The family's own template. */
export const templateOf = ({ name, specials }: Family): ChatTemplate =>
  new ChatTemplate(readFileSync(url(`test/fixtures/tool-chat/${name}.jinja`), 'utf8'), specials);

const NOW = new Date(2026, 0, 2);

export const chatOf = (family: Family): PolicyChat => {
  const template = templateOf(family);
  return {
    render: (messages, tools) =>
      template.render(messages, { addGenerationPrompt: true, now: NOW, ...(tools && { tools }) }),
  };
};

/** The pieces of a real tokenizer, with the family's control tokens. */
export function tokenizerOf({ specials, tokens }: Family): PolicyTokenizer {
  const json = JSON.parse(readFileSync(url('public/policy/tokenizer.json'), 'utf8')) as {
    added_tokens: { id: number; content: string }[];
  };
  const [end, pad, ...others] = json.added_tokens;
  const own = tokens.map((content, i) => ({ ...others[i]!, content }));
  return new HuggingFaceTokenizer(
    { ...json, added_tokens: [end, pad, ...own] },
    { eos_token: specials['eos_token'] ?? null },
  );
}
