import { z } from 'zod';
import { defineEstimator } from '../parts/define.ts';

const share = z.number().min(0).max(1);

/** PPO (1707.06347; GAE, 1506.02438): advantages come token by token from a linear value head over the policy's hidden states. */
const params = z
  .strictObject({
    // γ and λ of 1 make a token's advantage the return less its value.
    gamma: share.default(1).meta({ title: 'γ' }),
    lambda: share.default(1).meta({ title: 'λ of GAE' }),
    /** A linear head takes a larger rate than a model (1e-5), and more updates a step than one. */
    learningRate: z
      .number()
      .positive()
      .default(0.01)
      .meta({ title: 'Critic’s rate', isRate: true }),
    updates: z.int().min(1).max(200).default(10).meta({ title: 'Critic’s updates per step' }),
    /** Most that a value moves from what it was before the step and is still learned from: verl's. */
    valueClip: z.number().positive().default(0.5).meta({ title: 'Value clip' }),
    environment: z
      .enum(['skip', 'released'])
      .default('skip')
      .meta({
        title: 'Environment tokens',
        description: 'As released by Search-R1, they are in GAE, whitening and value loss',
        choices: { skip: 'take no part', released: 'as released' },
      }),
  })
  .meta({ title: 'a critic (PPO)' });
export type CriticSettings = z.infer<typeof params>;

/** The estimator with its defaults, or some of its own. */
export const ppo = (changes: z.input<typeof params> = {}) => ({
  id: 'ppo',
  ...params.parse(changes),
});

defineEstimator('ppo', params, async () => {
  const { criticStep } = await import('./critic.ts');
  return (critic) => (learner, before, step) => criticStep(learner, before, { ...step, critic });
});
