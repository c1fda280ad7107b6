import { describe, expect, it } from 'vitest';
import { between, habitNowAndThen } from '../../../src/learn/rl/start/habit-share.ts';

const WANTED = { least: 1 / 16, most: 1 / 4, tries: 5 };
const none = { at: 1, kept: 0, of: 32 };

/** Shares of a policy that stops searching at some place of the line. */
function line(keptAt: (at: number) => number) {
  const asked: number[] = [];
  const measure = (at: number) => {
    asked.push(at);
    return Promise.resolve({ kept: keptAt(at), of: 32 });
  };
  return { asked, measure };
}

describe('an adapter that searches now and then', () => {
  it('is looked for by halves between all and none', async () => {
    const { asked, measure } = line((at) => Math.round(32 * Math.max(0, 1 - at / 0.8)));
    // 0.5: 12 of 32 is too many; 0.75: 2 of 32 is a sixteenth.
    expect(await habitNowAndThen(measure, none, WANTED)).toEqual({
      at: 0.75,
      kept: 2,
      of: 32,
    });
    expect(asked).toEqual([0.5, 0.75]);
  });

  it('is the one at hand where that searches as wanted', async () => {
    const { asked, measure } = line(() => 0);
    const end = { at: 1, kept: 4, of: 32 };
    expect(await habitNowAndThen(measure, end, WANTED)).toEqual(end);
    expect(asked).toEqual([]);
  });

  it('is the rarest searcher that was met where a cliff lies between', async () => {
    const { asked, measure } = line((at) => (at < 0.6 ? 32 - at : 0));
    const found = await habitNowAndThen(measure, none, WANTED);
    expect(found.kept).toBeGreaterThan(0);
    expect(asked).toHaveLength(5);
    expect(found.at).toBe(Math.max(...asked.filter((at) => at < 0.6)));
  });
});

it('lies on the line between two adapters', () => {
  const mixed = between(Float32Array.of(0, 2, -4), Float32Array.of(1, 4, 4), 0.25);
  expect([...mixed]).toEqual([0.25, 2.5, -2]);
});
