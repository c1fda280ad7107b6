import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, knownAs, nearest } from '../../../src/recipes/parts/nearest.ts';
import { RECIPES, TRAININGS } from '../../../src/systems/index.ts';

/** What may have been meant, where a name is not known. */

const IDS = RECIPES.map(({ id }) => id);

describe('the distance of two names', () => {
  it.each([
    ['kitten', 'sitting', 3],
    ['ca', 'ac', 1],
    ['', 'abc', 3],
    ['flaw', 'lawn', 2],
  ])('%s → %s: %s', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });

  it('is at least the difference of their lengths, and 0 for the same alone', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b);
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance === 0).toBe(a === b);
      }),
    );
  });
});

describe('a name that is not known', () => {
  it.each([
    ['ur-2', 'ur2'],
    ['searchr1', 'search-r1'],
    ['Search_R1', 'search-r1'],
    ['kunlun', 'kunlun-baize'],
    ['naive-gneration', 'naive-generation'],
  ])('%s is taken for %s', (wanted, meant) => {
    expect(nearest(wanted, IDS)[0]).toBe(meant);
  });

  it('of a training may be named by its variant, and by either half', () => {
    const ids = TRAININGS.map(({ id }) => id);
    expect(nearest('ur2/papr', ids)[0]).toBe('ur2/paper');
    expect(nearest('ppo', ids)).toContain('search-r1/ppo');
  });

  it('is taken for none that is not like it', () => {
    expect(nearest('quicksort', IDS)).toEqual([]);
    expect(nearest('', IDS)).toEqual([]);
    expect(nearest('-', IDS)).toEqual([]);
  });

  it('is told with all that there are where they are few, else in short', () => {
    expect(knownAs('bat', ['cat', 'dog'])).toBe('did you mean cat? There are cat, dog');
    expect(knownAs('elephant', ['cat', 'dog'])).toBe('there are cat, dog');
    const many = Array.from({ length: 40 }, (_, i) => `system-${i}`);
    expect(knownAs('x', many, 'lab recipes')).toBe(
      'there are 40, such as system-0, system-1, system-2, system-3, system-4: lab recipes lists them',
    );
    expect(knownAs('systm-17', many)).toBe(
      'did you mean system-17, system-1 or system-7? There are 40',
    );
  });
});
