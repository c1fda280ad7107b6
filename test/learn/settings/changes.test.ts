import { describe, expect, it } from 'vitest';
import { parseTrainSettings, withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { overridesInForce } from '../../../src/learn/settings/overrides.ts';
import { getTraining } from '../../../src/systems/index.ts';

const base = getTraining('search/grpo');

describe('a change of settings', () => {
  it.each([
    ['=5', "'=5' is not a change; write key=value"],
    ['steps', "'steps' is not a change"],
    ['steps.more=1', "there is no setting 'steps.more'"],
    ['steps.more.yet=1', "there is no setting 'steps.more.yet'"],
    ['toString=1', "there is no setting 'toString'"],
    ['stages.7.reward=em', "there is no setting 'stages.7.reward'"],
    ['overrides.retrieval.k.more=1', 'retrieval'],
  ])('%s is refused', (change, message) => {
    expect(() => withChanges(base, [change])).toThrow(message);
  });

  it.each([
    // JSON where it is some, else text; what follows the first = belongs to the value.
    ['steps=7', { steps: 7 }],
    ['router.train="off"', { router: { ...base.router, train: 'off' } }],
    ['router.train=off', { router: { ...base.router, train: 'off' } }],
    ['overlong=null', { overlong: null }],
    ['overrides.retrieval.k=1', { overrides: { retrieval: { k: 1 } } }],
    ['stages.0.weights.answer=1', { stages: [{ ...base.stages[0], weights: { answer: 1 } }] }],
  ])('%s is made', (change, wanted) => {
    const one = { ...base, stages: base.stages.slice(0, 1), overrides: {} };
    expect(withChanges(one, [change])).toMatchObject(wanted);
  });

  it('is made after those before it', () => {
    const changed = withChanges(base, ['steps=3', 'steps=4', 'seed=9']);
    expect([changed.steps, changed.seed]).toEqual([4, 9]);
    expect(withChanges(base, [])).toEqual(base);
  });
});

describe('what a run changes in its recipe', () => {
  const nlr = { reward: 'measured', beta1: 0.2, beta2: 0.8 } as const;
  const inForce = (train: 'off' | 'alone', own: Record<string, unknown>) =>
    overridesInForce({ overrides: own, router: { ...base.router, train } });

  it('is the reward of the router where that is trained, under its own words', () => {
    expect(inForce('alone', {})).toEqual({ nlr });
    expect(inForce('alone', { retrieval: { k: 2 }, nlr: { beta1: 0.5 } })).toEqual({
      retrieval: { k: 2 },
      nlr: { ...nlr, beta1: 0.5 },
    });
    // What is not an object of settings says nothing of them.
    for (const odd of [null, 'paper', ['paper']])
      expect(inForce('alone', { nlr: odd })).toEqual({ nlr });
  });

  it('is what it says alone where no router is trained', () => {
    expect(inForce('off', { nlr: { beta1: 1 } })).toEqual({ nlr: { beta1: 1 } });
  });

  it('is checked with the settings', () => {
    const odd = { ...base, overrides: { retrieval: { k: 0 } } };
    expect(() => parseTrainSettings(odd)).toThrow(/k/);
    expect(() => parseTrainSettings({ ...base, steps: 'many' })).toThrow(
      /^training settings: steps/,
    );
  });
});
