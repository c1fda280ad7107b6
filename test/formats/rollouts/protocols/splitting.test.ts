import { describe, expect, test } from 'vitest';
import { PROTOCOLS, protocolById } from '../../../../src/formats/rollouts/protocols/catalogue.ts';
import type { Protocol } from '../../../../src/formats/rollouts/protocols/protocol.ts';
import { recogniseProtocol } from '../../../../src/formats/rollouts/protocols/recognise.ts';
import { blockText, splitText } from '../../../../src/formats/rollouts/protocols/split.ts';

const protocol = (id: string): Protocol => {
  const found = protocolById(id);
  if (!found) throw new Error(id);
  return found;
};

/** `role/source: text` of each piece. */
const split = (id: string, text: string): string[] =>
  splitText(text, protocol(id)).map(({ role, source, text: own }) => `${role}/${source}: ${own}`);

/** Each system's tags as its paper or code has them: [opening, closing, role, writer]. */
const THINK = ['<think>', '</think>', 'think', 'policy'] as const;
const SEARCH = ['<search>', '</search>', 'search', 'policy'] as const;
const ANSWER = ['<answer>', '</answer>', 'answer', 'policy'] as const;
const QUERY = [
  ['<|begin_of_query|>', '<|end_of_query|>', 'search', 'policy'],
  ['<|begin_of_documents|>', '<|end_of_documents|>', 'result', 'environment'],
] as const;
const TAGS: Record<string, readonly (readonly [string, string, string, string])[]> = {
  'think-answer': [THINK, ANSWER],
  forage: [
    ['<background>', '</background>', 'background', 'environment'],
    ['<question>', '</question>', 'question', 'prompt'],
    THINK,
    SEARCH,
    ['<local_search>', '</local_search>', 'search', 'policy'],
    ['<web_search>', '</web_search>', 'search', 'policy'],
    ['<result>', '</result>', 'result', 'environment'],
    ['<hint>', '</hint>', 'hint', 'environment'],
    ['<short_answer>', '</short_answer>', 'answer', 'policy'],
    ['<long_answer>', '</long_answer>', 'answer', 'policy'],
  ],
  'search-r1': [
    THINK,
    SEARCH,
    ['<information>', '</information>', 'result', 'environment'],
    ANSWER,
  ],
  autorefine: [
    THINK,
    SEARCH,
    ['<documents>', '</documents>', 'result', 'environment'],
    ['<refine>', '</refine>', 'refine', 'policy'],
    ANSWER,
  ],
  'r-search': [
    THINK,
    SEARCH,
    ['<observation>', '</observation>', 'result', 'environment'],
    ['<original_evidence>', '</original_evidence>', 'evidence', 'policy'],
    ANSWER,
  ],
  're-seek': [
    THINK,
    SEARCH,
    ['<information>', '</information>', 'result', 'environment'],
    ['<judge>', '</judge>', 'other', 'policy'],
    ANSWER,
  ],
  'in-forage': [THINK, SEARCH, ['<evidence>', '</evidence>', 'result', 'environment'], ANSWER],
  s3: [
    THINK,
    ['<query>', '</query>', 'search', 'policy'],
    ['<information>', '</information>', 'result', 'environment'],
    ['<important_info>', '</important_info>', 'other', 'policy'],
    ['<search_complete>', '</search_complete>', 'other', 'policy'],
    ANSWER,
  ],
  arena: [
    ['<references>', '</references>', 'result', 'environment'],
    ['<relevance>', '</relevance>', 'other', 'policy'],
    ['<analysis>', '</analysis>', 'think', 'policy'],
    ANSWER,
  ],
  'tool-star': [
    THINK,
    SEARCH,
    ['<python>', '</python>', 'other', 'policy'],
    ['<result>', '</result>', 'result', 'environment'],
    ANSWER,
  ],
  research: [THINK, SEARCH, ['<result>', '</result>', 'result', 'environment'], ANSWER],
  'r1-searcher': [...QUERY, THINK, ANSWER],
  ur2: [...QUERY, THINK],
  'tool-call': [THINK, ['<tool_call>', '</tool_call>', 'search', 'policy'], ANSWER],
  'search-o1': [
    ['<|begin_search_query|>', '<|end_search_query|>', 'search', 'policy'],
    ['<|begin_search_result|>', '<|end_search_result|>', 'result', 'environment'],
    ['<|begin_click_link|>', '<|end_click_link|>', 'search', 'policy'],
    ['<|begin_click_result|>', '<|end_click_result|>', 'result', 'environment'],
    THINK,
  ],
  boxed: [THINK],
  gsm8k: [THINK],
  think: [THINK],
};
/** What the policy writes between its blocks is its thought, where the system asks for none in tags. */
const PROSE_IS_THOUGHT = ['r-search', 'r1-searcher', 'ur2', 'tool-call', 'search-o1', 'react'];

describe('the tags of every system', () => {
  test.each(Object.entries(TAGS))('%s', (id, tags) => {
    const prose = PROSE_IS_THOUGHT.includes(id) ? 'think' : 'other';
    for (const [open, close, role, source] of tags) {
      const block = `${open}some text${close}`;
      const own = source !== 'policy' ? `${block}\n ` : block;
      const rest = source !== 'policy' ? 'b' : '\n b';
      expect(split(id, `a${own}${rest}`)).toEqual([
        `${prose}/policy: a`,
        `${role}/${source}: ${own}`,
        `${prose}/policy: ${rest}`,
      ]);
      expect(blockText(own, protocol(id))).toEqual({ text: 'some text', start: open.length });
    }
    const { blocks } = protocol(id);
    // What answers a call is a result where the call was a search.
    expect(blocks.length).toBe(tags.length + (id === 'tool-call' ? 1 : 0));
  });

  test('every protocol is in the table and found by its id', () => {
    expect(PROTOCOLS.map(({ id }) => id).sort()).toEqual(
      [...Object.keys(TAGS), 'deepseek-call', 'harmony', 'react'].sort(),
    );
    expect(protocolById('none')).toBeNull();
    expect(protocolById(null)).toBeNull();
  });
});

describe('where blocks end', () => {
  test.each([
    ['nothing', '', []],
    ['prose alone', 'a b', ['other/policy: a b']],
    ['a block alone', '<think>a</think>', ['think/policy: <think>a</think>']],
    ['a closing tag that closes nothing', 'a</search>b', ['other/policy: a</search>b']],
    [
      'the closing tag of another',
      '<think>a</search>b</think>c',
      ['think/policy: <think>a</search>b</think>', 'other/policy: c'],
    ],
    [
      'tags that a thought mentions',
      '<think>a<search>q</search><answer>b</think>c',
      ['think/policy: <think>a<search>q</search><answer>b</think>', 'other/policy: c'],
    ],
    [
      'a search inside a thought that the environment answered',
      '<think>a<search>q</search><information>d</information>b</think>',
      [
        'think/policy: <think>a',
        'search/policy: <search>q</search>',
        'result/environment: <information>d</information>',
        'think/policy: b</think>',
      ],
    ],
    [
      'a thought that closes between its search and the result',
      '<think>a<search>q</search></think>\n<information>d</information>',
      [
        'think/policy: <think>a',
        'search/policy: <search>q</search>',
        'other/policy: </think>\n',
        'result/environment: <information>d</information>',
      ],
    ],
    [
      'a thought that was opened before the text',
      'a<search>b</think><search>q</search>',
      ['think/policy: a<search>b</think>', 'search/policy: <search>q</search>'],
    ],
    [
      'the same after a result',
      '<search>q</search><information>d</information>a<answer>b</think><answer>c</answer>',
      [
        'search/policy: <search>q</search>',
        'result/environment: <information>d</information>',
        'think/policy: a<answer>b</think>',
        'answer/policy: <answer>c</answer>',
      ],
    ],
    [
      'a closing tag after its own thought',
      '<think>a</think>b</think>',
      ['think/policy: <think>a</think>', 'other/policy: b</think>'],
    ],
    ['a thought that never closes', '<think>a b', ['think/policy: <think>a b']],
    [
      'a document with tags of the policy in it',
      '<information>a<search>q</search>b</information>c',
      ['result/environment: <information>a<search>q</search>b</information>', 'other/policy: c'],
    ],
    ['a document that never closes', '<information>a', ['result/environment: <information>a']],
    [
      'a document that never closes, and the policy continues',
      '<information>a<think>b</think>',
      ['result/environment: <information>a', 'think/policy: <think>b</think>'],
    ],
    [
      'two documents, the first of them never closed',
      '<information>a<information>b</information>',
      ['result/environment: <information>a', 'result/environment: <information>b</information>'],
    ],
    [
      'the same, with the policy between',
      '<information>a<think>b</think>c<information>d</information>',
      [
        'result/environment: <information>a',
        'think/policy: <think>b</think>',
        'other/policy: c',
        'result/environment: <information>d</information>',
      ],
    ],
  ])('%s', (_, text, expected) => expect(split('search-r1', text)).toEqual(expected));
});

describe('chat marks around what the environment wrote are its own', () => {
  const call = '<tool_call>{"name":"search","arguments":{"query":"q"}}</tool_call>';
  const block = '<tool_response>d</tool_response>';
  test.each([
    [
      'the turn of the user',
      '<|im_end|>',
      '\n<|im_start|>user\n',
      '<|im_end|>\n<|im_start|>assistant\n',
    ],
    ['a turn of the tool', '', '<|im_start|>tool\n', '<|im_end|>'],
    ['without special tokens', '', '\nuser\n', '\nassistant\n\n'],
    ['none', '', '', '\n'],
    ['a word that ends so', '\nsuperuser', '', ' '],
    ['an assistant that is text', '', '', ''],
  ])('%s', (_, left, before, after) => {
    const pieces = splitText(`${call}${left}${before}${block}${after}So.`, protocol('tool-call'));
    expect(pieces.find(({ role }) => role === 'result')?.text).toBe(`${before}${block}${after}`);
    expect(pieces.at(-1)?.text).toBe('So.');
    expect(pieces.map(({ text }) => text).join('')).toBe(
      `${call}${left}${before}${block}${after}So.`,
    );
  });

  test('in other protocols only white space after the block', () => {
    expect(split('search-r1', 'user\n<information>d</information>\nassistant\nSo.')).toEqual([
      'other/policy: user\n',
      'result/environment: <information>d</information>\n',
      'other/policy: assistant\nSo.',
    ]);
  });
});

describe('a prompt that ends in <think>', () => {
  const pieces = (text: string) =>
    splitText(text, protocol('search-r1'), { opened: true }).map(({ role, text: own }) => [
      role,
      own,
    ]);
  test('opened the thought of a text that was cut before it closed', () => {
    expect(pieces('a <answer>b</answer> is it, but')).toEqual([
      ['think', 'a <answer>b</answer> is it, but'],
    ]);
    expect(pieces('a <search>q')).toEqual([['think', 'a <search>q']]);
  });
  test.each([
    ['a <answer>b</answer>', ['other', 'answer']],
    ['a <answer>b</answer> <|im_end|>\n', ['other', 'answer', 'other']],
    ['a <search>q</search>', ['other', 'search']],
    ['a <search>q</search><information>d</information>b', ['other', 'search', 'result', 'other']],
    ['so \\boxed{b}.', ['other']],
    ['a</think>b', ['think', 'other']],
  ])('and no more: %j', (text, roles) => {
    expect(pieces(text).map(([role]) => role)).toEqual(roles);
  });
});

describe('the text of a block without its tags', () => {
  test.each([
    ['<search> q </search>', 'q', 9],
    ['x <search>q</search>', 'q', 10],
    [`${'x'.repeat(24)}<search>q</search>`, 'q', 32],
    // A tag farther behind is text.
    [`${'x'.repeat(25)}<search>q</search>`, `${'x'.repeat(25)}<search>q`, 0],
    ['search>q</search>', 'q', 7],
    ['earch>q</search>', 'q', 6],
    ['arch>q</search>', 'q', 5],
    ['rch>q</search>', 'rch>q', 0],
    [' q </search> ', 'q', 1],
    ['<search>q', 'q', 8],
    ['<search>a</search>b</search>', 'a</search>b', 8],
    ['<search><search>a</search>', '<search>a', 8],
    ['<think>a<search>b</think>', 'a<search>b', 7],
    ['plain ', 'plain', 0],
    ['', '', 0],
  ])('%j', (text, inner, start) =>
    expect(blockText(text, protocol('search-r1'))).toEqual({ text: inner, start }),
  );

  test('without a protocol the whole text', () => {
    expect(blockText(' <search>q</search>', null)).toEqual({
      text: '<search>q</search>',
      start: 1,
    });
  });
});

describe('which protocol a text follows', () => {
  test.each([
    ['<search>q</search><information>d</information>', 'search-r1'],
    ['<search>q</search>', 'forage'],
    ['</search>', 'forage'],
    ['<think>a</think><search>q</search><answer>b</answer>', 'search-r1'],
    ['<search>q</search><result>d</result><answer>\\boxed{b}</answer>', 'research'],
    ['<search>q</search><result>d</result>', 'forage'],
    ['<search>q</search><answer>a \\boxed{b}</answer>', 'research'],
    ['<search>q</search><answer>b</answer> \\boxed{c}', 'search-r1'],
    ['<|begin_of_query|>q<|end_of_query|>\\boxed{b}', 'ur2'],
    ['<|begin_of_query|>q<|end_of_query|><answer>b</answer>', 'r1-searcher'],
    ['<think>a</think><answer>b</answer>', 'think-answer'],
    ['<answer>b</answer>', 'think-answer'],
    ['Action: search\nAction Input: q\nObservation: d\n<answer>b</answer>', 'react'],
    ['Action: search[q]\nObservation: d\n<search>q</search>', 'forage'],
    ['Action: search[q]', null],
    ['Observation: d\nThought: x', null],
    ['Action 1: Search[q]\nThought 2: x', 'react'],
    ['Action: x\nFinal Answer: y', 'react'],
    ['Action:\nFinal Answer: y', null],
    ['<think>a', 'think'],
    ['a</think>b', 'think'],
    ['a <think> b', null],
    ['#### 7', 'gsm8k'],
    ['\\boxed{7}\n#### 7', 'boxed'],
    ['plain prose', null],
  ])('%j: %s', (text, id) => expect(recogniseProtocol(text)?.id ?? null).toBe(id));
});
