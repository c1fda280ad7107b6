/**
 * Initial weights of the NLR router's linear part, in logits of `web`, by feature name
 * (src/agent/router/features.ts defines each). Set by hand from the meaning of the features,
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
