import { beforeAll, describe, expect, it, vi } from 'vitest';
import { decodeState, encodeState } from '../../../src/learn/rl/state.ts';
import { openTestWorld, tinySettings, trainTiny, type Trained, type World } from './helpers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let world: World;
let whole: Trained;
beforeAll(async () => {
  world = await openTestWorld();
  whole = await trainTiny({ settings: tinySettings(), world });
});

const changed = (a: Float32Array, b: Float32Array): boolean => a.some((v, i) => v !== b[i]);

describe('a run', () => {
  it('makes every step, snapshot and held-out score that the settings ask for', () => {
    expect(whole.end).toBe('finished');
    expect(whole.steps.map((s) => s.step)).toEqual([1, 2, 3]);
    expect(whole.states.map((s) => s.step)).toEqual([1, 2, 3]);
    expect(whole.steps.map((s) => s.heldOut?.n ?? null)).toEqual([null, 2, 2]);
  });

  it('moves the adapter at every step, and the sampler follows it', () => {
    const [first, second, third] = whole.states;
    expect(changed(first!.adapter, second!.adapter)).toBe(true);
    expect(changed(second!.adapter, third!.adapter)).toBe(true);
    // Had the sampler kept old weights, the trainer would disagree with it from step 2 on.
    for (const { samplerGap, trainedTokens } of whole.steps) {
      expect(trainedTokens).toBeGreaterThan(0);
      expect(samplerGap.max).toBeLessThan(2e-3);
    }
  });

  it('fills each record: reward is the sum of its clauses, the advantages of a group sum to 0', () => {
    for (const rollouts of whole.rollouts) {
      expect(rollouts).toHaveLength(8);
      for (const { rewards, reward, baseline, advantage } of rollouts) {
        const sum = rewards.reduce((total, { value, weight }) => total + value * weight, 0);
        expect(reward).toBeCloseTo(sum, 9);
        expect(baseline).not.toBeNull();
        expect(advantage).not.toBeNull();
      }
      for (const from of [0, 4]) {
        const group = rollouts.slice(from, from + 4);
        expect(group.reduce((total, r) => total + r.advantage!, 0)).toBeCloseTo(0, 6);
        const mean = group.reduce((total, r) => total + r.reward!, 0) / 4;
        expect(group[0]!.baseline).toBeCloseTo(mean, 9);
      }
    }
  });

  it('measures KL where it scores held-out questions, and finds it positive once it has moved', () => {
    expect(whole.steps.map((s) => s.kl === null)).toEqual([true, false, false]);
    expect(whole.steps[1]!.kl).toBeGreaterThan(0);
  });

  it('continues bit for bit from a stored state', async () => {
    const stored = decodeState(encodeState(whole.states[0]!));
    const resumed = await trainTiny({ settings: tinySettings(), world, state: stored });
    expect(resumed.steps.map((s) => s.step)).toEqual([2, 3]);
    for (const name of ['adapter', 'first', 'second'] as const)
      expect(changed(resumed.state[name], whole.state[name])).toBe(false);
    expect(resumed.state.curriculum).toEqual(whole.state.curriculum);
  });

  it('does not depend on the number of replicas', async () => {
    const two = await trainTiny({ settings: tinySettings({ steps: 1 }), world, replicas: 2 });
    expect(changed(two.state.adapter, whole.states[0]!.adapter)).toBe(false);
  });
});

describe('stopping', () => {
  it('between steps keeps what is done and stores it', async () => {
    let asked = 0;
    const hooks = { shouldStop: () => ++asked > 1 };
    const settings = tinySettings({ checkpointEvery: 100 });
    const run = await trainTiny({ settings, world, hooks });
    expect([run.end, run.state.step]).toEqual(['stopped', 1]);
    expect(run.states.map((s) => s.step)).toEqual([1]);
  });

  it('within a step leaves the last whole step', async () => {
    const abort = new AbortController();
    const hooks = {
      signal: abort.signal,
      onProgress: (p: { step: number; phase: string }) => {
        if (p.step === 2 && p.phase === 'update') abort.abort();
      },
    };
    const run = await trainTiny({ settings: tinySettings(), world, hooks });
    expect([run.end, run.state.step]).toEqual(['aborted', 1]);
    expect(changed(run.state.adapter, whole.states[0]!.adapter)).toBe(false);
  });

  it('a learning rate set by hand holds and is stored', async () => {
    const run = await trainTiny({
      settings: tinySettings({ steps: 1 }),
      world,
      hooks: { learningRate: () => 5e-4 },
    });
    // The first of five warm-up steps.
    expect(run.steps[0]!.learningRate).toBeCloseTo(1e-4, 12);
    expect(run.state.learningRate).toBe(5e-4);
  });
});

describe('the control', () => {
  it('trains on the same rewards given to other rollouts', async () => {
    const settings = tinySettings({ steps: 1, shuffleRewards: true });
    const [rollouts] = (await trainTiny({ settings, world })).rollouts;
    const [plain] = whole.rollouts;
    const rewards = (list: typeof rollouts): number[] => list!.map((r) => r.reward!);
    const sorted = (list: typeof rollouts): number[] => rewards(list).toSorted((a, b) => a - b);
    expect(sorted(rollouts)).toEqual(sorted(plain));
    expect(rewards(rollouts)).not.toEqual(rewards(plain));
    expect(rollouts!.every((r) => r.rewards.some((c) => c.clause === 'shuffled'))).toBe(true);
  });
});

describe('dynamic sampling', () => {
  it('draws again until the batches are spent, and trains only groups that vary', async () => {
    // An untrained policy answers nothing right: no group varies in accuracy.
    const settings = tinySettings({
      steps: 1,
      dynamicSampling: { by: 'accuracy', maxBatches: 3 },
    });
    const { steps, rollouts } = await trainTiny({ settings, world });
    expect(steps[0]!.generationBatches).toBe(3);
    expect(steps[0]!.groups).toBe(6);
    expect(rollouts[0]).toHaveLength(24);
    expect(rollouts[0]!.filter((r) => r.advantage !== null).length).toBeLessThanOrEqual(8);
  });

  it('skips the update where nothing varies, and says so', async () => {
    const settings = tinySettings({
      steps: 1,
      overlong: null,
      stages: [{ steps: 1, reward: 'em', weights: {} }],
      dynamicSampling: { by: 'reward', maxBatches: 2 },
    });
    const { steps, state } = await trainTiny({ settings, world });
    expect(steps[0]).toMatchObject({ zeroVarianceGroups: 4, generationBatches: 2, loss: 0 });
    expect(state.updates).toBe(0);
    expect(state.step).toBe(1);
  });
});
