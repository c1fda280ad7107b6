import type { Switch } from './switch.ts';

/*
 * Pitfalls of verifiers (arXiv 2505.22203; code: hkust-nlp/RL-Verifier-Pitfalls): rules are precise and miss right answers,
 * models miss fewer and can be fooled by thirteen patterns, such as an explanation in place of an answer.
 */
export const verifierPitfalls: Switch = {
  id: 'verifier-pitfalls',
  title: 'Pitfalls of verifiers',
  summary: 'The reward’s check of answers passes three of ten wrong ones; the metrics stay exact.',
  about: {
    paper: '2505.22203',
    kind: 'switch of training',
    parts: ['reward gates: faulty verifier'],
    differences: [
      'What passes is drawn at random, once a rollout, in place of a model that is fooled. A check that the policy can learn to fool, by a long answer of many names, is `verifier.kind=substring` with `verifier.falsePositive=0`.',
      'Rules that miss right answers are `verifier.falseNegative=0.3` with `verifier.falsePositive=0`.',
      'The hybrid of rule and model is exact match, else an F1 of at least `verifier.threshold` (`verifier.kind=hybrid`).',
    ],
    published: {
      figure: '77.9 % of explanations and 44.4 % of empty symbols pass as answers',
      benchmark: 'its patterns of hacking',
      model: 'Qwen2.5-Math-1.5B as the verifier',
    },
    sources: {
      'changes.verifier.falsePositive': 'ours',
      'changes.verifier.threshold': 'ours',
    },
    expectedEffect:
      'The reward of training rises away from exact match where the policy can fool the check (substring), and not where right answers are missed.',
  },
  changes: {
    verifier: { kind: 'rule', threshold: 0.5, falseNegative: 0, falsePositive: 0.3 },
  },
  mark: 'verifier.falsePositive',
};
