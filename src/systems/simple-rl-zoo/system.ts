import { z } from 'zod';
import type { Recipe, Variant } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';
import { defineCurriculum } from '../parts/define.ts';

/*
 * SimpleRL-Zoo (arXiv 2503.18892; code: hkust-nlp/simpleRL-reason): zero RL on the answer only, with questions whose
 * difficulty fits. GRPO with groups of 8, KL 1e-4 in the loss, clip 0.2. Strata are grades of mathematics; here hops.
 */
const hops = z.int().min(1);
const params = z.strictObject({
  min: hops.meta({ title: 'Fewest hops' }),
  max: hops.meta({ title: 'Most hops' }),
});
type Stratum = z.infer<typeof params>;

defineCurriculum('simple-rl-zoo', {
  draws: 'of one range of hops, as they come (SimpleRL-Zoo)',
  params,
  clash: ({ min, max }) =>
    min > max ? `No question has ${min} to ${max} hops. Set min to max or less.` : null,
  async load() {
    const { UniformCurriculum } = await import('../../learn/rl/uniform.ts');
    return {
      curriculum({ min, max }, { questions, seed }) {
        const own = questions.filter(({ hops: count = 1 }) => min <= count && count <= max);
        if (own.length > 0) return new UniformCurriculum(own, seed);
        throw new Error(
          `curriculum: no question has ${min} to ${max} hops. Choose other curriculum.system.min and max, or other questions.`,
        );
      },
    };
  },
});

const stratum = (name: string, title: string, range: Stratum): Variant => ({
  name,
  title,
  settings: trainedOn('em', {
    curriculum: { system: { id: 'simple-rl-zoo', ...range } },
    objective: verlObjective(2, 1e-4),
  }),
});

export const simpleRlZoo: Recipe = {
  id: 'simple-rl-zoo',
  version: '1',
  title: 'SimpleRL-Zoo',
  summary: 'The plain search loop trained on the answer only, with questions of one difficulty.',
  about: {
    paper: '2503.18892',
    kind: 'trained by RL',
    parts: ['outcome reward', 'questions of one stratum'],
    differences: [
      'It starts from a policy that knows the protocol; others cannot write it. `start`, `warmUp` and `stages.0.reward` are the axes of its study.',
      'Strata are hops; both sources are searched.',
      'Learning rate, batch and steps are sized for a small policy with LoRA.',
    ],
    published: { figure: '55.2 (base 40.3)', benchmark: 'mean of its sets', model: 'Qwen2.5-7B' },
    sources: {
      'medium.groupSize': 'code: 8',
      'medium.objective.kl.coefficient': 'code: up to 14 billion parameters; 1e-3 above',
      'medium.objective.aggregation': 'code: verl/workers/actor/dp_actor.py',
      'medium.objective.aggregation.microBatch': 'code: train_grpo_math_tune_ray.sh',
      'medium.curriculum.system.min': 'ours, hops for its levels of mathematics',
    },
    expectedEffect:
      'A format reward lowers the final accuracy of a weak starting policy; strata that are too hard or too easy teach less.',
  },
  settings: DEFAULT_SETTINGS,
  training: [
    stratum('medium', 'GRPO, exact match, questions of 2 hops', { min: 2, max: 2 }),
    stratum('easy', 'GRPO, exact match, questions of 1 hop', { min: 1, max: 1 }),
    stratum('hard', 'GRPO, exact match, questions of 3 hops and more', { min: 3, max: 9 }),
  ],
};
