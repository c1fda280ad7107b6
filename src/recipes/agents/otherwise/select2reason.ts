import type { Recipe } from '../../parts/recipe.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';
import { STORED, supervisedBy } from './shared.ts';

/*
 * Select2Reason (arXiv 2505.17266; code: IDEA-FinAI/Select2Reason): of a large set of trajectories the tenth that is
 * hardest and longest is learned.
 */
export const select2Reason: Recipe = {
  id: 'select2reason',
  version: '1',
  title: 'Select2Reason, as a selector',
  summary: 'Plain search, imitating the tenth of stored trajectories that is hardest and longest.',
  about: {
    paper: '2505.17266',
    kind: 'trained otherwise',
    parts: ['data selection', 'weighted SFT'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A selector of data, not a loop: its loop here is plain search, in place of mathematics.',
      'Difficulty is the share of a question’s rollouts that are wrong, where theirs asks a judge; length is what the policy wrote.',
      `${STORED} \`lab trajectories --top 0.1 --difficulty 0.25\` selects; its code leaves the weight to who calls it.`,
    ],
    published: {
      figure: 'a tenth of the data at least as good as all',
      benchmark: 'nine sets of mathematics, its abstract',
      model: 'Qwen2.5-7B',
    },
    expectedEffect:
      'A tenth that is selected teaches as much as all; at equal tokens the advantage shrinks.',
  },
  settings: searchLoop(2, 6),
  training: [
    {
      name: 'sft',
      title: 'Imitation of selected trajectories',
      differences: STORED,
      trajectories: { choice: { top: { share: 0.1, weight: 0.25 } } },
      settings: supervisedBy({ kind: 'stored-sft', batch: 16 }),
    },
  ],
};
