import type { Recipe } from '../../parts/recipe.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';
import { STORED, supervisedBy } from './shared.ts';

/*
 * Agent-Distillation (arXiv 2505.17612; code: Nardien/agent-distillation): trajectories of a larger agent are imitated; at
 * test time 8 actions a step are sampled at temperature 0.4, and the one with the commonest outcome is taken. At most 5 steps.
 */
export const agentDistillation: Recipe = {
  id: 'agent-distillation',
  version: '1',
  title: 'Agent-Distillation, search half',
  summary: 'Imitates another agent’s right trajectories, and votes on each of its own steps.',
  about: {
    paper: '2505.17612',
    kind: 'trained otherwise',
    parts: ['self-consistent action', 'teacher distillation'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Actions are searches, not Python; the vote is on the title of the first passage that an action brings, or on the answer.',
      `${STORED} The teacher is whoever made these rollouts, which a policy of the same vocabulary must; theirs is Qwen2.5-32B with its first thought given. \`--set loop=hinted --set method.hint.where=open --set method.hint.from=first-thought\` gives a teacher’s rollouts the first thought that it has without searching, and \`--words\` of \`lab trajectories\` has it learned.`,
      'The searches of actions that are not taken are not counted, their tokens are. Their actions are sampled at 0.4; here a run or an evaluation sets the temperature, for all systems alike.',
    ],
    published: {
      figure: '36.60 on average (a 7B distilled from chains of thought: 33.54)',
      benchmark: 'eight sets of facts and mathematics',
      model: 'Qwen2.5-3B',
    },
    sources: {
      'settings.retrieval.k': 'ours',
      'settings.retrieval.maxSearches': 'code: processors/agent.py, 5 steps',
      'settings.method.candidates.n': 'code: 8 actions a step',
    },
    expectedEffect:
      'With more actions a step, searches that bring nothing become rarer first, then answers better; one action shows neither.',
  },
  settings: {
    ...searchLoop(2, 5),
    loop: 'actions',
    method: { candidates: { n: 8, by: 'passages' } },
  },
  training: [
    {
      name: 'distil',
      title: 'Imitation of stored trajectories',
      differences: STORED,
      settings: supervisedBy({ kind: 'stored-sft', batch: 8 }),
    },
  ],
};
