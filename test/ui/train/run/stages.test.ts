import { expect, it } from 'vitest';
import type { TrainPhase } from '../../../../src/lab/contract/training.ts';
import type { TrainSettings } from '../../../../src/recipes/parts/training.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import { stagesOf } from '../../../../src/ui/train/run/run-words.ts';

const plain: TrainSettings = getTraining('search/grpo');
const settings: TrainSettings = {
  ...plain,
  warmUp: {
    length: { updates: 8 },
    batch: 4,
    learningRate: 1e-3,
    onlyCorrect: true,
    own: { rollouts: 256 },
  },
  start: 'not-searching',
  heldOut: { ...plain.heldOut, questions: 64 },
};
const at = (phase: TrainPhase, step = 0, of = settings) =>
  stagesOf(of, { phase, done: 3, total: 8 }, step).map(
    ({ name, state, done, total }) =>
      `${name} ${state}${state === 'active' ? ` ${done}/${total}` : ''}`,
  );

it('warm-up and baseline have names of their own, in order, each done, under way or to come', () => {
  expect(at('starting')).toEqual([
    'Warm-up: rollouts waiting',
    'Warm-up: updates waiting',
    'Handicapped start waiting',
    'Baseline waiting',
  ]);
  expect(at('warm-up')).toEqual([
    'Warm-up: rollouts done',
    'Warm-up: updates active 3/8',
    'Handicapped start waiting',
    'Baseline waiting',
  ]);
  expect(at('held-out').at(-1)).toBe('Baseline active 3/8');
});

it('are left out where the settings need none, and from the first rollouts on', () => {
  expect(at('rollouts')).toEqual([]);
  expect(at('held-out', 2)).toEqual([]);
  const none = { ...plain, heldOut: { ...plain.heldOut, questions: 0 } };
  expect(at('starting', 0, none)).toEqual([]);
  expect(at('starting', 0, { ...plain, heldOut: { ...plain.heldOut, questions: 5 } })).toEqual([
    'Baseline waiting',
  ]);
  const rated = { ...plain, curriculum: { ...plain.curriculum, system: { id: 'ur2' } } };
  expect(at('scoring-questions', 0, rated)[0]).toBe('Rating questions active 3/8');
});
