import { z } from 'zod';
import { defineObjectiveRule } from '../parts/objective-rule.ts';

/**
 * Diversity-aware optimisation (R1-zero-Div, arXiv 2505.23433): λ ρ log π is added to the loss of right rollouts, with slope
 * λ ρ (1 + log π): what is less likely than 1/e is pushed up, the rest down. Of the sampled tokens only.
 */
defineObjectiveRule('diversity', {
  params: z.strictObject({
    weight: z.number().positive().default(0.01).meta({ title: 'Weight of diversity' }),
  }),
  label: 'Diversity of right rollouts',
  help: 'R1-zero-Div: 0.01',
  what: 'the diversity term',
  rule: ({ weight }) => ({
    ofRight(logprob, oldLogprob) {
      const ratio = Math.exp(logprob - oldLogprob);
      return { value: weight * ratio * logprob, slope: weight * ratio * (1 + logprob) };
    },
  }),
});
