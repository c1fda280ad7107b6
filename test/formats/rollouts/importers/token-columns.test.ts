import { describe, expect, test } from 'vitest';
import { OTHER_SYSTEMS } from '../../../fixtures/inspect/other-systems.ts';
import { importOne } from '../helpers.ts';

/** Log-probabilities that logs carry beside their messages. */

const content = [
  ['<think>', -0.5],
  ['hm', -0.25],
  ['</think>', -0.125],
  ['<answer>', -1],
  ['Ida', -2],
  [' Holm', -3],
  ['</answer>', -4],
].map(([token, logprob]) => ({ token, logprob, bytes: null, top_logprobs: [] }));
const text = '<think>hm</think><answer>Ida Holm</answer>';
const user = { role: 'user', content: 'who?' };
const said = { role: 'assistant', content: text };

/** Blocks of the policy with their tokens and log-probabilities. */
const columns = async (record: object) =>
  (await importOne(record)).segments
    .filter(({ source }) => source === 'policy')
    .map(({ role, tokens, ids, logprobs }) => [role, tokens ?? ids, logprobs]);

const BLOCKS = [
  ['think', ['<think>', 'hm', '</think>'], [-0.5, -0.25, -0.125]],
  ['answer', ['<answer>', 'Ida', ' Holm', '</answer>'], [-1, -2, -3, -4]],
];

describe('OpenAI', () => {
  test.each([
    ['in the message', { messages: [user, { ...said, logprobs: { content } }] }],
    ['beside the messages', { messages: [user, said], logprobs: { content } }],
    [
      'in the response to a logged request',
      { messages: [user], response: { choices: [{ message: said, logprobs: { content } }] } },
    ],
    ['in its choices', { messages: [user], choices: [{ message: said, logprobs: { content } }] }],
  ])('%s: a token is its block’s', async (_, record) => {
    expect(await columns(record)).toEqual(BLOCKS);
  });

  test('tokens that spell another text than the message are left where they were', async () => {
    const record = { messages: [user, { ...said, logprobs: { content: content.slice(1) } }] };
    expect((await columns(record)).map(([, tokens]) => tokens)).toEqual([undefined, undefined]);
    expect((await importOne(record)).origin?.fields).toEqual(record);
  });

  test('a value that is not a list of tokens is ignored', async () => {
    for (const logprobs of [{}, { content: null }, { content: [{ token: 5 }] }, 'x', []])
      expect((await columns({ messages: [user, { ...said, logprobs }] }))[0]?.[1]).toBeUndefined();
  });
});

describe('Inspect AI', () => {
  const sample = { id: 1, epoch: 1, input: 'who?', target: 'Ida Holm', scores: {} };
  test('of the sample’s output, told by the text it became', async () => {
    const output = {
      choices: [{ message: { ...said, source: 'generate' }, logprobs: { content } }],
    };
    expect(await columns({ ...sample, messages: [user, said], output })).toEqual(BLOCKS);
  });

  test('of each call in the events, told by the message’s id', async () => {
    const first = { role: 'assistant', id: 'm1', content: 'Let me see.' };
    const last = { ...said, id: 'm2' };
    const event = (message: object, tokens: object[]) => ({
      event: 'model',
      output: { choices: [{ message, logprobs: { content: tokens } }] },
    });
    const see = [{ token: 'Let me see.', logprob: -7 }];
    const record = {
      ...sample,
      messages: [user, first, { ...user, content: 'go on' }, last],
      output: { choices: [] },
      events: [event(last, content), { event: 'info' }, event(first, see)],
    };
    expect(await columns(record)).toEqual([['other', ['Let me see.'], [-7]], ...BLOCKS]);
  });
});

describe('verifiers', () => {
  const [episode] = OTHER_SYSTEMS['an episode of verifiers']!;

  test('a trace’s ids and log-probabilities are the sampled tokens’ alone', async () => {
    expect(await columns(episode)).toEqual([
      ['search', [5, 6, 7], [-0.5, -0.25, -0.125]],
      ['other', undefined, undefined],
    ]);
  });

  test('step, group, weights of the rewards, and the last branch', async () => {
    const rollout = await importOne(episode);
    expect(rollout).toMatchObject({ step: 4, groupId: '4/g7', reward: 1 });
    expect(rollout.rewards.map(({ clause, value, weight }) => [clause, value, weight])).toEqual([
      ['correct', 1, 0.75],
      ['brief', 0.5, 0.5],
    ]);
    expect(rollout.segments.some(({ text: own }) => own === 'I give up.')).toBe(false);
  });

  test('a ring of parents, and log-probabilities of another number, are no graph and no columns', async () => {
    const [trace] = episode['traces'] as { nodes: object[] }[];
    const nodes = trace!.nodes.map((node, at) => (at === 4 ? { ...node, parent: 5 } : node));
    await expect(importOne({ ...trace, nodes })).rejects.toThrow('"nodes" 4 has the parent 5');
    const short = trace!.nodes.map((node, at) => (at === 3 ? { ...node, logprobs: [-1] } : node));
    expect((await columns({ ...trace, nodes: short }))[0]).toEqual([
      'search',
      [5, 6, 7],
      undefined,
    ]);
  });

  test('a kept trajectory gives the tokens of each turn', async () => {
    const record = {
      example_id: 1,
      prompt: [user],
      completion: [{ role: 'assistant', content: 'x' }, user, { role: 'assistant', content: 'y' }],
      reward: 1,
      trajectory: [
        { tokens: { completion_ids: [1, 2], completion_logprobs: [-1, -2] } },
        { tokens: { completion_ids: [3], completion_logprobs: [-3] } },
      ],
    };
    expect(await columns(record)).toEqual([
      ['other', [1, 2], [-1, -2]],
      ['other', [3], [-3]],
    ]);
    const cut = { ...record, trajectory: record.trajectory.slice(1) };
    expect((await columns(cut)).map(([, tokens]) => tokens)).toEqual([undefined, undefined]);
  });
});

describe('ShareGPT', () => {
  test('a turn of an unknown speaker is named', async () => {
    const record = { conversations: [{ from: 'owl', value: 'hoo' }] };
    await expect(importOne(record)).rejects.toThrow('a turn from "owl"; expected human');
    await expect(importOne({ conversations: 'x' })).rejects.toThrow(
      '"conversations" must be a list',
    );
    await expect(importOne({ conversations: [{ from: 'gpt', value: 5 }] })).rejects.toThrow(
      '"conversations" must be a list',
    );
  });
});
