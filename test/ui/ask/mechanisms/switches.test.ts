import { describe, expect, it } from 'vitest';
import { getRecipe } from '../../../../src/systems/index.ts';
import { outcomeOf, rightWords } from '../../../../src/ui/ask/mechanisms/outcome.ts';
import { isOn, toggled } from '../../../../src/ui/ask/mechanisms/MechanismBar.tsx';
import { emptyRollout, metrics } from '../../../fixtures/rollouts.ts';
import { stop } from '../../kit/events/every-event.ts';

const whole = getRecipe('kunlun-baize').settings;
const plain = getRecipe('search').settings;
const IDS = ['rdra', 'nlr', 'stie'] as const;

describe('a switch of a mechanism', () => {
  it('is on where the recipe or the user has it', () => {
    expect(IDS.map((id) => isOn(id, whole, {}))).toEqual([true, true, true]);
    expect(IDS.map((id) => isOn(id, plain, {}))).toEqual([false, false, false]);
    expect(isOn('nlr', plain, { router: 'router' })).toBe(true);
    expect(isOn('nlr', whole, { router: 'always-web' })).toBe(false);
    expect(isOn('stie', plain, { stie: 'paper' })).toBe(true);
  });

  it('takes one mechanism out, as the ablations do, and gives it back as it was', () => {
    expect(IDS.map((id) => toggled(id, whole, {}))).toEqual([
      { background: 'off' },
      { router: 'both' },
      { stie: 'off' },
    ]);
    for (const id of IDS) {
      const off = toggled(id, whole, { k: 3 });
      expect(isOn(id, whole, off)).toBe(false);
      expect(toggled(id, whole, off)).toEqual({ k: 3 });
    }
  });

  it('adds one to a recipe without it', () => {
    expect(IDS.map((id) => toggled(id, plain, {}))).toEqual([
      { background: 'shown-and-used-by-T' },
      { router: 'router' },
      { stie: 'corrected' },
    ]);
  });
});

describe('what a run came to', () => {
  const one = (answer: string, em: number, searches: number) => ({
    ...emptyRollout('r'),
    answer,
    metrics: metrics({ em, searches, seconds: 2 }),
    events: [stop],
  });

  it('is its answer, right or wrong, searches and time; of several, means', () => {
    const single = outcomeOf([one('Borfield', 1, 3)]);
    expect(single).toEqual({ answer: 'Borfield', rollouts: 1, right: 1, searches: 3, seconds: 2 });
    expect(single && rightWords(single)).toBe('✓ right');
    const group = outcomeOf([one('Lund', 0, 1), one('Borfield', 1, 2), one('Lund', 0, 6)]);
    expect(group).toMatchObject({ answer: 'Lund', right: 1, searches: 3 });
    expect(group && rightWords(group)).toBe('1 of 3 right');
  });

  it('is nothing where all were cancelled, and unscored without a reference answer', () => {
    expect(
      outcomeOf([{ ...one('a', 1, 1), events: [{ ...stop, reason: 'cancelled' }] }]),
    ).toBeNull();
    const typed = outcomeOf([{ ...one('a', 0, 1), metrics: null }]);
    expect(typed && rightWords(typed)).toBe('no reference answer');
  });
});
