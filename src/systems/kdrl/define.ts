import { z } from 'zod';
import { defineKl } from '../../recipes/parts/objective-rules.ts';

defineKl('kdrl', {
  params: z.strictObject({
    /** Coefficient of the last step; it falls linearly. */
    to: z.number().min(0),
    /** Rollouts that have the KL: all, the wrong ones, or those of groups in which none is right. */
    of: z.enum(['all', 'wrong', 'failed-groups']),
  }),
  rule: ({ to, of }) => ({
    coefficient: ({ step, steps, first }) =>
      steps < 2 ? first : first + ((to - first) * (step - 1)) / (steps - 1),
    pulls: ({ right, solved }) => of === 'all' || (of === 'wrong' ? !right : !solved),
  }),
});
