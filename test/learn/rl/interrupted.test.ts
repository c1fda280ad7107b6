import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { RunningMean } from '../../../src/agent/router/reward.ts';
import type {
  Curriculum,
  CurriculumContext,
  RouterLearner,
  TrainDeps,
} from '../../../src/learn/rl/contracts.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { emptyRollout, policySegment, readSegment } from '../../fixtures/rollouts.ts';
import { Even, question, settingsOf, stopAfter, train } from './scripted-run.ts';

/** What comes before the first step, what a run is refused for, and where it is broken off. */

const curriculumOf = (change: Partial<Curriculum>): Curriculum => ({
  draw: ({ count }) =>
    Promise.resolve(Array.from({ length: count }, () => ({ question, label: 'x' }))),
  state: () => ({ at: 7 }),
  restore: () => undefined,
  ...change,
});
/** Never ready, so that a run ends before its first step. */
const unready = curriculumOf({ prepare: () => Promise.resolve(false) });

const agentOf = (change: Partial<TrainDeps['agent']> = {}): TrainDeps['agent'] => {
  const { info, tokenizer } = new ScriptedPolicy({ main: [] });
  return {
    policy: {
      info,
      tokenizer,
      open: () => new ScriptedPolicy({ main: [] }).open(),
      setAdapter: () => Promise.resolve(),
      dispose: () => undefined,
    },
    retriever: retrieverOver(),
    router: createRouter(),
    now: () => 0,
    ...change,
  };
};

it('aborted within an update keeps the state of the step before it', async () => {
  const abort = new AbortController();
  const { end, state, saved } = await train(settingsOf({ steps: 1 }), {
    hooks: {
      signal: abort.signal,
      onProgress: ({ phase }) => {
        if (phase === 'update') abort.abort();
      },
    },
  });
  expect([end, state.step, saved]).toEqual(['aborted', 0, []]);
});

describe('a warm-up before the first step', () => {
  const demonstration: Rollout = {
    ...emptyRollout('d'),
    segments: [readSegment([1, 2], 'question'), policySegment([1, 2, 3])],
    metrics: null,
  };
  const demonstrations = [demonstration, { ...demonstration, id: 'e' }];
  const settings = (updates: number): TrainSettings =>
    settingsOf({
      steps: 1,
      warmUp: { length: { updates }, batch: 2, learningRate: 0.01, onlyCorrect: false },
    });
  const deps = { demonstrations };

  it('is saved by itself, and the sampler gets its adapter', async () => {
    const notices: string[] = [];
    const { told, saved, sampled, state } = await train(settings(2), {
      deps,
      hooks: { onNotice: (line) => void notices.push(line) },
    });
    expect(told.slice(2, 7)).toEqual([
      'warm-up 1: 0/2',
      'warm-up 1: 1/2',
      'warm-up 1: 2/2',
      'snapshot 0: 0/1',
      'snapshot 0: 1/1',
    ]);
    expect(saved).toEqual([0, 1]);
    // As it starts, warmed up, and after its one step.
    expect(sampled).toHaveLength(3);
    expect(sampled[1]).not.toEqual(sampled[0]);
    expect(notices).toEqual([
      'Cold start: 2 of 2 updates on 2 demonstrations, loss 0.500 → 0.500 nats per token.',
    ]);
    expect([state.warmedUp, state.step]).toEqual([2, 1]);
  });

  it('is made once: neither again where it is done, nor behind a step', async () => {
    const warm = await train(settings(2), { deps, hooks: { shouldStop: stopAfter(2) } });
    expect([warm.end, warm.state.warmedUp, warm.state.step]).toEqual(['stopped', 2, 0]);
    const rest = await train(settings(2), { deps, state: warm.state });
    expect(rest.told.filter((line) => line.startsWith('warm-up'))).toEqual([]);
    expect(rest.end).toBe('finished');
    const behind = { ...rest.state, warmedUp: 0 };
    const more = { ...settings(2), steps: 2 };
    const next = await train(more, { deps, state: behind });
    expect(next.told.filter((line) => line.startsWith('warm-up'))).toEqual([]);
    expect(next.state.step).toBe(2);
  });

  it('stopped between two updates is saved, and ends the run', async () => {
    const { end, state, saved, steps } = await train(settings(3), {
      deps,
      hooks: { shouldStop: stopAfter(1) },
    });
    expect([end, state.warmedUp, saved, steps]).toEqual(['stopped', 1, [0], []]);
  });

  it('stopped before its first update saves nothing', async () => {
    const { end, state, saved } = await train(settings(3), {
      deps,
      hooks: { shouldStop: () => true },
    });
    expect([end, state.warmedUp, saved]).toEqual(['stopped', 0, []]);
  });

  it('aborted ends with what is done', async () => {
    const abort = new AbortController();
    const { end, state } = await train(settings(3), {
      deps,
      hooks: {
        signal: abort.signal,
        onProgress: ({ phase, done }) => {
          if (phase === 'warm-up' && done > 0) abort.abort();
        },
      },
    });
    expect([end, state.warmedUp, state.step]).toEqual(['aborted', 1, 0]);
  });

  it('fails with what failed, but where it was aborted', async () => {
    const replica = new Even();
    replica.fault = new Error('device lost');
    await expect(train(settings(3), { deps, replica })).rejects.toThrow('device lost');
    const abort = new AbortController();
    replica.gradient = () => {
      abort.abort();
      return Promise.reject(new Error('device lost'));
    };
    const { end, steps } = await train(settings(3), {
      deps,
      replica,
      hooks: { signal: abort.signal },
    });
    expect([end, steps]).toEqual(['aborted', []]);
  });

  it('needs trajectories', async () => {
    await expect(train(settings(1))).rejects.toThrow('none of 0 demonstrations');
  });
});

describe('a curriculum that gets ready', () => {
  it('works with the run’s signal, is told when to stop, tells its progress and saves', async () => {
    const abort = new AbortController();
    const seen: { context?: CurriculumContext } = {};
    const states: unknown[] = [];
    const curriculum = curriculumOf({
      prepare: async (context) => {
        seen.context = context;
        context.onProgress(1, 4);
        await context.save();
        return !context.shouldStop();
      },
    });
    const { end, told, steps } = await train(settingsOf({ steps: 1 }), {
      deps: { curriculum },
      hooks: {
        signal: abort.signal,
        shouldStop: () => true,
        snapshot: ({ curriculum: kept, step }) => void states.push([step, kept]),
      },
    });
    expect([end, steps]).toEqual(['stopped', []]);
    expect(seen.context).toMatchObject({ runId: 'run', signal: abort.signal });
    expect(told).toContain('scoring-questions 1: 1/4');
    expect(states).toEqual([[0, { at: 7 }]]);
  });

  it('fails with what failed, but where the run was aborted', async () => {
    const abort = new AbortController();
    const failing = curriculumOf({ prepare: () => Promise.reject(new Error('no answer')) });
    await expect(
      train(settingsOf(), { deps: { curriculum: failing }, hooks: { signal: abort.signal } }),
    ).rejects.toThrow('no answer');
    abort.abort();
    const { end } = await train(settingsOf(), {
      deps: { curriculum: failing },
      hooks: { signal: abort.signal },
    });
    expect(end).toBe('aborted');
  });

  it('is told of all rollouts of a step, once, before its state is kept', async () => {
    const observed: number[] = [];
    const curriculum = curriculumOf({
      observe: (groups) => void observed.push(groups.flat().length),
      state: () => ({ seen: observed.length }),
    });
    const { state } = await train(settingsOf(), { deps: { curriculum } });
    // One question by two rollouts per step.
    expect(observed).toEqual([2, 2, 2]);
    expect(state.curriculum).toEqual({ seen: 3 });
  });
});

describe('a router that is trained', () => {
  const trained = createRouter();
  const routerOf = (): RouterLearner & { restored: unknown[]; learned: [number, number][] } => {
    const [restored, learned]: [unknown[], [number, number][]] = [[], []];
    return {
      restored,
      learned,
      router: trained,
      webLatency: new RunningMean(),
      learn: (rollouts, step) => {
        learned.push([rollouts.length, step]);
        return null;
      },
      state: () => ({ learned: learned.length }),
      restore: (state) => void restored.push(state),
    };
  };
  const settings = (mode: 'off' | 'alone', steps = 2): TrainSettings =>
    settingsOf({ steps, router: { ...settingsOf().router, train: mode } });

  it('learns from each step and is kept with it; alone it leaves the policy as it is', async () => {
    const router = routerOf();
    const observed: number[] = [];
    const curriculum = curriculumOf({ observe: (groups) => void observed.push(groups.length) });
    const { state, sampled, steps } = await train(settings('alone'), {
      deps: { router, curriculum },
    });
    expect(router.learned).toEqual([
      [2, 1],
      [2, 2],
    ]);
    expect(state.router).toEqual({ learned: 2 });
    expect(router.restored).toEqual([]);
    expect([state.updates, sampled.length, observed]).toEqual([0, 1, [1, 1]]);
    expect(steps.map(({ trainedTokens, kl }) => [trainedTokens, kl])).toEqual([
      [0, null],
      [0, null],
    ]);
    const next = routerOf();
    await train(settings('alone', 3), { state, deps: { router: next } });
    expect(next.restored).toEqual([{ learned: 2 }]);
  });

  it('is neither asked to learn nor kept where the settings train none', async () => {
    const router = routerOf();
    const { state } = await train(settings('off'), { deps: { router } });
    expect([router.learned, state.router]).toEqual([[], null]);
  });

  it('is what rollouts are routed by, beside the latencies that it measures', async () => {
    const seen: CurriculumContext['agent'][] = [];
    const curriculum = curriculumOf({
      prepare: ({ agent }) => Promise.resolve(Boolean(seen.push(agent)) && false),
    });
    const agent = agentOf();
    const router = routerOf();
    await train(settings('alone'), { deps: { agent, router, curriculum } });
    expect(seen[0]?.router).toBe(trained);
    expect(seen[0]?.webLatency).toBe(router.webLatency);
    await train(settings('off'), { deps: { agent, curriculum } });
    expect(seen[1]).toBe(agent);
  });
});

describe('a run is refused', () => {
  const deps = { curriculum: unready };

  it('for settings that no one can train with, in the words for where it stands', async () => {
    const settings = settingsOf({ steps: 2, overrides: { sampling: { topK: 5 } } });
    await expect(train(settings, { deps })).rejects.toThrow(/top-k 5 is refused/);
    const { state } = await train(settingsOf({ steps: 2 }), {
      hooks: { shouldStop: stopAfter(1) },
    });
    await expect(train(settings, { deps, state })).rejects.toThrow('Its steps so far (1)');
    // Nothing is left to train: it opens.
    expect((await train({ ...settings, steps: 1 }, { deps, state })).end).toBe('finished');
  });

  it('for summaries, where nothing writes them', async () => {
    const settings = settingsOf({ overrides: { retrieval: { summarize: 'on' } } });
    await expect(train(settings, { deps })).rejects.toThrow('summaries is refused');
    const summarizer = { summarize: () => Promise.reject(new Error('not asked')) } as never;
    const { end } = await train(settings, { deps: { ...deps, agent: agentOf({ summarizer }) } });
    expect(end).toBe('stopped');
  });
});
