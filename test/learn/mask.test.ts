import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../src/data/rollout.ts';
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
    ['a missing log-probability', { ...segment, logprobs: [-1] }, /one log-probability a token/],
    ['a log-probability that is none', { ...segment, logprobs: [-1, 2] }, /that is none/],
    ['NaN', { ...segment, logprobs: [-1, NaN] }, /that is none/],
  ])('refuses %s', (_, bad, message) => {
    expect(() => trainedTokens({ id: 'r7', segments: [segment, bad] })).toThrow(message);
    expect(() => trainedTokens({ id: 'r7', segments: [segment, bad] })).toThrow(
      /rollout r7: segment 1/,
    );
  });
});
