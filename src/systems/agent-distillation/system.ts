import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES, STORED, supervisedBy } from '../../recipes/parts/loops.ts';
import { actionWeightsSchema } from '../../recipes/parts/reward-model.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * Agent-Distillation (arXiv 2505.17612; code: Nardien/agent-distillation): trajectories of a larger agent are imitated; at
 * test time 8 actions per step are sampled at temperature 0.4, and the most common outcome is taken. At most 5 steps.
 */
/**
 * Several candidates for every step of the policy, of which one is taken. `passages`: self-consistent action
 * (Agent-Distillation, arXiv 2505.17612, section 3.2), a vote on what an action brings. `gold`: RAG-Gym's ranking of
 * actions (2502.13957), by the gold chain in place of a language model: only for training. `reward-model`: the one with the
 * greatest reward of a process reward model (its section 3.3).
 */
export const candidateParams = z.strictObject({
  n: z.int().min(1).max(32).default(1),
  by: z.enum(['passages', 'gold', 'reward-model']).default('passages'),
  /** Of the reward model; features that are not named count nothing. */
  weights: actionWeightsSchema.optional(),
});
export type Params = z.infer<typeof candidateParams>;

export const agentDistillation = defineSystem({
  id: 'agent-distillation',
  version: '1',
  title: 'Agent-Distillation, search half',
  summary: 'SFT on another agent’s correct trajectories; votes on each of its own steps.',
  about: {
    paper: '2505.17612',
    kind: 'trained otherwise',
    parts: ['self-consistent action', 'teacher distillation'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Actions are searches, not Python; the vote is on the title of the first passage that an action returns, or on the answer.',
      `${STORED} The teacher is the model that made these rollouts; it must have the same vocabulary. The paper’s is Qwen2.5-32B with its first thought given. START’s program (\`system={"id":"start","hint":{"where":"open","from":"first-thought",…}}\`) gives a teacher’s rollouts the first thought that it has without searching, and \`lab trajectories --words\` trains on it.`,
      'Searches of actions that are not taken are not counted, their tokens are. The paper samples actions at 0.4; here a run or an evaluation sets one temperature for all systems.',
    ],
    published: {
      figure: '36.60 on average (a 7B distilled from chains of thought: 33.54)',
      benchmark: 'eight sets of facts and mathematics',
      model: 'Qwen2.5-3B',
    },
    sources: {
      'settings.retrieval.k': 'ours',
      'settings.retrieval.maxSearches': 'code: processors/agent.py, 5 steps',
      'settings.system.n': 'code: 8 actions a step',
    },
    expectedEffect:
      'With more actions per step, useless searches become rarer first, then answers improve; one action shows neither.',
  },
  params: candidateParams,
  values: { n: 8 },
  traits: ({ n }) => ({ choosesSteps: n > 1 }),
  loop: () => import('./loop.ts'),
  settings: { ...searchLoop(2, 5), loop: 'program' },
  training: [
    {
      name: 'distil',
      title: 'SFT on stored trajectories',
      differences: STORED,
      settings: supervisedBy({ kind: 'stored-sft', batch: 8 }),
    },
  ],
});
