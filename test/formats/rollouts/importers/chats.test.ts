import { describe, expect, test } from 'vitest';
import { importOne } from '../helpers.ts';
import { blocks, told } from './told.ts';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string, more = {}) => ({ role: 'assistant', content, ...more });

describe('chats', () => {
  const chat = {
    messages: [{ role: 'system', content: 's' }, user('who?'), assistant('It is x.')],
  };
  test.each<[object, object]>([
    [
      { ...chat, reward: 1, score: 2 },
      { layout: 'messages', asked: 'who?', reward: 1, clauses: [['reward', 1, 1]] },
    ],
    [
      { ...chat, score: 2 },
      { reward: 2, clauses: [['reward', 2, 1]] },
    ],
    [chat, { reward: null, clauses: [], golds: [] }],
    ...['ground_truth', 'golden_answers', 'gts', 'target', 'solution', 'label', 'answer'].map(
      (key): [object, object] => [{ ...chat, [key]: ['a', 'b'] }, { golds: ['a', 'b'] }],
    ),
    [{ ...chat, answer: 'late', ground_truth: 'early' }, { golds: ['early'] }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));

  test('who wrote what: thought apart, calls, tools that bring something to read', async () => {
    const call = (name: string, given: object) => ({
      tool_calls: [{ function: { name, arguments: JSON.stringify(given) } }],
    });
    expect(
      await blocks({
        messages: [
          { role: 'system', content: '' },
          user('who?'),
          assistant('', { reasoning_content: 'hm', ...call('search', { query: 'q' }) }),
          { role: 'tool', content: 'found' },
          assistant('', call('add', { a: 1 })),
          { role: 'tool', content: '2' },
          user('go on'),
          assistant([
            { type: 'text', text: 'a' },
            { reasoning: 'r' },
            { type: 'text', text: 'b' },
          ] as never),
        ],
      }),
    ).toEqual([
      'question/prompt: who?',
      'think/policy: hm',
      'search/policy: <tool_call>\n{"name":"search","arguments":{"query":"q"}}\n</tool_call>',
      'result/environment: found',
      'other/policy: <tool_call>\n{"name":"add","arguments":{"a":1}}\n</tool_call>',
      'other/environment: 2',
      'other/environment: go on',
      'think/policy: r',
      'other/policy: ab',
    ]);
  });

  test.each([
    { content: 'x', thinking: 'hm' },
    {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'x' },
      ],
    },
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }, { text: 'x' }] },
  ])('thoughts as Ollama, Anthropic and Mistral keep them: %j', async (said) => {
    const messages = [user('who?'), { role: 'assistant', ...said }];
    expect(await blocks({ messages })).toEqual([
      'question/prompt: who?',
      'think/policy: hm',
      'other/policy: x',
    ]);
  });

  test('pages of a server’s search, in the model’s own turn', async () => {
    const content = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: [{ type: 'web_search_result', title: 'T', url: 'https://a.org' }],
      },
      { type: 'text', text: 'x' },
    ];
    expect(
      (await blocks({ messages: [user('who?'), { role: 'assistant', content }] })).slice(1),
    ).toEqual([
      'search/policy: <tool_call>\n{"name":"web_search","arguments":{"query":"q"}}\n</tool_call>',
      'result/environment: T https://a.org',
      'other/policy: x',
    ]);
  });

  test('without an answer of the model all is prompt; what is no list is named', async () => {
    expect(await blocks({ messages: [user('who?')] })).toEqual(['question/prompt: who?']);
    await expect(importOne({ messages: [{ content: 'x' }] })).rejects.toThrow('"messages" must be');
    await expect(
      importOne({ messages: [user('a'), { role: 'user', content: [1] }] }),
    ).rejects.toThrow('"messages" must be');
  });
});

describe('Inspect AI', () => {
  const sample = {
    id: 1,
    epoch: 1,
    input: 'who?',
    target: [' a ', 'b'],
    messages: [user('who?'), assistant('It is x.')],
    scores: { match: { value: 'C', answer: 'x' } },
  };
  const scored = (scores: object) => ({ ...sample, scores });
  test.each<[object, object]>([
    [
      sample,
      {
        layout: 'inspect-ai',
        asked: 'who?',
        golds: ['a', 'b'],
        reward: 1,
        clauses: [['match', 1, 1]],
        answer: 'x',
      },
    ],
    [scored({ m: { value: 'P' } }), { reward: 0.5 }],
    [scored({ m: { value: 'I' } }), { reward: 0 }],
    [scored({ m: { value: 'N' } }), { reward: 0 }],
    [scored({ m: { value: true } }), { reward: 1 }],
    [scored({ m: { value: 0.25 } }), { reward: 0.25 }],
    [scored({ m: 0.75 }), { reward: 0.75, clauses: [['m', 0.75, 1]] }],
    [scored({ m: { value: 'good' } }), { reward: null, clauses: [] }],
    [
      scored({ a: { value: 'C' }, b: { value: 'I' } }),
      {
        reward: null,
        clauses: [
          ['a', 1, 1],
          ['b', 0, 1],
        ],
      },
    ],
    [
      scored({ m: { value: { f1: 0.5, em: false } } }),
      {
        reward: null,
        clauses: [
          ['m.f1', 0.5, 1],
          ['m.em', 0, 1],
        ],
      },
    ],
    [scored({ a: { value: 'C' }, b: { value: 'C', answer: 'y' } }), { answer: 'y' }],
    [{ ...sample, input: [user('first?'), user('then?')] }, { asked: 'then?' }],
    [{ ...sample, input: [{ role: 'system', content: 's' }] }, { asked: '' }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));

  test('long texts stand apart, under their hash', async () => {
    const record = {
      ...sample,
      input: 'attachment://aa',
      messages: [user('attachment://aa'), assistant('attachment://bb')],
      attachments: { aa: 'a long question', cc: 'x' },
    };
    expect(await blocks(record)).toEqual([
      'question/prompt: a long question',
      'other/policy: attachment://bb',
    ]);
    expect((await told(record)).asked).toBe('a long question');
  });

  test('distinguished from a chat by its own keys', async () => {
    for (const key of ['epoch', 'scores', 'output']) {
      const { epoch: _e, scores: _s, ...bare } = sample;
      expect((await told({ ...bare, [key]: {} })).layout).toBe('inspect-ai');
      expect((await told(bare)).layout).toBe('messages');
    }
  });
});

describe('FlashRAG', () => {
  const item = {
    question: 'who?',
    golden_answers: ['a'],
    output: {
      prompt: 'Answer this.',
      retrieval_result: [
        { contents: '"T"\none\ntwo' },
        { title: 'U', text: 'three' },
        { text: 'four' },
        5,
      ],
      pred: 'x',
    },
  };
  test('what was found stands before the response, numbered as its prompts number it', async () => {
    expect(await blocks(item)).toEqual([
      'instruction/prompt: Answer this.',
      'result/environment: Doc 1(Title: T) one\ntwo\nDoc 2(Title: U) three\nDoc 3(Title: ) four\n',
      'other/policy: x',
    ]);
    expect(await told(item)).toMatchObject({
      layout: 'flashrag',
      golds: ['a'],
      answer: 'x',
      reward: null,
    });
  });

  test('rounds of iterative pipelines, and what came before the prediction was cut out', async () => {
    const output = {
      retrieval_result_iter_0: [{ text: 'a' }],
      retrieval_result_iter_1: [{ text: 'b' }],
      retrieval_result_other: [{ text: 'c' }],
      retrieval_result_iter_2: [],
      pred: 'x',
    };
    expect(
      await blocks({ ...item, output: { ...output, raw_pred: 'So x.', final_response: 'y' } }),
    ).toEqual([
      'instruction/prompt: who?',
      'result/environment: Doc 1(Title: ) a\n',
      'result/environment: Doc 1(Title: ) b\n',
      'other/policy: So x.',
    ]);
    expect((await blocks({ ...item, output: { ...output, final_response: 'y' } })).at(-1)).toBe(
      'other/policy: y',
    );
  });
});
