import { z } from 'zod';
import { defineObjectiveRule } from '../parts/objective-rule.ts';

/** Klear-Reasoner's loss (arXiv 2508.07629; code: suu990901/KlearReasoner, compute_gppo_loss), and the control that tests it. */

/** The clipped surrogate whose gradient beyond the clip is that at the clip. Beyond the dual clip it is still 0. */
defineObjectiveRule('gppo', {
  params: z.strictObject({}),
  label: 'Gradient beyond the clip (GPPO)',
  help: 'GPPO keeps the gradient at the clip’s value; it needs two updates per step or more',
  what: 'GPPO’s gradient beyond the clip',
  clash({ objective, updates }) {
    if (!objective.clip)
      return 'GPPO keeps the gradient beyond the clip, but there is no clip. Set objective.clip, or leave gppo out.';
    return updates < 2
      ? 'With one update per step every ratio is 1, so the clip and GPPO have no effect. Set updates to 2 or more, or leave gppo out.'
      : null;
  },
  rule: () => ({
    surrogate({ low, high, ceiling }, ratio, advantage) {
      const bounded = Math.min(1 + high, Math.max(1 - low, ratio));
      const value = Math.max(-ratio * advantage, -bounded * advantage);
      if (advantage < 0 && ratio > ceiling)
        return { value: -ceiling * advantage, slope: 0, clipped: true };
      // Either branch's slope by log π is its own value.
      return { value, slope: value, clipped: false };
    },
  }),
});

/** The negative log-likelihood of right rollouts, which the code adds. */
defineObjectiveRule('right-likelihood', {
  params: z.strictObject({
    weight: z.number().positive().default(0.1).meta({ title: 'Weight of their likelihood' }),
  }),
  label: 'Likelihood of right ones',
  help: 'GPPO’s code has 0.1',
  what: 'the likelihood of right rollouts',
  rule: ({ weight }) => ({
    ofRight: (logprob) => ({ value: -weight * logprob, slope: -weight }),
  }),
});

/** Only rollouts below their group's mean teach: those that GPPO is said to learn more from. */
defineObjectiveRule('worse-only', {
  params: z.strictObject({}),
  label: 'Learns only from worse rollouts',
  help: 'No rollout above its group’s mean has an advantage',
  what: 'learning only from worse rollouts',
  rule: () => ({
    advantages: (all) =>
      all.map((own) =>
        typeof own === 'number' ? Math.min(0, own) : own.map((value) => Math.min(0, value)),
      ),
  }),
});
