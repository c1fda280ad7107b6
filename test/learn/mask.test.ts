import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../src/records/rollout.ts';
import { trainedTokens } from '../../src/learn/mask.ts';

const ids = fc.array(fc.nat(2047), { maxLength: 8 });
const written = ids.chain((list) =>
  fc.record({
    source: fc.constant('policy' as const),
    role: fc.constantFrom('think' as const, 'search' as const, 'answer' as const),
    text: fc.constant(''),
    ids: fc.constant(list),
    logprobs: fc.array(fc.double({ min: -9, max: 0, noNaN: true }), {
      minLength: list.length,
      maxLength: list.length,
    }),
    mask: fc.constant(1 as const),
  }),
);
const given = fc.record({
  source: fc.constantFrom('prompt' as const, 'environment' as const),
  role: fc.constantFrom('question' as const, 'result' as const, 'hint' as const),
  text: fc.constant('<think> not the policy </think>'),
  ids,
  mask: fc.constant(0 as const),
});

describe('what log-probabilities are of', () => {
  const segments: Segment[] = [];
  const of = (logprobsOf?: { temperature: number; topK: number; topP: number } | null) =>
    trainedTokens({
      id: 'r',
      segments,
      policy: logprobsOf === undefined ? {} : { logprobsOf },
    }).temperature;

  it('is the record’s temperature; 1 in records that do not say', () => {
    expect(of({ temperature: 0.5, topK: 0, topP: 1 })).toBe(0.5);
    expect(of()).toBe(1);
    expect(trainedTokens({ id: 'r', segments }).temperature).toBe(1);
  });

  it.each([
    [{ temperature: 1, topK: 0, topP: 0.9 }, /truncated distribution \(top-k 0, top-p 0\.9\)/],
    [{ temperature: 1, topK: 5, topP: 1 }, /truncated distribution \(top-k 5, top-p 1\)/],
    [{ temperature: 0, topK: 0, topP: 1 }, /not sampled/],
    [null, /does not say which distribution its log-probabilities belong to/],
  ])('%j cannot be trained on', (logprobsOf, message) => {
    expect(() => of(logprobsOf)).toThrow(message);
  });
});

describe('what the loss may train', () => {
  it('is exactly what the policy wrote, in order, whatever the text says', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(written, given), { maxLength: 12 }), (segments) => {
        const got = trainedTokens({ id: 'r', segments });
        expect([...got.ids]).toEqual(segments.flatMap((s) => s.ids));
        expect([...got.mask]).toEqual(
          segments.flatMap((s) => s.ids.map(() => Number(s.source === 'policy'))),
        );
        const old = segments.flatMap((s) => ('logprobs' in s ? s.logprobs : s.ids.map(() => 0)));
        expect([...got.oldLogprobs]).toEqual([...Float32Array.from(old)]);
      }),
    );
  });

  const segment: Segment = {
    source: 'policy',
    role: 'think',
    text: 'a',
    ids: [1, 2],
    logprobs: [-1, -1],
    mask: 1,
  };
  it.each([
    [
      'environment text marked as trained',
      { ...segment, source: 'environment' as const },
      /environment/,
    ],
    ['a missing log-probability', { ...segment, logprobs: [-1] }, /one log-probability per token/],
    [
      'a log-probability that is not a finite number ≤ 0',
      { ...segment, logprobs: [-1, 2] },
      /is not a finite number/,
    ],
    ['NaN', { ...segment, logprobs: [-1, NaN] }, /is not a finite number/],
  ])('refuses %s', (_, bad, message) => {
    expect(() => trainedTokens({ id: 'r7', segments: [segment, bad] })).toThrow(message);
    expect(() => trainedTokens({ id: 'r7', segments: [segment, bad] })).toThrow(
      /rollout r7: segment 1/,
    );
  });
});
