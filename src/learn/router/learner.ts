import type { Rollout } from '../../records/rollout.ts';
import type { RouterStep } from '../../records/training.ts';
import { createRouter, priorWeights, type Router } from '../../agent/router/router.ts';
import { deriveSeed } from '../../base/random.ts';
import { RunningMean } from '../../agent/router/reward.ts';
import { FEATURE_NAMES } from '../../agent/router/features.ts';
import { type RouterWeights, type RouterGradient } from '../../agent/router/network.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import type { Json, RouterLearner } from '../rl/contracts.ts';
import { overridesInForce } from '../settings/overrides.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { learnedCalls, type LearnedCall } from './calls.ts';
import { routerGradient, type RoutedCall } from '../../agent/router/gradient.ts';
import { itemAt } from '../../base/items.ts';
import type { SourceName } from '../../records/hits.ts';
import { mean, meanOrNull } from '../../base/statistics.ts';
import { z } from 'zod';
import { issueOf } from '../../base/errors.ts';

/** The router's optimizer on flat lists of numbers, double precision. */

interface Moments {
  first: number[];
  second: number[];
}

export const zeroMoments = (size: number): Moments => ({
  first: Array.from({ length: size }, () => 0),
  second: Array.from({ length: size }, () => 0),
});

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPS = 1e-8;

/**
 * Adam (Kingma and Ba 2015, β = (0.9, 0.999), ε = 1e-8), bias-corrected.
 * @param step number of this update, from 1
 */
export function adam(
  parameters: readonly number[],
  gradient: readonly number[],
  moments: Moments,
  { step, learningRate }: { step: number; learningRate: number },
): { parameters: number[]; moments: Moments } {
  const first = moments.first.map(
    (m, i) => BETA1 * m + (1 - BETA1) * itemAt(gradient, i, 'gradient'),
  );
  const second = moments.second.map(
    (v, i) => BETA2 * v + (1 - BETA2) * itemAt(gradient, i, 'gradient') ** 2,
  );
  const [c1, c2] = [1 - BETA1 ** step, 1 - BETA2 ** step];
  const moved = parameters.map(
    (p, i) =>
      p -
      (learningRate * (itemAt(first, i, 'moments') / c1)) /
        (Math.sqrt(itemAt(second, i, 'moments') / c2) + EPS),
  );
  return { parameters: moved, moments: { first, second } };
}

/** All that a router's training depends on, as plain JSON: double precision survives it exactly. */
export interface RouterState {
  weights: RouterWeights;
  moments: Moments;
  /** Updates made. */
  steps: number;
  /** Running mean of rewards; null before the first update. */
  baseline: number | null;
  /** The web calls after the mean latency of the measured reward, milliseconds. */
  webLatency: { sum: number; count: number };
}

const numbers = z.array(z.number());
const schema = z.strictObject({
  format: z.literal('forage.router/1'),
  weights: z.strictObject({
    origin: z.string(),
    bias: z.number(),
    linear: numbers,
    hiddenBias: numbers,
    hidden: z.array(numbers),
    output: numbers,
  }),
  moments: z.strictObject({ first: numbers, second: numbers }),
  steps: z.int().min(0),
  baseline: z.number().nullable(),
  webLatency: z.strictObject({ sum: z.number(), count: z.int().min(0) }),
});

const encodeRouterState = (state: RouterState): Json =>
  structuredClone({ format: 'forage.router/1', ...state }) as unknown as Json;

/** @throws Error of one line where the value is not a state of a router */
export function decodeRouterState(json: Json): RouterState {
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new Error(`router state: ${issueOf(parsed.error)}`);
  const { format: _, ...state } = parsed.data;
  return state;
}

/** The router's parameters as one flat list: bias, u, c, W row by row, v. */

/** Works for weights and gradients alike. */
export const flatten = (w: RouterGradient): number[] => [
  w.bias,
  ...w.linear,
  ...w.hiddenBias,
  ...w.hidden.flat(),
  ...w.output,
];

/** The inverse of `flatten`, in the shape of `like`. @throws Error for another number of values */
export function unflatten(
  flat: readonly number[],
  like: RouterGradient,
  origin: string,
): RouterWeights {
  let at = 0;
  const take = (count: number): number[] => flat.slice(at, (at += count));
  const weights: RouterWeights = {
    origin,
    bias: itemAt(take(1), 0, 'parameters'),
    linear: take(like.linear.length),
    hiddenBias: take(like.hiddenBias.length),
    hidden: like.hidden.map((row) => take(row.length)),
    output: take(like.output.length),
  };
  if (at !== flat.length)
    throw new Error(`router: ${flat.length} parameters where the network has ${at}`);
  return weights;
}

/**
 * Gradient of `−mean (R(a) − b) log π(a|s)`, flat. Equation (23) of arXiv 2506.19466 has no baseline.
 * @param baseline b, taken from every reward; 0 is (23) as printed
 */
export function flatGradient(
  weights: RouterWeights,
  calls: readonly RoutedCall[],
  baseline: number,
): number[] {
  const centred = calls.map((call) => ({ ...call, reward: call.reward - baseline }));
  return flatten(routerGradient(weights, centred));
}

const bySource = (
  calls: readonly LearnedCall[],
  of: (call: LearnedCall) => number | null,
): RouterStep['latencyMs'] => {
  const meanOf = (source: SourceName): number | null =>
    meanOrNull(calls.filter((call) => call.action === source).flatMap((call) => of(call) ?? []));
  return { local: meanOf('local'), web: meanOf('web') };
};

/** What a step's calls say to the charts; means where there were none are null. */
function routerStep(calls: readonly LearnedCall[], gradientNorm: number): RouterStep {
  const byKind: RouterStep['byKind'] = {};
  for (const kind of [...new Set(calls.map((call) => call.kind))].sort()) {
    const own = calls.filter((call) => call.kind === kind);
    byKind[kind] = {
      calls: own.length,
      local: mean(own.map((call) => call.local)),
      reward: mean(own.map((call) => call.reward)),
    };
  }
  return {
    calls: calls.length,
    byKind,
    latencyMs: bySource(calls, (call) => call.latencyMs),
    recallGained: bySource(calls, (call) => call.recallGained),
    reward: mean(calls.map((call) => call.reward)),
    gradientNorm,
  };
}

/*
 * NLR learns: equation (23) of arXiv 2506.19466 on both layers of the router's network. Differences
 * from (23):
 * - a baseline is taken from the reward: the running mean of the steps before this one,
 *   decay 0.9. (23) has none: with rewards that are all positive it makes whatever was drawn more
 *   likely. The first step has no past and is (23) as printed.
 * - the gradient goes through Adam.
 * Each call is its own decision with its own reward, as printed: nothing is handed back to earlier
 * calls of the rollout.
 */

const DECAY = 0.9;

export interface RouterLearnerOptions {
  /** Where training starts, and what its coverage feature asks; the prior set by hand by default. */
  router?: Router;
  /** Called with a message about a step without a learning signal. */
  onNotice?: (message: string) => void;
}

/** @throws Error where the recipe with the overrides never asks the router, or does not sample */
function checkRoutes(settings: TrainSettings): void {
  const { recipe } = settings;
  const recipeSettings = withOverrides(recipeOf(settings).settings, overridesInForce(settings));
  const { loop, retrieval, nlr } = recipeSettings;
  if (nlr.routing !== 'sampled')
    throw new Error(
      `router.train: (23) learns from sampled choices, and overrides.nlr.routing is '${nlr.routing}'; ` +
        'leave it out',
    );
  if (loop === 'naive-generation' || retrieval.source !== 'router')
    throw new Error(
      `router.train: recipe '${recipe}' does not ask the router (retrieval.source is ` +
        `'${retrieval.source}'); set overrides.retrieval.source=router, or choose a recipe that asks it`,
    );
}

class PolicyGradientRouter implements RouterLearner {
  readonly webLatency = new RunningMean();
  readonly #settings: TrainSettings['router'];
  readonly #options: RouterLearnerOptions;
  #state: Omit<RouterState, 'webLatency'>;
  #router: Router;

  constructor(settings: TrainSettings, options: RouterLearnerOptions) {
    this.#settings = settings.router;
    this.#options = options;
    const weights = options.router?.weights ?? priorWeights(deriveSeed(settings.seed, 'router'));
    this.#state = {
      weights,
      moments: zeroMoments(flatten(weights).length),
      steps: 0,
      baseline: null,
    };
    this.#router = this.#routerOf(weights);
  }

  get router(): Router {
    return this.#router;
  }

  learn(rollouts: readonly Rollout[], step: number): RouterStep | null {
    const calls = learnedCalls(rollouts);
    if (calls.length === 0) {
      this.#options.onNotice?.(
        `step ${step}: the router chose no source in ${rollouts.length} rollouts, so it learned nothing`,
      );
      return null;
    }
    const gradient = flatGradient(this.#state.weights, calls, this.#state.baseline ?? 0);
    const norm = Math.sqrt(gradient.reduce((sum, g) => sum + g * g, 0));
    if (!Number.isFinite(norm))
      throw new Error(`step ${step}: the router's gradient is not finite`);
    this.#update(gradient, calls);
    return routerStep(calls, norm);
  }

  #update(gradient: readonly number[], calls: readonly LearnedCall[]): void {
    const { weights, moments, baseline } = this.#state;
    const { learningRate } = this.#settings;
    const steps = this.#state.steps + 1;
    const next = adam(flatten(weights), gradient, moments, { step: steps, learningRate });
    const mean = calls.reduce((sum, call) => sum + call.reward, 0) / calls.length;
    this.#state = {
      weights: unflatten(
        next.parameters,
        weights,
        `trained, ${steps} step${steps === 1 ? '' : 's'}`,
      ),
      moments: next.moments,
      steps,
      baseline: baseline === null ? mean : DECAY * baseline + (1 - DECAY) * mean,
    };
    this.#router = this.#routerOf(this.#state.weights);
  }

  state(): Json {
    return encodeRouterState({ ...this.#state, webLatency: this.webLatency.state });
  }

  restore(json: Json): void {
    const { webLatency, ...state } = decodeRouterState(json);
    const size = flatten(state.weights).length;
    const { first, second } = state.moments;
    const features = [state.weights.linear, ...state.weights.hidden];
    if (
      features.some((row) => row.length !== FEATURE_NAMES.length) ||
      state.weights.hidden.length !== state.weights.output.length ||
      state.weights.hiddenBias.length !== state.weights.output.length ||
      first.length !== size ||
      second.length !== size
    )
      throw new Error('router state: weights and moments do not fit the network');
    this.#state = state;
    this.webLatency.restore(webLatency);
    this.#router = this.#routerOf(state.weights);
  }

  #routerOf(weights: RouterWeights): Router {
    const { localCoverage } = this.#options.router ?? {};
    return createRouter({ weights, ...(localCoverage && { localCoverage }) });
  }
}

/**
 * The learner of a run whose `settings.router.train` is not `off`. Paper rewards make it repeat bit
 * for bit; measured ones depend on how long the calls took.
 *
 * @throws Error where the recipe never asks the router, or takes the likelier source
 */
export function createRouterLearner(
  settings: TrainSettings,
  options: RouterLearnerOptions = {},
): RouterLearner {
  checkRoutes(settings);
  return new PolicyGradientRouter(settings, options);
}
