import { describe, expect, test } from 'vitest';
import { promptAndResponse, writeRollout } from '../../../src/formats/rollouts/write.ts';
import type {
  ImportedRollout,
  ImportedSegment,
} from '../../../src/formats/rollouts/shape/imported.ts';
import { faultOf } from '../../../src/formats/rollouts/own-schema.ts';

const segment = (
  role: ImportedSegment['role'],
  text: string,
  source: ImportedSegment['source'] = 'policy',
  more: Partial<ImportedSegment> = {},
): ImportedSegment => ({ role, text, source, ...more });

const rollout = (more: Partial<ImportedRollout> = {}): ImportedRollout => ({
  format: 'forage.rollout/1',
  id: 'r',
  runId: 'run',
  step: 3,
  groupId: '3/g',
  question: { id: 'q', text: 'who?', answers: ['a'], supporting: [] },
  segments: [segment('instruction', 'Ask. ', 'prompt'), segment('answer', '<answer>x</answer>')],
  rewards: [],
  reward: 0.5,
  baseline: null,
  advantage: null,
  metrics: null,
  answer: 'x',
  ...more,
});
const written = (layout: 'verl' | 'rl-logging-board', more: Partial<ImportedRollout> = {}) =>
  JSON.parse(writeRollout(rollout(more), layout)) as Record<string, unknown>;

describe('the border of prompt and response', () => {
  const at = (more: Partial<ImportedRollout>): [number, number] => {
    const { prompt, response } = promptAndResponse(rollout(more));
    return [prompt.length, response.length];
  };
  const origin = { layout: 'trl', protocol: null, fields: {}, columns: {} };
  test('is before what the policy wrote first, or where the origin says', () => {
    expect(at({})).toEqual([1, 1]);
    expect(at({ origin: { ...origin, responseAt: 0 } })).toEqual([0, 2]);
    expect(at({ segments: [segment('answer', 'x'), segment('hint', 'y', 'environment')] })).toEqual(
      [0, 2],
    );
    expect(at({ segments: [segment('question', 'x', 'prompt')] })).toEqual([1, 0]);
  });
});

test('verl’s layout has the texts, and all that our reader takes', () => {
  expect(written('verl')).toEqual({
    input: 'Ask. ',
    output: '<answer>x</answer>',
    gts: 'a',
    score: 0.5,
    step: 3,
    question: 'who?',
    question_id: 'q',
    group_id: '3/g',
    pred: 'x',
  });
});

test('RLLoggingBoard’s layout has those that it needs, also where nobody stated them', () => {
  expect(written('rl-logging-board')).toEqual({
    prompt: 'Ask. ',
    response: '<answer>x</answer>',
    reward: 0.5,
    step: 3,
    ground_truth: 'a',
    question: 'who?',
    question_id: 'q',
    group_id: '3/g',
    pred: 'x',
  });
  expect(written('rl-logging-board', { reward: null })).toMatchObject({
    reward: 0,
    step: 3,
    unstated: ['reward'],
  });
  expect(written('rl-logging-board', { step: null })).toMatchObject({
    reward: 0.5,
    step: 0,
    unstated: ['step'],
  });
});

describe.each(['verl', 'rl-logging-board'] as const)('%s', (layout) => {
  test('golds, one or several', () => {
    const golds = (answers: string[]) => {
      const question = { id: 'q', text: 'who?', answers, supporting: ['T'] };
      const line = written(layout, { question });
      expect(line['supporting']).toEqual(['T']);
      return line['gts'] ?? line['ground_truth'];
    };
    const verl = layout === 'verl';
    expect(golds(['a', 'b'])).toEqual(verl ? ['a', 'b'] : 'a<|answer_split|>b');
    expect(golds([])).toEqual(verl ? [] : '');
    expect(golds([''])).toEqual('');
  });

  test('a verdict goes along; an answer that cannot be read is not written', () => {
    const judge = { verdict: true, by: 'j' };
    expect(written(layout, { judge })['judge']).toEqual(judge);
    expect(written(layout)).not.toHaveProperty('judge');
    expect(written(layout, { answer: null })).toHaveProperty('pred', null);
    expect(written(layout, { answer: null, notScored: 'why' })).not.toHaveProperty('pred');
  });

  test('without a prompt, the question takes its place', () => {
    const line = written(layout, { segments: [segment('answer', 'x')] });
    expect(line['input'] ?? line['prompt']).toBe('who?');
  });

  test('what the environment wrote in places that no tag tells as its own', () => {
    const segments = [
      segment('instruction', 'Ask.', 'prompt'),
      segment('background', 'known', 'environment'),
      segment('result', 'found', 'environment'),
      segment('hint', 'hint', 'environment'),
      segment('think', 'policy'),
      segment('think', 'given', 'environment'),
      segment('answer', '', 'environment'),
      segment('result', 'read', 'environment'),
      segment('answer', 'it', 'environment'),
    ];
    expect(written(layout, { segments })).toMatchObject({
      prompt_read: [
        { role: 'background', start: 4, end: 9 },
        { role: 'result', start: 9, end: 14 },
      ],
      environment_wrote: [
        { role: 'think', start: 6, end: 11 },
        { role: 'answer', start: 15, end: 17 },
      ],
    });
    const line = written(layout);
    expect(line).not.toHaveProperty('prompt_read');
    expect(line).not.toHaveProperty('environment_wrote');
  });
});

describe('messages of a chat get the tags of their protocol', () => {
  const response = (protocol: string, ...segments: ImportedSegment[]): unknown => {
    const origin = { layout: 'trl', protocol, responseAt: 0, fields: {}, columns: {} };
    return written('verl', { segments, origin })['output'];
  };
  test.each<[string, string, ImportedSegment]>([
    ['search-r1', '<information>\nd\n</information>\n', segment('result', 'd', 'environment')],
    ['search-r1', '<think>\na\n</think>\n', segment('think', 'a')],
    // What tells its writer by its tags already, or has tokens, or nothing in it.
    ['search-r1', '<information>d', segment('result', '<information>d', 'environment')],
    ['search-r1', 'd</information>', segment('result', 'd</information>', 'environment')],
    ['search-r1', ' \n', segment('result', ' \n', 'environment')],
    ['search-r1', 'd', segment('result', 'd', 'environment', { ids: [1] })],
    ['search-r1', 'd', segment('result', 'd', 'environment', { tokens: ['d'] })],
    ['search-r1', 'q', segment('search', 'q')],
    ['search-r1', 'x', segment('answer', 'x')],
    // Nobody of that protocol writes it.
    ['search-r1', 'd', segment('result', 'd')],
    ['none', 'd', segment('result', 'd', 'environment')],
    // Where prose is the thought, it needs no tag.
    ['tool-call', 'a', segment('think', 'a')],
    ['tool-call', '<tool_response>\nd\n</tool_response>\n', segment('result', 'd', 'environment')],
  ])('%s: %j', (protocol, expected, own) => expect(response(protocol, own)).toBe(expected));
});

describe('columns of tokens in RLLoggingBoard’s names', () => {
  const columns = {
    tokens: ['a', 'b'],
    ids: [1, 2],
    trainedIds: [1, 3],
    logprobs: [-1, -2],
    refLogprobs: [-3, -4],
    values: [5, 6],
    tokenRewards: [7, 8],
    entropies: [9, 10],
    advantages: [11, 12],
    lossMask: [1, 0],
  };
  const line = (more: Partial<ImportedSegment> = {}) =>
    written('rl-logging-board', {
      segments: [segment('other', 'ab', 'policy', { ...columns, ...more })],
    });
  test('as it reads them', () => {
    expect(line()).toMatchObject({
      response_tokens: ['a', 'b'],
      response_ids: [1, 2],
      trained_ids: [1, 3],
      logprobs: [-1, -2],
      ref_logprobs: [-3, -4],
      values: [5, 6],
      token_rewards: [7, 8],
      entropies: [9, 10],
      advantages: [11, 12],
      loss_mask: [1, 0],
    });
  });

  test('the reference’s under another name where it cannot subtract them', () => {
    for (const gap of [{ refLogprobs: [null, 1] }, { logprobs: [1, null] }]) {
      expect(line(gap)).not.toHaveProperty('ref_logprobs');
      expect(line(gap)).toHaveProperty('ref_log_probs');
    }
  });

  test('one value a token, where the record of ours has them for the policy alone', () => {
    const own = [
      segment('think', 'a', 'policy', { ids: [1], mask: 1, logprobs: [-1], entropies: [0.5] }),
      segment('result', 'bc', 'environment', { ids: [2, 3], mask: 0 }),
    ];
    const board = JSON.parse(
      writeRollout(rollout({ segments: own }), 'rl-logging-board', (ids) =>
        ids.map((id) => ['', 'a', 'b', 'c'][id] ?? ''),
      ),
    ) as object;
    expect(board).toMatchObject({
      response_ids: [1, 2, 3],
      response_tokens: ['a', 'b', 'c'],
      loss_mask: [1, 0, 0],
      logprobs: [-1, null, null],
      entropies: [0.5, null, null],
    });
    expect(written('rl-logging-board', { segments: own })).not.toHaveProperty('response_tokens');
  });

  test('none where there is no response, or not every part of it has them', () => {
    const prompt = segment('question', 'ab', 'prompt', columns);
    expect(written('rl-logging-board', { segments: [prompt] })).not.toHaveProperty('response_ids');
    const some = [segment('think', 'ab', 'policy', columns), segment('answer', 'c')];
    expect(written('rl-logging-board', { segments: some })).not.toHaveProperty('response_ids');
  });
});

describe('a record of ours', () => {
  const with_ = (own: object): unknown => ({ ...rollout(), ...own });
  test.each([
    'instruction',
    'background',
    'question',
    'think',
    'search',
    'result',
    'hint',
    'answer',
    'other',
    'refine',
    'evidence',
  ])('may have a segment whose role is %s', (role) => {
    for (const source of ['prompt', 'policy', 'environment'])
      expect(faultOf(with_({ segments: [{ source, role, text: '' }] }))).toBeNull();
  });

  test.each<[object, RegExp]>([
    [{ segments: [{ source: 'policy', role: 'none', text: '' }] }, /^segments\[0\]\.role: /],
    [{ segments: [{ source: 'none', role: 'think', text: '' }] }, /^segments\[0\]\.source: /],
    [{ segments: [{ source: 'policy', role: 'think', text: '', ids: [1, -1] }] }, /^segments\[0\]\.ids\[1\]: /],
    [{ segments: [{ source: 'policy', role: 'think', text: '', mask: 2 }] }, /^segments\[0\]\.mask: /],
    [{ reward: 'high' }, /^reward: .*expected number/],
    [{ events: [{ kind: 'none', t: 0 }] }, /^events\[0\]\.kind: /],
    [{ origin: { layout: 'none', protocol: null, responseAt: 0, fields: {}, columns: {} } }, /^origin\.layout: /],
  ])('%j is named by the place at fault', (own, fault) => expect(faultOf(with_(own))).toMatch(fault)); // prettier-ignore

  test('that is none is named as a whole', () => {
    expect(faultOf(5)).toMatch(/^the record: /);
  });
});
