import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { Even, flat, question, settingsOf, stopAfter, train } from './scripted-run.ts';

/** The loop around steps: what is done when, told to whom, and where it continues. */

describe('a run of three steps', () => {
  it('scores held-out questions every second step and behind the last, and saves as often', async () => {
    const { end, state, steps, saved } = await train(settingsOf());
    expect(end).toBe('finished');
    expect(steps.map(({ step, heldOut }) => [step, heldOut?.n ?? null])).toEqual([
      [1, null],
      [2, 1],
      [3, 1],
    ]);
    expect(saved).toEqual([2, 3]);
    expect(state).toMatchObject({ step: 3, updates: 3, warmedUp: 0 });
  });

  it('saves behind its last step once, though that is a step to save at', async () => {
    expect((await train(settingsOf({ checkpointEvery: 3 }))).saved).toEqual([3]);
    expect((await train(settingsOf({ checkpointEvery: 1 }))).saved).toEqual([1, 2, 3]);
    expect((await train(settingsOf({ checkpointEvery: 9 }))).saved).toEqual([3]);
  });

  it('scores the policy before its first step, and says so with that step alone', async () => {
    const { steps } = await train(settingsOf());
    expect(steps.map(({ heldOutAtStart }) => heldOutAtStart?.n ?? null)).toEqual([1, null, null]);
  });

  it('scores no held-out question where none is wanted', async () => {
    const heldOut = { questions: 0, every: 1, temperature: 0 };
    const { steps } = await train(settingsOf({ heldOut }));
    expect(steps.map((step) => step.heldOut)).toEqual([null, null, null]);
    expect(steps.some((step) => 'heldOutAtStart' in step)).toBe(false);
  });

  it('measures its seconds, those of a snapshot with the step behind it', async () => {
    const { steps, state } = await train(settingsOf());
    // Looks at the clock: four a step and two a snapshot, each one second longer than the last.
    expect(steps.map(({ seconds }) => seconds)).toEqual([
      { rollout: 1, update: 2, heldOut: 3, checkpoint: 0, total: 6 },
      { rollout: 5, update: 6, heldOut: 7, checkpoint: 0, total: 18 },
      { rollout: 11, update: 12, heldOut: 13, checkpoint: 9, total: 36 },
    ]);
    expect(state.elapsed).toBe(60);
    expect(steps[0]?.at).toBe('1970-01-01T00:00:06.000Z');
  });

  it('tells where it is', async () => {
    const { told } = await train(settingsOf({ steps: 2 }));
    expect(told).toEqual([
      'starting 1: 0/1',
      'starting 1: 1/1',
      // What the policy scores before its first step.
      'held-out 1: 0/1',
      'held-out 1: 1/1',
      'rollouts 1: 0/2',
      'rollouts 1: 1/2',
      'rollouts 1: 2/2',
      'update 1: 0/1',
      'update 1: 1/1',
      'rollouts 2: 0/2',
      'rollouts 2: 1/2',
      'rollouts 2: 2/2',
      'update 2: 0/1',
      'update 2: 1/1',
      'held-out 2: 0/1',
      'held-out 2: 1/1',
      'snapshot 2: 0/1',
      'snapshot 2: 1/1',
    ]);
  });

  it('gives the sampler the adapter that it starts with, then that of each update', async () => {
    const { sampled, state } = await train(settingsOf());
    expect(sampled).toHaveLength(4);
    expect(sampled.at(-1)).toEqual([...state.adapter]);
    expect(new Set(sampled.map((adapter) => adapter.join())).size).toBe(4);
  });

  it('keeps the curriculum’s state of each step, as a copy', async () => {
    const { state } = await train(settingsOf());
    // Two rollouts per step, one held-out question before the first and in two of them; the last comes before the state.
    expect(state.curriculum).toEqual({ drawn: 9 });
    expect(state.router).toBeNull();
  });
});

describe('the divergence from the reference', () => {
  // The sampler gave −0.5 each, the reference −1: k3 = e^−0.5 + 0.5 − 1.
  const k3 = Math.exp(-0.5) - 0.5;
  const kl = (place: 'off' | 'loss' | 'reward') => ({
    ...getTraining('search/grpo').objective,
    kl: { form: 'k3' as const, place, coefficient: 0.1 },
  });

  it.each([
    // Measured with the held-out questions where no term needs it.
    ['off', [null, k3, k3]],
    ['loss', [k3, k3, k3]],
    ['reward', [k3, k3, k3]],
  ] as const)('%s', async (place, wanted) => {
    const { steps } = await train(settingsOf({ objective: kl(place) }));
    steps.forEach((step, i) => {
      const value = wanted[i] ?? null;
      if (value === null) expect(step.kl).toBeNull();
      else expect(step.kl).toBeCloseTo(value, 6);
      expect('kl' in step.reward.clauses).toBe(place === 'reward');
    });
  });
});

describe('where a run goes on and where it ends', () => {
  it('goes on behind the step of its state', async () => {
    const first = await train(settingsOf(), { hooks: { shouldStop: stopAfter(1) } });
    expect([first.end, first.state.step, first.saved]).toEqual(['stopped', 1, [1]]);
    const rest = await train(settingsOf(), { state: first.state });
    expect([rest.end, rest.saved, rest.steps.map(({ step }) => step)]).toEqual([
      'finished',
      [2, 3],
      [2, 3],
    ]);
    expect(rest.state.updates).toBe(3);
  });

  it('has nothing left to do behind its last step', async () => {
    const { state } = await train(settingsOf());
    const again = await train(settingsOf(), { state });
    expect([again.end, again.steps, again.saved]).toEqual(['finished', [], []]);
    expect(again.state).toBe(state);
  });

  it('takes a learning rate set by hand from the step on where it was set, and keeps it', async () => {
    const rates = [undefined, 0.5, null];
    const { steps, state } = await train(settingsOf({ optimizer: flat }), {
      hooks: { learningRate: () => rates.shift() },
    });
    expect(steps.map(({ learningRate }) => learningRate)).toEqual([0.25, 0.5, 0.5]);
    expect(state.learningRate).toBe(0.5);
  });

  it('aborted within a step keeps the state of the step before', async () => {
    const abort = new AbortController();
    const { end, state, saved } = await train(settingsOf(), {
      hooks: {
        signal: abort.signal,
        onProgress: ({ phase, step }) => {
          if (phase === 'rollouts' && step === 2) abort.abort();
        },
      },
    });
    expect([end, state.step, saved]).toEqual(['aborted', 1, [1]]);
  });

  it('aborted before its first step makes none', async () => {
    const { end, steps, saved } = await train(settingsOf(), {
      hooks: { signal: AbortSignal.abort() },
    });
    expect([end, steps, saved]).toEqual(['aborted', [], []]);
  });

  it('fails with what failed, where nobody aborted it', async () => {
    const replica = new Even();
    replica.fault = new Error('device lost');
    await expect(train(settingsOf(), { replica })).rejects.toThrow('device lost');
  });

  it('needs a policy that takes weights, and a router where one is to be trained', async () => {
    const { info, tokenizer } = new ScriptedPolicy({ main: [] });
    const agent = {
      policy: {
        info,
        tokenizer,
        open: () => new ScriptedPolicy({ main: [] }).open(),
        dispose: () => undefined,
      },
      retriever: retrieverOver(),
      router: createRouter(),
      now: () => 0,
    };
    await expect(train(settingsOf(), { deps: { agent } })).rejects.toThrow(
      'training: this policy takes no adapter',
    );
    const router = { ...settingsOf().router, train: 'alone' as const };
    await expect(train(settingsOf({ router }))).rejects.toThrow(
      'training: the settings train a router, but there is none',
    );
  });

  it('gets the curriculum ready where steps are left to draw for', async () => {
    const made = await train(settingsOf({ steps: 1 }));
    let prepared = 0;
    const curriculum = {
      prepare: () => Promise.resolve(++prepared < 3),
      draw: ({ count }: { count: number }) =>
        Promise.resolve(Array.from({ length: count }, () => ({ question, label: 'x' }))),
      state: () => null,
      restore: () => undefined,
    };
    const deps = { curriculum };
    await train(settingsOf({ steps: 1 }), { state: made.state, deps });
    expect(prepared).toBe(0);
    expect((await train(settingsOf({ steps: 2 }), { state: made.state, deps })).end).toBe(
      'finished',
    );
    expect((await train(settingsOf({ steps: 1 }), { deps })).steps).toHaveLength(1);
    expect(prepared).toBe(2);
    // Not ready: it was asked to stop.
    expect(await train(settingsOf({ steps: 1 }), { deps })).toMatchObject({
      end: 'stopped',
      steps: [],
    });
  });

  it('restores what the curriculum kept, and only where it kept something', async () => {
    const restored: unknown[] = [];
    const curriculum = {
      draw: ({ count }: { count: number }) =>
        Promise.resolve(Array.from({ length: count }, () => ({ question, label: 'x' }))),
      state: () => ({ at: 7 }),
      restore: (state: unknown) => void restored.push(state),
    };
    const first = await train(settingsOf({ steps: 1 }), { deps: { curriculum } });
    expect(restored).toEqual([]);
    const { steps } = await train(settingsOf({ steps: 2 }), {
      state: first.state,
      deps: { curriculum },
    });
    expect(restored).toEqual([{ at: 7 }]);
    expect(steps[0]?.drawn).toEqual({ x: 1 });
  });
});
