import { describe, expect, test } from 'vitest';
import type { ImportedRollout } from '../../src/formats/rollouts/shape/imported.ts';
import { groupCredit } from '../../src/evaluate/rollouts/align.ts';
import { lossOfRollout, lossOfRun } from '../../src/evaluate/rollouts/what-if/training.ts';
import { getTraining } from '../../src/systems/index.ts';
import {
  alternativeTo,
  settingsFor,
  settingsWords,
} from '../../src/ui/rollouts/reader/store/settings.ts';

const dapo = getTraining('kunlun-baize/dapo');

describe('the settings that a rollout’s numbers are computed under', () => {
  test('those of the run: DAPO clips higher and takes the mean over tokens', () => {
    const settings = settingsFor(lossOfRun(dapo));
    expect(settings.objective).toEqual(dapo.objective);
    expect(settingsWords(settings)).toBe('grpo, token-mean, clip −0.2 … +0.28, no KL');
    expect(alternativeTo(settings).objective).toEqual({
      ...dapo.objective,
      estimator: 'dr-grpo',
    });
  });

  test('the usual ones where there are none', () => {
    expect(settingsWords(settingsFor(null))).toBe('grpo, sequence-mean, clip −0.2 … +0.2, no KL');
  });

  test('reads the settings of a rollout, and ignores unknown ones', () => {
    const training = { preset: dapo.preset, objective: dapo.objective };
    expect(lossOfRollout({ training })).toEqual(training);
    expect(lossOfRollout({})).toBeNull();
    expect(
      lossOfRollout({ training: { preset: 'x', objective: { estimator: 'magic' } } }),
    ).toBeNull();
    const later = { ...training, objective: { ...dapo.objective, clip: { low: 9, high: 1 } } };
    expect(lossOfRollout({ training: later })).toBeNull();
  });

  test('has no loss for a run that trained only its router', () => {
    expect(lossOfRun({ ...dapo, router: { ...dapo.router, train: 'alone' } })).toBeNull();
  });
});

test('token weights of a DAPO group by hand', () => {
  const rollout = (id: string, reward: number, tokens: number): ImportedRollout => ({
    format: 'forage.rollout/1',
    id,
    runId: 'run',
    step: 1,
    groupId: 'g',
    question: { id: 'q', text: 'q', answers: ['a'], supporting: [] },
    segments: [
      { source: 'prompt', role: 'question', text: 'q', ids: [1], mask: 0 },
      {
        source: 'policy',
        role: 'answer',
        text: 'a',
        ids: Array<number>(tokens).fill(2),
        logprobs: Array<number>(tokens).fill(-1),
        mask: 1,
      },
    ],
    rewards: [],
    reward,
    baseline: null,
    advantage: null,
    metrics: null,
    answer: 'a',
  });
  const group = [rollout('short', 1, 2), rollout('long', 0, 6)];
  const weights = (loss: Parameters<typeof settingsFor>[0]) =>
    groupCredit(group, settingsFor(loss)).chains.map(({ tokenWeight }) => tokenWeight);
  // Token mean: every token 1 of 8. Sequence mean: half for each rollout, shared among 2 and 6 tokens.
  expect(weights(lossOfRun(dapo))).toEqual([1 / 8, 1 / 8]);
  expect(weights(null)).toEqual([1 / 4, 1 / 12]);
});
