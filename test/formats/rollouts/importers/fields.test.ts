import { describe, expect, test } from 'vitest';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { goldAnswers, questionIn } from '../../../../src/formats/rollouts/parts/question.ts';
import { importOne } from '../helpers.ts';

/** What a record says, as a reader of the inspector sees it. */
const told = async (record: object) => {
  const { question, step, reward, advantage, rewards, answer, judge, origin }: ImportedRollout =
    await importOne(record);
  return {
    layout: origin?.layout,
    asked: question.text,
    golds: question.answers,
    step,
    reward,
    advantage,
    clauses: rewards.map(({ clause, value, weight }) => [clause, value, weight]),
    answer,
    judge,
  };
};
const blocks = async (record: object): Promise<string[]> =>
  (await importOne(record)).segments.map(({ role, source, text }) => `${role}/${source}: ${text}`);

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string, more = {}) => ({ role: 'assistant', content, ...more });

describe('verl and OpenRLHF’s inference', () => {
  const verl = {
    input: 'Question: who?',
    output: '<answer>x</answer>',
    gts: 'a',
    score: 0.5,
    step: 3,
  };
  test.each([
    [
      verl,
      {
        layout: 'verl',
        asked: 'who?',
        golds: ['a'],
        step: 3,
        reward: 0.5,
        clauses: [['score', 0.5, 1]],
        answer: 'x',
      },
    ],
    [
      { ...verl, score: undefined, reward: 2 },
      { reward: 2, clauses: [['score', 2, 1]] },
    ],
    [{ ...verl, reward: 2 }, { reward: 0.5 }],
    [
      { ...verl, score: 'high' },
      { reward: null, clauses: [] },
    ],
    [{ ...verl, question: 'why?' }, { asked: 'why?' }],
    [{ ...verl, step: '3' }, { step: null }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));
});

describe('TRL', () => {
  const trl = { prompt: 'Question: who?', completion: '<answer>x</answer>', step: 7 };
  test.each([
    [
      { ...trl, acc: 1 },
      { layout: 'trl', step: 7, reward: 1, clauses: [['acc', 1, 1]] },
    ],
    // How several columns were weighed is nowhere said.
    [
      { ...trl, acc: 1, form: 0.5 },
      {
        reward: null,
        clauses: [
          ['acc', 1, 1],
          ['form', 0.5, 1],
        ],
      },
    ],
    [
      { ...trl, advantage: -1, seed: 3, epoch: 2, logprobs: 0 },
      { reward: null, clauses: [], advantage: -1 },
    ],
    [{ ...trl, step: '12' }, { step: 12 }],
    [{ ...trl, step: ' 12 ' }, { step: 12 }],
    [{ ...trl, step: 'final' }, { step: null }],
    [{ ...trl, step: '1.5' }, { step: null }],
    [{ ...trl, step: '1'.repeat(16) }, { step: null }],
    [{ ...trl, answer: 'a', solution: 'b' }, { golds: ['a'] }],
    [{ ...trl, ground_truth: 'c', solution: 'b' }, { golds: ['c'] }],
    [{ ...trl, solution: 'b' }, { golds: ['b'] }],
    [{ ...trl, prompt: [user('first?'), assistant('Yes.'), user('who?')] }, { asked: 'who?' }],
    [{ ...trl, prompt: [{ role: 'system', content: 'be short' }] }, { asked: 'be short' }],
    [{ ...trl, question: 'why?' }, { asked: 'why?' }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));

  test('what is neither text nor messages is named', async () => {
    await expect(importOne({ ...trl, prompt: 5 })).rejects.toThrow(
      '"prompt" must be text or a list',
    );
    await expect(importOne({ ...trl, completion: null })).rejects.toThrow('"completion" must be');
  });
});

describe('verifiers', () => {
  const base = {
    example_id: 4,
    prompt: [user('who?')],
    completion: [assistant('<answer>x</answer>')],
    answer: 'a',
    reward: 1,
  };
  test.each([
    [
      base,
      { layout: 'verifiers', asked: 'who?', golds: ['a'], reward: 1, clauses: [['reward', 1, 1]] },
    ],
    [
      { ...base, metrics: { right: 0.75, form: 0.25 } },
      {
        clauses: [
          ['right', 0.75, 1],
          ['form', 0.25, 1],
        ],
      },
    ],
    [{ ...base, metrics: { right: 0.75, form: 0.5 } }, { clauses: [['reward', 1, 1]] }],
    [
      { ...base, right: 1, total_ms: 5, num_turns: 2, id: 9, turn: 3 },
      { clauses: [['right', 1, 1]] },
    ],
    [
      { ...base, reward: null },
      { reward: null, clauses: [] },
    ],
    [{ ...base, metrics: {} }, { clauses: [['reward', 1, 1]] }],
    [{ ...base, prompt: 'who?' }, { asked: 'who?' }],
    [
      { ...base, question: 'why?', step: 2, advantage: 0.5 },
      { asked: 'why?', step: 2, advantage: 0.5 },
    ],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));

  test.each(['task', 'generation_ms', 'timing', 'stop_condition', 'is_completed', 'example_id'])(
    '%s tells them from TRL’s rows, a reward is there in both',
    async (key) => {
      const { example_id: _, ...bare } = base;
      expect((await told({ ...bare, [key]: 'x' })).layout).toBe('verifiers');
      expect((await told(bare)).layout).toBe('trl');
      const { reward: _reward, ...without } = bare;
      expect((await told({ ...without, [key]: 'x' })).layout).toBe('trl');
    },
  );

  test('a text is one message of the model', async () => {
    expect(await blocks({ ...base, prompt: 'p', completion: '<answer>x</answer>' })).toEqual([
      'question/prompt: p',
      'answer/policy: <answer>x</answer>',
    ]);
    await expect(importOne({ ...base, completion: { a: 1 } })).rejects.toThrow('"completion" must');
  });
});

describe('chats', () => {
  const chat = {
    messages: [{ role: 'system', content: 's' }, user('who?'), assistant('It is x.')],
  };
  test.each([
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
      (key) => [{ ...chat, [key]: ['a', 'b'] }, { golds: ['a', 'b'] }] as const,
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
  test.each([
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

  test('told from a chat by its own keys', async () => {
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

describe('OpenRLHF and SkyRL', () => {
  const open = { prompt: 'Question: who?', output: '<answer>x</answer>', reward: 1 };
  const sky = {
    input_prompt: 'Question: who?',
    output_response: '<answer>x</answer>',
    score: [0, 0.5, 0.25],
  };
  test.each([
    [
      open,
      { layout: 'openrlhf', asked: 'who?', reward: 1, clauses: [['reward', 1, 1]], golds: [] },
    ],
    [{ ...open, label: 'a', answer: 'b' }, { golds: ['a'] }],
    [{ ...open, answer: 'b', ground_truth: 'c' }, { golds: ['b'] }],
    [
      { ...open, ground_truth: 'c', step: 2 },
      { golds: ['c'], step: 2 },
    ],
    [
      { ...open, reward: null },
      { reward: null, clauses: [] },
    ],
    [sky, { layout: 'skyrl', asked: 'who?', reward: 0.75, clauses: [['score', 0.75, 1]] }],
    [{ ...sky, score: 2 }, { reward: 2 }],
    [
      { ...sky, score: [] },
      { reward: null, clauses: [] },
    ],
    [{ ...sky, score: [1, null] }, { reward: null }],
    [
      {
        ...sky,
        env_extras: { reward_spec: { ground_truth: 'a' }, reward_model: { ground_truth: 'b' } },
      },
      { golds: ['a'] },
    ],
    [{ ...sky, env_extras: { reward_model: { ground_truth: 'b' } } }, { golds: ['b'] }],
    [{ ...sky, ground_truth: 'c' }, { golds: ['c'] }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));
});

describe('RLLoggingBoard and R1-Searcher', () => {
  const board = { prompt: 'Question: who?', response: '<answer>x</answer>', reward: 1, step: 3 };
  const searcher = { question: 'who?', answer: 'a', pred_ans: ' x', gen_text_store: 'I know.' };
  const judged = (said: unknown) => ({ ...searcher, gpt4o_output: said });
  const by = (verdict: boolean) => ({ judge: { verdict, by: 'gpt4o_output' } });
  test.each([
    [board, { layout: 'rl-logging-board', step: 3, reward: 1, clauses: [['reward', 1, 1]] }],
    [
      { ...board, unstated: ['reward', 'step'] },
      { step: null, reward: null, clauses: [] },
    ],
    [
      { ...board, unstated: ['reward'], advantage: 2 },
      { step: 3, reward: null, advantage: 2 },
    ],
    [{ ...board, ground_truth: 'a', answer: 'b' }, { golds: ['a'] }],
    [{ ...board, gts: 'c' }, { golds: ['c'] }],
    [
      searcher,
      { layout: 'r1-searcher', asked: 'who?', golds: ['a'], answer: ' x', judge: undefined },
    ],
    [{ ...searcher, pred_ans: null }, { answer: null }],
    [judged('True'), by(true)],
    [judged('**false**, because'), by(false)],
    [judged('TRUE.'), by(true)],
    [judged(false), by(false)],
    [judged('Truely'), { judge: undefined }],
    [judged('It is true'), { judge: undefined }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));
});

describe('the question in a prompt', () => {
  test.each([
    ['Be short.\nQuestion: who?\nAssistant:', 'who?'],
    ['Question: example?\nAnswer: x\nQuestion: who?', 'who?'],
    ['User: who?\n<|im_start|>assistant', 'who?'],
    ['<|im_start|>user\nwho?<|im_end|>\n<|im_start|>assistant\n', 'who?'],
    ['<|im_start|>user\nQuestion: who?<|im_end|>', 'who?'],
    ['It asks. Question: who?</s>', 'who?'],
    ['Question: who?<|eot_id|>more', 'who?'],
    ['<question> one </question><question> who? </question>', 'who?'],
    ['  who?  ', 'who?'],
    ['The Question: is this', 'The Question: is this'],
    ['Question:', 'Question:'],
    [`Question: ${'x'.repeat(2000)}`, 'x'.repeat(2000)],
    [`Question: ${'x'.repeat(2001)}`, `Question: ${'x'.repeat(2001)}`],
  ])('%j', (prompt, question) => expect(questionIn(prompt)).toBe(question));
});

describe('gold answers', () => {
  test.each([
    ['a', ['a']],
    ['a<|answer_split|>b<|answer_split|> ', ['a', 'b']],
    ['', []],
    [5, ['5']],
    [false, ['false']],
    [
      ['a', 5, null, ['nested']],
      ['a', '5'],
    ],
    [{ target: ['a'], answer: 'b' }, ['a']],
    [{ ground_truth: { target: 'a' } }, ['a']],
    [{ ground_truth: { x: 'a', y: 'b' } }, ['a', 'b']],
    [{ golden_answers: 'a' }, ['a']],
    [{ answers: ['a'] }, ['a']],
    [{ answer: 'a' }, ['a']],
    [{ other: 'a' }, []],
    [null, []],
    [undefined, []],
  ])('%j', (value, golds) => expect(goldAnswers(value)).toEqual(golds));
});
