import { describe, expect, test } from 'vitest';
import { textAt } from '../../../../src/formats/rollouts/parts/build.ts';
import { hashText } from '../../../../src/formats/rollouts/shape/json.ts';
import { importOne } from '../helpers.ts';

/** A record as verl writes it, with what our writers leave beside the texts. */
const record = (more: object = {}) => ({
  input: 'Question: who?',
  output: '<answer>x</answer>',
  gts: 'a',
  ...more,
});
const segments = async (more: object): Promise<string[]> =>
  (await importOne(record(more))).segments.map(
    ({ role, source, text }) => `${role}/${source}: ${text}`,
  );

describe('rollouts of one question are a group', () => {
  const group = async (more: object) => (await importOne(record(more))).groupId;
  const own = hashText('Question: who?');
  test.each([
    [{}, own],
    [{ step: 3 }, `3/${own}`],
    [{ step: 0 }, `0/${own}`],
    [{ group_id: 'g', uid: 'u', prompt_id: 'p', group: 'h' }, 'g'],
    [{ uid: 'u', prompt_id: 'p', group: 'h' }, 'u'],
    [{ prompt_id: 'p', group: 'h' }, 'p'],
    [{ group: 7 }, '7'],
    [{ group: ['h'] }, own],
    [{ group_id: 'g', step: 3 }, '3/g'],
    [{ group_id: '3/g', step: 3 }, '3/g'],
    [{ group_id: '33/g', step: 3 }, '3/33/g'],
  ])('%j', async (more, expected) => expect(await group(more)).toBe(expected));

  test('by the question where there is no prompt', async () => {
    expect(await group({ input: '', question: 'who?' })).toBe(hashText('who?'));
    expect(await group({ input: '', question: 'why?' })).toBe(hashText('why?'));
  });
});

describe('what a file says of the answer goes before what the text says', () => {
  test.each([
    [{ pred: 'y' }, 'y'],
    [{ prediction: 'y' }, 'y'],
    [{ extracted_answer: 'y' }, 'y'],
    [{ pred: 'y', prediction: 'z' }, 'y'],
    [{ pred: 5, prediction: 'z' }, 'z'],
    [{ pred: null, prediction: 'z' }, 'z'],
    [{ pred: null }, null],
    [{ pred: 5 }, 'x'],
    [{ pred: '' }, ''],
    [{}, 'x'],
  ])('%j', async (more, answer) => expect(await importOne(record(more))).toMatchObject({ answer }));
});

test.each([
  [{ judge: { verdict: true, by: 'j' } }, { verdict: true, by: 'j' }],
  [{ judge: { verdict: null, by: 'j' } }, { verdict: null, by: 'j' }],
  [{ judge: { verdict: 'yes', by: 'j' } }, undefined],
  [{ judge: { verdict: true } }, undefined],
  [{ judge: 'yes' }, undefined],
])('a verdict beside the texts: %j', async (more, judge) =>
  expect((await importOne(record(more))).judge).toEqual(judge),
);

test.each([
  [{ supporting: ['A', 'B'] }, ['A', 'B']],
  [{ supporting: ['A', 5] }, []],
  [{ supporting: 'A' }, []],
])('supporting titles: %j', async (more, supporting) =>
  expect((await importOne(record({ ...more, question_id: 'q' }))).question).toMatchObject({
    id: 'q',
    supporting,
  }),
);

describe('stretches of a prompt that were retrieved', () => {
  const at = (start: number, end: number, role = 'result') => ({ start, end, role });
  const read = (prompt_read: unknown) => segments({ input: '0123456789', prompt_read });
  const p = (text: string) => `instruction/prompt: ${text}`;
  const r = (text: string) => `result/environment: ${text}`;
  test.each<[unknown, string[]]>([
    [[at(2, 4), at(6, 9, 'background')], [p('01'), r('23'), p('45'), 'background/environment: 678', p('9')]],
    [[at(0, 5), at(5, 10, 'other')], [r('01234'), r('56789')]],
    // What overlaps an earlier one, lies outside, or is empty, is none.
    [[at(2, 4), at(3, 5)], [p('01'), r('23'), p('456789')]],
    [[at(2, 11)], [p('0123456789')]],
    [[at(-1, 2), at(2, 2), at(3, 2)], [p('0123456789')]],
    [[{ start: '1', end: 2 }, { start: 1.5, end: 2 }, { start: 1, end: 2.5 }, 5], [p('0123456789')]],
    ['all', [p('0123456789')]],
  ])('%j', async (stretches, expected) =>
    expect((await read(stretches)).slice(0, -1)).toEqual(expected),
  ); // prettier-ignore

  test('are not sought in a prompt of several messages', async () => {
    const messages = [
      { role: 'system', content: '0123' },
      { role: 'user', content: 'who?' },
      { role: 'assistant', content: 'x' },
    ];
    const { segments: found } = await importOne({ messages, prompt_read: [at(0, 2)] });
    expect(found.map(({ text }) => text)).toEqual(['0123', 'who?', 'x']);
  });
});

describe('stretches of a response that the environment wrote', () => {
  const output = '<think>a</think><answer>b</answer><answer>c</answer>';
  const at = (start: number, end: number) => ({ start, end });
  const sources = async (environment_wrote: unknown) =>
    (await segments({ output, environment_wrote }))
      .slice(1)
      .map((told) => told.replace(/: .*/, '').replace(/.*\//, ''));
  test.each<[unknown, string[]]>([
    [[], ['policy', 'policy', 'policy']],
    [[at(16, 34)], ['policy', 'environment', 'policy']],
    [[at(15, 35)], ['policy', 'environment', 'policy']],
    [[at(17, 34)], ['policy', 'policy', 'policy']],
    [[at(16, 33)], ['policy', 'policy', 'policy']],
    [
      [at(0, 16), at(34, 52)],
      ['environment', 'policy', 'environment'],
    ],
    [
      [at(0, 2), at(3, 5), at(34, 52)],
      ['policy', 'policy', 'environment'],
    ],
    [[at(0, 52)], ['environment', 'environment', 'environment']],
    [[at(34, 53)], ['policy', 'policy', 'policy']],
  ])('%j', async (stretches, expected) => expect(await sources(stretches)).toEqual(expected));
});

test('a tag of the prompt in a response is still the policy’s', async () => {
  expect(
    await segments({ output: '<question>q</question><short_answer>x</short_answer>' }),
  ).toEqual([
    'instruction/prompt: Question: who?',
    'question/policy: <question>q</question>',
    'answer/policy: <short_answer>x</short_answer>',
  ]);
});

describe('columns of tokens', () => {
  test('go to the segments, and leave the fields; those of another length stay', async () => {
    const more = {
      output: 'plain text',
      response_ids: [1, 2],
      old_log_probs: [-1, null],
      entropy: [0.5, 0.25],
      advantages: [1],
      note: 'kept',
    };
    const { segments: found, origin } = await importOne(record(more));
    expect(found[1]).toEqual({
      source: 'policy',
      role: 'other',
      text: 'plain text',
      ids: [1, 2],
      logprobs: [-1, null],
      entropies: [0.5, 0.25],
    });
    expect(origin).toEqual({
      layout: 'verl',
      protocol: null,
      responseAt: 1,
      fields: { gts: 'a', advantages: [1], note: 'kept' },
      columns: { ids: 'response_ids', logprobs: 'old_log_probs', entropies: 'entropy' },
    });
  });

  test.each<[string, string]>([
    ['response_ids', 'ids'], ['response_token_ids', 'ids'], ['token_ids', 'ids'],
    ['response_tokens', 'tokens'], ['tokens', 'tokens'], ['trained_ids', 'trainedIds'],
    ['logprobs', 'logprobs'], ['old_log_probs', 'logprobs'], ['rollout_log_probs', 'logprobs'],
    ['ref_logprobs', 'refLogprobs'], ['ref_log_probs', 'refLogprobs'],
    ['entropies', 'entropies'], ['entropy', 'entropies'], ['values', 'values'],
    ['token_rewards', 'tokenRewards'], ['token_level_rewards', 'tokenRewards'],
    ['advantages', 'advantages'], ['token_advantages', 'advantages'],
    ['loss_mask', 'lossMask'], ['response_mask', 'lossMask'], ['action_mask', 'lossMask'],
  ])('%s are %s', async (key, column) => {
    const values = column === 'tokens' ? ['plain', ' text'] : [0, 1];
    const { segments: found, origin } = await importOne(record({ output: 'plain text', [key]: values }));
    expect(found[1]).toMatchObject({ [column]: values });
    expect(origin?.columns).toEqual({ [column]: key });
    expect(origin?.fields).not.toHaveProperty(key);
  }); // prettier-ignore

  test.each<[string, unknown]>([
    ['response_ids', [1, -1]],
    ['response_ids', [1, 0.5]],
    ['trained_ids', [1, null]],
    ['response_tokens', ['a', 1]],
    ['logprobs', ['a', 1]],
    ['logprobs', []],
    ['logprobs', 5],
  ])('%s of %j are none, and stay as they were', async (key, values) => {
    const { segments: found, origin } = await importOne(
      record({ output: 'plain text', [key]: values }),
    );
    expect(Object.keys(found[1]!)).toEqual(['source', 'role', 'text']);
    expect(origin?.fields).toHaveProperty(key, values);
  });

  test('are as many as the tokens, which decide over the others', async () => {
    const more = { output: 'ab', logprobs: [1, 2, 3], response_tokens: ['a', 'b'] };
    const { segments: found } = await importOne(record({ ...more, values: [4, 5] }));
    expect(found[1]).toMatchObject({ tokens: ['a', 'b'], values: [4, 5] });
    expect(found[1]).not.toHaveProperty('logprobs');
  });

  test('a token belongs to the block in which it begins; the last block has the rest', async () => {
    const tokens = ['<think>', 'a</', 'think><ans', 'wer>x</answer>', '</s>'];
    const { segments: found } = await importOne(
      record({ output: '<think>a</think><answer>x</answer>', response_tokens: tokens }),
    );
    expect(found.slice(1).map(({ role, text, tokens: own }) => [role, text, own])).toEqual([
      ['think', '<think>a</think><ans', tokens.slice(0, 3)],
      ['answer', 'wer>x</answer>', tokens.slice(3)],
    ]);
    // A block in which no token begins has no segment.
    const { segments: two } = await importOne(
      record({
        output: '<think></think><answer>x</answer>',
        response_tokens: ['<think></think><answer>x', '</answer>'],
      }),
    );
    expect(two.slice(1).map(({ role, text }) => [role, text])).toEqual([
      ['think', '<think></think><answer>x'],
      ['answer', '</answer>'],
    ]);
  });
});

test('a text that is missing, or none, is named', () => {
  expect(textAt({ a: '' }, 'a')).toBe('');
  expect(() => textAt({}, 'a')).toThrow('"a" is missing; expected text');
  expect(() => textAt({ a: null }, 'a')).toThrow('"a" is null; expected text');
  expect(() => textAt({ a: 5 }, 'a')).toThrow('"a" is number; expected text');
});
