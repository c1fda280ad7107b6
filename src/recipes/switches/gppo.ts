import type { Switch } from './switch.ts';

/*
 * GPPO (Klear-Reasoner, arXiv 2508.07629; code: suu990901/KlearReasoner, compute_gppo_loss): beyond the clip the gradient is
 * kept at the clip's value. Clip 0.2 and 0.28, dual clip 10 in its script, 0.1 of the likelihood of correct rollouts.
 */
export const gppo: Switch = {
  id: 'gppo',
  title: 'GPPO',
  summary: 'Beyond the clip the gradient keeps its value at the clip instead of 0.',
  about: {
    paper: '2508.07629',
    kind: 'switch of training',
    parts: ['loss switches: gradient beyond the clip'],
    differences: [
      'Four updates per step: with one, every ratio is 1 and the clip has no effect.',
      'Clip and dual clip stay the recipe’s; the paper’s are 0.2, 0.28 and 10 (`objective.clip`, `objective.dualClip`).',
      'The likelihood of correct rollouts, 0.1 in its code, is off: `objective.rules.right-likelihood.weight=0.1`.',
      'Beyond the dual clip the gradient is 0, as in its code.',
    ],
    published: {
      figure: '90.5 and 83.2',
      benchmark: 'AIME 2024 and AIME 2025, 64k tokens',
      model: 'Klear-Reasoner-8B',
    },
    sources: {
      'changes.updates': 'ours; it matters with two or more',
    },
    expectedEffect:
      'Almost every token has a gradient, unlike in GRPO with as many updates per step; the policy learns faster from wrong rollouts.',
  },
  changes: { updates: 4, objective: { rules: { gppo: {} } } },
  mark: 'objective.rules.gppo',
};
