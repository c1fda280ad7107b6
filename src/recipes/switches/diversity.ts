import type { Switch } from './switch.ts';

/*
 * Diversity-aware policy optimisation (arXiv 2505.23433, R1-zero-Div): λ ρ log π is added to the loss of right rollouts.
 * λ is 0.01, safe up to 0.02; groups of 6 at temperature 0.9.
 */
export const diversity: Switch = {
  id: 'diversity',
  title: 'Diversity-aware optimisation',
  summary:
    'In correct rollouts, tokens less likely than 1/e are pushed up and more likely ones down (λ = 0.01).',
  about: {
    paper: '2505.23433',
    kind: 'switch of training',
    parts: ['loss switches: diversity on correct rollouts'],
    differences: [
      'The term covers only the sampled tokens, not the whole distribution.',
      'A rollout is correct if its exact match is 1, whatever its reward.',
      'Its weight is the recipe’s aggregation; group size and temperature (6 and 0.9 in the paper) stay the recipe’s.',
    ],
    published: {
      figure: '+3.5 % on average',
      benchmark: 'four benchmarks of mathematics',
      model: 'Qwen2.5-Math-7B',
    },
    sources: {
      'changes.objective.rules.diversity.weight': 'paper: λ, at most 0.02',
    },
    expectedEffect:
      'Pass@8 rises at equal accuracy of one rollout, with more distinct first queries per group.',
  },
  changes: { objective: { rules: { diversity: { weight: 0.01 } } } },
  mark: 'objective.rules.diversity.weight',
};
