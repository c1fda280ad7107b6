import { expect, it } from 'vitest';
import type { StoredItems } from '../../../src/learn/supervised/resolve.ts';
import type { DemonstrationContext } from '../../../src/learn/rl/contracts.ts';
import { flat, settingsOf, stopAfter, train } from '../rl/scripted-run.ts';

const STORED: StoredItems = {
  items: [2, 3].map((tokens) => ({
    ids: new Int32Array(tokens + 1).fill(2),
    mask: Uint8Array.from([0, ...Array.from({ length: tokens }, () => 1)]),
    temperature: 1,
    weight: 1,
  })),
  pairs: [{ chosen: 0, rejected: 1 }],
};
const settings = settingsOf({
  optimizer: flat,
  heldOut: { questions: 0, every: 1, temperature: 0 },
  stages: [
    { steps: 2, reward: 'em', weights: {}, loss: { kind: 'stored-sft', batch: 2 } },
    { steps: 1, reward: 'em', weights: {} },
  ],
});

it('a stage of stored trajectories makes no rollouts and an update a step; the next stage makes its own', async () => {
  const { steps, state } = await train(settings, { deps: { stored: STORED } });
  expect(steps.map(({ rollouts, trainedTokens }) => [rollouts, trainedTokens > 0])).toEqual([
    [0, true],
    [0, true],
    [2, true],
  ]);
  expect(steps[0]?.trainedTokens).toBe(5);
  expect(state.updates).toBe(3);
});

it('goes on after a stop as if there had been none, and says what it lacks', async () => {
  const deps = { stored: STORED };
  const whole = await train(settings, { deps });
  const half = await train(settings, { deps, hooks: { shouldStop: stopAfter(1) } });
  const rest = await train(settings, { deps, state: half.state });
  expect(rest.steps.map(({ step }) => step)).toEqual([2, 3]);
  expect([...rest.state.adapter]).toEqual([...whole.state.adapter]);
  await expect(train(settings)).rejects.toThrow(/stored trajectories, and there are none/);
});

it('makes its own where none were given, once, with the policy that it began with', async () => {
  const asked: DemonstrationContext[] = [];
  const told: [string, number, number][] = [];
  const deps = {
    makeStored: (context: DemonstrationContext) => {
      asked.push(context);
      context.onRollout(3, 8);
      return Promise.resolve(STORED);
    },
  };
  const own = await train(settings, {
    deps,
    hooks: { onProgress: ({ phase, done, total }) => void told.push([phase, done, total]) },
  });
  const given = await train(settings, { deps: { stored: STORED } });
  expect(asked).toHaveLength(1);
  expect(told).toContainEqual(['demonstrations', 3, 8]);
  // All else is as with a file.
  expect([...own.state.adapter]).toEqual([...given.state.adapter]);
  const failing = { makeStored: () => Promise.reject(new Error('nothing is left of 8 rollouts')) };
  await expect(train(settings, { deps: failing })).rejects.toThrow(/nothing is left of 8/);
});
