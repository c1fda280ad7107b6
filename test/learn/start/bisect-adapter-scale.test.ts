import { describe, expect, it } from 'vitest';
import { interpolateAdapters, bisectAdapterScale } from '../../../src/learn/rl/warm-start.ts';

const TARGET = { least: 1 / 16, most: 1 / 4, tries: 5 };
const none = { scale: 1, kept: 0, of: 32 };

/** Shares of a policy that stops searching at some interpolation weight. */
function line(keptAt: (at: number) => number) {
  const asked: number[] = [];
  const measure = (at: number) => {
    asked.push(at);
    return Promise.resolve({ kept: keptAt(at), of: 32 });
  };
  return { asked, measure };
}

describe('bisectAdapterScale', () => {
  it('bisects between all and none', async () => {
    const { asked, measure } = line((at) => Math.round(32 * Math.max(0, 1 - at / 0.8)));
    // 0.5: 12 of 32 is too many; 0.75: 2 of 32 is a sixteenth.
    expect(await bisectAdapterScale(measure, none, TARGET)).toEqual({
      scale: 0.75,
      kept: 2,
      of: 32,
    });
    expect(asked).toEqual([0.5, 0.75]);
  });

  it('returns the end adapter when it searches often enough', async () => {
    const { asked, measure } = line(() => 0);
    const end = { scale: 1, kept: 4, of: 32 };
    expect(await bisectAdapterScale(measure, end, TARGET)).toEqual(end);
    expect(asked).toEqual([]);
  });

  it('returns the lowest share above 0 when the share drops abruptly', async () => {
    const { asked, measure } = line((at) => (at < 0.6 ? 32 - at : 0));
    const found = await bisectAdapterScale(measure, none, TARGET);
    expect(found.kept).toBeGreaterThan(0);
    expect(asked).toHaveLength(5);
    expect(found.scale).toBe(Math.max(...asked.filter((at) => at < 0.6)));
  });
});

it('interpolates linearly between two adapters', () => {
  const mixed = interpolateAdapters(Float32Array.of(0, 2, -4), Float32Array.of(1, 4, 4), 0.25);
  expect([...mixed]).toEqual([0.25, 2.5, -2]);
});
