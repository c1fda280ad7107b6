import { describe, expect, it } from 'vitest';
import { createRouter, priorWeights } from '../../../src/agent/router/router.ts';
import type { RewardSettings } from '../../../src/agent/router/reward.ts';
import type { RouterWeights } from '../../../src/agent/router/network.ts';
import type { SourceName } from '../../../src/records/hits.ts';
import type { RouterLearner } from '../../../src/learn/rl/contracts.ts';
import { learnedCalls } from '../../../src/learn/router/calls.ts';
import { createRouterLearner, flatGradient, unflatten } from '../../../src/learn/router/learner.ts';
import { Random } from '../../../src/base/random.ts';
import { ask, blankRouter, drawn, rolloutOf, settingsOf, type Call } from './helpers.ts';

const uniforms = (seed: number): (() => number) => {
  const random = new Random(seed);
  return () => random.uniform();
};

/** π(local) of a query of this coverage. */
const local = (learner: RouterLearner, coverage: number): number =>
  ask(learner.router, { reward: 'paper', beta1: 1, beta2: 1 }, coverage, 0, () => ({
    latencyMs: 0,
    share: 0,
  })).route.probabilities.local;

/** Local holds the passage where its coverage is 1, at 10 ms; the web always, at its mean of 50 ms. */
const world = (coverage: number) => (choice: SourceName) =>
  choice === 'web' ? { latencyMs: 50, share: 0.5 } : { latencyMs: 10, share: 0.5 * coverage };

/** @returns the norm of each step's gradient */
function train(
  learner: RouterLearner,
  nlr: RewardSettings,
  { from = 1, to, seed = 3 }: { from?: number; to: number; seed?: number },
): number[] {
  const norms: number[] = [];
  for (let step = from; step <= to; step++) {
    const next = uniforms(seed * 1000 + step);
    const calls = Array.from({ length: 24 }, (): Call => {
      const coverage = Number(next() < 0.5);
      return ask(learner.router, nlr, coverage, next(), world(coverage));
    });
    norms.push(learner.learn([rolloutOf(calls)], step)?.gradientNorm ?? NaN);
  }
  return norms;
}

describe('one update', () => {
  // Two calls at π = 1/2, v = 2: web with R = 0.35 at x = (1, 0.5, 0 …), local with R = 0.42 at
  // x = (0, 0, 1, 0 …). R ([a = web] − π)/2 is 0.0875 and −0.105; ∂z/∂c = v (1 − tanh² 0) = 2.
  const calls = [
    drawn('web', 0.35, { 'question length': 1, hops: 0.5 }),
    drawn('local', 0.42, { comparison: 1 }),
  ];

  it('goes against (23), of every layer the numbers of a pencil', () => {
    const { weights } = blankRouter(2);
    const moved = unflatten(
      flatGradient(weights, learnedCalls([rolloutOf(calls)]), 0).map((g) => -g),
      weights,
      '',
    );
    expect(moved.bias).toBeCloseTo(-0.0175, 12);
    expect(moved.linear.slice(0, 4)).toEqual(
      [0.0875, 0.04375, -0.105, 0].map((v) => expect.closeTo(v, 12)),
    );
    expect(moved.hiddenBias[0]).toBeCloseTo(-0.035, 12);
    expect(moved.hidden[0]?.slice(0, 4)).toEqual(
      [0.175, 0.0875, -0.21, 0].map((v) => expect.closeTo(v, 12)),
    );
    expect(moved.output[0]).toBeCloseTo(0, 12);
    // √(5 · (0.0175² + 0.0875² + 0.04375² + 0.105²)), for the hidden layer's share is 2² times
    const learner = createRouterLearner(settingsOf(), { router: blankRouter(2) });
    const report = learner.learn([rolloutOf(calls)], 1);
    expect(report?.gradientNorm).toBeCloseTo(Math.sqrt(5 * 0.0209015625), 12);
  });

  it('takes the running mean of earlier steps from the rewards, nothing in the first', () => {
    const learner = createRouterLearner(settingsOf(), { router: blankRouter() });
    const norm = (step: number, reward: number): number =>
      learner.learn([rolloutOf([drawn('web', reward)])], step)?.gradientNorm ?? NaN;
    expect(learner.learn([rolloutOf(calls)], 1)?.gradientNorm).toBeGreaterThan(0.01);
    // b = (0.35 + 0.42) / 2: a reward of just that says nothing
    expect(norm(2, 0.385)).toBeCloseTo(0, 12);
    // b = 0.9 · 0.385 + 0.1 · 0.385, then 0.9 · 0.385 + 0.1 · 1.385 = 0.485
    expect(norm(3, 1.385)).toBeGreaterThan(0.1);
    expect(learner.state()).toMatchObject({ baseline: expect.closeTo(0.485, 12) as number });
  });

  it('says that the weights are trained, and leaves those it was given alone', () => {
    const router = createRouter();
    const learner = createRouterLearner(settingsOf(), { router });
    expect(learner.router.weights.origin).toContain('not trained');
    learner.learn([rolloutOf(calls)], 1);
    expect(learner.router.weights.origin).toBe('trained, 1 step');
    learner.learn([rolloutOf(calls)], 2);
    expect(learner.router.weights.origin).toBe('trained, 2 steps');
    expect(router.weights).toEqual(priorWeights());
  });

  it('refuses a reward that makes the gradient no number, and keeps its weights', () => {
    const learner = createRouterLearner(settingsOf(), { router: blankRouter() });
    const before = learner.router.weights;
    expect(() => learner.learn([rolloutOf([drawn('web', Number.NaN)])], 4)).toThrow(
      "step 4: the router's gradient is not finite",
    );
    expect(learner.router.weights).toEqual(before);
  });

  it('reports by kind of question and by source', () => {
    const learner = createRouterLearner(settingsOf(), { router: blankRouter() });
    const seen = (call: Call, latencyMs: number, ...newSupporting: string[]): Call => ({
      ...call,
      latencyMs,
      newSupporting,
    });
    const report = learner.learn(
      [
        rolloutOf([seen(drawn('web', 0.4), 30, 'A', 'B'), seen(drawn('web', 0.2), 50)]),
        rolloutOf([seen(drawn('local', 0.9), 10, 'A')], { type: 'yesno', supporting: [] }),
      ],
      1,
    );
    expect(report).toMatchObject({
      calls: 3,
      byKind: {
        bridge: { calls: 2, local: 0.5, reward: expect.closeTo(0.3, 12) as number },
        yesno: { calls: 1, local: 0.5, reward: 0.9 },
      },
      latencyMs: { local: 10, web: 40 },
      // the yes/no question here names no supporting titles
      recallGained: { local: null, web: 0.5 },
      reward: 0.5,
    });
  });
});

describe('the printed reward', () => {
  const paper = (beta1: number): RewardSettings => ({ reward: 'paper', beta1, beta2: 1 });

  it.each([
    // 0.42 · 0.9 = 0.378 > 0.35: always local; 0.42 · 0.77 = 0.3234 < 0.35: always web
    [0.9, 1],
    [0.77, 0],
  ])('collapses, β1/β2 = %f: π(local) goes to %i whatever the state', (beta1, end) => {
    const learner = createRouterLearner(settingsOf(), { router: blankRouter() });
    train(learner, paper(beta1), { to: 150 });
    for (const coverage of [0, 1])
      expect(Math.abs(local(learner, coverage) - end)).toBeLessThan(0.03);
  });

  it('on the 5/6 line teaches nothing once the baseline is known', () => {
    const learner = createRouterLearner(settingsOf(), { router: blankRouter() });
    train(learner, paper(5 / 6), { to: 1 });
    for (const norm of train(learner, paper(5 / 6), { from: 2, to: 30 }))
      expect(norm).toBeCloseTo(0, 12);
  });
});

describe('the measured reward', () => {
  it('teaches a choice that depends on the state, and beats both constant choices', () => {
    // covered: local 0.2 · 0.8 + 0.8 · 0.5 = 0.56, web 0.4; not covered: local 0.16, web 0.4
    const nlr = { reward: 'measured', beta1: 0.2, beta2: 0.8 } as const;
    const learner = createRouterLearner(settingsOf(), { router: blankRouter() });
    expect([local(learner, 0), local(learner, 1)]).toEqual([0.5, 0.5]);
    train(learner, nlr, { to: 200 });
    const [uncovered, covered] = [local(learner, 0), local(learner, 1)];
    expect(covered).toBeGreaterThan(0.9);
    expect(uncovered).toBeLessThan(0.1);
    const mean = (c: number, u: number): number =>
      (c * 0.56 + (1 - c) * 0.4 + u * 0.16 + (1 - u) * 0.4) / 2;
    expect(mean(covered, uncovered)).toBeGreaterThan(Math.max(mean(1, 1), mean(0, 0)) + 0.05);
  });
});

describe('the state', () => {
  const nlr = { reward: 'measured', beta1: 0.2, beta2: 0.8 } as const;
  const fresh = (): RouterLearner => createRouterLearner(settingsOf());

  it('survives JSON exactly, and the resumed run ends in the same bits', () => {
    const whole = fresh();
    whole.webLatency?.add(12.345);
    train(whole, nlr, { to: 4 });
    const saved = JSON.stringify(whole.state());
    const resumed = fresh();
    resumed.restore(JSON.parse(saved) as never);
    expect(JSON.stringify(resumed.state())).toBe(saved);
    expect(resumed.webLatency?.value).toBe(12.345);
    expect(resumed.router.weights).toEqual(whole.router.weights);
    for (const each of [whole, resumed]) train(each, nlr, { from: 5, to: 8 });
    expect(JSON.stringify(resumed.state())).toBe(JSON.stringify(whole.state()));
    expect(JSON.stringify(whole.state())).not.toBe(saved);
  });

  it('is a copy: later steps do not change it', () => {
    const learner = fresh();
    train(learner, nlr, { to: 1 });
    const state = learner.state();
    const saved = JSON.stringify(state);
    train(learner, nlr, { from: 2, to: 3 });
    expect(JSON.stringify(state)).toBe(saved);
  });

  it('of another network, or none at all, is refused', () => {
    const learner = fresh();
    expect(() => learner.restore({ drawn: 3 })).toThrow(/router state/);
    const state = learner.state() as unknown as { weights: RouterWeights };
    state.weights.linear.pop();
    expect(() => learner.restore(state as never)).toThrow(/do not fit/);
  });

  it.each([
    ['a hidden row too few', (w: RouterWeights) => w.hidden.pop()],
    ['a hidden row that is too short', (w: RouterWeights) => w.hidden[0]?.pop()],
    ['a hidden bias too few', (w: RouterWeights) => w.hiddenBias.pop()],
    ['an output too few', (w: RouterWeights) => w.output.pop()],
  ])('with %s is refused', (_, change) => {
    const learner = fresh();
    const state = structuredClone(learner.state()) as unknown as { weights: RouterWeights };
    change(state.weights);
    expect(() => learner.restore(state as never)).toThrow(/do not fit/);
  });

  it.each(['first', 'second'] as const)('with a moment too few (%s) is refused', (name) => {
    const learner = fresh();
    const state = structuredClone(learner.state()) as unknown as {
      moments: Record<'first' | 'second', number[]>;
    };
    state.moments[name].pop();
    expect(() => learner.restore(state as never)).toThrow(/do not fit/);
  });
});

describe('where the router is not asked', () => {
  it('a recipe that never does is refused, with what to set', () => {
    const search = settingsOf({}, { recipe: 'search' });
    expect(() => createRouterLearner(search)).toThrow(/retrieval\.source=router/);
    const overrides = { retrieval: { source: 'router' } };
    expect(() => createRouterLearner({ ...search, overrides })).not.toThrow();
  });

  it('fixed routes, own tags and failed calls teach nothing, and a notice says so', () => {
    const notices: string[] = [];
    const learner = createRouterLearner(settingsOf(), { onNotice: (text) => notices.push(text) });
    const before = JSON.stringify(learner.state());
    const by = (who: 'fixed' | 'policy-tag'): Call => {
      const call = drawn('web', 1);
      return { ...call, route: { ...call.route, by: who, features: [] } };
    };
    const failed = { ...drawn('web', 1), reward: null };
    expect(learner.learn([rolloutOf([by('fixed'), by('policy-tag'), failed])], 7)).toBeNull();
    expect(notices).toEqual([
      expect.stringMatching(/^step 7: the router chose no source in 1 rollouts/),
    ]);
    expect(JSON.stringify(learner.state())).toBe(before);
  });

  it('a failed call between two others does not lend them its outcome', () => {
    const learner = createRouterLearner(settingsOf(), { router: blankRouter() });
    const calls: Call[] = [
      { ...drawn('web', 1), latencyMs: 30 },
      { ...drawn('local', 1), reward: null },
      { ...drawn('web', 1), latencyMs: 50 },
    ];
    expect(learner.learn([rolloutOf(calls)], 1)).toMatchObject({
      calls: 2,
      latencyMs: { local: null, web: 40 },
    });
  });
});
