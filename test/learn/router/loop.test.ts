import { beforeAll, describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { RouterLearner } from '../../../src/learn/rl/contracts.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { decodeState, encodeState } from '../../../src/learn/rl/state.ts';
import { createRouterLearner } from '../../../src/learn/router/learner.ts';
import { decodeRouterState } from '../../../src/learn/router/learner.ts';
import { openTestWorld, tinySettings, trainTiny, type Trained, type World } from '../rl/helpers.ts';

/** The tiny policy's rollouts through the router, rewarded as printed so that runs repeat. */
function settingsOf(train: 'alone' | 'beside'): TrainSettings {
  const base = tinySettings({ steps: 2, heldOut: { questions: 0, every: 1, temperature: 0.3 } });
  return {
    ...base,
    // one search per rollout, whatever the untrained policy writes
    recipe: 'naive-rag',
    overrides: {
      ...base.overrides,
      retrieval: { k: 1, source: 'router', honourTags: false },
      nlr: { reward: 'paper', beta1: 0.5, beta2: 0.5 },
    },
    router: { ...base.router, train },
    // each batch would be drawn twice: the policy's groups need not vary
    dynamicSampling: { by: 'accuracy', maxBatches: 2 },
    checkpointEvery: 1,
  };
}

let world: World;
beforeAll(async () => {
  world = await openTestWorld();
});

interface RouterRun extends Trained {
  router: RouterLearner;
}

async function run(settings: TrainSettings, state?: Trained['state']): Promise<RouterRun> {
  const router = createRouterLearner(settings, { router: createRouter() });
  const trained = await trainTiny({ settings, world, router, ...(state ? { state } : {}) });
  return { ...trained, router };
}

describe('the loop with a router', () => {
  it('trains it alone: no policy update, and goes on from a checkpoint in the same bits', async () => {
    const settings = settingsOf('alone');
    const whole = await run(settings);
    const [first, last] = whole.states;
    expect(whole.steps.map(({ router }) => (router?.calls ?? 0) > 0)).toEqual([true, true]);
    expect(whole.steps.map(({ generationBatches }) => generationBatches)).toEqual([1, 1]);
    expect(whole.steps.map(({ gradientNorm }) => gradientNorm)).toEqual([0, 0]);
    expect(last?.updates).toBe(0);
    expect(last?.adapter).toEqual(first?.adapter);
    expect(whole.router.router.weights.origin).toBe('trained, 2 steps');

    const resumed = await run(settings, decodeState(encodeState(first!)));
    expect(resumed.steps.map(({ step }) => step)).toEqual([2]);
    // the web's mean latency aside, which is a wall clock's
    const trainedBy = (trained: Trained): object => {
      const { webLatency, ...rest } = decodeRouterState(trained.states.at(-1)!.router);
      expect(webLatency.count).toBeGreaterThanOrEqual(0);
      return rest;
    };
    expect(trainedBy(resumed)).toEqual(trainedBy(whole));
    expect(resumed.steps[0]?.router?.byKind).toEqual(whole.steps[1]?.router?.byKind);
  });

  it('trains it beside the policy', async () => {
    const settings = { ...settingsOf('beside'), steps: 1 };
    const { states, steps, router } = await run(settings);
    expect(states.at(-1)?.updates).toBeGreaterThan(0);
    expect(steps[0]?.router?.gradientNorm).toBeGreaterThan(0);
    expect(router.router.weights.origin).toBe('trained, 1 step');
  });
});
