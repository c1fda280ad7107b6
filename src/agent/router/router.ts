import { itemAt } from '../../base/items.ts';
import type { RouteEvent } from '../../records/events.ts';
import type { SourceName } from '../../records/hits.ts';
import { deriveSeed, uniform } from '../../base/random.ts';
import { FEATURE_NAMES, routerFeatures, type RouterState } from './features.ts';
import { contributions, sigmoid, webLogit, type RouterWeights } from './network.ts';

/**
 * Initial weights of the NLR router's linear part, in logits of `web`, by feature name
 * (`features.ts` defines each). Set by hand from the meaning of the features,
 * not trained: the training of equation (23) starts here.
 */
export const ROUTER_PRIOR = {
  bias: 0,
  weights: {
    'question length': 0,
    hops: 0.2,
    comparison: 0,
    'local coverage': -2.5,
    round: 0.2,
    'last missed': 0,
    'missed locally': 2.5,
    'missed on the web': -2.5,
    'last was local': 0,
    'last was web': 0,
    'retry after local': 2.5,
    'retry after web': -2.5,
    'repeated query': 0,
    'query length': 0,
    'names in query': 1.2,
    'room left': 0,
  },
} as const;

/** NLR's choice between local and web: features, network, one draw. */

interface RouterDecision {
  choice: SourceName;
  probabilities: RouteEvent['probabilities'];
  features: RouteEvent['features'];
}

export interface Router {
  readonly weights: RouterWeights;
  /** Share of a query's rare terms that the local index knows; absent where nothing can tell. */
  readonly localCoverage?: (query: string) => number;
  /** @param draw uniform in [0, 1): `web` where it is below π(web|s) */
  decide(state: RouterState, draw: number): RouterDecision;
}

/** Hidden units of a router. */
const HIDDEN = 8;

/**
 * The untrained router: a linear prior set by hand, and a hidden layer of small seeded weights whose
 * output weights are 0, so that it starts at the prior and can be trained away from it.
 */
export function priorWeights(seed = 1): RouterWeights {
  const linear = FEATURE_NAMES.map((name) => ROUTER_PRIOR.weights[name]);
  const draw = (h: number, i: number): number =>
    (uniform(deriveSeed(seed, 'hidden', h, i)) - 0.5) * 0.5;
  const units = Array.from({ length: HIDDEN }, (_, h) => h);
  return {
    origin: 'set by hand, not trained',
    bias: ROUTER_PRIOR.bias,
    linear,
    hiddenBias: units.map(() => 0),
    hidden: units.map((h) => FEATURE_NAMES.map((_, i) => draw(h, i))),
    output: units.map(() => 0),
  };
}

export interface RouterOptions {
  weights?: RouterWeights;
  localCoverage?: (query: string) => number;
}

export function createRouter(options: RouterOptions = {}): Router {
  const weights = options.weights ?? priorWeights();
  const decide = (state: RouterState, draw: number): RouterDecision => {
    const named = routerFeatures(state);
    const x = FEATURE_NAMES.map((name) => named[name]);
    const web = sigmoid(webLogit(weights, x));
    const shares = contributions(weights, x);
    return {
      choice: draw < web ? 'web' : 'local',
      probabilities: { local: 1 - web, web },
      features: FEATURE_NAMES.map((name, i) => ({
        name,
        value: named[name],
        contribution: itemAt(shares, i, 'contributions'),
      })),
    };
  };
  const { localCoverage } = options;
  return { weights, decide, ...(localCoverage ? { localCoverage } : {}) };
}
