import { z } from 'zod';
import { defineKl } from '../parts/define.ts';

defineKl('kdrl', {
  params: z
    .strictObject({
      to: z
        .number()
        .min(0)
        .default(0.01)
        .meta({ title: 'Coefficient of the last step', isRate: true }),
      of: z
        .enum(['all', 'wrong', 'failed-groups'])
        .default('all')
        .meta({
          title: 'Rollouts with the KL',
          choices: {
            all: 'all',
            wrong: 'wrong ones',
            'failed-groups': 'groups without a right one',
          },
        }),
    })
    .meta({
      title: 'Coefficient falls linearly (KDRL)',
      description: 'From its value at the first step to another at the last',
    }),
  clash: ({ place }) =>
    place === 'loss'
      ? null
      : 'KDRL weighs a KL in the loss. Set objective.kl.place to loss, or objective.kl.system to null.',
  rule: ({ to, of }) => ({
    coefficient: ({ step, steps, first }) =>
      steps < 2 ? first : first + ((to - first) * (step - 1)) / (steps - 1),
    pulls: ({ right, solved }) => of === 'all' || (of === 'wrong' ? !right : !solved),
  }),
});
