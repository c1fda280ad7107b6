import { beforeAll, describe, expect, it, vi } from 'vitest';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import { TrainReplica } from '../../../src/learn/replicas/replica.ts';
import { sequencesOf } from '../../../src/learn/rl/batch.ts';
import { decodeState, encodeState, initialState } from '../../../src/learn/rl/state.ts';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import { createLoraTrainer } from '../../policy/create-lora-trainer.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { createCurriculum } from '../../../src/learn/curriculum/create.ts';
import { loadCurriculum } from '../../../src/learn/curriculum/provided.ts';
import { groupBy } from '../../../src/base/items.ts';
import {
  openTestWorld,
  tinySettings,
  tinyWeights,
  trainTiny,
  type Trained,
  type World,
} from '../rl/helpers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** SPEED-RL's screening a step ahead, trained for real. */

let world: World;
let whole: Trained;

const settingsOf = (
  screening: { withinStep?: boolean },
  system: TrainSettings['curriculum']['system'] = null,
): TrainSettings => {
  const base = tinySettings();
  return {
    ...base,
    dynamicSampling: {
      by: 'reward',
      maxBatches: 1,
      system: { id: 'speed-rl', screen: 2, ...screening },
    },
    // One step moves the policy by far more than the arithmetic of sampler and trainer differs.
    optimizer: { ...base.optimizer, learningRate: 0.02, warmUpSteps: 0 },
    curriculum: { ...base.curriculum, system },
    heldOut: { questions: 0, every: 1, temperature: 0 },
  };
};
const train = async (settings: TrainSettings, state?: TrainState): Promise<Trained> => {
  await loadCurriculum(settings);
  return trainTiny({
    settings,
    world,
    curriculum: createCurriculum(settings, world),
    ...(state && { state: decodeState(encodeState(state)) }),
  });
};

const bits = ({ state }: Trained): number[][] =>
  [state.adapter, state.first, state.second].map((values) => [
    ...new Uint32Array(values.buffer, values.byteOffset, values.length),
  ]);
/** All of the steps' records but times. */
const untimed = ({ steps }: Trained) =>
  steps.map(({ at: _a, seconds: _s, tokensPerSecond: _t, ...rest }) => rest);
const AHEAD = { withinStep: false };

beforeAll(async () => {
  world = await openTestWorld();
  whole = await train(settingsOf(AHEAD));
});

/** Largest distance of what an adapter gives the written tokens from what their record says. */
async function gap(adapter: Float32Array, rollouts: readonly Rollout[]): Promise<number> {
  const { adapter: spec } = settingsOf(AHEAD);
  const limits = { maxTokens: 512, maxLength: 256 };
  const trainer = await createLoraTrainer(tinyWeights(), spec, limits, 'wasm');
  const learner = new PolicyLearner([new TrainReplica(trainer)]);
  try {
    learner.setAdapter(adapter);
    const sequences = sequencesOf([rollouts]);
    const scores = await learner.score(sequences, false);
    const gaps = sequences.flatMap(({ oldLogprobs }, s) =>
      Array.from(oldLogprobs, (old, i) => Math.abs(old - (scores[s]?.logprobs[i] ?? Infinity))),
    );
    return Math.max(...gaps);
  } finally {
    await learner.close();
  }
}

describe('screening a step ahead', () => {
  it('trains on rollouts one update older, at the log-probabilities of the policy that made them', async () => {
    const { adapter: start } = initialState(settingsOf(AHEAD), tinyWeights().config);
    const after = whole.states[0]?.adapter ?? new Float32Array();
    const groups = [...groupBy(whole.rollouts[1] ?? [], ({ groupId }) => groupId).values()];
    const gone = groups.filter(({ length }) => length === 4);
    expect(gone.length).toBeGreaterThan(0);
    const screens = gone.flatMap((group) => group.slice(0, 2));
    const rest = gone.flatMap((group) => group.slice(2));
    expect(await gap(start, screens)).toBeLessThan(1e-3);
    expect(await gap(after, rest)).toBeLessThan(1e-3);
    // And not those of the other.
    expect(await gap(after, screens)).toBeGreaterThan(0.01);
    expect(await gap(start, rest)).toBeGreaterThan(0.01);
  });

  it('tells the sampler’s gap by the rollouts that the policy of the step made', () => {
    for (const { samplerGap } of whole.steps) expect(samplerGap.max ?? 1).toBeLessThan(1e-3);
    expect(whole.steps.every(({ trainedTokens }) => trainedTokens > 0)).toBe(true);
  });

  it('tells each rollout once, with the step whose group it is of, and screens for no step behind the last', () => {
    for (const [at, made] of whole.rollouts.entries())
      expect(new Set(made.map(({ step }) => step))).toEqual(new Set([at + 1]));
    const ids = whole.rollouts.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(whole.states.map(({ ahead }) => ahead?.step)).toEqual([2, 3, undefined]);
  });

  it.each([null, { id: 'kunlun-baize', goldEpochs: 4, noise: 1 }])(
    'goes on bit for bit from any snapshot, drawn by %j',
    async (system) => {
      const settings = settingsOf(AHEAD, system);
      const run = system === null ? whole : await train(settings);
      for (const at of [0, 1]) {
        const resumed = await train(settings, run.states[at]);
        expect(bits(resumed)).toEqual(bits(run));
        expect(untimed(resumed)).toEqual(untimed(run).slice(at + 1));
        expect(resumed.state.curriculum).toEqual(run.state.curriculum);
      }
    },
  );

  it('is off unless it is asked for', async () => {
    const [absent, same] = [await train(settingsOf({})), await train(settingsOf({ withinStep: true }))]; // prettier-ignore
    expect(bits(same)).toEqual(bits(absent));
    expect(absent.states.every(({ ahead }) => ahead === undefined)).toBe(true);
    expect(bits(whole)).not.toEqual(bits(absent));
  });
});
