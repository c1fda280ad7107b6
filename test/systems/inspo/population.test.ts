import { expect, it } from 'vitest';
import {
  chances,
  drawnBy,
  pruned,
  ranked,
  replayed,
  weightAfter,
  type Member,
} from '../../../src/systems/inspo/population.ts';

/** Cases of INSPO's population, worked by hand. */

const member = (text: string, weight: number | null): Member => ({ text, blocks: [], weight });
const texts = (members: readonly Member[]): string[] => members.map(({ text }) => text);

it('draws by softmax(w / τ): weights 0 and τ ln 3 are drawn 1 : 3', () => {
  const population = [member('a', 0), member('b', 0.1 * Math.log(3))];
  const [a, b] = chances(population, 0.1);
  expect(a).toBeCloseTo(0.25, 12);
  expect(b).toBeCloseTo(0.75, 12);
  expect(drawnBy(population, 0.1, 0.2499).text).toBe('a');
  expect(drawnBy(population, 0.1, 0.2501).text).toBe('b');
  expect(drawnBy(population, 0.1, 0.999_999).text).toBe('b');
});

it('lets an instruction that was not drawn yet count as the mean of the others', () => {
  // Weights 0.2, 0.6 and their mean 0.4; at τ = 0.2 / ln 2 each 0.2 doubles the chance: 1 : 4 : 2.
  const population = [member('a', 0.2), member('b', 0.6), member('new', null)];
  const found = chances(population, 0.2 / Math.LN2);
  expect(found.map((chance) => Math.round(7 * chance))).toEqual([1, 4, 2]);
  expect(chances([member('a', null), member('b', null)], 0.1)).toEqual([0.5, 0.5]);
});

it('takes the first mean reward as the weight, and moves it by η later', () => {
  expect(weightAfter(null, 0.5, 0.3)).toBe(0.5);
  expect(weightAfter(0.5, 1, 0.3)).toBeCloseTo(0.65, 12);
});

it('prunes the worse half and keeps the older of equals; the last one stays', () => {
  const population = [member('a', 0.1), member('b', 0.5), member('c', 0.5), member('d', 0.9)];
  expect(texts(ranked(population))).toEqual(['d', 'b', 'c', 'a']);
  expect(texts(pruned(population))).toEqual(['b', 'd']);
  expect(texts(pruned(population.slice(0, 3)))).toEqual(['b', 'c']);
  expect(texts(pruned([member('a', 0)]))).toEqual(['a']);
});

it('keeps what failed in the replay buffer, of equals the latest', () => {
  const episode = (text: string, reward: number) => ({ text, reward });
  const before = [episode('old failure', 0), episode('old success', 1)];
  const after = replayed(before, [episode('half', 0.5), episode('failure', 0)], 3);
  expect(after.map(({ text }) => text)).toEqual(['failure', 'old failure', 'half']);
});
