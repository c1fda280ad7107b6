import { beforeAll, describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/learn/rl/state.ts';
import type { Branching } from '../../../src/recipes/parts/branching.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import { groupBy } from '../../../src/base/items.ts';
import { openTestWorld, tinySettings, type World } from '../rl/helpers.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { trainBuiltIn } from './built-in-run.ts';

let world: World;
beforeAll(async () => {
  world = await openTestWorld();
});
const train = (run: TrainSettings, from?: TrainState) => trainBuiltIn(world, run, from);

const settings = (change: Partial<TrainSettings>): TrainSettings =>
  tinySettings({
    recipe: 'search',
    overrides: { retrieval: { k: 1 } },
    steps: 2,
    questions: 2,
    updates: 1,
    overlong: { max: 90, buffer: 90 },
    heldOut: { questions: 0, every: 9, temperature: 0 },
    ...change,
  });

/** With how many rollouts of a group at most, and of how many questions: some must fail to be revived. */
const KINDS: [string, Branching, number, number][] = [
  [
    'entropy, first ones kept',
    {
      id: 'arpo',
      start: 2,
      base: 0.5,
      slope: 0.5,
      when: 'drawn',
      measured: 'before-result-kept',
      tokens: 20,
      credit: 'soft',
    },
    4,
    2,
  ],
  ['revive', { id: 'rex-rag', chance: 1, rate: 1, smoothing: 0.1, correction: 'mixture' }, 8, 4],
  [
    'entropy',
    {
      id: 'arpo',
      start: 2,
      base: 1,
      slope: 0,
      when: 'drawn',
      tokens: 20,
      credit: 'once',
    },
    4,
    2,
  ],
  ['tree', { id: 'tree-rpo', children: 2, depth: 2 }, 4, 2],
  ['guide', { id: 'guide', guided: 2 }, 6, 4],
];

describe('training on groups whose rollouts come from each other', () => {
  // The first two keep something from step to step; where the others branch is held by what grows a group.
  it.each(ALL_TESTS ? KINDS : KINDS.slice(0, 2))(
    '%s: shares what a fork kept, and learns from it',
    async (_, branching, most, questions) => {
      const run = settings({ branching, questions });
      const { rollouts: made, states, steps } = await train(run);
      const forked = made.filter(({ forks }) => forks !== undefined);
      expect(forked.length).toBeGreaterThan(0);
      for (const rollout of forked) {
        const point = rollout.forks?.at(-1);
        const of = made.find(({ id, step }) => id === point?.rolloutId && step === rollout.step);
        const flat = (one: typeof of): number[] => one?.segments.flatMap(({ ids }) => ids) ?? [];
        const shared = point?.tokens ?? 0;
        expect(shared).toBeGreaterThan(0);
        expect(flat(rollout).slice(0, shared)).toEqual(flat(of).slice(0, shared));
        expect(rollout.groupId).toBe(of?.groupId);
      }
      for (const group of groupBy(made, ({ groupId }) => groupId).values())
        expect(group.length).toBeLessThanOrEqual(most);
      expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
      // What the trainer gives the trained tokens is what the sampler gave, those of probes among them.
      for (const { samplerGap } of steps) expect(samplerGap.max ?? 0).toBeLessThan(1e-3);
      const [first, last] = [states[0], states.at(-1)];
      expect(first?.adapter).not.toEqual(last?.adapter);
      // A run that continues from its files is the run itself.
      if (!first) throw new Error('no state');
      const again = await train(run, decodeState(encodeState(first)));
      expect(again.state.adapter).toEqual(last?.adapter);
      expect(again.state.keptNumbers).toEqual(last?.keptNumbers);
      if (branching['measured'] !== 'before-result-kept') return;
      // Every place of the first step has its entry, which later steps leave as it is.
      expect(Object.keys(first.keptNumbers ?? {})).toHaveLength(most * questions);
      expect(last?.keptNumbers).toEqual(first.keptNumbers);
    },
  );
});

describe('a stage that learns by another loss', () => {
  it('moves the adapter, and the next stage goes on with the policy gradient', async () => {
    const stage = { steps: 1, reward: 'em', weights: {} };
    const loss = { kind: 'sft', weight: 'likelihood', gold: true } as const;
    const { states } = await train(settings({ stages: [{ ...stage, loss }, stage] }));
    expect(states).toHaveLength(2);
    expect(states[0]?.updates).toBe(1);
    expect(states[0]?.adapter).not.toEqual(states[1]?.adapter);
  });
});
