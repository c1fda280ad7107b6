import { describe, expect, it } from 'vitest';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import type { ReplicaClient } from '../../../src/learn/replicas/replica.ts';
import { supervisedUpdates } from '../../../src/learn/supervised/items.ts';
import { beginsRound, roundReference } from '../../../src/learn/supervised/items.ts';
import { tokenizer } from '../../agent/tokenizer.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';
import { Even, settingsOf, train } from '../rl/scripted-run.ts';

const begins = (count: number, rounds: number): number[] =>
  Array.from({ length: count }, (_, at) => at + 1).filter((step) =>
    beginsRound(step - 1, count, rounds),
  );

const EFFICIENT = { kind: 'efficient-dpo', beta: 0.1, nll: 0, gamma: 1.5 } as const;
const DPO = { kind: 'dpo', beta: 0.1, nll: 0, high: 1, low: 0 } as const;
const adapter = Float32Array.of(3);
const older = Float32Array.of(2);

describe('rounds of a stage', () => {
  it('are as equal as they can be', () => {
    expect(begins(6, 2)).toEqual([1, 4]);
    expect(begins(5, 2)).toEqual([1, 4]);
    expect(begins(7, 3)).toEqual([1, 4, 6]);
    expect(begins(3, 3)).toEqual([1, 2, 3]);
    expect(begins(4, 1)).toEqual([1]);
    // A run that is cut short still trains: every step begins one.
    expect(begins(2, 5)).toEqual([1, 2]);
  });

  it('begin with the policy as it stands, and keep it until the next', () => {
    // 2 steps of reinforcement learning, then 4 in two rounds, though the stage says 9: the run ends.
    const settings = {
      steps: 6,
      stages: [
        { steps: 2, reward: 'em', weights: {} },
        { steps: 9, reward: 'em', weights: {}, loss: { ...DPO, rounds: 2 } },
      ],
    };
    const at = (step: number) => roundReference(settings, { step, adapter, reference: older });
    expect([1, 2, 3, 4, 5].map(at)).toEqual([null, adapter, older, adapter, older]);
    expect(() => roundReference(settings, { step: 3, adapter })).toThrow(
      /the reference of the current round of preferences is missing/,
    );
  });

  it('without them the reference is the checkpoint', () => {
    const settings = { steps: 2, stages: [{ steps: 2, reward: 'em', weights: {}, loss: DPO }] };
    expect(roundReference(settings, { step: 0, adapter })).toBeNull();
  });
});

/** ln π of each of two tokens by the adapter's one value and the sequence's first id. */
const KNOWN: Record<number, Record<number, number>> = {
  // Policy now.
  3: { 1: -2, 2: -3.25 },
  // The round's reference.
  2: { 1: -2.5, 2: -3 },
};

it('log-ratios of a round are to the policy that it began with', async () => {
  let held = 0;
  const replica: ReplicaClient = {
    maxTokens: 64,
    setAdapter: (_, flat) => {
      if (flat === null) throw new Error('the checkpoint was asked');
      held = flat[0] ?? 0;
      return Promise.resolve();
    },
    score: (items) =>
      Promise.resolve(
        items.map(({ ids }) => {
          const value = KNOWN[held]?.[ids[0] ?? 0] ?? Number.NaN;
          return { logprobs: Float32Array.of(value, value), entropies: new Float32Array(2) };
        }),
      ),
    gradient: () => Promise.reject(new Error('not asked')),
    bytes: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  };
  const learner = new PolicyLearner([replica]);
  learner.setAdapter(adapter);
  const sequence = (id: number, reward: number) => ({
    rollout: { ...emptyRollout(`r${id}`), reward },
    group: 0,
    ids: Int32Array.of(id, 7, 8),
    mask: Uint8Array.of(0, 1, 1),
    temperature: 1,
  });
  const of = async (reference: Float32Array) => {
    const at = { tokenizer, seed: 0, step: 1 };
    const [update] = supervisedUpdates([sequence(1, 1), sequence(2, 0)], DPO, at);
    return (await update?.(learner, { policy: adapter, reference })) ?? { items: [] };
  };
  // As worked for Collab-RAG: log-ratios +1 and −0.5, so loss 0.621 and β σ(−0.15) = 0.0463.
  const { items, loss } = await of(older);
  expect(loss).toBeCloseTo(0.621, 3);
  expect(items.map(({ weight }) => weight)).toEqual([
    expect.closeTo(0.0463, 4),
    expect.closeTo(-0.0463, 4),
  ]);
  // A round's first step: both ratios are 1, so ln 2 and β / 2.
  const first = await of(adapter);
  expect(first.loss).toBeCloseTo(Math.LN2, 12);
  expect(first.items.map(({ weight }) => weight)).toEqual([0.05, -0.05]);
  // What is trained next is the policy again.
  await learner.score([sequence(1, 1)], false);
  expect(held).toBe(3);
});

describe('a run by rounds', () => {
  const rounds = settingsOf({
    steps: 4,
    stages: [{ steps: 4, reward: 'em', weights: {}, loss: { ...DPO, rounds: 2 } }],
    checkpointEvery: 1,
  });

  it('keeps the reference of the round under way in its state, and goes on with it', async () => {
    const stopped = await train(rounds, { hooks: { shouldStop: stopsAfter(3) } });
    expect(stopped.steps).toHaveLength(3);
    // Step 3 begins the second round: its reference is what step 2 left, no longer what the run began with.
    const [, , two] = stopped.sampled.filter((flat, i, all) => String(flat) !== String(all[i - 1]));
    expect([...(stopped.state.reference ?? [])]).toEqual(two);
    const whole = await train(rounds);
    const resumed = await train(rounds, { state: stopped.state });
    expect(resumed.state.adapter).toEqual(whole.state.adapter);
    expect(resumed.state.reference).toEqual(stopped.state.reference);
  });

  it('makes as many updates per step as it has passes', async () => {
    const passes = settingsOf({
      steps: 1,
      stages: [
        { steps: 1, reward: 'em', weights: {}, loss: { ...EFFICIENT, rounds: 1, passes: 3 } },
      ],
    });
    const replica = new Even();
    const held: number[][] = [];
    const { gradient } = replica;
    replica.setAdapter = ((_: number, flat: Float32Array | null) => {
      if (flat) held.push([...flat]);
      return Promise.resolve();
    }) as () => Promise<void>;
    let updates = 0;
    replica.gradient = (items) => {
      updates++;
      return gradient(items);
    };
    const { state, steps } = await train(passes, { replica });
    expect([updates, state.updates]).toEqual([3, 3]);
    // Before every pass the reference is asked: of the first it is the policy itself.
    expect(new Set(held.map(String)).size).toBe(3);
    expect(steps[0]?.loss).toBeCloseTo(Math.LN2, 12);
  });
});

describe('pairs in mini-batches', () => {
  const made = async (loss: { passes?: number; pairsAnUpdate?: number }): Promise<number> => {
    const stage = {
      steps: 1,
      reward: 'em',
      weights: {},
      loss: { ...EFFICIENT, rounds: 1, ...loss },
    };
    const { state } = await train(settingsOf({ steps: 1, questions: 3, stages: [stage] }));
    return state.updates;
  };

  it('make an update each, every pass again', async () => {
    const pairs = await made({ pairsAnUpdate: 1 });
    expect(pairs).toBeGreaterThan(1);
    expect(await made({})).toBe(1);
    expect(await made({ pairsAnUpdate: 1, passes: 2 })).toBe(2 * pairs);
    expect(await made({ pairsAnUpdate: pairs })).toBe(1);
  });
});

/** Whether this many steps are done: it is asked before each. */
const stopsAfter = (steps: number): (() => boolean) => {
  let asked = 0;
  return () => asked++ >= steps;
};
