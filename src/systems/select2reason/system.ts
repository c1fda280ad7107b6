import type { Recipe } from '../../recipes/parts/recipe.ts';
import { searchLoop, SHARED_DIFFERENCES, STORED, supervisedBy } from '../../recipes/parts/loops.ts';

/*
 * Select2Reason (arXiv 2505.17266; code: IDEA-FinAI/Select2Reason): SFT on the hardest and longest tenth
 * of a large set of trajectories.
 */
export const select2Reason: Recipe = {
  id: 'select2reason',
  version: '1',
  title: 'Select2Reason, as a selector',
  summary: 'Plain search; SFT on the hardest and longest tenth of stored trajectories.',
  about: {
    paper: '2505.17266',
    kind: 'trained otherwise',
    parts: ['data selection', 'weighted SFT'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A data selector, not a loop: the loop here is plain search instead of mathematics.',
      'Difficulty is the share of a question’s rollouts that are wrong (paper: a judge); length counts the policy’s tokens.',
      `${STORED} \`lab trajectories --top 0.1 --difficulty 0.25\` selects; the released code leaves the weight to the caller.`,
    ],
    published: {
      figure: 'a tenth of the data at least as good as all',
      benchmark: 'nine sets of mathematics, its abstract',
      model: 'Qwen2.5-7B',
    },
    expectedEffect:
      'The selected tenth teaches as much as all; at equal tokens the advantage shrinks.',
  },
  settings: searchLoop(2, 6),
  training: [
    {
      name: 'sft',
      title: 'SFT on selected trajectories',
      differences: STORED,
      trajectories: { choice: { top: { share: 0.1, weight: 0.25 } } },
      settings: supervisedBy({ kind: 'stored-sft', batch: 16 }),
    },
  ],
};
