import { beforeEach, describe, expect, it } from 'vitest';
import {
  chooseDemonstrations,
  useDemonstrations,
} from '../../../../src/ui/train/store/demonstrations.ts';
import { weightsOf, weightsProblem } from '../../../../src/ui/train/store/reward-weights.ts';
import { frozenSeconds } from '../../../../src/ui/train/store/silence.ts';
import { emptyRollout, metrics, policySegment } from '../../../fixtures/rollouts.ts';

const lines = (...ems: number[]): string =>
  ems
    .map((em, index) =>
      JSON.stringify({
        ...emptyRollout(`r${index}`),
        segments: [policySegment([1, 2])],
        metrics: metrics({ em }),
      }),
    )
    .join('\n');

const file = (text: string, name = 'd.jsonl'): File => new File([text], name);
const state = () => useDemonstrations.getState();

beforeEach(() => chooseDemonstrations(null));

describe('the file of a warm-up', () => {
  it('is counted: trajectories, and those that were right', async () => {
    await chooseDemonstrations(file(lines(1, 0, 1)));
    expect(state()).toMatchObject({ counts: { all: 3, right: 2 }, problem: null });
  });

  it('that cannot be read says why, and stays chosen so that it can be looked at', async () => {
    const bad = file('{"a":');
    await chooseDemonstrations(bad);
    expect(state()).toMatchObject({ file: bad, counts: null });
    expect(state().problem).toMatch(/\S/);
    await chooseDemonstrations(file(lines(1)));
    expect(state()).toMatchObject({ counts: { all: 1, right: 1 }, problem: null });
    await chooseDemonstrations(null);
    expect(state()).toEqual({ file: null, counts: null, problem: null });
  });

  it('counts for the file that was chosen last, whichever is read first', async () => {
    const slow = file(lines(1, 1));
    let go: (text: string) => void = () => undefined;
    slow.text = () => new Promise((resolve) => (go = resolve));
    const first = chooseDemonstrations(slow);
    await chooseDemonstrations(file(lines(0)));
    go(lines(1, 1));
    await first;
    expect(state().counts).toEqual({
      of: 'rollouts',
      all: 1,
      right: 0,
      given: { count: 1, tokens: 2 },
    });
  });
});

describe('the weights of a reward', () => {
  it.each(['kunlun-short', 'kunlun-long'])('%s has weights of its own that sum to 1', (reward) => {
    const own = Object.values(weightsOf(reward) ?? {});
    expect(own.length).toBeGreaterThan(1);
    expect(own.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 12);
    expect(weightsProblem(reward, {})).toBeNull();
  });

  it('must sum to 1 together with those that were left as they are', () => {
    const own = weightsOf('kunlun-short') ?? {};
    const [first = ''] = Object.keys(own);
    expect(weightsProblem('kunlun-short', own)).toBeNull();
    expect(weightsProblem('kunlun-short', { [first]: (own[first] ?? 0) + 0.25 })).toBe(
      'The weights must sum to 1; they sum to 1.25.',
    );
    // Thirds as people type them are near enough only to six digits.
    expect(weightsProblem('kunlun-short', { [first]: (own[first] ?? 0) + 1e-7 })).toBeNull();
    expect(weightsProblem('kunlun-short', { [first]: (own[first] ?? 0) + 1e-4 })).not.toBeNull();
  });

  it('of a reward with fixed values are nobody’s to choose', () => {
    expect(weightsOf('em')).toBeNull();
    expect(weightsProblem('em', { em: 7 })).toBeNull();
  });
});

it('takes a silence for a frozen tab from twenty seconds on', () => {
  const hidden = { heardAt: 1000, hidden: true };
  expect(frozenSeconds(hidden, 20_999)).toBeNull();
  expect(frozenSeconds(hidden, 21_000)).toBe(20);
});
