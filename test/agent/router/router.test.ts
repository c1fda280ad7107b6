import { logProbability } from './log-probability.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FEATURE_NAMES,
  hintedHops,
  routerFeatures,
  type RouterState,
} from '../../../src/agent/router/features.ts';
import { routerGradient, type RoutedCall } from '../../../src/agent/router/gradient.ts';
import {
  contributions,
  sigmoid,
  webLogit,
  type RouterWeights,
} from '../../../src/agent/router/network.ts';
import { createRouter, priorWeights } from '../../../src/agent/router/router.ts';

/** The loss whose gradient (23) is: `−mean R(a) log π(a|s)` over sampled calls. */
const routerLoss = (weights: RouterWeights, calls: readonly RoutedCall[]): number =>
  -calls.reduce((all, c) => all + c.reward * logProbability(weights, c.x, c.action), 0) /
  calls.length;

const state = (change: Partial<RouterState> = {}): RouterState => ({
  question: 'Who is the author of Old Wolf?',
  query: 'author of Old Wolf',
  round: 1,
  maxSearches: 8,
  past: [],
  roomLeft: 1,
  localCoverage: 0.5,
  ...change,
});

const add = (list: number[], i: number, by: number): void => {
  list[i] = (list[i] ?? 0) + by;
};

describe('state features', () => {
  it('counts hops from the wording', () => {
    expect(hintedHops('Who wrote Old Wolf?')).toBe(1);
    expect(hintedHops('Who is the author of Old Wolf?')).toBe(2);
    expect(hintedHops("What is the name of the spouse of Ann's employer?")).toBe(4);
  });

  it('remembers what the last searches found, and where', () => {
    const past = [{ query: 'author of Old Wolf', source: 'local' as const, missed: true }];
    expect(routerFeatures(state({ round: 2, past }))).toMatchObject({
      round: 0.125,
      'last missed': 1,
      'missed locally': 1,
      'missed on the web': 0,
      'last was local': 1,
      'repeated query': 1,
      'retry after local': 1,
      'retry after web': 0,
    });
  });

  it('are finite numbers in [0, 1] in the order of their names', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.integer({ min: 1, max: 9 }),
        (question, query, round) => {
          const features = routerFeatures(state({ question, query, round }));
          expect(Object.keys(features)).toEqual([...FEATURE_NAMES]);
          for (const value of Object.values(features)) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });
});

// One hidden unit, two features: small enough for a pencil.
const SMALL: RouterWeights = {
  origin: 'test',
  bias: 0.5,
  linear: [1, -2],
  hiddenBias: [0.1],
  hidden: [[0.3, -0.4]],
  output: [2],
};

describe('the network', () => {
  it('computes the logit by hand', () => {
    // 0.5 + 1·1 − 2·0.5 + 2·tanh(0.1 + 0.3 − 0.2) = 0.5 + 2·0.197375… = 0.894751
    expect(webLogit(SMALL, [1, 0.5])).toBeCloseTo(0.894751, 6);
    expect(sigmoid(0)).toBe(0.5);
    expect(sigmoid(-1000)).toBe(0);
  });

  it('contributions add up to the logit against all features at zero', () => {
    const value = fc.double({ min: -2, max: 2, noNaN: true });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const sum = contributions(SMALL, [a, b]).reduce((x, y) => x + y, 0);
        expect(sum).toBeCloseTo(webLogit(SMALL, [a, b]) - webLogit(SMALL, [0, 0]), 9);
      }),
    );
  });

  it('says that its weights are set by hand, and starts at their linear part', () => {
    const weights = priorWeights();
    expect(weights.origin).toContain('not trained');
    const x = FEATURE_NAMES.map(() => 0.5);
    const linear = weights.linear.reduce((sum, w) => sum + w * 0.5, weights.bias);
    expect(webLogit(weights, x)).toBeCloseTo(linear, 12);
  });
});

describe('decisions', () => {
  it('draws web below its probability, local above', () => {
    const router = createRouter();
    const { probabilities } = router.decide(state(), 0);
    expect(probabilities.local + probabilities.web).toBeCloseTo(1, 12);
    expect(router.decide(state(), probabilities.web - 1e-9).choice).toBe('web');
    expect(router.decide(state(), probabilities.web + 1e-9).choice).toBe('local');
  });

  it('leans to the web after a local miss, to local where the index knows the terms', () => {
    const router = createRouter();
    const web = (change: Partial<RouterState>): number =>
      router.decide(state(change), 0).probabilities.web;
    const past = [{ query: 'author of Old Wolf', source: 'local' as const, missed: true }];
    expect(web({ past, round: 2 })).toBeGreaterThan(web({}));
    expect(web({ localCoverage: 1 })).toBeLessThan(web({ localCoverage: 0 }));
  });
});

describe('equation (23)', () => {
  const calls: RoutedCall[] = [
    { x: [1, 0.5], action: 'web', reward: 0.35 },
    { x: [0.2, -1], action: 'local', reward: 0.42 },
    { x: [-0.7, 0.3], action: 'web', reward: -0.5 },
  ];

  it('log π of both actions', () => {
    // z = 0.894751 → π(web) = 0.709868
    expect(Math.exp(logProbability(SMALL, [1, 0.5], 'web'))).toBeCloseTo(0.709868, 5);
    expect(Math.exp(logProbability(SMALL, [1, 0.5], 'local'))).toBeCloseTo(1 - 0.709868, 5);
  });

  it('log π stays a number where π is next to nothing', () => {
    const sure = { ...SMALL, bias: -800, linear: [0, 0], output: [0] };
    // π(web) = e^−800 is 0 in a double; its logarithm is −800.
    expect(logProbability(sure, [1, 0.5], 'web')).toBeCloseTo(-800, 9);
    expect(logProbability(sure, [1, 0.5], 'local')).toBeCloseTo(0, 12);
    expect(logProbability({ ...sure, bias: 800 }, [1, 0.5], 'local')).toBeCloseTo(-800, 9);
  });

  it('is the gradient of −mean R log π, by central differences', () => {
    const gradient = routerGradient(SMALL, calls);
    const at = (change: (w: RouterWeights) => void): number => {
      const moved = structuredClone(SMALL);
      change(moved);
      return routerLoss(moved, calls);
    };
    const h = 1e-5;
    const slope = (set: (w: RouterWeights, by: number) => void): number =>
      (at((w) => set(w, h)) - at((w) => set(w, -h))) / (2 * h);
    expect(gradient.bias).toBeCloseTo(
      slope((w, by) => (w.bias += by)),
      7,
    );
    for (const i of [0, 1]) {
      expect(gradient.linear[i]).toBeCloseTo(
        slope((w, by) => add(w.linear, i, by)),
        7,
      );
      expect(gradient.hidden[0]?.[i]).toBeCloseTo(
        slope((w, by) => add(w.hidden[0] ?? [], i, by)),
        7,
      );
    }
    expect(gradient.hiddenBias[0]).toBeCloseTo(
      slope((w, by) => add(w.hiddenBias, 0, by)),
      7,
    );
    expect(gradient.output[0]).toBeCloseTo(
      slope((w, by) => add(w.output, 0, by)),
      7,
    );
  });

  it('by hand: the bias moves by −R ([a = web] − π(web))', () => {
    // π(web) = 0.709868: web −0.35 · 0.290132, local −0.42 · (−0.709868)
    const [web, local] = calls.map((call) => ({ ...call, x: [1, 0.5] }));
    expect(routerGradient(SMALL, [web!]).bias).toBeCloseTo(-0.101546, 5);
    expect(routerGradient(SMALL, [local!]).bias).toBeCloseTo(0.298145, 5);
    // over both the mean
    expect(routerGradient(SMALL, [web!, local!]).bias).toBeCloseTo(0.098299, 5);
  });

  it('a rewarded action becomes more likely after a step against the gradient', () => {
    const call: RoutedCall = { x: [1, 0.5], action: 'local', reward: 0.42 };
    const { bias } = routerGradient(SMALL, [call]);
    const stepped = { ...SMALL, bias: SMALL.bias - bias };
    expect(logProbability(stepped, call.x, 'local')).toBeGreaterThan(
      logProbability(SMALL, call.x, 'local'),
    );
  });

  it('is zero without calls', () => {
    expect(routerGradient(SMALL, []).bias).toBe(0);
  });
});
