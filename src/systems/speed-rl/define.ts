import { z } from 'zod';
import { declaredGrouping } from '../../recipes/parts/branching.ts';
import { defineSampling } from '../parts/define.ts';

const params = z
  .strictObject({
    /** Rollouts of a question before it is known whether the rest of its group is made. */
    screen: z.int().min(2).max(63).default(4).meta({
      title: 'Screened by, rollouts',
      description: 'SPEED-RL: the rest of a group is made only where these vary',
    }),
    withinStep: z.boolean().default(true).meta({
      title: 'Screened within the step',
      description:
        'Off, as SPEED-RL’s code: the next step’s questions are screened beside this one’s, one update earlier',
    }),
  })
  .meta({
    title: 'Screening (SPEED-RL)',
    description:
      'Few rollouts of a question come first; the rest of its group only where these vary',
  });
export type Screening = z.infer<typeof params>;

defineSampling(
  'speed-rl',
  params,
  ({ screen, withinStep }, { groupSize, branching, latent, trainsOnlyRouter }) => {
    if (screen >= groupSize)
      return `Screening needs fewer rollouts than the group, not ${screen} of ${groupSize}. Change screen or groupSize.`;
    const begin = branching && declaredGrouping(branching.id).begins?.(branching);
    if (begin !== undefined && screen > begin)
      return `Only ${begin} rollouts of a group start at the question and the others branch, so ${screen} cannot screen. Set screen to ${begin} or less.`;
    if (withinStep) return null;
    if (branching)
      return 'Branching groups must be completed within a step. Leave branching out, or set withinStep to true.';
    if (latent)
      return 'Latent thinking is kept only for the step that sampled it. Set adapter.gates to null, or withinStep to true.';
    return trainsOnlyRouter
      ? 'If only the router is trained, it learns from every group, so none is screened. Train it with the policy, or set withinStep to true.'
      : null;
  },
  () => import('./sampling.ts'),
);
