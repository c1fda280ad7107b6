import { describe, expect, it } from 'vitest';
import { readTrajectories } from '../../../src/formats/trajectories/read.ts';
import { trajectoryRecords } from '../../../src/formats/trajectories/write.ts';

const line = (rest: object): string => JSON.stringify({ format: 'forage.trajectories/1', ...rest });
const trajectory = (id: string, rest: object = {}): string =>
  line({
    kind: 'trajectory',
    id,
    group: 'q1',
    segments: [
      { by: 'prompt', ids: [1, 2] },
      { by: 'policy', text: 'Oslo' },
    ],
    ...rest,
  });
const pair = (chosen: string, rejected: string): string => line({ kind: 'pair', chosen, rejected });
const read = (...lines: string[]) => readTrajectories(`${lines.join('\n')}\n`);

describe('a set of stored trajectories', () => {
  it('is read with weights, pairs and segments of either kind, a pair before its trajectories', () => {
    const set = read(pair('a', 'b'), '', trajectory('a', { weight: 0.25 }), trajectory('b'));
    expect(set.pairs).toEqual([{ chosen: 'a', rejected: 'b' }]);
    expect(set.trajectories.map(({ id, weight }) => [id, weight])).toEqual([
      ['a', 0.25],
      ['b', 1],
    ]);
    expect(set.trajectories[0]?.segments).toEqual([
      { by: 'prompt', ids: [1, 2] },
      { by: 'policy', text: 'Oslo' },
    ]);
  });

  it('is the same when it was written and is read again', () => {
    const set = read(trajectory('a', { weight: 3 }), trajectory('b'), pair('b', 'a'));
    const again = read(...trajectoryRecords(set).map((record) => JSON.stringify(record)));
    expect(again).toEqual(set);
  });

  it.each([
    ['not JSON', ['{'], /^trajectories: line 1: it is not JSON$/],
    ['another format', ['{"format":"forage.rollout/1"}'], /line 1.*lab trajectories/],
    ['a weight below 0', [trajectory('a', { weight: -1 })], /line 1: weight/],
    ['a field of nobody', [trajectory('a', { wieght: 1 })], /line 1: .*wieght/],
    ['no writer that is known', [trajectory('a', { segments: [{ by: 'me', text: '' }] })], /by/],
    [
      'neither ids nor text',
      [trajectory('a', { segments: [{ by: 'policy' }] })],
      /neither ids nor/,
    ],
    ['half a token', [trajectory('a', { segments: [{ by: 'policy', ids: [0.5] }] })], /line 1/],
    [
      'nothing to learn',
      [trajectory('a', { segments: [{ by: 'prompt', ids: [1] }] })],
      /no trained segment/,
    ],
    ['an id twice', [trajectory('a'), trajectory('a')], /line 2: .*"a" occurs twice/],
    ['a pair with nobody', [trajectory('a'), pair('a', 'z')], /line 2: there is no trajectory "z"/],
    ['a pair with itself', [trajectory('a'), pair('a', 'a')], /line 2: .*with itself/],
    [
      'a pair over questions',
      [trajectory('a'), trajectory('b', { group: 'q2' }), pair('a', 'b')],
      /line 3: .*different groups/,
    ],
    ['pairs alone', [''], /holds none/],
  ])('is refused with the line at fault: %s', (_, lines, message) => {
    expect(() => read(...lines)).toThrow(message);
  });
});
