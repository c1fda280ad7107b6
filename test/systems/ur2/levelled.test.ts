import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketOf, MIXED, nextBucket } from '../../../src/systems/ur2/levelled.ts';

const none = { hard: 0, medium: 0, easy: 0 };
type Mix = [number, number, number];

function drawMany(mix: Mix, sizes: typeof none, draws: number): typeof none {
  const drawn = { ...none };
  for (let i = 0; i < draws; i++) {
    const name = nextBucket(mix, sizes, drawn);
    if (name) drawn[name]++;
  }
  return drawn;
}

describe('levels of difficulty', () => {
  it.each([
    [1, 'easy'],
    [16 / 20, 'easy'],
    [15 / 20, 'medium'],
    [10 / 20, 'medium'],
    [9 / 20, 'hard'],
    [4 / 20, 'hard'],
    [3 / 20, 'dropped'],
    [0, 'dropped'],
  ])('a mean score of %f is %s', (score, level) => {
    expect(bucketOf(score)).toBe(level);
  });
});

describe('the mix', () => {
  const full = { hard: 5, medium: 5, easy: 5 };

  it('is 7 : 2 : 1 over every ten draws', () => {
    expect(drawMany([7, 2, 1], full, 10)).toEqual({ hard: 7, medium: 2, easy: 1 });
    expect(drawMany([7, 2, 1], full, 800)).toEqual({ hard: 560, medium: 160, easy: 80 });
  });

  it('gives the share of an empty bucket to the others in proportion', () => {
    const drawn = drawMany([7, 2, 1], { ...full, hard: 0 }, 30);
    expect(drawn).toEqual({ hard: 0, medium: 20, easy: 10 });
    expect(drawMany([7, 2, 1], { hard: 0, medium: 0, easy: 3 }, 4).easy).toBe(4);
  });

  it('where only buckets of share 0 are filled, they are drawn evenly; none filled is null', () => {
    const drawn = drawMany([1, 0, 0], { hard: 0, medium: 1, easy: 1 }, 10);
    expect(drawn).toEqual({ hard: 0, medium: 5, easy: 5 });
    expect(nextBucket([7, 2, 1], none, none)).toBeNull();
  });

  it('never strays from the shares by two draws, and never touches an empty bucket', () => {
    const share = fc.integer({ min: 0, max: 20 });
    const size = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(
        fc.tuple(share, share, share),
        fc.record({ hard: size, medium: size, easy: size }),
        fc.integer({ min: 1, max: 200 }),
        (mix, sizes, draws) => {
          const drawn = drawMany(mix, sizes, draws);
          const shares = MIXED.map((name, i) => (sizes[name] > 0 ? mix[i]! : 0));
          const whole = shares.reduce((a, b) => a + b, 0);
          MIXED.forEach((name, i) => {
            if (sizes[name] === 0) expect(drawn[name]).toBe(0);
            else if (whole > 0)
              expect(Math.abs(drawn[name] - (draws * shares[i]!) / whole)).toBeLessThan(2);
          });
        },
      ),
    );
  });
});
