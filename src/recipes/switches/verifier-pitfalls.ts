import type { Switch } from './switch.ts';

/*
 * Pitfalls of verifiers (arXiv 2505.22203; code: hkust-nlp/RL-Verifier-Pitfalls): rules are precise and miss correct answers,
 * models miss fewer and can be fooled by thirteen patterns, such as an explanation instead of an answer.
 */
export const verifierPitfalls: Switch = {
  id: 'verifier-pitfalls',
  title: 'Pitfalls of verifiers',
  summary: 'The reward accepts three of ten wrong answers; the metrics stay exact.',
  about: {
    paper: '2505.22203',
    kind: 'switch of training',
    parts: ['reward gates: faulty verifier'],
    differences: [
      'Accepted wrong answers are random, once per rollout, instead of a fooled model. For a check that the policy can learn to fool, by a long answer with many names: `verifier.kind=substring` with `verifier.falsePositive=0`.',
      'Rules that miss correct answers: `verifier.falseNegative=0.3` with `verifier.falsePositive=0`.',
      'The hybrid of rule and model is exact match, otherwise an F1 of at least `verifier.f1From`.',
    ],
    published: {
      figure: '77.9 % of explanations and 44.4 % of empty symbols are accepted as answers',
      benchmark: 'its patterns of hacking',
      model: 'Qwen2.5-Math-1.5B as the verifier',
    },
    sources: {
      'changes.verifier.falsePositive': 'ours',
    },
    expectedEffect:
      'The training reward diverges from exact match if the policy can fool the check (substring), but not if correct answers are missed.',
  },
  changes: {
    verifier: { id: 'verifier-pitfalls', falseNegative: 0, falsePositive: 0.3 },
  },
  mark: 'verifier.falsePositive',
};
