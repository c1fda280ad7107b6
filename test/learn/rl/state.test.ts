import { describe, expect, it } from 'vitest';
import { decodeState, encodeState, initialState } from '../../../src/learn/rl/state.ts';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import { readSafetensors, writeSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { emptyRollout, policySegment } from '../../fixtures/rollouts.ts';
import { settingsOf, weights } from './scripted-run.ts';

/** The stored state of a run: what continues from it, and what is refused. */

const state: TrainState = {
  step: 3,
  updates: 5,
  warmedUp: 2,
  adapter: Float32Array.of(0.1, -2),
  first: Float32Array.of(1e-30, 3),
  second: Float32Array.of(0, 4),
  learningRate: 0.25,
  curriculum: { drawn: [1, null, 'x'] },
  router: { steps: 2 },
  elapsed: 12.5,
};

/** The stored files with other JSON. */
const withRest = (change: Record<string, unknown>) => {
  const { tensors, rest } = encodeState(state);
  return { tensors, rest: JSON.stringify({ ...(JSON.parse(rest) as object), ...change }) };
};

describe('the state before the first step', () => {
  it('has the adapter of its seed, and nothing else', () => {
    const first = initialState(settingsOf({ seed: 4 }), weights.config);
    // Rank 1 on one projection of 2 by 2.
    expect(first.adapter).toHaveLength(4);
    expect(first.adapter.some((value) => value !== 0)).toBe(true);
    expect([...first.first, ...first.second]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(first).toMatchObject({
      step: 0,
      updates: 0,
      warmedUp: 0,
      learningRate: null,
      curriculum: null,
      router: null,
      elapsed: 0,
    });
    expect(initialState(settingsOf({ seed: 4 }), weights.config)).toEqual(first);
    const other = initialState(settingsOf({ seed: 5 }), weights.config);
    expect(other.adapter).not.toEqual(first.adapter);
  });
});

describe('a stored state', () => {
  it('comes back to the bit', () => {
    expect(decodeState(encodeState(state))).toEqual(state);
  });

  it('comes back with what was screened for the next step, and with ARPO’s table', () => {
    const screened = {
      step: 4,
      curriculum: { drawn: 3 },
      batches: 1,
      groups: [[{ ...emptyRollout('a'), segments: [policySegment([1, 2])], reward: 1 }], []],
    };
    const whole = { ...state, ahead: screened, keptNumbers: { '0-1': 0.1 + 0.2 } };
    expect(decodeState(encodeState(whole))).toEqual(whole);
    const broken = { ...screened, groups: [[{ id: 'a' }]] };
    expect(() => decodeState(withRest({ ahead: broken }))).toThrow(/training state: ahead/);
  });

  it.each([
    ['step', -1],
    ['step', 1.5],
    ['updates', -1],
    ['warmedUp', -1],
    ['learningRate', 0],
    ['learningRate', undefined],
    ['elapsed', -1],
    ['format', 'forage.state/2'],
  ])('whose %s is %s is refused by that name', (key, value) => {
    expect(() => decodeState(withRest({ [key]: value }))).toThrow(
      new RegExp(`^training state: .*${key}`),
    );
  });

  it.each([{ step: 0, updates: 0, warmedUp: 0 }, { elapsed: 0 }, { learningRate: null }])(
    'may hold %j',
    (change) => {
      expect(decodeState(withRest(change))).toMatchObject(change);
    },
  );

  it('with a key that nobody knows is refused', () => {
    expect(() => decodeState(withRest({ more: 1 }))).toThrow('training state: ');
  });

  it.each(['adapter', 'first', 'second'])('without %s is refused', (name) => {
    const { tensors, rest } = encodeState(state);
    const left = [...readSafetensors(tensors)].filter(([key]) => key !== name);
    const fewer = writeSafetensors(
      new Map(left.map(([key, { data }]) => [key, { shape: [data.length], data }])),
      'F32',
    );
    expect(() => decodeState({ tensors: fewer, rest })).toThrow(
      `training state: tensor "${name}" is missing`,
    );
  });

  it.each(['adapter', 'first', 'second'] as const)('with a %s too short is refused', (name) => {
    const damaged = encodeState({ ...state, [name]: state[name].slice(1) });
    expect(() => decodeState(damaged)).toThrow('moments and adapter differ in length');
  });
});
