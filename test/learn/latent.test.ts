import { beforeAll, describe, expect, it } from 'vitest';
import { latentsOf } from '../../src/agent/transcript/latents.ts';
import { untrainable } from '../../src/learn/rl/trainable.ts';
import { decodeState, encodeState } from '../../src/learn/rl/state.ts';
import { faultOf } from '../../src/formats/rollouts/own-schema.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import { adapterSize, loraSize } from '../../src/policy/lora/spec.ts';
import type { TrainSettings } from '../../src/recipes/parts/training.ts';
import {
  openTestWorld,
  tinySettings,
  tinyWeights,
  trainTiny,
  type Trained,
  type World,
} from './rl/helpers.ts';

/** Training a policy that thinks in mixtures: engine, kernels and loop as in the page. */

const RATES = { learningRate: 0.05, lambdaLearningRate: 0.1 };
const thinking = (gates?: { rMin: number; rMax: number }): TrainSettings => {
  const base = tinySettings();
  return {
    ...base,
    overrides: {
      ...base.overrides,
      loop: 'rationale',
      background: { mode: 'off' },
      stie: { mode: 'off' },
      system: { id: 'hrpo' },
    },
    steps: 2,
    temperature: 0.8,
    adapter: { ...base.adapter, ...(gates && { gates: { id: 'hrpo', ...gates, ...RATES } }) },
    objective: {
      ...base.objective,
      clip: null,
      kl: { form: 'k3', place: 'loss', coefficient: 0.005 },
    },
    heldOut: { questions: 2, every: 1, temperature: 0.3 },
  };
};

const { config } = tinyWeights();
let world: World;
let wide: Trained;
beforeAll(async () => {
  world = await openTestWorld();
  wide = await trainTiny({ settings: thinking({ rMin: 0.6, rMax: 0.9 }), world });
});

const idsOf = ({ rollouts }: Trained): number[][] =>
  rollouts.flat().map(({ segments }) => segments.flatMap(({ ids }) => ids));

describe('gates that stay closed', () => {
  it('are GRPO: the same tokens and the same adapter, bit for bit', async () => {
    const plain = await trainTiny({ settings: thinking(), world });
    const shut = await trainTiny({ settings: thinking({ rMin: 1, rMax: 1 }), world });
    expect(idsOf(shut)).toEqual(idsOf(plain));
    const factors = plain.state.adapter.length;
    expect(shut.state.adapter.subarray(0, factors)).toEqual(plain.state.adapter);
    expect(shut.state.first.subarray(0, factors)).toEqual(plain.state.first);
    expect(shut.steps.map(({ loss, kl }) => [loss, kl])).toEqual(
      plain.steps.map(({ loss, kl }) => [loss, kl]),
    );
    expect(shut.rollouts.flat().some(({ latent }) => latent?.gate === 1)).toBe(true);
    expect(plain.rollouts.flat().every(({ latent }) => latent === undefined)).toBe(true);
  });
});

describe('gates that learn', () => {
  it('the trainer replays what was sampled', () => {
    for (const { samplerGap } of wide.steps) expect(samplerGap.max).toBeLessThan(1e-4);
  });

  it('all of them move, Λ by its own rate', () => {
    const { adapter } = wide.state;
    expect(adapter.length).toBe(adapterSize(config, thinking({ rMin: 0.6, rMax: 0.9 }).adapter));
    const first = wide.states[0]?.adapter ?? new Float32Array();
    const from = loraSize(config, thinking().adapter);
    const lambda = adapter.length - config.hiddenSize;
    const moved = (a: number, b: number): number =>
      adapter
        .slice(a, b)
        .reduce((most, value, i) => Math.max(most, Math.abs(value - (first[a + i] ?? 0))), 0);
    expect(moved(from, lambda)).toBeGreaterThan(0.001);
    // AdamW moves by about its rate at first: 0.05 and 0.1, of which the second step of the warm-up takes two fifths.
    expect(moved(lambda, adapter.length) / moved(from, lambda)).toBeGreaterThan(1.3);
  });

  it('records say how many tokens were latent, and hold none of the mixtures', () => {
    const thought = wide.rollouts.flat().filter(({ latent }) => latent !== undefined);
    expect(thought.length).toBeGreaterThan(0);
    for (const rollout of thought) {
      expect(rollout.latent?.tokens).toBe(latentsOf(rollout)?.positions.length);
      expect(rollout.latent?.gate).toBeGreaterThan(0.5);
      expect(rollout.latent?.gate).toBeLessThan(0.95);
      const stored = JSON.stringify(rollout);
      expect(stored).not.toContain('hidden');
      const back = JSON.parse(stored) as Rollout;
      expect(faultOf(back)).toBeNull();
      expect(back.latent).toEqual(rollout.latent);
      expect(() => latentsOf(back)).toThrow(/is not recorded/);
    }
  });

  it('a run goes on from its snapshot as if it had not been broken off', async () => {
    const [first] = wide.states;
    if (!first) throw new Error('no snapshot');
    const state = decodeState(encodeState(first));
    const settings = thinking({ rMin: 0.6, rMax: 0.9 });
    const { state: end } = await trainTiny({ settings, world, state });
    expect(end.adapter).toEqual(wide.state.adapter);
    expect(end.second).toEqual(wide.state.second);
  });
});

describe('what gates cannot be trained with', () => {
  const gated = thinking({ rMin: 0.6, rMax: 0.9 });
  it.each([
    ['a loop that reads tokens alone', { ...gated, overrides: {} }, 'adapter.gates'],
    ['an empty range', thinking({ rMin: 0.9, rMax: 0.6 }), 'adapter.gates'],
    [
      'a stage by supervision',
      {
        ...gated,
        stages: gated.stages.map((stage) => ({
          ...stage,
          loss: { kind: 'sft' as const, weight: 'right' as const, gold: false },
        })),
      },
      'stages.0.loss',
    ],
  ] as const)('%s', (_, settings, path) => {
    expect(untrainable(settings as TrainSettings)?.path).toBe(path);
  });
});
