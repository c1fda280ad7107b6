import type { Switch } from './switch.ts';

/*
 * KDRL (arXiv 2506.02208): the loss also has the reverse KL to a teacher, on the policy's own rollouts, with the k2 estimate;
 * its coefficient falls from step to step. It may be applied to wrong rollouts alone.
 */
export const kdrl: Switch = {
  id: 'kdrl',
  title: 'KDRL',
  summary: 'Adds the KL to a teacher on the model’s own rollouts; its coefficient falls.',
  about: {
    paper: '2506.02208',
    kind: 'switch of training',
    parts: ['loss switches: KL to a teacher'],
    differences: [
      'The teacher is the policy without its adapter, which is better than a start that was made worse; `lab train --teacher` takes another model with the same vocabulary.',
      'The coefficient falls linearly over all steps from 0.1 to 0.01; the paper has 5e-3 to 1e-3, as a review of it says.',
      'The variant guided by rewards is `objective.kl.system.of=wrong`; by whole groups `failed-groups`.',
    ],
    published: {
      figure: '57.2 on average, 2.6 above GRPO, as a review of it says',
      benchmark: 'six benchmarks of reasoning',
      model: 'a model that its abstract does not name',
    },
    sources: {
      'changes.objective.kl.form': 'paper: k2, whose gradient is unbiased',
      'changes.objective.kl.coefficient': 'ours; paper: 5e-3, by a review',
      'changes.objective.kl.system.to': 'ours; paper: 1e-3, by a review',
    },
    expectedEffect:
      'From a start that fails most questions, held-out accuracy rises faster than with GRPO alone; after many steps the gain shrinks.',
  },
  changes: {
    objective: {
      kl: {
        form: 'k2',
        place: 'loss',
        coefficient: 0.1,
        system: { id: 'kdrl', to: 0.01, of: 'all' },
      },
    },
  },
  mark: 'objective.kl.system.id',
};
