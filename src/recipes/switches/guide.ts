import type { Switch } from './switch.ts';

/*
 * Guide (arXiv 2506.13923): where all rollouts of a question fail, further ones read a hint; they are trained as if it had
 * not been there, with the ratio to the policy that read it.
 */
export const guide: Switch = {
  id: 'guide',
  title: 'Guide',
  summary: 'Where all rollouts fail, more are made with a hint and trained without it.',
  about: {
    paper: '2506.13923',
    kind: 'switch of training',
    parts: ['hints for failed groups'],
    differences: [
      'The hint is the queries of the gold chain, or the supporting pages; the paper’s are written by a larger model that knows the solution.',
      'It comes after the prompt, as the environment’s hint, instead of in it.',
      'Four guided rollouts are added to the group; the paper’s number was not available.',
      'The accuracy of a step counts them; held-out questions get no hint.',
    ],
    published: {
      figure: 'up to +4 % over GRPO',
      benchmark: 'benchmarks of mathematics, macro average',
      model: 'models of 7B and 32B',
    },
    sources: {
      'changes.branching.guided': 'ours; not available',
    },
    expectedEffect:
      'Fewer groups teach nothing, and the policy learns questions that it never solved by itself.',
  },
  changes: { branching: { id: 'guide', guided: 4 } },
  mark: 'branching.id',
};
