import { blocksIn, defineRelease, type Output } from '../../agent/released.ts';
import { subExactMatch } from '../../agent/answers/scores.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';
import type { RewardClause } from '../../records/rollout.ts';

/*
 * AutoRefine (arXiv 2505.11277; code: syr-cn/AutoRefine, reward_score/qa_em.py, refine_score 0.1 and format_score
 * 0 in cmd/train.sh). Paper and code agree on the values. An output in its own format is read by its rules
 * (`release`), one in Forage's protocol by Forage's. Difference: in Forage's protocol, where the policy wrote no
 * <refine> block, what it thought after it first read passages counts as one.
 */

/** AutoRefine (syr-cn/AutoRefine, reward_score/qa_em.py) asks for a closed answer and for no other format. */
const lastAnswer = (text: string): string | null => blocksIn(text, 'answer').at(-1) ?? null;
export const release = defineRelease({
  dialects: ['auto-refine'],
  answer: ({ text }) => lastAnswer(text),
  faults: ({ text }) => (lastAnswer(text) === null ? ['there is no closed answer'] : []),
});

/** AutoRefine: F1; where that is 0, 0.1 if the refinement holds a gold answer; 0 without an answer. */
function refined(facts: RewardFacts, output: Output | null): RewardClause[] {
  const { spans } = facts.afterReading;
  const text = output ? blocksIn(output.text, 'refine').join(' ') : facts.afterReading.text;
  const holds = facts.form !== null && facts.f1 === 0 && subExactMatch(text, facts.golds) === 1;
  return [
    clause('answer', facts.f1, facts.answer),
    clause('refinement', holds ? 0.1 : 0, holds ? spans : []),
  ];
}

export const autorefine = fixedReward({
  id: 'autorefine',
  name: 'AutoRefine',
  source: 'AutoRefine, arXiv 2505.11277',
  formula: 'R = F1; if that is 0, 0.1 if the refinement contains a gold answer',
  range: [0, 1],
  clauses: asReleased(release, refined),
});
