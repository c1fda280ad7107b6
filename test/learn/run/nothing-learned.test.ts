import { describe, expect, it } from 'vitest';
import { nothingLearned, skippedWords } from '../../../src/learn/run/nothing-learned.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { MadeStep, SkippedUpdate } from '../../../src/records/training.ts';
import { trainStep } from '../../fixtures/train-steps.ts';

/** What is said of steps without an update, and of a run in which no step had one. */

const skippedStep = (
  step: number,
  skipped: SkippedUpdate = { why: 'equal-rewards', reward: 0 },
  change: Partial<MadeStep> = {},
): MadeStep => ({
  ...trainStep(step),
  rollouts: 32,
  groups: 4,
  em: 0,
  searches: 0,
  formatValid: 0,
  ...change,
  skipped,
});

const settings: TrainSettings = { ...getTraining('search/grpo'), groupSize: 8 };

describe('the headline', () => {
  it('counts the rewards of all steps', () => {
    const said = nothingLearned([skippedStep(1), skippedStep(2)], settings);
    expect(said?.headline).toBe('Nothing was learned: all 64 rewards were 0');
    expect(said?.why).toContain('The model never searched. No rollout kept to the format.');
    expect(said?.advice[0]).toContain('Add a cold start');
    expect(said?.before).toBe(false);
  });

  it('is absent of a run in which one step made an update, or a router learned', () => {
    expect(nothingLearned([], settings)).toBeNull();
    expect(nothingLearned([skippedStep(1), trainStep(2)], settings)).toBeNull();
    const router = { ...skippedStep(1), router: {} as NonNullable<MadeStep['router']> };
    expect(nothingLearned([router], settings)).toBeNull();
  });

  it('says "equal" where rewards differ between groups', () => {
    const [one, two] = [skippedStep(1, { why: 'equal-rewards' }, { em: 0.5 }), skippedStep(2)];
    expect(nothingLearned([one, two], settings)?.headline).toBe(
      'Nothing was learned: in each of the 8 groups all rewards were equal',
    );
    const [low, high] = [0, 1].map((reward, i) =>
      skippedStep(i + 1, { why: 'equal-rewards', reward }),
    );
    expect(nothingLearned([low!, high!], settings)?.headline).toContain('all rewards were equal');
  });

  it('names an adapter that a warm-up left', () => {
    const warmUp = { length: { updates: 4 }, batch: 2, learningRate: 1e-3 } as const;
    const said = nothingLearned([skippedStep(1)], { ...settings, warmUp } as TrainSettings);
    expect(said).toMatchObject({ before: true });
    expect(said?.headline).toBe('RL learned nothing: all 32 rewards were 0');
    expect(said?.why).toContain('The adapter is as it was before the first step.');
  });
});

describe('why, and what to change', () => {
  const told = (change: Partial<MadeStep>, reward = 0, of = settings) =>
    nothingLearned([skippedStep(1, { why: 'equal-rewards', reward }, change)], of);

  it('asks for harder questions where all answers are right', () => {
    const said = told({ em: 1, searches: 2, formatValid: 1 }, 1);
    expect(said?.headline).toBe('Nothing was learned: all 32 rewards were 1');
    expect(said?.why).toMatch(/^Every answer was correct\./u);
    expect(said?.advice[0]).toBe('Take harder questions.');
  });

  it('asks for easier ones where the model searches and keeps the format', () => {
    const said = told({ em: 0, searches: 2, formatValid: 1 });
    expect(said?.why).toMatch(/^No answer was correct\./u);
    expect(said?.advice[0]).toContain('easier questions');
  });

  it('asks for more rollouts where there is one per question', () => {
    expect(told({}, 0, { ...settings, groupSize: 1 })?.advice).toEqual([
      'Set rollouts per question to 4 or more.',
    ]);
  });

  it('asks for another reward where right and wrong answers earned the same', () => {
    expect(told({ em: 0.5 }, 1)?.why).toMatch(/^Correct and wrong answers earned the same\./u);
  });
});

it('a step says why it made no update', () => {
  expect(skippedWords(trainStep(1))).toBeNull();
  expect(skippedWords(skippedStep(1))).toBe('No update: all 32 rewards were 0');
  expect(skippedWords(skippedStep(1, { why: 'equal-rewards', reward: 0.1 + 0.2 }))).toBe(
    'No update: all 32 rewards were 0.3',
  );
  expect(skippedWords(skippedStep(1, { why: 'equal-rewards' }))).toBe(
    'No update: in each of the 4 groups all rewards were equal',
  );
  expect(skippedWords(skippedStep(1, { why: 'no-trained-tokens' }))).toBe(
    'No update: no token was left to train',
  );
});
