import { describe, expect, test } from 'vitest';
import { environmentTrained, ownTextMasked } from '../../../../src/evaluate/rollouts/lint/masks.ts';
import { retokenized } from '../../../../src/evaluate/rollouts/lint/tokens.ts';
import type { Finding } from '../../../../src/evaluate/rollouts/lint/finding.ts';
import type {
  ImportedRollout,
  ImportedSegment,
} from '../../../../src/formats/rollouts/shape/imported.ts';
import { answer, prompt, result, rolloutOf, search, think } from './rollout.ts';

/** Segment and tokens of each finding. */
const places = (findings: readonly Finding[]) =>
  findings.map(({ tokens }) => tokens && [tokens.segment, tokens.from, tokens.to]);

describe('who wrote a token against the loss mask', () => {
  const check = (segment: ImportedSegment) => {
    const rollout = rolloutOf([prompt('p', { mask: 0 }), segment]);
    return { trained: environmentTrained(rollout), masked: ownTextMasked(rollout) };
  };

  test.each([
    ['a result that is trained', result('d', { mask: 1, ids: [1, 2, 3] }), [[1, 0, 3]]],
    ['texts of tokens', result('d', { mask: 1, tokens: ['a', 'b'] }), [[1, 0, 2]]],
    ['no tokens to name', result('d', { mask: 1 }), [[1, 0, 0]]],
    ['the prompt', prompt('x', { mask: 1, ids: [1] }), [[1, 0, 1]]],
    ['two of its tokens', result('d', { lossMask: [0, 1, 1, 0, 1] }), [[1, 1, 3]]],
    ['its last token', result('d', { mask: 0, lossMask: [0, 0, 1] }), [[1, 2, 3]]],
    [
      'blank tokens beside it say nothing',
      result('d', { lossMask: [1, 1, 1, 0], tokens: ['\n', 'a', ' ', 'b'] }),
      [[1, 1, 2]],
    ],
    ['blank tokens alone', result('d', { lossMask: [0, 1], tokens: ['a', '\n'] }), []],
    ['none of it', result('d', { mask: 0, lossMask: [0, 0] }), []],
    ['not said', result('d', { lossMask: [null, null] }), []],
    ['the policy’s own', think('x', { mask: 1, lossMask: [1] }), []],
  ])('trained: %s', (_, segment, expected) => {
    const { trained } = check(segment);
    expect(places(trained)).toEqual(expected);
    expect(new Set(trained.map(({ code }) => code)).size).toBe(Math.min(1, expected.length));
  });

  test.each([
    ['a thought left out', think('x', { mask: 0, ids: [1, 2] }), [[1, 0, 2]]],
    ['texts of tokens', think('x', { mask: 0, tokens: ['a', 'b', 'c'] }), [[1, 0, 3]]],
    ['a token of it', think('x', { mask: 1, lossMask: [1, 0, 1] }), [[1, 1, 2]]],
    ['all of it trained', think('x', { mask: 1, lossMask: [1, 1] }), []],
    ['not said', think('x'), []],
    ['the environment’s', result('d', { mask: 0, lossMask: [0] }), []],
  ])('left out: %s', (_, segment, expected) =>
    expect(places(check(segment).masked)).toEqual(expected),
  );

  test('each says who wrote the block, and points at all of it', () => {
    const { trained } = check(result('d', { mask: 1 }));
    expect(trained).toMatchObject([
      {
        rollout: 'r',
        message: 'The environment wrote this result block, and the loss mask trains it.',
        where: [{ segment: 1, start: 0, end: '<result>\nd\n</result>'.length }],
      },
    ]);
    expect(check(think('x', { mask: 0 })).masked[0]?.message).toBe(
      'The policy wrote this think block, and the loss mask leaves it out.',
    );
  });
});

describe('in imported text, results that no query asked for', () => {
  const uncalled = (
    segments: ImportedSegment[],
    responseAt = 1,
    protocol: string | null = 'forage',
  ): number[] =>
    ownTextMasked(
      rolloutOf(segments, {
        origin: { layout: 'x', protocol, responseAt, fields: {}, columns: {} },
      }),
    ).flatMap(({ where }) => where.map(({ segment }) => segment));
  const blank = think('', { text: ' \n' });

  test.each([
    ['a query before it', [prompt('p'), search('q'), result('d')], []],
    ['blank text between', [prompt('p'), search('q'), blank, result('d')], []],
    ['several results of one query', [prompt('p'), search('q'), result('d'), result('e')], []],
    ['a thought between', [prompt('p'), search('q'), think('x'), result('d')], [3]],
    ['no query at all', [prompt('p'), think('x'), result('d'), result('e')], [2]],
    [
      'a second one without a query',
      [prompt('p'), search('q'), result('d'), think('x'), result('e')],
      [4],
    ],
    ['the first of the response', [prompt('p'), result('d')], [1]],
    ['a hint is no result', [prompt('p'), result('h', { role: 'hint' })], []],
  ])('%s', (_, segments, expected) => expect(uncalled(segments)).toEqual(expected));

  test('a result of the prompt’s example is none; the response’s first may follow it', () => {
    expect(uncalled([prompt('p'), result('example'), search('q'), result('d')], 2)).toEqual([]);
    expect(uncalled([prompt('p'), result('example'), result('d')], 2)).toEqual([2]);
  });

  test('without a protocol nobody knows; records of our own need no tags to tell', () => {
    expect(uncalled([prompt('p'), result('d')], 1, null)).toEqual([]);
    expect(ownTextMasked(rolloutOf([prompt('p'), result('d')]))).toEqual([]);
  });
});

describe('sampled and trained tokens', () => {
  const check = (part: Partial<ImportedSegment>, decode?: (ids: readonly number[]) => string) => {
    const rollout: ImportedRollout = rolloutOf([prompt('p'), think('x', part)]);
    return retokenized(rollout, decode).map(({ message, tokens }) => [
      message,
      tokens?.segment,
      tokens?.from,
      tokens?.to,
    ]);
  };

  test.each<[Partial<ImportedSegment>, unknown[]]>([
    [
      { ids: [1, 2, 3], trainedIds: [1, 9, 3] },
      ['Token 1 was sampled as 2 and trained as 9.', 1, 1, 3],
    ],
    [
      { ids: [1, 2], trainedIds: [1] },
      ['Token 1 was sampled as 2 and trained as nothing.', 1, 1, 2],
    ],
    [
      { ids: [1], trainedIds: [1, 7] },
      ['Token 1 was sampled as nothing and trained as 7.', 1, 1, 2],
    ],
    [{ ids: [0], trainedIds: [5] }, ['Token 0 was sampled as 0 and trained as 5.', 1, 0, 1]],
    [{ ids: [1, 2], logprobs: [-1] }, ['1 values of logprobs for 2 tokens.', 1, 1, 2]],
    [{ tokens: ['a'], values: [1, 2, 3] }, ['3 values of values for 1 tokens.', 1, 1, 2]],
    [{ ids: [1, 2], lossMask: [] }, ['0 values of lossMask for 2 tokens.', 1, 0, 2]],
  ])('%o', (part, expected) => expect(check(part)).toEqual([expected]));

  test.each([
    [{ ids: [1, 2], trainedIds: [1, 2], logprobs: [-1, -2], entropies: [0, 0] }],
    [{ tokens: ['a', 'b'], advantages: [1, 1] }],
    [{ logprobs: [-1] }],
    [{ trainedIds: [1] }],
  ])('%o: nothing', (part) => expect(check(part)).toEqual([]));

  test('ids that do not decode to the text, where there is a tokenizer', () => {
    const letters = (ids: readonly number[]): string => ids.map((id) => 'abc'[id]).join('');
    expect(check({ text: 'cab', ids: [2, 0, 1] }, letters)).toEqual([]);
    expect(check({ text: 'cab', ids: [2, 1, 0] }, letters)).toEqual([
      ['The ids do not decode to the segment’s text.', 1, 0, 3],
    ]);
    expect(check({ text: 'cab', tokens: ['cab'] }, letters)).toEqual([]);
    const rollout = rolloutOf([
      answer('x', { text: 'b', ids: [0] }),
      think('x', { text: 'c', ids: [2] }),
    ]);
    expect(places(retokenized(rollout, letters))).toEqual([[0, 0, 1]]);
  });
});
