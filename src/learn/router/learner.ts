import type { Rollout } from '../../records/rollout.ts';
import type { RouterStep } from '../../records/training.ts';
import { createRouter, priorWeights, type Router } from '../../agent/router/router.ts';
import { deriveSeed } from '../../base/random.ts';
import { RunningMean } from '../../agent/router/reward.ts';
import { FEATURE_NAMES } from '../../agent/router/features.ts';
import type { RouterWeights } from '../../agent/router/network.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import type { Json, RouterLearner } from '../rl/contracts.ts';
import { overridesInForce } from '../settings/overrides.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { learnedCalls, type LearnedCall } from './calls.ts';
import { flatGradient } from './gradient.ts';
import { adam, descend, zeroMoments } from './optimizer.ts';
import { flatten, unflatten } from './parameters.ts';
import { decodeRouterState, encodeRouterState, type RouterState } from './state.ts';
import { routerStep } from './statistics.ts';

/*
 * NLR learns: equation (23) of arXiv 2506.19466 on both layers of the router's network. Differences
 * from (23), each a setting of `router`:
 * - a baseline is taken from the reward (`baseline`): the running mean of the steps before this one,
 *   decay 0.9. (23) has none: with rewards that are all positive it makes whatever was drawn more
 *   likely. The first step has no past and is (23) as printed.
 * - the gradient goes through Adam (`optimizer`); `sgd` is plain descent.
 * - an entropy bonus (`entropy`), 0 unless set.
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
        'leave it out (router.evaluation is for the held-out questions)',
    );
  if (loop === 'naive-generation' || retrieval.source !== 'router')
    throw new Error(
      `router.train: recipe '${recipe}' does not ask the router (retrieval.source is ` +
        `'${retrieval.source}'); set overrides.retrieval.source=router, or take kunlun-baize`,
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
    const gradient = flatGradient(this.#state.weights, calls, {
      baseline: this.#settings.baseline === 'none' ? 0 : (this.#state.baseline ?? 0),
      entropy: this.#settings.entropy,
    });
    const norm = Math.sqrt(gradient.reduce((sum, g) => sum + g * g, 0));
    if (!Number.isFinite(norm))
      throw new Error(`step ${step}: the router's gradient is not finite`);
    this.#update(gradient, calls);
    return routerStep(calls, norm);
  }

  #update(gradient: readonly number[], calls: readonly LearnedCall[]): void {
    const { weights, moments, baseline } = this.#state;
    const { learningRate, optimizer } = this.#settings;
    const steps = this.#state.steps + 1;
    const flat = flatten(weights);
    const next =
      optimizer === 'sgd'
        ? { parameters: descend(flat, gradient, learningRate), moments }
        : adam(flat, gradient, moments, { step: steps, learningRate });
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
