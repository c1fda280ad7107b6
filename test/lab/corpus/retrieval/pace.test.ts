import { expect, it } from 'vitest';
import { createPace } from '../../../../src/lab/corpus/retrieval/pace.ts';

it('tells how far a stage is and how long it takes at its pace, and not too often', () => {
  let time = 0;
  const told: [string, { share: number; leftMs?: number }][] = [];
  const pace = createPace(
    (...one) => told.push(one),
    () => time,
  );
  pace('reading passages', 4096, 0);
  for (; time <= 10_000; time += 10) pace('indexing words', time * 10, 200_000);
  expect(told[0]).toEqual(['reading passages, 4,096', { share: 0 }]);
  expect(told[1]).toEqual(['indexing words, 0 of 200,000', { share: 0 }]);
  expect(told.length).toBeLessThan(80);
  // Half is done in ten seconds, so the other half takes ten more.
  const [words, { share, leftMs }] = told.at(-1)!;
  expect(words).toMatch(/^indexing words, 99,\d00 of 200,000$/);
  expect(share).toBeCloseTo(0.5, 1);
  expect(leftMs).toBeGreaterThan(9_900);
  expect(leftMs).toBeLessThan(10_300);
  // The end of a stage is always told, and another one has a pace of its own.
  pace('indexing words', 200_000, 200_000);
  expect(told.at(-1)![1]).toMatchObject({ share: 1, leftMs: 0 });
  pace('encoding passages', 64, 200_000);
  expect(told.at(-1)).toEqual(['encoding passages, 64 of 200,000', { share: 64 / 200_000 }]);
});
