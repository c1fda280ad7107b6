import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { TrainDeps } from '../../../src/learn/rl/contracts.ts';
import { initialState, isUntrained } from '../../../src/learn/rl/state.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { TrainItem } from '../../../src/learn/replicas/replica.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { Even, settingsOf, train, weights } from './scripted-run.ts';

/** Steps whose gradient is 0 by construction make no update; all others do. */

class Counting extends Even {
  gradients = 0;
  scored = 0;
  override gradient = (items: readonly TrainItem[]) => {
    this.gradients++;
    return new Even().gradient(items);
  };
  override score = (items: Parameters<Even['score']>[0]) => {
    this.scored++;
    return new Even().score(items);
  };
}

/** A policy whose rollouts answer as told, one after another. */
function answering(answers: readonly string[]): Partial<TrainDeps> {
  const { info, tokenizer } = new ScriptedPolicy({ main: [] });
  let opened = 0;
  return {
    agent: {
      policy: {
        info,
        tokenizer,
        open: () => {
          const answer = answers[opened++ % answers.length];
          const text = `<think> t</think><short_answer> \\boxed{ ${answer} }</short_answer>`;
          return new ScriptedPolicy({ main: [text] }).open();
        },
        setAdapter: () => Promise.resolve(),
        dispose: () => undefined,
      },
      retriever: retrieverOver(),
      router: createRouter(),
      now: () => 0,
    },
  };
}

const NO_SCORE = { heldOut: { questions: 0, every: 1, temperature: 0 } };

async function run(answers: readonly string[], change: Partial<TrainSettings> = {}, begun = false) {
  const replica = new Counting();
  const settings = settingsOf({ steps: 1, ...NO_SCORE, ...change });
  const start = initialState(settings, weights.config);
  const moved = { ...start, adapter: start.adapter.map((value) => value || 0.5) };
  const made = await train(settings, {
    replica,
    deps: answering(answers),
    ...(begun && { state: moved }),
  });
  return { ...made, gradients: replica.gradients, scored: replica.scored };
}

const { objective } = getTraining('search/grpo');
const kl = (form: 'k1' | 'k3', place: 'loss' | 'reward', coefficient = 0.1) => ({
  objective: { ...objective, kl: { form, place, coefficient } },
});

const WRONG = ['Oslo'];
const RIGHT = ['Borfield'];
const MIXED = ['Borfield', 'Oslo'];

describe('a step whose rewards are all equal', () => {
  it('makes no update and scores nothing, and its record says so', async () => {
    const { steps, state, gradients, scored } = await run(WRONG, { steps: 2 });
    expect([gradients, scored]).toEqual([0, 0]);
    expect(steps.map(({ skipped }) => skipped)).toEqual([
      { why: 'equal-rewards', reward: 0 },
      { why: 'equal-rewards', reward: 0 },
    ]);
    expect(steps[0]).toMatchObject({ gradientNorm: 0, trainedTokens: 0, loss: 0 });
    expect(state).toMatchObject({ step: 2, updates: 0, noUpdate: true });
    expect(isUntrained(state)).toBe(true);
  });

  it('has the reward that all had', async () => {
    const { steps } = await run(RIGHT);
    expect(steps[0]?.skipped).toEqual({ why: 'equal-rewards', reward: 1 });
  });

  it('names no reward where only those of each group are equal', async () => {
    const { steps } = await run(['Borfield', 'Borfield', 'Oslo', 'Oslo'], { questions: 2 });
    expect(steps[0]?.skipped).toEqual({ why: 'equal-rewards' });
  });

  it('is one of groups that dynamic sampling leaves out', async () => {
    const dynamicSampling = { by: 'reward' as const, maxBatches: 2 };
    const { steps, gradients } = await run(WRONG, { dynamicSampling });
    expect(gradients).toBe(0);
    expect(steps[0]).toMatchObject({
      skipped: { why: 'equal-rewards', reward: 0 },
      generationBatches: 2,
    });
  });

  it('makes an update where they differ, and says nothing', async () => {
    const { steps, state, gradients } = await run(MIXED);
    expect(gradients).toBe(1);
    expect(steps[0] && 'skipped' in steps[0]).toBe(false);
    expect(isUntrained(state)).toBe(false);
  });

  it.each(['reinforce++-baseline', 'rloo', 'dr-grpo', 'whitened-grpo'] as const)(
    'makes none with %s either',
    async (estimator) => {
      const { gradients } = await run(WRONG, { objective: { ...objective, estimator } });
      expect(gradients).toBe(0);
    },
  );
});

describe('a gradient beside the reward keeps the update', () => {
  it.each([
    // The adapter is as it began: the policy is the reference, where k3 is flat.
    ['k3 in the loss, at the reference', kl('k3', 'loss'), false, 0],
    ['k3 in the reward, at the reference', kl('k3', 'reward'), false, 0],
    ['k1 in the loss, at the reference: its slope is 1', kl('k1', 'loss'), false, 1],
    ['k3 in the loss, away from it', kl('k3', 'loss'), true, 1],
    ['k3 in the reward, away from it', kl('k3', 'reward'), true, 1],
    ['a KL of coefficient 0', kl('k3', 'loss', 0), true, 0],
    ['no KL, away from the reference', {}, true, 0],
  ])('%s', async (_, change, begun, gradients) => {
    expect((await run(WRONG, change, begun)).gradients).toBe(gradients);
  });

  it.each([
    ['right-likelihood', RIGHT, 1],
    ['right-likelihood', WRONG, 0],
    ['diversity', RIGHT, 1],
    ['diversity', WRONG, 0],
  ] as const)('%s on rollouts of %s', async (term, answers, gradients) => {
    const made = await run(answers, {
      objective: { ...objective, rules: { [term]: { weight: 0.1 } } },
    });
    expect(made.gradients).toBe(gradients);
  });

  it('the KL of a skipped step is 0 where the policy is the reference, else not scored', async () => {
    expect((await run(WRONG, kl('k3', 'loss'))).steps[0]?.kl).toBe(0);
    expect((await run(WRONG, kl('k3', 'loss', 0), true)).steps[0]?.kl).toBeNull();
  });

  it('a supervised stage learns from right rollouts though all are right', async () => {
    const stages = [
      {
        steps: 1,
        reward: 'em',
        weights: {},
        loss: { kind: 'sft' as const, weight: 'right' as const, gold: false },
      },
    ];
    expect((await run(RIGHT, { stages })).gradients).toBe(1);
    const none = await run(WRONG, { stages });
    expect(none.gradients).toBe(0);
    expect(none.steps[0]?.skipped).toEqual({ why: 'equal-rewards', reward: 0 });
  });
});
