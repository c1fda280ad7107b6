import { FEATURE_NAMES } from '../../../src/agent/router/features.ts';
import type { RouterWeights } from '../../../src/agent/router/network.ts';
import { routeReward, type RewardSettings } from '../../../src/agent/router/reward.ts';
import { createRouter, type Router } from '../../../src/agent/router/router.ts';
import type { AgentEvent, RouteEvent } from '../../../src/records/events.ts';
import type { SourceName } from '../../../src/records/hits.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';

export const settingsOf = (
  router: Partial<TrainSettings['router']> = {},
  change: Partial<TrainSettings> = {},
): TrainSettings => {
  const base = getTraining('kunlun-baize/dapo');
  return {
    ...base,
    recipe: 'kunlun-baize',
    router: { ...base.router, train: 'alone', ...router },
    ...change,
  };
};

/** A network that knows nothing: π(web) = 1/2 everywhere, one hidden unit with output weight `v`. */
export const blank = (v = 0): RouterWeights => ({
  origin: 'blank',
  bias: 0,
  linear: FEATURE_NAMES.map(() => 0),
  hiddenBias: [0],
  hidden: [FEATURE_NAMES.map(() => 0)],
  output: [v],
});

/** A blank router whose local coverage is what the query says, as a number. */
export const blankRouter = (v = 0): Router =>
  createRouter({ weights: blank(v), localCoverage: Number });

export interface Call {
  route: Pick<RouteEvent, 'by' | 'choice' | 'probabilities' | 'features'>;
  reward: RouteEvent['reward'];
  latencyMs?: number;
  newSupporting?: string[] | null;
}

/** The events that one call leaves. A call without a reward failed. */
function eventsOf({ route, reward, latencyMs = 1, newSupporting = [] }: Call): AgentEvent[] {
  const routed: AgentEvent = { kind: 'route', t: 0, ...route, reward };
  if (reward === null) {
    return [routed, { kind: 'error', t: 0, what: 'retrieval', message: 'search failed' }];
  }
  const found = { query: '', hits: [], addedDelayMs: 0, duplicates: [], newEntities: 0 };
  return [
    routed,
    { kind: 'retrieve', t: 0, source: route.choice, latencyMs, newSupporting, ...found },
  ];
}

export const rolloutOf = (
  calls: readonly Call[],
  question: Partial<Rollout['question']> = {},
): Rollout => ({
  format: 'forage.rollout/1',
  id: 'r',
  runId: 'run',
  step: 1,
  groupId: 'g',
  seed: 0,
  createdAt: '',
  question: { id: 'q', text: '', answers: [], supporting: ['A', 'B'], type: 'bridge', ...question },
  recipe: { id: 'kunlun-baize', version: '1', settings: {} },
  policy: { id: 'p', revision: '0' },
  segments: [],
  events: calls.flatMap(eventsOf),
  rewards: [],
  reward: null,
  baseline: null,
  advantage: null,
  metrics: null,
  answer: null,
});

/** Features by name, the others 0. */
const featuresOf = (some: Record<string, number>): RouteEvent['features'] =>
  FEATURE_NAMES.map((name) => ({ name, value: some[name] ?? 0, contribution: 0 }));

/** A call drawn at π = 1/2 with this reward. */
export const drawn = (
  choice: SourceName,
  total: number,
  features: Record<string, number> = {},
): Call => ({
  route: {
    by: 'router',
    choice,
    probabilities: { local: 0.5, web: 0.5 },
    features: featuresOf(features),
  },
  reward: { mode: 'paper', beta1: 1, beta2: 1, efficiency: 0, information: 0, total },
});

/** A call that the router draws for a query of this coverage, rewarded for what it turned out to be. */
export function ask(
  router: Router,
  nlr: RewardSettings,
  coverage: number,
  draw: number,
  outcome: (choice: SourceName) => { latencyMs: number; share: number },
): Call {
  const decision = router.decide(
    {
      question: 'Who wrote it?',
      query: String(coverage),
      round: 1,
      maxSearches: 8,
      past: [],
      roomLeft: 1,
      localCoverage: coverage,
    },
    draw,
  );
  const { latencyMs, share } = outcome(decision.choice);
  const call = { latencyMs, meanWebLatencyMs: 50, newEvidenceShare: share };
  return {
    route: { by: 'router', ...decision },
    reward: routeReward(decision.choice, nlr, call),
    latencyMs,
  };
}
